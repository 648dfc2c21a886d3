/* SPDX-License-Identifier: Apache-2.0 */
/* Uploads to Qdrant: what its requests are like, and what becomes of rows. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "call/upload.h"
#include "codec/mem.h"
#include "dialect/qdrant_update.h"
#include "tests/engine_fixture.h"

#define OK "{\"result\":{\"operation_id\":1,\"status\":\"completed\"}}"
#define MIB ((size_t)1 << 20)

static struct engine_fixture base;
static struct vecwire__headers no_headers;
static struct vecwire_uploader *up;
static struct vecwire_qdrant_params params;
static struct vecwire_refusal refusal;
static struct vecwire_upload_result result;
static unsigned completions, n_failures;
static char failures[1024]; /* "first+count:id,id code" a line */
static struct vecwire_error last;

static void
on_failed(const struct vecwire_failed_rows *rows, void *arg)
{
    size_t len = strlen(failures);

    (void)arg;
    n_failures++;
    last = *rows->error;
    len += (size_t)snprintf(failures + len, sizeof(failures) - len,
                            "%u+%zu:", (unsigned)rows->first, rows->count);
    for (size_t i = 0; i < rows->count; i++)
        len += (size_t)snprintf(failures + len, sizeof(failures) - len, "%s%s",
                                i == 0 ? "" : ",", rows->ids[i]);
    snprintf(failures + len, sizeof(failures) - len, " %s\n",
             vecwire_err_name(rows->error->code));
}

static void
on_done(struct vecwire_uploader *uploader,
        const struct vecwire_upload_result *told, void *arg)
{
    (void)uploader;
    (void)arg;
    completions++;
    result = *told;
    ck_assert_uint_eq(told->rows_done + told->rows_failed, told->rows_taken);
}

static void
setup(void)
{
    engine_fixture_init(
        &base, &(struct vecwire__engine_config){
                   .connections = 4, .dialect = &vecwire__dialect_qdrant});
    vecwire_qdrant_params_init(&params);
    up = NULL;
    completions = n_failures = 0;
    failures[0] = '\0';
}

static void
teardown(void)
{
    vecwire_uploader_free(up);
    engine_fixture_fini(&base);
}

static void
begin(size_t rows, size_t bytes)
{
    const struct vecwire__settings settings = {.prefix = "/p",
                                               .collection = "a b",
                                               .json_depth = 128,
                                               .qdrant = &params};
    struct vecwire__upload_config config = {
        .mem = &vecwire__mem_libc,
        .settings = &settings,
        .open = {.mem = &vecwire__mem_libc},
        .others = &no_headers,
        .on_failed = on_failed,
        .on_done = on_done,
        .deadline_ns = UINT64_MAX,
        .request_deadline_ns = 30 * FAKE_S,
        .batch_bytes = bytes,
        .batch_rows = rows,
        .in_flight = 2,
    };
    const struct vecwire__upsert_parts *parts =
        vecwire__dialect_qdrant.upsert_parts;

    ck_assert_msg(parts->make_open(&settings, &config.open, &refusal) ==
                      VECWIRE_OK,
                  "%s", refusal.text);
    ck_assert_int_eq(vecwire__upload_new(&up, &base.engine, &config),
                     VECWIRE_OK);
}

/* Rows of one coordinate with the numbers from `first` on. */
static void
add(uint64_t first, size_t n)
{
    uint64_t numbers[8];
    float matrix[8];
    size_t taken;

    for (size_t i = 0; i < n; i++) {
        numbers[i] = first + i;
        matrix[i] = (float)i;
    }
    ck_assert_int_eq(
        vecwire_uploader_add(up,
                             &VECWIRE_UPSERT(.matrix = matrix, .rows = n,
                                             .dim = 1, .numbers = numbers,
                                             .refusal = &refusal),
                             &taken),
        VECWIRE_OK);
    ck_assert_uint_eq(taken, n);
}

/* The connection of request `index` under way; NULL: there are fewer. */
static struct vecwire__conn *
conn_of(size_t index)
{
    struct fake_conn *fake;

    TAILQ_FOREACH (fake, &base.net.open, next) {
        if (fake->busy && index-- == 0)
            return &fake->conn;
    }
    return NULL;
}

