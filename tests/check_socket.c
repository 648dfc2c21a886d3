/* SPDX-License-Identifier: Apache-2.0 */
/* What the library does with the descriptors of its connections. sendmsg()
 * below is found before the C library's, to see and to play the kernel. */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tests/client_rig.h"

#define MIB ((size_t)1 << 20)

static unsigned n_broken;  /* writes that ended in EPIPE */
static bool bottomless;    /* sockets are never full, and nothing arrives */
static size_t n_swallowed; /* bytes they took */

static unsigned n_marked, n_unmarked; /* writes with MSG_NOSIGNAL, without */

static void
note_flags(int flags)
{
    if ((flags & MSG_NOSIGNAL) != 0)
        n_marked++;
    else
        n_unmarked++;
}

static ssize_t
swallow(const struct msghdr *message)
{
    size_t n = 0;

    for (size_t i = 0; i < message->msg_iovlen; i++)
        n += message->msg_iov[i].iov_len;
    n_swallowed += n;
    return (ssize_t)n;
}

ssize_t
sendmsg(int fd, const struct msghdr *message, int flags)
{
    ssize_t n;

    note_flags(flags);
    if (bottomless)
        return swallow(message);
    n = syscall(SYS_sendmsg, fd, message, flags);
    if (n < 0 && errno == EPIPE)
        n_broken++;
    return n;
}

ssize_t
send(int fd, const void *bytes, size_t n, int flags)
{
    note_flags(flags);
    return syscall(SYS_sendto, fd, bytes, n, flags, NULL, 0);
}

/* These have no flags. */
static void
note_plain(int fd)
{
    struct stat stat;

    if (fstat(fd, &stat) == 0 && S_ISSOCK(stat.st_mode))
        n_unmarked++;
}

ssize_t
write(int fd, const void *bytes, size_t n)
{
    note_plain(fd);
    return syscall(SYS_write, fd, bytes, n);
}

ssize_t
writev(int fd, const struct iovec *parts, int n)
{
    note_plain(fd);
    return syscall(SYS_writev, fd, parts, n);
}

static const struct fault_step answers[] = {
    {FAULT_READ, NULL, 0}, FAULT_OK("hello", "5"), {FAULT_AGAIN, NULL, 0}};

/* --- flags --- */

START_TEST(a_connection_does_not_wait_to_send_small_requests)
{
    static const struct fault_step *const scripts[] = {answers};
    struct client_rig rig;
    struct rig_outcome outcome;
    int on = 0;
    socklen_t len = sizeof(on);

    client_rig_init(&rig, scripts, 1, VECWIRE_OPTIONS(.url = NULL));
    client_rig_get(&rig, &outcome);
    client_rig_run(&rig);
    ck_assert_int_eq(getsockopt(client_rig_descriptor(&rig), IPPROTO_TCP,
                                TCP_NODELAY, &on, &len),
                     0);
    ck_assert_int_ne(on, 0);
    rig_outcome_fini(&outcome);
    client_rig_fini(&rig);
}
END_TEST

START_TEST(a_connection_is_closed_in_programs_that_the_host_starts)
{
    static const struct fault_step *const scripts[] = {answers};
    struct client_rig rig;
    struct rig_outcome outcome;
    int flags;

    client_rig_init(&rig, scripts, 1, VECWIRE_OPTIONS(.url = NULL));
    client_rig_get(&rig, &outcome);
    client_rig_run(&rig);
    flags = fcntl(client_rig_descriptor(&rig), F_GETFD);
    ck_assert_int_ge(flags, 0);
    ck_assert_int_ne(flags & FD_CLOEXEC, 0);
    rig_outcome_fini(&outcome);
    client_rig_fini(&rig);
}
END_TEST

/* --- SIGPIPE --- */

/* Answers, and is gone: FIN and RST are there before the answer is read. */
static const struct fault_step answers_and_goes[] = {
    {FAULT_READ, NULL, 0},
    FAULT_OK("hello", "5"),
    {FAULT_HALF_CLOSE, NULL, 0},
    {FAULT_RESET, NULL, 0}};

/* The second call has waited for the connection of the first, and is written
 * to it as soon as that is answered. */
START_TEST(a_write_to_a_broken_connection_does_not_kill_the_process)
{
    static const struct fault_step *const scripts[] = {answers_and_goes,
                                                       answers};
    struct client_rig rig;
    struct rig_outcome first, second;

    ck_assert(signal(SIGPIPE, SIG_DFL) != SIG_ERR);
    n_broken = 0;
    client_rig_init(&rig, scripts, 2, VECWIRE_OPTIONS(.connections = 1));
    client_rig_get(&rig, &first);
    client_rig_get(&rig, &second);
    client_rig_run(&rig);
    ck_assert_int_eq(rig_outcome_code(&first), VECWIRE_OK);
    ck_assert_int_eq(rig_outcome_code(&second), VECWIRE_OK);
    ck_assert_uint_eq(n_broken, 1);
    ck_assert_uint_eq(vecwire_reply_attempts(second.reply), 2);
    rig_outcome_fini(&first);
    rig_outcome_fini(&second);
    client_rig_fini(&rig);
}
END_TEST

