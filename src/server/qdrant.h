/* SPDX-License-Identifier: Apache-2.0 */
/* Qdrant's half of the server: its collections, and what one request of it
 * is while it is being answered. */
#ifndef VECWIRE_SERVER_QDRANT_H
#define VECWIRE_SERVER_QDRANT_H

#include "codec/buf.h"
#include "server/collection.h"
#include "server/dot.h"
#include "server/fault.h"
#include "server/json_view.h"

#define VECWIRE__QDRANT_VERSION "1.19.0"
#define VECWIRE__QDRANT_BODY_MAX ((size_t)32 << 20)
#define VECWIRE__QDRANT_COLLECTIONS 1024
#define VECWIRE__QDRANT_ALIASES 1024
#define VECWIRE__QDRANT_SEGMENTS 6 /* of a path */

struct evhttp_request;

struct vecwire__alias {
    char *name;
    char *target; /* a collection's name */
};

struct vecwire__qdrant {
    vecwire__dot dot;
    struct vecwire__collection **collections;
    size_t n_collections, cap_collections;
    struct vecwire__alias *aliases;
    size_t n_aliases, cap_aliases;
    uint64_t random; /* state of the stream for samples */
};

/* A request. What it answers goes into `reply`, behind the envelope's
 * beginning. */
struct vecwire__qdrant_call {
    struct vecwire__qdrant *qdrant;
    struct evhttp_request *req;
    struct vecwire__collection *collection; /* of the path; NULL: none */
    const char *name;                       /* of the path's collection */
    const char *item;                       /* of the path's second wildcard */
    struct vecwire__view body;              /* at NULL: none */
    struct vecwire__buf *reply;
    struct vecwire__fault fault;
    const char *type; /* of content, when it is no envelope; else NULL */
    bool wait;        /* the query's */
};

/* Answer: true with the result in `reply`, or false with a fault. */
typedef bool (*vecwire__qdrant_handler)(struct vecwire__qdrant_call *call);

void vecwire__qdrant_init(struct vecwire__qdrant *qdrant, vecwire__dot dot);
void vecwire__qdrant_fini(struct vecwire__qdrant *qdrant);

/* By name, or also by alias. NULL: not there. */
struct vecwire__collection *
vecwire__qdrant_named(const struct vecwire__qdrant *qdrant, const char *name);
struct vecwire__collection *
vecwire__qdrant_find(const struct vecwire__qdrant *qdrant, const char *name);

/* By name or alias, or a fault of 404. */
struct vecwire__collection *
vecwire__qdrant_get(const struct vecwire__qdrant *qdrant, const char *name,
                    struct vecwire__fault *fault);

/* Take it over. False: no memory. */
bool vecwire__qdrant_add(struct vecwire__qdrant *qdrant,
                         struct vecwire__collection *collection);

/* Remove it and its aliases. */
void vecwire__qdrant_drop(struct vecwire__qdrant *qdrant,
                          struct vecwire__collection *collection);

/* Put or move an alias; both names are copied. False: no memory. */
bool vecwire__qdrant_alias(struct vecwire__qdrant *qdrant, const char *name,
                           const char *target);

/* False: no such alias. */
bool vecwire__qdrant_unalias(struct vecwire__qdrant *qdrant, const char *name);

/* The target, or NULL. */
const char *vecwire__qdrant_alias_target(const struct vecwire__qdrant *qdrant,
                                         const char *name);

/* Collection "demo" with the rows of HMS's seeds. False: no memory. */
bool vecwire__qdrant_seed(struct vecwire__qdrant *qdrant, size_t dim,
                          size_t n_rows, size_t text_bytes);

/* Set a fault, false. */
__attribute__((format(printf, 3, 4))) bool
vecwire__qdrant_fail(struct vecwire__qdrant_call *call, int status,
                     const char *format, ...);

/* `done`, or a fault of memory and false. */
bool vecwire__qdrant_wrote(struct vecwire__qdrant_call *call, bool done);

/* Find members of the body; false: one stands twice. */
bool vecwire__qdrant_members(struct vecwire__fault *fault,
                             struct vecwire__view object,
                             const struct vecwire__view_want *wants,
                             size_t n_wants);

/* A limit or offset: `*number` stays when it is absent. False: it is no
 * integer (400) or below `least` (422). */
bool vecwire__qdrant_size(struct vecwire__fault *fault, const char *name,
                          struct vecwire__view value, size_t least,
                          size_t *number);

/* A boolean; `*flag` stays when it is absent. */
bool vecwire__qdrant_flag(struct vecwire__fault *fault, const char *name,
                          struct vecwire__view value, bool *flag);

/* A string, appended with a NUL behind it; text_at is set. */
bool vecwire__qdrant_text(struct vecwire__fault *fault, const char *name,
                          struct vecwire__view value, struct vecwire__buf *buf);

/* An id of a point. */
bool vecwire__qdrant_take_id(struct vecwire__fault *fault,
                             struct vecwire__view value,
                             struct vecwire__point_id *id);

/* A tree; NULL with a fault, or NULL for what is absent. */
bool vecwire__qdrant_tree(struct vecwire__fault *fault,
                          struct vecwire__view value, json_t **tree);

/* {"operation_id":..,"status":..} */
bool vecwire__qdrant_updated(struct vecwire__qdrant_call *call);

/* Answer any request under Qdrant's paths; `path` may have a query. */
struct vecwire__server;
void vecwire__qdrant_answer(struct vecwire__server *server,
                            struct evhttp_request *req, const char *path);

/* Is it a path of Qdrant's? And one that needs no key? */
bool vecwire__qdrant_owns(const char *path);
bool vecwire__qdrant_is_open(const char *path);

#endif
