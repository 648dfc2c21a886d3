/* SPDX-License-Identifier: Apache-2.0 */
/* Public functions in odd places: every one of them from a completion and
 * from a close callback, with other calls in every state. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <event2/event.h>
#include <jansson.h>
#include <vecwire/vecwire.h>

#include "tests/counting_mem.h"
#include "tests/net_rig.h"

#define OK "HTTP/1.1 200 OK\r\n"
#define PONG OK "Content-Length: 4\r\n\r\npong"
#define WAIT_MS 20000

static const struct fault_step keep_alive[] = {
    {FAULT_READ, NULL, 0}, {FAULT_SEND, PONG, 0}, {FAULT_AGAIN, NULL, 0}};
static const struct fault_step hung[] = {{FAULT_READ, NULL, 0},
                                         {FAULT_STALL, NULL, 0}};
static const struct fault_step half[] = {
    {FAULT_READ, NULL, 0},
    {FAULT_SEND, OK "Content-Length: 4\r\n\r\npo", 0},
    {FAULT_STALL, NULL, 0}};
static const struct fault_step busy[] = {
    {FAULT_READ, NULL, 0},
    {FAULT_SEND,
     "HTTP/1.1 503 Busy\r\nRetry-After: 5\r\nConnection: close\r\n"
     "Content-Length: 0\r\n\r\n",
     0},
    {FAULT_END, NULL, 0}};

/* Where a call stands when another one's callback runs. */
enum state {
    QUEUED,
    SENT,
    RECEIVING,
    RETRY_WAIT,
    CANCELED,
    FINISHED,
    N_STATES
};

static struct event_base *base;
static struct vecwire_loop *loop;
static struct fault_server *server;
static struct counting_mem counting;
static struct vecwire_client *client;
static vecwire_call_id target;
static unsigned target_runs, asker_runs, close_runs;
static enum vecwire_err target_code;
static size_t descriptors;
static bool in_loop;

static void
setup(void)
{
    descriptors = rig_descriptors();
    base = vecwire_event_base_new();
    ck_assert_ptr_nonnull(base);
    ck_assert_int_eq(vecwire_loop_new(&loop, base), VECWIRE_OK);
    counting_mem_init(&counting);
    client = NULL;
    target = 0;
    target_runs = asker_runs = close_runs = 0;
    target_code = VECWIRE_OK;
    in_loop = true;
}

static void
serve(const struct fault_step *const *scripts, size_t n)
{
    server = fault_server_new(base, "127.0.0.1", scripts, n);
    ck_assert_ptr_nonnull(server);
}

static void
connect_to_server(uint32_t connections)
{
    char url[40];

    snprintf(url, sizeof(url), "http://127.0.0.1:%u",
             (unsigned)fault_server_port(server));
    ck_assert_int_eq(
        vecwire_client_new(&client, base,
                           &VECWIRE_OPTIONS(.url = url, .mem = &counting.mem,
                                            .connections = connections,
                                            .loop = loop)),
        VECWIRE_OK);
}

/* Everything must be gone: memory, descriptors. */
static void
finish(void)
{
    vecwire_client_free(client);
    fault_server_free(server);
    event_base_loop(base, EVLOOP_NONBLOCK);
    vecwire_loop_free(loop);
    event_base_free(base);
    ck_assert_uint_eq(counting.blocks, 0);
    ck_assert_uint_eq(rig_descriptors(), descriptors);
}

static void
on_target(const struct vecwire_reply *reply, void *arg)
{
    const struct vecwire_error *error = vecwire_reply_error(reply);

    (void)arg;
    target_runs++;
    target_code = error == NULL ? VECWIRE_OK : error->code;
    ck_assert_uint_eq(vecwire_reply_id(reply), target);
}

static void
on_other(const struct vecwire_reply *reply, void *arg)
{
    (void)reply;
    ++*(unsigned *)arg;
}

static void
keep_it(const struct vecwire_reply *reply, void *arg)
{
    *(const struct vecwire_reply **)arg = vecwire_reply_keep(reply);
}

static vecwire_call_id
get(vecwire_reply_cb cb, void *arg)
{
    vecwire_call_id id = 0;

    ck_assert_int_eq(
        vecwire_raw(client, &VECWIRE_RAW(.path = "/x"), cb, arg, &id),
        VECWIRE_OK);
    ck_assert_uint_ne(id, 0);
    return id;
}

