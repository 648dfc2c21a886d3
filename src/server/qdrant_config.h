/* SPDX-License-Identifier: Apache-2.0 */
/* What a collection is made of, as it is sent and as info shows it. */
#ifndef VECWIRE_SERVER_QDRANT_CONFIG_H
#define VECWIRE_SERVER_QDRANT_CONFIG_H

#include "server/collection.h"

#define VECWIRE__VECTOR_NAME 200 /* bytes */

/* Give a new collection its columns and configuration. False: fault. */
bool vecwire__config_create(struct vecwire__collection *collection,
                            const json_t *body, struct vecwire__fault *fault);

/* Change the configuration; nothing has changed on a fault of 4xx. */
bool vecwire__config_change(struct vecwire__collection *collection,
                            const json_t *body, struct vecwire__fault *fault);

#endif
