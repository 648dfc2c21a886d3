/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/chaos_conn.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <event2/buffer.h>
#include <event2/event.h>
#include <event2/util.h>

#include "tests/fault_tls.h"

unsigned
chaos_dice(struct chaos_server *server, unsigned sides)
{
    return (unsigned)rand_r(&server->seed) % sides;
}

size_t
chaos_notes_size(size_t n_markers)
{
    return sizeof(struct chaos_notes) +
           (n_markers + 1) * sizeof(struct chaos_seen);
}

const struct chaos_seen *
chaos_notes_seen(const struct chaos_notes *notes, uint64_t marker)
{
    static const struct chaos_seen nothing;
    const struct chaos_seen *seen =
        &notes->seen[marker % (notes->n_markers + 1)];

    return atomic_load(&seen->marker) == marker ? seen : &nothing;
}

static void
conn_free(struct chaos_conn *conn)
{
    TAILQ_REMOVE(&conn->server->conns, conn, link);
    event_free(conn->readable);
    event_free(conn->timer);
    evbuffer_free(conn->in);
    evbuffer_free(conn->out);
    fault_tls_free(conn->tls);
    close(conn->fd);
    free(conn);
}

/* Over TLS now and then without a goodbye. */
static void
conn_close(struct chaos_conn *conn)
{
    if (conn->tls != NULL && !conn->shaking && chaos_dice(conn->server, 4) != 0)
        fault_tls_bye(conn->tls);
    conn_free(conn);
}

