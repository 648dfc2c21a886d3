/* SPDX-License-Identifier: Apache-2.0 */
/* What every verb does, whatever it asks for. */
#ifndef VECWIRE_API_VERB_H
#define VECWIRE_API_VERB_H

#include <vecwire/qdrant.h>

#include "api/client.h"
#include "api/input.h"

/* What every verb gets, beside its request. */
struct vecwire__verb_call {
    struct vecwire_client *client;
    const struct vecwire_call_options *options; /* NULL: the client's */
    struct vecwire_refusal *wanted;             /* NULL: not wanted */
    vecwire_reply_cb cb;
    void *arg;
    enum vecwire__verb which;
    /* VERB_OWN: of this database alone, and this writes it. */
    vecwire__encoder own;
    uint32_t dialect;
    vecwire_rows_cb on_rows; /* NULL: rows come with the completion */
    void *rows_arg;
};

/* What a call is to be like: its own settings where it has them, else the
 * client's. The texts are still the caller's. */
struct vecwire__call_settings {
    struct vecwire_call_options options;
    struct vecwire_qdrant_params qdrant;
    struct vecwire__settings settings; /* may point at the params above */
};

/* Take the options of one call. VECWIRE_EINVAL, refused. */
enum vecwire_err
vecwire__call_settings_take(const struct vecwire_client *client,
                            const struct vecwire_call_options *given,
                            struct vecwire__call_settings *out,
                            struct vecwire_refusal *refusal);

/* A copy of the request that knows all fields; `least` is its size in the
 * first version. False: it was made without macro and init: then it cannot be
 * trusted to hold a place for the reason either; *id is 0. */
VECWIRE_NODISCARD bool vecwire__verb_take(struct vecwire_client *client,
                                          void *copy, size_t size, size_t least,
                                          const void *request,
                                          vecwire_call_id *id);

/* Encode `request` and start the call, see <vecwire/query.h>. */
enum vecwire_err vecwire__verb_start(const struct vecwire__verb_call *verb,
                                     const void *request, vecwire_call_id *id);

#endif
