/* SPDX-License-Identifier: Apache-2.0 */
/* HMS: the replies. */
#include "dialect/hms.h"

#include <string.h>

/* {"matches":[{"id":s,"text":s,"metadata":{..},"score":f}]} */
enum { ROOT = 1, MATCH };
enum { TAG_MATCHES = 1, TAG_ID, TAG_TEXT, TAG_METADATA, TAG_SCORE };

static const struct vecwire__json_field query_root[] = {
    {"matches", VECWIRE__JSON_ARR, TAG_MATCHES, MATCH, false},
};
static const struct vecwire__json_field match_fields[] = {
    {"id", VECWIRE__JSON_STR, TAG_ID, 0, false},
    {"text", VECWIRE__JSON_STR, TAG_TEXT, 0, true},
    {"metadata", VECWIRE__JSON_RAW_OBJ, TAG_METADATA, 0, true},
    {"score", VECWIRE__JSON_F32, TAG_SCORE, 0, false},
};
static const struct vecwire__json_shape query_shapes[] = {
    {query_root, sizeof(query_root) / sizeof(query_root[0])},
    {match_fields, sizeof(match_fields) / sizeof(match_fields[0])},
};
static const struct vecwire__json_table query_table = {query_shapes, MATCH,
                                                       false};

static void
take_text(struct vecwire__json_reader *reader, struct vecwire_reply *reply,
          unsigned tag)
{
    struct vecwire__row_place *place = &reply->places[reply->n_rows - 1];
    struct vecwire_row *row = &reply->rows[reply->n_rows - 1];
    size_t len = reader->texts->len - reader->text_at;

    if (tag == TAG_ID) {
        place->id_at = reader->text_at;
        place->has_id = true;
        row->id.len = len;
    } else if (tag == TAG_TEXT) {
        place->text_at = reader->text_at;
        place->has_text = true;
        row->text_len = len;
    } else {
        place->payload_at = reader->text_at;
        place->has_payload = true;
        row->payload_len = len;
    }
}

static bool
match_ended(struct vecwire_reply *reply)
{
    const struct vecwire__row_place *place = &reply->places[reply->n_rows - 1];

    if (!place->has_id)
        reply->fault = "a match lacks its \"id\"";
    else if ((reply->rows[reply->n_rows - 1].flags & VECWIRE_ROW_HAS_SCORE) ==
             0)
        reply->fault = "a match lacks its \"score\"";
    if (reply->fault == NULL)
        vecwire__reply_row_whole(reply);
    return reply->fault == NULL;
}

static bool
query_sink(struct vecwire__json_reader *reader, enum vecwire__json_event event,
           unsigned tag)
{
    struct vecwire_reply *reply = reader->ctx;

    switch (event) {
    case VECWIRE__JSON_EV_ARR:
        reply->answered = true;
        return true;
    case VECWIRE__JSON_EV_BEGIN:
        return tag != MATCH || vecwire__reply_add_row(reply) != NULL;
    case VECWIRE__JSON_EV_END:
        return tag != MATCH || match_ended(reply);
    case VECWIRE__JSON_EV_STR:
    case VECWIRE__JSON_EV_RAW:
        take_text(reader, reply, tag);
        return vecwire__buf_byte(reader->texts, '\0');
    case VECWIRE__JSON_EV_F32: {
        struct vecwire_row *row = &reply->rows[reply->n_rows - 1];

        row->score = reader->f32;
        row->flags |=
            VECWIRE_ROW_HAS_SCORE | (reader->is_nan ? VECWIRE_ROW_HAS_NAN : 0);
        return true;
    }
    default:
        return true;
    }
}

/* {"added":n} and {"deleted":true} */
static const struct vecwire__json_field added_root[] = {
    {"added", VECWIRE__JSON_U64, 0, 0, false},
};
static const struct vecwire__json_field deleted_root[] = {
    {"deleted", VECWIRE__JSON_BOOL, 0, 0, false},
};
static const struct vecwire__json_shape added_shape = {added_root, 1};
static const struct vecwire__json_shape deleted_shape = {deleted_root, 1};
static const struct vecwire__json_table added_table = {&added_shape, 1, false};
static const struct vecwire__json_table deleted_table = {&deleted_shape, 1,
                                                         false};

static bool
affected_sink(struct vecwire__json_reader *reader,
              enum vecwire__json_event event, unsigned tag)
{
    struct vecwire_reply *reply = reader->ctx;

    (void)tag;
    if (event == VECWIRE__JSON_EV_U64 || event == VECWIRE__JSON_EV_BOOL) {
        reply->affected = reader->u64;
        reply->answered = true;
    }
    return true;
}

const struct vecwire__decoding vecwire__hms_query_decoding = {
    &query_table, query_sink, "matches"};
const struct vecwire__decoding vecwire__hms_upsert_decoding = {
    &added_table, affected_sink, "added"};
const struct vecwire__decoding vecwire__hms_delete_decoding = {
    &deleted_table, affected_sink, "deleted"};

/* {"error":{"code":s,"message":s}} */
enum { TAG_ERROR = 1, TAG_CODE, TAG_MESSAGE };
enum { ERROR_OBJECT = 2 };

static const struct vecwire__json_field failed_root[] = {
    {"error", VECWIRE__JSON_OBJ, TAG_ERROR, ERROR_OBJECT, false},
};
static const struct vecwire__json_field failed_fields[] = {
    {"code", VECWIRE__JSON_STR, TAG_CODE, 0, true},
    {"message", VECWIRE__JSON_STR, TAG_MESSAGE, 0, true},
};
static const struct vecwire__json_shape failed_shapes[] = {
    {failed_root, 1},
    {failed_fields, 2},
};
static const struct vecwire__json_table failed_table = {failed_shapes,
                                                        ERROR_OBJECT, false};

static bool
failed_sink(struct vecwire__json_reader *reader, enum vecwire__json_event event,
            unsigned tag)
{
    struct vecwire__server_error *found = reader->ctx;

    if (event != VECWIRE__JSON_EV_STR)
        return true;
    if (tag == TAG_CODE) {
        found->code_at = reader->text_at;
        found->has_code = true;
    } else {
        found->text_at = reader->text_at;
        found->has_text = true;
    }
    return vecwire__buf_byte(reader->texts, '\0');
}

void
vecwire__hms_server_error(struct vecwire_reply *reply,
                          struct vecwire__server_error *found)
{
    /* A gateway's HTML page, or a body that was cut, is no such error. */
    (void)vecwire__read_error(reply, &failed_table, failed_sink, found);
}

bool
vecwire__hms_forgives(enum vecwire__verb verb, struct vecwire_reply *reply)
{
    struct vecwire__server_error found;

    if (verb != VECWIRE__VERB_DELETE || reply->status != 404)
        return false;
    /* The row is gone either way. A 404 without HMS's own code is that of
     * something else on the way, which knows nothing of rows. */
    vecwire__hms_server_error(reply, &found);
    if (!found.has_code ||
        strcmp(reply->texts.bytes + found.code_at, "not_found") != 0)
        return false;
    reply->affected = 0;
    return true;
}
