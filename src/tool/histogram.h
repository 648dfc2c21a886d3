/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VECWIRE_TOOL_HISTOGRAM_H
#define VECWIRE_TOOL_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

/* Log-linear: 128 cells for each power of two, so that a value is known to
 * 1/256 of itself. Values of 2^43 and more share the last cells. */
#define HISTOGRAM_BITS 7
#define HISTOGRAM_TOP 43
#define HISTOGRAM_CELLS                                                        \
    ((size_t)(HISTOGRAM_TOP - HISTOGRAM_BITS + 1) << HISTOGRAM_BITS)

struct histogram {
    uint64_t count;
    uint64_t max; /* exact */
    uint64_t cells[HISTOGRAM_CELLS];
};

void vecwire__histogram_add(struct histogram *histogram, uint64_t value);

/* Add all of `from` to `to`. */
void vecwire__histogram_merge(struct histogram *to,
                              const struct histogram *from);

/* The smallest value with at least `share` (0 to 1) of all at or below it,
 * to 1/256 of itself. NaN when there are none. */
double vecwire__histogram_quantile(const struct histogram *histogram,
                                   double share);

#endif
