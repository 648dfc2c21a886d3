/* SPDX-License-Identifier: Apache-2.0 */
/* Uploads to servers that lack the route for several rows (404), or that take
 * less in a request than we do (413). */
#include "tests/upload_fixture.h"

#include <check.h>
#include <stdio.h>

#include "tests/client_rig.h"

static struct upload_fixture f;

/* Answer single documents in the order of their connections; every one must
 * be one. */
static void
serve_documents(void)
{
    while (upload_conn(&f, 0) != NULL) {
        ck_assert_str_eq(upload_path(&f, 0), "/api/v1/documents");
        upload_added(&f, 0, 1);
    }
    engine_pass(&f.base);
}

START_TEST(after_a_404_the_same_rows_go_one_by_one)
{
    upload_begin(&f, 3, 2);
    upload_all(&f, 3);
    upload_answer(&f, 0, 404, "");
    ck_assert_str_eq(upload_path(&f, 0), "/api/v1/documents");
    ck_assert_str_eq(upload_body(&f, 0), "{\"id\":\"r0\",\"vector\":[1,0,0]}");
    upload_added(&f, 0, 1);
    ck_assert_str_eq(upload_body(&f, 0), "{\"id\":\"r1\",\"vector\":[1,1,0]}");
    vecwire_uploader_end(f.up);
    serve_documents();
    ck_assert_uint_eq(f.result.rows_done, 3);
    ck_assert_uint_eq(f.result.requests, 4);
    ck_assert_uint_eq(f.n_failures, 0);
    upload_fini(&f);
}
END_TEST

START_TEST(after_a_404_as_many_documents_are_under_way_as_requests_were)
{
    enum vecwire_err err;

    upload_begin(&f, 3, 2);
    upload_rows(&f, 20, &err);
    upload_answer(&f, 0, 404, "");
    ck_assert_uint_eq(upload_under_way(&f), 2);
    upload_added(&f, 0, 1);
    ck_assert_uint_eq(upload_under_way(&f), 2);
    vecwire_uploader_end(f.up);
    serve_documents();
    ck_assert_uint_eq(f.result.rows_done, f.next_row);
    upload_fini(&f);
}
END_TEST

START_TEST(after_a_404_later_rows_are_sent_inside_add_one_by_one)
{
    upload_begin(&f, 3, 2);
    upload_all(&f, 3);
    upload_answer(&f, 0, 404, "");
    serve_documents();
    upload_all(&f, 1);
    ck_assert_str_eq(upload_body(&f, 0), "{\"id\":\"r3\",\"vector\":[1,3,0]}");
    upload_all(&f, 1);
    ck_assert_uint_eq(upload_under_way(&f), 2);
    upload_fini(&f);
}
END_TEST

START_TEST(a_second_upload_does_not_ask_a_server_that_said_404)
{
    upload_begin(&f, 3, 2);
    f.base.engine.uploads.many = VECWIRE__MANY_LACKED;
    upload_all(&f, 3);
    ck_assert_str_eq(upload_path(&f, 0), "/api/v1/documents");
    vecwire_uploader_end(f.up);
    serve_documents();
    ck_assert_uint_eq(f.result.requests, 3);
    upload_fini(&f);
}
END_TEST

START_TEST(a_document_s_failure_is_that_row_s_alone)
{
    upload_begin(&f, 3, 2);
    upload_all(&f, 3);
    upload_answer(&f, 0, 404, "");
    upload_added(&f, 0, 1);
    upload_answer(&f, 0, 422, "");
    vecwire_uploader_end(f.up);
    serve_documents();
    ck_assert_uint_eq(f.n_failures, 1);
    ck_assert_uint_eq(f.failures[0].first, 1);
    ck_assert_uint_eq(f.failures[0].count, 1);
    ck_assert_str_eq(f.failures[0].first_id, "r1");
    ck_assert_uint_eq(f.result.rows_done, 2);
    upload_fini(&f);
}
END_TEST

START_TEST(a_404_for_a_document_is_a_failure)
{
    upload_begin(&f, 1, 2);
    upload_all(&f, 1);
    upload_answer(&f, 0, 404, "");
    ck_assert_uint_eq(f.n_failures, 1);
    ck_assert_uint_eq(f.failures[0].http_status, 404);
    upload_fini(&f);
}
END_TEST

