/* SPDX-License-Identifier: Apache-2.0 */
/* Qdrant: replies that are lists of names, with a little beside each. */
#include "dialect/qdrant_server.h"

enum { RESULT = 2, ENTRY = 3 };
enum { TAG_NAME = 1, TAG_TEXT, TAG_CHECKSUM, TAG_STATUS };

static const struct vecwire__json_field object_root[] = {
    {"result", VECWIRE__JSON_OBJ, 0, RESULT, false},
};

/* R is {"collections":[{"name":s}]}. */
static const struct vecwire__json_field names_fields[] = {
    {"collections", VECWIRE__JSON_ARR, 0, ENTRY, false},
};
static const struct vecwire__json_field name_fields[] = {
    {"name", VECWIRE__JSON_STR, TAG_NAME, 0, false},
};
static const struct vecwire__json_shape names_shapes[] = {
    {object_root, 1},
    {names_fields, 1},
    {name_fields, 1},
};
static const struct vecwire__json_table names_table = {names_shapes, ENTRY,
                                                       false};

/* R is {"aliases":[{"alias_name":s,"collection_name":s}]}. */
static const struct vecwire__json_field aliases_fields[] = {
    {"aliases", VECWIRE__JSON_ARR, 0, ENTRY, false},
};
static const struct vecwire__json_field alias_fields[] = {
    {"alias_name", VECWIRE__JSON_STR, TAG_NAME, 0, false},
    {"collection_name", VECWIRE__JSON_STR, TAG_TEXT, 0, false},
};
static const struct vecwire__json_shape aliases_shapes[] = {
    {object_root, 1},
    {aliases_fields, 1},
    {alias_fields, 2},
};
static const struct vecwire__json_table aliases_table = {aliases_shapes, ENTRY,
                                                         false};

/* R is an array of snapshots, or one. */
static const struct vecwire__json_field snapshots_root[] = {
    {"result", VECWIRE__JSON_ARR, 0, ENTRY, false},
};
static const struct vecwire__json_field snapshot_root[] = {
    {"result", VECWIRE__JSON_OBJ, 0, ENTRY, true},
    {"status", VECWIRE__JSON_STR, TAG_STATUS, 0, true},
};
static const struct vecwire__json_field snapshot_fields[] = {
    {"name", VECWIRE__JSON_STR, TAG_NAME, 0, false},
    {"creation_time", VECWIRE__JSON_STR, TAG_TEXT, 0, true},
    {"checksum", VECWIRE__JSON_STR, TAG_CHECKSUM, 0, true},
    {"size", VECWIRE__JSON_U64, 0, 0, false},
};
static const struct vecwire__json_shape snapshots_shapes[] = {
    {snapshots_root, 1},
    {names_fields, 1},
    {snapshot_fields, 4},
};
static const struct vecwire__json_shape snapshot_shapes[] = {
    {snapshot_root, 2},
    {names_fields, 1},
    {snapshot_fields, 4},
};
static const struct vecwire__json_table snapshots_table = {snapshots_shapes,
                                                           ENTRY, false};
static const struct vecwire__json_table snapshot_table = {snapshot_shapes,
                                                          ENTRY, false};

static bool
take_text(struct vecwire__json_reader *reader, struct vecwire_reply *reply,
          unsigned tag)
{
    size_t at = reader->text_at, len = reader->texts->len - at;
    struct vecwire__row_place *place;
    struct vecwire_row *row;

    /* Without a result: it was only accepted, which is an answer. */
    if (tag == TAG_STATUS) {
        reply->answered |= reply->status == 202;
        reader->texts->len = at;
        return true;
    }
    place = &reply->places[reply->n_rows - 1];
    row = &reply->rows[reply->n_rows - 1];
    if (tag == TAG_NAME) {
        place->id_at = at;
        place->has_id = true;
        row->id.len = len;
    } else if (tag == TAG_TEXT) {
        place->text_at = at;
        place->has_text = true;
        row->text_len = len;
    } else {
        place->payload_at = at;
        place->has_payload = true;
        row->payload_len = len;
    }
    return vecwire__buf_byte(reader->texts, '\0');
}

static bool
entry_ended(struct vecwire_reply *reply)
{
    if (!reply->places[reply->n_rows - 1].has_id)
        reply->fault = "an entry lacks its name";
    else
        vecwire__reply_row_whole(reply);
    return reply->fault == NULL;
}

static bool
list_sink(struct vecwire__json_reader *reader, enum vecwire__json_event event,
          unsigned tag)
{
    struct vecwire_reply *reply = reader->ctx;

    switch (event) {
    case VECWIRE__JSON_EV_ARR:
        reply->answered = true;
        return true;
    case VECWIRE__JSON_EV_BEGIN:
        return tag != ENTRY || vecwire__reply_add_row(reply) != NULL;
    case VECWIRE__JSON_EV_STR:
        return take_text(reader, reply, tag);
    case VECWIRE__JSON_EV_U64:
        reply->rows[reply->n_rows - 1].version = reader->u64;
        return true;
    case VECWIRE__JSON_EV_END:
        return tag != ENTRY || entry_ended(reply);
    default:
        return true;
    }
}

static bool
aliases_sink(struct vecwire__json_reader *reader,
             enum vecwire__json_event event, unsigned tag)
{
    struct vecwire_reply *reply = reader->ctx;

    if (event == VECWIRE__JSON_EV_END && tag == ENTRY &&
        !reply->places[reply->n_rows - 1].has_text) {
        reply->fault = "an alias lacks its collection";
        return false;
    }
    return list_sink(reader, event, tag);
}

static bool
snapshot_sink(struct vecwire__json_reader *reader,
              enum vecwire__json_event event, unsigned tag)
{
    struct vecwire_reply *reply = reader->ctx;

    if (event == VECWIRE__JSON_EV_BEGIN && tag == ENTRY)
        reply->answered = true;
    return list_sink(reader, event, tag);
}

const struct vecwire__decoding vecwire__qdrant_names_decoding = {
    &names_table, list_sink, "result\" with \"collections"};
const struct vecwire__decoding vecwire__qdrant_aliases_decoding = {
    &aliases_table, aliases_sink, "result\" with \"aliases"};
const struct vecwire__decoding vecwire__qdrant_snapshots_decoding = {
    &snapshots_table, list_sink, "result"};
const struct vecwire__decoding vecwire__qdrant_snapshot_decoding = {
    &snapshot_table, snapshot_sink, "result"};
