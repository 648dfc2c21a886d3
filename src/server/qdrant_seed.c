/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/qdrant.h"
#include "server/qdrant_config.h"
#include "server/seed.h"

/* {"text":"row 17","n":17,"parity":"odd"}; a text of `text_bytes` bytes, when
 * these are asked for, cut or filled up with dots. Returns the length. */
static size_t
payload_make(char *payload, size_t row, size_t text_bytes)
{
    char text[32];
    size_t len = (size_t)snprintf(text, sizeof(text), "row %zu", row), at;

    at = (size_t)sprintf(payload, "{\"text\":\"");
    if (text_bytes == 0)
        text_bytes = len;
    memset(payload + at, '.', text_bytes);
    memcpy(payload + at, text, len < text_bytes ? len : text_bytes);
    at += text_bytes;
    return at + (size_t)sprintf(payload + at, "\",\"n\":%zu,\"parity\":\"%s\"}",
                                row, row % 2 == 0 ? "even" : "odd");
}

static bool
rows_add(struct vecwire__collection *collection, size_t n_rows,
         size_t text_bytes, float *vector, char *payload)
{
    struct vecwire__fault fault = {0};
    struct vecwire__new_vector put = {.dense = vector};
    uint64_t state = 1;

    for (size_t i = 0; i < n_rows; i++) {
        struct vecwire__point_id id = {.is_number = true, .number = i};
        size_t row = vecwire__collection_open(collection, &id, &fault);

        vecwire__seed_vector(&state, vector, collection->columns[0].dim);
        if (row == SIZE_MAX ||
            !vecwire__collection_set_payload(
                collection, row, payload, payload_make(payload, i, text_bytes)))
            return false;
        vecwire__collection_put(collection, row, &put, 1);
    }
    return true;
}

bool
vecwire__qdrant_seed(struct vecwire__qdrant *qdrant, size_t dim, size_t n_rows,
                     size_t text_bytes)
{
    struct vecwire__collection *demo = vecwire__collection_new("demo");
    json_t *body = json_pack("{s:{s:I,s:s}}", "vectors", "size",
                             (json_int_t)dim, "distance", "Cosine");
    float *vector = calloc(dim, sizeof(*vector));
    char *payload = malloc(text_bytes + 128);
    struct vecwire__fault fault;
    bool done = demo != NULL && body != NULL && vector != NULL &&
                payload != NULL && vecwire__config_create(demo, body, &fault) &&
                rows_add(demo, n_rows, text_bytes, vector, payload) &&
                vecwire__qdrant_add(qdrant, demo);

    if (!done)
        vecwire__collection_free(demo);
    json_decref(body);
    free(vector);
    free(payload);
    return done;
}
