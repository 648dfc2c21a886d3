/* SPDX-License-Identifier: Apache-2.0 */
/* What the fault server's own files know of each other. */
#ifndef VECWIRE_TESTS_FAULT_STATE_H
#define VECWIRE_TESTS_FAULT_STATE_H

#include <sys/queue.h>

#include <event2/event.h>
#include <event2/util.h>

#include "tests/fault_server.h"
#include "tests/fault_tls.h"

struct conn {
    TAILQ_ENTRY(conn) link;
    struct fault_server *server;
    struct event *readable, *writable, *go;
    const struct fault_step *script, *step;
    char *in;
    size_t in_len, in_cap;
    size_t sent; /* of the step */
    char *text;  /* what the step sends, with the mark in it */
    size_t text_len;
    char *request; /* the last one read here; NULL: none */
    struct fault_tls *tls;
    int fd;
    bool at_gate;
    bool shaking;
};

TAILQ_HEAD(conn_list, conn);

struct fault_server {
    struct event_base *base;
    struct event *listener;
    const struct fault_step *const *scripts;
    size_t n_scripts, n_connections, n_requests;
    uint64_t received;
    struct conn_list conns;
    char *request;
    const char *(*answer)(const char *request); /* NULL: never asked */
    struct ssl_ctx_st *tls;                     /* NULL: plain */
    bool tls_cut;                               /* closed at their limit */
    size_t tls_limit, n_shaken, n_resumed, n_goodbyes;
    char sni[256];
    char address[48];
    int fd;
    uint16_t port;
};

/* --- fault_server.c --- */

/* Serve a connection that was accepted, by this script. */
void fault_conn_new(struct fault_server *server, int fd,
                    const struct fault_step *script);
void fault_conn_free(struct conn *conn);

/* --- fault_marks.c --- */

/* What FAULT_REPLY sends; *n is its length. To be freed. */
char *fault_reply(const char *bytes, size_t *n);

/* A copy of the bytes in which FAULT_MARK is the mark that `request` carries,
 * where it carries one. To be freed. */
char *fault_marked(const char *bytes, size_t n, const char *request);

#endif
