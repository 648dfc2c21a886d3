/* SPDX-License-Identifier: Apache-2.0 */
#include "call/finish.h"

#include <assert.h>

#include "call/scroll.h"
#include "call/upload.h"

static void
settle(struct vecwire__call *call)
{
    struct vecwire__engine *engine = call->engine;
    const struct vecwire__host *host = &engine->config.host;
    struct vecwire_reply *reply = call->reply;

    reply->attempts = call->attempts;
    reply->error.attempts = call->attempts;
    reply->wakeups = call->wakeups;
    reply->iterations = host->iterations(host->ctx) - call->iterations_at;
    vecwire__reply_settle(reply);
    engine->stats.wakeups += reply->wakeups;
    vecwire__uploads_learn(call);
}

void
vecwire__finish_call(struct vecwire__call *call)
{
    struct vecwire__engine *engine = call->engine;
    struct vecwire_reply *reply = call->reply;
    vecwire_reply_cb cb = call->cb;
    void *arg = call->arg;

    assert(call->state == VECWIRE__CALL_DONE && call->conn == NULL);
    settle(call);
    /* The call is gone before the user's code runs: whatever that does, it
     * finds nothing half finished. */
    call->reply = NULL;
    if (call->rest != NULL) {
        *call->rest = call->batch;
        call->batch = NULL;
    }
    vecwire__call_free(call);
    vecwire__engine_enter(engine);
    if (cb != NULL)
        cb(reply, arg);
    vecwire__call_drop_reply(engine, reply);
    vecwire__engine_leave(engine);
}

enum vecwire_rows_action
vecwire__finish_rows(struct vecwire__call *call)
{
    struct vecwire__engine *engine = call->engine;
    struct vecwire_reply *batch = call->batch;
    size_t begun = batch->n_rows;
    enum vecwire_rows_action action;

    batch->n_rows = batch->n_whole;
    vecwire__reply_settle(batch);
    call->reply->rows_given += batch->n_whole;
    /* The rows live until the callback returns, whatever that does to their
     * call. */
    batch->refs++;
    vecwire__engine_enter(engine);
    action = call->on_rows(batch, call->rows_arg);
    batch->n_rows = begun;
    vecwire__call_drop_reply(engine, batch);
    vecwire__engine_leave(engine);
    return action;
}

void
vecwire__finish_close(struct vecwire__engine *engine, enum vecwire_err code)
{
    vecwire_close_cb cb = engine->close_cb;

    if (engine->state == VECWIRE__ENGINE_CLOSING)
        engine->state = VECWIRE__ENGINE_CLOSED;
    engine->close_cb = NULL;
    vecwire__timer_clear(engine->config.timers, &engine->close_timer);
    vecwire__pool_close(&engine->pool);
    vecwire__engine_enter(engine);
    if (cb != NULL)
        cb(engine->close_client, code, engine->close_arg);
    vecwire__engine_leave(engine);
}

void
vecwire__finish_failed(struct vecwire_uploader *up,
                       const struct vecwire_failed_rows *failed)
{
    struct vecwire__engine *engine = up->engine;

    if (up->config.on_failed == NULL)
        return;
    vecwire__engine_enter(engine);
    up->config.on_failed(failed, up->config.arg);
    vecwire__engine_leave(engine);
}

void
vecwire__finish_room(struct vecwire_uploader *up)
{
    struct vecwire__engine *engine = up->engine;

    if (up->config.on_room == NULL)
        return;
    vecwire__engine_enter(engine);
    up->config.on_room(up, up->config.arg);
    vecwire__engine_leave(engine);
}

void
vecwire__finish_upload(struct vecwire__engine *engine,
                       struct vecwire_uploader *up)
{
    vecwire__engine_enter(engine);
    if (up->config.on_done != NULL)
        up->config.on_done(up, &up->result, up->config.arg);
    vecwire__engine_leave(engine);
}

enum vecwire_rows_action
vecwire__finish_scrolled(struct vecwire_scroller *scroller,
                         const struct vecwire_reply *rows)
{
    struct vecwire__engine *engine = scroller->engine;
    enum vecwire_rows_action action;

    vecwire__engine_enter(engine);
    action = scroller->config.on_rows(rows, scroller->config.arg);
    vecwire__engine_leave(engine);
    return action;
}

void
vecwire__finish_scroll(struct vecwire__engine *engine,
                       struct vecwire_scroller *scroller)
{
    vecwire__engine_enter(engine);
    if (scroller->config.on_done != NULL)
        scroller->config.on_done(scroller, &scroller->result,
                                 scroller->config.arg);
    vecwire__engine_leave(engine);
}
