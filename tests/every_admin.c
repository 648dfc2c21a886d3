/* SPDX-License-Identifier: Apache-2.0 */
/* What a callback may do with Qdrant's administration, through a client of its
 * own, as the world's client speaks a dialect without it. */
#include "tests/every_function.h"

/* A verb with a small request: what it answered. */
typedef enum vecwire_err (*verb)(struct vecwire_client *client,
                                 vecwire_reply_cb cb, void *arg);

static enum vecwire_err
create_collection(struct vecwire_client *client, vecwire_reply_cb cb, void *arg)
{
    struct vecwire_qdrant_create_request request;

    vecwire_qdrant_create_init(&request);
    return vecwire_qdrant_create_collection(client, &request, cb, arg, NULL);
}

static enum vecwire_err
update_collection(struct vecwire_client *client, vecwire_reply_cb cb, void *arg)
{
    struct vecwire_qdrant_update_collection_request request;

    vecwire_qdrant_update_collection_init(&request);
    return vecwire_qdrant_update_collection(client, &request, cb, arg, NULL);
}

static void
index_init(struct vecwire_qdrant_index_request *index)
{
    vecwire_qdrant_index_init(index);
    index->key = "a";
}

static enum vecwire_err
create_index(struct vecwire_client *client, vecwire_reply_cb cb, void *arg)
{
    struct vecwire_qdrant_index_request request;

    index_init(&request);
    return vecwire_qdrant_create_index(client, &request, cb, arg, NULL);
}

static enum vecwire_err
delete_index(struct vecwire_client *client, vecwire_reply_cb cb, void *arg)
{
    struct vecwire_qdrant_index_request request;

    index_init(&request);
    return vecwire_qdrant_delete_index(client, &request, cb, arg, NULL);
}

static enum vecwire_err
update_aliases(struct vecwire_client *client, vecwire_reply_cb cb, void *arg)
{
    static const struct vecwire_qdrant_alias_change change = {
        .action = VECWIRE_QDRANT_DELETE_ALIAS, .alias = "a"};
    struct vecwire_qdrant_aliases_request request;

    vecwire_qdrant_aliases_init(&request);
    request.changes = &change;
    request.n = 1;
    return vecwire_qdrant_update_aliases(client, &request, cb, arg, NULL);
}

static enum vecwire_err
page(struct vecwire_client *client, vecwire_reply_cb cb, void *arg)
{
    struct vecwire_qdrant_page_request request;

    vecwire_qdrant_page_init(&request);
    request.page = VECWIRE_QDRANT_HEALTHZ;
    return vecwire_qdrant_page(client, &request, cb, arg, NULL);
}

static const verb verbs[] = {create_collection, update_collection, create_index,
                             delete_index,      update_aliases,    page};
#define N_VERBS (sizeof(verbs) / sizeof(verbs[0]))

/* Those that need nothing. */
static enum vecwire_err (*const bare[])(
    struct vecwire_client *client,
    const struct vecwire_qdrant_admin_request *request, vecwire_reply_cb cb,
    void *arg, vecwire_call_id *id) = {
    vecwire_qdrant_delete_collection, vecwire_qdrant_collection_exists,
    vecwire_qdrant_list_collections,  vecwire_qdrant_collection_info,
    vecwire_qdrant_list_aliases,      vecwire_qdrant_collection_aliases,
    vecwire_qdrant_list_snapshots,    vecwire_qdrant_create_snapshot,
};
#define N_BARE (sizeof(bare) / sizeof(bare[0]))

static void
on_extra(const struct vecwire_reply *reply, void *arg)
{
    struct world *world = arg;

    ck_assert_int_eq(vecwire_reply_error(reply)->code, VECWIRE_ECLOSED);
    world->extra_runs++;
}

/* Every verb answers the same. */
static void
try_all(struct world *world, struct vecwire_client *client,
        enum vecwire_err expected)
{
    struct vecwire_qdrant_admin_request admin;

    vecwire_qdrant_admin_init(&admin);
    for (size_t i = 0; i < N_VERBS; i++)
        ck_assert_int_eq(verbs[i](client, on_extra, world), expected);
    for (size_t i = 0; i < N_BARE; i++)
        ck_assert_int_eq(bare[i](client, &admin, on_extra, world, NULL),
                         expected);
    if (expected == VECWIRE_OK)
        world->extra_calls += (unsigned)(N_VERBS + N_BARE);
}

void
deed_admin(struct world *world)
{
    struct vecwire_client *client;

    ck_assert_int_eq(
        vecwire_client_new(
            &client, world->base,
            &VECWIRE_OPTIONS(.url = world->url, .mem = world->mem,
                             .dialect = VECWIRE_QDRANT, .collection = "c")),
        VECWIRE_OK);
    try_all(world, client, VECWIRE_OK);
    vecwire_client_free(client);
    ck_assert_uint_eq(world->extra_runs, world->extra_calls);
}

void
deed_admin_refused(struct world *world)
{
    try_all(world, world->client,
            world->closed ? VECWIRE_ECLOSED : VECWIRE_EUNSUPPORTED);
}

void
deed_admin_reply(struct world *world)
{
    struct vecwire_qdrant_collection_info info;
    struct vecwire_qdrant_snapshot snapshot;

    if (world->reply == NULL)
        return;
    ck_assert(!vecwire_qdrant_info(world->reply, &info));
    ck_assert(!vecwire_qdrant_snapshot_at(world->reply, SIZE_MAX, &snapshot));
    ck_assert_ptr_null(snapshot.name);
}
