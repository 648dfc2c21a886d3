/* SPDX-License-Identifier: Apache-2.0 */
#include "api/client.h"

#include <assert.h>
#include <inttypes.h>

#include "api/input.h"
#include "api/raw.h"

#define NS_PER_MS UINT64_C(1000000)
/* Sizes in the first version of requests that have grown. */
#define FIRST_QUERY VECWIRE__SIZE_UP_TO(struct vecwire_query_request, reserved)

/* What every verb gets, beside its request. */
struct verb {
    struct vecwire_client *client;
    const struct vecwire_call_options *options; /* NULL: the client's */
    struct vecwire_refusal *refusal;            /* never NULL */
    vecwire_reply_cb cb;
    void *arg;
    enum vecwire__verb which;
    vecwire_rows_cb on_rows; /* NULL: rows come with the completion */
    void *rows_arg;
};

enum vecwire_err
vecwire__own_headers(struct vecwire_client *client,
                     const struct vecwire_call_options *options,
                     struct vecwire__headers *out,
                     struct vecwire_refusal *refusal)
{
    struct vecwire__header_parts parts = {
        .dialect = client->dialect,
        .api_key = client->options.api_key,
        .tenant =
            options->tenant != NULL ? options->tenant : client->options.tenant,
        .user_agent = client->options.user_agent,
        .base = client->options.headers,
        .n_base = client->options.n_headers,
        .extra = options->headers,
        .n_extra = options->n_headers,
    };

    if (options->tenant == NULL && options->n_headers == 0)
        return VECWIRE_OK;
    if (options->n_headers > 0 && options->headers == NULL)
        return vecwire__refuse(refusal, VECWIRE_EINVAL, SIZE_MAX, SIZE_MAX,
                               "headers is NULL, n_headers is %zu",
                               options->n_headers);
    return vecwire__headers_make(out, &client->guarded, &parts, refusal);
}

/* The call's settings: its own where it has them, else the client's. */
static enum vecwire_err
settle(const struct verb *verb, struct vecwire__call *call)
{
    struct vecwire_client *client = verb->client;
    struct vecwire_call_options options = {0};
    uint32_t deadline_ms = client->options.deadline_ms;
    enum vecwire_err err;

    if (verb->options != NULL &&
        !vecwire__input_take(&options, sizeof(options), verb->options,
                             sizeof(options)))
        return vecwire__refuse(verb->refusal, VECWIRE_EINVAL, SIZE_MAX,
                               SIZE_MAX,
                               "call options were not made by "
                               "VECWIRE_CALL_OPTIONS() or its init function");
    if (options.collection != NULL && !client->dialect->has_collections)
        return vecwire__refuse(verb->refusal, VECWIRE_EINVAL, SIZE_MAX,
                               SIZE_MAX, "collection: %s has no collections",
                               client->dialect->name);
    err = vecwire__own_headers(client, &options, &call->headers, verb->refusal);
    if (err != VECWIRE_OK)
        return err;
    call->req.headers =
        call->headers.n > 0 ? call->headers.list : client->headers.list;
    call->req.n_headers =
        call->headers.n > 0 ? call->headers.n : client->headers.n;
    call->no_retry = options.no_retry || client->options.no_retry;
    call->repeat_writes =
        options.repeat_writes || client->options.repeat_writes;
    if (options.deadline_ms != 0)
        deadline_ms = options.deadline_ms;
    call->reply->timing.queued_ns = vecwire__timers_now(&client->timers);
    if (deadline_ms != VECWIRE_NEVER)
        call->deadline_ns =
            call->reply->timing.queued_ns + deadline_ms * NS_PER_MS;
    return VECWIRE_OK;
}

/* Before anything is encoded: may there be a call at all? */
static enum vecwire_err
begin(const struct verb *verb, struct vecwire__call **call)
{
    struct vecwire__engine *engine = &verb->client->engine;
    enum vecwire_err err;

    assert(!engine->in_hook);
    *call = NULL;
    if (engine->state != VECWIRE__ENGINE_OPEN)
        return vecwire__refuse(verb->refusal, VECWIRE_ECLOSED, SIZE_MAX,
                               SIZE_MAX, "the client was closed");
    if (vecwire__home_left(&verb->client->home))
        return vecwire__refuse(verb->refusal, VECWIRE_ECLOSED, SIZE_MAX,
                               SIZE_MAX, "the client is the parent process's");
    err = vecwire__engine_admit(engine, 0);
    if (err != VECWIRE_OK)
        return vecwire__refuse(
            verb->refusal, err, SIZE_MAX, SIZE_MAX,
            "%zu calls of %" PRIu64 " bytes wait already",
            engine->pool.n_waiting + engine->n_resting + engine->n_due,
            engine->pool.waiting_bytes + engine->resting_bytes);
    *call = vecwire__call_new(engine, verb->cb, verb->arg);
    if (*call == NULL)
        return vecwire__refuse(verb->refusal, VECWIRE_ENOMEM, SIZE_MAX,
                               SIZE_MAX, "out of memory");
    (*call)->enc.verb = verb->which;
    (*call)->on_rows = verb->on_rows;
    (*call)->rows_arg = verb->rows_arg;
    return settle(verb, *call);
}

