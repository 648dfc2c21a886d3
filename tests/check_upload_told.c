/* SPDX-License-Identifier: Apache-2.0 */
/* Uploads: what callbacks and result say, and when. */
#include "tests/upload_fixture.h"

#include <check.h>

#include "tests/client_rig.h"

static struct upload_fixture f;

/* Past the question what the server can do. */
static void
begin_known(size_t rows, size_t in_flight)
{
    upload_begin(&f, rows, in_flight);
    f.base.engine.uploads.many = VECWIRE__MANY_TAKEN;
}

/* Fill it up until there is no room. */
static void
fill(void)
{
    enum vecwire_err err;

    upload_rows(&f, 64, &err);
    ck_assert_int_eq(err, VECWIRE_EFULL);
}

START_TEST(room_is_not_told_once_the_upload_was_ended)
{
    begin_known(1, 1);
    fill();
    vecwire_uploader_end(f.up);
    upload_serve(&f);
    ck_assert_uint_eq(f.completions, 1);
    ck_assert_uint_eq(f.rooms, 0);
    upload_fini(&f);
}
END_TEST

static void
cancel_it(struct upload_fixture *fixture, enum upload_event event)
{
    if (event == UPLOAD_FAILED_ROWS)
        vecwire_uploader_cancel(fixture->up);
}

START_TEST(room_is_not_told_once_a_failure_led_to_a_cancel)
{
    begin_known(1, 1);
    f.then = cancel_it;
    fill();
    upload_answer(&f, 0, 422, "");
    engine_pass(&f.base);
    ck_assert_uint_eq(f.completions, 1);
    ck_assert_uint_eq(f.rooms, 0);
    upload_fini(&f);
}
END_TEST

START_TEST(an_early_end_is_the_result_s_reason_whatever_failed_before)
{
    begin_known(1, 1);
    upload_all(&f, 2);
    upload_answer(&f, 0, 422, "");
    vecwire_uploader_cancel(f.up);
    engine_pass(&f.base);
    ck_assert_int_eq(f.code, VECWIRE_ECANCELED);
    upload_fini(&f);
}
END_TEST

START_TEST(rows_that_were_never_sent_may_be_sent_again)
{
    begin_known(1, 1);
    upload_all(&f, 2);
    vecwire_uploader_cancel(f.up);
    engine_pass(&f.base);
    ck_assert_uint_eq(f.n_failures, 2);
    ck_assert(f.failures[1].retryable);
    ck_assert(!f.failures[1].outcome_unknown);
    upload_fini(&f);
}
END_TEST

START_TEST(rows_of_which_the_server_stored_fewer_may_have_been_stored)
{
    begin_known(3, 1);
    upload_all(&f, 3);
    upload_added(&f, 0, 2);
    ck_assert_uint_eq(f.n_failures, 1);
    ck_assert(f.failures[0].outcome_unknown);
    upload_fini(&f);
}
END_TEST

START_TEST(without_retries_an_overloaded_server_is_not_asked_again)
{
    begin_known(2, 1);
    f.up->config.no_retry = true;
    upload_all(&f, 2);
    upload_answer(&f, 0, 503, "");
    ck_assert_uint_eq(f.n_failures, 1);
    ck_assert_uint_eq(f.failures[0].http_status, 503);
    upload_fini(&f);
}
END_TEST

static void *
no_alloc(size_t size, void *ctx)
{
    (void)size;
    (void)ctx;
    return NULL;
}

/* Add rows where the engine has no memory for the call that is to send them. */
static void
add_without_memory(size_t rows)
{
    static const struct vecwire_mem none = {.alloc = no_alloc};
    const struct vecwire_mem *mem = f.base.engine.config.mem;

    f.base.engine.config.mem = &none;
    upload_all(&f, rows);
    f.base.engine.config.mem = mem;
    ck_assert_uint_eq(vecwire_uploader_progress(f.up)->requests, 0);
}

START_TEST(rows_without_memory_for_their_call_fail_from_the_loop)
{
    begin_known(2, 2);
    add_without_memory(2);
    ck_assert_uint_eq(f.n_failures, 0);
    engine_pass(&f.base);
    ck_assert_uint_eq(f.n_failures, 1);
    ck_assert_int_eq(f.failures[0].code, VECWIRE_ENOMEM);
    ck_assert(f.failures[0].retryable);
    upload_fini(&f);
}
END_TEST

