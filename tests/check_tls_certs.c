/* SPDX-License-Identifier: Apache-2.0 */
/* Whose certificates are taken. Of those that are refused the server must not
 * have got a byte of a request. Each row is a line of docs/tls.md. */
#include <stdio.h>
#include <string.h>

#include "tests/client_rig.h"
#include "tests/name_server.h"
#include "tests/tls_rig.h"

/* --- one row --- */

struct row {
    const char *host;
    struct cert_spec spec;     /* issuer NULL: ours, see `itself` */
    const struct cert *behind; /* sent behind it */
    const char *ca_file;       /* NULL: our authority's */
    bool itself;               /* signs itself */
    bool trusted;              /* and is what ca_file names */
    bool insecure;
    const char *why; /* NULL: taken */
};

static void
serve_as(struct tls_rig *rig, const struct row *row, const struct cert *cert)
{
    SSL_CTX *ctx = SSL_CTX_new(TLS_server_method());

    SSL_CTX_set_security_level(ctx, 0); /* a server may be as weak as it is */
    ck_assert_int_eq(SSL_CTX_use_certificate(ctx, cert->x509), 1);
    ck_assert_int_eq(SSL_CTX_use_PrivateKey(ctx, cert->key), 1);
    if (row->behind != NULL)
        SSL_CTX_add1_chain_cert(ctx, row->behind->x509);
    SSL_CTX_free(rig->ctx);
    rig->ctx = ctx;
    fault_server_use_tls(rig->server, ctx, SIZE_MAX);
}

static void
check_result(struct tls_rig *rig, const struct row *row)
{
    enum vecwire_err code = tls_rig_ask(rig);

    if (row->why == NULL) {
        ck_assert_msg(
            code == VECWIRE_OK, "%s: %s", row->host,
            code == VECWIRE_OK ? "" : vecwire_reply_error(rig->reply)->detail);
        ck_assert_ptr_nonnull(
            strstr(fault_server_request(rig->server), TLS_RIG_KEY));
        return;
    }
    ck_assert_msg(code == VECWIRE_ETLS, "%s: taken, not %s", row->host,
                  row->why);
    tls_rig_expect(rig, VECWIRE_ETLS, VECWIRE_PHASE_TLS, row->why);
    ck_assert_uint_eq(fault_server_received(rig->server), 0);
    ck_assert_uint_eq(fault_server_requests(rig->server), 0);
}

static void
check_row(const struct row *row)
{
    struct vecwire_options options =
        VECWIRE_OPTIONS(.insecure = row->insecure, .ca_file = row->ca_file);
    struct cert_spec spec = row->spec;
    /* All names lead here. */
    static const struct name_rule here = {.a = {.addresses = "127.0.0.1"}};
    struct name_server *names;
    const struct cert *cert;
    struct tls_rig rig;

    if (spec.name == NULL)
        spec.name = "x";
    if (spec.issuer == NULL && !row->itself)
        spec.issuer = cert_authority();
    cert = cert_new(&spec);
    if (row->trusted)
        options.ca_file = cert->cert_file;
    if (row->host[0] != '[')
        tls_rig_init(&rig, cert, tls_rig_answers);
    else if (!tls_rig_init_at(&rig, "::1", cert, tls_rig_answers))
        return; /* a machine without IPv6 */
    serve_as(&rig, row, cert);
    names = name_server_new(rig.base, "127.0.0.1", &here, 1);
    options.resolv_conf = name_server_conf(names);
    ck_assert_int_eq(tls_rig_client(&rig, row->host, options), VECWIRE_OK);
    check_result(&rig, row);
    name_server_free(names);
    tls_rig_fini(&rig);
}

#define ROWS(rows) ((int)(sizeof(rows) / sizeof((rows)[0])))
#define NAMES(list) .spec = {.alt_names = (list)}
#define NOT_THE_NAME "hostname mismatch"
#define NOT_THE_ADDRESS "IP address mismatch"

/* --- names --- */

