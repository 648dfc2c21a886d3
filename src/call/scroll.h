/* SPDX-License-Identifier: Apache-2.0 */
/* One scroll: pages are asked for one behind the other, each a call.
 *
 * RUNNING --no more pages, a page failed--> ENDING --all was given--> DONE
 *    |                                        |                        ^
 *    '--- cancel, free, close, shutdown --> STOPPING ------------------'
 *
 * Rows go out as they come. While the caller takes none, a page's rows stay
 * with its call, and when that has ended they are held; with two of these
 * nothing more is asked for. */
#ifndef VECWIRE_CALL_SCROLL_H
#define VECWIRE_CALL_SCROLL_H

#include <vecwire/scroller.h>

#include "call/engine.h"
#include "call/settings_copy.h"

#define VECWIRE__MAX_HELD 2

enum vecwire__scroll_state {
    VECWIRE__SCROLL_RUNNING,
    VECWIRE__SCROLL_ENDING,   /* no page is asked for any more */
    VECWIRE__SCROLL_STOPPING, /* no row goes out any more */
    VECWIRE__SCROLL_DONE
};

/* Settings; `headers` is taken over by a `new` that succeeds. */
struct vecwire__scroll_config {
    const struct vecwire_mem *mem;            /* copied; outlives the client */
    const struct vecwire__settings *settings; /* copied */
    const char *filter, *offset;              /* copied; NULL: none */
    struct vecwire__headers headers;          /* empty: those beside */
    const struct vecwire__headers *others;    /* the client's */
    vecwire_rows_cb on_rows;
    vecwire_scroll_cb on_done;
    void *arg;
    uint64_t page_deadline_ns; /* from its begin; UINT64_MAX: none */
    uint64_t max_rows;         /* 0: all */
    uint32_t page_rows;
    bool with_payload, with_vector, no_retry;
};

/* Rows that wait for their caller. */
struct vecwire__held {
    struct vecwire_reply *rows;
    bool ends_page; /* false: its reply broke off behind them */
};

struct vecwire_scroller {
    TAILQ_ENTRY(vecwire_scroller) link; /* of engine->scrolls, until DONE */
    TAILQ_ENTRY(vecwire_scroller) due_link, stuck_link;
    struct vecwire_mem mem;
    struct vecwire__engine *engine; /* NULL once DONE */
    struct vecwire__scroll_config config;
    struct vecwire__settings_copy copy;
    const struct vecwire__id_order *order;
    struct vecwire__call *call;  /* page under way; NULL: none */
    struct vecwire_reply *reply; /* of that call, as long */
    struct vecwire_reply *rest;  /* what a call leaves that has ended */
    struct vecwire__held held[VECWIRE__MAX_HELD]; /* oldest first */
    size_t n_held;
    struct vecwire__id_copy from;   /* page under way, or the next one */
    struct vecwire__id_copy seen;   /* last row that came, with page_rows */
    struct vecwire__id_copy offset; /* behind what was handed out */
    uint64_t page_rows;             /* came of the page under way */
    uint64_t rows_come;
    size_t asked_bytes; /* of the call that found no place */
    uint32_t breaks;    /* of replies, since a row came */
    struct vecwire_error why;
    struct vecwire_reply *why_reply; /* which lives in this; NULL: no */
    struct vecwire_scroll_result result;
    enum vecwire__scroll_state state;
    unsigned depth;    /* of what runs on it: memory stays while there is any */
    bool has_from;     /* false: the first page, from the beginning */
    bool has_more;     /* there is a page to be asked for */
    bool nothing_left; /* to be handed out, now or by another scroll */
    bool paused;
    bool in_rows;      /* its on_rows is on the stack, */
    bool resume_asked; /* and a pause is not wanted any more */
    bool freed;        /* by its owner */
    bool due, stuck;   /* it is in the list of these */
};

/* --- scroll.c: the whole --- */

/* Begin: the first page is asked for. Not OK: nothing was made, nothing taken
 * over; refused, but for VECWIRE_ENOMEM and _EFULL. */
enum vecwire_err
vecwire__scroll_new(struct vecwire_scroller **out,
                    struct vecwire__engine *engine,
                    const struct vecwire__scroll_config *config,
                    struct vecwire_refusal *refusal);

/* See <vecwire/scroller.h>. */
bool vecwire__scroll_resume(struct vecwire_scroller *s);
bool vecwire__scroll_cancel(struct vecwire_scroller *s);
void vecwire__scroll_free(struct vecwire_scroller *s);

/* Go on: hand out what is held, ask for the next page, complete. */
void vecwire__scroll_step(struct vecwire_scroller *s);

/* While something runs on it; the last drop may free it. */
void vecwire__scroll_hold(struct vecwire_scroller *s);
void vecwire__scroll_drop(struct vecwire_scroller *s);

/* Have the loop look at it. */
void vecwire__scroll_soon(struct vecwire_scroller *s);

/* It has a page to ask for, but others are in the way; or has not. */
void vecwire__scroll_set_stuck(struct vecwire_scroller *s, bool stuck);

/* No more pages, for this reason: an error that lives in `reply` (NULL: its
 * texts are static), or what is wrong with the server's answer. The first one
 * stays. */
void vecwire__scroll_fail(struct vecwire_scroller *s,
                          const struct vecwire_error *error,
                          struct vecwire_reply *reply);
void vecwire__scroll_fault(struct vecwire_scroller *s, const char *what);

/* Stop it: nothing is under way or held any more. It is to be completed. */
void vecwire__scroll_stop(struct vecwire_scroller *s, enum vecwire_err code);
void vecwire__scroll_complete(struct vecwire_scroller *s);

/* --- scroll_page.c: pages as calls, rows as they come and go --- */

/* Ask for the next page. Refused as by a verb; VECWIRE_EFULL, _ENOMEM
 * without a word. Runs no callback. */
enum vecwire_err vecwire__scroll_ask(struct vecwire_scroller *s,
                                     struct vecwire_refusal *refusal);

/* Hand out the oldest of what is held. It may be over when this returns. */
void vecwire__scroll_give_held(struct vecwire_scroller *s);

/* The page under way ends, without a word. */
void vecwire__scroll_end_page(struct vecwire_scroller *s,
                              enum vecwire_err code);

#endif
