/* SPDX-License-Identifier: Apache-2.0 */
/* What evhttp does not do for us, one test or more for each trap of
 * docs/faults.md, by its number. */
#include <event2/bufferevent.h>
#include <event2/bufferevent_struct.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "net/http_conn.h"
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

START_TEST(trap_7_each_kind_of_ending_is_told_exactly_once)
{
    struct rig_call call;

    ask(&call, HELLO);
    ck_assert_uint_eq(call.n_ended, 1);
    rig_call_fini(&call);
    ask(&call, OK "no colon here\r\n\r\n");
    ck_assert_int_eq(call.code, VECWIRE_EPROTO);
    rig_call_fini(&call);
    ask(&call, "SMTP ready\r\n");
    ck_assert_int_eq(call.code, VECWIRE_EPROTO);
    rig_call_fini(&call);
}
END_TEST

START_TEST(trap_7_a_connection_closed_without_a_word_is_told_exactly_once)
{
    static const struct fault_step closing[] = {{FAULT_READ, NULL, 0},
                                                {FAULT_END, NULL, 0}};
    static const struct fault_step resetting[] = {{FAULT_READ, NULL, 0},
                                                  {FAULT_RESET, NULL, 0}};
    struct net_rig rig;
    struct rig_call call;

    rig_init(&rig, "127.0.0.1", _i == 0 ? closing : resetting);
    rig_call_init(&call, &rig);
    rig_do(&call);
    rig_turn(&rig);
    ck_assert_str_eq(call.log, "sending waiting lost ");
    ck_assert_int_eq(call.code, VECWIRE_EIO);
    ck_assert(call.sent_any && !call.reply_seen);
    rig_fini(&rig);
}
END_TEST

static const struct fault_step silent[] = {{FAULT_READ, NULL, 0},
                                           {FAULT_STALL, NULL, 0}};

START_TEST(trap_7_and_8_a_refused_connection_is_told_once_and_from_the_loop)
{
    struct net_rig rig;
    struct rig_call call;

    rig_init(&rig, "127.0.0.1", silent);
    fault_server_stop_listening(rig.server);
    rig_call_init(&call, &rig);
    rig_do(&call); /* fails when an upcall runs inside send */
    rig_turn(&rig);
    ck_assert_str_eq(call.log, "lost ");
    ck_assert_int_eq(call.code, VECWIRE_EREFUSED);
    ck_assert(!call.sent_any && !call.reply_seen);
    ck_assert_ptr_nonnull(strstr(call.detail, "127.0.0.1"));
    rig_fini(&rig);
}
END_TEST

/* 0.0.0.0/8 and multicast: connect() itself fails. */
START_TEST(trap_8_a_connect_that_fails_at_once_is_told_from_the_loop)
{
    struct net_rig rig;
    struct rig_call call;

    rig_init(&rig, "224.0.0.1", silent);
    rig_call_init(&call, &rig);
    rig_do(&call);
    ck_assert_str_eq(call.log, "lost ");
    ck_assert_int_eq(call.code, VECWIRE_EREFUSED);
    rig_fini(&rig);
}
END_TEST

START_TEST(trap_9_freeing_with_a_request_pending_closes_without_upcalls)
{
    struct net_rig rig;
    struct rig_call call;
    size_t before;

    rig_init(&rig, "127.0.0.1", silent);
    rig_call_init(&call, &rig);
    before = rig_descriptors();
    rig_send(&call);
    while (fault_server_requests(rig.server) == 0)
        event_base_loop(rig.base, EVLOOP_ONCE);
    rig_free_net(&rig);
    ck_assert_uint_eq(call.n_lost + call.n_ended, 0);
    rig_turn(&rig);
    ck_assert_uint_eq(call.n_lost + call.n_ended, 0);
    fault_server_free(rig.server);
    rig.server = NULL;
    /* epoll's own descriptor and the listener are as they were */
    ck_assert_uint_le(rig_descriptors(), before);
    rig_fini(&rig);
}
END_TEST

START_TEST(trap_10_and_18_no_clock_of_evhttp_runs_on_a_connection)
{
    static const struct fault_step script[] = {
        {FAULT_READ, NULL, 0}, {FAULT_SEND, HELLO, 0}, {FAULT_AGAIN, NULL, 0}};
    struct net_rig rig;
    struct rig_call call;

    rig_init(&rig, "127.0.0.1", script);
    rig_call_init(&call, &rig);
    for (int i = 0; i < 3; i++) {
        struct bufferevent *bev;

        rig_do(&call);
        bev = vecwire__http_of(call.conn)->bev;
        ck_assert_int_eq(bev->timeout_read.tv_sec, 0);
        ck_assert_int_eq(bev->timeout_write.tv_sec, 0);
    }
    rig_call_fini(&call);
    rig_fini(&rig);
}
END_TEST

