/* SPDX-License-Identifier: Apache-2.0 */
/* What a database speaks: a verb becomes method, path and body; a reply
 * becomes rows. Knows the codec and nothing of the network. Another database
 * is two files and one row in dialect.c. */
#ifndef VECWIRE_DIALECT_DIALECT_H
#define VECWIRE_DIALECT_DIALECT_H

#include <vecwire/query.h>
#include <vecwire/vector.h>

#include "codec/buf.h"
#include "codec/json_reader.h"
#include "dialect/reply.h"
#include "dialect/retry_class.h"
#include "net/transport.h"

struct vecwire__hms_masking;
struct vecwire_qdrant_params;

enum vecwire__verb {
    VECWIRE__VERB_QUERY,
    VECWIRE__VERB_UPSERT,
    VECWIRE__VERB_DELETE,
    VECWIRE__VERB_GET,
    VECWIRE__VERB_SCROLL,
    VECWIRE__VERB_COUNT,
    VECWIRE__VERB_RAW,
    VECWIRE__VERB_OWN, /* what one database alone has */
    VECWIRE__N_VERBS
};

/* What the encoders need to know of the client and the call. */
struct vecwire__settings {
    const char *prefix;     /* of the URL's path: "" or "/x" */
    const char *collection; /* NULL: none was named */
    /* Qdrant; NULL: as the server has it. */
    const struct vecwire_qdrant_params *qdrant;
    unsigned json_depth;
    struct vecwire__hms_masking *hms_masking; /* HMS; NULL: no mask */
};

/* A verb, encoded. `text` is the path, a NUL, a content type with its NUL
 * where the caller gave one, and the body. */
struct vecwire__encoding {
    struct vecwire__buf text;
    size_t body_at;
    const char *content_type; /* static; NULL: no body */
    size_t content_type_at;   /* in text, in its place; 0: none there */
    enum vecwire__method method;
    enum vecwire__retry_class class;
    enum vecwire__verb verb;
    /* How its 2xx reply is read; NULL: the body is kept as it is. */
    const struct vecwire__decoding *decoding;
    bool has_body;
    uint32_t max_rows;   /* that may come back; 0: any number */
    uint32_t max_parts;  /* the same of groups, values and updates */
    size_t rows;         /* that a write concerns; 0: not known */
    bool many;           /* an upsert on the route for several rows */
    bool may_be_partial; /* an error may come when a part was done */
    /* The body, when it is not in text but its owner's, who keeps it as it
     * is until the call has ended. NULL: in text. */
    const void *lent;
    size_t lent_len;
};

/* Encode `request`, whose type belongs to the verb. VECWIRE_EINVAL, _ETOOBIG,
 * _EUNSUPPORTED with the refusal filled in (it is never NULL here),
 * VECWIRE_ENOMEM. */
typedef enum vecwire_err (*vecwire__encoder)(
    const struct vecwire__settings *settings, const void *request,
    struct vecwire__encoding *enc, struct vecwire_refusal *refusal);

/* What rows amount to, beside their number and the bytes of a body. */
struct vecwire__upsert_load {
    size_t values, texts, payloads; /* coordinates; bytes; bytes */
};

/* How an upsert is put together: vecwire_upsert() and the uploader both make
 * theirs from this. A body is `open`, rows with a comma between, `close`; of
 * one row it is the row alone when `bare_row`. */
struct vecwire__upsert_parts {
    size_t max_rows, max_bytes; /* of one request */
    const char *open, *close;   /* at most VECWIRE__MAX_FRAME bytes each */
    /* In place of `open`, appended to `text`, where settings have a share in
     * it; refuses settings that an upload cannot have. NULL: `open`. */
    enum vecwire_err (*make_open)(const struct vecwire__settings *settings,
                                  struct vecwire__buf *text,
                                  struct vecwire_refusal *refusal);
    bool any_dim; /* rows of one request may differ in it */
    bool bare_row;
    /* Servers may lack the route for several rows, and say so by 404. */
    bool may_lack_many;
    /* What concerns no single row; their number only where it is 0. */
    enum vecwire_err (*check)(const struct vecwire_upsert_request *upsert,
                              struct vecwire_refusal *refusal);
    /* All of the request but the body, with `room` bytes for that behind
     * it. False: no memory. */
    bool (*head)(const struct vecwire__settings *settings, size_t rows,
                 size_t room, struct vecwire__encoding *enc);
    /* Does the row go into a request that holds `load`, which is not empty?
     * It is added to that. NULL: rows and bytes are all that counts. */
    bool (*fits)(const struct vecwire_upsert_request *upsert, size_t row,
                 struct vecwire__upsert_load *load);
    /* Append one row. On failure `text` has what was written so far. */
    enum vecwire_err (*row)(const struct vecwire__settings *settings,
                            const struct vecwire_upsert_request *upsert,
                            size_t row, struct vecwire__buf *text,
                            struct vecwire_refusal *refusal);
};

