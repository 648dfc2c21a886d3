/* SPDX-License-Identifier: Apache-2.0 */
/* Qdrant: queries with all that they may have, batches, groups, facets. */
#include "dialect/qdrant.h"

#define DEFAULT_LIMIT 10
#define DEFAULT_GROUP_SIZE 3
#define MAX_DEPTH 64 /* of prefetches */

#define ROUTE(path_, decoding_, takes_)                                        \
    {                                                                          \
        .path = path_, .method = VECWIRE__POST, .class = VECWIRE__READ,        \
        .has_body = true, .decoding = &vecwire__qdrant_##decoding_##_decoding, \
        .takes = VECWIRE__QDRANT_READ | (takes_)                               \
    }

static const struct vecwire__qdrant_route query_route =
    ROUTE("/points/query", hits, VECWIRE__QDRANT_SELECTORS);
static const struct vecwire__qdrant_route batch_route =
    ROUTE("/points/query/batch", batch, VECWIRE__QDRANT_SELECTORS);
static const struct vecwire__qdrant_route groups_route =
    ROUTE("/points/query/groups", groups, VECWIRE__QDRANT_SELECTORS);
static const struct vecwire__qdrant_route facet_route =
    ROUTE("/facet", facet, 0);

static bool
has_query(const struct vecwire_qdrant_search *search)
{
    return search->vector != NULL || search->id != NULL ||
           search->number != NULL || search->query != NULL ||
           search->query_tree != NULL;
}

static uint64_t
or_else(uint32_t given, uint32_t otherwise)
{
    return given == 0 ? otherwise : given;
}

static void
put_limit(struct vecwire__qdrant_writer *w, const char *key, uint32_t limit,
          uint32_t otherwise)
{
    vecwire__qdrant_key(w, key);
    vecwire__qdrant_put_u64(w, or_else(limit, otherwise));
}

/* "query": one of the five ways to say it. */
static void
put_query(struct vecwire__qdrant_writer *w,
          const struct vecwire_qdrant_search *search)
{
    int n = (search->vector != NULL) +
            (search->id != NULL || search->number != NULL) +
            (search->query != NULL || search->query_tree != NULL);

    if (n > 1 || (search->id != NULL && search->number != NULL))
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                               "a search by more than one of vector, id, "
                               "number and query");
    if (n == 0)
        return;
    vecwire__qdrant_key(w, "query");
    if (search->vector != NULL)
        vecwire__qdrant_put_vector(w, search->vector);
    else if (search->id != NULL || search->number != NULL)
        vecwire__qdrant_put_id(w, search->id, search->number);
    else
        vecwire__qdrant_put_json(w, search->query, search->query_tree, "{",
                                 "query");
}

static void
put_search(struct vecwire__qdrant_writer *w,
           const struct vecwire_qdrant_search *search, unsigned depth)
{
    if (search->prefetch == NULL && search->n_prefetch > 0) {
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                               "prefetch is NULL, n_prefetch is %zu",
                               search->n_prefetch);
        return;
    }
    if (depth > MAX_DEPTH)
        vecwire__qdrant_refuse(w, VECWIRE_ETOOBIG,
                               "prefetches are nested deeper than %d",
                               MAX_DEPTH);
    else if (search->n_prefetch > 0 && !has_query(search))
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                               "a prefetch without a query behind it");
    else if (search->has_score_threshold && !has_query(search))
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                               "score_threshold: there is no query");
    if (w->err != VECWIRE_OK)
        return;
    put_query(w, search);
    vecwire__qdrant_check_query(w, search->query, search->query_tree,
                                search->has_score_threshold);
    if (search->n_prefetch > 0) {
        vecwire__qdrant_key(w, "prefetch");
        vecwire__qdrant_put(w, "[");
        for (size_t i = 0; i < search->n_prefetch && w->err == VECWIRE_OK;
             i++) {
            vecwire__qdrant_comma(w);
            vecwire__qdrant_put(w, "{");
            put_search(w, &search->prefetch[i], depth + 1);
            vecwire__qdrant_put(w, "}");
        }
        vecwire__qdrant_put(w, "]");
    }
    if (search->vector_name != NULL) {
        vecwire__qdrant_check_vector_name(w, search->vector_name,
                                          "vector_name");
        vecwire__qdrant_key(w, "using");
        vecwire__qdrant_put_str(w, search->vector_name, "vector_name");
    }
    vecwire__qdrant_member_filter(w, search->filter, search->filter_tree);
    vecwire__qdrant_member(w, "params", search->params, NULL, "{");
    vecwire__qdrant_check_search_params(w, search->params);
    vecwire__qdrant_member(w, "lookup_from", search->lookup_from, NULL, "{");
    if (search->has_score_threshold) {
        vecwire__qdrant_key(w, "score_threshold");
        vecwire__qdrant_put_float(w, search->score_threshold,
                                  "score_threshold");
    }
    put_limit(w, "limit", search->limit, DEFAULT_LIMIT);
}

