/* SPDX-License-Identifier: Apache-2.0 */
/* Batches as calls, and what becomes of these. */
#include "call/upload.h"

#include <assert.h>

#include "call/log.h"

#define NOT_FOUND 404
#define CONTENT_TOO_LARGE 413
#define TOO_MANY_REQUESTS 429

/* The call has ended, or was not begun: the batch is on no list. */
static void
take_back(struct vecwire__batch *batch)
{
    struct vecwire__uploads *uploads = &batch->up->engine->uploads;

    batch->call = NULL;
    batch->reply = NULL;
    vecwire__batch_unframe(batch);
    if (batch->asks && uploads->many == VECWIRE__MANY_ASKED)
        uploads->many = VECWIRE__MANY_UNKNOWN;
    batch->asks = false;
}

/* A rate limit that the request is over by itself: the same one will not be
 * let in later either. */
static bool
never_lets_in(const struct vecwire__batch *batch,
              const struct vecwire_error *error)
{
    const struct vecwire__dialect *dialect = batch->up->engine->config.dialect;

    return error->http_status == TOO_MANY_REQUESTS &&
           dialect->never_again != NULL &&
           dialect->never_again(error->http_status, error->retry_after_ms >= 0);
}

/* Is the failure a reason to send the same rows otherwise? */
static bool
can_divide(struct vecwire__batch *batch, const struct vecwire_error *error)
{
    if (error->code != VECWIRE_EHTTP || batch->part == 1)
        return false;
    if (error->http_status == CONTENT_TOO_LARGE ||
        never_lets_in(batch, error)) {
        vecwire__batch_halve(batch);
        vecwire__log(batch->up->engine, VECWIRE_LOG_INFO,
                     "upload: %zu rows are too large for the server, at most "
                     "%zu bytes a request from now on",
                     batch->part, batch->up->max_bytes);
        return true;
    }
    return error->http_status == NOT_FOUND &&
           batch->up->engine->uploads.many == VECWIRE__MANY_LACKED;
}

/* The rows of the part, which begins at `from`, have an outcome. */
static void
settle_part(struct vecwire__batch *batch, size_t from,
            const struct vecwire_error *error, struct vecwire_reply *reply)
{
    const struct vecwire_error fewer = {
        .detail = "the server says it stored fewer rows than were sent",
        .retry_after_ms = -1,
        .code = VECWIRE_EDECODE,
        .phase = VECWIRE_PHASE_RECEIVING,
        .http_status = reply->status,
        .attempts = reply->attempts,
        .outcome_unknown = true,
    };
    const struct vecwire_error unconfirmed = {
        .detail = "the server stopped waiting: the rows are taken, and may "
                  "be stored later",
        .retry_after_ms = -1,
        .code = VECWIRE_EUNKNOWN,
        .phase = VECWIRE_PHASE_RECEIVING,
        .http_status = reply->status,
        .attempts = reply->attempts,
        .outcome_unknown = true,
    };
    struct vecwire_uploader *up = batch->up;
    size_t n = batch->part;

    if (error != NULL) {
        struct vecwire_error told = *error;

        /* The status says that they were stored, and no more can be read. */
        told.outcome_unknown |=
            from < batch->unsure || vecwire__reply_is_2xx(reply);
        vecwire__upload_failed(up, batch, from, n, &told, reply);
    } else if (reply->unconfirmed) {
        vecwire__upload_failed(up, batch, from, n, &unconfirmed, NULL);
    } else if (reply->affected < n) {
        vecwire__upload_failed(up, batch, from, n, &fewer, NULL);
    } else {
        up->result.rows_done += n;
    }
}

/* The completion of every request; runs in the loop. */
static void
on_reply(const struct vecwire_reply *given, void *arg)
{
    struct vecwire__batch *batch = arg;
    struct vecwire_uploader *up = batch->up;
    struct vecwire_reply *reply = batch->reply;
    const struct vecwire_error *error = reply->failed ? &reply->error : NULL;
    size_t from = batch->done;
    bool divided, more;

    assert(reply == given);
    (void)given;
    vecwire__upload_hold(up);
    TAILQ_REMOVE(&up->sent, batch, link);
    up->n_sent--;
    take_back(batch);
    divided = error != NULL && can_divide(batch, error);
    /* The refused attempt may have been the second one. */
    if (divided && error->outcome_unknown && batch->unsure < from + batch->part)
        batch->unsure = from + batch->part;
    if (!divided)
        batch->done += batch->part;
    /* In its place before a callback, which may stop it all, runs; but not
     * free, as its ids are the callback's. */
    more = batch->done < batch->n_rows;
    if (more)
        TAILQ_INSERT_HEAD(&up->ready, batch, link);
    if (!divided)
        settle_part(batch, from, error, reply);
    if (up->state != VECWIRE__UPLOAD_DONE) {
        if (!more)
            vecwire__batch_recycle(batch);
        vecwire__upload_step(up);
    }
    vecwire__upload_drop(up);
}

