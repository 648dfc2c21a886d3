/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/fault_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "api/client.h"
#include "tests/net_rig.h"

/* Nothing has moved for so many passes, and for so long: nothing will. The
 * longer one is waited for before the clock is moved. */
#define STILL_PASSES 15
#define STILL_NS ((uint64_t)50000)
#define STILL_LONG_NS ((uint64_t)3000000)
#define MOST_ACTS 60

/* --- time --- */

/* The client's clock stands still until a run moves it. */
static void
hold_clock(struct fault_run *run)
{
    run->clock.now_ns = FAKE_S;
    run->client->engine.random = 1; /* of the gaps between attempts */
    (void)fake_clock_lead(&run->clock, &run->client->timers);
}

static void
move_clock(struct fault_run *run)
{
    ck_assert_msg(run->clock.armed_ns != 0, "%s: hangs", run->fault->name);
    if (run->clock.armed_ns > run->clock.now_ns)
        run->clock.now_ns = run->clock.armed_ns;
    run->clock.armed_ns = 0;
    event_active(run->client->timer_event, EV_TIMEOUT, 0);
}

/* --- passes of the two loops --- */

struct progress {
    struct vecwire_stats stats;
    uint64_t received;
    size_t connections, requests;
    unsigned ended;
    bool closed;
};

static void
look(struct fault_run *run, struct progress *progress)
{
    memset(progress, 0, sizeof(*progress));
    progress->received = fault_server_received(run->server);
    progress->connections = fault_server_connections(run->server);
    progress->requests = fault_server_requests(run->server);
    progress->ended = run->ended;
    progress->closed = run->closed;
    if (run->client != NULL)
        progress->stats = *vecwire_client_stats(run->client);
}

static uint64_t
real_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Until nothing moves, or `calls` calls have ended (0: however many). */
static void
pass(struct fault_run *run, unsigned calls, bool client_too)
{
    struct progress was, is;
    uint64_t still = calls == 0 ? STILL_NS : STILL_LONG_NS;
    uint64_t since = real_ns();
    int passes = 0;

    look(run, &was);
    while (passes < STILL_PASSES || real_ns() - since < still) {
        event_base_loop(run->server_base, EVLOOP_NONBLOCK);
        if (client_too)
            event_base_loop(run->base, EVLOOP_NONBLOCK);
        look(run, &is);
        passes++;
        if (calls != 0 && is.ended >= calls)
            return;
        if (memcmp(&is, &was, sizeof(is)) != 0 ||
            fault_server_drips(run->server)) {
            was = is;
            since = real_ns();
            passes = 0;
        }
    }
}

void
fault_run_settle(struct fault_run *run)
{
    pass(run, 0, true);
}

/* --- what is done when all stand still --- */

static void
on_closed(struct vecwire_client *client, enum vecwire_err code, void *arg)
{
    struct fault_run *run = arg;

    (void)client;
    (void)code;
    run->closed = true;
}

static void
cancel_all(struct fault_run *run)
{
    for (size_t i = 0; i < FAULT_MAX_CALLS; i++) {
        struct fault_outcome *outcome = &run->outcomes[i];

        if (outcome->fault == NULL || outcome->completions > 0)
            continue;
        if (outcome->uploader != NULL)
            ck_assert(vecwire_uploader_cancel(outcome->uploader));
        else if (outcome->scroller != NULL)
            ck_assert(vecwire_scroller_cancel(outcome->scroller));
        else
            ck_assert(vecwire_cancel(run->client, outcome->id));
    }
}

static void
act(struct fault_run *run, enum fault_act what)
{
    switch (what) {
    case FAULT_OPEN:
        fault_server_open_gate(run->server);
        break;
    case FAULT_CANCEL:
        cancel_all(run);
        break;
    case FAULT_CLOSE:
        ck_assert_int_eq(vecwire_client_close(run->client, 0, on_closed, run),
                         VECWIRE_OK);
        break;
    case FAULT_FREE:
        vecwire_client_free(run->client);
        run->client = NULL;
        break;
    default:
        move_clock(run);
        break;
    }
}

/* Until `calls` calls have ended in all. */
static void
run_calls(struct fault_run *run, unsigned calls, enum fault_act first)
{
    enum fault_act what = first;

    pass(run, calls, true);
    for (int i = 0; run->ended < calls; i++) {
        ck_assert_msg(i < MOST_ACTS, "%s: never ends", run->fault->name);
        act(run, what);
        what = FAULT_TIME;
        pass(run, calls, true);
    }
}

/* --- the calls around the fault --- */

static void
ask_well(struct fault_run *run, enum fault_call kind)
{
    struct fault_outcome outcome;

    fault_call_begin(run, kind, &outcome);
    run_calls(run, run->ended + 1, FAULT_TIME);
    ck_assert_msg(outcome.sees.code == VECWIRE_OK, "%s: another call: %s: %s",
                  run->fault->name, vecwire_err_name(outcome.sees.code),
                  outcome.detail);
    ck_assert_msg(outcome.own_mark && !outcome.foreign_mark,
                  "%s: another call was given a reply that is not its own",
                  run->fault->name);
}

