/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/fault_state.h"

#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

void
fault_conn_free(struct conn *conn)
{
    TAILQ_REMOVE(&conn->server->conns, conn, link);
    event_free(conn->readable);
    event_free(conn->writable);
    event_free(conn->go);
    if (conn->tls != NULL && !conn->shaking && fault_tls_said_bye(conn->tls))
        conn->server->n_goodbyes++;
    fault_tls_free(conn->tls);
    if (conn->fd >= 0)
        close(conn->fd);
    free(conn->in);
    free(conn->text);
    free(conn->request);
    free(conn);
}

/* Length of the request at the front, 0: not whole yet. */
static size_t
request_length(const struct conn *conn, bool head_only)
{
    const char *end, *length;
    size_t n;

    if (conn->in_len == 0)
        return 0;
    end = memmem(conn->in, conn->in_len, "\r\n\r\n", 4);
    if (end == NULL)
        return 0;
    n = (size_t)(end - conn->in) + 4;
    length = strcasestr(conn->in, "\r\nContent-Length:");
    if (!head_only && length != NULL && length < end)
        n += strtoul(length + 17, NULL, 10);
    return n <= conn->in_len ? n : 0;
}

/* Take what has come. False: the client is gone. */
static bool
conn_read(struct conn *conn)
{
    size_t most = 65536;
    ssize_t n;

    if (conn->step->kind == FAULT_READ_SOME && conn->step->n > conn->in_len &&
        conn->step->n - conn->in_len < most)
        most = conn->step->n - conn->in_len;
    if (conn->in_cap - conn->in_len < 65537) {
        conn->in_cap = conn->in_cap * 2 + 65537;
        conn->in = realloc(conn->in, conn->in_cap);
        assert(conn->in != NULL);
    }
    if (conn->tls != NULL)
        n = fault_tls_read(conn->tls, conn->in + conn->in_len, most);
    else
        n = read(conn->fd, conn->in + conn->in_len, most);
    if (n < 0)
        return errno == EAGAIN || errno == EWOULDBLOCK;
    conn->in_len += (size_t)n;
    conn->in[conn->in_len] = '\0';
    conn->server->received += (uint64_t)n;
    return n > 0;
}

/* A whole request has come: keep it as the last. */
static bool
take_request(struct conn *conn, bool head_only)
{
    struct fault_server *server = conn->server;
    size_t n = request_length(conn, head_only);

    if (n == 0)
        return false;
    free(server->request);
    server->request = strndup(conn->in, n);
    free(conn->request);
    conn->request = strndup(conn->in, n);
    server->n_requests++;
    memmove(conn->in, conn->in + n, conn->in_len - n + 1);
    conn->in_len -= n;
    return true;
}

static ssize_t
write_some(struct conn *conn, const char *bytes, size_t n)
{
    if (conn->tls != NULL)
        return fault_tls_send(conn->tls, bytes, n);
    return send(conn->fd, bytes, n, MSG_NOSIGNAL);
}

/* Made once a step, as parts of it may go out at different times. */
static void
make_text(struct conn *conn)
{
    const struct fault_step *step = conn->step;
    const char *bytes = step->bytes;
    size_t n = step->n;
    char *reply = NULL;

    free(conn->text);
    if (step->kind == FAULT_REPLY)
        bytes = reply = fault_reply(bytes, &n);
    else if (step->kind == FAULT_ANSWER)
        bytes = conn->server->answer(conn->request);
    if (step->kind != FAULT_REPLY && (n == 0 || step->kind == FAULT_DRIP))
        n = strlen(bytes);
    conn->text = fault_marked(bytes, n, conn->request);
    conn->text_len = n;
    free(reply);
}

static bool
wait_for(struct event *event, const struct timeval *most)
{
    event_add(event, most);
    return false;
}

/* Send what the step says. False: not all of it yet. */
static bool
conn_send(struct conn *conn)
{
    static const struct timeval next = {0, 1000};
    char filling[65536];
    const struct fault_step *step = conn->step;
    size_t len = step->n, most = sizeof(filling);

    if (step->kind != FAULT_FILL && conn->sent == 0)
        make_text(conn);
    if (step->kind != FAULT_FILL)
        len = conn->text_len;
    if (step->kind == FAULT_DRIP)
        most = step->n;
    memset(filling, 'x', sizeof(filling));
    while (conn->sent < len) {
        size_t want = len - conn->sent < most ? len - conn->sent : most;
        ssize_t n = write_some(
            conn, step->kind == FAULT_FILL ? filling : conn->text + conn->sent,
            want);

        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return wait_for(conn->writable, NULL);
        if (n < 0)
            return true;
        conn->sent += (size_t)n;
        if (step->kind == FAULT_DRIP && conn->sent < len)
            return wait_for(conn->go, &next);
    }
    if (conn->tls == NULL || fault_tls_flush(conn->tls))
        return true;
    return wait_for(conn->writable, NULL);
}

