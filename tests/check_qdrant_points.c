/* SPDX-License-Identifier: Apache-2.0 */
/* The server's half that speaks Qdrant: points in and out, and who is let
 * in. What Qdrant's own clients see is in tests/conformance_qdrant.py. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/serve_client.h"

#define JSON "Content-Type: application/json\r\n"
#define C "/collections/c"
#define POINTS C "/points"
#define SCROLL C "/points/scroll"
#define QUERY C "/points/query"

static void
set_up(void)
{
    serve_start(&(struct vecwire__server_options){.dim = 3});
}

static const char *
ask(int status, const char *method, const char *path, const char *body)
{
    return serve_ask(status, method, path, JSON, body);
}

static void
create(const char *distance)
{
    ask(200, "PUT", C,
        serve_format("{\"vectors\":{\"size\":2,\"distance\":\"%s\"}}",
                     distance));
}

/* Fail unless the answer has this result. */
static void
expect(const char *result, const char *answer)
{
    char all[2048];

    snprintf(all, sizeof(all),
             "{\"result\":%s,\"status\":\"ok\",\"time\":", result);
    ck_assert_msg(strncmp(answer, all, strlen(all)) == 0, "%s", answer);
}

static void
expect_error(const char *words, const char *answer)
{
    ck_assert_msg(strncmp(answer, "{\"status\":{\"error\":\"", 20) == 0, "%s",
                  answer);
    ck_assert_msg(strstr(answer, words) != NULL, "%s", answer);
}

START_TEST(a_payload_comes_back_as_it_was_sent)
{
    create("Dot");
    ask(200, "PUT", POINTS,
        "{\"points\":[{\"id\":1,\"vector\":[1,2],"
        "\"payload\":{ \"b\":1.50 , \"a\":18446744073709551616}}]}");
    expect("{\"points\":[{\"id\":1,\"payload\":{ \"b\":1.50 , "
           "\"a\":18446744073709551616}}],\"next_page_offset\":null}",
           ask(200, "POST", SCROLL, "{}"));
}
END_TEST

START_TEST(the_largest_id_is_exact_and_comes_before_uuids)
{
    create("Dot");
    ask(200, "PUT", POINTS,
        "{\"points\":[{\"id\":\"{550E8400-E29B-41D4-A716-446655440000}\","
        "\"vector\":{}},{\"id\":18446744073709551615,\"vector\":{}},"
        "{\"id\":18446744073709551614,\"vector\":{}}]}");
    expect("{\"points\":[{\"id\":18446744073709551614},"
           "{\"id\":18446744073709551615}],\"next_page_offset\":"
           "\"550e8400-e29b-41d4-a716-446655440000\"}",
           ask(200, "POST", SCROLL, "{\"limit\":2,\"with_payload\":false}"));
}
END_TEST

START_TEST(an_id_beyond_the_largest_is_400)
{
    create("Dot");
    expect_error("not a valid point ID",
                 ask(400, "POST", POINTS, "{\"ids\":[18446744073709551616]}"));
}
END_TEST

START_TEST(a_page_begins_with_its_offset)
{
    create("Dot");
    ask(200, "PUT", POINTS,
        "{\"batch\":{\"ids\":[5,3,9],\"vectors\":[[1,2],[1,2],[1,2]]}}");
    expect("{\"points\":[{\"id\":5}],\"next_page_offset\":9}",
           ask(200, "POST", SCROLL,
               "{\"offset\":4,\"limit\":1,\"with_payload\":false}"));
}
END_TEST

START_TEST(cosine_is_stored_with_length_one_and_kept_so_bit_for_bit)
{
    create("Cosine");
    ask(200, "PUT", POINTS, "{\"points\":[{\"id\":1,\"vector\":[3,4]}]}");
    expect("[{\"id\":1,\"vector\":[0.6,0.8]}]",
           ask(200, "POST", POINTS, "{\"ids\":[1],\"with_vector\":true}"));
    /* Once more divided by its length it would be another. */
    ask(200, "PUT", POINTS,
        "{\"points\":[{\"id\":1,\"vector\":[0.50031567,0.8658431]}]}");
    expect("[{\"id\":1,\"vector\":[0.50031567,0.8658431]}]",
           ask(200, "POST", POINTS, "{\"ids\":[1],\"with_vector\":true}"));
}
END_TEST

