/* SPDX-License-Identifier: Apache-2.0 */
/* Updates of points; see golden_queries.c. */
#include "tests/golden_qdrant.h"

/* What every update may have. */
#define ALL                                                                    \
    .wait = true, .ordering = VECWIRE_QDRANT_STRONG, .timeout_ms = 5000,       \
    .shard_key = "\"a\""
#define WITH(...)                                                              \
    .refusal = &g->refusal,                                                    \
    .call =                                                                    \
        &VECWIRE_CALL_OPTIONS(.qdrant = &VECWIRE_QDRANT_PARAMS(__VA_ARGS__))

static const float dense[] = {0.1F, -2, 1e-7F, 3.4028235e38F};
static const float multi[] = {1, 0.5F, -0.25F, 4};
static const uint32_t indices[] = {3, 70000};
static const uint64_t numbers[] = {7, 42};
static const char *const both[] = {"1", "6f0d2b0c-7d0c-4f2c-9b43-6a1d1c0f9d11"};
static const char *const uuid_first[] = {"6F0D2B0C7D0C4F2C9B436A1D1C0F9D11",
                                         "7"};
static const char *const uuid_last[] = {
    "7", "{6f0d2b0c-7d0c-4f2c-9b43-6a1d1c0f9d11}"};
static const char filter[] =
    "{\"should\":[{\"key\":\"city\",\"match\":{\"value\":\"Berlin\"}},"
    "{\"is_empty\":{\"key\":\"city\"}}],\"must_not\":[{\"has_id\":[1,2]}]}";

static const struct vecwire_qdrant_points by_ids = {.ids = both, .n = 2};
static const struct vecwire_qdrant_points by_number = {.numbers = numbers,
                                                       .n = 1};
static const struct vecwire_qdrant_points by_filter = {.filter = filter};

static const struct vecwire_vector image = {
    .name = "image", .values = dense, .dim = 2};
static const struct vecwire_vector words = {
    .name = "words", .values = dense, .indices = indices, .dim = 2};

/* --- upsert, delete --- */

static enum vecwire_err
upsert(struct golden *g)
{
    static const char *const payloads[] = {NULL, "{\"a\":1}"};

    return vecwire_upsert(g->client,
                          &VECWIRE_UPSERT(.matrix = dense, .rows = 2, .dim = 2,
                                          .numbers = numbers,
                                          .payloads = payloads,
                                          .refusal = &g->refusal),
                          golden_done, g, NULL);
}

static enum vecwire_err
upsert_full(struct golden *g)
{
    static const char *const payloads[] = {
        "{\"\xd0\xba\xd0\xbb\xd1\x8e\xd1\x87 \\\"x\\\"\":"
        "[null,true,1.5,{\"b\":[]}]}",
        "{}"};

    return vecwire_upsert(
        g->client,
        &VECWIRE_UPSERT(.matrix = dense, .rows = 2, .dim = 2, .ids = uuid_first,
                        .payloads = payloads, .vector_name = "image",
                        WITH(ALL, .update_filter = filter,
                             .update_mode = VECWIRE_QDRANT_UPDATE_ONLY)),
        golden_done, g, NULL);
}

static enum vecwire_err
upsert_vectors(struct golden *g)
{
    static const uint64_t ids[] = {1, 2, 3};
    const struct vecwire_vector all[] = {
        {.values = dense, .dim = 2, .name = ""},
        {.values = multi, .dim = 2, .rows = 2, .name = "tokens"},
        words,
        {.name = "text",
         .inference = "{\"text\":\"caf\xc3\xa9\",\"model\":\"qdrant/bm25\"}"},
    };
    const struct vecwire_vector alone = {.values = multi, .dim = 2, .rows = 2};
    const struct vecwire_vectors vectors[] = {{all, 4}, {&alone, 1}, {NULL, 0}};

    return vecwire_upsert(
        g->client,
        &VECWIRE_UPSERT(.rows = 3, .numbers = ids, .vectors = vectors,
                        WITH(.wait = true,
                             .update_mode = VECWIRE_QDRANT_INSERT_ONLY)),
        golden_done, g, NULL);
}

static enum vecwire_err
upsert_columns(struct golden *g)
{
    static const char *const payloads[] = {"{\"a\":1}", NULL};

    return vecwire_upsert(
        g->client,
        &VECWIRE_UPSERT(.matrix = dense, .rows = 2, .dim = 2, .ids = uuid_last,
                        .payloads = payloads,
                        WITH(.wait = true, .ordering = VECWIRE_QDRANT_MEDIUM,
                             .by_columns = true)),
        golden_done, g, NULL);
}

