/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/load.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "tool/command.h"

#define MAX_THREADS 64

static const char help[] =
    "Usage: vecwire load [OPTION]...\n"
    "\n"
    "Sends many queries, or one request many times, and measures. Counts are\n"
    "totals over all threads; the warm-up counts in no figure and leaves its\n"
    "connections open.\n"
    "\n"
    "  --concurrency N      calls in flight at most (64)\n"
    "  --connections N      connections at most (--concurrency, at most 64)\n"
    "  --duration T         measure for so long, 10s, 500ms or 2m (10s)\n"
    "  --requests N         measure so many requests instead\n"
    "  --rate R             open loop: R requests a second come due, latency\n"
    "                       counts from then; over --concurrency in flight\n"
    "                       they wait, over 1 ms of it is a late send\n"
    "  --threads T          a client and a loop in each (1)\n"
    "  --vectors F.npy      query with these vectors, in turn\n"
    "  --dim N              or with random ones of N coordinates (384)\n"
    "  --top-k N            hits a query (10)\n"
    "  --warmup T           before measuring (1s)\n"
    "  --vector-name NAME   Qdrant: the named vector\n"
    "  --upsert             writes of rows instead of queries; Qdrant: ids "
    "0, 1,\n"
    "                       and so on, HMS: load-0, load-1, and so on\n"
    "  --batch N            rows a write, 1 to 1000, Qdrant to 100000 (1)\n"
    "  --wait               Qdrant: a write is over when it is done\n"
    "  --path P             this request instead of queries\n"
    "  --method M           its method (GET)\n"
    "  --body-file F        its body\n"
    "\n" TOOL_COMMON_HELP;

/* All threads and where they meet. */
struct team {
    pthread_barrier_t gate;
    pthread_t threads[MAX_THREADS];
    struct load_worker *workers;
    uint32_t n;
};

/* What one thread is started with. */
struct member {
    struct team *team;
    struct load_worker *worker;
};

static bool
complain(const char *text)
{
    vecwire__args_complain("load", "%s", text);
    return false;
}

static bool
check_writes(struct load_options *options)
{
    bool is_hms = options->common.dialect == VECWIRE_HMS;

    if (options->upsert && options->path != NULL)
        return complain("--upsert or --path, not both");
    if (!options->upsert && (options->batch > 0 || options->wait))
        return complain("--batch and --wait go with --upsert");
    if (is_hms && options->wait)
        return complain("--wait goes with Qdrant");
    if (is_hms && options->batch > 1000)
        return complain("--batch must be at most 1000 for HMS");
    if (options->batch == 0)
        options->batch = 1;
    return true;
}

static bool
check_options(struct load_options *options)
{
    if (options->requests > 0 && options->duration_ns > 0)
        return complain("--requests or --duration, not both");
    if (options->path == NULL &&
        (options->method != NULL || options->body_file != NULL))
        return complain("--method and --body-file go with --path");
    if (options->path != NULL && options->vectors_file != NULL)
        return complain("--path or --vectors, not both");
    if (options->dim > 0 && options->vectors_file != NULL)
        return complain("--dim or --vectors, not both");
    if (options->connections == 0)
        options->connections =
            options->concurrency < 64 ? options->concurrency : 64;
    if (options->threads > options->concurrency ||
        options->threads > options->connections ||
        (options->requests > 0 && options->threads > options->requests))
        return complain("--threads must be at most --concurrency, "
                        "--connections and --requests");
    if (options->dim == 0)
        options->dim = 384;
    if (options->requests == 0 && options->duration_ns == 0)
        options->duration_ns = 10000000000u;
    return true;
}

static bool
parse_options(struct load_options *options, int argc, char **argv, int *status)
{
    uint64_t duration = UINT64_MAX;
    const struct tool_option own[] = {
        {"concurrency", OPTION_U32, &options->concurrency, 1, 1000000},
        {"connections", OPTION_U32, &options->connections, 1, 100000},
        {"duration", OPTION_DURATION, &duration, 0, 0},
        {"requests", OPTION_U64, &options->requests, 1, UINT64_MAX},
        {"rate", OPTION_REAL, &options->rate, 0, 10000000},
        {"threads", OPTION_U32, &options->threads, 1, MAX_THREADS},
        {"vectors", OPTION_TEXT, &options->vectors_file, 0, 0},
        {"dim", OPTION_U32, &options->dim, 1, 65536},
        {"top-k", OPTION_U32, &options->top_k, 1, UINT32_MAX},
        {"warmup", OPTION_DURATION, &options->warmup_ns, 0, 0},
        {"path", OPTION_TEXT, &options->path, 0, 0},
        {"method", OPTION_TEXT, &options->method, 0, 0},
        {"body-file", OPTION_TEXT, &options->body_file, 0, 0},
        {"report", OPTION_LATER, NULL, 0, 0},
        {"upsert", OPTION_FLAG, &options->upsert, 0, 0},
        {"batch", OPTION_U32, &options->batch, 1, 100000},
        {"wait", OPTION_FLAG, &options->wait, 0, 0},
        {"vector-name", OPTION_TEXT, &options->vector_name, 0, 0},
    };
    struct tool_args args = {.command = "load",
                             .help = help,
                             .options = own,
                             .n_options = sizeof(own) / sizeof(own[0]),
                             .argc = argc,
                             .argv = argv};

    memset(options, 0, sizeof(*options));
    options->concurrency = 64;
    options->threads = 1;
    options->top_k = 10;
    options->warmup_ns = 1000000000u;
    if (!vecwire__args_parse(&args, &options->common, status))
        return false;
    *status = TOOL_USAGE;
    if (args.n_words > 0) {
        vecwire__args_complain("load", "what is \"%s\"?", args.words[0]);
        return false;
    }
    if (duration == 0)
        return complain("--duration must be over 0");
    if (duration != UINT64_MAX)
        options->duration_ns = duration;
    if (options->path == NULL &&
        !vecwire__args_has_collection(&args, &options->common))
        return false;
    return check_writes(options) && check_options(options);
}

