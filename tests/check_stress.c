/* SPDX-License-Identifier: Apache-2.0 */
/* Random programs against a server that misbehaves at random: whatever
 * happens, each call completes once, with an answer that is its own. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <event2/event.h>
#include <vecwire/vecwire.h>

#include "tests/chaos_server.h"
#include "tests/counting_mem.h"
#include "tests/net_rig.h"

#ifndef SEEDS
#define SEEDS 12
#endif
#define STEPS 250
#define MAX_CALLS 4000
#define MAX_KEPT 64

enum kind { QUERY, UPSERT, DELETE, GET, POST, N_KINDS };

struct one {
    vecwire_call_id id;
    unsigned client; /* which of them, counted from 1 */
    enum kind kind;
    bool started, done, canceled, repeat;
};

static struct event_base *base;
static struct counting_mem counting;
static struct chaos_server *server;
static struct vecwire_client *client;
static struct one calls[MAX_CALLS + 1];
static size_t n_calls; /* markers 1 to n_calls have been tried */
static const struct vecwire_reply *kept[MAX_KEPT];
static size_t kept_marker[MAX_KEPT], n_kept;
static unsigned seed, n_clients, n_started, n_done, n_refused, n_answered;
static unsigned closes_due, depth;
static bool in_verb, closed;

static unsigned
dice(unsigned sides)
{
    return (unsigned)rand_r(&seed) % sides;
}

static void act(void);

/* --- the invariants --- */

static void
check_stats(void)
{
    const struct vecwire_stats *s = vecwire_client_stats(client);

    ck_assert_uint_eq(s->calls_started, n_started);
    ck_assert_uint_eq(s->calls_refused, n_refused);
    ck_assert_uint_eq(s->calls_started, s->calls_completed + s->calls_waiting +
                                            s->calls_active +
                                            s->calls_retrying);
    ck_assert_uint_ge(s->calls_completed, n_done);
    ck_assert_uint_le(s->calls_failed, s->calls_completed);
    ck_assert_uint_le(s->connections_open, 4);
    ck_assert_uint_le(s->connections_idle, s->connections_open);
    ck_assert_uint_eq(s->calls_active,
                      s->connections_open - s->connections_idle);
    ck_assert_uint_eq(s->late_events, 0);
}

static void
check_answer(const struct vecwire_reply *reply, size_t marker)
{
    const struct vecwire_error *error = vecwire_reply_error(reply);
    const char *header = vecwire_reply_header(reply, "x-marker");
    char text[24];
    size_t len;

    snprintf(text, sizeof(text), "%zu", marker);
    ck_assert_uint_eq(vecwire_reply_id(reply), calls[marker].id);
    if (header != NULL)
        ck_assert_str_eq(header, text);
    if (error != NULL) {
        ck_assert_ptr_nonnull(error->detail);
        ck_assert_int_ne(error->code, VECWIRE_OK);
        ck_assert_uint_eq(vecwire_reply_count(reply), 0);
        if (error->outcome_unknown)
            ck_assert(calls[marker].kind != QUERY && calls[marker].kind != GET);
        return;
    }
    ck_assert_ptr_nonnull(header);
    switch (calls[marker].kind) {
    case QUERY:
        ck_assert_uint_eq(vecwire_reply_count(reply), 1);
        ck_assert_str_eq(vecwire_reply_row(reply, 0)->id.text, text);
        ck_assert_str_eq(vecwire_reply_row(reply, 0)->text, text);
        break;
    case UPSERT:
        ck_assert_uint_eq(vecwire_reply_affected(reply), marker);
        break;
    case DELETE:
        ck_assert_uint_le(vecwire_reply_affected(reply), 1);
        break;
    default:
        ck_assert_ptr_nonnull(strstr(vecwire_reply_body(reply, &len), text));
        ck_assert_uint_eq(strlen(vecwire_reply_body(reply, NULL)), len);
        break;
    }
}

/* A write that nobody allowed to repeat has arrived once, but for 429. */
static void
check_server_saw(size_t marker)
{
    const struct chaos_seen *seen = chaos_server_seen(server, marker);
    const struct one *one = &calls[marker];

    if (!one->started)
        ck_assert_uint_eq(seen->received, 0);
    ck_assert_uint_le(seen->received, 3);
    if (one->kind == POST)
        ck_assert_uint_le(seen->received, 1);
    if ((one->kind == UPSERT || one->kind == DELETE) && !one->repeat)
        ck_assert_uint_le(seen->received, 1 + seen->told_429);
}

