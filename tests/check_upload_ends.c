/* SPDX-License-Identifier: Apache-2.0 */
/* Uploads that are ended early: cancel, close, free, deadline, from anywhere.
 */
#include "tests/upload_fixture.h"

#include <check.h>

#include "tests/client_rig.h"

static struct upload_fixture f;

/* Two requests of 2 rows under way, one that waits, one row beside. */
static void
begin_busy(void)
{
    upload_begin_with(&f, 2, 2, 0, 5 * FAKE_S);
    f.base.engine.uploads.many = VECWIRE__MANY_TAKEN;
    upload_all(&f, 6);
    ck_assert_uint_eq(upload_under_way(&f), 2);
    fake_up(upload_conn(&f, 0));
}

/* Everything was reported: what was sent as unknown, the rest not. */
static void
check_ended(enum vecwire_err code)
{
    ck_assert_uint_eq(f.completions, 1);
    ck_assert_int_eq(f.code, code);
    ck_assert_uint_eq(f.result.rows_failed, 6);
    ck_assert_uint_eq(f.n_failures, 3);
    for (size_t i = 0; i < 3; i++) {
        ck_assert_uint_eq(f.failures[i].first, 2 * i);
        ck_assert_int_eq(f.failures[i].code, code);
        ck_assert(f.failures[i].outcome_unknown == (i == 0));
    }
}

static enum vecwire_err
add_one(void)
{
    enum vecwire_err err;

    upload_rows(&f, 1, &err);
    return err;
}

START_TEST(cancel_reports_all_rows_from_the_loop)
{
    begin_busy();
    ck_assert(vecwire_uploader_cancel(f.up));
    ck_assert_uint_eq(upload_under_way(&f), 0);
    ck_assert_uint_eq(f.n_failures, 0);
    engine_pass(&f.base);
    check_ended(VECWIRE_ECANCELED);
    ck_assert(!vecwire_uploader_cancel(f.up));
    ck_assert_int_eq(add_one(), VECWIRE_ECLOSED);
    upload_fini(&f);
}
END_TEST

START_TEST(cancel_keeps_what_was_stored)
{
    begin_busy();
    upload_added(&f, 0, 2);
    vecwire_uploader_cancel(f.up);
    engine_pass(&f.base);
    ck_assert_uint_eq(f.result.rows_done, 2);
    ck_assert_uint_eq(f.result.rows_failed, 4);
    ck_assert_int_eq(f.code, VECWIRE_ECANCELED);
    upload_fini(&f);
}
END_TEST

START_TEST(an_ended_upload_can_be_canceled)
{
    begin_busy();
    vecwire_uploader_end(f.up);
    ck_assert(vecwire_uploader_cancel(f.up));
    engine_pass(&f.base);
    check_ended(VECWIRE_ECANCELED);
    upload_fini(&f);
}
END_TEST

START_TEST(after_the_end_no_row_is_taken)
{
    begin_busy();
    vecwire_uploader_end(f.up);
    vecwire_uploader_end(f.up);
    ck_assert_int_eq(add_one(), VECWIRE_ECLOSED);
    upload_serve(&f);
    ck_assert_uint_eq(f.result.rows_done, 6);
    upload_fini(&f);
}
END_TEST

START_TEST(at_the_deadline_what_is_left_fails)
{
    begin_busy();
    fake_clock_pass(&f.base.clock, 5 * FAKE_S);
    check_ended(VECWIRE_ETIMEDOUT);
    upload_fini(&f);
}
END_TEST

START_TEST(no_deadline_runs_once_the_upload_is_complete)
{
    begin_busy();
    vecwire_uploader_end(f.up);
    upload_serve(&f);
    ck_assert_int_eq(f.code, VECWIRE_OK);
    fake_clock_pass(&f.base.clock, 9 * FAKE_S);
    ck_assert_uint_eq(f.completions, 1);
    upload_fini(&f);
}
END_TEST

START_TEST(free_completes_inside_itself)
{
    begin_busy();
    vecwire_uploader_free(f.up);
    f.up = NULL;
    check_ended(VECWIRE_ECLOSED);
    engine_pass(&f.base);
    upload_fini(&f);
}
END_TEST

START_TEST(free_after_cancel_keeps_the_reason)
{
    begin_busy();
    vecwire_uploader_cancel(f.up);
    vecwire_uploader_free(f.up);
    f.up = NULL;
    check_ended(VECWIRE_ECANCELED);
    engine_pass(&f.base);
    upload_fini(&f);
}
END_TEST

START_TEST(the_end_of_the_client_completes_the_upload)
{
    begin_busy();
    vecwire__engine_shutdown(&f.base.engine);
    check_ended(VECWIRE_ECLOSED);
    ck_assert_int_eq(add_one(), VECWIRE_ECLOSED);
    ck_assert(!vecwire_uploader_cancel(f.up));
    vecwire_uploader_end(f.up);
    ck_assert_uint_eq(vecwire_uploader_progress(f.up)->rows_failed, 6);
    upload_fini(&f);
}
END_TEST

