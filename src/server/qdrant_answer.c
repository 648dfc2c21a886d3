/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "server/qdrant_handlers.h"
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
    return vecwire__qdrant_put(call, done && vecwire__buf_str(reply, "]}"));
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
    bool done;

    if (!vecwire__qdrant_members(&call->fault, body, wants, 3) ||
        !vecwire__record_parts_read(&parts, call->collection, payload,
                                    vector.at != NULL ? vector : vectors, false,
                                    &call->fault))
        return false;
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
        return vecwire__qdrant_refuse(
            call, 400, "Format error in JSON body: missing field `searches`");
    if (!vecwire__qdrant_put(call, vecwire__buf_byte(call->reply, '[')))
        return false;
    vecwire__view_begin(&iter, searches);
    for (; vecwire__view_next(&iter); first = false) {
        if ((!first &&
             !vecwire__qdrant_put(call, vecwire__buf_byte(call->reply, ','))) ||
            !query_one(call, iter.value))
            return false;
    }
    return vecwire__qdrant_put(call, vecwire__buf_byte(call->reply, ']'));
}
