/* SPDX-License-Identifier: Apache-2.0 */
/* The library in a host that has more than one of everything: clients,
 * threads, locales. */
#include <check.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <event2/event.h>
#include <vecwire/vecwire.h>

#include "tests/fault_server.h"
#include "tests/float_sample.h"

#define OK "HTTP/1.1 200 OK\r\n"
#define PONG OK "Content-Length: 4\r\n\r\npong"
#define WAIT_MS 20000

static const struct fault_step keep_alive[] = {
    {FAULT_READ, NULL, 0}, {FAULT_SEND, PONG, 0}, {FAULT_AGAIN, NULL, 0}};
static const struct fault_step gated[] = {{FAULT_READ, NULL, 0},
                                          {FAULT_GATE, NULL, 0},
                                          {FAULT_SEND, PONG, 0},
                                          {FAULT_AGAIN, NULL, 0}};
static const struct fault_step scored[] = {
    {FAULT_READ, NULL, 0},
    {FAULT_SEND,
     OK "Content-Length: 47\r\n\r\n"
        "{\"matches\":[{\"id\":\"a\",\"score\":0.100000001490}]}",
     0},
    {FAULT_AGAIN, NULL, 0}};

/* A base with a server and a client on it, and what came of its calls. */
struct host {
    struct event_base *base;
    struct fault_server *server;
    const struct fault_step *scripts[1];
    struct vecwire_client *clients[2];
    unsigned runs, failed;
    float score;
};

static struct vecwire_client *
connect_to(struct host *host)
{
    struct vecwire_client *client;
    char url[40];

    snprintf(url, sizeof(url), "http://127.0.0.1:%u",
             (unsigned)fault_server_port(host->server));
    ck_assert_int_eq(
        vecwire_client_new(&client, host->base,
                           &VECWIRE_OPTIONS(.url = url, .connections = 2)),
        VECWIRE_OK);
    return client;
}

static void
host_init(struct host *host, const struct fault_step *script)
{
    memset(host, 0, sizeof(*host));
    host->base = vecwire_event_base_new();
    ck_assert_ptr_nonnull(host->base);
    host->scripts[0] = script;
    host->server = fault_server_new(host->base, "127.0.0.1", host->scripts, 1);
    ck_assert_ptr_nonnull(host->server);
    host->clients[0] = connect_to(host);
}

static void
host_fini(struct host *host)
{
    vecwire_client_free(host->clients[0]);
    vecwire_client_free(host->clients[1]);
    fault_server_free(host->server);
    event_base_free(host->base);
}

static void
on_reply(const struct vecwire_reply *reply, void *arg)
{
    struct host *host = arg;

    host->runs++;
    host->failed += vecwire_reply_error(reply) != NULL;
    if (vecwire_reply_count(reply) == 1)
        host->score = vecwire_reply_row(reply, 0)->score;
}

static void
get(struct host *host, struct vecwire_client *client, vecwire_reply_cb cb)
{
    ck_assert_int_eq(
        vecwire_raw(client, &VECWIRE_RAW(.path = "/x"), cb, host, NULL),
        VECWIRE_OK);
}

static void
drain(struct host *host)
{
    ck_assert_int_eq(vecwire_client_drain(host->clients[0], WAIT_MS),
                     VECWIRE_OK);
}

static void
free_both(const struct vecwire_reply *reply, void *arg)
{
    struct host *host = arg;

    on_reply(reply, arg);
    for (size_t i = 0; i < 2; i++) {
        struct vecwire_client *mine = host->clients[i];

        host->clients[i] = NULL;
        vecwire_client_free(mine);
    }
}

START_TEST(clients_of_one_base_may_free_each_other)
{
    struct host host;

    host_init(&host, keep_alive);
    host.clients[1] = connect_to(&host);
    for (size_t i = 0; i < 10; i++)
        get(&host, host.clients[i % 2], free_both);
    while (host.runs == 0)
        event_base_loop(host.base, EVLOOP_ONCE);
    ck_assert_uint_eq(host.runs, 10);
    ck_assert_uint_eq(host.failed, 9);
    host_fini(&host);
}
END_TEST

static enum vecwire_err other_drain;

static void
drain_the_other(const struct vecwire_reply *reply, void *arg)
{
    struct host *host = arg;

    on_reply(reply, arg);
    other_drain = vecwire_client_drain(host->clients[1], 10);
}

