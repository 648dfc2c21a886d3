/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/float_enc.h"

#include <stdbool.h>

/* Components of embeddings lie nearly all in 2^-16 <= |v| < 1. There the
 * shortest decimal needs no approximation:
 *
 * v = c * 2^q, k = floor(log10(2^q)), m = -k <= 12. The float in units of 10^k
 * is c * 5^m * 2^(q + m), and M = 5^m * 2^(27 + q + m) is a whole number below
 * 10 * 2^27. So c * M is that float exactly, in 28.27 fixed point, and M / 2
 * the distance to the midpoints. The midpoints are odd multiples of a power
 * of two below 2^-16, never whole, so whether they belong to the interval
 * does not matter. Otherwise as in float_enc_any.c.
 *
 * Digits are made 16 values at a time in three steps that do not wait for each
 * other: decimal number, digits, stores. */
#define BATCH 16
#define TEN ((uint32_t)10 << 27)

#define EXPONENT_LEAST 111 /* biased: 2^-16 */
#define EXPONENT_PLAIN 117 /* 2^-10: from here on at most 10 decimals */
#define EXPONENT_ONE 127
#define UNIT_NONE 16

#define FEW_END 0x41000000u   /* bits of 8 */
#define WHOLE_END 0x447a0000u /* of 1000 */

#define UNIT(m, scale) ((uint64_t)(scale) << 32 | (m))

/* By exponent: M, and what makes 10 (below 2^-10: 13) decimals of it. */
static const uint64_t units[UNIT_NONE + 1] = {UNIT(0x0e8d4a51, 10),
                                              UNIT(0x1d1a94a2, 10),
                                              UNIT(0x3a352944, 10),
                                              UNIT(0x0ba43b74, 100),
                                              UNIT(0x174876e8, 100),
                                              UNIT(0x2e90edd0, 100),
                                              UNIT(0x09502f90, 1),
                                              UNIT(0x12a05f20, 1),
                                              UNIT(0x2540be40, 1),
                                              UNIT(0x4a817c80, 1),
                                              UNIT(0x0ee6b280, 10),
                                              UNIT(0x1dcd6500, 10),
                                              UNIT(0x3b9aca00, 10),
                                              UNIT(0x0bebc200, 100),
                                              UNIT(0x17d78400, 100),
                                              UNIT(0x2faf0800, 100),
                                              0};

static const char heads[100][8] = {
    "-0.00", "-0.01", "-0.02", "-0.03", "-0.04", "-0.05", "-0.06", "-0.07",
    "-0.08", "-0.09", "-0.10", "-0.11", "-0.12", "-0.13", "-0.14", "-0.15",
    "-0.16", "-0.17", "-0.18", "-0.19", "-0.20", "-0.21", "-0.22", "-0.23",
    "-0.24", "-0.25", "-0.26", "-0.27", "-0.28", "-0.29", "-0.30", "-0.31",
    "-0.32", "-0.33", "-0.34", "-0.35", "-0.36", "-0.37", "-0.38", "-0.39",
    "-0.40", "-0.41", "-0.42", "-0.43", "-0.44", "-0.45", "-0.46", "-0.47",
    "-0.48", "-0.49", "-0.50", "-0.51", "-0.52", "-0.53", "-0.54", "-0.55",
    "-0.56", "-0.57", "-0.58", "-0.59", "-0.60", "-0.61", "-0.62", "-0.63",
    "-0.64", "-0.65", "-0.66", "-0.67", "-0.68", "-0.69", "-0.70", "-0.71",
    "-0.72", "-0.73", "-0.74", "-0.75", "-0.76", "-0.77", "-0.78", "-0.79",
    "-0.80", "-0.81", "-0.82", "-0.83", "-0.84", "-0.85", "-0.86", "-0.87",
    "-0.88", "-0.89", "-0.90", "-0.91", "-0.92", "-0.93", "-0.94", "-0.95",
    "-0.96", "-0.97", "-0.98", "-0.99"};

struct batch {
    /* in this order for the vector loads */
    uint32_t bits[BATCH] __attribute__((aligned(16)));
    uint64_t top[BATCH] __attribute__((aligned(16)));    /* two decimals */
    uint64_t digits[BATCH] __attribute__((aligned(16))); /* eight more */
};

