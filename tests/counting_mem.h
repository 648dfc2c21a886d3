/* SPDX-License-Identifier: Apache-2.0 */
/* An allocator that fails when told to, knows how much is held, and checks the
 * sizes it is given back. */
#ifndef VECWIRE_TESTS_COUNTING_MEM_H
#define VECWIRE_TESTS_COUNTING_MEM_H

#include <assert.h>
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <vecwire/client.h>

struct counting_mem {
    struct vecwire_mem mem;
    size_t asked;   /* allocations and reallocations since the last arming */
    size_t fail_at; /* 1: the next one; 0: none */
    bool and_after; /* all later ones fail as well */
    size_t blocks;  /* not freed yet */
    size_t bytes;   /* of them */
    size_t most;    /* bytes at a time */
};

/* Before each block stands its size. */
#define COUNTING_MEM_FRONT 32

static inline bool
counting_mem_fails(struct counting_mem *counting)
{
    counting->asked++;
    return counting->fail_at != 0 &&
           (counting->asked == counting->fail_at ||
            (counting->and_after && counting->asked > counting->fail_at));
}

static inline void *
counting_mem_take(struct counting_mem *counting, size_t size)
{
    char *block;

    assert(size > 0);
    if (counting_mem_fails(counting))
        return NULL;
    block = malloc(size + COUNTING_MEM_FRONT);
    assert(block != NULL);
    memcpy(block, &size, sizeof(size));
    counting->blocks++;
    counting->bytes += size;
    return block + COUNTING_MEM_FRONT;
}

static inline void
counting_mem_weigh(struct counting_mem *counting)
{
    if (counting->bytes > counting->most)
        counting->most = counting->bytes;
}

static inline void *
counting_mem_alloc(size_t size, void *ctx)
{
    void *block = counting_mem_take(ctx, size);

    counting_mem_weigh(ctx);
    return block;
}

static inline void
counting_mem_free(void *block, size_t size, void *ctx)
{
    struct counting_mem *counting = ctx;
    char *front = (char *)block - COUNTING_MEM_FRONT;
    size_t asked;

    memcpy(&asked, front, sizeof(asked));
    assert(size == asked);
    counting->blocks--;
    counting->bytes -= size;
    free(front);
}

static inline void *
counting_mem_realloc(void *block, size_t old_size, size_t size, void *ctx)
{
    void *moved = counting_mem_take(ctx, size);

    if (moved == NULL)
        return NULL;
    memcpy(moved, block, old_size < size ? old_size : size);
    counting_mem_free(block, old_size, ctx);
    counting_mem_weigh(ctx);
    return moved;
}

static inline void
counting_mem_init(struct counting_mem *counting)
{
    memset(counting, 0, sizeof(*counting));
    counting->mem = (struct vecwire_mem){
        counting_mem_alloc, counting_mem_realloc, counting_mem_free, counting};
}

static inline void
counting_mem_arm(struct counting_mem *counting, size_t fail_at, bool and_after)
{
    counting->asked = 0;
    counting->fail_at = fail_at;
    counting->and_after = and_after;
}

#endif
