/* SPDX-License-Identifier: Apache-2.0 */
/* A clock that stands still until a test moves it. */
#ifndef VECWIRE_TESTS_FAKE_CLOCK_H
#define VECWIRE_TESTS_FAKE_CLOCK_H

#include "net/timers.h"

#define FAKE_MS ((uint64_t)1000000)
#define FAKE_S ((uint64_t)1000000000)

struct fake_clock {
    uint64_t now_ns;
    uint64_t armed_ns;   /* 0: not armed */
    unsigned times_told; /* calls of arm() */
    struct vecwire__timers timers;
};

/* Starts at one second; clock->timers is ready for use. mem NULL: libc. */
void fake_clock_init(struct fake_clock *clock, const struct vecwire_mem *mem);

void fake_clock_fini(struct fake_clock *clock);

/* Other timers, those of a client, go by this clock from here on; what they
 * went by. Whoever lets time pass runs them. */
struct vecwire__clock fake_clock_lead(struct fake_clock *clock,
                                      struct vecwire__timers *timers);

/* Let time pass: the timers run at each moment for which they armed. */
void fake_clock_pass(struct fake_clock *clock, uint64_t ns);

#endif
