/* SPDX-License-Identifier: Apache-2.0 */
/* Qdrant: replies about collections. */
#include "dialect/qdrant_admin.h"

enum { RESULT = 2 };

/* R is true or false; {"exists":true or false}. */
static const struct vecwire__json_field bool_root[] = {
    {"result", VECWIRE__JSON_BOOL, 0, 0, false},
};
static const struct vecwire__json_field object_root[] = {
    {"result", VECWIRE__JSON_OBJ, 0, RESULT, false},
};
static const struct vecwire__json_field exists_fields[] = {
    {"exists", VECWIRE__JSON_BOOL, 0, 0, false},
};
static const struct vecwire__json_shape bool_shape = {bool_root, 1};
static const struct vecwire__json_shape exists_shapes[] = {
    {object_root, 1},
    {exists_fields, 1},
};
static const struct vecwire__json_table bool_table = {&bool_shape, 1, false};
static const struct vecwire__json_table exists_table = {exists_shapes, RESULT,
                                                        false};

static bool
bool_sink(struct vecwire__json_reader *reader, enum vecwire__json_event event,
          unsigned tag)
{
    struct vecwire_reply *reply = reader->ctx;

    (void)tag;
    if (event == VECWIRE__JSON_EV_BOOL) {
        reply->total = reader->u64;
        reply->answered = true;
    }
    return true;
}

const struct vecwire__decoding vecwire__qdrant_bool_decoding = {
    &bool_table, bool_sink, "result"};
const struct vecwire__decoding vecwire__qdrant_exists_decoding = {
    &exists_table, bool_sink, "result\" with \"exists"};

/* R is an object, kept as it is. */
static const struct vecwire__json_field info_root[] = {
    {"result", VECWIRE__JSON_RAW_OBJ, 0, 0, false},
};
static const struct vecwire__json_shape info_shape = {info_root, 1};
static const struct vecwire__json_table info_table = {&info_shape, 1, false};

static bool
info_sink(struct vecwire__json_reader *reader, enum vecwire__json_event event,
          unsigned tag)
{
    struct vecwire_reply *reply = reader->ctx;
    struct vecwire__row_place *place;

    (void)tag;
    if (event != VECWIRE__JSON_EV_RAW)
        return true;
    place = vecwire__reply_add_row(reply);
    if (place == NULL)
        return false;
    place->payload_at = reader->text_at;
    place->has_payload = true;
    reply->rows[0].payload_len = reader->texts->len - reader->text_at;
    reply->answered = true;
    vecwire__reply_row_whole(reply);
    return reply->fault == NULL && vecwire__buf_byte(reader->texts, '\0');
}

const struct vecwire__decoding vecwire__qdrant_info_decoding = {
    &info_table, info_sink, "result"};
