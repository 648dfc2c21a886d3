/* SPDX-License-Identifier: Apache-2.0 */
/* The .fvecs reader: rows as they stand in the file; a bad one is named with
 * its place.
 *
 * Input: one byte, how many rows are read at a time; the file. */
#include <math.h>

#include "tests/fuzz/fuzz.h"
#include "tool/fvecs.h"
#include "tool/npy.h"

static bool
is_good_row(const uint8_t *row, size_t left, size_t dim)
{
    uint32_t here;

    if (left < 4 + dim * sizeof(float))
        return false;
    memcpy(&here, row, sizeof(here));
    if (here != dim)
        return false;
    for (size_t i = 0; i < dim; i++) {
        float v;

        memcpy(&v, row + 4 + i * sizeof(v), sizeof(v));
        if (!isfinite(v))
            return false;
    }
    return true;
}

static void
read_all(struct fvecs *fvecs, size_t step, const uint8_t *file, size_t len)
{
    size_t width = 4 + fvecs->dim * sizeof(float), row = 0, got;
    float *matrix = malloc(step * fvecs->dim * sizeof(float));
    char why[NPY_WHY_MAX], number[32];

    FUZZ_REQUIRE(matrix != NULL, "no memory");
    do {
        got = vecwire__fvecs_read(fvecs, step, matrix, why);
        FUZZ_REQUIRE(got <= step, "%zu rows of %zu", got, step);
        for (size_t i = 0; i < got; i++, row++)
            FUZZ_REQUIRE(row * width < len &&
                             is_good_row(file + row * width, len - row * width,
                                         fvecs->dim) &&
                             memcmp(matrix + i * fvecs->dim,
                                    file + row * width + 4, width - 4) == 0,
                         "row %zu", row);
    } while (got == step && why[0] == '\0');
    snprintf(number, sizeof(number), "row %zu", row);
    if (why[0] == '\0')
        FUZZ_REQUIRE(row * width == len, "%zu rows of %zu bytes", row, len);
    else
        FUZZ_REQUIRE(
            strncmp(why, number, strlen(number)) == 0 &&
                strstr(why, "byte ") != NULL &&
                !is_good_row(file + row * width, len - row * width, fvecs->dim),
            "row %zu: %s", row, why);
    free(matrix);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct fuzz_input input = {bytes, len};
    size_t step = 1 + fuzz_byte(&input) % 9u;
    char why[NPY_WHY_MAX] = "";
    struct fvecs fvecs;

    if (!vecwire__fvecs_open(&fvecs, fuzz_file(input.at, input.left), why)) {
        FUZZ_REQUIRE(why[0] != '\0' && fvecs.fd == -1, "no reason, or open");
        return 0;
    }
    FUZZ_REQUIRE(fvecs.rows >= 1 && fvecs.dim >= 1 && fvecs.dim <= 65536,
                 "shape");
    read_all(&fvecs, step, input.at, input.left);
    vecwire__fvecs_close(&fvecs);
    return 0;
}
