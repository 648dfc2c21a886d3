/* SPDX-License-Identifier: Apache-2.0 */
/* A host that keeps the loop for longer than a deadline: an answer that came
 * meanwhile beats it, on the clock that tests move and on the real one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/client_rig.h"
#include "tests/fault_steps.h"
#include "tests/time_rig.h"

#define OK "HTTP/1.1 200 OK\r\n"
#define CHUNKED OK "Transfer-Encoding: chunked\r\n\r\n"
#define ROW(id)                                                                \
    "{\"id\":\"" id "\",\"text\":\"t\",\"metadata\":{},\"score\":0.5}"
#define ROWS "{\"matches\":[" ROW("a") "," ROW("b") "]}"
#define CHUNKED_ROWS                                                           \
    CHUNKED "d\r\n{\"matches\":[ \r\n30\r\n" ROW("a") ",\r\n2f\r\n" ROW(       \
        "b") "\r\n2\r\n]}\r\n0\r\n\r\n"
#define DEADLINE_MS 300
#define REAL_MS 100U /* on the real clock */
#define MANY 100

static const struct fault_step plain[] = {READ, GATE, FAULT_OK(ROWS, "109"),
                                          AGAIN};
static const struct fault_step chunked[] = {READ, GATE, SEND(CHUNKED_ROWS),
                                            AGAIN};
static const struct fault_step closing[] = {
    READ,
    GATE,
    SEND(OK "Connection: close\r\n\r\n" ROWS),
    {FAULT_END, NULL, 0}};
static const struct fault_step half[] = {READ, SEND(OK "Content-Length: 109"),
                                         GATE, SEND("\r\n\r\n" ROWS), AGAIN};
static const struct fault_step interim[] = {
    READ, SEND("HTTP/1.1 100 Continue\r\n\r\n"), GATE, FAULT_OK(ROWS, "109"),
    AGAIN};
static const struct fault_step long_text[] = {
    READ,
    GATE,
    SEND(OK "Content-Length: 50000\r\n\r\n"),
    {FAULT_FILL, NULL, 50000},
    AGAIN};

static const struct kind {
    const char *what;
    enum time_rig_peer peer;
    const struct fault_step *script;
    unsigned calls;
    bool rows; /* before the end */
    bool raw;
    uint32_t per_turn; /* bytes */
} kinds[] = {
    {"plain", TIME_RIG_SERVER, plain, 1, false, false, 0},
    {"over TLS", TIME_RIG_TLS, plain, 1, false, false, 0},
    {"chunked", TIME_RIG_SERVER, chunked, 1, false, false, 0},
    {"chunked, over TLS", TIME_RIG_TLS, chunked, 1, false, false, 0},
    {"ended by a close", TIME_RIG_SERVER, closing, 1, false, false, 0},
    {"begun before", TIME_RIG_SERVER, half, 1, false, false, 0},
    {"behind 100 Continue", TIME_RIG_SERVER, interim, 1, false, false, 0},
    {"rows", TIME_RIG_SERVER, chunked, 1, true, false, 0},
    {"rows, over TLS", TIME_RIG_TLS, chunked, 1, true, false, 0},
    {"more than a turn", TIME_RIG_SERVER, long_text, 1, false, true, 4096},
    {"more than a turn, over TLS", TIME_RIG_TLS, long_text, 1, false, true,
     4096},
    {"many calls", TIME_RIG_SERVER, plain, MANY, false, false, 0},
    {"many calls over TLS", TIME_RIG_TLS, chunked, MANY, false, false, 0},
    {"more than a turn, many calls", TIME_RIG_SERVER, long_text, MANY, false,
     true, 4096},
};

#define N_KINDS ((int)(sizeof(kinds) / sizeof(kinds[0])))
#define N_SINGLE 11 /* the first ones: one call */

static struct time_rig rig;
static unsigned runs, failed;
static size_t n_rows;
static enum vecwire_err last_code;
static uint32_t deadline_ms = DEADLINE_MS;

