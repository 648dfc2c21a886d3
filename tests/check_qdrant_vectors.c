/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of every form in Qdrant's replies, and what a row may hold. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/qdrant_reply_rig.h"

static void
check_floats(const struct vecwire_vector *found, size_t n, const float *floats)
{
    ck_assert_mem_eq(found->values, floats, n * sizeof(*floats));
}

/* --- vectors --- */

START_TEST(a_dense_vector_is_the_rows_own)
{
    static const float floats[] = {1, -0.5f, 1e-7f};

    reply_read_page(VECTOR("[1.0,-0.5,1e-7]"));
    ck_assert_uint_eq(reply_row(0)->dim, 3);
    ck_assert_mem_eq(reply_row(0)->vector, floats, sizeof(floats));
    ck_assert_ptr_eq(reply_vector(0, NULL)->values, reply_row(0)->vector);
}
END_TEST

START_TEST(a_component_that_is_null_is_nan)
{
    reply_read_page(VECTOR("[1.0,null]"));
    ck_assert(isnan(reply_row(0)->vector[1]));
    ck_assert_uint_eq(reply_row(0)->flags, VECWIRE_ROW_HAS_NAN);
}
END_TEST

START_TEST(a_multi_vector_has_rows)
{
    static const float floats[] = {1, 2, 3, 4, 5, 6};

    reply_read_page(VECTOR("[[1,2],[3,4],[5,6]]"));
    ck_assert_uint_eq(reply_vector(0, NULL)->rows, 3);
    ck_assert_uint_eq(reply_vector(0, NULL)->dim, 2);
    check_floats(reply_vector(0, NULL), 6, floats);
    ck_assert_ptr_null(reply_row(0)->vector);
}
END_TEST

START_TEST(a_multi_vector_is_not_ragged)
{
    reply_expect_fault(&vecwire__qdrant_page_decoding, VECTOR("[[1,2],[3]]"),
                       "different lengths");
}
END_TEST

START_TEST(a_sparse_vector_has_indices_whichever_come_first)
{
    static const char *const replies[] = {
        VECTOR("{\"s\":{\"indices\":[7,4294967295],\"values\":[0.5,1]}}"),
        VECTOR("{\"s\":{\"values\":[0.5,1],\"indices\":[7,4294967295]}}")};
    static const float floats[] = {0.5f, 1};

    reply_read_page(replies[_i]);
    ck_assert_uint_eq(reply_vector(0, "s")->dim, 2);
    ck_assert_uint_eq(reply_vector(0, "s")->indices[0], 7);
    ck_assert_uint_eq(reply_vector(0, "s")->indices[1], UINT32_MAX);
    check_floats(reply_vector(0, "s"), 2, floats);
}
END_TEST

START_TEST(an_empty_sparse_vector_is_sparse)
{
    reply_read_page(VECTOR("{\"s\":{\"indices\":[],\"values\":[]}}"));
    ck_assert_uint_eq(reply_vector(0, "s")->dim, 0);
    ck_assert_ptr_nonnull(reply_vector(0, "s")->indices);
}
END_TEST

START_TEST(a_sparse_vector_needs_both_and_of_one_length)
{
    static const char *const replies[] = {
        VECTOR("{\"s\":{\"indices\":[1,2],\"values\":[1]}}"),
        VECTOR("{\"s\":{\"indices\":[1],\"values\":[1,2]}}"),
        VECTOR("{\"s\":{\"values\":[1]}}"),
        VECTOR("{\"s\":{\"indices\":[1]}}")};

    reply_expect_fault(&vecwire__qdrant_page_decoding, replies[_i],
                       "a sparse vector");
}
END_TEST

START_TEST(an_index_has_32_bits)
{
    ck_assert_int_eq(
        reply_read_in(
            &vecwire__qdrant_page_decoding,
            VECTOR("{\"s\":{\"indices\":[4294967296],\"values\":[1]}}"), 1),
        VECWIRE__JSON_ERANGE);
}
END_TEST

START_TEST(vectors_of_every_form_have_their_names)
{
    static const float dense[] = {1, 2}, multi[] = {3, 4, 5, 6}, sparse[] = {7};

    reply_read_page(
        VECTOR("{\"d\":[1,2],\"m\":[[3,4],[5,6]],"
               "\"s\":{\"indices\":[9],\"values\":[7]},\"none\":null}"));
    ck_assert_uint_eq(reply_row(0)->n_vectors, 3);
    ck_assert_ptr_null(reply_row(0)->vector);
    check_floats(reply_vector(0, "d"), 2, dense);
    check_floats(reply_vector(0, "m"), 4, multi);
    check_floats(reply_vector(0, "s"), 1, sparse);
    ck_assert_ptr_null(reply_vector(0, "d")->indices);
    ck_assert_ptr_null(vecwire_row_vector(reply_row(0), "none"));
    ck_assert_ptr_null(vecwire_row_vector(reply_row(0), NULL));
}
END_TEST

