/* SPDX-License-Identifier: Apache-2.0 */
/* Rows in batches: written once, to where they are sent from. */
#include "call/upload.h"

#include <inttypes.h>
#include <stdio.h>

#include "codec/mem.h"

/* A batch of rows that were too large gives its memory back. Growing may
 * have doubled it. */
#define MAX_SLACK ((size_t)1 << 20)

/* starts, id_starts and id_list in one block. */
static size_t
lists_bytes(const struct vecwire_uploader *up)
{
    size_t rows = up->config.batch_rows;

    return (rows + 1) * sizeof(size_t) + rows * sizeof(size_t) +
           rows * sizeof(char *);
}

bool
vecwire__batches_init(struct vecwire_uploader *up)
{
    size_t n = up->config.in_flight + 1, rows = up->config.batch_rows;

    up->batches = vecwire__mem_zalloc(&up->mem, n * sizeof(*up->batches));
    if (up->batches == NULL)
        return false;
    for (size_t i = 0; i < n; i++) {
        struct vecwire__batch *batch = &up->batches[i];

        batch->up = up;
        vecwire__buf_init(&batch->text, &up->mem);
        vecwire__buf_init(&batch->ids, &up->mem);
    }
    for (size_t i = 0; i < n; i++) {
        struct vecwire__batch *batch = &up->batches[i];

        batch->starts = vecwire__mem_alloc(&up->mem, lists_bytes(up));
        if (batch->starts == NULL)
            return false;
        batch->id_starts = batch->starts + rows + 1;
        batch->id_list = (const char **)(void *)(batch->id_starts + rows);
        TAILQ_INSERT_TAIL(&up->free, batch, link);
    }
    return true;
}

void
vecwire__batches_fini(struct vecwire_uploader *up)
{
    size_t n = up->config.in_flight + 1;

    if (up->batches == NULL)
        return;
    for (size_t i = 0; i < n; i++) {
        struct vecwire__batch *batch = &up->batches[i];

        vecwire__buf_fini(&batch->text);
        vecwire__buf_fini(&batch->ids);
        vecwire__mem_free(&up->mem, batch->starts, lists_bytes(up));
    }
    vecwire__mem_free(&up->mem, up->batches, n * sizeof(*up->batches));
    up->batches = NULL;
}

static size_t
frame_bytes(const struct vecwire_uploader *up)
{
    return up->config.open.len + strlen(up->parts->close);
}

/* The body of all its rows. */
static size_t
body_bytes(const struct vecwire__batch *batch)
{
    return batch->text.len - batch->up->frame + frame_bytes(batch->up);
}

void
vecwire__batch_recycle(struct vecwire__batch *batch)
{
    struct vecwire_uploader *up = batch->up;

    if (batch->text.cap / 2 > up->config.batch_bytes + MAX_SLACK)
        vecwire__buf_fini(&batch->text);
    batch->text.len = batch->ids.len = 0;
    batch->n_rows = batch->done = batch->unsure = batch->part = 0;
    batch->load = (struct vecwire__upsert_load){0};
    TAILQ_INSERT_HEAD(&up->free, batch, link);
}

/* A row that is none of this batch's: its vector is of another dimension, or
 * the dialect takes no more at once. */
static bool
is_another_s(struct vecwire__batch *batch,
             const struct vecwire_upsert_request *rows, size_t row)
{
    struct vecwire__upsert_load load = batch->load;
    const struct vecwire__upsert_parts *parts = batch->up->parts;

    if (batch->n_rows == 0)
        return false;
    return (batch->dim != rows->dim && !parts->any_dim) ||
           (parts->fits != NULL && !parts->fits(rows, row, &load));
}

static struct vecwire__batch *
begin_batch(struct vecwire_uploader *up)
{
    struct vecwire__batch *batch = TAILQ_FIRST(&up->free);

    if (batch == NULL)
        return NULL;
    TAILQ_REMOVE(&up->free, batch, link);
    up->filling = batch;
    return batch;
}

