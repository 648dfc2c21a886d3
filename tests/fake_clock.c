/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/fake_clock.h"

#include "codec/mem.h"

static uint64_t
now(void *ctx)
{
    struct fake_clock *clock = ctx;

    return clock->now_ns;
}

static void
arm(void *ctx, uint64_t at_ns)
{
    struct fake_clock *clock = ctx;

    clock->armed_ns = at_ns;
    clock->times_told++;
}

void
fake_clock_init(struct fake_clock *clock, const struct vecwire_mem *mem)
{
    struct vecwire__clock source = {now, arm, clock};

    *clock = (struct fake_clock){.now_ns = FAKE_S};
    vecwire__timers_init(&clock->timers, mem == NULL ? &vecwire__mem_libc : mem,
                         &source);
}

struct vecwire__clock
fake_clock_lead(struct fake_clock *clock, struct vecwire__timers *timers)
{
    struct vecwire__clock was = timers->clock;

    timers->clock = (struct vecwire__clock){now, arm, clock};
    return was;
}

void
fake_clock_fini(struct fake_clock *clock)
{
    vecwire__timers_fini(&clock->timers);
}

void
fake_clock_pass(struct fake_clock *clock, uint64_t ns)
{
    uint64_t until = clock->now_ns + ns;

    while (clock->armed_ns != 0 && clock->armed_ns <= until) {
        if (clock->armed_ns > clock->now_ns)
            clock->now_ns = clock->armed_ns;
        clock->armed_ns = 0;
        vecwire__timers_run(&clock->timers);
    }
    clock->now_ns = until;
}
