/* SPDX-License-Identifier: Apache-2.0 */
#include "api/base.h"

#include <string.h>
#include <sys/time.h>
#include <time.h>

#include <event2/event.h>

bool
vecwire__base_runs(struct event_base *base)
{
    struct timeval first, second;
    struct timespec from, now;

    /* libevent caches the time of day while it runs callbacks, and only then.
     * Two readings with at least two microseconds between them are equal only
     * if they are cached. */
    event_base_gettimeofday_cached(base, &first);
    clock_gettime(CLOCK_MONOTONIC, &from);
    do {
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while (now.tv_sec == from.tv_sec && now.tv_nsec - from.tv_nsec < 3000);
    event_base_gettimeofday_cached(base, &second);
    return first.tv_sec == second.tv_sec && first.tv_usec == second.tv_usec;
}
