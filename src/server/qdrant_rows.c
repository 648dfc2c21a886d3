/* SPDX-License-Identifier: Apache-2.0 */
#include "server/qdrant_rows.h"

#include "server/qdrant_handlers.h"
#include "server/qdrant_record.h"

/* All ids are read before one is used: a bad one changes nothing. */
static bool
by_id(struct vecwire__qdrant_call *call, struct vecwire__view ids,
      vecwire__row_visit visit, void *arg)
{
    struct vecwire__view_iter iter;
    struct vecwire__point_id id;

    if (!vecwire__view_is_array(ids))
        return vecwire__qdrant_fail(
            call, 400, "Format error in JSON body: points: expected an array");
    vecwire__view_begin(&iter, ids);
    while (vecwire__view_next(&iter)) {
        if (!vecwire__qdrant_take_id(&call->fault, iter.value, &id))
            return false;
    }
    vecwire__view_begin(&iter, ids);
    while (vecwire__view_next(&iter)) {
        size_t row = SIZE_MAX;

        if (vecwire__qdrant_take_id(&call->fault, iter.value, &id))
            row = vecwire__collection_find(call->collection, &id);
        if (row != SIZE_MAX && !visit(call, row, arg))
            return false;
    }
    return true;
}

static bool
by_filter(struct vecwire__qdrant_call *call, struct vecwire__view value,
          vecwire__row_visit visit, void *arg)
{
    struct vecwire__filter *filter =
        vecwire__qdrant_filter(value, &call->fault);
    struct vecwire__collection *collection = call->collection;
    bool done = filter != NULL;

    for (size_t row = 0; done && row < collection->n_rows; row++) {
        if (collection->points[row].is_live &&
            vecwire__qdrant_matches(filter, collection, row, &call->fault))
            done = visit(call, row, arg);
        done = done && call->fault.status == 0;
    }
    vecwire__filter_free(filter);
    return done;
}

bool
vecwire__qdrant_rows(struct vecwire__qdrant_call *call,
                     vecwire__row_visit visit, void *arg)
{
    struct vecwire__view points, filter;
    const struct vecwire__view_want wants[] = {{"points", &points},
                                               {"filter", &filter}};

    if (!vecwire__qdrant_members(&call->fault, call->body, wants, 2))
        return false;
    call->collection->n_updates++;
    if (points.at != NULL)
        return by_id(call, points, visit, arg);
    if (filter.at != NULL)
        return by_filter(call, filter, visit, arg);
    return vecwire__qdrant_fail(
        call, 400, "Bad request: Either points or filter must be given");
}

static bool
delete_row(struct vecwire__qdrant_call *call, size_t row, void *arg)
{
    (void)arg;
    vecwire__collection_delete(call->collection, row);
    return true;
}

bool
vecwire__qdrant_delete_points(struct vecwire__qdrant_call *call)
{
    if (!vecwire__qdrant_rows(call, delete_row, NULL))
        return false;
    vecwire__collection_compact(call->collection);
    return vecwire__qdrant_updated(call);
}
