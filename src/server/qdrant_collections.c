/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include <event2/http.h>

#include "codec/json_string.h"
#include "codec/json_writer.h"
#include "server/json_text.h"
#include "server/qdrant.h"
#include "server/qdrant_config.h"
#include "server/qdrant_handlers.h"

static bool
put_name(struct vecwire__buf *reply, const char *name)
{
    return vecwire__json_put_str(reply, name, strlen(name), NULL) == VECWIRE_OK;
}

bool
vecwire__qdrant_list(struct vecwire__qdrant_call *call)
{
    const struct vecwire__qdrant *qdrant = call->qdrant;
    struct vecwire__buf *reply = call->reply;
    bool done = vecwire__buf_str(reply, "{\"collections\":[");

    for (size_t i = 0; done && i < qdrant->n_collections; i++)
        done = (i == 0 || vecwire__buf_byte(reply, ',')) &&
               vecwire__buf_str(reply, "{\"name\":") &&
               put_name(reply, qdrant->collections[i]->name) &&
               vecwire__buf_byte(reply, '}');
    return vecwire__qdrant_wrote(call, done && vecwire__buf_str(reply, "]}"));
}

static size_t
characters(const char *text)
{
    size_t n = 0;

    for (; *text != '\0'; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

static bool
name_check(struct vecwire__qdrant_call *call)
{
    const char *name = call->name;

    if (characters(name) > VECWIRE__COLLECTION_NAME)
        return vecwire__qdrant_fail(
            call, 422,
            "Validation error in path parameters: [collection_name: value "
            "invalid, length must be from 1 to 255]");
    if (strpbrk(name, "<>:\"/\\|?*\x1f") != NULL)
        return vecwire__qdrant_fail(
            call, 422,
            "Validation error in path parameters: [collection_name: "
            "collection name cannot contain any of <>:\"/\\|?*]");
    if (vecwire__qdrant_named(call->qdrant, name) != NULL)
        return vecwire__qdrant_fail(
            call, 409, "Wrong input: Collection `%s` already exists!", name);
    if (vecwire__qdrant_find(call->qdrant, name) != NULL)
        return vecwire__qdrant_fail(
            call, 400,
            "Bad request: Can't create collection with name %s. Alias with the "
            "same name already exists",
            name);
    if (call->qdrant->n_collections == VECWIRE__QDRANT_COLLECTIONS)
        return vecwire__qdrant_fail(call, 507,
                                    "This server holds %d collections only",
                                    VECWIRE__QDRANT_COLLECTIONS);
    return true;
}

static bool
create_from(struct vecwire__qdrant_call *call, const json_t *body)
{
    struct vecwire__collection *collection =
        vecwire__collection_new(call->name);
    bool done = collection != NULL;

    if (!done)
        vecwire__fault_memory(&call->fault);
    else if (!vecwire__config_create(collection, body, &call->fault))
        done = false;
    else
        done = vecwire__qdrant_wrote(
            call, vecwire__qdrant_add(call->qdrant, collection));
    if (!done)
        vecwire__collection_free(collection);
    return done;
}

/* Run with the body as a tree; the result is true. */
static bool
with_tree(struct vecwire__qdrant_call *call,
          bool (*run)(struct vecwire__qdrant_call *call, const json_t *body))
{
    json_t *body;
    bool done;

    if (!vecwire__qdrant_tree(&call->fault, call->body, &body))
        return false;
    done = run(call, body);
    json_decref(body);
    return done &&
           vecwire__qdrant_wrote(call, vecwire__buf_str(call->reply, "true"));
}

bool
vecwire__qdrant_create(struct vecwire__qdrant_call *call)
{
    return name_check(call) && with_tree(call, create_from);
}

static bool
change_from(struct vecwire__qdrant_call *call, const json_t *body)
{
    return vecwire__config_change(call->collection, body, &call->fault);
}

bool
vecwire__qdrant_change(struct vecwire__qdrant_call *call)
{
    return with_tree(call, change_from);
}

bool
vecwire__qdrant_delete(struct vecwire__qdrant_call *call)
{
    struct vecwire__collection *collection =
        vecwire__qdrant_named(call->qdrant, call->name);

    if (collection != NULL)
        vecwire__qdrant_drop(call->qdrant, collection);
    return vecwire__qdrant_wrote(
        call,
        vecwire__buf_str(call->reply, collection != NULL ? "true" : "false"));
}

bool
vecwire__qdrant_exists(struct vecwire__qdrant_call *call)
{
    bool exists = vecwire__qdrant_find(call->qdrant, call->name) != NULL;

    return vecwire__qdrant_wrote(
        call, vecwire__buf_str(call->reply, exists ? "{\"exists\":true}"
                                                   : "{\"exists\":false}"));
}

static bool
put_u64(struct vecwire__buf *reply, const char *before, uint64_t number)
{
    return vecwire__buf_str(reply, before) &&
           vecwire__json_put_u64(reply, number);
}

bool
vecwire__qdrant_info(struct vecwire__qdrant_call *call)
{
    const struct vecwire__collection *collection = call->collection;
    struct vecwire__buf *reply = call->reply;

    return vecwire__qdrant_wrote(
        call, vecwire__buf_str(
                  reply, "{\"status\":\"green\",\"optimizer_status\":\"ok\"") &&
                  put_u64(reply, ",\"indexed_vectors_count\":", 0) &&
                  put_u64(reply, ",\"points_count\":", collection->n_live) &&
                  put_u64(reply, ",\"segments_count\":", 1) &&
                  vecwire__buf_str(reply, ",\"config\":") &&
                  vecwire__json_dump(reply, collection->config) &&
                  vecwire__buf_str(reply, ",\"payload_schema\":") &&
                  vecwire__json_dump(reply, collection->indexes) &&
                  vecwire__buf_str(reply, ",\"update_queue\":{\"length\":0}}"));
}

static bool
answer_plain(struct vecwire__qdrant_call *call, const char *text)
{
    call->type = "text/plain";
    return vecwire__qdrant_wrote(call, vecwire__buf_str(call->reply, text));
}

bool
vecwire__qdrant_root(struct vecwire__qdrant_call *call)
{
    call->type = "application/json";
    return vecwire__qdrant_wrote(
        call, vecwire__buf_str(
                  call->reply,
                  "{\"title\":\"qdrant - vector search engine\","
                  "\"version\":\"" VECWIRE__QDRANT_VERSION "\","
                  "\"commit\":\"0000000000000000000000000000000000000000\"}"));
}

bool
vecwire__qdrant_health(struct vecwire__qdrant_call *call)
{
    return answer_plain(call, "healthz check passed");
}

bool
vecwire__qdrant_ready(struct vecwire__qdrant_call *call)
{
    return answer_plain(call, "all shards are ready");
}

bool
vecwire__qdrant_metrics(struct vecwire__qdrant_call *call)
{
    const struct vecwire__qdrant *qdrant = call->qdrant;
    struct vecwire__buf *reply = call->reply;
    uint64_t n_points = 0;

    for (size_t i = 0; i < qdrant->n_collections; i++)
        n_points += qdrant->collections[i]->n_live;
    call->type = "text/plain; version=0.0.4";
    return vecwire__qdrant_wrote(
        call,
        vecwire__buf_str(
            reply, "# HELP app_info information about qdrant server\n"
                   "# TYPE app_info gauge\n"
                   "app_info{name=\"qdrant\",version=\"" VECWIRE__QDRANT_VERSION
                   "\"} 1\n"
                   "# HELP collections_total number of collections\n"
                   "# TYPE collections_total gauge\n") &&
            put_u64(reply, "collections_total ", qdrant->n_collections) &&
            vecwire__buf_str(reply,
                             "\n# HELP collections_vector_total number "
                             "of points in all collections\n"
                             "# TYPE collections_vector_total gauge\n") &&
            put_u64(reply, "collections_vector_total ", n_points) &&
            vecwire__buf_byte(reply, '\n'));
}

bool
vecwire__qdrant_nothing(struct vecwire__qdrant_call *call)
{
    return vecwire__qdrant_wrote(call, vecwire__buf_str(call->reply, "[]"));
}
