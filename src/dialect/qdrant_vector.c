/* SPDX-License-Identifier: Apache-2.0 */
/* Qdrant: vectors in requests. */
#include "dialect/qdrant.h"

#include <stdlib.h>
#include <string.h>

#include "codec/json_writer.h"
#include "codec/mem.h"

/* Values [from, from + n) of a vector. Row and coordinate are named by this. */
static void
put_floats(struct vecwire__qdrant_writer *w, const float *values, size_t from,
           size_t n)
{
    size_t bad = 0;

    if (w->err != VECWIRE_OK)
        return;
    w->err = vecwire__json_put_vector(w->text, values + from, n, &bad);
    if (w->err == VECWIRE_EINVAL)
        vecwire__refuse_float(w->refusal, w->row, from + bad);
}

static bool
is_dim(struct vecwire__qdrant_writer *w, const struct vecwire_vector *vector)
{
    if (w->err != VECWIRE_OK)
        return false;
    if (vector->values == NULL)
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL, "a vector's values are NULL");
    else if (vector->dim == 0)
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                               "dim is 0, expected at least 1");
    else if (vector->dim > VECWIRE__QDRANT_MAX_DIM)
        vecwire__qdrant_refuse(w, VECWIRE_ETOOBIG,
                               "dim is %zu, Qdrant takes at most %zu",
                               vector->dim, VECWIRE__QDRANT_MAX_DIM);
    return w->err == VECWIRE_OK;
}

static void
put_multi(struct vecwire__qdrant_writer *w, const struct vecwire_vector *vector)
{
    if (!is_dim(w, vector))
        return;
    if (vector->rows >= VECWIRE__QDRANT_MAX_MULTI / vector->dim &&
        vector->rows * vector->dim >= VECWIRE__QDRANT_MAX_MULTI) {
        vecwire__qdrant_refuse(w, VECWIRE_ETOOBIG,
                               "a multi-vector of %zu x %zu, Qdrant takes "
                               "fewer than %zu floats",
                               vector->rows, vector->dim,
                               VECWIRE__QDRANT_MAX_MULTI);
        return;
    }
    vecwire__qdrant_put(w, "[");
    for (size_t i = 0; i < vector->rows && w->err == VECWIRE_OK; i++) {
        vecwire__qdrant_comma(w);
        put_floats(w, vector->values, i * vector->dim, vector->dim);
    }
    vecwire__qdrant_put(w, "]");
}

static int
compare(const void *a, const void *b)
{
    uint32_t x, y;

    memcpy(&x, a, sizeof(x));
    memcpy(&y, b, sizeof(y));
    return x < y ? -1 : x > y;
}

static bool
ascends(const uint32_t *indices, size_t n)
{
    size_t i = 1;

    while (i < n && indices[i - 1] < indices[i])
        i++;
    return i >= n;
}

/* No index twice. Ascending ones, as replies have them, cost one look. */
static void
check_indices(struct vecwire__qdrant_writer *w, const uint32_t *indices,
              size_t n)
{
    const struct vecwire_mem *mem = w->text->mem;
    uint32_t *sorted;

    if (w->err != VECWIRE_OK || ascends(indices, n))
        return;
    sorted = vecwire__mem_alloc(mem, n * sizeof(*sorted));
    if (sorted == NULL) {
        w->err = VECWIRE_ENOMEM;
        return;
    }
    memcpy(sorted, indices, n * sizeof(*sorted));
    qsort(sorted, n, sizeof(*sorted), compare);
    if (!ascends(sorted, n))
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                               "a sparse vector has an index twice");
    vecwire__mem_free(mem, sorted, n * sizeof(*sorted));
}

static void
put_sparse(struct vecwire__qdrant_writer *w,
           const struct vecwire_vector *vector)
{
    if (vector->dim > 0 && vector->values == NULL) {
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL, "a vector's values are NULL");
        return;
    }
    check_indices(w, vector->indices, vector->dim);
    vecwire__qdrant_put(w, "{\"indices\":[");
    for (size_t i = 0; i < vector->dim && w->err == VECWIRE_OK; i++) {
        vecwire__qdrant_comma(w);
        vecwire__qdrant_put_u64(w, vector->indices[i]);
    }
    vecwire__qdrant_put(w, "],\"values\":");
    if (vector->dim == 0)
        vecwire__qdrant_put(w, "[]");
    else
        put_floats(w, vector->values, 0, vector->dim);
    vecwire__qdrant_put(w, "}");
}

void
vecwire__qdrant_put_vector(struct vecwire__qdrant_writer *w,
                           const struct vecwire_vector *vector)
{
    if (w->err != VECWIRE_OK)
        return;
    if (vector->inference != NULL && vector->values != NULL)
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                               "a vector has values and an inference object");
    else if (vector->indices != NULL && vector->rows != 0)
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                               "a vector is sparse and multi at once");
    else if (vector->inference != NULL)
        vecwire__qdrant_put_json(w, vector->inference, NULL, "{", "inference");
    else if (vector->indices != NULL)
        put_sparse(w, vector);
    else if (vector->rows != 0)
        put_multi(w, vector);
    else if (is_dim(w, vector))
        put_floats(w, vector->values, 0, vector->dim);
}
