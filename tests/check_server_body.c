/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies and trailers that the server takes, and those that it refuses before
 * they have come: one under a limit, at it, and one over it. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/request_guard.h"
#include "tests/serve_client.h"

#define POST "POST /api/v1/query HTTP/1.1\r\n"
#define CHUNKED POST "Transfer-Encoding: chunked\r\n\r\n"
#define MAX 5

static struct vecwire__request_guard guard;

/* In pieces of `step` bytes. The status, or 0. */
static int
read_request(const char *text, size_t step)
{
    size_t len = strlen(text);

    vecwire__request_guard_begin(&guard, MAX);
    for (size_t at = 0; at < len; at += step)
        if (!vecwire__request_guard_take(&guard, text + at,
                                         len - at < step ? len - at : step))
            return guard.status;
    return 0;
}

struct request {
    const char *text;
    int status; /* 0: taken */
    const char *message;
};

static const struct request requests[] = {
    {POST "Content-Length: 4\r\n\r\nabcd", 0, ""},
    {POST "content-length:5\r\n\r\nabcdeGET", 0, ""},
    {POST "Content-Length: 6 \r\n\r\n", 413,
     "body has 6 bytes, at most 5 are allowed"},
    {POST "A: b\r\nContent-Length: 99999999999999999999999\r\n\r\n", 413,
     "body has 9999999999999999999 bytes, at most 5 are allowed"},
    {CHUNKED "4\r\nabcd\r\n0\r\n\r\n", 0, ""},
    {CHUNKED "4\r\nabcd\r\n1\r\nx\r\n0\r\n\r\nGET", 0, ""},
    {CHUNKED "4\r\nabcd\r\n2\r\n", 413,
     "chunk after 4 bytes makes the body longer than the limit of 5 bytes"},
    {CHUNKED "4;a=b\r\n", 400, "chunk extension after 0 bytes of body"},
    {CHUNKED "0x4\r\n", 400, "no chunk size after 0 bytes of body"},
    {CHUNKED "2\r\nabc", 400,
     "chunk is longer than its size, after 2 bytes of body"},
    {POST "Transfer-Encoding: \tChunked \r\n\r\n4;", 400,
     "chunk extension after 0 bytes of body"},
    {"HEAD /ping HTTP/1.1\r\nContent-Length: 0\r\n\r\n", 0, ""},
    {POST "\r\nno head any more", 0, ""},
};
#define N_REQUESTS ((int)(sizeof(requests) / sizeof(requests[0])))

START_TEST(a_body_is_followed_to_its_end)
{
    const struct request *request = &requests[_i];

    for (size_t step = 1; step <= strlen(request->text); step++) {
        ck_assert_int_eq(read_request(request->text, step), request->status);
        ck_assert_str_eq(guard.message, request->message);
    }
}
END_TEST

#define BLANKS "                                        "
#define ZEROS "0000000000000000000000000000000000000000"
#define PING " /ping HTTP/1.1\r\n"

/* Ends of a body that we and evhttp, or an evhttp and another one, could see
 * in different places. */
static const char *const unframed[] = {
    POST "Transfer-Encoding: gzip, chunked\r\n\r\n",
    POST "Transfer-Encoding: chunked;a=b\r\n\r\n",
    POST "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n",
    POST "Transfer-Encoding:" BLANKS "chunked\r\n\r\n",
    POST "Transfer-Encoding: chunked" BLANKS "x\r\n\r\n",
    POST "Transfer-Encoding:\r\n chunked\r\n\r\n",
    POST "Transfer-Encoding: chunked\r\n\t, gzip\r\n\r\n",
    POST "Content-Length: 1\r\nContent-Length: 1\r\n\r\n",
    POST "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
    POST "Content-Length: " ZEROS ZEROS "1\r\n\r\n",
    POST "Content-Length:" BLANKS BLANKS "1\r\n\r\n",
    POST "Content-Length: 1\r\n 1\r\n\r\n",
    POST "Content-Length: +1\r\n\r\n",
    POST "Content-Length: 1, 1\r\n\r\n",
    POST "Content-Length:\r\n\r\n",
    "HEAD" PING "Content-Length: 1\r\n\r\n",
    "HEAD" PING "Transfer-Encoding: chunked\r\n\r\n",
    "TRACE" PING "Content-Length: 1\r\n\r\n",
};
#define N_UNFRAMED ((int)(sizeof(unframed) / sizeof(unframed[0])))

START_TEST(a_body_whose_end_is_not_clear_is_refused_with_the_head)
{
    for (size_t step = 1; step <= strlen(unframed[_i]); step++) {
        ck_assert_int_eq(read_request(unframed[_i], step), 400);
        ck_assert_str_eq(guard.message, VECWIRE__UNFRAMED);
    }
}
END_TEST

static const char *
trailers(int n)
{
    static char text[200 * 6];

    for (int i = 0; i < n; i++)
        memcpy(text + 6 * i, "A: 1\r\n", 6);
    memcpy(text + 6 * n, "\r\n", 3);
    return text;
}

