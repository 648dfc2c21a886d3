/* SPDX-License-Identifier: Apache-2.0 */
#include "pool/pool.h"

#include <assert.h>
#include <stddef.h>

static void expire(struct vecwire__timer *timer);

void
vecwire__pool_init(struct vecwire__pool *pool)
{
    assert(pool->max_open > 0);
    TAILQ_INIT(&pool->idle);
    TAILQ_INIT(&pool->waiters);
    pool->n_open = 0;
    pool->n_idle = 0;
    pool->n_waiting = 0;
    pool->waiting_bytes = 0;
    pool->idle_timer = (struct vecwire__timer){.fire = expire};
    pool->serving = false;
    pool->closed = false;
}

void
vecwire__pool_fini(struct vecwire__pool *pool)
{
    vecwire__pool_close(pool);
    assert(pool->n_open == 0);
    assert(pool->n_waiting == 0);
}

/* The first connection reserves the timer that all share and the last one
 * frees it: a pool without connections holds nothing. */
static struct vecwire__conn *
open_conn(struct vecwire__pool *pool)
{
    struct vecwire__conn *conn;

    if (pool->n_open == 0 && !vecwire__timers_reserve(pool->timers, 1))
        return NULL;
    conn = pool->transport->open(pool->net);
    if (conn != NULL) {
        conn->idle = false;
        pool->n_open++;
    } else if (pool->n_open == 0) {
        vecwire__timers_unreserve(pool->timers, 1);
    }
    return conn;
}

static void
leave_idle(struct vecwire__pool *pool, struct vecwire__conn *conn)
{
    TAILQ_REMOVE(&pool->idle, conn, link);
    conn->idle = false;
    pool->n_idle--;
}

static void
close_conn(struct vecwire__pool *pool, struct vecwire__conn *conn)
{
    if (conn->idle)
        leave_idle(pool, conn);
    pool->n_open--;
    if (pool->n_open == 0) {
        vecwire__timer_clear(pool->timers, &pool->idle_timer);
        vecwire__timers_unreserve(pool->timers, 1);
    }
    pool->transport->close(conn);
}

/* The list is in the order of idle_until_ns, latest first: one timer for its
 * last is enough. It stays set while connections come and go and looks again
 * when it fires, so that a lease costs no timer at all. */
static void
watch_idle(struct vecwire__pool *pool)
{
    struct vecwire__conn *last;

    if (pool->n_idle == 0 || pool->idle_timer.place != 0)
        return;
    last = TAILQ_LAST(&pool->idle, vecwire__conn_list);
    vecwire__timer_set(pool->timers, &pool->idle_timer, last->idle_until_ns);
}

static void
expire(struct vecwire__timer *timer)
{
    struct vecwire__pool *pool =
        (struct vecwire__pool *)(void *)((char *)timer -
                                         offsetof(struct vecwire__pool,
                                                  idle_timer));
    uint64_t now = vecwire__timers_now(pool->timers);
    struct vecwire__conn *last;

    while ((last = TAILQ_LAST(&pool->idle, vecwire__conn_list)) != NULL &&
           last->idle_until_ns <= now)
        close_conn(pool, last);
    watch_idle(pool);
}

/* An idle connection that is fit for use, or NULL. Those that are not are
 * closed on the way. */
static struct vecwire__conn *
take_idle(struct vecwire__pool *pool)
{
    struct vecwire__conn *conn;

    while ((conn = TAILQ_FIRST(&pool->idle)) != NULL) {
        if (pool->transport->quiet(conn)) {
            leave_idle(pool, conn);
            return conn;
        }
        close_conn(pool, conn);
    }
    return NULL;
}

static void
leave_queue(struct vecwire__pool *pool, struct vecwire__waiter *waiter)
{
    TAILQ_REMOVE(&pool->waiters, waiter, link);
    waiter->waiting = false;
    pool->n_waiting--;
    pool->waiting_bytes -= waiter->bytes;
}

