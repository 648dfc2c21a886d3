/* SPDX-License-Identifier: Apache-2.0 */
/* docs/retry.md cell by cell: what failed, for every verb, and how often the
 * request then arrived. Of the rows one cannot be had with a real socket, that
 * of a connection lost before a byte left: tests/check_engine_retry.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/client_rig.h"
#include "tests/fault_steps.h"
#include "tests/retry_rig.h"

#define EMPTY "Content-Length: 0\r\n\r\n"

#define GOOD SEND(RETRY_GOOD)
#define STATUS(name, line)                                                     \
    static const struct fault_step name[] = {                                  \
        READ, SEND("HTTP/1.1 " line "\r\n" EMPTY), READ, GOOD, AGAIN}

static const struct fault_step good[] = {READ, GOOD, AGAIN};
static const struct fault_step silent[] = {{FAULT_STALL, NULL, 0}};
/* Warm: the first request is answered. */
static const struct fault_step warm_end[] = {READ, GOOD, READ, END};
static const struct fault_step warm_reset[] = {
    READ, GOOD, READ, {FAULT_RESET, NULL, 0}};
static const struct fault_step warm_byte[] = {READ, GOOD, READ, SEND("H"), END};
static const struct fault_step cold_end[] = {READ, END};
static const struct fault_step cold_reset[] = {READ, {FAULT_RESET, NULL, 0}};
static const struct fault_step in_line[] = {READ, SEND("HTTP/1.1 20"), END};
static const struct fault_step in_head[] = {
    READ, SEND("HTTP/1.1 200 OK\r\nContent-"), END};
static const struct fault_step in_body[] = {
    READ, SEND("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"added\":1"),
    END};
static const struct fault_step after_rows[] = {
    READ,
    SEND("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"matches\":[{\"id\":"
         "\"a\",\"score\":1},"),
    END};
static const struct fault_step garbage[] = {READ, SEND("SSH-2.0-x\r\n\r\n"),
                                            END};
static const struct fault_step framing[] = {
    READ,
    SEND("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}"),
    END};
static const struct fault_step huge[] = {
    READ, SEND("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n"), END};
static const struct fault_step no_json[] = {
    READ, SEND("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]"), READ, GOOD,
    AGAIN};

STATUS(s301, "301 Moved");
STATUS(s400, "400 Bad");
STATUS(s404, "404 Not Found");
STATUS(s408, "408 Timeout");
STATUS(s413, "413 Large");
STATUS(s429, "429 Many");
STATUS(s500, "500 Error");
STATUS(s502, "502 Gateway");
STATUS(s503, "503 Busy");
STATUS(s504, "504 Timeout");
STATUS(s507, "507 Full");

enum again { NO, AT_ONCE, GAP };

struct cell {
    enum again again;
    enum vecwire_err code; /* where it is not sent again */
    bool retryable, unknown;
};

#define CELL(again, code, ...)                                                 \
    {                                                                          \
        again, code, __VA_ARGS__                                               \
    }
#define SENT_AGAIN(how) CELL(how, VECWIRE_OK, false, false)
/* R, I, I with repeat_writes, N. Lost for good: the reads know, the writes do
 * not. */
#define LOST                                                                   \
    {                                                                          \
        CELL(NO, VECWIRE_EIO, true, false),                                    \
            CELL(NO, VECWIRE_EUNKNOWN, false, true),                           \
            CELL(NO, VECWIRE_EUNKNOWN, true, true),                            \
            CELL(NO, VECWIRE_EUNKNOWN, false, true)                            \
    }
#define LOST_ONCE                                                              \
    {                                                                          \
        SENT_AGAIN(AT_ONCE), CELL(NO, VECWIRE_EUNKNOWN, false, true),          \
            SENT_AGAIN(AT_ONCE), CELL(NO, VECWIRE_EUNKNOWN, false, true)       \
    }
#define PASSING                                                                \
    {                                                                          \
        CELL(NO, VECWIRE_EHTTP, true, false),                                  \
            CELL(NO, VECWIRE_EHTTP, false, false),                             \
            CELL(NO, VECWIRE_EHTTP, true, false),                              \
            CELL(NO, VECWIRE_EHTTP, false, false)                              \
    }
/* A reply that is of no use; the outcome is unknown without its status. */
#define USELESS(code, unknown)                                                 \
    {                                                                          \
        CELL(NO, code, false, false), CELL(NO, code, false, unknown),          \
            CELL(NO, code, false, unknown), CELL(NO, code, false, unknown)     \
    }

