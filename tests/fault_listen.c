/* SPDX-License-Identifier: Apache-2.0 */
/* The fault server's listening side, and what tests ask it. */
#include "tests/fault_state.h"

#include <arpa/inet.h>
#include <assert.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void
on_accept(evutil_socket_t fd, short what, void *arg)
{
    struct fault_server *server = arg;
    size_t i = server->n_connections++;
    int accepted = accept(fd, NULL, NULL);

    (void)what;
    assert(accepted >= 0);
    fault_conn_new(
        server, accepted,
        server->scripts[i < server->n_scripts ? i : server->n_scripts - 1]);
}

/* Port 0: any. */
static int
bind_to(const char *address, uint16_t *port)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(*port)};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6,
                              .sin6_port = htons(*port)};
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
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (bind(fd, sa, len) != 0 || getsockname(fd, sa, &len) != 0) {
        close(fd);
        return -1;
    }
    *port = ntohs(is_v6 ? v6.sin6_port : v4.sin_port);
    evutil_make_socket_nonblocking(fd);
    return fd;
}

void
fault_server_hear(struct fault_server *server)
{
    int rc = listen(server->fd, 128);

    assert(rc == 0);
    (void)rc;
    server->listener = event_new(server->base, server->fd, EV_READ | EV_PERSIST,
                                 on_accept, server);
    event_add(server->listener, NULL);
}

struct fault_server *
fault_server_new(struct event_base *base, const char *address,
                 const struct fault_step *const *scripts, size_t n_scripts)
{
    struct fault_server *server;
    uint16_t port = 0;
    int fd = bind_to(address, &port);

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
    snprintf(server->address, sizeof(server->address), "%s", address);
    fault_server_hear(server);
    return server;
}

void
fault_server_use_tls(struct fault_server *server, struct ssl_ctx_st *ctx,
                     size_t limit)
{
    server->tls = ctx;
    server->tls_cut = false;
    server->tls_limit = limit;
}

void
fault_server_cut_tls(struct fault_server *server)
{
    server->tls_cut = true;
}

void
fault_server_set_answer(struct fault_server *server,
                        const char *(*answer)(const char *request))
{
    server->answer = answer;
}

void
fault_server_stop_listening(struct fault_server *server)
{
    if (server->listener != NULL)
        event_free(server->listener);
    if (server->fd >= 0)
        close(server->fd);
    server->listener = NULL;
    server->fd = -1;
}

void
fault_server_be_deaf(struct fault_server *server)
{
    fault_server_stop_listening(server);
    server->fd = bind_to(server->address, &server->port);
    assert(server->fd >= 0);
}

void
fault_server_accept_none(struct fault_server *server, int backlog)
{
    int rc;

    fault_server_be_deaf(server);
    rc = listen(server->fd, backlog);
    assert(rc == 0);
    (void)rc;
}

bool
fault_server_drips(const struct fault_server *server)
{
    const struct conn *conn;

    TAILQ_FOREACH (conn, &server->conns, link) {
        if (event_pending(conn->go, EV_TIMEOUT, NULL))
            return true;
    }
    return false;
}

void
fault_server_free(struct fault_server *server)
{
    struct conn *conn;

    if (server == NULL)
        return;
    while ((conn = TAILQ_FIRST(&server->conns)) != NULL)
        fault_conn_free(conn);
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
