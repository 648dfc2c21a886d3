/* SPDX-License-Identifier: Apache-2.0 */
#include "api/verb.h"

#include <assert.h>
#include <inttypes.h>

#include "api/raw.h"

#define NS_PER_MS UINT64_C(1000000)
#define FIRST_CALL VECWIRE__SIZE_UP_TO(struct vecwire_call_options, reserved)

/* A verb on its way. */
struct vecwire__start {
    const struct vecwire__verb_call *verb;
    struct vecwire_refusal *refusal; /* never NULL */
    struct vecwire__call_settings own;
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

static enum vecwire_err
take_qdrant(const struct vecwire_client *client,
            struct vecwire__call_settings *out, struct vecwire_refusal *refusal)
{
    const struct vecwire_qdrant_params *given = out->options.qdrant;

    if (given == NULL)
        return VECWIRE_OK;
    if (client->options.dialect != VECWIRE_QDRANT)
        return vecwire__refuse(refusal, VECWIRE_EINVAL, SIZE_MAX, SIZE_MAX,
                               "qdrant: the client speaks %s",
                               client->dialect->name);
    if (!vecwire__input_take(&out->qdrant, sizeof(out->qdrant), given,
                             sizeof(out->qdrant)))
        return vecwire__refuse(refusal, VECWIRE_EINVAL, SIZE_MAX, SIZE_MAX,
                               "qdrant params were not made by "
                               "VECWIRE_QDRANT_PARAMS() or its init function");
    out->settings.qdrant = &out->qdrant;
    return VECWIRE_OK;
}

enum vecwire_err
vecwire__call_settings_take(const struct vecwire_client *client,
                            const struct vecwire_call_options *given,
                            struct vecwire__call_settings *out,
                            struct vecwire_refusal *refusal)
{
    memset(out, 0, sizeof(*out));
    out->settings = client->settings;
    if (given == NULL)
        return VECWIRE_OK;
    if (!vecwire__input_take(&out->options, sizeof(out->options), given,
                             FIRST_CALL))
        return vecwire__refuse(refusal, VECWIRE_EINVAL, SIZE_MAX, SIZE_MAX,
                               "call options were not made by "
                               "VECWIRE_CALL_OPTIONS() or its init function");
    if (out->options.collection != NULL) {
        if (!client->dialect->has_collections)
            return vecwire__refuse(refusal, VECWIRE_EINVAL, SIZE_MAX, SIZE_MAX,
                                   "collection: %s has no collections",
                                   client->dialect->name);
        out->settings.collection = out->options.collection;
    }
    return take_qdrant(client, out, refusal);
}

/* The call's settings: its own where it has them, else the client's. */
static enum vecwire_err
settle(struct vecwire__start *start, struct vecwire__call *call)
{
    struct vecwire_client *client = start->verb->client;
    const struct vecwire_call_options *options = &start->own.options;
    uint32_t deadline_ms = client->options.deadline_ms;
    enum vecwire_err err;

    err = vecwire__call_settings_take(client, start->verb->options, &start->own,
                                      start->refusal);
    if (err == VECWIRE_OK)
        err = vecwire__own_headers(client, options, &call->headers,
                                   start->refusal);
    if (err != VECWIRE_OK)
        return err;
    call->req.headers =
        call->headers.n > 0 ? call->headers.list : client->headers.list;
    call->req.n_headers =
        call->headers.n > 0 ? call->headers.n : client->headers.n;
    call->no_retry = options->no_retry || client->options.no_retry;
    call->repeat_writes =
        options->repeat_writes || client->options.repeat_writes;
    if (options->deadline_ms != 0)
        deadline_ms = options->deadline_ms;
    call->reply->timing.queued_ns = vecwire__timers_now(&client->timers);
    if (deadline_ms != VECWIRE_NEVER)
        call->deadline_ns =
            call->reply->timing.queued_ns + deadline_ms * NS_PER_MS;
    return VECWIRE_OK;
}

/* Before anything is encoded: may there be a call at all? */
static enum vecwire_err
begin(struct vecwire__start *start, struct vecwire__call **call)
{
    const struct vecwire__verb_call *verb = start->verb;
    struct vecwire__engine *engine = &verb->client->engine;
    enum vecwire_err err;

    assert(!engine->in_hook);
    *call = NULL;
    if (engine->state != VECWIRE__ENGINE_OPEN)
        return vecwire__refuse(start->refusal, VECWIRE_ECLOSED, SIZE_MAX,
                               SIZE_MAX, "the client was closed");
    if (vecwire__home_left(&verb->client->home))
        return vecwire__refuse(start->refusal, VECWIRE_ECLOSED, SIZE_MAX,
                               SIZE_MAX, "the client is the parent process's");
    err = vecwire__engine_admit(engine, 0);
    if (err != VECWIRE_OK)
        return vecwire__refuse(
            start->refusal, err, SIZE_MAX, SIZE_MAX,
            "%zu calls of %" PRIu64 " bytes wait already",
            engine->pool.n_waiting + engine->n_resting + engine->n_due,
            engine->pool.waiting_bytes + engine->resting_bytes);
    *call = vecwire__call_new(engine, verb->cb, verb->arg);
    if (*call == NULL)
        return vecwire__refuse(start->refusal, VECWIRE_ENOMEM, SIZE_MAX,
                               SIZE_MAX, "out of memory");
    (*call)->enc.verb = verb->which;
    (*call)->on_rows = verb->on_rows;
    (*call)->rows_arg = verb->rows_arg;
    return settle(start, *call);
}

/* It was encoded with `err`: send it, or take it back. */
static enum vecwire_err
end(struct vecwire__start *start, struct vecwire__call *call,
    enum vecwire_err err, vecwire_call_id *id)
{
    struct vecwire__engine *engine = &start->verb->client->engine;

