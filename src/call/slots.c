/* SPDX-License-Identifier: Apache-2.0 */
#include "call/slots.h"

#include <string.h>

#include "codec/mem.h"

#define SLOT_BITS 24
#define MAX_SLOTS ((size_t)1 << SLOT_BITS)
#define FIRST_SLOTS 64
#define REST (FIRST_SLOTS - 1)
#define GENERATIONS ((UINT64_C(1) << 40) - 1)

void
vecwire__slots_init(struct vecwire__slots *slots, const struct vecwire_mem *mem)
{
    memset(slots, 0, sizeof(*slots));
    slots->mem = mem;
}

void
vecwire__slots_fini(struct vecwire__slots *slots)
{
    vecwire__mem_free(slots->mem, slots->slots,
                      slots->cap * sizeof(*slots->slots));
    slots->slots = NULL;
    slots->cap = slots->n_free = 0;
}

static void
put_free(struct vecwire__slots *slots, uint32_t index)
{
    slots->slots[index].call = NULL;
    if (slots->n_free++ == 0)
        slots->first_free = index;
    else
        slots->slots[slots->last_free].next_free = index;
    slots->last_free = index;
}

static bool
grow(struct vecwire__slots *slots)
{
    size_t old = slots->cap, cap = old == 0 ? FIRST_SLOTS : 2 * old;
    struct vecwire__slot *block;

    if (cap > MAX_SLOTS)
        return false;
    block = vecwire__mem_realloc(slots->mem, slots->slots, old * sizeof(*block),
                                 cap * sizeof(*block));
    if (block == NULL)
        return false;
    memset(block + old, 0, (cap - old) * sizeof(*block));
    slots->slots = block;
    slots->cap = cap;
    for (size_t i = old; i < cap; i++)
        put_free(slots, (uint32_t)i);
    return true;
}

vecwire_call_id
vecwire__slots_take(struct vecwire__slots *slots, struct vecwire__call *call)
{
    struct vecwire__slot *slot;
    uint32_t index;

    /* Keep some resting, so that names are not used up by one slot. Past the
     * last growth any free one will do. */
    if (slots->n_free <= REST && !grow(slots) && slots->n_free == 0)
        return 0;
    index = slots->first_free;
    slot = &slots->slots[index];
    slots->first_free = slot->next_free;
    slots->n_free--;
    slot->call = call;
    /* 1 .. 2^40-1: an id is never 0. */
    slot->generation = slot->generation % GENERATIONS + 1;
    return slot->generation << SLOT_BITS | index;
}

struct vecwire__call *
vecwire__slots_find(const struct vecwire__slots *slots, vecwire_call_id id)
{
    size_t index = (size_t)(id & (MAX_SLOTS - 1));

    if (index >= slots->cap ||
        slots->slots[index].generation != id >> SLOT_BITS)
        return NULL;
    return slots->slots[index].call;
}

void
vecwire__slots_give(struct vecwire__slots *slots, vecwire_call_id id)
{
    put_free(slots, (uint32_t)(id & (MAX_SLOTS - 1)));
}
