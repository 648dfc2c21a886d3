/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VECWIRE_TOOL_TALLY_H
#define VECWIRE_TOOL_TALLY_H

#include <stddef.h>
#include <stdint.h>

#include <vecwire/error.h>

/* A row that was not written, and why. */
struct tally_error {
    uint64_t row;
    char *id; /* NULL: none known */
    char *text;
    enum vecwire_err code;
};

/* So many failed rows are kept with their reasons. */
#define TALLY_MAX_ERRORS 1000

/* What became of the rows of an import or a delete. */
struct tally {
    uint64_t done;
    uint64_t failed;
    uint64_t unknown;           /* of those done by delete: not there before */
    struct tally_error *errors; /* of the first that failed */
    size_t n_errors;
    size_t room;
};

/* Count one failed row; `id` may be NULL. */
void vecwire__tally_fail(struct tally *tally, uint64_t row, const char *id,
                         enum vecwire_err code, const char *text);

/* {"rows_done":..,"rows_failed":..,"errors":[..]} on stdout, and with
 * "errors_left_out" where there were more than are kept. */
void vecwire__tally_print(const struct tally *tally);

void vecwire__tally_fini(struct tally *tally);

#endif
