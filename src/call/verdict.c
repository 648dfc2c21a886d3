/* SPDX-License-Identifier: Apache-2.0 */
/* Two questions are kept apart. May WE send it again: the table in
 * docs/retry.md, within attempts, deadline and budget. And for `retryable`,
 * may the CALLER: true when a second sending does no harm and the failure is
 * of a kind that passes, whatever our own limits were.
 *
 * The two differ where we are careful and the caller may know better:
 * - a read is harmless after any loss, so EIO on it is retryable even where
 *   we do not repeat it (a fresh connection lost looks like a server that
 *   dies of the request);
 * - a write of class N is never retryable after a status, 429 included: a
 *   gateway in between may have passed it on, and no standard says that a
 *   429 changed nothing;
 * - an idempotent write whose fate is unknown is retryable only where the
 *   caller has said so (repeat_writes): a second one may overwrite what
 *   another client wrote after the first. */
#include "call/verdict.h"

#include <assert.h>

#define GAP_BASE_MS 100u
#define GAP_MAX_MS 5000u
#define RETRY_AFTER_MAX_MS 60000

#define BUDGET_FULL 100u /* tenths of a token */
#define BUDGET_TOKEN 10u

/* May this write or read be sent when an earlier one may have been applied? */
static bool
may_repeat(const struct vecwire__failure *f)
{
    return f->class == VECWIRE__READ ||
           (f->class == VECWIRE__IDEMPOTENT && f->repeat_writes);
}

/* The request is known not to have been applied: it never left. */
static bool
never_left(const struct vecwire__failure *f)
{
    return !f->sent_any && !f->reply_seen;
}

/* No connection came up, for a reason that may pass. */
static bool
round_failed(const struct vecwire__failure *f)
{
    if (f->code == VECWIRE_ERESOLVE || f->code == VECWIRE_EREFUSED)
        return true;
    return f->round_failed &&
           (f->code == VECWIRE_ETIMEDOUT || f->code == VECWIRE_EIO);
}

/* A status that says "later". */
static bool
passing_status(uint32_t status)
{
    return status == 408 || status == 429 || status == 502 || status == 503 ||
           status == 504;
}

/* May a request with this status be sent again? */
static bool
may_repeat_status(const struct vecwire__failure *f)
{
    if (f->rows_given || f->never_status)
        return false;
    if (f->http_status == 429)
        return f->class != VECWIRE__NEVER;
    return passing_status(f->http_status) && may_repeat(f);
}

static bool
outcome_unknown(const struct vecwire__failure *f)
{
    if (f->class == VECWIRE__READ || never_left(f) || f->round_failed)
        return false;
    switch (f->code) {
    case VECWIRE_EHTTP:
    case VECWIRE_EPROTO:
    case VECWIRE_EREPLYSIZE:
    case VECWIRE_EDECODE:
    case VECWIRE_ENOMEM:
        /* The status has told it, even where the body cannot be used. */
        return f->http_status == 0;
    default:
        /* Lost, timed out or canceled: half a reply is no answer. */
        return true;
    }
}

static bool
retryable(const struct vecwire__failure *f)
{
    switch (f->code) {
    case VECWIRE_EHTTP:
        return may_repeat_status(f);
    case VECWIRE_ERESOLVE:
    case VECWIRE_EREFUSED:
    case VECWIRE_ETIMEDOUT:
    case VECWIRE_EIO:
    case VECWIRE_ENOMEM:
        return f->round_failed || never_left(f) || may_repeat(f);
    default:
        return false;
    }
}

/* Full jitter: clients that failed together do not come back together. */
static uint32_t
jitter(const struct vecwire__failure *f)
{
    uint32_t most = GAP_MAX_MS;

    if (f->attempts <= 6)
        most = GAP_BASE_MS << (f->attempts - 1);
    if (most > GAP_MAX_MS)
        most = GAP_MAX_MS;
    return (uint32_t)(((uint64_t)f->random * (most + 1)) >> 32);
}

/* The table alone: what would be done, were there no limits. */
static void
look_up(const struct vecwire__failure *f, struct vecwire__verdict *v)
{
    if (f->code == VECWIRE_EHTTP) {
        if ((f->http_status != 429 && f->http_status != 503) ||
            !may_repeat_status(f) || !f->budget_left ||
            f->retry_after_ms > RETRY_AFTER_MAX_MS)
            return;
        v->fate = VECWIRE__RETRY_AFTER;
        v->takes_budget = true;
        v->gap_ms =
            f->retry_after_ms >= 0 ? (uint32_t)f->retry_after_ms : jitter(f);
    } else if (round_failed(f)) {
        v->fate = VECWIRE__RETRY_AFTER;
        v->gap_ms = jitter(f);
    } else if (f->code == VECWIRE_EIO && !f->reply_seen && !f->rows_given) {
        /* The repeat goes out on a fresh connection, so that a second loss
         * is not that of a reused one: it happens once. */
        if (!f->sent_any || (f->reused && may_repeat(f)))
            v->fate = VECWIRE__RETRY_FRESH;
    }
}

struct vecwire__verdict
vecwire__verdict(const struct vecwire__failure *f)
{
    struct vecwire__verdict v = {.fate = VECWIRE__FAIL, .code = f->code};

    assert(f->attempts >= 1);
    v.outcome_unknown = outcome_unknown(f);
    v.retryable = retryable(f);
    if (f->code == VECWIRE_EIO && v.outcome_unknown)
        v.code = VECWIRE_EUNKNOWN;
    if (!f->no_retry && f->attempts < f->max_attempts)
        look_up(f, &v);
    /* Waiting for what comes too late only hides the reason. */
    if (v.fate != VECWIRE__FAIL && v.gap_ms >= f->left_ms) {
        v.fate = VECWIRE__FAIL;
        v.takes_budget = false;
        v.gap_ms = 0;
    }
    return v;
}

void
vecwire__budget_init(struct vecwire__budget *budget)
{
    budget->tenths = BUDGET_FULL;
}

void
vecwire__budget_call(struct vecwire__budget *budget)
{
    if (budget->tenths < BUDGET_FULL)
        budget->tenths++;
}

bool
vecwire__budget_left(const struct vecwire__budget *budget)
{
    return budget->tenths >= BUDGET_TOKEN;
}

void
vecwire__budget_take(struct vecwire__budget *budget)
{
    assert(vecwire__budget_left(budget));
    budget->tenths -= BUDGET_TOKEN;
}
