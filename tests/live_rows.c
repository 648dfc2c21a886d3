/* SPDX-License-Identifier: Apache-2.0 */
/* Rows: stored, found, ranked, filtered, replaced, deleted. */
#include "tests/live_rig.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_RANKED 60

/* Row `index` of the reply has this id. */
static void
check_id(const struct vecwire_reply *reply, size_t index, const char *id)
{
    const struct vecwire_row *row = vecwire_reply_row(reply, index);

    ck_assert_ptr_nonnull(row);
    ck_assert_uint_eq(row->id.len, strlen(id));
    ck_assert_str_eq(row->id.text, id);
}

/* Exactly these ids come, in this order; a space between them. */
static void
check_found(const float *vector, uint32_t top_k, const char *filter,
            const char *ids)
{
    const struct vecwire_reply *reply = live_query(vector, top_k, filter);
    char found[512] = "";

    live_fine(reply);
    for (size_t i = 0; i < vecwire_reply_count(reply); i++) {
        size_t len = strlen(found);

        snprintf(found + len, sizeof(found) - len, "%s%s", i == 0 ? "" : " ",
                 vecwire_reply_row(reply, i)->id.text);
    }
    ck_assert_str_eq(found, ids);
    vecwire_reply_release(reply);
}

START_TEST(a_row_that_was_stored_is_found_with_all_it_had)
{
    float *vector = live_random(1);
    const struct vecwire_reply *reply;
    const struct vecwire_row *row;

    live_tenant("found");
    live_put("a", vector, "a text", "{\"n\":1}");
    reply = live_query(vector, 3, NULL);
    live_fine(reply);
    ck_assert_uint_eq(vecwire_reply_count(reply), 1);
    check_id(reply, 0, "a");
    row = vecwire_reply_row(reply, 0);
    ck_assert_str_eq(row->text, "a text");
    ck_assert_str_eq(row->payload, "{\"n\":1}");
    ck_assert((row->flags & VECWIRE_ROW_HAS_SCORE) != 0);
    ck_assert(fabsf(row->score - 1) < 1e-5F);
    vecwire_reply_release(reply);
    free(vector);
}
END_TEST

START_TEST(a_row_without_text_and_metadata_has_empty_ones)
{
    float *vector = live_random(2);
    const struct vecwire_reply *reply;

    live_tenant("bare");
    live_put("a", vector, NULL, NULL);
    reply = live_query(vector, 1, NULL);
    live_fine(reply);
    ck_assert_str_eq(vecwire_reply_row(reply, 0)->text, "");
    ck_assert_str_eq(vecwire_reply_row(reply, 0)->payload, "{}");
    vecwire_reply_release(reply);
    free(vector);
}
END_TEST

START_TEST(a_tenant_without_rows_has_no_matches)
{
    float *vector = live_axis(0);

    live_tenant("empty");
    check_found(vector, 100, NULL, "");
    free(vector);
}
END_TEST

START_TEST(an_id_that_exists_is_replaced_whole)
{
    float *first = live_axis(0), *second = live_axis(1);
    const struct vecwire_reply *reply;

    live_tenant("replaced");
    live_put("a", first, "first", "{\"n\":1}");
    live_put("a", second, NULL, NULL);
    reply = live_query(second, 10, NULL);
    live_fine(reply);
    ck_assert_uint_eq(vecwire_reply_count(reply), 1);
    ck_assert(fabsf(vecwire_reply_row(reply, 0)->score - 1) < 1e-5F);
    ck_assert_str_eq(vecwire_reply_row(reply, 0)->text, "");
    ck_assert_str_eq(vecwire_reply_row(reply, 0)->payload, "{}");
    vecwire_reply_release(reply);
    free(first);
    free(second);
}
END_TEST

START_TEST(of_an_id_twice_in_a_batch_the_last_stays)
{
    static const char *const ids[] = {"a", "b", "a"};
    static const char *const texts[] = {"first", "", "last"};
    float *matrix = calloc(3 * live.dim, sizeof(*matrix)), *axis;
    const struct vecwire_reply *reply;

    live_tenant("twice");
    for (size_t i = 0; i < 3; i++)
        matrix[i * live.dim + i] = 1;
    reply = live_upsert(VECWIRE_UPSERT(.matrix = matrix, .rows = 3, .ids = ids,
                                       .texts = texts));
    live_fine(reply);
    ck_assert_uint_eq(vecwire_reply_affected(reply), 3);
    vecwire_reply_release(reply);
    axis = live_axis(2);
    reply = live_query(axis, 10, NULL);
    ck_assert_uint_eq(vecwire_reply_count(reply), 2);
    check_id(reply, 0, "a");
    ck_assert_str_eq(vecwire_reply_row(reply, 0)->text, "last");
    vecwire_reply_release(reply);
    free(axis);
    free(matrix);
}
END_TEST

