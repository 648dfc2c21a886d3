/* SPDX-License-Identifier: Apache-2.0 */
/* Connections in ordinary use. */
#include <stdlib.h>
#include <string.h>

#include "tests/net_rig.h"

#define OK "HTTP/1.1 200 OK\r\n"
#define HELLO OK "Content-Length: 5\r\n\r\nhello"
#define MIB ((size_t)1 << 20)

static const struct fault_step keep_alive[] = {
    {FAULT_READ, NULL, 0}, {FAULT_SEND, HELLO, 0}, {FAULT_AGAIN, NULL, 0}};

/* One reply; then the connection stays open. */
static void
ask(struct net_rig *rig, struct rig_call *call, const struct fault_step *script)
{
    rig_init(rig, "127.0.0.1", script);
    rig_call_init(call, rig);
    rig_do(call);
}

static void
done(struct net_rig *rig, struct rig_call *call)
{
    rig_call_fini(call);
    rig_fini(rig);
}

START_TEST(a_request_is_answered)
{
    struct net_rig rig;
    struct rig_call call;

    ask(&rig, &call, keep_alive);
    ck_assert_str_eq(call.log, "sending waiting receiving 200 body end ");
    ck_assert_str_eq(call.body, "hello");
    ck_assert(call.reusable && call.conn->up && !call.conn->used);
    ck_assert_uint_eq(call.conn->bytes_received, strlen(HELLO));
    ck_assert_uint_eq(call.conn->bytes_sent,
                      strlen(fault_server_request(rig.server)));
    ck_assert(call.conn->connected_ns <= call.conn->sent_ns &&
              call.conn->sent_ns <= call.conn->first_byte_ns);
    done(&rig, &call);
}
END_TEST

START_TEST(a_request_goes_out_as_written_and_with_nothing_else)
{
    static const struct vecwire_header headers[] = {{"X-Key", "secret"},
                                                    {"X-Empty", ""}};
    struct net_rig rig;
    struct rig_call call;
    char want[300];

    rig_init(&rig, "127.0.0.1", keep_alive);
    rig_call_init(&call, &rig);
    call.req = (struct vecwire__request){VECWIRE__PATCH, "/a?b=%20", headers, 2,
                                         "text/plain",   "{\0}",     3};
    rig_do(&call);
    snprintf(want, sizeof(want),
             "PATCH /a?b=%%20 HTTP/1.1\r\nHost: 127.0.0.1:%u\r\n"
             "X-Key: secret\r\nX-Empty: \r\nContent-Type: text/plain\r\n"
             "Content-Length: 3\r\n\r\n{",
             (unsigned)fault_server_port(rig.server));
    ck_assert_str_eq(fault_server_request(rig.server), want);
    done(&rig, &call);
}
END_TEST

/* The first request on a connection. */
static unsigned
cold_wakeups(void)
{
    return rig_over_tls() ? 3 : 2;
}

START_TEST(a_cold_request_costs_two_wakeups_and_a_warm_one_costs_one)
{
    struct net_rig rig;
    struct rig_call call;

    ask(&rig, &call, keep_alive);
    ck_assert_uint_eq(call.wakeups, cold_wakeups());
    for (int i = 0; i < 10; i++) {
        rig_do(&call);
        ck_assert_uint_eq(call.wakeups, 1);
        ck_assert_str_eq(call.log, "receiving 200 body end ");
        ck_assert(call.conn->used);
    }
    ck_assert_uint_eq(fault_server_connections(rig.server), 1);
    done(&rig, &call);
}
END_TEST

static unsigned rounds;

static void
send_five_times(struct rig_call *call)
{
    ck_assert(call->reusable);
    ck_assert_uint_eq(call->wakeups, rounds == 0 ? cold_wakeups() : 1);
    if (++rounds == 5)
        return;
    call->act_at = RIG_END;
    rig_send(call);
}

