/* SPDX-License-Identifier: Apache-2.0 */
#include "server/serve_tls.h"

#include <errno.h>
#include <string.h>

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/bufferevent_ssl.h>
#include <event2/event.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#define RECORD ((size_t)16384)
#define WRITE_MAX ((size_t)1 << 20)

static bool
refuse(char *err, size_t err_size, const char *path)
{
    unsigned long code = ERR_peek_error();
    const char *reason = ERR_SYSTEM_ERROR(code) ? strerror(ERR_GET_REASON(code))
                                                : ERR_reason_error_string(code);

    snprintf(err, err_size, "%s: %s", path,
             reason == NULL ? "cannot be used" : reason);
    ERR_clear_error();
    return false;
}

/* A key that is encrypted is refused, without asking on the terminal. */
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

/* The pair is looked at once more: a key of another kind than the
 * certificate's is taken for one of a second certificate. */
static bool
take_files(SSL_CTX *ctx, const char *cert, const char *key, char *err,
           size_t err_size)
{
    bool encrypted = false;

    SSL_CTX_set_default_passwd_cb(ctx, no_password);
    SSL_CTX_set_default_passwd_cb_userdata(ctx, &encrypted);
    if (SSL_CTX_use_certificate_chain_file(ctx, cert) != 1)
        return refuse(err, err_size, cert);
    if (SSL_CTX_use_PrivateKey_file(ctx, key, SSL_FILETYPE_PEM) == 1 &&
        SSL_CTX_check_private_key(ctx) == 1)
        return true;
    (void)refuse(err, err_size, key);
    if (encrypted)
        snprintf(err, err_size, "%s: the key is encrypted", key);
    return false;
}

/* HTTP/1.1, if the client has it among its own. */
static int
choose_protocol(SSL *ssl, const unsigned char **out, unsigned char *n,
                const unsigned char *in, unsigned in_len, void *arg)
{
    static const unsigned char ours[] = "\x08http/1.1";
    unsigned char *chosen;

    (void)ssl;
    (void)arg;
    if (SSL_select_next_proto(&chosen, n, ours, sizeof(ours) - 1, in, in_len) !=
        OPENSSL_NPN_NEGOTIATED)
        return SSL_TLSEXT_ERR_ALERT_FATAL;
    *out = chosen;
    return SSL_TLSEXT_ERR_OK;
}

static bool
set_up(SSL_CTX *ctx, const char *cert, const char *key, char *err,
       size_t err_size)
{
    bool taken;

    SSL_CTX_set_min_proto_version(ctx, TLS1_2_VERSION);
    SSL_CTX_set_options(ctx, SSL_OP_NO_RENEGOTIATION);
    /* What we begin to write libevent goes on with. */
    SSL_CTX_set_mode(ctx, SSL_MODE_ENABLE_PARTIAL_WRITE |
                              SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_alpn_select_cb(ctx, choose_protocol, NULL);
    taken = take_files(ctx, cert, key, err, err_size);
    SSL_CTX_set_default_passwd_cb_userdata(ctx, NULL);
    return taken;
}

struct ssl_ctx_st *
vecwire__serve_tls_new(const char *cert, const char *key, char *err,
                       size_t err_size)
{
    SSL_CTX *ctx = SSL_CTX_new(TLS_server_method());

    snprintf(err, err_size, "no memory for TLS");
    ERR_clear_error();
    if (ctx != NULL && set_up(ctx, cert, key, err, err_size))
        return ctx;
    SSL_CTX_free(ctx);
    return NULL;
}

void
vecwire__serve_tls_free(struct ssl_ctx_st *ctx)
{
    SSL_CTX_free(ctx);
}

struct bufferevent *
vecwire__serve_tls_accept(struct event_base *base, struct ssl_ctx_st *ctx)
{
    SSL *ssl = SSL_new(ctx);
    struct bufferevent *bev;

    if (ssl == NULL)
        return NULL;
    bev = bufferevent_openssl_socket_new(
        base, -1, ssl, BUFFEREVENT_SSL_ACCEPTING, BEV_OPT_CLOSE_ON_FREE);
    /* On failure libevent has not taken it. */
    if (bev == NULL)
        SSL_free(ssl);
    return bev;
}

bool
vecwire__serve_tls_write(struct bufferevent *bev)
{
    SSL *ssl = bufferevent_openssl_get_ssl(bev);
    struct evbuffer *output = bufferevent_get_output(bev);
    size_t len = evbuffer_get_length(output);
    struct evbuffer_iovec piece;

    if (ssl == NULL)
        return false;
    /* Head and body in one record. */
    (void)evbuffer_pullup(output, (ev_ssize_t)(len < RECORD ? len : RECORD));
    while (evbuffer_peek(output, -1, NULL, &piece, 1) > 0) {
        int n = SSL_write(
            ssl, piece.iov_base,
            (int)(piece.iov_len < WRITE_MAX ? piece.iov_len : WRITE_MAX));

        ERR_clear_error();
        /* Whatever is left, and every error, is the loop's. */
        if (n <= 0)
            return true;
        evbuffer_drain(output, (size_t)n);
    }
    bufferevent_trigger(bev, EV_WRITE, 0);
    return true;
}

bool
vecwire__serve_tls_say(struct bufferevent *bev, const char *text, size_t len)
{
    SSL *ssl = bufferevent_openssl_get_ssl(bev);

    if (ssl == NULL)
        return false;
    (void)SSL_write(ssl, text, (int)len);
    ERR_clear_error();
    return true;
}
