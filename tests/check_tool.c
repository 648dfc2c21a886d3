/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/args.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/histogram.h"
#include "tool/tally.h"
#include "tool/output.h"

/* --- numbers --- */

START_TEST(whole_numbers_are_read_to_the_last)
{
    uint64_t value = 0;

    ck_assert(vecwire__args_u64("18446744073709551615", &value));
    ck_assert_uint_eq(value, UINT64_MAX);
    ck_assert(vecwire__args_u64("0", &value));
    ck_assert_uint_eq(value, 0);
}
END_TEST

static const char *const no_numbers[] = {
    "",    "-1",  "+1",   " 1", "1 ",
    "1.0", "0x1", "1e3",  "a",  "18446744073709551616",
    "1k",  "١",   "1\n2", "--", "99999999999999999999"};

START_TEST(what_is_no_whole_number_is_refused)
{
    uint64_t value;

    ck_assert(!vecwire__args_u64(no_numbers[_i], &value));
}
END_TEST

START_TEST(durations_have_units)
{
    uint64_t ns;

    ck_assert(vecwire__args_duration("10s", &ns) && ns == 10000000000u);
    ck_assert(vecwire__args_duration("250ms", &ns) && ns == 250000000u);
    ck_assert(vecwire__args_duration("2m", &ns) && ns == 120000000000u);
    ck_assert(vecwire__args_duration("1h", &ns) && ns == 3600000000000u);
    ck_assert(vecwire__args_duration("1.5", &ns) && ns == 1500000000u);
    ck_assert(vecwire__args_duration("0s", &ns) && ns == 0);
}
END_TEST

static const char *const no_durations[] = {
    "",    "s",      "10x",    "10 s", "-1s", "1e3s", "10sec",
    ".5s", "1.2.3s", "31000h", "nan",  "inf", "0x10s"};

START_TEST(what_is_no_duration_is_refused)
{
    uint64_t ns;

    ck_assert(!vecwire__args_duration(no_durations[_i], &ns));
}
END_TEST

START_TEST(rates_are_decimal_and_over_zero)
{
    double value;

    ck_assert(vecwire__args_real("12.5", &value) && value == 12.5);
    ck_assert(!vecwire__args_real("0", &value));
    ck_assert(!vecwire__args_real("1e3", &value));
    ck_assert(!vecwire__args_real("-1", &value));
    ck_assert(!vecwire__args_real("1x", &value));
    ck_assert(!vecwire__args_real("", &value));
}
END_TEST

/* --- options --- */

#define MAX_WORDS 8

static struct tool_common common;
static uint32_t number;
static const char *text;
static bool flag;
static struct tool_args args;
static char *words[MAX_WORDS + 1];

/* Parse words split at blanks; what parsing wants to exit with, or -1. */
static int
parse(const char *line)
{
    static char copy[400];
    static const struct tool_option options[] = {
        {"number", OPTION_U32, &number, 1, 100},
        {"text", OPTION_TEXT, &text, 0, 0},
        {"flag", OPTION_FLAG, &flag, 0, 0},
        {"later", OPTION_LATER, NULL, 0, 0},
    };
    int status = 0, n = 0;

    snprintf(copy, sizeof(copy), "test %s", line);
    for (char *word = strtok(copy, " "); word != NULL && n < MAX_WORDS;
         word = strtok(NULL, " "))
        words[n++] = word;
    words[n] = NULL;
    number = 7;
    text = NULL;
    flag = false;
    args = (struct tool_args){.command = "test",
                              .help = "help\n",
                              .options = options,
                              .n_options = 4,
                              .argc = n,
                              .argv = words};
    return vecwire__args_parse(&args, &common, &status) ? -1 : status;
}

START_TEST(options_and_words_are_told_apart)
{
    ck_assert_int_eq(parse("a --number 3 b --text=x --flag"), -1);
    ck_assert_uint_eq(number, 3);
    ck_assert_str_eq(text, "x");
    ck_assert(flag);
    ck_assert_uint_eq(args.n_words, 2);
    ck_assert_str_eq(args.words[1], "b");
}
END_TEST

