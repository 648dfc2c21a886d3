/* SPDX-License-Identifier: Apache-2.0 */
/* What HMS's encoders refuse, and how they name the place. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "tests/hms_fixture.h"

#define NOWHERE SIZE_MAX

static struct hms_fixture f;
static const float matrix[] = {1, 2, 3, 4, 5, 6};
static const char *const ids[] = {"a", "b", "c"};

static void
setup(void)
{
    hms_begin(&f);
}

static void
teardown(void)
{
    hms_end(&f);
}

static void
check_refusal(size_t row, size_t coordinate, const char *text)
{
    ck_assert_uint_eq(f.refusal.row, row);
    ck_assert_uint_eq(f.refusal.coordinate, coordinate);
    ck_assert_ptr_nonnull(strstr(f.refusal.text, text));
}

/* Upsert three rows of two, the last with these. */
static enum vecwire_err
upsert_third(const char *id, const char *text, const char *payload,
             const json_t *tree)
{
    const char *const three_ids[] = {"a", "b", id};
    const char *const texts[] = {"", "", text};
    const char *const payloads[] = {NULL, "{}", payload};
    const json_t *const trees[] = {NULL, NULL, tree};

    return hms_upsert(&f, VECWIRE_UPSERT(.matrix = matrix, .rows = 3, .dim = 2,
                                         .ids = three_ids, .texts = texts,
                                         .payloads = payloads,
                                         .payload_trees = trees));
}

static char *
repeat(char c, size_t n)
{
    char *text = malloc(n + 1);

    ck_assert_ptr_nonnull(text);
    memset(text, c, n);
    text[n] = '\0';
    return text;
}

/* {"k":[[[...]]]}, `depth` brackets deep */
static char *
nested(size_t depth)
{
    char *text = malloc(2 * depth + 8);
    size_t n = 0;

    ck_assert_ptr_nonnull(text);
    memcpy(text, "{\"k\":", 5);
    n = 5;
    memset(text + n, '[', depth - 1);
    n += depth - 1;
    memset(text + n, ']', depth - 1);
    n += depth - 1;
    memcpy(text + n, "}", 2);
    return text;
}

/* --- shape --- */

START_TEST(a_query_without_a_vector_is_refused)
{
    ck_assert_int_eq(hms_query(&f, VECWIRE_QUERY(.dim = 2)), VECWIRE_EINVAL);
    check_refusal(NOWHERE, NOWHERE, "vector is NULL");
}
END_TEST

START_TEST(a_query_of_dimension_0_is_refused)
{
    ck_assert_int_eq(hms_query(&f, VECWIRE_QUERY(.vector = matrix)),
                     VECWIRE_EINVAL);
    check_refusal(NOWHERE, NOWHERE, "dim is 0");
}
END_TEST

START_TEST(a_dimension_over_the_limit_is_too_big_and_not_read)
{
    ck_assert_int_eq(
        hms_query(&f, VECWIRE_QUERY(.vector = matrix, .dim = 65537)),
        VECWIRE_ETOOBIG);
    check_refusal(NOWHERE, NOWHERE, "dim is 65537, HMS takes at most 65536");
}
END_TEST

START_TEST(top_k_over_a_hundred_is_too_big)
{
    ck_assert_int_eq(
        hms_query(&f, VECWIRE_QUERY(.vector = matrix, .dim = 2, .top_k = 101)),
        VECWIRE_ETOOBIG);
    check_refusal(NOWHERE, NOWHERE, "top_k is 101, HMS takes at most 100");
}
END_TEST

START_TEST(an_upsert_of_no_rows_is_refused)
{
    ck_assert_int_eq(
        hms_upsert(&f, VECWIRE_UPSERT(.matrix = matrix, .dim = 2, .ids = ids)),
        VECWIRE_EINVAL);
    check_refusal(NOWHERE, NOWHERE, "rows is 0");
}
END_TEST

