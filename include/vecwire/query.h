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

/* Requests. In all of them: `size` comes from the macro or the init
 * function; zero or NULL is the default; all they point at is read before
 * the verb returns and stays the caller's; `call` (NULL: the client's
 * settings) and `refusal` (NULL: not wanted) may stand in every one. They
 * grow at the end only, in steps of 8 bytes, without padding. */

/* Search by vector, by text, or by both. */
struct vecwire_query_request {
    size_t size;
    /* dim floats, none NaN or infinite. NULL with dim 0: by text alone. */
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
     * answers 422 where it has none. NULL: by vector alone. */
    const char *text;
    /* HMS: the date that the server shall take for today, UTF-8, sent as it
     * is beside `text`. NULL: not sent. */
    const char *today;
    /* Hand rows out as they come, with `rows_arg`. NULL: all of them come
     * with the completion, whose reply otherwise has none. */
    vecwire_rows_cb on_rows;
    void *rows_arg;
};

/* Insert rows, or replace those whose ids exist. By column. */
struct vecwire_upsert_request {
    size_t size;
    /* rows x dim, C order, none NaN or infinite. NULL with dim 0: rows
     * without vectors, for servers that make them from the texts (HMS with an
     * embedder); each row needs a text then. */
    const float *matrix;
    size_t rows; /* >= 1. HMS: at most 1000 */
    size_t dim;
    /* One UTF-8 text a row. HMS: 1 to 256 bytes, no control characters. */
    const char *const *ids;
    const char *const *texts; /* one UTF-8 text a row; NULL, or NULL in it:
                               * none */
    /* Payloads (HMS: metadata): JSON text of one object a row, or a jansson
     * object a row; not both. NULL, and NULL entries: none. */
    const char *const *payloads;
    const struct json_t *const *payload_trees;
    const struct vecwire_call_options *call;
    struct vecwire_refusal *refusal;
};

/* Delete rows by id. An id that does not exist is no error. */
struct vecwire_delete_request {
    size_t size;
    const char *const *ids; /* one UTF-8 text a row */
    size_t rows;            /* >= 1. HMS: exactly 1 a call */
    const struct vecwire_call_options *call;
    struct vecwire_refusal *refusal;
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

/* The reply's vecwire_reply_affected() is the number of rows stored. A server
 * that is too old to take several rows answers such a call with 404; later
 * ones are refused with VECWIRE_EUNSUPPORTED. An uploader (uploader.h) sends
 * that server one row a request. */
VECWIRE_API VECWIRE_NODISCARD enum vecwire_err
vecwire_upsert(struct vecwire_client *client,
               const struct vecwire_upsert_request *upsert, vecwire_reply_cb cb,
               void *arg, vecwire_call_id *id);

/* The reply's vecwire_reply_affected() is the number of rows deleted; an
 * unknown id is success with 0 (HMS: the status is then 404). */
VECWIRE_API VECWIRE_NODISCARD enum vecwire_err
vecwire_delete(struct vecwire_client *client,
               const struct vecwire_delete_request *del, vecwire_reply_cb cb,
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
