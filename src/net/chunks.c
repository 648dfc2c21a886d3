/* SPDX-License-Identifier: Apache-2.0 */
#include "net/chunks.h"

#include <stdio.h>

void
vecwire__chunks_begin(struct vecwire__chunks *chunks, uint64_t max_body,
                      struct vecwire__head_guard *head)
{
    *chunks = (struct vecwire__chunks){.max_body = max_body, .head = head};
}

static int
hex_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static enum vecwire__chunk_fault
begin_data(struct vecwire__chunks *chunks)
{
    if (!chunks->digits)
        return VECWIRE__CHUNK_SIZE;
    if (chunks->left > chunks->max_body - chunks->body)
        return VECWIRE__CHUNK_BODY;
    chunks->body += chunks->left;
    chunks->state = VECWIRE__CHUNK_AT_DATA;
    if (chunks->left == 0) {
        chunks->state = VECWIRE__CHUNK_AT_TRAILERS;
        vecwire__head_guard_trailers(chunks->head);
    }
    chunks->digits = chunks->blank = chunks->cr = false;
    chunks->line = 0;
    return VECWIRE__CHUNK_FINE;
}

static enum vecwire__chunk_fault
take_size_byte(struct vecwire__chunks *chunks, char c)
{
    int digit = hex_of(c);

    if (c == '\n')
        return begin_data(chunks);
    if (chunks->cr)
        return VECWIRE__CHUNK_SIZE;
    if (c == '\r') {
        chunks->cr = true;
        return VECWIRE__CHUNK_FINE;
    }
    if (++chunks->line > VECWIRE__CHUNK_LINE_MAX)
        return VECWIRE__CHUNK_LINE;
    if (!chunks->digits && digit < 0)
        return VECWIRE__CHUNK_SIZE;
    if (c == ';')
        return VECWIRE__CHUNK_EXTENSION;
    if (c == ' ' || c == '\t') {
        chunks->blank = true;
        return VECWIRE__CHUNK_FINE;
    }
    if (chunks->blank || digit < 0)
        return VECWIRE__CHUNK_SIZE;
    chunks->digits = true;
    if (chunks->left > UINT64_MAX >> 4)
        return VECWIRE__CHUNK_BODY;
    chunks->left = chunks->left << 4 | (uint64_t)digit;
    return VECWIRE__CHUNK_FINE;
}

static enum vecwire__chunk_fault
take_data_end(struct vecwire__chunks *chunks, char c)
{
    if (c == '\n') {
        chunks->state = VECWIRE__CHUNK_AT_SIZE;
        chunks->cr = false;
        return VECWIRE__CHUNK_FINE;
    }
    if (c != '\r' || chunks->cr)
        return VECWIRE__CHUNK_END;
    chunks->cr = true;
    return VECWIRE__CHUNK_FINE;
}

static enum vecwire__chunk_fault
take_trailers(struct vecwire__chunks *chunks, const char *bytes, size_t n,
              size_t *used)
{
    chunks->head_fault =
        vecwire__head_guard_count(chunks->head, bytes, n, used);
    if (chunks->head_fault != VECWIRE__HEAD_FINE)
        return VECWIRE__CHUNK_TRAILERS;
    if (chunks->head->ended)
        chunks->state = VECWIRE__CHUNK_AT_END;
    return VECWIRE__CHUNK_FINE;
}

enum vecwire__chunk_fault
vecwire__chunks_take(struct vecwire__chunks *chunks, const char *bytes,
                     size_t n, size_t *used, bool *is_body)
{
    *is_body = false;
    *used = 1;
    switch (chunks->state) {
    case VECWIRE__CHUNK_AT_SIZE:
        return take_size_byte(chunks, bytes[0]);
    case VECWIRE__CHUNK_AT_DATA:
        *is_body = true;
        *used = chunks->left < n ? (size_t)chunks->left : n;
        chunks->left -= *used;
        if (chunks->left == 0)
            chunks->state = VECWIRE__CHUNK_AT_DATA_END;
        return VECWIRE__CHUNK_FINE;
    case VECWIRE__CHUNK_AT_DATA_END:
        return take_data_end(chunks, bytes[0]);
    case VECWIRE__CHUNK_AT_TRAILERS:
        return take_trailers(chunks, bytes, n, used);
    case VECWIRE__CHUNK_AT_END:
        break;
    }
    *used = 0;
    return VECWIRE__CHUNK_FINE;
}

void
vecwire__chunks_text(const struct vecwire__chunks *chunks,
                     enum vecwire__chunk_fault fault, char *text, size_t size)
{
    unsigned long long at = chunks->body;

    switch (fault) {
    case VECWIRE__CHUNK_SIZE:
        snprintf(text, size, "no chunk size after %llu bytes of body", at);
        break;
    case VECWIRE__CHUNK_LINE:
        snprintf(text, size,
                 "line of a chunk size is over the limit of %d bytes, after "
                 "%llu bytes of body",
                 VECWIRE__CHUNK_LINE_MAX, at);
        break;
    case VECWIRE__CHUNK_EXTENSION:
        snprintf(text, size, "chunk extension after %llu bytes of body", at);
        break;
    case VECWIRE__CHUNK_END:
        snprintf(text, size,
                 "chunk is longer than its size, after %llu bytes "
                 "of body",
                 at);
        break;
    case VECWIRE__CHUNK_BODY:
        snprintf(text, size,
                 "chunk after %llu bytes makes the body longer than the limit "
                 "of %llu bytes%s",
                 at, (unsigned long long)chunks->max_body,
                 chunks->head->of_reply ? " (max_reply_bytes)" : "");
        break;
    case VECWIRE__CHUNK_TRAILERS:
        vecwire__head_guard_text(chunks->head, chunks->head_fault, text, size);
        break;
    case VECWIRE__CHUNK_FINE:
        snprintf(text, size, "%s", "");
        break;
    }
}
