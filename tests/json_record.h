/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the JSON reader over a text, cut as asked, and records as text lines
 * all that it tells its sink. Each segment lies in a block of exactly its
 * size, so that the sanitizers see a read outside of it. */
#ifndef JSON_RECORD_H
#define JSON_RECORD_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <check.h>

#include "codec/json_reader.h"
#include "codec/mem.h"

/* As ck_assert_msg(), which reports each time that it holds: too slow for
 * hundreds of thousands. The fuzz targets, which are no Check programs, bring
 * their own. */
#ifndef REQUIRE
#define REQUIRE(holds, ...)                                                    \
    do {                                                                       \
        if (!(holds))                                                          \
            ck_abort_msg(__VA_ARGS__);                                         \
    } while (0)
#endif

struct record {
    struct vecwire__buf log;
    struct vecwire__buf texts;
    float *floats;
    size_t room;
    unsigned depth; /* limit, 0: 128 */
    int refused;    /* event that the sink refuses, -1: none */
    enum vecwire__json_rc rc;
    uint64_t offset;
    const char *key;
};

enum {
    TAG_STATUS = 1,
    TAG_TIME,
    TAG_OK,
    TAG_NEXT,
    TAG_COUNT,
    TAG_ID,
    TAG_PAYLOAD,
    TAG_VECTOR,
    TAG_SCORE,
    TAG_NAME,
    TAG_META,
    TAG_LONG,
    TAG_POINTS,
    TAG_ANY,
    TAG_EITHER,
    TAG_SHORT,
    TAG_MANY,
    TAG_NAMED,
    TAG_INDICES,
    TAG_VALUES
};

static const struct vecwire__json_field record_root[] = {
    {"result", VECWIRE__JSON_OBJ, 0, 2, true},
    {"status", VECWIRE__JSON_RAW, TAG_STATUS, 0, false},
    {"time", VECWIRE__JSON_F32, TAG_TIME, 0, false},
    {"ok", VECWIRE__JSON_BOOL, TAG_OK, 0, false},
    {"usage", VECWIRE__JSON_SKIP, 0, 0, false},
    {"any", VECWIRE__JSON_ARR, TAG_ANY, 0, false},
    {"either", VECWIRE__JSON_EITHER, TAG_EITHER, 4, true}};
static const struct vecwire__json_field record_result[] = {
    {"points", VECWIRE__JSON_ARR, TAG_POINTS, 3, false},
    {"next", VECWIRE__JSON_ID, TAG_NEXT, 0, true},
    {"count", VECWIRE__JSON_U64, TAG_COUNT, 0, false}};
static const struct vecwire__json_field record_point[] = {
    {"id", VECWIRE__JSON_ID, TAG_ID, 0, false},
    {"payload", VECWIRE__JSON_RAW, TAG_PAYLOAD, 0, true},
    {"vector", VECWIRE__JSON_F32S, TAG_VECTOR, 0, true},
    {"score", VECWIRE__JSON_F32, TAG_SCORE, 0, false},
    {"name", VECWIRE__JSON_STR, TAG_NAME, 0, true},
    {"meta", VECWIRE__JSON_RAW_OBJ, TAG_META, 0, true},
    {"a_key_of_23_bytes_in_it", VECWIRE__JSON_U64, TAG_LONG, 0, false},
    {"inner", VECWIRE__JSON_OBJ, 0, 3, false}};
static const struct vecwire__json_field record_hits[] = {
    {"points", VECWIRE__JSON_ARR, TAG_POINTS, 5, false}};
static const struct vecwire__json_field record_hit[] = {
    {"id", VECWIRE__JSON_ID, TAG_ID, 0, false},
    {"vector", VECWIRE__JSON_VECTOR, TAG_VECTOR, 6, true},
    {"flat", VECWIRE__JSON_VECTOR, TAG_VECTOR, 0, false},
    {"short", VECWIRE__JSON_U32, TAG_SHORT, 0, true},
    {"many", VECWIRE__JSON_U32S, TAG_MANY, 0, true},
    {"order", VECWIRE__JSON_RAW, TAG_PAYLOAD, 0, true}};
