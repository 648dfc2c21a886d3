/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/vectors.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vecwire/vector.h>

#include "tool/args.h"

#define MAX_NAMES 4096

bool
vecwire__vectors_is_flat(struct span value)
{
    struct scan scan = {value.text, value.len, 0, NULL};

    return vecwire__scan_expect(&scan, '[', "") &&
           vecwire__scan_peek(&scan) != '[';
}

void
vecwire__vectors_free(struct vectors *vectors)
{
    for (size_t i = 0; i < vectors->n_blocks; i++)
        free(vectors->blocks[i]);
    free(vectors->blocks);
    free(vectors->list);
    memset(vectors, 0, sizeof(*vectors));
}

/* Memory that goes with the vectors. */
static void *
block(struct vectors *vectors, size_t count, size_t size)
{
    void **larger = vecwire__args_alloc(vectors->n_blocks + 1, sizeof(*larger));

    if (vectors->n_blocks > 0)
        memcpy(larger, vectors->blocks, vectors->n_blocks * sizeof(*larger));
    free(vectors->blocks);
    vectors->blocks = larger;
    /* Last: there may be no memory for it, which ends the program. */
    larger[vectors->n_blocks] = vecwire__args_alloc(count, size);
    return larger[vectors->n_blocks++];
}

static struct vecwire_vector *
add(struct vectors *vectors)
{
    struct vecwire_vector *larger =
        vecwire__args_alloc(vectors->n + 1, sizeof(*larger));

    if (vectors->n > 0)
        memcpy(larger, vectors->list, vectors->n * sizeof(*larger));
    free(vectors->list);
    vectors->list = larger;
    return &larger[vectors->n++];
}

static size_t
count_commas(const char *text, size_t len)
{
    size_t n = 0;

    for (size_t i = 0; i < len; i++)
        n += text[i] == ',';
    return n;
}

/* An array of numbers into `room` floats; their number, 0: `why` is set. */
static size_t
read_floats(struct span value, float *to, size_t room, char *why)
{
    size_t dim;
    enum vecwire_err rc =
        vecwire_vector_parse(value.text, value.len, to, room, &dim);

    if (rc == VECWIRE_OK && dim > 0)
        return dim;
    if (rc == VECWIRE_OK)
        snprintf(why, VECTORS_WHY_MAX, "the vector is empty");
    else
        snprintf(why, VECTORS_WHY_MAX, "vector, coordinate %zu %s",
                 count_commas(value.text, dim),
                 rc == VECWIRE_ETOOBIG ? "is beyond float32" : "is no number");
    return 0;
}

static bool
read_dense(struct vectors *vectors, struct vecwire_vector *vector,
           struct span value, char *why)
{
    size_t room = count_commas(value.text, value.len) + 1;
    float *values = block(vectors, room, sizeof(*values));

    vector->values = values;
    vector->dim = read_floats(value, values, room, why);
    return vector->dim > 0;
}

/* An array's next entry; false at its end. */
static bool
next_entry(struct scan *scan, struct span *entry)
{
    if (vecwire__scan_peek(scan) == ']')
        return false;
    if (!vecwire__scan_value(scan, entry))
        return false;
    if (vecwire__scan_peek(scan) == ',')
        scan->at++;
    return true;
}

static bool
read_multi(struct vectors *vectors, struct vecwire_vector *vector,
           struct span value, char *why)
{
    struct scan scan = {value.text, value.len, 1, NULL};
    size_t room = count_commas(value.text, value.len) + 1, used = 0;
    float *values = block(vectors, room, sizeof(*values));
    struct span entry;

    vector->values = values;
    while (next_entry(&scan, &entry)) {
        size_t dim = 0;

        if (entry.text[0] != '[')
            snprintf(why, VECTORS_WHY_MAX, "the vector is no array of arrays");
        else
            dim = read_floats(entry, values + used, room - used, why);
        if (dim == 0)
            return false;
        if (vector->rows > 0 && dim != vector->dim) {
            snprintf(why, VECTORS_WHY_MAX,
                     "row %zu of the vector has %zu coordinates, those before "
                     "it have %zu",
                     vector->rows, dim, vector->dim);
            return false;
        }
        vector->dim = dim;
        vector->rows++;
        used += dim;
    }
    return true;
}

static bool
read_indices(struct vectors *vectors, struct vecwire_vector *vector,
             struct span value, char *why)
{
    struct scan scan = {value.text, value.len, 1, NULL};
    size_t room = count_commas(value.text, value.len) + 1, n = 0;
    uint32_t *indices = block(vectors, room, sizeof(*indices));
    struct span entry = {NULL, 0};

