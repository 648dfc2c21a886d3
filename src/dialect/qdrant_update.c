/* SPDX-License-Identifier: Apache-2.0 */
/* Qdrant: updates of points. Each is made by a function that writes its
 * members, as they stand in a request of their own and in a batch. */
#include "dialect/qdrant_update.h"

#define ROUTE(method_, path_, more_)                                           \
    {                                                                          \
        .path = path_, .method = VECWIRE__##method_,                           \
        .class = VECWIRE__IDEMPOTENT, .has_body = true,                        \
        .decoding = &vecwire__qdrant_update_decoding,                          \
        .takes = VECWIRE__QDRANT_UPDATE | (more_)                              \
    }

static const struct vecwire__qdrant_route delete_route =
    ROUTE(POST, "/points/delete", 0);
static const struct vecwire__qdrant_route vectors_route =
    ROUTE(PUT, "/points/vectors", VECWIRE__QDRANT_UPDATE_FILTER);
static const struct vecwire__qdrant_route delete_vectors_route =
    ROUTE(POST, "/points/vectors/delete", 0);
static const struct vecwire__qdrant_route operations_route = {
    .path = "/points/batch",
    .method = VECWIRE__POST,
    .class = VECWIRE__IDEMPOTENT,
    .has_body = true,
    .decoding = &vecwire__qdrant_updates_decoding,
    .takes = VECWIRE__QDRANT_UPDATE,
};
static const struct vecwire__qdrant_route payload_routes[] = {
    [VECWIRE_QDRANT_SET_PAYLOAD] = ROUTE(POST, "/points/payload", 0),
    [VECWIRE_QDRANT_OVERWRITE_PAYLOAD] = ROUTE(PUT, "/points/payload", 0),
    [VECWIRE_QDRANT_DELETE_PAYLOAD] = ROUTE(POST, "/points/payload/delete", 0),
    [VECWIRE_QDRANT_CLEAR_PAYLOAD] = ROUTE(POST, "/points/payload/clear", 0),
};

static void
put_delete(struct vecwire__qdrant_writer *w,
           const struct vecwire_delete_request *del)
{
    const struct vecwire_qdrant_points points = {.ids = del->ids,
                                                 .numbers = del->numbers,
                                                 .n = del->rows,
                                                 .filter = del->filter,
                                                 .filter_tree =
                                                     del->filter_tree,
                                                 .everything = del->everything};

    vecwire__qdrant_put_selection(w, &points);
}

enum vecwire_err
vecwire__qdrant_encode_delete(const struct vecwire__settings *settings,
                              const void *request,
                              struct vecwire__encoding *enc,
                              struct vecwire_refusal *refusal)
{
    const struct vecwire_delete_request *del = request;
    struct vecwire__qdrant_writer w;

    vecwire__qdrant_begin(&w, settings, enc, refusal, &delete_route, NULL, 0);
    put_delete(&w, del);
    enc->rows = del->ids != NULL || del->numbers != NULL ? del->rows : 0;
    return vecwire__qdrant_end(&w);
}

/* --- payloads --- */

static bool
is_change(struct vecwire__qdrant_writer *w, uint32_t change)
{
    if (change >= VECWIRE_QDRANT_SET_PAYLOAD &&
        change <= VECWIRE_QDRANT_CLEAR_PAYLOAD)
        return true;
    vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                           "change is %u, expected one of enum "
                           "vecwire_qdrant_payload_change",
                           (unsigned)change);
    return false;
}

static void
put_keys(struct vecwire__qdrant_writer *w,
         const struct vecwire_qdrant_payload_request *request)
{
    if (request->keys == NULL || request->n_keys == 0) {
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                               "no keys, expected at least 1");
        return;
    }
    vecwire__qdrant_key(w, "keys");
    vecwire__qdrant_put(w, "[");
    for (size_t i = 0; i < request->n_keys && w->err == VECWIRE_OK; i++) {
        vecwire__qdrant_comma(w);
        vecwire__qdrant_put_path(w, request->keys[i], "keys");
    }
    vecwire__qdrant_put(w, "]");
}

