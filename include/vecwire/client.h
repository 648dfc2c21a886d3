/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VECWIRE_CLIENT_H
#define VECWIRE_CLIENT_H

#include <string.h>

#include <vecwire/error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct event_base;       /* libevent's; the caller's, must outlive the client */
struct vecwire_client;   /* bound to one event_base and its thread */
struct vecwire_loop;     /* see loop.h */
struct vecwire_hms_mask; /* see hms.h */
struct vecwire_qdrant_params; /* see qdrant.h */

/* Name of one call within its client, never used again there; it means
 * nothing to another client. 0 names none. */
typedef uint64_t vecwire_call_id;

/* The databases: HMS, and Qdrant by REST (1.19 and what is compatible). */
enum vecwire_dialect {
    VECWIRE_HMS = 1,
    VECWIRE_QDRANT = 2,
    VECWIRE_CHROMA = 3 /* from a later version on */
};

/* Any time: no limit. Zero in a field of options means the default. */
#define VECWIRE_NEVER UINT32_MAX

/* A memory allocator. Every hook gets `ctx` last and must not call the
 * library (asserted as for the log callback while the client lives, but not
 * for replies that are kept and uploads that are complete). Covers a client,
 * its calls and replies, not struct vecwire_loop; for libevent's memory
 * (connections, name look-ups), jansson's and OpenSSL's see
 * event_set_mem_functions(), json_set_alloc_funcs() and
 * CRYPTO_set_mem_functions(). Kept replies need the allocator and `ctx` until
 * they are released. */
struct vecwire_mem {
    /* `size` bytes aligned for any type, or NULL. size is never 0. */
    void *(*alloc)(size_t size, void *ctx);
    /* As realloc(); `old_size` is what was asked for. NULL: block unchanged. */
    void *(*realloc)(void *block, size_t old_size, size_t size, void *ctx);
    /* block is never NULL; `size` is what was asked for. */
    void (*free)(void *block, size_t size, void *ctx);
    void *ctx;
};

/* One HTTP header. Both texts are NUL-terminated. */
struct vecwire_header {
    const char *name;
    const char *value;
};

enum vecwire_log_level {
    VECWIRE_LOG_ERROR = 1,
    VECWIRE_LOG_INFO = 2,
    VECWIRE_LOG_DEBUG = 3
};

/* One line of what the library does, without line end and without secrets.
 * `line` dies when the callback returns. It must not call the library
 * (asserted for the verbs, cancel, drain, close and free). */
typedef void (*vecwire_log_cb)(enum vecwire_log_level level, const char *line,
                               void *arg);

/* Settings of a client. Everything it points at is copied, but for `loop`,
 * `log_arg`, `refusal` and what `mem.ctx` points at. Zero means the default in
 * every field. Grows at its end only, in steps of 8 bytes, without padding. */
