/* SPDX-License-Identifier: Apache-2.0 */
#include "server/collection.h"

#include <stdlib.h>
#include <string.h>

#include "codec/mem.h"
#include "server/json_text.h"

struct vecwire__collection *
vecwire__collection_new(const char *name)
{
    struct vecwire__collection *collection = calloc(1, sizeof(*collection));

    if (collection == NULL)
        return NULL;
    collection->name = strdup(name);
    collection->indexes = json_object();
    if (collection->name == NULL || collection->indexes == NULL) {
        vecwire__collection_free(collection);
        return NULL;
    }
    return collection;
}

static void
payload_drop(struct vecwire__point *point)
{
    free(point->payload);
    json_decref(point->tree);
    point->payload = NULL;
    point->tree = NULL;
    point->payload_len = 0;
}

void
vecwire__collection_free(struct vecwire__collection *collection)
{
    if (collection == NULL)
        return;
    for (size_t i = 0; i < collection->n_columns; i++)
        vecwire__column_fini(&collection->columns[i]);
    for (size_t row = 0; row < collection->n_rows; row++)
        payload_drop(&collection->points[row]);
    free(collection->points);
    free(collection->order);
    vecwire__id_index_fini(&collection->index);
    json_decref(collection->config);
    json_decref(collection->indexes);
    free(collection->name);
    free(collection);
}

size_t
vecwire__collection_column(const struct vecwire__collection *collection,
                           const char *name, size_t len)
{
    for (size_t i = 0; i < collection->n_columns; i++) {
        const char *column = collection->columns[i].name;

        if (strlen(column) == len && memcmp(column, name, len) == 0)
            return i;
    }
    return SIZE_MAX;
}

/* The id as bytes, for the index. */
static void
key_make(char key[17], const struct vecwire__point_id *id)
{
    memset(key, 0, 17);
    if (id->is_number) {
        memcpy(key + 1, &id->number, sizeof(id->number));
        key[0] = 1;
    } else {
        memcpy(key + 1, id->uuid, 16);
    }
}

static bool
key_equal(const void *rows, size_t row, const char *id, size_t len)
{
    const struct vecwire__point *points = rows;
    char key[17];

    key_make(key, &points[row].id);
    return memcmp(key, id, len) == 0;
}

size_t
vecwire__collection_find(const struct vecwire__collection *collection,
                         const struct vecwire__point_id *id)
{
    char key[17];

    key_make(key, id);
    return vecwire__id_index_find(&collection->index,
                                  vecwire__id_hash(key, sizeof(key)), key,
                                  sizeof(key), key_equal, collection->points);
}

static bool
reserve(struct vecwire__collection *collection)
{
    void *points = collection->points, *order = collection->order;
    size_t n = collection->n_rows + 1;

    if (!vecwire__mem_grow(&vecwire__mem_libc, &points, &collection->cap_points,
                           n, sizeof(*collection->points)))
        return false;
    collection->points = points;
    if (!vecwire__mem_grow(&vecwire__mem_libc, &order, &collection->cap_order,
                           collection->n_order + 1, sizeof(*collection->order)))
        return false;
    collection->order = order;
    for (size_t i = 0; i < collection->n_columns; i++) {
        if (!vecwire__column_reserve(&collection->columns[i], n))
            return false;
    }
    return vecwire__id_index_reserve(&collection->index);
}

size_t
vecwire__collection_open(struct vecwire__collection *collection,
                         const struct vecwire__point_id *id,
                         struct vecwire__fault *fault)
{
    size_t row = vecwire__collection_find(collection, id), n;
    struct vecwire__point *point;
    char key[17];

    if (row != SIZE_MAX)
        return row;
    if (collection->n_live == VECWIRE__COLLECTION_POINTS) {
        vecwire__fault_set(fault, 507, "Collection is full: %zu points",
                           collection->n_live);
        return SIZE_MAX;
    }
    if (!reserve(collection)) {
        vecwire__fault_memory(fault);
        return SIZE_MAX;
    }
    row = collection->n_rows++;
    point = &collection->points[row];
    memset(point, 0, sizeof(*point));
    key_make(key, id);
    point->id = *id;
    point->is_live = true;
    point->hash = vecwire__id_hash(key, sizeof(key));
    vecwire__id_index_add(&collection->index, point->hash, row);
    n = collection->n_order++;
    collection->order[n] = row;
    if (n == collection->n_sorted &&
        (n == 0 ||
         vecwire__point_id_compare(
             &collection->points[collection->order[n - 1]].id, id) < 0))
        collection->n_sorted++;
    collection->n_live++;
    return row;
}

void
vecwire__collection_put(struct vecwire__collection *collection, size_t row,
                        struct vecwire__new_vector *vectors, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct vecwire__column *column =
            &collection->columns[vectors[i].column];

        if (vectors[i].block != NULL)
            vecwire__column_put_block(column, row, vectors[i].block);
        else
            vecwire__column_put(column, row, vectors[i].dense);
        vectors[i].block = NULL;
    }
}

void
vecwire__collection_strip(struct vecwire__collection *collection, size_t row)
{
    for (size_t i = 0; i < collection->n_columns; i++)
        vecwire__column_clear(&collection->columns[i], row);
}

bool
vecwire__collection_set_payload(struct vecwire__collection *collection,
                                size_t row, const char *text, size_t len)
{
    struct vecwire__point *point = &collection->points[row];
    char *copy = NULL;

    if (len > 0) {
        copy = malloc(len);
        if (copy == NULL)
            return false;
        memcpy(copy, text, len);
    }
    payload_drop(point);
    point->payload = copy;
    point->payload_len = len;
    return true;
}

void
vecwire__collection_delete(struct vecwire__collection *collection, size_t row)
{
    struct vecwire__point *point = &collection->points[row];

    vecwire__id_index_remove(&collection->index, point->hash, row);
    vecwire__collection_strip(collection, row);
    payload_drop(point);
    point->is_live = false;
    collection->n_live--;
    collection->has_dead = true;
}

const json_t *
vecwire__point_tree(struct vecwire__point *point, struct vecwire__fault *fault)
{
    if (point->tree == NULL && point->payload != NULL)
        point->tree =
            vecwire__json_load(point->payload, point->payload_len, fault);
    return point->tree;
}