START_TEST(a_request_sent_in_a_completion_costs_one_wakeup)
{
    struct net_rig rig;
    struct rig_call call;

    rounds = 0;
    rig_init(&rig, "127.0.0.1", keep_alive);
    rig_call_init(&call, &rig);
    call.act_at = RIG_END;
    call.act = send_five_times;
    rig_do(&call);
    ck_assert_uint_eq(rounds, 5);
    ck_assert_uint_eq(fault_server_requests(rig.server), 5);
    done(&rig, &call);
}
END_TEST

static const struct fault_step hundred_kb[] = {
    {FAULT_READ, NULL, 0},
    {FAULT_SEND, OK "Content-Length: 100000\r\n\r\n", 0},
    {FAULT_FILL, NULL, 100000},
    {FAULT_AGAIN, NULL, 0}};

START_TEST(a_reply_of_100_kb_is_read_in_one_wakeup)
{
    struct net_rig rig;
    struct rig_call call;

    ask(&rig, &call, hundred_kb);
    rig_do(&call);
    ck_assert_uint_eq(call.body_len, 100000);
    ck_assert_uint_eq(call.wakeups, 1);
    done(&rig, &call);
}
END_TEST

START_TEST(a_turn_reads_no_more_than_it_may)
{
    struct net_rig rig;
    struct rig_call call;

    rig_init(&rig, "127.0.0.1", hundred_kb);
    rig.config.read_per_turn = 10000;
    rig_reconfigure(&rig);
    rig_call_init(&call, &rig);
    rig_do(&call);
    ck_assert_uint_eq(call.body_len, 100000);
    ck_assert_uint_ge(call.wakeups, 11);
    done(&rig, &call);
}
END_TEST

START_TEST(a_large_reply_is_handed_on_while_it_arrives)
{
    static const struct fault_step script[] = {
        {FAULT_READ, NULL, 0},
        {FAULT_SEND, OK "Content-Length: 8388608\r\n\r\n", 0},
        {FAULT_FILL, NULL, 8 * MIB},
        {FAULT_STALL, NULL, 0}};
    struct net_rig rig;
    struct rig_call call;

    ask(&rig, &call, script);
    ck_assert_uint_eq(call.body_len, 8 * MIB);
    ck_assert_uint_ge(call.n_body, 8);
    ck_assert_ptr_null(memchr(call.body, 'y', call.body_len));
    ck_assert(call.reusable);
    done(&rig, &call);
}
END_TEST

static const char chunked[] =
    OK "Transfer-Encoding: Chunked\r\nX-Test: yes\r\n\r\n"
       "3\r\nhel\r\n2\r\nlo\r\n0\r\nTrailer: 1\r\n\r\n";

START_TEST(chunks_are_put_together_however_they_come)
{
    const struct fault_step script[] = {
        {FAULT_READ, NULL, 0},
        {_i == 0 ? FAULT_SEND : FAULT_DRIP, chunked, (size_t)_i},
        {FAULT_STALL, NULL, 0}};
    struct net_rig rig;
    struct rig_call call;

    ask(&rig, &call, script);
    ck_assert_str_eq(call.body, "hello");
    ck_assert_str_eq(call.header, "yes");
    ck_assert(call.reusable);
    done(&rig, &call);
}
END_TEST

/* method, reply, what the log says at its end, reusable */
static const struct bodiless {
    enum vecwire__method method;
    const char *reply, *log;
    bool reusable;
} bodiless[] = {
    {VECWIRE__HEAD, OK "Content-Length: 999999999\r\n\r\n", "200 end ", true},
    {VECWIRE__HEAD, OK "Transfer-Encoding: chunked\r\n\r\n", "200 end ", true},
    {VECWIRE__HEAD, OK "Connection: keep-alive\r\n\r\n", "200 end ", true},
    {VECWIRE__GET, "HTTP/1.1 204 No Content\r\n\r\n", "204 end ", true},
    {VECWIRE__GET, "HTTP/1.1 304 Not Modified\r\nContent-Length: 7\r\n\r\n",
     "304 end ", true},
    {VECWIRE__POST, OK "Content-Length: 0\r\n\r\n", "200 end ", true},
    {VECWIRE__GET, OK "Content-Length: 0\r\nConnection: Close\r\n\r\n",
     "200 end ", false},
    {VECWIRE__GET, OK "Content-Length: 0\r\nConnection: x, close\r\n\r\n",
     "200 end ", false},
    {VECWIRE__GET,
     "HTTP/1.0 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n",
     "200 end ", false},
};

