/* SPDX-License-Identifier: Apache-2.0 */
/* What the verbs of Qdrant's administration have in common. */
#ifndef VECWIRE_API_QDRANT_ADMIN_H
#define VECWIRE_API_QDRANT_ADMIN_H

#include "api/verb.h"
#include "dialect/qdrant_admin.h"

/* A verb whose request has call options and a refusal: encoder and both. */
struct vecwire__admin_verb {
    vecwire__encoder encoder;
    const struct vecwire_call_options *call;
    struct vecwire_refusal *refusal;
    vecwire_reply_cb cb;
    void *arg;
};

/* Start it. */
enum vecwire_err vecwire__admin_start(struct vecwire_client *client,
                                      const struct vecwire__admin_verb *verb,
                                      const void *request, vecwire_call_id *id);

/* A public verb of that name. */
#define VECWIRE__ADMIN_VERB(name, type)                                        \
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

#endif
