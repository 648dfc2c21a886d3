/* SPDX-License-Identifier: Apache-2.0 */
#include "net/tls.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "codec/mem.h"
#include "net/tls_errors.h"
#include "net/tls_ssl.h"

/* In the form of ALPN: a length, then the name. */
static const unsigned char protocols[] = "\x08http/1.1";

/* Else OpenSSL would ask for one on the terminal. */
static int
no_password(char *to, int size, int writing, void *arg)
{
    bool *encrypted = arg;

    (void)to;
    (void)size;
    (void)writing;
    *encrypted = true;
    return -1;
}

static enum vecwire_err
bad_file(char *why, size_t size, const char *option, const char *path)
{
    char reason[96];

    vecwire__tls_errors_text(reason, sizeof(reason));
    snprintf(why, size, "%s: %.100s: %s", option, path, reason);
    return VECWIRE_EINVAL;
}

static enum vecwire_err
take_trust(SSL_CTX *ctx, const struct vecwire__tls_config *config, char *why,
           size_t size)
{
    if (config->insecure) {
        SSL_CTX_set_verify(ctx, SSL_VERIFY_NONE, NULL);
        return VECWIRE_OK;
    }
    SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER, NULL);
    if (config->ca_file == NULL)
        return SSL_CTX_set_default_verify_paths(ctx) == 1 ? VECWIRE_OK
                                                          : VECWIRE_ENOMEM;
    if (SSL_CTX_load_verify_file(ctx, config->ca_file) == 1)
        return VECWIRE_OK;
    return bad_file(why, size, "ca_file", config->ca_file);
}

/* A key of another kind than the certificate's is taken without a word, as one
 * of a second certificate: so look at the pair. */
static bool
take_key(SSL_CTX *ctx, const char *key_file)
{
    return SSL_CTX_use_PrivateKey_file(ctx, key_file, SSL_FILETYPE_PEM) == 1 &&
           SSL_CTX_check_private_key(ctx) == 1;
}

static enum vecwire_err
take_certificate(SSL_CTX *ctx, const struct vecwire__tls_config *config,
                 char *why, size_t size)
{
    bool encrypted = false, taken;

    if (config->cert_file == NULL)
        return VECWIRE_OK;
    SSL_CTX_set_default_passwd_cb(ctx, no_password);
    SSL_CTX_set_default_passwd_cb_userdata(ctx, &encrypted);
    if (SSL_CTX_use_certificate_chain_file(ctx, config->cert_file) != 1)
        return bad_file(why, size, "cert_file", config->cert_file);
    taken = take_key(ctx, config->key_file);
    SSL_CTX_set_default_passwd_cb_userdata(ctx, NULL);
    if (taken)
        return VECWIRE_OK;
    if (!encrypted)
        return bad_file(why, size, "key_file", config->key_file);
    snprintf(why, size, "key_file: %.100s: the key is encrypted",
             config->key_file);
    return VECWIRE_EINVAL;
}

static enum vecwire_err
take_host(struct vecwire__tls *tls, const char *host)
{
    struct in6_addr address;
    size_t n = strlen(host);

    /* "localhost.": the dot is the resolver's alone. */
    if (n > 1 && host[n - 1] == '.')
        n--;
    tls->host = vecwire__mem_zalloc(&tls->mem, n + 1);
    if (tls->host == NULL)
        return VECWIRE_ENOMEM;
    memcpy(tls->host, host, n);
    tls->address = inet_pton(AF_INET, tls->host, &address) == 1 ||
                   inet_pton(AF_INET6, tls->host, &address) == 1;
    return VECWIRE_OK;
}

static bool
set_up(struct vecwire__tls *tls)
{
    SSL_CTX *ctx = SSL_CTX_new(TLS_client_method());

    tls->ctx = ctx;
    tls->method = vecwire__tls_socket_method();
    if (ctx == NULL || tls->method == NULL ||
        SSL_CTX_set_min_proto_version(ctx, TLS1_2_VERSION) != 1 ||
        SSL_CTX_set_alpn_protos(ctx, protocols, sizeof(protocols) - 1) != 0)
        return false;
    SSL_CTX_set_app_data(ctx, tls);
    SSL_CTX_set_options(ctx, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    SSL_CTX_set_mode(ctx, SSL_MODE_ENABLE_PARTIAL_WRITE |
                              SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_read_ahead(ctx, 1);
    SSL_CTX_set_default_read_buffer_len(ctx, VECWIRE__TLS_READ_AHEAD);
    vecwire__tls_sessions_keep(tls);
    return true;
}

static enum vecwire_err
make(struct vecwire__tls *tls, const struct vecwire__tls_config *config,
     char *why, size_t size)
{
    enum vecwire_err err = take_host(tls, config->host);

    if (err == VECWIRE_OK && !set_up(tls))
        err = VECWIRE_ENOMEM;
    if (err == VECWIRE_OK)
        err = take_trust(tls->ctx, config, why, size);
    if (err == VECWIRE_OK)
        err = take_certificate(tls->ctx, config, why, size);
    return err;
}

enum vecwire_err
vecwire__tls_new(struct vecwire__tls **out,
                 const struct vecwire__tls_config *config, char *why,
                 size_t size)
{
    struct vecwire__tls *tls = vecwire__mem_zalloc(config->mem, sizeof(*tls));
    struct vecwire__tls_errors errors;
    enum vecwire_err err;

    *out = NULL;
    if (tls == NULL)
        return VECWIRE_ENOMEM;
    tls->mem = *config->mem;
    tls->insecure = config->insecure;
    vecwire__tls_errors_begin(&errors);
    err = make(tls, config, why, size);
    vecwire__tls_errors_end(&errors);
    if (err == VECWIRE_OK)
        *out = tls;
    else
        vecwire__tls_free(tls);
    return err;
}

void
vecwire__tls_free(struct vecwire__tls *tls)
{
    struct vecwire_mem mem;

    if (tls == NULL)
        return;
    mem = tls->mem;
    vecwire__tls_sessions_free(tls);
    SSL_CTX_free(tls->ctx);
    BIO_meth_free(tls->method);
    if (tls->host != NULL)
        vecwire__mem_free(&mem, tls->host, strlen(tls->host) + 1);
    vecwire__mem_free(&mem, tls, sizeof(*tls));
}
