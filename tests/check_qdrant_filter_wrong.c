/* SPDX-License-Identifier: Apache-2.0 */
/* What no filter can be made of. */
#include "tests/filter_fixture.h"

#include <math.h>
#include <stdlib.h>

#include "tests/counting_mem.h"

static void
expect_error(enum vecwire_err got, enum vecwire_err code, const char *words)
{
    const struct vecwire_refusal *refusal;

    ck_assert_int_eq(got, code);
    ck_assert_str_eq(vecwire_qdrant_filter_text(f), "");
    refusal = vecwire_qdrant_filter_refusal(f);
    ck_assert_ptr_nonnull(refusal);
    ck_assert_msg(strstr(refusal->text, words) != NULL, "%s", refusal->text);
}

START_TEST(one_filter_more_is_too_deep)
{
    for (int i = 0; i < 28; i++)
        ck_assert_int_eq(vecwire_qdrant_filter_begin(f, MUST), VECWIRE_OK);
    expect_error(vecwire_qdrant_filter_begin(f, MUST), VECWIRE_ETOOBIG,
                 "more than 28 filters");
}
END_TEST

START_TEST(the_first_error_stays)
{
    expect_error(vecwire_qdrant_filter_is_null(f, MUST, "a."), VECWIRE_EINVAL,
                 "key \"a.\"");
    expect_error(vecwire_qdrant_filter_is_null(f, MUST, "b"), VECWIRE_EINVAL,
                 "key \"a.\"");
}
END_TEST

static const char *const bad_paths[] = {
    "",      ".",       "a.",     ".a",  "a..b",
    "a b",   "a[",      "a[-1]",  "a]",  "a[0]b",
    "\"a",   "\"a\\\"", "a\"b\"", "[0]", "a[99999999999999999999]",
    "a\xff", "a.\"b\"c"};

START_TEST(what_is_no_path_is_refused)
{
    expect_error(vecwire_qdrant_filter_match_bool(f, MUST, bad_paths[_i], true),
                 VECWIRE_EINVAL, "expected a payload key");
}
END_TEST

START_TEST(a_filter_that_is_not_ended_has_no_text)
{
    vecwire_qdrant_filter_begin(f, MUST);
    vecwire_qdrant_filter_is_null(f, MUST, "a");
    expect_error(VECWIRE_EINVAL, VECWIRE_EINVAL, "1 begun and not ended");
}
END_TEST

START_TEST(an_end_needs_a_beginning)
{
    expect_error(vecwire_qdrant_filter_end(f), VECWIRE_EINVAL,
                 "without a begin");
}
END_TEST

START_TEST(a_filter_within_needs_a_condition)
{
    vecwire_qdrant_filter_begin(f, MUST);
    expect_error(vecwire_qdrant_filter_end(f), VECWIRE_EINVAL,
                 "without a condition");
}
END_TEST

START_TEST(min_should_needs_its_count)
{
    vecwire_qdrant_filter_is_null(f, MIN_SHOULD, "a");
    expect_error(VECWIRE_EINVAL, VECWIRE_EINVAL, "without a min_count");
}
END_TEST

START_TEST(a_count_needs_its_conditions)
{
    vecwire_qdrant_filter_min_count(f, 1);
    expect_error(VECWIRE_EINVAL, VECWIRE_EINVAL, "without MIN_SHOULD");
}
END_TEST

START_TEST(a_count_is_at_least_one)
{
    expect_error(vecwire_qdrant_filter_min_count(f, 0), VECWIRE_EINVAL,
                 "min_count is 0");
}
END_TEST

START_TEST(numbers_that_are_none_are_refused)
{
    const double bad = _i == 0 ? (double)NAN : (double)INFINITY;

    expect_error(vecwire_qdrant_filter_range(
                     f, MUST, "a", (struct vecwire_qdrant_range){.gt = &bad}),
                 VECWIRE_EINVAL, "gt is NaN or infinite");
}
END_TEST

START_TEST(a_range_needs_a_bound)
{
    expect_error(vecwire_qdrant_filter_range(f, MUST, "a",
                                             (struct vecwire_qdrant_range){0}),
                 VECWIRE_EINVAL, "without bounds");
}
END_TEST

static const struct vecwire_qdrant_geo nowhere[] = {
    {-180.1, 0}, {180.1, 0}, {0, 90.1}, {0, -90.1}, {(double)NAN, 0}};

START_TEST(places_beyond_the_globe_are_refused)
{
    expect_error(vecwire_qdrant_filter_geo_radius(f, MUST, "a", nowhere[_i], 1),
                 VECWIRE_EINVAL, "beyond the globe");
}
END_TEST

START_TEST(a_ring_is_closed_and_long_enough)
{
    const struct vecwire_qdrant_geo open[] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    const struct vecwire_qdrant_ring ring = {open, _i == 0 ? 4 : 3};

    expect_error(vecwire_qdrant_filter_geo_polygon(f, MUST, "a", ring, NULL, 0),
                 VECWIRE_EINVAL, _i == 0 ? "not closed" : "ring of 3 places");
}
END_TEST

START_TEST(a_negative_radius_is_refused)
{
    expect_error(vecwire_qdrant_filter_geo_radius(
                     f, MUST, "a", (struct vecwire_qdrant_geo){0, 0}, -1),
                 VECWIRE_EINVAL, "radius is negative");
}
END_TEST