START_TEST(a_thousand_rows_are_one_call_and_a_hundred_come_back)
{
    static char names[1000][8];
    const char *ids[1000];
    float *matrix = calloc(1000 * live.dim, sizeof(*matrix)), *axis;
    const struct vecwire_reply *reply;

    live_tenant("thousand");
    for (size_t i = 0; i < 1000; i++) {
        snprintf(names[i], sizeof(names[i]), "r%04zu", i);
        ids[i] = names[i];
        matrix[i * live.dim] = 1;
        matrix[i * live.dim + 1] = (float)i / 100;
    }
    reply =
        live_upsert(VECWIRE_UPSERT(.matrix = matrix, .rows = 1000, .ids = ids));
    live_fine(reply);
    ck_assert_uint_eq(vecwire_reply_affected(reply), 1000);
    vecwire_reply_release(reply);
    axis = live_axis(0);
    reply = live_query(axis, 100, NULL);
    live_fine(reply);
    ck_assert_uint_eq(vecwire_reply_count(reply), 100);
    for (size_t i = 0; i < 100; i++)
        check_id(reply, i, names[i]);
    vecwire_reply_release(reply);
    free(axis);
    free(matrix);
}
END_TEST

/* 0 to N_RANKED-1, "00" and so on. */
static void
store_ranked(float **vectors)
{
    char id[8];

    for (size_t i = 0; i < N_RANKED; i++) {
        snprintf(id, sizeof(id), "%02zu", i);
        vectors[i] = live_random(100 + i);
        live_put(id, vectors[i], NULL, NULL);
    }
}

START_TEST(scores_are_cosines_and_the_best_come_first)
{
    float *vectors[N_RANKED], *query = live_random(99);
    const struct vecwire_reply *reply;
    bool seen[N_RANKED] = {false};
    double last = 2;

    live_tenant("ranked");
    store_ranked(vectors);
    reply = live_query(query, 100, NULL);
    live_fine(reply);
    ck_assert_uint_eq(vecwire_reply_count(reply), N_RANKED);
    for (size_t i = 0; i < N_RANKED; i++) {
        const struct vecwire_row *row = vecwire_reply_row(reply, i);
        size_t n = strtoul(row->id.text, NULL, 10);

        ck_assert(n < N_RANKED && !seen[n]);
        seen[n] = true;
        ck_assert_double_eq_tol((double)row->score,
                                live_cosine(query, vectors[n]), 1e-5);
        ck_assert((double)row->score <= last);
        last = (double)row->score;
    }
    vecwire_reply_release(reply);
    for (size_t i = 0; i < N_RANKED; i++)
        free(vectors[i]);
    free(query);
}
END_TEST

START_TEST(top_k_is_how_many_come_at_most)
{
    static const uint32_t wanted[] = {1, 2, 3, 4, 100};
    float *vector = live_axis(0);

    live_tenant("top");
    for (const char *id = "abc"; *id != '\0'; id++)
        live_put((char[]){*id, '\0'}, vector, NULL, NULL);
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        const struct vecwire_reply *reply = live_query(vector, wanted[i], NULL);

        live_fine(reply);
        ck_assert_uint_eq(vecwire_reply_count(reply),
                          wanted[i] < 3 ? wanted[i] : 3);
        vecwire_reply_release(reply);
    }
    free(vector);
}
END_TEST

START_TEST(equal_scores_come_in_the_order_of_ids)
{
    static const char *const ids[] = {"b", "aa", "c", "a", "\xc3\xa9", "B"};
    float *vector = live_axis(0);

    live_tenant("ties");
    for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
        live_put(ids[i], vector, NULL, NULL);
    check_found(vector, 5, NULL, "B a aa b c");
    free(vector);
}
END_TEST

/* Numbers at the ends of float32 do not hurt the score. */
START_TEST(very_long_and_very_short_vectors_have_a_direction)
{
    static const float lengths[] = {3.4028235e38F, 1e30F, 1e-30F, 1.2e-38F};
    float *vector = live_axis(1);

    live_tenant("extremes");
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        const struct vecwire_reply *reply;

        vector[1] = vector[3] = lengths[i];
        live_put("a", vector, NULL, NULL);
        reply = live_query(vector, 1, NULL);
        live_fine(reply);
        ck_assert(fabsf(vecwire_reply_row(reply, 0)->score - 1) < 1e-5F);
        vecwire_reply_release(reply);
    }
    free(vector);
}
END_TEST

static const char *const filters[][2] = {
    {"{}", "a b c"},
    {"{\"n\":1}", "a"},
    {"{\"n\":1.0}", "b"},
    {"{\"n\":\"1\"}", "c"},
    {"{\"n\":2}", ""},
    {"{\"t\":true}", "a"},
    {"{\"t\":false}", ""},
    {"{\"z\":null}", "b"},
    {"{\"absent\":null}", ""},
    {"{\"list\":[1,{\"y\":2,\"x\":[]}]}", "a"},
    {"{\"list\":[1]}", ""},
    {"{\"o\":{\"q\":2,\"p\":1}}", "a c"},
    {"{\"o\":{\"p\":1}}", ""},
    {"{\"\xc3\xa9\":\"\xe2\x82\xac\\\"\\u0000\"}", "c"},
    {"{\"o\":{\"p\":1,\"q\":2},\"n\":1}", "a"},
    {"{\"o\":{\"p\":1,\"q\":2},\"n\":2}", ""},
};

