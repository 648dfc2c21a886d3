/* SPDX-License-Identifier: Apache-2.0 */
#include "call/flow.h"

#include <assert.h>
#include <stddef.h>

#include "call/decoder.h"
#include "call/finish.h"
#include "call/log.h"

void
vecwire__flow_grant(struct vecwire__waiter *waiter, struct vecwire__conn *conn)
{
    struct vecwire__call *call =
        (struct vecwire__call *)((char *)waiter -
                                 offsetof(struct vecwire__call, waiter));
    struct vecwire__engine *engine = call->engine;

    if (conn == NULL) {
        vecwire__call_fail_later(call, VECWIRE_ENOMEM, NULL);
        return;
    }
    call->conn = conn;
    conn->lease = call;
    conn->owner = engine;
    call->attempts++;
    call->phase = VECWIRE_PHASE_CONNECTING;
    vecwire__reply_reset(call->reply);
    if (conn->up)
        call->reply->timing.connected_ns =
            vecwire__timers_now(engine->config.timers);
    vecwire__call_step(call, conn->up ? VECWIRE__CALL_EV_LEASE_WARM
                                      : VECWIRE__CALL_EV_LEASE_COLD);
    if (engine->config.transport->send(conn, &call->req) != VECWIRE_OK)
        vecwire__call_fail_later(call, VECWIRE_ENOMEM, NULL);
}

/* An answer that is there beats a deadline of the same pass. The loop sees to
 * I/O first, but asks for a few descriptors at a time, and reads no more than
 * a turn: the rest may be still to come. What has come at the deadline may be
 * read; once it was, the deadline counts. */
static bool
answer_waits(struct vecwire__call *call)
{
    struct vecwire__conn *conn = call->conn;
    size_t unread;

    if (conn == NULL ||
        (call->overdue_to != 0 && conn->bytes_received >= call->overdue_to))
        return false;
    unread = call->engine->config.transport->unread(conn);
    if (call->overdue_to == 0)
        call->overdue_to = conn->bytes_received + unread;
    return unread > 0;
}

void
vecwire__flow_timer(struct vecwire__timer *timer)
{
    struct vecwire__call *call =
        (struct vecwire__call *)((char *)timer -
                                 offsetof(struct vecwire__call, timer));
    struct vecwire__engine *engine = call->engine;
    struct vecwire__timers *timers = engine->config.timers;

    vecwire__engine_enter(engine);
    if (call->state == VECWIRE__CALL_RETRY_WAIT &&
        vecwire__timers_now(timers) < call->deadline_ns) {
        vecwire__call_step(call, VECWIRE__CALL_EV_TIMER);
        vecwire__timer_set(timers, timer, call->deadline_ns);
        vecwire__pool_ask(&engine->pool, &call->waiter, true);
    } else if (answer_waits(call)) {
        /* In the next pass, then. */
        vecwire__timer_set(timers, timer, call->deadline_ns);
    } else {
        vecwire__call_fail(call, VECWIRE_ETIMEDOUT, NULL);
    }
    vecwire__engine_leave(engine);
}

static void
on_phase(struct vecwire__conn *conn, enum vecwire_phase phase)
{
    struct vecwire__call *call = conn->lease;

    assert(call != NULL);
    call->phase = phase;
    /* A long request on a warm connection is told as well. */
    if (phase == VECWIRE_PHASE_SENDING &&
        call->state == VECWIRE__CALL_CONNECTING) {
        call->engine->stats.connections_opened++;
        vecwire__log(call->engine, VECWIRE_LOG_DEBUG, "connected to %s",
                     conn->peer);
        vecwire__call_step(call, VECWIRE__CALL_EV_UP);
    } else if (phase == VECWIRE_PHASE_RECEIVING) {
        vecwire__call_step(call, VECWIRE__CALL_EV_FIRST_BYTE);
    }
}

/* The reply cannot be used; the connection is of no use either, unless the
 * reply was whole. */
static void
unreadable(struct vecwire__call *call, bool reusable)
{
    char line[160];
    struct vecwire__setback setback = {
        .code = vecwire__decode_fault(call, line, sizeof(line)),
        .sent_any = true,
        .reply_seen = true,
        .reusable = reusable,
        .detail = line,
    };

    vecwire__call_setback(call, &setback);
}

static void
on_head(struct vecwire__conn *conn, const struct vecwire__head *head)
{
    struct vecwire__call *call = conn->lease;
    struct vecwire__engine *engine = call->engine;

    vecwire__engine_enter(engine);
    if (!vecwire__decode_head(call, head))
        unreadable(call, false);
    vecwire__engine_leave(engine);
}

/* Its caller takes no rows for now: nothing is read, no time runs. */
static void
pause_call(struct vecwire__call *call)
{
    struct vecwire__engine *engine = call->engine;
    uint64_t now = vecwire__timers_now(engine->config.timers);

    if (call->deadline_ns != UINT64_MAX)
        call->left_ns = call->deadline_ns > now ? call->deadline_ns - now : 0;
    vecwire__timer_clear(engine->config.timers, &call->timer);
    vecwire__call_step(call, VECWIRE__CALL_EV_PAUSE);
    engine->config.transport->pause(call->conn);
}

