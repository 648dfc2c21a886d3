/* SPDX-License-Identifier: Apache-2.0 */
/* What a callback may do with an uploader. */
#include "tests/every_function.h"

static void
on_upload(struct vecwire_uploader *up,
          const struct vecwire_upload_result *result, void *arg)
{
    struct world *world = arg;

    ck_assert_uint_eq(result->rows_done + result->rows_failed, 1);
    world->extra_runs++;
    vecwire_uploader_free(up);
}

/* An upload of one row; NULL: the client was closed. */
static struct vecwire_uploader *
begin_upload(struct world *world)
{
    static const float vector[] = {1, 2, 3};
    static const char *const ids[] = {"a"};
    struct vecwire_uploader_options options;
    struct vecwire_uploader *up;
    enum vecwire_err err;

    vecwire_uploader_options_init(&options);
    options.on_done = on_upload;
    options.arg = world;
    err = vecwire_uploader_new(&up, world->client, &options);
    deed_count(world, err);
    if (err == VECWIRE_OK)
        ck_assert_int_eq(
            vecwire_uploader_add(up,
                                 &VECWIRE_UPSERT(.matrix = vector, .dim = 3,
                                                 .rows = 1, .ids = ids),
                                 NULL),
            VECWIRE_OK);
    return up;
}

void
deed_upload(struct world *world)
{
    vecwire_uploader_end(begin_upload(world));
}

void
deed_upload_and_cancel(struct world *world)
{
    struct vecwire_uploader *up = begin_upload(world);

    ck_assert(vecwire_uploader_cancel(up) == (up != NULL));
    ck_assert(!vecwire_uploader_cancel(up));
    ck_assert((vecwire_uploader_progress(up) == NULL) == (up == NULL));
}