static enum vecwire_err
upsert_columns_named(struct golden *g)
{
    return vecwire_upsert(
        g->client,
        &VECWIRE_UPSERT(.matrix = dense, .rows = 2, .dim = 2,
                        .numbers = numbers, .vector_name = "image",
                        WITH(.wait = true, .by_columns = true,
                             .shard_key = "\"a\"", .update_filter = filter,
                             .update_mode = VECWIRE_QDRANT_INSERT_ONLY)),
        golden_done, g, NULL);
}

static enum vecwire_err delete (struct golden *g) {
    return vecwire_delete(g->client,
                          &VECWIRE_DELETE(.ids = both, .rows = 2,
                                          .refusal = &g->refusal),
                          golden_done, g, NULL);
}

static enum vecwire_err
delete_full(struct golden *g)
{
    return vecwire_delete(g->client,
                          &VECWIRE_DELETE(.filter = filter, WITH(ALL)),
                          golden_done, g, NULL);
}

static enum vecwire_err
delete_everything(struct golden *g)
{
    return vecwire_delete(
        g->client,
        &VECWIRE_DELETE(.everything = true,
                        WITH(.wait = true, .ordering = VECWIRE_QDRANT_WEAK)),
        golden_done, g, NULL);
}

/* --- payloads --- */

static enum vecwire_err
change(struct golden *g, const struct vecwire_qdrant_payload_request *request)
{
    struct vecwire_qdrant_payload_request r = *request;

    r.refusal = &g->refusal;
    return vecwire_qdrant_change_payload(g->client, &r, golden_done, g, NULL);
}

/* The same with everything that an update may have. */
static enum vecwire_err
change_full(struct golden *g,
            const struct vecwire_qdrant_payload_request *request)
{
    struct vecwire_qdrant_payload_request r = *request;

    r.points = by_filter;
    r.call = &VECWIRE_CALL_OPTIONS(.qdrant = &VECWIRE_QDRANT_PARAMS(ALL));
    return change(g, &r);
}

static enum vecwire_err
set_payload(struct golden *g)
{
    return change(
        g, &VECWIRE_QDRANT_PAYLOAD(.change = VECWIRE_QDRANT_SET_PAYLOAD,
                                   .points = by_number,
                                   .payload = "{\"a\":{\"b\":[1,null]}}"));
}

static enum vecwire_err
set_payload_full(struct golden *g)
{
    return change_full(
        g, &VECWIRE_QDRANT_PAYLOAD(.change = VECWIRE_QDRANT_SET_PAYLOAD,
                                   .payload = "{\"x\":1}", .key = "a.b[0]"));
}

static enum vecwire_err
overwrite_payload(struct golden *g)
{
    return change(
        g, &VECWIRE_QDRANT_PAYLOAD(.change = VECWIRE_QDRANT_OVERWRITE_PAYLOAD,
                                   .points = by_ids, .payload = "{}"));
}

static enum vecwire_err
overwrite_payload_full(struct golden *g)
{
    return change_full(
        g, &VECWIRE_QDRANT_PAYLOAD(.change = VECWIRE_QDRANT_OVERWRITE_PAYLOAD,
                                   .payload = "{\"x\":1}", .key = "a"));
}

static enum vecwire_err
delete_payload(struct golden *g)
{
    static const char *const keys[] = {"a", "b[].c", "\"d e\".f"};

    return change(
        g,
        &VECWIRE_QDRANT_PAYLOAD(.change = VECWIRE_QDRANT_DELETE_PAYLOAD,
                                .points = by_ids, .keys = keys, .n_keys = 3));
}

static enum vecwire_err
delete_payload_full(struct golden *g)
{
    static const char *const keys[] = {"a"};

    return change_full(
        g, &VECWIRE_QDRANT_PAYLOAD(.change = VECWIRE_QDRANT_DELETE_PAYLOAD,
                                   .keys = keys, .n_keys = 1));
}

static enum vecwire_err
clear_payload(struct golden *g)
{
    return change(
        g, &VECWIRE_QDRANT_PAYLOAD(.change = VECWIRE_QDRANT_CLEAR_PAYLOAD,
                                   .points = by_ids));
}

static enum vecwire_err
clear_payload_full(struct golden *g)
{
    return change_full(
        g, &VECWIRE_QDRANT_PAYLOAD(.change = VECWIRE_QDRANT_CLEAR_PAYLOAD));
}

/* --- vectors, batches --- */

static enum vecwire_err
update_vectors(struct golden *g)
{
    return vecwire_qdrant_update_vectors(
        g->client,
        &VECWIRE_UPSERT(.matrix = dense, .rows = 1, .dim = 2,
                        .numbers = numbers, .refusal = &g->refusal),
        golden_done, g, NULL);
}

