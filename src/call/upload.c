/* SPDX-License-Identifier: Apache-2.0 */
/* An upload from its begin to its end. */
#include "call/upload.h"

#include <stddef.h>

#include "call/finish.h"
#include "codec/guard.h"
#include "codec/mem.h"

static void
on_deadline(struct vecwire__timer *timer)
{
    struct vecwire_uploader *up =
        (struct vecwire_uploader *)((char *)timer -
                                    offsetof(struct vecwire_uploader, timer));
    struct vecwire__engine *engine = up->engine;

    vecwire__engine_enter(engine);
    vecwire__upload_hold(up);
    vecwire__upload_stop(up, VECWIRE_ETIMEDOUT);
    vecwire__upload_report(up);
    vecwire__upload_drop(up);
    vecwire__engine_leave(engine);
}

static void
fill_in(struct vecwire_uploader *up, struct vecwire__engine *engine,
        const struct vecwire__upload_config *config)
{
    up->mem = *config->mem;
    up->engine = engine;
    up->config = *config;
    up->config.settings = NULL;
    up->frame = config->open.len > VECWIRE__MAX_FRAME ? config->open.len
                                                      : VECWIRE__MAX_FRAME;
    up->parts = engine->config.dialect->upsert_parts;
    up->max_bytes = config->batch_bytes;
    up->timer.fire = on_deadline;
    TAILQ_INIT(&up->ready);
    TAILQ_INIT(&up->sent);
    TAILQ_INIT(&up->free);
    TAILQ_INIT(&up->broken);
}

void
vecwire__upload_config_free(struct vecwire__upload_config *config,
                            const struct vecwire_mem *mem)
{
    vecwire__headers_free(&config->headers, mem);
    vecwire__buf_fini(&config->open);
}

enum vecwire_err
vecwire__upload_new(struct vecwire_uploader **out,
                    struct vecwire__engine *engine,
                    const struct vecwire__upload_config *config)
{
    struct vecwire__timers *timers = engine->config.timers;
    struct vecwire_uploader *up;

    *out = NULL;
    up = vecwire__mem_zalloc(config->mem, sizeof(*up));
    if (up == NULL)
        return VECWIRE_ENOMEM;
    fill_in(up, engine, config);
    if (!vecwire__settings_copy(&up->settings, config->settings, NULL,
                                config->mem) ||
        !vecwire__batches_init(up) || !vecwire__timers_reserve(timers, 1)) {
        vecwire__batches_fini(up);
        vecwire__settings_copy_free(&up->settings, config->mem);
        vecwire__mem_free(config->mem, up, sizeof(*up));
        return VECWIRE_ENOMEM;
    }
    TAILQ_INSERT_TAIL(&engine->uploads.list, up, link);
    engine->uploads.n++;
    if (config->deadline_ns != UINT64_MAX)
        vecwire__timer_set(timers, &up->timer,
                           vecwire__timers_now(timers) + config->deadline_ns);
    *out = up;
    return VECWIRE_OK;
}

void
vecwire__upload_hold(struct vecwire_uploader *up)
{
    up->depth++;
}

void
vecwire__upload_drop(struct vecwire_uploader *up)
{
    struct vecwire_mem mem = up->mem;

    if (--up->depth > 0 || up->state != VECWIRE__UPLOAD_DONE)
        return;
    vecwire__batches_fini(up);
    if (!up->freed)
        return;
    vecwire__reply_release(up->first_reply);
    vecwire__mem_free(&mem, up, sizeof(*up));
}

void
vecwire__upload_soon(struct vecwire_uploader *up)
{
    const struct vecwire__host *host = &up->engine->config.host;

    if (!up->due)
        TAILQ_INSERT_TAIL(&up->engine->uploads.due, up, due_link);
    up->due = true;
    host->soon(host->ctx);
}

static void
clear_due(struct vecwire_uploader *up)
{
    if (up->due)
        TAILQ_REMOVE(&up->engine->uploads.due, up, due_link);
    up->due = false;
}

