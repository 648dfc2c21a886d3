/* SPDX-License-Identifier: Apache-2.0 */
/* Qdrant: what its encoders share. Source: Qdrant's REST API, version 1.19.
 *
 * An encoder begins a request, writes its members and ends it. The first
 * failure stays in the writer, and what follows writes nothing. */
#ifndef VECWIRE_DIALECT_QDRANT_H
#define VECWIRE_DIALECT_QDRANT_H

#include <vecwire/qdrant.h>

#include "dialect/dialect.h"

/* Limits of the server; a request over one of them would be refused there
 * after it was sent. */
#define VECWIRE__QDRANT_MAX_BODY ((size_t)32 << 20)
#define VECWIRE__QDRANT_MAX_DIM ((size_t)65536)
#define VECWIRE__QDRANT_MAX_MULTI ((size_t)1 << 20) /* floats, exclusive */
#define VECWIRE__QDRANT_MAX_NAME 255 /* characters of a collection's name */
#define VECWIRE__QDRANT_MAX_VECTOR_NAME 200 /* bytes */

/* What of struct vecwire_qdrant_params a call has. */
enum vecwire__qdrant_takes {
    VECWIRE__QDRANT_WAIT = 1 << 0,
    VECWIRE__QDRANT_ORDERING = 1 << 1,
    VECWIRE__QDRANT_TIMEOUT = 1 << 2,
    VECWIRE__QDRANT_CONSISTENCY = 1 << 3,
    VECWIRE__QDRANT_SHARD_KEY = 1 << 4,
    VECWIRE__QDRANT_SELECTORS = 1 << 5, /* payload_selector, vector_names */
    VECWIRE__QDRANT_ORDER_BY = 1 << 6,
    VECWIRE__QDRANT_UPDATE_FILTER = 1 << 7,
    VECWIRE__QDRANT_UPDATE_MODE = 1 << 8,
    VECWIRE__QDRANT_BY_COLUMNS = 1 << 9,
    VECWIRE__QDRANT_NO_WAIT = 1 << 10,
    /* Reads of points; updates of points. */
    VECWIRE__QDRANT_READ = VECWIRE__QDRANT_CONSISTENCY |
                           VECWIRE__QDRANT_TIMEOUT | VECWIRE__QDRANT_SHARD_KEY,
    VECWIRE__QDRANT_UPDATE = VECWIRE__QDRANT_WAIT | VECWIRE__QDRANT_ORDERING |
                             VECWIRE__QDRANT_TIMEOUT | VECWIRE__QDRANT_SHARD_KEY
};

/* Where a request goes. */
struct vecwire__qdrant_route {
    /* Behind /collections/{name}; with `global`, from the root on. */
    const char *path;
    unsigned takes; /* of enum vecwire__qdrant_takes */
    enum vecwire__method method;
    enum vecwire__retry_class class;
    bool global;
    bool has_body;
    const struct vecwire__decoding *decoding; /* NULL: body kept as it is */
};

struct vecwire__qdrant_writer {
    const struct vecwire__settings *settings;
    struct vecwire__encoding *enc;
    struct vecwire__buf *text; /* the encoding's */
    struct vecwire_refusal *refusal;
    size_t row; /* named in refusals; SIZE_MAX: none */
    enum vecwire_err err;
    bool has_shard_key; /* it stands elsewhere already */
};

/* Begin: settings checked, method, path with `segment` (NULL: none) percent-
 * encoded behind it, query string, and the body's "{" where it has one. `room`
 * is about what the body will need. */
void vecwire__qdrant_begin(struct vecwire__qdrant_writer *w,
                           const struct vecwire__settings *settings,
                           struct vecwire__encoding *enc,
                           struct vecwire_refusal *refusal,
                           const struct vecwire__qdrant_route *route,
                           const char *segment, size_t room);

/* End: the shard key, the body's "}", its size. The encoder's result. */
enum vecwire_err vecwire__qdrant_end(struct vecwire__qdrant_writer *w);

/* Refuse params that are set, though `takes` has them not, or wrong. */
void vecwire__qdrant_check_params(struct vecwire__qdrant_writer *w,
                                  unsigned takes);

