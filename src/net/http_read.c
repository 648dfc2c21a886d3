/* SPDX-License-Identifier: Apache-2.0 */
/* Reading: who reads when, how much, and into which buffer. */
#include "net/http_conn.h"

#include <errno.h>
#include <sys/socket.h>

#include <event2/buffer.h>

#include "net/wire.h"

/* libevent reads at most so much at a time. */
#define READ_BY_LIBEVENT 4096
/* Large enough for glibc to learn from the first one that such blocks come
 * and go: with half of it, each reply of 100 KB gave its heap back to the
 * system and took it again, at twice the cost of the reply itself. */
#define READ_BLOCK ((size_t)128 * 1024)

/* Bytes of a reply have been read. */
static void
count_bytes(struct vecwire__http *http, size_t n)
{
    http->conn.bytes_received += n;
    if (http->conn.first_byte_ns == 0)
        http->conn.first_byte_ns =
            vecwire__timers_now(http->net->config.timers);
}

/* By us; evhttp is to see them after this. */
static void
count_input(struct vecwire__http *http, const char *bytes, size_t n)
{
    count_bytes(http, n);
    vecwire__http_guard_head(http, bytes, n);
}

/* Take what waits in the socket, so that a reply costs one pass and not one
 * for each 4 KB. `had` bytes of this turn are read already. The end of the
 * stream is left for libevent to see. */
static void
drain(struct vecwire__http *http, struct evbuffer *buf, size_t had)
{
    size_t max = http->net->config.read_per_turn;

    http->sated = true; /* until the socket has no more */
    while (had < max) {
        struct evbuffer_iovec space;
        size_t want = max - had < READ_BLOCK ? max - had : READ_BLOCK;
        ssize_t n;

        if (evbuffer_reserve_space(buf, (ev_ssize_t)want, &space, 1) < 1)
            return;
        if (space.iov_len > want)
            space.iov_len = want;
        want = space.iov_len;
        n = vecwire__wire_read(http, space.iov_base, want);
        space.iov_len = n > 0 ? (size_t)n : 0;
        evbuffer_commit_space(buf, &space, 1);
        count_input(http, space.iov_base, space.iov_len);
        if (n <= 0 || (size_t)n < want) {
            http->sated = false;
            return;
        }
        had += (size_t)n;
    }
}

/* No upcall from here: evhttp is in the middle of reading. */
void
vecwire__http_input(struct evbuffer *buf, const struct evbuffer_cb_info *info,
                    void *arg)
{
    struct vecwire__http *http = arg;

    if (info->n_added == 0 || http->taking)
        return;
    if (http->state == VECWIRE__HTTP_BUSY) {
        count_bytes(http, info->n_added);
        vecwire__http_guard_added(http, buf, info->n_added);
    }
    /* libevent itself has read, which it does while the connection is idle. */
    vecwire__http_touch(http);
    http->sated = info->n_added >= READ_BY_LIBEVENT;
    /* It is about to take this off a limit that must not shrink. */
    bufferevent_decrement_read_limit(http->bev, -(ev_ssize_t)info->n_added);
}

/* Not in this pass any more: libevent's read event, which may be active
 * already, would find nothing or, worse, the end of the stream before evhttp
 * has come to all that is in its buffer. */
static void
hold_libevent(struct vecwire__http *http)
{
    if (http->tls != NULL ||
        (bufferevent_get_enabled(http->bev) & EV_READ) == 0)
        return; /* it does not read at all */
    bufferevent_disable(http->bev, EV_READ);
    bufferevent_enable(http->bev, EV_READ);
    vecwire__http_go_first(http);
}

/* Read what is there into evhttp's buffer, or our own. libevent would ask for
 * the number of bytes first, one more system call a request. True: there was
 * something. */
