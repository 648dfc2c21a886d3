/* SPDX-License-Identifier: Apache-2.0 */
/* Reads along with evhttp where a request has its head, its chunks and its
 * trailers, and says what goes over a limit. Pure. */
#ifndef VECWIRE_SERVER_REQUEST_GUARD_H
#define VECWIRE_SERVER_REQUEST_GUARD_H

#include "net/chunks.h"

#define VECWIRE__REQUEST_LINE_MAX 8192
#define VECWIRE__REQUEST_HEAD_MAX (64u << 10)
#define VECWIRE__REQUEST_LINES_MAX 128u

struct vecwire__request_guard {
    struct vecwire__head_guard head;
    struct vecwire__chunks chunks;
    uint64_t max_body; /* set before */
    char line[40];     /* how the line that is being read begins */
    size_t line_len;
    bool in_body;
    bool has_coding, chunked; /* by the first Transfer-Encoding */
    bool has_length;
    uint64_t length; /* by the first Content-Length */

    /* what is wrong */
    int status;
    const char *reason, *code;
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
