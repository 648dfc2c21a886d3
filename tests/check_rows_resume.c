/* SPDX-License-Identifier: Apache-2.0 */
/* After a pause: what was held back, and the connection's next calls. */
#include <stdlib.h>

#include "api/client.h"
#include "call/engine.h"
#include "tests/rows_rig.h"

static const struct fault_step in_two[] = {
    {FAULT_READ, NULL, 0},
    {FAULT_SEND, OK "Content-Length: 113\r\n\r\n" TWO_ROWS, 0},
    {FAULT_READ, NULL, 0},
    {FAULT_SEND, OK "Content-Length: 113\r\n\r\n{\"matches\":[" ROW("a", "one"),
     0},
    {FAULT_GATE, NULL, 0},
    {FAULT_SEND, "," ROW("b", "two") "]}", 0},
    {FAULT_STALL, NULL, 0}};
static const struct fault_step small[] = {
    {FAULT_READ, NULL, 0},
    {FAULT_SEND, OK "Content-Length: 113\r\n\r\n" TWO_ROWS, 0},
    {FAULT_AGAIN, NULL, 0}};
static const struct fault_step closing[] = {
    {FAULT_READ, NULL, 0},
    {FAULT_SEND,
     OK "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n" CHUNK(
         "c", "{\"matches\":[") CHUNK("31", ROW("a", "one")) CHUNK("1", ",")
         CHUNK("31", ROW("b", "two")) CHUNK("1", ",")
             CHUNK("31", ROW("c", "six")) CHUNK("2", "]}") "0\r\n\r\n",
     0},
    {FAULT_END, NULL, 0}};

static const struct fault_step gated[] = {
    {FAULT_READ, NULL, 0},
    {FAULT_SEND,
     OK "Transfer-Encoding: chunked\r\n\r\n" CHUNK("c", "{\"matches\":[")
         CHUNK("31", ROW("a", "one")) "33\r\n,",
     0},
    {FAULT_GATE, NULL, 0},
    {FAULT_SEND, ROW("b", "two") "]\r\n" CHUNK("1", "}") "0\r\n\r\n", 0},
    {FAULT_STALL, NULL, 0}};

static const struct fault_step *const in_two_scripts[] = {in_two};
static const struct fault_step *const gated_scripts[] = {gated};
static const struct fault_step *const small_scripts[] = {small};
static const struct fault_step *const closing_scripts[] = {closing};

static struct client_rig rig;
static struct taking taking;

static void
start(const struct fault_step *const *scripts)
{
    client_rig_init(&rig, scripts, 1, VECWIRE_OPTIONS(.connections = 1));
}

/* A call that is paused until all of its reply has come. */
static void
pause_once(void)
{
    take(&rig, &taking, 1);
    run_until_paused(&taking);
    turn(&rig, 10);
    ck_assert(vecwire_resume(rig.client, taking.id));
    client_rig_run(&rig);
    ck_assert_int_eq(taking.code, VECWIRE_OK);
}

START_TEST(a_held_end_is_that_of_its_own_call)
{
    start(in_two_scripts);
    pause_once();
    take(&rig, &taking, 1);
    run_until_paused(&taking);
    ck_assert(vecwire_resume(rig.client, taking.id));
    turn(&rig, 10);
    ck_assert_uint_eq(taking.runs, 0);
    fault_server_open_gate(rig.server);
    client_rig_run(&rig);
    ck_assert_int_eq(taking.code, VECWIRE_OK);
    ck_assert_uint_eq(taking.n_rows, 2);
    client_rig_fini(&rig);
}
END_TEST

START_TEST(a_connection_is_as_quick_after_a_pause_as_before)
{
    start(small_scripts);
    pause_once();
    take(&rig, &taking, 0);
    client_rig_run(&rig);
    ck_assert_uint_eq(taking.wakeups, 1);
    client_rig_fini(&rig);
}
END_TEST

