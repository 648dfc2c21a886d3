/* SPDX-License-Identifier: Apache-2.0 */
/* The routes that change some vectors of points. */
#include <stdint.h>
#include <string.h>

#include "codec/mem.h"
#include "server/qdrant_draft.h"
#include "server/qdrant_handlers.h"
#include "server/qdrant_record.h"
#include "server/qdrant_rows.h"

/* Every point must be there, and get something. */
static bool
check_draft(struct vecwire__qdrant_call *call,
            const struct vecwire__draft *draft)
{
    struct vecwire__buf id;
    bool done = draft->n_points != 0 ||
                vecwire__qdrant_fail(
                    call, 422,
                    "Validation error in JSON body: [points: must have at "
                    "least one point]");

    vecwire__buf_init(&id, &vecwire__mem_libc);
    for (size_t i = 0; done && i < draft->n_points; i++) {
        const struct vecwire__draft_point *point = &draft->points[i];

        id.len = 0;
        if (point->n_vectors == 0)
            done = vecwire__qdrant_fail(
                call, 422,
                "Validation error in JSON body: [points[%zu].vector: must "
                "specify vectors to update for point]",
                i);
        else if (vecwire__collection_find(call->collection, &point->id) ==
                 SIZE_MAX)
            done =
                vecwire__qdrant_wrote(call,
                                      vecwire__point_id_put(&id, &point->id)) &&
                vecwire__qdrant_fail(call, 404,
                                     "Not found: No point with id %.*s found",
                                     (int)id.len, id.bytes);
    }
    vecwire__buf_fini(&id);
    return done;
}

static bool
store(struct vecwire__qdrant_call *call, struct vecwire__draft *draft,
      const struct vecwire__filter *filter)
{
    struct vecwire__collection *collection = call->collection;

    collection->n_updates++;
    for (size_t i = 0; i < draft->n_points; i++) {
        const size_t row =
            vecwire__collection_find(collection, &draft->points[i].id);

        if (vecwire__qdrant_matches(filter, collection, row, &call->fault)) {
            vecwire__draft_store(draft, &draft->points[i], collection, row);
            collection->points[row].version = collection->n_updates;
        }
        if (call->fault.status != 0)
            return false;
    }
    return vecwire__qdrant_updated(call);
}

bool
vecwire__qdrant_update_vectors(struct vecwire__qdrant_call *call)
{
    struct vecwire__view filter;
    const struct vecwire__view_want wants[] = {{"update_filter", &filter}};
    struct vecwire__draft draft = {0};
    struct vecwire__filter *wanted;
    bool done;

    if (!vecwire__qdrant_members(&call->fault, call->body, wants, 1))
        return false;
    wanted = vecwire__qdrant_filter(filter, &call->fault);
    done = wanted != NULL &&
           vecwire__draft_read(&draft, call->collection, call->body, false,
                               &call->fault) &&
           check_draft(call, &draft) && store(call, &draft, wanted);
    vecwire__draft_fini(&draft);
    vecwire__filter_free(wanted);
    return done;
}

/* The vectors to take away. */
struct removal {
    bool columns[VECWIRE__COLLECTION_COLUMNS];
};

static bool
read_names(struct vecwire__qdrant_call *call, struct removal *removal,
           struct vecwire__view names)
{
    struct vecwire__view_iter iter;
    struct vecwire__buf name;
    bool done = true;

    if (!vecwire__view_is_array(names))
        return vecwire__qdrant_fail(
            call, 400, "Format error in JSON body: vector: expected an array");
    if (vecwire__view_count(names) == 0)
        return vecwire__qdrant_fail(
            call, 422,
            "Validation error in JSON body: [vector: must specify vector names "
            "to delete]");
    vecwire__buf_init(&name, &vecwire__mem_libc);
    vecwire__view_begin(&iter, names);
    while (done && vecwire__view_next(&iter)) {
        size_t column;

        name.len = 0;
        done = vecwire__qdrant_text(&call->fault, "vector", iter.value, &name);
        if (!done)
            break;
        column = vecwire__draft_column(call->collection, name.bytes, name.len,
                                       &call->fault);
        done = column != SIZE_MAX;
        if (done)
            removal->columns[column] = true;
    }
    vecwire__buf_fini(&name);
    return done;
}

static bool
remove_vectors(struct vecwire__qdrant_call *call, size_t row, void *arg)
{
    const struct removal *removal = arg;
    struct vecwire__collection *collection = call->collection;

    for (size_t i = 0; i < collection->n_columns; i++) {
        if (removal->columns[i])
            vecwire__column_clear(&collection->columns[i], row);
    }
    collection->points[row].version = collection->n_updates;
    return true;
}

bool
vecwire__qdrant_delete_vectors(struct vecwire__qdrant_call *call)
{
    struct vecwire__view vector, vectors;
    const struct vecwire__view_want wants[] = {{"vector", &vector},
                                               {"vectors", &vectors}};
    struct removal removal;

    memset(&removal, 0, sizeof(removal));
    return vecwire__qdrant_members(&call->fault, call->body, wants, 2) &&
           read_names(call, &removal, vector.at != NULL ? vector : vectors) &&
           vecwire__qdrant_rows(call, remove_vectors, &removal) &&
           vecwire__qdrant_updated(call);
}
