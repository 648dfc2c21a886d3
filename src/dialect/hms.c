/* SPDX-License-Identifier: Apache-2.0 */
/* HMS ("holographic memory system"): hms-server's HTTP API, version 1:
 * the requests. */
#include "dialect/hms.h"

#include <string.h>

#include "codec/json_writer.h"
#include "dialect/hms_mask.h"

/* Limits of the server; a request over one of them would be refused there
 * after it was sent. */
#define MAX_TOP_K 100
#define MAX_ID VECWIRE__HMS_MAX_ID
#define MAX_DIM 65536
#define MAX_TEXT 65536
#define MAX_PAYLOAD 65536
#define MAX_BODY ((size_t)16 << 20)
#define MAX_TENANT 64
#define DEFAULT_TOP_K 10

bool
vecwire__hms_begin(const struct vecwire__settings *settings,
                   struct vecwire__encoding *enc, const char *path,
                   size_t body_room)
{
    struct vecwire__buf *text = &enc->text;

    return vecwire__buf_reserve(text, strlen(settings->prefix) + strlen(path) +
                                          1 + body_room) &&
           vecwire__buf_str(text, settings->prefix) &&
           vecwire__buf_str(text, path);
}

static bool
begin_body(struct vecwire__encoding *enc)
{
    enc->has_body = true;
    enc->content_type = "application/json";
    if (!vecwire__buf_byte(&enc->text, '\0'))
        return false;
    enc->body_at = enc->text.len;
    return true;
}

static enum vecwire_err
check_body(const struct vecwire__encoding *enc, struct vecwire_refusal *refusal)
{
    size_t len = enc->text.len - enc->body_at;

    if (len <= MAX_BODY)
        return VECWIRE_OK;
    return vecwire__refuse(refusal, VECWIRE_ETOOBIG, SIZE_MAX, SIZE_MAX,
                           "body of %zu bytes, HMS takes at most %zu", len,
                           MAX_BODY);
}

static enum vecwire_err
check_dim(const void *floats, const char *name, size_t dim,
          struct vecwire_refusal *refusal)
{
    if (floats == NULL)
        return vecwire__refuse(refusal, VECWIRE_EINVAL, SIZE_MAX, SIZE_MAX,
                               "%s is NULL", name);
    if (dim == 0)
        return vecwire__refuse(refusal, VECWIRE_EINVAL, SIZE_MAX, SIZE_MAX,
                               "dim is 0, expected at least 1");
    if (dim > MAX_DIM)
        return vecwire__refuse(refusal, VECWIRE_ETOOBIG, SIZE_MAX, SIZE_MAX,
                               "dim is %zu, HMS takes at most %d", dim,
                               MAX_DIM);
    return VECWIRE_OK;
}

enum vecwire_err
vecwire__hms_check_id(const char *id, size_t row,
                      struct vecwire_refusal *refusal)
{
    size_t len = id == NULL ? 0 : strlen(id);

    if (len == 0)
        return vecwire__refuse(refusal, VECWIRE_EINVAL, row, SIZE_MAX,
                               "row %zu: id is %s, expected 1 to %d bytes", row,
                               id == NULL ? "NULL" : "empty", MAX_ID);
    if (len > MAX_ID)
        return vecwire__refuse(refusal, VECWIRE_ETOOBIG, row, SIZE_MAX,
                               "row %zu: id of %zu bytes, HMS takes at most "
                               "%d",
                               row, len, MAX_ID);
    if (strncmp(id, "hms:", 4) == 0)
        return vecwire__refuse(refusal, VECWIRE_EINVAL, row, SIZE_MAX,
                               "row %zu: id begins with \"hms:\", which HMS "
                               "keeps for itself",
                               row);
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)id[i];

        /* U+0080..U+009F, the other control characters, are C2 80..9F. */
        if (c < 0x20 || c == 0x7f ||
            (c == 0xc2 && (unsigned char)id[i + 1] >= 0x80 &&
             (unsigned char)id[i + 1] < 0xa0))
            return vecwire__refuse(refusal, VECWIRE_EINVAL, row, SIZE_MAX,
                                   "row %zu: id has a control character at "
                                   "byte %zu",
                                   row, i);
    }
    return VECWIRE_OK;
}

/* A vector, masked where the client has a mask. */
static enum vecwire_err
put_vector(const struct vecwire__settings *settings, struct vecwire__buf *text,
           const float *vector, size_t dim, size_t row,
           struct vecwire_refusal *refusal)
{
    if (settings->hms_masking != NULL)
        return vecwire__hms_put_masked(settings->hms_masking, text, vector, dim,
                                       row, refusal);
    return vecwire__put_row(text, vector, dim, row, refusal);
}

