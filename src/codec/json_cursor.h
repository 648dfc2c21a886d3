/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of the JSON reader's loop: its place in the segment. */
#ifndef VECWIRE_CODEC_JSON_CURSOR_H
#define VECWIRE_CODEC_JSON_CURSOR_H

#include "codec/json_state.h"

/* What the loop has at hand. It lives in registers, as all steps are in line;
 * functions that are called see reader->p instead. */
struct cursor {
    const char *p;
    const char *end;
    const struct vecwire__json_field *field;
    unsigned depth;
    unsigned frame; /* reader->frames[depth] */
};

/* A frame is shape << 1 | is array; that of an array whose elements are no
 * objects but what reader->inner says: */
#define IS_ARRAY 1u
#define FRAME_LIST (0x80u | IS_ARRAY)

VECWIRE__INLINE int
cut(struct vecwire__json_reader *reader, enum vecwire__json_state state)
{
    reader->state = (unsigned char)state;
    return ST_CUT;
}

VECWIRE__INLINE int
refuse(struct vecwire__json_reader *reader, const struct cursor *c,
       enum vecwire__json_rc rc)
{
    return vecwire__json_fail_at(reader, rc, c->p);
}

VECWIRE__INLINE int
tell(struct vecwire__json_reader *reader, const struct cursor *c,
     enum vecwire__json_event event, unsigned tag, int next)
{
    if (VECWIRE__LIKELY(vecwire__json_tell(reader, event, tag)))
        return next;
    return vecwire__json_fail_at(reader, VECWIRE__JSON_ESINK, c->p);
}

/* To the next byte that is no blank; false at the segment's end. */
VECWIRE__INLINE bool
more(struct cursor *c)
{
    if (VECWIRE__UNLIKELY(c->p == c->end))
        return false;
    if (VECWIRE__LIKELY((unsigned char)*c->p > ' '))
        return true;
    c->p = vecwire__json_blanks(c->p, c->end);
    return c->p != c->end;
}

VECWIRE__INLINE uint64_t
here(const struct vecwire__json_reader *reader, const struct cursor *c)
{
    return reader->base + (uint64_t)(c->p - reader->begin);
}

/* Why a string has not ended; the state that follows. */
static inline int
string_stopped(struct vecwire__json_reader *reader,
               enum vecwire__json_string_end end,
               enum vecwire__json_state state)
{
    switch (end) {
    case STRING_CUT:
        return cut(reader, state);
    case STRING_FULL:
        return vecwire__json_fail(reader, VECWIRE__JSON_EMEM, reader->token_at);
    default:
        return vecwire__json_fail_at(reader, VECWIRE__JSON_EGRAMMAR, reader->p);
    }
}

#endif
