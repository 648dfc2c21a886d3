/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <check.h>
#include <jansson.h>

#include <vecwire/vector.h>

#include "codec/json_reader.h"
#include "codec/json_writer.h"
#include "codec/mem.h"

static struct vecwire__buf buf;

static void
setup(void)
{
    vecwire__buf_init(&buf, &vecwire__mem_libc);
    ck_assert(vecwire__buf_str(&buf, "before:"));
}

static void
teardown(void)
{
    vecwire__buf_fini(&buf);
}

/* Begin again with room for `max` bytes. */
static void
limit(size_t max)
{
    vecwire__buf_fini(&buf);
    buf.max = max;
    ck_assert(vecwire__buf_str(&buf, "before:"));
}

/* What stands behind "before:". */
static const char *
written(void)
{
    ck_assert(vecwire__buf_byte(&buf, '\0'));
    buf.len--;
    ck_assert_mem_eq(buf.bytes, "before:", 7);
    return buf.bytes + 7;
}

START_TEST(plain_text_is_only_quoted)
{
    static const char text[] = "plain / text ~ \x7f, longer than 16 bytes";

    ck_assert_int_eq(vecwire__json_put_str(&buf, text, sizeof(text) - 1, NULL),
                     VECWIRE_OK);
    ck_assert_str_eq(written(),
                     "\"plain / text ~ \x7f, longer than 16 bytes\"");
}
END_TEST

START_TEST(empty_text_is_two_quotes)
{
    ck_assert_int_eq(vecwire__json_put_str(&buf, NULL, 0, NULL), VECWIRE_OK);
    ck_assert_int_eq(vecwire__json_put_str(&buf, "x", 0, NULL), VECWIRE_OK);
    ck_assert_str_eq(written(), "\"\"\"\"");
}
END_TEST

START_TEST(quotes_backslashes_and_controls_are_escaped)
{
    static const char text[] = "\"\\\b\f\n\r\t\0\x01\x1f/";

    ck_assert_int_eq(vecwire__json_put_str(&buf, text, sizeof(text) - 1, NULL),
                     VECWIRE_OK);
    ck_assert_str_eq(written(),
                     "\"\\\"\\\\\\b\\f\\n\\r\\t\\u0000\\u0001\\u001f/\"");
}
END_TEST

START_TEST(utf8_goes_as_it_is)
{
    static const char text[] = "\xc2\x80 \xdf\xbf\xe0\xa0\x80\xed\x9f\xbf"
                               "\xee\x80\x80\xf0\x90\x80\x80\xf4\x8f\xbf\xbf";

    ck_assert_int_eq(vecwire__json_put_str(&buf, text, sizeof(text) - 1, NULL),
                     VECWIRE_OK);
    ck_assert_uint_eq(strlen(written()), sizeof(text) + 1);
    ck_assert_mem_eq(written() + 1, text, sizeof(text) - 1);
}
END_TEST

START_TEST(what_is_not_utf8_is_refused_with_its_place)
{
    static const struct {
        const char *text;
        size_t at;
    } bad[] = {{"\x80", 0},
               {"abc\xff", 3},
               {"\xc3\xa9\xc0\xaf", 2},
               {"\n\xe0\x9f\xbf", 1},
               {"x\xed\xa0\x80", 1},
               {"\xf0\x8f\xbf\xbf", 0},
               {"\xf4\x90\x80\x80", 0},
               {"0123456789abcdef\xf5\x80\x80\x80", 16},
               {"cut \xe6\xa4", 4},
               {"cut \xc3", 4},
               {"\"\xc3z", 1}};
    size_t at = 99;

    ck_assert_int_eq(
        vecwire__json_put_str(&buf, bad[_i].text, strlen(bad[_i].text), &at),
        VECWIRE_EINVAL);
    ck_assert_uint_eq(at, bad[_i].at);
    ck_assert_str_eq(written(), "");
}
END_TEST

START_TEST(every_length_of_text_is_written_whole)
{
    char text[200], *exact;

    for (size_t n = 1; n < sizeof(text); n++) {
        for (size_t i = 0; i < n; i++)
            text[i] = (i + n) % 23 == 0 ? '\n' : (char)('a' + i % 26);
        exact = malloc(n);
        ck_assert_ptr_nonnull(exact);
        memcpy(exact, text, n);
        vecwire__buf_fini(&buf);
        ck_assert_int_eq(vecwire__json_put_str(&buf, exact, n, NULL),
                         VECWIRE_OK);
        free(exact);
        json_t *back = json_loadb(buf.bytes, buf.len, JSON_DECODE_ANY, NULL);
        ck_assert_ptr_nonnull(back);
        ck_assert_uint_eq(json_string_length(back), n);
        ck_assert_mem_eq(json_string_value(back), text, n);
        json_decref(back);
    }
}
END_TEST

