/* SPDX-License-Identifier: Apache-2.0 */
/* What is sent to create, change, drop, list and describe collections. */
#include "tests/admin_fixture.h"

#include <stdio.h>

#include <jansson.h>

#include "tests/counting_mem.h"

#define COLLECTION "/p/collections/c%20d"

static enum vecwire_err
create(struct vecwire_qdrant_create_request request)
{
    return vecwire__qdrant_encode_create_collection(&settings, &request, &enc,
                                                    &refusal);
}

static enum vecwire_err
update(struct vecwire_qdrant_update_collection_request request)
{
    return vecwire__qdrant_encode_update_collection(&settings, &request, &enc,
                                                    &refusal);
}

static void
expect_created(enum vecwire_err err, const char *body)
{
    expect(err, VECWIRE__PUT, COLLECTION, body);
}

START_TEST(a_collection_may_have_one_unnamed_vector)
{
    const struct vecwire_qdrant_vector_config vector = {
        .size = 4, .distance = VECWIRE_QDRANT_DOT};

    expect_created(
        create(VECWIRE_QDRANT_CREATE(.vectors = &vector, .n_vectors = 1)),
        "{\"vectors\":{\"size\":4,\"distance\":\"Dot\"}}");
    ck_assert_int_eq(enc.class, VECWIRE__NEVER);
}
END_TEST

START_TEST(a_collection_may_have_no_vectors)
{
    expect_created(create(VECWIRE_QDRANT_CREATE(0)), "{}");
}
END_TEST

START_TEST(vectors_have_names_and_all_that_vectors_have)
{
    const struct vecwire_qdrant_vector_config vectors[] = {
        {.size = 1, .distance = VECWIRE_QDRANT_COSINE},
        {.name = "a\xc3\xa4",
         .size = 65536,
         .distance = VECWIRE_QDRANT_MANHATTAN,
         .datatype = VECWIRE_QDRANT_UINT8,
         .memory = VECWIRE_QDRANT_COLD,
         .on_disk = VECWIRE_QDRANT_OFF,
         .multi = true,
         .hnsw_config = "{\"ef_construct\":4}",
         .quantization_config = "{\"turbo\":{}}",
         .more = " { \"new\":1 } "}};

    expect_created(
        create(VECWIRE_QDRANT_CREATE(.vectors = vectors, .n_vectors = 2)),
        "{\"vectors\":{\"\":{\"size\":1,\"distance\":\"Cosine\"},"
        "\"a\xc3\xa4\":{\"size\":65536,\"distance\":\"Manhattan\","
        "\"datatype\":\"uint8\",\"memory\":\"cold\",\"on_disk\":false,"
        "\"multivector_config\":{\"comparator\":\"max_sim\"},"
        "\"hnsw_config\":{\"ef_construct\":4},"
        "\"quantization_config\":{\"turbo\":{}},\"new\":1 }}}");
}
END_TEST

START_TEST(sparse_vectors_have_an_index_where_something_is_said_of_it)
{
    const struct vecwire_qdrant_sparse_config sparse[] = {
        {.name = "a"},
        {.name = "b",
         .full_scan_threshold = 5,
         .on_disk = VECWIRE_QDRANT_ON,
         .memory = VECWIRE_QDRANT_CACHED,
         .datatype = VECWIRE_QDRANT_FLOAT16,
         .idf = true,
         .more = "{\"x\":[]}"}};

    expect_created(
        create(VECWIRE_QDRANT_CREATE(.sparse_vectors = sparse,
                                     .n_sparse_vectors = 2)),
        "{\"sparse_vectors\":{\"a\":{},\"b\":{\"index\":{"
        "\"full_scan_threshold\":5,\"on_disk\":true,\"memory\":\"cached\","
        "\"datatype\":\"float16\"},\"modifier\":\"idf\",\"x\":[]}}}");
}
END_TEST

