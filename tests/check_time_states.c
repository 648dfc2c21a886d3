/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a call's time, and its cancel, in every state that it can be in:
 * one completion with the phase named, none after it, everything given back. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/client.h"
#include "tests/client_rig.h"
#include "tests/fault_steps.h"
#include "tests/time_rig.h"

#define OK "HTTP/1.1 200 OK\r\n"
#define DEADLINE_MS 30000
#define CONNECT_MS 5000

static const struct fault_step answers[] = {
    READ, FAULT_OK("{\"matches\":[]}", "14"), {FAULT_AGAIN, NULL, 0}};
static const struct fault_step deaf[] = {STALL};
static const struct fault_step hung[] = {READ, STALL};
static const struct fault_step head[] = {READ, SEND(OK "Content-Le"), STALL};
static const struct fault_step headed[] = {
    READ, SEND(OK "Content-Length: 100\r\n\r\n"), STALL};
static const struct fault_step body[] = {
    READ, SEND(OK "Content-Length: 100\r\n\r\n{\"matches\":["), STALL};
static const struct fault_step chunk[] = {
    READ, SEND(OK "Transfer-Encoding: chunked\r\n\r\n20\r\n{\"mat"), STALL};
static const struct fault_step rows[] = {
    READ,
    SEND(OK "Transfer-Encoding: chunked\r\n\r\n44\r\n{\"matches\":[{\"id\":"
            "\"a\",\"text\":\"t\",\"metadata\":{},\"score\":0.5},      \r\n"),
    STALL};
static const struct fault_step interim[] = {
    READ, SEND("HTTP/1.1 100 Continue\r\n\r\n"), STALL};
static const struct fault_step busy[] = {
    READ,
    SEND("HTTP/1.1 503 Busy\r\nRetry-After: 5\r\nContent-Length: 0\r\n\r\n"),
    STALL};
static const struct fault_step closing[] = {
    READ, FAULT_OK("{\"matches\":[]}", "14"), READ, {FAULT_END, NULL, 0}};

/* Which bytes of the server's handshake come. */
enum { ALL = -1 };

static const struct state {
    const char *what;
    enum time_rig_peer peer;
    const struct fault_step *script; /* of the first connection */
    enum vecwire_phase phase;
    bool sent;       /* a byte of the request has left */
    bool large;      /* the request is larger than the socket takes */
    bool pauses;     /* its rows callback says so */
    bool behind;     /* another call has the only connection */
    bool again;      /* an earlier attempt was lost */
    bool oversleeps; /* the deadline is met by a loop that slept */
    int shake;
} states[] = {
    {"queued", TIME_RIG_SERVER, hung, VECWIRE_PHASE_QUEUED, .behind = true},
    {"resolving", TIME_RIG_NO_NAME, deaf, VECWIRE_PHASE_RESOLVING,
     .sent = false},
    {"connecting", TIME_RIG_DEAF_SERVER, deaf, VECWIRE_PHASE_CONNECTING,
     .sent = false},
    {"TLS, before the first flight", TIME_RIG_TLS, deaf, VECWIRE_PHASE_TLS,
     .shake = 0},
    {"TLS, in the first flight", TIME_RIG_TLS, deaf, VECWIRE_PHASE_TLS,
     .shake = 300},
    {"TLS 1.2, before the second flight", TIME_RIG_TLS12, deaf,
     VECWIRE_PHASE_TLS, .shake = 700},
    {"sending", TIME_RIG_SERVER, deaf, VECWIRE_PHASE_SENDING, .sent = true,
     .large = true},
    {"sending over TLS", TIME_RIG_TLS, deaf, VECWIRE_PHASE_SENDING,
     .sent = true, .large = true, .shake = ALL},
    {"waiting", TIME_RIG_SERVER, hung, VECWIRE_PHASE_WAITING, .sent = true},
    {"waiting over TLS", TIME_RIG_TLS, hung, VECWIRE_PHASE_WAITING,
     .sent = true, .shake = ALL},
    {"behind a 100 Continue", TIME_RIG_SERVER, interim, VECWIRE_PHASE_RECEIVING,
     .sent = true},
    {"in the head", TIME_RIG_SERVER, head, VECWIRE_PHASE_RECEIVING,
     .sent = true},
    {"behind the head", TIME_RIG_SERVER, headed, VECWIRE_PHASE_RECEIVING,
     .sent = true},
    {"in the body", TIME_RIG_SERVER, body, VECWIRE_PHASE_RECEIVING,
     .sent = true},
    {"in the body over TLS", TIME_RIG_TLS, body, VECWIRE_PHASE_RECEIVING,
     .sent = true, .shake = ALL},
    {"in a chunk", TIME_RIG_SERVER, chunk, VECWIRE_PHASE_RECEIVING,
     .sent = true},
    {"between rows", TIME_RIG_SERVER, rows, VECWIRE_PHASE_RECEIVING,
     .sent = true},
    {"paused", TIME_RIG_SERVER, rows, VECWIRE_PHASE_RECEIVING, .sent = true,
     .pauses = true},
    {"paused over TLS", TIME_RIG_TLS, rows, VECWIRE_PHASE_RECEIVING,
     .sent = true, .pauses = true, .shake = ALL},
    {"between attempts", TIME_RIG_SERVER, busy, VECWIRE_PHASE_RETRY_WAIT,
     .oversleeps = true},
    {"waiting, sent again", TIME_RIG_SERVER, closing, VECWIRE_PHASE_WAITING,
     .sent = true, .again = true},
};

