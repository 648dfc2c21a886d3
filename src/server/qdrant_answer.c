/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "server/qdrant_handlers.h"
#include "server/qdrant_ordered.h"
#include "server/qdrant_query.h"
#include "server/qdrant_record.h"

static bool
put_results(struct vecwire__qdrant_call *call,
            const struct vecwire__results *results,
            const struct vecwire__record_parts *parts)
{
    struct vecwire__buf *reply = call->reply;
    bool done = vecwire__buf_str(reply, "{\"points\":[");

    for (size_t i = 0; done && i < results->n; i++)
        done =
            (i == 0 || vecwire__buf_byte(reply, ',')) &&
            vecwire__record_put(reply, call->collection, results->list[i].row,
                                parts, &results->list[i].score);
    return vecwire__qdrant_wrote(call, done && vecwire__buf_str(reply, "]}"));
}

/* Ordered by a field there is nothing to score. */
static bool
ordered_one(struct vecwire__qdrant_call *call, struct vecwire__view body,
            struct vecwire__view order,
            const struct vecwire__record_parts *parts)
{
    struct vecwire__view filter, limit, offset, prefetch, threshold;
    const struct vecwire__view_want wants[] = {{"filter", &filter},
                                               {"limit", &limit},
                                               {"offset", &offset},
                                               {"prefetch", &prefetch},
                                               {"score_threshold", &threshold}};
    struct vecwire__filter *wanted;
    size_t n = 10, skip = 0;
    bool done;

    if (!vecwire__qdrant_members(&call->fault, body, wants, 5) ||
        !vecwire__qdrant_size(&call->fault, "internal.limit", limit, 1, &n) ||
        !vecwire__qdrant_size(&call->fault, "offset", offset, 0, &skip))
        return false;
    if (threshold.at != NULL || skip > 0 || vecwire__view_count(prefetch) > 0)
        return vecwire__qdrant_fail(
            call, 400,
            "Bad request: order_by goes without score_threshold, offset and "
            "prefetch here");
    wanted = vecwire__qdrant_filter(filter, &call->fault);
    done = wanted != NULL &&
           vecwire__qdrant_put_ordered(call, order, wanted, parts, n, true);
    vecwire__filter_free(wanted);
    return done;
}

/* The order_by of a query; at NULL: it has none. */
static struct vecwire__view
order_of(struct vecwire__view body)
{
    struct vecwire__view query, order = {NULL, NULL};
    const struct vecwire__view_want outer = {"query", &query};
    const struct vecwire__view_want inner = {"order_by", &order};

    (void)vecwire__view_members(body, &outer, 1);
    if (vecwire__view_is_object(query))
        (void)vecwire__view_members(query, &inner, 1);
    return order;
}

static bool
query_one(struct vecwire__qdrant_call *call, struct vecwire__view body)
{
    struct vecwire__view payload, vector, vectors;
    const struct vecwire__view_want wants[] = {{"with_payload", &payload},
                                               {"with_vector", &vector},
                                               {"with_vectors", &vectors}};
    struct vecwire__record_parts parts;
    struct vecwire__results results = {NULL, 0};
    struct vecwire__view order = order_of(body);
    bool done;

    if (!vecwire__qdrant_members(&call->fault, body, wants, 3) ||
        !vecwire__record_parts_read(&parts, call->collection, payload,
                                    vector.at != NULL ? vector : vectors, false,
                                    &call->fault))
        return false;
    if (order.at != NULL)
        done = ordered_one(call, body, order, &parts);
    else
        done = vecwire__query_run(call, body, 0, 0, &results) &&
               put_results(call, &results, &parts);
    vecwire__results_fini(&results);
    vecwire__record_parts_fini(&parts);
    return done;
}

bool
vecwire__qdrant_query(struct vecwire__qdrant_call *call)
{
    return query_one(call, call->body);
}

bool
vecwire__qdrant_query_batch(struct vecwire__qdrant_call *call)
{
    struct vecwire__view searches;
    const struct vecwire__view_want wants[] = {{"searches", &searches}};
    struct vecwire__view_iter iter;
    bool first = true;

    if (!vecwire__qdrant_members(&call->fault, call->body, wants, 1))
        return false;
    if (!vecwire__view_is_array(searches))
        return vecwire__qdrant_fail(
            call, 400, "Format error in JSON body: missing field `searches`");
    if (!vecwire__qdrant_wrote(call, vecwire__buf_byte(call->reply, '[')))
        return false;
    vecwire__view_begin(&iter, searches);
    for (; vecwire__view_next(&iter); first = false) {
        if ((!first && !vecwire__qdrant_wrote(
                           call, vecwire__buf_byte(call->reply, ','))) ||
            !query_one(call, iter.value))
            return false;
    }
    return vecwire__qdrant_wrote(call, vecwire__buf_byte(call->reply, ']'));
}
