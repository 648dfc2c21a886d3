/* SPDX-License-Identifier: Apache-2.0 */
/* Reads that are no searches; see golden_queries.c. */
#include "tests/golden_qdrant.h"

static const char filter[] =
    "{\"should\":[{\"key\":\"city\",\"match\":{\"value\":\"Berlin\"}},"
    "{\"is_empty\":{\"key\":\"city\"}}],\"must_not\":[{\"has_id\":[1,2]}]}";
static const char uuid[] = "6f0d2b0c-7d0c-4f2c-9b43-6a1d1c0f9d11";
static const uint64_t numbers[] = {7, 42};

static enum vecwire_err
get(struct golden *g)
{
    return vecwire_get(
        g->client,
        &VECWIRE_GET(.numbers = numbers, .rows = 2, .refusal = &g->refusal),
        golden_done, g, NULL);
}

static enum vecwire_err
get_large(struct golden *g)
{
    static const uint64_t large[] = {9007199254740993U, UINT64_MAX};

    return vecwire_get(
        g->client,
        &VECWIRE_GET(.numbers = large, .rows = 2, .refusal = &g->refusal),
        golden_done, g, NULL);
}

static enum vecwire_err
get_full(struct golden *g)
{
    static const char *const ids[] = {
        "007", "urn:uuid:6F0D2B0C-7D0C-4F2C-9B43-6A1D1C0F9D11"};
    static const char *const names[] = {"image"};

    return vecwire_get(
        g->client,
        &VECWIRE_GET(.ids = ids, .rows = 2, .refusal = &g->refusal,
                     .call = &VECWIRE_CALL_OPTIONS(
                             .qdrant = &VECWIRE_QDRANT_PARAMS(
                                     .payload_selector =
                                         "{\"exclude\":[\"text\"]}",
                                     .vector_names = names, .n_vector_names = 1,
                                     .shard_key = "\"a\"", .consistency = 3,
                                     .timeout_ms = 1001))),
        golden_done, g, NULL);
}

static enum vecwire_err
get_point(struct golden *g)
{
    return vecwire_qdrant_get_point(
        g->client,
        &VECWIRE_GET(.numbers = numbers, .rows = 1, .refusal = &g->refusal),
        golden_done, g, NULL);
}

static enum vecwire_err
get_point_full(struct golden *g)
{
    const char *ids[] = {uuid};

    return vecwire_qdrant_get_point(
        g->client,
        &VECWIRE_GET(.ids = ids, .rows = 1, .refusal = &g->refusal,
                     .call = &VECWIRE_CALL_OPTIONS(
                             .qdrant = &VECWIRE_QDRANT_PARAMS(
                                     .consistency = VECWIRE_QDRANT_MAJORITY))),
        golden_done, g, NULL);
}

static enum vecwire_err
scroll(struct golden *g)
{
    return vecwire_scroll(g->client, &VECWIRE_SCROLL(.refusal = &g->refusal),
                          golden_done, g, NULL);
}

static enum vecwire_err
scroll_full(struct golden *g)
{
    return vecwire_scroll(
        g->client,
        &VECWIRE_SCROLL(.offset = uuid, .filter = filter, .limit = 1000,
                        .with_payload = true, .with_vector = true,
                        .refusal = &g->refusal,
                        .call = &VECWIRE_CALL_OPTIONS(
                                .qdrant = &VECWIRE_QDRANT_PARAMS(
                                        .shard_key = "\"a\"",
                                        .consistency = VECWIRE_QDRANT_ALL,
                                        .timeout_ms = 10000))),
        golden_done, g, NULL);
}

static enum vecwire_err
scroll_number(struct golden *g)
{
    return vecwire_scroll(
        g->client,
        &VECWIRE_SCROLL(.offset = "4096", .limit = 2, .refusal = &g->refusal),
        golden_done, g, NULL);
}

static enum vecwire_err
scroll_ordered(struct golden *g)
{
    return vecwire_scroll(
        g->client,
        &VECWIRE_SCROLL(.limit = 5, .with_payload = true,
                        .refusal = &g->refusal,
                        .call = &VECWIRE_CALL_OPTIONS(
                                .qdrant = &VECWIRE_QDRANT_PARAMS(
                                        .payload_selector = "[\"a\",\"b.c\"]",
                                        .order_by =
                                            "{\"key\":\"at\",\"direction\":"
                                            "\"asc\",\"start_from\":"
                                            "\"2026-01-02T03:04:05Z\"}"))),
        golden_done, g, NULL);
}

static enum vecwire_err
count(struct golden *g)
{
    return vecwire_count(g->client, &VECWIRE_COUNT(.refusal = &g->refusal),
                         golden_done, g, NULL);
}

static enum vecwire_err
count_full(struct golden *g)
{
    return vecwire_count(
        g->client,
        &VECWIRE_COUNT(.filter = filter, .approximate = true,
                       .refusal = &g->refusal,
                       .call = &VECWIRE_CALL_OPTIONS(
                               .qdrant =
                                   &VECWIRE_QDRANT_PARAMS(.shard_key = "\"a\"",
                                                          .timeout_ms = 2000))),
        golden_done, g, NULL);
}

static enum vecwire_err
count_consistent(struct golden *g)
{
    return vecwire_count(
        g->client,
        &VECWIRE_COUNT(.refusal = &g->refusal,
                       .call = &VECWIRE_CALL_OPTIONS(
                               .qdrant = &VECWIRE_QDRANT_PARAMS(
                                       .consistency = VECWIRE_QDRANT_QUORUM))),
        golden_done, g, NULL);
}

static enum vecwire_err
facet(struct golden *g)
{
    return vecwire_qdrant_facet(
        g->client,
        &(struct vecwire_qdrant_facet_request){
            .size = sizeof(struct vecwire_qdrant_facet_request),
            .key = "city",
            .refusal = &g->refusal},
        golden_done, g, NULL);
}

static enum vecwire_err
facet_full(struct golden *g)
{
    return vecwire_qdrant_facet(
        g->client,
        &(struct vecwire_qdrant_facet_request){
            .size = sizeof(struct vecwire_qdrant_facet_request),
            .key = "\"a key\".b[].c",
            .filter = filter,
            .limit = 3,
            .exact = true,
            .refusal = &g->refusal,
            .call = &VECWIRE_CALL_OPTIONS(
                    .qdrant = &VECWIRE_QDRANT_PARAMS(.shard_key = "\"a\"",
                                                     .consistency = 2,
                                                     .timeout_ms = 4000))},
        golden_done, g, NULL);
}

const struct golden_request golden_reads[] = {
    {"get", get},
    {"get_large", get_large},
    {"get_full", get_full},
    {"get_point", get_point},
    {"get_point_full", get_point_full},
    {"scroll", scroll},
    {"scroll_full", scroll_full},
    {"scroll_number", scroll_number},
    {"scroll_ordered", scroll_ordered},
    {"count", count},
    {"count_full", count_full},
    {"count_consistent", count_consistent},
    {"facet", facet},
    {"facet_full", facet_full},
};
const size_t n_golden_reads = GOLDEN_SIZE(golden_reads);
