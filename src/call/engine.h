/* SPDX-License-Identifier: Apache-2.0 */
/* All calls of one client: who is queued, who holds a connection, who is due
 * to be completed. Knows no libevent: the loop stands behind `host`, the
 * connections behind the pool's transport, time behind the timers. */
#ifndef VECWIRE_CALL_ENGINE_H
#define VECWIRE_CALL_ENGINE_H

#include <vecwire/reply.h>

#include "call/headers.h"
#include "call/slots.h"
#include "call/state.h"
#include "call/verdict.h"
#include "dialect/dialect.h"
#include "pool/pool.h"

struct vecwire__engine;
struct vecwire__decoder;

/* What the engine needs of the loop. */
struct vecwire__host {
    /* Have vecwire__engine_run_due() called in the next pass of the loop. Not
     * in this one: callbacks that make more of it due, their own client's or
     * another's, would keep the pass from ending. Asking twice is asking
     * once. */
    void (*soon)(void *ctx);
    uint64_t (*iterations)(void *ctx); /* counted so far; 0: not counted */
    int64_t (*wall_s)(void *ctx);      /* time of day, seconds */
    void (*gone)(void *ctx); /* nothing of the engine is on the stack any
                              * more and it was shut down */
    void *ctx;
};

/* One call. */
struct vecwire__call {
    TAILQ_ENTRY(vecwire__call) link; /* of engine->calls, or of ->due */
    struct vecwire__engine *engine;
    struct vecwire__waiter waiter;
    struct vecwire__timer timer; /* the deadline, or the next attempt */
    struct vecwire__encoding enc;
    struct vecwire__request req;
    struct vecwire__headers headers; /* its own; empty: the client's */
    struct vecwire_reply *reply;
    struct vecwire_reply *batch; /* rows for on_rows; NULL: none such yet */
    struct vecwire__decoder *decoder; /* while a JSON reply is read */
    struct vecwire__conn *conn;       /* its lease; NULL: none */
    vecwire_reply_cb cb;
    void *arg;
    vecwire_rows_cb on_rows; /* NULL: all rows come with the completion */
    void *rows_arg;
    /* Where the rows go that on_rows was not given. NULL: nowhere. */
    struct vecwire_reply **rest;
    vecwire_call_id id;
    uint64_t deadline_ns; /* UINT64_MAX: none */
    uint64_t left_ns;     /* until then, while it is paused */
    uint64_t iterations_at;
    uint64_t overdue_to; /* what had come of the reply at the deadline */
    enum vecwire__call_state state;
    enum vecwire_phase phase; /* of its connection */
    uint32_t attempts;
    uint32_t wakeups; /* of earlier attempts */
    bool no_retry;
    bool repeat_writes;
    bool maybe_applied; /* an earlier attempt may have done the write */
    bool holds_rows;    /* they stay in the batch for now */
    bool in_rows;       /* its on_rows is on the stack, */
    bool resume_asked;  /* and a pause is not wanted any more */
};

TAILQ_HEAD(vecwire__call_list, vecwire__call);

/* Kept for the next calls, so that a call in steady state allocates nothing.
 * At most VECWIRE__MAX_SPARES of each; decoders: one a connection. */
struct vecwire__spares {
    struct vecwire__call_list calls; /* each with the buffer it encodes in */
    struct vecwire_reply *replies;
    struct vecwire__decoder *decoders;
    size_t n_calls, n_replies;
    size_t reply_bytes; /* that the replies hold */
};

#define VECWIRE__MAX_SPARES 64
/* Of all spare replies together: pages that follow each other are read into
 * the same memory. */
#define VECWIRE__MAX_SPARE_BYTES ((size_t)2 << 20)

/* Settings; what they point at outlives the engine. */
struct vecwire__engine_config {
    const struct vecwire_mem *mem;
    const struct vecwire__dialect *dialect;
    const struct vecwire__transport *transport;
    void *net;
    struct vecwire__timers *timers;
    struct vecwire__host host;
    struct vecwire_client *client; /* for the public face; NULL: none */
    vecwire_log_cb log;
    void *log_arg;
    uint64_t max_waiting_bytes;
    uint64_t idle_ns;
    uint64_t seed; /* of the jitter */
    uint32_t connections, max_waiting, attempts, json_depth;
    uint64_t max_row_bytes; /* of a reply; 0: no limit */
};

