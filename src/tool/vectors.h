/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VECWIRE_TOOL_VECTORS_H
#define VECWIRE_TOOL_VECTORS_H

#include <stdbool.h>
#include <stddef.h>

#include <vecwire/query.h>

#include "tool/scan.h"

/* The vectors of one row, of any kind: [1,2], [[1,2],[3,4]], {"name":..} with
 * each of these or {"indices":[..],"values":[..]} or an inference object. */
struct vectors {
    struct vecwire_vector *list;
    size_t n;
    void **blocks; /* what the list points at */
    size_t n_blocks;
};

/* What there is to say about a bad one. */
#define VECTORS_WHY_MAX 240

/* Read JSON text that was checked for grammar; null is none. False: `why`
 * (VECTORS_WHY_MAX bytes) says what is wrong, and nothing is held. */
bool vecwire__vectors_read(struct vectors *vectors, struct span value,
                           char *why);

/* Whether it is an array whose first entry is no array itself. */
bool vecwire__vectors_is_flat(struct span value);

void vecwire__vectors_free(struct vectors *vectors);

#endif
