/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/float_enc.h"

#ifdef VECWIRE__AVX2
#include <immintrin.h>

/* The arithmetic is that of float_enc.c, for 2^-10 <= |v| < 1, eight values at
 * a time. Where 64 bits are needed, the values at even places are in one vector
 * and those at odd places in another.
 *
 * Digits have the last one in the lowest byte. So with v = 100 * h + l, say,
 * h * 2^16 + l is v + h * (2^16 - 100), and subtracting 1 turns the zeros at
 * the end, and only these, into bytes with the high bit set. The text is then
 * put in order, sign included, by one shuffle. */
#define AVX2 __attribute__((target("avx2")))
#define AVX2_INLINE AVX2 VECWIRE__INLINE

#define GROUP 8
#define TEN (10 << 27)

#define EXPONENT_LEAST 117 /* biased: 2^-10 */
#define EXPONENT_MOST 126
#define EXPONENT_TABLE 119 /* below, M is M of this one shifted */

/* ",-0." and ten decimals */
#define TEXT_LEN 14

struct pair {
    __m256i even, odd; /* 64 bits a value */
};

struct group {
    __m256i text[4]; /* 16 bytes a value: 0 4, 1 5, 2 6, 3 7 */
    struct pair length;
    struct pair less; /* digits less 1: below 0 where there is no text */
};

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

/* Ten decimals of the values, 0 for those that have no text here. */
AVX2_INLINE struct pair
decimals8(__m256i bits)
{
    /* by the exponent's low three bits: 120 to 126, then 119 */
    const __m256i units =
        _mm256_setr_epi32(0x4a817c80, 0x0ee6b280, 0x1dcd6500, 0x3b9aca00,
                          0x0bebc200, 0x17d78400, 0x2faf0800, 0x2540be40);
    const __m256i scales = _mm256_setr_epi32(1, 10, 10, 10, 100, 100, 100, 1);
    const __m256i one = _mm256_set1_epi32(0x800000);
    __m256i c = _mm256_or_si256(
        _mm256_and_si256(bits, _mm256_set1_epi32(0x7fffff)), one);
    __m256i biased = _mm256_srli_epi32(_mm256_slli_epi32(bits, 1), 24);
    __m256i place = _mm256_max_epi32(biased, _mm256_set1_epi32(EXPONENT_TABLE));
    __m256i m = _mm256_srlv_epi32(_mm256_permutevar8x32_epi32(units, place),
                                  _mm256_sub_epi32(place, biased));
    __m256i scale = _mm256_permutevar8x32_epi32(scales, place);
    __m256i from = _mm256_sub_epi32(biased, _mm256_set1_epi32(EXPONENT_LEAST));
    __m256i within = _mm256_cmpeq_epi32(
        _mm256_min_epu32(from,
                         _mm256_set1_epi32(EXPONENT_MOST - EXPONENT_LEAST)),
        from);
    __m256i plain = _mm256_andnot_si256(_mm256_cmpeq_epi32(c, one), within);

    return pair_product(shortest_exact8(c, m), _mm256_and_si256(scale, plain));
}

/* Split off the first two of ten decimals: n / 10^8, as in float_enc.c. */
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

/* Two texts out of their parts: eight digits, and a head whose first decimal is
 * at byte `tens`. */
