/* SPDX-License-Identifier: Apache-2.0 */
/* Certificates made on the spot, so that none in the tree grows old. */
#ifndef VECWIRE_TESTS_CERTS_H
#define VECWIRE_TESTS_CERTS_H

#include <stdbool.h>

#include <openssl/ssl.h>

struct cert {
    X509 *x509;
    EVP_PKEY *key;
    const struct cert *next; /* of all there are */
    char cert_file[40];      /* PEM, in memory: "/proc/self/fd/7" */
    char key_file[40];
};

struct cert_spec {
    const struct cert *issuer; /* NULL: it signs itself */
    const char *name;          /* CN */
    const char *alt_names;     /* "DNS:localhost,IP:::1"; NULL: none */
    bool ca;
    bool expired;
    bool early;              /* valid from tomorrow on */
    bool sha1;               /* signed with it, not with SHA-256 */
    bool nul;                /* DNS name "localhost", NUL, ".example" */
    int rsa_bits;            /* 0: P-256 */
    const char *usage;       /* extended key usage; NULL: none */
    const char *constraints; /* of names; NULL: none */
    const char *ca_limit;    /* "pathlen:0"; NULL: none */
};

/* Never freed: a test's process does not live long. */
const struct cert *cert_new(const struct cert_spec *spec);

/* An authority, and what it has issued for localhost, 127.0.0.1 and ::1; the
 * same ones in all of a process. */
const struct cert *cert_authority(void);
const struct cert *cert_localhost(void);

/* PEM of all of them, then `tail`, in memory: "/proc/self/fd/7". */
void cert_bundle(char *file, size_t size, const struct cert *const *certs,
                 size_t n, const char *tail);

/* The key, encrypted; in PKCS #8's way or the one before it. */
void cert_locked_key(char *file, size_t size, const struct cert *cert,
                     bool traditional);

/* A server's, TLS 1.2 and later, that knows ALPN's http/1.1. To be freed. */
SSL_CTX *cert_server_ctx(const struct cert *cert);

#endif
