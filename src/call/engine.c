/* SPDX-License-Identifier: Apache-2.0 */
#include "call/engine.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "call/decoder.h"
#include "call/finish.h"
#include "call/flow.h"
#include "codec/mem.h"

static void
on_close_timer(struct vecwire__timer *timer)
{
    struct vecwire__engine *engine =
        (struct vecwire__engine *)((char *)timer -
                                   offsetof(struct vecwire__engine,
                                            close_timer));

    vecwire__engine_enter(engine);
    if (engine->n_calls > 0 || engine->uploads.n > 0 || engine->scrolls.n > 0)
        engine->close_code = VECWIRE_ETIMEDOUT;
    /* First: what a call leaves is not for the next one any more. */
    vecwire__pool_close(&engine->pool);
    vecwire__uploads_stop(engine, VECWIRE_ECLOSED);
    vecwire__scrolls_stop(engine, VECWIRE_ECLOSED);
    while (!TAILQ_EMPTY(&engine->calls))
        vecwire__call_fail(TAILQ_FIRST(&engine->calls), VECWIRE_ECLOSED, NULL);
    vecwire__engine_leave(engine);
}

enum vecwire_err
vecwire__engine_init(struct vecwire__engine *engine,
                     const struct vecwire__engine_config *config)
{
    struct vecwire__pool *pool = &engine->pool;

    memset(engine, 0, sizeof(*engine));
    engine->config = *config;
    /* Of close; the pool sees to its own. */
    if (!vecwire__timers_reserve(config->timers, 1))
        return VECWIRE_ENOMEM;
    pool->transport = config->transport;
    pool->net = config->net;
    pool->timers = config->timers;
    pool->grant = vecwire__flow_grant;
    pool->max_open = config->connections;
    pool->max_waiting = config->max_waiting;
    pool->max_bytes = config->max_waiting_bytes;
    pool->idle_ns = config->idle_ns;
    vecwire__pool_init(pool);
    vecwire__slots_init(&engine->slots, config->mem);
    TAILQ_INIT(&engine->calls);
    TAILQ_INIT(&engine->due);
    TAILQ_INIT(&engine->spares.calls);
    TAILQ_INIT(&engine->uploads.list);
    TAILQ_INIT(&engine->uploads.due);
    TAILQ_INIT(&engine->uploads.stuck);
    TAILQ_INIT(&engine->scrolls.list);
    TAILQ_INIT(&engine->scrolls.due);
    TAILQ_INIT(&engine->scrolls.stuck);
    vecwire__budget_init(&engine->budget);
    engine->random = config->seed | 1;
    engine->close_timer.fire = on_close_timer;
    return VECWIRE_OK;
}

/* Callbacks of what is due; those that it makes due are left for later. */
static void
finish_due(struct vecwire__engine *engine)
{
    size_t n = engine->n_due;

    while (n-- > 0 && !TAILQ_EMPTY(&engine->due)) {
        struct vecwire__call *call = TAILQ_FIRST(&engine->due);

        TAILQ_REMOVE(&engine->due, call, link);
        engine->n_due--;
        vecwire__finish_call(call);
    }
}

void
vecwire__engine_shutdown(struct vecwire__engine *engine)
{
    bool closing = engine->state == VECWIRE__ENGINE_CLOSING;

    assert(engine->state != VECWIRE__ENGINE_SHUT);
    vecwire__engine_enter(engine);
    engine->state = VECWIRE__ENGINE_SHUT;
    /* First: what a call leaves is not for the next one any more. */
    vecwire__pool_close(&engine->pool);
    vecwire__uploads_stop(engine, VECWIRE_ECLOSED);
    vecwire__scrolls_stop(engine, VECWIRE_ECLOSED);
    while (!TAILQ_EMPTY(&engine->calls))
        vecwire__call_fail(TAILQ_FIRST(&engine->calls), VECWIRE_ECLOSED, NULL);
    while (engine->n_due > 0)
        finish_due(engine);
    if (closing)
        vecwire__finish_close(engine, VECWIRE_ECLOSED);
    vecwire__engine_leave(engine);
}

void
vecwire__engine_fini(struct vecwire__engine *engine)
{
    assert(engine->n_calls == 0 && engine->n_due == 0);
    vecwire__pool_fini(&engine->pool);
    vecwire__timer_clear(engine->config.timers, &engine->close_timer);
    vecwire__timers_unreserve(engine->config.timers, 1);
    vecwire__slots_fini(&engine->slots);
    vecwire__decoders_free(engine);
    vecwire__spares_free(engine);
}

void
vecwire__engine_enter(struct vecwire__engine *engine)
{
    engine->depth++;
}

void
vecwire__engine_leave(struct vecwire__engine *engine)
{
    const struct vecwire__host *host = &engine->config.host;

    assert(engine->depth > 0);
    if (!TAILQ_EMPTY(&engine->uploads.stuck))
        vecwire__uploads_look(engine);
    if (!TAILQ_EMPTY(&engine->scrolls.stuck))
        vecwire__scrolls_look(engine);
    if (engine->state == VECWIRE__ENGINE_CLOSING &&
        !vecwire__engine_unfinished(engine))
        host->soon(host->ctx);
    if (--engine->depth == 0 && engine->state == VECWIRE__ENGINE_SHUT)
        host->gone(host->ctx);
}

