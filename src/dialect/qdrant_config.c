/* SPDX-License-Identifier: Apache-2.0 */
/* Qdrant: what a collection shall be like. */
#include "dialect/qdrant_admin.h"

#include <stdio.h>
#include <string.h>

static void
put_number(struct vecwire__qdrant_writer *w, const char *key, uint32_t number)
{
    if (number == 0)
        return;
    vecwire__qdrant_key(w, key);
    vecwire__qdrant_put_u64(w, number);
}

/* One of `n` names, of which the one at 0 stands for nothing. */
static void
put_choice(struct vecwire__qdrant_writer *w, const char *key,
           const char *const *names, uint32_t n, uint32_t choice)
{
    if (choice == 0)
        return;
    if (choice >= n) {
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL, "%s is %u", key,
                               (unsigned)choice);
        return;
    }
    vecwire__qdrant_key(w, key);
    vecwire__qdrant_put(w, names[choice]);
}

#define N_OF(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

static const char *const distances[] = {"", "\"Cosine\"", "\"Euclid\"",
                                        "\"Dot\"", "\"Manhattan\""};
static const char *const datatypes[] = {"", "\"float32\"", "\"float16\"",
                                        "\"uint8\"", "\"turbo4\""};
static const char *const memories[] = {"", "\"cold\"", "\"cached\""};
static const char *const switches[] = {"", "false", "true"};

void
vecwire__qdrant_put_members(struct vecwire__qdrant_writer *w, const char *json,
                            const struct json_t *tree, const char *what)
{
    struct vecwire__buf *text = w->text;
    size_t before = text->len, at, from, to;

    if (json == NULL && tree == NULL)
        return;
    vecwire__qdrant_comma(w);
    at = text->len;
    vecwire__qdrant_put_json(w, json, tree, "{", what);
    if (w->err != VECWIRE_OK)
        return;
    /* Without its braces and the blanks at both ends. */
    for (from = at; text->bytes[from] != '{'; from++)
        continue;
    for (to = text->len - 1; text->bytes[to] != '}'; to--)
        continue;
    for (from++; from < to && strchr(" \t\r\n", text->bytes[from]) != NULL;)
        from++;
    memmove(text->bytes + at, text->bytes + from, to - from);
    text->len = from == to ? before : at + (to - from);
}

/* "vectors[2]" for refusals. */
static const char *
name_place(char *out, size_t size, const char *list, size_t i)
{
    snprintf(out, size, "%s[%zu]", list, i);
    return out;
}

static void
put_vector_config(struct vecwire__qdrant_writer *w,
                  const struct vecwire_qdrant_vector_config *vector, size_t i)
{
    char place[32];
    size_t at = w->text->len;

    name_place(place, sizeof(place), "vectors", i);
    if (vector->distance == 0 || vector->distance >= N_OF(distances))
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                               "%s.distance is %u, expected "
                               "VECWIRE_QDRANT_COSINE or another",
                               place, (unsigned)vector->distance);
    vecwire__qdrant_put(w, "{\"size\":");
    vecwire__qdrant_put_u64(w, vector->size);
    put_choice(w, "distance", distances, N_OF(distances), vector->distance);
    put_choice(w, "datatype", datatypes, N_OF(datatypes), vector->datatype);
    put_choice(w, "memory", memories, N_OF(memories), vector->memory);
    put_choice(w, "on_disk", switches, N_OF(switches), vector->on_disk);
    if (vector->multi) {
        vecwire__qdrant_key(w, "multivector_config");
        vecwire__qdrant_put(w, "{\"comparator\":\"max_sim\"}");
    }
    vecwire__qdrant_member(w, "hnsw_config", vector->hnsw_config, NULL, "{");
    vecwire__qdrant_member(w, "quantization_config",
                           vector->quantization_config, NULL, "{");
    vecwire__qdrant_put_members(w, vector->more, NULL, "more of a vector");
    vecwire__qdrant_put(w, "}");
    vecwire__qdrant_check_vector_config(w, at, place);
}

