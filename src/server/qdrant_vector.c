/* SPDX-License-Identifier: Apache-2.0 */
#include "server/qdrant_draft.h"

#include <stdlib.h>
#include <string.h>

#include "codec/float_dec.h"
#include "codec/mem.h"

void
vecwire__draft_fini(struct vecwire__draft *draft)
{
    for (size_t i = 0; i < draft->n_vectors; i++)
        free(draft->vectors[i].block);
    free(draft->points);
    free(draft->vectors);
    free(draft->values);
    memset(draft, 0, sizeof(*draft));
}

static bool
refuse(struct vecwire__fault *fault, const char *text)
{
    vecwire__fault_set(fault, 400, "%s", text);
    return false;
}

static bool
no_memory(struct vecwire__fault *fault)
{
    vecwire__fault_memory(fault);
    return false;
}

static bool
wrong_dim(struct vecwire__fault *fault, size_t expected, size_t got)
{
    vecwire__fault_set(fault, 400,
                       "Wrong input: Vector dimension error: expected dim: "
                       "%zu, got %zu",
                       expected, got);
    return false;
}

/* Read an array of numbers to the end of the values. */
static bool
floats_read(struct vecwire__draft *draft, struct vecwire__view value, size_t *n,
            struct vecwire__fault *fault)
{
    /* Two bytes are one number and its comma, at the least. */
    size_t room = (size_t)(value.end - value.at) / 2 + 1;
    void *values = draft->values;
    const char *at;

    if (!vecwire__mem_grow(&vecwire__mem_libc, &values, &draft->cap_values,
                           draft->n_values + room, sizeof(float)))
        return no_memory(fault);
    draft->values = values;
    switch (vecwire__floats_read(
        value.at, value.end, draft->values + draft->n_values, room, n, &at)) {
    case VECWIRE__FLOATS_OK:
        return true;
    case VECWIRE__FLOATS_RANGE:
        return refuse(fault, "Wrong input: a vector has a number beyond "
                             "float32");
    default:
        return refuse(fault, "Format error in JSON body: expected a vector of "
                             "numbers");
    }
}

static bool
dense_read(struct vecwire__draft *draft, const struct vecwire__column *column,
           struct vecwire__view value, struct vecwire__fault *fault)
{
    size_t n;

    if (!vecwire__view_is_array(value))
        return refuse(fault, "Wrong input: Conversion between sparse and "
                             "regular vectors failed");
    if (!floats_read(draft, value, &n, fault))
        return false;
    if (n == 0) {
        vecwire__fault_set(fault, 422,
                           "Validation error in JSON body: [vector: vector "
                           "must not be empty]");
        return false;
    }
    if (n != column->dim)
        return wrong_dim(fault, column->dim, n);
    if (column->distance == VECWIRE__COSINE)
        vecwire__vector_normalise(draft->values + draft->n_values, n);
    draft->n_values += n;
    return true;
}

/* One row or many, into a block. */
static bool
multi_read(struct vecwire__draft *draft, const struct vecwire__column *column,
           struct vecwire__view value, struct vecwire__block **block,
           struct vecwire__fault *fault)
{
    struct vecwire__view_iter iter;
    size_t before = draft->n_values, n;

    vecwire__view_begin(&iter, value);
    if (!vecwire__view_is_array(value) || !vecwire__view_next(&iter))
        return refuse(fault, "Wrong input: a multi-vector must not be empty");
    if (!vecwire__view_is_array(iter.value)) {
        if (!dense_read(draft, column, value, fault))
            return false;
    } else {
        do {
            if (!dense_read(draft, column, iter.value, fault))
                return false;
        } while (vecwire__view_next(&iter));
    }
    n = draft->n_values - before;
    if (n > VECWIRE__COLUMN_VALUES_MAX)
        return refuse(fault, "Wrong input: a multi-vector has 1048576 "
                             "elements or more");
    *block = vecwire__block_new(n, false);
    if (*block == NULL)
        return no_memory(fault);
    memcpy((*block)->values, draft->values + before, n * sizeof(float));
    draft->n_values = before;
    return true;
}

