/* SPDX-License-Identifier: Apache-2.0 */
/* Qdrant's filters. */
#include <stdlib.h>

#include "server/qdrant_filter.h"
#include "tests/json_rig.h"

static const char berlin[] =
    "{\"city\":\"Berlin\",\"tags\":[\"a\",\"b\"],\"n\":[3,7],\"price\":499.9,"
    "\"open\":true,\"at\":\"2020-02-15T00:00:00Z\",\"none\":[],\"null\":null,"
    "\"nulls\":[null],\"rooms\":[{\"kind\":\"bed\",\"size\":12},"
    "{\"kind\":\"hall\",\"size\":4}],\"lone\":{\"kind\":\"bed\"}}";

/* The vectors of the point that is asked about. */
static bool
has_vector(const void *point, const char *name, size_t len)
{
    ck_assert_str_eq(point, "the point");
    return len == 0 || (len == 4 && memcmp(name, "text", 4) == 0);
}

/* Is the point 7 with that payload matched? */
static bool
matches(const char *filter_text, const char *payload_text)
{
    struct vecwire__fault fault;
    const struct vecwire__point_id id = {.is_number = true, .number = 7};
    json_t *tree = json_of(filter_text), *payload = json_of(payload_text);
    const struct vecwire__filter_point point = {&id, payload, has_vector,
                                                "the point"};
    struct vecwire__filter *filter = vecwire__filter_new(tree, &fault);
    bool found;

    ck_assert_msg(filter != NULL, "%s: %s", filter_text, fault.text);
    json_decref(tree);
    found = vecwire__filter_matches(filter, &point);
    vecwire__filter_free(filter);
    json_decref(payload);
    return found;
}

/* The one condition. */
static bool
finds(const char *condition)
{
    char text[512];

    snprintf(text, sizeof(text), "{\"must\":[%s]}", condition);
    return matches(text, berlin);
}

/* --- match --- */

START_TEST(a_value_matches_one_of_its_own_type)
{
    ck_assert(finds("{\"key\":\"city\",\"match\":{\"value\":\"Berlin\"}}"));
    ck_assert(!finds("{\"key\":\"city\",\"match\":{\"value\":\"berlin\"}}"));
    ck_assert(finds("{\"key\":\"open\",\"match\":{\"value\":true}}"));
    ck_assert(!finds("{\"key\":\"open\",\"match\":{\"value\":false}}"));
    ck_assert(!finds("{\"key\":\"open\",\"match\":{\"value\":1}}"));
    ck_assert(!finds("{\"key\":\"none\",\"match\":{\"value\":1}}"));
    ck_assert(!finds("{\"key\":\"nowhere\",\"match\":{\"value\":1}}"));
}
END_TEST

START_TEST(one_element_of_an_array_is_enough)
{
    ck_assert(finds("{\"key\":\"tags\",\"match\":{\"value\":\"b\"}}"));
    ck_assert(finds("{\"key\":\"n\",\"match\":{\"value\":7}}"));
    ck_assert(finds("{\"key\":\"n[1]\",\"match\":{\"value\":7}}"));
    ck_assert(!finds("{\"key\":\"n[0]\",\"match\":{\"value\":7}}"));
}
END_TEST

START_TEST(reals_match_no_integer)
{
    ck_assert(!matches("{\"must\":{\"key\":\"n\",\"match\":{\"value\":1}}}",
                       "{\"n\":1.0}"));
}
END_TEST

START_TEST(text_and_phrase_are_parts)
{
    ck_assert(finds("{\"key\":\"city\",\"match\":{\"text\":\"erl\"}}"));
    ck_assert(!finds("{\"key\":\"city\",\"match\":{\"text\":\"Erl\"}}"));
    ck_assert(finds("{\"key\":\"city\",\"match\":{\"phrase\":\"Ber\"}}"));
    ck_assert(!finds("{\"key\":\"n\",\"match\":{\"text\":\"7\"}}"));
}
END_TEST

START_TEST(text_any_needs_one_of_the_words)
{
    ck_assert(finds("{\"key\":\"city\",\"match\":{\"text_any\":\"x  lin \"}}"));
    ck_assert(!finds("{\"key\":\"city\",\"match\":{\"text_any\":\"x y\"}}"));
    ck_assert(!finds("{\"key\":\"city\",\"match\":{\"text_any\":\" \"}}"));
}
END_TEST

