/* SPDX-License-Identifier: Apache-2.0 */
/* Writing floats one at a time, against the C library in the C locale. */
#include <check.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vecwire/vector.h>

#include "codec/float_enc.h"
#include "tests/float_sample.h"

#define SAMPLE_STEP                                                            \
    4099u /* a prime: every 4099th pattern, a million of them                  \
           */
#define INF_BITS 0x7f800000u

/* A number text as its significant digits and the place of the first one, so
 * that "0.00120", "1.2e-3" are the same. */
struct digits {
    char text[128];
    size_t n;
    long lead;
};

static struct digits
digits_of(const char *text)
{
    struct digits d = {"", 0, 0};
    long before = 0, skipped = 0;
    bool point = false;

    for (text += *text == '-'; *text != '\0' && *text != 'e'; text++) {
        if (*text == '.') {
            point = true;
            continue;
        }
        if (!point)
            before++;
        if (d.n == 0 && *text == '0') {
            skipped++;
            continue;
        }
        REQUIRE(d.n < sizeof(d.text), "%s", text);
        d.text[d.n++] = *text;
    }
    while (d.n > 0 && d.text[d.n - 1] == '0')
        d.n--;
    d.lead = before - skipped + (*text == 'e' ? strtol(text + 1, NULL, 10) : 0);
    return d;
}

static bool
digits_are_equal(const struct digits *a, const struct digits *b)
{
    return a->n == b->n && a->lead == b->lead &&
           memcmp(a->text, b->text, a->n) == 0;
}

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

/* Written, it reads back to itself and no decimal of fewer digits does, nor
 * does one of as many come nearer. */
static void
assert_shortest(uint32_t bits)
{
    float value = vecwire__float_of_bits(bits);
    struct digits ours, oracle;
    char text[32], want[64];
    size_t len = vecwire_float_format(value, text);

    REQUIRE(len >= 1 && len <= VECWIRE_FLOAT_TEXT_MAX, "%08x", bits);
    text[len] = '\0';
    REQUIRE(bits_by_us(text) == bits, "%08x: %s", bits, text);
    REQUIRE(bits_by_strtof(text) == bits, "%08x: %s", bits, text);
    ours = digits_of(text);
    if (ours.n > 1) {
        snprintf(want, sizeof(want), "%.*e", (int)ours.n - 2, (double)value);
        REQUIRE(bits_by_strtof(want) != bits, "%s is longer than %s", text,
                want);
    }
    if ((bits & 0x7fffff) == 0)
        return; /* power of two: the nearest decimal may be out of reach */
    snprintf(want, sizeof(want), "%.*e", ours.n == 0 ? 0 : (int)ours.n - 1,
             (double)value);
    oracle = digits_of(want);
    REQUIRE(digits_are_equal(&ours, &oracle), "%s is not nearest, %s is", text,
            want);
}

START_TEST(every_4099th_pattern_is_written_shortest_and_reads_back)
{
    uint64_t from = (uint64_t)_i << 30, to = from + ((uint64_t)1 << 30);

    from = (from + SAMPLE_STEP - 1) / SAMPLE_STEP * SAMPLE_STEP;
    for (; from < to; from += SAMPLE_STEP) {
        if ((from & INF_BITS) != INF_BITS)
            assert_shortest((uint32_t)from);
    }
}
END_TEST

START_TEST(the_edges_of_each_binade_are_written_shortest)
{
    static const uint32_t fractions[] = {
        0, 1, 2, 0x3fffff, 0x400000, 0x400001, 0x7ffffe, 0x7fffff};

    for (uint32_t biased = 0; biased < 255; biased++) {
        for (size_t i = 0; i < sizeof(fractions) / sizeof(fractions[0]); i++) {
            assert_shortest(biased << 23 | fractions[i]);
            assert_shortest(biased << 23 | fractions[i] | 0x80000000u);
        }
    }
}
END_TEST