struct vecwire_options {
    size_t size; /* set by VECWIRE_OPTIONS() or vecwire_options_init() */
    /* Required: "http://host[:port][/prefix]", or "https" with port 443
     * unless given; that of http is HMS's 8080 or Qdrant's 6333. IPv6 literals
     * in brackets. User names and queries are refused, https in a build without
     * OpenSSL (VECWIRE_EUNSUPPORTED). */
    const char *url;
    /* Secret: sent as the dialect wants it (HMS: "Authorization: Bearer",
     * Qdrant: "api-key"), never logged. NULL or "": none. */
    const char *api_key;
    /* HMS: X-Tenant-ID, 1 to 64 of [A-Za-z0-9_-]. NULL: not sent. Other
     * dialects have none: NULL. */
    const char *tenant;
    /* Qdrant: collection, or alias, of every call whose options name no other,
     * 1 to 255 characters. NULL: each call that needs one names it. HMS has
     * none: NULL. */
    const char *collection;
    /* User-Agent. NULL or "": not sent, as each header costs its share. */
    const char *user_agent;
    /* Sent with every request, beside our own. May not name one that the
     * library sets or that changes the framing: Host, Content-Type,
     * Content-Length, Transfer-Encoding, TE, Trailer, Connection, Keep-Alive,
     * Upgrade, Expect, Accept-Encoding. */
    const struct vecwire_header *headers;
    size_t n_headers;
    /* File to read name servers from. NULL: "/etc/resolv.conf". */
    const char *resolv_conf;
    const struct vecwire_mem *mem; /* NULL: the C library's */
    vecwire_log_cb log;            /* NULL: silence */
    void *log_arg;
    /* Counts this base's iterations. NULL: not counted. Must outlive the
     * client and belong to the same base. */
    struct vecwire_loop *loop;
    /* Where vecwire_client_new() says what it refused. NULL: not wanted. */
    struct vecwire_refusal *refusal;
    uint64_t max_waiting_bytes; /* encoded requests that wait: 64 MiB */
    uint64_t max_reply_bytes;   /* body of one reply: 256 MiB */
    uint32_t dialect;           /* enum vecwire_dialect; 0: VECWIRE_HMS */
    /* At most open at once: 8; HMS: 4, as many requests as its server works
     * on, refusing more with 503. */
    uint32_t connections;
    /* Calls without a connection, those between two attempts included: 1024.
     * Canceled ones whose callback is still to run: as many once more, beside
     * the connections. */
    uint32_t max_waiting;
    /* A whole call, waiting and retries: 30000. Looked at by the loop; a
     * reply that is read in the same pass wins. */
    uint32_t deadline_ms;
    uint32_t connect_ms; /* resolving and connecting (and TLS): 5000 */
    /* An unused connection is kept: 4000. Less than the server keeps it, which
     * is 5 s for Qdrant. */
    uint32_t idle_ms;
    uint32_t attempts;         /* rounds of sending a call: 3 */
    uint32_t max_header_bytes; /* head of one reply and trailers: 65536 */
    uint32_t max_header_lines; /* of one reply, those of trailers too: 128 */
    /* Nesting in filters and payloads, sent or received: 128, <= 255. What a
     * reply wraps around its payloads does not count, up to 255 in all. */
    uint32_t json_depth;
    uint32_t read_per_turn; /* bytes read in one iteration: 262144 */
    bool no_retry;          /* never send a call a second time */
    bool repeat_writes;     /* writes whose fate is unknown may be sent again */
    bool reserved[2];
    /* HMS: mask every vector that is sent. The key is copied; the mask may be
     * freed once the client is made. NULL: vectors go out as they are. */
    const struct vecwire_hms_mask *hms_mask;
    /* For https; refused without it. The files are PEM and are read at once.
     * Whom to trust, instead of the system's store (NULL), which is read for
     * each client anew: some milliseconds. */
    const char *ca_file;
    /* Our certificate, those between it and its CA behind it, and its key,
     * not encrypted. Both or neither. */
    const char *cert_file;
    const char *key_file;
    /* Do not verify the server: anybody may be it and read the API key. Is
     * logged. Not together with ca_file. */
    bool insecure;
    bool reserved_tls[7];
    /* Id, text and payload of one row of a reply, unescaped: 32 MiB. More is
     * VECWIRE_EDECODE. What is held of a row that is not whole yet is so much
     * and what one iteration reads. */
    uint64_t max_row_bytes;
};

#ifndef __cplusplus
/* Options for C: VECWIRE_OPTIONS(.url = "http://127.0.0.1:8080"). */
#define VECWIRE_OPTIONS(...)                                                   \
    ((struct vecwire_options){.size = sizeof(struct vecwire_options),          \
                              __VA_ARGS__})
#endif

/* Options for C++ and for filling in by hand: zero but for the size. */
static inline void
vecwire_options_init(struct vecwire_options *options)
{
    memset(options, 0, sizeof(*options));
    options->size = sizeof(*options);
}

/* Settings of one call, in place of the client's. Zero, NULL or false: the
 * client's; so a flag that the client has cannot be taken back. Grows like
 * the options. */
struct vecwire_call_options {
    size_t size; /* set by VECWIRE_CALL_OPTIONS() or its init function */
    const char *tenant;
    const char *collection;
    /* Beside the client's; a name that both have is sent once, with the
     * value given here. */
    const struct vecwire_header *headers;
    size_t n_headers;
    uint32_t deadline_ms; /* VECWIRE_NEVER: none */
    bool no_retry;
    bool repeat_writes;
    bool reserved[2];
    /* What only Qdrant's calls have. NULL: as the server has it. */
    const struct vecwire_qdrant_params *qdrant;
};

#ifndef __cplusplus
#define VECWIRE_CALL_OPTIONS(...)                                              \
    ((struct vecwire_call_options){                                            \
        .size = sizeof(struct vecwire_call_options), __VA_ARGS__})
#endif

static inline void
vecwire_call_options_init(struct vecwire_call_options *options)
{
    memset(options, 0, sizeof(*options));
    options->size = sizeof(*options);
}

/* Counters of one client since it was made, and what it holds now. */
struct vecwire_stats {
    uint64_t calls_started;      /* verbs that returned VECWIRE_OK */
    uint64_t calls_completed;    /* of these, callbacks due or run */
    uint64_t calls_failed;       /* of these, with an error */
    uint64_t calls_refused;      /* verbs that returned something else */
    uint64_t retries;            /* attempts after a call's first */
    uint64_t connections_opened; /* TCP connections that came up */
    uint64_t connections_failed; /* rounds that reached no address */
    uint64_t connections_lost;   /* closed or broken by the other side */
    uint64_t bytes_sent;         /* HTTP, headers included */
    uint64_t bytes_received;
    uint64_t wakeups;          /* sum over calls, see vecwire_reply_wakeups() */
    uint64_t late_events;      /* events for finished calls, dropped */
    uint64_t waiting_bytes;    /* encoded requests that wait, now */
    uint64_t waiting_held;     /* about what these calls hold in all, now */
    uint32_t calls_waiting;    /* without a connection, now */
    uint32_t calls_active;     /* with a connection, now */
    uint32_t calls_retrying;   /* waiting for their next attempt, now */
    uint32_t connections_open; /* connecting ones included, now */
    uint32_t connections_idle; /* now */
    uint32_t reserved;
};

