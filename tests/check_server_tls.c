/* SPDX-License-Identifier: Apache-2.0 */
/* A server over TLS for whose connections OpenSSL has no memory. */
#include <check.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <openssl/crypto.h>
#include <openssl/ssl.h>

#include "tests/certs.h"
#include "tests/serve_client.h"

static atomic_bool no_memory;

static void *
openssl_malloc(size_t size, const char *file, int line)
{
    (void)file;
    (void)line;
    return atomic_load(&no_memory) || size == 0 ? NULL : malloc(size);
}

static void *
openssl_realloc(void *block, size_t size, const char *file, int line)
{
    (void)file;
    (void)line;
    return atomic_load(&no_memory) ? NULL : realloc(block, size);
}

static void
openssl_free(void *block, const char *file, int line)
{
    (void)file;
    (void)line;
    free(block);
}

/* Closed without a word of HTTP. */
static void
expect_no_answer(struct serve_conn *conn)
{
    char bytes[512];
    ssize_t n;

    while ((n = read(conn->fd, bytes, sizeof(bytes))) > 0)
        ck_assert_ptr_null(memmem(bytes, (size_t)n, "HTTP", 4));
    serve_close(conn);
}

static void
expect_answer_over_tls(void)
{
    static const char request[] = "GET /health HTTP/1.1\r\nHost: x\r\n\r\n";
    SSL_CTX *ctx = SSL_CTX_new(TLS_client_method());
    SSL *ssl = SSL_new(ctx);
    struct serve_conn conn;
    char bytes[16];

    serve_open(&conn);
    ck_assert_int_eq(SSL_set_fd(ssl, conn.fd), 1);
    ck_assert_int_eq(SSL_connect(ssl), 1);
    ck_assert_int_gt(SSL_write(ssl, request, sizeof(request) - 1), 0);
    ck_assert_int_eq(SSL_read(ssl, bytes, 9), 9);
    ck_assert_int_eq(memcmp(bytes, "HTTP/1.1 ", 9), 0);
    SSL_free(ssl);
    SSL_CTX_free(ctx);
    serve_close(&conn);
}

START_TEST(without_memory_no_client_is_answered_in_plain_text)
{
    const struct cert *cert = cert_localhost();
    struct serve_conn conns[3];

    serve_start(&(struct vecwire__server_options){
        .dim = 3, .tls_cert = cert->cert_file, .tls_key = cert->key_file});
    expect_answer_over_tls();
    atomic_store(&no_memory, true);
    for (size_t i = 0; i < 3; i++) {
        serve_open(&conns[i]);
        serve_send(&conns[i], "GET", "/health", NULL, NULL);
    }
    /* It was made while there was memory; the others wait for some. */
    expect_no_answer(&conns[0]);
    atomic_store(&no_memory, false);
    expect_no_answer(&conns[1]);
    expect_no_answer(&conns[2]);
    expect_answer_over_tls();
    serve_stop();
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("server_tls");
    TCase *tc = tcase_create("memory");
    SRunner *runner;
    int failed;

    if (CRYPTO_set_mem_functions(openssl_malloc, openssl_realloc,
                                 openssl_free) != 1)
        return EXIT_FAILURE;
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, without_memory_no_client_is_answered_in_plain_text);
    suite_add_tcase(suite, tc);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
