/* SPDX-License-Identifier: Apache-2.0 */
/* What the clients of tls_server share. */
#ifndef BENCH_TLS_CONNECT_H
#define BENCH_TLS_CONNECT_H

#include "bench.h"

#include <stdio.h>
#include <sys/resource.h>

/* Do something so many times. */
typedef void tls_connect_many(void *arg, uint64_t n);

static inline double
tls_connect_cpu_us(void)
{
    struct rusage use;

    getrusage(RUSAGE_SELF, &use);
    return ((double)use.ru_utime.tv_sec + (double)use.ru_stime.tv_sec) * 1e6 +
           (double)use.ru_utime.tv_usec + (double)use.ru_stime.tv_usec;
}

/* Warm up, then measure: "connections/s CPU-us-each". */
static inline void
tls_connect_measure(tls_connect_many *many, void *arg, uint64_t n)
{
    uint64_t begin;
    double cpu;

    many(arg, 20);
    begin = bench_now_ns();
    cpu = tls_connect_cpu_us();
    many(arg, n);
    cpu = tls_connect_cpu_us() - cpu;
    printf("%.0f %.1f\n", (double)n * 1e9 / (double)(bench_now_ns() - begin),
           cpu / (double)n);
}

#endif
