/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VECWIRE_API_CLIENT_H
#define VECWIRE_API_CLIENT_H

#include "api/home.h"
#include "codec/guard.h"
#include "call/engine.h"
#include "dialect/hms_mask.h"
#include "net/net.h"

#include <vecwire/vecwire.h>

/* The client's own copies of the texts in its options. */
struct vecwire__texts {
    char *api_key, *tenant, *collection, *user_agent;
    size_t key_bytes; /* of api_key, which is wiped before it is freed */
};

struct vecwire_client {
    struct vecwire_mem mem;
    struct vecwire__guard guard;
    struct vecwire_mem guarded; /* mem, while the client lives */
    /* As taken: defaults filled in, texts pointing at our copies. */
    struct vecwire_options options;
    struct vecwire__texts texts;
    struct vecwire__headers extra;   /* copies of options.headers */
    struct vecwire__headers headers; /* what every request carries */
    struct vecwire__settings settings;
    struct vecwire__hms_masking masking; /* all zero without a mask */
    struct vecwire__url url;
    const struct vecwire__dialect *dialect;
    struct vecwire__timers timers;
    struct vecwire__engine engine;
    struct vecwire__net *net;
    struct event_base *base;
    struct event *timer_event;
    struct event *due_event;
    struct vecwire__home home;
    bool away;  /* in a child, and made ready to be freed there */
    bool *gone; /* a drain on the stack wants to know of our end */
};

/* Check the options and fill in the defaults. The texts still point at the
 * caller's. */
enum vecwire_err vecwire__options_take(struct vecwire_options *out,
                                       const struct vecwire_options *given,
                                       struct vecwire_refusal *refusal);

/* A call's headers in place of the client's; `out` stays empty when the call
 * has none of its own. */
enum vecwire_err vecwire__own_headers(
    struct vecwire_client *client, const struct vecwire_call_options *options,
    struct vecwire__headers *out, struct vecwire_refusal *refusal);

/* Before anything is given back: in a child of the client's process the
 * parent is not to feel it, and no call is sent any more. */
void vecwire__client_part(struct vecwire_client *client);

#endif
