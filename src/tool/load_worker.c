/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Text of one float with its comma is at most 17 bytes. */
#define BODY_BYTES(dim) ((uint64_t)(dim)*17 + 4096)
#define LEAST_WAITING 1024
#define LEAST_WAITING_BYTES ((uint64_t)64 << 20)

uint64_t
vecwire__load_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Part `index` of `total` dealt out to `parts` as evenly as can be. */
static uint64_t
share_of(uint64_t total, uint32_t index, uint32_t parts)
{
    return total / parts + (index < total % parts);
}

static int
open_client(struct load_worker *worker, uint32_t index)
{
    const struct load_options *options = worker->input->options;
    uint64_t rows = options->upsert ? options->batch : 1;
    uint64_t body =
        worker->input->body_len + rows * BODY_BYTES(worker->input->dim);
    struct session_limits limits = {
        .mask = options->mask,
        .connections =
            (uint32_t)share_of(options->connections, index, options->threads),
        .max_waiting = (uint32_t)worker->n_slots,
        .max_waiting_bytes = worker->n_slots * body,
    };

    if (limits.max_waiting < LEAST_WAITING)
        limits.max_waiting = LEAST_WAITING;
    if (limits.max_waiting_bytes < LEAST_WAITING_BYTES)
        limits.max_waiting_bytes = LEAST_WAITING_BYTES;
    return vecwire__session_open(&worker->session, "load", &options->common,
                                 &limits);
}

int
vecwire__load_worker_init(struct load_worker *worker, uint32_t index,
                          const struct load_input *input)
{
    const struct load_options *options = input->options;
    uint32_t threads = options->threads;
    int status;

    memset(worker, 0, sizeof(*worker));
    worker->timer_fd = -1;
    worker->input = input;
    worker->index = index;
    vecwire__load_upsert_init(worker);
    worker->n_slots = (size_t)share_of(options->concurrency, index, threads);
    worker->share = share_of(options->requests, index, threads);
    if (input->n_vectors > 0)
        worker->next_vector = input->n_vectors * index / threads;
    if (options->rate > 0) {
        worker->gap_ns = 1e9 / options->rate * threads;
        worker->offset_ns = 1e9 / options->rate * index;
    }
    worker->slots =
        vecwire__args_alloc(worker->n_slots, sizeof(*worker->slots));
    worker->free_slots =
        vecwire__args_alloc(worker->n_slots, sizeof(*worker->free_slots));
    for (size_t i = 0; i < worker->n_slots; i++) {
        worker->slots[i].worker = worker;
        worker->free_slots[worker->n_free++] = &worker->slots[i];
    }
    status = open_client(worker, index);
    if (status == TOOL_DONE && worker->gap_ns > 0 &&
        !vecwire__load_pace_init(worker)) {
        vecwire__args_complain("load", "no timer could be made");
        status = TOOL_FAILED;
    }
    return status;
}

void
vecwire__load_worker_fini(struct load_worker *worker)
{
    vecwire__load_pace_fini(worker);
    vecwire__load_upsert_fini(worker);
    vecwire__session_close(&worker->session);
    free(worker->slots);
    free(worker->free_slots);
}

static void
count_reply(struct load_worker *worker, const struct load_slot *slot,
            const struct vecwire_reply *reply, uint64_t now)
{
    struct load_figures *figures = &worker->figures;
    const struct vecwire_error *error = vecwire_reply_error(reply);

    figures->requests++;
    figures->ended_ns = now;
    if (error == NULL) {
        vecwire__histogram_add(&figures->latency, now - slot->due_ns);
        return;
    }
    if (figures->errors++ == 0)
        vecwire__session_reason(error, figures->first_error,
                                sizeof(figures->first_error));
}

/* Closed loop: whether one more is to be sent. */
static bool
wants_more(const struct load_worker *worker, uint64_t now)
{
    if (worker->stopping)
        return false;
    if (worker->measuring && worker->share > 0)
        return worker->sent < worker->share;
    return now < worker->end_ns;
}

/* Nothing is in flight and nothing more is to come. */
static bool
is_over(const struct load_worker *worker)
{
    bool paced = worker->timer != NULL && worker->measuring;

    return worker->n_free == worker->n_slots && (worker->stopping || !paced);
}

void
vecwire__load_end_if_over(struct load_worker *worker)
{
    if (is_over(worker))
        vecwire_loop_stop(worker->session.loop);
}

