/* SPDX-License-Identifier: Apache-2.0 */
/* 100,000 random operations, and after each the pool counted by hand. */
#include "pool/pool.h"

#include <check.h>
#include <stdlib.h>

#include "tests/fake_clock.h"
#include "tests/fake_transport.h"

#define OPERATIONS 100000
#define CALLERS 16
#define MAX_OPEN 6

/* Check's own asserts each write to a pipe: too slow for millions. */
#define REQUIRE(condition)                                                     \
    do {                                                                       \
        if (!(condition))                                                      \
            ck_abort_msg("not so: %s", #condition);                            \
    } while (0)

struct caller {
    struct vecwire__waiter waiter;
    struct vecwire__conn *conn;
    bool first;
    uint64_t ticket; /* the order of asking */
};

static struct fake_clock pool_clock;
static struct fake_transport net;
static struct vecwire__pool pool;
static struct caller callers[CALLERS];
static uint64_t next_ticket, last_served;
static uint32_t random_state;
static unsigned nested, n_grants, n_nested_acts;

static uint32_t
roll(uint32_t n)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)random_state * n) >> 32);
}

static struct caller *
caller_of(struct vecwire__waiter *waiter)
{
    return (struct caller *)(void *)waiter;
}

static void
ask(struct caller *caller)
{
    caller->first = roll(5) == 0;
    caller->waiter.fresh = caller->first && roll(2) == 0;
    caller->waiter.bytes = roll(100);
    caller->ticket = ++next_ticket;
    vecwire__pool_ask(&pool, &caller->waiter, caller->first);
}

static void
end_lease(struct caller *caller)
{
    struct vecwire__conn *conn = caller->conn;

    caller->conn = NULL;
    if (roll(4) == 0)
        vecwire__pool_drop(&pool, conn);
    else
        vecwire__pool_give(&pool, conn);
}

/* One thing that a caller may do at any time. */
static void
act(struct caller *caller)
{
    if (caller->conn != NULL)
        end_lease(caller);
    else if (!caller->waiter.waiting)
        ask(caller);
    else if (roll(4) == 0)
        vecwire__pool_forget(&pool, &caller->waiter);
}

static void
grant(struct vecwire__waiter *waiter, struct vecwire__conn *conn)
{
    struct caller *caller = caller_of(waiter);

    REQUIRE(nested == 0);
    nested++;
    n_grants++;
    REQUIRE(!waiter->waiting);
    REQUIRE(caller->conn == NULL);
    for (size_t i = 0; conn != NULL && i < CALLERS; i++)
        REQUIRE(callers[i].conn != conn);
    if (!caller->first) {
        REQUIRE(caller->ticket > last_served);
        last_served = caller->ticket;
    }
    caller->conn = conn;
    if (conn != NULL) {
        struct fake_conn *fake = fake_conn_of(conn);

        REQUIRE(!conn->idle);
        REQUIRE(!fake->loud);
        REQUIRE(!waiter->fresh || fake->sends == 0);
        fake->sends++;
        conn->up = roll(10) != 0;
        if (roll(8) == 0) {
            n_nested_acts++;
            act(&callers[roll(CALLERS)]);
        }
    }
    nested--;
}

/* The other side closes an idle connection, sooner or later told. */
static void
disturb_an_idle_one(void)
{
    struct vecwire__conn *conn = TAILQ_FIRST(&pool.idle);

    for (uint32_t n = roll(MAX_OPEN); n > 0 && conn != NULL; n--)
        conn = TAILQ_NEXT(conn, link);
    if (conn == NULL)
        return;
    if (roll(2) == 0)
        fake_conn_of(conn)->loud = true;
    else
        vecwire__pool_idle_lost(&pool, conn);
}

static void
operate(void)
{
    switch (roll(20)) {
    case 0:
        disturb_an_idle_one();
        break;
    case 1:
        fake_clock_pass(&pool_clock, roll(2000) * FAKE_MS);
        break;
    case 2:
        net.fail_opens = roll(10) == 0 ? 1 : 0;
        break;
    default:
        act(&callers[roll(CALLERS)]);
        break;
    }
}

static void
count_by_hand(void)
{
    size_t idle = 0, waiting = 0, leased = 0, asking = 0;
    uint64_t bytes = 0, until = UINT64_MAX;
    struct vecwire__conn *conn;
    struct vecwire__waiter *waiter;

    TAILQ_FOREACH (conn, &pool.idle, link) {
        idle++;
        REQUIRE(conn->idle);
        REQUIRE(conn->idle_until_ns <= until);
        until = conn->idle_until_ns;
        REQUIRE(until > pool_clock.now_ns);
    }
    TAILQ_FOREACH (waiter, &pool.waiters, link) {
        waiting++;
        bytes += waiter->bytes;
        REQUIRE(waiter->waiting);
        REQUIRE(caller_of(waiter)->conn == NULL);
    }
    for (size_t i = 0; i < CALLERS; i++) {
        leased += callers[i].conn != NULL;
        asking += callers[i].waiter.waiting;
    }
    REQUIRE(pool.n_idle == idle);
    REQUIRE(pool.n_waiting == waiting);
    REQUIRE(asking == waiting);
    REQUIRE(pool.waiting_bytes == bytes);
    REQUIRE(pool.n_open == (idle + leased));
    REQUIRE(pool.n_open == net.n_open);
    REQUIRE(pool.n_open <= MAX_OPEN);
    REQUIRE(idle == 0 || pool_clock.timers.n == 1);
    /* Who waits has something to wait for. */
    REQUIRE(waiting == 0 || leased > 0);
}

static void
set_up(uint32_t seed)
{
    fake_clock_init(&pool_clock, NULL);
    fake_transport_init(&net, &pool_clock, NULL);
    pool = (struct vecwire__pool){.transport = &fake_transport,
                                  .net = &net,
                                  .timers = &pool_clock.timers,
                                  .grant = grant,
                                  .max_open = MAX_OPEN,
                                  .max_waiting = SIZE_MAX,
                                  .max_bytes = UINT64_MAX,
                                  .idle_ns = 4 * FAKE_S};
    vecwire__pool_init(&pool);
    memset(callers, 0, sizeof(callers));
    next_ticket = last_served = 0;
    n_grants = n_nested_acts = 0;
    random_state = seed;
}

static void
tear_down(void)
{
    vecwire__pool_close(&pool);
    for (size_t i = 0; i < CALLERS; i++) {
        vecwire__pool_forget(&pool, &callers[i].waiter);
        if (callers[i].conn != NULL)
            vecwire__pool_drop(&pool, callers[i].conn);
    }
    vecwire__pool_fini(&pool);
    ck_assert_uint_eq(pool_clock.timers.n, 0);
    ck_assert_uint_eq(pool_clock.timers.reserved, 0);
    fake_transport_fini(&net);
    fake_clock_fini(&pool_clock);
}

START_TEST(after_any_operation_the_pool_is_in_order)
{
    set_up((uint32_t)_i);
    for (size_t i = 0; i < OPERATIONS; i++) {
        operate();
        count_by_hand();
    }
    /* It was not for lack of things to happen. */
    ck_assert_uint_gt(n_grants, OPERATIONS / 10);
    ck_assert_uint_gt(n_nested_acts, OPERATIONS / 100);
    ck_assert_uint_gt(net.closed, OPERATIONS / 50);
    tear_down();
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("pool_random");
    TCase *tc = tcase_create("pool_random");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, after_any_operation_the_pool_is_in_order, 1, 4);
    suite_add_tcase(suite, tc);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
