/* SPDX-License-Identifier: Apache-2.0 */
/* Our values beside jansson's. */
#ifndef VECWIRE_TESTS_FUZZ_SAME_H
#define VECWIRE_TESTS_FUZZ_SAME_H

#include <math.h>

#include <jansson.h>

#include "tests/fuzz/fuzz.h"

/* Is `ours` the float32 nearest to the number? jansson has rounded that to a
 * double: where it lies half way, either neighbour may be right. Null is
 * NaN. */
static inline bool
same_float(float ours, const json_t *number)
{
    float theirs;
    double wide, next;

    if (json_is_null(number))
        return isnan(ours);
    if (json_is_integer(number))
        return ours == (float)json_integer_value(number);
    wide = json_real_value(number);
    theirs = (float)wide;
    if (ours == theirs)
        return true;
    next = isinf(theirs) ? copysign(0x1p128, wide) : (double)theirs;
    return nextafterf(theirs, ours) == ours &&
           ((double)ours + next) / 2 == wide;
}

/* NULL: absent, or null. */
static inline bool
same_text(const char *ours, size_t len, const json_t *theirs)
{
    if (ours == NULL)
        return theirs == NULL || json_is_null(theirs);
    return json_is_string(theirs) && json_string_length(theirs) == len &&
           memcmp(ours, json_string_value(theirs), len) == 0;
}

/* JSON text; NULL as above. */
static inline bool
same_json(const char *ours, size_t len, const json_t *theirs)
{
    json_error_t error;
    json_t *tree;
    bool same;

    if (ours == NULL)
        return theirs == NULL || json_is_null(theirs);
    tree = json_loadb(ours, len, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
    same = tree != NULL && json_equal(tree, theirs);
    json_decref(tree);
    return same;
}

#endif
