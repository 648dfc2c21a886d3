/* SPDX-License-Identifier: Apache-2.0 */
/* Qdrant: replies that bring points, and numbers. The envelope is
 * {"result":R,"status":"ok","time":..}; the HTTP status tells success. */
#include "dialect/qdrant_reply.h"

#include "codec/json_writer.h"

/* R is {"points":[P],"next_page_offset":id}, or, from older routes, [P]. */
static const struct vecwire__json_field page_root[] = {
    {"result", VECWIRE__JSON_EITHER, VECWIRE__QDRANT_TAG_RESULT,
     VECWIRE__QDRANT_RESULT, false},
};
const struct vecwire__json_field vecwire__qdrant_result_fields[2] = {
    {"points", VECWIRE__JSON_ARR, VECWIRE__QDRANT_TAG_POINTS,
     VECWIRE__QDRANT_POINT, false},
    {"next_page_offset", VECWIRE__JSON_ID, VECWIRE__QDRANT_TAG_NEXT, 0, true},
};
const struct vecwire__json_field vecwire__qdrant_point_fields[7] = {
    {"id", VECWIRE__JSON_ID, VECWIRE__QDRANT_TAG_ID, 0, false},
    {"version", VECWIRE__JSON_U64, VECWIRE__QDRANT_TAG_VERSION, 0, true},
    {"score", VECWIRE__JSON_F32, VECWIRE__QDRANT_TAG_SCORE, 0, false},
    {"payload", VECWIRE__JSON_RAW_OBJ, VECWIRE__QDRANT_TAG_PAYLOAD, 0, true},
    {"vector", VECWIRE__JSON_VECTOR, VECWIRE__QDRANT_TAG_VECTOR,
     VECWIRE__QDRANT_NAMES, true},
    {"shard_key", VECWIRE__JSON_RAW, VECWIRE__QDRANT_TAG_SHARD, 0, true},
    {"order_value", VECWIRE__JSON_RAW, VECWIRE__QDRANT_TAG_ORDER, 0, true},
};
const struct vecwire__json_field vecwire__qdrant_named_fields[1] = {
    {"", VECWIRE__JSON_VECTOR, VECWIRE__QDRANT_TAG_NAMED,
     VECWIRE__QDRANT_SPARSE, true},
};
const struct vecwire__json_field vecwire__qdrant_sparse_fields[2] = {
    {"indices", VECWIRE__JSON_U32S, VECWIRE__QDRANT_TAG_INDICES, 0, false},
    {"values", VECWIRE__JSON_F32S, VECWIRE__QDRANT_TAG_VALUES, 0, false},
};
static const struct vecwire__json_shape page_shapes[] = {
    {page_root, 1},
    {vecwire__qdrant_result_fields, 2},
    VECWIRE__QDRANT_POINT_SHAPES,
};
static const struct vecwire__json_table page_table = {
    page_shapes, VECWIRE__QDRANT_SPARSE, false};

/* R is P. */
static const struct vecwire__json_field one_root[] = {
    {"result", VECWIRE__JSON_OBJ, VECWIRE__QDRANT_TAG_RESULT,
     VECWIRE__QDRANT_POINT, false},
};
static const struct vecwire__json_shape one_shapes[] = {
    {one_root, 1},
    {vecwire__qdrant_result_fields, 2},
    VECWIRE__QDRANT_POINT_SHAPES,
};
static const struct vecwire__json_table one_table = {
    one_shapes, VECWIRE__QDRANT_SPARSE, false};