START_TEST(head_and_trailers_have_128_lines_and_no_more)
{
    for (int n = 126; n <= 128; n++) {
        const char *text = serve_format(CHUNKED "0\r\n%s", trailers(n));

        ck_assert_int_eq(read_request(text, 13), n < 128 ? 0 : 431);
    }
    ck_assert_str_eq(guard.message, "trailers: more than 128 header lines");
}
END_TEST

START_TEST(head_and_trailers_have_64_kib_and_no_more)
{
    for (size_t n = 65535; n <= 65537; n++) {
        const char *text = serve_format(
            CHUNKED "0\r\nA: %s\r\n\r\n",
            serve_letters(n - strlen(CHUNKED) - strlen("A: \r\n\r\n")));

        ck_assert_int_eq(read_request(text, 1000), n <= 65536 ? 0 : 431);
    }
    ck_assert_str_eq(guard.message, "trailers: more than 65536 bytes");
}
END_TEST

static void
set_up(void)
{
    serve_start(&(struct vecwire__server_options){.dim = 3});
}

static void
ask(struct serve_conn *conn, const char *text)
{
    serve_open(conn);
    serve_write(conn, text, strlen(text));
}

START_TEST(a_body_over_16_mib_is_refused_when_it_is_announced)
{
    static const char *const texts[][2] = {
        {POST "Content-Length: 16777217\r\n\r\n",
         "body has 16777217 bytes, at most 16777216 are allowed"},
        {POST "Content-Length: 16777217\r\nExpect: 100-continue\r\n\r\n",
         "body has 16777217 bytes, at most 16777216 are allowed"},
        {CHUNKED "1000001\r\n",
         "chunk after 0 bytes makes the body longer than the limit of 16777216 "
         "bytes"},
        {CHUNKED "1\r\n \r\n1000000\r\n",
         "chunk after 1 bytes makes the body longer than the limit of 16777216 "
         "bytes"},
    };
    struct serve_conn conn;

    ask(&conn, texts[_i][0]);
    serve_expect_refused(&conn, 413, "payload_too_large", texts[_i][1]);
    serve_close(&conn);
}
END_TEST

/* A body of blanks is no JSON, but it is read to its end. */
START_TEST(a_body_of_up_to_16_mib_is_read)
{
    static const size_t lengths[] = {16777215, 16777216};
    struct serve_conn conn;
    struct serve_reply reply = {0};
    char *blanks = malloc(lengths[1]);
    size_t len = lengths[_i / 2];

    ck_assert_ptr_nonnull(blanks);
    memset(blanks, ' ', len);
    ask(&conn, _i % 2 == 0
                   ? serve_format(POST "Content-Length: %zu\r\n\r\n", len)
                   : serve_format(CHUNKED "%zx\r\n", len));
    serve_write(&conn, blanks, len);
    if (_i % 2 == 1)
        serve_write(&conn, "\r\n0\r\n\r\n", 7);
    serve_read(&conn, &reply, false);
    ck_assert_int_eq(reply.status, 400);
    ck_assert_ptr_nonnull(strstr(reply.body, "invalid_json"));
    serve_close(&conn);
    free(blanks);
}
END_TEST

START_TEST(trailers_over_a_limit_are_refused)
{
    struct serve_conn conn;

    ask(&conn, serve_format(CHUNKED "0\r\n%s", trailers(128)));
    serve_expect_refused(&conn, 431, "headers_too_large",
                         "trailers: more than 128 header lines");
    serve_close(&conn);
}
END_TEST

START_TEST(chunks_that_are_none_are_refused)
{
    struct serve_conn conn;

    ask(&conn, CHUNKED "zz\r\n");
    serve_expect_refused(&conn, 400, "invalid_request",
                         "no chunk size after 0 bytes of body");
    serve_close(&conn);
}
END_TEST

/* evhttp reads none for it. */
START_TEST(a_body_of_head_is_not_taken_for_the_next_request)
{
    struct serve_conn conn;

    ask(&conn, "HEAD" PING "Content-Length: 23\r\n\r\nGET" PING "\r\n");
    serve_expect_refused(&conn, 400, "invalid_request", VECWIRE__UNFRAMED);
    serve_close(&conn);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("server_body");
    TCase *pure = tcase_create("pure"), *live = tcase_create("live");
    SRunner *runner;
    int failed;

    suite_add_tcase(suite, pure);
    tcase_add_loop_test(pure, a_body_is_followed_to_its_end, 0, N_REQUESTS);
    tcase_add_loop_test(pure,
                        a_body_whose_end_is_not_clear_is_refused_with_the_head,
                        0, N_UNFRAMED);
    tcase_add_test(pure, head_and_trailers_have_128_lines_and_no_more);
    tcase_add_test(pure, head_and_trailers_have_64_kib_and_no_more);
    suite_add_tcase(suite, live);
    tcase_set_timeout(live, 60);
    tcase_add_checked_fixture(live, set_up, serve_stop);
    tcase_add_loop_test(
        live, a_body_over_16_mib_is_refused_when_it_is_announced, 0, 4);
    tcase_add_loop_test(live, a_body_of_up_to_16_mib_is_read, 0, 4);
    tcase_add_test(live, trailers_over_a_limit_are_refused);
    tcase_add_test(live, chunks_that_are_none_are_refused);
    tcase_add_test(live, a_body_of_head_is_not_taken_for_the_next_request);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
