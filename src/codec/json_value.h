/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of the JSON reader's loop: the steps at a value. Each returns the
 * next state. */
#ifndef VECWIRE_CODEC_JSON_VALUE_H
#define VECWIRE_CODEC_JSON_VALUE_H

#include <math.h>
#include <string.h>

#include "codec/json_cursor.h"
#include "codec/json_number.h"
#include "codec/json_string.h"

/* Bytes of the segment from an opening bracket on for which json_skim.c pays.
 */
#define SKIM_LEAST 64

static const char literals[3][6] = {"true", "false", "null"};

VECWIRE__INLINE int
open_bracket(struct vecwire__json_reader *reader, struct cursor *c,
             unsigned frame)
{
    if (VECWIRE__UNLIKELY(c->depth == reader->max_depth))
        return refuse(reader, c, VECWIRE__JSON_EDEPTH);
    c->p++;
    if (frame > IS_ARRAY && (frame & IS_ARRAY) == 0) {
        reader->seen[c->depth + 1] = 0;
        if (tell(reader, c, VECWIRE__JSON_EV_BEGIN, frame >> 1, ST_VALUE) ==
            ST_FAILED)
            return ST_FAILED;
    }
    c->depth++;
    c->frame = frame;
    reader->frames[c->depth] = (unsigned char)frame;
    c->field = NULL;
    return (frame & IS_ARRAY) != 0 ? ST_FIRST_ELEMENT : ST_FIRST_KEY;
}

VECWIRE__INLINE int
open_array(struct vecwire__json_reader *reader, struct cursor *c,
           unsigned frame)
{
    const struct vecwire__json_field *field = c->field;
    int next = open_bracket(reader, c, frame | IS_ARRAY);

    if (next == ST_FAILED)
        return next;
    return tell(reader, c, VECWIRE__JSON_EV_ARR, field->tag, next);
}

VECWIRE__INLINE int
open_row(struct vecwire__json_reader *reader, struct cursor *c)
{
    if (VECWIRE__UNLIKELY(c->depth == reader->max_depth))
        return refuse(reader, c, VECWIRE__JSON_EDEPTH);
    c->p++;
    reader->n = 0;
    reader->is_nan = false;
    return tell(reader, c, VECWIRE__JSON_EV_ROW, c->field->tag, ST_ROW_FIRST);
}

/* Without a key: the one to blame must last longer than the reader. */
static VECWIRE__NOINLINE void
set_inner(struct vecwire__json_reader *reader,
          const struct vecwire__json_field *field, enum vecwire__json_kind kind)
{
    reader->inner.key[0] = '\0';
    reader->inner.kind = (unsigned char)kind;
    reader->inner.tag = field->tag;
    reader->inner.sub = 0;
    reader->inner.nullable = false;
}

VECWIRE__INLINE int
open_vector(struct vecwire__json_reader *reader, struct cursor *c)
{
    if (VECWIRE__UNLIKELY(c->depth == reader->max_depth))
        return refuse(reader, c, VECWIRE__JSON_EDEPTH);
    c->p++;
    return ST_VECTOR_FIRST;
}

/* Behind a vector's first bracket: another one makes it a multi-vector. */
static inline int
step_vector_first(struct vecwire__json_reader *reader, struct cursor *c)
{
    const struct vecwire__json_field *field = c->field;

    if (!more(c))
        return cut(reader, ST_VECTOR_FIRST);
    if (VECWIRE__LIKELY(*c->p != '[')) {
        reader->n = 0;
        reader->is_nan = false;
        return tell(reader, c, VECWIRE__JSON_EV_ROW, field->tag, ST_ROW_FIRST);
    }
    set_inner(reader, field, VECWIRE__JSON_F32S);
    c->depth++;
    c->frame = FRAME_LIST;
    reader->frames[c->depth] = FRAME_LIST;
    c->field = &reader->inner;
    return tell(reader, c, VECWIRE__JSON_EV_MULTI, field->tag, ST_VALUE);
}

