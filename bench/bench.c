/* SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

void
bench_die(const char *format, ...)
{
    va_list list;

    va_start(list, format);
    fprintf(stderr, "%s: ", program_invocation_short_name);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    va_end(list);
    exit(EXIT_FAILURE);
}

void *
bench_alloc(size_t n, size_t size)
{
    void *block = calloc(n, size);

    if (block == NULL)
        bench_die("out of memory");
    return block;
}

static void __attribute__((noreturn)) usage(const struct bench_args *args)
{
    fprintf(stderr,
            "usage: %s --url http://ADDRESS:PORT/PATH [--requests N] "
            "[--warmup N] [--in-flight C] [--connections K]%s | --about\n",
            program_invocation_short_name,
            args->mode != NULL ? " [--mode raw|query]" : "");
    exit(2);
}

bool
bench_number(const char *text, uint64_t max, uint64_t *value)
{
    char *end;

    errno = 0;
    *value = strtoull(text, &end, 10);
    return errno == 0 && end != text && *end == '\0' && text[0] != '-' &&
           *value <= max;
}

static uint64_t
take_number(const struct bench_args *args, const char *text, uint64_t max)
{
    uint64_t value;

    if (!bench_number(text, max, &value))
        usage(args);
    return value;
}

static void
take_url(struct bench_args *args)
{
    static const char scheme[] = "http://";
    const char *host, *colon;
    size_t len;

    if (strncmp(args->url, scheme, sizeof(scheme) - 1) != 0)
        usage(args);
    host = args->url + sizeof(scheme) - 1;
    colon = strchr(host, ':');
    args->path = strchr(host, '/');
    if (colon == NULL || args->path == NULL || colon > args->path)
        usage(args);
    len = (size_t)(colon - host);
    if (len == 0 || len >= sizeof(args->host))
        usage(args);
    memcpy(args->host, host, len);
    args->port = (uint16_t)strtoul(colon + 1, NULL, 10);
    snprintf(args->authority, sizeof(args->authority), "%s:%u", args->host,
             args->port);
}

static void
take_mode(struct bench_args *args, const char *mode)
{
    if (args->mode == NULL)
        usage(args);
    if (strcmp(mode, "raw") != 0 && strcmp(mode, "query") != 0)
        usage(args);
    args->mode = mode;
}

static void
take_option(struct bench_args *args, int option)
{
    switch (option) {
    case 'u':
        args->url = optarg;
        break;
    case 'n':
        args->requests = take_number(args, optarg, 100000000);
        break;
    case 'w':
        args->warmup = take_number(args, optarg, 100000000);
        break;
    case 'c':
        args->in_flight = (uint32_t)take_number(args, optarg, 1000000);
        break;
    case 'k':
        args->connections = (uint32_t)take_number(args, optarg, 4096);
        break;
    case 'm':
        take_mode(args, optarg);
        break;
    case 'a':
        printf("%s, %s\n", COMPILER, args->about);
        exit(EXIT_SUCCESS);
    default:
        usage(args);
    }
}

void
bench_args_parse(struct bench_args *args, int argc, char **argv)
{
    static const struct option options[] = {
        {"url", required_argument, NULL, 'u'},
        {"requests", required_argument, NULL, 'n'},
        {"warmup", required_argument, NULL, 'w'},
        {"in-flight", required_argument, NULL, 'c'},
        {"connections", required_argument, NULL, 'k'},
        {"mode", required_argument, NULL, 'm'},
        {"about", no_argument, NULL, 'a'},
        {NULL, 0, NULL, 0},
    };
    int option;

    args->requests = 20000;
    args->warmup = 1000;
    args->in_flight = 1;
    args->connections = 1;
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1)
        take_option(args, option);
    if (args->url == NULL || optind != argc || args->requests == 0 ||
        args->in_flight == 0 || args->connections == 0)
        usage(args);
    take_url(args);
}

uint64_t
bench_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

static uint64_t
cpu_ns(void)
{
    struct rusage use;

    getrusage(RUSAGE_SELF, &use);
    return ((uint64_t)use.ru_utime.tv_sec + (uint64_t)use.ru_stime.tv_sec) *
               1000000000U +
           ((uint64_t)use.ru_utime.tv_usec + (uint64_t)use.ru_stime.tv_usec) *
               1000U;
}

/* The three figures hold minus their start until the end adds itself. */
static void
run_mark(struct bench_run *run, bool end)
{
    run->wall_ns = bench_now_ns() - (end ? run->wall_ns : 0);
    run->cpu_ns = cpu_ns() - (end ? run->cpu_ns : 0);
    run->waits = bench_waits() - (end ? run->waits : 0);
}

void
bench_run_init(struct bench_run *run, const struct bench_args *args)
{
    memset(run, 0, sizeof(*run));
    run->args = args;
    run->latency_ns = bench_alloc(args->requests, sizeof(*run->latency_ns));
    /* Touched now, so that no page fault falls into the measured part. */
    memset(run->latency_ns, 0xff, args->requests * sizeof(*run->latency_ns));
    run->now_ns = bench_now_ns();
    if (args->warmup == 0)
        run_mark(run, false);
}

bool
bench_run_done(struct bench_run *run, uint64_t started_ns)
{
    const struct bench_args *args = run->args;

    run->now_ns = bench_now_ns();
    if (run->done >= args->warmup + args->requests)
        return true;
    if (run->done >= args->warmup)
        run->latency_ns[run->done - args->warmup] = run->now_ns - started_ns;
    run->done++;
    if (run->done == args->warmup + args->requests) {
        run_mark(run, true);
        return true;
    }
    if (run->done == args->warmup)
        run_mark(run, false);
    return false;
}

static int
compare_u64(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

void
bench_run_print(struct bench_run *run, const char *extra)
{
    uint64_t n = run->args->requests;

    qsort(run->latency_ns, n, sizeof(*run->latency_ns), compare_u64);
    printf("{\"client\":\"%s\",\"requests\":%llu,\"wall_s\":%.6f,"
           "\"cpu_us_per_request\":%.3f,"
           "\"latency_us\":{\"p50\":%.1f,\"p99\":%.1f},"
           "\"loop_iterations\":%llu%s}\n",
           run->args->client, (unsigned long long)n, (double)run->wall_ns / 1e9,
           (double)run->cpu_ns / 1e3 / (double)n,
           (double)run->latency_ns[n / 2] / 1e3,
           (double)run->latency_ns[n * 99 / 100] / 1e3,
           (unsigned long long)run->waits, extra != NULL ? extra : "");
    fflush(stdout);
}

void
bench_run_fini(struct bench_run *run)
{
    free(run->latency_ns);
}

uint64_t
bench_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15U;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}
