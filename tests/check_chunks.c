/* SPDX-License-Identifier: Apache-2.0 */
/* Heads, trailers and chunks are counted as they come: at each limit, one
 * under it and one over it, however the bytes are cut. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "net/chunks.h"

static struct vecwire__head_guard guard;

static void
begin(uint32_t first, uint32_t bytes, uint32_t lines)
{
    guard = (struct vecwire__head_guard){.max_first_line = first,
                                         .max_bytes = bytes,
                                         .max_lines = lines,
                                         .of_reply = true};
    vecwire__head_guard_begin(&guard);
}

/* In pieces of `step` bytes. */
static enum vecwire__head_fault
count(const char *text, size_t step)
{
    size_t len = strlen(text), used = 0;

    for (size_t at = 0; at < len && !guard.ended; at += used) {
        enum vecwire__head_fault fault = vecwire__head_guard_count(
            &guard, text + at, len - at < step ? len - at : step, &used);

        if (fault != VECWIRE__HEAD_FINE)
            return fault;
    }
    return VECWIRE__HEAD_FINE;
}

#define HEAD "HTTP/1.1 200 OK\r\nA: 1\r\nB: 2\r\nC: 3\r\n\r\n"

START_TEST(a_head_has_exactly_as_many_bytes_as_are_allowed)
{
    uint32_t len = sizeof(HEAD) - 1;

    for (size_t step = 1; step <= len; step++) {
        begin(100, len + 1, 100);
        ck_assert_int_eq(count(HEAD, step), VECWIRE__HEAD_FINE);
        begin(100, len, 100);
        ck_assert_int_eq(count(HEAD "behind it", step), VECWIRE__HEAD_FINE);
        ck_assert(guard.ended);
        ck_assert_uint_eq(guard.bytes, len);
        begin(100, len - 1, 100);
        ck_assert_int_eq(count(HEAD, step), VECWIRE__HEAD_BYTES);
    }
}
END_TEST

START_TEST(a_head_has_exactly_as_many_lines_as_are_allowed)
{
    for (size_t step = 1; step < sizeof(HEAD); step++) {
        for (uint32_t lines = 3; lines <= 4; lines++) {
            begin(100, 1000, lines);
            ck_assert_int_eq(count(HEAD, step), VECWIRE__HEAD_FINE);
            ck_assert_uint_eq(guard.lines, 3);
        }
        begin(100, 1000, 2);
        ck_assert_int_eq(count(HEAD, step), VECWIRE__HEAD_LINES);
    }
}
END_TEST

START_TEST(a_first_line_is_exactly_as_long_as_is_allowed)
{
    static const char *const heads[] = {"HTTP/1.1 200 OK\r\n\r\n",
                                        "HTTP/1.1 200 OK\n\n"};
    for (size_t step = 1; step < 20; step++) {
        begin(16, 1000, 9);
        ck_assert_int_eq(count(heads[_i], step), VECWIRE__HEAD_FINE);
        begin(15, 1000, 9);
        ck_assert_int_eq(count(heads[_i], step), VECWIRE__HEAD_FINE);
        ck_assert(guard.ended);
        begin(14, 1000, 9);
        ck_assert_int_eq(count(heads[_i], step), VECWIRE__HEAD_FIRST_LINE);
    }
}
END_TEST

START_TEST(a_first_line_without_end_is_refused_before_it_ends)
{
    begin(14, 1000, 9);
    ck_assert_int_eq(count("HTTP/1.1 200 OK", 1), VECWIRE__HEAD_FIRST_LINE);
}
END_TEST

START_TEST(an_empty_line_is_no_first_line)
{
    begin(100, 1000, 9);
    ck_assert_int_eq(count("\r\n" HEAD, 1), VECWIRE__HEAD_EMPTY);
    begin(100, 1000, 9);
    ck_assert_int_eq(count("\n" HEAD, 3), VECWIRE__HEAD_EMPTY);
}
END_TEST

START_TEST(a_nul_is_refused_wherever_it_is)
{
    static const char head[] = "HTTP/1.1 200 OK\r\nA: 1\r\n\r\n";

    for (size_t at = 0; at + 1 < sizeof(head); at++) {
        char text[sizeof(head)];
        size_t used;

        memcpy(text, head, sizeof(head));
        text[at] = '\0';
        begin(100, 1000, 9);
        ck_assert_int_eq(
            vecwire__head_guard_count(&guard, text, sizeof(head) - 1, &used),
            VECWIRE__HEAD_NUL);
    }
}
END_TEST

