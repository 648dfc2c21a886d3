/* SPDX-License-Identifier: Apache-2.0 */
/* Qdrant: what became of updates: {"operation_id":n,"status":s}, or an array
 * of these. */
#include <string.h>

#include "codec/mem.h"
#include "dialect/qdrant_update.h"

enum { ROOT = 1, UPDATE };
enum { TAG_RESULT = 1, TAG_NUMBER, TAG_STATUS };

static const struct vecwire__json_field one_root[] = {
    {"result", VECWIRE__JSON_OBJ, TAG_RESULT, UPDATE, false},
};
static const struct vecwire__json_field many_root[] = {
    {"result", VECWIRE__JSON_ARR, TAG_RESULT, UPDATE, false},
};
static const struct vecwire__json_field update_fields[] = {
    {"operation_id", VECWIRE__JSON_U64, TAG_NUMBER, 0, true},
    {"status", VECWIRE__JSON_STR, TAG_STATUS, 0, false},
};
static const struct vecwire__json_shape one_shapes[] = {{one_root, 1},
                                                        {update_fields, 2}};
static const struct vecwire__json_shape many_shapes[] = {{many_root, 1},
                                                         {update_fields, 2}};
static const struct vecwire__json_table one_table = {one_shapes, UPDATE, false};
static const struct vecwire__json_table many_table = {many_shapes, UPDATE,
                                                      false};

static bool
add_update(struct vecwire_reply *reply)
{
    void *updates = reply->updates;
    bool room;

    if (!vecwire__reply_part_fits(reply, reply->n_updates))
        return false;
    room = vecwire__mem_grow(&reply->mem, &updates, &reply->updates_cap,
                             reply->n_updates + 1, sizeof(*reply->updates));

    reply->updates = updates;
    if (!room)
        return false;
    memset(&reply->updates[reply->n_updates++], 0, sizeof(*reply->updates));
    return true;
}

/* The text is of no more use: only what it says. */
static bool
take_status(struct vecwire__json_reader *reader, struct vecwire_reply *reply)
{
    static const char *const names[] = {
        [VECWIRE_QDRANT_ACKNOWLEDGED] = "acknowledged",
        [VECWIRE_QDRANT_COMPLETED] = "completed",
        [VECWIRE_QDRANT_WAIT_TIMEOUT] = "wait_timeout"};
    struct vecwire__update *update = &reply->updates[reply->n_updates - 1];
    size_t len = reader->texts->len - reader->text_at;

    for (size_t i = VECWIRE_QDRANT_ACKNOWLEDGED;
         i <= VECWIRE_QDRANT_WAIT_TIMEOUT && update->outcome == 0; i++) {
        if (len == strlen(names[i]) &&
            memcmp(reader->texts->bytes + reader->text_at, names[i], len) == 0)
            update->outcome = (unsigned)i;
    }
    reader->texts->len = reader->text_at;
    if (update->outcome == 0) {
        reply->fault = "an update of unknown status";
        return false;
    }
    reply->unconfirmed |= update->outcome == VECWIRE_QDRANT_WAIT_TIMEOUT;
    return true;
}

static bool
updates_sink(struct vecwire__json_reader *reader,
             enum vecwire__json_event event, unsigned tag)
{
    struct vecwire_reply *reply = reader->ctx;
    struct vecwire__update *update;

    if (event == VECWIRE__JSON_EV_ARR)
        reply->answered = true;
    if (event == VECWIRE__JSON_EV_BEGIN && tag == UPDATE)
        return add_update(reply);
    if (reply->n_updates == 0)
        return true;
    update = &reply->updates[reply->n_updates - 1];
    if (event == VECWIRE__JSON_EV_U64) {
        update->has_number = true;
        update->number = reader->u64;
    }
    if (event == VECWIRE__JSON_EV_STR)
        return take_status(reader, reply);
    if (event == VECWIRE__JSON_EV_END && tag == UPDATE &&
        update->outcome == 0) {
        reply->fault = "an update lacks its \"status\"";
        return false;
    }
    return true;
}

static bool
update_sink(struct vecwire__json_reader *reader, enum vecwire__json_event event,
            unsigned tag)
{
    struct vecwire_reply *reply = reader->ctx;

    /* One that lacks its status is a reply that lacks it. */
    if (event == VECWIRE__JSON_EV_END && tag == UPDATE)
        return true;
    if (!updates_sink(reader, event, tag))
        return false;
    if (event == VECWIRE__JSON_EV_STR) {
        reply->answered = true;
        reply->affected = reply->unconfirmed ? 0 : reply->rows_asked;
    }
    return true;
}

const struct vecwire__decoding vecwire__qdrant_update_decoding = {
    &one_table, update_sink, "result\" with \"status"};
const struct vecwire__decoding vecwire__qdrant_updates_decoding = {
    &many_table, updates_sink, "result"};
