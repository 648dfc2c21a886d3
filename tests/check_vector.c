/* SPDX-License-Identifier: Apache-2.0 */
/* Whole vectors: the public functions, and that every form of the writer gives
 * one text and stays in its room. */
#include <check.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vecwire/vector.h>

#include "codec/float_enc.h"
#include "tests/float_sample.h"

/* The text that one float at a time gives. */
static char *
text_of_singles(char *text, const float *v, size_t n)
{
    *text++ = '[';
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            *text++ = ',';
        text += vecwire__float_write(text, v[i]);
    }
    *text++ = ']';
    return text;
}

START_TEST(all_forms_of_the_writer_give_the_same_text)
{
    static char want[VECWIRE_VECTOR_TEXT_ROOM(DIM_MAX)];
    static char text[VECWIRE_VECTOR_TEXT_ROOM(DIM_MAX)];
    uint64_t state = (uint64_t)_i + 1;
    float v[DIM_MAX] = {0};

    for (size_t i = 0; i < LENGTHS * 10; i++) {
        size_t n = length_at(i % LENGTHS), len;

        vector_random(v, n, (unsigned)_i, &state);
        len = (size_t)(text_of_singles(want, v, n) - want);
        REQUIRE(vecwire__floats_write_scalar(text, v, n) == text + len &&
                    memcmp(text, want, len) == 0,
                "scalar: %.*s", (int)len, want);
#ifdef VECWIRE__SSE2
        REQUIRE(vecwire__floats_write_sse2(text, v, n) == text + len &&
                    memcmp(text, want, len) == 0,
                "sse2: %.*s", (int)len, want);
#endif
        REQUIRE(vecwire__floats_write(text, v, n) == text + len &&
                    memcmp(text, want, len) == 0,
                "default: %.*s", (int)len, want);
    }
}
END_TEST

#ifdef VECWIRE__AVX2
static bool
avx2_is_here(const char *test)
{
    bool here = __builtin_cpu_supports("avx2");

    if (!here)
        printf("SKIP %s: no AVX2 here\n", test);
    return here;
}

START_TEST(the_avx2_form_of_the_writer_gives_the_same_text)
{
    static char want[VECWIRE_VECTOR_TEXT_ROOM(DIM_MAX)];
    static char text[VECWIRE_VECTOR_TEXT_ROOM(DIM_MAX)];
    uint64_t state = (uint64_t)_i + 11;
    float v[DIM_MAX] = {0};

    if (!avx2_is_here("the_avx2_form_of_the_writer_gives_the_same_text"))
        return;
    for (size_t i = 0; i < LENGTHS * 10; i++) {
        size_t n = length_at(i % LENGTHS), len;

        vector_random(v, n, (unsigned)_i, &state);
        len = (size_t)(vecwire__floats_write_scalar(want, v, n) - want);
        REQUIRE(vecwire__floats_write_sse2(text, v, n) == text + len &&
                    memcmp(text, want, len) == 0,
                "sse2: %.*s", (int)len, want);
        memset(text, 'x', sizeof(text));
        REQUIRE(vecwire__floats_write_avx2(text, v, n) == text + len &&
                    memcmp(text, want, len) == 0,
                "avx2: %.*s", (int)len, want);
    }
}
END_TEST

/* Values that the AVX2 form leaves to another, at every set of places. */
START_TEST(the_avx2_form_of_the_writer_leaves_out_any_of_a_group)
{
    static const float odd[] = {0.0f,     -0.5f, 1000.0f, 2.5f,
                                -0x1p-9f, 1e-5f, -1e-30f, -1234.5f};
    char want[VECWIRE_VECTOR_TEXT_ROOM(16)];
    char text[VECWIRE_VECTOR_TEXT_ROOM(16)];
    uint64_t state = 3;
    float v[16];

    if (!avx2_is_here("the_avx2_form_of_the_writer_leaves_out_any_of_a_group"))
        return;
    for (unsigned set = 0; set < 1u << 16; set += 3) {
        size_t len;

        vector_random(v, 16, 0, &state);
        for (unsigned i = 0; i < 16; i++)
            v[i] = set >> i & 1 ? odd[(set + i) % 8] : v[i];
        len = (size_t)(text_of_singles(want, v, 16) - want);
        REQUIRE(vecwire__floats_write_avx2(text, v, 16) == text + len &&
                    memcmp(text, want, len) == 0,
                "avx2: %.*s", (int)len, want);
    }
}
END_TEST

/* Multiples of 2^-13: among them all decimals that are cut at a tie. */
START_TEST(the_avx2_form_of_the_writer_rounds_ties_to_even)
{
    static float v[1 << 13];
    static char want[VECWIRE_VECTOR_TEXT_ROOM(1 << 13)];
    static char text[VECWIRE_VECTOR_TEXT_ROOM(1 << 13)];
    size_t n = 1 << 13, len;

    if (!avx2_is_here("the_avx2_form_of_the_writer_rounds_ties_to_even"))
        return;
    for (size_t i = 0; i < n; i++)
        v[i] = (float)i * (i % 3 == 0 ? -0x1p-13f : 0x1p-13f);
    len = (size_t)(text_of_singles(want, v, n) - want);
    ck_assert_uint_eq((size_t)(vecwire__floats_write_avx2(text, v, n) - text),
                      len);
    ck_assert(memcmp(text, want, len) == 0);
}
END_TEST

