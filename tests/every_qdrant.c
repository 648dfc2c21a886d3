/* SPDX-License-Identifier: Apache-2.0 */
/* What a callback may do with Qdrant's verbs. The world's client speaks a
 * dialect without them, so they go through a client of their own. */
#include "tests/every_function.h"

#include <string.h>

static const float vector[] = {1, 2, 3};
static const uint64_t number = 7;
static const char *const names[] = {"a"};

/* A verb with a small request: what it answered. */
typedef enum vecwire_err (*verb)(struct vecwire_client *client,
                                 vecwire_reply_cb cb, void *arg);

static enum vecwire_err
get(struct vecwire_client *client, vecwire_reply_cb cb, void *arg)
{
    struct vecwire_get_request request;

    vecwire_get_init(&request);
    request.numbers = &number;
    request.rows = 1;
    return vecwire_get(client, &request, cb, arg, NULL);
}

static enum vecwire_err
scroll(struct vecwire_client *client, vecwire_reply_cb cb, void *arg)
{
    struct vecwire_scroll_request request;

    vecwire_scroll_init(&request);
    return vecwire_scroll(client, &request, cb, arg, NULL);
}

static enum vecwire_err
count(struct vecwire_client *client, vecwire_reply_cb cb, void *arg)
{
    struct vecwire_count_request request;

    vecwire_count_init(&request);
    return vecwire_count(client, &request, cb, arg, NULL);
}

static void
query_init(struct vecwire_qdrant_query_request *query)
{
    static const struct vecwire_vector dense = {.values = vector, .dim = 3};

    vecwire_qdrant_query_init(query);
    query->search.vector = &dense;
}

static enum vecwire_err
query(struct vecwire_client *client, vecwire_reply_cb cb, void *arg)
{
    struct vecwire_qdrant_query_request request;

    query_init(&request);
    return vecwire_qdrant_query(client, &request, cb, arg, NULL);
}

static enum vecwire_err
query_batch(struct vecwire_client *client, vecwire_reply_cb cb, void *arg)
{
    struct vecwire_qdrant_query_request one;
    struct vecwire_qdrant_query_batch_request request;

    query_init(&one);
    vecwire_qdrant_query_batch_init(&request);
    request.queries = &one;
    request.n = 1;
    return vecwire_qdrant_query_batch(client, &request, cb, arg, NULL);
}

static enum vecwire_err
query_groups(struct vecwire_client *client, vecwire_reply_cb cb, void *arg)
{
    struct vecwire_qdrant_query_request one;
    struct vecwire_qdrant_query_groups_request request;

    query_init(&one);
    vecwire_qdrant_query_groups_init(&request);
    request.query = &one;
    request.group_by = "a";
    return vecwire_qdrant_query_groups(client, &request, cb, arg, NULL);
}

static enum vecwire_err
get_point(struct vecwire_client *client, vecwire_reply_cb cb, void *arg)
{
    return vecwire_qdrant_get_point(
        client, &VECWIRE_GET(.numbers = &number, .rows = 1), cb, arg, NULL);
}

static enum vecwire_err
facet(struct vecwire_client *client, vecwire_reply_cb cb, void *arg)
{
    struct vecwire_qdrant_facet_request request;

    vecwire_qdrant_facet_init(&request);
    request.key = "a";
    return vecwire_qdrant_facet(client, &request, cb, arg, NULL);
}

static void
payload_init(struct vecwire_qdrant_payload_request *payload)
{
    vecwire_qdrant_payload_init(payload);
    payload->points.numbers = &number;
    payload->points.n = 1;
    payload->change = VECWIRE_QDRANT_CLEAR_PAYLOAD;
}

static enum vecwire_err
change_payload(struct vecwire_client *client, vecwire_reply_cb cb, void *arg)
{
    struct vecwire_qdrant_payload_request request;

    payload_init(&request);
    return vecwire_qdrant_change_payload(client, &request, cb, arg, NULL);
}

static enum vecwire_err
update_vectors(struct vecwire_client *client, vecwire_reply_cb cb, void *arg)
{
    return vecwire_qdrant_update_vectors(client,
                                         &VECWIRE_UPSERT(.matrix = vector,
                                                         .rows = 1, .dim = 3,
                                                         .numbers = &number),
                                         cb, arg, NULL);
}