static bool
take_raw(struct vecwire__json_reader *reader, struct vecwire_reply *reply,
         unsigned tag)
{
    struct vecwire__row_place *place = &reply->places[reply->n_rows - 1];
    struct vecwire_row *row = &reply->rows[reply->n_rows - 1];

    if (tag == VECWIRE__QDRANT_TAG_PAYLOAD) {
        place->payload_at = reader->text_at;
        place->has_payload = true;
        row->payload_len = reader->texts->len - reader->text_at;
    } else if (tag == VECWIRE__QDRANT_TAG_SHARD) {
        place->shard_at = reader->text_at;
        place->has_shard = true;
    } else {
        place->order_at = reader->text_at;
        place->has_order = true;
    }
    return vecwire__buf_byte(reader->texts, '\0');
}

/* An id came as text (a UUID), or as a number, whose digits are its text. */
static bool
take_id(struct vecwire__json_reader *reader, struct vecwire_reply *reply,
        unsigned tag, bool is_number)
{
    struct vecwire_id *id = &reply->next_offset;
    size_t at = reader->text_at;

    if (is_number) {
        at = reader->texts->len;
        if (!vecwire__json_put_u64(reader->texts, reader->u64))
            return false;
    }
    if (tag == VECWIRE__QDRANT_TAG_ID) {
        struct vecwire__row_place *place = &reply->places[reply->n_rows - 1];

        id = &reply->rows[reply->n_rows - 1].id;
        place->id_at = at;
        place->has_id = true;
    } else {
        reply->next_at = at;
        reply->has_next = true;
    }
    id->len = reader->texts->len - at;
    id->is_number = is_number;
    id->number = is_number ? reader->u64 : 0;
    return vecwire__buf_byte(reader->texts, '\0');
}

static bool
take_number(struct vecwire__json_reader *reader, struct vecwire_reply *reply,
            unsigned tag)
{
    switch (tag) {
    case VECWIRE__QDRANT_TAG_ID:
    case VECWIRE__QDRANT_TAG_NEXT:
        return take_id(reader, reply, tag, true);
    case VECWIRE__QDRANT_TAG_INDICES:
        return vecwire__reply_sparse_index(reply, (uint32_t)reader->u64);
    default:
        reply->rows[reply->n_rows - 1].version = reader->u64;
        return true;
    }
}

static bool
take_score(struct vecwire__json_reader *reader, struct vecwire_reply *reply)
{
    struct vecwire_row *row = &reply->rows[reply->n_rows - 1];

    row->score = reader->f32;
    row->flags |=
        VECWIRE_ROW_HAS_SCORE | (reader->is_nan ? VECWIRE_ROW_HAS_NAN : 0);
    return true;
}

static bool
take_key(struct vecwire__json_reader *reader, struct vecwire_reply *reply)
{
    size_t at = reader->text_at;

    return vecwire__buf_byte(reader->texts, '\0') &&
           vecwire__reply_vector_name(reply, at);
}

static bool
object_begins(struct vecwire_reply *reply, unsigned tag)
{
    if (tag == VECWIRE__QDRANT_POINT || tag == VECWIRE__QDRANT_LOOKUP)
        return vecwire__reply_add_row(reply) != NULL;
    if (tag == VECWIRE__QDRANT_SPARSE)
        vecwire__reply_sparse_begin(reply);
    return true;
}

static bool
object_ends(struct vecwire_reply *reply, unsigned tag)
{
    if (tag == VECWIRE__QDRANT_SPARSE)
        return vecwire__reply_sparse_end(reply);
    if (tag == VECWIRE__QDRANT_NAMES)
        vecwire__reply_names_end(reply);
    if (tag != VECWIRE__QDRANT_POINT && tag != VECWIRE__QDRANT_LOOKUP)
        return true;
    if (!reply->places[reply->n_rows - 1].has_id)
        reply->fault = "a point lacks its \"id\"";
    else
        vecwire__reply_row_whole(reply);
    return reply->fault == NULL;
}

static bool
array_begins(struct vecwire_reply *reply, unsigned tag)
{
    if (tag == VECWIRE__QDRANT_TAG_INDICES)
        reply->reading.has_indices = true;
    else
        reply->answered = true;
    return true;
}

