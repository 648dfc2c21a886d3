/* SPDX-License-Identifier: Apache-2.0 */
/* Uploads: rows in batches, batches in flight, room, the completion. */
#include "tests/upload_fixture.h"

#include <check.h>

#include "codec/mem.h"
#include "tests/client_rig.h"

static struct upload_fixture f;

START_TEST(a_full_batch_is_sent_inside_add)
{
    upload_begin(&f, 3, 4);
    upload_all(&f, 2);
    ck_assert_uint_eq(f.base.net.sends, 0);
    upload_all(&f, 1);
    ck_assert_uint_eq(f.base.net.sends, 1);
    ck_assert_str_eq(upload_path(&f, 0), "/api/v1/documents/batch");
    ck_assert_str_eq(upload_body(&f, 0), "[{\"id\":\"r0\",\"vector\":[1,0,0]},"
                                         "{\"id\":\"r1\",\"vector\":[1,1,0]},"
                                         "{\"id\":\"r2\",\"vector\":[1,2,0]}]");
    upload_fini(&f);
}
END_TEST

START_TEST(the_end_sends_what_is_gathered)
{
    upload_begin(&f, 3, 4);
    upload_all(&f, 2);
    vecwire_uploader_end(f.up);
    ck_assert_str_eq(upload_body(&f, 0), "[{\"id\":\"r0\",\"vector\":[1,0,0]},"
                                         "{\"id\":\"r1\",\"vector\":[1,1,0]}]");
    upload_added(&f, 0, 2);
    ck_assert_uint_eq(f.completions, 1);
    ck_assert_uint_eq(f.result.rows_done, 2);
    ck_assert_ptr_null(f.result.error);
    upload_fini(&f);
}
END_TEST

START_TEST(a_batch_of_one_row_is_a_document)
{
    upload_begin(&f, 3, 4);
    upload_all(&f, 1);
    vecwire_uploader_end(f.up);
    ck_assert_str_eq(upload_path(&f, 0), "/api/v1/documents");
    ck_assert_str_eq(upload_body(&f, 0), "{\"id\":\"r0\",\"vector\":[1,0,0]}");
    upload_fini(&f);
}
END_TEST

START_TEST(an_upload_without_rows_completes_from_the_loop)
{
    upload_begin(&f, 3, 4);
    vecwire_uploader_end(f.up);
    ck_assert_uint_eq(f.completions, 0);
    engine_pass(&f.base);
    ck_assert_uint_eq(f.completions, 1);
    ck_assert_int_eq(f.code, VECWIRE_OK);
    upload_fini(&f);
}
END_TEST

START_TEST(the_first_request_goes_alone_to_learn_what_the_server_takes)
{
    upload_begin(&f, 2, 4);
    upload_all(&f, 8);
    ck_assert_uint_eq(upload_under_way(&f), 1);
    upload_added(&f, 0, 2);
    ck_assert_uint_eq(upload_under_way(&f), 3);
    upload_fini(&f);
}
END_TEST

/* Past the question what the server can do. */
static void
begin_known(size_t rows, size_t in_flight)
{
    upload_begin(&f, rows, in_flight);
    f.base.engine.uploads.many = VECWIRE__MANY_TAKEN;
}

START_TEST(no_more_than_in_flight_requests_are_under_way)
{
    enum vecwire_err err;

    begin_known(2, 3);
    /* One more is full, and waits. */
    ck_assert_uint_eq(upload_rows(&f, 20, &err), 8);
    ck_assert_int_eq(err, VECWIRE_EFULL);
    ck_assert_uint_eq(upload_under_way(&f), 3);
    upload_added(&f, 1, 2);
    ck_assert_uint_eq(upload_under_way(&f), 3);
    upload_fini(&f);
}
END_TEST

