/* SPDX-License-Identifier: Apache-2.0 */
/* Where a reply ends: traps 1 to 6 and 14 of docs/faults.md, by number. */
#include <stdlib.h>
#include <string.h>

#include "tests/net_rig.h"

#define OK "HTTP/1.1 200 OK\r\n"
#define HELLO OK "Content-Length: 5\r\n\r\nhello"
#define MIB ((size_t)1 << 20)

/* One request against one reply and a close; no connection is left. */
static void
ask(struct rig_call *call, const char *reply)
{
    static struct net_rig rig;
    const struct fault_step script[] = {
        {FAULT_READ, NULL, 0}, {FAULT_SEND, reply, 0}, {FAULT_END, NULL, 0}};

    rig_init(&rig, "127.0.0.1", script);
    rig_call_init(call, &rig);
    rig_do(call);
    ck_assert_uint_eq(call->n_ended + call->n_lost, 1);
    rig_turn(&rig);
    ck_assert_uint_eq(call->n_ended + call->n_lost, 1);
    rig_fini(&rig);
}

static void
expect_refused(const char *reply)
{
    struct rig_call call;

    ask(&call, reply);
    ck_assert_msg(call.n_lost == 1, "taken: %s", reply);
    ck_assert_int_eq(call.code, VECWIRE_EPROTO);
    ck_assert(call.reply_seen && call.sent_any);
    ck_assert_str_ne(call.detail, "");
    rig_call_fini(&call);
}

START_TEST(trap_1_a_second_reply_behind_the_first_ends_the_connection)
{
    static const char *const replies[] = {
        HELLO HELLO, "HTTP/1.1 204 No Content\r\n\r\n" HELLO,
        OK "Content-Length: 0\r\n\r\n" HELLO, HELLO "x",
        OK "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\nHTTP"};
    struct rig_call call;

    ask(&call, replies[_i]);
    ck_assert_uint_eq(call.n_ended, 1);
    ck_assert(!call.reusable);
    rig_call_fini(&call);
}
END_TEST

static const struct fault_step stray[] = {{FAULT_READ, NULL, 0},
                                          {FAULT_SEND, HELLO, 0},
                                          {FAULT_GATE, NULL, 0},
                                          {FAULT_SEND, HELLO, 0},
                                          {FAULT_STALL, NULL, 0}};

START_TEST(trap_1_a_reply_on_an_idle_connection_is_reported_as_its_loss)
{
    struct net_rig rig;
    struct rig_call call;

    rig_init(&rig, "127.0.0.1", stray);
    rig_call_init(&call, &rig);
    rig_do(&call);
    ck_assert(call.reusable);
    fault_server_open_gate(rig.server);
    rig_run_until(&rig, &call.n_idle_lost);
    ck_assert(!vecwire__net_transport.quiet(call.conn));
    rig_close(&call);
    rig_call_fini(&call);
    rig_fini(&rig);
}
END_TEST

/* The stray reply comes while the host does not return to its loop: the
 * server is served by hand. */
START_TEST(trap_1_a_reply_that_waits_in_the_socket_makes_it_unquiet)
{
    struct net_rig rig;
    struct rig_call call;
    bool quiet = true;

    rig_init(&rig, "127.0.0.1", stray);
    rig_call_init(&call, &rig);
    rig_do(&call);
    ck_assert(vecwire__net_transport.quiet(call.conn));
    fault_server_open_gate(rig.server);
    event_base_loop(rig.base, EVLOOP_ONCE | EVLOOP_NONBLOCK);
    for (int i = 0; quiet && i < 1000000; i++)
        quiet = vecwire__net_transport.quiet(call.conn);
    ck_assert(!quiet);
    ck_assert_uint_eq(call.n_idle_lost, 0);
    rig_close(&call);
    rig_call_fini(&call);
    rig_fini(&rig);
}
END_TEST

START_TEST(trap_2_an_interim_reply_is_not_taken_for_the_answer)
{
    static const char *const replies[] = {
        "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" HELLO,
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n",
        "HTTP/1.1 102 Processing\r\n\r\n" HELLO};

    expect_refused(replies[_i]);
}
END_TEST

START_TEST(trap_2_a_100_continue_is_skipped_with_its_headers)
{
    struct rig_call call;

    ask(&call, "HTTP/1.1 100 Continue\r\nX-Test: no\r\n\r\n"
               "HTTP/1.1 100 Continue\r\n\r\n" HELLO);
    ck_assert_uint_eq(call.n_ended, 1);
    ck_assert_uint_eq(call.status, 200);
    ck_assert_str_eq(call.body, "hello");
    ck_assert_str_eq(call.header, "");
    rig_call_fini(&call);
}
END_TEST

