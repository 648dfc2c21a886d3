/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/scan.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "tool/args.h"

#define MAX_DEPTH 128

size_t
vecwire__scan_utf8(const char *text, size_t left)
{
    const unsigned char *at = (const unsigned char *)text;
    unsigned char low = 0x80, high = 0xbf;
    size_t len;

    if (left == 0)
        return 0;
    if (at[0] < 0x80)
        return 1;
    if (at[0] < 0xc2 || at[0] > 0xf4)
        return 0;
    len = at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
    if (left < len)
        return 0;
    /* No long forms, no surrogates, nothing over U+10FFFF (RFC 3629). */
    if (at[0] == 0xe0)
        low = 0xa0;
    else if (at[0] == 0xed)
        high = 0x9f;
    else if (at[0] == 0xf0)
        low = 0x90;
    else if (at[0] == 0xf4)
        high = 0x8f;
    if (at[1] < low || at[1] > high)
        return 0;
    for (size_t i = 2; i < len; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    }
    return len;
}

static bool
fault(struct scan *scan, const char *what)
{
    scan->fault = what;
    return false;
}

char
vecwire__scan_peek(struct scan *scan)
{
    while (scan->at < scan->len &&
           memchr(" \t\r\n", scan->text[scan->at], 4) != NULL)
        scan->at++;
    return scan->at < scan->len ? scan->text[scan->at] : '\0';
}

bool
vecwire__scan_expect(struct scan *scan, char want, const char *what)
{
    if (vecwire__scan_peek(scan) != want || scan->at == scan->len)
        return fault(scan, what);
    scan->at++;
    return true;
}

/* The byte at the walk without skipping blanks, '\0' at the end. */
static char
here(const struct scan *scan)
{
    return scan->at < scan->len ? scan->text[scan->at] : '\0';
}

/* The four digits of \u as a number; 0x10000: they are none. */
static unsigned
skip_unit(struct scan *scan)
{
    unsigned unit = 0;

    for (int i = 0; i < 4; i++) {
        char digit = here(scan);

        if (digit >= '0' && digit <= '9')
            unit = unit << 4 | (unsigned)(digit - '0');
        else if ((digit | 0x20) >= 'a' && (digit | 0x20) <= 'f')
            unit = unit << 4 | (unsigned)((digit | 0x20) - 'a' + 10);
        else
            return 0x10000;
        scan->at++;
    }
    return unit;
}

/* Behind \u. Of a character over U+FFFF both halves must be there. */
static bool
skip_unicode(struct scan *scan)
{
    unsigned unit = skip_unit(scan);
    bool half = unit >= 0xdc00 && unit <= 0xdfff;

    if (unit >= 0xd800 && unit <= 0xdbff) {
        half = scan->len - scan->at < 2 ||
               memcmp(scan->text + scan->at, "\\u", 2) != 0;
        if (!half) {
            scan->at += 2;
            unit = skip_unit(scan);
            half = unit < 0xdc00 || (unit > 0xdfff && unit < 0x10000);
        }
    }
    if (half)
        return fault(scan, "half a character in a string");
    return unit < 0x10000 || fault(scan, "bad \\u escape in a string");
}

static bool
skip_escape(struct scan *scan)
{
    char kind;

    scan->at++;
    kind = here(scan);
    if (kind == '\0' || strchr("\"\\/bfnrtu", kind) == NULL)
        return fault(scan, "bad escape in a string");
    scan->at++;
    return kind != 'u' || skip_unicode(scan);
}

static bool
skip_string(struct scan *scan)
{
    scan->at++;
    while (scan->at < scan->len) {
        char byte = scan->text[scan->at];
        size_t step;

        if (byte == '"') {
            scan->at++;
            return true;
        }
        if (byte == '\\') {
            if (!skip_escape(scan))
                return false;
            continue;
        }
        if ((unsigned char)byte < 0x20)
            return fault(scan, "control character in a string");
        step = vecwire__scan_utf8(scan->text + scan->at, scan->len - scan->at);
        if (step == 0)
            return fault(scan, "not UTF-8");
        scan->at += step;
    }
    return fault(scan, "a string does not end");
}

static size_t
skip_digits(struct scan *scan)
{
    size_t from = scan->at;

    while (here(scan) >= '0' && here(scan) <= '9')
        scan->at++;
    return scan->at - from;
}

