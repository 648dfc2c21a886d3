/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VECWIRE_UPLOADER_H
#define VECWIRE_UPLOADER_H

#include <vecwire/query.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Many rows into a database, in as many requests as it takes: bounded in rows
 * and bytes, a bounded number of them under way, and what becomes of every
 * row. Rows are written straight into the requests, so that memory holds no
 * more than in_flight + 1 of these.
 *
 * Requests are under way side by side: of two rows with the same id in one
 * upload, either may win. Writes whose fate is unknown are sent again where
 * the client's `attempts` allow it (repeat_writes): a row is stored under
 * its id, once or twice. A server that has no route for several rows (404) is
 * sent one row a request, and is not asked again by this client; a request
 * that is too large for the server (413; Qdrant: 429 without Retry-After) is
 * sent in parts.
 *
 * Qdrant: rows count as stored when it has noted them, or with `wait` in the
 * call's params when they are; where that wait times out there, they have
 * failed with VECWIRE_EUNKNOWN.
 *
 * Functions take a client's thread and base for granted, as the client's own
 * do. None of them runs a callback inside itself, but for
 * vecwire_uploader_free() and what frees the client. */
struct vecwire_uploader;

/* Rows that were not stored, of one request: `count` of them, one behind the
 * other. Owned by the library, dies when the callback returns. */
struct vecwire_failed_rows {
    uint64_t first; /* number of the first, among the rows taken, from 0 */
    size_t count;
    const char *const *ids; /* count of them; "" for rows without one */
    const struct vecwire_error *error;
};

/* What has become of the rows. rows_taken is rows_done and rows_failed and
 * what is under way. The library makes it; fields are only ever added at its
 * end. */
struct vecwire_upload_result {
    uint64_t rows_taken;
    uint64_t rows_done; /* the server says it has stored them */
    uint64_t rows_failed;
    uint64_t requests; /* begun; some may not have left when it was stopped */
    /* NULL: nothing went wrong so far. Otherwise why the upload was ended
     * early (VECWIRE_ECANCELED, _ETIMEDOUT, _ECLOSED), or why the first rows
     * that failed did. */
    const struct vecwire_error *error;
};

/* Some rows were not stored. 0..n times from the loop, or inside what ends
 * the upload at once (see vecwire_upload_cb), before the completion. Any
 * function may be called from it and from the two below. */
typedef void (*vecwire_failed_rows_cb)(const struct vecwire_failed_rows *failed,
                                       void *arg);

/* There is room again: once for one or more vecwire_uploader_add() that gave
 * VECWIRE_EFULL, from the loop; never once the upload has been ended. */
typedef void (*vecwire_room_cb)(struct vecwire_uploader *uploader, void *arg);

/* Every row that was taken has been stored or reported as failed. Once, from
 * the loop, or inside vecwire_uploader_free() or vecwire_client_free().
 * `result` dies when the callback returns. */
typedef void (*vecwire_upload_cb)(struct vecwire_uploader *uploader,
                                  const struct vecwire_upload_result *result,
                                  void *arg);

/* Settings of one upload. Zero or NULL means the default in every field.
 * What it points at is read before vecwire_uploader_new() returns, but for
 * `arg`. Grows like the client's options. */
struct vecwire_uploader_options {
    size_t size; /* set by VECWIRE_UPLOADER_OPTIONS() or its init function */
    /* Settings of each request, as for a verb; its deadline_ms is that of one
     * request, and repeat_writes is on whatever it says. NULL: the client's. */
    const struct vecwire_call_options *call;
    struct vecwire_refusal *refusal;  /* NULL: not wanted */
    vecwire_failed_rows_cb on_failed; /* each of these may be NULL */
    vecwire_room_cb on_room;
    vecwire_upload_cb on_done;
    void *arg; /* of all three */
    /* A request holds at most so many bytes of rows: 8 MiB, or the dialect's
     * limit if that is less. A row that is larger by itself is sent by itself,
     * up to the dialect's limit. */
    uint64_t batch_bytes;
    uint32_t batch_rows; /* rows a request: 256. HMS: at most 1000 */
    uint32_t in_flight;  /* requests under way at once: 4; at most 256 */
    /* The whole upload, from vecwire_uploader_new() on: none. What is not
     * stored by then fails with VECWIRE_ETIMEDOUT. */
    uint32_t deadline_ms;
    uint32_t reserved;
};

