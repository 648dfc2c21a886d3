/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/float_enc.h"

#ifdef VECWIRE__AVX2
#include <immintrin.h>
#include <stdbool.h>

/* The arithmetic is that of float_enc.c for 2^-16 <= |v| < 1000 and for 0,
 * eight values at a time and no branch for any of them. Where 64 bits are
 * needed, the values at even places are in one vector and those at odd places
 * in another.
 *
 * M. With g = floor(e * 0.2995) for the biased exponent e, m is 45 - g from
 * 2^-16 to 2^10: three or four exponents in turn have the same g, from 33 to
 * 40. And M = 5^m * 2^(27 + q + m) = 5^m * 2^(e - 78 - g), since q = e - 150.
 *
 * Digits. Every value has ten: v * 10^13 below 2^-10, v * 10^10 below 1, and
 * v * 10^7 from 1 on. They have the last one in the lowest byte. So with
 * v = 100 * h + l, say, h * 2^16 + l is v + h * (2^16 - 100), and subtracting 1
 * turns the zeros at the end, and only these, into bytes with the high bit set.
 *
 * Text. Digits, sign, point and zeros are put in order by one shuffle, whose
 * row in orders[] depends on where the point stands. */
#define AVX2 __attribute__((target("avx2")))
#define AVX2_INLINE AVX2 VECWIRE__INLINE

#define GROUP 8
#define TEN (10 << 27)
#define G_FACTOR 19628 /* 0.2995 * 2^16 */

/* bits of floats */
#define BITS_LEAST 0x37800000 /* 2^-16 */
#define BITS_PLAIN 0x3a800000 /* 2^-10 */
#define BITS_1 0x3f800000
#define BITS_10 0x41200000
#define BITS_100 0x42c80000
#define BITS_1000 0x447a0000

/* What a text is made of: the last eight digits at 0 to 7, then PARTS and the
 * first two digits, added at 9 and 8. */
#define PARTS 0x2c2d30302e303030
enum { ZERO = 10, POINT, MINUS = 14, COMMA, NONE = 0x80 };

/* Orders of the parts, each without and with a sign. Digits after the point
 * come last, the last of them cut where there is no more room: it is 0. */
static const uint8_t orders[10][16] __attribute__((aligned(32))) = {
    /* 0.000dddddddddd */
    {COMMA, ZERO, POINT, ZERO, ZERO, ZERO, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0},
    {COMMA, MINUS, ZERO, POINT, ZERO, ZERO, ZERO, 9, 8, 7, 6, 5, 4, 3, 2, 1},
    /* 0.dddddddddd */
    {COMMA, ZERO, POINT, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, NONE, NONE, NONE},
    {COMMA, MINUS, ZERO, POINT, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, NONE, NONE},
    /* d.ddddddd */
    {COMMA, 7, POINT, 6, 5, 4, 3, 2, 1, 0, NONE, NONE, NONE, NONE, NONE, NONE},
    {COMMA, MINUS, 7, POINT, 6, 5, 4, 3, 2, 1, 0, NONE, NONE, NONE, NONE, NONE},
    /* dd.ddddddd */
    {COMMA, 8, 7, POINT, 6, 5, 4, 3, 2, 1, 0, NONE, NONE, NONE, NONE, NONE},
    {COMMA, MINUS, 8, 7, POINT, 6, 5, 4, 3, 2, 1, 0, NONE, NONE, NONE, NONE},
    /* ddd.ddddddd */
    {COMMA, 9, 8, 7, POINT, 6, 5, 4, 3, 2, 1, 0, NONE, NONE, NONE, NONE},
    {COMMA, MINUS, 9, 8, 7, POINT, 6, 5, 4, 3, 2, 1, 0, NONE, NONE, NONE}};

struct pair {
    __m256i even, odd; /* 64 bits a value */
};

struct group {
    __m256i parts[4]; /* 16 bytes a value: 0 4, 1 5, 2 6, 3 7 */
    __m256i plan;     /* as struct plan */
    unsigned none;    /* by bits, the values that have no text here */
};

