/* SPDX-License-Identifier: Apache-2.0 */
/* Points and vectors read from a body and checked, before any is stored. */
#ifndef VECWIRE_SERVER_QDRANT_DRAFT_H
#define VECWIRE_SERVER_QDRANT_DRAFT_H

#include "server/collection.h"
#include "server/json_view.h"

/* A vector: dense, `n` floats at `at` of the values, or a block. */
struct vecwire__draft_vector {
    size_t column;
    size_t at;
    size_t n;
    struct vecwire__block *block;
};

struct vecwire__draft_point {
    struct vecwire__point_id id;
    struct vecwire__view payload; /* at NULL: none */
    size_t first, n_vectors;      /* in the vectors */
};

/* Zero-filled it is empty. Points into the body. */
struct vecwire__draft {
    struct vecwire__draft_point *points;
    size_t n_points, cap_points;
    struct vecwire__draft_vector *vectors;
    size_t n_vectors, cap_vectors;
    float *values;
    size_t n_values, cap_values;
};

void vecwire__draft_fini(struct vecwire__draft *draft);

/* {"points":[..]} or {"batch":{..}} of an upsert; with_payload false: of an
 * update of vectors. False: fault. */
bool vecwire__draft_read(struct vecwire__draft *draft,
                         const struct vecwire__collection *collection,
                         struct vecwire__view body, bool with_payload,
                         struct vecwire__fault *fault);

/* One vector for a column, appended: dense, sparse or multi, as the column
 * is; made ready for the column's distance. */
bool vecwire__draft_vector(struct vecwire__draft *draft,
                           const struct vecwire__collection *collection,
                           size_t column, struct vecwire__view value,
                           struct vecwire__fault *fault);

/* The column of this name, or SIZE_MAX and a fault of 400. */
size_t vecwire__draft_column(const struct vecwire__collection *collection,
                             const char *name, size_t len,
                             struct vecwire__fault *fault);

/* Put a point's vectors into a row; blocks are handed over. */
void vecwire__draft_store(struct vecwire__draft *draft,
                          const struct vecwire__draft_point *point,
                          struct vecwire__collection *collection, size_t row);

#endif
