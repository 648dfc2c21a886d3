/* SPDX-License-Identifier: Apache-2.0 */
/* Walks through JSON text that vecwire__json_check() has found correct: no
 * tree, no copies, numbers as exact as they were written. */
#ifndef VECWIRE_SERVER_JSON_VIEW_H
#define VECWIRE_SERVER_JSON_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "codec/buf.h"

/* One value, from its first byte to behind its last; at NULL: absent. */
struct vecwire__view {
    const char *at;
    const char *end;
};

/* The members of an object, or the elements of an array (without key). */
struct vecwire__view_iter {
    struct vecwire__view key; /* the quoted string */
    struct vecwire__view value;
    /* private */
    const char *p;     /* behind a bracket or comma */
    const char *close; /* the container's closing bracket */
    bool keyed;
};

/* One member of an object that is looked for. */
struct vecwire__view_want {
    const char *key;
    struct vecwire__view *value; /* absent when it is not there */
};

/* The root of a whole text. */
struct vecwire__view vecwire__view_root(const char *text, size_t len);

/* Begin with an object or array; of anything else there is nothing. */
void vecwire__view_begin(struct vecwire__view_iter *iter,
                         struct vecwire__view container);
bool vecwire__view_next(struct vecwire__view_iter *iter);

/* Fill in all wanted members, absent ones and null as absent. NULL, or the
 * key that stands twice. */
const char *vecwire__view_members(struct vecwire__view object,
                                  const struct vecwire__view_want *wants,
                                  size_t n_wants);

/* The number of elements. */
size_t vecwire__view_count(struct vecwire__view container);

/* Is it a quoted string of just this text, without escapes? */
bool vecwire__view_is(struct vecwire__view string, const char *text);

bool vecwire__view_is_null(struct vecwire__view value);
static inline bool
vecwire__view_is_object(struct vecwire__view value)
{
    return value.at != NULL && *value.at == '{';
}

static inline bool
vecwire__view_is_array(struct vecwire__view value)
{
    return value.at != NULL && *value.at == '[';
}

static inline bool
vecwire__view_is_string(struct vecwire__view value)
{
    return value.at != NULL && *value.at == '"';
}

bool vecwire__view_is_number(struct vecwire__view value);

/* An integer's token of 0 to 2^64-1. */
bool vecwire__view_u64(struct vecwire__view value, uint64_t *number);

/* true or false */
bool vecwire__view_bool(struct vecwire__view value, bool *flag);

/* A number as float32; false too where it is beyond. */
bool vecwire__view_f32(struct vecwire__view value, float *number);

/* Append a string's text in UTF-8, with a NUL behind it that does not count.
 * False: no memory. */
bool vecwire__view_text(struct vecwire__view string, struct vecwire__buf *buf);

#endif