VECWIRE__INLINE int
literal_ended(struct vecwire__json_reader *reader, struct cursor *c)
{
    enum vecwire__json_event event = VECWIRE__JSON_EV_NULL;

    if (c->field == NULL)
        return ST_ENDED;
    if (reader->literal < 2) {
        reader->u64 = reader->literal == 0;
        event = VECWIRE__JSON_EV_BOOL;
    } else if (c->field->kind == VECWIRE__JSON_F32) {
        reader->f32 = NAN;
        reader->is_nan = true;
        event = VECWIRE__JSON_EV_F32;
    }
    return tell(reader, c, event, c->field->tag, ST_ENDED);
}

static inline int
step_literal(struct vecwire__json_reader *reader, struct cursor *c)
{
    const char *literal = literals[reader->literal];

    for (; literal[reader->n_literal] != '\0'; reader->n_literal++, c->p++) {
        if (c->p == c->end)
            return cut(reader, ST_LITERAL);
        if (*c->p != literal[reader->n_literal])
            return refuse(reader, c, VECWIRE__JSON_EGRAMMAR);
    }
    return literal_ended(reader, c);
}

VECWIRE__INLINE int
open_literal(struct vecwire__json_reader *reader, unsigned char which)
{
    reader->literal = which;
    reader->n_literal = 0;
    return ST_LITERAL;
}

/* Not what the field asks for: null may do, all else is an error. */
static VECWIRE__NOINLINE int
other_type(struct vecwire__json_reader *reader,
           const struct vecwire__json_field *field, const char *p)
{
    if (*p == 'n' && (field->nullable || field->kind == VECWIRE__JSON_F32))
        return open_literal(reader, 2);
    return vecwire__json_fail_at(reader,
                                 vecwire__json_begins_value(*p)
                                     ? VECWIRE__JSON_ETYPE
                                     : VECWIRE__JSON_EGRAMMAR,
                                 p);
}

VECWIRE__INLINE int
typed_number(struct vecwire__json_reader *reader, struct cursor *c)
{
    const char *end;

    if (c->field->kind == VECWIRE__JSON_F32) {
        end =
            vecwire__json_float_fast(c->p, reader->begin, c->end, &reader->f32);
        if (VECWIRE__LIKELY(end != NULL)) {
            c->p = end;
            reader->is_nan = false;
            return tell(reader, c, VECWIRE__JSON_EV_F32, c->field->tag,
                        ST_ENDED);
        }
    }
    return ST_TYPED_NUMBER;
}

VECWIRE__INLINE int
open_raw(struct vecwire__json_reader *reader, struct cursor *c)
{
    reader->raw = c->field;
    reader->end_depth = c->depth;
    reader->raw_from = c->p;
    reader->raw_at = here(reader, c);
    reader->text_at = reader->texts->len;
    c->field = NULL;
    return ST_PLAIN;
}

VECWIRE__INLINE int
open_text(struct vecwire__json_reader *reader, struct cursor *c)
{
    reader->token_at = here(reader, c);
    reader->text_at = reader->texts->len;
    c->p++;
    return ST_STRING;
}

VECWIRE__INLINE int
typed_value(struct vecwire__json_reader *reader, struct cursor *c)
{
    const struct vecwire__json_field *field = c->field;
    char first = *c->p;

    switch (field->kind) {
    case VECWIRE__JSON_SKIP:
        c->field = NULL;
        return ST_PLAIN;
    case VECWIRE__JSON_OBJ:
        if (VECWIRE__LIKELY(first == '{'))
            return open_bracket(reader, c, (unsigned)field->sub << 1);
        break;
    case VECWIRE__JSON_ARR:
        if (first == '[')
            return open_array(reader, c, (unsigned)field->sub << 1);
        break;
    case VECWIRE__JSON_VECTOR:
        if (VECWIRE__LIKELY(first == '['))
            return open_vector(reader, c);
        if (first == '{' && field->sub != 0)
            return open_bracket(reader, c, (unsigned)field->sub << 1);
        break;
    case VECWIRE__JSON_EITHER:
        if (first == '{')
            return open_bracket(reader, c, (unsigned)field->sub << 1);
        if (first == '[')
            return open_array(reader, c, (field->sub + 1u) << 1);
        break;
    case VECWIRE__JSON_U32S:
        if (first == '[') {
            set_inner(reader, field, VECWIRE__JSON_U32);
            return open_array(reader, c, FRAME_LIST);
        }
        break;
    case VECWIRE__JSON_F32S:
        if (first == '[')
            return open_row(reader, c);
        break;
    case VECWIRE__JSON_RAW_OBJ:
        if (first == '{')
            return open_raw(reader, c);
        break;
    case VECWIRE__JSON_RAW:
        if (first != 'n' || !field->nullable)
            return open_raw(reader, c);
        break;
    case VECWIRE__JSON_BOOL:
        if (first == 't' || first == 'f')
            return open_literal(reader, first == 'f');
        break;
    case VECWIRE__JSON_STR:
    case VECWIRE__JSON_ID:
        if (VECWIRE__LIKELY(first == '"'))
            return open_text(reader, c);
        if (field->kind == VECWIRE__JSON_STR)
            break;
        /* fallthrough */
    default:
        if (first == '-' || (unsigned)(first - '0') < 10)
            return typed_number(reader, c);
        break;
    }
    return other_type(reader, field, c->p);
}

