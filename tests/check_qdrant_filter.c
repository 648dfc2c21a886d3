/* SPDX-License-Identifier: Apache-2.0 */
/* Filters that are made condition by condition. */
#include "tests/filter_fixture.h"

#include <stdio.h>
#include <stdlib.h>

#include <jansson.h>

static void
expect(const char *text)
{
    json_t *tree;

    ck_assert_str_eq(vecwire_qdrant_filter_text(f), text);
    ck_assert_ptr_null(vecwire_qdrant_filter_refusal(f));
    tree = json_loads(text, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL,
                      NULL);
    ck_assert_ptr_nonnull(tree);
    json_decref(tree);
}

/* Of one condition, which must hold. */
static void
expect_one(const char *condition)
{
    char text[1024];

    snprintf(text, sizeof(text), "{\"must\":[%s]}", condition);
    expect(text);
}

START_TEST(an_empty_filter_is_an_empty_object)
{
    expect("{}");
}
END_TEST

START_TEST(a_text_is_compared_as_asked)
{
    static const char *const names[] = {"value", "text", "text_any", "phrase",
                                        "prefix"};
    char text[80];

    ck_assert_int_eq(vecwire_qdrant_filter_match(f, MUST, "a[].b",
                                                 (enum vecwire_qdrant_match)_i,
                                                 "x\"\xc3\xa4"),
                     VECWIRE_OK);
    snprintf(text, sizeof(text),
             "{\"key\":\"a[].b\",\"match\":{\"%s\":\"x\\\"\xc3\xa4\"}}",
             names[_i]);
    expect_one(text);
}
END_TEST

START_TEST(a_quoted_key_is_escaped)
{
    vecwire_qdrant_filter_match_bool(f, MUST, "\"any key\".b", true);
    expect_one("{\"key\":\"\\\"any key\\\".b\",\"match\":{\"value\":true}}");
}
END_TEST

START_TEST(integers_are_exact_to_both_ends)
{
    vecwire_qdrant_filter_match_integer(f, MUST, "a", INT64_MIN);
    vecwire_qdrant_filter_match_integer(f, MUST, "a", INT64_MAX);
    expect_one("{\"key\":\"a\",\"match\":{\"value\":-9223372036854775808}},"
               "{\"key\":\"a\",\"match\":{\"value\":9223372036854775807}}");
}
END_TEST

START_TEST(values_may_be_one_of_many_or_none_of_them)
{
    const char *const texts[] = {"x", "y"};
    const int64_t numbers[] = {-1, 2};

    vecwire_qdrant_filter_match_any(f, MUST, "a", false, texts, 2);
    vecwire_qdrant_filter_match_integers(f, MUST, "a", true, numbers, 2);
    vecwire_qdrant_filter_match_any(f, MUST, "a", false, NULL, 0);
    expect_one("{\"key\":\"a\",\"match\":{\"any\":[\"x\",\"y\"]}},"
               "{\"key\":\"a\",\"match\":{\"except\":[-1,2]}},"
               "{\"key\":\"a\",\"match\":{\"any\":[]}}");
}
END_TEST

START_TEST(a_range_of_integers_is_exact)
{
    const int64_t low = 1768907445451174113, high = -3;

    vecwire_qdrant_filter_integer_range(
        f, MUST, "a",
        (struct vecwire_qdrant_integer_range){.gte = &low, .lt = &high});
    expect_one("{\"key\":\"a\",\"range\":{\"lt\":-3,"
               "\"gte\":1768907445451174113}}");
}
END_TEST

