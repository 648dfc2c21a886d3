/* SPDX-License-Identifier: Apache-2.0 */
/* What is asked of Qdrant: ids, settings of calls, names, paths, groups,
 * facets. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/qdrant_fixture.h"

#define GROUPS vecwire__qdrant_encode_groups
#define FACET vecwire__qdrant_encode_facet
#define COUNT vecwire__qdrant_encode_count
#define SCROLL vecwire__qdrant_encode_scroll
#define UPSERT vecwire__qdrant_encode_upsert
#define DELETE vecwire__qdrant_encode_delete
#define POINT vecwire__qdrant_encode_point
#define GET vecwire__qdrant_encode_get
#define PLAIN "\"with_payload\":false,\"with_vector\":false}"
#define UUID "550e8400-e29b-41d4-a716-446655440000"
#define C "/collections/c"

static struct qdrant_fixture f;
static const uint64_t number = 7;
static const struct vecwire_qdrant_query_request by_id =
    VECWIRE_QDRANT_QUERY(.search = {.number = &number});

static void
setup(void)
{
    qdrant_begin(&f);
    f.settings.qdrant = &f.params;
}

static void
teardown(void)
{
    qdrant_end(&f);
}

/* --- ids --- */

START_TEST(ids_are_sent_as_the_server_writes_them)
{
    static const char *const ids[] = {
        "0",
        "007",
        "18446744073709551615",
        "550E8400-E29B-41D4-A716-446655440000",
        "550e8400e29b41d4a716446655440000",
        "urn:uuid:550e8400-E29B-41d4-a716-446655440000",
        "{550e8400-e29b-41d4-a716-446655440000}",
        "00000000000000000000000000000007"};

    QDRANT_SENDS(&f, GET,
                 &VECWIRE_GET(.ids = ids, .rows = 8, .with_payload = true,
                              .with_vector = true),
                 C "/points",
                 "{\"ids\":[0,7,18446744073709551615,\"" UUID "\",\"" UUID
                 "\",\"" UUID "\",\"" UUID
                 "\",\"00000000-0000-0000-0000-000000000007\"],"
                 "\"with_payload\":true,\"with_vector\":true}");
}
END_TEST

START_TEST(ids_may_be_numbers)
{
    static const uint64_t numbers[] = {0, UINT64_MAX};

    QDRANT_SENDS(&f, GET, &VECWIRE_GET(.numbers = numbers, .rows = 2),
                 C "/points", "{\"ids\":[0,18446744073709551615]," PLAIN);
    QDRANT_REFUSES(&f, GET, &VECWIRE_GET(.numbers = numbers), VECWIRE_EINVAL,
                   SIZE_MAX, "no ids, expected at least 1");
    QDRANT_REFUSES(&f, GET, &VECWIRE_GET(.rows = 1), VECWIRE_EINVAL, SIZE_MAX,
                   "expected either ids or numbers");
}
END_TEST

static const char *const no_ids[] = {
    "",
    " 1",
    "1 ",
    "-1",
    "+1",
    "1.0",
    "0x1",
    "18446744073709551616",
    "99999999999999999999",
    "abc",
    "550e8400-e29b-41d4-a716-44665544000",
    "550e8400-e29b-41d4-a716-4466554400000",
    "550e8400-e29b-41d4-a716-44665544000g",
    "550e8400e-29b-41d4-a716-446655440000",
    "550e8400e29b41d4a71644665544000",
    "URN:UUID:550e8400-e29b-41d4-a716-446655440000",
    "urn:uuid:550e8400e29b41d4a716446655440000",
    "{550e8400e29b41d4a716446655440000}",
    "{550e8400-e29b-41d4-a716-446655440000",
    "{}",
};
#define N_NO_IDS ((int)(sizeof(no_ids) / sizeof(no_ids[0])))

START_TEST(what_is_no_id_is_refused_with_its_row)
{
    const char *const ids[] = {"1", no_ids[_i]};
    char text[128];

    snprintf(text, sizeof(text),
             "row 1: id \"%s\": expected a number 0 to 2^64-1 or a UUID",
             no_ids[_i]);
    QDRANT_REFUSES(&f, GET, &VECWIRE_GET(.ids = ids, .rows = 2), VECWIRE_EINVAL,
                   1, text);
}
END_TEST

