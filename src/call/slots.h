/* SPDX-License-Identifier: Apache-2.0 */
/* Names of calls: 24 bits of slot and 40 bits of the slot's generation. A
 * slot rests while 63 others are used, so that a name comes again after 2^46
 * calls at the earliest. */
#ifndef VECWIRE_CALL_SLOTS_H
#define VECWIRE_CALL_SLOTS_H

#include <vecwire/client.h>

struct vecwire__call;

struct vecwire__slot {
    struct vecwire__call *call; /* NULL: free */
    uint64_t generation;
    uint32_t next_free; /* index, while free */
    uint32_t reserved;
};

struct vecwire__slots {
    const struct vecwire_mem *mem;
    struct vecwire__slot *slots;
    size_t cap;
    size_t n_free;
    uint32_t first_free, last_free; /* used first in, first out */
};

void vecwire__slots_init(struct vecwire__slots *slots,
                         const struct vecwire_mem *mem);
void vecwire__slots_fini(struct vecwire__slots *slots);

/* A name for a call. 0: no memory, or 2^24 calls have names. */
vecwire_call_id vecwire__slots_take(struct vecwire__slots *slots,
                                    struct vecwire__call *call);

/* The call of that name; NULL: none has it now. */
struct vecwire__call *vecwire__slots_find(const struct vecwire__slots *slots,
                                          vecwire_call_id id);

/* The name is free again. */
void vecwire__slots_give(struct vecwire__slots *slots, vecwire_call_id id);

#endif