    vector->indices = indices;
    while (next_entry(&scan, &entry)) {
        char text[24] = "";
        uint64_t index;

        if (entry.len < sizeof(text))
            memcpy(text, entry.text, entry.len);
        if (!vecwire__args_u64(text, &index) || index > UINT32_MAX) {
            snprintf(why, VECTORS_WHY_MAX,
                     "index %zu of the sparse vector is no whole number from "
                     "0 to 4294967295",
                     n);
            return false;
        }
        indices[n++] = (uint32_t)index;
    }
    vector->dim = n;
    return true;
}

static bool
is_empty(struct span value)
{
    struct scan scan = {value.text, value.len, 1, NULL};

    return vecwire__scan_peek(&scan) == ']';
}

static bool
read_sparse(struct vectors *vectors, struct vecwire_vector *vector,
            struct span indices, struct span values, char *why)
{
    struct vecwire_vector numbers = {.dim = 0};

    if (values.text == NULL || values.text[0] != '[' ||
        indices.text[0] != '[') {
        snprintf(why, VECTORS_WHY_MAX,
                 "a sparse vector needs \"indices\" and \"values\"");
        return false;
    }
    if (!read_indices(vectors, vector, indices, why) ||
        (!is_empty(values) && !read_dense(vectors, &numbers, values, why)))
        return false;
    if (numbers.dim != vector->dim) {
        snprintf(why, VECTORS_WHY_MAX,
                 "a sparse vector has %zu indices and %zu values", vector->dim,
                 numbers.dim);
        return false;
    }
    vector->values = numbers.values;
    return true;
}

static bool
read_object(struct vectors *vectors, struct vecwire_vector *vector,
            struct span value, char *why)
{
    struct scan scan = {value.text, value.len, 1, NULL};
    struct span indices = {NULL, 0}, values = {NULL, 0}, one;
    char *key, *text;

    while (vecwire__scan_member(&scan, &key, &one)) {
        if (strcmp(key, "indices") == 0)
            indices = one;
        else if (strcmp(key, "values") == 0)
            values = one;
        free(key);
    }
    if (indices.text != NULL)
        return read_sparse(vectors, vector, indices, values, why);
    text = block(vectors, value.len + 1, 1);
    memcpy(text, value.text, value.len);
    vector->inference = text;
    return true;
}

static bool
read_one(struct vectors *vectors, struct vecwire_vector *vector,
         struct span value, char *why)
{
    if (value.text[0] == '{')
        return read_object(vectors, vector, value, why);
    if (value.text[0] != '[') {
        snprintf(why, VECTORS_WHY_MAX,
                 "a vector is neither an array nor an object");
        return false;
    }
    if (vecwire__vectors_is_flat(value))
        return read_dense(vectors, vector, value, why);
    return read_multi(vectors, vector, value, why);
}

/* {"name": vector, ..}; the unnamed one among others has the name "". */
static bool
read_named(struct vectors *vectors, struct span value, char *why)
{
    struct scan scan = {value.text, value.len, 1, NULL};
    struct span one;
    char *key, reason[VECTORS_WHY_MAX];

    while (vecwire__scan_member(&scan, &key, &one)) {
        struct vecwire_vector *vector = add(vectors);
        bool fine;

        if (key[0] != '\0') {
            char *name = block(vectors, strlen(key) + 1, 1);

            memcpy(name, key, strlen(key));
            vector->name = name;
        }
        fine =
            vectors->n <= MAX_NAMES && read_one(vectors, vector, one, reason);
        if (!fine)
            snprintf(why, VECTORS_WHY_MAX, "vector \"%.60s\": %.160s", key,
                     vectors->n > MAX_NAMES ? "too many" : reason);
        free(key);
        if (!fine)
            return false;
    }
    if (vecwire__scan_peek(&scan) == '}')
        return true;
    snprintf(why, VECTORS_WHY_MAX, "a name of a vector holds a NUL");
    return false;
}

bool
vecwire__vectors_read(struct vectors *vectors, struct span value, char *why)
{
    bool fine;

    memset(vectors, 0, sizeof(*vectors));
    if (value.text == NULL || value.text[0] == 'n')
        return true;
    if (value.text[0] == '{')
        fine = read_named(vectors, value, why);
    else
        fine = read_one(vectors, add(vectors), value, why);
    if (!fine)
        vecwire__vectors_free(vectors);
    return fine;
}
