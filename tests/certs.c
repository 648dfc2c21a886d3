/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/certs.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#define DAY_S (24L * 3600)

static void
add_extension(X509 *x509, X509 *issuer, int nid, const char *value)
{
    X509V3_CTX ctx;
    X509_EXTENSION *extension;

    X509V3_set_ctx(&ctx, issuer, x509, NULL, NULL, 0);
    extension = X509V3_EXT_conf_nid(NULL, &ctx, nid, value);
    assert(extension != NULL);
    X509_add_ext(x509, extension, -1);
    X509_EXTENSION_free(extension);
}

/* Into memory that has a name. */
static void
keep_pem(BIO *pem, char *file, size_t size)
{
    char *bytes;
    long n = BIO_get_mem_data(pem, &bytes);
    int fd = memfd_create("pem", 0);
    ssize_t put;

    assert(fd >= 0);
    put = write(fd, bytes, (size_t)n);
    assert(put == n);
    snprintf(file, size, "/proc/self/fd/%d", fd);
    BIO_free(pem);
}

static void
keep_files(struct cert *cert)
{
    BIO *pem = BIO_new(BIO_s_mem());

    PEM_write_bio_X509(pem, cert->x509);
    keep_pem(pem, cert->cert_file, sizeof(cert->cert_file));
    pem = BIO_new(BIO_s_mem());
    PEM_write_bio_PrivateKey(pem, cert->key, NULL, NULL, 0, NULL, NULL);
    keep_pem(pem, cert->key_file, sizeof(cert->key_file));
}

/* What no text can say: a name with a NUL in it. */
static void
add_nul_name(X509 *x509)
{
    static const char text[] = "localhost\0.example";
    GENERAL_NAMES *names = GENERAL_NAMES_new();
    GENERAL_NAME *name = GENERAL_NAME_new();
    ASN1_IA5STRING *value = ASN1_IA5STRING_new();

    assert(names != NULL && name != NULL && value != NULL);
    ASN1_STRING_set(value, text, sizeof(text) - 1);
    GENERAL_NAME_set0_value(name, GEN_DNS, value);
    sk_GENERAL_NAME_push(names, name);
    X509_add1_ext_i2d(x509, NID_subject_alt_name, names, 0, 0);
    GENERAL_NAMES_free(names);
}

static void
add_extensions(X509 *x509, X509 *issuer, const struct cert_spec *spec)
{
    char basic[64];

    snprintf(basic, sizeof(basic), "critical,CA:%s%s%s",
             spec->ca ? "TRUE" : "FALSE", spec->ca_limit != NULL ? "," : "",
             spec->ca_limit != NULL ? spec->ca_limit : "");
    add_extension(x509, issuer, NID_basic_constraints, basic);
    if (spec->alt_names != NULL)
        add_extension(x509, issuer, NID_subject_alt_name, spec->alt_names);
    if (spec->nul)
        add_nul_name(x509);
    if (spec->usage != NULL)
        add_extension(x509, issuer, NID_ext_key_usage, spec->usage);
    if (spec->constraints != NULL)
        add_extension(x509, issuer, NID_name_constraints, spec->constraints);
}

static void
set_times(X509 *x509, const struct cert_spec *spec)
{
    X509_gmtime_adj(X509_getm_notBefore(x509),
                    spec->early ? DAY_S : -2 * DAY_S);
    X509_gmtime_adj(X509_getm_notAfter(x509), spec->expired ? -DAY_S
                                              : spec->early ? 2 * DAY_S
                                                            : DAY_S);
}

const struct cert *
cert_new(const struct cert_spec *spec)
{
    static long serial = 1;
    static const struct cert *all;
    struct cert *cert = calloc(1, sizeof(*cert));
    X509_NAME *name;
    X509 *issuer;

    assert(cert != NULL);
    cert->key = spec->rsa_bits == 0 ? EVP_EC_gen("P-256")
                                    : EVP_RSA_gen((unsigned)spec->rsa_bits);
    cert->x509 = X509_new();
    assert(cert->key != NULL && cert->x509 != NULL);
    issuer = spec->issuer == NULL ? cert->x509 : spec->issuer->x509;
    X509_set_version(cert->x509, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(cert->x509), serial++);
    set_times(cert->x509, spec);
    X509_set_pubkey(cert->x509, cert->key);
    name = X509_get_subject_name(cert->x509);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                               (const unsigned char *)spec->name, -1, -1, 0);
    X509_set_issuer_name(cert->x509, X509_get_subject_name(issuer));
    add_extensions(cert->x509, issuer, spec);
    X509_sign(cert->x509, spec->issuer == NULL ? cert->key : spec->issuer->key,
              spec->sha1 ? EVP_sha1() : EVP_sha256());
    keep_files(cert);
    cert->next = all;
    all = cert;
    return cert;
}

void
cert_bundle(char *file, size_t size, const struct cert *const *certs, size_t n,
            const char *tail)
{
    BIO *pem = BIO_new(BIO_s_mem());

    for (size_t i = 0; i < n; i++)
        PEM_write_bio_X509(pem, certs[i]->x509);
    BIO_puts(pem, tail);
    keep_pem(pem, file, size);
}

void
cert_locked_key(char *file, size_t size, const struct cert *cert,
                bool traditional)
{
    static const unsigned char password[] = "secret";
    BIO *pem = BIO_new(BIO_s_mem());
    int done;

    if (traditional)
        done = PEM_write_bio_PrivateKey_traditional(
            pem, cert->key, EVP_aes_128_cbc(), password, 6, NULL, NULL);
    else
        done = PEM_write_bio_PrivateKey(pem, cert->key, EVP_aes_128_cbc(),
                                        password, 6, NULL, NULL);
    assert(done == 1);
    keep_pem(pem, file, size);
}

const struct cert *
cert_authority(void)
{
    static const struct cert *authority;

    if (authority == NULL)
        authority = cert_new(&(struct cert_spec){.name = "CA", .ca = true});
    return authority;
}

const struct cert *
cert_localhost(void)
{
    static const struct cert *cert;

    if (cert == NULL)
        cert = cert_new(&(struct cert_spec){
            .issuer = cert_authority(),
            .name = "server",
            .alt_names = "DNS:localhost,IP:127.0.0.1,IP:::1"});
    return cert;
}

static int
choose_http(SSL *ssl, const unsigned char **out, unsigned char *n,
            const unsigned char *in, unsigned in_len, void *arg)
{
    static const unsigned char http[] = "\x08http/1.1";

    (void)ssl;
    (void)arg;
    if (in_len != 9 || memcmp(in, http, 9) != 0)
        return SSL_TLSEXT_ERR_ALERT_FATAL;
    *out = in + 1;
    *n = 8;
    return SSL_TLSEXT_ERR_OK;
}

SSL_CTX *
cert_server_ctx(const struct cert *cert)
{
    SSL_CTX *ctx = SSL_CTX_new(TLS_server_method());

    assert(ctx != NULL);
    SSL_CTX_use_certificate(ctx, cert->x509);
    SSL_CTX_use_PrivateKey(ctx, cert->key);
    SSL_CTX_set_alpn_select_cb(ctx, choose_http, NULL);
    SSL_CTX_set_session_id_context(ctx, (const unsigned char *)"test", 4);
    return ctx;
}
