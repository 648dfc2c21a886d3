/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "codec/mem.h"
#include "server/qdrant_draft.h"
#include "server/qdrant_handlers.h"
#include "server/qdrant_record.h"

/* What an upsert does with points that are there, or are not. */
enum mode { UPSERT, INSERT_ONLY, UPDATE_ONLY };

static bool
mode_read(struct vecwire__qdrant_call *call, struct vecwire__view value,
          enum mode *mode)
{
    *mode = UPSERT;
    if (value.at == NULL || vecwire__view_is(value, "upsert"))
        return true;
    *mode = INSERT_ONLY;
    if (vecwire__view_is(value, "insert_only"))
        return true;
    *mode = UPDATE_ONLY;
    return vecwire__view_is(value, "update_only") ||
           vecwire__qdrant_fail(call, 400,
                                "Format error in JSON body: update_mode: "
                                "expected one of upsert, insert_only, "
                                "update_only");
}

/* Shall this point be left alone? */
static bool
is_passed_over(struct vecwire__qdrant_call *call, size_t row, enum mode mode,
               const struct vecwire__filter *filter)
{
    if (row == SIZE_MAX)
        return mode == UPDATE_ONLY;
    return mode == INSERT_ONLY ||
           !vecwire__qdrant_matches(filter, call->collection, row,
                                    &call->fault);
}

static bool
point_store(struct vecwire__qdrant_call *call, struct vecwire__draft *draft,
            const struct vecwire__draft_point *point)
{
    struct vecwire__collection *collection = call->collection;
    size_t n_live = collection->n_live;
    size_t row = vecwire__collection_open(collection, &point->id, &call->fault);
    size_t len = point->payload.at == NULL
                     ? 0
                     : (size_t)(point->payload.end - point->payload.at);

    if (row == SIZE_MAX)
        return false;
    if (!vecwire__collection_set_payload(collection, row, point->payload.at,
                                         len)) {
        /* Half a point is none. */
        if (collection->n_live > n_live)
            vecwire__collection_delete(collection, row);
        return vecwire__qdrant_wrote(call, false);
    }
    vecwire__collection_strip(collection, row);
    vecwire__draft_store(draft, point, collection, row);
    collection->points[row].version = collection->n_updates;
    return true;
}

static bool
store_all(struct vecwire__qdrant_call *call, struct vecwire__draft *draft,
          enum mode mode, const struct vecwire__filter *filter)
{
    call->collection->n_updates++;
    for (size_t i = 0; i < draft->n_points; i++) {
        size_t row =
            vecwire__collection_find(call->collection, &draft->points[i].id);

        if (is_passed_over(call, row, mode, filter))
            continue;
        if (!point_store(call, draft, &draft->points[i]))
            return false;
    }
    return call->fault.status == 0 && vecwire__qdrant_updated(call);
}

bool
vecwire__qdrant_upsert(struct vecwire__qdrant_call *call)
{
    struct vecwire__view filter, mode_text;
    const struct vecwire__view_want wants[] = {{"update_filter", &filter},
                                               {"update_mode", &mode_text}};
    struct vecwire__draft draft = {0};
    struct vecwire__filter *wanted;
    enum mode mode;
    bool done = false;

    if (!vecwire__qdrant_members(&call->fault, call->body, wants, 2) ||
        !mode_read(call, mode_text, &mode))
        return false;
    wanted = vecwire__qdrant_filter(filter, &call->fault);
    if (wanted != NULL && vecwire__draft_read(&draft, call->collection,
                                              call->body, true, &call->fault))
        done = draft.n_points == 0
                   ? vecwire__qdrant_fail(call, 400,
                                          "Bad request: Empty update request")
                   : store_all(call, &draft, mode, wanted);
    vecwire__draft_fini(&draft);
    vecwire__filter_free(wanted);
    return done;
}
