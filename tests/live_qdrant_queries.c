/* SPDX-License-Identifier: Apache-2.0 */
/* Queries of every kind, and what counts rows. */
#include "tests/live_qdrant.h"

#include <string.h>

static const float axis[] = {1, 0, 0, 0};
static const struct vecwire_vector near_axis = {.values = axis, .dim = 4};

/* The rows that a search finds. */
static void
check_found(struct vecwire_qdrant_search search, const char *ids)
{
    live_ids(live_fine_reply(vecwire_qdrant_query(
                 live.client, &VECWIRE_QDRANT_QUERY(.search = search),
                 live_keep, live_slot(), NULL)),
             ids);
}

START_TEST(rows_come_best_first_with_their_scores)
{
    const struct vecwire_reply *reply;

    live_fill();
    reply = live_fine_reply(vecwire_query(
        live.client, &VECWIRE_QUERY(.vector = axis, .dim = 4, .top_k = 2),
        live_keep, live_slot(), NULL));
    live_ids(reply, "3 2");
    ck_assert(vecwire_reply_row(reply, 0)->score == 3);
    ck_assert(vecwire_reply_row(reply, 1)->score == 2);
}
END_TEST

START_TEST(a_query_costs_one_loop_iteration)
{
    uint64_t iterations = 0;

    live_fill();
    for (int i = 0; i < 50; i++)
        iterations += vecwire_reply_loop_iterations(live_fine_reply(
            vecwire_query(live.client, &VECWIRE_QUERY(.vector = axis, .dim = 4),
                          live_keep, live_slot(), NULL)));
    ck_assert_uint_ge(iterations, 50);
    ck_assert_uint_le(iterations, 52);
}
END_TEST

START_TEST(a_sparse_vector_is_searched_by_its_name)
{
    static const float values[] = {1, 2};
    static const uint32_t indices[] = {9, 4};
    static const struct vecwire_vector sparse = {
        .name = "s", .values = values, .indices = indices, .dim = 2};
    static const struct vecwire_vectors vectors = {&sparse, 1};
    static const uint64_t number = 7;

    live_fine_reply(
        vecwire_upsert(live.client,
                       &VECWIRE_UPSERT(.numbers = &number, .rows = 1,
                                       .vectors = &vectors, .call = &live_wait),
                       live_keep, live_slot(), NULL));
    check_found(
        (struct vecwire_qdrant_search){.vector = &sparse, .vector_name = "s"},
        "7");
}
END_TEST

START_TEST(queries_go_by_point_recommendation_and_threshold)
{
    static const uint64_t number = 1;

    live_fill();
    check_found((struct vecwire_qdrant_search){.number = &number, .limit = 2},
                "3 2");
    check_found(
        (struct vecwire_qdrant_search){
            .query = "{\"recommend\":{\"positive\":[1]}}", .limit = 1},
        "3");
    check_found((struct vecwire_qdrant_search){.vector = &near_axis,
                                               .score_threshold = 1.5F,
                                               .has_score_threshold = true},
                "3 2");
    check_found((struct vecwire_qdrant_search){.limit = 3}, "1 2 3");
}
END_TEST

START_TEST(what_two_searches_found_is_fused)
{
    static const float other[] = {0, 1, 0, 0};
    static const struct vecwire_vector near_other = {.values = other, .dim = 4};
    static const struct vecwire_qdrant_search inner[] = {
        {.vector = &near_axis, .limit = 1},
        {.vector = &near_other, .limit = 1}};
    const struct vecwire_reply *reply;

    live_fill();
    reply = live_fine_reply(vecwire_qdrant_query(
        live.client,
        &VECWIRE_QDRANT_QUERY(.search = {.query = "{\"fusion\":\"rrf\"}",
                                         .prefetch = inner,
                                         .n_prefetch = 2}),
        live_keep, live_slot(), NULL));
    ck_assert_uint_eq(vecwire_reply_count(reply), 2);
    ck_assert(vecwire_reply_row(reply, 0)->score == 0.5F);
}
END_TEST

START_TEST(queries_of_a_batch_are_groups)
{
    const struct vecwire_qdrant_query_request queries[] = {
        VECWIRE_QDRANT_QUERY(.search = {.vector = &near_axis, .limit = 1}),
        VECWIRE_QDRANT_QUERY(.search = {.vector = &near_axis, .limit = 3})};
    const struct vecwire_reply *reply;

    live_fill();
    reply = live_fine_reply(vecwire_qdrant_query_batch(
        live.client, &VECWIRE_QDRANT_QUERY_BATCH(.queries = queries, .n = 2),
        live_keep, live_slot(), NULL));
    ck_assert_uint_eq(vecwire_reply_groups(reply), 2);
    ck_assert_uint_eq(vecwire_reply_group(reply, 1)->first, 1);
    ck_assert_uint_eq(vecwire_reply_group(reply, 1)->n, 3);
    live_ids(reply, "3 3 2 1");
}
END_TEST

