/* SPDX-License-Identifier: Apache-2.0 */
/* Qdrant's replies to reads, from their bytes to points, groups and values. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/qdrant_reply_rig.h"

/* --- points --- */

START_TEST(an_id_is_a_number_with_text_or_a_uuid)
{
    reply_read_page(
        POINTS("{\"id\":18446744073709551615},"
               "{\"id\":\"5c56c793-69f3-4fbf-87e6-c4bf54c28c26\"}"));
    ck_assert(reply_row(0)->id.is_number);
    ck_assert_uint_eq(reply_row(0)->id.number, UINT64_MAX);
    ck_assert_str_eq(reply_row(0)->id.text, "18446744073709551615");
    ck_assert_uint_eq(reply_row(0)->id.len, 20);
    ck_assert(!reply_row(1)->id.is_number);
    ck_assert_str_eq(reply_row(1)->id.text,
                     "5c56c793-69f3-4fbf-87e6-c4bf54c28c26");
}
END_TEST

START_TEST(a_point_has_all_that_it_came_with)
{
    reply_read_as(&vecwire__qdrant_hits_decoding,
                  POINTS("{\"id\":1,\"version\":9007199254740993,\"score\":0.1,"
                         "\"payload\":{\"n\": 9007199254740993},"
                         "\"shard_key\":\"k\",\"order_value\":-7}"));
    ck_assert_uint_eq(reply_row(0)->version, UINT64_C(9007199254740993));
    ck_assert(reply_row(0)->score == 0.1f);
    ck_assert_uint_eq(reply_row(0)->flags, VECWIRE_ROW_HAS_SCORE);
    ck_assert_str_eq(reply_row(0)->payload, "{\"n\": 9007199254740993}");
    ck_assert_uint_eq(reply_row(0)->payload_len, 23);
    ck_assert_str_eq(reply_row(0)->shard_key, "\"k\"");
    ck_assert_str_eq(reply_row(0)->order_value, "-7");
}
END_TEST

START_TEST(what_a_point_lacks_is_null)
{
    reply_read_page(
        POINTS("{\"id\":1},{\"id\":2,\"payload\":null,\"vector\":null,"
               "\"shard_key\":null,\"order_value\":null}"));
    for (size_t i = 0; i < 2; i++) {
        ck_assert_ptr_null(reply_row(i)->payload);
        ck_assert_ptr_null(reply_row(i)->vector);
        ck_assert_ptr_null(reply_row(i)->shard_key);
        ck_assert_ptr_null(reply_row(i)->order_value);
        ck_assert_uint_eq(reply_row(i)->n_vectors, 0);
        ck_assert_uint_eq(reply_row(i)->flags, 0);
    }
}
END_TEST

START_TEST(a_score_that_is_null_is_nan)
{
    reply_read_as(&vecwire__qdrant_hits_decoding,
                  POINTS("{\"id\":1,\"score\":null}"));
    ck_assert(isnan(reply_row(0)->score));
    ck_assert_uint_eq(reply_row(0)->flags,
                      VECWIRE_ROW_HAS_SCORE | VECWIRE_ROW_HAS_NAN);
}
END_TEST

START_TEST(a_hit_needs_its_score)
{
    reply_expect_fault(&vecwire__qdrant_hits_decoding, POINTS("{\"id\":1}"),
                       "lacks its \"score\"");
}
END_TEST

START_TEST(a_point_needs_its_id)
{
    reply_expect_fault(&vecwire__qdrant_page_decoding,
                       POINTS("{\"payload\":{}}"), "lacks its \"id\"");
}
END_TEST

START_TEST(a_known_key_stands_once)
{
    ck_assert_int_eq(reply_read_in(&vecwire__qdrant_page_decoding,
                                   POINTS("{\"id\":1,\"id\":1}"), 1),
                     VECWIRE__JSON_ETWICE);
}
END_TEST

START_TEST(an_id_below_nothing_is_none)
{
    ck_assert_int_eq(
        reply_read_in(&vecwire__qdrant_page_decoding, POINTS("{\"id\":-1}"), 1),
        VECWIRE__JSON_ETYPE);
}
END_TEST

