/* SPDX-License-Identifier: Apache-2.0 */
/* Reading floats one at a time, against the C library in the C locale. */
#include <check.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vecwire/vector.h>

#include "codec/float_dec.h"
#include "tests/float_sample.h"

#define INF_BITS 0x7f800000u

static uint32_t
bits_by_strtof(const char *text)
{
    return vecwire__float_bits(strtof(text, NULL));
}

/* What our reader makes of `text`, infinity included. */
static uint32_t
bits_by_us(const char *text)
{
    float value = NAN;
    enum vecwire_err rc = vecwire_float_parse(text, strlen(text), &value);

    REQUIRE(rc != VECWIRE_EINVAL, "refused: %s", text);
    REQUIRE((rc == VECWIRE_ETOOBIG) == (isinf(value) != 0), "%s", text);
    return vecwire__float_bits(value);
}

static void
assert_reads_as_strtof(const char *text)
{
    uint32_t got = bits_by_us(text), want = bits_by_strtof(text);

    REQUIRE(got == want, "%s: %08x, not %08x", text, got, want);
}

/* Add -1 or 1 to the last digit of a text of digits and a point. */
static void
last_digit_move(char *text, int by)
{
    char from = by > 0 ? '9' : '0', to = by > 0 ? '0' : '9';

    for (char *p = text + strlen(text); p-- > text;) {
        if (*p == '.')
            continue;
        if (*p != from) {
            *p = (char)(*p + by);
            return;
        }
        *p = to;
    }
}

/* "d.ddd" and its exponent as one text. */
static void
assert_scientific_reads(const char *digits, const char *exponent)
{
    char text[512];

    snprintf(text, sizeof(text), "%s%s", digits, exponent);
    assert_reads_as_strtof(text);
    snprintf(text, sizeof(text), "-%s%s", digits, exponent);
    assert_reads_as_strtof(text);
}

/* The midpoint between the float of `bits` and the next, and its vicinity. */
static void
assert_midpoint_reads(uint32_t bits, unsigned cut)
{
    double low = (double)vecwire__float_of_bits(bits);
    double high = bits + 1 == INF_BITS
                      ? 0x1p128
                      : (double)vecwire__float_of_bits(bits + 1);
    double middle = low / 2 + high / 2; /* exact: 25 bits */
    char text[256], digits[160], exponent[8];
    char *mark;

    snprintf(text, sizeof(text), "%.112e", middle); /* all of its digits */
    mark = strchr(text, 'e');
    snprintf(exponent, sizeof(exponent), "%.7s", mark);
    *mark = '\0';
    assert_scientific_reads(text, exponent);

    snprintf(digits, sizeof(digits), "%.114s000000000000000000000001", text);
    assert_scientific_reads(digits, exponent);
    snprintf(digits, sizeof(digits), "%.114s", text);
    last_digit_move(digits, 1);
    assert_scientific_reads(digits, exponent);
    snprintf(digits, sizeof(digits), "%.114s", text);
    last_digit_move(digits, -1);
    assert_scientific_reads(digits, exponent);

    snprintf(digits, sizeof(digits), "%.*s", (int)cut + 1, text);
    assert_scientific_reads(digits, exponent);
    last_digit_move(digits, 1);
    assert_scientific_reads(digits, exponent);

    snprintf(text, sizeof(text), "%.150f", middle);
    assert_reads_as_strtof(text);
}

START_TEST(midpoints_of_any_size_read_as_strtof_reads_them)
{
    uint64_t state = 88172645463325252u;

    for (uint32_t i = 0; i < 20000; i++) {
        uint32_t bits = (uint32_t)(random_next(&state) % INF_BITS);

        assert_midpoint_reads(bits, 17 + i % 14);
    }
}
END_TEST

START_TEST(midpoints_at_the_edges_of_each_binade_read_as_strtof_reads_them)
{
    for (uint32_t biased = 0; biased < 255; biased++) {
        for (unsigned cut = 17; cut <= 30; cut += 6) {
            assert_midpoint_reads(biased << 23, cut);
            assert_midpoint_reads(biased << 23 | 1, cut);
            assert_midpoint_reads(biased << 23 | 0x7ffffe, cut);
            assert_midpoint_reads(biased << 23 | 0x7fffff, cut);
        }
    }
}
END_TEST