START_TEST(a_collection_has_all_its_settings)
{
    expect_created(
        create(VECWIRE_QDRANT_CREATE(
                .hnsw_config = "{\"m\":0}", .optimizers_config = "{\"a\":1}",
                .wal_config = "{\"wal_capacity_mb\":1}",
                .quantization_config = "{\"b\":2}",
                .strict_mode_config = "{\"c\":3}", .metadata = "{\"d\":null}",
                .payload = "{\"memory\":\"cold\"}", .more = "{\"e\":5}",
                .shard_number = 1, .replication_factor = 2,
                .write_consistency_factor = 3,
                .on_disk_payload = VECWIRE_QDRANT_ON, .custom_sharding = true)),
        "{\"shard_number\":1,\"sharding_method\":\"custom\","
        "\"replication_factor\":2,\"write_consistency_factor\":3,"
        "\"on_disk_payload\":true,\"hnsw_config\":{\"m\":0},"
        "\"optimizers_config\":{\"a\":1},"
        "\"wal_config\":{\"wal_capacity_mb\":1},"
        "\"quantization_config\":{\"b\":2},\"strict_mode_config\":{\"c\":3},"
        "\"metadata\":{\"d\":null},\"payload\":{\"memory\":\"cold\"},"
        "\"e\":5}");
}
END_TEST

START_TEST(more_members_may_be_a_tree)
{
    json_t *tree = json_pack("{s:i,s:[]}", "x", 1, "y");

    expect_created(
        create(VECWIRE_QDRANT_CREATE(.shard_number = 2, .more_tree = tree)),
        "{\"shard_number\":2,\"x\":1,\"y\":[]}");
    json_decref(tree);
}
END_TEST

START_TEST(more_may_be_empty)
{
    expect_created(
        create(VECWIRE_QDRANT_CREATE(.shard_number = 2, .more = " { } ")),
        "{\"shard_number\":2}");
}
END_TEST

START_TEST(a_timeout_is_sent_in_seconds)
{
    params.timeout_ms = 1;
    settings.qdrant = &params;
    expect(create(VECWIRE_QDRANT_CREATE(0)), VECWIRE__PUT,
           COLLECTION "?timeout=1", "{}");
}
END_TEST

/* --- refusals --- */

static const struct {
    struct vecwire_qdrant_vector_config vector;
    const char *words;
} bad_vectors[] = {
    {{.size = 0, .distance = 1}, "vectors[0].size is 0, expected 1 to 65536"},
    {{.size = 65537, .distance = 1}, "vectors[0].size is 65537"},
    {{.size = 1}, "vectors[0].distance is 0"},
    {{.size = 1, .distance = 5}, "vectors[0].distance is 5"},
    {{.size = 1, .distance = 1, .datatype = 5}, "datatype is 5"},
    {{.size = 1, .distance = 1, .memory = 3}, "memory is 3"},
    {{.size = 1, .distance = 1, .on_disk = 3}, "on_disk is 3"},
    {{.size = 1, .distance = 1, .name = "a/b"}, "has one of <"},
    {{.size = 1, .distance = 1, .hnsw_config = "{\"ef_construct\":3}"},
     "vectors[0].hnsw_config.ef_construct is 3, expected at least 4"},
    {{.size = 1, .distance = 1, .hnsw_config = "[]"}, "expected an object"},
    {{.size = 1, .distance = 1, .hnsw_config = "{"}, "is not JSON"},
    {{.size = 1, .distance = 1, .more = "{\"size\":2}"}, "vectors[0].size: "},
};

START_TEST(a_vector_that_cannot_be_is_refused)
{
    expect_refused(
        create(VECWIRE_QDRANT_CREATE(.vectors = &bad_vectors[_i].vector,
                                     .n_vectors = 1)),
        VECWIRE_EINVAL, bad_vectors[_i].words);
}
END_TEST