static enum vecwire_err
delete_vectors(struct vecwire_client *client, vecwire_reply_cb cb, void *arg)
{
    struct vecwire_qdrant_delete_vectors_request request;

    vecwire_qdrant_delete_vectors_init(&request);
    request.points.everything = true;
    request.names = names;
    request.n_names = 1;
    return vecwire_qdrant_delete_vectors(client, &request, cb, arg, NULL);
}

static enum vecwire_err
update_points(struct vecwire_client *client, vecwire_reply_cb cb, void *arg)
{
    struct vecwire_qdrant_payload_request payload;
    const struct vecwire_qdrant_operation list[] = {{.payload = &payload}};
    struct vecwire_qdrant_operations_request request;

    payload_init(&payload);
    vecwire_qdrant_operations_init(&request);
    request.list = list;
    request.n = 1;
    return vecwire_qdrant_update_points(client, &request, cb, arg, NULL);
}

static const verb verbs[] = {
    get,
    scroll,
    count,
    query,
    query_batch,
    query_groups,
    get_point,
    facet,
    change_payload,
    update_vectors,
    delete_vectors,
    update_points,
};
#define N_VERBS (sizeof(verbs) / sizeof(verbs[0]))

static void
on_extra(const struct vecwire_reply *reply, void *arg)
{
    struct world *world = arg;

    ck_assert_int_eq(vecwire_reply_error(reply)->code, VECWIRE_ECLOSED);
    world->extra_runs++;
}

void
deed_qdrant_verbs(struct world *world)
{
    struct vecwire_qdrant_params params;
    struct vecwire_client *client;

    vecwire_qdrant_params_init(&params);
    params.consistency = VECWIRE_QDRANT_ALL;
    ck_assert_int_eq(
        vecwire_client_new(
            &client, world->base,
            &VECWIRE_OPTIONS(.url = world->url, .mem = world->mem,
                             .dialect = VECWIRE_QDRANT, .collection = "c")),
        VECWIRE_OK);
    for (size_t i = 0; i < N_VERBS; i++) {
        ck_assert_int_eq(verbs[i](client, on_extra, world), VECWIRE_OK);
        world->extra_calls++;
    }
    ck_assert_int_eq(
        vecwire_count(
            client,
            &VECWIRE_COUNT(.call = &VECWIRE_CALL_OPTIONS(.qdrant = &params)),
            on_extra, world, NULL),
        VECWIRE_OK);
    world->extra_calls++;
    vecwire_client_free(client);
    ck_assert_uint_eq(world->extra_runs, world->extra_calls);
}

void
deed_qdrant_refused(struct world *world)
{
    for (size_t i = 0; i < N_VERBS; i++)
        ck_assert_int_eq(verbs[i](world->client, on_extra, world),
                         world->closed ? VECWIRE_ECLOSED
                                       : VECWIRE_EUNSUPPORTED);
}

void
deed_reply_rows(struct world *world)
{
    const struct vecwire_reply *reply = world->reply;
    size_t rows = 1, dim = 1;

    if (reply == NULL)
        return;
    for (size_t i = 0; i < vecwire_reply_count(reply); i++) {
        ck_assert_ptr_null(
            vecwire_row_vector(vecwire_reply_row(reply, i), NULL));
        ck_assert_ptr_null(
            vecwire_row_vector(vecwire_reply_row(reply, i), "a"));
    }
    ck_assert_ptr_null(vecwire_reply_matrix(reply, &rows, &dim));
    ck_assert_uint_eq(rows + dim, 0);
    ck_assert_uint_eq(vecwire_reply_groups(reply), 0);
    ck_assert_ptr_null(vecwire_reply_group(reply, 0));
    ck_assert_ptr_null(vecwire_reply_next_offset(reply));
    ck_assert_uint_eq(vecwire_reply_total(reply), 0);
}

/* Of the world's dialect no reply tells of these. */
void
deed_qdrant_reply(struct world *world)
{
    struct vecwire_qdrant_facet_value hit;
    uint64_t operation;

    if (world->reply == NULL)
        return;
    ck_assert_int_eq(vecwire_qdrant_update_outcome(world->reply, 0),
                     VECWIRE_QDRANT_NO_UPDATE);
    ck_assert(!vecwire_qdrant_operation_number(world->reply, 0, &operation));
    ck_assert(!vecwire_qdrant_operation_number(world->reply, SIZE_MAX, NULL));
    ck_assert_uint_eq(vecwire_qdrant_facet_hits(world->reply), 0);
    ck_assert(!vecwire_qdrant_facet_at(world->reply, 0, &hit));
}