START_TEST(midpoints_of_subnormals_read_as_strtof_reads_them)
{
    for (uint32_t bits = 0; bits < 0x800000; bits += bits < 64 ? 1 : 8191)
        assert_midpoint_reads(bits, 17 + bits % 14);
}
END_TEST

/* Texts that have broken other readers, and the ends of the range. */
static const char *const hard[] = {
    "5e-324",
    "1.4e-45",
    "7.006492321624085e-46",
    "7.006492321624086e-46",
    "1e-45",
    "7e-46",
    "1e-46",
    "1e-47",
    "1.17549429e-38",
    "1.17549435e-38",
    "1.1754942e-38",
    "1.17549421069244107548702944485e-38",
    "1000000000000000000e0",
    "4E-2147483674",
    "4e2147483674",
    "1e400",
    "-1e400",
    "1e39",
    "1e38",
    "-1e-999",
    "-0e-999",
    "-0e999",
    "0e2147483648",
    "0E+99999999999999999999999",
    "1e-99999999999999999999999",
    "1e99999999999999999999999",
    "3.4028234e38",
    "3.4028235e38",
    "3.4028235677973366e38",
    "3.40282356779733661637e38",
    "3.40282356779733661638e38",
    "340282356779733661637539395458142568447",
    "340282356779733661637539395458142568448",
    "8388608.5",
    "8388609.5",
    "16777217",
    "16777217.0000000000000000000000000000001",
    "9007199254740993",
    "123456789012345678901234567890",
    "0.1",
    "0.30000000000000004",
    "1.00000005960464477539062499999999999999999999999999",
    "1.000000059604644775390625",
    "1.00000005960464477539062500000000000000000000000001"};

START_TEST(hard_texts_read_as_strtof_reads_them)
{
    assert_reads_as_strtof(hard[_i]);
}
END_TEST

START_TEST(minus_zero_keeps_its_sign_whatever_its_exponent)
{
    ck_assert_uint_eq(bits_by_us("-0e-999"), 0x80000000u);
    ck_assert_uint_eq(bits_by_us("-0.000"), 0x80000000u);
    ck_assert_uint_eq(bits_by_us("-1e-999"), 0x80000000u);
}
END_TEST

/* "0." `zeros` zeros "1" or, for `whole`, "1" `zeros` zeros. */
static void
zeros_text(char *text, size_t zeros, bool whole, const char *exponent)
{
    char *p = text;

    p = stpcpy(p, whole ? "1" : "0.");
    memset(p, '0', zeros);
    p += zeros;
    if (!whole)
        *p++ = '1';
    stpcpy(p, exponent);
}

START_TEST(thousands_of_zeros_before_or_behind_a_digit_count)
{
    static char text[21000];

    zeros_text(text, 400, false, "");
    ck_assert_uint_eq(bits_by_us(text), 0);
    zeros_text(text, 400, false, "e401");
    ck_assert_uint_eq(bits_by_us(text), 0x3f800000u);
    zeros_text(text, 400, false, "e400");
    assert_reads_as_strtof(text);
    zeros_text(text, 400, true, "");
    ck_assert_uint_eq(bits_by_us(text), INF_BITS);
    zeros_text(text, 400, true, "e-400");
    ck_assert_uint_eq(bits_by_us(text), 0x3f800000u);
    zeros_text(text, 400, true, "e-430");
    assert_reads_as_strtof(text);
    zeros_text(text, 20000, false, "e20001");
    ck_assert_uint_eq(bits_by_us(text), 0x3f800000u);
    zeros_text(text, 20000, true, "e-20001");
    assert_reads_as_strtof(text);
}
END_TEST

