/* SPDX-License-Identifier: Apache-2.0 */
#include "call/verdict.h"

#include <check.h>
#include <stdlib.h>

#define E(code) VECWIRE_##code

enum outcome { KNOWN, UNKNOWN };
enum caller { LEAVE_IT, TRY_AGAIN };

struct cell {
    enum vecwire__fate fate;
    enum vecwire_err code;
    enum caller caller;
    enum outcome outcome;
};

/* What failed, and what becomes of a read, an idempotent and another write,
 * the two writes without repeat_writes; `repeated` is the idempotent write
 * with it. */
struct row {
    const char *what;
    struct vecwire__failure f;
    struct cell read, idempotent, never, repeated;
};

#define FAIL VECWIRE__FAIL
#define FRESH VECWIRE__RETRY_FRESH
#define AFTER VECWIRE__RETRY_AFTER

#define CELL(...)                                                              \
    {                                                                          \
        __VA_ARGS__                                                            \
    }

/* The same in all four columns. */
#define ALL(fate, code, caller, outcome)                                       \
    CELL(fate, E(code), caller, outcome),                                      \
        CELL(fate, E(code), caller, outcome),                                  \
        CELL(fate, E(code), caller, outcome),                                  \
        CELL(fate, E(code), caller, outcome)

/* A reply that cannot be used: `outcome` for the writes. */
#define BROKEN(code, outcome)                                                  \
    CELL(FAIL, E(code), LEAVE_IT, KNOWN),                                      \
        CELL(FAIL, E(code), LEAVE_IT, outcome),                                \
        CELL(FAIL, E(code), LEAVE_IT, outcome),                                \
        CELL(FAIL, E(code), LEAVE_IT, outcome)

