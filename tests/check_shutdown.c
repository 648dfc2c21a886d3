/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a client: at once or gracefully, with work in every state, the
 * loop running or not. */
#include <stdlib.h>
#include <string.h>

#ifndef VECWIRE_NO_OPENSSL
#include <openssl/ssl.h>
#endif

#include "tests/net_rig.h"
#include "tests/stand_rig.h"

/* --- what is common to all ends --- */

struct closing {
    unsigned runs;
    enum vecwire_err code;
};

static struct closing closing;

static void
on_closed(struct vecwire_client *client, enum vecwire_err code, void *arg)
{
    struct stand_rig *stand = arg;

    ck_assert_ptr_eq(client, stand->rig.client);
    ck_assert_uint_eq(stand->runs, stand->calls);
    ck_assert_uint_eq(stand->upload_runs, stand->uploads);
    closing.runs++;
    closing.code = code;
}

static void
close_client(struct stand_rig *stand, uint32_t timeout_ms)
{
    memset(&closing, 0, sizeof(closing));
    ck_assert_int_eq(
        vecwire_client_close(stand->rig.client, timeout_ms, on_closed, stand),
        VECWIRE_OK);
    ck_assert_uint_eq(closing.runs, 0);
}

/* Nothing begins any more, and nothing that is refused has a callback. */
static void
check_refused(struct stand_rig *stand)
{
    static const float row[3] = {1, 2, 3};
    static const char *const ids[] = {"z"};
    struct vecwire_uploader *up;

    ck_assert_int_eq(stand_call(stand), VECWIRE_ECLOSED);
    ck_assert_int_eq(vecwire_uploader_new(&up, stand->rig.client, NULL),
                     VECWIRE_ECLOSED);
    if (stand->up != NULL)
        ck_assert_int_eq(
            vecwire_uploader_add(
                stand->up,
                &VECWIRE_UPSERT(.matrix = row, .dim = 3, .rows = 1, .ids = ids),
                NULL),
            VECWIRE_ECLOSED);
    ck_assert_int_eq(
        vecwire_client_close(stand->rig.client, 0, on_closed, stand),
        VECWIRE_ECLOSED);
}

/* All but those that had been canceled. */
static void
check_ended(const struct stand_rig *stand, enum vecwire_err code)
{
    unsigned canceled = stand->stand == STAND_CANCELED;

    /* That one had its answer before. */
    if (stand->stand == STAND_IDLE)
        code = VECWIRE_OK;
    ck_assert_msg(
        stand->runs == stand->calls && stand->upload_runs == stand->uploads &&
            stand->n_code[code] + canceled * stand->n_code[VECWIRE_ECANCELED] ==
                stand->calls,
        "%s: %u of %u calls ended, %u with %s, %u of %u uploads",
        stand_names[stand->stand], stand->runs, stand->calls,
        stand->n_code[code], vecwire_err_name(code), stand->upload_runs,
        stand->uploads);
    if (stand->uploads > 0)
        ck_assert_int_eq(stand->upload_code, code);
}

/* The base goes without another pass: libevent keeps a look-up until one. */
static void
end_without_a_pass(struct stand_rig *stand)
{
    struct event_base *base = stand->rig.base;

    ck_assert_uint_eq(stand->counting.blocks, stand->up != NULL);
    if (stand->stand == STAND_RESOLVING) {
        stand_end(stand);
        return;
    }
    vecwire_uploader_free(stand->up);
    stand->up = NULL;
    fault_server_free(stand->rig.server);
    vecwire_loop_free(stand->rig.loop);
    event_base_free(base);
#ifndef VECWIRE_NO_OPENSSL
    SSL_CTX_free(stand->rig.tls);
#endif
    ck_assert_uint_eq(stand->counting.blocks, 0);
}

/* --- free --- */

static void
free_client(struct stand_rig *stand)
{
    vecwire_client_free(stand->rig.client);
    stand->rig.client = NULL;
    check_ended(stand, VECWIRE_ECLOSED);
}

static void
free_in_event(evutil_socket_t fd, short what, void *arg)
{
    struct stand_rig *stand = arg;

    (void)fd;
    (void)what;
    free_client(stand);
}

static void
break_in_event(evutil_socket_t fd, short what, void *arg)
{
    struct stand_rig *stand = arg;

    (void)fd;
    (void)what;
    event_base_loopbreak(stand->rig.base);
}

static void
dispatch(struct stand_rig *stand, event_callback_fn callback, bool until_freed)
{
    static const struct timeval at_once;

    ck_assert_int_eq(event_base_once(stand->rig.base, -1, EV_TIMEOUT, callback,
                                     stand, &at_once),
                     0);
    do
        ck_assert_int_ge(event_base_loop(stand->rig.base, EVLOOP_ONCE), 0);
    while (until_freed && stand->rig.client != NULL);
}

