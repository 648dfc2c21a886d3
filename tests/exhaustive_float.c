/* SPDX-License-Identifier: Apache-2.0 */
/* Every float32 there is, or a part of them: written by each form of the
 * writer and read back by each form of the reader.
 *
 *   exhaustive_float [FROM TO [STEP]]   bit patterns, 0x0 0x100000000 1
 *
 * Two processes share the work. Exit status 1 when anything differs. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vecwire/vector.h>

#include "codec/float_dec.h"
#include "codec/float_enc.h"

#define BLOCK 1008       /* whole batches and odd ends both */
#define SHORTER_EVERY 61 /* patterns between two tests for a shorter text */

struct totals {
    uint64_t patterns; /* finite ones */
    uint64_t bytes;
    uint64_t shorter_tried;
    uint64_t longest; /* text */
    uint64_t failures;
};

static void
fail(struct totals *t, const char *what, uint32_t bits)
{
    if (t->failures++ < 20)
        fprintf(stderr, "%08" PRIx32 ": %s\n", bits, what);
}

/* The digits of a number text without zeros at either end, as a whole number
 * times 10^*exponent; UINT64_MAX when they are more than 9. */
static uint64_t
text_digits(const char *p, const char *end, int *exponent)
{
    uint64_t digits = 0;
    bool point = false;

    *exponent = 0;
    for (p += *p == '-'; p < end && *p != 'e'; p++) {
        if (*p == '.') {
            point = true;
            continue;
        }
        digits = digits * 10 + (uint64_t)(*p - '0');
        *exponent -= point;
    }
    if (p < end) {
        int sign = p[1] == '-' ? -1 : 1, value = 0;

        for (p += sign < 0 ? 2 : 1; p < end; p++)
            value = value * 10 + (*p - '0');
        *exponent += sign * value;
    }
    for (; digits != 0 && digits % 10 == 0; digits /= 10)
        ++*exponent;
    return digits < 1000000000 ? digits : UINT64_MAX;
}

/* Whether digits * 10^exponent, sign aside, reads as `bits`. */
static bool
reads_as(uint64_t digits, int exponent, uint32_t bits)
{
    char text[48];
    float value;
    int len = snprintf(text, sizeof(text), "%" PRIu64 "e%d", digits, exponent);

    return vecwire__float_read(text, text + len, &value) == 1 &&
           vecwire__float_bits(value) == (bits & 0x7fffffff);
}

static void
text_check(struct totals *t, const char *text, const char *end, uint32_t bits)
{
    size_t len = (size_t)(end - text);
    int exponent;
    uint64_t digits = text_digits(text, end, &exponent);

    if (len > t->longest)
        t->longest = len;
    if (len > VECWIRE_FLOAT_TEXT_MAX)
        fail(t, "text is too long", bits);
    if (digits == UINT64_MAX)
        fail(t, "more than 9 digits", bits);
    if (t->patterns % SHORTER_EVERY != 0 || digits < 10)
        return;
    t->shorter_tried++;
    if (reads_as(digits / 10, exponent + 1, bits) ||
        reads_as(digits / 10 + 1, exponent + 1, bits))
        fail(t, "a shorter text would do", bits);
}

static void
block_read(struct totals *t, const char *text, const char *end, const float *v,
           size_t n)
{
    float masks[BLOCK], scalar[BLOCK];
    const char *at;
    size_t got;

    if (vecwire__floats_read_masks(text, end, masks, BLOCK, &got, &at) !=
            VECWIRE__FLOATS_OK ||
        got != n)
        fail(t, "masks: block unreadable", vecwire__float_bits(v[0]));
    if (vecwire__floats_read_scalar(text, end, scalar, BLOCK, &got, &at) !=
            VECWIRE__FLOATS_OK ||
        got != n)
        fail(t, "scalar: block unreadable", vecwire__float_bits(v[0]));
    for (size_t i = 0; i < n; i++) {
        if (memcmp(&masks[i], &v[i], sizeof(v[i])) != 0)
            fail(t, "masks: reads as another", vecwire__float_bits(v[i]));
        if (memcmp(&scalar[i], &v[i], sizeof(v[i])) != 0)
            fail(t, "scalar: reads as another", vecwire__float_bits(v[i]));
    }
}