START_TEST(a_limit_leaves_nothing_of_a_text)
{
    static const char *const texts[] = {"a\n\n\n\n\n\n\n\n\n",
                                        "plain text of 23 bytes.",
                                        "\1\1\1\1\1\1 and a plain rest"};
    static const size_t lengths[] = {2 + 1 + 9 * 2, 2 + 23, 2 + 6 * 6 + 17};
    size_t needed = 7 + lengths[_i];

    for (size_t max = 7; max < needed + 8; max++) {
        enum vecwire_err rc;

        limit(max);
        rc = vecwire__json_put_str(&buf, texts[_i], strlen(texts[_i]), NULL);
        /* it may want a few bytes more than it uses */
        if (max < needed)
            ck_assert_int_eq(rc, VECWIRE_ENOMEM);
        if (max >= needed + (_i == 1 ? 0 : 5))
            ck_assert_int_eq(rc, VECWIRE_OK);
        ck_assert_uint_eq(buf.len, rc == VECWIRE_OK ? needed : 7);
    }
}
END_TEST

START_TEST(numbers_are_written_in_full)
{
    static const uint64_t numbers[] = {0, 9, 10, 12345678901u, UINT64_MAX};

    for (size_t i = 0; i < 5; i++) {
        ck_assert(vecwire__json_put_u64(&buf, numbers[i]));
        ck_assert(vecwire__buf_byte(&buf, ','));
    }
    ck_assert_str_eq(written(), "0,9,10,12345678901,18446744073709551615,");
}
END_TEST

START_TEST(a_vector_is_an_array)
{
    static const float vector[] = {0.5f, -1.0f, 0.1f, 3.0e20f};

    ck_assert_int_eq(vecwire__json_put_vector(&buf, vector, 4, NULL),
                     VECWIRE_OK);
    ck_assert_str_eq(written(), "[0.5,-1,0.1,3e20]");
}
END_TEST

START_TEST(an_empty_vector_is_an_empty_array)
{
    ck_assert_int_eq(vecwire__json_put_vector(&buf, NULL, 0, NULL), VECWIRE_OK);
    ck_assert_str_eq(written(), "[]");
}
END_TEST

START_TEST(nan_and_infinity_are_refused_with_their_index)
{
    float vector[40] = {0};
    size_t at = 99;

    vector[37] = _i == 0 ? NAN : _i == 1 ? INFINITY : -INFINITY;
    ck_assert_int_eq(vecwire__json_put_vector(&buf, vector, 40, &at),
                     VECWIRE_EINVAL);
    ck_assert_uint_eq(at, 37);
    ck_assert_str_eq(written(), "");
}
END_TEST

START_TEST(a_vector_without_room_leaves_nothing)
{
    static const float vector[] = {0.5f, 0.25f};
    float one = 1.0f;

    limit(20);
    ck_assert_int_eq(vecwire__json_put_vector(&buf, vector, 2, NULL),
                     VECWIRE_ENOMEM);
    ck_assert_uint_eq(buf.len, 7);
    limit(7 + VECWIRE_VECTOR_TEXT_ROOM(1));
    ck_assert_int_eq(vecwire__json_put_vector(&buf, &one, 1, NULL), VECWIRE_OK);
    ck_assert_str_eq(written(), "[1]");
}
END_TEST

START_TEST(a_tree_is_written_compactly)
{
    json_t *tree = json_pack("{s:[i,n,b,s]}", "key", 1, 1, "a\"b");

    ck_assert_int_eq(vecwire__json_put_tree(&buf, tree, 2), VECWIRE_OK);
    ck_assert_str_eq(written(), "{\"key\":[1,null,true,\"a\\\"b\"]}");
    json_decref(tree);
}
END_TEST

START_TEST(a_tree_may_be_a_scalar)
{
    json_t *tree = json_string("x");

    ck_assert_int_eq(vecwire__json_put_tree(&buf, tree, 1), VECWIRE_OK);
    ck_assert_str_eq(written(), "\"x\"");
    json_decref(tree);
}
END_TEST

