/* SPDX-License-Identifier: Apache-2.0 */
/* What a connection's bytes go through: its socket, or TLS on it. Everything
 * else that reads, writes or looks is the same for both. */
#ifndef VECWIRE_NET_WIRE_H
#define VECWIRE_NET_WIRE_H

#include <errno.h>
#include <sys/socket.h>

#include "net/http_conn.h"

/* The system tells an error once; whoever reads next sees an end like any
 * other. */
static inline void
vecwire__wire_note(struct vecwire__http *http, ssize_t n)
{
    if (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
        http->read_errno = errno;
}

/* As recv() without waiting; over TLS it stops early only where nothing more
 * can be read. */
static inline ssize_t
vecwire__wire_read(struct vecwire__http *http, void *to, size_t n)
{
    ssize_t got;

    if (http->tls != NULL)
        return vecwire__tls_read(http->tls, to, n);
    got = recv(bufferevent_getfd(http->bev), to, n, MSG_DONTWAIT);
    vecwire__wire_note(http, got);
    return got;
}

/* Write a piece of `from`, at most `max` bytes, and take it off. As send(). */
ssize_t vecwire__wire_write(struct vecwire__http *http, struct evbuffer *from,
                            size_t max);

/* What is there to read? Over TLS, bytes that this has seen may be in no
 * socket any more: they wait until somebody reads. */
enum vecwire__sight vecwire__wire_look(struct vecwire__http *http);

/* About so many bytes wait to be read; no fewer than that. */
size_t vecwire__wire_waiting(struct vecwire__http *http);

/* Its end has been read: no request may follow. */
static inline bool
vecwire__wire_ended(const struct vecwire__http *http)
{
    const char *why;

    return http->tls != NULL &&
           vecwire__tls_end(http->tls, &why) != VECWIRE__TLS_OPEN;
}

#endif
