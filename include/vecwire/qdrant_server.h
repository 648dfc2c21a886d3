/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VECWIRE_QDRANT_SERVER_H
#define VECWIRE_QDRANT_SERVER_H

#include <vecwire/qdrant_admin.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Qdrant: indexes of payload keys, aliases, snapshots, and how the server is.
 * The verbs are as those of qdrant_admin.h; none of the writes is ever
 * repeated by the library. */

enum vecwire_qdrant_index_type {
    VECWIRE_QDRANT_INDEX_UNTYPED = 0, /* `params` says it, or it is not sent */
    VECWIRE_QDRANT_INDEX_KEYWORD = 1,
    VECWIRE_QDRANT_INDEX_INTEGER = 2,
    VECWIRE_QDRANT_INDEX_FLOAT = 3,
    VECWIRE_QDRANT_INDEX_GEO = 4,
    VECWIRE_QDRANT_INDEX_TEXT = 5,
    VECWIRE_QDRANT_INDEX_BOOL = 6,
    VECWIRE_QDRANT_INDEX_DATETIME = 7,
    VECWIRE_QDRANT_INDEX_UUID = 8
};

/* An index on a payload key, to be made or dropped. */
struct vecwire_qdrant_index_request {
    size_t size;
    const char *key; /* required: path of a payload key */
    /* Making one: members beside "type", as {"tokenizer":"word"}: JSON text of
     * an object, or a jansson object. Both NULL: none. */
    const char *params;
    const struct json_t *params_tree;
    const struct vecwire_call_options *call; /* wait, ordering, timeout_ms */
    struct vecwire_refusal *refusal;
    uint32_t type; /* making one: enum vecwire_qdrant_index_type */
    uint32_t reserved;
};

enum vecwire_qdrant_alias_action {
    VECWIRE_QDRANT_CREATE_ALIAS = 1, /* also moves one that is there */
    VECWIRE_QDRANT_DELETE_ALIAS = 2,
    VECWIRE_QDRANT_RENAME_ALIAS = 3
};

/* One change of the aliases. */
struct vecwire_qdrant_alias_change {
    const char *alias;      /* required: its name, before a change of it */
    const char *collection; /* create: what it means; NULL: the call's own */
    const char *new_alias;  /* rename: required */
    uint32_t action;        /* enum vecwire_qdrant_alias_action */
    uint32_t reserved;
};

/* Changes that happen all at once. */
struct vecwire_qdrant_aliases_request {
    size_t size;
    const struct vecwire_qdrant_alias_change *changes;
    size_t n;                                /* >= 1 */
    const struct vecwire_call_options *call; /* timeout_ms */
    struct vecwire_refusal *refusal;
};

enum vecwire_qdrant_page {
    VECWIRE_QDRANT_ROOT = 1,    /* JSON: title and version; needs no key */
    VECWIRE_QDRANT_HEALTHZ = 2, /* plain text; needs no key, as the next two */
    VECWIRE_QDRANT_LIVEZ = 3,
    VECWIRE_QDRANT_READYZ = 4,   /* 503 (VECWIRE_EHTTP) while it is not ready */
    VECWIRE_QDRANT_METRICS = 5,  /* Prometheus's text */
    VECWIRE_QDRANT_TELEMETRY = 6 /* JSON */
};

/* A page about the server. */
struct vecwire_qdrant_page_request {
    size_t size;
    const struct vecwire_call_options
        *call; /* metrics, telemetry: timeout_ms */
    struct vecwire_refusal *refusal;
    uint32_t page;          /* required: enum vecwire_qdrant_page */
    uint32_t details_level; /* telemetry; 0: not sent */
    bool anonymize;         /* metrics, telemetry */
    bool per_collection;    /* metrics, telemetry */
    bool reserved[6];
};

#ifndef __cplusplus
#define VECWIRE_QDRANT_INDEX(...)                                              \
    ((struct vecwire_qdrant_index_request){                                    \
        .size = sizeof(struct vecwire_qdrant_index_request), __VA_ARGS__})
#define VECWIRE_QDRANT_ALIASES(...)                                            \
    ((struct vecwire_qdrant_aliases_request){                                  \
        .size = sizeof(struct vecwire_qdrant_aliases_request), __VA_ARGS__})
#define VECWIRE_QDRANT_PAGE(...)                                               \
    ((struct vecwire_qdrant_page_request){                                     \
        .size = sizeof(struct vecwire_qdrant_page_request), __VA_ARGS__})
#endif

