/* SPDX-License-Identifier: Apache-2.0 */
/* The server's routes: what they answer. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/serve_client.h"

#define QUERY "/api/v1/query"
#define ADD "/api/v1/documents"
#define BATCH "/api/v1/documents/batch"

static void
set_up(void)
{
    serve_start(&(struct vecwire__server_options){.dim = 3});
}

static void
add(const char *id, const char *vector, const char *metadata)
{
    serve_ask(
        200, "POST", ADD, NULL,
        serve_format("{\"id\":\"%s\",\"vector\":%s,\"text\":\"text of %s\","
                     "\"metadata\":%s}",
                     id, vector, id, metadata));
}

START_TEST(a_document_is_added_and_found)
{
    ck_assert_str_eq(
        serve_ask(200, "POST", ADD, NULL, "{\"id\":\"a\",\"vector\":[1,0,0]}"),
        "{\"added\":1}");
    ck_assert_str_eq(
        serve_ask(200, "POST", QUERY, NULL, "{\"query_vector\":[2,0,0]}"),
        "{\"matches\":[{\"id\":\"a\",\"text\":\"\",\"metadata\":{},"
        "\"score\":1}]}");
}
END_TEST

START_TEST(a_hit_has_metadata_as_sent_and_text_without_blank_ends)
{
    serve_ask(
        200, "POST", ADD, NULL,
        "{\"metadata\":{ \"a\" : [1, 2.50]},\"text\":\" q\\\"\\n\\u00e4\\n\","
        "\"vector\":[1,0,0],\"unknown\":{\"id\":5},\"id\":\"\\u00e4/b\"}");
    ck_assert_str_eq(
        serve_ask(200, "POST", QUERY, NULL, "{\"query_vector\":[1,0,0]}"),
        "{\"matches\":[{\"id\":\"\xc3\xa4/b\",\"text\":\"q\\\"\\n\xc3\xa4\","
        "\"metadata\":{ \"a\" : [1, 2.50]},\"score\":1}]}");
}
END_TEST

START_TEST(hits_come_best_first_and_three_when_nothing_is_said)
{
    add("far", "[-1,0,0]", "{}");
    add("best", "[1,0,0]", "{}");
    add("third", "[0,1,0]", "{}");
    add("second", "[1,1,0]", "{}");
    ck_assert_str_eq(
        serve_ask(200, "POST", QUERY, NULL, "{\"query_vector\":[1,0,0]}"),
        "{\"matches\":["
        "{\"id\":\"best\",\"text\":\"text of best\",\"metadata\":{},"
        "\"score\":1},"
        "{\"id\":\"second\",\"text\":\"text of second\",\"metadata\":{},"
        "\"score\":0.70710677},"
        "{\"id\":\"third\",\"text\":\"text of third\",\"metadata\":{},"
        "\"score\":0}]}");
}
END_TEST

START_TEST(top_k_bounds_the_hits)
{
    add("a", "[1,0,0]", "{}");
    add("b", "[1,1,0]", "{}");
    ck_assert_ptr_null(strstr(serve_ask(200, "POST", QUERY, NULL,
                                        "{\"query_vector\":[1,0,0],"
                                        "\"top_k\":1}"),
                              "\"b\""));
    ck_assert_ptr_nonnull(strstr(serve_ask(200, "POST", QUERY, NULL,
                                           "{\"query_vector\":[1,0,0],"
                                           "\"top_k\":100}"),
                                 "\"b\""));
}
END_TEST

START_TEST(a_filter_keeps_equal_values_only)
{
    add("a", "[1,0,0]", "{\"k\":1,\"l\":[true,null]}");
    add("b", "[1,0,0]", "{\"k\":\"1\",\"l\":[true,null]}");
    ck_assert_str_eq(
        serve_ask(200, "POST", QUERY, NULL,
                  "{\"query_vector\":[1,0,0],\"filter\":{\"k\":\"1\","
                  "\"l\":[true,null]}}"),
        "{\"matches\":[{\"id\":\"b\",\"text\":\"text of b\",\"metadata\":"
        "{\"k\":\"1\",\"l\":[true,null]},\"score\":1}]}");
}
END_TEST

START_TEST(null_in_an_optional_place_counts_as_absent)
{
    serve_ask(200, "POST", ADD, NULL,
              "{\"id\":\"a\",\"vector\":[1,0,0],\"text\":null,"
              "\"metadata\":null}");
    ck_assert_str_eq(
        serve_ask(200, "POST", QUERY, NULL,
                  "{\"query_vector\":[1,0,0],\"top_k\":null,\"query\":null,"
                  "\"filter\":null}"),
        "{\"matches\":[{\"id\":\"a\",\"text\":\"\",\"metadata\":{},"
        "\"score\":1}]}");
}
END_TEST

START_TEST(an_existing_id_is_replaced)
{
    add("a", "[1,0,0]", "{\"old\":1}");
    add("a", "[0,1,0]", "{\"new\":1}");
    ck_assert_str_eq(
        serve_ask(200, "POST", QUERY, NULL, "{\"query_vector\":[0,1,0]}"),
        "{\"matches\":[{\"id\":\"a\",\"text\":\"text of a\",\"metadata\":"
        "{\"new\":1},\"score\":1}]}");
}
END_TEST

START_TEST(a_batch_is_added_whole)
{
    ck_assert_str_eq(serve_ask(200, "POST", BATCH, NULL,
                               "[{\"id\":\"a\",\"vector\":[1,0,0]},"
                               "{\"id\":\"b\",\"vector\":[0,1,0]}]"),
                     "{\"added\":2}");
    ck_assert_ptr_nonnull(strstr(
        serve_ask(200, "POST", QUERY, NULL, "{\"query_vector\":[0,1,0]}"),
        "{\"id\":\"b\",\"text\":\"\",\"metadata\":{},\"score\":1}"));
}
END_TEST

START_TEST(nothing_of_a_batch_with_a_bad_document_is_stored)
{
    serve_ask_wrong(422, "invalid_request",
                    "document 1: vector has 2 values, expected 3", "POST",
                    BATCH, NULL,
                    "[{\"id\":\"a\",\"vector\":[1,0,0]},"
                    "{\"id\":\"b\",\"vector\":[0,1]}]");
    ck_assert_str_eq(
        serve_ask(200, "POST", QUERY, NULL, "{\"query_vector\":[0,1,0]}"),
        "{\"matches\":[]}");
}
END_TEST

START_TEST(a_document_is_deleted_by_its_percent_encoded_id)
{
    add("a/b c", "[1,0,0]", "{}");
    ck_assert_str_eq(serve_ask(200, "DELETE", ADD "/a%2Fb%20c", NULL, NULL),
                     "{\"deleted\":true}");
    ck_assert_str_eq(
        serve_ask(200, "POST", QUERY, NULL, "{\"query_vector\":[1,0,0]}"),
        "{\"matches\":[]}");
}
END_TEST

START_TEST(a_plus_in_an_id_is_a_plus)
{
    add("a+b", "[1,0,0]", "{}");
    serve_ask(200, "DELETE", ADD "/a+b", NULL, NULL);
}
END_TEST

START_TEST(a_document_called_batch_is_deleted_by_its_encoded_name)
{
    add("batch", "[1,0,0]", "{}");
    serve_ask_wrong(405, "method_not_allowed", "method", "DELETE", BATCH, NULL,
                    NULL);
    ck_assert_ptr_nonnull(strstr(serve_last()->headers, "\r\nAllow: POST\r\n"));
    serve_ask(200, "DELETE", ADD "/%62atch", NULL, NULL);
}
END_TEST

START_TEST(an_id_to_delete_that_no_document_can_have_is_refused)
{
    serve_ask_wrong(422, "invalid_request", "hms:", "DELETE", ADD "/hms%3Aa",
                    NULL, NULL);
    serve_ask_wrong(422, "invalid_request", "256 bytes", "DELETE",
                    serve_format(ADD "/%s", serve_letters(257)), NULL, NULL);
    serve_ask_wrong(400, "invalid_request", "UTF-8", "DELETE", ADD "/a%ff",
                    NULL, NULL);
    serve_ask_wrong(404, "not_found", "no such document", "DELETE",
                    serve_format(ADD "/%s", serve_letters(256)), NULL, NULL);
}
END_TEST

START_TEST(deleting_an_unknown_document_is_404)
{
    serve_ask_wrong(404, "not_found", "no such document", "DELETE", ADD "/a",
                    NULL, NULL);
    add("a", "[1,0,0]", "{}");
    serve_ask_wrong(404, "not_found", "no such document", "DELETE", ADD "/b",
                    NULL, NULL);
}
END_TEST

START_TEST(tenants_are_separate)
{
    serve_ask(200, "POST", ADD, "X-Tenant-ID: one\r\n",
              "{\"id\":\"a\",\"vector\":[1,0,0]}");
    ck_assert_str_eq(serve_ask(200, "POST", QUERY, "X-Tenant-ID: One\r\n",
                               "{\"query_vector\":[1,0,0]}"),
                     "{\"matches\":[]}");
    serve_ask(404, "DELETE", ADD "/a", NULL, NULL);
    serve_ask(200, "DELETE", ADD "/a", "X-Tenant-ID: one\r\n", NULL);
}
END_TEST

START_TEST(no_header_means_the_tenant_default)
{
    add("a", "[1,0,0]", "{}");
    serve_ask(200, "DELETE", ADD "/a", "X-Tenant-ID: default\r\n", NULL);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("server");
    TCase *tc = tcase_create("HMS");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_checked_fixture(tc, set_up, serve_stop);
    tcase_add_test(tc, a_document_is_added_and_found);
    tcase_add_test(tc, a_hit_has_metadata_as_sent_and_text_without_blank_ends);
    tcase_add_test(tc, hits_come_best_first_and_three_when_nothing_is_said);
    tcase_add_test(tc, top_k_bounds_the_hits);
    tcase_add_test(tc, a_filter_keeps_equal_values_only);
    tcase_add_test(tc, null_in_an_optional_place_counts_as_absent);
    tcase_add_test(tc, an_existing_id_is_replaced);
    tcase_add_test(tc, a_batch_is_added_whole);
    tcase_add_test(tc, nothing_of_a_batch_with_a_bad_document_is_stored);
    tcase_add_test(tc, a_document_is_deleted_by_its_percent_encoded_id);
    tcase_add_test(tc, a_plus_in_an_id_is_a_plus);
    tcase_add_test(tc, a_document_called_batch_is_deleted_by_its_encoded_name);
    tcase_add_test(tc, an_id_to_delete_that_no_document_can_have_is_refused);
    tcase_add_test(tc, deleting_an_unknown_document_is_404);
    tcase_add_test(tc, tenants_are_separate);
    tcase_add_test(tc, no_header_means_the_tenant_default);
    suite_add_tcase(suite, tc);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
