/* SPDX-License-Identifier: Apache-2.0 */
/* Reads along with evhttp where a request has its head, its chunks and its
 * trailers, and says what goes over a limit. Pure. */
#ifndef VECWIRE_SERVER_REQUEST_GUARD_H
#define VECWIRE_SERVER_REQUEST_GUARD_H

#include "net/chunks.h"

#define VECWIRE__REQUEST_LINE_MAX 8192
#define VECWIRE__REQUEST_HEAD_MAX (64u << 10)
#define VECWIRE__REQUEST_LINES_MAX 128u
#define VECWIRE__REQUEST_QDRANT_BODY ((uint64_t)32 << 20)

/* Where the body ends is not said, or could be read in two ways. */
#define VECWIRE__UNFRAMED                                                      \
    "body needs one Content-Length of digits, or one Transfer-Encoding: "      \
    "chunked; no header's name has a blank, no line is folded"

struct vecwire__request_guard {
    struct vecwire__head_guard head;
    struct vecwire__chunks chunks;
    uint64_t max_body; /* set before */
    char line[64];     /* how the line that is being read begins */
    size_t line_len;
    bool cut;       /* it is longer */
    bool in_lines;  /* behind the first one */
    bool bodiless;  /* evhttp takes no body with this method */
    bool is_qdrant; /* by its path */
    bool unframed;  /* it is not clear where the body ends */
    unsigned ends;  /* headers that say where */
    bool in_body, chunked;
    uint64_t length; /* by Content-Length */

    /* what is wrong */
    int status;
    const char *reason;
    const char *code; /* NULL: in Qdrant's form */
    char message[160];
};

/* A new request. */
void vecwire__request_guard_begin(struct vecwire__request_guard *guard,
                                  uint64_t max_body);

/* The next bytes; what is behind the request is not looked at. False: the
 * request is refused, and the guard says how. */
bool vecwire__request_guard_take(struct vecwire__request_guard *guard,
                                 const char *bytes, size_t n);

#endif