static const char *const refused[] = {
    "",     " ",     "01",  "00",  "-01",  "1.",   ".5",    "-.5",  "+1",
    "1e",   "1e+",   "1E-", "--1", "0x1",  "inf",  "nan",   "NaN",  "Infinity",
    "-inf", "-",     "+",   "e5",  "1.e5", "1..2", "1.2.3", "1e5.", "1e1e1",
    " 1",   "1 ",    "1,",  "1,5", "1f",   "0b1",  "1_000", "1e 5", "- 1",
    "null", "\"1\"", "0x",  "1-",  "1+1",  "1\n"};

START_TEST(what_is_no_json_number_is_refused)
{
    float value = 7.0f;

    ck_assert_int_eq(
        vecwire_float_parse(refused[_i], strlen(refused[_i]), &value),
        VECWIRE_EINVAL);
    ck_assert(value == 7.0f);
}
END_TEST

START_TEST(a_nul_is_no_part_of_a_number)
{
    float value;

    ck_assert_int_eq(vecwire_float_parse("1\0", 2, &value), VECWIRE_EINVAL);
}
END_TEST

START_TEST(a_comma_locale_changes_nothing)
{
    char text[VECWIRE_FLOAT_TEXT_MAX];

    if (!locale_with_comma()) {
        printf("SKIP a_comma_locale_changes_nothing: no comma locale here\n");
        return;
    }
    ck_assert_uint_eq(bits_by_us("0.5"), 0x3f000000u);
    ck_assert_uint_eq(bits_by_us("0.50000002980232238769531250001"),
                      0x3f000001u);
    ck_assert_uint_eq(vecwire_float_format(1.5f, text), 3);
    ck_assert_mem_eq(text, "1.5", 3);
}
END_TEST

static const struct {
    const char *text;
    uint64_t value;
} whole[] = {{"0", 0},
             {"9007199254740993", 9007199254740993u},
             {"9223372036854775807", 9223372036854775807u},
             {"9223372036854775808", 9223372036854775808u},
             {"18446744073709551615", UINT64_MAX}};

START_TEST(a_u64_reads_exactly)
{
    const char *text = whole[_i].text;
    uint64_t value = 1;

    ck_assert(vecwire__u64_read(text, text + strlen(text), &value));
    ck_assert_uint_eq(value, whole[_i].value);
}
END_TEST

static const char *const no_u64[] = {"",
                                     "-1",
                                     "-0",
                                     "+1",
                                     "01",
                                     "00",
                                     "1.0",
                                     "1e3",
                                     "18446744073709551616",
                                     "18446744073709551620",
                                     "99999999999999999999",
                                     "100000000000000000000",
                                     " 1",
                                     "1 ",
                                     "x"};

START_TEST(what_is_no_u64_is_refused)
{
    const char *text = no_u64[_i];
    uint64_t value;

    ck_assert(!vecwire__u64_read(text, text + strlen(text), &value));
}
END_TEST

static Suite *
float_read_suite(void)
{
    Suite *suite = suite_create("float_read");
    TCase *tc;

    tc = tcase_create("read");
    tcase_set_timeout(tc, 300);
    tcase_add_test(tc, midpoints_of_any_size_read_as_strtof_reads_them);
    tcase_add_test(
        tc, midpoints_at_the_edges_of_each_binade_read_as_strtof_reads_them);
    tcase_add_test(tc, midpoints_of_subnormals_read_as_strtof_reads_them);
    tcase_add_loop_test(tc, hard_texts_read_as_strtof_reads_them, 0,
                        COUNT(hard));
    tcase_add_test(tc, minus_zero_keeps_its_sign_whatever_its_exponent);
    tcase_add_test(tc, thousands_of_zeros_before_or_behind_a_digit_count);
    tcase_add_loop_test(tc, what_is_no_json_number_is_refused, 0,
                        COUNT(refused));
    tcase_add_test(tc, a_nul_is_no_part_of_a_number);
    tcase_add_test(tc, a_comma_locale_changes_nothing);
    tcase_add_loop_test(tc, a_u64_reads_exactly, 0, COUNT(whole));
    tcase_add_loop_test(tc, what_is_no_u64_is_refused, 0, COUNT(no_u64));
    suite_add_tcase(suite, tc);
    return suite;
}

int
main(void)
{
    SRunner *runner = srunner_create(float_read_suite());
    int failed;

    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
