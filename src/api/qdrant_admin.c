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

/* A public verb of that name. */
#define VERB(name, type)                                                       \
    enum vecwire_err vecwire_qdrant_##name(                                    \
        struct vecwire_client *client, const struct type *request,             \
        vecwire_reply_cb cb, void *arg, vecwire_call_id *id)                   \
    {                                                                          \
        struct type r;                                                         \
                                                                               \
        if (!vecwire__verb_take(client, &r, sizeof(r), sizeof(r), request,     \
                                id))                                           \
            return VECWIRE_EINVAL;                                             \
        return vecwire__admin_start(                                           \
            client,                                                            \
            &(struct vecwire__admin_verb){vecwire__qdrant_encode_##name,       \
                                          r.call, r.refusal, cb, arg},         \
            &r, id);                                                           \
    }

VERB(create_collection, vecwire_qdrant_create_request)
VERB(update_collection, vecwire_qdrant_update_collection_request)
VERB(delete_collection, vecwire_qdrant_admin_request)
VERB(collection_exists, vecwire_qdrant_admin_request)
VERB(list_collections, vecwire_qdrant_admin_request)
VERB(collection_info, vecwire_qdrant_admin_request)
