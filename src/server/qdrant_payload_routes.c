/* SPDX-License-Identifier: Apache-2.0 */
/* The routes that change payloads. */
#include "codec/mem.h"
#include "server/json_text.h"
#include "server/qdrant_handlers.h"
#include "server/qdrant_payload.h"
#include "server/qdrant_rows.h"

struct job {
    struct vecwire__payload_change change;
    struct vecwire__buf text; /* of the payload being changed */
};

/* The payload after the change, as text; none when nothing is left. */
static bool
write_payload(struct vecwire__qdrant_call *call, struct job *job,
              const json_t *before)
{
    json_t *now = vecwire__payload_change_apply(&job->change, before);
    bool done;

    job->text.len = 0;
    done = now != NULL &&
           (json_object_size(now) == 0 || vecwire__json_dump(&job->text, now));
    json_decref(now);
    return vecwire__qdrant_wrote(call, done);
}

static bool
change_row(struct vecwire__qdrant_call *call, size_t row, void *arg)
{
    struct job *job = arg;
    struct vecwire__collection *collection = call->collection;
    struct vecwire__point *point = &collection->points[row];
    const json_t *before = vecwire__point_tree(point, &call->fault);

    if ((before == NULL && call->fault.status != 0) ||
        !write_payload(call, job, before))
        return false;
    if (job->text.len > VECWIRE__PAYLOAD_MAX)
        return vecwire__qdrant_fail(
            call, 400, "Bad request: a payload has at most %zu bytes here",
            VECWIRE__PAYLOAD_MAX);
    point->version = collection->n_updates;
    return vecwire__qdrant_wrote(
        call, vecwire__collection_set_payload(collection, row, job->text.bytes,
                                              job->text.len));
}

static bool
change(struct vecwire__qdrant_call *call, enum vecwire__payload_op op)
{
    struct job job;
    json_t *body;
    bool done;

    if (!vecwire__qdrant_tree(&call->fault, call->body, &body))
        return false;
    done = vecwire__payload_change_read(&job.change, op, body, &call->fault);
    json_decref(body);
    if (!done)
        return false;
    vecwire__buf_init(&job.text, &vecwire__mem_libc);
    done = vecwire__qdrant_rows(call, change_row, &job) &&
           vecwire__qdrant_updated(call);
    vecwire__buf_fini(&job.text);
    vecwire__payload_change_fini(&job.change);
    return done;
}

bool
vecwire__qdrant_set_payload(struct vecwire__qdrant_call *call)
{
    return change(call, VECWIRE__PAYLOAD_SET);
}

bool
vecwire__qdrant_overwrite_payload(struct vecwire__qdrant_call *call)
{
    return change(call, VECWIRE__PAYLOAD_OVERWRITE);
}

bool
vecwire__qdrant_delete_payload(struct vecwire__qdrant_call *call)
{
    return change(call, VECWIRE__PAYLOAD_DELETE);
}

bool
vecwire__qdrant_clear_payload(struct vecwire__qdrant_call *call)
{
    return change(call, VECWIRE__PAYLOAD_CLEAR);
}
