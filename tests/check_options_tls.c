/* SPDX-License-Identifier: Apache-2.0 */
/* What vecwire_client_new() takes and refuses of TLS. */
#include <event2/event.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "api/client.h"
#include "tests/client_rig.h"

static struct event_base *base;
static struct vecwire_client *client;
static struct vecwire_refusal refusal;

static void
setup(void)
{
    base = vecwire_event_base_new();
    ck_assert_ptr_nonnull(base);
}

static void
teardown(void)
{
    vecwire_client_free(client);
    event_base_free(base);
}

static void
check_refused(struct vecwire_options options, enum vecwire_err code,
              const char *text)
{
    options.refusal = &refusal;
    ck_assert_int_eq(vecwire_client_new(&client, base, &options), code);
    ck_assert_ptr_null(client);
    ck_assert_ptr_nonnull(strstr(refusal.text, text));
}

#ifdef VECWIRE_NO_OPENSSL

START_TEST(https_needs_openssl)
{
    check_refused(VECWIRE_OPTIONS(.url = "https://h"), VECWIRE_EUNSUPPORTED,
                  "OpenSSL");
}
END_TEST

#else

START_TEST(https_has_a_port_of_its_own)
{
    ck_assert_int_eq(
        vecwire_client_new(&client, base, &VECWIRE_OPTIONS(.url = "https://h")),
        VECWIRE_OK);
    ck_assert_uint_eq(client->url.port, 443);
}
END_TEST

/* Memory that runs out at any time while a client is made. */
static size_t until_failure;

static void *
failing_alloc(size_t size, void *ctx)
{
    (void)ctx;
    return until_failure != 0 && --until_failure == 0 ? NULL : malloc(size);
}

static void *
failing_realloc(void *block, size_t old_size, size_t size, void *ctx)
{
    (void)old_size;
    (void)ctx;
    return until_failure != 0 && --until_failure == 0 ? NULL
                                                      : realloc(block, size);
}

static void
plain_free(void *block, size_t size, void *ctx)
{
    (void)size;
    (void)ctx;
    free(block);
}

START_TEST(a_client_that_gets_no_memory_is_not_made)
{
    const struct vecwire_mem mem = {failing_alloc, failing_realloc, plain_free,
                                    NULL};
    enum vecwire_err rc = VECWIRE_ENOMEM;
    size_t n;

    for (n = 1; rc != VECWIRE_OK; n++) {
        until_failure = n;
        rc = vecwire_client_new(
            &client, base, &VECWIRE_OPTIONS(.url = "https://h", .mem = &mem));
        ck_assert(rc == VECWIRE_OK || rc == VECWIRE_ENOMEM);
        ck_assert((client == NULL) == (rc != VECWIRE_OK));
    }
    until_failure = 0;
    ck_assert_uint_ge(n, 6);
}
END_TEST

#endif

static const struct row {
    const char *url, *ca_file, *cert_file, *key_file;
    bool insecure;
    const char *text;
} rows[] = {
    {"http://h", "f", NULL, NULL, false, "ca_file"},
    {"http://h", NULL, "f", "f", false, "cert_file"},
    {"http://h", NULL, NULL, "f", false, "key_file"},
    {"http://h", NULL, NULL, NULL, true, "insecure"},
    {"https://h", NULL, "f", NULL, false, "come together"},
    {"https://h", NULL, NULL, "f", false, "come together"},
    {"https://h", "f", NULL, NULL, true, "insecure"},
};
#define N_ROWS ((int)(sizeof(rows) / sizeof(rows[0])))

START_TEST(options_that_make_no_sense_are_refused)
{
    const struct row *row = &rows[_i];

    check_refused(VECWIRE_OPTIONS(.url = row->url, .ca_file = row->ca_file,
                                  .cert_file = row->cert_file,
                                  .key_file = row->key_file,
                                  .insecure = row->insecure),
                  VECWIRE_EINVAL, row->text);
}
END_TEST

/* Programs built before there was TLS. */
START_TEST(options_that_end_before_those_of_tls_are_taken)
{
    struct vecwire_options options;

    memset(&options, 0x55, sizeof(options));
    memset(&options, 0, offsetof(struct vecwire_options, ca_file));
    options.size = offsetof(struct vecwire_options, ca_file);
    options.url = "http://h";
    ck_assert_int_eq(vecwire_client_new(&client, base, &options), VECWIRE_OK);
}
END_TEST

static void
add_tests(TCase *tc)
{
    tcase_add_checked_fixture(tc, setup, teardown);
#ifdef VECWIRE_NO_OPENSSL
    tcase_add_test(tc, https_needs_openssl);
#else
    tcase_add_test(tc, https_has_a_port_of_its_own);
    tcase_add_test(tc, a_client_that_gets_no_memory_is_not_made);
#endif
    tcase_add_loop_test(tc, options_that_make_no_sense_are_refused, 0, N_ROWS);
    tcase_add_test(tc, options_that_end_before_those_of_tls_are_taken);
}

int
main(void)
{
    return client_rig_main("options_tls", add_tests);
}
