/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/fvecs.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool/args.h"
#include "tool/npy.h"

#define MAX_DIM 65536
#define BEFORE_ROW ((size_t)4) /* bytes: its dimension */

static uint32_t
u32_at(const unsigned char *raw)
{
    return (uint32_t)raw[0] | (uint32_t)raw[1] << 8 | (uint32_t)raw[2] << 16 |
           (uint32_t)raw[3] << 24;
}

static size_t
width_of(const struct fvecs *fvecs)
{
    return BEFORE_ROW + fvecs->dim * sizeof(float);
}

/* How many bytes there were to be read, at most `len`. */
static size_t
read_at(int fd, unsigned char *to, size_t len, uint64_t at)
{
    size_t have = 0;

    while (have < len) {
        ssize_t got = pread(fd, to + have, len - have, (off_t)(at + have));

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        have += (size_t)got;
    }
    return have;
}

/* The first row's dimension is that of all. */
static bool
read_dim(struct fvecs *fvecs, char *why)
{
    unsigned char raw[BEFORE_ROW];
    int32_t dim;

    if (fvecs->size == 0) {
        snprintf(why, NPY_WHY_MAX, "it has no rows");
        return false;
    }
    if (read_at(fvecs->fd, raw, BEFORE_ROW, 0) < BEFORE_ROW) {
        snprintf(why, NPY_WHY_MAX,
                 "row 0 at byte 0: %llu bytes, a dimension has 4",
                 (unsigned long long)fvecs->size);
        return false;
    }
    dim = (int32_t)u32_at(raw);
    if (dim < 1 || dim > MAX_DIM) {
        snprintf(why, NPY_WHY_MAX,
                 "row 0 at byte 0: its dimension is %ld (1 to %d; a "
                 "little-endian int32)",
                 (long)dim, MAX_DIM);
        return false;
    }
    fvecs->dim = (size_t)dim;
    return true;
}

bool
vecwire__fvecs_open(struct fvecs *fvecs, const char *path, char *why)
{
    struct stat info;
    uint64_t width;

    memset(fvecs, 0, sizeof(*fvecs));
    /* A pipe that nobody writes to would hold up the open. */
    fvecs->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fvecs->fd < 0 || fstat(fvecs->fd, &info) != 0) {
        snprintf(why, NPY_WHY_MAX, "it cannot be opened: %s", strerror(errno));
        goto fail;
    }
    if (!S_ISREG(info.st_mode)) {
        snprintf(why, NPY_WHY_MAX, "it is no regular file");
        goto fail;
    }
    fvecs->size = (uint64_t)info.st_size;
    if (!read_dim(fvecs, why))
        goto fail;
    /* One that is cut off counts: reading says how. */
    width = width_of(fvecs);
    fvecs->rows = (fvecs->size + width - 1) / width;
    return true;

fail:
    vecwire__fvecs_close(fvecs);
    return false;
}

/* Row `row`, of whose bytes `have` are there, becomes floats. */
static bool
convert_row(const struct fvecs *fvecs, const unsigned char *raw, size_t have,
            uint64_t row, float *to, char *why)
{
    size_t width = width_of(fvecs);
    unsigned long long number = row, at = row * width;

    if (have >= BEFORE_ROW && u32_at(raw) != fvecs->dim) {
        snprintf(why, NPY_WHY_MAX,
                 "row %llu at byte %llu: its dimension is %ld, the first "
                 "row's is %zu",
                 number, at, (long)(int32_t)u32_at(raw), fvecs->dim);
        return false;
    }
    if (have < width) {
        snprintf(why, NPY_WHY_MAX,
                 "row %llu at byte %llu: it is cut off, %zu of its %zu bytes "
                 "are there",
                 number, at, have, width);
        return false;
    }
    for (size_t i = 0; i < fvecs->dim; i++) {
        uint32_t bits = u32_at(raw + BEFORE_ROW + i * sizeof(float));

        memcpy(&to[i], &bits, sizeof(bits));
        if (!isfinite(to[i])) {
            snprintf(why, NPY_WHY_MAX,
                     "row %llu, coordinate %zu (byte %llu) is %s", number, i,
                     at + BEFORE_ROW + i * sizeof(float),
                     isnan(to[i]) ? "NaN" : "infinite");
            return false;
        }
    }
    return true;
}

size_t
vecwire__fvecs_read(struct fvecs *fvecs, size_t rows, float *matrix, char *why)
{
    size_t width = width_of(fvecs), have, done = 0;

    why[0] = '\0';
    if (rows > fvecs->rows - fvecs->next)
        rows = (size_t)(fvecs->rows - fvecs->next);
    if (rows > fvecs->raw_rows) {
        free(fvecs->raw);
        fvecs->raw = vecwire__args_alloc(rows, width);
        fvecs->raw_rows = rows;
    }
    have = read_at(fvecs->fd, fvecs->raw, rows * width, fvecs->next * width);
    while (done < rows) {
        size_t at = done * width, here = have > at ? have - at : 0;

        if (!convert_row(fvecs, fvecs->raw + at, here < width ? here : width,
                         fvecs->next, matrix + done * fvecs->dim, why))
            break;
        fvecs->next++;
        done++;
    }
    return done;
}

void
vecwire__fvecs_close(struct fvecs *fvecs)
{
    if (fvecs->fd >= 0)
        close(fvecs->fd);
    fvecs->fd = -1;
    free(fvecs->raw);
    fvecs->raw = NULL;
    fvecs->raw_rows = 0;
}