/* It was encoded with `err`: send it, or take it back. */
static enum vecwire_err
end(const struct verb *verb, struct vecwire__call *call, enum vecwire_err err,
    vecwire_call_id *id)
{
    struct vecwire__engine *engine = &verb->client->engine;

    assert(call != NULL || err != VECWIRE_OK);
    if (err == VECWIRE_OK) {
        err = vecwire__engine_submit(engine, call);
        if (err == VECWIRE_OK) {
            if (id != NULL)
                *id = call->id;
            return VECWIRE_OK;
        }
        vecwire__refuse(verb->refusal, err, SIZE_MAX, SIZE_MAX,
                        err == VECWIRE_EFULL
                            ? "a body of %zu bytes would be too much to wait"
                            : "out of memory after %zu bytes",
                        call->enc.text.len);
    } else if (err == VECWIRE_ENOMEM) {
        vecwire__refuse(verb->refusal, err, SIZE_MAX, SIZE_MAX,
                        "out of memory");
    }
    engine->stats.calls_refused++;
    if (call != NULL)
        vecwire__call_free(call);
    return err;
}

static enum vecwire_err
encode(const struct verb *verb, const void *request,
       struct vecwire__encoding *enc)
{
    const struct vecwire__settings *settings = &verb->client->settings;
    const struct vecwire__dialect *dialect = verb->client->dialect;

    switch (verb->which) {
    case VECWIRE__VERB_QUERY:
        if (dialect->query == NULL)
            break;
        return dialect->query(settings, request, enc, verb->refusal);
    case VECWIRE__VERB_UPSERT:
        if (dialect->upsert == NULL)
            break;
        return dialect->upsert(settings, request, enc, verb->refusal);
    case VECWIRE__VERB_DELETE:
        if (dialect->del == NULL)
            break;
        return dialect->del(settings, request, enc, verb->refusal);
    default:
        return vecwire__encode_raw(settings, request, enc, verb->refusal);
    }
    return vecwire__refuse(verb->refusal, VECWIRE_EUNSUPPORTED, SIZE_MAX,
                           SIZE_MAX, "%s does not offer this", dialect->name);
}

static enum vecwire_err
start(const struct verb *verb, const void *request, vecwire_call_id *id)
{
    struct vecwire__call *call;
    enum vecwire_err err;

    if (verb->client == NULL)
        return vecwire__refuse(verb->refusal, VECWIRE_EINVAL, SIZE_MAX,
                               SIZE_MAX, "client is NULL");
    err = begin(verb, &call);
    if (err == VECWIRE_OK)
        err = encode(verb, request, &call->enc);
    return end(verb, call, err, id);
}

/* A copy of the request that knows all fields; `least` is its size in the
 * first version. False: it was made without macro and init: then it cannot be
 * trusted to hold a place for the reason either. */
static bool
take(struct vecwire_client *client, void *copy, size_t size, size_t least,
     const void *request, vecwire_call_id *id)
{
    if (id != NULL)
        *id = 0;
    if (vecwire__input_take(copy, size, request, least))
        return true;
    if (client != NULL)
        client->engine.stats.calls_refused++;
    return false;
}

static struct vecwire_refusal *
place(struct vecwire_refusal *wanted, struct vecwire_refusal *local)
{
    return wanted != NULL ? wanted : local;
}

enum vecwire_err
vecwire_query(struct vecwire_client *client,
              const struct vecwire_query_request *query, vecwire_reply_cb cb,
              void *arg, vecwire_call_id *id)
{
    struct vecwire_refusal local;
    struct vecwire_query_request q;

    if (!take(client, &q, sizeof(q), FIRST_QUERY, query, id))
        return VECWIRE_EINVAL;
    return start(&(struct verb){client, q.call, place(q.refusal, &local), cb,
                                arg, VECWIRE__VERB_QUERY, q.on_rows,
                                q.rows_arg},
                 &q, id);
}

enum vecwire_err
vecwire_upsert(struct vecwire_client *client,
               const struct vecwire_upsert_request *upsert, vecwire_reply_cb cb,
               void *arg, vecwire_call_id *id)
{
    struct vecwire_refusal local;
    struct vecwire_upsert_request u;

    if (!take(client, &u, sizeof(u), sizeof(u), upsert, id))
        return VECWIRE_EINVAL;
    if (client != NULL && u.rows > 1 &&
        client->engine.uploads.many == VECWIRE__MANY_LACKED) {
        client->engine.stats.calls_refused++;
        return vecwire__refuse(
            place(u.refusal, &local), VECWIRE_EUNSUPPORTED, SIZE_MAX, SIZE_MAX,
            "this server has no route for several rows (it answered 404): "
            "send them one by one, or use an uploader, which does");
    }
    return start(&(struct verb){client, u.call, place(u.refusal, &local), cb,
                                arg, VECWIRE__VERB_UPSERT, NULL, NULL},
                 &u, id);
}

enum vecwire_err
vecwire_delete(struct vecwire_client *client,
               const struct vecwire_delete_request *del, vecwire_reply_cb cb,
               void *arg, vecwire_call_id *id)
{
    struct vecwire_refusal local;
    struct vecwire_delete_request d;

    if (!take(client, &d, sizeof(d), sizeof(d), del, id))
        return VECWIRE_EINVAL;
    return start(&(struct verb){client, d.call, place(d.refusal, &local), cb,
                                arg, VECWIRE__VERB_DELETE, NULL, NULL},
                 &d, id);
}

enum vecwire_err
vecwire_raw(struct vecwire_client *client,
            const struct vecwire_raw_request *raw, vecwire_reply_cb cb,
            void *arg, vecwire_call_id *id)
{
    struct vecwire_refusal local;
    struct vecwire_raw_request r;

    if (!take(client, &r, sizeof(r), sizeof(r), raw, id))
        return VECWIRE_EINVAL;
    return start(&(struct verb){client, r.call, place(r.refusal, &local), cb,
                                arg, VECWIRE__VERB_RAW, NULL, NULL},
                 &r, id);
}