START_TEST(older_routes_answer_with_an_array)
{
    reply_read_as(&vecwire__qdrant_hits_decoding,
                  "{\"time\":1e-5,\"result\":[{\"id\":3,\"score\":1.0},"
                  "{\"score\":0.5,\"id\":4}],\"status\":\"ok\"}");
    ck_assert_uint_eq(vecwire_reply_count(reply_read), 2);
    ck_assert_uint_eq(reply_row(1)->id.number, 4);
}
END_TEST

START_TEST(a_result_without_points_is_no_answer)
{
    ck_assert_int_eq(reply_read_in(&vecwire__qdrant_page_decoding,
                                   "{\"result\":{\"count\":3}}", 1),
                     VECWIRE__JSON_DONE);
    ck_assert(!reply_read->answered);
}
END_TEST

START_TEST(one_point_comes_by_itself)
{
    reply_read_as(&vecwire__qdrant_point_decoding,
                  "{\"result\":{\"id\":7,\"vector\":[1.0]},\"status\":\"ok\"}");
    ck_assert_uint_eq(vecwire_reply_count(reply_read), 1);
    ck_assert_uint_eq(reply_row(0)->id.number, 7);
    ck_assert_uint_eq(reply_row(0)->dim, 1);
}
END_TEST

START_TEST(a_count_is_exact)
{
    reply_read_as(&vecwire__qdrant_count_decoding,
                  "{\"result\":{\"count\":18446744073709551615}}");
    ck_assert_uint_eq(vecwire_reply_total(reply_read), UINT64_MAX);
}
END_TEST

/* --- the next page --- */

START_TEST(the_next_page_is_told_before_or_behind_the_points)
{
    static const char *const pages[] = {
        "{\"result\":{\"next_page_offset\":9,\"points\":[{\"id\":8}]}}",
        "{\"result\":{\"points\":[{\"id\":8}],\"next_page_offset\":9}}"};

    reply_read_page(pages[_i]);
    ck_assert_ptr_nonnull(vecwire_reply_next_offset(reply_read));
    ck_assert_str_eq(vecwire_reply_next_offset(reply_read)->text, "9");
    ck_assert_uint_eq(vecwire_reply_next_offset(reply_read)->number, 9);
    ck_assert_str_eq(reply_row(0)->id.text, "8");
}
END_TEST

START_TEST(the_last_page_has_none_behind_it)
{
    reply_read_page("{\"result\":{\"points\":[],\"next_page_offset\":null}}");
    ck_assert_ptr_null(vecwire_reply_next_offset(reply_read));
}
END_TEST

/* --- groups, batches, facets --- */

#define HIT(id) "{\"id\":" id ",\"score\":1.0,\"vector\":{}}"

START_TEST(groups_have_a_value_and_rows)
{
    reply_read_as(
        &vecwire__qdrant_groups_decoding,
        "{\"result\":{\"groups\":["
        "{\"hits\":[" HIT("1") "," HIT(
            "2") "],\"id\":\"\\u00e9\"},"
                 "{\"id\":-3,\"hits\":[]},"
                 "{\"id\":18446744073709551615,\"hits\":[" HIT("3") "]}]}}");
    ck_assert_uint_eq(vecwire_reply_groups(reply_read), 3);
    ck_assert_str_eq(vecwire_reply_group(reply_read, 0)->id.text, "\xc3\xa9");
    ck_assert_uint_eq(vecwire_reply_group(reply_read, 0)->id.len, 2);
    ck_assert_uint_eq(vecwire_reply_group(reply_read, 0)->n, 2);
    ck_assert_str_eq(vecwire_reply_group(reply_read, 1)->id.text, "-3");
    ck_assert(!vecwire_reply_group(reply_read, 1)->id.is_number);
    ck_assert_uint_eq(vecwire_reply_group(reply_read, 1)->n, 0);
    ck_assert_uint_eq(vecwire_reply_group(reply_read, 2)->first, 2);
    ck_assert_uint_eq(vecwire_reply_group(reply_read, 2)->id.number,
                      UINT64_MAX);
    ck_assert_ptr_null(vecwire_reply_group(reply_read, 0)->lookup);
    ck_assert_ptr_null(vecwire_reply_group(reply_read, 3));
}
END_TEST

