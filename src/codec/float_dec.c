/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/float_dec.h"

#include "codec/float_token.h"

#define DIGITS_KEPT 18 /* what fits a signed 64-bit integer for certain */

/* A token taken apart: w * 10^exponent, where digits after the first 18 are
 * dropped from w. Exponents beyond any possible length stay at the limit. */
struct decimal {
    const char *first; /* first digit that is not 0; NULL when all are */
    uint64_t w;
    int64_t exponent;
    int kept; /* digits in w */
    bool negative;
};

#define EXPONENT_LIMIT ((int64_t)1 << 61)

const double vecwire__pow10[45] = {
    1e-22, 1e-21, 1e-20, 1e-19, 1e-18, 1e-17, 1e-16, 1e-15, 1e-14,
    1e-13, 1e-12, 1e-11, 1e-10, 1e-9,  1e-8,  1e-7,  1e-6,  1e-5,
    1e-4,  1e-3,  1e-2,  1e-1,  1e0,   1e1,   1e2,   1e3,   1e4,
    1e5,   1e6,   1e7,   1e8,   1e9,   1e10,  1e11,  1e12,  1e13,
    1e14,  1e15,  1e16,  1e17,  1e18,  1e19,  1e20,  1e21,  1e22};

const uint64_t vecwire__pow10_whole[20] = {1u,
                                           10u,
                                           100u,
                                           1000u,
                                           10000u,
                                           100000u,
                                           1000000u,
                                           10000000u,
                                           100000000u,
                                           1000000000u,
                                           10000000000u,
                                           100000000000u,
                                           1000000000000u,
                                           10000000000000u,
                                           100000000000000u,
                                           1000000000000000u,
                                           10000000000000000u,
                                           100000000000000000u,
                                           1000000000000000000u,
                                           10000000000000000000u};

const uint8_t vecwire__lane_mask[32] = {0,   0,   0,   0,   0,   0,   0,   0,
                                        0,   0,   0,   0,   0,   0,   0,   0,
                                        255, 255, 255, 255, 255, 255, 255, 255,
                                        255, 255, 255, 255, 255, 255, 255, 255};

const uint8_t vecwire__number_char[256] = {
    ['0'] = 1, ['1'] = 1, ['2'] = 1, ['3'] = 1, ['4'] = 1,
    ['5'] = 1, ['6'] = 1, ['7'] = 1, ['8'] = 1, ['9'] = 1,
    ['-'] = 1, ['+'] = 1, ['.'] = 1, ['e'] = 1, ['E'] = 1};

static bool
digit_at(const char *p, const char *end)
{
    return p < end && (unsigned)(*p - '0') < 10;
}

/* Take a run of digits into `number`. Each one kept moves the point one place
 * for `step` (0 in the whole part, -1 behind the point), each one dropped one
 * place more. */
static const char *
digits_take(const char *p, const char *end, int step, struct decimal *number)
{
    for (; digit_at(p, end); p++) {
        number->exponent += step;
        if (number->kept == DIGITS_KEPT) {
            number->exponent++;
            continue;
        }
        number->w = number->w * 10 + (unsigned)(*p - '0');
        if (number->w == 0)
            continue;
        if (number->kept++ == 0)
            number->first = p;
    }
    return p;
}

/* Take the exponent behind its mark; NULL when there is none. */
static const char *
exponent_take(const char *p, const char *end, struct decimal *number)
{
    bool negative = p < end && *p == '-';
    int64_t exponent = 0;

    if (p < end && (*p == '-' || *p == '+'))
        p++;
    if (!digit_at(p, end))
        return NULL;
    for (; digit_at(p, end); p++) {
        if (exponent < EXPONENT_LIMIT / 10)
            exponent = exponent * 10 + (*p - '0');
    }
    number->exponent += negative ? -exponent : exponent;
    return p;
}

/* The grammar of RFC 8259; false when [p, end) is not exactly a number. */
static bool
number_take(const char *p, const char *end, struct decimal *number)
{
    memset(number, 0, sizeof(*number));
    number->negative = p < end && *p == '-';
    p += number->negative;
    if (!digit_at(p, end))
        return false;
    if (*p == '0')
        p++;
    else
        p = digits_take(p, end, 0, number);
    if (p < end && *p == '.') {
        p++;
        if (!digit_at(p, end))
            return false;
        p = digits_take(p, end, -1, number);
    }
    if (p < end && (*p == 'e' || *p == 'E')) {
        p = exponent_take(p + 1, end, number);
        if (p == NULL)
            return false;
    }
    return p == end;
}

