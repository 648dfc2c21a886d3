/* SPDX-License-Identifier: Apache-2.0 */
/* Pages as calls, and what becomes of their rows. */
#include "call/scroll.h"

#include <assert.h>

#include "call/finish.h"

/* --- ids --- */

/* As the order of ids wants it. */
static struct vecwire_id
id_of(const struct vecwire__id_copy *copy)
{
    return (struct vecwire_id){.text = copy->text,
                               .len = strlen(copy->text),
                               .number = copy->number,
                               .is_number = copy->is_number};
}

/* Rows have come: they must be in order, behind those before and not in front
 * of what was asked for. False: a fault. */
static bool
note_rows(struct vecwire_scroller *s, const struct vecwire_reply *rows)
{
    struct vecwire_id last = id_of(s->page_rows > 0 ? &s->seen : &s->from);
    bool known = s->page_rows > 0 || s->has_from;
    size_t n = vecwire_reply_count(rows);

    for (size_t i = 0; i < n; i++) {
        const struct vecwire_id *id = &vecwire_reply_row(rows, i)->id;

        if (known && s->order->compare(id, &last) < 0) {
            vecwire__scroll_fault(s, "rows are not in the order of their ids");
            return false;
        }
        last = *id;
        known = true;
    }
    if (!s->order->take(last.text, &s->seen)) {
        vecwire__scroll_fault(s, "a row's id is none that can be asked for");
        return false;
    }
    s->page_rows += n;
    s->rows_come += n;
    s->breaks = 0;
    return true;
}

/* What was handed out ends with a page, or with that row. */
static void
set_offset(struct vecwire_scroller *s, const struct vecwire_id *next,
           const struct vecwire_id *last)
{
    struct vecwire__id_copy id;

    if (next != NULL) {
        s->nothing_left = !s->order->take(next->text, &s->offset);
    } else {
        s->nothing_left = last == NULL || !s->order->take(last->text, &id) ||
                          !s->order->after(&id, &s->offset);
    }
}

/* --- rows go out --- */

/* To the caller. Anything may have happened to the scroll afterwards. */
static void
hand_out(struct vecwire_scroller *s, const struct vecwire_reply *rows)
{
    enum vecwire_rows_action action;

    s->result.rows += vecwire_reply_count(rows);
    s->in_rows = true;
    s->resume_asked = false;
    action = vecwire__finish_scrolled(s, rows);
    s->in_rows = false;
    s->paused = action == VECWIRE_PAUSE && !s->resume_asked;
}

/* Rows of the page under way. The scroll stops itself, never the call's
 * connection. */
static enum vecwire_rows_action
on_rows(const struct vecwire_reply *rows, void *arg)
{
    struct vecwire_scroller *s = arg;
    size_t n = vecwire_reply_count(rows);

    vecwire__scroll_hold(s);
    if (!note_rows(s, rows)) {
        vecwire__scroll_end_page(s, VECWIRE_EDECODE);
        vecwire__scroll_soon(s);
    } else {
        set_offset(s, NULL, &vecwire_reply_row(rows, n - 1)->id);
        hand_out(s, rows);
        if (s->call != NULL)
            s->call->holds_rows = s->paused;
    }
    vecwire__scroll_drop(s);
    return VECWIRE_CONTINUE;
}

void
vecwire__scroll_give_held(struct vecwire_scroller *s)
{
    struct vecwire__engine *engine = s->engine;
    struct vecwire__held first = s->held[0];
    struct vecwire_reply *rows = first.rows;

    s->n_held--;
    s->held[0] = s->held[1];
    set_offset(s, first.ends_page ? vecwire_reply_next_offset(rows) : NULL,
               first.ends_page ? NULL : &rows->rows[rows->n_rows - 1].id);
    /* Our own reference, and the engine, stay until they are given back. */
    vecwire__engine_enter(engine);
    hand_out(s, rows);
    vecwire__call_drop_reply(engine, rows);
    vecwire__engine_leave(engine);
}

/* --- pages come in --- */

/* Where the next page begins, which must be behind this one. */
static void
note_next(struct vecwire_scroller *s, const struct vecwire_id *next)
{
    struct vecwire_id last = id_of(&s->seen);

    s->has_more = false;
    if (next == NULL ||
        (s->config.max_rows != 0 && s->rows_come >= s->config.max_rows))
        return;
    if (s->page_rows == 0)
        vecwire__scroll_fault(s, "no progress: an empty page with a next one");
    else if (s->order->compare(next, &last) <= 0)
        vecwire__scroll_fault(s, "no progress: the next page does not lie "
                                 "behind this one");
    else if (!s->order->take(next->text, &s->from))
        vecwire__scroll_fault(s, "the next page begins with what is no id");
    else
        s->has_from = s->has_more = true;
}

/* Rows that stay until the caller takes them; those of an empty end go. */
static void
keep(struct vecwire_scroller *s, struct vecwire_reply *rows, bool ends_page)
{
    if (rows->n_rows == 0) {
        vecwire__call_drop_reply(s->engine, rows);
        return;
    }
    assert(s->n_held < VECWIRE__MAX_HELD);
    s->held[s->n_held++] =
        (struct vecwire__held){.rows = rows, .ends_page = ends_page};
}

/* What the call has left: whole rows, with their texts in place. */
static struct vecwire_reply *
take_rest(struct vecwire_scroller *s)
{
    struct vecwire_reply *rest = s->rest;

    s->rest = NULL;
    if (rest == NULL)
        return NULL;
    rest->n_rows = rest->n_whole;
    vecwire__reply_settle(rest);
    return rest;
}

