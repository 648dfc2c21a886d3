/* SPDX-License-Identifier: Apache-2.0 */
/* Qdrant's encoders with any structs: jansson reads the body, numbers and ids
 * are those that were given, a delete never takes more than it was told; or the
 * request was refused and it is said why.
 *
 * Input: a byte that names the encoder, 8 bytes of choices, 8 floats, 2 numbers
 * of 8 bytes, then texts that end with 0xff. */
#include "codec/mem.h"
#include "dialect/qdrant_admin.h"
#include "dialect/qdrant_update.h"
#include "server/qdrant_filter.h"
#include "tests/fuzz/same.h"

#define ROWS 2
#define DIM 2
#define FLOATS 8
enum {
    ID,
    OTHER_ID,
    FILTER,
    PAYLOAD,
    QUERY,
    KEY,
    NAME,
    OTHER_NAME,
    MORE,
    SHARD_KEY,
    COLLECTION,
    N_TEXTS
};

/* All that requests are made of. */
struct pool {
    uint8_t choices[8];
    float floats[FLOATS];
    uint32_t indices[DIM];
    uint64_t numbers[ROWS];
    char *texts[N_TEXTS];
    const char *ids[ROWS], *payloads[ROWS], *names[2];
    struct vecwire_vector vectors[ROWS];
    struct vecwire_vectors lists[ROWS];
    struct vecwire_qdrant_search prefetch;
    struct vecwire_qdrant_params params;
    struct vecwire__settings settings;
    struct vecwire__encoding enc;
    struct vecwire_refusal refusal;
};

static bool
chosen(const struct pool *pool, unsigned bit)
{
    return pool->choices[bit / 8] >> bit % 8 & 1;
}

/* An empty text is none. */
static const char *
text_of(const struct pool *pool, int which)
{
    return pool->texts[which][0] == '\0' ? NULL : pool->texts[which];
}

static void
take_vectors(struct pool *pool)
{
    for (size_t i = 0; i < ROWS; i++) {
        const unsigned kind = pool->choices[0] >> (3 * i) & 7;
        struct vecwire_vector *vector = &pool->vectors[i];

        *vector = (struct vecwire_vector){.name = text_of(pool, NAME + (int)i),
                                          .values = pool->floats + i * DIM,
                                          .dim = kind == 0 ? 0 : DIM};
        if (kind == 1)
            vector->indices = pool->indices;
        else if (kind == 2)
            vector->rows = 2;
        else if (kind == 3)
            vector->inference = text_of(pool, MORE);
        if (kind == 3 && chosen(pool, 7))
            vector->values = NULL;
        pool->lists[i] =
            (struct vecwire_vectors){pool->vectors, chosen(pool, 6) ? i : 1};
    }
}

static void
take_params(struct pool *pool)
{
    pool->params = VECWIRE_QDRANT_PARAMS(
            .shard_key = text_of(pool, SHARD_KEY),
            .payload_selector = chosen(pool, 8) ? text_of(pool, MORE) : NULL,
            .vector_names = chosen(pool, 9) ? pool->names : NULL,
            .n_vector_names = chosen(pool, 9) ? 2 : 0,
            .order_by = chosen(pool, 10) ? text_of(pool, QUERY) : NULL,
            .update_filter = chosen(pool, 11) ? text_of(pool, FILTER) : NULL,
            .consistency = chosen(pool, 12) ? (int8_t)pool->choices[5] : 0,
            .ordering = chosen(pool, 13) ? pool->choices[5] & 7 : 0,
            .update_mode = chosen(pool, 14) ? pool->choices[5] & 3 : 0,
            .timeout_ms = chosen(pool, 15) ? pool->choices[5] * 99U : 0,
            .wait = chosen(pool, 16), .by_columns = chosen(pool, 17));
    pool->settings = (struct vecwire__settings){
        .prefix = "",
        .collection = chosen(pool, 18) ? text_of(pool, COLLECTION) : "c",
        .qdrant = chosen(pool, 19) ? &pool->params : NULL,
        .json_depth = 128};
}

