/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/soak.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

#define TOLD_WRONGS 20

uint64_t
soak_now_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

void
soak_wrong(struct soak *soak, const struct soak_call *call, const char *what)
{
    if (++soak->wrong > TOLD_WRONGS)
        return;
    if (call == NULL)
        fprintf(stderr, "WRONG: %s\n", what);
    else
        fprintf(stderr, "WRONG: call %" PRIu64 " (kind %u): %s\n",
                call->call.marker, (unsigned)call->call.kind, what);
}

void
soak_progress(const struct soak *soak)
{
    const struct soak_sample *last = &soak->samples[soak->n_samples - 1];
    uint64_t us = soak_now_us() - soak->begun_us;

    printf("%" PRIu64 " of %" PRIu64 " in %" PRIu64 " s, %" PRIu64
           "/s, %zu KB, %zu descriptors, %" PRIu64 " wrong\n",
           soak->n_completed, soak->options.queries, us / 1000000,
           us == 0 ? 0 : soak->n_completed * 1000000 / us, last->resident_kb,
           last->descriptors, soak->wrong);
    fflush(stdout);
}

static void
print_codes(const struct soak *soak)
{
    puts("completed by code, and the fault behind it:");
    for (int code = 0; code < SOAK_CODES; code++) {
        if (soak->by_code[code] == 0)
            continue;
        printf("  %-18s %9" PRIu64 "\n",
               vecwire_err_name((enum vecwire_err)code), soak->by_code[code]);
        for (int fault = 0; fault <= CHAOS_FAULTS; fault++) {
            if (soak->failures[code][fault] == 0)
                continue;
            printf("    %-26s %9" PRIu64 "\n",
                   fault == CHAOS_FAULTS
                       ? "none of its own"
                       : chaos_fault_text((enum chaos_fault)fault),
                   soak->failures[code][fault]);
        }
    }
}

static void
print_faults(const struct chaos_notes *notes)
{
    puts("faults by kind:");
    for (int fault = 0; fault < CHAOS_FAULTS; fault++)
        printf("  %-28s %9" PRIu64 "\n",
               chaos_fault_text((enum chaos_fault)fault), notes->faults[fault]);
}

void
soak_summary(const struct soak *soak)
{
    const struct chaos_notes *notes = soak->options.notes;
    double seconds = (double)(soak->ended_us - soak->begun_us) / 1e6;
    struct rusage use;

    getrusage(RUSAGE_SELF, &use);
    print_codes(soak);
    print_faults(notes);
    printf("queries: %" PRIu64 " of %" PRIu64 " calls, %" PRIu64
           " answered well, %" PRIu64 " refused, %" PRIu64 " canceled\n",
           soak->n_queries, soak->n_completed, soak->n_answered,
           soak->n_refused, soak->n_canceled);
    printf("server: %" PRIu64 " requests, %" PRIu64 " connections; client: "
           "%" PRIu64 " connections made, %" PRIu64 " lost, %" PRIu64
           " retries\n",
           notes->requests, notes->connections, soak->stats.connections_opened,
           soak->stats.connections_lost, soak->stats.retries);
    printf("peak: %ld KB resident, %zu bytes of the client\n", use.ru_maxrss,
           soak->peak_bytes);
    printf("%.1f s, %.0f calls a second, seed %u, %u in 1000 faulty: %s\n",
           seconds, (double)soak->n_completed / seconds, soak->options.seed,
           soak->options.per_mille, soak->wrong == 0 ? "all right" : "WRONG");
}
