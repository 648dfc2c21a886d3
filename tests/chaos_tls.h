/* SPDX-License-Identifier: Apache-2.0 */
/* TLS for a chaos server, where there is any. */
#ifndef VECWIRE_TESTS_CHAOS_TLS_H
#define VECWIRE_TESTS_CHAOS_TLS_H

#include <stddef.h>

struct ssl_ctx_st;

#ifndef VECWIRE_NO_OPENSSL

#include "tests/certs.h"

/* The server's, and the file that its clients have to trust. The certificates
 * stay open: the first call is not to stand between two counts. */
static inline struct ssl_ctx_st *
chaos_tls_new(const char **ca_file)
{
    *ca_file = cert_authority()->cert_file;
    return cert_server_ctx(cert_localhost());
}

static inline void
chaos_tls_free(struct ssl_ctx_st *ctx)
{
    SSL_CTX_free(ctx);
}

#else

static inline struct ssl_ctx_st *
chaos_tls_new(const char **ca_file)
{
    *ca_file = NULL;
    return NULL;
}

static inline void
chaos_tls_free(struct ssl_ctx_st *ctx)
{
    (void)ctx;
}

#endif
#endif
