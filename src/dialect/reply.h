/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a reply: what a dialect's sink fills in and the public
 * accessors read. */
#ifndef VECWIRE_DIALECT_REPLY_H
#define VECWIRE_DIALECT_REPLY_H

#include <vecwire/reply.h>

#include "codec/buf.h"

/* Where a row's texts stand in `texts`, which may move until the end. */
struct vecwire__row_place {
    size_t id_at, text_at, payload_at;
    bool has_id, has_text, has_payload;
};

struct vecwire_reply {
    struct vecwire_mem mem;
    /* What is made once and kept when the reply is used again. */
    struct vecwire__buf texts; /* headers as "name\0value\0"..., then texts */
    struct vecwire__buf body;
    struct vecwire_row *rows;
    struct vecwire__row_place *places;
    size_t rows_cap, places_cap;
    struct vecwire_group *groups;
    size_t groups_cap;
    struct vecwire_reply *next_spare;
    /* What every use begins with as zero. */
    struct vecwire_error error;
    struct vecwire_timing timing;
    vecwire_call_id id;
    size_t headers_len; /* bytes of texts that are headers */
    size_t n_rows;
    size_t n_whole;           /* of these, without the one that is being read */
    size_t rows_at, whole_at; /* where their texts begin and end */
    size_t row_at;            /* where those of the last one begin */
    uint64_t rows_given;      /* to on_rows */
    uint64_t rows_begun;      /* of this attempt */
    uint64_t max_rows;        /* of an attempt; 0: any number */
    uint64_t max_row_bytes;   /* texts of one row; 0: any number */
    uint64_t affected;
    uint64_t total;                /* what a count tells, or true or false */
    size_t n_groups;               /* of groups[] */
    struct vecwire_id next_offset; /* of a scroll, with has_next */
    uint64_t iterations;
    uint32_t refs;
    uint32_t wakeups;
    uint32_t status;
    uint32_t attempts;
    bool failed;
    bool is_batch; /* rows before the end: lives for one callback */
    bool has_next;
    bool answered;        /* the sink has seen the reply's one required key */
    const char *fault;    /* why the sink said no (static); NULL: no memory */
    uint64_t fault_limit; /* that it is over; 0: none */
    char peer[56];
};

/* Did the server say that all went well? */
static inline bool
vecwire__reply_is_2xx(const struct vecwire_reply *reply)
{
    return reply->status >= 200 && reply->status < 300;
}

/* A reply with one reference. NULL: no memory. */
struct vecwire_reply *vecwire__reply_new(const struct vecwire_mem *mem);

/* As new, with the memory that it has: for a reply that nobody keeps. False:
 * it holds so much that it is better freed. */
bool vecwire__reply_reuse(struct vecwire_reply *reply);

/* One reference more. The reply may now outlive its client, or be released by
 * another thread. */
void vecwire__reply_hold(struct vecwire_reply *reply);

/* One reference less; the last one frees it. NULL is fine. */
void vecwire__reply_release(struct vecwire_reply *reply);

/* Forget what an earlier attempt brought; memory is kept for the next. */
void vecwire__reply_reset(struct vecwire_reply *reply);

/* Copy the head's headers. False: no memory. */
VECWIRE_NODISCARD bool
vecwire__reply_take_headers(struct vecwire_reply *reply,
                            const struct vecwire_header *headers, size_t n);

/* Offset in the texts of the first header of that name, names compared
 * without case: its value. SIZE_MAX: none. */
size_t vecwire__reply_find_header(const struct vecwire_reply *reply,
                                  const char *name);

/* A new empty row at the end; NULL: no memory, or a fault. */
struct vecwire__row_place *vecwire__reply_add_row(struct vecwire_reply *reply);

/* The row that was added last is complete; it may be a fault that it is too
 * large. */
void vecwire__reply_row_whole(struct vecwire_reply *reply);

/* Is the row that is being read no larger than allowed so far? Else it is a
 * fault. */
bool vecwire__reply_row_fits(struct vecwire_reply *reply);

/* Forget the whole rows and their texts; a row that is being read stays. The
 * number of bytes that its texts have moved. */
size_t vecwire__reply_drop_rows(struct vecwire_reply *reply);

/* The reply is whole and its texts move no more: make pointers of places. */
void vecwire__reply_settle(struct vecwire_reply *reply);

/* Append a line, NUL-terminated, to the texts: its offset there, or SIZE_MAX
 * when there is no memory. */
size_t vecwire__reply_line(struct vecwire_reply *reply, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