static const struct {
    struct vecwire_qdrant_create_request request;
    const char *words;
} bad_collections[] = {
    {{.hnsw_config = "{\"ef_construct\":0}"}, "hnsw_config.ef_construct is 0"},
    {{.hnsw_config = "{\"full_scan_threshold\":9}"},
     "hnsw_config.full_scan_threshold is 9, expected at least 10"},
    {{.hnsw_config = "{\"ef_construct\":\"x\"}"}, "ef_construct"},
    {{.wal_config = "{\"wal_capacity_mb\":0}"}, "wal_config.wal_capacity_mb"},
    {{.more = "{\"shard_number\":0}"}, "shard_number is 0, expected at least"},
    {{.more = "{\"shard_number\":-1}"}, "shard_number"},
    {{.more = "{\"replication_factor\":0}"}, "replication_factor is 0"},
    {{.more = "{\"write_consistency_factor\":0}"}, "write_consistency_factor"},
    {{.shard_number = 1, .more = "{\"shard_number\":1}"}, "shard_number: "},
    {{.metadata = "{}", .more = "{\"metadata\":{}}"}, "metadata: "},
    {{.on_disk_payload = 3}, "on_disk_payload is 3"},
    {{.n_vectors = 1}, "vectors is NULL"},
    {{.n_sparse_vectors = 1}, "sparse_vectors is NULL"},
    {{.more = "[]"}, "more: expected an object"},
    {{.optimizers_config = "{\"vacuum_min_vector_number\":99}"},
     "optimizers_config.vacuum_min_vector_number is 99, expected at least 100"},
    {{.optimizers_config = "{\"max_segment_size\":0}"}, "max_segment_size"},
    {{.optimizers_config = "{\"deleted_threshold\":1.5}"},
     "optimizers_config.deleted_threshold: expected 0 to 1"},
    {{.quantization_config =
          "{\"scalar\":{\"type\":\"int8\",\"quantile\":0.4}}"},
     "quantization_config.scalar.quantile: expected 0.5 to 1"},
    {{.strict_mode_config = "{\"read_rate_limit\":0}"},
     "strict_mode_config.read_rate_limit is 0"},
};

START_TEST(a_collection_that_cannot_be_is_refused)
{
    expect_refused(create(bad_collections[_i].request), VECWIRE_EINVAL,
                   bad_collections[_i].words);
}
END_TEST

START_TEST(numbers_at_their_limits_are_taken)
{
    ck_assert_int_eq(
        create(VECWIRE_QDRANT_CREATE(
                .hnsw_config =
                    "{\"full_scan_threshold\":10,\"ef_construct\":4}",
                .optimizers_config = "{\"deleted_threshold\":1,"
                                     "\"vacuum_min_vector_number\":100,"
                                     "\"max_segment_size\":null,"
                                     "\"max_optimization_threads\":\"auto\"}",
                .quantization_config = "{\"scalar\":{\"quantile\":0.5}}",
                .strict_mode_config = "{\"max_query_limit\":1}")),
        VECWIRE_OK);
}
END_TEST

START_TEST(names_of_vectors_differ)
{
    const struct vecwire_qdrant_vector_config vector = {
        .name = "a", .size = 1, .distance = 1};
    const struct vecwire_qdrant_sparse_config sparse = {.name = "a"};

    expect_refused(
        create(VECWIRE_QDRANT_CREATE(.vectors = &vector, .n_vectors = 1,
                                     .sparse_vectors = &sparse,
                                     .n_sparse_vectors = 1)),
        VECWIRE_EINVAL, "two vectors are named \"a\"");
}
END_TEST

START_TEST(a_sparse_vector_has_a_name)
{
    const struct vecwire_qdrant_sparse_config sparse = {.name = NULL};

    expect_refused(create(VECWIRE_QDRANT_CREATE(.sparse_vectors = &sparse,
                                                .n_sparse_vectors = 1)),
                   VECWIRE_EINVAL, "sparse_vectors[0] has no name");
}
END_TEST

START_TEST(a_collection_needs_a_name)
{
    settings.collection = NULL;
    expect_refused(create(VECWIRE_QDRANT_CREATE(0)), VECWIRE_EINVAL,
                   "no collection");
}
END_TEST