#define VECWIRE__MAX_FRAME ((size_t)16)

/* How the 2xx reply to a verb is read. */
struct vecwire__decoding {
    const struct vecwire__json_table *table;
    vecwire__json_sink sink; /* its ctx is the reply */
    /* The one key that must be there (the sink then sets reply->answered). */
    const char *required;
};

/* An id of a database, its NUL included, is no longer than this. */
#define VECWIRE__ID_ROOM 40

/* An id, kept. */
struct vecwire__id_copy {
    char text[VECWIRE__ID_ROOM];
    uint64_t number;
    bool is_number;
};

/* The order of ids in which a scroll goes. */
struct vecwire__id_order {
    /* Copy an id in the server's own form. False: it is none. */
    bool (*take)(const char *text, struct vecwire__id_copy *out);
    /* Below 0: a stands before b, above: behind it. */
    int (*compare)(const struct vecwire_id *a, const struct vecwire_id *b);
    /* The least id behind `id`. False: there can be none. */
    bool (*after)(const struct vecwire__id_copy *id,
                  struct vecwire__id_copy *out);
};

/* An error body's own code and text, in the reply's texts; offsets. */
struct vecwire__server_error {
    size_t code_at, text_at;
    bool has_code, has_text;
};

struct vecwire__dialect {
    const char *name;
    uint16_t port;             /* of http:// URLs without one */
    uint16_t connections;      /* open at once, unless the options say */
    const char *key_header;    /* header of the key, */
    const char *key_prefix;    /* what stands before the key in it */
    const char *tenant_header; /* NULL: no tenants */
    bool has_collections;
    /* NULL: fine; otherwise what is expected of a tenant. */
    const char *(*tenant_fault)(const char *tenant);
    vecwire__encoder encode[VECWIRE__N_VERBS]; /* NULL: it lacks the verb */
    const struct vecwire__upsert_parts *upsert_parts; /* NULL: no upsert */
    const struct vecwire__id_order *id_order;         /* NULL: no scroll */
    /* Find the server's code and text in reply->body and append them to the
     * texts. A body that is no such error leaves both absent. */
    void (*server_error)(struct vecwire_reply *reply,
                         struct vecwire__server_error *found);
    /* Is this failed status success in truth? It sets reply->affected. */
    bool (*forgives)(enum vecwire__verb verb, struct vecwire_reply *reply);
    /* Statuses 429 and 503 that must not be repeated. NULL: none. */
    bool (*never_again)(uint32_t status, bool has_retry_after);
};

/* NULL: not built. */
const struct vecwire__dialect *vecwire__dialect_find(uint32_t dialect);

extern const struct vecwire__dialect vecwire__dialect_hms;
extern const struct vecwire__dialect vecwire__dialect_qdrant;

/* For server_error: read the body of an error, the sink's ctx being `found`.
 * False: it is no such error, or says nothing; `found` is empty, and nothing
 * was added to the texts. */
bool vecwire__read_error(struct vecwire_reply *reply,
                         const struct vecwire__json_table *table,
                         vecwire__json_sink sink,
                         struct vecwire__server_error *found);

/* For encoders. Fill in a refusal; row and coordinate SIZE_MAX: none. Returns
 * `code`. */
enum vecwire_err vecwire__refuse(struct vecwire_refusal *refusal,
                                 enum vecwire_err code, size_t row,
                                 size_t coordinate, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* A JSON object that the caller gave as text or as a tree, appended to the
 * body. `what` names it in the refusal ("filter", "payload"). */
enum vecwire_err vecwire__put_object(const struct vecwire__settings *settings,
                                     struct vecwire__buf *text,
                                     const char *json,
                                     const struct json_t *tree, size_t row,
                                     const char *what,
                                     struct vecwire_refusal *refusal);

/* A vector, appended; NaN and infinities are refused with their place. */
enum vecwire_err vecwire__put_row(struct vecwire__buf *text,
                                  const float *vector, size_t dim, size_t row,
                                  struct vecwire_refusal *refusal);

/* Refuse a NaN or an infinity. */
enum vecwire_err vecwire__refuse_float(struct vecwire_refusal *refusal,
                                       size_t row, size_t coordinate);

/* A text, appended as a JSON string; refused when it is not UTF-8. */
enum vecwire_err vecwire__put_text(struct vecwire__buf *text, const char *value,
                                   size_t row, const char *what,
                                   struct vecwire_refusal *refusal);

/* A path segment, appended percent-encoded: only A-Z a-z 0-9 - . _ ~ stay, but
 * in "." and "..". */
VECWIRE_NODISCARD bool vecwire__put_segment(struct vecwire__buf *text,
                                            const char *segment);

#endif