static void
on_closed(struct vecwire_client *which, enum vecwire_err code, void *arg)
{
    (void)code;
    (void)arg;
    ck_assert_ptr_eq(which, client);
    close_runs++;
}

/* Call all that a reply offers. */
static void
read_all(const struct vecwire_reply *reply)
{
    struct vecwire_header header;
    size_t len, n = 0;

    ck_assert_uint_eq(vecwire_reply_count(reply), 0);
    ck_assert_ptr_null(vecwire_reply_row(reply, 0));
    ck_assert_ptr_null(vecwire_reply_row(reply, SIZE_MAX));
    ck_assert_ptr_null(vecwire_reply_payload_tree(reply, 0));
    ck_assert_uint_eq(vecwire_reply_affected(reply), 0);
    ck_assert_uint_eq(strlen(vecwire_reply_body(reply, &len)), len);
    while (vecwire_reply_header_at(reply, n, &header))
        n++;
    ck_assert(!vecwire_reply_header_at(reply, SIZE_MAX, &header));
    ck_assert_ptr_null(vecwire_reply_header(reply, "no-such"));
    ck_assert_ptr_nonnull(vecwire_reply_peer(reply));
    ck_assert_ptr_nonnull(vecwire_reply_timing(reply));
    (void)vecwire_reply_status(reply);
    (void)vecwire_reply_attempts(reply);
    (void)vecwire_reply_wakeups(reply);
    (void)vecwire_reply_loop_iterations(reply);
    vecwire_reply_release(vecwire_reply_keep(reply));
}

/* The counters add up in the middle of everything. */
static void
check_sum(void)
{
    const struct vecwire_stats *s = vecwire_client_stats(client);

    ck_assert_uint_eq(s->calls_started, s->calls_completed + s->calls_waiting +
                                            s->calls_active +
                                            s->calls_retrying);
}

/* All functions that leave the client alive. */
static void
call_everything(void)
{
    const float vector[] = {1, 2};
    const char *ids[] = {"a"};
    static unsigned ignored;
    unsigned before = ignored;
    bool more = true;

    check_sum();
    ck_assert_int_eq(vecwire_client_drain(client, 5), VECWIRE_EBUSY);
    if (in_loop) {
        ck_assert_int_eq(vecwire_loop_run(loop), VECWIRE_EBUSY);
        ck_assert_int_eq(vecwire_loop_step(loop, &more), VECWIRE_EBUSY);
        ck_assert_uint_ge(vecwire_loop_iterations(loop), 1);
    }
    (void)!vecwire_query(client, &VECWIRE_QUERY(.vector = vector, .dim = 2),
                         NULL, NULL, NULL);
    (void)!vecwire_upsert(
        client,
        &VECWIRE_UPSERT(.matrix = vector, .rows = 1, .dim = 2, .ids = ids),
        NULL, NULL, NULL);
    (void)!vecwire_delete(client, &VECWIRE_DELETE(.ids = ids, .rows = 1), NULL,
                          NULL, NULL);
    (void)!vecwire_raw(client, &VECWIRE_RAW(.path = "/y"), on_other, &ignored,
                       NULL);
    ck_assert(!vecwire_cancel(client, 0));
    ck_assert(!vecwire_cancel(client, UINT64_MAX));
    ck_assert_str_eq(vecwire_version(), VECWIRE_VERSION);
    check_sum();
    ck_assert_uint_eq(ignored, before);
}

enum deed {
    EVERYTHING,
    CANCEL,
    CLOSE_AT_ONCE,
    CLOSE_LATER,
    FREE,
    BREAK,
    N_DEEDS
};

static void
act(enum deed deed, bool closed)
{
    struct vecwire_client *mine = client;
    unsigned runs = target_runs;

    call_everything();
    switch (deed) {
    case CANCEL:
        (void)vecwire_cancel(client, target);
        ck_assert(!vecwire_cancel(client, target));
        ck_assert_uint_eq(target_runs, runs);
        break;
    case CLOSE_AT_ONCE:
    case CLOSE_LATER:
        ck_assert_int_eq(vecwire_client_close(client,
                                              deed == CLOSE_LATER ? 10 : 0,
                                              on_closed, NULL),
                         closed ? VECWIRE_ECLOSED : VECWIRE_OK);
        ck_assert_int_eq(vecwire_client_close(client, 0, NULL, NULL),
                         VECWIRE_ECLOSED);
        ck_assert_uint_eq(target_runs, runs);
        break;
    case FREE:
        vecwire_client_free(mine);
        client = NULL;
        ck_assert_uint_eq(target_runs, 1);
        break;
    case BREAK:
        event_base_loopbreak(base);
        break;
    default:
        break;
    }
}

