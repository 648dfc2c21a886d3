/* SPDX-License-Identifier: Apache-2.0 */
/* The seam between calls and connections. src/net/ stands behind it with
 * evhttp; tests stand behind it with a script. Knows no libevent.
 *
 * One request at a time on a connection. No upcall runs inside a function of
 * the transport: what fails at once is reported from the loop. An upcall may
 * call any of them, close() of its own connection included; after a
 * close() no upcall for that connection runs any more. */
#ifndef VECWIRE_NET_TRANSPORT_H
#define VECWIRE_NET_TRANSPORT_H

#include <sys/queue.h>

#include <vecwire/client.h>

enum vecwire__method {
    VECWIRE__GET,
    VECWIRE__HEAD,
    VECWIRE__POST,
    VECWIRE__PUT,
    VECWIRE__PATCH,
    VECWIRE__DELETE,
    VECWIRE__OPTIONS
};

/* A request, ready to be written. All of it stays valid and unchanged until
 * the connection's end, lost or close. */
struct vecwire__request {
    enum vecwire__method method;
    /* The URL's prefix and all: bytes 0x21..0x7e, begins with '/'. */
    const char *path;
    /* All headers but Host and Content-Length, which the transport makes. */
    const struct vecwire_header *headers;
    size_t n_headers;
    const char *content_type; /* NULL: no such header */
    const void *body;         /* NULL: none (POST, PUT, PATCH: length 0) */
    size_t body_len;
};

/* One connection, first member of the transport's own. The pool's and the
 * call's fields are theirs alone. */
struct vecwire__conn {
    /* the pool's */
    TAILQ_ENTRY(vecwire__conn) link;
    uint64_t idle_until_ns; /* when it will have been idle for too long */
    bool idle;
    /* the call's: whose request it carries, NULL when idle; and the engine of
     * the calls it has carried */
    void *lease;
    void *owner;
    /* the transport's, read by all */
    bool up;          /* the connection is established */
    bool used;        /* it has answered a request before this one */
    uint32_t wakeups; /* passes with an event of it, since the last send */
    uint64_t connected_ns, sent_ns, first_byte_ns; /* of this request */
    uint64_t bytes_sent, bytes_received;           /* of this request */
    char peer[56]; /* "127.0.0.1:8080", "[::1]:8080"; "" before */
};

/* Why a request got no (whole) reply. */
struct vecwire__loss {
    /* ERESOLVE and EREFUSED (the round of all addresses failed), ETLS, EIO
     * (connection lost), EPROTO (reply broke framing or a header limit),
     * EREPLYSIZE (Content-Length over the limit), ENOMEM, ETIMEDOUT (the
     * connect limit has passed; a round that failed). */
    enum vecwire_err code;
    bool sent_any;      /* the kernel took at least one byte of the request */
    bool reply_seen;    /* at least one byte of a reply arrived */
    const char *detail; /* one line, valid during the upcall */
    uint32_t status;    /* of the reply's head, 0: none was read */
};

/* A reply's head. */
struct vecwire__head {
    uint32_t status;
    const struct vecwire_header *headers; /* in order, valid in the upcall */
    size_t n_headers;
};

/* Upcalls. Order for a request: phase*, head, body*, then one end or lost. */
struct vecwire__conn_events {
    /* RESOLVING, CONNECTING, TLS, SENDING (it is up, `peer` is known),
     * WAITING (all sent), RECEIVING (first byte of the reply). On a warm
     * connection SENDING and WAITING are not reported when the whole request
     * left inside send(): conn->sent_ns says so. */
    void (*phase)(struct vecwire__conn *conn, enum vecwire_phase phase);
    void (*head)(struct vecwire__conn *conn, const struct vecwire__head *head);
    void (*body)(struct vecwire__conn *conn, const char *bytes, size_t len);
    /* The reply is whole. reusable: another request may follow at once. If
     * not, the pool closes it. */
    void (*end)(struct vecwire__conn *conn, bool reusable);
    /* No (whole) reply. The connection is useless; close() it. */
    void (*lost)(struct vecwire__conn *conn, const struct vecwire__loss *loss);
    /* An idle connection was closed, or spoke, by itself. close() it. */
    void (*idle_lost)(struct vecwire__conn *conn);
};

/* What a transport can do. `net` is its own context. */
struct vecwire__transport {
    /* A new connection; nothing happens before its first send. NULL: no
     * memory. */
    struct vecwire__conn *(*open)(void *net);
    /* Begin a request on a connection that is new, or idle and quiet, or
     * whose `end` said reusable. VECWIRE_ENOMEM: nothing was begun. */
    enum vecwire_err (*send)(struct vecwire__conn *conn,
                             const struct vecwire__request *req);
    /* Look before a lease: up, open on the other side and nothing to read.
     * Inside its own end() that is known without looking. */
    bool (*quiet)(struct vecwire__conn *conn);
    /* While a request is on it: so many bytes have come that were not read
     * yet, or are held back; the stream's end is one more. May be a little
     * more than the reply gets of them. */
    size_t (*unread)(struct vecwire__conn *conn);
    /* Inside a body upcall: no upcall any more until resume(), and nothing is
     * read. What was read already is held back, its end or loss too. */
    void (*pause)(struct vecwire__conn *conn);
    /* Go on, from the loop, in its next pass. */
    void (*resume)(struct vecwire__conn *conn);
    /* Close at once and forget. */
    void (*close)(struct vecwire__conn *conn);
};

#endif