/* How a value's text is made: its bytes, and the row of orders[]. */
struct plan {
    uint8_t length, order, unused[2];
};
#define PLAN(order, length) ((order) << 8 | (length))

/* Both halves' low 32 bits in the order of the values. */
AVX2_INLINE __m256i
pair_join(struct pair p)
{
    return _mm256_blend_epi32(p.even, _mm256_slli_epi64(p.odd, 32), 0xaa);
}

AVX2_INLINE struct pair
pair_product(__m256i a, __m256i b)
{
    struct pair p = {
        _mm256_mul_epu32(a, b),
        _mm256_mul_epu32(_mm256_srli_epi64(a, 32), _mm256_srli_epi64(b, 32))};

    return p;
}

/* c * M as shortest_exact() in float_enc.c rounds it. */
AVX2_INLINE __m256i
shortest_exact8(__m256i c, __m256i m)
{
    const __m256i tenth = _mm256_set1_epi64x(3435973837u);
    struct pair value = pair_product(c, m);
    __m256i even = _mm256_mul_epu32(_mm256_srli_epi64(value.even, 27), tenth);
    __m256i odd = _mm256_mul_epu32(_mm256_srli_epi64(value.odd, 27), tenth);
    __m256i tens = _mm256_srli_epi32(
        _mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xaa), 3);
    __m256i fives = _mm256_add_epi32(tens, _mm256_slli_epi32(tens, 2));
    __m256i rest =
        _mm256_sub_epi32(pair_join(value), _mm256_slli_epi32(fives, 28));
    __m256i half = _mm256_srli_epi32(m, 1);
    __m256i up = _mm256_cmpgt_epi32(_mm256_add_epi32(rest, half),
                                    _mm256_set1_epi32(TEN - 1));
    __m256i not_down = _mm256_cmpgt_epi32(rest, half);
    /* the last digit, to nearest; its parity is that of the whole number */
    __m256i odd_bit =
        _mm256_and_si256(_mm256_srli_epi32(rest, 27), _mm256_set1_epi32(1));
    __m256i near = _mm256_srli_epi32(
        _mm256_add_epi32(
            _mm256_add_epi32(rest, _mm256_set1_epi32((1 << 26) - 1)), odd_bit),
        27);
    __m256i last =
        _mm256_max_epi32(_mm256_and_si256(near, not_down),
                         _mm256_and_si256(up, _mm256_set1_epi32(10)));

    return _mm256_add_epi32(_mm256_add_epi32(fives, fives), last);
}

/* By value: M, and what makes ten digits of the shortest decimal. */
struct units {
    __m256i m, scale;
};

/* Of floats without a sign from 2^-16 to below 1024. */
AVX2_INLINE struct units
units_by_exponent(__m256i bits)
{
    /* by g modulo 8: 40, then 33 to 39 */
    const __m256i fives = _mm256_setr_epi32(3125, 244140625, 48828125, 9765625,
                                            1953125, 390625, 78125, 15625);
    const __m256i scales = _mm256_setr_epi32(100, 10, 100, 1, 10, 100, 1, 10);
    __m256i biased = _mm256_srli_epi32(bits, 23);
    __m256i g = _mm256_mulhi_epu16(biased, _mm256_set1_epi32(G_FACTOR));
    __m256i shift =
        _mm256_sub_epi32(_mm256_sub_epi32(biased, _mm256_set1_epi32(78)), g);
    struct units u = {
        _mm256_sllv_epi32(_mm256_permutevar8x32_epi32(fives, g), shift),
        _mm256_permutevar8x32_epi32(scales, g)};

    return u;
}

/* Split off the first two of ten digits: n / 10^8, as in float_enc.c. */
AVX2_INLINE __m256i
first_two(__m256i n)
{
    return _mm256_srli_epi64(_mm256_mul_epu32(_mm256_srli_epi64(n, 8),
                                              _mm256_set1_epi64x(2882303762u)),
                             50);
}