static void
is_sent(size_t index, const char *path, const char *body)
{
    const struct vecwire__request *req;

    ck_assert_ptr_nonnull(conn_of(index));
    req = fake_conn_of(conn_of(index))->req;
    ck_assert_str_eq(req->path, path);
    ck_assert_int_eq(req->method, VECWIRE__PUT);
    ck_assert_uint_eq(req->body_len, strlen(body));
    ck_assert_int_eq(memcmp(req->body, body, req->body_len), 0);
}

static void
answer(uint32_t status, const char *body)
{
    ck_assert_ptr_nonnull(conn_of(0));
    fake_reply(conn_of(0), status, body);
}

static void
end(void)
{
    vecwire_uploader_end(up);
    engine_pass(&base);
}

#define PATH "/p/collections/a%20b/points"

START_TEST(requests_carry_all_that_was_set_for_the_upload)
{
    params.wait = true;
    params.timeout_ms = 1500;
    params.ordering = VECWIRE_QDRANT_MEDIUM;
    params.update_mode = VECWIRE_QDRANT_UPDATE_ONLY;
    params.update_filter =
        "{\"must\":[{\"key\":\"a\",\"match\":"
        "{\"value\":\"a text that is longer than a row\"}}]}";
    params.shard_key = "[\"k\",12]";
    begin(2, MIB);
    add(1, 3);
    end();
#define OPEN                                                                   \
    "{\"update_mode\":\"update_only\",\"update_filter\":{\"must\":["           \
    "{\"key\":\"a\",\"match\":{\"value\":\"a text that is longer than a row\"" \
    "}}]},\"shard_key\":[\"k\",12],\"points\":["
    is_sent(0, PATH "?wait=true&ordering=medium&timeout=2",
            OPEN "{\"id\":1,\"vector\":[0]},{\"id\":2,\"vector\":[1]}]}");
    is_sent(1, PATH "?wait=true&ordering=medium&timeout=2",
            OPEN "{\"id\":3,\"vector\":[2]}]}");
    answer(200, OK);
    answer(200, OK);
    engine_pass(&base);
    ck_assert_uint_eq(completions, 1);
    ck_assert_uint_eq(result.rows_done, 3);
}
END_TEST

START_TEST(a_long_frame_does_not_harm_rows_that_are_sent_in_parts)
{
    params.update_filter =
        "{\"must\":[{\"key\":\"a\",\"match\":"
        "{\"value\":\"a text that is longer than a row\"}}]}";
#define FILTERED                                                               \
    "{\"update_filter\":{\"must\":[{\"key\":\"a\",\"match\":{\"value\":"       \
    "\"a text that is longer than a row\"}}]},\"points\":["
    begin(4, MIB);
    add(1, 4);
    answer(413, "");
    is_sent(0, PATH,
            FILTERED "{\"id\":1,\"vector\":[0]},{\"id\":2,\"vector\":[1]}]}");
    answer(200, OK);
    is_sent(0, PATH,
            FILTERED "{\"id\":3,\"vector\":[2]},{\"id\":4,\"vector\":[3]}]}");
    answer(200, OK);
    end();
    ck_assert_uint_eq(result.rows_done, 4);
    ck_assert_uint_eq(n_failures, 0);
}
END_TEST

START_TEST(settings_that_no_upload_has_are_refused)
{
    static const struct vecwire_qdrant_params rows[] = {
        VECWIRE_QDRANT_PARAMS(.by_columns = true),
        VECWIRE_QDRANT_PARAMS(.consistency = 1),
        VECWIRE_QDRANT_PARAMS(.payload_selector = "[]"),
        VECWIRE_QDRANT_PARAMS(.update_filter = "1")};
    static const char *const texts[] = {
        "params.by_columns: an uploader sends rows",
        "params.consistency: this call has none",
        "params.payload_selector: this call has none",
        "update_filter: expected an object "};
    struct vecwire__settings settings = {.prefix = "",
                                         .collection = "c",
                                         .json_depth = 128,
                                         .qdrant = &rows[_i]};
    struct vecwire__buf open;

    vecwire__buf_init(&open, &vecwire__mem_libc);
    ck_assert_int_eq(vecwire__dialect_qdrant.upsert_parts->make_open(
                         &settings, &open, &refusal),
                     VECWIRE_EINVAL);
    ck_assert_str_eq(refusal.text, texts[_i]);
    vecwire__buf_fini(&open);
}
END_TEST

