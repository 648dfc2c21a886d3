/* SPDX-License-Identifier: Apache-2.0 */
/* What HMS's encoders send, byte by byte. */
#include <jansson.h>
#include <stdlib.h>

#include "tests/hms_fixture.h"

static struct hms_fixture f;
static const float two[] = {0.1f, -2};
static const float four[] = {1, 0, -0.5f, 1e-7f};

static void
setup(void)
{
    hms_begin(&f);
}

static void
teardown(void)
{
    hms_end(&f);
}

static void
check_post(const char *path, enum vecwire__retry_class class, const char *body)
{
    const struct vecwire__encoding *enc = &f.enc;

    ck_assert_int_eq(enc->method, VECWIRE__POST);
    ck_assert_int_eq(enc->class, class);
    ck_assert_str_eq(enc->text.bytes, path);
    ck_assert(enc->has_body);
    ck_assert_str_eq(enc->content_type, "application/json");
    ck_assert_uint_eq(enc->content_type_at, 0);
    ck_assert_uint_eq(enc->body_at, strlen(path) + 1);
    ck_assert_uint_eq(enc->text.len - enc->body_at, strlen(body));
    ck_assert_mem_eq(enc->text.bytes + enc->body_at, body, strlen(body));
}

static void
check_query(struct vecwire_query_request query, const char *body)
{
    ck_assert_int_eq(hms_query(&f, query), VECWIRE_OK);
    check_post("/api/v1/query", VECWIRE__READ, body);
}

static void
check_one(struct vecwire_upsert_request upsert, const char *body)
{
    ck_assert_int_eq(hms_upsert(&f, upsert), VECWIRE_OK);
    check_post("/api/v1/documents", VECWIRE__IDEMPOTENT, body);
}

static void
check_many(struct vecwire_upsert_request upsert, const char *body)
{
    ck_assert_int_eq(hms_upsert(&f, upsert), VECWIRE_OK);
    check_post("/api/v1/documents/batch", VECWIRE__IDEMPOTENT, body);
}

START_TEST(a_query_without_top_k_asks_for_ten)
{
    check_query(VECWIRE_QUERY(.vector = two, .dim = 2),
                "{\"query_vector\":[0.1,-2],\"top_k\":10}");
}
END_TEST

START_TEST(a_query_may_ask_for_a_hundred)
{
    check_query(VECWIRE_QUERY(.vector = two, .dim = 1, .top_k = 100),
                "{\"query_vector\":[0.1],\"top_k\":100}");
}
END_TEST

START_TEST(a_filter_goes_out_as_the_text_it_is)
{
    check_query(VECWIRE_QUERY(.vector = two, .dim = 2, .top_k = 1,
                              .filter = " {\"a\": [1, {\"b\": null}]} "),
                "{\"query_vector\":[0.1,-2],\"top_k\":1,"
                "\"filter\": {\"a\": [1, {\"b\": null}]} }");
}
END_TEST

START_TEST(a_filter_tree_goes_out_compact_and_stays_the_callers)
{
    json_t *tree = json_pack("{s:s,s:i}", "lang", "de", "year", 7);

    check_query(VECWIRE_QUERY(.vector = two, .dim = 2, .filter_tree = tree),
                "{\"query_vector\":[0.1,-2],\"top_k\":10,"
                "\"filter\":{\"lang\":\"de\",\"year\":7}}");
    ck_assert_uint_eq(tree->refcount, 1);
    json_decref(tree);
}
END_TEST

START_TEST(an_empty_filter_object_is_sent)
{
    check_query(VECWIRE_QUERY(.vector = two, .dim = 2, .filter = "{}"),
                "{\"query_vector\":[0.1,-2],\"top_k\":10,\"filter\":{}}");
}
END_TEST

START_TEST(one_row_goes_to_the_document_route)
{
    const char *id = "a";

    check_one(VECWIRE_UPSERT(.matrix = two, .rows = 1, .dim = 2, .ids = &id),
              "{\"id\":\"a\",\"vector\":[0.1,-2]}");
}
END_TEST

START_TEST(one_row_carries_text_and_payload)
{
    const char *id = "a", *text = "say \"hi\"\n\xc3\xa9";
    const char *payload = "{\"k\":1e2}";

    check_one(VECWIRE_UPSERT(.matrix = two, .rows = 1, .dim = 2, .ids = &id,
                             .texts = &text, .payloads = &payload),
              "{\"id\":\"a\",\"vector\":[0.1,-2],"
              "\"text\":\"say \\\"hi\\\"\\n\xc3\xa9\","
              "\"metadata\":{\"k\":1e2}}");
}
END_TEST