START_TEST(words_behind_two_dashes_are_no_options)
{
    ck_assert_int_eq(parse("-- --flag"), -1);
    ck_assert_str_eq(args.words[0], "--flag");
    ck_assert(!flag);
}
END_TEST

START_TEST(common_options_have_defaults)
{
    ck_assert_int_eq(parse(""), -1);
    ck_assert_str_eq(common.url, "http://127.0.0.1:8080");
    ck_assert(common.tenant == NULL && common.api_key == NULL);
    ck_assert(!common.json && !common.verbose && common.timeout_ms == 0);
}
END_TEST

START_TEST(common_options_are_taken)
{
    ck_assert_int_eq(parse("--url http://h --tenant t --timeout-ms 5 --json"),
                     -1);
    ck_assert_str_eq(common.url, "http://h");
    ck_assert_str_eq(common.tenant, "t");
    ck_assert_uint_eq(common.timeout_ms, 5);
    ck_assert(common.json);
}
END_TEST

START_TEST(the_key_comes_from_the_environment)
{
    setenv("CHECK_TOOL_KEY", "secret", 1);
    ck_assert_int_eq(parse("--api-key-env CHECK_TOOL_KEY"), -1);
    ck_assert_str_eq(common.api_key, "secret");
}
END_TEST

START_TEST(the_passphrase_comes_from_the_environment)
{
    setenv("CHECK_TOOL_PASS", "secret", 1);
    ck_assert_int_eq(parse("--mask-env CHECK_TOOL_PASS"), -1);
    ck_assert_str_eq(common.passphrase, "secret");
    ck_assert_uint_eq(common.salt_len, 0);
}
END_TEST

START_TEST(a_salt_is_hex_of_either_case)
{
    setenv("CHECK_TOOL_PASS", "secret", 1);
    ck_assert_int_eq(
        parse("--mask-env CHECK_TOOL_PASS --mask-salt-hex 00fFaB19"), -1);
    ck_assert_uint_eq(common.salt_len, 4);
    ck_assert_mem_eq(common.salt, "\x00\xff\xab\x19", 4);
}
END_TEST

static const char *const no_salts[] = {
    "0", "000", "0g", "g0", "0x00", "--", "00:00", "@@", "``", "[[",
    /* 129 bytes */
    "0000000000000000000000000000000000000000000000000000000000000000"
    "0000000000000000000000000000000000000000000000000000000000000000"
    "0000000000000000000000000000000000000000000000000000000000000000"
    "0000000000000000000000000000000000000000000000000000000000000000"
    "00"};

START_TEST(what_is_no_hex_is_no_salt)
{
    char line[400];

    setenv("CHECK_TOOL_PASS", "secret", 1);
    snprintf(line, sizeof(line),
             "--mask-env CHECK_TOOL_PASS --mask-salt-hex=%s", no_salts[_i]);
    ck_assert_int_eq(parse(line), TOOL_USAGE);
}
END_TEST

START_TEST(help_is_no_failure)
{
    ck_assert_int_eq(parse("--help"), TOOL_DONE);
}
END_TEST

static const char *const wrong_usage[] = {
    "--number 0",
    "--number 101",
    "--number x",
    "--number",
    "--text",
    "--unknown",
    "-x",
    "--flag=1",
    "--later x",
    "--dialect chroma",
    "--dialect qdrant --tenant t",
    "--dialect qdrant --mask-env HOME",
    "--dialect mysql",
    "--collection c",
    "--timeout-ms 0",
    "--timeout-ms 4294967295",
    "--api-key-env CHECK_TOOL_UNSET",
    "--cacert",
    "--insecure=1",
    "--mask-env X",
    "--mask-salt-hex 00",
};

START_TEST(wrong_usage_is_refused)
{
    ck_assert_int_eq(parse(wrong_usage[_i]), TOOL_USAGE);
}
END_TEST

/* --- histogram --- */

static struct histogram histogram;

static void
clear_histogram(void)
{
    memset(&histogram, 0, sizeof(histogram));
}

