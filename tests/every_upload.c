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

void
deed_uploader_add(struct world *world)
{
    static const float matrix[] = {1, 2, 3, 4, 5, 6};
    static const char *const ids[] = {"b", "c"};
    size_t taken = SIZE_MAX;
    enum vecwire_err err = vecwire_uploader_add(
        world->uploader,
        &VECWIRE_UPSERT(.matrix = matrix, .dim = 3, .rows = 2, .ids = ids),
        &taken);

    if (world->upload_over || world->closed)
        ck_assert_int_eq(err, VECWIRE_ECLOSED);
    ck_assert((err == VECWIRE_OK) == (taken == 2));
    ck_assert(err == VECWIRE_OK || err == VECWIRE_EFULL ||
              err == VECWIRE_ECLOSED);
}

void
deed_uploader_end(struct world *world)
{
    unsigned runs = world->upload_runs;

    vecwire_uploader_end(world->uploader);
    vecwire_uploader_end(world->uploader);
    ck_assert_uint_eq(world->upload_runs, runs);
}

void
deed_uploader_cancel(struct world *world)
{
    unsigned runs = world->upload_runs;

    ck_assert(vecwire_uploader_cancel(world->uploader) == !world->upload_over);
    ck_assert(!vecwire_uploader_cancel(world->uploader));
    ck_assert_uint_eq(world->upload_runs, runs);
}

void
deed_uploader_free(struct world *world)
{
    vecwire_uploader_free(world->uploader);
    world->uploader = NULL;
    ck_assert(world->upload_over);
}
