/* SPDX-License-Identifier: Apache-2.0 */
#include "server/json_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codec/json_reader.h"
#include "codec/json_writer.h"
#include "codec/mem.h"

/* jansson has no integers over 2^63-1. One is kept as a string of its digits
 * behind U+10FFFF, which is no character and so in nobody's text. */
#define MARK "\xF4\x8F\xBF\xBF"
#define MARK_LEN (sizeof(MARK) - 1)

/* Fewer digits always fit. */
#define SAFE_DIGITS 18
#define U64_DIGITS 20

static bool
is_number_byte(char c)
{
    return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' ||
           c == 'e' || c == 'E';
}

/* Value of digits. False: over 2^64-1. */
static bool
read_digits(const char *digits, size_t len, uint64_t *number)
{
    uint64_t n = 0;

    if (len == 0 || len > U64_DIGITS)
        return false;
    for (size_t i = 0; i < len; i++) {
        const uint64_t digit = (uint64_t)(digits[i] - '0');

        if (n > (UINT64_MAX - digit) / 10)
            return false;
        n = n * 10 + digit;
    }
    *number = n;
    return true;
}

/* A number, written so that jansson takes it. */
static bool
put_number(struct vecwire__buf *buf, const char *token, size_t len)
{
    const bool is_negative = token[0] == '-';
    const char *digits = token + is_negative;
    const size_t n_digits = len - is_negative;
    uint64_t number;

    for (size_t i = 0; i < n_digits; i++) {
        if (digits[i] < '0' || digits[i] > '9')
            return vecwire__buf_add(buf, token, len);
    }
    if (!read_digits(digits, n_digits, &number) ||
        (is_negative && number > (uint64_t)INT64_MAX + 1))
        return vecwire__buf_add(buf, token, len) && vecwire__buf_str(buf, ".0");
    if (is_negative || number <= INT64_MAX)
        return vecwire__buf_add(buf, token, len);
    return vecwire__buf_str(buf, "\"" MARK) &&
           vecwire__buf_add(buf, token, len) && vecwire__buf_byte(buf, '"');
}

/* Copy valid JSON, with every number through put_number(). */
static bool
rewrite(struct vecwire__buf *buf, const char *text, size_t len)
{
    bool in_string = false;
    size_t i = 0;

    while (i < len) {
        size_t from = i;

        if (in_string) {
            i += text[i] == '\\' ? 2 : 1;
            in_string = text[from] != '"';
        } else if (is_number_byte(text[i]) && text[i] != 'e') {
            while (i < len && is_number_byte(text[i]))
                i++;
            if (!put_number(buf, text + from, i - from))
                return false;
            continue;
        } else {
            in_string = text[i++] == '"';
        }
        if (!vecwire__buf_add(buf, text + from, i - from))
            return false;
    }
    return true;
}

static json_t *
load_rewritten(const char *text, size_t len, json_error_t *error,
               bool *no_memory)
{
    struct vecwire__buf buf;
    json_t *tree = NULL;

    vecwire__buf_init(&buf, &vecwire__mem_libc);
    *no_memory = !rewrite(&buf, text, len);
    if (!*no_memory)
        tree = json_loadb(buf.bytes, buf.len, JSON_DECODE_ANY | JSON_ALLOW_NUL,
                          error);
    vecwire__buf_fini(&buf);
    return tree;
}

/* jansson gives no code when a node cannot be had. */
static bool
was_memory(const json_error_t *error)
{
    const enum json_error_code code = json_error_code(error);

    return code == json_error_out_of_memory || code == json_error_unknown;
}

json_t *
vecwire__json_load(const char *text, size_t len, struct vecwire__fault *fault)
{
    json_error_t error = {0}; /* jansson may leave the code out */
    json_t *tree;
    size_t offset = 0;
    bool no_memory = false;
    const enum vecwire__json_rc rc = vecwire__json_check(
        text, len, VECWIRE__JSON_TEXT_DEPTH, false, &offset);

    if (rc != VECWIRE__JSON_DONE) {
        vecwire__fault_set(fault, 400,
                           "Format error in JSON body: %s at byte %zu",
                           vecwire__json_rc_text(rc), offset);
        return NULL;
    }
    tree = json_loadb(text, len, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
    if (tree == NULL && json_error_code(&error) == json_error_numeric_overflow)
        tree = load_rewritten(text, len, &error, &no_memory);
    if (tree != NULL)
        return tree;
    if (no_memory || was_memory(&error))
        vecwire__fault_memory(fault);
    else
        vecwire__fault_set(fault, 400, "Format error in JSON body: %s",
                           error.text);
    return NULL;
}

/* The fewest digits that read back as the same number. */
static bool
put_real(struct vecwire__buf *buf, double real)
{
    char text[40];

    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof(text), "%.*g", digits, real);
        if (strtod(text, NULL) == real)
            break;
    }
    return vecwire__buf_str(buf, text) &&
           (strpbrk(text, ".e") != NULL || vecwire__buf_str(buf, ".0"));
}

