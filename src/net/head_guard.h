/* SPDX-License-Identifier: Apache-2.0 */
/* What a head or the trailers may cost, counted as the bytes come, before
 * evhttp makes something of them. Pure. */
#ifndef VECWIRE_NET_HEAD_GUARD_H
#define VECWIRE_NET_HEAD_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of a status line, without its end. */
#define VECWIRE__STATUS_LINE_MAX 1024

enum vecwire__head_fault {
    VECWIRE__HEAD_FINE,
    VECWIRE__HEAD_EMPTY,      /* an empty line where the first one belongs */
    VECWIRE__HEAD_NUL,        /* a byte that ends texts */
    VECWIRE__HEAD_FIRST_LINE, /* longer than max_first_line */
    VECWIRE__HEAD_STATUS,     /* of a reply: not HTTP/1.x and three digits */
    VECWIRE__HEAD_BYTES,      /* more than max_bytes, line ends included */
    VECWIRE__HEAD_LINES,      /* more header lines than max_lines */
    VECWIRE__HEAD_NO_COLON    /* in the trailers */
};

struct vecwire__head_guard {
    uint32_t max_first_line, max_bytes, max_lines; /* set before */
    uint64_t bytes;                                /* trailers included */
    uint32_t lines;       /* header lines and trailers that are whole */
    uint64_t line;        /* bytes of the line that is being read */
    char last;            /* its last one */
    char begins;          /* its first one */
    bool colon;           /* it has one */
    bool trailers;        /* there is no first line */
    bool first;           /* it is the first line */
    bool of_reply;        /* set before: its limits are the client's options */
    char status_line[13]; /* its beginning */
    bool ended;           /* the empty line has come */
};

/* A new head; the limits stay. */
void vecwire__head_guard_begin(struct vecwire__head_guard *guard);

/* Go on with the trailers, which count together with the head. */
void vecwire__head_guard_trailers(struct vecwire__head_guard *guard);

/* Count; *used of the bytes belong to the head. After a fault: no more. */
enum vecwire__head_fault
vecwire__head_guard_count(struct vecwire__head_guard *guard, const char *bytes,
                          size_t n, size_t *used);

/* One line that names the limit, its value and the place. */
void vecwire__head_guard_text(const struct vecwire__head_guard *guard,
                              enum vecwire__head_fault fault, char *text,
                              size_t size);

#endif
