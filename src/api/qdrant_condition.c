/* SPDX-License-Identifier: Apache-2.0 */
/* Qdrant's filters: the conditions. */
#include "api/qdrant_filter.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "codec/datetime.h"
#include "codec/json_writer.h"

#define MAX_DEPTH 8 /* of the trees below */

static struct vecwire__qdrant_writer *
keyed(struct vecwire_qdrant_filter *filter, const char *key, const char *name)
{
    struct vecwire__qdrant_writer *w = vecwire__filter_condition(filter);

    vecwire__qdrant_put(w, "{\"key\":");
    vecwire__qdrant_put_path(w, key, "key");
    vecwire__qdrant_key(w, name);
    return w;
}

static void
put_text(struct vecwire__qdrant_writer *w, const char *text, const char *what)
{
    if (text == NULL)
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL, "%s is NULL", what);
    else
        vecwire__qdrant_put_str(w, text, what);
}

static void
put_i64(struct vecwire__qdrant_writer *w, int64_t number)
{
    char text[24];

    snprintf(text, sizeof(text), "%" PRId64, number);
    vecwire__qdrant_put(w, text);
}

/* jansson prints doubles whatever the locale. */
static void
put_double(struct vecwire__qdrant_writer *w, double value, const char *what)
{
    json_t *array;
    struct vecwire__buf *text = w->text;
    size_t at = text->len;

    if (w->err != VECWIRE_OK)
        return;
    if (!isfinite(value)) {
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL, "%s is NaN or infinite",
                               what);
        return;
    }
    array = json_array();
    if (json_array_append_new(array, json_real(value)) != 0)
        w->err = VECWIRE_ENOMEM;
    else
        w->err = vecwire__json_put_tree(text, array, MAX_DEPTH);
    json_decref(array);
    if (w->err != VECWIRE_OK)
        return;
    /* Without the brackets. */
    text->len -= 2;
    memmove(text->bytes + at, text->bytes + at + 1, text->len - at);
}

enum vecwire_err
vecwire_qdrant_filter_match_text(struct vecwire_qdrant_filter *filter,
                                 const char *key, const char *text)
{
    struct vecwire__qdrant_writer *w = keyed(filter, key, "match");

    vecwire__qdrant_put(w, "{\"value\":");
    put_text(w, text, "text");
    vecwire__qdrant_put(w, "}}");
    return w->err;
}

enum vecwire_err
vecwire_qdrant_filter_match_i64(struct vecwire_qdrant_filter *filter,
                                const char *key, int64_t number)
{
    struct vecwire__qdrant_writer *w = keyed(filter, key, "match");

    vecwire__qdrant_put(w, "{\"value\":");
    put_i64(w, number);
    vecwire__qdrant_put(w, "}}");
    return w->err;
}

enum vecwire_err
vecwire_qdrant_filter_match_bool(struct vecwire_qdrant_filter *filter,
                                 const char *key, bool value)
{
    struct vecwire__qdrant_writer *w = keyed(filter, key, "match");

    vecwire__qdrant_put(w, "{\"value\":");
    vecwire__qdrant_put_bool(w, value);
    vecwire__qdrant_put(w, "}}");
    return w->err;
}

static struct vecwire__qdrant_writer *
match_list(struct vecwire_qdrant_filter *filter, const char *key,
           const void *values, size_t n, bool except)
{
    struct vecwire__qdrant_writer *w = keyed(filter, key, "match");

    if (values == NULL && n > 0)
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL, "values are NULL, n is %zu",
                               n);
    vecwire__qdrant_put(w, except ? "{\"except\":[" : "{\"any\":[");
    return w;
}

enum vecwire_err
vecwire_qdrant_filter_match_texts(struct vecwire_qdrant_filter *filter,
                                  const char *key, const char *const *texts,
                                  size_t n, bool except)
{
    struct vecwire__qdrant_writer *w =
        match_list(filter, key, texts, n, except);

    for (size_t i = 0; i < n && w->err == VECWIRE_OK; i++) {
        vecwire__qdrant_comma(w);
        put_text(w, texts[i], "text");
    }
    vecwire__qdrant_put(w, "]}}");
    return w->err;
}