START_TEST(subnormal_powers_of_two_and_their_neighbours_are_written_shortest)
{
    for (uint32_t i = 0; i < 23; i++) {
        uint32_t power = (uint32_t)1 << i;

        assert_shortest(power);
        assert_shortest(power + 1);
        assert_shortest(power - 1);
        assert_shortest(power | 0x80000000u);
    }
}
END_TEST

static const struct {
    const char *text;
    float value;
} golden[] = {{"0", 0.0f},
              {"-0", -0.0f},
              {"1", 1.0f},
              {"-1", -1.0f},
              {"0.1", 0.1f},
              {"0.5", 0.5f},
              {"-0.25", -0.25f},
              {"100", 100.0f},
              {"1e3", 1000.0f},
              {"1234.5", 1234.5f},
              {"16777216", 16777216.0f},
              {"1e10", 1e10f},
              {"0.001", 0.001f},
              {"0.00049", 0.00049f},
              {"0.0009765625", 0.0009765625f},
              {"0.000015258789", 0.0000152587890625f},
              {"1.5258788e-5", 1.5258788e-5f},
              {"1e-45", 0x1p-149f},
              {"1.1754944e-38", FLT_MIN},
              {"3.4028235e38", FLT_MAX},
              {"-3.4028235e38", -FLT_MAX},
              {"0.99999994", 0x1.fffffep-1f}};

START_TEST(known_floats_have_known_texts)
{
    char text[VECWIRE_FLOAT_TEXT_MAX + 1];
    size_t len = vecwire_float_format(golden[_i].value, text);

    text[len] = '\0';
    ck_assert_str_eq(text, golden[_i].text);
}
END_TEST

/* From 1 to 1000 there are short ways to write a float. */
START_TEST(short_ways_write_what_the_general_one_writes)
{
    for (uint32_t bits = 0x3f800000u; bits < 0x447a0000u; bits += 97) {
        float values[2] = {vecwire__float_of_bits(bits),
                           truncf(vecwire__float_of_bits(bits))};

        for (int i = 0; i < 2; i++) {
            char text[32], general[32];
            size_t n = vecwire__float_write(text, values[i]);
            char *end = vecwire__float_write_any(
                general, vecwire__float_bits(values[i]));

            REQUIRE(
                (size_t)(end - general) == n && memcmp(text, general, n) == 0,
                "%.*s, not %.*s", (int)n, text, (int)(end - general), general);
        }
    }
}
END_TEST

/* As an array of one float repeated, by the general way. */
static size_t
general_row(char *text, float v, size_t n)
{
    uint32_t bits = vecwire__float_bits(v);
    char *p = text;

    for (size_t i = 0; i < n; i++) {
        *p++ = i == 0 ? '[' : ',';
        *p = '-';
        p = vecwire__float_write_any(p + (bits >> 31), bits & 0x7fffffff);
    }
    *p++ = ']';
    return (size_t)(p - text);
}

static void
assert_rows(float v)
{
    enum { N = 16 };
    char want[VECWIRE_VECTOR_TEXT_ROOM(N)], text[VECWIRE_VECTOR_TEXT_ROOM(N)];
    float row[N];
    size_t len = general_row(want, v, N);

    for (size_t i = 0; i < N; i++)
        row[i] = v;
    REQUIRE(vecwire__floats_write(text, row, N) == text + len &&
                memcmp(text, want, len) == 0,
            "%.20s, not %.20s", text, want);
    REQUIRE(vecwire__floats_write_scalar(text, row, N) == text + len &&
                memcmp(text, want, len) == 0,
            "scalar: %.20s, not %.20s", text, want);
#ifdef VECWIRE__SSE2
    REQUIRE(vecwire__floats_write_sse2(text, row, N) == text + len &&
                memcmp(text, want, len) == 0,
            "sse2: %.20s, not %.20s", text, want);
#endif
}

