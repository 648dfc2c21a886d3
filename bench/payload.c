/* SPDX-License-Identifier: Apache-2.0 */
/* The prepared request: made once, before anything is measured. */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

void
bench_vector(float *vector, uint64_t seed)
{
    double sum = 0.0;

    for (size_t i = 0; i < BENCH_DIM; i++) {
        double unit = (double)(bench_random(&seed) >> 11) * 0x1p-53;

        vector[i] = (float)(2.0 * unit - 1.0);
        sum += (double)vector[i] * (double)vector[i];
    }
    for (size_t i = 0; i < BENCH_DIM; i++)
        vector[i] = (float)((double)vector[i] / sqrt(sum));
}

size_t
bench_float_text(char *text, float value)
{
    int len = 0;

    for (int digits = 1; digits <= 9; digits++) {
        len = snprintf(text, 32, "%.*g", digits, (double)value);
        if (strtof(text, NULL) == value)
            break;
    }
    return (size_t)len;
}

char *
bench_query_body(uint64_t seed, size_t *len)
{
    float vector[BENCH_DIM];
    char *body = bench_alloc(1, BENCH_DIM * 32 + 64);
    char *end = stpcpy(body, "{\"query_vector\":[");

    bench_vector(vector, seed);
    for (size_t i = 0; i < BENCH_DIM; i++) {
        if (i > 0)
            *end++ = ',';
        end += bench_float_text(end, vector[i]);
    }
    end += sprintf(end, "],\"top_k\":%d}", BENCH_TOP_K);
    *len = (size_t)(end - body);
    return body;
}

size_t
bench_content_length(const char *head, size_t len)
{
    static const char name[] = "\ncontent-length:";
    const size_t name_len = sizeof(name) - 1;
    const char *end = head + len;
    const char *line = memchr(head, '\n', len);

    while (line != NULL && (size_t)(end - line) > name_len) {
        if (strncasecmp(line, name, name_len) == 0)
            return strtoul(line + name_len, NULL, 10);
        line = memchr(line + 1, '\n', (size_t)(end - line - 1));
    }
    return 0;
}
