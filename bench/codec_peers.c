/* SPDX-License-Identifier: Apache-2.0 */
/* The C library and jansson, as a program without Vecwire would use them. */
#include "codec.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

static size_t
libc_write(const float *vector, char *text)
{
    char *p = text;

    *p++ = '[';
    for (size_t i = 0; i < CODEC_DIM; i++)
        p += sprintf(p, i > 0 ? ",%.9g" : "%.9g", (double)vector[i]);
    *p++ = ']';
    return (size_t)(p - text);
}

static size_t
libc_read(const char *text, size_t len, float *vector)
{
    const char *p = text + 1, *end = text + len;
    size_t n = 0;

    while (p < end) {
        char *next;

        vector[n++] = strtof(p, &next);
        p = next + 1;
    }
    return n;
}

const struct codec_peer codec_libc = {
    .name = "snprintf %.9g / strtof",
    .share = 4,
    .write = libc_write,
    .read = libc_read,
};

static size_t
jansson_write(const float *vector, char *text)
{
    json_t *array = json_array();
    size_t len;

    for (size_t i = 0; i < CODEC_DIM; i++)
        json_array_append_new(array, json_real((double)vector[i]));
    len = json_dumpb(array, text, CODEC_DIM * 32,
                     JSON_COMPACT | JSON_REAL_PRECISION(9));
    json_decref(array);
    return len;
}

static json_t *
load(const char *text, size_t len)
{
    json_error_t error;
    json_t *tree = json_loadb(text, len, 0, &error);

    if (tree == NULL)
        bench_die("jansson: %s", error.text);
    return tree;
}

static size_t
jansson_read(const char *text, size_t len, float *vector)
{
    json_t *array = load(text, len);
    size_t n = json_array_size(array);

    for (size_t i = 0; i < n; i++)
        vector[i] = (float)json_number_value(json_array_get(array, i));
    json_decref(array);
    return n;
}

static void
jansson_hms(const char *text, size_t len, struct codec_found *found)
{
    json_t *tree = load(text, len), *match;
    size_t i;

    json_array_foreach(json_object_get(tree, "matches"), i, match)
    {
        found->rows++;
        found->id_bytes += json_string_length(json_object_get(match, "id"));
        found->scores += json_number_value(json_object_get(match, "score"));
    }
    json_decref(tree);
}

static float row[4096];

static void
jansson_scroll(const char *text, size_t len, struct codec_found *found)
{
    json_t *tree = load(text, len), *point, *value;
    json_t *result = json_object_get(tree, "result");
    size_t i, j;

    json_array_foreach(json_object_get(result, "points"), i, point)
    {
        found->rows++;
        found->id_bytes +=
            (size_t)json_integer_value(json_object_get(point, "id"));
        json_array_foreach(json_object_get(point, "vector"), j, value)
        {
            row[j] = (float)json_number_value(value);
            found->floats++;
        }
    }
    json_decref(tree);
}

const struct codec_peer codec_jansson = {
    .name = "jansson",
    .share = 8,
    .write = jansson_write,
    .read = jansson_read,
    .hms = jansson_hms,
    .scroll = jansson_scroll,
};
