/* SPDX-License-Identifier: Apache-2.0 */
/* Qdrant: replies of several parts: groups, batches of queries, facets. */
#include <string.h>

#include "codec/float_dec.h"
#include "codec/mem.h"
#include "dialect/qdrant_reply.h"

/* --- the parts of a reply --- */

/* A new part; NULL: no memory, or a fault. */
static struct vecwire__group_place *
add_part(struct vecwire_reply *reply)
{
    void *groups = reply->groups, *places = reply->group_places;
    bool room;

    if (!vecwire__reply_part_fits(reply, reply->n_groups))
        return NULL;
    room = vecwire__mem_grow(&reply->mem, &groups, &reply->groups_cap,
                             reply->n_groups + 1, sizeof(*reply->groups)) &&
           vecwire__mem_grow(&reply->mem, &places, &reply->group_places_cap,
                             reply->n_groups + 1, sizeof(*reply->group_places));

    reply->groups = groups;
    reply->group_places = places;
    if (!room)
        return NULL;
    memset(&reply->groups[reply->n_groups], 0, sizeof(*reply->groups));
    reply->groups[reply->n_groups].first = reply->n_rows;
    memset(&reply->group_places[reply->n_groups], 0,
           sizeof(*reply->group_places));
    return &reply->group_places[reply->n_groups++];
}

/* The string's own text, by the reader that knows escapes. */
static const struct vecwire__json_field string_fields[] = {
    {"v", VECWIRE__JSON_STR, 0, 0, false},
};
static const struct vecwire__json_shape string_shape = {string_fields, 1};
static const struct vecwire__json_table string_table = {&string_shape, 1,
                                                        false};

static bool
string_sink(struct vecwire__json_reader *reader, enum vecwire__json_event event,
            unsigned tag)
{
    (void)reader;
    (void)event;
    (void)tag;
    return true;
}

/* `len` bytes at `raw` of the texts are a JSON string: append what it says. */
static bool
append_string(struct vecwire__buf *texts, size_t raw, size_t len)
{
    struct vecwire__json_reader reader;

    /* It must not move while it is read; what it says is no longer. */
    if (!vecwire__buf_reserve(texts, len + 1))
        return false;
    vecwire__json_init(&reader, &string_table, string_sink, NULL, texts, 2);
    (void)vecwire__json_feed(&reader, "{\"v\":", 5);
    (void)vecwire__json_feed(&reader, texts->bytes + raw, len);
    (void)vecwire__json_feed(&reader, "}", 1);
    return vecwire__json_finish(&reader) == VECWIRE__JSON_DONE;
}

/* Is the JSON a number without fraction and exponent? */
static bool
is_whole(const char *json, size_t len)
{
    size_t i = len > 0 && json[0] == '-';

    while (i < len && json[i] >= '0' && json[i] <= '9')
        i++;
    return i == len;
}

/* A part's value: a string, a whole number, true or false. */
static bool
take_value(struct vecwire__json_reader *reader, struct vecwire_reply *reply)
{
    struct vecwire__group_place *place =
        &reply->group_places[reply->n_groups - 1];
    struct vecwire_id *id = &reply->groups[reply->n_groups - 1].id;
    size_t raw = reader->text_at, len = reader->texts->len - raw;
    char first = reader->texts->bytes[raw];

    place->id_at = raw;
    place->has_id = true;
    place->is_text = first == '"';
    if (!place->is_text && first != 't' && first != 'f' &&
        !is_whole(reader->texts->bytes + raw, len)) {
        reply->fault = "a value that is no string, whole number or boolean";
        return false;
    }
    if (place->is_text) {
        place->id_at = reader->texts->len;
        if (!append_string(reader->texts, raw, len))
            return false;
    }
    id->len = reader->texts->len - place->id_at;
    id->is_number =
        !place->is_text &&
        vecwire__u64_read(reader->texts->bytes + raw,
                          reader->texts->bytes + raw + len, &id->number);
    return vecwire__buf_byte(reader->texts, '\0');
}