enum vecwire_err
vecwire_qdrant_filter_match_i64s(struct vecwire_qdrant_filter *filter,
                                 const char *key, const int64_t *numbers,
                                 size_t n, bool except)
{
    struct vecwire__qdrant_writer *w =
        match_list(filter, key, numbers, n, except);

    for (size_t i = 0; i < n && w->err == VECWIRE_OK; i++) {
        vecwire__qdrant_comma(w);
        put_i64(w, numbers[i]);
    }
    vecwire__qdrant_put(w, "]}}");
    return w->err;
}

enum vecwire_err
vecwire_qdrant_filter_words(struct vecwire_qdrant_filter *filter,
                            const char *key, enum vecwire_qdrant_words how,
                            const char *words)
{
    static const char *const names[] = {"", "text", "phrase", "text_any",
                                        "prefix"};
    struct vecwire__qdrant_writer *w = keyed(filter, key, "match");

    if (how < VECWIRE_QDRANT_ALL_WORDS || how > VECWIRE_QDRANT_PREFIX)
        return vecwire__qdrant_refuse(w, VECWIRE_EINVAL, "how is %d", (int)how);
    vecwire__qdrant_put(w, "{");
    vecwire__qdrant_key(w, names[how]);
    put_text(w, words, "words");
    vecwire__qdrant_put(w, "}}");
    return w->err;
}

static const char *const bound_names[] = {"", "gt", "gte", "lt", "lte"};

/* A condition that has two bounds begins. */
static struct vecwire__qdrant_writer *
bounded(struct vecwire_qdrant_filter *filter, const char *key, const char *name,
        enum vecwire_qdrant_bound low, enum vecwire_qdrant_bound high)
{
    struct vecwire__qdrant_writer *w = keyed(filter, key, name);

    if (low > VECWIRE_QDRANT_GTE)
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                               "low bound is %d, expected GT or GTE", (int)low);
    else if (high != VECWIRE_QDRANT_NO_BOUND && high != VECWIRE_QDRANT_LT &&
             high != VECWIRE_QDRANT_LTE)
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                               "high bound is %d, expected LT or LTE",
                               (int)high);
    else if (low == VECWIRE_QDRANT_NO_BOUND && high == VECWIRE_QDRANT_NO_BOUND)
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL, "%s without a bound", name);
    vecwire__qdrant_put(w, "{");
    return w;
}

/* Is there such a bound? Its name is put, its value is to follow. */
static bool
has_bound(struct vecwire__qdrant_writer *w, enum vecwire_qdrant_bound bound)
{
    if (w->err != VECWIRE_OK || bound == VECWIRE_QDRANT_NO_BOUND)
        return false;
    vecwire__qdrant_key(w, bound_names[bound]);
    return true;
}

enum vecwire_err
vecwire_qdrant_filter_range(struct vecwire_qdrant_filter *filter,
                            const char *key, enum vecwire_qdrant_bound low_is,
                            double low, enum vecwire_qdrant_bound high_is,
                            double high)
{
    struct vecwire__qdrant_writer *w =
        bounded(filter, key, "range", low_is, high_is);

    if (has_bound(w, low_is))
        put_double(w, low, "low");
    if (has_bound(w, high_is))
        put_double(w, high, "high");
    vecwire__qdrant_put(w, "}}");
    return w->err;
}

enum vecwire_err
vecwire_qdrant_filter_range_i64(struct vecwire_qdrant_filter *filter,
                                const char *key,
                                enum vecwire_qdrant_bound low_is, int64_t low,
                                enum vecwire_qdrant_bound high_is, int64_t high)
{
    struct vecwire__qdrant_writer *w =
        bounded(filter, key, "range", low_is, high_is);

    if (has_bound(w, low_is))
        put_i64(w, low);
    if (has_bound(w, high_is))
        put_i64(w, high);
    vecwire__qdrant_put(w, "}}");
    return w->err;
}

