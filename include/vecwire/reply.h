/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VECWIRE_REPLY_H
#define VECWIRE_REPLY_H

#include <vecwire/query.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Everything reached from a reply is owned by it and lives as long. `reply`
 * is never NULL in what follows, but for release. A kept reply may be read
 * and released from one other thread, if the allocator allows that and its
 * client's thread has let it go. */

/* A row's id. Every id has a text form; numeric ids a number too. */
struct vecwire_id {
    const char *text; /* NUL-terminated; "" when the row came without one */
    size_t len;
    uint64_t number;
    bool is_number;
    bool reserved[7];
};

/* A score or a component was null on the wire and is NaN here. */
#define VECWIRE_ROW_HAS_NAN 0x1u
/* The row came with a score. */
#define VECWIRE_ROW_HAS_SCORE 0x2u

/* One row of a reply. The library makes it; fields are only ever added at
 * its end. */
struct vecwire_row {
    struct vecwire_id id;
    /* The document's text, NUL-terminated, may hold NULs of its own; NULL
     * when the row came without one. */
    const char *text;
    size_t text_len;
    /* Payload (HMS: metadata) as the server's own JSON text, grammar
     * checked, NUL-terminated; NULL when the row came without one. */
    const char *payload;
    size_t payload_len;
    /* The row's one dense vector, dim floats; NULL when it has none. */
    const float *vector;
    size_t dim;
    float score;
    uint32_t flags; /* VECWIRE_ROW_... */
    /* All its vectors, the unnamed one too; see vecwire_row_vector(). */
    const struct vecwire_vector *vectors;
    size_t n_vectors;
    uint64_t version;        /* Qdrant: of a scored point, else 0 */
    const char *order_value; /* Qdrant: JSON text of a number; NULL: none */
    const char *shard_key;   /* Qdrant: JSON text; NULL: none */
};

/* Rows that belong together: what one search of a batch found, or one group.
 * The library makes it; fields are only ever added at its end. */
struct vecwire_group {
    struct vecwire_id id; /* value that they share; text "" without one */
    size_t first, n;      /* rows [first, first + n) of the reply */
    /* Row that was looked up for it, in another collection. NULL: none. */
    const struct vecwire_row *lookup;
};

/* When things happened, in nanoseconds of CLOCK_MONOTONIC; 0: never did. */
struct vecwire_timing {
    uint64_t queued_ns;     /* the verb was called */
    uint64_t connected_ns;  /* it had a connection that was up */
    uint64_t sent_ns;       /* the kernel took the last byte of the request */
    uint64_t first_byte_ns; /* the first byte of the reply was seen */
    uint64_t decoded_ns;    /* the reply was complete, whatever it said */
};

/* Why the call failed. NULL: success. */
VECWIRE_API const struct vecwire_error *
vecwire_reply_error(const struct vecwire_reply *reply);

/* HTTP status, 0 when none arrived. */
VECWIRE_API uint32_t vecwire_reply_status(const struct vecwire_reply *reply);

/* Number of rows, 0 on failure. */
VECWIRE_API size_t vecwire_reply_count(const struct vecwire_reply *reply);

/* Number of rows that went to the query's on_rows before; failures too. */
VECWIRE_API uint64_t
vecwire_reply_rows_given(const struct vecwire_reply *reply);

/* Row `index`: best first for a query, in the order of ids for a scroll, as the
 * server has them otherwise; NULL past the end. */
VECWIRE_API const struct vecwire_row *
vecwire_reply_row(const struct vecwire_reply *reply, size_t index);

/* The row's vector of that name, NULL or "": the unnamed one, which Qdrant
 * calls "" when it is one of several. NULL: it has none such. `row` is not
 * NULL. */
VECWIRE_API const struct vecwire_vector *
vecwire_row_vector(const struct vecwire_row *row, const char *name);

/* All vectors as one matrix: *rows x *dim floats, C order, row i that of row i
 * of the reply. NULL unless every row has exactly one vector, dense, and all
 * of one dimension; *rows and *dim are 0 then. Inside a rows callback: of the
 * rows handed out. No gaps: a BLAS takes it as it is, row-major with a leading
 * dimension of *dim. Aligned as floats are, and not promised to be more. */
