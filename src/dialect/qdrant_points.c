/* SPDX-License-Identifier: Apache-2.0 */
/* Qdrant: points in requests, by row and by column. */
#include <string.h>

#include "dialect/qdrant_update.h"

#define MAX_ROWS ((size_t)1 << 20) /* of one request: the bytes bound it */

static const char *
id_text(const struct vecwire_upsert_request *upsert, size_t row)
{
    return upsert->ids == NULL ? NULL : upsert->ids[row];
}

static const uint64_t *
id_number(const struct vecwire_upsert_request *upsert, size_t row)
{
    return upsert->numbers == NULL ? NULL : &upsert->numbers[row];
}

static struct vecwire_vector
matrix_row(const struct vecwire_upsert_request *upsert, size_t row)
{
    return (struct vecwire_vector){.values = upsert->matrix + row * upsert->dim,
                                   .dim = upsert->dim};
}

static void
put_name(struct vecwire__qdrant_writer *w, const char *name)
{
    if (name == NULL)
        name = "";
    vecwire__qdrant_check_vector_name(w, name, "vector's name");
    vecwire__qdrant_comma(w);
    vecwire__qdrant_put_str(w, name, "vector's name");
    vecwire__qdrant_put(w, ":");
}

/* Two of the same name? */
static bool
has_double(const struct vecwire_vectors *vectors)
{
    for (size_t i = 1; i < vectors->n; i++) {
        const char *a = vectors->list[i].name;

        for (size_t j = 0; j < i; j++) {
            const char *b = vectors->list[j].name;

            if (strcmp(a == NULL ? "" : a, b == NULL ? "" : b) == 0)
                return true;
        }
    }
    return false;
}

static void
put_list(struct vecwire__qdrant_writer *w,
         const struct vecwire_vectors *vectors)
{
    if (vectors->n == 1 && vectors->list != NULL &&
        vectors->list[0].name == NULL && vectors->list[0].indices == NULL) {
        vecwire__qdrant_put_vector(w, &vectors->list[0]);
        return;
    }
    if (vectors->n > 0 && vectors->list == NULL) {
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                               "vectors: list is NULL, n is %zu", vectors->n);
        return;
    }
    if (has_double(vectors))
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                               "two vectors of the same name");
    vecwire__qdrant_put(w, "{");
    for (size_t i = 0; i < vectors->n && w->err == VECWIRE_OK; i++) {
        put_name(w, vectors->list[i].name);
        vecwire__qdrant_put_vector(w, &vectors->list[i]);
    }
    vecwire__qdrant_put(w, "}");
}

/* All vectors of a row, as one value. */
static void
put_row_vectors(struct vecwire__qdrant_writer *w,
                const struct vecwire_upsert_request *upsert, size_t row)
{
    struct vecwire_vector vector;

    if (upsert->vectors != NULL) {
        put_list(w, &upsert->vectors[row]);
        return;
    }
    if (upsert->dim == 0) {
        vecwire__qdrant_put(w, "{}");
        return;
    }
    vector = matrix_row(upsert, row);
    if (upsert->vector_name == NULL) {
        vecwire__qdrant_put_vector(w, &vector);
        return;
    }
    vecwire__qdrant_put(w, "{");
    put_name(w, upsert->vector_name);
    vecwire__qdrant_put_vector(w, &vector);
    vecwire__qdrant_put(w, "}");
}

static bool
put_row_payload(struct vecwire__qdrant_writer *w,
                const struct vecwire_upsert_request *upsert, size_t row,
                const char *before)
{
    const char *json = upsert->payloads == NULL ? NULL : upsert->payloads[row];
    const struct json_t *tree =
        upsert->payload_trees == NULL ? NULL : upsert->payload_trees[row];

    if (json == NULL && tree == NULL)
        return false;
    vecwire__qdrant_put(w, before);
    vecwire__qdrant_put_json(w, json, tree, "{", "payload");
    return true;
}

