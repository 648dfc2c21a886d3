/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VECWIRE_QDRANT_H
#define VECWIRE_QDRANT_H

#include <vecwire/qdrant_filter.h>
#include <vecwire/qdrant_update.h>
#include <vecwire/reply.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What only Qdrant has. Source: Qdrant's REST API, version 1.19. The verbs of
 * query.h work with Qdrant too; these are beside them, with the same
 * callbacks, replies and errors (VECWIRE_EUNSUPPORTED for a client of another
 * dialect). All calls go to the client's collection, or to that of the call's
 * options. */

enum vecwire_qdrant_ordering {
    VECWIRE_QDRANT_ORDERING_DEFAULT = 0, /* not sent: weak */
    VECWIRE_QDRANT_WEAK = 1,
    VECWIRE_QDRANT_MEDIUM = 2,
    VECWIRE_QDRANT_STRONG = 3
};

/* How many replicas a read asks: these, or any number above 0. */
enum vecwire_qdrant_consistency {
    VECWIRE_QDRANT_CONSISTENCY_DEFAULT = 0, /* not sent: 1 */
    VECWIRE_QDRANT_MAJORITY = -1,
    VECWIRE_QDRANT_QUORUM = -2,
    VECWIRE_QDRANT_ALL = -3
};

enum vecwire_qdrant_update_mode {
    VECWIRE_QDRANT_UPSERT = 0, /* not sent */
    VECWIRE_QDRANT_INSERT_ONLY = 1,
    VECWIRE_QDRANT_UPDATE_ONLY = 2
};

/* Settings of one call, in vecwire_call_options.qdrant. What a call does not
 * have is refused when it is set (VECWIRE_EINVAL). Everything is read before
 * the verb returns (an uploader copies it). Zero or NULL: not sent. Grows at
 * its end only, in steps of 8 bytes, without padding. */
struct vecwire_qdrant_params {
    size_t size;
    /* Nearly every call: where custom sharding is used. JSON text of a string,
     * a number, an array of these, or an object. */
    const char *shard_key;
    /* Reads of points: which part of the payloads, in place of with_payload.
     * JSON text: ["a.b",..], {"include":[..]} or {"exclude":[..]}. */
    const char *payload_selector;
    /* Reads of points: names of the vectors that shall come, in place of
     * with_vector. */
    const char *const *vector_names;
    size_t n_vector_names;
    /* Scroll: order by a payload key; JSON text of a string or of
     * {"key":..,"direction":..,"start_from":..}. No offset then. */
    const char *order_by;
    /* Upsert, update of vectors: rows that exist are changed only if they
     * match; as a query's filter. */
    const char *update_filter;
    int32_t consistency;  /* reads: enum vecwire_qdrant_consistency, or > 0 */
    uint32_t ordering;    /* updates: enum vecwire_qdrant_ordering */
    uint32_t update_mode; /* upsert: enum vecwire_qdrant_update_mode */
    /* The server's own limit in ms, sent in seconds rounded up. It does not
     * bound the call: see deadline_ms. */
    uint32_t timeout_ms;
    bool wait;       /* updates: answer when it is done, not when it is noted */
    bool by_columns; /* upsert: send {"batch":..}; same meaning */
    bool no_wait;    /* snapshots: do not wait, as their default is to */
    bool reserved[5];
};

#ifndef __cplusplus
#define VECWIRE_QDRANT_PARAMS(...)                                             \
    ((struct vecwire_qdrant_params){                                           \
        .size = sizeof(struct vecwire_qdrant_params), __VA_ARGS__})
#endif

static inline void
vecwire_qdrant_params_init(struct vecwire_qdrant_params *params)
{
    memset(params, 0, sizeof(*params));
    params->size = sizeof(*params);
}

/* What became of an update. */
enum vecwire_qdrant_outcome {
    VECWIRE_QDRANT_NO_UPDATE = 0,    /* the reply is none to an update */
    VECWIRE_QDRANT_ACKNOWLEDGED = 1, /* noted; what fails later is not told */
    VECWIRE_QDRANT_COMPLETED = 2,    /* done */
    /* `wait` was asked for and timeout_ms passed: still to be done, and not
     * confirmed. */
    VECWIRE_QDRANT_WAIT_TIMEOUT = 3
};

