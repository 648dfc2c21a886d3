/* SPDX-License-Identifier: Apache-2.0 */
#include "server/qdrant_record.h"

#include <string.h>

#include <vecwire/vector.h>

#include "codec/json_writer.h"
#include "codec/mem.h"
#include "server/json_text.h"

static bool
vectors_by_name(struct vecwire__record_parts *parts,
                const struct vecwire__collection *collection,
                struct vecwire__view names, struct vecwire__fault *fault)
{
    struct vecwire__view_iter iter;
    struct vecwire__buf name;
    bool done = true;

    vecwire__buf_init(&name, &vecwire__mem_libc);
    vecwire__view_begin(&iter, names);
    while (done && vecwire__view_next(&iter)) {
        size_t column;

        name.len = 0;
        done = vecwire__qdrant_text(fault, "with_vector", iter.value, &name);
        if (!done)
            break;
        column = vecwire__collection_column(collection, name.bytes, name.len);
        done = column != SIZE_MAX;
        if (done)
            parts->columns[column] = true;
        else
            vecwire__fault_set(
                fault, 400, "Wrong input: Not existing vector name error: %s",
                name.bytes);
    }
    vecwire__buf_fini(&name);
    return done;
}

bool
vecwire__record_parts_read(struct vecwire__record_parts *parts,
                           const struct vecwire__collection *collection,
                           struct vecwire__view with_payload,
                           struct vecwire__view with_vector,
                           bool payload_default, struct vecwire__fault *fault)
{
    json_t *tree;
    bool done, all = false;

    memset(parts, 0, sizeof(*parts));
    if (vecwire__view_is_array(with_vector)) {
        parts->with_vector = true;
        if (!vectors_by_name(parts, collection, with_vector, fault))
            return false;
    } else {
        if (!vecwire__qdrant_flag(fault, "with_vector", with_vector, &all))
            return false;
        parts->with_vector = all;
        for (size_t i = 0; i < collection->n_columns; i++)
            parts->columns[i] = all;
    }
    if (!vecwire__qdrant_tree(fault, with_payload, &tree))
        return false;
    done = vecwire__payload_selector_read(
        &parts->payload, tree,
        payload_default ? VECWIRE__SELECT_ALL : VECWIRE__SELECT_NONE, fault);
    json_decref(tree);
    return done;
}

void
vecwire__record_parts_fini(struct vecwire__record_parts *parts)
{
    vecwire__payload_selector_fini(&parts->payload);
}

static bool
put_payload(struct vecwire__buf *reply, struct vecwire__point *point,
            const struct vecwire__payload_selector *selector)
{
    struct vecwire__fault fault = {0};
    const json_t *tree;
    json_t *part;
    bool done;

    if (selector->kind == VECWIRE__SELECT_NONE)
        return true;
    if (!vecwire__buf_str(reply, ",\"payload\":"))
        return false;
    if (point->payload == NULL)
        return vecwire__buf_str(reply, "{}");
    if (selector->kind == VECWIRE__SELECT_ALL)
        return vecwire__buf_add(reply, point->payload, point->payload_len);
    tree = vecwire__point_tree(point, &fault);
    part = tree == NULL ? NULL : vecwire__payload_select(selector, tree);
    done = part != NULL && vecwire__json_dump(reply, part);
    json_decref(part);
    return done;
}

static bool
put_block(struct vecwire__buf *reply, const struct vecwire__block *block)
{
    bool done = vecwire__buf_str(reply, "{\"indices\":[");

    for (size_t i = 0; done && i < block->n; i++)
        done = (i == 0 || vecwire__buf_byte(reply, ',')) &&
               vecwire__json_put_u64(reply, block->indices[i]);
    done = done && vecwire__buf_str(reply, "],\"values\":");
    if (done && block->n == 0)
        return vecwire__buf_str(reply, "[]}");
    return done &&
           vecwire__json_put_vector(reply, block->values, block->n, NULL) ==
               VECWIRE_OK &&
           vecwire__buf_byte(reply, '}');
}

