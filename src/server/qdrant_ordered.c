/* SPDX-License-Identifier: Apache-2.0 */
#include "server/qdrant_ordered.h"

#include <stdlib.h>
#include <string.h>

#include "codec/mem.h"
#include "codec/datetime.h"
#include "server/json_text.h"

enum order_type { ORDER_INTEGER, ORDER_FLOAT, ORDER_TIME };

/* A value of the key: `whole` of integers and times, else `real`. */
struct value {
    int64_t whole;
    double real;
};

struct entry {
    struct value value;
    size_t row;
    const struct vecwire__point_id *id;
};

struct ordering {
    struct vecwire__json_path path;
    enum order_type type;
    bool descending;
    bool has_start;
    struct value start;
    struct entry *entries;
    size_t n, cap;
    size_t row; /* whose values are being added */
    const struct vecwire__point_id *id;
    bool no_memory;
};

static int
compare(const struct value *a, const struct value *b)
{
    const int order = (a->whole > b->whole) - (a->whole < b->whole);

    return order != 0 ? order : (a->real > b->real) - (a->real < b->real);
}

static int
ascending(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    const int order = compare(&a->value, &b->value);

    return order != 0 ? order : vecwire__point_id_compare(a->id, b->id);
}

static int
descending(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    const int order = compare(&b->value, &a->value);

    return order != 0 ? order : vecwire__point_id_compare(a->id, b->id);
}

/* Is it a value of the index's type? */
static bool
read_value(enum order_type type, const json_t *tree, struct value *value)
{
    memset(value, 0, sizeof(*value));
    if (type == ORDER_FLOAT)
        return vecwire__json_get_double(tree, &value->real);
    if (type == ORDER_TIME)
        return vecwire__json_is_text(tree) &&
               vecwire__datetime_parse(json_string_value(tree),
                                       json_string_length(tree), &value->whole);
    value->whole = json_integer_value(tree);
    return json_is_integer(tree);
}

/* A real where integers are ordered bounds them all the same. */
static bool
read_start(struct ordering *ordering, const json_t *tree)
{
    double real;

    ordering->has_start = true;
    if (read_value(ordering->type, tree, &ordering->start))
        return true;
    if (ordering->type == ORDER_TIME && json_is_integer(tree)) {
        ordering->start.whole = json_integer_value(tree);
        return true;
    }
    if (ordering->type != ORDER_INTEGER ||
        !vecwire__json_get_double(tree, &real) || real < -9.2e18 ||
        real > 9.2e18)
        return false;
    ordering->start.whole = (int64_t)real;
    ordering->start.real = real - (double)ordering->start.whole;
    return true;
}

static bool
read_type(struct vecwire__qdrant_call *call, struct ordering *ordering,
          const char *key)
{
    static const char *const types[] = {[ORDER_INTEGER] = "integer",
                                        [ORDER_FLOAT] = "float",
                                        [ORDER_TIME] = "datetime"};
    const char *type = json_string_value(json_object_get(
        json_object_get(call->collection->indexes, key), "data_type"));

    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        if (type != NULL && strcmp(type, types[i]) == 0) {
            ordering->type = (enum order_type)i;
            return true;
        }
    }
    return vecwire__qdrant_fail(
        call, 400,
        "Bad request: No range index for `order_by` key: `%s`. Please create "
        "one to use `order_by`. Check https://qdrant.tech/documentation/"
        "concepts/indexing/#payload-index to see which payload schemas support "
        "Range conditions",
        key);
}

static bool
read_order(struct vecwire__qdrant_call *call, struct ordering *ordering,
           const json_t *tree)
{
    const bool whole = json_is_object(tree);
    const json_t *key = whole ? json_object_get(tree, "key") : tree;
    const json_t *direction = json_object_get(tree, "direction");
    const json_t *start = json_object_get(tree, "start_from");
    const char *word = json_string_value(direction);

    if (!vecwire__json_path_read(&ordering->path, key, &call->fault) ||
        !read_type(call, ordering, json_string_value(key)))
        return false;
    ordering->descending = word != NULL && strcmp(word, "desc") == 0;
    if (direction != NULL && !json_is_null(direction) &&
        !ordering->descending && (word == NULL || strcmp(word, "asc") != 0))
        return vecwire__qdrant_fail(
            call, 400,
            "Format error in JSON body: order_by.direction: expected asc or "
            "desc");
    return start == NULL || json_is_null(start) ||
           read_start(ordering, start) ||
           vecwire__qdrant_fail(
               call, 400,
               "Format error in JSON body: order_by.start_from: expected a "
               "number or a time");
}

