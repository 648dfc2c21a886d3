/* SPDX-License-Identifier: Apache-2.0 */
/* All deadlines of one client in one heap, on one clock, behind one timer of
 * the loop. Knows no libevent: tests put a fake clock behind it. */
#ifndef VECWIRE_NET_TIMERS_H
#define VECWIRE_NET_TIMERS_H

#include <vecwire/client.h>

/* Where time comes from, and who calls vecwire__timers_run() in time. */
struct vecwire__clock {
    uint64_t (*now)(void *ctx); /* nanoseconds, monotonic, never 0 */
    /* Call vecwire__timers_run() at `at_ns` or later; replaces what was
     * armed before. 0: not at all. */
    void (*arm)(void *ctx, uint64_t at_ns);
    void *ctx;
};

/* One deadline, embedded in what it belongs to. Zero-filled: not set. */
struct vecwire__timer {
    uint64_t at_ns;
    size_t place; /* 1 + index in the heap; 0: not set */
    /* Runs with the timer cleared; may set, clear or free any timer. */
    void (*fire)(struct vecwire__timer *timer);
};

struct vecwire__timers {
    const struct vecwire_mem *mem;
    struct vecwire__clock clock;
    struct vecwire__timer **heap;
    size_t n;
    size_t cap;
    size_t reserved;     /* timers that may be set at the same time */
    uint64_t armed_ns;   /* what the clock was told last; 0: nothing */
    uint64_t running_ns; /* the time of the run that goes on; 0: none does */
};

void vecwire__timers_init(struct vecwire__timers *timers,
                          const struct vecwire_mem *mem,
                          const struct vecwire__clock *clock);

/* Disarms and frees; the timers themselves are their owners'. May be called
 * from a timer that fires; the struct itself must outlive the run. */
void vecwire__timers_fini(struct vecwire__timers *timers);

/* Room for `n` more timers at the same time, so that setting one never
 * fails. False: no memory. Given back by unreserve. */
VECWIRE_NODISCARD bool vecwire__timers_reserve(struct vecwire__timers *timers,
                                               size_t n);
void vecwire__timers_unreserve(struct vecwire__timers *timers, size_t n);

/* Set, or move, a timer. at_ns 0 (or UINT64_MAX) clears it. O(1) when it is
 * later than most. */
void vecwire__timer_set(struct vecwire__timers *timers,
                        struct vecwire__timer *timer, uint64_t at_ns);

/* Clearing one that is not set does nothing. */
void vecwire__timer_clear(struct vecwire__timers *timers,
                          struct vecwire__timer *timer);

/* Fire all that are due at the time read once at the start, earliest first;
 * arm the clock for what is left. Woken too early, it only arms again. What
 * is set meanwhile for a time that has come fires in the next run. */
void vecwire__timers_run(struct vecwire__timers *timers);

/* The clock's time. */
uint64_t vecwire__timers_now(const struct vecwire__timers *timers);

#endif