void
vecwire__upload_set_stuck(struct vecwire_uploader *up, bool stuck)
{
    struct vecwire__uploads *uploads = &up->engine->uploads;

    if (stuck && !up->stuck)
        TAILQ_INSERT_TAIL(&uploads->stuck, up, stuck_link);
    else if (!stuck && up->stuck)
        TAILQ_REMOVE(&uploads->stuck, up, stuck_link);
    up->stuck = stuck;
}

enum vecwire_err
vecwire__upload_add(struct vecwire_uploader *up,
                    const struct vecwire_upsert_request *rows, size_t *taken,
                    struct vecwire_refusal *refusal)
{
    enum vecwire_err err;

    *taken = 0;
    if (up->state != VECWIRE__UPLOAD_OPEN)
        return vecwire__refuse(refusal, VECWIRE_ECLOSED, SIZE_MAX, SIZE_MAX,
                               "the upload has ended");
    err = up->parts->check(rows, refusal);
    while (err == VECWIRE_OK && *taken < rows->rows) {
        err = vecwire__batch_put(up, rows, *taken, refusal);
        if (err == VECWIRE_OK)
            ++*taken;
        /* At once, so that there is room for the next ones. */
        if (!TAILQ_EMPTY(&up->ready))
            vecwire__upload_send(up);
    }
    if (err == VECWIRE_EFULL)
        up->wants_room = true;
    return err;
}

void
vecwire__upload_end(struct vecwire_uploader *up)
{
    if (up->state != VECWIRE__UPLOAD_OPEN)
        return;
    up->state = VECWIRE__UPLOAD_ENDING;
    up->engine->uploads.n_ended++;
    up->wants_room = false;
    vecwire__batch_seal(up);
    vecwire__upload_send(up);
    vecwire__upload_soon(up);
}

bool
vecwire__upload_cancel(struct vecwire_uploader *up)
{
    if (up->state > VECWIRE__UPLOAD_ENDING)
        return false;
    vecwire__upload_stop(up, VECWIRE_ECANCELED);
    vecwire__upload_soon(up);
    return true;
}

void
vecwire__upload_free(struct vecwire_uploader *up)
{
    struct vecwire__engine *engine = up->engine;

    vecwire__upload_hold(up);
    up->freed = true;
    if (engine != NULL) {
        vecwire__engine_enter(engine);
        vecwire__upload_stop(up, VECWIRE_ECLOSED);
        vecwire__upload_report(up);
        vecwire__engine_leave(engine);
    }
    vecwire__upload_drop(up);
}

void
vecwire__upload_failed(struct vecwire_uploader *up,
                       const struct vecwire__batch *batch, size_t from,
                       size_t count, const struct vecwire_error *error,
                       struct vecwire_reply *reply)
{
    struct vecwire_failed_rows failed = {
        .first = batch->first + from,
        .count = count,
        .ids = batch->id_list + from,
        .error = error,
    };

    up->result.rows_failed += count;
    if (up->result.error == NULL) {
        up->first = *error;
        up->result.error = &up->first;
        up->first_reply = reply;
        if (reply != NULL)
            vecwire__reply_hold(reply);
    }
    vecwire__finish_failed(up, &failed);
}

static void
complete(struct vecwire_uploader *up)
{
    struct vecwire__engine *engine = up->engine;

    up->state = VECWIRE__UPLOAD_DONE;
    clear_due(up);
    TAILQ_REMOVE(&engine->uploads.list, up, link);
    engine->uploads.n--;
    engine->uploads.n_ended--;
    vecwire__timer_clear(engine->config.timers, &up->timer);
    vecwire__timers_unreserve(engine->config.timers, 1);
    vecwire__upload_config_free(&up->config, engine->config.mem);
    vecwire__settings_copy_free(&up->settings, engine->config.mem);
    up->engine = NULL;
    vecwire__guard_leave(&up->mem);
    vecwire__finish_upload(engine, up);
}

