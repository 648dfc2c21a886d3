/* SPDX-License-Identifier: Apache-2.0 */
/* Write loads: rows that no other write of the run has. */
#include "tool/load.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void
vecwire__load_upsert_init(struct load_worker *worker)
{
    const struct load_options *options = worker->input->options;

    if (!options->upsert)
        return;
    worker->numbers =
        vecwire__args_alloc(options->batch, sizeof(*worker->numbers));
    if (options->common.dialect != VECWIRE_HMS)
        return;
    worker->texts = vecwire__args_alloc(options->batch, sizeof(*worker->texts));
    worker->ids = vecwire__args_alloc(options->batch, sizeof(*worker->ids));
}

void
vecwire__load_upsert_fini(struct load_worker *worker)
{
    free(worker->numbers);
    free(worker->texts);
    free(worker->ids);
    worker->numbers = NULL;
    worker->texts = NULL;
    worker->ids = NULL;
}

/* Threads take turns, so that ids are numbered from 0 without large gaps. */
static void
number_rows(struct load_worker *worker)
{
    const struct load_options *options = worker->input->options;
    uint64_t first = (worker->next_write++ * options->threads + worker->index) *
                     options->batch;

    for (uint32_t i = 0; i < options->batch; i++) {
        worker->numbers[i] = first + i;
        if (worker->texts == NULL)
            continue;
        snprintf(worker->texts[i], sizeof(worker->texts[i]), "load-%" PRIu64,
                 first + i);
        worker->ids[i] = worker->texts[i];
    }
}

/* So many vectors one behind the other; there are as many at least. */
static const float *
next_rows(struct load_worker *worker)
{
    const struct load_input *input = worker->input;
    size_t rows = input->options->batch, at = worker->next_vector;

    if (rows > input->n_vectors - at)
        at = 0;
    worker->next_vector = (at + rows) % input->n_vectors;
    return input->vectors + at * input->dim;
}

enum vecwire_err
vecwire__load_upsert(struct load_worker *worker,
                     struct vecwire_refusal *refusal, vecwire_reply_cb cb,
                     void *arg)
{
    const struct load_options *options = worker->input->options;
    const struct vecwire_qdrant_params params =
        VECWIRE_QDRANT_PARAMS(.wait = true);
    const struct vecwire_call_options call =
        VECWIRE_CALL_OPTIONS(.qdrant = &params);

    number_rows(worker);
    return vecwire_upsert(
        worker->session.client,
        &VECWIRE_UPSERT(.matrix = next_rows(worker), .rows = options->batch,
                        .dim = worker->input->dim, .ids = worker->ids,
                        .numbers = worker->ids == NULL ? worker->numbers : NULL,
                        .vector_name = options->vector_name,
                        .call = options->wait ? &call : NULL,
                        .refusal = refusal),
        cb, arg, NULL);
}
