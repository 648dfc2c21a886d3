/* SPDX-License-Identifier: Apache-2.0 */
#include "server/qdrant_draft.h"

#include <stdlib.h>
#include <string.h>

#include "codec/mem.h"
#include "server/qdrant.h"

/* Where points are read from, and into what. */
struct reading {
    struct vecwire__draft *draft;
    const struct vecwire__collection *collection;
    struct vecwire__fault *fault;
    struct vecwire__buf name;
    bool with_payload;
};

static bool
refuse(struct reading *reading, int status, const char *text)
{
    vecwire__fault_set(reading->fault, status, "%s", text);
    return false;
}

static struct vecwire__draft_point *
point_new(struct reading *reading)
{
    struct vecwire__draft *draft = reading->draft;
    struct vecwire__draft_point *point;
    void *points = draft->points;

    if (!vecwire__mem_grow(&vecwire__mem_libc, &points, &draft->cap_points,
                           draft->n_points + 1, sizeof(*point))) {
        vecwire__fault_memory(reading->fault);
        return NULL;
    }
    draft->points = points;
    point = &draft->points[draft->n_points++];
    memset(point, 0, sizeof(*point));
    point->first = draft->n_vectors;
    return point;
}

/* One more vector of the point that was begun last. */
static bool
vector_add(struct reading *reading, const char *name, size_t len,
           struct vecwire__view value)
{
    struct vecwire__draft *draft = reading->draft;
    struct vecwire__draft_point *point = &draft->points[draft->n_points - 1];
    size_t column =
        vecwire__draft_column(reading->collection, name, len, reading->fault);

    if (column == SIZE_MAX)
        return false;
    for (size_t i = 0; i < point->n_vectors; i++) {
        if (draft->vectors[point->first + i].column == column)
            return refuse(reading, 400,
                          "Format error in JSON body: a vector stands twice");
    }
    if (!vecwire__draft_vector(draft, reading->collection, column, value,
                               reading->fault))
        return false;
    point->n_vectors++;
    return true;
}

static bool
vectors_add(struct reading *reading, struct vecwire__view value)
{
    struct vecwire__view_iter iter;

    if (vecwire__view_is_array(value))
        return vector_add(reading, "", 0, value);
    if (!vecwire__view_is_object(value))
        return refuse(reading, 400,
                      "Format error in JSON body: vector: expected an array "
                      "or an object of vectors by name");
    vecwire__view_begin(&iter, value);
    while (vecwire__view_next(&iter)) {
        reading->name.len = 0;
        if (!vecwire__qdrant_text(reading->fault, "vector", iter.key,
                                  &reading->name) ||
            !vector_add(reading, reading->name.bytes, reading->name.len,
                        iter.value))
            return false;
    }
    return true;
}

/* What jansson could not hold would be found out when somebody asks for it. */
static bool
payload_check(struct reading *reading, struct vecwire__view payload)
{
    size_t len = (size_t)(payload.end - payload.at);
    json_t *tree;

    if (!vecwire__view_is_object(payload))
        return refuse(reading, 400,
                      "Format error in JSON body: payload: expected an "
                      "object");
    if (len > VECWIRE__PAYLOAD_MAX)
        return refuse(reading, 400,
                      "Bad request: a payload has more than 4194304 bytes");
    if (memchr(payload.at, 'e', len) == NULL &&
        memchr(payload.at, 'E', len) == NULL &&
        memmem(payload.at, len, "\\u0000", 6) == NULL && len < 4096)
        return true;
    if (!vecwire__qdrant_tree(reading->fault, payload, &tree))
        return false;
    json_decref(tree);
    return true;
}

static bool
payload_add(struct reading *reading, struct vecwire__view payload)
{
    struct vecwire__draft *draft = reading->draft;

    if (payload.at == NULL || vecwire__view_is_null(payload))
        return true;
    if (!payload_check(reading, payload))
        return false;
    draft->points[draft->n_points - 1].payload = payload;
    return true;
}

static bool
point_read(struct reading *reading, struct vecwire__view value)
{
    struct vecwire__view id, vector, vectors, payload;
    const struct vecwire__view_want wants[] = {{"id", &id},
                                               {"vector", &vector},
                                               {"vectors", &vectors},
                                               {"payload", &payload}};
    struct vecwire__draft_point *point;

    if (!vecwire__qdrant_members(reading->fault, value, wants, 4))
        return false;
    if (vector.at == NULL)
        vector = vectors;
    if (id.at == NULL || vector.at == NULL)
        return refuse(reading, 400,
                      id.at == NULL
                          ? "Format error in JSON body: missing field `id`"
                          : "Format error in JSON body: missing field "
                            "`vector`");
    point = point_new(reading);
    return point != NULL &&
           vecwire__qdrant_take_id(reading->fault, id, &point->id) &&
           vectors_add(reading, vector) &&
           (!reading->with_payload || payload_add(reading, payload));
}

