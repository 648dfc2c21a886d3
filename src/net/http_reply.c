/* SPDX-License-Identifier: Apache-2.0 */
/* What evhttp says of a reply, checked and told to the owner. */
#include "net/http_conn.h"

#include <errno.h>

#include <event2/buffer.h>
#include <event2/http_struct.h>
#include <event2/keyvalq_struct.h>

#include "codec/mem.h"
#include "net/wire.h"

bool
vecwire__http_tell_receiving(struct vecwire__http *http)
{
    if (!http->told_receiving) {
        http->told_receiving = true;
        http->net->config.events.phase(&http->conn, VECWIRE_PHASE_RECEIVING);
    }
    return http->state == VECWIRE__HTTP_BUSY;
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
    if (http->framing.close || http->gone || http->watch == NULL ||
        !vecwire__http_all_written(http) ||
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
        /* Its time may be up in this very pass: it has been refused. */
        vecwire__timer_clear(net->config.timers, &http->timer);
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

    if (!vecwire__http_tell_receiving(http))
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

void
vecwire__http_tell_body(struct vecwire__http *http, struct evbuffer *buf)
{
    struct evbuffer_iovec part;

    while (http->state == VECWIRE__HTTP_BUSY && !http->paused &&
           evbuffer_peek(buf, -1, NULL, &part, 1) > 0) {
        http->net->config.events.body(&http->conn, part.iov_base, part.iov_len);
        evbuffer_drain(buf, part.iov_len);
    }
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