static const struct row rows[] = {
    {"refused",
     {.code = E(EREFUSED), .round_failed = true},
     ALL(AFTER, EREFUSED, TRY_AGAIN, KNOWN)},
    {"refused, by its code alone",
     {.code = E(EREFUSED)},
     ALL(AFTER, EREFUSED, TRY_AGAIN, KNOWN)},
    {"unresolved",
     {.code = E(ERESOLVE), .round_failed = true},
     ALL(AFTER, ERESOLVE, TRY_AGAIN, KNOWN)},
    {"connect limit",
     {.code = E(ETIMEDOUT), .round_failed = true},
     ALL(AFTER, ETIMEDOUT, TRY_AGAIN, KNOWN)},
    {"lost while it came up",
     {.code = E(EIO), .round_failed = true},
     ALL(AFTER, EIO, TRY_AGAIN, KNOWN)},
    {"reused, dead before a byte left",
     {.code = E(EIO), .reused = true},
     ALL(FRESH, EIO, TRY_AGAIN, KNOWN)},
    {"fresh, dead before a byte left",
     {.code = E(EIO)},
     ALL(FRESH, EIO, TRY_AGAIN, KNOWN)},
    {"reused, lost without a reply byte",
     {.code = E(EIO), .reused = true, .sent_any = true},
     {FRESH, E(EIO), TRY_AGAIN, KNOWN},
     {FAIL, E(EUNKNOWN), LEAVE_IT, UNKNOWN},
     {FAIL, E(EUNKNOWN), LEAVE_IT, UNKNOWN},
     {FRESH, E(EUNKNOWN), TRY_AGAIN, UNKNOWN}},
    {"fresh, lost without a reply byte",
     {.code = E(EIO), .sent_any = true},
     {FAIL, E(EIO), TRY_AGAIN, KNOWN},
     {FAIL, E(EUNKNOWN), LEAVE_IT, UNKNOWN},
     {FAIL, E(EUNKNOWN), LEAVE_IT, UNKNOWN},
     {FAIL, E(EUNKNOWN), TRY_AGAIN, UNKNOWN}},
    {"lost after a reply byte",
     {.code = E(EIO), .reused = true, .sent_any = true, .reply_seen = true},
     {FAIL, E(EIO), TRY_AGAIN, KNOWN},
     {FAIL, E(EUNKNOWN), LEAVE_IT, UNKNOWN},
     {FAIL, E(EUNKNOWN), LEAVE_IT, UNKNOWN},
     {FAIL, E(EUNKNOWN), TRY_AGAIN, UNKNOWN}},
    {"lost after a reply to what had not left",
     {.code = E(EIO), .reply_seen = true},
     {FAIL, E(EIO), TRY_AGAIN, KNOWN},
     {FAIL, E(EUNKNOWN), LEAVE_IT, UNKNOWN},
     {FAIL, E(EUNKNOWN), LEAVE_IT, UNKNOWN},
     {FAIL, E(EUNKNOWN), TRY_AGAIN, UNKNOWN}},
    {"lost after rows were given",
     {.code = E(EIO),
      .http_status = 200,
      .reused = true,
      .sent_any = true,
      .rows_given = true},
     {FAIL, E(EIO), TRY_AGAIN, KNOWN},
     {FAIL, E(EUNKNOWN), LEAVE_IT, UNKNOWN},
     {FAIL, E(EUNKNOWN), LEAVE_IT, UNKNOWN},
     {FAIL, E(EUNKNOWN), TRY_AGAIN, UNKNOWN}},
    {"429",
     {.code = E(EHTTP), .http_status = 429, .sent_any = true},
     {AFTER, E(EHTTP), TRY_AGAIN, KNOWN},
     {AFTER, E(EHTTP), TRY_AGAIN, KNOWN},
     {FAIL, E(EHTTP), LEAVE_IT, KNOWN},
     {AFTER, E(EHTTP), TRY_AGAIN, KNOWN}},
    {"503",
     {.code = E(EHTTP), .http_status = 503, .sent_any = true},
     {AFTER, E(EHTTP), TRY_AGAIN, KNOWN},
     {FAIL, E(EHTTP), LEAVE_IT, KNOWN},
     {FAIL, E(EHTTP), LEAVE_IT, KNOWN},
     {AFTER, E(EHTTP), TRY_AGAIN, KNOWN}},
    {"429 that the dialect never repeats",
     {.code = E(EHTTP),
      .http_status = 429,
      .sent_any = true,
      .never_status = true},
     ALL(FAIL, EHTTP, LEAVE_IT, KNOWN)},
    {"504",
     {.code = E(EHTTP), .http_status = 504, .sent_any = true},
     {FAIL, E(EHTTP), TRY_AGAIN, KNOWN},
     {FAIL, E(EHTTP), LEAVE_IT, KNOWN},
     {FAIL, E(EHTTP), LEAVE_IT, KNOWN},
     {FAIL, E(EHTTP), TRY_AGAIN, KNOWN}},
    {"500",
     {.code = E(EHTTP), .http_status = 500, .sent_any = true},
     ALL(FAIL, EHTTP, LEAVE_IT, KNOWN)},
    {"404",
     {.code = E(EHTTP), .http_status = 404, .sent_any = true},
     ALL(FAIL, EHTTP, LEAVE_IT, KNOWN)},
    {"301",
     {.code = E(EHTTP), .http_status = 301, .sent_any = true},
     ALL(FAIL, EHTTP, LEAVE_IT, KNOWN)},
    {"TLS",
     {.code = E(ETLS), .round_failed = true},
     ALL(FAIL, ETLS, LEAVE_IT, KNOWN)},
    {"TLS, after a byte had left",
     {.code = E(ETLS), .sent_any = true},
     BROKEN(ETLS, UNKNOWN)},
    {"broken framing, no status",
     {.code = E(EPROTO), .sent_any = true, .reply_seen = true, .reused = true},
     BROKEN(EPROTO, UNKNOWN)},
    {"broken framing after the status",
     {.code = E(EPROTO),
      .http_status = 200,
      .sent_any = true,
      .reply_seen = true},
     BROKEN(EPROTO, KNOWN)},
    {"reply too large",
     {.code = E(EREPLYSIZE),
      .http_status = 200,
      .sent_any = true,
      .reply_seen = true},
     BROKEN(EREPLYSIZE, KNOWN)},
    {"reply does not parse",
     {.code = E(EDECODE),
      .http_status = 200,
      .sent_any = true,
      .reply_seen = true},
     BROKEN(EDECODE, KNOWN)},
    {"no memory to send",
     {.code = E(ENOMEM)},
     ALL(FAIL, ENOMEM, TRY_AGAIN, KNOWN)},
    {"no memory after sending",
     {.code = E(ENOMEM), .sent_any = true},
     {FAIL, E(ENOMEM), TRY_AGAIN, KNOWN},
     {FAIL, E(ENOMEM), LEAVE_IT, UNKNOWN},
     {FAIL, E(ENOMEM), LEAVE_IT, UNKNOWN},
     {FAIL, E(ENOMEM), TRY_AGAIN, UNKNOWN}},
    {"deadline before a byte left",
     {.code = E(ETIMEDOUT)},
     ALL(FAIL, ETIMEDOUT, TRY_AGAIN, KNOWN)},
    {"deadline after a byte had left",
     {.code = E(ETIMEDOUT), .sent_any = true},
     {FAIL, E(ETIMEDOUT), TRY_AGAIN, KNOWN},
     {FAIL, E(ETIMEDOUT), LEAVE_IT, UNKNOWN},
     {FAIL, E(ETIMEDOUT), LEAVE_IT, UNKNOWN},
     {FAIL, E(ETIMEDOUT), TRY_AGAIN, UNKNOWN}},
    {"canceled before a byte left",
     {.code = E(ECANCELED)},
     ALL(FAIL, ECANCELED, LEAVE_IT, KNOWN)},
    {"canceled after a byte had left",
     {.code = E(ECANCELED), .sent_any = true, .http_status = 200},
     BROKEN(ECANCELED, UNKNOWN)},
    {"client closed after a byte had left",
     {.code = E(ECLOSED), .sent_any = true},
     BROKEN(ECLOSED, UNKNOWN)},
};

