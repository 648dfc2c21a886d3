/* SPDX-License-Identifier: Apache-2.0 */
/* Fast paths for number tokens whose end is known before they are read, as in
 * an array's commas. They take the usual forms only and say so: what they
 * refuse goes to vecwire__float_read(), which knows the whole grammar.
 *
 * CONTRACT of vecwire__token_fast() and vecwire__token_any(): the token is
 * [s, end) and *end is its readable separator, neither blank nor '-'. With
 * SSE2 the 24 bytes BEFORE `end` are read, however short the token is: they
 * must be readable, what they hold does not matter. Elsewhere nothing outside
 * [s, end) is read. */
#ifndef VECWIRE_CODEC_FLOAT_TOKEN_H
#define VECWIRE_CODEC_FLOAT_TOKEN_H

#include <float.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "codec/float_word.h"

/* Bytes before a token's end that the token functions may read. */
#define VECWIRE__TOKEN_BEHIND 24

/* 1 for the characters that numbers are made of: 0-9 - + . e E. */
extern const uint8_t vecwire__number_char[256];

/* 10^-22 .. 10^22, each correctly rounded. */
extern const double vecwire__pow10[45];

/* 10^0 .. 10^19; [n] is what a digit before n decimals counts. */
extern const uint64_t vecwire__pow10_whole[20];

/* 16 bytes of 0x00, 16 bytes of 0xff: loaded at n they keep the last n. */
extern const uint8_t vecwire__lane_mask[32];

/* Grammar of a number that nobody reads: one byte of state, cut anywhere. */
enum vecwire__number_state {
    N_START,
    N_MINUS,
    N_ZERO,
    N_INT,
    N_DOT,
    N_FRAC,
    N_E,
    N_ESIGN,
    N_EXP,
    N_BAD, /* no number */
    N_STOP /* the character does not belong to a number */
};

/* Whether a number may end in `state`. */
VECWIRE__INLINE bool
vecwire__number_ok(int state)
{
    return state == N_ZERO || state == N_INT || state == N_FRAC ||
           state == N_EXP;
}

/* The state after character `c`; `state` is neither N_BAD nor N_STOP. */
static inline int
vecwire__number_step(int state, char c)
{
    static const uint8_t after_digit[N_BAD] = {
        N_INT, N_INT, N_BAD, N_INT, N_FRAC, N_FRAC, N_EXP, N_EXP, N_EXP};
    bool whole = state == N_ZERO || state == N_INT;

    if ((unsigned)(c - '0') < 10)
        return c == '0' && state <= N_MINUS ? N_ZERO : after_digit[state];
    switch (c) {
    case '.':
        return whole ? N_DOT : N_BAD;
    case 'e':
    case 'E':
        return whole || state == N_FRAC ? N_E : N_BAD;
    case '-':
        return state == N_START ? N_MINUS : state == N_E ? N_ESIGN : N_BAD;
    case '+':
        return state == N_E ? N_ESIGN : N_BAD;
    default:
        return N_STOP;
    }
}

/* 1 when `c` is `want`. Spelled out because gcc's setcc leaves the upper bits
 * of the register as they were: every token would wait for the one before. */
VECWIRE__INLINE uint32_t
vecwire__char_is(char c, char want)
{
    return (((uint32_t)(uint8_t)c ^ (uint32_t)(uint8_t)want) - 1u) >> 31;
}

/* Set the sign bit of `value`, which is not negative. */
VECWIRE__INLINE float
vecwire__float_sign(float value, uint32_t negative)
{
    return vecwire__float_of_bits(vecwire__float_bits(value) | negative << 31);
}

/* w * 10^e rounded to float32, for w < 2^63, -22 <= e <= 20 and a product of
 * at most 10^38. False: too near to a midpoint of two floats to be sure.
 *
 * Why it is right when true: w as a double, the power and the product are off
 * by 2^-53 each, so the double is at most 3 of its units from the number (a
 * dropped tail below 10^-17 of it adds 0.1). Midpoints of normal floats are
 * doubles whose low 29 bits are 2^28, so with those bits more than 4 away
 * from 2^28 number and double are on the same side of every midpoint. The
 * result is 0 or normal. The rounding mode must be the default one. */