/* Eight digits of v < 10^8, one a byte, the first in the lowest. */
static inline uint64_t
digits_split(uint32_t v)
{
    uint64_t high = ((uint64_t)v * 109951163u) >> 40; /* v / 10^4 */
    uint64_t four = high | ((uint64_t)v - high * 10000) << 32;
    uint64_t hundreds = ((four * 10486) >> 20) & 0x0000007f0000007fu;
    uint64_t two = hundreds | (four - hundreds * 100) << 16;
    uint64_t tens = ((two * 103) >> 10) & 0x000f000f000f000fu;

    return tens | (two - tens * 10) << 8;
}

/* The shortest whole number in c * M -+ M / 2, to nearest, ties to even. */
static inline uint32_t
shortest_exact(uint32_t c, uint32_t m)
{
    uint64_t value = (uint64_t)c * m;
    uint32_t whole = (uint32_t)(value >> 27);
    uint32_t tens = whole / 10 * 10;
    /* the rest is below 10 * 2^27, so 32 bits hold it */
    uint32_t rest = (uint32_t)value - (tens << 27), half = m >> 1;
    uint32_t up = rest + half >= TEN, down = rest <= half;
    uint32_t near =
        (uint32_t)((value + ((uint32_t)1 << 26) - 1 + (whole & 1)) >> 27);
    uint32_t ten = tens + 10 * up, mask = 0u - (up | down);

    /* keeps the choice from becoming a branch that nobody can predict */
    __asm__("" : "+r"(mask));
    return near ^ ((near ^ ten) & mask);
}

static inline void
decimals_split(uint32_t bits, uint64_t unit, uint64_t *top, uint64_t *digits)
{
    uint32_t c = (bits & 0x7fffff) | 0x800000;
    uint64_t n = shortest_exact(c, (uint32_t)unit) * (unit >> 32);

    /* n / 10^8 = (n / 2^8) / 390625, where n / 2^8 is below 2^26 */
    *top = (n >> 8) * 11529215047u >> 52;
    *digits = digits_split((uint32_t)(n - *top * 100000000u));
}

/* 1 < v < 8, no power of two: the first digit and seven decimals. NULL: it is
 * whole. Units of 10^-7, so m is 7, and all is as above. */
static inline char *
few_write(char *text, uint32_t bits)
{
    uint32_t shift = (bits >> 23) - EXPONENT_ONE;
    uint32_t n = shortest_exact((bits & 0x7fffff) | 0x800000,
                                (uint32_t)78125 << 11 << shift);
    uint32_t first = n / 10000000;
    uint64_t digits = digits_split((n - first * 10000000) * 10);

    if (digits == 0)
        return NULL;
    text[0] = (char)('0' + first);
    text[1] = '.';
    vecwire__word_store(text + 2, digits | VECWIRE__ASCII_ZEROS);
    return text + 10 - (__builtin_clzll(digits) >> 3);
}

/* 1 <= v < 1000, whole and no multiple of 100 (those may be shorter in another
 * form): its own digits. NULL otherwise. */
static inline char *
whole_write(char *text, uint32_t bits)
{
    uint32_t n = (uint32_t)(int32_t)vecwire__float_of_bits(bits);
    uint32_t hundreds = n / 100, rest = n % 100;

    if (rest == 0 || vecwire__float_bits((float)(int32_t)n) != bits)
        return NULL;
    *text = (char)('0' + hundreds);
    text += hundreds != 0;
    *text = (char)('0' + rest / 10);
    text += n >= 10;
    *text = (char)('0' + rest % 10);
    return text + 1;
}

/* Any float from 1 on. */
static char *
large_write(char *text, uint32_t bits)
{
    char *end = NULL;

    if (bits < FEW_END && (bits & 0x7fffff) != 0)
        end = few_write(text, bits);
    if (end == NULL && bits < WHOLE_END)
        end = whole_write(text, bits);
    return end != NULL ? end : vecwire__float_write_any(text, bits);
}

/* Write any finite float, sign included; at most 16 bytes are touched. */
static char *
single_write(char *text, uint32_t bits)
{
    uint32_t biased = bits >> 23 & 0xff;
    uint64_t top, digits;

    *text = '-';
    text += bits >> 31;
    if (biased >= EXPONENT_ONE)
        return large_write(text, bits & 0x7fffffff);
    if (biased < EXPONENT_LEAST || (bits & 0x7fffff) == 0)
        return vecwire__float_write_any(text, bits & 0x7fffffff);
    decimals_split(bits, units[biased - EXPONENT_LEAST], &top, &digits);
    if (digits == 0)
        return vecwire__float_write_any(text, bits & 0x7fffffff);
    if (biased < EXPONENT_PLAIN) {
        memcpy(text, "0.000", 5);
        text += 3;
        memcpy(text + 2, heads[top] + 3, 2);
    } else {
        memcpy(text, heads[top] + 1, 4);
    }
    vecwire__word_store(text + 4, digits | VECWIRE__ASCII_ZEROS);
    return text + 12 - (__builtin_clzll(digits) >> 3);
}

