/* SPDX-License-Identifier: Apache-2.0 */
/* The server's connections: kept, shared out, cut and closed. */
#include <check.h>
#include <stdint.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include <event2/event.h>

#include "tests/serve_client.h"

#define QUERY "/api/v1/query"

static void
set_up(void)
{
    serve_start(&(struct vecwire__server_options){.dim = 3});
}

START_TEST(a_connection_is_kept_after_answers_of_every_kind)
{
    struct serve_conn conn;
    struct serve_reply reply = {0};

    serve_open(&conn);
    for (int i = 0; i < 20; i++) {
        serve_send(&conn, "GET", "/ping", NULL, NULL);
        serve_read(&conn, &reply, false);
        ck_assert_int_eq(reply.status, 200);
        serve_send(&conn, "POST", QUERY, NULL, "{");
        serve_read(&conn, &reply, false);
        ck_assert_int_eq(reply.status, 400);
        serve_send(&conn, "GET", "/length/70000", NULL, NULL);
        serve_read(&conn, &reply, false);
        ck_assert_uint_eq(reply.body_len, 70000);
        serve_send(&conn, "DELETE", "/unknown", NULL, NULL);
        serve_read(&conn, &reply, false);
        ck_assert_int_eq(reply.status, 404);
    }
    serve_close(&conn);
}
END_TEST

START_TEST(pipelined_requests_are_answered_in_order)
{
    enum { N = 200 };
    struct serve_conn conn;
    struct serve_reply reply = {0};
    char path[32];

    serve_open(&conn);
    for (int i = 0; i < N; i++) {
        snprintf(path, sizeof(path), "/length/%d", i * 37);
        serve_send(&conn, "GET", path, NULL, NULL);
        serve_send(&conn, "POST", QUERY, NULL, "{\"query_vector\":[1,0,0]}");
    }
    for (int i = 0; i < N; i++) {
        serve_read(&conn, &reply, false);
        ck_assert_uint_eq(reply.body_len, (size_t)i * 37);
        serve_read(&conn, &reply, false);
        ck_assert_uint_eq(reply.body_len, strlen("{\"matches\":[]}"));
    }
    serve_close(&conn);
}
END_TEST

START_TEST(connection_close_is_obeyed)
{
    struct serve_conn conn;
    struct serve_reply reply = {0};

    serve_open(&conn);
    serve_send(&conn, "GET", "/ping", "Connection: close\r\n", NULL);
    serve_read(&conn, &reply, false);
    ck_assert_int_eq(reply.status, 200);
    ck_assert(serve_is_closed(&conn));
    serve_close(&conn);
}
END_TEST

START_TEST(a_request_may_come_byte_by_byte)
{
    const char *request = "POST " QUERY " HTTP/1.1\r\nHost: a\r\n"
                          "Content-Length: 24\r\n\r\n"
                          "{\"query_vector\":[1,0,0]}";
    struct serve_conn conn;
    struct serve_reply reply = {0};

    serve_open(&conn);
    for (const char *at = request; *at != '\0'; at++)
        serve_write(&conn, at, 1);
    serve_read(&conn, &reply, false);
    ck_assert_int_eq(reply.status, 200);
    serve_close(&conn);
}
END_TEST

START_TEST(a_chunked_body_is_read_whole)
{
    const char *request = "POST " QUERY " HTTP/1.1\r\nHost: a\r\n"
                          "Transfer-Encoding: chunked\r\n\r\n"
                          "5\r\n{\"que\r\n13\r\nry_vector\":[1,0,0]}\r\n"
                          "0\r\n\r\n";
    struct serve_conn conn;
    struct serve_reply reply = {0};

    serve_open(&conn);
    serve_write(&conn, request, strlen(request));
    serve_read(&conn, &reply, false);
    ck_assert_int_eq(reply.status, 200);
    serve_close(&conn);
}
END_TEST