START_TEST(an_id_that_is_null_is_refused)
{
    const char *const ids[] = {"1", "2", NULL};

    QDRANT_REFUSES(&f, GET, &VECWIRE_GET(.ids = ids, .rows = 3), VECWIRE_EINVAL,
                   2, "row 2: id is NULL");
    QDRANT_REFUSES(&f, POINT, &VECWIRE_GET(.ids = ids + 2, .rows = 1),
                   VECWIRE_EINVAL, SIZE_MAX,
                   "id \"\": expected a number 0 to 2^64-1 or a UUID");
}
END_TEST

START_TEST(a_point_has_a_path_and_no_body)
{
    const char *const ids[] = {"{550E8400-e29b-41d4-a716-446655440000}"};
    const uint64_t last = UINT64_MAX;

    ck_assert_int_eq(
        qdrant_encode(&f, POINT, &VECWIRE_GET(.ids = ids, .rows = 1)),
        VECWIRE_OK);
    ck_assert_str_eq(qdrant_path(&f), C "/points/" UUID);
    ck_assert_int_eq(f.enc.method, VECWIRE__GET);
    ck_assert(!f.enc.has_body);
    ck_assert_ptr_null(f.enc.content_type);
    qdrant_again(&f);
    f.params.consistency = VECWIRE_QDRANT_QUORUM;
    ck_assert_int_eq(
        qdrant_encode(&f, POINT, &VECWIRE_GET(.numbers = &last, .rows = 1)),
        VECWIRE_OK);
    ck_assert_str_eq(qdrant_path(&f),
                     C "/points/18446744073709551615?consistency=quorum");
    ck_assert_uint_eq(f.enc.max_rows, 1);
}
END_TEST

/* --- groups and facets --- */

START_TEST(groups_are_a_query_and_what_groups_it)
{
    QDRANT_SENDS(&f, GROUPS,
                 &VECWIRE_QDRANT_QUERY_GROUPS(.query = &by_id,
                                              .group_by = "a[].\"b c\""),
                 C "/points/query/groups",
                 "{\"query\":7,\"limit\":10,\"with_payload\":false,"
                 "\"with_vector\":false,\"group_by\":\"a[].\\\"b c\\\"\","
                 "\"group_size\":3}");
    QDRANT_SENDS(&f, GROUPS,
                 &VECWIRE_QDRANT_QUERY_GROUPS(.query = &by_id, .group_by = "a",
                                              .group_size = 1,
                                              .with_lookup = "\"d\""),
                 C "/points/query/groups",
                 "{\"query\":7,\"limit\":10,\"with_payload\":false,"
                 "\"with_vector\":false,\"group_by\":\"a\",\"group_size\":1,"
                 "\"with_lookup\":\"d\"}");
}
END_TEST

START_TEST(groups_have_a_path_and_no_offset)
{
    const struct vecwire_qdrant_query_request later =
        VECWIRE_QDRANT_QUERY(.offset = 1);

    QDRANT_REFUSES(&f, GROUPS, &VECWIRE_QDRANT_QUERY_GROUPS(.query = &by_id),
                   VECWIRE_EINVAL, SIZE_MAX,
                   "group_by is NULL, expected a payload key");
    QDRANT_REFUSES(
        &f, GROUPS,
        &VECWIRE_QDRANT_QUERY_GROUPS(.query = &later, .group_by = "a"),
        VECWIRE_EINVAL, SIZE_MAX, "offset: groups have none");
    QDRANT_REFUSES(
        &f, GROUPS,
        &VECWIRE_QDRANT_QUERY_GROUPS(.query = &by_id, .group_by = "a",
                                     .with_lookup = "[]"),
        VECWIRE_EINVAL, SIZE_MAX, "with_lookup: expected an object a string ");
}
END_TEST

START_TEST(a_facet_always_sends_limit_and_exact)
{
    QDRANT_SENDS(&f, FACET, &VECWIRE_QDRANT_FACET(.key = "a"), C "/facet",
                 "{\"key\":\"a\",\"limit\":10,\"exact\":false}");
    QDRANT_SENDS(&f, FACET,
                 &VECWIRE_QDRANT_FACET(.key = "a.b", .limit = 5, .exact = true,
                                       .filter = "{}"),
                 C "/facet",
                 "{\"key\":\"a.b\",\"limit\":5,\"exact\":true,\"filter\":{}}");
}
END_TEST

