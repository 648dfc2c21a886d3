/* SPDX-License-Identifier: Apache-2.0 */
#include "codec.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "codec/float_enc.h"
#include "replies.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *const words[] = {
    "vector", "search", "the",    "of",      "index", "recall",   "latency",
    "memory", "point",  "shard",  "replica", "query", "segment",  "graph",
    "and",    "with",   "cosine", "filter",  "on",    "distance",
};

/* Escapes and characters of two to four bytes. */
static const char *const odd_words[] = {
    "caf\xc3\xa9",
    "\xe6\xa4\x9c\xe7\xb4\xa2",
    "\xf0\x9f\x94\x8e",
    "line\\nbreak",
    "say \\\"hi\\\"",
    "tab\\there",
    "\\u00e9t\\u00e9",
    "\\ud83d\\ude80",
    "a\\/b",
    "\xd0\xbf\xd0\xbe\xd0\xb8\xd1\x81\xd0\xba",
};

static double
unit(uint64_t *state)
{
    return (double)((bench_random(state) >> 11) + 1) * 0x1p-53;
}

static double
gaussian(uint64_t *state)
{
    double radius = sqrt(-2 * log(unit(state)));

    return radius * cos(2 * 3.14159265358979323846 * unit(state));
}

/* A row of doubles of length 1. */
static void
unit_vector(double *row, size_t dim, uint64_t *state)
{
    double sum = 0;

    for (size_t i = 0; i < dim; i++) {
        row[i] = gaussian(state);
        sum += row[i] * row[i];
    }
    for (size_t i = 0; i < dim; i++)
        row[i] /= sqrt(sum);
}

/* Fewest digits that read back to the double, as most languages print it. */
static void
put_double(FILE *out, double value)
{
    char text[32];

    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof(text), "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    fputs(text, out);
}

static void
put_float(FILE *out, float value)
{
    char text[32];

    text[vecwire__float_write(text, value)] = '\0';
    fputs(text, out);
}

static struct codec_text
text_pad(char *bytes, size_t len)
{
    char *padded = bench_alloc(1, CODEC_BEFORE + len + CODEC_BEHIND);
    struct codec_text text = {padded + CODEC_BEFORE, len};

    memcpy(padded + CODEC_BEFORE, bytes, len);
    free(bytes);
    return text;
}

/* What is written to *stream until text_end(). */
struct text_making {
    char *bytes;
    size_t len;
};

static FILE *
text_begin(struct text_making *making)
{
    FILE *out = open_memstream(&making->bytes, &making->len);

    if (out == NULL)
        bench_die("out of memory");
    return out;
}

static struct codec_text
text_end(struct text_making *making, FILE *out)
{
    if (fclose(out) != 0)
        bench_die("out of memory");
    return text_pad(making->bytes, making->len);
}

enum kind { NORMALISED, GAUSSIAN, WHOLE, DOUBLES };

static struct codec_text
kind_text(enum kind kind, float *values, uint64_t *state)
{
    struct text_making making;
    FILE *out = text_begin(&making);
    double row[CODEC_DIM];

    if (kind == NORMALISED || kind == DOUBLES)
        unit_vector(row, CODEC_DIM, state);
    for (size_t i = 0; i < CODEC_DIM; i++) {
        if (kind == GAUSSIAN)
            row[i] = gaussian(state);
        else if (kind == WHOLE)
            row[i] = (double)(bench_random(state) % 256);
        values[i] = (float)row[i];
        fputs(i == 0 ? "[" : kind == DOUBLES ? ", " : ",", out);
        if (kind == DOUBLES)
            put_double(out, row[i]);
        else if (kind == WHOLE)
            fprintf(out, "%.1f", row[i]);
        else
            put_float(out, values[i]);
    }
    fputc(']', out);
    return text_end(&making, out);
}

void
codec_kinds_make(struct codec_kind *kinds)
{
    static const char *const names[CODEC_KINDS] = {
        "normalised", "gaussian", "whole numbers", "doubles' repr"};

    for (unsigned kind = 0; kind < CODEC_KINDS; kind++) {
        uint64_t state = kind;

        kinds[kind].name = names[kind];
        kinds[kind].values =
            bench_alloc(CODEC_VECTORS * CODEC_DIM, sizeof(float));
        for (size_t i = 0; i < CODEC_VECTORS; i++)
            kinds[kind].texts[i] = kind_text(
                (enum kind)kind, kinds[kind].values + i * CODEC_DIM, &state);
    }
}