START_TEST(a_query_fills_groups)
{
    const struct vecwire_qdrant_query_request query =
        VECWIRE_QDRANT_QUERY(.search = {.vector = &near_axis});
    const struct vecwire_reply *reply;

    live_fill();
    reply = live_fine_reply(vecwire_qdrant_query_groups(
        live.client,
        &VECWIRE_QDRANT_QUERY_GROUPS(.query = &query, .group_by = "city",
                                     .group_size = 1),
        live_keep, live_slot(), NULL));
    ck_assert_uint_eq(vecwire_reply_groups(reply), 2);
    ck_assert_str_eq(vecwire_reply_group(reply, 0)->id.text, "Rome");
    live_ids(reply, "3 2");
}
END_TEST

START_TEST(values_are_counted)
{
    struct vecwire_qdrant_facet_value hit;
    const struct vecwire_reply *reply;

    live_fill();
    live_index("city", VECWIRE_QDRANT_INDEX_KEYWORD);
    reply = live_fine_reply(vecwire_qdrant_facet(
        live.client, &VECWIRE_QDRANT_FACET(.key = "city", .exact = true),
        live_keep, live_slot(), NULL));
    ck_assert_uint_eq(vecwire_qdrant_facet_hits(reply), 2);
    ck_assert(vecwire_qdrant_facet_at(reply, 0, &hit));
    ck_assert_str_eq(hit.value.text, "Rome");
    ck_assert_uint_eq(hit.count, 3);
}
END_TEST

START_TEST(a_scroll_goes_in_the_order_of_a_key)
{
    static const struct vecwire_qdrant_params order = {
        .size = sizeof(order),
        .order_by = "{\"key\":\"n\",\"direction\":\"desc\"}"};
    static const struct vecwire_call_options call = {.size = sizeof(call),
                                                     .qdrant = &order};
    const struct vecwire_reply *reply;

    live_fill();
    live_index("n", VECWIRE_QDRANT_INDEX_INTEGER);
    reply = live_fine_reply(
        vecwire_scroll(live.client, &VECWIRE_SCROLL(.limit = 2, .call = &call),
                       live_keep, live_slot(), NULL));
    live_ids(reply, "5 4");
    ck_assert_str_eq(vecwire_reply_row(reply, 0)->order_value, "5");
    ck_assert_ptr_null(vecwire_reply_next_offset(reply));
}
END_TEST

START_TEST(a_page_tells_where_the_next_one_begins)
{
    const struct vecwire_reply *reply;

    live_fill();
    reply = live_fine_reply(
        vecwire_scroll(live.client, &VECWIRE_SCROLL(.limit = 2, .offset = "2"),
                       live_keep, live_slot(), NULL));
    live_ids(reply, "2 3");
    ck_assert_str_eq(vecwire_reply_next_offset(reply)->text, "4");
}
END_TEST

START_TEST(a_point_by_its_path_comes_or_is_404)
{
    static const uint64_t numbers[] = {1, 777};

    live_fill();
    live_ids(live_fine_reply(vecwire_qdrant_get_point(
                 live.client, &VECWIRE_GET(.numbers = numbers, .rows = 1),
                 live_keep, live_slot(), NULL)),
             "1");
    live_error(vecwire_qdrant_get_point(
                   live.client, &VECWIRE_GET(.numbers = numbers + 1, .rows = 1),
                   live_keep, live_slot(), NULL),
               404);
}
END_TEST

START_TEST(what_the_server_refuses_comes_with_its_text)
{
    live_error(vecwire_query(live.client,
                             &VECWIRE_QUERY(.vector = axis, .dim = 3),
                             live_keep, live_slot(), NULL),
               400);
    live_error(vecwire_query(live.client,
                             &VECWIRE_QUERY(.vector = axis, .dim = 4,
                                            .vector_name = "none"),
                             live_keep, live_slot(), NULL),
               400);
}
END_TEST

TCase *
live_qdrant_queries_case(void)
{
    TCase *tcase = live_qdrant_case("queries");

    tcase_add_test(tcase, rows_come_best_first_with_their_scores);
    tcase_add_test(tcase, a_query_costs_one_loop_iteration);
    tcase_add_test(tcase, a_sparse_vector_is_searched_by_its_name);
    tcase_add_test(tcase, queries_go_by_point_recommendation_and_threshold);
    tcase_add_test(tcase, what_two_searches_found_is_fused);
    tcase_add_test(tcase, queries_of_a_batch_are_groups);
    tcase_add_test(tcase, a_query_fills_groups);
    tcase_add_test(tcase, values_are_counted);
    tcase_add_test(tcase, a_scroll_goes_in_the_order_of_a_key);
    tcase_add_test(tcase, a_page_tells_where_the_next_one_begins);
    tcase_add_test(tcase, a_point_by_its_path_comes_or_is_404);
    tcase_add_test(tcase, what_the_server_refuses_comes_with_its_text);
    return tcase;
}
