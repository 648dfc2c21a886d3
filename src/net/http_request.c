/* SPDX-License-Identifier: Apache-2.0 */
#include "net/http_conn.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <event2/buffer.h>

/* At most so much of one request in one pass, however fast the peer. */
#define WRITE_PER_TURN ((size_t)1 << 20)

static const char *const method_names[] = {
    [VECWIRE__GET] = "GET",         [VECWIRE__HEAD] = "HEAD",
    [VECWIRE__POST] = "POST",       [VECWIRE__PUT] = "PUT",
    [VECWIRE__PATCH] = "PATCH",     [VECWIRE__DELETE] = "DELETE",
    [VECWIRE__OPTIONS] = "OPTIONS",
};

/* What would end the request line early puts headers of its own on the wire;
 * those who make paths check them, here is the last look. */
static bool
path_is_sound(const char *path)
{
    if (*path != '/')
        return false;
    for (; *path != '\0'; path++) {
        if (*path < 0x21 || *path > 0x7e)
            return false;
    }
    return true;
}

static bool
add_header(struct vecwire__buf *head, const char *name, const char *value)
{
    return vecwire__buf_str(head, name) && vecwire__buf_add(head, ": ", 2) &&
           vecwire__buf_str(head, value) && vecwire__buf_add(head, "\r\n", 2);
}

/* Content-Length: always with a body, and 0 where one is usual; elsewhere a
 * server would wait for a body, or take this one for the next request. */
static bool
add_length(struct vecwire__buf *head, const struct vecwire__request *req)
{
    char text[24], *digit = text + sizeof(text) - 1;
    size_t n = req->body == NULL ? 0 : req->body_len;

    if (req->body == NULL && req->method != VECWIRE__POST &&
        req->method != VECWIRE__PUT && req->method != VECWIRE__PATCH)
        return true;
    *digit = '\0';
    do {
        *--digit = (char)('0' + n % 10);
        n /= 10;
    } while (n != 0);
    return add_header(head, "Content-Length", digit);
}

bool
vecwire__http_format(struct vecwire__http *http)
{
    const struct vecwire__request *req = http->req;
    const struct vecwire__url *url = &http->net->config.url;
    struct vecwire__buf *head = &http->head;
    bool sound = path_is_sound(req->path);

    assert(sound);
    if (!sound)
        return false;
    assert((req->body == NULL) <= (req->body_len == 0));
    head->len = 0;
    if (!vecwire__buf_str(head, method_names[req->method]) ||
        !vecwire__buf_byte(head, ' ') || !vecwire__buf_str(head, url->prefix) ||
        !vecwire__buf_str(head, req->path) ||
        !vecwire__buf_add(head, " HTTP/1.1\r\n", 11) ||
        !add_header(head, "Host", url->host_header))
        return false;
    for (size_t i = 0; i < req->n_headers; i++) {
        if (!add_header(head, req->headers[i].name, req->headers[i].value))
            return false;
    }
    return (req->content_type == NULL ||
            add_header(head, "Content-Type", req->content_type)) &&
           add_length(head, req) && vecwire__buf_add(head, "\r\n", 2);
}

struct evhttp_request *
vecwire__http_decoy(struct vecwire__http *http)
{
    struct evhttp_request *evreq = evhttp_request_new(vecwire__http_done, http);

    if (evreq == NULL)
        return NULL;
    evhttp_request_set_error_cb(evreq, vecwire__http_failed);
    evhttp_request_set_header_cb(evreq, vecwire__http_head);
    evhttp_request_set_chunked_cb(evreq, vecwire__http_body);
    return evreq;
}

void
vecwire__http_begin_reading(struct vecwire__http *http)
{
    struct evbuffer *out = bufferevent_get_output(http->bev);

    evbuffer_unfreeze(out, 1);
    evbuffer_drain(out, evbuffer_get_length(out));
    evbuffer_freeze(out, 1);
    /* As if all had been written: evhttp reads from now on. */
    bufferevent_trigger(http->bev, EV_WRITE, 0);
}

