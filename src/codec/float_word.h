/* SPDX-License-Identifier: Apache-2.0 */
/* Words and switches that the float codec's files share. */
#ifndef VECWIRE_CODEC_FLOAT_WORD_H
#define VECWIRE_CODEC_FLOAT_WORD_H

#include <stdint.h>
#include <string.h>

/* SSE2 belongs to every x86-64, so the choice is made when compiling.
 * VECWIRE_NO_SIMD forces the portable paths. */
#if defined(__SSE2__) && !defined(VECWIRE_NO_SIMD)
#include <emmintrin.h>
#define VECWIRE__SSE2 1
#endif

#define VECWIRE__LIKELY(x) __builtin_expect(!!(x), 1)
#define VECWIRE__UNLIKELY(x) __builtin_expect(!!(x), 0)
#define VECWIRE__INLINE static inline __attribute__((always_inline))
#define VECWIRE__NOINLINE __attribute__((noinline))

#define VECWIRE__ASCII_ZEROS 0x3030303030303030u

/* Eight bytes as a number whose lowest byte comes first in memory. */
VECWIRE__INLINE uint64_t
vecwire__word_load(const char *bytes)
{
    uint64_t word;

    memcpy(&word, bytes, sizeof(word));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

VECWIRE__INLINE void
vecwire__word_store(char *bytes, uint64_t word)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    memcpy(bytes, &word, sizeof(word));
}

VECWIRE__INLINE uint32_t
vecwire__float_bits(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

VECWIRE__INLINE float
vecwire__float_of_bits(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* `word` is eight characters xor '0': the high bit of each byte that is no
 * digit. Exact up to the first such byte, unsure above it; 0 if all are. */
VECWIRE__INLINE uint64_t
vecwire__word_nondigits(uint64_t word)
{
    return ((word + 0x7676767676767676u) | word) & 0x8080808080808080u;
}

/* Value of eight digits (0..9 a byte), the first one in the lowest byte. */
VECWIRE__INLINE uint32_t
vecwire__word_value(uint64_t word)
{
    const uint64_t pair = 0x000000ff000000ffu;

    word = word * 10 + (word >> 8);
    return (uint32_t)(((word & pair) * 0x000f424000000064u +
                       ((word >> 16) & pair) * 0x0000271000000001u) >>
                      32);
}

#endif