bool
vecwire__qdrant_point_sink(struct vecwire__json_reader *reader,
                           enum vecwire__json_event event, unsigned tag)
{
    struct vecwire_reply *reply = reader->ctx;

    switch (event) {
    case VECWIRE__JSON_EV_ROW:
    case VECWIRE__JSON_EV_GROW:
    case VECWIRE__JSON_EV_F32S:
        return vecwire__reply_floats(reply, reader, event);
    case VECWIRE__JSON_EV_BEGIN:
        return object_begins(reply, tag);
    case VECWIRE__JSON_EV_END:
        return object_ends(reply, tag);
    case VECWIRE__JSON_EV_ARR:
        return array_begins(reply, tag);
    case VECWIRE__JSON_EV_U64:
        return take_number(reader, reply, tag);
    case VECWIRE__JSON_EV_F32:
        return take_score(reader, reply);
    case VECWIRE__JSON_EV_STR:
        return take_id(reader, reply, tag, false);
    case VECWIRE__JSON_EV_RAW:
        return take_raw(reader, reply, tag);
    case VECWIRE__JSON_EV_KEY:
        return take_key(reader, reply);
    case VECWIRE__JSON_EV_MULTI:
        vecwire__reply_multi_begin(reply);
        return true;
    case VECWIRE__JSON_EV_MULTI_END:
        return vecwire__reply_multi_end(reply);
    default:
        return true;
    }
}

/* The same, but that every point has a score. */
bool
vecwire__qdrant_hit_sink(struct vecwire__json_reader *reader,
                         enum vecwire__json_event event, unsigned tag)
{
    struct vecwire_reply *reply = reader->ctx;

    if (event == VECWIRE__JSON_EV_END && tag == VECWIRE__QDRANT_POINT &&
        (reply->rows[reply->n_rows - 1].flags & VECWIRE_ROW_HAS_SCORE) == 0) {
        reply->fault = "a point lacks its \"score\"";
        return false;
    }
    return vecwire__qdrant_point_sink(reader, event, tag);
}

static bool
point_sink(struct vecwire__json_reader *reader, enum vecwire__json_event event,
           unsigned tag)
{
    struct vecwire_reply *reply = reader->ctx;

    if (event == VECWIRE__JSON_EV_BEGIN && tag == VECWIRE__QDRANT_POINT)
        reply->answered = true;
    return vecwire__qdrant_point_sink(reader, event, tag);
}

const struct vecwire__decoding vecwire__qdrant_hits_decoding = {
    &page_table, vecwire__qdrant_hit_sink, "result\" with \"points"};
const struct vecwire__decoding vecwire__qdrant_page_decoding = {
    &page_table, vecwire__qdrant_point_sink, "result\" with \"points"};
const struct vecwire__decoding vecwire__qdrant_point_decoding = {
    &one_table, point_sink, "result"};

/* R is {"count":n}. */
static const struct vecwire__json_field count_root[] = {
    {"result", VECWIRE__JSON_OBJ, VECWIRE__QDRANT_TAG_RESULT,
     VECWIRE__QDRANT_RESULT, false},
};
static const struct vecwire__json_field count_fields[] = {
    {"count", VECWIRE__JSON_U64, 0, 0, false},
};
static const struct vecwire__json_shape count_shapes[] = {
    {count_root, 1},
    {count_fields, 1},
};
static const struct vecwire__json_table count_table = {
    count_shapes, VECWIRE__QDRANT_RESULT, false};

static bool
count_sink(struct vecwire__json_reader *reader, enum vecwire__json_event event,
           unsigned tag)
{
    struct vecwire_reply *reply = reader->ctx;

    (void)tag;
    if (event == VECWIRE__JSON_EV_U64) {
        reply->total = reader->u64;
        reply->answered = true;
    }
    return true;
}

const struct vecwire__decoding vecwire__qdrant_count_decoding = {
    &count_table, count_sink, "result\" with \"count"};
