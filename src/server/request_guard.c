/* SPDX-License-Identifier: Apache-2.0 */
#include "server/request_guard.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

void
vecwire__request_guard_begin(struct vecwire__request_guard *guard,
                             uint64_t max_body)
{
    *guard = (struct vecwire__request_guard){
        .head = {.max_first_line = VECWIRE__REQUEST_LINE_MAX,
                 .max_bytes = VECWIRE__REQUEST_HEAD_MAX,
                 .max_lines = VECWIRE__REQUEST_LINES_MAX},
        .max_body = max_body};
    vecwire__head_guard_begin(&guard->head);
}

static bool
refuse(struct vecwire__request_guard *guard, int status, const char *reason,
       const char *code)
{
    guard->status = status;
    guard->reason = reason;
    guard->code = code;
    return false;
}

static bool
refuse_head(struct vecwire__request_guard *guard,
            enum vecwire__head_fault fault)
{
    vecwire__head_guard_text(&guard->head, fault, guard->message,
                             sizeof(guard->message));
    switch (fault) {
    case VECWIRE__HEAD_FIRST_LINE:
        return refuse(guard, 414, "URI Too Long", "uri_too_long");
    case VECWIRE__HEAD_BYTES:
    case VECWIRE__HEAD_LINES:
        return refuse(guard, 431, "Request Header Fields Too Large",
                      "headers_too_large");
    default:
        return refuse(guard, 400, "Bad Request", "invalid_request");
    }
}

/* Without a code it is answered in Qdrant's form. */
static bool
refuse_body(struct vecwire__request_guard *guard)
{
    return guard->is_qdrant
               ? refuse(guard, 400, "Bad Request", NULL)
               : refuse(guard, 413, "Payload Too Large", "payload_too_large");
}

static bool
refuse_chunk(struct vecwire__request_guard *guard,
             enum vecwire__chunk_fault fault)
{
    if (fault == VECWIRE__CHUNK_TRAILERS)
        return refuse_head(guard, guard->chunks.head_fault);
    vecwire__chunks_text(&guard->chunks, fault, guard->message,
                         sizeof(guard->message));
    if (fault == VECWIRE__CHUNK_BODY)
        return refuse_body(guard);
    return refuse(guard, 400, "Bad Request", "invalid_request");
}

static bool
begins(const struct vecwire__request_guard *guard, const char *text)
{
    return strncasecmp(guard->line, text, strlen(text)) == 0;
}

/* What of the line stands behind this name, or NULL. evhttp takes blanks off
 * both ends of a value. */
static const char *
value_of(struct vecwire__request_guard *guard, const char *name)
{
    size_t len = strlen(name), end = guard->line_len;
    const char *value;

    if (!begins(guard, name))
        return NULL;
    while (end > len && strchr(" \t\r", guard->line[end - 1]) != NULL)
        end--;
    guard->line[end] = '\0';
    value = guard->line + len;
    return value + strspn(value, " \t");
}

static bool
take_length(struct vecwire__request_guard *guard, const char *value)
{
    if (*value == '\0')
        return false;
    for (; *value >= '0' && *value <= '9'; value++) {
        if (guard->length <= UINT64_MAX / 16)
            guard->length = guard->length * 10 + (uint64_t)(*value - '0');
    }
    return *value == '\0';
}

/* What says where the body ends. evhttp reads lists, parameters, blanks
 * without number and folded lines here, each release its own: what it could
 * read otherwise than we do is refused, or it would read bodies that nothing
 * limits. */
static void
read_line(struct vecwire__request_guard *guard)
{
    const char *coding, *length;

    if (guard->line[0] == ' ' || guard->line[0] == '\t')
        guard->unframed = true;
    coding = value_of(guard, "Transfer-Encoding:");
    length = value_of(guard, "Content-Length:");
    if (coding == NULL && length == NULL)
        return;
    guard->ends++;
    guard->chunked = coding != NULL && strcasecmp(coding, "chunked") == 0;
    if (guard->cut || guard->ends > 1 ||
        (coding != NULL ? !guard->chunked : !take_length(guard, length)))
        guard->unframed = true;
}

/* Bodies of Qdrant's routes are limited otherwise. */
static void
read_first(struct vecwire__request_guard *guard)
{
    const char *path = strchr(guard->line, ' ');

    guard->bodiless = begins(guard, "HEAD ") || begins(guard, "TRACE ");
    if (path != NULL && path[1] == '/' &&
        strncmp(path + 1 + strspn(path + 1, "/"), "collections/", 12) == 0) {
        guard->max_body = VECWIRE__REQUEST_QDRANT_BODY;
        guard->is_qdrant = true;
    }
}

static void
end_line(struct vecwire__request_guard *guard)
{
    guard->line[guard->line_len] = '\0';
    if (guard->in_lines)
        read_line(guard);
    else
        read_first(guard);
    guard->in_lines = true;
    guard->line_len = 0;
    guard->cut = false;
}

/* Read the lines that the head has, as far as they matter. */
static void
read_lines(struct vecwire__request_guard *guard, const char *bytes, size_t n)
{
    while (n > 0) {
        const char *end = memchr(bytes, '\n', n);
        size_t len = end == NULL ? n : (size_t)(end - bytes);
        size_t room = sizeof(guard->line) - 1 - guard->line_len;

        guard->cut = guard->cut || len > room;
        memcpy(guard->line + guard->line_len, bytes, len < room ? len : room);
        guard->line_len += len < room ? len : room;
        if (end == NULL)
            return;
        end_line(guard);
        bytes += len + 1;
        n -= len + 1;
    }
}

static bool
end_head(struct vecwire__request_guard *guard)
{
    guard->in_body = true;
    if (guard->unframed ||
        (guard->bodiless && (guard->chunked || guard->length > 0))) {
        snprintf(guard->message, sizeof(guard->message), VECWIRE__UNFRAMED);
        return refuse(guard, 400, "Bad Request", "invalid_request");
    }
    if (guard->chunked) {
        vecwire__chunks_begin(&guard->chunks, guard->max_body, &guard->head);
    } else if (guard->length > guard->max_body) {
        snprintf(guard->message, sizeof(guard->message),
                 "body has %llu bytes, at most %llu are allowed",
                 (unsigned long long)guard->length,
                 (unsigned long long)guard->max_body);
        return refuse_body(guard);
    }
    return true;
}

static bool
take_head(struct vecwire__request_guard *guard, const char *bytes, size_t n,
          size_t *used)
{
    enum vecwire__head_fault fault =
        vecwire__head_guard_count(&guard->head, bytes, n, used);

    if (fault != VECWIRE__HEAD_FINE)
        return refuse_head(guard, fault);
    read_lines(guard, bytes, *used);
    return !guard->head.ended || end_head(guard);
}

bool
vecwire__request_guard_take(struct vecwire__request_guard *guard,
                            const char *bytes, size_t n)
{
    while (n > 0) {
        size_t used = 0;

        if (!guard->in_body) {
            if (!take_head(guard, bytes, n, &used))
                return false;
        } else if (guard->chunked &&
                   guard->chunks.state != VECWIRE__CHUNK_AT_END) {
            bool is_body;
            enum vecwire__chunk_fault fault =
                vecwire__chunks_take(&guard->chunks, bytes, n, &used, &is_body);

            if (fault != VECWIRE__CHUNK_FINE)
                return refuse_chunk(guard, fault);
        } else {
            return true;
        }
        bytes += used;
        n -= used;
    }
    return true;
}