START_TEST(rows_of_any_vectors_share_a_request)
{
    static const float values[] = {1, 2};
    static const uint32_t indices[] = {3, 4};
    const struct vecwire_vector list[] = {
        {.name = "s", .values = values, .indices = indices, .dim = 2},
        {.values = values, .dim = 2},
        {.values = values, .dim = 1}};
    const struct vecwire_vectors rows[] = {
        {&list[0], 1}, {&list[1], 1}, {&list[2], 1}, {NULL, 0}};
    const char *const ids[] = {"1", "550E8400e29b41d4a716446655440000", "3",
                               "x"};
    size_t taken;

    begin(8, MIB);
    ck_assert_int_eq(
        vecwire_uploader_add(up,
                             &VECWIRE_UPSERT(.vectors = rows, .rows = 4,
                                             .ids = ids, .refusal = &refusal),
                             &taken),
        VECWIRE_EINVAL);
    ck_assert_uint_eq(taken, 3);
    ck_assert_uint_eq(refusal.row, 3);
    end();
    is_sent(0, PATH,
            "{\"points\":[{\"id\":1,\"vector\":{\"s\":{\"indices\":[3,4],"
            "\"values\":[1,2]}}},{\"id\":\"550e8400-e29b-41d4-a716-"
            "446655440000\",\"vector\":[1,2]},{\"id\":3,\"vector\":[1]}]}");
    answer(400, "{\"status\":{\"error\":\"Wrong input: no\"},\"time\":0}");
    ck_assert_str_eq(failures, "0+3:1,550E8400e29b41d4a716446655440000,3 "
                               "VECWIRE_EHTTP\n");
    ck_assert_uint_eq(last.http_status, 400);
    ck_assert(!last.outcome_unknown);
}
END_TEST

START_TEST(rows_with_numbers_fail_with_their_digits)
{
    begin(2, MIB);
    add(UINT64_MAX - 1, 2);
    answer(404, "{\"status\":{\"error\":\"Not found: Collection\"}}");
    ck_assert_str_eq(failures, "0+2:18446744073709551614,18446744073709551615 "
                               "VECWIRE_EHTTP\n");
}
END_TEST

START_TEST(rows_whose_wait_ran_out_are_not_confirmed)
{
    begin(2, MIB);
    add(1, 2);
    answer(200, "{\"result\":{\"operation_id\":1,\"status\":\"wait_timeout\"},"
                "\"status\":\"ok\"}");
    ck_assert_str_eq(failures, "0+2:1,2 VECWIRE_EUNKNOWN\n");
    ck_assert(last.outcome_unknown);
    ck_assert_uint_eq(last.http_status, 200);
    add(3, 2);
    answer(200, "{\"result\":{\"status\":\"acknowledged\"}}");
    end();
    ck_assert_uint_eq(result.rows_done, 2);
    ck_assert_uint_eq(result.rows_failed, 2);
}
END_TEST

static void
answer_later(uint32_t status, const char *seconds)
{
    const struct vecwire_header header = {"retry-after", seconds};
    struct vecwire__conn *conn = conn_of(0);

    ck_assert_ptr_nonnull(conn);
    fake_head(conn, status, &header, 1);
    fake_end(conn, true);
}

START_TEST(a_rate_limit_with_retry_after_is_waited_for)
{
    begin(2, MIB);
    add(1, 2);
    answer_later(429, "7");
    engine_pass(&base);
    ck_assert_ptr_null(conn_of(0));
    fake_clock_pass(&base.clock, 6 * FAKE_S);
    ck_assert_ptr_null(conn_of(0));
    fake_clock_pass(&base.clock, 2 * FAKE_S);
    engine_pass(&base);
    is_sent(0, PATH,
            "{\"points\":[{\"id\":1,\"vector\":[0]},{\"id\":2,\"vector\":"
            "[1]}]}");
    answer(200, OK);
    end();
    ck_assert_uint_eq(result.rows_done, 2);
    ck_assert_uint_eq(n_failures, 0);
}
END_TEST