#define N_ROWS ((int)(sizeof(rows) / sizeof(rows[0])))
#define N_CELLS (N_ROWS * 4)

/* A row's failure in one of the four columns, with no limit in the way. */
static struct vecwire__failure
failure_of(int row, int column)
{
    struct vecwire__failure f = rows[row].f;

    f.class =
        column == 3 ? VECWIRE__IDEMPOTENT : (enum vecwire__retry_class)column;
    f.repeat_writes = column == 3;
    f.budget_left = true;
    f.attempts = 1;
    f.max_attempts = 3;
    f.retry_after_ms = -1;
    f.left_ms = UINT64_MAX;
    f.random = UINT32_MAX;
    return f;
}

static const struct cell *
cell_of(int row, int column)
{
    const struct cell *columns[] = {&rows[row].read, &rows[row].idempotent,
                                    &rows[row].never, &rows[row].repeated};

    return columns[column];
}

static bool
has_status(const struct vecwire__failure *f)
{
    return f->code == VECWIRE_EHTTP;
}

START_TEST(each_cell_of_the_table_has_its_fate)
{
    for (int i = 0; i < N_CELLS; i++) {
        struct vecwire__failure f = failure_of(i / 4, i % 4);
        const struct cell *cell = cell_of(i / 4, i % 4);
        struct vecwire__verdict v = vecwire__verdict(&f);

        ck_assert_msg(v.fate == cell->fate && v.code == cell->code,
                      "%s, column %d: fate %d, code %d", rows[i / 4].what,
                      i % 4, (int)v.fate, (int)v.code);
    }
}
END_TEST

START_TEST(each_cell_of_the_table_tells_the_caller_whether_to_try_again)
{
    for (int i = 0; i < N_CELLS; i++) {
        struct vecwire__failure f = failure_of(i / 4, i % 4);

        ck_assert_msg(vecwire__verdict(&f).retryable ==
                          (cell_of(i / 4, i % 4)->caller == TRY_AGAIN),
                      "%s, column %d", rows[i / 4].what, i % 4);
    }
}
END_TEST