#define N_ALL_STATES (sizeof(states) / sizeof(states[0]))

enum end {
    DEADLINE,
    CANCEL,          /* outside the loop */
    CANCEL_IN_EVENT, /* by an event of the host's */
    CANCEL_IN_REPLY, /* by another call's completion */
    CANCEL_IN_ROWS,  /* by its own rows callback */
    N_ALL_ENDS
};

/* A read, and a write that must not be sent twice. */
enum kind { QUERY, POST, N_ALL_KINDS };

static struct time_rig rig;
static const struct state *state;
static enum end end;
static vecwire_call_id id;
static unsigned runs, others, n_rows;
static struct vecwire_error seen;

static void
on_reply(const struct vecwire_reply *reply, void *arg)
{
    const struct vecwire_error *error = vecwire_reply_error(reply);

    (void)arg;
    runs++;
    ck_assert_ptr_nonnull(error);
    seen = *error;
    /* It is over already. */
    ck_assert(!vecwire_cancel(rig.client, id));
    ck_assert(!vecwire_resume(rig.client, id));
}

static enum vecwire_rows_action
on_rows(const struct vecwire_reply *reply, void *arg)
{
    (void)reply;
    (void)arg;
    n_rows++;
    if (end == CANCEL_IN_ROWS)
        ck_assert(vecwire_cancel(rig.client, id));
    return state->pauses ? VECWIRE_PAUSE : VECWIRE_CONTINUE;
}

static void
on_other(const struct vecwire_reply *reply, void *arg)
{
    (void)reply;
    (void)arg;
    others++;
    if (end == CANCEL_IN_REPLY && runs == 0 && id != 0)
        ck_assert(vecwire_cancel(rig.client, id));
}

static void
on_event(evutil_socket_t fd, short what, void *arg)
{
    (void)fd;
    (void)what;
    (void)arg;
    ck_assert(vecwire_cancel(rig.client, id));
}

static void
query(vecwire_rows_cb rows_cb, vecwire_reply_cb cb, vecwire_call_id *at,
      uint32_t deadline_ms)
{
    static const float vector[3] = {1, 2, 3};

    ck_assert_int_eq(
        vecwire_query(
            rig.client,
            &VECWIRE_QUERY(.vector = vector, .dim = 3, .on_rows = rows_cb,
                           .call = &VECWIRE_CALL_OPTIONS(.deadline_ms =
                                                             deadline_ms)),
            cb, NULL, at),
        VECWIRE_OK);
}

static void
begin_target(enum kind kind)
{
    static char large[8000000];

    if (kind == QUERY && !state->large) {
        query(on_rows, on_reply, &id, 0);
        return;
    }
    ck_assert_int_eq(
        vecwire_raw(rig.client,
                    &VECWIRE_RAW(.method = kind == POST ? "POST" : "GET",
                                 .path = "/", .body = large,
                                 .body_len = state->large ? sizeof(large) : 3),
                    on_reply, NULL, &id),
        VECWIRE_OK);
}

/* The phase, as an error would name it now. */
static void
check_state(void)
{
    const struct vecwire__call *call =
        vecwire__slots_find(&rig.client->engine.slots, id);

    ck_assert_ptr_nonnull(call);
    ck_assert_msg(vecwire__call_phase(call) == state->phase, "%s: in %s",
                  state->what, vecwire_phase_name(vecwire__call_phase(call)));
    ck_assert_msg(vecwire__call_sent_any(call) == state->sent, "%s",
                  state->what);
    if (state->pauses)
        ck_assert_int_eq(call->state, VECWIRE__CALL_PAUSED);
}

/* False: there is no such thing here. */
static bool
bring_to_state(enum kind kind)
{
    static const struct fault_step *scripts[3];

    scripts[0] = state->script;
    scripts[1] = state->again ? hung : answers;
    scripts[2] = answers;
    id = 0;
    runs = others = n_rows = 0;
    if (!time_rig_init(&rig, state->peer, scripts, 3,
                       VECWIRE_OPTIONS(.connections = state->behind ? 1 : 2,
                                       .deadline_ms = DEADLINE_MS,
                                       .repeat_writes = state->again,
                                       .connect_ms = VECWIRE_NEVER)))
        return false;
    if (rig.tls != NULL && state->shake != ALL)
        fault_server_use_tls(rig.server, rig.tls, (size_t)state->shake);
    if (state->behind || state->again)
        query(NULL, on_other, NULL, VECWIRE_NEVER);
    time_rig_turn(&rig);
    begin_target(kind);
    time_rig_turn(&rig);
    if (end != CANCEL_IN_ROWS)
        check_state();
    return true;
}