static int
compare(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

    return (a > b) - (a < b);
}

START_TEST(quantiles_match_a_sorted_array)
{
    static const double shares[] = {0.001, 0.1, 0.5, 0.9, 0.99, 0.999, 1};
    static uint64_t values[20000];
    size_t n = sizeof(values) / sizeof(values[0]);
    uint64_t state = (uint64_t)_i + 1;

    for (size_t i = 0; i < n; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        /* Spread over many powers of two, as latencies are not. */
        values[i] = (state >> 24) >> (state >> 59);
        vecwire__histogram_add(&histogram, values[i]);
    }
    qsort(values, n, sizeof(values[0]), compare);
    for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
        double exact = (double)values[(size_t)ceil(shares[i] * (double)n) - 1];
        double got = vecwire__histogram_quantile(&histogram, shares[i]);

        ck_assert_msg(fabs(got - exact) <= exact / 256, "share %g: %g, not %g",
                      shares[i], got, exact);
    }
}
END_TEST

START_TEST(small_values_are_exact)
{
    for (uint64_t value = 1; value <= 200; value++)
        vecwire__histogram_add(&histogram, value);
    ck_assert(vecwire__histogram_quantile(&histogram, 0.5) == 100);
    ck_assert(vecwire__histogram_quantile(&histogram, 0.01) == 2);
}
END_TEST

START_TEST(the_maximum_is_exact)
{
    vecwire__histogram_add(&histogram, 5);
    vecwire__histogram_add(&histogram, 123456789012345678u);
    ck_assert_uint_eq(histogram.max, 123456789012345678u);
    ck_assert(vecwire__histogram_quantile(&histogram, 1) ==
              123456789012345678.0);
}
END_TEST

START_TEST(an_empty_histogram_has_no_quantiles)
{
    ck_assert(isnan(vecwire__histogram_quantile(&histogram, 0.5)));
}
END_TEST

START_TEST(a_merge_counts_both)
{
    static struct histogram other;

    vecwire__histogram_add(&histogram, 10);
    vecwire__histogram_add(&other, 20);
    vecwire__histogram_add(&other, 30);
    vecwire__histogram_merge(&histogram, &other);
    ck_assert_uint_eq(histogram.count, 3);
    ck_assert_uint_eq(histogram.max, 30);
    ck_assert(vecwire__histogram_quantile(&histogram, 0.5) == 20);
}
END_TEST

/* --- output --- */

static char *printed;
static size_t printed_len;

static FILE *
begin_print(void)
{
    return open_memstream(&printed, &printed_len);
}

static void
printed_is(FILE *file, const char *wanted)
{
    fclose(file);
    ck_assert_str_eq(printed, wanted);
    free(printed);
}

START_TEST(strings_are_escaped)
{
    FILE *file = begin_print();

    vecwire__output_string(file, "a\"\\\n\t\x01\x7f\0z\xc3\xa4", 11);
    printed_is(file, "\"a\\\"\\\\\\n\\t\\u0001\\u007f\\u0000z\xc3\xa4\"");
}
END_TEST

START_TEST(bytes_that_are_not_utf8_are_replaced)
{
    FILE *file = begin_print();

    vecwire__output_string(file, "a\xff\xc3", 3);
    printed_is(file, "\"a\xef\xbf\xbd\xef\xbf\xbd\"");
}
END_TEST

START_TEST(no_text_is_null)
{
    FILE *file = begin_print();

    vecwire__output_string(file, NULL, 0);
    printed_is(file, "null");
}
END_TEST

START_TEST(nan_is_null)
{
    FILE *file = begin_print();
    const float vector[2] = {0.5f, NAN};

    vecwire__output_vector(file, vector, 2);
    vecwire__output_real(file, NAN, 3);
    printed_is(file, "[0.5,null]null");
}
END_TEST

START_TEST(control_characters_do_not_reach_a_terminal)
{
    FILE *file = begin_print();

    vecwire__output_plain(file, "a\x1b[31m\nb\0c", 10);
    printed_is(file, "a [31m b c");
}
END_TEST