static size_t
request_size(const struct vecwire__http *http)
{
    return http->head.len + http->req->body_len;
}

bool
vecwire__http_all_written(const struct vecwire__http *http)
{
    return http->written == request_size(http);
}

/* The next piece, at most `max` bytes of the body. Number of parts. */
static size_t
next_piece(const struct vecwire__http *http, size_t max, struct iovec parts[2])
{
    const struct vecwire__request *req = http->req;
    size_t n = 0, body_at = 0;

    if (http->written < http->head.len) {
        parts[n].iov_base = http->head.bytes + http->written;
        parts[n++].iov_len = http->head.len - http->written;
    } else {
        body_at = http->written - http->head.len;
    }
    if (body_at < req->body_len) {
        /* An iovec has no const; sendmsg() only reads. */
        parts[n].iov_base = (void *)((uintptr_t)req->body + body_at);
        parts[n].iov_len = req->body_len - body_at;
        if (parts[n].iov_len > max)
            parts[n].iov_len = max;
        n++;
    }
    return n;
}

/* Write until all is gone, the socket is full or the turn is over. */
static void
write_some(struct vecwire__http *http)
{
    evutil_socket_t fd = bufferevent_getfd(http->bev);
    size_t turn = 0;

    while (!vecwire__http_all_written(http) && turn < WRITE_PER_TURN) {
        struct iovec parts[2];
        struct msghdr message = {.msg_iov = parts};
        ssize_t n;

        message.msg_iovlen = next_piece(http, WRITE_PER_TURN, parts);
        n = sendmsg(fd, &message, MSG_NOSIGNAL);
        if (n >= 0) {
            http->written += (size_t)n;
            http->conn.bytes_sent += (uint64_t)n;
            turn += (size_t)n;
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            return;
        } else if (errno != EINTR) {
            /* What the peer said before may still be readable, and the end
             * of it is: reading finds out. Make sure that it ends. */
            http->write_errno = errno;
            (void)shutdown(fd, SHUT_RDWR);
            return;
        }
    }
    if (vecwire__http_all_written(http))
        http->conn.sent_ns = vecwire__timers_now(http->net->config.timers);
}

static void
tell(struct vecwire__http *http, enum vecwire_phase phase)
{
    http->net->config.events.phase(&http->conn, phase);
}

static void
on_writable(evutil_socket_t fd, short what, void *arg)
{
    struct vecwire__http *http = arg;
    struct vecwire__net *net = http->net;

    (void)fd;
    (void)what;
    vecwire__net_enter(net);
    vecwire__http_touch(http);
    vecwire__http_write(http, true);
    vecwire__net_leave(net);
}

/* Be told when the socket takes more, or not any more. */
static bool
want_writable(struct vecwire__http *http, bool want)
{
    if (!want) {
        if (http->writer != NULL)
            event_free(http->writer);
        http->writer = NULL;
        return true;
    }
    if (http->writer != NULL)
        return true;
    http->writer =
        event_new(http->net->config.base, bufferevent_getfd(http->bev),
                  EV_WRITE | EV_PERSIST, on_writable, http);
    return http->writer != NULL && event_add(http->writer, NULL) == 0;
}

void
vecwire__http_write(struct vecwire__http *http, bool loop)
{
    bool all;

    if (loop && !http->told_sending && !http->told_receiving) {
        http->told_sending = true;
        tell(http, VECWIRE_PHASE_SENDING);
        if (http->state != VECWIRE__HTTP_BUSY)
            return;
    }
    write_some(http);
    all = vecwire__http_all_written(http);
    if (!want_writable(http, !all && http->write_errno == 0)) {
        /* Out of memory. Without its end the request is worth nothing, and
         * reading ends now. */
        http->write_errno = ENOMEM;
        (void)shutdown(bufferevent_getfd(http->bev), SHUT_RDWR);
    }
    /* An early answer has begun: there is no way back to waiting for it. */
    if (all && http->told_sending && !http->told_receiving)
        tell(http, VECWIRE_PHASE_WAITING);
}
