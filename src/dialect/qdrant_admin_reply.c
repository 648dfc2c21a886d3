/* SPDX-License-Identifier: Apache-2.0 */
/* Qdrant: replies about collections. */
#include "dialect/qdrant_admin.h"

enum { RESULT = 2, ELEMENT = 3 };
enum { TAG_NAME = 1 };

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

/* R is {"collections":[{"name":s}]}. */
static const struct vecwire__json_field names_fields[] = {
    {"collections", VECWIRE__JSON_ARR, 0, ELEMENT, false},
};
static const struct vecwire__json_field name_fields[] = {
    {"name", VECWIRE__JSON_STR, TAG_NAME, 0, false},
};
static const struct vecwire__json_shape names_shapes[] = {
    {object_root, 1},
    {names_fields, 1},
    {name_fields, 1},
};
static const struct vecwire__json_table names_table = {names_shapes, ELEMENT,
                                                       false};

static bool
take_id(struct vecwire__json_reader *reader, struct vecwire_reply *reply)
{
    struct vecwire__row_place *place = &reply->places[reply->n_rows - 1];

    place->id_at = reader->text_at;
    place->has_id = true;
    reply->rows[reply->n_rows - 1].id.len =
        reader->texts->len - reader->text_at;
    return vecwire__buf_byte(reader->texts, '\0');
}

static bool
name_ended(struct vecwire_reply *reply)
{
    if (!reply->places[reply->n_rows - 1].has_id)
        reply->fault = "an entry lacks its name";
    else
        vecwire__reply_row_whole(reply);
    return reply->fault == NULL;
}

static bool
names_sink(struct vecwire__json_reader *reader, enum vecwire__json_event event,
           unsigned tag)
{
    struct vecwire_reply *reply = reader->ctx;

    switch (event) {
    case VECWIRE__JSON_EV_ARR:
        reply->answered = true;
        return true;
    case VECWIRE__JSON_EV_BEGIN:
        return tag != ELEMENT || vecwire__reply_add_row(reply) != NULL;
    case VECWIRE__JSON_EV_STR:
        return take_id(reader, reply);
    case VECWIRE__JSON_EV_END:
        return tag != ELEMENT || name_ended(reply);
    default:
        return true;
    }
}

const struct vecwire__decoding vecwire__qdrant_names_decoding = {
    &names_table, names_sink, "result\" with \"collections"};

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