static void
take_pool(struct fuzz_input *input, struct pool *pool)
{
    memset(pool, 0, sizeof(*pool));
    for (size_t i = 0; i < sizeof(pool->choices); i++)
        pool->choices[i] = fuzz_byte(input);
    for (size_t i = 0; i < FLOATS + 2 * ROWS; i++) {
        uint32_t bits = 0;

        for (int k = 0; k < 4; k++)
            bits = bits << 8 | fuzz_byte(input);
        if (i < FLOATS)
            memcpy(&pool->floats[i], &bits, sizeof(bits));
        else
            pool->numbers[(i - FLOATS) / 2] =
                pool->numbers[(i - FLOATS) / 2] << 32 | bits;
    }
    pool->indices[0] = pool->choices[6];
    pool->indices[1] = pool->choices[7];
    for (int i = 0; i < N_TEXTS; i++)
        pool->texts[i] = fuzz_take_text(input, 0xff);
    for (int i = 0; i < ROWS; i++) {
        pool->ids[i] = pool->texts[ID + i];
        pool->names[i] = pool->texts[NAME + i];
        pool->payloads[i] = i == 0 ? text_of(pool, PAYLOAD) : NULL;
    }
    take_vectors(pool);
    take_params(pool);
}

/* --- requests --- */

static const char *const *
ids(const struct pool *pool)
{
    return chosen(pool, 24) ? NULL : pool->ids;
}

static const uint64_t *
numbers(const struct pool *pool)
{
    return chosen(pool, 24) || chosen(pool, 25) ? pool->numbers : NULL;
}

static struct vecwire_upsert_request
upsert_of(const struct pool *pool)
{
    const bool lists = chosen(pool, 26), none = lists || chosen(pool, 41);

    return VECWIRE_UPSERT(.matrix = none ? NULL : pool->floats,
                          .dim = none ? 0 : DIM, .rows = ROWS, .ids = ids(pool),
                          .numbers = numbers(pool),
                          .payloads = chosen(pool, 27) ? pool->payloads : NULL,
                          .vectors = lists ? pool->lists : NULL,
                          .vector_name =
                              chosen(pool, 28) ? text_of(pool, NAME) : NULL);
}

static struct vecwire_delete_request
delete_of(const struct pool *pool)
{
    const bool filter = chosen(pool, 29);

    return VECWIRE_DELETE(.ids = filter ? NULL : ids(pool),
                          .numbers = filter ? NULL : numbers(pool),
                          .rows = filter ? 0 : ROWS,
                          .filter = filter || chosen(pool, 30)
                                        ? text_of(pool, FILTER)
                                        : NULL,
                          .everything = chosen(pool, 31));
}

static struct vecwire_qdrant_points
points_of(const struct pool *pool)
{
    const struct vecwire_delete_request del = delete_of(pool);

    return (struct vecwire_qdrant_points){.ids = del.ids,
                                          .numbers = del.numbers,
                                          .n = del.rows,
                                          .filter = del.filter,
                                          .everything = del.everything};
}

static struct vecwire_qdrant_query_request
query_of(struct pool *pool)
{
    struct vecwire_qdrant_query_request query =
        VECWIRE_QDRANT_QUERY(.offset = chosen(pool, 32) ? pool->numbers[1] : 0,
                             .with_payload = chosen(pool, 33),
                             .with_vector = chosen(pool, 34));
    struct vecwire_qdrant_search *search = &query.search;

    search->vector = chosen(pool, 35) ? &pool->vectors[0] : NULL;
    search->id = chosen(pool, 36) ? pool->ids[0] : NULL;
    search->number = chosen(pool, 37) ? &pool->numbers[0] : NULL;
    search->query = chosen(pool, 38) ? text_of(pool, QUERY) : NULL;
    search->filter = text_of(pool, FILTER);
    search->vector_name = text_of(pool, OTHER_NAME);
    search->params = chosen(pool, 39) ? text_of(pool, MORE) : NULL;
    search->score_threshold = pool->floats[7];
    search->has_score_threshold = chosen(pool, 20);
    pool->prefetch = *search;
    search->prefetch = chosen(pool, 21) ? &pool->prefetch : NULL;
    search->n_prefetch = chosen(pool, 21);
    search->limit = pool->choices[6];
    return query;
}

