/* SPDX-License-Identifier: Apache-2.0 */
/* What the bench programs share: arguments, the prepared request, the clock,
 * the counted epoll_wait and the one line of JSON that each prints. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BENCH_DIM 384
#define BENCH_TOP_K 10

#define BENCH_NORETURN __attribute__((noreturn, format(printf, 1, 2)))

/* Set by bench_args_parse(); the texts live as long as argv. */
struct bench_args {
    const char *client; /* name in the JSON */
    const char *about;  /* what --about prints behind the compiler */
    const char *mode;   /* default of --mode; NULL: there are no modes */
    const char *url;
    char host[64];
    char authority[80]; /* host:port, for the Host header */
    const char *path;   /* inside url */
    uint16_t port;
    uint32_t in_flight;
    uint32_t connections;
    uint64_t requests;
    uint64_t warmup;
};

/* One measurement: warm-up, then `requests` answers that count. */
struct bench_run {
    const struct bench_args *args;
    uint64_t *latency_ns;
    uint64_t done;
    uint64_t now_ns; /* of the last answer */
    uint64_t wall_ns;
    uint64_t cpu_ns;
    uint64_t waits;
};

/* Print "program: text" on stderr and exit with status 1. */
void bench_die(const char *format, ...) BENCH_NORETURN;

/* Read a decimal number of at most `max`. False: the text is something else. */
bool bench_number(const char *text, uint64_t max, uint64_t *value);

/* Fill `args`, whose client, about and mode are already set. Exits with status
 * 2 on wrong usage, with 0 after --about. */
void bench_args_parse(struct bench_args *args, int argc, char **argv);

/* Begin; the figures start after args->warmup answers. */
void bench_run_init(struct bench_run *run, const struct bench_args *args);

/* An answer came to the request submitted at `started_ns`; run->now_ns is the
 * time. True: it was the last one that counts. Until then the caller submits
 * a new request for each answer, so that the load is steady to the end. */
bool bench_run_done(struct bench_run *run, uint64_t started_ns);

/* Print the JSON line. `extra` (NULL: none) is text put before the closing
 * brace, such as `,"key":1`. */
void bench_run_print(struct bench_run *run, const char *extra);

void bench_run_fini(struct bench_run *run);

/* CLOCK_MONOTONIC. */
uint64_t bench_now_ns(void);

/* Returns of epoll_wait, epoll_pwait and epoll_pwait2 so far, whoever called.
 */
uint64_t bench_waits(void);

/* Memory, or exit. */
void *bench_alloc(size_t n, size_t size);

/* BENCH_DIM normalised floats from splitmix64. */
void bench_vector(float *vector, uint64_t seed);

/* The HMS query body of bench_vector(seed), each float in the fewest digits
 * that read back to it. NUL-terminated; free() it. */
char *bench_query_body(uint64_t seed, size_t *len);

/* Value of Content-Length in the `len` bytes of a message head; 0 when there
 * is none or it makes no sense. */
size_t bench_content_length(const char *head, size_t len);

/* Next number of a splitmix64 sequence. */
uint64_t bench_random(uint64_t *state);

/* Shortest "%g" text of `value` that strtof() reads back; needs 32 bytes. */
size_t bench_float_text(char *text, float value);

#endif