static bool
take_input(struct vecwire__http *http)
{
    struct vecwire__net *net = http->net;
    struct evbuffer *buf =
        http->dechunking ? http->raw : bufferevent_get_input(http->bev);
    size_t max = net->config.read_per_turn;
    ssize_t n;

    if (max > sizeof(net->scratch))
        max = sizeof(net->scratch);
    n = vecwire__wire_read(http, net->scratch, max);
    http->sated = false;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        hold_libevent(http); /* it would read what comes just now */
    if (n <= 0)
        return false; /* the end or an error: libevent tells evhttp */
    count_input(http, net->scratch, (size_t)n);
    http->taking = true;
    evbuffer_unfreeze(buf, 0);
    if (evbuffer_add(buf, net->scratch, (size_t)n) != 0) {
        /* Out of memory: the reply cannot be read any more. */
        (void)shutdown(bufferevent_getfd(http->bev), SHUT_RDWR);
    } else if ((size_t)n == max) {
        drain(http, buf, (size_t)n);
    }
    if (!http->dechunking)
        evbuffer_freeze(buf, 0);
    http->taking = false;
    return true;
}

/* Before and between requests, for which libevent reads where it can. */
static void
read_tls(struct vecwire__http *http)
{
    struct vecwire__net *net = http->net;

    vecwire__net_enter(net);
    vecwire__http_touch(http);
    if (http->state == VECWIRE__HTTP_SHAKING)
        vecwire__http_shake(http);
    else if (http->state == VECWIRE__HTTP_IDLE)
        vecwire__http_look_idle(http);
    else
        vecwire__http_unwatch(http); /* dead, and its owner takes his time */
    vecwire__net_leave(net);
}

static bool
is_still(const struct vecwire__http *http, const struct evhttp_request *evreq)
{
    return http->state == VECWIRE__HTTP_BUSY && http->evreq == evreq;
}

/* One turn of reading. evhttp and we see the same bytes of a head; those of a
 * chunked body only we. */
static void
read_turn(struct vecwire__http *http)
{
    const struct evhttp_request *evreq = http->evreq;

    /* What is behind a head that evhttp read by itself, after 100 Continue:
     * the stream may have ended by now. */
    vecwire__http_take_chunks(http);
    if (!is_still(http, evreq) || http->paused)
        return;
    if (!take_input(http) || !vecwire__http_tell_receiving(http))
        return;
    if (http->head_fault != VECWIRE__HEAD_FINE) {
        vecwire__http_blame_head(http);
        vecwire__http_abort(http);
        return;
    }
    if (!http->dechunking)
        bufferevent_trigger(http->bev, EV_READ, 0);
    if (is_still(http, evreq))
        vecwire__http_take_chunks(http);
    if (is_still(http, evreq))
        hold_libevent(http);
}

/* Runs in every pass with something to read, before evhttp: libevent calls
 * the events of a descriptor newest first, and vecwire__http_go_first() makes
 * this the newest. What evhttp then finds in its buffer is often the whole
 * reply, and its own read event is not called at all. */
static void
on_readable(evutil_socket_t fd, short what, void *arg)
{
    struct vecwire__http *http = arg;
    struct vecwire__net *net = http->net;
    const struct evhttp_request *evreq = http->evreq;

    (void)fd;
    /* A turn that was asked for: libevent has taken the event off. */
    if ((what & EV_TIMEOUT) != 0)
        (void)event_add(http->watch, NULL);
    if (http->state != VECWIRE__HTTP_BUSY) {
        if (http->tls != NULL)
            read_tls(http);
        return;
    }
    vecwire__net_enter(net);
    vecwire__http_touch(http);
    http->in_turn = true;
    read_turn(http);
    http->in_turn = false;
    if (http->tls != NULL)
        vecwire__http_after_turn(http, evreq);
    vecwire__net_leave(net);
}

void
vecwire__http_watch(struct vecwire__http *http)
{
    http->watch =
        event_new(http->net->config.base, bufferevent_getfd(http->bev),
                  EV_READ | EV_PERSIST, on_readable, http);
    if (http->watch != NULL && event_add(http->watch, NULL) != 0) {
        event_free(http->watch);
        http->watch = NULL;
    }
}
