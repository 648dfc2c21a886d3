/* SPDX-License-Identifier: Apache-2.0 */
/* The conditions of a filter that have bounds, and those on places. */
#include "api/qdrant_filter.h"

enum { LT, GT, LTE, GTE, N_BOUNDS };

static const char *const bound_names[N_BOUNDS] = {"lt", "gt", "lte", "gte"};

/* What kind of bounds there are. */
enum kind { DOUBLE, INTEGER, COUNT, DATETIME };

static void
put_bound(struct vecwire__qdrant_writer *w, enum kind kind, const void *bound,
          const char *name)
{
    int64_t integer = 0;

    vecwire__qdrant_key(w, name);
    switch (kind) {
    case DOUBLE:
        vecwire__filter_put_double(w, *(const double *)bound, name);
        break;
    case INTEGER:
        integer = *(const int64_t *)bound;
        if (integer < 0)
            vecwire__qdrant_put(w, "-");
        vecwire__qdrant_put_u64(w, integer < 0 ? 0 - (uint64_t)integer
                                               : (uint64_t)integer);
        break;
    case COUNT:
        vecwire__qdrant_put_u64(w, *(const uint64_t *)bound);
        break;
    default:
        if (!vecwire__is_datetime(bound))
            vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                                   "%s \"%.40s\": expected a date such as "
                                   "2024-02-29T23:59:59Z",
                                   name, (const char *)bound);
        else
            vecwire__qdrant_put_str(w, bound, name);
    }
}

static enum vecwire_err
put_range(struct vecwire_qdrant_filter *filter,
          enum vecwire_qdrant_clause clause, const char *key, const char *name,
          enum kind kind, const void *const bounds[N_BOUNDS])
{
    struct vecwire__qdrant_writer *w =
        vecwire__filter_operator(filter, clause, key, name);
    size_t n = 0;

    if (w == NULL)
        return vecwire__filter_close(filter);
    vecwire__qdrant_put(w, "{");
    for (size_t i = 0; i < N_BOUNDS; i++) {
        if (bounds[i] == NULL)
            continue;
        put_bound(w, kind, bounds[i], bound_names[i]);
        n++;
    }
    if (n == 0)
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                               "a range without bounds, expected at least 1");
    vecwire__qdrant_put(w, "}");
    return vecwire__filter_close(filter);
}

enum vecwire_err
vecwire_qdrant_filter_range(struct vecwire_qdrant_filter *filter,
                            enum vecwire_qdrant_clause clause, const char *key,
                            struct vecwire_qdrant_range range)
{
    const void *bounds[] = {range.lt, range.gt, range.lte, range.gte};

    return put_range(filter, clause, key, "range", DOUBLE, bounds);
}

enum vecwire_err
vecwire_qdrant_filter_integer_range(struct vecwire_qdrant_filter *filter,
                                    enum vecwire_qdrant_clause clause,
                                    const char *key,
                                    struct vecwire_qdrant_integer_range range)
{
    const void *bounds[] = {range.lt, range.gt, range.lte, range.gte};

    return put_range(filter, clause, key, "range", INTEGER, bounds);
}

enum vecwire_err
vecwire_qdrant_filter_datetime_range(struct vecwire_qdrant_filter *filter,
                                     enum vecwire_qdrant_clause clause,
                                     const char *key,
                                     struct vecwire_qdrant_datetime_range range)
{
    const void *bounds[] = {range.lt, range.gt, range.lte, range.gte};

    return put_range(filter, clause, key, "range", DATETIME, bounds);
}

enum vecwire_err
vecwire_qdrant_filter_values_count(struct vecwire_qdrant_filter *filter,
                                   enum vecwire_qdrant_clause clause,
                                   const char *key,
                                   struct vecwire_qdrant_count_range range)
{
    const void *bounds[] = {range.lt, range.gt, range.lte, range.gte};

    return put_range(filter, clause, key, "values_count", COUNT, bounds);
}

/* --- places --- */

