/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VECWIRE_QDRANT_FILTER_H
#define VECWIRE_QDRANT_FILTER_H

#include <vecwire/qdrant.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Qdrant's filters, made condition by condition: what comes out is one that
 * the server takes, and goes wherever a request has a `filter`.
 *
 *     struct vecwire_qdrant_filter *f = vecwire_qdrant_filter_new(NULL);
 *     vecwire_qdrant_filter_match(f, VECWIRE_QDRANT_MUST, "city",
 *                                 VECWIRE_QDRANT_MATCH_VALUE, "Berlin");
 *     ... VECWIRE_QUERY(.filter = vecwire_qdrant_filter_text(f), ...)
 *     vecwire_qdrant_filter_free(f);
 *
 * The first thing that is wrong stays: what follows does nothing and returns
 * the same error, the filter has no text then, and no request takes it.
 * vecwire_qdrant_filter_refusal() tells what it was. So it is enough to look
 * once, or to let the request refuse it.
 *
 * A filter belongs to no client and to one thread at a time. All arguments are
 * read before a function returns. A NULL filter gives VECWIRE_ENOMEM, as
 * vecwire_qdrant_filter_new() may have given NULL.
 *
 * `key` is the path of a payload key: a, a.b, a[].b, a[0].b, "any key".b;
 * another text is VECWIRE_EINVAL. So is text that is not UTF-8, and a number
 * that is NaN or infinite. */
struct vecwire_qdrant_filter;

/* What a condition is for. */
enum vecwire_qdrant_clause {
    VECWIRE_QDRANT_MUST = 0,     /* it holds */
    VECWIRE_QDRANT_SHOULD = 1,   /* it, or another of these, holds */
    VECWIRE_QDRANT_MUST_NOT = 2, /* it does not hold */
    /* As many of these hold as vecwire_qdrant_filter_min_count() says. */
    VECWIRE_QDRANT_MIN_SHOULD = 3
};

/* How a text is compared. */
enum vecwire_qdrant_match {
    VECWIRE_QDRANT_MATCH_VALUE = 0,    /* equal */
    VECWIRE_QDRANT_MATCH_TEXT = 1,     /* has all words of it */
    VECWIRE_QDRANT_MATCH_TEXT_ANY = 2, /* has one of its words */
    VECWIRE_QDRANT_MATCH_PHRASE = 3,   /* has its words side by side */
    VECWIRE_QDRANT_MATCH_PREFIX = 4    /* begins with it; since 1.19 */
};

/* Bounds, of which at least one is given; NULL: none. Sent exactly, integers
 * beyond 2^53 too. */
struct vecwire_qdrant_range {
    const double *lt, *gt, *lte, *gte;
};
struct vecwire_qdrant_integer_range {
    const int64_t *lt, *gt, *lte, *gte;
};
struct vecwire_qdrant_count_range {
    const uint64_t *lt, *gt, *lte, *gte;
};
/* Texts: "2024-02-29", "2024-02-29T23:59", "2024-02-29 23:59:59.5+01:00";
 * without a zone UTC. */
struct vecwire_qdrant_datetime_range {
    const char *lt, *gt, *lte, *gte;
};

/* A place, in degrees: -180 to 180, -90 to 90. */
struct vecwire_qdrant_geo {
    double lon, lat;
};

/* The edge of an area: at least 4 places, the last one is the first again. */
struct vecwire_qdrant_ring {
    const struct vecwire_qdrant_geo *points;
    size_t n;
};

/* An empty filter. `mem` NULL: the C library's; it is copied, its `ctx` must
 * outlive the filter. NULL: no memory, or `mem` lacks a function. */
VECWIRE_API struct vecwire_qdrant_filter *
vecwire_qdrant_filter_new(const struct vecwire_mem *mem);

/* Free it with its text; NULL is fine. */
VECWIRE_API void
vecwire_qdrant_filter_free(struct vecwire_qdrant_filter *filter);

/* Empty it, errors too; its memory is used again. NULL is fine. */
VECWIRE_API void
vecwire_qdrant_filter_reset(struct vecwire_qdrant_filter *filter);

/* The filter as JSON text, `{}` while it is empty, which all rows match. Valid
 * until the filter is changed, reset or freed. Never NULL: "" after an error,
 * while something begun is not ended (an error too), or for a NULL filter: a
 * request that gets it is refused. */
VECWIRE_API const char *
vecwire_qdrant_filter_text(struct vecwire_qdrant_filter *filter);

/* What was wrong; NULL: nothing was. Belongs to the filter, until reset. */
VECWIRE_API const struct vecwire_refusal *
vecwire_qdrant_filter_refusal(const struct vecwire_qdrant_filter *filter);

/* A filter in the place of a condition; what is added until the end goes into
 * it. VECWIRE_ETOOBIG: more than 28 are open. */
VECWIRE_API enum vecwire_err
vecwire_qdrant_filter_begin(struct vecwire_qdrant_filter *filter,
                            enum vecwire_qdrant_clause clause);

/* The same for the objects in an array at `key`: one of them matches all that
 * is added; keys are relative to it. */
VECWIRE_API enum vecwire_err
vecwire_qdrant_filter_begin_nested(struct vecwire_qdrant_filter *filter,
                                   enum vecwire_qdrant_clause clause,
                                   const char *key);

/* End what was begun last. VECWIRE_EINVAL: nothing is open, or it has no
 * condition. */
VECWIRE_API enum vecwire_err
vecwire_qdrant_filter_end(struct vecwire_qdrant_filter *filter);