static void
put_request(struct vecwire__qdrant_writer *w,
            const struct vecwire_qdrant_query_request *query)
{
    put_search(w, &query->search, 0);
    if (query->offset > 0) {
        vecwire__qdrant_key(w, "offset");
        vecwire__qdrant_put_u64(w, query->offset);
    }
    vecwire__qdrant_put_selectors(w, query->with_payload, query->with_vector);
}

static size_t
room_of(const struct vecwire_qdrant_search *search)
{
    const struct vecwire_vector *vector = search->vector;

    return vector == NULL || vector->dim > VECWIRE__QDRANT_MAX_DIM
               ? 0
               : VECWIRE_VECTOR_TEXT_ROOM(vector->dim);
}

/* So many rows may come back, in so many parts, if these are numbers to go by.
 */
static void
expect(struct vecwire__encoding *enc, uint64_t rows, uint64_t parts)
{
    enc->max_rows = rows <= UINT32_MAX ? (uint32_t)rows : 0;
    enc->max_parts = parts <= UINT32_MAX ? (uint32_t)parts : 0;
}

enum vecwire_err
vecwire__qdrant_encode_search(const struct vecwire__settings *settings,
                              const void *request,
                              struct vecwire__encoding *enc,
                              struct vecwire_refusal *refusal)
{
    const struct vecwire_qdrant_query_request *query = request;
    struct vecwire__qdrant_writer w;

    vecwire__qdrant_begin(&w, settings, enc, refusal, &query_route, NULL,
                          room_of(&query->search));
    put_request(&w, query);
    expect(enc, or_else(query->search.limit, DEFAULT_LIMIT), 0);
    return vecwire__qdrant_end(&w);
}

enum vecwire_err
vecwire__qdrant_encode_batch(const struct vecwire__settings *settings,
                             const void *request, struct vecwire__encoding *enc,
                             struct vecwire_refusal *refusal)
{
    const struct vecwire_qdrant_query_batch_request *batch = request;
    struct vecwire__qdrant_writer w;
    uint64_t rows = 0;

    vecwire__qdrant_begin(&w, settings, enc, refusal, &batch_route, NULL, 0);
    if (batch->queries == NULL && batch->n > 0)
        return vecwire__qdrant_refuse(&w, VECWIRE_EINVAL,
                                      "queries is NULL, n is %zu", batch->n);
    vecwire__qdrant_key(&w, "searches");
    vecwire__qdrant_put(&w, "[");
    for (size_t i = 0; i < batch->n && w.err == VECWIRE_OK; i++) {
        /* Callers with later headers have larger ones. */
        const struct vecwire_qdrant_query_request *query =
            (const void *)((const char *)batch->queries +
                           i * batch->queries[0].size);

        w.row = i;
        if (query->size < sizeof(*query) ||
            query->size != batch->queries[0].size) {
            vecwire__qdrant_refuse(&w, VECWIRE_EINVAL,
                                   "it was not made by VECWIRE_QDRANT_QUERY() "
                                   "or its init function");
            break;
        }
        vecwire__qdrant_comma(&w);
        vecwire__qdrant_put(&w, "{");
        put_request(&w, query);
        rows += or_else(query->search.limit, DEFAULT_LIMIT);
        vecwire__qdrant_put_shard_key(&w);
        vecwire__qdrant_put(&w, "}");
    }
    expect(enc, rows, batch->n);
    w.row = SIZE_MAX;
    w.has_shard_key = true;
    vecwire__qdrant_put(&w, "]");
    return vecwire__qdrant_end(&w);
}