static enum vecwire_err
check_query(const struct vecwire_query_request *query, uint32_t top_k,
            struct vecwire_refusal *refusal)
{
    bool by_vector = query->vector != NULL || query->dim != 0;

    if (query->with_vector)
        return vecwire__hms_lacks(refusal, "with_vector: vectors in replies");
    if (query->vector_name != NULL)
        return vecwire__hms_lacks(refusal, "vector_name: named vectors");
    if (query->today != NULL && query->text == NULL)
        return vecwire__refuse(refusal, VECWIRE_EINVAL, SIZE_MAX, SIZE_MAX,
                               "today goes with text, which is NULL");
    if (top_k > MAX_TOP_K)
        return vecwire__refuse(refusal, VECWIRE_ETOOBIG, SIZE_MAX, SIZE_MAX,
                               "top_k is %u, HMS takes at most %d",
                               (unsigned)top_k, MAX_TOP_K);
    if (by_vector)
        return check_dim(query->vector, "vector", query->dim, refusal);
    if (query->text == NULL)
        return vecwire__refuse(refusal, VECWIRE_EINVAL, SIZE_MAX, SIZE_MAX,
                               "a query needs a vector or a text");
    return VECWIRE_OK;
}

/* `key` has its colon, behind the value comes a comma. */
static enum vecwire_err
put_member(struct vecwire__buf *text, const char *key, const char *value,
           const char *what, struct vecwire_refusal *refusal)
{
    enum vecwire_err err;

    if (value == NULL)
        return VECWIRE_OK;
    if (!vecwire__buf_str(text, key))
        return VECWIRE_ENOMEM;
    err = vecwire__put_text(text, value, SIZE_MAX, what, refusal);
    if (err == VECWIRE_OK && !vecwire__buf_byte(text, ','))
        err = VECWIRE_ENOMEM;
    return err;
}

/* What is looked for, with a comma behind it. */
static enum vecwire_err
put_sought(const struct vecwire__settings *settings,
           const struct vecwire_query_request *query, struct vecwire__buf *text,
           struct vecwire_refusal *refusal)
{
    enum vecwire_err err = VECWIRE_OK;

    if (query->dim > 0) {
        if (!vecwire__buf_str(text, "\"query_vector\":"))
            return VECWIRE_ENOMEM;
        err = put_vector(settings, text, query->vector, query->dim, SIZE_MAX,
                         refusal);
        if (err == VECWIRE_OK && !vecwire__buf_byte(text, ','))
            err = VECWIRE_ENOMEM;
    }
    if (err == VECWIRE_OK)
        err = put_member(text, "\"query\":", query->text, "text", refusal);
    if (err == VECWIRE_OK)
        err = put_member(text, "\"today\":", query->today, "today", refusal);
    return err;
}

static enum vecwire_err
encode_query(const struct vecwire__settings *settings, const void *request,
             struct vecwire__encoding *enc, struct vecwire_refusal *refusal)
{
    const struct vecwire_query_request *query = request;
    uint32_t top_k = query->top_k == 0 ? DEFAULT_TOP_K : query->top_k;
    struct vecwire__buf *text = &enc->text;
    enum vecwire_err err;

    err = check_query(query, top_k, refusal);
    if (err != VECWIRE_OK)
        return err;
    enc->method = VECWIRE__POST;
    enc->class = VECWIRE__READ;
    enc->decoding = &vecwire__hms_query_decoding;
    if (!vecwire__hms_begin(settings, enc, "/api/v1/query",
                            VECWIRE_VECTOR_TEXT_ROOM(query->dim) + 64) ||
        !begin_body(enc) || !vecwire__buf_byte(text, '{'))
        return VECWIRE_ENOMEM;
    err = put_sought(settings, query, text, refusal);
    if (err != VECWIRE_OK)
        return err;
    enc->max_rows = top_k;
    if (!vecwire__buf_str(text, "\"top_k\":") ||
        !vecwire__json_put_u64(text, top_k))
        return VECWIRE_ENOMEM;
    if (query->filter != NULL || query->filter_tree != NULL) {
        if (!vecwire__buf_str(text, ",\"filter\":"))
            return VECWIRE_ENOMEM;
        err = vecwire__put_object(settings, text, query->filter,
                                  query->filter_tree, SIZE_MAX, "filter",
                                  refusal);
        if (err != VECWIRE_OK)
            return err;
    }
    if (!vecwire__buf_byte(text, '}'))
        return VECWIRE_ENOMEM;
    return check_body(enc, refusal);
}