START_TEST(a_range_of_doubles_reads_back_as_it_was)
{
    const double bounds[] = {0.1, 1e300, -2.5e-300, 3};
    json_t *tree, *range;

    vecwire_qdrant_filter_range(
        f, MUST, "a",
        (struct vecwire_qdrant_range){&bounds[0], &bounds[1], &bounds[2],
                                      &bounds[3]});
    tree = json_loads(vecwire_qdrant_filter_text(f), 0, NULL);
    range = json_object_get(json_array_get(json_object_get(tree, "must"), 0),
                            "range");
    ck_assert_double_eq(json_real_value(json_object_get(range, "lt")), 0.1);
    ck_assert_double_eq(json_real_value(json_object_get(range, "gt")), 1e300);
    ck_assert_double_eq(json_real_value(json_object_get(range, "lte")),
                        -2.5e-300);
    ck_assert_double_eq(json_number_value(json_object_get(range, "gte")), 3);
    json_decref(tree);
}
END_TEST

START_TEST(numbers_of_values_and_dates_have_ranges)
{
    const uint64_t most = UINT64_MAX;

    vecwire_qdrant_filter_values_count(
        f, MUST, "a", (struct vecwire_qdrant_count_range){.lte = &most});
    vecwire_qdrant_filter_datetime_range(
        f, MUST, "b",
        (struct vecwire_qdrant_datetime_range){
            .gt = "2024-02-29 23:59:59.5+01:00"});
    expect_one("{\"key\":\"a\",\"values_count\":{\"lte\":18446744073709551615}}"
               ",{\"key\":\"b\",\"range\":"
               "{\"gt\":\"2024-02-29 23:59:59.5+01:00\"}}");
}
END_TEST

static const char *const dates[] = {"2024-01-31",
                                    "2024-02-29T00:00",
                                    "2000-02-29t23:59:60z",
                                    "2024-02-29 1:00",
                                    "2023-02-29",
                                    "1900-02-29",
                                    "2024-13-01",
                                    "2024-04-31",
                                    "2024-01-01T24:00",
                                    "2024-01-01T00:00:00.",
                                    "2024-01-01T00:00+1",
                                    "2024-01-01T00:00Z ",
                                    "2024-01-01T00:00+0130",
                                    "2024-01-01T00:00:00-02",
                                    ""};
#define N_GOOD(i) ((i) < 3 || (i) == 12 || (i) == 13)

START_TEST(dates_are_looked_at)
{
    enum vecwire_err err = vecwire_qdrant_filter_datetime_range(
        f, MUST, "a", (struct vecwire_qdrant_datetime_range){.lt = dates[_i]});

    ck_assert_msg(err == (N_GOOD(_i) ? VECWIRE_OK : VECWIRE_EINVAL), "%s",
                  dates[_i]);
}
END_TEST

START_TEST(keys_may_be_empty_or_null)
{
    vecwire_qdrant_filter_is_empty(f, MUST, "a.b");
    vecwire_qdrant_filter_is_null(f, MUST, "a[0]");
    expect_one("{\"is_empty\":{\"key\":\"a.b\"}},"
               "{\"is_null\":{\"key\":\"a[0]\"}}");
}
END_TEST

START_TEST(places_lie_in_boxes_circles_and_areas)
{
    const struct vecwire_qdrant_geo ring[] = {{0, 0}, {1, 0}, {1, 1}, {0, 0}};
    const struct vecwire_qdrant_ring edge = {ring, 4};

    vecwire_qdrant_filter_geo_box(f, MUST, "a", ring[2], ring[0]);
    vecwire_qdrant_filter_geo_radius(f, MUST, "a", ring[1], 0.5);
    vecwire_qdrant_filter_geo_polygon(f, MUST, "a", edge, &edge, 1);
    expect_one(
        "{\"key\":\"a\",\"geo_bounding_box\":{\"top_left\":{\"lon\":1.0,"
        "\"lat\":1.0},\"bottom_right\":{\"lon\":0.0,\"lat\":0.0}}},"
        "{\"key\":\"a\",\"geo_radius\":{\"center\":{\"lon\":1.0,\"lat\":0.0},"
        "\"radius\":0.5}},"
        "{\"key\":\"a\",\"geo_polygon\":{\"exterior\":{\"points\":["
        "{\"lon\":0.0,\"lat\":0.0},{\"lon\":1.0,\"lat\":0.0},"
        "{\"lon\":1.0,\"lat\":1.0},{\"lon\":0.0,\"lat\":0.0}]},"
        "\"interiors\":[{\"points\":["
        "{\"lon\":0.0,\"lat\":0.0},{\"lon\":1.0,\"lat\":0.0},"
        "{\"lon\":1.0,\"lat\":1.0},{\"lon\":0.0,\"lat\":0.0}]}]}}");
}
END_TEST

