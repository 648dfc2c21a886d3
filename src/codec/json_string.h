/* SPDX-License-Identifier: Apache-2.0 */
/* Text inside of JSON strings: plain runs, UTF-8, escapes. */
#ifndef VECWIRE_CODEC_JSON_STRING_H
#define VECWIRE_CODEC_JSON_STRING_H

#include <stdbool.h>
#include <stddef.h>

#include "codec/float_word.h"

/* The first byte of [p, end) that is not plain ASCII: a quote, a backslash, a
 * control character, a byte of a longer character; `end` without any. */
const char *vecwire__json_plain_end(const char *p, const char *end);

/* The character of 2 to 4 bytes at `s`, of which `n` bytes are there. > 0: its
 * length; 0: more bytes needed; < 0: -1 - index of the byte at fault. */
int vecwire__utf8_char(const char *s, size_t n);

/* Is all of it UTF-8? */
bool vecwire__utf8_valid(const char *text, size_t len);

/* From a byte >= 0x80 on: longer characters with single ASCII ones between.
 * Result as above for the character at *pp then; 1 when that is plain text or
 * the end. */
int vecwire__utf8_run(const char **pp, const char *end);

/* The escape at `s`, a pair of surrogates included; result as of utf8_char.
 * `out` is its UTF-8 text of *n_out bytes. */
int vecwire__json_escape(const char *s, size_t n, char out[4], size_t *n_out);

#ifdef VECWIRE__SSE2

/* 16 bytes at `p`: the bits of those that are plain ASCII. */
VECWIRE__INLINE unsigned
vecwire__json_plain16(const char *p)
{
    __m128i v = _mm_loadu_si128((const __m128i *)p);
    __m128i special = _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('"')),
                                   _mm_cmpeq_epi8(v, _mm_set1_epi8('\\')));

    /* signed: bytes from 0x80 on are below 0x20, too */
    return (unsigned)_mm_movemask_epi8(
        _mm_andnot_si128(special, _mm_cmpgt_epi8(v, _mm_set1_epi8(0x1f))));
}

#endif

/* Length of the plain string whose text begins at `p`, if it is at most 31
 * bytes; -1 otherwise or when that is not seen at once. Reads 32 bytes. */
VECWIRE__INLINE int
vecwire__json_short(const char *p, const char *end)
{
#ifdef VECWIRE__SSE2
    unsigned stops;
    int n;

    if (end - p < 32)
        return -1;
    stops = ~(vecwire__json_plain16(p) | vecwire__json_plain16(p + 16) << 16);
    if (stops == 0)
        return -1;
    n = __builtin_ctz(stops);
    return p[n] == '"' ? n : -1;
#else
    (void)p;
    (void)end;
    return -1;
#endif
}

#endif
