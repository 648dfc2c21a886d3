/* SPDX-License-Identifier: Apache-2.0 */
#include "net/http_conn.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include <event2/buffer.h>

#include "net/wire.h"

/* libevent asks for 32 descriptors at a time at first, then for twice as many
 * with each pass that was full. */
#define MAX_OVERDUE 8

/* evhttp's own clocks must never fire: a day, and none once it is up. */
static const struct timeval a_day = {86400, 0};

/* evhttp closes the descriptor right after this. */
static void
on_close(struct evhttp_connection *evcon, void *arg)
{
    struct vecwire__http *http = arg;

    (void)evcon;
    vecwire__http_unwatch(http);
    if (http->state == VECWIRE__HTTP_IDLE && http->evreq == NULL)
        vecwire__http_soon(http, VECWIRE__HTTP_TELL_IDLE_LOST, false);
}

/* It has come up: evhttp has just put its request into the output. */
static void
connection_up(struct vecwire__http *http)
{
    struct vecwire__net *net = http->net;

    bufferevent_set_timeouts(http->bev, NULL, NULL);
    vecwire__timer_clear(net->config.timers, &http->timer);
    http->state = VECWIRE__HTTP_BUSY;
    http->conn.up = true;
    http->conn.connected_ns = vecwire__timers_now(net->config.timers);
    vecwire__address_text(&http->addresses.at[http->next_address - 1], true,
                          http->conn.peer, sizeof(http->conn.peer));
    if (http->watch == NULL) {
        vecwire__http_blame(http, VECWIRE_ENOMEM, "out of memory");
        vecwire__http_abort(http);
        return;
    }
    vecwire__http_tell_sending(http);
    if (http->state != VECWIRE__HTTP_BUSY)
        return;
    /* What is there already is no answer to what nobody has asked yet. */
    if (vecwire__wire_look(http) == VECWIRE__SIGHT_BYTES) {
        vecwire__http_blame(http, VECWIRE_EPROTO,
                            "the server spoke before it was asked");
        vecwire__http_abort(http);
        return;
    }
    vecwire__http_write(http);
}

/* evhttp asks the socket once more for an error and, when there is one by now,
 * closes it: nothing of ours may be on a number that others get next. */
void
vecwire__http_up(struct vecwire__http *http)
{
    if (http->watch != NULL)
        event_del(http->watch);
    http->evhttp_event_cb(http->bev, BEV_EVENT_CONNECTED,
                          http->evhttp_event_arg);
    if (http->evreq == NULL) {
        if (http->tls != NULL)
            vecwire__tls_conn_detach(http->tls);
        vecwire__http_unwatch(http);
        return;
    }
    if (http->watch == NULL) {
        vecwire__http_watch(http);
    } else if (event_add(http->watch, NULL) != 0) {
        event_free(http->watch);
        http->watch = NULL;
    }
    connection_up(http);
}

static void
tcp_up(struct vecwire__http *http)
{
    int on = 1;

    /* Refused by sockets that are no TCP, as in tests: no harm. */
    (void)setsockopt(bufferevent_getfd(http->bev), IPPROTO_TCP, TCP_NODELAY,
                     &on, sizeof(on));
    if (http->net->tls == NULL) {
        vecwire__http_up(http);
    } else {
        vecwire__http_watch(http);
        vecwire__http_shake_first(http);
    }
}

/* In front of evhttp's own callback while it connects. */
static void
on_connect_event(struct bufferevent *bev, short what, void *arg)
{
    struct vecwire__http *http = arg;
    struct vecwire__net *net = http->net;
    int error = errno;

    vecwire__net_enter(net);
    vecwire__http_touch(http);
    if ((what & BEV_EVENT_CONNECTED) != 0) {
        tcp_up(http);
    } else {
        http->connect_errno = error;
        errno = error;
        http->evhttp_event_cb(bev, what, http->evhttp_event_arg);
    }
    vecwire__net_leave(net);
}

