/* SPDX-License-Identifier: Apache-2.0 */
/* A list of updates, each as its own route would take it. They go in order;
 * the first that fails ends the batch, and what was done before stays. */
#include <stddef.h>

#include "server/qdrant.h"
#include "server/qdrant_handlers.h"

static const struct operation {
    const char *key;
    vecwire__qdrant_handler run;
} operations[] = {
    {"upsert", vecwire__qdrant_upsert},
    {"delete", vecwire__qdrant_delete_points},
    {"set_payload", vecwire__qdrant_set_payload},
    {"overwrite_payload", vecwire__qdrant_overwrite_payload},
    {"delete_payload", vecwire__qdrant_delete_payload},
    {"clear_payload", vecwire__qdrant_clear_payload},
    {"update_vectors", vecwire__qdrant_update_vectors},
    {"delete_vectors", vecwire__qdrant_delete_vectors},
};

/* The operation of an element, and its body; NULL with a fault. */
static const struct operation *
find(struct vecwire__qdrant_call *call, struct vecwire__view element,
     struct vecwire__view *body)
{
    struct vecwire__view_iter iter;

    vecwire__view_begin(&iter, element);
    if (vecwire__view_is_object(element) && vecwire__view_next(&iter)) {
        for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]);
             i++) {
            if (!vecwire__view_is(iter.key, operations[i].key))
                continue;
            *body = iter.value;
            return &operations[i];
        }
    }
    vecwire__qdrant_fail(call, 400,
                         "Format error in JSON body: operations: expected "
                         "objects with one known operation");
    return NULL;
}

static bool
run_all(struct vecwire__qdrant_call *call, struct vecwire__view list)
{
    const struct vecwire__view whole = call->body;
    struct vecwire__view_iter iter;
    bool done = true, first = true;

    vecwire__view_begin(&iter, list);
    while (done && vecwire__view_next(&iter)) {
        const struct operation *operation = find(call, iter.value, &call->body);

        done = (first || vecwire__qdrant_wrote(
                             call, vecwire__buf_byte(call->reply, ','))) &&
               operation->run(call);
        first = false;
    }
    call->body = whole;
    return done;
}

bool
vecwire__qdrant_batch(struct vecwire__qdrant_call *call)
{
    struct vecwire__view list, body;
    const struct vecwire__view_want wants[] = {{"operations", &list}};
    struct vecwire__view_iter iter;

    if (!vecwire__qdrant_members(&call->fault, call->body, wants, 1))
        return false;
    if (!vecwire__view_is_array(list))
        return vecwire__qdrant_fail(
            call, 400, "Format error in JSON body: missing field `operations`");
    /* One that is unknown lets none of them begin. */
    vecwire__view_begin(&iter, list);
    while (vecwire__view_next(&iter)) {
        if (find(call, iter.value, &body) == NULL)
            return false;
    }
    return vecwire__qdrant_wrote(call, vecwire__buf_byte(call->reply, '[')) &&
           run_all(call, list) &&
           vecwire__qdrant_wrote(call, vecwire__buf_byte(call->reply, ']'));
}