enum vecwire_err
vecwire__qdrant_check_rows(const struct vecwire_upsert_request *upsert,
                           struct vecwire_refusal *refusal)
{
    const char *fault = NULL;

    if ((upsert->ids == NULL) == (upsert->numbers == NULL))
        fault = "expected either ids or numbers, one a row";
    else if (upsert->texts != NULL)
        fault = "texts: Qdrant has none beside the payload";
    else if (upsert->vectors != NULL &&
             (upsert->matrix != NULL || upsert->dim != 0))
        fault = "expected either vectors or a matrix";
    else if (upsert->vectors != NULL && upsert->vector_name != NULL)
        fault = "vector_name: the vectors have names of their own";
    else if (upsert->matrix == NULL && upsert->dim != 0)
        fault = "matrix is NULL";
    else if (upsert->matrix != NULL && upsert->dim == 0)
        fault = "dim is 0, expected at least 1";
    else if (upsert->rows == 0)
        fault = "rows is 0, expected at least 1";
    if (fault == NULL)
        return VECWIRE_OK;
    return vecwire__refuse(refusal, VECWIRE_EINVAL, SIZE_MAX, SIZE_MAX, "%s",
                           fault);
}

/* {"id":..,"vector":..,"payload":..} */
static void
put_point(struct vecwire__qdrant_writer *w,
          const struct vecwire_upsert_request *upsert, size_t row)
{
    w->row = row;
    vecwire__qdrant_put(w, "{\"id\":");
    vecwire__qdrant_put_id(w, id_text(upsert, row), id_number(upsert, row));
    vecwire__qdrant_put(w, ",\"vector\":");
    put_row_vectors(w, upsert, row);
    put_row_payload(w, upsert, row, ",\"payload\":");
    vecwire__qdrant_put(w, "}");
    w->row = SIZE_MAX;
}

void
vecwire__qdrant_put_points(struct vecwire__qdrant_writer *w,
                           const struct vecwire_upsert_request *upsert)
{
    vecwire__qdrant_key(w, "points");
    vecwire__qdrant_put(w, "[");
    for (size_t row = 0; row < upsert->rows && w->err == VECWIRE_OK; row++) {
        vecwire__qdrant_comma(w);
        put_point(w, upsert, row);
        vecwire__qdrant_check_size(w);
    }
    vecwire__qdrant_put(w, "]");
}

/* --- {"batch":{"ids":[..],"vectors":..,"payloads":[..]}} --- */

static const struct vecwire_vector *
find(const struct vecwire_vectors *vectors, const char *name)
{
    for (size_t i = 0; i < vectors->n; i++) {
        const char *other = vectors->list[i].name;

        if (strcmp(other == NULL ? "" : other, name) == 0)
            return &vectors->list[i];
    }
    return NULL;
}

/* Every row has the vectors that row 0 has, and at least one. */
static void
check_columns(struct vecwire__qdrant_writer *w,
              const struct vecwire_upsert_request *upsert)
{
    const struct vecwire_vectors *first = upsert->vectors;

    for (size_t row = 0;
         first != NULL && row < upsert->rows && w->err == VECWIRE_OK; row++) {
        const struct vecwire_vectors *vectors = &upsert->vectors[row];

        w->row = row;
        if (vectors->n == 0 || vectors->list == NULL) {
            vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                                   "no vectors: by_columns needs them");
            return;
        }
        if (has_double(vectors))
            vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                                   "two vectors of the same name");
        for (size_t i = 0; i < first->n && w->err == VECWIRE_OK; i++) {
            const char *name = first->list[i].name;

            if (vectors->n != first->n ||
                find(vectors, name == NULL ? "" : name) == NULL)
                vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                                       "other vectors than row 0 has: there "
                                       "are no columns of them");
        }
    }
    if (w->err == VECWIRE_OK)
        w->row = SIZE_MAX;
}

