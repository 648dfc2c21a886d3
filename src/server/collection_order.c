/* SPDX-License-Identifier: Apache-2.0 */
#include "server/collection.h"

#include <stdlib.h>
#include <string.h>

/* Fewer dead rows than this are not worth a move. */
#define DEAD_LEAST 1024

void
vecwire__collection_compact(struct vecwire__collection *collection)
{
    size_t n_dead = collection->n_rows - collection->n_live, to = 0;

    if (n_dead < DEAD_LEAST || n_dead < collection->n_live)
        return;
    /* Moved rows keep their order among each other, not among ids. */
    collection->n_order = collection->n_sorted = 0;
    collection->has_dead = false;
    for (size_t row = 0; row < collection->n_rows; row++) {
        struct vecwire__point *point = &collection->points[row];

        if (!point->is_live)
            continue;
        if (row != to) {
            vecwire__id_index_move(&collection->index, point->hash, row, to);
            for (size_t i = 0; i < collection->n_columns; i++)
                vecwire__column_move(&collection->columns[i], row, to);
            collection->points[to] = *point;
            memset(point, 0, sizeof(*point));
        }
        collection->order[collection->n_order++] = to++;
    }
    collection->n_rows = to;
}

static int
rows_compare(const void *a, const void *b, void *arg)
{
    const struct vecwire__point *points = arg;

    return vecwire__point_id_compare(&points[*(const uint64_t *)a].id,
                                     &points[*(const uint64_t *)b].id);
}

static void
bury(struct vecwire__collection *collection)
{
    size_t n = 0, n_sorted = 0;

    for (size_t i = 0; i < collection->n_order; i++) {
        uint64_t row = collection->order[i];

        if (!collection->points[row].is_live)
            continue;
        collection->order[n++] = row;
        n_sorted += i < collection->n_sorted;
    }
    collection->n_order = n;
    collection->n_sorted = n_sorted;
    collection->has_dead = false;
}

/* Both parts are sorted; `tail` is a copy of the second. */
static void
merge(struct vecwire__collection *collection, const uint64_t *tail,
      size_t n_tail)
{
    uint64_t *order = collection->order;
    size_t head = collection->n_sorted, to = collection->n_order;

    while (n_tail > 0) {
        if (head > 0 && rows_compare(&order[head - 1], &tail[n_tail - 1],
                                     collection->points) > 0)
            order[--to] = order[--head];
        else
            order[--to] = tail[--n_tail];
    }
    collection->n_sorted = collection->n_order;
}

const uint64_t *
vecwire__collection_order(struct vecwire__collection *collection)
{
    static const uint64_t nothing;
    size_t n_tail;
    uint64_t *tail;

    if (collection->has_dead)
        bury(collection);
    n_tail = collection->n_order - collection->n_sorted;
    if (collection->n_order == 0)
        return &nothing;
    if (n_tail == 0)
        return collection->order;
    tail = malloc(n_tail * sizeof(*tail));
    if (tail == NULL)
        return NULL;
    qsort_r(collection->order + collection->n_sorted, n_tail, sizeof(*tail),
            rows_compare, collection->points);
    memcpy(tail, collection->order + collection->n_sorted,
           n_tail * sizeof(*tail));
    merge(collection, tail, n_tail);
    free(tail);
    return collection->order;
}

size_t
vecwire__collection_lower(const struct vecwire__collection *collection,
                          const struct vecwire__point_id *id)
{
    size_t low = 0, high = collection->n_order;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        uint64_t row = collection->order[middle];

        if (vecwire__point_id_compare(&collection->points[row].id, id) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
