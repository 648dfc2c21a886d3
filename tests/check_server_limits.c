/* SPDX-License-Identifier: Apache-2.0 */
/* The server's limits, and what is wrong with a request. */
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

/* 999, 1000, 1001 and 3000 documents, and none. */
START_TEST(a_batch_has_1_to_1000_documents)
{
    static const int numbers[] = {0, 999, 1000, 1001, 3000};
    int n = numbers[_i];
    static char text[200000];
    size_t len = 1;

    text[0] = '[';
    for (int i = 0; i < n; i++)
        len += (size_t)snprintf(text + len, sizeof(text) - len,
                                "%s{\"id\":\"%d\",\"vector\":[1,2,3]}",
                                i == 0 ? "" : ",", i);
    memcpy(text + len, "]", 2);
    if (n >= 1 && n <= 1000) {
        serve_ask(200, "POST", BATCH, NULL, text);
    } else {
        char words[64];

        snprintf(words, sizeof(words),
                 "batch has %d documents, allowed are 1 to 1000", n);
        serve_ask_wrong(422, "invalid_request", words, "POST", BATCH, NULL,
                        text);
        /* None of them is to blame. */
        ck_assert_ptr_null(strstr(serve_last()->body, "document "));
    }
}
END_TEST

START_TEST(a_tenants_name_has_1_to_64_plain_characters)
{
    const char *bad[] = {"X-Tenant-ID: a b\r\n", "X-Tenant-ID: a.b\r\n",
                         "X-Tenant-ID: \xc3\xa4\r\n", "X-Tenant-ID:\r\n"};
    char headers[128];

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        serve_ask_wrong(400, "invalid_tenant", "1 to 64 characters", "POST",
                        QUERY, bad[i], "{\"query_vector\":[1,0,0]}");
    snprintf(headers, sizeof(headers), "X-Tenant-ID: %.64s\r\n",
             serve_letters(64));
    serve_ask(200, "POST", QUERY, headers, "{\"query_vector\":[1,0,0]}");
    snprintf(headers, sizeof(headers), "X-Tenant-ID: %.65s\r\n",
             serve_letters(65));
    serve_ask_wrong(400, "invalid_tenant", "1 to 64 characters", "DELETE",
                    ADD "/a", headers, NULL);
}
END_TEST

START_TEST(the_65th_tenant_is_503_for_reading_too)
{
    char headers[64];

    for (int i = 0; i < 64; i++) {
        snprintf(headers, sizeof(headers), "X-Tenant-ID: t%d\r\n", i);
        if (i % 2 == 0)
            serve_ask(200, "POST", ADD, headers,
                      "{\"id\":\"a\",\"vector\":[1,0,0]}");
        else
            serve_ask(200, "POST", QUERY, headers,
                      "{\"query_vector\":[1,0,0]}");
    }
    serve_ask_wrong(503, "tenant_limit", "64 tenants", "POST", QUERY,
                    "X-Tenant-ID: new\r\n", "{\"query_vector\":[1,0,0]}");
    serve_ask_wrong(503, "tenant_limit", "64 tenants", "DELETE", ADD "/a",
                    "X-Tenant-ID: new\r\n", NULL);
    serve_ask_wrong(503, "tenant_limit", "64 tenants", "POST", ADD,
                    "X-Tenant-ID: new\r\n",
                    "{\"id\":\"a\",\"vector\":[1,0,0]}");
    serve_ask(200, "POST", ADD, "X-Tenant-ID: t63\r\n",
              "{\"id\":\"b\",\"vector\":[1,0,0]}");
}
END_TEST

START_TEST(top_k_is_100_and_no_more)
{
    for (int top_k = 99; top_k <= 100; top_k++)
        serve_ask(
            200, "POST", QUERY, NULL,
            serve_format("{\"query_vector\":[1,2,3],\"top_k\":%d}", top_k));
    serve_ask_wrong(422, "invalid_request", "top_k is 101", "POST", QUERY, NULL,
                    "{\"query_vector\":[1,2,3],\"top_k\":101}");
}
END_TEST

struct wrong {
    const char *path;
    const char *body;
    int status;
    const char *words;
};

#define V3 "\"vector\":[1,2,3]"

