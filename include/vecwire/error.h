/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VECWIRE_ERROR_H
#define VECWIRE_ERROR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define VECWIRE_API __attribute__((visibility("default")))
#define VECWIRE_NODISCARD __attribute__((warn_unused_result))
#else
#define VECWIRE_API
#define VECWIRE_NODISCARD
#endif

/* One row per code: name, number, text. Append only; a number never changes
 * its meaning. */
#define VECWIRE_ERROR_MAP(X)                                                   \
    X(OK, 0, "success")                                                        \
    X(ENOMEM, 1, "out of memory")                                              \
    X(EINVAL, 2, "invalid argument or options")                                \
    X(EFULL, 3, "too many calls are waiting")                                  \
    X(ETOOBIG, 4, "request is over a limit")                                   \
    X(EUNSUPPORTED, 5, "not offered by this dialect or build")                 \
    X(EBUSY, 6, "not allowed from inside a callback")                          \
    X(ECLOSED, 7, "client was closed")                                         \
    X(ECANCELED, 8, "canceled by the caller")                                  \
    X(ETIMEDOUT, 9, "deadline passed")                                         \
    X(ERESOLVE, 10, "host name did not resolve")                               \
    X(EREFUSED, 11, "could not connect")                                       \
    X(ETLS, 12, "TLS failed")                                                  \
    X(EIO, 13, "connection lost")                                              \
    X(EUNKNOWN, 14, "connection lost, the write may have been applied")        \
    X(EHTTP, 15, "server answered with an error")                              \
    X(EPROTO, 16, "reply broke the HTTP protocol")                             \
    X(EREPLYSIZE, 17, "reply is over the size limit")                          \
    X(EDECODE, 18, "reply did not parse")

/* Every code of the library, as VECWIRE_OK, VECWIRE_ENOMEM, ... */
enum vecwire_err {
#define VECWIRE_ERROR_ENUM_(name, number, text) VECWIRE_##name = number,
    VECWIRE_ERROR_MAP(VECWIRE_ERROR_ENUM_)
#undef VECWIRE_ERROR_ENUM_
};

/* Where a call was when it ended. */
#define VECWIRE_PHASE_MAP(X)                                                   \
    X(NONE, 0, "none")                                                         \
    X(QUEUED, 1, "queued")                                                     \
    X(RESOLVING, 2, "resolving")                                               \
    X(CONNECTING, 3, "connecting")                                             \
    X(TLS, 4, "tls")                                                           \
    X(SENDING, 5, "sending")                                                   \
    X(WAITING, 6, "waiting")                                                   \
    X(RECEIVING, 7, "receiving")                                               \
    X(RETRY_WAIT, 8, "retry-wait")

/* Phases, as VECWIRE_PHASE_QUEUED, ... */
enum vecwire_phase {
#define VECWIRE_PHASE_ENUM_(name, number, text) VECWIRE_PHASE_##name = number,
    VECWIRE_PHASE_MAP(VECWIRE_PHASE_ENUM_)
#undef VECWIRE_PHASE_ENUM_
};

/* Why a call failed. Owned by its reply and valid as long as that is. The
 * library makes it; fields are only ever added at its end. */
struct vecwire_error {
    /* One line, never NULL: the server's text, or what broke and where. Where
     * the server quotes the API key (8 bytes or more), stars stand for it
     * here; not in server_text. */
    const char *detail;
    /* The server's own error code and text; NULL when it sent none. */
    const char *server_code;
    const char *server_text;
    /* Location header of a 3xx, never followed; NULL otherwise. */
    const char *location;
    /* What the server asked us to wait; -1 when it did not say. */
    int64_t retry_after_ms;
    enum vecwire_err code;
    enum vecwire_phase phase;
    /* 0 when no status line arrived, or its head could not be trusted. */
    uint32_t http_status;
    /* Rounds of sending that were begun, the first included. */
    uint32_t attempts;
    /* The caller may send the same call again without harm. */
    bool retryable;
    /* A write left us and no answer says whether it was applied. Several
     * operations in one request of Qdrant's: some may have been applied,
     * whatever the answer says. */
    bool outcome_unknown;
    bool reserved[6];
};

/* Why a verb, or a function that makes a client, an upload, a scroll or a mask,
 * refused its arguments. The caller owns
 * it and names it in the options or the request; it is written only when the
 * function returns something other than VECWIRE_OK, and not even then for a
 * request that is NULL or was made without macro and init: begin with
 * = {0}. */
struct vecwire_refusal {
    /* Row of the matrix or of the ids, SIZE_MAX when no row is to blame. */
    size_t row;
    /* Coordinate in that row, SIZE_MAX when none is to blame. */
    size_t coordinate;
    /* One line that names the place and what was expected there. */
    char text[240];
};

/* English text of a code, never NULL ("unknown error" for other numbers).
 * Static memory; any thread. */
VECWIRE_API const char *vecwire_strerror(enum vecwire_err code);

/* Name of a code as it stands in C, "VECWIRE_EFULL"; "VECWIRE_?" for other
 * numbers. Static memory; any thread. */
VECWIRE_API const char *vecwire_err_name(enum vecwire_err code);

/* Name of a phase, "queued"; "?" for other numbers. Static memory; any
 * thread. */
VECWIRE_API const char *vecwire_phase_name(enum vecwire_phase phase);

#ifdef __cplusplus
}
#endif
#endif
