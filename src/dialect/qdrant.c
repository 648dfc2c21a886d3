/* SPDX-License-Identifier: Apache-2.0 */
/* Qdrant's HTTP API, version 1.19: how every request begins and ends. */
#include "dialect/qdrant_update.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "codec/json_string.h"

/* What a caller sees of an error's body that is no JSON. */
#define MAX_ERROR_TEXT ((size_t)512)

/* A parameter that is set, though the call does not have it. */
static const char *
not_taken(const struct vecwire_qdrant_params *p, unsigned takes)
{
    const struct {
        unsigned bit;
        bool set;
        const char *name;
    } all[] = {
        {VECWIRE__QDRANT_WAIT, p->wait, "wait"},
        {VECWIRE__QDRANT_ORDERING, p->ordering != 0, "ordering"},
        {VECWIRE__QDRANT_TIMEOUT, p->timeout_ms != 0, "timeout_ms"},
        {VECWIRE__QDRANT_CONSISTENCY, p->consistency != 0, "consistency"},
        {VECWIRE__QDRANT_SHARD_KEY, p->shard_key != NULL, "shard_key"},
        {VECWIRE__QDRANT_SELECTORS, p->payload_selector != NULL,
         "payload_selector"},
        {VECWIRE__QDRANT_SELECTORS, p->vector_names != NULL, "vector_names"},
        {VECWIRE__QDRANT_ORDER_BY, p->order_by != NULL, "order_by"},
        {VECWIRE__QDRANT_UPDATE_FILTER, p->update_filter != NULL,
         "update_filter"},
        {VECWIRE__QDRANT_UPDATE_MODE, p->update_mode != 0, "update_mode"},
        {VECWIRE__QDRANT_BY_COLUMNS, p->by_columns, "by_columns"},
        {VECWIRE__QDRANT_NO_WAIT, p->no_wait, "no_wait"},
    };

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        if (all[i].set && (takes & all[i].bit) == 0)
            return all[i].name;
    }
    return NULL;
}

void
vecwire__qdrant_check_params(struct vecwire__qdrant_writer *w, unsigned takes)
{
    const struct vecwire_qdrant_params *p = w->settings->qdrant;
    const char *name;

    if (p == NULL || w->err != VECWIRE_OK)
        return;
    name = not_taken(p, takes);
    if (name != NULL)
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                               "params.%s: this call has none", name);
    else if (p->ordering > VECWIRE_QDRANT_STRONG)
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL, "params.ordering is %u",
                               (unsigned)p->ordering);
    else if (p->update_mode > VECWIRE_QDRANT_UPDATE_ONLY)
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL, "params.update_mode is %u",
                               (unsigned)p->update_mode);
    else if (p->consistency < VECWIRE_QDRANT_ALL)
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL, "params.consistency is %d",
                               (int)p->consistency);
    else if (p->vector_names == NULL && p->n_vector_names > 0)
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                               "params.vector_names is NULL, n_vector_names "
                               "is %zu",
                               p->n_vector_names);
}

static void
put_parameter(struct vecwire__qdrant_writer *w, char *mark, const char *name,
              const char *value)
{
    const char text[2] = {*mark, '\0'};

    vecwire__qdrant_put(w, text);
    vecwire__qdrant_put(w, name);
    vecwire__qdrant_put(w, value);
    *mark = '&';
}

static void
put_query_string(struct vecwire__qdrant_writer *w)
{
    static const char *const orderings[] = {"", "weak", "medium", "strong"};
    static const char *const named[] = {"", "majority", "quorum", "all"};
    const struct vecwire_qdrant_params *p = w->settings->qdrant;
    char mark = '?', number[16];

    if (p == NULL || w->err != VECWIRE_OK)
        return;
    if (p->wait)
        put_parameter(w, &mark, "wait=", "true");
    if (p->no_wait)
        put_parameter(w, &mark, "wait=", "false");
    if (p->ordering != 0)
        put_parameter(w, &mark, "ordering=", orderings[p->ordering]);
    if (p->consistency < 0)
        put_parameter(w, &mark, "consistency=", named[-p->consistency]);
    if (p->consistency > 0) {
        snprintf(number, sizeof(number), "%d", (int)p->consistency);
        put_parameter(w, &mark, "consistency=", number);
    }
    if (p->timeout_ms > 0) {
        /* Up: less than asked for would be none. */
        snprintf(number, sizeof(number), "%u",
                 (unsigned)(p->timeout_ms / 1000 + (p->timeout_ms % 1000 > 0)));
        put_parameter(w, &mark, "timeout=", number);
    }
}

static void
put_path(struct vecwire__qdrant_writer *w,
         const struct vecwire__qdrant_route *route, const char *segment)
{
    const char *collection = w->settings->collection;

    vecwire__qdrant_put(w, w->settings->prefix);
    if (!route->global) {
        if (collection == NULL)
            vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                                   "no collection: name one in the options of "
                                   "the client or the call");
        vecwire__qdrant_check_name(w, collection, "collection");
        vecwire__qdrant_put(w, "/collections/");
        if (w->err == VECWIRE_OK && !vecwire__put_segment(w->text, collection))
            w->err = VECWIRE_ENOMEM;
    }
    vecwire__qdrant_put(w, route->path);
    if (segment != NULL && w->err == VECWIRE_OK &&
        !vecwire__put_segment(w->text, segment))
        w->err = VECWIRE_ENOMEM;
    put_query_string(w);
    if (w->err == VECWIRE_OK && !vecwire__buf_byte(w->text, '\0'))
        w->err = VECWIRE_ENOMEM;
}

