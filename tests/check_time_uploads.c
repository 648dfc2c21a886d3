/* SPDX-License-Identifier: Apache-2.0 */
/* The end of an upload's time, that of one of its requests, and its cancel,
 * in every state of the request that is under way. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/client_rig.h"
#include "tests/fault_steps.h"
#include "tests/time_rig.h"

#define OK "HTTP/1.1 200 OK\r\n"
#define REQUEST_MS 30000
#define UPLOAD_MS 20000

static const struct fault_step stores[] = {
    READ, FAULT_OK("{\"added\":1}", "11"), {FAULT_AGAIN, NULL, 0}};
static const struct fault_step deaf[] = {STALL};
static const struct fault_step hung[] = {READ, STALL};
static const struct fault_step head[] = {READ, SEND(OK "Content-Le"), STALL};
static const struct fault_step body[] = {
    READ, SEND(OK "Content-Length: 11\r\n\r\n{\"add"), STALL};
static const struct fault_step busy[] = {
    READ,
    SEND("HTTP/1.1 429 Busy\r\nRetry-After: 25\r\nContent-Length: 0\r\n\r\n"),
    STALL};

static const struct state {
    const char *what;
    enum time_rig_peer peer;
    const struct fault_step *script; /* of the first connection */
    enum vecwire_phase phase;
    bool sent;
} states[] = {
    {"resolving", TIME_RIG_NO_NAME, deaf, VECWIRE_PHASE_RESOLVING, false},
    {"connecting", TIME_RIG_DEAF_SERVER, deaf, VECWIRE_PHASE_CONNECTING, false},
    {"TLS", TIME_RIG_TLS, deaf, VECWIRE_PHASE_TLS, false},
    {"waiting", TIME_RIG_SERVER, hung, VECWIRE_PHASE_WAITING, true},
    {"in the head", TIME_RIG_SERVER, head, VECWIRE_PHASE_RECEIVING, true},
    {"in the body", TIME_RIG_SERVER, body, VECWIRE_PHASE_RECEIVING, true},
    {"between attempts", TIME_RIG_SERVER, busy, VECWIRE_PHASE_RETRY_WAIT,
     false},
};

#define N_STATES (sizeof(states) / sizeof(states[0]))

enum end { UPLOAD_DEADLINE, REQUEST_DEADLINE, CANCEL, CANCEL_IN_EVENT, N_ENDS };

static struct time_rig rig;
static struct vecwire_uploader *up;
static unsigned runs, reports;
static uint64_t taken, done, failed, reported;
static enum vecwire_err code;      /* of the upload */
static struct vecwire_error first; /* of the first row that failed */

static void
on_failed(const struct vecwire_failed_rows *rows, void *arg)
{
    (void)arg;
    ck_assert_uint_eq(runs, 0);
    if (reports++ == 0)
        first = *rows->error;
    reported += rows->count;
}

static void
on_done(struct vecwire_uploader *uploader,
        const struct vecwire_upload_result *result, void *arg)
{
    (void)arg;
    ck_assert_ptr_eq(uploader, up);
    runs++;
    taken = result->rows_taken;
    done = result->rows_done;
    failed = result->rows_failed;
    code = result->error == NULL ? VECWIRE_OK : result->error->code;
}

/* One row is under way, one waits for its turn. False: no TLS here. */
static bool
begin(const struct state *state, enum end end)
{
    static const struct fault_step *scripts[2];
    static const float matrix[6] = {1, 2, 3, 4, 5, 6};
    static const char *const ids[] = {"a", "b"};

    scripts[0] = state->script;
    scripts[1] = stores;
    runs = reports = 0;
    reported = 0;
    if (!time_rig_init(&rig, state->peer, scripts, 2,
                       VECWIRE_OPTIONS(.deadline_ms = REQUEST_MS,
                                       .connect_ms = VECWIRE_NEVER)))
        return false;
    if (rig.tls != NULL)
        fault_server_use_tls(rig.server, rig.tls, 300);
    ck_assert_int_eq(
        vecwire_uploader_new(
            &up, rig.client,
            &VECWIRE_UPLOADER_OPTIONS(
                    .on_failed = on_failed, .on_done = on_done, .in_flight = 1,
                    .batch_rows = 1,
                    .deadline_ms = end == UPLOAD_DEADLINE ? UPLOAD_MS : 0)),
        VECWIRE_OK);
    ck_assert_int_eq(
        vecwire_uploader_add(
            up,
            &VECWIRE_UPSERT(.matrix = matrix, .dim = 3, .rows = 2, .ids = ids),
            NULL),
        VECWIRE_OK);
    vecwire_uploader_end(up);
    time_rig_turn(&rig);
    ck_assert_uint_eq(runs, 0);
    return true;
}

