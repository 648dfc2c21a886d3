/* SPDX-License-Identifier: Apache-2.0 */
/* The caller's allocator, or the C library's. */
#ifndef VECWIRE_CODEC_MEM_H
#define VECWIRE_CODEC_MEM_H

#include <vecwire/client.h>

/* The C library's malloc, realloc and free. */
extern const struct vecwire_mem vecwire__mem_libc;

/* NULL when there is no memory; size 0 is never asked. */
void *vecwire__mem_alloc(const struct vecwire_mem *mem, size_t size);

/* As above, zeroed. */
void *vecwire__mem_zalloc(const struct vecwire_mem *mem, size_t size);

/* Grow or shrink; NULL leaves the old block as it was. `old` may be 0 with a
 * NULL block. */
void *vecwire__mem_realloc(const struct vecwire_mem *mem, void *block,
                           size_t old, size_t size);

/* NULL is fine. `size` is what was asked for. */
void vecwire__mem_free(const struct vecwire_mem *mem, void *block, size_t size);

/* n * size, or SIZE_MAX where that overflows (no allocator gives SIZE_MAX). */
size_t vecwire__mem_array(size_t n, size_t size);

/* Make it larger; for the function below. */
bool vecwire__mem_grow_more(const struct vecwire_mem *mem, void **array,
                            size_t *cap, size_t need, size_t size);

/* Make room for at least `need` elements in an array of *cap elements of
 * `size` bytes, doubling. False: no memory, nothing changed. */
static inline bool
vecwire__mem_grow(const struct vecwire_mem *mem, void **array, size_t *cap,
                  size_t need, size_t size)
{
    return need <= *cap || vecwire__mem_grow_more(mem, array, cap, need, size);
}

#endif
