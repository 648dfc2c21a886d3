/* SPDX-License-Identifier: Apache-2.0 */
#include "server/hms_body.h"

#include <stdlib.h>
#include <string.h>

#include <event2/buffer.h>

#include "codec/mem.h"
#include "server/hms_check.h"
#include "server/store.h"

enum {
    TAG_ID,
    TAG_VECTOR,
    TAG_TEXT,
    TAG_METADATA,
    TAG_QUERY,
    TAG_TODAY,
    TAG_TOP_K,
    TAG_FILTER
};

static const struct vecwire__json_field document_fields[] = {
    {"id", VECWIRE__JSON_STR, TAG_ID, 0, false},
    {"vector", VECWIRE__JSON_F32S, TAG_VECTOR, 0, true},
    {"text", VECWIRE__JSON_STR, TAG_TEXT, 0, true},
    {"metadata", VECWIRE__JSON_RAW, TAG_METADATA, 0, true},
};

static const struct vecwire__json_field query_fields[] = {
    {"query_vector", VECWIRE__JSON_F32S, TAG_VECTOR, 0, true},
    {"top_k", VECWIRE__JSON_U64, TAG_TOP_K, 0, true},
    {"filter", VECWIRE__JSON_RAW, TAG_FILTER, 0, true},
    {"query", VECWIRE__JSON_STR, TAG_QUERY, 0, true},
    {"today", VECWIRE__JSON_STR, TAG_TODAY, 0, true},
};

/* Memory of one kind that is kept from body to body. */
#define KEPT_BYTES ((size_t)4 << 20)

#define N_OF(array) (sizeof(array) / sizeof((array)[0]))

static const struct vecwire__json_shape document_shape = {
    document_fields, N_OF(document_fields)};
static const struct vecwire__json_shape query_shape = {query_fields,
                                                       N_OF(query_fields)};

static const struct vecwire__json_table document_table = {&document_shape, 1,
                                                          false};
static const struct vecwire__json_table batch_table = {&document_shape, 1,
                                                       true};
static const struct vecwire__json_table query_table = {&query_shape, 1, false};

void
vecwire__hms_body_init(struct vecwire__hms_body *body, size_t dim)
{
    memset(body, 0, sizeof(*body));
    vecwire__buf_init(&body->texts, &vecwire__mem_libc);
    body->dim = dim;
}

/* What one large body made grow is not kept for all the small ones. */
static void
trim(struct vecwire__hms_body *body)
{
    if (body->texts.cap > KEPT_BYTES)
        vecwire__buf_fini(&body->texts);
    if (body->values_cap > KEPT_BYTES / sizeof(float)) {
        free(body->values);
        body->values = NULL;
        body->values_cap = 0;
    }
}

static void
forget(struct vecwire__hms_body *body)
{
    for (size_t i = 0; i < body->n_docs; i++)
        json_decref(body->docs[i].tree);
    json_decref(body->filter);
    body->filter = NULL;
    body->n_docs = body->n_seen = body->n_values = 0;
    body->texts.len = 0;
    trim(body);
    body->has_top_k = false;
    memset(&body->query, 0, sizeof(body->query));
    memset(&body->filter_text, 0, sizeof(body->filter_text));
    body->fault[0] = '\0';
}

void
vecwire__hms_body_fini(struct vecwire__hms_body *body)
{
    forget(body);
    vecwire__buf_fini(&body->texts);
    free(body->values);
    free(body->docs);
    body->values = NULL;
    body->docs = NULL;
    body->values_cap = body->docs_cap = 0;
}

/* A batch that is too long is read on, to be checked and counted, but all
 * that follows is written over one spare document. */
static bool
document_begin(struct vecwire__hms_body *body)
{
    void *docs = body->docs;

    body->n_seen++;
    if (body->n_docs > VECWIRE__HMS_BATCH_MAX) {
        struct vecwire__hms_doc *spare = &body->docs[body->n_docs - 1];

        body->n_values = spare->has_vector ? spare->vector_at : body->n_values;
    } else {
        if (!vecwire__mem_grow(&vecwire__mem_libc, &docs, &body->docs_cap,
                               body->n_docs + 1, sizeof(*body->docs)))
            return false;
        body->docs = docs;
        body->n_docs++;
    }
    memset(&body->docs[body->n_docs - 1], 0, sizeof(*body->docs));
    return true;
}

