/* SPDX-License-Identifier: Apache-2.0 */
/* One connection of the fixed server. */
#ifndef BENCH_FIXED_CONN_H
#define BENCH_FIXED_CONN_H

#include "replies.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#define FIXED_HEAD_MAX ((size_t)8192)
#define FIXED_INPUT_MAX ((size_t)256 << 10)

struct conn {
    TAILQ_ENTRY(conn) all;
    TAILQ_ENTRY(conn) due; /* in the queue while delayed */
    int fd;
    bool delayed;
    bool blocked;     /* the socket is full: EPOLLOUT is watched */
    uint64_t due_ns;  /* when a delayed reply leaves */
    size_t owed;      /* complete requests without an answer */
    size_t body_left; /* of the request that is coming in */
    size_t head_len;
    const struct bench_reply *reply; /* half written, NULL: none */
    size_t written;
    char head[FIXED_HEAD_MAX];
};

TAILQ_HEAD(conn_list, conn);

struct server {
    struct bench_reply replies[BENCH_REPLIES];
    struct conn_list conns;
    struct conn_list due;
    char *input;
    uint64_t delay_ns;
    size_t n_conns;
    unsigned next_reply;
    int listen_fd;
    int epoll_fd;
    int timer_fd;
    int signal_fd;
    uint16_t port;
    bool stop;
};

/* Set what epoll watches `fd` for, with `op` of epoll_ctl(). */
void fixed_watch(struct server *server, int op, int fd, uint32_t events,
                 void *ptr);

/* A connection that was accepted. */
void fixed_conn_new(struct server *server, int fd);

/* Something happened on it; it may be gone afterwards. */
void fixed_conn_event(struct server *server, struct conn *conn,
                      uint32_t events);

void fixed_conn_close(struct server *server, struct conn *conn);

/* Send the delayed replies whose time has come; they may close connections. */
void fixed_conns_due(struct server *server);

#endif
