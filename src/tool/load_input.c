/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/load.h"

#include <stdlib.h>
#include <string.h>

#include "tool/body.h"
#include "tool/npy.h"

#define RANDOM_VECTORS 1000

static uint64_t
splitmix64(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static void
make_vectors(struct load_input *input)
{
    uint64_t state = 2; /* the server's seed rows are made from 1 */
    size_t n;

    input->n_vectors = RANDOM_VECTORS;
    if (input->options->upsert && input->n_vectors < input->options->batch)
        input->n_vectors = input->options->batch;
    input->dim = input->options->dim;
    n = input->n_vectors * input->dim;
    input->vectors = vecwire__args_alloc(n, sizeof(float));
    for (size_t i = 0; i < n; i++)
        input->vectors[i] =
            (float)(splitmix64(&state) >> 40) / 8388608.0f - 1.0f;
}

static bool
read_vectors(struct load_input *input, const char *path)
{
    char why[NPY_WHY_MAX];
    struct npy npy;

    if (!vecwire__npy_open(&npy, path, why)) {
        vecwire__args_complain("load", "%s: %s", path, why);
        return false;
    }
    input->dim = npy.dim;
    input->vectors =
        vecwire__args_alloc((size_t)npy.rows, npy.dim * sizeof(float));
    input->n_vectors =
        vecwire__npy_read(&npy, (size_t)npy.rows, input->vectors, why);
    vecwire__npy_close(&npy);
    if (why[0] != '\0') {
        vecwire__args_complain("load", "%s: %s", path, why);
        return false;
    }
    if (input->options->upsert && input->n_vectors < input->options->batch) {
        vecwire__args_complain("load", "--batch %u: %s has %zu rows",
                               input->options->batch, path, input->n_vectors);
        return false;
    }
    return true;
}

bool
vecwire__load_input_init(struct load_input *input,
                         const struct load_options *options)
{
    memset(input, 0, sizeof(*input));
    input->options = options;
    if (options->path != NULL) {
        if (options->body_file == NULL)
            return true;
        input->body =
            vecwire__body_read("load", options->body_file, &input->body_len);
        return input->body != NULL;
    }
    if (options->vectors_file != NULL)
        return read_vectors(input, options->vectors_file);
    make_vectors(input);
    return true;
}

void
vecwire__load_input_fini(struct load_input *input)
{
    free(input->vectors);
    free(input->body);
    input->vectors = NULL;
    input->body = NULL;
}