/* U+009B is to some terminals what ESC [ is to all. */
START_TEST(c1_control_characters_do_not_reach_a_terminal)
{
    FILE *file = begin_print();

    vecwire__output_plain(file,
                          "a\xc2\x9b"
                          "31m\xc2\xa0\xc3\x9b\xc2",
                          11);
    printed_is(file, "a 31m\xc2\xa0\xc3\x9b\xc2");
}
END_TEST

START_TEST(text_is_told_from_bytes)
{
    ck_assert(vecwire__output_is_text("\xe2\x82\xac", 3));
    ck_assert(!vecwire__output_is_text("\xe2\x82", 2));
    ck_assert(!vecwire__output_is_text("\xed\xa0\x80", 3));
    ck_assert(!vecwire__output_is_text("\xf4\x90\x80\x80", 4));
}
END_TEST

START_TEST(failed_rows_are_kept_in_order)
{
    struct tally tally = {0};

    for (uint64_t i = 0; i < 40; i++)
        vecwire__tally_fail(&tally, i, i == 39 ? NULL : "id", VECWIRE_EHTTP,
                            "why");
    ck_assert_uint_eq(tally.failed, 40);
    ck_assert_uint_eq(tally.errors[17].row, 17);
    ck_assert_str_eq(tally.errors[17].id, "id");
    ck_assert_ptr_null(tally.errors[39].id);
    vecwire__tally_fini(&tally);
}
END_TEST

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("tool");
    TCase *tc = tcase_create("arguments");

    tcase_add_test(tc, whole_numbers_are_read_to_the_last);
    tcase_add_loop_test(tc, what_is_no_whole_number_is_refused, 0,
                        COUNT(no_numbers));
    tcase_add_test(tc, durations_have_units);
    tcase_add_loop_test(tc, what_is_no_duration_is_refused, 0,
                        COUNT(no_durations));
    tcase_add_test(tc, rates_are_decimal_and_over_zero);
    tcase_add_test(tc, options_and_words_are_told_apart);
    tcase_add_test(tc, words_behind_two_dashes_are_no_options);
    tcase_add_test(tc, common_options_have_defaults);
    tcase_add_test(tc, common_options_are_taken);
    tcase_add_test(tc, the_key_comes_from_the_environment);
    tcase_add_test(tc, the_passphrase_comes_from_the_environment);
    tcase_add_test(tc, a_salt_is_hex_of_either_case);
    tcase_add_loop_test(tc, what_is_no_hex_is_no_salt, 0,
                        sizeof(no_salts) / sizeof(no_salts[0]));
    tcase_add_test(tc, help_is_no_failure);
    tcase_add_loop_test(tc, wrong_usage_is_refused, 0, COUNT(wrong_usage));
    suite_add_tcase(suite, tc);

    tc = tcase_create("histogram");
    tcase_add_checked_fixture(tc, clear_histogram, NULL);
    tcase_add_loop_test(tc, quantiles_match_a_sorted_array, 0, 5);
    tcase_add_test(tc, small_values_are_exact);
    tcase_add_test(tc, the_maximum_is_exact);
    tcase_add_test(tc, an_empty_histogram_has_no_quantiles);
    tcase_add_test(tc, a_merge_counts_both);
    suite_add_tcase(suite, tc);

    tc = tcase_create("output");
    tcase_add_test(tc, strings_are_escaped);
    tcase_add_test(tc, bytes_that_are_not_utf8_are_replaced);
    tcase_add_test(tc, no_text_is_null);
    tcase_add_test(tc, nan_is_null);
    tcase_add_test(tc, control_characters_do_not_reach_a_terminal);
    tcase_add_test(tc, c1_control_characters_do_not_reach_a_terminal);
    tcase_add_test(tc, text_is_told_from_bytes);
    tcase_add_test(tc, failed_rows_are_kept_in_order);
    suite_add_tcase(suite, tc);
    return suite;
}

int
main(void)
{
    SRunner *runner = srunner_create(make_suite());
    int failed;

    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