/* Runs once when a closed client has nothing left. `code` is VECWIRE_OK, or
 * VECWIRE_ETIMEDOUT when calls had to be ended with VECWIRE_ECLOSED, or
 * VECWIRE_ECLOSED from inside vecwire_client_free(). Any function may be
 * called from it, vecwire_client_free() included. */
typedef void (*vecwire_close_cb)(struct vecwire_client *client,
                                 enum vecwire_err code, void *arg);

/**
 * Make a client on the caller's event_base. Nothing is sent and no name is
 * looked up before the first call.
 *
 * VECWIRE_OK: *out is the client, to be freed by vecwire_client_free().
 * Otherwise *out is NULL: VECWIRE_EINVAL (an option is wrong, see
 * options->refusal, or options were made without the macro or the init
 * function), VECWIRE_EUNSUPPORTED (this dialect or https is not built),
 * VECWIRE_ENOMEM.
 */
VECWIRE_API VECWIRE_NODISCARD enum vecwire_err
vecwire_client_new(struct vecwire_client **out, struct event_base *base,
                   const struct vecwire_options *options);

/**
 * Free a client. Every unfinished call and upload completes with
 * VECWIRE_ECLOSED before this returns, from wherever it is called; calls made
 * meanwhile are refused with VECWIRE_ECLOSED. After it no callback runs. NULL
 * is fine.
 *
 * In a child of the process that made the client it calls event_reinit() on
 * the base first; the rest is the same, callbacks too, and nothing of it
 * reaches the other side or the parent. The base must not run in the child
 * before, nor a client be freed there that another thread than the forking one
 * uses. vecwire_uploader_free() does likewise.
 *
 * Descriptors are closed at once. When the base is not running, libevent
 * keeps about 1.2 KB a connection until its next pass or its own free, and
 * about 1 KB a name look-up until its next pass.
 */
VECWIRE_API void vecwire_client_free(struct vecwire_client *client);

/**
 * Refuse new calls and rows (VECWIRE_ECLOSED), let those that exist finish,
 * and run `cb` (may be NULL) once from the loop when none is left. At
 * `timeout_ms` (VECWIRE_NEVER: no limit; 0: at once) what is left completes
 * with VECWIRE_ECLOSED first. The client still has to be freed; freed before
 * that, `cb` runs inside the free with VECWIRE_ECLOSED.
 *
 * VECWIRE_OK, or VECWIRE_ECLOSED when it was closed before or is the parent
 * process's, or VECWIRE_EINVAL for a NULL client; `cb` does not run then.
 */
VECWIRE_API VECWIRE_NODISCARD enum vecwire_err
vecwire_client_close(struct vecwire_client *client, uint32_t timeout_ms,
                     vecwire_close_cb cb, void *arg);

/**
 * Run the base until no call of this client is unfinished, nor an upload that
 * was ended. For programs that have no loop of their own; other events of the
 * base run too.
 *
 * VECWIRE_OK: none is left. VECWIRE_ETIMEDOUT after `timeout_ms`
 * (VECWIRE_NEVER: no limit; 0: without a pass); the calls stay. VECWIRE_EBUSY:
 * called from inside a callback of this client or of the base (on a base made
 * with EVENT_BASE_FLAG_NO_CACHE_TIME only this client's can be seen).
 * VECWIRE_EIO: the base stopped first (event_base_loopbreak(), or nothing left
 * to wait for). VECWIRE_ECLOSED: a callback freed the client, or it is the
 * parent process's. VECWIRE_ENOMEM. VECWIRE_EINVAL: NULL client.
 */
VECWIRE_API VECWIRE_NODISCARD enum vecwire_err
vecwire_client_drain(struct vecwire_client *client, uint32_t timeout_ms);

/**
 * Ask that a call end. Its callback still runs once, with VECWIRE_ECANCELED,
 * from the loop. False: no such call is unfinished (finished, unknown, 0, or
 * canceled before); nothing happens. A NULL client gives false.
 */
VECWIRE_API bool vecwire_cancel(struct vecwire_client *client,
                                vecwire_call_id id);

/* The client's counters. Owned by the client, brought up to date by this
 * call, valid until it is freed. NULL for a NULL client. */
VECWIRE_API const struct vecwire_stats *
vecwire_client_stats(struct vecwire_client *client);

/* Version of the library that runs, "0.1.0". Static memory; any thread. */
VECWIRE_API const char *vecwire_version(void);

#ifdef __cplusplus
}
#endif
#endif
