/* SPDX-License-Identifier: Apache-2.0 */
/* The vectors of one name in a collection, by row: dense ones side by side,
 * sparse ones and multi-vectors each in a block. */
#ifndef VECWIRE_SERVER_COLUMN_H
#define VECWIRE_SERVER_COLUMN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VECWIRE__COLUMN_DIM_MAX 65536
#define VECWIRE__COLUMN_VALUES_MAX 1048575 /* of a block */

enum vecwire__distance {
    VECWIRE__COSINE,
    VECWIRE__EUCLID,
    VECWIRE__DOT,
    VECWIRE__MANHATTAN
};

enum vecwire__column_kind {
    VECWIRE__DENSE,
    VECWIRE__MULTI, /* any number of dense ones */
    VECWIRE__SPARSE
};

/* A sparse vector, or a multi-vector: `n` values; of a sparse one as many
 * indices, ascending. One block of memory. */
struct vecwire__block {
    size_t n;
    uint32_t *indices; /* NULL: none */
    float values[];
};

struct vecwire__column {
    char *name; /* "": the default one */
    enum vecwire__column_kind kind;
    enum vecwire__distance distance;
    size_t dim;
    float *matrix;                  /* of DENSE: cap x dim */
    bool *present;                  /* of DENSE: cap */
    struct vecwire__block **blocks; /* of the others: cap */
    size_t cap;                     /* in rows */
};

/* False: no memory. */
bool vecwire__column_init(struct vecwire__column *column, const char *name,
                          size_t name_len);
void vecwire__column_fini(struct vecwire__column *column);

/* Room for so many rows; new ones are empty. False: no memory. */
bool vecwire__column_reserve(struct vecwire__column *column, size_t n_rows);

bool vecwire__column_has(const struct vecwire__column *column, size_t row);
void vecwire__column_clear(struct vecwire__column *column, size_t row);

/* Put a dense vector (copied), or a block (taken over). */
void vecwire__column_put(struct vecwire__column *column, size_t row,
                         const float *vector);
void vecwire__column_put_block(struct vecwire__column *column, size_t row,
                               struct vecwire__block *block);

/* `to` is empty; `from` will be. */
void vecwire__column_move(struct vecwire__column *column, size_t from,
                          size_t to);

/* NULL: no memory. Free it by free(). */
struct vecwire__block *vecwire__block_new(size_t n, bool sparse);

/* Sort by index. False: one stands twice. */
bool vecwire__block_sort(struct vecwire__block *block);

/* To length 1, as Qdrant does for Cosine: nearly so or zero stays as is. */
void vecwire__vector_normalise(float *vector, size_t dim);

/* "Cosine" ...; static memory. */
const char *vecwire__distance_name(enum vecwire__distance distance);

#endif
