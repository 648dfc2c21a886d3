/* SPDX-License-Identifier: Apache-2.0 */
/* Callbacks that never stop asking, and answers that nobody asked for. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <event2/event.h>
#include <vecwire/vecwire.h>

#include "tests/counting_mem.h"
#include "tests/fault_server.h"

#define OK "HTTP/1.1 200 OK\r\n"
#define PONG OK "Content-Length: 4\r\n\r\npong"

static const struct fault_step hung[] = {{FAULT_READ, NULL, 0},
                                         {FAULT_STALL, NULL, 0}};
static struct event_base *base, *server_base;
static struct fault_server *server;
static struct vecwire_client *client;
static struct counting_mem counting;
static unsigned runs, failed, last_code;

static void
setup(void)
{
    base = vecwire_event_base_new();
    server_base = vecwire_event_base_new();
    ck_assert(base != NULL && server_base != NULL);
    counting_mem_init(&counting);
    runs = failed = last_code = 0;
}

/* The server is on a base of its own: it goes on while the client's waits. */
static void
serve(const struct fault_step *script, struct event_base *where)
{
    static const struct fault_step *scripts[1];

    scripts[0] = script;
    server = fault_server_new(where, "127.0.0.1", scripts, 1);
    ck_assert_ptr_nonnull(server);
}

static struct vecwire_client *
connect_with(struct vecwire_options options)
{
    struct vecwire_client *made;
    char url[40];

    snprintf(url, sizeof(url), "http://127.0.0.1:%u",
             (unsigned)fault_server_port(server));
    options.url = url;
    options.mem = &counting.mem;
    ck_assert_int_eq(vecwire_client_new(&made, base, &options), VECWIRE_OK);
    return made;
}

static void
teardown(void)
{
    vecwire_client_free(client);
    client = NULL;
    fault_server_free(server);
    event_base_free(base);
    event_base_free(server_base);
    ck_assert_uint_eq(counting.blocks, 0);
}

static void
on_reply(const struct vecwire_reply *reply, void *arg)
{
    const struct vecwire_error *error = vecwire_reply_error(reply);

    (void)arg;
    runs++;
    failed += error != NULL;
    last_code = error == NULL ? VECWIRE_OK : (unsigned)error->code;
}

static enum vecwire_err
get(uint32_t deadline_ms, vecwire_reply_cb cb)
{
    return vecwire_raw(
        client,
        &VECWIRE_RAW(.path = "/x",
                     .call = &VECWIRE_CALL_OPTIONS(.deadline_ms = deadline_ms)),
        cb, NULL, NULL);
}

/* Both bases, until `done` calls have completed. */
static void
run_both(unsigned done)
{
    for (int i = 0; i < 5000 && runs < done; i++) {
        event_base_loop(server_base, EVLOOP_NONBLOCK);
        event_base_loop(base, EVLOOP_NONBLOCK);
        if (i > 100)
            usleep(1000);
    }
    ck_assert_uint_eq(runs, done);
}

/* --- crowds --- */

static void
ask_again(const struct vecwire_reply *reply, void *arg)
{
    vecwire_call_id id;

    on_reply(reply, arg);
    if (vecwire_raw(client, &VECWIRE_RAW(.path = "/x"), ask_again, arg, &id) ==
        VECWIRE_OK)
        ck_assert(vecwire_cancel(client, id));
}

static void
on_tick(evutil_socket_t fd, short what, void *arg)
{
    (void)fd;
    (void)what;
    ++*(unsigned *)arg;
}

START_TEST(a_callback_that_asks_and_cancels_for_ever_lets_the_loop_go_on)
{
    const struct timeval soon = {0, 1000};
    unsigned ticks = 0;
    vecwire_call_id id;
    struct event *tick;

    serve(hung, base);
    client = connect_with(VECWIRE_OPTIONS(.connections = 1));
    tick = event_new(base, -1, EV_PERSIST, on_tick, &ticks);
    event_add(tick, &soon);
    ck_assert_int_eq(
        vecwire_raw(client, &VECWIRE_RAW(.path = "/x"), ask_again, NULL, &id),
        VECWIRE_OK);
    ck_assert(vecwire_cancel(client, id));
    while (ticks < 3)
        event_base_loop(base, EVLOOP_ONCE);
    ck_assert_uint_ge(runs, 3);
    event_free(tick);
}
END_TEST

static void
ask_when_refused(const struct vecwire_reply *reply, void *arg)
{
    on_reply(reply, arg);
    if (vecwire_client_stats(client)->calls_started < 1000000)
        (void)!vecwire_raw(
            client,
            &VECWIRE_RAW(.path = "/x",
                         .call = &VECWIRE_CALL_OPTIONS(.no_retry = true)),
            ask_when_refused, arg, NULL);
}

