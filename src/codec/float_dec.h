/* SPDX-License-Identifier: Apache-2.0 */
/* Text to float32, correctly rounded, and to exact u64. No locale, no read
 * outside the given bytes. float_token.h has the fast forms. */
#ifndef VECWIRE_CODEC_FLOAT_DEC_H
#define VECWIRE_CODEC_FLOAT_DEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What became of an array of numbers. */
enum vecwire__floats_end {
    VECWIRE__FLOATS_OK,
    VECWIRE__FLOATS_BAD,   /* no JSON array of numbers */
    VECWIRE__FLOATS_RANGE, /* a number beyond float32 */
    VECWIRE__FLOATS_FULL   /* more numbers than there is room for */
};

/* The whole token [p, end), of any length. 1: read; 0: no JSON number; 2: a
 * JSON number beyond float32, *out is plus or minus infinity. */
int vecwire__float_read(const char *p, const char *end, float *out);

/* The whole token [p, end) as u64: digits only, no leading zero, < 2^64. */
bool vecwire__u64_read(const char *p, const char *end, uint64_t *out);

/* Round the decimal number whose first digit, not '0', is at `p` and stands
 * for digit * 10^lead (-46 <= lead <= 38) to float32; returns its bits, those
 * of infinity when it is too large. Digits go on to `end` or to an exponent
 * mark; one point between them is skipped. Exact for any number of digits. */
uint32_t vecwire__float_exact(const char *p, const char *end, int lead);

/* The whole text [p, end) as a JSON array of numbers, at most `room` of them.
 * *n is their number; *at is the first byte at fault unless the end is OK.
 * The plain name takes the fastest path of this build, and the others are
 * there for tests. */
enum vecwire__floats_end vecwire__floats_read(const char *p, const char *end,
                                              float *out, size_t room,
                                              size_t *n, const char **at);
enum vecwire__floats_end
vecwire__floats_read_scalar(const char *p, const char *end, float *out,
                            size_t room, size_t *n, const char **at);
enum vecwire__floats_end vecwire__floats_read_masks(const char *p,
                                                    const char *end, float *out,
                                                    size_t room, size_t *n,
                                                    const char **at);

#endif