START_TEST(each_cell_of_the_table_tells_whether_the_outcome_is_known)
{
    for (int i = 0; i < N_CELLS; i++) {
        struct vecwire__failure f = failure_of(i / 4, i % 4);

        ck_assert_msg(vecwire__verdict(&f).outcome_unknown ==
                          (cell_of(i / 4, i % 4)->outcome == UNKNOWN),
                      "%s, column %d", rows[i / 4].what, i % 4);
    }
}
END_TEST

START_TEST(only_a_repeated_status_takes_budget)
{
    for (int i = 0; i < N_CELLS; i++) {
        struct vecwire__failure f = failure_of(i / 4, i % 4);
        struct vecwire__verdict v = vecwire__verdict(&f);

        ck_assert_int_eq(v.takes_budget, has_status(&f) && v.fate == AFTER);
    }
}
END_TEST

START_TEST(a_fresh_repeat_has_no_gap)
{
    for (int i = 0; i < N_CELLS; i++) {
        struct vecwire__failure f = failure_of(i / 4, i % 4);
        struct vecwire__verdict v = vecwire__verdict(&f);

        ck_assert_uint_eq(v.gap_ms, v.fate == AFTER ? 100 : 0);
    }
}
END_TEST

/* Under `limit` the cell fails, and says the same about it. */
static void
assert_fails_alike(int i, void (*limit)(struct vecwire__failure *f))
{
    struct vecwire__failure f = failure_of(i / 4, i % 4);
    const struct cell *cell = cell_of(i / 4, i % 4);
    struct vecwire__verdict v;

    limit(&f);
    v = vecwire__verdict(&f);
    ck_assert_int_eq(v.fate, FAIL);
    ck_assert_int_eq(v.code, cell->code);
    ck_assert_int_eq(v.retryable, cell->caller == TRY_AGAIN);
    ck_assert_int_eq(v.outcome_unknown, cell->outcome == UNKNOWN);
    ck_assert_int_eq(v.takes_budget, false);
    ck_assert_uint_eq(v.gap_ms, 0);
}

static void
last_attempt(struct vecwire__failure *f)
{
    f->attempts = f->max_attempts;
}

static void
switched_off(struct vecwire__failure *f)
{
    f->no_retry = true;
}

static void
deadline_here(struct vecwire__failure *f)
{
    f->left_ms = 0;
}

START_TEST(the_last_attempt_is_the_last)
{
    for (int i = 0; i < N_CELLS; i++) {
        assert_fails_alike(i, last_attempt);
    }
}
END_TEST

START_TEST(switched_off_nothing_is_sent_again)
{
    for (int i = 0; i < N_CELLS; i++) {
        assert_fails_alike(i, switched_off);
    }
}
END_TEST

START_TEST(no_time_left_nothing_is_sent_again)
{
    for (int i = 0; i < N_CELLS; i++) {
        assert_fails_alike(i, deadline_here);
    }
}
END_TEST

START_TEST(without_budget_only_a_status_is_not_repeated)
{
    for (int i = 0; i < N_CELLS; i++) {
        struct vecwire__failure f = failure_of(i / 4, i % 4);
        const struct cell *cell = cell_of(i / 4, i % 4);

        f.budget_left = false;
        ck_assert_int_eq(vecwire__verdict(&f).fate,
                         has_status(&f) ? FAIL : cell->fate);
    }
}
END_TEST

START_TEST(after_rows_were_given_nothing_is_sent_again)
{
    for (int i = 0; i < N_CELLS; i++) {
        struct vecwire__failure f = failure_of(i / 4, i % 4);

        f.rows_given = true;
        f.sent_any = true;
        f.reply_seen = true;
        f.round_failed = false;
        if (f.code == VECWIRE_EREFUSED || f.code == VECWIRE_ERESOLVE)
            f.code = VECWIRE_EIO; /* there was a connection */
        ck_assert_int_eq(vecwire__verdict(&f).fate, FAIL);
    }
}
END_TEST

static struct vecwire__failure
read_with_status(uint32_t status)
{
    return (struct vecwire__failure){.class = VECWIRE__READ,
                                     .code = VECWIRE_EHTTP,
                                     .http_status = status,
                                     .sent_any = true,
                                     .reply_seen = true,
                                     .budget_left = true,
                                     .attempts = 1,
                                     .max_attempts = 100,
                                     .retry_after_ms = -1,
                                     .left_ms = UINT64_MAX,
                                     .random = UINT32_MAX};
}