VECWIRE__INLINE bool
vecwire__float_conv(uint64_t w, int e, float *out)
{
#if FLT_EVAL_METHOD == 0
    double product = (double)(int64_t)w * vecwire__pow10[e + 22];
    uint64_t bits;

    memcpy(&bits, &product, sizeof(bits));
    *out = (float)product;
    return ((bits - 0x0ffffffcu) & 0x1fffffffu) > 8;
#else
    /* intermediate values wider than double break the argument */
    (void)w;
    (void)e;
    *out = 0.0f;
    return false;
#endif
}

/* Portable vecwire__token_fast(). */
static inline bool
vecwire__token_fast_scalar(const char *s, const char *end, float *out)
{
    uint64_t high, low, w, keep;
    uint32_t negative;
    size_t n;
    unsigned more;
    float value;

    if (s < end && *s == ' ')
        s++;
    negative = s < end ? vecwire__char_is(*s, '-') : 0;
    s += negative;
    n = (size_t)(end - s) - 2;
    /* 6 decimals and more: with "0." the token has 8 bytes to load */
    if (n - 6 > 12 || memcmp(s, "0.", 2) != 0)
        return false;
    more = (unsigned)n;
    w = 0;
    for (s += 2; more > 8; more -= 8, s += 8) {
        high = vecwire__word_load(s) ^ VECWIRE__ASCII_ZEROS;
        if (vecwire__word_nondigits(high) != 0)
            return false;
        w = w * 100000000u + vecwire__word_value(high);
    }
    /* the last 1..8 decimals, as the high bytes of the last word */
    keep = ~(uint64_t)0 << (64 - 8 * more);
    low = (vecwire__word_load(end - 8) ^ VECWIRE__ASCII_ZEROS) & keep;
    if (vecwire__word_nondigits(low) != 0)
        return false;
    for (unsigned i = 0; i < more; i++)
        w *= 10;
    w += vecwire__word_value(low);
    if (!vecwire__float_conv(w, -(int)n, &value))
        return false;
    *out = vecwire__float_sign(value, negative);
    return true;
}

/* Portable vecwire__token_any(). */
bool vecwire__token_any_scalar(const char *s, const char *end, float *out);

/* 64 bytes at `p`: bit i is set when p[i] is a comma. */
VECWIRE__INLINE uint64_t
vecwire__comma_mask64_scalar(const char *p)
{
    const uint64_t low7 = 0x7f7f7f7f7f7f7f7fu;
    uint64_t mask = 0;

    for (unsigned i = 0; i < 64; i += 8) {
        uint64_t word = vecwire__word_load(p + i) ^ 0x2c2c2c2c2c2c2c2cu;

        /* 0x80 in each byte that is zero, then those bits side by side */
        word = ~(((word & low7) + low7) | word | low7);
        mask |= (word >> 7) * 0x0102040810204080u >> 56 << i;
    }
    return mask;
}

#ifdef VECWIRE__SSE2

/* Value of 16 digits (0..9 a lane), the first one in the lowest lane. */
VECWIRE__INLINE uint64_t
vecwire__lanes_value(__m128i v)
{
    uint64_t halves;

    v = _mm_add_epi16(_mm_mullo_epi16(_mm_and_si128(v, _mm_set1_epi16(0xff)),
                                      _mm_set1_epi16(10)),
                      _mm_srli_epi16(v, 8));
    v = _mm_madd_epi16(v, _mm_set1_epi32(0x00010064));
    v = _mm_packs_epi32(v, v);
    v = _mm_madd_epi16(v, _mm_set1_epi32(0x00012710));
    _mm_storel_epi64((__m128i *)&halves, v);
    return (halves & 0xffffffffu) * 100000000u + (halves >> 32);
}

