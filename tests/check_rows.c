/* SPDX-License-Identifier: Apache-2.0 */
/* Rows before the end of their reply, between a fake transport and a fake
 * clock. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/engine_fixture.h"

#define ROW(id, text)                                                          \
    "{\"id\":\"" id "\",\"text\":\"" text "\",\"metadata\":{\"k\":\"" id       \
    "\"},\"score\":0.5}"
#define HEAD "{\"matches\":["
#define TAIL "]}"

/* What a rows callback saw, and what it does. */
struct taken {
    struct engine_fixture *f;
    struct seen *seen;
    vecwire_call_id id;
    unsigned runs;
    size_t n;
    char log[512]; /* "id text payload;" a row */
    enum vecwire_rows_action action;
    void (*then)(struct taken *taken);
};

static void
note(struct taken *taken, const struct vecwire_reply *rows)
{
    for (size_t i = 0; i < vecwire_reply_count(rows); i++) {
        const struct vecwire_row *row = vecwire_reply_row(rows, i);
        size_t len = strlen(taken->log);

        ck_assert_uint_eq(strlen(row->id.text), row->id.len);
        snprintf(taken->log + len, sizeof(taken->log) - len, "%s %s %s;",
                 row->id.text, row->text, row->payload);
    }
}

static enum vecwire_rows_action
on_rows(const struct vecwire_reply *rows, void *arg)
{
    struct taken *taken = arg;

    /* The completion comes behind the rows. */
    ck_assert_uint_eq(taken->seen->runs, 0);
    ck_assert_ptr_null(vecwire_reply_error(rows));
    ck_assert_ptr_null(vecwire_reply_keep(rows));
    ck_assert_uint_eq(vecwire_reply_status(rows), 200);
    ck_assert(vecwire_reply_id(rows) == taken->id);
    ck_assert_uint_gt(vecwire_reply_count(rows), 0);
    taken->runs++;
    taken->n += vecwire_reply_count(rows);
    if (taken->then != NULL)
        taken->then(taken);
    note(taken, rows);
    return taken->action;
}

/* A query that takes rows, with its head received. */
static struct vecwire__conn *
begin(struct engine_fixture *f, struct seen *seen, struct taken *taken,
      uint32_t deadline_ms)
{
    struct vecwire__call *call;

    engine_fixture_init(f, NULL);
    memset(seen, 0, sizeof(*seen));
    memset(taken, 0, sizeof(*taken));
    taken->f = f;
    taken->seen = seen;
    ck_assert_int_eq(
        engine_call(f, VECWIRE__READ, deadline_ms, seen, &taken->id),
        VECWIRE_OK);
    call = vecwire__slots_find(&f->engine.slots, taken->id);
    call->on_rows = on_rows;
    call->rows_arg = taken;
    fake_head(fake_conn(&f->net, 1), 200, NULL, 0);
    return fake_conn(&f->net, 1);
}

START_TEST(rows_go_out_before_the_reply_has_ended)
{
    struct engine_fixture f;
    struct seen seen;
    struct taken taken;
    struct vecwire__conn *conn = begin(&f, &seen, &taken, 0);

    fake_body(conn, HEAD ROW("a", "one") "," ROW("b", "two") ",{\"id\":\"c\",");
    ck_assert_str_eq(taken.log, "a one {\"k\":\"a\"};b two {\"k\":\"b\"};");
    ck_assert_uint_eq(seen.runs, 0);
    engine_fixture_fini(&f);
}
END_TEST

START_TEST(a_row_that_is_cut_anywhere_comes_out_whole_and_once)
{
    static const char text[] =
        HEAD ROW("a", "one") "," ROW("b\\u00e9", "t\\\"wo") "," ROW("c", "")
            TAIL;
    struct engine_fixture f;
    struct seen seen;
    struct taken taken;
    struct vecwire__conn *conn = begin(&f, &seen, &taken, 0);
    size_t len = strlen(text), first = (size_t)_i % len;

    /* In two parts, and then in many of one length. */
    for (size_t at = 0; at < len;) {
        size_t n = (size_t)_i < len ? (at == 0 ? first + 1 : len)
                                    : (size_t)_i - len + 1;
        char part[256];

        snprintf(part, sizeof(part), "%.*s", (int)n, text + at);
        fake_body(conn, part);
        at += strlen(part);
    }
    fake_end(conn, true);
    ck_assert_str_eq(taken.log, "a one {\"k\":\"a\"};b\xc3\xa9 t\"wo "
                                "{\"k\":\"b\\u00e9\"};c  {\"k\":\"c\"};");
    ck_assert_uint_eq(seen.runs, 1);
    ck_assert_int_eq(seen.code, VECWIRE_OK);
    engine_fixture_fini(&f);
}
END_TEST

