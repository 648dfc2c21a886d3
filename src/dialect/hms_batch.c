/* SPDX-License-Identifier: Apache-2.0 */
/* HMS: what one batch may hold in all. */
#include "dialect/hms.h"

#include <string.h>

#define MAX_VALUES ((size_t)1 << 20)
#define MAX_BYTES ((size_t)8 << 20)

static size_t
length(const char *const *texts, size_t row)
{
    return texts == NULL || texts[row] == NULL ? 0 : strlen(texts[row]);
}

bool
vecwire__hms_batch_fits(const struct vecwire_upsert_request *upsert, size_t row,
                        struct vecwire__upsert_load *load)
{
    load->values += upsert->dim;
    load->texts += length(upsert->ids, row) + length(upsert->texts, row);
    load->payloads += length(upsert->payloads, row);
    return load->values <= MAX_VALUES && load->texts <= MAX_BYTES &&
           load->payloads <= MAX_BYTES;
}

/* Payloads that are trees are left to the server. */
enum vecwire_err
vecwire__hms_check_batch(const struct vecwire_upsert_request *upsert,
                         struct vecwire_refusal *refusal)
{
    struct vecwire__upsert_load load = {0};

    if (upsert->rows > VECWIRE__HMS_MAX_ROWS)
        return vecwire__refuse(refusal, VECWIRE_ETOOBIG, SIZE_MAX, SIZE_MAX,
                               "%zu rows, HMS takes at most %d a call",
                               upsert->rows, VECWIRE__HMS_MAX_ROWS);
    if (upsert->rows * upsert->dim > MAX_VALUES)
        return vecwire__refuse(refusal, VECWIRE_ETOOBIG, SIZE_MAX, SIZE_MAX,
                               "%zu rows of %zu coordinates, HMS takes at most "
                               "%zu coordinates a call",
                               upsert->rows, upsert->dim, MAX_VALUES);
    for (size_t row = 0; row < upsert->rows; row++)
        (void)vecwire__hms_batch_fits(upsert, row, &load);
    if (load.texts > MAX_BYTES)
        return vecwire__refuse(refusal, VECWIRE_ETOOBIG, SIZE_MAX, SIZE_MAX,
                               "ids and texts of %zu bytes, HMS takes at most "
                               "%zu a call",
                               load.texts, MAX_BYTES);
    if (load.payloads > MAX_BYTES)
        return vecwire__refuse(refusal, VECWIRE_ETOOBIG, SIZE_MAX, SIZE_MAX,
                               "payloads of %zu bytes, HMS takes at most %zu a "
                               "call",
                               load.payloads, MAX_BYTES);
    return VECWIRE_OK;
}