START_TEST(a_group_has_the_row_that_was_looked_up_for_it)
{
    static const char *const replies[] = {
        "{\"result\":{\"groups\":[{\"hits\":[" HIT(
            "1") "],\"id\":7,"
                 "\"lookup\":{\"id\":7,\"payload\":{}}}]}}",
        "{\"result\":{\"groups\":[{\"lookup\":{\"id\":7,\"payload\":{}},"
        "\"id\":7,\"hits\":[" HIT("1") "]}]}}"};
    const struct vecwire_group *group;

    reply_read_as(&vecwire__qdrant_groups_decoding, replies[_i]);
    group = vecwire_reply_group(reply_read, 0);
    ck_assert_ptr_nonnull(group->lookup);
    ck_assert_uint_eq(group->lookup->id.number, 7);
    ck_assert_str_eq(group->lookup->payload, "{}");
    ck_assert_uint_eq(group->n, 1);
    ck_assert_uint_eq(reply_row(group->first)->id.number, 1);
}
END_TEST

START_TEST(a_group_needs_its_value_and_its_rows)
{
    static const char *const replies[] = {
        "{\"result\":{\"groups\":[{\"hits\":[]}]}}",
        "{\"result\":{\"groups\":[{\"id\":1}]}}"};

    reply_expect_fault(&vecwire__qdrant_groups_decoding, replies[_i],
                       "a group lacks");
}
END_TEST

START_TEST(a_groups_value_is_simple)
{
    static const char *const values[] = {
        "{\"result\":{\"groups\":[{\"id\":{},\"hits\":[]}]}}",
        "{\"result\":{\"groups\":[{\"id\":[],\"hits\":[]}]}}",
        "{\"result\":{\"groups\":[{\"id\":null,\"hits\":[]}]}}"};

    reply_expect_fault(&vecwire__qdrant_groups_decoding, values[_i], "a value");
}
END_TEST

START_TEST(a_batch_has_a_group_for_each_query)
{
    reply_read_as(&vecwire__qdrant_batch_decoding,
                  "{\"result\":[{\"points\":[" HIT("1") "," HIT(
                      "2") "]},"
                           "{\"points\":[]},{\"points\":[" HIT("3") "]}]}");
    ck_assert_uint_eq(vecwire_reply_groups(reply_read), 3);
    ck_assert_uint_eq(vecwire_reply_group(reply_read, 0)->n, 2);
    ck_assert_str_eq(vecwire_reply_group(reply_read, 0)->id.text, "");
    ck_assert_uint_eq(vecwire_reply_group(reply_read, 1)->n, 0);
    ck_assert_uint_eq(vecwire_reply_group(reply_read, 2)->first, 2);
}
END_TEST

START_TEST(a_batch_of_none_is_answered)
{
    reply_read_as(&vecwire__qdrant_batch_decoding, "{\"result\":[]}");
    ck_assert_uint_eq(vecwire_reply_groups(reply_read), 0);
}
END_TEST

START_TEST(a_query_of_a_batch_needs_its_points)
{
    reply_expect_fault(&vecwire__qdrant_batch_decoding, "{\"result\":[{}]}",
                       "lacks its \"points\"");
}
END_TEST

START_TEST(sparse_vectors_come_in_batches_and_groups_too)
{
    reply_read_as(&vecwire__qdrant_batch_decoding,
                  "{\"result\":[{\"points\":[{\"id\":1,\"score\":1,\"vector\":"
                  "{\"s\":{\"indices\":[5],\"values\":[2]}}}]}]}");
    ck_assert_uint_eq(reply_vector(0, "s")->indices[0], 5);
    reply_read_as(
        &vecwire__qdrant_groups_decoding,
        "{\"result\":{\"groups\":[{\"id\":1,\"hits\":[{\"id\":1,\"score\":1,"
        "\"vector\":{\"s\":{\"indices\":[6],\"values\":[2]}}}]}]}}");
    ck_assert_uint_eq(reply_vector(0, "s")->indices[0], 6);
}
END_TEST