static void
put_datetime(struct vecwire__qdrant_writer *w, const char *text,
             const char *what)
{
    int64_t microseconds;

    if (text != NULL &&
        !vecwire__datetime_parse(text, strlen(text), &microseconds))
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                               "%s \"%.40s\": expected a datetime such as "
                               "2024-07-22T08:31:55Z",
                               what, text);
    put_text(w, text, what);
}

enum vecwire_err
vecwire_qdrant_filter_range_datetime(struct vecwire_qdrant_filter *filter,
                                     const char *key,
                                     enum vecwire_qdrant_bound low_is,
                                     const char *low,
                                     enum vecwire_qdrant_bound high_is,
                                     const char *high)
{
    struct vecwire__qdrant_writer *w =
        bounded(filter, key, "range", low_is, high_is);

    if (has_bound(w, low_is))
        put_datetime(w, low, "low");
    if (has_bound(w, high_is))
        put_datetime(w, high, "high");
    vecwire__qdrant_put(w, "}}");
    return w->err;
}

enum vecwire_err
vecwire_qdrant_filter_values_count(struct vecwire_qdrant_filter *filter,
                                   const char *key,
                                   enum vecwire_qdrant_bound low_is,
                                   uint64_t low,
                                   enum vecwire_qdrant_bound high_is,
                                   uint64_t high)
{
    struct vecwire__qdrant_writer *w =
        bounded(filter, key, "values_count", low_is, high_is);

    if (has_bound(w, low_is))
        vecwire__qdrant_put_u64(w, low);
    if (has_bound(w, high_is))
        vecwire__qdrant_put_u64(w, high);
    vecwire__qdrant_put(w, "}}");
    return w->err;
}

static void
put_geo(struct vecwire__qdrant_writer *w, struct vecwire_qdrant_geo place,
        const char *what)
{
    /* Written so that NaN is refused, too. */
    if (!(fabs(place.lat) <= 90 && fabs(place.lon) <= 180))
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                               "%s: expected lat -90 to 90, lon -180 to 180",
                               what);
    vecwire__qdrant_put(w, "{\"lat\":");
    put_double(w, place.lat, what);
    vecwire__qdrant_put(w, ",\"lon\":");
    put_double(w, place.lon, what);
    vecwire__qdrant_put(w, "}");
}

enum vecwire_err
vecwire_qdrant_filter_geo_box(struct vecwire_qdrant_filter *filter,
                              const char *key,
                              struct vecwire_qdrant_geo top_left,
                              struct vecwire_qdrant_geo bottom_right)
{
    struct vecwire__qdrant_writer *w = keyed(filter, key, "geo_bounding_box");

    vecwire__qdrant_put(w, "{\"top_left\":");
    put_geo(w, top_left, "top_left");
    vecwire__qdrant_put(w, ",\"bottom_right\":");
    put_geo(w, bottom_right, "bottom_right");
    vecwire__qdrant_put(w, "}}");
    return w->err;
}

enum vecwire_err
vecwire_qdrant_filter_geo_radius(struct vecwire_qdrant_filter *filter,
                                 const char *key,
                                 struct vecwire_qdrant_geo center,
                                 double radius)
{
    struct vecwire__qdrant_writer *w = keyed(filter, key, "geo_radius");

    if (!(radius >= 0))
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                               "radius is below 0 or NaN, expected metres");
    vecwire__qdrant_put(w, "{\"center\":");
    put_geo(w, center, "center");
    vecwire__qdrant_put(w, ",\"radius\":");
    put_double(w, radius, "radius");
    vecwire__qdrant_put(w, "}}");
    return w->err;
}

