/* SPDX-License-Identifier: Apache-2.0 */
/* What Qdrant is asked for when it is read, and what is refused before it is
 * sent. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "codec/mem.h"
#include "dialect/qdrant.h"

#define C "/collections/c%20d"
#define SELECTED ",\"with_payload\":false,\"with_vector\":false"

static struct vecwire__settings settings;
static struct vecwire__encoding enc;
static struct vecwire_refusal refusal;
static struct vecwire_qdrant_params params;
static const float floats[] = {1, 0.5f};
static const struct vecwire_vector dense = {.values = floats, .dim = 2};
static const uint64_t number = UINT64_MAX;

static void
setup(void)
{
    memset(&enc, 0, sizeof(enc));
    memset(&refusal, 0, sizeof(refusal));
    vecwire_qdrant_params_init(&params);
    settings = (struct vecwire__settings){
        .prefix = "", .collection = "c d", .json_depth = 128};
    vecwire__buf_init(&enc.text, &vecwire__mem_libc);
}

static void
teardown(void)
{
    vecwire__buf_fini(&enc.text);
}

/* It is sent, so. */
static void
expect(vecwire__encoder encode, const void *request, const char *path,
       const char *body)
{
    ck_assert_msg(encode(&settings, request, &enc, &refusal) == VECWIRE_OK,
                  "%s", refusal.text);
    ck_assert(vecwire__buf_byte(&enc.text, '\0'));
    ck_assert_str_eq(enc.text.bytes, path);
    ck_assert_int_eq(enc.class, VECWIRE__READ);
    ck_assert(enc.has_body == (body != NULL));
    if (body != NULL)
        ck_assert_str_eq(enc.text.bytes + enc.body_at, body);
}

/* It is refused, with these words. */
static void
expect_refused(vecwire__encoder encode, const void *request,
               enum vecwire_err code, const char *words)
{
    ck_assert_int_eq(encode(&settings, request, &enc, &refusal), code);
    ck_assert_msg(strstr(refusal.text, words) != NULL, "%s", refusal.text);
}

/* --- the verbs of all dialects --- */

START_TEST(a_query_says_all_that_has_a_default)
{
    expect(vecwire__qdrant_encode_query,
           &VECWIRE_QUERY(.vector = floats, .dim = 2), C "/points/query",
           "{\"query\":[1,0.5],\"limit\":10" SELECTED "}");
    ck_assert_uint_eq(enc.max_rows, 10);
}
END_TEST

START_TEST(a_query_has_name_filter_and_selectors)
{
    params.payload_selector = "[\"a.b\"]";
    params.vector_names = (const char *const[]){"v", ""};
    params.n_vector_names = 2;
    params.shard_key = "12";
    params.consistency = VECWIRE_QDRANT_QUORUM;
    params.timeout_ms = 1001;
    settings.qdrant = &params;
    expect(vecwire__qdrant_encode_query,
           &VECWIRE_QUERY(.vector = floats, .dim = 2, .top_k = 3,
                          .vector_name = "v", .filter = "{\"must\":[]}"),
           C "/points/query?consistency=quorum&timeout=2",
           "{\"query\":[1,0.5],\"using\":\"v\",\"limit\":3,"
           "\"filter\":{\"must\":[]},\"with_payload\":[\"a.b\"],"
           "\"with_vector\":[\"v\",\"\"],\"shard_key\":12}");
}
END_TEST

START_TEST(a_query_by_text_is_not_offered)
{
    expect_refused(vecwire__qdrant_encode_query, &VECWIRE_QUERY(.text = "x"),
                   VECWIRE_EUNSUPPORTED, "text");
}
END_TEST

START_TEST(a_query_without_a_vector_is_refused)
{
    expect_refused(vecwire__qdrant_encode_query, &VECWIRE_QUERY(.top_k = 1),
                   VECWIRE_EINVAL, "vector");
}
END_TEST

