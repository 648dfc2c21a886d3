/* SPDX-License-Identifier: Apache-2.0 */
/* A filter is no part of a client: it can be put together anywhere. */
#include "tests/every_function.h"

static void
put_values(struct vecwire_qdrant_filter *f)
{
    vecwire_qdrant_filter_match_text(f, "a", "x");
    vecwire_qdrant_filter_match_i64(f, "a", 1);
    vecwire_qdrant_filter_match_bool(f, "a", true);
    vecwire_qdrant_filter_match_texts(f, "a", NULL, 0, false);
    vecwire_qdrant_filter_match_i64s(f, "a", NULL, 0, true);
    vecwire_qdrant_filter_words(f, "a", VECWIRE_QDRANT_PHRASE, "x y");
    vecwire_qdrant_filter_range(f, "a", VECWIRE_QDRANT_GT, 1, 0, 0);
    vecwire_qdrant_filter_range_i64(f, "a", VECWIRE_QDRANT_GT, 1, 0, 0);
    vecwire_qdrant_filter_range_datetime(f, "a", VECWIRE_QDRANT_GT,
                                         "2024-07-22", 0, NULL);
    vecwire_qdrant_filter_values_count(f, "a", VECWIRE_QDRANT_GT, 1, 0, 0);
}

static void
put_others(struct vecwire_qdrant_filter *f)
{
    const struct vecwire_qdrant_geo place = {1, 2};
    const struct vecwire_qdrant_geo line[] = {place, {2, 2}, {2, 1}, place};
    const struct vecwire_qdrant_ring ring = {line, 4};
    const uint64_t number = 7;

    vecwire_qdrant_filter_geo_box(f, "a", place, place);
    vecwire_qdrant_filter_geo_radius(f, "a", place, 1);
    vecwire_qdrant_filter_geo_polygon(f, "a", &ring, 1);
    vecwire_qdrant_filter_is_empty(f, "a");
    vecwire_qdrant_filter_is_null(f, "a");
    vecwire_qdrant_filter_has_id(f, NULL, &number, 1);
    vecwire_qdrant_filter_has_vector(f, "v");
    vecwire_qdrant_filter_slice(f, 2, 1);
}

void
deed_filter(struct world *world)
{
    struct vecwire_qdrant_filter *f;

    (void)world;
    ck_assert_int_eq(vecwire_qdrant_filter_new(&f, NULL), VECWIRE_OK);
    vecwire_qdrant_filter_clause(f, VECWIRE_QDRANT_MUST);
    put_values(f);
    vecwire_qdrant_filter_min_should(f, 1);
    vecwire_qdrant_filter_begin(f);
    vecwire_qdrant_filter_end(f);
    vecwire_qdrant_filter_begin_nested(f, "b");
    vecwire_qdrant_filter_clause(f, VECWIRE_QDRANT_SHOULD);
    put_others(f);
    vecwire_qdrant_filter_end(f);
    ck_assert_str_eq(vecwire_qdrant_filter_error(f), "");
    ck_assert_str_ne(vecwire_qdrant_filter_text(f), "");
    vecwire_qdrant_filter_reset(f);
    vecwire_qdrant_filter_free(f);
}