enum vecwire__engine_state {
    VECWIRE__ENGINE_OPEN,
    VECWIRE__ENGINE_CLOSING, /* no new calls; those there are finish */
    VECWIRE__ENGINE_CLOSED,  /* the close callback has run */
    VECWIRE__ENGINE_SHUT     /* nothing is left; waits to be gone */
};

/* What is known of the server's route for several rows a request. */
enum vecwire__many {
    VECWIRE__MANY_UNKNOWN,
    VECWIRE__MANY_ASKED, /* the first upload's request is under way */
    VECWIRE__MANY_TAKEN,
    VECWIRE__MANY_LACKED /* 404: one row a request */
};

TAILQ_HEAD(vecwire__upload_list, vecwire_uploader);

/* Uploads that are not complete; see call/upload.h. */
struct vecwire__uploads {
    struct vecwire__upload_list list;
    struct vecwire__upload_list due;   /* of these, the loop is to look at */
    struct vecwire__upload_list stuck; /* of these, with others in the way */
    size_t n;
    size_t n_ended; /* of these, without more rows to come */
    enum vecwire__many many;
};

TAILQ_HEAD(vecwire__scroll_list, vecwire_scroller);

/* Scrolls that are not over; see call/scroll.h. */
struct vecwire__scrolls {
    struct vecwire__scroll_list list;
    struct vecwire__scroll_list due;   /* of these, the loop is to look at */
    struct vecwire__scroll_list stuck; /* of these, with others in the way */
    size_t n;
};

struct vecwire__engine {
    struct vecwire__engine_config config;
    struct vecwire__pool pool;
    struct vecwire__slots slots;
    struct vecwire__call_list calls; /* unfinished */
    struct vecwire__call_list due;   /* finished, callback still to run */
    size_t n_calls, n_due;
    struct vecwire__spares spares;
    struct vecwire__budget budget;
    struct vecwire_stats stats;
    uint64_t random;
    bool in_hook;   /* a hook of the caller's runs: it may not call us */
    unsigned depth; /* of entries that may run the user's code */
    enum vecwire__engine_state state;
    struct vecwire__uploads uploads;
    struct vecwire__scrolls scrolls;
    size_t n_resting;       /* calls that wait for their next attempt, */
    uint64_t resting_bytes; /* and what they hold */
    /* vecwire_client_close() */
    struct vecwire_client *close_client;
    vecwire_close_cb close_cb;
    void *close_arg;
    struct vecwire__timer close_timer;
    enum vecwire_err close_code;
};

/* VECWIRE_ENOMEM: nothing to undo. */
enum vecwire_err
vecwire__engine_init(struct vecwire__engine *engine,
                     const struct vecwire__engine_config *config);

/* Complete everything with VECWIRE_ECLOSED, close every connection, run the
 * close callback if one waits. Once; the engine is SHUT then. */
void vecwire__engine_shutdown(struct vecwire__engine *engine);

/* Give the memory back; after shutdown, nothing on the stack. */
void vecwire__engine_fini(struct vecwire__engine *engine);

/* Around everything that may run the user's code. leave() may run gone():
 * the engine is not to be touched after it. */
void vecwire__engine_enter(struct vecwire__engine *engine);
void vecwire__engine_leave(struct vecwire__engine *engine);

/* May one more call with so many bytes come? VECWIRE_EFULL: too much waits,
 * for a connection or for the next attempt. */
enum vecwire_err vecwire__engine_admit(const struct vecwire__engine *engine,
                                       size_t bytes);

/* A call without a verb yet; NULL: no memory. */
struct vecwire__call *vecwire__call_new(struct vecwire__engine *engine,
                                        vecwire_reply_cb cb, void *arg);

/* Free a call that was never submitted, or is finished. */
void vecwire__call_free(struct vecwire__call *call);

/* Free what is kept for the next calls, but for the decoders. */
void vecwire__spares_free(struct vecwire__engine *engine);

/* An empty reply; NULL: no memory. */
struct vecwire_reply *vecwire__call_take_reply(struct vecwire__engine *engine);

