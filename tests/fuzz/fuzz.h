/* SPDX-License-Identifier: Apache-2.0 */
/* What the fuzz targets share. A target is one file with one function; it is
 * linked with libFuzzer, or with replay.c, which runs files through it. */
#ifndef VECWIRE_TESTS_FUZZ_FUZZ_H
#define VECWIRE_TESTS_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vecwire/client.h>

/* The target. Returns 0; what is wrong aborts. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

/* As assert(), whatever NDEBUG says, with a line of its own. */
#define FUZZ_REQUIRE(holds, ...)                                               \
    do {                                                                       \
        if (!(holds)) {                                                        \
            fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #holds);        \
            fprintf(stderr, __VA_ARGS__);                                      \
            fputc('\n', stderr);                                               \
            abort();                                                           \
        }                                                                      \
    } while (0)

/* What is left of an input. */
struct fuzz_input {
    const uint8_t *at;
    size_t left;
};

/* The next byte; 0 at the end. */
static inline uint8_t
fuzz_byte(struct fuzz_input *input)
{
    if (input->left == 0)
        return 0;
    input->left--;
    return *input->at++;
}

/* A copy in a block of exactly its size, so that a read beyond it is seen. To
 * be freed. */
static inline char *
fuzz_copy(const void *bytes, size_t len)
{
    char *copy = malloc(len == 0 ? 1 : len);

    FUZZ_REQUIRE(copy != NULL, "no memory");
    if (len > 0)
        memcpy(copy, bytes, len);
    return copy;
}

/* The same with a NUL behind it; NULs in it end it early. */
static inline char *
fuzz_text(const void *bytes, size_t len)
{
    const void *nul = memchr(bytes == NULL ? "" : bytes, '\0', len);
    size_t n =
        nul == NULL ? len : (size_t)((const char *)nul - (const char *)bytes);
    char *text = malloc(n + 1);

    FUZZ_REQUIRE(text != NULL, "no memory");
    if (n > 0)
        memcpy(text, bytes, n);
    text[n] = '\0';
    return text;
}

/* Take what comes before the next byte `mark`, and the mark, as a text; all
 * that is left when there is none. To be freed. */
static inline char *
fuzz_take_text(struct fuzz_input *input, uint8_t mark)
{
    const uint8_t *end =
        input->left == 0 ? NULL : memchr(input->at, mark, input->left);
    size_t len = end == NULL ? input->left : (size_t)(end - input->at);
    char *text = fuzz_text(input->at, len);

    len += end != NULL;
    input->at += len;
    input->left -= len;
    return text;
}

/* How a text is cut: four sizes that come again and again. */
struct fuzz_cuts {
    uint8_t sizes[4];
    unsigned next;
};

/* Four bytes of the input; 0 stands for 256. */
static inline void
fuzz_take_cuts(struct fuzz_input *input, struct fuzz_cuts *cuts)
{
    for (size_t i = 0; i < sizeof(cuts->sizes); i++)
        cuts->sizes[i] = fuzz_byte(input);
    cuts->next = 0;
}

/* Size of the next piece, `left` at most. */
static inline size_t
fuzz_cut(struct fuzz_cuts *cuts, size_t left)
{
    size_t size = cuts->sizes[cuts->next++ % sizeof(cuts->sizes)];

    size = size == 0 ? 256 : size;
    return size < left ? size : left;
}

/* An allocator that counts, and checks the sizes that it is given back. */
struct fuzz_mem {
    struct vecwire_mem mem;
    size_t blocks, bytes; /* not freed yet */
    size_t most;          /* bytes, at any time */
};

void fuzz_mem_init(struct fuzz_mem *counting);

/* A file in memory that holds these bytes; a path to it, valid until the next
 * call. */
const char *fuzz_file(const void *bytes, size_t len);

#endif
