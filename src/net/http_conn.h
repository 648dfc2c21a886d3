/* SPDX-License-Identifier: Apache-2.0 */
/* One connection: what the files http_*.c share.
 *
 *   NEW --send--> RESOLVING --> CONNECTING --up--> BUSY --end--> IDLE
 *                     |          |  '-> SHAKING -^  ^   <--send--'
 *                     '-- lost --+-- lost --> DEAD <-- idle lost
 *   any --close--> CLOSED
 *
 * evhttp makes the request's text and reads the reply; the writing is ours.
 * As soon as evhttp has put a request into the bufferevent's output,
 * http_request.c writes it to the socket; what that does not take moves to
 * `out` and is written when it does. Either way evhttp is told at once that
 * all was written, and reads from then on. So a reply may come at any time,
 * early ones included, no byte leaves without MSG_NOSIGNAL, and nobody asks
 * to be told when the socket is writable unless it is full, which would cost
 * two system calls a request.
 *
 * Over TLS libevent only connects. evhttp is told that the connection is up
 * when the handshake is done and the server verified: before that there is no
 * text of a request. From then on libevent's reading is stopped by its read
 * limit; the watcher reads, in idle times too, and tells evhttp the end. */
#ifndef VECWIRE_NET_HTTP_CONN_H
#define VECWIRE_NET_HTTP_CONN_H

#include <event2/bufferevent.h>
#include <event2/buffer.h>
#include <event2/event.h>
#include <event2/http.h>

#include "net/chunks.h"
#include "net/head_guard.h"
#include "net/http_head.h"
#include "net/net.h"
#include "net/resolve.h"
#include "net/timers.h"
#include "net/tls.h"

struct vecwire__http;
TAILQ_HEAD(vecwire__http_list, vecwire__http);

struct vecwire__net {
    struct vecwire__net_config config;
    struct vecwire_mem mem; /* config.mem: it outlives the client */
    struct vecwire__http_list open;
    struct vecwire__http_list closed; /* wait for the way out */
    struct vecwire__resolver *resolver;
    struct vecwire__tls *tls;             /* NULL: no https */
    struct ev_token_bucket_cfg *no_write; /* keeps evhttp from writing */
    struct event *pass_end;               /* ends the count of a pass */
    uint64_t pass;                        /* number of this pass */
    bool pass_begun;                      /* it had an event of ours */
    bool freed;
    bool parted;                    /* in a child of the process */
    unsigned depth;                 /* of entries from the loop */
    struct vecwire_header *headers; /* of the head that is being reported */
    size_t cap_headers;
    char *resolv_conf;
    char scratch[16384]; /* where replies are read to, records put together */
};

enum vecwire__http_state {
    VECWIRE__HTTP_NEW,
    VECWIRE__HTTP_RESOLVING,
    VECWIRE__HTTP_CONNECTING,
    VECWIRE__HTTP_SHAKING, /* hands, for TLS */
    VECWIRE__HTTP_BUSY,    /* a request is on it */
    VECWIRE__HTTP_IDLE,
    VECWIRE__HTTP_DEAD,  /* good for close() only */
    VECWIRE__HTTP_CLOSED /* forgotten by its owner */
};

/* What the connection's own event has to do. */
enum vecwire__http_task {
    VECWIRE__HTTP_NOTHING,
    VECWIRE__HTTP_TELL_RESOLVING,
    VECWIRE__HTTP_NEXT_ADDRESS, /* the one at hand has failed */
    VECWIRE__HTTP_TELL_LOST,
    VECWIRE__HTTP_TELL_IDLE_LOST,
    VECWIRE__HTTP_READ_ON, /* after 100 Continue */
    VECWIRE__HTTP_TAKE_CHUNKS,
    VECWIRE__HTTP_RESUME
};

/* What of the reply is held back behind `held`. */
enum vecwire__http_held_end {
    VECWIRE__HTTP_HELD_NONE,
    VECWIRE__HTTP_HELD_END,
    VECWIRE__HTTP_HELD_LOSS
};

