/* SPDX-License-Identifier: Apache-2.0 */
/* Searches. What they are compared with: the same calls in golden_qdrant.mjs,
 * by name. */
#include "tests/golden_qdrant.h"

static const float dense[] = {0.1F, -2, 1e-7F, 3.4028235e38F};
static const float multi[] = {1, 0.5F, -0.25F, 4};
static const uint32_t indices[] = {3, 70000, 4294967295U};
static const uint64_t number = 42;

static const char uuid[] = "6f0d2b0c-7d0c-4f2c-9b43-6a1d1c0f9d11";
static const char filter[] =
    "{\"must\":[{\"key\":\"price\",\"range\":{\"gte\":1.5,\"lt\":9}}]}";
static const char params[] =
    "{\"hnsw_ef\":128,\"exact\":false,\"indexed_only\":true,"
    "\"quantization\":{\"ignore\":false,\"rescore\":true,\"oversampling\":2},"
    "\"acorn\":{\"enable\":true,\"max_selectivity\":0.4}}";
static const char lookup[] = "{\"collection\":\"other\",\"vector\":\"image\"}";

static enum vecwire_err
ask(struct golden *g, const struct vecwire_qdrant_search *search)
{
    return vecwire_qdrant_query(
        g->client,
        &VECWIRE_QDRANT_QUERY(.search = *search, .refusal = &g->refusal),
        golden_done, g, NULL);
}

static enum vecwire_err
ask_json(struct golden *g, const char *query)
{
    return ask(g, &(struct vecwire_qdrant_search){.query = query});
}

static enum vecwire_err
query(struct golden *g)
{
    return vecwire_query(g->client,
                         &VECWIRE_QUERY(.vector = dense, .dim = 4, .top_k = 5,
                                        .refusal = &g->refusal),
                         golden_done, g, NULL);
}

static enum vecwire_err
query_full(struct golden *g)
{
    return vecwire_query(
        g->client,
        &VECWIRE_QUERY(.vector = dense, .dim = 4, .top_k = 7, .filter = filter,
                       .vector_name = "image", .with_payload = true,
                       .with_vector = true, .refusal = &g->refusal,
                       .call = &VECWIRE_CALL_OPTIONS(
                               .collection = "gr\xc3\xb6\xc3\x9f"
                                             "e & co",
                               .qdrant = &VECWIRE_QDRANT_PARAMS(
                                       .shard_key = "[\"a\",7]",
                                       .consistency = VECWIRE_QDRANT_QUORUM,
                                       .timeout_ms = 2500))),
        golden_done, g, NULL);
}

static enum vecwire_err
query_selectors(struct golden *g)
{
    static const char *const names[] = {"image", "words"};

    return vecwire_query(
        g->client,
        &VECWIRE_QUERY(.vector = dense, .dim = 4, .refusal = &g->refusal,
                       .call = &VECWIRE_CALL_OPTIONS(
                               .qdrant = &VECWIRE_QDRANT_PARAMS(
                                       .payload_selector =
                                           "{\"include\":[\"a.b\",\"c[].d\"]}",
                                       .vector_names = names,
                                       .n_vector_names = 2, .consistency = 2))),
        golden_done, g, NULL);
}

static enum vecwire_err
search_full(struct golden *g)
{
    const struct vecwire_qdrant_search search = {
        .vector = &(struct vecwire_vector){.values = dense, .dim = 4},
        .vector_name = "image",
        .filter = filter,
        .params = params,
        .lookup_from = lookup,
        .limit = 20,
        .has_score_threshold = true,
        .score_threshold = 0.3F,
    };

    return vecwire_qdrant_query(
        g->client,
        &VECWIRE_QDRANT_QUERY(
                .search = search, .offset = 40, .with_payload = true,
                .with_vector = true, .refusal = &g->refusal,
                .call = &VECWIRE_CALL_OPTIONS(
                        .qdrant = &VECWIRE_QDRANT_PARAMS(
                                .shard_key =
                                    "{\"target\":\"a\",\"fallback\":\"b\"}",
                                .consistency = VECWIRE_QDRANT_MAJORITY,
                                .timeout_ms = 3000))),
        golden_done, g, NULL);
}

static enum vecwire_err
search_sparse(struct golden *g)
{
    const struct vecwire_vector vector = {
        .values = dense, .indices = indices, .dim = 3};

    return ask(g, &(struct vecwire_qdrant_search){.vector = &vector,
                                                  .vector_name = "words"});
}

