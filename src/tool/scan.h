/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VECWIRE_TOOL_SCAN_H
#define VECWIRE_TOOL_SCAN_H

#include <stdbool.h>
#include <stddef.h>

/* A strict walk over JSON text that hands out pieces of it uncopied. */
struct scan {
    const char *text;
    size_t len;
    size_t at;         /* where the walk is; at a fault, where that is */
    const char *fault; /* NULL: none so far */
};

/* A piece of the text. */
struct span {
    const char *text; /* NULL: absent */
    size_t len;
};

/* Bytes of the UTF-8 character at `text`, 0 when it is none. */
size_t vecwire__scan_utf8(const char *text, size_t left);

/* Skip blanks; the next byte, '\0' at the end. */
char vecwire__scan_peek(struct scan *scan);

/* Step over `want`; false is the fault `what`. */
bool vecwire__scan_expect(struct scan *scan, char want, const char *what);

/* One whole value of any kind, checked for grammar. */
bool vecwire__scan_value(struct scan *scan, struct span *value);

/* Inside an object: the next key, to be freed by free(), and its value, with
 * the comma behind it. False, with nothing to free: there is none, or it is
 * faulty, or a key holds a NUL. */
bool vecwire__scan_member(struct scan *scan, char **key, struct span *value);

/* The text of a JSON string, unescaped, to be freed by free(). NULL: *what
 * says why; a NUL in it is refused. */
char *vecwire__scan_string(struct span value, const char **what);

#endif