static void
put_ring(struct vecwire__qdrant_writer *w,
         const struct vecwire_qdrant_ring *ring, size_t at)
{
    const struct vecwire_qdrant_geo *p = ring->points;
    const size_t least = 4;
    char what[32];

    snprintf(what, sizeof(what), "ring %zu", at);
    if (p == NULL || ring->n < least || p[0].lat != p[ring->n - 1].lat ||
        p[0].lon != p[ring->n - 1].lon) {
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                               "%s: expected at least %zu points, the last "
                               "one as the first",
                               what, least);
        return;
    }
    vecwire__qdrant_put(w, "{\"points\":[");
    for (size_t i = 0; i < ring->n && w->err == VECWIRE_OK; i++) {
        vecwire__qdrant_comma(w);
        put_geo(w, p[i], what);
    }
    vecwire__qdrant_put(w, "]}");
}

enum vecwire_err
vecwire_qdrant_filter_geo_polygon(struct vecwire_qdrant_filter *filter,
                                  const char *key,
                                  const struct vecwire_qdrant_ring *rings,
                                  size_t n)
{
    struct vecwire__qdrant_writer *w = keyed(filter, key, "geo_polygon");

    if (rings == NULL || n == 0)
        return vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                                      "no rings, expected at least 1");
    vecwire__qdrant_put(w, "{\"exterior\":");
    put_ring(w, &rings[0], 0);
    if (n > 1)
        vecwire__qdrant_put(w, ",\"interiors\":[");
    for (size_t i = 1; i < n && w->err == VECWIRE_OK; i++) {
        vecwire__qdrant_comma(w);
        put_ring(w, &rings[i], i);
    }
    vecwire__qdrant_put(w, n > 1 ? "]}}" : "}}");
    return w->err;
}

static enum vecwire_err
about_key(struct vecwire_qdrant_filter *filter, const char *name,
          const char *key)
{
    struct vecwire__qdrant_writer *w = vecwire__filter_condition(filter);

    vecwire__qdrant_put(w, "{");
    vecwire__qdrant_key(w, name);
    vecwire__qdrant_put(w, "{\"key\":");
    vecwire__qdrant_put_path(w, key, "key");
    vecwire__qdrant_put(w, "}}");
    return w->err;
}

enum vecwire_err
vecwire_qdrant_filter_is_empty(struct vecwire_qdrant_filter *filter,
                               const char *key)
{
    return about_key(filter, "is_empty", key);
}

enum vecwire_err
vecwire_qdrant_filter_is_null(struct vecwire_qdrant_filter *filter,
                              const char *key)
{
    return about_key(filter, "is_null", key);
}

enum vecwire_err
vecwire_qdrant_filter_has_id(struct vecwire_qdrant_filter *filter,
                             const char *const *ids, const uint64_t *numbers,
                             size_t n)
{
    struct vecwire__qdrant_writer *w = vecwire__filter_condition(filter);

    vecwire__qdrant_put(w, "{\"has_id\":");
    vecwire__qdrant_put_ids(w, ids, numbers, n);
    vecwire__qdrant_put(w, "}");
    return w->err;
}

enum vecwire_err
vecwire_qdrant_filter_has_vector(struct vecwire_qdrant_filter *filter,
                                 const char *name)
{
    struct vecwire__qdrant_writer *w = vecwire__filter_condition(filter);

    vecwire__qdrant_check_vector_name(w, name, "name");
    vecwire__qdrant_put(w, "{\"has_vector\":");
    vecwire__qdrant_put_str(w, name == NULL ? "" : name, "name");
    vecwire__qdrant_put(w, "}");
    return w->err;
}

enum vecwire_err
vecwire_qdrant_filter_slice(struct vecwire_qdrant_filter *filter,
                            uint64_t total, uint64_t index)
{
    struct vecwire__qdrant_writer *w = vecwire__filter_condition(filter);

    if (index >= total)
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                               "slice %" PRIu64 " of %" PRIu64
                               ", expected less than that",
                               index, total);
    vecwire__qdrant_put(w, "{\"slice\":{\"total\":");
    vecwire__qdrant_put_u64(w, total);
    vecwire__qdrant_put(w, ",\"index\":");
    vecwire__qdrant_put_u64(w, index);
    vecwire__qdrant_put(w, "}}");
    return w->err;
}
