/* SPDX-License-Identifier: Apache-2.0 */
/* What a filter consists of. Texts are those of the tree it was read from. */
#ifndef VECWIRE_SERVER_QDRANT_CONDITION_H
#define VECWIRE_SERVER_QDRANT_CONDITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/geo.h"
#include "server/json_path.h"
#include "server/qdrant_filter.h"

enum vecwire__condition_kind {
    VECWIRE__COND_FILTER, /* zero-filled: a condition without anything */
    VECWIRE__COND_FIELD,
    VECWIRE__COND_IS_EMPTY,
    VECWIRE__COND_IS_NULL,
    VECWIRE__COND_HAS_ID,
    VECWIRE__COND_HAS_VECTOR,
    VECWIRE__COND_NESTED,
    VECWIRE__COND_SLICE
};

/* What a field condition asks of a value; any one of them will do. */
enum vecwire__field_ops {
    VECWIRE__OP_MATCH = 1,
    VECWIRE__OP_RANGE = 2,
    VECWIRE__OP_TIME = 4,
    VECWIRE__OP_COUNT = 8,
    VECWIRE__OP_IS_EMPTY = 16,
    VECWIRE__OP_IS_NULL = 32,
    VECWIRE__OP_GEO = 64
};

enum vecwire__match_kind {
    VECWIRE__MATCH_VALUE,
    VECWIRE__MATCH_TEXT, /* contains it */
    VECWIRE__MATCH_TEXT_ANY,
    VECWIRE__MATCH_PREFIX,
    VECWIRE__MATCH_ANY,
    VECWIRE__MATCH_EXCEPT
};

struct vecwire__match {
    enum vecwire__match_kind kind;
    const json_t *value;   /* of all but the lists */
    const json_t **sorted; /* of the lists: all strings or all integers */
    size_t n;
};

enum vecwire__bound {
    VECWIRE__BOUND_LT,
    VECWIRE__BOUND_GT,
    VECWIRE__BOUND_LTE,
    VECWIRE__BOUND_GTE,
    VECWIRE__BOUNDS
};

struct vecwire__bounds {
    bool has[VECWIRE__BOUNDS];
    double real[VECWIRE__BOUNDS];   /* of OP_RANGE */
    int64_t whole[VECWIRE__BOUNDS]; /* of OP_TIME and OP_COUNT */
};

struct vecwire__field {
    unsigned ops;
    bool is_empty, is_null; /* what those two ask for */
    struct vecwire__match match;
    struct vecwire__bounds range; /* of OP_RANGE or OP_TIME */
    struct vecwire__bounds count;
    struct vecwire__geo geo;
};

struct vecwire__condition {
    enum vecwire__condition_kind kind;
    struct vecwire__json_path path; /* of FIELD, IS_EMPTY, IS_NULL, NESTED */
    struct vecwire__field field;
    struct vecwire__point_id *ids; /* of HAS_ID: sorted */
    size_t n_ids;
    const json_t *name;             /* of HAS_VECTOR */
    uint64_t total, index;          /* of SLICE */
    struct vecwire__filter *filter; /* of FILTER and NESTED */
};

struct vecwire__conditions {
    struct vecwire__condition *items;
    size_t n;
};

struct vecwire__filter {
    json_t *tree; /* the outermost filter's: a reference */
    bool needs_payload;
    struct vecwire__conditions must, should, must_not, min_should;
    uint64_t min_count;
};

/* A filter being read. */
struct vecwire__filter_reader {
    struct vecwire__fault *fault;
    size_t n_conditions;
    unsigned depth;
    bool needs_payload;
};

/* Read a filter inside of another. NULL: the fault is set. */
struct vecwire__filter *
vecwire__filter_read(struct vecwire__filter_reader *reader, const json_t *tree);

/* Read one condition. False: the fault is set; to be freed all the same. */
bool vecwire__condition_read(struct vecwire__filter_reader *reader,
                             struct vecwire__condition *condition,
                             const json_t *tree);
void vecwire__condition_fini(struct vecwire__condition *condition);

/* Read what stands beside `key`. False: the fault is set. */
bool vecwire__field_read(struct vecwire__filter_reader *reader,
                         struct vecwire__field *field, const json_t *tree);
void vecwire__field_fini(struct vecwire__field *field);

/* Does a value that a path led to do? And a path that led to nothing? */
bool vecwire__field_matches(const struct vecwire__field *field,
                            const json_t *value);
bool vecwire__field_matches_nothing(const struct vecwire__field *field);

/* Order of two strings or two integers, for lists of either. */
int vecwire__match_order(const json_t *a, const json_t *b);

/* Set the fault to 400, or to 422, with a text behind what all such begin
 * with. False. */
__attribute__((format(printf, 2, 3))) bool
vecwire__filter_wrong(struct vecwire__filter_reader *reader, const char *format,
                      ...);
__attribute__((format(printf, 2, 3))) bool
vecwire__filter_invalid(struct vecwire__filter_reader *reader,
                        const char *format, ...);

/* Set the fault to 500. False. */
bool vecwire__filter_no_memory(struct vecwire__filter_reader *reader);

#endif
