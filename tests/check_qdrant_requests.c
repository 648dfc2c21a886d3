/* SPDX-License-Identifier: Apache-2.0 */
/* What is asked of Qdrant: path and body of every read, and of its parts. */
#include <check.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include <jansson.h>

#include "tests/qdrant_fixture.h"

#define QUERY vecwire__qdrant_encode_query
#define SEARCH vecwire__qdrant_encode_search
#define BATCH vecwire__qdrant_encode_batch
#define SCROLL vecwire__qdrant_encode_scroll
#define COUNT vecwire__qdrant_encode_count
#define C "/collections/c"
#define PLAIN "\"with_payload\":false,\"with_vector\":false}"
#define LIMIT "\"limit\":10," PLAIN
#define UUID "550e8400-e29b-41d4-a716-446655440000"

static struct qdrant_fixture f;
static const float vec[] = {1, 0.5F, -2};
static const struct vecwire_vector dense = {.values = vec, .dim = 3};

static void
setup(void)
{
    qdrant_begin(&f);
}

static void
teardown(void)
{
    qdrant_end(&f);
}

/* --- query and scroll, count, get --- */

START_TEST(a_query_sends_its_limit_and_both_selectors)
{
    QDRANT_SENDS(&f, QUERY, &VECWIRE_QUERY(.vector = vec, .dim = 3),
                 C "/points/query", "{\"query\":[1,0.5,-2]," LIMIT);
    QDRANT_SENDS(&f, QUERY,
                 &VECWIRE_QUERY(.vector = vec, .dim = 1, .top_k = UINT32_MAX,
                                .filter = "{\"must\":[]}", .vector_name = "a b",
                                .with_payload = true, .with_vector = true),
                 C "/points/query",
                 "{\"query\":[1],\"using\":\"a b\",\"limit\":4294967295,"
                 "\"filter\":{\"must\":[]},\"with_payload\":true,"
                 "\"with_vector\":true}");
}
END_TEST

START_TEST(a_query_by_text_is_not_supported)
{
    ck_assert_int_eq(qdrant_encode(&f, QUERY, &VECWIRE_QUERY(.text = "a")),
                     VECWIRE_EUNSUPPORTED);
}
END_TEST

START_TEST(a_query_s_vector_has_a_dimension_that_the_server_takes)
{
    QDRANT_REFUSES(&f, QUERY, &VECWIRE_QUERY(.vector = vec), VECWIRE_EINVAL,
                   SIZE_MAX, "dim is 0, expected at least 1");
    QDRANT_REFUSES(&f, QUERY, &VECWIRE_QUERY(.dim = 3), VECWIRE_EINVAL,
                   SIZE_MAX, "a vector's values are NULL");
    QDRANT_REFUSES(&f, QUERY, &VECWIRE_QUERY(.vector = vec, .dim = 65537),
                   VECWIRE_ETOOBIG, SIZE_MAX,
                   "dim is 65537, Qdrant takes at most 65536");
    QDRANT_REFUSES(&f, QUERY,
                   &VECWIRE_QUERY(.vector = vec, .dim = SIZE_MAX / 2),
                   VECWIRE_ETOOBIG, SIZE_MAX,
                   "dim is 9223372036854775807, Qdrant takes at most 65536");
}
END_TEST

START_TEST(a_scroll_begins_at_its_offset)
{
    QDRANT_SENDS(&f, SCROLL, &VECWIRE_SCROLL(.limit = 0), C "/points/scroll",
                 "{" LIMIT);
    QDRANT_SENDS(&f, SCROLL,
                 &VECWIRE_SCROLL(.offset = "18446744073709551615", .limit = 7,
                                 .filter = "{}", .with_payload = true),
                 C "/points/scroll",
                 "{\"offset\":18446744073709551615,\"limit\":7,"
                 "\"filter\":{},\"with_payload\":true,\"with_vector\":false}");
    QDRANT_SENDS(&f, SCROLL, &VECWIRE_SCROLL(.offset = UUID),
                 C "/points/scroll", "{\"offset\":\"" UUID "\"," LIMIT);
    QDRANT_REFUSES(&f, SCROLL, &VECWIRE_SCROLL(.offset = ""), VECWIRE_EINVAL,
                   SIZE_MAX,
                   "id \"\": expected a number 0 to 2^64-1 or a UUID");
}
END_TEST

