/* SPDX-License-Identifier: Apache-2.0 */
/* The catalogue of faults: what servers and networks do, and what a caller
 * then sees. One row is one fault; tests/check_faults.c runs every one of
 * them, and docs/faults.md shows them. A dialect adds a list of its own. */
#ifndef VECWIRE_TESTS_FAULT_LIST_H
#define VECWIRE_TESTS_FAULT_LIST_H

#include <vecwire/vecwire.h>

#include "tests/fault_steps.h"

/* The call that the fault meets. */
enum fault_call {
    FAULT_GET,        /* raw GET: a read */
    FAULT_HEAD,       /* raw HEAD */
    FAULT_POST,       /* raw POST: a write that is never repeated */
    FAULT_BIG_POST,   /* the same with FAULT_BIG bytes */
    FAULT_QUERY,      /* the dialect's query: a read */
    FAULT_ROWS,       /* the same with on_rows */
    FAULT_UPSERT,     /* the dialect's: a write that may be repeated */
    FAULT_DELETE,     /* the dialect's */
    FAULT_UPLOAD,     /* two rows through an uploader */
    FAULT_SCROLL,     /* the dialect's: a page, with vectors */
    FAULT_SCROLLER,   /* all pages through a scroller */
    FAULT_COUNT,      /* the dialect's */
    FAULT_OPERATIONS, /* Qdrant's: one operation of a batch */
    FAULT_N_CALLS
};

/* More than the buffers of two sockets hold. */
#define FAULT_BIG ((size_t)12 << 20)

/* What becomes of the connection that met the fault. */
enum fault_fate {
    FAULT_KEPT,    /* carries the next call */
    FAULT_DROPPED, /* the next call has a new one */
    FAULT_NEVER_UP /* there was none */
};

/* What is done when nothing moves any more and the call has not ended. */
enum fault_act {
    FAULT_TIME,   /* the clock goes to the next time that matters */
    FAULT_OPEN,   /* the gate opens; behind that, as above */
    FAULT_CANCEL, /* the call is canceled */
    FAULT_CLOSE,  /* the client is closed, with no time left */
    FAULT_FREE    /* the client is freed */
};

/* What the caller must see. */
struct fault_seen {
    enum vecwire_err code;
    enum vecwire_phase phase; /* of a failure */
    uint32_t status;
    bool unknown; /* outcome_unknown */
};

#define SEES(name, place, ...)                                                 \
    {                                                                          \
        .code = VECWIRE_##name, .phase = VECWIRE_PHASE_##place, __VA_ARGS__    \
    }
#define FINE                                                                   \
    {                                                                          \
        .code = VECWIRE_OK, .status = 200                                      \
    }

/* No whole request was read. */
#define FAULT_UNREAD (-1)

struct fault_run; /* see fault_rig.h */
struct fault_dialect;

struct fault {
    const char *name; /* what happens, as half a sentence */
    enum fault_call call;
    /* Of connection 1, 2, ...; all later ones read and answer. */
    const struct fault_step *scripts[4];
    struct fault_seen sees;
    enum fault_fate fate;

    /* The rest may be left out. */
    bool plain_only; /* cannot be over TLS */
    bool warm;       /* a call before it is answered on connection 1 */
    bool unseen;     /* what comes after the gate meets a client at rest */
    unsigned calls;  /* so many of them at once; 0: one */
    int connections; /* that came up until all had ended; 0: 1 */
    int requests;    /* read by then; 0: 1, FAULT_UNREAD: none */
    enum fault_act act;
    const char *text; /* stands in the error's detail */
    const char *code; /* the server's own error code */
    unsigned rows;    /* handed out by on_rows */
    struct vecwire_options options;
    /* 0: one. Step `cut` of the first script (from 1; 0: none) is done with
     * 1, 2, ... bytes of it, to its end but for `partly`. */
    unsigned passes, cut;
    bool partly;
    /* Before the client is made: the server and the options are there. */
    void (*prepare)(struct fault_run *run, struct vecwire_options *options);
    /* After the call has ended, before those that follow. */
    void (*mend)(struct fault_run *run);
};

/* Rows that have something in common. */
struct fault_list {
    const char *name;  /* one word */
    const char *title; /* of its part of the table */
    const struct fault_dialect *dialect;
    const struct fault *faults;
    size_t n;
    bool plain, tls; /* how it is run */
};

/* What a dialect's calls look like on the wire. */
struct fault_dialect {
    enum vecwire_dialect dialect;
    /* The answer to a request of its own, carrying its mark; NULL: it is
     * none of its own. */
    const char *(*answer)(const char *request);
    const char *collection; /* NULL: it has none */
    const char *id;         /* of every row; NULL: the mark is one */
};

