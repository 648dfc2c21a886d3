/* SPDX-License-Identifier: Apache-2.0 */
#include "server/store.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "codec/mem.h"

void
vecwire__store_init(struct vecwire__store *store, size_t dim)
{
    memset(store, 0, sizeof(*store));
    store->dim = dim;
}

static void
record_free(struct vecwire__record *record)
{
    json_decref(record->tree);
    free(record);
}

static void
tenant_free(struct vecwire__tenant *tenant)
{
    for (size_t i = 0; i < tenant->n_rows; i++)
        record_free(tenant->records[i]);
    free(tenant->records);
    free(tenant->norms);
    free(tenant->matrix);
    vecwire__id_index_fini(&tenant->index);
    free(tenant);
}

void
vecwire__store_fini(struct vecwire__store *store)
{
    for (size_t i = 0; i < store->n_tenants; i++)
        tenant_free(store->tenants[i]);
    store->n_tenants = 0;
}

struct vecwire__tenant *
vecwire__store_find(struct vecwire__store *store, const char *name)
{
    for (size_t i = 0; i < store->n_tenants; i++) {
        if (strcmp(store->tenants[i]->name, name) == 0)
            return store->tenants[i];
    }
    return NULL;
}

struct vecwire__tenant *
vecwire__store_open(struct vecwire__store *store, const char *name, bool *full)
{
    struct vecwire__tenant *tenant = vecwire__store_find(store, name);

    *full = false;
    if (tenant != NULL)
        return tenant;
    if (store->n_tenants == VECWIRE__STORE_TENANTS) {
        *full = true;
        return NULL;
    }
    tenant = calloc(1, sizeof(*tenant));
    if (tenant == NULL)
        return NULL;
    strncpy(tenant->name, name, VECWIRE__TENANT_NAME);
    tenant->dim = store->dim;
    store->tenants[store->n_tenants++] = tenant;
    return tenant;
}

static bool
row_has_id(const void *rows, size_t row, const char *id, size_t len)
{
    const struct vecwire__tenant *tenant = rows;
    const struct vecwire__record *record = tenant->records[row];

    return record->id_len == len && memcmp(record->bytes, id, len) == 0;
}

size_t
vecwire__tenant_find(const struct vecwire__tenant *tenant, const char *id,
                     size_t len)
{
    return vecwire__id_index_find(&tenant->index, vecwire__id_hash(id, len), id,
                                  len, row_has_id, tenant);
}

static struct vecwire__record *
record_new(const struct vecwire__document *document, uint64_t hash)
{
    size_t size =
        document->id_len + document->text_len + document->metadata_len;
    struct vecwire__record *record = malloc(sizeof(*record) + size);
    char *to;

    if (record == NULL)
        return NULL;
    record->tree = json_incref(document->tree);
    record->hash = hash;
    record->id_len = (uint32_t)document->id_len;
    record->text_len = (uint32_t)document->text_len;
    record->metadata_len = (uint32_t)document->metadata_len;
    to = record->bytes;
    memcpy(to, document->id, document->id_len);
    to += document->id_len;
    memcpy(to, document->text, document->text_len);
    to += document->text_len;
    memcpy(to, document->metadata, document->metadata_len);
    return record;
}

static bool
tenant_reserve(struct vecwire__tenant *tenant)
{
    const struct vecwire_mem *mem = &vecwire__mem_libc;
    size_t need = tenant->n_rows + 1;
    void *matrix = tenant->matrix, *norms = tenant->norms;
    void *records = tenant->records;
    bool done = vecwire__mem_grow(mem, &matrix, &tenant->matrix_cap, need,
                                  tenant->dim * sizeof(float)) &&
                vecwire__mem_grow(mem, &norms, &tenant->norms_cap, need,
                                  sizeof(*tenant->norms)) &&
                vecwire__mem_grow(mem, &records, &tenant->records_cap, need,
                                  sizeof(*tenant->records)) &&
                vecwire__id_index_reserve(&tenant->index);

    tenant->matrix = matrix;
    tenant->norms = norms;
    tenant->records = records;
    return done;
}

static double
norm_of(const float *vector, size_t dim)
{
    double sum = 0;

    for (size_t i = 0; i < dim; i++)
        sum += (double)vector[i] * (double)vector[i];
    return sqrt(sum);
}

bool
vecwire__tenant_upsert(struct vecwire__tenant *tenant,
                       const struct vecwire__document *document)
{
    uint64_t hash = vecwire__id_hash(document->id, document->id_len);
    size_t row = vecwire__id_index_find(&tenant->index, hash, document->id,
                                        document->id_len, row_has_id, tenant);
    struct vecwire__record *record;

    if (row == SIZE_MAX && !tenant_reserve(tenant))
        return false;
    record = record_new(document, hash);
    if (record == NULL)
        return false;
    if (row == SIZE_MAX) {
        row = tenant->n_rows++;
        vecwire__id_index_add(&tenant->index, hash, row);
    } else {
        record_free(tenant->records[row]);
    }
    tenant->records[row] = record;
    memcpy(tenant->matrix + row * tenant->dim, document->vector,
           tenant->dim * sizeof(float));
    tenant->norms[row] = norm_of(document->vector, tenant->dim);
    return true;
}

bool
vecwire__tenant_delete(struct vecwire__tenant *tenant, const char *id,
                       size_t len)
{
    size_t row = vecwire__tenant_find(tenant, id, len), last;

    if (row == SIZE_MAX)
        return false;
    last = --tenant->n_rows;
    vecwire__id_index_remove(&tenant->index, tenant->records[row]->hash, row);
    record_free(tenant->records[row]);
    if (row != last) {
        vecwire__id_index_move(&tenant->index, tenant->records[last]->hash,
                               last, row);
        tenant->records[row] = tenant->records[last];
        tenant->norms[row] = tenant->norms[last];
        memcpy(tenant->matrix + row * tenant->dim,
               tenant->matrix + last * tenant->dim,
               tenant->dim * sizeof(float));
    }
    return true;
}

json_t *
vecwire__record_tree(struct vecwire__record *record)
{
    if (record->tree == NULL)
        record->tree =
            json_loadb(record->bytes + record->id_len + record->text_len,
                       record->metadata_len, JSON_ALLOW_NUL, NULL);
    return record->tree;
}