#ifdef VECWIRE_NO_OPENSSL
#define N_WAYS 1
#else
#define N_WAYS 2 /* plain, over TLS */
#endif

/* Handshake, requests small and large, goodbye: whatever the peer has done
 * meanwhile, none of it can raise a signal. */
START_TEST(every_write_to_a_socket_is_marked_to_raise_no_signal)
{
    static const struct fault_step *const scripts[] = {answers};
    char *body = calloc(1, MIB);
    struct client_rig rig;
    struct rig_outcome outcome;

    ck_assert_ptr_nonnull(body);
    n_marked = n_unmarked = 0;
    if (_i == 1)
        setenv("VECWIRE_OVER_TLS", "yes", 1);
    client_rig_init(&rig, scripts, 1, VECWIRE_OPTIONS(.url = NULL));
    client_rig_get(&rig, &outcome);
    client_rig_run(&rig);
    rig_outcome_fini(&outcome);
    client_rig_post(&rig, &outcome, body, MIB);
    client_rig_run(&rig);
    ck_assert_int_eq(rig_outcome_code(&outcome), VECWIRE_OK);
    rig_outcome_fini(&outcome);
    client_rig_fini(&rig);
    unsetenv("VECWIRE_OVER_TLS");
    ck_assert_uint_ge(n_marked, 4);
    ck_assert_uint_eq(n_unmarked, 0);
    free(body);
}
END_TEST

/* --- turns --- */

static const struct fault_step silent[] = {{FAULT_STALL, NULL, 0}};

struct ticker {
    struct event *event;
    unsigned ticks;
};

/* In each pass. */
static void
on_tick(evutil_socket_t fd, short what, void *arg)
{
    static const struct timeval at_once = {0, 0};
    struct ticker *ticker = arg;

    (void)fd;
    (void)what;
    ticker->ticks++;
    event_add(ticker->event, &at_once);
}

#define LONG_BODY (40 * MIB)

/* However fast the peer: a turn is a MiB, and what else the host has to do
 * comes in between. */
START_TEST(a_long_request_leaves_the_host_its_turns)
{
    static const struct fault_step *const scripts[] = {silent};
    char *body = calloc(1, LONG_BODY);
    unsigned passes = 0;
    struct client_rig rig;
    struct rig_outcome outcome;
    struct ticker ticker = {NULL, 0};

    ck_assert_ptr_nonnull(body);
    n_swallowed = 0;
    client_rig_init(&rig, scripts, 1, VECWIRE_OPTIONS(.url = NULL));
    ticker.event = event_new(rig.base, -1, 0, on_tick, &ticker);
    event_active(ticker.event, EV_TIMEOUT, 0);
    bottomless = true;
    client_rig_post(&rig, &outcome, body, LONG_BODY);
    while (n_swallowed < LONG_BODY && passes < 1000) {
        size_t before = n_swallowed;

        ck_assert_int_eq(event_base_loop(rig.base, EVLOOP_ONCE), 0);
        ck_assert_uint_le(n_swallowed - before, 4 * MIB);
        passes++;
    }
    ck_assert_uint_ge(n_swallowed, LONG_BODY);
    ck_assert_uint_ge(passes, 10);
    ck_assert_uint_ge(ticker.ticks, 10);
    bottomless = false;
    event_free(ticker.event);
    vecwire_client_free(rig.client);
    rig.client = NULL;
    ck_assert_int_eq(rig_outcome_code(&outcome), VECWIRE_ECLOSED);
    rig_outcome_fini(&outcome);
    client_rig_fini(&rig);
    free(body);
}
END_TEST

static void
add_tests(TCase *tc)
{
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, a_connection_does_not_wait_to_send_small_requests);
    tcase_add_test(tc, a_connection_is_closed_in_programs_that_the_host_starts);
    tcase_add_test(tc,
                   a_write_to_a_broken_connection_does_not_kill_the_process);
    tcase_add_loop_test(
        tc, every_write_to_a_socket_is_marked_to_raise_no_signal, 0, N_WAYS);
    tcase_add_test(tc, a_long_request_leaves_the_host_its_turns);
}

int
main(void)
{
    return client_rig_main("socket", add_tests);
}
