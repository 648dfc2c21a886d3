/* SPDX-License-Identifier: Apache-2.0 */
/* The caller's allocator, with a flag up while one of its hooks runs: hooks
 * must not call the library, and the public functions assert the flag. */
#ifndef VECWIRE_CODEC_GUARD_H
#define VECWIRE_CODEC_GUARD_H

#include <vecwire/client.h>

struct vecwire__guard {
    const struct vecwire_mem *inner;
    bool *inside; /* the flag */
};

/* The hooks of `guard`, which outlives whoever uses them. */
struct vecwire_mem vecwire__guard_mem(struct vecwire__guard *guard);

/* What uses `mem` may outlive the guard, or go to another thread: from now on
 * the caller's hooks alone. Others than those of a guard stay. */
void vecwire__guard_leave(struct vecwire_mem *mem);

#endif
