/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VECWIRE_TOOL_JSONL_H
#define VECWIRE_TOOL_JSONL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tool/vectors.h"

/* A file of JSON lines {"id"?,"vector"?,"text"?,"payload"?}, read a line at a
 * time. Other keys are skipped, and the first of them is noted. */
#define JSONL_KEY_MAX 64

struct jsonl {
    int fd;
    bool with_vectors; /* else "vector" is a key like any other */
    bool any_vectors;  /* of any kind, or null */
    bool no_texts;     /* "text" is a key like any other, but for null */
    bool ended;
    char *buffer;
    size_t room;
    size_t begin;  /* of what is not yet handed out */
    size_t looked; /* no line end before this */
    size_t end;
    uint64_t taken;        /* bytes of the lines handed out */
    uint64_t line;         /* number of the line handed out last, from 1 */
    size_t dim;            /* of all vectors; 0 until the first */
    float *vector;         /* of the row handed out last, dim floats, */
    bool has_vector;       /* where it has one that is a plain array */
    uint64_t unknown_line; /* with the first key that was skipped; 0: none */
    char unknown_key[JSONL_KEY_MAX]; /* as it stands there, quotes and all */
};

/* What a line held, NULL where it held nothing. The caller's to clear. */
struct jsonl_row {
    char *id;
    char *text;
    char *payload;          /* JSON text of an object */
    struct vectors vectors; /* those that are no plain array */
};

enum jsonl_result { JSONL_ROW, JSONL_END, JSONL_BAD };

/* What a reader has to say about a line, without file and number. */
#define JSONL_WHY_MAX 240

/* False: `why` (JSONL_WHY_MAX bytes) says what is wrong. */
bool vecwire__jsonl_open(struct jsonl *file, const char *path,
                         bool with_vectors, char *why);

/* The next line. JSONL_BAD: line file->line is bad, `why` says how. */
enum jsonl_result vecwire__jsonl_next(struct jsonl *file, struct jsonl_row *row,
                                      char *why);

/* Free what a row holds. */
void vecwire__jsonl_row_clear(struct jsonl_row *row);

void vecwire__jsonl_close(struct jsonl *file);

#endif