START_TEST(each_text_names_the_limit_and_its_value)
{
    char text[128];

    begin(16, 1001, 9);
    vecwire__head_guard_text(&guard, VECWIRE__HEAD_BYTES, text, sizeof(text));
    ck_assert_str_eq(text, "head: more than 1001 bytes (max_header_bytes)");
    vecwire__head_guard_text(&guard, VECWIRE__HEAD_LINES, text, sizeof(text));
    ck_assert_str_eq(text, "head: more than 9 header lines (max_header_lines)");
    vecwire__head_guard_text(&guard, VECWIRE__HEAD_FIRST_LINE, text,
                             sizeof(text));
    ck_assert_str_eq(text, "first line is over the limit of 16 bytes");
    vecwire__head_guard_trailers(&guard);
    vecwire__head_guard_text(&guard, VECWIRE__HEAD_LINES, text, sizeof(text));
    ck_assert_str_eq(text,
                     "trailers: more than 9 header lines (max_header_lines)");
}
END_TEST

/* What of `text` is body, cut into pieces of `step` bytes. */
static enum vecwire__chunk_fault
read_chunks(const char *text, size_t step, uint64_t max_body, char *body)
{
    struct vecwire__chunks chunks;
    size_t len = strlen(text), n_body = 0, used = 0;

    vecwire__chunks_begin(&chunks, max_body, &guard);
    for (size_t at = 0; at < len; at += used) {
        bool is_body;
        enum vecwire__chunk_fault fault = vecwire__chunks_take(
            &chunks, text + at, len - at < step ? len - at : step, &used,
            &is_body);

        if (fault != VECWIRE__CHUNK_FINE)
            return fault;
        if (is_body) {
            memcpy(body + n_body, text + at, used);
            n_body += used;
        }
        if (used == 0)
            break;
    }
    body[n_body] = '\0';
    ck_assert(chunks.state == VECWIRE__CHUNK_AT_END);
    return VECWIRE__CHUNK_FINE;
}

START_TEST(chunks_are_one_body)
{
    static const char *const texts[] = {
        "5\r\nhello\r\n0\r\n\r\n",
        "2\r\nhe\r\n3\r\nllo\r\n0\r\nA: b\r\n\r\n",
        "1\nh\n4\nello\n0\n\n",
        "000005 \r\nhello\r\n000\r\n\r\nbehind it",
    };
    char body[100];

    for (size_t step = 1; step <= strlen(texts[_i]); step++) {
        begin(100, 1000, 9);
        ck_assert_int_eq(read_chunks(texts[_i], step, 5, body),
                         VECWIRE__CHUNK_FINE);
        ck_assert_str_eq(body, "hello");
    }
}
END_TEST

struct fault {
    const char *text;
    enum vecwire__chunk_fault fault;
};

static const struct fault faults[] = {
    {"\r\n", VECWIRE__CHUNK_SIZE},
    {"g\r\n", VECWIRE__CHUNK_SIZE},
    {"-1\r\n", VECWIRE__CHUNK_SIZE},
    {"+1\r\n", VECWIRE__CHUNK_SIZE},
    {" 1\r\n", VECWIRE__CHUNK_SIZE},
    {"0x1\r\n", VECWIRE__CHUNK_SIZE},
    {"1 1\r\n", VECWIRE__CHUNK_SIZE},
    {"1\rx", VECWIRE__CHUNK_SIZE},
    {"1;a=b\r\n", VECWIRE__CHUNK_EXTENSION},
    {"1 ;a\r\n", VECWIRE__CHUNK_EXTENSION},
    {"1\r\nab", VECWIRE__CHUNK_END},
    {"1\r\na\r\r", VECWIRE__CHUNK_END},
    {"1\r\na\r\n\r\n", VECWIRE__CHUNK_SIZE},
    {"6\r\n", VECWIRE__CHUNK_BODY},
    {"3\r\nabc\r\n3\r\n", VECWIRE__CHUNK_BODY},
    {"ffffffffffffffff\r\n", VECWIRE__CHUNK_BODY},
    {"10000000000000001\r\n", VECWIRE__CHUNK_BODY},
    {"0\r\nno colon\r\n", VECWIRE__CHUNK_TRAILERS},
};
#define N_FAULTS ((int)(sizeof(faults) / sizeof(faults[0])))

