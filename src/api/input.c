/* SPDX-License-Identifier: Apache-2.0 */
#include "api/input.h"

#include <string.h>

bool
vecwire__input_take(void *dst, size_t known, const void *src, size_t least)
{
    const unsigned char *raw = src;
    size_t size;

    memset(dst, 0, known);
    if (src == NULL)
        return false;
    memcpy(&size, src, sizeof(size));
    /* A struct without macro or init has any size; nobody's has a MiB. */
    if (size < least || size > ((size_t)1 << 20))
        return false;
    for (size_t i = known; i < size; i++) {
        if (raw[i] != 0)
            return false;
    }
    memcpy(dst, src, size < known ? size : known);
    return true;
}
