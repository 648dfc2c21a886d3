/* SPDX-License-Identifier: Apache-2.0 */
#include "net/http_conn.h"

#include <assert.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <event2/buffer.h>

#include "codec/mem.h"
#include "net/wire.h"

static void
on_soon(evutil_socket_t fd, short what, void *arg)
{
    struct vecwire__http *http = arg;
    struct vecwire__net *net = http->net;
    enum vecwire__http_task task = http->task;

    (void)fd;
    (void)what;
    http->task = VECWIRE__HTTP_NOTHING;
    vecwire__net_enter(net);
    switch (task) {
    case VECWIRE__HTTP_TELL_RESOLVING:
        net->config.events.phase(&http->conn, VECWIRE_PHASE_RESOLVING);
        break;
    case VECWIRE__HTTP_NEXT_ADDRESS:
        vecwire__http_next_address(http);
        break;
    case VECWIRE__HTTP_TELL_LOST:
        vecwire__http_tell_lost(http);
        break;
    case VECWIRE__HTTP_TELL_IDLE_LOST:
        http->state = VECWIRE__HTTP_DEAD;
        net->config.events.idle_lost(&http->conn);
        break;
    case VECWIRE__HTTP_READ_ON:
        if (http->evreq == NULL)
            break;
        if (vecwire__http_next_head(http))
            vecwire__http_read_on(http);
        else
            vecwire__http_abort(http);
        break;
    case VECWIRE__HTTP_TAKE_CHUNKS:
        vecwire__http_take_chunks(http);
        break;
    case VECWIRE__HTTP_RESUME:
        vecwire__http_go_on(http);
        break;
    case VECWIRE__HTTP_NOTHING:
        break;
    }
    vecwire__net_leave(net);
}

static struct vecwire__conn *
http_open(void *net_arg)
{
    struct vecwire__net *net = net_arg;
    struct vecwire__http *http =
        vecwire__mem_zalloc(net->config.mem, sizeof(struct vecwire__http));

    if (http == NULL)
        return NULL;
    http->net = net;
    http->guard.max_first_line = VECWIRE__STATUS_LINE_MAX;
    http->guard.max_bytes = net->config.max_header_bytes;
    http->guard.max_lines = net->config.max_header_lines;
    http->guard.of_reply = true;
    http->soon = event_new(net->config.base, -1, 0, on_soon, http);
    http->out = evbuffer_new();
    http->held = evbuffer_new();
    if (http->soon == NULL || http->out == NULL || http->held == NULL ||
        !vecwire__timers_reserve(net->config.timers, 1)) {
        if (http->soon != NULL)
            event_free(http->soon);
        if (http->out != NULL)
            evbuffer_free(http->out);
        if (http->held != NULL)
            evbuffer_free(http->held);
        vecwire__mem_free(net->config.mem, http, sizeof(*http));
        return NULL;
    }
    TAILQ_INSERT_TAIL(&net->open, http, link);
    return &http->conn;
}

static void
http_close(struct vecwire__conn *conn)
{
    struct vecwire__http *http = vecwire__http_of(conn);
    struct vecwire__net *net = http->net;

    assert(http->state != VECWIRE__HTTP_CLOSED);
    vecwire__net_enter(net);
    http->state = VECWIRE__HTTP_CLOSED;
    vecwire__timer_clear(net->config.timers, &http->timer);
    vecwire__timers_unreserve(net->config.timers, 1);
    if (http->lookup != NULL)
        vecwire__lookup_cancel(http->lookup);
    http->lookup = NULL;
    event_free(http->soon);
    http->soon = NULL;
    /* Otherwise evhttp's last callback for this request does it. */
    if (!http->in_head)
        vecwire__http_drop(http);
    TAILQ_REMOVE(&net->open, http, link);
    TAILQ_INSERT_TAIL(&net->closed, http, link);
    vecwire__net_leave(net);
}

static bool
http_quiet(struct vecwire__conn *conn)
{
    struct vecwire__http *http = vecwire__http_of(conn);

    if (http->state != VECWIRE__HTTP_IDLE || http->gone)
        return false;
    /* It was read to the last byte a moment ago. */
    if (http->ending)
        return true;
    /* Else the end, or bytes that nobody asked for. */
    return vecwire__wire_look(http) == VECWIRE__SIGHT_NOTHING;
}

static size_t
http_unread(struct vecwire__conn *conn)
{
    struct vecwire__http *http = vecwire__http_of(conn);
    size_t held = evbuffer_get_length(http->held) +
                  (http->held_end != VECWIRE__HTTP_HELD_NONE);

    if (http->dechunking)
        held += evbuffer_get_length(http->raw);
    if (held > 0)
        return held;
    if (http->state != VECWIRE__HTTP_BUSY || http->gone ||
        vecwire__wire_look(http) == VECWIRE__SIGHT_NOTHING)
        return 0;
    vecwire__http_turn_again(http);
    return vecwire__wire_waiting(http) + 1;
}