START_TEST(what_is_no_chunk_is_refused)
{
    const struct fault *fault = &faults[_i];
    char body[100];

    for (size_t step = 1; step <= strlen(fault->text); step++) {
        begin(100, 1000, 9);
        ck_assert_int_eq(read_chunks(fault->text, step, 5, body), fault->fault);
    }
}
END_TEST

START_TEST(the_line_of_a_chunks_size_has_64_bytes_and_no_more)
{
    for (size_t zeros = 62; zeros <= 64; zeros++) {
        char text[100], body[100];

        memset(text, '0', zeros);
        strcpy(text + zeros, "1\r\nx\r\n0\r\n\r\n");
        for (size_t step = 1; step <= strlen(text); step++) {
            begin(100, 1000, 9);
            ck_assert_int_eq(read_chunks(text, step, 5, body),
                             zeros < 64 ? VECWIRE__CHUNK_FINE
                                        : VECWIRE__CHUNK_LINE);
        }
    }
}
END_TEST

START_TEST(a_body_of_chunks_is_exactly_as_long_as_is_allowed)
{
    const char *text = "2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n";
    char body[100];

    begin(100, 1000, 9);
    ck_assert_int_eq(read_chunks(text, 3, 6, body), VECWIRE__CHUNK_FINE);
    ck_assert_int_eq(read_chunks(text, 3, 5, body), VECWIRE__CHUNK_FINE);
    ck_assert_int_eq(read_chunks(text, 3, 4, body), VECWIRE__CHUNK_BODY);
}
END_TEST

START_TEST(trailers_count_together_with_the_head)
{
    const char *text = "0\r\nA: 1\r\nB: 2\r\n\r\n";
    uint32_t len = sizeof("A: 1\r\nB: 2\r\n\r\n") - 1 + sizeof(HEAD) - 1;
    char body[100];

    for (uint32_t extra = 0; extra < 3; extra++) {
        begin(100, len - 1 + extra, 5);
        ck_assert_int_eq(count(HEAD, 7), VECWIRE__HEAD_FINE);
        ck_assert_int_eq(read_chunks(text, 1, 5, body),
                         extra == 0 ? VECWIRE__CHUNK_TRAILERS
                                    : VECWIRE__CHUNK_FINE);
        begin(100, len, 4 + extra);
        ck_assert_int_eq(count(HEAD, 7), VECWIRE__HEAD_FINE);
        ck_assert_int_eq(read_chunks(text, 1, 5, body),
                         extra == 0 ? VECWIRE__CHUNK_TRAILERS
                                    : VECWIRE__CHUNK_FINE);
    }
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("chunks");
    TCase *tcase = tcase_create("chunks");
    SRunner *runner;
    int failed;

    suite_add_tcase(suite, tcase);
    tcase_add_test(tcase, a_head_has_exactly_as_many_bytes_as_are_allowed);
    tcase_add_test(tcase, a_head_has_exactly_as_many_lines_as_are_allowed);
    tcase_add_loop_test(tcase, a_first_line_is_exactly_as_long_as_is_allowed, 0,
                        2);
    tcase_add_test(tcase, a_first_line_without_end_is_refused_before_it_ends);
    tcase_add_test(tcase, an_empty_line_is_no_first_line);
    tcase_add_test(tcase, a_nul_is_refused_wherever_it_is);
    tcase_add_test(tcase, each_text_names_the_limit_and_its_value);
    tcase_add_loop_test(tcase, chunks_are_one_body, 0, 4);
    tcase_add_loop_test(tcase, what_is_no_chunk_is_refused, 0, N_FAULTS);
    tcase_add_test(tcase, the_line_of_a_chunks_size_has_64_bytes_and_no_more);
    tcase_add_test(tcase, a_body_of_chunks_is_exactly_as_long_as_is_allowed);
    tcase_add_test(tcase, trailers_count_together_with_the_head);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
