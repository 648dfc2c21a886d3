/* SPDX-License-Identifier: Apache-2.0 */
#include "dialect/dialect.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "codec/json_writer.h"

const struct vecwire__dialect *
vecwire__dialect_find(uint32_t dialect)
{
    switch (dialect) {
    case VECWIRE_HMS:
        return &vecwire__dialect_hms;
    case VECWIRE_QDRANT:
        return &vecwire__dialect_qdrant;
    default:
        return NULL;
    }
}

bool
vecwire__read_error(struct vecwire_reply *reply,
                    const struct vecwire__json_table *table,
                    vecwire__json_sink sink,
                    struct vecwire__server_error *found)
{
    const unsigned depth = 16;
    struct vecwire__json_reader reader;
    size_t len = reply->texts.len;

    memset(found, 0, sizeof(*found));
    vecwire__json_init(&reader, table, sink, found, &reply->texts, depth);
    (void)vecwire__json_feed(&reader, reply->body.bytes, reply->body.len);
    if (vecwire__json_finish(&reader) == VECWIRE__JSON_DONE &&
        (found->has_code || found->has_text))
        return true;
    memset(found, 0, sizeof(*found));
    reply->texts.len = len;
    return false;
}

enum vecwire_err
vecwire__refuse(struct vecwire_refusal *refusal, enum vecwire_err code,
                size_t row, size_t coordinate, const char *format, ...)
{
    va_list args;

    refusal->row = row;
    refusal->coordinate = coordinate;
    va_start(args, format);
    vsnprintf(refusal->text, sizeof(refusal->text), format, args);
    va_end(args);
    return code;
}

/* "filter", or "row 3: payload". */
static void
name_place(char *place, size_t size, size_t row, const char *what)
{
    if (row == SIZE_MAX)
        snprintf(place, size, "%s", what);
    else
        snprintf(place, size, "row %zu: %s", row, what);
}

static enum vecwire_err
put_json_text(const struct vecwire__settings *settings,
              struct vecwire__buf *text, const char *json, size_t row,
              const char *place, struct vecwire_refusal *refusal)
{
    size_t len = strlen(json), at = 0;
    enum vecwire__json_rc rc =
        vecwire__json_check(json, len, settings->json_depth, true, &at);

    if (rc == VECWIRE__JSON_ETYPE)
        return vecwire__refuse(refusal, VECWIRE_EINVAL, row, SIZE_MAX,
                               "%s is not a JSON object", place);
    if (rc != VECWIRE__JSON_DONE)
        return vecwire__refuse(refusal, VECWIRE_EINVAL, row, SIZE_MAX,
                               "%s is not JSON: %s at byte %zu", place,
                               vecwire__json_rc_text(rc), at);
    return vecwire__buf_add(text, json, len) ? VECWIRE_OK : VECWIRE_ENOMEM;
}

enum vecwire_err
vecwire__put_object(const struct vecwire__settings *settings,
                    struct vecwire__buf *text, const char *json,
                    const struct json_t *tree, size_t row, const char *what,
                    struct vecwire_refusal *refusal)
{
    enum vecwire_err err;
    char place[64];
    size_t at = text->len;

    name_place(place, sizeof(place), row, what);
    if (json != NULL && tree != NULL)
        return vecwire__refuse(refusal, VECWIRE_EINVAL, row, SIZE_MAX,
                               "%s is given as text and as a tree", place);
    if (json != NULL)
        return put_json_text(settings, text, json, row, place, refusal);
    err = vecwire__json_put_tree(text, tree, settings->json_depth);
    if (err == VECWIRE_OK && text->bytes[at] != '{') {
        text->len = at;
        return vecwire__refuse(refusal, VECWIRE_EINVAL, row, SIZE_MAX,
                               "%s is not a JSON object", place);
    }
    if (err == VECWIRE_EINVAL)
        return vecwire__refuse(refusal, err, row, SIZE_MAX,
                               "%s cannot be printed as JSON, or is nested "
                               "deeper than %u",
                               place, settings->json_depth);
    return err;
}

enum vecwire_err
vecwire__refuse_float(struct vecwire_refusal *refusal, size_t row,
                      size_t coordinate)
{
    if (row == SIZE_MAX)
        return vecwire__refuse(refusal, VECWIRE_EINVAL, row, coordinate,
                               "vector: coordinate %zu is NaN or infinite",
                               coordinate);
    return vecwire__refuse(refusal, VECWIRE_EINVAL, row, coordinate,
                           "row %zu: coordinate %zu is NaN or infinite", row,
                           coordinate);
}

enum vecwire_err
vecwire__put_row(struct vecwire__buf *text, const float *vector, size_t dim,
                 size_t row, struct vecwire_refusal *refusal)
{
    size_t bad = 0;
    enum vecwire_err err = vecwire__json_put_vector(text, vector, dim, &bad);

    if (err != VECWIRE_EINVAL)
        return err;
    return vecwire__refuse_float(refusal, row, bad);
}

enum vecwire_err
vecwire__put_text(struct vecwire__buf *text, const char *value, size_t row,
                  const char *what, struct vecwire_refusal *refusal)
{
    size_t bad = 0;
    enum vecwire_err err =
        vecwire__json_put_str(text, value, strlen(value), &bad);
    char place[64];

    if (err != VECWIRE_EINVAL)
        return err;
    name_place(place, sizeof(place), row, what);
    return vecwire__refuse(refusal, err, row, SIZE_MAX,
                           "%s is not UTF-8 at byte %zu", place, bad);
}

bool
vecwire__put_segment(struct vecwire__buf *text, const char *segment)
{
    static const char hex[] = "0123456789ABCDEF";
    size_t len = strlen(segment);
    char *out;

    /* What stands between would take them for steps of the path. */
    if (strcmp(segment, ".") == 0)
        return vecwire__buf_str(text, "%2E");
    if (strcmp(segment, "..") == 0)
        return vecwire__buf_str(text, "%2E%2E");
    if (len > SIZE_MAX / 3 || !vecwire__buf_reserve(text, 3 * len))
        return false;
    out = text->bytes + text->len;
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)segment[i];
        bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
                     (c >= 'a' && c <= 'z') || c == '-' || c == '.' ||
                     c == '_' || c == '~';

        if (plain) {
            *out++ = (char)c;
        } else {
            *out++ = '%';
            *out++ = hex[c >> 4];
            *out++ = hex[c & 15];
        }
    }
    text->len = (size_t)(out - text->bytes);
    return true;
}