START_TEST(a_name_has_an_end)
{
    static char name[300];

    memset(name, 'x', 256);
    settings.collection = name;
    expect_refused(create(VECWIRE_QDRANT_CREATE(0)), VECWIRE_ETOOBIG,
                   "256 characters");
}
END_TEST

START_TEST(what_a_call_does_not_have_is_refused)
{
    params.wait = true;
    settings.qdrant = &params;
    expect_refused(create(VECWIRE_QDRANT_CREATE(0)), VECWIRE_EINVAL,
                   "params.wait");
}
END_TEST

/* --- changes --- */

START_TEST(a_collection_is_changed_by_what_is_given)
{
    expect(update(VECWIRE_QDRANT_UPDATE_COLLECTION(
                   .vectors = "{\"\":{\"hnsw_config\":{\"ef_construct\":4}}}",
                   .sparse_vectors = "{\"a\":{}}",
                   .optimizers_config = "{\"b\":1}",
                   .params = "{\"replication_factor\":1}", .hnsw_config = "{}",
                   .quantization_config = "\"Disabled\"",
                   .strict_mode_config = "{\"c\":1}",
                   .metadata = "{\"d\":null}", .more = "{\"e\":1}")),
           VECWIRE__PATCH, COLLECTION,
           "{\"vectors\":{\"\":{\"hnsw_config\":{\"ef_construct\":4}}},"
           "\"sparse_vectors\":{\"a\":{}},\"optimizers_config\":{\"b\":1},"
           "\"params\":{\"replication_factor\":1},\"hnsw_config\":{},"
           "\"quantization_config\":\"Disabled\","
           "\"strict_mode_config\":{\"c\":1},\"metadata\":{\"d\":null},"
           "\"e\":1}");
    ck_assert_int_eq(enc.class, VECWIRE__NEVER);
}
END_TEST

static const struct {
    struct vecwire_qdrant_update_collection_request request;
    const char *words;
} bad_changes[] = {
    {{.vectors = "{\"a\":{\"hnsw_config\":{\"ef_construct\":3}}}"},
     "hnsw_config.ef_construct is 3"},
    {{.params = "{\"replication_factor\":0}"}, "replication_factor is 0"},
    {{.hnsw_config = "{\"full_scan_threshold\":1}"}, "full_scan_threshold"},
    {{.metadata = "{}", .more = "{\"metadata\":1}"}, "metadata: "},
    {{.vectors = "[]"}, "vectors: expected an object"},
    {{.strict_mode_config = "{\"max_timeout\":0}"}, "max_timeout is 0"},
    {{.optimizers_config = "{\"max_segment_size\":0}"}, "max_segment_size"},
};

START_TEST(a_change_that_cannot_be_is_refused)
{
    expect_refused(update(bad_changes[_i].request), VECWIRE_EINVAL,
                   bad_changes[_i].words);
}
END_TEST

/* --- without memory --- */

static enum vecwire_err
create_all(void)
{
    const struct vecwire_qdrant_vector_config vectors[] = {
        {.size = 1, .distance = 1, .more = "{\"a\":1}"},
        {.name = "b", .size = 1, .distance = 1}};
    const struct vecwire_qdrant_sparse_config sparse = {.name = "c"};

    return create(VECWIRE_QDRANT_CREATE(.vectors = vectors, .n_vectors = 2,
                                        .sparse_vectors = &sparse,
                                        .n_sparse_vectors = 1,
                                        .more = "{\"d\":\"e\"}"));
}

static enum vecwire_err
update_all(void)
{
    return update(
        VECWIRE_QDRANT_UPDATE_COLLECTION(.vectors = "{\"a\":{},\"b\":{}}",
                                         .metadata = "{\"c\":[]}"));
}

START_TEST(without_memory_nothing_is_sent)
{
    struct counting_mem counter;
    enum vecwire_err err = VECWIRE_ENOMEM;
    size_t n = 0;

    counting_mem_init(&counter);
    while (err == VECWIRE_ENOMEM) {
        vecwire__buf_fini(&enc.text);
        setup();
        vecwire__buf_init(&enc.text, &counter.mem);
        counting_mem_arm(&counter, ++n, true);
        err = _i == 0 ? create_all() : update_all();
    }
    ck_assert_int_eq(err, VECWIRE_OK);
    ck_assert_uint_gt(n, 1);
    vecwire__buf_fini(&enc.text);
    ck_assert_uint_eq(counter.blocks, 0);
    setup();
}
END_TEST