VECWIRE_API const float *vecwire_reply_matrix(const struct vecwire_reply *reply,
                                              size_t *rows, size_t *dim);

/* Number of groups (of a batch: of searches), 0 for other verbs. */
VECWIRE_API size_t vecwire_reply_groups(const struct vecwire_reply *reply);

/* Group `index`; NULL past the end. */
VECWIRE_API const struct vecwire_group *
vecwire_reply_group(const struct vecwire_reply *reply, size_t index);

/* Of a scroll: id of the first row of the next page. NULL: that was the last
 * page. */
VECWIRE_API const struct vecwire_id *
vecwire_reply_next_offset(const struct vecwire_reply *reply);

/* The number that a count tells; 1 or 0 for a call that is answered by true or
 * false; 0 for others and for failures. */
VECWIRE_API uint64_t vecwire_reply_total(const struct vecwire_reply *reply);

/* Payload of row `index` as a new jansson tree, to be freed by
 * json_decref(). NULL: no such row, no payload, no memory, or jansson
 * refuses it (integers beyond 2^63-1, numbers beyond double, NUL in text):
 * the text in the row is always there. */
VECWIRE_API struct json_t *
vecwire_reply_payload_tree(const struct vecwire_reply *reply, size_t index);

/* Rows that an upsert stored or a delete removed, as far as the server tells:
 * see both. Qdrant's other updates by id: number of ids. 0 for the rest and for
 * failures. */
VECWIRE_API uint64_t vecwire_reply_affected(const struct vecwire_reply *reply);

/* Body of a vecwire_raw() reply (any status) and of a page of Qdrant's
 * (vecwire_qdrant_page()), or the first 64 KiB of an error's body for other
 * verbs; "" and *len 0 when there is none. What came of it when the connection
 * was lost on the way. `len` may be NULL; a NUL stands behind the last byte. */
VECWIRE_API const char *vecwire_reply_body(const struct vecwire_reply *reply,
                                           size_t *len);

/* Value of a header, names compared without case; the first of several. NULL
 * when the reply has none such. */
VECWIRE_API const char *vecwire_reply_header(const struct vecwire_reply *reply,
                                             const char *name);

/* Header `index` in the order of arrival. False past the end. */
VECWIRE_API bool vecwire_reply_header_at(const struct vecwire_reply *reply,
                                         size_t index,
                                         struct vecwire_header *header);

/* Rounds of sending that were begun; 1 when nothing was repeated. */
VECWIRE_API uint32_t vecwire_reply_attempts(const struct vecwire_reply *reply);

/* "127.0.0.1:8080" or "[::1]:8080" of the last connection used, "" before
 * any came up. */
VECWIRE_API const char *vecwire_reply_peer(const struct vecwire_reply *reply);

/* Loop iterations between the submit and the callback in which this call's
 * own connection had an event. 1 on a warm connection. Exact on any host. */
VECWIRE_API uint32_t vecwire_reply_wakeups(const struct vecwire_reply *reply);

/* All iterations of the base between the submit and the callback, as counted
 * by vecwire_loop_run(); 0 when the client has no `loop` or that is not what
 * runs the base. */
VECWIRE_API uint64_t
vecwire_reply_loop_iterations(const struct vecwire_reply *reply);

/* When things happened. */
VECWIRE_API const struct vecwire_timing *
vecwire_reply_timing(const struct vecwire_reply *reply);

/* The call this answers. */
VECWIRE_API vecwire_call_id vecwire_reply_id(const struct vecwire_reply *reply);

/* Keep a reply past its callback, without a copy; it may outlive the client,
 * not its allocator. Each keep needs one vecwire_reply_release(). Returns
 * `reply`, or NULL, with nothing kept, inside a rows callback. */
VECWIRE_API const struct vecwire_reply *
vecwire_reply_keep(const struct vecwire_reply *reply);

/* Give a kept reply back; NULL is fine. */
VECWIRE_API void vecwire_reply_release(const struct vecwire_reply *reply);

#ifdef __cplusplus
}
#endif
#endif