struct vecwire__http {
    struct vecwire__conn conn; /* first */
    struct vecwire__net *net;
    TAILQ_ENTRY(vecwire__http) link; /* of net->open or ->closed */
    enum vecwire__http_state state;
    enum vecwire__http_task task;
    struct event *soon;   /* runs `task` */
    struct event *watch;  /* persistent, readable: reads, before libevent */
    struct event *writer; /* persistent, writable: while a request waits */
    struct evhttp_connection *evcon; /* NULL: none, or gone */
    struct bufferevent *bev;         /* evcon's */
    struct evhttp_request *evreq;    /* on evcon; NULL: none */
    struct vecwire__tls_conn *tls;   /* on bev's descriptor; NULL: none */
    bool answered;                   /* a request before */
    bool gone;                       /* evhttp has closed the descriptor */
    bool in_head; /* evhttp is in its header callback: it cannot be freed */
    bool taking;  /* take_input() is on the stack */
    bool sated;   /* the last turn of reading ended at its limit */
    bool ending;  /* its reply has just ended: end() is on the stack */
    uint64_t pass_seen; /* the last pass counted in conn.wakeups */

    /* the round of addresses */
    struct vecwire__timer timer;
    struct vecwire__lookup *lookup;
    struct vecwire__addresses addresses;
    size_t next_address;
    uint64_t round_ends_ns; /* 0: no limit */
    int connect_errno;      /* why the last address failed; 0: time */
    unsigned overdue;       /* passes given behind the end of its time */
    bufferevent_event_cb evhttp_event_cb; /* evhttp's own, behind ours */
    void *evhttp_event_arg;

    /* the request */
    const struct vecwire__request *req;
    struct evbuffer *out; /* what of it the socket did not take yet */
    int write_errno;      /* 0: fine so far */
    bool told_sending;

    /* the reply */
    struct vecwire__framing framing;
    bool told_receiving;
    uint32_t status; /* of its head, 0 before that */
    int read_errno;  /* 0: fine so far */
    struct vecwire__head_guard guard;
    enum vecwire__head_fault head_fault;
    uint32_t interims; /* 100 Continue */
    bool in_turn;      /* on_readable() is on the stack */
    bool dechunking;   /* the body is read by http_chunks.c, from `raw` */
    struct vecwire__chunks chunks;
    struct evbuffer *raw; /* NULL: was never needed */
    uint64_t body_bytes;

    /* its owner wants no more for now */
    bool paused;
    struct evbuffer *held; /* body that was not told yet */
    enum vecwire__http_held_end held_end;

    /* the loss to be told */
    enum vecwire_err code;
    char detail[192];
};

static inline struct vecwire__http *
vecwire__http_of(struct vecwire__conn *conn)
{
    return (struct vecwire__http *)conn;
}

/* --- net.c --- */

/* Around everything the loop calls. leave() may free what was closed, and
 * the net: touch neither after it. */
void vecwire__net_enter(struct vecwire__net *net);
void vecwire__net_leave(struct vecwire__net *net);

/* --- http_conn.c --- */

/* The connection has an event in this pass. */
void vecwire__http_touch(struct vecwire__http *http);

/* Have the task done from the loop: in this pass, or in the next one. */
void vecwire__http_soon(struct vecwire__http *http,
                        enum vecwire__http_task task, bool next_pass);