static void
put_column(struct vecwire__qdrant_writer *w,
           const struct vecwire_upsert_request *upsert, const char *name)
{
    vecwire__qdrant_put(w, "[");
    for (size_t row = 0; row < upsert->rows && w->err == VECWIRE_OK; row++) {
        struct vecwire_vector of_matrix;
        const struct vecwire_vector *vector = &of_matrix;

        if (upsert->vectors != NULL)
            vector = find(&upsert->vectors[row], name);
        else
            of_matrix = matrix_row(upsert, row);
        w->row = row;
        vecwire__qdrant_comma(w);
        vecwire__qdrant_put_vector(w, vector);
        vecwire__qdrant_check_size(w);
    }
    w->row = SIZE_MAX;
    vecwire__qdrant_put(w, "]");
}

/* One unnamed vector a row, none of them sparse, which needs a name. */
static bool
is_bare(const struct vecwire_upsert_request *upsert)
{
    for (size_t row = 0; row < upsert->rows; row++) {
        const struct vecwire_vectors *vectors = &upsert->vectors[row];

        if (vectors->n != 1 || vectors->list[0].name != NULL ||
            vectors->list[0].indices != NULL)
            return false;
    }
    return true;
}

static void
put_columns(struct vecwire__qdrant_writer *w,
            const struct vecwire_upsert_request *upsert)
{
    const struct vecwire_vectors *first = upsert->vectors;

    check_columns(w, upsert);
    if (w->err != VECWIRE_OK)
        return;
    if (first == NULL ? upsert->vector_name == NULL : is_bare(upsert)) {
        put_column(w, upsert, "");
        return;
    }
    vecwire__qdrant_put(w, "{");
    for (size_t i = 0; i < (first == NULL ? 1 : first->n); i++) {
        const char *name =
            first == NULL ? upsert->vector_name : first->list[i].name;

        put_name(w, name);
        put_column(w, upsert, name == NULL ? "" : name);
    }
    vecwire__qdrant_put(w, "}");
}

void
vecwire__qdrant_put_batch(struct vecwire__qdrant_writer *w,
                          const struct vecwire_upsert_request *upsert)
{
    if (upsert->vectors == NULL && upsert->dim == 0) {
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                               "by_columns: there are no vectors");
        return;
    }
    vecwire__qdrant_key(w, "batch");
    vecwire__qdrant_put(w, "{\"ids\":");
    vecwire__qdrant_put_ids(w, upsert->ids, upsert->numbers, upsert->rows);
    vecwire__qdrant_put(w, ",\"vectors\":");
    put_columns(w, upsert);
    if (upsert->payloads != NULL || upsert->payload_trees != NULL) {
        vecwire__qdrant_put(w, ",\"payloads\":[");
        for (size_t row = 0; row < upsert->rows && w->err == VECWIRE_OK;
             row++) {
            w->row = row;
            vecwire__qdrant_comma(w);
            if (!put_row_payload(w, upsert, row, ""))
                vecwire__qdrant_put(w, "null");
            vecwire__qdrant_check_size(w);
        }
        w->row = SIZE_MAX;
        vecwire__qdrant_put(w, "]");
    }
    vecwire__qdrant_put(w, "}");
}

/* --- upserts of vecwire_upsert() and of uploaders --- */

static const struct vecwire__qdrant_route upsert_route = {
    .path = "/points",
    .method = VECWIRE__PUT,
    .class = VECWIRE__IDEMPOTENT,
    .has_body = true,
    .decoding = &vecwire__qdrant_update_decoding,
    .takes = VECWIRE__QDRANT_UPDATE | VECWIRE__QDRANT_UPDATE_FILTER |
             VECWIRE__QDRANT_UPDATE_MODE | VECWIRE__QDRANT_BY_COLUMNS,
};

/* What changes how the points are taken. */
void
vecwire__qdrant_put_conditions(struct vecwire__qdrant_writer *w)
{
    static const char *const modes[] = {"upsert", "insert_only", "update_only"};
    const struct vecwire_qdrant_params *p = w->settings->qdrant;

    /* A mode that is none was refused already. */
    if (p == NULL || w->err != VECWIRE_OK)
        return;
    if (p->update_mode != 0) {
        vecwire__qdrant_key(w, "update_mode");
        vecwire__qdrant_put_str(w, modes[p->update_mode], "update_mode");
    }
    vecwire__qdrant_member(w, "update_filter", p->update_filter, NULL, "{");
    vecwire__qdrant_check_filter(w, p->update_filter, NULL);
}