/* Whether each of 16 lanes is 0..9. */
VECWIRE__INLINE bool
vecwire__lanes_are_digits(__m128i v)
{
    __m128i over = _mm_subs_epu8(v, _mm_set1_epi8(9));

    return _mm_movemask_epi8(_mm_cmpeq_epi8(over, _mm_setzero_si128())) ==
           0xffff;
}

VECWIRE__INLINE __m128i
vecwire__lane_mask_last(size_t n)
{
    return _mm_loadu_si128((const __m128i *)(vecwire__lane_mask + n));
}

/* A token "[ ]-?d.d{1,16}" or "[ ]-?0.d{1,19}", the form of nearly all
 * components. True: *out is its value. False: another form, no number, or not
 * certain. */
VECWIRE__INLINE bool
vecwire__token_fast(const char *s, const char *end, float *out)
{
    __m128i v = _mm_sub_epi8(_mm_loadu_si128((const __m128i *)(end - 16)),
                             _mm_set1_epi8('0'));
    uint64_t w = 0;
    uint32_t negative, whole;
    uint16_t front;
    size_t n;
    float value;

    if (VECWIRE__UNLIKELY(*s == ' '))
        s++;
    negative = vecwire__char_is(*s, '-');
    s += negative;
    n = (size_t)(end - s) - 2;
    if (VECWIRE__UNLIKELY(n - 1 > 15)) {
        uint64_t word;
        unsigned shift;

        if (n - 1 > 18 || *s != '0')
            return false;
        /* 1..3 decimals before the 16 of the vector */
        shift = 64 - 8 * (unsigned)(n - 16);
        word = vecwire__word_load(end - 24) ^ VECWIRE__ASCII_ZEROS;
        word = word >> shift << shift;
        if (vecwire__word_nondigits(word) != 0)
            return false;
        w = vecwire__word_value(word);
        if (w > 900)
            return false; /* keeps the sum below 2^63 */
        w *= vecwire__pow10_whole[16];
    } else {
        v = _mm_and_si128(v, vecwire__lane_mask_last(n));
    }
    /* a digit from 1 on is not told apart from 0: which one it is may be
     * anybody's guess */
    memcpy(&front, s, sizeof(front));
    whole = front - (uint32_t)('.' << 8 | '0');
    if (VECWIRE__UNLIKELY(whole > 9))
        return false;
    if (VECWIRE__UNLIKELY(!vecwire__lanes_are_digits(v)))
        return false;
    w += vecwire__lanes_value(v) + whole * vecwire__pow10_whole[n];
    if (VECWIRE__UNLIKELY(!vecwire__float_conv(w, -(int)n, &value)))
        return false;
    *out = vecwire__float_sign(value, negative);
    return true;
}

/* A token "[ ]-?D*[.D*]" of at most 16 characters after the sign: numbers
 * from 1 on and whole ones. Result as vecwire__token_fast(). */
bool vecwire__token_any(const char *s, const char *end, float *out);

VECWIRE__INLINE uint64_t
vecwire__comma_bits16(const char *p)
{
    __m128i v = _mm_loadu_si128((const __m128i *)p);

    return (uint64_t)(unsigned)_mm_movemask_epi8(
        _mm_cmpeq_epi8(v, _mm_set1_epi8(',')));
}

/* 64 bytes at `p`: bit i is set when p[i] is a comma. */
VECWIRE__INLINE uint64_t
vecwire__comma_mask64(const char *p)
{
    return vecwire__comma_bits16(p) | vecwire__comma_bits16(p + 16) << 16 |
           vecwire__comma_bits16(p + 32) << 32 |
           vecwire__comma_bits16(p + 48) << 48;
}

#else

#define vecwire__token_fast vecwire__token_fast_scalar
#define vecwire__token_any vecwire__token_any_scalar
#define vecwire__comma_mask64 vecwire__comma_mask64_scalar

#endif
#endif