static const struct row own_names[] = {
    {"localhost", NAMES("DNS:localhost")},
    {"LocalHost", NAMES("DNS:localhost")},
    {"localhost", NAMES("DNS:LOCALHOST")},
    {"localhost.", NAMES("DNS:localhost")},
    {"localhost", NAMES("DNS:a.example,DNS:localhost")},
    {"localhost", NAMES("IP:127.0.0.2,DNS:localhost")},
    {"a.example.test", NAMES("DNS:a.example.test")},
    {"A.Example.TEST", NAMES("DNS:a.example.test")},
    {"a.example.test.", NAMES("DNS:a.example.test")},
    {"a.example.test", NAMES("DNS:*.example.test")},
    {"A.EXAMPLE.TEST.", NAMES("DNS:*.example.test")},
    {"xn--bcher-kva.example.test", NAMES("DNS:xn--bcher-kva.example.test")},
    {"xn--bcher-kva.example.test", NAMES("DNS:*.example.test")},
};

START_TEST(a_certificate_for_the_name_is_taken)
{
    check_row(&own_names[_i]);
}
END_TEST

static const struct row other_names[] = {
    {"localhost", NAMES("DNS:other.example"), .why = NOT_THE_NAME},
    {"localhost", NAMES("DNS:localhost.example"), .why = NOT_THE_NAME},
    {"localhost", NAMES("DNS:a.localhost"), .why = NOT_THE_NAME},
    {"localhost", NAMES("DNS:localhost."), .why = NOT_THE_NAME},
    {"localhost", NAMES("IP:127.0.0.1"), .why = NOT_THE_NAME},
    {"localhost", .spec = {.name = "localhost"}, .why = NOT_THE_NAME},
    {"localhost", .spec = {.name = "localhost", .alt_names = "IP:127.0.0.1"},
     .why = NOT_THE_NAME},
    {"localhost",
     .spec = {.name = "localhost", .alt_names = "DNS:other.example"},
     .why = NOT_THE_NAME},
    {"localhost", .spec = {.nul = true}, .why = NOT_THE_NAME},
    {"localhost", NAMES("email:localhost"), .why = NOT_THE_NAME},
    {"localhost", NAMES("URI:https://localhost"), .why = NOT_THE_NAME},
    {"bucher.example.test", NAMES("DNS:xn--bcher-kva.example.test"),
     .why = NOT_THE_NAME},
};

START_TEST(a_certificate_for_another_name_is_refused)
{
    check_row(&other_names[_i]);
}
END_TEST

static const struct row wide_names[] = {
    {"localhost", NAMES("DNS:*"), .why = NOT_THE_NAME},
    {"example.test", NAMES("DNS:*.example.test"), .why = NOT_THE_NAME},
    {"a.b.example.test", NAMES("DNS:*.example.test"), .why = NOT_THE_NAME},
    {"a.example.test", NAMES("DNS:a*.example.test"), .why = NOT_THE_NAME},
    {"ab.example.test", NAMES("DNS:a*.example.test"), .why = NOT_THE_NAME},
    {"a.b.example.test", NAMES("DNS:a.*.example.test"), .why = NOT_THE_NAME},
    {"a.b.example.test", NAMES("DNS:*.*.example.test"), .why = NOT_THE_NAME},
    {"example.test", NAMES("DNS:*.test"), .why = NOT_THE_NAME},
    {"127.0.0.1", NAMES("DNS:*.0.0.1"), .why = NOT_THE_ADDRESS},
};

START_TEST(a_star_covers_one_whole_label_and_no_less_than_two_behind_it)
{
    check_row(&wide_names[_i]);
}
END_TEST

/* --- addresses --- */

static const struct row addresses[] = {
    {"127.0.0.1", NAMES("IP:127.0.0.1")},
    {"127.0.0.1", NAMES("DNS:localhost,IP:127.0.0.1")},
    {"[::1]", NAMES("IP:::1")},
    {"[0:0:0:0:0:0:0:1]", NAMES("IP:::1")},
    {"127.0.0.1", NAMES("IP:127.0.0.2"), .why = NOT_THE_ADDRESS},
    {"127.0.0.1", NAMES("IP:::1"), .why = NOT_THE_ADDRESS},
    {"127.0.0.1", NAMES("IP:::ffff:127.0.0.1"), .why = NOT_THE_ADDRESS},
    {"127.0.0.1", NAMES("DNS:127.0.0.1"), .why = NOT_THE_ADDRESS},
    {"127.0.0.1", .spec = {.name = "127.0.0.1"}, .why = NOT_THE_ADDRESS},
    {"[::1]", NAMES("IP:127.0.0.1,DNS:::1"), .why = NOT_THE_ADDRESS},
};

