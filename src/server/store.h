/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of the server, per tenant, in memory only. */
#ifndef VECWIRE_SERVER_STORE_H
#define VECWIRE_SERVER_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "server/id_index.h"

#define VECWIRE__STORE_TENANTS 64
#define VECWIRE__TENANT_NAME 64 /* longest, in bytes */

/* What a row has beside its vector: one block. `bytes` holds id, text and
 * metadata (JSON text), one behind the other. */
struct vecwire__record {
    json_t *tree; /* metadata; NULL until a filter asks for it */
    uint64_t hash;
    uint32_t id_len;
    uint32_t text_len;
    uint32_t metadata_len;
    char bytes[];
};

/* A row as it is handed in. Nothing is kept but a reference to `tree`. */
struct vecwire__document {
    const char *id;
    const char *text;
    const char *metadata; /* JSON text of an object */
    const float *vector;  /* dim finite floats, not all zero */
    json_t *tree;         /* metadata parsed, or NULL */
    size_t id_len;
    size_t text_len;
    size_t metadata_len;
};

struct vecwire__tenant {
    char name[VECWIRE__TENANT_NAME + 1];
    size_t dim;
    size_t n_rows;
    float *matrix; /* n_rows x dim */
    double *norms;
    struct vecwire__record **records;
    size_t matrix_cap, norms_cap, records_cap; /* in rows */
    struct vecwire__id_index index;
};

struct vecwire__store {
    size_t dim;
    size_t n_tenants;
    struct vecwire__tenant *tenants[VECWIRE__STORE_TENANTS];
};

void vecwire__store_init(struct vecwire__store *store, size_t dim);
void vecwire__store_fini(struct vecwire__store *store);

/* NULL: it has no rows yet. */
struct vecwire__tenant *vecwire__store_find(struct vecwire__store *store,
                                            const char *name);

/* Find or create. NULL: no memory, or (*full is true) too many tenants. */
struct vecwire__tenant *vecwire__store_open(struct vecwire__store *store,
                                            const char *name, bool *full);

/* Row of an id, or SIZE_MAX. */
size_t vecwire__tenant_find(const struct vecwire__tenant *tenant,
                            const char *id, size_t len);

/* Add a row or replace the one with this id. False: no memory, nothing has
 * changed. */
bool vecwire__tenant_upsert(struct vecwire__tenant *tenant,
                            const struct vecwire__document *document);

/* False: no such id. The last row takes the place of the removed one. */
bool vecwire__tenant_delete(struct vecwire__tenant *tenant, const char *id,
                            size_t len);

/* Metadata as a tree, owned by the record. NULL: no memory. */
json_t *vecwire__record_tree(struct vecwire__record *record);

#endif
