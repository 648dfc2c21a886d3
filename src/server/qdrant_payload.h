/* SPDX-License-Identifier: Apache-2.0 */
/* Qdrant's changes of a payload. Each is made on a copy, so that nothing has
 * changed when memory runs out. */
#ifndef VECWIRE_SERVER_QDRANT_PAYLOAD_H
#define VECWIRE_SERVER_QDRANT_PAYLOAD_H

#include "server/json_path.h"

#define VECWIRE__PAYLOAD_KEYS 1024 /* of one deletion */

enum vecwire__payload_op {
    VECWIRE__PAYLOAD_SET,       /* merge; POST .../payload */
    VECWIRE__PAYLOAD_OVERWRITE, /* replace, with `key` merge; PUT */
    VECWIRE__PAYLOAD_DELETE,    /* keys */
    VECWIRE__PAYLOAD_CLEAR
};

/* One change, the same for many points. Zero-filled it may be freed. */
struct vecwire__payload_change {
    enum vecwire__payload_op op;
    json_t *payload;                 /* of SET and OVERWRITE; a reference */
    struct vecwire__json_path key;   /* without steps: none */
    struct vecwire__json_path *keys; /* of DELETE */
    size_t n_keys;
};

/* Read the body of a request, an object with `payload` and `key`, or `keys`;
 * all else in it is the caller's (points, filter, shard_key). False: `fault`
 * is set, to 400 or 500, and the change is empty. */
bool vecwire__payload_change_read(struct vecwire__payload_change *change,
                                  enum vecwire__payload_op op,
                                  const json_t *body,
                                  struct vecwire__fault *fault);

void vecwire__payload_change_fini(struct vecwire__payload_change *change);

/* The payload after the change, a new tree (an object). `payload` may be NULL:
 * none. NULL: no memory. */
json_t *
vecwire__payload_change_apply(const struct vecwire__payload_change *change,
                              const json_t *payload);

#endif