/* --- what has no body --- */

static const struct {
    vecwire__encoder encoder;
    const char *path;
    enum vecwire__method method;
    enum vecwire__retry_class class;
} bare[] = {
    {vecwire__qdrant_encode_delete_collection, COLLECTION, VECWIRE__DELETE,
     VECWIRE__NEVER},
    {vecwire__qdrant_encode_collection_exists, COLLECTION "/exists",
     VECWIRE__GET, VECWIRE__READ},
    {vecwire__qdrant_encode_collection_info, COLLECTION, VECWIRE__GET,
     VECWIRE__READ},
    {vecwire__qdrant_encode_list_collections, "/p/collections", VECWIRE__GET,
     VECWIRE__READ},
    {vecwire__qdrant_encode_list_aliases, "/p/aliases", VECWIRE__GET,
     VECWIRE__READ},
    {vecwire__qdrant_encode_collection_aliases, COLLECTION "/aliases",
     VECWIRE__GET, VECWIRE__READ},
    {vecwire__qdrant_encode_list_snapshots, COLLECTION "/snapshots",
     VECWIRE__GET, VECWIRE__READ},
    {vecwire__qdrant_encode_create_snapshot, COLLECTION "/snapshots",
     VECWIRE__POST, VECWIRE__NEVER},
};

START_TEST(requests_without_a_body_go_to_their_paths)
{
    const struct vecwire_qdrant_admin_request request = VECWIRE_QDRANT_ADMIN(0);

    expect(bare[_i].encoder(&settings, &request, &enc, &refusal),
           bare[_i].method, bare[_i].path, NULL);
    ck_assert_int_eq(enc.class, bare[_i].class);
}
END_TEST

static void
add_tests(TCase *tc)
{
    tcase_add_test(tc, a_collection_may_have_one_unnamed_vector);
    tcase_add_test(tc, a_collection_may_have_no_vectors);
    tcase_add_test(tc, vectors_have_names_and_all_that_vectors_have);
    tcase_add_test(tc,
                   sparse_vectors_have_an_index_where_something_is_said_of_it);
    tcase_add_test(tc, a_collection_has_all_its_settings);
    tcase_add_test(tc, more_members_may_be_a_tree);
    tcase_add_test(tc, more_may_be_empty);
    tcase_add_test(tc, a_timeout_is_sent_in_seconds);
    tcase_add_loop_test(tc, a_vector_that_cannot_be_is_refused, 0,
                        sizeof(bad_vectors) / sizeof(bad_vectors[0]));
    tcase_add_loop_test(tc, a_collection_that_cannot_be_is_refused, 0,
                        sizeof(bad_collections) / sizeof(bad_collections[0]));
    tcase_add_test(tc, numbers_at_their_limits_are_taken);
    tcase_add_test(tc, names_of_vectors_differ);
    tcase_add_test(tc, a_sparse_vector_has_a_name);
    tcase_add_test(tc, a_collection_needs_a_name);
    tcase_add_test(tc, a_name_has_an_end);
    tcase_add_test(tc, what_a_call_does_not_have_is_refused);
    tcase_add_test(tc, a_collection_is_changed_by_what_is_given);
    tcase_add_loop_test(tc, a_change_that_cannot_be_is_refused, 0,
                        sizeof(bad_changes) / sizeof(bad_changes[0]));
    tcase_add_loop_test(tc, without_memory_nothing_is_sent, 0, 2);
    tcase_add_loop_test(tc, requests_without_a_body_go_to_their_paths, 0,
                        sizeof(bare) / sizeof(bare[0]));
}

int
main(void)
{
    return admin_main("qdrant admin", add_tests);
}
