/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/json_writer.h"

#include <string.h>

#include <vecwire/vector.h>

#include "codec/float_enc.h"
#include "codec/json_string.h"

/* Longest escape, "\u001f". */
#define ESCAPE_MAX 6

/* The escape of a quote, a backslash or a control character. */
static size_t
write_escape(char *out, unsigned char c)
{
    static const char hex[] = "0123456789abcdef";
    static const char letters[128] = {
        ['"'] = '"',  ['\\'] = '\\', ['\b'] = 'b', ['\f'] = 'f',
        ['\n'] = 'n', ['\r'] = 'r',  ['\t'] = 't'};

    out[0] = '\\';
    out[1] = letters[c];
    if (out[1] != '\0')
        return 2;
    memcpy(out + 1, "u00", 3);
    out[4] = hex[c >> 4];
    out[5] = hex[c & 15];
    return ESCAPE_MAX;
}

/* Behind plain ASCII and longer characters from `p` on; *valid tells whether
 * it stopped at something that is UTF-8. */
static const char *
unescaped_end(const char *p, const char *end, bool *valid)
{
    *valid = true;
    for (;;) {
        int len;

        p = vecwire__json_plain_end(p, end);
        if (p == end || (signed char)*p >= 0)
            return p;
        len = vecwire__utf8_char(p, (size_t)(end - p));
        if (len <= 0) {
            *valid = false;
            return p;
        }
        p += len;
    }
}

enum vecwire_err
vecwire__json_put_str(struct vecwire__buf *buf, const char *text, size_t len,
                      size_t *bad)
{
    const size_t before = buf->len;
    const char *p = text, *end;
    bool valid;

    if (len == 0) /* text may be NULL */
        return vecwire__buf_add(buf, "\"\"", 2) ? VECWIRE_OK : VECWIRE_ENOMEM;
    if (len > SIZE_MAX / 2 || !vecwire__buf_reserve(buf, len + 2))
        return VECWIRE_ENOMEM;
    end = text + len;
    buf->bytes[buf->len++] = '"';
    for (;;) {
        const char *run = p;

        p = unescaped_end(p, end, &valid);
        /* the room for the rest of the text and its quote is there */
        memcpy(buf->bytes + buf->len, run, (size_t)(p - run));
        buf->len += (size_t)(p - run);
        if (p == end || !valid)
            break;
        if (!vecwire__buf_reserve(buf, ESCAPE_MAX + (size_t)(end - p))) {
            buf->len = before;
            return VECWIRE_ENOMEM;
        }
        buf->len += write_escape(buf->bytes + buf->len, (unsigned char)*p++);
    }
    if (!valid) {
        buf->len = before;
        if (bad != NULL)
            *bad = (size_t)(p - text);
        return VECWIRE_EINVAL;
    }
    buf->bytes[buf->len++] = '"';
    return VECWIRE_OK;
}

bool
vecwire__json_put_u64(struct vecwire__buf *buf, uint64_t number)
{
    char digits[20];
    size_t at = sizeof(digits);

    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    return vecwire__buf_add(buf, digits + at, sizeof(digits) - at);
}

enum vecwire_err
vecwire__json_put_vector(struct vecwire__buf *buf, const float *vector,
                         size_t dim, size_t *bad)
{
    size_t first_bad;

    if (dim == 0)
        return vecwire__buf_add(buf, "[]", 2) ? VECWIRE_OK : VECWIRE_ENOMEM;
    first_bad = vecwire__floats_first_bad(vector, dim);
    if (first_bad != dim) {
        if (bad != NULL)
            *bad = first_bad;
        return VECWIRE_EINVAL;
    }
    if (dim > (SIZE_MAX - 32) / 17 ||
        !vecwire__buf_reserve(buf, VECWIRE_VECTOR_TEXT_ROOM(dim)))
        return VECWIRE_ENOMEM;
    buf->len =
        (size_t)(vecwire__floats_write(buf->bytes + buf->len, vector, dim) -
                 buf->bytes);
    return VECWIRE_OK;
}