static bool
values_begin(struct vecwire__hms_body *body)
{
    struct vecwire__json_reader *reader = &body->reader;
    void *values = body->values;

    /* More than dim, so that what is a little too long can be counted
     * without moving. */
    if (!vecwire__mem_grow(&vecwire__mem_libc, &values, &body->values_cap,
                           body->n_values + body->dim + 64, sizeof(float)))
        return false;
    body->values = values;
    reader->floats = body->values + body->n_values;
    reader->room = body->values_cap - body->n_values;
    reader->n = 0;
    return true;
}

static bool
values_grow(struct vecwire__hms_body *body)
{
    struct vecwire__json_reader *reader = &body->reader;
    void *values = body->values;

    if (!vecwire__mem_grow(&vecwire__mem_libc, &values, &body->values_cap,
                           body->values_cap + 1, sizeof(float)))
        return false;
    body->values = values;
    reader->floats = body->values + body->n_values;
    reader->room = body->values_cap - body->n_values;
    return true;
}

static void
values_end(struct vecwire__hms_body *body)
{
    struct vecwire__hms_doc *doc = &body->docs[body->n_docs - 1];

    doc->has_vector = true;
    doc->vector_at = body->n_values;
    doc->n_values = body->reader.n;
    body->n_values += body->reader.n;
}

static void
span_set(struct vecwire__hms_body *body, unsigned tag)
{
    struct vecwire__hms_doc *doc = &body->docs[body->n_docs - 1];
    struct vecwire__hms_span *span = NULL;

    switch (tag) {
    case TAG_ID:
        span = &doc->id;
        break;
    case TAG_TEXT:
        span = &doc->text;
        break;
    case TAG_METADATA:
        span = &doc->metadata;
        break;
    case TAG_QUERY:
        span = &body->query;
        break;
    case TAG_FILTER:
        span = &body->filter_text;
        break;
    default:
        return;
    }
    span->at = body->reader.text_at;
    span->len = body->texts.len - span->at;
    span->present = true;
}

static bool
sink(struct vecwire__json_reader *reader, enum vecwire__json_event event,
     unsigned tag)
{
    struct vecwire__hms_body *body = reader->ctx;

    switch (event) {
    case VECWIRE__JSON_EV_BEGIN:
        return document_begin(body);
    case VECWIRE__JSON_EV_STR:
    case VECWIRE__JSON_EV_RAW:
        span_set(body, tag);
        return true;
    case VECWIRE__JSON_EV_U64:
        body->top_k = reader->u64;
        body->has_top_k = true;
        return true;
    case VECWIRE__JSON_EV_ROW:
        return values_begin(body);
    case VECWIRE__JSON_EV_GROW:
        return values_grow(body);
    case VECWIRE__JSON_EV_F32S:
        values_end(body);
        return true;
    default:
        return true;
    }
}

/* Feed every segment, in place. */
static enum vecwire__json_rc
feed_all(struct vecwire__json_reader *reader, struct evbuffer *text)
{
    struct evbuffer_iovec pieces[16];
    struct evbuffer_ptr at;
    enum vecwire__json_rc rc = VECWIRE__JSON_MORE;
    size_t left = evbuffer_get_length(text);

    evbuffer_ptr_set(text, &at, 0, EVBUFFER_PTR_SET);
    while (left > 0) {
        int n = evbuffer_peek(text, -1, &at, pieces, (int)N_OF(pieces));
        size_t sum = 0;

        for (int i = 0; i < n && i < (int)N_OF(pieces); i++) {
            rc = vecwire__json_feed(reader, pieces[i].iov_base,
                                    pieces[i].iov_len);
            if (rc != VECWIRE__JSON_MORE && rc != VECWIRE__JSON_DONE)
                return rc;
            sum += pieces[i].iov_len;
        }
        left -= sum;
        if (sum == 0 || left == 0)
            break;
        evbuffer_ptr_set(text, &at, sum, EVBUFFER_PTR_ADD);
    }
    return vecwire__json_finish(reader);
}

/* Is there a whole number below zero, down to -2^63, at this byte? -0 is none
 * for HMS, and what is lower it cannot hold and says so. */
