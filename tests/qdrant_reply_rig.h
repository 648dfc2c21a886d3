/* SPDX-License-Identifier: Apache-2.0 */
/* One reply of Qdrant's that is read without a network. */
#ifndef VECWIRE_TESTS_QDRANT_REPLY_RIG_H
#define VECWIRE_TESTS_QDRANT_REPLY_RIG_H

#include <check.h>

#include "dialect/qdrant.h"

#define POINTS(points)                                                         \
    "{\"result\":{\"points\":[" points "]},\"status\":\"ok\"}"
#define VECTOR(vector) POINTS("{\"id\":1,\"vector\":" vector "}")

extern struct vecwire_reply *reply_read;
extern struct vecwire__json_reader reply_reader;

void reply_rig_setup(void);
void reply_rig_teardown(void);

/* Feed it in pieces of `step` bytes, each in a block of its own size. */
enum vecwire__json_rc reply_read_in(const struct vecwire__decoding *how,
                                    const char *json, size_t step);

/* The same at once; it must be read and settled. */
void reply_read_as(const struct vecwire__decoding *how, const char *json);
void reply_read_page(const char *json);

/* It is refused, with these words, in whole and byte by byte. */
void reply_expect_fault(const struct vecwire__decoding *how, const char *json,
                        const char *words);

/* A row, a vector of a row; it must be there. */
const struct vecwire_row *reply_row(size_t index);
const struct vecwire_vector *reply_vector(size_t index, const char *name);

#endif