START_TEST(a_404_where_several_rows_were_taken_before_is_a_failure)
{
    upload_begin(&f, 2, 2);
    upload_all(&f, 4);
    upload_added(&f, 0, 2);
    upload_answer(&f, 0, 404, "");
    ck_assert_uint_eq(f.n_failures, 1);
    ck_assert_uint_eq(f.failures[0].count, 2);
    ck_assert_uint_eq(f.failures[0].http_status, 404);
    upload_all(&f, 2);
    ck_assert_str_eq(upload_path(&f, 0), "/api/v1/documents/batch");
    upload_fini(&f);
}
END_TEST

START_TEST(a_failure_that_is_no_404_leaves_the_question_open)
{
    upload_begin(&f, 2, 2);
    upload_all(&f, 4);
    upload_answer(&f, 0, 422, "");
    ck_assert_uint_eq(upload_under_way(&f), 1);
    ck_assert_str_eq(upload_path(&f, 0), "/api/v1/documents/batch");
    upload_fini(&f);
}
END_TEST

START_TEST(a_request_that_is_too_large_is_sent_in_halves)
{
    upload_begin(&f, 4, 2);
    upload_all(&f, 4);
    upload_answer(&f, 0, 413, "");
    ck_assert_str_eq(upload_body(&f, 0), "[{\"id\":\"r0\",\"vector\":[1,0,0]},"
                                         "{\"id\":\"r1\",\"vector\":[1,1,0]}]");
    upload_added(&f, 0, 2);
    ck_assert_str_eq(upload_body(&f, 0), "[{\"id\":\"r2\",\"vector\":[1,2,0]},"
                                         "{\"id\":\"r3\",\"vector\":[1,3,0]}]");
    vecwire_uploader_end(f.up);
    upload_serve(&f);
    ck_assert_uint_eq(f.result.rows_done, 4);
    ck_assert_uint_eq(f.n_failures, 0);
    upload_fini(&f);
}
END_TEST

START_TEST(halves_are_halved_down_to_single_rows)
{
    upload_begin(&f, 4, 1);
    upload_all(&f, 4);
    vecwire_uploader_end(f.up);
    while (strstr(upload_path(&f, 0), "batch") != NULL)
        upload_answer(&f, 0, 413, "");
    ck_assert_str_eq(upload_body(&f, 0), "{\"id\":\"r0\",\"vector\":[1,0,0]}");
    serve_documents();
    ck_assert_uint_eq(f.result.rows_done, 4);
    upload_fini(&f);
}
END_TEST

START_TEST(a_row_that_is_too_large_by_itself_fails)
{
    upload_begin(&f, 2, 1);
    upload_all(&f, 2);
    vecwire_uploader_end(f.up);
    upload_answer(&f, 0, 413, "");
    upload_answer(&f, 0, 413, "");
    ck_assert_uint_eq(f.n_failures, 1);
    ck_assert_uint_eq(f.failures[0].http_status, 413);
    ck_assert_uint_eq(f.failures[0].count, 1);
    serve_documents();
    ck_assert_uint_eq(f.result.rows_done, 1);
    upload_fini(&f);
}
END_TEST

START_TEST(the_smaller_size_is_kept_for_later_batches)
{
    upload_begin(&f, 4, 1);
    upload_all(&f, 4);
    upload_answer(&f, 0, 413, "");
    upload_serve(&f);
    /* Not four of them any more: it is full with the second. */
    upload_all(&f, 3);
    ck_assert_str_eq(upload_body(&f, 0), "[{\"id\":\"r4\",\"vector\":[1,4,0]},"
                                         "{\"id\":\"r5\",\"vector\":[1,5,0]}]");
    upload_fini(&f);
}
END_TEST

START_TEST(a_batch_that_was_gathered_before_is_divided_without_asking)
{
    upload_begin(&f, 4, 1);
    upload_all(&f, 8);
    upload_answer(&f, 0, 413, "");
    upload_added(&f, 0, 2);
    upload_added(&f, 0, 2);
    ck_assert_str_eq(upload_body(&f, 0), "[{\"id\":\"r4\",\"vector\":[1,4,0]},"
                                         "{\"id\":\"r5\",\"vector\":[1,5,0]}]");
    upload_fini(&f);
}
END_TEST

