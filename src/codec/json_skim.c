/* SPDX-License-Identifier: Apache-2.0 */
/* Values that nobody reads, payloads above all. Going from token to token, each
 * waits for the length of the one before. Here quotes are found 64 bytes at a
 * time, so that the end of a string is a matter of a few bit operations.
 *
 * Only compact text is read this way. Whatever is unusual, blanks, faults and
 * the end of the segment first of all, is left to the loop of states: this
 * function returns the state that it has come to. */
#include <string.h>

#include "codec/json_cursor.h"
#include "codec/json_number.h"
#include "codec/json_string.h"

#ifdef VECWIRE__SSE2

/* Bytes that are there whenever a token is looked at. */
#define AHEAD 32

/* 64 bytes at `base`: bits of the quotes, and of what ends or is no plain
 * text otherwise. */
struct block {
    const char *base;
    uint64_t quotes;
    uint64_t odd;
};

struct skim {
    struct vecwire__json_reader *reader;
    const char *p;
    const char *end;
    struct block block;
    unsigned depth;
    bool is_array;
};

/* Add the 16 bytes at base + i; until all are there, `odd` has the bits of
 * those that are plain. */
VECWIRE__INLINE void
block_add(struct block *block, unsigned i)
{
    __m128i v = _mm_loadu_si128((const __m128i *)(block->base + i));
    __m128i quote = _mm_cmpeq_epi8(v, _mm_set1_epi8('"'));
    /* signed: bytes from 0x80 on are below 0x20, too */
    __m128i plain = _mm_andnot_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('\\')),
                                     _mm_cmpgt_epi8(v, _mm_set1_epi8(0x1f)));

    block->quotes |= (uint64_t)(unsigned)_mm_movemask_epi8(quote) << i;
    block->odd |= (uint64_t)(unsigned)_mm_movemask_epi8(plain) << i;
}

VECWIRE__INLINE void
block_load(struct block *block, const char *base)
{
    block->base = base;
    block->quotes = block->odd = 0;
    block_add(block, 0);
    block_add(block, 16);
    block_add(block, 32);
    block_add(block, 48);
    block->odd = ~block->odd;
}

/* Behind the escape or the longer characters at `p`; NULL: they are not whole,
 * or wrong. */
static VECWIRE__NOINLINE const char *
unit_pass(const char *p, const char *end)
{
    char out[4];
    size_t n_out;
    int len;

    if ((signed char)*p < 0)
        return vecwire__utf8_run(&p, end) > 0 ? p : NULL;
    if (*p != '\\')
        return NULL;
    len = vecwire__json_escape(p, (size_t)(end - p), out, &n_out);
    return len > 0 ? p + len : NULL;
}

/* The rest of a string, from `p` on, that ends elsewhere or is at fault. The
 * next state; ST_ENDED: reader->p is behind the string. */
static VECWIRE__NOINLINE int
rest_pass(struct vecwire__json_reader *reader, const char *p, int cut_state)
{
    enum vecwire__json_string_end end;

    reader->p = p;
    end = vecwire__json_string_skip(reader);
    if (end == STRING_END)
        return ST_ENDED;
    return string_stopped(reader, end, (enum vecwire__json_state)cut_state);
}

/* A string whose text begins at s->p. True: s->p is behind it. False: go on in
 * *next. Nothing here may take the address of `s`: it is to stay in registers.
 */
VECWIRE__INLINE bool
string_pass(struct skim *s, int cut_state, int *next)
{
    const char *p = s->p;

    for (;;) {
        size_t at = (size_t)(p - s->block.base);

        if (VECWIRE__LIKELY(at < 64)) {
            uint64_t from = ~(uint64_t)0 << at;
            uint64_t quotes = s->block.quotes & from;
            uint64_t odd = s->block.odd & from;

            /* the lowest bit of both is that of a quote? */
            if (VECWIRE__LIKELY(((quotes ^ (quotes - 1)) & odd) == 0 &&
                                quotes != 0)) {
                s->p = s->block.base + __builtin_ctzll(quotes) + 1;
                return true;
            }
            if (odd != 0) {
                const char *behind;

                p = s->block.base + __builtin_ctzll(odd);
                behind = unit_pass(p, s->end);
                if (behind == NULL)
                    break;
                p = behind;
                continue;
            }
            p = s->block.base + 64;
        }
        if (s->end - p < 64)
            break;
        block_load(&s->block, p);
    }
    *next = rest_pass(s->reader, p, cut_state);
    s->p = s->reader->p;
    if (s->end - s->p >= 64)
        block_load(&s->block, s->p);
    return *next == ST_ENDED;
}