/* v < 100 in each 16 bits as two digits, the last one lower. */
AVX2_INLINE __m256i
two_digits(__m256i v)
{
    __m256i tens = _mm256_mulhi_epu16(v, _mm256_set1_epi16(6554));
    __m256i factor = _mm256_set1_epi16(256 - 10);

    /* else gcc makes four shifts and subtractions of the multiplication */
    __asm__("" : "+x"(factor));
    return _mm256_add_epi16(v, _mm256_mullo_epi16(tens, factor));
}

/* The eight digits after the first two, the last one lowest. */
AVX2_INLINE __m256i
other_eight(__m256i n, __m256i top)
{
    __m256i low = _mm256_sub_epi64(
        n, _mm256_mul_epu32(top, _mm256_set1_epi64x(100000000)));
    __m256i high = _mm256_srli_epi64(
        _mm256_mul_epu32(low, _mm256_set1_epi64x(109951163)), 40);
    __m256i fours = _mm256_add_epi64(
        low, _mm256_mul_epu32(high, _mm256_set1_epi64x(0x100000000 - 10000)));
    __m256i hundreds = _mm256_srli_epi32(
        _mm256_mulhi_epu16(fours, _mm256_set1_epi32(5243)), 3);

    return two_digits(_mm256_add_epi32(
        fours, _mm256_mullo_epi32(hundreds, _mm256_set1_epi32(0x10000 - 100))));
}

/* How many zeros the digits end with, given those digits less 1. */
AVX2_INLINE __m256i
zeros_below(__m256i less)
{
    return _mm256_srli_epi64(
        _mm256_sad_epu8(_mm256_and_si256(less, _mm256_set1_epi8(-128)),
                        _mm256_setzero_si256()),
        7);
}

/* The text's digits. The first two are bytes 1 and 0 of each 32 bits. */
struct ten {
    struct pair eight;
    __m256i two;
};

AVX2_INLINE struct ten
digits_make(__m256i bits, struct units units)
{
    __m256i c =
        _mm256_or_si256(_mm256_and_si256(bits, _mm256_set1_epi32(0x7fffff)),
                        _mm256_set1_epi32(0x800000));
    struct pair n = pair_product(shortest_exact8(c, units.m), units.scale);
    struct pair top = {first_two(n.even), first_two(n.odd)};
    struct ten ten;

    ten.eight.even = other_eight(n.even, top.even);
    ten.eight.odd = other_eight(n.odd, top.odd);
    ten.two = two_digits(pair_join(top));
    return ten;
}

/* By value: all bits set where bits >= `least`, neither negative. */
AVX2_INLINE __m256i
from_on(__m256i bits, int least)
{
    return _mm256_cmpgt_epi32(bits, _mm256_set1_epi32(least - 1));
}

/* Which bits, without a sign, are from `least` on and below `end`: by value,
 * a bit that is set where not. */
AVX2_INLINE unsigned
outside(__m256i bits, int least, int end)
{
    __m256i from = _mm256_sub_epi32(bits, _mm256_set1_epi32(least));
    __m256i within = _mm256_cmpeq_epi32(
        _mm256_min_epu32(from, _mm256_set1_epi32(end - least - 1)), from);

    return 0xff ^ (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(within));
}

/* How many zeros at the end a text leaves out, its point too if all decimals
 * are zeros. */
AVX2_INLINE __m256i
zeros_count(const struct ten *ten, __m256i from_1, __m256i *no_decimals)
{
    const __m256i one = _mm256_set1_epi64x(1);
    const __m256i first = _mm256_set1_epi64x((long long)0xff00000000000000);
    __m256i even = _mm256_slli_epi64(from_1, 56);
    __m256i odd = _mm256_and_si256(from_1, first);
    /* from 1 on, the first of the eight is no decimal; without it, a whole
     * number's zeros are eight, which makes one for the point */
    struct pair less = {
        _mm256_sub_epi64(_mm256_andnot_si256(even, ten->eight.even), one),
        _mm256_sub_epi64(_mm256_andnot_si256(odd, ten->eight.odd), one)};

    *no_decimals =
        _mm256_blend_epi32(_mm256_srli_epi64(less.even, 32), less.odd, 0xaa);
    return _mm256_add_epi32(zeros_below(less.even),
                            _mm256_slli_epi64(zeros_below(less.odd), 32));
}

