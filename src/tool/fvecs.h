/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VECWIRE_TOOL_FVECS_H
#define VECWIRE_TOOL_FVECS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A .fvecs file: for each row its dimension, a little-endian int32, then as
 * many little-endian float32; all rows have the first one's dimension. Read a
 * few rows at a time. */
struct fvecs {
    int fd;
    uint64_t size; /* of the file */
    uint64_t rows; /* by its size; >= 1 */
    size_t dim;    /* >= 1 */
    uint64_t next; /* the row that the next read begins with */
    unsigned char *raw;
    size_t raw_rows; /* room there */
};

/* False: `why` (NPY_WHY_MAX bytes) says what is wrong; nothing is open. */
bool vecwire__fvecs_open(struct fvecs *fvecs, const char *path, char *why);

/* Read up to `rows` rows into `matrix`, fewer at the end. Returns how many
 * good ones there are; when a bad one follows (another dimension, cut off,
 * NaN, infinite, unreadable), `why` names it and its place, else it is "". */
size_t vecwire__fvecs_read(struct fvecs *fvecs, size_t rows, float *matrix,
                           char *why);

void vecwire__fvecs_close(struct fvecs *fvecs);

#endif