/* evhttp's side for the address at hand. False: no memory. */
static bool
new_evcon(struct vecwire__http *http)
{
    struct vecwire__net *net = http->net;
    char text[INET6_ADDRSTRLEN];

    vecwire__address_text(&http->addresses.at[http->next_address], false, text,
                          sizeof(text));
    http->bev = bufferevent_socket_new(net->config.base, -1, 0);
    if (http->bev == NULL)
        return false;
    if (evbuffer_add_cb(bufferevent_get_input(http->bev), vecwire__http_input,
                        http) == NULL) {
        bufferevent_free(http->bev);
        http->bev = NULL;
        return false;
    }
    http->evcon = evhttp_connection_base_bufferevent_new(
        net->config.base, NULL, http->bev, text, net->config.url.port);
    if (http->evcon == NULL) {
        bufferevent_free(http->bev);
        http->bev = NULL;
        return false;
    }
    evhttp_connection_set_timeout_tv(http->evcon, &a_day);
    evhttp_connection_set_retries(http->evcon, 0);
    evhttp_connection_set_max_headers_size(
        http->evcon, (ev_ssize_t)net->config.max_header_bytes);
    evhttp_connection_set_closecb(http->evcon, on_close, http);
    http->gone = false;
    return true;
}

/* No writing by evhttp, over TLS no reading either, and our callback in front
 * of its own. */
static bool
take_over(struct vecwire__http *http)
{
    bufferevent_data_cb readcb, writecb;

    if (bufferevent_set_rate_limit(http->bev, http->net->no_write) != 0)
        return false;
    bufferevent_decrement_write_limit(http->bev, EV_SSIZE_MAX);
    /* So far below zero that no number of days fills it again. */
    if (http->net->tls != NULL)
        bufferevent_decrement_read_limit(http->bev, EV_SSIZE_MAX);
    /* libevent makes its sockets without it. */
    evutil_make_socket_closeonexec(bufferevent_getfd(http->bev));
    bufferevent_getcb(http->bev, &readcb, &writecb, &http->evhttp_event_cb,
                      &http->evhttp_event_arg);
    bufferevent_setcb(http->bev, readcb, writecb, on_connect_event, http);
    return true;
}

/* An even share of what is left of the round. */
static void
arm_timer(struct vecwire__http *http)
{
    struct vecwire__timers *timers = http->net->config.timers;
    size_t left = http->addresses.n - http->next_address;
    uint64_t now;

    http->overdue = 0;
    if (http->round_ends_ns == 0)
        return;
    now = vecwire__timers_now(timers);
    vecwire__timer_set(timers, &http->timer,
                       http->round_ends_ns <= now
                           ? now
                           : now + (http->round_ends_ns - now) / left);
}

/* Connect to the address at hand. False: no memory. Every other failure is
 * reported by evhttp, now or later, and followed up from the loop. */
static bool
connect_address(struct vecwire__http *http)
{
    http->state = VECWIRE__HTTP_CONNECTING;
    http->connect_errno = 0;
    http->code = VECWIRE_OK;
    if (!new_evcon(http))
        return false;
    arm_timer(http);
    http->next_address++;
    /* What fails to connect inside this call arrives in vecwire__http_done(),
     * which clears http->evreq. */
    if (!vecwire__http_make(http))
        return false;
    return http->evreq == NULL || take_over(http);
}

/* The last address has failed: it said no, or nothing. */
static void
blame_last(struct vecwire__http *http, bool shaking)
{
    const char *late =
        shaking ? "TLS did not come up in time" : "no answer in time";
    const struct vecwire__url *url = &http->net->config.url;
    bool timed_out =
        http->connect_errno == 0 || http->connect_errno == ETIMEDOUT;
    char peer[56];

    vecwire__address_text(&http->addresses.at[http->next_address - 1], true,
                          peer, sizeof(peer));
    vecwire__http_blame(
        http, timed_out ? VECWIRE_ETIMEDOUT : VECWIRE_EREFUSED,
        "could not connect to %.80s port %u (%s): %s", url->host,
        (unsigned)url->port, peer,
        timed_out ? late : evutil_socket_error_to_string(http->connect_errno));
}

void
vecwire__http_next_address(struct vecwire__http *http)
{
    bool shaking = http->state == VECWIRE__HTTP_SHAKING;

    vecwire__http_drop(http);
    if (http->next_address < http->addresses.n) {
        if (shaking)
            http->net->config.events.phase(&http->conn,
                                           VECWIRE_PHASE_CONNECTING);
        if (http->state == VECWIRE__HTTP_CLOSED || connect_address(http))
            return;
        vecwire__http_drop(http);
        vecwire__http_blame(http, VECWIRE_ENOMEM, "out of memory");
    } else if (http->code == VECWIRE_OK) {
        blame_last(http, shaking);
    }
    vecwire__http_tell_lost(http);
}

