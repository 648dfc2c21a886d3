/* SPDX-License-Identifier: Apache-2.0 */
/* Exact search over one column of a collection, and the merging of results. */
#ifndef VECWIRE_SERVER_QDRANT_SEARCH_H
#define VECWIRE_SERVER_QDRANT_SEARCH_H

#include "server/qdrant.h"
#include "server/qdrant_draft.h"
#include "server/qdrant_filter.h"

struct vecwire__found {
    size_t row;
    float score;
};

/* Best first. Zero-filled it is empty. */
struct vecwire__results {
    struct vecwire__found *list;
    size_t n;
};

enum vecwire__search_kind {
    VECWIRE__NEAREST,    /* to the only example */
    VECWIRE__BEST_SCORE, /* nearer to a positive than to a negative one */
    VECWIRE__SUM_SCORES,
    VECWIRE__DISCOVER, /* a target, then pairs of positive and negative */
    VECWIRE__CONTEXT   /* such pairs only */
};

struct vecwire__qdrant_search {
    struct vecwire__collection *collection;
    vecwire__dot dot;
    enum vecwire__search_kind kind;
    size_t column;
    const struct vecwire__draft *examples; /* n_positive, then the others */
    size_t n_positive;
    const struct vecwire__filter *filter;
    const bool *among;      /* rows that may be found; NULL: all */
    const bool *excluded;   /* rows that may not; NULL: none */
    const float *threshold; /* NULL: none */
    size_t limit;
};

/* Rows by score; the larger is the better, but for distances as Qdrant hands
 * them out. False: fault. */
bool vecwire__qdrant_search_run(const struct vecwire__qdrant_search *search,
                                struct vecwire__results *results,
                                struct vecwire__fault *fault);

/* Merge by rank (1/(k+rank)), or by scores made comparable. False: no
 * memory. */
bool vecwire__fuse_ranks(const struct vecwire__results *sources, size_t n,
                         size_t k, size_t n_rows,
                         struct vecwire__results *results);
bool vecwire__fuse_scores(const struct vecwire__results *sources, size_t n,
                          size_t n_rows, struct vecwire__results *results);

void vecwire__results_fini(struct vecwire__results *results);

#endif