static double
cpu_now_us(void)
{
    struct rusage used;

    if (getrusage(RUSAGE_SELF, &used) != 0)
        return NAN;
    return ((double)used.ru_utime.tv_sec + (double)used.ru_stime.tv_sec) * 1e6 +
           (double)used.ru_utime.tv_usec + (double)used.ru_stime.tv_usec;
}

static void *
thread_main(void *arg)
{
    struct member *member = arg;

    vecwire__load_worker_warm(member->worker);
    pthread_barrier_wait(&member->team->gate);
    pthread_barrier_wait(&member->team->gate);
    vecwire__load_worker_measure(member->worker);
    pthread_barrier_wait(&member->team->gate);
    return NULL;
}

/* Worker 0 runs in this thread, which reads the clocks while the others wait
 * at the gate. Returns the CPU time of the measured part. */
static double
run_team(struct team *team, struct member *members)
{
    double before, used;

    pthread_barrier_init(&team->gate, NULL, team->n);
    for (uint32_t i = 1; i < team->n; i++) {
        int rc =
            pthread_create(&team->threads[i], NULL, thread_main, &members[i]);

        if (rc != 0) {
            vecwire__args_complain("load", "no thread could be started: %s",
                                   strerror(rc));
            exit(TOOL_FAILED); /* those that run wait for us for ever */
        }
    }
    vecwire__load_worker_warm(&team->workers[0]);
    pthread_barrier_wait(&team->gate);
    before = cpu_now_us();
    pthread_barrier_wait(&team->gate);
    vecwire__load_worker_measure(&team->workers[0]);
    pthread_barrier_wait(&team->gate);
    used = cpu_now_us() - before;
    for (uint32_t i = 1; i < team->n; i++)
        pthread_join(team->threads[i], NULL);
    pthread_barrier_destroy(&team->gate);
    return used;
}

static void
add_figures(struct load_figures *sum, const struct load_figures *one)
{
    vecwire__histogram_merge(&sum->latency, &one->latency);
    sum->requests += one->requests;
    sum->errors += one->errors;
    sum->late_sends += one->late_sends;
    sum->unsent += one->unsent;
    sum->loop_iterations += one->loop_iterations;
    sum->bytes_sent += one->bytes_sent;
    sum->bytes_received += one->bytes_received;
    sum->connections_opened += one->connections_opened;
    sum->retries += one->retries;
    if (sum->began_ns == 0 || one->began_ns < sum->began_ns)
        sum->began_ns = one->began_ns;
    if (one->ended_ns > sum->ended_ns)
        sum->ended_ns = one->ended_ns;
    if (sum->first_error[0] == '\0')
        memcpy(sum->first_error, one->first_error, sizeof(sum->first_error));
}

static int
finish(const struct load_options *options, const struct team *team,
       double cpu_us)
{
    struct load_figures *sum = vecwire__args_alloc(1, sizeof(*sum));
    int status = TOOL_DONE;

    for (uint32_t i = 0; i < team->n; i++) {
        add_figures(sum, &team->workers[i].figures);
        if (team->workers[i].status > status)
            status = team->workers[i].status;
    }
    if (status == TOOL_DONE) {
        vecwire__load_report(options, sum, cpu_us);
        fflush(stdout);
        if (sum->unsent > 0)
            vecwire__args_complain("load",
                                   "%llu requests were due and never sent: "
                                   "the rate is over what came through",
                                   (unsigned long long)sum->unsent);
    }
    if (sum->errors > 0) {
        vecwire__args_complain(
            "load", "%s: %llu of %llu failed, the first: %s",
            options->common.url, (unsigned long long)sum->errors,
            (unsigned long long)sum->requests, sum->first_error);
        if (status == TOOL_DONE)
            status = TOOL_FAILED;
    }
    free(sum);
    return status;
}

static int
run(const struct load_options *options, const struct load_input *input)
{
    struct team team = {.n = options->threads};
    struct member members[MAX_THREADS];
    int status = TOOL_DONE;
    uint32_t ready = 0;

    team.workers = vecwire__args_alloc(team.n, sizeof(*team.workers));
    while (status == TOOL_DONE && ready < team.n) {
        members[ready] = (struct member){&team, &team.workers[ready]};
        status = vecwire__load_worker_init(&team.workers[ready], ready, input);
        ready++;
    }
    if (status == TOOL_DONE)
        status = finish(options, &team, run_team(&team, members));
    for (uint32_t i = 0; i < ready; i++)
        vecwire__load_worker_fini(&team.workers[i]);
    free(team.workers);
    return status;
}

int
vecwire__command_load(int argc, char **argv)
{
    struct load_options options;
    struct load_input input;
    struct vecwire_hms_mask *mask;
    int status;

    if (!parse_options(&options, argc, argv, &status))
        return status;
    status = vecwire__session_mask("load", &options.common, &mask);
    if (status != TOOL_DONE)
        return status;
    options.mask = mask;
    status = TOOL_USAGE;
    if (vecwire__load_input_init(&input, &options))
        status = run(&options, &input);
    vecwire__load_input_fini(&input);
    vecwire_hms_mask_free(mask);
    return status;
}
