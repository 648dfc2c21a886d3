/* SPDX-License-Identifier: Apache-2.0 */
#include "fixed_conn.h"

#include "bench.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

void
fixed_watch(struct server *server, int op, int fd, uint32_t events, void *ptr)
{
    struct epoll_event event = {.events = events, .data = {.ptr = ptr}};

    if (epoll_ctl(server->epoll_fd, op, fd, &event) != 0)
        bench_die("epoll_ctl: %m");
}

void
fixed_conn_new(struct server *server, int fd)
{
    struct conn *conn = bench_alloc(1, sizeof(*conn));

    conn->fd = fd;
    TAILQ_INSERT_TAIL(&server->conns, conn, all);
    server->n_conns++;
    fixed_watch(server, EPOLL_CTL_ADD, fd, EPOLLIN, conn);
}

void
fixed_conn_close(struct server *server, struct conn *conn)
{
    if (conn->delayed)
        TAILQ_REMOVE(&server->due, conn, due);
    TAILQ_REMOVE(&server->conns, conn, all);
    server->n_conns--;
    close(conn->fd);
    free(conn);
}

/* Write what is owed. False: the connection is gone. */
static bool
conn_flush(struct server *server, struct conn *conn)
{
    while (conn->owed > 0) {
        ssize_t n;

        if (conn->reply == NULL) {
            conn->reply =
                &server->replies[server->next_reply++ % BENCH_REPLIES];
            conn->written = 0;
        }
        n = send(conn->fd, conn->reply->bytes + conn->written,
                 conn->reply->len - conn->written, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && errno != EAGAIN)
            return false;
        if (n < 0) {
            if (!conn->blocked)
                fixed_watch(server, EPOLL_CTL_MOD, conn->fd, EPOLLIN | EPOLLOUT,
                            conn);
            conn->blocked = true;
            return true;
        }
        conn->written += (size_t)n;
        if (conn->written == conn->reply->len) {
            conn->reply = NULL;
            conn->owed--;
        }
    }
    if (conn->blocked)
        fixed_watch(server, EPOLL_CTL_MOD, conn->fd, EPOLLIN, conn);
    conn->blocked = false;
    return true;
}

static void
timer_arm(struct server *server)
{
    const struct conn *first = TAILQ_FIRST(&server->due);
    struct itimerspec when = {.it_value = {0, 0}};

    if (first != NULL) {
        when.it_value.tv_sec = (time_t)(first->due_ns / 1000000000U);
        when.it_value.tv_nsec = (long)(first->due_ns % 1000000000U);
    }
    timerfd_settime(server->timer_fd, TFD_TIMER_ABSTIME, &when, NULL);
}

/* The delay is the same for all, so the queue is in order of time. */
static void
conn_delay(struct server *server, struct conn *conn)
{
    if (conn->delayed || conn->owed == 0)
        return;
    conn->delayed = true;
    conn->due_ns = bench_now_ns() + server->delay_ns;
    TAILQ_INSERT_TAIL(&server->due, conn, due);
    if (TAILQ_FIRST(&server->due) == conn)
        timer_arm(server);
}

void
fixed_conns_due(struct server *server)
{
    uint64_t now = bench_now_ns();
    struct conn *conn;

    while ((conn = TAILQ_FIRST(&server->due)) != NULL && conn->due_ns <= now) {
        TAILQ_REMOVE(&server->due, conn, due);
        conn->delayed = false;
        if (!conn_flush(server, conn))
            fixed_conn_close(server, conn);
    }
    timer_arm(server);
}

/* A whole request head: what follows is its body. */
static void
take_head(struct conn *conn, const char *head, size_t len)
{
    conn->body_left = bench_content_length(head, len);
    conn->head_len = 0;
    if (conn->body_left == 0)
        conn->owed++;
}

/* Take bytes of a head; returns how many, 0: the head is too long. */
static size_t
feed_head(struct conn *conn, const char *bytes, size_t len)
{
    size_t old = conn->head_len, take = FIXED_HEAD_MAX - old, from;
    const char *end;

    if (old == 0) {
        end = memmem(bytes, len, "\r\n\r\n", 4);
        if (end != NULL) {
            take_head(conn, bytes, (size_t)(end + 4 - bytes));
            return (size_t)(end + 4 - bytes);
        }
    }
    if (take > len)
        take = len;
    memcpy(conn->head + old, bytes, take);
    conn->head_len += take;
    from = old < 3 ? 0 : old - 3;
    end = memmem(conn->head + from, conn->head_len - from, "\r\n\r\n", 4);
    if (end == NULL)
        return take;
    take_head(conn, conn->head, (size_t)(end + 4 - conn->head));
    return (size_t)(end + 4 - conn->head) - old;
}

/* False: the connection is gone. */
static bool
conn_read(struct server *server, struct conn *conn)
{
    ssize_t n = recv(conn->fd, server->input, FIXED_INPUT_MAX, MSG_DONTWAIT);
    const char *bytes = server->input;
    size_t left = (size_t)n, taken;

    if (n < 0 && errno == EAGAIN)
        return true;
    if (n <= 0)
        return false;
    while (left > 0) {
        if (conn->body_left > 0) {
            taken = conn->body_left < left ? conn->body_left : left;
            conn->body_left -= taken;
            if (conn->body_left == 0)
                conn->owed++;
        } else {
            taken = feed_head(conn, bytes, left);
            if (taken == 0)
                return false;
        }
        bytes += taken;
        left -= taken;
    }
    if (server->delay_ns == 0)
        return conn_flush(server, conn);
    conn_delay(server, conn);
    return true;
}

void
fixed_conn_event(struct server *server, struct conn *conn, uint32_t events)
{
    if ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0 &&
        !conn_read(server, conn)) {
        fixed_conn_close(server, conn);
        return;
    }
    if ((events & EPOLLOUT) != 0 && !conn->delayed && !conn_flush(server, conn))
        fixed_conn_close(server, conn);
}
