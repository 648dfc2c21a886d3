/* SPDX-License-Identifier: Apache-2.0 */
#include "dialect/reply.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "codec/guard.h"
#include "codec/mem.h"

#define OVER_ROW "row is over max_row_bytes"

static void
begin(struct vecwire_reply *reply)
{
    memset(&reply->error, 0,
           sizeof(*reply) - offsetof(struct vecwire_reply, error));
    reply->error.detail = "";
    reply->error.retry_after_ms = -1;
    reply->refs = 1;
}

struct vecwire_reply *
vecwire__reply_new(const struct vecwire_mem *mem)
{
    struct vecwire_reply *reply = vecwire__mem_zalloc(mem, sizeof(*reply));

    if (reply == NULL)
        return NULL;
    reply->mem = *mem;
    vecwire__buf_init(&reply->texts, &reply->mem);
    vecwire__buf_init(&reply->body, &reply->mem);
    begin(reply);
    return reply;
}

size_t
vecwire__reply_bytes(const struct vecwire_reply *reply)
{
    return sizeof(*reply) + reply->texts.cap + reply->body.cap +
           reply->rows_cap * sizeof(*reply->rows) +
           reply->places_cap * sizeof(*reply->places) +
           reply->floats_cap * sizeof(*reply->floats) +
           reply->indices_cap * sizeof(*reply->indices) +
           reply->vectors_cap * sizeof(*reply->vectors) +
           reply->vector_places_cap * sizeof(*reply->vector_places) +
           reply->groups_cap * sizeof(*reply->groups) +
           reply->group_places_cap * sizeof(*reply->group_places) +
           reply->updates_cap * sizeof(*reply->updates);
}

void
vecwire__reply_reuse(struct vecwire_reply *reply)
{
    reply->texts.len = reply->body.len = 0;
    begin(reply);
}

void
vecwire__reply_hold(struct vecwire_reply *reply)
{
    vecwire__guard_leave(&reply->mem);
    reply->refs++;
}

void
vecwire__reply_release(struct vecwire_reply *reply)
{
    struct vecwire_mem mem;

    if (reply == NULL || --reply->refs > 0)
        return;
    mem = reply->mem;
    vecwire__buf_fini(&reply->texts);
    vecwire__buf_fini(&reply->body);
    vecwire__mem_free(&mem, reply->rows,
                      reply->rows_cap * sizeof(*reply->rows));
    vecwire__mem_free(&mem, reply->places,
                      reply->places_cap * sizeof(*reply->places));
    vecwire__mem_free(&mem, reply->floats,
                      reply->floats_cap * sizeof(*reply->floats));
    vecwire__mem_free(&mem, reply->indices,
                      reply->indices_cap * sizeof(*reply->indices));
    vecwire__mem_free(&mem, reply->vectors,
                      reply->vectors_cap * sizeof(*reply->vectors));
    vecwire__mem_free(&mem, reply->vector_places,
                      reply->vector_places_cap * sizeof(*reply->vector_places));
    vecwire__mem_free(&mem, reply->groups,
                      reply->groups_cap * sizeof(*reply->groups));
    vecwire__mem_free(&mem, reply->group_places,
                      reply->group_places_cap * sizeof(*reply->group_places));
    vecwire__mem_free(&mem, reply->updates,
                      reply->updates_cap * sizeof(*reply->updates));
    vecwire__mem_free(&mem, reply, sizeof(*reply));
}

void
vecwire__reply_reset(struct vecwire_reply *reply)
{
    reply->texts.len = reply->body.len = 0;
    reply->headers_len = 0;
    reply->n_rows = reply->n_whole = 0;
    reply->affected = reply->total = 0;
    reply->n_groups = 0;
    reply->n_floats = reply->n_indices = reply->n_vectors = 0;
    memset(&reply->reading, 0, sizeof(reply->reading));
    reply->has_next = reply->is_facet = reply->unconfirmed = false;
    reply->n_updates = 0;
    reply->status = 0;
    reply->answered = false;
    reply->fault = NULL;
    reply->fault_limit = reply->rows_begun = 0;
    reply->timing.connected_ns = reply->timing.sent_ns = 0;
    reply->timing.first_byte_ns = reply->timing.decoded_ns = 0;
}

bool
vecwire__reply_take_headers(struct vecwire_reply *reply,
                            const struct vecwire_header *headers, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!vecwire__buf_add(&reply->texts, headers[i].name,
                              strlen(headers[i].name) + 1) ||
            !vecwire__buf_add(&reply->texts, headers[i].value,
                              strlen(headers[i].value) + 1))
            return false;
    }
    reply->headers_len = reply->texts.len;
    return true;
}

size_t
vecwire__reply_find_header(const struct vecwire_reply *reply, const char *name)
{
    const char *text = reply->texts.bytes;

    for (size_t at = 0; at < reply->headers_len;) {
        size_t value = at + strlen(text + at) + 1;

        if (strcasecmp(text + at, name) == 0)
            return value;
        at = value + strlen(text + value) + 1;
    }
    return SIZE_MAX;
}

static void
over_limit(struct vecwire_reply *reply, const char *fault, uint64_t limit)
{
    reply->fault = fault;
    reply->fault_limit = limit;
}

bool
vecwire__reply_part_fits(struct vecwire_reply *reply, size_t n)
{
    if (reply->max_parts == 0 || n < reply->max_parts)
        return true;
    over_limit(reply, "more answers than were asked for", reply->max_parts);
    return false;
}

void
vecwire__reply_over_row(struct vecwire_reply *reply)
{
    over_limit(reply, OVER_ROW, reply->max_row_bytes);
}

uint64_t
vecwire__reply_vector_bytes(const struct vecwire_reply *reply)
{
    return (reply->n_floats - reply->row_floats_at) * sizeof(float) +
           (reply->n_indices - reply->row_indices_at) * sizeof(uint32_t);
}