static const struct {
    uint32_t attempts, most;
} gaps[] = {{1, 100},
            {2, 200},
            {3, 400},
            {4, 800},
            {5, 1600},
            {6, 3200},
            {7, 5000},
            {8, 5000},
            {31, 5000},
            {33, 5000},
            {UINT32_MAX - 1, 5000}};

START_TEST(the_gap_is_drawn_from_the_whole_range)
{
    struct vecwire__failure f = read_with_status(503);

    f.attempts = gaps[_i].attempts;
    f.max_attempts = UINT32_MAX;
    ck_assert_uint_eq(vecwire__verdict(&f).gap_ms, gaps[_i].most);
    f.random = 0;
    ck_assert_uint_eq(vecwire__verdict(&f).gap_ms, 0);
    f.random = UINT32_MAX / 2;
    ck_assert_uint_eq(vecwire__verdict(&f).gap_ms, gaps[_i].most / 2);
}
END_TEST

START_TEST(retry_after_replaces_the_gap)
{
    struct vecwire__failure f = read_with_status(_i == 0 ? 429 : 503);

    f.retry_after_ms = 1000;
    ck_assert_uint_eq(vecwire__verdict(&f).gap_ms, 1000);
    f.retry_after_ms = 0;
    ck_assert_uint_eq(vecwire__verdict(&f).gap_ms, 0);
    ck_assert_int_eq(vecwire__verdict(&f).fate, AFTER);
}
END_TEST

START_TEST(a_minute_is_waited_for_and_no_longer)
{
    struct vecwire__failure f = read_with_status(429);

    f.retry_after_ms = 60000;
    ck_assert_uint_eq(vecwire__verdict(&f).gap_ms, 60000);
    f.retry_after_ms = 60001;
    ck_assert_int_eq(vecwire__verdict(&f).fate, FAIL);
    f.retry_after_ms = INT64_MAX;
    ck_assert_int_eq(vecwire__verdict(&f).fate, FAIL);
    ck_assert(vecwire__verdict(&f).retryable);
}
END_TEST

START_TEST(a_gap_that_passes_the_deadline_fails_at_once)
{
    struct vecwire__failure f = read_with_status(429);

    f.retry_after_ms = 1000;
    f.left_ms = 1001;
    ck_assert_int_eq(vecwire__verdict(&f).fate, AFTER);
    f.left_ms = 1000;
    ck_assert_int_eq(vecwire__verdict(&f).fate, FAIL);
    ck_assert_int_eq(vecwire__verdict(&f).code, VECWIRE_EHTTP);
    ck_assert(vecwire__verdict(&f).retryable);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("verdict");
    TCase *tc = tcase_create("verdict");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_test(tc, each_cell_of_the_table_has_its_fate);
    tcase_add_test(
        tc, each_cell_of_the_table_tells_the_caller_whether_to_try_again);
    tcase_add_test(tc,
                   each_cell_of_the_table_tells_whether_the_outcome_is_known);
    tcase_add_test(tc, only_a_repeated_status_takes_budget);
    tcase_add_test(tc, a_fresh_repeat_has_no_gap);
    tcase_add_test(tc, the_last_attempt_is_the_last);
    tcase_add_test(tc, switched_off_nothing_is_sent_again);
    tcase_add_test(tc, no_time_left_nothing_is_sent_again);
    tcase_add_test(tc, without_budget_only_a_status_is_not_repeated);
    tcase_add_test(tc, after_rows_were_given_nothing_is_sent_again);
    tcase_add_loop_test(tc, the_gap_is_drawn_from_the_whole_range, 0,
                        (int)(sizeof(gaps) / sizeof(gaps[0])));
    tcase_add_loop_test(tc, retry_after_replaces_the_gap, 0, 2);
    tcase_add_test(tc, a_minute_is_waited_for_and_no_longer);
    tcase_add_test(tc, a_gap_that_passes_the_deadline_fails_at_once);
    suite_add_tcase(suite, tc);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
