/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/jsonl.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A file in memory, its reader and the row read last. */
static int fd = -1;
static struct jsonl file;
static struct jsonl_row row;
static char why[JSONL_WHY_MAX];

static void
teardown(void)
{
    vecwire__jsonl_row_clear(&row);
    if (fd >= 0) {
        vecwire__jsonl_close(&file);
        close(fd);
    }
    fd = -1;
}

static void
open_bytes(const char *text, size_t len, bool with_vectors)
{
    char path[64];

    fd = memfd_create("jsonl", 0);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, text, len), (ssize_t)len);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    ck_assert_msg(vecwire__jsonl_open(&file, path, with_vectors, why), "%s",
                  why);
}

static void
open_text(const char *text)
{
    open_bytes(text, strlen(text), true);
}

static enum jsonl_result
next(void)
{
    vecwire__jsonl_row_clear(&row);
    return vecwire__jsonl_next(&file, &row, why);
}

/* `count` good lines, then a bad one whose reason has `part` in it. */
static void
bad_after(unsigned count, const char *part)
{
    for (unsigned i = 0; i < count; i++)
        ck_assert_msg(next() == JSONL_ROW, "line %u: %s", i + 1, why);
    ck_assert_int_eq(next(), JSONL_BAD);
    ck_assert_uint_eq(file.line, count + 1);
    ck_assert_msg(strstr(why, part) != NULL, "\"%s\" lacks \"%s\"", why, part);
}

static void
refused(const char *line, const char *part)
{
    open_text(line);
    bad_after(0, part);
}

START_TEST(a_whole_line_is_read)
{
    open_text("{\"id\":\"a\",\"vector\":[1,-2.5],\"text\":\"t\",\"payload\":"
              "{\"n\": 12345678901234567890}}\n");
    ck_assert_msg(next() == JSONL_ROW, "%s", why);
    ck_assert_str_eq(row.id, "a");
    ck_assert_str_eq(row.text, "t");
    ck_assert_str_eq(row.payload, "{\"n\": 12345678901234567890}");
    ck_assert_uint_eq(file.dim, 2);
    ck_assert(file.vector[0] == 1 && file.vector[1] == -2.5f);
    ck_assert_int_eq(next(), JSONL_END);
}
END_TEST

START_TEST(a_vector_alone_is_enough)
{
    open_text("{\"vector\":[1]}");
    ck_assert_int_eq(next(), JSONL_ROW);
    ck_assert(row.id == NULL && row.text == NULL && row.payload == NULL);
    ck_assert_int_eq(next(), JSONL_END);
}
END_TEST

START_TEST(a_line_may_have_no_vector)
{
    open_text("{\"vector\":[1,2]}\n{\"text\":\"t\"}\n{\"vector\":[3,4]}");
    ck_assert_int_eq(next(), JSONL_ROW);
    ck_assert(file.has_vector);
    ck_assert_int_eq(next(), JSONL_ROW);
    ck_assert(!file.has_vector);
    ck_assert_int_eq(next(), JSONL_ROW);
    ck_assert(file.has_vector && file.vector[0] == 3);
}
END_TEST

START_TEST(keys_come_in_any_order_and_others_are_skipped)
{
    open_text(" { \"x\" : [ {\"id\":7} , null ] , \"vector\" : [ 1 , 2 ] ,"
              "\"id\":\"b\" } \r\n");
    ck_assert_msg(next() == JSONL_ROW, "%s", why);
    ck_assert_str_eq(row.id, "b");
}
END_TEST

START_TEST(a_whole_number_is_an_id)
{
    open_text("{\"id\":18446744073709551615,\"vector\":[1]}");
    ck_assert_msg(next() == JSONL_ROW, "%s", why);
    ck_assert_str_eq(row.id, "18446744073709551615");
}
END_TEST

START_TEST(escapes_in_texts_are_undone)
{
    open_text("{\"id\":\"\\u00e4\\n\",\"vector\":[1],"
              "\"text\":\"\\ud83d\\ude00\"}");
    ck_assert_msg(next() == JSONL_ROW, "%s", why);
    ck_assert_str_eq(row.id, "\xc3\xa4\n");
    ck_assert_str_eq(row.text, "\xf0\x9f\x98\x80");
}
END_TEST

START_TEST(escapes_in_keys_are_undone)
{
    open_text("{\"\\u0069d\":\"a\",\"v\\u0065ctor\":[1],\"\\u0000\":1}");
    ck_assert_msg(next() == JSONL_ROW, "%s", why);
    ck_assert_str_eq(row.id, "a");
}
END_TEST

START_TEST(null_text_and_payload_are_absent)
{
    open_text("{\"vector\":[1],\"text\":null,\"payload\":null}");
    ck_assert_int_eq(next(), JSONL_ROW);
    ck_assert(row.text == NULL && row.payload == NULL);
}
END_TEST