START_TEST(a_reply_without_a_body_ends_with_its_head)
{
    const struct bodiless *want = &bodiless[_i];
    const struct fault_step script[] = {{FAULT_READ, NULL, 0},
                                        {FAULT_SEND, want->reply, 0},
                                        {FAULT_STALL, NULL, 0}};
    struct net_rig rig;
    struct rig_call call;

    rig_init(&rig, "127.0.0.1", script);
    rig.config.max_reply_bytes = 1000;
    rig_reconfigure(&rig);
    rig_call_init(&call, &rig);
    call.req.method = want->method;
    rig_do(&call);
    ck_assert_ptr_nonnull(strstr(call.log, want->log));
    ck_assert(call.reusable == want->reusable);
    done(&rig, &call);
}
END_TEST

START_TEST(a_large_upload_arrives_whole)
{
    struct net_rig rig;
    struct rig_call call;
    char *body = malloc(8 * MIB);

    ck_assert_ptr_nonnull(body);
    memset(body, 'b', 8 * MIB);
    ask(&rig, &call, keep_alive);
    for (int i = 0; i < 2; i++) {
        call.req.method = VECWIRE__POST;
        call.req.body = body;
        call.req.body_len = 8 * MIB;
        rig_do(&call);
        ck_assert_str_eq(call.log, "sending waiting receiving 200 body end ");
        ck_assert(call.reusable);
        ck_assert_uint_eq(strlen(fault_server_request(rig.server)),
                          call.conn->bytes_sent);
        ck_assert_uint_gt(call.conn->bytes_sent, 8 * MIB);
    }
    done(&rig, &call);
    free(body);
}
END_TEST

START_TEST(an_idle_connection_that_the_server_closes_is_told)
{
    static const struct fault_step script[] = {{FAULT_READ, NULL, 0},
                                               {FAULT_SEND, HELLO, 0},
                                               {FAULT_GATE, NULL, 0},
                                               {FAULT_END, NULL, 0}};
    struct net_rig rig;
    struct rig_call call;

    ask(&rig, &call, script);
    ck_assert(call.reusable && vecwire__net_transport.quiet(call.conn));
    fault_server_open_gate(rig.server);
    rig_run_until(&rig, &call.n_idle_lost);
    ck_assert(!vecwire__net_transport.quiet(call.conn));
    rig_close(&call);
    rig_turn(&rig);
    ck_assert_uint_eq(call.n_idle_lost, 1);
    done(&rig, &call);
}
END_TEST

static const struct fault_step gated[] = {
    {FAULT_READ, NULL, 0}, {FAULT_SEND, OK "Content-Length: 5\r\n", 0},
    {FAULT_GATE, NULL, 0}, {FAULT_SEND, "\r\nhe", 0},
    {FAULT_GATE, NULL, 0}, {FAULT_SEND, "llo", 0},
    {FAULT_GATE, NULL, 0}, {FAULT_END, NULL, 0}};

START_TEST(the_first_byte_is_told_before_the_head_is_whole)
{
    struct net_rig rig;
    struct rig_call call;

    rig_init(&rig, "127.0.0.1", gated);
    rig_call_init(&call, &rig);
    rig_send(&call);
    while (call.conn->first_byte_ns == 0)
        event_base_loop(rig.base, EVLOOP_ONCE);
    ck_assert_str_eq(call.log, "sending waiting receiving ");
    fault_server_open_gate(rig.server);
    while (call.body_len == 0)
        event_base_loop(rig.base, EVLOOP_ONCE);
    fault_server_open_gate(rig.server);
    rig_run(&rig);
    ck_assert_str_eq(call.log, "sending waiting receiving 200 body end ");
    done(&rig, &call);
}
END_TEST