static void
on_asker(const struct vecwire_reply *reply, void *arg)
{
    asker_runs++;
    read_all(reply);
    act(*(enum deed *)arg, false);
    read_all(reply);
}

/* Bring `target` into the state; the script of its connection is the first,
 * unless it shall wait for one. */
static void
bring_to(enum state state, enum deed *deed)
{
    static const struct fault_step *const scripts[N_STATES][2] = {
        [QUEUED] = {keep_alive, keep_alive}, [SENT] = {hung, keep_alive},
        [RECEIVING] = {half, keep_alive},    [RETRY_WAIT] = {busy, keep_alive},
        [CANCELED] = {hung, keep_alive},     [FINISHED] = {keep_alive, hung}};
    unsigned enough = 0;

    serve(scripts[state], 2);
    connect_to_server(state == QUEUED ? 1 : 3);
    if (state == QUEUED)
        get(on_asker, deed);
    target = get(on_target, NULL);
    if (state == CANCELED)
        ck_assert(vecwire_cancel(client, target));
    if (state == FINISHED)
        ck_assert_int_eq(vecwire_client_drain(client, WAIT_MS), VECWIRE_OK);
    while ((state == SENT && fault_server_requests(server) == 0) ||
           (state == RECEIVING &&
            vecwire_client_stats(client)->connections_open == 0) ||
           (state == RETRY_WAIT &&
            vecwire_client_stats(client)->calls_retrying == 0))
        ck_assert_int_eq(vecwire_loop_step(loop, NULL), VECWIRE_OK);
    for (; state == RECEIVING && enough < 4; enough++)
        event_base_loop(base, EVLOOP_NONBLOCK);
    if (state != QUEUED)
        get(on_asker, deed);
}

static void
run_out(void)
{
    while (client != NULL && asker_runs == 0)
        ck_assert_int_eq(vecwire_loop_step(loop, NULL), VECWIRE_OK);
    for (int i = 0; i < 5; i++)
        event_base_loop(base, EVLOOP_NONBLOCK);
    vecwire_client_free(client);
    client = NULL;
}

START_TEST(every_function_may_be_called_from_a_completion)
{
    enum deed deed = (enum deed)(_i % N_DEEDS);

    bring_to((enum state)(_i / N_DEEDS), &deed);
    run_out();
    ck_assert_uint_eq(target_runs, 1);
    ck_assert_uint_ge(asker_runs, 1);
    ck_assert_uint_eq(close_runs, deed == CLOSE_AT_ONCE || deed == CLOSE_LATER);
    finish();
}
END_TEST

static void
on_closed_act(struct vecwire_client *which, enum vecwire_err code, void *arg)
{
    ck_assert_ptr_eq(which, client);
    ck_assert(code == VECWIRE_OK || code == VECWIRE_ETIMEDOUT ||
              code == VECWIRE_ECLOSED);
    close_runs++;
    ck_assert_uint_eq(target_runs, 1);
    act(*(enum deed *)arg, true);
}

static void
nothing(const struct vecwire_reply *reply, void *arg)
{
    (void)reply;
    (void)arg;
    asker_runs++;
}

START_TEST(every_function_may_be_called_from_a_close_callback)
{
    static const struct fault_step *const scripts[] = {hung};
    enum deed deed = (enum deed)(_i % N_DEEDS);
    enum vecwire_err err;

    serve(scripts, 1);
    connect_to_server(1);
    target = get(on_target, NULL);
    get(nothing, NULL);
    err = vecwire_client_close(client, _i < N_DEEDS ? 0 : VECWIRE_NEVER,
                               on_closed_act, &deed);
    ck_assert_int_eq(err, VECWIRE_OK);
    if (_i >= N_DEEDS) {
        in_loop = false;
        vecwire_client_free(client);
        client = NULL;
    }
    while (close_runs == 0)
        ck_assert_int_eq(vecwire_loop_step(loop, NULL), VECWIRE_OK);
    run_out();
    ck_assert_uint_eq(close_runs, 1);
    ck_assert_uint_eq(target_runs, 1);
    ck_assert_int_eq(target_code, VECWIRE_ECLOSED);
    finish();
}
END_TEST