START_TEST(a_component_that_is_not_finite_is_named)
{
    const float bad[] = {1, 2, INFINITY};

    expect_refused(vecwire__qdrant_encode_query,
                   &VECWIRE_QUERY(.vector = bad, .dim = 3), VECWIRE_EINVAL,
                   "finite");
    ck_assert_uint_eq(refusal.coordinate, 2);
}
END_TEST

START_TEST(points_are_asked_for_by_number_and_by_text)
{
    static const char *const ids[] = {
        "7", "urn:uuid:5C56C793-69F3-4FBF-87E6-C4BF54C28C26"};

    expect(vecwire__qdrant_encode_get,
           &VECWIRE_GET(.ids = ids, .rows = 2, .with_payload = true),
           C "/points",
           "{\"ids\":[7,\"5c56c793-69f3-4fbf-87e6-c4bf54c28c26\"],"
           "\"with_payload\":true,\"with_vector\":false}");
    ck_assert_uint_eq(enc.max_rows, 2);
    teardown();
    setup();
    expect(vecwire__qdrant_encode_get,
           &VECWIRE_GET(.numbers = &number, .rows = 1, .with_vector = true),
           C "/points",
           "{\"ids\":[18446744073709551615],"
           "\"with_payload\":false,\"with_vector\":true}");
}
END_TEST

START_TEST(what_is_no_id_is_named)
{
    static const char *const bad[] = {"-1", "1.0", "18446744073709551616", "",
                                      "x"};
    const char *const ids[] = {"7", bad[_i]};

    expect_refused(vecwire__qdrant_encode_get,
                   &VECWIRE_GET(.ids = ids, .rows = 2), VECWIRE_EINVAL, "id");
    ck_assert_uint_eq(refusal.row, 1);
}
END_TEST

START_TEST(a_page_begins_at_its_offset)
{
    expect(vecwire__qdrant_encode_scroll,
           &VECWIRE_SCROLL(.offset = "9", .limit = 5, .filter = "{}"),
           C "/points/scroll",
           "{\"offset\":9,\"limit\":5,\"filter\":{}" SELECTED "}");
    ck_assert_uint_eq(enc.max_rows, 5);
}
END_TEST

START_TEST(a_page_in_an_order_has_no_offset)
{
    params.order_by = "{\"key\":\"n\"}";
    settings.qdrant = &params;
    expect(vecwire__qdrant_encode_scroll, &VECWIRE_SCROLL(.limit = 5),
           C "/points/scroll",
           "{\"limit\":5,\"order_by\":{\"key\":\"n\"}" SELECTED "}");
    expect_refused(vecwire__qdrant_encode_scroll,
                   &VECWIRE_SCROLL(.offset = "9"), VECWIRE_EINVAL, "order_by");
}
END_TEST

START_TEST(a_count_is_exact_unless_an_estimate_will_do)
{
    expect(vecwire__qdrant_encode_count, &VECWIRE_COUNT(.filter = NULL),
           C "/points/count", "{\"exact\":true}");
    teardown();
    setup();
    expect(vecwire__qdrant_encode_count,
           &VECWIRE_COUNT(.approximate = true, .filter = "{}"),
           C "/points/count", "{\"exact\":false,\"filter\":{}}");
}
END_TEST

START_TEST(a_parameter_that_reads_do_not_have_is_named)
{
    params.wait = true;
    settings.qdrant = &params;
    expect_refused(vecwire__qdrant_encode_count, &VECWIRE_COUNT(.filter = NULL),
                   VECWIRE_EINVAL, "params.wait");
}
END_TEST

/* --- queries of Qdrant's own --- */

static void
expect_search(struct vecwire_qdrant_search search, const char *body)
{
    expect(vecwire__qdrant_encode_search,
           &VECWIRE_QDRANT_QUERY(.search = search), C "/points/query", body);
}

static void
expect_bad_search(struct vecwire_qdrant_search search, enum vecwire_err code,
                  const char *words)
{
    expect_refused(vecwire__qdrant_encode_search,
                   &VECWIRE_QDRANT_QUERY(.search = search), code, words);
}