/* How many of the MIN_SHOULD conditions must hold, >= 1; required where there
 * are any, for each filter that was begun on its own. */
VECWIRE_API enum vecwire_err
vecwire_qdrant_filter_min_count(struct vecwire_qdrant_filter *filter,
                                uint64_t count);

/* The value is, or has, this text. */
VECWIRE_API enum vecwire_err
vecwire_qdrant_filter_match(struct vecwire_qdrant_filter *filter,
                            enum vecwire_qdrant_clause clause, const char *key,
                            enum vecwire_qdrant_match how, const char *text);

/* The value is this integer; this truth value. Qdrant cannot match floats: see
 * vecwire_qdrant_filter_range(). */
VECWIRE_API enum vecwire_err
vecwire_qdrant_filter_match_integer(struct vecwire_qdrant_filter *filter,
                                    enum vecwire_qdrant_clause clause,
                                    const char *key, int64_t value);
VECWIRE_API enum vecwire_err
vecwire_qdrant_filter_match_bool(struct vecwire_qdrant_filter *filter,
                                 enum vecwire_qdrant_clause clause,
                                 const char *key, bool value);

/* The value is one of these; with `except`, it is there and none of these.
 * n 0: nothing matches; everything that is there does. */
VECWIRE_API enum vecwire_err vecwire_qdrant_filter_match_any(
    struct vecwire_qdrant_filter *filter, enum vecwire_qdrant_clause clause,
    const char *key, bool except, const char *const *texts, size_t n);
VECWIRE_API enum vecwire_err vecwire_qdrant_filter_match_integers(
    struct vecwire_qdrant_filter *filter, enum vecwire_qdrant_clause clause,
    const char *key, bool except, const int64_t *values, size_t n);

/* The value lies within bounds. */
VECWIRE_API enum vecwire_err
vecwire_qdrant_filter_range(struct vecwire_qdrant_filter *filter,
                            enum vecwire_qdrant_clause clause, const char *key,
                            struct vecwire_qdrant_range range);
VECWIRE_API enum vecwire_err vecwire_qdrant_filter_integer_range(
    struct vecwire_qdrant_filter *filter, enum vecwire_qdrant_clause clause,
    const char *key, struct vecwire_qdrant_integer_range range);
VECWIRE_API enum vecwire_err vecwire_qdrant_filter_datetime_range(
    struct vecwire_qdrant_filter *filter, enum vecwire_qdrant_clause clause,
    const char *key, struct vecwire_qdrant_datetime_range range);

/* There are as many values at the key (elements of its array). */
VECWIRE_API enum vecwire_err vecwire_qdrant_filter_values_count(
    struct vecwire_qdrant_filter *filter, enum vecwire_qdrant_clause clause,
    const char *key, struct vecwire_qdrant_count_range range);

/* The key is missing, null or []; it is null. */
VECWIRE_API enum vecwire_err
vecwire_qdrant_filter_is_empty(struct vecwire_qdrant_filter *filter,
                               enum vecwire_qdrant_clause clause,
                               const char *key);
VECWIRE_API enum vecwire_err
vecwire_qdrant_filter_is_null(struct vecwire_qdrant_filter *filter,
                              enum vecwire_qdrant_clause clause,
                              const char *key);

/* The place lies in a box; within `radius` metres, >= 0, of a center; in an
 * area without its holes. */
VECWIRE_API enum vecwire_err vecwire_qdrant_filter_geo_box(
    struct vecwire_qdrant_filter *filter, enum vecwire_qdrant_clause clause,
    const char *key, struct vecwire_qdrant_geo top_left,
    struct vecwire_qdrant_geo bottom_right);
VECWIRE_API enum vecwire_err vecwire_qdrant_filter_geo_radius(
    struct vecwire_qdrant_filter *filter, enum vecwire_qdrant_clause clause,
    const char *key, struct vecwire_qdrant_geo center, double radius);
VECWIRE_API enum vecwire_err vecwire_qdrant_filter_geo_polygon(
    struct vecwire_qdrant_filter *filter, enum vecwire_qdrant_clause clause,
    const char *key, struct vecwire_qdrant_ring exterior,
    const struct vecwire_qdrant_ring *interiors, size_t n_interiors);

/* The point is one of these: texts (see vecwire_upsert_request) or numbers,
 * the other one NULL. n 0: none is. */
VECWIRE_API enum vecwire_err vecwire_qdrant_filter_has_id(
    struct vecwire_qdrant_filter *filter, enum vecwire_qdrant_clause clause,
    const char *const *ids, const uint64_t *numbers, size_t n);

/* The point has a vector of that name; NULL: the unnamed one. */
VECWIRE_API enum vecwire_err
vecwire_qdrant_filter_has_vector(struct vecwire_qdrant_filter *filter,
                                 enum vecwire_qdrant_clause clause,
                                 const char *name);

/* The point is in part `index` of `total` of the collection, cut by ids; index
 * below total, total >= 1. Since 1.19. */
VECWIRE_API enum vecwire_err
vecwire_qdrant_filter_slice(struct vecwire_qdrant_filter *filter,
                            enum vecwire_qdrant_clause clause, uint32_t total,
                            uint32_t index);

/* A condition of your own: JSON text of an object, or a jansson object, the
 * other one NULL. Whether the server takes it is not looked at. */
VECWIRE_API enum vecwire_err
vecwire_qdrant_filter_json(struct vecwire_qdrant_filter *filter,
                           enum vecwire_qdrant_clause clause, const char *json,
                           const struct json_t *tree);

#ifdef __cplusplus
}
#endif
#endif