bool
vecwire__engine_resume(struct vecwire__engine *engine, vecwire_call_id id)
{
    struct vecwire__call *call = vecwire__slots_find(&engine->slots, id);
    struct vecwire__timers *timers = engine->config.timers;

    if (call != NULL && call->in_rows) {
        call->resume_asked = true;
        return true;
    }
    if (call == NULL || call->state != VECWIRE__CALL_PAUSED)
        return false;
    if (call->deadline_ns != UINT64_MAX) {
        call->deadline_ns = vecwire__timers_now(timers) + call->left_ns;
        call->overdue_to = 0;
        vecwire__timer_set(timers, &call->timer, call->deadline_ns);
    }
    vecwire__call_step(call, VECWIRE__CALL_EV_RESUME);
    engine->config.transport->resume(call->conn);
    return true;
}

/* Rows that are whole go out before the reply has ended. */
void
vecwire__call_give_rows(struct vecwire__call *call)
{
    struct vecwire__engine *engine = call->engine;
    vecwire_call_id id = call->id;
    enum vecwire_rows_action action;

    if (call->decoder == NULL || call->batch == NULL ||
        call->batch->n_whole == 0 || call->holds_rows)
        return;
    call->in_rows = true;
    call->resume_asked = false;
    action = vecwire__finish_rows(call);
    if (vecwire__slots_find(&engine->slots, id) == NULL)
        return; /* canceled, or its client freed */
    call->in_rows = false;
    vecwire__decode_drop_rows(call);
    if (action == VECWIRE_PAUSE && !call->resume_asked)
        pause_call(call);
}

static void
on_body(struct vecwire__conn *conn, const char *bytes, size_t len)
{
    struct vecwire__call *call = conn->lease;
    struct vecwire__engine *engine = call->engine;

    vecwire__engine_enter(engine);
    if (vecwire__decode_body(call, bytes, len))
        vecwire__call_give_rows(call);
    else
        unreadable(call, false);
    vecwire__engine_leave(engine);
}

static void
succeed(struct vecwire__call *call, bool reusable)
{
    vecwire__call_end_lease(call, reusable);
    vecwire__call_step(call, VECWIRE__CALL_EV_END);
    vecwire__call_detach(call);
    vecwire__finish_call(call);
}

static bool
succeeded(const struct vecwire__call *call)
{
    const struct vecwire__dialect *dialect = call->engine->config.dialect;

    return vecwire__reply_is_2xx(call->reply) ||
           (dialect->forgives != NULL &&
            dialect->forgives(call->enc.verb, call->reply));
}

static void
on_end(struct vecwire__conn *conn, bool reusable)
{
    struct vecwire__call *call = conn->lease;
    struct vecwire__engine *engine = call->engine;
    struct vecwire__setback setback = {.code = VECWIRE_EHTTP,
                                       .sent_any = true,
                                       .reply_seen = true,
                                       .reusable = reusable};

    vecwire__engine_enter(engine);
    call->reply->timing.decoded_ns = vecwire__timers_now(engine->config.timers);
    if (!vecwire__decode_end(call))
        unreadable(call, reusable);
    else if (succeeded(call))
        succeed(call, reusable);
    else
        vecwire__call_setback(call, &setback);
    vecwire__engine_leave(engine);
}

static void
on_lost(struct vecwire__conn *conn, const struct vecwire__loss *loss)
{
    struct vecwire__call *call = conn->lease;
    struct vecwire__engine *engine = call->engine;
    struct vecwire__setback setback = {
        .code = loss->code,
        .sent_any = loss->sent_any,
        .reply_seen = loss->reply_seen,
        .round_failed = !conn->up,
        .detail = loss->detail,
    };

    vecwire__engine_enter(engine);
    /* A head that was refused has told the outcome all the same. */
    if (loss->status != 0)
        call->reply->status = loss->status;
    vecwire__log(engine, VECWIRE_LOG_DEBUG, "call %llu: %s",
                 (unsigned long long)call->id,
                 loss->detail != NULL ? loss->detail
                                      : vecwire_strerror(loss->code));
    if (setback.round_failed)
        engine->stats.connections_failed++;
    else
        engine->stats.connections_lost++;
    vecwire__call_setback(call, &setback);
    vecwire__engine_leave(engine);
}

static void
on_idle_lost(struct vecwire__conn *conn)
{
    struct vecwire__engine *engine = conn->owner;

    vecwire__engine_enter(engine);
    engine->stats.connections_lost++;
    vecwire__log(engine, VECWIRE_LOG_DEBUG, "idle connection to %s lost",
                 conn->peer);
    vecwire__pool_idle_lost(&engine->pool, conn);
    vecwire__engine_leave(engine);
}

const struct vecwire__conn_events vecwire__engine_events = {
    on_phase, on_head, on_body, on_end, on_lost, on_idle_lost,
};
