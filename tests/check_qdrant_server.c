/* SPDX-License-Identifier: Apache-2.0 */
/* What is sent about indexes, aliases and snapshots, and for pages about the
 * server. */
#include "tests/admin_fixture.h"

#include <stdio.h>

#include <jansson.h>

#define COLLECTION "/p/collections/c%20d"

static enum vecwire_err
create_index(struct vecwire_qdrant_index_request request)
{
    return vecwire__qdrant_encode_create_index(&settings, &request, &enc,
                                               &refusal);
}

static enum vecwire_err
delete_index(struct vecwire_qdrant_index_request request)
{
    return vecwire__qdrant_encode_delete_index(&settings, &request, &enc,
                                               &refusal);
}

static enum vecwire_err
change(struct vecwire_qdrant_alias_change alias)
{
    const struct vecwire_qdrant_aliases_request request =
        VECWIRE_QDRANT_ALIASES(.changes = &alias, .n = 1);

    return vecwire__qdrant_encode_update_aliases(&settings, &request, &enc,
                                                 &refusal);
}

static enum vecwire_err
page(struct vecwire_qdrant_page_request request)
{
    return vecwire__qdrant_encode_page(&settings, &request, &enc, &refusal);
}

START_TEST(an_index_has_a_type)
{
    static const char *const names[] = {"keyword",  "integer", "float",
                                        "geo",      "text",    "bool",
                                        "datetime", "uuid"};
    char body[100];

    snprintf(body, sizeof(body),
             "{\"field_name\":\"a[].b\",\"field_schema\":\"%s\"}", names[_i]);
    expect(create_index(
               VECWIRE_QDRANT_INDEX(.key = "a[].b", .type = (uint32_t)_i + 1)),
           VECWIRE__PUT, COLLECTION "/index", body);
    ck_assert_int_eq(enc.class, VECWIRE__NEVER);
}
END_TEST

START_TEST(an_index_may_have_no_type)
{
    expect(create_index(VECWIRE_QDRANT_INDEX(.key = "a")), VECWIRE__PUT,
           COLLECTION "/index", "{\"field_name\":\"a\"}");
}
END_TEST

START_TEST(an_index_has_params_beside_its_type)
{
    expect(create_index(VECWIRE_QDRANT_INDEX(
                   .key = "a", .type = VECWIRE_QDRANT_INDEX_TEXT,
                   .params = "{\"tokenizer\":\"word\",\"lowercase\":true}")),
           VECWIRE__PUT, COLLECTION "/index",
           "{\"field_name\":\"a\",\"field_schema\":{\"type\":\"text\","
           "\"tokenizer\":\"word\",\"lowercase\":true}}");
}
END_TEST

START_TEST(params_may_be_a_tree_and_say_the_type)
{
    json_t *tree = json_pack("{s:s}", "type", "uuid");

    expect(create_index(VECWIRE_QDRANT_INDEX(.key = "a", .params_tree = tree)),
           VECWIRE__PUT, COLLECTION "/index",
           "{\"field_name\":\"a\",\"field_schema\":{\"type\":\"uuid\"}}");
    json_decref(tree);
}
END_TEST

START_TEST(params_may_be_empty)
{
    expect(create_index(VECWIRE_QDRANT_INDEX(.key = "a",
                                             .type = VECWIRE_QDRANT_INDEX_GEO,
                                             .params = "{}")),
           VECWIRE__PUT, COLLECTION "/index",
           "{\"field_name\":\"a\",\"field_schema\":{\"type\":\"geo\"}}");
}
END_TEST

START_TEST(an_index_is_dropped_by_its_encoded_key)
{
    params.wait = true;
    params.ordering = VECWIRE_QDRANT_STRONG;
    params.timeout_ms = 1001;
    settings.qdrant = &params;
    expect(delete_index(VECWIRE_QDRANT_INDEX(.key = "a[].\"b/c\"")),
           VECWIRE__DELETE,
           COLLECTION "/index/a%5B%5D.%22b%2Fc%22"
                      "?wait=true&ordering=strong&timeout=2",
           NULL);
    ck_assert_int_eq(enc.class, VECWIRE__NEVER);
}
END_TEST

START_TEST(an_index_needs_a_key)
{
    const struct vecwire_qdrant_index_request request =
        VECWIRE_QDRANT_INDEX(.key = _i / 2 == 0 ? NULL : "a..b");

    expect_refused(_i % 2 == 0 ? create_index(request) : delete_index(request),
                   VECWIRE_EINVAL, "key");
}
END_TEST

START_TEST(an_index_has_no_other_type)
{
    expect_refused(create_index(VECWIRE_QDRANT_INDEX(.key = "a", .type = 9)),
                   VECWIRE_EINVAL, "type is 9");
}
END_TEST

START_TEST(aliases_change_in_one_request)
{
    const struct vecwire_qdrant_alias_change changes[] = {
        {.action = VECWIRE_QDRANT_CREATE_ALIAS, .alias = "a"},
        {.action = VECWIRE_QDRANT_CREATE_ALIAS,
         .alias = "b",
         .collection = "x"},
        {.action = VECWIRE_QDRANT_DELETE_ALIAS, .alias = "d"},
        {.action = VECWIRE_QDRANT_RENAME_ALIAS, .alias = "e", .new_alias = "f"},
    };
    const struct vecwire_qdrant_aliases_request request =
        VECWIRE_QDRANT_ALIASES(.changes = changes, .n = 4);

    expect(vecwire__qdrant_encode_update_aliases(&settings, &request, &enc,
                                                 &refusal),
           VECWIRE__POST, "/p/collections/aliases",
           "{\"actions\":["
           "{\"create_alias\":{\"collection_name\":\"c d\","
           "\"alias_name\":\"a\"}},"
           "{\"create_alias\":{\"collection_name\":\"x\","
           "\"alias_name\":\"b\"}},"
           "{\"delete_alias\":{\"alias_name\":\"d\"}},"
           "{\"rename_alias\":{\"old_alias_name\":\"e\","
           "\"new_alias_name\":\"f\"}}]}");
    ck_assert_int_eq(enc.class, VECWIRE__NEVER);
}
END_TEST

