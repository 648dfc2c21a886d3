/* SPDX-License-Identifier: Apache-2.0 */
/* Uploads by the client of a rig. */
#ifndef VECWIRE_TESTS_UPLOAD_RIG_H
#define VECWIRE_TESTS_UPLOAD_RIG_H

#include "tests/client_rig.h"

/* What an upload came to. */
struct upload_seen {
    struct client_rig *rig;
    struct vecwire_uploader *up;
    unsigned runs; /* of the completion */
    enum vecwire_err code;
    uint64_t taken, done, failed;
    uint64_t reported; /* rows, by the callback for failed ones */
    /* What is done in the first callback there is. */
    enum { NOTHING, FREE_CLIENT, FREE_BOTH } then;
};

/* Begin one, with the callbacks that fill in `seen`. */
enum vecwire_err upload_rig_begin(struct client_rig *rig,
                                  struct upload_seen *seen,
                                  struct vecwire_uploader_options options);

/* Add up to `n` rows of 8 coordinates, n <= 512. */
enum vecwire_err upload_rig_add(struct upload_seen *seen, size_t n,
                                size_t *taken);

#endif