START_TEST(a_filter_keeps_rows_that_have_every_key_with_an_equal_value)
{
    float *vector = live_axis(0);

    live_tenant("filtered");
    live_put("a", vector, NULL,
             "{\"n\":1,\"t\":true,\"list\":[1,{\"x\":[],\"y\":2}],"
             "\"o\":{\"p\":1,\"q\":2}}");
    live_put("b", vector, NULL, "{\"n\":1.0,\"z\":null,\"o\":{}}");
    live_put("c", vector, NULL,
             "{\"n\":\"1\",\"o\":{\"q\":2,\"p\":1},"
             "\"\xc3\xa9\":\"\xe2\x82\xac\\\"\\u0000\"}");
    for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++)
        check_found(vector, 10, filters[i][0], filters[i][1]);
    free(vector);
}
END_TEST

START_TEST(a_filter_comes_before_the_ranking)
{
    float *near = live_axis(0), *far = live_axis(0);
    char id[16];

    live_tenant("before");
    far[0] = -1;
    for (int i = 0; i < 120; i++) {
        snprintf(id, sizeof(id), "%d", i);
        live_put(id, near, NULL, "{\"kind\":\"near\"}");
    }
    live_put("far", far, NULL, "{\"kind\":\"far\"}");
    check_found(near, 1, "{\"kind\":\"far\"}", "far");
    free(near);
    free(far);
}
END_TEST

START_TEST(tenants_do_not_see_each_others_rows)
{
    float *vector = live_axis(0);

    live_tenant("one");
    live_put("a", vector, NULL, NULL);
    live_tenant("One");
    check_found(vector, 10, NULL, "");
    live_remove("a", 0);
    live_put("b", vector, NULL, NULL);
    live_connect(VECWIRE_OPTIONS(.connections = 1));
    check_found(vector, 10, "{}", "");
    live_tenant("default");
    live_put("c", vector, NULL, NULL);
    live_connect(VECWIRE_OPTIONS(.connections = 1));
    check_found(vector, 10, NULL, "c");
    live_tenant("one");
    check_found(vector, 10, NULL, "a");
    live_tenant("One");
    check_found(vector, 10, NULL, "b");
    free(vector);
}
END_TEST

START_TEST(a_tenants_name_may_have_64_characters)
{
    float *vector = live_axis(0);

    live_tenant("0123456789-ABCDEFGHIJKLMNOPQRSTUVWXYZ_"
                "abcdefghijklmnopqrstuvwxyz");
    live_put("a", vector, NULL, NULL);
    check_found(vector, 10, NULL, "a");
    free(vector);
}
END_TEST

START_TEST(a_deleted_row_is_gone_and_deleting_it_again_is_none)
{
    float *vector = live_axis(0);

    live_tenant("deleted");
    live_remove("a", 0);
    live_put("a", vector, "text", NULL);
    live_put("b", vector, "text", NULL);
    live_remove("a", 1);
    check_found(vector, 10, NULL, "b");
    live_remove("a", 0);
    live_put("a", vector, "again", NULL);
    check_found(vector, 10, NULL, "a b");
    free(vector);
}
END_TEST

TCase *
live_rows_case(void)
{
    TCase *tcase = tcase_create("rows");

    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, live_begin, live_end);
    tcase_add_test(tcase, a_row_that_was_stored_is_found_with_all_it_had);
    tcase_add_test(tcase, a_row_without_text_and_metadata_has_empty_ones);
    tcase_add_test(tcase, a_tenant_without_rows_has_no_matches);
    tcase_add_test(tcase, an_id_that_exists_is_replaced_whole);
    tcase_add_test(tcase, of_an_id_twice_in_a_batch_the_last_stays);
    tcase_add_test(tcase, a_thousand_rows_are_one_call_and_a_hundred_come_back);
    tcase_add_test(tcase, scores_are_cosines_and_the_best_come_first);
    tcase_add_test(tcase, top_k_is_how_many_come_at_most);
    tcase_add_test(tcase, equal_scores_come_in_the_order_of_ids);
    tcase_add_test(tcase, very_long_and_very_short_vectors_have_a_direction);
    tcase_add_test(tcase,
                   a_filter_keeps_rows_that_have_every_key_with_an_equal_value);
    tcase_add_test(tcase, a_filter_comes_before_the_ranking);
    tcase_add_test(tcase, tenants_do_not_see_each_others_rows);
    tcase_add_test(tcase, a_tenants_name_may_have_64_characters);
    tcase_add_test(tcase, a_deleted_row_is_gone_and_deleting_it_again_is_none);
    return tcase;
}