static void
on_reply(const struct vecwire_reply *reply, void *arg)
{
    const struct vecwire_error *error = vecwire_reply_error(reply);

    (void)arg;
    runs++;
    failed += error != NULL;
    last_code = error == NULL ? VECWIRE_OK : error->code;
}

static enum vecwire_rows_action
on_rows(const struct vecwire_reply *rows, void *arg)
{
    (void)arg;
    n_rows += vecwire_reply_count(rows);
    return VECWIRE_CONTINUE;
}

static void
ask(const struct kind *kind)
{
    static const float vector[3] = {1, 2, 3};

    if (kind->raw)
        ck_assert_int_eq(vecwire_raw(rig.client, &VECWIRE_RAW(.path = "/"),
                                     on_reply, NULL, NULL),
                         VECWIRE_OK);
    else
        ck_assert_int_eq(
            vecwire_query(
                rig.client,
                &VECWIRE_QUERY(.vector = vector, .dim = 3,
                               .on_rows = kind->rows ? on_rows : NULL),
                on_reply, NULL, NULL),
            VECWIRE_OK);
}

/* Every call has been asked and nothing answered. False: no TLS here. On the
 * real clock it may have been too slow. */
static bool
ask_all(const struct kind *kind, bool real)
{
    static const struct fault_step *scripts[1];

    scripts[0] = kind->script;
    runs = failed = 0;
    n_rows = 0;
    if (!time_rig_init(&rig, kind->peer, scripts, 1,
                       VECWIRE_OPTIONS(.connections = 256,
                                       .deadline_ms = deadline_ms,
                                       .connect_ms = VECWIRE_NEVER,
                                       .read_per_turn = kind->per_turn)))
        return false;
    if (real)
        time_rig_use_real_clock(&rig);
    /* One by one: libevent asks for no more descriptors at a time than it
     * had to. */
    for (unsigned i = 0; i < kind->calls; i++) {
        ask(kind);
        for (int turns = 0;
             fault_server_requests(rig.server) < i + 1 && runs == 0; turns++) {
            ck_assert_int_lt(turns, 1000);
            time_rig_turn(&rig);
        }
    }
    ck_assert(real || runs == 0);
    return true;
}

static void
answer(void)
{
    fault_server_open_gate(rig.server);
    for (int i = 0; i < 8; i++)
        event_base_loop(rig.server_base, EVLOOP_NONBLOCK);
}

static void
check_answered(const struct kind *kind)
{
    ck_assert_uint_eq(runs, kind->calls);
    ck_assert_msg(failed == 0, "%s: %u of %u failed, %s", kind->what, failed,
                  runs, vecwire_err_name(last_code));
    if (kind->rows)
        ck_assert_uint_eq(n_rows, 2);
}

/* The timer rings before anything is read: here it does so in every pass. */
START_TEST(an_answer_that_came_while_the_loop_slept_beats_the_deadline)
{
    const struct kind *kind = &kinds[_i];

    if (!ask_all(kind, false))
        return;
    answer();
    time_rig_oversleep(&rig, DEADLINE_MS + 1);
    for (int i = 0; i < 400 && runs < kind->calls; i++)
        time_rig_step(&rig);
    check_answered(kind);
    time_rig_fini(&rig);
}
END_TEST

struct busy {
    bool done, too_late; /* the call had ended before */
};

/* The host's own event. */
static void
be_busy(evutil_socket_t fd, short what, void *arg)
{
    struct busy *busy = arg;

    (void)fd;
    (void)what;
    *busy = (struct busy){.done = true, .too_late = runs > 0};
    answer();
    usleep((deadline_ms + 50) * 1000);
}

START_TEST(so_it_does_on_the_real_clock)
{
    const struct kind *kind = &kinds[_i];
    struct busy busy = {false, true};

    /* On a machine that is too slow, once more with a longer deadline. */
    for (int tries = 0; busy.too_late; tries++) {
        ck_assert_int_lt(tries, 8);
        if (tries > 0)
            time_rig_fini(&rig);
        deadline_ms = REAL_MS << tries;
        if (!ask_all(kind, true))
            return;
        busy.done = false;
        event_base_once(rig.base, -1, EV_TIMEOUT, be_busy, &busy, NULL);
        while (runs == 0 || !busy.done)
            event_base_loop(rig.base, EVLOOP_ONCE);
    }
    check_answered(kind);
    time_rig_fini(&rig);
    deadline_ms = DEADLINE_MS;
}
END_TEST