static const char *const paths[] = {
    "a",     "A-_9",    "a.b.c",     "a[]",       "a[].b[0].c",
    "a[][]", "\"x y\"", "\"[.]\".a", "a.\"b\"[]", "\xc3\xa4.b"};
#define N_PATHS ((int)(sizeof(paths) / sizeof(paths[0])))
static const char *const no_paths[] = {
    "",       ".",    ".a",
    "a.",     "a..b", "a b",
    "a[",     "a]",   "a[x",
    "a[-1]",  "a[1",  "[]",
    "a/b",    "a$",   "\"a",
    "a\"b\"", "a[]b", "\"a\\\"\"",
    "\"a\"b", "\xff", "a[99999999999999999999]"};
#define N_NO_PATHS ((int)(sizeof(no_paths) / sizeof(no_paths[0])))

START_TEST(a_payload_key_may_be_any_path)
{
    ck_assert_msg(
        qdrant_encode(&f, FACET, &VECWIRE_QDRANT_FACET(.key = paths[_i])) ==
            VECWIRE_OK,
        "%s", f.refusal.text);
}
END_TEST

START_TEST(a_payload_key_that_is_no_path_is_refused)
{
    ck_assert_msg(
        qdrant_encode(&f, FACET, &VECWIRE_QDRANT_FACET(.key = no_paths[_i])) ==
            VECWIRE_EINVAL,
        "%s", no_paths[_i]);
    ck_assert_ptr_nonnull(strstr(f.refusal.text, "expected a payload key"));
}
END_TEST

START_TEST(a_reply_has_no_more_than_was_asked_for)
{
    const struct vecwire_qdrant_query_request queries[] = {
        VECWIRE_QDRANT_QUERY(.search = {.limit = 2}),
        VECWIRE_QDRANT_QUERY(.search = {.limit = 0})};

    ck_assert_int_eq(
        qdrant_encode(&f, vecwire__qdrant_encode_batch,
                      &VECWIRE_QDRANT_QUERY_BATCH(.queries = queries, .n = 2)),
        VECWIRE_OK);
    ck_assert_uint_eq(f.enc.max_rows, 12);
    ck_assert_uint_eq(f.enc.max_parts, 2);
    qdrant_again(&f);
    ck_assert_int_eq(
        qdrant_encode(&f, GROUPS,
                      &VECWIRE_QDRANT_QUERY_GROUPS(.query = queries,
                                                   .group_by = "a",
                                                   .with_lookup = "\"d\"")),
        VECWIRE_OK);
    ck_assert_uint_eq(f.enc.max_rows, 8);
    ck_assert_uint_eq(f.enc.max_parts, 2);
    qdrant_again(&f);
    ck_assert_int_eq(
        qdrant_encode(&f, FACET, &VECWIRE_QDRANT_FACET(.key = "a")),
        VECWIRE_OK);
    ck_assert_uint_eq(f.enc.max_parts, 10);
}
END_TEST

/* --- settings --- */

START_TEST(a_read_sends_consistency_and_timeout)
{
    f.params.timeout_ms = 1001;
    f.params.consistency = 3;
    f.params.shard_key = "[\"a\",12]";
    QDRANT_SENDS(&f, COUNT, &VECWIRE_COUNT(.filter = NULL),
                 C "/points/count?consistency=3&timeout=2",
                 "{\"exact\":true,\"shard_key\":[\"a\",12]}");
    f.params.timeout_ms = UINT32_MAX;
    f.params.consistency = VECWIRE_QDRANT_ALL;
    f.params.shard_key = "{\"target\":1,\"fallback\":\"x\"}";
    QDRANT_SENDS(&f, COUNT, &VECWIRE_COUNT(.filter = NULL),
                 C "/points/count?consistency=all&timeout=4294968",
                 "{\"exact\":true,\"shard_key\":"
                 "{\"target\":1,\"fallback\":\"x\"}}");
}
END_TEST

START_TEST(an_update_sends_wait_ordering_and_timeout)
{
    f.params.wait = true;
    f.params.ordering = VECWIRE_QDRANT_STRONG;
    f.params.timeout_ms = 1;
    f.params.shard_key = "12";
    QDRANT_SENDS(&f, DELETE, &VECWIRE_DELETE(.numbers = &number, .rows = 1),
                 C "/points/delete?wait=true&ordering=strong&timeout=1",
                 "{\"points\":[7],\"shard_key\":12}");
}
END_TEST

