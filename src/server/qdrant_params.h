/* SPDX-License-Identifier: Apache-2.0 */
/* The part of a URL behind the question mark, as Qdrant reads it. */
#ifndef VECWIRE_SERVER_QDRANT_PARAMS_H
#define VECWIRE_SERVER_QDRANT_PARAMS_H

#include <stdbool.h>

#include "server/fault.h"

enum vecwire__qdrant_params {
    VECWIRE__PARAMS_NONE,
    VECWIRE__PARAMS_READ,   /* consistency, timeout */
    VECWIRE__PARAMS_UPDATE, /* wait, ordering, timeout */
    VECWIRE__PARAMS_ADMIN   /* timeout */
};

/* Check what is known there, the rest is passed over; *wait is set. `query`
 * may be NULL. False: `fault` is set. */
bool vecwire__qdrant_params_read(enum vecwire__qdrant_params kind,
                                 const char *query, bool *wait,
                                 struct vecwire__fault *fault);

/* Undo percent-encoding in place. False: it has a NUL or is no UTF-8. */
bool vecwire__percent_decode(char *text);

#endif