static const struct wrong wrongs[] = {
    {QUERY, "{\"query_vector\":[1,2]}", 422,
     "query_vector has 2 values, expected 3"},
    {QUERY, "{\"query_vector\":[1,2,3,4]}", 422,
     "query_vector has 4 values, expected 3"},
    {QUERY, "{\"query_vector\":[]}", 422,
     "query_vector has 0 values, expected 3"},
    {QUERY, "{\"query_vector\":[0,-0.0,0]}", 422, "query_vector is all zeros"},
    {QUERY, "{\"query_vector\":[1,null,3]}", 400,
     "query_vector[1] is not a number"},
    {QUERY, "{\"query_vector\":[1,1e39,3]}", 422, "query_vector"},
    {QUERY, "{\"query_vector\":\"x\"}", 400, "query_vector"},
    {QUERY, "{\"query_vector\":[1,\"2\",3]}", 400, "query_vector"},
    {QUERY, "{\"query_vector\":[1,2,3],\"query_vector\":[1,2,3]}", 400,
     "query_vector"},
    {QUERY, "{}", 422, "query_vector is missing"},
    {QUERY, "{\"query\":\"text\"}", 422, "no model stages"},
    {QUERY, "{\"query\":\"text\",\"query_vector\":[1,2,3]}", 422,
     "no model stages"},
    {QUERY, "{\"query_vector\":[1,2,3],\"top_k\":0}", 422,
     "top_k is 0, allowed are 1 to 100"},
    {QUERY, "{\"query_vector\":[1,2,3],\"top_k\":101}", 422,
     "top_k is 101, allowed are 1 to 100"},
    {QUERY, "{\"query_vector\":[1,2,3],\"top_k\":-1}", 422, "top_k"},
    {QUERY, "{\"query_vector\":[1,2,3],\"top_k\":-0}", 400, "top_k"},
    {QUERY, "{\"query_vector\":[1,2,3],\"top_k\":-9223372036854775808}", 422,
     "top_k"},
    {QUERY, "{\"query_vector\":[1,2,3],\"top_k\":-9223372036854775809}", 400,
     "top_k"},
    {QUERY, "{\"query_vector\":[1,2,3],\"top_k\":-10000000000000000000}", 400,
     "top_k"},
    {QUERY, "{\"query_vector\":[1,2,3],\"top_k\":1.5}", 400, "top_k"},
    {QUERY, "{\"query_vector\":[1,2,3],\"top_k\":\"3\"}", 400, "top_k"},
    {QUERY, "{\"query_vector\":[1,2,3],\"top_k\":-1.5}", 400, "top_k"},
    {QUERY, "{\"query_vector\":[1,2,3],\"top_k\":9223372036854775808}", 400,
     "top_k"},
    {QUERY, "{\"query_vector\":[1,2,3],\"filter\":[1]}", 422, "filter"},
    {QUERY, "{\"query_vector\":[1,2,3],\"filter\":{},\"filter\":{}}", 400,
     "filter"},
    {QUERY, "{\"query_vector\":[1,2,3],\"filter\":{\"a\":1e999}}", 422,
     "filter"},
    {QUERY, "{\"query_vector\":[1,2,3],\"filter\":{\"a\":9223372036854775808}}",
     422, "filter cannot be held"},
    {QUERY, "[]", 400, "body"},
    {QUERY, "", 400, "ended too early"},
    {QUERY, "{\"query_vector\":[1,2,3]}x", 400, "no valid JSON"},
    {QUERY, "{\"query_vector\":[1,2,03]}", 400, "no valid JSON"},
    {QUERY, "{\"query_vector\":[1,2,NaN]}", 400, "no valid JSON"},
    {ADD, "{" V3 "}", 400, "id is missing"},
    {ADD, "{\"id\":\"\"," V3 "}", 422, "id has 0 bytes, allowed are 1 to 256"},
    {ADD, "{\"id\":5," V3 "}", 400, "id"},
    {ADD, "{\"id\":null," V3 "}", 400, "id"},
    {ADD, "{\"id\":\"hms:a\"," V3 "}", 422, "id begins with \"hms:\""},
    {ADD, "{\"id\":\"a\\u0000b\"," V3 "}", 422, "control character"},
    {ADD, "{\"id\":\"a\\n\"," V3 "}", 422, "control character"},
    {ADD, "{\"id\":\"\\u007f\"," V3 "}", 422, "control character"},
    {ADD, "{\"id\":\"\\u0085\"," V3 "}", 422, "control character"},
    {ADD, "{\"id\":\"a\"}", 422, "no embedder"},
    {ADD, "{\"id\":\"a\",\"vector\":null,\"text\":\"t\"}", 422, "no embedder"},
    {ADD, "{\"id\":\"a\",\"vector\":[0,0,0]}", 422, "vector is all zeros"},
    {ADD, "{\"id\":\"a\"," V3 ",\"text\":5}", 400, "text"},
    {ADD, "{\"id\":\"a\"," V3 ",\"metadata\":\"x\"}", 422, "metadata"},
    {ADD, "{\"id\":\"a\"," V3 ",\"metadata\":{\"a\\u0000\":1}}", 422,
     "metadata cannot be held"},
    {ADD, "[{\"id\":\"a\"," V3 "}]", 400, "body"},
    {ADD, "{\"id\":\"\xff\"," V3 "}", 400, "no valid JSON"},
    {BATCH, "{\"id\":\"a\"," V3 "}", 400, "body"},
    {BATCH, "[5]", 400, "body"},
    {BATCH, "[{\"id\":\"a\"," V3 "},{\"id\":\"b\"}]", 422,
     "document 1: vector is missing"},
    {BATCH, "[{\"id\":\"hms:\"," V3 "},{" V3 "}]", 400,
     "document 1: id is missing"},
    {BATCH, "[{\"id\":\"a\"," V3 "}", 400, "ended too early"},
    /* What is wrong first may not hide what cannot be read. */
    {QUERY, "{\"filter\":[1],\"query_vector\":[1,2,3]", 400, "ended too early"},
    {QUERY, "{\"filter\":5,\"query_vector\":[1,\"2\",3]}", 400, "query_vector"},
    {ADD, "{\"metadata\":\"x\"," V3 "}", 400, "id is missing"},
    {ADD, "{\"metadata\":[\"\\x\"],\"id\":\"a\"," V3 "}", 400, "no valid JSON"},
    {BATCH, "[{\"id\":\"a\",\"metadata\":5," V3 "},{" V3 "}]", 400,
     "document 1: id is missing"},
};