static void
expect_number(const struct fault_run *run, const char *what, size_t is,
              size_t expected)
{
    ck_assert_msg(is == expected, "%s: %zu %s, not %zu", run->fault->name, is,
                  what, expected);
}

static void
check_seen(const struct fault_run *run, const struct fault_outcome *outcome)
{
    const struct fault *fault = run->fault;
    const struct fault_seen *is = &outcome->sees, *want = &fault->sees;

    expect_number(run, "completions", outcome->completions, 1);
    ck_assert_msg(
        is->code == want->code && is->phase == want->phase &&
            is->status == want->status && is->unknown == want->unknown,
        "%s: %s in %s, status %u%s (%s), not %s in %s, status %u%s",
        fault->name, vecwire_err_name(is->code), vecwire_phase_name(is->phase),
        is->status, is->unknown ? ", unknown" : "", outcome->detail,
        vecwire_err_name(want->code), vecwire_phase_name(want->phase),
        want->status, want->unknown ? ", unknown" : "");
    ck_assert_msg(!outcome->foreign_mark, "%s: another's reply", fault->name);
    ck_assert_msg(want->code != VECWIRE_OK || outcome->own_mark,
                  "%s: not its own reply", fault->name);
    ck_assert_msg(fault->text == NULL ||
                      strstr(outcome->detail, fault->text) != NULL,
                  "%s: \"%s\"", fault->name, outcome->detail);
    ck_assert_msg(fault->code == NULL ||
                      strcmp(outcome->code, fault->code) == 0,
                  "%s: \"%s\"", fault->name, outcome->code);
    expect_number(run, "rows", outcome->rows, fault->rows);
}

/* --- one pass --- */

static void
open_run(struct fault_run *run, const struct fault_step *first)
{
    const struct fault *fault = run->fault;
    struct vecwire_options options = fault->options;

    run->base = vecwire_event_base_new();
    run->server_base = vecwire_event_base_new();
    counting_mem_init(&run->counting);
    while (run->n_scripts < 4 && fault->scripts[run->n_scripts] != NULL) {
        run->scripts[run->n_scripts] = fault->scripts[run->n_scripts];
        run->n_scripts++;
    }
    if (first != NULL)
        run->scripts[0] = first;
    run->scripts[run->n_scripts++] = fault_serving;
    run->server = fault_server_new(run->server_base, "127.0.0.1", run->scripts,
                                   run->n_scripts);
    ck_assert_ptr_nonnull(run->server);
    fault_answer_as(run->list->dialect);
    fault_server_set_answer(run->server, fault_answer);
    options.size = sizeof(options);
    options.dialect = run->list->dialect->dialect;
    options.collection = run->list->dialect->collection;
    options.mem = &run->counting.mem;
    if (run->tls)
        fault_run_use_tls(run, &options);
    snprintf(run->url, sizeof(run->url), "http%s://127.0.0.1:%u",
             run->tls ? "s" : "", (unsigned)fault_server_port(run->server));
    options.url = run->url;
    if (fault->prepare != NULL)
        fault->prepare(run, &options);
    ck_assert_int_eq(vecwire_client_new(&run->client, run->base, &options),
                     VECWIRE_OK);
    hold_clock(run);
}

/* Everything is given back. */
static void
close_run(struct fault_run *run)
{
    for (size_t i = 0; i < FAULT_MAX_CALLS; i++) {
        vecwire_uploader_free(run->outcomes[i].uploader);
        vecwire_scroller_free(run->outcomes[i].scroller);
    }
    vecwire_client_free(run->client);
    run->client = NULL;
    expect_number(run, "blocks of memory", run->counting.blocks, 0);
    fault_run_settle(run);
    expect_number(run, "events",
                  (size_t)event_base_get_num_events(
                      run->base, EVENT_BASE_COUNT_ACTIVE |
                                     EVENT_BASE_COUNT_ADDED |
                                     EVENT_BASE_COUNT_VIRTUAL),
                  0);
    fault_server_free(run->server);
    fault_run_drop_tls(run);
    event_base_free(run->base);
    event_base_free(run->server_base);
}

/* Whether the connection of the fault carries the next call. */
static void
check_fate(struct fault_run *run)
{
    const struct fault *fault = run->fault;
    size_t before = fault_server_connections(run->server);
    /* A repeat has a connection already that carries on. */
    bool carries = fault->fate == FAULT_KEPT ||
                   (fault->sees.code == VECWIRE_OK && fault->connections > 1);

    ask_well(run, FAULT_GET);
    expect_number(run, "connections after the next call",
                  fault_server_connections(run->server),
                  before + (carries ? 0 : 1));
    if (run->pass > 1)
        return; /* a call after each pass, the others after the first */
    ask_well(run, FAULT_QUERY);
    ask_well(run, FAULT_UPSERT);
}