START_TEST(every_distance_has_its_order_and_its_score)
{
    static const char *const rows[][3] = {
        {"Dot", "{\"id\":2,\"version\":1,\"score\":4}",
         "{\"id\":1,\"version\":1,\"score\":1}"},
        {"Euclid", "{\"id\":1,\"version\":1,\"score\":1}",
         "{\"id\":2,\"version\":1,\"score\":5}"},
        {"Manhattan", "{\"id\":1,\"version\":1,\"score\":1}",
         "{\"id\":2,\"version\":1,\"score\":7}"},
        {"Cosine", "{\"id\":1,\"version\":1,\"score\":0.70710677}",
         "{\"id\":2,\"version\":1,\"score\":0.70710677}"}};
    char result[256];

    create(rows[_i][0]);
    ask(200, "PUT", POINTS,
        "{\"points\":[{\"id\":1,\"vector\":[1,1]},"
        "{\"id\":2,\"vector\":[4,4]}]}");
    snprintf(result, sizeof(result), "{\"points\":[%s,%s]}", rows[_i][1],
             rows[_i][2]);
    expect(result, ask(200, "POST", QUERY, "{\"query\":[1,0]}"));
}
END_TEST

START_TEST(an_upsert_with_one_bad_point_stores_none)
{
    create("Dot");
    expect_error("expected dim: 2, got 3",
                 ask(400, "PUT", POINTS,
                     "{\"points\":[{\"id\":1,\"vector\":[1,2]},"
                     "{\"id\":2,\"vector\":[1,2,3]}]}"));
    expect("{\"count\":0}", ask(200, "POST", C "/points/count", "{}"));
}
END_TEST

START_TEST(an_upsert_replaces_the_whole_point)
{
    create("Dot");
    ask(200, "PUT", POINTS,
        "{\"points\":[{\"id\":1,\"vector\":[1,2],\"payload\":{\"a\":1}}]}");
    ask(200, "PUT", POINTS, "{\"points\":[{\"id\":1,\"vector\":{}}]}");
    expect("{\"id\":1,\"payload\":{},\"vector\":{}}",
           ask(200, "GET", POINTS "/1", NULL));
}
END_TEST

START_TEST(ids_stay_in_order_through_many_deletions)
{
    char *body = malloc(1 << 20), *at = body;

    ck_assert_ptr_nonnull(body);
    create("Dot");
    at += sprintf(at, "{\"points\":[");
    for (unsigned i = 0; i < 4000; i++)
        at += sprintf(at, "%s{\"id\":%u,\"vector\":[%u,1]}", i ? "," : "",
                      (i * 7919U) % 4001U, (i * 7919U) % 4001U);
    sprintf(at, "]}");
    ask(200, "PUT", POINTS, body);
    at = body + sprintf(body, "{\"points\":[");
    for (unsigned i = 0; i < 4001; i++)
        at += i % 4 == 0 ? 0 : sprintf(at, "%s%u", i > 1 ? "," : "", i);
    sprintf(at, "]}");
    ask(200, "POST", C "/points/delete", body);
    ask(200, "PUT", POINTS, "{\"points\":[{\"id\":7,\"vector\":[7,1]}]}");
    free(body);
    expect("{\"points\":[{\"id\":4,\"vector\":[4,1]},{\"id\":7,\"vector\":[7,1]"
           "},{\"id\":8,\"vector\":[8,1]}],\"next_page_offset\":12}",
           ask(200, "POST", SCROLL,
               "{\"offset\":1,\"limit\":3,\"with_payload\":false,"
               "\"with_vector\":true}"));
    expect("{\"id\":3996,\"payload\":{},\"vector\":[3996,1]}",
           ask(200, "GET", POINTS "/3996", NULL));
}
END_TEST

START_TEST(names_may_be_escaped_and_keys_stand_once)
{
    ask(200, "PUT", C,
        "{\"vectors\":{\"\xc3\xa4\\u0020\":{\"size\":1,\"distance\":\"Dot\"}}"
        "}");
    ask(200, "PUT", POINTS,
        "{\"points\":[{\"id\":1,\"vector\":{\"\\u00e4 \":[1]}}]}");
    expect_error("duplicate field `points`",
                 ask(400, "PUT", POINTS, "{\"points\":[],\"points\":[]}"));
    expect("{\"id\":1,\"payload\":{},\"vector\":{\"\xc3\xa4 \":[1]}}",
           ask(200, "GET", POINTS "/1", NULL));
}
END_TEST

START_TEST(a_pair_of_surrogates_is_one_character)
{
    ask(200, "PUT", C,
        "{\"vectors\":{\"\xf0\x9f\x98\x80\":{\"size\":1,\"distance\":\"Dot\"}}"
        "}");
    ask(200, "PUT", POINTS,
        "{\"points\":[{\"id\":1,\"vector\":{\"\\ud83d\\uDE00\":[1]}}]}");
}
END_TEST