static void
fill_request(struct vecwire__call *call)
{
    struct vecwire__encoding *enc = &call->enc;

    call->req.method = enc->method;
    call->req.path = enc->text.bytes;
    call->req.content_type = enc->content_type_at != 0
                                 ? enc->text.bytes + enc->content_type_at
                                 : enc->content_type;
    if (enc->lent != NULL) {
        call->req.body = enc->lent;
        call->req.body_len = enc->lent_len;
    } else if (enc->has_body) {
        call->req.body = enc->text.bytes + enc->body_at;
        call->req.body_len = enc->text.len - enc->body_at;
    }
}

enum vecwire_err
vecwire__engine_admit(const struct vecwire__engine *engine, size_t bytes)
{
    const struct vecwire__pool *pool = &engine->pool;
    uint64_t held = pool->waiting_bytes + engine->resting_bytes;

    /* Each cancel makes room for one more, but holds on to its call until the
     * loop comes to it. As many as can be there may be replaced. */
    if (engine->n_due >= pool->max_waiting + pool->max_open)
        return VECWIRE_EFULL;
    /* Against a server that is down all calls rest between attempts. */
    if (engine->n_resting > 0 &&
        (pool->n_waiting + engine->n_resting >= pool->max_waiting ||
         held > pool->max_bytes || bytes > pool->max_bytes - held))
        return VECWIRE_EFULL;
    return vecwire__pool_admit(pool, bytes);
}

enum vecwire_err
vecwire__engine_submit(struct vecwire__engine *engine,
                       struct vecwire__call *call)
{
    const struct vecwire__host *host = &engine->config.host;
    enum vecwire_err err;

    call->waiter.bytes = call->enc.text.len;
    call->waiter.until_ns = call->deadline_ns;
    err = vecwire__engine_admit(engine, call->waiter.bytes);
    if (err != VECWIRE_OK)
        return err;
    call->id = vecwire__slots_take(&engine->slots, call);
    if (call->id == 0)
        return VECWIRE_ENOMEM;
    call->reply->id = call->id;
    call->iterations_at = host->iterations(host->ctx);
    fill_request(call);
    TAILQ_INSERT_TAIL(&engine->calls, call, link);
    engine->n_calls++;
    engine->stats.calls_started++;
    vecwire__budget_call(&engine->budget);
    vecwire__timer_set(engine->config.timers, &call->timer, call->deadline_ns);
    vecwire__pool_ask(&engine->pool, &call->waiter, false);
    if (call->waiter.waiting) {
        /* It may be one of thousands: keep its bytes and no more. */
        vecwire__buf_trim(&call->enc.text);
        fill_request(call);
    }
    return VECWIRE_OK;
}

bool
vecwire__engine_cancel(struct vecwire__engine *engine, vecwire_call_id id)
{
    struct vecwire__call *call = vecwire__slots_find(&engine->slots, id);

    if (call == NULL)
        return false;
    vecwire__call_fail_later(call, VECWIRE_ECANCELED, NULL);
    return true;
}

void
vecwire__engine_close(struct vecwire__engine *engine,
                      struct vecwire_client *client, uint64_t timeout_ns,
                      vecwire_close_cb cb, void *arg)
{
    struct vecwire__timers *timers = engine->config.timers;
    const struct vecwire__host *host = &engine->config.host;

    engine->state = VECWIRE__ENGINE_CLOSING;
    engine->close_client = client;
    engine->close_cb = cb;
    engine->close_arg = arg;
    engine->close_code = VECWIRE_OK;
    vecwire__uploads_end(engine);
    if (!vecwire__engine_unfinished(engine))
        host->soon(host->ctx);
    else if (timeout_ns != UINT64_MAX)
        vecwire__timer_set(timers, &engine->close_timer,
                           vecwire__timers_now(timers) + timeout_ns);
}

void
vecwire__engine_run_due(struct vecwire__engine *engine)
{
    const struct vecwire__host *host = &engine->config.host;

    vecwire__engine_enter(engine);
    finish_due(engine);
    vecwire__uploads_run(engine);
    vecwire__scrolls_run(engine);
    if (engine->state != VECWIRE__ENGINE_SHUT && engine->n_due > 0)
        host->soon(host->ctx);
    else if (engine->state == VECWIRE__ENGINE_CLOSING &&
             !vecwire__engine_unfinished(engine))
        vecwire__finish_close(engine, engine->close_code);
    vecwire__engine_leave(engine);
}

bool
vecwire__engine_unfinished(const struct vecwire__engine *engine)
{
    return engine->n_calls > 0 || engine->n_due > 0 ||
           engine->uploads.n_ended > 0 || engine->scrolls.n > 0;
}

const struct vecwire_stats *
vecwire__engine_stats(struct vecwire__engine *engine)
{
    const struct vecwire__pool *pool = &engine->pool;
    struct vecwire_stats *stats = &engine->stats;

    stats->waiting_bytes = pool->waiting_bytes;
    stats->waiting_held =
        pool->waiting_bytes + pool->n_waiting * (sizeof(struct vecwire__call) +
                                                 sizeof(struct vecwire_reply) +
                                                 sizeof(struct vecwire__slot));
    stats->calls_waiting = (uint32_t)pool->n_waiting;
    stats->calls_active = (uint32_t)(pool->n_open - pool->n_idle);
    stats->calls_retrying = (uint32_t)engine->n_resting;
    stats->connections_open = (uint32_t)pool->n_open;
    stats->connections_idle = (uint32_t)pool->n_idle;
    return stats;
}