void
vecwire__qdrant_begin(struct vecwire__qdrant_writer *w,
                      const struct vecwire__settings *settings,
                      struct vecwire__encoding *enc,
                      struct vecwire_refusal *refusal,
                      const struct vecwire__qdrant_route *route,
                      const char *segment, size_t room)
{
    const size_t path_room = 128;

    *w = (struct vecwire__qdrant_writer){.settings = settings,
                                         .enc = enc,
                                         .text = &enc->text,
                                         .refusal = refusal,
                                         .row = SIZE_MAX};
    vecwire__qdrant_check_params(w, route->takes);
    enc->method = route->method;
    enc->class = route->class;
    enc->decoding = route->decoding;
    if (w->err == VECWIRE_OK &&
        !vecwire__buf_reserve(w->text, room + path_room))
        w->err = VECWIRE_ENOMEM;
    put_path(w, route, segment);
    if (!route->has_body)
        return;
    enc->has_body = true;
    enc->content_type = "application/json";
    enc->body_at = w->text->len;
    vecwire__qdrant_put(w, "{");
}

void
vecwire__qdrant_put_shard_key(struct vecwire__qdrant_writer *w)
{
    const struct vecwire_qdrant_params *p = w->settings->qdrant;

    if (p != NULL)
        vecwire__qdrant_member(w, "shard_key", p->shard_key, NULL, "\"[{0");
}

void
vecwire__qdrant_check_size(struct vecwire__qdrant_writer *w)
{
    size_t len = w->text->len - w->enc->body_at;

    if (w->err == VECWIRE_OK && len > VECWIRE__QDRANT_MAX_BODY)
        vecwire__qdrant_refuse(w, VECWIRE_ETOOBIG,
                               "body of more than %zu bytes, which is all that "
                               "Qdrant takes",
                               VECWIRE__QDRANT_MAX_BODY);
}

enum vecwire_err
vecwire__qdrant_end(struct vecwire__qdrant_writer *w)
{
    if (!w->enc->has_body)
        return w->err;
    if (!w->has_shard_key)
        vecwire__qdrant_put_shard_key(w);
    vecwire__qdrant_put(w, "}");
    vecwire__qdrant_check_size(w);
    return w->err;
}

/* --- errors: {"status":{"error":"text"}} --- */

enum { TAG_STATUS = 1, TAG_ERROR };
enum { STATUS_OBJECT = 2 };

static const struct vecwire__json_field failed_root[] = {
    {"status", VECWIRE__JSON_OBJ, TAG_STATUS, STATUS_OBJECT, false},
};
static const struct vecwire__json_field failed_fields[] = {
    {"error", VECWIRE__JSON_STR, TAG_ERROR, 0, true},
};
static const struct vecwire__json_shape failed_shapes[] = {
    {failed_root, 1},
    {failed_fields, 1},
};
static const struct vecwire__json_table failed_table = {failed_shapes,
                                                        STATUS_OBJECT, false};

static bool
failed_sink(struct vecwire__json_reader *reader, enum vecwire__json_event event,
            unsigned tag)
{
    struct vecwire__server_error *found = reader->ctx;

    (void)tag;
    if (event != VECWIRE__JSON_EV_STR)
        return true;
    found->text_at = reader->text_at;
    found->has_text = true;
    return vecwire__buf_byte(reader->texts, '\0');
}

/* The key check and what stands before the server answer in plain text. */
static void
take_plain(struct vecwire_reply *reply, struct vecwire__server_error *found)
{
    const char *text = reply->body.bytes;
    size_t len = reply->body.len;

    if (len > MAX_ERROR_TEXT)
        len = MAX_ERROR_TEXT;
    /* Not within a character. */
    while (len > 0 && len < reply->body.len &&
           ((unsigned char)text[len] & 0xc0) == 0x80)
        len--;
    if (len == 0 || memchr(text, '\0', len) != NULL ||
        !vecwire__utf8_valid(text, len))
        return;
    found->text_at = reply->texts.len;
    if (!vecwire__buf_reserve(&reply->texts, len + 1))
        return;
    found->has_text = vecwire__buf_add(&reply->texts, text, len) &&
                      vecwire__buf_byte(&reply->texts, '\0');
}

void
vecwire__qdrant_server_error(struct vecwire_reply *reply,
                             struct vecwire__server_error *found)
{
    if (!vecwire__read_error(reply, &failed_table, failed_sink, found))
        take_plain(reply, found);
}

/* Without Retry-After the request is too large for good. */
static bool
never_again(uint32_t status, bool has_retry_after)
{
    return status == 429 && !has_retry_after;
}

const struct vecwire__dialect vecwire__dialect_qdrant = {
    .name = "qdrant",
    .port = 6333,
    .connections = 8,
    .key_header = "api-key",
    .key_prefix = "",
    .has_collections = true,
    .id_order = &vecwire__qdrant_id_order,
    .encode = {[VECWIRE__VERB_QUERY] = vecwire__qdrant_encode_query,
               [VECWIRE__VERB_UPSERT] = vecwire__qdrant_encode_upsert,
               [VECWIRE__VERB_DELETE] = vecwire__qdrant_encode_delete,
               [VECWIRE__VERB_GET] = vecwire__qdrant_encode_get,
               [VECWIRE__VERB_SCROLL] = vecwire__qdrant_encode_scroll,
               [VECWIRE__VERB_COUNT] = vecwire__qdrant_encode_count},
    .upsert_parts = &vecwire__qdrant_upsert_parts,
    .server_error = vecwire__qdrant_server_error,
    .never_again = never_again,
};
