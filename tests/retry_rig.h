/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of every retry class whose requests are counted where they arrive. */
#ifndef VECWIRE_TESTS_RETRY_RIG_H
#define VECWIRE_TESTS_RETRY_RIG_H

#include "tests/time_rig.h"

/* Good for every verb. */
#define RETRY_GOOD                                                             \
    "HTTP/1.1 200 OK\r\nContent-Length: 39\r\n\r\n"                            \
    "{\"matches\":[],\"added\":1,\"deleted\":true}"

enum retry_verb {
    RETRY_QUERY, /* R */
    RETRY_GET,
    RETRY_UPSERT, /* I */
    RETRY_DELETE,
    RETRY_RAW_POST, /* N */
    RETRY_RAW_PUT,
    RETRY_RAW_PATCH,
    RETRY_RAW_DELETE,
    RETRY_RAW_OPTIONS,
    N_RETRY_VERBS
};

/* One call, and how often its request was read. */
struct retry_call {
    struct time_rig *rig;
    size_t before, requests; /* of the server, before it and by it */
    char *text;              /* its request, as it came first */
    unsigned runs, rows;
    uint32_t attempts;
    int64_t retry_after_ms;
    struct vecwire_error error; /* its code is OK when it succeeded */
};

/* Begin it. A query takes rows before the end when `rows` is set. */
void retry_begin(struct retry_call *call, struct time_rig *rig,
                 enum retry_verb verb, bool rows,
                 const struct vecwire_call_options *options);

/* Both sides, without time passing; each sending must be the first again. */
void retry_turn(struct retry_call *call);

/* As long as it is not over, but no longer than that. */
void retry_pass(struct retry_call *call, uint64_t ms);

void retry_end(struct retry_call *call);

#endif
