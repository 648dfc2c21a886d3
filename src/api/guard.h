/* SPDX-License-Identifier: Apache-2.0 */
/* The caller's allocator, with a flag up while one of its hooks runs: hooks
 * must not call the library, and the public functions assert the flag. */
#ifndef VECWIRE_API_GUARD_H
#define VECWIRE_API_GUARD_H

#include <vecwire/client.h>

struct vecwire__guard {
    const struct vecwire_mem *inner;
    bool *inside; /* the flag */
};

/* The hooks of `guard`, which outlives whoever uses them. */
struct vecwire_mem vecwire__guard_mem(struct vecwire__guard *guard);

#endif
