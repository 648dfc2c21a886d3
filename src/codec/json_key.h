/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of the JSON reader's loop: the steps at a key. Each returns the next
 * state. */
#ifndef VECWIRE_CODEC_JSON_KEY_H
#define VECWIRE_CODEC_JSON_KEY_H

#include <string.h>

#include "codec/json_cursor.h"
#include "codec/json_string.h"

VECWIRE__INLINE int
step_colon(struct vecwire__json_reader *reader, struct cursor *c)
{
    if (!more(c))
        return cut(reader, ST_COLON);
    if (VECWIRE__UNLIKELY(*c->p != ':'))
        return refuse(reader, c, VECWIRE__JSON_EGRAMMAR);
    c->p++;
    return ST_VALUE;
}

/* Behind a key, 2 bytes are there: most often a colon and a value follow at
 * once, which `next` is for. */
VECWIRE__INLINE int
key_ended(struct cursor *c, int next)
{
    if (VECWIRE__UNLIKELY(c->p[0] != ':' || (unsigned char)c->p[1] <= ' '))
        return ST_COLON;
    c->p++;
    return next;
}

/* A known key has been read; false: for the second time. */
VECWIRE__INLINE bool
found_key(struct vecwire__json_reader *reader, struct cursor *c,
          struct vecwire__json_name *name)
{
    unsigned char seen = reader->seen[c->depth];

    c->field = name->field;
    reader->seen[c->depth] = seen | name->bit;
    reader->last[c->frame >> 1] = name;
    return VECWIRE__LIKELY((seen & name->bit) == 0);
}

VECWIRE__INLINE bool
is_name(const struct vecwire__json_name *name, const char *p)
{
    return ((vecwire__word_load(p) ^ name->word) & name->mask) == 0 &&
           p[name->len] == '"' &&
           (VECWIRE__LIKELY(name->len <= 8) ||
            memcmp(p, name->field->key, name->len) == 0);
}

/* The key at `p`, of which 32 bytes are there; NULL when it is none of the
 * shape's or written with escapes. Not in line: its registers would be spilled
 * on the way that nearly all keys take. */
static VECWIRE__NOINLINE struct vecwire__json_name *
search_name(struct vecwire__json_reader *reader, unsigned shape, const char *p)
{
    struct vecwire__json_name *names = reader->names[shape];

    for (size_t i = 0; i < reader->table->shapes[shape - 1].n_fields; i++) {
        if (is_name(&names[i], p)) {
            reader->last[shape]->next = &names[i];
            return &names[i];
        }
    }
    return NULL;
}

/* Whether any key will do; its name is made so that is_name() fails. */
VECWIRE__INLINE bool
is_map(const struct vecwire__json_reader *reader, unsigned shape)
{
    return reader->names[shape][0].len == 0;
}

/* A key of an object that somebody reads; c->p is at its quote. */
VECWIRE__INLINE int
read_key(struct vecwire__json_reader *reader, struct cursor *c)
{
    unsigned shape = c->frame >> 1;
    const char *p = c->p + 1;

    if (VECWIRE__LIKELY(c->end - p >= 34)) {
        struct vecwire__json_name *name = reader->last[shape]->next;

        if (VECWIRE__UNLIKELY(!is_name(name, p)))
            name = search_name(reader, shape, p);
        if (VECWIRE__LIKELY(name != NULL)) {
            if (VECWIRE__UNLIKELY(!found_key(reader, c, name)))
                return refuse(reader, c, VECWIRE__JSON_ETWICE);
            c->p = p + name->len + 1;
            return key_ended(c, ST_TYPED);
        }
    }
    reader->token_at = here(reader, c);
    reader->n_name = 0;
    if (is_map(reader, shape))
        reader->text_at = reader->texts->len;
    c->p++;
    return ST_KEY_TEXT;
}

VECWIRE__INLINE int
step_key(struct vecwire__json_reader *reader, struct cursor *c)
{
    int len;

    if (!more(c))
        return cut(reader, ST_KEY);
    if (VECWIRE__UNLIKELY(*c->p != '"'))
        return refuse(reader, c, VECWIRE__JSON_EGRAMMAR);
    if (c->frame != 0)
        return read_key(reader, c);
    c->p++;
    len = vecwire__json_short(c->p, c->end);
    if (VECWIRE__UNLIKELY(len < 0))
        return ST_KEY_TEXT;
    c->p += len + 1;
    return c->end - c->p < 2 ? ST_COLON : key_ended(c, ST_PLAIN);
}

static VECWIRE__NOINLINE struct vecwire__json_name *
find_name(struct vecwire__json_reader *reader, unsigned shape)
{
    struct vecwire__json_name *names = reader->names[shape];

    for (size_t i = 0; i < reader->table->shapes[shape - 1].n_fields; i++) {
        if (names[i].len == reader->n_name &&
            memcmp(names[i].field->key, reader->name, reader->n_name) == 0)
            return &names[i];
    }
    return NULL;
}

/* A key of a map, from behind its quote or where it was cut. */
static VECWIRE__NOINLINE int
map_key(struct vecwire__json_reader *reader,
        const struct vecwire__json_field *field)
{
    enum vecwire__json_string_end end = vecwire__json_string_text(reader);

    if (end != STRING_END)
        return string_stopped(reader, end, ST_KEY_TEXT);
    if (!vecwire__json_tell(reader, VECWIRE__JSON_EV_KEY, field->tag))
        return vecwire__json_fail_at(reader, VECWIRE__JSON_ESINK, reader->p);
    return ST_COLON;
}

static inline int
step_map_key(struct vecwire__json_reader *reader, struct cursor *c)
{
    const struct vecwire__json_field *field =
        reader->names[c->frame >> 1][0].field;
    int next = map_key(reader, field);

    c->p = reader->p;
    if (next == ST_COLON)
        c->field = field;
    return next;
}

static inline int
step_key_text(struct vecwire__json_reader *reader, struct cursor *c)
{
    enum vecwire__json_string_end end;
    struct vecwire__json_name *name;

    reader->p = c->p;
    if (c->frame != 0 && is_map(reader, c->frame >> 1))
        return step_map_key(reader, c);
    end = c->frame == 0 ? vecwire__json_string_skip(reader)
                        : vecwire__json_string_name(reader);
    c->p = reader->p;
    if (end != STRING_END)
        return string_stopped(reader, end, ST_KEY_TEXT);
    if (c->frame == 0)
        return ST_COLON;
    name = find_name(reader, c->frame >> 1);
    if (name != NULL && !found_key(reader, c, name))
        return vecwire__json_fail(reader, VECWIRE__JSON_ETWICE,
                                  reader->token_at);
    return ST_COLON;
}

#endif