START_TEST(a_bad_body_is_refused_with_its_place)
{
    const struct wrong *wrong = &wrongs[_i];

    serve_ask_wrong(wrong->status,
                    wrong->status == 400 ? "invalid_json" : "invalid_request",
                    wrong->words, "POST", wrong->path, NULL, wrong->body);
}
END_TEST

START_TEST(a_body_cut_anywhere_is_invalid_json)
{
    const char *whole = "{\"id\":\"a\\u00e4\",\"vector\":[1.5,-2e1,3],"
                        "\"text\":\"t\",\"metadata\":{\"a\":[true,null]}}";
    struct serve_conn conn;
    struct serve_reply reply = {0};

    serve_open(&conn);
    for (size_t len = 0; len < strlen(whole); len++) {
        serve_send(&conn, "POST", ADD, NULL,
                   serve_format("%.*s", (int)len, whole));
        serve_read(&conn, &reply, false);
        ck_assert_int_eq(reply.status, 400);
    }
    serve_send(&conn, "POST", ADD, NULL, whole);
    serve_read(&conn, &reply, false);
    ck_assert_int_eq(reply.status, 200);
    serve_close(&conn);
}
END_TEST

START_TEST(an_id_may_have_256_bytes_and_no_more)
{
    for (size_t len = 255; len <= 256; len++)
        serve_ask(200, "POST", ADD, NULL,
                  serve_format("{\"id\":\"%s\"," V3 "}", serve_letters(len)));
    serve_ask_wrong(422, "invalid_request", "id has 257 bytes", "POST", ADD,
                    NULL,
                    serve_format("{\"id\":\"%s\"," V3 "}", serve_letters(257)));
}
END_TEST

START_TEST(a_text_may_have_64_kib_and_no_more)
{
    for (size_t len = 65535; len <= 65536; len++)
        serve_ask(200, "POST", ADD, NULL,
                  serve_format("{\"id\":\"a\"," V3 ",\"text\":\"%s\"}",
                               serve_letters(len)));
    serve_ask_wrong(422, "invalid_request", "text has 65537 bytes", "POST", ADD,
                    NULL,
                    serve_format("{\"id\":\"a\"," V3 ",\"text\":\"%s\"}",
                                 serve_letters(65537)));
}
END_TEST

