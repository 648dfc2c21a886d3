/* SPDX-License-Identifier: Apache-2.0 */
/* What a callback may do with scrollers. The world's client speaks a dialect
 * without them, so they go through a client of their own. */
#include "tests/every_function.h"

static enum vecwire_rows_action
on_rows(const struct vecwire_reply *rows, void *arg)
{
    (void)rows;
    (void)arg;
    return VECWIRE_PAUSE;
}

static void
on_done(struct vecwire_scroller *scroller,
        const struct vecwire_scroll_result *result, void *arg)
{
    struct world *world = arg;

    ck_assert_ptr_nonnull(scroller);
    ck_assert_int_eq(result->error->code, VECWIRE_ECLOSED);
    world->extra_runs++;
}

/* NULL: the client cannot have one. */
static struct vecwire_scroller *
begin_scroll(struct world *world, struct vecwire_client *client,
             enum vecwire_err expected)
{
    struct vecwire_scroller_options options;
    struct vecwire_scroller *scroller;

    vecwire_scroller_options_init(&options);
    options.on_rows = on_rows;
    options.on_done = on_done;
    options.arg = world;
    ck_assert_int_eq(vecwire_scroller_new(&scroller, client, &options),
                     expected);
    world->extra_calls += expected == VECWIRE_OK;
    return scroller;
}

static struct vecwire_client *
new_client(struct world *world)
{
    struct vecwire_client *client;

    ck_assert_int_eq(
        vecwire_client_new(
            &client, world->base,
            &VECWIRE_OPTIONS(.url = world->url, .mem = world->mem,
                             .dialect = VECWIRE_QDRANT, .collection = "c")),
        VECWIRE_OK);
    return client;
}

void
deed_scroll(struct world *world)
{
    struct vecwire_client *client = new_client(world);
    struct vecwire_scroller *first, *second;

    ck_assert_ptr_null(
        begin_scroll(world, world->client,
                     world->closed ? VECWIRE_ECLOSED : VECWIRE_EUNSUPPORTED));
    first = begin_scroll(world, client, VECWIRE_OK);
    second = begin_scroll(world, client, VECWIRE_OK);
    vecwire_scroller_free(first);
    ck_assert_uint_eq(world->extra_runs + 1, world->extra_calls);
    vecwire_client_free(client);
    ck_assert_uint_eq(world->extra_runs, world->extra_calls);
    vecwire_scroller_free(second);
    vecwire_scroller_free(NULL);
}

void
deed_scroll_look(struct world *world)
{
    struct vecwire_client *client = new_client(world);
    struct vecwire_scroller *scroller = begin_scroll(world, client, VECWIRE_OK);

    ck_assert(!vecwire_scroller_resume(scroller));
    ck_assert_str_eq(vecwire_scroller_offset(scroller), "");
    ck_assert_uint_eq(vecwire_scroller_progress(scroller)->requests, 1);
    vecwire_client_free(client);
    ck_assert(!vecwire_scroller_cancel(scroller));
    ck_assert_str_eq(vecwire_scroller_offset(scroller), "");
    vecwire_scroller_free(scroller);
    ck_assert_ptr_null(vecwire_scroller_offset(NULL));
    ck_assert_ptr_null(vecwire_scroller_progress(NULL));
}
