/* SPDX-License-Identifier: Apache-2.0 */
/* Updates that only Qdrant has. */
#include "api/qdrant_verb.h"

#include "dialect/qdrant_update.h"

VECWIRE__QDRANT_VERB(change_payload, payload, vecwire_qdrant_payload_request,
                     reserved)
VECWIRE__QDRANT_VERB(update_vectors, update_vectors, vecwire_upsert_request,
                     refusal)
VECWIRE__QDRANT_VERB(delete_vectors, delete_vectors,
                     vecwire_qdrant_delete_vectors_request, refusal)
VECWIRE__QDRANT_VERB(update_points, operations,
                     vecwire_qdrant_operations_request, refusal)

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