START_TEST(trap_10_a_reply_may_come_byte_by_byte)
{
    static const struct fault_step script[] = {
        {FAULT_READ, NULL, 0}, {FAULT_DRIP, HELLO, 1}, {FAULT_STALL, NULL, 0}};
    struct net_rig rig;
    struct rig_call call;

    rig_init(&rig, "127.0.0.1", script);
    rig_call_init(&call, &rig);
    rig_do(&call);
    ck_assert_str_eq(call.log, "sending waiting receiving 200 body end ");
    ck_assert_str_eq(call.body, "hello");
    ck_assert_uint_eq(call.n_body, 5);
    rig_call_fini(&call);
    rig_fini(&rig);
}
END_TEST

#define BAD "HTTP/1.1 400 Bad Request\r\nContent-Length: 9\r\n\r\n{\"no\":42}"

static const struct fault_step early[][5] = {
    /* stays open and reads nothing more */
    {{FAULT_READ_HEAD, NULL, 0}, {FAULT_SEND, BAD, 0}, {FAULT_STALL, NULL, 0}},
    /* closes its side and reads the rest */
    {{FAULT_READ_HEAD, NULL, 0},
     {FAULT_SEND, BAD, 0},
     {FAULT_HALF_CLOSE, NULL, 0},
     {FAULT_DISCARD, NULL, 0}},
    /* closes with unread bytes: RST */
    {{FAULT_READ_HEAD, NULL, 0}, {FAULT_SEND, BAD, 0}, {FAULT_END, NULL, 0}},
    /* reads all, then answers */
    {{FAULT_READ, NULL, 0}, {FAULT_SEND, BAD, 0}, {FAULT_STALL, NULL, 0}},
    /* answers at once and reads all */
    {{FAULT_READ_HEAD, NULL, 0},
     {FAULT_SEND, BAD, 0},
     {FAULT_DISCARD, NULL, 0}}};

static void
upload(struct rig_call *call, struct net_rig *rig, const char *body, size_t n)
{
    rig_call_init(call, rig);
    call->req.method = VECWIRE__PUT;
    call->req.body = body;
    call->req.body_len = n;
    rig_do(call);
}

START_TEST(trap_11_and_12_an_early_answer_to_a_large_upload_is_heard)
{
    struct net_rig rig;
    struct rig_call call;
    char *body = calloc(40, MIB);

    ck_assert_ptr_nonnull(body);
    rig_init(&rig, "127.0.0.1", early[_i]);
    upload(&call, &rig, body, 40 * MIB);
    ck_assert_uint_eq(call.n_ended, 1);
    ck_assert_uint_eq(call.status, 400);
    ck_assert_str_eq(call.body, "{\"no\":42}");
    ck_assert(call.reusable == (_i == 3));
    /* no phase comes back behind a later one */
    ck_assert_ptr_nonnull(strstr(call.log, "receiving 400 body end "));
    rig_call_fini(&call);
    rig_fini(&rig);
    free(body);
}
END_TEST

START_TEST(trap_11_a_peer_that_resets_in_an_upload_is_a_lost_connection)
{
    static const struct fault_step script[] = {{FAULT_READ_HEAD, NULL, 0},
                                               {FAULT_RESET, NULL, 0}};
    struct net_rig rig;
    struct rig_call call;
    char *body = calloc(40, MIB);

    ck_assert_ptr_nonnull(body);
    rig_init(&rig, "127.0.0.1", script);
    upload(&call, &rig, body, 40 * MIB);
    ck_assert_uint_eq(call.n_lost, 1);
    ck_assert_int_eq(call.code, VECWIRE_EIO);
    ck_assert(call.sent_any && !call.reply_seen);
    rig_fini(&rig);
    free(body);
}
END_TEST

static void
send_again(struct rig_call *call)
{
    call->reusable = false;
    rig_send(call);
}

START_TEST(trap_13_a_close_behind_the_answer_loses_the_next_request_once)
{
    static const struct fault_step script[] = {
        {FAULT_READ, NULL, 0}, {FAULT_SEND, HELLO, 0}, {FAULT_END, NULL, 0}};
    struct net_rig rig;
    struct rig_call call;

    rig_init(&rig, "127.0.0.1", script);
    rig_call_init(&call, &rig);
    call.act_at = RIG_END;
    call.act = send_again;
    rig_do(&call);
    ck_assert_uint_eq(call.n_lost, 1);
    ck_assert_int_eq(call.code, VECWIRE_EIO);
    ck_assert(call.conn->used && !call.reply_seen);
    /* evhttp has not connected anew behind our back */
    ck_assert_uint_eq(fault_server_connections(rig.server), 1);
    rig_call_fini(&call);
    rig_fini(&rig);
}
END_TEST

