/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/fault_server.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <unistd.h>

#include <event2/event.h>
#include <event2/util.h>

#include "tests/fault_tls.h"

struct conn {
    TAILQ_ENTRY(conn) link;
    struct fault_server *server;
    struct event *readable, *writable, *go;
    const struct fault_step *script, *step;
    char *in;
    size_t in_len, in_cap;
    size_t sent; /* of the step */
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
    struct ssl_ctx_st *tls; /* NULL: plain */
    size_t tls_limit, n_shaken, n_resumed, n_goodbyes;
    char sni[256];
    int fd;
    uint16_t port;
};

static void
conn_free(struct conn *conn)
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
    ssize_t n;

    if (conn->in_cap - conn->in_len < 65537) {
        conn->in_cap = conn->in_cap * 2 + 65537;
        conn->in = realloc(conn->in, conn->in_cap);
        assert(conn->in != NULL);
    }
    if (conn->tls != NULL)
        n = fault_tls_read(conn->tls, conn->in + conn->in_len, 65536);
    else
        n = read(conn->fd, conn->in + conn->in_len, 65536);
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

/* Send what the step says. False: not all of it yet. */
static bool
conn_send(struct conn *conn)
{
    static char filling[65536];
    const struct fault_step *step = conn->step;
    size_t len = step->n, most = sizeof(filling);
    ssize_t n;

    if (step->kind != FAULT_FILL)
        len = step->n == 0 || step->kind == FAULT_DRIP ? strlen(step->bytes)
                                                       : step->n;
    if (step->kind == FAULT_DRIP)
        most = step->n;
    memset(filling, 'x', sizeof(filling));
    while (conn->sent < len) {
        size_t want = len - conn->sent < most ? len - conn->sent : most;

        n = write_some(
            conn, step->kind == FAULT_FILL ? filling : step->bytes + conn->sent,
            want);
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            event_add(conn->writable, NULL);
            return false;
        }
        if (n < 0)
            return true;
        conn->sent += (size_t)n;
        if (step->kind == FAULT_DRIP && conn->sent < len) {
            static const struct timeval next = {0, 1000};

            event_add(conn->go, &next);
            return false;
        }
    }
    if (conn->tls == NULL || fault_tls_flush(conn->tls))
        return true;
    event_add(conn->writable, NULL);
    return false;
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
    case FAULT_SEND:
    case FAULT_FILL:
    case FAULT_DRIP:
        return conn_send(conn);
    case FAULT_TLS_UPDATE:
        fault_tls_update(conn->tls);
        return true;
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
            conn_free(conn);
            return;
        }
        if (conn->step->kind == FAULT_AGAIN)
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

    if (shake == FAULT_SHAKE_FAILED) {
        conn_free(conn);
    } else if (shake == FAULT_SHAKE_DONE) {
        conn->shaking = false;
        event_del(conn->readable);
        server->n_shaken++;
        server->n_resumed += fault_tls_resumed(conn->tls);
        snprintf(server->sni, sizeof(server->sni), "%s",
                 fault_tls_sni(conn->tls));
        /* What came with the end of the handshake is read already. */
        if (!conn_read(conn))
            conn_free(conn);
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
        conn_free(conn);
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

static void
on_accept(evutil_socket_t fd, short what, void *arg)
{
    struct fault_server *server = arg;
    size_t i = server->n_connections++;
    struct conn *conn = calloc(1, sizeof(*conn));
    int on = 1;

    (void)what;
    assert(conn != NULL);
    conn->server = server;
    conn->fd = accept(fd, NULL, NULL);
    assert(conn->fd >= 0);
    evutil_make_socket_nonblocking(conn->fd);
    setsockopt(conn->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    conn->script =
        server->scripts[i < server->n_scripts ? i : server->n_scripts - 1];
    conn->step = conn->script;
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

static int
listen_on(const char *address, uint16_t *port)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
    bool is_v6 = inet_pton(AF_INET6, address, &v6.sin6_addr) == 1;
    struct sockaddr *sa =
        is_v6 ? (struct sockaddr *)&v6 : (struct sockaddr *)&v4;
    socklen_t len = is_v6 ? sizeof(v6) : sizeof(v4);
    int on = 1, fd = socket(sa->sa_family, SOCK_STREAM, 0);

    if (fd < 0)
        return -1;
    if (!is_v6)
        inet_pton(AF_INET, address, &v4.sin_addr);
    else
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
    if (bind(fd, sa, len) != 0 || listen(fd, 128) != 0 ||
        getsockname(fd, sa, &len) != 0) {
        close(fd);
        return -1;
    }
    *port = ntohs(is_v6 ? v6.sin6_port : v4.sin_port);
    evutil_make_socket_nonblocking(fd);
    return fd;
}

struct fault_server *
fault_server_new(struct event_base *base, const char *address,
                 const struct fault_step *const *scripts, size_t n_scripts)
{
    struct fault_server *server;
    uint16_t port;
    int fd = listen_on(address, &port);

    if (fd < 0)
        return NULL;
    server = calloc(1, sizeof(*server));
    assert(server != NULL);
    *server = (struct fault_server){.base = base,
                                    .scripts = scripts,
                                    .n_scripts = n_scripts,
                                    .fd = fd,
                                    .port = port};
    TAILQ_INIT(&server->conns);
    server->listener =
        event_new(base, fd, EV_READ | EV_PERSIST, on_accept, server);
    event_add(server->listener, NULL);
    return server;
}

void
fault_server_use_tls(struct fault_server *server, struct ssl_ctx_st *ctx,
                     size_t limit)
{
    server->tls = ctx;
    server->tls_limit = limit;
}

void
fault_server_stop_listening(struct fault_server *server)
{
    if (server->fd < 0)
        return;
    event_free(server->listener);
    close(server->fd);
    server->fd = -1;
}

void
fault_server_free(struct fault_server *server)
{
    struct conn *conn;

    if (server == NULL)
        return;
    while ((conn = TAILQ_FIRST(&server->conns)) != NULL)
        conn_free(conn);
    fault_server_stop_listening(server);
    free(server->request);
    free(server);
}

uint16_t
fault_server_port(const struct fault_server *server)
{
    return server->port;
}

void
fault_server_open_gate(struct fault_server *server)
{
    struct conn *conn;

    TAILQ_FOREACH (conn, &server->conns, link) {
        if (!conn->at_gate)
            continue;
        conn->at_gate = false;
        event_active(conn->go, EV_TIMEOUT, 0);
    }
}

size_t
fault_server_connections(const struct fault_server *server)
{
    return server->n_connections;
}

size_t
fault_server_requests(const struct fault_server *server)
{
    return server->n_requests;
}

uint64_t
fault_server_received(const struct fault_server *server)
{
    return server->received;
}

const char *
fault_server_request(const struct fault_server *server)
{
    return server->request == NULL ? "" : server->request;
}

size_t
fault_server_shaken(const struct fault_server *server)
{
    return server->n_shaken;
}

size_t
fault_server_resumed(const struct fault_server *server)
{
    return server->n_resumed;
}

size_t
fault_server_goodbyes(const struct fault_server *server)
{
    return server->n_goodbyes;
}

const char *
fault_server_sni(const struct fault_server *server)
{
    return server->sni;
}
