/* SPDX-License-Identifier: Apache-2.0 */
/* The fault server's side of TLS on one socket. What goes over the socket
 * passes through memory, so that a test can stop it at any byte. */
#ifndef VECWIRE_TESTS_FAULT_TLS_H
#define VECWIRE_TESTS_FAULT_TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct ssl_ctx_st;
struct fault_tls;

enum fault_shake {
    FAULT_SHAKE_MORE, /* bytes of the client */
    FAULT_SHAKE_DONE,
    FAULT_SHAKE_FAILED
};

#ifndef VECWIRE_NO_OPENSSL

/* At most `limit` bytes are ever sent, whatever OpenSSL says. */
struct fault_tls *fault_tls_new(struct ssl_ctx_st *ctx, int fd, size_t limit);
void fault_tls_free(struct fault_tls *tls); /* NULL is fine */

enum fault_shake fault_tls_shake(struct fault_tls *tls);

/* As read() and send() without waiting. */
ssize_t fault_tls_read(struct fault_tls *tls, void *to, size_t n);
ssize_t fault_tls_send(struct fault_tls *tls, const void *bytes, size_t n);

/* False: some of what was sent waits for the socket. */
bool fault_tls_flush(struct fault_tls *tls);

/* All that may be sent has been. */
bool fault_tls_spent(const struct fault_tls *tls);

/* A KeyUpdate that asks for another, or before TLS 1.3 a HelloRequest. */
void fault_tls_new_keys(struct fault_tls *tls);

/* close_notify. */
void fault_tls_bye(struct fault_tls *tls);

/* Of a handshake that is done. */
bool fault_tls_resumed(const struct fault_tls *tls);
const char *fault_tls_sni(const struct fault_tls *tls); /* "": none */
bool fault_tls_said_bye(const struct fault_tls *tls);   /* the client */

#else

/* Never called: nobody has a context. */
#define fault_tls_new(ctx, fd, limit)                                          \
    ((void)(ctx), (void)(limit), (struct fault_tls *)NULL)
#define fault_tls_free(tls) ((void)(tls))
#define fault_tls_shake(tls) FAULT_SHAKE_FAILED
#define fault_tls_read(tls, to, n) ((ssize_t)-1)
#define fault_tls_send(tls, bytes, n) ((ssize_t)-1)
#define fault_tls_flush(tls) true
#define fault_tls_spent(tls) false
#define fault_tls_new_keys(tls) ((void)(tls))
#define fault_tls_bye(tls) ((void)(tls))
#define fault_tls_resumed(tls) false
#define fault_tls_sni(tls) ""
#define fault_tls_said_bye(tls) false

#endif
#endif
