/* SPDX-License-Identifier: Apache-2.0 */
/* Which call gets which connection: idle ones last in first out, waiting
 * calls first in first out, bounded. Knows no libevent.
 *
 * A connection is connecting or leased (conn->idle false) or idle; all count
 * as open. A new one is opened whenever a waiter is there, none is idle and
 * the cap allows it; a fresh waiter closes an idle one where it does not.
 *
 * While timers fire, waiters whose deadline is among the times that have come
 * are passed over: theirs is about to fire, and to connect for each of them
 * would help nobody.
 *
 * A lease is granted by one upcall, grant(), at most once per ask, in the
 * order of the queue. It may call any function here but _init and _fini;
 * what it then asks for or gives back is served after it has returned, so
 * the pool must outlive the outermost call. Each operation is O(1), but for
 * the timers' heap, for connections that are closed or granted in it, and for
 * waiters passed over: once for each connection whose call's time is up. */
#ifndef VECWIRE_POOL_POOL_H
#define VECWIRE_POOL_POOL_H

#include <sys/queue.h>

#include "net/timers.h"
#include "net/transport.h"

/* One call that wants a connection, embedded in it. */
struct vecwire__waiter {
    TAILQ_ENTRY(vecwire__waiter) link;
    size_t bytes; /* what it holds while it waits: counted against the cap */
    uint64_t until_ns; /* its deadline; 0 or UINT64_MAX: none */
    bool waiting;      /* it is in the queue */
    bool fresh;        /* it must get a connection that was never used */
};

TAILQ_HEAD(vecwire__conn_list, vecwire__conn);
TAILQ_HEAD(vecwire__waiter_list, vecwire__waiter);

struct vecwire__pool {
    const struct vecwire__transport *transport;
    void *net;
    struct vecwire__timers *timers;
    /* `conn` is this waiter's until it is given back or dropped. conn NULL:
     * no memory to open one, and no other to wait for. */
    void (*grant)(struct vecwire__waiter *waiter, struct vecwire__conn *conn);
    size_t max_open, max_waiting; /* max_open >= 1 */
    uint64_t max_bytes;
    uint64_t idle_ns; /* closed by us after so long; UINT64_MAX: never */
    /* From here on the pool's own. */
    struct vecwire__conn_list idle; /* latest first */
    struct vecwire__waiter_list waiters;
    size_t n_open, n_idle, n_waiting;
    uint64_t waiting_bytes;
    struct vecwire__timer idle_timer; /* for the last of `idle` */
    bool serving;                     /* grant() may be running */
    bool closed; /* opens nothing and keeps nothing idle any more */
};

/* The caller has filled in transport .. idle_ns. */
void vecwire__pool_init(struct vecwire__pool *pool);

/* Close every idle connection; no lease and no waiter may be left. */
void vecwire__pool_fini(struct vecwire__pool *pool);

/* May one more call with so many bytes come? VECWIRE_EFULL: it would have to
 * wait and there is no room. */
enum vecwire_err vecwire__pool_admit(const struct vecwire__pool *pool,
                                     size_t bytes);

/* Queue a waiter, at the end or (`first`) at the front, and serve the queue:
 * grant() may run inside. */
void vecwire__pool_ask(struct vecwire__pool *pool,
                       struct vecwire__waiter *waiter, bool first);

/* Take a waiter out of the queue; it is not granted. Not waiting: nothing. */
void vecwire__pool_forget(struct vecwire__pool *pool,
                          struct vecwire__waiter *waiter);

/* A lease has ended well: the first waiter gets the connection at once
 * (grant() runs inside), or it becomes idle. The look before a lease costs
 * nothing here, see quiet() of the transport. One that never
 * came up is dropped. */
void vecwire__pool_give(struct vecwire__pool *pool, struct vecwire__conn *conn);

/* A lease has ended and the connection with it: close it. A new one is opened
 * for the first waiter, if any; grant() may run inside. */
void vecwire__pool_drop(struct vecwire__pool *pool, struct vecwire__conn *conn);

/* An idle connection is lost: as drop. */
void vecwire__pool_idle_lost(struct vecwire__pool *pool,
                             struct vecwire__conn *conn);

/* For the end of a client: close all idle connections, and from now on every
 * one given back. Nobody is granted one any more; forget those who wait. */
void vecwire__pool_close(struct vecwire__pool *pool);

#endif
