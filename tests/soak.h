/* SPDX-License-Identifier: Apache-2.0 */
/* A long run of queries against a chaos server in a process of its own, and
 * what came of them. */
#ifndef VECWIRE_TESTS_SOAK_H
#define VECWIRE_TESTS_SOAK_H

#include <event2/event.h>

#include "tests/chaos_call.h"
#include "tests/counting_mem.h"

/* Calls that are remembered behind their end; more than are ever unfinished.
 */
#define SOAK_CALLS 65536
#define SOAK_CODES (VECWIRE_EDECODE + 1)
#define SOAK_SAMPLES 100

struct soak_options {
    uint64_t queries;
    unsigned seed;
    unsigned per_mille; /* requests that something is done to */
    uint32_t deadline_ms;
    unsigned samples;  /* at most SOAK_SAMPLES */
    uint64_t progress; /* a line each so many; 0: none */
    const char *url;
    const char *ca_file; /* NULL: plain, or the system's */
    struct chaos_notes *notes;
};

/* Of a client that has nothing to do. */
struct soak_sample {
    size_t blocks, bytes, resident_kb, descriptors;
};

struct soak_call {
    struct chaos_call call;
    struct soak *soak;
    uint64_t started_us;
    uint32_t deadline_ms;
};

struct soak {
    struct soak_options options;
    struct event_base *base;
    struct event *tick;
    struct vecwire_client *client;
    struct counting_mem counting;
    unsigned seed;
    uint64_t n_started, n_completed, n_refused, n_canceled;
    uint64_t n_queries;  /* of n_completed */
    uint64_t n_answered; /* well */
    uint64_t by_code[SOAK_CODES];
    /* Failures: by the last fault of the list that the server noted for the
     * call; the last column is of those without one. */
    uint64_t failures[SOAK_CODES][CHAOS_FAULTS + 1];
    uint64_t wrong; /* of whatever kind; the first few were printed */
    uint64_t begun_us, ended_us;
    size_t before; /* descriptors */
    struct soak_sample samples[SOAK_SAMPLES];
    size_t n_samples, peak_bytes;
    struct vecwire_stats stats; /* the last */
    struct soak_call calls[SOAK_CALLS];
};

/* The whole of it. False: something was wrong, and said on standard error. */
bool soak_run(const struct soak_options *options);

/* --- soak_report.c --- */

uint64_t soak_now_us(void);

/* Something was wrong. */
void soak_wrong(struct soak *soak, const struct soak_call *call,
                const char *what);

void soak_progress(const struct soak *soak);
void soak_summary(const struct soak *soak);

/* --- soak_explain.c --- */

/* Enter a failure in the table; it must be one that what the server did, or
 * the caller, explains. */
void soak_explain(struct soak *soak, const struct soak_call *call,
                  const struct vecwire_error *error);

/* Those without a fault of their own must not be more than there were faults
 * of connections. */
void soak_explain_sum(struct soak *soak);

/* --- soak_memory.c --- */

size_t soak_descriptors(void); /* open, and the few of counting */
void soak_take_sample(struct soak *soak);

/* What was held in the last quarter must not be more than in the one before
 * but for a little. */
void soak_check_flat(struct soak *soak);

#endif
