/* SPDX-License-Identifier: Apache-2.0 */
/* One upload: rows are gathered in batches, batches are sent as calls.
 *
 * OPEN --end, close--> ENDING --every row has an outcome--> DONE
 *   |                    |                                    ^
 *   '---- cancel, deadline, free, shutdown --> STOPPING ------'
 *
 * A batch is filling, ready (full, to be sent), sent, or free. A batch is
 * sent in one request, or in parts one after the other: where the server
 * refuses its size, or takes single rows only. */
#ifndef VECWIRE_CALL_UPLOAD_H
#define VECWIRE_CALL_UPLOAD_H

#include <vecwire/uploader.h>

#include "call/engine.h"
#include "call/settings_copy.h"

struct vecwire__batch {
    TAILQ_ENTRY(vecwire__batch) link; /* of ready, sent, broken or free */
    struct vecwire_uploader *up;
    /* Room for what opens a body, rows with a comma between, room for what
     * closes it. */
    struct vecwire__buf text;
    struct vecwire__buf ids; /* one behind the other, with their NULs */
    size_t *starts;          /* of the rows, in text; and of a next one */
    size_t *id_starts;
    const char **id_list; /* of all rows, once it is full */
    uint64_t first;       /* number of its first row */
    size_t n_rows;
    size_t dim; /* of its rows; 0: they have no vectors */
    struct vecwire__upsert_load load;
    size_t done;                /* rows with an outcome, from the first on */
    size_t unsure;              /* rows that an earlier request may have stored,
                                 * from the first on */
    size_t part;                /* rows of the request under way */
    struct vecwire__call *call; /* that request; NULL: none */
    struct vecwire_reply *reply;      /* its reply, as long */
    bool asks;                        /* it finds out what the server can do */
    char covered[VECWIRE__MAX_FRAME]; /* what its body's closing covers */
    struct vecwire_error error;       /* why it was stopped, or broke */
};

TAILQ_HEAD(vecwire__batch_list, vecwire__batch);

enum vecwire__upload_state {
    VECWIRE__UPLOAD_OPEN,
    VECWIRE__UPLOAD_ENDING,
    VECWIRE__UPLOAD_STOPPING, /* nothing is under way any more */
    VECWIRE__UPLOAD_DONE
};

/* Settings; `open` and `headers` are taken over by a `new` that succeeds. */
struct vecwire__upload_config {
    const struct vecwire_mem *mem;            /* copied; outlives the client */
    const struct vecwire__settings *settings; /* copied */
    struct vecwire__buf open;                 /* what begins a body */
    struct vecwire__headers headers;          /* empty: those beside */
    const struct vecwire__headers *others;    /* the client's */
    vecwire_failed_rows_cb on_failed;
    vecwire_room_cb on_room;
    vecwire_upload_cb on_done;
    void *arg;
    uint64_t deadline_ns;         /* from now; UINT64_MAX: none */
    uint64_t request_deadline_ns; /* from its begin; UINT64_MAX: none */
    size_t batch_bytes, batch_rows, in_flight;
    bool no_retry;
};

struct vecwire_uploader {
    TAILQ_ENTRY(vecwire_uploader) link; /* of engine->uploads, until DONE */
    TAILQ_ENTRY(vecwire_uploader) due_link, stuck_link;
    struct vecwire_mem mem;
    struct vecwire__engine *engine; /* NULL once DONE */
    struct vecwire__upload_config config;
    struct vecwire__settings_copy settings;
    const struct vecwire__upsert_parts *parts;
    size_t frame; /* room before the rows of a batch, for what opens it */
    struct vecwire__timer timer;
    struct vecwire__batch *batches; /* in_flight + 1 */
    struct vecwire__batch_list ready, sent, free;
    struct vecwire__batch_list broken; /* could not be sent; to be told */
    struct vecwire__batch *filling;    /* NULL: none */
    size_t n_sent;
    size_t max_bytes;           /* of a body; less once a server refused more */
    size_t asked_bytes;         /* of the call that found no place */
    struct vecwire_error why;   /* it was stopped */
    struct vecwire_error first; /* of the first rows that failed, */
    struct vecwire_reply *first_reply; /* which lives in this; NULL: no */
    struct vecwire_upload_result result;
    enum vecwire__upload_state state;
    unsigned depth; /* of what runs on it: memory stays while there is any */
    bool freed;     /* by its owner */
    bool wants_room;
    bool due, stuck; /* it is in the list of these */
};

