/* SPDX-License-Identifier: Apache-2.0 */
/* Random programs against a server that misbehaves at random: whatever
 * happens, each call completes once, with an answer that is its own. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <event2/event.h>
#include <vecwire/vecwire.h>

#include "tests/chaos_call.h"
#include "tests/chaos_tls.h"
#include "tests/counting_mem.h"
#include "tests/net_rig.h"

#ifndef SEEDS
#define SEEDS 12
#endif
#define STEPS 250
#define MAX_CALLS 4000
#define MAX_KEPT 64

struct one {
    struct chaos_call call;
    unsigned client; /* which of them, counted from 1 */
};

static struct event_base *base;
static struct counting_mem counting;
static struct chaos_server *server;
static struct chaos_notes *notes;
static struct ssl_ctx_st *server_tls; /* NULL: plain */
static const char *ca_file;           /* NULL with it */
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
    const char *wrong = chaos_call_wrong(&calls[marker].call, reply);

    ck_assert_msg(wrong == NULL, "%zu: %s", marker, wrong);
}

static void
check_server_saw(size_t marker)
{
    const char *wrong = chaos_call_seen_wrong(&calls[marker].call,
                                              chaos_notes_seen(notes, marker));

    ck_assert_msg(wrong == NULL, "%zu: %s", marker, wrong);
}

static void
on_reply(const struct vecwire_reply *reply, void *arg)
{
    struct one *one = arg;
    size_t marker = (size_t)(one - calls);

    ck_assert(!in_verb);
    ck_assert(one->call.started && !one->call.done);
    ck_assert_uint_eq(one->client, n_clients);
    one->call.done = true;
    n_done++;
    n_answered += vecwire_reply_error(reply) == NULL;
    check_answer(reply, marker);
    check_server_saw(marker);
    ck_assert(!vecwire_cancel(client, one->call.id));
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

static void
start_one(void)
{
    struct vecwire_call_options options =
        VECWIRE_CALL_OPTIONS(.deadline_ms = 1 + dice(60),
                             .no_retry = dice(10) == 0);
    struct one *one;
    enum vecwire_err err;

    if (n_calls == MAX_CALLS || client == NULL)
        return;
    one = &calls[++n_calls];
    one->client = n_clients;
    one->call.marker = n_calls;
    one->call.kind = (enum chaos_kind)dice(CHAOS_KINDS);
    one->call.repeat = dice(4) == 0;
    in_verb = true;
    err = chaos_call_start(client, &one->call, options, dice(CHAOS_MAX_BODY),
                           on_reply, one);
    in_verb = false;
    n_started += one->call.started;
    n_refused += !one->call.started;
    ck_assert_int_eq(one->call.id != 0, one->call.started);
    if (closed)
        ck_assert_int_eq(err, VECWIRE_ECLOSED);
    else if (!one->call.started)
        ck_assert_int_eq(err, VECWIRE_EFULL);
}

static void
cancel_one(void)
{
    size_t marker = n_calls == 0 ? 0 : 1 + dice((unsigned)n_calls);
    struct one *one = &calls[marker];
    bool unfinished = one->call.started && !one->call.done &&
                      !one->call.canceled && one->client == n_clients;

    if (client == NULL || marker == 0 || one->client != n_clients)
        return;
    ck_assert_int_eq(vecwire_cancel(client, one->call.id), unfinished);
    one->call.canceled |= unfinished;
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

    snprintf(url, sizeof(url), "http%s://127.0.0.1:%u",
             server_tls == NULL ? "" : "s",
             (unsigned)chaos_server_port(server));
    n_clients++;
    n_started = n_done = n_refused = 0;
    closed = false;
    ck_assert_int_eq(
        vecwire_client_new(
            &client, base,
            &VECWIRE_OPTIONS(
                    .url = url, .ca_file = ca_file, .mem = &counting.mem,
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

static void
begin(unsigned with_seed, struct event_base *on)
{
    seed = with_seed;
    base = on;
    counting_mem_init(&counting);
    notes = calloc(1, chaos_notes_size(MAX_CALLS));
    ck_assert_ptr_nonnull(notes);
    notes->n_markers = MAX_CALLS;
    if (rig_over_tls())
        server_tls = chaos_tls_new(&ca_file);
    server =
        chaos_server_new(base, &(struct chaos_options){.seed = seed ^ 0x5555,
                                                       .per_mille = 1000,
                                                       .notes = notes,
                                                       .tls = server_tls});
}

static void
end(void)
{
    check_kept();
    chaos_server_free(server);
    event_base_loop(base, EVLOOP_NONBLOCK);
    event_base_free(base);
    ck_assert_uint_eq(counting.blocks, 0);
    chaos_tls_free(server_tls);
    server_tls = NULL;
    free(notes);
    n_calls = n_clients = 0;
    memset(calls, 0, sizeof(calls));
}

START_TEST(a_random_program_gets_each_answer_once_and_its_own)
{
    size_t before;

    if (rig_over_tls())
        chaos_tls_free(chaos_tls_new(&ca_file));
    before = rig_descriptors();
    begin((unsigned)_i * 7919 + 1,
          _i % 2 == 0 ? vecwire_event_base_new() : event_base_new());
    one_program();
    if (client != NULL)
        free_it();
    ck_assert_uint_gt(n_calls, 100);
    for (size_t i = 1; i <= n_calls; i++) {
        ck_assert_int_eq(calls[i].call.started, calls[i].call.done);
        check_server_saw(i);
    }
    end();
    ck_assert_uint_eq(rig_descriptors(), before);
}
END_TEST

/* After all that a calm server finds every connection and place free. */
START_TEST(after_a_storm_all_is_well_again)
{
    begin((unsigned)_i + 1, vecwire_event_base_new());
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
    end();
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