enum vecwire_err
vecwire__qdrant_encode_groups(const struct vecwire__settings *settings,
                              const void *request,
                              struct vecwire__encoding *enc,
                              struct vecwire_refusal *refusal)
{
    const struct vecwire_qdrant_query_groups_request *groups = request;
    const struct vecwire_qdrant_query_request *query = groups->query;
    struct vecwire__qdrant_writer w;

    vecwire__qdrant_begin(&w, settings, enc, refusal, &groups_route, NULL,
                          room_of(&query->search));
    if (query->offset > 0)
        return vecwire__qdrant_refuse(&w, VECWIRE_EINVAL,
                                      "offset: groups have none");
    put_request(&w, query);
    vecwire__qdrant_key(&w, "group_by");
    vecwire__qdrant_put_path(&w, groups->group_by, "group_by");
    put_limit(&w, "group_size", groups->group_size, DEFAULT_GROUP_SIZE);
    vecwire__qdrant_member(&w, "with_lookup", groups->with_lookup, NULL, "\"{");
    /* And the row that was looked up. */
    expect(enc,
           or_else(query->search.limit, DEFAULT_LIMIT) *
               (or_else(groups->group_size, DEFAULT_GROUP_SIZE) +
                (groups->with_lookup != NULL)),
           or_else(query->search.limit, DEFAULT_LIMIT));
    return vecwire__qdrant_end(&w);
}

enum vecwire_err
vecwire__qdrant_encode_facet(const struct vecwire__settings *settings,
                             const void *request, struct vecwire__encoding *enc,
                             struct vecwire_refusal *refusal)
{
    const struct vecwire_qdrant_facet_request *facet = request;
    struct vecwire__qdrant_writer w;

    vecwire__qdrant_begin(&w, settings, enc, refusal, &facet_route, NULL, 0);
    vecwire__qdrant_key(&w, "key");
    vecwire__qdrant_put_path(&w, facet->key, "key");
    put_limit(&w, "limit", facet->limit, DEFAULT_LIMIT);
    expect(enc, 0, or_else(facet->limit, DEFAULT_LIMIT));
    vecwire__qdrant_key(&w, "exact");
    vecwire__qdrant_put_bool(&w, facet->exact);
    vecwire__qdrant_member_filter(&w, facet->filter, facet->filter_tree);
    return vecwire__qdrant_end(&w);
}

/* GET, no body: payload and vectors always come. */
enum vecwire_err
vecwire__qdrant_encode_point(const struct vecwire__settings *settings,
                             const void *request, struct vecwire__encoding *enc,
                             struct vecwire_refusal *refusal)
{
    static const struct vecwire__qdrant_route route = {
        .path = "/points/",
        .method = VECWIRE__GET,
        .class = VECWIRE__READ,
        .decoding = &vecwire__qdrant_point_decoding,
        .takes = VECWIRE__QDRANT_CONSISTENCY | VECWIRE__QDRANT_TIMEOUT,
    };
    const struct vecwire_get_request *get = request;
    struct vecwire__qdrant_writer w = {
        .refusal = refusal, .row = SIZE_MAX, .settings = settings};
    char id[VECWIRE__QDRANT_ID_ROOM];
    bool is_number;

    if (get->rows != 1 || (get->ids == NULL) == (get->numbers == NULL))
        return vecwire__qdrant_refuse(&w, VECWIRE_EINVAL,
                                      "expected one id, as ids or numbers");
    if (get->numbers != NULL)
        vecwire__qdrant_number(get->numbers[0], id);
    else if (get->ids[0] == NULL ||
             !vecwire__qdrant_id(get->ids[0], id, &is_number))
        return vecwire__qdrant_refuse(&w, VECWIRE_EINVAL,
                                      "id \"%.48s\": expected a number 0 to "
                                      "2^64-1 or a UUID",
                                      get->ids[0] == NULL ? "" : get->ids[0]);
    vecwire__qdrant_begin(&w, settings, enc, refusal, &route, id, 0);
    enc->max_rows = 1;
    return vecwire__qdrant_end(&w);
}