static bool
skip_number(struct scan *scan)
{
    size_t digits;
    bool zero;

    if (here(scan) == '-')
        scan->at++;
    zero = here(scan) == '0';
    digits = skip_digits(scan);
    if (digits == 0)
        return fault(scan, "a JSON value is expected");
    if (zero && digits > 1)
        return fault(scan, "a number begins with 0");
    if (here(scan) == '.') {
        scan->at++;
        if (skip_digits(scan) == 0)
            return fault(scan, "a digit is expected behind the point");
    }
    if (here(scan) == 'e' || here(scan) == 'E') {
        scan->at++;
        if (here(scan) == '+' || here(scan) == '-')
            scan->at++;
        if (skip_digits(scan) == 0)
            return fault(scan, "a digit is expected in the exponent");
    }
    return true;
}

static bool
skip_word(struct scan *scan, const char *word)
{
    size_t len = strlen(word);

    if (scan->len - scan->at < len ||
        memcmp(scan->text + scan->at, word, len) != 0)
        return fault(scan, "a JSON value is expected");
    scan->at += len;
    return true;
}

static bool
skip_scalar(struct scan *scan)
{
    switch (here(scan)) {
    case '"':
        return skip_string(scan);
    case 't':
        return skip_word(scan, "true");
    case 'f':
        return skip_word(scan, "false");
    case 'n':
        return skip_word(scan, "null");
    default:
        return skip_number(scan);
    }
}

/* A key and its colon. */
static bool
skip_key(struct scan *scan)
{
    if (vecwire__scan_peek(scan) != '"')
        return fault(scan, "a key in quotes is expected");
    return skip_string(scan) &&
           vecwire__scan_expect(scan, ':', "a colon is expected");
}

/* Behind a value: close what ends here, or step over the comma. */
static bool
skip_ends(struct scan *scan, char *closers, size_t *depth)
{
    while (*depth > 0) {
        char next = vecwire__scan_peek(scan);

        if (next == closers[*depth - 1] && scan->at < scan->len) {
            scan->at++;
            --*depth;
            continue;
        }
        if (next != ',')
            return fault(scan, "a comma or a closing bracket is expected");
        scan->at++;
        return closers[*depth - 1] == ']' || skip_key(scan);
    }
    return true;
}

bool
vecwire__scan_value(struct scan *scan, struct span *value)
{
    char closers[MAX_DEPTH];
    size_t depth = 0, from;

    vecwire__scan_peek(scan);
    from = scan->at;
    do {
        char next = vecwire__scan_peek(scan);

        if (next == '{' || next == '[') {
            char closer = next == '{' ? '}' : ']';

            if (depth == MAX_DEPTH)
                return fault(scan, "nested more than 128 deep");
            closers[depth++] = closer;
            scan->at++;
            if (vecwire__scan_peek(scan) != closer) {
                if (next == '{' && !skip_key(scan))
                    return false;
                continue;
            }
        } else if (!skip_scalar(scan)) {
            return false;
        }
        if (!skip_ends(scan, closers, &depth))
            return false;
    } while (depth > 0);
    value->text = scan->text + from;
    value->len = scan->at - from;
    return true;
}

/* jansson does not tell a lack of memory from bad JSON: this ends the
 * program. */
static void *
json_alloc(size_t size)
{
    return vecwire__args_alloc(size, 1);
}

char *
vecwire__scan_string(struct span value, const char **what)
{
    json_t *tree;
    char *copy = NULL;

    json_set_alloc_funcs(json_alloc, free);
    tree = json_loadb(value.text, value.len, JSON_DECODE_ANY | JSON_ALLOW_NUL,
                      NULL);
    if (tree == NULL || !json_is_string(tree)) {
        *what = "is no valid string";
    } else if (strlen(json_string_value(tree)) != json_string_length(tree)) {
        *what = "holds a NUL";
    } else {
        copy = vecwire__args_alloc(json_string_length(tree) + 1, 1);
        memcpy(copy, json_string_value(tree), json_string_length(tree));
    }
    json_decref(tree);
    return copy;
}

bool
vecwire__scan_member(struct scan *scan, char **key, struct span *value)
{
    struct span quoted;
    const char *unused;

    *key = NULL;
    if (vecwire__scan_peek(scan) != '"' ||
        !vecwire__scan_value(scan, &quoted) ||
        !vecwire__scan_expect(scan, ':', "a colon is expected"))
        return false;
    *key = vecwire__scan_string(quoted, &unused);
    if (*key == NULL)
        return false;
    if (!vecwire__scan_value(scan, value)) {
        free(*key);
        *key = NULL;
        return false;
    }
    if (vecwire__scan_peek(scan) == ',')
        scan->at++;
    return true;
}
