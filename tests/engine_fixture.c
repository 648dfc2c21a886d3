/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/engine_fixture.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "codec/mem.h"

static void
soon(void *ctx)
{
    struct engine_fixture *f = ctx;

    f->due_asked = true;
}

static uint64_t
iterations(void *ctx)
{
    (void)ctx;
    return 0;
}

static int64_t
wall_s(void *ctx)
{
    return ((struct engine_fixture *)ctx)->wall_s;
}

static void
gone(void *ctx)
{
    struct engine_fixture *f = ctx;

    ck_assert(!f->gone);
    f->gone = true;
    vecwire__engine_fini(&f->engine);
}

void
engine_fixture_init(struct engine_fixture *f,
                    const struct vecwire__engine_config *overrides)
{
    struct vecwire__engine_config config = {0};

    memset(f, 0, sizeof(*f));
    f->wall_s = 1000000000;
    fake_clock_init(&f->clock, NULL);
    fake_transport_init(&f->net, &f->clock, &vecwire__engine_events);
    if (overrides != NULL)
        config = *overrides;
    config.mem = &vecwire__mem_libc;
    if (config.dialect == NULL)
        config.dialect = &vecwire__dialect_hms;
    config.transport = &fake_transport;
    config.net = &f->net;
    config.timers = &f->clock.timers;
    config.host = (struct vecwire__host){soon, iterations, wall_s, gone, f};
    config.idle_ns = config.idle_ns == 0 ? 4 * FAKE_S : config.idle_ns;
    config.seed = 7;
    config.connections = config.connections == 0 ? 2 : config.connections;
    config.max_waiting = config.max_waiting == 0 ? 16 : config.max_waiting;
    config.max_waiting_bytes = (uint64_t)1 << 20;
    config.attempts = config.attempts == 0 ? 3 : config.attempts;
    config.json_depth = 128;
    ck_assert_int_eq(vecwire__engine_init(&f->engine, &config), VECWIRE_OK);
}

void
engine_fixture_fini(struct engine_fixture *f)
{
    if (!f->gone)
        vecwire__engine_shutdown(&f->engine);
    ck_assert(f->gone);
    fake_transport_fini(&f->net);
    ck_assert_uint_eq(f->clock.timers.n, 0);
    ck_assert_uint_eq(f->clock.timers.reserved, 0);
    fake_clock_fini(&f->clock);
}

static void
copy(char *to, size_t size, const char *from)
{
    snprintf(to, size, "%s", from == NULL ? "" : from);
}

static void
on_reply(const struct vecwire_reply *reply, void *arg)
{
    const struct vecwire_error *error = vecwire_reply_error(reply);
    struct seen *seen = arg;

    seen->runs++;
    seen->status = vecwire_reply_status(reply);
    seen->attempts = vecwire_reply_attempts(reply);
    seen->wakeups = vecwire_reply_wakeups(reply);
    seen->count = vecwire_reply_count(reply);
    seen->affected = vecwire_reply_affected(reply);
    seen->code = VECWIRE_OK;
    if (error != NULL) {
        seen->code = error->code;
        seen->phase = error->phase;
        seen->retry_after_ms = error->retry_after_ms;
        seen->retryable = error->retryable;
        seen->outcome_unknown = error->outcome_unknown;
        copy(seen->detail, sizeof(seen->detail), error->detail);
        copy(seen->server_code, sizeof(seen->server_code), error->server_code);
    }
    if (seen->then != NULL)
        seen->then(seen);
}

static enum vecwire_err
encode(struct vecwire__call *call, enum vecwire__retry_class class)
{
    static const float vector[3] = {0.5F, -1.0F, 2.0F};
    static const char *const ids[] = {"a"};
    struct vecwire__settings settings = {.prefix = "", .json_depth = 128};
    struct vecwire_refusal refusal;

    if (class == VECWIRE__READ) {
        call->enc.verb = VECWIRE__VERB_QUERY;
        return vecwire__dialect_hms.encode[VECWIRE__VERB_QUERY](
            &settings, &VECWIRE_QUERY(.vector = vector, .dim = 3), &call->enc,
            &refusal);
    }
    call->enc.verb = VECWIRE__VERB_UPSERT;
    ck_assert_int_eq(
        vecwire__dialect_hms.encode[VECWIRE__VERB_UPSERT](
            &settings,
            &VECWIRE_UPSERT(.matrix = vector, .rows = 1, .dim = 3, .ids = ids),
            &call->enc, &refusal),
        VECWIRE_OK);
    call->enc.class = class;
    return VECWIRE_OK;
}

static enum vecwire_err
submit(struct engine_fixture *f, enum vecwire__retry_class class,
       uint32_t deadline_ms, bool repeat_writes, bool no_retry,
       struct seen *seen, vecwire_call_id *id)
{
    struct vecwire__call *call = vecwire__call_new(&f->engine, on_reply, seen);
    enum vecwire_err err;

    ck_assert_ptr_nonnull(call);
    seen->fixture = f;
    ck_assert_int_eq(encode(call, class), VECWIRE_OK);
    call->repeat_writes = repeat_writes;
    call->no_retry = no_retry;
    call->deadline_ns =
        f->clock.now_ns + (deadline_ms == 0 ? 30000 : deadline_ms) * FAKE_MS;
    err = vecwire__engine_submit(&f->engine, call);
    if (err != VECWIRE_OK)
        vecwire__call_free(call);
    else if (id != NULL)
        *id = call->id;
    return err;
}

enum vecwire_err
engine_call(struct engine_fixture *f, enum vecwire__retry_class class,
            uint32_t deadline_ms, struct seen *seen, vecwire_call_id *id)
{
    return submit(f, class, deadline_ms, false, false, seen, id);
}

enum vecwire_err
engine_call_with(struct engine_fixture *f, enum vecwire__retry_class class,
                 bool repeat_writes, bool no_retry, struct seen *seen)
{
    return submit(f, class, 0, repeat_writes, no_retry, seen, NULL);
}

void
engine_pass(struct engine_fixture *f)
{
    if (!f->due_asked || f->gone)
        return;
    f->due_asked = false;
    vecwire__engine_run_due(&f->engine);
}

void
engine_lose(struct vecwire__conn *conn, bool sent, bool reply_seen)
{
    struct vecwire__loss loss = {.code = VECWIRE_EIO,
                                 .sent_any = sent,
                                 .reply_seen = reply_seen,
                                 .detail = "connection reset"};

    fake_lost(conn, &loss);
}
