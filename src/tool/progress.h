/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VECWIRE_TOOL_PROGRESS_H
#define VECWIRE_TOOL_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How far a long command is. */
struct progress_state {
    uint64_t done;  /* rows */
    uint64_t total; /* 0: not known */
    double part;    /* of the whole, 0 to 1; below 0: not known */
    double seconds; /* since the begin */
};

/* A line on stderr that is written again and again, for a terminal. */
struct progress {
    const char *command;
    bool shown;  /* someone watches, and nothing else was said yet */
    size_t last; /* its length */
    uint64_t begin_ns, next_ns;
};

/* "12800 of 100000 rows, 12 %, 24000 rows/s, 4 s left" in `text`. */
void vecwire__progress_text(const struct progress_state *state, char *text,
                            size_t room);

/* Begin; nothing is shown when stderr is no terminal. */
void vecwire__progress_begin(struct progress *progress, const char *command);

/* Show it, a few times a second at most. state->seconds is filled in. */
void vecwire__progress_show(struct progress *progress,
                            struct progress_state *state);

/* The last state, and the line's end: nothing is shown any more. */
void vecwire__progress_end(struct progress *progress,
                           struct progress_state *state);

#endif
