/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/hex.h"
#include "codec/json_string.h"

#include <string.h>

#include "codec/json_state.h"

enum string_sink { SINK_NONE, SINK_TEXTS, SINK_NAME };

const char *
vecwire__json_plain_end(const char *p, const char *end)
{
#ifdef VECWIRE__SSE2
    for (; end - p >= 16; p += 16) {
        unsigned plain = vecwire__json_plain16(p);

        if (plain != 0xffff)
            return p + __builtin_ctz(~plain);
    }
#endif
    while (p < end && (signed char)*p >= 0x20 && *p != '"' && *p != '\\')
        p++;
    return p;
}

/* Table 3-7 of the Unicode standard: only the second byte has its own
 * bounds, which keep out overlong forms, surrogates and what is beyond
 * U+10FFFF. */
int
vecwire__utf8_char(const char *s, size_t n)
{
    const unsigned char *p = (const unsigned char *)s;
    unsigned char low = 0x80, high = 0xbf;
    int len;

    if (p[0] >= 0xc2 && p[0] <= 0xdf)
        len = 2;
    else if (p[0] >= 0xe0 && p[0] <= 0xef)
        len = 3;
    else if (p[0] >= 0xf0 && p[0] <= 0xf4)
        len = 4;
    else
        return -1;
    if (p[0] == 0xe0)
        low = 0xa0;
    else if (p[0] == 0xed)
        high = 0x9f;
    else if (p[0] == 0xf0)
        low = 0x90;
    else if (p[0] == 0xf4)
        high = 0x8f;
    for (int i = 1; i < len; i++) {
        if ((size_t)i >= n)
            return 0;
        if (p[i] < low || p[i] > high)
            return -1 - i;
        low = 0x80;
        high = 0xbf;
    }
    return len;
}

bool
vecwire__utf8_valid(const char *text, size_t len)
{
    size_t at = 0;

    while (at < len) {
        int n = 1;

        if ((unsigned char)text[at] >= 0x80)
            n = vecwire__utf8_char(text + at, len - at);
        if (n <= 0)
            return false;
        at += (size_t)n;
    }
    return true;
}

/* The four digits from s[at] on, judged digit by digit so that a cut text is
 * refused at the same byte: a low surrogate where `low`, none elsewhere. */
static int
hex_unit(const char *s, size_t n, size_t at, bool low, unsigned *unit)
{
    *unit = 0;
    for (size_t i = 0; i < 4; i++) {
        int digit;

        if (at + i >= n)
            return 0;
        digit = vecwire__hex_value(s[at + i]);
        if (digit < 0)
            return -1 - (int)(at + i);
        *unit = *unit << 4 | (unsigned)digit;
        if ((low && i == 0 && *unit != 0xd) ||
            (i == 1 && low != (*unit >= 0xdc && *unit <= 0xdf)))
            return -1 - (int)(at + i);
    }
    return 4;
}

static size_t
utf8_write(unsigned code, char *out)
{
    size_t n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char lead[5] = {0, 0, 0xc0, 0xe0, 0xf0};

    for (size_t i = n - 1; i > 0; i--, code >>= 6)
        out[i] = (char)(0x80 | (code & 0x3f));
    out[0] = (char)(lead[n] | code);
    return n;
}

static int
unicode_escape(const char *s, size_t n, char *out, size_t *n_out)
{
    unsigned high, low;
    int rc = hex_unit(s, n, 2, false, &high);

    if (rc <= 0)
        return rc;
    if (high < 0xd800 || high > 0xdbff) {
        *n_out = utf8_write(high, out);
        return 6;
    }
    for (size_t i = 6; i < 8; i++) {
        if (i >= n)
            return 0;
        if (s[i] != "\\u"[i - 6])
            return -1 - (int)i;
    }
    rc = hex_unit(s, n, 8, true, &low);
    if (rc <= 0)
        return rc;
    *n_out =
        utf8_write(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00), out);
    return 12;
}

int
vecwire__json_escape(const char *s, size_t n, char out[4], size_t *n_out)
{
    static const char plain[128] = {
        ['"'] = '"',  ['\\'] = '\\', ['/'] = '/',  ['b'] = '\b',
        ['f'] = '\f', ['n'] = '\n',  ['r'] = '\r', ['t'] = '\t'};

    if (n < 2)
        return 0;
    if (s[1] == 'u')
        return unicode_escape(s, n, out, n_out);
    if ((signed char)s[1] < 0 || plain[(unsigned char)s[1]] == 0)
        return -2;
    out[0] = plain[(unsigned char)s[1]];
    *n_out = 1;
    return 2;
}

VECWIRE__INLINE bool
put(struct vecwire__json_reader *reader, enum string_sink sink,
    const char *bytes, size_t n)
{
    size_t room = sizeof(reader->name) - reader->n_name;

    switch (sink) {
    case SINK_TEXTS:
        return vecwire__buf_add(reader->texts, bytes, n);
    case SINK_NAME:
        /* 32 bytes are enough to see that it is no known key */
        n = n < room ? n : room;
        memcpy(reader->name + reader->n_name, bytes, n);
        reader->n_name = (unsigned char)(reader->n_name + n);
        return true;
    default:
        return true;
    }
}