START_TEST(an_upsert_of_1001_rows_is_too_big_and_not_read)
{
    ck_assert_int_eq(
        hms_upsert(&f, VECWIRE_UPSERT(.matrix = matrix, .rows = 1001, .dim = 2,
                                      .ids = ids)),
        VECWIRE_ETOOBIG);
    check_refusal(NOWHERE, NOWHERE, "1001 rows, HMS takes at most 1000");
}
END_TEST

START_TEST(an_upsert_of_dimension_0_is_refused)
{
    ck_assert_int_eq(
        hms_upsert(&f, VECWIRE_UPSERT(.matrix = matrix, .rows = 1, .ids = ids)),
        VECWIRE_EINVAL);
    check_refusal(NOWHERE, NOWHERE, "dim is 0");
}
END_TEST

START_TEST(an_upsert_without_a_matrix_is_refused)
{
    ck_assert_int_eq(
        hms_upsert(&f, VECWIRE_UPSERT(.rows = 1, .dim = 2, .ids = ids)),
        VECWIRE_EINVAL);
    check_refusal(NOWHERE, NOWHERE, "matrix is NULL");
}
END_TEST

START_TEST(an_upsert_without_ids_is_refused)
{
    ck_assert_int_eq(
        hms_upsert(&f, VECWIRE_UPSERT(.matrix = matrix, .rows = 1, .dim = 2)),
        VECWIRE_EINVAL);
    check_refusal(NOWHERE, NOWHERE, "ids is NULL");
}
END_TEST

START_TEST(a_delete_of_no_rows_is_refused)
{
    struct vecwire_delete_request del = VECWIRE_DELETE(.ids = ids);

    ck_assert_int_eq(vecwire__dialect_hms.encode[VECWIRE__VERB_DELETE](
                         &f.settings, &del, &f.enc, &f.refusal),
                     VECWIRE_EINVAL);
    check_refusal(NOWHERE, NOWHERE, "no ids");
}
END_TEST

START_TEST(a_delete_without_ids_is_refused)
{
    struct vecwire_delete_request del = VECWIRE_DELETE(.rows = 1);

    ck_assert_int_eq(vecwire__dialect_hms.encode[VECWIRE__VERB_DELETE](
                         &f.settings, &del, &f.enc, &f.refusal),
                     VECWIRE_EINVAL);
    check_refusal(NOWHERE, NOWHERE, "no ids");
}
END_TEST

START_TEST(a_delete_of_two_rows_is_too_big)
{
    struct vecwire_delete_request del = VECWIRE_DELETE(.ids = ids, .rows = 2);

    ck_assert_int_eq(vecwire__dialect_hms.encode[VECWIRE__VERB_DELETE](
                         &f.settings, &del, &f.enc, &f.refusal),
                     VECWIRE_ETOOBIG);
    check_refusal(NOWHERE, NOWHERE, "HMS deletes 1 a call");
}
END_TEST

/* --- numbers --- */

static const float no_numbers[] = {NAN, INFINITY, -INFINITY};

START_TEST(a_query_names_the_coordinate_that_is_no_number)
{
    float vector[] = {1, 2, no_numbers[_i]};

    ck_assert_int_eq(hms_query(&f, VECWIRE_QUERY(.vector = vector, .dim = 3)),
                     VECWIRE_EINVAL);
    check_refusal(NOWHERE, 2, "coordinate 2 is NaN or infinite");
}
END_TEST

START_TEST(an_upsert_names_row_and_coordinate_that_is_no_number)
{
    float rows[] = {1, 2, 3, 4, 5, no_numbers[_i]};

    ck_assert_int_eq(hms_upsert(&f, VECWIRE_UPSERT(.matrix = rows, .rows = 3,
                                                   .dim = 2, .ids = ids)),
                     VECWIRE_EINVAL);
    check_refusal(2, 1, "row 2: coordinate 1 is NaN or infinite");
}
END_TEST

START_TEST(a_row_of_zeros_has_no_direction)
{
    float rows[] = {1, 2, 0, -0.0f, 5, 6};

    ck_assert_int_eq(hms_upsert(&f, VECWIRE_UPSERT(.matrix = rows, .rows = 3,
                                                   .dim = 2, .ids = ids)),
                     VECWIRE_EINVAL);
    check_refusal(1, NOWHERE, "row 1: every coordinate is 0");
}
END_TEST