static void
fill_in(const struct vecwire_uploader *up, struct vecwire__call *call)
{
    const struct vecwire__upload_config *config = &up->config;
    const struct vecwire__headers *headers =
        config->headers.n > 0 ? &config->headers : config->others;
    uint64_t now = vecwire__timers_now(up->engine->config.timers);

    call->req.headers = headers->list;
    call->req.n_headers = headers->n;
    call->no_retry = config->no_retry;
    call->repeat_writes = true;
    if (config->request_deadline_ns != UINT64_MAX)
        call->deadline_ns = now + config->request_deadline_ns;
}

static enum vecwire_err
submit(struct vecwire__batch *batch, size_t n)
{
    struct vecwire_uploader *up = batch->up;
    struct vecwire__engine *engine = up->engine;
    struct vecwire__call *call;
    enum vecwire_err err = vecwire__engine_admit(engine, 0);

    up->asked_bytes = 0;
    if (err != VECWIRE_OK)
        return err;
    call = vecwire__call_new(engine, on_reply, batch);
    if (call == NULL)
        return VECWIRE_ENOMEM;
    call->enc.verb = VECWIRE__VERB_UPSERT;
    if (!up->parts->head(&up->settings.settings, n, 0, &call->enc)) {
        vecwire__call_free(call);
        return VECWIRE_ENOMEM;
    }
    fill_in(up, call);
    vecwire__batch_frame(batch, n, &call->enc);
    batch->reply = call->reply;
    up->asked_bytes = call->enc.text.len;
    err = vecwire__engine_submit(engine, call);
    if (err != VECWIRE_OK) {
        take_back(batch);
        vecwire__call_free(call);
        return err;
    }
    batch->call = call;
    return VECWIRE_OK;
}

static void
mark_sent(struct vecwire__batch *batch)
{
    struct vecwire_uploader *up = batch->up;
    struct vecwire__uploads *uploads = &up->engine->uploads;

    TAILQ_INSERT_TAIL(&up->sent, batch, link);
    up->n_sent++;
    up->result.requests++;
    batch->asks = batch->part > 1 && up->parts->may_lack_many &&
                  uploads->many == VECWIRE__MANY_UNKNOWN;
    if (batch->asks)
        uploads->many = VECWIRE__MANY_ASKED;
}

/* Without memory there is no call that could fail: the rows do. */
static void
mark_broken(struct vecwire__batch *batch, enum vecwire_err code)
{
    batch->error = (struct vecwire_error){.detail = vecwire_strerror(code),
                                          .retry_after_ms = -1,
                                          .code = code,
                                          .retryable = true};
    TAILQ_INSERT_TAIL(&batch->up->broken, batch, link);
    vecwire__upload_soon(batch->up);
}

void
vecwire__upload_send(struct vecwire_uploader *up)
{
    struct vecwire__batch *batch;
    bool stuck = false, sent = false;

    while (!stuck && up->n_sent < up->config.in_flight &&
           (batch = TAILQ_FIRST(&up->ready)) != NULL) {
        size_t n = vecwire__batch_part(batch);
        enum vecwire_err err = VECWIRE_EFULL;

        if (vecwire__uploads_may_send(up->engine, n))
            err = submit(batch, n);
        stuck = err == VECWIRE_EFULL;
        if (stuck)
            break;
        TAILQ_REMOVE(&up->ready, batch, link);
        sent |= err == VECWIRE_OK;
        if (err == VECWIRE_OK)
            mark_sent(batch);
        else
            mark_broken(batch, err);
    }
    /* Who had a turn waits behind the others for the next one. */
    if (sent)
        vecwire__upload_set_stuck(up, false);
    vecwire__upload_set_stuck(up, stuck);
}

void
vecwire__batch_stop(struct vecwire__batch *batch, enum vecwire_err code)
{
    struct vecwire__call *call = batch->call;

    /* Its completion may be due already: the batch does not wait for it. */
    call->cb = NULL;
    call->arg = NULL;
    if (call->state != VECWIRE__CALL_DONE)
        vecwire__call_fail_later(call, code, NULL);
    batch->error = call->reply->error;
    /* The texts go with the reply. */
    batch->error.detail = vecwire_strerror(batch->error.code);
    batch->error.server_code = batch->error.server_text = NULL;
    batch->error.location = NULL;
    take_back(batch);
}
