/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VECWIRE_DIALECT_RETRY_CLASS_H
#define VECWIRE_DIALECT_RETRY_CLASS_H

/* What sending a request twice would do. */
enum vecwire__retry_class {
    VECWIRE__READ,       /* R: nothing changes */
    VECWIRE__IDEMPOTENT, /* I: a write that gives the same result twice */
    VECWIRE__NEVER       /* N: every other write */
};

#endif