static void
block_check(struct totals *t, const float *v, size_t n)
{
    static char text[VECWIRE_VECTOR_TEXT_ROOM(BLOCK)];
    static char other[VECWIRE_VECTOR_TEXT_ROOM(BLOCK)];
    char *p = text, *end;
    size_t len;

    for (size_t i = 0; i < n; i++) {
        uint32_t bits = vecwire__float_bits(v[i]);

        *p++ = i == 0 ? '[' : ',';
        end = p + vecwire__float_write(p, v[i]);
        text_check(t, p, end, bits);
        t->patterns++;
        p = end;
    }
    *p++ = ']';
    len = (size_t)(p - text);
    t->bytes += len;
    end = vecwire__floats_write_scalar(other, v, n);
    if ((size_t)(end - other) != len || memcmp(text, other, len) != 0)
        fail(t, "scalar: batch differs", vecwire__float_bits(v[0]));
#ifdef VECWIRE__SSE2
    end = vecwire__floats_write_sse2(other, v, n);
    if ((size_t)(end - other) != len || memcmp(text, other, len) != 0)
        fail(t, "sse2: batch differs", vecwire__float_bits(v[0]));
#endif
#ifdef VECWIRE__AVX2
    if (__builtin_cpu_supports("avx2")) {
        end = vecwire__floats_write_avx2(other, v, n);
        if ((size_t)(end - other) != len || memcmp(text, other, len) != 0)
            fail(t, "avx2: batch differs", vecwire__float_bits(v[0]));
    }
#endif
    block_read(t, text, p, v, n);
}

static struct totals
range_check(uint64_t from, uint64_t to, uint64_t step)
{
    struct totals t = {0};
    float v[BLOCK];
    size_t n = 0;

    for (uint64_t bits = from; bits < to; bits += step) {
        if ((bits & 0x7f800000u) == 0x7f800000u)
            continue;
        v[n++] = vecwire__float_of_bits((uint32_t)bits);
        if (n == BLOCK) {
            block_check(&t, v, n);
            n = 0;
        }
    }
    if (n > 0)
        block_check(&t, v, n);
    return t;
}

/* Check the second half of the range in a child; false when that failed. */
static bool
halves_check(uint64_t from, uint64_t to, uint64_t step, struct totals *t)
{
    uint64_t middle = from + (to - from) / step / 2 * step;
    struct totals other = {0};
    int ends[2], status;
    bool whole;
    pid_t child;

    if (pipe(ends) != 0)
        return false;
    child = fork();
    if (child < 0)
        return false;
    if (child == 0) {
        other = range_check(middle, to, step);
        whole = write(ends[1], &other, sizeof(other)) == sizeof(other);
        _exit(whole ? 0 : 1);
    }
    close(ends[1]); /* so that a child that died is not waited for */
    *t = range_check(from, middle, step);
    whole = read(ends[0], &other, sizeof(other)) == sizeof(other);
    close(ends[0]);
    if (waitpid(child, &status, 0) != child || status != 0 || !whole)
        return false;
    t->patterns += other.patterns;
    t->bytes += other.bytes;
    t->shorter_tried += other.shorter_tried;
    t->failures += other.failures;
    if (other.longest > t->longest)
        t->longest = other.longest;
    return true;
}

int
main(int argc, char **argv)
{
    uint64_t from = 0, to = (uint64_t)1 << 32, step = 1;
    struct totals t;

    if (argc >= 3) {
        from = strtoull(argv[1], NULL, 0);
        to = strtoull(argv[2], NULL, 0);
    }
    if (argc == 4)
        step = strtoull(argv[3], NULL, 0);
    if (argc == 2 || argc > 4 || from > to || to > (uint64_t)1 << 32 ||
        step == 0) {
        fprintf(stderr, "usage: %s [FROM TO [STEP]]\n", argv[0]);
        return 2;
    }
#ifdef VECWIRE__AVX2
    if (!__builtin_cpu_supports("avx2"))
        fprintf(stderr, "SKIP the AVX2 form: no AVX2 here\n");
#endif
    if (!halves_check(from, to, step, &t)) {
        fprintf(stderr, "a process or its pipe failed\n");
        return 1;
    }
    printf("floats %" PRIu64 "  bytes %" PRIu64 "  longest text %" PRIu64
           "  shorter tried %" PRIu64 "  failures %" PRIu64 "\n",
           t.patterns, t.bytes, t.longest, t.shorter_tried, t.failures);
    return t.failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
