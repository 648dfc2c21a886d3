/* SPDX-License-Identifier: Apache-2.0 */
/* An evhttp server that asks the database on the same loop.
 *
 *   vecwire serve --seed-rows 1000 &
 *   search_proxy --database http://127.0.0.1:8080 --listen 127.0.0.1:8081 &
 *   curl 'http://127.0.0.1:8081/search?row=17'
 *
 * It knows the seed rows of vecwire serve and searches by one of them. With
 * --self-test N a child process sends it N requests, one after the other on one
 * connection, for each way to reply, and it prints what one has cost: 3 loop
 * iterations when evhttp writes the reply (the request, the database's reply,
 * the write), 2 when the callback that makes the reply writes it.
 */
#include "proxy.h"

#include <errno.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/util.h>
#include <getopt.h>
#include <netdb.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct settings {
    const char *database;
    const char *listen;
    size_t n_rows;
    size_t timeout_ms;
    size_t self_test;
    bool evhttp_path;
};

static bool
read_settings(int argc, char **argv, struct settings *settings)
{
    static const struct option options[] = {
        {"database", required_argument, NULL, 'd'},
        {"listen", required_argument, NULL, 'l'},
        {"path", required_argument, NULL, 'p'},
        {"rows", required_argument, NULL, 'r'},
        {"timeout-ms", required_argument, NULL, 't'},
        {"self-test", required_argument, NULL, 's'},
        {0}};
    bool good = true;
    int option;

    while (good && (option = getopt_long(argc, argv, "", options, NULL)) != -1)
        switch (option) {
        case 'd':
            settings->database = optarg;
            break;
        case 'l':
            settings->listen = optarg;
            break;
        case 'p':
            settings->evhttp_path = strcmp(optarg, "evhttp") == 0;
            good = settings->evhttp_path || strcmp(optarg, "direct") == 0;
            break;
        case 'r':
            good = read_number(optarg, 1000000, &settings->n_rows) &&
                   settings->n_rows > 0;
            break;
        case 't':
            good = read_number(optarg, UINT32_MAX, &settings->timeout_ms);
            break;
        case 's':
            good = read_number(optarg, 1000000, &settings->self_test) &&
                   settings->self_test > 0;
            break;
        default:
            good = false;
        }
    if (!good || optind != argc)
        fprintf(stderr,
                "usage: %s [--database URL] [--listen HOST:PORT] "
                "[--path evhttp|direct]\n"
                "    [--rows N] [--timeout-ms N] [--self-test N]\n",
                argv[0]);
    return good && optind == argc;
}

/* The seed rows of vecwire serve: splitmix64, seed 1, each coordinate in
 * [-1,1). The server makes their length 1; for cosine it does not matter. */
static float *
make_rows(size_t n_rows)
{
    float *rows = calloc(n_rows, DIM * sizeof(*rows));
    uint64_t state = 1;

    for (size_t i = 0; rows != NULL && i < n_rows * DIM; i++) {
        uint64_t z = state += 0x9e3779b97f4a7c15U;

        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
        z ^= z >> 31;
        rows[i] = (float)((int32_t)(z >> 40) - (1 << 23)) * 0x1p-23F;
    }
    return rows;
}

/* "HOST:PORT" or "[HOST]:PORT" as an address; NULL when it is none. */
static struct addrinfo *
read_address(const char *text)
{
    const struct addrinfo hints = {.ai_flags = AI_PASSIVE | AI_NUMERICHOST |
                                               AI_NUMERICSERV,
                                   .ai_socktype = SOCK_STREAM};
    const char *colon = strrchr(text, ':');
    struct addrinfo *found = NULL;
    char host[INET6_ADDRSTRLEN];
    size_t len = colon == NULL ? 0 : (size_t)(colon - text);

    if (len > 2 && text[0] == '[' && text[len - 1] == ']') {
        text++;
        len -= 2;
    }
    if (len > 0 && len < sizeof(host)) {
        memcpy(host, text, len);
        host[len] = '\0';
        if (getaddrinfo(host, colon + 1, &hints, &found) == 0)
            return found;
    }
    return NULL;
}

