/* SPDX-License-Identifier: Apache-2.0 */
/* https: the system's trust, and what calls over TLS cost. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/err.h>

#include "tests/client_rig.h"
#include "tests/net_rig.h"
#include "tests/tls_rig.h"

START_TEST(the_system_s_store_is_used_where_no_file_is_given)
{
    struct tls_rig rig;

    tls_rig_init(&rig, cert_localhost(), tls_rig_answers);
    rig.system_trust = true;
    if (_i != 0)
        setenv("SSL_CERT_FILE", cert_authority()->cert_file, 1);
    ck_assert_int_eq(
        tls_rig_client(&rig, "localhost", VECWIRE_OPTIONS(.insecure = false)),
        VECWIRE_OK);
    ck_assert_int_eq(tls_rig_ask(&rig), _i != 0 ? VECWIRE_OK : VECWIRE_ETLS);
    unsetenv("SSL_CERT_FILE");
    tls_rig_fini(&rig);
}
END_TEST

START_TEST(insecure_is_logged_and_nothing_else_is)
{
    struct tls_rig rig;

    tls_rig_init(&rig, cert_localhost(), tls_rig_answers);
    ck_assert_int_eq(
        tls_rig_client(&rig, "localhost", VECWIRE_OPTIONS(.insecure = false)),
        VECWIRE_OK);
    ck_assert_str_eq(rig.log, "");
    ck_assert_int_eq(
        tls_rig_client(&rig, "localhost", VECWIRE_OPTIONS(.insecure = true)),
        VECWIRE_OK);
    ck_assert_ptr_nonnull(strstr(rig.log, "not verified"));
    tls_rig_fini(&rig);
}
END_TEST

START_TEST(a_name_goes_out_as_sni_without_its_dot_and_an_address_does_not)
{
    static const char *const pairs[][2] = {{"localhost", "localhost"},
                                           {"localhost.", "localhost"},
                                           {"127.0.0.1", ""}};
    struct tls_rig rig;

    tls_rig_init(&rig, cert_localhost(), tls_rig_answers);
    ck_assert_int_eq(
        tls_rig_client(&rig, pairs[_i][0], VECWIRE_OPTIONS(.insecure = false)),
        VECWIRE_OK);
    ck_assert_int_eq(tls_rig_ask(&rig), VECWIRE_OK);
    ck_assert_str_eq(fault_server_sni(rig.server), pairs[_i][1]);
    tls_rig_fini(&rig);
}
END_TEST

/* --- what calls cost --- */

static void
open_rig(struct tls_rig *rig, const struct fault_step *script)
{
    tls_rig_init(rig, cert_localhost(), script);
    ck_assert_int_eq(
        tls_rig_client(rig, "127.0.0.1", VECWIRE_OPTIONS(.insecure = false)),
        VECWIRE_OK);
}

START_TEST(a_warm_call_costs_one_wakeup)
{
    struct tls_rig rig;

    open_rig(&rig, tls_rig_answers);
    SSL_CTX_set_max_proto_version(rig.ctx,
                                  _i == 0 ? TLS1_2_VERSION : TLS1_3_VERSION);
    ck_assert_int_eq(tls_rig_ask(&rig), VECWIRE_OK);
    ck_assert_uint_le(vecwire_reply_wakeups(rig.reply), 4);
    for (int i = 0; i < 50; i++) {
        ck_assert_int_eq(tls_rig_ask(&rig), VECWIRE_OK);
        ck_assert_uint_eq(vecwire_reply_wakeups(rig.reply), 1);
    }
    ck_assert_uint_eq(fault_server_connections(rig.server), 1);
    tls_rig_fini(&rig);
}
END_TEST

static const struct fault_step answers_once[] = {
    {FAULT_READ, NULL, 0}, FAULT_OK("hello", "5"), {FAULT_END, NULL, 0}};

/* The same, without a goodbye. */
static const struct fault_step answers_and_cuts[] = {
    {FAULT_READ, NULL, 0}, FAULT_OK("hello", "5"), {FAULT_CUT, NULL, 0}};