/* The params' shard key, if there is one; for bodies whose parts have it. */
void vecwire__qdrant_put_shard_key(struct vecwire__qdrant_writer *w);

/* Refuse: the writer has failed. Returns `code`. */
enum vecwire_err vecwire__qdrant_refuse(struct vecwire__qdrant_writer *w,
                                        enum vecwire_err code,
                                        const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Is the body too large already? The rest would only cost memory. */
void vecwire__qdrant_check_size(struct vecwire__qdrant_writer *w);

/* Punctuation and text as they are. */
void vecwire__qdrant_put(struct vecwire__qdrant_writer *w, const char *text);

/* A comma, unless an object or array begins here. */
void vecwire__qdrant_comma(struct vecwire__qdrant_writer *w);

/* `"key":` behind a comma where one is due; the key is plain ASCII. */
void vecwire__qdrant_key(struct vecwire__qdrant_writer *w, const char *key);

/* Values. `what` names them in refusals. */
void vecwire__qdrant_put_u64(struct vecwire__qdrant_writer *w, uint64_t n);
void vecwire__qdrant_put_bool(struct vecwire__qdrant_writer *w, bool value);
void vecwire__qdrant_put_float(struct vecwire__qdrant_writer *w, float value,
                               const char *what);
void vecwire__qdrant_put_str(struct vecwire__qdrant_writer *w,
                             const char *value, const char *what);

/* JSON that the caller gave as text or as a tree (at most one of them, at
 * least one); `begins` has the bytes that it may begin with, '"' '[' '{' or
 * '0' for a number, NULL: any. */
void vecwire__qdrant_put_json(struct vecwire__qdrant_writer *w,
                              const char *json, const struct json_t *tree,
                              const char *begins, const char *what);

/* Members that are left out when there is nothing: a key with JSON; with a
 * filter (an object). */
void vecwire__qdrant_member(struct vecwire__qdrant_writer *w, const char *key,
                            const char *json, const struct json_t *tree,
                            const char *begins);
void vecwire__qdrant_member_filter(struct vecwire__qdrant_writer *w,
                                   const char *filter,
                                   const struct json_t *tree);

/* An id: a number, or a text that is one or a UUID (any of its four forms,
 * written lower case with hyphens). `number` NULL: the text. */
void vecwire__qdrant_put_id(struct vecwire__qdrant_writer *w, const char *text,
                            const uint64_t *number);

/* Ids of `rows` rows as an array; exactly one of both. */
void vecwire__qdrant_put_ids(struct vecwire__qdrant_writer *w,
                             const char *const *ids, const uint64_t *numbers,
                             size_t rows);

/* "with_payload" and "with_vector", always both; the selectors of the params
 * in their place. */
void vecwire__qdrant_put_selectors(struct vecwire__qdrant_writer *w,
                                   bool with_payload, bool with_vector);

/* One vector's value: dense, multi, sparse or an inference object. */
void vecwire__qdrant_put_vector(struct vecwire__qdrant_writer *w,
                                const struct vecwire_vector *vector);

/* Refuse what the server would of JSON that was written already: of a search's
 * params; of its query object, as text or as a tree. NULL is fine. */
void vecwire__qdrant_check_search_params(struct vecwire__qdrant_writer *w,
                                         const char *text);
void vecwire__qdrant_check_query(struct vecwire__qdrant_writer *w,
                                 const char *text, const struct json_t *given,
                                 bool has_threshold);

/* The same of a payload selector, and of what a scroll is ordered by. */
void vecwire__qdrant_check_selector(struct vecwire__qdrant_writer *w,
                                    const char *text);
void vecwire__qdrant_check_order_by(struct vecwire__qdrant_writer *w,
                                    const char *text);

/* The same of a filter. */
void vecwire__qdrant_check_filter(struct vecwire__qdrant_writer *w,
                                  const char *text, const struct json_t *given);

/* The same of one that is a tree already. */
void vecwire__qdrant_check_filter_tree(struct vecwire__qdrant_writer *w,
                                       const struct json_t *tree);

/* Is it a path of a payload key, such as a.b, a[].b, a[0] or "any key".b? */
bool vecwire__qdrant_is_path(const char *path);

/* What Qdrant would answer this condition with 400 or 422 for, unless it holds
 * a filter; NULL: nothing that is known here. */
const char *vecwire__qdrant_condition_fault(const struct json_t *condition);

/* A path of a payload key: refused when NULL, empty or no such path. */
void vecwire__qdrant_put_path(struct vecwire__qdrant_writer *w,
                              const char *path, const char *what);

/* Is it a name for a collection or an alias, for a vector? Else refused. */
void vecwire__qdrant_check_name(struct vecwire__qdrant_writer *w,
                                const char *name, const char *what);
void vecwire__qdrant_check_vector_name(struct vecwire__qdrant_writer *w,
                                       const char *name, const char *what);

#define VECWIRE__QDRANT_ID_ROOM 37
/* Digits of a number, with their NUL. */
void vecwire__qdrant_number(uint64_t number, char out[VECWIRE__QDRANT_ID_ROOM]);

/* Text of an id as Qdrant writes it, into `out`: digits without leading zeros,
 * or a UUID. False: it is none. */
bool vecwire__qdrant_id(const char *text, char out[VECWIRE__QDRANT_ID_ROOM],
                        bool *is_number);

/* Numbers first, then UUIDs, each ascending. */
extern const struct vecwire__id_order vecwire__qdrant_id_order;

/* How replies are read: hits, which have a score; pages of points; one point;
 * a number. */
extern const struct vecwire__decoding vecwire__qdrant_hits_decoding;
extern const struct vecwire__decoding vecwire__qdrant_page_decoding;
extern const struct vecwire__decoding vecwire__qdrant_point_decoding;
extern const struct vecwire__decoding vecwire__qdrant_count_decoding;

/* The encoders of the verbs that read. */
enum vecwire_err
vecwire__qdrant_encode_query(const struct vecwire__settings *settings,
                             const void *request, struct vecwire__encoding *enc,
                             struct vecwire_refusal *refusal);
enum vecwire_err
vecwire__qdrant_encode_get(const struct vecwire__settings *settings,
                           const void *request, struct vecwire__encoding *enc,
                           struct vecwire_refusal *refusal);
enum vecwire_err vecwire__qdrant_encode_scroll(
    const struct vecwire__settings *settings, const void *request,
    struct vecwire__encoding *enc, struct vecwire_refusal *refusal);
enum vecwire_err
vecwire__qdrant_encode_count(const struct vecwire__settings *settings,
                             const void *request, struct vecwire__encoding *enc,
                             struct vecwire_refusal *refusal);

/* The same of what only Qdrant has: groups, batches, facets. */
extern const struct vecwire__decoding vecwire__qdrant_groups_decoding;
extern const struct vecwire__decoding vecwire__qdrant_batch_decoding;
extern const struct vecwire__decoding vecwire__qdrant_facet_decoding;
enum vecwire_err vecwire__qdrant_encode_search(
    const struct vecwire__settings *settings, const void *request,
    struct vecwire__encoding *enc, struct vecwire_refusal *refusal);
enum vecwire_err
vecwire__qdrant_encode_batch(const struct vecwire__settings *settings,
                             const void *request, struct vecwire__encoding *enc,
                             struct vecwire_refusal *refusal);
enum vecwire_err vecwire__qdrant_encode_groups(
    const struct vecwire__settings *settings, const void *request,
    struct vecwire__encoding *enc, struct vecwire_refusal *refusal);
enum vecwire_err
vecwire__qdrant_encode_facet(const struct vecwire__settings *settings,
                             const void *request, struct vecwire__encoding *enc,
                             struct vecwire_refusal *refusal);
enum vecwire_err
vecwire__qdrant_encode_point(const struct vecwire__settings *settings,
                             const void *request, struct vecwire__encoding *enc,
                             struct vecwire_refusal *refusal);

/* See struct vecwire__dialect. */
void vecwire__qdrant_server_error(struct vecwire_reply *reply,
                                  struct vecwire__server_error *found);

#endif