static void
free_from_outside(struct stand_rig *stand)
{
    free_client(stand);
}

static void
free_in_the_loop(struct stand_rig *stand)
{
    dispatch(stand, free_in_event, true);
}

static void
free_after_a_break(struct stand_rig *stand)
{
    dispatch(stand, break_in_event, false);
    free_client(stand);
}

static void
free_while_it_closes(struct stand_rig *stand)
{
    close_client(stand, VECWIRE_NEVER);
    free_client(stand);
    ck_assert_uint_eq(closing.runs, 1);
    ck_assert_int_eq(closing.code, VECWIRE_ECLOSED);
}

static void
refuse_inside_the_free(struct stand_rig *stand)
{
    stand->then = check_refused;
    free_client(stand);
}

static void (*const frees[])(struct stand_rig *) = {
    free_from_outside, free_in_the_loop, free_after_a_break,
    free_while_it_closes, refuse_inside_the_free};
#define N_FREES ((int)(sizeof(frees) / sizeof(frees[0])))

/* The one kind tells the kernel of changes at once, the other in its pass. */
static struct event_base *
base_of(int i)
{
    return i % 2 == 0 ? event_base_new() : vecwire_event_base_new();
}

START_TEST(a_free_ends_everything_at_once_and_gives_all_back)
{
    size_t descriptors = rig_descriptors();

    for (int i = 0; i < 2 * (int)STAND_N; i++) {
        struct stand_rig stand;
        unsigned runs;

        if (!stand_begin(&stand, (enum stand)(i / 2), base_of(i)))
            continue;
        frees[_i](&stand);
        runs = stand.runs;
        if (i % 4 == 0)
            end_without_a_pass(&stand);
        else
            stand_end(&stand);
        ck_assert_uint_eq(stand.runs, runs);
        ck_assert_msg(rig_descriptors() == descriptors,
                      "%s: a descriptor is left", stand_names[i / 2]);
    }
}
END_TEST

/* --- close --- */

static void
run_until_closed(struct stand_rig *stand, bool gates)
{
    for (int i = 0; i < 20000 && closing.runs == 0; i++) {
        if (gates)
            fault_server_open_gate(stand->rig.server);
        ck_assert_int_eq(vecwire_loop_step(stand->rig.loop, NULL), VECWIRE_OK);
    }
    ck_assert_msg(closing.runs == 1, "%s: not closed",
                  stand_names[stand->stand]);
    ck_assert_uint_eq(vecwire_client_stats(stand->rig.client)->connections_open,
                      0);
}

static bool
has_work(enum stand which)
{
    return which != STAND_NEW && which != STAND_IDLE && which != STAND_CANCELED;
}

START_TEST(a_close_ends_at_its_bound_with_work_in_every_state)
{
    uint32_t timeout_ms = _i == 0 ? 0 : 20;
    size_t descriptors = rig_descriptors();

    for (int i = 0; i < 2 * (int)STAND_N; i++) {
        struct stand_rig stand;
        enum stand which = (enum stand)(i / 2);

        if (!stand_begin(&stand, which, base_of(i)))
            continue;
        close_client(&stand, timeout_ms);
        check_refused(&stand);
        run_until_closed(&stand, false);
        ck_assert_int_eq(closing.code,
                         has_work(which) ? VECWIRE_ETIMEDOUT : VECWIRE_OK);
        check_ended(&stand, VECWIRE_ECLOSED);
        check_refused(&stand);
        stand_end(&stand);
        ck_assert_uint_eq(closing.runs, 1);
        ck_assert_msg(rig_descriptors() == descriptors,
                      "%s: a descriptor is left", stand_names[which]);
    }
}
END_TEST

/* What cannot go on by itself is canceled. */
START_TEST(a_close_lets_finish_what_is_there_in_every_state)
{
    uint32_t timeout_ms = _i == 0 ? VECWIRE_NEVER : 20000;

    for (int i = 0; i < 2 * (int)STAND_N; i++) {
        struct stand_rig stand;
        enum stand which = (enum stand)(i / 2);

        if (!stand_begin(&stand, which, base_of(i)))
            continue;
        close_client(&stand, timeout_ms);
        check_refused(&stand);
        stand_let_go(&stand);
        run_until_closed(&stand, true);
        ck_assert_int_eq(closing.code, VECWIRE_OK);
        check_ended(&stand, which == STAND_RESOLVING ||
                                    which == STAND_SHAKING || which == STAND_GAP
                                ? VECWIRE_ECANCELED
                                : VECWIRE_OK);
        stand_end(&stand);
        ck_assert_uint_eq(closing.runs, 1);
    }
}
END_TEST

static void
close_here(struct stand_rig *stand)
{
    close_client(stand, VECWIRE_NEVER);
    check_refused(stand);
}