START_TEST(prefix_is_a_beginning)
{
    ck_assert(finds("{\"key\":\"city\",\"match\":{\"prefix\":\"Ber\"}}"));
    ck_assert(!finds("{\"key\":\"city\",\"match\":{\"prefix\":\"er\"}}"));
    ck_assert(!finds("{\"key\":\"city\",\"match\":{\"prefix\":\"Berlins\"}}"));
}
END_TEST

START_TEST(any_needs_one_of_the_list)
{
    ck_assert(finds("{\"key\":\"city\",\"match\":{\"any\":[\"x\",\"Berlin\","
                    "\"a\"]}}"));
    ck_assert(!finds("{\"key\":\"city\",\"match\":{\"any\":[\"x\"]}}"));
    ck_assert(finds("{\"key\":\"n\",\"match\":{\"any\":[9,3,-1]}}"));
    ck_assert(!finds("{\"key\":\"city\",\"match\":{\"any\":[]}}"));
    ck_assert(!finds("{\"key\":\"open\",\"match\":{\"any\":[1]}}"));
}
END_TEST

START_TEST(except_needs_a_value_not_in_the_list)
{
    ck_assert(!finds("{\"key\":\"city\",\"match\":{\"except\":[\"Berlin\"]}}"));
    ck_assert(finds("{\"key\":\"tags\",\"match\":{\"except\":[\"a\"]}}"));
    ck_assert(finds("{\"key\":\"open\",\"match\":{\"except\":[\"a\"]}}"));
    ck_assert(finds("{\"key\":\"city\",\"match\":{\"except\":[]}}"));
    ck_assert(!finds("{\"key\":\"null\",\"match\":{\"except\":[\"a\"]}}"));
    ck_assert(!finds("{\"key\":\"nowhere\",\"match\":{\"except\":[\"a\"]}}"));
}
END_TEST

/* --- ranges and counts --- */

START_TEST(a_range_bounds_numbers)
{
    ck_assert(finds("{\"key\":\"price\",\"range\":{\"gt\":499,\"lt\":500}}"));
    ck_assert(finds("{\"key\":\"price\",\"range\":{\"gte\":499.9,"
                    "\"lte\":499.9}}"));
    ck_assert(!finds("{\"key\":\"price\",\"range\":{\"gt\":499.9}}"));
    ck_assert(!finds("{\"key\":\"price\",\"range\":{\"lt\":499.9}}"));
    ck_assert(finds("{\"key\":\"n\",\"range\":{\"gte\":7,\"lt\":null}}"));
    ck_assert(!finds("{\"key\":\"city\",\"range\":{\"gt\":0}}"));
}
END_TEST

START_TEST(one_value_must_keep_all_bounds)
{
    ck_assert(!finds("{\"key\":\"n\",\"range\":{\"gt\":3,\"lt\":7}}"));
}
END_TEST

START_TEST(integers_over_9223372036854775807_have_a_range)
{
    ck_assert(matches("{\"must\":{\"key\":\"n\",\"range\":{\"gt\":1e19}}}",
                      "{\"n\":18446744073709551615}"));
}
END_TEST

START_TEST(a_range_bounds_times)
{
    ck_assert(finds("{\"key\":\"at\",\"range\":{\"gte\":\"2020-02-15\","
                    "\"lt\":\"2020-02-15T00:00:00.000001Z\"}}"));
    ck_assert(!finds("{\"key\":\"at\",\"range\":{\"gt\":\"2020-02-15\"}}"));
    ck_assert(finds("{\"key\":\"at\",\"range\":{\"gt\":"
                    "\"2020-02-15T00:00:00+01:00\"}}"));
    ck_assert(!finds("{\"key\":\"city\",\"range\":{\"gt\":\"1970-01-01\"}}"));
}
END_TEST

START_TEST(values_count_counts)
{
    ck_assert(finds("{\"key\":\"n\",\"values_count\":{\"gte\":2,\"lt\":3}}"));
    ck_assert(!finds("{\"key\":\"n\",\"values_count\":{\"gt\":2}}"));
    ck_assert(finds("{\"key\":\"city\",\"values_count\":{\"lte\":1,"
                    "\"gt\":0}}"));
    ck_assert(finds("{\"key\":\"none\",\"values_count\":{\"lt\":1}}"));
    ck_assert(!finds("{\"key\":\"nowhere\",\"values_count\":{\"lt\":1}}"));
}
END_TEST

/* --- empty and null --- */