/* The same for C++: zero but for the size. */
static inline void
vecwire_qdrant_index_init(struct vecwire_qdrant_index_request *index)
{
    memset(index, 0, sizeof(*index));
    index->size = sizeof(*index);
}

static inline void
vecwire_qdrant_aliases_init(struct vecwire_qdrant_aliases_request *aliases)
{
    memset(aliases, 0, sizeof(*aliases));
    aliases->size = sizeof(*aliases);
}

static inline void
vecwire_qdrant_page_init(struct vecwire_qdrant_page_request *page)
{
    memset(page, 0, sizeof(*page));
    page->size = sizeof(*page);
}

/* Make an index: vecwire_qdrant_update_outcome() tells how far it is. */
VECWIRE_API VECWIRE_NODISCARD enum vecwire_err
vecwire_qdrant_create_index(struct vecwire_client *client,
                            const struct vecwire_qdrant_index_request *index,
                            vecwire_reply_cb cb, void *arg,
                            vecwire_call_id *id);

/* Drop the index of a key, told the same way. type and params are not used. */
VECWIRE_API VECWIRE_NODISCARD enum vecwire_err
vecwire_qdrant_delete_index(struct vecwire_client *client,
                            const struct vecwire_qdrant_index_request *index,
                            vecwire_reply_cb cb, void *arg,
                            vecwire_call_id *id);

/* Change aliases: vecwire_reply_total() is 1. An alias that is a collection's
 * name is VECWIRE_EHTTP, 409. */
VECWIRE_API VECWIRE_NODISCARD enum vecwire_err vecwire_qdrant_update_aliases(
    struct vecwire_client *client,
    const struct vecwire_qdrant_aliases_request *aliases, vecwire_reply_cb cb,
    void *arg, vecwire_call_id *id);

/* All aliases, a row each: its id's text is the alias, its text the
 * collection. */
VECWIRE_API VECWIRE_NODISCARD enum vecwire_err
vecwire_qdrant_list_aliases(struct vecwire_client *client,
                            const struct vecwire_qdrant_admin_request *request,
                            vecwire_reply_cb cb, void *arg,
                            vecwire_call_id *id);

/* The aliases of the collection, told the same way. */
VECWIRE_API VECWIRE_NODISCARD enum vecwire_err
vecwire_qdrant_collection_aliases(
    struct vecwire_client *client,
    const struct vecwire_qdrant_admin_request *request, vecwire_reply_cb cb,
    void *arg, vecwire_call_id *id);

/* Snapshots of the collection: vecwire_qdrant_snapshot_at() tells them. */
VECWIRE_API VECWIRE_NODISCARD enum vecwire_err vecwire_qdrant_list_snapshots(
    struct vecwire_client *client,
    const struct vecwire_qdrant_admin_request *request, vecwire_reply_cb cb,
    void *arg, vecwire_call_id *id);

/* Make one: it is snapshot 0 of the reply. With no_wait in the call's params
 * the server only says that it will (status 202), and there is none. */
VECWIRE_API VECWIRE_NODISCARD enum vecwire_err vecwire_qdrant_create_snapshot(
    struct vecwire_client *client,
    const struct vecwire_qdrant_admin_request *request, vecwire_reply_cb cb,
    void *arg, vecwire_call_id *id);

/* A snapshot. Its texts are the reply's. The library makes it; fields are only
 * ever added at its end. */
struct vecwire_qdrant_snapshot {
    const char *name;
    const char *creation_time; /* "2024-07-22T08:31:55"; NULL: not known */
    const char *checksum;      /* SHA-256 in hexadecimal; NULL: not known */
    uint64_t size;             /* bytes */
};

/* Snapshot `index` of the reply; false past the end. As many as
 * vecwire_reply_count() says. `snapshot` is not NULL. */
VECWIRE_API bool
vecwire_qdrant_snapshot_at(const struct vecwire_reply *reply, size_t index,
                           struct vecwire_qdrant_snapshot *snapshot);

/* Get a page: vecwire_reply_body() is its text, as it came. It is repeated as
 * other reads are, so that a server that is not ready is asked again: with
 * no_retry in the call options it is asked once. */
VECWIRE_API VECWIRE_NODISCARD enum vecwire_err
vecwire_qdrant_page(struct vecwire_client *client,
                    const struct vecwire_qdrant_page_request *page,
                    vecwire_reply_cb cb, void *arg, vecwire_call_id *id);

#ifdef __cplusplus
}
#endif
#endif
