/* SPDX-License-Identifier: Apache-2.0 */
/* Rows before the end, and pauses, on real connections. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/rows_rig.h"

#define MIB ((size_t)1 << 20)
#define PARTS 100

static const struct fault_step small[] = {
    {FAULT_READ, NULL, 0},
    {FAULT_SEND, OK "Content-Length: 113\r\n\r\n" TWO_ROWS, 0},
    {FAULT_AGAIN, NULL, 0}};
static const struct fault_step small_then_close[] = {
    {FAULT_READ, NULL, 0},
    {FAULT_SEND, OK "Content-Length: 113\r\n\r\n" TWO_ROWS, 0},
    {FAULT_END, NULL, 0}};
static const struct fault_step cut_off[] = {
    {FAULT_READ, NULL, 0},
    {FAULT_SEND, OK "Content-Length: 999\r\n\r\n" TWO_ROWS, 0},
    {FAULT_END, NULL, 0}};
static const struct fault_step chunked[] = {
    {FAULT_READ, NULL, 0},
    {FAULT_SEND,
     OK "Transfer-Encoding: chunked\r\n\r\n" CHUNK("c", "{\"matches\":[")
         CHUNK("31", ROW("a", "one")) CHUNK("1", ",")
             CHUNK("31", ROW("b", "two")) CHUNK("2", "]}") "0\r\n\r\n",
     0},
    {FAULT_AGAIN, NULL, 0}};

static const struct fault_step stray[] = {
    {FAULT_READ, NULL, 0},
    {FAULT_SEND, OK "Content-Length: 113\r\n\r\n" TWO_ROWS, 0},
    {FAULT_GATE, NULL, 0},
    {FAULT_SEND, OK "Content-Length: 5\r\n\r\nstray", 0},
    {FAULT_DISCARD, NULL, 0}};

static const struct fault_step *const stray_scripts[] = {stray, small};
static const struct fault_step *const small_scripts[] = {small};
static const struct fault_step *const closing_scripts[] = {small_then_close};
static const struct fault_step *const cut_scripts[] = {cut_off};
static const struct fault_step *const chunked_scripts[] = {chunked};

/* PARTS rows of 1 MiB: more than sockets and one turn can hold. */
static struct fault_step large[3 + 3 * PARTS];
static const struct fault_step *const large_scripts[] = {large, small};

static void
make_large(void)
{
    static const char row[] = "{\"id\":\"x\",\"score\":1,\"text\":\"";
    static char head[128];
    struct fault_step *step = large;

    snprintf(head, sizeof(head), OK "Content-Length: %zu\r\n\r\n{\"matches\":[",
             strlen("{\"matches\":[]}") + PARTS * (strlen(row) + MIB + 3) - 1);
    *step++ = (struct fault_step){FAULT_READ, NULL, 0};
    *step++ = (struct fault_step){FAULT_SEND, head, 0};
    for (int i = 0; i < PARTS; i++) {
        *step++ = (struct fault_step){FAULT_SEND, row, 0};
        *step++ = (struct fault_step){FAULT_FILL, NULL, MIB};
        *step++ = (struct fault_step){FAULT_SEND,
                                      i + 1 < PARTS ? "\"}," : "\"}]}", 0};
    }
    *step = (struct fault_step){FAULT_AGAIN, NULL, 0};
}

static void
start(struct client_rig *rig, const struct fault_step *const *scripts, size_t n)
{
    make_large();
    client_rig_init(rig, scripts, n, VECWIRE_OPTIONS(.connections = 2));
}

START_TEST(rows_and_end_of_a_short_reply_come_in_one_wake_up)
{
    struct client_rig rig;
    struct taking taking;

    start(&rig, small_scripts, 1);
    take(&rig, &taking, 0);
    client_rig_run(&rig);
    ck_assert_uint_eq(taking.row_runs, 1);
    ck_assert_int_eq(taking.code, VECWIRE_OK);
    ck_assert_uint_eq(taking.given, 2);
    client_rig_fini(&rig);
}
END_TEST

START_TEST(an_end_that_came_in_a_pause_is_told_after_it)
{
    struct client_rig rig;
    struct taking taking;

    start(&rig, small_scripts, 1);
    take(&rig, &taking, 1);
    run_until_paused(&taking);
    turn(&rig, 10);
    ck_assert_uint_eq(taking.runs, 0);
    ck_assert(vecwire_resume(rig.client, taking.id));
    ck_assert_uint_eq(taking.runs, 0);
    client_rig_run(&rig);
    ck_assert_int_eq(taking.code, VECWIRE_OK);
    ck_assert_uint_eq(taking.given, 2);
    client_rig_fini(&rig);
}
END_TEST