size_t
vecwire__float_write(char *text, float v)
{
    return (size_t)(single_write(text, vecwire__float_bits(v)) - text);
}

/* The place in units[] that a batch uses. Small values need another head. */
static inline uint32_t
unit_index(uint32_t bits)
{
    uint32_t place = (bits >> 23 & 0xff) - EXPONENT_PLAIN;

    return place < EXPONENT_ONE - EXPONENT_PLAIN
               ? place + (EXPONENT_PLAIN - EXPONENT_LEAST)
               : UNIT_NONE;
}

static inline void
batch_split_scalar(struct batch *b)
{
    for (unsigned i = 0; i < BATCH; i++)
        decimals_split(b->bits[i], units[unit_index(b->bits[i])], &b->top[i],
                       &b->digits[i]);
}

/* Store the texts. `p` is behind a separator's place, which is written here,
 * and so is the result. */
static inline char *
batch_store(char *p, const struct batch *b)
{
    for (unsigned i = 0; i < BATCH; i++) {
        uint64_t digits = b->digits[i], ascii, head;
        uint32_t bits = b->bits[i];
        char *q;

        if (VECWIRE__UNLIKELY(digits == 0 || (bits & 0x7fffff) == 0)) {
            p[-1] = ',';
            p = single_write(p, bits) + 1;
            continue;
        }
        ascii = digits | VECWIRE__ASCII_ZEROS;
        head = vecwire__word_load(heads[b->top[i]]);
        /* a '-' that is not wanted falls on the separator's place */
        q = p - 1 + (bits >> 31);
        vecwire__word_store(q, head | ascii << 40);
        vecwire__word_store(q + 8, ascii >> 24);
        p[-1] = ',';
        p = q + 14 - (__builtin_clzll(digits) >> 3);
    }
    return p;
}

static inline char *
array_write(char *text, const float *v, size_t n,
            void (*batch_split)(struct batch *b))
{
    struct batch b;
    char *p = text + 1;
    size_t i = 0;

    for (; n - i >= BATCH; i += BATCH) {
        memcpy(b.bits, v + i, sizeof(b.bits));
        batch_split(&b);
        p = batch_store(p, &b);
    }
    for (; i < n; i++) {
        p[-1] = ',';
        p = single_write(p, vecwire__float_bits(v[i])) + 1;
    }
    if (n == 0)
        p++;
    *text = '[';
    p[-1] = ']';
    return p;
}

char *
vecwire__floats_write_scalar(char *text, const float *v, size_t n)
{
    return array_write(text, v, n, batch_split_scalar);
}

#ifdef VECWIRE__SSE2

/* digits_split() in both 64-bit lanes. */
static inline __m128i
digits_split2(__m128i v)
{
    __m128i high =
        _mm_srli_epi64(_mm_mul_epu32(v, _mm_set1_epi64x(109951163)), 40);
    __m128i low = _mm_sub_epi64(v, _mm_mul_epu32(high, _mm_set1_epi64x(10000)));
    __m128i four = _mm_or_si128(high, _mm_slli_epi64(low, 32));
    __m128i hundreds =
        _mm_srli_epi32(_mm_mulhi_epu16(four, _mm_set1_epi32(5243)), 3);
    __m128i rest =
        _mm_sub_epi16(four, _mm_mullo_epi16(hundreds, _mm_set1_epi32(100)));
    __m128i two = _mm_or_si128(hundreds, _mm_slli_epi32(rest, 16));
    __m128i tens = _mm_mulhi_epu16(two, _mm_set1_epi16(6554));
    __m128i ones =
        _mm_sub_epi16(two, _mm_mullo_epi16(tens, _mm_set1_epi16(10)));

    return _mm_or_si128(tens, _mm_slli_epi16(ones, 8));
}

/* shortest_exact() in both 64-bit lanes. Rest and half fit signed compares of
 * 32 bits. */
