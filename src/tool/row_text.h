/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VECWIRE_TOOL_ROW_TEXT_H
#define VECWIRE_TOOL_ROW_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include <vecwire/reply.h>

/* An id as JSON: a number, or a string. */
void vecwire__row_text_id(FILE *file, const struct vecwire_id *id);

/* All vectors of a row as JSON, as requests have them: an array for the one
 * unnamed vector, else an object by name; "{}": none. NaN is null. */
void vecwire__row_text_vectors(FILE *file, const struct vecwire_row *row);

/* The payload in the server's own text, on one line. NULL: null. */
void vecwire__row_text_payload(FILE *file, const char *payload, size_t len);

/* {"id":..,"vector":..,"payload":..}, without what is not asked for. */
void vecwire__row_text(FILE *file, const struct vecwire_row *row,
                       bool with_vector, bool with_payload);

#endif
