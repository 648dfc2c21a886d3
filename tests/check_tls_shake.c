/* SPDX-License-Identifier: Apache-2.0 */
/* Handshakes that do not come to an end, or to a bad one. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "tests/client_rig.h"
#include "tests/tls_rig.h"

static void
open_client(struct tls_rig *rig, struct vecwire_options options)
{
    ck_assert_int_eq(tls_rig_client(rig, "127.0.0.1", options), VECWIRE_OK);
}

static void
open_rig(struct tls_rig *rig)
{
    tls_rig_init(rig, cert_localhost(), tls_rig_answers);
}

/* --- stalls --- */

/* The server falls silent after so many bytes. Its part of the handshake has
 * about 850, and two tickets more than that again. */
#define STALLS 30

static size_t
stall_at(int i)
{
    return (size_t)i * 27;
}

START_TEST(a_stalled_handshake_ends_at_the_connect_limit)
{
    struct tls_rig rig;

    open_rig(&rig);
    fault_server_use_tls(rig.server, rig.ctx, stall_at(_i * 4));
    open_client(&rig, VECWIRE_OPTIONS(.connect_ms = 60));
    (void)tls_rig_ask(&rig);
    tls_rig_expect(&rig, VECWIRE_ETIMEDOUT, VECWIRE_PHASE_TLS, "in time");
    ck_assert_uint_eq(fault_server_received(rig.server), 0);
    tls_rig_fini(&rig);
}
END_TEST

START_TEST(a_stalled_handshake_ends_at_the_call_s_deadline)
{
    struct tls_rig rig;

    open_rig(&rig);
    fault_server_use_tls(rig.server, rig.ctx, stall_at(_i * 4));
    open_client(&rig, VECWIRE_OPTIONS(.deadline_ms = 60));
    (void)tls_rig_ask(&rig);
    ck_assert_int_eq(tls_rig_code(&rig), VECWIRE_ETIMEDOUT);
    ck_assert_int_eq(vecwire_reply_error(rig.reply)->phase, VECWIRE_PHASE_TLS);
    tls_rig_fini(&rig);
}
END_TEST

/* As far as the handshake goes without waiting. */
static void
turn(struct tls_rig *rig)
{
    for (int i = 0; i < 12; i++)
        event_base_loop(rig->base, EVLOOP_NONBLOCK);
}

static void
stall(struct tls_rig *rig, size_t bytes, vecwire_call_id *id)
{
    open_rig(rig);
    fault_server_use_tls(rig->server, rig->ctx, bytes);
    open_client(rig, VECWIRE_OPTIONS(.insecure = false));
    tls_rig_begin(rig, id);
    turn(rig);
}

START_TEST(a_stalled_handshake_is_canceled_at_every_byte)
{
    for (size_t at = stall_at(_i); at < stall_at(_i + 1); at++) {
        struct tls_rig rig;
        vecwire_call_id id;

        stall(&rig, at, &id);
        ck_assert(vecwire_cancel(rig.client, id));
        ck_assert_int_eq(vecwire_client_drain(rig.client, 5000), VECWIRE_OK);
        ck_assert_int_eq(tls_rig_code(&rig), VECWIRE_ECANCELED);
        tls_rig_fini(&rig);
    }
}
END_TEST

START_TEST(a_client_is_freed_in_a_handshake_at_every_byte)
{
    for (size_t at = stall_at(_i); at < stall_at(_i + 1); at++) {
        struct tls_rig rig;

        stall(&rig, at, NULL);
        vecwire_client_free(rig.client);
        rig.client = NULL;
        ck_assert_int_eq(tls_rig_code(&rig), VECWIRE_ECLOSED);
        turn(&rig);
        ck_assert_uint_eq(rig.runs, 1);
        tls_rig_fini(&rig);
    }
}
END_TEST

/* --- what is no handshake --- */

static const struct other {
    struct fault_step steps[2];
    enum vecwire_err code;
    const char *text;
} others[] = {
    {{{FAULT_SEND, "HTTP/1.1 400 Bad Request\r\n\r\n", 0},
      {FAULT_STALL, NULL, 0}},
     VECWIRE_ETLS,
     "wrong version number"},
    {{{FAULT_SEND, "\xff\xff\xff\xff\xff\xff\xff\xff", 8},
      {FAULT_STALL, NULL, 0}},
     VECWIRE_ETLS,
     "wrong version number"},
    {{{FAULT_SEND, "\x15\x03\x03\x00\x02\x02\x28", 7}, {FAULT_STALL, NULL, 0}},
     VECWIRE_ETLS,
     "alert handshake failure"},
    {{{FAULT_END, NULL, 0}, {FAULT_END, NULL, 0}}, VECWIRE_EIO, "TLS with"},
};

START_TEST(what_is_no_handshake_fails_the_call)
{
    struct tls_rig rig;

    tls_rig_init(&rig, cert_localhost(), others[_i].steps);
    fault_server_use_tls(rig.server, NULL, 0);
    open_client(&rig, VECWIRE_OPTIONS(.insecure = false));
    (void)tls_rig_ask(&rig);
    tls_rig_expect(&rig, others[_i].code, VECWIRE_PHASE_TLS, others[_i].text);
    tls_rig_fini(&rig);
}
END_TEST

