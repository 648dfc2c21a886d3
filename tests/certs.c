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

const struct cert *
cert_new(const struct cert_spec *spec)
{
    static long serial = 1;
    static const struct cert *all;
    struct cert *cert = calloc(1, sizeof(*cert));
    X509_NAME *name;
    X509 *issuer;

    assert(cert != NULL);
    cert->key = EVP_EC_gen("P-256");
    cert->x509 = X509_new();
    assert(cert->key != NULL && cert->x509 != NULL);
    issuer = spec->issuer == NULL ? cert->x509 : spec->issuer->x509;
    X509_set_version(cert->x509, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(cert->x509), serial++);
    X509_gmtime_adj(X509_getm_notBefore(cert->x509), -2 * DAY_S);
    X509_gmtime_adj(X509_getm_notAfter(cert->x509),
                    spec->expired ? -DAY_S : DAY_S);
    X509_set_pubkey(cert->x509, cert->key);
    name = X509_get_subject_name(cert->x509);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                               (const unsigned char *)spec->name, -1, -1, 0);
    X509_set_issuer_name(cert->x509, X509_get_subject_name(issuer));
    add_extension(cert->x509, issuer, NID_basic_constraints,
                  spec->ca ? "critical,CA:TRUE" : "critical,CA:FALSE");
    if (spec->alt_names != NULL)
        add_extension(cert->x509, issuer, NID_subject_alt_name,
                      spec->alt_names);
    X509_sign(cert->x509, spec->issuer == NULL ? cert->key : spec->issuer->key,
              EVP_sha256());
    keep_files(cert);
    cert->next = all;
    all = cert;
    return cert;
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
