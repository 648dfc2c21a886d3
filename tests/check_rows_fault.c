/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that take rows, where the reply or the memory fails. */
#include <check.h>
#include <string.h>

#include "tests/client_rig.h"
#include "tests/engine_fixture.h"

#define HEAD "{\"matches\":["

static struct engine_fixture f;
static struct seen seen;

static enum vecwire_rows_action
on_rows(const struct vecwire_reply *rows, void *arg)
{
    (void)rows;
    (void)arg;
    ck_abort_msg("there are no rows");
}

static struct vecwire__conn *
begin(void)
{
    vecwire_call_id id;
    struct vecwire__call *call;

    engine_fixture_init(&f, NULL);
    memset(&seen, 0, sizeof(seen));
    ck_assert_int_eq(engine_call(&f, VECWIRE__READ, 0, &seen, &id), VECWIRE_OK);
    call = vecwire__slots_find(&f.engine.slots, id);
    call->on_rows = on_rows;
    return fake_conn(&f.net, 1);
}

START_TEST(a_row_that_lacks_something_is_told)
{
    struct vecwire__conn *conn = begin();

    fake_head(conn, 200, NULL, 0);
    fake_body(conn, HEAD "{\"score\":1}");
    ck_assert_int_eq(seen.code, VECWIRE_EDECODE);
    ck_assert_ptr_nonnull(strstr(seen.detail, "a match lacks its \"id\""));
    engine_fixture_fini(&f);
}
END_TEST

static void *
no_alloc(size_t size, void *ctx)
{
    (void)size;
    (void)ctx;
    return NULL;
}

START_TEST(without_memory_for_its_rows_a_call_fails)
{
    static const struct vecwire_mem none = {.alloc = no_alloc};
    struct vecwire__conn *conn = begin();
    const struct vecwire_mem *mem = f.engine.config.mem;

    f.engine.config.mem = &none;
    fake_head(conn, 200, NULL, 0);
    f.engine.config.mem = mem;
    ck_assert_uint_eq(seen.runs, 1);
    ck_assert_int_eq(seen.code, VECWIRE_ENOMEM);
    engine_fixture_fini(&f);
}
END_TEST

static void
add(TCase *tc)
{
    tcase_add_test(tc, a_row_that_lacks_something_is_told);
    tcase_add_test(tc, without_memory_for_its_rows_a_call_fails);
}

int
main(void)
{
    return client_rig_main("rows_fault", add);
}