static void
free_here(struct stand_rig *stand)
{
    vecwire_client_free(stand->rig.client);
    ck_assert_uint_eq(stand->runs, stand->calls);
    ck_assert_uint_eq(closing.runs, closing.code == VECWIRE_ECLOSED);
    stand->rig.client = NULL;
}

START_TEST(a_close_from_a_completion_lets_the_other_calls_finish)
{
    struct stand_rig stand;

    ck_assert(stand_begin(&stand, STAND_QUEUED, base_of(_i)));
    ck_assert_int_eq(stand_call(&stand), VECWIRE_OK);
    memset(&closing, 0, sizeof(closing));
    stand.then = close_here;
    run_until_closed(&stand, true);
    ck_assert_int_eq(closing.code, VECWIRE_OK);
    ck_assert_uint_eq(stand.n_code[VECWIRE_OK], 3);
    stand_end(&stand);
}
END_TEST

START_TEST(a_free_from_a_completion_ends_a_close)
{
    struct stand_rig stand;

    ck_assert(stand_begin(&stand, STAND_QUEUED, base_of(_i)));
    ck_assert_int_eq(stand_call(&stand), VECWIRE_OK);
    close_client(&stand, VECWIRE_NEVER);
    stand.then = free_here;
    stand_finish(&stand);
    ck_assert_uint_eq(closing.runs, 1);
    ck_assert_int_eq(closing.code, VECWIRE_ECLOSED);
    ck_assert_uint_eq(stand.n_code[VECWIRE_OK], 1);
    ck_assert_uint_eq(stand.n_code[VECWIRE_ECLOSED], 2);
    stand_end(&stand);
}
END_TEST

/* The bound is reached: the first of those it ends frees the client. */
START_TEST(a_free_from_a_completion_at_the_bound_ends_the_rest)
{
    struct stand_rig stand;

    ck_assert(stand_begin(&stand, STAND_QUEUED, base_of(_i)));
    ck_assert_int_eq(stand_call(&stand), VECWIRE_OK);
    close_client(&stand, 1);
    stand.then = free_here;
    for (int i = 0; i < 20000 && closing.runs == 0; i++)
        ck_assert_int_eq(vecwire_loop_step(stand.rig.loop, NULL), VECWIRE_OK);
    ck_assert_uint_eq(closing.runs, 1);
    ck_assert_int_eq(closing.code, VECWIRE_ECLOSED);
    ck_assert_uint_eq(stand.n_code[VECWIRE_ECLOSED], 3);
    stand_end(&stand);
}
END_TEST

/* Busy once, then good: the attempt after the close is one of a call that was
 * there before. */
START_TEST(a_close_waits_for_the_next_attempt_of_a_call)
{
    static const struct fault_step busy_once[] = {
        {FAULT_READ, NULL, 0},
        {FAULT_SEND,
         "HTTP/1.1 503 Busy\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n", 0},
        {FAULT_READ, NULL, 0},
        FAULT_OK("{\"matches\":[]}", "14"),
        {FAULT_AGAIN, NULL, 0}};
    static const struct fault_step *const scripts[] = {busy_once};
    struct stand_rig stand = {.stand = STAND_GAP};
    struct rig_outcome outcome;

    client_rig_init(&stand.rig, scripts, 1, VECWIRE_OPTIONS(.url = NULL));
    client_rig_query(&stand.rig, &outcome, NULL);
    while (vecwire_client_stats(stand.rig.client)->calls_retrying == 0)
        ck_assert_int_eq(vecwire_loop_step(stand.rig.loop, NULL), VECWIRE_OK);
    close_client(&stand, 20000);
    run_until_closed(&stand, false);
    ck_assert_int_eq(closing.code, VECWIRE_OK);
    ck_assert_int_eq(rig_outcome_code(&outcome), VECWIRE_OK);
    rig_outcome_fini(&outcome);
    client_rig_fini(&stand.rig);
}
END_TEST

static void
add(TCase *tcase)
{
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(
        tcase, a_free_ends_everything_at_once_and_gives_all_back, 0, N_FREES);
    tcase_add_loop_test(
        tcase, a_close_ends_at_its_bound_with_work_in_every_state, 0, 2);
    tcase_add_loop_test(tcase, a_close_lets_finish_what_is_there_in_every_state,
                        0, 2);
    tcase_add_loop_test(
        tcase, a_close_from_a_completion_lets_the_other_calls_finish, 0, 2);
    tcase_add_loop_test(tcase, a_free_from_a_completion_ends_a_close, 0, 2);
    tcase_add_loop_test(
        tcase, a_free_from_a_completion_at_the_bound_ends_the_rest, 0, 2);
    tcase_add_test(tcase, a_close_waits_for_the_next_attempt_of_a_call);
}

int
main(void)
{
    return client_rig_main("shutdown", add);
}
