/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of the JSON reader: what its files share.
 *
 *            +-------- , in an array ---------+
 *            v                                |
 *  [ FIRST_ELEMENT -> VALUE -> (a scalar) -> ENDED -> AFTER -> CLOSE
 *                      ^                      ^  |      |        |
 *  { FIRST_KEY -> KEY -> COLON                |  v      | ,      |
 *                  ^                          | DONE    |        |
 *                  +--------------------------|---------+        |
 *                                             +------------------+
 *
 * A new segment may begin in every state up to ST_DONE. */
#ifndef VECWIRE_CODEC_JSON_STATE_H
#define VECWIRE_CODEC_JSON_STATE_H

#include "codec/float_token.h"
#include "codec/json_reader.h"

enum vecwire__json_state {
    ST_VALUE,
    ST_FIRST_ELEMENT, /* or the end of an empty array */
    ST_FIRST_KEY,     /* or the end of an empty object */
    ST_KEY,
    ST_KEY_TEXT,
    ST_COLON,
    ST_AFTER, /* a value inside a container has ended */
    ST_STRING,
    ST_LITERAL,
    ST_NUMBER,       /* nobody reads it */
    ST_TYPED_NUMBER, /* somebody does */
    ST_VECTOR_FIRST, /* behind the first bracket of a vector */
    ST_ROW_FIRST,    /* array of floats: a value, or its end */
    ST_ROW_VALUE,
    ST_ROW_NUMBER,
    ST_ROW_NULL,
    ST_ROW_AFTER,
    ST_DONE,
    /* never kept from one segment to the next */
    ST_TYPED, /* at the first byte of a value that somebody reads, */
    ST_PLAIN, /* that nobody reads */
    ST_SKIM,  /* the same, at an opening bracket with 64 bytes from there on */
    ST_ENDED, /* just behind a value */
    ST_CLOSE, /* at a closing bracket that fits */
    ST_CUT,   /* the segment is used up, reader->state is where to go on */
    ST_FAILED /* reader->rc and offset are set */
};

enum vecwire__json_string_end {
    STRING_CUT,
    STRING_END,
    STRING_BAD, /* reader->p is at the byte at fault */
    STRING_FULL /* no room for the text */
};

/* Set rc and offset; ST_FAILED. The second form takes a place in the segment,
 * which need not be its own byte. */
int vecwire__json_fail(struct vecwire__json_reader *reader,
                       enum vecwire__json_rc rc, uint64_t offset);
int vecwire__json_fail_at(struct vecwire__json_reader *reader,
                          enum vecwire__json_rc rc, const char *p);

/* Whether a JSON value can begin with `c`. */
bool vecwire__json_begins_value(char c);

/* Read the string at reader->p (behind the quote, or where it was cut): drop
 * it, append it to texts, or keep up to 32 bytes in reader->name. */
enum vecwire__json_string_end
vecwire__json_string_skip(struct vecwire__json_reader *reader);
enum vecwire__json_string_end
vecwire__json_string_text(struct vecwire__json_reader *reader);
enum vecwire__json_string_end
vecwire__json_string_name(struct vecwire__json_reader *reader);

/* From the opening bracket at reader->p, which nobody reads, as far as it goes
 * fast; the next state. Keeps reader->depth and frames. */
int vecwire__json_skim(struct vecwire__json_reader *reader);

/* Go on in a number that nobody reads; the next state. */
int vecwire__json_number_skip(struct vecwire__json_reader *reader);

/* The number of reader->field, from its first byte or where it was cut, with
 * its event; the next state. */
int vecwire__json_number_typed(struct vecwire__json_reader *reader);

/* The text has ended, perhaps in such a number: set rc and offset. */
void vecwire__json_number_cut_off(struct vecwire__json_reader *reader);

/* A whole number token and whether 24 bytes before its end are readable. */
struct vecwire__json_token {
    const char *p;
    const char *end;
    bool roomy;
};

/* Take the number at reader->p, with what was carried of it. False: *next is
 * ST_CUT or ST_FAILED. */
bool vecwire__json_token_take(struct vecwire__json_reader *reader,
                              struct vecwire__json_token *token, int *next);

/* The token as float32: ST_ENDED, or ST_FAILED. */
int vecwire__json_token_float(struct vecwire__json_reader *reader,
                              const struct vecwire__json_token *token,
                              float *out);

/* Go on in an array of floats, in one of the ST_ROW states; the next state. */
int vecwire__json_row(struct vecwire__json_reader *reader, int state);

/* Tell the sink. */
VECWIRE__INLINE bool
vecwire__json_tell(struct vecwire__json_reader *reader,
                   enum vecwire__json_event event, unsigned tag)
{
    return reader->sink(reader, event, tag);
}

/* Behind the blanks at `p`. */
VECWIRE__INLINE const char *
vecwire__json_blanks(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r'))
        p++;
    return p;
}

#endif