void
vecwire__batch_seal(struct vecwire_uploader *up)
{
    struct vecwire__batch *batch = up->filling;

    up->filling = NULL;
    if (batch == NULL)
        return;
    if (batch->n_rows == 0) {
        vecwire__batch_recycle(batch);
        return;
    }
    /* The ids move no more. */
    for (size_t i = 0; i < batch->n_rows; i++)
        batch->id_list[i] = batch->ids.bytes + batch->id_starts[i];
    TAILQ_INSERT_TAIL(&up->ready, batch, link);
}

/* Append a row to the text, and room for what closes a body. */
static enum vecwire_err
write_row(struct vecwire__batch *batch,
          const struct vecwire_upsert_request *rows, size_t row,
          struct vecwire_refusal *refusal)
{
    const struct vecwire_uploader *up = batch->up;
    struct vecwire__buf *text = &batch->text;
    enum vecwire_err err;

    if (text->len == 0) {
        if (!vecwire__buf_reserve(text, up->frame))
            return VECWIRE_ENOMEM;
        text->len = up->frame;
    }
    if (batch->n_rows > 0 && !vecwire__buf_byte(text, ','))
        return VECWIRE_ENOMEM;
    err = up->parts->row(&up->settings.settings, rows, row, text, refusal);
    if (err == VECWIRE_OK && !vecwire__buf_reserve(text, VECWIRE__MAX_FRAME))
        err = VECWIRE_ENOMEM;
    return err;
}

/* The row written last is the batch's: note where it is, and its id. */
static bool
keep_row(struct vecwire__batch *batch,
         const struct vecwire_upsert_request *rows, size_t row)
{
    struct vecwire_uploader *up = batch->up;
    size_t n = batch->n_rows, id_at = batch->ids.len;
    const char *id = "";
    char digits[24];

    if (rows->ids != NULL && rows->ids[row] != NULL) {
        id = rows->ids[row];
    } else if (rows->numbers != NULL) {
        snprintf(digits, sizeof(digits), "%" PRIu64, rows->numbers[row]);
        id = digits;
    }
    if (!vecwire__buf_add(&batch->ids, id, strlen(id) + 1))
        return false;
    if (n == 0) {
        batch->first = up->result.rows_taken;
        batch->starts[0] = up->frame;
    }
    if (up->parts->fits != NULL)
        (void)up->parts->fits(rows, row, &batch->load);
    batch->dim = rows->dim;
    batch->id_starts[n] = id_at;
    batch->n_rows = ++n;
    batch->starts[n] = batch->text.len + 1;
    up->result.rows_taken++;
    if (n >= up->config.batch_rows ||
        up->engine->uploads.many == VECWIRE__MANY_LACKED ||
        body_bytes(batch) >= up->max_bytes)
        vecwire__batch_seal(up);
    return true;
}

/* The batch is full without the row that begins at `at`, which is to be the
 * first of the next one. NULL: there is none, or no memory. */
static struct vecwire__batch *
move_row(struct vecwire__batch *batch, size_t at)
{
    struct vecwire_uploader *up = batch->up;
    const char *row = batch->text.bytes + at + 1; /* behind the comma */
    size_t len = batch->text.len - at - 1;
    struct vecwire__batch *next;

    batch->text.len = at;
    vecwire__batch_seal(up);
    next = begin_batch(up);
    if (next == NULL || !vecwire__buf_reserve(
                            &next->text, up->frame + len + VECWIRE__MAX_FRAME))
        return NULL;
    memcpy(next->text.bytes + up->frame, row, len);
    next->text.len = up->frame + len;
    return next;
}

static enum vecwire_err
no_room(const struct vecwire_uploader *up, struct vecwire_refusal *refusal)
{
    return vecwire__refuse(refusal, VECWIRE_EFULL, SIZE_MAX, SIZE_MAX,
                           "%zu requests are full or under way already",
                           up->config.in_flight + 1);
}

