/* SPDX-License-Identifier: Apache-2.0 */
#include "server/qdrant_facet.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "codec/json_writer.h"
#include "codec/mem.h"
#include "server/id_index.h"
#include "server/json_text.h"
#include "server/point_id.h"

/* A value, as bytes that tell it from all others of its kind. */
struct entry {
    char *bytes;
    size_t len;
    size_t count;
    size_t last_point; /* that has been counted */
};

struct vecwire__facet {
    const struct vecwire__json_path *path;
    enum vecwire__facet_kind kind;
    struct entry *entries;
    size_t n_entries, cap;
    struct vecwire__id_index index; /* from bytes to the entry */
    size_t n_points;
    bool failed; /* no memory */
};

struct vecwire__facet *
vecwire__facet_new(const struct vecwire__json_path *path,
                   enum vecwire__facet_kind kind)
{
    struct vecwire__facet *facet = calloc(1, sizeof(*facet));

    if (facet != NULL) {
        facet->path = path;
        facet->kind = kind;
    }
    return facet;
}

void
vecwire__facet_free(struct vecwire__facet *facet)
{
    if (facet == NULL)
        return;
    for (size_t i = 0; i < facet->n_entries; i++)
        free(facet->entries[i].bytes);
    free(facet->entries);
    vecwire__id_index_fini(&facet->index);
    free(facet);
}

static bool
is_entry(const void *entries, size_t i, const char *bytes, size_t len)
{
    const struct entry *entry = (const struct entry *)entries + i;

    return entry->len == len && memcmp(entry->bytes, bytes, len) == 0;
}

static bool
add_entry(struct vecwire__facet *facet, uint64_t hash, const char *bytes,
          size_t len)
{
    void *entries = facet->entries;
    char *copy;

    if (!vecwire__id_index_reserve(&facet->index) ||
        !vecwire__mem_grow(&vecwire__mem_libc, &entries, &facet->cap,
                           facet->n_entries + 1, sizeof(*facet->entries)))
        return false;
    facet->entries = entries;
    copy = malloc(len + 1);
    if (copy == NULL)
        return false;
    memcpy(copy, bytes, len);
    facet->entries[facet->n_entries] =
        (struct entry){copy, len, 1, facet->n_points};
    vecwire__id_index_add(&facet->index, hash, facet->n_entries++);
    return true;
}

static bool
count_bytes(struct vecwire__facet *facet, const char *bytes, size_t len)
{
    const uint64_t hash = vecwire__id_hash(bytes, len);
    const size_t i = vecwire__id_index_find(&facet->index, hash, bytes, len,
                                            is_entry, facet->entries);
    struct entry *entry;

    if (i == SIZE_MAX)
        return add_entry(facet, hash, bytes, len);
    entry = &facet->entries[i];
    if (entry->last_point != facet->n_points) {
        entry->last_point = facet->n_points;
        entry->count++;
    }
    return true;
}

static bool
count_value(const json_t *value, void *arg)
{
    struct vecwire__facet *facet = arg;
    struct vecwire__point_id uuid;
    json_int_t integer;
    bool fine = true;
    const char truth = json_is_true(value);

    switch (facet->kind) {
    case VECWIRE__FACET_KEYWORD:
        if (vecwire__json_is_text(value))
            fine = count_bytes(facet, json_string_value(value),
                               json_string_length(value));
        break;
    case VECWIRE__FACET_INTEGER:
        integer = json_integer_value(value);
        if (json_is_integer(value))
            fine = count_bytes(facet, (const char *)&integer, sizeof(integer));
        break;
    case VECWIRE__FACET_BOOL:
        if (json_is_boolean(value))
            fine = count_bytes(facet, &truth, 1);
        break;
    case VECWIRE__FACET_UUID:
        if (vecwire__json_is_text(value) &&
            vecwire__point_id_uuid(&uuid, json_string_value(value),
                                   json_string_length(value)))
            fine =
                count_bytes(facet, (const char *)uuid.uuid, sizeof(uuid.uuid));
        break;
    }
    facet->failed |= !fine;
    return fine;
}

bool
vecwire__facet_add(struct vecwire__facet *facet, const json_t *payload)
{
    facet->n_points++;
    (void)vecwire__json_path_each_flat(facet->path, payload, count_value,
                                       facet);
    return !facet->failed;
}

static json_int_t
integer_of(const struct entry *entry)
{
    json_int_t integer;

    memcpy(&integer, entry->bytes, sizeof(integer));
    return integer;
}

static int
by_count(const struct entry *a, const struct entry *b)
{
    return (a->count < b->count) - (a->count > b->count);
}

static int
by_integer(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    const int order = by_count(a, b);

    return order != 0 ? order
                      : (integer_of(a) > integer_of(b)) -
                            (integer_of(a) < integer_of(b));
}

static int
by_bytes(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    int order = by_count(a, b);

    if (order == 0)
        order = memcmp(a->bytes, b->bytes, a->len < b->len ? a->len : b->len);
    return order != 0 ? order : (a->len > b->len) - (a->len < b->len);
}

static bool
put_value(struct vecwire__buf *buf, enum vecwire__facet_kind kind,
          const struct entry *entry)
{
    struct vecwire__point_id uuid = {.is_number = false};
    json_t *integer;
    bool fine;

    switch (kind) {
    case VECWIRE__FACET_KEYWORD:
        return vecwire__json_put_str(buf, entry->bytes, entry->len, NULL) ==
               VECWIRE_OK;
    case VECWIRE__FACET_UUID:
        memcpy(uuid.uuid, entry->bytes, sizeof(uuid.uuid));
        return vecwire__point_id_put(buf, &uuid);
    case VECWIRE__FACET_BOOL:
        return vecwire__buf_str(buf, entry->bytes[0] ? "true" : "false");
    case VECWIRE__FACET_INTEGER:
        break;
    }
    integer = json_integer(integer_of(entry));
    fine = integer != NULL && vecwire__json_dump(buf, integer);
    json_decref(integer);
    return fine;
}

bool
vecwire__facet_put(struct vecwire__facet *facet, size_t limit,
                   struct vecwire__buf *buf)
{
    const size_t n = facet->n_entries < limit ? facet->n_entries : limit;
    bool fine = vecwire__buf_byte(buf, '[');

    if (facet->n_entries != 0)
        qsort(facet->entries, facet->n_entries, sizeof(*facet->entries),
              facet->kind == VECWIRE__FACET_INTEGER ? by_integer : by_bytes);
    for (size_t i = 0; i < n && fine; i++) {
        const struct entry *entry = &facet->entries[i];

        fine = vecwire__buf_str(buf, i == 0 ? "{\"value\":" : ",{\"value\":") &&
               put_value(buf, facet->kind, entry) &&
               vecwire__buf_str(buf, ",\"count\":") &&
               vecwire__json_put_u64(buf, entry->count) &&
               vecwire__buf_byte(buf, '}');
    }
    return fine && vecwire__buf_byte(buf, ']');
}
