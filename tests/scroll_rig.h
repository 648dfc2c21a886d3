/* SPDX-License-Identifier: Apache-2.0 */
/* Scrolls by the client of a rig through a collection of rows 0.., whose
 * vectors are [id, id + 0.5]. */
#ifndef VECWIRE_TESTS_SCROLL_RIG_H
#define VECWIRE_TESTS_SCROLL_RIG_H

#include "tests/client_rig.h"

/* What a scroll came to. */
struct scroll_seen {
    struct client_rig *rig;
    struct vecwire_scroller *s;
    uint64_t next;  /* id of the row that is due */
    unsigned runs;  /* of the completion */
    unsigned turns; /* of the rows callback */
    enum vecwire_err code;
    struct vecwire_scroll_result result;
    unsigned pauses; /* the next so many rows callbacks pause */
};

/* A client of Qdrant and a collection of so many rows. */
void scroll_rig_init(struct client_rig *rig, struct vecwire_options options,
                     uint64_t rows);

/* Begin one, with the callbacks that fill in `seen`. */
enum vecwire_err scroll_rig_begin(struct client_rig *rig,
                                  struct scroll_seen *seen,
                                  struct vecwire_scroller_options options);

/* The rows callback of these; `arg` is a struct scroll_seen. */
enum vecwire_rows_action scroll_rig_rows(const struct vecwire_reply *rows,
                                         void *arg);

/* The request that the server answered last, head and body. */
const char *scroll_rig_request(void);

/* How many it has answered. */
unsigned scroll_rig_requests(void);

#endif