/* Add `n` rows of `dim` coordinates (0: of a text), which must be taken. */
static void
add_wide(size_t n, size_t dim)
{
    static float wide[65536];
    const char *ids[] = {"r", "r", "r"}, *texts[] = {"t", "t", "t"};
    float *matrix = dim > 0 ? wide : NULL;
    size_t taken;

    ck_assert_uint_le(n * dim, 65536);
    for (size_t i = 0; i < n; i++)
        wide[i * dim] = 1;
    ck_assert_int_eq(vecwire_uploader_add(
                         f.up,
                         &VECWIRE_UPSERT(.matrix = matrix, .dim = dim,
                                         .rows = n, .ids = ids, .texts = texts),
                         &taken),
                     VECWIRE_OK);
    ck_assert_uint_eq(taken, n);
}

START_TEST(rows_with_and_without_vectors_go_in_requests_of_their_own)
{
    upload_begin(&f, 10, 4);
    f.base.engine.uploads.many = VECWIRE__MANY_TAKEN;
    add_wide(2, 3);
    add_wide(2, 0);
    ck_assert_str_eq(upload_body(&f, 0),
                     "[{\"id\":\"r\",\"vector\":[1,0,0],\"text\":\"t\"},"
                     "{\"id\":\"r\",\"vector\":[1,0,0],\"text\":\"t\"}]");
    add_wide(1, 2);
    ck_assert_str_eq(upload_body(&f, 1), "[{\"id\":\"r\",\"text\":\"t\"},"
                                         "{\"id\":\"r\",\"text\":\"t\"}]");
    upload_fini(&f);
}
END_TEST

START_TEST(a_request_has_no_more_coordinates_than_the_dialect_takes)
{
    upload_begin_with(&f, 100, 4, (size_t)8 << 20, UINT64_MAX);
    f.base.engine.uploads.many = VECWIRE__MANY_TAKEN;
    for (int i = 0; i < 16; i++)
        add_wide(1, 65536);
    ck_assert_uint_eq(upload_under_way(&f), 0);
    add_wide(1, 65536);
    ck_assert_uint_eq(upload_under_way(&f), 1);
    ck_assert_uint_eq(vecwire_uploader_progress(f.up)->requests, 1);
    upload_fini(&f);
}
END_TEST

/* A body that is more than an array, as other dialects have it: what closes
 * a part stands for a while where the next row begins. */
START_TEST(parts_are_whole_bodies_whatever_their_frame)
{
    struct vecwire__upsert_parts parts;

    upload_begin(&f, 4, 1);
    parts = *f.up->parts;
    f.up->config.open.len = 0;
    ck_assert(vecwire__buf_str(&f.up->config.open, "{\"points\":["));
    parts.close = "]}  ";
    parts.bare_row = false;
    f.up->parts = &parts;
    upload_all(&f, 4);
    upload_answer(&f, 0, 413, "");
    ck_assert_str_eq(upload_body(&f, 0),
                     "{\"points\":[{\"id\":\"r0\",\"vector\":[1,0,0]},"
                     "{\"id\":\"r1\",\"vector\":[1,1,0]}]}  ");
    upload_answer(&f, 0, 413, "");
    ck_assert_str_eq(upload_body(&f, 0),
                     "{\"points\":[{\"id\":\"r0\",\"vector\":[1,0,0]}]}  ");
    upload_added(&f, 0, 1);
    upload_added(&f, 0, 1);
    ck_assert_str_eq(upload_body(&f, 0),
                     "{\"points\":[{\"id\":\"r2\",\"vector\":[1,2,0]}]}  ");
    upload_fini(&f);
}
END_TEST

static void
free_it(struct upload_fixture *fixture, enum upload_event event)
{
    struct vecwire_uploader *up = fixture->up;

    if (event != UPLOAD_FAILED_ROWS || up == NULL)
        return;
    fixture->up = NULL;
    vecwire_uploader_free(up);
}

START_TEST(freed_when_a_part_fails_the_other_part_is_reported_too)
{
    upload_begin(&f, 4, 1);
    f.then = free_it;
    upload_all(&f, 4);
    upload_answer(&f, 0, 413, "");
    upload_answer(&f, 0, 422, "");
    ck_assert_uint_eq(f.completions, 1);
    ck_assert_uint_eq(f.result.rows_failed, 4);
    ck_assert_uint_eq(f.n_failures, 2);
    ck_assert_uint_eq(f.failures[1].first, 2);
    ck_assert_int_eq(f.failures[1].code, VECWIRE_ECLOSED);
    upload_fini(&f);
}
END_TEST

/* --- the verb --- */

