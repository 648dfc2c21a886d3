/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "codec/json_writer.h"
#include "server/qdrant_handlers.h"
#include "server/qdrant_ordered.h"
#include "server/qdrant_record.h"

bool
vecwire__qdrant_get_one(struct vecwire__qdrant_call *call)
{
    static const char yes[] = "true";
    const struct vecwire__view all = {yes, yes + 4};
    struct vecwire__record_parts parts;
    struct vecwire__point_id id;
    size_t row;

    if (!vecwire__point_id_text(&id, call->item, strlen(call->item)))
        return vecwire__qdrant_fail(
            call, 400, "Bad request: Can not recognize \"%s\" as point id",
            call->item);
    row = vecwire__collection_find(call->collection, &id);
    if (row == SIZE_MAX)
        return vecwire__qdrant_fail(
            call, 404, "Not found: Point with id %s does not exists!",
            call->item);
    return vecwire__record_parts_read(&parts, call->collection, all, all, true,
                                      &call->fault) &&
           vecwire__qdrant_wrote(call, vecwire__record_put(call->reply,
                                                           call->collection,
                                                           row, &parts, NULL));
}

static bool
put_many(struct vecwire__qdrant_call *call, struct vecwire__view ids,
         const struct vecwire__record_parts *parts, bool *seen)
{
    struct vecwire__view_iter iter;
    bool first = true;

    vecwire__view_begin(&iter, ids);
    while (vecwire__view_next(&iter)) {
        struct vecwire__point_id id;
        size_t row;

        if (!vecwire__qdrant_take_id(&call->fault, iter.value, &id))
            return false;
        row = vecwire__collection_find(call->collection, &id);
        if (row == SIZE_MAX || seen[row])
            continue;
        seen[row] = true;
        if (!vecwire__qdrant_wrote(
                call, (first || vecwire__buf_byte(call->reply, ',')) &&
                          vecwire__record_put(call->reply, call->collection,
                                              row, parts, NULL)))
            return false;
        first = false;
    }
    return true;
}

bool
vecwire__qdrant_get_many(struct vecwire__qdrant_call *call)
{
    struct vecwire__view ids, payload, vector, vectors;
    const struct vecwire__view_want wants[] = {{"ids", &ids},
                                               {"with_payload", &payload},
                                               {"with_vector", &vector},
                                               {"with_vectors", &vectors}};
    struct vecwire__record_parts parts;
    bool *seen, done;

    if (!vecwire__qdrant_members(&call->fault, call->body, wants, 4))
        return false;
    if (!vecwire__view_is_array(ids))
        return vecwire__qdrant_fail(
            call, 400, "Format error in JSON body: missing field `ids`");
    if (!vecwire__record_parts_read(&parts, call->collection, payload,
                                    vector.at != NULL ? vector : vectors, false,
                                    &call->fault))
        return false;
    seen = calloc(call->collection->n_rows + 1, sizeof(*seen));
    done = seen != NULL && vecwire__buf_byte(call->reply, '[');
    done = vecwire__qdrant_wrote(call, done) && seen != NULL &&
           put_many(call, ids, &parts, seen) &&
           vecwire__qdrant_wrote(call, vecwire__buf_byte(call->reply, ']'));
    free(seen);
    vecwire__record_parts_fini(&parts);
    return done;
}

/* A page: from where, how long, and what of it. */
struct page {
    struct vecwire__filter *filter;
    struct vecwire__record_parts parts;
    size_t from; /* in the order of ids */
    size_t limit;
};

