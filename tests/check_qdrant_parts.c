/* SPDX-License-Identifier: Apache-2.0 */
/* Qdrant's replies of several parts, matrices, and the bounds of all of it. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "codec/mem.h"
#include "dialect/qdrant_reply.h"
#include "dialect/qdrant_update.h"
#include "tests/counting_mem.h"

#define PAGE(points) "{\"result\":{\"points\":[" points "]}}"

static struct counting_mem counting;
static struct vecwire_reply *reply;
static struct vecwire__json_reader reader;

static void
setup(void)
{
    counting_mem_init(&counting);
    reply = vecwire__reply_new(&counting.mem);
    ck_assert_ptr_nonnull(reply);
}

static void
teardown(void)
{
    vecwire__reply_release(reply);
    ck_assert_uint_eq(counting.blocks, 0);
}

/* Feed it in pieces of `step` bytes, each in a block of its own size. */
static enum vecwire__json_rc
read_in(const struct vecwire__decoding *how, const char *json, size_t step)
{
    size_t len = strlen(json);

    vecwire__reply_reset(reply);
    vecwire__json_init(&reader, how->table, how->sink, reply, &reply->texts,
                       128);
    for (size_t at = 0; at < len; at += step) {
        size_t n = len - at < step ? len - at : step;
        char *piece = malloc(n);

        ck_assert_ptr_nonnull(piece);
        memcpy(piece, json + at, n);
        if (vecwire__json_feed(&reader, piece, n) == VECWIRE__JSON_MORE &&
            !vecwire__reply_row_fits(reply)) {
            free(piece);
            return VECWIRE__JSON_ESINK;
        }
        free(piece);
        if (n < step)
            break;
    }
    return vecwire__json_finish(&reader);
}

static void
reads(const struct vecwire__decoding *how, const char *json, size_t step)
{
    ck_assert_int_eq(read_in(how, json, step), VECWIRE__JSON_DONE);
    ck_assert(reply->answered);
    vecwire__reply_settle(reply);
}

/* However it is cut, this is wrong with it. */
static void
fails(const struct vecwire__decoding *how, const char *json, const char *fault)
{
    for (size_t step = 1; step <= strlen(json); step++) {
        ck_assert_int_eq(read_in(how, json, step), VECWIRE__JSON_ESINK);
        ck_assert_str_eq(reply->fault, fault);
    }
}

/* --- groups --- */

#define GROUPS                                                                 \
    "{\"result\":{\"groups\":[{\"hits\":[{\"id\":1,\"score\":1,\"version\":2," \
    "\"vector\":[1]},{\"id\":2,\"score\":0.5}],\"id\":\"a\\u00e4\","           \
    "\"lookup\":{\"id\":\"u\",\"payload\":{\"x\":1}}},"                        \
    "{\"lookup\":{\"id\":9,\"vector\":{\"n\":[9]}},\"id\":-5,\"hits\":["       \
    "{\"id\":3,\"score\":null}]},"                                             \
    "{\"id\":18446744073709551615,\"hits\":[],\"lookup\":null}]}}"

static void
check_group(size_t index, const char *id, size_t first, size_t n,
            const char *lookup)
{
    const struct vecwire_group *group = vecwire_reply_group(reply, index);

    ck_assert_ptr_nonnull(group);
    ck_assert_str_eq(group->id.text, id);
    ck_assert_uint_eq(group->id.len, strlen(id));
    ck_assert_uint_eq(group->first, first);
    ck_assert_uint_eq(group->n, n);
    if (lookup == NULL)
        ck_assert_ptr_null(group->lookup);
    else
        ck_assert_str_eq(group->lookup->id.text, lookup);
}

START_TEST(groups_have_rows_a_value_and_a_row_that_was_looked_up)
{
    for (size_t step = 1; step <= strlen(GROUPS); step++) {
        reads(&vecwire__qdrant_groups_decoding, GROUPS, step);
        ck_assert_uint_eq(vecwire_reply_groups(reply), 3);
        check_group(0, "a\xc3\xa4", 0, 2, "u");
        check_group(1, "-5", 4, 1, "9");
        check_group(2, "18446744073709551615", 5, 0, NULL);
        ck_assert_str_eq(vecwire_reply_row(reply, 4)->id.text, "3");
        ck_assert(!vecwire_reply_group(reply, 0)->id.is_number);
        ck_assert(!vecwire_reply_group(reply, 1)->id.is_number);
        ck_assert(vecwire_reply_group(reply, 2)->id.number == UINT64_MAX);
        ck_assert_str_eq(vecwire_reply_group(reply, 0)->lookup->payload,
                         "{\"x\":1}");
        ck_assert_ptr_null(vecwire_reply_group(reply, 3));
        ck_assert_uint_eq(vecwire_qdrant_facet_hits(reply), 0);
    }
}
END_TEST