START_TEST(points_are_named_by_texts_and_by_numbers)
{
    const char *const ids[] = {"7", "{936DA01F-9ABD-4D9D-80C7-02AF85C822A8}"};
    const uint64_t numbers[] = {0, UINT64_MAX};

    vecwire_qdrant_filter_has_id(f, MUST, ids, NULL, 2);
    vecwire_qdrant_filter_has_id(f, MUST, NULL, numbers, 2);
    vecwire_qdrant_filter_has_id(f, MUST, NULL, NULL, 0);
    expect_one("{\"has_id\":[7,\"936da01f-9abd-4d9d-80c7-02af85c822a8\"]},"
               "{\"has_id\":[0,18446744073709551615]},{\"has_id\":[]}");
}
END_TEST

START_TEST(points_have_vectors_and_lie_in_slices)
{
    vecwire_qdrant_filter_has_vector(f, MUST, NULL);
    vecwire_qdrant_filter_has_vector(f, MUST, "x");
    vecwire_qdrant_filter_slice(f, MUST, 3, 2);
    expect_one("{\"has_vector\":\"\"},{\"has_vector\":\"x\"},"
               "{\"slice\":{\"total\":3,\"index\":2}}");
}
END_TEST

START_TEST(clauses_stand_side_by_side_in_any_order_of_adding)
{
    vecwire_qdrant_filter_is_null(f, MUST_NOT, "a");
    vecwire_qdrant_filter_is_null(f, SHOULD, "b");
    vecwire_qdrant_filter_is_null(f, MUST, "c");
    vecwire_qdrant_filter_is_null(f, MIN_SHOULD, "d");
    vecwire_qdrant_filter_is_null(f, SHOULD, "e");
    vecwire_qdrant_filter_min_count(f, 1);
    expect("{\"must\":[{\"is_null\":{\"key\":\"c\"}}],"
           "\"should\":[{\"is_null\":{\"key\":\"b\"}},"
           "{\"is_null\":{\"key\":\"e\"}}],"
           "\"must_not\":[{\"is_null\":{\"key\":\"a\"}}],"
           "\"min_should\":{\"conditions\":[{\"is_null\":{\"key\":\"d\"}}],"
           "\"min_count\":1}}");
}
END_TEST

START_TEST(filters_stand_within_filters)
{
    vecwire_qdrant_filter_is_null(f, MUST, "a");
    vecwire_qdrant_filter_begin(f, MUST);
    vecwire_qdrant_filter_is_null(f, SHOULD, "b");
    vecwire_qdrant_filter_begin_nested(f, SHOULD, "c[]");
    vecwire_qdrant_filter_is_null(f, MUST, "d");
    vecwire_qdrant_filter_end(f);
    vecwire_qdrant_filter_end(f);
    vecwire_qdrant_filter_is_null(f, MUST, "e");
    expect_one("{\"is_null\":{\"key\":\"a\"}},"
               "{\"should\":[{\"is_null\":{\"key\":\"b\"}},"
               "{\"nested\":{\"key\":\"c[]\",\"filter\":"
               "{\"must\":[{\"is_null\":{\"key\":\"d\"}}]}}}]},"
               "{\"is_null\":{\"key\":\"e\"}}");
}
END_TEST

