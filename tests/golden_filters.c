/* SPDX-License-Identifier: Apache-2.0 */
/* Pages of what a filter leaves, put together by the library; see
 * golden_queries.c. Of what is wrong only the text need be looked at. */
#include "tests/golden_qdrant.h"

#include <stdio.h>

typedef struct vecwire_qdrant_filter filter;

/* Send a page with the filter that `fill` makes. */
static enum vecwire_err
scroll(struct golden *g, void (*fill)(filter *f))
{
    filter *f;
    enum vecwire_err err = vecwire_qdrant_filter_new(&f, NULL);

    if (err != VECWIRE_OK)
        return err;
    fill(f);
    err =
        vecwire_scroll(g->client,
                       &VECWIRE_SCROLL(.refusal = &g->refusal,
                                       .filter = vecwire_qdrant_filter_text(f)),
                       golden_done, g, NULL);
    if (err != VECWIRE_OK)
        fprintf(stderr, "golden_qdrant: %s\n", vecwire_qdrant_filter_error(f));
    vecwire_qdrant_filter_free(f);
    return err;
}

static void
fill_matches(filter *f)
{
    static const char *const texts[] = {"a", "caf\xc3\xa9 \"x\""};
    static const int64_t numbers[] = {-3, 0, 9007199254740991};

    vecwire_qdrant_filter_clause(f, VECWIRE_QDRANT_MUST);
    vecwire_qdrant_filter_match_text(f, "city", "Berlin");
    vecwire_qdrant_filter_match_i64(f, "n[0].m", -7);
    vecwire_qdrant_filter_match_bool(f, "\"a key\".b[]", false);
    vecwire_qdrant_filter_match_texts(f, "tag", texts, 2, false);
    vecwire_qdrant_filter_match_texts(f, "tag", NULL, 0, true);
    vecwire_qdrant_filter_match_i64s(f, "n", numbers, 3, false);
    vecwire_qdrant_filter_clause(f, VECWIRE_QDRANT_MUST_NOT);
    vecwire_qdrant_filter_match_texts(f, "tag", texts, 2, true);
    vecwire_qdrant_filter_match_i64s(f, "n", numbers, 1, true);
    vecwire_qdrant_filter_clause(f, VECWIRE_QDRANT_SHOULD);
    vecwire_qdrant_filter_words(f, "t", VECWIRE_QDRANT_ALL_WORDS, "one two");
    vecwire_qdrant_filter_words(f, "t", VECWIRE_QDRANT_PHRASE, "one two");
    vecwire_qdrant_filter_words(f, "t", VECWIRE_QDRANT_ANY_WORD, "one two");
    vecwire_qdrant_filter_words(f, "t", VECWIRE_QDRANT_PREFIX, "on");
}

static void
fill_ranges(filter *f)
{
    vecwire_qdrant_filter_clause(f, VECWIRE_QDRANT_MUST);
    vecwire_qdrant_filter_range(f, "x", VECWIRE_QDRANT_GT, 0.1,
                                VECWIRE_QDRANT_LTE, 1e300);
    vecwire_qdrant_filter_range(f, "x", VECWIRE_QDRANT_GTE, -5e-324,
                                VECWIRE_QDRANT_NO_BOUND, 0);
    vecwire_qdrant_filter_range_i64(f, "n", VECWIRE_QDRANT_NO_BOUND, 0,
                                    VECWIRE_QDRANT_LT, 42);
    vecwire_qdrant_filter_range_datetime(f, "at", VECWIRE_QDRANT_GTE,
                                         "2024-07-22", VECWIRE_QDRANT_LT,
                                         "2024-07-23T08:31:55.5+02:00");
    vecwire_qdrant_filter_range_datetime(f, "at", VECWIRE_QDRANT_GT,
                                         "2024-07-22 08:31",
                                         VECWIRE_QDRANT_NO_BOUND, NULL);
    vecwire_qdrant_filter_values_count(f, "tag", VECWIRE_QDRANT_GT, 1,
                                       VECWIRE_QDRANT_LTE, 4);
    vecwire_qdrant_filter_values_count(f, "tag", VECWIRE_QDRANT_GTE, 2,
                                       VECWIRE_QDRANT_LT, 5);
}

