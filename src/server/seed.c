/* SPDX-License-Identifier: Apache-2.0 */
#include "server/seed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t
vecwire__seed_next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15U;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

void
vecwire__seed_vector(uint64_t *state, float *vector, size_t dim)
{
    double sum = 0, norm;

    do {
        for (size_t i = 0; i < dim; i++) {
            int32_t number = (int32_t)(vecwire__seed_next(state) >> 40);

            vector[i] = (float)(number - (1 << 23)) * 0x1p-23F;
            sum += (double)vector[i] * (double)vector[i];
        }
    } while (sum == 0);
    norm = sqrt(sum);
    for (size_t i = 0; i < dim; i++)
        vector[i] = (float)((double)vector[i] / norm);
}

/* "row 17", cut or filled up with dots to exactly text_bytes when these are
 * asked for. Returns the length. */
static size_t
make_text(char *text, size_t row, size_t text_bytes)
{
    char short_text[32];
    size_t len =
        (size_t)snprintf(short_text, sizeof(short_text), "row %zu", row);

    if (text_bytes == 0)
        text_bytes = len;
    else
        memset(text, '.', text_bytes);
    memcpy(text, short_text, len < text_bytes ? len : text_bytes);
    return text_bytes;
}

bool
vecwire__seed_rows(struct vecwire__tenant *tenant, size_t n_rows,
                   size_t text_bytes)
{
    float *vector = calloc(tenant->dim, sizeof(*vector));
    char *text = malloc(text_bytes + 32);
    bool done = vector != NULL && text != NULL;
    uint64_t state = 1;

    for (size_t row = 0; done && row < n_rows; row++) {
        char id[32], metadata[64];
        struct vecwire__document document = {
            .id = id, .text = text, .metadata = metadata, .vector = vector};

        vecwire__seed_vector(&state, vector, tenant->dim);
        document.id_len = (size_t)snprintf(id, sizeof(id), "row-%zu", row);
        document.text_len = make_text(text, row, text_bytes);
        document.metadata_len = (size_t)snprintf(
            metadata, sizeof(metadata), "{\"n\":%zu,\"parity\":\"%s\"}", row,
            row % 2 == 0 ? "even" : "odd");
        done = vecwire__tenant_upsert(tenant, &document);
    }
    free(text);
    free(vector);
    return done;
}