static enum vecwire_err
search_multi(struct golden *g)
{
    const struct vecwire_vector vector = {.values = multi, .dim = 2, .rows = 2};

    return ask(g, &(struct vecwire_qdrant_search){.vector = &vector,
                                                  .vector_name = "tokens"});
}

static enum vecwire_err
search_inference(struct golden *g)
{
    const struct vecwire_vector vector = {
        .inference = "{\"text\":\"caf\xc3\xa9 \\\"noir\\\"\","
                     "\"model\":\"qdrant/bm25\",\"options\":{}}"};

    return ask(g, &(struct vecwire_qdrant_search){.vector = &vector,
                                                  .vector_name = "words"});
}

static enum vecwire_err
search_number(struct golden *g)
{
    return ask(g, &(struct vecwire_qdrant_search){.number = &number,
                                                  .lookup_from = lookup});
}

static enum vecwire_err
search_uuid(struct golden *g)
{
    return ask(g, &(struct vecwire_qdrant_search){.id = uuid, .limit = 1});
}

static enum vecwire_err
search_nothing(struct golden *g)
{
    return ask(g, &(struct vecwire_qdrant_search){.filter = filter});
}

static enum vecwire_err
search_mmr(struct golden *g)
{
    return ask_json(g, "{\"nearest\":[0.5,1],\"mmr\":{\"diversity\":0.25,"
                       "\"candidates_limit\":100}}");
}

static enum vecwire_err
search_recommend(struct golden *g)
{
    return ask_json(g, "{\"recommend\":{\"positive\":[1,[0.5,2]],\"negative\":["
                       "\"6f0d2b0c-7d0c-4f2c-9b43-6a1d1c0f9d11\"],"
                       "\"strategy\":\"best_score\"}}");
}

static enum vecwire_err
search_discover(struct golden *g)
{
    return ask_json(g, "{\"discover\":{\"target\":[1,2],\"context\":["
                       "{\"positive\":3,\"negative\":4}]}}");
}

static enum vecwire_err
search_context(struct golden *g)
{
    return ask_json(g, "{\"context\":[{\"positive\":3,\"negative\":[1,0]}]}");
}

static enum vecwire_err
search_order_by(struct golden *g)
{
    return ask_json(g, "{\"order_by\":{\"key\":\"price\",\"direction\":"
                       "\"desc\",\"start_from\":9.5}}");
}

static enum vecwire_err
search_sample(struct golden *g)
{
    return ask_json(g, "{\"sample\":\"random\"}");
}

static enum vecwire_err
search_feedback(struct golden *g)
{
    return ask_json(g, "{\"relevance_feedback\":{\"target\":[1,0],"
                       "\"feedback\":[{\"example\":7,\"score\":0.5}],"
                       "\"strategy\":{\"naive\":{\"a\":1,\"b\":0.5,"
                       "\"c\":0.25}}}}");
}

static const struct vecwire_vector near = {.values = dense, .dim = 2};
static const struct vecwire_vector words = {
    .values = dense, .indices = indices, .dim = 2};
static const struct vecwire_qdrant_search deepest[] = {
    {.vector = &near, .limit = 100}};
static const struct vecwire_qdrant_search prefetches[] = {
    {.vector = &near,
     .vector_name = "image",
     .filter = filter,
     .params = params,
     .prefetch = deepest,
     .n_prefetch = 1,
     .limit = 50,
     .has_score_threshold = true,
     .score_threshold = -1},
    {.vector = &words, .vector_name = "words"},
    {.number = &number, .lookup_from = lookup},
};

static enum vecwire_err
search_fusion(struct golden *g)
{
    return ask(g,
               &(struct vecwire_qdrant_search){.query = "{\"fusion\":\"dbsf\"}",
                                               .prefetch = prefetches,
                                               .n_prefetch = 3,
                                               .limit = 5});
}

static enum vecwire_err
search_rrf(struct golden *g)
{
    return ask(g, &(struct vecwire_qdrant_search){
                      .query = "{\"rrf\":{\"k\":60,\"weights\":[1,0.5,2]}}",
                      .prefetch = prefetches,
                      .n_prefetch = 3});
}

