/* SPDX-License-Identifier: Apache-2.0 */
/* How often each value of a key occurs: once for each point that has it. */
#ifndef VECWIRE_SERVER_QDRANT_FACET_H
#define VECWIRE_SERVER_QDRANT_FACET_H

#include <jansson.h>

#include "codec/buf.h"
#include "server/json_path.h"

/* What the key's index holds; values of another kind do not count. */
enum vecwire__facet_kind {
    VECWIRE__FACET_KEYWORD,
    VECWIRE__FACET_INTEGER,
    VECWIRE__FACET_BOOL,
    VECWIRE__FACET_UUID
};

struct vecwire__facet;

/* NULL: no memory. The path must stay. */
struct vecwire__facet *vecwire__facet_new(const struct vecwire__json_path *path,
                                          enum vecwire__facet_kind kind);
void vecwire__facet_free(struct vecwire__facet *facet); /* NULL is fine */

/* Count a point's payload (NULL: none). False: no memory. */
bool vecwire__facet_add(struct vecwire__facet *facet, const json_t *payload);

/* Append the first `limit` values as [{"value":..,"count":..},..], by count
 * descending, then by value. Once, and after all points. False: no memory. */
bool vecwire__facet_put(struct vecwire__facet *facet, size_t limit,
                        struct vecwire__buf *buf);

#endif
