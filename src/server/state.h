/* SPDX-License-Identifier: Apache-2.0 */
/* What one server holds; seen by its routes. */
#ifndef VECWIRE_SERVER_STATE_H
#define VECWIRE_SERVER_STATE_H

#include "codec/buf.h"
#include "server/dot.h"
#include "server/hms_body.h"
#include "server/listen.h"
#include "server/qdrant.h"
#include "server/search.h"
#include "server/serve_conn.h"
#include "server/store.h"

#define VECWIRE__SERVER_BODY_MAX ((size_t)16 << 20)
#define VECWIRE__SERVER_HEADERS_MAX ((size_t)64 << 10)
#define VECWIRE__SERVER_LENGTH_MAX ((size_t)16 << 20)
/* A connection on which nothing moves for so long is closed. */
#define VECWIRE__SERVER_TIMEOUT_S 60

struct evhttp;

struct vecwire__server {
    struct evhttp *http;
    struct event_base *base;
    char *api_key; /* NULL: none */
    vecwire__dot dot;
    struct vecwire__listen listen;
    struct vecwire__serve_conns conns;
    struct vecwire__store store;
    struct vecwire__qdrant qdrant;
    struct vecwire__hms_body body; /* of the request being answered */
    struct vecwire__hit hits[VECWIRE__HMS_TOP_K_MAX];
    struct vecwire__buf reply;  /* of the request being answered */
    struct vecwire__blob *blob; /* bytes for /length/N, or NULL */
};

#endif
