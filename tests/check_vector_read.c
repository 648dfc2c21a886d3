/* SPDX-License-Identifier: Apache-2.0 */
/* Every form of the array reader, against each other and a plain one, at the
 * edges of readable memory and on arrays with faults. */
#include <check.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <vecwire/vector.h>

#include "codec/float_dec.h"
#include "codec/float_enc.h"
#include "tests/float_sample.h"

typedef enum vecwire__floats_end floats_reader(const char *p, const char *end,
                                               float *out, size_t room,
                                               size_t *n, const char **at);

static floats_reader *const readers[] = {vecwire__floats_read,
                                         vecwire__floats_read_scalar,
                                         vecwire__floats_read_masks};

START_TEST(every_vector_reads_back_to_the_same_bits_by_every_reader)
{
    static char text[VECWIRE_VECTOR_TEXT_ROOM(DIM_MAX)];
    uint64_t state = (uint64_t)_i + 77;
    float v[DIM_MAX] = {0}, back[DIM_MAX];

    for (size_t i = 0; i < LENGTHS * 10; i++) {
        size_t n = length_at(i % LENGTHS), got;
        const char *end, *at;

        vector_random(v, n, (unsigned)_i, &state);
        end = vecwire__floats_write(text, v, n);
        for (int r = 0; r < COUNT(readers); r++) {
            memset(back, 0xff, sizeof(back));
            REQUIRE(readers[r](text, end, back, n, &got, &at) ==
                            VECWIRE__FLOATS_OK &&
                        got == n && memcmp(back, v, n * sizeof(v[0])) == 0,
                    "reader %d: %.*s", r, (int)(end - text), text);
        }
    }
}
END_TEST

/* Read `text` with its first byte behind, then its last before a page that
 * faults; both must end as `want`. */
static void
assert_reads_guarded(const struct guarded *g, const char *text, size_t len,
                     floats_reader *reader, enum vecwire__floats_end want)
{
    char *places[] = {g->first, g->end - len};
    float out[DIM_MAX];
    const char *at;
    size_t n;

    for (int i = 0; i < 2; i++) {
        memcpy(places[i], text, len);
        REQUIRE(reader(places[i], places[i] + len, out, DIM_MAX, &n, &at) ==
                    want,
                "%.*s", (int)len, text);
        REQUIRE(at >= places[i] && at <= places[i] + len, "%.*s", (int)len,
                text);
    }
}

START_TEST(the_reader_reads_no_byte_outside_its_text)
{
    static char text[VECWIRE_VECTOR_TEXT_ROOM(DIM_MAX)];
    struct guarded g = guarded_new();
    uint64_t state = (uint64_t)_i + 3;
    float v[DIM_MAX] = {0};

    for (size_t n = 0; n < 45; n++) {
        size_t len;

        vector_random(v, n, (unsigned)_i, &state);
        len = (size_t)(vecwire__floats_write(text, v, n) - text);
        for (int r = 0; r < COUNT(readers); r++) {
            assert_reads_guarded(&g, text, len, readers[r], VECWIRE__FLOATS_OK);
            for (size_t cut = 1; cut < len; cut++)
                assert_reads_guarded(&g, text, cut, readers[r],
                                     VECWIRE__FLOATS_BAD);
        }
    }
    guarded_free(&g);
}
END_TEST

/* The plain way to read an array of numbers: a token at a time, by strtof.
 * Returns whether it is one. */
static bool
array_by_strtof(const char *p, float *out, size_t *n)
{
    static const char blank[] = " \t\n\r", mark[] = "0123456789+-.eE";

    *n = 0;
    p += strspn(p, blank);
    if (*p++ != '[')
        return false;
    p += strspn(p, blank);
    if (*p == ']')
        return p[1 + strspn(p + 1, blank)] == '\0';
    for (;;) {
        size_t len;
        float ours;

        p += strspn(p, blank);
        len = strspn(p, mark);
        /* its grammar is checked elsewhere */
        if (vecwire__float_read(p, p + len, &ours) != 1)
            return false;
        out[(*n)++] = strtof(p, NULL);
        p += len;
        p += strspn(p, blank);
        if (*p == ']')
            return p[1 + strspn(p + 1, blank)] == '\0';
        if (*p++ != ',')
            return false;
    }
}

static void
text_mutate(char *text, uint64_t *state)
{
    static const char alphabet[] = "0123456789.-+eE,[] \t\nax\"";
    size_t len = strlen(text);
    uint64_t r = random_next(state);
    size_t at = (size_t)(r >> 8) % len;
    char c = alphabet[(r >> 40) % (sizeof(alphabet) - 1)];

    switch (r % 3) {
    case 0:
        text[at] = c;
        break;
    case 1:
        memmove(text + at + 1, text + at, len - at + 1);
        text[at] = c;
        break;
    default:
        memmove(text + at, text + at + 1, len - at);
        break;
    }
}

START_TEST(readers_agree_with_a_plain_one_on_arrays_with_a_few_bytes_changed)
{
    static char text[VECWIRE_VECTOR_TEXT_ROOM(128)];
    uint64_t state = (uint64_t)_i + 11;
    float v[64] = {0}, want[128], got[128];
    size_t good = 0;

    for (int round = 0; round < 8000; round++) {
        size_t n = random_next(&state) % 64, want_n, got_n;
        const char *at;
        bool ok;

        vector_random(v, n, (unsigned)_i, &state);
        *vecwire__floats_write(text, v, n) = '\0';
        for (uint64_t k = random_next(&state) % 3; k > 0; k--)
            text_mutate(text, &state);
        ok = array_by_strtof(text, want, &want_n);
        good += ok;
        for (int r = 0; r < COUNT(readers); r++) {
            enum vecwire__floats_end end =
                readers[r](text, text + strlen(text), got, 128, &got_n, &at);

            REQUIRE((end == VECWIRE__FLOATS_OK) == ok, "reader %d: %s", r,
                    text);
            REQUIRE(!ok || (got_n == want_n &&
                            memcmp(got, want, got_n * sizeof(got[0])) == 0),
                    "reader %d: %s", r, text);
        }
    }
    ck_assert_uint_gt(good, 1000);
}
END_TEST

static Suite *
vector_read_suite(void)
{
    Suite *suite = suite_create("vector_read");
    TCase *tc = tcase_create("vector_read");

    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(
        tc, every_vector_reads_back_to_the_same_bits_by_every_reader, 0, KINDS);
    tcase_add_loop_test(tc, the_reader_reads_no_byte_outside_its_text, 0,
                        KINDS);
    tcase_add_loop_test(
        tc, readers_agree_with_a_plain_one_on_arrays_with_a_few_bytes_changed,
        0, KINDS);
    suite_add_tcase(suite, tc);
    return suite;
}

int
main(void)
{
    SRunner *runner = srunner_create(vector_read_suite());
    int failed;

    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
