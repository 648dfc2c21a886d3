/* SPDX-License-Identifier: Apache-2.0 */
/* Payload indexes, which are remembered and shown; every filter looks at all
 * payloads anyway. Facets need one to know what they count. */
#include <string.h>

#include "codec/mem.h"
#include "server/json_text.h"
#include "server/qdrant_facet.h"
#include "server/qdrant_handlers.h"
#include "server/qdrant_record.h"

#define INDEXES_MAX 256 /* of a collection */

static bool
is_type(const json_t *value)
{
    static const char *const types[] = {"keyword",  "integer", "float",
                                        "geo",      "text",    "bool",
                                        "datetime", "uuid"};

    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        if (json_is_string(value) &&
            strcmp(json_string_value(value), types[i]) == 0)
            return true;
    }
    return false;
}

/* What info shows of an index. NULL: no memory. */
static json_t *
index_of(json_t *schema)
{
    json_t *index = json_object();
    const bool whole = json_is_object(schema);
    json_t *type = whole ? json_object_get(schema, "type") : schema;

    if (json_object_set(index, "data_type", type) == 0 &&
        (!whole || json_object_set(index, "params", schema) == 0) &&
        json_object_set_new(index, "points", json_integer(0)) == 0)
        return index;
    json_decref(index);
    return NULL;
}

static bool
add_from(struct vecwire__qdrant_call *call, const json_t *body)
{
    json_t *indexes = call->collection->indexes;
    const json_t *name = json_object_get(body, "field_name");
    json_t *schema = json_object_get(body, "field_schema");
    struct vecwire__json_path path;

    if (schema == NULL)
        schema = json_object_get(body, "field_type");
    if (!vecwire__json_path_read(&path, name, &call->fault))
        return false;
    vecwire__json_path_fini(&path);
    if (!is_type(json_is_object(schema) ? json_object_get(schema, "type")
                                        : schema))
        return vecwire__qdrant_fail(
            call, 400,
            "Format error in JSON body: field_schema: expected one of keyword, "
            "integer, float, geo, text, bool, datetime, uuid");
    if (json_object_size(indexes) >= INDEXES_MAX &&
        json_object_get(indexes, json_string_value(name)) == NULL)
        return vecwire__qdrant_fail(
            call, 400, "Bad request: a collection has at most %d indexes here",
            INDEXES_MAX);
    return vecwire__qdrant_wrote(
        call, json_object_set_new(indexes, json_string_value(name),
                                  index_of(schema)) == 0);
}

bool
vecwire__qdrant_index_add(struct vecwire__qdrant_call *call)
{
    json_t *body;
    bool done;

    if (!vecwire__qdrant_tree(&call->fault, call->body, &body))
        return false;
    done = add_from(call, body);
    json_decref(body);
    if (!done)
        return false;
    call->collection->n_updates++;
    return vecwire__qdrant_updated(call);
}

bool
vecwire__qdrant_index_delete(struct vecwire__qdrant_call *call)
{
    (void)json_object_del(call->collection->indexes, call->item);
    call->collection->n_updates++;
    return vecwire__qdrant_updated(call);
}

/* --- facets --- */

struct question {
    struct vecwire__json_path path;
    enum vecwire__facet_kind kind;
    struct vecwire__filter *filter;
    size_t limit;
};

/* The kind that the key's index counts. */
static bool
find_kind(struct vecwire__qdrant_call *call, const char *key,
          enum vecwire__facet_kind *kind)
{
    static const char *const kinds[] = {
        [VECWIRE__FACET_KEYWORD] = "keyword",
        [VECWIRE__FACET_INTEGER] = "integer",
        [VECWIRE__FACET_BOOL] = "bool",
        [VECWIRE__FACET_UUID] = "uuid",
    };
    const char *type = json_string_value(json_object_get(
        json_object_get(call->collection->indexes, key), "data_type"));

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (type != NULL && strcmp(type, kinds[i]) == 0) {
            *kind = (enum vecwire__facet_kind)i;
            return true;
        }
    }
    return vecwire__qdrant_fail(
        call, 400,
        "Bad request: Index required but not found for \"%s\" of one of the "
        "following types: [keyword, integer, uuid, bool]. Help: Create an "
        "index for this key or use a different filter.",
        key);
}

static bool
count_rows(struct vecwire__qdrant_call *call, const struct question *question,
           struct vecwire__facet *facet)
{
    struct vecwire__collection *collection = call->collection;

    for (size_t row = 0; row < collection->n_rows; row++) {
        struct vecwire__point *point = &collection->points[row];

        if (point->is_live &&
            vecwire__qdrant_matches(question->filter, collection, row,
                                    &call->fault) &&
            !vecwire__facet_add(facet,
                                vecwire__point_tree(point, &call->fault)))
            return vecwire__qdrant_wrote(call, false);
        if (call->fault.status != 0)
            return false;
    }
    return true;
}

static bool
answer(struct vecwire__qdrant_call *call, const struct question *question)
{
    struct vecwire__facet *facet =
        vecwire__facet_new(&question->path, question->kind);
    bool done =
        vecwire__qdrant_wrote(call, facet != NULL) &&
        count_rows(call, question, facet) &&
        vecwire__qdrant_wrote(
            call, vecwire__buf_str(call->reply, "{\"hits\":") &&
                      vecwire__facet_put(facet, question->limit, call->reply) &&
                      vecwire__buf_byte(call->reply, '}'));

    vecwire__facet_free(facet);
    return done;
}

bool
vecwire__qdrant_facet(struct vecwire__qdrant_call *call)
{
    struct vecwire__view key, limit, filter, exact;
    const struct vecwire__view_want wants[] = {{"key", &key},
                                               {"limit", &limit},
                                               {"filter", &filter},
                                               {"exact", &exact}};
    struct question question = {.limit = 10};
    struct vecwire__buf text;
    bool is_exact, done = false;

    vecwire__buf_init(&text, &vecwire__mem_libc);
    if (vecwire__qdrant_members(&call->fault, call->body, wants, 4) &&
        vecwire__qdrant_size(&call->fault, "limit", limit, 1,
                             &question.limit) &&
        vecwire__qdrant_flag(&call->fault, "exact", exact, &is_exact) &&
        vecwire__qdrant_text(&call->fault, "key", key, &text) &&
        vecwire__json_path_parse(&question.path, text.bytes, text.len,
                                 &call->fault) &&
        find_kind(call, text.bytes, &question.kind)) {
        question.filter = vecwire__qdrant_filter(filter, &call->fault);
        done = question.filter != NULL && answer(call, &question);
    }
    vecwire__filter_free(question.filter);
    vecwire__json_path_fini(&question.path);
    vecwire__buf_fini(&text);
    return done;
}
