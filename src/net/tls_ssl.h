/* SPDX-License-Identifier: Apache-2.0 */
/* What the files tls*.c share. */
#ifndef VECWIRE_NET_TLS_SSL_H
#define VECWIRE_NET_TLS_SSL_H

#include <openssl/ssl.h>

#include "net/tls.h"

/* Enough for every connection of a client of usual size to come back. */
#define VECWIRE__TLS_SESSIONS 32

struct vecwire__tls {
    struct vecwire_mem mem;
    SSL_CTX *ctx;
    BIO_METHOD *method; /* of the sockets */
    char *host;         /* without a dot at its end */
    bool address;       /* it is one, no name */
    bool insecure;
    size_t n_sessions;
    SSL_SESSION *sessions[VECWIRE__TLS_SESSIONS]; /* newest last */
};

struct vecwire__tls_conn {
    struct vecwire__tls *tls;
    SSL *ssl;
    int fd;
    int socket_errno; /* of the last call that failed for good */
    bool dry;         /* the last read took all that there was */
    bool eof;
    pid_t owner; /* a child must not speak on its parent's connections */
    enum vecwire__tls_end end;
    char why[96]; /* of the end */
};

/* --- tls_socket.c --- */

/* NULL: no memory. */
BIO_METHOD *vecwire__tls_socket_method(void);

/* --- tls_session.c --- */

/* Keep the sessions of this client's connections, to take them up again. */
void vecwire__tls_sessions_keep(struct vecwire__tls *tls);
void vecwire__tls_sessions_free(struct vecwire__tls *tls);

/* Let `ssl`, which is about to connect, go on where another ended. */
void vecwire__tls_session_use(struct vecwire__tls *tls, SSL *ssl);

#endif
