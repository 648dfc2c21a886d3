/* SPDX-License-Identifier: Apache-2.0 */
/* Queries by the client of a rig that take their rows before the end. */
#ifndef VECWIRE_TESTS_ROWS_RIG_H
#define VECWIRE_TESTS_ROWS_RIG_H

#include "tests/client_rig.h"

#define ROW(id, text)                                                          \
    "{\"id\":\"" id "\",\"text\":\"" text "\",\"metadata\":{},\"score\":0.5}"
#define TWO_ROWS "{\"matches\":[" ROW("a", "one") "," ROW("b", "two") "]}"
#define CHUNK(length, text) length "\r\n" text "\r\n"
#define OK "HTTP/1.1 200 OK\r\n"

/* A query that takes rows. */
struct taking {
    struct client_rig *rig;
    vecwire_call_id id;
    size_t n_rows, bytes;
    unsigned row_runs, runs;
    enum vecwire_err code;
    uint64_t given;
    uint32_t wakeups;
    unsigned pauses;     /* the next so many rows callbacks pause */
    struct taking *next; /* begun in the completion */
};

void take(struct client_rig *rig, struct taking *taking, unsigned pauses);

/* Passes of the loop that do not wait. */
void turn(struct client_rig *rig, int passes);

/* Until its first rows callback, which must come. */
void run_until_paused(struct taking *taking);

#endif