START_TEST(what_a_status_says_was_stored_is_not_reported_as_surely_lost)
{
    begin_busy();
    upload_answer(&f, 0, 200, "{\"added\":");
    ck_assert_uint_eq(f.n_failures, 1);
    ck_assert_int_eq(f.failures[0].code, VECWIRE_EDECODE);
    ck_assert(f.failures[0].outcome_unknown);
    ck_assert(vecwire_uploader_progress(f.up)->error->outcome_unknown);
    upload_fini(&f);
}
END_TEST

/* Two requests: the first is answered, the second lost, and then refused as
 * too large; its rows are to go one by one. */
static void
begin_unsure(void)
{
    upload_begin(&f, 2, 1);
    upload_all(&f, 4);
    upload_added(&f, 0, 2);
    engine_lose(upload_conn(&f, 0), true, false);
    upload_answer(&f, 0, 413, "");
    ck_assert_uint_eq(f.n_failures, 0);
}

START_TEST(rows_of_a_lost_request_stay_unsure_when_it_goes_in_parts)
{
    begin_unsure();
    upload_answer(&f, 0, 422, "");
    vecwire_uploader_cancel(f.up);
    engine_pass(&f.base);
    ck_assert_uint_eq(f.n_failures, 2);
    ck_assert_uint_eq(f.failures[0].first, 2);
    ck_assert_int_eq(f.failures[0].code, VECWIRE_EHTTP);
    ck_assert(f.failures[0].outcome_unknown);
    ck_assert_int_eq(f.failures[1].code, VECWIRE_ECANCELED);
    ck_assert(f.failures[1].outcome_unknown);
    upload_fini(&f);
}
END_TEST

START_TEST(rows_of_later_requests_are_sure_again)
{
    begin_unsure();
    upload_added(&f, 0, 1);
    upload_added(&f, 0, 1);
    upload_all(&f, 1);
    vecwire_uploader_end(f.up);
    upload_answer(&f, 0, 422, "");
    ck_assert_uint_eq(f.n_failures, 1);
    ck_assert(!f.failures[0].outcome_unknown);
    upload_fini(&f);
}
END_TEST

static unsigned closed;
static enum vecwire_err closed_code;

static void
on_close(struct vecwire_client *client, enum vecwire_err code, void *arg)
{
    (void)client;
    (void)arg;
    closed++;
    closed_code = code;
}

START_TEST(close_lets_an_upload_finish)
{
    closed = 0;
    begin_busy();
    vecwire__engine_close(&f.base.engine, NULL, UINT64_MAX, on_close, NULL);
    ck_assert_int_eq(add_one(), VECWIRE_ECLOSED);
    upload_serve(&f);
    ck_assert_uint_eq(f.completions, 1);
    ck_assert_uint_eq(f.result.rows_done, 6);
    engine_pass(&f.base);
    ck_assert_uint_eq(closed, 1);
    ck_assert_int_eq(closed_code, VECWIRE_OK);
    upload_fini(&f);
}
END_TEST

START_TEST(close_completes_an_upload_without_rows)
{
    closed = 0;
    upload_begin(&f, 2, 2);
    vecwire__engine_close(&f.base.engine, NULL, UINT64_MAX, on_close, NULL);
    engine_pass(&f.base);
    engine_pass(&f.base);
    ck_assert_uint_eq(f.completions, 1);
    ck_assert_uint_eq(closed, 1);
    upload_fini(&f);
}
END_TEST

START_TEST(at_the_end_of_close_s_time_what_is_left_fails)
{
    closed = 0;
    begin_busy();
    vecwire__engine_close(&f.base.engine, NULL, FAKE_S, on_close, NULL);
    fake_clock_pass(&f.base.clock, FAKE_S);
    check_ended(VECWIRE_ECLOSED);
    engine_pass(&f.base);
    ck_assert_uint_eq(closed, 1);
    ck_assert_int_eq(closed_code, VECWIRE_ETIMEDOUT);
    upload_fini(&f);
}
END_TEST

START_TEST(at_the_end_of_close_s_time_nothing_more_is_sent)
{
    begin_busy();
    vecwire__engine_close(&f.base.engine, NULL, FAKE_S, NULL, NULL);
    fake_clock_pass(&f.base.clock, FAKE_S);
    ck_assert_uint_eq(f.completions, 1);
    ck_assert_uint_eq(f.result.requests, 2);
    upload_fini(&f);
}
END_TEST

START_TEST(an_upload_alone_that_is_cut_off_makes_a_close_late)
{
    closed = 0;
    upload_begin(&f, 2, 2);
    vecwire__engine_close(&f.base.engine, NULL, 1, on_close, NULL);
    fake_clock_pass(&f.base.clock, 1);
    engine_pass(&f.base);
    ck_assert_uint_eq(closed, 1);
    ck_assert_int_eq(closed_code, VECWIRE_ETIMEDOUT);
    upload_fini(&f);
}
END_TEST

/* --- from callbacks --- */

enum deed { DO_FREE, DO_CANCEL, DO_SHUTDOWN, DO_END, DO_ADD, N_DEEDS };

static enum deed deed;
static enum upload_event when;
static unsigned done_deeds;