void
codec_hms_make(struct codec_replies *replies)
{
    struct bench_reply made[BENCH_REPLIES];

    bench_replies_hms(made, BENCH_TOP_K);
    replies->name = "HMS reply, 10 hits";
    replies->n = BENCH_REPLIES;
    replies->rows = BENCH_TOP_K;
    replies->dim = 0;
    replies->texts = bench_alloc(replies->n, sizeof(*replies->texts));
    for (size_t i = 0; i < replies->n; i++) {
        const char *body =
            memmem(made[i].bytes, made[i].len, "\r\n\r\n", 4) + (ptrdiff_t)4;
        size_t len = made[i].len - (size_t)(body - made[i].bytes);
        char *copy = bench_alloc(1, len);

        memcpy(copy, body, len);
        replies->texts[i] = text_pad(copy, len);
    }
    bench_replies_fini(made);
}

static void
put_words(FILE *out, size_t least, unsigned odd_one_in, uint64_t *state)
{
    for (size_t len = 0; len < least;) {
        const char *word = words[bench_random(state) % COUNT(words)];

        if (bench_random(state) % odd_one_in == 0)
            word = odd_words[bench_random(state) % COUNT(odd_words)];
        len += (size_t)fprintf(out, "%s%s", len > 0 ? " " : "", word);
    }
}

static unsigned
below(uint64_t *state, unsigned n)
{
    return (unsigned)(bench_random(state) % n);
}

/* About 480 bytes, nested. */
static void
put_payload(FILE *out, uint64_t *state)
{
    unsigned tags = 1 + below(state, 5);

    fputs("{\"title\":\"", out);
    put_words(out, 20 + below(state, 40), 8, state);
    fprintf(out,
            "\",\"year\":%u,\"rating\":%.2f,\"views\":%u,\"active\":%s,"
            "\"parent\":null,\"tags\":[",
            1990 + below(state, 36), unit(state) * 5, below(state, 100000000),
            below(state, 2) != 0 ? "true" : "false");
    for (unsigned i = 0; i < tags; i++)
        fprintf(out, "%s\"%s\"", i > 0 ? "," : "",
                words[below(state, COUNT(words))]);
    fprintf(out,
            "],\"geo\":{\"lat\":%.6f,\"lon\":%.6f},\"author\":{\"name\":\"",
            unit(state) * 180 - 90, unit(state) * 360 - 180);
    put_words(out, 12, 4, state);
    fprintf(out,
            "\",\"org\":{\"id\":\"%08x-%04x-4%03x-8%03x-%08x%04x\","
            "\"level\":%u}},\"text\":\"",
            below(state, 1u << 31), below(state, 1 << 16),
            below(state, 1 << 12), below(state, 1 << 12),
            below(state, 1u << 31), below(state, 1 << 16), below(state, 9));
    put_words(out, 20 + below(state, 260), 12, state);
    fputs("\"}", out);
}

static struct codec_text
scroll_text(size_t rows, size_t dim, uint64_t *state)
{
    struct text_making making;
    FILE *out = text_begin(&making);
    double *vector = bench_alloc(dim + 1, sizeof(*vector));

    fputs("{\"result\":{\"points\":[", out);
    for (size_t i = 0; i < rows; i++) {
        fprintf(out, "%s{\"id\":%zu,\"payload\":", i > 0 ? "," : "",
                1000 + i * 7);
        put_payload(out, state);
        unit_vector(vector, dim, state);
        for (size_t j = 0; j < dim; j++) {
            fputs(j == 0 ? ",\"vector\":[" : ",", out);
            put_float(out, (float)vector[j]);
        }
        fputs(dim > 0 ? "]}" : "}", out);
    }
    fprintf(out,
            "],\"next_page_offset\":%zu},\"status\":\"ok\","
            "\"time\":0.004213451}",
            1000 + rows * 7);
    free(vector);
    return text_end(&making, out);
}

void
codec_scroll_make(struct codec_replies *replies, const char *name, size_t n,
                  size_t rows, size_t dim)
{
    uint64_t state = rows + dim;

    replies->name = name;
    replies->n = n;
    replies->rows = rows;
    replies->dim = dim;
    replies->texts = bench_alloc(n, sizeof(*replies->texts));
    for (size_t i = 0; i < n; i++)
        replies->texts[i] = scroll_text(rows, dim, &state);
}
