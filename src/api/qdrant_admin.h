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

#endif