START_TEST(a_scroll_in_another_order_has_no_offset)
{
    f.settings.qdrant = &f.params;
    f.params.order_by = "{\"key\":\"n\",\"direction\":\"desc\"}";
    QDRANT_SENDS(&f, SCROLL, &VECWIRE_SCROLL(.limit = 2), C "/points/scroll",
                 "{\"limit\":2,\"order_by\":{\"key\":\"n\",\"direction\":"
                 "\"desc\"}," PLAIN);
    QDRANT_REFUSES(&f, SCROLL, &VECWIRE_SCROLL(.offset = "1"), VECWIRE_EINVAL,
                   SIZE_MAX,
                   "offset: there is none with order_by, page by its "
                   "start_from");
    f.params.order_by = "1";
    QDRANT_REFUSES(&f, SCROLL, &VECWIRE_SCROLL(.limit = 2), VECWIRE_EINVAL,
                   SIZE_MAX, "order_by: expected an object a string ");
}
END_TEST

START_TEST(a_count_is_exact_unless_an_estimate_will_do)
{
    QDRANT_SENDS(&f, COUNT, &VECWIRE_COUNT(.filter = "{\"should\":[]}"),
                 C "/points/count",
                 "{\"exact\":true,\"filter\":{\"should\":[]}}");
    QDRANT_SENDS(&f, COUNT, &VECWIRE_COUNT(.approximate = true),
                 C "/points/count", "{\"exact\":false}");
}
END_TEST

/* --- every query --- */

static void
sends_search(const struct vecwire_qdrant_search *search, const char *body)
{
    QDRANT_SENDS(&f, SEARCH, &VECWIRE_QDRANT_QUERY(.search = *search),
                 C "/points/query", body);
}

static void
refuses_search(const struct vecwire_qdrant_search *search,
               enum vecwire_err code, const char *text)
{
    QDRANT_REFUSES(&f, SEARCH, &VECWIRE_QDRANT_QUERY(.search = *search), code,
                   SIZE_MAX, text);
}

START_TEST(a_search_may_be_for_a_vector_of_any_kind)
{
    static const uint32_t indices[] = {9, 4294967295, 0};
    const struct vecwire_vector sparse = {
        .name = "left out", .values = vec, .indices = indices, .dim = 3};
    const struct vecwire_vector empty = {.indices = indices};
    const struct vecwire_vector multi = {.values = vec, .dim = 1, .rows = 3};
    const struct vecwire_vector text = {.inference =
                                            "{\"text\":\"x\",\"model\":\"m\"}"};

    sends_search(&(struct vecwire_qdrant_search){.vector = &dense},
                 "{\"query\":[1,0.5,-2]," LIMIT);
    sends_search(&(struct vecwire_qdrant_search){.vector = &sparse},
                 "{\"query\":{\"indices\":[9,4294967295,0],\"values\":"
                 "[1,0.5,-2]}," LIMIT);
    sends_search(&(struct vecwire_qdrant_search){.vector = &empty},
                 "{\"query\":{\"indices\":[],\"values\":[]}," LIMIT);
    sends_search(&(struct vecwire_qdrant_search){.vector = &multi},
                 "{\"query\":[[1],[0.5],[-2]]," LIMIT);
    sends_search(&(struct vecwire_qdrant_search){.vector = &text},
                 "{\"query\":{\"text\":\"x\",\"model\":\"m\"}," LIMIT);
}
END_TEST

START_TEST(floats_are_sent_shortest_and_read_back_as_they_were)
{
    const float values[] = {0.1F, FLT_MAX, FLT_TRUE_MIN, -0.0F};

    QDRANT_SENDS(&f, QUERY, &VECWIRE_QUERY(.vector = values, .dim = 4),
                 C "/points/query",
                 "{\"query\":[0.1,3.4028235e38,1e-45,-0]," LIMIT);
}
END_TEST

