/* SPDX-License-Identifier: Apache-2.0 */
#include "server/qdrant_condition.h"

#include <stdlib.h>

#include "server/json_text.h"

static bool
read_path(struct vecwire__filter_reader *reader,
          struct vecwire__condition *condition, const json_t *tree)
{
    reader->needs_payload = true;
    return vecwire__json_path_read(&condition->path,
                                   json_object_get(tree, "key"), reader->fault);
}

static bool
read_field(struct vecwire__filter_reader *reader,
           struct vecwire__condition *condition, const json_t *tree)
{
    return read_path(reader, condition, tree) &&
           vecwire__field_read(reader, &condition->field, tree);
}

static int
by_id(const void *a, const void *b)
{
    return vecwire__point_id_compare(a, b);
}

static bool
read_ids(struct vecwire__filter_reader *reader,
         struct vecwire__condition *condition, const json_t *tree)
{
    const size_t n = json_array_size(tree);

    if (!json_is_array(tree))
        return vecwire__filter_wrong(reader, "has_id needs a list of ids");
    if (n > VECWIRE__FILTER_VALUES)
        return vecwire__filter_wrong(reader, "has_id with more than %d ids",
                                     VECWIRE__FILTER_VALUES);
    condition->ids = calloc(n + 1, sizeof(*condition->ids));
    if (condition->ids == NULL)
        return vecwire__filter_no_memory(reader);
    for (size_t i = 0; i < n; i++) {
        if (!vecwire__point_id_json(&condition->ids[i],
                                    json_array_get(tree, i)))
            return vecwire__filter_wrong(
                reader,
                "has_id: value %zu is neither an unsigned integer nor "
                "a UUID",
                i);
    }
    qsort(condition->ids, n, sizeof(*condition->ids), by_id);
    condition->n_ids = n;
    return true;
}

static bool
read_vector_name(struct vecwire__filter_reader *reader,
                 struct vecwire__condition *condition, const json_t *tree)
{
    if (!vecwire__json_is_text(tree))
        return vecwire__filter_wrong(reader,
                                     "has_vector needs a vector's name");
    condition->name = tree;
    return true;
}

static bool
read_nested(struct vecwire__filter_reader *reader,
            struct vecwire__condition *condition, const json_t *tree)
{
    const json_t *filter = json_object_get(tree, "filter");

    if (filter == NULL)
        return vecwire__filter_wrong(reader, "nested needs a key and a filter");
    if (!read_path(reader, condition, tree))
        return false;
    condition->filter = vecwire__filter_read(reader, filter);
    return condition->filter != NULL;
}

static bool
read_slice(struct vecwire__filter_reader *reader,
           struct vecwire__condition *condition, const json_t *tree)
{
    if (!vecwire__json_get_u64(json_object_get(tree, "total"),
                               &condition->total) ||
        !vecwire__json_get_u64(json_object_get(tree, "index"),
                               &condition->index) ||
        condition->total == 0)
        return vecwire__filter_wrong(
            reader, "slice needs a total of 1 or more, and an index");
    if (condition->index >= condition->total)
        return vecwire__filter_invalid(reader,
                                       "slice.index: must be less than total");
    return true;
}

static const struct known {
    const char *key;
    enum vecwire__condition_kind kind;
    bool (*read)(struct vecwire__filter_reader *, struct vecwire__condition *,
                 const json_t *);
} known[] = {
    {"is_empty", VECWIRE__COND_IS_EMPTY, read_path},
    {"is_null", VECWIRE__COND_IS_NULL, read_path},
    {"has_id", VECWIRE__COND_HAS_ID, read_ids},
    {"has_vector", VECWIRE__COND_HAS_VECTOR, read_vector_name},
    {"nested", VECWIRE__COND_NESTED, read_nested},
    {"slice", VECWIRE__COND_SLICE, read_slice},
};

bool
vecwire__condition_read(struct vecwire__filter_reader *reader,
                        struct vecwire__condition *condition,
                        const json_t *tree)
{
    if (json_object_get(tree, "key") != NULL) {
        condition->kind = VECWIRE__COND_FIELD;
        return read_field(reader, condition, tree);
    }
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        const json_t *value = json_object_get(tree, known[i].key);

        if (value == NULL)
            continue;
        condition->kind = known[i].kind;
        return known[i].read(reader, condition, value);
    }
    condition->filter = vecwire__filter_read(reader, tree);
    return condition->filter != NULL;
}

void
vecwire__condition_fini(struct vecwire__condition *condition)
{
    vecwire__json_path_fini(&condition->path);
    vecwire__field_fini(&condition->field);
    free(condition->ids);
    vecwire__filter_free(condition->filter);
}