START_TEST(an_address_needs_a_certificate_for_the_address)
{
    check_row(&addresses[_i]);
}
END_TEST

/* --- times, purposes, strength --- */

#define GOOD .alt_names = "DNS:localhost"

static const struct row kinds[] = {
    {"localhost", .spec = {GOOD, .usage = "serverAuth"}},
    {"localhost", .spec = {GOOD, .usage = "clientAuth,serverAuth"}},
    {"localhost", .spec = {GOOD, .rsa_bits = 2048}},
    {"localhost", .spec = {GOOD, .expired = true},
     .why = "certificate has expired"},
    {"localhost", .spec = {GOOD, .early = true},
     .why = "certificate is not yet valid"},
    {"localhost", .spec = {GOOD, .usage = "clientAuth"}, .why = "purpose"},
    {"localhost", .spec = {GOOD, .usage = "codeSigning"}, .why = "purpose"},
    {"localhost", .spec = {GOOD, .sha1 = true},
     .why = "signature digest algorithm too weak"},
};

START_TEST(a_certificate_has_its_time_its_purpose_and_its_strength)
{
    check_row(&kinds[_i]);
}
END_TEST

static int
default_level(void)
{
    SSL_CTX *ctx = SSL_CTX_new(TLS_client_method());
    int level = SSL_CTX_get_security_level(ctx);

    SSL_CTX_free(ctx);
    return level;
}

/* OpenSSL's own default is 1 before 3.2; distributions say 2. */
START_TEST(short_keys_are_what_openssl_s_level_says)
{
    check_row(&(const struct row){"localhost", .spec = {GOOD, .rsa_bits = 1024},
                                  .why = default_level() >= 2 ? "key too weak"
                                                              : NULL});
}
END_TEST

/* --- authorities --- */

static const struct cert *
issued_by(const struct cert *issuer, struct cert_spec spec)
{
    spec.issuer = issuer;
    return cert_new(&spec);
}

START_TEST(a_certificate_that_signs_itself_must_be_what_is_trusted)
{
    check_row(&(const struct row){"localhost", .spec = {GOOD}, .itself = true,
                                  .trusted = true});
    check_row(&(const struct row){"localhost", .spec = {GOOD}, .itself = true,
                                  .why = "self-signed certificate"});
    check_row(&(const struct row){"localhost", NAMES("DNS:other.example"),
                                  .itself = true, .trusted = true,
                                  .why = NOT_THE_NAME});
    check_row(&(const struct row){"localhost", .spec = {GOOD, .expired = true},
                                  .itself = true, .trusted = true,
                                  .why = "certificate has expired"});
}
END_TEST

START_TEST(an_authority_must_be_trusted)
{
    const struct cert *another =
        cert_new(&(struct cert_spec){.name = "another CA", .ca = true});
    /* The same name, another key. */
    const struct cert *impostor =
        cert_new(&(struct cert_spec){.name = "CA", .ca = true});

    check_row(
        &(const struct row){"localhost", .spec = {GOOD, .issuer = another},
                            .why = "unable to get local issuer certificate"});
    check_row(&(const struct row){
        "localhost", .spec = {GOOD, .issuer = another}, .behind = another,
        .why = "self-signed certificate in certificate chain"});
    check_row(&(const struct row){"localhost",
                                  .spec = {GOOD, .issuer = impostor},
                                  .why = "certificate signature failure"});
}
END_TEST

START_TEST(an_authority_must_be_one_and_valid)
{
    const struct cert *old = cert_new(
        &(struct cert_spec){.name = "old CA", .ca = true, .expired = true});
    const struct cert *leaf = issued_by(
        cert_authority(), (struct cert_spec){.name = "no CA", .ca = false});
    const struct cert *bound = issued_by(
        cert_authority(),
        (struct cert_spec){.name = "bound CA",
                           .ca = true,
                           .constraints = "permitted;DNS:example.test"});

    check_row(&(const struct row){"localhost", .spec = {GOOD, .issuer = old},
                                  .ca_file = old->cert_file,
                                  .why = "certificate has expired"});
    check_row(&(const struct row){"localhost", .spec = {GOOD, .issuer = leaf},
                                  .behind = leaf,
                                  .why = "invalid CA certificate"});
    check_row(&(const struct row){"localhost", .spec = {GOOD, .issuer = bound},
                                  .behind = bound,
                                  .why = "permitted subtree violation"});
}
END_TEST

