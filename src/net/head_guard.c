/* SPDX-License-Identifier: Apache-2.0 */
#include "net/head_guard.h"

#include <stdio.h>
#include <string.h>

void
vecwire__head_guard_begin(struct vecwire__head_guard *guard)
{
    guard->bytes = guard->line = 0;
    guard->lines = 0;
    guard->last = guard->begins = '\0';
    guard->colon = guard->trailers = guard->ended = false;
    guard->first = true;
}

void
vecwire__head_guard_trailers(struct vecwire__head_guard *guard)
{
    guard->line = 0;
    guard->colon = guard->first = guard->ended = false;
    guard->trailers = true;
}

static bool
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* "HTTP/1.x NNN", and then a blank or the line's end: evhttp reads its
 * numbers with what takes "+200", "200abc" and 2^32 + 200 for 200. */
static bool
status_is_sound(const struct vecwire__head_guard *guard)
{
    static const char begin[] = "HTTP/1.";
    const char *line = guard->status_line;

    return guard->line >= 12 && memcmp(line, begin, sizeof(begin) - 1) == 0 &&
           is_digit(line[7]) && line[8] == ' ' && is_digit(line[9]) &&
           is_digit(line[10]) && is_digit(line[11]) &&
           (guard->line == 12 || line[12] == ' ' || line[12] == '\r');
}

/* The line's end is there; `line` does not count it. */
static enum vecwire__head_fault
end_line(struct vecwire__head_guard *guard)
{
    bool empty = guard->line == 0 || (guard->line == 1 && guard->last == '\r');
    bool folded = guard->begins == ' ' || guard->begins == '\t';

    if (empty && guard->first)
        return VECWIRE__HEAD_EMPTY;
    if (guard->first && guard->of_reply && !status_is_sound(guard))
        return VECWIRE__HEAD_STATUS;
    guard->ended = empty;
    if (!empty && !guard->first) {
        if (guard->trailers && !guard->colon && !folded)
            return VECWIRE__HEAD_NO_COLON;
        if (guard->lines == guard->max_lines)
            return VECWIRE__HEAD_LINES;
        guard->lines++;
    }
    guard->first = guard->colon = false;
    guard->line = 0;
    return VECWIRE__HEAD_FINE;
}

static void
keep_status(struct vecwire__head_guard *guard, const char *bytes, size_t n)
{
    size_t room = sizeof(guard->status_line);

    if (guard->line >= room)
        return;
    room -= guard->line;
    memcpy(guard->status_line + guard->line, bytes, n < room ? n : room);
}

/* `n` bytes of one line, without its end. */
static enum vecwire__head_fault
add_to_line(struct vecwire__head_guard *guard, const char *bytes, size_t n)
{
    if (n == 0)
        return VECWIRE__HEAD_FINE;
    if (guard->line == 0)
        guard->begins = bytes[0];
    if (guard->first)
        keep_status(guard, bytes, n);
    guard->line += n;
    guard->last = bytes[n - 1];
    if (guard->trailers && memchr(bytes, ':', n) != NULL)
        guard->colon = true;
    if (guard->first &&
        guard->line - (guard->last == '\r') > guard->max_first_line)
        return VECWIRE__HEAD_FIRST_LINE;
    return VECWIRE__HEAD_FINE;
}

enum vecwire__head_fault
vecwire__head_guard_count(struct vecwire__head_guard *guard, const char *bytes,
                          size_t n, size_t *used)
{
    enum vecwire__head_fault fault = VECWIRE__HEAD_FINE;
    const char *nul;
    size_t at = 0;

    while (at < n && !guard->ended && fault == VECWIRE__HEAD_FINE) {
        const char *end = memchr(bytes + at, '\n', n - at);
        size_t len = end == NULL ? n - at : (size_t)(end - bytes) - at;

        fault = add_to_line(guard, bytes + at, len);
        at += len + (end != NULL);
        guard->bytes += len + (end != NULL);
        if (fault == VECWIRE__HEAD_FINE && guard->bytes > guard->max_bytes)
            fault = VECWIRE__HEAD_BYTES;
        if (fault == VECWIRE__HEAD_FINE && end != NULL)
            fault = end_line(guard);
    }
    *used = at;
    nul = memchr(bytes, '\0', at);
    if (nul == NULL)
        return fault;
    guard->bytes -= at - (size_t)(nul + 1 - bytes);
    return VECWIRE__HEAD_NUL;
}

void
vecwire__head_guard_text(const struct vecwire__head_guard *guard,
                         enum vecwire__head_fault fault, char *text,
                         size_t size)
{
    const char *where = guard->trailers ? "trailers" : "head";

    switch (fault) {
    case VECWIRE__HEAD_EMPTY:
        snprintf(text, size, "empty line before the first line");
        break;
    case VECWIRE__HEAD_NUL:
        snprintf(text, size, "%s: NUL within the first %llu bytes", where,
                 (unsigned long long)guard->bytes);
        break;
    case VECWIRE__HEAD_FIRST_LINE:
        snprintf(text, size, "first line is over the limit of %u bytes",
                 (unsigned)guard->max_first_line);
        break;
    case VECWIRE__HEAD_STATUS:
        snprintf(text, size, "status line is malformed");
        break;
    case VECWIRE__HEAD_BYTES:
        snprintf(text, size, "%s: more than %u bytes%s", where,
                 (unsigned)guard->max_bytes,
                 guard->of_reply ? " (max_header_bytes)" : "");
        break;
    case VECWIRE__HEAD_LINES:
        snprintf(text, size, "%s: more than %u header lines%s", where,
                 (unsigned)guard->max_lines,
                 guard->of_reply ? " (max_header_lines)" : "");
        break;
    case VECWIRE__HEAD_NO_COLON:
        snprintf(text, size, "trailers: line %u has no colon",
                 (unsigned)guard->lines + 1);
        break;
    case VECWIRE__HEAD_FINE:
        snprintf(text, size, "%s", "");
        break;
    }
}
