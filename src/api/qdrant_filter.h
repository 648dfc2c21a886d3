/* SPDX-License-Identifier: Apache-2.0 */
/* A filter that is being put together. */
#ifndef VECWIRE_API_QDRANT_FILTER_H
#define VECWIRE_API_QDRANT_FILTER_H

#include <vecwire/qdrant_filter.h>

#include "dialect/qdrant.h"

#define VECWIRE__FILTER_DEPTH 16 /* filters inside the outermost */

/* One filter that has not ended. */
struct vecwire__filter_level {
    unsigned seen;     /* bits of its clauses */
    const char *close; /* of the clause that is open; NULL: none is */
    bool nested;
};

struct vecwire_qdrant_filter {
    struct vecwire_mem mem;
    struct vecwire__buf text; /* without what closes it */
    struct vecwire__qdrant_writer writer;
    struct vecwire_refusal refusal;
    struct vecwire__filter_level levels[1 + VECWIRE__FILTER_DEPTH];
    size_t depth;
};

/* A condition begins: where it belongs to a clause. */
struct vecwire__qdrant_writer *
vecwire__filter_condition(struct vecwire_qdrant_filter *filter);

#endif
