/* SPDX-License-Identifier: Apache-2.0 */
/* The universal query: what is asked, evaluated to rows with scores. */
#ifndef VECWIRE_SERVER_QDRANT_QUERY_H
#define VECWIRE_SERVER_QDRANT_QUERY_H

#include "server/qdrant_search.h"

#define VECWIRE__QUERY_DEPTH 16 /* of prefetches in prefetches */
#define VECWIRE__QUERY_EXAMPLES 1024
#define VECWIRE__QUERY_PREFETCHES 64 /* beside each other */

/* Evaluate the body of a query or prefetch; `limit`, when not 0,
 * stands for the body's own, and there is no offset. False: fault. */
bool vecwire__query_run(struct vecwire__qdrant_call *call,
                        struct vecwire__view body, unsigned depth, size_t limit,
                        struct vecwire__results *results);

/* The examples of a query, read into `search`. */
struct vecwire__examples {
    struct vecwire__draft draft;
    bool *excluded; /* rows that were given as examples; NULL: none */
};

/* Read a vector, an id, or {"nearest":..}, {"recommend":..},
 * {"discover":..} or {"context":..}. `from` is where
 * ids are looked up. False: fault. */
bool vecwire__examples_read(struct vecwire__examples *examples,
                            struct vecwire__qdrant_search *search,
                            struct vecwire__view query,
                            const struct vecwire__collection *from,
                            size_t from_column, struct vecwire__fault *fault);
void vecwire__examples_fini(struct vecwire__examples *examples);

#endif
