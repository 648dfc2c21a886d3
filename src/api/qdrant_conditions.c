/* SPDX-License-Identifier: Apache-2.0 */
/* The conditions of a filter. */
#include "api/qdrant_filter.h"

#include <jansson.h>
#include <math.h>

struct vecwire__qdrant_writer *
vecwire__filter_operator(struct vecwire_qdrant_filter *filter,
                         enum vecwire_qdrant_clause clause, const char *key,
                         const char *name)
{
    struct vecwire__qdrant_writer *w =
        vecwire__filter_open(filter, clause, key == NULL ? "" : key);

    if (w != NULL)
        vecwire__qdrant_key(w, name);
    return w;
}

void
vecwire__filter_put_double(struct vecwire__qdrant_writer *w, double value,
                           const char *what)
{
    json_t *number;

    if (w->err != VECWIRE_OK)
        return;
    if (!isfinite(value)) {
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL, "%s is NaN or infinite",
                               what);
        return;
    }
    /* jansson prints doubles exactly, in any locale. */
    number = json_real(value);
    if (number == NULL)
        w->err = VECWIRE_ENOMEM;
    else
        vecwire__qdrant_put_json(w, NULL, number, NULL, what);
    json_decref(number);
}

static void
put_i64(struct vecwire__qdrant_writer *w, int64_t value)
{
    if (value < 0)
        vecwire__qdrant_put(w, "-");
    vecwire__qdrant_put_u64(w,
                            value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

/* --- match --- */

enum vecwire_err
vecwire_qdrant_filter_match(struct vecwire_qdrant_filter *filter,
                            enum vecwire_qdrant_clause clause, const char *key,
                            enum vecwire_qdrant_match how, const char *text)
{
    static const char *const names[] = {"value", "text", "text_any", "phrase",
                                        "prefix"};
    struct vecwire__qdrant_writer *w =
        vecwire__filter_operator(filter, clause, key, "match");

    if (w != NULL && (unsigned)how >= sizeof(names) / sizeof(names[0])) {
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL, "match is %u", (unsigned)how);
    } else if (w != NULL) {
        if (text == NULL)
            vecwire__qdrant_refuse(w, VECWIRE_EINVAL, "text is NULL");
        vecwire__qdrant_put(w, "{");
        vecwire__qdrant_key(w, names[how]);
        vecwire__qdrant_put_str(w, text, "text");
        vecwire__qdrant_put(w, "}");
    }
    return vecwire__filter_close(filter);
}

enum vecwire_err
vecwire_qdrant_filter_match_integer(struct vecwire_qdrant_filter *filter,
                                    enum vecwire_qdrant_clause clause,
                                    const char *key, int64_t value)
{
    struct vecwire__qdrant_writer *w =
        vecwire__filter_operator(filter, clause, key, "match");

    if (w != NULL) {
        vecwire__qdrant_put(w, "{\"value\":");
        put_i64(w, value);
        vecwire__qdrant_put(w, "}");
    }
    return vecwire__filter_close(filter);
}

enum vecwire_err
vecwire_qdrant_filter_match_bool(struct vecwire_qdrant_filter *filter,
                                 enum vecwire_qdrant_clause clause,
                                 const char *key, bool value)
{
    struct vecwire__qdrant_writer *w =
        vecwire__filter_operator(filter, clause, key, "match");

    if (w != NULL)
        vecwire__qdrant_put(w,
                            value ? "{\"value\":true}" : "{\"value\":false}");
    return vecwire__filter_close(filter);
}

/* "match":{"any":[ or "except":[, which has values: are there any? */
static struct vecwire__qdrant_writer *
open_values(struct vecwire_qdrant_filter *filter,
            enum vecwire_qdrant_clause clause, const char *key, bool except,
            bool is_null, size_t n)
{
    struct vecwire__qdrant_writer *w =
        vecwire__filter_operator(filter, clause, key, "match");

    if (w == NULL)
        return NULL;
    if (is_null && n > 0)
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL, "values are NULL, n is %zu",
                               n);
    vecwire__qdrant_put(w, except ? "{\"except\":[" : "{\"any\":[");
    return w;
}

enum vecwire_err
vecwire_qdrant_filter_match_any(struct vecwire_qdrant_filter *filter,
                                enum vecwire_qdrant_clause clause,
                                const char *key, bool except,
                                const char *const *texts, size_t n)
{
    struct vecwire__qdrant_writer *w =
        open_values(filter, clause, key, except, texts == NULL, n);

    if (w != NULL) {
        for (size_t i = 0; i < n && w->err == VECWIRE_OK; i++) {
            if (texts[i] == NULL)
                vecwire__qdrant_refuse(w, VECWIRE_EINVAL, "text %zu is NULL",
                                       i);
            vecwire__qdrant_comma(w);
            vecwire__qdrant_put_str(w, texts[i], "text");
        }
        vecwire__qdrant_put(w, "]}");
    }
    return vecwire__filter_close(filter);
}

