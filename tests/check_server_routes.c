/* SPDX-License-Identifier: Apache-2.0 */
/* Which request goes where, who is let in, and the sample routes. */
#include <check.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/serve_client.h"

#define QUERY "/api/v1/query"
#define MIB ((size_t)1 << 20)
#define KEY "Authorization: Bearer s3cret\r\n"

static void
set_up(void)
{
    serve_start(&(struct vecwire__server_options){.dim = 3});
}

static void
set_up_key(void)
{
    serve_start(
        &(struct vecwire__server_options){.dim = 3, .api_key = "s3cret"});
}

static void
set_up_seeds(void)
{
    serve_start(&(struct vecwire__server_options){
        .dim = 8, .seed_rows = 30, .seed_text_bytes = 9});
}

START_TEST(ping_answers_pong)
{
    ck_assert_str_eq(serve_ask(200, "GET", "/ping", NULL, NULL), "pong");
    ck_assert_ptr_nonnull(
        strstr(serve_last()->headers, "\r\nContent-Type: text/plain\r\n"));
}
END_TEST

START_TEST(a_query_string_does_not_change_the_route)
{
    ck_assert_str_eq(serve_ask(200, "GET", "/ping?a=/b", NULL, NULL), "pong");
}
END_TEST

START_TEST(bigger_is_json_of_585_bytes)
{
    const char *body = serve_ask(200, "GET", "/bigger", NULL, NULL);

    ck_assert_uint_eq(serve_last()->body_len, 585);
    ck_assert_int_eq(body[0], '{');
    ck_assert_int_eq(body[584], '}');
}
END_TEST

START_TEST(head_has_the_length_and_no_body)
{
    struct serve_conn conn;
    struct serve_reply reply = {0};

    serve_open(&conn);
    for (int i = 0; i < 2; i++) {
        serve_send(&conn, "HEAD", "/length/5000", NULL, NULL);
        serve_read(&conn, &reply, true);
        ck_assert_int_eq(reply.status, 200);
        ck_assert_ptr_nonnull(
            strstr(reply.headers, "\r\nContent-Length: 5000\r\n"));
    }
    serve_close(&conn);
}
END_TEST

START_TEST(length_has_as_many_bytes_as_asked_for)
{
    static const size_t lengths[] = {0,     1,      4095,    4096,    4097,
                                     65536, 100000, 1 << 20, 16 << 20};
    char path[64];

    snprintf(path, sizeof(path), "/length/%zu", lengths[_i]);
    serve_ask(200, "GET", path, NULL, NULL);
    ck_assert_uint_eq(serve_last()->body_len, lengths[_i]);
}
END_TEST

START_TEST(length_is_a_number_up_to_16_mib)
{
    static const char *const paths[] = {"/length/16777217",
                                        "/length/99999999999999999999999",
                                        "/length/-1",
                                        "/length/+1",
                                        "/length/1x",
                                        "/length/0x10",
                                        "/length/18446744073709551617"};

    serve_ask_wrong(400, "invalid_request", "0 to 16777216", "GET", paths[_i],
                    NULL, NULL);
}
END_TEST

/* The cache grows between two replies of which the first is still on its way
 * to a client that does not read. */
START_TEST(length_may_grow_while_a_shorter_reply_is_being_sent)
{
    struct serve_conn slow;
    struct serve_reply reply = {0};
    char *first;

    serve_open(&slow);
    serve_send(&slow, "GET", "/length/8000000", NULL, NULL);
    serve_ask(200, "GET", "/length/16000000", NULL, NULL);
    first = malloc(8000000);
    ck_assert_ptr_nonnull(first);
    memcpy(first, serve_last()->body, 8000000);
    serve_read(&slow, &reply, false);
    ck_assert_uint_eq(reply.body_len, 8000000);
    ck_assert_mem_eq(reply.body, first, 8000000);
    free(first);
    serve_close(&slow);
}
END_TEST

START_TEST(an_unknown_path_is_404)
{
    static const char *const paths[] = {
        "/nothing",   "/api/v1/query/", "/api/v1/documents/",
        "/pingx",     "/length/",       "/api/v1/documents/a/b",
        "/api/v1/qu", "/length/1/2"};

    serve_ask_wrong(404, "not_found", "no such route", "GET", paths[_i], NULL,
                    NULL);
}
END_TEST

START_TEST(a_wrong_method_is_405_with_what_is_allowed)
{
    static const char *const rows[][3] = {
        {"GET", QUERY, "\r\nAllow: POST\r\n"},
        {"PUT", "/api/v1/documents", "\r\nAllow: POST\r\n"},
        {"GET", "/api/v1/documents/batch", "\r\nAllow: POST\r\n"},
        {"PATCH", "/api/v1/documents/a", "\r\nAllow: DELETE\r\n"},
        {"OPTIONS", QUERY, "\r\nAllow: POST\r\n"},
        {"TRACE", "/ping", "\r\nAllow: GET, HEAD\r\n"},
        {"POST", "/length/5", "\r\nAllow: GET, HEAD\r\n"},
    };

    serve_ask_wrong(405, "method_not_allowed", "method", rows[_i][0],
                    rows[_i][1], NULL, NULL);
    ck_assert_ptr_nonnull(strstr(serve_last()->headers, rows[_i][2]));
}
END_TEST

