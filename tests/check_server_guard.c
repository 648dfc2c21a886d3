/* SPDX-License-Identifier: Apache-2.0 */
/* What the server bears with: heads up to their limits, slow clients for a
 * time, so many connections. */
#include <check.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/serve_client.h"

#define SOON 100     /* ms: a limit that a test waits for */
#define LATE 3600000 /* one that it does not */

static void
start(struct vecwire__serve_limits limits)
{
    serve_start(&(struct vecwire__server_options){.dim = 3, .limits = limits});
}

static void
set_up(void)
{
    start((struct vecwire__serve_limits){LATE, LATE, LATE, LATE, 0});
}

static void
again_with(struct vecwire__serve_limits limits)
{
    serve_stop();
    start(limits);
}

static void
ask(struct serve_conn *conn, const char *text)
{
    serve_open(conn);
    serve_write(conn, text, strlen(text));
}

static void
expect_pong(struct serve_conn *conn)
{
    struct serve_reply reply = {0};

    serve_read(conn, &reply, false);
    ck_assert_int_eq(reply.status, 200);
    ck_assert_uint_eq(reply.body_len, 4);
}

START_TEST(a_request_line_has_8192_bytes_and_no_more)
{
    for (size_t len = 8191; len <= 8193; len++) {
        struct serve_conn conn;
        size_t around = strlen("GET /ping? HTTP/1.1");

        ask(&conn, serve_format("GET /ping?%s HTTP/1.1\r\n\r\n",
                                serve_letters(len - around)));
        if (len <= 8192)
            expect_pong(&conn);
        else
            serve_expect_refused(&conn, 414, "uri_too_long",
                                 "first line is over the limit of 8192 bytes");
        serve_close(&conn);
    }
}
END_TEST

START_TEST(a_head_has_64_kib_and_no_more)
{
    for (size_t len = 65535; len <= 65537; len++) {
        struct serve_conn conn;
        size_t around = strlen("GET /ping HTTP/1.1\r\nA: \r\n\r\n");

        ask(&conn, serve_format("GET /ping HTTP/1.1\r\nA: %s\r\n\r\n",
                                serve_letters(len - around)));
        if (len <= 65536)
            expect_pong(&conn);
        else
            serve_expect_refused(&conn, 431, "headers_too_large",
                                 "head: more than 65536 bytes");
        serve_close(&conn);
    }
}
END_TEST

static const char *
lines(int n)
{
    static char text[129 * 6 + 1];

    for (int i = 0; i < n; i++)
        memcpy(text + 6 * i, "A: 1\r\n", 6);
    text[6 * n] = '\0';
    return text;
}

START_TEST(a_head_has_128_lines_and_no_more)
{
    for (int n = 127; n <= 129; n++) {
        struct serve_conn conn;

        ask(&conn, serve_format("GET /ping HTTP/1.1\r\n%s\r\n", lines(n)));
        if (n <= 128)
            expect_pong(&conn);
        else
            serve_expect_refused(&conn, 431, "headers_too_large",
                                 "head: more than 128 header lines");
        serve_close(&conn);
    }
}
END_TEST

START_TEST(a_head_without_end_is_refused_before_its_end)
{
    struct serve_conn conn;

    ask(&conn, serve_format("GET /ping HTTP/1.1\r\n%s", lines(129)));
    serve_expect_refused(&conn, 431, "headers_too_large",
                         "head: more than 128 header lines");
    serve_close(&conn);
}
END_TEST

START_TEST(heads_of_one_connection_are_counted_each)
{
    struct serve_conn conn;

    /* Ahead of their answers, and behind them. */
    ask(&conn, serve_format("GET /ping HTTP/1.1\r\n%s\r\n"
                            "GET /ping HTTP/1.1\r\n%s\r\n",
                            lines(100), lines(100)));
    for (int i = 0; i < 3; i++) {
        struct serve_reply reply = {0};

        if (i < 2) {
            serve_read(&conn, &reply, false);
            ck_assert_int_eq(reply.status, 200);
            conn.len -= (size_t)(reply.body - conn.bytes) + reply.body_len;
            memmove(conn.bytes, reply.body + reply.body_len, conn.len);
        } else {
            serve_write(&conn, "GET /ping HTTP/1.1\r\n", 20);
            serve_write(&conn, lines(129), 129 * 6);
            serve_expect_refused(&conn, 431, "headers_too_large",
                                 "head: more than 128 header lines");
        }
    }
    serve_close(&conn);
}
END_TEST

START_TEST(a_head_that_comes_ahead_is_counted_too)
{
    struct serve_conn conn;
    struct serve_reply reply = {0};

    ask(&conn, serve_format("GET /ping HTTP/1.1\r\n\r\n"
                            "GET /ping HTTP/1.1\r\n%s\r\n",
                            lines(129)));
    serve_read(&conn, &reply, false);
    ck_assert_int_eq(reply.status, 200);
    conn.len -= (size_t)(reply.body - conn.bytes) + reply.body_len;
    memmove(conn.bytes, reply.body + reply.body_len, conn.len);
    serve_expect_refused(&conn, 431, "headers_too_large",
                         "head: more than 128 header lines");
    serve_close(&conn);
}
END_TEST

