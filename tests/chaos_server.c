/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/chaos_server.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <unistd.h>

#include <event2/buffer.h>
#include <event2/event.h>
#include <event2/util.h>

/* What follows the bytes that are to be sent. */
enum after { KEEP, CLOSE, RESET, STALL, STRAY, STRAY_NOW };

struct conn {
    TAILQ_ENTRY(conn) link;
    struct chaos_server *server;
    struct event *readable, *timer;
    struct evbuffer *in, *out;
    enum after after;
    size_t piece; /* so many bytes at a time */
    bool busy;    /* with an answer */
    int fd;
};

TAILQ_HEAD(conn_list, conn);

struct chaos_server {
    struct event_base *base;
    struct event *listener;
    struct conn_list conns;
    struct chaos_seen *seen;
    size_t n_markers;
    unsigned seed;
    bool calm;
    int fd;
    uint16_t port;
};

static unsigned
dice(struct chaos_server *server, unsigned sides)
{
    return (unsigned)rand_r(&server->seed) % sides;
}

static void
conn_free(struct conn *conn)
{
    TAILQ_REMOVE(&conn->server->conns, conn, link);
    event_free(conn->readable);
    event_free(conn->timer);
    evbuffer_free(conn->in);
    evbuffer_free(conn->out);
    close(conn->fd);
    free(conn);
}