static uint64_t
now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static uint64_t asked_at;

static void
ask_when_busy(evutil_socket_t fd, short what, void *arg)
{
    usleep((REAL_MS + 50) * 1000);
    asked_at = now_ms();
    ask(arg);
    (void)fd;
    (void)what;
}

/* libevent's time is that of the pass, which began before the callback. */
START_TEST(a_limit_set_behind_a_busy_callback_is_not_early)
{
    static struct kind kind = {"late", TIME_RIG_SERVER, plain, 1,
                               false,  false,           0};
    static const struct fault_step *const scripts[] = {plain};
    bool connecting = _i == 1;

    runs = 0;
    ck_assert(time_rig_init(
        &rig, connecting ? TIME_RIG_DEAF_SERVER : TIME_RIG_SERVER, scripts, 1,
        VECWIRE_OPTIONS(.attempts = 1,
                        .deadline_ms = connecting ? VECWIRE_NEVER : REAL_MS,
                        .connect_ms = connecting ? REAL_MS : VECWIRE_NEVER)));
    time_rig_use_real_clock(&rig);
    event_base_once(rig.base, -1, EV_TIMEOUT, ask_when_busy, &kind, NULL);
    while (runs == 0)
        event_base_loop(rig.base, EVLOOP_ONCE);
    ck_assert_int_eq(last_code, VECWIRE_ETIMEDOUT);
    ck_assert_uint_ge(now_ms() - asked_at, REAL_MS - 1);
    time_rig_fini(&rig);
}
END_TEST

/* --- the connect limit --- */

static const struct fault_step answers[] = {READ, FAULT_OK(ROWS, "109"), AGAIN};

static const struct kind connects[] = {
    {"connected", TIME_RIG_SERVER, answers, MANY, false, false, 0},
    {"shaken hands", TIME_RIG_TLS, answers, 1, false, false, 0},
    {"resolved", TIME_RIG_NAMED, answers, 1, false, false, 0},
};

/* What the connections wait for has come, and the limit has passed. */
START_TEST(a_connection_that_came_up_while_the_loop_slept_is_used)
{
    static const struct fault_step *const scripts[] = {answers};
    const struct kind *kind = &connects[_i];

    runs = failed = 0;
    if (!time_rig_init(&rig, kind->peer, scripts, 1,
                       VECWIRE_OPTIONS(.connections = 256, .attempts = 1,
                                       .connect_ms = DEADLINE_MS)))
        return;
    for (unsigned i = 0; i < kind->calls; i++)
        ask(kind);
    /* A hello is answered, or the query that has left already. */
    if (kind->peer == TIME_RIG_TLS)
        time_rig_step(&rig);
    for (int i = 0; kind->calls == 1 && i < 4; i++)
        event_base_loop(rig.server_base, EVLOOP_NONBLOCK);
    time_rig_oversleep(&rig, DEADLINE_MS + 1);
    for (int i = 0; i < 100 && runs < kind->calls; i++) {
        time_rig_step(&rig);
        if (i > 10)
            event_base_loop(rig.server_base, EVLOOP_NONBLOCK);
    }
    check_answered(kind);
    time_rig_fini(&rig);
}
END_TEST

START_TEST(nothing_that_came_while_the_loop_slept_ends_the_connecting)
{
    static const enum time_rig_peer peers[] = {TIME_RIG_DEAF_SERVER,
                                               TIME_RIG_NO_NAME, TIME_RIG_TLS};
    static const struct fault_step *const scripts[] = {answers};

    runs = failed = 0;
    if (!time_rig_init(
            &rig, peers[_i], scripts, 1,
            VECWIRE_OPTIONS(.attempts = 1, .connect_ms = DEADLINE_MS)))
        return;
    ask(&kinds[0]);
    for (int i = 0; i < 5; i++)
        time_rig_step(&rig);
    time_rig_oversleep(&rig, DEADLINE_MS + 1);
    for (int i = 0; i < 5; i++)
        time_rig_step(&rig);
    ck_assert_uint_eq(runs, 1);
    ck_assert_int_eq(last_code, VECWIRE_ETIMEDOUT);
    time_rig_fini(&rig);
}
END_TEST

