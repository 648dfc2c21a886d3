/* SPDX-License-Identifier: Apache-2.0 */
#include "server/json_view.h"

#include <string.h>

#include "codec/float_dec.h"

static const char *
blanks_skip(const char *p)
{
    while (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r')
        p++;
    return p;
}

/* `p` is behind the opening quote. */
static const char *
string_skip(const char *p)
{
    for (; *p != '"'; p++) {
        if (*p == '\\')
            p++;
    }
    return p + 1;
}

static bool
has(const char *from, const char *to, char c)
{
    return memchr(from, c, (size_t)(to - from)) != NULL;
}

/* The end of an array that holds nothing but numbers and words, else NULL:
 * long vectors are what most texts consist of. */
static const char *
flat_skip(const char *p, const char *end)
{
    const char *close = memchr(p, ']', (size_t)(end - p));

    if (close == NULL || has(p, close, '"') || has(p + 1, close, '[') ||
        has(p, close, '{'))
        return NULL;
    return close + 1;
}

static const char *
nested_skip(const char *p, const char *end)
{
    unsigned depth = 0;

    do {
        const char *flat = NULL;
        char c = *p;

        if (c == '[' && (p[1] == '-' || (p[1] >= '0' && p[1] <= '9')))
            flat = flat_skip(p, end);
        if (flat != NULL) {
            p = flat;
            continue;
        }
        p++;
        if (c == '"')
            p = string_skip(p);
        else if (c == '{' || c == '[')
            depth++;
        else if (c == '}' || c == ']')
            depth--;
    } while (depth > 0);
    return p;
}

static const char *
value_skip(const char *p, const char *end)
{
    if (*p == '"')
        return string_skip(p + 1);
    if (*p == '{' || *p == '[')
        return nested_skip(p, end);
    while (p < end && strchr(",]} \n\t\r", *p) == NULL)
        p++;
    return p;
}

struct vecwire__view
vecwire__view_root(const char *text, size_t len)
{
    struct vecwire__view view = {text, text + len};

    while (view.at < view.end && strchr(" \n\t\r", *view.at) != NULL)
        view.at++;
    while (view.end > view.at && strchr(" \n\t\r", view.end[-1]) != NULL)
        view.end--;
    return view;
}

void
vecwire__view_begin(struct vecwire__view_iter *iter,
                    struct vecwire__view container)
{
    memset(iter, 0, sizeof(*iter));
    if (!vecwire__view_is_object(container) &&
        !vecwire__view_is_array(container))
        return;
    iter->keyed = *container.at == '{';
    iter->p = container.at + 1;
    iter->close = container.end - 1;
}

bool
vecwire__view_next(struct vecwire__view_iter *iter)
{
    const char *p = iter->p;

    if (p == NULL || (p = blanks_skip(p)) == iter->close)
        return false;
    if (iter->keyed) {
        iter->key.at = p;
        iter->key.end = p = string_skip(p + 1);
        p = blanks_skip(blanks_skip(p) + 1);
    }
    iter->value.at = p;
    iter->value.end = value_skip(p, iter->close);
    p = blanks_skip(iter->value.end);
    iter->p = p == iter->close ? p : p + 1;
    return true;
}

const char *
vecwire__view_members(struct vecwire__view object,
                      const struct vecwire__view_want *wants, size_t n_wants)
{
    struct vecwire__view_iter iter;

    for (size_t i = 0; i < n_wants; i++)
        wants[i].value->at = NULL;
    vecwire__view_begin(&iter, object);
    while (vecwire__view_next(&iter)) {
        for (size_t i = 0; i < n_wants; i++) {
            if (!vecwire__view_is(iter.key, wants[i].key))
                continue;
            if (wants[i].value->at != NULL)
                return wants[i].key;
            *wants[i].value = iter.value;
            break;
        }
    }
    for (size_t i = 0; i < n_wants; i++) {
        if (vecwire__view_is_null(*wants[i].value))
            wants[i].value->at = NULL;
    }
    return NULL;
}

size_t
vecwire__view_count(struct vecwire__view container)
{
    struct vecwire__view_iter iter;
    size_t n = 0;

    vecwire__view_begin(&iter, container);
    while (vecwire__view_next(&iter))
        n++;
    return n;
}

bool
vecwire__view_is(struct vecwire__view string, const char *text)
{
    size_t len = strlen(text);

    return vecwire__view_is_string(string) &&
           (size_t)(string.end - string.at) == len + 2 &&
           memcmp(string.at + 1, text, len) == 0;
}

bool
vecwire__view_is_null(struct vecwire__view value)
{
    return value.at != NULL && *value.at == 'n';
}

bool
vecwire__view_is_number(struct vecwire__view value)
{
    return value.at != NULL &&
           (*value.at == '-' || (*value.at >= '0' && *value.at <= '9'));
}

bool
vecwire__view_u64(struct vecwire__view value, uint64_t *number)
{
    return value.at != NULL && vecwire__u64_read(value.at, value.end, number);
}

bool
vecwire__view_bool(struct vecwire__view value, bool *flag)
{
    if (value.at == NULL || (*value.at != 't' && *value.at != 'f'))
        return false;
    *flag = *value.at == 't';
    return true;
}

bool
vecwire__view_f32(struct vecwire__view value, float *number)
{
    return vecwire__view_is_number(value) &&
           vecwire__float_read(value.at, value.end, number) == 1;
}

static uint32_t
hex_read(const char *p)
{
    uint32_t unit = 0;

    for (int i = 0; i < 4; i++) {
        uint32_t c = (unsigned char)p[i];

        unit = unit << 4 | (c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    return unit;
}

/* A character as UTF-8. Returns the number of bytes. */
static size_t
utf8_write(char *text, uint32_t c)
{
    static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

    for (size_t i = n - 1; i > 0; i--, c >>= 6)
        text[i] = (char)(0x80 | (c & 0x3f));
    text[0] = (char)(lead[n == 1 ? 0 : n] | c);
    return n;
}

/* The character behind a backslash; *p is set behind it. */
static uint32_t
escape_read(const char **p)
{
    static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
    const char *known;
    uint32_t c = (unsigned char)*(*p)++;

    if (c == 'u') {
        c = hex_read(*p);
        *p += 4;
        if (c >= 0xd800 && c < 0xdc00) {
            c = 0x10000 + ((c - 0xd800) << 10) + (hex_read(*p + 2) - 0xdc00);
            *p += 6;
        }
        return c;
    }
    known = strchr(from, (int)c);
    return known == NULL ? c : (uint32_t)(unsigned char)to[known - from];
}

bool
vecwire__view_text(struct vecwire__view string, struct vecwire__buf *buf)
{
    const char *p = string.at + 1, *end = string.end - 1;

    /* No escape is shorter than what it stands for. */
    if (!vecwire__buf_reserve(buf, (size_t)(end - p) + 1))
        return false;
    while (p < end) {
        if (*p != '\\') {
            buf->bytes[buf->len++] = *p++;
            continue;
        }
        p++;
        buf->len += utf8_write(buf->bytes + buf->len, escape_read(&p));
    }
    buf->bytes[buf->len] = '\0';
    return true;
}
