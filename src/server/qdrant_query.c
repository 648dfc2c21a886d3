/* SPDX-License-Identifier: Apache-2.0 */
#include "server/qdrant_query.h"

#include <stdlib.h>
#include <string.h>

#include "codec/mem.h"
#include "server/qdrant_record.h"
#include "server/seed.h"

/* A body's members, and what was made of them. */
struct query {
    struct vecwire__view query, prefetch, using, filter, params, threshold,
        limit, offset, lookup;
    struct vecwire__filter *wanted;
    struct vecwire__results *sources; /* of the prefetches */
    size_t n_sources;
    bool *among;
    float least;
    size_t n, skip;
};

static void
query_fini(struct query *query)
{
    for (size_t i = 0; i < query->n_sources; i++)
        vecwire__results_fini(&query->sources[i]);
    free(query->sources);
    free(query->among);
    vecwire__filter_free(query->wanted);
}

static bool
numbers_read(struct vecwire__qdrant_call *call, struct query *query)
{
    struct vecwire__view ef;
    const struct vecwire__view_want wants[] = {{"hnsw_ef", &ef}};
    size_t unused = 0;

    query->n = 10;
    if (vecwire__view_is_array(query->prefetch) &&
        vecwire__view_count(query->prefetch) == 0)
        query->prefetch.at = NULL;
    if (!vecwire__qdrant_size(&call->fault, "internal.limit", query->limit, 1,
                              &query->n) ||
        !vecwire__qdrant_size(&call->fault, "offset", query->offset, 0,
                              &query->skip))
        return false;
    if (query->params.at != NULL &&
        (!vecwire__qdrant_members(&call->fault, query->params, wants, 1) ||
         !vecwire__qdrant_size(&call->fault, "params.hnsw_ef", ef, 1, &unused)))
        return false;
    if (query->threshold.at != NULL &&
        !vecwire__view_f32(query->threshold, &query->least))
        return vecwire__qdrant_fail(
            call, 400,
            "Format error in JSON body: score_threshold: expected a number");
    if (query->query.at == NULL && query->prefetch.at != NULL)
        return vecwire__qdrant_fail(
            call, 400,
            "Bad request: A query is needed to merge the prefetches. Can't "
            "have prefetches without defining a query.");
    if (query->query.at == NULL && query->threshold.at != NULL)
        return vecwire__qdrant_fail(
            call, 400,
            "Bad request: A query is needed to use the score_threshold. Can't "
            "have score_threshold without defining a query.");
    return true;
}

static bool
query_read(struct vecwire__qdrant_call *call, struct vecwire__view body,
           struct query *query)
{
    const struct vecwire__view_want wants[] = {
        {"query", &query->query},       {"prefetch", &query->prefetch},
        {"using", &query->using},       {"filter", &query->filter},
        {"params", &query->params},     {"score_threshold", &query->threshold},
        {"limit", &query->limit},       {"offset", &query->offset},
        {"lookup_from", &query->lookup}};

    if (!vecwire__qdrant_members(&call->fault, body, wants, 9) ||
        !numbers_read(call, query))
        return false;
    query->wanted = vecwire__qdrant_filter(query->filter, &call->fault);
    return query->wanted != NULL;
}

static bool
prefetches_run(struct vecwire__qdrant_call *call, struct query *query,
               unsigned depth)
{
    struct vecwire__view list = query->prefetch;
    size_t n = vecwire__view_is_array(list) ? vecwire__view_count(list) : 1;
    struct vecwire__view_iter iter;

    if (list.at == NULL || n == 0)
        return true;
    if (depth == VECWIRE__QUERY_DEPTH || n > VECWIRE__QUERY_PREFETCHES)
        return vecwire__qdrant_fail(call, 400,
                                    "Bad request: too many prefetches");
    query->sources = calloc(n, sizeof(query->sources[0]));
    if (query->sources == NULL)
        return vecwire__qdrant_wrote(call, false);
    query->n_sources = n;
    if (vecwire__view_is_object(list))
        return vecwire__query_run(call, list, depth + 1, 0, query->sources);
    vecwire__view_begin(&iter, list);
    for (size_t i = 0; vecwire__view_next(&iter); i++) {
        if (!vecwire__query_run(call, iter.value, depth + 1, 0,
                                &query->sources[i]))
            return false;
    }
    return true;
}