static void
on_reply(const struct vecwire_reply *reply, void *arg)
{
    struct one *one = arg;
    size_t marker = (size_t)(one - calls);

    ck_assert(!in_verb);
    ck_assert(one->started && !one->done);
    ck_assert_uint_eq(one->client, n_clients);
    one->done = true;
    n_done++;
    n_answered += vecwire_reply_error(reply) == NULL;
    check_answer(reply, marker);
    check_server_saw(marker);
    ck_assert(!vecwire_cancel(client, one->id));
    ck_assert_int_eq(vecwire_client_drain(client, 0), VECWIRE_EBUSY);
    if (n_kept < MAX_KEPT && dice(8) == 0) {
        kept_marker[n_kept] = marker;
        kept[n_kept++] = vecwire_reply_keep(reply);
    }
    depth++;
    for (unsigned n = depth < 4 ? dice(3) : 0; n > 0 && client != NULL; n--)
        act();
    depth--;
    check_answer(reply, marker);
}

/* --- what a program does --- */

static enum vecwire_err
submit(size_t marker, const struct vecwire_call_options *options)
{
    static const char padding[20000];
    char id[24], path[32];
    const char *ids[] = {id};
    const float vector[2] = {(float)marker, 0.5F};
    struct one *one = &calls[marker];

    snprintf(id, sizeof(id), "%zu", marker);
    snprintf(path, sizeof(path), "/%zu", marker);
    switch (one->kind) {
    case QUERY:
        return vecwire_query(
            client, &VECWIRE_QUERY(.vector = vector, .dim = 2, .call = options),
            on_reply, one, &one->id);
    case UPSERT:
        return vecwire_upsert(client,
                              &VECWIRE_UPSERT(.matrix = vector, .rows = 1,
                                              .dim = 2, .ids = ids,
                                              .call = options),
                              on_reply, one, &one->id);
    case DELETE:
        return vecwire_delete(
            client, &VECWIRE_DELETE(.ids = ids, .rows = 1, .call = options),
            on_reply, one, &one->id);
    case GET:
        return vecwire_raw(client, &VECWIRE_RAW(.path = path, .call = options),
                           on_reply, one, &one->id);
    default:
        return vecwire_raw(
            client,
            &VECWIRE_RAW(.method = "POST", .path = path, .body = padding,
                         .body_len = dice(sizeof(padding)), .call = options),
            on_reply, one, &one->id);
    }
}

static void
start_one(void)
{
    static const char *const kinds[] = {"q", "u", "d", "r", "r"};
    char text[24];
    struct vecwire_header headers[] = {{"X-Marker", text}, {"X-Kind", NULL}};
    struct vecwire_call_options options =
        VECWIRE_CALL_OPTIONS(.headers = headers, .n_headers = 2,
                             .deadline_ms = 1 + dice(60),
                             .no_retry = dice(10) == 0,
                             .repeat_writes = dice(4) == 0);
    struct one *one;
    enum vecwire_err err;

    if (n_calls == MAX_CALLS || client == NULL)
        return;
    one = &calls[++n_calls];
    one->kind = (enum kind)dice(N_KINDS);
    one->client = n_clients;
    one->repeat = options.repeat_writes;
    headers[1].value = kinds[one->kind];
    snprintf(text, sizeof(text), "%zu", n_calls);
    in_verb = true;
    one->started = true;
    err = submit(n_calls, &options);
    in_verb = false;
    one->started = err == VECWIRE_OK;
    n_started += one->started;
    n_refused += !one->started;
    ck_assert_int_eq(one->id != 0, one->started);
    if (closed)
        ck_assert_int_eq(err, VECWIRE_ECLOSED);
    else if (!one->started)
        ck_assert_int_eq(err, VECWIRE_EFULL);
}

static void
cancel_one(void)
{
    size_t marker = n_calls == 0 ? 0 : 1 + dice((unsigned)n_calls);
    struct one *one = &calls[marker];
    bool unfinished = one->started && !one->done && !one->canceled &&
                      one->client == n_clients;

    if (client == NULL || marker == 0 || one->client != n_clients)
        return;
    ck_assert_int_eq(vecwire_cancel(client, one->id), unfinished);
    one->canceled |= unfinished;
}

static void
on_closed(struct vecwire_client *which, enum vecwire_err code, void *arg)
{
    (void)arg;
    ck_assert(!in_verb);
    ck_assert_ptr_eq(which, client);
    ck_assert(code == VECWIRE_OK || code == VECWIRE_ETIMEDOUT ||
              code == VECWIRE_ECLOSED);
    ck_assert_uint_eq(closes_due, 1);
    ck_assert_uint_eq(n_done, n_started);
    closes_due = 0;
    check_stats();
    start_one();
}

static void
close_it(void)
{
    enum vecwire_err err =
        vecwire_client_close(client, dice(30), on_closed, NULL);

    ck_assert_int_eq(err, closed ? VECWIRE_ECLOSED : VECWIRE_OK);
    closes_due += !closed;
    closed = true;
}

/* Nothing is left behind; the pointer is gone only then, for callbacks. */
static void
free_it(void)
{
    static bool freeing;

    if (freeing)
        return;
    freeing = closed = true;
    vecwire_client_free(client);
    freeing = false;
    client = NULL;
    ck_assert_uint_eq(n_done, n_started);
    ck_assert_uint_eq(closes_due, 0);
}

