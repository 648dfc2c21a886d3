/* SPDX-License-Identifier: Apache-2.0 */
/* TLS: one client's trust, certificate and sessions, and one connection's
 * end of it over a socket. Knows neither the loop nor HTTP. The host's queue
 * of OpenSSL errors stays as it was. */
#ifndef VECWIRE_NET_TLS_H
#define VECWIRE_NET_TLS_H

#include <sys/types.h>

#include <vecwire/client.h>

struct vecwire__tls;
struct vecwire__tls_conn;

/* All of it is copied. */
struct vecwire__tls_config {
    const struct vecwire_mem *mem;
    const char *host;      /* a name or an address, without brackets */
    const char *ca_file;   /* NULL: the system's */
    const char *cert_file; /* NULL: none, then key_file is too */
    const char *key_file;
    bool insecure; /* verify nothing */
};

enum vecwire__tls_step {
    VECWIRE__TLS_UP, /* and verified */
    VECWIRE__TLS_WANT_READ,
    VECWIRE__TLS_WANT_WRITE,
    VECWIRE__TLS_LOST,  /* the connection ended; another may do better */
    VECWIRE__TLS_FAILED /* the two do not come together */
};

/* How what the other side sends has ended. */
enum vecwire__tls_end {
    VECWIRE__TLS_OPEN,
    VECWIRE__TLS_CLOSED,  /* by close_notify */
    VECWIRE__TLS_CUT,     /* without it: something may be missing */
    VECWIRE__TLS_REFUSED, /* an alert about our certificate */
    VECWIRE__TLS_BROKEN
};

/* What is there to read. */
enum vecwire__sight {
    VECWIRE__SIGHT_NOTHING,
    VECWIRE__SIGHT_BYTES,
    VECWIRE__SIGHT_END
};

/* Bytes of the socket that are read at once: 100 KB in 4 calls and not 13. */
#define VECWIRE__TLS_READ_AHEAD 65536

#ifndef VECWIRE_NO_OPENSSL

/* VECWIRE_EINVAL: `why` says which file and why. VECWIRE_ENOMEM. */
enum vecwire_err vecwire__tls_new(struct vecwire__tls **out,
                                  const struct vecwire__tls_config *config,
                                  char *why, size_t size);

/* NULL is fine; not before its connections. */
void vecwire__tls_free(struct vecwire__tls *tls);

/* On a connected socket, which stays the caller's. NULL: no memory. */
struct vecwire__tls_conn *vecwire__tls_conn_new(struct vecwire__tls *tls,
                                                int fd);

/* Says close_notify if it can be said at once. NULL is fine. */
void vecwire__tls_conn_free(struct vecwire__tls_conn *conn);

/* Its socket is closed already: never say anything on that number. */
void vecwire__tls_conn_detach(struct vecwire__tls_conn *conn);

/* Go on with the handshake; `why` is for LOST and FAILED. */
enum vecwire__tls_step vecwire__tls_shake(struct vecwire__tls_conn *conn,
                                          char *why, size_t size);

/* Read until `n` bytes are there, nothing more comes, or the end. -1 with
 * EAGAIN: nothing now; 0: the end. */
ssize_t vecwire__tls_read(struct vecwire__tls_conn *conn, void *to, size_t n);

/* As send(). After EAGAIN the same bytes have to come again. */
ssize_t vecwire__tls_write(struct vecwire__tls_conn *conn, const void *bytes,
                           size_t n);

/* Without taking it; tickets and the like are none. */
enum vecwire__sight vecwire__tls_look(struct vecwire__tls_conn *conn);

/* OpenSSL holds bytes that the socket will not tell of. */
bool vecwire__tls_holds(const struct vecwire__tls_conn *conn);

/* As far as it was read; *why is a line, valid as long as `conn`. */
enum vecwire__tls_end vecwire__tls_end(const struct vecwire__tls_conn *conn,
                                       const char **why);

#else

/* There is no TLS, so that nothing below is ever reached. */

static inline void
vecwire__tls_free(struct vecwire__tls *tls)
{
    (void)tls;
}

static inline struct vecwire__tls_conn *
vecwire__tls_conn_new(struct vecwire__tls *tls, int fd)
{
    (void)tls;
    (void)fd;
    return NULL;
}

static inline void
vecwire__tls_conn_free(struct vecwire__tls_conn *conn)
{
    (void)conn;
}

static inline void
vecwire__tls_conn_detach(struct vecwire__tls_conn *conn)
{
    (void)conn;
}

static inline enum vecwire__tls_step
vecwire__tls_shake(struct vecwire__tls_conn *conn, char *why, size_t size)
{
    (void)conn;
    (void)why;
    (void)size;
    return VECWIRE__TLS_FAILED;
}

static inline ssize_t
vecwire__tls_read(struct vecwire__tls_conn *conn, void *to, size_t n)
{
    (void)conn;
    (void)to;
    (void)n;
    return 0;
}

static inline ssize_t
vecwire__tls_write(struct vecwire__tls_conn *conn, const void *bytes, size_t n)
{
    (void)conn;
    (void)bytes;
    (void)n;
    return -1;
}

static inline enum vecwire__sight
vecwire__tls_look(struct vecwire__tls_conn *conn)
{
    (void)conn;
    return VECWIRE__SIGHT_END;
}

static inline bool
vecwire__tls_holds(const struct vecwire__tls_conn *conn)
{
    (void)conn;
    return false;
}

static inline enum vecwire__tls_end
vecwire__tls_end(const struct vecwire__tls_conn *conn, const char **why)
{
    (void)conn;
    *why = "";
    return VECWIRE__TLS_BROKEN;
}

#endif
#endif
