/* SPDX-License-Identifier: Apache-2.0 */
/* The server's side of TLS. */
#ifndef VECWIRE_SERVER_SERVE_TLS_H
#define VECWIRE_SERVER_SERVE_TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct bufferevent;
struct event_base;
struct ssl_ctx_st;

#ifndef VECWIRE_NO_OPENSSL

/* PEM files; the certificate's chain behind it. NULL: `err` says why. */
struct ssl_ctx_st *vecwire__serve_tls_new(const char *cert, const char *key,
                                          char *err, size_t err_size);
void vecwire__serve_tls_free(struct ssl_ctx_st *ctx); /* NULL is fine */

/* For a connection that is about to be accepted. NULL: no memory. */
struct bufferevent *vecwire__serve_tls_accept(struct event_base *base,
                                              struct ssl_ctx_st *ctx);

/* Write a connection's output without waiting for the loop. False: it is no
 * connection over TLS. */
bool vecwire__serve_tls_write(struct bufferevent *bev);

/* Write so many bytes at once, or what of them the socket takes. False: it is
 * no connection over TLS. */
bool vecwire__serve_tls_say(struct bufferevent *bev, const char *text,
                            size_t len);

/* ca.pem, cert.pem and key.pem in `dir`, which is made if it is not there: a
 * certificate for localhost, 127.0.0.1 and ::1 of an authority whose own key
 * is forgotten at once. What is there and good for another day is kept. */
bool vecwire__self_signed(const char *dir, char *err, size_t err_size);

#else

static inline struct ssl_ctx_st *
vecwire__serve_tls_new(const char *cert, const char *key, char *err,
                       size_t err_size)
{
    (void)cert;
    (void)key;
    snprintf(err, err_size, "this build has no TLS");
    return NULL;
}

static inline void
vecwire__serve_tls_free(struct ssl_ctx_st *ctx)
{
    (void)ctx;
}

static inline struct bufferevent *
vecwire__serve_tls_accept(struct event_base *base, struct ssl_ctx_st *ctx)
{
    (void)base;
    (void)ctx;
    return NULL;
}

static inline bool
vecwire__serve_tls_write(struct bufferevent *bev)
{
    (void)bev;
    return false;
}

static inline bool
vecwire__serve_tls_say(struct bufferevent *bev, const char *text, size_t len)
{
    (void)bev;
    (void)text;
    (void)len;
    return false;
}

static inline bool
vecwire__self_signed(const char *dir, char *err, size_t err_size)
{
    (void)dir;
    snprintf(err, err_size, "this build has no TLS");
    return false;
}

#endif
#endif