START_TEST(a_nul_in_a_head_is_refused)
{
    struct serve_conn conn;

    serve_open(&conn);
    serve_write(&conn, "GET /ping HTTP/1.1\r\nA: \0\r\n\r\n", 27);
    serve_expect_refused(&conn, 400, "invalid_request",
                         "head: NUL within the first 24 bytes");
    serve_close(&conn);
}
END_TEST

START_TEST(an_empty_line_before_a_head_is_refused)
{
    struct serve_conn conn;

    ask(&conn, "\r\nGET /ping HTTP/1.1\r\n\r\n");
    serve_expect_refused(&conn, 400, "invalid_request",
                         "empty line before the first line");
    serve_close(&conn);
}
END_TEST

/* Byte for byte, until the server has had enough. */
static void
drip(struct serve_conn *conn)
{
    struct pollfd readable = {.fd = conn->fd, .events = POLLIN};

    for (int i = 0; i < 2000 && poll(&readable, 1, 5) == 0; i++)
        ck_assert_int_eq(send(conn->fd, "x", 1, MSG_NOSIGNAL), 1);
    ck_assert((readable.revents & POLLIN) != 0);
}

START_TEST(a_head_that_drips_is_refused_in_the_end)
{
    struct serve_conn conn;

    again_with((struct vecwire__serve_limits){LATE, SOON, LATE, LATE, 0});
    ask(&conn, "GET /ping HTTP/1.1\r\nA: ");
    drip(&conn);
    serve_expect_refused(&conn, 408, "request_timeout",
                         "the head of the request took too long");
    serve_close(&conn);
}
END_TEST

START_TEST(a_body_that_drips_is_refused_in_the_end)
{
    static const char *const heads[] = {
        "POST /api/v1/query HTTP/1.1\r\nContent-Length: 1000000\r\n\r\n",
        "POST /api/v1/query HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
        "10000\r\n"};
    struct serve_conn conn;

    again_with((struct vecwire__serve_limits){LATE, LATE, SOON, LATE, 0});
    ask(&conn, heads[_i]);
    drip(&conn);
    serve_expect_refused(&conn, 408, "request_timeout",
                         "the body of the request took too long");
    serve_close(&conn);
}
END_TEST

START_TEST(an_idle_connection_is_closed_in_the_end)
{
    struct serve_conn fresh, used;
    struct serve_reply reply = {0};

    /* Long enough to ask in. */
    again_with((struct vecwire__serve_limits){4 * SOON, LATE, LATE, LATE, 0});
    serve_open(&fresh);
    ask(&used, "GET /ping HTTP/1.1\r\n\r\n");
    serve_read(&used, &reply, false);
    ck_assert_int_eq(reply.status, 200);
    ck_assert(serve_is_closed(&used));
    ck_assert(serve_is_closed(&fresh));
    serve_close(&fresh);
    serve_close(&used);
}
END_TEST

START_TEST(a_client_that_does_not_read_its_answer_is_dropped)
{
    struct serve_conn conn;
    struct pollfd gone = {.events = POLLRDHUP};
    char head[15];

    again_with((struct vecwire__serve_limits){LATE, LATE, LATE, SOON, 0});
    ask(&conn, "GET /length/16777216 HTTP/1.1\r\n\r\n");
    gone.fd = conn.fd;
    /* The first bytes, and no more. */
    ck_assert_int_eq(recv(conn.fd, head, sizeof(head), MSG_WAITALL),
                     sizeof(head));
    ck_assert_int_eq(poll(&gone, 1, 10000), 1);
    serve_close(&conn);
    serve_ask(200, "GET", "/ping", NULL, NULL);
}
END_TEST

/* Requests without reading any answer: the server stops to read them. */
START_TEST(requests_far_ahead_are_left_in_the_socket)
{
    static const char request[] = "GET /length/4000000 HTTP/1.1\r\n\r\n";
    struct pollfd writable = {.events = POLLOUT};
    struct serve_conn conn;
    size_t sent = 0;

    serve_open(&conn);
    writable.fd = conn.fd;
    while (sent < (size_t)256 << 20 && poll(&writable, 1, 500) == 1) {
        ssize_t n = send(conn.fd, request, sizeof(request) - 1,
                         MSG_NOSIGNAL | MSG_DONTWAIT);

        ck_assert(n > 0 || errno == EAGAIN);
        sent += n > 0 ? (size_t)n : 0;
    }
    /* Both sockets' buffers and ours; INPUT of 32 MiB alone would be more. */
    ck_assert_uint_lt(sent, (size_t)16 << 20);
    serve_close(&conn);
    serve_ask(200, "GET", "/ping", NULL, NULL);
}
END_TEST

