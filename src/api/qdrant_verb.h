/* SPDX-License-Identifier: Apache-2.0 */
/* What the verbs that only Qdrant has have in common. */
#ifndef VECWIRE_API_QDRANT_VERB_H
#define VECWIRE_API_QDRANT_VERB_H

#include "api/verb.h"

/* A call of Qdrant's: `which`, `own` and `dialect` of vecwire__verb_start(). */
#define VECWIRE__QDRANT_OWN(encoder)                                           \
    .which = VECWIRE__VERB_OWN, .own = vecwire__qdrant_encode_##encoder,       \
    .dialect = VECWIRE_QDRANT

/* A public verb of that name; its request, which is as it was in the first
 * version up to `last`, has call options and a refusal. */
#define VECWIRE__QDRANT_VERB(name, encoder, type, last)                        \
    enum vecwire_err vecwire_qdrant_##name(                                    \
        struct vecwire_client *client, const struct type *request,             \
        vecwire_reply_cb cb, void *arg, vecwire_call_id *id)                   \
    {                                                                          \
        struct type r;                                                         \
                                                                               \
        if (!vecwire__verb_take(client, &r, sizeof(r),                         \
                                VECWIRE__SIZE_UP_TO(struct type, last),        \
                                request, id))                                  \
            return VECWIRE_EINVAL;                                             \
        return vecwire__verb_start(                                            \
            &(struct vecwire__verb_call){.client = client,                     \
                                         .options = r.call,                    \
                                         .wanted = r.refusal,                  \
                                         .cb = cb,                             \
                                         .arg = arg,                           \
                                         VECWIRE__QDRANT_OWN(encoder)},        \
            &r, id);                                                           \
    }

#endif
