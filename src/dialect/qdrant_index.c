/* SPDX-License-Identifier: Apache-2.0 */
/* Qdrant: indexes of payload keys, and aliases. */
#include "dialect/qdrant_server.h"

#include "dialect/qdrant_update.h"

#define TAKES                                                                  \
    (VECWIRE__QDRANT_WAIT | VECWIRE__QDRANT_ORDERING | VECWIRE__QDRANT_TIMEOUT)

static void
put_schema(struct vecwire__qdrant_writer *w,
           const struct vecwire_qdrant_index_request *index)
{
    static const char *const types[] = {
        "",         "\"keyword\"", "\"integer\"",  "\"float\"", "\"geo\"",
        "\"text\"", "\"bool\"",    "\"datetime\"", "\"uuid\""};
    bool has_params = index->params != NULL || index->params_tree != NULL;

    if (index->type > VECWIRE_QDRANT_INDEX_UUID) {
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL, "type is %u",
                               (unsigned)index->type);
        return;
    }
    if (index->type == 0 && !has_params)
        return;
    vecwire__qdrant_key(w, "field_schema");
    if (has_params)
        vecwire__qdrant_put(w, "{");
    if (has_params && index->type != 0)
        vecwire__qdrant_key(w, "type");
    vecwire__qdrant_put(w, types[index->type]);
    vecwire__qdrant_put_members(w, index->params, index->params_tree, "params");
    if (has_params)
        vecwire__qdrant_put(w, "}");
}

VECWIRE__QDRANT_ENCODER(create_index)
{
    static const struct vecwire__qdrant_route route = {
        .path = "/index",
        .method = VECWIRE__PUT,
        .class = VECWIRE__NEVER,
        .has_body = true,
        .decoding = &vecwire__qdrant_update_decoding,
        .takes = TAKES,
    };
    const struct vecwire_qdrant_index_request *index = request;
    struct vecwire__qdrant_writer w;

    vecwire__qdrant_begin(&w, settings, enc, refusal, &route, NULL, 0);
    vecwire__qdrant_key(&w, "field_name");
    vecwire__qdrant_put_path(&w, index->key, "key");
    put_schema(&w, index);
    return vecwire__qdrant_end(&w);
}

VECWIRE__QDRANT_ENCODER(delete_index)
{
    static const struct vecwire__qdrant_route route = {
        .path = "/index/",
        .method = VECWIRE__DELETE,
        .class = VECWIRE__NEVER,
        .decoding = &vecwire__qdrant_update_decoding,
        .takes = TAKES,
    };
    const struct vecwire_qdrant_index_request *index = request;
    struct vecwire__qdrant_writer w = {
        .refusal = refusal, .row = SIZE_MAX, .settings = settings};

    if (index->key == NULL || !vecwire__qdrant_is_path(index->key))
        return vecwire__qdrant_refuse(&w, VECWIRE_EINVAL,
                                      "key \"%.64s\": expected a payload key",
                                      index->key == NULL ? "" : index->key);
    vecwire__qdrant_begin(&w, settings, enc, refusal, &route, index->key, 0);
    return vecwire__qdrant_end(&w);
}

static void
put_name(struct vecwire__qdrant_writer *w, const char *key, const char *name,
         const char *what)
{
    vecwire__qdrant_check_name(w, name, what);
    vecwire__qdrant_key(w, key);
    vecwire__qdrant_put_str(w, name, what);
}

static void
put_change(struct vecwire__qdrant_writer *w,
           const struct vecwire_qdrant_alias_change *change)
{
    const char *collection = change->collection;

    if (collection == NULL)
        collection = w->settings->collection;
    switch (change->action) {
    case VECWIRE_QDRANT_CREATE_ALIAS:
        vecwire__qdrant_put(w, "{\"create_alias\":{");
        put_name(w, "collection_name", collection, "collection");
        put_name(w, "alias_name", change->alias, "alias");
        break;
    case VECWIRE_QDRANT_DELETE_ALIAS:
        vecwire__qdrant_put(w, "{\"delete_alias\":{");
        put_name(w, "alias_name", change->alias, "alias");
        break;
    case VECWIRE_QDRANT_RENAME_ALIAS:
        vecwire__qdrant_put(w, "{\"rename_alias\":{");
        put_name(w, "old_alias_name", change->alias, "alias");
        put_name(w, "new_alias_name", change->new_alias, "new_alias");
        break;
    default:
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL, "action is %u",
                               (unsigned)change->action);
    }
    vecwire__qdrant_put(w, "}}");
}

VECWIRE__QDRANT_ENCODER(update_aliases)
{
    static const struct vecwire__qdrant_route route = {
        .path = "/collections/aliases",
        .global = true,
        .method = VECWIRE__POST,
        .class = VECWIRE__NEVER,
        .has_body = true,
        .decoding = &vecwire__qdrant_bool_decoding,
        .takes = VECWIRE__QDRANT_TIMEOUT,
    };
    const struct vecwire_qdrant_aliases_request *aliases = request;
    struct vecwire__qdrant_writer w;

    vecwire__qdrant_begin(&w, settings, enc, refusal, &route, NULL, 0);
    if (aliases->changes == NULL || aliases->n == 0)
        return vecwire__qdrant_refuse(&w, VECWIRE_EINVAL,
                                      "no changes, expected at least 1");
    vecwire__qdrant_key(&w, "actions");
    vecwire__qdrant_put(&w, "[");
    for (size_t i = 0; i < aliases->n && w.err == VECWIRE_OK; i++) {
        w.row = i;
        vecwire__qdrant_comma(&w);
        put_change(&w, &aliases->changes[i]);
    }
    w.row = SIZE_MAX;
    vecwire__qdrant_put(&w, "]");
    return vecwire__qdrant_end(&w);
}
