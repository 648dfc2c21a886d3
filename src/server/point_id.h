/* SPDX-License-Identifier: Apache-2.0 */
/* Qdrant's ids of points: a number of 0 to 2^64-1, or a UUID. */
#ifndef VECWIRE_SERVER_POINT_ID_H
#define VECWIRE_SERVER_POINT_ID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "codec/buf.h"

struct vecwire__point_id {
    bool is_number;
    uint64_t number;        /* 0 for a UUID */
    unsigned char uuid[16]; /* zero for a number */
};

/* Text of a UUID: hyphenated, 32 digits only, urn:uuid: or in braces. */
bool vecwire__point_id_uuid(struct vecwire__point_id *id, const char *text,
                            size_t len);

/* As it stands in a path: digits, else a UUID. */
bool vecwire__point_id_text(struct vecwire__point_id *id, const char *text,
                            size_t len);

/* A JSON integer or a string with a UUID; of a tree of vecwire__json_load(). */
bool vecwire__point_id_json(struct vecwire__point_id *id, const json_t *value);

/* Numbers first, then UUIDs, each ascending: <0, 0, >0. */
int vecwire__point_id_compare(const struct vecwire__point_id *a,
                              const struct vecwire__point_id *b);

/* SipHash-2-4 without a key, the same everywhere. */
uint64_t vecwire__point_id_hash(const struct vecwire__point_id *id);

/* Append it as JSON. False: no memory. */
bool vecwire__point_id_put(struct vecwire__buf *buf,
                           const struct vecwire__point_id *id);

#endif
