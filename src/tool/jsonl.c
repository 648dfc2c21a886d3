/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/jsonl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <vecwire/vector.h>

#include "tool/args.h"
#include "tool/scan.h"

_Static_assert(JSONL_WHY_MAX >= VECTORS_WHY_MAX, "one buffer serves both");

#define FIRST_ROOM 65536
/* A document's text and metadata are at most 64 KiB each; a file without
 * line ends must not fill the memory. */
#define MAX_LINE ((size_t)64 << 20)
#define MAX_DIM 65536

bool
vecwire__jsonl_open(struct jsonl *file, const char *path, bool with_vectors,
                    char *why)
{
    memset(file, 0, sizeof(*file));
    file->with_vectors = with_vectors;
    file->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (file->fd < 0) {
        snprintf(why, JSONL_WHY_MAX, "it cannot be opened: %s",
                 strerror(errno));
        return false;
    }
    file->room = FIRST_ROOM;
    file->buffer = vecwire__args_alloc(file->room, 1);
    return true;
}

void
vecwire__jsonl_close(struct jsonl *file)
{
    if (file->fd >= 0)
        close(file->fd);
    file->fd = -1;
    free(file->buffer);
    free(file->vector);
    file->buffer = NULL;
    file->vector = NULL;
}

void
vecwire__jsonl_row_clear(struct jsonl_row *row)
{
    free(row->id);
    free(row->text);
    free(row->payload);
    vecwire__vectors_free(&row->vectors);
    memset(row, 0, sizeof(*row));
}

/* Read more behind what is there; false: `why` is set. */
static bool
read_more(struct jsonl *file, char *why)
{
    ssize_t got;

    if (file->begin > 0) {
        memmove(file->buffer, file->buffer + file->begin,
                file->end - file->begin);
        file->end -= file->begin;
        file->looked -= file->begin;
        file->begin = 0;
    }
    if (file->end == file->room) {
        char *larger;

        if (file->room >= MAX_LINE) {
            snprintf(why, JSONL_WHY_MAX, "the line is longer than 64 MiB");
            return false;
        }
        larger = realloc(file->buffer, file->room * 2);
        if (larger == NULL) {
            snprintf(why, JSONL_WHY_MAX, "out of memory");
            return false;
        }
        file->buffer = larger;
        file->room *= 2;
    }
    do
        got = read(file->fd, file->buffer + file->end, file->room - file->end);
    while (got < 0 && errno == EINTR);
    if (got < 0) {
        snprintf(why, JSONL_WHY_MAX, "it cannot be read: %s", strerror(errno));
        return false;
    }
    if (got == 0)
        file->ended = true;
    file->end += (size_t)got;
    return true;
}

/* The next line, without its end. */
static enum jsonl_result
next_line(struct jsonl *file, struct span *line, char *why)
{
    for (;;) {
        char *stop =
            memchr(file->buffer + file->looked, '\n', file->end - file->looked);

        line->text = file->buffer + file->begin;
        if (stop != NULL) {
            line->len = (size_t)(stop - line->text);
            file->begin += line->len + 1;
            file->taken += line->len + 1;
            file->looked = file->begin;
            file->line++;
            return JSONL_ROW;
        }
        file->looked = file->end;
        if (file->ended) {
            line->len = file->end - file->begin;
            file->begin = file->end;
            file->taken += line->len;
            if (line->len == 0)
                return JSONL_END;
            file->line++;
            return JSONL_ROW;
        }
        if (!read_more(file, why)) {
            file->line++;
            return JSONL_BAD;
        }
    }
}

static bool
is_blank(struct span line)
{
    struct scan scan = {line.text, line.len, 0, NULL};

    vecwire__scan_peek(&scan);
    return scan.at == scan.len;
}

/* After an empty line only empty ones may follow: a row that is missing in
 * the middle would shift all rows behind it. */
static enum jsonl_result
after_blank(struct jsonl *file, char *why)
{
    uint64_t first = file->line;
    enum jsonl_result result;
    struct span line;

    do
        result = next_line(file, &line, why);
    while (result == JSONL_ROW && is_blank(line));
    if (result != JSONL_ROW)
        return result;
    file->line = first;
    snprintf(why, JSONL_WHY_MAX, "the line is empty");
    return JSONL_BAD;
}