enum only { EVERY_VERB, WITH_ROWS, NOT_RAW };

static const struct row {
    const char *what;
    const struct fault_step *script; /* of the first connection */
    const struct fault_step *next;   /* of the others */
    bool warm;
    enum only only;
    struct cell cells[4];
} rows[] = {
    {"reused, closed", warm_end, good, true, EVERY_VERB, LOST_ONCE},
    {"reused, reset", warm_reset, good, true, EVERY_VERB, LOST_ONCE},
    {"fresh, closed", cold_end, good, false, EVERY_VERB, LOST},
    {"fresh, reset", cold_reset, good, false, EVERY_VERB, LOST},
    {"reused, a byte of a reply", warm_byte, good, true, EVERY_VERB, LOST},
    {"lost in the status line", in_line, good, false, EVERY_VERB, LOST},
    {"lost in the head", in_head, good, false, EVERY_VERB, LOST},
    {"lost in the body", in_body, good, false, EVERY_VERB, LOST},
    {"lost after rows", after_rows, good, false, WITH_ROWS, LOST},
    {"429",
     s429,
     good,
     false,
     EVERY_VERB,
     {SENT_AGAIN(GAP), SENT_AGAIN(GAP), SENT_AGAIN(GAP),
      CELL(NO, VECWIRE_EHTTP, false, false)}},
    {"503",
     s503,
     good,
     false,
     EVERY_VERB,
     {SENT_AGAIN(GAP), CELL(NO, VECWIRE_EHTTP, false, false), SENT_AGAIN(GAP),
      CELL(NO, VECWIRE_EHTTP, false, false)}},
    {"408", s408, good, false, EVERY_VERB, PASSING},
    {"502", s502, good, false, EVERY_VERB, PASSING},
    {"504", s504, good, false, EVERY_VERB, PASSING},
    {"301", s301, good, false, EVERY_VERB, USELESS(VECWIRE_EHTTP, false)},
    {"400", s400, good, false, EVERY_VERB, USELESS(VECWIRE_EHTTP, false)},
    {"404", s404, good, false, EVERY_VERB, USELESS(VECWIRE_EHTTP, false)},
    {"413", s413, good, false, EVERY_VERB, USELESS(VECWIRE_EHTTP, false)},
    {"500", s500, good, false, EVERY_VERB, USELESS(VECWIRE_EHTTP, false)},
    {"507", s507, good, false, EVERY_VERB, USELESS(VECWIRE_EHTTP, false)},
    {"no HTTP", garbage, good, false, EVERY_VERB,
     USELESS(VECWIRE_EPROTO, true)},
    {"broken framing", framing, good, false, EVERY_VERB,
     USELESS(VECWIRE_EPROTO, true)},
    {"too large", huge, good, false, EVERY_VERB,
     USELESS(VECWIRE_EREPLYSIZE, false)},
    {"not readable", no_json, good, false, NOT_RAW,
     USELESS(VECWIRE_EDECODE, false)},
};

#define N_ROWS ((int)(sizeof(rows) / sizeof(rows[0])))

static struct time_rig rig;

static size_t
column_of(enum retry_verb verb, bool repeat)
{
    if (verb <= RETRY_GET)
        return 0;
    if (verb > RETRY_DELETE)
        return 3;
    return repeat ? 2 : 1;
}

static bool
open_rig(enum time_rig_peer peer, const struct fault_step *first,
         const struct fault_step *next, struct vecwire_options options)
{
    static const struct fault_step *scripts[2];

    scripts[0] = first;
    scripts[1] = next;
    options.max_reply_bytes = 1000;
    return time_rig_init(&rig, peer, scripts, 2, options);
}

static void
warm_up(void)
{
    struct retry_call call;

    retry_begin(&call, &rig, RETRY_GET, false, NULL);
    retry_pass(&call, 0);
    ck_assert_uint_eq(call.runs, 1);
    ck_assert_int_eq(call.error.code, VECWIRE_OK);
    retry_end(&call);
}

static void
check_cell(const struct retry_call *call, const struct cell *cell,
           const char *what, int verb)
{
    ck_assert_msg(call->runs == 1 && call->error.code == cell->code,
                  "%s, verb %d: %u runs, %s", what, verb, call->runs,
                  vecwire_err_name(call->error.code));
    ck_assert_msg(call->error.retryable == cell->retryable, "%s, verb %d", what,
                  verb);
    ck_assert_msg(call->error.outcome_unknown == cell->unknown, "%s, verb %d",
                  what, verb);
    ck_assert_uint_eq(call->attempts, cell->again == NO ? 1 : 2);
    ck_assert_msg(call->requests == (cell->again == NO ? 1 : 2),
                  "%s, verb %d: %zu requests", what, verb, call->requests);
}

