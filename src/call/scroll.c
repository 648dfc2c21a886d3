/* SPDX-License-Identifier: Apache-2.0 */
/* A scroll from its begin to its end. */
#include "call/scroll.h"

#include "call/finish.h"
#include "codec/guard.h"
#include "codec/mem.h"

static void
release(struct vecwire_scroller *s)
{
    struct vecwire_mem mem = s->mem;

    vecwire__reply_release(s->why_reply);
    vecwire__mem_free(&mem, s, sizeof(*s));
}

/* Copies of all that the pages need. */
static enum vecwire_err
fill_in(struct vecwire_scroller *s, struct vecwire__engine *engine,
        const struct vecwire__scroll_config *config,
        struct vecwire_refusal *refusal)
{
    const char *offset = config->offset;

    s->mem = *config->mem;
    s->engine = engine;
    s->config = *config;
    s->order = engine->config.dialect->id_order;
    s->has_more = true;
    s->has_from = offset != NULL && offset[0] != '\0';
    if (s->has_from && !s->order->take(offset, &s->from))
        return vecwire__refuse(refusal, VECWIRE_EINVAL, SIZE_MAX, SIZE_MAX,
                               "offset \"%.48s\" is no id of %s", offset,
                               engine->config.dialect->name);
    s->offset = s->from;
    return vecwire__settings_copy(&s->copy, config->settings, config->filter,
                                  config->mem)
               ? VECWIRE_OK
               : VECWIRE_ENOMEM;
}

enum vecwire_err
vecwire__scroll_new(struct vecwire_scroller **out,
                    struct vecwire__engine *engine,
                    const struct vecwire__scroll_config *config,
                    struct vecwire_refusal *refusal)
{
    struct vecwire_scroller *s = vecwire__mem_zalloc(config->mem, sizeof(*s));
    enum vecwire_err err;

    *out = NULL;
    if (s == NULL)
        return VECWIRE_ENOMEM;
    err = fill_in(s, engine, config, refusal);
    if (err == VECWIRE_OK)
        err = vecwire__scroll_ask(s, refusal);
    if (err != VECWIRE_OK) {
        vecwire__settings_copy_free(&s->copy, config->mem);
        release(s);
        return err;
    }
    TAILQ_INSERT_TAIL(&engine->scrolls.list, s, link);
    engine->scrolls.n++;
    *out = s;
    return VECWIRE_OK;
}

void
vecwire__scroll_hold(struct vecwire_scroller *s)
{
    s->depth++;
}

void
vecwire__scroll_drop(struct vecwire_scroller *s)
{
    if (--s->depth == 0 && s->state == VECWIRE__SCROLL_DONE && s->freed)
        release(s);
}

void
vecwire__scroll_soon(struct vecwire_scroller *s)
{
    const struct vecwire__host *host = &s->engine->config.host;

    if (!s->due)
        TAILQ_INSERT_TAIL(&s->engine->scrolls.due, s, due_link);
    s->due = true;
    host->soon(host->ctx);
}

static void
clear_due(struct vecwire_scroller *s)
{
    if (s->due)
        TAILQ_REMOVE(&s->engine->scrolls.due, s, due_link);
    s->due = false;
}

void
vecwire__scroll_set_stuck(struct vecwire_scroller *s, bool stuck)
{
    struct vecwire__scrolls *scrolls = &s->engine->scrolls;

    if (stuck && !s->stuck)
        TAILQ_INSERT_TAIL(&scrolls->stuck, s, stuck_link);
    else if (!stuck && s->stuck)
        TAILQ_REMOVE(&scrolls->stuck, s, stuck_link);
    s->stuck = stuck;
}

void
vecwire__scroll_fail(struct vecwire_scroller *s,
                     const struct vecwire_error *error,
                     struct vecwire_reply *reply)
{
    if (s->state == VECWIRE__SCROLL_RUNNING)
        s->state = VECWIRE__SCROLL_ENDING;
    vecwire__scroll_set_stuck(s, false);
    if (s->result.error != NULL)
        return;
    s->why = *error;
    s->why_reply = reply;
    if (reply != NULL)
        vecwire__reply_hold(reply);
    s->result.error = &s->why;
}

void
vecwire__scroll_fault(struct vecwire_scroller *s, const char *what)
{
    const struct vecwire_error error = {.detail = what,
                                        .retry_after_ms = -1,
                                        .code = VECWIRE_EDECODE,
                                        .phase = VECWIRE_PHASE_RECEIVING,
                                        .http_status = 200,
                                        .attempts = 1};

    vecwire__scroll_fail(s, &error, NULL);
}

