/* SPDX-License-Identifier: Apache-2.0 */
/* The number grammar and the fast readers of tokens whose end is known. */
#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codec/float_dec.h"
#include "codec/float_token.h"
#include "tests/float_sample.h"

/* Whether our grammar automaton takes `text` as a whole number token. */
static bool
automaton_takes(const char *text)
{
    int state = N_START;

    for (; *text != '\0'; text++) {
        state = vecwire__number_step(state, *text);
        if (state == N_BAD || state == N_STOP)
            return false;
    }
    return vecwire__number_ok(state);
}

START_TEST(automaton_and_reader_agree_on_every_text_of_up_to_seven_characters)
{
    static const char alphabet[] = "01+-.e ";
    size_t taken = 0, count = 1;

    for (size_t len = 0; len <= 7; len++, count *= 7) {
        for (size_t i = 0; i < count; i++) {
            char text[8];
            size_t rest = i;
            float value;
            bool ok;

            for (size_t at = 0; at < len; at++, rest /= 7)
                text[at] = alphabet[rest % 7];
            text[len] = '\0';
            ok = vecwire__float_read(text, text + len, &value) != 0;
            REQUIRE(automaton_takes(text) == ok, "\"%s\"", text);
            taken += ok;
        }
    }
    /* counted by a regular expression */
    ck_assert_uint_eq(taken, 1792);
}
END_TEST

START_TEST(number_characters_are_those_that_do_not_stop_the_automaton)
{
    for (int c = 0; c < 256; c++) {
        bool stops = vecwire__number_step(N_INT, (char)c) == N_STOP;

        ck_assert_int_eq(vecwire__number_char[c], !stops);
    }
}
END_TEST

typedef bool token_reader(const char *s, const char *end, float *out);

static bool
token_fast_built(const char *s, const char *end, float *out)
{
    return vecwire__token_fast(s, end, out);
}

static bool
token_any_built(const char *s, const char *end, float *out)
{
    return vecwire__token_any(s, end, out);
}

static token_reader *const token_readers[] = {
    token_fast_built, vecwire__token_fast_scalar, token_any_built,
    vecwire__token_any_scalar};

/* A token of characters that numbers are made of, mostly well formed. */
static size_t
token_random(char *text, uint64_t *state)
{
    uint64_t r = random_next(state);
    size_t n = 0, decimals = (r >> 8) % 21, places = (r >> 16) % 18;

    if (r % 5 == 0)
        text[n++] = ' ';
    if (r % 3 == 0)
        text[n++] = '-';
    if (r % 2 == 0) {
        text[n++] = '0';
    } else {
        while (places-- > 0)
            text[n++] = (char)('0' + random_next(state) % 10);
    }
    if (r % 7 != 0)
        text[n++] = '.';
    while (decimals-- > 0)
        text[n++] = (char)('0' + random_next(state) % 10);
    if (r % 11 == 0 && n > 0)
        text[random_next(state) % n] = "+-.eE,x/:"[r % 9];
    return n;
}

START_TEST(fast_token_readers_agree_with_the_reader_or_refuse)
{
    static const char behind[] = "0.7777777777777777777777777777777";
    token_reader *reader = token_readers[_i];
    uint64_t state = 1234567;
    size_t taken = 0;

    for (size_t i = 0; i < 300000; i++) {
        char text[128];
        char *s = text + sizeof(behind) - 1;
        size_t n;
        float value = 0, want = 1;

        memcpy(text, behind, sizeof(behind) - 1);
        n = token_random(s, &state);
        memcpy(s + n, ",0.5", 4);
        if (!reader(s, s + n, &value))
            continue;
        taken++;
        REQUIRE(vecwire__float_read(s + (*s == ' '), s + n, &want) == 1 &&
                    vecwire__float_bits(value) == vecwire__float_bits(want),
                "%.*s", (int)n, s);
    }
    ck_assert_uint_gt(taken, 30000);
}
END_TEST

START_TEST(one_of_the_fast_token_readers_takes_each_usual_form)
{
    static const char *const tokens[] = {"0.5",
                                         "-0.123456",
                                         " 0.0000152587",
                                         "0.12345678",
                                         "0.123456789012345",
                                         "17.0",
                                         "-3",
                                         "0",
                                         "1.25",
                                         " 123.456"};
    char text[64];

    memset(text, 'x', sizeof(text));
    for (int i = 0; i < COUNT(tokens); i++) {
        char *end = stpcpy(text + 24, tokens[i]);
        float value;

        *end = ',';
        REQUIRE(token_readers[_i](text + 24, end, &value) ||
                    token_readers[_i + 2](text + 24, end, &value),
                "%s", tokens[i]);
        ck_assert_uint_eq(vecwire__float_bits(value),
                          vecwire__float_bits(strtof(tokens[i], NULL)));
    }
}
END_TEST