/* Its deadline stands still while it is paused. */
static void
let_time_run_out(void)
{
    time_rig_pass(&rig, DEADLINE_MS - 1);
    ck_assert_msg(runs == 0, "%s: early", state->what);
    if (state->pauses) {
        time_rig_pass(&rig, 10 * DEADLINE_MS);
        ck_assert_uint_eq(runs, 0);
        ck_assert(vecwire_resume(rig.client, id));
        time_rig_turn(&rig);
        time_rig_pass(&rig, DEADLINE_MS - 1);
        ck_assert_uint_eq(runs, 0);
    }
    time_rig_pass(&rig, 1);
}

static void
cancel_in_event(void)
{
    struct event *event = event_new(rig.base, -1, 0, on_event, NULL);

    event_active(event, EV_TIMEOUT, 0);
    time_rig_turn(&rig);
    event_free(event);
}

/* Another call fails at once, behind whatever there is. */
static void
cancel_in_reply(void)
{
    vecwire_call_id other;

    query(NULL, on_other, &other, 0);
    ck_assert(vecwire_cancel(rig.client, other));
    time_rig_turn(&rig);
    ck_assert_uint_ge(others, 1);
}

static void
bring_to_end(void)
{
    switch (end) {
    case DEADLINE:
        if (state->oversleeps) {
            time_rig_oversleep(&rig, DEADLINE_MS + 1);
            time_rig_turn(&rig);
        } else {
            let_time_run_out();
        }
        return;
    case CANCEL:
        ck_assert(vecwire_cancel(rig.client, id));
        ck_assert_uint_eq(runs, 0);
        time_rig_turn(&rig);
        return;
    case CANCEL_IN_EVENT:
        cancel_in_event();
        return;
    case CANCEL_IN_REPLY:
        cancel_in_reply();
        return;
    default:
        ck_assert_uint_eq(n_rows, 1);
    }
}

static void
check_end(enum kind kind)
{
    bool unknown = kind == POST && state->sent;

    ck_assert_msg(runs == 1, "%s: %u completions", state->what, runs);
    ck_assert_int_eq(seen.code,
                     end == DEADLINE ? VECWIRE_ETIMEDOUT : VECWIRE_ECANCELED);
    ck_assert_msg(seen.phase == state->phase, "%s: in %s", state->what,
                  vecwire_phase_name(seen.phase));
    ck_assert_msg(seen.outcome_unknown == unknown, "%s: unknown", state->what);
    ck_assert_msg(seen.retryable ==
                      (end == DEADLINE && (kind == QUERY || !state->sent)),
                  "%s: retryable", state->what);
}

/* Nothing comes any more, and nothing is held. */
static void
check_after(void)
{
    const struct vecwire_stats *stats;

    time_rig_pass(&rig, 2 * DEADLINE_MS);
    ck_assert_uint_eq(runs, 1);
    ck_assert_uint_le(n_rows, 1);
    stats = vecwire_client_stats(rig.client);
    ck_assert_uint_eq(stats->calls_active, state->behind ? 1 : 0);
    ck_assert_uint_eq(stats->calls_waiting, 0);
    ck_assert_uint_eq(stats->calls_retrying, 0);
    ck_assert_uint_eq(stats->connections_open, state->behind ? 1 : 0);
}

/* State, end and kind of each; some do not go together. */
static struct one {
    const struct state *state;
    enum end end;
    enum kind kind;
} cases[N_ALL_STATES * N_ALL_ENDS * N_ALL_KINDS];
static int n_cases;

static void
choose_cases(void)
{
    for (int i = 0; i < (int)(sizeof(cases) / sizeof(cases[0])); i++) {
        struct one one = {
            .state = &states[i / N_ALL_KINDS / N_ALL_ENDS],
            .end = (enum end)(i / N_ALL_KINDS % N_ALL_ENDS),
            .kind = (enum kind)(i % N_ALL_KINDS),
        };
        const struct fault_step *script = one.state->script;

        if ((one.kind == POST &&
             (script == rows || script == busy || one.state->again)) ||
            (one.end == CANCEL_IN_ROWS && script != rows))
            continue;
        cases[n_cases++] = one;
    }
}

START_TEST(in_every_state_a_call_ends_once_by_its_deadline_or_a_cancel)
{
    enum kind kind = cases[_i].kind;
    size_t before = time_rig_descriptors();

    state = cases[_i].state;
    end = cases[_i].end;
    if (!bring_to_state(kind))
        return;
    bring_to_end();
    check_end(kind);
    check_after();
    time_rig_fini(&rig);
    ck_assert_uint_eq(time_rig_descriptors(), before);
}
END_TEST

static void
add_tests(TCase *tc)
{
    choose_cases();
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(
        tc, in_every_state_a_call_ends_once_by_its_deadline_or_a_cancel, 0,
        n_cases);
}

int
main(void)
{
    return client_rig_main("time and states", add_tests);
}
