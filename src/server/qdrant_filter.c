/* SPDX-License-Identifier: Apache-2.0 */
#include "server/qdrant_filter.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/json_text.h"
#include "server/qdrant_condition.h"

__attribute__((format(printf, 4, 0))) static void
set_fault(struct vecwire__filter_reader *reader, int status, const char *before,
          const char *format, va_list args)
{
    char text[160];

    vsnprintf(text, sizeof(text), format, args);
    vecwire__fault_set(reader->fault, status, "%s%s%s", before, text,
                       status == 422 ? "]" : "");
}

bool
vecwire__filter_wrong(struct vecwire__filter_reader *reader, const char *format,
                      ...)
{
    va_list args;

    va_start(args, format);
    set_fault(reader, 400, "Format error in JSON body: filter: ", format, args);
    va_end(args);
    return false;
}

bool
vecwire__filter_invalid(struct vecwire__filter_reader *reader,
                        const char *format, ...)
{
    va_list args;

    va_start(args, format);
    set_fault(reader, 422, "Validation error in JSON body: [filter: ", format,
              args);
    va_end(args);
    return false;
}

bool
vecwire__filter_no_memory(struct vecwire__filter_reader *reader)
{
    vecwire__fault_memory(reader->fault);
    return false;
}

/* A list of conditions may also be a single one, or null. One without any
 * asks nothing. */
static bool
read_conditions(struct vecwire__filter_reader *reader,
                struct vecwire__conditions *list, const json_t *tree)
{
    const bool is_array = json_is_array(tree);
    const size_t n = is_array ? json_array_size(tree) : 1;

    if (json_is_null(tree))
        return true;
    if (n > VECWIRE__FILTER_CONDITIONS - reader->n_conditions)
        return vecwire__filter_wrong(reader, "more than %d conditions",
                                     VECWIRE__FILTER_CONDITIONS);
    reader->n_conditions += n;
    list->items = calloc(n + 1, sizeof(*list->items));
    if (list->items == NULL)
        return vecwire__filter_no_memory(reader);
    while (list->n < n) {
        const json_t *one = is_array ? json_array_get(tree, list->n) : tree;

        if (!vecwire__condition_read(reader, &list->items[list->n++], one))
            return false;
    }
    return true;
}

static bool
read_min_should(struct vecwire__filter_reader *reader,
                struct vecwire__filter *filter, const json_t *tree)
{
    const json_t *conditions = json_object_get(tree, "conditions");

    if (json_is_null(tree))
        return true;
    if (!json_is_array(conditions) ||
        !vecwire__json_get_u64(json_object_get(tree, "min_count"),
                               &filter->min_count))
        return vecwire__filter_wrong(
            reader, "min_should needs a list of conditions and a min_count");
    return read_conditions(reader, &filter->min_should, conditions);
}

static bool
read_member(struct vecwire__filter_reader *reader,
            struct vecwire__filter *filter, const char *key, const json_t *tree)
{
    if (strcmp(key, "must") == 0)
        return read_conditions(reader, &filter->must, tree);
    if (strcmp(key, "should") == 0)
        return read_conditions(reader, &filter->should, tree);
    if (strcmp(key, "must_not") == 0)
        return read_conditions(reader, &filter->must_not, tree);
    if (strcmp(key, "min_should") == 0)
        return read_min_should(reader, filter, tree);
    return vecwire__filter_wrong(reader, "unknown condition `%.80s`", key);
}

static bool
read_members(struct vecwire__filter_reader *reader,
             struct vecwire__filter *filter, const json_t *tree)
{
    json_t *walked = (json_t *)(uintptr_t)tree;

    for (void *i = json_object_iter(walked); i != NULL;
         i = json_object_iter_next(walked, i)) {
        if (!read_member(reader, filter, json_object_iter_key(i),
                         json_object_iter_value(i)))
            return false;
    }
    return true;
}

struct vecwire__filter *
vecwire__filter_read(struct vecwire__filter_reader *reader, const json_t *tree)
{
    struct vecwire__filter *filter = NULL;

    if (!json_is_object(tree))
        (void)vecwire__filter_wrong(reader, "an object is expected");
    else if (reader->depth == VECWIRE__FILTER_DEPTH)
        (void)vecwire__filter_wrong(reader, "nested deeper than %d",
                                    VECWIRE__FILTER_DEPTH);
    else if ((filter = calloc(1, sizeof(*filter))) == NULL)
        (void)vecwire__filter_no_memory(reader);
    else {
        reader->depth++;
        if (!read_members(reader, filter, tree)) {
            vecwire__filter_free(filter);
            filter = NULL;
        }
        reader->depth--;
    }
    return filter;
}

struct vecwire__filter *
vecwire__filter_new(const json_t *tree, struct vecwire__fault *fault)
{
    struct vecwire__filter_reader reader = {fault, 0, 0, false};
    struct vecwire__filter *filter;

    if (tree == NULL || json_is_null(tree)) {
        filter = calloc(1, sizeof(*filter));
        if (filter == NULL)
            (void)vecwire__filter_no_memory(&reader);
        return filter;
    }
    filter = vecwire__filter_read(&reader, tree);
    if (filter != NULL) {
        filter->tree = json_incref((json_t *)(uintptr_t)tree);
        filter->needs_payload = reader.needs_payload;
    }
    return filter;
}

static void
free_conditions(struct vecwire__conditions *list)
{
    for (size_t i = 0; i < list->n; i++)
        vecwire__condition_fini(&list->items[i]);
    free(list->items);
}

void
vecwire__filter_free(struct vecwire__filter *filter)
{
    if (filter == NULL)
        return;
    free_conditions(&filter->must);
    free_conditions(&filter->should);
    free_conditions(&filter->must_not);
    free_conditions(&filter->min_should);
    json_decref(filter->tree);
    free(filter);
}

bool
vecwire__filter_is_empty(const struct vecwire__filter *filter)
{
    return filter->must.n == 0 && filter->must_not.n == 0 &&
           filter->should.n == 0 && filter->min_should.n == 0;
}

bool
vecwire__filter_needs_payload(const struct vecwire__filter *filter)
{
    return filter->needs_payload;
}