static void
on_event(evutil_socket_t fd, short what, void *arg)
{
    (void)fd;
    (void)what;
    (void)arg;
    vecwire_uploader_cancel(up);
    ck_assert_uint_eq(runs, 0);
}

static void
bring_to_end(enum end end)
{
    struct event *event;

    if (end == CANCEL_IN_EVENT) {
        event = event_new(rig.base, -1, 0, on_event, NULL);
        event_active(event, EV_TIMEOUT, 0);
        time_rig_turn(&rig);
        event_free(event);
    } else if (end == CANCEL) {
        on_event(-1, 0, NULL);
        time_rig_turn(&rig);
    } else {
        time_rig_pass(&rig,
                      (end == UPLOAD_DEADLINE ? UPLOAD_MS : REQUEST_MS) - 1);
        if (end == UPLOAD_DEADLINE)
            ck_assert_uint_eq(reports, 0);
        time_rig_pass(&rig, 1);
    }
    /* The second row's request, where it was sent behind the first. */
    if (end == REQUEST_DEADLINE)
        time_rig_pass(&rig, 2 * REQUEST_MS);
}

static void
check_end(const struct state *state, enum end end)
{
    bool canceled = end == CANCEL || end == CANCEL_IN_EVENT;

    ck_assert_uint_eq(runs, 1);
    ck_assert_uint_eq(taken, 2);
    ck_assert_uint_eq(done + failed, 2);
    ck_assert_uint_eq(reported, failed);
    if (end == REQUEST_DEADLINE && state->script == busy) {
        /* Sent again in time. */
        ck_assert_uint_eq(done, 2);
        return;
    }
    ck_assert_int_eq(code, canceled ? VECWIRE_ECANCELED : VECWIRE_ETIMEDOUT);
    if (end != REQUEST_DEADLINE)
        ck_assert_uint_eq(failed, 2);
    ck_assert_int_eq(first.code, code);
    ck_assert_msg(first.outcome_unknown == state->sent, "%s (%d): unknown",
                  state->what, (int)end);
    if (end == REQUEST_DEADLINE)
        ck_assert_msg(first.phase == state->phase, "%s: in %s", state->what,
                      vecwire_phase_name(first.phase));
}

START_TEST(in_every_state_an_upload_ends_once_by_a_deadline_or_a_cancel)
{
    const struct state *state = &states[(size_t)_i / N_ENDS];
    enum end end = (enum end)((unsigned)_i % N_ENDS);
    size_t before = time_rig_descriptors();

    if (!begin(state, end))
        return;
    bring_to_end(end);
    check_end(state, end);
    time_rig_pass(&rig, 3 * REQUEST_MS);
    ck_assert_uint_eq(runs, 1);
    ck_assert_uint_eq(vecwire_client_stats(rig.client)->calls_active, 0);
    vecwire_uploader_free(up);
    ck_assert_uint_eq(runs, 1);
    time_rig_fini(&rig);
    ck_assert_uint_eq(time_rig_descriptors(), before);
}
END_TEST

static void
add_tests(TCase *tc)
{
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(
        tc, in_every_state_an_upload_ends_once_by_a_deadline_or_a_cancel, 0,
        (int)N_STATES * N_ENDS);
}

int
main(void)
{
    return client_rig_main("time and uploads", add_tests);
}
