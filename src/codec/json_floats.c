/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays of floats, the bulk of most replies. Between two commas that are
 * seen beforehand a number is read in place; whatever is unusual is left to
 * the loop that goes number by number, which alone finds faults. */
#include "codec/json_state.h"

#include <math.h>
#include <string.h>

#include "codec/float_dec.h"

struct row {
    const char *s; /* the next number, perhaps with blanks before it */
    float *out;
    float *limit;
};

/* A number between `s` and the comma at `end` in a form that is not fast. */
static VECWIRE__NOINLINE bool
odd_number(const char *s, const char *end, float *out)
{
    const char *p;

    if (vecwire__token_any(s, end, out))
        return true;
    s = vecwire__json_blanks(s, end);
    for (p = s; p < end && vecwire__number_char[(unsigned char)*p]; p++)
        ;
    return p - s <= VECWIRE__JSON_NUMBER_MAX &&
           vecwire__json_blanks(p, end) == end &&
           vecwire__float_read(s, p, out) == 1;
}

/* The numbers before the commas of `mask`, whose bit 0 is at `base`. False:
 * the next one is not for us, or the row is full. */
VECWIRE__INLINE bool
read_block(struct row *row, const char *base, uint64_t mask)
{
    const char *s = row->s;
    float *out = row->out;

    for (; mask != 0; mask &= mask - 1) {
        const char *comma = base + __builtin_ctzll(mask);

        if (out == row->limit ||
            (!vecwire__token_fast(s, comma, out) && !odd_number(s, comma, out)))
            break;
        out++;
        s = comma + 1;
    }
    row->s = s;
    row->out = out;
    return mask == 0;
}

/* Read on while it goes fast. At least 24 bytes lie behind reader->p. */
static void
read_fast(struct vecwire__json_reader *reader)
{
    struct row row = {reader->p, reader->floats + reader->n,
                      reader->floats + reader->room};
    const char *base = reader->p, *end = reader->end;
    bool more = true;

    for (; more && end - base >= 64; base += 64)
        more = read_block(&row, base, vecwire__comma_mask64(base));
    if (more && base < end) {
        char pad[64] = {0};

        memcpy(pad, base, (size_t)(end - base));
        (void)read_block(&row, base, vecwire__comma_mask64(pad));
    }
    reader->p = row.s;
    reader->n = (size_t)(row.out - reader->floats);
}

static bool
store(struct vecwire__json_reader *reader, float value)
{
    if (reader->n == reader->room &&
        (!vecwire__json_tell(reader, VECWIRE__JSON_EV_GROW,
                             reader->field->tag) ||
         reader->n >= reader->room))
        return false;
    reader->floats[reader->n++] = value;
    return true;
}

static int
row_number(struct vecwire__json_reader *reader)
{
    struct vecwire__json_token token;
    float value;
    int next;

    reader->state = ST_ROW_NUMBER;
    if (!vecwire__json_token_take(reader, &token, &next))
        return next;
    next = vecwire__json_token_float(reader, &token, &value);
    if (next == ST_FAILED)
        return next;
    if (!store(reader, value))
        return vecwire__json_fail_at(reader, VECWIRE__JSON_ESINK, reader->p);
    return ST_ROW_AFTER;
}

static int
row_null(struct vecwire__json_reader *reader)
{
    for (; reader->n_literal < 4; reader->n_literal++, reader->p++) {
        reader->state = ST_ROW_NULL;
        if (reader->p == reader->end)
            return ST_CUT;
        if (*reader->p != "null"[reader->n_literal])
            return vecwire__json_fail_at(reader, VECWIRE__JSON_EGRAMMAR,
                                         reader->p);
    }
    reader->is_nan = true;
    if (!store(reader, NAN))
        return vecwire__json_fail_at(reader, VECWIRE__JSON_ESINK, reader->p);
    return ST_ROW_AFTER;
}

static int
row_end(struct vecwire__json_reader *reader)
{
    reader->p++;
    if (!vecwire__json_tell(reader, VECWIRE__JSON_EV_F32S, reader->field->tag))
        return vecwire__json_fail_at(reader, VECWIRE__JSON_ESINK, reader->p);
    return ST_ENDED;
}

static int
row_value(struct vecwire__json_reader *reader, int state)
{
    char first = *reader->p;

    if (first == '-' || (unsigned)(first - '0') < 10)
        return row_number(reader);
    if (first == 'n') {
        reader->n_literal = 0;
        return row_null(reader);
    }
    if (first == ']' && state == ST_ROW_FIRST)
        return row_end(reader);
    return vecwire__json_fail_at(reader,
                                 vecwire__json_begins_value(first)
                                     ? VECWIRE__JSON_ETYPE
                                     : VECWIRE__JSON_EGRAMMAR,
                                 reader->p);
}

static int
row_after(struct vecwire__json_reader *reader)
{
    if (*reader->p == ']')
        return row_end(reader);
    if (*reader->p != ',')
        return vecwire__json_fail_at(reader, VECWIRE__JSON_EGRAMMAR, reader->p);
    reader->p++;
    if (reader->p - reader->begin >= VECWIRE__TOKEN_BEHIND &&
        reader->n < reader->room)
        read_fast(reader);
    return ST_ROW_VALUE;
}

int
vecwire__json_row(struct vecwire__json_reader *reader, int state)
{
    while (state >= ST_ROW_FIRST && state <= ST_ROW_AFTER) {
        if (state == ST_ROW_NUMBER) {
            state = row_number(reader);
            continue;
        }
        if (state == ST_ROW_NULL) {
            state = row_null(reader);
            continue;
        }
        reader->p = vecwire__json_blanks(reader->p, reader->end);
        if (reader->p == reader->end) {
            reader->state = (unsigned char)state;
            return ST_CUT;
        }
        if (state == ST_ROW_AFTER)
            state = row_after(reader);
        else
            state = row_value(reader, state);
    }
    return state;
}
