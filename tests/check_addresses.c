/* SPDX-License-Identifier: Apache-2.0 */
/* How the connect limit is shared out over the addresses of a name: the
 * connections are real, the clock is the test's. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <check.h>
#include <event2/event.h>

#include "codec/mem.h"
#include "net/net.h"
#include "tests/fake_clock.h"

#define CONNECT_MS 1200

/* --- addresses that do not answer --- */

#define N_FILLERS 4

/* A listener whose queue is full: what connects to it gets no answer. */
struct deaf {
    int fds[N_FILLERS + 1];
    uint16_t port;
};

static struct sockaddr_in
loopback(uint8_t last)
{
    return (struct sockaddr_in){.sin_family = AF_INET,
                                .sin_addr.s_addr =
                                    htonl(INADDR_LOOPBACK - 1 + last)};
}

/* On 127.0.0.`last`, any port. False: what connects is answered all the same.
 */
static bool
deaf_init(struct deaf *deaf, uint8_t last)
{
    struct sockaddr_in sin = loopback(last);
    struct pollfd connected = {.events = POLLOUT};
    socklen_t len = sizeof(sin);

    deaf->fds[0] = socket(AF_INET, SOCK_STREAM, 0);
    ck_assert_int_ge(deaf->fds[0], 0);
    ck_assert_int_eq(bind(deaf->fds[0], (struct sockaddr *)&sin, len), 0);
    ck_assert_int_eq(listen(deaf->fds[0], 0), 0);
    ck_assert_int_eq(getsockname(deaf->fds[0], (struct sockaddr *)&sin, &len),
                     0);
    for (int i = 1; i <= N_FILLERS; i++) {
        deaf->fds[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
        ck_assert_int_ge(deaf->fds[i], 0);
        (void)connect(deaf->fds[i], (struct sockaddr *)&sin, len);
    }
    deaf->port = ntohs(sin.sin_port);
    connected.fd = deaf->fds[N_FILLERS];
    return poll(&connected, 1, 0) == 0;
}

static void
deaf_fini(struct deaf *deaf)
{
    for (int i = 0; i <= N_FILLERS; i++)
        close(deaf->fds[i]);
}

/* --- a name with three addresses --- */

struct names {
    struct event *event;
    char path[64];
    int fd;
};

/* Questions for IPv4 are answered with 127.0.0.1 to 127.0.0.3, others with
 * nothing. */
static void
on_question(evutil_socket_t fd, short what, void *arg)
{
    struct sockaddr_in from;
    socklen_t len = sizeof(from);
    uint8_t packet[512];
    ssize_t n = recvfrom(fd, packet, 400, 0, (struct sockaddr *)&from, &len);

    (void)what;
    (void)arg;
    ck_assert_int_gt(n, 16);
    packet[2] = 0x81;
    packet[3] = 0x80;
    if (packet[n - 3] == 1) {
        packet[7] = 3;
        for (uint8_t i = 1; i <= 3; i++) {
            const uint8_t answer[16] = {0xc0, 0x0c, 0, 1, 0,   1, 0, 0,
                                        0,    60,   0, 4, 127, 0, 0, i};

            memcpy(packet + n, answer, sizeof(answer));
            n += (ssize_t)sizeof(answer);
        }
    }
    sendto(fd, packet, (size_t)n, 0, (struct sockaddr *)&from, len);
}

static void
names_init(struct names *names, struct event_base *base)
{
    struct sockaddr_in sin = loopback(1);
    socklen_t len = sizeof(sin);
    int file;

    names->fd = socket(AF_INET, SOCK_DGRAM, 0);
    ck_assert_int_ge(names->fd, 0);
    ck_assert_int_eq(bind(names->fd, (struct sockaddr *)&sin, len), 0);
    ck_assert_int_eq(getsockname(names->fd, (struct sockaddr *)&sin, &len), 0);
    strcpy(names->path, "/tmp/vecwire-addresses-XXXXXX");
    file = mkstemp(names->path);
    ck_assert_int_ge(file, 0);
    ck_assert_int_gt(dprintf(file, "nameserver 127.0.0.1:%u\n",
                             (unsigned)ntohs(sin.sin_port)),
                     0);
    close(file);
    names->event =
        event_new(base, names->fd, EV_READ | EV_PERSIST, on_question, NULL);
    event_add(names->event, NULL);
}

static void
names_fini(struct names *names)
{
    event_free(names->event);
    close(names->fd);
    unlink(names->path);
}

/* --- one connection --- */

struct attempt {
    struct event_base *base;
    struct fake_clock clock;
    struct names names;
    struct vecwire__net *net;
    struct vecwire__conn *conn;
    struct vecwire__request req;
    bool connecting, lost;
    enum vecwire_err code;
};

static void
on_phase(struct vecwire__conn *conn, enum vecwire_phase phase)
{
    struct attempt *attempt = conn->lease;

    if (phase == VECWIRE_PHASE_CONNECTING)
        attempt->connecting = true;
    ck_assert_int_lt(phase, VECWIRE_PHASE_SENDING);
}

static void
on_lost(struct vecwire__conn *conn, const struct vecwire__loss *loss)
{
    struct attempt *attempt = conn->lease;

    attempt->lost = true;
    attempt->code = loss->code;
}

/* A few passes; those that wait for a packet on the loopback find it. */
static void
turn(struct attempt *attempt)
{
    for (int i = 0; i < 20; i++)
        event_base_loop(attempt->base, EVLOOP_NONBLOCK);
}

static void
attempt_init(struct attempt *attempt, uint16_t port)
{
    struct vecwire__net_config config = {
        .mem = &vecwire__mem_libc,
        .timers = &attempt->clock.timers,
        .events = {.phase = on_phase, .lost = on_lost},
        .url = {.port = 8080},
        .connect_ms = CONNECT_MS,
        .max_header_bytes = 65536,
        .max_header_lines = 128,
        .read_per_turn = 262144,
        .max_reply_bytes = 268435456};
    char text[64];
    const char *why;

    memset(attempt, 0, sizeof(*attempt));
    attempt->base = event_base_new();
    ck_assert_ptr_nonnull(attempt->base);
    fake_clock_init(&attempt->clock, NULL);
    names_init(&attempt->names, attempt->base);
    snprintf(text, sizeof(text), "http://db.example:%u", (unsigned)port);
    ck_assert_int_eq(vecwire__url_parse(&config.url, text, 8080, &why),
                     VECWIRE_OK);
    config.base = attempt->base;
    config.resolv_conf = attempt->names.path;
    ck_assert_int_eq(vecwire__net_new(&attempt->net, &config), VECWIRE_OK);
    attempt->req.method = VECWIRE__GET;
    attempt->req.path = "/";
    attempt->conn = vecwire__net_transport.open(attempt->net);
    ck_assert_ptr_nonnull(attempt->conn);
    attempt->conn->lease = attempt;
    ck_assert_int_eq(vecwire__net_transport.send(attempt->conn, &attempt->req),
                     VECWIRE_OK);
    for (int i = 0; i < 5000 && !attempt->connecting; i++) {
        event_base_loop(attempt->base, EVLOOP_NONBLOCK);
        if (i > 100)
            usleep(1000);
    }
    ck_assert(attempt->connecting);
    turn(attempt);
}

static void
attempt_fini(struct attempt *attempt)
{
    vecwire__net_free(attempt->net);
    turn(attempt);
    names_fini(&attempt->names);
    fake_clock_fini(&attempt->clock);
    event_base_free(attempt->base);
}

static void
pass_ms(struct attempt *attempt, unsigned ms)
{
    fake_clock_pass(&attempt->clock, ms * FAKE_MS);
    turn(attempt);
}

/* --- shares --- */

/* One of three addresses does not answer, those behind it refuse at once: how
 * long has the silent one? What the first did not use is for the others. */
static const struct share {
    const char *name;
    unsigned ms;
    enum vecwire_err code;
} shares[] = {
    {"first", CONNECT_MS / 3, VECWIRE_EREFUSED},
    {"second", CONNECT_MS / 2, VECWIRE_EREFUSED},
    {"last", CONNECT_MS, VECWIRE_ETIMEDOUT},
};

START_TEST(a_silent_address_has_an_even_share_of_what_is_left)
{
    const struct share *share = &shares[_i];
    struct deaf deaf;
    struct attempt attempt;

    if (!deaf_init(&deaf, (uint8_t)(_i + 1))) {
        printf("SKIP a_silent_address_has_an_even_share_of_what_is_left, %s: "
               "a full listener answers here\n",
               share->name);
        deaf_fini(&deaf);
        return;
    }
    attempt_init(&attempt, deaf.port);
    pass_ms(&attempt, share->ms - 1);
    ck_assert(!attempt.lost);
    pass_ms(&attempt, 1);
    ck_assert(attempt.lost);
    ck_assert_int_eq(attempt.code, share->code);
    attempt_fini(&attempt);
    deaf_fini(&deaf);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("addresses");
    TCase *tc = tcase_create("addresses");
    SRunner *runner;
    int failed;

    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, a_silent_address_has_an_even_share_of_what_is_left,
                        0, 3);
    suite_add_tcase(suite, tc);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
