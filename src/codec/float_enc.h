/* SPDX-License-Identifier: Apache-2.0 */
/* float32 to text: the fewest digits that read back to the same float, the
 * nearest to it among those, ties to even. From 2^-16 to below 1 the text is
 * plain decimals, elsewhere the shorter of plain and scientific. */
#ifndef VECWIRE_CODEC_FLOAT_ENC_H
#define VECWIRE_CODEC_FLOAT_ENC_H

#include <stddef.h>
#include <stdint.h>

#include "codec/float_word.h"

/* Compiled in beside SSE2, chosen at run time. */
#if defined(VECWIRE__SSE2) && defined(__x86_64__)
#define VECWIRE__AVX2 1
#endif

/* Write `v` (finite), at most 16 bytes, no NUL. Returns the length. */
size_t vecwire__float_write(char *text, float v);

/* Write "[v1,v2,...,vn]" (all finite); room VECWIRE_VECTOR_TEXT_ROOM(n).
 * Returns the end. The text is the same whichever form writes it. */
char *vecwire__floats_write(char *text, const float *v, size_t n);
char *vecwire__floats_write_scalar(char *text, const float *v, size_t n);
#ifdef VECWIRE__SSE2
char *vecwire__floats_write_sse2(char *text, const float *v, size_t n);
#endif
#ifdef VECWIRE__AVX2
/* Only where the processor has AVX2. */
char *vecwire__floats_write_avx2(char *text, const float *v, size_t n);
#endif

/* Index of the first NaN or infinity, n when there is none. */
size_t vecwire__floats_first_bad(const float *v, size_t n);

/* Write any finite float >= 0, given by its bits, at most 15 bytes. Returns
 * the end. */
char *vecwire__float_write_any(char *text, uint32_t bits);

#endif