START_TEST(a_slice_lies_below_its_total)
{
    expect_error(vecwire_qdrant_filter_slice(f, MUST, (uint32_t)_i, 1),
                 VECWIRE_EINVAL, "slice 1 of");
}
END_TEST

START_TEST(ids_that_are_none_are_refused)
{
    const char *const ids[] = {"x"};

    expect_error(vecwire_qdrant_filter_has_id(f, MUST, ids, NULL, 1),
                 VECWIRE_EINVAL, "id \"x\"");
}
END_TEST

START_TEST(text_that_is_not_utf8_is_refused)
{
    expect_error(vecwire_qdrant_filter_match(
                     f, MUST, "a", VECWIRE_QDRANT_MATCH_VALUE, "\xff"),
                 VECWIRE_EINVAL, "text");
}
END_TEST

START_TEST(null_in_place_of_texts_is_refused)
{
    static const char *const none[] = {NULL};
    enum vecwire_err err =
        _i == 0 ? vecwire_qdrant_filter_match(f, MUST, "a",
                                              VECWIRE_QDRANT_MATCH_VALUE, NULL)
        : _i == 1
            ? vecwire_qdrant_filter_match_any(f, MUST, "a", false, none, 1)
        : _i == 2
            ? vecwire_qdrant_filter_match_any(f, MUST, "a", false, NULL, 1)
        : _i == 3 ? vecwire_qdrant_filter_is_null(f, MUST, NULL)
                  : vecwire_qdrant_filter_begin_nested(f, MUST, NULL);

    ck_assert_int_eq(err, VECWIRE_EINVAL);
    ck_assert_str_eq(vecwire_qdrant_filter_text(f), "");
}
END_TEST

START_TEST(other_numbers_are_no_clauses_and_no_ways_to_match)
{
    enum vecwire_err err =
        _i == 0 ? vecwire_qdrant_filter_is_null(
                      f, (enum vecwire_qdrant_clause)4, "a")
        : _i == 1
            ? vecwire_qdrant_filter_begin(f, (enum vecwire_qdrant_clause)4)
            : vecwire_qdrant_filter_match(f, MUST, "a",
                                          (enum vecwire_qdrant_match)5, "x");

    expect_error(err, VECWIRE_EINVAL, _i < 2 ? "clause is 4" : "match is 5");
}
END_TEST

START_TEST(a_filter_that_could_not_be_made_has_no_text)
{
    ck_assert_int_eq(vecwire_qdrant_filter_is_null(NULL, MUST, "a"),
                     VECWIRE_ENOMEM);
    ck_assert_str_eq(vecwire_qdrant_filter_text(NULL), "");
    ck_assert_str_eq(vecwire_qdrant_filter_refusal(NULL)->text,
                     "out of memory");
}
END_TEST

/* A filter made with memory that fails at allocation n. */
static bool
make_with(size_t n)
{
    struct counting_mem counter;
    bool whole;

    counting_mem_init(&counter);
    counting_mem_arm(&counter, n, true);
    f = vecwire_qdrant_filter_new(&counter.mem);
    vecwire_qdrant_filter_begin(f, SHOULD);
    vecwire_qdrant_filter_is_null(f, MUST, "a");
    vecwire_qdrant_filter_end(f);
    whole = *vecwire_qdrant_filter_text(f) != '\0';
    if (!whole)
        ck_assert_str_eq(vecwire_qdrant_filter_refusal(f)->text,
                         "out of memory");
    vecwire_qdrant_filter_free(f);
    ck_assert_uint_eq(counter.bytes, 0);
    return whole;
}

START_TEST(without_memory_there_is_no_text)
{
    size_t n = 1;

    teardown();
    while (!make_with(n))
        n++;
    ck_assert_uint_ge(n, 4);
    setup();
}
END_TEST

static void
add_tests(TCase *tc)
{
    tcase_add_test(tc, one_filter_more_is_too_deep);
    tcase_add_test(tc, the_first_error_stays);
    tcase_add_loop_test(tc, what_is_no_path_is_refused, 0, N(bad_paths));
    tcase_add_test(tc, a_filter_that_is_not_ended_has_no_text);
    tcase_add_test(tc, an_end_needs_a_beginning);
    tcase_add_test(tc, a_filter_within_needs_a_condition);
    tcase_add_test(tc, min_should_needs_its_count);
    tcase_add_test(tc, a_count_needs_its_conditions);
    tcase_add_test(tc, a_count_is_at_least_one);
    tcase_add_loop_test(tc, numbers_that_are_none_are_refused, 0, 2);
    tcase_add_test(tc, a_range_needs_a_bound);
    tcase_add_loop_test(tc, places_beyond_the_globe_are_refused, 0, N(nowhere));
    tcase_add_loop_test(tc, a_ring_is_closed_and_long_enough, 0, 2);
    tcase_add_test(tc, a_negative_radius_is_refused);
    tcase_add_loop_test(tc, a_slice_lies_below_its_total, 0, 2);
    tcase_add_test(tc, ids_that_are_none_are_refused);
    tcase_add_test(tc, text_that_is_not_utf8_is_refused);
    tcase_add_loop_test(tc, null_in_place_of_texts_is_refused, 0, 5);
    tcase_add_loop_test(tc, other_numbers_are_no_clauses_and_no_ways_to_match,
                        0, 3);
    tcase_add_test(tc, a_filter_that_could_not_be_made_has_no_text);
    tcase_add_test(tc, without_memory_there_is_no_text);
}

int
main(void)
{
    Suite *suite = suite_create("qdrant filter wrong");
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