/* The outcome of update `index` of the reply, which is 0 but for several
 * operations in one request. VECWIRE_QDRANT_NO_UPDATE past the end and for
 * failures. */
VECWIRE_API enum vecwire_qdrant_outcome
vecwire_qdrant_update_outcome(const struct vecwire_reply *reply, size_t index);

/* The server's number of that update. False: it told none. `number` may be
 * NULL. */
VECWIRE_API bool
vecwire_qdrant_operation_number(const struct vecwire_reply *reply, size_t index,
                                uint64_t *number);

/* What to search for, in a query or in one of its prefetches: by vector, by
 * the vector of a point, or by any query object of Qdrant's; none of them: all
 * that prefetch or filter leave, by id. At most one. */
struct vecwire_qdrant_search {
    /* Dense, sparse, multi or an inference object; its name is not used: see
     * vector_name. */
    const struct vecwire_vector *vector;
    const char *id;         /* of a point, see vecwire_upsert_request */
    const uint64_t *number; /* the same as a number */
    /* JSON text of an object, or the same as a jansson object, not both:
     * {"recommend":..}, {"discover":..}, {"context":..}, {"order_by":..},
     * {"fusion":..}, {"rrf":..}, {"sample":..}, {"formula":..},
     * {"nearest":..,"mmr":..}. */
    const char *query;
    const struct json_t *query_tree;
    const char *vector_name; /* "using"; NULL: the unnamed vector */
    const char *filter;      /* as in vecwire_query_request */
    const struct json_t *filter_tree;
    const char *params; /* JSON text: {"hnsw_ef":..,"exact":..}; NULL: none */
    /* JSON text: {"collection":..,"vector":..}: where `id` lies. NULL: here. */
    const char *lookup_from;
    /* What this searches in; at most 64 deep. */
    const struct vecwire_qdrant_search *prefetch;
    size_t n_prefetch;
    uint32_t limit; /* rows, 0: 10; always sent */
    /* Least score, with has_score_threshold (distances: greatest). */
    float score_threshold;
    bool has_score_threshold;
    bool reserved[7];
    uint64_t reserved_more[4];
};

/* A query with all that Qdrant has; vecwire_query() is the short one. */
struct vecwire_qdrant_query_request {
    size_t size;
    struct vecwire_qdrant_search search;
    const struct vecwire_call_options *call;
    struct vecwire_refusal *refusal;
    vecwire_rows_cb on_rows; /* as in vecwire_query_request; not in a batch */
    void *rows_arg;
    uint64_t offset; /* rows left out at the front; not with groups */
    bool with_payload, with_vector;
    bool reserved[6];
};

#ifndef __cplusplus
#define VECWIRE_QDRANT_QUERY(...)                                              \
    ((struct vecwire_qdrant_query_request){                                    \
        .size = sizeof(struct vecwire_qdrant_query_request), __VA_ARGS__})
#endif

static inline void
vecwire_qdrant_query_init(struct vecwire_qdrant_query_request *query)
{
    memset(query, 0, sizeof(*query));
    query->size = sizeof(*query);
}

/* Several queries in one request; their call, refusal and on_rows are not used:
 * shard_key, payload_selector and vector_names of the batch's go for each. All
 * are of one size. */
struct vecwire_qdrant_query_batch_request {
    size_t size;
    const struct vecwire_qdrant_query_request *queries;
    size_t n; /* 0 is fine: no groups come back */
    const struct vecwire_call_options *call;
    struct vecwire_refusal *refusal; /* `row` is the query's index */
};

/* The best rows for each value of a payload key. Call options and refusal are
 * those of `query`. */
struct vecwire_qdrant_query_groups_request {
    size_t size;
    /* search.limit is the number of groups. on_rows is not offered. */
    const struct vecwire_qdrant_query_request *query;
    const char *group_by; /* required: path of a payload key */
    /* JSON text: "collection", or {"collection":..,"with_payload":..}: a row
     * of it for each group. NULL: none. */
    const char *with_lookup;
    uint32_t group_size; /* rows a group, 0: 3; always sent */
    uint32_t reserved;
};

/* How many rows have each value of a payload key. */
struct vecwire_qdrant_facet_request {
    size_t size;
    const char *key; /* required: path of an indexed payload key */
    const char *filter;
    const struct json_t *filter_tree;
    const struct vecwire_call_options *call;
    struct vecwire_refusal *refusal;
    uint32_t limit; /* values, 0: 10; always sent */
    bool exact;
    bool reserved[3];
};