START_TEST(a_callback_that_asks_again_when_nobody_listens_lets_the_loop_go_on)
{
    const struct timeval soon = {0, 1000};
    unsigned ticks = 0;
    struct event *tick;

    serve(hung, base);
    client = connect_with(VECWIRE_OPTIONS(.connections = 1, .no_retry = true));
    fault_server_stop_listening(server);
    tick = event_new(base, -1, EV_PERSIST, on_tick, &ticks);
    event_add(tick, &soon);
    ck_assert_int_eq(get(0, ask_when_refused), VECWIRE_OK);
    while (ticks < 3)
        event_base_loop(base, EVLOOP_ONCE);
    ck_assert_uint_eq(last_code, VECWIRE_EREFUSED);
    ck_assert_uint_eq(runs, failed);
    event_free(tick);
}
END_TEST

/* --- an answer that nobody asked for --- */

static const char *body;

static void
keep_body(const struct vecwire_reply *reply, void *arg)
{
    static char copy[64];

    on_reply(reply, arg);
    snprintf(copy, sizeof(copy), "%s", vecwire_reply_body(reply, NULL));
    body = copy;
}

/* The reply fills the turn to its last byte; what follows is still in the
 * socket when the reply is whole. */
START_TEST(what_follows_a_reply_is_not_the_next_calls_answer)
{
    enum { TURN = 8192 };
    static const char head[] = OK "Content-Length: 8100\r\nX-Pad: ";
    static const char stray[] = OK "Content-Length: 5\r\n\r\nstray";
    static char text[TURN + sizeof(stray)];
    static const struct fault_step script[] = {{FAULT_READ, NULL, 0},
                                               {FAULT_SEND, text, 0},
                                               {FAULT_READ, NULL, 0},
                                               {FAULT_SEND, PONG, 0},
                                               {FAULT_STALL, NULL, 0}};
    size_t pad = TURN - 8100 - 4 - strlen(head);

    memset(text, 'x', TURN);
    memcpy(text, head, strlen(head));
    memcpy(text + strlen(head) + pad, "\r\n\r\n", 4);
    memcpy(text + TURN, stray, sizeof(stray));
    serve(script, server_base);
    client =
        connect_with(VECWIRE_OPTIONS(.connections = 1,
                                     .read_per_turn = _i == 0 ? TURN : 4096));
    ck_assert_int_eq(get(0, on_reply), VECWIRE_OK);
    ck_assert_int_eq(get(0, keep_body), VECWIRE_OK);
    run_both(2);
    ck_assert_str_ne(body, "stray");
}
END_TEST

/* --- what an earlier attempt left --- */

static void
note_decoded(const struct vecwire_reply *reply, void *arg)
{
    *(uint64_t *)arg = vecwire_reply_timing(reply)->decoded_ns;
    on_reply(reply, NULL);
}

START_TEST(a_lost_reply_has_no_time_of_an_earlier_ones_end)
{
    static const struct fault_step script[] = {
        {FAULT_READ, NULL, 0},
        {FAULT_SEND,
         "HTTP/1.1 503 Busy\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n", 0},
        {FAULT_READ, NULL, 0},
        {FAULT_SEND, OK "Content-Length: 9\r\n\r\nhalf", 0},
        {FAULT_END, NULL, 0}};
    uint64_t decoded_ns = 1;

    serve(script, server_base);
    client = connect_with(VECWIRE_OPTIONS(.connections = 1));
    ck_assert_int_eq(vecwire_raw(client, &VECWIRE_RAW(.path = "/x"),
                                 note_decoded, &decoded_ns, NULL),
                     VECWIRE_OK);
    run_both(1);
    ck_assert_uint_eq(last_code, VECWIRE_EIO);
    ck_assert_uint_eq(decoded_ns, 0);
}
END_TEST

/* --- main --- */

static void
add_tests(TCase *tcase)
{
    tcase_add_test(tcase, a_lost_reply_has_no_time_of_an_earlier_ones_end);
    tcase_add_test(
        tcase, a_callback_that_asks_and_cancels_for_ever_lets_the_loop_go_on);
    tcase_add_test(
        tcase,
        a_callback_that_asks_again_when_nobody_listens_lets_the_loop_go_on);
    tcase_add_loop_test(
        tcase, what_follows_a_reply_is_not_the_next_calls_answer, 0, 2);
}

int
main(void)
{
    Suite *suite = suite_create("orders and time");
    TCase *tcase = tcase_create("orders and time");
    SRunner *runner = srunner_create(suite);
    int failures;

    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, setup, teardown);
    add_tests(tcase);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_ENV);
    failures = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