START_TEST(what_a_group_lacks_is_named)
{
    fails(&vecwire__qdrant_groups_decoding,
          "{\"result\":{\"groups\":[{\"hits\":[]}]}}",
          "a group lacks its \"id\"");
    fails(&vecwire__qdrant_groups_decoding,
          "{\"result\":{\"groups\":[{\"id\":1}]}}",
          "a group lacks its \"hits\"");
    fails(&vecwire__qdrant_groups_decoding,
          "{\"result\":{\"groups\":[{\"hits\":[{\"id\":1}],\"id\":1}]}}",
          "a point lacks its \"score\"");
    fails(&vecwire__qdrant_groups_decoding,
          "{\"result\":{\"groups\":[{\"id\":[1]}]}}",
          "a value that is no string, whole number or boolean");
}
END_TEST

/* --- batches --- */

#define BATCH                                                                  \
    "{\"result\":[{\"points\":[{\"id\":1,\"score\":1,\"vector\":{\"s\":"       \
    "{\"indices\":[4],\"values\":[2]}}}]},{\"points\":[]},"                    \
    "{\"x\":[],\"points\":[{\"id\":2,\"score\":1},{\"id\":3,\"score\":0}]}]}"

START_TEST(each_search_of_a_batch_has_its_rows)
{
    for (size_t step = 1; step <= strlen(BATCH); step++) {
        reads(&vecwire__qdrant_batch_decoding, BATCH, step);
        ck_assert_uint_eq(vecwire_reply_groups(reply), 3);
        check_group(0, "", 0, 1, NULL);
        check_group(1, "", 1, 0, NULL);
        check_group(2, "", 1, 2, NULL);
        ck_assert_uint_eq(vecwire_reply_row(reply, 0)->vectors[0].indices[0],
                          4);
        ck_assert_uint_eq(vecwire_reply_count(reply), 3);
    }
}
END_TEST

START_TEST(an_empty_batch_has_no_groups)
{
    reads(&vecwire__qdrant_batch_decoding, "{\"result\":[]}", SIZE_MAX);
    ck_assert_uint_eq(vecwire_reply_groups(reply), 0);
}
END_TEST

START_TEST(a_search_of_a_batch_has_points_with_scores)
{
    fails(&vecwire__qdrant_batch_decoding, "{\"result\":[{\"x\":[]}]}",
          "a query's answer lacks its \"points\"");
    fails(&vecwire__qdrant_batch_decoding,
          "{\"result\":[{\"points\":[{\"id\":1}]}]}",
          "a point lacks its \"score\"");
}
END_TEST

/* --- facets --- */

#define FACET                                                                  \
    "{\"result\":{\"hits\":[{\"value\":\"a\\\"\",\"count\":3},"                \
    "{\"count\":18446744073709551615,\"value\":12},"                           \
    "{\"value\":true,\"count\":0},{\"value\":\"\",\"count\":1},"               \
    "{\"value\":\"a text of more than thirty-two bytes \\u00e4\",\"count\":1}" \
    "]}}"

static struct vecwire_qdrant_facet_value
hit(size_t index)
{
    struct vecwire_qdrant_facet_value value;

    ck_assert(vecwire_qdrant_facet_at(reply, index, &value));
    return value;
}

START_TEST(a_facet_tells_values_and_counts)
{
    for (size_t step = 1; step <= strlen(FACET); step++) {
        reads(&vecwire__qdrant_facet_decoding, FACET, step);
        ck_assert_uint_eq(vecwire_qdrant_facet_hits(reply), 5);
        ck_assert_str_eq(hit(0).value.text, "a\"");
        ck_assert(hit(0).is_text && !hit(0).value.is_number);
        ck_assert_uint_eq(hit(0).count, 3);
        ck_assert(hit(1).value.is_number && !hit(1).is_text);
        ck_assert_uint_eq(hit(1).value.number, 12);
        ck_assert(hit(1).count == UINT64_MAX);
        ck_assert_str_eq(hit(2).value.text, "true");
        ck_assert(!hit(2).is_text);
        ck_assert_str_eq(hit(3).value.text, "");
        ck_assert(hit(3).is_text);
        ck_assert_str_eq(hit(4).value.text,
                         "a text of more than thirty-two bytes \xc3\xa4");
        ck_assert_uint_eq(vecwire_reply_groups(reply), 0);
        ck_assert(!vecwire_qdrant_facet_at(
            reply, 5, &(struct vecwire_qdrant_facet_value){.count = 0}));
    }
}
END_TEST

