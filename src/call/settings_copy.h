/* SPDX-License-Identifier: Apache-2.0 */
/* What a call is to be like, kept for calls that follow later. */
#ifndef VECWIRE_CALL_SETTINGS_COPY_H
#define VECWIRE_CALL_SETTINGS_COPY_H

#include <vecwire/qdrant.h>

#include "dialect/dialect.h"

/* Does not move while it is in use: `settings` points at `qdrant`. Zero-filled
 * it is empty. */
struct vecwire__settings_copy {
    struct vecwire__settings settings;
    struct vecwire_qdrant_params qdrant;
    const char *filter; /* NULL: none */
    char *block;        /* all their texts */
    size_t bytes;
};

/* Copy settings, with their params and texts but for the client's own
 * (prefix, masking), and a filter (NULL: none). False: no memory. */
VECWIRE_NODISCARD bool
vecwire__settings_copy(struct vecwire__settings_copy *out,
                       const struct vecwire__settings *settings,
                       const char *filter, const struct vecwire_mem *mem);

void vecwire__settings_copy_free(struct vecwire__settings_copy *copy,
                                 const struct vecwire_mem *mem);

#endif