extern const struct fault_dialect fault_hms, fault_qdrant;

/* --- rows --- */

/* Name, call, what is seen, fate of the connection, and the other fields. */
#define ROW(what, call_, sees_, fate_, ...)                                    \
    {                                                                          \
        .name = what, .call = FAULT_##call_, .sees = sees_,                    \
        .fate = FAULT_##fate_, __VA_ARGS__                                     \
    }

/* A reply whose head is refused, its connection being left open. */
#define REFUSED(what, reply)                                                   \
    ROW(what, GET, SEES(EPROTO, RECEIVING), DROPPED,                           \
        .scripts = ONE(READ, SEND(reply), STALL))

/* One whose body is. */
#define BROKEN(what, reply)                                                    \
    ROW(what, GET, SEES(EPROTO, RECEIVING, .status = 200), DROPPED,            \
        .scripts = ONE(READ, SEND(reply), STALL))

/* A reply that is taken; then the same server answers on. */
#define TAKEN(what, reply)                                                     \
    ROW(what, GET, FINE, KEPT, .scripts = ONE(READ, SEND(reply), SERVE))

/* A reply that is taken, its connection being good for nothing else. */
#define LAST_OF(status_, what, reply)                                          \
    ROW(what, GET, {.status = status_}, DROPPED,                               \
        .scripts = ONE(READ, SEND(reply), STALL))
#define LAST(what, reply)                                                      \
    ROW(what, GET, FINE, DROPPED, .scripts = ONE(READ, SEND(reply), STALL))

/* --- scripts --- */

#define SCRIPT(...)                                                            \
    ((const struct fault_step[]){__VA_ARGS__, {FAULT_END, NULL, 0}})
#define ONE(...)                                                               \
    {                                                                          \
        SCRIPT(__VA_ARGS__)                                                    \
    }
#define READ_HEAD                                                              \
    {                                                                          \
        FAULT_READ_HEAD, NULL, 0                                               \
    }
#define READ_SOME(n)                                                           \
    {                                                                          \
        FAULT_READ_SOME, NULL, n                                               \
    }
/* Status and reason, and the body. */
#define REPLY(status, body)                                                    \
    {                                                                          \
        FAULT_REPLY, status "\n" body, sizeof(status "\n" body) - 1            \
    }
#define DRIP(text, n)                                                          \
    {                                                                          \
        FAULT_DRIP, text, n                                                    \
    }
#define FILL(n)                                                                \
    {                                                                          \
        FAULT_FILL, NULL, n                                                    \
    }
#define ANSWER                                                                 \
    {                                                                          \
        FAULT_ANSWER, NULL, 0                                                  \
    }
#define SERVE                                                                  \
    {                                                                          \
        FAULT_SERVE, NULL, 0                                                   \
    }
#define DISCARD                                                                \
    {                                                                          \
        FAULT_DISCARD, NULL, 0                                                 \
    }
#define HALF_CLOSE                                                             \
    {                                                                          \
        FAULT_HALF_CLOSE, NULL, 0                                              \
    }
#define RAW(bytes)                                                             \
    {                                                                          \
        FAULT_RAW, bytes, sizeof(bytes) - 1                                    \
    }
#define NEW_KEYS                                                               \
    {                                                                          \
        FAULT_NEW_KEYS, NULL, 0                                                \
    }
#define CUT                                                                    \
    {                                                                          \
        FAULT_CUT, NULL, 0                                                     \
    }

/* --- replies --- */

#define LINE "HTTP/1.1 200 OK\r\n"
#define MARKED "X-Mark: " FAULT_MARK "\r\n"
#define HEAD(length) LINE MARKED "Content-Length: " length "\r\n\r\n"
#define WHOLE HEAD("6") FAULT_MARK
#define CHUNKED LINE MARKED "Transfer-Encoding: chunked\r\n\r\n"
/* A whole reply for somebody else. */
#define STRAY "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nM99999"

#define TEN(text) text text text text text text text text text text

/* --- the lists --- */

#define FAULT_LIST(title_, dialect_, plain_, tls_, faults_)                    \
    {                                                                          \
        .name = #faults_, .title = title_, .dialect = dialect_,                \
        .faults = faults_, .n = sizeof(faults_) / sizeof(faults_[0]),          \
        .plain = plain_, .tls = tls_                                           \
    }

extern const struct fault_list fault_list_connections;
extern const struct fault_list fault_list_framing;
extern const struct fault_list fault_list_heads;
extern const struct fault_list fault_list_reuse;
extern const struct fault_list fault_list_status;
extern const struct fault_list fault_list_hms;
extern const struct fault_list fault_list_qdrant;
extern const struct fault_list fault_list_tls;

#endif