static uint64_t given;

static void
on_end(const struct vecwire_reply *reply, void *arg)
{
    given = vecwire_reply_rows_given(reply);
    ck_assert_uint_eq(vecwire_reply_count(reply), 0);
    ck_assert_ptr_null(vecwire_reply_row(reply, 0));
    (*(unsigned *)arg)++;
}

START_TEST(the_completion_has_their_number_and_not_the_rows)
{
    struct engine_fixture f;
    struct seen seen;
    struct taken taken;
    struct vecwire__conn *conn = begin(&f, &seen, &taken, 0);
    struct vecwire__call *call = vecwire__slots_find(&f.engine.slots, taken.id);
    unsigned runs = 0;

    call->cb = on_end;
    call->arg = &runs;
    fake_body(conn, HEAD ROW("a", "") "," ROW("b", ""));
    fake_body(conn, "," ROW("c", "") TAIL);
    fake_end(conn, true);
    ck_assert_uint_eq(runs, 1);
    ck_assert_uint_eq(given, 3);
    ck_assert_uint_eq(taken.runs, 2);
    engine_fixture_fini(&f);
}
END_TEST

START_TEST(a_reply_without_rows_runs_the_completion_alone)
{
    struct engine_fixture f;
    struct seen seen;
    struct taken taken;
    struct vecwire__conn *conn = begin(&f, &seen, &taken, 0);

    fake_body(conn, HEAD TAIL);
    fake_end(conn, true);
    ck_assert_uint_eq(taken.runs, 0);
    ck_assert_int_eq(seen.code, VECWIRE_OK);
    engine_fixture_fini(&f);
}
END_TEST

START_TEST(an_error_reply_has_no_rows)
{
    struct engine_fixture f;
    struct seen seen = {0};
    struct taken taken = {.f = &f, .seen = &seen};
    struct vecwire__call *call;

    engine_fixture_init(&f, NULL);
    ck_assert_int_eq(engine_call(&f, VECWIRE__READ, 0, &seen, &taken.id),
                     VECWIRE_OK);
    call = vecwire__slots_find(&f.engine.slots, taken.id);
    call->on_rows = on_rows;
    call->rows_arg = &taken;
    fake_reply(fake_conn(&f.net, 1), 422, MATCHES_1);
    ck_assert_uint_eq(taken.runs, 0);
    ck_assert_int_eq(seen.code, VECWIRE_EHTTP);
    engine_fixture_fini(&f);
}
END_TEST

START_TEST(a_call_whose_rows_went_out_is_not_repeated)
{
    struct engine_fixture f;
    struct seen seen;
    struct taken taken;
    struct vecwire__conn *conn = begin(&f, &seen, &taken, 0);

    fake_body(conn, HEAD ROW("a", "") ",");
    engine_lose(conn, true, true);
    ck_assert_uint_eq(seen.runs, 1);
    ck_assert_int_eq(seen.code, VECWIRE_EIO);
    ck_assert_uint_eq(f.net.sends, 1);
    engine_fixture_fini(&f);
}
END_TEST

START_TEST(a_fault_behind_rows_fails_the_call_and_names_its_place)
{
    struct engine_fixture f;
    struct seen seen;
    struct taken taken;
    struct vecwire__conn *conn = begin(&f, &seen, &taken, 0);

    fake_body(conn, HEAD ROW("a", "") ",");
    fake_body(conn, "{\"id\":7}");
    ck_assert_int_eq(seen.code, VECWIRE_EDECODE);
    ck_assert_ptr_nonnull(strstr(seen.detail, "key \"id\": wrong type"));
    ck_assert_uint_eq(taken.n, 1);
    engine_fixture_fini(&f);
}
END_TEST

START_TEST(a_paused_call_is_not_read_until_it_is_resumed)
{
    struct engine_fixture f;
    struct seen seen;
    struct taken taken;
    struct vecwire__conn *conn = begin(&f, &seen, &taken, 0);

    taken.action = VECWIRE_PAUSE;
    fake_body(conn, HEAD ROW("a", "") ",");
    ck_assert(fake_conn_of(conn)->paused);
    taken.action = VECWIRE_CONTINUE;
    ck_assert(vecwire__engine_resume(&f.engine, taken.id));
    ck_assert(!fake_conn_of(conn)->paused);
    fake_body(conn, ROW("b", "") TAIL);
    fake_end(conn, true);
    ck_assert_uint_eq(taken.n, 2);
    ck_assert_int_eq(seen.code, VECWIRE_OK);
    engine_fixture_fini(&f);
}
END_TEST

