/* SPDX-License-Identifier: Apache-2.0 */
/* The verbs that several databases have. */
#include "api/verb.h"

/* Sizes in the first version of requests that have grown. */
#define FIRST_QUERY VECWIRE__SIZE_UP_TO(struct vecwire_query_request, reserved)
#define FIRST_UPSERT VECWIRE__SIZE_UP_TO(struct vecwire_upsert_request, refusal)
#define FIRST_DELETE VECWIRE__SIZE_UP_TO(struct vecwire_delete_request, refusal)

enum vecwire_err
vecwire_query(struct vecwire_client *client,
              const struct vecwire_query_request *query, vecwire_reply_cb cb,
              void *arg, vecwire_call_id *id)
{
    struct vecwire_query_request q;

    if (!vecwire__verb_take(client, &q, sizeof(q), FIRST_QUERY, query, id))
        return VECWIRE_EINVAL;
    return vecwire__verb_start(
        &(struct vecwire__verb_call){.client = client,
                                     .options = q.call,
                                     .wanted = q.refusal,
                                     .cb = cb,
                                     .arg = arg,
                                     .which = VECWIRE__VERB_QUERY,
                                     .on_rows = q.on_rows,
                                     .rows_arg = q.rows_arg},
        &q, id);
}

enum vecwire_err
vecwire_upsert(struct vecwire_client *client,
               const struct vecwire_upsert_request *upsert, vecwire_reply_cb cb,
               void *arg, vecwire_call_id *id)
{
    struct vecwire_refusal local;
    struct vecwire_upsert_request u;

    if (!vecwire__verb_take(client, &u, sizeof(u), FIRST_UPSERT, upsert, id))
        return VECWIRE_EINVAL;
    if (client != NULL && u.rows > 1 &&
        client->engine.uploads.many == VECWIRE__MANY_LACKED) {
        client->engine.stats.calls_refused++;
        return vecwire__refuse(
            u.refusal != NULL ? u.refusal : &local, VECWIRE_EUNSUPPORTED,
            SIZE_MAX, SIZE_MAX,
            "this server has no route for several rows (it answered 404): "
            "send them one by one, or use an uploader, which does");
    }
    return vecwire__verb_start(
        &(struct vecwire__verb_call){.client = client,
                                     .options = u.call,
                                     .wanted = u.refusal,
                                     .cb = cb,
                                     .arg = arg,
                                     .which = VECWIRE__VERB_UPSERT},
        &u, id);
}

enum vecwire_err
vecwire_delete(struct vecwire_client *client,
               const struct vecwire_delete_request *del, vecwire_reply_cb cb,
               void *arg, vecwire_call_id *id)
{
    struct vecwire_delete_request d;

    if (!vecwire__verb_take(client, &d, sizeof(d), FIRST_DELETE, del, id))
        return VECWIRE_EINVAL;
    return vecwire__verb_start(
        &(struct vecwire__verb_call){.client = client,
                                     .options = d.call,
                                     .wanted = d.refusal,
                                     .cb = cb,
                                     .arg = arg,
                                     .which = VECWIRE__VERB_DELETE},
        &d, id);
}

enum vecwire_err
vecwire_get(struct vecwire_client *client,
            const struct vecwire_get_request *get, vecwire_reply_cb cb,
            void *arg, vecwire_call_id *id)
{
    struct vecwire_get_request g;

    if (!vecwire__verb_take(client, &g, sizeof(g), sizeof(g), get, id))
        return VECWIRE_EINVAL;
    return vecwire__verb_start(
        &(struct vecwire__verb_call){.client = client,
                                     .options = g.call,
                                     .wanted = g.refusal,
                                     .cb = cb,
                                     .arg = arg,
                                     .which = VECWIRE__VERB_GET,
                                     .on_rows = g.on_rows,
                                     .rows_arg = g.rows_arg},
        &g, id);
}

enum vecwire_err
vecwire_scroll(struct vecwire_client *client,
               const struct vecwire_scroll_request *scroll, vecwire_reply_cb cb,
               void *arg, vecwire_call_id *id)
{
    struct vecwire_scroll_request s;

    if (!vecwire__verb_take(client, &s, sizeof(s), sizeof(s), scroll, id))
        return VECWIRE_EINVAL;
    return vecwire__verb_start(
        &(struct vecwire__verb_call){.client = client,
                                     .options = s.call,
                                     .wanted = s.refusal,
                                     .cb = cb,
                                     .arg = arg,
                                     .which = VECWIRE__VERB_SCROLL,
                                     .on_rows = s.on_rows,
                                     .rows_arg = s.rows_arg},
        &s, id);
}

enum vecwire_err
vecwire_count(struct vecwire_client *client,
              const struct vecwire_count_request *count, vecwire_reply_cb cb,
              void *arg, vecwire_call_id *id)
{
    struct vecwire_count_request c;

    if (!vecwire__verb_take(client, &c, sizeof(c), sizeof(c), count, id))
        return VECWIRE_EINVAL;
    return vecwire__verb_start(
        &(struct vecwire__verb_call){.client = client,
                                     .options = c.call,
                                     .wanted = c.refusal,
                                     .cb = cb,
                                     .arg = arg,
                                     .which = VECWIRE__VERB_COUNT},
        &c, id);
}

enum vecwire_err
vecwire_raw(struct vecwire_client *client,
            const struct vecwire_raw_request *raw, vecwire_reply_cb cb,
            void *arg, vecwire_call_id *id)
{
    struct vecwire_raw_request r;

    if (!vecwire__verb_take(client, &r, sizeof(r), sizeof(r), raw, id))
        return VECWIRE_EINVAL;
    return vecwire__verb_start(
        &(struct vecwire__verb_call){.client = client,
                                     .options = r.call,
                                     .wanted = r.refusal,
                                     .cb = cb,
                                     .arg = arg,
                                     .which = VECWIRE__VERB_RAW},
        &r, id);
}
