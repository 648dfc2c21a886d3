/* SPDX-License-Identifier: Apache-2.0 */
/* How a call ends, an attempt or for good. */
#include "call/engine.h"

#include <assert.h>
#include <string.h>

#include "call/decoder.h"
#include "call/finish.h"
#include "call/log.h"

/* What waits for its next attempt counts against the limits, too. */
static void
count_resting(struct vecwire__call *call, enum vecwire__call_state to)
{
    struct vecwire__engine *engine = call->engine;

    if (call->state == VECWIRE__CALL_RETRY_WAIT) {
        engine->n_resting--;
        engine->resting_bytes -= call->waiter.bytes;
    }
    if (to == VECWIRE__CALL_RETRY_WAIT) {
        engine->n_resting++;
        engine->resting_bytes += call->waiter.bytes;
    }
}

void
vecwire__call_step(struct vecwire__call *call, enum vecwire__call_event event)
{
    int to = vecwire__call_next(call->state, event);

    assert(to >= 0);
    if (to < 0) {
        call->engine->stats.late_events++;
        return;
    }
    count_resting(call, (enum vecwire__call_state)to);
    call->state = (enum vecwire__call_state)to;
}

static void
take_over(struct vecwire__call *call)
{
    struct vecwire_stats *stats = &call->engine->stats;
    struct vecwire__conn *conn = call->conn;
    struct vecwire_timing *timing = &call->reply->timing;

    call->wakeups += conn->wakeups;
    stats->bytes_sent += conn->bytes_sent;
    stats->bytes_received += conn->bytes_received;
    if (conn->connected_ns != 0)
        timing->connected_ns = conn->connected_ns;
    timing->sent_ns = conn->sent_ns;
    timing->first_byte_ns = conn->first_byte_ns;
    memcpy(call->reply->peer, conn->peer, sizeof(call->reply->peer));
}

/* The call's connection, which it has no more; NULL: it had none. */
static struct vecwire__conn *
leave_conn(struct vecwire__call *call)
{
    struct vecwire__conn *conn = call->conn;

    vecwire__decode_stop(call);
    if (conn == NULL)
        return NULL;
    take_over(call);
    call->conn = NULL;
    conn->lease = NULL;
    return conn;
}

static void
return_conn(struct vecwire__engine *engine, struct vecwire__conn *conn,
            bool reusable)
{
    if (conn == NULL)
        return;
    if (reusable)
        vecwire__pool_give(&engine->pool, conn);
    else
        vecwire__pool_drop(&engine->pool, conn);
}

void
vecwire__call_end_lease(struct vecwire__call *call, bool reusable)
{
    struct vecwire__engine *engine = call->engine;

    return_conn(engine, leave_conn(call), reusable);
}

void
vecwire__call_detach(struct vecwire__call *call)
{
    struct vecwire__engine *engine = call->engine;

    vecwire__pool_forget(&engine->pool, &call->waiter);
    vecwire__timer_clear(engine->config.timers, &call->timer);
    vecwire__slots_give(&engine->slots, call->id);
    TAILQ_REMOVE(&engine->calls, call, link);
    engine->n_calls--;
    engine->stats.calls_completed++;
    engine->stats.calls_failed += call->reply->failed;
    /* Last: it may hand the connection to the next call. */
    vecwire__call_end_lease(call, false);
}

void
vecwire__call_fail(struct vecwire__call *call, enum vecwire_err code,
                   const char *detail)
{
    vecwire__outcome_failed(call, code, NULL, detail);
    vecwire__call_step(call, VECWIRE__CALL_EV_GIVE_UP);
    vecwire__call_detach(call);
    vecwire__finish_call(call);
}

void
vecwire__call_fail_later(struct vecwire__call *call, enum vecwire_err code,
                         const char *detail)
{
    struct vecwire__engine *engine = call->engine;
    const struct vecwire__host *host = &engine->config.host;

    vecwire__outcome_failed(call, code, NULL, detail);
    vecwire__call_step(call, VECWIRE__CALL_EV_GIVE_UP);
    vecwire__call_detach(call);
    /* The loop may take its time. */
    vecwire__buf_fini(&call->enc.text);
    TAILQ_INSERT_TAIL(&engine->due, call, link);
    engine->n_due++;
    host->soon(host->ctx);
}

