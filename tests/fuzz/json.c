/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON reader: against jansson on what both take, and against itself in
 * one piece.
 *
 * Input: one byte of modes, four sizes of pieces, the document. */
#include "tests/fuzz/same.h"

#define REQUIRE FUZZ_REQUIRE
#include "tests/json_record.h"

#define MODE_ROWS 1   /* the table whose root is an array */
#define MODE_SHALL 2  /* the least depths */
#define MODE_BYTES 4  /* byte by byte as well */
#define MODE_REFUSE 8 /* the sink refuses an event */

/* --- the verdict --- */

/* What jansson refuses though it is JSON: numbers that its types do not hold,
 * NUL in keys, more depth than it has. */
static json_t *
parse(const char *text, size_t len, bool *beyond)
{
    json_error_t error;
    json_t *tree =
        json_loadb(text, len, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
    enum json_error_code code = json_error_code(&error);

    *beyond = tree == NULL && (code == json_error_numeric_overflow ||
                               code == json_error_null_byte_in_key ||
                               code == json_error_null_character ||
                               code == json_error_stack_overflow);
    return tree;
}

static void
compare_verdicts(const char *text, size_t len, const json_t *tree, bool beyond)
{
    size_t at = 0;
    enum vecwire__json_rc rc = vecwire__json_check(text, len, 255, false, &at);

    FUZZ_REQUIRE(at <= len, "fault at %zu of %zu", at, len);
    if (beyond || rc == VECWIRE__JSON_EDEPTH)
        return;
    FUZZ_REQUIRE((tree != NULL) == (rc == VECWIRE__JSON_DONE), "%s at %zu",
                 vecwire__json_rc_text(rc), at);
    if (tree == NULL)
        return;
    rc = vecwire__json_check(text, len, 255, true, &at);
    FUZZ_REQUIRE((rc == VECWIRE__JSON_DONE) == json_is_object(tree),
                 "object or not: %s", vecwire__json_rc_text(rc));
}

/* --- the values --- */

enum { V_STR = 1, V_RAW, V_ID, V_U64, V_F32, V_BOOL, V_ROW, V_OBJECT };

/* By tag. */
static const char *const value_keys[] = {"",    "str",  "raw", "id",
                                         "u64", "time", "ok",  "vector"};

static const struct vecwire__json_field value_root[] = {
    {"str", VECWIRE__JSON_STR, V_STR, 0, true},
    {"raw", VECWIRE__JSON_RAW, V_RAW, 0, false},
    {"id", VECWIRE__JSON_ID, V_ID, 0, false},
    {"u64", VECWIRE__JSON_U64, V_U64, 0, false},
    {"time", VECWIRE__JSON_F32, V_F32, 0, false},
    {"ok", VECWIRE__JSON_BOOL, V_BOOL, 0, false},
    {"vector", VECWIRE__JSON_F32S, V_ROW, 0, false}};
static const struct vecwire__json_shape value_shapes[] = {{value_root, 7}};
static const struct vecwire__json_table value_table = {value_shapes, 1, false};

struct values {
    struct vecwire__buf texts;
    json_t *tree; /* jansson's; NULL: not yet known to be whole */
    float *row;
    size_t room;
};

static bool
same_row(const struct vecwire__json_reader *reader, const json_t *array)
{
    if (json_array_size(array) != reader->n)
        return false;
    for (size_t i = 0; i < reader->n; i++) {
        if (!same_float(reader->floats[i], json_array_get(array, i)))
            return false;
    }
    return true;
}

static bool
same_value(const struct vecwire__json_reader *reader,
           enum vecwire__json_event event, const json_t *value)
{
    size_t len = reader->texts->len - reader->text_at;
    /* without a block while all texts are empty */
    const char *text = len == 0 ? "" : reader->texts->bytes + reader->text_at;

    switch (event) {
    case VECWIRE__JSON_EV_STR:
        return same_text(text, len, value);
    case VECWIRE__JSON_EV_RAW:
        return same_json(text, len, value);
    case VECWIRE__JSON_EV_U64:
        return json_is_integer(value) &&
               (uint64_t)json_integer_value(value) == reader->u64;
    case VECWIRE__JSON_EV_BOOL:
        return json_is_boolean(value) &&
               json_boolean_value(value) == (reader->u64 != 0);
    case VECWIRE__JSON_EV_F32:
        return reader->is_nan == json_is_null(value) &&
               same_float(reader->f32, value);
    case VECWIRE__JSON_EV_F32S:
        return same_row(reader, value);
    case VECWIRE__JSON_EV_NULL:
        return json_is_null(value);
    default:
        return true;
    }
}

static bool
values_sink(struct vecwire__json_reader *reader, enum vecwire__json_event event,
            unsigned tag)
{
    struct values *values = reader->ctx;

    if (event == VECWIRE__JSON_EV_ROW) {
        reader->floats = values->row;
        reader->room = values->room;
    } else if (event == VECWIRE__JSON_EV_GROW) {
        values->room = reader->room * 2 + 1;
        values->row =
            realloc(values->row, values->room * sizeof(values->row[0]));
        FUZZ_REQUIRE(values->row != NULL, "no memory");
        reader->floats = values->row;
        reader->room = values->room;
    } else if (tag != 0 && tag < V_OBJECT) {
        FUZZ_REQUIRE(same_value(reader, event,
                                json_object_get(values->tree, value_keys[tag])),
                     "the value of \"%s\" is another", value_keys[tag]);
    }
    return true;
}

/* The keys of a tree are known: each of those that the reader has seen stands
 * there once, or it refuses the text in the end. */
static void
compare_values(const char *text, size_t len, json_t *tree,
               struct fuzz_cuts *cuts)
{
    struct vecwire__json_reader reader;
    struct values values = {.tree = tree};
    enum vecwire__json_rc rc;

    vecwire__buf_init(&values.texts, &vecwire__mem_libc);
    vecwire__json_init(&reader, &value_table, values_sink, &values,
                       &values.texts, 128);
    for (size_t at = 0, n; at < len; at += n) {
        n = fuzz_cut(cuts, len - at);
        (void)record_feed(&reader, text + at, n);
    }
    rc = vecwire__json_finish(&reader);
    FUZZ_REQUIRE(rc != VECWIRE__JSON_EGRAMMAR && rc != VECWIRE__JSON_EEND,
                 "it is JSON: %s at %llu", vecwire__json_rc_text(rc),
                 (unsigned long long)reader.offset);
    vecwire__buf_fini(&values.texts);
    free(values.row);
}

/* A key that stands twice: jansson's value is the last one, ours the first,
 * until it refuses. */
static bool
has_twins(const char *text, size_t len)
{
    json_error_t error;
    json_t *tree = json_loadb(
        text, len, JSON_DECODE_ANY | JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES,
        &error);

    json_decref(tree);
    return tree == NULL;
}

/* --- the pieces --- */

static void
compare_pieces(unsigned mode, const char *text, size_t len,
               struct fuzz_cuts *cuts)
{
    const struct vecwire__json_table *table =
        (mode & MODE_ROWS) != 0 ? &record_rows : &record_table;
    struct record whole, parts;
    struct vecwire__json_reader reader;

    record_init(&whole);
    record_init(&parts);
    whole.depth = parts.depth = (mode & MODE_SHALL) != 0 ? 1 + mode / 64 : 128;
    if ((mode & MODE_REFUSE) != 0)
        whole.refused = parts.refused = (int)(mode >> 4);
    record_whole(&whole, table, text, len);
    FUZZ_REQUIRE(whole.offset <= len, "fault beyond the end");
    record_begin(&parts, &reader, table);
    for (size_t at = 0, n; at < len; at += n) {
        n = fuzz_cut(cuts, len - at);
        (void)record_feed(&reader, text + at, n);
    }
    record_end(&parts, &reader);
    FUZZ_REQUIRE(record_same(&whole, &parts), "pieces make a difference");
    if ((mode & MODE_BYTES) != 0) {
        record_steps(&parts, table, text, len, 1);
        FUZZ_REQUIRE(record_same(&whole, &parts), "bytes make a difference");
    }
    record_fini(&whole);
    record_fini(&parts);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct fuzz_input input = {bytes, len};
    unsigned mode = fuzz_byte(&input);
    struct fuzz_cuts cuts;
    bool beyond;
    json_t *tree;
    char *text;

    fuzz_take_cuts(&input, &cuts);
    text = fuzz_copy(input.at, input.left);
    /* Between two tokens jansson passes over NULs. */
    beyond = false;
    tree = memchr(text, 0, input.left) == NULL
               ? parse(text, input.left, &beyond)
               : NULL;
    compare_verdicts(text, input.left, tree, beyond);
    if (tree != NULL && !has_twins(text, input.left))
        compare_values(text, input.left, tree, &cuts);
    json_decref(tree);
    compare_pieces(mode, text, input.left, &cuts);
    free(text);
    return 0;
}