/* The deadline's question: is there something to be read? */
START_TEST(what_is_held_back_counts_as_unread)
{
    struct vecwire__call *call;

    start(closing_scripts);
    take(&rig, &taking, 1);
    run_until_paused(&taking);
    turn(&rig, 10);
    call = vecwire__slots_find(&rig.client->engine.slots, taking.id);
    ck_assert(rig.client->engine.config.transport->unread(call->conn));
    client_rig_fini(&rig);
}
END_TEST

START_TEST(an_end_that_is_held_back_counts_as_unread)
{
    struct vecwire__call *call;

    start(small_scripts);
    take(&rig, &taking, 1);
    run_until_paused(&taking);
    turn(&rig, 10);
    call = vecwire__slots_find(&rig.client->engine.slots, taking.id);
    ck_assert(rig.client->engine.config.transport->unread(call->conn));
    client_rig_fini(&rig);
}
END_TEST

START_TEST(every_pause_is_one_where_the_server_has_closed_long_ago)
{
    start(closing_scripts);
    take(&rig, &taking, 3);
    run_until_paused(&taking);
    for (unsigned i = 1; i <= 3; i++) {
        turn(&rig, 10);
        ck_assert_uint_eq(taking.n_rows, i);
        ck_assert_uint_eq(taking.runs, 0);
        ck_assert(vecwire_resume(rig.client, taking.id));
    }
    client_rig_run(&rig);
    ck_assert_int_eq(taking.code, VECWIRE_OK);
    client_rig_fini(&rig);
}
END_TEST

static bool fail_next;

static void *
libevent_malloc(size_t size)
{
    bool fail = fail_next;

    fail_next = false;
    return fail ? NULL : malloc(size);
}

/* Chunks that go on while nobody of us reads would be taken for others. */
START_TEST(what_cannot_be_read_on_for_want_of_memory_is_lost)
{
    event_set_mem_functions(libevent_malloc, realloc, free);
    start(gated_scripts);
    take(&rig, &taking, 1);
    run_until_paused(&taking);
    ck_assert(vecwire_resume(rig.client, taking.id));
    fail_next = _i != 0;
    turn(&rig, 10);
    ck_assert(!fail_next);
    fault_server_open_gate(rig.server);
    client_rig_run(&rig);
    ck_assert_int_eq(taking.code, _i != 0 ? VECWIRE_ENOMEM : VECWIRE_OK);
    ck_assert_uint_eq(taking.n_rows, _i != 0 ? 1 : 2);
    client_rig_fini(&rig);
}
END_TEST

/* Nobody would see what comes on it between calls. */
START_TEST(a_connection_that_cannot_be_watched_after_a_pause_is_not_used_again)
{
    event_set_mem_functions(libevent_malloc, realloc, free);
    start(small_scripts);
    take(&rig, &taking, 1);
    run_until_paused(&taking);
    turn(&rig, 10);
    ck_assert(vecwire_resume(rig.client, taking.id));
    fail_next = true;
    turn(&rig, 10);
    ck_assert(!fail_next);
    ck_assert_int_eq(taking.code, VECWIRE_OK);
    ck_assert_uint_eq(vecwire_client_stats(rig.client)->connections_open, 0);
    client_rig_fini(&rig);
}
END_TEST

START_TEST(without_a_client_nothing_is_resumed)
{
    ck_assert(!vecwire_resume(NULL, 1));
}
END_TEST

static void
add(TCase *tc)
{
    tcase_add_test(tc, without_a_client_nothing_is_resumed);
    tcase_add_test(tc, a_held_end_is_that_of_its_own_call);
    tcase_add_test(tc, a_connection_is_as_quick_after_a_pause_as_before);
    tcase_add_test(tc, what_is_held_back_counts_as_unread);
    tcase_add_test(tc, an_end_that_is_held_back_counts_as_unread);
    tcase_add_test(tc, every_pause_is_one_where_the_server_has_closed_long_ago);
    tcase_add_test(
        tc,
        a_connection_that_cannot_be_watched_after_a_pause_is_not_used_again);
    tcase_add_loop_test(tc, what_cannot_be_read_on_for_want_of_memory_is_lost,
                        0, 2);
}

int
main(void)
{
    return client_rig_main("rows_resume", add);
}
