/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VECWIRE_VECTOR_H
#define VECWIRE_VECTOR_H

#include <vecwire/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The float32 text codec, useful alone. Text is that of a JSON number: the
 * shortest digits that read back to the same float32 (the closest of them,
 * ties to even), and reading is correctly rounded to float32 directly (IEEE
 * 754 round-to-nearest-even, not by way of a double). From 2^-16 to below 1 the
 * text is plain decimals, elsewhere the shorter of plain and scientific. No
 * locale is looked at; the processor's rounding mode must be the default one.
 * All functions are pure and may be called from any thread. */

/* Longest text of one float, without a terminating NUL. */
#define VECWIRE_FLOAT_TEXT_MAX 16

/* Bytes that vecwire_vector_format() may touch for a vector of `dim` floats:
 * the longest text and the room its wide stores need. */
#define VECWIRE_VECTOR_TEXT_ROOM(dim) ((size_t)(dim)*17 + 32)

/* Write `value` to `text` (room for VECWIRE_FLOAT_TEXT_MAX bytes, no NUL is
 * added). Returns the length, 0 when `value` is NaN or infinite (JSON has no
 * text for these). Minus zero is "-0". */
VECWIRE_API size_t vecwire_float_format(float value, char *text);

/* Read the `len` bytes at `text`, which must be one JSON number and nothing
 * else. VECWIRE_OK: *value is set. VECWIRE_EINVAL: no JSON number.
 * VECWIRE_ETOOBIG: a number beyond the float32 range; *value is then plus or
 * minus infinity. `text` needs no NUL. Any length is exact. */
VECWIRE_API VECWIRE_NODISCARD enum vecwire_err
vecwire_float_parse(const char *text, size_t len, float *value);

/* Write a vector of `dim` floats (dim >= 1) as a JSON array, "[0.1,-2]".
 * `text` must have VECWIRE_VECTOR_TEXT_ROOM(dim) bytes. VECWIRE_OK: *len is
 * the length (no NUL is added). VECWIRE_EINVAL: dim is 0, or a component is
 * NaN or infinite: *len is then its index. */
VECWIRE_API VECWIRE_NODISCARD enum vecwire_err
vecwire_vector_format(const float *vector, size_t dim, char *text, size_t *len);

/* Read a JSON array of numbers of `len` bytes into `vector` (room for `room`
 * floats). Blanks are allowed where JSON allows them, null and nested arrays
 * are not. VECWIRE_OK: *dim is the number of floats, 0 for "[]".
 * VECWIRE_EINVAL: not such an array; *dim is the byte offset of the fault.
 * VECWIRE_ETOOBIG: more than `room` numbers, or one beyond float32; *dim is
 * the byte offset of that number. After a failure `vector` may hold the numbers
 * before the fault. Reads no byte outside text[0..len). */
VECWIRE_API VECWIRE_NODISCARD enum vecwire_err
vecwire_vector_parse(const char *text, size_t len, float *vector, size_t room,
                     size_t *dim);

#ifdef __cplusplus
}
#endif
#endif
