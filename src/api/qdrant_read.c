/* SPDX-License-Identifier: Apache-2.0 */
/* Reads that only Qdrant has. */
#include "api/verb.h"

#include "dialect/qdrant.h"

static enum vecwire_err
start(const struct vecwire__verb_call *given, const void *request,
      vecwire_call_id *id)
{
    struct vecwire__verb_call verb = *given;

    verb.which = VECWIRE__VERB_OWN;
    verb.dialect = VECWIRE_QDRANT;
    return vecwire__verb_start(&verb, request, id);
}

enum vecwire_err
vecwire_qdrant_query(struct vecwire_client *client,
                     const struct vecwire_qdrant_query_request *query,
                     vecwire_reply_cb cb, void *arg, vecwire_call_id *id)
{
    struct vecwire_qdrant_query_request q;

    if (!vecwire__verb_take(client, &q, sizeof(q), sizeof(q), query, id))
        return VECWIRE_EINVAL;
    return start(
        &(struct vecwire__verb_call){.client = client,
                                     .options = q.call,
                                     .wanted = q.refusal,
                                     .cb = cb,
                                     .arg = arg,
                                     .own = vecwire__qdrant_encode_search,
                                     .on_rows = q.on_rows,
                                     .rows_arg = q.rows_arg},
        &q, id);
}

enum vecwire_err
vecwire_qdrant_query_batch(
    struct vecwire_client *client,
    const struct vecwire_qdrant_query_batch_request *batch, vecwire_reply_cb cb,
    void *arg, vecwire_call_id *id)
{
    struct vecwire_qdrant_query_batch_request b;

    if (!vecwire__verb_take(client, &b, sizeof(b), sizeof(b), batch, id))
        return VECWIRE_EINVAL;
    return start(
        &(struct vecwire__verb_call){.client = client,
                                     .options = b.call,
                                     .wanted = b.refusal,
                                     .cb = cb,
                                     .arg = arg,
                                     .own = vecwire__qdrant_encode_batch},
        &b, id);
}

enum vecwire_err
vecwire_qdrant_query_groups(
    struct vecwire_client *client,
    const struct vecwire_qdrant_query_groups_request *groups,
    vecwire_reply_cb cb, void *arg, vecwire_call_id *id)
{
    struct vecwire_qdrant_query_groups_request g;
    struct vecwire_qdrant_query_request q;

    if (!vecwire__verb_take(client, &g, sizeof(g), sizeof(g), groups, id) ||
        !vecwire__verb_take(client, &q, sizeof(q), sizeof(q), g.query, id))
        return VECWIRE_EINVAL;
    g.query = &q;
    return start(
        &(struct vecwire__verb_call){.client = client,
                                     .options = q.call,
                                     .wanted = q.refusal,
                                     .cb = cb,
                                     .arg = arg,
                                     .own = vecwire__qdrant_encode_groups},
        &g, id);
}

enum vecwire_err
vecwire_qdrant_get_point(struct vecwire_client *client,
                         const struct vecwire_get_request *get,
                         vecwire_reply_cb cb, void *arg, vecwire_call_id *id)
{
    struct vecwire_get_request g;

    if (!vecwire__verb_take(client, &g, sizeof(g), sizeof(g), get, id))
        return VECWIRE_EINVAL;
    return start(
        &(struct vecwire__verb_call){.client = client,
                                     .options = g.call,
                                     .wanted = g.refusal,
                                     .cb = cb,
                                     .arg = arg,
                                     .own = vecwire__qdrant_encode_point},
        &g, id);
}

enum vecwire_err
vecwire_qdrant_facet(struct vecwire_client *client,
                     const struct vecwire_qdrant_facet_request *facet,
                     vecwire_reply_cb cb, void *arg, vecwire_call_id *id)
{
    struct vecwire_qdrant_facet_request f;

    if (!vecwire__verb_take(client, &f, sizeof(f), sizeof(f), facet, id))
        return VECWIRE_EINVAL;
    return start(
        &(struct vecwire__verb_call){.client = client,
                                     .options = f.call,
                                     .wanted = f.refusal,
                                     .cb = cb,
                                     .arg = arg,
                                     .own = vecwire__qdrant_encode_facet},
        &f, id);
}

size_t
vecwire_qdrant_facet_hits(const struct vecwire_reply *reply)
{
    return reply->failed || !reply->is_facet ? 0 : reply->n_groups;
}

bool
vecwire_qdrant_facet_at(const struct vecwire_reply *reply, size_t index,
                        struct vecwire_qdrant_facet_value *hit)
{
    if (index >= vecwire_qdrant_facet_hits(reply))
        return false;
    *hit = (struct vecwire_qdrant_facet_value){
        .value = reply->groups[index].id,
        .count = reply->group_places[index].count,
        .is_text = reply->group_places[index].is_text};
    return true;
}
