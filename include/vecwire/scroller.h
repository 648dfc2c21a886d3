/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VECWIRE_SCROLLER_H
#define VECWIRE_SCROLLER_H

#include <vecwire/reply.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All rows of a collection, or all that match a filter, in the order of their
 * ids: page behind page, one request each, with one page under way at a time.
 * Rows go out as they come, so that memory does not grow with the
 * collection.
 *
 * A rows callback that returns VECWIRE_PAUSE gets no more rows until
 * vecwire_scroller_resume(). Meanwhile the page that is being read is read to
 * its end, the next one is asked for and read, too, and nothing more is asked
 * for once two pages are held: the server's connection is not kept waiting,
 * and what is held is at most two pages. Each is within the client's
 * max_reply_bytes on the wire; in memory a row takes some 200 bytes beside
 * what it brings.
 *
 * Each page is a read of its own: it has the deadline of a call, and is sent
 * again as any read is. One whose connection is lost while its body comes is
 * asked for again behind the last row that was whole, as long as each attempt
 * brings a new row, or the client's `attempts` allow it; not with no_retry or
 * 1 attempt. No row comes twice for that; one that the server sends twice in a
 * page does. Rows that are held when their page fails otherwise are dropped:
 * vecwire_scroller_offset() lies before them.
 * Lost inside the head of its reply it is VECWIRE_EIO, as for any read, and
 * another scroll may begin at that offset.
 *
 * Rows that others write meanwhile come when they lie behind what was read,
 * as with Qdrant's own clients. Functions take a client's thread and base for
 * granted, as the client's own do. None of them runs a callback inside
 * itself, but for vecwire_scroller_free() and what frees the client. Not
 * HMS. */
struct vecwire_scroller;

/* How far it is. The library makes it; fields are only ever added at its
 * end. */
struct vecwire_scroll_result {
    uint64_t rows;     /* handed out */
    uint64_t pages;    /* read to their end */
    uint64_t requests; /* begun */
    /* NULL: all is well; at the end: there are no more rows, or max_rows of
     * them went out. Otherwise why it ended early: as for any read; and
     * VECWIRE_ECANCELED, VECWIRE_ECLOSED, or VECWIRE_EDECODE when the server
     * makes no progress (a next page that does not lie behind this one, an
     * empty page with a next one, rows that are not in the order of ids). */
    const struct vecwire_error *error;
};

/* It is over; every row up to vecwire_scroller_offset() was handed out. Once,
 * from the loop, or inside vecwire_scroller_free() or vecwire_client_free().
 * `result` dies when the callback returns. Any function may be called from
 * here and from on_rows. */
typedef void (*vecwire_scroll_cb)(struct vecwire_scroller *scroller,
                                  const struct vecwire_scroll_result *result,
                                  void *arg);

/* Settings of one scroll. Zero or NULL means the default in every field. What
 * it points at is copied before vecwire_scroller_new() returns, but for
 * `arg`. Grows like the client's options. */
struct vecwire_scroller_options {
    size_t size; /* set by VECWIRE_SCROLLER_OPTIONS() or its init function */
    /* Settings of each request, as for a verb; its deadline_ms is that of one
     * page. qdrant->order_by is refused: a scroll goes by id. NULL: the
     * client's. */
    const struct vecwire_call_options *call;
    struct vecwire_refusal *refusal; /* NULL: not wanted */
    /* Required. Gets the rows as that of a query does, in the order of ids;
     * vecwire_reply_matrix() works on them. Several times a page, or once for
     * all that was held of one. */
    vecwire_rows_cb on_rows;
    vecwire_scroll_cb on_done; /* may be NULL */
    void *arg;                 /* of both */
    /* Id of the first row: what vecwire_scroller_offset() told an earlier
     * scroll. It need not exist. NULL or "": from the beginning. */
    const char *offset;
    /* Keep only what matches, as in a query; not both. */
    const char *filter;
    const struct json_t *filter_tree;
    uint64_t max_rows;  /* of the whole scroll; 0: all */
    uint32_t page_rows; /* rows a page, 0: 256 */
    bool with_payload, with_vector;
    bool reserved[2];
};

#ifndef __cplusplus
#define VECWIRE_SCROLLER_OPTIONS(...)                                          \
    ((struct vecwire_scroller_options){                                        \
        .size = sizeof(struct vecwire_scroller_options), __VA_ARGS__})
#endif

static inline void
vecwire_scroller_options_init(struct vecwire_scroller_options *options)
{
    memset(options, 0, sizeof(*options));
    options->size = sizeof(*options);
}

/**
 * Begin a scroll: the first page is asked for before this returns.
 *
 * VECWIRE_OK: *out is the scroller, to be freed by vecwire_scroller_free(),
 * before or after its client; on_done runs once. Otherwise *out is NULL, no
 * callback runs, and options->refusal says why: VECWIRE_EINVAL (an argument),
 * VECWIRE_EUNSUPPORTED (the dialect has no scroll), VECWIRE_EFULL (too much
 * waits), VECWIRE_ETOOBIG (over a limit of the dialect), VECWIRE_ECLOSED (the
 * client was closed, or is the parent process's), VECWIRE_ENOMEM.
 *
 * vecwire_client_drain() and vecwire_client_close() wait for its end, as they
 * do for a call; what is not over when the time of a close has passed ends
 * with VECWIRE_ECLOSED.
 */
VECWIRE_API VECWIRE_NODISCARD enum vecwire_err
vecwire_scroller_new(struct vecwire_scroller **out,
                     struct vecwire_client *client,
                     const struct vecwire_scroller_options *options);

/* Have a paused scroll go on, from the loop. Inside its own rows callback: do
 * not pause it, whatever that returns. False: it is not paused (running, or
 * over, or the parent process's); nothing happens. NULL gives false. */
VECWIRE_API bool vecwire_scroller_resume(struct vecwire_scroller *scroller);

/* Stop. No more rows go out, and on_done runs with VECWIRE_ECANCELED, from the
 * loop. False: it was canceled, or is over. NULL gives false. */
VECWIRE_API bool vecwire_scroller_cancel(struct vecwire_scroller *scroller);

/* Free a scroller, from anywhere. One that is not over ends first, inside this
 * call, with VECWIRE_ECLOSED. The allocator and its `ctx` must still be there.
 * NULL is fine. */
VECWIRE_API void vecwire_scroller_free(struct vecwire_scroller *scroller);

/* Where another scroll has to begin (options.offset) to get what this one has
 * not handed out: the text of an id, which need not exist; "": the beginning;
 * NULL: nothing is left (max_rows aside). Inside on_rows the rows just given
 * count as handed out. Valid until the next rows callback returns or the
 * scroller is freed. NULL for a NULL scroller. */
VECWIRE_API const char *
vecwire_scroller_offset(const struct vecwire_scroller *scroller);

/* How far it is; brought up to date as it goes on, valid until the scroller is
 * freed. NULL for a NULL scroller. */
VECWIRE_API const struct vecwire_scroll_result *
vecwire_scroller_progress(const struct vecwire_scroller *scroller);

#ifdef __cplusplus
}
#endif
#endif