START_TEST(a_connection_serves_on_after_a_pause)
{
    struct client_rig rig;
    struct taking taking;

    start(&rig, small_scripts, 1);
    for (int i = 0; i < 5; i++) {
        take(&rig, &taking, 1);
        run_until_paused(&taking);
        turn(&rig, 3);
        ck_assert(vecwire_resume(rig.client, taking.id));
        client_rig_run(&rig);
        ck_assert_int_eq(taking.code, VECWIRE_OK);
    }
    ck_assert_uint_eq(vecwire_client_stats(rig.client)->connections_opened, 1);
    client_rig_fini(&rig);
}
END_TEST

START_TEST(a_server_that_closes_in_a_pause_has_answered_all_the_same)
{
    struct client_rig rig;
    struct taking taking;

    start(&rig, closing_scripts, 1);
    take(&rig, &taking, 1);
    run_until_paused(&taking);
    turn(&rig, 10);
    ck_assert(vecwire_resume(rig.client, taking.id));
    client_rig_run(&rig);
    ck_assert_int_eq(taking.code, VECWIRE_OK);
    take(&rig, &taking, 0);
    client_rig_run(&rig);
    ck_assert_int_eq(taking.code, VECWIRE_OK);
    client_rig_fini(&rig);
}
END_TEST

START_TEST(a_loss_in_a_pause_is_told_after_it)
{
    struct client_rig rig;
    struct taking taking;

    start(&rig, cut_scripts, 1);
    take(&rig, &taking, 1);
    run_until_paused(&taking);
    turn(&rig, 10);
    ck_assert_uint_eq(taking.runs, 0);
    ck_assert(vecwire_resume(rig.client, taking.id));
    client_rig_run(&rig);
    ck_assert_int_eq(taking.code, VECWIRE_EIO);
    ck_assert_uint_eq(taking.given, 2);
    client_rig_fini(&rig);
}
END_TEST

START_TEST(what_a_server_adds_in_a_pause_answers_no_other_call)
{
    struct client_rig rig;
    struct taking taking, next;

    start(&rig, stray_scripts, 2);
    take(&rig, &taking, 1);
    taking.next = &next;
    run_until_paused(&taking);
    fault_server_open_gate(rig.server);
    turn(&rig, 10);
    ck_assert(vecwire_resume(rig.client, taking.id));
    client_rig_run(&rig);
    ck_assert_int_eq(taking.code, VECWIRE_OK);
    ck_assert_int_eq(next.code, VECWIRE_OK);
    ck_assert_uint_eq(next.given, 2);
    client_rig_fini(&rig);
}
END_TEST

START_TEST(chunks_that_came_in_a_pause_are_held_back)
{
    struct client_rig rig;
    struct taking taking;

    start(&rig, chunked_scripts, 1);
    take(&rig, &taking, 2);
    run_until_paused(&taking);
    ck_assert_uint_eq(taking.n_rows, 1);
    turn(&rig, 10);
    ck_assert_uint_eq(taking.n_rows, 1);
    ck_assert(vecwire_resume(rig.client, taking.id));
    turn(&rig, 10);
    ck_assert_uint_eq(taking.n_rows, 2);
    ck_assert_uint_eq(taking.runs, 0);
    ck_assert(vecwire_resume(rig.client, taking.id));
    client_rig_run(&rig);
    ck_assert_int_eq(taking.code, VECWIRE_OK);
    client_rig_fini(&rig);
}
END_TEST

START_TEST(a_reply_that_gets_too_large_in_a_pause_fails_after_it)
{
    struct client_rig rig;
    struct taking taking;

    client_rig_init(&rig, chunked_scripts, 1,
                    VECWIRE_OPTIONS(.max_reply_bytes = 70));
    take(&rig, &taking, 1);
    run_until_paused(&taking);
    turn(&rig, 3);
    ck_assert_uint_eq(taking.runs, 0);
    ck_assert(vecwire_resume(rig.client, taking.id));
    client_rig_run(&rig);
    ck_assert_int_eq(taking.code, VECWIRE_EREPLYSIZE);
    ck_assert_uint_eq(taking.given, 1);
    client_rig_fini(&rig);
}
END_TEST

START_TEST(every_row_of_a_large_reply_comes_through_many_pauses)
{
    struct client_rig rig;
    struct taking taking;

    start(&rig, large_scripts, 2);
    take(&rig, &taking, 1000);
    while (taking.runs == 0) {
        unsigned before = taking.row_runs;

        while (taking.runs == 0 && taking.row_runs == before)
            ck_assert_int_eq(vecwire_loop_step(rig.loop, NULL), VECWIRE_OK);
        (void)vecwire_resume(rig.client, taking.id);
    }
    ck_assert_int_eq(taking.code, VECWIRE_OK);
    ck_assert_uint_eq(taking.n_rows, PARTS);
    ck_assert_uint_eq(taking.bytes, PARTS * MIB);
    client_rig_fini(&rig);
}
END_TEST