START_TEST(floats_are_rounded_once)
{
    /* Just above a tie of two float32; by way of a double it is a tie. */
    open_text("{\"vector\":[1.00000005960464477540]}");
    ck_assert_int_eq(next(), JSONL_ROW);
    ck_assert(file.vector[0] == 1.00000011920928955078125f);
}
END_TEST

START_TEST(lines_longer_than_the_first_buffer_are_read)
{
    size_t len = 300000;
    char *line = malloc(len + 64);
    int at = sprintf(line, "{\"vector\":[1],\"text\":\"");

    memset(line + at, 'x', len);
    strcpy(line + at + len, "\"}\n{\"vector\":[2]}\n");
    open_text(line);
    ck_assert_int_eq(next(), JSONL_ROW);
    ck_assert_uint_eq(strlen(row.text), len);
    ck_assert_int_eq(next(), JSONL_ROW);
    ck_assert(file.vector[0] == 2);
    free(line);
}
END_TEST

START_TEST(empty_lines_at_the_end_are_no_rows)
{
    open_text("{\"vector\":[1]}\n\n \n");
    ck_assert_int_eq(next(), JSONL_ROW);
    ck_assert_int_eq(next(), JSONL_END);
}
END_TEST

START_TEST(an_empty_file_has_no_rows)
{
    open_text("");
    ck_assert_int_eq(next(), JSONL_END);
}
END_TEST

START_TEST(payload_lines_need_no_vector)
{
    static const char text[] = "{\"id\":\"a\"}\n{}\n";

    open_bytes(text, sizeof(text) - 1, false);
    ck_assert_int_eq(next(), JSONL_ROW);
    ck_assert_str_eq(row.id, "a");
    ck_assert_int_eq(next(), JSONL_ROW);
    ck_assert_ptr_null(row.id);
    ck_assert_int_eq(next(), JSONL_END);
}
END_TEST

START_TEST(a_missing_file_is_refused)
{
    ck_assert(!vecwire__jsonl_open(&file, "no-such-directory/x", true, why));
    ck_assert_ptr_nonnull(strstr(why, "cannot be opened"));
}
END_TEST

START_TEST(an_empty_line_in_the_middle_is_refused)
{
    open_text("{\"vector\":[1]}\n\n{\"vector\":[1]}\n");
    bad_after(1, "the line is empty");
}
END_TEST

START_TEST(the_number_of_a_bad_line_is_kept)
{
    open_text("{\"vector\":[1]}\n{\"vector\":[2]}\n{\"vector\":}\n");
    bad_after(2, "coordinate 0: a JSON value is expected");
}
END_TEST

START_TEST(rows_of_unequal_length_are_refused)
{
    open_text("{\"vector\":[1,2]}\n{\"vector\":[1,2,3]}\n");
    bad_after(1, "has 3 coordinates, those before it have 2");
}
END_TEST

START_TEST(a_shorter_row_is_refused)
{
    open_text("{\"vector\":[1,2]}\n{\"vector\":[1]}\n");
    bad_after(1, "has 1 coordinates, those before it have 2");
}
END_TEST

