/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/buf.h"

#include "codec/mem.h"

void
vecwire__buf_init(struct vecwire__buf *buf, const struct vecwire_mem *mem)
{
    memset(buf, 0, sizeof(*buf));
    buf->mem = mem;
}

void
vecwire__buf_fini(struct vecwire__buf *buf)
{
    vecwire__mem_free(buf->mem, buf->bytes, buf->cap);
    buf->bytes = NULL;
    buf->len = buf->cap = 0;
}

bool
vecwire__buf_grow(struct vecwire__buf *buf, size_t more)
{
    size_t need, cap = buf->cap;
    char *bytes;

    if (__builtin_add_overflow(buf->len, more, &need) ||
        (buf->max != 0 && need > buf->max))
        return false;
    /* What is asked for first is often all that is needed. */
    if (cap == 0)
        cap = need < 256 ? 256 : need;
    while (cap < need) {
        if (__builtin_mul_overflow(cap, (size_t)2, &cap))
            cap = need;
    }
    if (buf->max != 0 && cap > buf->max)
        cap = buf->max;
    bytes = vecwire__mem_realloc(buf->mem, buf->bytes, buf->cap, cap);
    if (bytes == NULL)
        return false;
    buf->bytes = bytes;
    buf->cap = cap;
    return true;
}

void
vecwire__buf_trim(struct vecwire__buf *buf)
{
    char *bytes;

    if (buf->len == 0 || buf->len == buf->cap)
        return;
    bytes = vecwire__mem_realloc(buf->mem, buf->bytes, buf->cap, buf->len);
    if (bytes == NULL)
        return;
    buf->bytes = bytes;
    buf->cap = buf->len;
}