START_TEST(the_unnamed_of_several_is_found_without_a_name)
{
    reply_read_page(
        VECTOR("{\"\":[1,2],\"s\":{\"indices\":[],\"values\":[]}}"));
    ck_assert_uint_eq(reply_vector(0, NULL)->dim, 2);
    ck_assert_ptr_eq(reply_vector(0, ""), reply_vector(0, NULL));
}
END_TEST

START_TEST(a_point_may_have_no_vectors_though_asked_for)
{
    reply_read_page(VECTOR("{}"));
    ck_assert_uint_eq(reply_row(0)->n_vectors, 0);
}
END_TEST

START_TEST(a_vectors_name_stands_once)
{
    reply_expect_fault(&vecwire__qdrant_page_decoding,
                       VECTOR("{\"a\":[1],\"\\u0061\":[2]}"), "twice");
}
END_TEST

START_TEST(a_vectors_name_has_no_nul)
{
    reply_expect_fault(&vecwire__qdrant_page_decoding,
                       VECTOR("{\"a\\u0000\":[1]}"), "NUL");
}
END_TEST

/* --- the matrix --- */

START_TEST(rows_of_one_dense_vector_are_a_matrix)
{
    static const float floats[] = {1, 2, 3, 4, 5, 6};
    const float *matrix;
    size_t rows, dim;

    reply_read->max_rows = 3;
    reply_read_page(POINTS("{\"id\":1,\"vector\":[1,2]},"
                           "{\"vector\":{\"a\":[3,4]},\"id\":2},"
                           "{\"id\":3,\"vector\":[5,6]}"));
    matrix = vecwire_reply_matrix(reply_read, &rows, &dim);
    ck_assert_uint_eq(rows, 3);
    ck_assert_uint_eq(dim, 2);
    ck_assert_mem_eq(matrix, floats, sizeof(floats));
}
END_TEST

START_TEST(other_rows_are_no_matrix)
{
    static const char *const replies[] = {
        POINTS(""),
        POINTS("{\"id\":1}"),
        VECTOR("[]"),
        VECTOR("[[1,2]]"),
        VECTOR("{\"s\":{\"indices\":[1],\"values\":[1]}}"),
        VECTOR("{\"a\":[1],\"b\":[1]}"),
        POINTS("{\"id\":1,\"vector\":[1,2]},{\"id\":2}"),
        POINTS("{\"id\":1,\"vector\":[1,2]},{\"id\":2,\"vector\":[1]}")};
    size_t rows = 1, dim = 1;

    reply_read_page(replies[_i]);
    ck_assert_ptr_null(vecwire_reply_matrix(reply_read, &rows, &dim));
    ck_assert_uint_eq(rows, 0);
    ck_assert_uint_eq(dim, 0);
}
END_TEST

START_TEST(room_for_a_page_is_made_at_its_first_row)
{
    reply_read->max_rows = 1000;
    vecwire__reply_expect(reply_read, 1000 * 1000);
    reply_read_page(VECTOR("[1,2,3]"));
    ck_assert_uint_ge(reply_read->floats_cap, 3000);
}
END_TEST

START_TEST(no_room_is_made_for_more_than_the_body_can_hold)
{
    reply_read->max_rows = 1000000;
    vecwire__reply_expect(reply_read, 100);
    reply_read_page(VECTOR("[1,2,3]"));
    ck_assert_uint_lt(reply_read->floats_cap, 3000);
}
END_TEST

START_TEST(no_room_is_made_for_any_number_of_rows)
{
    reply_read->max_rows = UINT32_MAX;
    reply_read_page(VECTOR("[1,2,3]"));
    ck_assert_uint_lt(reply_read->floats_cap, 3000);
}
END_TEST

START_TEST(no_room_is_made_for_rows_that_go_out_before_the_end)
{
    reply_read->max_rows = 100000;
    reply_read->is_batch = true;
    reply_read_page(VECTOR("[1,2,3]"));
    ck_assert_uint_lt(reply_read->floats_cap, 3000);
}
END_TEST

/* --- rows that go out before the end --- */

#define POINT(id, vector)                                                      \
    "{\"id\":" id ",\"payload\":{\"p\":" id "},\"vector\":" vector "}"