static const struct {
    struct vecwire_qdrant_alias_change change;
    const char *words;
} bad_changes[] = {
    {{.alias = "a"}, "row 0: action is 0"},
    {{.action = 4, .alias = "a"}, "action is 4"},
    {{.action = 1}, "alias is NULL"},
    {{.action = 2, .alias = "a:b"}, "alias has one of"},
    {{.action = 3, .alias = "a"}, "new_alias is NULL"},
};

START_TEST(a_change_that_cannot_be_is_refused)
{
    expect_refused(change(bad_changes[_i].change), VECWIRE_EINVAL,
                   bad_changes[_i].words);
}
END_TEST

START_TEST(there_is_at_least_one_change)
{
    const struct vecwire_qdrant_aliases_request request =
        VECWIRE_QDRANT_ALIASES(.n = 0);

    expect_refused(vecwire__qdrant_encode_update_aliases(&settings, &request,
                                                         &enc, &refusal),
                   VECWIRE_EINVAL, "no changes");
}
END_TEST

START_TEST(a_snapshot_need_not_be_waited_for)
{
    const struct vecwire_qdrant_admin_request request = VECWIRE_QDRANT_ADMIN(0);

    params.no_wait = true;
    settings.qdrant = &params;
    expect(vecwire__qdrant_encode_create_snapshot(&settings, &request, &enc,
                                                  &refusal),
           VECWIRE__POST, COLLECTION "/snapshots?wait=false", NULL);
}
END_TEST

START_TEST(pages_have_their_paths)
{
    static const char *const paths[] = {"/p/",        "/p/healthz",
                                        "/p/livez",   "/p/readyz",
                                        "/p/metrics", "/p/telemetry"};

    expect(page(VECWIRE_QDRANT_PAGE(.page = (uint32_t)_i + 1)), VECWIRE__GET,
           paths[_i], NULL);
    ck_assert_int_eq(enc.class, VECWIRE__READ);
    ck_assert_ptr_null(enc.decoding);
}
END_TEST

START_TEST(a_page_has_its_parameters)
{
    params.timeout_ms = 2000;
    settings.qdrant = &params;
    expect(page(VECWIRE_QDRANT_PAGE(.page = VECWIRE_QDRANT_TELEMETRY,
                                    .anonymize = true, .per_collection = true,
                                    .details_level = 3)),
           VECWIRE__GET,
           "/p/telemetry?timeout=2&anonymize=true&per_collection=true"
           "&details_level=3",
           NULL);
}
END_TEST

START_TEST(the_first_parameter_may_be_the_pages_own)
{
    expect(page(VECWIRE_QDRANT_PAGE(.page = VECWIRE_QDRANT_METRICS,
                                    .anonymize = true)),
           VECWIRE__GET, "/p/metrics?anonymize=true", NULL);
}
END_TEST

static const struct {
    struct vecwire_qdrant_page_request request;
    const char *words;
} bad_pages[] = {
    {{.page = 0}, "page is 0"},
    {{.page = 7}, "page is 7"},
    {{.page = VECWIRE_QDRANT_ROOT, .anonymize = true}, "anonymize"},
    {{.page = VECWIRE_QDRANT_READYZ, .per_collection = true}, "per_collection"},
    {{.page = VECWIRE_QDRANT_METRICS, .details_level = 1}, "details_level"},
};

START_TEST(what_a_page_does_not_have_is_refused)
{
    expect_refused(page(bad_pages[_i].request), VECWIRE_EINVAL,
                   bad_pages[_i].words);
}
END_TEST

static void
add_tests(TCase *tc)
{
    tcase_add_loop_test(tc, an_index_has_a_type, 0, 8);
    tcase_add_test(tc, an_index_may_have_no_type);
    tcase_add_test(tc, an_index_has_params_beside_its_type);
    tcase_add_test(tc, params_may_be_a_tree_and_say_the_type);
    tcase_add_test(tc, params_may_be_empty);
    tcase_add_test(tc, an_index_is_dropped_by_its_encoded_key);
    tcase_add_loop_test(tc, an_index_needs_a_key, 0, 4);
    tcase_add_test(tc, an_index_has_no_other_type);
    tcase_add_test(tc, aliases_change_in_one_request);
    tcase_add_loop_test(tc, a_change_that_cannot_be_is_refused, 0,
                        sizeof(bad_changes) / sizeof(bad_changes[0]));
    tcase_add_test(tc, there_is_at_least_one_change);
    tcase_add_test(tc, a_snapshot_need_not_be_waited_for);
    tcase_add_loop_test(tc, pages_have_their_paths, 0, 6);
    tcase_add_test(tc, a_page_has_its_parameters);
    tcase_add_test(tc, the_first_parameter_may_be_the_pages_own);
    tcase_add_loop_test(tc, what_a_page_does_not_have_is_refused, 0,
                        sizeof(bad_pages) / sizeof(bad_pages[0]));
}

int
main(void)
{
    return admin_main("qdrant server", add_tests);
}
