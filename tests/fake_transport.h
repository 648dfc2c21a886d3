/* SPDX-License-Identifier: Apache-2.0 */
/* A transport without sockets: it records what is asked of it, and the test
 * says what happens. Breaking the rules of net/transport.h fails the test. */
#ifndef VECWIRE_TESTS_FAKE_TRANSPORT_H
#define VECWIRE_TESTS_FAKE_TRANSPORT_H

#include <sys/queue.h>

#include "net/transport.h"
#include "tests/fake_clock.h"

struct fake_transport;

struct fake_conn {
    struct vecwire__conn conn;
    TAILQ_ENTRY(fake_conn) next;
    struct fake_transport *net;
    unsigned number;   /* the how manieth that was opened, from 1 */
    bool loud;         /* quiet() says false */
    size_t unread;     /* what unread() says */
    bool busy;         /* a request is under way */
    bool paused;       /* and must not be told until resume() */
    unsigned sends;    /* requests so far */
    unsigned answered; /* of these, with a whole reply */
    /* The request under way, as it was handed in; NULL when none. */
    const struct vecwire__request *req;
};

TAILQ_HEAD(fake_conn_list, fake_conn);

struct fake_transport {
    struct fake_clock *clock;
    const struct vecwire__conn_events *events; /* NULL: no upcalls */
    struct fake_conn_list open;                /* in the order of opening */
    unsigned n_open, opened, closed, sends, looks, pauses, resumes;
    /* So many of the next open() and send() calls find no memory. */
    unsigned fail_opens, fail_sends;
    /* The last request: a copy that outlives it. */
    enum vecwire__method last_method;
    char last_path[512];
    char last_body[4096];
    size_t last_body_len; /* may be more than was kept */
    struct vecwire__conn *last_conn;
};

extern const struct vecwire__transport fake_transport;

void fake_transport_init(struct fake_transport *net, struct fake_clock *clock,
                         const struct vecwire__conn_events *events);

/* Fails the test when a connection was left open. */
void fake_transport_fini(struct fake_transport *net);

/* The open connection opened the how manieth (from 1), or NULL. */
struct vecwire__conn *fake_conn(struct fake_transport *net, unsigned number);

struct fake_conn *fake_conn_of(struct vecwire__conn *conn);

/* What the other side does. Each delivers its upcalls before it returns; the
 * connection may be closed by then. A connection that is not up comes up
 * first where that is needed. */
void fake_phase(struct vecwire__conn *conn, enum vecwire_phase phase);
void fake_up(struct vecwire__conn *conn);
void fake_head(struct vecwire__conn *conn, uint32_t status,
               const struct vecwire_header *headers, size_t n_headers);
void fake_body(struct vecwire__conn *conn, const char *text);
void fake_end(struct vecwire__conn *conn, bool reusable);
void fake_lost(struct vecwire__conn *conn, const struct vecwire__loss *loss);
void fake_idle_lost(struct vecwire__conn *conn);

/* A whole reply without headers, the connection being reusable after it. */
void fake_reply(struct vecwire__conn *conn, uint32_t status, const char *body);

#endif
