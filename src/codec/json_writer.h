/* SPDX-License-Identifier: Apache-2.0 */
/* JSON text into a buffer. The caller writes the punctuation by
 * vecwire__buf_str(); this is what needs care. */
#ifndef VECWIRE_CODEC_JSON_WRITER_H
#define VECWIRE_CODEC_JSON_WRITER_H

#include "codec/buf.h"

struct json_t;

/* A quoted string from UTF-8 text; escapes what must be. VECWIRE_EINVAL: not
 * UTF-8, *bad (may be NULL) is the offset. VECWIRE_ENOMEM. Nothing is appended
 * then. */
VECWIRE_NODISCARD enum vecwire_err
vecwire__json_put_str(struct vecwire__buf *buf, const char *text, size_t len,
                      size_t *bad);

/* A number. False: no memory. */
VECWIRE_NODISCARD bool vecwire__json_put_u64(struct vecwire__buf *buf,
                                             uint64_t number);

/* A vector, "[0.1,0.2]". VECWIRE_EINVAL: *bad (may be NULL) is the index of a
 * NaN or an infinity. VECWIRE_ENOMEM: no room for VECWIRE_VECTOR_TEXT_ROOM(),
 * even if the text is shorter. Nothing is appended then. */
VECWIRE_NODISCARD enum vecwire_err
vecwire__json_put_vector(struct vecwire__buf *buf, const float *vector,
                         size_t dim, size_t *bad);

/* A jansson tree, compact. VECWIRE_EINVAL: it is NULL, jansson could not
 * print it, or it is nested deeper than `depth` (or contains itself).
 * VECWIRE_ENOMEM. Nothing is appended then. */
VECWIRE_NODISCARD enum vecwire_err
vecwire__json_put_tree(struct vecwire__buf *buf, const struct json_t *tree,
                       unsigned depth);

#endif
