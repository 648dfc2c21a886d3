/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VECWIRE_QDRANT_UPDATE_H
#define VECWIRE_QDRANT_UPDATE_H

#include <vecwire/reply.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Updates that only Qdrant has; vecwire_upsert() and vecwire_delete() are in
 * query.h. All may be sent twice with the same result. Their replies tell
 * vecwire_qdrant_update_outcome(). */

/* Which points: by id, or all that match a filter. One of the ways. */
struct vecwire_qdrant_points {
    const char *const *ids;  /* one UTF-8 text a point, see the upsert */
    const uint64_t *numbers; /* ids as numbers */
    size_t n;                /* of ids or numbers */
    /* As in a query. One that matches everything, or cannot be looked into, is
     * refused unless `everything` is set. */
    const char *filter;
    const struct json_t *filter_tree;
    bool everything; /* all points; no filter need be given */
    bool reserved[7];
};

enum vecwire_qdrant_payload_change {
    VECWIRE_QDRANT_SET_PAYLOAD = 1, /* merge: keys that are given change */
    VECWIRE_QDRANT_OVERWRITE_PAYLOAD = 2, /* in place of the whole payload */
    VECWIRE_QDRANT_DELETE_PAYLOAD = 3,    /* of `keys` */
    VECWIRE_QDRANT_CLEAR_PAYLOAD = 4
};

/* Change payloads. */
struct vecwire_qdrant_payload_request {
    size_t size;
    struct vecwire_qdrant_points points;
    /* Set, overwrite: JSON text of one object, or the same as a jansson
     * object; not both. */
    const char *payload;
    const struct json_t *payload_tree;
    /* Set, overwrite: inside this path of the payload. NULL: the whole. */
    const char *key;
    /* Delete: paths, >= 1. */
    const char *const *keys;
    size_t n_keys;
    const struct vecwire_call_options *call;
    struct vecwire_refusal *refusal;
    uint32_t change; /* enum vecwire_qdrant_payload_change */
    uint32_t reserved;
};

/* Delete vectors of points, which stay. */
struct vecwire_qdrant_delete_vectors_request {
    size_t size;
    struct vecwire_qdrant_points points;
    const char *const *names; /* >= 1; "" is the unnamed vector */
    size_t n_names;
    const struct vecwire_call_options *call;
    struct vecwire_refusal *refusal;
};

/* One operation: exactly one of these. Of their call options only the `qdrant`
 * params count: shard_key (NULL: that of the whole), update_filter, update_mode
 * and by_columns; others are refused when set. Their refusals are not used. */
struct vecwire_qdrant_operation {
    const struct vecwire_upsert_request *upsert;
    const struct vecwire_delete_request *del;
    const struct vecwire_qdrant_payload_request *payload;
    const struct vecwire_upsert_request *update_vectors;
    const struct vecwire_qdrant_delete_vectors_request *delete_vectors;
};

/* Operations in one request, done in order. Not atomic: the first that fails
 * ends it, and those before it stay done. So whatever goes wrong once the
 * server has begun to answer has error->outcome_unknown set. */
struct vecwire_qdrant_operations_request {
    size_t size;
    const struct vecwire_qdrant_operation *list;
    size_t n; /* 0 is fine */
    const struct vecwire_call_options *call;
    struct vecwire_refusal *refusal; /* `row` is the operation's index */
};

#ifndef __cplusplus
#define VECWIRE_QDRANT_PAYLOAD(...)                                            \
    ((struct vecwire_qdrant_payload_request){                                  \
        .size = sizeof(struct vecwire_qdrant_payload_request), __VA_ARGS__})
#define VECWIRE_QDRANT_DELETE_VECTORS(...)                                     \
    ((struct vecwire_qdrant_delete_vectors_request){                           \
        .size = sizeof(struct vecwire_qdrant_delete_vectors_request),          \
        __VA_ARGS__})
#define VECWIRE_QDRANT_OPERATIONS(...)                                         \
    ((struct vecwire_qdrant_operations_request){                               \
        .size = sizeof(struct vecwire_qdrant_operations_request),              \
        __VA_ARGS__})
#endif

static inline void
vecwire_qdrant_payload_init(struct vecwire_qdrant_payload_request *request)
{
    memset(request, 0, sizeof(*request));
    request->size = sizeof(*request);
}

static inline void
vecwire_qdrant_delete_vectors_init(
    struct vecwire_qdrant_delete_vectors_request *request)
{
    memset(request, 0, sizeof(*request));
    request->size = sizeof(*request);
}

static inline void
vecwire_qdrant_operations_init(
    struct vecwire_qdrant_operations_request *request)
{
    memset(request, 0, sizeof(*request));
    request->size = sizeof(*request);
}

/* Set, overwrite, delete or clear payloads. Results, callback and refusal of
 * this and what follows are those of the verbs in query.h. */
VECWIRE_API VECWIRE_NODISCARD enum vecwire_err vecwire_qdrant_change_payload(
    struct vecwire_client *client,
    const struct vecwire_qdrant_payload_request *request, vecwire_reply_cb cb,
    void *arg, vecwire_call_id *id);

/* Replace vectors of points that exist (404 otherwise); vectors that are not
 * named stay. Payloads and texts of the request are refused. */
VECWIRE_API VECWIRE_NODISCARD enum vecwire_err vecwire_qdrant_update_vectors(
    struct vecwire_client *client, const struct vecwire_upsert_request *request,
    vecwire_reply_cb cb, void *arg, vecwire_call_id *id);

/* Delete vectors by name. */
VECWIRE_API VECWIRE_NODISCARD enum vecwire_err vecwire_qdrant_delete_vectors(
    struct vecwire_client *client,
    const struct vecwire_qdrant_delete_vectors_request *request,
    vecwire_reply_cb cb, void *arg, vecwire_call_id *id);

/* Several operations. vecwire_qdrant_update_outcome(reply, i) is that of
 * operation i. */
VECWIRE_API VECWIRE_NODISCARD enum vecwire_err vecwire_qdrant_update_points(
    struct vecwire_client *client,
    const struct vecwire_qdrant_operations_request *request,
    vecwire_reply_cb cb, void *arg, vecwire_call_id *id);

#ifdef __cplusplus
}
#endif
#endif