START_TEST(an_empty_text_is_a_text)
{
    const char *id = "a", *text = "";

    check_one(VECWIRE_UPSERT(.matrix = two, .rows = 1, .dim = 2, .ids = &id,
                             .texts = &text),
              "{\"id\":\"a\",\"vector\":[0.1,-2],\"text\":\"\"}");
}
END_TEST

START_TEST(several_rows_go_to_the_batch_route_in_order)
{
    const char *const ids[] = {"a", "b\\c"};

    check_many(VECWIRE_UPSERT(.matrix = four, .rows = 2, .dim = 2, .ids = ids),
               "[{\"id\":\"a\",\"vector\":[1,0]},"
               "{\"id\":\"b\\\\c\",\"vector\":[-0.5,1e-7]}]");
}
END_TEST

START_TEST(null_entries_leave_text_and_payload_out)
{
    const char *const ids[] = {"a", "b"};
    const char *const texts[] = {NULL, "t"};
    const char *const payloads[] = {"{}", NULL};

    check_many(VECWIRE_UPSERT(.matrix = four, .rows = 2, .dim = 2, .ids = ids,
                              .texts = texts, .payloads = payloads),
               "[{\"id\":\"a\",\"vector\":[1,0],\"metadata\":{}},"
               "{\"id\":\"b\",\"vector\":[-0.5,1e-7],\"text\":\"t\"}]");
}
END_TEST

START_TEST(payload_trees_go_out_compact_with_null_entries_left_out)
{
    const char *const ids[] = {"a", "b"};
    json_t *tree = json_pack("{s:[b,n]}", "k", 1);
    const json_t *const trees[] = {NULL, tree};

    check_many(VECWIRE_UPSERT(.matrix = four, .rows = 2, .dim = 2, .ids = ids,
                              .payload_trees = trees),
               "[{\"id\":\"a\",\"vector\":[1,0]},"
               "{\"id\":\"b\",\"vector\":[-0.5,1e-7],"
               "\"metadata\":{\"k\":[true,null]}}]");
    ck_assert_uint_eq(tree->refcount, 1);
    json_decref(tree);
}
END_TEST

START_TEST(a_thousand_rows_are_one_request)
{
    static const char *ids[1000];
    static float matrix[1000];

    for (size_t i = 0; i < 1000; i++) {
        ids[i] = "x";
        matrix[i] = 1;
    }
    ck_assert_int_eq(
        hms_upsert(&f, VECWIRE_UPSERT(.matrix = matrix, .rows = 1000, .dim = 1,
                                      .ids = ids)),
        VECWIRE_OK);
    /* 1000 times {"id":"x","vector":[1]}, 999 commas and two brackets */
    ck_assert_uint_eq(f.enc.text.len - f.enc.body_at, 1000 * 23 + 999 + 2);
}
END_TEST

START_TEST(an_id_of_256_bytes_is_taken)
{
    char id[257];
    const char *ids = id;

    memset(id, 'x', 256);
    id[256] = '\0';
    ck_assert_int_eq(hms_upsert(&f, VECWIRE_UPSERT(.matrix = two, .rows = 1,
                                                   .dim = 2, .ids = &ids)),
                     VECWIRE_OK);
}
END_TEST

/* --- delete: the id is one segment --- */

static const char *const segments[][2] = {
    {"row-1", "row-1"},
    {"AZaz09-._~", "AZaz09-._~"},
    {"a/b", "a%2Fb"},
    {"100%", "100%25"},
    {"%2F", "%252F"},
    {" a b ", "%20a%20b%20"},
    {"\xc3\xa9\xe2\x82\xac", "%C3%A9%E2%82%AC"},
    {".", "%2E"},
    {"..", "%2E%2E"},
    {"batch", "%62atch"},
    {"stream", "%73tream"},
    {"batches", "batches"},
    {"...", "..."},
    {".a", ".a"},
    {"../x", "..%2Fx"},
    {"?q#f&g=;:@", "%3Fq%23f%26g%3D%3B%3A%40"},
    {"\\\"'", "%5C%22%27"},
    {"HMS:a", "HMS%3Aa"}};

START_TEST(a_delete_has_the_id_as_one_encoded_segment)
{
    char path[80];

    snprintf(path, sizeof(path), "/api/v1/documents/%s", segments[_i][1]);
    ck_assert_int_eq(hms_delete(&f, segments[_i][0]), VECWIRE_OK);
    ck_assert_int_eq(f.enc.method, VECWIRE__DELETE);
    ck_assert_int_eq(f.enc.class, VECWIRE__IDEMPOTENT);
    ck_assert(!f.enc.has_body);
    ck_assert_ptr_null(f.enc.content_type);
    ck_assert_str_eq(f.enc.text.bytes, path);
    ck_assert_uint_eq(f.enc.text.len, strlen(path) + 1);
}
END_TEST

