/* SPDX-License-Identifier: Apache-2.0 */
/* A dialect with a scroll as Qdrant has it, of ids that are numbers. */
#ifndef VECWIRE_TESTS_SCROLL_DIALECT_H
#define VECWIRE_TESTS_SCROLL_DIALECT_H

#include <check.h>
#include <stdio.h>

#include "dialect/qdrant.h"

enum { ROOT = 1, RESULT, POINT };
enum { TAG_RESULT = 1, TAG_POINTS, TAG_ID, TAG_NEXT };

static const struct vecwire__json_field sd_root[] = {
    {"result", VECWIRE__JSON_OBJ, TAG_RESULT, RESULT, false},
};
static const struct vecwire__json_field sd_result[] = {
    {"points", VECWIRE__JSON_ARR, TAG_POINTS, POINT, false},
    {"next_page_offset", VECWIRE__JSON_ID, TAG_NEXT, 0, true},
};
static const struct vecwire__json_field sd_point[] = {
    {"id", VECWIRE__JSON_ID, TAG_ID, 0, false},
};
static const struct vecwire__json_shape sd_shapes[] = {
    {sd_root, 1}, {sd_result, 2}, {sd_point, 1}};
static const struct vecwire__json_table sd_table = {sd_shapes, POINT, false};

static bool
sd_number(struct vecwire__json_reader *reader, struct vecwire_reply *reply,
          unsigned tag)
{
    static char texts[64][32];
    static unsigned turn;
    char *text = texts[turn++ % 64];
    struct vecwire__row_place *place;
    int len = snprintf(text, 32, "%llu", (unsigned long long)reader->u64);

    if (tag == TAG_NEXT) {
        reply->has_next = true;
        reply->next_offset = (struct vecwire_id){.text = text,
                                                 .len = (size_t)len,
                                                 .number = reader->u64,
                                                 .is_number = true};
        return true;
    }
    place = &reply->places[reply->n_rows - 1];
    place->id_at = reader->texts->len;
    place->has_id = true;
    reply->rows[reply->n_rows - 1].id = (struct vecwire_id){
        .len = (size_t)len, .number = reader->u64, .is_number = true};
    return vecwire__buf_add(reader->texts, text, (size_t)len + 1);
}

static bool
sd_sink(struct vecwire__json_reader *reader, enum vecwire__json_event event,
        unsigned tag)
{
    struct vecwire_reply *reply = reader->ctx;

    switch (event) {
    case VECWIRE__JSON_EV_ARR:
        reply->answered = true;
        return true;
    case VECWIRE__JSON_EV_BEGIN:
        return tag != POINT || vecwire__reply_add_row(reply) != NULL;
    case VECWIRE__JSON_EV_END:
        if (tag == POINT)
            vecwire__reply_row_whole(reply);
        return true;
    case VECWIRE__JSON_EV_U64:
        return sd_number(reader, reply, tag);
    default:
        return true;
    }
}

static const struct vecwire__decoding sd_decoding = {&sd_table, sd_sink,
                                                     "points"};

static enum vecwire_err
sd_scroll(const struct vecwire__settings *settings, const void *request,
          struct vecwire__encoding *enc, struct vecwire_refusal *refusal)
{
    static const struct vecwire__qdrant_route route = {
        .path = "/points/scroll",
        .takes = VECWIRE__QDRANT_READ | VECWIRE__QDRANT_SELECTORS |
                 VECWIRE__QDRANT_ORDER_BY,
        .method = VECWIRE__POST,
        .class = VECWIRE__READ,
        .has_body = true,
        .decoding = &sd_decoding,
    };
    const struct vecwire_scroll_request *s = request;
    struct vecwire__qdrant_writer w;

    vecwire__qdrant_begin(&w, settings, enc, refusal, &route, NULL, 64);
    vecwire__qdrant_key(&w, "limit");
    vecwire__qdrant_put_u64(&w, s->limit);
    if (s->offset != NULL) {
        vecwire__qdrant_key(&w, "offset");
        vecwire__qdrant_put_id(&w, s->offset, NULL);
    }
    vecwire__qdrant_member_filter(&w, s->filter, s->filter_tree);
    vecwire__qdrant_put_selectors(&w, s->with_payload, s->with_vector);
    enc->max_rows = s->limit;
    return vecwire__qdrant_end(&w);
}

#endif