static struct rig_call *idle_one;

static void
send_on_the_idle_one(struct rig_call *call)
{
    (void)call;
    rig_send(idle_one);
}

/* The idle connection is closed, and the other one answered, in one pass:
 * the completion sends before the loss is told. */
START_TEST(trap_13_evhttp_does_not_connect_anew_by_itself)
{
    static const struct fault_step closing[] = {{FAULT_READ, NULL, 0},
                                                {FAULT_SEND, HELLO, 0},
                                                {FAULT_GATE, NULL, 0},
                                                {FAULT_END, NULL, 0}};
    static const struct fault_step answering[] = {{FAULT_READ, NULL, 0},
                                                  {FAULT_GATE, NULL, 0},
                                                  {FAULT_SEND, HELLO, 0},
                                                  {FAULT_STALL, NULL, 0}};
    static const struct fault_step *const scripts[] = {closing, answering};
    struct net_rig rig;
    struct rig_call idle, busy;

    rig_init_scripts(&rig, "127.0.0.1", "127.0.0.1", scripts, 2);
    rig_call_init(&idle, &rig);
    rig_call_init(&busy, &rig);
    rig_do(&idle);
    idle_one = &idle;
    busy.act_at = RIG_END;
    busy.act = send_on_the_idle_one;
    rig_send(&busy);
    while (fault_server_requests(rig.server) < 2)
        event_base_loop(rig.base, EVLOOP_ONCE);
    fault_server_open_gate(rig.server);
    rig_run(&rig);
    rig_turn(&rig);
    ck_assert_str_eq(idle.log, "lost ");
    ck_assert_int_eq(idle.code, VECWIRE_EIO);
    ck_assert(!idle.sent_any && !idle.reply_seen && idle.conn->used);
    ck_assert_uint_eq(fault_server_connections(rig.server), 2);
    rig_call_fini(&idle);
    rig_call_fini(&busy);
    rig_fini(&rig);
}
END_TEST

/* The length that a request went out with, "" without. */
static void
expect_length(enum vecwire__method method, const char *body, const char *want)
{
    static const struct fault_step script[] = {
        {FAULT_READ_HEAD, NULL, 0}, {FAULT_SEND, HELLO, 0}, {FAULT_END, 0, 0}};
    struct net_rig rig;
    struct rig_call call;
    const char *line;

    rig_init(&rig, "127.0.0.1", script);
    rig_call_init(&call, &rig);
    call.req.method = method;
    call.req.body = body;
    call.req.body_len = body == NULL ? 0 : strlen(body);
    rig_do(&call);
    line = strstr(fault_server_request(rig.server), "\r\nContent-Length: ");
    ck_assert((line == NULL) == (want == NULL));
    if (want != NULL)
        ck_assert_int_eq(strncmp(line + 18, want, strlen(want)), 0);
    rig_call_fini(&call);
    rig_fini(&rig);
}

START_TEST(trap_17_every_body_goes_out_with_its_length)
{
    static const enum vecwire__method methods[] = {VECWIRE__GET, VECWIRE__POST,
                                                   VECWIRE__PUT, VECWIRE__PATCH,
                                                   VECWIRE__DELETE};

    expect_length(methods[_i], "{\"a\":[1]}", "9\r\n");
    expect_length(methods[_i], "", "0\r\n");
}
END_TEST

START_TEST(trap_17_no_body_is_length_0_only_where_a_body_is_usual)
{
    expect_length(VECWIRE__POST, NULL, "0\r\n");
    expect_length(VECWIRE__PUT, NULL, "0\r\n");
    expect_length(VECWIRE__PATCH, NULL, "0\r\n");
    expect_length(VECWIRE__GET, NULL, NULL);
    expect_length(VECWIRE__HEAD, NULL, NULL);
    expect_length(VECWIRE__DELETE, NULL, NULL);
    expect_length(VECWIRE__OPTIONS, NULL, NULL);
}
END_TEST

#ifndef NDEBUG
START_TEST(trap_19_a_path_with_a_line_end_never_reaches_the_wire)
{
    struct net_rig rig;
    struct rig_call call;

    rig_init(&rig, "127.0.0.1", silent);
    rig_call_init(&call, &rig);
    call.req.path = "/x\r\nEvil: 1";
    rig_send(&call);
}
END_TEST
#endif