static size_t
count_commas(const char *text, size_t len)
{
    size_t n = 0;

    for (size_t i = 0; i < len; i++)
        n += text[i] == ',';
    return n;
}

/* Room for the first row's vector, or the same dimension as it had. */
static bool
fit_vector(struct jsonl *file, struct span value, char *why)
{
    size_t dim = count_commas(value.text, value.len) + 1;

    if (dim > MAX_DIM) {
        snprintf(why, JSONL_WHY_MAX, "the vector has over %d coordinates",
                 MAX_DIM);
        return false;
    }
    if (file->dim == 0)
        file->vector = vecwire__args_alloc(dim, sizeof(float));
    else if (dim != file->dim) {
        snprintf(why, JSONL_WHY_MAX,
                 "the vector has %zu coordinates, those before it have %zu",
                 dim, file->dim);
        return false;
    }
    return true;
}

static bool
take_vector(struct jsonl *file, struct span value, char *why)
{
    size_t room = count_commas(value.text, value.len) + 1, at;
    enum vecwire_err rc;

    if (value.text[0] != '[') {
        snprintf(why, JSONL_WHY_MAX, "the vector is no array of numbers");
        return false;
    }
    if (!fit_vector(file, value, why))
        return false;
    rc = vecwire_vector_parse(value.text, value.len, file->vector, room, &at);
    if (rc != VECWIRE_OK)
        snprintf(why, JSONL_WHY_MAX, "vector, coordinate %zu %s",
                 count_commas(value.text, at),
                 rc == VECWIRE_ETOOBIG ? "is beyond float32" : "is no number");
    else if (at == 0)
        snprintf(why, JSONL_WHY_MAX, "the vector is empty");
    else
        file->dim = at;
    if (rc == VECWIRE_OK && at > 0)
        return true;
    if (file->dim == 0) {
        free(file->vector);
        file->vector = NULL;
    }
    return false;
}

static char *
copy_span(struct span value)
{
    char *copy = vecwire__args_alloc(value.len + 1, 1);

    memcpy(copy, value.text, value.len);
    return copy;
}

static bool
take_string(struct span value, const char *key, char **to, char *why)
{
    const char *what;

    *to = vecwire__scan_string(value, &what);
    if (*to == NULL)
        snprintf(why, JSONL_WHY_MAX, "\"%s\" %s", key, what);
    return *to != NULL;
}

/* An id is text, or a whole number that is kept as its digits. */
static bool
take_id(struct span value, char **to, char *why)
{
    static const char digits[] = "0123456789";
    size_t i = 0;

    if (value.text[0] == '"')
        return take_string(value, "id", to, why);
    while (i < value.len && memchr(digits, value.text[i], 10) != NULL)
        i++;
    if (i < value.len) {
        snprintf(why, JSONL_WHY_MAX,
                 "\"id\" is neither a string nor a whole number");
        return false;
    }
    *to = copy_span(value);
    return true;
}

static bool
is_null(struct span value)
{
    return value.len == 4 && memcmp(value.text, "null", 4) == 0;
}

static bool
take_texts(const struct span values[4], struct jsonl_row *row, char *why)
{
    if (values[0].text != NULL && !take_id(values[0], &row->id, why))
        return false;
    if (values[2].text != NULL && !is_null(values[2]) &&
        !take_string(values[2], "text", &row->text, why))
        return false;
    if (values[3].text == NULL || is_null(values[3]))
        return true;
    if (values[3].text[0] != '{') {
        snprintf(why, JSONL_WHY_MAX, "\"payload\" is no object");
        return false;
    }
    row->payload = copy_span(values[3]);
    return true;
}

static const char *const keys[4] = {"id", "vector", "text", "payload"};

