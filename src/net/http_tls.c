/* SPDX-License-Identifier: Apache-2.0 */
/* TLS on a connection. What OpenSSL has taken out of the socket nobody will
 * be told of: whoever stops before it says that there is no more asks for
 * another turn. */
#include "net/http_conn.h"

#include <event2/buffer.h>

#include "net/wire.h"

/* The reason, and where. */
static void
blame(struct vecwire__http *http, enum vecwire_err code, const char *why)
{
    char peer[56];

    vecwire__address_text(&http->addresses.at[http->next_address - 1], true,
                          peer, sizeof(peer));
    vecwire__http_blame(http, code, "TLS with %.60s (%s): %s",
                        http->net->config.url.host, peer, why);
}

/* In the next pass: as for an address that refuses at once, a host that asks
 * again at once must not keep this one from ending. */
static void
give_up(struct vecwire__http *http, enum vecwire__http_task task)
{
    vecwire__timer_clear(http->net->config.timers, &http->timer);
    vecwire__http_unwatch(http);
    vecwire__http_soon(http, task, true);
}

void
vecwire__http_shake(struct vecwire__http *http)
{
    char why[112];
    enum vecwire__tls_step step =
        vecwire__tls_shake(http->tls, why, sizeof(why));

    switch (step) {
    case VECWIRE__TLS_UP:
        (void)vecwire__http_want_writable(http, false);
        vecwire__http_up(http);
        if (http->tls != NULL && vecwire__tls_holds(http->tls))
            vecwire__http_turn_again(http);
        return;
    case VECWIRE__TLS_LOST:
        blame(http, VECWIRE_EIO, why);
        give_up(http, VECWIRE__HTTP_NEXT_ADDRESS);
        return;
    case VECWIRE__TLS_FAILED:
        blame(http, VECWIRE_ETLS, why);
        give_up(http, VECWIRE__HTTP_TELL_LOST);
        return;
    case VECWIRE__TLS_WANT_READ:
    case VECWIRE__TLS_WANT_WRITE:
        break;
    }
    if (!vecwire__http_want_writable(http, step == VECWIRE__TLS_WANT_WRITE)) {
        vecwire__http_blame(http, VECWIRE_ENOMEM, "out of memory");
        give_up(http, VECWIRE__HTTP_TELL_LOST);
    }
}

void
vecwire__http_shake_first(struct vecwire__http *http)
{
    struct vecwire__net *net = http->net;

    http->state = VECWIRE__HTTP_SHAKING;
    http->tls =
        vecwire__tls_conn_new(net->tls, (int)bufferevent_getfd(http->bev));
    if (http->tls == NULL || http->watch == NULL) {
        vecwire__http_blame(http, VECWIRE_ENOMEM, "out of memory");
        give_up(http, VECWIRE__HTTP_TELL_LOST);
        return;
    }
    net->config.events.phase(&http->conn, VECWIRE_PHASE_TLS);
    if (http->state == VECWIRE__HTTP_SHAKING)
        vecwire__http_shake(http);
}

void
vecwire__http_look_idle(struct vecwire__http *http)
{
    if (vecwire__wire_look(http) == VECWIRE__SIGHT_NOTHING)
        return;
    vecwire__http_unwatch(http);
    vecwire__http_soon(http, VECWIRE__HTTP_TELL_IDLE_LOST, false);
}

/* evhttp takes a body without a length for whole when the stream ends: that
 * must have been the server's word and not a cut. */
static void
tell_end(struct vecwire__http *http)
{
    const char *why;
    enum vecwire__tls_end end = vecwire__tls_end(http->tls, &why);
    short what = BEV_EVENT_READING | BEV_EVENT_ERROR;

    if (end == VECWIRE__TLS_CLOSED)
        what = BEV_EVENT_READING | BEV_EVENT_EOF;
    else if (end == VECWIRE__TLS_REFUSED && http->conn.bytes_received == 0)
        vecwire__http_blame(http, VECWIRE_ETLS,
                            "the server refused our certificate: %s", why);
    else if (http->write_errno == 0)
        vecwire__http_blame(http, VECWIRE_EIO, "connection lost %s: TLS: %s",
                            http->conn.bytes_received > 0
                                ? "in the middle of the reply"
                                : "before a reply",
                            why);
    bufferevent_trigger_event(http->bev, what, 0);
}

void
vecwire__http_after_turn(struct vecwire__http *http,
                         const struct evhttp_request *evreq)
{
    if (http->state != VECWIRE__HTTP_BUSY || http->paused || evreq == NULL ||
        http->evreq != evreq)
        return;
    /* After 100 Continue evhttp has not looked at the rest yet. */
    if (http->sated || http->task != VECWIRE__HTTP_NOTHING)
        vecwire__http_turn_again(http);
    else if (vecwire__wire_ended(http))
        tell_end(http);
}

void
vecwire__http_turn_again(struct vecwire__http *http)
{
    static const struct timeval at_once;

    /* One that is to come, or about to run, would be put off by another. */
    if (http->tls != NULL && http->watch != NULL &&
        !event_pending(http->watch, EV_TIMEOUT, NULL))
        (void)event_add(http->watch, &at_once);
}