/* --- ids --- */

static const struct {
    const char *id, *text;
} bad_ids[] = {{NULL, "row 2: id is NULL"},
               {"", "row 2: id is empty"},
               {"hms:", "row 2: id begins with \"hms:\""},
               {"hms:x", "row 2: id begins with \"hms:\""},
               {"a\nb", "row 2: id has a control character at byte 1"},
               {"\r", "row 2: id has a control character at byte 0"},
               {"a\x1f", "row 2: id has a control character at byte 1"},
               {"a\x7f", "row 2: id has a control character at byte 1"},
               {"ab\xc2\x80", "row 2: id has a control character at byte 2"},
               {"\xc2\x9f", "row 2: id has a control character at byte 0"},
               {"a\xff", "row 2: id is not UTF-8 at byte 1"},
               {"\xc2", "row 2: id is not UTF-8 at byte 0"},
               {"a\xed\xa0\x80", "row 2: id is not UTF-8 at byte 1"}};
#define N_BAD_IDS ((int)(sizeof(bad_ids) / sizeof(bad_ids[0])))

START_TEST(an_upsert_names_the_row_with_a_bad_id)
{
    ck_assert_int_eq(upsert_third(bad_ids[_i].id, NULL, NULL, NULL),
                     VECWIRE_EINVAL);
    check_refusal(2, NOWHERE, bad_ids[_i].text);
}
END_TEST

START_TEST(a_delete_refuses_the_same_ids)
{
    ck_assert_int_eq(hms_delete(&f, bad_ids[_i].id), VECWIRE_EINVAL);
    check_refusal(0, NOWHERE, bad_ids[_i].text + strlen("row 2: "));
}
END_TEST

START_TEST(an_id_of_257_bytes_is_too_big)
{
    char *id = repeat('x', 257);

    ck_assert_int_eq(upsert_third(id, NULL, NULL, NULL), VECWIRE_ETOOBIG);
    check_refusal(2, NOWHERE, "row 2: id of 257 bytes, HMS takes at most 256");
    ck_assert_int_eq(hms_delete(&f, id), VECWIRE_ETOOBIG);
    check_refusal(0, NOWHERE, "row 0: id of 257 bytes");
    free(id);
}
END_TEST

START_TEST(what_only_looks_like_a_control_character_is_taken)
{
    /* U+00A0, U+0480 (D2 80), U+20AC: bytes 80..9F that are no C1 */
    ck_assert_int_eq(
        upsert_third("\xc2\xa0\xd2\x80\xe2\x82\xac", NULL, NULL, NULL),
        VECWIRE_OK);
}
END_TEST

/* --- texts --- */

START_TEST(a_text_that_is_not_utf8_names_row_and_byte)
{
    ck_assert_int_eq(upsert_third("c", "ab\xc0\x80", NULL, NULL),
                     VECWIRE_EINVAL);
    check_refusal(2, NOWHERE, "row 2: text is not UTF-8 at byte 2");
}
END_TEST

START_TEST(a_text_of_64_kib_is_taken_and_one_byte_more_is_too_big)
{
    char *text = repeat('t', 65537);

    ck_assert_int_eq(upsert_third("c", text, NULL, NULL), VECWIRE_ETOOBIG);
    check_refusal(2, NOWHERE, "row 2: text of 65537 bytes");
    text[65536] = '\0';
    f.enc.text.len = 0;
    ck_assert_int_eq(upsert_third("c", text, NULL, NULL), VECWIRE_OK);
    free(text);
}
END_TEST

/* --- payloads and filters --- */

static const struct {
    const char *json, *text;
} bad_objects[] = {{"[]", "is not a JSON object"},
                   {"7", "is not a JSON object"},
                   {"null", "is not a JSON object"},
                   {"\"{}\"", "is not a JSON object"},
                   {"", "is not JSON: "},
                   {"{", "is not JSON: "},
                   {"{\"a\":}", "at byte 5"},
                   {"{}x", "at byte 2"},
                   {"{'a':1}", "at byte 1"},
                   {"{\"a\":NaN}", "at byte 5"},
                   {"{\"a\":\"\xff\"}", "is not JSON: "}};
