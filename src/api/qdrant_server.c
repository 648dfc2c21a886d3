/* SPDX-License-Identifier: Apache-2.0 */
/* Qdrant's indexes, aliases, snapshots and pages. */
#include "api/qdrant_verb.h"

#include "dialect/qdrant_server.h"

VECWIRE__QDRANT_VERB(create_index, create_index, vecwire_qdrant_index_request,
                     reserved)
VECWIRE__QDRANT_VERB(delete_index, delete_index, vecwire_qdrant_index_request,
                     reserved)
VECWIRE__QDRANT_VERB(update_aliases, update_aliases,
                     vecwire_qdrant_aliases_request, refusal)
VECWIRE__QDRANT_VERB(list_aliases, list_aliases, vecwire_qdrant_admin_request,
                     refusal)
VECWIRE__QDRANT_VERB(collection_aliases, collection_aliases,
                     vecwire_qdrant_admin_request, refusal)
VECWIRE__QDRANT_VERB(list_snapshots, list_snapshots,
                     vecwire_qdrant_admin_request, refusal)
VECWIRE__QDRANT_VERB(create_snapshot, create_snapshot,
                     vecwire_qdrant_admin_request, refusal)
VECWIRE__QDRANT_VERB(page, page, vecwire_qdrant_page_request, reserved)

bool
vecwire_qdrant_snapshot_at(const struct vecwire_reply *reply, size_t index,
                           struct vecwire_qdrant_snapshot *snapshot)
{
    const struct vecwire_row *row = vecwire_reply_row(reply, index);

    memset(snapshot, 0, sizeof(*snapshot));
    if (row == NULL)
        return false;
    snapshot->name = row->id.text;
    snapshot->creation_time = row->text;
    snapshot->checksum = row->payload;
    snapshot->size = row->version;
    return true;
}