static void
run_cell(const struct row *row, enum retry_verb verb, bool repeat)
{
    const struct cell *cell = &row->cells[column_of(verb, repeat)];
    struct retry_call call;

    ck_assert(open_rig(TIME_RIG_SERVER, row->script, row->next,
                       VECWIRE_OPTIONS(.repeat_writes = repeat)));
    if (row->warm)
        warm_up();
    retry_begin(&call, &rig, verb, row->only == WITH_ROWS, NULL);
    retry_pass(&call, cell->again == GAP ? 101 : 0);
    check_cell(&call, cell, row->what, (int)verb);
    if (row->only == WITH_ROWS)
        ck_assert_uint_eq(call.rows, 1);
    /* Nothing follows. */
    time_rig_pass(&rig, 70000);
    retry_turn(&call);
    check_cell(&call, cell, row->what, (int)verb);
    retry_end(&call);
    time_rig_fini(&rig);
}

START_TEST(each_cell_is_sent_as_often_as_the_table_says)
{
    const struct row *row = &rows[_i];

    for (int verb = 0; verb < N_RETRY_VERBS; verb++) {
        if ((row->only == WITH_ROWS && verb != RETRY_QUERY) ||
            (row->only == NOT_RAW &&
             (verb == RETRY_GET || verb > RETRY_DELETE)))
            continue;
        run_cell(row, (enum retry_verb)verb, false);
        run_cell(row, (enum retry_verb)verb, true);
    }
}
END_TEST

/* --- no connection came up --- */

static const struct round {
    const char *what;
    enum time_rig_peer peer;
    bool refused;
    enum vecwire_err code;
    bool again, retryable;
} rounds[] = {
    {"refused", TIME_RIG_SERVER, true, VECWIRE_EREFUSED, true, true},
    {"name not answered", TIME_RIG_NO_NAME, false, VECWIRE_ETIMEDOUT, true,
     true},
    {"name refused", TIME_RIG_BAD_NAME, false, VECWIRE_ERESOLVE, true, true},
    {"connect limit", TIME_RIG_DEAF_SERVER, false, VECWIRE_ETIMEDOUT, true,
     true},
    {"TLS to who has none", TIME_RIG_TLS_TO_PLAIN, false, VECWIRE_ETLS, false,
     false},
};

#define N_ROUNDS ((int)(sizeof(rounds) / sizeof(rounds[0])))

/* Three attempts, the gaps between them of at most 100 and 200 ms. */
START_TEST(a_round_that_fails_is_repeated_for_every_verb)
{
    static const struct fault_step no_tls[] = {SEND("HTTP/1.1 400 Bad\r\n\r\n"),
                                               END};
    const struct round *round = &rounds[_i / N_RETRY_VERBS];
    struct retry_call call;
    uint64_t most = 3 * 20 + 301;

    if (!open_rig(round->peer,
                  round->peer == TIME_RIG_TLS_TO_PLAIN ? no_tls : silent,
                  silent, VECWIRE_OPTIONS(.connect_ms = 20)))
        return;
    if (round->refused)
        fault_server_stop_listening(rig.server);
    retry_begin(&call, &rig, (enum retry_verb)(_i % N_RETRY_VERBS), false,
                NULL);
    retry_pass(&call, most);
    ck_assert_msg(call.runs == 1 && call.error.code == round->code, "%s: %s",
                  round->what, vecwire_err_name(call.error.code));
    ck_assert_uint_eq(call.attempts, round->again ? 3 : 1);
    ck_assert_int_eq(call.error.retryable, round->retryable);
    ck_assert(!call.error.outcome_unknown);
    ck_assert_uint_eq(call.requests, 0);
    retry_end(&call);
    time_rig_fini(&rig);
}
END_TEST

static void
add_tests(TCase *tc)
{
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, each_cell_is_sent_as_often_as_the_table_says, 0,
                        N_ROWS);
    tcase_add_loop_test(tc, a_round_that_fails_is_repeated_for_every_verb, 0,
                        N_ROUNDS * (int)N_RETRY_VERBS);
}

int
main(void)
{
    return client_rig_main("retry table", add_tests);
}
