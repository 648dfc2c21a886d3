/* SPDX-License-Identifier: Apache-2.0 */
#include "server/qdrant_config.h"

#include <stdlib.h>
#include <string.h>

/* An integer that has a least value: wrong types are 400, wrong values 422. */
struct least {
    const char *part; /* NULL: the body itself */
    const char *key;
    json_int_t least;
};

static const struct least leasts[] = {
    {NULL, "shard_number", 1},
    {NULL, "replication_factor", 1},
    {NULL, "write_consistency_factor", 1},
    {"hnsw_config", "ef_construct", 4},
    {"hnsw_config", "full_scan_threshold", 10},
    {"hnsw_config", "m", 0},
    {"optimizers_config", "default_segment_number", 0},
    {"optimizers_config", "indexing_threshold", 0},
    {"wal_config", "wal_capacity_mb", 1},
};

static bool
is_given(const json_t *value)
{
    return value != NULL && !json_is_null(value);
}

static bool
least_check(const struct least *rule, const json_t *body,
            struct vecwire__fault *fault)
{
    const json_t *part =
        rule->part == NULL ? body : json_object_get(body, rule->part);
    const json_t *value = json_object_get(part, rule->key);

    if (!is_given(value))
        return true;
    if (!json_is_integer(value) || json_integer_value(value) < 0) {
        vecwire__fault_set(fault, 400,
                           "Format error in JSON body: %s: expected an "
                           "unsigned integer",
                           rule->key);
        return false;
    }
    if (json_integer_value(value) >= rule->least)
        return true;
    vecwire__fault_set(fault, 422,
                       "Validation error in JSON body: [%s: value %lld "
                       "invalid, must be %lld or larger]",
                       rule->key, (long long)json_integer_value(value),
                       (long long)rule->least);
    return false;
}

static bool
numbers_check(const json_t *body, struct vecwire__fault *fault)
{
    for (size_t i = 0; i < sizeof(leasts) / sizeof(leasts[0]); i++) {
        if (!least_check(&leasts[i], body, fault))
            return false;
    }
    return true;
}

static bool
refuse(struct vecwire__fault *fault, int status, const char *what,
       const char *name)
{
    vecwire__fault_set(fault, status, "%s `%s`", what, name);
    return false;
}

static bool
name_check(const char *name, size_t len, struct vecwire__fault *fault)
{
    if (len <= VECWIRE__VECTOR_NAME && strlen(name) == len &&
        strpbrk(name, "<>:\"/\\|?*\x1f") == NULL)
        return true;
    return refuse(fault, 422,
                  "Validation error in JSON body: [vectors: vector name cannot "
                  "be longer than 200 bytes or contain <>:\"/\\|?*]",
                  name);
}

/* A new column; SIZE_MAX: fault. */
static size_t
column_add(struct vecwire__collection *collection, const char *name,
           struct vecwire__fault *fault)
{
    size_t len = strlen(name);

    if (!name_check(name, len, fault))
        return SIZE_MAX;
    if (vecwire__collection_column(collection, name, len) != SIZE_MAX) {
        refuse(fault, 400,
               "Wrong input: dense and sparse vectors have one name", name);
        return SIZE_MAX;
    }
    if (collection->n_columns == VECWIRE__COLLECTION_COLUMNS) {
        vecwire__fault_set(fault, 400,
                           "Bad request: more than %d vectors by name",
                           VECWIRE__COLLECTION_COLUMNS);
        return SIZE_MAX;
    }
    if (!vecwire__column_init(&collection->columns[collection->n_columns], name,
                              len)) {
        vecwire__fault_memory(fault);
        return SIZE_MAX;
    }
    return collection->n_columns++;
}

static bool
distance_read(const json_t *value, enum vecwire__distance *distance)
{
    const char *name = json_string_value(value);

    for (unsigned i = 0; name != NULL && i <= VECWIRE__MANHATTAN; i++) {
        *distance = (enum vecwire__distance)i;
        if (strcmp(vecwire__distance_name(*distance), name) == 0)
            return true;
    }
    return false;
}

static bool
size_check(const json_t *size, struct vecwire__fault *fault)
{
    json_int_t value = json_integer_value(size);

    if (!json_is_integer(size) || value < 0) {
        vecwire__fault_set(fault, 400,
                           "Format error in JSON body: size: expected an "
                           "unsigned integer");
        return false;
    }
    if (value >= 1 && value <= VECWIRE__COLUMN_DIM_MAX)
        return true;
    vecwire__fault_set(fault, 422,
                       "Validation error in JSON body: [vectors.size: value "
                       "%lld invalid, must be from 1 to %d]",
                       (long long)value, VECWIRE__COLUMN_DIM_MAX);
    return false;
}

static bool
kind_read(const json_t *params, enum vecwire__column_kind *kind,
          struct vecwire__fault *fault)
{
    const json_t *multi = json_object_get(params, "multivector_config");
    const json_t *type = json_object_get(params, "datatype");
    const char *text;

