/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VECWIRE_QDRANT_ADMIN_H
#define VECWIRE_QDRANT_ADMIN_H

#include <vecwire/qdrant.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Qdrant: what is done with a whole collection, and with the server. The verbs
 * are as those of query.h: same results, callbacks and refusals. The
 * collection is the client's, or that of the call's options.
 *
 * None of the writes is ever repeated by the library; a second one may be
 * answered otherwise (a collection that is there already: 409).
 *
 * "JSON text" below: of one object, NUL-terminated, checked before it is sent;
 * NULL: not sent. */

enum vecwire_qdrant_distance {
    VECWIRE_QDRANT_COSINE = 1, /* vectors are kept, and come back, normalized */
    VECWIRE_QDRANT_EUCLID = 2,
    VECWIRE_QDRANT_DOT = 3,
    VECWIRE_QDRANT_MANHATTAN = 4
};

enum vecwire_qdrant_datatype {
    VECWIRE_QDRANT_DATATYPE_DEFAULT = 0, /* not sent: float32 */
    VECWIRE_QDRANT_FLOAT32 = 1,
    VECWIRE_QDRANT_FLOAT16 = 2,
    VECWIRE_QDRANT_UINT8 = 3,
    VECWIRE_QDRANT_TURBO4 = 4
};

enum vecwire_qdrant_memory {
    VECWIRE_QDRANT_MEMORY_DEFAULT = 0, /* not sent */
    VECWIRE_QDRANT_COLD = 1,
    VECWIRE_QDRANT_CACHED = 2
};

/* true, false, or not sent. */
enum vecwire_qdrant_switch {
    VECWIRE_QDRANT_UNSET = 0,
    VECWIRE_QDRANT_OFF = 1,
    VECWIRE_QDRANT_ON = 2
};

/* One kind of dense vector, or multi-vector, of a collection. */
struct vecwire_qdrant_vector_config {
    const char *name;                /* NULL: the unnamed one */
    const char *hnsw_config;         /* JSON text */
    const char *quantization_config; /* JSON text */
    const char *more;  /* JSON text, whose members are sent beside these */
    uint32_t size;     /* floats, 1 to 65536 */
    uint32_t distance; /* required: enum vecwire_qdrant_distance */
    uint32_t datatype; /* enum vecwire_qdrant_datatype */
    uint32_t memory;   /* enum vecwire_qdrant_memory */
    uint32_t on_disk;  /* enum vecwire_qdrant_switch; deprecated there */
    bool multi;        /* multi-vectors, compared by "max_sim" */
    bool reserved[3];
};

/* One kind of sparse vector. */
struct vecwire_qdrant_sparse_config {
    const char *name;             /* required */
    const char *more;             /* as above */
    uint32_t full_scan_threshold; /* 0: not sent */
    uint32_t datatype;
    uint32_t memory;
    uint32_t on_disk;
    bool idf; /* scores are weighted by how rare a dimension is */
    bool reserved[7];
};

/* Create a collection. Numbers that are 0 are not sent. */
struct vecwire_qdrant_create_request {
    size_t size;
    const struct vecwire_qdrant_vector_config *vectors;
    size_t n_vectors; /* 0 is fine: none. Names differ, sparse ones too */
    const struct vecwire_qdrant_sparse_config *sparse_vectors;
    size_t n_sparse_vectors;
    const char *hnsw_config;         /* JSON text: {"m":16,..} */
    const char *optimizers_config;   /* JSON text */
    const char *wal_config;          /* JSON text */
    const char *quantization_config; /* JSON text: {"scalar":{..}}, .. */
    const char *strict_mode_config;  /* JSON text */
    const char *metadata;            /* JSON text: yours */
    const char *payload;             /* JSON text: {"memory":..} */
    /* Members that are sent beside these: JSON text, or a jansson object. */
    const char *more;
    const struct json_t *more_tree;
    const struct vecwire_call_options *call; /* timeout_ms */
    struct vecwire_refusal *refusal;
    uint32_t shard_number;
    uint32_t replication_factor;
    uint32_t write_consistency_factor;
    uint32_t on_disk_payload; /* enum vecwire_qdrant_switch */
    bool custom_sharding;     /* "sharding_method":"custom" */
    bool reserved[7];
};

/* Change a collection. What is NULL stays as it is. */
struct vecwire_qdrant_update_collection_request {
    size_t size;
    const char *vectors; /* JSON text by name, "" the unnamed one */
    const char *sparse_vectors;
    const char *optimizers_config;
    const char *params; /* JSON text: {"replication_factor":..,..} */
    const char *hnsw_config;
    const char *quantization_config; /* JSON text; or the string "Disabled" */
    const char *strict_mode_config;
    const char *metadata; /* merged; a member that is null goes */
    const char *more;     /* as above */
    const struct json_t *more_tree;
    const struct vecwire_call_options *call; /* timeout_ms */
    struct vecwire_refusal *refusal;
};

/* What needs nothing but call options. */
struct vecwire_qdrant_admin_request {
    size_t size;
    const struct vecwire_call_options *call;
    struct vecwire_refusal *refusal;
};

#ifndef __cplusplus
#define VECWIRE_QDRANT_CREATE(...)                                             \
    ((struct vecwire_qdrant_create_request){                                   \
        .size = sizeof(struct vecwire_qdrant_create_request), __VA_ARGS__})
