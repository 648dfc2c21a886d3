/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of query that serve knows: what they score, and what is refused.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/serve_client.h"

#define JSON "Content-Type: application/json\r\n"
#define C "/collections/c"
#define QUERY C "/points/query"

static const char *
ask(int status, const char *method, const char *path, const char *body)
{
    return serve_ask(status, method, path, JSON, body);
}

/* Points 1 to 4 at (1,0), (0,1), (-1,0) and (3,4). */
static void
set_up(void)
{
    serve_start(&(struct vecwire__server_options){.dim = 3});
    ask(200, "PUT", C, "{\"vectors\":{\"size\":2,\"distance\":\"Dot\"}}");
    ask(200, "PUT", C "/index?wait=true",
        "{\"field_name\":\"n\",\"field_schema\":\"integer\"}");
    ask(200, "PUT", C "/points?wait=true",
        "{\"batch\":{\"ids\":[1,2,3,4],"
        "\"vectors\":[[1,0],[0,1],[-1,0],[3,4]],"
        "\"payloads\":[{\"n\":7},{\"n\":5},{\"n\":[5,7]},null]}}");
}

/* Fail unless the query finds these, written as "id:score,..". */
static void
expect(const char *found, const char *query)
{
    const char *at = ask(200, "POST", QUERY, query);
    char got[512] = "";
    size_t len = 0;

    while ((at = strstr(at, "{\"id\":")) != NULL) {
        const char *score = strstr(at, "\"score\":") + strlen("\"score\":");

        at += strlen("{\"id\":");
        len += (size_t)snprintf(got + len, sizeof(got) - len, "%s%.*s:%.*s",
                                len == 0 ? "" : ",", (int)strcspn(at, ","), at,
                                (int)strcspn(score, ",}"), score);
    }
    ck_assert_str_eq(got, found);
}

static void
expect_refused(const char *words, const char *query)
{
    const char *answer = ask(400, "POST", QUERY, query);

    ck_assert_msg(strstr(answer, words) != NULL, "%s", answer);
}

START_TEST(a_mean_of_examples_finds_all_but_these)
{
    expect("4:2,3:-2",
           "{\"query\":{\"recommend\":{\"positive\":[1],\"negative\":[2],"
           "\"strategy\":\"average_vector\"}},\"limit\":5}");
}
END_TEST

START_TEST(the_best_score_is_that_of_the_nearest_example)
{
    /* Both are nearer to the negative one: -0.5 * (4 / 5 + 1) for 4. */
    expect("3:-0.5,4:-0.9",
           "{\"query\":{\"recommend\":{\"positive\":[1],\"negative\":[2],"
           "\"strategy\":\"best_score\"}}}");
}
END_TEST

START_TEST(scores_of_examples_are_added_up)
{
    expect("4:7,3:-1", "{\"query\":{\"recommend\":{\"positive\":[1,2],"
                       "\"strategy\":\"sum_scores\"}}}");
}
END_TEST

START_TEST(discovery_counts_right_sides_first)
{
    /* (3,4) is on the side of (0,1): 1 + 0.5 * (3 / 4 + 1) */
    expect("4:1.875,3:1.25",
           "{\"query\":{\"discover\":{\"target\":[1,0],\"context\":"
           "[{\"positive\":2,\"negative\":1}]}}}");
}
END_TEST

START_TEST(a_context_takes_off_for_wrong_sides_only)
{
    expect("4:-0.05000013,3:-0.5000001",
           "{\"query\":{\"context\":{\"positive\":1,\"negative\":2}}}");
}
END_TEST

START_TEST(ranks_are_fused_with_the_k_that_is_asked_for)
{
    expect("4:0.4,1:0.16666667,2:0.16666667",
           "{\"prefetch\":[{\"query\":[1,0],\"limit\":2},"
           "{\"query\":[0,1],\"limit\":2}],\"query\":{\"rrf\":{\"k\":5}}}");
}
END_TEST

START_TEST(a_query_scores_what_its_prefetches_found)
{
    expect("1:-1,4:-3",
           "{\"prefetch\":{\"query\":[1,0],\"limit\":2},\"query\":[-1,0]}");
}
END_TEST

START_TEST(an_order_has_a_score_of_one)
{
    expect("2:1,3:1,1:1,3:1", "{\"query\":{\"order_by\":\"n\"}}");
}
END_TEST

START_TEST(a_threshold_and_an_offset_cut_off)
{
    expect("1:1", "{\"query\":[1,0],\"score_threshold\":0.5,\"offset\":1}");
}
END_TEST

START_TEST(a_point_is_in_the_group_of_each_of_its_values)
{
    const char *answer =
        ask(200, "POST", QUERY "/groups",
            "{\"query\":[-1,0],\"group_by\":\"n\",\"group_size\":1}");

    ck_assert_msg(strstr(answer, "{\"groups\":[{\"hits\":[{\"id\":3,"
                                 "\"version\":2,\"score\":1}],\"id\":5},"
                                 "{\"hits\":[{\"id\":3,\"version\":2,"
                                 "\"score\":1}],\"id\":7}]}") != NULL,
                  "%s", answer);
}
END_TEST

START_TEST(what_is_not_offered_is_named)
{
    static const char *const rows[][2] = {
        {"formula", "{\"query\":{\"formula\":1}}"},
        {"mmr", "{\"query\":{\"nearest\":1,\"mmr\":{}}}"},
        {"inference", "{\"query\":{\"text\":\"a\",\"model\":\"b\"}}"},
        {"weights", "{\"prefetch\":{\"query\":1},\"query\":{\"rrf\":"
                    "{\"weights\":[1]}}}"}};

    expect_refused(rows[_i][0], rows[_i][1]);
}
END_TEST

START_TEST(a_query_has_at_most_1024_examples)
{
    char *query = malloc(1 << 16), *at = query;

    ck_assert_ptr_nonnull(query);
    at += sprintf(at, "{\"query\":{\"recommend\":{\"positive\":[");
    for (unsigned i = 0; i < 1023; i++)
        at += sprintf(at, "[1,0],");
    sprintf(at, "[1,0]]}},\"limit\":1}");
    expect("4:3", query);
    sprintf(at, "[1,0],[1,0]]}}}");
    expect_refused("1024 examples", query);
    free(query);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("qdrant query");
    TCase *tests = tcase_create("kinds");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(tests, set_up, serve_stop);
    tcase_add_test(tests, a_mean_of_examples_finds_all_but_these);
    tcase_add_test(tests, the_best_score_is_that_of_the_nearest_example);
    tcase_add_test(tests, scores_of_examples_are_added_up);
    tcase_add_test(tests, discovery_counts_right_sides_first);
    tcase_add_test(tests, a_context_takes_off_for_wrong_sides_only);
    tcase_add_test(tests, ranks_are_fused_with_the_k_that_is_asked_for);
    tcase_add_test(tests, a_query_scores_what_its_prefetches_found);
    tcase_add_test(tests, an_order_has_a_score_of_one);
    tcase_add_test(tests, a_threshold_and_an_offset_cut_off);
    tcase_add_test(tests, a_point_is_in_the_group_of_each_of_its_values);
    tcase_add_loop_test(tests, what_is_not_offered_is_named, 0, 4);
    tcase_add_test(tests, a_query_has_at_most_1024_examples);
    suite_add_tcase(suite, tests);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