static void
put_payload(struct vecwire__qdrant_writer *w,
            const struct vecwire_qdrant_payload_request *request)
{
    bool writes = request->change == VECWIRE_QDRANT_SET_PAYLOAD ||
                  request->change == VECWIRE_QDRANT_OVERWRITE_PAYLOAD;
    bool deletes = request->change == VECWIRE_QDRANT_DELETE_PAYLOAD;

    if (!writes && (request->payload != NULL || request->payload_tree != NULL ||
                    request->key != NULL))
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                               "payload and key go with set and overwrite");
    if (!deletes && (request->keys != NULL || request->n_keys > 0))
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL, "keys go with delete");
    if (writes) {
        vecwire__qdrant_key(w, "payload");
        vecwire__qdrant_put_json(w, request->payload, request->payload_tree,
                                 "{", "payload");
    }
    if (writes && request->key != NULL) {
        vecwire__qdrant_key(w, "key");
        vecwire__qdrant_put_path(w, request->key, "key");
    }
    if (deletes)
        put_keys(w, request);
    vecwire__qdrant_put_selection(w, &request->points);
}

enum vecwire_err
vecwire__qdrant_encode_payload(const struct vecwire__settings *settings,
                               const void *request,
                               struct vecwire__encoding *enc,
                               struct vecwire_refusal *refusal)
{
    const struct vecwire_qdrant_payload_request *payload = request;
    struct vecwire__qdrant_writer w = {.refusal = refusal, .row = SIZE_MAX};

    if (!is_change(&w, payload->change))
        return w.err;
    vecwire__qdrant_begin(&w, settings, enc, refusal,
                          &payload_routes[payload->change], NULL, 0);
    put_payload(&w, payload);
    enc->rows = payload->points.ids != NULL || payload->points.numbers != NULL
                    ? payload->points.n
                    : 0;
    return vecwire__qdrant_end(&w);
}

/* --- vectors --- */

static void
put_update_vectors(struct vecwire__qdrant_writer *w,
                   const struct vecwire_upsert_request *upsert)
{
    if (w->err == VECWIRE_OK)
        w->err = vecwire__qdrant_check_rows(upsert, w->refusal);
    if (upsert->payloads != NULL || upsert->payload_trees != NULL)
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                               "payloads: an update of vectors has none");
    if (upsert->vectors == NULL && upsert->dim == 0)
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL, "there are no vectors");
    for (size_t row = 0;
         w->err == VECWIRE_OK && upsert->vectors != NULL && row < upsert->rows;
         row++) {
        if (upsert->vectors[row].n == 0) {
            w->row = row;
            vecwire__qdrant_refuse(w, VECWIRE_EINVAL, "there are no vectors");
        }
    }
    vecwire__qdrant_put_points(w, upsert);
}

enum vecwire_err
vecwire__qdrant_encode_update_vectors(const struct vecwire__settings *settings,
                                      const void *request,
                                      struct vecwire__encoding *enc,
                                      struct vecwire_refusal *refusal)
{
    const struct vecwire_upsert_request *upsert = request;
    struct vecwire__qdrant_writer w;

    vecwire__qdrant_begin(&w, settings, enc, refusal, &vectors_route, NULL, 0);
    enc->rows = upsert->rows;
    vecwire__qdrant_put_conditions(&w);
    put_update_vectors(&w, upsert);
    return vecwire__qdrant_end(&w);
}

static void
put_delete_vectors(struct vecwire__qdrant_writer *w,
                   const struct vecwire_qdrant_delete_vectors_request *request)
{
    if (request->names == NULL || request->n_names == 0) {
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                               "no names, expected at least 1");
        return;
    }
    vecwire__qdrant_key(w, "vector");
    vecwire__qdrant_put(w, "[");
    for (size_t i = 0; i < request->n_names && w->err == VECWIRE_OK; i++) {
        const char *name = request->names[i] == NULL ? "" : request->names[i];

        vecwire__qdrant_check_vector_name(w, name, "names");
        vecwire__qdrant_comma(w);
        vecwire__qdrant_put_str(w, name, "names");
    }
    vecwire__qdrant_put(w, "]");
    vecwire__qdrant_put_selection(w, &request->points);
}

