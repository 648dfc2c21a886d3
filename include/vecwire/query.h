/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VECWIRE_QUERY_H
#define VECWIRE_QUERY_H

#include <vecwire/client.h>

#ifdef __cplusplus
extern "C" {
#endif

struct json_t;        /* jansson's; borrowed, its counter is not touched */
struct vecwire_reply; /* see reply.h */

/* The completion of every verb. `reply` is never NULL and dies when the
 * callback returns, unless kept by vecwire_reply_keep(). Any function may be
 * called from it, vecwire_client_free() included. */
typedef void (*vecwire_reply_cb)(const struct vecwire_reply *reply, void *arg);

/* What a rows callback wants next. */
enum vecwire_rows_action {
    VECWIRE_CONTINUE = 0,
    VECWIRE_PAUSE = 1 /* no rows until vecwire_resume() */
};

/* Rows of a reply that has not ended. Runs any number of times from the loop,
 * before the completion, and for 2xx replies only. Each row is whole and
 * valid; that none is missing is said by the completion. `rows` has the new
 * rows, best first and behind those of earlier runs, the call's id and the
 * status, and nothing else. It dies when this returns and cannot be kept. A
 * call whose rows went out is never repeated by the library.
 *
 * After VECWIRE_PAUSE the call's connection is not read, which holds its
 * server up, and its deadline stands still; cancel, close and free end it as
 * ever. Any function may be called from here, vecwire_client_free()
 * included. */
typedef enum vecwire_rows_action (*vecwire_rows_cb)(
    const struct vecwire_reply *rows, void *arg);

/* One vector of a row, in requests and in replies. Dense: dim floats. Multi:
 * rows x dim floats, C order. Sparse: dim values at as many indices, none
 * twice (any order in requests; Qdrant answers in ascending order). */
struct vecwire_vector {
    const char *name; /* NULL: the row's one unnamed vector */
    const float *values;
    const uint32_t *indices; /* sparse; NULL: dense or multi */
    size_t dim;
    size_t rows; /* multi: >= 1; 0: dense or sparse */
    /* Requests only, in place of values: JSON text of an object that a server
     * with a model makes a vector of, as {"text":..,"model":..}. */
    const char *inference;
};

/* The vectors of one row. */
struct vecwire_vectors {
    const struct vecwire_vector *list; /* NULL with n 0: a row without any */
    size_t n;
};

/* Requests. In all of them: `size` comes from the macro or the init
 * function; zero or NULL is the default; all they point at is read before
 * the verb returns and stays the caller's; `call` (NULL: the client's
 * settings) and `refusal` (NULL: not wanted) may stand in every one. They
 * grow at the end only, in steps of 8 bytes, without padding. */

/* Search by vector, by text, or by both. */
struct vecwire_query_request {
    size_t size;
    /* dim floats, none NaN or infinite. NULL with dim 0: by text alone. Both
     * dialects: at most 65536. */
    const float *vector;
    size_t dim;
    /* Keep only what matches: JSON text of one object, NUL-terminated, or
     * the same as a jansson object; not both. NULL, NULL: everything. */
    const char *filter;
    const struct json_t *filter_tree;
    const struct vecwire_call_options *call;
    struct vecwire_refusal *refusal;
    uint32_t top_k; /* 0: 10; always sent. HMS: at most 100 */
    uint32_t reserved;
    /* UTF-8, for servers with a model: HMS scores by fused ranks then, and
     * answers 422 where it has none. NULL: by vector alone. Qdrant:
     * VECWIRE_EUNSUPPORTED, see vecwire_vector.inference. */
    const char *text;
    /* HMS: the date that the server shall take for today, UTF-8, sent as it
     * is beside `text`. NULL: not sent. */
    const char *today;
    /* Hand rows out as they come, with `rows_arg`. NULL: all of them come
     * with the completion, whose reply otherwise has none. */
    vecwire_rows_cb on_rows;
    void *rows_arg;
    /* Name of the vector that is searched. NULL: the unnamed one. HMS: NULL. */
    const char *vector_name;
    /* Have rows come with their payloads (HMS: they do anyhow) and vectors
     * (HMS: VECWIRE_EUNSUPPORTED). */
    bool with_payload, with_vector;
    bool reserved_with[6];
};

/* Insert rows, or replace those whose ids exist. By column. */
struct vecwire_upsert_request {
    size_t size;
    /* rows x dim, C order, none NaN or infinite. NULL with dim 0: rows
     * without vectors. HMS: for servers that make them from the texts; each
     * row needs a text then. */
    const float *matrix;
    size_t rows; /* >= 1. HMS: at most 1000; Qdrant: 32 MiB a request */
    size_t dim;
    /* One UTF-8 text a row. HMS: 1 to 256 bytes, no control characters.
     * Qdrant: a number 0 to 2^64-1 in decimal digits, or a UUID (hyphenated,
     * simple, urn:uuid: or in braces, any case); or `numbers`. */
    const char *const *ids;
    /* One UTF-8 text a row; NULL, or NULL in it: none. Qdrant has none beside
     * the payload: NULL. */
    const char *const *texts;
    /* Payloads (HMS: metadata): JSON text of one object a row, or a jansson
     * object a row; not both. NULL, and NULL entries: none. */
    const char *const *payloads;
    const struct json_t *const *payload_trees;
    const struct vecwire_call_options *call;
    struct vecwire_refusal *refusal;
    /* Ids as numbers, in place of `ids`. HMS: NULL. */
    const uint64_t *numbers;
    /* Vectors of any kind, one list a row, in place of matrix and dim. HMS:
     * NULL. */
    const struct vecwire_vectors *vectors;
    /* Name of the vectors in `matrix`. NULL: unnamed. HMS: NULL. */
    const char *vector_name;
};

/* Delete rows: by id, or all that match a filter. An id that does not exist is
 * no error. */
struct vecwire_delete_request {
    size_t size;
    const char *const *ids; /* one UTF-8 text a row, see the upsert */
    size_t rows;            /* >= 1, 0 with a filter. HMS: exactly 1 a call */
    const struct vecwire_call_options *call;
    struct vecwire_refusal *refusal;
    const uint64_t *numbers; /* in place of `ids`. HMS: NULL */
    /* In place of ids: as of a query. One that matches everything, `{}`, is
     * refused unless `everything` is set. HMS: NULL. */
    const char *filter;
    const struct json_t *filter_tree;
    bool everything; /* yes, all rows shall go; no filter need be given */
    bool reserved[7];
};

/* Rows by id, in the order of the ids; those that do not exist are left out,
 * doubled ones come once. Not HMS. */
struct vecwire_get_request {
    size_t size;
    const char *const *ids;  /* one UTF-8 text a row, see the upsert */
    const uint64_t *numbers; /* in place of `ids` */
    size_t rows;             /* >= 1 */
    const struct vecwire_call_options *call;
    struct vecwire_refusal *refusal;
    vecwire_rows_cb on_rows; /* as in a query */
    void *rows_arg;
    bool with_payload, with_vector;
    bool reserved[6];
};

/* One page of a collection, in the order of ids. A scroller (scroller.h) goes
 * through all pages. Not HMS. */
struct vecwire_scroll_request {
    size_t size;
    /* Id of the first row: vecwire_reply_next_offset() of the page before.
     * NULL: from the beginning. */
    const char *offset;
    const char *filter; /* as in a query */
    const struct json_t *filter_tree;
    const struct vecwire_call_options *call;
    struct vecwire_refusal *refusal;
    vecwire_rows_cb on_rows; /* as in a query */
    void *rows_arg;
    uint32_t limit; /* rows a page, 0: 10; always sent */
    bool with_payload, with_vector;
    bool reserved[2];
};

/* How many rows there are, or match: vecwire_reply_total(). Not HMS. */
struct vecwire_count_request {
    size_t size;
    const char *filter; /* as in a query */
    const struct json_t *filter_tree;
    const struct vecwire_call_options *call;
    struct vecwire_refusal *refusal;
    bool approximate; /* an estimate will do */
    bool reserved[7];
};

/* Any request. Any status below 300 is success, others are VECWIRE_EHTTP;
 * the body is in the reply in both cases. */
struct vecwire_raw_request {
    size_t size;
    /* GET HEAD POST PUT PATCH DELETE or OPTIONS. NULL: GET. */
    const char *method;
    /* Begins with '/', bytes 0x21 to 0x7e; behind the URL's prefix. */
    const char *path;
    const void *body; /* NULL: none */
    size_t body_len;
    const char *content_type; /* NULL: "application/json", with a body */
    const struct vecwire_call_options *call;
    struct vecwire_refusal *refusal;
};

#ifndef __cplusplus
#define VECWIRE_QUERY(...)                                                     \
    ((struct vecwire_query_request){                                           \
        .size = sizeof(struct vecwire_query_request), __VA_ARGS__})
#define VECWIRE_UPSERT(...)                                                    \
    ((struct vecwire_upsert_request){                                          \
        .size = sizeof(struct vecwire_upsert_request), __VA_ARGS__})
#define VECWIRE_DELETE(...)                                                    \
    ((struct vecwire_delete_request){                                          \
        .size = sizeof(struct vecwire_delete_request), __VA_ARGS__})
#define VECWIRE_GET(...)                                                       \
    ((struct vecwire_get_request){.size = sizeof(struct vecwire_get_request),  \
                                  __VA_ARGS__})
#define VECWIRE_SCROLL(...)                                                    \
    ((struct vecwire_scroll_request){                                          \
        .size = sizeof(struct vecwire_scroll_request), __VA_ARGS__})
#define VECWIRE_COUNT(...)                                                     \
    ((struct vecwire_count_request){                                           \
        .size = sizeof(struct vecwire_count_request), __VA_ARGS__})
#define VECWIRE_RAW(...)                                                       \
    ((struct vecwire_raw_request){.size = sizeof(struct vecwire_raw_request),  \
                                  __VA_ARGS__})
#endif

/* The same for C++: zero but for the size. */
static inline void
vecwire_query_init(struct vecwire_query_request *query)
{
    memset(query, 0, sizeof(*query));
    query->size = sizeof(*query);
}

static inline void
vecwire_upsert_init(struct vecwire_upsert_request *upsert)
{
    memset(upsert, 0, sizeof(*upsert));
    upsert->size = sizeof(*upsert);
}

static inline void
vecwire_delete_init(struct vecwire_delete_request *del)
{
    memset(del, 0, sizeof(*del));
    del->size = sizeof(*del);
}

static inline void
vecwire_get_init(struct vecwire_get_request *get)
{
    memset(get, 0, sizeof(*get));
    get->size = sizeof(*get);
}

static inline void
vecwire_scroll_init(struct vecwire_scroll_request *scroll)
{
    memset(scroll, 0, sizeof(*scroll));
    scroll->size = sizeof(*scroll);
}

static inline void
vecwire_count_init(struct vecwire_count_request *count)
{
    memset(count, 0, sizeof(*count));
    count->size = sizeof(*count);
}

static inline void
vecwire_raw_init(struct vecwire_raw_request *raw)
{
    memset(raw, 0, sizeof(*raw));
    raw->size = sizeof(*raw);
}

/**
 * The verbs. Each is one request, encoded and, where a connection is free,
 * written before it returns.
 *
 * VECWIRE_OK: `cb` (may be NULL) runs exactly once with `arg`, never before
 * this returns: from the loop, or inside vecwire_client_free(). *id (may be
 * NULL) names the call for vecwire_cancel().
 * Anything else: `cb` never runs, *id is 0, nothing was sent, and
 * request->refusal says why: VECWIRE_EINVAL (an argument; row and coordinate
 * named), VECWIRE_ETOOBIG (over a limit of the dialect, named),
 * VECWIRE_EUNSUPPORTED (the dialect lacks it), VECWIRE_EFULL (too many calls
 * or bytes wait, or too many canceled calls for their callback),
 * VECWIRE_ECLOSED (the client was closed, or is the parent process's),
 * VECWIRE_ENOMEM.
 */
VECWIRE_API VECWIRE_NODISCARD enum vecwire_err
vecwire_query(struct vecwire_client *client,
              const struct vecwire_query_request *query, vecwire_reply_cb cb,
              void *arg, vecwire_call_id *id);

/**
 * Have a paused call go on, from the loop. Inside its own rows callback: do
 * not pause it, whatever that returns. False: no such call is paused
 * (running, finished, unknown or 0); nothing happens. A NULL client gives
 * false.
 */
VECWIRE_API bool vecwire_resume(struct vecwire_client *client,
                                vecwire_call_id id);

/* The reply's vecwire_reply_affected() is the number of rows stored. Qdrant
 * does not tell: it is the number of rows sent, noted or stored as
 * vecwire_qdrant_update_outcome() says, and 0 where that is a time-out. A
 * server that is too old to take several rows answers such a call with 404;
 * later ones are refused with VECWIRE_EUNSUPPORTED. An uploader (uploader.h)
 * sends that server one row a request. */
VECWIRE_API VECWIRE_NODISCARD enum vecwire_err
vecwire_upsert(struct vecwire_client *client,
               const struct vecwire_upsert_request *upsert, vecwire_reply_cb cb,
               void *arg, vecwire_call_id *id);

/* HMS: the reply's vecwire_reply_affected() is the number of rows deleted; an
 * unknown id is success with 0 (the status is then 404). Qdrant does not tell:
 * it is the number of ids, 0 for a filter. */
VECWIRE_API VECWIRE_NODISCARD enum vecwire_err
vecwire_delete(struct vecwire_client *client,
               const struct vecwire_delete_request *del, vecwire_reply_cb cb,
               void *arg, vecwire_call_id *id);

/* Rows by id: those that exist, with the payload and the vectors that were
 * asked for. Missing ones are no error. HMS: VECWIRE_EUNSUPPORTED. */
VECWIRE_API VECWIRE_NODISCARD enum vecwire_err
vecwire_get(struct vecwire_client *client,
            const struct vecwire_get_request *get, vecwire_reply_cb cb,
            void *arg, vecwire_call_id *id);

/* A page of rows. vecwire_reply_next_offset() tells where the next begins. HMS:
 * VECWIRE_EUNSUPPORTED. */
VECWIRE_API VECWIRE_NODISCARD enum vecwire_err
vecwire_scroll(struct vecwire_client *client,
               const struct vecwire_scroll_request *scroll, vecwire_reply_cb cb,
               void *arg, vecwire_call_id *id);

/* The number of rows: vecwire_reply_total(). HMS: VECWIRE_EUNSUPPORTED. */
VECWIRE_API VECWIRE_NODISCARD enum vecwire_err
vecwire_count(struct vecwire_client *client,
              const struct vecwire_count_request *count, vecwire_reply_cb cb,
              void *arg, vecwire_call_id *id);

/* The reply's status, headers and vecwire_reply_body() are the server's,
 * whatever it said; a path is checked, not encoded. */
VECWIRE_API VECWIRE_NODISCARD enum vecwire_err
vecwire_raw(struct vecwire_client *client,
            const struct vecwire_raw_request *raw, vecwire_reply_cb cb,
            void *arg, vecwire_call_id *id);

#ifdef __cplusplus
}
#endif
#endif
