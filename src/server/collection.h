/* SPDX-License-Identifier: Apache-2.0 */
/* The points of one of Qdrant's collections, in memory only.
 *
 * A point has a row from its first upsert to its deletion; rows of deleted
 * points stay empty until there are as many as living ones, then all move
 * together. Points come in the order of their ids from a list of rows whose
 * first part is sorted: what was added since is sorted and merged in when
 * somebody wants the order, which costs little when ids come ascending. */
#ifndef VECWIRE_SERVER_COLLECTION_H
#define VECWIRE_SERVER_COLLECTION_H

#include <jansson.h>

#include "server/column.h"
#include "server/fault.h"
#include "server/id_index.h"
#include "server/point_id.h"

#define VECWIRE__COLLECTION_POINTS ((size_t)1 << 24)
#define VECWIRE__COLLECTION_COLUMNS 64
#define VECWIRE__COLLECTION_NAME 255           /* characters */
#define VECWIRE__PAYLOAD_MAX ((size_t)4 << 20) /* bytes of one */

struct vecwire__point {
    struct vecwire__point_id id;
    uint64_t version;
    uint64_t hash;
    char *payload; /* JSON text of an object; NULL: none */
    size_t payload_len;
    json_t *tree; /* of the payload; NULL until somebody asks for it */
    bool is_live;
};

struct vecwire__collection {
    char *name;
    struct vecwire__column columns[VECWIRE__COLLECTION_COLUMNS];
    size_t n_columns;
    struct vecwire__point *points; /* rows */
    size_t n_rows, cap_points;
    size_t n_live;
    struct vecwire__id_index index;
    uint64_t *order; /* rows by id, as above */
    size_t n_order, n_sorted, cap_order;
    bool has_dead; /* in `order` */
    uint64_t n_updates;
    json_t *config;  /* as info shows it */
    json_t *indexes; /* payload_schema */
};

/* A vector for a point: dense (copied), or a block. */
struct vecwire__new_vector {
    size_t column;
    const float *dense;
    struct vecwire__block *block; /* taken over, then NULL */
};

struct vecwire__collection *vecwire__collection_new(const char *name);
void vecwire__collection_free(struct vecwire__collection *collection);

/* Column of a name, or SIZE_MAX. */
size_t vecwire__collection_column(const struct vecwire__collection *collection,
                                  const char *name, size_t len);

/* Row of a point, or SIZE_MAX. */
size_t vecwire__collection_find(const struct vecwire__collection *collection,
                                const struct vecwire__point_id *id);

/* Find, or make a point without anything. SIZE_MAX: no room (507) or memory
 * (500). */
size_t vecwire__collection_open(struct vecwire__collection *collection,
                                const struct vecwire__point_id *id,
                                struct vecwire__fault *fault);

/* Put vectors into a point, others stay. `row` is open. */
void vecwire__collection_put(struct vecwire__collection *collection, size_t row,
                             struct vecwire__new_vector *vectors, size_t n);

/* Take all vectors away. */
void vecwire__collection_strip(struct vecwire__collection *collection,
                               size_t row);

/* Replace a point's payload by a copy of this text (len 0: none). False: no
 * memory, nothing changed. */
bool vecwire__collection_set_payload(struct vecwire__collection *collection,
                                     size_t row, const char *text, size_t len);

/* Rows may move. */
void vecwire__collection_delete(struct vecwire__collection *collection,
                                size_t row);

/* Close holes where there are many; rows move. */
void vecwire__collection_compact(struct vecwire__collection *collection);

/* The rows of all points in the order of ids; n_live of them, valid until the
 * next change. NULL: no memory (not when there are none). */
const uint64_t *vecwire__collection_order(struct vecwire__collection *c);

/* Where in that order the first id is that is not below this one. */
size_t vecwire__collection_lower(const struct vecwire__collection *collection,
                                 const struct vecwire__point_id *id);

/* The payload's tree, owned by the point; NULL: none, or (fault set) no
 * memory. */
const json_t *vecwire__point_tree(struct vecwire__point *point,
                                  struct vecwire__fault *fault);

#endif
