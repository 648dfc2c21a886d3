/* SPDX-License-Identifier: Apache-2.0 */
/* Qdrant's filters as they are put together. */
#include <vecwire/qdrant.h>

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codec/json_reader.h"

#define MUST VECWIRE_QDRANT_MUST

static struct vecwire_qdrant_filter *f;

static void
set_up(void)
{
    ck_assert_int_eq(vecwire_qdrant_filter_new(&f, NULL), VECWIRE_OK);
}

static void
tear_down(void)
{
    vecwire_qdrant_filter_free(f);
}

static void
expect(const char *text)
{
    ck_assert_str_eq(vecwire_qdrant_filter_error(f), "");
    ck_assert_str_eq(vecwire_qdrant_filter_text(f), text);
    ck_assert_int_eq(vecwire__json_check(text, strlen(text), 128, true, NULL),
                     VECWIRE__JSON_DONE);
}

/* One condition, in a filter of its own. */
static void
expect_condition(const char *condition)
{
    char text[512];

    snprintf(text, sizeof(text), "{\"must\":[%s]}", condition);
    expect(text);
    vecwire_qdrant_filter_reset(f);
    vecwire_qdrant_filter_clause(f, MUST);
}

static void
expect_error(const char *words)
{
    ck_assert_str_eq(vecwire_qdrant_filter_text(f), "");
    ck_assert_msg(strstr(vecwire_qdrant_filter_error(f), words) != NULL, "%s",
                  vecwire_qdrant_filter_error(f));
    vecwire_qdrant_filter_reset(f);
    ck_assert_str_eq(vecwire_qdrant_filter_error(f), "");
    vecwire_qdrant_filter_clause(f, MUST);
}

START_TEST(without_a_clause_all_match)
{
    expect("{}");
}
END_TEST

START_TEST(clauses_hold_their_conditions)
{
    vecwire_qdrant_filter_clause(f, MUST);
    vecwire_qdrant_filter_match_text(f, "a", "x\"y");
    vecwire_qdrant_filter_match_bool(f, "b", true);
    vecwire_qdrant_filter_clause(f, VECWIRE_QDRANT_SHOULD);
    vecwire_qdrant_filter_is_null(f, "c");
    vecwire_qdrant_filter_clause(f, VECWIRE_QDRANT_MUST_NOT);
    vecwire_qdrant_filter_min_should(f, 2);
    vecwire_qdrant_filter_has_vector(f, NULL);
    expect("{\"must\":[{\"key\":\"a\",\"match\":{\"value\":\"x\\\"y\"}},"
           "{\"key\":\"b\",\"match\":{\"value\":true}}],"
           "\"should\":[{\"is_null\":{\"key\":\"c\"}}],\"must_not\":[],"
           "\"min_should\":{\"min_count\":2,\"conditions\":["
           "{\"has_vector\":\"\"}]}}");
}
END_TEST

START_TEST(more_can_be_added_to_a_text)
{
    vecwire_qdrant_filter_clause(f, MUST);
    expect("{\"must\":[]}");
    vecwire_qdrant_filter_is_empty(f, "a");
    expect("{\"must\":[{\"is_empty\":{\"key\":\"a\"}}]}");
}
END_TEST

START_TEST(filters_stand_inside_filters)
{
    vecwire_qdrant_filter_clause(f, MUST);
    vecwire_qdrant_filter_begin(f);
    vecwire_qdrant_filter_end(f);
    vecwire_qdrant_filter_begin_nested(f, "a[].b");
    vecwire_qdrant_filter_clause(f, MUST);
    vecwire_qdrant_filter_match_i64(f, "c", INT64_MIN);
    vecwire_qdrant_filter_end(f);
    vecwire_qdrant_filter_is_null(f, "d");
    expect("{\"must\":[{},{\"nested\":{\"key\":\"a[].b\",\"filter\":"
           "{\"must\":[{\"key\":\"c\",\"match\":{\"value\":"
           "-9223372036854775808}}]}}},{\"is_null\":{\"key\":\"d\"}}]}");
}
END_TEST

START_TEST(values_match_lists_and_words)
{
    vecwire_qdrant_filter_clause(f, MUST);
    vecwire_qdrant_filter_match_texts(f, "a", (const char *const[]){"x", "y"},
                                      2, false);
    expect_condition("{\"key\":\"a\",\"match\":{\"any\":[\"x\",\"y\"]}}");
    vecwire_qdrant_filter_match_i64s(f, "a", (const int64_t[]){1, -2}, 2, true);
    expect_condition("{\"key\":\"a\",\"match\":{\"except\":[1,-2]}}");
    vecwire_qdrant_filter_match_i64s(f, "a", NULL, 0, false);
    expect_condition("{\"key\":\"a\",\"match\":{\"any\":[]}}");
    vecwire_qdrant_filter_words(f, "a", VECWIRE_QDRANT_ANY_WORD, "x y");
    expect_condition("{\"key\":\"a\",\"match\":{\"text_any\":\"x y\"}}");
}
END_TEST