enum vecwire_err
vecwire__qdrant_encode_delete_vectors(const struct vecwire__settings *settings,
                                      const void *request,
                                      struct vecwire__encoding *enc,
                                      struct vecwire_refusal *refusal)
{
    const struct vecwire_qdrant_delete_vectors_request *del = request;
    struct vecwire__qdrant_writer w;

    vecwire__qdrant_begin(&w, settings, enc, refusal, &delete_vectors_route,
                          NULL, 0);
    put_delete_vectors(&w, del);
    enc->rows = del->points.ids != NULL || del->points.numbers != NULL
                    ? del->points.n
                    : 0;
    return vecwire__qdrant_end(&w);
}

/* --- batches --- */

/* Of so many nobody counts. */
static uint32_t
clip(size_t n)
{
    return n > UINT32_MAX ? 0 : (uint32_t)n;
}

/* Were they made with these headers, or later ones? */
static bool
is_current(const struct vecwire_qdrant_operation *op)
{
    return (op->upsert == NULL || op->upsert->size >= sizeof(*op->upsert)) &&
           (op->del == NULL || op->del->size >= sizeof(*op->del)) &&
           (op->payload == NULL || op->payload->size >= sizeof(*op->payload)) &&
           (op->update_vectors == NULL ||
            op->update_vectors->size >= sizeof(*op->update_vectors)) &&
           (op->delete_vectors == NULL ||
            op->delete_vectors->size >= sizeof(*op->delete_vectors));
}

static const struct vecwire_call_options *
options_of(const struct vecwire_qdrant_operation *op)
{
    return op->upsert != NULL           ? op->upsert->call
           : op->del != NULL            ? op->del->call
           : op->payload != NULL        ? op->payload->call
           : op->update_vectors != NULL ? op->update_vectors->call
                                        : op->delete_vectors->call;
}

struct operation_settings {
    struct vecwire__settings settings;
    struct vecwire_qdrant_params params;
};

/* From here on the writer has the operation's own params, where it has some. */
static void
take_params(struct vecwire__qdrant_writer *w,
            const struct vecwire_qdrant_operation *op,
            struct operation_settings *own)
{
    const struct vecwire_call_options *options = options_of(op);
    unsigned takes = VECWIRE__QDRANT_SHARD_KEY;

    own->settings = *w->settings;
    w->settings = &own->settings;
    if (options == NULL)
        return;
    if (options->size < sizeof(*options) ||
        (options->qdrant != NULL &&
         options->qdrant->size < sizeof(*options->qdrant))) {
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                               "its options were not made by their macro or "
                               "init function");
        return;
    }
    if (options->qdrant == NULL)
        return;
    own->params = *options->qdrant;
    if (own->params.shard_key == NULL && own->settings.qdrant != NULL)
        own->params.shard_key = own->settings.qdrant->shard_key;
    own->settings.qdrant = &own->params;
    if (op->upsert != NULL || op->update_vectors != NULL)
        takes |= VECWIRE__QDRANT_UPDATE_FILTER;
    if (op->upsert != NULL)
        takes |= VECWIRE__QDRANT_UPDATE_MODE | VECWIRE__QDRANT_BY_COLUMNS;
    vecwire__qdrant_check_params(w, takes);
}

static void
put_upsert(struct vecwire__qdrant_writer *w,
           const struct vecwire_upsert_request *upsert)
{
    const struct vecwire_qdrant_params *p = w->settings->qdrant;

    if (w->err == VECWIRE_OK)
        w->err = vecwire__qdrant_check_rows(upsert, w->refusal);
    vecwire__qdrant_put_conditions(w);
    if (p != NULL && p->by_columns)
        vecwire__qdrant_put_batch(w, upsert);
    else
        vecwire__qdrant_put_points(w, upsert);
}