/* The tables of the array forms are by exponent and by where the point is. */
START_TEST(arrays_of_any_exponent_are_written_as_the_general_way_writes)
{
    for (uint32_t biased = 0; biased < 255; biased++) {
        for (uint32_t i = 0; i < 16; i++) {
            uint32_t fraction = i * 0x88889u & 0x7fffffu;

            assert_rows(vecwire__float_of_bits(biased << 23 | fraction));
            assert_rows(vecwire__float_of_bits(biased << 23 | 0x80000000u |
                                               (0x7fffffu - fraction)));
        }
    }
}
END_TEST

START_TEST(arrays_of_few_digits_are_written_as_the_general_way_writes)
{
    static const float units[] = {1.0f, -0.5f, 0.1f, -0.01f, 0.001f};

    for (int unit = 0; unit < COUNT(units); unit++) {
        for (int i = 0; i < 1100; i++)
            assert_rows((float)i * units[unit]);
    }
}
END_TEST

START_TEST(arrays_around_powers_of_ten_are_written_as_the_general_way_writes)
{
    static const float edges[] = {1e-5f, 1e-4f, 1e-3f, 0.01f, 0.1f,
                                  1.0f,  10.0f, 1e2f,  1e3f,  1e4f};

    for (int edge = 0; edge < COUNT(edges); edge++) {
        for (uint32_t i = 0; i < 9; i++)
            assert_rows(vecwire__float_of_bits(
                vecwire__float_bits(edges[edge]) + i - 4));
    }
}
END_TEST

START_TEST(nan_and_infinity_have_no_text)
{
    char text[VECWIRE_FLOAT_TEXT_MAX];

    ck_assert_uint_eq(vecwire_float_format(NAN, text), 0);
    ck_assert_uint_eq(vecwire_float_format(-NAN, text), 0);
    ck_assert_uint_eq(vecwire_float_format(INFINITY, text), 0);
    ck_assert_uint_eq(vecwire_float_format(-INFINITY, text), 0);
}
END_TEST

START_TEST(the_first_bad_float_of_an_array_is_found_at_any_place)
{
    float v[70] = {0};

    for (size_t n = 0; n <= 70; n++) {
        for (size_t i = 0; i < n; i++)
            v[i] = i % 2 == 0 ? FLT_MAX : -0x1p-149f;
        ck_assert_uint_eq(vecwire__floats_first_bad(v, n), n);
        for (size_t bad = n; bad-- > 0;) {
            v[bad] = bad % 3 == 0 ? NAN : bad % 3 == 1 ? INFINITY : -INFINITY;
            ck_assert_uint_eq(vecwire__floats_first_bad(v, n), bad);
        }
    }
}
END_TEST

static Suite *
float_suite(void)
{
    Suite *suite = suite_create("float");
    TCase *tc = tcase_create("write");

    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(
        tc, every_4099th_pattern_is_written_shortest_and_reads_back, 0, 4);
    tcase_add_test(tc, the_edges_of_each_binade_are_written_shortest);
    tcase_add_test(
        tc, subnormal_powers_of_two_and_their_neighbours_are_written_shortest);
    tcase_add_loop_test(tc, known_floats_have_known_texts, 0, COUNT(golden));
    tcase_add_test(tc, short_ways_write_what_the_general_one_writes);
    tcase_add_test(
        tc, arrays_of_any_exponent_are_written_as_the_general_way_writes);
    tcase_add_test(tc,
                   arrays_of_few_digits_are_written_as_the_general_way_writes);
    tcase_add_test(
        tc, arrays_around_powers_of_ten_are_written_as_the_general_way_writes);
    tcase_add_test(tc, nan_and_infinity_have_no_text);
    tcase_add_test(tc, the_first_bad_float_of_an_array_is_found_at_any_place);
    suite_add_tcase(suite, tc);
    return suite;
}

int
main(void)
{
    SRunner *runner = srunner_create(float_suite());
    int failed;

    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
