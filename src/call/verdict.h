/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of a call that failed: a pure function of the retry table in
 * docs/retry.md. */
#ifndef VECWIRE_CALL_VERDICT_H
#define VECWIRE_CALL_VERDICT_H

#include <vecwire/error.h>

#include "dialect/retry_class.h"

/* How the attempt ended. */
struct vecwire__failure {
    enum vecwire__retry_class class;
    enum vecwire_err code; /* ERESOLVE EREFUSED ETIMEDOUT ETLS EIO EPROTO
                            * EREPLYSIZE EDECODE ENOMEM, EHTTP; for the
                            * flags of the error alone: ECANCELED ECLOSED */
    uint32_t http_status;  /* 0: no status line arrived */
    bool round_failed;     /* no connection came up: a failed round, not the
                            * call's own deadline */
    bool sent_any;         /* the kernel took a byte of the request */
    bool reply_seen;       /* a byte of a reply arrived */
    bool reused;           /* the connection had answered before */
    bool rows_given;       /* rows went to the caller already */
    bool no_retry;         /* switched off */
    bool repeat_writes;    /* switched on */
    bool never_status;     /* the dialect forbids it for this status */
    bool budget_left;      /* for 429 and 503 */
    uint32_t attempts;     /* begun so far, this one included; >= 1 */
    uint32_t max_attempts;
    int64_t retry_after_ms; /* -1: the server did not say */
    uint64_t left_ms;       /* until the deadline; UINT64_MAX: none */
    uint32_t random;        /* 32 random bits, for the jitter */
};

enum vecwire__fate {
    VECWIRE__FAIL,        /* complete the call with `code` */
    VECWIRE__RETRY_FRESH, /* at once, front of the queue, fresh connection */
    VECWIRE__RETRY_AFTER  /* after gap_ms, back into the queue's front */
};

struct vecwire__verdict {
    enum vecwire__fate fate;
    enum vecwire_err code; /* the final code: EIO may become EUNKNOWN */
    bool retryable;        /* the caller may send it again without harm */
    bool outcome_unknown;  /* a write may have been applied */
    bool takes_budget;     /* one token of the bucket */
    uint32_t gap_ms;       /* full jitter of 100 ms x 2^n, at most 5 s, or
                            * Retry-After */
};

/* What to do, and what to say when nothing can be done: code, retryable and
 * outcome_unknown are set whatever the fate. */
struct vecwire__verdict vecwire__verdict(const struct vecwire__failure *f);

/* Retry-After of a reply: seconds or an HTTP date (RFC 9110, 10.2.3), with
 * now_s the time of day in seconds since 1970. A date in the past is 0; more
 * than fits is INT64_MAX. -1: absent (NULL), or neither of the two. */
int64_t vecwire__retry_after_ms(const char *value, int64_t now_s);

/* The budget of 429 and 503: a bucket of 10 tokens that gains 0.1 a call. */
struct vecwire__budget {
    uint32_t tenths; /* 0..100 */
};

/* Full. */
void vecwire__budget_init(struct vecwire__budget *budget);

/* One more call was begun. */
void vecwire__budget_call(struct vecwire__budget *budget);

/* Is there a whole token? */
bool vecwire__budget_left(const struct vecwire__budget *budget);

/* Take one; there must be one. */
void vecwire__budget_take(struct vecwire__budget *budget);

#endif
