/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VECWIRE_QDRANT_FILTER_H
#define VECWIRE_QDRANT_FILTER_H

#include <vecwire/client.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Filters of Qdrant's, put together so that no wrong one can be sent. A
 * filter is a few clauses, each a list of conditions:
 *
 *     vecwire_qdrant_filter_clause(f, VECWIRE_QDRANT_MUST);
 *     vecwire_qdrant_filter_match_text(f, "city", "Berlin");
 *     query.filter = vecwire_qdrant_filter_text(f);
 *
 * The first failure stays, what follows does nothing and returns it again, so
 * that only the text need be looked at. Everything given is read before a
 * function returns. Unless said otherwise `filter` is never NULL. Functions
 * return VECWIRE_OK, VECWIRE_EINVAL or VECWIRE_ETOOBIG, both told by
 * vecwire_qdrant_filter_error(), or VECWIRE_ENOMEM.
 *
 * A `key` is the path of a payload key: a, a.b, a[].b, a[0].b, or
 * "any key".b with its quotes. */
struct vecwire_qdrant_filter;

enum vecwire_qdrant_clause {
    VECWIRE_QDRANT_MUST = 1,    /* all of its conditions hold */
    VECWIRE_QDRANT_SHOULD = 2,  /* at least one */
    VECWIRE_QDRANT_MUST_NOT = 3 /* none */
};

/* How words are looked for in a text. */
enum vecwire_qdrant_words {
    VECWIRE_QDRANT_ALL_WORDS = 1,
    VECWIRE_QDRANT_PHRASE = 2, /* all, in this order, next to each other */
    VECWIRE_QDRANT_ANY_WORD = 3,
    VECWIRE_QDRANT_PREFIX = 4 /* the text begins so; Qdrant 1.19 */
};

/* Which values a bound leaves. */
enum vecwire_qdrant_bound {
    VECWIRE_QDRANT_NO_BOUND = 0,
    VECWIRE_QDRANT_GT = 1,
    VECWIRE_QDRANT_GTE = 2,
    VECWIRE_QDRANT_LT = 3,
    VECWIRE_QDRANT_LTE = 4
};

/* A place, in degrees. */
struct vecwire_qdrant_geo {
    double lat; /* -90 to 90 */
    double lon; /* -180 to 180 */
};

/* A closed line: the last point is the first one again. */
struct vecwire_qdrant_ring {
    const struct vecwire_qdrant_geo *points;
    size_t n; /* >= 4 */
};

/* Make an empty filter; `mem` NULL: the C library's. *out is NULL unless
 * VECWIRE_OK. VECWIRE_EINVAL: `out` is NULL or mem lacks a function. */
VECWIRE_API VECWIRE_NODISCARD enum vecwire_err
vecwire_qdrant_filter_new(struct vecwire_qdrant_filter **out,
                          const struct vecwire_mem *mem);

/* NULL is fine. Its texts end with it. */
VECWIRE_API void
vecwire_qdrant_filter_free(struct vecwire_qdrant_filter *filter);

/* Make it empty again, without its failure; the memory is kept. */
VECWIRE_API void
vecwire_qdrant_filter_reset(struct vecwire_qdrant_filter *filter);

/* The filter as JSON text, to be set where a request has `filter`; owned by it
 * and valid until the next call with this filter. Never NULL, as that would
 * match everything:
 * "", which every verb refuses, after a failure or while a filter that was
 * begun inside has not ended. "{}", which matches everything, when there is no
 * clause. More may be added afterwards. */
VECWIRE_API const char *
vecwire_qdrant_filter_text(struct vecwire_qdrant_filter *filter);

/* What was wrong, "" when nothing was; valid as the text is. */
VECWIRE_API const char *
vecwire_qdrant_filter_error(const struct vecwire_qdrant_filter *filter);

/* Begin a clause; what follows are its conditions. Each one once a filter. */
VECWIRE_API enum vecwire_err
vecwire_qdrant_filter_clause(struct vecwire_qdrant_filter *filter,
                             enum vecwire_qdrant_clause clause);

/* The same for a clause of which at least `least` (>= 1) conditions hold. */
VECWIRE_API enum vecwire_err
vecwire_qdrant_filter_min_should(struct vecwire_qdrant_filter *filter,
                                 uint64_t least);

/* Begin a whole filter as one condition: clauses follow, up to its end. At
 * most 16 inside each other. */
VECWIRE_API enum vecwire_err
vecwire_qdrant_filter_begin(struct vecwire_qdrant_filter *filter);

/* The same for one that an element of the array at `key` has to match; its
 * keys are those of the element. */
VECWIRE_API enum vecwire_err
vecwire_qdrant_filter_begin_nested(struct vecwire_qdrant_filter *filter,
                                   const char *key);

/* The inner filter ends; the clause that it stands in goes on. */
VECWIRE_API enum vecwire_err
vecwire_qdrant_filter_end(struct vecwire_qdrant_filter *filter);

/* The value is (an array: has) this one. Qdrant matches no floats. */
VECWIRE_API enum vecwire_err
vecwire_qdrant_filter_match_text(struct vecwire_qdrant_filter *filter,
                                 const char *key, const char *text);