static bool
add_value(const json_t *tree, void *arg)
{
    struct ordering *ordering = arg;
    struct entry entry = {.row = ordering->row, .id = ordering->id};
    void *entries = ordering->entries;
    int order;

    if (!read_value(ordering->type, tree, &entry.value))
        return true;
    order = compare(&entry.value, &ordering->start);
    if (ordering->has_start && (ordering->descending ? order > 0 : order < 0))
        return true;
    if (!vecwire__mem_grow(&vecwire__mem_libc, &entries, &ordering->cap,
                           ordering->n + 1, sizeof(*ordering->entries))) {
        ordering->no_memory = true;
        return false;
    }
    ordering->entries = entries;
    ordering->entries[ordering->n++] = entry;
    return true;
}

static bool
collect(struct vecwire__qdrant_call *call, struct ordering *ordering,
        const struct vecwire__filter *filter)
{
    struct vecwire__collection *collection = call->collection;

    for (size_t row = 0; row < collection->n_rows; row++) {
        struct vecwire__point *point = &collection->points[row];

        if (!point->is_live ||
            !vecwire__qdrant_matches(filter, collection, row, &call->fault)) {
            if (call->fault.status != 0)
                return false;
            continue;
        }
        ordering->row = row;
        ordering->id = &point->id;
        (void)vecwire__json_path_each_flat(
            &ordering->path, vecwire__point_tree(point, &call->fault),
            add_value, ordering);
        if (call->fault.status != 0 || ordering->no_memory)
            return call->fault.status == 0 &&
                   vecwire__qdrant_wrote(call, false);
    }
    if (ordering->n != 0)
        qsort(ordering->entries, ordering->n, sizeof(*ordering->entries),
              ordering->descending ? descending : ascending);
    return true;
}

/* A record ends with a brace; its order_value goes before that. */
static bool
put_value(struct vecwire__buf *reply, enum order_type type,
          const struct value *value)
{
    json_t *tree = type == ORDER_FLOAT ? json_real(value->real)
                                       : json_integer(value->whole);
    bool done;

    reply->len--;
    done = tree != NULL && vecwire__buf_str(reply, ",\"order_value\":") &&
           vecwire__json_dump(reply, tree) && vecwire__buf_byte(reply, '}');
    json_decref(tree);
    return done;
}

static bool
put_page(struct vecwire__qdrant_call *call, const struct ordering *ordering,
         const struct vecwire__record_parts *parts, size_t limit, bool is_query)
{
    static const float score = 1;
    struct vecwire__buf *reply = call->reply;
    bool done = vecwire__buf_str(reply, "{\"points\":[");

    for (size_t i = 0; done && i < ordering->n && i < limit; i++)
        done = (i == 0 || vecwire__buf_byte(reply, ',')) &&
               vecwire__record_put(reply, call->collection,
                                   ordering->entries[i].row, parts,
                                   is_query ? &score : NULL) &&
               put_value(reply, ordering->type, &ordering->entries[i].value);
    return vecwire__qdrant_wrote(
        call,
        done && vecwire__buf_str(
                    reply, is_query ? "]}" : "],\"next_page_offset\":null}"));
}

bool
vecwire__qdrant_put_ordered(struct vecwire__qdrant_call *call,
                            struct vecwire__view order,
                            const struct vecwire__filter *filter,
                            const struct vecwire__record_parts *parts,
                            size_t limit, bool is_query)
{
    struct ordering ordering;
    json_t *tree;
    bool done;

    memset(&ordering, 0, sizeof(ordering));
    if (!vecwire__qdrant_tree(&call->fault, order, &tree))
        return false;
    done = read_order(call, &ordering, tree) &&
           collect(call, &ordering, filter) &&
           put_page(call, &ordering, parts, limit, is_query);
    free(ordering.entries);
    vecwire__json_path_fini(&ordering.path);
    json_decref(tree);
    return done;
}