START_TEST(room_is_told_once_for_each_refusal)
{
    enum vecwire_err err;

    begin_known(1, 1);
    ck_assert_uint_eq(upload_rows(&f, 5, &err), 2);
    ck_assert_uint_eq(upload_rows(&f, 5, &err), 0);
    ck_assert_int_eq(err, VECWIRE_EFULL);
    ck_assert_uint_eq(f.rooms, 0);
    upload_added(&f, 0, 1);
    ck_assert_uint_eq(f.rooms, 1);
    upload_added(&f, 0, 1);
    ck_assert_uint_eq(f.rooms, 1);
    upload_fini(&f);
}
END_TEST

START_TEST(room_is_not_told_where_nothing_was_refused)
{
    begin_known(1, 1);
    upload_all(&f, 2);
    upload_serve(&f);
    ck_assert_uint_eq(f.rooms, 0);
    upload_fini(&f);
}
END_TEST

static void
add_more(struct upload_fixture *fixture, enum upload_event event)
{
    enum vecwire_err err;

    if (event != UPLOAD_ROOM)
        return;
    if (fixture->next_row < 100)
        upload_rows(fixture, 7, &err);
    else
        vecwire_uploader_end(fixture->up);
}

START_TEST(a_producer_is_driven_by_the_room_callback)
{
    enum vecwire_err err;

    begin_known(3, 2);
    f.then = add_more;
    upload_rows(&f, 20, &err);
    upload_serve(&f);
    ck_assert_uint_eq(f.completions, 1);
    ck_assert_uint_ge(f.result.rows_done, 100);
    ck_assert_uint_eq(f.result.rows_done, f.next_row);
    upload_fini(&f);
}
END_TEST

START_TEST(a_batch_is_bounded_in_bytes)
{
    upload_begin_with(&f, 50, 4, 70, UINT64_MAX);
    f.base.engine.uploads.many = VECWIRE__MANY_TAKEN;
    /* Two rows of 28 bytes, a comma and the brackets are 59, three are 88. */
    upload_all(&f, 5);
    ck_assert_uint_eq(upload_under_way(&f), 2);
    ck_assert_str_eq(upload_body(&f, 1), "[{\"id\":\"r2\",\"vector\":[1,2,0]},"
                                         "{\"id\":\"r3\",\"vector\":[1,3,0]}]");
    vecwire_uploader_end(f.up);
    ck_assert_str_eq(upload_body(&f, 2), "{\"id\":\"r4\",\"vector\":[1,4,0]}");
    upload_serve(&f);
    ck_assert_uint_eq(f.result.rows_done, 5);
    upload_fini(&f);
}
END_TEST

START_TEST(a_row_over_the_bound_in_bytes_goes_by_itself)
{
    upload_begin_with(&f, 50, 4, 20, UINT64_MAX);
    upload_all(&f, 2);
    ck_assert_uint_eq(upload_under_way(&f), 2);
    ck_assert_str_eq(upload_body(&f, 0), "{\"id\":\"r0\",\"vector\":[1,0,0]}");
    upload_fini(&f);
}
END_TEST

START_TEST(a_row_that_found_no_room_for_its_bytes_is_not_taken)
{
    enum vecwire_err err;

    upload_begin_with(&f, 50, 1, 70, UINT64_MAX);
    ck_assert_uint_eq(upload_rows(&f, 9, &err), 4);
    ck_assert_int_eq(err, VECWIRE_EFULL);
    upload_added(&f, 0, 2);
    ck_assert_uint_eq(f.rooms, 1);
    ck_assert_uint_eq(upload_rows(&f, 1, &err), 1);
    vecwire_uploader_end(f.up);
    upload_serve(&f);
    ck_assert_uint_eq(f.result.rows_done, 5);
    upload_fini(&f);
}
END_TEST

