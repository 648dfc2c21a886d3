/* SPDX-License-Identifier: Apache-2.0 */
/* Inner products, with the widest registers the processor has. */
#ifndef VECWIRE_SERVER_DOT_H
#define VECWIRE_SERVER_DOT_H

#include <stddef.h>

typedef float (*vecwire__dot)(const float *a, const float *b, size_t n);

struct vecwire__dot_kernel {
    const char *name;
    vecwire__dot dot;
};

/* The kernels this processor can run, best first; ends with the scalar one.
 * *n is their number. Static memory. */
const struct vecwire__dot_kernel *vecwire__dot_kernels(size_t *n);

/* The same in double, for what is beyond the kernels' range. */
double vecwire__dot_exact(const float *a, const float *b, size_t n);

#endif
