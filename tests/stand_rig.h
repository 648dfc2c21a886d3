/* SPDX-License-Identifier: Apache-2.0 */
/* A client whose work stands in a given state, and how each part of it ended.
 */
#ifndef VECWIRE_TESTS_STAND_RIG_H
#define VECWIRE_TESTS_STAND_RIG_H

#include "tests/client_rig.h"
#include "tests/counting_mem.h"
#include "tests/name_server.h"

enum stand {
    STAND_NEW,  /* no call yet */
    STAND_IDLE, /* a connection is kept */
    STAND_QUEUED,
    STAND_RESOLVING,
    STAND_CONNECTING, /* the loop has not run yet */
    STAND_SHAKING,    /* hands, for TLS */
    STAND_SENDING,    /* to a server that reads no more */
    STAND_SENT,
    STAND_RECEIVING,
    STAND_PAUSED,
    STAND_GAP,         /* between two attempts */
    STAND_CANCELED,    /* the callback is due */
    STAND_UPLOAD,      /* open, a request under way and a row that waits */
    STAND_UPLOAD_BUSY, /* and a call behind it, which has no connection */
    STAND_N
};

struct stand_rig {
    struct client_rig rig; /* first */
    struct counting_mem counting;
    enum stand stand;
    vecwire_call_id id;          /* of the last call */
    struct vecwire_uploader *up; /* NULL: none */
    unsigned calls, runs;        /* begun; of their callbacks */
    unsigned n_code[64];         /* of these, with that code */
    unsigned row_runs;           /* the first one pauses */
    unsigned uploads, upload_runs;
    enum vecwire_err upload_code;
    void (*then)(struct stand_rig *stand); /* in the first callback, if set */
    struct name_server *names;             /* never answers; NULL: none */
};

extern const char *const stand_names[STAND_N];

/* False: it cannot be had here. `base` is the rig's from here on. */
bool stand_begin(struct stand_rig *stand, enum stand which,
                 struct event_base *base);

/* The client is freed if it is still there. */
void stand_end(struct stand_rig *stand);

/* One more call. */
enum vecwire_err stand_call(struct stand_rig *stand);

/* Let go on what can; what cannot is canceled. */
void stand_let_go(struct stand_rig *stand);

/* Until each call and each upload has ended. */
void stand_finish(struct stand_rig *stand);

#endif