/* What could be taken for two requests by one side and for one by the other. */
START_TEST(a_body_with_two_ends_is_refused_and_the_connection_closed)
{
    static const char *const headers[] = {
        "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
        ("Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n"
         "2\r\n{}\r\n0\r\n\r\n"),
        "Transfer-Encoding: gzip\r\n\r\n", "Content-Length: +2\r\n\r\n{}",
        ("Content-Length: 2\r\nTransfer-Encoding : chunked\r\n\r\n"
         "2\r\n{}\r\n0\r\n\r\n")};
    struct serve_conn conn;
    struct serve_reply reply = {0};
    const char *request =
        serve_format("POST " QUERY " HTTP/1.1\r\nHost: a\r\n%s", headers[_i]);

    serve_open(&conn);
    serve_write(&conn, request, strlen(request));
    serve_read(&conn, &reply, false);
    ck_assert_int_eq(reply.status, 400);
    ck_assert(serve_is_closed(&conn));
    serve_close(&conn);
}
END_TEST

/* evhttp gives no length to what answers CONNECT. */
START_TEST(the_end_of_an_answer_to_connect_is_known)
{
    struct serve_conn conn;
    struct serve_reply reply = {0};

    serve_open(&conn);
    serve_send(&conn, "CONNECT", "/ping", NULL, NULL);
    serve_read(&conn, &reply, false);
    ck_assert_ptr_nonnull(strstr(reply.headers, "Content-Length: "));
    ck_assert_ptr_nonnull(strstr(reply.body, "not_found"));
    serve_close(&conn);
}
END_TEST