static void
conn_reset(struct chaos_conn *conn)
{
    struct linger now = {.l_onoff = 1, .l_linger = 0};

    setsockopt(conn->fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
    conn_free(conn);
}

static void
wait_ms(struct chaos_conn *conn, unsigned ms)
{
    struct timeval wait = {0, (suseconds_t)ms * 1000};

    event_add(conn->timer, &wait);
}

static void serve(struct chaos_conn *conn);
static void send_some(struct chaos_conn *conn);

static void
answer_sent(struct chaos_conn *conn)
{
    int unread = 0;

    switch (conn->after) {
    case CHAOS_CLOSE:
        conn_close(conn);
        break;
    case CHAOS_RESET:
        conn_reset(conn);
        break;
    case CHAOS_STALL:
        break;
    case CHAOS_STRAY:
        conn->after = CHAOS_STRAY_NOW;
        wait_ms(conn, 1);
        break;
    case CHAOS_STRAY_NOW:
        /* Only while nothing is asked: what comes later than the next
         * request cannot be told from its answer. */
        if (evbuffer_get_length(conn->in) == 0 &&
            ioctl(conn->fd, FIONREAD, &unread) == 0 && unread == 0)
            evbuffer_add_printf(conn->out, "%s", chaos_stray);
        conn->after = CHAOS_CLOSE;
        conn->piece = 0;
        send_some(conn);
        break;
    default:
        conn->busy = false;
        if (conn->after == CHAOS_KEEP_A_WHILE)
            wait_ms(conn, 1 + chaos_dice(conn->server, 8));
        serve(conn);
        break;
    }
}

/* Less than n, or -1 with EAGAIN: the rest later. */
static ssize_t
put(struct chaos_conn *conn, const void *bytes, size_t n)
{
    if (conn->tls != NULL)
        return fault_tls_send(conn->tls, bytes, n);
    return send(conn->fd, bytes, n, MSG_NOSIGNAL);
}

static void
send_some(struct chaos_conn *conn)
{
    size_t left = evbuffer_get_length(conn->out);
    size_t n = conn->piece == 0 || conn->piece > left ? left : conn->piece;

    if (n > 0) {
        unsigned char *bytes = evbuffer_pullup(conn->out, (ev_ssize_t)n);
        ssize_t sent = put(conn, bytes, n);

        if (sent < 0 && errno != EAGAIN) {
            conn_free(conn);
            return;
        }
        evbuffer_drain(conn->out, sent > 0 ? (size_t)sent : 0);
    }
    if (evbuffer_get_length(conn->out) > 0 ||
        (conn->tls != NULL && !fault_tls_flush(conn->tls)))
        wait_ms(conn, 1);
    else
        answer_sent(conn);
}

/* --- requests --- */

static uint64_t
number_after(const char *text, const char *name)
{
    const char *at = strcasestr(text, name);

    return at == NULL ? 0 : strtoull(at + strlen(name), NULL, 10);
}

/* Where the marker's requests are noted. NULL: it is so old that another has
 * its place. */
static struct chaos_seen *
seen_of(struct chaos_server *server, uint64_t marker)
{
    struct chaos_notes *notes = server->options.notes;
    struct chaos_seen *seen = &notes->seen[marker % (notes->n_markers + 1)];
    uint64_t before = atomic_load(&seen->marker);

    if (before < marker) {
        atomic_store(&seen->received, 0);
        atomic_store(&seen->told_429, 0);
        atomic_store(&seen->faults, 0);
        atomic_store(&seen->marker, marker);
    }
    return before <= marker ? seen : NULL;
}

/* The request at the front; its body may still be on its way when the server
 * is one that does not wait for it. */
static struct chaos_request
look(struct chaos_conn *conn, bool head_only)
{
    struct chaos_request req = {0};
    size_t len = evbuffer_get_length(conn->in), head;
    char *text, *end;
    const char *kind;

    text = (char *)evbuffer_pullup(conn->in, -1);
    end = memmem(text, len, "\r\n\r\n", 4);
    if (end == NULL)
        return req;
    head = (size_t)(end - text) + 4;
    end[2] = '\0';
    req.marker = number_after(text, "\r\nX-Marker: ");
    kind = strcasestr(text, "\r\nX-Kind: ");
    assert(kind != NULL && req.marker > 0);
    req.kind = kind[10];
    req.len = head + number_after(text, "\r\nContent-Length: ");
    end[2] = '\r';
    if (req.len > len && !head_only)
        req.len = 0;
    return req;
}

static void
serve(struct chaos_conn *conn)
{
    struct chaos_server *server = conn->server;
    bool faulty, early;
    struct chaos_request req;
    size_t have;

    if (conn->busy || evbuffer_get_length(conn->in) == 0)
        return;
    faulty =
        !server->calm && chaos_dice(server, 1000) < server->options.per_mille;
    early = faulty && chaos_dice(server, 20) == 0;
    req = look(conn, early);
    if (req.len == 0)
        return;
    req.seen = seen_of(server, req.marker);
    if (req.seen == NULL) {
        conn_free(conn);
        return;
    }
    event_del(conn->timer);
    conn->busy = true;
    have = evbuffer_get_length(conn->in);
    atomic_fetch_add(&server->options.notes->requests, 1);
    chaos_choose(conn, &req, faulty);
    if (req.len > have) {
        evbuffer_drain(conn->in, have);
        if (conn->after == CHAOS_KEEP || conn->after == CHAOS_KEEP_A_WHILE)
            conn->after = CHAOS_STALL;
        chaos_note(server, &req, CHAOS_UNREAD);
    } else {
        evbuffer_drain(conn->in, req.len);
        atomic_fetch_add(&req.seen->received, 1);
    }
    if (faulty && chaos_dice(server, 3) == 0) {
        chaos_note(server, &req, CHAOS_LATE);
        wait_ms(conn, chaos_dice(server, 30));
    } else {
        send_some(conn);
    }
}

/* --- connections --- */

/* As read(). */
static ssize_t
take(struct chaos_conn *conn)
{
    char bytes[16384];
    ssize_t n;

    if (conn->tls == NULL)
        return evbuffer_read(conn->in, conn->fd, 65536);
    n = fault_tls_read(conn->tls, bytes, sizeof(bytes));
    if (n > 0)
        evbuffer_add(conn->in, bytes, (size_t)n);
    return n;
}

static void
on_readable(evutil_socket_t fd, short what, void *arg)
{
    struct chaos_conn *conn = arg;
    ssize_t n;

    (void)fd;
    (void)what;
    if (conn->shaking) {
        enum fault_shake shake = fault_tls_shake(conn->tls);

        if (shake == FAULT_SHAKE_FAILED)
            conn_free(conn);
        if (shake != FAULT_SHAKE_DONE)
            return;
        conn->shaking = false;
        /* What came with the end of the handshake is read already. */
    }
    n = take(conn);
    if (n > 0)
        serve(conn);
    else if (n == 0 || errno != EAGAIN)
        conn_free(conn);
}

static void
on_time(evutil_socket_t fd, short what, void *arg)
{
    struct chaos_conn *conn = arg;

    (void)fd;
    (void)what;
    if (conn->busy) {
        send_some(conn);
        return;
    }
    if (!conn->deaf)
        chaos_note(conn->server, NULL, CHAOS_IDLE_CLOSE);
    conn_close(conn);
}

/* Of each 20 connections three do not get far. */
static void
welcome(struct chaos_conn *conn)
{
    struct chaos_server *server = conn->server;

    switch (chaos_dice(server, 20)) {
    case 0:
        chaos_note(server, NULL, CHAOS_HUNG_UP);
        conn_free(conn);
        break;
    case 1:
        chaos_note(server, NULL, CHAOS_HUNG_UP_RESET);
        conn_reset(conn);
        break;
    case 2:
        chaos_note(server, NULL, CHAOS_DEAF);
        conn->deaf = true;
        event_del(conn->readable);
        wait_ms(conn, 500); /* a close would not be heard */
        break;
    default:
        break;
    }
}

static void
on_accept(evutil_socket_t listener, short what, void *arg)
{
    struct chaos_server *server = arg;
    int fd = accept(listener, NULL, NULL), on = 1;
    struct chaos_conn *conn;

    (void)what;
    if (fd < 0)
        return; /* reset before it was taken */
    conn = calloc(1, sizeof(*conn));
    assert(conn != NULL);
    evutil_make_socket_nonblocking(fd);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    conn->server = server;
    conn->fd = fd;
    conn->in = evbuffer_new();
    conn->out = evbuffer_new();
    conn->readable =
        event_new(server->base, fd, EV_READ | EV_PERSIST, on_readable, conn);
    conn->timer = event_new(server->base, -1, 0, on_time, conn);
    if (server->options.tls != NULL) {
        conn->tls = fault_tls_new(server->options.tls, fd, SIZE_MAX);
        conn->shaking = true;
    }
    TAILQ_INSERT_TAIL(&server->conns, conn, link);
    event_add(conn->readable, NULL);
    atomic_fetch_add(&server->options.notes->connections, 1);
    if (!server->calm && server->options.per_mille > 0)
        welcome(conn);
}

struct chaos_server *
chaos_server_new(struct event_base *base, const struct chaos_options *options)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct chaos_server *server = calloc(1, sizeof(*server));
    socklen_t len = sizeof(at);

    assert(server != NULL);
    server->base = base;
    server->options = *options;
    server->seed = options->seed;
    server->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    TAILQ_INIT(&server->conns);
    if (server->fd < 0 || bind(server->fd, (struct sockaddr *)&at, len) != 0 ||
        listen(server->fd, 128) != 0 ||
        getsockname(server->fd, (struct sockaddr *)&at, &len) != 0)
        abort();
    server->port = ntohs(at.sin_port);
    server->listener =
        event_new(base, server->fd, EV_READ | EV_PERSIST, on_accept, server);
    event_add(server->listener, NULL);
    return server;
}

void
chaos_server_free(struct chaos_server *server)
{
    while (!TAILQ_EMPTY(&server->conns))
        conn_free(TAILQ_FIRST(&server->conns));
    event_free(server->listener);
    close(server->fd);
    free(server);
}

uint16_t
chaos_server_port(const struct chaos_server *server)
{
    return server->port;
}

void
chaos_server_calm_down(struct chaos_server *server)
{
    server->calm = true;
}