START_TEST(the_avx2_form_of_the_writer_stays_within_its_room)
{
    uint64_t state = (uint64_t)_i + 17;
    float v[DIM_MAX] = {0};
    struct guarded g;

    if (!avx2_is_here("the_avx2_form_of_the_writer_stays_within_its_room"))
        return;
    g = guarded_new();
    for (size_t i = 0; i < LENGTHS * 3; i++) {
        size_t n = length_at(i % LENGTHS);
        float *edge = (float *)(void *)g.end - n;

        vector_random(v, n, (unsigned)_i, &state);
        vecwire__floats_write_avx2(g.end - VECWIRE_VECTOR_TEXT_ROOM(n), v, n);
        vecwire__floats_write_avx2(g.first, v, n);
        /* nor does it read beyond the floats */
        memcpy(edge, v, n * sizeof(*v));
        vecwire__floats_write_avx2(g.first, edge, n);
    }
    guarded_free(&g);
}
END_TEST
#endif

START_TEST(a_vector_has_the_text_that_is_expected)
{
    static const float v[] = {0.1f, -2.0f, 0.0f, -0.0f, 1e30f, -0.25f};
    char text[VECWIRE_VECTOR_TEXT_ROOM(6)];
    size_t len;

    ck_assert_int_eq(vecwire_vector_format(v, 6, text, &len), VECWIRE_OK);
    text[len] = '\0';
    ck_assert_str_eq(text, "[0.1,-2,0,-0,1e30,-0.25]");
}
END_TEST

START_TEST(a_vector_with_nan_or_infinity_is_refused_at_its_index)
{
    char text[VECWIRE_VECTOR_TEXT_ROOM(40)];
    float v[40] = {0};
    size_t len;

    for (size_t i = 40; i-- > 0;) {
        v[i] = i % 2 == 0 ? NAN : -INFINITY;
        ck_assert_int_eq(vecwire_vector_format(v, 40, text, &len),
                         VECWIRE_EINVAL);
        ck_assert_uint_eq(len, i);
    }
}
END_TEST

START_TEST(a_vector_of_no_floats_is_refused)
{
    char text[VECWIRE_VECTOR_TEXT_ROOM(0)];
    size_t len = 9;

    ck_assert_int_eq(vecwire_vector_format(NULL, 0, text, &len),
                     VECWIRE_EINVAL);
    ck_assert_uint_eq(len, 0);
}
END_TEST

START_TEST(the_writer_stays_within_its_room)
{
    struct guarded g = guarded_new();
    uint64_t state = (uint64_t)_i + 5;
    float v[DIM_MAX] = {0};

    for (size_t i = 0; i < LENGTHS * 3; i++) {
        size_t n = length_at(i % LENGTHS), len;
        char *text = g.end - VECWIRE_VECTOR_TEXT_ROOM(n);

        vector_random(v, n, (unsigned)_i, &state);
        vecwire__floats_write_scalar(text, v, n);
        vecwire__floats_write(text, v, n);
        if (n == 0)
            continue;
        text = g.end - VECWIRE_FLOAT_TEXT_MAX;
        len = vecwire_float_format(v[0], text);
        REQUIRE(len >= 1 && len <= VECWIRE_FLOAT_TEXT_MAX, "%zu", len);
        /* and does not touch the byte before the first */
        vecwire__floats_write(g.first, v, n);
    }
    guarded_free(&g);
}
END_TEST

START_TEST(the_public_reader_reads_no_byte_outside_its_text)
{
    static const char text[] = "[0.123456789,-0.5,17.25,1e-45,3]";
    struct guarded g = guarded_new();
    size_t len = sizeof(text) - 1, dim;
    float v[8];

    memcpy(g.first, text, len);
    ck_assert_int_eq(vecwire_vector_parse(g.first, len, v, 8, &dim),
                     VECWIRE_OK);
    ck_assert_uint_eq(dim, 5);
    memcpy(g.end - len, text, len);
    ck_assert_int_eq(vecwire_vector_parse(g.end - len, len, v, 8, &dim),
                     VECWIRE_OK);
    ck_assert_uint_eq(dim, 5);
    guarded_free(&g);
}
END_TEST