#define N_BAD_OBJECTS ((int)(sizeof(bad_objects) / sizeof(bad_objects[0])))

START_TEST(a_bad_payload_names_its_row)
{
    ck_assert_int_eq(upsert_third("c", NULL, bad_objects[_i].json, NULL),
                     VECWIRE_EINVAL);
    check_refusal(2, NOWHERE, "row 2: payload is not ");
    check_refusal(2, NOWHERE, bad_objects[_i].text);
}
END_TEST

START_TEST(a_bad_filter_is_named)
{
    ck_assert_int_eq(
        hms_query(&f, VECWIRE_QUERY(.vector = matrix, .dim = 2,
                                    .filter = bad_objects[_i].json)),
        VECWIRE_EINVAL);
    check_refusal(NOWHERE, NOWHERE, "filter is not ");
    check_refusal(NOWHERE, NOWHERE, bad_objects[_i].text);
}
END_TEST

START_TEST(a_tree_that_is_no_object_is_refused)
{
    json_t *tree = json_array();

    ck_assert_int_eq(upsert_third("c", NULL, NULL, tree), VECWIRE_EINVAL);
    check_refusal(2, NOWHERE, "row 2: payload is not a JSON object");
    ck_assert_int_eq(hms_query(&f, VECWIRE_QUERY(.vector = matrix, .dim = 2,
                                                 .filter_tree = tree)),
                     VECWIRE_EINVAL);
    check_refusal(NOWHERE, NOWHERE, "filter is not a JSON object");
    json_decref(tree);
}
END_TEST

START_TEST(an_object_given_twice_is_refused)
{
    json_t *tree = json_object();

    ck_assert_int_eq(upsert_third("c", NULL, "{}", tree), VECWIRE_EINVAL);
    check_refusal(2, NOWHERE, "row 2: payload is given as text and as a tree");
    ck_assert_int_eq(
        hms_query(&f, VECWIRE_QUERY(.vector = matrix, .dim = 2, .filter = "{}",
                                    .filter_tree = tree)),
        VECWIRE_EINVAL);
    check_refusal(NOWHERE, NOWHERE, "filter is given as text and as a tree");
    json_decref(tree);
}
END_TEST

START_TEST(an_object_may_be_as_deep_as_the_limit_and_no_deeper)
{
    char *fits = nested(9), *deep = nested(10);
    json_t *fits_tree = json_loads(fits, 0, NULL);
    json_t *deep_tree = json_loads(deep, 0, NULL);

    f.settings.json_depth = 9;
    ck_assert_int_eq(upsert_third("c", NULL, fits, NULL), VECWIRE_OK);
    ck_assert_int_eq(upsert_third("c", NULL, NULL, fits_tree), VECWIRE_OK);
    ck_assert_int_eq(upsert_third("c", NULL, deep, NULL), VECWIRE_EINVAL);
    check_refusal(2, NOWHERE, "row 2: payload");
    check_refusal(2, NOWHERE, "deep");
    ck_assert_int_eq(upsert_third("c", NULL, NULL, deep_tree), VECWIRE_EINVAL);
    check_refusal(2, NOWHERE, "deeper than 9");
    ck_assert_int_eq(hms_query(&f, VECWIRE_QUERY(.vector = matrix, .dim = 2,
                                                 .filter = deep)),
                     VECWIRE_EINVAL);
    check_refusal(NOWHERE, NOWHERE, "deep");
    json_decref(fits_tree);
    json_decref(deep_tree);
    free(fits);
    free(deep);
}
END_TEST

START_TEST(a_payload_of_64_kib_is_taken_and_one_byte_more_is_too_big)
{
    char *payload = repeat(' ', 65537);

    payload[0] = '{';
    payload[65536] = '}';
    ck_assert_int_eq(upsert_third("c", NULL, payload, NULL), VECWIRE_ETOOBIG);
    check_refusal(2, NOWHERE, "row 2: payload of 65537 bytes");
    payload[65535] = '}';
    payload[65536] = '\0';
    f.enc.text.len = 0;
    ck_assert_int_eq(upsert_third("c", NULL, payload, NULL), VECWIRE_OK);
    free(payload);
}
END_TEST

