/* SPDX-License-Identifier: Apache-2.0 */
/* What the files chaos_*.c share. */
#ifndef VECWIRE_TESTS_CHAOS_CONN_H
#define VECWIRE_TESTS_CHAOS_CONN_H

#include <sys/queue.h>

#include "tests/chaos_server.h"

/* What follows the bytes that are to be sent. */
enum chaos_after {
    CHAOS_KEEP,
    CHAOS_CLOSE,
    CHAOS_RESET,
    CHAOS_STALL,
    CHAOS_STRAY,
    CHAOS_STRAY_NOW,
    CHAOS_KEEP_A_WHILE
};

struct chaos_conn {
    TAILQ_ENTRY(chaos_conn) link;
    struct chaos_server *server;
    struct event *readable, *timer;
    struct evbuffer *in, *out;
    struct fault_tls *tls; /* NULL: plain */
    enum chaos_after after;
    size_t piece; /* so many bytes at a time */
    bool shaking;
    bool busy; /* with an answer */
    bool deaf;
    int fd;
};

TAILQ_HEAD(chaos_conn_list, chaos_conn);

struct chaos_server {
    struct event_base *base;
    struct event *listener;
    struct chaos_conn_list conns;
    struct chaos_options options;
    unsigned seed;
    bool calm;
    int fd;
    uint16_t port;
};

struct chaos_request {
    uint64_t marker;
    size_t len; /* 0: not whole */
    char kind;
    struct chaos_seen *seen;
};

unsigned chaos_dice(struct chaos_server *server, unsigned sides);

/* --- chaos_answer.c --- */

extern const char chaos_stray[];

/* Write down what is done to a request (NULL: to a connection). */
void chaos_note(struct chaos_server *server, const struct chaos_request *req,
                enum chaos_fault fault);

/* Fill in conn->out, ->after and ->piece. */
void chaos_choose(struct chaos_conn *conn, const struct chaos_request *req,
                  bool faulty);

#endif