/* A name of a vector; "" when it is absent. */
static bool
column_find(struct vecwire__qdrant_call *call,
            const struct vecwire__collection *collection,
            struct vecwire__view name, size_t *column)
{
    struct vecwire__buf text;
    bool done = true;

    if (name.at == NULL) {
        *column = vecwire__draft_column(collection, "", 0, &call->fault);
        return *column != SIZE_MAX;
    }
    vecwire__buf_init(&text, &vecwire__mem_libc);
    done = vecwire__qdrant_text(&call->fault, "using", name, &text);
    if (done) {
        *column = vecwire__draft_column(collection, text.bytes, text.len,
                                        &call->fault);
        done = *column != SIZE_MAX;
    }
    vecwire__buf_fini(&text);
    return done;
}

/* Where ids are looked up: here, or elsewhere by lookup_from. */
static bool
lookup_find(struct vecwire__qdrant_call *call, const struct query *query,
            size_t column, const struct vecwire__collection **from,
            size_t *from_column)
{
    struct vecwire__view name, vector;
    const struct vecwire__view_want wants[] = {{"collection", &name},
                                               {"vector", &vector}};
    struct vecwire__buf text;

    *from = call->collection;
    *from_column = column;
    if (query->lookup.at == NULL)
        return true;
    if (!vecwire__qdrant_members(&call->fault, query->lookup, wants, 2))
        return false;
    vecwire__buf_init(&text, &vecwire__mem_libc);
    *from = vecwire__qdrant_text(&call->fault, "collection", name, &text)
                ? vecwire__qdrant_get(call->qdrant, text.bytes, &call->fault)
                : NULL;
    vecwire__buf_fini(&text);
    return *from != NULL && column_find(call, *from, vector, from_column);
}

/* Only what the prefetches found. */
static bool
among_make(struct vecwire__qdrant_call *call, struct query *query)
{
    if (query->n_sources == 0)
        return true;
    query->among = calloc(call->collection->n_rows + 1, sizeof(bool));
    if (query->among == NULL)
        return vecwire__qdrant_wrote(call, false);
    for (size_t i = 0; i < query->n_sources; i++) {
        for (size_t j = 0; j < query->sources[i].n; j++)
            query->among[query->sources[i].list[j].row] = true;
    }
    return true;
}

static bool
vectors_run(struct vecwire__qdrant_call *call, struct query *query,
            struct vecwire__results *results)
{
    struct vecwire__qdrant_search search = {
        .collection = call->collection,
        .dot = call->qdrant->dot,
        .filter = query->wanted,
        .threshold = query->threshold.at == NULL ? NULL : &query->least,
        .limit = query->n + query->skip};
    const struct vecwire__collection *from;
    struct vecwire__examples examples;
    size_t from_column;
    bool done;

    if (!column_find(call, call->collection, query->using, &search.column) ||
        !lookup_find(call, query, search.column, &from, &from_column) ||
        !among_make(call, query))
        return false;
    done = vecwire__examples_read(&examples, &search, query->query, from,
                                  from_column, &call->fault);
    if (done) {
        search.among = query->among;
        search.examples = &examples.draft;
        search.excluded = examples.excluded;
        done = vecwire__qdrant_search_run(&search, results, &call->fault);
    }
    vecwire__examples_fini(&examples);
    return done;
}

/* All points that match, by id, or (shuffled) in any order. */
static bool
points_run(struct vecwire__qdrant_call *call, const struct query *query,
           bool shuffled, struct vecwire__results *results)
{
    struct vecwire__collection *collection = call->collection;
    const uint64_t *order = vecwire__collection_order(collection);
    size_t most = shuffled ? collection->n_live : query->n + query->skip;

    results->list = malloc((collection->n_live + 1) * sizeof(results->list[0]));
    if (order == NULL || results->list == NULL)
        return vecwire__qdrant_wrote(call, false);
    for (size_t i = 0; i < collection->n_live && results->n < most; i++) {
        size_t row = (size_t)order[i];

        if (vecwire__qdrant_matches(query->wanted, collection, row,
                                    &call->fault))
            results->list[results->n++] = (struct vecwire__found){row, 1};
    }
    for (size_t i = results->n; shuffled && i > 1; i--) {
        size_t j = (size_t)(vecwire__seed_next(&call->qdrant->random) % i);
        struct vecwire__found swapped = results->list[j];

        results->list[j] = results->list[i - 1];
        results->list[i - 1] = swapped;
    }
    return call->fault.status == 0;
}

