/* SPDX-License-Identifier: Apache-2.0 */
/* Filters as text: what Qdrant would answer with 400 or 422 is not sent. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "dialect/qdrant_update.h"
#include "tests/qdrant_fixture.h"

#define COUNT vecwire__qdrant_encode_count
#define NOWHERE "filter: a key that neither filters nor conditions have"

static struct qdrant_fixture f;

static void
setup(void)
{
    qdrant_begin(&f);
}

static void
teardown(void)
{
    qdrant_end(&f);
}

static const struct {
    const char *filter, *text;
} bad[] = {
    {"{\"filters\":{}}", NOWHERE},
    {"{\"must\":[{\"keys\":\"a\"}]}", NOWHERE},
    {"{\"must\":[{\"nested\":{\"key\":\"a\",\"filter\":{\"mus\":[]}}}]}",
     NOWHERE},
    {"{\"should\":{\"must_not\":[{\"a\":1}]}}", NOWHERE},
    {"{\"must\":[1]}", "filter: a condition is no object"},
    {"{\"must\":{\"key\":\"a\"}}",
     "filter: a condition has a key and nothing beside it"},
    {"{\"must\":{\"key\":\"a b\",\"match\":{\"value\":1}}}",
     "filter: a key is no payload key such as a.b, a[].b, a[0] or \"any "
     "key\".b"},
    {"{\"min_should\":{\"conditions\":[]}}",
     "filter: min_should.min_count: expected a whole number of at least 1"},
    {"{\"min_should\":{\"min_count\":1}}",
     "filter: min_should.conditions: expected an array"},
    {"{\"must\":[{\"nested\":{\"key\":\"a\"}}]}", "filter: expected an object"},
    {"{\"must\":{\"key\":\"a\",\"match\":{\"value\":1.5}}}",
     "filter: match.value: expected a string, a whole number or a boolean"},
    {"{\"must\":{\"key\":\"a\",\"match\":{\"text\":1}}}",
     "filter: match: a text, phrase, text_any or prefix is no string"},
    {"{\"must\":{\"key\":\"a\",\"match\":{\"any\":[\"x\",1]}}}",
     "filter: match: expected value, text, phrase, text_any, prefix, or any or "
     "except with strings only or whole numbers only"},
    {"{\"must\":{\"key\":\"a\",\"match\":{}}}",
     "filter: match: expected value, text, phrase, text_any, prefix, or any or "
     "except with strings only or whole numbers only"},
    {"{\"must\":{\"key\":\"a\",\"range\":{\"gt\":1,\"lt\":\"2024-01-01\"}}}",
     "filter: range: expected lt, gt, lte and gte, all numbers or all dates"},
    {"{\"must\":{\"key\":\"a\",\"range\":{\"gt\":true}}}",
     "filter: range: expected lt, gt, lte and gte, all numbers or all dates"},
    {"{\"must\":{\"key\":\"a\",\"values_count\":{\"gt\":\"1\"}}}",
     "filter: values_count: expected lt, gt, lte and gte, all numbers"},
    {"{\"must\":{\"key\":\"a\",\"is_null\":1}}",
     "filter: is_empty, is_null: expected a boolean beside a key"},
    {"{\"must\":{\"key\":\"a\",\"is_null\":true,\"x\":1}}",
     "filter: a condition has what stands in none beside its key"},
    {"{\"must\":{\"is_empty\":{\"key\":\"a b\"}}}",
     "filter: a key is no payload key such as a.b, a[].b, a[0] or \"any "
     "key\".b"},
    {"{\"must\":{\"has_id\":[-1]}}",
     "filter: has_id: expected numbers 0 to 2^64-1 and UUIDs"},
    {"{\"must\":{\"has_id\":[\"1\"]}}",
     "filter: has_id: expected numbers 0 to 2^64-1 and UUIDs"},
    {"{\"must\":{\"has_id\":1}}",
     "filter: has_id: expected numbers 0 to 2^64-1 and UUIDs"},
    {"{\"must\":{\"has_vector\":1}}", "filter: has_vector: expected a name"},
    {"{\"must\":{\"slice\":{\"total\":2,\"index\":2}}}",
     "filter: slice: expected a total of at least 1, and an index below it"},
    {"{\"must\":{\"slice\":{\"total\":0,\"index\":0}}}",
     "filter: slice: expected a total of at least 1, and an index below it"},
    {"{\"must\":{\"key\":\"a\",\"geo_radius\":{\"center\":{\"lat\":91,\"lon\":"
     "0},\"radius\":1}}}",
     "filter: geo_radius: expected a center, lat -90..90 and lon -180..180, "
     "and a radius"},
    {"{\"must\":{\"key\":\"a\",\"geo_bounding_box\":{\"top_left\":{\"lat\":1,"
     "\"lon\":0}}}}",
     "filter: geo_bounding_box: expected top_left and bottom_right, each lat "
     "-90..90 and lon -180..180"},
    {"{\"must\":{\"key\":\"a\",\"geo_polygon\":{\"exterior\":{\"points\":[{"
     "\"lat\":1,\"lon\":0},{\"lat\":2,\"lon\":0},{\"lat\":1,\"lon\":1},{"
     "\"lat\":1,\"lon\":2}]}}}}",
     "filter: geo_polygon: expected rings of at least 4 points, the last of "
     "them the first, lat -90..90 and lon -180..180"},
};

START_TEST(a_filter_that_the_server_would_refuse_is_not_sent)
{
    QDRANT_REFUSES(&f, COUNT, &VECWIRE_COUNT(.filter = bad[_i].filter),
                   VECWIRE_EINVAL, SIZE_MAX, bad[_i].text);
    QDRANT_REFUSES(&f, vecwire__qdrant_encode_delete,
                   &VECWIRE_DELETE(.filter = bad[_i].filter), VECWIRE_EINVAL,
                   SIZE_MAX, bad[_i].text);
}
END_TEST

static const char *const good[] = {
    "{}",
    "{\"must\":null,\"should\":[]}",
    "{\"must\":{\"key\":\"a\",\"is_null\":true},\"must_not\":[{}]}",
    "{\"must\":[{\"is_empty\":{\"key\":\"a\"}},{\"has_id\":[1]}]}",
    "{\"should\":[{\"nested\":{\"key\":\"a[]\",\"filter\":{\"must\":[]}}}]}",
    "{\"min_should\":{\"conditions\":[{\"has_vector\":\"\"}],\"min_count\":1}}",
    "{\"must\":{\"slice\":{\"total\":2,\"index\":1}}}",
    "{\"must\":{\"key\":\"a\",\"match\":{\"any\":[]}}}",
    "{\"must\":{\"key\":\"a\",\"match\":{\"except\":[1,2]}}}",
    "{\"must\":{\"key\":\"a\",\"match\":{\"value\":true},\"range\":null}}",
    "{\"must\":{\"key\":\"a\",\"range\":{\"gt\":\"2024-01-01\",\"lt\":null}}}",
    "{\"must\":{\"has_id\":[1,\"550e8400-e29b-41d4-a716-446655440000\"]}}",
    ("{\"must\":{\"key\":\"a\",\"geo_radius\":{\"radius\":1.5,"
     "\"center\":{\"lat\":-90,\"lon\":180}}}}"),
    "{\"must\":{\"key\":\"n\",\"range\":{\"gte\":18446744073709551616}}}",
};

START_TEST(any_other_filter_is_sent_as_it_is)
{
    char body[256];

    snprintf(body, sizeof(body), "{\"exact\":true,\"filter\":%s}", good[_i]);
    QDRANT_SENDS(&f, COUNT, &VECWIRE_COUNT(.filter = good[_i]),
                 "/collections/c/points/count", body);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("qdrant filter text");
    TCase *tests = tcase_create("qdrant filter text");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests,
                        a_filter_that_the_server_would_refuse_is_not_sent, 0,
                        sizeof(bad) / sizeof(bad[0]));
    tcase_add_loop_test(tests, any_other_filter_is_sent_as_it_is, 0,
                        sizeof(good) / sizeof(good[0]));
    suite_add_tcase(suite, tests);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
