/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/soak.h"

#include <stdio.h>
#include <stdlib.h>

#define CONNECTIONS 64
#define MAX_WAITING 1024

static unsigned
dice(struct soak *soak, unsigned sides)
{
    return (unsigned)rand_r(&soak->seed) % sides;
}

static uint64_t
unfinished(const struct soak *soak)
{
    return soak->n_started - soak->n_completed;
}

static void start_one(struct soak *soak);

static void
on_reply(const struct vecwire_reply *reply, void *arg)
{
    struct soak_call *one = arg;
    struct soak *soak = one->soak;
    const struct vecwire_error *error = vecwire_reply_error(reply);
    const char *wrong = chaos_call_wrong(&one->call, reply);
    enum vecwire_err code = error == NULL ? VECWIRE_OK : error->code;

    if (!one->call.started || one->call.done)
        soak_wrong(soak, one, "completed twice, or without being started");
    one->call.done = true;
    soak->n_completed++;
    soak->n_queries += one->call.kind == CHAOS_QUERY;
    soak->n_answered += error == NULL;
    soak->by_code[code]++;
    if (wrong != NULL)
        soak_wrong(soak, one, wrong);
    if (error != NULL)
        soak_explain(soak, one, error);
    if (dice(soak, 2) == 0 && soak->n_started < soak->options.queries &&
        unfinished(soak) > 0)
        start_one(soak);
}

/* What the server saw of it, long after its end: nothing came later. */
static void
forget(struct soak *soak, struct soak_call *one)
{
    const char *wrong;

    if (one->call.marker == 0)
        return;
    if (one->call.started && !one->call.done)
        soak_wrong(soak, one, "never completed");
    wrong = chaos_call_seen_wrong(
        &one->call, chaos_notes_seen(soak->options.notes, one->call.marker));
    if (wrong != NULL)
        soak_wrong(soak, one, wrong);
}

/* Three of four are queries. */
static enum chaos_kind
any_kind(struct soak *soak)
{
    return dice(soak, 4) != 0 ? CHAOS_QUERY
                              : (enum chaos_kind)dice(soak, CHAOS_KINDS);
}

static void
cancel_one(struct soak *soak, uint64_t marker)
{
    struct chaos_call *call = &soak->calls[marker % SOAK_CALLS].call;
    bool expected = call->started && !call->done && !call->canceled;

    if (vecwire_cancel(soak->client, call->id) != expected)
        soak_wrong(soak, &soak->calls[marker % SOAK_CALLS], "cancel");
    call->canceled |= expected;
    soak->n_canceled += expected;
}

static void
start_one(struct soak *soak)
{
    uint64_t marker = soak->n_started + soak->n_refused + 1;
    struct soak_call *one = &soak->calls[marker % SOAK_CALLS];
    enum vecwire_err err;

    forget(soak, one);
    *one = (struct soak_call){.soak = soak,
                              .started_us = soak_now_us(),
                              .deadline_ms = soak->options.deadline_ms};
    if (dice(soak, 50) == 0)
        one->deadline_ms = 1 + dice(soak, 20);
    one->call.marker = marker;
    one->call.kind = any_kind(soak);
    one->call.repeat = dice(soak, 4) == 0;
    soak->n_started++;
    err = chaos_call_start(
        soak->client, &one->call,
        VECWIRE_CALL_OPTIONS(.deadline_ms = one->deadline_ms,
                             .no_retry = dice(soak, 10) == 0),
        dice(soak, 4) == 0 ? dice(soak, CHAOS_MAX_BODY) : 10, on_reply, one);
    soak->n_started -= !one->call.started;
    soak->n_refused += !one->call.started;
    if (!one->call.started && err != VECWIRE_EFULL)
        soak_wrong(soak, one, vecwire_err_name(err));
    if (soak->counting.bytes > soak->peak_bytes)
        soak->peak_bytes = soak->counting.bytes;
    if (marker > 64 && dice(soak, 100) == 0)
        cancel_one(soak, marker - dice(soak, 64));
}

/* So many calls under way: mostly fewer than there are connections, sometimes
 * so many that they wait, now and then more than may wait. */
static uint64_t
any_load(struct soak *soak)
{
    switch (dice(soak, 16)) {
    case 0:
        return 1 + dice(soak, 4);
    case 1:
        return CONNECTIONS + MAX_WAITING + dice(soak, 40);
    case 2:
    case 3:
    case 4:
    case 5:
        return CONNECTIONS + dice(soak, 300);
    default:
        return 1 + dice(soak, CONNECTIONS);
    }
}

static void
run_until(struct soak *soak, uint64_t goal)
{
    uint64_t load = 1;

    while (soak->n_started < goal) {
        if (dice(soak, 20) == 0)
            load = any_load(soak);
        for (uint64_t i = unfinished(soak); i < load; i++)
            if (soak->n_started < goal)
                start_one(soak);
        if (event_base_loop(soak->base, EVLOOP_ONCE) != 0)
            soak_wrong(soak, NULL, "the loop stopped");
    }
    if (vecwire_client_drain(soak->client, 60000) != VECWIRE_OK)
        soak_wrong(soak, NULL, "calls that never end");
}