START_TEST(vectors_that_are_none_are_refused)
{
    static const uint32_t twice[] = {7, 3, 7};
    static const struct {
        struct vecwire_vector vector;
        enum vecwire_err code;
        const char *text;
    } rows[] = {
        {{.dim = 1}, VECWIRE_EINVAL, "a vector's values are NULL"},
        {{.values = vec}, VECWIRE_EINVAL, "dim is 0, expected at least 1"},
        {{.indices = twice, .dim = 1},
         VECWIRE_EINVAL,
         "a vector's values are NULL"},
        {{.indices = twice, .values = vec, .dim = 3},
         VECWIRE_EINVAL,
         "a sparse vector has an index twice"},
        {{.indices = twice, .values = vec, .dim = 1, .rows = 1},
         VECWIRE_EINVAL,
         "a vector is sparse and multi at once"},
        {{.inference = "{}", .values = vec, .dim = 1},
         VECWIRE_EINVAL,
         "a vector has values and an inference object"},
        {{.inference = "[]"}, VECWIRE_EINVAL, "inference: expected an object "},
        {{.values = vec, .dim = 1024, .rows = 1024},
         VECWIRE_ETOOBIG,
         "a multi-vector of 1024 x 1024, Qdrant takes fewer than 1048576 "
         "floats"},
        {{.values = vec, .dim = 65536, .rows = SIZE_MAX},
         VECWIRE_ETOOBIG,
         "a multi-vector of 18446744073709551615 x 65536, Qdrant takes fewer "
         "than 1048576 floats"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        refuses_search(
            &(struct vecwire_qdrant_search){.vector = &rows[i].vector},
            rows[i].code, rows[i].text);
}
END_TEST

START_TEST(a_float_that_is_none_is_refused_with_its_place)
{
    const float values[] = {0, 1, 2, INFINITY};
    const struct vecwire_vector multi = {.values = values, .dim = 2, .rows = 2};

    refuses_search(&(struct vecwire_qdrant_search){.vector = &multi},
                   VECWIRE_EINVAL, "vector: coordinate 3 is NaN or infinite");
    ck_assert_int_eq(
        qdrant_encode(&f, SEARCH,
                      &VECWIRE_QDRANT_QUERY(.search = {.vector = &multi})),
        VECWIRE_EINVAL);
    ck_assert_uint_eq(f.refusal.coordinate, 3);
}
END_TEST

START_TEST(a_search_may_be_for_a_point_or_any_query)
{
    const uint64_t number = UINT64_MAX;
    json_t *tree = json_pack("{s:s}", "sample", "random");

    sends_search(&(struct vecwire_qdrant_search){.id = "12"},
                 "{\"query\":12," LIMIT);
    sends_search(&(struct vecwire_qdrant_search){.number = &number},
                 "{\"query\":18446744073709551615," LIMIT);
    sends_search(&(struct vecwire_qdrant_search){.query_tree = tree},
                 "{\"query\":{\"sample\":\"random\"}," LIMIT);
    sends_search(&(struct vecwire_qdrant_search){.limit = 3},
                 "{\"limit\":3," PLAIN);
    refuses_search(&(struct vecwire_qdrant_search){.query = "[1]"},
                   VECWIRE_EINVAL, "query: expected an object ");
    refuses_search(&(struct vecwire_qdrant_search){.query = "{\"a\":}"},
                   VECWIRE_EINVAL, "query is not JSON: not JSON at byte 5");
    refuses_search(
        &(struct vecwire_qdrant_search){.query = "{}", .query_tree = tree},
        VECWIRE_EINVAL, "query is given as text and as a tree");
    json_decref(tree);
    refuses_search(
        &(struct vecwire_qdrant_search){.id = "1", .number = &number},
        VECWIRE_EINVAL,
        "a search by more than one of vector, id, number and query");
    refuses_search(
        &(struct vecwire_qdrant_search){.vector = &dense, .query = "{}"},
        VECWIRE_EINVAL,
        "a search by more than one of vector, id, number and query");
}
END_TEST

START_TEST(a_prefetch_has_all_that_a_search_has_and_its_limit)
{
    const struct vecwire_qdrant_search inner = {.vector = &dense,
                                                .vector_name = "a"};
    const struct vecwire_qdrant_search outer[] = {
        {.query = "{\"fusion\":\"rrf\"}",
         .prefetch = &inner,
         .n_prefetch = 1,
         .limit = 100},
        {.id = "1",
         .filter = "{\"must\":[]}",
         .params = "{\"exact\":true}",
         .lookup_from = "{\"collection\":\"d\"}",
         .has_score_threshold = true,
         .score_threshold = 0.5F}};

    sends_search(
        &(struct vecwire_qdrant_search){.query = "{\"fusion\":\"dbsf\"}",
                                        .prefetch = outer,
                                        .n_prefetch = 2,
                                        .limit = 5},
        "{\"query\":{\"fusion\":\"dbsf\"},\"prefetch\":["
        "{\"query\":{\"fusion\":\"rrf\"},\"prefetch\":[{\"query\":[1,0.5,-2],"
        "\"using\":\"a\",\"limit\":10}],\"limit\":100},"
        "{\"query\":1,\"filter\":{\"must\":[]},\"params\":{\"exact\":true},"
        "\"lookup_from\":{\"collection\":\"d\"},\"score_threshold\":0.5,"
        "\"limit\":10}],\"limit\":5," PLAIN);
}
END_TEST

START_TEST(searches_that_the_server_would_refuse_are_not_sent)
{
    const struct vecwire_qdrant_search inner = {.vector = &dense};

    refuses_search(&(struct vecwire_qdrant_search){.n_prefetch = 1, .id = "1"},
                   VECWIRE_EINVAL, "prefetch is NULL, n_prefetch is 1");
    refuses_search(
        &(struct vecwire_qdrant_search){.prefetch = &inner, .n_prefetch = 1},
        VECWIRE_EINVAL, "a prefetch without a query behind it");
    refuses_search(&(struct vecwire_qdrant_search){.has_score_threshold = true},
                   VECWIRE_EINVAL, "score_threshold: there is no query");
    refuses_search(&(struct vecwire_qdrant_search){.id = "1",
                                                   .has_score_threshold = true,
                                                   .score_threshold = NAN},
                   VECWIRE_EINVAL, "score_threshold is NaN or infinite");
}
END_TEST

START_TEST(prefetches_are_64_deep_at_most)
{
    struct vecwire_qdrant_search chain[66] = {{.id = "1"}};

    for (size_t i = 0; i < 66; i++) {
        chain[i].id = "1";
        chain[i].prefetch = i == 65 ? NULL : &chain[i + 1];
        chain[i].n_prefetch = i < 65;
    }
    refuses_search(&chain[0], VECWIRE_ETOOBIG,
                   "prefetches are nested deeper than 64");
    ck_assert_int_eq(
        qdrant_encode(&f, SEARCH, &VECWIRE_QDRANT_QUERY(.search = chain[1])),
        VECWIRE_OK);
}
END_TEST

START_TEST(a_batch_sends_each_query)
{
    const struct vecwire_qdrant_query_request queries[] = {
        VECWIRE_QDRANT_QUERY(.search = {.id = "1", .limit = 2}, .offset = 3),
        VECWIRE_QDRANT_QUERY(.search = {.limit = 1}, .with_payload = true)};

    f.settings.qdrant = &f.params;
    f.params.shard_key = "\"k\"";
    QDRANT_SENDS(&f, BATCH,
                 &VECWIRE_QDRANT_QUERY_BATCH(.queries = queries, .n = 2),
                 C "/points/query/batch",
                 "{\"searches\":[{\"query\":1,\"limit\":2,\"offset\":3,"
                 "\"with_payload\":false,\"with_vector\":false,"
                 "\"shard_key\":\"k\"},{\"limit\":1,\"with_payload\":true,"
                 "\"with_vector\":false,\"shard_key\":\"k\"}]}");
    QDRANT_SENDS(&f, BATCH, &VECWIRE_QDRANT_QUERY_BATCH(.n = 0),
                 C "/points/query/batch", "{\"searches\":[]}");
}
END_TEST

START_TEST(a_bad_query_of_a_batch_is_named)
{
    struct vecwire_qdrant_query_request queries[] = {
        VECWIRE_QDRANT_QUERY(.search = {.id = "1"}),
        VECWIRE_QDRANT_QUERY(.search = {.id = "x"})};

    QDRANT_REFUSES(&f, BATCH,
                   &VECWIRE_QDRANT_QUERY_BATCH(.queries = queries, .n = 2),
                   VECWIRE_EINVAL, 1,
                   "row 1: id \"x\": expected a number 0 to 2^64-1 or a UUID");
    queries[0].size = 0;
    ck_assert_int_eq(
        qdrant_encode(&f, BATCH,
                      &VECWIRE_QDRANT_QUERY_BATCH(.queries = queries, .n = 2)),
        VECWIRE_EINVAL);
    ck_assert_uint_eq(f.refusal.row, 0);
    qdrant_again(&f);
    QDRANT_REFUSES(&f, BATCH, &VECWIRE_QDRANT_QUERY_BATCH(.n = 2),
                   VECWIRE_EINVAL, SIZE_MAX, "queries is NULL, n is 2");
}
END_TEST

static const struct {
    struct vecwire_qdrant_search search;
    const char *text;
} bad_json[] = {
    {{.vector = &dense, .params = "{\"hnsw_ef\":0}"},
     "params.hnsw_ef: expected a whole number of at least 1"},
    {{.vector = &dense, .params = "{\"hnsw_ef\":1.0}"},
     "params.hnsw_ef: expected a whole number of at least 1"},
    {{.vector = &dense, .params = "{\"quantization\":{\"oversampling\":0.5}}"},
     "params.quantization.oversampling: expected a number of at least 1"},
    {{.query = "{\"nearest\":[1],\"mmr\":{\"diversity\":1.5}}"},
     "query.mmr.diversity: expected a number from 0 to 1"},
    {{.query = "{\"nearest\":[1],\"mmr\":{\"candidates_limit\":16385}}"},
     "query.mmr.candidates_limit: expected a whole number up to 16384"},
    {{.query = "{\"rrf\":{\"k\":0}}"},
     "query.rrf.k: expected a whole number of at least 1"},
    {{.query = "{\"fusion\":\"RRF\"}"}, "query.fusion: expected rrf or dbsf"},
    {{.query = "{\"sample\":1}"}, "query.sample: expected random"},
    {{.query = "{\"recommend\":{\"positive\":[1],\"strategy\":\"best\"}}"},
     "query.recommend.strategy: expected average_vector, best_score or "
     "sum_scores"},
    {{.query = "{\"recommend\":{\"positive\":[],\"negative\":null}}"},
     "query.recommend: expected positive or negative examples"},
    {{.query = "{\"order_by\":{\"direction\":\"asc\"}}"},
     "order_by: expected a payload key such as a.b"},
    {{.query = "{\"order_by\":\"n\"}", .has_score_threshold = true},
     "score_threshold: an order_by has no scores"},
};

START_TEST(json_that_the_server_would_refuse_is_not_sent)
{
    const struct vecwire_qdrant_search outer = {
        .vector = &dense, .prefetch = &bad_json[_i].search, .n_prefetch = 1};

    QDRANT_REFUSES(&f, SEARCH,
                   &VECWIRE_QDRANT_QUERY(.search = bad_json[_i].search),
                   VECWIRE_EINVAL, SIZE_MAX, bad_json[_i].text);
    QDRANT_REFUSES(&f, SEARCH, &VECWIRE_QDRANT_QUERY(.search = outer),
                   VECWIRE_EINVAL, SIZE_MAX, bad_json[_i].text);
}
END_TEST

START_TEST(a_query_tree_is_looked_at_and_stays_the_caller_s)
{
    json_t *tree = json_pack("{s:{s:i}}", "rrf", "k", 0);

    ck_assert_ptr_nonnull(tree);
    QDRANT_REFUSES(&f, SEARCH,
                   &VECWIRE_QDRANT_QUERY(.search = {.query_tree = tree}),
                   VECWIRE_EINVAL, SIZE_MAX,
                   "query.rrf.k: expected a whole number of at least 1");
    ck_assert_uint_eq(tree->refcount, 1);
    json_decref(tree);
}
END_TEST

static const struct {
    const char *selector, *order_by, *text;
} bad_params[] = {
    {"{}", NULL,
     "with_payload: expected an array, or an object of either include or "
     "exclude with one"},
    {"{\"include\":[\"a\"],\"exclude\":[\"b\"]}", NULL,
     "with_payload: expected an array, or an object of either include or "
     "exclude with one"},
    {"{\"include\":\"a\"}", NULL,
     "with_payload: expected an array, or an object of either include or "
     "exclude with one"},
    {"[\"a\",\"b c\"]", NULL,
     "with_payload: key 1: expected a payload key such as a.b, a[].b, a[0] or "
     "\"any key\".b"},
    {"{\"exclude\":[1]}", NULL,
     "with_payload: key 0: expected a payload key such as a.b, a[].b, a[0] or "
     "\"any key\".b"},
    {NULL, "{}", "order_by: expected a payload key such as a.b"},
    {NULL, "\"a b\"", "order_by: expected a payload key such as a.b"},
    {NULL, "{\"key\":\"n\",\"direction\":\"up\"}",
     "order_by.direction: expected asc or desc"},
    {NULL, "{\"key\":\"n\",\"start_from\":[1]}",
     "order_by.start_from: expected a number or a datetime"},
};

START_TEST(selectors_and_orders_that_are_none_are_not_sent)
{
    f.settings.qdrant = &f.params;
    f.params.payload_selector = bad_params[_i].selector;
    f.params.order_by = bad_params[_i].order_by;
    QDRANT_REFUSES(&f, SCROLL, &VECWIRE_SCROLL(.limit = 2), VECWIRE_EINVAL,
                   SIZE_MAX, bad_params[_i].text);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("qdrant requests");
    TCase *tests = tcase_create("qdrant requests");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, a_query_sends_its_limit_and_both_selectors);
    tcase_add_test(tests, a_query_by_text_is_not_supported);
    tcase_add_test(tests,
                   a_query_s_vector_has_a_dimension_that_the_server_takes);
    tcase_add_test(tests, a_scroll_begins_at_its_offset);
    tcase_add_test(tests, a_scroll_in_another_order_has_no_offset);
    tcase_add_test(tests, a_count_is_exact_unless_an_estimate_will_do);
    tcase_add_test(tests, a_search_may_be_for_a_vector_of_any_kind);
    tcase_add_test(tests, floats_are_sent_shortest_and_read_back_as_they_were);
    tcase_add_test(tests, vectors_that_are_none_are_refused);
    tcase_add_test(tests, a_float_that_is_none_is_refused_with_its_place);
    tcase_add_test(tests, a_search_may_be_for_a_point_or_any_query);
    tcase_add_test(tests, a_prefetch_has_all_that_a_search_has_and_its_limit);
    tcase_add_test(tests, searches_that_the_server_would_refuse_are_not_sent);
    tcase_add_test(tests, prefetches_are_64_deep_at_most);
    tcase_add_test(tests, a_batch_sends_each_query);
    tcase_add_test(tests, a_bad_query_of_a_batch_is_named);
    tcase_add_loop_test(tests, json_that_the_server_would_refuse_is_not_sent, 0,
                        sizeof(bad_json) / sizeof(bad_json[0]));
    tcase_add_test(tests, a_query_tree_is_looked_at_and_stays_the_caller_s);
    tcase_add_loop_test(tests, selectors_and_orders_that_are_none_are_not_sent,
                        0, sizeof(bad_params) / sizeof(bad_params[0]));
    suite_add_tcase(suite, tests);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