START_TEST(empty_is_missing_null_or_without_elements)
{
    ck_assert(finds("{\"is_empty\":{\"key\":\"nowhere\"}}"));
    ck_assert(finds("{\"is_empty\":{\"key\":\"null\"}}"));
    ck_assert(finds("{\"is_empty\":{\"key\":\"none\"}}"));
    ck_assert(!finds("{\"is_empty\":{\"key\":\"nulls\"}}"));
    ck_assert(!finds("{\"is_empty\":{\"key\":\"city\"}}"));
}
END_TEST

START_TEST(the_other_syntax_of_empty_agrees)
{
    ck_assert(finds("{\"key\":\"nowhere\",\"is_empty\":true}"));
    ck_assert(finds("{\"key\":\"null\",\"is_empty\":true}"));
    ck_assert(finds("{\"key\":\"none\",\"is_empty\":true}"));
    ck_assert(finds("{\"key\":\"city\",\"is_empty\":false}"));
    ck_assert(!finds("{\"key\":\"city\",\"is_empty\":true}"));
    ck_assert(!finds("{\"key\":\"nowhere\",\"is_empty\":false}"));
}
END_TEST

START_TEST(null_is_a_value_that_is_there)
{
    ck_assert(finds("{\"is_null\":{\"key\":\"null\"}}"));
    ck_assert(!finds("{\"is_null\":{\"key\":\"nowhere\"}}"));
    ck_assert(!finds("{\"is_null\":{\"key\":\"none\"}}"));
    ck_assert(finds("{\"key\":\"null\",\"is_null\":true}"));
    ck_assert(finds("{\"key\":\"nulls\",\"is_null\":true}"));
    ck_assert(finds("{\"key\":\"nowhere\",\"is_null\":false}"));
    ck_assert(!finds("{\"key\":\"nowhere\",\"is_null\":true}"));
}
END_TEST

/* --- the point itself, and what is nested --- */

START_TEST(has_id_needs_the_id_in_its_list)
{
    ck_assert(finds("{\"has_id\":[9,7,"
                    "\"0123abcd-0000-4000-8000-0000000000ff\"]}"));
    ck_assert(!finds("{\"has_id\":[18446744073709551615]}"));
    ck_assert(!finds("{\"has_id\":[]}"));
}
END_TEST

START_TEST(has_vector_asks_the_point)
{
    ck_assert(finds("{\"has_vector\":\"\"}"));
    ck_assert(finds("{\"has_vector\":\"text\"}"));
    ck_assert(!finds("{\"has_vector\":\"image\"}"));
}
END_TEST

START_TEST(a_nested_filter_must_match_one_element_whole)
{
    ck_assert(finds("{\"nested\":{\"key\":\"rooms\",\"filter\":{\"must\":["
                    "{\"key\":\"kind\",\"match\":{\"value\":\"bed\"}},"
                    "{\"key\":\"size\",\"range\":{\"gt\":10}}]}}}"));
    ck_assert(finds("{\"nested\":{\"key\":\"rooms[]\",\"filter\":{\"must\":"
                    "{\"key\":\"size\",\"range\":{\"lt\":5}}}}}"));
    ck_assert(!finds("{\"nested\":{\"key\":\"rooms\",\"filter\":{\"must\":["
                     "{\"key\":\"kind\",\"match\":{\"value\":\"hall\"}},"
                     "{\"key\":\"size\",\"range\":{\"gt\":10}}]}}}"));
}
END_TEST

START_TEST(a_lone_object_is_no_element)
{
    ck_assert(!finds("{\"nested\":{\"key\":\"lone\",\"filter\":{\"must\":["
                     "{\"key\":\"kind\",\"match\":{\"value\":\"bed\"}}]}}}"));
}
END_TEST

START_TEST(within_there_is_no_id)
{
    ck_assert(!finds("{\"nested\":{\"key\":\"rooms\",\"filter\":{\"must\":["
                     "{\"has_id\":[7]}]}}}"));
}
END_TEST

START_TEST(slices_share_the_points_among_them)
{
    unsigned n = 0;

    for (unsigned i = 0; i < 5; i++) {
        char text[64];

        snprintf(text, sizeof(text), "{\"slice\":{\"total\":5,\"index\":%u}}",
                 i);
        n += finds(text);
    }
    ck_assert_uint_eq(n, 1);
    ck_assert(finds("{\"slice\":{\"total\":1,\"index\":0}}"));
}
END_TEST

/* --- what they are combined by --- */

#define YES "{\"has_id\":[7]}"
#define NO "{\"has_id\":[8]}"

