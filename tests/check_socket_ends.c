/* SPDX-License-Identifier: Apache-2.0 */
/* A connection that breaks in the moment in which it comes up: evhttp closes
 * the descriptor by itself. The functions of the system that stand here in
 * front of the C library's bring that moment about and watch the close. */
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/client_rig.h"

static struct event_base *watched; /* NULL: not now */
static unsigned fail_at;           /* this SO_ERROR from here on; 0: none */
static int closed_fd;              /* by evhttp, after that */
static unsigned n_left, n_sent;    /* events on it then; bytes sent later */
static bool at_any;                /* look at every descriptor that is closed */

/* --- in front of the C library --- */

static int
count_if_on(const struct event_base *base, const struct event *event, void *arg)
{
    (void)base;
    n_left += event_get_fd(event) == *(int *)arg &&
              event_pending(event, EV_READ | EV_WRITE, NULL) != 0;
    return 0;
}

int
close(int fd)
{
    if (watched != NULL && (at_any || closed_fd == fd)) {
        event_base_foreach_event(watched, count_if_on, &fd);
        closed_fd = -2 - fd;
    }
    return (int)syscall(SYS_close, fd);
}

int
getsockopt(int fd, int level, int name, void *restrict value,
           socklen_t *restrict len)
{
    int rc = (int)syscall(SYS_getsockopt, fd, level, name, value, len);

    if (level == SOL_SOCKET && name == SO_ERROR && fail_at > 0 &&
        --fail_at == 0) {
        *(int *)value = ECONNRESET;
        closed_fd = fd;
    }
    return rc;
}

ssize_t
send(int fd, const void *bytes, size_t n, int flags)
{
    n_sent += closed_fd == -2 - fd;
    return (ssize_t)syscall(SYS_sendto, fd, bytes, n, flags, NULL, 0);
}

/* --- */

static const struct fault_step answers[] = {
    {FAULT_READ, NULL, 0}, FAULT_OK("hello", "5"), {FAULT_AGAIN, NULL, 0}};
static const struct fault_step *const scripts[] = {answers};

/* The first SO_ERROR is looked at by libevent's buffer, the second by
 * evhttp. */
START_TEST(nothing_is_left_on_a_descriptor_that_evhttp_closes)
{
    struct rig_outcome outcome = {0};
    struct client_rig rig;

    if (_i == 1)
        setenv("VECWIRE_OVER_TLS", "yes", 1);
    client_rig_init(&rig, scripts, 1, VECWIRE_OPTIONS(.attempts = 1));
    unsetenv("VECWIRE_OVER_TLS");
    watched = rig.base;
    fail_at = 2;
    closed_fd = -1;
    n_left = n_sent = 0;
    client_rig_get(&rig, &outcome);
    client_rig_run(&rig);
    ck_assert_int_eq(rig_outcome_code(&outcome), VECWIRE_EREFUSED);
    ck_assert_int_lt(closed_fd, -1);
    ck_assert_uint_eq(n_left, 0);
    ck_assert_uint_eq(n_sent, 0);
    watched = NULL;
    rig_outcome_fini(&outcome);
    client_rig_fini(&rig);
}
END_TEST

/* Ends of a connection in evhttp's own callbacks, of which one may be that of
 * an event on its descriptor. */
static const char *const replies[] = {
    "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello",
    ("HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n"
     "\r\n5\r\nhello\r\n0\r\n\r\n"),
    "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello, and more",
    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\n",
    "HTTP/1.1 103 Early Hints\r\n\r\n",
    "no HTTP\r\n\r\n",
};
#define N_REPLIES ((int)(sizeof(replies) / sizeof(replies[0])))

START_TEST(nothing_is_left_on_a_descriptor_that_is_closed_behind_a_reply)
{
    const struct fault_step script[] = {{FAULT_READ, NULL, 0},
                                        {FAULT_SEND, replies[_i / 2], 0},
                                        {FAULT_STALL, NULL, 0}};
    const struct fault_step *const one[] = {script};
    struct rig_outcome outcome = {0};
    struct client_rig rig;

    if (_i % 2 == 1)
        setenv("VECWIRE_OVER_TLS", "yes", 1);
    client_rig_init(&rig, one, 1, VECWIRE_OPTIONS(.attempts = 1));
    unsetenv("VECWIRE_OVER_TLS");
    closed_fd = -1;
    n_left = 0;
    at_any = true;
    watched = rig.base;
    client_rig_get(&rig, &outcome);
    client_rig_run(&rig);
    watched = NULL;
    at_any = false;
    ck_assert_int_lt(closed_fd, -1);
    ck_assert_uint_eq(n_left, 0);
    rig_outcome_fini(&outcome);
    client_rig_fini(&rig);
}
END_TEST

static void
add_tests(TCase *tc)
{
#ifndef VECWIRE_NO_OPENSSL
    int n = 2;
#else
    int n = 1;
#endif

    tcase_add_loop_test(tc, nothing_is_left_on_a_descriptor_that_evhttp_closes,
                        0, n);
    for (int i = 0; i < 2 * N_REPLIES; i++)
        if (i % 2 < n)
            tcase_add_loop_test(
                tc,
                nothing_is_left_on_a_descriptor_that_is_closed_behind_a_reply,
                i, i + 1);
}

int
main(void)
{
    return client_rig_main("socket_ends", add_tests);
}