START_TEST(a_chain_is_followed_to_a_trusted_root)
{
    const struct cert *root = cert_authority();
    const struct cert *middle =
        issued_by(root, (struct cert_spec){.name = "middle", .ca = true});
    const struct cert *both[] = {middle, root};
    char bundle[40];

    cert_bundle(bundle, sizeof(bundle), both, 2, "");
    check_row(&(const struct row){"localhost", .spec = {GOOD, .issuer = middle},
                                  .behind = middle});
    check_row(&(const struct row){"localhost", .spec = {GOOD, .issuer = middle},
                                  .ca_file = bundle});
    check_row(
        &(const struct row){"localhost", .spec = {GOOD, .issuer = middle},
                            .why = "unable to get local issuer certificate"});
    /* One in the middle is no root, trusted or not. */
    check_row(&(const struct row){"localhost", .spec = {GOOD, .issuer = middle},
                                  .ca_file = middle->cert_file,
                                  .why = "unable to get issuer certificate"});
}
END_TEST

START_TEST(a_chain_is_no_longer_than_its_authorities_allow)
{
    const struct cert *last = cert_new(&(struct cert_spec){
        .name = "last CA", .ca = true, .ca_limit = "pathlen:0"});
    const struct cert *more =
        issued_by(last, (struct cert_spec){.name = "one more", .ca = true});

    check_row(&(const struct row){"localhost", .spec = {GOOD, .issuer = last},
                                  .ca_file = last->cert_file});
    check_row(&(const struct row){"localhost", .spec = {GOOD, .issuer = more},
                                  .behind = more, .ca_file = last->cert_file,
                                  .why = "path length constraint exceeded"});
}
END_TEST

START_TEST(insecure_takes_whatever_comes)
{
    check_row(&(const struct row){"localhost", NAMES("DNS:other.example"),
                                  .itself = true, .insecure = true});
    check_row(&(const struct row){
        "localhost", .spec = {.expired = true, .usage = "clientAuth"},
        .insecure = true});
}
END_TEST

/* --- hosts that are none --- */

START_TEST(a_host_that_is_not_ascii_is_refused)
{
    struct tls_rig rig;

    tls_rig_init(&rig, cert_localhost(), tls_rig_answers);
    ck_assert_int_eq(tls_rig_client(&rig,
                                    "b\xc3\xbc"
                                    "cher.example.test",
                                    VECWIRE_OPTIONS(.insecure = false)),
                     VECWIRE_EINVAL);
    ck_assert_ptr_null(rig.client);
    ck_assert_uint_eq(fault_server_connections(rig.server), 0);
    tls_rig_fini(&rig);
}
END_TEST

static void
add_tests(TCase *tc)
{
    tcase_add_loop_test(tc, a_certificate_for_the_name_is_taken, 0,
                        ROWS(own_names));
    tcase_add_loop_test(tc, a_certificate_for_another_name_is_refused, 0,
                        ROWS(other_names));
    tcase_add_loop_test(
        tc, a_star_covers_one_whole_label_and_no_less_than_two_behind_it, 0,
        ROWS(wide_names));
    tcase_add_loop_test(tc, an_address_needs_a_certificate_for_the_address, 0,
                        ROWS(addresses));
    tcase_add_loop_test(tc,
                        a_certificate_has_its_time_its_purpose_and_its_strength,
                        0, ROWS(kinds));
    tcase_add_test(tc, short_keys_are_what_openssl_s_level_says);
    tcase_add_test(tc, a_certificate_that_signs_itself_must_be_what_is_trusted);
    tcase_add_test(tc, an_authority_must_be_trusted);
    tcase_add_test(tc, an_authority_must_be_one_and_valid);
    tcase_add_test(tc, a_chain_is_followed_to_a_trusted_root);
    tcase_add_test(tc, a_chain_is_no_longer_than_its_authorities_allow);
    tcase_add_test(tc, insecure_takes_whatever_comes);
    tcase_add_test(tc, a_host_that_is_not_ascii_is_refused);
}

int
main(void)
{
    return client_rig_main("tls_certs", add_tests);
}
