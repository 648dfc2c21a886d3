/* SPDX-License-Identifier: Apache-2.0 */
/* Orders of calls that have gone wrong, or could. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <event2/event.h>
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

static struct event_base *base;
static struct vecwire_loop *loop;
static struct fault_server *server;
static struct counting_mem counting;
static struct vecwire_client *client;
static vecwire_call_id target;
static unsigned target_runs, close_runs;
static size_t descriptors;

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
    target_runs = close_runs = 0;
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
    (void)arg;
    target_runs++;
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