/* --- groups: {"groups":[{"hits":[P],"id":value,"lookup":P}]} --- */

static const struct vecwire__json_field object_root[] = {
    {"result", VECWIRE__JSON_OBJ, VECWIRE__QDRANT_TAG_RESULT,
     VECWIRE__QDRANT_RESULT, false},
};
static const struct vecwire__json_field groups_fields[] = {
    {"groups", VECWIRE__JSON_ARR, VECWIRE__QDRANT_TAG_PARTS,
     VECWIRE__QDRANT_PART, false},
};
static const struct vecwire__json_field group_fields[] = {
    {"hits", VECWIRE__JSON_ARR, VECWIRE__QDRANT_TAG_POINTS,
     VECWIRE__QDRANT_POINT, false},
    {"id", VECWIRE__JSON_RAW, VECWIRE__QDRANT_TAG_VALUE, 0, false},
    {"lookup", VECWIRE__JSON_OBJ, 0, VECWIRE__QDRANT_LOOKUP, true},
};
static const struct vecwire__json_shape groups_shapes[] = {
    {object_root, 1},
    {groups_fields, 1},
    VECWIRE__QDRANT_POINT_SHAPES,
    {group_fields, 3},
    {vecwire__qdrant_point_fields, 7},
};
static const struct vecwire__json_table groups_table = {
    groups_shapes, VECWIRE__QDRANT_LOOKUP, false};

static bool
group_ended(struct vecwire_reply *reply)
{
    const struct vecwire__group_place *place =
        &reply->group_places[reply->n_groups - 1];

    if (!place->has_id)
        reply->fault = "a group lacks its \"id\"";
    else if (!place->has_rows)
        reply->fault = "a group lacks its \"hits\"";
    return reply->fault == NULL;
}

static bool
groups_sink(struct vecwire__json_reader *reader, enum vecwire__json_event event,
            unsigned tag)
{
    struct vecwire_reply *reply = reader->ctx;
    size_t last = reply->n_groups - 1;

    if (event == VECWIRE__JSON_EV_ARR && tag == VECWIRE__QDRANT_TAG_PARTS)
        reply->answered = true;
    else if (event == VECWIRE__JSON_EV_BEGIN && tag == VECWIRE__QDRANT_PART)
        return add_part(reply) != NULL;
    else if (event == VECWIRE__JSON_EV_END && tag == VECWIRE__QDRANT_PART)
        return group_ended(reply);
    else if (event == VECWIRE__JSON_EV_RAW && tag == VECWIRE__QDRANT_TAG_VALUE)
        return take_value(reader, reply);
    if (event == VECWIRE__JSON_EV_ARR && tag == VECWIRE__QDRANT_TAG_POINTS) {
        reply->group_places[last].has_rows = true;
        reply->groups[last].first = reply->n_rows;
        return true;
    }
    if (event == VECWIRE__JSON_EV_BEGIN && tag == VECWIRE__QDRANT_LOOKUP) {
        reply->group_places[last].has_lookup = true;
        reply->group_places[last].lookup = reply->n_rows;
    }
    if (event == VECWIRE__JSON_EV_BEGIN && tag == VECWIRE__QDRANT_POINT)
        reply->groups[last].n++;
    return vecwire__qdrant_hit_sink(reader, event, tag);
}

const struct vecwire__decoding vecwire__qdrant_groups_decoding = {
    &groups_table, groups_sink, "result\" with \"groups"};

/* --- batches: [{"points":[P]}] --- */

