/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tool/args.h"

_Static_assert(NPY_WHY_MAX >= JSONL_WHY_MAX, "one buffer serves both");

bool
vecwire__rows_kind(const char *path, enum rows_kind *kind)
{
    static const char *const ends[] = {
        [ROWS_JSONL] = ".jsonl", [ROWS_NPY] = ".npy", [ROWS_FVECS] = ".fvecs"};
    size_t len = strlen(path);

    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        size_t tail = strlen(ends[i]);

        if (len > tail && strcmp(path + len - tail, ends[i]) == 0) {
            *kind = (enum rows_kind)i;
            return true;
        }
    }
    return false;
}

char *
vecwire__rows_ids_path(const char *path)
{
    static const char tail[] = ".ids.jsonl";
    size_t len = strlen(path) - strlen(".npy");
    char *made = vecwire__args_alloc(len + sizeof(tail), 1);

    memcpy(made, path, len);
    memcpy(made + len, tail, sizeof(tail));
    return made;
}

static bool
open_vectors(struct rows *rows)
{
    struct stat info;

    switch (rows->kind) {
    case ROWS_NPY:
        if (!vecwire__npy_open(&rows->npy, rows->path, rows->why))
            return false;
        rows->total = rows->npy.rows;
        rows->dim = rows->npy.dim;
        return true;
    case ROWS_FVECS:
        if (!vecwire__fvecs_open(&rows->fvecs, rows->path, rows->why))
            return false;
        rows->total = rows->fvecs.rows;
        rows->dim = rows->fvecs.dim;
        return true;
    case ROWS_JSONL:
        break;
    }
    if (!vecwire__jsonl_open(&rows->lines, rows->path, true, rows->why))
        return false;
    if (fstat(rows->lines.fd, &info) == 0 && S_ISREG(info.st_mode))
        rows->size = (uint64_t)info.st_size;
    return true;
}

bool
vecwire__rows_open(struct rows *rows)
{
    rows->npy.fd = rows->fvecs.fd = rows->lines.fd = -1;
    if (!open_vectors(rows))
        return false;
    if (rows->payload_path != NULL &&
        !vecwire__jsonl_open(&rows->lines, rows->payload_path, false,
                             rows->why)) {
        rows->why_in_payloads = true;
        vecwire__rows_close(rows);
        return false;
    }
    rows->ids = vecwire__args_alloc(rows->batch, sizeof(char *));
    rows->texts = vecwire__args_alloc(rows->batch, sizeof(char *));
    rows->payloads = vecwire__args_alloc(rows->batch, sizeof(char *));
    rows->vectors = vecwire__args_alloc(rows->batch, sizeof(*rows->vectors));
    rows->lists = vecwire__args_alloc(rows->batch, sizeof(*rows->lists));
    rows->lines.no_texts = rows->no_texts;
    rows->lines.any_vectors = rows->any_vectors && rows->kind == ROWS_JSONL;
    return true;
}

static void
clear_batch(struct rows *rows)
{
    for (size_t i = 0; i < rows->count; i++) {
        struct jsonl_row row = {rows->ids[i], rows->texts[i], rows->payloads[i],
                                rows->vectors[i]};

        vecwire__jsonl_row_clear(&row);
    }
    rows->first += rows->count;
    rows->count = 0;
}

void
vecwire__rows_close(struct rows *rows)
{
    clear_batch(rows);
    if (rows->holds)
        vecwire__jsonl_row_clear(&rows->held);
    rows->holds = false;
    vecwire__npy_close(&rows->npy);
    vecwire__fvecs_close(&rows->fvecs);
    vecwire__jsonl_close(&rows->lines);
    free(rows->matrix);
    free(rows->ids);
    free(rows->texts);
    free(rows->payloads);
    free(rows->vectors);
    free(rows->lists);
    rows->matrix = NULL;
    rows->ids = rows->texts = rows->payloads = NULL;
    rows->vectors = NULL;
    rows->lists = NULL;
}

static void
need_matrix(struct rows *rows, size_t dim)
{
    size_t n = rows->batch;

    if (rows->matrix != NULL)
        return;
    rows->dim = dim;
    /* A short file with long rows needs no more than it has. */
    if (rows->total > 0 && rows->total < n)
        n = (size_t)rows->total;
    rows->matrix = vecwire__args_alloc(n, dim * sizeof(float));
}

/* Take one row's texts into the batch; without an id it is its number. */
static void
push_row(struct rows *rows, const struct jsonl_row *row)
{
    size_t at = rows->count++;

    rows->ids[at] = row->id;
    rows->texts[at] = row->text;
    rows->payloads[at] = row->payload;
    rows->vectors[at] = row->vectors;
    rows->lists[at].list = row->vectors.list;
    rows->lists[at].n = row->vectors.n;
    if (row->id == NULL) {
        rows->ids[at] = vecwire__args_alloc(24, 1);
        snprintf(rows->ids[at], 24, "%" PRIu64,
                 rows->first + at + rows->id_offset);
    }
}