/* docs/serve.md lists them: evhttp answers before a route is asked. */
START_TEST(what_is_no_http_is_refused_and_the_connection_closed)
{
    static const struct {
        const char *request;
        int status;
    } rows[] = {
        {"hello\r\n\r\n", 400},
        {"FOO /ping HTTP/1.1\r\nHost: a\r\n\r\n", 501},
        {"GET /ping HTTP/2.0\r\nHost: a\r\n\r\n", 400},
        {"GET /ping HTTP/1.1\r\nno colon\r\n\r\n", 400},
        {"POST /ping HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400},
        {"POST /ping HTTP/1.1\r\nContent-Length: 33554433\r\n\r\n", 413},
        {"POST /ping HTTP/1.1\r\nExpect: x\r\nContent-Length: 9\r\n\r\n", 417},
    };
    struct serve_conn conn;
    struct serve_reply reply = {0};

    serve_open(&conn);
    serve_write(&conn, rows[_i].request, strlen(rows[_i].request));
    serve_read(&conn, &reply, false);
    ck_assert_int_eq(reply.status, rows[_i].status);
    ck_assert(serve_is_closed(&conn));
    serve_close(&conn);
    serve_ask(200, "GET", "/ping", NULL, NULL);
}
END_TEST

/* All are open and half way through a request at the same time. */
START_TEST(fifty_connections_are_served_at_once)
{
    enum { N = 50 };
    struct serve_conn conns[N];
    const char *first = "POST " QUERY " HTTP/1.1\r\nHost: a\r\nContent-Le";
    const char *second = "ngth: 24\r\n\r\n{\"query_vec";
    const char *third = "tor\":[1,0,0]}";
    const char *parts[] = {first, second, third};

    for (int i = 0; i < N; i++)
        serve_open(&conns[i]);
    for (int round = 0; round < 20; round++) {
        for (int part = 0; part < 3; part++) {
            for (int i = 0; i < N; i++)
                serve_write(&conns[i], parts[part], strlen(parts[part]));
        }
        for (int i = 0; i < N; i++) {
            struct serve_reply reply = {0};

            serve_read(&conns[i], &reply, false);
            ck_assert_int_eq(reply.status, 200);
            conns[i].len = 0;
        }
    }
    for (int i = 0; i < N; i++)
        serve_close(&conns[i]);
}
END_TEST

/* Closed at every moment, some with a reset: the next one is served. */
START_TEST(clients_that_go_away_do_no_harm)
{
    static const char *const requests[] = {
        "", "GET /pi", "GET /length/16777216 HTTP/1.1\r\nHost: a\r\n\r\n",
        "POST " QUERY " HTTP/1.1\r\nContent-Length: 100\r\n\r\n{\"query",
        ("GET /ping HTTP/1.1\r\nHost: a\r\n\r\nGET /length/5000000 HTTP/1.1\r\n"
         "Host: a\r\n\r\nGET /ping HTTP/1.1\r\nHost: a\r\n\r\nGET")};

    for (int i = 0; i < 100; i++) {
        const struct linger reset = {1, 0};
        const char *request = requests[i % 5];
        struct serve_conn conn;

        serve_open(&conn);
        serve_write(&conn, request, strlen(request));
        if (i % 2 == 0)
            ck_assert_int_eq(setsockopt(conn.fd, SOL_SOCKET, SO_LINGER, &reset,
                                        sizeof(reset)),
                             0);
        serve_close(&conn);
    }
    serve_ask(200, "GET", "/ping", NULL, NULL);
}
END_TEST

START_TEST(a_server_may_be_freed_with_connections_open)
{
    struct serve_conn conn;
    struct serve_reply reply = {0};

    serve_open(&conn);
    serve_send(&conn, "GET", "/ping", NULL, NULL);
    serve_read(&conn, &reply, false);
    serve_send(&conn, "GET", "/length/16777216", NULL, NULL);
    serve_stop();
    serve_close(&conn);
    set_up();
}
END_TEST

START_TEST(a_server_that_cannot_listen_says_why)
{
    struct event_base *base = event_base_new();
    struct vecwire__server_options options = {.host = "127.0.0.1"};
    char err[256] = "";

    options.port = (uint16_t)strtoul(strrchr(serve_url(), ':') + 1, NULL, 10);
    ck_assert_ptr_null(vecwire__server_new(base, &options, err, sizeof(err)));
    ck_assert_ptr_nonnull(strstr(err, "cannot listen on 127.0.0.1 port"));
    options.host = "256.1.1.1.";
    ck_assert_ptr_null(vecwire__server_new(base, &options, err, sizeof(err)));
    ck_assert_ptr_nonnull(strstr(err, "cannot listen on 256.1.1.1."));
    event_base_free(base);
}
END_TEST

START_TEST(options_out_of_range_are_refused)
{
    struct event_base *base = event_base_new();
    struct vecwire__server_options dim = {.dim = 65537};
    struct vecwire__server_options text = {.seed_text_bytes = 65537};
    char err[256] = "";

    ck_assert_ptr_null(vecwire__server_new(base, &dim, err, sizeof(err)));
    ck_assert_str_eq(err, "dimension 65537, allowed are 1 to 65536");
    ck_assert_ptr_null(vecwire__server_new(base, &text, err, sizeof(err)));
    ck_assert_str_eq(err, "text of 65537 bytes, at most 65536 are allowed");
    event_base_free(base);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("server connections");
    TCase *tc = tcase_create("connections");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_checked_fixture(tc, set_up, serve_stop);
    tcase_set_timeout(tc, 20);
    tcase_add_test(tc, a_connection_is_kept_after_answers_of_every_kind);
    tcase_add_test(tc, pipelined_requests_are_answered_in_order);
    tcase_add_test(tc, connection_close_is_obeyed);
    tcase_add_test(tc, a_request_may_come_byte_by_byte);
    tcase_add_test(tc, a_chunked_body_is_read_whole);
    tcase_add_loop_test(
        tc, a_body_with_two_ends_is_refused_and_the_connection_closed, 0, 5);
    tcase_add_test(tc, the_end_of_an_answer_to_connect_is_known);
    tcase_add_loop_test(
        tc, what_is_no_http_is_refused_and_the_connection_closed, 0, 7);
    tcase_add_test(tc, fifty_connections_are_served_at_once);
    tcase_add_test(tc, clients_that_go_away_do_no_harm);
    tcase_add_test(tc, a_server_may_be_freed_with_connections_open);
    tcase_add_test(tc, a_server_that_cannot_listen_says_why);
    tcase_add_test(tc, options_out_of_range_are_refused);
    suite_add_tcase(suite, tc);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
