/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a filter that is being made. */
#ifndef VECWIRE_API_QDRANT_FILTER_H
#define VECWIRE_API_QDRANT_FILTER_H

#include <vecwire/qdrant_filter.h>

#include "dialect/qdrant.h"

/* Filters within filters. Each costs at most 4 of the 128 brackets that a
 * request may have. */
#define VECWIRE__FILTER_DEPTH 28
#define VECWIRE__N_CLAUSES 4

/* One filter within others, or the outermost one. */
struct vecwire__filter_level {
    struct vecwire__buf clauses[VECWIRE__N_CLAUSES]; /* conditions, by commas */
    uint64_t min_count;                              /* 0: not said */
    enum vecwire_qdrant_clause clause;               /* of the one around it */
    bool is_nested;
};

struct vecwire_qdrant_filter {
    struct vecwire_mem mem;
    struct vecwire__settings settings;
    struct vecwire_refusal refusal;
    /* Writes into a clause of the level that was begun last. */
    struct vecwire__qdrant_writer writer;
    struct vecwire__buf text; /* the whole, once asked for */
    size_t n_levels;          /* the outermost one counts */
    struct vecwire__filter_level levels[VECWIRE__FILTER_DEPTH + 1];
};

/* A condition begins in `clause`, at a key if that is not NULL: what follows
 * goes to the writer returned. NULL: an error stands, or the filter is NULL. */
struct vecwire__qdrant_writer *
vecwire__filter_open(struct vecwire_qdrant_filter *filter,
                     enum vecwire_qdrant_clause clause, const char *key);

/* It ends: its closing bracket. The filter's error. */
enum vecwire_err vecwire__filter_close(struct vecwire_qdrant_filter *filter);

/* A condition on a key by the operator `name`, whose value follows. */
struct vecwire__qdrant_writer *
vecwire__filter_operator(struct vecwire_qdrant_filter *filter,
                         enum vecwire_qdrant_clause clause, const char *key,
                         const char *name);

/* A number, exact; NaN and infinities are refused. */
void vecwire__filter_put_double(struct vecwire__qdrant_writer *w, double value,
                                const char *what);

/* Is it a date, or a date and a time, as filters take them? */
bool vecwire__is_datetime(const char *text);

#endif