static const struct vecwire__json_field array_root[] = {
    {"result", VECWIRE__JSON_ARR, VECWIRE__QDRANT_TAG_PARTS,
     VECWIRE__QDRANT_PART, false},
};
static const struct vecwire__json_field batch_fields[] = {
    {"points", VECWIRE__JSON_ARR, VECWIRE__QDRANT_TAG_POINTS,
     VECWIRE__QDRANT_POINT, false},
};
static const struct vecwire__json_shape batch_shapes[] = {
    {array_root, 1},
    {vecwire__qdrant_result_fields, 2},
    VECWIRE__QDRANT_POINT_SHAPES,
    {batch_fields, 1},
};
static const struct vecwire__json_table batch_table = {
    batch_shapes, VECWIRE__QDRANT_PART, false};

static bool
batch_sink(struct vecwire__json_reader *reader, enum vecwire__json_event event,
           unsigned tag)
{
    struct vecwire_reply *reply = reader->ctx;

    if (event == VECWIRE__JSON_EV_ARR && tag == VECWIRE__QDRANT_TAG_PARTS)
        reply->answered = true;
    else if (event == VECWIRE__JSON_EV_BEGIN && tag == VECWIRE__QDRANT_PART)
        return add_part(reply) != NULL;
    if (event == VECWIRE__JSON_EV_END && tag == VECWIRE__QDRANT_PART &&
        !reply->group_places[reply->n_groups - 1].has_rows) {
        reply->fault = "a query's answer lacks its \"points\"";
        return false;
    }
    if (event == VECWIRE__JSON_EV_ARR && tag == VECWIRE__QDRANT_TAG_POINTS)
        reply->group_places[reply->n_groups - 1].has_rows = true;
    if (event == VECWIRE__JSON_EV_BEGIN && tag == VECWIRE__QDRANT_POINT)
        reply->groups[reply->n_groups - 1].n++;
    return event == VECWIRE__JSON_EV_ARR && tag != VECWIRE__QDRANT_TAG_INDICES
               ? true
               : vecwire__qdrant_hit_sink(reader, event, tag);
}

const struct vecwire__decoding vecwire__qdrant_batch_decoding = {
    &batch_table, batch_sink, "result"};

/* --- facets: {"hits":[{"value":v,"count":n}]} --- */

static const struct vecwire__json_field facet_fields[] = {
    {"hits", VECWIRE__JSON_ARR, VECWIRE__QDRANT_TAG_PARTS, 3, false},
};
static const struct vecwire__json_field value_fields[] = {
    {"value", VECWIRE__JSON_RAW, VECWIRE__QDRANT_TAG_VALUE, 0, false},
    {"count", VECWIRE__JSON_U64, VECWIRE__QDRANT_TAG_COUNT, 0, false},
};
static const struct vecwire__json_shape facet_shapes[] = {
    {object_root, 1},
    {facet_fields, 1},
    {value_fields, 2},
};
static const struct vecwire__json_table facet_table = {facet_shapes, 3, false};

static bool
facet_sink(struct vecwire__json_reader *reader, enum vecwire__json_event event,
           unsigned tag)
{
    struct vecwire_reply *reply = reader->ctx;
    size_t last = reply->n_groups - 1;

    switch (event) {
    case VECWIRE__JSON_EV_ARR:
        reply->answered = reply->is_facet = true;
        return true;
    case VECWIRE__JSON_EV_BEGIN:
        return tag != 3 || add_part(reply) != NULL;
    case VECWIRE__JSON_EV_RAW:
        return take_value(reader, reply);
    case VECWIRE__JSON_EV_U64:
        reply->group_places[last].count = reader->u64;
        reply->group_places[last].has_rows = true;
        return true;
    case VECWIRE__JSON_EV_END:
        if (tag == 3 && (!reply->group_places[last].has_id ||
                         !reply->group_places[last].has_rows)) {
            reply->fault = "a hit lacks its \"value\" or its \"count\"";
            return false;
        }
        return true;
    default:
        return true;
    }
}

const struct vecwire__decoding vecwire__qdrant_facet_decoding = {
    &facet_table, facet_sink, "result\" with \"hits"};