enum vecwire_err
vecwire__qdrant_encode_upsert(const struct vecwire__settings *settings,
                              const void *request,
                              struct vecwire__encoding *enc,
                              struct vecwire_refusal *refusal)
{
    const struct vecwire_upsert_request *upsert = request;
    const struct vecwire_qdrant_params *p = settings->qdrant;
    enum vecwire_err err = vecwire__qdrant_check_rows(upsert, refusal);
    struct vecwire__qdrant_writer w;

    if (err != VECWIRE_OK)
        return err;
    vecwire__qdrant_begin(&w, settings, enc, refusal, &upsert_route, NULL,
                          upsert->dim > VECWIRE__QDRANT_MAX_DIM
                              ? 0
                              : VECWIRE_VECTOR_TEXT_ROOM(upsert->dim));
    enc->rows = upsert->rows;
    vecwire__qdrant_put_conditions(&w);
    if (p != NULL && p->by_columns)
        vecwire__qdrant_put_batch(&w, upsert);
    else
        vecwire__qdrant_put_points(&w, upsert);
    return vecwire__qdrant_end(&w);
}

static bool
upload_head(const struct vecwire__settings *settings, size_t rows, size_t room,
            struct vecwire__encoding *enc)
{
    struct vecwire_refusal unwanted;
    struct vecwire__qdrant_writer w;

    vecwire__qdrant_begin(&w, settings, enc, &unwanted, &upsert_route, NULL,
                          room);
    if (w.err != VECWIRE_OK)
        return false;
    enc->text.len = enc->body_at; /* the uploader's frame has the bracket */
    enc->rows = rows;
    enc->many = rows > 1;
    return true;
}

/* What stands before the first row. */
static enum vecwire_err
upload_open(const struct vecwire__settings *settings, struct vecwire__buf *text,
            struct vecwire_refusal *refusal)
{
    struct vecwire__encoding enc = {.text = {.mem = text->mem}};
    struct vecwire__qdrant_writer w;

    /* The path too, for its refusals. */
    vecwire__qdrant_begin(&w, settings, &enc, refusal, &upsert_route, NULL, 0);
    if (settings->qdrant != NULL && settings->qdrant->by_columns)
        vecwire__qdrant_refuse(&w, VECWIRE_EINVAL,
                               "params.by_columns: an uploader sends rows");
    vecwire__qdrant_put_conditions(&w);
    vecwire__qdrant_put_shard_key(&w);
    vecwire__qdrant_key(&w, "points");
    vecwire__qdrant_put(&w, "[");
    if (w.err == VECWIRE_OK &&
        !vecwire__buf_add(text, enc.text.bytes + enc.body_at,
                          enc.text.len - enc.body_at))
        w.err = VECWIRE_ENOMEM;
    vecwire__buf_fini(&enc.text);
    return w.err;
}

static enum vecwire_err
upload_row(const struct vecwire__settings *settings,
           const struct vecwire_upsert_request *upsert, size_t row,
           struct vecwire__buf *text, struct vecwire_refusal *refusal)
{
    struct vecwire__qdrant_writer w = {.settings = settings,
                                       .text = text,
                                       .refusal = refusal,
                                       .row = SIZE_MAX};

    put_point(&w, upsert, row);
    return w.err;
}

const struct vecwire__upsert_parts vecwire__qdrant_upsert_parts = {
    .max_rows = MAX_ROWS,
    .max_bytes = VECWIRE__QDRANT_MAX_BODY,
    .make_open = upload_open,
    .close = "]}",
    .check = vecwire__qdrant_check_rows,
    .head = upload_head,
    .row = upload_row,
    .any_dim = true,
};
