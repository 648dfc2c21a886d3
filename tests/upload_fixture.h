/* SPDX-License-Identifier: Apache-2.0 */
/* An upload on an engine between a fake transport and a fake clock. Row i has
 * the id "r<i>" and the vector [1,i,0]. */
#ifndef VECWIRE_TESTS_UPLOAD_FIXTURE_H
#define VECWIRE_TESTS_UPLOAD_FIXTURE_H

#include "call/upload.h"
#include "tests/engine_fixture.h"

enum upload_event { UPLOAD_FAILED_ROWS, UPLOAD_ROOM, UPLOAD_COMPLETED };

/* Rows that were reported as failed. */
struct upload_failure {
    uint64_t first;
    size_t count;
    enum vecwire_err code;
    uint32_t http_status;
    bool retryable, outcome_unknown;
    char first_id[16];
    char detail[64];
};

struct upload_fixture {
    struct engine_fixture base;
    struct vecwire__headers headers;
    struct vecwire_uploader *up; /* NULL once the test has freed it */
    struct vecwire_refusal refusal;
    size_t next_row;
    /* What the callbacks saw. */
    unsigned rooms, completions;
    size_t n_failures;
    struct upload_failure failures[64];
    bool keep_last; /* of more failures than that, the last one alone */
    struct vecwire_upload_result result; /* of the completion */
    enum vecwire_err code;               /* of the result */
    /* What the test wants done in a callback; may be NULL. */
    void (*then)(struct upload_fixture *f, enum upload_event event);
};

/* An upload of `rows` rows a request, `in_flight` at once, no other bound.
 * There are 8 connections. */
void upload_begin(struct upload_fixture *f, size_t rows, size_t in_flight);

/* The same with a deadline and a bound in bytes (0: none). */
void upload_begin_with(struct upload_fixture *f, size_t rows, size_t in_flight,
                       size_t bytes, uint64_t deadline_ns);

/* Frees what is left and checks that nothing remains. */
void upload_fini(struct upload_fixture *f);

/* Add the next `n` rows; how many were taken, *err how it ended. */
size_t upload_rows(struct upload_fixture *f, size_t n, enum vecwire_err *err);

/* Add the next `n` rows, which must all be taken. */
void upload_all(struct upload_fixture *f, size_t n);

/* The connection of the how manieth request under way (from 0), in the order
 * in which connections were opened; NULL: there are fewer. */
struct vecwire__conn *upload_conn(struct upload_fixture *f, size_t index);

/* How many requests are under way. */
size_t upload_under_way(struct upload_fixture *f);

/* Path and body of one, in static memory. */
const char *upload_path(struct upload_fixture *f, size_t index);
const char *upload_body(struct upload_fixture *f, size_t index);

/* Answer one. */
void upload_answer(struct upload_fixture *f, size_t index, uint32_t status,
                   const char *body);

/* Answer one with "so many were added". */
void upload_added(struct upload_fixture *f, size_t index, size_t rows);

/* Answer the first one with its number of rows, until none is under way. */
void upload_serve(struct upload_fixture *f);

#endif
