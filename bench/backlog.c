/* SPDX-License-Identifier: Apache-2.0 */
/* Many calls wait for a server that hangs; then all of them end. What is done
 * inside measured() is what bench/backlog.sh counts, by the instruction.
 *
 *   backlog free|close|deadline|cancel|answers|refuse CALLS [CONNECTIONS]
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <event2/event.h>
#include <vecwire/vecwire.h>

#define MAX_CONNECTIONS 1024

static struct event_base *base;
static struct vecwire_client *client;
static vecwire_call_id *ids;
static nfds_t n_connections = 8;
static size_t n_calls, n_ended, n_out_of_order;
static uint32_t deadline_ms = VECWIRE_NEVER;

void measured(void (*end)(void));

static void
fail(const char *what)
{
    fprintf(stderr, "backlog: %s\n", what);
    exit(1);
}

static void
on_reply(const struct vecwire_reply *reply, void *arg)
{
    const vecwire_call_id *mine = arg;

    n_out_of_order += mine != NULL && mine != &ids[n_ended];
    (void)reply;
    n_ended++;
}

static enum vecwire_err
submit(vecwire_call_id *id)
{
    return vecwire_raw(
        client,
        &VECWIRE_RAW(.path = "/",
                     .call = &VECWIRE_CALL_OPTIONS(.deadline_ms = deadline_ms)),
        on_reply, id, id);
}

static void
run(void)
{
    while (n_ended < n_calls)
        event_base_loop(base, EVLOOP_ONCE);
}

/* --- the server: takes connections, and answers once it is told to --- */

static int
listen_here(struct sockaddr_in *sin)
{
    socklen_t len = sizeof(*sin);
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    *sin = (struct sockaddr_in){.sin_family = AF_INET,
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (fd < 0 || bind(fd, (struct sockaddr *)sin, len) != 0 ||
        listen(fd, MAX_CONNECTIONS) != 0 ||
        getsockname(fd, (struct sockaddr *)sin, &len) != 0)
        fail("no server");
    return fd;
}

static void
serve(int listener)
{
    static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    struct pollfd fds[MAX_CONNECTIONS];
    char bytes[4096];

    for (nfds_t i = 0; i < n_connections; i++)
        fds[i] = (struct pollfd){accept(listener, NULL, NULL), POLLIN, 0};
    while (poll(fds, n_connections, -1) > 0) {
        for (nfds_t i = 0; i < n_connections; i++) {
            if ((fds[i].revents & (POLLIN | POLLHUP | POLLERR)) == 0)
                continue;
            if (read(fds[i].fd, bytes, sizeof(bytes)) <= 0 ||
                write(fds[i].fd, answer, sizeof(answer) - 1) < 0)
                return;
        }
    }
}

/* --- how they end --- */

static void
by_free(void)
{
    vecwire_client_free(client);
    client = NULL;
}

static void
by_close(void)
{
    if (vecwire_client_close(client, 0, NULL, NULL) != VECWIRE_OK)
        fail("not closed");
    run();
}

static void
by_cancel(void)
{
    for (size_t i = 0; i < n_calls; i++)
        if (!vecwire_cancel(client, ids[i]))
            fail("not canceled");
    run();
}

static void
by_refusal(void)
{
    for (size_t i = 0; i < n_calls; i++)
        if (submit(NULL) != VECWIRE_EFULL)
            fail("not refused");
}

__attribute__((noinline)) void
measured(void (*end)(void))
{
    end();
    __asm__ volatile("" ::: "memory");
}

static void
shuffle(void)
{
    uint64_t random = 1;

    for (size_t i = n_calls - 1; i > 0; i--) {
        vecwire_call_id id = ids[i];
        size_t other;

        random = random * UINT64_C(6364136223846793005) + 1442695040888963407U;
        other = (size_t)(random >> 33) % (i + 1);
        ids[i] = ids[other];
        ids[other] = id;
    }
}

static void
begin(const struct sockaddr_in *sin)
{
    char url[64];

    base = vecwire_event_base_new();
    snprintf(url, sizeof(url), "http://127.0.0.1:%u",
             (unsigned)ntohs(sin->sin_port));
    if (vecwire_client_new(
            &client, base,
            &VECWIRE_OPTIONS(.url = url, .connections = (uint32_t)n_connections,
                             .max_waiting = (uint32_t)(n_calls - n_connections),
                             .max_waiting_bytes = UINT64_MAX)) != VECWIRE_OK)
        fail("no client");
    for (size_t i = 0; i < n_calls; i++)
        if (submit(&ids[i]) != VECWIRE_OK)
            fail("not taken");
}

static const struct way {
    const char *name;
    void (*end)(void);
} ways[] = {{"free", by_free},     {"close", by_close}, {"deadline", run},
            {"cancel", by_cancel}, {"answers", run},    {"refuse", by_refusal}};

static const struct way *
find(const char *name)
{
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
        if (strcmp(ways[i].name, name) == 0)
            return &ways[i];
    fail("free, close, deadline, cancel, answers or refuse?");
    return NULL;
}

int
main(int argc, char **argv)
{
    const struct way *way = find(argc == 3 || argc == 4 ? argv[1] : "");
    struct sockaddr_in sin;
    int listener = listen_here(&sin);
    pid_t server = -1;

    n_calls = strtoul(argv[2], NULL, 10);
    if (argc == 4)
        n_connections = strtoul(argv[3], NULL, 10);
    if (n_connections < 1 || n_connections > MAX_CONNECTIONS)
        fail("CONNECTIONS?");
    ids = calloc(n_calls, sizeof(*ids));
    if (n_calls <= n_connections || ids == NULL)
        fail("CALLS?");
    if (strcmp(way->name, "deadline") == 0)
        deadline_ms = 1;
    begin(&sin);
    for (int i = 0; strcmp(way->name, "deadline") != 0 && i < 4; i++)
        event_base_loop(base, EVLOOP_NONBLOCK);
    if (strcmp(way->name, "cancel") == 0)
        shuffle();
    if (strcmp(way->name, "answers") == 0) {
        server = fork();
        if (server == 0) {
            serve(listener);
            _exit(0);
        }
    }
    /* The last deadlines pass meanwhile. */
    poll(NULL, 0, 5);
    measured(way->end);
    if (way->end != by_refusal && n_ended != n_calls)
        fail("a call has not ended");
    if (way->end != by_cancel && way->end != by_refusal && n_out_of_order > 0 &&
        server < 0)
        fail("calls ended out of order");
    vecwire_client_free(client);
    event_base_free(base);
    if (server > 0)
        waitpid(server, NULL, 0);
    free(ids);
    return 0;
}
