/* SPDX-License-Identifier: Apache-2.0 */
/* What a server may do to TLS once the handshake is done: new keys, another
 * handshake, tickets. */
#include <string.h>

#include "tests/client_rig.h"
#include "tests/tls_rig.h"

/* Seen by the server. */
static unsigned n_hellos, n_refusals;

static void
on_info(const SSL *ssl, int where, int value)
{
    (void)ssl;
    n_refusals += where == SSL_CB_READ_ALERT &&
                  value == (SSL3_AL_WARNING << 8 | SSL_AD_NO_RENEGOTIATION);
}

static int
on_hello(SSL *ssl, int *alert, void *arg)
{
    (void)ssl;
    (void)alert;
    (void)arg;
    n_hellos++;
    return SSL_CLIENT_HELLO_SUCCESS;
}

static void
open_rig(struct tls_rig *rig, int version, const struct fault_step *script)
{
    n_hellos = n_refusals = 0;
    tls_rig_init(rig, cert_localhost(), script);
    SSL_CTX_set_max_proto_version(rig->ctx, version);
    SSL_CTX_set_info_callback(rig->ctx, on_info);
    SSL_CTX_set_client_hello_cb(rig->ctx, on_hello, NULL);
    ck_assert_int_eq(
        tls_rig_client(rig, "localhost", VECWIRE_OPTIONS(.attempts = 1)),
        VECWIRE_OK);
}

#define HALF_AN_ANSWER                                                         \
    {                                                                          \
        FAULT_SEND, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe", 0        \
    }
#define OTHER_HALF                                                             \
    {                                                                          \
        FAULT_SEND, "llo", 0                                                   \
    }

/* --- TLS 1.3: new keys, in both directions --- */

static const struct fault_step keys_while_idle[] = {{FAULT_READ, NULL, 0},
                                                    FAULT_OK("hello", "5"),
                                                    {FAULT_NEW_KEYS, NULL, 0},
                                                    {FAULT_AGAIN, NULL, 0}};

static const struct fault_step keys_in_front[] = {{FAULT_READ, NULL, 0},
                                                  {FAULT_NEW_KEYS, NULL, 0},
                                                  FAULT_OK("hello", "5"),
                                                  {FAULT_AGAIN, NULL, 0}};

static const struct fault_step keys_in_the_answer[] = {
    {FAULT_READ, NULL, 0},
    HALF_AN_ANSWER,
    {FAULT_NEW_KEYS, NULL, 0},
    OTHER_HALF,
    {FAULT_AGAIN, NULL, 0}};

static const struct fault_step *const with_keys[] = {
    keys_while_idle, keys_in_front, keys_in_the_answer};

START_TEST(new_keys_change_nothing)
{
    struct tls_rig rig;

    open_rig(&rig, TLS1_3_VERSION, with_keys[_i]);
    for (int i = 0; i < 20; i++) {
        ck_assert_int_eq(tls_rig_ask(&rig), VECWIRE_OK);
        ck_assert_str_eq(vecwire_reply_body(rig.reply, NULL), "hello");
        for (int turn = 0; turn < 3; turn++)
            event_base_loop(rig.base, EVLOOP_NONBLOCK);
    }
    ck_assert_uint_eq(fault_server_connections(rig.server), 1);
    tls_rig_fini(&rig);
}
END_TEST

/* --- TLS 1.2: another handshake --- */

static const struct fault_step again_while_idle[] = {{FAULT_READ, NULL, 0},
                                                     FAULT_OK("hello", "5"),
                                                     {FAULT_NEW_KEYS, NULL, 0},
                                                     {FAULT_DISCARD, NULL, 0}};

static const struct fault_step again_in_front[] = {
    {FAULT_READ, NULL, 0}, {FAULT_NEW_KEYS, NULL, 0}, {FAULT_DISCARD, NULL, 0}};

static const struct fault_step again_in_the_answer[] = {
    {FAULT_READ, NULL, 0},
    HALF_AN_ANSWER,
    {FAULT_NEW_KEYS, NULL, 0},
    {FAULT_DISCARD, NULL, 0}};

static const struct fault_step *const handshakes[] = {
    again_while_idle, again_in_front, again_in_the_answer};

/* OpenSSL's server takes the refusal for the end of the connection. */
START_TEST(another_handshake_is_refused)
{
    struct tls_rig rig;
    enum vecwire_err code;

    open_rig(&rig, TLS1_2_VERSION, handshakes[_i]);
    code = tls_rig_ask(&rig);
    for (int turn = 0; turn < 10; turn++)
        event_base_loop(rig.base, EVLOOP_NONBLOCK);
    ck_assert_int_eq(code, _i == 0 ? VECWIRE_OK : VECWIRE_EIO);
    ck_assert_uint_eq(n_refusals, 1);
    ck_assert_uint_eq(n_hellos, 1);
    ck_assert_uint_eq(fault_server_requests(rig.server), 1);
    tls_rig_fini(&rig);
}
END_TEST

START_TEST(the_client_asks_for_no_other_handshake)
{
    struct tls_rig rig;

    open_rig(&rig, TLS1_2_VERSION, tls_rig_answers);
    for (int i = 0; i < 20; i++)
        ck_assert_int_eq(tls_rig_ask(&rig), VECWIRE_OK);
    ck_assert_uint_eq(n_hellos, 1);
    tls_rig_fini(&rig);
}
END_TEST

static void
add_tests(TCase *tc)
{
    tcase_add_loop_test(tc, new_keys_change_nothing, 0, 3);
    tcase_add_loop_test(tc, another_handshake_is_refused, 0, 3);
    tcase_add_test(tc, the_client_asks_for_no_other_handshake);
}

int
main(void)
{
    return client_rig_main("tls_later", add_tests);
}