#define VECWIRE_QDRANT_UPDATE_COLLECTION(...)                                  \
    ((struct vecwire_qdrant_update_collection_request){                        \
        .size = sizeof(struct vecwire_qdrant_update_collection_request),       \
        __VA_ARGS__})
#define VECWIRE_QDRANT_ADMIN(...)                                              \
    ((struct vecwire_qdrant_admin_request){                                    \
        .size = sizeof(struct vecwire_qdrant_admin_request), __VA_ARGS__})
#endif

/* The same for C++: zero but for the size. */
static inline void
vecwire_qdrant_create_init(struct vecwire_qdrant_create_request *create)
{
    memset(create, 0, sizeof(*create));
    create->size = sizeof(*create);
}

static inline void
vecwire_qdrant_update_collection_init(
    struct vecwire_qdrant_update_collection_request *update)
{
    memset(update, 0, sizeof(*update));
    update->size = sizeof(*update);
}

static inline void
vecwire_qdrant_admin_init(struct vecwire_qdrant_admin_request *admin)
{
    memset(admin, 0, sizeof(*admin));
    admin->size = sizeof(*admin);
}

/* Create the collection: vecwire_reply_total() is 1. One that is there already
 * is VECWIRE_EHTTP, 409. Refused before it is sent: a size that is not 1 to
 * 65536, no distance, names that are none or stand twice, ef_construct below
 * 4, full_scan_threshold of hnsw_config below 10, a number that must not be 0,
 * a member that stands twice. */
VECWIRE_API VECWIRE_NODISCARD enum vecwire_err vecwire_qdrant_create_collection(
    struct vecwire_client *client,
    const struct vecwire_qdrant_create_request *create, vecwire_reply_cb cb,
    void *arg, vecwire_call_id *id);

/* Change the collection: vecwire_reply_total() is 1. Refused as above. */
VECWIRE_API VECWIRE_NODISCARD enum vecwire_err vecwire_qdrant_update_collection(
    struct vecwire_client *client,
    const struct vecwire_qdrant_update_collection_request *update,
    vecwire_reply_cb cb, void *arg, vecwire_call_id *id);

/* Drop the collection with all that is in it: vecwire_reply_total() is 1, or 0
 * if there was none, which is no error. Call options: timeout_ms. */
VECWIRE_API VECWIRE_NODISCARD enum vecwire_err vecwire_qdrant_delete_collection(
    struct vecwire_client *client,
    const struct vecwire_qdrant_admin_request *request, vecwire_reply_cb cb,
    void *arg, vecwire_call_id *id);

/* Is there such a collection, or alias? vecwire_reply_total() is 1 or 0. */
VECWIRE_API VECWIRE_NODISCARD enum vecwire_err vecwire_qdrant_collection_exists(
    struct vecwire_client *client,
    const struct vecwire_qdrant_admin_request *request, vecwire_reply_cb cb,
    void *arg, vecwire_call_id *id);

/* All collections: a row each, its id's text is the name. */
VECWIRE_API VECWIRE_NODISCARD enum vecwire_err vecwire_qdrant_list_collections(
    struct vecwire_client *client,
    const struct vecwire_qdrant_admin_request *request, vecwire_reply_cb cb,
    void *arg, vecwire_call_id *id);

/* What the collection is like: one row, whose payload is the server's
 * description as JSON text; see vecwire_qdrant_info(). One that does not exist
 * is VECWIRE_EHTTP, 404. */
VECWIRE_API VECWIRE_NODISCARD enum vecwire_err vecwire_qdrant_collection_info(
    struct vecwire_client *client,
    const struct vecwire_qdrant_admin_request *request, vecwire_reply_cb cb,
    void *arg, vecwire_call_id *id);

enum vecwire_qdrant_status {
    VECWIRE_QDRANT_STATUS_OTHER = 0, /* one that is not known here */
    VECWIRE_QDRANT_GREEN = 1,        /* ready */
    VECWIRE_QDRANT_YELLOW = 2,       /* being optimized */
    VECWIRE_QDRANT_GREY = 3,         /* to be optimized after the next update */
    VECWIRE_QDRANT_RED = 4           /* something failed */
};

/* The most asked for of a collection's description. Counts are the server's
 * estimates. The library makes it; fields are only ever added at its end. */
struct vecwire_qdrant_collection_info {
    uint64_t points_count;
    uint64_t indexed_vectors_count;
    uint64_t segments_count;
    /* Of the unnamed vector; 0 when there is none. */
    uint64_t vector_size;
    uint32_t distance; /* enum vecwire_qdrant_distance; 0 as above, or other */
    uint32_t status;   /* enum vecwire_qdrant_status */
    bool optimizer_ok; /* else the payload tells why not */
    bool has_points_count;
    bool has_indexed_vectors_count;
    bool reserved[5];
};

/* Read it out of the reply to vecwire_qdrant_collection_info(). False: it has
 * no such row, or that lacks its status. `info` is not NULL. */
VECWIRE_API bool
vecwire_qdrant_info(const struct vecwire_reply *reply,
                    struct vecwire_qdrant_collection_info *info);

#ifdef __cplusplus
}
#endif
#endif