void
vecwire__upload_stop(struct vecwire_uploader *up, enum vecwire_err code)
{
    struct vecwire__batch *batch;

    if (up->state > VECWIRE__UPLOAD_ENDING)
        return;
    if (up->state == VECWIRE__UPLOAD_OPEN)
        up->engine->uploads.n_ended++;
    up->state = VECWIRE__UPLOAD_STOPPING;
    up->wants_room = false;
    vecwire__upload_set_stuck(up, false);
    up->why = (struct vecwire_error){.detail = vecwire_strerror(code),
                                     .retry_after_ms = -1,
                                     .code = code,
                                     .phase = VECWIRE_PHASE_QUEUED,
                                     .retryable = true};
    vecwire__batch_seal(up);
    TAILQ_FOREACH (batch, &up->ready, link)
        batch->error = up->why;
    TAILQ_FOREACH (batch, &up->sent, link)
        vecwire__batch_stop(batch, code);
    up->n_sent = 0;
    up->result.error = &up->why;
}

/* None of its rows that have no outcome will have another one. */
static void
give_up(struct vecwire_uploader *up, struct vecwire__batch *batch)
{
    size_t from = batch->done;

    batch->done = batch->n_rows;
    batch->error.outcome_unknown |= from < batch->unsure;
    vecwire__upload_failed(up, batch, from, batch->n_rows - from, &batch->error,
                           NULL);
}

/* A batch of the first list that has one, taken off it. */
static struct vecwire__batch *
take_any(struct vecwire_uploader *up)
{
    struct vecwire__batch_list *lists[] = {&up->broken, &up->sent, &up->ready};

    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        struct vecwire__batch *batch = TAILQ_FIRST(lists[i]);

        if (batch != NULL) {
            TAILQ_REMOVE(lists[i], batch, link);
            return batch;
        }
    }
    return NULL;
}

void
vecwire__upload_report(struct vecwire_uploader *up)
{
    struct vecwire__batch *batch;

    /* A callback that frees it does the rest of this. */
    while (up->state != VECWIRE__UPLOAD_DONE && (batch = take_any(up)) != NULL)
        give_up(up, batch);
    if (up->state != VECWIRE__UPLOAD_DONE)
        complete(up);
}

/* Rows that could not even be sent. Those that a callback adds to them are
 * left for the next pass: memory may be short for long. */
static void
report_broken(struct vecwire_uploader *up)
{
    const struct vecwire__batch *last =
        TAILQ_LAST(&up->broken, vecwire__batch_list);
    struct vecwire__batch *batch = NULL;

    while (batch != last && up->state < VECWIRE__UPLOAD_STOPPING) {
        batch = TAILQ_FIRST(&up->broken);
        TAILQ_REMOVE(&up->broken, batch, link);
        give_up(up, batch);
        if (up->state != VECWIRE__UPLOAD_DONE)
            vecwire__batch_recycle(batch);
    }
}

static bool
is_over(const struct vecwire_uploader *up)
{
    return up->state == VECWIRE__UPLOAD_ENDING && TAILQ_EMPTY(&up->ready) &&
           TAILQ_EMPTY(&up->sent) && TAILQ_EMPTY(&up->broken);
}

void
vecwire__upload_step(struct vecwire_uploader *up)
{
    vecwire__upload_hold(up);
    clear_due(up);
    if (up->state < VECWIRE__UPLOAD_STOPPING) {
        report_broken(up);
        if (up->state < VECWIRE__UPLOAD_STOPPING)
            vecwire__upload_send(up);
    }
    if (up->wants_room && (up->filling != NULL || !TAILQ_EMPTY(&up->free))) {
        up->wants_room = false;
        vecwire__finish_room(up);
    }
    if (up->state == VECWIRE__UPLOAD_STOPPING)
        vecwire__upload_report(up);
    else if (is_over(up))
        complete(up);
    vecwire__upload_drop(up);
}