static uint32_t
next_random(struct vecwire__engine *engine)
{
    uint64_t x = engine->random;

    /* xorshift64*; only the jitter of retries hangs on it. */
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    engine->random = x;
    return (uint32_t)((x * UINT64_C(0x2545F4914F6CDD1D)) >> 32);
}

static uint64_t
left_ms(const struct vecwire__call *call)
{
    uint64_t now = vecwire__timers_now(call->engine->config.timers);

    if (call->deadline_ns == UINT64_MAX)
        return UINT64_MAX;
    return call->deadline_ns > now ? (call->deadline_ns - now) / 1000000 : 0;
}

static struct vecwire__verdict
judge(struct vecwire__call *call, const struct vecwire__setback *setback)
{
    struct vecwire__engine *engine = call->engine;
    const struct vecwire__dialect *dialect = engine->config.dialect;
    struct vecwire__failure failure = {
        .class = call->enc.class,
        .code = setback->code,
        .http_status = call->reply->status,
        .round_failed = setback->round_failed,
        .sent_any = setback->sent_any,
        .reply_seen = setback->reply_seen,
        .reused = call->conn != NULL && call->conn->used,
        .rows_given = call->reply->rows_given > 0,
        .no_retry = call->no_retry,
        .repeat_writes = call->repeat_writes,
        .budget_left = vecwire__budget_left(&engine->budget),
        .attempts = call->attempts,
        .max_attempts = engine->config.attempts,
        .retry_after_ms = -1,
        .left_ms = left_ms(call),
        .random = next_random(engine),
    };

    if (setback->code == VECWIRE_EHTTP) {
        failure.retry_after_ms = vecwire__outcome_retry_after(call);
        failure.never_status =
            dialect->never_again != NULL &&
            dialect->never_again(failure.http_status,
                                 failure.retry_after_ms >= 0);
    }
    return vecwire__verdict(&failure);
}

static void
try_again(struct vecwire__call *call, const struct vecwire__verdict *verdict,
          const struct vecwire__setback *setback)
{
    struct vecwire__engine *engine = call->engine;
    struct vecwire__timers *timers = engine->config.timers;
    struct vecwire__conn *conn;

    vecwire__log(engine, VECWIRE_LOG_INFO,
                 "call %llu: attempt %u: %s; again in %u ms",
                 (unsigned long long)call->id, (unsigned)call->attempts,
                 setback->detail != NULL ? setback->detail
                                         : vecwire_strerror(setback->code),
                 (unsigned)verdict->gap_ms);
    engine->stats.retries++;
    if (verdict->takes_budget)
        vecwire__budget_take(&engine->budget);
    if (verdict->outcome_unknown)
        call->maybe_applied = true;
    vecwire__call_step(call, VECWIRE__CALL_EV_RETRY);
    conn = leave_conn(call);
    call->waiter.fresh = verdict->fate == VECWIRE__RETRY_FRESH;
    /* Without a gap, too: by then its own connection is free again. */
    if (verdict->fate == VECWIRE__RETRY_AFTER) {
        vecwire__timer_set(timers, &call->timer,
                           vecwire__timers_now(timers) +
                               (uint64_t)verdict->gap_ms * 1000000);
    } else {
        vecwire__call_step(call, VECWIRE__CALL_EV_TIMER);
        vecwire__pool_ask(&engine->pool, &call->waiter, true);
    }
    /* Last: it serves the queue, whose front is this call's again. */
    return_conn(engine, conn, setback->reusable);
}

void
vecwire__call_setback(struct vecwire__call *call,
                      const struct vecwire__setback *setback)
{
    struct vecwire__verdict verdict = judge(call, setback);

    if (verdict.fate != VECWIRE__FAIL) {
        try_again(call, &verdict, setback);
        return;
    }
    verdict.outcome_unknown |= call->maybe_applied;
    vecwire__outcome_failed(call, verdict.code, &verdict, setback->detail);
    vecwire__call_step(call, VECWIRE__CALL_EV_GIVE_UP);
    vecwire__call_end_lease(call, setback->reusable);
    vecwire__call_detach(call);
    vecwire__finish_call(call);
}