#ifndef __cplusplus
#define VECWIRE_QDRANT_QUERY_BATCH(...)                                        \
    ((struct vecwire_qdrant_query_batch_request){                              \
        .size = sizeof(struct vecwire_qdrant_query_batch_request),             \
        __VA_ARGS__})
#define VECWIRE_QDRANT_QUERY_GROUPS(...)                                       \
    ((struct vecwire_qdrant_query_groups_request){                             \
        .size = sizeof(struct vecwire_qdrant_query_groups_request),            \
        __VA_ARGS__})
#define VECWIRE_QDRANT_FACET(...)                                              \
    ((struct vecwire_qdrant_facet_request){                                    \
        .size = sizeof(struct vecwire_qdrant_facet_request), __VA_ARGS__})
#endif

static inline void
vecwire_qdrant_query_batch_init(
    struct vecwire_qdrant_query_batch_request *batch)
{
    memset(batch, 0, sizeof(*batch));
    batch->size = sizeof(*batch);
}

static inline void
vecwire_qdrant_query_groups_init(
    struct vecwire_qdrant_query_groups_request *groups)
{
    memset(groups, 0, sizeof(*groups));
    groups->size = sizeof(*groups);
}

static inline void
vecwire_qdrant_facet_init(struct vecwire_qdrant_facet_request *facet)
{
    memset(facet, 0, sizeof(*facet));
    facet->size = sizeof(*facet);
}

/* A value and how many rows have it. */
struct vecwire_qdrant_facet_value {
    struct vecwire_id value; /* text; integers that fit are numbers too */
    uint64_t count;
    bool is_text; /* false: an integer, or true or false, as JSON text */
    bool reserved[7];
};

/* Search by all that Qdrant offers: rows best first, with score and version.
 * Results, callback and refusal of this and what follows are those of the verbs
 * in query.h. */
VECWIRE_API VECWIRE_NODISCARD enum vecwire_err
vecwire_qdrant_query(struct vecwire_client *client,
                     const struct vecwire_qdrant_query_request *query,
                     vecwire_reply_cb cb, void *arg, vecwire_call_id *id);

/* The rows of query i are those of vecwire_reply_group(reply, i). One bad
 * query fails all. */
VECWIRE_API VECWIRE_NODISCARD enum vecwire_err vecwire_qdrant_query_batch(
    struct vecwire_client *client,
    const struct vecwire_qdrant_query_batch_request *batch, vecwire_reply_cb cb,
    void *arg, vecwire_call_id *id);

/* vecwire_reply_group() tells the groups, best first. Rows that were looked up
 * are among the reply's rows too, and in no group. */
VECWIRE_API VECWIRE_NODISCARD enum vecwire_err vecwire_qdrant_query_groups(
    struct vecwire_client *client,
    const struct vecwire_qdrant_query_groups_request *groups,
    vecwire_reply_cb cb, void *arg, vecwire_call_id *id);

/* One point by its own path, with payload and vectors; one that does not exist
 * is VECWIRE_EHTTP, 404. Only id or number, rows (1), call and refusal of the
 * request are used. */
VECWIRE_API VECWIRE_NODISCARD enum vecwire_err
vecwire_qdrant_get_point(struct vecwire_client *client,
                         const struct vecwire_get_request *get,
                         vecwire_reply_cb cb, void *arg, vecwire_call_id *id);

/* vecwire_qdrant_facet_hits() and _at() tell the values, most rows first. */
VECWIRE_API VECWIRE_NODISCARD enum vecwire_err
vecwire_qdrant_facet(struct vecwire_client *client,
                     const struct vecwire_qdrant_facet_request *facet,
                     vecwire_reply_cb cb, void *arg, vecwire_call_id *id);

/* Number of values in the reply to a facet, 0 for others. */
VECWIRE_API size_t vecwire_qdrant_facet_hits(const struct vecwire_reply *reply);

/* Value `index`; false past the end. Its texts are the reply's. */
VECWIRE_API bool
vecwire_qdrant_facet_at(const struct vecwire_reply *reply, size_t index,
                        struct vecwire_qdrant_facet_value *hit);

#ifdef __cplusplus
}
#endif
#endif
