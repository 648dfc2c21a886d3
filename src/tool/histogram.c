/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/histogram.h"

#include <math.h>
#include <stddef.h>

#define LINEAR ((uint64_t)1 << HISTOGRAM_BITS)

/* Values under 2^8 have a cell each; above, a cell is named by the place of
 * the highest bit and the 7 bits behind it. */
static size_t
cell_of(uint64_t value)
{
    unsigned top, shift;

    if (value >= (uint64_t)1 << HISTOGRAM_TOP)
        value = ((uint64_t)1 << HISTOGRAM_TOP) - 1;
    if (value < LINEAR)
        return (size_t)value;
    top = 63u - (unsigned)__builtin_clzll(value);
    shift = top - HISTOGRAM_BITS;
    return (size_t)((shift + 1) * LINEAR + ((value >> shift) & (LINEAR - 1)));
}

/* The middle of a cell. */
static double
cell_value(size_t cell)
{
    uint64_t shift = cell / LINEAR;
    double low;

    if (shift < 2)
        return (double)cell;
    shift--;
    low = ldexp((double)(cell % LINEAR + LINEAR), (int)shift);
    return low + ldexp(1.0, (int)shift - 1) - 0.5;
}

void
vecwire__histogram_add(struct histogram *histogram, uint64_t value)
{
    histogram->cells[cell_of(value)]++;
    histogram->count++;
    if (value > histogram->max)
        histogram->max = value;
}

void
vecwire__histogram_merge(struct histogram *to, const struct histogram *from)
{
    for (size_t i = 0; i < HISTOGRAM_CELLS; i++)
        to->cells[i] += from->cells[i];
    to->count += from->count;
    if (from->max > to->max)
        to->max = from->max;
}

double
vecwire__histogram_quantile(const struct histogram *histogram, double share)
{
    uint64_t seen = 0, wanted;

    if (histogram->count == 0)
        return NAN;
    wanted = (uint64_t)ceil(share * (double)histogram->count);
    if (wanted < 1)
        wanted = 1;
    if (wanted >= histogram->count)
        return (double)histogram->max;
    for (size_t i = 0; i < HISTOGRAM_CELLS; i++) {
        seen += histogram->cells[i];
        if (seen >= wanted)
            return fmin(cell_value(i), (double)histogram->max);
    }
    return (double)histogram->max;
}