START_TEST(parts_of_rows_may_be_selected)
{
    static const char *const names[] = {"a", NULL, "b c"};

    f.params.payload_selector = "{\"exclude\":[\"a.b\"]}";
    f.params.vector_names = names;
    f.params.n_vector_names = 3;
    QDRANT_SENDS(&f, SCROLL, &VECWIRE_SCROLL(.with_payload = true),
                 C "/points/scroll",
                 "{\"limit\":10,\"with_payload\":{\"exclude\":[\"a.b\"]},"
                 "\"with_vector\":[\"a\",\"\",\"b c\"]}");
    f.params.payload_selector = "true";
    QDRANT_REFUSES(&f, SCROLL, &VECWIRE_SCROLL(.limit = 1), VECWIRE_EINVAL,
                   SIZE_MAX, "with_payload: expected an object an array ");
    f.params.vector_names = NULL;
    QDRANT_REFUSES(&f, SCROLL, &VECWIRE_SCROLL(.limit = 1), VECWIRE_EINVAL,
                   SIZE_MAX,
                   "params.vector_names is NULL, n_vector_names is 3");
}
END_TEST

/* A setting that a count does not have. */
static void
set_one(int which, struct vecwire_qdrant_params *params)
{
    static const char *const names[] = {"a"};

    params->wait = which == 0;
    params->ordering = which == 1 ? VECWIRE_QDRANT_WEAK : 0;
    params->payload_selector = which == 2 ? "[\"a\"]" : NULL;
    params->vector_names = which == 3 ? names : NULL;
    params->order_by = which == 4 ? "\"a\"" : NULL;
    params->update_filter = which == 5 ? "{}" : NULL;
    params->update_mode = which == 6 ? VECWIRE_QDRANT_UPDATE_ONLY : 0;
    params->by_columns = which == 7;
    params->no_wait = which == 8;
}

static const char *const settings_of_others[] = {
    "wait",         "ordering",   "payload_selector",
    "vector_names", "order_by",   "update_filter",
    "update_mode",  "by_columns", "no_wait"};

START_TEST(a_setting_that_a_call_does_not_have_is_refused)
{
    char text[80];

    set_one(_i, &f.params);
    snprintf(text, sizeof(text), "params.%s: this call has none",
             settings_of_others[_i]);
    QDRANT_REFUSES(&f, COUNT, &VECWIRE_COUNT(.filter = NULL), VECWIRE_EINVAL,
                   SIZE_MAX, text);
}
END_TEST

START_TEST(an_update_has_no_consistency)
{
    f.params.consistency = 1;
    QDRANT_REFUSES(&f, DELETE, &VECWIRE_DELETE(.everything = true),
                   VECWIRE_EINVAL, SIZE_MAX,
                   "params.consistency: this call has none");
}
END_TEST

START_TEST(settings_out_of_their_range_are_refused)
{
    f.params.consistency = -4;
    QDRANT_REFUSES(&f, COUNT, &VECWIRE_COUNT(.filter = NULL), VECWIRE_EINVAL,
                   SIZE_MAX, "params.consistency is -4");
    f.params.consistency = 0;
    f.params.ordering = 4;
    QDRANT_REFUSES(&f, DELETE, &VECWIRE_DELETE(.everything = true),
                   VECWIRE_EINVAL, SIZE_MAX, "params.ordering is 4");
    f.params.ordering = 0;
    f.params.shard_key = "null";
    QDRANT_REFUSES(&f, COUNT, &VECWIRE_COUNT(.filter = NULL), VECWIRE_EINVAL,
                   SIZE_MAX,
                   "shard_key: expected an object an array a string a number");
}
END_TEST

/* --- names --- */

START_TEST(a_collection_may_have_any_name)
{
    f.settings.collection = "a b%\xc3\xa4";
    f.settings.prefix = "/x";
    QDRANT_SENDS(&f, COUNT, &VECWIRE_COUNT(.filter = NULL),
                 "/x/collections/a%20b%25%C3%A4/points/count",
                 "{\"exact\":true}");
}
END_TEST

START_TEST(a_collection_s_name_is_no_step_of_the_path)
{
    f.settings.collection = "..";
    QDRANT_SENDS(&f, COUNT, &VECWIRE_COUNT(.filter = NULL),
                 "/collections/%2E%2E/points/count", "{\"exact\":true}");
}
END_TEST