struct vecwire__row_place *
vecwire__reply_add_row(struct vecwire_reply *reply)
{
    void *rows = reply->rows, *places = reply->places;
    bool room;

    if (reply->max_rows != 0 && reply->rows_begun >= reply->max_rows) {
        over_limit(reply, "more rows than were asked for", reply->max_rows);
        return NULL;
    }
    room = vecwire__mem_grow(&reply->mem, &rows, &reply->rows_cap,
                             reply->n_rows + 1, sizeof(*reply->rows)) &&
           vecwire__mem_grow(&reply->mem, &places, &reply->places_cap,
                             reply->n_rows + 1, sizeof(*reply->places));

    reply->rows = rows;
    reply->places = places;
    if (!room)
        return NULL;
    if (reply->n_rows == 0)
        reply->rows_at = reply->texts.len;
    reply->row_at = reply->texts.len;
    reply->row_floats_at = reply->n_floats;
    reply->row_indices_at = reply->n_indices;
    reply->row_vectors_at = reply->n_vectors;
    reply->rows_begun++;
    memset(&reply->rows[reply->n_rows], 0, sizeof(*reply->rows));
    memset(&reply->places[reply->n_rows], 0, sizeof(*reply->places));
    reply->places[reply->n_rows].vectors_at = reply->n_vectors;
    return &reply->places[reply->n_rows++];
}

/* Bytes of the last row, without the NULs behind its texts. While it is being
 * read, no more than at its end: what is allowed must not depend on how a reply
 * is cut. */
static uint64_t
row_bytes(const struct vecwire_reply *reply)
{
    const struct vecwire__row_place *place = &reply->places[reply->n_rows - 1];
    size_t texts = reply->texts.len - reply->row_at;
    size_t nuls = (size_t)place->has_id + place->has_text + place->has_payload +
                  place->has_order + place->has_shard + reply->reading.has_name;

    for (size_t i = reply->row_vectors_at; i < reply->n_vectors; i++)
        nuls += reply->vector_places[i].has_name;
    return texts - (nuls < texts ? nuls : texts) +
           vecwire__reply_vector_bytes(reply);
}

void
vecwire__reply_row_whole(struct vecwire_reply *reply)
{
    if (reply->max_row_bytes != 0 && row_bytes(reply) > reply->max_row_bytes)
        vecwire__reply_over_row(reply);
    reply->n_whole = reply->n_rows;
    reply->whole_at = reply->texts.len;
}

bool
vecwire__reply_row_fits(struct vecwire_reply *reply)
{
    if (reply->n_rows == reply->n_whole || reply->max_row_bytes == 0 ||
        row_bytes(reply) <= reply->max_row_bytes)
        return true;
    vecwire__reply_over_row(reply);
    return false;
}

size_t
vecwire__reply_drop_rows(struct vecwire_reply *reply,
                         struct vecwire__json_reader *reader)
{
    struct vecwire__row_place *place = &reply->places[0];
    size_t moved = reply->whole_at - reply->rows_at;
    struct vecwire__buf *texts = &reply->texts;

    if (moved > 0)
        memmove(texts->bytes + reply->rows_at, texts->bytes + reply->whole_at,
                texts->len - reply->whole_at);
    texts->len -= moved;
    if (reply->has_next && reply->next_at >= reply->whole_at)
        reply->next_at -= moved;
    reply->n_rows -= reply->n_whole;
    if (reply->n_rows > 0) {
        reply->rows[0] = reply->rows[reply->n_whole];
        *place = reply->places[reply->n_whole];
        place->id_at -= place->has_id ? moved : 0;
        place->text_at -= place->has_text ? moved : 0;
        place->payload_at -= place->has_payload ? moved : 0;
        place->order_at -= place->has_order ? moved : 0;
        place->shard_at -= place->has_shard ? moved : 0;
        reply->row_at -= moved;
    }
    vecwire__reply_drop_vectors(reply, moved, reader);
    reply->n_whole = 0;
    return moved;
}

void
vecwire__reply_settle(struct vecwire_reply *reply)
{
    const char *texts = reply->texts.bytes;

    for (size_t i = 0; i < reply->n_rows; i++) {
        const struct vecwire__row_place *place = &reply->places[i];
        struct vecwire_row *row = &reply->rows[i];

        row->id.text = place->has_id ? texts + place->id_at : "";
        row->text = place->has_text ? texts + place->text_at : NULL;
        row->payload = place->has_payload ? texts + place->payload_at : NULL;
        row->order_value = place->has_order ? texts + place->order_at : NULL;
        row->shard_key = place->has_shard ? texts + place->shard_at : NULL;
    }
    if (reply->n_vectors > 0)
        vecwire__reply_settle_vectors(reply);
    for (size_t i = 0; i < reply->n_groups; i++) {
        const struct vecwire__group_place *place = &reply->group_places[i];
        struct vecwire_group *group = &reply->groups[i];

        group->id.text = place->has_id ? texts + place->id_at : "";
        group->lookup = place->has_lookup ? &reply->rows[place->lookup] : NULL;
    }
    if (reply->has_next)
        reply->next_offset.text = texts + reply->next_at;
}

size_t
vecwire__reply_line(struct vecwire_reply *reply, const char *format, ...)
{
    size_t at = reply->texts.len;
    va_list args;
    int len;

    va_start(args, format);
    len = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (len < 0 || !vecwire__buf_reserve(&reply->texts, (size_t)len + 1))
        return SIZE_MAX;
    va_start(args, format);
    vsnprintf(reply->texts.bytes + at, (size_t)len + 1, format, args);
    va_end(args);
    reply->texts.len += (size_t)len + 1;
    return at;
}