#define MIXED(id)                                                              \
    POINT(id, "{\"d\":[" id ",2],\"m\":[[" id ",4],[5,6]],"                    \
              "\"s\":{\"indices\":[" id ",8],\"values\":[" id ",0.5]}}")

/* The whole rows go out, as after each segment of a body. */
static void
give(void (*look)(const struct vecwire_row *row, uint64_t id), uint64_t *next)
{
    size_t n = reply_read->n_whole, all = reply_read->n_rows;
    size_t whole_at = reply_read->whole_at, moved;

    if (n == 0)
        return;
    reply_read->n_rows = n;
    vecwire__reply_settle(reply_read);
    for (size_t i = 0; i < n; i++)
        look(reply_row(i), (*next)++);
    reply_read->n_rows = all;
    moved = vecwire__reply_drop_rows(reply_read, &reply_reader);
    /* What went out is not to be seen any more. */
    memset(reply_read->texts.bytes + reply_read->texts.len, '#', moved);
    if (reply_reader.text_at >= whole_at)
        reply_reader.text_at -= moved;
}

/* Rows 1, 2, .. of the page go out as they come, in pieces of `step`. */
static void
give_page(const char *json, size_t step,
          void (*look)(const struct vecwire_row *row, uint64_t id),
          uint64_t rows)
{
    size_t len = strlen(json);
    uint64_t next = 1;

    vecwire__reply_reset(reply_read);
    vecwire__json_init(&reply_reader, vecwire__qdrant_page_decoding.table,
                       vecwire__qdrant_page_decoding.sink, reply_read,
                       &reply_read->texts, 128);
    for (size_t at = 0; at < len; at += step) {
        vecwire__json_feed(&reply_reader, json + at,
                           len - at < step ? len - at : step);
        give(look, &next);
    }
    ck_assert_int_eq(vecwire__json_finish(&reply_reader), VECWIRE__JSON_DONE);
    ck_assert_uint_eq(next, rows + 1);
}

static void
look_at_dense(const struct vecwire_row *row, uint64_t id)
{
    const float floats[] = {(float)id, 2, 3};

    ck_assert_uint_eq(row->id.number, id);
    ck_assert_uint_eq(row->dim, 3);
    ck_assert_mem_eq(row->vector, floats, sizeof(floats));
}

static void
look_at_mixed(const struct vecwire_row *row, uint64_t id)
{
    const float dense[] = {(float)id, 2}, multi[] = {(float)id, 4, 5, 6};
    const float sparse[] = {(float)id, 0.5f};
    const struct vecwire_vector *vector = vecwire_row_vector(row, "d");

    ck_assert_uint_eq(row->id.number, id);
    ck_assert_int_eq(row->payload[5], (char)('0' + id));
    ck_assert_uint_eq(row->n_vectors, 3);
    ck_assert_ptr_nonnull(vector);
    check_floats(vector, 2, dense);
    vector = vecwire_row_vector(row, "m");
    ck_assert_ptr_nonnull(vector);
    check_floats(vector, 4, multi);
    vector = vecwire_row_vector(row, "s");
    ck_assert_ptr_nonnull(vector);
    check_floats(vector, 2, sparse);
    ck_assert_uint_eq(vector->indices[0], id);
    ck_assert_uint_eq(vector->indices[1], 8);
}

START_TEST(dense_vectors_go_out_row_by_row_however_they_are_cut)
{
    give_page(POINTS(POINT("1", "[1,2,3]") "," POINT("2", "[2,2,3]") "," POINT(
                  "3", "[3,2,3]") "," POINT("4", "[4,2,3]")),
              (size_t)_i, look_at_dense, 4);
}
END_TEST

START_TEST(vectors_of_every_form_go_out_row_by_row_however_they_are_cut)
{
    give_page(POINTS(MIXED("1") "," MIXED("2") "," MIXED("3") "," MIXED("4")),
              (size_t)_i, look_at_mixed, 4);
}
END_TEST

START_TEST(the_next_page_is_told_though_its_rows_went_out)
{
    give_page("{\"result\":{\"points\":[" POINT(
                  "1", "[1,2,3]") "],"
                                  "\"next_page_offset\":77}}",
              (size_t)_i, look_at_dense, 1);
    vecwire__reply_settle(reply_read);
    ck_assert_str_eq(vecwire_reply_next_offset(reply_read)->text, "77");
}
END_TEST

/* --- limits of a row --- */

/* A row of 1 + 2 + 12 bytes: id, payload, vector. */
static const char small[] =
    POINTS("{\"id\":1,\"payload\":{},\"vector\":[1,2,3]}");
