/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/npy_out.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* numpy pads to 64 bytes; two counts of 20 digits fit. */
#define HEADER_BYTES 128
#define BEFORE_TEXT 10

static bool
write_header(const struct npy_out *out)
{
    char header[HEADER_BYTES + 1];
    size_t len;

    memset(header, ' ', sizeof(header));
    memcpy(header, "\x93NUMPY\x01\x00", 8);
    header[8] = HEADER_BYTES - BEFORE_TEXT;
    header[9] = 0;
    len = BEFORE_TEXT;
    len += (size_t)snprintf(
        header + len, sizeof(header) - len,
        "{'descr': '%cf4', 'fortran_order': False, 'shape': (%" PRIu64
        ", %zu), }",
        __BYTE_ORDER == __LITTLE_ENDIAN ? '<' : '>', out->rows, out->dim);
    header[len] = ' '; /* where the text's NUL was */
    header[HEADER_BYTES - 1] = '\n';
    return fwrite(header, 1, HEADER_BYTES, out->file) == HEADER_BYTES;
}

bool
vecwire__npy_out_open(struct npy_out *out, const char *path)
{
    memset(out, 0, sizeof(*out));
    out->file = fopen(path, "wbe");
    return out->file != NULL && write_header(out);
}

bool
vecwire__npy_out_add(struct npy_out *out, const float *matrix, size_t rows,
                     size_t dim)
{
    size_t n = rows * dim;

    out->dim = dim;
    if (fwrite(matrix, sizeof(*matrix), n, out->file) != n)
        return false;
    out->rows += rows;
    return true;
}

bool
vecwire__npy_out_close(struct npy_out *out)
{
    FILE *file = out->file;
    bool fine = file != NULL && ferror(file) == 0;
    int why = errno;

    if (fine) {
        fine = fflush(file) == 0 && fseek(file, 0, SEEK_SET) == 0 &&
               write_header(out) && fflush(file) == 0;
        why = errno;
    }
    if (file != NULL && fclose(file) != 0 && fine) {
        fine = false;
        why = errno;
    }
    out->file = NULL;
    errno = why;
    return fine;
}