START_TEST(the_longest_id_fits_when_every_byte_is_encoded)
{
    char id[257];

    memset(id, '/', 256);
    id[256] = '\0';
    ck_assert_int_eq(hms_delete(&f, id), VECWIRE_OK);
    ck_assert_uint_eq(f.enc.text.len, strlen("/api/v1/documents/") + 768 + 1);
}
END_TEST

/* --- the URL's prefix --- */

START_TEST(the_prefix_stands_before_the_path_of_a_query)
{
    f.settings.prefix = "/p/q";
    ck_assert_int_eq(hms_query(&f, VECWIRE_QUERY(.vector = two, .dim = 2)),
                     VECWIRE_OK);
    check_post("/p/q/api/v1/query", VECWIRE__READ,
               "{\"query_vector\":[0.1,-2],\"top_k\":10}");
}
END_TEST

START_TEST(the_prefix_stands_before_the_path_of_an_upsert)
{
    const char *id = "a";

    f.settings.prefix = "/p";
    ck_assert_int_eq(hms_upsert(&f, VECWIRE_UPSERT(.matrix = two, .rows = 1,
                                                   .dim = 2, .ids = &id)),
                     VECWIRE_OK);
    check_post("/p/api/v1/documents", VECWIRE__IDEMPOTENT,
               "{\"id\":\"a\",\"vector\":[0.1,-2]}");
}
END_TEST

START_TEST(the_prefix_stands_before_the_path_of_a_delete)
{
    f.settings.prefix = "/p";
    ck_assert_int_eq(hms_delete(&f, "a"), VECWIRE_OK);
    ck_assert_str_eq(f.enc.text.bytes, "/p/api/v1/documents/a");
}
END_TEST

/* --- the dialect's own facts --- */

START_TEST(dialects_are_found_by_their_numbers)
{
    ck_assert_ptr_eq(vecwire__dialect_find(VECWIRE_HMS), &vecwire__dialect_hms);
    ck_assert_ptr_eq(vecwire__dialect_find(VECWIRE_QDRANT),
                     &vecwire__dialect_qdrant);
    ck_assert_ptr_null(vecwire__dialect_find(VECWIRE_CHROMA));
    ck_assert_ptr_null(vecwire__dialect_find(0));
}
END_TEST

START_TEST(hms_listens_on_8080)
{
    ck_assert_uint_eq(vecwire__dialect_hms.port, 8080);
}
END_TEST

static void
add_tests(TCase *tc)
{
    tcase_add_test(tc, a_query_without_top_k_asks_for_ten);
    tcase_add_test(tc, a_query_may_ask_for_a_hundred);
    tcase_add_test(tc, a_filter_goes_out_as_the_text_it_is);
    tcase_add_test(tc, a_filter_tree_goes_out_compact_and_stays_the_callers);
    tcase_add_test(tc, an_empty_filter_object_is_sent);
    tcase_add_test(tc, one_row_goes_to_the_document_route);
    tcase_add_test(tc, one_row_carries_text_and_payload);
    tcase_add_test(tc, an_empty_text_is_a_text);
    tcase_add_test(tc, several_rows_go_to_the_batch_route_in_order);
    tcase_add_test(tc, null_entries_leave_text_and_payload_out);
    tcase_add_test(tc, payload_trees_go_out_compact_with_null_entries_left_out);
    tcase_add_test(tc, a_thousand_rows_are_one_request);
    tcase_add_test(tc, an_id_of_256_bytes_is_taken);
    tcase_add_loop_test(tc, a_delete_has_the_id_as_one_encoded_segment, 0,
                        sizeof(segments) / sizeof(segments[0]));
    tcase_add_test(tc, the_longest_id_fits_when_every_byte_is_encoded);
    tcase_add_test(tc, the_prefix_stands_before_the_path_of_a_query);
    tcase_add_test(tc, the_prefix_stands_before_the_path_of_an_upsert);
    tcase_add_test(tc, the_prefix_stands_before_the_path_of_a_delete);
    tcase_add_test(tc, dialects_are_found_by_their_numbers);
    tcase_add_test(tc, hms_listens_on_8080);
}

int
main(void)
{
    Suite *suite = suite_create("hms");
    TCase *tc = tcase_create("requests");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_checked_fixture(tc, setup, teardown);
    add_tests(tc);
    suite_add_tcase(suite, tc);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