START_TEST(a_search_is_by_a_sparse_vector)
{
    static const uint32_t indices[] = {9, UINT32_MAX};
    const struct vecwire_vector sparse = {
        .values = floats, .indices = indices, .dim = 2};

    expect_search(
        (struct vecwire_qdrant_search){.vector = &sparse, .vector_name = "s"},
        "{\"query\":{\"indices\":[9,4294967295],\"values\":[1,0.5]},"
        "\"using\":\"s\",\"limit\":10" SELECTED "}");
}
END_TEST

START_TEST(a_search_is_by_a_multi_vector)
{
    const struct vecwire_vector multi = {.values = floats, .dim = 1, .rows = 2};

    expect_search((struct vecwire_qdrant_search){.vector = &multi},
                  "{\"query\":[[1],[0.5]],\"limit\":10" SELECTED "}");
}
END_TEST

START_TEST(a_search_is_by_an_inference_object)
{
    const struct vecwire_vector text = {.inference = "{\"text\":\"x\"}"};

    expect_search((struct vecwire_qdrant_search){.vector = &text},
                  "{\"query\":{\"text\":\"x\"},\"limit\":10" SELECTED "}");
}
END_TEST

START_TEST(a_search_is_by_a_point_there_or_elsewhere)
{
    expect_search(
        (struct vecwire_qdrant_search){.number = &number,
                                       .lookup_from = "{\"collection\":\"o\"}"},
        "{\"query\":18446744073709551615,"
        "\"lookup_from\":{\"collection\":\"o\"},\"limit\":10" SELECTED "}");
}
END_TEST

START_TEST(a_search_is_by_any_object)
{
    expect_search(
        (struct vecwire_qdrant_search){.query = "{\"sample\":\"random\"}",
                                       .params = "{\"exact\":true}",
                                       .limit = 2,
                                       .score_threshold = 0.1f,
                                       .has_score_threshold = true},
        "{\"query\":{\"sample\":\"random\"},\"params\":{\"exact\":true},"
        "\"score_threshold\":0.1,\"limit\":2" SELECTED "}");
}
END_TEST

START_TEST(prefetches_stand_in_each_other_with_limits_of_their_own)
{
    const struct vecwire_qdrant_search inner = {.vector = &dense, .limit = 7};
    const struct vecwire_qdrant_search outer[] = {
        {.id = "3", .prefetch = &inner, .n_prefetch = 1}, {.filter = "{}"}};

    expect_search(
        (struct vecwire_qdrant_search){.query = "{\"fusion\":\"rrf\"}",
                                       .prefetch = outer,
                                       .n_prefetch = 2,
                                       .limit = 4},
        "{\"query\":{\"fusion\":\"rrf\"},\"prefetch\":["
        "{\"query\":3,\"prefetch\":[{\"query\":[1,0.5],\"limit\":7}],"
        "\"limit\":10},{\"filter\":{},\"limit\":10}],\"limit\":4" SELECTED "}");
}
END_TEST

START_TEST(a_prefetch_needs_a_query_behind_it)
{
    const struct vecwire_qdrant_search inner = {.vector = &dense};

    expect_bad_search(
        (struct vecwire_qdrant_search){.prefetch = &inner, .n_prefetch = 1},
        VECWIRE_EINVAL, "prefetch");
}
END_TEST

START_TEST(prefetches_are_at_most_64_deep)
{
    struct vecwire_qdrant_search all[66];

    for (size_t i = 0; i < 66; i++)
        all[i] = (struct vecwire_qdrant_search){.vector = &dense,
                                                .prefetch =
                                                    i == 0 ? NULL : &all[i - 1],
                                                .n_prefetch = i > 0};
    ck_assert_int_eq(vecwire__qdrant_encode_search(
                         &settings, &VECWIRE_QDRANT_QUERY(.search = all[64]),
                         &enc, &refusal),
                     VECWIRE_OK);
    teardown();
    setup();
    expect_bad_search(all[65], VECWIRE_ETOOBIG, "64");
}
END_TEST