/* Each connection carries one request; from the second on they resume. */
START_TEST(new_connections_take_an_earlier_session_up)
{
    struct tls_rig rig;

    open_rig(&rig, _i < 2 ? answers_once : answers_and_cuts);
    SSL_CTX_set_max_proto_version(rig.ctx, _i % 2 == 0 ? TLS1_2_VERSION
                                                       : TLS1_3_VERSION);
    for (int i = 0; i < 20; i++)
        ck_assert_int_eq(tls_rig_ask(&rig), VECWIRE_OK);
    ck_assert_uint_eq(fault_server_shaken(rig.server), 20);
    ck_assert_uint_eq(fault_server_resumed(rig.server), 19);
    tls_rig_fini(&rig);
}
END_TEST

START_TEST(connections_that_come_and_go_leave_no_descriptor)
{
    struct tls_rig rig;
    size_t before;

    open_rig(&rig, _i == 0 ? answers_once : answers_and_cuts);
    ck_assert_int_eq(tls_rig_ask(&rig), VECWIRE_OK);
    event_base_loop(rig.base, EVLOOP_NONBLOCK);
    before = rig_descriptors();
    for (int i = 0; i < 200; i++)
        ck_assert_int_eq(tls_rig_ask(&rig), VECWIRE_OK);
    event_base_loop(rig.base, EVLOOP_NONBLOCK);
    ck_assert_uint_le(rig_descriptors(), before + 1);
    ck_assert_uint_eq(fault_server_connections(rig.server), 201);
    tls_rig_fini(&rig);
}
END_TEST

START_TEST(another_client_does_not_share_the_sessions)
{
    struct tls_rig rig;

    open_rig(&rig, answers_once);
    ck_assert_int_eq(tls_rig_ask(&rig), VECWIRE_OK);
    ck_assert_int_eq(
        tls_rig_client(&rig, "localhost", VECWIRE_OPTIONS(.insecure = false)),
        VECWIRE_OK);
    ck_assert_int_eq(tls_rig_ask(&rig), VECWIRE_OK);
    ck_assert_uint_eq(fault_server_resumed(rig.server), 0);
    tls_rig_fini(&rig);
}
END_TEST

START_TEST(a_connection_is_closed_with_close_notify)
{
    struct tls_rig rig;

    open_rig(&rig, tls_rig_answers);
    ck_assert_int_eq(tls_rig_ask(&rig), VECWIRE_OK);
    vecwire_client_free(rig.client);
    rig.client = NULL;
    for (int i = 0; i < 10; i++)
        event_base_loop(rig.base, EVLOOP_NONBLOCK);
    ck_assert_uint_eq(fault_server_goodbyes(rig.server), 1);
    tls_rig_fini(&rig);
}
END_TEST

/* --- ends --- */

static const struct end {
    const char *head;
    enum fault_kind kind;
    enum vecwire_err code;
} ends[] = {
    {"HTTP/1.1 200 OK\r\n\r\nhello", FAULT_END, VECWIRE_OK},
    {"HTTP/1.1 200 OK\r\n\r\nhello", FAULT_CUT, VECWIRE_EIO},
    {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", FAULT_CUT,
     VECWIRE_OK},
    {"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhello", FAULT_CUT,
     VECWIRE_EIO},
    {"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhello", FAULT_END,
     VECWIRE_EIO},
    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
     FAULT_END, VECWIRE_EIO},
};

START_TEST(a_reply_that_may_be_cut_is_no_reply)
{
    const struct fault_step script[] = {{FAULT_READ, NULL, 0},
                                        {FAULT_SEND, ends[_i].head, 0},
                                        {ends[_i].kind, NULL, 0}};
    struct tls_rig rig;

    open_rig(&rig, script);
    ck_assert_int_eq(tls_rig_ask(&rig), ends[_i].code);
    tls_rig_fini(&rig);
}
END_TEST

/* --- memory --- */

static size_t until_failure;

static bool
fails(void)
{
    return until_failure != 0 && --until_failure == 0;
}

static void *
failing_alloc(size_t size, void *ctx)
{
    (void)ctx;
    return fails() ? NULL : malloc(size);
}

static void *
failing_realloc(void *block, size_t old_size, size_t size, void *ctx)
{
    (void)old_size;
    (void)ctx;
    return fails() ? NULL : realloc(block, size);
}

static void
plain_free(void *block, size_t size, void *ctx)
{
    (void)size;
    (void)ctx;
    free(block);
}

static void
on_end(const struct vecwire_reply *reply, void *arg)
{
    const struct vecwire_error *error = vecwire_reply_error(reply);

    *(enum vecwire_err *)arg = error == NULL ? VECWIRE_OK : error->code;
}

/* A client and a call with the n-th allocation failing: the first code that is
 * none of success. */
