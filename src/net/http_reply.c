/* SPDX-License-Identifier: Apache-2.0 */
#include "net/http_conn.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include <event2/buffer.h>
#include <event2/http_struct.h>
#include <event2/keyvalq_struct.h>

#include "codec/mem.h"
#include "net/wire.h"

/* libevent reads at most so much at a time. */
#define READ_BY_LIBEVENT 4096
/* Large enough for glibc to learn from the first one that such blocks come
 * and go: with half of it, each reply of 100 KB gave its heap back to the
 * system and took it again, at twice the cost of the reply itself. */
#define READ_BLOCK ((size_t)128 * 1024)

/* The first byte of a reply is told once; before its head, whatever of the
 * two came first. False: closed meanwhile. */
static bool
tell_receiving(struct vecwire__http *http)
{
    if (!http->told_receiving) {
        http->told_receiving = true;
        http->net->config.events.phase(&http->conn, VECWIRE_PHASE_RECEIVING);
    }
    return http->state == VECWIRE__HTTP_BUSY;
}

/* Bytes of a reply have been read. */
static void
count_input(struct vecwire__http *http, size_t n)
{
    http->conn.bytes_received += n;
    if (http->conn.first_byte_ns == 0)
        http->conn.first_byte_ns =
            vecwire__timers_now(http->net->config.timers);
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
        count_input(http, space.iov_len);
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

    if (info->n_added == 0)
        return;
    if (http->state == VECWIRE__HTTP_BUSY && !http->guard.ended)
        vecwire__http_guard_head(http, buf, info->n_added);
    if (http->taking)
        return;
    if (http->state == VECWIRE__HTTP_BUSY)
        count_input(http, info->n_added);
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
    count_input(http, (size_t)n);
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
    if (!take_input(http) || !tell_receiving(http))
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

void
vecwire__http_failed(enum evhttp_request_error error, void *arg)
{
    struct vecwire__http *http = arg;

    /* Ours are the better reasons: those of the header callback, say. */
    if (http->state != VECWIRE__HTTP_BUSY || http->code != VECWIRE_OK)
        return;
    switch (error) {
    case EVREQ_HTTP_INVALID_HEADER:
        vecwire__http_blame(http, VECWIRE_EPROTO, "reply's head is malformed");
        break;
    case EVREQ_HTTP_DATA_TOO_LONG:
        vecwire__http_blame(http, VECWIRE_EPROTO,
                            "reply's chunks or trailers are malformed");
        break;
    default:
        vecwire__http_blame(
            http, VECWIRE_EIO, "connection lost %s%s%s",
            http->conn.bytes_received > 0 ? "in the middle of the reply"
                                          : "before a reply",
            http->write_errno == 0 ? "" : ", writing: ",
            http->write_errno == 0
                ? ""
                : evutil_socket_error_to_string(http->write_errno));
        break;
    }
}

/* Nothing of the request, of the reply or of another one is left over. */
static bool
is_reusable(struct vecwire__http *http)
{
    if (http->framing.close || http->gone || !vecwire__http_all_written(http) ||
        evbuffer_get_length(bufferevent_get_input(http->bev)) != 0 ||
        vecwire__wire_ended(http))
        return false;
    /* A turn that ended at its limit may have left something behind. */
    return !http->sated || vecwire__wire_look(http) == VECWIRE__SIGHT_NOTHING;
}

/* The end of the stream is the end of the body, unless it was no end but an
 * error. */
static bool
is_cut(struct vecwire__http *http)
{
    int error = http->read_errno != 0 ? http->read_errno : http->write_errno;

    if (!http->framing.until_close || error == 0)
        return false;
    vecwire__http_blame(http, VECWIRE_EIO,
                        "connection lost in the middle of the reply: %s",
                        evutil_socket_error_to_string(error));
    return true;
}

void
vecwire__http_reply_ended(struct vecwire__http *http)
{
    bool reusable = is_reusable(http);

    if (is_cut(http)) {
        vecwire__http_tell_lost(http);
        return;
    }
    if (http->writer != NULL)
        event_free(http->writer);
    http->writer = NULL;
    http->answered = true;
    http->state = reusable ? VECWIRE__HTTP_IDLE : VECWIRE__HTTP_DEAD;
    http->ending = true;
    http->net->config.events.end(&http->conn, reusable);
    http->ending = false;
}

/* evhttp has no more to do with the request: answered, lost, or not even
 * connected. Whatever follows may free evhttp's side. */
void
vecwire__http_done(struct evhttp_request *evreq, void *arg)
{
    struct vecwire__http *http = arg;
    struct vecwire__net *net = http->net;

    vecwire__net_enter(net);
    http->evreq = NULL;
    switch (http->state) {
    case VECWIRE__HTTP_CLOSED:
        vecwire__http_drop(http);
        break;
    case VECWIRE__HTTP_CONNECTING:
    case VECWIRE__HTTP_SHAKING:
        if (http->connect_errno == 0)
            http->connect_errno = errno != 0 ? errno : ECONNREFUSED;
        /* In the next pass: a host that is refused at once and tries again
         * at once must not keep the pass from ending. */
        vecwire__http_soon(http, VECWIRE__HTTP_NEXT_ADDRESS, true);
        break;
    case VECWIRE__HTTP_BUSY:
        if (evreq == NULL && http->code == VECWIRE_OK)
            vecwire__http_blame(http, VECWIRE_EIO, "connection lost");
        if (http->paused)
            http->held_end = evreq == NULL ? VECWIRE__HTTP_HELD_LOSS
                                           : VECWIRE__HTTP_HELD_END;
        else if (evreq == NULL)
            vecwire__http_tell_lost(http);
        else
            vecwire__http_reply_ended(http);
        break;
    default:
        break;
    }
    vecwire__net_leave(net);
}

/* evhttp's list as an array. VECWIRE_OK or ENOMEM. */
static enum vecwire_err
collect(struct vecwire__net *net, const struct evkeyvalq *list, size_t *n)
{
    const struct evkeyval *pair;
    void *array = net->headers;

    *n = 0;
    TAILQ_FOREACH (pair, list, next) {
        if (!vecwire__mem_grow(net->config.mem, &array, &net->cap_headers,
                               *n + 1, sizeof(*net->headers)))
            return VECWIRE_ENOMEM;
        net->headers = array;
        net->headers[(*n)++] =
            (struct vecwire_header){.name = pair->key, .value = pair->value};
    }
    return VECWIRE_OK;
}

static void
blame_framing(struct vecwire__http *http, enum vecwire_err code,
              const char *why)
{
    if (code == VECWIRE_EREPLYSIZE)
        vecwire__http_blame(
            http, code,
            "reply refused: Content-Length %llu is over the limit of %llu "
            "bytes (max_reply_bytes)",
            (unsigned long long)http->framing.length,
            (unsigned long long)http->net->config.max_reply_bytes);
    else
        vecwire__http_blame(http, code, "reply refused: %s", why);
}

/* False: the reply is refused, or its connection closed. */
static bool
take_head(struct vecwire__http *http, struct evhttp_request *evreq)
{
    struct vecwire__net *net = http->net;
    struct vecwire__head head = {
        .status = (uint32_t)evhttp_request_get_response_code(evreq)};
    const char *why = NULL;
    enum vecwire_err code =
        collect(net, evhttp_request_get_input_headers(evreq), &head.n_headers);

    if (!tell_receiving(http))
        return false;
    http->guard.ended = true;
    if (http->head_fault != VECWIRE__HEAD_FINE) {
        vecwire__http_blame_head(http);
        return false;
    }
    if (code == VECWIRE_ENOMEM)
        why = "out of memory";
    http->framing = (struct vecwire__framing){
        .status = head.status,
        .version_1_1 = evreq->major == 1 && evreq->minor >= 1,
        .bodiless = http->req->method == VECWIRE__HEAD};
    if (code == VECWIRE_OK)
        code =
            vecwire__framing_read(&http->framing, net->headers, head.n_headers,
                                  net->config.max_reply_bytes, &why);
    /* The status of a head that cannot be trusted says nothing. */
    http->status = code == VECWIRE_EPROTO ? 0 : head.status;
    if (code != VECWIRE_OK) {
        blame_framing(http, code, why);
        return false;
    }
    head.headers = net->headers;
    net->config.events.head(&http->conn, &head);
    if (http->state != VECWIRE__HTTP_BUSY)
        return false;
    return !http->framing.chunked || http->framing.bodiless ||
           vecwire__http_begin_chunks(http);
}

/* Negative makes evhttp fail the request: vecwire__http_done() follows. */
int
vecwire__http_head(struct evhttp_request *evreq, void *arg)
{
    struct vecwire__http *http = arg;
    struct vecwire__net *net = http->net;
    bool go_on;

    if (evhttp_request_get_response_code(evreq) == 100) {
        /* evhttp would keep its headers for the reply that follows, and
         * would write the rest of the request before it reads on. */
        evhttp_clear_headers(evhttp_request_get_input_headers(evreq));
        vecwire__http_soon(http, VECWIRE__HTTP_READ_ON, false);
        return 0;
    }
    vecwire__net_enter(net);
    http->in_head = true;
    go_on = take_head(http, evreq);
    http->in_head = false;
    vecwire__net_leave(net);
    return go_on ? 0 : -1;
}

/* A turn of reading, and what an earlier one left; what is more than two turns
 * waits for the next pass. */
void
vecwire__http_tell_body(struct vecwire__http *http, struct evbuffer *buf)
{
    size_t turn = http->net->config.read_per_turn;
    struct evbuffer_iovec part;

    while (http->state == VECWIRE__HTTP_BUSY && !http->paused &&
           http->told / 2 < turn &&
           evbuffer_peek(buf, -1, NULL, &part, 1) > 0) {
        http->told += part.iov_len;
        http->net->config.events.body(&http->conn, part.iov_base, part.iov_len);
        evbuffer_drain(buf, part.iov_len);
    }
    if (http->state == VECWIRE__HTTP_BUSY && !http->paused &&
        evbuffer_get_length(buf) > 0)
        vecwire__http_tell_later(http);
}

/* Here evhttp may be freed: it looks only at the request afterwards. */
void
vecwire__http_body(struct evhttp_request *evreq, void *arg)
{
    struct vecwire__http *http = arg;
    struct vecwire__net *net = http->net;
    struct evbuffer *buf = evhttp_request_get_input_buffer(evreq);

    vecwire__net_enter(net);
    http->body_bytes += evbuffer_get_length(buf);
    if (http->body_bytes > net->config.max_reply_bytes) {
        vecwire__http_blame(
            http, VECWIRE_EREPLYSIZE,
            "reply refused: body without a length is over the limit of %llu "
            "bytes (max_reply_bytes)",
            (unsigned long long)net->config.max_reply_bytes);
        vecwire__http_abort(http);
    } else {
        vecwire__http_tell_body(http, buf);
        if (http->state == VECWIRE__HTTP_BUSY && http->paused)
            (void)evbuffer_add_buffer(http->held, buf);
    }
    vecwire__net_leave(net);
}