/* Reset while it waited to be accepted. */
START_TEST(a_refusal_that_came_while_the_loop_slept_is_told_as_one)
{
    static const struct fault_step *const scripts[] = {answers};

    runs = failed = 0;
    ck_assert(time_rig_init(
        &rig, TIME_RIG_SERVER, scripts, 1,
        VECWIRE_OPTIONS(.attempts = 1, .connect_ms = DEADLINE_MS)));
    ask(&kinds[0]);
    fault_server_free(rig.server);
    rig.server = NULL;
    time_rig_oversleep(&rig, DEADLINE_MS + 1);
    for (int i = 0; i < 5; i++)
        time_rig_step(&rig);
    ck_assert_uint_eq(runs, 1);
    ck_assert_int_eq(last_code, VECWIRE_EREFUSED);
    time_rig_fini(&rig);
}
END_TEST

/* --- what is not there does not count --- */

START_TEST(half_an_answer_does_not_beat_the_deadline)
{
    static const struct fault_step halves[] = {
        READ, GATE, SEND(OK "Content-Length: 109\r\n\r\n{"), GATE, AGAIN};
    static const struct kind kind = {"half", TIME_RIG_SERVER, halves, 1,
                                     false,  false,           0};

    ck_assert(ask_all(&kind, false));
    answer();
    time_rig_oversleep(&rig, DEADLINE_MS + 1);
    for (int i = 0; i < 5; i++)
        time_rig_step(&rig);
    ck_assert_uint_eq(runs, 1);
    ck_assert_int_eq(last_code, VECWIRE_ETIMEDOUT);
    time_rig_fini(&rig);
}
END_TEST

/* A server that never stops sending does not hold a call for ever. */
START_TEST(an_endless_answer_does_not_beat_the_deadline)
{
    static const struct fault_step endless[] = {
        READ,
        GATE,
        SEND(OK "Content-Length: 200000000\r\n\r\n"),
        {FAULT_FILL, NULL, 200000000},
        AGAIN};
    static const struct kind kind = {
        "endless", TIME_RIG_SERVER, endless, 1, false, true, 16384};
    int passes = 0;

    ck_assert(ask_all(&kind, false));
    answer();
    time_rig_oversleep(&rig, DEADLINE_MS + 1);
    while (runs == 0 && passes++ < 5000) {
        event_base_loop(rig.server_base, EVLOOP_NONBLOCK);
        time_rig_step(&rig);
    }
    ck_assert_uint_eq(runs, 1);
    ck_assert_int_eq(last_code, VECWIRE_ETIMEDOUT);
    time_rig_fini(&rig);
}
END_TEST

static void
add_tests(TCase *tc)
{
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, a_refusal_that_came_while_the_loop_slept_is_told_as_one);
    tcase_add_loop_test(
        tc, an_answer_that_came_while_the_loop_slept_beats_the_deadline, 0,
        N_KINDS);
    tcase_add_loop_test(tc, so_it_does_on_the_real_clock, 0, N_SINGLE);
    tcase_add_loop_test(tc, a_limit_set_behind_a_busy_callback_is_not_early, 0,
                        2);
    tcase_add_loop_test(
        tc, a_connection_that_came_up_while_the_loop_slept_is_used, 0, 3);
    tcase_add_loop_test(
        tc, nothing_that_came_while_the_loop_slept_ends_the_connecting, 0, 3);
    tcase_add_test(tc, half_an_answer_does_not_beat_the_deadline);
    tcase_add_test(tc, an_endless_answer_does_not_beat_the_deadline);
}

int
main(void)
{
    return client_rig_main("overslept", add_tests);
}
