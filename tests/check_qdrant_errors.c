/* SPDX-License-Identifier: Apache-2.0 */
/* What Qdrant, or what stands before it, says when it refuses something. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "codec/mem.h"
#include "dialect/qdrant.h"
#include "tests/counting_mem.h"

static struct counting_mem counting;
static struct vecwire_reply *reply;
static struct vecwire__server_error found;

static void
setup(void)
{
    counting_mem_init(&counting);
    reply = vecwire__reply_new(&counting.mem);
    ck_assert_ptr_nonnull(reply);
}

static void
teardown(void)
{
    vecwire__reply_release(reply);
    ck_assert_uint_eq(counting.blocks, 0);
}

/* What it says; NULL: nothing. */
static const char *
text_of(const char *body, size_t len)
{
    vecwire__reply_reset(reply);
    ck_assert(vecwire__buf_add(&reply->body, body, len));
    vecwire__dialect_qdrant.server_error(reply, &found);
    ck_assert(!found.has_code);
    return found.has_text ? reply->texts.bytes + found.text_at : NULL;
}

static void
says(const char *body, const char *text)
{
    const char *got = text_of(body, strlen(body));

    ck_assert_ptr_nonnull(got);
    ck_assert_str_eq(got, text);
}

START_TEST(an_error_s_text_is_found_wherever_it_stands)
{
    says("{\"status\":{\"error\":\"Wrong input: \\u00e4\\n\"},\"time\":0.1}",
         "Wrong input: \xc3\xa4\n");
    says("{\"time\":0,\"result\":null,\"status\":{\"x\":[{}],\"error\":\"a\"}}",
         "a");
}
END_TEST

START_TEST(what_is_no_such_error_is_its_own_text)
{
    static const char *const bodies[] = {
        "Must provide an API key or an Authorization bearer token",
        "<html>502</html>",
        "{\"status\":\"already_in_progress\",\"time\":0.0}",
        "{\"status\":{\"error\":null}}",
        "{\"status\":{\"error\":1}}",
        "{\"status\":{\"error\":\"cut",
        "{\"status\":{}}",
        "[]",
        "null",
        "{\"status\":{\"error\":\"a\",\"error\":\"b\"}}"};

    says(bodies[_i], bodies[_i]);
}
END_TEST

START_TEST(a_body_that_is_no_text_says_nothing)
{
    ck_assert_ptr_null(text_of("", 0));
    ck_assert_ptr_null(text_of("a\0b", 3));
    ck_assert_ptr_null(text_of("a\xff", 2));
}
END_TEST

START_TEST(a_long_text_is_cut_between_characters)
{
    char body[600];
    const char *text;

    memset(body, 'a', sizeof(body));
    ck_assert_uint_eq(strlen(text_of(body, sizeof(body))), 512);
    /* A character of two bytes lies across the end, then just before it. */
    memcpy(body + 511, "\xc3\xa4", 2);
    text = text_of(body, sizeof(body));
    ck_assert_uint_eq(strlen(text), 511);
    memcpy(body + 510, "\xc3\xa4z", 3);
    text = text_of(body, sizeof(body));
    ck_assert_uint_eq(strlen(text), 512);
    ck_assert_str_eq(text + 510, "\xc3\xa4");
    /* All of it, when it ends there. */
    ck_assert_uint_eq(strlen(text_of(body, 512)), 512);
}
END_TEST

START_TEST(an_error_without_memory_says_nothing)
{
    static const char json[] =
        "{\"status\":{\"error\":\"a text that needs a block\"}}";

    for (size_t at = 1; at < 8; at++) {
        const char *text;

        teardown();
        setup();
        ck_assert(vecwire__buf_add(&reply->body, json, sizeof(json) - 1));
        counting_mem_arm(&counting, at, true);
        vecwire__dialect_qdrant.server_error(reply, &found);
        counting_mem_arm(&counting, 0, false);
        text = found.has_text ? reply->texts.bytes + found.text_at : NULL;
        if (text != NULL)
            ck_assert_str_eq(text, "a text that needs a block");
    }
}
END_TEST

START_TEST(only_a_429_without_retry_after_is_for_good)
{
    ck_assert(vecwire__dialect_qdrant.never_again(429, false));
    ck_assert(!vecwire__dialect_qdrant.never_again(429, true));
    ck_assert(!vecwire__dialect_qdrant.never_again(503, false));
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("qdrant errors");
    TCase *tests = tcase_create("qdrant errors");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, an_error_s_text_is_found_wherever_it_stands);
    tcase_add_loop_test(tests, what_is_no_such_error_is_its_own_text, 0, 10);
    tcase_add_test(tests, a_body_that_is_no_text_says_nothing);
    tcase_add_test(tests, a_long_text_is_cut_between_characters);
    tcase_add_test(tests, an_error_without_memory_says_nothing);
    tcase_add_test(tests, only_a_429_without_retry_after_is_for_good);
    suite_add_tcase(suite, tests);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