/* An allocator whose n-th request fails, n counted down. */
static size_t until_failure;

static void *
failing_alloc(size_t size, void *ctx)
{
    (void)ctx;
    return until_failure != 0 && --until_failure == 0 ? NULL : malloc(size);
}

static void *
failing_realloc(void *block, size_t old_size, size_t size, void *ctx)
{
    (void)old_size;
    (void)ctx;
    return until_failure != 0 && --until_failure == 0 ? NULL
                                                      : realloc(block, size);
}

static void
plain_free(void *block, size_t size, void *ctx)
{
    (void)size;
    (void)ctx;
    free(block);
}

/* A request with the n-th allocation failing. True: none failed. */
static bool
ask_without_memory(struct net_rig *rig, size_t n)
{
    struct rig_call call;
    bool sent = false;

    until_failure = n;
    if (vecwire__net_new(&rig->net, &rig->config) != VECWIRE_OK) {
        ck_assert_ptr_null(rig->net);
        return false;
    }
    rig_call_init(&call, rig);
    call.conn = vecwire__net_transport.open(rig->net);
    if (call.conn != NULL) {
        call.conn->lease = &call;
        sent = vecwire__net_transport.send(call.conn, &call.req) == VECWIRE_OK;
    }
    if (sent) {
        rig->pending++;
        rig_run(rig);
        ck_assert_uint_eq(call.n_ended + call.n_lost, 1);
        ck_assert(call.n_lost == 0 || call.code == VECWIRE_ENOMEM);
    }
    rig_call_fini(&call);
    vecwire__net_free(rig->net);
    rig->net = NULL;
    return until_failure != 0;
}

START_TEST(every_failed_allocation_is_reported)
{
    static const struct vecwire_mem mem = {failing_alloc, failing_realloc,
                                           plain_free, NULL};
    struct net_rig rig;
    size_t n = 1;

    rig_init(&rig, "127.0.0.1", keep_alive);
    vecwire__net_free(rig.net);
    vecwire__timers_fini(&rig.timers);
    rig.config.mem = rig.timers.mem = &mem;
    while (!ask_without_memory(&rig, n))
        n++;
    ck_assert_uint_ge(n, 5);
    until_failure = 0;
    rig.freed = true;
    rig_fini(&rig);
}
END_TEST

static void
add_tests(TCase *tcase)
{
    RIG_TEST(a_request_is_answered);
    RIG_TEST(a_request_goes_out_as_written_and_with_nothing_else);
    RIG_TEST(a_cold_request_costs_two_wakeups_and_a_warm_one_costs_one);
    RIG_TEST(a_request_sent_in_a_completion_costs_one_wakeup);
    RIG_TEST(a_reply_of_100_kb_is_read_in_one_wakeup);
    RIG_TEST(a_turn_reads_no_more_than_it_may);
    RIG_TEST(a_large_reply_is_handed_on_while_it_arrives);
    tcase_add_loop_test(tcase, chunks_are_put_together_however_they_come, 0, 8);
    tcase_add_loop_test(tcase, a_reply_without_a_body_ends_with_its_head, 0,
                        (int)(sizeof(bodiless) / sizeof(bodiless[0])));
    RIG_TEST(a_large_upload_arrives_whole);
    RIG_TEST(an_idle_connection_that_the_server_closes_is_told);
    RIG_TEST(the_first_byte_is_told_before_the_head_is_whole);
    /* It makes nets by hand. */
    if (!rig_over_tls())
        RIG_TEST(every_failed_allocation_is_reported);
}

int
main(void)
{
    Suite *suite = suite_create("net");
    TCase *tcase = tcase_create("net");
    SRunner *runner;
    int failed;

    tcase_set_timeout(tcase, 60);
    add_tests(tcase);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
