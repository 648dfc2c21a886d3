/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VECWIRE_TOOL_ROWS_H
#define VECWIRE_TOOL_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tool/fvecs.h"
#include "tool/jsonl.h"
#include "tool/npy.h"

enum rows_kind { ROWS_JSONL, ROWS_NPY, ROWS_FVECS };

/* Where an import takes its rows: a .npy or .fvecs with an optional file of
 * payloads beside it, or a .jsonl. A batch of rows is in memory at a time. */
struct rows {
    const char *path;
    const char *payload_path; /* NULL: none */
    uint64_t id_offset;
    size_t batch;
    bool any_vectors; /* a .jsonl may have vectors of any kind, or none */
    bool no_texts;    /* the database has none */

    enum rows_kind kind; /* by the path's end */
    struct npy npy;
    struct fvecs fvecs;
    struct jsonl lines; /* the .jsonl, or the payloads */
    uint64_t total;     /* rows in the file; 0: not known */
    uint64_t size;      /* bytes of a .jsonl; 0: not known */

    /* The batch at hand, by column. */
    uint64_t first; /* number of its first row in the file */
    size_t count;
    bool have_vectors; /* all rows of a batch have one in `matrix`, or none */
    bool have_lists;   /* they have theirs in `lists` */
    size_t dim;
    float *matrix;
    char **ids;
    char **texts;
    char **payloads;
    struct vectors *vectors;       /* of any kind, one a row */
    struct vecwire_vectors *lists; /* the same, as requests have them */

    struct jsonl_row held; /* read, but of another kind than the batch */
    bool holds;

    bool ended;
    bool bad;              /* the row behind the batch is bad */
    char why[NPY_WHY_MAX]; /* how */
    bool why_in_payloads;  /* the file that is to blame */
    uint64_t why_line;     /* 0: it has no lines */
};

/* What kind of file that is; false: none that is known. */
bool vecwire__rows_kind(const char *path, enum rows_kind *kind);

/* "FILE.ids.jsonl" of "FILE.npy", to be freed by free(). */
char *vecwire__rows_ids_path(const char *path);

/* Open what kind, path and payload_path name; false: `why` says what is wrong
 * with the file that why_in_payloads tells. */
bool vecwire__rows_open(struct rows *rows);

/* Read the next batch; count is 0 at the end or when the next row is bad. */
void vecwire__rows_next(struct rows *rows);

/* How much of the file the rows up to the batch's end are, `rows_done` being
 * how many of them count: 0 to 1, or below 0 when that is not known. */
double vecwire__rows_part(const struct rows *rows, uint64_t rows_done);

void vecwire__rows_close(struct rows *rows);

#endif