static size_t
expected(int number, const struct fault *fault)
{
    if (number != 0)
        return number < 0 ? 0 : (size_t)number;
    return fault->fate == FAULT_NEVER_UP ? 0 : 1;
}

static void
meet_fault(struct fault_run *run)
{
    const struct fault *fault = run->fault;
    unsigned calls = fault->calls == 0 ? 1 : fault->calls;
    size_t requests;

    if (fault->warm)
        ask_well(run, FAULT_GET);
    requests = fault_server_requests(run->server);
    for (unsigned i = 0; i < calls; i++) {
        fault_call_begin(run, fault->call, &run->outcomes[i]);
        run->outcomes[i].fault = fault;
    }
    run_calls(run, run->ended + calls, fault->act);
    fault_run_settle(run);
    for (unsigned i = 0; i < calls; i++)
        check_seen(run, &run->outcomes[i]);
    expect_number(run, "connections", fault_server_connections(run->server),
                  expected(fault->connections, fault));
    expect_number(run, "requests",
                  fault_server_requests(run->server) - requests,
                  expected(fault->requests, fault));
    fault_server_open_gate(run->server);
    pass(run, 0, !fault->unseen);
    if (fault->mend != NULL)
        fault->mend(run);
    if (run->client == NULL || fault->act == FAULT_CLOSE)
        return;
    check_fate(run);
    expect_number(run, "calls under way",
                  vecwire_client_stats(run->client)->calls_active, 0);
    for (unsigned i = 0; i < calls; i++)
        expect_number(run, "completions", run->outcomes[i].completions, 1);
}

static void
one_pass(const struct fault_list *list, const struct fault *fault, bool tls,
         unsigned pass_number, const struct fault_step *first)
{
    static struct fault_run run;
    size_t descriptors, blocks = fault_rig_libevent_blocks();

    if (tls)
        fault_run_make_certificates();
    descriptors = rig_descriptors();
    memset(&run, 0, sizeof(run));
    run.list = list;
    run.fault = fault;
    run.tls = tls;
    run.pass = pass_number;
    open_run(&run, first);
    meet_fault(&run);
    close_run(&run);
    expect_number(&run, "descriptors", rig_descriptors(), descriptors);
    expect_number(&run, "blocks of libevent's", fault_rig_libevent_blocks(),
                  blocks);
}

/* --- all passes --- */

#define MOST_STEPS 12

/* Every how many-th pass: over TLS, and under valgrind, they take longer. */
unsigned
fault_stride(const struct fault_list *list, bool tls)
{
    if (getenv("VECWIRE_VALGRIND") != NULL)
        return 37;
    return tls && list->plain ? 7 : 1;
}

static const struct fault_step reading[] = {
    {FAULT_READ, NULL, 0}, {FAULT_ANSWER, NULL, 0}, {FAULT_SERVE, NULL, 0}};

/* How long the call's request is, with a port of five digits. */
static size_t
request_bytes(const struct fault_list *list, enum fault_call call)
{
    static struct fault_run run;
    const struct fault well = {
        .name = "none", .call = call, .scripts = {reading}, .sees = FINE};
    size_t n;

    memset(&run, 0, sizeof(run));
    run.list = list;
    run.fault = &well;
    open_run(&run, NULL);
    ask_well(&run, call);
    n = strlen(fault_server_request(run.server)) + 5 -
        (size_t)snprintf(NULL, 0, "%u",
                         (unsigned)fault_server_port(run.server));
    close_run(&run);
    return n;
}

/* Does it stop at each byte? */
static void
check_passes(const struct fault_list *list, const struct fault *fault,
             const struct fault_step *step)
{
    size_t n = step->kind == FAULT_READ_SOME ? request_bytes(list, fault->call)
                                             : step->n;

    expect_number(&(struct fault_run){.fault = fault}, "passes", fault->passes,
                  n - 1);
}

void
fault_run(const struct fault_list *list, const struct fault *fault, bool tls)
{
    struct fault_step steps[MOST_STEPS];
    unsigned passes = fault->passes == 0 ? 1 : fault->passes;
    size_t n = 0;

    if (fault->cut != 0) {
        do {
            ck_assert_uint_lt(n, MOST_STEPS);
            steps[n] = fault->scripts[0][n];
        } while (steps[n++].kind != FAULT_END);
        if (!fault->partly)
            check_passes(list, fault, &steps[fault->cut - 1]);
    }
    for (unsigned i = 1; i <= passes; i += fault_stride(list, tls)) {
        if (fault->cut != 0)
            steps[fault->cut - 1].n = i;
        one_pass(list, fault, tls, i, fault->cut != 0 ? steps : NULL);
    }
}