static const struct vecwire__json_field record_named[] = {
    {"", VECWIRE__JSON_VECTOR, TAG_NAMED, 7, true}};
static const struct vecwire__json_field record_sparse[] = {
    {"indices", VECWIRE__JSON_U32S, TAG_INDICES, 0, false},
    {"values", VECWIRE__JSON_F32S, TAG_VALUES, 0, false}};
static const struct vecwire__json_shape record_shapes[] = {
    {record_root, 7}, {record_result, 3}, {record_point, 8}, {record_hits, 1},
    {record_hit, 6},  {record_named, 1},  {record_sparse, 2}};
static const struct vecwire__json_table record_table = {record_shapes, 7,
                                                        false};
/* ... and one whose root is an array of points */
static const struct vecwire__json_shape record_row_shapes[] = {
    {record_point, 8}, {record_result, 3}, {record_point, 8}};
static const struct vecwire__json_table record_rows = {record_row_shapes, 3,
                                                       true};

static inline void record_add(struct record *record, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static inline void
record_add(struct record *record, const char *format, ...)
{
    char line[128];
    va_list args;

    va_start(args, format);
    vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    REQUIRE(vecwire__buf_str(&record->log, line), "no memory");
}

static inline void
record_text(struct record *record, const char *what, unsigned tag,
            const struct vecwire__json_reader *reader)
{
    size_t n = reader->texts->len - reader->text_at;

    record_add(record, "%s %u ", what, tag);
    /* while all texts are empty there is no block */
    if (n != 0)
        REQUIRE(vecwire__buf_add(&record->log,
                                 reader->texts->bytes + reader->text_at, n),
                "no memory");
    record_add(record, "\n");
}

/* Rooms grow float by float at first: every number is once the one that does
 * not fit. */
static inline void
record_grow(struct record *record, struct vecwire__json_reader *reader)
{
    size_t room = record->room < 8 ? record->room + 1 : record->room * 2;
    float *floats = malloc(room * sizeof(float));

    REQUIRE(floats != NULL, "no memory");
    if (reader->n != 0)
        memcpy(floats, record->floats, reader->n * sizeof(float));
    free(record->floats);
    record->floats = reader->floats = floats;
    record->room = reader->room = room;
}

static inline bool
record_sink(struct vecwire__json_reader *reader, enum vecwire__json_event event,
            unsigned tag)
{
    struct record *record = reader->ctx;

    if ((int)event == record->refused)
        return false;
    switch (event) {
    case VECWIRE__JSON_EV_BEGIN:
        record_add(record, "begin %u\n", tag);
        break;
    case VECWIRE__JSON_EV_END:
        record_add(record, "end %u\n", tag);
        break;
    case VECWIRE__JSON_EV_ARR:
        record_add(record, "array %u\n", tag);
        break;
    case VECWIRE__JSON_EV_KEY:
        record_text(record, "key", tag, reader);
        break;
    case VECWIRE__JSON_EV_MULTI:
        record_add(record, "multi %u\n", tag);
        break;
    case VECWIRE__JSON_EV_MULTI_END:
        record_add(record, "multi end %u\n", tag);
        break;
    case VECWIRE__JSON_EV_STR:
        record_text(record, "str", tag, reader);
        return vecwire__buf_byte(reader->texts, '\0');
    case VECWIRE__JSON_EV_RAW:
        record_text(record, "raw", tag, reader);
        break;
    case VECWIRE__JSON_EV_U64:
        record_add(record, "u64 %u %llu\n", tag,
                   (unsigned long long)reader->u64);
        break;
    case VECWIRE__JSON_EV_BOOL:
        record_add(record, "bool %u %u\n", tag, (unsigned)reader->u64);
        break;
    case VECWIRE__JSON_EV_F32:
        record_add(record, "f32 %u %.9g%s\n", tag, (double)reader->f32,
                   reader->is_nan ? " null" : "");
        break;
    case VECWIRE__JSON_EV_ROW:
        record->room = 0;
        reader->floats = record->floats;
        reader->room = 0;
        break;
    case VECWIRE__JSON_EV_GROW:
        REQUIRE(reader->n == reader->room, "asked to grow too early");
        record_grow(record, reader);
        break;
    case VECWIRE__JSON_EV_F32S:
        record_add(record, "row %u", tag);
        for (size_t i = 0; i < reader->n; i++)
            record_add(record, " %.9g", (double)reader->floats[i]);
        record_add(record, "%s\n", reader->is_nan ? " null" : "");
        break;
    case VECWIRE__JSON_EV_NULL:
        record_add(record, "null %u\n", tag);
        break;
    }
    return true;
}

static inline void
record_init(struct record *record)
{
    memset(record, 0, sizeof(*record));
    vecwire__buf_init(&record->log, &vecwire__mem_libc);
    vecwire__buf_init(&record->texts, &vecwire__mem_libc);
    record->refused = -1;
    record->key = "";
}

static inline void
record_fini(struct record *record)
{
    vecwire__buf_fini(&record->log);
    vecwire__buf_fini(&record->texts);
    free(record->floats);
}

static inline void
record_begin(struct record *record, struct vecwire__json_reader *reader,
             const struct vecwire__json_table *table)
{
    /* what the last run left must not show */
    memset(reader, 0xa5, sizeof(*reader));
    record->log.len = record->texts.len = 0;
    vecwire__json_init(reader, table, record_sink, record, &record->texts,
                       record->depth == 0 ? 128 : record->depth);
}

static inline enum vecwire__json_rc
record_feed(struct vecwire__json_reader *reader, const char *text, size_t len)
{
    char *exact = malloc(len == 0 ? 1 : len);
    enum vecwire__json_rc rc;

    REQUIRE(exact != NULL, "no memory");
    memcpy(exact, text, len);
    rc = vecwire__json_feed(reader, exact, len);
    free(exact);
    return rc;
}

static inline void
record_end(struct record *record, struct vecwire__json_reader *reader)
{
    record->rc = vecwire__json_finish(reader);
    record->offset = record->rc == VECWIRE__JSON_DONE ? 0 : reader->offset;
    record->key = reader->key;
}

/* Read the text in segments that end at `cuts`, which ascend. */
static inline void
record_cut(struct record *record, const struct vecwire__json_table *table,
           const char *text, size_t len, const size_t *cuts, size_t n_cuts)
{
    struct vecwire__json_reader reader;
    size_t at = 0;

    record_begin(record, &reader, table);
    for (size_t i = 0; i <= n_cuts; i++) {
        size_t end = i < n_cuts ? cuts[i] : len;

        (void)record_feed(&reader, text + at, end - at);
        at = end;
    }
    record_end(record, &reader);
}

/* Read the text in segments of `step` bytes. */
static inline void
record_steps(struct record *record, const struct vecwire__json_table *table,
             const char *text, size_t len, size_t step)
{
    struct vecwire__json_reader reader;

    record_begin(record, &reader, table);
    for (size_t at = 0; at < len; at += step)
        (void)record_feed(&reader, text + at,
                          len - at < step ? len - at : step);
    record_end(record, &reader);
}

static inline void
record_whole(struct record *record, const struct vecwire__json_table *table,
             const char *text, size_t len)
{
    record_cut(record, table, text, len, NULL, 0);
}

/* Whether both runs told the same and ended alike. */
static inline bool
record_same(const struct record *a, const struct record *b)
{
    return a->rc == b->rc && a->offset == b->offset &&
           strcmp(a->key, b->key) == 0 && a->log.len == b->log.len &&
           (a->log.len == 0 ||
            memcmp(a->log.bytes, b->log.bytes, a->log.len) == 0);
}

#endif