START_TEST(trap_2_a_100_continue_may_come_long_before_the_answer)
{
    static const struct fault_step script[] = {
        {FAULT_READ_HEAD, NULL, 0},
        {FAULT_SEND, "HTTP/1.1 100 Continue\r\n\r\n", 0},
        {FAULT_GATE, NULL, 0},
        {FAULT_SEND, HELLO, 0},
        {FAULT_STALL, NULL, 0}};
    struct net_rig rig;
    struct rig_call call;

    rig_init(&rig, "127.0.0.1", script);
    rig_call_init(&call, &rig);
    rig_send(&call);
    while (call.conn->first_byte_ns == 0)
        event_base_loop(rig.base, EVLOOP_ONCE);
    rig_turn(&rig);
    fault_server_open_gate(rig.server);
    rig_run(&rig);
    ck_assert_str_eq(call.log, "sending waiting receiving 200 body end ");
    ck_assert(call.reusable);
    rig_call_fini(&call);
    rig_fini(&rig);
}
END_TEST

START_TEST(trap_3_a_reply_without_an_end_is_refused)
{
    static const char *const replies[] = {
        OK "Connection: keep-alive\r\n\r\nhello",
        OK "Connection: Keep-Alive, close\r\n\r\nhello",
        "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n\r\nhello",
        OK "Content-Length : 5\r\nConnection: keep-alive\r\n\r\nhello"};

    expect_refused(replies[_i]);
}
END_TEST

START_TEST(trap_3_a_reply_that_ends_with_the_connection_is_read_to_its_end)
{
    static const char *const replies[] = {
        OK "Connection: close\r\n\r\nhello", OK "\r\nhello",
        "HTTP/1.0 200 OK\r\n\r\nhello",
        "HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello"};
    struct rig_call call;

    ask(&call, replies[_i]);
    ck_assert_uint_eq(call.n_ended, 1);
    ck_assert_str_eq(call.body, "hello");
    ck_assert(!call.reusable);
    rig_call_fini(&call);
}
END_TEST

START_TEST(trap_4_two_content_lengths_are_refused)
{
    static const char *const replies[] = {
        OK "Content-Length: 5\r\nContent-Length: 2\r\n\r\nhello",
        OK "Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
        OK "Content-Length: 5, 5\r\n\r\nhello",
        OK "Content-Length: +5\r\n\r\nhello",
        OK "Content-Length: -5\r\n\r\nhello",
        OK "Content-Length:\r\n\r\nhello",
        OK "Content-Length: 99999999999999999999\r\n\r\nhello"};

    expect_refused(replies[_i]);
}
END_TEST

START_TEST(trap_5_a_truncated_reply_is_a_lost_connection)
{
    static const char *const replies[] = {
        OK "Content-Length: 50\r\n\r\nhello",
        OK "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
        OK "Transfer-Encoding: chunked\r\n\r\n50\r\nhello",
        OK "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n",
        OK "Content-Len",
        "HTTP"};
    struct rig_call call;

    ask(&call, replies[_i]);
    ck_assert_uint_eq(call.n_lost, 1);
    ck_assert_int_eq(call.code, VECWIRE_EIO);
    ck_assert(call.reply_seen);
    rig_call_fini(&call);
}
END_TEST

START_TEST(trap_5_a_body_in_an_unwanted_coding_is_refused)
{
    static const char *const replies[] = {
        OK "Transfer-Encoding: gzip, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        OK "Transfer-Encoding: gzip\r\nConnection: close\r\n\r\nhello",
        OK "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n"
           "5\r\nhello\r\n0\r\n\r\n",
        OK "Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello",
        OK "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n"
           "5\r\nhello\r\n0\r\n\r\n"};

    expect_refused(replies[_i]);
}
END_TEST

START_TEST(trap_6_chunk_extensions_are_refused)
{
    expect_refused(OK "Transfer-Encoding: chunked\r\n\r\n"
                      "5;a=b\r\nhello\r\n0\r\n\r\n");
}
END_TEST

START_TEST(trap_6_chunks_that_are_none_are_refused)
{
    static const char *const replies[] = {
        OK "Transfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n",
        OK "Transfer-Encoding: chunked\r\n\r\n-1\r\nhello\r\n0\r\n\r\n",
        OK "Transfer-Encoding: chunked\r\n\r\n5\r\nhello!\r\n0\r\n\r\n"};

    expect_refused(replies[_i]);
}
END_TEST

/* How a reply over a limit is refused. */
static void
expect_limit(const struct fault_step *script, enum vecwire_err code)
{
    struct net_rig rig;
    struct rig_call call;

    rig_init(&rig, "127.0.0.1", script);
    rig.config.max_reply_bytes = MIB;
    rig.config.max_header_bytes = 1000;
    rig.config.max_header_lines = 4;
    rig_reconfigure(&rig);
    rig_call_init(&call, &rig);
    rig_do(&call);
    ck_assert_uint_eq(call.n_lost, 1);
    ck_assert_int_eq(call.code, code);
    ck_assert(call.reply_seen);
    ck_assert_uint_le(call.body_len, MIB);
    rig_call_fini(&call);
    rig_fini(&rig);
}