static bool
fusion_run(struct vecwire__qdrant_call *call, const struct query *query,
           struct vecwire__view fusion, struct vecwire__view rrf,
           struct vecwire__results *results)
{
    struct vecwire__view k, weights;
    const struct vecwire__view_want wants[] = {{"k", &k},
                                               {"weights", &weights}};
    size_t rank = 2, n_rows = call->collection->n_rows, kept = 0;
    bool done;

    if (query->n_sources == 0)
        return vecwire__qdrant_fail(
            call, 400, "Bad request: a fusion needs prefetches to merge");
    if (rrf.at != NULL &&
        (!vecwire__qdrant_members(&call->fault, rrf, wants, 2) ||
         !vecwire__qdrant_size(&call->fault, "rrf.k", k, 1, &rank)))
        return false;
    if (rrf.at != NULL && weights.at != NULL)
        return vecwire__qdrant_fail(
            call, 400, "Bad request: this server does not offer weights");
    if (rrf.at != NULL || vecwire__view_is(fusion, "rrf"))
        done = vecwire__fuse_ranks(query->sources, query->n_sources, rank,
                                   n_rows, results);
    else if (vecwire__view_is(fusion, "dbsf"))
        done = vecwire__fuse_scores(query->sources, query->n_sources, n_rows,
                                    results);
    else
        return vecwire__qdrant_fail(
            call, 400, "Format error in JSON body: fusion: unknown variant");
    for (size_t i = 0; done && i < results->n; i++) {
        struct vecwire__found found = results->list[i];

        if ((query->threshold.at == NULL || found.score >= query->least) &&
            vecwire__qdrant_matches(query->wanted, call->collection, found.row,
                                    &call->fault))
            results->list[kept++] = found;
    }
    results->n = kept;
    return vecwire__qdrant_wrote(call, done) && call->fault.status == 0;
}

static bool
query_eval(struct vecwire__qdrant_call *call, struct query *query,
           struct vecwire__results *results)
{
    static const char *const missing[] = {"order_by", "formula",
                                          "relevance_feedback"};
    struct vecwire__view fusion, rrf, sample, other;
    const struct vecwire__view_want wants[] = {
        {"fusion", &fusion}, {"rrf", &rrf}, {"sample", &sample}};

    if (query->query.at == NULL)
        return points_run(call, query, false, results);
    if (!vecwire__view_is_object(query->query))
        return vectors_run(call, query, results);
    if (!vecwire__qdrant_members(&call->fault, query->query, wants, 3))
        return false;
    if (fusion.at != NULL || rrf.at != NULL)
        return fusion_run(call, query, fusion, rrf, results);
    if (sample.at != NULL)
        return points_run(call, query, true, results);
    for (size_t i = 0; i < sizeof(missing) / sizeof(missing[0]); i++) {
        const struct vecwire__view_want want = {missing[i], &other};

        (void)vecwire__view_members(query->query, &want, 1);
        if (other.at != NULL)
            return vecwire__qdrant_fail(
                call, 400, "Bad request: this server does not offer %s",
                missing[i]);
    }
    return vectors_run(call, query, results);
}

static void
cut(struct vecwire__results *results, size_t skip, size_t limit)
{
    skip = skip < results->n ? skip : results->n;
    results->n -= skip;
    if (skip > 0)
        memmove(results->list, results->list + skip,
                results->n * sizeof(results->list[0]));
    results->n = results->n < limit ? results->n : limit;
}

bool
vecwire__query_run(struct vecwire__qdrant_call *call, struct vecwire__view body,
                   unsigned depth, size_t limit,
                   struct vecwire__results *results)
{
    struct query query;
    bool done;

    memset(&query, 0, sizeof(query));
    done = query_read(call, body, &query);
    if (limit != 0) {
        query.n = limit;
        query.skip = 0;
    }
    done = done && prefetches_run(call, &query, depth) &&
           query_eval(call, &query, results);
    if (done)
        cut(results, query.skip, query.n);
    query_fini(&query);
    return done;
}