START_TEST(a_second_resume_finds_nothing_paused)
{
    struct engine_fixture f;
    struct seen seen;
    struct taken taken;
    struct vecwire__conn *conn = begin(&f, &seen, &taken, 0);

    ck_assert(!vecwire__engine_resume(&f.engine, taken.id));
    taken.action = VECWIRE_PAUSE;
    fake_body(conn, HEAD ROW("a", "") ",");
    ck_assert(vecwire__engine_resume(&f.engine, taken.id));
    ck_assert(!vecwire__engine_resume(&f.engine, taken.id));
    ck_assert(!vecwire__engine_resume(&f.engine, 0));
    ck_assert(!vecwire__engine_resume(&f.engine, taken.id + 1));
    engine_fixture_fini(&f);
}
END_TEST

START_TEST(the_deadline_stands_still_while_the_call_is_paused)
{
    struct engine_fixture f;
    struct seen seen;
    struct taken taken;
    struct vecwire__conn *conn = begin(&f, &seen, &taken, 1000);

    taken.action = VECWIRE_PAUSE;
    fake_clock_pass(&f.clock, 400 * FAKE_MS);
    fake_body(conn, HEAD ROW("a", "") ",");
    fake_clock_pass(&f.clock, 3600 * FAKE_S);
    ck_assert_uint_eq(seen.runs, 0);
    ck_assert(vecwire__engine_resume(&f.engine, taken.id));
    fake_clock_pass(&f.clock, 599 * FAKE_MS);
    ck_assert_uint_eq(seen.runs, 0);
    fake_clock_pass(&f.clock, 2 * FAKE_MS);
    ck_assert_int_eq(seen.code, VECWIRE_ETIMEDOUT);
    ck_assert_int_eq(seen.phase, VECWIRE_PHASE_RECEIVING);
    engine_fixture_fini(&f);
}
END_TEST

START_TEST(a_call_without_a_deadline_may_be_paused)
{
    struct engine_fixture f;
    struct seen seen;
    struct taken taken;
    struct vecwire__conn *conn = begin(&f, &seen, &taken, 1000);
    struct vecwire__call *call = vecwire__slots_find(&f.engine.slots, taken.id);

    call->deadline_ns = UINT64_MAX;
    vecwire__timer_clear(&f.clock.timers, &call->timer);
    taken.action = VECWIRE_PAUSE;
    fake_body(conn, HEAD ROW("a", "") ",");
    ck_assert(vecwire__engine_resume(&f.engine, taken.id));
    fake_clock_pass(&f.clock, 3600 * FAKE_S);
    ck_assert_uint_eq(seen.runs, 0);
    engine_fixture_fini(&f);
}
END_TEST

START_TEST(a_paused_call_can_be_canceled)
{
    struct engine_fixture f;
    struct seen seen;
    struct taken taken;
    struct vecwire__conn *conn = begin(&f, &seen, &taken, 0);

    taken.action = VECWIRE_PAUSE;
    fake_body(conn, HEAD ROW("a", "") ",");
    ck_assert(vecwire__engine_cancel(&f.engine, taken.id));
    ck_assert_uint_eq(f.net.n_open, 0);
    ck_assert(!vecwire__engine_resume(&f.engine, taken.id));
    engine_pass(&f);
    ck_assert_int_eq(seen.code, VECWIRE_ECANCELED);
    ck_assert_int_eq(seen.phase, VECWIRE_PHASE_RECEIVING);
    engine_fixture_fini(&f);
}
END_TEST

START_TEST(closing_ends_a_paused_call_at_its_time)
{
    struct engine_fixture f;
    struct seen seen;
    struct taken taken;
    struct vecwire__conn *conn = begin(&f, &seen, &taken, 0);

    taken.action = VECWIRE_PAUSE;
    fake_body(conn, HEAD ROW("a", "") ",");
    vecwire__engine_close(&f.engine, NULL, 500 * FAKE_MS, NULL, NULL);
    fake_clock_pass(&f.clock, 501 * FAKE_MS);
    ck_assert_int_eq(seen.code, VECWIRE_ECLOSED);
    engine_fixture_fini(&f);
}
END_TEST

static void
resume_now(struct taken *taken)
{
    ck_assert(vecwire__engine_resume(&taken->f->engine, taken->id));
}