START_TEST(a_hit_has_a_value_and_a_count)
{
    static const char *const hits[] = {"{\"value\":1}", "{\"count\":1}"};
    char json[128];

    for (size_t i = 0; i < 2; i++) {
        snprintf(json, sizeof(json), "{\"result\":{\"hits\":[%s]}}", hits[i]);
        fails(&vecwire__qdrant_facet_decoding, json,
              "a hit lacks its \"value\" or its \"count\"");
    }
    fails(&vecwire__qdrant_facet_decoding,
          "{\"result\":{\"hits\":[{\"value\":1.5,\"count\":1}]}}",
          "a value that is no string, whole number or boolean");
    fails(&vecwire__qdrant_facet_decoding,
          "{\"result\":{\"hits\":[{\"value\":null,\"count\":1}]}}",
          "a value that is no string, whole number or boolean");
}
END_TEST

START_TEST(a_count_is_a_number)
{
    reads(&vecwire__qdrant_count_decoding,
          "{\"result\":{\"count\":18446744073709551615},\"status\":\"ok\"}", 1);
    ck_assert(vecwire_reply_total(reply) == UINT64_MAX);
    ck_assert_int_eq(read_in(&vecwire__qdrant_count_decoding,
                             "{\"result\":{\"count\":-1}}", SIZE_MAX),
                     VECWIRE__JSON_ETYPE);
}
END_TEST

/* --- matrices --- */

static const float *
matrix_of(const char *json, size_t *rows, size_t *dim)
{
    reads(&vecwire__qdrant_page_decoding, json, 7);
    return vecwire_reply_matrix(reply, rows, dim);
}

START_TEST(rows_of_one_dense_vector_each_are_a_matrix)
{
    const float expected[] = {1, 2, 3, 4, 5, 6};
    size_t rows, dim;
    const float *matrix = matrix_of(
        PAGE("{\"id\":1,\"vector\":[1,2]},{\"id\":2,\"vector\":[3,4]},"
             "{\"id\":3,\"vector\":{\"a\":[5,6]}}"),
        &rows, &dim);

    ck_assert_ptr_nonnull(matrix);
    ck_assert_uint_eq(rows, 3);
    ck_assert_uint_eq(dim, 2);
    ck_assert_int_eq(memcmp(matrix, expected, sizeof(expected)), 0);
}
END_TEST

START_TEST(other_rows_are_no_matrix)
{
    static const char *const pages[] = {
        PAGE(""),
        PAGE("{\"id\":1}"),
        PAGE("{\"id\":1,\"vector\":[1]},{\"id\":2}"),
        PAGE("{\"id\":1},{\"id\":2,\"vector\":[1]}"),
        PAGE("{\"id\":1,\"vector\":[1]},{\"id\":2,\"vector\":[1,2]}"),
        PAGE("{\"id\":1,\"vector\":[[1]]}"),
        PAGE("{\"id\":1,\"vector\":{\"a\":[1],\"b\":[1]}}"),
        PAGE("{\"id\":1,\"vector\":{\"a\":{\"indices\":[1],\"values\":[1]}}}")};
    size_t rows = 1, dim = 1;

    ck_assert_ptr_null(matrix_of(pages[_i], &rows, &dim));
    ck_assert_uint_eq(rows + dim, 0);
}
END_TEST

/* --- bounds --- */

START_TEST(a_row_s_indices_count_before_the_row_is_whole)
{
    char json[1024];
    size_t len = (size_t)sprintf(json, "{\"result\":{\"points\":[{\"vector\":"
                                       "{\"s\":{\"indices\":[0");

    for (unsigned i = 1; i < 100; i++)
        len += (size_t)sprintf(json + len, ",%u", i);
    reply->max_row_bytes = 100;
    ck_assert_int_eq(read_in(&vecwire__qdrant_page_decoding, json, 8),
                     VECWIRE__JSON_ESINK);
    ck_assert_uint_lt(reply->n_indices, 30);
}
END_TEST