static struct vecwire_qdrant_payload_request
payload_of(const struct pool *pool)
{
    const uint32_t change = pool->choices[4] & 7;

    return VECWIRE_QDRANT_PAYLOAD(.points = points_of(pool), .change = change,
                                  .payload = change <= 2
                                                 ? text_of(pool, PAYLOAD)
                                                 : NULL,
                                  .key =
                                      change <= 2 ? text_of(pool, KEY) : NULL,
                                  .keys = change == 3 ? pool->ids : NULL,
                                  .n_keys = change == 3 ? 2 : 0);
}

/* --- what was written --- */

/* JSON of the caller's goes into the body as it is, and may have what jansson
 * does not take. */
static bool
is_odd(const struct pool *pool)
{
    static const int given[] = {FILTER, PAYLOAD, QUERY, MORE, SHARD_KEY};
    json_error_t error;

    for (size_t i = 0; i < sizeof(given) / sizeof(given[0]); i++) {
        const char *text = text_of(pool, given[i]);
        json_t *tree = text == NULL
                           ? json_null()
                           : json_loads(text,
                                        JSON_REJECT_DUPLICATES |
                                            JSON_ALLOW_NUL | JSON_DECODE_ANY,
                                        &error);

        json_decref(tree);
        if (tree == NULL)
            return true;
    }
    return false;
}

static json_t *
body_of(const struct pool *pool)
{
    const char *text = pool->enc.text.bytes + pool->enc.body_at;
    const size_t len = pool->enc.text.len - pool->enc.body_at;
    json_error_t error;
    json_t *body =
        json_loadb(text, len, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);

    /* Ids beyond 2^63 are too large for it. */
    FUZZ_REQUIRE(body != NULL ||
                     json_error_code(&error) == json_error_numeric_overflow ||
                     is_odd(pool),
                 "no JSON: %s: %.*s", error.text, (int)len, text);
    return body;
}

static void
check_floats(const float *want, const json_t *got)
{
    FUZZ_REQUIRE(json_array_size(got) == DIM, "%zu coordinates",
                 json_array_size(got));
    for (size_t i = 0; i < DIM; i++)
        FUZZ_REQUIRE(isfinite(want[i]) &&
                         same_float(want[i], json_array_get(got, i)),
                     "coordinate %zu", i);
}

static void
check_points(const struct pool *pool, const json_t *points)
{
    for (size_t i = 0; i < json_array_size(points); i++) {
        const json_t *point = json_array_get(points, i);
        const json_t *vector = json_object_get(point, "vector");

        FUZZ_REQUIRE(json_is_integer(json_object_get(point, "id")) ||
                         json_string_length(json_object_get(point, "id")) == 36,
                     "no id of Qdrant's");
        if (!chosen(pool, 26) && !chosen(pool, 28) && !chosen(pool, 41))
            check_floats(pool->floats + i * DIM, vector);
    }
}

/* Whatever stands in it, a filter that is empty needs the caller's word. */
static void
check_selection(const struct pool *pool, const json_t *body)
{
    const json_t *tree = json_object_get(body, "filter");
    struct vecwire__fault fault = {0, ""};
    struct vecwire__filter *filter =
        tree == NULL ? NULL : vecwire__filter_new(tree, &fault);

    FUZZ_REQUIRE((tree == NULL) == (json_object_get(body, "points") != NULL),
                 "points and filter");
    FUZZ_REQUIRE(filter == NULL || chosen(pool, 31) ||
                     !vecwire__filter_is_empty(filter),
                 "everything goes");
    vecwire__filter_free(filter);
}

