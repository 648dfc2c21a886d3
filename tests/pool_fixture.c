/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/pool_fixture.h"

#include <stdlib.h>

struct fake_clock pool_clock;
struct fake_transport net;
struct vecwire__pool pool;
struct caller a, b, c, d;
static unsigned n_grants;

static void
grant(struct vecwire__waiter *waiter, struct vecwire__conn *conn)
{
    struct caller *caller = (struct caller *)(void *)waiter;

    ck_assert(!waiter->waiting);
    ck_assert_ptr_null(caller->conn);
    caller->conn = conn;
    caller->grants++;
    caller->turn = ++n_grants;
    if (conn != NULL) {
        ck_assert(!conn->idle);
        conn->up = true; /* as if a request had brought it up */
    }
    if (caller->on_grant != NULL)
        caller->on_grant(caller);
}

void
pool_setup(void)
{
    fake_clock_init(&pool_clock, NULL);
    fake_transport_init(&net, &pool_clock, NULL);
    pool = (struct vecwire__pool){.transport = &fake_transport,
                                  .net = &net,
                                  .timers = &pool_clock.timers,
                                  .grant = grant,
                                  .max_open = 2,
                                  .max_waiting = 2,
                                  .max_bytes = 1000,
                                  .idle_ns = IDLE_NS};
    vecwire__pool_init(&pool);
    a = b = c = d = (struct caller){0};
    n_grants = 0;
}

void
ask(struct caller *caller)
{
    vecwire__pool_ask(&pool, &caller->waiter, false);
}

void
give(struct caller *caller)
{
    struct vecwire__conn *conn = caller->conn;

    caller->conn = NULL;
    vecwire__pool_give(&pool, conn);
}

void
drop(struct caller *caller)
{
    struct vecwire__conn *conn = caller->conn;

    caller->conn = NULL;
    vecwire__pool_drop(&pool, conn);
}

void
pool_teardown(void)
{
    struct caller *all[] = {&a, &b, &c, &d};

    vecwire__pool_close(&pool);
    for (size_t i = 0; i < 4; i++) {
        vecwire__pool_forget(&pool, &all[i]->waiter);
        if (all[i]->conn != NULL)
            drop(all[i]);
    }
    vecwire__pool_fini(&pool);
    ck_assert_uint_eq(pool_clock.timers.n, 0);
    ck_assert_uint_eq(pool_clock.timers.reserved, 0);
    ck_assert_uint_eq(pool_clock.armed_ns, 0);
    fake_transport_fini(&net);
    fake_clock_fini(&pool_clock);
}

int
pool_run(const char *name, const TTest *const *tests, size_t n)
{
    Suite *suite = suite_create(name);
    TCase *tc = tcase_create(name);
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_checked_fixture(tc, pool_setup, pool_teardown);
    for (size_t i = 0; i < n; i++)
        tcase_add_test(tc, tests[i]);
    suite_add_tcase(suite, tc);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