START_TEST(a_completion_may_not_drain_another_client_of_its_base)
{
    struct host host;

    host_init(&host, keep_alive);
    host.clients[1] = connect_to(&host);
    get(&host, host.clients[1], on_reply);
    get(&host, host.clients[0], drain_the_other);
    drain(&host);
    ck_assert_int_eq(other_drain, VECWIRE_EBUSY);
    host_fini(&host);
}
END_TEST

static struct host *two;
static int ticks;

/* Each completion of one client has the other make and cancel a call. */
static void
play(const struct vecwire_reply *reply, void *arg)
{
    struct vecwire_client *other = two->clients[arg == &two->clients[0]];
    vecwire_call_id id;

    (void)reply;
    if (ticks > 0 || two->runs++ > 100000)
        return;
    ck_assert_int_eq(vecwire_raw(other, &VECWIRE_RAW(.path = "/"), play,
                                 &two->clients[arg == &two->clients[0]], &id),
                     VECWIRE_OK);
    ck_assert(vecwire_cancel(other, id));
}

static void
tick(evutil_socket_t fd, short what, void *arg)
{
    (void)fd;
    (void)what;
    (void)arg;
    ticks++;
}

START_TEST(two_clients_that_cancel_for_each_other_let_the_loop_go_on)
{
    static const struct timeval soon = {0, 1000};
    struct host host;
    struct event *timer;

    host_init(&host, gated);
    host.clients[1] = connect_to(&host);
    two = &host;
    ticks = 0;
    timer = event_new(host.base, -1, 0, tick, NULL);
    event_add(timer, &soon);
    play(NULL, &host.clients[0]);
    while (ticks == 0 && host.runs <= 100000)
        ck_assert_int_ge(event_base_loop(host.base, EVLOOP_ONCE), 0);
    ck_assert_int_eq(ticks, 1);
    event_free(timer);
    host_fini(&host);
}
END_TEST

START_TEST(a_comma_locale_changes_no_request_and_no_reply)
{
    static const float vector[] = {0.5f, -1.25f, 1e-30f, 16777216.0f};
    struct host host;

    if (!locale_with_comma()) {
        printf("SKIP a_comma_locale_changes_no_request_and_no_reply: no comma "
               "locale here\n");
        return;
    }
    host_init(&host, scored);
    ck_assert_int_eq(vecwire_query(host.clients[0],
                                   &VECWIRE_QUERY(.vector = vector, .dim = 4,
                                                  .filter = "{\"a\":1.5}"),
                                   on_reply, &host, NULL),
                     VECWIRE_OK);
    drain(&host);
    ck_assert_uint_eq(host.failed, 0);
    ck_assert(host.score == 0.1f);
    ck_assert_ptr_nonnull(strstr(fault_server_request(host.server),
                                 "[0.5,-1.25,1e-30,16777216]"));
    ck_assert_ptr_nonnull(
        strstr(fault_server_request(host.server), "{\"a\":1.5}"));
    host_fini(&host);
}
END_TEST

#define THREADS 4

static void *
live_alone(void *arg)
{
    struct host *host = arg;

    for (int round = 0; round < 50; round++) {
        for (int i = 0; i < 4; i++)
            get(host, host->clients[0], on_reply);
        drain(host);
    }
    vecwire_client_free(host->clients[0]);
    host->clients[0] = connect_to(host);
    get(host, host->clients[0], on_reply);
    drain(host);
    return NULL;
}

START_TEST(four_bases_live_side_by_side_in_four_threads)
{
    struct host hosts[THREADS];
    pthread_t threads[THREADS];

    for (size_t i = 0; i < THREADS; i++)
        host_init(&hosts[i], keep_alive);
    for (size_t i = 0; i < THREADS; i++)
        ck_assert_int_eq(
            pthread_create(&threads[i], NULL, live_alone, &hosts[i]), 0);
    for (size_t i = 0; i < THREADS; i++) {
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
        ck_assert_uint_eq(hosts[i].runs, 201);
        ck_assert_uint_eq(hosts[i].failed, 0);
        host_fini(&hosts[i]);
    }
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("orders of a host");
    TCase *tcase = tcase_create("orders of a host");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, clients_of_one_base_may_free_each_other);
    tcase_add_test(tcase,
                   a_completion_may_not_drain_another_client_of_its_base);
    tcase_add_test(tcase,
                   two_clients_that_cancel_for_each_other_let_the_loop_go_on);
    tcase_add_test(tcase, a_comma_locale_changes_no_request_and_no_reply);
    tcase_add_test(tcase, four_bases_live_side_by_side_in_four_threads);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
