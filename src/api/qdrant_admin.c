/* SPDX-License-Identifier: Apache-2.0 */
/* Qdrant's collections. */
#include "api/qdrant_admin.h"

enum vecwire_err
vecwire__admin_start(struct vecwire_client *client,
                     const struct vecwire__admin_verb *verb,
                     const void *request, vecwire_call_id *id)
{
    return vecwire__verb_start(
        &(struct vecwire__verb_call){.client = client,
                                     .options = verb->call,
                                     .wanted = verb->refusal,
                                     .cb = verb->cb,
                                     .arg = verb->arg,
                                     .which = VECWIRE__VERB_OWN,
                                     .own = verb->encoder,
                                     .dialect = VECWIRE_QDRANT},
        request, id);
}

VECWIRE__ADMIN_VERB(create_collection, vecwire_qdrant_create_request)
VECWIRE__ADMIN_VERB(update_collection, vecwire_qdrant_update_collection_request)
VECWIRE__ADMIN_VERB(delete_collection, vecwire_qdrant_admin_request)
VECWIRE__ADMIN_VERB(collection_exists, vecwire_qdrant_admin_request)
VECWIRE__ADMIN_VERB(list_collections, vecwire_qdrant_admin_request)
VECWIRE__ADMIN_VERB(collection_info, vecwire_qdrant_admin_request)
