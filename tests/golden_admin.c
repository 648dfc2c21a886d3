/* SPDX-License-Identifier: Apache-2.0 */
/* What concerns whole collections; see golden_queries.c. */
#include "tests/golden_qdrant.h"

static const char unusual[] = "gr\xc3\xb6\xc3\x9f"
                              "e & co";

static enum vecwire_err
create_collection(struct golden *g)
{
    const struct vecwire_qdrant_vector_config vector = {
        .size = 4, .distance = VECWIRE_QDRANT_COSINE};

    return vecwire_qdrant_create_collection(
        g->client,
        &VECWIRE_QDRANT_CREATE(.vectors = &vector, .n_vectors = 1,
                               .refusal = &g->refusal),
        golden_done, g, NULL);
}

static enum vecwire_err
create_collection_empty(struct golden *g)
{
    return vecwire_qdrant_create_collection(
        g->client, &VECWIRE_QDRANT_CREATE(.refusal = &g->refusal), golden_done,
        g, NULL);
}

static const struct vecwire_qdrant_vector_config vectors[] = {
    {.name = "image",
     .size = 65536,
     .distance = VECWIRE_QDRANT_EUCLID,
     .datatype = VECWIRE_QDRANT_FLOAT16,
     .on_disk = VECWIRE_QDRANT_ON,
     .hnsw_config = "{\"m\":8}",
     .quantization_config = "{\"scalar\":{\"type\":\"int8\",\"quantile\":0.99,"
                            "\"always_ram\":true}}"},
    {.name = "tokens",
     .size = 2,
     .distance = VECWIRE_QDRANT_DOT,
     .multi = true},
    {.name = "other",
     .size = 1,
     .distance = VECWIRE_QDRANT_MANHATTAN,
     .memory = VECWIRE_QDRANT_COLD},
};
static const struct vecwire_qdrant_sparse_config sparse[] = {
    {.name = "words",
     .idf = true,
     .full_scan_threshold = 5000,
     .on_disk = VECWIRE_QDRANT_ON,
     .datatype = VECWIRE_QDRANT_FLOAT32},
    {.name = "more"},
};

static enum vecwire_err
create_collection_full(struct golden *g)
{
    return vecwire_qdrant_create_collection(
        g->client,
        &VECWIRE_QDRANT_CREATE(
                .vectors = vectors, .n_vectors = 3, .sparse_vectors = sparse,
                .n_sparse_vectors = 2, .shard_number = 2,
                .replication_factor = 2, .write_consistency_factor = 1,
                .custom_sharding = true, .on_disk_payload = VECWIRE_QDRANT_ON,
                .hnsw_config = "{\"m\":16,\"ef_construct\":100,\"full_scan_"
                               "threshold\":10000,"
                               "\"max_indexing_threads\":2,\"on_disk\":true,"
                               "\"payload_m\":8,"
                               "\"inline_storage\":false}",
                .optimizers_config =
                    "{\"deleted_threshold\":0.2,\"vacuum_min_vector_number\":"
                    "1000,"
                    "\"default_segment_number\":2,\"max_segment_size\":200000,"
                    "\"indexing_threshold\":20000,\"flush_interval_sec\":5,"
                    "\"max_optimization_threads\":\"auto\","
                    "\"prevent_unoptimized\":true}",
                .wal_config =
                    "{\"wal_capacity_mb\":32,\"wal_segments_ahead\":1,"
                    "\"wal_retain_closed\":1}",
                .quantization_config = "{\"turbo\":{\"bits\":\"bits2\"}}",
                .payload = "{\"memory\":\"cached\"}",
                .metadata = "{\"owner\":\"us\",\"tags\":[1,null]}",
                .more = "{\"strict_mode_config\":{\"enabled\":true,"
                        "\"max_query_limit\":100,\"read_rate_limit\":1000}}",
                .refusal = &g->refusal,
                .call = &VECWIRE_CALL_OPTIONS(
                        .collection = unusual,
                        .qdrant = &VECWIRE_QDRANT_PARAMS(.timeout_ms = 30000))),
        golden_done, g, NULL);
}

static enum vecwire_err
update_collection(struct golden *g)
{
    return vecwire_qdrant_update_collection(
        g->client,
        &VECWIRE_QDRANT_UPDATE_COLLECTION(
                .vectors = "{\"\":{\"hnsw_config\":{\"m\":32},"
                           "\"quantization_config\":\"Disabled\","
                           "\"on_disk\":false}}",
                .sparse_vectors = "{\"words\":{\"index\":{\"on_disk\":false}}}",
                .optimizers_config = "{\"indexing_threshold\":10000}",
                .params =
                    "{\"replication_factor\":3,"
                    "\"write_consistency_factor\":2,"
                    "\"read_fan_out_factor\":1,\"on_disk_payload\":false}",
                .hnsw_config = "{\"ef_construct\":200}",
                .quantization_config = "{\"binary\":{\"always_ram\":true}}",
                .strict_mode_config = "{\"enabled\":false}",
                .metadata = "{\"owner\":null}", .refusal = &g->refusal,
                .call = &VECWIRE_CALL_OPTIONS(
                        .qdrant = &VECWIRE_QDRANT_PARAMS(.timeout_ms = 10000))),
        golden_done, g, NULL);
}

/* Those that have nothing but call options. */
#define PLAIN(name)                                                            \
    static enum vecwire_err name(struct golden *g)                             \
    {                                                                          \
        return vecwire_qdrant_##name(                                          \
            g->client, &VECWIRE_QDRANT_ADMIN(.refusal = &g->refusal),          \
            golden_done, g, NULL);                                             \
    }

PLAIN(delete_collection)
PLAIN(collection_exists)
PLAIN(list_collections)
PLAIN(collection_info)

static enum vecwire_err
delete_collection_full(struct golden *g)
{
    return vecwire_qdrant_delete_collection(
        g->client,
        &VECWIRE_QDRANT_ADMIN(.refusal = &g->refusal,
                              .call = &VECWIRE_CALL_OPTIONS(
                                      .collection = unusual,
                                      .qdrant =
                                          &VECWIRE_QDRANT_PARAMS(.timeout_ms =
                                                                     3000))),
        golden_done, g, NULL);
}

const struct golden_request golden_admin[] = {
    {"create_collection", create_collection},
    {"create_collection_empty", create_collection_empty},
    {"create_collection_full", create_collection_full},
    {"update_collection", update_collection},
    {"delete_collection", delete_collection},
    {"delete_collection_full", delete_collection_full},
    {"collection_exists", collection_exists},
    {"list_collections", list_collections},
    {"collection_info", collection_info},
};
const size_t n_golden_admin = GOLDEN_SIZE(golden_admin);