START_TEST(whether_a_row_is_too_large_does_not_depend_on_how_it_is_cut)
{
    static const char json[] =
        PAGE("{\"shard_key\":\"key\",\"id\":12345,\"vector\":{\"abc\":[1,2],"
             "\"d\":{\"indices\":[1],\"values\":[1]}},\"payload\":{\"a\":1},"
             "\"order_value\":1}");

    for (unsigned max = 1; max < 60; max++) {
        enum vecwire__json_rc whole;

        reply->max_row_bytes = max;
        whole = read_in(&vecwire__qdrant_page_decoding, json, SIZE_MAX);
        for (size_t step = 1; step < sizeof(json); step++)
            ck_assert_int_eq(
                read_in(&vecwire__qdrant_page_decoding, json, step), whole);
    }
}
END_TEST

START_TEST(no_more_parts_come_than_were_asked_for)
{
    static const struct {
        const struct vecwire__decoding *how;
        const char *json;
    } rows[] = {{&vecwire__qdrant_groups_decoding, GROUPS},
                {&vecwire__qdrant_batch_decoding, BATCH},
                {&vecwire__qdrant_facet_decoding, FACET},
                {&vecwire__qdrant_updates_decoding,
                 "{\"result\":[{\"status\":\"completed\"},"
                 "{\"status\":\"completed\"},{\"status\":\"completed\"}]}"}};

    reply->max_parts = 2;
    fails(rows[_i].how, rows[_i].json, "more answers than were asked for");
    reply->max_parts = 5;
    reads(rows[_i].how, rows[_i].json, 3);
}
END_TEST

/* --- memory --- */

static const struct {
    const struct vecwire__decoding *how;
    const char *json;
} replies[] = {
    {&vecwire__qdrant_groups_decoding, GROUPS},
    {&vecwire__qdrant_batch_decoding, BATCH},
    {&vecwire__qdrant_facet_decoding, FACET},
    {&vecwire__qdrant_page_decoding,
     "{\"result\":{\"points\":[{\"id\":1,\"vector\":[[1],[2]]},"
     "{\"id\":\"u\",\"vector\":{\"a\":[1],\"s\":{\"indices\":[1],\"values\":"
     "[1]}},\"payload\":{\"a\":1}}],\"next_page_offset\":3}}"},
    {&vecwire__qdrant_updates_decoding,
     "{\"result\":[{\"operation_id\":1,\"status\":\"completed\"},"
     "{\"status\":\"acknowledged\"}]}"},
};

START_TEST(a_reply_without_memory_fails_and_can_be_read_again)
{
    enum vecwire__json_rc rc = VECWIRE__JSON_MORE;

    for (size_t at = 1; rc != VECWIRE__JSON_DONE; at++) {
        vecwire__reply_release(reply);
        reply = vecwire__reply_new(&counting.mem);
        counting_mem_arm(&counting, at, false);
        rc = read_in(replies[_i].how, replies[_i].json, 5);
        counting_mem_arm(&counting, 0, false);
        if (rc == VECWIRE__JSON_DONE) {
            ck_assert_uint_gt(at, 1);
            break;
        }
        ck_assert(rc == VECWIRE__JSON_EMEM ||
                  (rc == VECWIRE__JSON_ESINK && reply->fault == NULL));
        reads(replies[_i].how, replies[_i].json, 5);
    }
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("qdrant parts");
    TCase *tests = tcase_create("qdrant parts");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests,
                   groups_have_rows_a_value_and_a_row_that_was_looked_up);
    tcase_add_test(tests, what_a_group_lacks_is_named);
    tcase_add_test(tests, each_search_of_a_batch_has_its_rows);
    tcase_add_test(tests, an_empty_batch_has_no_groups);
    tcase_add_test(tests, a_search_of_a_batch_has_points_with_scores);
    tcase_add_test(tests, a_facet_tells_values_and_counts);
    tcase_add_test(tests, a_hit_has_a_value_and_a_count);
    tcase_add_test(tests, a_count_is_a_number);
    tcase_add_test(tests, rows_of_one_dense_vector_each_are_a_matrix);
    tcase_add_loop_test(tests, other_rows_are_no_matrix, 0, 8);
    tcase_add_test(tests, a_row_s_indices_count_before_the_row_is_whole);
    tcase_add_test(tests,
                   whether_a_row_is_too_large_does_not_depend_on_how_it_is_cut);
    tcase_add_loop_test(tests, no_more_parts_come_than_were_asked_for, 0, 4);
    tcase_add_loop_test(
        tests, a_reply_without_memory_fails_and_can_be_read_again, 0, 5);
    suite_add_tcase(suite, tests);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