static void
page_done(struct vecwire_scroller *s)
{
    struct vecwire_reply *rest = take_rest(s);

    assert(rest != NULL);
    s->result.pages++;
    if (rest->n_rows > 0 && !note_rows(s, rest)) {
        vecwire__call_drop_reply(s->engine, rest);
        return;
    }
    note_next(s, vecwire_reply_next_offset(rest));
    /* Its rows have all gone out before its end. */
    if (s->n_held == 0 && rest->n_rows == 0 && s->result.error == NULL)
        set_offset(s, vecwire_reply_next_offset(rest), NULL);
    keep(s, rest, s->result.error == NULL);
}

/* Has it a good beginning, behind which the rest can be asked for? */
static bool
can_go_on(struct vecwire_scroller *s, const struct vecwire_reply *reply)
{
    return reply->error.code == VECWIRE_EIO && vecwire__reply_is_2xx(reply) &&
           !s->config.no_retry && ++s->breaks < s->engine->config.attempts;
}

static void
page_broke(struct vecwire_scroller *s, struct vecwire_reply *reply)
{
    struct vecwire_reply *rest = take_rest(s);

    if (rest != NULL && rest->n_rows > 0 && reply->error.code == VECWIRE_EIO) {
        if (note_rows(s, rest))
            keep(s, rest, false);
        else
            vecwire__call_drop_reply(s->engine, rest);
    } else if (rest != NULL) {
        vecwire__call_drop_reply(s->engine, rest);
    }
    if (!can_go_on(s, reply)) {
        vecwire__scroll_fail(s, &reply->error, reply);
        return;
    }
    if (s->page_rows == 0)
        return;
    s->has_from = s->has_more = s->order->after(&s->seen, &s->from);
    if (s->config.max_rows != 0 && s->rows_come >= s->config.max_rows)
        s->has_more = false;
}

/* The completion of every page; runs in the loop. */
static void
on_page(const struct vecwire_reply *given, void *arg)
{
    struct vecwire_scroller *s = arg;
    struct vecwire_reply *reply = s->reply;

    assert(reply == given);
    (void)given;
    vecwire__scroll_hold(s);
    s->call = NULL;
    s->reply = NULL;
    if (reply->failed)
        page_broke(s, reply);
    else
        page_done(s);
    vecwire__scroll_step(s);
    vecwire__scroll_drop(s);
}

/* --- pages are asked for --- */

static enum vecwire_err
encode(struct vecwire_scroller *s, struct vecwire__encoding *enc,
       struct vecwire_refusal *refusal)
{
    const struct vecwire__dialect *dialect = s->engine->config.dialect;
    uint64_t left = s->config.max_rows - s->rows_come;
    struct vecwire_scroll_request request = {
        .size = sizeof(request),
        .offset = s->has_from ? s->from.text : NULL,
        .filter = s->copy.filter,
        .limit = s->config.page_rows,
        .with_payload = s->config.with_payload,
        .with_vector = s->config.with_vector,
    };

    if (s->config.max_rows != 0 && left < request.limit)
        request.limit = (uint32_t)left;
    enc->verb = VECWIRE__VERB_SCROLL;
    return dialect->encode[VECWIRE__VERB_SCROLL](&s->copy.settings, &request,
                                                 enc, refusal);
}

static void
fill_in(struct vecwire_scroller *s, struct vecwire__call *call)
{
    const struct vecwire__scroll_config *config = &s->config;
    const struct vecwire__headers *headers =
        config->headers.n > 0 ? &config->headers : config->others;

    call->req.headers = headers->list;
    call->req.n_headers = headers->n;
    call->no_retry = config->no_retry;
    call->reply->timing.queued_ns =
        vecwire__timers_now(s->engine->config.timers);
    if (config->page_deadline_ns != UINT64_MAX)
        call->deadline_ns =
            call->reply->timing.queued_ns + config->page_deadline_ns;
    call->on_rows = on_rows;
    call->rows_arg = s;
    call->rest = &s->rest;
    call->holds_rows = s->paused || s->n_held > 0;
}

enum vecwire_err
vecwire__scroll_ask(struct vecwire_scroller *s, struct vecwire_refusal *refusal)
{
    struct vecwire__engine *engine = s->engine;
    enum vecwire_err err = vecwire__engine_admit(engine, 0);
    struct vecwire__call *call;

    s->asked_bytes = 0;
    if (err != VECWIRE_OK)
        return err;
    call = vecwire__call_new(engine, on_page, s);
    if (call == NULL)
        return VECWIRE_ENOMEM;
    err = encode(s, &call->enc, refusal);
    if (err == VECWIRE_OK) {
        fill_in(s, call);
        s->asked_bytes = call->enc.text.len;
        err = vecwire__engine_submit(engine, call);
    }
    if (err != VECWIRE_OK) {
        vecwire__call_free(call);
        return err;
    }
    s->call = call;
    s->reply = call->reply;
    s->page_rows = 0;
    s->result.requests++;
    return VECWIRE_OK;
}

void
vecwire__scroll_end_page(struct vecwire_scroller *s, enum vecwire_err code)
{
    struct vecwire__call *call = s->call;

    if (call == NULL)
        return;
    s->call = NULL;
    s->reply = NULL;
    /* Its completion may be due already: the scroll does not wait for it. */
    call->cb = NULL;
    call->arg = NULL;
    call->rest = NULL;
    if (call->state != VECWIRE__CALL_DONE)
        vecwire__call_fail_later(call, code, NULL);
}
