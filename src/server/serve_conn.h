/* SPDX-License-Identifier: Apache-2.0 */
/* What one client of the server may cost: the size of a head, the time of each
 * part of a request, the number of connections. evhttp reads and answers; this
 * looks on, and ends what goes too far. */
#ifndef VECWIRE_SERVER_SERVE_CONN_H
#define VECWIRE_SERVER_SERVE_CONN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

struct bufferevent;
struct event;
struct event_base;
struct evconnlistener;
struct evhttp_request;
struct vecwire__serve_conn;
TAILQ_HEAD(vecwire__serve_conn_list, vecwire__serve_conn);

/* Milliseconds, and a number. */
struct vecwire__serve_limits {
    uint32_t idle_ms;    /* between two requests, and before the first */
    uint32_t head_ms;    /* from a request's first byte to its head's end */
    uint32_t request_ms; /* from there to its last byte */
    uint32_t answer_ms;  /* until the answer is taken */
    uint32_t max_connections;
};

struct vecwire__serve_conns {
    struct event_base *base;
    struct vecwire__serve_limits limits;
    struct evconnlistener *listener;      /* NULL: not open */
    struct vecwire__serve_conn_list list; /* longest idle first */
    struct vecwire__serve_conn *ahead;    /* the next one; NULL: no memory */
    struct vecwire__serve_conn **by_fd;
    size_t cap_by_fd;
    size_t n;
    bool full;           /* the listener rests */
    struct event *sweep; /* looks at the clock while there are any */
    uint32_t sweep_ms;
};

/* Zero in the limits means the default. False: no memory. */
bool vecwire__serve_conns_init(struct vecwire__serve_conns *conns,
                               struct event_base *base,
                               const struct vecwire__serve_limits *limits);

/* Before evhttp_free(): accepts no more. And after it. */
void vecwire__serve_conns_close(struct vecwire__serve_conns *conns);
void vecwire__serve_conns_fini(struct vecwire__serve_conns *conns);

/* Make the next connection before it is accepted, from then on with `bev`,
 * which speaks TLS or not. False: no memory. */
bool vecwire__serve_conn_prepare(struct vecwire__serve_conns *conns,
                                 struct bufferevent *bev, bool tls);

/* The one that was prepared is being accepted. Its bufferevent. */
struct bufferevent *
vecwire__serve_conn_begin(struct vecwire__serve_conns *conns);

/* The request is whole and will now be answered. */
void vecwire__serve_conn_asked(struct vecwire__serve_conns *conns,
                               struct evhttp_request *req);

#endif
