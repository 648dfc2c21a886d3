/* SPDX-License-Identifier: Apache-2.0 */
/* The headers of a request, checked and copied into one block. */
#ifndef VECWIRE_CALL_HEADERS_H
#define VECWIRE_CALL_HEADERS_H

#include <vecwire/client.h>

struct vecwire__dialect;

/* A list in one block with its texts. Zero-filled: empty. */
struct vecwire__headers {
    struct vecwire_header *list;
    size_t n;
    size_t bytes; /* of the block */
};

/* What the headers are made of. Later ones in `extra` replace earlier ones
 * and those in `base` of the same name. */
struct vecwire__header_parts {
    const struct vecwire__dialect *dialect;
    const char *api_key, *tenant, *user_agent; /* NULL or "": not sent */
    const struct vecwire_header *base, *extra;
    size_t n_base, n_extra;
};

/* Make the block. VECWIRE_EINVAL: refusal (never NULL here) names the header,
 * never its value. VECWIRE_ENOMEM. `out` is empty then. */
enum vecwire_err vecwire__headers_make(
    struct vecwire__headers *out, const struct vecwire_mem *mem,
    const struct vecwire__header_parts *parts, struct vecwire_refusal *refusal);

void vecwire__headers_free(struct vecwire__headers *headers,
                           const struct vecwire_mem *mem);

/* The value of the first header of that name, compared without case. */
const char *vecwire__headers_find(const struct vecwire_header *list, size_t n,
                                  const char *name);

/* Can this text stand as a header's value: no control characters, nothing
 * beyond ASCII, no blank at either end? NULL: yes; otherwise what it has. */
const char *vecwire__header_value_fault(const char *value);

#endif
