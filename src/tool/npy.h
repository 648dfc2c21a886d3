/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VECWIRE_TOOL_NPY_H
#define VECWIRE_TOOL_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A .npy file of numpy: two dimensions, C order, float16, float32 or float64
 * of either byte order. Read a few rows at a time. */
struct npy {
    int fd;
    size_t item;  /* bytes of one number */
    bool swapped; /* not this machine's byte order */
    uint64_t data_at;
    uint64_t rows; /* >= 1 */
    size_t dim;    /* >= 1 */
    uint64_t next; /* the row that the next read begins with */
};

/* What a reader has to say about a file, without its name. */
#define NPY_WHY_MAX 240

/* False: `why` (NPY_WHY_MAX bytes) says what is wrong; nothing is open. */
bool vecwire__npy_open(struct npy *npy, const char *path, char *why);

/* Read up to `rows` rows into `matrix`, fewer at the end. Returns how many
 * good ones there are; when a bad one follows (NaN, infinite, beyond float32,
 * unreadable), `why` names it, else it is "". */
size_t vecwire__npy_read(struct npy *npy, size_t rows, float *matrix,
                         char *why);

void vecwire__npy_close(struct npy *npy);

#endif