START_TEST(a_body_over_16_mib_is_too_big)
{
    enum { ROWS = 60 };
    static const char *many_ids[ROWS], *texts[ROWS];
    static float ones[ROWS];
    char *text = repeat('\1', 65536); /* 6 bytes each in JSON */

    for (size_t i = 0; i < ROWS; i++) {
        many_ids[i] = "x";
        texts[i] = text;
        ones[i] = 1;
    }
    ck_assert_int_eq(
        hms_upsert(&f, VECWIRE_UPSERT(.matrix = ones, .rows = ROWS, .dim = 1,
                                      .ids = many_ids, .texts = texts)),
        VECWIRE_ETOOBIG);
    check_refusal(NOWHERE, NOWHERE, "HMS takes at most 16777216");
    free(text);
}
END_TEST

static void
add_shape_tests(TCase *tc)
{
    tcase_add_test(tc, a_query_without_a_vector_is_refused);
    tcase_add_test(tc, a_query_of_dimension_0_is_refused);
    tcase_add_test(tc, a_dimension_over_the_limit_is_too_big_and_not_read);
    tcase_add_test(tc, top_k_over_a_hundred_is_too_big);
    tcase_add_test(tc, an_upsert_of_no_rows_is_refused);
    tcase_add_test(tc, an_upsert_of_1001_rows_is_too_big_and_not_read);
    tcase_add_test(tc, an_upsert_of_dimension_0_is_refused);
    tcase_add_test(tc, an_upsert_without_a_matrix_is_refused);
    tcase_add_test(tc, an_upsert_without_ids_is_refused);
    tcase_add_test(tc, a_delete_of_no_rows_is_refused);
    tcase_add_test(tc, a_delete_without_ids_is_refused);
    tcase_add_test(tc, a_delete_of_two_rows_is_too_big);
}

static void
add_content_tests(TCase *tc)
{
    tcase_add_loop_test(tc, a_query_names_the_coordinate_that_is_no_number, 0,
                        3);
    tcase_add_loop_test(
        tc, an_upsert_names_row_and_coordinate_that_is_no_number, 0, 3);
    tcase_add_test(tc, a_row_of_zeros_has_no_direction);
    tcase_add_loop_test(tc, an_upsert_names_the_row_with_a_bad_id, 0,
                        N_BAD_IDS);
    tcase_add_loop_test(tc, a_delete_refuses_the_same_ids, 0, N_BAD_IDS);
    tcase_add_test(tc, an_id_of_257_bytes_is_too_big);
    tcase_add_test(tc, what_only_looks_like_a_control_character_is_taken);
    tcase_add_test(tc, a_text_that_is_not_utf8_names_row_and_byte);
    tcase_add_test(tc, a_text_of_64_kib_is_taken_and_one_byte_more_is_too_big);
    tcase_add_loop_test(tc, a_bad_payload_names_its_row, 0, N_BAD_OBJECTS);
    tcase_add_loop_test(tc, a_bad_filter_is_named, 0, N_BAD_OBJECTS);
    tcase_add_test(tc, a_tree_that_is_no_object_is_refused);
    tcase_add_test(tc, an_object_given_twice_is_refused);
    tcase_add_test(tc, an_object_may_be_as_deep_as_the_limit_and_no_deeper);
    tcase_add_test(tc,
                   a_payload_of_64_kib_is_taken_and_one_byte_more_is_too_big);
    tcase_add_test(tc, a_body_over_16_mib_is_too_big);
}

int
main(void)
{
    Suite *suite = suite_create("hms refusals");
    TCase *tc = tcase_create("refusals");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_checked_fixture(tc, setup, teardown);
    add_shape_tests(tc);
    add_content_tests(tc);
    suite_add_tcase(suite, tc);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