/* A loop that slept comes to its timers before it has come to all that its
 * sockets told: what the connection waits for may be there. A peer that drips
 * gets no more than a few passes. */
static bool
has_news(struct vecwire__http *http)
{
    struct pollfd fd = {.events = POLLIN};

    if (http->overdue == MAX_OVERDUE)
        return false;
    http->overdue++;
    /* evdns's sockets are its own. */
    if (http->state == VECWIRE__HTTP_RESOLVING)
        return http->overdue == 1;
    if (http->state == VECWIRE__HTTP_CONNECTING)
        fd.events = POLLOUT;
    else if (http->state != VECWIRE__HTTP_SHAKING)
        return false;
    fd.fd = bufferevent_getfd(http->bev);
    return poll(&fd, 1, 0) > 0;
}

static void
on_timer(struct vecwire__timer *timer)
{
    struct vecwire__http *http =
        (struct vecwire__http *)(void *)((char *)timer -
                                         offsetof(struct vecwire__http, timer));
    struct vecwire__net *net = http->net;

    vecwire__net_enter(net);
    if (has_news(http)) {
        struct vecwire__timers *timers = net->config.timers;

        /* In the next pass. */
        vecwire__timer_set(timers, timer, vecwire__timers_now(timers));
    } else if (http->state == VECWIRE__HTTP_RESOLVING) {
        vecwire__lookup_cancel(http->lookup);
        http->lookup = NULL;
        vecwire__http_blame(http, VECWIRE_ETIMEDOUT,
                            "%.80s: no name server answered in time",
                            net->config.url.host);
        vecwire__http_tell_lost(http);
    } else if (http->state == VECWIRE__HTTP_CONNECTING ||
               http->state == VECWIRE__HTTP_SHAKING) {
        http->connect_errno = 0;
        vecwire__http_next_address(http);
    }
    vecwire__net_leave(net);
}

static void
on_looked_up(const struct vecwire__addresses *addresses, const char *why,
             void *arg)
{
    struct vecwire__http *http = arg;
    struct vecwire__net *net = http->net;

    vecwire__net_enter(net);
    http->lookup = NULL;
    if (why != NULL) {
        vecwire__http_blame(http, VECWIRE_ERESOLVE, "%.80s: %s",
                            net->config.url.host, why);
        vecwire__http_tell_lost(http);
    } else {
        http->addresses = *addresses;
        http->state = VECWIRE__HTTP_CONNECTING;
        http->task = VECWIRE__HTTP_NOTHING;
        net->config.events.phase(&http->conn, VECWIRE_PHASE_CONNECTING);
        if (http->state == VECWIRE__HTTP_CONNECTING)
            vecwire__http_next_address(http);
    }
    vecwire__net_leave(net);
}

enum vecwire_err
vecwire__http_connect(struct vecwire__http *http)
{
    struct vecwire__net *net = http->net;
    const struct vecwire__url *url = &net->config.url;

    http->timer.fire = on_timer;
    http->round_ends_ns = 0;
    http->next_address = 0;
    http->overdue = 0;
    if (net->config.connect_ms != VECWIRE_NEVER)
        http->round_ends_ns = vecwire__timers_now(net->config.timers) +
                              (uint64_t)net->config.connect_ms * 1000000;
    if (vecwire__resolve_here(url->host, url->port, &http->addresses)) {
        if (connect_address(http))
            return VECWIRE_OK;
        vecwire__timer_clear(net->config.timers, &http->timer);
        vecwire__http_drop(http);
        http->state = VECWIRE__HTTP_NEW;
        return VECWIRE_ENOMEM;
    }
    http->lookup = vecwire__lookup_new(net->resolver, url->host, url->port,
                                       on_looked_up, http);
    if (http->lookup == NULL)
        return VECWIRE_ENOMEM;
    http->state = VECWIRE__HTTP_RESOLVING;
    vecwire__timer_set(net->config.timers, &http->timer, http->round_ends_ns);
    vecwire__http_soon(http, VECWIRE__HTTP_TELL_RESOLVING, false);
    return VECWIRE_OK;
}