START_TEST(every_route_needs_the_key)
{
    static const char *const rows[][2] = {
        {"GET", "/ping"},
        {"GET", "/bigger"},
        {"GET", "/length/1"},
        {"POST", QUERY},
        {"POST", "/api/v1/documents"},
        {"POST", "/api/v1/documents/batch"},
        {"DELETE", "/api/v1/documents/a"},
        {"GET", "/unknown"},
    };

    serve_ask_wrong(401, "unauthorized", "bearer token", rows[_i][0],
                    rows[_i][1], NULL, NULL);
    ck_assert_ptr_nonnull(
        strstr(serve_last()->headers, "\r\nWWW-Authenticate: Bearer\r\n"));
}
END_TEST

START_TEST(a_wrong_key_is_401)
{
    static const char *const headers[] = {
        "Authorization: Bearer s3cre\r\n",
        "Authorization: Bearer s3crett\r\n",
        "Authorization: Bearer S3cret\r\n",
        "Authorization: Bearer \r\n",
        "Authorization: s3cret\r\n",
        "Authorization: Basic s3cret\r\n",
        "Authorization: Bearer s3crets3cret\r\n"};

    serve_ask(401, "GET", "/ping", headers[_i], NULL);
}
END_TEST

START_TEST(the_right_key_is_let_in)
{
    serve_ask(200, "GET", "/ping", KEY, NULL);
    serve_ask(200, "POST", QUERY, KEY, "{\"query_vector\":[1,0,0]}");
}
END_TEST

START_TEST(seed_rows_are_in_the_tenant_default)
{
    ck_assert_ptr_nonnull(
        strstr(serve_ask(200, "POST", QUERY, "X-Tenant-ID: default\r\n",
                         "{\"query_vector\":[1,2,3,4,5,6,7,8],\"filter\":"
                         "{\"n\":17}}"),
               "{\"matches\":[{\"id\":\"row-17\",\"text\":\"row 17...\","
               "\"metadata\":{\"n\":17,\"parity\":\"odd\"},\"score\":"));
    serve_ask(200, "DELETE", "/api/v1/documents/row-29", NULL, NULL);
    serve_ask(404, "DELETE", "/api/v1/documents/row-30", NULL, NULL);
}
END_TEST

/* A query of `total` bytes, filled up with blanks. */
static char *
padded_query(size_t total)
{
    const char *query = "{\"query_vector\":[1,0,0]}";
    char *body = malloc(total + 1);

    ck_assert_ptr_nonnull(body);
    memset(body, ' ', total);
    memcpy(body, query, strlen(query));
    body[total] = '\0';
    return body;
}

START_TEST(a_body_may_have_16_mib_and_no_more)
{
    static const int statuses[] = {200, 200, 413, 413};
    static const size_t sizes[] = {16 * MIB - 1, 16 * MIB, 16 * MIB + 1,
                                   32 * MIB};
    char *body = padded_query(sizes[_i]);

    if (statuses[_i] == 200)
        serve_ask(200, "POST", QUERY, NULL, body);
    else
        serve_ask_wrong(413, "payload_too_large", "at most 16777216", "POST",
                        QUERY, NULL, body);
    free(body);
}
END_TEST

static TCase *
case_of(Suite *suite, const char *name, void (*begin)(void))
{
    TCase *tc = tcase_create(name);

    tcase_add_checked_fixture(tc, begin, serve_stop);
    tcase_set_timeout(tc, 20);
    suite_add_tcase(suite, tc);
    return tc;
}

static void
add_routes(TCase *tc)
{
    tcase_add_test(tc, ping_answers_pong);
    tcase_add_test(tc, a_query_string_does_not_change_the_route);
    tcase_add_test(tc, bigger_is_json_of_585_bytes);
    tcase_add_test(tc, head_has_the_length_and_no_body);
    tcase_add_loop_test(tc, length_has_as_many_bytes_as_asked_for, 0, 9);
    tcase_add_loop_test(tc, length_is_a_number_up_to_16_mib, 0, 7);
    tcase_add_test(tc, length_may_grow_while_a_shorter_reply_is_being_sent);
    tcase_add_loop_test(tc, an_unknown_path_is_404, 0, 8);
    tcase_add_loop_test(tc, a_wrong_method_is_405_with_what_is_allowed, 0, 7);
    tcase_add_loop_test(tc, a_body_may_have_16_mib_and_no_more, 0, 4);
}

int
main(void)
{
    Suite *suite = suite_create("server routes");
    SRunner *runner = srunner_create(suite);
    TCase *tc;
    int failed;

    add_routes(case_of(suite, "routes", set_up));
    tc = case_of(suite, "key", set_up_key);
    tcase_add_loop_test(tc, every_route_needs_the_key, 0, 8);
    tcase_add_loop_test(tc, a_wrong_key_is_401, 0, 7);
    tcase_add_test(tc, the_right_key_is_let_in);
    tc = case_of(suite, "seeds", set_up_seeds);
    tcase_add_test(tc, seed_rows_are_in_the_tenant_default);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
