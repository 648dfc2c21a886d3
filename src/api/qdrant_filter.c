/* SPDX-License-Identifier: Apache-2.0 */
#include "api/qdrant_filter.h"

#include "codec/mem.h"

struct vecwire_qdrant_filter *
vecwire_qdrant_filter_new(const struct vecwire_mem *mem)
{
    struct vecwire_qdrant_filter *filter;

    if (mem == NULL)
        mem = &vecwire__mem_libc;
    if (mem->alloc == NULL || mem->realloc == NULL || mem->free == NULL)
        return NULL;
    filter = vecwire__mem_zalloc(mem, sizeof(*filter));
    if (filter == NULL)
        return NULL;
    filter->mem = *mem;
    filter->settings.prefix = "";
    filter->settings.json_depth = 128;
    vecwire__buf_init(&filter->text, &filter->mem);
    for (size_t i = 0; i <= VECWIRE__FILTER_DEPTH; i++) {
        for (size_t k = 0; k < VECWIRE__N_CLAUSES; k++)
            vecwire__buf_init(&filter->levels[i].clauses[k], &filter->mem);
    }
    vecwire_qdrant_filter_reset(filter);
    return filter;
}

void
vecwire_qdrant_filter_free(struct vecwire_qdrant_filter *filter)
{
    struct vecwire_mem mem;

    if (filter == NULL)
        return;
    for (size_t i = 0; i <= VECWIRE__FILTER_DEPTH; i++) {
        for (size_t k = 0; k < VECWIRE__N_CLAUSES; k++)
            vecwire__buf_fini(&filter->levels[i].clauses[k]);
    }
    vecwire__buf_fini(&filter->text);
    mem = filter->mem;
    vecwire__mem_free(&mem, filter, sizeof(*filter));
}

static void
clear_level(struct vecwire__filter_level *level)
{
    for (size_t k = 0; k < VECWIRE__N_CLAUSES; k++)
        level->clauses[k].len = 0;
    level->min_count = 0;
    level->is_nested = false;
}

void
vecwire_qdrant_filter_reset(struct vecwire_qdrant_filter *filter)
{
    if (filter == NULL)
        return;
    memset(&filter->refusal, 0, sizeof(filter->refusal));
    filter->writer =
        (struct vecwire__qdrant_writer){.settings = &filter->settings,
                                        .refusal = &filter->refusal,
                                        .text = &filter->text,
                                        .row = SIZE_MAX};
    clear_level(&filter->levels[0]);
    filter->n_levels = 1;
}

/* The level's own filter, written by `w`. */
static void
put_level(struct vecwire__qdrant_writer *w,
          const struct vecwire__filter_level *level)
{
    static const char *const keys[] = {"must", "should", "must_not",
                                       "min_should"};

    if ((level->clauses[VECWIRE_QDRANT_MIN_SHOULD].len > 0) !=
        (level->min_count > 0))
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                               level->min_count > 0
                                   ? "a min_count without MIN_SHOULD "
                                     "conditions"
                                   : "MIN_SHOULD conditions without a "
                                     "min_count");
    vecwire__qdrant_put(w, "{");
    for (size_t k = 0; k < VECWIRE__N_CLAUSES; k++) {
        const struct vecwire__buf *clause = &level->clauses[k];

        if (clause->len == 0)
            continue;
        vecwire__qdrant_key(w, keys[k]);
        vecwire__qdrant_put(
            w, k == VECWIRE_QDRANT_MIN_SHOULD ? "{\"conditions\":[" : "[");
        if (w->err == VECWIRE_OK &&
            !vecwire__buf_add(w->text, clause->bytes, clause->len))
            w->err = VECWIRE_ENOMEM;
        vecwire__qdrant_put(w, "]");
        if (k == VECWIRE_QDRANT_MIN_SHOULD) {
            vecwire__qdrant_key(w, "min_count");
            vecwire__qdrant_put_u64(w, level->min_count);
            vecwire__qdrant_put(w, "}");
        }
    }
    vecwire__qdrant_put(w, "}");
}

const char *
vecwire_qdrant_filter_text(struct vecwire_qdrant_filter *filter)
{
    struct vecwire__qdrant_writer *w;

    if (filter == NULL)
        return "";
    w = &filter->writer;
    w->text = &filter->text;
    filter->text.len = 0;
    if (filter->n_levels > 1)
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                               "%zu begun and not ended, expected 0",
                               filter->n_levels - 1);
    put_level(w, &filter->levels[0]);
    if (w->err == VECWIRE_OK && !vecwire__buf_byte(w->text, '\0'))
        w->err = VECWIRE_ENOMEM;
    return w->err == VECWIRE_OK ? filter->text.bytes : "";
}

