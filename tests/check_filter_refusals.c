/* SPDX-License-Identifier: Apache-2.0 */
/* Qdrant's filters that are refused. */
#include <stdlib.h>

#include "server/qdrant_filter.h"
#include "tests/json_rig.h"

/* Fail unless it is refused with this status; 0: taken. */
static void
check_tree(int status, const json_t *tree)
{
    struct vecwire__fault fault = {0, ""};
    struct vecwire__filter *filter = vecwire__filter_new(tree, &fault);

    ck_assert_msg((filter != NULL) == (status == 0), "%s", fault.text);
    ck_assert_msg(fault.status == status, "%d %s", fault.status, fault.text);
    vecwire__filter_free(filter);
}

static void
check_refused(int status, const char *filter_text)
{
    struct vecwire__fault fault = {0, ""};
    json_t *tree = json_of(filter_text);

    ck_assert_msg(vecwire__filter_new(tree, &fault) == NULL, "%s", filter_text);
    ck_assert_msg(fault.status == status, "%s: %d %s", filter_text,
                  fault.status, fault.text);
    json_decref(tree);
}

START_TEST(unknown_keys_are_refused)
{
    check_refused(400, "{\"musts\":[]}");
    check_refused(400, "{\"must\":[{\"has_ids\":[1]}]}");
    check_refused(400, "{\"must\":[1]}");
    check_refused(400, "[]");
}
END_TEST

START_TEST(a_lone_key_is_invalid)
{
    check_refused(422, "{\"must\":[{\"key\":\"a\"}]}");
    check_refused(422, "{\"must\":[{\"key\":\"a\",\"match\":null}]}");
}
END_TEST

START_TEST(operators_of_the_wrong_type_are_refused)
{
    static const char *const operators[] = {
        "\"match\":{}",
        "\"match\":1",
        "\"match\":{\"value\":1.5}",
        "\"match\":{\"value\":null}",
        "\"match\":{\"value\":18446744073709551615}",
        "\"match\":{\"text\":1}",
        "\"match\":{\"any\":\"a\"}",
        "\"match\":{\"any\":[1,\"a\"]}",
        "\"match\":{\"except\":[true]}",
        "\"range\":[1]",
        "\"range\":{\"gt\":true}",
        "\"range\":{\"gt\":1,\"lt\":\"2020-01-01\"}",
        "\"range\":{\"gt\":\"soon\"}",
        "\"values_count\":{\"gt\":-1}",
        "\"values_count\":1",
        "\"is_empty\":1",
        "\"is_null\":\"x\"",
    };

    for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
        char text[128];

        snprintf(text, sizeof(text), "{\"must\":{\"key\":\"a\",%s}}",
                 operators[i]);
        check_refused(400, text);
    }
}
END_TEST

START_TEST(conditions_of_the_wrong_shape_are_refused)
{
    check_refused(400, "{\"must\":{\"has_id\":7}}");
    check_refused(400, "{\"must\":{\"has_id\":[-7]}}");
    check_refused(400, "{\"must\":{\"has_vector\":7}}");
    check_refused(400, "{\"must\":{\"is_empty\":\"a\"}}");
    check_refused(400, "{\"must\":{\"nested\":{\"key\":\"a\"}}}");
    check_refused(400, "{\"must\":{\"nested\":{\"filter\":{}}}}");
    check_refused(400, "{\"must\":{\"key\":1,\"is_null\":true}}");
    check_refused(400, "{\"must\":{\"key\":\"a.\",\"is_null\":true}}");
    check_refused(400, "{\"min_should\":{\"conditions\":[]}}");
    check_refused(400, "{\"min_should\":{\"min_count\":1}}");
}
END_TEST

START_TEST(a_slice_must_be_one_of_its_total)
{
    check_refused(400, "{\"must\":{\"slice\":{\"total\":0,\"index\":0}}}");
    check_refused(400, "{\"must\":{\"slice\":{\"total\":3}}}");
    check_refused(422, "{\"must\":{\"slice\":{\"total\":3,\"index\":3}}}");
}
END_TEST

START_TEST(filters_are_bounded)
{
    char text[2048] = "";
    size_t at = 0;

    for (size_t i = 0; i < VECWIRE__FILTER_DEPTH; i++)
        at += (size_t)snprintf(text + at, sizeof(text) - at, "{\"must\":");
    at += (size_t)snprintf(text + at, sizeof(text) - at, "{}");
    memset(text + at, '}', VECWIRE__FILTER_DEPTH);
    text[at + VECWIRE__FILTER_DEPTH] = '\0';
    check_refused(400, text);
}
END_TEST

START_TEST(a_filter_has_at_most_4096_conditions)
{
    json_t *list = json_array(), *filter = json_object();

    ck_assert_int_eq(json_object_set_new(filter, "must", list), 0);
    for (size_t i = 0; i < VECWIRE__FILTER_CONDITIONS; i++)
        ck_assert_int_eq(
            json_array_append_new(list, json_of("{\"has_id\":[1]}")), 0);
    check_tree(0, filter);
    ck_assert_int_eq(json_array_append_new(list, json_of("{}")), 0);
    check_tree(400, filter);
    json_decref(filter);
}
END_TEST

START_TEST(a_list_has_at_most_65536_values)
{
    json_t *ids = json_array();
    json_t *filter = json_pack("{s{so}}", "must", "has_id", ids);

    for (json_int_t i = 0; i < VECWIRE__FILTER_VALUES; i++)
        ck_assert_int_eq(json_array_append_new(ids, json_integer(i)), 0);
    check_tree(0, filter);
    ck_assert_int_eq(json_array_append_new(ids, json_integer(1)), 0);
    check_tree(400, filter);
    json_decref(filter);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("filter_refusals");
    TCase *refusals = tcase_create("refusals");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_test(refusals, unknown_keys_are_refused);
    tcase_add_test(refusals, a_lone_key_is_invalid);
    tcase_add_test(refusals, operators_of_the_wrong_type_are_refused);
    tcase_add_test(refusals, conditions_of_the_wrong_shape_are_refused);
    tcase_add_test(refusals, a_slice_must_be_one_of_its_total);
    tcase_add_test(refusals, filters_are_bounded);
    tcase_add_test(refusals, a_filter_has_at_most_4096_conditions);
    tcase_add_test(refusals, a_list_has_at_most_65536_values);
    suite_add_tcase(suite, refusals);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