static bool
is_negative(struct evbuffer *text, uint64_t offset)
{
    static const char least[] = "9223372036854775808";
    const size_t most = sizeof(least) - 1;
    char number[24] = "";
    struct evbuffer_ptr at;
    size_t digits;

    if (evbuffer_ptr_set(text, &at, (size_t)offset, EVBUFFER_PTR_SET) != 0 ||
        evbuffer_copyout_from(text, &at, number, sizeof(number) - 1) < 2)
        return false;
    digits = strspn(number + 1, "0123456789");
    return number[0] == '-' && digits > 0 && number[1] != '0' &&
           (digits < most ||
            (digits == most && memcmp(number + 1, least, most) <= 0)) &&
           strchr(".eE", number[1 + digits]) == NULL;
}

/* HMS reads a body in two steps: a value of the wrong type fails the first,
 * as bad JSON does, unless the first takes a wider range there (top_k). What
 * float32 cannot hold is ours to refuse. */
static bool
is_readable(const struct vecwire__json_reader *reader, enum vecwire__json_rc rc,
            struct evbuffer *text)
{
    if (rc == VECWIRE__JSON_ERANGE)
        return true;
    if (rc == VECWIRE__JSON_ETWICE)
        return false;
    return strcmp(reader->key, "top_k") == 0 &&
           is_negative(text, reader->offset);
}

static enum vecwire__hms_verdict
read_text(struct vecwire__hms_body *body,
          const struct vecwire__json_table *table, struct evbuffer *text)
{
    struct vecwire__json_reader *reader = &body->reader;
    enum vecwire__json_rc rc;

    forget(body);
    vecwire__json_init(reader, table, sink, body, &body->texts,
                       VECWIRE__HMS_DEPTH);
    rc = feed_all(reader, text);
    switch (rc) {
    case VECWIRE__JSON_DONE:
        return VECWIRE__HMS_FINE;
    case VECWIRE__JSON_ETYPE:
    case VECWIRE__JSON_ETWICE:
    case VECWIRE__JSON_ERANGE:
        vecwire__hms_fault(body, "%s: %s at byte %llu",
                           reader->key[0] != '\0' ? reader->key : "body",
                           vecwire__json_rc_text(rc),
                           (unsigned long long)reader->offset);
        return is_readable(reader, rc, text) ? VECWIRE__HMS_INVALID_REQUEST
                                             : VECWIRE__HMS_INVALID_JSON;
    case VECWIRE__JSON_EMEM:
    case VECWIRE__JSON_ESINK:
        return VECWIRE__HMS_INTERNAL;
    default:
        vecwire__hms_fault(body, "body is no valid JSON: %s at byte %llu",
                           vecwire__json_rc_text(rc),
                           (unsigned long long)reader->offset);
        return VECWIRE__HMS_INVALID_JSON;
    }
}

enum vecwire__hms_verdict
vecwire__hms_body_query(struct vecwire__hms_body *body, struct evbuffer *text)
{
    enum vecwire__hms_verdict verdict = read_text(body, &query_table, text);

    if (!body->has_top_k)
        body->top_k = VECWIRE__HMS_TOP_K_DEFAULT;
    return verdict == VECWIRE__HMS_FINE ? vecwire__hms_check_query(body)
                                        : verdict;
}

enum vecwire__hms_verdict
vecwire__hms_body_documents(struct vecwire__hms_body *body,
                            struct evbuffer *text, bool batch)
{
    enum vecwire__hms_verdict verdict =
        read_text(body, batch ? &batch_table : &document_table, text);

    return verdict == VECWIRE__HMS_FINE
               ? vecwire__hms_check_documents(body, batch)
               : verdict;
}

struct vecwire__document
vecwire__hms_body_document(const struct vecwire__hms_body *body, size_t i)
{
    const struct vecwire__hms_doc *doc = &body->docs[i];
    struct vecwire__document document = {
        .id = body->texts.bytes + doc->id.at,
        .text = "",
        .metadata = "{}",
        .vector = body->values + doc->vector_at,
        .tree = doc->tree,
        .id_len = doc->id.len,
        .text_len = doc->text.len,
        .metadata_len = 2,
    };

    if (doc->text.present)
        document.text = body->texts.bytes + doc->text.at;
    if (doc->metadata.present) {
        document.metadata = body->texts.bytes + doc->metadata.at;
        document.metadata_len = doc->metadata.len;
    }
    return document;
}