static void
do_it(struct upload_fixture *fixture, enum upload_event event)
{
    struct vecwire_uploader *up = fixture->up;
    enum vecwire_err err;

    if (event != when || done_deeds++ > 0)
        return;
    switch (deed) {
    case DO_FREE:
        fixture->up = NULL;
        vecwire_uploader_free(up);
        break;
    case DO_CANCEL:
        vecwire_uploader_cancel(up);
        break;
    case DO_SHUTDOWN:
        vecwire__engine_shutdown(&fixture->base.engine);
        break;
    case DO_END:
        vecwire_uploader_end(up);
        break;
    default:
        upload_rows(fixture, 5, &err);
        break;
    }
}

/* Every deed in every callback: one completion, every row with an outcome
 * (upload_fixture.c checks both). */
START_TEST(anything_may_be_done_in_any_callback)
{
    enum vecwire_err err;

    deed = (enum deed)(_i % N_DEEDS);
    when = (enum upload_event)(_i / N_DEEDS);
    done_deeds = 0;
    begin_busy();
    f.then = do_it;
    upload_rows(&f, 3, &err);
    ck_assert_int_eq(err, VECWIRE_EFULL);
    upload_answer(&f, 0, 422, "");
    engine_pass(&f.base);
    if (f.up != NULL && !f.base.gone)
        vecwire_uploader_end(f.up);
    for (int i = 0; i < 5; i++)
        upload_serve(&f);
    ck_assert_uint_eq(f.completions, 1);
    ck_assert_uint_gt(done_deeds, 0);
    upload_fini(&f);
}
END_TEST

START_TEST(the_deeds_work_where_nothing_is_left_but_the_deadline)
{
    deed = (enum deed)(_i % N_DEEDS);
    when = UPLOAD_FAILED_ROWS;
    done_deeds = 0;
    begin_busy();
    f.then = do_it;
    fake_clock_pass(&f.base.clock, 5 * FAKE_S);
    engine_pass(&f.base);
    ck_assert_uint_eq(f.completions, 1);
    ck_assert_uint_eq(f.result.rows_failed, 6);
    upload_fini(&f);
}
END_TEST

START_TEST(a_request_that_found_no_memory_to_be_sent_fails_its_rows)
{
    upload_begin(&f, 2, 2);
    f.base.net.fail_opens = 1;
    upload_all(&f, 2);
    engine_pass(&f.base);
    ck_assert_uint_eq(f.n_failures, 1);
    ck_assert_int_eq(f.failures[0].code, VECWIRE_ENOMEM);
    upload_fini(&f);
}
END_TEST

START_TEST(stopped_while_such_a_failure_is_due_it_is_reported_once)
{
    upload_begin(&f, 2, 2);
    f.base.net.fail_opens = 1;
    upload_all(&f, 2);
    vecwire_uploader_cancel(f.up);
    engine_pass(&f.base);
    ck_assert_uint_eq(f.n_failures, 1);
    ck_assert_uint_eq(f.completions, 1);
    upload_fini(&f);
}
END_TEST

static void
add_tests(TCase *tcase)
{
    tcase_add_test(tcase, cancel_reports_all_rows_from_the_loop);
    tcase_add_test(tcase, cancel_keeps_what_was_stored);
    tcase_add_test(tcase, an_ended_upload_can_be_canceled);
    tcase_add_test(tcase, after_the_end_no_row_is_taken);
    tcase_add_test(tcase, at_the_deadline_what_is_left_fails);
    tcase_add_test(tcase, no_deadline_runs_once_the_upload_is_complete);
    tcase_add_test(tcase, free_completes_inside_itself);
    tcase_add_test(tcase, free_after_cancel_keeps_the_reason);
    tcase_add_test(tcase, the_end_of_the_client_completes_the_upload);
    tcase_add_test(
        tcase, what_a_status_says_was_stored_is_not_reported_as_surely_lost);
    tcase_add_test(tcase,
                   rows_of_a_lost_request_stay_unsure_when_it_goes_in_parts);
    tcase_add_test(tcase, rows_of_later_requests_are_sure_again);
    tcase_add_test(tcase, close_lets_an_upload_finish);
    tcase_add_test(tcase, close_completes_an_upload_without_rows);
    tcase_add_test(tcase, at_the_end_of_close_s_time_what_is_left_fails);
    tcase_add_test(tcase, at_the_end_of_close_s_time_nothing_more_is_sent);
    tcase_add_test(tcase, an_upload_alone_that_is_cut_off_makes_a_close_late);
    tcase_add_loop_test(tcase, anything_may_be_done_in_any_callback, 0,
                        3 * N_DEEDS);
    tcase_add_loop_test(tcase,
                        the_deeds_work_where_nothing_is_left_but_the_deadline,
                        0, N_DEEDS);
    tcase_add_test(tcase,
                   a_request_that_found_no_memory_to_be_sent_fails_its_rows);
    tcase_add_test(tcase,
                   stopped_while_such_a_failure_is_due_it_is_reported_once);
}

int
main(void)
{
    return client_rig_main("upload_ends", add_tests);
}