static bool
put_integer(struct vecwire__buf *buf, int64_t integer)
{
    char text[24];

    snprintf(text, sizeof(text), "%" PRId64, integer);
    return vecwire__buf_str(buf, text);
}

static bool
put_string(struct vecwire__buf *buf, const json_t *value)
{
    const char *text = json_string_value(value);
    const size_t len = json_string_length(value);

    if (!vecwire__json_is_text(value))
        return vecwire__buf_add(buf, text + MARK_LEN, len - MARK_LEN);
    return vecwire__json_put_str(buf, text, len, NULL) == VECWIRE_OK;
}

static bool put_value(struct vecwire__buf *buf, const json_t *value);

static bool
put_array(struct vecwire__buf *buf, const json_t *array)
{
    for (size_t i = 0; i < json_array_size(array); i++) {
        if (!vecwire__buf_byte(buf, i == 0 ? '[' : ',') ||
            !put_value(buf, json_array_get(array, i)))
            return false;
    }
    return vecwire__buf_str(buf, json_array_size(array) == 0 ? "[]" : "]");
}

static bool
put_object(struct vecwire__buf *buf, const json_t *object)
{
    /* Its iterator changes nothing but wants an object that is not const. */
    json_t *walked = (json_t *)(uintptr_t)object;
    char before = '{';

    for (void *i = json_object_iter(walked); i != NULL;
         i = json_object_iter_next(walked, i)) {
        const char *key = json_object_iter_key(i);

        if (!vecwire__buf_byte(buf, before) ||
            vecwire__json_put_str(buf, key, strlen(key), NULL) != VECWIRE_OK ||
            !vecwire__buf_byte(buf, ':') ||
            !put_value(buf, json_object_iter_value(i)))
            return false;
        before = ',';
    }
    return vecwire__buf_str(buf, before == '{' ? "{}" : "}");
}

static bool
put_value(struct vecwire__buf *buf, const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return put_object(buf, value);
    case JSON_ARRAY:
        return put_array(buf, value);
    case JSON_STRING:
        return put_string(buf, value);
    case JSON_INTEGER:
        return put_integer(buf, json_integer_value(value));
    case JSON_REAL:
        return put_real(buf, json_real_value(value));
    case JSON_TRUE:
        return vecwire__buf_str(buf, "true");
    case JSON_FALSE:
        return vecwire__buf_str(buf, "false");
    case JSON_NULL:
        break;
    }
    return vecwire__buf_str(buf, "null");
}

bool
vecwire__json_dump(struct vecwire__buf *buf, const json_t *tree)
{
    const size_t before = buf->len;

    if (put_value(buf, tree))
        return true;
    buf->len = before;
    return false;
}

static bool
is_marked(const json_t *value)
{
    return json_is_string(value) && json_string_length(value) > MARK_LEN &&
           memcmp(json_string_value(value), MARK, MARK_LEN) == 0;
}

bool
vecwire__json_get_u64(const json_t *value, uint64_t *number)
{
    if (is_marked(value)) {
        const char *digits = json_string_value(value) + MARK_LEN;
        const size_t len = json_string_length(value) - MARK_LEN;

        return strspn(digits, "0123456789") == len &&
               read_digits(digits, len, number);
    }
    if (!json_is_integer(value) || json_integer_value(value) < 0)
        return false;
    *number = (uint64_t)json_integer_value(value);
    return true;
}

bool
vecwire__json_get_double(const json_t *value, double *number)
{
    uint64_t unsigned_number;

    if (json_is_number(value))
        *number = json_number_value(value);
    else if (is_marked(value) && vecwire__json_get_u64(value, &unsigned_number))
        *number = (double)unsigned_number;
    else
        return false;
    return true;
}

bool
vecwire__json_is_text(const json_t *value)
{
    uint64_t number;

    return json_is_string(value) &&
           !(is_marked(value) && vecwire__json_get_u64(value, &number));
}