    if (is_given(type)) {
        text = json_string_value(type);
        if (text == NULL || strcmp(text, "float32") != 0)
            return refuse(fault, 400, "Bad request: this server stores",
                          "float32 only");
    }
    if (!is_given(multi))
        return true;
    *kind = VECWIRE__MULTI;
    text = json_string_value(json_object_get(multi, "comparator"));
    return (text != NULL && strcmp(text, "max_sim") == 0) ||
           refuse(fault, 400, "Format error in JSON body: comparator: expected",
                  "max_sim");
}

static bool
dense_add(struct vecwire__collection *collection, const char *name,
          const json_t *params, struct vecwire__fault *fault)
{
    enum vecwire__distance distance = VECWIRE__COSINE;
    enum vecwire__column_kind kind = VECWIRE__DENSE;
    const json_t *size = json_object_get(params, "size");
    size_t at;

    if (!json_is_object(params))
        return refuse(fault, 400,
                      "Format error in JSON body: vectors: expected an object "
                      "for",
                      name);
    if (!distance_read(json_object_get(params, "distance"), &distance))
        return refuse(fault, 400,
                      "Format error in JSON body: distance: expected one of "
                      "Cosine, Euclid, Dot, Manhattan for",
                      name);
    if (!size_check(size, fault) || !kind_read(params, &kind, fault))
        return false;
    at = column_add(collection, name, fault);
    if (at == SIZE_MAX)
        return false;
    collection->columns[at].dim = (size_t)json_integer_value(size);
    collection->columns[at].distance = distance;
    collection->columns[at].kind = kind;
    return true;
}

static bool
sparse_add(struct vecwire__collection *collection, const char *name,
           const json_t *params, struct vecwire__fault *fault)
{
    const json_t *modifier = json_object_get(params, "modifier");
    const char *text = json_string_value(modifier);
    size_t at;

    if (is_given(params) && !json_is_object(params))
        return refuse(fault, 400,
                      "Format error in JSON body: sparse_vectors: expected an "
                      "object for",
                      name);
    if (is_given(modifier) && (text == NULL || strcmp(text, "none") != 0))
        return refuse(fault, 400, "Bad request: this server offers no modifier",
                      text == NULL ? "" : text);
    at = column_add(collection, name, fault);
    if (at == SIZE_MAX)
        return false;
    collection->columns[at].kind = VECWIRE__SPARSE;
    collection->columns[at].distance = VECWIRE__DOT;
    return true;
}

static bool
columns_add(struct vecwire__collection *collection, const json_t *body,
            struct vecwire__fault *fault)
{
    json_t *vectors = json_object_get(body, "vectors"), *params;
    json_t *sparse = json_object_get(body, "sparse_vectors");
    const char *name;

    if ((is_given(vectors) && !json_is_object(vectors)) ||
        (is_given(sparse) && !json_is_object(sparse)))
        return refuse(fault, 400,
                      "Format error in JSON body: expected an object for",
                      "vectors");
    if (json_object_get(vectors, "distance") != NULL ||
        json_is_number(json_object_get(vectors, "size"))) {
        if (!dense_add(collection, "", vectors, fault))
            return false;
    } else {
        json_object_foreach(vectors, name, params)
        {
            if (!dense_add(collection, name, params, fault))
                return false;
        }
    }
    json_object_foreach(sparse, name, params)
    {
        if (!sparse_add(collection, name, params, fault))
            return false;
    }
    return true;
}

/* What Qdrant says when nothing else was asked for. */
static json_t *
config_default(void)
{
    return json_pack(
        "{s:{s:{},s:i,s:i,s:i,s:b},"
        "s:{s:i,s:i,s:i,s:i,s:b},"
        "s:{s:f,s:i,s:i,s:n,s:n,s:i,s:i,s:n},"
        "s:{s:i,s:i,s:i},s:n}",
        "params", "vectors", "shard_number", 1, "replication_factor", 1,
        "write_consistency_factor", 1, "on_disk_payload", 1, "hnsw_config", "m",
        16, "ef_construct", 100, "full_scan_threshold", 10000,
        "max_indexing_threads", 0, "on_disk", 0, "optimizer_config",
        "deleted_threshold", 0.2, "vacuum_min_vector_number", 1000,
        "default_segment_number", 0, "max_segment_size", "memmap_threshold",
        "indexing_threshold", 10000, "flush_interval_sec", 5,
        "max_optimization_threads", "wal_config", "wal_capacity_mb", 32,
        "wal_segments_ahead", 0, "wal_retain_closed", 1, "quantization_config");
}

