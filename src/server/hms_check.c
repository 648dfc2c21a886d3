/* SPDX-License-Identifier: Apache-2.0 */
#include "server/hms_check.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

static bool
check_vector(struct vecwire__hms_body *body, const char *name,
             const struct vecwire__hms_doc *doc)
{
    const float *vector = body->values + doc->vector_at;
    bool zero = true;

    if (doc->n_values != body->dim) {
        vecwire__hms_fault(body, "%s has %zu values, expected %zu", name,
                           doc->n_values, body->dim);
        return false;
    }
    for (size_t i = 0; i < body->dim; i++) {
        if (!isfinite(vector[i])) {
            vecwire__hms_fault(body, "%s[%zu] is not a number", name, i);
            return false;
        }
        zero = zero && vector[i] == 0;
    }
    if (zero)
        vecwire__hms_fault(body, "%s is all zeros", name);
    return !zero;
}

static enum vecwire__hms_verdict
parse_object(struct vecwire__hms_body *body, const char *name,
             const struct vecwire__hms_span *span, json_t **tree)
{
    json_error_t error;

    *tree = json_loadb(body->texts.bytes + span->at, span->len, JSON_ALLOW_NUL,
                       &error);
    if (*tree != NULL)
        return VECWIRE__HMS_FINE;
    if (json_error_code(&error) == json_error_out_of_memory)
        return VECWIRE__HMS_INTERNAL;
    vecwire__hms_fault(body, "%s cannot be held: %.100s", name, error.text);
    return VECWIRE__HMS_INVALID_REQUEST;
}

enum vecwire__hms_verdict
vecwire__hms_check_query(struct vecwire__hms_body *body)
{
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
    const char *text = body->texts.bytes + id->at;

    if (!id->present)
        vecwire__hms_fault(body, "id is missing");
    else if (id->len < 1 || id->len > VECWIRE__HMS_ID_MAX)
        vecwire__hms_fault(body, "id has %zu bytes, allowed are 1 to %d",
                           id->len, VECWIRE__HMS_ID_MAX);
    else if (has_control((const unsigned char *)text, id->len))
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

static enum vecwire__hms_verdict
check_document(struct vecwire__hms_body *body, struct vecwire__hms_doc *doc)
{
    if (!check_id(body, &doc->id))
        return VECWIRE__HMS_INVALID_REQUEST;
    if (!doc->has_vector) {
        vecwire__hms_fault(body, "vector is missing: this server has no "
                                 "embedder");
        return VECWIRE__HMS_INVALID_REQUEST;
    }
    if (!check_vector(body, "vector", doc) ||
        !check_length(body, "text", doc->text.len, VECWIRE__HMS_TEXT_MAX) ||
        !check_length(body, "metadata", doc->metadata.len,
                      VECWIRE__HMS_METADATA_MAX))
        return VECWIRE__HMS_INVALID_REQUEST;
    if (doc->metadata.present)
        return parse_object(body, "metadata", &doc->metadata, &doc->tree);
    return VECWIRE__HMS_FINE;
}

enum vecwire__hms_verdict
vecwire__hms_check_documents(struct vecwire__hms_body *body, bool batch)
{
    if (body->n_seen == 0 || body->n_seen > VECWIRE__HMS_BATCH_MAX) {
        vecwire__hms_fault(body, "batch has %zu documents, allowed are 1 to %d",
                           body->n_seen, VECWIRE__HMS_BATCH_MAX);
        return VECWIRE__HMS_INVALID_REQUEST;
    }
    for (size_t i = 0; i < body->n_docs; i++) {
        enum vecwire__hms_verdict verdict =
            check_document(body, &body->docs[i]);

        if (verdict != VECWIRE__HMS_FINE) {
            if (batch)
                fault_name_document(body, i);
            return verdict;
        }
    }
    return VECWIRE__HMS_FINE;
}
