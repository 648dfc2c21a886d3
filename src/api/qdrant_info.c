/* SPDX-License-Identifier: Apache-2.0 */
/* A collection's description, read out of its text. */
#include <vecwire/qdrant_admin.h>

#include <string.h>

#include "codec/json_reader.h"
#include "dialect/reply.h"

enum {
    STATUS = 1,
    OPTIMIZER,
    POINTS,
    INDEXED,
    SEGMENTS,
    SIZE,
    DISTANCE,
    ANY_DEPTH = 255
};

static const struct vecwire__json_field state_fields[] = {
    {"status", VECWIRE__JSON_STR, STATUS, 0, false},
    {"optimizer_status", VECWIRE__JSON_RAW, OPTIMIZER, 0, false},
    {"points_count", VECWIRE__JSON_U64, POINTS, 0, true},
    {"indexed_vectors_count", VECWIRE__JSON_U64, INDEXED, 0, true},
    {"segments_count", VECWIRE__JSON_U64, SEGMENTS, 0, false},
};
static const struct vecwire__json_shape state_shape = {state_fields, 5};
static const struct vecwire__json_table state_table = {&state_shape, 1, false};

static const struct vecwire__json_field root_fields[] = {
    {"config", VECWIRE__JSON_OBJ, 0, 2, true},
};
static const struct vecwire__json_field config_fields[] = {
    {"params", VECWIRE__JSON_OBJ, 0, 3, true},
};
static const struct vecwire__json_field params_fields[] = {
    {"vectors", VECWIRE__JSON_OBJ, 0, 4, true},
};
static const struct vecwire__json_field vector_fields[] = {
    {"size", VECWIRE__JSON_U64, SIZE, 0, false},
    {"distance", VECWIRE__JSON_STR, DISTANCE, 0, false},
};
static const struct vecwire__json_shape vector_shapes[] = {
    {root_fields, 1},
    {config_fields, 1},
    {params_fields, 1},
    {vector_fields, 2},
};
static const struct vecwire__json_table vector_table = {vector_shapes, 4,
                                                        false};

struct reading {
    struct vecwire_qdrant_collection_info *info;
    bool has_status;
};

/* Which of `n` names the text is, counted from 1; 0: none. */
static uint32_t
which_of(const struct vecwire__json_reader *reader, const char *const *names,
         uint32_t n)
{
    const char *text = reader->texts->bytes + reader->text_at;
    size_t len = reader->texts->len - reader->text_at;

    for (uint32_t i = 0; i < n; i++) {
        if (strlen(names[i]) == len && memcmp(text, names[i], len) == 0)
            return i + 1;
    }
    return 0;
}

static void
take_text(struct vecwire__json_reader *reader, struct reading *reading,
          unsigned tag)
{
    static const char *const statuses[] = {"green", "yellow", "grey", "red"};
    static const char *const distances[] = {"Cosine", "Euclid", "Dot",
                                            "Manhattan"};
    static const char *const ok[] = {"\"ok\""};

    if (tag == STATUS) {
        reading->info->status = which_of(reader, statuses, 4);
        reading->has_status = true;
    } else if (tag == DISTANCE) {
        reading->info->distance = which_of(reader, distances, 4);
    } else {
        reading->info->optimizer_ok = which_of(reader, ok, 1) == 1;
    }
}

static bool
sink(struct vecwire__json_reader *reader, enum vecwire__json_event event,
     unsigned tag)
{
    struct reading *reading = reader->ctx;
    struct vecwire_qdrant_collection_info *info = reading->info;

    if (event == VECWIRE__JSON_EV_STR || event == VECWIRE__JSON_EV_RAW)
        take_text(reader, reading, tag);
    if (event != VECWIRE__JSON_EV_U64)
        return true;
    if (tag == POINTS) {
        info->points_count = reader->u64;
        info->has_points_count = true;
    } else if (tag == INDEXED) {
        info->indexed_vectors_count = reader->u64;
        info->has_indexed_vectors_count = true;
    } else if (tag == SEGMENTS) {
        info->segments_count = reader->u64;
    } else {
        info->vector_size = reader->u64;
    }
    return true;
}

static bool
read_row(const struct vecwire_reply *reply, struct reading *reading,
         const struct vecwire__json_table *table)
{
    const struct vecwire_row *row = vecwire_reply_row(reply, 0);
    struct vecwire__json_reader reader;
    struct vecwire__buf texts;
    enum vecwire__json_rc rc;

    vecwire__buf_init(&texts, &reply->mem);
    vecwire__json_init(&reader, table, sink, reading, &texts, ANY_DEPTH);
    vecwire__json_feed(&reader, row->payload, row->payload_len);
    rc = vecwire__json_finish(&reader);
    vecwire__buf_fini(&texts);
    return rc == VECWIRE__JSON_DONE;
}

bool
vecwire_qdrant_info(const struct vecwire_reply *reply,
                    struct vecwire_qdrant_collection_info *info)
{
    const struct vecwire_row *row = vecwire_reply_row(reply, 0);
    struct reading reading = {.info = info};

    memset(info, 0, sizeof(*info));
    if (row == NULL || row->payload == NULL ||
        !read_row(reply, &reading, &state_table) || !reading.has_status)
        return false;
    /* Vectors by name may have any names, these as well. */
    if (!read_row(reply, &reading, &vector_table)) {
        info->vector_size = 0;
        info->distance = 0;
    }
    return true;
}