/* A row that no request can hold. */
START_TEST(a_row_too_large_for_any_request_is_refused_with_its_number)
{
    static float wide[2][3] = {{1, 0, 0}, {0, 1, 0}};
    static char text[65538];
    const char *ids[] = {"ra", "rb"}, *texts[] = {NULL, text};
    size_t taken;

    memset(text, 'x', sizeof(text) - 1);
    upload_begin(&f, 10, 1);
    ck_assert_int_eq(
        vecwire_uploader_add(
            f.up,
            &VECWIRE_UPSERT(.matrix = wide[0], .rows = 2, .dim = 3, .ids = ids,
                            .texts = texts, .refusal = &f.refusal),
            &taken),
        VECWIRE_ETOOBIG);
    ck_assert_uint_eq(taken, 1);
    ck_assert_uint_eq(f.refusal.row, 1);
    vecwire_uploader_end(f.up);
    ck_assert_str_eq(upload_body(&f, 0), "{\"id\":\"ra\",\"vector\":[1,0,0]}");
    upload_fini(&f);
}
END_TEST

START_TEST(one_goes_on_behind_a_bad_row)
{
    float matrix[3][3] = {{1, 0, 0}, {0, 0, 0}, {1, 2, 0}};
    const char *ids[] = {"r0", "r1", "r2"};
    struct vecwire_upsert_request rows =
        VECWIRE_UPSERT(.matrix = matrix[0], .rows = 3, .dim = 3, .ids = ids,
                       .refusal = &f.refusal);
    size_t taken;

    upload_begin(&f, 10, 1);
    ck_assert_int_eq(vecwire_uploader_add(f.up, &rows, &taken), VECWIRE_EINVAL);
    ck_assert_uint_eq(taken, 1);
    ck_assert_uint_eq(f.refusal.row, 1);
    rows.matrix = matrix[2];
    rows.ids = ids + 2;
    rows.rows = 1;
    ck_assert_int_eq(vecwire_uploader_add(f.up, &rows, &taken), VECWIRE_OK);
    vecwire_uploader_end(f.up);
    ck_assert_str_eq(upload_body(&f, 0), "[{\"id\":\"r0\",\"vector\":[1,0,0]},"
                                         "{\"id\":\"r2\",\"vector\":[1,2,0]}]");
    upload_fini(&f);
}
END_TEST

START_TEST(more_rows_than_the_dialect_takes_at_once_may_be_added)
{
    static float matrix[2000][3];
    static const char *ids[2000];
    size_t taken;

    for (size_t i = 0; i < 2000; i++) {
        matrix[i][0] = 1;
        ids[i] = "r";
    }
    begin_known(1000, 4);
    ck_assert_int_eq(
        vecwire_uploader_add(f.up,
                             &VECWIRE_UPSERT(.matrix = matrix[0], .rows = 2000,
                                             .dim = 3, .ids = ids),
                             &taken),
        VECWIRE_OK);
    ck_assert_uint_eq(taken, 2000);
    ck_assert_uint_eq(upload_under_way(&f), 2);
    upload_fini(&f);
}
END_TEST

START_TEST(a_request_without_rows_is_refused)
{
    enum vecwire_err err;

    upload_begin(&f, 10, 1);
    upload_rows(&f, 0, &err);
    ck_assert_int_eq(err, VECWIRE_EINVAL);
    upload_fini(&f);
}
END_TEST

START_TEST(failed_rows_are_reported_with_ids_and_reason)
{
    begin_known(2, 2);
    upload_all(&f, 5);
    vecwire_uploader_end(f.up);
    upload_answer(&f, 1, 422,
                  "{\"error\":{\"code\":\"invalid_request\","
                  "\"message\":\"no\"}}");
    ck_assert_uint_eq(f.n_failures, 1);
    ck_assert_uint_eq(f.failures[0].first, 2);
    ck_assert_uint_eq(f.failures[0].count, 2);
    ck_assert_str_eq(f.failures[0].first_id, "r2");
    ck_assert_int_eq(f.failures[0].code, VECWIRE_EHTTP);
    ck_assert_str_eq(f.failures[0].detail, "no");
    upload_serve(&f);
    ck_assert_uint_eq(f.result.rows_done, 3);
    ck_assert_uint_eq(f.result.rows_failed, 2);
    ck_assert_int_eq(f.code, VECWIRE_EHTTP);
    upload_fini(&f);
}
END_TEST