START_TEST(a_rate_limit_without_retry_after_halves_the_request)
{
    begin(4, MIB);
    add(1, 4);
    answer(429, "{\"status\":{\"error\":\"larger than the capacity\"}}");
    is_sent(0, PATH,
            "{\"points\":[{\"id\":1,\"vector\":[0]},{\"id\":2,\"vector\":"
            "[1]}]}");
    answer(429, "");
    is_sent(0, PATH, "{\"points\":[{\"id\":1,\"vector\":[0]}]}");
    answer(429, "");
    ck_assert_str_eq(failures, "0+1:1 VECWIRE_EHTTP\n");
    ck_assert_uint_eq(last.http_status, 429);
    for (int i = 0; i < 3; i++)
        answer(200, OK);
    end();
    ck_assert_uint_eq(result.rows_done, 3);
    ck_assert_uint_eq(result.requests, 6);
}
END_TEST

START_TEST(no_request_is_over_32_mib)
{
    const size_t len = 12 * MIB;
    char *payload = malloc(len + 1);
    const char *const payloads[] = {payload, payload, payload};
    const uint64_t numbers[] = {1, 2, 3};
    size_t taken;

    ck_assert_ptr_nonnull(payload);
    memset(payload, 'a', len);
    memcpy(payload, "{\"a\":\"", 6);
    memcpy(payload + len - 2, "\"}", 3);
    teardown();
    engine_fixture_init(
        &base, &(struct vecwire__engine_config){
                   .connections = 4, .dialect = &vecwire__dialect_qdrant});
    begin(8, VECWIRE__QDRANT_MAX_BODY);
    ck_assert_int_eq(
        vecwire_uploader_add(up,
                             &VECWIRE_UPSERT(.rows = 3, .numbers = numbers,
                                             .payloads = payloads),
                             &taken),
        VECWIRE_OK);
    end();
    for (size_t i = 0; i < 2; i++) {
        ck_assert_ptr_nonnull(conn_of(i));
        ck_assert_uint_le(fake_conn_of(conn_of(i))->req->body_len,
                          VECWIRE__QDRANT_MAX_BODY);
    }
    answer(200, OK);
    answer(200, OK);
    engine_pass(&base);
    ck_assert_uint_eq(result.rows_done, 3);
    free(payload);
}
END_TEST

START_TEST(a_row_over_32_mib_is_refused_and_others_go_on)
{
    const size_t len = VECWIRE__QDRANT_MAX_BODY;
    char *payload = malloc(len + 1);
    const char *const payloads[] = {NULL, payload};
    const uint64_t numbers[] = {1, 2};
    size_t taken;

    ck_assert_ptr_nonnull(payload);
    memset(payload, 'a', len);
    memcpy(payload, "{\"a\":\"", 6);
    memcpy(payload + len - 2, "\"}", 3);
    begin(2, MIB);
    ck_assert_int_eq(
        vecwire_uploader_add(up,
                             &VECWIRE_UPSERT(.rows = 2, .numbers = numbers,
                                             .payloads = payloads,
                                             .refusal = &refusal),
                             &taken),
        VECWIRE_ETOOBIG);
    ck_assert_uint_eq(taken, 1);
    ck_assert_uint_eq(refusal.row, 1);
    free(payload);
    end();
    is_sent(0, PATH, "{\"points\":[{\"id\":1,\"vector\":{}}]}");
    answer(200, OK);
    engine_pass(&base);
    ck_assert_uint_eq(result.rows_done, 1);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("upload qdrant");
    TCase *tests = tcase_create("upload qdrant");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, requests_carry_all_that_was_set_for_the_upload);
    tcase_add_test(tests,
                   a_long_frame_does_not_harm_rows_that_are_sent_in_parts);
    tcase_add_loop_test(tests, settings_that_no_upload_has_are_refused, 0, 4);
    tcase_add_test(tests, rows_of_any_vectors_share_a_request);
    tcase_add_test(tests, rows_with_numbers_fail_with_their_digits);
    tcase_add_test(tests, rows_whose_wait_ran_out_are_not_confirmed);
    tcase_add_test(tests, a_rate_limit_with_retry_after_is_waited_for);
    tcase_add_test(tests, a_rate_limit_without_retry_after_halves_the_request);
    tcase_add_test(tests, no_request_is_over_32_mib);
    tcase_add_test(tests, a_row_over_32_mib_is_refused_and_others_go_on);
    suite_add_tcase(suite, tests);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