START_TEST(the_deepest_filter_is_one_that_a_request_takes)
{
    struct vecwire_qdrant_filter *outer = f;
    size_t depth = 0, most = 0;
    const char *text;

    for (int i = 0; i < 28; i++)
        ck_assert_int_eq(vecwire_qdrant_filter_begin_nested(outer, MUST, "a"),
                         VECWIRE_OK);
    vecwire_qdrant_filter_match_bool(f, MUST, "b", true);
    for (int i = 0; i < 28; i++)
        ck_assert_int_eq(vecwire_qdrant_filter_end(f), VECWIRE_OK);
    text = vecwire_qdrant_filter_text(f);
    ck_assert_str_ne(text, "");
    for (; *text != '\0'; text++) {
        depth += *text == '{' || *text == '[';
        depth -= *text == '}' || *text == ']';
        most = depth > most ? depth : most;
    }
    ck_assert_uint_le(most, 126);
}
END_TEST

START_TEST(conditions_of_ones_own_are_taken_over)
{
    json_t *tree = json_pack("{s:i}", "new", 1);

    vecwire_qdrant_filter_json(f, MUST, " {\"x\": 1} ", NULL);
    vecwire_qdrant_filter_json(f, MUST, NULL, tree);
    json_decref(tree);
    expect_one(" {\"x\": 1} ,{\"new\":1}");
}
END_TEST

START_TEST(a_reset_filter_is_a_new_one)
{
    vecwire_qdrant_filter_begin(f, MUST);
    vecwire_qdrant_filter_is_null(f, MUST, "");
    vecwire_qdrant_filter_reset(f);
    expect("{}");
    vecwire_qdrant_filter_is_null(f, MUST, "a");
    expect_one("{\"is_null\":{\"key\":\"a\"}}");
}
END_TEST

static const char *const good_paths[] = {
    "a",       "a.b.c",       "a[].b", "a[0][1]",
    "\"a b\"", "\"a.b\"[].c", "_-9",   "\xc3\xa4.\xe4\xb8\xad",
    "\"\"",    "a.\"b\".c"};

START_TEST(a_path_is_taken)
{
    ck_assert_int_eq(
        vecwire_qdrant_filter_match_bool(f, MUST, good_paths[_i], true),
        VECWIRE_OK);
}
END_TEST

static void
add_tests(TCase *tc)
{
    tcase_add_test(tc, an_empty_filter_is_an_empty_object);
    tcase_add_loop_test(tc, a_text_is_compared_as_asked, 0, 5);
    tcase_add_test(tc, a_quoted_key_is_escaped);
    tcase_add_test(tc, integers_are_exact_to_both_ends);
    tcase_add_test(tc, values_may_be_one_of_many_or_none_of_them);
    tcase_add_test(tc, a_range_of_integers_is_exact);
    tcase_add_test(tc, a_range_of_doubles_reads_back_as_it_was);
    tcase_add_test(tc, numbers_of_values_and_dates_have_ranges);
    tcase_add_loop_test(tc, dates_are_looked_at, 0, N(dates));
    tcase_add_test(tc, keys_may_be_empty_or_null);
    tcase_add_test(tc, places_lie_in_boxes_circles_and_areas);
    tcase_add_test(tc, points_are_named_by_texts_and_by_numbers);
    tcase_add_test(tc, points_have_vectors_and_lie_in_slices);
    tcase_add_test(tc, clauses_stand_side_by_side_in_any_order_of_adding);
    tcase_add_test(tc, filters_stand_within_filters);
    tcase_add_test(tc, the_deepest_filter_is_one_that_a_request_takes);
    tcase_add_test(tc, conditions_of_ones_own_are_taken_over);
    tcase_add_test(tc, a_reset_filter_is_a_new_one);
    tcase_add_loop_test(tc, a_path_is_taken, 0, N(good_paths));
}

int
main(void)
{
    Suite *suite = suite_create("qdrant filter");
    TCase *tc = tcase_create("filters");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_checked_fixture(tc, setup, teardown);
    add_tests(tc);
    suite_add_tcase(suite, tc);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