START_TEST(trap_22_freeing_outside_the_loop_closes_the_descriptors)
{
    static const struct fault_step script[] = {
        {FAULT_READ, NULL, 0}, {FAULT_SEND, HELLO, 0}, {FAULT_STALL, NULL, 0}};
    struct net_rig rig;
    struct rig_call call;
    size_t before, with;

    rig_init(&rig, "127.0.0.1", script);
    rig_call_init(&call, &rig);
    rig_do(&call);
    with = rig_descriptors();
    rig_close(&call);
    before = rig_descriptors();
    ck_assert_uint_eq(before + 1, with);
    rig_call_fini(&call);
    rig_fini(&rig);
}
END_TEST

/* libevent casts what it may still read to int: a limit that shrank with
 * every reply would read as the end of the stream after 4 GB. */
START_TEST(the_limit_that_stops_evhttp_from_writing_leaves_reading_alone)
{
    static const struct fault_step script[] = {
        {FAULT_READ, NULL, 0}, {FAULT_SEND, HELLO, 0}, {FAULT_AGAIN, NULL, 0}};
    struct net_rig rig;
    struct rig_call call;

    rig_init(&rig, "127.0.0.1", script);
    rig_call_init(&call, &rig);
    for (int i = 0; i < 5; i++) {
        rig_do(&call);
        ck_assert_int_eq(
            bufferevent_get_read_limit(vecwire__http_of(call.conn)->bev),
            INT_MAX);
        ck_assert_int_lt(
            bufferevent_get_write_limit(vecwire__http_of(call.conn)->bev), 0);
    }
    rig_call_fini(&call);
    rig_fini(&rig);
}
END_TEST

START_TEST(a_program_that_the_host_starts_does_not_get_the_descriptor)
{
    static const struct fault_step script[] = {
        {FAULT_READ, NULL, 0}, {FAULT_SEND, HELLO, 0}, {FAULT_AGAIN, NULL, 0}};
    struct net_rig rig;
    struct rig_call call;
    int fd;

    rig_init(&rig, "127.0.0.1", script);
    rig_call_init(&call, &rig);
    rig_do(&call);
    fd = bufferevent_getfd(vecwire__http_of(call.conn)->bev);
    ck_assert_int_ne(fcntl(fd, F_GETFD) & FD_CLOEXEC, 0);
    rig_call_fini(&call);
    rig_fini(&rig);
}
END_TEST

static void
add_tests(TCase *tcase)
{
    RIG_TEST(trap_7_each_kind_of_ending_is_told_exactly_once);
    tcase_add_loop_test(
        tcase, trap_7_a_connection_closed_without_a_word_is_told_exactly_once,
        0, 2);
    RIG_TEST(trap_7_and_8_a_refused_connection_is_told_once_and_from_the_loop);
    RIG_TEST(trap_8_a_connect_that_fails_at_once_is_told_from_the_loop);
    RIG_TEST(trap_9_freeing_with_a_request_pending_closes_without_upcalls);
    RIG_TEST(trap_10_and_18_no_clock_of_evhttp_runs_on_a_connection);
    RIG_TEST(trap_10_a_reply_may_come_byte_by_byte);
    tcase_add_loop_test(
        tcase, trap_11_and_12_an_early_answer_to_a_large_upload_is_heard, 0, 5);
    RIG_TEST(trap_11_a_peer_that_resets_in_an_upload_is_a_lost_connection);
    tcase_add_loop_test(tcase, trap_17_every_body_goes_out_with_its_length, 0,
                        5);
    RIG_TEST(trap_17_no_body_is_length_0_only_where_a_body_is_usual);
    RIG_TEST(trap_22_freeing_outside_the_loop_closes_the_descriptors);
    RIG_TEST(a_program_that_the_host_starts_does_not_get_the_descriptor);
    /* What libevent itself reads it does not over TLS. */
    if (rig_over_tls())
        return;
    RIG_TEST(trap_13_evhttp_does_not_connect_anew_by_itself);
    RIG_TEST(trap_13_a_close_behind_the_answer_loses_the_next_request_once);
    RIG_TEST(the_limit_that_stops_evhttp_from_writing_leaves_reading_alone);
}

int
main(void)
{
    Suite *suite = suite_create("traps");
    TCase *tcase = tcase_create("traps");
    SRunner *runner;
    int failed;

    tcase_set_timeout(tcase, 60);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    add_tests(tcase);
#ifndef NDEBUG
    /* It dies: only where each test has a process to itself. */
    if (srunner_fork_status(runner) == CK_FORK)
        tcase_add_test_raise_signal(
            tcase, trap_19_a_path_with_a_line_end_never_reaches_the_wire,
            SIGABRT);
#endif
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
