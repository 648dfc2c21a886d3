/* SPDX-License-Identifier: Apache-2.0 */
/* JSON text to a jansson tree and back, with what jansson lacks: integers up
 * to 2^64-1 stay exact, larger ones become reals, and a real is written with
 * as few digits as tell it apart. */
#ifndef VECWIRE_SERVER_JSON_TEXT_H
#define VECWIRE_SERVER_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "codec/buf.h"
#include "server/fault.h"

/* Nesting that Qdrant's own reader takes. */
#define VECWIRE__JSON_TEXT_DEPTH 127

/* A new tree of any one JSON value. NULL: `fault` is set, to 400 for what is
 * no JSON or is nested deeper than VECWIRE__JSON_TEXT_DEPTH, or to 500. */
json_t *vecwire__json_load(const char *text, size_t len,
                           struct vecwire__fault *fault);

/* Append the tree, compact. False: no memory, nothing appended. */
bool vecwire__json_dump(struct vecwire__buf *buf, const json_t *tree);

/* Is it an integer of 0 to 2^64-1? Then *number is set. */
bool vecwire__json_get_u64(const json_t *value, uint64_t *number);

/* Is it a number? Then *number is set, rounded. */
bool vecwire__json_get_double(const json_t *value, double *number);

/* Is it a string? (json_is_string() says so of integers over 2^63-1, too.) */
bool vecwire__json_is_text(const json_t *value);

#endif
