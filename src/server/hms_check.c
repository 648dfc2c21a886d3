/* SPDX-License-Identifier: Apache-2.0 */
#include "server/hms_check.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "server/hms_text.h"

void
vecwire__hms_fault(struct vecwire__hms_body *body, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(body->fault, sizeof(body->fault), format, args);
    va_end(args);
}

/* Put "document 3: " in front of a batch's fault. */
static void
fault_name_document(struct vecwire__hms_body *body, size_t i)
{
    char text[sizeof(body->fault)];

    memcpy(text, body->fault, sizeof(text));
    vecwire__hms_fault(body, "document %zu: %.*s", i, 280, text);
}

/* A null among the numbers, for HMS a fault of the JSON. */
static bool
check_numbers(struct vecwire__hms_body *body, const char *name,
              const struct vecwire__hms_doc *doc)
{
    for (size_t i = 0; i < doc->n_values; i++) {
        if (!isfinite(body->values[doc->vector_at + i])) {
            vecwire__hms_fault(body, "%s[%zu] is not a number", name, i);
            return false;
        }
    }
    return true;
}

static bool
check_vector(struct vecwire__hms_body *body, const char *name,
             const struct vecwire__hms_doc *doc)
{
    const float *vector = body->values + doc->vector_at;
    size_t i = 0;

    if (doc->n_values != body->dim) {
        vecwire__hms_fault(body, "%s has %zu values, expected %zu", name,
                           doc->n_values, body->dim);
        return false;
    }
    while (i < body->dim && vector[i] == 0)
        i++;
    if (i == body->dim)
        vecwire__hms_fault(body, "%s is all zeros", name);
    return i < body->dim;
}

/* jansson says nothing when there is none for its first buffer, and takes text
 * that it cannot copy for wrong grammar, which was checked before. */
static bool
out_of_memory(const json_error_t *error)
{
    enum json_error_code code = json_error_code(error);

    return error->text[0] == '\0' || code == json_error_out_of_memory ||
           code == json_error_invalid_syntax;
}

static enum vecwire__hms_verdict
parse_object(struct vecwire__hms_body *body, const char *name,
             const struct vecwire__hms_span *span, json_t **tree)
{
    const char *text = body->texts.bytes + span->at;
    json_error_t error = {.text = ""};

    if (*text != '{') {
        vecwire__hms_fault(body, "%s is no object", name);
        return VECWIRE__HMS_INVALID_REQUEST;
    }
    *tree = json_loadb(text, span->len, JSON_ALLOW_NUL, &error);
    if (*tree != NULL)
        return VECWIRE__HMS_FINE;
    if (out_of_memory(&error))
        return VECWIRE__HMS_INTERNAL;
    vecwire__hms_fault(body, "%s cannot be held: %.100s", name, error.text);
    return VECWIRE__HMS_INVALID_REQUEST;
}

enum vecwire__hms_verdict
vecwire__hms_check_query(struct vecwire__hms_body *body)
{
    if (body->top_k > INT64_MAX) {
        vecwire__hms_fault(body, "top_k is beyond 2^63-1");
        return VECWIRE__HMS_INVALID_JSON;
    }
    if (!check_numbers(body, "query_vector", &body->docs[0]))
        return VECWIRE__HMS_INVALID_JSON;
    if (body->query.present) {
        vecwire__hms_fault(body, "query: this server has no model stages, "
                                 "send query_vector");
        return VECWIRE__HMS_INVALID_REQUEST;
    }
    if (!body->docs[0].has_vector) {
        vecwire__hms_fault(body, "query_vector is missing");
        return VECWIRE__HMS_INVALID_REQUEST;
    }
    if (!check_vector(body, "query_vector", &body->docs[0]))
        return VECWIRE__HMS_INVALID_REQUEST;
    if (body->top_k < 1 || body->top_k > VECWIRE__HMS_TOP_K_MAX) {
        vecwire__hms_fault(body, "top_k is %llu, allowed are 1 to %d",
                           (unsigned long long)body->top_k,
                           VECWIRE__HMS_TOP_K_MAX);
        return VECWIRE__HMS_INVALID_REQUEST;
    }
    if (body->filter_text.present)
        return parse_object(body, "filter", &body->filter_text, &body->filter);
    return VECWIRE__HMS_FINE;
}

/* Valid UTF-8 is known: a control character is C0, DEL, or C1 (two bytes,
 * C2 80 to C2 9F). */
static bool
has_control(const unsigned char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (text[i] < 0x20 || text[i] == 0x7f)
            return true;
        if (text[i] == 0xc2 && i + 1 < len && text[i + 1] < 0xa0)
            return true;
    }
    return false;
}

static bool
check_id(struct vecwire__hms_body *body, const struct vecwire__hms_span *id)
{
    const char *text;

    if (id->len < 1 || id->len > VECWIRE__HMS_ID_MAX) {
        vecwire__hms_fault(body, "id has %zu bytes, allowed are 1 to %d",
                           id->len, VECWIRE__HMS_ID_MAX);
        return false;
    }
    text = body->texts.bytes + id->at;
    if (has_control((const unsigned char *)text, id->len))
        vecwire__hms_fault(body, "id has a control character");
    else if (id->len >= 4 && memcmp(text, "hms:", 4) == 0)
        vecwire__hms_fault(body, "id begins with \"hms:\"");
    else
        return true;
    return false;
}