/* Grant the first waiter its connection. False: it has to wait. */
static bool
serve_first(struct vecwire__pool *pool, struct vecwire__waiter *waiter)
{
    struct vecwire__conn *conn = NULL;

    if (!waiter->fresh) {
        conn = take_idle(pool);
    } else if (pool->n_open >= pool->max_open && pool->n_idle > 0) {
        /* The one that was idle longest is the least useful. */
        close_conn(pool, TAILQ_LAST(&pool->idle, vecwire__conn_list));
    }
    if (conn == NULL) {
        if (pool->n_open >= pool->max_open)
            return false;
        conn = open_conn(pool);
        /* All others are leased and will come back, or leave room. */
        if (conn == NULL && pool->n_open > pool->n_idle)
            return false;
    }
    leave_queue(pool, waiter);
    pool->grant(waiter, conn);
    return true;
}

/* When an idle connection is to be closed, counted from now. */
static uint64_t
idle_end(const struct vecwire__pool *pool)
{
    uint64_t until;

    if (__builtin_add_overflow(vecwire__timers_now(pool->timers), pool->idle_ns,
                               &until))
        return UINT64_MAX;
    return until;
}

/* Could anyone be served? Without a look at the queue, which may be long. */
static bool
has_room(const struct vecwire__pool *pool)
{
    return !pool->closed && pool->n_waiting > 0 &&
           (pool->n_idle > 0 || pool->n_open < pool->max_open);
}

/* The first waiter that is not about to be told that its time is up. */
static struct vecwire__waiter *
first_in_time(struct vecwire__pool *pool)
{
    uint64_t firing_ns = pool->timers->running_ns;
    struct vecwire__waiter *waiter;

    TAILQ_FOREACH (waiter, &pool->waiters, link) {
        if (waiter->until_ns == 0 || waiter->until_ns > firing_ns)
            break;
    }
    return waiter;
}

/* Serve as many as can be. Only the outermost call grants: a grant inside a
 * grant would overtake the waiters in between. */
static void
serve(struct vecwire__pool *pool)
{
    if (pool->serving)
        return;
    pool->serving = true;
    while (has_room(pool)) {
        struct vecwire__waiter *first = first_in_time(pool);

        if (first == NULL || !serve_first(pool, first))
            break;
    }
    pool->serving = false;
    watch_idle(pool);
}

enum vecwire_err
vecwire__pool_admit(const struct vecwire__pool *pool, size_t bytes)
{
    bool at_once = pool->n_waiting == 0 &&
                   (pool->n_idle > 0 || pool->n_open < pool->max_open);

    if (at_once)
        return VECWIRE_OK;
    /* Repeated calls come without asking, so the sum may be over. */
    if (pool->n_waiting >= pool->max_waiting ||
        pool->waiting_bytes > pool->max_bytes ||
        bytes > pool->max_bytes - pool->waiting_bytes)
        return VECWIRE_EFULL;
    return VECWIRE_OK;
}

void
vecwire__pool_ask(struct vecwire__pool *pool, struct vecwire__waiter *waiter,
                  bool first)
{
    assert(!waiter->waiting);
    if (first)
        TAILQ_INSERT_HEAD(&pool->waiters, waiter, link);
    else
        TAILQ_INSERT_TAIL(&pool->waiters, waiter, link);
    waiter->waiting = true;
    pool->n_waiting++;
    pool->waiting_bytes += waiter->bytes;
    serve(pool);
}

void
vecwire__pool_forget(struct vecwire__pool *pool, struct vecwire__waiter *waiter)
{
    if (waiter->waiting)
        leave_queue(pool, waiter);
}

void
vecwire__pool_give(struct vecwire__pool *pool, struct vecwire__conn *conn)
{
    assert(!conn->idle);
    if (pool->closed || !conn->up) {
        vecwire__pool_drop(pool, conn);
        return;
    }
    TAILQ_INSERT_HEAD(&pool->idle, conn, link);
    conn->idle = true;
    conn->idle_until_ns = idle_end(pool);
    pool->n_idle++;
    serve(pool);
}

void
vecwire__pool_drop(struct vecwire__pool *pool, struct vecwire__conn *conn)
{
    close_conn(pool, conn);
    serve(pool);
}

void
vecwire__pool_idle_lost(struct vecwire__pool *pool, struct vecwire__conn *conn)
{
    assert(conn->idle);
    vecwire__pool_drop(pool, conn);
}

void
vecwire__pool_close(struct vecwire__pool *pool)
{
    struct vecwire__conn *conn;

    pool->closed = true;
    while ((conn = TAILQ_FIRST(&pool->idle)) != NULL)
        close_conn(pool, conn);
}
