/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/mem.h"

#include <stdlib.h>
#include <string.h>

static void *
libc_alloc(size_t size, void *ctx)
{
    (void)ctx;
    return malloc(size);
}

static void *
libc_realloc(void *block, size_t old_size, size_t size, void *ctx)
{
    (void)old_size;
    (void)ctx;
    return realloc(block, size);
}

static void
libc_free(void *block, size_t size, void *ctx)
{
    (void)size;
    (void)ctx;
    free(block);
}

const struct vecwire_mem vecwire__mem_libc = {libc_alloc, libc_realloc,
                                              libc_free, NULL};

void *
vecwire__mem_alloc(const struct vecwire_mem *mem, size_t size)
{
    return size == SIZE_MAX ? NULL : mem->alloc(size, mem->ctx);
}

void *
vecwire__mem_zalloc(const struct vecwire_mem *mem, size_t size)
{
    void *block = vecwire__mem_alloc(mem, size);

    return block == NULL ? NULL : memset(block, 0, size);
}

void *
vecwire__mem_realloc(const struct vecwire_mem *mem, void *block, size_t old,
                     size_t size)
{
    if (block == NULL)
        return vecwire__mem_alloc(mem, size);
    return size == SIZE_MAX ? NULL : mem->realloc(block, old, size, mem->ctx);
}

void
vecwire__mem_free(const struct vecwire_mem *mem, void *block, size_t size)
{
    if (block != NULL)
        mem->free(block, size, mem->ctx);
}

size_t
vecwire__mem_array(size_t n, size_t size)
{
    size_t bytes;

    return __builtin_mul_overflow(n, size, &bytes) ? SIZE_MAX : bytes;
}

bool
vecwire__mem_grow_more(const struct vecwire_mem *mem, void **array, size_t *cap,
                       size_t need, size_t size)
{
    size_t n = *cap == 0 ? 16 : *cap;
    void *grown;

    while (n < need) {
        if (__builtin_mul_overflow(n, (size_t)2, &n))
            n = need;
    }
    grown = vecwire__mem_realloc(mem, *array, vecwire__mem_array(*cap, size),
                                 vecwire__mem_array(n, size));
    if (grown == NULL)
        return false;
    *array = grown;
    *cap = n;
    return true;
}