/* Which of keys[] it is, 4 for others. A key may be written with escapes. */
static size_t
which_key(struct span key)
{
    const char *unused;
    char *plain = NULL;
    size_t which = 0;

    if (memchr(key.text, '\\', key.len) != NULL)
        plain = vecwire__scan_string(key, &unused);
    if (plain != NULL)
        key = (struct span){plain, strlen(plain)};
    else
        key = (struct span){key.text + 1, key.len - 2};
    while (which < 4 && (key.len != strlen(keys[which]) ||
                         memcmp(key.text, keys[which], key.len) != 0))
        which++;
    free(plain);
    return which;
}

/* One key and its value; values[4] is the last key that is none of keys[]. */
static bool
scan_entry(struct scan *scan, struct span values[5], char *why)
{
    struct span key, value;
    size_t from, which;

    if (vecwire__scan_peek(scan) != '"') {
        scan->fault = "a key in quotes is expected";
        return false;
    }
    if (!vecwire__scan_value(scan, &key) ||
        !vecwire__scan_expect(scan, ':', "a colon is expected"))
        return false;
    which = which_key(key);
    vecwire__scan_peek(scan);
    from = scan->at;
    if (!vecwire__scan_value(scan, &value)) {
        if (which == 1)
            snprintf(why, JSONL_WHY_MAX, "vector, coordinate %zu: %s",
                     count_commas(scan->text + from, scan->at - from),
                     scan->fault);
        return false;
    }
    if (which == 4) {
        values[4] = key;
        return true;
    }
    if (values[which].text != NULL) {
        scan->fault = "a key stands twice";
        return false;
    }
    values[which] = value;
    return true;
}

static bool
scan_line(struct span line, struct span values[5], char *why)
{
    struct scan scan = {line.text, line.len, 0, NULL};
    bool fine = vecwire__scan_expect(&scan, '{', "the line is no JSON object");

    why[0] = '\0';
    if (fine && vecwire__scan_peek(&scan) == '}') {
        scan.at++;
    } else {
        while (fine) {
            fine = scan_entry(&scan, values, why);
            if (!fine || vecwire__scan_peek(&scan) != ',')
                break;
            scan.at++;
        }
        fine = fine &&
               vecwire__scan_expect(&scan, '}', "a comma or } is expected");
    }
    if (fine) {
        vecwire__scan_peek(&scan);
        if (scan.at == scan.len)
            return true;
        scan.fault = "there is something behind the object";
    }
    if (why[0] == '\0')
        snprintf(why, JSONL_WHY_MAX, "byte %zu: %s", scan.at, scan.fault);
    return false;
}

/* The first key that means nothing here, for whoever wants to tell. */
static void
note_unknown(struct jsonl *file, struct span key)
{
    size_t len = key.len < JSONL_KEY_MAX ? key.len : JSONL_KEY_MAX - 1;

    if (key.text == NULL || file->unknown_line != 0)
        return;
    file->unknown_line = file->line;
    memcpy(file->unknown_key, key.text, len);
    file->unknown_key[len] = '\0';
}

/* A plain array, which most files have, or vectors of any kind. */
static bool
take_vectors(struct jsonl *file, struct span value, struct jsonl_row *row,
             char *why)
{
    bool listed = file->any_vectors && !vecwire__vectors_is_flat(value);

    file->has_vector = file->with_vectors && value.text != NULL && !listed;
    if (file->has_vector)
        return take_vector(file, value, why);
    return !listed || vecwire__vectors_read(&row->vectors, value, why);
}

enum jsonl_result
vecwire__jsonl_next(struct jsonl *file, struct jsonl_row *row, char *why)
{
    struct span values[5] = {{NULL, 0}};
    struct span line;
    enum jsonl_result result = next_line(file, &line, why);

    memset(row, 0, sizeof(*row));
    if (result == JSONL_ROW && is_blank(line))
        return after_blank(file, why);
    if (result != JSONL_ROW)
        return result;
    if (!scan_line(line, values, why))
        return JSONL_BAD;
    note_unknown(file, values[4]);
    if (file->no_texts && values[2].text != NULL && !is_null(values[2])) {
        note_unknown(file, (struct span){"\"text\"", 6});
        values[2].text = NULL;
    }
    if (!take_vectors(file, values[1], row, why) ||
        !take_texts(values, row, why)) {
        vecwire__jsonl_row_clear(row);
        return JSONL_BAD;
    }
    return JSONL_ROW;
}
