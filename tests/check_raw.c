/* SPDX-License-Identifier: Apache-2.0 */
/* How a raw request is encoded. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "api/raw.h"
#include "codec/mem.h"

static struct vecwire__settings settings;
static struct vecwire__encoding enc;
static struct vecwire_refusal refusal;

static void
setup(void)
{
    settings = (struct vecwire__settings){.prefix = "", .json_depth = 128};
    memset(&enc, 0, sizeof(enc));
    vecwire__buf_init(&enc.text, &vecwire__mem_libc);
}

static void
teardown(void)
{
    vecwire__buf_fini(&enc.text);
}

static void
encode(struct vecwire_raw_request raw)
{
    ck_assert_int_eq(vecwire__encode_raw(&settings, &raw, &enc, &refusal),
                     VECWIRE_OK);
}

static const struct {
    const char *name;
    enum vecwire__method method;
    enum vecwire__retry_class class;
} methods[] = {{NULL, VECWIRE__GET, VECWIRE__READ},
               {"GET", VECWIRE__GET, VECWIRE__READ},
               {"HEAD", VECWIRE__HEAD, VECWIRE__READ},
               {"POST", VECWIRE__POST, VECWIRE__NEVER},
               {"PUT", VECWIRE__PUT, VECWIRE__NEVER},
               {"PATCH", VECWIRE__PATCH, VECWIRE__NEVER},
               {"DELETE", VECWIRE__DELETE, VECWIRE__NEVER},
               {"OPTIONS", VECWIRE__OPTIONS, VECWIRE__NEVER}};

START_TEST(a_method_has_its_class)
{
    encode(VECWIRE_RAW(.method = methods[_i].name, .path = "/"));
    ck_assert_int_eq(enc.method, methods[_i].method);
    ck_assert_int_eq(enc.class, methods[_i].class);
}
END_TEST

START_TEST(a_path_stands_behind_the_prefix)
{
    settings.prefix = "/p";
    encode(VECWIRE_RAW(.path = "/a/%20?x=1&y=~!"));
    ck_assert_str_eq(enc.text.bytes, "/p/a/%20?x=1&y=~!");
    ck_assert(!enc.has_body);
    ck_assert_ptr_null(enc.content_type);
}
END_TEST

START_TEST(a_body_is_json_unless_told_otherwise)
{
    encode(VECWIRE_RAW(.method = "POST", .path = "/x", .body = "{}",
                       .body_len = 2));
    ck_assert(enc.has_body);
    ck_assert_str_eq(enc.content_type, "application/json");
    ck_assert_uint_eq(enc.content_type_at, 0);
    ck_assert_uint_eq(enc.body_at, 3);
    ck_assert_uint_eq(enc.text.len, 5);
    ck_assert_mem_eq(enc.text.bytes, "/x\0{}", 5);
}
END_TEST

START_TEST(a_content_type_stands_between_path_and_body)
{
    encode(VECWIRE_RAW(.method = "PUT", .path = "/x", .body = "a\0b",
                       .body_len = 3, .content_type = "text/plain"));
    ck_assert_uint_eq(enc.content_type_at, 3);
    ck_assert_uint_eq(enc.body_at, 14);
    ck_assert_uint_eq(enc.text.len, 17);
    ck_assert_mem_eq(enc.text.bytes, "/x\0text/plain\0a\0b", 17);
}
END_TEST

START_TEST(a_body_may_be_empty)
{
    encode(
        VECWIRE_RAW(.method = "POST", .path = "/x", .body = "", .body_len = 0));
    ck_assert(enc.has_body);
    ck_assert_uint_eq(enc.text.len, enc.body_at);
}
END_TEST

START_TEST(a_content_type_without_a_body_is_not_sent)
{
    encode(VECWIRE_RAW(.path = "/x", .content_type = "text/plain"));
    ck_assert(!enc.has_body);
    ck_assert_ptr_null(enc.content_type);
    ck_assert_uint_eq(enc.content_type_at, 0);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("raw");
    TCase *tc = tcase_create("requests");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_loop_test(tc, a_method_has_its_class, 0, 8);
    tcase_add_test(tc, a_path_stands_behind_the_prefix);
    tcase_add_test(tc, a_body_is_json_unless_told_otherwise);
    tcase_add_test(tc, a_content_type_stands_between_path_and_body);
    tcase_add_test(tc, a_body_may_be_empty);
    tcase_add_test(tc, a_content_type_without_a_body_is_not_sent);
    suite_add_tcase(suite, tc);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
