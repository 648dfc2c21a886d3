/* SPDX-License-Identifier: Apache-2.0 */
/* The codec bench: each task is done by all who can, in every round in another
 * random order, on enough different texts that no branch predictor learns them.
 * Prints one line of JSON for each peer and task. */
#include "codec.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

#define ROUNDS_MOST 1001
#define PEERS_MOST 8

/* Vecwire is the first: the others are compared with it. */
static const struct codec_peer *const peers[] = {
    &codec_vecwire,   &codec_vecwire_base, &codec_vecwire_segments,
#ifdef CODEC_PROTOTYPES
    &codec_prototype,
#endif
    &codec_libc,
#ifdef CODEC_SIMDJSON
    &codec_simdjson,
#endif
    &codec_jansson,
};

#define N_PEERS (sizeof(peers) / sizeof(peers[0]))

enum act { WRITE, READ, HMS, SCROLL };

struct task {
    const char *name;
    enum act act;
    const struct codec_kind *kind;
    const struct codec_replies *replies;
};

struct options {
    uint64_t rounds;
    const char *only; /* part of the tasks' names; NULL: all */
};

static char *text_room;
static float *float_room;
static uint64_t random_state;

static bool
can(const struct codec_peer *peer, enum act act)
{
    switch (act) {
    case WRITE:
        return peer->write != NULL;
    case READ:
        return peer->read != NULL;
    case HMS:
        return peer->hms != NULL;
    default:
        return peer->scroll != NULL;
    }
}

static size_t
task_texts(const struct task *task)
{
    return task->kind != NULL ? CODEC_VECTORS : task->replies->n;
}

/* The texts from `first` on in steps of `step`; returns the bytes. Where the
 * results lie changes from round to round, so that no unlucky distance of two
 * buffers lasts. */
static uint64_t
task_do(const struct task *task, const struct codec_peer *peer, size_t first,
        size_t step, struct codec_found *found)
{
    size_t shift = bench_random(&random_state) % 64 * 64;
    char *text = text_room + shift;
    float *vector = float_room + shift / sizeof(*float_room);
    uint64_t bytes = 0;

    for (size_t i = first; i < task_texts(task); i += step) {
        const struct codec_text *in;

        if (task->act == WRITE) {
            bytes += peer->write(task->kind->values + i * CODEC_DIM, text);
            found->floats += CODEC_DIM;
            continue;
        }
        in = task->kind != NULL ? &task->kind->texts[i]
                                : &task->replies->texts[i];
        if (task->act == READ)
            found->floats += peer->read(in->bytes, in->len, vector);
        else if (task->act == HMS)
            peer->hms(in->bytes, in->len, found);
        else
            peer->scroll(in->bytes, in->len, found);
        bytes += in->len;
    }
    return bytes;
}

/* Does the peer do what it is measured for? */
static void
vectors_check(const struct codec_peer *peer, const struct codec_kind *kind)
{
    float got[CODEC_DIM];

    for (size_t i = 0; i < CODEC_VECTORS; i++) {
        const float *want = kind->values + i * CODEC_DIM;
        const struct codec_text *text = &kind->texts[i];
        char *p = text_room;

        if (peer->read != NULL &&
            (peer->read(text->bytes, text->len, got) != CODEC_DIM ||
             memcmp(got, want, sizeof(got)) != 0))
            bench_die("%s misreads %s", peer->name, kind->name);
        if (peer->write == NULL)
            continue;
        p[peer->write(want, p)] = '\0';
        for (size_t j = 0; j < CODEC_DIM; j++) {
            if (*p++ != (j == 0 ? '[' : ',') || strtof(p, &p) != want[j])
                bench_die("%s miswrites %s", peer->name, kind->name);
        }
        if (strcmp(p, "]") != 0)
            bench_die("%s miswrites %s", peer->name, kind->name);
    }
}

static void
replies_check(const struct codec_peer *peer, const struct task *task)
{
    const struct codec_replies *replies = task->replies;
    struct codec_found want = {0}, found = {0};

    (void)task_do(task, peers[0], 0, 1, &want);
    (void)task_do(task, peer, 0, 1, &found);
    if (found.rows != replies->n * replies->rows ||
        found.floats != found.rows * replies->dim ||
        found.id_bytes != want.id_bytes ||
        fabs(found.scores - want.scores) > 0.001)
        bench_die("%s misreads: %s", peer->name, task->name);
}