START_TEST(a_canceled_call_counts_as_completed_before_its_callback)
{
    static const struct fault_step *const scripts[] = {hung};

    serve(scripts, 1);
    connect_to_server(1);
    target = get(on_target, NULL);
    ck_assert(vecwire_cancel(client, target));
    ck_assert_uint_eq(target_runs, 0);
    ck_assert_uint_eq(vecwire_client_stats(client)->calls_completed, 1);
    ck_assert_uint_eq(vecwire_client_stats(client)->calls_failed, 1);
    ck_assert_int_eq(vecwire_client_drain(client, WAIT_MS), VECWIRE_OK);
    ck_assert_uint_eq(vecwire_client_stats(client)->calls_completed, 1);
    finish();
}
END_TEST

START_TEST(closing_with_no_time_left_opens_no_connection_for_those_who_wait)
{
    static const struct fault_step *const scripts[] = {hung};
    unsigned runs = 0;

    serve(scripts, 1);
    connect_to_server(2);
    for (int i = 0; i < 100; i++)
        get(on_other, &runs);
    while (fault_server_requests(server) < 2)
        event_base_loop(base, EVLOOP_ONCE);
    ck_assert_int_eq(vecwire_client_close(client, 0, on_closed, NULL),
                     VECWIRE_OK);
    ck_assert_int_eq(vecwire_client_drain(client, WAIT_MS), VECWIRE_OK);
    for (int i = 0; i < 5; i++)
        event_base_loop(base, EVLOOP_NONBLOCK);
    ck_assert_uint_eq(runs, 100);
    ck_assert_uint_eq(close_runs, 1);
    ck_assert_uint_eq(fault_server_connections(server), 2);
    finish();
}
END_TEST

START_TEST(deadlines_that_pass_together_open_no_connections_for_each_other)
{
    static const struct fault_step *const scripts[] = {hung};
    unsigned runs = 0;

    serve(scripts, 1);
    connect_to_server(2);
    for (int i = 0; i < 100; i++)
        ck_assert_int_eq(
            vecwire_raw(
                client,
                &VECWIRE_RAW(.path = "/x",
                             .call = &VECWIRE_CALL_OPTIONS(.deadline_ms = 400)),
                on_other, &runs, NULL),
            VECWIRE_OK);
    while (fault_server_requests(server) < 2)
        event_base_loop(base, EVLOOP_ONCE);
    usleep(410000); /* the host is busy: all deadlines pass */
    ck_assert_int_eq(vecwire_client_drain(client, WAIT_MS), VECWIRE_OK);
    for (int i = 0; i < 5; i++)
        event_base_loop(base, EVLOOP_NONBLOCK);
    ck_assert_uint_eq(runs, 100);
    ck_assert_uint_eq(fault_server_connections(server), 2);
    finish();
}
END_TEST

START_TEST(a_warm_calls_timing_is_in_order_too)
{
    static const struct fault_step *const scripts[] = {keep_alive};
    const struct vecwire_timing *t;
    const struct vecwire_reply *replies[2];

    serve(scripts, 1);
    connect_to_server(1);
    for (size_t i = 0; i < 2; i++) {
        get(keep_it, &replies[i]);
        ck_assert_int_eq(vecwire_client_drain(client, WAIT_MS), VECWIRE_OK);
        t = vecwire_reply_timing(replies[i]);
        ck_assert_uint_ge(t->connected_ns, t->queued_ns);
        ck_assert_uint_ge(t->sent_ns, t->connected_ns);
        ck_assert_uint_ge(t->first_byte_ns, t->sent_ns);
        ck_assert_uint_ge(t->decoded_ns, t->first_byte_ns);
        vecwire_reply_release(replies[i]);
    }
    finish();
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("orders");
    TCase *tcase = tcase_create("orders");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, setup, NULL);
    tcase_add_loop_test(tcase, every_function_may_be_called_from_a_completion,
                        0, N_STATES * N_DEEDS);
    tcase_add_loop_test(tcase,
                        every_function_may_be_called_from_a_close_callback, 0,
                        2 * N_DEEDS);
    tcase_add_test(tcase,
                   a_canceled_call_counts_as_completed_before_its_callback);
    tcase_add_test(
        tcase,
        closing_with_no_time_left_opens_no_connection_for_those_who_wait);
    tcase_add_test(
        tcase, deadlines_that_pass_together_open_no_connections_for_each_other);
    tcase_add_test(tcase, a_warm_calls_timing_is_in_order_too);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