START_TEST(plain_http_to_a_tls_port_fails_and_hangs_not)
{
    struct tls_rig rig;
    char url[64];

    open_rig(&rig);
    snprintf(url, sizeof(url), "http://127.0.0.1:%u",
             (unsigned)fault_server_port(rig.server));
    ck_assert_int_eq(
        vecwire_client_new(&rig.client, rig.base,
                           &VECWIRE_OPTIONS(.url = url, .attempts = 1)),
        VECWIRE_OK);
    ck_assert_int_ne(tls_rig_ask(&rig), VECWIRE_OK);
    tls_rig_fini(&rig);
}
END_TEST

START_TEST(a_lost_handshake_is_tried_again)
{
    static const struct fault_step closing[] = {{FAULT_END, NULL, 0}};
    struct tls_rig rig;

    tls_rig_init(&rig, cert_localhost(), closing);
    fault_server_use_tls(rig.server, NULL, 0);
    open_client(&rig, VECWIRE_OPTIONS(.attempts = 2));
    (void)tls_rig_ask(&rig);
    ck_assert_uint_eq(fault_server_connections(rig.server), 2);
    tls_rig_fini(&rig);
}
END_TEST

START_TEST(a_refused_certificate_is_not_tried_again)
{
    struct tls_rig rig;

    tls_rig_init(&rig, cert_authority(), tls_rig_answers);
    open_client(&rig, VECWIRE_OPTIONS(.attempts = 3));
    ck_assert_int_eq(tls_rig_ask(&rig), VECWIRE_ETLS);
    ck_assert_uint_eq(fault_server_connections(rig.server), 1);
    ck_assert(!vecwire_reply_error(rig.reply)->retryable);
    tls_rig_fini(&rig);
}
END_TEST

/* --- versions and protocols --- */

START_TEST(tls_1_1_is_refused)
{
    struct tls_rig rig;

    open_rig(&rig);
    SSL_CTX_set_security_level(rig.ctx, 0);
    SSL_CTX_set_min_proto_version(rig.ctx, TLS1_VERSION);
    SSL_CTX_set_max_proto_version(rig.ctx, TLS1_1_VERSION);
    open_client(&rig, VECWIRE_OPTIONS(.insecure = true));
    (void)tls_rig_ask(&rig);
    tls_rig_expect(&rig, VECWIRE_ETLS, VECWIRE_PHASE_TLS, "protocol version");
    tls_rig_fini(&rig);
}
END_TEST

/* cert_server_ctx() refuses any offer but http/1.1 alone. */
START_TEST(http_1_1_is_all_that_is_offered)
{
    struct tls_rig rig;

    open_rig(&rig);
    open_client(&rig, VECWIRE_OPTIONS(.insecure = false));
    ck_assert_int_eq(tls_rig_ask(&rig), VECWIRE_OK);
    tls_rig_fini(&rig);
}
END_TEST

static int
choose_h2(SSL *ssl, const unsigned char **out, unsigned char *n,
          const unsigned char *in, unsigned in_len, void *arg)
{
    (void)ssl;
    (void)in;
    (void)in_len;
    (void)arg;
    *out = (const unsigned char *)"h2";
    *n = 2;
    return SSL_TLSEXT_ERR_OK;
}

START_TEST(another_protocol_than_offered_is_refused)
{
    struct tls_rig rig;

    open_rig(&rig);
    SSL_CTX_set_alpn_select_cb(rig.ctx, choose_h2, NULL);
    open_client(&rig, VECWIRE_OPTIONS(.insecure = false));
    ck_assert_int_eq(tls_rig_ask(&rig), VECWIRE_ETLS);
    ck_assert_uint_eq(fault_server_received(rig.server), 0);
    tls_rig_fini(&rig);
}
END_TEST

/* OpenSSL before 3.0.15 takes what was not offered: so does this one, in
 * front of OpenSSL's. */
static bool took_h2;

void
SSL_get0_alpn_selected(const SSL *ssl, const unsigned char **name, unsigned *n)
{
    void (*theirs)(const SSL *, const unsigned char **, unsigned *);
    void *symbol = dlsym(RTLD_NEXT, "SSL_get0_alpn_selected");

    memcpy(&theirs, &symbol, sizeof(theirs));
    theirs(ssl, name, n);
    if (took_h2) {
        *name = (const unsigned char *)"h2";
        *n = 2;
    }
}

START_TEST(another_protocol_that_openssl_takes_is_refused_too)
{
    struct tls_rig rig;

    open_rig(&rig);
    open_client(&rig, VECWIRE_OPTIONS(.insecure = false));
    took_h2 = true;
    (void)tls_rig_ask(&rig);
    took_h2 = false;
    tls_rig_expect(&rig, VECWIRE_ETLS, VECWIRE_PHASE_TLS, "not HTTP/1.1");
    ck_assert_uint_eq(fault_server_received(rig.server), 0);
    tls_rig_fini(&rig);
}
END_TEST

