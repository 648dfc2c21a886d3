/* SPDX-License-Identifier: Apache-2.0 */
/* Indexes, aliases, snapshots, and pages about the server; see
 * golden_queries.c. */
#include "tests/golden_qdrant.h"

/* What every update may have. */
#define ALL                                                                    \
    .call = &VECWIRE_CALL_OPTIONS(.qdrant = &VECWIRE_QDRANT_PARAMS(            \
                                          .wait = true,                        \
                                          .ordering = VECWIRE_QDRANT_STRONG,   \
                                          .timeout_ms = 5000))

static enum vecwire_err
create_index(struct golden *g)
{
    return vecwire_qdrant_create_index(
        g->client,
        &VECWIRE_QDRANT_INDEX(.key = "city",
                              .type = VECWIRE_QDRANT_INDEX_KEYWORD,
                              .refusal = &g->refusal),
        golden_done, g, NULL);
}

static enum vecwire_err
create_index_full(struct golden *g)
{
    static const char params[] =
        "{\"tokenizer\":\"word\",\"min_token_len\":2,\"max_token_len\":20,"
        "\"lowercase\":true,\"on_disk\":true,\"phrase_matching\":true,"
        "\"stopwords\":\"english\"}";

    return vecwire_qdrant_create_index(
        g->client,
        &VECWIRE_QDRANT_INDEX(.key = "a[].b", .type = VECWIRE_QDRANT_INDEX_TEXT,
                              .params = params, .refusal = &g->refusal, ALL),
        golden_done, g, NULL);
}

static enum vecwire_err
delete_index(struct golden *g)
{
    return vecwire_qdrant_delete_index(
        g->client,
        &VECWIRE_QDRANT_INDEX(.key = "a[].\"b c\"", .refusal = &g->refusal),
        golden_done, g, NULL);
}

static enum vecwire_err
delete_index_full(struct golden *g)
{
    return vecwire_qdrant_delete_index(
        g->client,
        &VECWIRE_QDRANT_INDEX(.key = "city", .refusal = &g->refusal, ALL),
        golden_done, g, NULL);
}

static enum vecwire_err
update_aliases(struct golden *g)
{
    static const struct vecwire_qdrant_alias_change changes[] = {
        {.action = VECWIRE_QDRANT_CREATE_ALIAS, .alias = "new one"},
        {.action = VECWIRE_QDRANT_CREATE_ALIAS,
         .alias = "b",
         .collection = "other"},
        {.action = VECWIRE_QDRANT_DELETE_ALIAS, .alias = "old"},
        {.action = VECWIRE_QDRANT_RENAME_ALIAS,
         .alias = "a",
         .new_alias = "gr\xc3\xb6\xc3\x9f"
                      "e"},
    };

    return vecwire_qdrant_update_aliases(
        g->client,
        &VECWIRE_QDRANT_ALIASES(.changes = changes, .n = GOLDEN_SIZE(changes),
                                .refusal = &g->refusal,
                                .call = &VECWIRE_CALL_OPTIONS(
                                        .qdrant =
                                            &VECWIRE_QDRANT_PARAMS(.timeout_ms =
                                                                       4000))),
        golden_done, g, NULL);
}

/* Those that have nothing but call options. */
#define PLAIN(name)                                                            \
    static enum vecwire_err name(struct golden *g)                             \
    {                                                                          \
        return vecwire_qdrant_##name(                                          \
            g->client, &VECWIRE_QDRANT_ADMIN(.refusal = &g->refusal),          \
            golden_done, g, NULL);                                             \
    }

PLAIN(list_aliases)
PLAIN(collection_aliases)
PLAIN(list_snapshots)
PLAIN(create_snapshot)

static enum vecwire_err
create_snapshot_no_wait(struct golden *g)
{
    return vecwire_qdrant_create_snapshot(
        g->client,
        &VECWIRE_QDRANT_ADMIN(.refusal = &g->refusal,
                              .call = &VECWIRE_CALL_OPTIONS(
                                      .qdrant =
                                          &VECWIRE_QDRANT_PARAMS(.no_wait =
                                                                     true))),
        golden_done, g, NULL);
}

#define PAGE(name, which)                                                      \
    static enum vecwire_err name(struct golden *g)                             \
    {                                                                          \
        return vecwire_qdrant_page(                                            \
            g->client,                                                         \
            &VECWIRE_QDRANT_PAGE(.page = which, .refusal = &g->refusal),       \
            golden_done, g, NULL);                                             \
    }

PAGE(root, VECWIRE_QDRANT_ROOT)
PAGE(healthz, VECWIRE_QDRANT_HEALTHZ)
PAGE(livez, VECWIRE_QDRANT_LIVEZ)
PAGE(readyz, VECWIRE_QDRANT_READYZ)
PAGE(metrics, VECWIRE_QDRANT_METRICS)
PAGE(telemetry, VECWIRE_QDRANT_TELEMETRY)

/* A page with all that it may have. */
static enum vecwire_err
page_full(struct golden *g, enum vecwire_qdrant_page page, uint32_t level)
{
    return vecwire_qdrant_page(
        g->client,
        &VECWIRE_QDRANT_PAGE(
                .page = page, .anonymize = true, .per_collection = true,
                .details_level = level, .refusal = &g->refusal,
                .call = &VECWIRE_CALL_OPTIONS(
                        .qdrant = &VECWIRE_QDRANT_PARAMS(.timeout_ms = 7000))),
        golden_done, g, NULL);
}

static enum vecwire_err
metrics_full(struct golden *g)
{
    return page_full(g, VECWIRE_QDRANT_METRICS, 0);
}

static enum vecwire_err
telemetry_full(struct golden *g)
{
    return page_full(g, VECWIRE_QDRANT_TELEMETRY, 3);
}

const struct golden_request golden_server[] = {
    {"create_index", create_index},
    {"create_index_full", create_index_full},
    {"delete_index", delete_index},
    {"delete_index_full", delete_index_full},
    {"update_aliases", update_aliases},
    {"list_aliases", list_aliases},
    {"collection_aliases", collection_aliases},
    {"list_snapshots", list_snapshots},
    {"create_snapshot", create_snapshot},
    {"create_snapshot_no_wait", create_snapshot_no_wait},
    {"root", root},
    {"healthz", healthz},
    {"livez", livez},
    {"readyz", readyz},
    {"metrics", metrics},
    {"metrics_full", metrics_full},
    {"telemetry", telemetry},
    {"telemetry_full", telemetry_full},
};
const size_t n_golden_server = GOLDEN_SIZE(golden_server);