static void
check_head(const struct pool *pool)
{
    const char *path = pool->enc.text.bytes;

    FUZZ_REQUIRE(path[0] == '/', "%s", path);
    for (; *path != '\0'; path++)
        FUZZ_REQUIRE(*path > 0x20 && *path < 0x7f, "byte %d of the path",
                     *path);
    FUZZ_REQUIRE(pool->enc.decoding != NULL, "no decoding");
}

static json_t *
check(const struct pool *pool, enum vecwire_err err)
{
    const char *reason = pool->refusal.text;

    FUZZ_REQUIRE(memchr(reason, 0, sizeof(pool->refusal.text)) != NULL,
                 "no end");
    FUZZ_REQUIRE(err == VECWIRE_OK || reason[0] != '\0', "no reason");
    FUZZ_REQUIRE(err == VECWIRE_OK || err == VECWIRE_EINVAL ||
                     err == VECWIRE_ETOOBIG || err == VECWIRE_EUNSUPPORTED,
                 "%s, %s", vecwire_strerror(err), reason);
    if (err != VECWIRE_OK)
        return NULL;
    check_head(pool);
    return pool->enc.has_body ? body_of(pool) : NULL;
}

/* --- the encoders --- */

/* A request, encoded and read back. NULL: refused. */
static json_t *
encode(struct pool *pool, vecwire__encoder encoder, const void *request)
{
    return check(pool,
                 encoder(&pool->settings, request, &pool->enc, &pool->refusal));
}

static json_t *
read_points(struct pool *pool, unsigned which)
{
    const struct vecwire_query_request query =
        VECWIRE_QUERY(.vector = pool->floats, .dim = DIM,
                      .filter = text_of(pool, FILTER),
                      .vector_name = text_of(pool, NAME));
    const struct vecwire_get_request get =
        VECWIRE_GET(.ids = ids(pool), .numbers = numbers(pool),
                    .rows = chosen(pool, 26) ? ROWS : 1);
    const struct vecwire_scroll_request scroll =
        VECWIRE_SCROLL(.offset = text_of(pool, ID),
                       .filter = text_of(pool, FILTER));
    const struct vecwire_count_request count =
        VECWIRE_COUNT(.filter = text_of(pool, FILTER));
    json_t *body;

    if (which == 1)
        return encode(pool, vecwire__qdrant_encode_get, &get);
    if (which == 2)
        return encode(pool, vecwire__qdrant_encode_scroll, &scroll);
    if (which == 3)
        return encode(pool, vecwire__qdrant_encode_count, &count);
    if (which == 4)
        return encode(pool, vecwire__qdrant_encode_point, &get);
    body = encode(pool, vecwire__qdrant_encode_query, &query);
    if (body != NULL)
        check_floats(pool->floats, json_object_get(body, "query"));
    return body;
}

static json_t *
search(struct pool *pool, unsigned which)
{
    const struct vecwire_qdrant_query_request queries[2] = {query_of(pool),
                                                            query_of(pool)};
    const struct vecwire_qdrant_query_batch_request batch =
        VECWIRE_QDRANT_QUERY_BATCH(.queries = queries, .n = 2);
    const struct vecwire_qdrant_query_groups_request groups =
        VECWIRE_QDRANT_QUERY_GROUPS(.query = queries,
                                    .group_by = text_of(pool, KEY),
                                    .with_lookup = chosen(pool, 40)
                                                       ? text_of(pool, MORE)
                                                       : NULL);
    const struct vecwire_qdrant_facet_request facet =
        VECWIRE_QDRANT_FACET(.key = text_of(pool, KEY),
                             .filter = text_of(pool, FILTER));

    if (which == 1)
        return encode(pool, vecwire__qdrant_encode_batch, &batch);
    if (which == 2)
        return encode(pool, vecwire__qdrant_encode_groups, &groups);
    if (which == 3)
        return encode(pool, vecwire__qdrant_encode_facet, &facet);
    return encode(pool, vecwire__qdrant_encode_search, &queries[0]);
}