/* The row that was held back, or that of the next line. */
static bool
next_line_row(struct rows *rows, struct jsonl_row *row)
{
    enum jsonl_result result;

    if (rows->holds) {
        *row = rows->held;
        rows->holds = false;
        return true;
    }
    result = vecwire__jsonl_next(&rows->lines, row, rows->why);
    rows->ended = result == JSONL_END;
    rows->bad = result == JSONL_BAD;
    rows->why_line = rows->lines.line;
    return result == JSONL_ROW;
}

/* A request has a vector for every row or for none: where one kind follows
 * the other the batch ends early, so that rows keep their order. */
static void
fill_from_lines(struct rows *rows)
{
    struct jsonl_row row;

    while (rows->count < rows->batch && next_line_row(rows, &row)) {
        bool has_vector = rows->lines.has_vector;

        if (rows->count > 0 && has_vector != rows->have_vectors) {
            rows->held = row;
            rows->holds = true;
            return;
        }
        rows->have_vectors = has_vector;
        rows->have_lists = rows->any_vectors && !has_vector;
        if (has_vector) {
            need_matrix(rows, rows->lines.dim);
            memcpy(rows->matrix + rows->count * rows->dim, rows->lines.vector,
                   rows->dim * sizeof(float));
        }
        push_row(rows, &row);
    }
}

/* The payload line of the next row of a .npy or .fvecs. */
static bool
next_payload(struct rows *rows, struct jsonl_row *row)
{
    enum jsonl_result result;

    memset(row, 0, sizeof(*row));
    if (rows->payload_path == NULL)
        return true;
    result = vecwire__jsonl_next(&rows->lines, row, rows->why);
    if (result == JSONL_ROW)
        return true;
    rows->why_in_payloads = true;
    rows->why_line = rows->lines.line + (result == JSONL_END);
    rows->bad = true;
    if (result == JSONL_END)
        snprintf(rows->why, sizeof(rows->why),
                 "the file ends, but there are %llu rows",
                 (unsigned long long)rows->total);
    return false;
}

/* Behind the last row no payload may be left. */
static void
check_no_more_payloads(struct rows *rows)
{
    struct jsonl_row row;

    if (rows->payload_path == NULL)
        return;
    switch (vecwire__jsonl_next(&rows->lines, &row, rows->why)) {
    case JSONL_END:
        return;
    case JSONL_ROW:
        vecwire__jsonl_row_clear(&row);
        snprintf(rows->why, sizeof(rows->why),
                 "there are only %llu rows, this line belongs to none",
                 (unsigned long long)rows->total);
        break;
    case JSONL_BAD:
        break;
    }
    rows->bad = true;
    rows->why_in_payloads = true;
    rows->why_line = rows->lines.line;
}

static size_t
read_vectors(struct rows *rows, char *why, bool *at_end)
{
    size_t got;

    if (rows->kind == ROWS_NPY) {
        got = vecwire__npy_read(&rows->npy, rows->batch, rows->matrix, why);
        *at_end = rows->npy.next == rows->npy.rows;
    } else {
        got = vecwire__fvecs_read(&rows->fvecs, rows->batch, rows->matrix, why);
        *at_end = rows->fvecs.next == rows->fvecs.rows;
    }
    return got;
}

static void
fill_from_vectors(struct rows *rows)
{
    size_t got;
    struct jsonl_row row;
    char why[NPY_WHY_MAX];
    bool at_end;

    rows->have_vectors = true;
    need_matrix(rows, rows->dim);
    got = read_vectors(rows, why, &at_end);
    while (rows->count < got && next_payload(rows, &row))
        push_row(rows, &row);
    if (rows->bad)
        return;
    if (why[0] != '\0') {
        memcpy(rows->why, why, sizeof(why));
        rows->bad = true;
    } else if (at_end) {
        rows->ended = true;
        check_no_more_payloads(rows);
    }
}

void
vecwire__rows_next(struct rows *rows)
{
    clear_batch(rows);
    if (rows->ended || rows->bad)
        return;
    if (rows->kind == ROWS_JSONL)
        fill_from_lines(rows);
    else
        fill_from_vectors(rows);
}

double
vecwire__rows_part(const struct rows *rows, uint64_t rows_done)
{
    uint64_t read = rows->first + rows->count;
    double part = -1;

    if (rows->total > 0)
        return (double)rows_done / (double)rows->total;
    if (rows->size > 0 && read > 0)
        part = (double)rows->lines.taken / (double)rows->size *
               ((double)rows_done / (double)read);
    return part > 1 ? 1 : part;
}
