/* SPDX-License-Identifier: Apache-2.0 */
/* Queries by text and rows without vectors: what HMS is sent, and what is
 * refused. */
#include <stdint.h>
#include <stdlib.h>

#include "tests/hms_fixture.h"

static struct hms_fixture f;
static const float two[] = {0.1f, -2};

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
check_sent(const char *path, const char *body)
{
    ck_assert_str_eq(f.enc.text.bytes, path);
    ck_assert_uint_eq(f.enc.text.len - f.enc.body_at, strlen(body));
    ck_assert_mem_eq(f.enc.text.bytes + f.enc.body_at, body, strlen(body));
}

static void
check_query(struct vecwire_query_request query, const char *body)
{
    ck_assert_int_eq(hms_query(&f, query), VECWIRE_OK);
    ck_assert_int_eq(f.enc.class, VECWIRE__READ);
    check_sent("/api/v1/query", body);
}

static void
check_refused(enum vecwire_err err, size_t row, const char *text)
{
    ck_assert_int_eq(err, VECWIRE_EINVAL);
    ck_assert_uint_eq(f.refusal.row, row);
    ck_assert_uint_eq(f.refusal.coordinate, SIZE_MAX);
    ck_assert_str_eq(f.refusal.text, text);
}

/* --- queries --- */

START_TEST(a_text_alone_is_a_query)
{
    check_query(VECWIRE_QUERY(.text = "red \"shoes\"\n\xc3\xa9"),
                "{\"query\":\"red \\\"shoes\\\"\\n\xc3\xa9\",\"top_k\":10}");
}
END_TEST

START_TEST(today_goes_with_the_text)
{
    check_query(
        VECWIRE_QUERY(.text = "yesterday", .today = "2026-03-01", .top_k = 3),
        "{\"query\":\"yesterday\",\"today\":\"2026-03-01\",\"top_k\":3}");
}
END_TEST

START_TEST(text_and_vector_go_together)
{
    check_query(VECWIRE_QUERY(.vector = two, .dim = 2, .text = "t",
                              .today = "d", .filter = "{\"a\":1}"),
                "{\"query_vector\":[0.1,-2],\"query\":\"t\",\"today\":\"d\","
                "\"top_k\":10,\"filter\":{\"a\":1}}");
}
END_TEST

START_TEST(an_empty_text_is_the_servers_to_judge)
{
    check_query(VECWIRE_QUERY(.text = ""), "{\"query\":\"\",\"top_k\":10}");
}
END_TEST

START_TEST(a_query_needs_a_vector_or_a_text)
{
    check_refused(hms_query(&f, VECWIRE_QUERY(.top_k = 1)), SIZE_MAX,
                  "a query needs a vector or a text");
}
END_TEST

START_TEST(today_needs_a_text)
{
    check_refused(
        hms_query(&f, VECWIRE_QUERY(.vector = two, .dim = 2, .today = "d")),
        SIZE_MAX, "today goes with text, which is NULL");
}
END_TEST

START_TEST(half_a_vector_is_refused_beside_a_text)
{
    check_refused(hms_query(&f, VECWIRE_QUERY(.vector = two, .text = "t")),
                  SIZE_MAX, "dim is 0, expected at least 1");
    check_refused(hms_query(&f, VECWIRE_QUERY(.dim = 2, .text = "t")), SIZE_MAX,
                  "vector is NULL");
}
END_TEST

START_TEST(a_text_that_is_no_utf8_is_refused)
{
    check_refused(hms_query(&f, VECWIRE_QUERY(.text = "ab\xff")), SIZE_MAX,
                  "text is not UTF-8 at byte 2");
}
END_TEST

START_TEST(a_today_that_is_no_utf8_is_refused)
{
    check_refused(hms_query(&f, VECWIRE_QUERY(.text = "t", .today = "\x80")),
                  SIZE_MAX, "today is not UTF-8 at byte 0");
}
END_TEST

START_TEST(top_k_has_the_same_limit_with_a_text)
{
    ck_assert_int_eq(hms_query(&f, VECWIRE_QUERY(.text = "t", .top_k = 101)),
                     VECWIRE_ETOOBIG);
}
END_TEST

/* --- rows without vectors --- */

START_TEST(a_row_without_a_vector_has_no_such_key)
{
    const char *id = "a", *text = "t", *payload = "{\"k\":1}";

    ck_assert_int_eq(
        hms_upsert(&f, VECWIRE_UPSERT(.rows = 1, .ids = &id, .texts = &text,
                                      .payloads = &payload)),
        VECWIRE_OK);
    check_sent("/api/v1/documents",
               "{\"id\":\"a\",\"text\":\"t\",\"metadata\":{\"k\":1}}");
}
END_TEST

START_TEST(rows_without_vectors_go_to_the_batch_route)
{
    const char *const ids[] = {"a", "b"}, *const texts[] = {"s", "t"};

    ck_assert_int_eq(
        hms_upsert(&f, VECWIRE_UPSERT(.rows = 2, .ids = ids, .texts = texts)),
        VECWIRE_OK);
    check_sent("/api/v1/documents/batch",
               "[{\"id\":\"a\",\"text\":\"s\"},{\"id\":\"b\",\"text\":\"t\"}]");
}
END_TEST

START_TEST(a_row_with_neither_vector_nor_text_is_refused)
{
    const char *const ids[] = {"a", "b"}, *const texts[] = {"s", NULL};

    check_refused(
        hms_upsert(&f, VECWIRE_UPSERT(.rows = 2, .ids = ids, .texts = texts)),
        1, "row 1: neither vector nor text");
    check_refused(hms_upsert(&f, VECWIRE_UPSERT(.rows = 1, .ids = ids)), 0,
                  "row 0: neither vector nor text");
}
END_TEST

START_TEST(rows_without_vectors_need_ids_all_the_same)
{
    const char *text = "t";

    check_refused(hms_upsert(&f, VECWIRE_UPSERT(.rows = 1, .texts = &text)),
                  SIZE_MAX, "ids is NULL, HMS needs one a row");
}
END_TEST

static void
add_tests(TCase *tc)
{
    tcase_add_test(tc, a_text_alone_is_a_query);
    tcase_add_test(tc, today_goes_with_the_text);
    tcase_add_test(tc, text_and_vector_go_together);
    tcase_add_test(tc, an_empty_text_is_the_servers_to_judge);
    tcase_add_test(tc, a_query_needs_a_vector_or_a_text);
    tcase_add_test(tc, today_needs_a_text);
    tcase_add_test(tc, half_a_vector_is_refused_beside_a_text);
    tcase_add_test(tc, a_text_that_is_no_utf8_is_refused);
    tcase_add_test(tc, a_today_that_is_no_utf8_is_refused);
    tcase_add_test(tc, top_k_has_the_same_limit_with_a_text);
    tcase_add_test(tc, a_row_without_a_vector_has_no_such_key);
    tcase_add_test(tc, rows_without_vectors_go_to_the_batch_route);
    tcase_add_test(tc, a_row_with_neither_vector_nor_text_is_refused);
    tcase_add_test(tc, rows_without_vectors_need_ids_all_the_same);
}

int
main(void)
{
    Suite *suite = suite_create("hms text");
    TCase *tc = tcase_create("text");
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