static void
look_at_reason(struct upload_fixture *fixture, enum upload_event event)
{
    const struct vecwire_upload_result *now =
        vecwire_uploader_progress(fixture->up);

    if (event == UPLOAD_COMPLETED)
        ck_assert_str_eq(now->error->server_text, "first");
}

START_TEST(the_result_has_the_first_failure_s_texts)
{
    begin_known(1, 2);
    f.then = look_at_reason;
    upload_all(&f, 2);
    vecwire_uploader_end(f.up);
    upload_answer(&f, 0, 422,
                  "{\"error\":{\"code\":\"x\",\"message\":\"first\"}}");
    upload_answer(&f, 0, 422,
                  "{\"error\":{\"code\":\"x\",\"message\":\"second\"}}");
    ck_assert_uint_eq(f.completions, 1);
    upload_fini(&f);
}
END_TEST

START_TEST(fewer_rows_stored_than_sent_is_a_failure)
{
    begin_known(3, 2);
    upload_all(&f, 3);
    upload_added(&f, 0, 2);
    ck_assert_uint_eq(f.n_failures, 1);
    ck_assert_uint_eq(f.failures[0].count, 3);
    ck_assert_int_eq(f.failures[0].code, VECWIRE_EDECODE);
    upload_fini(&f);
}
END_TEST

START_TEST(a_lost_connection_is_no_loss_of_rows)
{
    begin_known(2, 1);
    upload_all(&f, 4);
    upload_added(&f, 0, 2);
    /* The second request went out on the first one's connection. */
    engine_lose(upload_conn(&f, 0), true, false);
    ck_assert_str_eq(upload_body(&f, 0), "[{\"id\":\"r2\",\"vector\":[1,2,0]},"
                                         "{\"id\":\"r3\",\"vector\":[1,3,0]}]");
    vecwire_uploader_end(f.up);
    upload_serve(&f);
    ck_assert_uint_eq(f.result.rows_done, 4);
    ck_assert_uint_eq(f.n_failures, 0);
    upload_fini(&f);
}
END_TEST

START_TEST(an_overloaded_server_is_asked_again)
{
    begin_known(2, 1);
    upload_all(&f, 2);
    vecwire_uploader_end(f.up);
    upload_answer(&f, 0, 503, "");
    ck_assert_uint_eq(f.n_failures, 0);
    fake_clock_pass(&f.base.clock, FAKE_S);
    upload_serve(&f);
    ck_assert_uint_eq(f.result.rows_done, 2);
    upload_fini(&f);
}
END_TEST

START_TEST(progress_is_up_to_date)
{
    const struct vecwire_upload_result *now;

    begin_known(2, 1);
    now = vecwire_uploader_progress(f.up);
    upload_all(&f, 3);
    ck_assert_uint_eq(now->rows_taken, 3);
    ck_assert_uint_eq(now->requests, 1);
    upload_added(&f, 0, 2);
    ck_assert_uint_eq(now->rows_done, 2);
    ck_assert_ptr_null(now->error);
    upload_fini(&f);
}
END_TEST

/* Fill the queue with calls of others: 8 connections, 16 that wait. */
static void
crowd(struct seen *seen)
{
    for (size_t i = 0; i < 24; i++)
        ck_assert_int_eq(engine_call(&f.base, VECWIRE__READ, 0, &seen[i], NULL),
                         VECWIRE_OK);
}

START_TEST(where_others_fill_the_queue_a_batch_waits_for_its_place)
{
    static struct seen seen[24];
    enum vecwire_err err;

    memset(seen, 0, sizeof(seen));
    begin_known(2, 2);
    crowd(seen);
    ck_assert_uint_eq(upload_rows(&f, 20, &err), 6);
    ck_assert_int_eq(err, VECWIRE_EFULL);
    ck_assert_uint_eq(vecwire_uploader_progress(f.up)->requests, 0);
    upload_answer(&f, 0, 200, MATCHES_1);
    engine_pass(&f.base);
    ck_assert_uint_eq(vecwire_uploader_progress(f.up)->requests, 1);
    upload_answer(&f, 0, 200, MATCHES_1);
    engine_pass(&f.base);
    ck_assert_uint_eq(vecwire_uploader_progress(f.up)->requests, 2);
    upload_fini(&f);
}
END_TEST

