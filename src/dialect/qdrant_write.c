/* SPDX-License-Identifier: Apache-2.0 */
/* Qdrant: the values that requests are made of. */
#include "dialect/qdrant.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "codec/json_string.h"
#include "codec/json_writer.h"

static void
failed(struct vecwire__qdrant_writer *w, enum vecwire_err err)
{
    if (w->err == VECWIRE_OK)
        w->err = err;
}

enum vecwire_err
vecwire__qdrant_refuse(struct vecwire__qdrant_writer *w, enum vecwire_err code,
                       const char *format, ...)
{
    char text[sizeof(w->refusal->text)];
    va_list args;

    if (w->err != VECWIRE_OK)
        return w->err;
    w->err = code;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (w->row == SIZE_MAX)
        return vecwire__refuse(w->refusal, code, SIZE_MAX, SIZE_MAX, "%s",
                               text);
    return vecwire__refuse(w->refusal, code, w->row, SIZE_MAX, "row %zu: %s",
                           w->row, text);
}

void
vecwire__qdrant_put(struct vecwire__qdrant_writer *w, const char *text)
{
    if (w->err == VECWIRE_OK && !vecwire__buf_str(w->text, text))
        w->err = VECWIRE_ENOMEM;
}

void
vecwire__qdrant_comma(struct vecwire__qdrant_writer *w)
{
    char last;

    if (w->err != VECWIRE_OK || w->text->len == 0)
        return;
    last = w->text->bytes[w->text->len - 1];
    if (last != '{' && last != '[')
        vecwire__qdrant_put(w, ",");
}

void
vecwire__qdrant_key(struct vecwire__qdrant_writer *w, const char *key)
{
    vecwire__qdrant_comma(w);
    vecwire__qdrant_put(w, "\"");
    vecwire__qdrant_put(w, key);
    vecwire__qdrant_put(w, "\":");
}

void
vecwire__qdrant_put_u64(struct vecwire__qdrant_writer *w, uint64_t n)
{
    if (w->err == VECWIRE_OK && !vecwire__json_put_u64(w->text, n))
        w->err = VECWIRE_ENOMEM;
}

void
vecwire__qdrant_put_bool(struct vecwire__qdrant_writer *w, bool value)
{
    vecwire__qdrant_put(w, value ? "true" : "false");
}

void
vecwire__qdrant_put_float(struct vecwire__qdrant_writer *w, float value,
                          const char *what)
{
    char text[VECWIRE_FLOAT_TEXT_MAX];
    size_t len;

    if (w->err != VECWIRE_OK)
        return;
    len = vecwire_float_format(value, text);
    if (len == 0)
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL, "%s is NaN or infinite",
                               what);
    else if (!vecwire__buf_add(w->text, text, len))
        w->err = VECWIRE_ENOMEM;
}

void
vecwire__qdrant_put_str(struct vecwire__qdrant_writer *w, const char *value,
                        const char *what)
{
    if (w->err == VECWIRE_OK)
        failed(w, vecwire__put_text(w->text, value, w->row, what, w->refusal));
}

/* '"', '[', '{', '0' for a number, 't' for true, false and null. */
static char
beginning_of(const char *json, size_t len)
{
    size_t i = 0;

    while (i < len && strchr(" \t\r\n", json[i]) != NULL && json[i] != '\0')
        i++;
    if (i == len)
        return '\0';
    if (json[i] == '-' || (json[i] >= '0' && json[i] <= '9'))
        return '0';
    return strchr("\"[{", json[i]) != NULL ? json[i] : 't';
}

static void
put_json_text(struct vecwire__qdrant_writer *w, const char *json,
              const char *what)
{
    size_t len = strlen(json), at = 0;
    enum vecwire__json_rc rc =
        vecwire__json_check(json, len, w->settings->json_depth, false, &at);

    if (rc != VECWIRE__JSON_DONE)
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                               "%s is not JSON: %s at byte "
                               "%zu",
                               what, vecwire__json_rc_text(rc), at);
    else if (!vecwire__buf_add(w->text, json, len))
        w->err = VECWIRE_ENOMEM;
}

void
vecwire__qdrant_put_json(struct vecwire__qdrant_writer *w, const char *json,
                         const struct json_t *tree, const char *begins,
                         const char *what)
{
    size_t at = w->text->len;
    char first;

    if (w->err != VECWIRE_OK)
        return;
    if ((json == NULL) == (tree == NULL)) {
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                               json == NULL ? "%s is NULL, expected JSON"
                                            : "%s is given as text and as a "
                                              "tree",
                               what);
        return;
    }
    if (json != NULL) {
        put_json_text(w, json, what);
    } else {
        failed(w,
               vecwire__json_put_tree(w->text, tree, w->settings->json_depth));
        if (w->err == VECWIRE_EINVAL) {
            w->err = VECWIRE_OK;
            vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                                   "%s cannot be printed as JSON, or is nested "
                                   "deeper than %u",
                                   what, w->settings->json_depth);
        }
    }
    if (w->err != VECWIRE_OK)
        return;
    first = beginning_of(w->text->bytes + at, w->text->len - at);
    if (begins != NULL && strchr(begins, first) == NULL)
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL, "%s: expected %s%s%s%s", what,
                               strchr(begins, '{') != NULL ? "an object " : "",
                               strchr(begins, '[') != NULL ? "an array " : "",
                               strchr(begins, '"') != NULL ? "a string " : "",
                               strchr(begins, '0') != NULL ? "a number" : "");
}

void
vecwire__qdrant_member(struct vecwire__qdrant_writer *w, const char *key,
                       const char *json, const struct json_t *tree,
                       const char *begins)
{
    if (json == NULL && tree == NULL)
        return;
    vecwire__qdrant_key(w, key);
    vecwire__qdrant_put_json(w, json, tree, begins, key);
}

void
vecwire__qdrant_member_filter(struct vecwire__qdrant_writer *w,
                              const char *filter, const struct json_t *tree)
{
    vecwire__qdrant_member(w, "filter", filter, tree, "{");
    vecwire__qdrant_check_filter(w, filter, tree);
}

static void
put_vector_names(struct vecwire__qdrant_writer *w,
                 const struct vecwire_qdrant_params *params)
{
    vecwire__qdrant_put(w, "[");
    for (size_t i = 0; i < params->n_vector_names; i++) {
        const char *name = params->vector_names[i];

        vecwire__qdrant_check_vector_name(w, name, "vector_names");
        vecwire__qdrant_comma(w);
        vecwire__qdrant_put_str(w, name == NULL ? "" : name, "vector_names");
    }
    vecwire__qdrant_put(w, "]");
}

void
vecwire__qdrant_put_selectors(struct vecwire__qdrant_writer *w,
                              bool with_payload, bool with_vector)
{
    const struct vecwire_qdrant_params *params = w->settings->qdrant;

    if (params != NULL && params->payload_selector != NULL) {
        vecwire__qdrant_member(w, "with_payload", params->payload_selector,
                               NULL, "[{");
        vecwire__qdrant_check_selector(w, params->payload_selector);
    } else {
        vecwire__qdrant_key(w, "with_payload");
        vecwire__qdrant_put_bool(w, with_payload);
    }
    vecwire__qdrant_key(w, "with_vector");
    if (params != NULL && params->vector_names != NULL)
        put_vector_names(w, params);
    else
        vecwire__qdrant_put_bool(w, with_vector);
}
