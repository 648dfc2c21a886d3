/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of JSON lines: jansson takes each line that gives a row, and finds
 * the same there; what is refused is named with its line.
 *
 * Input: one byte (odd: with vectors); the file. */
#include "tests/fuzz/same.h"
#include "tool/jsonl.h"

/* Line `number`, counted from 1, without its end. */
static const char *
line_of(const char *file, size_t len, uint64_t number, size_t *n)
{
    const char *end = file + len, *stop;

    for (; number > 1 && file != NULL; number--) {
        file = memchr(file, '\n', (size_t)(end - file));
        file = file == NULL ? NULL : file + 1;
    }
    FUZZ_REQUIRE(file != NULL && file <= end, "there is no such line");
    stop = memchr(file, '\n', (size_t)(end - file));
    *n = (size_t)((stop == NULL ? end : stop) - file);
    return file;
}

static bool
is_blank(const char *line, size_t n)
{
    while (n > 0 && memchr(" \t\r\n", line[n - 1], 4) != NULL)
        n--;
    return n == 0;
}

/* NULL: absent. */
static size_t
length(const char *text)
{
    return text == NULL ? 0 : strlen(text);
}

/* A number is kept as its digits, which jansson may not hold. */
static bool
same_id(const char *ours, const json_t *theirs)
{
    char digits[32];

    if (!json_is_integer(theirs))
        return json_is_real(theirs) || same_text(ours, length(ours), theirs);
    snprintf(digits, sizeof(digits), "%" JSON_INTEGER_FORMAT,
             json_integer_value(theirs));
    return ours != NULL && strcmp(ours, digits) == 0;
}

static bool
same_vector(const struct jsonl *file, const json_t *theirs)
{
    if (!file->has_vector)
        return theirs == NULL || !file->with_vectors;
    if (json_array_size(theirs) != file->dim)
        return false;
    for (size_t i = 0; i < file->dim; i++) {
        if (!isfinite(file->vector[i]) ||
            !same_float(file->vector[i], json_array_get(theirs, i)))
            return false;
    }
    return true;
}

static void
check_row(const struct jsonl *file, const struct jsonl_row *row,
          const char *line, size_t n)
{
    json_error_t error;
    json_t *tree = json_loadb(line, n, JSON_ALLOW_NUL, &error);

    if (tree == NULL) {
        /* Numbers beyond its types, NULs in keys, too deep for it. */
        FUZZ_REQUIRE(json_error_code(&error) == json_error_numeric_overflow ||
                         json_error_code(&error) ==
                             json_error_null_byte_in_key ||
                         json_error_code(&error) == json_error_stack_overflow,
                     "no JSON: %s", error.text);
        return;
    }
    FUZZ_REQUIRE(json_is_object(tree), "no object");
    FUZZ_REQUIRE(same_id(row->id, json_object_get(tree, "id")), "id");
    FUZZ_REQUIRE(
        same_text(row->text, length(row->text), json_object_get(tree, "text")),
        "text");
    FUZZ_REQUIRE(same_json(row->payload, length(row->payload),
                           json_object_get(tree, "payload")),
                 "payload");
    FUZZ_REQUIRE(same_vector(file, json_object_get(tree, "vector")), "vector");
    json_decref(tree);
}

static void
read_all(struct jsonl *file, const char *text, size_t len)
{
    enum jsonl_result result;
    char why[JSONL_WHY_MAX];
    struct jsonl_row row;
    uint64_t before;
    const char *line;
    size_t n;

    do {
        before = file->line;
        why[0] = '\0';
        result = vecwire__jsonl_next(file, &row, why);
        if (result == JSONL_END)
            break;
        FUZZ_REQUIRE(file->line == before + 1, "line %llu after %llu",
                     (unsigned long long)file->line,
                     (unsigned long long)before);
        line = line_of(text, len, file->line, &n);
        FUZZ_REQUIRE(result == JSONL_ROW || why[0] != '\0', "no reason");
        if (result == JSONL_ROW)
            check_row(file, &row, line, n);
        FUZZ_REQUIRE(
            result == JSONL_ROW ||
                (row.id == NULL && row.text == NULL && row.payload == NULL),
            "a bad row has texts");
        vecwire__jsonl_row_clear(&row);
    } while (result == JSONL_ROW || !is_blank(line, n));
    if (result == JSONL_END)
        FUZZ_REQUIRE(file->taken == len, "%llu bytes of %zu",
                     (unsigned long long)file->taken, len);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct fuzz_input input = {bytes, len};
    bool with_vectors = (fuzz_byte(&input) & 1) != 0;
    char why[JSONL_WHY_MAX] = "";
    struct jsonl file;

    FUZZ_REQUIRE(vecwire__jsonl_open(&file, fuzz_file(input.at, input.left),
                                     with_vectors, why),
                 "%s", why);
    read_all(&file, (const char *)input.at, input.left);
    vecwire__jsonl_close(&file);
    return 0;
}