enum vecwire_err
vecwire_qdrant_filter_match_integers(struct vecwire_qdrant_filter *filter,
                                     enum vecwire_qdrant_clause clause,
                                     const char *key, bool except,
                                     const int64_t *values, size_t n)
{
    struct vecwire__qdrant_writer *w =
        open_values(filter, clause, key, except, values == NULL, n);

    if (w != NULL) {
        for (size_t i = 0; i < n && w->err == VECWIRE_OK; i++) {
            vecwire__qdrant_comma(w);
            put_i64(w, values[i]);
        }
        vecwire__qdrant_put(w, "]}");
    }
    return vecwire__filter_close(filter);
}

/* --- keys, points --- */

static enum vecwire_err
key_alone(struct vecwire_qdrant_filter *filter,
          enum vecwire_qdrant_clause clause, const char *name, const char *key)
{
    struct vecwire__qdrant_writer *w =
        vecwire__filter_open(filter, clause, NULL);

    if (w != NULL) {
        vecwire__qdrant_key(w, name);
        vecwire__qdrant_put(w, "{\"key\":");
        vecwire__qdrant_put_path(w, key, "key");
        vecwire__qdrant_put(w, "}");
    }
    return vecwire__filter_close(filter);
}

enum vecwire_err
vecwire_qdrant_filter_is_empty(struct vecwire_qdrant_filter *filter,
                               enum vecwire_qdrant_clause clause,
                               const char *key)
{
    return key_alone(filter, clause, "is_empty", key);
}

enum vecwire_err
vecwire_qdrant_filter_is_null(struct vecwire_qdrant_filter *filter,
                              enum vecwire_qdrant_clause clause,
                              const char *key)
{
    return key_alone(filter, clause, "is_null", key);
}

enum vecwire_err
vecwire_qdrant_filter_has_id(struct vecwire_qdrant_filter *filter,
                             enum vecwire_qdrant_clause clause,
                             const char *const *ids, const uint64_t *numbers,
                             size_t n)
{
    struct vecwire__qdrant_writer *w =
        vecwire__filter_open(filter, clause, NULL);

    if (w != NULL) {
        vecwire__qdrant_key(w, "has_id");
        if (n == 0)
            vecwire__qdrant_put(w, "[]");
        else
            vecwire__qdrant_put_ids(w, ids, numbers, n);
    }
    return vecwire__filter_close(filter);
}

enum vecwire_err
vecwire_qdrant_filter_has_vector(struct vecwire_qdrant_filter *filter,
                                 enum vecwire_qdrant_clause clause,
                                 const char *name)
{
    struct vecwire__qdrant_writer *w =
        vecwire__filter_open(filter, clause, NULL);

    if (w != NULL) {
        vecwire__qdrant_check_vector_name(w, name, "name");
        vecwire__qdrant_key(w, "has_vector");
        vecwire__qdrant_put_str(w, name == NULL ? "" : name, "name");
    }
    return vecwire__filter_close(filter);
}

enum vecwire_err
vecwire_qdrant_filter_slice(struct vecwire_qdrant_filter *filter,
                            enum vecwire_qdrant_clause clause, uint32_t total,
                            uint32_t index)
{
    struct vecwire__qdrant_writer *w =
        vecwire__filter_open(filter, clause, NULL);

    if (w != NULL) {
        if (index >= total)
            vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                                   "slice %u of %u, expected less", index,
                                   total);
        vecwire__qdrant_put(w, "\"slice\":{\"total\":");
        vecwire__qdrant_put_u64(w, total);
        vecwire__qdrant_put(w, ",\"index\":");
        vecwire__qdrant_put_u64(w, index);
        vecwire__qdrant_put(w, "}");
    }
    return vecwire__filter_close(filter);
}

enum vecwire_err
vecwire_qdrant_filter_json(struct vecwire_qdrant_filter *filter,
                           enum vecwire_qdrant_clause clause, const char *json,
                           const struct json_t *tree)
{
    struct vecwire__qdrant_writer *w =
        vecwire__filter_open(filter, clause, NULL);

    if (w == NULL)
        return filter == NULL ? VECWIRE_ENOMEM : filter->writer.err;
    /* It brings its own brackets. */
    w->text->len--;
    vecwire__qdrant_put_json(w, json, tree, "{", "condition");
    return w->err;
}