/* Put `value` at `key`, objects merged; what is not given stays. */
static bool
take(json_t *into, const char *key, json_t *value)
{
    json_t *old = json_object_get(into, key), *copy;
    bool done;

    if (!is_given(value))
        return true;
    copy = json_deep_copy(value);
    if (copy == NULL)
        return false;
    if (!json_is_object(old) || !json_is_object(copy))
        return json_object_set_new(into, key, copy) == 0;
    done = json_object_update(old, copy) == 0;
    json_decref(copy);
    return done;
}

/* Metadata are merged; null takes a key away. */
static bool
take_metadata(json_t *config, json_t *metadata)
{
    json_t *into;
    const char *key;
    json_t *value;

    if (!take(config, "metadata", metadata))
        return false;
    into = json_object_get(config, "metadata");
    json_object_foreach(metadata, key, value)
    {
        if (json_is_null(value))
            (void)json_object_del(into, key);
    }
    return true;
}

static bool
take_all(json_t *config, const json_t *body)
{
    static const char *const params_keys[] = {
        "vectors",         "sparse_vectors",
        "shard_number",    "replication_factor",
        "on_disk_payload", "write_consistency_factor",
        "sharding_method", "read_fan_out_factor"};
    static const char *const keys[] = {"hnsw_config", "wal_config",
                                       "quantization_config",
                                       "strict_mode_config"};
    json_t *params = json_object_get(config, "params");
    bool done = true;

    for (size_t i = 0; done && i < 8; i++)
        done =
            take(params, params_keys[i], json_object_get(body, params_keys[i]));
    for (size_t i = 0; done && i < 4; i++)
        done = take(config, keys[i], json_object_get(body, keys[i]));
    return done &&
           take(config, "optimizer_config",
                json_object_get(body, "optimizers_config")) &&
           take_metadata(config, json_object_get(body, "metadata"));
}

bool
vecwire__config_create(struct vecwire__collection *collection,
                       const json_t *body, struct vecwire__fault *fault)
{
    const char *sharding =
        json_string_value(json_object_get(body, "sharding_method"));

    if (!numbers_check(body, fault) || !columns_add(collection, body, fault))
        return false;
    if (sharding != NULL && strcmp(sharding, "auto") != 0)
        return refuse(fault, 400, "Bad request: this server has no sharding",
                      sharding);
    collection->config = config_default();
    if (collection->config != NULL && take_all(collection->config, body))
        return true;
    vecwire__fault_memory(fault);
    return false;
}

/* Take over those of the keys that are there. False: no memory. */
static bool
take_keys(json_t *into, const json_t *from, const char *const *keys, size_t n)
{
    bool done = true;

    for (size_t i = 0; done && i < n; i++)
        done = take(into, keys[i], json_object_get(from, keys[i]));
    return done;
}

/* Parameters of vectors go by name, "" being the only one's without. Size and
 * distance stay. */
static bool
change_vectors(const struct vecwire__collection *collection, json_t *params,
               const json_t *body, struct vecwire__fault *fault)
{
    json_t *changes = json_object_get(body, "vectors"), *change;
    json_t *vectors = json_object_get(params, "vectors");
    static const char *const keys[] = {"hnsw_config", "quantization_config",
                                       "on_disk", "memory"};
    const char *name;

    json_object_foreach(changes, name, change)
    {
        size_t at = vecwire__collection_column(collection, name, strlen(name));
        bool is_only = at != SIZE_MAX && json_object_get(vectors, name) == NULL;
        json_t *into = is_only ? vectors : json_object_get(vectors, name);

        if (at == SIZE_MAX || into == NULL)
            return refuse(fault, 400,
                          "Wrong input: Not existing vector name error:", name);
        if (!json_is_object(change))
            return refuse(fault, 400,
                          "Format error in JSON body: vectors: expected an "
                          "object for",
                          name);
        if (!take_keys(into, change, keys, 4)) {
            vecwire__fault_memory(fault);
            return false;
        }
    }
    return true;
}

bool
vecwire__config_change(struct vecwire__collection *collection,
                       const json_t *body, struct vecwire__fault *fault)
{
    json_t *config = json_deep_copy(collection->config);
    json_t *params = json_object_get(config, "params");
    json_t *rest = json_copy((json_t *)(uintptr_t)body);
    json_t *more = json_object_get(body, "params");
    static const char *const keys[] = {
        "replication_factor", "write_consistency_factor", "read_fan_out_factor",
        "on_disk_payload"};
    bool done = false;

    (void)json_object_del(rest, "vectors");
    if (config == NULL || rest == NULL) {
        vecwire__fault_memory(fault);
    } else if (numbers_check(body, fault) &&
               change_vectors(collection, params, body, fault)) {
        done = take_all(config, rest) && take_keys(params, more, keys, 4);
        if (!done)
            vecwire__fault_memory(fault);
    }
    json_decref(rest);
    if (!done) {
        json_decref(config);
        return false;
    }
    json_decref(collection->config);
    collection->config = config;
    return true;
}
