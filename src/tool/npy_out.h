/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VECWIRE_TOOL_NPY_OUT_H
#define VECWIRE_TOOL_NPY_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A .npy file of float32 that is written while the number of its rows is not
 * yet known. It is a good file once it is closed. */
struct npy_out {
    FILE *file;
    uint64_t rows;
    size_t dim; /* 0: until the first row */
};

/* False: it cannot be written, errno says why. */
bool vecwire__npy_out_open(struct npy_out *out, const char *path);

/* `rows` rows of `dim` floats, which is the same each time. */
bool vecwire__npy_out_add(struct npy_out *out, const float *matrix, size_t rows,
                          size_t dim);

/* Write the header and close; false, errno, when not all of it was written. */
bool vecwire__npy_out_close(struct npy_out *out);

#endif