/* The group's plan, but for zeros at the end. */
AVX2_INLINE __m256i
plan_make(__m256i signed_bits, __m256i bits, __m256i from_1, bool below_1)
{
    /* by where the point stands, lengths without a sign */
    const __m256i plans =
        _mm256_setr_epi32(PLAN(0, 16), PLAN(2, 13), PLAN(4, 10), PLAN(6, 11),
                          PLAN(8, 12), 0, 0, 0);
    __m256i negative = _mm256_srai_epi32(signed_bits, 31);
    __m256i plain = from_on(bits, BITS_PLAIN), plan;

    if (below_1) {
        plan = _mm256_add_epi32(
            _mm256_set1_epi32(PLAN(0, 16)),
            _mm256_and_si256(plain,
                             _mm256_set1_epi32(PLAN(2, 13) - PLAN(0, 16))));
    } else {
        __m256i minus = _mm256_add_epi32(
            _mm256_add_epi32(plain, from_1),
            _mm256_add_epi32(from_on(bits, BITS_10), from_on(bits, BITS_100)));

        plan = _mm256_permutevar8x32_epi32(plans, _mm256_abs_epi32(minus));
    }
    return _mm256_add_epi32(
        plan, _mm256_and_si256(negative, _mm256_set1_epi32(PLAN(1, 1))));
}

/* `below_1` leaves out what only floats from 1 on, 0 and those of one or two
 * decimals need. */
AVX2_INLINE struct group
group_make(__m256i signed_bits, bool below_1)
{
    const __m256i ascii = _mm256_set1_epi8('0');
    const __m256i parts = _mm256_set1_epi64x(PARTS);
    const __m256i none = _mm256_setzero_si256();
    __m256i bits = _mm256_and_si256(signed_bits, _mm256_set1_epi32(0x7fffffff));
    __m256i from_1 = none, zero = none, zeros, no_decimals, even, odd;
    struct units units;
    struct pair head;
    struct group g;
    struct ten ten;

    if (!below_1) {
        /* 0 has the form of 1 */
        zero = _mm256_cmpeq_epi32(bits, none);
        bits = _mm256_or_si256(
            bits, _mm256_and_si256(zero, _mm256_set1_epi32(BITS_1)));
        from_1 = from_on(bits, BITS_1);
    }
    units = units_by_exponent(bits);
    units.scale = _mm256_andnot_si256(zero, units.scale);
    ten = digits_make(bits, units);
    zeros = zeros_count(&ten, from_1, &no_decimals);
    g.none = outside(bits, BITS_LEAST, below_1 ? BITS_1 : BITS_1000);
    if (below_1) {
        g.none |=
            (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(no_decimals));
    } else {
        /* the second digit may be one more zero */
        __m256i second =
            _mm256_cmpeq_epi32(_mm256_slli_epi32(ten.two, 24), none);

        second = _mm256_and_si256(second, _mm256_srai_epi32(no_decimals, 31));
        zeros = _mm256_sub_epi32(zeros, _mm256_andnot_si256(from_1, second));
    }
    g.plan =
        _mm256_sub_epi32(plan_make(signed_bits, bits, from_1, below_1), zeros);
    head.even = _mm256_add_epi8(ten.two, parts);
    head.odd = _mm256_add_epi8(_mm256_srli_epi64(ten.two, 32), parts);
    even = _mm256_or_si256(ten.eight.even, ascii);
    odd = _mm256_or_si256(ten.eight.odd, ascii);
    g.parts[0] = _mm256_unpacklo_epi64(even, head.even);
    g.parts[1] = _mm256_unpacklo_epi64(odd, head.odd);
    g.parts[2] = _mm256_unpackhi_epi64(even, head.even);
    g.parts[3] = _mm256_unpackhi_epi64(odd, head.odd);
    return g;
}

/* Store one text, ',' first. Returns where the next one begins. */
AVX2_INLINE char *
text_store(char *p, __m128i parts, const struct plan *plan)
{
    const void *order = orders[plan->order];

    _mm_storeu_si128((__m128i *)(void *)p,
                     _mm_shuffle_epi8(parts, _mm_load_si128(order)));
    return p + plan->length;
}

