/* SPDX-License-Identifier: Apache-2.0 */
/* Structs that callers hand in: `size` first, growing at the end. */
#ifndef VECWIRE_API_INPUT_H
#define VECWIRE_API_INPUT_H

#include <stdbool.h>
#include <stddef.h>

/* Size of a struct whose last field was `member`. */
#define VECWIRE__SIZE_UP_TO(type, member)                                      \
    (offsetof(type, member) + sizeof(((type *)NULL)->member))

/* Copy what both sides know of `src` into the `known` bytes of `dst`, zeros
 * behind it. False: src is NULL, its size is below `least` (made without
 * macro or init; the size in the first version), or it sets something that only
 * the caller's header knows. */
bool vecwire__input_take(void *dst, size_t known, const void *src,
                         size_t least);

#endif