static enum vecwire_err
search_formula(struct golden *g)
{
    static const char formula[] =
        "{\"formula\":{\"sum\":[\"$score\",{\"mult\":[0.5,{\"key\":\"tag\","
        "\"match\":{\"any\":[\"h1\",\"h2\"]}}]},{\"gauss_decay\":{\"x\":"
        "{\"geo_distance\":{\"origin\":{\"lat\":52.5,\"lon\":13.4},\"to\":"
        "\"geo\"}},\"scale\":5000}},{\"div\":{\"left\":1,\"right\":\"price\","
        "\"by_zero_default\":0}},{\"neg\":{\"abs\":\"x\"}},{\"pow\":{\"base\":"
        "2,\"exponent\":{\"sqrt\":4}}},{\"exp_decay\":{\"x\":{\"datetime_key\":"
        "\"at\"},\"target\":{\"datetime\":\"2026-01-02T00:00:00Z\"},\"scale\":"
        "86400,\"midpoint\":0.5}}]},\"defaults\":{\"price\":10}}";

    return ask(g, &(struct vecwire_qdrant_search){
                      .query = formula, .prefetch = deepest, .n_prefetch = 1});
}

static enum vecwire_err
query_batch(struct golden *g)
{
    const struct vecwire_qdrant_query_request queries[] = {
        VECWIRE_QDRANT_QUERY(.search = {.vector = &near, .limit = 3},
                             .with_payload = true),
        VECWIRE_QDRANT_QUERY(.search = {.query = "{\"fusion\":\"rrf\"}",
                                        .prefetch = prefetches,
                                        .n_prefetch = 3},
                             .offset = 2, .with_vector = true),
    };

    return vecwire_qdrant_query_batch(
        g->client,
        &(struct vecwire_qdrant_query_batch_request){
            .size = sizeof(struct vecwire_qdrant_query_batch_request),
            .queries = queries,
            .n = 2,
            .refusal = &g->refusal,
            .call =
                &VECWIRE_CALL_OPTIONS(.qdrant = &VECWIRE_QDRANT_PARAMS(
                                              .shard_key = "\"a\"",
                                              .consistency = VECWIRE_QDRANT_ALL,
                                              .timeout_ms = 1))},
        golden_done, g, NULL);
}

static enum vecwire_err
query_groups(struct golden *g)
{
    const struct vecwire_qdrant_query_request inner = VECWIRE_QDRANT_QUERY(
            .search = {.vector = &near,
                       .vector_name = "image",
                       .filter = filter,
                       .params = params,
                       .prefetch = deepest,
                       .n_prefetch = 1,
                       .lookup_from = lookup,
                       .limit = 4,
                       .has_score_threshold = true,
                       .score_threshold = 0.5F},
            .with_payload = true, .with_vector = true, .refusal = &g->refusal,
            .call = &VECWIRE_CALL_OPTIONS(
                    .qdrant = &VECWIRE_QDRANT_PARAMS(.shard_key = "12",
                                                     .consistency = 1,
                                                     .timeout_ms = 60000)));

    return vecwire_qdrant_query_groups(
        g->client,
        &(struct vecwire_qdrant_query_groups_request){
            .size = sizeof(struct vecwire_qdrant_query_groups_request),
            .query = &inner,
            .group_by = "doc[].id",
            .group_size = 2,
            .with_lookup =
                "{\"collection\":\"docs\",\"with_payload\":[\"title\"],"
                "\"with_vectors\":false}"},
        golden_done, g, NULL);
}

const struct golden_request golden_queries[] = {
    {"query", query},
    {"query_full", query_full},
    {"query_selectors", query_selectors},
    {"search_full", search_full},
    {"search_sparse", search_sparse},
    {"search_multi", search_multi},
    {"search_inference", search_inference},
    {"search_number", search_number},
    {"search_uuid", search_uuid},
    {"search_nothing", search_nothing},
    {"search_mmr", search_mmr},
    {"search_recommend", search_recommend},
    {"search_discover", search_discover},
    {"search_context", search_context},
    {"search_order_by", search_order_by},
    {"search_sample", search_sample},
    {"search_feedback", search_feedback},
    {"search_fusion", search_fusion},
    {"search_rrf", search_rrf},
    {"search_formula", search_formula},
    {"query_batch", query_batch},
    {"query_groups", query_groups},
};
const size_t n_golden_queries = GOLDEN_SIZE(golden_queries);