START_TEST(metadata_may_have_64_kib_and_no_more)
{
    for (size_t len = 65535; len <= 65536; len++)
        serve_ask(200, "POST", ADD, NULL,
                  serve_format("{\"id\":\"a\"," V3
                               ",\"metadata\":{\"a\":\"%s\"}}",
                               serve_letters(len - 8)));
    serve_ask_wrong(
        422, "invalid_request", "metadata has 65537 bytes", "POST", ADD, NULL,
        serve_format("{\"id\":\"a\"," V3 ",\"metadata\":{\"a\":\"%s\"}}",
                     serve_letters(65537 - 8)));
}
END_TEST

START_TEST(blanks_do_not_count_among_the_bytes_of_metadata)
{
    serve_ask(200, "POST", ADD, NULL,
              serve_format("{\"id\":\"a\"," V3 ",\"metadata\":"
                           "{%5000s\"a\"%s:%s\"%s\" }}",
                           "", " ", "\t", serve_letters(65536 - 8)));
    serve_ask_wrong(422, "invalid_request", "metadata has 65537 bytes", "POST",
                    ADD, NULL,
                    serve_format("{\"id\":\"a\"," V3 ",\"metadata\":"
                                 "{%5000s\"a\":\"%s\"}}",
                                 "", serve_letters(65537 - 8)));
}
END_TEST

START_TEST(a_text_may_have_4096_words_and_no_more)
{
    static char words[2 * 4097 + 1];

    for (size_t i = 0; i < 4097; i++)
        memcpy(words + 2 * i, "w ", 2);
    for (size_t n = 4095; n <= 4096; n++)
        serve_ask(200, "POST", ADD, NULL,
                  serve_format("{\"id\":\"a\"," V3 ",\"text\":\"%.*s\"}",
                               (int)(2 * n), words));
    serve_ask_wrong(
        422, "invalid_request", "text has 4097 words", "POST", ADD, NULL,
        serve_format("{\"id\":\"a\"," V3 ",\"text\":\"%s\"}", words));
}
END_TEST

/* What HMS takes for white space, and neighbours that are none. */
START_TEST(white_space_at_the_ends_of_a_text_is_not_kept)
{
    static const char *const texts[][2] = {
        {" \\t\\n\\u000b\\u000c\\ra  b ", "a  b"},
        {"\xc2\x85\xc2\xa0"
         "a\xe1\x9a\x80",
         "a"},
        {"\xe2\x80\x80"
         "a\xe2\x80\x8a",
         "a"},
        {"\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xaf\xe2\x81\x9f\xe3\x80\x80"
         "a",
         "a"},
        {"\xe2\x80\x8b"
         "a\xc2\x84",
         "\xe2\x80\x8b"
         "a\xc2\x84"},
        {" \xe3\x80\x80 ", ""},
        {"", ""},
    };
    const char *answer;

    serve_ask(
        200, "POST", ADD, NULL,
        serve_format("{\"id\":\"a\"," V3 ",\"text\":\"%s\"}", texts[_i][0]));
    answer = serve_ask(200, "POST", QUERY, NULL, "{\"query_vector\":[1,2,3]}");
    ck_assert_msg(
        strstr(answer, serve_format("\"text\":\"%s\",", texts[_i][1])) != NULL,
        "%s", answer);
}
END_TEST

/* 8 MiB of texts, of metadata. */
START_TEST(a_batch_may_hold_8_mib_of_each_kind)
{
    size_t n = 128, len = 1;
    char *text = malloc((n + 2) * 70000);

    ck_assert_ptr_nonnull(text);
    text[0] = '[';
    for (size_t i = 0; i < n; i++) {
        len += (size_t)sprintf(text + len, "%s{\"id\":\"%08zu\"," V3 ",",
                               i == 0 ? "" : ",", i);
        len += (size_t)sprintf(text + len,
                               _i == 0 ? "\"text\":\"%s\"}"
                                       : "\"metadata\":{\"a\":\"%s\"}}",
                               serve_letters(65536 - 8));
    }
    memcpy(text + len, "]", 2);
    serve_ask(200, "POST", BATCH, NULL, text);
    strcpy(text + len, ",{\"id\":\"z\"," V3 ",\"metadata\":{\"a\":1}}]");
    serve_ask_wrong(422, "invalid_request", "8 MiB", "POST", BATCH, NULL, text);
    ck_assert_ptr_null(strstr(serve_last()->body, "document "));
    free(text);
}
END_TEST