START_TEST(must_needs_all_should_one_must_not_none)
{
    ck_assert(matches("{\"must\":[" YES "," YES "]}", berlin));
    ck_assert(!matches("{\"must\":[" YES "," NO "]}", berlin));
    ck_assert(matches("{\"should\":[" NO "," YES "]}", berlin));
    ck_assert(!matches("{\"should\":[" NO "," NO "]}", berlin));
    ck_assert(matches("{\"must_not\":[" NO "," NO "]}", berlin));
    ck_assert(!matches("{\"must_not\":[" NO "," YES "]}", berlin));
    ck_assert(!matches("{\"must\":" YES ",\"must_not\":" YES "}", berlin));
}
END_TEST

START_TEST(min_should_needs_so_many)
{
    const char *two = "{\"min_should\":{\"min_count\":2,\"conditions\":[" YES
                      "," NO "," YES "]}}";
    const char *three = "{\"min_should\":{\"min_count\":3,\"conditions\":[" YES
                        "," NO "," YES "]}}";

    ck_assert(matches(two, berlin));
    ck_assert(!matches(three, berlin));
}
END_TEST

START_TEST(a_filter_is_a_condition_too)
{
    ck_assert(finds("{\"should\":[" NO ",{\"must_not\":" NO "}]}"));
}
END_TEST

START_TEST(empty_lists_ask_nothing)
{
    ck_assert(matches("{}", berlin));
    ck_assert(matches("{\"must\":[],\"should\":[],\"must_not\":null}", berlin));
}
END_TEST

START_TEST(a_filter_knows_whether_it_needs_a_payload)
{
    struct vecwire__fault fault;
    json_t *plain = json_of("{\"must\":" YES "}");
    json_t *deep =
        json_of("{\"must\":{\"should\":{\"is_null\":{\"key\":\"a\"}}}}");
    struct vecwire__filter *filter = vecwire__filter_new(plain, &fault);

    ck_assert(!vecwire__filter_needs_payload(filter));
    ck_assert(!vecwire__filter_is_empty(filter));
    vecwire__filter_free(filter);
    filter = vecwire__filter_new(deep, &fault);
    ck_assert(vecwire__filter_needs_payload(filter));
    vecwire__filter_free(filter);
    filter = vecwire__filter_new(NULL, &fault);
    ck_assert(vecwire__filter_is_empty(filter));
    vecwire__filter_free(filter);
    json_decref(plain);
    json_decref(deep);
}
END_TEST

static TCase *
field_tests(void)
{
    TCase *fields = tcase_create("fields");

    tcase_add_test(fields, a_value_matches_one_of_its_own_type);
    tcase_add_test(fields, one_element_of_an_array_is_enough);
    tcase_add_test(fields, reals_match_no_integer);
    tcase_add_test(fields, text_and_phrase_are_parts);
    tcase_add_test(fields, text_any_needs_one_of_the_words);
    tcase_add_test(fields, prefix_is_a_beginning);
    tcase_add_test(fields, any_needs_one_of_the_list);
    tcase_add_test(fields, except_needs_a_value_not_in_the_list);
    tcase_add_test(fields, a_range_bounds_numbers);
    tcase_add_test(fields, one_value_must_keep_all_bounds);
    tcase_add_test(fields, integers_over_9223372036854775807_have_a_range);
    tcase_add_test(fields, a_range_bounds_times);
    tcase_add_test(fields, values_count_counts);
    tcase_add_test(fields, empty_is_missing_null_or_without_elements);
    tcase_add_test(fields, the_other_syntax_of_empty_agrees);
    tcase_add_test(fields, null_is_a_value_that_is_there);
    return fields;
}

static TCase *
filter_tests(void)
{
    TCase *filters = tcase_create("filters");

    tcase_add_test(filters, has_id_needs_the_id_in_its_list);
    tcase_add_test(filters, has_vector_asks_the_point);
    tcase_add_test(filters, a_nested_filter_must_match_one_element_whole);
    tcase_add_test(filters, a_lone_object_is_no_element);
    tcase_add_test(filters, within_there_is_no_id);
    tcase_add_test(filters, slices_share_the_points_among_them);
    tcase_add_test(filters, must_needs_all_should_one_must_not_none);
    tcase_add_test(filters, min_should_needs_so_many);
    tcase_add_test(filters, a_filter_is_a_condition_too);
    tcase_add_test(filters, empty_lists_ask_nothing);
    tcase_add_test(filters, a_filter_knows_whether_it_needs_a_payload);
    return filters;
}

int
main(void)
{
    Suite *suite = suite_create("filter");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, field_tests());
    suite_add_tcase(suite, filter_tests());
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
