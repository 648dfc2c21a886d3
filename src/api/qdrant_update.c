/* SPDX-License-Identifier: Apache-2.0 */
/* Updates that only Qdrant has. */
#include "api/verb.h"

#include "dialect/qdrant_update.h"

#define FIRST_UPSERT VECWIRE__SIZE_UP_TO(struct vecwire_upsert_request, refusal)

static enum vecwire_err
start(struct vecwire_client *client, vecwire__encoder encoder,
      const struct vecwire_call_options *options,
      struct vecwire_refusal *refusal, const void *request, vecwire_reply_cb cb,
      void *arg, vecwire_call_id *id)
{
    return vecwire__verb_start(
        &(struct vecwire__verb_call){.client = client,
                                     .options = options,
                                     .wanted = refusal,
                                     .cb = cb,
                                     .arg = arg,
                                     .which = VECWIRE__VERB_OWN,
                                     .own = encoder,
                                     .dialect = VECWIRE_QDRANT},
        request, id);
}

enum vecwire_err
vecwire_qdrant_change_payload(
    struct vecwire_client *client,
    const struct vecwire_qdrant_payload_request *request, vecwire_reply_cb cb,
    void *arg, vecwire_call_id *id)
{
    struct vecwire_qdrant_payload_request r;

    if (!vecwire__verb_take(client, &r, sizeof(r), sizeof(r), request, id))
        return VECWIRE_EINVAL;
    return start(client, vecwire__qdrant_encode_payload, r.call, r.refusal, &r,
                 cb, arg, id);
}

enum vecwire_err
vecwire_qdrant_update_vectors(struct vecwire_client *client,
                              const struct vecwire_upsert_request *request,
                              vecwire_reply_cb cb, void *arg,
                              vecwire_call_id *id)
{
    struct vecwire_upsert_request r;

    if (!vecwire__verb_take(client, &r, sizeof(r), FIRST_UPSERT, request, id))
        return VECWIRE_EINVAL;
    return start(client, vecwire__qdrant_encode_update_vectors, r.call,
                 r.refusal, &r, cb, arg, id);
}

enum vecwire_err
vecwire_qdrant_delete_vectors(
    struct vecwire_client *client,
    const struct vecwire_qdrant_delete_vectors_request *request,
    vecwire_reply_cb cb, void *arg, vecwire_call_id *id)
{
    struct vecwire_qdrant_delete_vectors_request r;

    if (!vecwire__verb_take(client, &r, sizeof(r), sizeof(r), request, id))
        return VECWIRE_EINVAL;
    return start(client, vecwire__qdrant_encode_delete_vectors, r.call,
                 r.refusal, &r, cb, arg, id);
}

enum vecwire_err
vecwire_qdrant_update_points(
    struct vecwire_client *client,
    const struct vecwire_qdrant_operations_request *request,
    vecwire_reply_cb cb, void *arg, vecwire_call_id *id)
{
    struct vecwire_qdrant_operations_request r;

    if (!vecwire__verb_take(client, &r, sizeof(r), sizeof(r), request, id))
        return VECWIRE_EINVAL;
    return start(client, vecwire__qdrant_encode_operations, r.call, r.refusal,
                 &r, cb, arg, id);
}

enum vecwire_qdrant_outcome
vecwire_qdrant_update_outcome(const struct vecwire_reply *reply, size_t index)
{
    if (reply->failed || index >= reply->n_updates)
        return VECWIRE_QDRANT_NO_UPDATE;
    return (enum vecwire_qdrant_outcome)reply->updates[index].outcome;
}

bool
vecwire_qdrant_operation_number(const struct vecwire_reply *reply, size_t index,
                                uint64_t *number)
{
    if (reply->failed || index >= reply->n_updates ||
        !reply->updates[index].has_number)
        return false;
    if (number != NULL)
        *number = reply->updates[index].number;
    return true;
}
