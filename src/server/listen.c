/* SPDX-License-Identifier: Apache-2.0 */
#include "server/listen.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/listener.h>

#include "server/serve_conn.h"
#include "server/serve_tls.h"

#define BACKLOG 1024
#define WRITE_MAX ((size_t)1 << 20) /* bytes that one write may take */

static bool
prepare(struct vecwire__listen *listen)
{
    struct event_base *base = listen->conns->base;
    bool tls = listen->tls != NULL;
    struct bufferevent *bev =
        tls ? vecwire__serve_tls_accept(base, listen->tls)
            : bufferevent_socket_new(base, -1, BEV_OPT_CLOSE_ON_FREE);

    if (bev == NULL)
        return false;
    bufferevent_set_max_single_write(bev, WRITE_MAX);
    if (vecwire__serve_conn_prepare(listen->conns, bev, tls))
        return true;
    bufferevent_free(bev);
    return false;
}

/* Out of descriptors or memory: trying again at once would only spin, but
 * better that than for ever no client. */
static void
rest(struct vecwire__listen *listen)
{
    const struct timeval pause = {0, 10000};

    evconnlistener_disable(listen->listener);
    if (evtimer_add(listen->rest, &pause) != 0)
        event_active(listen->rest, EV_TIMEOUT, 0);
}

/* One is always made ahead, and none is accepted without: given no
 * bufferevent, evhttp makes one of its own, which is plain and knows no
 * limits. */
static struct bufferevent *
next_bufferevent(struct event_base *base, void *arg)
{
    struct vecwire__listen *listen = arg;
    struct bufferevent *bev = vecwire__serve_conn_begin(listen->conns);

    (void)base;
    if (!prepare(listen))
        rest(listen);
    return bev;
}

/* evhttp keeps the listener's argument for itself, so an error is brought
 * home by looking here. Servers are made, run and freed by one thread at a
 * time. */
static struct vecwire__listen *open_listens;

/* Whoever waits had better try elsewhere. */
static void
turn_away(struct evconnlistener *listener)
{
    int fd;

    while ((fd = accept(evconnlistener_get_fd(listener), NULL, NULL)) >= 0)
        close(fd);
}

static void
accept_again(evutil_socket_t fd, short what, void *arg)
{
    struct vecwire__listen *listen = arg;

    (void)fd;
    (void)what;
    if (listen->conns->ahead == NULL && !prepare(listen)) {
        turn_away(listen->listener);
        rest(listen);
    } else if (!listen->conns->full) {
        evconnlistener_enable(listen->listener);
    }
}

static void
accept_failed(struct evconnlistener *listener, void *arg)
{
    struct vecwire__listen *at = open_listens;

    (void)arg;
    while (at != NULL && at->listener != listener)
        at = at->next;
    if (at != NULL)
        rest(at);
}

static int
open_address(const struct addrinfo *address)
{
    int one = 1;
    int fd = socket(address->ai_family,
                    address->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC,
                    address->ai_protocol);

    if (fd < 0)
        return -1;
    /* Accepted sockets inherit TCP_NODELAY. */
    if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) == 0 &&
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)) == 0 &&
        bind(fd, address->ai_addr, address->ai_addrlen) == 0 &&
        listen(fd, BACKLOG) == 0)
        return fd;
    one = errno;
    close(fd);
    errno = one;
    return -1;
}

/* The first address of the name that can be listened on, or -1. */
static int
open_socket(const char *host, const char *port, char *err, size_t err_size)
{
    const struct addrinfo hints = {.ai_flags = AI_PASSIVE | AI_NUMERICSERV,
                                   .ai_socktype = SOCK_STREAM};
    struct addrinfo *addresses;
    int fd = -1, rc = getaddrinfo(host, port, &hints, &addresses);

    if (rc != 0) {
        snprintf(err, err_size, "cannot listen on %s: %s", host,
                 rc == EAI_SYSTEM ? strerror(errno) : gai_strerror(rc));
        return -1;
    }
    for (struct addrinfo *at = addresses; at != NULL && fd < 0;
         at = at->ai_next)
        fd = open_address(at);
    if (fd < 0)
        snprintf(err, err_size, "cannot listen on %s port %s: %s", host, port,
                 strerror(errno));
    freeaddrinfo(addresses);
    return fd;
}

static void
set_url(struct vecwire__listen *listen, int fd, const char *host)
{
    struct sockaddr_storage address;
    socklen_t len = sizeof(address);
    char port[16] = "0";

    memset(&address, 0, sizeof(address));
    if (getsockname(fd, (struct sockaddr *)&address, &len) == 0)
        getnameinfo((struct sockaddr *)&address, len, NULL, 0, port,
                    sizeof(port), NI_NUMERICSERV);
    snprintf(listen->url, sizeof(listen->url),
             strchr(host, ':') != NULL ? "http%s://[%s]:%s" : "http%s://%s:%s",
             listen->tls != NULL ? "s" : "", host, port);
}

bool
vecwire__listen_open(struct vecwire__listen *listen, struct event_base *base,
                     struct evhttp *http, const char *host, uint16_t port,
                     char *err, size_t err_size)
{
    char bare[256], port_text[8];
    size_t len = strlen(host);
    int fd;

    if (len >= sizeof(bare)) {
        snprintf(err, err_size, "name to listen on is too long");
        return false;
    }
    memcpy(bare, host, len + 1);
    if (len > 2 && host[0] == '[' && host[len - 1] == ']') {
        memcpy(bare, host + 1, len - 2);
        bare[len - 2] = '\0';
    }
    snprintf(port_text, sizeof(port_text), "%u", (unsigned)port);
    fd = open_socket(bare, port_text, err, err_size);
    if (fd < 0)
        return false;
    listen->rest = evtimer_new(base, accept_again, listen);
    listen->listener = evconnlistener_new(
        base, NULL, NULL, LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC, 0, fd);
    if (listen->listener == NULL)
        close(fd);
    if (listen->rest == NULL || listen->listener == NULL || !prepare(listen) ||
        evhttp_bind_listener(http, listen->listener) == NULL) {
        snprintf(err, err_size, "no memory to listen");
        if (listen->listener != NULL)
            evconnlistener_free(listen->listener);
        vecwire__listen_close(listen);
        return false;
    }
    evconnlistener_set_error_cb(listen->listener, accept_failed);
    listen->conns->listener = listen->listener;
    evhttp_set_bevcb(http, next_bufferevent, listen);
    set_url(listen, fd, bare);
    listen->next = open_listens;
    open_listens = listen;
    return true;
}

void
vecwire__listen_close(struct vecwire__listen *listen)
{
    struct vecwire__listen **at = &open_listens;

    while (*at != NULL && *at != listen)
        at = &(*at)->next;
    if (*at != NULL)
        *at = listen->next;
    if (listen->rest != NULL)
        event_free(listen->rest);
    listen->rest = NULL;
}
