/* SPDX-License-Identifier: Apache-2.0 */
/* A library to preload: it counts the returns of the kernel's readiness waits
 * and the calls of epoll_ctl in a program that knows nothing of it.
 *
 *   VECWIRE_COUNT_FILE=FILE-OR-FD LD_PRELOAD=./epoll_count.so program
 *
 * At exit one line is appended to that file or written to that descriptor:
 *   program=NAME pid=N waits=N epoll_ctl=N epoll_wait=N epoll_pwait=N ...
 * where waits is the sum of all waits. Without the variable nothing is
 * printed. A child process that runs to its exit adds a line of its own.
 *
 * A program may also look up epoll_count_waits() with dlsym() and compare two
 * readings. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

/* Also under -fvisibility=hidden. */
#define EXPORTED __attribute__((visibility("default")))

/* Name, parameters and arguments of each counted wait. */
#define WAIT_MAP(X)                                                            \
    X(epoll_wait, (int epfd, struct epoll_event *ev, int max, int timeout),    \
      (epfd, ev, max, timeout))                                                \
    X(epoll_pwait,                                                             \
      (int epfd, struct epoll_event *ev, int max, int timeout,                 \
       const sigset_t *mask),                                                  \
      (epfd, ev, max, timeout, mask))                                          \
    X(epoll_pwait2,                                                            \
      (int epfd, struct epoll_event *ev, int max,                              \
       const struct timespec *timeout, const sigset_t *mask),                  \
      (epfd, ev, max, timeout, mask))                                          \
    X(poll, (struct pollfd * fds, nfds_t n, int timeout), (fds, n, timeout))   \
    X(ppoll,                                                                   \
      (struct pollfd * fds, nfds_t n, const struct timespec *timeout,          \
       const sigset_t *mask),                                                  \
      (fds, n, timeout, mask))                                                 \
    X(select,                                                                  \
      (int n, fd_set *restrict in, fd_set *restrict out,                       \
       fd_set *restrict except, struct timeval *restrict timeout),             \
      (n, in, out, except, timeout))                                           \
    X(pselect,                                                                 \
      (int n, fd_set *restrict in, fd_set *restrict out,                       \
       fd_set *restrict except, const struct timespec *restrict timeout,       \
       const sigset_t *restrict mask),                                         \
      (n, in, out, except, timeout, mask))

enum wait {
#define X(name, params, args) WAIT_##name,
    WAIT_MAP(X)
#undef X
        N_WAITS
};

static atomic_ulong n_waits[N_WAITS];
static atomic_ulong n_ctl;

EXPORTED unsigned long epoll_count_waits(void);
EXPORTED unsigned long epoll_count_ctl(void);

/* The next definition of `name` for `*next`, looked up once. False, with
 * errno ENOSYS, where the C library has none. */
static bool
find_next(void *_Atomic *cache, const char *name, void *next)
{
    void *function = atomic_load_explicit(cache, memory_order_relaxed);

    if (function == NULL) {
        function = dlsym(RTLD_NEXT, name);
        atomic_store_explicit(cache, function, memory_order_relaxed);
    }
    /* ISO C has no cast from an object pointer to a function pointer. */
    memcpy(next, &function, sizeof(function));
    if (function == NULL)
        errno = ENOSYS;
    return function != NULL;
}

#define X(name, params, args)                                                  \
    EXPORTED int name params                                                   \
    {                                                                          \
        static void *_Atomic cache;                                            \
        int(*next) params;                                                     \
        int result;                                                            \
                                                                               \
        if (!find_next(&cache, #name, &next))                                  \
            return -1;                                                         \
        result = next args;                                                    \
        atomic_fetch_add_explicit(&n_waits[WAIT_##name], 1,                    \
                                  memory_order_relaxed);                       \
        return result;                                                         \
    }
WAIT_MAP(X)
#undef X

EXPORTED int
epoll_ctl(int epfd, int op, int fd, struct epoll_event *ev)
{
    static void *_Atomic cache;
    int (*next)(int, int, int, struct epoll_event *);

    if (!find_next(&cache, "epoll_ctl", &next))
        return -1;
    atomic_fetch_add_explicit(&n_ctl, 1, memory_order_relaxed);
    return next(epfd, op, fd, ev);
}

/* Returns of all readiness waits of this process so far. */
unsigned long
epoll_count_waits(void)
{
    unsigned long sum = 0;

    for (int i = 0; i < N_WAITS; i++)
        sum += atomic_load_explicit(&n_waits[i], memory_order_relaxed);
    return sum;
}

/* Calls of epoll_ctl so far. */
unsigned long
epoll_count_ctl(void)
{
    return atomic_load_explicit(&n_ctl, memory_order_relaxed);
}

/* A forked child starts at zero: what its parent did is not its own. */
static void
forget(void)
{
    for (int i = 0; i < N_WAITS; i++)
        atomic_store(&n_waits[i], 0);
    atomic_store(&n_ctl, 0);
}

static void __attribute__((constructor)) begin(void)
{
    pthread_atfork(NULL, NULL, forget);
}

static void
put_line(int fd)
{
    static const char *const names[] = {
#define X(name, params, args) #name,
        WAIT_MAP(X)
#undef X
    };
    char line[512];
    int len = snprintf(line, sizeof(line),
                       "program=%s pid=%ld waits=%lu epoll_ctl=%lu",
                       program_invocation_short_name, (long)getpid(),
                       epoll_count_waits(), epoll_count_ctl());

    for (int i = 0; i < N_WAITS && len > 0 && (size_t)len < sizeof(line); i++)
        len += snprintf(line + len, sizeof(line) - (size_t)len, " %s=%lu",
                        names[i], atomic_load(&n_waits[i]));
    if (len <= 0 || (size_t)len + 1 >= sizeof(line))
        return;
    line[len++] = '\n';
    /* One write: lines of several processes do not mix. */
    if (write(fd, line, (size_t)len) != (ssize_t)len)
        return;
}

static void __attribute__((destructor)) report(void)
{
    const char *where = getenv("VECWIRE_COUNT_FILE");
    char *end;
    long fd;

    if (where == NULL || *where == '\0')
        return;
    fd = strtol(where, &end, 10);
    if (*end == '\0') {
        put_line((int)fd);
        return;
    }
    fd = open(where, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (fd < 0)
        return;
    put_line((int)fd);
    close((int)fd);
}