START_TEST(a_stuck_batch_does_not_keep_the_loop_busy)
{
    static struct seen seen[24];

    memset(seen, 0, sizeof(seen));
    begin_known(2, 2);
    crowd(seen);
    upload_all(&f, 2);
    f.base.due_asked = true; /* by whatever else there is */
    engine_pass(&f.base);
    ck_assert(!f.base.due_asked);
    upload_fini(&f);
}
END_TEST

START_TEST(two_uploads_ask_what_the_server_can_do_only_once)
{
    struct vecwire__upload_config config;
    struct vecwire_uploader *first, *second;

    upload_begin(&f, 2, 2);
    config = f.up->config;
    config.mem = &vecwire__mem_libc;
    config.settings = &f.up->settings.settings;
    config.open = (struct vecwire__buf){.mem = &vecwire__mem_libc};
    ck_assert(vecwire__buf_str(&config.open, "["));
    config.on_failed = NULL;
    config.on_done = NULL;
    ck_assert_int_eq(vecwire__upload_new(&second, &f.base.engine, &config),
                     VECWIRE_OK);
    upload_all(&f, 2);
    first = f.up;
    f.up = second;
    upload_all(&f, 2);
    f.up = first;
    ck_assert_uint_eq(upload_under_way(&f), 1);
    upload_added(&f, 0, 2);
    engine_pass(&f.base);
    ck_assert_uint_eq(upload_under_way(&f), 1);
    ck_assert_uint_eq(vecwire_uploader_progress(second)->requests, 1);
    vecwire_uploader_free(second);
    upload_fini(&f);
}
END_TEST

static void
add_tests(TCase *tcase)
{
    tcase_add_test(tcase, a_full_batch_is_sent_inside_add);
    tcase_add_test(tcase, the_end_sends_what_is_gathered);
    tcase_add_test(tcase, a_batch_of_one_row_is_a_document);
    tcase_add_test(tcase, an_upload_without_rows_completes_from_the_loop);
    tcase_add_test(tcase,
                   the_first_request_goes_alone_to_learn_what_the_server_takes);
    tcase_add_test(tcase, no_more_than_in_flight_requests_are_under_way);
    tcase_add_test(tcase, room_is_told_once_for_each_refusal);
    tcase_add_test(tcase, room_is_not_told_where_nothing_was_refused);
    tcase_add_test(tcase, a_producer_is_driven_by_the_room_callback);
    tcase_add_test(tcase, a_batch_is_bounded_in_bytes);
    tcase_add_test(tcase, a_row_over_the_bound_in_bytes_goes_by_itself);
    tcase_add_test(tcase, a_row_that_found_no_room_for_its_bytes_is_not_taken);
    tcase_add_test(tcase,
                   a_row_too_large_for_any_request_is_refused_with_its_number);
    tcase_add_test(tcase, one_goes_on_behind_a_bad_row);
    tcase_add_test(tcase,
                   more_rows_than_the_dialect_takes_at_once_may_be_added);
    tcase_add_test(tcase, a_request_without_rows_is_refused);
    tcase_add_test(tcase, failed_rows_are_reported_with_ids_and_reason);
    tcase_add_test(tcase, the_result_has_the_first_failure_s_texts);
    tcase_add_test(tcase, fewer_rows_stored_than_sent_is_a_failure);
    tcase_add_test(tcase, a_lost_connection_is_no_loss_of_rows);
    tcase_add_test(tcase, an_overloaded_server_is_asked_again);
    tcase_add_test(tcase, progress_is_up_to_date);
    tcase_add_test(tcase,
                   where_others_fill_the_queue_a_batch_waits_for_its_place);
    tcase_add_test(tcase, a_stuck_batch_does_not_keep_the_loop_busy);
    tcase_add_test(tcase, two_uploads_ask_what_the_server_can_do_only_once);
}

int
main(void)
{
    return client_rig_main("upload", add_tests);
}