START_TEST(a_search_is_by_one_thing)
{
    expect_bad_search(
        (struct vecwire_qdrant_search){.vector = &dense, .id = "1"},
        VECWIRE_EINVAL, "more than one");
    expect_bad_search(
        (struct vecwire_qdrant_search){.number = &number, .id = "1"},
        VECWIRE_EINVAL, "more than one");
}
END_TEST

START_TEST(a_threshold_needs_a_query)
{
    expect_bad_search(
        (struct vecwire_qdrant_search){.has_score_threshold = true},
        VECWIRE_EINVAL, "score_threshold");
}
END_TEST

START_TEST(a_threshold_is_finite)
{
    expect_bad_search(
        (struct vecwire_qdrant_search){.vector = &dense,
                                       .has_score_threshold = true,
                                       .score_threshold = NAN},
        VECWIRE_EINVAL, "score_threshold");
}
END_TEST

START_TEST(each_query_of_a_batch_has_the_shard_key)
{
    const struct vecwire_qdrant_query_request queries[] = {
        VECWIRE_QDRANT_QUERY(.search = {.id = "1", .limit = 2}, .offset = 5),
        VECWIRE_QDRANT_QUERY(.with_payload = true)};
    const struct vecwire_qdrant_query_batch_request batch = {
        .size = sizeof(batch), .queries = queries, .n = 2};

    params.shard_key = "\"k\"";
    settings.qdrant = &params;
    expect(vecwire__qdrant_encode_batch, &batch, C "/points/query/batch",
           "{\"searches\":[{\"query\":1,\"limit\":2,\"offset\":5" SELECTED
           ",\"shard_key\":\"k\"},{\"limit\":10,\"with_payload\":true,"
           "\"with_vector\":false,\"shard_key\":\"k\"}]}");
    ck_assert_uint_eq(enc.max_rows, 12);
}
END_TEST

START_TEST(a_batch_of_no_queries_is_sent)
{
    const struct vecwire_qdrant_query_batch_request batch = {.size =
                                                                 sizeof(batch)};

    expect(vecwire__qdrant_encode_batch, &batch, C "/points/query/batch",
           "{\"searches\":[]}");
}
END_TEST

START_TEST(the_query_of_a_batch_that_is_wrong_is_named)
{
    const struct vecwire_qdrant_query_request queries[] = {
        VECWIRE_QDRANT_QUERY(.offset = 5),
        VECWIRE_QDRANT_QUERY(.search = {.id = "x"})};
    const struct vecwire_qdrant_query_batch_request batch = {
        .size = sizeof(batch), .queries = queries, .n = 2};

    expect_refused(vecwire__qdrant_encode_batch, &batch, VECWIRE_EINVAL, "id");
    ck_assert_uint_eq(refusal.row, 1);
}
END_TEST

static struct vecwire_qdrant_query_request grouped;

static struct vecwire_qdrant_query_groups_request
groups_by(const char *path)
{
    grouped = VECWIRE_QDRANT_QUERY(.search = {.vector = &dense, .limit = 2});
    return (struct vecwire_qdrant_query_groups_request){
        .size = sizeof(struct vecwire_qdrant_query_groups_request),
        .query = &grouped,
        .group_by = path};
}

START_TEST(groups_have_a_key_a_size_and_a_lookup)
{
    struct vecwire_qdrant_query_groups_request groups = groups_by("a.b[]");

    groups.with_lookup = "\"o\"";
    expect(vecwire__qdrant_encode_groups, &groups, C "/points/query/groups",
           "{\"query\":[1,0.5],\"limit\":2" SELECTED
           ",\"group_by\":\"a.b[]\",\"group_size\":3,\"with_lookup\":\"o\"}");
    ck_assert_uint_eq(enc.max_rows, 8);
}
END_TEST

