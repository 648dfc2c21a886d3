/* SPDX-License-Identifier: Apache-2.0 */
/* The .npy reader: what it takes fits the file, and its rows are the file's.
 *
 * Input: one byte, how many rows are read at a time; the file. */
#include <math.h>

#include "tests/fuzz/fuzz.h"
#include "tool/npy.h"

/* IEEE 754 binary16, by its definition. */
static double
half(uint64_t bits)
{
    double sign = (bits & 0x8000) != 0 ? -1 : 1;
    int exponent = (int)(bits >> 10 & 31);
    double fraction = (double)(bits & 1023) / 1024;

    if (exponent == 31)
        return fraction > 0 ? (double)NAN : sign * (double)INFINITY;
    if (exponent == 0)
        return sign * ldexp(fraction, -14);
    return sign * ldexp(1 + fraction, exponent - 15);
}

/* This machine is little-endian, or the sanitizers would not be here. */
static double
number_at(const struct npy *npy, const uint8_t *at)
{
    uint64_t bits = 0;
    uint32_t low;
    double wide;
    float single;

    for (size_t i = 0; i < npy->item; i++) {
        size_t byte = npy->swapped ? i : npy->item - 1 - i;

        bits = bits << 8 | at[byte];
    }
    if (npy->item == 2)
        return half(bits);
    low = (uint32_t)bits;
    memcpy(&single, &low, sizeof(single));
    memcpy(&wide, &bits, sizeof(wide));
    return npy->item == 4 ? (double)single : wide;
}

static bool
same_row(const struct npy *npy, const uint8_t *at, const float *row)
{
    for (size_t i = 0; i < npy->dim; i++) {
        float want = (float)number_at(npy, at + i * npy->item);

        if (!isfinite(row[i]) || memcmp(&want, &row[i], sizeof(want)) != 0)
            return false;
    }
    return true;
}

static bool
is_bad_row(const struct npy *npy, const uint8_t *at)
{
    for (size_t i = 0; i < npy->dim; i++) {
        if (!isfinite((float)number_at(npy, at + i * npy->item)))
            return true;
    }
    return false;
}

static void
read_all(struct npy *npy, size_t step, const uint8_t *file)
{
    size_t width = npy->dim * npy->item;
    float *matrix = malloc(step * npy->dim * sizeof(float));
    char why[NPY_WHY_MAX];
    uint64_t row = 0;
    size_t got;

    FUZZ_REQUIRE(matrix != NULL, "no memory");
    do {
        got = vecwire__npy_read(npy, step, matrix, why);
        FUZZ_REQUIRE(got <= step, "%zu rows of %zu", got, step);
        for (size_t i = 0; i < got; i++, row++)
            FUZZ_REQUIRE(same_row(npy, file + npy->data_at + row * width,
                                  matrix + i * npy->dim),
                         "row %llu", (unsigned long long)row);
        FUZZ_REQUIRE(npy->next == row && row <= npy->rows, "next row");
    } while (got == step && why[0] == '\0');
    if (why[0] == '\0')
        FUZZ_REQUIRE(row == npy->rows, "it ends early, without a reason");
    else
        FUZZ_REQUIRE(strncmp(why, "row ", 4) == 0 &&
                         strtoull(why + 4, NULL, 10) == row &&
                         is_bad_row(npy, file + npy->data_at + row * width),
                     "row %llu: %s", (unsigned long long)row, why);
    free(matrix);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct fuzz_input input = {bytes, len};
    size_t step = 1 + fuzz_byte(&input) % 9u;
    char why[NPY_WHY_MAX] = "";
    struct npy npy;

    if (!vecwire__npy_open(&npy, fuzz_file(input.at, input.left), why)) {
        FUZZ_REQUIRE(why[0] != '\0' && npy.fd == -1, "no reason, or open");
        return 0;
    }
    FUZZ_REQUIRE(npy.rows >= 1 && npy.dim >= 1 &&
                     (npy.item == 2 || npy.item == 4 || npy.item == 8) &&
                     npy.data_at <= input.left,
                 "shape");
    /* So no header asks for more memory than its file has bytes. */
    FUZZ_REQUIRE(npy.dim <= (input.left - npy.data_at) / npy.item &&
                     npy.rows <=
                         (input.left - npy.data_at) / (npy.dim * npy.item),
                 "more rows than bytes");
    read_all(&npy, step, input.at);
    vecwire__npy_close(&npy);
    return 0;
}