START_TEST(comma_masks_have_a_bit_for_each_comma)
{
    uint64_t state = 99;

    for (size_t i = 0; i < 10000; i++) {
        char text[64];
        uint64_t want = 0;

        for (unsigned k = 0; k < 64; k++) {
            uint64_t r = random_next(&state);

            text[k] = (char)(r % 3 == 0 ? ',' : ',' ^ 1 << r % 8);
            if (text[k] == ',')
                want |= (uint64_t)1 << k;
        }
        REQUIRE(vecwire__comma_mask64(text) == want, "%.64s", text);
        REQUIRE(vecwire__comma_mask64_scalar(text) == want, "%.64s", text);
    }
}
END_TEST

#define ROW 48

/* Whole numbers of one form: a blank before them or none, ".0" or nothing. */
static size_t
whole_row(char *text, unsigned form, uint64_t *state)
{
    static const unsigned most[] = {10, 256, 1000000, 100000000};
    char *p = text;

    for (size_t i = 0; i < ROW; i++) {
        uint64_t r = random_next(state);

        p += sprintf(p, "%s%s%u%s",
                     i == 0     ? "["
                     : form & 1 ? ", "
                                : ",",
                     r & 1 ? "-" : "",
                     (unsigned)((r >> 8) % most[i < ROW - 8 ? form >> 2 : 3]),
                     form & 2 ? ".0" : "");
    }
    *p++ = ']';
    return (size_t)(p - text);
}

static void
assert_read_alike(const char *text, size_t len, size_t room)
{
    float one[ROW] = {0}, other[ROW] = {0};
    size_t n, m;
    const char *at_one, *at_other;
    enum vecwire__floats_end end =
        vecwire__floats_read_masks(text, text + len, one, room, &n, &at_one);

    REQUIRE(vecwire__floats_read_scalar(text, text + len, other, room, &m,
                                        &at_other) == end,
            "%.*s", (int)len, text);
    REQUIRE(n == m && at_one == at_other &&
                memcmp(one, other, n * sizeof(*one)) == 0,
            "%.*s", (int)len, text);
}

/* At the end of memory, so that no reader looks beyond. */
START_TEST(rows_of_whole_numbers_are_read_alike_with_any_byte_changed)
{
    static const char changes[] = "019.-,e+ ";
    uint64_t state = 77;
    struct guarded g = guarded_new();
    char row[ROW * 16];
    size_t len = whole_row(row, (unsigned)_i, &state);
    char *text = g.end - len;

    memcpy(text, row, len);
    assert_read_alike(text, len, ROW);
    for (size_t at = 0; at < len; at++) {
        for (const char *to = changes; *to != '\0'; to++) {
            text[at] = *to;
            assert_read_alike(text, len, ROW);
        }
        text[at] = row[at];
    }
    for (size_t cut = 0; cut < len; cut++) {
        memcpy(g.end - cut, row, cut);
        assert_read_alike(g.end - cut, cut, ROW);
    }
    memcpy(text, row, len);
    for (size_t room = 0; room <= ROW; room++)
        assert_read_alike(text, len, room);
    guarded_free(&g);
}
END_TEST

START_TEST(rows_of_whole_numbers_are_read_as_strtof_reads_them)
{
    uint64_t state = 78;

    for (size_t i = 0; i < 2000; i++) {
        char text[ROW * 16];
        char *p = text + 1;
        const char *at;
        size_t len = whole_row(text, (unsigned)_i, &state), n;
        float got[ROW];

        REQUIRE(vecwire__floats_read_masks(text, text + len, got, ROW, &n,
                                           &at) == VECWIRE__FLOATS_OK,
                "%.*s", (int)len, text);
        ck_assert_uint_eq(n, ROW);
        for (size_t k = 0; k < ROW; k++, p++)
            REQUIRE(vecwire__float_bits(strtof(p, &p)) ==
                        vecwire__float_bits(got[k]),
                    "%zu of %.*s", k, (int)len, text);
    }
}
END_TEST

static Suite *
float_token_suite(void)
{
    Suite *suite = suite_create("float_token");
    TCase *tc = tcase_create("tokens");

    tcase_set_timeout(tc, 300);
    tcase_add_test(
        tc, automaton_and_reader_agree_on_every_text_of_up_to_seven_characters);
    tcase_add_test(tc,
                   number_characters_are_those_that_do_not_stop_the_automaton);
    tcase_add_loop_test(tc, fast_token_readers_agree_with_the_reader_or_refuse,
                        0, COUNT(token_readers));
    tcase_add_loop_test(tc, one_of_the_fast_token_readers_takes_each_usual_form,
                        0, 2);
    tcase_add_loop_test(
        tc, rows_of_whole_numbers_are_read_alike_with_any_byte_changed, 0, 16);
    tcase_add_loop_test(tc, rows_of_whole_numbers_are_read_as_strtof_reads_them,
                        0, 16);
    tcase_add_test(tc, comma_masks_have_a_bit_for_each_comma);
    suite_add_tcase(suite, tc);
    return suite;
}

int
main(void)
{
    SRunner *runner = srunner_create(float_token_suite());
    int failed;

    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