static void
reset(struct conn *conn)
{
    struct linger now = {.l_onoff = 1, .l_linger = 0};

    setsockopt(conn->fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
    close(conn->fd);
    conn->fd = -1;
}

/* Do the step. False: wait for more. */
static bool
conn_step(struct conn *conn)
{
    switch (conn->step->kind) {
    case FAULT_READ:
    case FAULT_READ_HEAD:
        event_add(conn->readable, NULL);
        if (!take_request(conn, conn->step->kind == FAULT_READ_HEAD))
            return false;
        event_del(conn->readable);
        return true;
    case FAULT_READ_SOME:
        event_add(conn->readable, NULL);
        if (conn->in_len < conn->step->n)
            return false;
        event_del(conn->readable);
        return true;
    case FAULT_SEND:
    case FAULT_REPLY:
    case FAULT_ANSWER:
    case FAULT_FILL:
    case FAULT_DRIP:
        return conn_send(conn);
    case FAULT_GATE:
        return !conn->at_gate;
    case FAULT_DISCARD:
        event_add(conn->readable, NULL);
        return false;
    case FAULT_HALF_CLOSE:
        if (conn->tls != NULL)
            fault_tls_bye(conn->tls);
        shutdown(conn->fd, SHUT_WR);
        return true;
    case FAULT_RAW:
        send(conn->fd, conn->step->bytes, conn->step->n, MSG_NOSIGNAL);
        return true;
    case FAULT_NEW_KEYS:
        fault_tls_new_keys(conn->tls);
        return true;
    case FAULT_STALL:
    default:
        return false;
    }
}

/* From step to step until one waits. */
static void
conn_run(struct conn *conn)
{
    for (;;) {
        if (conn->step->kind == FAULT_RESET)
            reset(conn);
        if (conn->step->kind == FAULT_END && conn->tls != NULL)
            fault_tls_bye(conn->tls);
        if (conn->step->kind == FAULT_RESET || conn->step->kind == FAULT_CUT ||
            conn->step->kind == FAULT_END) {
            fault_conn_free(conn);
            return;
        }
        if (conn->step->kind == FAULT_SERVE)
            conn->script = fault_serving;
        if (conn->step->kind == FAULT_AGAIN || conn->step->kind == FAULT_SERVE)
            conn->step = conn->script;
        if (!conn_step(conn))
            return;
        conn->step++;
        conn->sent = 0;
        conn->at_gate = conn->step->kind == FAULT_GATE;
    }
}

static void
conn_shake(struct conn *conn)
{
    struct fault_server *server = conn->server;
    enum fault_shake shake = fault_tls_shake(conn->tls);

    if (shake == FAULT_SHAKE_FAILED ||
        (server->tls_cut && fault_tls_spent(conn->tls))) {
        fault_conn_free(conn);
    } else if (shake == FAULT_SHAKE_DONE) {
        conn->shaking = false;
        event_del(conn->readable);
        server->n_shaken++;
        server->n_resumed += fault_tls_resumed(conn->tls);
        snprintf(server->sni, sizeof(server->sni), "%s",
                 fault_tls_sni(conn->tls));
        /* What came with the end of the handshake is read already. */
        if (!conn_read(conn))
            fault_conn_free(conn);
        else
            conn_run(conn);
    }
}

static void
on_readable(evutil_socket_t fd, short what, void *arg)
{
    struct conn *conn = arg;

    (void)fd;
    (void)what;
    if (conn->shaking) {
        conn_shake(conn);
        return;
    }
    if (!conn_read(conn)) {
        fault_conn_free(conn);
        return;
    }
    if (conn->step->kind == FAULT_DISCARD)
        conn->in_len = 0;
    else
        conn_run(conn);
}

static void
on_go(evutil_socket_t fd, short what, void *arg)
{
    (void)fd;
    (void)what;
    conn_run(arg);
}

void
fault_conn_new(struct fault_server *server, int fd,
               const struct fault_step *script)
{
    struct conn *conn = calloc(1, sizeof(*conn));
    int on = 1;

    assert(conn != NULL);
    conn->server = server;
    conn->fd = fd;
    evutil_make_socket_nonblocking(conn->fd);
    setsockopt(conn->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    conn->script = conn->step = script;
    conn->at_gate = conn->step->kind == FAULT_GATE;
    conn->readable = event_new(server->base, conn->fd, EV_READ | EV_PERSIST,
                               on_readable, conn);
    conn->writable = event_new(server->base, conn->fd, EV_WRITE, on_go, conn);
    conn->go = event_new(server->base, -1, 0, on_go, conn);
    TAILQ_INSERT_TAIL(&server->conns, conn, link);
    if (server->tls == NULL) {
        conn_run(conn);
        return;
    }
    conn->tls = fault_tls_new(server->tls, conn->fd, server->tls_limit);
    conn->shaking = true;
    event_add(conn->readable, NULL);
}
