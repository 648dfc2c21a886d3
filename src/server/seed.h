/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that are the same on every machine, for demos and tests. */
#ifndef VECWIRE_SERVER_SEED_H
#define VECWIRE_SERVER_SEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/store.h"

/* splitmix64: the next number of the stream whose state is *state. */
uint64_t vecwire__seed_next(uint64_t *state);

/* The next vector of the stream: uniform in [-1,1), normalised to length 1,
 * never all zero. */
void vecwire__seed_vector(uint64_t *state, float *vector, size_t dim);

/* Add rows "row-0".. with vectors of the stream 1, metadata
 * {"n":17,"parity":"odd"}, and a text of `text_bytes` bytes (0: "row 17").
 * False: no memory. */
bool vecwire__seed_rows(struct vecwire__tenant *tenant, size_t n_rows,
                        size_t text_bytes);

#endif