/* The same for a whole number, sent exactly. */
VECWIRE_API enum vecwire_err
vecwire_qdrant_filter_match_i64(struct vecwire_qdrant_filter *filter,
                                const char *key, int64_t number);

/* The same for true or false. */
VECWIRE_API enum vecwire_err
vecwire_qdrant_filter_match_bool(struct vecwire_qdrant_filter *filter,
                                 const char *key, bool value);

/* The value is one of `n`; with `except` it is another one. None (n 0, values
 * may be NULL) match nothing; `except` of none everything that has a value. */
VECWIRE_API enum vecwire_err
vecwire_qdrant_filter_match_texts(struct vecwire_qdrant_filter *filter,
                                  const char *key, const char *const *texts,
                                  size_t n, bool except);

/* The same for whole numbers, sent exactly. */
VECWIRE_API enum vecwire_err
vecwire_qdrant_filter_match_i64s(struct vecwire_qdrant_filter *filter,
                                 const char *key, const int64_t *numbers,
                                 size_t n, bool except);

/* The text has these words (UTF-8). */
VECWIRE_API enum vecwire_err
vecwire_qdrant_filter_words(struct vecwire_qdrant_filter *filter,
                            const char *key, enum vecwire_qdrant_words how,
                            const char *words);

/* The value lies above `low` and below `high`, each taken as its bound says;
 * one of both may be VECWIRE_QDRANT_NO_BOUND.
 * Doubles: neither NaN nor infinite. */
VECWIRE_API enum vecwire_err
vecwire_qdrant_filter_range(struct vecwire_qdrant_filter *filter,
                            const char *key, enum vecwire_qdrant_bound low_is,
                            double low, enum vecwire_qdrant_bound high_is,
                            double high);

/* The same for whole numbers, which are sent exactly. */
VECWIRE_API enum vecwire_err vecwire_qdrant_filter_range_i64(
    struct vecwire_qdrant_filter *filter, const char *key,
    enum vecwire_qdrant_bound low_is, int64_t low,
    enum vecwire_qdrant_bound high_is, int64_t high);

/* The same for datetimes, as in RFC 3339, or "2024-07-22",
 * "2024-07-22 08:31" (UTC); they are borrowed for the call, and a NULL has no
 * bound. */
VECWIRE_API enum vecwire_err vecwire_qdrant_filter_range_datetime(
    struct vecwire_qdrant_filter *filter, const char *key,
    enum vecwire_qdrant_bound low_is, const char *low,
    enum vecwire_qdrant_bound high_is, const char *high);

/* How many values there are, as a range. */
VECWIRE_API enum vecwire_err vecwire_qdrant_filter_values_count(
    struct vecwire_qdrant_filter *filter, const char *key,
    enum vecwire_qdrant_bound low_is, uint64_t low,
    enum vecwire_qdrant_bound high_is, uint64_t high);

/* The place lies in a box. */
VECWIRE_API enum vecwire_err vecwire_qdrant_filter_geo_box(
    struct vecwire_qdrant_filter *filter, const char *key,
    struct vecwire_qdrant_geo top_left, struct vecwire_qdrant_geo bottom_right);

/* The place lies in a circle; `radius` in metres, not below 0. */
VECWIRE_API enum vecwire_err vecwire_qdrant_filter_geo_radius(
    struct vecwire_qdrant_filter *filter, const char *key,
    struct vecwire_qdrant_geo center, double radius);

/* The place lies in a polygon: rings[0] without the others, which are holes;
 * n >= 1. */
VECWIRE_API enum vecwire_err vecwire_qdrant_filter_geo_polygon(
    struct vecwire_qdrant_filter *filter, const char *key,
    const struct vecwire_qdrant_ring *rings, size_t n);

/* The key is missing, null or []. */
VECWIRE_API enum vecwire_err
vecwire_qdrant_filter_is_empty(struct vecwire_qdrant_filter *filter,
                               const char *key);

/* The key is there and null. */
VECWIRE_API enum vecwire_err
vecwire_qdrant_filter_is_null(struct vecwire_qdrant_filter *filter,
                              const char *key);

/* The point's id is one of these: texts as in an upsert, or numbers, the other
 * one NULL. n >= 1. */
VECWIRE_API enum vecwire_err
vecwire_qdrant_filter_has_id(struct vecwire_qdrant_filter *filter,
                             const char *const *ids, const uint64_t *numbers,
                             size_t n);

/* The point has a vector of that name; NULL or "": the unnamed one. */
VECWIRE_API enum vecwire_err
vecwire_qdrant_filter_has_vector(struct vecwire_qdrant_filter *filter,
                                 const char *name);

/* The point is in part `index` of `total` parts that ids are spread over;
 * index < total. Qdrant 1.19. */
VECWIRE_API enum vecwire_err
vecwire_qdrant_filter_slice(struct vecwire_qdrant_filter *filter,
                            uint64_t total, uint64_t index);

#ifdef __cplusplus
}
#endif
#endif
