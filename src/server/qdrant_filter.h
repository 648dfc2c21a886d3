/* SPDX-License-Identifier: Apache-2.0 */
/* Qdrant's filters: read once, then asked about each point. */
#ifndef VECWIRE_SERVER_QDRANT_FILTER_H
#define VECWIRE_SERVER_QDRANT_FILTER_H

#include <jansson.h>

#include "server/fault.h"
#include "server/point_id.h"

#define VECWIRE__FILTER_CONDITIONS 4096 /* of one filter, nested ones too */
#define VECWIRE__FILTER_DEPTH 32        /* of filters in filters */
#define VECWIRE__FILTER_VALUES 65536    /* of one has_id, any or except */

struct vecwire__filter;

/* What a filter looks at. */
struct vecwire__filter_point {
    const struct vecwire__point_id *id;
    const json_t *payload; /* an object; NULL: none */
    /* Has the point this vector ("" is the default one)? */
    bool (*has_vector)(const void *point, const char *name, size_t len);
    const void *point;
};

/* Read a filter; NULL and null match everything. NULL: `fault` is set, to 400
 * for a wrong shape or type, 422 for a wrong value, 500 without memory. */
struct vecwire__filter *vecwire__filter_new(const json_t *tree,
                                            struct vecwire__fault *fault);

void vecwire__filter_free(struct vecwire__filter *filter); /* NULL is fine */

/* Does it match everything? Then no point need be looked at. */
bool vecwire__filter_is_empty(const struct vecwire__filter *filter);

/* Does it look at payloads? If not, vecwire__filter_point.payload may be
 * NULL. */
bool vecwire__filter_needs_payload(const struct vecwire__filter *filter);

/* Does the point match? Needs no memory. */
bool vecwire__filter_matches(const struct vecwire__filter *filter,
                             const struct vecwire__filter_point *point);

#endif