/* --- upload.c: the whole --- */

/* VECWIRE_ENOMEM: nothing was made, nothing taken over. */
enum vecwire_err
vecwire__upload_new(struct vecwire_uploader **out,
                    struct vecwire__engine *engine,
                    const struct vecwire__upload_config *config);

/* What a `new` would have taken over. */
void vecwire__upload_config_free(struct vecwire__upload_config *config,
                                 const struct vecwire_mem *mem);

/* See <vecwire/uploader.h>; `refusal` is never NULL. */
enum vecwire_err vecwire__upload_add(struct vecwire_uploader *up,
                                     const struct vecwire_upsert_request *rows,
                                     size_t *taken,
                                     struct vecwire_refusal *refusal);
void vecwire__upload_end(struct vecwire_uploader *up);
bool vecwire__upload_cancel(struct vecwire_uploader *up);
void vecwire__upload_free(struct vecwire_uploader *up);

/* Go on: send what can be sent, tell of room, complete. */
void vecwire__upload_step(struct vecwire_uploader *up);

/* While something runs on it; the last drop may free it. */
void vecwire__upload_hold(struct vecwire_uploader *up);
void vecwire__upload_drop(struct vecwire_uploader *up);

/* Have the loop look at it. */
void vecwire__upload_soon(struct vecwire_uploader *up);

/* It has a ready batch, but others are in the way; or has not. */
void vecwire__upload_set_stuck(struct vecwire_uploader *up, bool stuck);

/* The rows of a batch from the one numbered `from` on, `count` of them, have
 * failed: count them and tell. They are done already, as the callback may
 * stop it all. `error` lives in `reply` (NULL: its texts are static). */
void vecwire__upload_failed(struct vecwire_uploader *up,
                            const struct vecwire__batch *batch, size_t from,
                            size_t count, const struct vecwire_error *error,
                            struct vecwire_reply *reply);

/* Stop it: nothing is under way any more. What is left is to be reported by
 * report(), which completes it. */
void vecwire__upload_stop(struct vecwire_uploader *up, enum vecwire_err code);
void vecwire__upload_report(struct vecwire_uploader *up);

/* --- upload_batch.c: rows in batches --- */

/* Make all batches, which are free. False: no memory; fini() all the same. */
VECWIRE_NODISCARD bool vecwire__batches_init(struct vecwire_uploader *up);
void vecwire__batches_fini(struct vecwire_uploader *up);

/* Take one row. VECWIRE_EFULL: there is no room. */
enum vecwire_err vecwire__batch_put(struct vecwire_uploader *up,
                                    const struct vecwire_upsert_request *rows,
                                    size_t row,
                                    struct vecwire_refusal *refusal);

/* What is gathered is ready to be sent. */
void vecwire__batch_seal(struct vecwire_uploader *up);

/* It is empty and free again. */
void vecwire__batch_recycle(struct vecwire__batch *batch);

/* How many of the rows left go into one request. */
size_t vecwire__batch_part(const struct vecwire__batch *batch);

/* The server finds the request of batch->part rows too large: from now on
 * none is larger than its larger half. */
void vecwire__batch_halve(const struct vecwire__batch *batch);

/* Make a body of the next `n` rows, in place, for `enc`; and afterwards undo
 * what it covered of the rows behind them. */
void vecwire__batch_frame(struct vecwire__batch *batch, size_t n,
                          struct vecwire__encoding *enc);
void vecwire__batch_unframe(struct vecwire__batch *batch);

/* --- upload_send.c: batches as calls --- */

/* Send what is ready, as far as the bounds allow. Runs no callback. */
void vecwire__upload_send(struct vecwire_uploader *up);

/* End the call of a batch that is under way, without a word; batch->error
 * says how it stood. */
void vecwire__batch_stop(struct vecwire__batch *batch, enum vecwire_err code);

/* --- upload_engine.c: what the engine knows of uploads --- */

/* May a request of several rows be sent now? Not while another one finds out
 * whether the server has a route for it. */
bool vecwire__uploads_may_send(const struct vecwire__engine *engine,
                               size_t rows);

#endif
