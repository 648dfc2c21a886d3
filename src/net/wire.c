/* SPDX-License-Identifier: Apache-2.0 */
#include "net/wire.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <sys/uio.h>

#include <event2/buffer.h>

/* So many parts at once; the head is one or two, the body one. */
#define MAX_PARTS 16

/* What goes into one record of TLS. */
#define RECORD ((size_t)16384)

/* The next piece, at most `max` bytes of it. Number of parts. */
static size_t
next_piece(struct evbuffer *from, size_t max, struct evbuffer_iovec *parts)
{
    int want = evbuffer_peek(from, (ev_ssize_t)max, NULL, parts, MAX_PARTS);
    size_t n = want < MAX_PARTS ? (size_t)want : MAX_PARTS;

    /* The last one is given whole, however long. */
    if (n > 0 && parts[n - 1].iov_len > max)
        parts[n - 1].iov_len = max;
    return n;
}

/* Head and body as one record. What is not taken now comes again with the
 * same bytes: a request only ever loses bytes at its front. */
static ssize_t
write_record(struct vecwire__http *http, struct evbuffer *from)
{
    struct evbuffer_iovec part;
    ev_ssize_t n;

    if (evbuffer_peek(from, -1, NULL, &part, 1) > 0 && part.iov_len >= RECORD)
        return vecwire__tls_write(http->tls, part.iov_base, RECORD);
    _Static_assert(sizeof(http->net->scratch) >= RECORD, "a record fits");
    n = evbuffer_copyout(from, http->net->scratch, RECORD);
    return vecwire__tls_write(http->tls, http->net->scratch, (size_t)n);
}

ssize_t
vecwire__wire_write(struct vecwire__http *http, struct evbuffer *from,
                    size_t max)
{
    struct evbuffer_iovec parts[MAX_PARTS];
    struct msghdr message = {.msg_iov = parts};
    ssize_t n;

    if (http->tls != NULL) {
        n = write_record(http, from);
    } else {
        message.msg_iovlen = next_piece(from, max, parts);
        n = sendmsg(bufferevent_getfd(http->bev), &message, MSG_NOSIGNAL);
    }
    if (n > 0)
        evbuffer_drain(from, (size_t)n);
    return n;
}

size_t
vecwire__wire_waiting(struct vecwire__http *http)
{
    /* How much OpenSSL has taken out of the socket it does not tell. */
    size_t taken = http->tls != NULL && vecwire__tls_holds(http->tls)
                       ? VECWIRE__TLS_READ_AHEAD
                       : 0;
    int n = 0;

    if (ioctl(bufferevent_getfd(http->bev), FIONREAD, &n) != 0 || n < 0)
        n = 0;
    return taken + (size_t)n;
}

enum vecwire__sight
vecwire__wire_look(struct vecwire__http *http)
{
    char byte;
    ssize_t n;

    if (http->tls != NULL)
        return vecwire__tls_look(http->tls);
    n = recv(bufferevent_getfd(http->bev), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    if (n > 0)
        return VECWIRE__SIGHT_BYTES;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        return VECWIRE__SIGHT_NOTHING;
    vecwire__wire_note(http, n);
    return VECWIRE__SIGHT_END;
}
