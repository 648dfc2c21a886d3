/* SPDX-License-Identifier: Apache-2.0 */
/* How the connect limit is shared out over the addresses of a name: the
 * connections are real, the clock is the test's. */
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
#include "tests/name_server.h"

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

/* IPv4 has three, IPv6 none. */
static const struct name_rule three = {
    .a = {.addresses = "127.0.0.1 127.0.0.2 127.0.0.3", .ttl = 60}};

/* --- one connection --- */

struct attempt {
    struct event_base *base;
    struct fake_clock clock;
    struct name_server *names;
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
    attempt->names = name_server_new(attempt->base, "127.0.0.1", &three, 1);
    snprintf(text, sizeof(text), "http://db.example:%u", (unsigned)port);
    ck_assert_int_eq(vecwire__url_parse(&config.url, text, 8080, &why),
                     VECWIRE_OK);
    config.base = attempt->base;
    config.resolv_conf = name_server_conf(attempt->names);
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
    name_server_free(attempt->names);
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