static enum vecwire_err
ask_with(struct tls_rig *rig, const struct vecwire_mem *mem)
{
    enum vecwire_err end = VECWIRE_EBUSY;
    enum vecwire_err rc =
        tls_rig_client(rig, "localhost", VECWIRE_OPTIONS(.mem = mem));

    if (rc == VECWIRE_OK)
        rc = vecwire_raw(rig->client, &VECWIRE_RAW(.path = "/"), on_end, &end,
                         NULL);
    if (rc != VECWIRE_OK)
        return rc;
    ck_assert_int_eq(vecwire_client_drain(rig->client, 5000), VECWIRE_OK);
    return end;
}

START_TEST(a_call_that_gets_no_memory_says_so)
{
    const struct vecwire_mem mem = {failing_alloc, failing_realloc, plain_free,
                                    NULL};
    struct tls_rig rig;
    bool failed = true;

    tls_rig_init(&rig, cert_localhost(), tls_rig_answers);
    for (size_t n = 1; failed; n++) {
        enum vecwire_err rc;

        until_failure = n;
        rc = ask_with(&rig, &mem);
        failed = until_failure == 0;
        until_failure = 0;
        ck_assert_msg(rc == VECWIRE_OK || (failed && rc == VECWIRE_ENOMEM),
                      "%zu: %s", n, vecwire_err_name(rc));
    }
    vecwire_client_free(rig.client);
    rig.client = NULL;
    tls_rig_fini(&rig);
}
END_TEST

/* --- the host's own OpenSSL --- */

START_TEST(the_host_s_errors_stay_and_disturb_nothing)
{
    struct tls_rig rig;
    const char *data;
    int flags;

    open_rig(&rig, answers_once);
    ERR_clear_error();
    ERR_raise_data(ERR_LIB_USER, 77, "the host's %s", "own");
    ERR_raise(ERR_LIB_USER, 78);
    ck_assert_int_eq(tls_rig_ask(&rig), VECWIRE_OK);
    ck_assert_int_eq(tls_rig_ask(&rig), VECWIRE_OK);
    ck_assert_int_eq(
        ERR_GET_REASON(ERR_get_error_all(NULL, NULL, NULL, &data, &flags)), 77);
    ck_assert_str_eq(data, "the host's own");
    ck_assert_int_eq(ERR_GET_REASON(ERR_get_error()), 78);
    ck_assert_uint_eq(ERR_get_error(), 0);
    tls_rig_fini(&rig);
}
END_TEST

START_TEST(a_failed_handshake_leaves_no_errors_behind)
{
    struct tls_rig rig;

    tls_rig_init(&rig, cert_authority(), tls_rig_answers);
    ERR_clear_error();
    ck_assert_int_eq(
        tls_rig_client(&rig, "localhost", VECWIRE_OPTIONS(.insecure = false)),
        VECWIRE_OK);
    ck_assert_int_eq(tls_rig_ask(&rig), VECWIRE_ETLS);
    ck_assert_uint_eq(ERR_peek_error(), 0);
    tls_rig_fini(&rig);
}
END_TEST

static void
add_tests(TCase *tc)
{
    tcase_add_loop_test(tc, the_system_s_store_is_used_where_no_file_is_given,
                        0, 2);
    tcase_add_test(tc, insecure_is_logged_and_nothing_else_is);
    tcase_add_loop_test(
        tc, a_name_goes_out_as_sni_without_its_dot_and_an_address_does_not, 0,
        3);
    tcase_add_loop_test(tc, a_warm_call_costs_one_wakeup, 0, 2);
    tcase_add_loop_test(tc, new_connections_take_an_earlier_session_up, 0, 4);
    tcase_add_loop_test(tc, connections_that_come_and_go_leave_no_descriptor, 0,
                        2);
    tcase_add_test(tc, another_client_does_not_share_the_sessions);
    tcase_add_test(tc, a_connection_is_closed_with_close_notify);
    tcase_add_loop_test(tc, a_reply_that_may_be_cut_is_no_reply, 0,
                        (int)(sizeof(ends) / sizeof(ends[0])));
    tcase_add_test(tc, a_call_that_gets_no_memory_says_so);
    tcase_add_test(tc, the_host_s_errors_stay_and_disturb_nothing);
    tcase_add_test(tc, a_failed_handshake_leaves_no_errors_behind);
}

int
main(void)
{
    return client_rig_main("tls", add_tests);
}