static const struct fault_step lacks_many[] = {
    {FAULT_READ, NULL, 0},
    {FAULT_SEND, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", 0},
    {FAULT_AGAIN, NULL, 0}};

static void
keep(const struct vecwire_reply *reply, void *arg)
{
    struct rig_outcome *outcome = arg;

    outcome->runs++;
    outcome->reply = vecwire_reply_keep(reply);
}

static enum vecwire_err
upsert(struct client_rig *rig, size_t rows, struct rig_outcome *outcome,
       struct vecwire_refusal *refusal)
{
    static const float matrix[] = {1, 0, 0, 0, 1, 0};
    static const char *const ids[] = {"a", "b"};

    *outcome = (struct rig_outcome){.rig = rig};
    return vecwire_upsert(rig->client,
                          &VECWIRE_UPSERT(.matrix = matrix, .rows = rows,
                                          .dim = 3, .ids = ids,
                                          .refusal = refusal),
                          keep, outcome, NULL);
}

START_TEST(the_verb_completes_with_404_once_and_is_refused_then)
{
    const struct fault_step *const scripts[] = {lacks_many};
    struct vecwire_refusal refusal = {.text = ""};
    struct client_rig rig;
    struct rig_outcome outcome;

    client_rig_init(&rig, scripts, 1, VECWIRE_OPTIONS(.url = NULL));
    ck_assert_int_eq(upsert(&rig, 2, &outcome, &refusal), VECWIRE_OK);
    client_rig_run(&rig);
    ck_assert_int_eq(rig_outcome_code(&outcome), VECWIRE_EHTTP);
    ck_assert_uint_eq(vecwire_reply_status(outcome.reply), 404);
    rig_outcome_fini(&outcome);
    ck_assert_int_eq(upsert(&rig, 2, &outcome, &refusal), VECWIRE_EUNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(refusal.text, "one by one"));
    client_rig_fini(&rig);
}
END_TEST

START_TEST(the_verb_takes_single_rows_all_the_same)
{
    const struct fault_step *const scripts[] = {lacks_many};
    struct client_rig rig;
    struct rig_outcome outcome;

    client_rig_init(&rig, scripts, 1, VECWIRE_OPTIONS(.url = NULL));
    ck_assert_int_eq(upsert(&rig, 2, &outcome, NULL), VECWIRE_OK);
    client_rig_run(&rig);
    rig_outcome_fini(&outcome);
    ck_assert_int_eq(upsert(&rig, 1, &outcome, NULL), VECWIRE_OK);
    client_rig_run(&rig);
    rig_outcome_fini(&outcome);
    client_rig_fini(&rig);
}
END_TEST

static void
add_tests(TCase *tcase)
{
    tcase_add_test(tcase, after_a_404_the_same_rows_go_one_by_one);
    tcase_add_test(
        tcase, after_a_404_as_many_documents_are_under_way_as_requests_were);
    tcase_add_test(tcase,
                   after_a_404_later_rows_are_sent_inside_add_one_by_one);
    tcase_add_test(tcase, a_second_upload_does_not_ask_a_server_that_said_404);
    tcase_add_test(tcase, a_document_s_failure_is_that_row_s_alone);
    tcase_add_test(tcase, a_404_for_a_document_is_a_failure);
    tcase_add_test(tcase,
                   a_404_where_several_rows_were_taken_before_is_a_failure);
    tcase_add_test(tcase, a_failure_that_is_no_404_leaves_the_question_open);
    tcase_add_test(tcase, a_request_that_is_too_large_is_sent_in_halves);
    tcase_add_test(tcase, halves_are_halved_down_to_single_rows);
    tcase_add_test(tcase, a_row_that_is_too_large_by_itself_fails);
    tcase_add_test(tcase, the_smaller_size_is_kept_for_later_batches);
    tcase_add_test(tcase,
                   a_batch_that_was_gathered_before_is_divided_without_asking);
    tcase_add_test(tcase,
                   rows_with_and_without_vectors_go_in_requests_of_their_own);
    tcase_add_test(tcase,
                   a_request_has_no_more_coordinates_than_the_dialect_takes);
    tcase_add_test(tcase, parts_are_whole_bodies_whatever_their_frame);
    tcase_add_test(tcase,
                   freed_when_a_part_fails_the_other_part_is_reported_too);
    tcase_add_test(tcase, the_verb_completes_with_404_once_and_is_refused_then);
    tcase_add_test(tcase, the_verb_takes_single_rows_all_the_same);
}

int
main(void)
{
    return client_rig_main("upload_parts", add_tests);
}
