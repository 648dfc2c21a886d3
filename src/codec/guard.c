/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/guard.h"

static void *
guarded_alloc(size_t size, void *ctx)
{
    struct vecwire__guard *guard = ctx;
    void *block;

    *guard->inside = true;
    block = guard->inner->alloc(size, guard->inner->ctx);
    *guard->inside = false;
    return block;
}

static void *
guarded_realloc(void *block, size_t old_size, size_t size, void *ctx)
{
    struct vecwire__guard *guard = ctx;
    void *grown;

    *guard->inside = true;
    grown = guard->inner->realloc(block, old_size, size, guard->inner->ctx);
    *guard->inside = false;
    return grown;
}

static void
guarded_free(void *block, size_t size, void *ctx)
{
    struct vecwire__guard *guard = ctx;

    *guard->inside = true;
    guard->inner->free(block, size, guard->inner->ctx);
    *guard->inside = false;
}

struct vecwire_mem
vecwire__guard_mem(struct vecwire__guard *guard)
{
    return (struct vecwire_mem){guarded_alloc, guarded_realloc, guarded_free,
                                guard};
}

void
vecwire__guard_leave(struct vecwire_mem *mem)
{
    const struct vecwire__guard *guard = mem->ctx;

    if (mem->alloc == guarded_alloc)
        *mem = *guard->inner;
}