static void
act(void)
{
    unsigned what = dice(1000);

    if (what < 700)
        start_one();
    else if (what < 850)
        cancel_one();
    else if (what < 980)
        check_stats();
    else if (what < 985)
        close_it();
    else if (what < 990)
        free_it();
}

static void
connect_anew(void)
{
    char url[40];

    snprintf(url, sizeof(url), "http://127.0.0.1:%u",
             (unsigned)chaos_server_port(server));
    n_clients++;
    n_started = n_done = n_refused = 0;
    closed = false;
    ck_assert_int_eq(
        vecwire_client_new(
            &client, base,
            &VECWIRE_OPTIONS(
                    .url = url, .mem = &counting.mem,
                    .connections = 1 + dice(4), .max_waiting = 1 + dice(20),
                    .max_waiting_bytes = 1000 + dice(60000), .connect_ms = 100,
                    .idle_ms = 1 + dice(30), .max_reply_bytes = 12000,
                    .read_per_turn = dice(2) == 0 ? 0 : 1 + dice(6000))),
        VECWIRE_OK);
}

static void
check_kept(void)
{
    while (n_kept > 0) {
        n_kept--;
        check_answer(kept[n_kept], kept_marker[n_kept]);
        vecwire_reply_release(kept[n_kept]);
    }
}

static void
on_tick(evutil_socket_t fd, short what, void *arg)
{
    (void)fd;
    (void)what;
    (void)arg;
}

static void
one_program(void)
{
    const struct timeval often = {0, 2000};
    struct event *tick = event_new(base, -1, EV_PERSIST, on_tick, NULL);

    event_add(tick, &often);
    for (int step = 0; step < STEPS; step++) {
        if (client == NULL || (closed && closes_due == 0)) {
            if (client != NULL)
                free_it();
            check_kept();
            connect_anew();
        }
        for (unsigned n = dice(5); n > 0 && client != NULL; n--)
            act();
        if (client != NULL && dice(20) == 0)
            (void)!vecwire_client_drain(client, dice(20));
        event_base_loop(base, EVLOOP_NONBLOCK | EVLOOP_ONCE);
        if (dice(3) == 0)
            event_base_loop(base, EVLOOP_ONCE);
    }
    if (client != NULL)
        ck_assert_int_ne(vecwire_client_drain(client, 20000),
                         VECWIRE_ETIMEDOUT);
    event_free(tick);
}

START_TEST(a_random_program_gets_each_answer_once_and_its_own)
{
    size_t before = rig_descriptors();

    seed = (unsigned)_i * 7919 + 1;
    base = _i % 2 == 0 ? vecwire_event_base_new() : event_base_new();
    counting_mem_init(&counting);
    server = chaos_server_new(base, seed ^ 0x5555, MAX_CALLS);
    one_program();
    if (client != NULL)
        free_it();
    ck_assert_uint_gt(n_calls, 100);
    for (size_t i = 1; i <= n_calls; i++) {
        ck_assert_int_eq(calls[i].started, calls[i].done);
        check_server_saw(i);
    }
    check_kept();
    chaos_server_free(server);
    event_base_loop(base, EVLOOP_NONBLOCK);
    ck_assert_uint_eq(counting.blocks, 0);
    event_base_free(base);
    ck_assert_uint_eq(rig_descriptors(), before);
    n_calls = n_clients = 0;
    memset(calls, 0, sizeof(calls));
}
END_TEST

/* After all that a calm server finds every connection and place free. */
START_TEST(after_a_storm_all_is_well_again)
{
    seed = (unsigned)_i + 1;
    base = vecwire_event_base_new();
    counting_mem_init(&counting);
    server = chaos_server_new(base, seed, MAX_CALLS);
    connect_anew();
    for (int i = 0; i < 300 && n_calls < MAX_CALLS; i++) {
        start_one();
        cancel_one();
        event_base_loop(base, EVLOOP_NONBLOCK);
    }
    (void)!vecwire_client_drain(client, 20000);
    chaos_server_calm_down(server);
    if (client == NULL || closed) {
        if (client != NULL)
            free_it();
        connect_anew();
    }
    check_stats();
    ck_assert_uint_eq(vecwire_client_stats(client)->calls_active, 0);
    ck_assert_uint_eq(vecwire_client_stats(client)->waiting_bytes, 0);
    free_it();
    check_kept();
    chaos_server_free(server);
    event_base_free(base);
    ck_assert_uint_eq(counting.blocks, 0);
    n_calls = n_clients = 0;
    memset(calls, 0, sizeof(calls));
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("stress");
    TCase *tcase = tcase_create("stress");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(
        tcase, a_random_program_gets_each_answer_once_and_its_own, 0, SEEDS);
    tcase_add_loop_test(tcase, after_a_storm_all_is_well_again, 0, 4);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