static bool
put_vector(struct vecwire__buf *reply, const struct vecwire__column *column,
           size_t row)
{
    const struct vecwire__block *block;
    bool done;

    if (column->kind == VECWIRE__DENSE)
        return vecwire__json_put_vector(reply,
                                        column->matrix + row * column->dim,
                                        column->dim, NULL) == VECWIRE_OK;
    block = column->blocks[row];
    if (column->kind == VECWIRE__SPARSE)
        return put_block(reply, block);
    done = vecwire__buf_byte(reply, '[');
    for (size_t at = 0; done && at < block->n; at += column->dim)
        done = (at == 0 || vecwire__buf_byte(reply, ',')) &&
               vecwire__json_put_vector(reply, block->values + at, column->dim,
                                        NULL) == VECWIRE_OK;
    return done && vecwire__buf_byte(reply, ']');
}

/* An array when there is nothing but the default vector. */
static bool
put_vectors(struct vecwire__buf *reply,
            const struct vecwire__collection *collection, size_t row,
            const struct vecwire__record_parts *parts)
{
    size_t n = 0, only = 0;
    bool done;

    if (!vecwire__buf_str(reply, ",\"vector\":"))
        return false;
    for (size_t i = 0; i < collection->n_columns; i++) {
        if (parts->columns[i] &&
            vecwire__column_has(&collection->columns[i], row)) {
            only = i;
            n++;
        }
    }
    if (n == 1 && collection->columns[only].name[0] == '\0')
        return put_vector(reply, &collection->columns[only], row);
    done = vecwire__buf_byte(reply, '{');
    for (size_t i = 0, put = 0; done && i < collection->n_columns; i++) {
        const struct vecwire__column *column = &collection->columns[i];

        if (!parts->columns[i] || !vecwire__column_has(column, row))
            continue;
        done = (put++ == 0 || vecwire__buf_byte(reply, ',')) &&
               vecwire__json_put_str(reply, column->name, strlen(column->name),
                                     NULL) == VECWIRE_OK &&
               vecwire__buf_byte(reply, ':') && put_vector(reply, column, row);
    }
    return done && vecwire__buf_byte(reply, '}');
}

static bool
put_score(struct vecwire__buf *reply, uint64_t version, float score)
{
    char text[VECWIRE_FLOAT_TEXT_MAX];
    const size_t len = vecwire_float_format(score, text);

    /* What has no text in JSON is null, as with Qdrant. */
    return vecwire__buf_str(reply, ",\"version\":") &&
           vecwire__json_put_u64(reply, version) &&
           vecwire__buf_str(reply, ",\"score\":") &&
           (len != 0 ? vecwire__buf_add(reply, text, len)
                     : vecwire__buf_str(reply, "null"));
}

bool
vecwire__record_put(struct vecwire__buf *reply,
                    struct vecwire__collection *collection, size_t row,
                    const struct vecwire__record_parts *parts,
                    const float *score)
{
    struct vecwire__point *point = &collection->points[row];

    return vecwire__buf_str(reply, "{\"id\":") &&
           vecwire__point_id_put(reply, &point->id) &&
           (score == NULL || put_score(reply, point->version, *score)) &&
           put_payload(reply, point, &parts->payload) &&
           (!parts->with_vector ||
            put_vectors(reply, collection, row, parts)) &&
           vecwire__buf_byte(reply, '}');
}

struct vecwire__filter *
vecwire__qdrant_filter(struct vecwire__view value, struct vecwire__fault *fault)
{
    struct vecwire__filter *filter;
    json_t *tree;

    if (!vecwire__qdrant_tree(fault, value, &tree))
        return NULL;
    filter = vecwire__filter_new(tree, fault);
    json_decref(tree);
    return filter;
}

/* A row of a collection, for the filter. */
struct row {
    const struct vecwire__collection *collection;
    size_t row;
};

static bool
has_vector(const void *point, const char *name, size_t len)
{
    const struct row *row = point;
    size_t column = vecwire__collection_column(row->collection, name, len);

    return column != SIZE_MAX &&
           vecwire__column_has(&row->collection->columns[column], row->row);
}

bool
vecwire__qdrant_matches(const struct vecwire__filter *filter,
                        struct vecwire__collection *collection, size_t row,
                        struct vecwire__fault *fault)
{
    struct row point = {collection, row};
    struct vecwire__filter_point look = {.id = &collection->points[row].id,
                                         .has_vector = has_vector,
                                         .point = &point};

    if (vecwire__filter_is_empty(filter))
        return true;
    if (vecwire__filter_needs_payload(filter)) {
        look.payload = vecwire__point_tree(&collection->points[row], fault);
        if (fault->status != 0)
            return false;
    }
    return vecwire__filter_matches(filter, &look);
}