AVX2_INLINE char *
group_store(char *p, const struct group *g)
{
    struct plan plans[GROUP] __attribute__((aligned(32)));

    _mm256_store_si256((__m256i *)(void *)plans, g->plan);
    /* else clang takes them out of the vector one by one, which is slower */
    __asm__("" : "+m"(plans));
    p = text_store(p, _mm256_castsi256_si128(g->parts[0]), plans);
    p = text_store(p, _mm256_castsi256_si128(g->parts[1]), plans + 1);
    p = text_store(p, _mm256_castsi256_si128(g->parts[2]), plans + 2);
    p = text_store(p, _mm256_castsi256_si128(g->parts[3]), plans + 3);
    p = text_store(p, _mm256_extracti128_si256(g->parts[0], 1), plans + 4);
    p = text_store(p, _mm256_extracti128_si256(g->parts[1], 1), plans + 5);
    p = text_store(p, _mm256_extracti128_si256(g->parts[2], 1), plans + 6);
    return text_store(p, _mm256_extracti128_si256(g->parts[3], 1), plans + 7);
}

/* Store a group of which some values have no text here. */
AVX2 static VECWIRE__NOINLINE char *
group_store_mixed(char *p, const struct group *g, const float *v)
{
    struct plan plans[GROUP] __attribute__((aligned(32)));

    _mm256_store_si256((__m256i *)(void *)plans, g->plan);
    for (unsigned i = 0; i < GROUP; i++) {
        if (g->none >> i & 1) {
            *p++ = ',';
            p += vecwire__float_write(p, v[i]);
        } else {
            p = text_store(p, ((const __m128i *)&g->parts[i & 3])[i >> 2],
                           plans + i);
        }
    }
    return p;
}

/* Groups of floats: where they begin, then where they have ended. */
struct run {
    char *p;
    const float *v, *end;
};

AVX2_INLINE __m256i
bits_load(const float *v)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)v);
}

AVX2_INLINE bool
group_is_below_1(const float *v)
{
    return outside(
               _mm256_and_si256(bits_load(v), _mm256_set1_epi32(0x7fffffff)),
               BITS_LEAST, BITS_1) == 0;
}

/* Groups up to the first that has more than decimals from 2^-16 to 1. */
AVX2 static VECWIRE__NOINLINE void
run_below_1(struct run *run)
{
    char *p = run->p;
    const float *v = run->v;

    for (; v != run->end; v += GROUP) {
        struct group g = group_make(bits_load(v), true);

        if (VECWIRE__UNLIKELY(g.none != 0))
            break;
        p = group_store(p, &g);
    }
    /* SSE code that runs with the upper halves in use is slow, and gcc 12 has
     * been seen to leave this out */
    _mm256_zeroupper();
    run->p = p;
    run->v = v;
}

/* A group of any floats, and more until one is below 1. */
AVX2 static VECWIRE__NOINLINE void
run_any(struct run *run)
{
    char *p = run->p;
    const float *v = run->v;

    do {
        struct group g = group_make(bits_load(v), false);

        if (VECWIRE__UNLIKELY(g.none != 0)) {
            struct group copy = g; /* so that only the copy is in memory */

            _mm256_zeroupper();
            p = group_store_mixed(p, &copy, v);
        } else {
            p = group_store(p, &g);
        }
        v += GROUP;
    } while (v != run->end && !group_is_below_1(v));
    _mm256_zeroupper();
    run->p = p;
    run->v = v;
}

char *
vecwire__floats_write_avx2(char *text, const float *v, size_t n)
{
    size_t i = n / GROUP * GROUP;
    struct run run = {text, v, v + i};
    char *p;

    while (run.v != run.end) {
        run_below_1(&run);
        if (run.v != run.end)
            run_any(&run);
    }
    for (p = run.p; i < n; i++) {
        *p++ = ',';
        p += vecwire__float_write(p, v[i]);
    }
    if (n == 0)
        p++;
    *text = '[';
    *p++ = ']';
    return p;
}
#endif