static enum vecwire_err
put_payload(const struct vecwire__settings *settings,
            const struct vecwire_upsert_request *upsert, size_t row,
            struct vecwire__buf *text, struct vecwire_refusal *refusal)
{
    const char *json = upsert->payloads == NULL ? NULL : upsert->payloads[row];
    const struct json_t *tree =
        upsert->payload_trees == NULL ? NULL : upsert->payload_trees[row];
    enum vecwire_err err;
    size_t at;

    if (json == NULL && tree == NULL)
        return VECWIRE_OK;
    if (!vecwire__buf_str(text, ",\"metadata\":"))
        return VECWIRE_ENOMEM;
    at = text->len;
    err = vecwire__put_object(settings, text, json, tree, row, "payload",
                              refusal);
    if (err == VECWIRE_OK && text->len - at > MAX_PAYLOAD)
        return vecwire__refuse(refusal, VECWIRE_ETOOBIG, row, SIZE_MAX,
                               "row %zu: payload of %zu bytes, HMS takes at "
                               "most %d",
                               row, text->len - at, MAX_PAYLOAD);
    return err;
}

static enum vecwire_err
put_text(const struct vecwire_upsert_request *upsert, size_t row,
         struct vecwire__buf *text, struct vecwire_refusal *refusal)
{
    const char *value = upsert->texts == NULL ? NULL : upsert->texts[row];
    size_t len;

    if (value == NULL)
        return VECWIRE_OK;
    len = strlen(value);
    if (len > MAX_TEXT)
        return vecwire__refuse(refusal, VECWIRE_ETOOBIG, row, SIZE_MAX,
                               "row %zu: text of %zu bytes, HMS takes at most "
                               "%d",
                               row, len, MAX_TEXT);
    if (!vecwire__buf_str(text, ",\"text\":"))
        return VECWIRE_ENOMEM;
    return vecwire__put_text(text, value, row, "text", refusal);
}

/* HMS refuses vectors without a direction. */
static bool
all_zero(const float *vector, size_t dim)
{
    size_t i = 0;

    while (i < dim && !(vector[i] < 0 || vector[i] > 0))
        i++;
    return i == dim;
}

static enum vecwire_err
put_document_vector(const struct vecwire__settings *settings,
                    const struct vecwire_upsert_request *upsert, size_t row,
                    struct vecwire__buf *text, struct vecwire_refusal *refusal)
{
    const float *vector;
    enum vecwire_err err;

    if (upsert->dim == 0) {
        if (upsert->texts == NULL || upsert->texts[row] == NULL)
            return vecwire__refuse(refusal, VECWIRE_EINVAL, row, SIZE_MAX,
                                   "row %zu: neither vector nor text", row);
        return VECWIRE_OK;
    }
    vector = upsert->matrix + row * upsert->dim;
    if (!vecwire__buf_str(text, ",\"vector\":"))
        return VECWIRE_ENOMEM;
    err = put_vector(settings, text, vector, upsert->dim, row, refusal);
    if (err == VECWIRE_OK && all_zero(vector, upsert->dim))
        return vecwire__refuse(refusal, VECWIRE_EINVAL, row, SIZE_MAX,
                               "row %zu: every coordinate is 0, HMS needs a "
                               "direction",
                               row);
    return err;
}

static enum vecwire_err
put_document(const struct vecwire__settings *settings,
             const struct vecwire_upsert_request *upsert, size_t row,
             struct vecwire__buf *text, struct vecwire_refusal *refusal)
{
    enum vecwire_err err =
        vecwire__hms_check_id(upsert->ids[row], row, refusal);

    if (err != VECWIRE_OK)
        return err;
    if (!vecwire__buf_str(text, "{\"id\":"))
        return VECWIRE_ENOMEM;
    err = vecwire__put_text(text, upsert->ids[row], row, "id", refusal);
    if (err == VECWIRE_OK)
        err = put_document_vector(settings, upsert, row, text, refusal);
    if (err == VECWIRE_OK)
        err = put_text(upsert, row, text, refusal);
    if (err == VECWIRE_OK)
        err = put_payload(settings, upsert, row, text, refusal);
    if (err == VECWIRE_OK && !vecwire__buf_byte(text, '}'))
        err = VECWIRE_ENOMEM;
    return err;
}

static enum vecwire_err
check_upsert(const struct vecwire_upsert_request *upsert,
             struct vecwire_refusal *refusal)
{
    enum vecwire_err err;