/* A text, what reading it with room for 3 floats gives, and *dim then. */
static const struct {
    const char *text;
    enum vecwire_err rc;
    size_t dim;
} cases[] = {
    {"[]", VECWIRE_OK, 0},
    {" [ ] ", VECWIRE_OK, 0},
    {"[1]", VECWIRE_OK, 1},
    {"\t[\r1 ,\n2\t, 3 ] \n", VECWIRE_OK, 3},
    {"[1e-400]", VECWIRE_OK, 1},
    {"", VECWIRE_EINVAL, 0},
    {"  ", VECWIRE_EINVAL, 2},
    {"1", VECWIRE_EINVAL, 0},
    {"{}", VECWIRE_EINVAL, 0},
    {"[", VECWIRE_EINVAL, 1},
    {"[1", VECWIRE_EINVAL, 2},
    {"[1,", VECWIRE_EINVAL, 3},
    {"[1,]", VECWIRE_EINVAL, 3},
    {"[,1]", VECWIRE_EINVAL, 1},
    {"[1,,2]", VECWIRE_EINVAL, 3},
    {"[1 2]", VECWIRE_EINVAL, 3},
    {"[1]x", VECWIRE_EINVAL, 3},
    {"[]]", VECWIRE_EINVAL, 2},
    {"[1}", VECWIRE_EINVAL, 2},
    {"[01]", VECWIRE_EINVAL, 1},
    {"[1,.5]", VECWIRE_EINVAL, 3},
    {"[1, -]", VECWIRE_EINVAL, 4},
    {"[null]", VECWIRE_EINVAL, 1},
    {"[[1]]", VECWIRE_EINVAL, 1},
    {"[\"1\"]", VECWIRE_EINVAL, 1},
    {"[NaN]", VECWIRE_EINVAL, 1},
    {"[1,2,3,4]", VECWIRE_ETOOBIG, 7},
    {"[1,2,3,x]", VECWIRE_EINVAL, 7},
    {"[1,1e39]", VECWIRE_ETOOBIG, 3},
    {"[-1e400,1]", VECWIRE_ETOOBIG, 1},
};

START_TEST(arrays_and_what_is_none_are_told_apart_at_the_byte)
{
    size_t dim = 99;
    float v[3];

    ck_assert_int_eq(vecwire_vector_parse(cases[_i].text,
                                          strlen(cases[_i].text), v, 3, &dim),
                     cases[_i].rc);
    ck_assert_uint_eq(dim, cases[_i].dim);
}
END_TEST

START_TEST(without_room_only_the_empty_array_is_read)
{
    size_t dim;

    ck_assert_int_eq(vecwire_vector_parse("[]", 2, NULL, 0, &dim), VECWIRE_OK);
    ck_assert_int_eq(vecwire_vector_parse("[1]", 3, NULL, 0, &dim),
                     VECWIRE_ETOOBIG);
    ck_assert_uint_eq(dim, 1);
}
END_TEST

START_TEST(a_comma_locale_changes_no_vector)
{
    static const float v[] = {0.5f, -1.25f};
    char text[VECWIRE_VECTOR_TEXT_ROOM(2)];
    size_t len, dim;
    float back[2];

    if (!locale_with_comma()) {
        printf("SKIP a_comma_locale_changes_no_vector: no comma locale here\n");
        return;
    }
    ck_assert_int_eq(vecwire_vector_format(v, 2, text, &len), VECWIRE_OK);
    ck_assert_uint_eq(len, 11);
    ck_assert_mem_eq(text, "[0.5,-1.25]", 11);
    ck_assert_int_eq(vecwire_vector_parse(text, len, back, 2, &dim),
                     VECWIRE_OK);
    ck_assert_mem_eq(back, v, sizeof(v));
}
END_TEST

static Suite *
vector_suite(void)
{
    Suite *suite = suite_create("vector");
    TCase *tc = tcase_create("vector");

    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, all_forms_of_the_writer_give_the_same_text, 0,
                        KINDS);
#ifdef VECWIRE__AVX2
    tcase_add_loop_test(tc, the_avx2_form_of_the_writer_gives_the_same_text, 0,
                        KINDS);
    tcase_add_test(tc, the_avx2_form_of_the_writer_leaves_out_any_of_a_group);
    tcase_add_test(tc, the_avx2_form_of_the_writer_rounds_ties_to_even);
    tcase_add_loop_test(tc, the_avx2_form_of_the_writer_stays_within_its_room,
                        0, KINDS);
#endif
    tcase_add_test(tc, a_vector_has_the_text_that_is_expected);
    tcase_add_test(tc, a_vector_with_nan_or_infinity_is_refused_at_its_index);
    tcase_add_test(tc, a_vector_of_no_floats_is_refused);
    tcase_add_loop_test(tc, the_writer_stays_within_its_room, 0, KINDS);
    tcase_add_test(tc, the_public_reader_reads_no_byte_outside_its_text);
    tcase_add_loop_test(tc, arrays_and_what_is_none_are_told_apart_at_the_byte,
                        0, COUNT(cases));
    tcase_add_test(tc, without_room_only_the_empty_array_is_read);
    tcase_add_test(tc, a_comma_locale_changes_no_vector);
    suite_add_tcase(suite, tc);
    return suite;
}

int
main(void)
{
    SRunner *runner = srunner_create(vector_suite());
    int failed;

    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