static const struct {
    const char *line;
    const char *part;
} bad_lines[] = {
    {"[1,2]", "no JSON object"},
    {"hello", "no JSON object"},
    {"{\"vector\":[]}", "vector is empty"},
    {"{\"vector\":null}", "no array"},
    {"{\"vector\":{\"a\":[1]}}", "no array"},
    {"{\"vector\":\"1,2\"}", "no array"},
    {"{\"vector\":[1,NaN]}", "vector, coordinate 1: a JSON value"},
    {"{\"vector\":[1,2,Infinity]}", "vector, coordinate 2: a JSON value"},
    {"{\"vector\":[1,-Infinity]}", "vector, coordinate 1: a JSON value"},
    {"{\"vector\":[1,2,null]}", "coordinate 2 is no number"},
    {"{\"vector\":[1,\"2\"]}", "coordinate 1 is no number"},
    {"{\"vector\":[[1,2]]}", "is no number"},
    {"{\"vector\":[1,1e39]}", "coordinate 1 is beyond float32"},
    {"{\"vector\":[1,-3.5e38]}", "coordinate 1 is beyond float32"},
    {"{\"vector\":[01]}", "begins with 0"},
    {"{\"vector\":[1.]}", "behind the point"},
    {"{\"vector\":[1e]}", "exponent"},
    {"{\"vector\":[1,]}", "coordinate 1: a JSON value"},
    {"{\"vector\":[1", "closing bracket"},
    {"{\"vector\":[1]", "comma or }"},
    {"{\"vector\":[1]]", "comma or }"},
    {"{\"vector\":[1]} x", "behind the object"},
    {"{\"vector\":[1]}{}", "behind the object"},
    {"{\"vector\":[1],}", "a key in quotes"},
    {"{\"vector\":[1],\"id\"}", "a colon"},
    {"{vector:[1]}", "a key in quotes"},
    {"{\"vector\":[1],\"vector\":[1]}", "stands twice"},
    {"{\"vector\":[1],\"id\":\"a\",\"id\":\"b\"}", "stands twice"},
    {"{\"vector\":[1],\"id\":\"a\",\"\\u0069d\":\"b\"}", "stands twice"},
    {"{\"vector\":[1],\"id\":1.5}", "neither a string nor a whole number"},
    {"{\"vector\":[1],\"id\":-1}", "neither a string nor a whole number"},
    {"{\"vector\":[1],\"id\":null}", "neither a string nor a whole number"},
    {"{\"vector\":[1],\"id\":\"a\\u0000b\"}", "\"id\" holds a NUL"},
    {"{\"vector\":[1],\"text\":7}", "\"text\" is no valid string"},
    {"{\"vector\":[1],\"text\":\"a\\u0000\"}", "\"text\" holds a NUL"},
    {"{\"vector\":[1],\"text\":\"\\ud800\"}", "half a character"},
    {"{\"other\":\"\\ud800\\n\"}", "half a character"},
    {"{\"other\":\"\\udc00\\ud800\"}", "half a character"},
    {"{\"payload\":{\"a\":\"\\ud83d\\ud83d\"}}", "half a character"},
    {"{\"payload\":{\"\\ud83d\\uffff\":1}}", "half a character"},
    {"{\"other\":\"\\ud83d\\udg00\"}", "bad \\u escape"},
    {"{\"vector\":[1],\"text\":\"\xff\"}", "not UTF-8"},
    {"{\"vector\":[1],\"text\":\"\xc0\xaf\"}", "not UTF-8"},
    {"{\"vector\":[1],\"text\":\"a\tb\"}", "control character"},
    {"{\"vector\":[1],\"text\":\"\\x\"}", "bad escape"},
    {"{\"vector\":[1],\"text\":\"\\u12g4\"}", "bad \\u escape"},
    {"{\"vector\":[1],\"text\":\"abc}", "does not end"},
    {"{\"vector\":[1],\"payload\":[1]}", "\"payload\" is no object"},
    {"{\"vector\":[1],\"payload\":{\"a\":tru}}", "a JSON value"},
    {"{\"vector\":[1],\"payload\":{\"a\" 1}}", "a colon"},
    {"{\"vector\":[1],\"payload\":{1:2}}", "a key in quotes"},
};

START_TEST(a_bad_line_is_refused_with_its_reason)
{
    refused(bad_lines[_i].line, bad_lines[_i].part);
}
END_TEST

START_TEST(a_nul_in_a_line_is_refused)
{
    open_bytes("{\"vector\":[1]\0}", 15, true);
    bad_after(0, "byte 13");
}
END_TEST

START_TEST(nesting_over_128_is_refused)
{
    char line[400] = "{\"x\":";

    memset(line + 5, '[', 129);
    refused(line, "nested more than 128 deep");
}
END_TEST

static const char cut_line[] = "{\"id\":\"a\\n\",\"vector\":[1,-2.5e1],"
                               "\"text\":null,\"payload\":{\"a\":[true]}}";

START_TEST(every_cut_of_a_line_is_refused)
{
    open_bytes(cut_line, (size_t)_i, true);
    ck_assert_int_eq(next(), JSONL_BAD);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("jsonl");
    TCase *tc = tcase_create("jsonl");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(tc, NULL, teardown);
    tcase_add_test(tc, a_whole_line_is_read);
    tcase_add_test(tc, a_vector_alone_is_enough);
    tcase_add_test(tc, a_line_may_have_no_vector);
    tcase_add_test(tc, keys_come_in_any_order_and_others_are_skipped);
    tcase_add_test(tc, a_whole_number_is_an_id);
    tcase_add_test(tc, escapes_in_texts_are_undone);
    tcase_add_test(tc, escapes_in_keys_are_undone);
    tcase_add_test(tc, null_text_and_payload_are_absent);
    tcase_add_test(tc, floats_are_rounded_once);
    tcase_add_test(tc, lines_longer_than_the_first_buffer_are_read);
    tcase_add_test(tc, empty_lines_at_the_end_are_no_rows);
    tcase_add_test(tc, an_empty_file_has_no_rows);
    tcase_add_test(tc, payload_lines_need_no_vector);
    tcase_add_test(tc, a_missing_file_is_refused);
    tcase_add_test(tc, an_empty_line_in_the_middle_is_refused);
    tcase_add_test(tc, the_number_of_a_bad_line_is_kept);
    tcase_add_test(tc, rows_of_unequal_length_are_refused);
    tcase_add_test(tc, a_shorter_row_is_refused);
    tcase_add_loop_test(tc, a_bad_line_is_refused_with_its_reason, 0,
                        (int)(sizeof(bad_lines) / sizeof(bad_lines[0])));
    tcase_add_test(tc, a_nul_in_a_line_is_refused);
    tcase_add_test(tc, nesting_over_128_is_refused);
    tcase_add_loop_test(tc, every_cut_of_a_line_is_refused, 1,
                        (int)sizeof(cut_line) - 1);
    suite_add_tcase(suite, tc);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