static void
fill_places(filter *f)
{
    static const struct vecwire_qdrant_geo square[] = {
        {0, 0}, {0, 10}, {10, 10}, {10, 0}, {0, 0}};
    static const struct vecwire_qdrant_geo hole[] = {
        {4, 4}, {4, 5.5}, {5, 5}, {4, 4}};
    static const struct vecwire_qdrant_ring rings[] = {{square, 5}, {hole, 4}};

    vecwire_qdrant_filter_clause(f, VECWIRE_QDRANT_SHOULD);
    vecwire_qdrant_filter_geo_box(f, "at",
                                  (struct vecwire_qdrant_geo){52.5, 13.25},
                                  (struct vecwire_qdrant_geo){-90, 180});
    vecwire_qdrant_filter_geo_radius(
        f, "at", (struct vecwire_qdrant_geo){52.52, 13.405}, 1000.5);
    vecwire_qdrant_filter_geo_polygon(f, "at", rings, 2);
    vecwire_qdrant_filter_geo_polygon(f, "at", rings, 1);
}

static void
fill_nesting(filter *f)
{
    static const uint64_t numbers[] = {1, 42};
    static const char *const ids[] = {"7", "6F0D2B0C7D0C4F2C9B436A1D1C0F9D11"};

    vecwire_qdrant_filter_min_should(f, 2);
    vecwire_qdrant_filter_is_empty(f, "a");
    vecwire_qdrant_filter_is_null(f, "b[].c");
    vecwire_qdrant_filter_has_id(f, NULL, numbers, 2);
    vecwire_qdrant_filter_has_id(f, ids, NULL, 2);
    vecwire_qdrant_filter_has_vector(f, "image");
    vecwire_qdrant_filter_has_vector(f, NULL);
    vecwire_qdrant_filter_slice(f, 4, 3);
    vecwire_qdrant_filter_begin_nested(f, "list");
    vecwire_qdrant_filter_clause(f, VECWIRE_QDRANT_MUST);
    vecwire_qdrant_filter_match_i64(f, "x", 1);
    vecwire_qdrant_filter_end(f);
    vecwire_qdrant_filter_begin(f);
    vecwire_qdrant_filter_clause(f, VECWIRE_QDRANT_MUST_NOT);
    vecwire_qdrant_filter_begin(f);
    vecwire_qdrant_filter_clause(f, VECWIRE_QDRANT_SHOULD);
    vecwire_qdrant_filter_match_bool(f, "y", true);
    vecwire_qdrant_filter_end(f);
    vecwire_qdrant_filter_end(f);
}

static void
fill_large(filter *f)
{
    static const uint64_t numbers[] = {9007199254740993U, UINT64_MAX};

    vecwire_qdrant_filter_clause(f, VECWIRE_QDRANT_MUST);
    vecwire_qdrant_filter_range_i64(f, "n", VECWIRE_QDRANT_GTE,
                                    1768907445451174113, VECWIRE_QDRANT_LTE,
                                    INT64_MAX);
    vecwire_qdrant_filter_match_i64(f, "n", INT64_MIN);
    vecwire_qdrant_filter_has_id(f, NULL, numbers, 2);
}

/* A request each. */
#define SCROLL(name)                                                           \
    static enum vecwire_err filter_##name(struct golden *g)                    \
    {                                                                          \
        return scroll(g, fill_##name);                                         \
    }

SCROLL(matches)
SCROLL(ranges)
SCROLL(places)
SCROLL(nesting)
SCROLL(large)

const struct golden_request golden_filters[] = {
    {"filter_matches", filter_matches}, {"filter_ranges", filter_ranges},
    {"filter_places", filter_places},   {"filter_nesting", filter_nesting},
    {"filter_large", filter_large},
};
const size_t n_golden_filters = GOLDEN_SIZE(golden_filters);