void
vecwire__scroll_stop(struct vecwire_scroller *s, enum vecwire_err code)
{
    const struct vecwire_error error = {
        .detail = vecwire_strerror(code),
        .retry_after_ms = -1,
        .code = code,
        .phase = s->call != NULL ? vecwire__call_phase(s->call)
                                 : VECWIRE_PHASE_QUEUED,
        .retryable = true};

    if (s->state >= VECWIRE__SCROLL_STOPPING)
        return;
    vecwire__scroll_fail(s, &error, NULL);
    s->state = VECWIRE__SCROLL_STOPPING;
    vecwire__scroll_end_page(s, code);
    while (s->n_held > 0)
        vecwire__call_drop_reply(s->engine, s->held[--s->n_held].rows);
}

void
vecwire__scroll_complete(struct vecwire_scroller *s)
{
    struct vecwire__engine *engine = s->engine;

    s->state = VECWIRE__SCROLL_DONE;
    clear_due(s);
    vecwire__scroll_set_stuck(s, false);
    TAILQ_REMOVE(&engine->scrolls.list, s, link);
    engine->scrolls.n--;
    vecwire__headers_free(&s->config.headers, engine->config.mem);
    vecwire__settings_copy_free(&s->copy, engine->config.mem);
    s->engine = NULL;
    vecwire__guard_leave(&s->mem);
    vecwire__finish_scroll(engine, s);
}

bool
vecwire__scroll_resume(struct vecwire_scroller *s)
{
    if (s->in_rows && s->state < VECWIRE__SCROLL_STOPPING) {
        s->resume_asked = true;
        return true;
    }
    if (!s->paused || s->state >= VECWIRE__SCROLL_STOPPING)
        return false;
    s->paused = false;
    vecwire__scroll_soon(s);
    return true;
}

bool
vecwire__scroll_cancel(struct vecwire_scroller *s)
{
    if (s->state >= VECWIRE__SCROLL_STOPPING)
        return false;
    vecwire__scroll_stop(s, VECWIRE_ECANCELED);
    vecwire__scroll_soon(s);
    return true;
}

void
vecwire__scroll_free(struct vecwire_scroller *s)
{
    vecwire__scroll_hold(s);
    s->freed = true;
    if (s->state != VECWIRE__SCROLL_DONE) {
        vecwire__scroll_stop(s, VECWIRE_ECLOSED);
        vecwire__scroll_complete(s);
    }
    vecwire__scroll_drop(s);
}

/* Ask for a page where that is due. */
static void
ask(struct vecwire_scroller *s)
{
    struct vecwire_refusal refusal;
    struct vecwire_error error = {.retry_after_ms = -1, .retryable = true};

    if (s->state != VECWIRE__SCROLL_RUNNING || !s->has_more ||
        s->call != NULL || s->n_held >= VECWIRE__MAX_HELD)
        return;
    error.code = vecwire__scroll_ask(s, &refusal);
    vecwire__scroll_set_stuck(s, error.code == VECWIRE_EFULL);
    if (error.code == VECWIRE_OK || error.code == VECWIRE_EFULL)
        return;
    error.detail = vecwire_strerror(error.code);
    vecwire__scroll_fail(s, &error, NULL);
}

static bool
is_over(const struct vecwire_scroller *s)
{
    return s->state == VECWIRE__SCROLL_STOPPING ||
           (s->n_held == 0 && s->call == NULL &&
            (s->state == VECWIRE__SCROLL_ENDING || !s->has_more));
}

/* The last page may have been empty, and come while rows before it were
 * held: their own next offset leads nowhere then. */
static void
settle_offset(struct vecwire_scroller *s)
{
    uint64_t max = s->config.max_rows;

    if (s->result.error == NULL && (max == 0 || s->result.rows < max))
        s->nothing_left = true;
}

/* What is held, and then what has come of the page under way. */
static void
give(struct vecwire_scroller *s)
{
    while (!s->paused && s->n_held > 0) {
        vecwire__scroll_give_held(s);
        ask(s);
    }
    if (s->paused || s->call == NULL)
        return;
    s->call->holds_rows = false;
    if (s->call->state == VECWIRE__CALL_RECEIVING)
        vecwire__call_give_rows(s->call);
}

void
vecwire__scroll_step(struct vecwire_scroller *s)
{
    vecwire__scroll_hold(s);
    clear_due(s);
    ask(s);
    give(s);
    if (s->state != VECWIRE__SCROLL_DONE) {
        ask(s);
        if (is_over(s)) {
            settle_offset(s);
            vecwire__scroll_complete(s);
        }
    }
    vecwire__scroll_drop(s);
}
