/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/fuzz/fuzz.h"

/* Before each block stands its size. */
#define FRONT 32

static void *
count_alloc(size_t size, void *ctx)
{
    struct fuzz_mem *counting = ctx;
    char *block;

    FUZZ_REQUIRE(size > 0, "asked for nothing");
    block = malloc(size + FRONT);
    FUZZ_REQUIRE(block != NULL, "no memory for %zu bytes", size);
    memcpy(block, &size, sizeof(size));
    counting->blocks++;
    counting->bytes += size;
    if (counting->bytes > counting->most)
        counting->most = counting->bytes;
    return block + FRONT;
}

static void
count_free(void *block, size_t size, void *ctx)
{
    struct fuzz_mem *counting = ctx;
    char *front = (char *)block - FRONT;
    size_t asked;

    memcpy(&asked, front, sizeof(asked));
    FUZZ_REQUIRE(size == asked, "given back %zu bytes of %zu", size, asked);
    counting->blocks--;
    counting->bytes -= size;
    free(front);
}

static void *
count_realloc(void *block, size_t old_size, size_t size, void *ctx)
{
    void *moved = count_alloc(size, ctx);

    memcpy(moved, block, old_size < size ? old_size : size);
    count_free(block, old_size, ctx);
    return moved;
}

void
fuzz_mem_init(struct fuzz_mem *counting)
{
    memset(counting, 0, sizeof(*counting));
    counting->mem =
        (struct vecwire_mem){count_alloc, count_realloc, count_free, counting};
}