/* Nothing is under way, and no connection is open any more. */
static void
check_stats(struct soak *soak)
{
    const struct vecwire_stats *s = vecwire_client_stats(soak->client);

    soak->stats = *s;
    if (s->calls_started != soak->n_started ||
        s->calls_completed != soak->n_completed ||
        s->calls_completed != s->calls_started ||
        s->calls_failed != soak->n_completed - soak->n_answered ||
        s->calls_refused != soak->n_refused)
        soak_wrong(soak, NULL, "the counters of calls");
    if (s->calls_waiting + s->calls_active + s->calls_retrying != 0 ||
        s->waiting_bytes != 0 || s->late_events != 0 ||
        s->connections_open != 0)
        soak_wrong(soak, NULL, "the counters of what is held");
}

/* Until the client has let its idle connections go. */
static void
run_idle(struct soak *soak)
{
    uint64_t patience = soak_now_us() + 10000000;

    while (vecwire_client_stats(soak->client)->connections_open > 0 &&
           soak_now_us() < patience)
        event_base_loop(soak->base, EVLOOP_ONCE);
    event_base_loop(soak->base, EVLOOP_NONBLOCK);
}

static void
run_all(struct soak *soak)
{
    uint64_t told = 0, every = soak->options.progress;
    uint64_t n = soak->options.samples;

    for (uint64_t i = 1; i <= n; i++) {
        run_until(soak, soak->options.queries * i / n);
        run_idle(soak);
        check_stats(soak);
        soak_take_sample(soak);
        if (every != 0 && soak->n_completed / every > told) {
            told = soak->n_completed / every;
            soak_progress(soak);
        }
    }
    for (size_t i = 0; i < SOAK_CALLS; i++)
        forget(soak, &soak->calls[i]);
}

/* So that the load changes while all that is under way hangs. */
static void
on_tick(evutil_socket_t fd, short what, void *arg)
{
    (void)fd;
    (void)what;
    (void)arg;
}

/* libevent warns of events on descriptors that are closed, for example. */
static unsigned libevent_warnings;

static void
on_libevent(int severity, const char *line)
{
    if (severity < EVENT_LOG_WARN)
        return;
    libevent_warnings++;
    fprintf(stderr, "libevent: %s\n", line);
}

static void
begin(struct soak *soak)
{
    struct vecwire_refusal refusal = {.text = ""};

    event_set_log_callback(on_libevent);
    soak->seed = soak->options.seed;
    soak->before = soak_descriptors();
    counting_mem_init(&soak->counting);
    soak->base = vecwire_event_base_new();
    if (soak->base == NULL ||
        vecwire_client_new(
            &soak->client, soak->base,
            &VECWIRE_OPTIONS(.url = soak->options.url,
                             .ca_file = soak->options.ca_file,
                             .mem = &soak->counting.mem,
                             .connections = CONNECTIONS,
                             .max_waiting = MAX_WAITING, .idle_ms = 50,
                             .connect_ms = soak->options.deadline_ms,
                             .refusal = &refusal)) != VECWIRE_OK) {
        fprintf(stderr, "no client: %s\n", refusal.text);
        abort();
    }
    soak->tick = event_new(soak->base, -1, EV_PERSIST, on_tick, NULL);
    event_add(soak->tick, &(struct timeval){0, 1000});
    soak->begun_us = soak_now_us();
}

static void
end(struct soak *soak)
{
    soak->ended_us = soak_now_us();
    event_free(soak->tick);
    vecwire_client_free(soak->client);
    event_base_loop(soak->base, EVLOOP_NONBLOCK);
    event_base_free(soak->base);
    if (libevent_warnings > 0)
        soak_wrong(soak, NULL, "libevent had to warn");
    if (soak->counting.blocks != 0)
        soak_wrong(soak, NULL, "memory is left");
    if (soak_descriptors() != soak->before)
        soak_wrong(soak, NULL, "descriptors are left");
    if (soak->n_completed != soak->options.queries)
        soak_wrong(soak, NULL, "more or fewer calls than were made");
    if (soak->n_answered < soak->n_completed / 10)
        soak_wrong(soak, NULL, "hardly a call was answered");
}

bool
soak_run(const struct soak_options *options)
{
    struct soak *soak = calloc(1, sizeof(*soak));
    bool right;

    if (soak == NULL)
        return false;
    soak->options = *options;
    begin(soak);
    run_all(soak);
    end(soak);
    soak_explain_sum(soak);
    soak_check_flat(soak);
    soak_summary(soak);
    right = soak->wrong == 0;
    free(soak);
    return right;
}
