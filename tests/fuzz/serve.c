/* SPDX-License-Identifier: Apache-2.0 */
/* The server of `vecwire serve`, and clients that say anything, in any pieces:
 * what it answers is HTTP, it answers the next client, and it gives back every
 * descriptor. (Memory is looked after by the leak checker.)
 *
 * Input: what the client says on its connection. 0xff and a byte behind it do
 * something, see act(). */
#include <errno.h>
#include <signal.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <event2/event.h>
#include <vecwire/loop.h>

#include "server/server.h"
#include "tests/fuzz/fuzz.h"

#define MAX_CONNS 4
#define MAX_PASSES 48

/* One of the clients. */
struct peer {
    int fd;
    size_t n; /* bytes heard */
    char first[16];
};

static struct event_base *base;
static struct vecwire__server *server;
static struct peer peers[MAX_CONNS];
static size_t n_peers;
static unsigned passes;
static bool deaf;

/* --- one connection --- */

/* libFuzzer's clock is a signal, which may come in between. */
static bool
is_connected(int fd, const struct sockaddr_in *to)
{
    int rc;

    do
        rc = connect(fd, (const struct sockaddr *)to, sizeof(*to));
    while (rc != 0 && errno == EINTR);
    return rc == 0 || errno == EISCONN;
}

static struct peer *
call_up(void)
{
    const struct linger reset = {1, 0};
    struct sockaddr_in to = {.sin_family = AF_INET};
    struct peer *peer = &peers[n_peers++];
    unsigned port = 0;

    memset(peer, 0, sizeof(*peer));
    FUZZ_REQUIRE(
        sscanf(vecwire__server_url(server), "http://127.0.0.1:%u", &port) == 1,
        "%s", vecwire__server_url(server));
    to.sin_port = htons((uint16_t)port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    peer->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    /* A thousand of them a second must not wait for their end in the kernel. */
    FUZZ_REQUIRE(peer->fd >= 0 &&
                     setsockopt(peer->fd, SOL_SOCKET, SO_LINGER, &reset,
                                sizeof(reset)) == 0 &&
                     is_connected(peer->fd, &to),
                 "no connection: %s", strerror(errno));
    return peer;
}

static void
hang_up(struct peer *peer)
{
    if (peer->fd >= 0)
        close(peer->fd);
    peer->fd = -1;
}

/* What comes is a reply. False: no more will. */
static bool
hear(struct peer *peer)
{
    char bytes[16384];
    ssize_t n;

    while ((n = recv(peer->fd, bytes, sizeof(bytes), MSG_DONTWAIT)) > 0) {
        size_t room = sizeof(peer->first) - 1;

        if (peer->n < room)
            memcpy(peer->first + peer->n, bytes,
                   (size_t)n < room - peer->n ? (size_t)n : room - peer->n);
        peer->n += (size_t)n;
        /* evhttp answers in the version that it was asked in. */
        FUZZ_REQUIRE(strncmp(peer->first, "HTTP/", peer->n < 5 ? peer->n : 5) ==
                         0,
                     "it says %s", peer->first);
    }
    return n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

static void
pass(void)
{
    FUZZ_REQUIRE(event_base_loop(base, EVLOOP_NONBLOCK) >= 0, "the loop");
    for (size_t i = 0; i < n_peers; i++) {
        if (peers[i].fd >= 0 && !deaf)
            (void)hear(&peers[i]);
    }
}

/* --- what the input says --- */

static void
say(const uint8_t *bytes, size_t len)
{
    const struct peer *peer = &peers[n_peers - 1];

    if (peer->fd >= 0 && len > 0)
        (void)send(peer->fd, bytes, len, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void
act(uint8_t what)
{
    struct peer *peer = &peers[n_peers - 1];

    switch (what % 6) {
    case 1:
        hang_up(peer);
        break;
    case 2:
        if (peer->fd >= 0)
            shutdown(peer->fd, SHUT_WR);
        break;
    case 3:
        /* The last one is for the question at the end. */
        if (n_peers < MAX_CONNS - 1)
            (void)call_up();
        break;
    case 4:
        deaf = !deaf;
        break;
    default:
        break;
    }
    if (passes++ < MAX_PASSES)
        pass();
}

static void
play(struct fuzz_input *input)
{
    while (input->left > 0) {
        const uint8_t *mark = memchr(input->at, 0xff, input->left);
        size_t len = mark == NULL ? input->left : (size_t)(mark - input->at);

        say(input->at, len);
        input->at += len;
        input->left -= len;
        if (mark == NULL)
            break;
        (void)fuzz_byte(input);
        act(fuzz_byte(input));
    }
    for (int i = 0; i < 3; i++)
        pass();
}

/* --- the end --- */

static void
ask_once_more(void)
{
    static const char question[] = "GET /ping HTTP/1.1\r\nHost: a\r\n\r\n";
    struct peer *peer;

    deaf = false;
    peer = call_up();
    say((const uint8_t *)question, sizeof(question) - 1);
    for (int i = 0; i < 1000 && peer->n == 0; i++)
        pass();
    FUZZ_REQUIRE(strncmp(peer->first, "HTTP/1.1 200", 12) == 0,
                 "the next client hears \"%s\"", peer->first);
}

static void
end(void)
{
    vecwire__server_free(server);
    for (int i = 0; i < 3; i++)
        FUZZ_REQUIRE(event_base_loop(base, EVLOOP_NONBLOCK) >= 0, "the loop");
    for (size_t i = 0; i < n_peers; i++) {
        FUZZ_REQUIRE(peers[i].fd < 0 || !hear(&peers[i]),
                     "connection %zu is still open", i);
        hang_up(&peers[i]);
    }
    FUZZ_REQUIRE(event_base_get_num_events(base, EVENT_BASE_COUNT_ADDED |
                                                     EVENT_BASE_COUNT_ACTIVE) ==
                     0,
                 "events are left");
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    const struct vecwire__server_options options = {.dim = 2, .seed_rows = 2};
    struct fuzz_input input = {bytes, len};
    char err[256];

    if (base == NULL) {
        base = vecwire_event_base_new();
        /* As the program does. */
        signal(SIGPIPE, SIG_IGN);
    }
    FUZZ_REQUIRE(base != NULL, "no base");
    n_peers = 0;
    passes = 0;
    deaf = false;
    server = vecwire__server_new(base, &options, err, sizeof(err));
    FUZZ_REQUIRE(server != NULL, "%s", err);
    (void)call_up();
    play(&input);
    ask_once_more();
    end();
    return 0;
}