START_TEST(whole_numbers_of_a_range_are_exact)
{
    vecwire_qdrant_filter_clause(f, MUST);
    vecwire_qdrant_filter_range_i64(f, "a", VECWIRE_QDRANT_GTE,
                                    1768907445451174113, VECWIRE_QDRANT_LT,
                                    INT64_MAX);
    expect_condition("{\"key\":\"a\",\"range\":{\"gte\":1768907445451174113,"
                     "\"lt\":9223372036854775807}}");
    vecwire_qdrant_filter_values_count(f, "a", VECWIRE_QDRANT_GT, 2,
                                       VECWIRE_QDRANT_NO_BOUND, 0);
    expect_condition("{\"key\":\"a\",\"values_count\":{\"gt\":2}}");
}
END_TEST

START_TEST(doubles_of_a_range_have_a_point)
{
    vecwire_qdrant_filter_clause(f, MUST);
    vecwire_qdrant_filter_range(f, "a", VECWIRE_QDRANT_GT, 0.5,
                                VECWIRE_QDRANT_LTE, -2);
    expect_condition("{\"key\":\"a\",\"range\":{\"gt\":0.5,\"lte\":-2.0}}");
}
END_TEST

START_TEST(datetimes_are_sent_as_they_are)
{
    vecwire_qdrant_filter_clause(f, MUST);
    vecwire_qdrant_filter_range_datetime(f, "a", VECWIRE_QDRANT_NO_BOUND, NULL,
                                         VECWIRE_QDRANT_LT, "2024-07-22");
    expect_condition("{\"key\":\"a\",\"range\":{\"lt\":\"2024-07-22\"}}");
}
END_TEST

START_TEST(places_lie_in_boxes_circles_and_polygons)
{
    const struct vecwire_qdrant_geo p = {.lat = 1, .lon = 2}, q = {-3, 4};
    const struct vecwire_qdrant_geo line[] = {p, q, {0, 0}, p};
    const struct vecwire_qdrant_ring ring = {line, 4};

    vecwire_qdrant_filter_clause(f, MUST);
    vecwire_qdrant_filter_geo_box(f, "a", p, q);
    expect_condition("{\"key\":\"a\",\"geo_bounding_box\":{\"top_left\":{"
                     "\"lat\":1.0,\"lon\":2.0},\"bottom_right\":{\"lat\":-3.0,"
                     "\"lon\":4.0}}}");
    vecwire_qdrant_filter_geo_radius(f, "a", p, 10);
    expect_condition("{\"key\":\"a\",\"geo_radius\":{\"center\":{\"lat\":1.0,"
                     "\"lon\":2.0},\"radius\":10.0}}");
    vecwire_qdrant_filter_geo_polygon(f, "a", &ring, 1);
    expect_condition("{\"key\":\"a\",\"geo_polygon\":{\"exterior\":{\"points\":"
                     "[{\"lat\":1.0,\"lon\":2.0},{\"lat\":-3.0,\"lon\":4.0},"
                     "{\"lat\":0.0,\"lon\":0.0},{\"lat\":1.0,\"lon\":2.0}]}}}");
}
END_TEST

START_TEST(points_are_named_and_sliced)
{
    vecwire_qdrant_filter_clause(f, MUST);
    vecwire_qdrant_filter_has_id(f, NULL, (const uint64_t[]){UINT64_MAX}, 1);
    expect_condition("{\"has_id\":[18446744073709551615]}");
    vecwire_qdrant_filter_slice(f, 4, 3);
    expect_condition("{\"slice\":{\"total\":4,\"index\":3}}");
}
END_TEST

