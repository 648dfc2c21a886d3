/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of the JSON reader that are seen at once. */
#ifndef VECWIRE_CODEC_JSON_NUMBER_H
#define VECWIRE_CODEC_JSON_NUMBER_H

#include "codec/float_token.h"

/* The end of the number at `p`, if it has at most 16 characters, a sign aside,
 * and no exponent; NULL otherwise or when that is not seen at once. The lengths
 * come from a mask of the digits: a loop would mispredict its last turn. */
VECWIRE__INLINE const char *
vecwire__json_number_end(const char *p, const char *end)
{
#ifdef VECWIRE__SSE2
    __m128i v;
    unsigned others, whole, decimals;

    p += *p == '-';
    if (end - p < 17)
        return NULL;
    v = _mm_sub_epi8(_mm_loadu_si128((const __m128i *)p), _mm_set1_epi8('0'));
    others = ~(unsigned)_mm_movemask_epi8(
        _mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(9)), v));
    whole = (unsigned)__builtin_ctz(others);
    if (VECWIRE__UNLIKELY(whole == 0 || (*p == '0' && whole > 1)))
        return NULL;
    if (p[whole] == '.') {
        others >>= whole + 1;
        decimals = (unsigned)__builtin_ctz(others);
        if (decimals == 0)
            return NULL;
        whole += 1 + decimals;
    }
    if (VECWIRE__UNLIKELY(vecwire__number_char[(unsigned char)p[whole]]))
        return NULL;
    return p + whole;
#else
    (void)p;
    (void)end;
    return NULL;
#endif
}

/* The number at `p` of the segment that began at `begin`, in the form that
 * vecwire__token_fast() takes; its end, or NULL when it is none of those. */
VECWIRE__INLINE const char *
vecwire__json_float_fast(const char *p, const char *begin, const char *end,
                         float *out)
{
#ifdef VECWIRE__SSE2
    __m128i v, braces;
    unsigned stops;

    if (end - p < 16)
        return NULL;
    v = _mm_loadu_si128((const __m128i *)p);
    /* ']' and '}' differ in 0x20 only */
    braces = _mm_or_si128(v, _mm_set1_epi8(0x20));
    stops = (unsigned)_mm_movemask_epi8(
        _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8(',')),
                     _mm_cmpeq_epi8(braces, _mm_set1_epi8('}'))));
    if (stops == 0)
        return NULL;
    end = p + __builtin_ctz(stops);
    if (end - begin < VECWIRE__TOKEN_BEHIND ||
        !vecwire__token_fast(p, end, out))
        return NULL;
    return end;
#else
    (void)p;
    (void)begin;
    (void)end;
    (void)out;
    return NULL;
#endif
}

#endif