START_TEST(trap_14_a_body_over_the_limit_is_refused)
{
    static const struct fault_step scripts[][5] = {
        {{FAULT_READ, NULL, 0},
         {FAULT_SEND, OK "Content-Length: 1048577\r\n\r\nx", 0},
         {FAULT_STALL, NULL, 0}},
        {{FAULT_READ, NULL, 0},
         {FAULT_SEND, OK "Connection: close\r\n\r\n", 0},
         {FAULT_FILL, NULL, 2 * MIB},
         {FAULT_STALL, NULL, 0}},
        /* one chunk without end */
        {{FAULT_READ, NULL, 0},
         {FAULT_SEND, OK "Transfer-Encoding: chunked\r\n\r\n7fffffff\r\n", 0},
         {FAULT_FILL, NULL, 4 * MIB},
         {FAULT_STALL, NULL, 0}},
        {{FAULT_READ, NULL, 0},
         {FAULT_SEND, OK "Transfer-Encoding: chunked\r\n\r\n100001\r\n", 0},
         {FAULT_FILL, NULL, MIB + 1},
         {FAULT_SEND, "\r\n0\r\n\r\n", 0},
         {FAULT_STALL, NULL, 0}}};

    expect_limit(scripts[_i], VECWIRE_EREPLYSIZE);
}
END_TEST

START_TEST(trap_14_a_head_over_a_limit_is_refused)
{
    static const struct fault_step scripts[][5] = {
        {{FAULT_READ, NULL, 0},
         {FAULT_SEND, OK "A: 1\r\nB: 2\r\nC: 3\r\nD: 4\r\nE: 5\r\n\r\n", 0},
         {FAULT_STALL, NULL, 0}},
        {{FAULT_READ, NULL, 0},
         {FAULT_SEND, OK "A: ", 0},
         {FAULT_FILL, NULL, 2000},
         {FAULT_STALL, NULL, 0}},
        {{FAULT_READ, NULL, 0},
         {FAULT_SEND, "HTTP/1.1 200 ", 0},
         {FAULT_FILL, NULL, 2000},
         {FAULT_STALL, NULL, 0}},
        /* trailers */
        {{FAULT_READ, NULL, 0},
         {FAULT_SEND, OK "Transfer-Encoding: chunked\r\n\r\n0\r\nA: ", 0},
         {FAULT_FILL, NULL, 2000},
         {FAULT_STALL, NULL, 0}}};

    expect_limit(scripts[_i], VECWIRE_EPROTO);
}
END_TEST

static void
add_tests(TCase *tcase)
{
    tcase_add_loop_test(
        tcase, trap_1_a_second_reply_behind_the_first_ends_the_connection, 0,
        5);
    RIG_TEST(trap_1_a_reply_on_an_idle_connection_is_reported_as_its_loss);
    RIG_TEST(trap_1_a_reply_that_waits_in_the_socket_makes_it_unquiet);
    tcase_add_loop_test(
        tcase, trap_2_an_interim_reply_is_not_taken_for_the_answer, 0, 3);
    RIG_TEST(trap_2_a_100_continue_is_skipped_with_its_headers);
    RIG_TEST(trap_2_a_100_continue_may_come_long_before_the_answer);
    tcase_add_loop_test(tcase, trap_3_a_reply_without_an_end_is_refused, 0, 4);
    tcase_add_loop_test(
        tcase, trap_3_a_reply_that_ends_with_the_connection_is_read_to_its_end,
        0, 4);
    tcase_add_loop_test(tcase, trap_4_two_content_lengths_are_refused, 0, 7);
    tcase_add_loop_test(tcase, trap_5_a_truncated_reply_is_a_lost_connection, 0,
                        6);
    tcase_add_loop_test(tcase, trap_5_a_body_in_an_unwanted_coding_is_refused,
                        0, 5);
    RIG_TEST(trap_6_chunk_extensions_are_refused);
    tcase_add_loop_test(tcase, trap_6_chunks_that_are_none_are_refused, 0, 3);
    tcase_add_loop_test(tcase, trap_14_a_body_over_the_limit_is_refused, 0, 4);
    tcase_add_loop_test(tcase, trap_14_a_head_over_a_limit_is_refused, 0, 4);
}

int
main(void)
{
    Suite *suite = suite_create("framing");
    TCase *tcase = tcase_create("framing");
    SRunner *runner;
    int failed;

    tcase_set_timeout(tcase, 60);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    add_tests(tcase);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