static enum vecwire_err
update_vectors_full(struct golden *g)
{
    const struct vecwire_vector list[] = {image, words};
    const struct vecwire_vectors vectors = {list, 2};

    return vecwire_qdrant_update_vectors(
        g->client,
        &VECWIRE_UPSERT(.vectors = &vectors, .rows = 1, .ids = both + 1,
                        WITH(ALL, .update_filter = filter)),
        golden_done, g, NULL);
}

static enum vecwire_err
delete_vectors(struct golden *g)
{
    static const char *const names[] = {"image"};

    return vecwire_qdrant_delete_vectors(
        g->client,
        &VECWIRE_QDRANT_DELETE_VECTORS(.points = by_ids, .names = names,
                                       .n_names = 1, .refusal = &g->refusal),
        golden_done, g, NULL);
}

static enum vecwire_err
delete_vectors_full(struct golden *g)
{
    static const char *const names[] = {"", "words"};

    return vecwire_qdrant_delete_vectors(
        g->client,
        &VECWIRE_QDRANT_DELETE_VECTORS(.points = by_filter, .names = names,
                                       .n_names = 2, WITH(ALL)),
        golden_done, g, NULL);
}

static const char *const one_name[] = {"image"};
static const char *const one_key[] = {"a"};
static const char *const one_payload[] = {"{\"a\":1}"};
static const struct vecwire_vectors one_vector = {&image, 1};

static enum vecwire_err
update_points(struct golden *g)
{
    /* Each kind, by ids and by filter. */
    const struct vecwire_qdrant_operation operations[] = {
        {.upsert =
             &VECWIRE_UPSERT(.matrix = dense, .rows = 1, .dim = 2,
                             .numbers = numbers, .payloads = one_payload)},
        {.upsert = &VECWIRE_UPSERT(
                 .matrix = dense, .rows = 2, .dim = 2, .numbers = numbers,
                 .call = &VECWIRE_CALL_OPTIONS(
                         .qdrant = &VECWIRE_QDRANT_PARAMS(
                                 .by_columns = true, .shard_key = "\"b\"",
                                 .update_filter = filter,
                                 .update_mode = VECWIRE_QDRANT_INSERT_ONLY)))},
        {.del = &VECWIRE_DELETE(.ids = both, .rows = 2)},
        {.del = &VECWIRE_DELETE(.filter = filter)},
        {.payload =
             &VECWIRE_QDRANT_PAYLOAD(.change = VECWIRE_QDRANT_SET_PAYLOAD,
                                     .points = by_ids, .payload = "{\"b\":2}",
                                     .key = "c")},
        {.payload =
             &VECWIRE_QDRANT_PAYLOAD(.change = VECWIRE_QDRANT_OVERWRITE_PAYLOAD,
                                     .points = by_filter,
                                     .payload = "{\"b\":2}")},
        {.payload =
             &VECWIRE_QDRANT_PAYLOAD(.change = VECWIRE_QDRANT_DELETE_PAYLOAD,
                                     .points = by_ids, .keys = one_key,
                                     .n_keys = 1)},
        {.payload =
             &VECWIRE_QDRANT_PAYLOAD(.change = VECWIRE_QDRANT_CLEAR_PAYLOAD,
                                     .points = by_filter)},
        {.update_vectors = &VECWIRE_UPSERT(.vectors = &one_vector, .rows = 1,
                                           .numbers = numbers)},
        {.delete_vectors =
             &VECWIRE_QDRANT_DELETE_VECTORS(.points = by_ids, .names = one_name,
                                            .n_names = 1)},
    };

    return vecwire_qdrant_update_points(
        g->client,
        &VECWIRE_QDRANT_OPERATIONS(.list = operations,
                                   .n = GOLDEN_SIZE(operations), WITH(ALL)),
        golden_done, g, NULL);
}

const struct golden_request golden_updates[] = {
    {"upsert", upsert},
    {"upsert_full", upsert_full},
    {"upsert_vectors", upsert_vectors},
    {"upsert_columns", upsert_columns},
    {"upsert_columns_named", upsert_columns_named},
    {"delete", delete},
    {"delete_full", delete_full},
    {"delete_everything", delete_everything},
    {"set_payload", set_payload},
    {"set_payload_full", set_payload_full},
    {"overwrite_payload", overwrite_payload},
    {"overwrite_payload_full", overwrite_payload_full},
    {"delete_payload", delete_payload},
    {"delete_payload_full", delete_payload_full},
    {"clear_payload", clear_payload},
    {"clear_payload_full", clear_payload_full},
    {"update_vectors", update_vectors},
    {"update_vectors_full", update_vectors_full},
    {"delete_vectors", delete_vectors},
    {"delete_vectors_full", delete_vectors_full},
    {"update_points", update_points},
};
const size_t n_golden_updates = GOLDEN_SIZE(golden_updates);
