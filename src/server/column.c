/* SPDX-License-Identifier: Apache-2.0 */
#include "server/column.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool
vecwire__column_init(struct vecwire__column *column, const char *name,
                     size_t name_len)
{
    memset(column, 0, sizeof(*column));
    column->name = strndup(name, name_len);
    return column->name != NULL;
}

void
vecwire__column_fini(struct vecwire__column *column)
{
    for (size_t row = 0; column->blocks != NULL && row < column->cap; row++)
        free(column->blocks[row]);
    free(column->blocks);
    free(column->matrix);
    free(column->present);
    free(column->name);
    memset(column, 0, sizeof(*column));
}

static bool
reserve_dense(struct vecwire__column *column, size_t cap)
{
    void *matrix, *present;

    if (cap > SIZE_MAX / sizeof(float) / column->dim)
        return false;
    matrix = realloc(column->matrix, cap * column->dim * sizeof(float));
    if (matrix == NULL)
        return false;
    column->matrix = matrix;
    present = realloc(column->present, cap * sizeof(bool));
    if (present == NULL)
        return false;
    column->present = present;
    memset(column->present + column->cap, 0,
           (cap - column->cap) * sizeof(bool));
    return true;
}

static bool
reserve_blocks(struct vecwire__column *column, size_t cap)
{
    void *blocks = realloc(column->blocks, cap * sizeof(column->blocks[0]));

    if (blocks == NULL)
        return false;
    column->blocks = blocks;
    memset(column->blocks + column->cap, 0,
           (cap - column->cap) * sizeof(column->blocks[0]));
    return true;
}

bool
vecwire__column_reserve(struct vecwire__column *column, size_t n_rows)
{
    size_t cap = column->cap == 0 ? 64 : column->cap;

    if (n_rows <= column->cap)
        return true;
    while (cap < n_rows)
        cap *= 2;
    if (!(column->kind == VECWIRE__DENSE ? reserve_dense(column, cap)
                                         : reserve_blocks(column, cap)))
        return false;
    column->cap = cap;
    return true;
}

bool
vecwire__column_has(const struct vecwire__column *column, size_t row)
{
    if (row >= column->cap)
        return false;
    return column->kind == VECWIRE__DENSE ? column->present[row]
                                          : column->blocks[row] != NULL;
}

void
vecwire__column_clear(struct vecwire__column *column, size_t row)
{
    if (row >= column->cap)
        return;
    if (column->kind == VECWIRE__DENSE) {
        column->present[row] = false;
    } else {
        free(column->blocks[row]);
        column->blocks[row] = NULL;
    }
}

void
vecwire__column_put(struct vecwire__column *column, size_t row,
                    const float *vector)
{
    memcpy(column->matrix + row * column->dim, vector,
           column->dim * sizeof(float));
    column->present[row] = true;
}

void
vecwire__column_put_block(struct vecwire__column *column, size_t row,
                          struct vecwire__block *block)
{
    free(column->blocks[row]);
    column->blocks[row] = block;
}

void
vecwire__column_move(struct vecwire__column *column, size_t from, size_t to)
{
    if (!vecwire__column_has(column, from))
        return;
    if (column->kind == VECWIRE__DENSE) {
        vecwire__column_put(column, to, column->matrix + from * column->dim);
        column->present[from] = false;
    } else {
        column->blocks[to] = column->blocks[from];
        column->blocks[from] = NULL;
    }
}

struct vecwire__block *
vecwire__block_new(size_t n, bool sparse)
{
    struct vecwire__block *block;
    size_t each = sizeof(float) + (sparse ? sizeof(uint32_t) : 0);

    if (n > VECWIRE__COLUMN_VALUES_MAX)
        return NULL;
    block = calloc(1, sizeof(*block) + n * each);
    if (block == NULL)
        return NULL;
    block->n = n;
    if (sparse)
        block->indices = (uint32_t *)(void *)(block->values + n);
    return block;
}

static void
swap(struct vecwire__block *block, size_t a, size_t b)
{
    uint32_t index = block->indices[a];
    float value = block->values[a];

    block->indices[a] = block->indices[b];
    block->values[a] = block->values[b];
    block->indices[b] = index;
    block->values[b] = value;
}

static void
sift(struct vecwire__block *block, size_t at, size_t n)
{
    for (size_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && block->indices[child + 1] > block->indices[child])
            child++;
        if (block->indices[at] >= block->indices[child])
            return;
        swap(block, at, child);
    }
}

/* A heap's sort: two arrays are sorted as one, and no order of the indices
 * makes it slow. */
bool
vecwire__block_sort(struct vecwire__block *block)
{
    bool sorted = true;

    for (size_t i = 1; sorted && i < block->n; i++)
        sorted = block->indices[i - 1] < block->indices[i];
    if (sorted)
        return true;
    for (size_t i = block->n / 2; i-- > 0;)
        sift(block, i, block->n);
    for (size_t n = block->n; n-- > 1;) {
        swap(block, 0, n);
        sift(block, 0, n);
    }
    for (size_t i = 1; i < block->n; i++) {
        if (block->indices[i - 1] == block->indices[i])
            return false;
    }
    return true;
}

void
vecwire__vector_normalise(float *vector, size_t dim)
{
    double sum = 0, norm;

    for (size_t i = 0; i < dim; i++)
        sum += (double)vector[i] * (double)vector[i];
    /* What was normalised once comes back bit for bit. */
    if (sum < 1.5e-14 || fabs(sum - 1) <= 1e-6)
        return;
    norm = sqrt(sum);
    for (size_t i = 0; i < dim; i++)
        vector[i] = (float)((double)vector[i] / norm);
}

const char *
vecwire__distance_name(enum vecwire__distance distance)
{
    static const char *const names[] = {"Cosine", "Euclid", "Dot", "Manhattan"};

    return names[distance];
}
