/* SPDX-License-Identifier: Apache-2.0 */
/* Qdrant's filters: clauses, and filters inside filters. */
#include "api/qdrant_filter.h"

#include <string.h>

#include "codec/mem.h"

/* Beside those of enum vecwire_qdrant_clause. */
#define MIN_SHOULD 4

static struct vecwire__filter_level *
level_of(struct vecwire_qdrant_filter *filter)
{
    return &filter->levels[filter->depth];
}

void
vecwire_qdrant_filter_reset(struct vecwire_qdrant_filter *filter)
{
    filter->text.len = 0;
    filter->depth = 0;
    memset(filter->levels, 0, sizeof(filter->levels));
    memset(&filter->refusal, 0, sizeof(filter->refusal));
    filter->writer = (struct vecwire__qdrant_writer){
        .text = &filter->text, .refusal = &filter->refusal, .row = SIZE_MAX};
}

enum vecwire_err
vecwire_qdrant_filter_new(struct vecwire_qdrant_filter **out,
                          const struct vecwire_mem *mem)
{
    struct vecwire_qdrant_filter *filter;

    if (out == NULL)
        return VECWIRE_EINVAL;
    *out = NULL;
    if (mem == NULL)
        mem = &vecwire__mem_libc;
    if (mem->alloc == NULL || mem->realloc == NULL || mem->free == NULL)
        return VECWIRE_EINVAL;
    filter = vecwire__mem_zalloc(mem, sizeof(*filter));
    if (filter == NULL)
        return VECWIRE_ENOMEM;
    filter->mem = *mem;
    vecwire__buf_init(&filter->text, &filter->mem);
    vecwire_qdrant_filter_reset(filter);
    *out = filter;
    return VECWIRE_OK;
}

void
vecwire_qdrant_filter_free(struct vecwire_qdrant_filter *filter)
{
    struct vecwire_mem mem;

    if (filter == NULL)
        return;
    mem = filter->mem;
    vecwire__buf_fini(&filter->text);
    vecwire__mem_free(&mem, filter, sizeof(*filter));
}

/* What closes the outermost filter stands behind the text and is not of it,
 * so that more can be added. */
const char *
vecwire_qdrant_filter_text(struct vecwire_qdrant_filter *filter)
{
    const char *close = level_of(filter)->close;
    struct vecwire__buf *text = &filter->text;
    size_t len = text->len;

    if (filter->depth > 0)
        vecwire__qdrant_refuse(&filter->writer, VECWIRE_EINVAL,
                               "%zu filters were begun and not ended",
                               filter->depth);
    if (filter->writer.err != VECWIRE_OK)
        return "";
    if (len == 0)
        return "{}";
    vecwire__qdrant_put(&filter->writer, close);
    vecwire__qdrant_put(&filter->writer, "}");
    if (filter->writer.err == VECWIRE_OK && !vecwire__buf_byte(text, '\0'))
        filter->writer.err = VECWIRE_ENOMEM;
    text->len = len;
    return filter->writer.err == VECWIRE_OK ? text->bytes : "";
}

const char *
vecwire_qdrant_filter_error(const struct vecwire_qdrant_filter *filter)
{
    if (filter->writer.err == VECWIRE_ENOMEM)
        return "out of memory";
    return filter->writer.err == VECWIRE_OK ? "" : filter->refusal.text;
}

/* Close the clause that is open and begin another one. */
static void
begin_clause(struct vecwire_qdrant_filter *filter, unsigned clause,
             const char *name, const char *close)
{
    struct vecwire__filter_level *level = level_of(filter);
    struct vecwire__qdrant_writer *w = &filter->writer;

    if (w->err != VECWIRE_OK)
        return;
    if ((level->seen & 1u << clause) != 0) {
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                               "clause \"%s\" stands twice in one filter",
                               name);
        return;
    }
    if (level->close != NULL)
        vecwire__qdrant_put(w, level->close);
    else if (filter->depth == 0)
        vecwire__qdrant_put(w, "{");
    vecwire__qdrant_key(w, name);
    level->seen |= 1u << clause;
    level->close = close;
}

enum vecwire_err
vecwire_qdrant_filter_clause(struct vecwire_qdrant_filter *filter,
                             enum vecwire_qdrant_clause clause)
{
    static const char *const names[] = {"", "must", "should", "must_not"};

    if (clause < VECWIRE_QDRANT_MUST || clause > VECWIRE_QDRANT_MUST_NOT)
        return vecwire__qdrant_refuse(&filter->writer, VECWIRE_EINVAL,
                                      "clause is %d", (int)clause);
    begin_clause(filter, clause, names[clause], "]");
    vecwire__qdrant_put(&filter->writer, "[");
    return filter->writer.err;
}

enum vecwire_err
vecwire_qdrant_filter_min_should(struct vecwire_qdrant_filter *filter,
                                 uint64_t least)
{
    struct vecwire__qdrant_writer *w = &filter->writer;

    if (least == 0)
        return vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                                      "min_should of 0, expected at least 1");
    begin_clause(filter, MIN_SHOULD, "min_should", "]}");
    vecwire__qdrant_put(w, "{\"min_count\":");
    vecwire__qdrant_put_u64(w, least);
    vecwire__qdrant_put(w, ",\"conditions\":[");
    return w->err;
}

struct vecwire__qdrant_writer *
vecwire__filter_condition(struct vecwire_qdrant_filter *filter)
{
    struct vecwire__qdrant_writer *w = &filter->writer;

    if (level_of(filter)->close == NULL)
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                               "a condition before the first clause");
    vecwire__qdrant_comma(w);
    return w;
}

static enum vecwire_err
go_down(struct vecwire_qdrant_filter *filter, bool nested)
{
    struct vecwire__qdrant_writer *w = &filter->writer;

    if (filter->depth == VECWIRE__FILTER_DEPTH)
        vecwire__qdrant_refuse(w, VECWIRE_ETOOBIG,
                               "more than %d filters inside each other",
                               VECWIRE__FILTER_DEPTH);
    vecwire__qdrant_put(w, "{");
    if (w->err == VECWIRE_OK)
        filter->levels[++filter->depth] =
            (struct vecwire__filter_level){.nested = nested};
    return w->err;
}

enum vecwire_err
vecwire_qdrant_filter_begin(struct vecwire_qdrant_filter *filter)
{
    vecwire__filter_condition(filter);
    return go_down(filter, false);
}

enum vecwire_err
vecwire_qdrant_filter_begin_nested(struct vecwire_qdrant_filter *filter,
                                   const char *key)
{
    struct vecwire__qdrant_writer *w = vecwire__filter_condition(filter);

    vecwire__qdrant_put(w, "{\"nested\":{\"key\":");
    vecwire__qdrant_put_path(w, key, "key");
    vecwire__qdrant_put(w, ",\"filter\":");
    return go_down(filter, true);
}

enum vecwire_err
vecwire_qdrant_filter_end(struct vecwire_qdrant_filter *filter)
{
    const struct vecwire__filter_level *level = level_of(filter);
    struct vecwire__qdrant_writer *w = &filter->writer;

    if (filter->depth == 0)
        return vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                                      "end without a filter that was begun");
    if (level->close != NULL)
        vecwire__qdrant_put(w, level->close);
    vecwire__qdrant_put(w, level->nested ? "}}}" : "}");
    if (w->err == VECWIRE_OK)
        filter->depth--;
    return w->err;
}