/* Its own server, of 2048 coordinates. */
START_TEST(a_batch_may_have_2_to_the_20_coordinates_and_no_more)
{
    const size_t dim = 2048, n = 512;
    char *text = malloc((n + 1) * (2 * dim + 64)), *zeros = malloc(2 * dim);
    size_t len = 1;

    ck_assert(text != NULL && zeros != NULL);
    for (size_t i = 0; i < dim - 1; i++)
        memcpy(zeros + 2 * i, ",0", 3);
    serve_stop();
    serve_start(&(struct vecwire__server_options){.dim = 2048});
    text[0] = '[';
    for (size_t i = 0; i <= n; i++) {
        len += (size_t)sprintf(text + len, "%s{\"id\":\"i\",\"vector\":[1%s]}",
                               i == 0 ? "" : ",", zeros);
        memcpy(text + len, "]", 2);
        if (i + 2 == n || i + 1 == n)
            serve_ask(200, "POST", BATCH, NULL, text);
    }
    serve_ask_wrong(422, "invalid_request", "1048576 coordinates", "POST",
                    BATCH, NULL, text);
    free(zeros);
    free(text);
}
END_TEST

START_TEST(an_id_may_have_a_no_break_space)
{
    serve_ask(200, "POST", ADD, NULL, "{\"id\":\"a\xc2\xa0z\"," V3 "}");
}
END_TEST

START_TEST(json_may_be_nested_127_deep_and_no_more)
{
    static char deep[300];

    for (int depth = 125; depth <= 127; depth++) {
        /* The body's object and the filter's are two of them. */
        int inner = depth - 2;

        memset(deep, '[', (size_t)inner);
        memset(deep + inner, ']', (size_t)inner);
        deep[2 * inner] = '\0';
        serve_ask(
            200, "POST", QUERY, NULL,
            serve_format("{\"query_vector\":[1,2,3],\"filter\":{\"a\":%s}}",
                         deep));
    }
    memset(deep, '[', 126);
    memset(deep + 126, ']', 126);
    serve_ask_wrong(
        400, "invalid_json", "deep", "POST", QUERY, NULL,
        serve_format("{\"query_vector\":[1,2,3],\"filter\":{\"a\":%.252s}}",
                     deep));
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("server limits");
    TCase *tc = tcase_create("limits");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_checked_fixture(tc, set_up, serve_stop);
    tcase_add_test(tc, a_tenants_name_has_1_to_64_plain_characters);
    tcase_add_test(tc, the_65th_tenant_is_503_for_reading_too);
    tcase_add_loop_test(tc, a_batch_has_1_to_1000_documents, 0, 5);
    tcase_add_test(tc, top_k_is_100_and_no_more);
    tcase_add_loop_test(tc, a_bad_body_is_refused_with_its_place, 0,
                        (int)(sizeof(wrongs) / sizeof(wrongs[0])));
    tcase_add_test(tc, a_body_cut_anywhere_is_invalid_json);
    tcase_add_test(tc, an_id_may_have_256_bytes_and_no_more);
    tcase_add_test(tc, a_text_may_have_64_kib_and_no_more);
    tcase_add_test(tc, metadata_may_have_64_kib_and_no_more);
    tcase_add_test(tc, blanks_do_not_count_among_the_bytes_of_metadata);
    tcase_add_test(tc, a_text_may_have_4096_words_and_no_more);
    tcase_add_loop_test(tc, white_space_at_the_ends_of_a_text_is_not_kept, 0,
                        7);
    tcase_add_loop_test(tc, a_batch_may_hold_8_mib_of_each_kind, 0, 2);
    tcase_add_test(tc, an_id_may_have_a_no_break_space);
    tcase_add_test(tc, a_batch_may_have_2_to_the_20_coordinates_and_no_more);
    tcase_add_test(tc, json_may_be_nested_127_deep_and_no_more);
    suite_add_tcase(suite, tc);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