#ifndef __cplusplus
#define VECWIRE_UPLOADER_OPTIONS(...)                                          \
    ((struct vecwire_uploader_options){                                        \
        .size = sizeof(struct vecwire_uploader_options), __VA_ARGS__})
#endif

static inline void
vecwire_uploader_options_init(struct vecwire_uploader_options *options)
{
    memset(options, 0, sizeof(*options));
    options->size = sizeof(*options);
}

/**
 * Begin an upload. `options` NULL: all defaults, and no callbacks.
 *
 * VECWIRE_OK: *out is the uploader, to be freed by vecwire_uploader_free(),
 * before or after its client. Otherwise *out is NULL, and options->refusal
 * says why: VECWIRE_EINVAL, VECWIRE_ETOOBIG (over a limit of the dialect),
 * VECWIRE_EUNSUPPORTED (the dialect cannot be written to), VECWIRE_ECLOSED,
 * VECWIRE_ENOMEM.
 */
VECWIRE_API VECWIRE_NODISCARD enum vecwire_err
vecwire_uploader_new(struct vecwire_uploader **out,
                     struct vecwire_client *client,
                     const struct vecwire_uploader_options *options);

/**
 * Add rows; as many as there are, no limit of the dialect stands against it.
 * They are encoded before this returns; what makes up a whole request is
 * sent. `rows->call` is not used: see the options.
 *
 * *taken (may be NULL) is how many of them, from the first on, were taken.
 * VECWIRE_OK: all. VECWIRE_EFULL: there is no room for row *taken, and
 * on_room will run when there is. VECWIRE_EINVAL, VECWIRE_ETOOBIG: row *taken
 * is bad, rows->refusal says why, and the caller may go on behind it (0 taken
 * and no row in the refusal: the request as a whole). VECWIRE_ENOMEM: it may
 * be tried again. VECWIRE_ECLOSED: the upload was ended, canceled, or ended
 * by its client's close, or is the parent process's.
 */
VECWIRE_API VECWIRE_NODISCARD enum vecwire_err
vecwire_uploader_add(struct vecwire_uploader *uploader,
                     const struct vecwire_upsert_request *rows, size_t *taken);

/* No more rows: what is gathered goes out, and on_done runs when every row
 * has an outcome. Again, or after cancel: nothing. vecwire_client_close() does
 * this to every upload of its client; vecwire_client_drain() waits for those
 * that were ended. NULL is fine. */
VECWIRE_API void vecwire_uploader_end(struct vecwire_uploader *uploader);

/* Stop. What has no outcome yet is reported as failed with VECWIRE_ECANCELED
 * (error->outcome_unknown: it may have been stored), then on_done runs; both
 * from the loop. False: it was canceled or is complete. NULL gives false. */
VECWIRE_API bool vecwire_uploader_cancel(struct vecwire_uploader *uploader);

/* Free an uploader, from anywhere. One that is not complete completes first,
 * inside this call, with VECWIRE_ECLOSED for what has no outcome yet. The
 * allocator and its `ctx` must still be there. NULL is fine. */
VECWIRE_API void vecwire_uploader_free(struct vecwire_uploader *uploader);

/* How far it is; brought up to date as it goes on, valid until the uploader is
 * freed. NULL for a NULL uploader. */
VECWIRE_API const struct vecwire_upload_result *
vecwire_uploader_progress(const struct vecwire_uploader *uploader);

#ifdef __cplusplus
}
#endif
#endif
