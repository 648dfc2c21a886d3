/* SPDX-License-Identifier: Apache-2.0 */
/* The load of the peers through Vecwire's public API. --mode query encodes
 * 384 floats and decodes the hits; --mode raw is the transport alone: a body
 * prepared beforehand, the reply's body not looked at. */
#include "bench.h"

#include <event2/event.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vecwire/vecwire.h>

/* Different queries, so that no predictor learns the digits of one. */
#define N_VECTORS 256

struct load {
    struct bench_args args;
    struct bench_run run;
    struct event_base *base;
    struct vecwire_loop *loop;
    struct vecwire_client *client;
    float (*vectors)[BENCH_DIM];
    unsigned next_vector;
    char *body;
    size_t body_len;
    bool query;
    bool ended;
    double scores; /* summed, so that every row is really read */
};

/* One call in flight. */
struct slot {
    struct load *load;
    uint64_t started_ns;
};

/* What the calls that wait for a connection take. */
struct held {
    double heap_per_call; /* the C library's count */
    double own_per_call;  /* the client's count */
    uint32_t calls;
};

static void submit(struct slot *slot);

static void
take_rows(struct load *load, const struct vecwire_reply *reply)
{
    size_t n = vecwire_reply_count(reply);

    if (n != BENCH_TOP_K)
        bench_die("%zu rows instead of %d", n, BENCH_TOP_K);
    for (size_t i = 0; i < n; i++)
        load->scores += (double)vecwire_reply_row(reply, i)->score;
}

static void
on_reply(const struct vecwire_reply *reply, void *arg)
{
    const struct vecwire_error *error = vecwire_reply_error(reply);
    struct slot *slot = arg;
    struct load *load = slot->load;

    if (load->ended)
        return;
    if (error != NULL)
        bench_die("%s: %s", vecwire_strerror(error->code), error->detail);
    if (load->query)
        take_rows(load, reply);
    load->ended = bench_run_done(&load->run, slot->started_ns);
    if (load->ended)
        vecwire_loop_stop(load->loop);
    else
        submit(slot);
}

static void
submit(struct slot *slot)
{
    struct load *load = slot->load;
    enum vecwire_err code;

    slot->started_ns = load->run.now_ns;
    if (load->query)
        code = vecwire_query(
            load->client,
            &VECWIRE_QUERY(.vector =
                               load->vectors[load->next_vector++ % N_VECTORS],
                           .dim = BENCH_DIM, .top_k = BENCH_TOP_K),
            on_reply, slot, NULL);
    else
        code = vecwire_raw(
            load->client,
            &VECWIRE_RAW(.method = "POST", .path = load->args.path,
                         .body = load->body, .body_len = load->body_len),
            on_reply, slot, NULL);
    if (code != VECWIRE_OK)
        bench_die("refused: %s", vecwire_strerror(code));
}

static size_t
heap_in_use(void)
{
    struct mallinfo2 info = mallinfo2();

    return info.uordblks + info.hblkhd;
}

/* Start every call. The first `connections` get one each, the rest waits. */
static struct held
start(struct load *load, struct slot *slots)
{
    const struct bench_args *args = &load->args;
    struct held held = {.calls = 0};
    size_t before = 0;

    for (uint32_t i = 0; i < args->in_flight; i++) {
        if (i == args->connections)
            before = heap_in_use();
        slots[i].load = load;
        submit(&slots[i]);
    }
    if (args->in_flight > args->connections) {
        const struct vecwire_stats *stats = vecwire_client_stats(load->client);

        held.calls = stats->calls_waiting;
        held.own_per_call =
            (double)stats->waiting_held / (double)stats->calls_waiting;
        held.heap_per_call = (double)(heap_in_use() - before) /
                             (double)(args->in_flight - args->connections);
    }
    return held;
}

static void
setup(struct load *load)
{
    const struct bench_args *args = &load->args;
    struct vecwire_refusal refusal = {.row = 0};
    char url[128];
    enum vecwire_err code;

    load->query = strcmp(args->mode, "query") == 0;
    load->args.client = load->query ? "vecwire-query" : "vecwire-raw";
    load->body = bench_query_body(1, &load->body_len);
    load->vectors = bench_alloc(N_VECTORS, sizeof(*load->vectors));
    for (unsigned i = 0; i < N_VECTORS; i++)
        bench_vector(load->vectors[i], i + 1);
    load->base = vecwire_event_base_new();
    if (load->base == NULL ||
        vecwire_loop_new(&load->loop, load->base) != VECWIRE_OK)
        bench_die("no event base");
    snprintf(url, sizeof(url), "http://%s", args->authority);
    code = vecwire_client_new(
        &load->client, load->base,
        &VECWIRE_OPTIONS(.url = url, .loop = load->loop, .refusal = &refusal,
                         .max_waiting_bytes = (uint64_t)args->in_flight << 20,
                         .connections = args->connections,
                         .max_waiting = args->in_flight,
                         .deadline_ms = VECWIRE_NEVER, .no_retry = true));
    if (code != VECWIRE_OK)
        bench_die("%s: %s", vecwire_strerror(code), refusal.text);
}

static void
report(struct load *load, const struct held *held)
{
    const struct vecwire_stats *stats = vecwire_client_stats(load->client);
    char extra[256];

    snprintf(extra, sizeof(extra),
             ",\"wakeups_per_request\":%.4f,\"connections_opened\":%llu,"
             "\"waiting_calls\":%u,\"waiting_heap_bytes_per_call\":%.0f,"
             "\"waiting_own_bytes_per_call\":%.0f",
             (double)stats->wakeups / (double)stats->calls_completed,
             (unsigned long long)stats->connections_opened, held->calls,
             held->heap_per_call, held->own_per_call);
    bench_run_print(&load->run, extra);
}

int
main(int argc, char **argv)
{
    struct load load = {.args = {.client = "vecwire", .mode = "query"}};
    struct held held;
    struct slot *slots;
    char about[96];

    snprintf(about, sizeof(about), "vecwire %s on libevent %s",
             vecwire_version(), event_get_version());
    load.args.about = about;
    bench_args_parse(&load.args, argc, argv);
    setup(&load);
    slots = bench_alloc(load.args.in_flight, sizeof(*slots));
    bench_run_init(&load.run, &load.args);
    held = start(&load, slots);
    if (vecwire_loop_run(load.loop) != VECWIRE_OK || !load.ended)
        bench_die("the loop ended early");
    report(&load, &held);
    vecwire_client_free(load.client);
    vecwire_loop_free(load.loop);
    event_base_free(load.base);
    bench_run_fini(&load.run);
    free(slots);
    free(load.vectors);
    free(load.body);
    return EXIT_SUCCESS;
}
