/* SPDX-License-Identifier: Apache-2.0 */
/* Facets: how often each value of a key occurs. */
#include <stdlib.h>

#include "server/qdrant_facet.h"
#include "tests/json_rig.h"

static void
check_facet(enum vecwire__facet_kind kind, const char *payloads, size_t limit,
            const char *hits)
{
    struct vecwire__fault fault;
    struct vecwire__json_path path;
    struct vecwire__facet *facet;
    struct vecwire__buf buf;
    json_t *list = json_of(payloads);

    vecwire__buf_init(&buf, &vecwire__mem_libc);
    ck_assert(vecwire__json_path_parse(&path, "k", 1, &fault));
    facet = vecwire__facet_new(&path, kind);
    for (size_t i = 0; i < json_array_size(list); i++)
        ck_assert(vecwire__facet_add(facet, json_array_get(list, i)));
    ck_assert(vecwire__facet_add(facet, NULL));
    ck_assert(vecwire__facet_put(facet, limit, &buf));
    ck_assert(vecwire__buf_byte(&buf, '\0'));
    ck_assert_str_eq(buf.bytes, hits);
    vecwire__facet_free(facet);
    vecwire__json_path_fini(&path);
    vecwire__buf_fini(&buf);
    json_decref(list);
}

START_TEST(facets_come_by_count_then_by_value)
{
    check_facet(VECWIRE__FACET_KEYWORD,
                "[{\"k\":\"c\"},{\"k\":[\"b\",\"a\"]},{\"k\":\"ab\"},"
                "{\"k\":\"c\"}]",
                10,
                "[{\"value\":\"c\",\"count\":2},{\"value\":\"a\",\"count\":1},"
                "{\"value\":\"ab\",\"count\":1},{\"value\":\"b\","
                "\"count\":1}]");
}
END_TEST

START_TEST(a_point_counts_once_for_a_value)
{
    check_facet(VECWIRE__FACET_KEYWORD, "[{\"k\":[\"a\",\"a\"]}]", 10,
                "[{\"value\":\"a\",\"count\":1}]");
}
END_TEST

START_TEST(only_values_of_the_indexs_kind_count)
{
    check_facet(VECWIRE__FACET_INTEGER,
                "[{\"k\":[3,\"x\",-5]},{\"k\":1.5},{\"k\":3}]", 10,
                "[{\"value\":3,\"count\":2},{\"value\":-5,\"count\":1}]");
    check_facet(VECWIRE__FACET_BOOL, "[{\"k\":true},{\"k\":0},{\"k\":false}]",
                10,
                "[{\"value\":false,\"count\":1},{\"value\":true,"
                "\"count\":1}]");
    check_facet(VECWIRE__FACET_UUID,
                "[{\"k\":\"0123ABCD-0000-4000-8000-0000000000FF\"},"
                "{\"k\":\"0123abcd0000400080000000000000ff\"},{\"k\":\"x\"}]",
                10,
                "[{\"value\":\"0123abcd-0000-4000-8000-0000000000ff\","
                "\"count\":2}]");
}
END_TEST

START_TEST(a_facet_has_no_more_hits_than_asked)
{
    check_facet(VECWIRE__FACET_INTEGER, "[{\"k\":[3,1,2]}]", 2,
                "[{\"value\":1,\"count\":1},{\"value\":2,\"count\":1}]");
    check_facet(VECWIRE__FACET_INTEGER, "[]", 2, "[]");
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("facet");
    TCase *facets = tcase_create("facets");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_test(facets, facets_come_by_count_then_by_value);
    tcase_add_test(facets, a_point_counts_once_for_a_value);
    tcase_add_test(facets, only_values_of_the_indexs_kind_count);
    tcase_add_test(facets, a_facet_has_no_more_hits_than_asked);
    suite_add_tcase(suite, facets);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