START_TEST(after_such_a_failure_there_is_as_much_room_as_before)
{
    enum vecwire_err err;

    begin_known(2, 2);
    add_without_memory(2);
    engine_pass(&f.base);
    ck_assert_uint_eq(upload_rows(&f, 20, &err), 6);
    ck_assert_int_eq(err, VECWIRE_EFULL);
    upload_fini(&f);
}
END_TEST

START_TEST(canceled_while_such_a_failure_is_due_it_is_told_once)
{
    begin_known(2, 2);
    add_without_memory(2);
    vecwire_uploader_cancel(f.up);
    engine_pass(&f.base);
    ck_assert_uint_eq(f.n_failures, 1);
    ck_assert_int_eq(f.failures[0].code, VECWIRE_ENOMEM);
    ck_assert_int_eq(f.code, VECWIRE_ECANCELED);
    upload_fini(&f);
}
END_TEST

static void
add_again(struct upload_fixture *fixture, enum upload_event event)
{
    (void)fixture;
    if (event == UPLOAD_FAILED_ROWS && f.n_failures < 5)
        add_without_memory(1);
}

START_TEST(what_fails_in_a_callback_is_left_for_the_next_pass)
{
    begin_known(1, 2);
    f.then = add_again;
    add_without_memory(1);
    engine_pass(&f.base);
    ck_assert_uint_eq(f.n_failures, 1);
    ck_assert(f.base.due_asked);
    engine_pass(&f.base);
    ck_assert_uint_eq(f.n_failures, 2);
    f.then = NULL;
    upload_fini(&f);
}
END_TEST

/* More than the engine keeps of replies that are done with. */
START_TEST(a_canceled_request_s_detail_outlives_its_reply)
{
    begin_known(1, 100);
    f.base.engine.pool.max_waiting = 200;
    upload_all(&f, 60);
    upload_all(&f, 40);
    ck_assert_uint_eq(vecwire_uploader_progress(f.up)->requests, 100);
    vecwire_uploader_cancel(f.up);
    f.keep_last = true;
    engine_pass(&f.base);
    ck_assert_uint_eq(f.result.rows_failed, 100);
    ck_assert_str_eq(f.failures[0].detail, vecwire_strerror(VECWIRE_ECANCELED));
    upload_fini(&f);
}
END_TEST

/* 8 calls on the connections, and one that waits for more bytes than are
 * left for ours. */
START_TEST(a_batch_that_waits_for_bytes_does_not_keep_the_loop_busy)
{
    static struct seen seen[9];
    struct vecwire__pool *pool = &f.base.engine.pool;

    memset(seen, 0, sizeof(seen));
    begin_known(2, 2);
    for (size_t i = 0; i < 9; i++)
        ck_assert_int_eq(engine_call(&f.base, VECWIRE__READ, 0, &seen[i], NULL),
                         VECWIRE_OK);
    pool->max_bytes = pool->waiting_bytes + 1;
    upload_all(&f, 2);
    ck_assert_uint_eq(vecwire_uploader_progress(f.up)->requests, 0);
    f.base.due_asked = true; /* by whatever else there is */
    engine_pass(&f.base);
    ck_assert(!f.base.due_asked);
    upload_fini(&f);
}
END_TEST

START_TEST(an_upload_needs_no_callback)
{
    begin_known(1, 1);
    f.up->config.on_failed = NULL;
    f.up->config.on_room = NULL;
    f.up->config.on_done = NULL;
    fill();
    vecwire_uploader_end(f.up);
    upload_answer(&f, 0, 422, "");
    upload_serve(&f);
    ck_assert_uint_eq(vecwire_uploader_progress(f.up)->rows_done, 1);
    ck_assert_uint_eq(vecwire_uploader_progress(f.up)->rows_failed, 1);
    ck_assert_int_eq(f.up->state, VECWIRE__UPLOAD_DONE);
    upload_fini(&f);
}
END_TEST

START_TEST(a_request_that_is_repeated_counts_once)
{
    begin_known(2, 1);
    upload_all(&f, 2);
    upload_answer(&f, 0, 503, "");
    fake_clock_pass(&f.base.clock, FAKE_S);
    ck_assert_uint_eq(f.base.net.sends, 2);
    ck_assert_uint_eq(vecwire_uploader_progress(f.up)->requests, 1);
    upload_fini(&f);
}
END_TEST