static void
request_reset(struct vecwire__http *http)
{
    struct vecwire__conn *conn = &http->conn;

    conn->used = http->answered;
    conn->wakeups = 0;
    conn->connected_ns = conn->sent_ns = conn->first_byte_ns = 0;
    conn->bytes_sent = conn->bytes_received = 0;
    http->framing = (struct vecwire__framing){0};
    evbuffer_drain(http->out, evbuffer_get_length(http->out));
    evbuffer_drain(http->held, evbuffer_get_length(http->held));
    http->write_errno = 0;
    http->told_sending = http->told_receiving = http->dechunking = false;
    http->read_errno = 0;
    if (http->raw != NULL)
        evbuffer_drain(http->raw, evbuffer_get_length(http->raw));
    vecwire__head_guard_begin(&http->guard);
    http->head_fault = VECWIRE__HEAD_FINE;
    http->interims = 0;
    http->body_bytes = 0;
    http->paused = false;
    http->held_end = VECWIRE__HTTP_HELD_NONE;
    http->status = 0;
    http->code = VECWIRE_OK;
    http->detail[0] = '\0';
}

/* A request on a connection that is up. */
static enum vecwire_err
send_warm(struct vecwire__http *http)
{
    if (http->gone) {
        /* evhttp would connect anew by itself. */
        vecwire__http_blame(http, VECWIRE_EIO,
                            "connection was closed by the server while idle");
        http->state = VECWIRE__HTTP_BUSY;
        vecwire__http_soon(http, VECWIRE__HTTP_TELL_LOST, true);
        return VECWIRE_OK;
    }
    if (!vecwire__http_make(http))
        return VECWIRE_ENOMEM;
    http->state = VECWIRE__HTTP_BUSY;
    vecwire__http_write(http);
    return VECWIRE_OK;
}

static enum vecwire_err
http_send(struct vecwire__conn *conn, const struct vecwire__request *req)
{
    struct vecwire__http *http = vecwire__http_of(conn);

    assert(http->state == VECWIRE__HTTP_NEW ||
           http->state == VECWIRE__HTTP_IDLE);
    http->req = req;
    request_reset(http);
    if (http->state == VECWIRE__HTTP_IDLE)
        return send_warm(http);
    return vecwire__http_connect(http);
}

const struct vecwire__transport vecwire__net_transport = {
    http_open,   http_send,           http_quiet,
    http_unread, vecwire__http_pause, vecwire__http_resume,
    http_close};

void
vecwire__http_touch(struct vecwire__http *http)
{
    struct vecwire__net *net = http->net;

    if (!net->pass_begun && net->pass_end != NULL) {
        net->pass_begun = true;
        event_active(net->pass_end, EV_TIMEOUT, 0);
    }
    if (http->pass_seen != net->pass) {
        http->pass_seen = net->pass;
        http->conn.wakeups++;
    }
}

void
vecwire__http_soon(struct vecwire__http *http, enum vecwire__http_task task,
                   bool next_pass)
{
    static const struct timeval at_once;

    http->task = task;
    if (next_pass)
        event_add(http->soon, &at_once);
    else
        event_active(http->soon, EV_TIMEOUT, 0);
}

void
vecwire__http_blame(struct vecwire__http *http, enum vecwire_err code,
                    const char *format, ...)
{
    va_list args;

    http->code = code;
    va_start(args, format);
    vsnprintf(http->detail, sizeof(http->detail), format, args);
    va_end(args);
}

void
vecwire__http_tell_lost(struct vecwire__http *http)
{
    struct vecwire__loss loss = {.code = http->code,
                                 .status = http->status,
                                 .sent_any = http->conn.bytes_sent > 0,
                                 .reply_seen = http->conn.bytes_received > 0,
                                 .detail = http->detail};

    http->state = VECWIRE__HTTP_DEAD;
    vecwire__timer_clear(http->net->config.timers, &http->timer);
    http->net->config.events.lost(&http->conn, &loss);
}

void
vecwire__http_abort(struct vecwire__http *http)
{
    struct evhttp_request *evreq = http->evreq;

    http->evreq = NULL;
    if (evreq != NULL)
        evhttp_cancel_request(evreq);
    if (http->paused)
        http->held_end = VECWIRE__HTTP_HELD_LOSS;
    else
        vecwire__http_tell_lost(http);
}

void
vecwire__http_unwatch(struct vecwire__http *http)
{
    if (http->watch != NULL)
        event_free(http->watch);
    if (http->writer != NULL)
        event_free(http->writer);
    http->watch = http->writer = NULL;
    /* It may say goodbye on the descriptor. */
    vecwire__tls_conn_free(http->tls);
    http->tls = NULL;
    http->gone = true;
}

/* The socket is the parent's, too, and evhttp will shut it down, which is for
 * all who have it: give it another one under the same number. */
static void
part(struct vecwire__http *http)
{
    int fd = (int)bufferevent_getfd(http->bev), other;

    if (fd < 0)
        return;
    bufferevent_setfd(http->bev, -1);
    other = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (other < 0 || dup3(other, fd, O_CLOEXEC) < 0)
        (void)close(fd);
    if (other >= 0)
        (void)close(other);
}

void
vecwire__http_drop(struct vecwire__http *http)
{
    struct evhttp_request *evreq = http->evreq;

    vecwire__http_unwatch(http);
    http->evreq = NULL;
    if (http->evcon == NULL)
        return;
    if (http->net->parted)
        part(http);
    evhttp_connection_set_closecb(http->evcon, NULL, NULL);
    if (evreq != NULL)
        evhttp_cancel_request(evreq);
    /* Off the descriptor before it is closed: libevent forgets the buffer
     * only when nothing of it is on the stack, and by then the number may
     * belong to another connection. */
    bufferevent_disable(http->bev, EV_READ | EV_WRITE);
    evhttp_connection_free(http->evcon);
    http->evcon = NULL;
    http->bev = NULL;
}