START_TEST(what_is_wrong_is_named)
{
    const struct vecwire_qdrant_geo open[] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    const struct vecwire_qdrant_ring ring = {open, 4};

    vecwire_qdrant_filter_is_null(f, "a");
    expect_error("before the first clause");
    vecwire_qdrant_filter_clause(f, MUST);
    expect_error("stands twice");
    vecwire_qdrant_filter_match_i64(f, "a..b", 1);
    expect_error("key \"a..b\"");
    vecwire_qdrant_filter_match_text(f, "a", NULL);
    expect_error("text is NULL");
    vecwire_qdrant_filter_match_text(f, "a", "\xff");
    expect_error("UTF-8");
    vecwire_qdrant_filter_range(f, "a", VECWIRE_QDRANT_GT, NAN, 0, 0);
    expect_error("NaN");
    vecwire_qdrant_filter_range_i64(f, "a", 0, 0, 0, 0);
    expect_error("without a bound");
    vecwire_qdrant_filter_range_i64(f, "a", VECWIRE_QDRANT_LT, 0, 0, 0);
    expect_error("low bound is 3");
    vecwire_qdrant_filter_range_datetime(f, "a", 0, NULL, VECWIRE_QDRANT_LT,
                                         "yesterday at noon");
    expect_error("expected a datetime");
    vecwire_qdrant_filter_range_datetime(f, "a", 0, NULL, VECWIRE_QDRANT_LT,
                                         "2024-07-22T000.1:00Z");
    expect_error("expected a datetime");
    vecwire_qdrant_filter_geo_radius(f, "a", (struct vecwire_qdrant_geo){91, 0},
                                     1);
    expect_error("center: expected lat");
    vecwire_qdrant_filter_geo_polygon(f, "a", &ring, 1);
    expect_error("the last one as the first");
    vecwire_qdrant_filter_has_id(f, (const char *const[]){"1", "x"}, NULL, 2);
    expect_error("row 1: id \"x\"");
    vecwire_qdrant_filter_slice(f, 3, 3);
    expect_error("slice 3 of 3");
    vecwire_qdrant_filter_min_should(f, 0);
    expect_error("min_should of 0");
    vecwire_qdrant_filter_begin(f);
    expect_error("1 filters were begun");
    vecwire_qdrant_filter_end(f);
    expect_error("end without");
}
END_TEST

START_TEST(the_first_failure_stays)
{
    ck_assert_int_eq(vecwire_qdrant_filter_clause(f, 9), VECWIRE_EINVAL);
    ck_assert_int_eq(vecwire_qdrant_filter_clause(f, MUST), VECWIRE_EINVAL);
    ck_assert_int_eq(vecwire_qdrant_filter_is_null(f, NULL), VECWIRE_EINVAL);
    expect_error("clause is 9");
}
END_TEST

START_TEST(only_so_many_stand_inside_each_other)
{
    for (int i = 0; i < 16; i++) {
        vecwire_qdrant_filter_clause(f, MUST);
        ck_assert_int_eq(vecwire_qdrant_filter_begin_nested(f, "a"),
                         VECWIRE_OK);
    }
    vecwire_qdrant_filter_clause(f, MUST);
    ck_assert_int_eq(vecwire_qdrant_filter_begin(f), VECWIRE_ETOOBIG);
}
END_TEST

static void *
alloc_none(size_t size, void *ctx)
{
    (void)size;
    (void)ctx;
    return NULL;
}

static void *
realloc_none(void *block, size_t old, size_t size, void *ctx)
{
    (void)block;
    (void)old;
    return alloc_none(size, ctx);
}

static void
free_none(void *block, size_t size, void *ctx)
{
    (void)block;
    (void)size;
    (void)ctx;
}

START_TEST(no_memory_makes_no_filter)
{
    const struct vecwire_mem none = {alloc_none, realloc_none, free_none, NULL};
    struct vecwire_qdrant_filter *made = f;

    ck_assert_int_eq(vecwire_qdrant_filter_new(&made, &none), VECWIRE_ENOMEM);
    ck_assert_ptr_null(made);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("qdrant filter");
    TCase *tests = tcase_create("filters");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, without_a_clause_all_match);
    tcase_add_test(tests, clauses_hold_their_conditions);
    tcase_add_test(tests, more_can_be_added_to_a_text);
    tcase_add_test(tests, filters_stand_inside_filters);
    tcase_add_test(tests, values_match_lists_and_words);
    tcase_add_test(tests, whole_numbers_of_a_range_are_exact);
    tcase_add_test(tests, doubles_of_a_range_have_a_point);
    tcase_add_test(tests, datetimes_are_sent_as_they_are);
    tcase_add_test(tests, places_lie_in_boxes_circles_and_polygons);
    tcase_add_test(tests, points_are_named_and_sliced);
    tcase_add_test(tests, what_is_wrong_is_named);
    tcase_add_test(tests, the_first_failure_stays);
    tcase_add_test(tests, only_so_many_stand_inside_each_other);
    tcase_add_test(tests, no_memory_makes_no_filter);
    suite_add_tcase(suite, tests);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