START_TEST(a_server_without_alpn_is_taken)
{
    struct tls_rig rig;

    open_rig(&rig);
    SSL_CTX_set_alpn_select_cb(rig.ctx, NULL, NULL);
    open_client(&rig, VECWIRE_OPTIONS(.insecure = false));
    ck_assert_int_eq(tls_rig_ask(&rig), VECWIRE_OK);
    tls_rig_fini(&rig);
}
END_TEST

/* --- our certificate --- */

static void
ask_for_certificate(struct tls_rig *rig, int version)
{
    SSL_CTX_set_max_proto_version(rig->ctx, version);
    ck_assert_int_eq(
        SSL_CTX_load_verify_file(rig->ctx, cert_authority()->cert_file), 1);
    SSL_CTX_set_verify(rig->ctx,
                       SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
}

static const int versions[] = {TLS1_2_VERSION, TLS1_3_VERSION};

START_TEST(a_server_gets_the_certificate_that_it_asks_for)
{
    const struct cert *cert = cert_localhost();
    struct tls_rig rig;

    open_rig(&rig);
    ask_for_certificate(&rig, versions[_i]);
    open_client(&rig, VECWIRE_OPTIONS(.cert_file = cert->cert_file,
                                      .key_file = cert->key_file));
    ck_assert_int_eq(tls_rig_ask(&rig), VECWIRE_OK);
    tls_rig_fini(&rig);
}
END_TEST

START_TEST(a_server_that_misses_a_certificate_says_so)
{
    struct tls_rig rig;

    open_rig(&rig);
    ask_for_certificate(&rig, versions[_i]);
    open_client(&rig, VECWIRE_OPTIONS(.insecure = false));
    ck_assert_int_eq(tls_rig_ask(&rig), VECWIRE_ETLS);
    ck_assert_ptr_nonnull(
        strstr(vecwire_reply_error(rig.reply)->detail, "alert"));
    ck_assert_uint_eq(fault_server_received(rig.server), 0);
    tls_rig_fini(&rig);
}
END_TEST

/* --- files --- */

static void
check_file(struct vecwire_options options, const char *text)
{
    struct tls_rig rig;

    open_rig(&rig);
    ck_assert_int_eq(tls_rig_client(&rig, "h", options), VECWIRE_EINVAL);
    ck_assert_ptr_null(rig.client);
    ck_assert_msg(strstr(rig.refusal.text, text) != NULL, "%s",
                  rig.refusal.text);
    tls_rig_fini(&rig);
}

START_TEST(files_that_cannot_be_used_are_refused)
{
    const struct cert *a = cert_localhost(), *b = cert_authority();

    check_file(VECWIRE_OPTIONS(.ca_file = "/nowhere/ca"), "No such file");
    check_file(VECWIRE_OPTIONS(.ca_file = a->key_file), "ca_file");
    check_file(
        VECWIRE_OPTIONS(.cert_file = "/nowhere/c", .key_file = a->key_file),
        "cert_file: /nowhere/c");
    check_file(
        VECWIRE_OPTIONS(.cert_file = a->cert_file, .key_file = "/nowhere/k"),
        "key_file: /nowhere/k");
    check_file(
        VECWIRE_OPTIONS(.cert_file = a->cert_file, .key_file = b->key_file),
        "mismatch");
}
END_TEST

static void
add_tests(TCase *tc)
{
    tcase_add_loop_test(tc, a_stalled_handshake_ends_at_the_connect_limit, 0,
                        7);
    tcase_add_loop_test(tc, a_stalled_handshake_ends_at_the_call_s_deadline, 0,
                        7);
    tcase_add_loop_test(tc, a_stalled_handshake_is_canceled_at_every_byte, 0,
                        STALLS);
    tcase_add_loop_test(tc, a_client_is_freed_in_a_handshake_at_every_byte, 0,
                        STALLS);
    tcase_add_loop_test(tc, what_is_no_handshake_fails_the_call, 0,
                        (int)(sizeof(others) / sizeof(others[0])));
    tcase_add_test(tc, plain_http_to_a_tls_port_fails_and_hangs_not);
    tcase_add_test(tc, a_lost_handshake_is_tried_again);
    tcase_add_test(tc, a_refused_certificate_is_not_tried_again);
    tcase_add_test(tc, tls_1_1_is_refused);
    tcase_add_test(tc, http_1_1_is_all_that_is_offered);
    tcase_add_test(tc, another_protocol_than_offered_is_refused);
    tcase_add_test(tc, another_protocol_that_openssl_takes_is_refused_too);
    tcase_add_test(tc, a_server_without_alpn_is_taken);
    tcase_add_loop_test(tc, a_server_gets_the_certificate_that_it_asks_for, 0,
                        2);
    tcase_add_loop_test(tc, a_server_that_misses_a_certificate_says_so, 0, 2);
    tcase_add_test(tc, files_that_cannot_be_used_are_refused);
}

int
main(void)
{
    return client_rig_main("tls_shake", add_tests);
}