static void
put_geo(struct vecwire__qdrant_writer *w, struct vecwire_qdrant_geo place)
{
    /* So that NaN is refused as well. */
    if (!(place.lat >= -90 && place.lat <= 90 && place.lon >= -180 &&
          place.lon <= 180))
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                               "a place beyond the globe, expected lat -90 to "
                               "90, lon -180 to 180");
    vecwire__qdrant_put(w, "{\"lon\":");
    vecwire__filter_put_double(w, place.lon, "lon");
    vecwire__qdrant_put(w, ",\"lat\":");
    vecwire__filter_put_double(w, place.lat, "lat");
    vecwire__qdrant_put(w, "}");
}

enum vecwire_err
vecwire_qdrant_filter_geo_box(struct vecwire_qdrant_filter *filter,
                              enum vecwire_qdrant_clause clause,
                              const char *key,
                              struct vecwire_qdrant_geo top_left,
                              struct vecwire_qdrant_geo bottom_right)
{
    struct vecwire__qdrant_writer *w =
        vecwire__filter_operator(filter, clause, key, "geo_bounding_box");

    if (w != NULL) {
        vecwire__qdrant_put(w, "{\"top_left\":");
        put_geo(w, top_left);
        vecwire__qdrant_put(w, ",\"bottom_right\":");
        put_geo(w, bottom_right);
        vecwire__qdrant_put(w, "}");
    }
    return vecwire__filter_close(filter);
}

enum vecwire_err
vecwire_qdrant_filter_geo_radius(struct vecwire_qdrant_filter *filter,
                                 enum vecwire_qdrant_clause clause,
                                 const char *key,
                                 struct vecwire_qdrant_geo center,
                                 double radius)
{
    struct vecwire__qdrant_writer *w =
        vecwire__filter_operator(filter, clause, key, "geo_radius");

    if (w != NULL) {
        if (radius < 0)
            vecwire__qdrant_refuse(w, VECWIRE_EINVAL, "radius is negative");
        vecwire__qdrant_put(w, "{\"center\":");
        put_geo(w, center);
        vecwire__qdrant_put(w, ",\"radius\":");
        vecwire__filter_put_double(w, radius, "radius");
        vecwire__qdrant_put(w, "}");
    }
    return vecwire__filter_close(filter);
}

static void
put_ring(struct vecwire__qdrant_writer *w, struct vecwire_qdrant_ring ring)
{
    if (ring.points == NULL || ring.n < 4) {
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                               "a ring of %zu places, expected at least 4",
                               ring.points == NULL ? 0 : ring.n);
        return;
    }
    if (ring.points[0].lat != ring.points[ring.n - 1].lat ||
        ring.points[0].lon != ring.points[ring.n - 1].lon)
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                               "a ring that is not closed: its last place is "
                               "not the first");
    vecwire__qdrant_put(w, "{\"points\":[");
    for (size_t i = 0; i < ring.n && w->err == VECWIRE_OK; i++) {
        vecwire__qdrant_comma(w);
        put_geo(w, ring.points[i]);
    }
    vecwire__qdrant_put(w, "]}");
}

enum vecwire_err
vecwire_qdrant_filter_geo_polygon(struct vecwire_qdrant_filter *filter,
                                  enum vecwire_qdrant_clause clause,
                                  const char *key,
                                  struct vecwire_qdrant_ring exterior,
                                  const struct vecwire_qdrant_ring *interiors,
                                  size_t n_interiors)
{
    struct vecwire__qdrant_writer *w =
        vecwire__filter_operator(filter, clause, key, "geo_polygon");

    if (w == NULL)
        return vecwire__filter_close(filter);
    if (interiors == NULL && n_interiors > 0)
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                               "interiors is NULL, n_interiors is %zu",
                               n_interiors);
    vecwire__qdrant_put(w, "{\"exterior\":");
    put_ring(w, exterior);
    if (n_interiors > 0) {
        vecwire__qdrant_key(w, "interiors");
        vecwire__qdrant_put(w, "[");
        for (size_t i = 0; i < n_interiors && w->err == VECWIRE_OK; i++) {
            vecwire__qdrant_comma(w);
            put_ring(w, interiors[i]);
        }
        vecwire__qdrant_put(w, "]");
    }
    vecwire__qdrant_put(w, "}");
    return vecwire__filter_close(filter);
}