static inline __m128i
shortest_exact2(__m128i c, __m128i unit)
{
    const __m128i ten = _mm_set1_epi64x(10), one = _mm_set1_epi64x(1);
    __m128i value = _mm_mul_epu32(c, unit);
    __m128i whole = _mm_srli_epi64(value, 27);
    __m128i tens =
        _mm_srli_epi64(_mm_mul_epu32(whole, _mm_set1_epi64x(3435973837u)), 35);
    __m128i down_to = _mm_mul_epu32(tens, ten);
    __m128i rest = _mm_sub_epi64(value, _mm_slli_epi64(down_to, 27));
    __m128i half = _mm_srli_epi64(_mm_slli_epi64(unit, 32), 33);
    __m128i up =
        _mm_cmpgt_epi32(_mm_add_epi32(rest, half), _mm_set1_epi64x(TEN - 1));
    __m128i not_down = _mm_cmpgt_epi32(rest, half);
    __m128i near = _mm_srli_epi64(
        _mm_add_epi64(
            _mm_add_epi64(value, _mm_set1_epi64x(((int64_t)1 << 26) - 1)),
            _mm_and_si128(whole, one)),
        27);
    __m128i to_ten = _mm_add_epi32(down_to, _mm_and_si128(up, ten));
    __m128i keep = _mm_andnot_si128(up, not_down);

    return _mm_xor_si128(to_ten,
                         _mm_and_si128(_mm_xor_si128(to_ten, near), keep));
}

static inline void
batch_split_sse2(struct batch *b)
{
    for (unsigned i = 0; i < BATCH; i += 2) {
        __m128i bits =
            _mm_unpacklo_epi32(_mm_loadl_epi64((const __m128i *)(b->bits + i)),
                               _mm_setzero_si128());
        __m128i c = _mm_or_si128(_mm_and_si128(bits, _mm_set1_epi64x(0x7fffff)),
                                 _mm_set1_epi64x(0x800000));
        const uint64_t *first = units + unit_index(b->bits[i]);
        const uint64_t *second = units + unit_index(b->bits[i + 1]);
        __m128i unit =
            _mm_unpacklo_epi64(_mm_loadl_epi64((const __m128i *)first),
                               _mm_loadl_epi64((const __m128i *)second));
        __m128i n =
            _mm_mul_epu32(shortest_exact2(c, unit), _mm_srli_epi64(unit, 32));
        /* n / 10^8, as in decimals_split() */
        __m128i top = _mm_srli_epi64(
            _mm_mul_epu32(_mm_srli_epi64(n, 8), _mm_set1_epi64x(2882303762u)),
            50);
        __m128i low =
            _mm_sub_epi64(n, _mm_mul_epu32(top, _mm_set1_epi64x(100000000)));

        _mm_store_si128((__m128i *)(b->top + i), top);
        _mm_store_si128((__m128i *)(b->digits + i), digits_split2(low));
    }
}

char *
vecwire__floats_write_sse2(char *text, const float *v, size_t n)
{
    return array_write(text, v, n, batch_split_sse2);
}

#endif

char *
vecwire__floats_write(char *text, const float *v, size_t n)
{
#ifdef VECWIRE__AVX2
    if (__builtin_cpu_supports("avx2"))
        return vecwire__floats_write_avx2(text, v, n);
#endif
#ifdef VECWIRE__SSE2
    return vecwire__floats_write_sse2(text, v, n);
#else
    return vecwire__floats_write_scalar(text, v, n);
#endif
}

static inline uint32_t
bits_are_bad(uint32_t bits)
{
    return (bits & 0x7f800000u) == 0x7f800000u;
}

/* Whether one of 16 floats is NaN or infinite. */
static inline bool
block_is_bad(const float *v)
{
#ifdef VECWIRE__SSE2
    const __m128i exponent = _mm_set1_epi32(0x7f800000);
    __m128i bad = _mm_setzero_si128();

    for (unsigned i = 0; i < BATCH; i += 4) {
        __m128i four = _mm_loadu_si128((const __m128i *)(v + i));

        bad = _mm_or_si128(
            bad, _mm_cmpeq_epi32(_mm_and_si128(four, exponent), exponent));
    }
    return _mm_movemask_epi8(bad) != 0;
#else
    uint32_t bad = 0;

    for (unsigned i = 0; i < BATCH; i++)
        bad |= bits_are_bad(vecwire__float_bits(v[i]));
    return bad != 0;
#endif
}

size_t
vecwire__floats_first_bad(const float *v, size_t n)
{
    size_t i = 0;

    while (n - i >= BATCH && !block_is_bad(v + i))
        i += BATCH;
    while (i < n && !bits_are_bad(vecwire__float_bits(v[i])))
        i++;
    return i;
}