/* Bits of the float nearest to `number`, which is not 0; sign aside. */
static uint32_t
decimal_round(const struct decimal *number, const char *end)
{
    int64_t lead = number->exponent + number->kept - 1;
    float value;

    /* w has 18 digits when any was dropped, which float_conv allows for */
    if (number->exponent >= -22 && number->exponent <= 20 &&
        vecwire__float_conv(number->w, (int)number->exponent, &value))
        return vecwire__float_bits(value);
    if (lead < -46)
        return 0; /* below 10^-46, half the least float is 7.006e-46 */
    if (lead > 38)
        return 0x7f800000u;
    return vecwire__float_exact(number->first, end, (int)lead);
}

int
vecwire__float_read(const char *p, const char *end, float *out)
{
    struct decimal number;
    uint32_t bits = 0;

    if (!number_take(p, end, &number))
        return 0;
    if (number.w != 0)
        bits = decimal_round(&number, end);
    *out = vecwire__float_of_bits(bits | (uint32_t)number.negative << 31);
    return bits == 0x7f800000u ? 2 : 1;
}

bool
vecwire__u64_read(const char *p, const char *end, uint64_t *out)
{
    uint64_t w = 0;

    if (!digit_at(p, end) || (*p == '0' && end - p > 1))
        return false;
    for (; p < end; p++) {
        if (!digit_at(p, end) || __builtin_mul_overflow(w, 10u, &w) ||
            __builtin_add_overflow(w, (uint64_t)(*p - '0'), &w))
            return false;
    }
    *out = w;
    return true;
}

VECWIRE__NOINLINE bool
vecwire__token_any_scalar(const char *s, const char *end, float *out)
{
    uint32_t negative;
    uint64_t w = 0;
    ptrdiff_t len;
    int decimals = 0;
    bool point = false;
    float value;

    if (s < end && *s == ' ')
        s++;
    negative = s < end ? vecwire__char_is(*s, '-') : 0;
    s += negative;
    len = end - s;
    if (len < 1 || len > 16 || *s == '.' || end[-1] == '.' ||
        (*s == '0' && len > 1 && s[1] != '.'))
        return false;
    for (; s < end; s++) {
        if (*s == '.' && !point) {
            point = true;
            continue;
        }
        if (!digit_at(s, end))
            return false;
        w = w * 10 + (unsigned)(*s - '0');
        decimals += point;
    }
    if (!vecwire__float_conv(w, -decimals, &value))
        return false;
    *out = vecwire__float_sign(value, negative);
    return true;
}

#ifdef VECWIRE__SSE2

VECWIRE__NOINLINE bool
vecwire__token_any(const char *s, const char *end, float *out)
{
    __m128i v = _mm_loadu_si128((const __m128i *)(end - 16));
    __m128i digits = _mm_sub_epi8(v, _mm_set1_epi8('0'));
    uint32_t negative;
    unsigned points, len, decimals = 0;
    float value;

    if (*s == ' ')
        s++;
    negative = vecwire__char_is(*s, '-');
    s += negative;
    if ((size_t)(end - s) - 1 > 15 || (*s == '0' && end - s > 1 && s[1] != '.'))
        return false;
    len = (unsigned)(end - s);
    points =
        (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8('.'))) >>
        (16 - len) << (16 - len);
    if (points != 0) {
        unsigned lane = (unsigned)__builtin_ctz(points);
        __m128i behind;

        decimals = 15 - lane;
        if ((points & (points - 1)) != 0 || decimals == 0 || lane == 16 - len)
            return false;
        /* close the gap: lanes up to the point take their left neighbour */
        behind = vecwire__lane_mask_last(decimals);
        digits =
            _mm_or_si128(_mm_and_si128(digits, behind),
                         _mm_andnot_si128(behind, _mm_slli_si128(digits, 1)));
        len--;
    }
    digits = _mm_and_si128(digits, vecwire__lane_mask_last(len));
    if (!vecwire__lanes_are_digits(digits) ||
        !vecwire__float_conv(vecwire__lanes_value(digits), -(int)decimals,
                             &value))
        return false;
    *out = vecwire__float_sign(value, negative);
    return true;
}

#endif
