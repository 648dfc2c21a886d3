/* SPDX-License-Identifier: Apache-2.0 */
/* What was read of a reply of Qdrant's beside jansson's tree of it. */
#ifndef VECWIRE_TESTS_FUZZ_QDRANT_TREE_H
#define VECWIRE_TESTS_FUZZ_QDRANT_TREE_H

#include <vecwire/qdrant.h>

#include "tests/fuzz/same.h"

static inline bool
same_id(const struct vecwire_id *id, const json_t *theirs)
{
    if (!id->is_number)
        return same_text(id->text, id->len, theirs);
    return json_is_integer(theirs) &&
           (uint64_t)json_integer_value(theirs) == id->number;
}

static inline void
compare_floats(const float *ours, size_t n, const json_t *theirs)
{
    FUZZ_REQUIRE(json_array_size(theirs) == n, "%zu of %zu numbers", n,
                 json_array_size(theirs));
    for (size_t i = 0; i < n; i++)
        FUZZ_REQUIRE(same_float(ours[i], json_array_get(theirs, i)),
                     "number %zu", i);
}

static inline void
compare_sparse(const struct vecwire_vector *vector, const json_t *theirs)
{
    const json_t *indices = json_object_get(theirs, "indices");

    compare_floats(vector->values, vector->dim,
                   json_object_get(theirs, "values"));
    FUZZ_REQUIRE(json_array_size(indices) == vector->dim, "%zu indices",
                 json_array_size(indices));
    for (size_t i = 0; i < vector->dim; i++)
        FUZZ_REQUIRE(vector->indices[i] ==
                         json_integer_value(json_array_get(indices, i)),
                     "index %zu", i);
}

static inline void
compare_vector(const struct vecwire_vector *vector, const json_t *theirs)
{
    if (json_is_object(theirs)) {
        FUZZ_REQUIRE(vector->dim == 0 || vector->indices != NULL, "sparse");
        compare_sparse(vector, theirs);
    } else if (vector->rows == 0) {
        FUZZ_REQUIRE(vector->indices == NULL, "dense");
        compare_floats(vector->values, vector->dim, theirs);
    } else {
        FUZZ_REQUIRE(json_array_size(theirs) == vector->rows, "%zu of %zu rows",
                     vector->rows, json_array_size(theirs));
        for (size_t i = 0; i < vector->rows; i++)
            compare_floats(vector->values + i * vector->dim, vector->dim,
                           json_array_get(theirs, i));
    }
}

static inline void
compare_vectors(const struct vecwire_row *row, const json_t *theirs)
{
    size_t want = theirs != NULL && !json_is_null(theirs);
    const char *name;
    json_t *value;

    if (!json_is_object(theirs)) {
        FUZZ_REQUIRE(row->n_vectors == want, "%zu vectors", row->n_vectors);
        if (want > 0)
            compare_vector(&row->vectors[0], theirs);
        return;
    }
    want = 0;
    json_object_foreach((json_t *)(uintptr_t)theirs, name, value)
    {
        const struct vecwire_vector *vector = vecwire_row_vector(row, name);

        if (json_is_null(value))
            continue;
        want++;
        FUZZ_REQUIRE(vector != NULL, "no vector \"%s\"", name);
        compare_vector(vector, value);
    }
    FUZZ_REQUIRE(row->n_vectors == want, "%zu of %zu vectors", row->n_vectors,
                 want);
}

static inline void
compare_point(const struct vecwire_row *row, const json_t *point)
{
    const json_t *score = json_object_get(point, "score");
    const json_t *order = json_object_get(point, "order_value");
    const json_t *shard = json_object_get(point, "shard_key");

    FUZZ_REQUIRE(row != NULL && same_id(&row->id, json_object_get(point, "id")),
                 "id");
    FUZZ_REQUIRE((score != NULL) == ((row->flags & VECWIRE_ROW_HAS_SCORE) != 0),
                 "has a score");
    FUZZ_REQUIRE(score == NULL || same_float(row->score, score), "score");
    FUZZ_REQUIRE(same_json(row->payload, row->payload_len,
                           json_object_get(point, "payload")),
                 "payload");
    FUZZ_REQUIRE(
        same_json(row->order_value,
                  row->order_value == NULL ? 0 : strlen(row->order_value),
                  order),
        "order_value");
    FUZZ_REQUIRE(same_json(row->shard_key,
                           row->shard_key == NULL ? 0 : strlen(row->shard_key),
                           shard),
                 "shard_key");
    FUZZ_REQUIRE(row->version == (uint64_t)json_integer_value(
                                     json_object_get(point, "version")),
                 "version");
    compare_vectors(row, json_object_get(point, "vector"));
}

static inline void
compare_points(const struct vecwire_reply *reply, size_t first, size_t n,
               const json_t *points)
{
    FUZZ_REQUIRE(json_array_size(points) == n, "%zu of %zu rows", n,
                 json_array_size(points));
    for (size_t i = 0; i < n; i++)
        compare_point(vecwire_reply_row(reply, first + i),
                      json_array_get(points, i));
}

static inline void
compare_page(const struct vecwire_reply *reply, const json_t *result)
{
    const struct vecwire_id *next = vecwire_reply_next_offset(reply);
    const json_t *theirs = json_object_get(result, "next_page_offset");

    compare_points(reply, 0, vecwire_reply_count(reply),
                   json_is_array(result) ? result
                                         : json_object_get(result, "points"));
    FUZZ_REQUIRE(next == NULL ? theirs == NULL || json_is_null(theirs)
                              : same_id(next, theirs),
                 "next_page_offset");
}

static inline void
compare_parts(const struct vecwire_reply *reply, const json_t *parts,
              const char *rows_key)
{
    FUZZ_REQUIRE(json_array_size(parts) == vecwire_reply_groups(reply),
                 "%zu groups", vecwire_reply_groups(reply));
    for (size_t i = 0; i < vecwire_reply_groups(reply); i++) {
        const struct vecwire_group *group = vecwire_reply_group(reply, i);
        const json_t *part = json_array_get(parts, i);
        const json_t *lookup = json_object_get(part, "lookup");

        compare_points(reply, group->first, group->n,
                       json_object_get(part, rows_key));
        if (strcmp(rows_key, "hits") != 0)
            continue;
        if (json_is_string(json_object_get(part, "id")))
            FUZZ_REQUIRE(same_text(group->id.text, group->id.len,
                                   json_object_get(part, "id")),
                         "the group's id");
        FUZZ_REQUIRE((group->lookup != NULL) == json_is_object(lookup),
                     "lookup");
        if (group->lookup != NULL)
            compare_point(group->lookup, lookup);
    }
}

static inline void
compare_facet(const struct vecwire_reply *reply, const json_t *hits)
{
    struct vecwire_qdrant_facet_value hit;

    FUZZ_REQUIRE(json_array_size(hits) == vecwire_qdrant_facet_hits(reply),
                 "%zu values", vecwire_qdrant_facet_hits(reply));
    for (size_t i = 0; vecwire_qdrant_facet_at(reply, i, &hit); i++) {
        const json_t *theirs = json_array_get(hits, i);
        const json_t *value = json_object_get(theirs, "value");

        FUZZ_REQUIRE(hit.is_text == json_is_string(value), "is a text");
        if (hit.is_text)
            FUZZ_REQUIRE(same_text(hit.value.text, hit.value.len, value),
                         "value");
        FUZZ_REQUIRE(hit.count == (uint64_t)json_integer_value(
                                      json_object_get(theirs, "count")),
                     "count");
    }
}

#endif
