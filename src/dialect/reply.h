/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a reply: what a dialect's sink fills in and the public
 * accessors read. */
#ifndef VECWIRE_DIALECT_REPLY_H
#define VECWIRE_DIALECT_REPLY_H

#include <vecwire/reply.h>

#include "codec/buf.h"
#include "codec/json_reader.h"

/* Where a row's texts stand in `texts`, which may move until the end, and
 * its vectors in `vectors`. */
struct vecwire__row_place {
    size_t id_at, text_at, payload_at, order_at, shard_at;
    size_t vectors_at;
    bool has_id, has_text, has_payload, has_order, has_shard;
};

/* Where a vector's name, floats and indices stand. */
struct vecwire__vector_place {
    size_t name_at, float_at, index_at;
    bool has_name, is_sparse;
};

/* Where a group's value stands, and what is known of it. */
struct vecwire__group_place {
    size_t id_at, lookup; /* lookup: index of a row */
    uint64_t count;       /* of a facet's value */
    bool has_id, is_text, has_rows, has_lookup;
};

/* What became of an update. */
struct vecwire__update {
    uint64_t number;
    unsigned outcome; /* enum vecwire_qdrant_outcome */
    bool has_number;
};

/* The vector that is being read. */
struct vecwire__vector_reading {
    size_t name_at;  /* of a named one, with has_name */
    size_t float_at; /* where its floats begin, and its indices */
    size_t index_at;
    size_t rows, dim; /* of a multi-vector so far */
    bool has_name;
    bool in_floats; /* an array of floats is being read */
    bool in_multi;  /* ... of a multi-vector */
    bool in_sparse; /* of a sparse one */
    bool has_values, has_indices;
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
    struct vecwire__group_place *group_places;
    size_t groups_cap, group_places_cap;
    struct vecwire__update *updates;
    size_t updates_cap;
    /* Of all rows, one behind the other: rows of one dense vector each are a
     * matrix. */
    float *floats;
    uint32_t *indices;
    struct vecwire_vector *vectors;
    struct vecwire__vector_place *vector_places;
    size_t floats_cap, indices_cap, vectors_cap, vector_places_cap;
    struct vecwire_reply *next_spare;
    /* What every use begins with as zero. */
    struct vecwire_error error;
    struct vecwire_timing timing;
    vecwire_call_id id;
    size_t headers_len; /* bytes of texts that are headers */
    size_t n_rows;
    size_t n_whole;           /* of these, without the one that is being read */
    size_t rows_at, whole_at; /* where their texts begin and end */
    size_t row_at;            /* where those of the last one begin, */
    size_t row_floats_at;     /* and its floats, */
    size_t row_indices_at;    /* indices, */
    size_t row_vectors_at;    /* and vectors */
    size_t n_floats, n_indices, n_vectors;
    uint64_t body_bytes; /* that may come, 0: not known */
    struct vecwire__vector_reading reading;
    size_t next_at;         /* of the next offset's text */
    uint64_t rows_given;    /* to on_rows */
    uint64_t rows_begun;    /* of this attempt */
    uint64_t max_rows;      /* of an attempt; 0: any number */
    uint64_t max_parts;     /* groups, values, updates; 0: any number */
    uint64_t max_row_bytes; /* texts of one row; 0: any number */
    uint64_t affected;
    uint64_t total;                /* what a count tells, or true or false */
    size_t n_groups;               /* of groups[] */
    size_t n_updates;              /* of updates[] */
    uint64_t rows_asked;           /* that the write concerns */
    struct vecwire_id next_offset; /* of a scroll, with has_next */
    uint64_t iterations;
    uint32_t refs;
    uint32_t wakeups;
    uint32_t status;
    uint32_t attempts;
    bool failed;
    bool is_batch; /* rows before the end: lives for one callback */
    bool has_next;
    bool unconfirmed;     /* the server takes the write, but has not done it */
    bool is_facet;        /* its groups are values with counts */
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

/* As new, with the memory that it has: for a reply that nobody keeps. */
void vecwire__reply_reuse(struct vecwire_reply *reply);

/* Memory that it holds. */
size_t vecwire__reply_bytes(const struct vecwire_reply *reply);

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

/* So many bytes of body are to come: more floats than they can hold are not
 * reserved. */
static inline void
vecwire__reply_expect(struct vecwire_reply *reply, uint64_t bytes)
{
    reply->body_bytes = bytes;
}

/* A new empty row at the end; NULL: no memory, or a fault. */
struct vecwire__row_place *vecwire__reply_add_row(struct vecwire_reply *reply);

/* The row that was added last is complete; it may be a fault that it is too
 * large. */
void vecwire__reply_row_whole(struct vecwire_reply *reply);

/* May there be one more group, value or update beside `n`? Else it is a fault.
 */
bool vecwire__reply_part_fits(struct vecwire_reply *reply, size_t n);

/* The fault that the row is over max_row_bytes; bytes of its vectors. */
void vecwire__reply_over_row(struct vecwire_reply *reply);
uint64_t vecwire__reply_vector_bytes(const struct vecwire_reply *reply);

/* Is the row that is being read no larger than allowed so far? Else it is a
 * fault. */
bool vecwire__reply_row_fits(struct vecwire_reply *reply);

/* Forget the whole rows; a row that is being read by `reader` stays. The
 * number of bytes that its texts have moved. */
size_t vecwire__reply_drop_rows(struct vecwire_reply *reply,
                                struct vecwire__json_reader *reader);

/* --- reply_vectors.c: vectors of the row that is being read. False: no
 * memory, or a fault. --- */

/* What the reader told of an array of floats: EV_ROW, EV_GROW and EV_F32S. */
VECWIRE_NODISCARD bool
vecwire__reply_floats(struct vecwire_reply *reply,
                      struct vecwire__json_reader *reader,
                      enum vecwire__json_event event);

/* A multi-vector begins, has ended. */
void vecwire__reply_multi_begin(struct vecwire_reply *reply);
VECWIRE_NODISCARD bool vecwire__reply_multi_end(struct vecwire_reply *reply);

/* A sparse vector begins, has one more index, has ended. */
void vecwire__reply_sparse_begin(struct vecwire_reply *reply);
VECWIRE_NODISCARD bool vecwire__reply_sparse_index(struct vecwire_reply *reply,
                                                   uint32_t index);
VECWIRE_NODISCARD bool vecwire__reply_sparse_end(struct vecwire_reply *reply);

/* The name of the next vector, in the texts; names end with the row's map. */
VECWIRE_NODISCARD bool vecwire__reply_vector_name(struct vecwire_reply *reply,
                                                  size_t at);
void vecwire__reply_names_end(struct vecwire_reply *reply);

/* Make pointers of the places of vectors. */
void vecwire__reply_settle_vectors(struct vecwire_reply *reply);

/* Drop what belongs to whole rows, as vecwire__reply_drop_rows() does with
 * texts, which have moved by `moved`. */
void vecwire__reply_drop_vectors(struct vecwire_reply *reply, size_t moved,
                                 struct vecwire__json_reader *reader);

/* The reply is whole and its texts move no more: make pointers of places. */
void vecwire__reply_settle(struct vecwire_reply *reply);

/* Append a line, NUL-terminated, to the texts: its offset there, or SIZE_MAX
 * when there is no memory. */
size_t vecwire__reply_line(struct vecwire_reply *reply, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
