/* SPDX-License-Identifier: Apache-2.0 */
/* Paths into payloads, changes of payloads, and parts of them. */
#include <stdlib.h>

#include "server/payload_selector.h"
#include "server/qdrant_payload.h"
#include "tests/json_rig.h"

static struct vecwire__fault fault;

static struct vecwire__json_path
path_of(const char *text)
{
    struct vecwire__json_path path;

    ck_assert_msg(vecwire__json_path_parse(&path, text, strlen(text), &fault),
                  "%s: %s", text, fault.text);
    return path;
}

static bool
collect(const json_t *value, void *arg)
{
    ck_assert_int_eq(json_array_append_new(arg, json_deep_copy(value)), 0);
    return true;
}

/* Fail unless the path leads to these values, and flat to those. */
static void
check_finds(const char *path_text, const char *object_text, const char *found,
            const char *flat)
{
    struct vecwire__json_path path = path_of(path_text);
    json_t *object = json_of(object_text), *values = json_array();

    ck_assert(vecwire__json_path_each(&path, object, collect, values));
    json_is(values, found);
    json_array_clear(values);
    ck_assert(vecwire__json_path_each_flat(&path, object, collect, values));
    json_is(values, flat);
    json_decref(values);
    json_decref(object);
    vecwire__json_path_fini(&path);
}

static void
check_no_path(const char *text)
{
    struct vecwire__json_path path;

    fault.status = 0;
    ck_assert_msg(!vecwire__json_path_parse(&path, text, strlen(text), &fault),
                  "%s", text);
    ck_assert_int_eq(fault.status, 400);
    vecwire__json_path_fini(&path);
}

START_TEST(a_path_goes_through_objects)
{
    check_finds("a.b", "{\"a\":{\"b\":1}}", "[1]", "[1]");
    check_finds("a.c", "{\"a\":{\"b\":1}}", "[]", "[]");
    check_finds("a.b.c", "{\"a\":{\"b\":1}}", "[]", "[]");
}
END_TEST

START_TEST(brackets_lead_to_every_element)
{
    check_finds("a[].b", "{\"a\":[{\"b\":1},{\"c\":2},{\"b\":[3,4]}]}",
                "[1,[3,4]]", "[1,3,4]");
    check_finds("a[]", "{\"a\":7}", "[]", "[]");
}
END_TEST

START_TEST(an_index_leads_to_one_element)
{
    check_finds("a[1]", "{\"a\":[5,6]}", "[6]", "[6]");
    check_finds("a[2]", "{\"a\":[5,6]}", "[]", "[]");
    check_finds("a[0][1].b", "{\"a\":[[0,{\"b\":9}]]}", "[9]", "[9]");
}
END_TEST

START_TEST(an_array_at_the_end_is_one_value_unless_flat)
{
    check_finds("a", "{\"a\":[5,6]}", "[[5,6]]", "[5,6]");
}
END_TEST

START_TEST(quotes_allow_any_key)
{
    check_finds("\"a.b[]\".\"c d\"", "{\"a.b[]\":{\"c d\":1}}", "[1]", "[1]");
}
END_TEST

START_TEST(bare_keys_have_letters_of_any_script_digits_dashes)
{
    check_finds("gr\xc3\xb6\xc3\x9f"
                "e-1_x",
                "{\"gr\xc3\xb6\xc3\x9f"
                "e-1_x\":1}",
                "[1]", "[1]");
    check_finds("123", "{\"123\":1}", "[1]", "[1]");
}
END_TEST

START_TEST(what_is_no_path_is_refused)
{
    check_no_path("");
    check_no_path("a..b");
    check_no_path("a.");
    check_no_path(".a");
    check_no_path("[0]");
    check_no_path("a[");
    check_no_path("a[x]");
    check_no_path("a[-1]");
    check_no_path("a[1");
    check_no_path("a b");
    check_no_path("\"a");
    check_no_path("\"a\\\"\"");
    check_no_path("a[99999999999999999999999]");
}
END_TEST