START_TEST(a_facet_tells_values_and_how_many_have_them)
{
    struct vecwire_qdrant_facet_value hit;

    reply_read_as(&vecwire__qdrant_facet_decoding,
                  "{\"result\":{\"hits\":[{\"value\":\"a\\\"b\",\"count\":3},"
                  "{\"count\":2,\"value\":-5},{\"value\":true,\"count\":0}]}}");
    ck_assert_uint_eq(vecwire_qdrant_facet_hits(reply_read), 3);
    ck_assert(vecwire_qdrant_facet_at(reply_read, 0, &hit));
    ck_assert_str_eq(hit.value.text, "a\"b");
    ck_assert(hit.is_text);
    ck_assert_uint_eq(hit.count, 3);
    ck_assert(vecwire_qdrant_facet_at(reply_read, 1, &hit));
    ck_assert_str_eq(hit.value.text, "-5");
    ck_assert(!hit.is_text);
    ck_assert(vecwire_qdrant_facet_at(reply_read, 2, &hit));
    ck_assert_str_eq(hit.value.text, "true");
    ck_assert(!vecwire_qdrant_facet_at(reply_read, 3, &hit));
    ck_assert_uint_eq(vecwire_reply_groups(reply_read), 0);
}
END_TEST

START_TEST(a_facets_hit_needs_value_and_count)
{
    static const char *const replies[] = {
        "{\"result\":{\"hits\":[{\"value\":1}]}}",
        "{\"result\":{\"hits\":[{\"count\":1}]}}"};

    reply_expect_fault(&vecwire__qdrant_facet_decoding, replies[_i],
                       "a hit lacks");
}
END_TEST

static void
add_point_tests(TCase *tc)
{
    tcase_add_test(tc, an_id_is_a_number_with_text_or_a_uuid);
    tcase_add_test(tc, a_point_has_all_that_it_came_with);
    tcase_add_test(tc, what_a_point_lacks_is_null);
    tcase_add_test(tc, a_score_that_is_null_is_nan);
    tcase_add_test(tc, a_hit_needs_its_score);
    tcase_add_test(tc, a_point_needs_its_id);
    tcase_add_test(tc, a_known_key_stands_once);
    tcase_add_test(tc, an_id_below_nothing_is_none);
    tcase_add_test(tc, older_routes_answer_with_an_array);
    tcase_add_test(tc, a_result_without_points_is_no_answer);
    tcase_add_test(tc, one_point_comes_by_itself);
    tcase_add_test(tc, a_count_is_exact);
    tcase_add_loop_test(tc, the_next_page_is_told_before_or_behind_the_points,
                        0, 2);
    tcase_add_test(tc, the_last_page_has_none_behind_it);
}

static void
add_part_tests(TCase *tc)
{
    tcase_add_test(tc, groups_have_a_value_and_rows);
    tcase_add_loop_test(tc, a_group_has_the_row_that_was_looked_up_for_it, 0,
                        2);
    tcase_add_loop_test(tc, a_group_needs_its_value_and_its_rows, 0, 2);
    tcase_add_loop_test(tc, a_groups_value_is_simple, 0, 3);
    tcase_add_test(tc, a_batch_has_a_group_for_each_query);
    tcase_add_test(tc, a_batch_of_none_is_answered);
    tcase_add_test(tc, a_query_of_a_batch_needs_its_points);
    tcase_add_test(tc, sparse_vectors_come_in_batches_and_groups_too);
    tcase_add_test(tc, a_facet_tells_values_and_how_many_have_them);
    tcase_add_loop_test(tc, a_facets_hit_needs_value_and_count, 0, 2);
}

int
main(void)
{
    Suite *suite = suite_create("qdrant replies");
    TCase *tc = tcase_create("replies");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_checked_fixture(tc, reply_rig_setup, reply_rig_teardown);
    add_point_tests(tc);
    add_part_tests(tc);
    suite_add_tcase(suite, tc);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