static void
put_sparse_config(struct vecwire__qdrant_writer *w,
                  const struct vecwire_qdrant_sparse_config *sparse)
{
    vecwire__qdrant_put(w, "{");
    if (sparse->full_scan_threshold != 0 || sparse->datatype != 0 ||
        sparse->memory != 0 || sparse->on_disk != 0) {
        vecwire__qdrant_key(w, "index");
        vecwire__qdrant_put(w, "{");
        put_number(w, "full_scan_threshold", sparse->full_scan_threshold);
        put_choice(w, "on_disk", switches, N_OF(switches), sparse->on_disk);
        put_choice(w, "memory", memories, N_OF(memories), sparse->memory);
        put_choice(w, "datatype", datatypes, N_OF(datatypes), sparse->datatype);
        vecwire__qdrant_put(w, "}");
    }
    if (sparse->idf) {
        vecwire__qdrant_key(w, "modifier");
        vecwire__qdrant_put(w, "\"idf\"");
    }
    vecwire__qdrant_put_members(w, sparse->more, NULL,
                                "more of a sparse vector");
    vecwire__qdrant_put(w, "}");
}

/* Name `i` of all vectors, sparse ones behind the others. */
static const char *
name_of(const struct vecwire_qdrant_create_request *create, size_t i)
{
    const char *name = i < create->n_vectors
                           ? create->vectors[i].name
                           : create->sparse_vectors[i - create->n_vectors].name;

    return name == NULL ? "" : name;
}

static void
check_names(struct vecwire__qdrant_writer *w,
            const struct vecwire_qdrant_create_request *create)
{
    size_t n = create->n_vectors + create->n_sparse_vectors;

    for (size_t i = 0; i < n && w->err == VECWIRE_OK; i++) {
        const char *name = name_of(create, i);

        vecwire__qdrant_check_vector_name(w, name, "name of a vector");
        if (i >= create->n_vectors && *name == '\0')
            vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                                   "sparse_vectors[%zu] has no name",
                                   i - create->n_vectors);
        for (size_t k = 0; k < i; k++) {
            if (strcmp(name, name_of(create, k)) == 0)
                vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                                       "two vectors are named \"%s\"", name);
        }
    }
}

static void
check_lists(struct vecwire__qdrant_writer *w,
            const struct vecwire_qdrant_create_request *create)
{
    if (create->vectors == NULL && create->n_vectors > 0)
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                               "vectors is NULL, n_vectors is %zu",
                               create->n_vectors);
    else if (create->sparse_vectors == NULL && create->n_sparse_vectors > 0)
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                               "sparse_vectors is NULL, n_sparse_vectors is "
                               "%zu",
                               create->n_sparse_vectors);
    else
        check_names(w, create);
}

static void
put_named(struct vecwire__qdrant_writer *w, const char *name)
{
    vecwire__qdrant_comma(w);
    vecwire__qdrant_put_str(w, name, "name of a vector");
    vecwire__qdrant_put(w, ":");
}

static void
put_vectors(struct vecwire__qdrant_writer *w,
            const struct vecwire_qdrant_create_request *create)
{
    if (create->n_vectors == 1 && *name_of(create, 0) == '\0') {
        vecwire__qdrant_key(w, "vectors");
        put_vector_config(w, &create->vectors[0], 0);
    } else if (create->n_vectors > 0) {
        vecwire__qdrant_key(w, "vectors");
        vecwire__qdrant_put(w, "{");
        for (size_t i = 0; i < create->n_vectors && w->err == VECWIRE_OK; i++) {
            put_named(w, name_of(create, i));
            put_vector_config(w, &create->vectors[i], i);
        }
        vecwire__qdrant_put(w, "}");
    }
    if (create->n_sparse_vectors == 0)
        return;
    vecwire__qdrant_key(w, "sparse_vectors");
    vecwire__qdrant_put(w, "{");
    for (size_t i = 0; i < create->n_sparse_vectors && w->err == VECWIRE_OK;
         i++) {
        put_named(w, create->sparse_vectors[i].name);
        put_sparse_config(w, &create->sparse_vectors[i]);
    }
    vecwire__qdrant_put(w, "}");
}