START_TEST(a_resume_inside_the_rows_callback_takes_its_pause_back)
{
    struct engine_fixture f;
    struct seen seen;
    struct taken taken;
    struct vecwire__conn *conn = begin(&f, &seen, &taken, 0);

    taken.action = VECWIRE_PAUSE;
    taken.then = resume_now;
    fake_body(conn, HEAD ROW("a", "") ",");
    ck_assert_uint_eq(f.net.pauses, 0);
    taken.then = NULL;
    fake_body(conn, ROW("b", ""));
    ck_assert_uint_eq(f.net.pauses, 1);
    engine_fixture_fini(&f);
}
END_TEST

static void
cancel_now(struct taken *taken)
{
    ck_assert(vecwire__engine_cancel(&taken->f->engine, taken->id));
}

static void
shut_down_now(struct taken *taken)
{
    vecwire__engine_shutdown(&taken->f->engine);
    ck_assert_int_eq(taken->seen->code, VECWIRE_ECLOSED);
    ck_assert_uint_eq(taken->seen->runs, 1);
}

START_TEST(rows_live_until_the_callback_that_cancels_their_call_returns)
{
    struct engine_fixture f;
    struct seen seen;
    struct taken taken;
    struct vecwire__conn *conn = begin(&f, &seen, &taken, 0);

    taken.then = cancel_now;
    taken.action = _i == 0 ? VECWIRE_CONTINUE : VECWIRE_PAUSE;
    fake_body(conn, HEAD ROW("a", "one") "," ROW("b", "two") ",{\"id\"");
    ck_assert_str_eq(taken.log, "a one {\"k\":\"a\"};b two {\"k\":\"b\"};");
    ck_assert_uint_eq(f.net.pauses, 0);
    engine_pass(&f);
    ck_assert_int_eq(seen.code, VECWIRE_ECANCELED);
    engine_fixture_fini(&f);
}
END_TEST

START_TEST(rows_live_until_the_callback_that_frees_their_client_returns)
{
    struct engine_fixture f;
    struct seen seen;
    struct taken taken;
    struct vecwire__conn *conn = begin(&f, &seen, &taken, 0);

    taken.then = shut_down_now;
    taken.action = _i == 0 ? VECWIRE_CONTINUE : VECWIRE_PAUSE;
    fake_body(conn, HEAD ROW("a", "one") "," ROW("b", "two") ",{\"id\"");
    ck_assert_str_eq(taken.log, "a one {\"k\":\"a\"};b two {\"k\":\"b\"};");
    ck_assert(f.gone);
    engine_fixture_fini(&f);
}
END_TEST

static void
add(TCase *tc)
{
    size_t len = strlen(HEAD ROW("a", "one") "," ROW(
        "b\\u00e9", "t\\\"wo") "," ROW("c", "") TAIL);

    tcase_add_test(tc, rows_go_out_before_the_reply_has_ended);
    tcase_add_loop_test(tc, a_row_that_is_cut_anywhere_comes_out_whole_and_once,
                        0, (int)len + 40);
    tcase_add_test(tc, the_completion_has_their_number_and_not_the_rows);
    tcase_add_test(tc, a_reply_without_rows_runs_the_completion_alone);
    tcase_add_test(tc, an_error_reply_has_no_rows);
    tcase_add_test(tc, a_call_whose_rows_went_out_is_not_repeated);
    tcase_add_test(tc, a_fault_behind_rows_fails_the_call_and_names_its_place);
    tcase_add_test(tc, a_paused_call_is_not_read_until_it_is_resumed);
    tcase_add_test(tc, a_second_resume_finds_nothing_paused);
    tcase_add_test(tc, the_deadline_stands_still_while_the_call_is_paused);
    tcase_add_test(tc, a_call_without_a_deadline_may_be_paused);
    tcase_add_test(tc, a_paused_call_can_be_canceled);
    tcase_add_test(tc, closing_ends_a_paused_call_at_its_time);
    tcase_add_test(tc, a_resume_inside_the_rows_callback_takes_its_pause_back);
    tcase_add_loop_test(
        tc, rows_live_until_the_callback_that_cancels_their_call_returns, 0, 2);
    tcase_add_loop_test(
        tc, rows_live_until_the_callback_that_frees_their_client_returns, 0, 2);
}

int
main(void)
{
    Suite *suite = suite_create("rows");
    TCase *tc = tcase_create("rows");
    SRunner *runner = srunner_create(suite);
    int failed;

    add(tc);
    suite_add_tcase(suite, tc);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