/* Characters of 2 and 3 bytes by masks on 4 bytes (3 first: with them ASCII
 * between is rare). */
int
vecwire__utf8_run(const char **pp, const char *end)
{
    const char *p = *pp;
    int len = 1;

    while (end - p >= 4 && len > 0) {
        uint32_t w = (uint32_t)(unsigned char)p[0] |
                     (uint32_t)(unsigned char)p[1] << 8 |
                     (uint32_t)(unsigned char)p[2] << 16 |
                     (uint32_t)(unsigned char)p[3] << 24;

        if ((w & 0xc0c0f0) == 0x8080e0 && (w & 0x200f) != 0 &&
            (w & 0x200f) != 0x200d) {
            p += 3;
        } else if ((w & 0xc0e0) == 0x80c0 && (w & 0x1e) != 0) {
            p += 2;
        } else if ((w & 0x80) == 0) {
            if ((w & 0x8000) == 0 || *p < 0x20 || *p == '"' || *p == '\\')
                break;
            p++;
        } else {
            len = vecwire__utf8_char(p, (size_t)(end - p));
            p += len > 0 ? len : 0;
        }
    }
    if (len > 0 && p < end && (signed char)*p < 0) {
        len = vecwire__utf8_char(p, (size_t)(end - p));
        p += len > 0 ? len : 0;
    }
    *pp = p;
    return len;
}

/* Byte by byte through the escape or character that an edge has cut. */
VECWIRE__INLINE enum vecwire__json_string_end
finish_unit(struct vecwire__json_reader *reader, enum string_sink sink)
{
    char out[4];
    size_t n_out = 0;
    int len;

    do {
        if (reader->p == reader->end)
            return STRING_CUT;
        reader->unit[reader->n_unit++] = *reader->p;
        if (reader->unit[0] == '\\') {
            len =
                vecwire__json_escape(reader->unit, reader->n_unit, out, &n_out);
        } else {
            len = vecwire__utf8_char(reader->unit, reader->n_unit);
            n_out = reader->n_unit;
        }
        if (len < 0)
            return STRING_BAD;
        reader->p++;
    } while (len == 0);
    reader->n_unit = 0;
    return put(reader, sink, reader->unit[0] == '\\' ? out : reader->unit,
               n_out)
               ? STRING_END
               : STRING_FULL;
}

/* The run before `p` is kept; `p` is at the segment's end, at the closing
 * quote, or at a unit that is cut (len 0) or at fault (len < 0). */
static enum vecwire__json_string_end
run_ended(struct vecwire__json_reader *reader, const char *p, int len)
{
    if (p != reader->end && *p == '"') {
        reader->p = p + 1;
        return STRING_END;
    }
    if (p != reader->end && len < 0) {
        reader->p = p - 1 - len;
        return STRING_BAD;
    }
    reader->n_unit = (unsigned char)(reader->end - p);
    memcpy(reader->unit, p, reader->n_unit);
    reader->p = reader->end;
    return STRING_CUT;
}

VECWIRE__INLINE enum vecwire__json_string_end
read_string(struct vecwire__json_reader *reader, enum string_sink sink)
{
    const char *p, *run, *end = reader->end;

    if (VECWIRE__UNLIKELY(reader->n_unit != 0)) {
        enum vecwire__json_string_end rc = finish_unit(reader, sink);

        if (rc != STRING_END)
            return rc;
    }
    run = p = reader->p;
    for (;;) {
        int len = -1;

        p = vecwire__json_plain_end(p, end);
        if (p == end || *p == '"') {
            len = 0;
        } else if ((signed char)*p < 0) {
            len = vecwire__utf8_run(&p, end);
            if (len > 0)
                continue;
        } else if (*p == '\\') {
            char out[4];
            size_t n_out;

            len = vecwire__json_escape(p, (size_t)(end - p), out, &n_out);
            if (len > 0) {
                if (!put(reader, sink, run, (size_t)(p - run)) ||
                    !put(reader, sink, out, n_out))
                    return STRING_FULL;
                run = p += len;
                continue;
            }
        }
        /* also before a fault: whether there is room must not depend on where
         * the text is cut */
        if (!put(reader, sink, run, (size_t)(p - run)))
            return STRING_FULL;
        return run_ended(reader, p, len);
    }
}

enum vecwire__json_string_end
vecwire__json_string_skip(struct vecwire__json_reader *reader)
{
    return read_string(reader, SINK_NONE);
}

enum vecwire__json_string_end
vecwire__json_string_text(struct vecwire__json_reader *reader)
{
    return read_string(reader, SINK_TEXTS);
}

enum vecwire__json_string_end
vecwire__json_string_name(struct vecwire__json_reader *reader)
{
    return read_string(reader, SINK_NAME);
}