static void
on_time(evutil_socket_t fd, short what, void *arg)
{
    (void)fd;
    (void)what;
    *(bool *)arg = true;
}

/* Passes of the loop in the next 50 ms. */
static unsigned
count_passes(struct client_rig *rig)
{
    static const struct timeval later = {0, 50000};
    bool over = false;
    unsigned passes = 0;

    event_base_once(rig->base, -1, EV_TIMEOUT, on_time, &over, &later);
    while (!over) {
        event_base_loop(rig->base, EVLOOP_ONCE);
        passes++;
    }
    return passes;
}

START_TEST(a_paused_call_wakes_the_loop_for_nothing)
{
    struct client_rig rig;
    struct taking taking;

    start(&rig, large_scripts, 2);
    take(&rig, &taking, 1);
    run_until_paused(&taking);
    turn(&rig, 1000); /* until the server's socket is full */
    ck_assert_uint_le(count_passes(&rig), 2);
    ck_assert_uint_eq(taking.row_runs, 1);
    client_rig_fini(&rig);
}
END_TEST

START_TEST(other_calls_go_on_while_one_is_paused)
{
    struct client_rig rig;
    struct taking paused, other;

    start(&rig, large_scripts, 2);
    take(&rig, &paused, 1);
    run_until_paused(&paused);
    for (int i = 0; i < 3; i++) {
        take(&rig, &other, 0);
        while (other.runs == 0)
            ck_assert_int_eq(vecwire_loop_step(rig.loop, NULL), VECWIRE_OK);
        ck_assert_int_eq(other.code, VECWIRE_OK);
    }
    ck_assert_uint_eq(paused.row_runs, 1);
    client_rig_fini(&rig);
}
END_TEST

START_TEST(a_paused_call_reads_no_more_than_one_turn_ahead)
{
    struct client_rig rig;
    struct taking taking;
    size_t had;

    start(&rig, large_scripts, 2);
    take(&rig, &taking, 1);
    run_until_paused(&taking);
    turn(&rig, 1000);
    had = taking.bytes;
    ck_assert(vecwire_cancel(rig.client, taking.id));
    client_rig_run(&rig);
    ck_assert_int_eq(taking.code, VECWIRE_ECANCELED);
    ck_assert_uint_le(vecwire_client_stats(rig.client)->bytes_received,
                      had + MIB / 2);
    client_rig_fini(&rig);
}
END_TEST

START_TEST(a_paused_call_ends_with_its_client)
{
    struct client_rig rig;
    struct taking taking;

    start(&rig, _i == 0 ? small_scripts : large_scripts, 1);
    take(&rig, &taking, 1);
    run_until_paused(&taking);
    turn(&rig, 10);
    if (_i == 2)
        ck_assert(vecwire_resume(rig.client, taking.id));
    client_rig_fini(&rig);
    ck_assert_uint_eq(taking.runs, 1);
    ck_assert_int_eq(taking.code, VECWIRE_ECLOSED);
}
END_TEST

START_TEST(a_paused_call_makes_drain_wait_for_its_time)
{
    struct client_rig rig;
    struct taking taking;

    start(&rig, small_scripts, 1);
    take(&rig, &taking, 1);
    ck_assert_int_eq(vecwire_client_drain(rig.client, 50), VECWIRE_ETIMEDOUT);
    ck_assert_uint_eq(taking.runs, 0);
    client_rig_fini(&rig);
}
END_TEST

static void
add(TCase *tc)
{
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, rows_and_end_of_a_short_reply_come_in_one_wake_up);
    tcase_add_test(tc, an_end_that_came_in_a_pause_is_told_after_it);
    tcase_add_test(tc, a_connection_serves_on_after_a_pause);
    tcase_add_test(tc,
                   a_server_that_closes_in_a_pause_has_answered_all_the_same);
    tcase_add_test(tc, a_loss_in_a_pause_is_told_after_it);
    tcase_add_test(tc, what_a_server_adds_in_a_pause_answers_no_other_call);
    tcase_add_test(tc, chunks_that_came_in_a_pause_are_held_back);
    tcase_add_test(tc, a_reply_that_gets_too_large_in_a_pause_fails_after_it);
    tcase_add_test(tc, every_row_of_a_large_reply_comes_through_many_pauses);
    tcase_add_test(tc, a_paused_call_wakes_the_loop_for_nothing);
    tcase_add_test(tc, other_calls_go_on_while_one_is_paused);
    tcase_add_test(tc, a_paused_call_reads_no_more_than_one_turn_ahead);
    tcase_add_loop_test(tc, a_paused_call_ends_with_its_client, 0, 3);
    tcase_add_test(tc, a_paused_call_makes_drain_wait_for_its_time);
}

int
main(void)
{
    return client_rig_main("rows_net", add);
}