static bool
points_read(struct reading *reading, struct vecwire__view points)
{
    struct vecwire__view_iter iter;

    if (!vecwire__view_is_array(points))
        return refuse(reading, 400,
                      "Format error in JSON body: points: expected an array");
    vecwire__view_begin(&iter, points);
    while (vecwire__view_next(&iter)) {
        if (!point_read(reading, iter.value))
            return false;
    }
    return true;
}

/* The columns of a batch are walked through side by side. */
struct columns {
    struct vecwire__view_iter ids, payloads, vectors;
    struct vecwire__view by_name; /* at NULL: the default vector's only */
    struct vecwire__view_iter names[VECWIRE__COLLECTION_COLUMNS];
    struct vecwire__view keys[VECWIRE__COLLECTION_COLUMNS];
    size_t n_names;
};

static bool
columns_begin(struct reading *reading, struct columns *columns,
              struct vecwire__view vectors)
{
    struct vecwire__view_iter iter;

    vecwire__view_begin(&columns->vectors, vectors);
    if (!vecwire__view_is_object(vectors))
        return vecwire__view_is_array(vectors) ||
               refuse(reading, 400,
                      "Format error in JSON body: vectors: expected an array "
                      "or an object");
    columns->by_name = vectors;
    vecwire__view_begin(&iter, vectors);
    while (vecwire__view_next(&iter)) {
        if (columns->n_names == VECWIRE__COLLECTION_COLUMNS)
            return refuse(reading, 400,
                          "Wrong input: more vectors by name than there can "
                          "be");
        columns->keys[columns->n_names] = iter.key;
        vecwire__view_begin(&columns->names[columns->n_names++], iter.value);
    }
    return true;
}

/* The vectors of the next point. */
static bool
columns_next(struct reading *reading, struct columns *columns)
{
    static const char uneven[] = "Validation error in JSON body: [batch: "
                                 "ids, vectors and payloads must have the "
                                 "same length]";

    if (columns->by_name.at == NULL)
        return vecwire__view_next(&columns->vectors)
                   ? vectors_add(reading, columns->vectors.value)
                   : refuse(reading, 422, uneven);
    for (size_t i = 0; i < columns->n_names; i++) {
        if (!vecwire__view_next(&columns->names[i]))
            return refuse(reading, 422, uneven);
        reading->name.len = 0;
        if (!vecwire__qdrant_text(reading->fault, "vectors", columns->keys[i],
                                  &reading->name) ||
            !vector_add(reading, reading->name.bytes, reading->name.len,
                        columns->names[i].value))
            return false;
    }
    return true;
}

static bool
lengths_agree(struct reading *reading, struct columns *columns)
{
    bool more =
        vecwire__view_next(&columns->payloads) ||
        (columns->by_name.at == NULL && vecwire__view_next(&columns->vectors));

    for (size_t i = 0; i < columns->n_names; i++)
        more = more || vecwire__view_next(&columns->names[i]);
    return !more || refuse(reading, 422,
                           "Validation error in JSON body: [batch: ids, "
                           "vectors and payloads must have the same length]");
}

static bool
batch_read(struct reading *reading, struct vecwire__view batch)
{
    struct vecwire__view ids, vectors, payloads;
    const struct vecwire__view_want wants[] = {
        {"ids", &ids}, {"vectors", &vectors}, {"payloads", &payloads}};
    struct columns columns;

    memset(&columns, 0, sizeof(columns));
    if (!vecwire__qdrant_members(reading->fault, batch, wants, 3))
        return false;
    if (!vecwire__view_is_array(ids))
        return refuse(reading, 400,
                      "Format error in JSON body: ids: expected an array");
    if (!columns_begin(reading, &columns, vectors))
        return false;
    vecwire__view_begin(&columns.ids, ids);
    vecwire__view_begin(&columns.payloads, payloads);
    while (vecwire__view_next(&columns.ids)) {
        struct vecwire__draft_point *point = point_new(reading);

        if (point == NULL ||
            !vecwire__qdrant_take_id(reading->fault, columns.ids.value,
                                     &point->id) ||
            !columns_next(reading, &columns))
            return false;
        if (payloads.at == NULL)
            continue;
        if (!vecwire__view_next(&columns.payloads))
            return refuse(reading, 422,
                          "Validation error in JSON body: [batch: fewer "
                          "payloads than ids]");
        if (!payload_add(reading, columns.payloads.value))
            return false;
    }
    return lengths_agree(reading, &columns);
}

bool
vecwire__draft_read(struct vecwire__draft *draft,
                    const struct vecwire__collection *collection,
                    struct vecwire__view body, bool with_payload,
                    struct vecwire__fault *fault)
{
    struct vecwire__view points, batch;
    const struct vecwire__view_want wants[] = {{"points", &points},
                                               {"batch", &batch}};
    struct reading reading = {.draft = draft,
                              .collection = collection,
                              .fault = fault,
                              .with_payload = with_payload};
    bool done;

    if (!vecwire__qdrant_members(fault, body, wants, 2))
        return false;
    vecwire__buf_init(&reading.name, &vecwire__mem_libc);
    if (batch.at != NULL && with_payload)
        done = batch_read(&reading, batch);
    else
        done = points_read(&reading, points);
    vecwire__buf_fini(&reading.name);
    return done;
}