static json_t *
update(struct pool *pool, unsigned which)
{
    const struct vecwire_upsert_request upsert = upsert_of(pool);
    const struct vecwire_delete_request del = delete_of(pool);
    const struct vecwire_qdrant_payload_request payload = payload_of(pool);
    const struct vecwire_qdrant_delete_vectors_request vectors =
        VECWIRE_QDRANT_DELETE_VECTORS(.points = points_of(pool),
                                      .names = pool->names, .n_names = 2);
    const struct vecwire_qdrant_operation list[] = {
        {.upsert = &upsert},          {.del = &del},
        {.payload = &payload},        {.update_vectors = &upsert},
        {.delete_vectors = &vectors}, {.del = &del}};
    const struct vecwire_qdrant_operations_request operations =
        VECWIRE_QDRANT_OPERATIONS(.list = list + pool->choices[7] % 5, .n = 2);
    json_t *body;

    if (which == 5)
        return encode(pool, vecwire__qdrant_encode_operations, &operations);
    if (which == 0 || which == 3) {
        body = encode(pool,
                      which == 0 ? vecwire__qdrant_encode_upsert
                                 : vecwire__qdrant_encode_update_vectors,
                      &upsert);
        check_points(pool, json_object_get(body, "points"));
        return body;
    }
    if (which == 1)
        body = encode(pool, vecwire__qdrant_encode_delete, &del);
    else if (which == 2)
        body = encode(pool, vecwire__qdrant_encode_payload, &payload);
    else
        body = encode(pool, vecwire__qdrant_encode_delete_vectors, &vectors);
    if (body != NULL)
        check_selection(pool, body);
    return body;
}

static json_t *
administer(struct pool *pool, unsigned which)
{
    const struct vecwire_qdrant_vector_config config = {
        .name = text_of(pool, NAME),
        .hnsw_config = text_of(pool, QUERY),
        .more = chosen(pool, 24) ? text_of(pool, PAYLOAD) : NULL,
        .size = pool->choices[6],
        .distance = pool->choices[7] & 7};
    const struct vecwire_qdrant_create_request create =
        VECWIRE_QDRANT_CREATE(.vectors = &config, .n_vectors = 1,
                              .metadata = text_of(pool, FILTER),
                              .more = text_of(pool, MORE));
    const struct vecwire_qdrant_update_collection_request change =
        VECWIRE_QDRANT_UPDATE_COLLECTION(.vectors = text_of(pool, QUERY),
                                         .metadata = text_of(pool, FILTER),
                                         .more = text_of(pool, MORE));

    if (which == 0)
        return encode(pool, vecwire__qdrant_encode_create_collection, &create);
    return encode(pool, vecwire__qdrant_encode_update_collection, &change);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    static struct pool pool;
    struct fuzz_input input = {bytes, len};
    unsigned which = fuzz_byte(&input) % 17;
    struct fuzz_mem counting;
    json_t *body;

    take_pool(&input, &pool);
    fuzz_mem_init(&counting);
    vecwire__buf_init(&pool.enc.text, &counting.mem);
    if (which < 5)
        body = read_points(&pool, which);
    else if (which < 9)
        body = search(&pool, which - 5);
    else if (which < 15)
        body = update(&pool, which - 9);
    else
        body = administer(&pool, which - 15);
    json_decref(body);
    for (int i = 0; i < N_TEXTS; i++)
        free(pool.texts[i]);
    vecwire__buf_fini(&pool.enc.text);
    FUZZ_REQUIRE(counting.blocks == 0, "%zu blocks are left", counting.blocks);
    return 0;
}