    if (upsert->numbers != NULL)
        return vecwire__hms_lacks(refusal, "numbers: ids that are numbers");
    if (upsert->vectors != NULL || upsert->vector_name != NULL)
        return vecwire__hms_lacks(refusal, "named, sparse or multi vectors");
    if (upsert->rows == 0)
        return vecwire__refuse(refusal, VECWIRE_EINVAL, SIZE_MAX, SIZE_MAX,
                               "rows is 0, expected at least 1");
    if (upsert->matrix == NULL && upsert->dim == 0)
        err = VECWIRE_OK;
    else
        err = check_dim(upsert->matrix, "matrix", upsert->dim, refusal);
    if (err == VECWIRE_OK && upsert->ids == NULL)
        err = vecwire__refuse(refusal, VECWIRE_EINVAL, SIZE_MAX, SIZE_MAX,
                              "ids is NULL, HMS needs one a row");
    return err;
}

static bool
begin_upsert(const struct vecwire__settings *settings, size_t rows, size_t room,
             struct vecwire__encoding *enc)
{
    enc->method = VECWIRE__POST;
    enc->class = VECWIRE__IDEMPOTENT;
    enc->decoding = &vecwire__hms_upsert_decoding;
    enc->many = rows > 1;
    return vecwire__hms_begin(settings, enc,
                              enc->many ? "/api/v1/documents/batch"
                                        : "/api/v1/documents",
                              room) &&
           begin_body(enc);
}

static const struct vecwire__upsert_parts upsert_parts = {
    .max_rows = VECWIRE__HMS_MAX_ROWS,
    .max_bytes = MAX_BODY,
    .open = "[",
    .close = "]",
    .bare_row = true,
    .may_lack_many = true,
    .check = check_upsert,
    .head = begin_upsert,
    .row = put_document,
    .fits = vecwire__hms_batch_fits,
};

static enum vecwire_err
put_documents(const struct vecwire__settings *settings,
              const struct vecwire_upsert_request *upsert,
              struct vecwire__encoding *enc, struct vecwire_refusal *refusal)
{
    for (size_t row = 0; row < upsert->rows; row++) {
        enum vecwire_err err;

        if (row > 0 && !vecwire__buf_byte(&enc->text, ','))
            return VECWIRE_ENOMEM;
        err = put_document(settings, upsert, row, &enc->text, refusal);
        /* Stop where it is over: the rest would only cost memory. */
        if (err == VECWIRE_OK)
            err = check_body(enc, refusal);
        if (err != VECWIRE_OK)
            return err;
    }
    return VECWIRE_OK;
}

static enum vecwire_err
encode_upsert(const struct vecwire__settings *settings, const void *request,
              struct vecwire__encoding *enc, struct vecwire_refusal *refusal)
{
    const struct vecwire_upsert_request *upsert = request;
    bool many = upsert->rows > 1;
    enum vecwire_err err = check_upsert(upsert, refusal);

    if (err == VECWIRE_OK && many)
        err = vecwire__hms_check_batch(upsert, refusal);
    if (err != VECWIRE_OK)
        return err;
    if (!begin_upsert(settings, upsert->rows,
                      VECWIRE_VECTOR_TEXT_ROOM(upsert->dim) + 64, enc) ||
        (many && !vecwire__buf_str(&enc->text, upsert_parts.open)))
        return VECWIRE_ENOMEM;
    err = put_documents(settings, upsert, enc, refusal);
    if (err != VECWIRE_OK)
        return err;
    if (many && !vecwire__buf_str(&enc->text, upsert_parts.close))
        return VECWIRE_ENOMEM;
    return check_body(enc, refusal);
}

static const char *
tenant_fault(const char *tenant)
{
    size_t len = strlen(tenant);

    if (len == 0 || len > MAX_TENANT ||
        strspn(tenant, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                       "0123456789_-") != len)
        return "expected 1 to 64 of A-Z a-z 0-9 _ -";
    return NULL;
}

const struct vecwire__dialect vecwire__dialect_hms = {
    .name = "hms",
    .port = 8080,
    .connections = 4,
    .key_header = "Authorization",
    .key_prefix = "Bearer ",
    .tenant_header = "X-Tenant-ID",
    .tenant_fault = tenant_fault,
    .encode = {[VECWIRE__VERB_QUERY] = encode_query,
               [VECWIRE__VERB_UPSERT] = encode_upsert,
               [VECWIRE__VERB_DELETE] = vecwire__hms_encode_delete},
    .upsert_parts = &upsert_parts,
    .server_error = vecwire__hms_server_error,
    .forgives = vecwire__hms_forgives,
};
