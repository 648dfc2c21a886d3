/* SPDX-License-Identifier: Apache-2.0 */
/* The listening socket, and how accepted ones are set up. */
#ifndef VECWIRE_SERVER_LISTEN_H
#define VECWIRE_SERVER_LISTEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event;
struct event_base;
struct evconnlistener;
struct evhttp;
struct ssl_ctx_st;
struct vecwire__serve_conns;

struct vecwire__listen {
    struct evconnlistener *listener;    /* evhttp's, once it is bound */
    struct event *rest;                 /* timer: accept again */
    struct vecwire__listen *next;       /* of those that are open */
    struct ssl_ctx_st *tls;             /* set before; NULL: plain */
    struct vecwire__serve_conns *conns; /* set before */
    char url[320];
};

/* Listen, and let `http` accept from there. False: `err` says why. */
bool vecwire__listen_open(struct vecwire__listen *listen,
                          struct event_base *base, struct evhttp *http,
                          const char *host, uint16_t port, char *err,
                          size_t err_size);

/* Before evhttp_free(). */
void vecwire__listen_close(struct vecwire__listen *listen);

#endif