static void
refuses_name(const char *name, enum vecwire_err code, const char *text)
{
    f.settings.collection = name;
    QDRANT_REFUSES(&f, COUNT, &VECWIRE_COUNT(.filter = NULL), code, SIZE_MAX,
                   text);
}

START_TEST(a_name_that_is_none_is_refused)
{
    refuses_name(NULL, VECWIRE_EINVAL,
                 "no collection: name one in the options of the client or the "
                 "call");
    refuses_name("", VECWIRE_EINVAL, "collection is empty, expected a name");
    refuses_name("\xff", VECWIRE_EINVAL, "collection is not UTF-8");
    refuses_name("a/b", VECWIRE_EINVAL,
                 "collection has one of < > : \" / \\ | ? * or U+001F");
}
END_TEST

START_TEST(a_name_has_255_characters_at_most)
{
    char name[2 * 256 + 1];

    for (size_t i = 0; i < 256; i++)
        memcpy(name + 2 * i, "\xc3\xa4", 3);
    refuses_name(name, VECWIRE_ETOOBIG,
                 "collection of 256 characters, Qdrant takes at most 255");
    f.settings.collection = name + 2;
    ck_assert_int_eq(qdrant_encode(&f, COUNT, &VECWIRE_COUNT(.filter = NULL)),
                     VECWIRE_OK);
}
END_TEST

START_TEST(a_vector_s_name_has_200_bytes_at_most)
{
    const float one = 1;
    char name[202];
    struct vecwire_upsert_request upsert =
        VECWIRE_UPSERT(.matrix = &one, .rows = 1, .dim = 1, .numbers = &number,
                       .vector_name = name);

    memset(name, 'a', sizeof(name));
    name[201] = '\0';
    QDRANT_REFUSES(&f, UPSERT, &upsert, VECWIRE_ETOOBIG, 0,
                   "row 0: vector's name of 201 bytes, Qdrant takes at most "
                   "200");
    name[200] = '\0';
    ck_assert_int_eq(qdrant_encode(&f, UPSERT, &upsert), VECWIRE_OK);
    qdrant_again(&f);
    name[3] = '?';
    QDRANT_REFUSES(&f, UPSERT, &upsert, VECWIRE_EINVAL, 0,
                   "row 0: vector's name has one of < > : \" / \\ | ? * or "
                   "U+001F");
    name[3] = '\xff';
    QDRANT_REFUSES(&f, UPSERT, &upsert, VECWIRE_EINVAL, 0,
                   "row 0: vector's name is not UTF-8 at byte 3");
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("qdrant params");
    TCase *tests = tcase_create("qdrant params");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, ids_are_sent_as_the_server_writes_them);
    tcase_add_test(tests, ids_may_be_numbers);
    tcase_add_loop_test(tests, what_is_no_id_is_refused_with_its_row, 0,
                        N_NO_IDS);
    tcase_add_test(tests, an_id_that_is_null_is_refused);
    tcase_add_test(tests, a_point_has_a_path_and_no_body);
    tcase_add_test(tests, groups_are_a_query_and_what_groups_it);
    tcase_add_test(tests, groups_have_a_path_and_no_offset);
    tcase_add_test(tests, a_facet_always_sends_limit_and_exact);
    tcase_add_loop_test(tests, a_payload_key_may_be_any_path, 0, N_PATHS);
    tcase_add_loop_test(tests, a_payload_key_that_is_no_path_is_refused, 0,
                        N_NO_PATHS);
    tcase_add_test(tests, a_reply_has_no_more_than_was_asked_for);
    tcase_add_test(tests, a_read_sends_consistency_and_timeout);
    tcase_add_test(tests, an_update_sends_wait_ordering_and_timeout);
    tcase_add_test(tests, parts_of_rows_may_be_selected);
    tcase_add_loop_test(tests, a_setting_that_a_call_does_not_have_is_refused,
                        0, 9);
    tcase_add_test(tests, an_update_has_no_consistency);
    tcase_add_test(tests, settings_out_of_their_range_are_refused);
    tcase_add_test(tests, a_collection_may_have_any_name);
    tcase_add_test(tests, a_collection_s_name_is_no_step_of_the_path);
    tcase_add_test(tests, a_name_that_is_none_is_refused);
    tcase_add_test(tests, a_name_has_255_characters_at_most);
    tcase_add_test(tests, a_vector_s_name_has_200_bytes_at_most);
    suite_add_tcase(suite, tests);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