static bool
put_page(struct vecwire__qdrant_call *call, const struct page *page)
{
    struct vecwire__collection *collection = call->collection;
    struct vecwire__buf *reply = call->reply;
    const uint64_t *order = vecwire__collection_order(collection);
    size_t n = 0, i = page->from;
    bool done = order != NULL && vecwire__buf_str(reply, "{\"points\":[");

    for (; done && i < collection->n_live; i++) {
        size_t row = (size_t)order[i];

        if (!vecwire__qdrant_matches(page->filter, collection, row,
                                     &call->fault)) {
            if (call->fault.status != 0)
                return false;
            continue;
        }
        if (n == page->limit)
            break;
        done = (n++ == 0 || vecwire__buf_byte(reply, ',')) &&
               vecwire__record_put(reply, collection, row, &page->parts, NULL);
    }
    done = done && vecwire__buf_str(reply, "],\"next_page_offset\":");
    if (done && i < collection->n_live)
        done = vecwire__point_id_put(reply, &collection->points[order[i]].id) &&
               vecwire__buf_byte(reply, '}');
    else
        done = done && vecwire__buf_str(reply, "null}");
    return vecwire__qdrant_wrote(call, done);
}

bool
vecwire__qdrant_scroll(struct vecwire__qdrant_call *call)
{
    struct vecwire__view offset, limit, filter, payload, vector, vectors, order;
    const struct vecwire__view_want wants[] = {
        {"offset", &offset},      {"limit", &limit},
        {"filter", &filter},      {"with_payload", &payload},
        {"with_vector", &vector}, {"with_vectors", &vectors},
        {"order_by", &order}};
    struct page page = {.limit = 10};
    struct vecwire__point_id id;
    bool done = false;

    if (!vecwire__qdrant_members(&call->fault, call->body, wants, 7) ||
        !vecwire__qdrant_size(&call->fault, "limit", limit, 1, &page.limit))
        return false;
    if (order.at != NULL && offset.at != NULL)
        return vecwire__qdrant_fail(
            call, 400,
            "Bad request: Cannot use an `offset` when using `order_by`. The "
            "alternative for paging is to use `order_by.start_from` and a "
            "filter to exclude the ids that were seen for that value");
    if (offset.at != NULL) {
        if (!vecwire__qdrant_take_id(&call->fault, offset, &id))
            return false;
        if (vecwire__collection_order(call->collection) == NULL)
            return vecwire__qdrant_wrote(call, false);
        page.from = vecwire__collection_lower(call->collection, &id);
    }
    page.filter = vecwire__qdrant_filter(filter, &call->fault);
    if (page.filter != NULL &&
        vecwire__record_parts_read(&page.parts, call->collection, payload,
                                   vector.at != NULL ? vector : vectors, true,
                                   &call->fault)) {
        done = order.at != NULL
                   ? vecwire__qdrant_put_ordered(call, order, page.filter,
                                                 &page.parts, page.limit, false)
                   : put_page(call, &page);
        vecwire__record_parts_fini(&page.parts);
    }
    vecwire__filter_free(page.filter);
    return done;
}

bool
vecwire__qdrant_count(struct vecwire__qdrant_call *call)
{
    struct vecwire__collection *collection = call->collection;
    struct vecwire__view filter, exact;
    const struct vecwire__view_want wants[] = {{"filter", &filter},
                                               {"exact", &exact}};
    struct vecwire__filter *wanted;
    bool is_exact;
    size_t n = 0;

    if (!vecwire__qdrant_members(&call->fault, call->body, wants, 2) ||
        !vecwire__qdrant_flag(&call->fault, "exact", exact, &is_exact))
        return false;
    wanted = vecwire__qdrant_filter(filter, &call->fault);
    if (wanted == NULL)
        return false;
    for (size_t row = 0; row < collection->n_rows; row++)
        n += collection->points[row].is_live &&
             vecwire__qdrant_matches(wanted, collection, row, &call->fault);
    vecwire__filter_free(wanted);
    return call->fault.status == 0 &&
           vecwire__qdrant_wrote(call,
                                 vecwire__buf_str(call->reply, "{\"count\":") &&
                                     vecwire__json_put_u64(call->reply, n) &&
                                     vecwire__buf_byte(call->reply, '}'));
}
