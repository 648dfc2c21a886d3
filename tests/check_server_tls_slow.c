/* SPDX-License-Identifier: Apache-2.0 */
/* Slow and hostile clients of the server over TLS: what it bears with is what
 * it bears with without. */
#include <check.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "tests/certs.h"
#include "tests/serve_client.h"

#define SOON 100     /* ms: a limit that a test waits for */
#define LATE 3600000 /* one that it does not */

static SSL_CTX *client_ctx;

static void
start(struct vecwire__serve_limits limits)
{
    const struct cert *cert = cert_localhost();

    serve_start(&(struct vecwire__server_options){.dim = 3,
                                                  .tls_cert = cert->cert_file,
                                                  .tls_key = cert->key_file,
                                                  .limits = limits});
}

static void
set_up(void)
{
    client_ctx = SSL_CTX_new(TLS_client_method());
    ck_assert_ptr_nonnull(client_ctx);
}

static void
tear_down(void)
{
    serve_stop();
    SSL_CTX_free(client_ctx);
}

/* A connection whose hands are shaken, and the first bytes on it. */
static SSL *
ask(struct serve_conn *conn, const char *text)
{
    SSL *ssl = SSL_new(client_ctx);

    serve_open(conn);
    ck_assert_int_eq(SSL_set_fd(ssl, conn->fd), 1);
    ck_assert_int_eq(SSL_connect(ssl), 1);
    ck_assert_int_eq(SSL_write(ssl, text, (int)strlen(text)),
                     (int)strlen(text));
    return ssl;
}

static void
finish(struct serve_conn *conn, SSL *ssl)
{
    SSL_free(ssl);
    serve_close(conn);
}

/* All that comes until the server ends it. */
static const char *
read_all(SSL *ssl)
{
    static char text[2048];
    size_t len = 0;
    int n;

    while (len + 1 < sizeof(text) &&
           (n = SSL_read(ssl, text + len, (int)(sizeof(text) - 1 - len))) > 0)
        len += (size_t)n;
    text[len] = '\0';
    return text;
}

static void
expect_refused(SSL *ssl, const char *status, const char *message)
{
    const char *text = read_all(ssl);

    ck_assert_msg(strncmp(text, status, strlen(status)) == 0, "%s", text);
    ck_assert_msg(strstr(text, message) != NULL, "%s", text);
}

static void
expect_pong(void)
{
    struct serve_conn conn;
    SSL *ssl = ask(&conn, "GET /ping HTTP/1.1\r\nConnection: close\r\n\r\n");

    expect_refused(ssl, "HTTP/1.1 200 OK\r\n", "\r\n\r\npong");
    finish(&conn, ssl);
}

/* A byte now and then, until there is an answer. */
static void
drip(const struct serve_conn *conn, SSL *ssl)
{
    struct pollfd readable = {.fd = conn->fd, .events = POLLIN};

    for (int i = 0; i < 2000 && poll(&readable, 1, 5) == 0; i++)
        ck_assert_int_eq(SSL_write(ssl, "x", 1), 1);
    ck_assert((readable.revents & POLLIN) != 0);
}

START_TEST(a_request_that_drips_is_refused_in_the_end)
{
    static const char *const texts[][2] = {
        {"GET /ping HTTP/1.1\r\nA: ", "the head of the request took too long"},
        {"POST /api/v1/query HTTP/1.1\r\nContent-Length: 1000000\r\n\r\n",
         "the body of the request took too long"}};
    struct serve_conn conn;
    SSL *ssl;

    start((struct vecwire__serve_limits){LATE, _i == 0 ? SOON : LATE,
                                         _i == 1 ? SOON : LATE, LATE, 0});
    /* The tickets of TLS 1.3 would look like an answer. */
    SSL_CTX_set_max_proto_version(client_ctx, TLS1_2_VERSION);
    ssl = ask(&conn, texts[_i][0]);
    drip(&conn, ssl);
    expect_refused(ssl, "HTTP/1.1 408 ", texts[_i][1]);
    finish(&conn, ssl);
    expect_pong();
}
END_TEST

START_TEST(what_is_over_a_limit_is_refused)
{
    static const char *const texts[][3] = {
        {"GET /ping HTTP/1.1\r\n%c\r\n", "HTTP/1.1 400 ",
         "head: NUL within the first"},
        {"GET /ping HTTP/1.1\r\nContent-Length: 16777217\r\n\r\n",
         "HTTP/1.1 413 ", "body has 16777217 bytes"},
        {"GET /ping HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nx",
         "HTTP/1.1 400 ", "no chunk size"}};
    char text[128];
    size_t len = strlen(texts[_i][0]);
    struct serve_conn conn;
    char *mark;
    SSL *ssl;

    start((struct vecwire__serve_limits){LATE, LATE, LATE, LATE, 0});
    memcpy(text, texts[_i][0], len + 1);
    mark = strchr(text, '%');
    if (mark != NULL)
        memcpy(mark, "\0c", 2);
    ssl = ask(&conn, "G");
    ck_assert_int_eq(SSL_write(ssl, text + 1, (int)len - 1), (int)len - 1);
    expect_refused(ssl, texts[_i][1], texts[_i][2]);
    finish(&conn, ssl);
}
END_TEST

/* The beginning of a ClientHello, of a record of another kind, and nothing. */
static const char *const no_hellos[] = {"\x16\x03\x01\x02", "\x17\x03\x03", ""};

START_TEST(a_handshake_that_does_not_end_is_closed_in_the_end)
{
    struct serve_conn conn;

    start((struct vecwire__serve_limits){SOON, LATE, LATE, LATE, 0});
    serve_open(&conn);
    serve_write(&conn, no_hellos[_i], strlen(no_hellos[_i]));
    ck_assert(serve_is_closed(&conn));
    serve_close(&conn);
}
END_TEST

START_TEST(handshakes_that_do_not_end_keep_nobody_out_for_long)
{
    struct serve_conn conns[4];

    start((struct vecwire__serve_limits){LATE, LATE, LATE, LATE, 4});
    for (int i = 0; i < 4; i++) {
        serve_open(&conns[i]);
        serve_write(&conns[i], no_hellos[0], (size_t)i);
    }
    expect_pong();
    for (int i = 0; i < 4; i++)
        serve_close(&conns[i]);
}
END_TEST

START_TEST(a_client_that_does_not_read_its_answer_is_dropped)
{
    struct serve_conn conn;
    struct pollfd gone = {.events = POLLRDHUP};
    char head[15];
    SSL *ssl;

    start((struct vecwire__serve_limits){LATE, LATE, LATE, SOON, 0});
    ssl = ask(&conn, "GET /length/16777216 HTTP/1.1\r\n\r\n");
    gone.fd = conn.fd;
    ck_assert_int_eq(SSL_read(ssl, head, sizeof(head)), sizeof(head));
    ck_assert_int_eq(poll(&gone, 1, 10000), 1);
    finish(&conn, ssl);
    expect_pong();
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("server_tls_slow");
    TCase *tcase = tcase_create("slow clients");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tcase);
    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_loop_test(tcase, a_request_that_drips_is_refused_in_the_end, 0,
                        2);
    tcase_add_loop_test(tcase, what_is_over_a_limit_is_refused, 0, 3);
    tcase_add_loop_test(
        tcase, a_handshake_that_does_not_end_is_closed_in_the_end, 0, 3);
    tcase_add_test(tcase, handshakes_that_do_not_end_keep_nobody_out_for_long);
    tcase_add_test(tcase, a_client_that_does_not_read_its_answer_is_dropped);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
