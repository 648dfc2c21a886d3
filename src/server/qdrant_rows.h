/* SPDX-License-Identifier: Apache-2.0 */
/* The points that an update names: by id or by filter. */
#ifndef VECWIRE_SERVER_QDRANT_ROWS_H
#define VECWIRE_SERVER_QDRANT_ROWS_H

#include "server/qdrant.h"

/* Called for each point that is there; false (with a fault) ends it. */
typedef bool (*vecwire__row_visit)(struct vecwire__qdrant_call *call,
                                   size_t row, void *arg);

/* Visit the points of `points`, or of `filter`, of the body, which must have
 * one of them. Visits may delete their own row. */
bool vecwire__qdrant_rows(struct vecwire__qdrant_call *call,
                          vecwire__row_visit visit, void *arg);

#endif
