/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/upload_rig.h"

#include <check.h>
#include <stdio.h>

static void
do_it(struct upload_seen *seen)
{
    if (seen->then == NOTHING || seen->rig->client == NULL)
        return;
    if (seen->then == FREE_BOTH) {
        vecwire_uploader_free(seen->up);
        seen->up = NULL;
    }
    vecwire_client_free(seen->rig->client);
    seen->rig->client = NULL;
}

static void
on_failed(const struct vecwire_failed_rows *failed, void *arg)
{
    struct upload_seen *seen = arg;

    seen->reported += failed->count;
    do_it(seen);
}

static void
on_done(struct vecwire_uploader *up, const struct vecwire_upload_result *result,
        void *arg)
{
    struct upload_seen *seen = arg;

    (void)up;
    seen->runs++;
    seen->taken = result->rows_taken;
    seen->done = result->rows_done;
    seen->failed = result->rows_failed;
    seen->code = result->error == NULL ? VECWIRE_OK : result->error->code;
    do_it(seen);
}

enum vecwire_err
upload_rig_begin(struct client_rig *rig, struct upload_seen *seen,
                 struct vecwire_uploader_options options)
{
    seen->rig = rig;
    options.on_failed = on_failed;
    options.on_done = on_done;
    options.arg = seen;
    return vecwire_uploader_new(&seen->up, rig->client, &options);
}

enum vecwire_err
upload_rig_add(struct upload_seen *seen, size_t n, size_t *taken)
{
    static float matrix[512][8];
    static char ids[512][16];
    static const char *list[512];

    ck_assert_uint_le(n, 512);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < 8; k++)
            matrix[i][k] = (float)(i + 1) / (float)(k + 3);
        snprintf(ids[i], sizeof(ids[i]), "r%zu", i);
        list[i] = ids[i];
    }
    return vecwire_uploader_add(
        seen->up,
        &VECWIRE_UPSERT(.matrix = matrix[0], .rows = n, .dim = 8, .ids = list),
        taken);
}
