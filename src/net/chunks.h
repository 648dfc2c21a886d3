/* SPDX-License-Identifier: Apache-2.0 */
/* The chunked coding, read as it comes. evhttp would keep a chunk until it is
 * whole, however long, and wait for the end of a size line for ever. Pure. */
#ifndef VECWIRE_NET_CHUNKS_H
#define VECWIRE_NET_CHUNKS_H

#include "net/head_guard.h"

/* Bytes of the line with a chunk's size, without its end. */
#define VECWIRE__CHUNK_LINE_MAX 64

enum vecwire__chunk_fault {
    VECWIRE__CHUNK_FINE,
    VECWIRE__CHUNK_SIZE,      /* no size where one belongs */
    VECWIRE__CHUNK_LINE,      /* its line is too long */
    VECWIRE__CHUNK_EXTENSION, /* which nobody asked for */
    VECWIRE__CHUNK_END,       /* no line end behind the data */
    VECWIRE__CHUNK_BODY,      /* body over max_body */
    VECWIRE__CHUNK_TRAILERS   /* `head_fault` says what */
};

enum vecwire__chunk_state {
    VECWIRE__CHUNK_AT_SIZE,
    VECWIRE__CHUNK_AT_DATA,
    VECWIRE__CHUNK_AT_DATA_END,
    VECWIRE__CHUNK_AT_TRAILERS,
    VECWIRE__CHUNK_AT_END
};

struct vecwire__chunks {
    uint64_t max_body;                /* set before */
    struct vecwire__head_guard *head; /* set before: counts the trailers */
    enum vecwire__chunk_state state;
    enum vecwire__head_fault head_fault;
    uint64_t body; /* bytes of it that were announced so far */
    uint64_t left; /* of this chunk */
    uint32_t line; /* bytes of the size line so far */
    bool digits;   /* it has one */
    bool blank;    /* only blanks may follow */
    bool cr;       /* only '\n' may follow */
};

void vecwire__chunks_begin(struct vecwire__chunks *chunks, uint64_t max_body,
                           struct vecwire__head_guard *head);

/* Take some of the bytes, n > 0: *used of them, which are all body or none.
 * At the end nothing is taken. */
enum vecwire__chunk_fault vecwire__chunks_take(struct vecwire__chunks *chunks,
                                               const char *bytes, size_t n,
                                               size_t *used, bool *is_body);

/* One line that names what is wrong, the limit and its value. */
void vecwire__chunks_text(const struct vecwire__chunks *chunks,
                          enum vecwire__chunk_fault fault, char *text,
                          size_t size);

#endif
