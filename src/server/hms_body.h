/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies of HMS requests: read by the JSON reader from the segments of an
 * evbuffer, then checked against the limits. */
#ifndef VECWIRE_SERVER_HMS_BODY_H
#define VECWIRE_SERVER_HMS_BODY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "codec/buf.h"
#include "codec/json_reader.h"

#define VECWIRE__HMS_TOP_K_DEFAULT 3
#define VECWIRE__HMS_TOP_K_MAX 100
#define VECWIRE__HMS_BATCH_MAX 1000
#define VECWIRE__HMS_BATCH_BYTES ((size_t)8 << 20) /* of texts, metadata */
#define VECWIRE__HMS_BATCH_VALUES ((size_t)1 << 20)
#define VECWIRE__HMS_ID_MAX 256
#define VECWIRE__HMS_TEXT_MAX 65536
#define VECWIRE__HMS_METADATA_MAX 65536
#define VECWIRE__HMS_WORDS_MAX 4096
#define VECWIRE__HMS_DEPTH 127 /* of JSON */

struct evbuffer;
struct vecwire__document;

/* What is to be answered. */
enum vecwire__hms_verdict {
    VECWIRE__HMS_FINE,
    VECWIRE__HMS_INVALID_JSON,    /* 400 */
    VECWIRE__HMS_INVALID_REQUEST, /* 422 */
    VECWIRE__HMS_INTERNAL         /* 500: no memory */
};

/* A text of `texts`, by offset, since that may move. */
struct vecwire__hms_span {
    size_t at;
    size_t len;
    bool present;
};

/* One document as it was sent, and its metadata parsed. */
struct vecwire__hms_doc {
    struct vecwire__hms_span id, text, metadata;
    size_t vector_at; /* in values */
    size_t n_values;
    bool has_vector;
    json_t *tree;
};

/* A body read. Zero-filled and inited once, it serves for many requests. */
struct vecwire__hms_body {
    struct vecwire__buf texts;
    float *values; /* vectors, one behind the other */
    size_t n_values, values_cap;
    struct vecwire__hms_doc *docs; /* of a batch, or one */
    size_t n_docs, docs_cap;
    size_t n_seen; /* documents in the text, those not kept included */
    /* of a query */
    struct vecwire__hms_span query, filter_text;
    json_t *filter;
    uint64_t top_k;
    bool has_top_k;
    /* both */
    size_t dim;      /* what the server has */
    char fault[320]; /* what is wrong, one line */
    struct vecwire__json_reader reader;
};

void vecwire__hms_body_init(struct vecwire__hms_body *body, size_t dim);
void vecwire__hms_body_fini(struct vecwire__hms_body *body);

/* Read and check a query: afterwards values[0..dim), filter (or NULL) and
 * top_k are set. Otherwise body->fault says what is wrong. */
enum vecwire__hms_verdict
vecwire__hms_body_query(struct vecwire__hms_body *body, struct evbuffer *text);

/* Read and check one document, or (batch) an array of them, into docs. */
enum vecwire__hms_verdict
vecwire__hms_body_documents(struct vecwire__hms_body *body,
                            struct evbuffer *text, bool batch);

/* Document `i`, for the store; points into the body. */
struct vecwire__document
vecwire__hms_body_document(const struct vecwire__hms_body *body, size_t i);

#endif
