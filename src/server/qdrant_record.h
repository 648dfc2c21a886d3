/* SPDX-License-Identifier: Apache-2.0 */
/* Which points, and what of them a reply holds. */
#ifndef VECWIRE_SERVER_QDRANT_RECORD_H
#define VECWIRE_SERVER_QDRANT_RECORD_H

#include "server/payload_selector.h"
#include "server/qdrant.h"
#include "server/qdrant_filter.h"

/* with_payload and with_vector, read. */
struct vecwire__record_parts {
    struct vecwire__payload_selector payload;
    bool columns[VECWIRE__COLLECTION_COLUMNS];
    bool with_vector;
};

bool vecwire__record_parts_read(struct vecwire__record_parts *parts,
                                const struct vecwire__collection *collection,
                                struct vecwire__view with_payload,
                                struct vecwire__view with_vector,
                                bool payload_default,
                                struct vecwire__fault *fault);
void vecwire__record_parts_fini(struct vecwire__record_parts *parts);

/* Append {"id":..,"payload":..,"vector":..}; with a score also "version" and
 * "score". False: no memory. */
bool vecwire__record_put(struct vecwire__buf *reply,
                         struct vecwire__collection *collection, size_t row,
                         const struct vecwire__record_parts *parts,
                         const float *score);

/* A filter of a body (absent: everything). NULL: fault. */
struct vecwire__filter *vecwire__qdrant_filter(struct vecwire__view value,
                                               struct vecwire__fault *fault);

/* Does the row match? fault->status is set when there is no memory. */
bool vecwire__qdrant_matches(const struct vecwire__filter *filter,
                             struct vecwire__collection *collection, size_t row,
                             struct vecwire__fault *fault);

#endif