START_TEST(paths_are_bounded)
{
    char text[VECWIRE__JSON_PATH_MAX + 2];
    struct vecwire__json_path path;

    memset(text, 'a', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    check_no_path(text);
    text[VECWIRE__JSON_PATH_MAX] = '\0';
    path = path_of(text);
    vecwire__json_path_fini(&path);
    for (size_t i = 0; i < VECWIRE__JSON_PATH_STEPS; i++)
        memcpy(text + 2 * i, "a.", 2);
    text[2 * VECWIRE__JSON_PATH_STEPS - 1] = '\0';
    path = path_of(text);
    vecwire__json_path_fini(&path);
    memcpy(text + 2 * VECWIRE__JSON_PATH_STEPS - 1, ".a", 3);
    check_no_path(text);
}
END_TEST

START_TEST(a_path_must_be_a_string)
{
    struct vecwire__json_path path;
    json_t *value = json_of("18446744073709551615");

    ck_assert(!vecwire__json_path_read(&path, value, &fault));
    ck_assert_int_eq(fault.status, 400);
    json_decref(value);
}
END_TEST

/* --- changes --- */

static void
check_change(enum vecwire__payload_op op, const char *body_text,
             const char *before_text, const char *after)
{
    struct vecwire__payload_change change;
    json_t *body = json_of(body_text), *before = json_of(before_text), *now;

    ck_assert_msg(vecwire__payload_change_read(&change, op, body, &fault), "%s",
                  fault.text);
    json_decref(body);
    now = vecwire__payload_change_apply(&change, before);
    ck_assert_ptr_nonnull(now);
    json_is(now, after);
    json_decref(now);
    json_is(before, before_text);
    json_decref(before);
    vecwire__payload_change_fini(&change);
}

static void
check_no_change(enum vecwire__payload_op op, const char *body_text)
{
    struct vecwire__payload_change change;
    json_t *body = json_of(body_text);

    fault.status = 0;
    ck_assert_msg(!vecwire__payload_change_read(&change, op, body, &fault),
                  "%s", body_text);
    ck_assert_int_eq(fault.status, 400);
    json_decref(body);
    vecwire__payload_change_fini(&change);
}

START_TEST(set_merges_top_level_keys)
{
    check_change(
        VECWIRE__PAYLOAD_SET, "{\"payload\":{\"b\":{\"y\":2},\"c\":3}}",
        "{\"a\":1,\"b\":{\"x\":1}}", "{\"a\":1,\"b\":{\"y\":2},\"c\":3}");
}
END_TEST

START_TEST(set_with_null_takes_a_key_away)
{
    check_change(VECWIRE__PAYLOAD_SET, "{\"payload\":{\"a\":null,\"n\":null}}",
                 "{\"a\":1,\"b\":2}", "{\"b\":2}");
}
END_TEST

START_TEST(set_at_a_key_merges_there)
{
    check_change(
        VECWIRE__PAYLOAD_SET, "{\"payload\":{\"c\":1},\"key\":\"a.b\"}",
        "{\"a\":{\"b\":{\"d\":2}}}", "{\"a\":{\"b\":{\"d\":2,\"c\":1}}}");
}
END_TEST

START_TEST(set_at_a_key_makes_what_is_missing_and_replaces_what_is_in_the_way)
{
    check_change(VECWIRE__PAYLOAD_SET,
                 "{\"payload\":{\"c\":1},\"key\":\"a.b\"}", "{}",
                 "{\"a\":{\"b\":{\"c\":1}}}");
    check_change(VECWIRE__PAYLOAD_SET,
                 "{\"payload\":{\"c\":1},\"key\":\"a.b\"}", "{\"a\":[1]}",
                 "{\"a\":{\"b\":{\"c\":1}}}");
    check_change(VECWIRE__PAYLOAD_SET,
                 "{\"payload\":{\"c\":1},\"key\":\"a[]\"}", "{\"a\":1}",
                 "{\"a\":[]}");
}
END_TEST

START_TEST(set_at_elements_changes_those_that_are_there)
{
    check_change(
        VECWIRE__PAYLOAD_SET, "{\"payload\":{\"c\":1},\"key\":\"a[]\"}",
        "{\"a\":[{\"b\":2},3]}", "{\"a\":[{\"b\":2,\"c\":1},{\"c\":1}]}");
    check_change(
        VECWIRE__PAYLOAD_SET, "{\"payload\":{\"c\":1},\"key\":\"a[1].x\"}",
        "{\"a\":[{\"b\":2},{}]}", "{\"a\":[{\"b\":2},{\"x\":{\"c\":1}}]}");
    check_change(VECWIRE__PAYLOAD_SET,
                 "{\"payload\":{\"c\":1},\"key\":\"a[5]\"}", "{\"a\":[1]}",
                 "{\"a\":[1]}");
}
END_TEST

START_TEST(overwrite_replaces_the_whole_payload)
{
    check_change(VECWIRE__PAYLOAD_OVERWRITE, "{\"payload\":{\"c\":3}}",
                 "{\"a\":1}", "{\"c\":3}");
}
END_TEST

START_TEST(overwrite_at_a_key_merges_there)
{
    check_change(
        VECWIRE__PAYLOAD_OVERWRITE, "{\"payload\":{\"c\":3},\"key\":\"b\"}",
        "{\"a\":1,\"b\":{\"d\":2}}", "{\"a\":1,\"b\":{\"d\":2,\"c\":3}}");
}
END_TEST

START_TEST(delete_takes_keys_away_at_any_depth)
{
    check_change(VECWIRE__PAYLOAD_DELETE,
                 "{\"keys\":[\"a\",\"b.c\",\"d[].e\",\"none\",\"d[7].e\"]}",
                 "{\"a\":1,\"b\":{\"c\":2,\"x\":3},\"d\":[{\"e\":4},5]}",
                 "{\"b\":{\"x\":3},\"d\":[{},5]}");
}
END_TEST

START_TEST(delete_empties_arrays_but_leaves_single_elements)
{
    check_change(VECWIRE__PAYLOAD_DELETE, "{\"keys\":[\"a[]\",\"b[0]\"]}",
                 "{\"a\":[1,2],\"b\":[3]}", "{\"a\":[],\"b\":[3]}");
}
END_TEST

START_TEST(clear_leaves_nothing)
{
    check_change(VECWIRE__PAYLOAD_CLEAR, "{}", "{\"a\":1}", "{}");
}
END_TEST

START_TEST(a_point_without_a_payload_can_be_given_one)
{
    struct vecwire__payload_change change;
    json_t *body = json_of("{\"payload\":{\"a\":1}}"), *now;

    ck_assert(vecwire__payload_change_read(&change, VECWIRE__PAYLOAD_SET, body,
                                           &fault));
    now = vecwire__payload_change_apply(&change, NULL);
    json_is(now, "{\"a\":1}");
    json_decref(now);
    json_decref(body);
    vecwire__payload_change_fini(&change);
}
END_TEST

START_TEST(changes_of_the_wrong_shape_are_refused)
{
    check_no_change(VECWIRE__PAYLOAD_SET, "{}");
    check_no_change(VECWIRE__PAYLOAD_SET, "{\"payload\":[1]}");
    check_no_change(VECWIRE__PAYLOAD_SET, "{\"payload\":{},\"key\":1}");
    check_no_change(VECWIRE__PAYLOAD_SET, "{\"payload\":{},\"key\":\"a.\"}");
    check_no_change(VECWIRE__PAYLOAD_DELETE, "{}");
    check_no_change(VECWIRE__PAYLOAD_DELETE, "{\"keys\":[\"a\",1]}");
    check_no_change(VECWIRE__PAYLOAD_DELETE, "{\"keys\":\"a\"}");
}
END_TEST

START_TEST(a_payload_never_becomes_too_deep_to_be_read_again)
{
    char text[512] = "{\"key\":\"a.a.a.a\",\"payload\":{\"a\":";
    const size_t n = VECWIRE__JSON_TEXT_DEPTH - 4;
    const size_t at = strlen(text);

    memset(text + at, '[', n);
    memset(text + at + n, ']', n);
    memcpy(text + at + 2 * n, "}}", 3);
    check_no_change(VECWIRE__PAYLOAD_SET, text);
}
END_TEST

/* --- parts --- */

static void
check_part(const char *selector_text, const char *payload_text,
           const char *part)
{
    struct vecwire__payload_selector selector;
    json_t *value = json_of(selector_text), *payload = json_of(payload_text);
    json_t *chosen;

    ck_assert_msg(vecwire__payload_selector_read(&selector, value,
                                                 VECWIRE__SELECT_NONE, &fault),
                  "%s", fault.text);
    chosen = vecwire__payload_select(&selector, payload);
    json_is(chosen, part);
    json_decref(chosen);
    json_decref(payload);
    json_decref(value);
    vecwire__payload_selector_fini(&selector);
}

static const char sample[] = "{\"a\":{\"b\":1,\"c\":[{\"d\":2,\"e\":3},4]},"
                             "\"f\":[1,2],\"g\":null}";

START_TEST(a_list_of_keys_includes)
{
    check_part("[\"f\",\"g\"]", sample, "{\"f\":[1,2],\"g\":null}");
}
END_TEST

START_TEST(include_gives_exactly_the_nested_part)
{
    check_part("{\"include\":[\"a.b\"]}", sample, "{\"a\":{\"b\":1}}");
    check_part("{\"include\":[\"a.c[].d\"]}", sample,
               "{\"a\":{\"c\":[{\"d\":2},4]}}");
    check_part("{\"include\":[]}", sample, "{}");
}
END_TEST

START_TEST(include_without_brackets_takes_arrays_whole_or_empty)
{
    check_part("{\"include\":[\"a.c\"]}", sample,
               "{\"a\":{\"c\":[{\"d\":2,\"e\":3},4]}}");
    check_part("{\"include\":[\"a.c.d\"]}", sample, "{\"a\":{\"c\":[]}}");
}
END_TEST

START_TEST(exclude_gives_all_but_the_nested_part)
{
    check_part("{\"exclude\":[\"a.c[].d\",\"f\"]}", sample,
               "{\"a\":{\"b\":1,\"c\":[{\"e\":3},4]},\"g\":null}");
    check_part("{\"exclude\":[\"f[]\"]}", "{\"f\":[1,2]}", "{\"f\":[]}");
    check_part("{\"exclude\":[]}", sample, sample);
}
END_TEST

START_TEST(bools_and_nothing_need_no_tree)
{
    struct vecwire__payload_selector selector;
    json_t *yes = json_true(), *no = json_false();

    ck_assert(vecwire__payload_selector_read(&selector, yes,
                                             VECWIRE__SELECT_NONE, &fault));
    ck_assert_int_eq(selector.kind, VECWIRE__SELECT_ALL);
    ck_assert(vecwire__payload_selector_read(&selector, no, VECWIRE__SELECT_ALL,
                                             &fault));
    ck_assert_int_eq(selector.kind, VECWIRE__SELECT_NONE);
    ck_assert(vecwire__payload_selector_read(&selector, NULL,
                                             VECWIRE__SELECT_ALL, &fault));
    ck_assert_int_eq(selector.kind, VECWIRE__SELECT_ALL);
}
END_TEST

static void
check_no_selector(const char *text)
{
    struct vecwire__payload_selector selector;
    json_t *value = json_of(text);

    fault.status = 0;
    ck_assert_msg(!vecwire__payload_selector_read(&selector, value,
                                                  VECWIRE__SELECT_NONE, &fault),
                  "%s", text);
    ck_assert_int_eq(fault.status, 400);
    json_decref(value);
}

START_TEST(selectors_of_the_wrong_shape_are_refused)
{
    check_no_selector("1");
    check_no_selector("\"a\"");
    check_no_selector("{}");
    check_no_selector("{\"include\":[\"a\"],\"exclude\":[\"b\"]}");
    check_no_selector("{\"include\":\"a\"}");
    check_no_selector("{\"includes\":[\"a\"]}");
    check_no_selector("[\"a\",1]");
    check_no_selector("[\"a.\"]");
}
END_TEST

static TCase *
path_tests(void)
{
    TCase *paths = tcase_create("paths");

    tcase_add_test(paths, a_path_goes_through_objects);
    tcase_add_test(paths, brackets_lead_to_every_element);
    tcase_add_test(paths, an_index_leads_to_one_element);
    tcase_add_test(paths, an_array_at_the_end_is_one_value_unless_flat);
    tcase_add_test(paths, quotes_allow_any_key);
    tcase_add_test(paths, bare_keys_have_letters_of_any_script_digits_dashes);
    tcase_add_test(paths, what_is_no_path_is_refused);
    tcase_add_test(paths, paths_are_bounded);
    tcase_add_test(paths, a_path_must_be_a_string);
    return paths;
}

static TCase *
change_tests(void)
{
    TCase *changes = tcase_create("changes");

    tcase_add_test(changes, set_merges_top_level_keys);
    tcase_add_test(changes, set_with_null_takes_a_key_away);
    tcase_add_test(changes, set_at_a_key_merges_there);
    tcase_add_test(
        changes,
        set_at_a_key_makes_what_is_missing_and_replaces_what_is_in_the_way);
    tcase_add_test(changes, set_at_elements_changes_those_that_are_there);
    tcase_add_test(changes, overwrite_replaces_the_whole_payload);
    tcase_add_test(changes, overwrite_at_a_key_merges_there);
    tcase_add_test(changes, delete_takes_keys_away_at_any_depth);
    tcase_add_test(changes, delete_empties_arrays_but_leaves_single_elements);
    tcase_add_test(changes, clear_leaves_nothing);
    tcase_add_test(changes, a_point_without_a_payload_can_be_given_one);
    tcase_add_test(changes, changes_of_the_wrong_shape_are_refused);
    tcase_add_test(changes, a_payload_never_becomes_too_deep_to_be_read_again);
    return changes;
}

int
main(void)
{
    Suite *suite = suite_create("payload");
    TCase *parts = tcase_create("parts");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, path_tests());
    suite_add_tcase(suite, change_tests());
    tcase_add_test(parts, a_list_of_keys_includes);
    tcase_add_test(parts, include_gives_exactly_the_nested_part);
    tcase_add_test(parts, include_without_brackets_takes_arrays_whole_or_empty);
    tcase_add_test(parts, exclude_gives_all_but_the_nested_part);
    tcase_add_test(parts, bools_and_nothing_need_no_tree);
    tcase_add_test(parts, selectors_of_the_wrong_shape_are_refused);
    suite_add_tcase(suite, parts);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