static int
compare_doubles(const void *left, const void *right)
{
    const double *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

static void
sort(double *values, size_t n)
{
    qsort(values, n, sizeof(*values), compare_doubles);
}

static double times[PEERS_MOST][ROUNDS_MOST]; /* ns for what counts as one */
static double bytes_each[PEERS_MOST];

static void
peer_print(const struct task *task, size_t peer, uint64_t rounds)
{
    double ratios[ROUNDS_MOST], median;

    for (uint64_t i = 0; i < rounds; i++)
        ratios[i] = times[peer][i] / times[0][i];
    sort(ratios, rounds);
    sort(times[peer], rounds);
    median = times[peer][rounds / 2];
    printf("{\"task\":\"%s\",\"peer\":\"%s\",\"ns\":%.3f,\"ratio\":%.4f,"
           "\"least\":%.4f,\"most\":%.4f,\"mb_per_s\":%.1f}\n",
           task->name, peers[peer]->name, median, ratios[rounds / 2],
           ratios[rounds / 10], ratios[rounds - 1 - rounds / 10],
           bytes_each[peer] / median * 1e3);
    fflush(stdout);
}

static void
shuffle(size_t *order, size_t n)
{
    for (size_t i = n; i > 1; i--) {
        size_t j = bench_random(&random_state) % i, keep = order[i - 1];

        order[i - 1] = order[j];
        order[j] = keep;
    }
}

/* One round of one peer. A float counts as one, or a reply. */
static void
peer_measure(const struct task *task, size_t peer, uint64_t round)
{
    size_t share = peers[peer]->share, n = task_texts(task), first;
    struct codec_found found = {0};
    uint64_t begin, bytes;
    double count;

    if (share > n)
        share = n;
    first = bench_random(&random_state) % share;
    begin = bench_now_ns();
    bytes = task_do(task, peers[peer], first, share, &found);
    times[peer][round] = (double)(bench_now_ns() - begin);
    count = task->kind != NULL
                ? (double)found.floats
                : (double)found.rows / (double)task->replies->rows;
    times[peer][round] /= count;
    bytes_each[peer] = (double)bytes / count;
}

static void
task_run(const struct task *task, uint64_t rounds)
{
    size_t order[PEERS_MOST], n = 0;

    for (size_t i = 0; i < N_PEERS; i++) {
        if (!can(peers[i], task->act))
            continue;
        if (task->replies != NULL)
            replies_check(peers[i], task);
        order[n++] = i;
    }
    for (uint64_t round = 0; round < rounds; round++) {
        shuffle(order, n);
        for (size_t i = 0; i < n; i++)
            peer_measure(task, order[i], round);
    }
    /* sorts the times, those of the first last */
    for (size_t i = N_PEERS; i-- > 0;) {
        if (can(peers[i], task->act))
            peer_print(task, i, rounds);
    }
}

static void
vectors_run(const struct options *options)
{
    static struct codec_kind kinds[CODEC_KINDS];

    codec_kinds_make(kinds);
    for (size_t i = 0; i < N_PEERS; i++) {
        for (size_t kind = 0; kind < CODEC_KINDS; kind++)
            vectors_check(peers[i], &kinds[kind]);
    }
    for (int act = WRITE; act <= READ; act++) {
        for (size_t kind = 0; kind < CODEC_KINDS; kind++) {
            char name[64];
            struct task task = {name, (enum act)act, &kinds[kind], NULL};

            snprintf(name, sizeof(name), "%s, %s",
                     act == WRITE ? "write" : "read", kinds[kind].name);
            if (options->only == NULL || strstr(name, options->only) != NULL)
                task_run(&task, options->rounds);
        }
    }
}

static void
replies_run(const struct options *options)
{
    static struct codec_replies made[4];

    codec_hms_make(&made[0]);
    codec_scroll_make(&made[1], "page of 100 points of 512", 8, 100, 512);
    codec_scroll_make(&made[2], "page of 10 payloads", 256, 10, 0);
    codec_scroll_make(&made[3], "page of 1000 payloads", 8, 1000, 0);
    for (size_t i = 0; i < 4; i++) {
        struct task task = {made[i].name, i == 0 ? HMS : SCROLL, NULL,
                            &made[i]};

        if (options->only == NULL || strstr(task.name, options->only) != NULL)
            task_run(&task, options->rounds);
    }
}

static void
usage(void)
{
    fprintf(stderr, "usage: codec [--rounds N] [--only TEXT] | --about\n");
    exit(2);
}

int
main(int argc, char **argv)
{
    static const struct option known[] = {
        {"rounds", required_argument, NULL, 'r'},
        {"only", required_argument, NULL, 'o'},
        {"about", no_argument, NULL, 'a'},
        {NULL, 0, NULL, 0},
    };
    struct options options = {41, NULL};
    int option;

    while ((option = getopt_long(argc, argv, "", known, NULL)) != -1) {
        if (option == 'a') {
            printf("%s\n", COMPILER);
            return 0;
        }
        if (option == 'o')
            options.only = optarg;
        else if (option != 'r' ||
                 !bench_number(optarg, ROUNDS_MOST, &options.rounds) ||
                 options.rounds == 0)
            usage();
    }
    if (optind != argc)
        usage();
    text_room = bench_alloc(CODEC_DIM, 48);
    float_room = bench_alloc(2 * 1024 + CODEC_DIM, sizeof(*float_room));
    random_state = bench_now_ns();
    vectors_run(&options);
    replies_run(&options);
    return 0;
}