    assert(call != NULL || err != VECWIRE_OK);
    if (err == VECWIRE_OK) {
        err = vecwire__engine_submit(engine, call);
        if (err == VECWIRE_OK) {
            if (id != NULL)
                *id = call->id;
            return VECWIRE_OK;
        }
        vecwire__refuse(start->refusal, err, SIZE_MAX, SIZE_MAX,
                        err == VECWIRE_EFULL
                            ? "a body of %zu bytes would be too much to wait"
                            : "out of memory after %zu bytes",
                        call->enc.text.len);
    } else if (err == VECWIRE_ENOMEM) {
        vecwire__refuse(start->refusal, err, SIZE_MAX, SIZE_MAX,
                        "out of memory");
    }
    engine->stats.calls_refused++;
    if (call != NULL)
        vecwire__call_free(call);
    return err;
}

static enum vecwire_err
encode(const struct vecwire__start *start, const void *request,
       struct vecwire__encoding *enc)
{
    const struct vecwire__verb_call *verb = start->verb;
    const struct vecwire_client *client = verb->client;
    vecwire__encoder encoder = client->dialect->encode[verb->which];

    if (verb->which == VECWIRE__VERB_RAW)
        return vecwire__encode_raw(&start->own.settings, request, enc,
                                   start->refusal);
    if (verb->own != NULL)
        encoder = verb->dialect == client->options.dialect ? verb->own : NULL;
    if (encoder == NULL)
        return vecwire__refuse(start->refusal, VECWIRE_EUNSUPPORTED, SIZE_MAX,
                               SIZE_MAX, "%s does not offer this",
                               client->dialect->name);
    return encoder(&start->own.settings, request, enc, start->refusal);
}

enum vecwire_err
vecwire__verb_start(const struct vecwire__verb_call *verb, const void *request,
                    vecwire_call_id *id)
{
    struct vecwire_refusal local;
    struct vecwire__start start = {
        .verb = verb, .refusal = verb->wanted != NULL ? verb->wanted : &local};
    struct vecwire__call *call;
    enum vecwire_err err;

    if (verb->client == NULL)
        return vecwire__refuse(start.refusal, VECWIRE_EINVAL, SIZE_MAX,
                               SIZE_MAX, "client is NULL");
    err = begin(&start, &call);
    if (err == VECWIRE_OK)
        err = encode(&start, request, &call->enc);
    return end(&start, call, err, id);
}

bool
vecwire__verb_take(struct vecwire_client *client, void *copy, size_t size,
                   size_t least, const void *request, vecwire_call_id *id)
{
    if (id != NULL)
        *id = 0;
    if (vecwire__input_take(copy, size, request, least))
        return true;
    if (client != NULL)
        client->engine.stats.calls_refused++;
    return false;
}