/* The number or literal at s->p. */
VECWIRE__INLINE bool
scalar_pass(struct skim *s, int *next)
{
    const char *p = s->p, *end;

    if (*p == '-' || (unsigned)(*p - '0') < 10) {
        end = vecwire__json_number_end(p, s->end);
        if (VECWIRE__LIKELY(end != NULL)) {
            s->p = end;
            return true;
        }
        s->reader->p = p;
        s->reader->number = N_START;
        *next = vecwire__json_number_skip(s->reader);
        s->p = s->reader->p;
        return *next == ST_ENDED;
    }
    if (memcmp(p, "true", 4) == 0 || memcmp(p, "null", 4) == 0) {
        s->p += 4;
        return true;
    }
    if (memcmp(p, "false", 5) == 0) {
        s->p += 5;
        return true;
    }
    *next = ST_VALUE;
    return false;
}

/* The bracket at s->p; an empty pair is passed over whole. */
VECWIRE__INLINE bool
bracket_pass(struct skim *s, int *next)
{
    bool is_array = *s->p == '[';

    if (VECWIRE__UNLIKELY(s->depth == s->reader->max_depth)) {
        *next = vecwire__json_fail_at(s->reader, VECWIRE__JSON_EDEPTH, s->p);
        return false;
    }
    s->p++;
    s->is_array = is_array;
    s->reader->frames[++s->depth] = is_array;
    *next = is_array ? ST_FIRST_ELEMENT : ST_FIRST_KEY;
    return (unsigned char)*s->p > ' ';
}

/* From a key's quote to behind its colon. */
VECWIRE__INLINE bool
key_pass(struct skim *s, int *next)
{
    *next = ST_KEY;
    if (*s->p != '"')
        return false;
    s->p++;
    if (!string_pass(s, ST_KEY_TEXT, next))
        return false;
    *next = ST_COLON;
    if (s->end - s->p < AHEAD || *s->p != ':')
        return false;
    s->p++;
    return true;
}

/* What follows a value: out of all that ends with it, to the next value or, in
 * an object, its key. False: also when the first bracket is closed. */
VECWIRE__INLINE bool
after_pass(struct skim *s, unsigned outer, int *next)
{
    for (;;) {
        if (s->depth == outer) {
            *next = ST_ENDED;
            return false;
        }
        *next = ST_AFTER;
        if (s->end - s->p < AHEAD)
            return false;
        if (*s->p == ',') {
            s->p++;
            return true;
        }
        if (*s->p != (s->is_array ? ']' : '}'))
            return false;
        s->p++;
        s->depth--;
        s->is_array = s->reader->frames[s->depth] & IS_ARRAY;
    }
}

/* The value at s->p; *opened when it is a bracket that has something in it. */
VECWIRE__INLINE bool
value_pass(struct skim *s, bool *opened, int *next)
{
    *opened = false;
    switch (*s->p) {
    case '"':
        s->p++;
        return string_pass(s, ST_STRING, next);
    case '{':
    case '[':
        if (!bracket_pass(s, next))
            return false;
        *opened = *s->p != (s->is_array ? ']' : '}');
        return true;
    default:
        return scalar_pass(s, next);
    }
}

int
vecwire__json_skim(struct vecwire__json_reader *reader)
{
    struct skim s = {.reader = reader,
                     .p = reader->p,
                     .end = reader->end,
                     .depth = reader->depth};
    unsigned outer = s.depth;
    bool opened = true;
    int next;

    block_load(&s.block, s.p);
    if (!bracket_pass(&s, &next))
        goto out;
    opened = *s.p != (s.is_array ? ']' : '}');
    for (;;) {
        if (!opened && !after_pass(&s, outer, &next))
            break;
        if (!s.is_array && !key_pass(&s, &next))
            break;
        next = ST_VALUE;
        if (s.end - s.p < AHEAD || !value_pass(&s, &opened, &next))
            break;
    }
out:
    reader->p = s.p;
    reader->depth = s.depth;
    return next;
}

#endif