VECWIRE__INLINE int
plain_literal(struct vecwire__json_reader *reader, struct cursor *c,
              unsigned char which, size_t len)
{
    if (VECWIRE__LIKELY(c->end - c->p >= 5) &&
        memcmp(c->p, literals[which], 4) == 0 && (len == 4 || c->p[4] == 'e')) {
        c->p += len;
        return ST_ENDED;
    }
    return open_literal(reader, which);
}

static inline int
step_plain(struct vecwire__json_reader *reader, struct cursor *c)
{
    const char *end;

    switch (*c->p) {
    case '"':
        c->p++;
        return ST_STRING;
    case '{':
    case '[':
#ifdef VECWIRE__SSE2
        if (c->end - c->p >= SKIM_LEAST)
            return ST_SKIM;
#endif
        return open_bracket(reader, c, *c->p == '[');
    case 't':
        return plain_literal(reader, c, 0, 4);
    case 'f':
        return plain_literal(reader, c, 1, 5);
    case 'n':
        return plain_literal(reader, c, 2, 4);
    case '-':
    case '0':
    case '1':
    case '2':
    case '3':
    case '4':
    case '5':
    case '6':
    case '7':
    case '8':
    case '9':
        end = vecwire__json_number_end(c->p, c->end);
        if (VECWIRE__LIKELY(end != NULL)) {
            c->p = end;
            return ST_ENDED;
        }
        reader->number = N_START;
        return ST_NUMBER;
    default:
        return refuse(reader, c, VECWIRE__JSON_EGRAMMAR);
    }
}

VECWIRE__INLINE int
step_value(struct vecwire__json_reader *reader, struct cursor *c)
{
    if (!more(c))
        return cut(reader, ST_VALUE);
    return c->field != NULL ? ST_TYPED : ST_PLAIN;
}

VECWIRE__INLINE int
text_ended(struct vecwire__json_reader *reader, struct cursor *c)
{
    if (c->field == NULL)
        return ST_ENDED;
    return tell(reader, c, VECWIRE__JSON_EV_STR, c->field->tag, ST_ENDED);
}

static inline int
step_string(struct vecwire__json_reader *reader, struct cursor *c)
{
    struct vecwire__buf *texts = reader->texts;
    enum vecwire__json_string_end end;
    int len = vecwire__json_short(c->p, c->end);

    if (VECWIRE__LIKELY(len >= 0) && reader->n_unit == 0) {
        if (c->field == NULL) {
            c->p += len + 1;
            return ST_ENDED;
        }
        /* copy 32 bytes whatever the length, where there is room for them */
        if (texts->cap - texts->len >= 32) {
            memcpy(texts->bytes + texts->len, c->p, 32);
            texts->len += (size_t)len;
            c->p += len + 1;
            return text_ended(reader, c);
        }
    }
    reader->p = c->p;
    end = c->field == NULL ? vecwire__json_string_skip(reader)
                           : vecwire__json_string_text(reader);
    c->p = reader->p;
    if (VECWIRE__LIKELY(end == STRING_END))
        return text_ended(reader, c);
    return string_stopped(reader, end, ST_STRING);
}

#endif
