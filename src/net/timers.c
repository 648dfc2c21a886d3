/* SPDX-License-Identifier: Apache-2.0 */
#include "net/timers.h"

#include <assert.h>

#include "codec/mem.h"

/* Four children a node: half the levels of a binary heap, and the children
 * of one node share a cache line. */
#define ARITY 4

void
vecwire__timers_init(struct vecwire__timers *timers,
                     const struct vecwire_mem *mem,
                     const struct vecwire__clock *clock)
{
    *timers = (struct vecwire__timers){.mem = mem, .clock = *clock};
}

void
vecwire__timers_fini(struct vecwire__timers *timers)
{
    if (timers->armed_ns != 0)
        timers->clock.arm(timers->clock.ctx, 0);
    vecwire__mem_free(timers->mem, timers->heap,
                      timers->cap * sizeof(struct vecwire__timer *));
    timers->heap = NULL;
    timers->n = 0;
    timers->cap = 0;
    timers->armed_ns = 0;
}

bool
vecwire__timers_reserve(struct vecwire__timers *timers, size_t n)
{
    void *heap = timers->heap;
    size_t need;

    if (__builtin_add_overflow(timers->reserved, n, &need) ||
        !vecwire__mem_grow(timers->mem, &heap, &timers->cap, need,
                           sizeof(struct vecwire__timer *)))
        return false;
    timers->heap = heap;
    timers->reserved = need;
    return true;
}

void
vecwire__timers_unreserve(struct vecwire__timers *timers, size_t n)
{
    assert(n <= timers->reserved);
    timers->reserved -= n;
}

static void
put(struct vecwire__timers *timers, struct vecwire__timer *timer, size_t i)
{
    timers->heap[i] = timer;
    timer->place = i + 1;
}

/* Find a place for `timer` between the root and the free place i. */
static void
sift_up(struct vecwire__timers *timers, struct vecwire__timer *timer, size_t i)
{
    while (i > 0) {
        size_t parent = (i - 1) / ARITY;

        if (timers->heap[parent]->at_ns <= timer->at_ns)
            break;
        put(timers, timers->heap[parent], i);
        i = parent;
    }
    put(timers, timer, i);
}

/* The earliest child of place i, or n when it has none. */
static size_t
earliest_child(const struct vecwire__timers *timers, size_t i)
{
    size_t first = i * ARITY + 1;
    size_t best = first;

    if (first >= timers->n)
        return timers->n;
    for (size_t c = first + 1; c < first + ARITY && c < timers->n; c++) {
        if (timers->heap[c]->at_ns < timers->heap[best]->at_ns)
            best = c;
    }
    return best;
}

/* Find a place for `timer` from the free place i downwards. */
static void
sift_down(struct vecwire__timers *timers, struct vecwire__timer *timer,
          size_t i)
{
    for (;;) {
        size_t child = earliest_child(timers, i);

        if (child == timers->n || timers->heap[child]->at_ns >= timer->at_ns)
            break;
        put(timers, timers->heap[child], i);
        i = child;
    }
    put(timers, timer, i);
}

/* Find a place for `timer`, whose time may have moved either way. */
static void
sift(struct vecwire__timers *timers, struct vecwire__timer *timer, size_t i)
{
    if (i > 0 && timers->heap[(i - 1) / ARITY]->at_ns > timer->at_ns)
        sift_up(timers, timer, i);
    else
        sift_down(timers, timer, i);
}

static void
take_out(struct vecwire__timers *timers, struct vecwire__timer *timer)
{
    size_t i = timer->place - 1;
    struct vecwire__timer *last = timers->heap[--timers->n];

    assert(timers->heap[i] == timer);
    timer->place = 0;
    if (last != timer)
        sift(timers, last, i);
}

/* Armed too early, the clock costs one idle run; armed anew for every call,
 * it costs more than the heap. So it hears only of earlier times, and when
 * nothing is left, for it may keep a loop from returning. */
static void
arm(struct vecwire__timers *timers)
{
    uint64_t first = timers->n == 0 ? 0 : timers->heap[0]->at_ns;

    if (timers->running_ns != 0)
        return;
    if (first == 0 ? timers->armed_ns == 0
                   : timers->armed_ns != 0 && timers->armed_ns <= first)
        return;
    timers->armed_ns = first;
    timers->clock.arm(timers->clock.ctx, first);
}

void
vecwire__timer_set(struct vecwire__timers *timers, struct vecwire__timer *timer,
                   uint64_t at_ns)
{
    if (at_ns == 0 || at_ns == UINT64_MAX) {
        vecwire__timer_clear(timers, timer);
        return;
    }
    /* What a running timer sets is for the next run, lest a timer that sets
     * itself to now hold the loop for ever. */
    if (at_ns <= timers->running_ns)
        at_ns = timers->running_ns + 1;
    timer->at_ns = at_ns;
    if (timer->place != 0) {
        sift(timers, timer, timer->place - 1);
    } else {
        assert(timers->n < timers->reserved);
        sift_up(timers, timer, timers->n++);
    }
    arm(timers);
}

void
vecwire__timer_clear(struct vecwire__timers *timers,
                     struct vecwire__timer *timer)
{
    if (timer->place == 0)
        return;
    take_out(timers, timer);
    arm(timers);
}

void
vecwire__timers_run(struct vecwire__timers *timers)
{
    uint64_t now = vecwire__timers_now(timers);

    assert(timers->running_ns == 0);
    timers->running_ns = now;
    while (timers->n > 0 && timers->heap[0]->at_ns <= now) {
        struct vecwire__timer *timer = timers->heap[0];

        take_out(timers, timer);
        timer->fire(timer);
    }
    timers->running_ns = 0;
    /* The clock has rung, or is about to for a time that is of no interest
     * any more. */
    if (timers->n > 0)
        timers->armed_ns = 0;
    arm(timers);
}

uint64_t
vecwire__timers_now(const struct vecwire__timers *timers)
{
    return timers->clock.now(timers->clock.ctx);
}
