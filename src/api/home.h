/* SPDX-License-Identifier: Apache-2.0 */
/* The process that a client belongs to. A child that fork() made has copies of
 * everything, but shares the sockets and libevent's epoll set: what it does to
 * these, it does to its parent. */
#ifndef VECWIRE_API_HOME_H
#define VECWIRE_API_HOME_H

#include <stdbool.h>
#include <sys/types.h>
#include <unistd.h>

struct vecwire__home {
    /* A page that the kernel wipes in a child: 0 there. NULL: it cannot, and
     * asking costs a system call. */
    const volatile unsigned char *mark;
    size_t bytes; /* of the page */
    pid_t pid;
};

void vecwire__home_init(struct vecwire__home *home);
void vecwire__home_fini(struct vecwire__home *home);

/* Is this a child of that process? */
static inline bool
vecwire__home_left(const struct vecwire__home *home)
{
    return home->mark != NULL ? *home->mark == 0 : getpid() != home->pid;
}

#endif