static bool
check_length(struct vecwire__hms_body *body, const char *name, size_t len,
             size_t max)
{
    if (len <= max)
        return true;
    vecwire__hms_fault(body, "%s has %zu bytes, at most %zu are allowed", name,
                       len, max);
    return false;
}

/* HMS counts a text's words, and keeps none of the white space around them. */
static bool
check_text(struct vecwire__hms_body *body, struct vecwire__hms_span *span)
{
    size_t at, n_words;

    if (!check_length(body, "text", span->len, VECWIRE__HMS_TEXT_MAX))
        return false;
    if (span->len == 0)
        return true;
    n_words = vecwire__hms_words(body->texts.bytes + span->at, span->len, &at,
                                 &span->len);
    span->at += at;
    if (n_words <= VECWIRE__HMS_WORDS_MAX)
        return true;
    vecwire__hms_fault(body, "text has %zu words, at most %d are allowed",
                       n_words, VECWIRE__HMS_WORDS_MAX);
    return false;
}

/* The limit is on JSON without blanks; `len` with them is what was sent. */
static bool
check_metadata_length(struct vecwire__hms_body *body, const json_t *tree,
                      size_t len)
{
    if (len > VECWIRE__HMS_METADATA_MAX)
        len = json_dumpb(tree, NULL, 0, JSON_COMPACT);
    return check_length(body, "metadata", len, VECWIRE__HMS_METADATA_MAX);
}

/* What HMS finds when it reads the JSON. */
static bool
check_readable(struct vecwire__hms_body *body,
               const struct vecwire__hms_doc *doc)
{
    if (!doc->id.present)
        vecwire__hms_fault(body, "id is missing");
    return doc->id.present && check_numbers(body, "vector", doc);
}

static enum vecwire__hms_verdict
check_document(struct vecwire__hms_body *body, struct vecwire__hms_doc *doc)
{
    enum vecwire__hms_verdict verdict;

    if (!check_id(body, &doc->id))
        return VECWIRE__HMS_INVALID_REQUEST;
    if (!doc->has_vector) {
        vecwire__hms_fault(body, "vector is missing: this server has no "
                                 "embedder");
        return VECWIRE__HMS_INVALID_REQUEST;
    }
    if (!check_vector(body, "vector", doc) || !check_text(body, &doc->text))
        return VECWIRE__HMS_INVALID_REQUEST;
    if (!doc->metadata.present)
        return VECWIRE__HMS_FINE;
    verdict = parse_object(body, "metadata", &doc->metadata, &doc->tree);
    if (verdict == VECWIRE__HMS_FINE &&
        !check_metadata_length(body, doc->tree, doc->metadata.len))
        verdict = VECWIRE__HMS_INVALID_REQUEST;
    return verdict;
}

/* What one batch may hold. Repeated or not, every document counts. */
static enum vecwire__hms_verdict
check_sums(struct vecwire__hms_body *body, size_t *at)
{
    size_t text = 0, metadata = 0;

    *at = SIZE_MAX;
    for (size_t i = 0; i < body->n_docs; i++) {
        const struct vecwire__hms_doc *doc = &body->docs[i];

        text += doc->id.len + doc->text.len;
        metadata += doc->metadata.len;
    }
    if (text <= VECWIRE__HMS_BATCH_BYTES &&
        metadata <= VECWIRE__HMS_BATCH_BYTES &&
        body->n_docs * body->dim <= VECWIRE__HMS_BATCH_VALUES)
        return VECWIRE__HMS_FINE;
    vecwire__hms_fault(body, "batch is over 8 MiB of ids and texts, 8 MiB of "
                             "metadata or 1048576 coordinates");
    return VECWIRE__HMS_INVALID_REQUEST;
}

/* One after the other, as HMS does: all that concerns reading comes first. */
static enum vecwire__hms_verdict
check_all(struct vecwire__hms_body *body, size_t *at)
{
    enum vecwire__hms_verdict verdict = VECWIRE__HMS_FINE;

    for (*at = 0; *at < body->n_docs; ++*at) {
        if (!check_readable(body, &body->docs[*at]))
            return VECWIRE__HMS_INVALID_JSON;
    }
    if (body->n_seen == 0 || body->n_seen > VECWIRE__HMS_BATCH_MAX) {
        *at = SIZE_MAX;
        vecwire__hms_fault(body, "batch has %zu documents, allowed are 1 to %d",
                           body->n_seen, VECWIRE__HMS_BATCH_MAX);
        return VECWIRE__HMS_INVALID_REQUEST;
    }
    for (*at = 0; *at < body->n_docs; ++*at) {
        verdict = check_document(body, &body->docs[*at]);
        if (verdict != VECWIRE__HMS_FINE)
            return verdict;
    }
    return check_sums(body, at);
}

enum vecwire__hms_verdict
vecwire__hms_check_documents(struct vecwire__hms_body *body, bool batch)
{
    size_t at;
    enum vecwire__hms_verdict verdict = check_all(body, &at);

    if (verdict != VECWIRE__HMS_FINE && batch && at != SIZE_MAX)
        fault_name_document(body, at);
    return verdict;
}
