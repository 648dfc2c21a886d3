/* SPDX-License-Identifier: Apache-2.0 */
/* Exact cosine over every row of a tenant. */
#ifndef VECWIRE_SERVER_SEARCH_H
#define VECWIRE_SERVER_SEARCH_H

#include <jansson.h>

#include "server/dot.h"
#include "server/store.h"

struct vecwire__hit {
    double score; /* cosine, -1 to 1 */
    size_t row;
    const struct vecwire__record *record; /* the row's, until it changes */
};

struct vecwire__search {
    const float *query; /* dim finite floats, not all zero */
    json_t *filter;     /* keys whose values must be equal; NULL: none */
    size_t top_k;       /* at least 1 */
    vecwire__dot dot;
};

/* Does the metadata have every key of the filter with an equal value? */
bool vecwire__search_matches(json_t *metadata, json_t *filter);

/* Fill hits[0..*n), best first, ties in the order of ids; room for top_k.
 * False: no memory. */
bool vecwire__search_run(struct vecwire__tenant *tenant,
                         const struct vecwire__search *search,
                         struct vecwire__hit *hits, size_t *n);

#endif
