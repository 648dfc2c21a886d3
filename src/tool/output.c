/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/output.h"

#include <math.h>

#include <vecwire/vector.h>

#include "tool/scan.h"

#define PART 256 /* floats */

static void
put_escaped(FILE *file, char byte)
{
    switch (byte) {
    case '"':
        fputs("\\\"", file);
        return;
    case '\\':
        fputs("\\\\", file);
        return;
    case '\n':
        fputs("\\n", file);
        return;
    case '\t':
        fputs("\\t", file);
        return;
    default:
        break;
    }
    if ((unsigned char)byte < 0x20 || byte == 0x7f)
        fprintf(file, "\\u%04x", (unsigned)byte);
    else
        putc(byte, file);
}

void
vecwire__output_string(FILE *file, const char *text, size_t len)
{
    if (text == NULL) {
        fputs("null", file);
        return;
    }
    putc('"', file);
    for (size_t at = 0; at < len;) {
        size_t step = vecwire__scan_utf8(text + at, len - at);

        if (step == 0) {
            fputs("\xef\xbf\xbd", file);
            step = 1;
        } else if (step == 1) {
            put_escaped(file, text[at]);
        } else {
            fwrite(text + at, 1, step, file);
        }
        at += step;
    }
    putc('"', file);
}

void
vecwire__output_float(FILE *file, float value)
{
    char text[VECWIRE_FLOAT_TEXT_MAX];
    size_t len = vecwire_float_format(value, text);

    if (len == 0)
        fputs("null", file);
    else
        fwrite(text, 1, len, file);
}

void
vecwire__output_real(FILE *file, double value, int digits)
{
    if (isfinite(value))
        fprintf(file, "%.*f", digits, value);
    else
        fputs("null", file);
}

/* A part of a vector at once, which is faster than float by float. */
static void
put_part(FILE *file, const float *part, size_t n)
{
    char text[VECWIRE_VECTOR_TEXT_ROOM(PART)];
    size_t len;

    if (vecwire_vector_format(part, n, text, &len) == VECWIRE_OK) {
        fwrite(text + 1, 1, len - 2, file);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            putc(',', file);
        vecwire__output_float(file, part[i]);
    }
}

void
vecwire__output_vector(FILE *file, const float *vector, size_t dim)
{
    if (vector == NULL) {
        fputs("null", file);
        return;
    }
    putc('[', file);
    for (size_t at = 0; at < dim; at += PART) {
        if (at > 0)
            putc(',', file);
        put_part(file, vector + at, dim - at < PART ? dim - at : PART);
    }
    putc(']', file);
}

size_t
vecwire__output_control(const char *text, size_t left)
{
    unsigned char byte = left > 0 ? (unsigned char)text[0] : ' ';

    if (byte < 0x20 || byte == 0x7f)
        return 1;
    /* U+0080 to U+009F: to some terminals U+009B begins a sequence too. */
    if (byte == 0xc2 && left > 1 && (unsigned char)text[1] >= 0x80 &&
        (unsigned char)text[1] < 0xa0)
        return 2;
    return 0;
}

void
vecwire__output_plain(FILE *file, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        size_t control = vecwire__output_control(text + i, len - i);

        putc(control > 0 ? ' ' : text[i], file);
        i += control > 1 ? control - 1 : 0;
    }
}

bool
vecwire__output_is_text(const char *text, size_t len)
{
    for (size_t at = 0; at < len;) {
        size_t step = vecwire__scan_utf8(text + at, len - at);

        if (step == 0)
            return false;
        at += step;
    }
    return true;
}