static void
on_reply(const struct vecwire_reply *reply, void *arg)
{
    struct load_slot *slot = arg;
    struct load_worker *worker = slot->worker;
    uint64_t now = vecwire__load_now();

    if (slot->measured)
        count_reply(worker, slot, reply, now);
    worker->free_slots[worker->n_free++] = slot;
    if (!worker->stopping && worker->measuring && worker->gap_ns > 0)
        vecwire__load_pace(worker);
    else if (!worker->stopping && wants_more(worker, now))
        vecwire__load_send(worker, now);
    vecwire__load_end_if_over(worker);
}

static enum vecwire_err
start_call(struct load_worker *worker, struct load_slot *slot,
           struct vecwire_refusal *refusal)
{
    const struct load_input *input = worker->input;
    const struct load_options *options = input->options;
    const float *vector;

    if (options->path != NULL)
        return vecwire_raw(
            worker->session.client,
            &VECWIRE_RAW(.method = options->method, .path = options->path,
                         .body = input->body, .body_len = input->body_len,
                         .refusal = refusal),
            on_reply, slot, NULL);
    if (options->upsert)
        return vecwire__load_upsert(worker, refusal, on_reply, slot);
    vector = input->vectors + worker->next_vector * input->dim;
    if (++worker->next_vector == input->n_vectors)
        worker->next_vector = 0;
    return vecwire_query(worker->session.client,
                         &VECWIRE_QUERY(.vector = vector, .dim = input->dim,
                                        .top_k = options->top_k,
                                        .vector_name = options->vector_name,
                                        .refusal = refusal),
                         on_reply, slot, NULL);
}

bool
vecwire__load_send(struct load_worker *worker, uint64_t due_ns)
{
    struct vecwire_refusal refusal = {.text = ""};
    struct load_slot *slot;
    enum vecwire_err rc;

    if (worker->n_free == 0)
        return false;
    slot = worker->free_slots[--worker->n_free];
    slot->due_ns = due_ns;
    slot->measured = worker->measuring;
    rc = start_call(worker, slot, &refusal);
    if (rc == VECWIRE_OK) {
        worker->sent++;
        return true;
    }
    /* What is refused once is refused always: the request is wrong. */
    worker->free_slots[worker->n_free++] = slot;
    worker->stopping = true;
    worker->status =
        vecwire__session_refused(&worker->session, "", rc, &refusal);
    return false;
}

/* Run the loop until nothing is in flight and nothing more is to come. */
static void
run_loop(struct load_worker *worker)
{
    enum vecwire_err rc = VECWIRE_OK;

    if (!is_over(worker))
        rc = vecwire_loop_run(worker->session.loop);
    if (rc != VECWIRE_OK || !is_over(worker)) {
        vecwire__args_complain("load", "the event loop ended early");
        worker->status = TOOL_FAILED;
    }
}

/* Fill all slots; their completions send the rest. */
static void
run_closed(struct load_worker *worker)
{
    uint64_t now = vecwire__load_now();

    while (worker->n_free > 0 && wants_more(worker, now) &&
           vecwire__load_send(worker, now))
        continue;
    run_loop(worker);
}

static void
note_counters(struct load_worker *worker, struct vecwire_stats *stats,
              uint64_t *iterations)
{
    *stats = *vecwire_client_stats(worker->session.client);
    *iterations = vecwire_loop_iterations(worker->session.loop);
}

void
vecwire__load_worker_measure(struct load_worker *worker)
{
    struct load_figures *figures = &worker->figures;
    const struct load_options *options = worker->input->options;
    struct vecwire_stats before, after;
    uint64_t first, last;

    note_counters(worker, &before, &first);
    worker->measuring = true;
    worker->sent = 0;
    figures->began_ns = figures->ended_ns = vecwire__load_now();
    worker->end_ns = figures->began_ns + options->duration_ns;
    if (worker->stopping)
        return;
    if (worker->gap_ns > 0) {
        vecwire__load_pace(worker);
        run_loop(worker);
    } else {
        run_closed(worker);
    }
    note_counters(worker, &after, &last);
    figures->loop_iterations = last - first;
    figures->bytes_sent = after.bytes_sent - before.bytes_sent;
    figures->bytes_received = after.bytes_received - before.bytes_received;
    figures->connections_opened =
        after.connections_opened - before.connections_opened;
    figures->retries = after.retries - before.retries;
}

void
vecwire__load_worker_warm(struct load_worker *worker)
{
    uint64_t warmup = worker->input->options->warmup_ns;

    if (warmup == 0)
        return;
    worker->end_ns = vecwire__load_now() + warmup;
    run_closed(worker);
}
