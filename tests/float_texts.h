/* SPDX-License-Identifier: Apache-2.0 */
/* Random number texts of all looks in random arrays, read by every reader and
 * compared with strtof() of the C locale. */
#ifndef VECWIRE_TESTS_FLOAT_TEXTS_H
#define VECWIRE_TESTS_FLOAT_TEXTS_H

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codec/float_dec.h"
#include "codec/float_word.h"
#include "codec/json_reader.h"

#define TEXTS_ROW 64   /* numbers of an array at most */
#define TEXTS_LONG 200 /* bytes of a number at most */

struct texts {
    uint64_t state;     /* of the random numbers */
    uint64_t n;         /* number texts so far, */
    uint64_t n_middles; /* those at or next to midpoints of two floats, */
    uint64_t failures;
    /* the array at hand */
    char bytes[TEXTS_ROW * (TEXTS_LONG + 16)];
    size_t len;
    float want[TEXTS_ROW];
    size_t count;
};

static inline uint64_t
texts_random(struct texts *t)
{
    uint64_t z = t->state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static inline unsigned
texts_below(struct texts *t, unsigned n)
{
    return (unsigned)(texts_random(t) % n);
}

static inline void
texts_fail(struct texts *t, const char *who, const char *text)
{
    if (t->failures++ < 20)
        fprintf(stderr, "%s: %.*s\n", who, 300, text);
}

/* Any finite float, sign aside. */
static inline float
texts_any_float(struct texts *t)
{
    return vecwire__float_of_bits(texts_below(t, 0x7f800000u));
}

/* As components of embeddings are: 2^-20 to 1. */
static inline float
texts_component(struct texts *t)
{
    return vecwire__float_of_bits(0x35800000u + texts_below(t, 0x0a000000u));
}

static inline char *
texts_digits(struct texts *t, char *p, unsigned n)
{
    for (; n > 0; n--)
        *p++ = (char)('0' + texts_below(t, 10));
    return p;
}

/* One more or one less in the last place of a text without an exponent. */
static inline void
texts_nudge(char *text, int by)
{
    for (char *p = text + strlen(text); p-- > text;) {
        if (*p == '.')
            continue;
        if (*p != (by > 0 ? '9' : '0')) {
            *p = (char)(*p + by);
            return;
        }
        *p = by > 0 ? '0' : '9';
    }
}

/* At or next to the midpoint of two neighbours: with 14 to 23 decimals as
 * components come, with as many digits in any binade, or with all digits. */
static inline void
texts_middle(struct texts *t, char *text)
{
    unsigned look = texts_below(t, 16), digits = 14 + texts_below(t, 10);
    float low = look < 9 ? texts_component(t) : texts_any_float(t);
    float high = vecwire__float_of_bits(vecwire__float_bits(low) + 1);
    double above = isinf(high) ? 0x1p128 : (double)high;
    double middle = (double)low / 2 + above / 2; /* exact: 25 bits */
    int by = (int)texts_below(t, 3) - 1;
    char exponent[16], *mark;

    t->n_middles++;
    if (look < 9) {
        sprintf(text, "%.*f", (int)digits, middle);
        if (by != 0)
            texts_nudge(text, by);
        return;
    }
    sprintf(text, "%.*e", look == 15 ? 112 : (int)digits - 1, middle);
    mark = strchr(text, 'e');
    strcpy(exponent, mark);
    *mark = '\0';
    if (by != 0)
        texts_nudge(text, by);
    strcat(text, exponent);
}

/* Whatever the grammar allows, exponents of all signs and forms. */
static inline void
texts_grammar(struct texts *t, char *text)
{
    static const char *const marks[] = {"e", "E", "e+", "E+", "e-", "E-"};
    char *p = text;

    if (texts_below(t, 3) == 0) {
        *p++ = '0';
    } else {
        *p++ = (char)('1' + texts_below(t, 9));
        p = texts_digits(t, p, texts_below(t, 12));
    }
    if (texts_below(t, 3) != 0) {
        *p++ = '.';
        if (texts_below(t, 8) == 0) {
            size_t zeros = texts_below(t, 50);

            memset(p, '0', zeros);
            p += zeros;
        }
        p = texts_digits(t, p, 1 + texts_below(t, 24));
    }
    *p = '\0';
    if (texts_below(t, 2) == 0)
        sprintf(p, "%s%0*u", marks[texts_below(t, 6)],
                (int)(1 + texts_below(t, 3)), texts_below(t, 50));
}

/* One number, 256 bytes of room. */
static inline void
texts_number(struct texts *t, char *text)
{
    if (texts_below(t, 2) != 0)
        *text++ = '-';
    switch (texts_below(t, 16)) {
    case 0:
    case 1:
    case 2:
    case 3:
        texts_middle(t, text);
        break;
    case 4:
    case 5:
    case 6:
    case 7: /* decimals */
        strcpy(text, "0.");
        *texts_digits(t, text + 2, 1 + texts_below(t, 19)) = '\0';
        break;
    case 8:
    case 9:
        sprintf(text, "%.*g", (int)(1 + texts_below(t, 17)),
                (double)texts_any_float(t));
        break;
    case 10: /* subnormal */
        sprintf(text, "%.*e", (int)texts_below(t, 20),
                (double)vecwire__float_of_bits(texts_below(t, 0x00800000u)));
        break;
    case 11:
        sprintf(text, "%.17g", (double)(texts_random(t) >> 11) * 0x1p-53);
        break;
    case 12:
        sprintf(text, texts_below(t, 2) != 0 ? "%u" : "%u.0",
                texts_below(t, 1000));
        break;
    case 13: /* numbers from 1 on */
        sprintf(text, "%u.", texts_below(t, 100));
        *texts_digits(t, text + strlen(text), 1 + texts_below(t, 16)) = '\0';
        break;
    default:
        texts_grammar(t, text);
        break;
    }
}

static inline void
texts_blank(struct texts *t)
{
    static const char *const blanks[] = {" ", "\n", "\t ", " \r\n "};

    if (texts_below(t, 12) == 0)
        t->len +=
            (size_t)sprintf(t->bytes + t->len, "%s", blanks[texts_below(t, 4)]);
}

/* A number beyond float32 is told as such and stands in no array. */
static inline bool
texts_alone(struct texts *t, const char *text, float want)
{
    float got;
    int kind = vecwire__float_read(text, text + strlen(text), &got);

    t->n++;
    if (kind != (isinf(want) ? 2 : 1) ||
        vecwire__float_bits(got) != vecwire__float_bits(want))
        texts_fail(t, "alone", text);
    return !isinf(want);
}

/* A row of whole numbers, now and then one of another look among them. */
struct texts_row {
    bool whole, blanks;
    const char *decimals;
    unsigned most;
};

static inline struct texts_row
texts_row(struct texts *t)
{
    static const unsigned most[] = {10, 256, 100000, 10000000};
    struct texts_row row = {texts_below(t, 8) == 0, texts_below(t, 2) != 0,
                            texts_below(t, 2) != 0 ? ".0" : "",
                            most[texts_below(t, 4)]};

    return row;
}

static inline void
texts_whole(struct texts *t, const struct texts_row *row, char *text)
{
    if (texts_below(t, 40) == 0)
        texts_number(t, text);
    else
        sprintf(text, "%s%u%s", texts_below(t, 2) != 0 ? "-" : "",
                texts_below(t, row->most), row->decimals);
}

static inline void
texts_make(struct texts *t)
{
    static const char begin[] = "{\"vector\":[";
    size_t n = 1 + texts_below(t, TEXTS_ROW);
    /* long rows of one look keep the fast loops busy, too */
    struct texts_row row = texts_row(t);
    bool blanks = !row.whole && texts_below(t, 4) == 0;

    memcpy(t->bytes, begin, sizeof(begin));
    t->len = sizeof(begin) - 1;
    for (t->count = 0; t->count < n;) {
        char number[256];
        float want;

        if (row.whole)
            texts_whole(t, &row, number);
        else
            texts_number(t, number);
        want = strtof(number, NULL);
        if (!texts_alone(t, number, want))
            continue;
        if (t->count > 0)
            t->bytes[t->len++] = ',';
        if (row.whole && row.blanks)
            t->bytes[t->len++] = ' ';
        if (blanks)
            texts_blank(t);
        t->len += (size_t)sprintf(t->bytes + t->len, "%s", number);
        if (blanks)
            texts_blank(t);
        t->want[t->count++] = want;
    }
    memcpy(t->bytes + t->len, "]}", 3);
    t->len += 2;
}

static inline void
texts_compare(struct texts *t, const char *who, const float *got, size_t n)
{
    if (n != t->count || memcmp(got, t->want, n * sizeof(*got)) != 0)
        texts_fail(t, who, t->bytes);
}

static inline bool
texts_sink(struct vecwire__json_reader *reader, enum vecwire__json_event event,
           unsigned tag)
{
    (void)tag;
    if (event == VECWIRE__JSON_EV_ROW) {
        reader->floats = reader->ctx;
        reader->room = TEXTS_ROW;
    }
    return event != VECWIRE__JSON_EV_GROW;
}

static const struct vecwire__json_field texts_root[] = {
    {"vector", VECWIRE__JSON_F32S, 1, 0, false}};
static const struct vecwire__json_shape texts_shape = {texts_root, 1};
static const struct vecwire__json_table texts_table = {&texts_shape, 1, false};

/* In segments of random lengths, each with digits on both sides that a reader
 * must not see. */
static inline void
texts_segments(struct texts *t)
{
    static char room[64 + sizeof(t->bytes) + 64];
    struct vecwire__json_reader reader;
    unsigned longest = 1 + texts_below(t, texts_below(t, 4) == 0 ? 8 : 2000);
    float got[TEXTS_ROW];

    vecwire__json_init(&reader, &texts_table, texts_sink, got, NULL, 9);
    for (size_t at = 0, n; at < t->len; at += n) {
        n = 1 + texts_below(t, longest);
        n = n < t->len - at ? n : t->len - at;
        memset(room, '7', 64);
        memcpy(room + 64, t->bytes + at, n);
        memset(room + 64 + n, '7', 64);
        (void)vecwire__json_feed(&reader, room + 64, n);
    }
    if (vecwire__json_finish(&reader) != VECWIRE__JSON_DONE)
        texts_fail(t, "segments: refused", t->bytes);
    else
        texts_compare(t, "segments", got, reader.n);
}

/* One array through all readers. */
static inline void
texts_check(struct texts *t)
{
    const char *begin, *end, *at;
    float got[TEXTS_ROW];
    size_t n;

    texts_make(t);
    begin = strchr(t->bytes, '[');
    end = t->bytes + t->len - 1;
    if (vecwire__floats_read_masks(begin, end, got, TEXTS_ROW, &n, &at) !=
        VECWIRE__FLOATS_OK)
        texts_fail(t, "masks: refused", t->bytes);
    else
        texts_compare(t, "masks", got, n);
    if (vecwire__floats_read_scalar(begin, end, got, TEXTS_ROW, &n, &at) !=
        VECWIRE__FLOATS_OK)
        texts_fail(t, "scalar: refused", t->bytes);
    else
        texts_compare(t, "scalar", got, n);
    texts_segments(t);
}

#endif