START_TEST(a_tree_that_is_too_deep_is_refused)
{
    json_t *tree = json_pack("{s:[{s:[]}],s:i}", "a", "b", "c", 1);

    ck_assert_int_eq(vecwire__json_put_tree(&buf, tree, 3), VECWIRE_EINVAL);
    ck_assert_str_eq(written(), "");
    ck_assert_int_eq(vecwire__json_put_tree(&buf, tree, 4), VECWIRE_OK);
    json_decref(tree);
}
END_TEST

START_TEST(a_very_deep_tree_is_refused)
{
    json_t *tree = json_array(), *inner = tree;

    for (int i = 0; i < 20000; i++) {
        ck_assert_int_eq(json_array_append_new(inner, json_array()), 0);
        inner = json_array_get(inner, 0);
    }
    ck_assert_int_eq(vecwire__json_put_tree(&buf, tree, 255), VECWIRE_EINVAL);
    json_decref(tree);
}
END_TEST

START_TEST(what_jansson_cannot_print_is_refused)
{
    json_t *tree = json_pack("[i]", 1);

    ck_assert_int_eq(json_array_append_new(tree, json_string_nocheck("\xff")),
                     0);
    ck_assert_int_eq(vecwire__json_put_tree(&buf, tree, 9), VECWIRE_EINVAL);
    ck_assert_int_eq(vecwire__json_put_tree(&buf, NULL, 9), VECWIRE_EINVAL);
    ck_assert_str_eq(written(), "");
    json_decref(tree);
}
END_TEST

START_TEST(a_tree_without_room_leaves_nothing)
{
    json_t *tree = json_pack("[s,s]", "some text", "and more");

    limit(20);
    ck_assert_int_eq(vecwire__json_put_tree(&buf, tree, 9), VECWIRE_ENOMEM);
    ck_assert_uint_eq(buf.len, 7);
    json_decref(tree);
}
END_TEST

/* A byte string of any kind is either refused or read back as it was. */
START_TEST(what_is_written_is_json_or_refused)
{
    static const char pieces[] = "\xe0\xa4\x9c\xed\xf0\x90\x80\xbf";
    uint32_t random = 12345;
    char text[12];

    for (int i = 0; i < 200000; i++) {
        size_t n = 1 + (size_t)i % sizeof(text);
        enum vecwire_err rc;
        json_t *back;

        for (size_t j = 0; j < n; j++) {
            random = random * 1664525u + 1013904223u;
            if (i % 3 == 0)
                text[j] = (char)(random >> 24);
            else if (i % 3 == 1)
                text[j] = (char)(random >> 24 & 0x3f);
            else
                text[j] = pieces[random >> 29];
        }
        vecwire__buf_fini(&buf);
        rc = vecwire__json_put_str(&buf, text, n, NULL);
        back = json_stringn(text, n); /* checks UTF-8 on its own */
        if ((rc == VECWIRE_OK) != (back != NULL))
            ck_abort_msg("%d", i);
        json_decref(back);
        if (rc == VECWIRE_OK &&
            vecwire__json_check(buf.bytes, buf.len, 1, false, NULL) !=
                VECWIRE__JSON_DONE)
            ck_abort_msg("%.*s", (int)buf.len, buf.bytes);
    }
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("json_writer");
    TCase *tcase = tcase_create("writer");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, plain_text_is_only_quoted);
    tcase_add_test(tcase, empty_text_is_two_quotes);
    tcase_add_test(tcase, quotes_backslashes_and_controls_are_escaped);
    tcase_add_test(tcase, utf8_goes_as_it_is);
    tcase_add_loop_test(tcase, what_is_not_utf8_is_refused_with_its_place, 0,
                        11);
    tcase_add_test(tcase, every_length_of_text_is_written_whole);
    tcase_add_loop_test(tcase, a_limit_leaves_nothing_of_a_text, 0, 3);
    tcase_add_test(tcase, numbers_are_written_in_full);
    tcase_add_test(tcase, a_vector_is_an_array);
    tcase_add_test(tcase, an_empty_vector_is_an_empty_array);
    tcase_add_loop_test(tcase, nan_and_infinity_are_refused_with_their_index, 0,
                        3);
    tcase_add_test(tcase, a_vector_without_room_leaves_nothing);
    tcase_add_test(tcase, a_tree_is_written_compactly);
    tcase_add_test(tcase, a_tree_may_be_a_scalar);
    tcase_add_test(tcase, a_tree_that_is_too_deep_is_refused);
    tcase_add_test(tcase, a_very_deep_tree_is_refused);
    tcase_add_test(tcase, what_jansson_cannot_print_is_refused);
    tcase_add_test(tcase, a_tree_without_room_leaves_nothing);
    tcase_add_test(tcase, what_is_written_is_json_or_refused);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