static void
put_create(struct vecwire__qdrant_writer *w,
           const struct vecwire_qdrant_create_request *create)
{
    const struct {
        const char *key, *json;
    } objects[] = {
        {"hnsw_config", create->hnsw_config},
        {"optimizers_config", create->optimizers_config},
        {"wal_config", create->wal_config},
        {"quantization_config", create->quantization_config},
        {"strict_mode_config", create->strict_mode_config},
        {"metadata", create->metadata},
        {"payload", create->payload},
    };

    put_vectors(w, create);
    put_number(w, "shard_number", create->shard_number);
    if (create->custom_sharding) {
        vecwire__qdrant_key(w, "sharding_method");
        vecwire__qdrant_put(w, "\"custom\"");
    }
    put_number(w, "replication_factor", create->replication_factor);
    put_number(w, "write_consistency_factor", create->write_consistency_factor);
    put_choice(w, "on_disk_payload", switches, N_OF(switches),
               create->on_disk_payload);
    for (size_t i = 0; i < N_OF(objects); i++)
        vecwire__qdrant_member(w, objects[i].key, objects[i].json, NULL, "{");
    vecwire__qdrant_put_members(w, create->more, create->more_tree, "more");
}

VECWIRE__QDRANT_ENCODER(create_collection)
{
    static const struct vecwire__qdrant_route route = {
        .path = "",
        .method = VECWIRE__PUT,
        .class = VECWIRE__NEVER,
        .has_body = true,
        .decoding = &vecwire__qdrant_bool_decoding,
        .takes = VECWIRE__QDRANT_TIMEOUT,
    };
    const struct vecwire_qdrant_create_request *create = request;
    struct vecwire__qdrant_writer w;

    vecwire__qdrant_begin(&w, settings, enc, refusal, &route, NULL, 0);
    check_lists(&w, create);
    if (w.err == VECWIRE_OK)
        put_create(&w, create);
    vecwire__qdrant_end(&w);
    vecwire__qdrant_check_create(&w, enc->body_at);
    return w.err;
}

VECWIRE__QDRANT_ENCODER(update_collection)
{
    static const struct vecwire__qdrant_route route = {
        .path = "",
        .method = VECWIRE__PATCH,
        .class = VECWIRE__NEVER,
        .has_body = true,
        .decoding = &vecwire__qdrant_bool_decoding,
        .takes = VECWIRE__QDRANT_TIMEOUT,
    };
    const struct vecwire_qdrant_update_collection_request *update = request;
    const struct {
        const char *key, *json, *begins;
    } members[] = {
        {"vectors", update->vectors, "{"},
        {"sparse_vectors", update->sparse_vectors, "{"},
        {"optimizers_config", update->optimizers_config, "{"},
        {"params", update->params, "{"},
        {"hnsw_config", update->hnsw_config, "{"},
        {"quantization_config", update->quantization_config, "{\""},
        {"strict_mode_config", update->strict_mode_config, "{"},
        {"metadata", update->metadata, "{"},
    };
    struct vecwire__qdrant_writer w;

    vecwire__qdrant_begin(&w, settings, enc, refusal, &route, NULL, 0);
    for (size_t i = 0; i < N_OF(members); i++)
        vecwire__qdrant_member(&w, members[i].key, members[i].json, NULL,
                               members[i].begins);
    vecwire__qdrant_put_members(&w, update->more, update->more_tree, "more");
    vecwire__qdrant_end(&w);
    vecwire__qdrant_check_update(&w, enc->body_at);
    return w.err;
}