START_TEST(known_parameters_are_checked_and_others_are_not)
{
    create("Dot");
    expect_error("ordering", ask(400, "POST", C "/points/delete?ordering=x",
                                 "{\"points\":[]}"));
    expect_error("wait", ask(400, "POST", C "/points/delete?a=b&wait=1",
                             "{\"points\":[]}"));
    expect_error("consistency",
                 ask(400, "POST", SCROLL "?consistency=0", "{}"));
    expect_error("timeout", ask(400, "POST", SCROLL "?timeout=0", "{}"));
    expect("{\"operation_id\":1,\"status\":\"completed\"}",
           ask(200, "POST", C "/points/delete?other=1&wait=true",
               "{\"points\":[]}"));
}
END_TEST

START_TEST(what_is_no_json_is_400)
{
    static const char *const bodies[] = {"", "[]", "{", "{\"points\":[}",
                                         "{\"points\":\"\\ud800\"}"};

    create("Dot");
    expect_error("JSON body", ask(400, "PUT", POINTS, bodies[_i]));
}
END_TEST

START_TEST(a_body_needs_its_type)
{
    create("Dot");
    expect_error("Content type", serve_ask(400, "POST", SCROLL, NULL, "{}"));
}
END_TEST

START_TEST(an_unknown_route_is_404_without_a_body)
{
    ck_assert_str_eq(ask(404, "GET", "/collections/a/b/c", NULL), "");
    ck_assert_str_eq(ask(404, "POST", "/collections", "{}"), "");
}
END_TEST

START_TEST(a_body_over_32_mib_is_400_in_qdrants_form)
{
    struct serve_conn conn;
    struct serve_reply reply = {0};
    static const char head[] = "PUT /collections/c/points HTTP/1.1\r\n"
                               "Host: a\r\nContent-Length: 33554433\r\n\r\n";

    serve_open(&conn);
    serve_write(&conn, head, sizeof(head) - 1);
    serve_read(&conn, &reply, false);
    ck_assert_int_eq(reply.status, 400);
    expect_error("33554432", reply.body);
    serve_close(&conn);
}
END_TEST

START_TEST(seeds_are_in_demo)
{
    serve_stop();
    serve_start(&(struct vecwire__server_options){.dim = 3, .seed_rows = 4});
    expect(
        "{\"points\":[{\"id\":3,\"payload\":{\"text\":\"row 3\",\"n\":3,"
        "\"parity\":\"odd\"}}],\"next_page_offset\":null}",
        ask(200, "POST", "/collections/demo/points/scroll", "{\"offset\":3}"));
}
END_TEST

START_TEST(the_key_is_taken_from_either_header)
{
    serve_stop();
    serve_start(
        &(struct vecwire__server_options){.dim = 3, .api_key = "secret"});
    ck_assert_str_eq(
        serve_ask(401, "GET", "/collections", NULL, NULL),
        "Must provide an API key or an Authorization bearer token");
    ck_assert_str_eq(serve_ask(401, "GET", "/collections",
                               "api-key: no\r\nAuthorization: Bearer secret"
                               "\r\n",
                               NULL),
                     "Invalid API key or JWT");
    serve_ask(200, "GET", "/collections", "api-key: secret\r\n", NULL);
    serve_ask(200, "GET", "/collections", "Authorization: Bearer secret\r\n",
              NULL);
    serve_ask(200, "GET", "/healthz", NULL, NULL);
    serve_ask(401, "GET", "/metrics", NULL, NULL);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("qdrant points");
    TCase *tests = tcase_create("routes");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(tests, set_up, serve_stop);
    tcase_add_test(tests, a_payload_comes_back_as_it_was_sent);
    tcase_add_test(tests, the_largest_id_is_exact_and_comes_before_uuids);
    tcase_add_test(tests, an_id_beyond_the_largest_is_400);
    tcase_add_test(tests, a_page_begins_with_its_offset);
    tcase_add_test(tests,
                   cosine_is_stored_with_length_one_and_kept_so_bit_for_bit);
    tcase_add_loop_test(tests, every_distance_has_its_order_and_its_score, 0,
                        4);
    tcase_add_test(tests, an_upsert_with_one_bad_point_stores_none);
    tcase_add_test(tests, an_upsert_replaces_the_whole_point);
    tcase_add_test(tests, ids_stay_in_order_through_many_deletions);
    tcase_add_test(tests, names_may_be_escaped_and_keys_stand_once);
    tcase_add_test(tests, a_pair_of_surrogates_is_one_character);
    tcase_add_test(tests, known_parameters_are_checked_and_others_are_not);
    tcase_add_loop_test(tests, what_is_no_json_is_400, 0, 5);
    tcase_add_test(tests, a_body_needs_its_type);
    tcase_add_test(tests, an_unknown_route_is_404_without_a_body);
    tcase_add_test(tests, a_body_over_32_mib_is_400_in_qdrants_form);
    tcase_add_test(tests, seeds_are_in_demo);
    tcase_add_test(tests, the_key_is_taken_from_either_header);
    suite_add_tcase(suite, tests);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