START_TEST(groups_have_no_offset)
{
    struct vecwire_qdrant_query_groups_request groups = groups_by("a");

    grouped.offset = 1;
    expect_refused(vecwire__qdrant_encode_groups, &groups, VECWIRE_EINVAL,
                   "offset");
}
END_TEST

START_TEST(a_facet_has_a_key)
{
    struct vecwire_qdrant_facet_request facet = {.size = sizeof(facet),
                                                 .key = "a.b"};

    expect(vecwire__qdrant_encode_facet, &facet, C "/facet",
           "{\"key\":\"a.b\",\"limit\":10,\"exact\":false}");
    facet.key = "a..b";
    expect_refused(vecwire__qdrant_encode_facet, &facet, VECWIRE_EINVAL, "key");
}
END_TEST

START_TEST(one_point_has_a_path)
{
    static const char *const id = "5c56c79369f34fbf87e6c4bf54c28c26";

    params.consistency = 2;
    settings.qdrant = &params;
    expect(vecwire__qdrant_encode_point, &VECWIRE_GET(.ids = &id, .rows = 1),
           C "/points/5c56c793-69f3-4fbf-87e6-c4bf54c28c26"
             "?consistency=2",
           NULL);
    ck_assert_uint_eq(enc.max_rows, 1);
    expect_refused(vecwire__qdrant_encode_point, &VECWIRE_GET(.rows = 1),
                   VECWIRE_EINVAL, "one id");
}
END_TEST

static void
add_common_tests(TCase *tc)
{
    tcase_add_test(tc, a_query_says_all_that_has_a_default);
    tcase_add_test(tc, a_query_has_name_filter_and_selectors);
    tcase_add_test(tc, a_query_by_text_is_not_offered);
    tcase_add_test(tc, a_query_without_a_vector_is_refused);
    tcase_add_test(tc, a_component_that_is_not_finite_is_named);
    tcase_add_test(tc, points_are_asked_for_by_number_and_by_text);
    tcase_add_loop_test(tc, what_is_no_id_is_named, 0, 5);
    tcase_add_test(tc, a_page_begins_at_its_offset);
    tcase_add_test(tc, a_page_in_an_order_has_no_offset);
    tcase_add_test(tc, a_count_is_exact_unless_an_estimate_will_do);
    tcase_add_test(tc, a_parameter_that_reads_do_not_have_is_named);
}

static void
add_search_tests(TCase *tc)
{
    tcase_add_test(tc, a_search_is_by_a_sparse_vector);
    tcase_add_test(tc, a_search_is_by_a_multi_vector);
    tcase_add_test(tc, a_search_is_by_an_inference_object);
    tcase_add_test(tc, a_search_is_by_a_point_there_or_elsewhere);
    tcase_add_test(tc, a_search_is_by_any_object);
    tcase_add_test(tc, prefetches_stand_in_each_other_with_limits_of_their_own);
    tcase_add_test(tc, a_prefetch_needs_a_query_behind_it);
    tcase_add_test(tc, prefetches_are_at_most_64_deep);
    tcase_add_test(tc, a_search_is_by_one_thing);
    tcase_add_test(tc, a_threshold_needs_a_query);
    tcase_add_test(tc, a_threshold_is_finite);
    tcase_add_test(tc, each_query_of_a_batch_has_the_shard_key);
    tcase_add_test(tc, a_batch_of_no_queries_is_sent);
    tcase_add_test(tc, the_query_of_a_batch_that_is_wrong_is_named);
    tcase_add_test(tc, groups_have_a_key_a_size_and_a_lookup);
    tcase_add_test(tc, groups_have_no_offset);
    tcase_add_test(tc, a_facet_has_a_key);
    tcase_add_test(tc, one_point_has_a_path);
}

int
main(void)
{
    Suite *suite = suite_create("qdrant reads");
    TCase *tc = tcase_create("requests");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_checked_fixture(tc, setup, teardown);
    add_common_tests(tc);
    add_search_tests(tc);
    suite_add_tcase(suite, tc);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