static void
conn_reset(struct conn *conn)
{
    struct linger now = {.l_onoff = 1, .l_linger = 0};

    setsockopt(conn->fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
    conn_free(conn);
}

static void
wait_ms(struct conn *conn, unsigned ms)
{
    struct timeval wait = {0, (suseconds_t)ms * 1000};

    event_add(conn->timer, &wait);
}

static void serve(struct conn *conn);
static void send_some(struct conn *conn);

static const char stray[] = "HTTP/1.1 200 OK\r\nX-Marker: stray\r\n"
                            "Content-Length: 5\r\n\r\nstray";

static void
answer_sent(struct conn *conn)
{
    int unread = 0;

    switch (conn->after) {
    case CLOSE:
        conn_free(conn);
        break;
    case RESET:
        conn_reset(conn);
        break;
    case STALL:
        break;
    case STRAY:
        conn->after = STRAY_NOW;
        wait_ms(conn, 1);
        break;
    case STRAY_NOW:
        /* Only while nothing is asked: what comes later than the next
         * request cannot be told from its answer. */
        if (evbuffer_get_length(conn->in) == 0 &&
            ioctl(conn->fd, FIONREAD, &unread) == 0 && unread == 0)
            evbuffer_add_printf(conn->out, "%s", stray);
        conn->after = CLOSE;
        conn->piece = 0;
        send_some(conn);
        break;
    default:
        conn->busy = false;
        serve(conn);
        break;
    }
}

static void
send_some(struct conn *conn)
{
    size_t left = evbuffer_get_length(conn->out);
    size_t n = conn->piece == 0 || conn->piece > left ? left : conn->piece;

    if (n > 0) {
        unsigned char *bytes = evbuffer_pullup(conn->out, (ev_ssize_t)n);
        ssize_t sent = send(conn->fd, bytes, n, MSG_NOSIGNAL);

        if (sent < 0 && errno != EAGAIN) {
            conn_free(conn);
            return;
        }
        evbuffer_drain(conn->out, sent > 0 ? (size_t)sent : 0);
    }
    if (evbuffer_get_length(conn->out) > 0)
        wait_ms(conn, 1);
    else
        answer_sent(conn);
}

/* --- answers --- */

struct request {
    size_t marker, len; /* len 0: not whole */
    char kind;
};

static size_t
number_after(const char *text, const char *name)
{
    const char *at = strcasestr(text, name);

    return at == NULL ? 0 : strtoul(at + strlen(name), NULL, 10);
}

static void
add_body(struct chaos_server *server, struct evbuffer *body,
         const struct request *req)
{
    switch (req->kind) {
    case 'q':
        evbuffer_add_printf(body,
                            "{\"matches\":[{\"id\":\"%zu\",\"score\":0.5,"
                            "\"metadata\":{\"m\":%zu},\"text\":\"%zu\"}]}",
                            req->marker, req->marker, req->marker);
        break;
    case 'u':
        evbuffer_add_printf(body, "{\"added\":%zu}", req->marker);
        break;
    case 'd':
        evbuffer_add_printf(body, "{\"deleted\":true}");
        break;
    default:
        evbuffer_add_printf(body, "%zu", req->marker);
        for (unsigned n = dice(server, 4) == 0 ? dice(server, 1000) : 0; n > 0;
             n--)
            evbuffer_add_printf(body, "%20zu", req->marker);
        break;
    }
}

static void
add_answer(struct conn *conn, const struct request *req, const char *status,
           const char *headers)
{
    struct evbuffer *body = evbuffer_new();
    bool chunked = dice(conn->server, 4) == 0;
    size_t len;

    add_body(conn->server, body, req);
    len = evbuffer_get_length(body);
    evbuffer_add_printf(conn->out, "HTTP/1.1 %s\r\nX-Marker: %zu\r\n%s", status,
                        req->marker, headers);
    if (chunked)
        evbuffer_add_printf(conn->out,
                            "Transfer-Encoding: chunked\r\n\r\n%zx\r\n", len);
    else
        evbuffer_add_printf(conn->out, "Content-Length: %zu\r\n\r\n", len);
    evbuffer_add_buffer(conn->out, body);
    if (chunked)
        evbuffer_add_printf(conn->out, "\r\n0\r\n\r\n");
    evbuffer_free(body);
}

static void
cut_off(struct conn *conn)
{
    size_t len = evbuffer_get_length(conn->out);
    char *all = malloc(len);
    size_t keep = dice(conn->server, (unsigned)len);

    assert(all != NULL);
    evbuffer_remove(conn->out, all, len);
    evbuffer_add(conn->out, all, keep);
    free(all);
    conn->after = (enum after)(CLOSE + dice(conn->server, 3));
}

static void
add_status(struct conn *conn, const struct request *req)
{
    static const char *const waits[] = {
        "",
        "Retry-After: 0\r\n",
        "Retry-After: 1\r\n",
        "Retry-After: 99999\r\n",
        "Retry-After: -1\r\n",
        "Retry-After: soon\r\n",
        "Retry-After: Sun, 06 Nov 1994 08:49:37 GMT\r\n"};
    static const char *const statuses[] = {
        "429 Too Many Requests", "503 Service Unavailable",
        "500 Internal Server Error", "404 Not Found", "302 Found"};
    struct chaos_server *server = conn->server;
    unsigned which = dice(server, 5);

    server->seen[req->marker].told_429 += which == 0;
    add_answer(conn, req, statuses[which],
               which < 2 ? waits[dice(server, 7)] : "Location: /x\r\n");
}

static void
add_nonsense(struct conn *conn)
{
    static const char *const texts[] = {
        "\r\n\r\n\r\n",
        "SSH-2.0-x\r\n",
        "HTTP/1.1 999999 x\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
        "HTTP/1.1 200 OK\r\nConnection: keep-alive\r\n\r\nabc",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "HTTP/1.1 101 Switching Protocols\r\n\r\n",
        "\0\0\0\0"};
    const char *text = texts[dice(conn->server, 10)];

    evbuffer_add(conn->out, text, text[0] == '\0' ? 4 : strlen(text));
    conn->after = (enum after)dice(conn->server, 4);
}

/* Fill in conn->out, ->after and ->piece. */
static void
choose(struct conn *conn, const struct request *req)
{
    struct chaos_server *server = conn->server;
    unsigned action = server->calm ? 99 : dice(server, 40);

    conn->after = KEEP;
    conn->piece = action % 3 == 0 ? 1 + dice(server, 5000) : 0;
    if (action < 4) {
        add_status(conn, req);
    } else if (action < 6) {
        conn->after = (enum after)(CLOSE + dice(server, 3));
    } else if (action < 9) {
        add_answer(conn, req, "200 OK", "");
        cut_off(conn);
    } else if (action < 11) {
        add_nonsense(conn);
    } else if (action < 13) {
        add_answer(conn, req, "200 OK", "");
        evbuffer_add_printf(conn->out, "%s", stray);
        conn->piece = 0;
    } else if (action == 13) {
        evbuffer_add_printf(conn->out, "HTTP/1.1 103 Early Hints\r\n\r\n");
        add_answer(conn, req, "200 OK", "");
    } else if (action == 14) {
        evbuffer_add_printf(conn->out, "HTTP/1.1 100 Continue\r\n\r\n");
        add_answer(conn, req, "200 OK", "");
    } else if (action < 17) {
        add_answer(conn, req, "200 OK", "Connection: close\r\n");
        conn->after = CLOSE;
    } else {
        add_answer(conn, req, "200 OK", "");
        if (action < 24)
            conn->after = (enum after)(1 + action % 4);
    }
}

/* The request at the front; its body may still be on its way when the server
 * is one that does not wait for it. */
static struct request
look(struct conn *conn, bool head_only)
{
    struct request req = {0};
    size_t len = evbuffer_get_length(conn->in), head;
    char *text, *end;
    const char *kind;

    evbuffer_add(conn->in, "", 1);
    text = (char *)evbuffer_pullup(conn->in, -1);
    end = strstr(text, "\r\n\r\n");
    if (end != NULL) {
        head = (size_t)(end - text) + 4;
        end[2] = '\0';
        req.marker = number_after(text, "\r\nX-Marker: ");
        kind = strcasestr(text, "\r\nX-Kind: ");
        assert(kind != NULL && req.marker > 0 &&
               req.marker <= conn->server->n_markers);
        req.kind = kind[10];
        req.len = head + number_after(text, "\r\nContent-Length: ");
        end[2] = '\r';
        if (req.len > len && !head_only)
            req.len = 0;
    }
    text = malloc(len + 1);
    assert(text != NULL);
    evbuffer_remove(conn->in, text, len + 1);
    evbuffer_add(conn->in, text, len);
    free(text);
    return req;
}

static void
serve(struct conn *conn)
{
    struct chaos_server *server = conn->server;
    bool early = !server->calm && dice(server, 20) == 0;
    struct request req;
    size_t have;

    if (conn->busy || evbuffer_get_length(conn->in) == 0)
        return;
    req = look(conn, early);
    if (req.len == 0)
        return;
    conn->busy = true;
    have = evbuffer_get_length(conn->in);
    choose(conn, &req);
    if (req.len > have) {
        evbuffer_drain(conn->in, have);
        conn->after = conn->after == KEEP ? STALL : conn->after;
    } else {
        evbuffer_drain(conn->in, req.len);
        server->seen[req.marker].received++;
    }
    if (!server->calm && dice(server, 3) == 0)
        wait_ms(conn, dice(server, 30));
    else
        send_some(conn);
}

/* --- connections --- */

static void
on_readable(evutil_socket_t fd, short what, void *arg)
{
    struct conn *conn = arg;
    int n = evbuffer_read(conn->in, fd, 65536);

    (void)what;
    if (n > 0)
        serve(conn);
    else if (n == 0 || errno != EAGAIN)
        conn_free(conn);
}

static void
on_time(evutil_socket_t fd, short what, void *arg)
{
    (void)fd;
    (void)what;
    send_some(arg);
}

static void
on_accept(evutil_socket_t listener, short what, void *arg)
{
    struct chaos_server *server = arg;
    int fd = accept(listener, NULL, NULL);
    struct conn *conn;

    (void)what;
    if (fd < 0)
        return; /* reset before it was taken */
    conn = calloc(1, sizeof(*conn));
    assert(conn != NULL);
    evutil_make_socket_nonblocking(fd);
    conn->server = server;
    conn->fd = fd;
    conn->in = evbuffer_new();
    conn->out = evbuffer_new();
    conn->readable =
        event_new(server->base, fd, EV_READ | EV_PERSIST, on_readable, conn);
    conn->timer = event_new(server->base, -1, 0, on_time, conn);
    TAILQ_INSERT_TAIL(&server->conns, conn, link);
    event_add(conn->readable, NULL);
    if (server->calm)
        return;
    switch (dice(server, 20)) {
    case 0:
        conn_free(conn);
        break;
    case 1:
        conn_reset(conn);
        break;
    case 2:
        event_del(conn->readable); /* deaf */
        break;
    default:
        break;
    }
}

struct chaos_server *
chaos_server_new(struct event_base *base, unsigned seed, size_t n_markers)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct chaos_server *server = calloc(1, sizeof(*server));
    socklen_t len = sizeof(at);

    assert(server != NULL);
    server->base = base;
    server->seed = seed;
    server->n_markers = n_markers;
    server->seen = calloc(n_markers + 1, sizeof(*server->seen));
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
    free(server->seen);
    free(server);
}

uint16_t
chaos_server_port(const struct chaos_server *server)
{
    return server->port;
}

const struct chaos_seen *
chaos_server_seen(const struct chaos_server *server, size_t marker)
{
    return &server->seen[marker];
}

void
chaos_server_calm_down(struct chaos_server *server)
{
    server->calm = true;
}