/* A listening socket, or -1. *address is what it was bound to. */
static int
listen_on(const char *text, struct sockaddr_storage *address, socklen_t *len)
{
    struct addrinfo *wanted = read_address(text);
    int fd = -1;
    bool good = false;

    errno = EINVAL;
    if (wanted != NULL) {
        *len = sizeof(*address);
        fd = socket(wanted->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
        good = fd >= 0 && evutil_make_listen_socket_reuseable(fd) == 0 &&
               evutil_make_socket_nonblocking(fd) == 0 &&
               bind(fd, wanted->ai_addr, wanted->ai_addrlen) == 0 &&
               listen(fd, 128) == 0 &&
               getsockname(fd, (struct sockaddr *)address, len) == 0;
        freeaddrinfo(wanted);
    }
    if (good)
        return fd;
    perror(text);
    if (fd >= 0)
        close(fd);
    return -1;
}

static void
print_address(const struct sockaddr_storage *address, socklen_t len)
{
    char host[NI_MAXHOST], port[NI_MAXSERV];
    bool v6 = address->ss_family == AF_INET6;

    if (getnameinfo((const struct sockaddr *)address, len, host, sizeof(host),
                    port, sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV) != 0)
        return;
    printf("search_proxy listening on http://%s%s%s:%s\n", v6 ? "[" : "", host,
           v6 ? "]" : "", port);
    fflush(stdout);
}

/* For signals, and for the end of the self-test's child. */
static void
on_stop(evutil_socket_t fd, short what, void *arg)
{
    struct proxy *proxy = arg;

    (void)fd;
    (void)what;
    vecwire_loop_stop(proxy->loop);
}

/* Run until one of these comes. `done` is readable when the child of the
 * self-test has ended, or -1. */
static bool
run_loop(struct event_base *base, struct proxy *proxy, int done)
{
    struct event *stops[] = {
        evsignal_new(base, SIGINT, on_stop, proxy),
        evsignal_new(base, SIGTERM, on_stop, proxy),
        done < 0 ? NULL : event_new(base, done, EV_READ, on_stop, proxy)};
    bool ready = stops[0] != NULL && stops[1] != NULL;

    for (size_t i = 0; i < 3; i++)
        if (stops[i] != NULL && event_add(stops[i], NULL) != 0)
            ready = false;
    /* vecwire_loop_run() counts; event_base_dispatch() would do as well. */
    if (ready)
        ready = vecwire_loop_run(proxy->loop) == VECWIRE_OK;
    for (size_t i = 0; i < 3; i++)
        if (stops[i] != NULL)
            event_free(stops[i]);
    return ready;
}

/* One base, on it a server and a client of the database. Takes `fd`. */
static bool
serve(const struct settings *settings, struct proxy *proxy, int fd, int done)
{
    struct vecwire_refusal why = {.text = "no memory"};
    struct event_base *base = vecwire_event_base_new();
    struct evhttp *http = base == NULL ? NULL : evhttp_new(base);
    bool good = false;

    if (http == NULL || evhttp_accept_socket(http, fd) != 0)
        close(fd);
    else if (evhttp_set_cb(http, "/search", search_handle, proxy) == 0 &&
             vecwire_loop_new(&proxy->loop, base) == VECWIRE_OK &&
             vecwire_client_new(
                 &proxy->db, base,
                 &VECWIRE_OPTIONS(.url = settings->database,
                                  .deadline_ms = (uint32_t)settings->timeout_ms,
                                  .loop = proxy->loop, .refusal = &why)) ==
                 VECWIRE_OK)
        good = true;
    if (good) {
        /* evhttp takes anything of any size when it is not told otherwise. */
        evhttp_set_allowed_methods(http, EVHTTP_REQ_GET);
        evhttp_set_max_headers_size(http, 16384);
        evhttp_set_max_body_size(http, 0);
        good = run_loop(base, proxy, done);
    } else {
        fprintf(stderr, "search_proxy: %s\n", why.text);
    }
    /* The client first: calls that are left complete in here, and answer
     * their requests while evhttp is there to be answered. */
    vecwire_client_free(proxy->db);
    if (http != NULL)
        evhttp_free(http);
    vecwire_loop_free(proxy->loop);
    if (base != NULL)
        event_base_free(base);
    return good;
}

/* Begin the self-test's client, before there is a base that a fork would
 * share. -1: it could not; otherwise its end closes *done. */
static pid_t
begin_self_test(const struct proxy *proxy, int fd,
                const struct sockaddr_storage *address, socklen_t len,
                int *done)
{
    int ends[2];
    pid_t child;

    if (pipe(ends) != 0)
        return -1;
    child = fork();
    if (child == 0) {
        close(ends[0]);
        close(fd); /* so that connections end when the parent does */
        _exit(self_test_ask((const struct sockaddr *)address, len, proxy));
    }
    close(ends[1]);
    *done = ends[0];
    return child;
}

static bool
serve_self_test(const struct settings *settings, struct proxy *proxy, int fd,
                const struct sockaddr_storage *address, socklen_t len)
{
    int done = -1, status = -1;
    pid_t child = begin_self_test(proxy, fd, address, len, &done);
    bool good;

    if (child < 0) {
        perror("self-test");
        close(fd);
        good = false;
    } else {
        good = serve(settings, proxy, fd, done);
        good = waitpid(child, &status, 0) == child && status == 0 && good;
    }
    if (done >= 0)
        close(done);
    return good;
}

int
main(int argc, char **argv)
{
    struct settings settings = {.database = "http://127.0.0.1:8080",
                                .listen = "127.0.0.1:0",
                                .n_rows = 1000};
    struct proxy proxy = {0};
    struct sockaddr_storage address = {0};
    socklen_t len;
    bool good;
    int fd;

    if (!read_settings(argc, argv, &settings))
        return 2;
    proxy.direct = !settings.evhttp_path && settings.self_test == 0;
    proxy.n_measured = settings.self_test;
    proxy.n_rows = settings.n_rows;
    proxy.rows = make_rows(proxy.n_rows);
    fd = proxy.rows == NULL ? -1 : listen_on(settings.listen, &address, &len);
    if (fd < 0) {
        free(proxy.rows);
        return 1;
    }
    print_address(&address, len);
    /* evhttp writes with writev(): a client that has gone must not end us. */
    signal(SIGPIPE, SIG_IGN);
    if (settings.self_test == 0)
        good = serve(&settings, &proxy, fd, -1);
    else
        good = serve_self_test(&settings, &proxy, fd, &address, len);
    free(proxy.rows);
    printf("%lu answered, %lu failed, %lu canceled\n", proxy.n_answered,
           proxy.n_failed, proxy.n_canceled);
    return !good;
}