enum vecwire_err
vecwire__batch_put(struct vecwire_uploader *up,
                   const struct vecwire_upsert_request *rows, size_t row,
                   struct vecwire_refusal *refusal)
{
    struct vecwire__batch *batch = up->filling;
    enum vecwire_err err;
    size_t at;

    if (batch != NULL && is_another_s(batch, rows, row)) {
        vecwire__batch_seal(up);
        batch = NULL;
    }
    if (batch == NULL)
        batch = begin_batch(up);
    if (batch == NULL)
        return no_room(up, refusal);
    at = batch->text.len;
    err = write_row(batch, rows, row, refusal);
    if (err == VECWIRE_OK && batch->n_rows > 0 &&
        body_bytes(batch) > up->max_bytes) {
        batch = move_row(batch, at);
        if (batch == NULL)
            return up->filling == NULL ? no_room(up, refusal) : VECWIRE_ENOMEM;
        at = 0;
    }
    if (err == VECWIRE_OK && body_bytes(batch) > up->parts->max_bytes)
        err = vecwire__refuse(refusal, VECWIRE_ETOOBIG, row, SIZE_MAX,
                              "row %zu: body of %zu bytes, the server takes "
                              "at most %zu",
                              row, body_bytes(batch), up->parts->max_bytes);
    if (err == VECWIRE_OK && !keep_row(batch, rows, row))
        err = VECWIRE_ENOMEM;
    if (err != VECWIRE_OK)
        batch->text.len = at;
    return err;
}

/* --- requests of its rows --- */

/* Where row i ends: a comma stands behind it. */
static size_t
end_of(const struct vecwire__batch *batch, size_t i)
{
    return batch->starts[i + 1] - 1;
}

/* The body of `n` rows from the one numbered `from` on, n >= 1. */
static size_t
part_bytes(const struct vecwire__batch *batch, size_t from, size_t n)
{
    return end_of(batch, from + n - 1) - batch->starts[from] +
           frame_bytes(batch->up);
}

void
vecwire__batch_halve(const struct vecwire__batch *batch)
{
    struct vecwire_uploader *up = batch->up;
    size_t n = (batch->part + 1) / 2;
    size_t half = part_bytes(batch, batch->done, n);
    size_t other = part_bytes(batch, batch->done + n, batch->part - n);

    if (half < other)
        half = other;
    if (up->max_bytes > half)
        up->max_bytes = half;
}

size_t
vecwire__batch_part(const struct vecwire__batch *batch)
{
    const struct vecwire_uploader *up = batch->up;
    size_t n = 1;

    if (up->engine->uploads.many == VECWIRE__MANY_LACKED)
        return 1;
    while (batch->done + n < batch->n_rows &&
           part_bytes(batch, batch->done, n + 1) <= up->max_bytes)
        n++;
    return n;
}

void
vecwire__batch_frame(struct vecwire__batch *batch, size_t n,
                     struct vecwire__encoding *enc)
{
    const struct vecwire__upsert_parts *parts = batch->up->parts;
    bool bare = n == 1 && parts->bare_row;
    size_t open = bare ? 0 : batch->up->config.open.len;
    size_t close = strlen(parts->close);
    size_t from = batch->starts[batch->done] - open;
    size_t end = end_of(batch, batch->done + n - 1);
    char *bytes = batch->text.bytes;

    batch->part = n;
    memcpy(bytes + from, batch->up->config.open.bytes, open);
    /* Rows before it are done with; those behind it are not. */
    memcpy(batch->covered, bytes + end, close);
    if (!bare)
        memcpy(bytes + end, parts->close, close);
    enc->lent = bytes + from;
    enc->lent_len = end - from + (bare ? 0 : close);
}

void
vecwire__batch_unframe(struct vecwire__batch *batch)
{
    size_t close = strlen(batch->up->parts->close);
    size_t end = end_of(batch, batch->done + batch->part - 1);

    memcpy(batch->text.bytes + end, batch->covered, close);
}