AVX2_INLINE __m256i
two_texts(__m256i parts, __m256i negative, char tens)
{
    const char ones = (char)(tens - 1);
    const __m256i plus = _mm256_broadcastsi128_si256(_mm_setr_epi8(
        15, 10, 11, tens, ones, 7, 6, 5, 4, 3, 2, 1, 0, -1, -1, -1));
    const __m256i minus = _mm256_broadcastsi128_si256(_mm_setr_epi8(
        15, 14, 10, 11, tens, ones, 7, 6, 5, 4, 3, 2, 1, 0, -1, -1));

    return _mm256_shuffle_epi8(parts,
                               _mm256_blendv_epi8(plus, minus, negative));
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

AVX2_INLINE struct group
group_make(__m256i bits)
{
    const __m256i zeros = _mm256_set1_epi8('0');
    const __m256i one = _mm256_set1_epi64x(1);
    struct pair n = decimals8(bits);
    struct pair top = {first_two(n.even), first_two(n.odd)};
    struct pair digits = {other_eight(n.even, top.even),
                          other_eight(n.odd, top.odd)};
    /* both values' two decimals, and what each text begins with */
    __m256i head =
        _mm256_add_epi8(two_digits(pair_join(top)),
                        _mm256_set1_epi64x(0x2c2d30302e303030)); /* ,-00.000 */
    __m256i even = _mm256_or_si256(digits.even, zeros);
    __m256i odd = _mm256_or_si256(digits.odd, zeros);
    __m256i negative = _mm256_srai_epi32(bits, 31);
    __m256i length =
        _mm256_sub_epi32(_mm256_set1_epi32(TEXT_LEN - 1), negative);
    struct group g;

    g.text[0] = two_texts(_mm256_unpacklo_epi64(even, head),
                          _mm256_shuffle_epi32(negative, 0x00), 9);
    g.text[1] = two_texts(_mm256_unpacklo_epi64(odd, head),
                          _mm256_shuffle_epi32(negative, 0x55), 13);
    g.text[2] = two_texts(_mm256_unpackhi_epi64(even, head),
                          _mm256_shuffle_epi32(negative, 0xaa), 9);
    g.text[3] = two_texts(_mm256_unpackhi_epi64(odd, head),
                          _mm256_shuffle_epi32(negative, 0xff), 13);
    g.less.even = _mm256_sub_epi64(digits.even, one);
    g.less.odd = _mm256_sub_epi64(digits.odd, one);
    g.length.even = _mm256_sub_epi64(
        _mm256_blend_epi32(length, _mm256_setzero_si256(), 0xaa),
        zeros_below(g.less.even));
    g.length.odd = _mm256_sub_epi64(_mm256_srli_epi64(length, 32),
                                    zeros_below(g.less.odd));
    return g;
}

/* A group in memory; lengths of the values at even places first. */
struct stored {
    uint64_t length[2][GROUP / 2];
    char text[GROUP / 2][2][16];
} __attribute__((aligned(32)));

/* Store a group of which some values, by `none`, have no text here. */
static VECWIRE__NOINLINE char *
group_store_mixed(char *p, const struct stored *s, const float *v,
                  unsigned none)
{
    for (unsigned i = 0; i < GROUP; i++) {
        unsigned half = i & 1, place = i >> 1;

        if (none >> (half * 4 + place) & 1) {
            *p++ = ',';
            p += vecwire__float_write(p, v[i]);
        } else {
            memcpy(p, s->text[i & 3][i >> 2], 16);
            p += s->length[half][place];
        }
    }
    return p;
}

AVX2_INLINE void
text_store(char *p, __m128i text)
{
    _mm_storeu_si128((__m128i *)(void *)p, text);
}

AVX2 static char *
groups_write(char *p, const float *v, size_t n)
{
    struct stored s;

    for (size_t i = 0; i < n; i += GROUP) {
        struct group g = group_make(
            _mm256_loadu_si256((const __m256i *)(const void *)(v + i)));
        unsigned none =
            (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(g.less.even)) |
            (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(g.less.odd)) << 4;

        _mm256_store_si256((__m256i *)(void *)s.length[0], g.length.even);
        _mm256_store_si256((__m256i *)(void *)s.length[1], g.length.odd);
        if (VECWIRE__UNLIKELY(none != 0)) {
            _mm256_store_si256((__m256i *)(void *)s.text[0], g.text[0]);
            _mm256_store_si256((__m256i *)(void *)s.text[1], g.text[1]);
            _mm256_store_si256((__m256i *)(void *)s.text[2], g.text[2]);
            _mm256_store_si256((__m256i *)(void *)s.text[3], g.text[3]);
            _mm256_zeroupper();
            p = group_store_mixed(p, &s, v + i, none);
            continue;
        }
        text_store(p, _mm256_castsi256_si128(g.text[0]));
        p += s.length[0][0];
        text_store(p, _mm256_castsi256_si128(g.text[1]));
        p += s.length[1][0];
        text_store(p, _mm256_castsi256_si128(g.text[2]));
        p += s.length[0][1];
        text_store(p, _mm256_castsi256_si128(g.text[3]));
        p += s.length[1][1];
        text_store(p, _mm256_extracti128_si256(g.text[0], 1));
        p += s.length[0][2];
        text_store(p, _mm256_extracti128_si256(g.text[1], 1));
        p += s.length[1][2];
        text_store(p, _mm256_extracti128_si256(g.text[2], 1));
        p += s.length[0][3];
        text_store(p, _mm256_extracti128_si256(g.text[3], 1));
        p += s.length[1][3];
    }
    /* SSE code that runs with the upper halves in use is slow, and gcc 12 has
     * been seen to leave this out */
    _mm256_zeroupper();
    return p;
}

char *
vecwire__floats_write_avx2(char *text, const float *v, size_t n)
{
    size_t i = n / GROUP * GROUP;
    char *p = groups_write(text, v, i);

    for (; i < n; i++) {
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