START_TEST(the_longest_idle_connection_makes_room)
{
    struct serve_conn conns[20];

    again_with((struct vecwire__serve_limits){LATE, LATE, LATE, LATE, 8});
    for (size_t i = 0; i < 20; i++) {
        struct serve_reply reply = {0};

        ask(&conns[i], "GET /ping HTTP/1.1\r\n\r\n");
        serve_read(&conns[i], &reply, false);
        ck_assert_int_eq(reply.status, 200);
    }
    for (size_t i = 0; i < 12; i++)
        ck_assert(serve_is_closed(&conns[i]));
    for (size_t i = 14; i < 20; i++) {
        struct serve_reply reply = {0};

        conns[i].len = 0;
        serve_write(&conns[i], "GET /ping HTTP/1.1\r\n\r\n", 22);
        serve_read(&conns[i], &reply, false);
        ck_assert_int_eq(reply.status, 200);
    }
    for (size_t i = 0; i < 20; i++)
        serve_close(&conns[i]);
}
END_TEST

START_TEST(clients_that_begin_and_do_not_end_keep_nobody_out_for_long)
{
    struct serve_conn conns[8];

    again_with((struct vecwire__serve_limits){LATE, SOON, LATE, LATE, 4});
    for (size_t i = 0; i < 8; i++)
        ask(&conns[i], "GET /pi");
    serve_ask(200, "GET", "/ping", NULL, NULL);
    for (size_t i = 0; i < 8; i++)
        serve_close(&conns[i]);
}
END_TEST

/* Client and server are one process and share what there is. */
START_TEST(without_descriptors_the_server_waits_for_some)
{
    struct rlimit most, few = {0, 0};
    int taken[64], n = 0;
    struct serve_conn conn;

    serve_open(&conn);
    serve_write(&conn, "GET /ping HTTP/1.1\r\n\r\n", 22);
    expect_pong(&conn);
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &most), 0);
    few = most;
    few.rlim_cur = (rlim_t)conn.fd + 16;
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
    while (n < 64 && (taken[n] = dup(0)) >= 0)
        n++;
    ck_assert_int_lt(n, 64);
    /* One for a client that the server cannot accept now. */
    close(taken[--n]);
    {
        struct serve_conn waiting;
        struct serve_reply reply = {0};
        struct pollfd answer = {.events = POLLIN};
        unsigned before = serve_cpu_ms();

        ask(&waiting, "GET /ping HTTP/1.1\r\n\r\n");
        conn.len = 0;
        /* Those that it has are served meanwhile. */
        serve_write(&conn, "GET /ping HTTP/1.1\r\n\r\n", 22);
        serve_read(&conn, &reply, false);
        ck_assert_int_eq(reply.status, 200);
        /* Nor does it try again and again: it would compute all the time. */
        answer.fd = waiting.fd;
        ck_assert_int_eq(poll(&answer, 1, 500), 0);
        ck_assert_uint_lt(serve_cpu_ms() - before, 250);
        while (n > 0)
            close(taken[--n]);
        expect_pong(&waiting);
        serve_close(&waiting);
    }
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &most), 0);
    serve_close(&conn);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("server_guard");
    TCase *tcase = tcase_create("server_guard");
    SRunner *runner;
    int failed;

    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, set_up, serve_stop);
    suite_add_tcase(suite, tcase);
    tcase_add_test(tcase, a_request_line_has_8192_bytes_and_no_more);
    tcase_add_test(tcase, a_head_has_64_kib_and_no_more);
    tcase_add_test(tcase, a_head_has_128_lines_and_no_more);
    tcase_add_test(tcase, a_head_without_end_is_refused_before_its_end);
    tcase_add_test(tcase, heads_of_one_connection_are_counted_each);
    tcase_add_test(tcase, a_head_that_comes_ahead_is_counted_too);
    tcase_add_test(tcase, a_nul_in_a_head_is_refused);
    tcase_add_test(tcase, an_empty_line_before_a_head_is_refused);
    tcase_add_test(tcase, a_head_that_drips_is_refused_in_the_end);
    tcase_add_loop_test(tcase, a_body_that_drips_is_refused_in_the_end, 0, 2);
    tcase_add_test(tcase, an_idle_connection_is_closed_in_the_end);
    tcase_add_test(tcase, a_client_that_does_not_read_its_answer_is_dropped);
    tcase_add_test(tcase, requests_far_ahead_are_left_in_the_socket);
    tcase_add_test(tcase, the_longest_idle_connection_makes_room);
    tcase_add_test(tcase,
                   clients_that_begin_and_do_not_end_keep_nobody_out_for_long);
    /* valgrind has its own limit of descriptors. */
    if (getenv("VECWIRE_VALGRIND") == NULL)
        tcase_add_test(tcase, without_descriptors_the_server_waits_for_some);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
