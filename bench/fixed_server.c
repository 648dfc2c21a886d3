/* SPDX-License-Identifier: Apache-2.0 */
/* A server that costs next to nothing: it finds where each request ends and
 * answers it with one write of a reply made beforehand. It looks at no method
 * but takes every request to have an answer with a body (so: no HEAD), knows
 * Content-Length only, and keeps every connection open.
 *
 * Memory is bounded: input goes through one shared buffer, a connection keeps
 * only a request head that came in pieces. */
#include "bench.h"
#include "fixed_conn.h"

#include <getopt.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define MAX_CONNS 2048
#define MAX_REPLY ((uint64_t)64 << 20)
#define EVENTS_PER_PASS 64

static void
on_listen(struct server *server)
{
    /* A reply that fits the socket leaves in one write. */
    int one = 1, room = (int)server->replies[0].len * 2;
    int fd = accept4(server->listen_fd, NULL, NULL, SOCK_CLOEXEC);

    if (fd < 0)
        return;
    if (server->n_conns >= MAX_CONNS) {
        close(fd);
        return;
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    if (room > 32768)
        setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
    fixed_conn_new(server, fd);
}

static void
serve(struct server *server)
{
    struct epoll_event events[EVENTS_PER_PASS];

    while (!server->stop) {
        int n = epoll_wait(server->epoll_fd, events, EVENTS_PER_PASS, -1);
        bool timer = false;

        for (int i = 0; i < n; i++) {
            void *ptr = events[i].data.ptr;

            if (ptr == &server->listen_fd)
                on_listen(server);
            else if (ptr == &server->timer_fd)
                timer = true;
            else if (ptr == &server->signal_fd)
                server->stop = true;
            else
                fixed_conn_event(server, ptr, events[i].events);
        }
        /* Last: it may close a connection that stands in events. */
        if (timer)
            fixed_conns_due(server);
    }
}

static void
listen_on(struct server *server)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET,
        .sin_port = htons(server->port),
        .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)},
    };
    socklen_t len = sizeof(address);
    int one = 1;

    server->listen_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    setsockopt(server->listen_fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
    if (bind(server->listen_fd, (struct sockaddr *)&address, len) != 0 ||
        listen(server->listen_fd, 1024) != 0 ||
        getsockname(server->listen_fd, (struct sockaddr *)&address, &len) != 0)
        bench_die("cannot listen: %m");
    printf("listening on 127.0.0.1:%u\n", ntohs(address.sin_port));
    fflush(stdout);
}

static void
server_init(struct server *server)
{
    sigset_t signals;

    TAILQ_INIT(&server->conns);
    TAILQ_INIT(&server->due);
    server->input = bench_alloc(1, FIXED_INPUT_MAX);
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    server->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    server->signal_fd = signalfd(-1, &signals, SFD_CLOEXEC);
    server->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    if (server->epoll_fd < 0 || server->signal_fd < 0 || server->timer_fd < 0)
        bench_die("cannot start: %m");
    listen_on(server);
    fixed_watch(server, EPOLL_CTL_ADD, server->listen_fd, EPOLLIN,
                &server->listen_fd);
    fixed_watch(server, EPOLL_CTL_ADD, server->timer_fd, EPOLLIN,
                &server->timer_fd);
    fixed_watch(server, EPOLL_CTL_ADD, server->signal_fd, EPOLLIN,
                &server->signal_fd);
}

static void
server_fini(struct server *server)
{
    struct conn *conn;

    while ((conn = TAILQ_FIRST(&server->conns)) != NULL)
        fixed_conn_close(server, conn);
    close(server->listen_fd);
    close(server->epoll_fd);
    close(server->signal_fd);
    close(server->timer_fd);
    bench_replies_fini(server->replies);
    free(server->input);
}

static void __attribute__((noreturn)) usage(void)
{
    fprintf(stderr, "usage: fixed_server --hms MATCHES | --bytes N [--port P] "
                    "[--delay-us N]\n");
    exit(2);
}

static uint64_t
take_number(uint64_t max)
{
    uint64_t value;

    if (!bench_number(optarg, max, &value))
        usage();
    return value;
}

/* What to answer with; exits unless exactly one kind was asked for. */
static void
take_options(struct server *server, int argc, char **argv)
{
    static const struct option options[] = {
        {"port", required_argument, NULL, 'p'},
        {"hms", required_argument, NULL, 'h'},
        {"bytes", required_argument, NULL, 'b'},
        {"delay-us", required_argument, NULL, 'd'},
        {NULL, 0, NULL, 0},
    };
    uint64_t n = 0;
    int option, kind = 0;

    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (option == 'p') {
            server->port = (uint16_t)take_number(UINT16_MAX);
        } else if (option == 'd') {
            server->delay_ns = take_number(60000000) * 1000U;
        } else if ((option == 'h' || option == 'b') && kind == 0) {
            kind = option;
            n = take_number(option == 'h' ? 10000 : MAX_REPLY);
        } else {
            usage();
        }
    }
    if (optind != argc || kind == 0)
        usage();
    if (kind == 'h')
        bench_replies_hms(server->replies, n);
    else
        bench_replies_bytes(server->replies, n);
}

int
main(int argc, char **argv)
{
    static struct server server;

    take_options(&server, argc, argv);
    server_init(&server);
    serve(&server);
    server_fini(&server);
    return EXIT_SUCCESS;
}