static void
put_operation(struct vecwire__qdrant_writer *w,
              const struct vecwire_qdrant_operation *op)
{
    static const char *const changes[] = {
        [VECWIRE_QDRANT_SET_PAYLOAD] = "set_payload",
        [VECWIRE_QDRANT_OVERWRITE_PAYLOAD] = "overwrite_payload",
        [VECWIRE_QDRANT_DELETE_PAYLOAD] = "delete_payload",
        [VECWIRE_QDRANT_CLEAR_PAYLOAD] = "clear_payload"};
    int n = (op->upsert != NULL) + (op->del != NULL) + (op->payload != NULL) +
            (op->update_vectors != NULL) + (op->delete_vectors != NULL);
    const struct vecwire__settings *whole = w->settings;
    struct operation_settings own;

    if (n != 1) {
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                               "expected exactly one of its requests");
        return;
    }
    if (op->payload != NULL && !is_change(w, op->payload->change))
        return;
    vecwire__qdrant_key(w, op->upsert != NULL           ? "upsert"
                           : op->del != NULL            ? "delete"
                           : op->update_vectors != NULL ? "update_vectors"
                           : op->delete_vectors != NULL
                               ? "delete_vectors"
                               : changes[op->payload->change]);
    if (!is_current(op)) {
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                               "its request was not made by its macro or init "
                               "function");
        return;
    }
    vecwire__qdrant_put(w, "{");
    take_params(w, op, &own);
    if (op->upsert != NULL) {
        put_upsert(w, op->upsert);
    } else if (op->del != NULL) {
        put_delete(w, op->del);
    } else if (op->payload != NULL) {
        put_payload(w, op->payload);
    } else if (op->update_vectors != NULL) {
        vecwire__qdrant_put_conditions(w);
        put_update_vectors(w, op->update_vectors);
    } else {
        put_delete_vectors(w, op->delete_vectors);
    }
    vecwire__qdrant_put_shard_key(w);
    w->settings = whole;
    vecwire__qdrant_put(w, "}");
}

/* Refused for what stands in operation `i`: that is the row to be named. */
static void
name_operation(struct vecwire__qdrant_writer *w, size_t i)
{
    struct vecwire_refusal inner = *w->refusal;

    if (w->err != VECWIRE_ENOMEM)
        vecwire__refuse(w->refusal, w->err, i, inner.coordinate,
                        "operation %zu: %s", i, inner.text);
}

enum vecwire_err
vecwire__qdrant_encode_operations(const struct vecwire__settings *settings,
                                  const void *request,
                                  struct vecwire__encoding *enc,
                                  struct vecwire_refusal *refusal)
{
    const struct vecwire_qdrant_operations_request *batch = request;
    struct vecwire__qdrant_writer w;

    vecwire__qdrant_begin(&w, settings, enc, refusal, &operations_route, NULL,
                          0);
    if (batch->list == NULL && batch->n > 0)
        return vecwire__qdrant_refuse(&w, VECWIRE_EINVAL,
                                      "list is NULL, n is %zu", batch->n);
    enc->may_be_partial = true;
    enc->max_parts = clip(batch->n);
    vecwire__qdrant_key(&w, "operations");
    vecwire__qdrant_put(&w, "[");
    for (size_t i = 0; i < batch->n && w.err == VECWIRE_OK; i++) {
        vecwire__qdrant_comma(&w);
        vecwire__qdrant_put(&w, "{");
        put_operation(&w, &batch->list[i]);
        vecwire__qdrant_put(&w, "}");
        if (w.err != VECWIRE_OK)
            name_operation(&w, i);
    }
    w.has_shard_key = true;
    vecwire__qdrant_put(&w, "]");
    return vecwire__qdrant_end(&w);
}
