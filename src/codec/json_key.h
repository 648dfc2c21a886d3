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

/* The known key that began at offset `at` has been read. */
VECWIRE__INLINE int
found_key(struct vecwire__json_reader *reader, struct cursor *c, unsigned index,
          uint64_t at)
{
    unsigned shape = c->frame >> 1;
    unsigned char bit = (unsigned char)(1u << index);

    c->field = &reader->table->shapes[shape - 1].fields[index];
    if (VECWIRE__UNLIKELY((reader->seen[c->depth] & bit) != 0))
        return vecwire__json_fail(reader, VECWIRE__JSON_ETWICE, at);
    reader->seen[c->depth] |= bit;
    reader->last[shape] = (unsigned char)index;
    return ST_COLON;
}

VECWIRE__INLINE bool
is_name(const struct vecwire__json_name *name, const char *key, uint64_t word,
        const char *p)
{
    return ((word ^ name->word) & name->mask) == 0 && p[name->len] == '"' &&
           (name->len <= 8 || memcmp(p, key, name->len) == 0);
}

/* The key at `p`, of which 24 bytes are there; -1 when it is none of the
 * shape's or written with escapes. Servers keep their order: the key that
 * followed last time is tried first. */
VECWIRE__INLINE int
known_key(struct vecwire__json_reader *reader, unsigned shape, const char *p)
{
    const struct vecwire__json_shape *keys = &reader->table->shapes[shape - 1];
    const struct vecwire__json_name *names = reader->names[shape];
    unsigned char *guess = &reader->after[shape][reader->last[shape]];
    uint64_t word = vecwire__word_load(p);

    if (VECWIRE__LIKELY(
            *guess < keys->n_fields &&
            is_name(&names[*guess], keys->fields[*guess].key, word, p)))
        return *guess;
    for (size_t i = 0; i < keys->n_fields; i++) {
        if (is_name(&names[i], keys->fields[i].key, word, p)) {
            *guess = (unsigned char)i;
            return (int)i;
        }
    }
    return -1;
}

VECWIRE__INLINE int
step_key(struct vecwire__json_reader *reader, struct cursor *c)
{
    if (!more(c))
        return cut(reader, ST_KEY);
    if (VECWIRE__UNLIKELY(*c->p != '"'))
        return refuse(reader, c, VECWIRE__JSON_EGRAMMAR);
    if (c->frame != 0) {
        unsigned shape = c->frame >> 1;
        uint64_t at = here(reader, c);

        c->p++;
        if (VECWIRE__LIKELY(c->end - c->p >= 24)) {
            int index = known_key(reader, shape, c->p);

            if (VECWIRE__LIKELY(index >= 0)) {
                c->p += reader->names[shape][index].len + 1;
                return found_key(reader, c, (unsigned)index, at);
            }
        }
        reader->token_at = at;
        reader->n_name = 0;
    } else {
        int len;

        c->p++;
        len = vecwire__json_short(c->p, c->end);
        if (VECWIRE__LIKELY(len >= 0)) {
            c->p += len + 1;
            return ST_COLON;
        }
    }
    return ST_KEY_TEXT;
}

static VECWIRE__NOINLINE int
find_name(const struct vecwire__json_reader *reader, unsigned shape)
{
    const struct vecwire__json_shape *keys = &reader->table->shapes[shape - 1];

    for (size_t i = 0; i < keys->n_fields; i++) {
        if (reader->names[shape][i].len == reader->n_name &&
            memcmp(keys->fields[i].key, reader->name, reader->n_name) == 0)
            return (int)i;
    }
    return -1;
}

static inline int
step_key_text(struct vecwire__json_reader *reader, struct cursor *c)
{
    enum vecwire__json_string_end end;
    int index;

    reader->p = c->p;
    end = c->frame == 0 ? vecwire__json_string_skip(reader)
                        : vecwire__json_string_name(reader);
    c->p = reader->p;
    if (end != STRING_END)
        return string_stopped(reader, end, ST_KEY_TEXT);
    if (c->frame == 0)
        return ST_COLON;
    index = find_name(reader, c->frame >> 1);
    if (index < 0)
        return ST_COLON;
    return found_key(reader, c, (unsigned)index, reader->token_at);
}

#endif