START_TEST(a_refusal_of_all_rows_names_none)
{
    enum vecwire_err err;

    begin_known(2, 1);
    ck_assert_uint_eq(upload_rows(&f, 0, &err), 0);
    ck_assert_int_eq(err, VECWIRE_EINVAL);
    ck_assert_uint_eq(f.refusal.row, SIZE_MAX);
    upload_fini(&f);
}
END_TEST

static enum vecwire_err
check_nothing(const struct vecwire_upsert_request *upsert,
              struct vecwire_refusal *refusal)
{
    (void)upsert;
    (void)refusal;
    return VECWIRE_OK;
}

static enum vecwire_err
write_nothing(const struct vecwire__settings *settings,
              const struct vecwire_upsert_request *upsert, size_t row,
              struct vecwire__buf *text, struct vecwire_refusal *refusal)
{
    (void)settings;
    (void)upsert;
    (void)row;
    (void)text;
    (void)refusal;
    return VECWIRE_OK;
}

static unsigned nameless;

static void
count_nameless(const struct vecwire_failed_rows *failed, void *arg)
{
    (void)arg;
    for (size_t i = 0; i < failed->count; i++)
        nameless += failed->ids[i][0] == '\0';
}

/* HMS needs ids; others may not. */
START_TEST(rows_without_ids_are_told_with_empty_ones)
{
    static const char *const ids[] = {"r0", NULL};
    struct vecwire__upsert_parts parts;
    struct vecwire_upsert_request rows = VECWIRE_UPSERT(.rows = 2, .ids = ids);

    nameless = 0;
    begin_known(4, 1);
    parts = *f.up->parts;
    parts.check = check_nothing;
    parts.row = write_nothing;
    f.up->parts = &parts;
    f.up->config.on_failed = count_nameless;
    ck_assert_int_eq(vecwire_uploader_add(f.up, &rows, NULL), VECWIRE_OK);
    rows.ids = NULL;
    ck_assert_int_eq(vecwire_uploader_add(f.up, &rows, NULL), VECWIRE_OK);
    upload_answer(&f, 0, 422, "");
    ck_assert_uint_eq(nameless, 3);
    upload_fini(&f);
}
END_TEST

START_TEST(call_options_of_rows_are_not_looked_at)
{
    static const float vector[] = {1, 0, 0};
    static const char *const id = "r";
    struct vecwire_call_options raw = {.tenant = "a b"};

    begin_known(1, 1);
    ck_assert_int_eq(vecwire_uploader_add(
                         f.up,
                         &VECWIRE_UPSERT(.matrix = vector, .rows = 1, .dim = 3,
                                         .ids = &id, .call = &raw),
                         NULL),
                     VECWIRE_OK);
    upload_fini(&f);
}
END_TEST

static void
add_tests(TCase *tcase)
{
    tcase_add_test(tcase, an_upload_needs_no_callback);
    tcase_add_test(tcase, a_request_that_is_repeated_counts_once);
    tcase_add_test(tcase, a_refusal_of_all_rows_names_none);
    tcase_add_test(tcase, rows_without_ids_are_told_with_empty_ones);
    tcase_add_test(tcase, call_options_of_rows_are_not_looked_at);
    tcase_add_test(tcase, room_is_not_told_once_the_upload_was_ended);
    tcase_add_test(tcase, room_is_not_told_once_a_failure_led_to_a_cancel);
    tcase_add_test(tcase,
                   an_early_end_is_the_result_s_reason_whatever_failed_before);
    tcase_add_test(tcase, rows_that_were_never_sent_may_be_sent_again);
    tcase_add_test(tcase,
                   rows_of_which_the_server_stored_fewer_may_have_been_stored);
    tcase_add_test(tcase,
                   without_retries_an_overloaded_server_is_not_asked_again);
    tcase_add_test(tcase,
                   rows_without_memory_for_their_call_fail_from_the_loop);
    tcase_add_test(tcase, after_such_a_failure_there_is_as_much_room_as_before);
    tcase_add_test(tcase, canceled_while_such_a_failure_is_due_it_is_told_once);
    tcase_add_test(tcase, what_fails_in_a_callback_is_left_for_the_next_pass);
    tcase_add_test(tcase, a_canceled_request_s_detail_outlives_its_reply);
    tcase_add_test(tcase,
                   a_batch_that_waits_for_bytes_does_not_keep_the_loop_busy);
}

int
main(void)
{
    return client_rig_main("upload_told", add_tests);
}
