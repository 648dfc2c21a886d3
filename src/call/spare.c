/* SPDX-License-Identifier: Apache-2.0 */
/* Where calls and their replies come from and go to. */
#include "call/engine.h"

#include <string.h>

#include "call/flow.h"
#include "codec/mem.h"

/* A larger buffer of a request is not kept for the next call. */
#define MAX_KEPT ((size_t)64 << 10)

static void
begin(struct vecwire__call *call, struct vecwire__engine *engine,
      struct vecwire__buf *text)
{
    memset(call, 0, sizeof(*call));
    call->engine = engine;
    call->enc.text = *text;
    call->timer.fire = vecwire__flow_timer;
    call->deadline_ns = UINT64_MAX;
}

static struct vecwire__call *
take_call(struct vecwire__engine *engine)
{
    struct vecwire__spares *spares = &engine->spares;
    struct vecwire__call *call = TAILQ_FIRST(&spares->calls);
    struct vecwire__buf text;

    if (call != NULL) {
        TAILQ_REMOVE(&spares->calls, call, link);
        spares->n_calls--;
        text = call->enc.text;
        text.len = 0;
    } else {
        call = vecwire__mem_alloc(engine->config.mem, sizeof(*call));
        if (call == NULL)
            return NULL;
        vecwire__buf_init(&text, engine->config.mem);
    }
    begin(call, engine, &text);
    return call;
}

struct vecwire_reply *
vecwire__call_take_reply(struct vecwire__engine *engine)
{
    struct vecwire_reply *reply = engine->spares.replies;

    if (reply == NULL)
        return vecwire__reply_new(engine->config.mem);
    engine->spares.replies = reply->next_spare;
    engine->spares.n_replies--;
    engine->spares.reply_bytes -= vecwire__reply_bytes(reply);
    /* It may have been kept for a while. */
    reply->mem = *engine->config.mem;
    return reply;
}

struct vecwire__call *
vecwire__call_new(struct vecwire__engine *engine, vecwire_reply_cb cb,
                  void *arg)
{
    struct vecwire__timers *timers = engine->config.timers;
    struct vecwire__call *call;

    if (!vecwire__timers_reserve(timers, 1))
        return NULL;
    call = take_call(engine);
    if (call != NULL)
        call->reply = vecwire__call_take_reply(engine);
    if (call == NULL || call->reply == NULL) {
        if (call != NULL)
            vecwire__call_free(call);
        else
            vecwire__timers_unreserve(timers, 1);
        return NULL;
    }
    call->cb = cb;
    call->arg = arg;
    return call;
}

static void
really_free(struct vecwire__call *call, const struct vecwire_mem *mem)
{
    vecwire__buf_fini(&call->enc.text);
    vecwire__mem_free(mem, call, sizeof(*call));
}

void
vecwire__call_free(struct vecwire__call *call)
{
    struct vecwire__engine *engine = call->engine;
    struct vecwire__spares *spares = &engine->spares;
    const struct vecwire_mem *mem = engine->config.mem;

    vecwire__timers_unreserve(engine->config.timers, 1);
    vecwire__headers_free(&call->headers, mem);
    if (call->reply != NULL)
        vecwire__call_drop_reply(engine, call->reply);
    if (call->batch != NULL)
        vecwire__call_drop_reply(engine, call->batch);
    if (spares->n_calls >= VECWIRE__MAX_SPARES ||
        call->enc.text.cap > MAX_KEPT) {
        really_free(call, mem);
        return;
    }
    /* The last one used is the first to be used again: it is in the cache. */
    TAILQ_INSERT_HEAD(&spares->calls, call, link);
    spares->n_calls++;
}

void
vecwire__call_drop_reply(struct vecwire__engine *engine,
                         struct vecwire_reply *reply)
{
    struct vecwire__spares *spares = &engine->spares;

    size_t bytes = vecwire__reply_bytes(reply);

    if (reply->refs > 1 || spares->n_replies >= VECWIRE__MAX_SPARES ||
        spares->reply_bytes + bytes > VECWIRE__MAX_SPARE_BYTES) {
        vecwire__reply_release(reply);
        return;
    }
    vecwire__reply_reuse(reply);
    spares->reply_bytes += bytes;
    reply->next_spare = spares->replies;
    spares->replies = reply;
    spares->n_replies++;
}

void
vecwire__spares_free(struct vecwire__engine *engine)
{
    struct vecwire__spares *spares = &engine->spares;
    struct vecwire__call *call;
    struct vecwire_reply *reply;

    while ((call = TAILQ_FIRST(&spares->calls)) != NULL) {
        TAILQ_REMOVE(&spares->calls, call, link);
        really_free(call, engine->config.mem);
    }
    while ((reply = spares->replies) != NULL) {
        spares->replies = reply->next_spare;
        vecwire__reply_release(reply);
    }
    spares->n_calls = spares->n_replies = 0;
    spares->reply_bytes = 0;
}
