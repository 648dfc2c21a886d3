/* SPDX-License-Identifier: Apache-2.0 */
/* A server on raw sockets that does to each request what a seed says: answer
 * well, late, in pieces, with a status, with too much; or hang up, reset,
 * talk nonsense. Every answer carries the request's own X-Marker. It lives on
 * the test's own event_base, or in a process of its own. */
#ifndef VECWIRE_TESTS_CHAOS_SERVER_H
#define VECWIRE_TESTS_CHAOS_SERVER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event_base;
struct ssl_ctx_st;
struct chaos_server;

/* What is done to a request; the last four to a connection. */
#define CHAOS_FAULT_MAP(X)                                                     \
    X(LATE, "late, 0 to 29 ms")                                                \
    X(PIECES, "in pieces")                                                     \
    X(TOLD_429, "status 429")                                                  \
    X(TOLD_503, "status 503")                                                  \
    X(TOLD_OTHER, "status 302, 404, 500")                                      \
    X(MUTE_CLOSE, "closed, no answer")                                         \
    X(MUTE_RESET, "reset, no answer")                                          \
    X(MUTE_STALL, "no answer")                                                 \
    X(CUT_CLOSE, "closed in the answer")                                       \
    X(CUT_RESET, "reset in the answer")                                        \
    X(CUT_STALL, "stalled in the answer")                                      \
    X(NONSENSE, "no HTTP")                                                     \
    X(BEHIND, "second answer behind")                                          \
    X(HINTS, "103 in front")                                                   \
    X(CONTINUE, "100 in front")                                                \
    X(SAID_CLOSE, "Connection: close")                                         \
    X(THEN_CLOSE, "closed behind it")                                          \
    X(THEN_RESET, "reset behind it")                                           \
    X(THEN_STALL, "stalled behind it")                                         \
    X(THEN_STRAY, "stray answer later")                                        \
    X(UNFRAMED, "to the close, no length")                                     \
    X(UNFRAMED_RESET, "the same, reset")                                       \
    X(WRONG_JSON, "broken JSON")                                               \
    X(UNREAD, "before the body was read")                                      \
    X(IDLE_CLOSE, "closed while idle")                                         \
    X(HUNG_UP, "closed when accepted")                                         \
    X(HUNG_UP_RESET, "reset when accepted")                                    \
    X(DEAF, "accepted, never read")

enum chaos_fault {
#define CHAOS_FAULT_ENUM(name, text) CHAOS_##name,
    CHAOS_FAULT_MAP(CHAOS_FAULT_ENUM)
#undef CHAOS_FAULT_ENUM
        CHAOS_FAULTS
};

#define CHAOS_BIT(name) (1U << CHAOS_##name)

/* "late", ... */
const char *chaos_fault_text(enum chaos_fault fault);

/* What became of the requests with one marker. */
struct chaos_seen {
    _Atomic uint64_t marker;
    atomic_uint received; /* whole ones */
    atomic_uint told_429;
    atomic_uint faults; /* bits, of all of them */
};

/* The server's notes; in memory that two processes may share. Markers begin
 * with 1; a marker takes the place of the one n_markers + 1 before it. */
struct chaos_notes {
    size_t n_markers;
    _Atomic uint64_t connections, requests;
    _Atomic uint64_t faults[CHAOS_FAULTS];
    struct chaos_seen seen[];
};

size_t chaos_notes_size(size_t n_markers);

/* All zero where nothing is known of this marker. */
const struct chaos_seen *chaos_notes_seen(const struct chaos_notes *notes,
                                          uint64_t marker);

struct chaos_options {
    unsigned seed;
    unsigned per_mille; /* requests that something is done to */
    /* What only one process can do without being wrong is left out: an answer
     * that nobody asked for, just before somebody asks. */
    bool apart;
    struct chaos_notes *notes; /* the caller's; n_markers is set */
    struct ssl_ctx_st *tls;    /* NULL: plain */
};

struct chaos_server *chaos_server_new(struct event_base *base,
                                      const struct chaos_options *options);
void chaos_server_free(struct chaos_server *server);
uint16_t chaos_server_port(const struct chaos_server *server);

/* From now on all is answered well and at once. */
void chaos_server_calm_down(struct chaos_server *server);

#endif