/* Write down why; the upcall is made by one of the two below. */
void vecwire__http_blame(struct vecwire__http *http, enum vecwire_err code,
                         const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* It is dead: tell the owner, who may close it. From the loop only. */
void vecwire__http_tell_lost(struct vecwire__http *http);

/* Take the request from evhttp and tell the owner, in a pause after it. From
 * the loop only, not in evhttp's header callback. */
void vecwire__http_abort(struct vecwire__http *http);

/* The descriptor is about to be closed: no event of ours may stay on it. */
void vecwire__http_unwatch(struct vecwire__http *http);

/* Free evhttp's side: descriptor, events, request. */
void vecwire__http_drop(struct vecwire__http *http);

/* --- http_connect.c --- */

/* Begin the round of addresses. VECWIRE_ENOMEM: nothing was begun. */
enum vecwire_err vecwire__http_connect(struct vecwire__http *http);

/* The address at hand has failed: on to the next, or tell the loss. */
void vecwire__http_next_address(struct vecwire__http *http);

/* The connection is up, TLS included: let evhttp put the request into the
 * output, and write it. */
void vecwire__http_up(struct vecwire__http *http);

/* --- http_tls.c --- */

/* TCP is up: shake hands, from now on whenever the socket is ready. */
void vecwire__http_shake_first(struct vecwire__http *http);
void vecwire__http_shake(struct vecwire__http *http);

/* Neither answered nor asked, the watcher of TLS had an event. */
void vecwire__http_look_idle(struct vecwire__http *http);

/* A turn of reading is over: tell evhttp the end, or have another turn for
 * what the socket will not tell of. `evreq` is whose turn it was. */
void vecwire__http_after_turn(struct vecwire__http *http,
                              const struct evhttp_request *evreq);

/* Another turn in the next pass, whatever the socket says. */
void vecwire__http_turn_again(struct vecwire__http *http);

/* --- http_request.c --- */

/* Give the request to evhttp: http->evreq, NULL again when connecting fails
 * inside. False: no memory. */
bool vecwire__http_make(struct vecwire__http *http);

/* It is up and evhttp has just put its request into the output: write what
 * the socket takes, keep the rest for later, let evhttp read. An upcall only
 * after tell_sending(). */
void vecwire__http_write(struct vecwire__http *http);

/* The phase SENDING; from the loop only. The owner may close it. */
void vecwire__http_tell_sending(struct vecwire__http *http);

/* As if all had been written: evhttp reads from now on. */
void vecwire__http_read_on(struct vecwire__http *http);

/* libevent's read event was added anew: put ours before it again. */
void vecwire__http_go_first(struct vecwire__http *http);

/* Be told when the socket takes more, or not any more. False: no memory. */
bool vecwire__http_want_writable(struct vecwire__http *http, bool want);

/* All bytes of the request have left? */
bool vecwire__http_all_written(const struct vecwire__http *http);

/* --- http_read.c --- */

/* Watch what arrives, before evhttp does. No memory: http->watch is NULL. */
void vecwire__http_watch(struct vecwire__http *http);

/* libevent's, when bytes arrive in the input buffer. */
void vecwire__http_input(struct evbuffer *buf,
                         const struct evbuffer_cb_info *info, void *arg);

/* --- http_reply.c --- */

/* The first byte of a reply is told once; before its head, whatever of the
 * two came first. False: closed meanwhile. */
bool vecwire__http_tell_receiving(struct vecwire__http *http);

/* evhttp's callbacks for a request. */
void vecwire__http_done(struct evhttp_request *evreq, void *arg);
void vecwire__http_failed(enum evhttp_request_error error, void *arg);
int vecwire__http_head(struct evhttp_request *evreq, void *arg);
void vecwire__http_body(struct evhttp_request *evreq, void *arg);

/* Tell the owner the body, as far as it wants it; what is left in the buffer
 * is to be held back. */
void vecwire__http_tell_body(struct vecwire__http *http, struct evbuffer *buf);

/* The reply is whole: tell the owner. */
void vecwire__http_reply_ended(struct vecwire__http *http);

/* --- http_guard.c --- */

/* Count what evhttp is to see next, as long as it is a head. */
void vecwire__http_guard_head(struct vecwire__http *http, const char *bytes,
                              size_t n);

/* The same for the last `n` bytes of its input. */
void vecwire__http_guard_added(struct vecwire__http *http, struct evbuffer *buf,
                               size_t n);

/* A head was counted as over a limit: blame that. */
void vecwire__http_blame_head(struct vecwire__http *http);

/* After 100 Continue: what waits in the input is a new head. False: blamed. */
bool vecwire__http_next_head(struct vecwire__http *http);

/* --- http_chunks.c --- */

/* From evhttp's header callback: the body is ours. False: blamed. */
bool vecwire__http_begin_chunks(struct vecwire__http *http);

/* Tell what has come of the body, and its end. Not while evhttp is on the
 * stack. Nothing to do otherwise than between the two. */
void vecwire__http_take_chunks(struct vecwire__http *http);

/* --- http_pause.c --- */

/* The transport's. */
void vecwire__http_pause(struct vecwire__conn *conn);
void vecwire__http_resume(struct vecwire__conn *conn);

/* What resume() asked for: tell what is held back, then read on. */
void vecwire__http_go_on(struct vecwire__http *http);

#endif