const struct vecwire_refusal *
vecwire_qdrant_filter_refusal(const struct vecwire_qdrant_filter *filter)
{
    static const struct vecwire_refusal no_memory = {SIZE_MAX, SIZE_MAX,
                                                     "out of memory"};

    if (filter == NULL || filter->writer.err == VECWIRE_ENOMEM)
        return &no_memory;
    return filter->writer.err == VECWIRE_OK ? NULL : &filter->refusal;
}

struct vecwire__qdrant_writer *
vecwire__filter_open(struct vecwire_qdrant_filter *filter,
                     enum vecwire_qdrant_clause clause, const char *key)
{
    struct vecwire__qdrant_writer *w;

    if (filter == NULL || filter->writer.err != VECWIRE_OK)
        return NULL;
    w = &filter->writer;
    if ((unsigned)clause >= VECWIRE__N_CLAUSES) {
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL, "clause is %u",
                               (unsigned)clause);
        return NULL;
    }
    w->text = &filter->levels[filter->n_levels - 1].clauses[clause];
    vecwire__qdrant_comma(w);
    vecwire__qdrant_put(w, "{");
    if (key != NULL) {
        vecwire__qdrant_key(w, "key");
        vecwire__qdrant_put_path(w, key, "key");
    }
    return w;
}

enum vecwire_err
vecwire__filter_close(struct vecwire_qdrant_filter *filter)
{
    if (filter == NULL)
        return VECWIRE_ENOMEM;
    vecwire__qdrant_put(&filter->writer, "}");
    return filter->writer.err;
}

static enum vecwire_err
begin(struct vecwire_qdrant_filter *filter, enum vecwire_qdrant_clause clause,
      const char *nested)
{
    struct vecwire__filter_level *level;
    struct vecwire__qdrant_writer *w;

    if (filter == NULL)
        return VECWIRE_ENOMEM;
    if (filter->n_levels > VECWIRE__FILTER_DEPTH)
        return vecwire__qdrant_refuse(&filter->writer, VECWIRE_ETOOBIG,
                                      "more than %d filters within each other",
                                      VECWIRE__FILTER_DEPTH);
    if (nested != NULL) {
        w = vecwire__filter_open(filter, clause, NULL);
        if (w == NULL)
            return filter->writer.err;
        vecwire__qdrant_key(w, "nested");
        vecwire__qdrant_put(w, "{\"key\":");
        vecwire__qdrant_put_path(w, nested, "key");
        vecwire__qdrant_key(w, "filter");
    } else if ((unsigned)clause >= VECWIRE__N_CLAUSES) {
        vecwire__qdrant_refuse(&filter->writer, VECWIRE_EINVAL, "clause is %u",
                               (unsigned)clause);
    }
    if (filter->writer.err != VECWIRE_OK)
        return filter->writer.err;
    level = &filter->levels[filter->n_levels++];
    clear_level(level);
    level->clause = clause;
    level->is_nested = nested != NULL;
    return VECWIRE_OK;
}

enum vecwire_err
vecwire_qdrant_filter_begin(struct vecwire_qdrant_filter *filter,
                            enum vecwire_qdrant_clause clause)
{
    return begin(filter, clause, NULL);
}

enum vecwire_err
vecwire_qdrant_filter_begin_nested(struct vecwire_qdrant_filter *filter,
                                   enum vecwire_qdrant_clause clause,
                                   const char *key)
{
    return begin(filter, clause, key == NULL ? "" : key);
}

static bool
is_empty(const struct vecwire__filter_level *level)
{
    for (size_t k = 0; k < VECWIRE__N_CLAUSES; k++) {
        if (level->clauses[k].len > 0)
            return false;
    }
    return true;
}

enum vecwire_err
vecwire_qdrant_filter_end(struct vecwire_qdrant_filter *filter)
{
    const struct vecwire__filter_level *level;
    struct vecwire__qdrant_writer *w;

    if (filter == NULL)
        return VECWIRE_ENOMEM;
    w = &filter->writer;
    if (w->err != VECWIRE_OK)
        return w->err;
    if (filter->n_levels == 1)
        return vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                                      "an end without a begin");
    level = &filter->levels[filter->n_levels - 1];
    if (is_empty(level))
        return vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                                      "begun and ended without a condition");
    w->text = &filter->levels[filter->n_levels - 2].clauses[level->clause];
    if (!level->is_nested)
        vecwire__qdrant_comma(w);
    put_level(w, level);
    if (level->is_nested)
        vecwire__qdrant_put(w, "}}");
    filter->n_levels--;
    return w->err;
}

enum vecwire_err
vecwire_qdrant_filter_min_count(struct vecwire_qdrant_filter *filter,
                                uint64_t count)
{
    if (filter == NULL)
        return VECWIRE_ENOMEM;
    if (count == 0)
        return vecwire__qdrant_refuse(&filter->writer, VECWIRE_EINVAL,
                                      "min_count is 0, expected at least 1");
    filter->levels[filter->n_levels - 1].min_count = count;
    return filter->writer.err;
}
