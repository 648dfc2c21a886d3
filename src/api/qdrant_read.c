/* SPDX-License-Identifier: Apache-2.0 */
/* Reads that only Qdrant has. */
#include "api/qdrant_verb.h"

#include "dialect/qdrant.h"

enum vecwire_err
vecwire_qdrant_query(struct vecwire_client *client,
                     const struct vecwire_qdrant_query_request *query,
                     vecwire_reply_cb cb, void *arg, vecwire_call_id *id)
{
    struct vecwire_qdrant_query_request q;

    if (!vecwire__verb_take(client, &q, sizeof(q), sizeof(q), query, id))
        return VECWIRE_EINVAL;
    return vecwire__verb_start(
        &(struct vecwire__verb_call){.client = client,
                                     .options = q.call,
                                     .wanted = q.refusal,
                                     .cb = cb,
                                     .arg = arg,
                                     VECWIRE__QDRANT_OWN(search),
                                     .on_rows = q.on_rows,
                                     .rows_arg = q.rows_arg},
        &q, id);
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
    return vecwire__verb_start(
        &(struct vecwire__verb_call){.client = client,
                                     .options = q.call,
                                     .wanted = q.refusal,
                                     .cb = cb,
                                     .arg = arg,
                                     VECWIRE__QDRANT_OWN(groups)},
        &g, id);
}

VECWIRE__QDRANT_VERB(query_batch, batch, vecwire_qdrant_query_batch_request,
                     refusal)
VECWIRE__QDRANT_VERB(get_point, point, vecwire_get_request, reserved)
VECWIRE__QDRANT_VERB(facet, facet, vecwire_qdrant_facet_request, reserved)

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
