/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/load.h"

#include <math.h>
#include <stdio.h>

#include "tool/output.h"

static const struct {
    const char *name;
    double share;
} quantiles[] = {{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p999", 0.999}};

static double
ratio(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

static double
largest_us(const struct load_figures *figures)
{
    return figures->latency.count == 0 ? NAN
                                       : (double)figures->latency.max / 1000;
}

static void
print_real(const char *before, double value, int digits)
{
    fputs(before, stdout);
    vecwire__output_real(stdout, value, digits);
}

static void
print_count(const char *before, uint64_t value)
{
    printf("%s%llu", before, (unsigned long long)value);
}

static void
print_json(const struct load_figures *figures, double seconds, double cpu_us)
{
    double requests = (double)figures->requests;

    print_count("{\"requests\":", figures->requests);
    print_count(",\"errors\":", figures->errors);
    print_real(",\"duration_s\":", seconds, 6);
    print_real(",\"requests_per_s\":", ratio(requests, seconds), 3);
    fputs(",\"latency_us\":{", stdout);
    for (size_t i = 0; i < sizeof(quantiles) / sizeof(quantiles[0]); i++) {
        printf("\"%s\":", quantiles[i].name);
        print_real(
            "",
            vecwire__histogram_quantile(&figures->latency, quantiles[i].share) /
                1000,
            3);
        putchar(',');
    }
    print_real("\"max\":", largest_us(figures), 3);
    print_count("},\"loop_iterations\":", figures->loop_iterations);
    print_real(",\"loop_iterations_per_request\":",
               ratio((double)figures->loop_iterations, requests), 4);
    print_real(",\"cpu_us_per_request\":", ratio(cpu_us, requests), 3);
    print_count(",\"bytes_sent\":", figures->bytes_sent);
    print_count(",\"bytes_received\":", figures->bytes_received);
    print_count(",\"connections_opened\":", figures->connections_opened);
    print_count(",\"retries\":", figures->retries);
    print_count(",\"late_sends\":", figures->late_sends);
    puts("}");
}

static void
row_count(const char *name, uint64_t value)
{
    printf("%-24s %14llu\n", name, (unsigned long long)value);
}

static void
row_real(const char *name, double value, int digits)
{
    if (isfinite(value))
        printf("%-24s %14.*f\n", name, digits, value);
    else
        printf("%-24s %14s\n", name, "-");
}

static void
print_table(const struct load_figures *figures, double seconds, double cpu_us)
{
    double requests = (double)figures->requests;
    char name[32];

    row_count("requests", figures->requests);
    row_count("errors", figures->errors);
    row_real("duration, s", seconds, 3);
    row_real("requests per s", ratio(requests, seconds), 1);
    for (size_t i = 0; i < sizeof(quantiles) / sizeof(quantiles[0]); i++) {
        snprintf(name, sizeof(name), "latency %s, us", quantiles[i].name);
        row_real(
            name,
            vecwire__histogram_quantile(&figures->latency, quantiles[i].share) /
                1000,
            1);
    }
    row_real("latency max, us", largest_us(figures), 1);
    row_count("loop iterations", figures->loop_iterations);
    row_real("  per request", ratio((double)figures->loop_iterations, requests),
             2);
    row_real("CPU per request, us", ratio(cpu_us, requests), 1);
    row_count("bytes sent", figures->bytes_sent);
    row_count("bytes received", figures->bytes_received);
    row_count("connections opened", figures->connections_opened);
    row_count("retries", figures->retries);
    row_count("late sends", figures->late_sends);
}

void
vecwire__load_report(const struct load_options *options,
                     const struct load_figures *figures, double cpu_us)
{
    double seconds = (double)(figures->ended_ns - figures->began_ns) / 1e9;

    if (options->common.json)
        print_json(figures, seconds, cpu_us);
    else
        print_table(figures, seconds, cpu_us);
}