/* Give back a reply that its call no longer needs. */
void vecwire__call_drop_reply(struct vecwire__engine *engine,
                              struct vecwire_reply *reply);

/* It is encoded and its settings are filled in: start it. Not OK (EFULL,
 * ENOMEM): the caller frees it. OK: the engine owns it; no callback has run. */
enum vecwire_err vecwire__engine_submit(struct vecwire__engine *engine,
                                        struct vecwire__call *call);

/* See vecwire_cancel(). */
bool vecwire__engine_cancel(struct vecwire__engine *engine, vecwire_call_id id);

/* See vecwire_resume(). */
bool vecwire__engine_resume(struct vecwire__engine *engine, vecwire_call_id id);

/* See vecwire_client_close(); timeout in ns from now, UINT64_MAX: none. */
void vecwire__engine_close(struct vecwire__engine *engine,
                           struct vecwire_client *client, uint64_t timeout_ns,
                           vecwire_close_cb cb, void *arg);

/* The loop's answer to host.soon(). */
void vecwire__engine_run_due(struct vecwire__engine *engine);

/* Is there anything that will be completed? */
bool vecwire__engine_unfinished(const struct vecwire__engine *engine);

/* Bring the counters up to date. */
const struct vecwire_stats *
vecwire__engine_stats(struct vecwire__engine *engine);

/* The connection's upcalls; conn->lease is a call of some engine. */
extern const struct vecwire__conn_events vecwire__engine_events;

/* --- between the files of src/call/ --- */

/* The only writer of call->state. */
void vecwire__call_step(struct vecwire__call *call,
                        enum vecwire__call_event event);

/* Where the call is, for errors. */
enum vecwire_phase vecwire__call_phase(const struct vecwire__call *call);

/* Did a byte of it leave us in this attempt? */
bool vecwire__call_sent_any(const struct vecwire__call *call);

/* The lease ends: take over what the connection counted, and give it back
 * (`reusable`) or drop it. No lease: nothing. */
void vecwire__call_end_lease(struct vecwire__call *call, bool reusable);

/* Take a call off everything: queue, lease, timer, slot, list. */
void vecwire__call_detach(struct vecwire__call *call);

/* A call has ended: what that tells of the server's routes. */
void vecwire__uploads_learn(const struct vecwire__call *call);

/* Uploads, all at once: have those looked at that others are no longer in the
 * way of; go on with what is due; take no more rows; stop and complete. */
void vecwire__uploads_look(struct vecwire__engine *engine);
void vecwire__uploads_run(struct vecwire__engine *engine);
void vecwire__uploads_end(struct vecwire__engine *engine);
void vecwire__uploads_stop(struct vecwire__engine *engine,
                           enum vecwire_err code);

/* Scrolls, as uploads above. */
void vecwire__scrolls_look(struct vecwire__engine *engine);
void vecwire__scrolls_run(struct vecwire__engine *engine);
void vecwire__scrolls_stop(struct vecwire__engine *engine,
                           enum vecwire_err code);

/* Hand out the whole rows of a call that has held them. The call may be gone,
 * and the engine shut, when this returns. */
void vecwire__call_give_rows(struct vecwire__call *call);

/* How an attempt went wrong. */
struct vecwire__setback {
    enum vecwire_err code;
    bool sent_any, reply_seen, round_failed;
    bool reusable;      /* the connection is still good */
    const char *detail; /* NULL: the code's text */
};

/* An attempt has failed: send it again later, or complete the call. */
void vecwire__call_setback(struct vecwire__call *call,
                           const struct vecwire__setback *setback);

/* Complete a call that failed for good, from the loop: detaches it. */
void vecwire__call_fail(struct vecwire__call *call, enum vecwire_err code,
                        const char *detail);

/* The same, but the callback runs later, from the loop. */
void vecwire__call_fail_later(struct vecwire__call *call, enum vecwire_err code,
                              const char *detail);

/* Write down why a call failed. `verdict` NULL: derived from the code. */
void vecwire__outcome_failed(struct vecwire__call *call, enum vecwire_err code,
                             const struct vecwire__verdict *verdict,
                             const char *detail);

/* What the reply's Retry-After asks for, in ms; -1: nothing. */
int64_t vecwire__outcome_retry_after(const struct vecwire__call *call);

#endif