/* One of 1 + 1 + 4 + 4 bytes: id, name, index, value. */
static const char sparse_one[] =
    VECTOR("{\"s\":{\"indices\":[1],\"values\":[1]}}");

static void
check_limit(const char *json, uint64_t bytes)
{
    for (size_t step = 1; step <= strlen(json); step++) {
        reply_read->max_row_bytes = bytes;
        ck_assert_int_eq(
            reply_read_in(&vecwire__qdrant_page_decoding, json, step),
            VECWIRE__JSON_DONE);
        reply_read->max_row_bytes = bytes - 1;
        ck_assert_int_eq(
            reply_read_in(&vecwire__qdrant_page_decoding, json, step),
            VECWIRE__JSON_ESINK);
    }
}

START_TEST(a_rows_limit_is_exact_however_it_is_cut)
{
    check_limit(small, 15);
    check_limit(sparse_one, 10);
}
END_TEST

START_TEST(a_row_without_an_end_is_given_up)
{
    static const char *const openings[] = {
        "{\"result\":{\"points\":[{\"vector\":[",
        "{\"result\":{\"points\":[{\"vector\":[[",
        "{\"result\":{\"points\":[{\"vector\":{\"s\":{\"indices\":[",
        "{\"result\":{\"points\":[{\"vector\":{\"s\":{\"values\":["};
    const struct vecwire__decoding *how = &vecwire__qdrant_page_decoding;
    enum vecwire__json_rc rc;

    reply_read->max_row_bytes = 4096;
    vecwire__json_init(&reply_reader, how->table, how->sink, reply_read,
                       &reply_read->texts, 128);
    rc = vecwire__json_feed(&reply_reader, openings[_i], strlen(openings[_i]));
    for (int i = 0; i < 5000 && rc == VECWIRE__JSON_MORE &&
                    vecwire__reply_row_fits(reply_read);
         i++)
        rc = vecwire__json_feed(&reply_reader, "1,", 2);
    ck_assert_ptr_nonnull(reply_read->fault);
    ck_assert_str_eq(reply_read->fault, "row is over max_row_bytes");
}
END_TEST

static void
add_vector_tests(TCase *tc)
{
    tcase_add_test(tc, a_dense_vector_is_the_rows_own);
    tcase_add_test(tc, a_component_that_is_null_is_nan);
    tcase_add_test(tc, a_multi_vector_has_rows);
    tcase_add_test(tc, a_multi_vector_is_not_ragged);
    tcase_add_loop_test(tc, a_sparse_vector_has_indices_whichever_come_first, 0,
                        2);
    tcase_add_test(tc, an_empty_sparse_vector_is_sparse);
    tcase_add_loop_test(tc, a_sparse_vector_needs_both_and_of_one_length, 0, 4);
    tcase_add_test(tc, an_index_has_32_bits);
    tcase_add_test(tc, vectors_of_every_form_have_their_names);
    tcase_add_test(tc, the_unnamed_of_several_is_found_without_a_name);
    tcase_add_test(tc, a_point_may_have_no_vectors_though_asked_for);
    tcase_add_test(tc, a_vectors_name_stands_once);
    tcase_add_test(tc, a_vectors_name_has_no_nul);
    tcase_add_test(tc, rows_of_one_dense_vector_are_a_matrix);
    tcase_add_loop_test(tc, other_rows_are_no_matrix, 0, 8);
    tcase_add_test(tc, room_for_a_page_is_made_at_its_first_row);
    tcase_add_test(tc, no_room_is_made_for_more_than_the_body_can_hold);
    tcase_add_test(tc, no_room_is_made_for_any_number_of_rows);
    tcase_add_test(tc, no_room_is_made_for_rows_that_go_out_before_the_end);
    tcase_add_loop_test(
        tc, dense_vectors_go_out_row_by_row_however_they_are_cut, 1, 240);
    tcase_add_loop_test(
        tc, vectors_of_every_form_go_out_row_by_row_however_they_are_cut, 1,
        400);
    tcase_add_loop_test(tc, the_next_page_is_told_though_its_rows_went_out, 1,
                        100);
    tcase_add_test(tc, a_rows_limit_is_exact_however_it_is_cut);
    tcase_add_loop_test(tc, a_row_without_an_end_is_given_up, 0, 4);
}

int
main(void)
{
    Suite *suite = suite_create("qdrant vectors");
    TCase *tc = tcase_create("vectors");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_checked_fixture(tc, reply_rig_setup, reply_rig_teardown);
    add_vector_tests(tc);
    suite_add_tcase(suite, tc);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
