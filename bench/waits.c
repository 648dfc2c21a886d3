/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's readiness waits, defined in the program itself: with -rdynamic
 * every library calls these, so the count is exact for any of them. */
#include "bench.h"

#include <signal.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#define KERNEL_SIGSET_SIZE 8

/* Seen by the libraries also under -fvisibility=hidden. */
#define EXPORTED __attribute__((visibility("default")))

static uint64_t n_waits;

uint64_t
bench_waits(void)
{
    return n_waits;
}

EXPORTED int
epoll_pwait(int epfd, struct epoll_event *events, int max, int timeout,
            const sigset_t *mask)
{
    long n = syscall(SYS_epoll_pwait, epfd, events, max, timeout, mask,
                     KERNEL_SIGSET_SIZE);

    n_waits++;
    return (int)n;
}

EXPORTED int
epoll_wait(int epfd, struct epoll_event *events, int max, int timeout)
{
#ifdef SYS_epoll_wait
    long n = syscall(SYS_epoll_wait, epfd, events, max, timeout);

    n_waits++;
    return (int)n;
#else
    return epoll_pwait(epfd, events, max, timeout, NULL);
#endif
}

#ifdef SYS_epoll_pwait2
EXPORTED int
epoll_pwait2(int epfd, struct epoll_event *events, int max,
             const struct timespec *timeout, const sigset_t *mask)
{
    long n = syscall(SYS_epoll_pwait2, epfd, events, max, timeout, mask,
                     KERNEL_SIGSET_SIZE);

    n_waits++;
    return (int)n;
}
#endif
