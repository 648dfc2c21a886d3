/* SPDX-License-Identifier: Apache-2.0 */
#include "net/http_conn.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include <event2/buffer.h>

#include "net/wire.h"

/* At most so much of one request in one pass, however fast the peer. */
#define WRITE_PER_TURN ((size_t)1 << 20)

static const enum evhttp_cmd_type methods[] = {
    [VECWIRE__GET] = EVHTTP_REQ_GET,
    [VECWIRE__HEAD] = EVHTTP_REQ_HEAD,
    [VECWIRE__POST] = EVHTTP_REQ_POST,
    [VECWIRE__PUT] = EVHTTP_REQ_PUT,
    [VECWIRE__PATCH] = EVHTTP_REQ_PATCH,
    [VECWIRE__DELETE] = EVHTTP_REQ_DELETE,
    [VECWIRE__OPTIONS] = EVHTTP_REQ_OPTIONS,
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

/* Content-Length: always with a body, and 0 where one is usual; elsewhere a
 * server would wait for a body, or take this one for the next request. */
static bool
add_length(struct evkeyvalq *headers, const struct vecwire__request *req)
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
    return evhttp_add_header(headers, "Content-Length", digit) == 0;
}

static bool
add_headers(struct evkeyvalq *headers, const struct vecwire__http *http)
{
    const struct vecwire__request *req = http->req;
    bool added = evhttp_add_header(headers, "Host",
                                   http->net->config.url.host_header) == 0;

    for (size_t i = 0; i < req->n_headers && added; i++)
        added = evhttp_add_header(headers, req->headers[i].name,
                                  req->headers[i].value) == 0;
    if (req->content_type != NULL && added)
        added =
            evhttp_add_header(headers, "Content-Type", req->content_type) == 0;
    return added && add_length(headers, req);
}

/* The request as evhttp's; the body stays the caller's memory. */
static struct evhttp_request *
new_evreq(struct vecwire__http *http)
{
    const struct vecwire__request *req = http->req;
    struct evhttp_request *evreq = evhttp_request_new(vecwire__http_done, http);

    if (evreq == NULL)
        return NULL;
    evhttp_request_set_error_cb(evreq, vecwire__http_failed);
    evhttp_request_set_header_cb(evreq, vecwire__http_head);
    evhttp_request_set_chunked_cb(evreq, vecwire__http_body);
    if (!add_headers(evhttp_request_get_output_headers(evreq), http) ||
        (req->body_len > 0 &&
         evbuffer_add_reference(evhttp_request_get_output_buffer(evreq),
                                req->body, req->body_len, NULL, NULL) != 0)) {
        evhttp_request_free(evreq);
        return NULL;
    }
    return evreq;
}

bool
vecwire__http_make(struct vecwire__http *http)
{
    const struct vecwire__request *req = http->req;
    bool sound = path_is_sound(req->path);

    assert(sound);
    if (!sound)
        return false;
    assert((req->body == NULL) <= (req->body_len == 0));
    http->evreq = new_evreq(http);
    if (http->evreq == NULL)
        return false;
    /* On failure evhttp has freed the request. */
    if (evhttp_make_request(http->evcon, http->evreq, methods[req->method],
                            req->path) == 0)
        return true;
    http->evreq = NULL;
    return false;
}

bool
vecwire__http_all_written(const struct vecwire__http *http)
{
    return evbuffer_get_length(http->out) == 0;
}

/* Write until all is gone, the socket is full or the turn is over. */
static void
write_some(struct vecwire__http *http, struct evbuffer *from)
{
    size_t turn = 0;

    while (evbuffer_get_length(from) > 0 && turn < WRITE_PER_TURN) {
        ssize_t n = vecwire__wire_write(http, from, WRITE_PER_TURN);

        if (n >= 0) {
            http->conn.bytes_sent += (uint64_t)n;
            turn += (size_t)n;
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            return;
        } else if (errno != EINTR) {
            /* What the peer said before may still be readable, and the end
             * of it is: reading finds out. Make sure that it ends. */
            http->write_errno = errno;
            (void)shutdown(bufferevent_getfd(http->bev), SHUT_RDWR);
            return;
        }
    }
}

static void
tell(struct vecwire__http *http, enum vecwire_phase phase)
{
    http->net->config.events.phase(&http->conn, phase);
}

static void on_writable(evutil_socket_t fd, short what, void *arg);

bool
vecwire__http_want_writable(struct vecwire__http *http, bool want)
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
vecwire__http_tell_sending(struct vecwire__http *http)
{
    http->told_sending = true;
    tell(http, VECWIRE_PHASE_SENDING);
}

/* Something of the request was written, or could not be. */
static void
after_writing(struct vecwire__http *http)
{
    bool all = vecwire__http_all_written(http);

    if (all)
        http->conn.sent_ns = vecwire__timers_now(http->net->config.timers);
    if (!vecwire__http_want_writable(http, !all && http->write_errno == 0)) {
        /* Out of memory. Without its end the request is worth nothing, and
         * reading ends now. */
        http->write_errno = ENOMEM;
        (void)shutdown(bufferevent_getfd(http->bev), SHUT_RDWR);
    }
    /* An early answer has begun: there is no way back to waiting for it. */
    if (all && http->told_sending && !http->told_receiving)
        tell(http, VECWIRE_PHASE_WAITING);
}

static void
write_on(struct vecwire__http *http)
{
    if (!http->told_sending && !http->told_receiving)
        vecwire__http_tell_sending(http);
    if (http->state == VECWIRE__HTTP_BUSY) {
        write_some(http, http->out);
        after_writing(http);
    }
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
    if (http->state == VECWIRE__HTTP_SHAKING)
        vecwire__http_shake(http);
    else
        write_on(http);
    vecwire__net_leave(net);
}

void
vecwire__http_write(struct vecwire__http *http)
{
    struct evbuffer *made = bufferevent_get_output(http->bev);

    /* The start of a buffer that belongs to a bufferevent is frozen but while
     * that writes. */
    evbuffer_unfreeze(made, 1);
    write_some(http, made);
    (void)evbuffer_add_buffer(http->out, made);
    evbuffer_freeze(made, 1);
    vecwire__http_read_on(http);
    after_writing(http);
}

void
vecwire__http_read_on(struct vecwire__http *http)
{
    bufferevent_trigger(http->bev, EV_WRITE, 0);
    vecwire__http_go_first(http);
}

void
vecwire__http_go_first(struct vecwire__http *http)
{
    /* As one of the two read events is always there, the kernel is not
     * told. */
    if (http->watch == NULL || http->tls != NULL)
        return;
    event_del(http->watch);
    (void)event_add(http->watch, NULL);
}