static bool
indices_read(struct vecwire__block *block, struct vecwire__view indices)
{
    struct vecwire__view_iter iter;
    size_t n = 0;

    vecwire__view_begin(&iter, indices);
    while (vecwire__view_next(&iter)) {
        uint64_t index;

        if (!vecwire__view_u64(iter.value, &index) || index > UINT32_MAX)
            return false;
        block->indices[n++] = (uint32_t)index;
    }
    return true;
}

static bool
sparse_fill(struct vecwire__block *block, struct vecwire__view indices,
            const float *values, struct vecwire__fault *fault)
{
    if (!indices_read(block, indices))
        return refuse(fault, "Format error in JSON body: indices: expected "
                             "numbers of 0 to 4294967295");
    memcpy(block->values, values, block->n * sizeof(float));
    if (vecwire__block_sort(block))
        return true;
    vecwire__fault_set(fault, 422,
                       "Validation error in JSON body: [indices: must be "
                       "unique]");
    return false;
}

static bool
sparse_read(struct vecwire__draft *draft, struct vecwire__view value,
            struct vecwire__block **block, struct vecwire__fault *fault)
{
    struct vecwire__view indices, values;
    const struct vecwire__view_want wants[] = {{"indices", &indices},
                                               {"values", &values}};
    size_t n;

    if (!vecwire__view_is_object(value))
        return refuse(fault, "Wrong input: Conversion between regular and "
                             "sparse vectors failed");
    if (vecwire__view_members(value, wants, 2) != NULL ||
        !vecwire__view_is_array(indices) || !vecwire__view_is_array(values))
        return refuse(fault, "Format error in JSON body: expected a sparse "
                             "vector with indices and values");
    if (!floats_read(draft, values, &n, fault))
        return false;
    if (vecwire__view_count(indices) != n) {
        vecwire__fault_set(fault, 422,
                           "Validation error in JSON body: [values: must be "
                           "the same length as indices]");
        return false;
    }
    if (n > VECWIRE__COLUMN_VALUES_MAX)
        return refuse(fault, "Wrong input: a sparse vector has 1048576 "
                             "elements or more");
    *block = vecwire__block_new(n, true);
    if (*block == NULL)
        return no_memory(fault);
    return sparse_fill(*block, indices, draft->values + draft->n_values, fault);
}

size_t
vecwire__draft_column(const struct vecwire__collection *collection,
                      const char *name, size_t len,
                      struct vecwire__fault *fault)
{
    size_t at = vecwire__collection_column(collection, name, len);

    if (at == SIZE_MAX)
        vecwire__fault_set(fault, 400,
                           "Wrong input: Not existing vector name error: %s",
                           name);
    return at;
}

bool
vecwire__draft_vector(struct vecwire__draft *draft,
                      const struct vecwire__collection *collection,
                      size_t column, struct vecwire__view value,
                      struct vecwire__fault *fault)
{
    const struct vecwire__column *into = &collection->columns[column];
    struct vecwire__draft_vector *vector;
    void *vectors = draft->vectors;

    if (!vecwire__mem_grow(&vecwire__mem_libc, &vectors, &draft->cap_vectors,
                           draft->n_vectors + 1, sizeof(*vector)))
        return no_memory(fault);
    draft->vectors = vectors;
    vector = &draft->vectors[draft->n_vectors++];
    memset(vector, 0, sizeof(*vector));
    vector->column = column;
    vector->at = draft->n_values;
    vector->n = into->dim;
    if (into->kind == VECWIRE__MULTI)
        return multi_read(draft, into, value, &vector->block, fault);
    if (into->kind == VECWIRE__SPARSE)
        return sparse_read(draft, value, &vector->block, fault);
    return dense_read(draft, into, value, fault);
}

void
vecwire__draft_store(struct vecwire__draft *draft,
                     const struct vecwire__draft_point *point,
                     struct vecwire__collection *collection, size_t row)
{
    for (size_t i = 0; i < point->n_vectors; i++) {
        struct vecwire__draft_vector *vector =
            &draft->vectors[point->first + i];
        struct vecwire__new_vector put = {
            vector->column, draft->values + vector->at, vector->block};

        vecwire__collection_put(collection, row, &put, 1);
        vector->block = NULL;
    }
}
