/* SPDX-License-Identifier: Apache-2.0 */
/* The headers of a request. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "call/headers.h"
#include "codec/mem.h"
#include "dialect/dialect.h"

#define SECRET "s3cr3t-value"

static struct vecwire__headers made;
static struct vecwire__header_parts parts;
static struct vecwire_refusal refusal;

static void
setup(void)
{
    memset(&parts, 0, sizeof(parts));
    memset(&refusal, 0, sizeof(refusal));
    parts.dialect = &vecwire__dialect_hms;
}

static void
teardown(void)
{
    vecwire__headers_free(&made, &vecwire__mem_libc);
    ck_assert_ptr_null(made.list);
}

static enum vecwire_err
make(void)
{
    return vecwire__headers_make(&made, &vecwire__mem_libc, &parts, &refusal);
}

static void
check_made(size_t n, const char *const expected[][2])
{
    ck_assert_int_eq(make(), VECWIRE_OK);
    ck_assert_uint_eq(made.n, n);
    for (size_t i = 0; i < n; i++) {
        ck_assert_str_eq(made.list[i].name, expected[i][0]);
        ck_assert_str_eq(made.list[i].value, expected[i][1]);
    }
}

static void
check_refused(const char *text)
{
    ck_assert_int_eq(make(), VECWIRE_EINVAL);
    ck_assert_ptr_nonnull(strstr(refusal.text, text));
    ck_assert_ptr_null(strstr(refusal.text, SECRET));
    ck_assert_uint_eq(refusal.row, SIZE_MAX);
    ck_assert_uint_eq(refusal.coordinate, SIZE_MAX);
    ck_assert_ptr_null(made.list);
    ck_assert_uint_eq(made.n, 0);
}

static void
set_base(const struct vecwire_header *header)
{
    parts.base = header;
    parts.n_base = 1;
}

START_TEST(nothing_makes_no_headers)
{
    check_made(0, NULL);
}
END_TEST

START_TEST(key_tenant_agent_base_and_extra_come_in_this_order)
{
    static const struct vecwire_header base[] = {{"X-B", "2"}, {"X-A", "1"}};
    static const struct vecwire_header extra[] = {{"X-C", "3"}};
    static const char *const expected[][2] = {{"Authorization", "Bearer k"},
                                              {"X-Tenant-ID", "acme"},
                                              {"User-Agent", "ua/1"},
                                              {"X-B", "2"},
                                              {"X-A", "1"},
                                              {"X-C", "3"}};

    parts.api_key = "k";
    parts.tenant = "acme";
    parts.user_agent = "ua/1";
    parts.base = base;
    parts.n_base = 2;
    parts.extra = extra;
    parts.n_extra = 1;
    check_made(6, expected);
}
END_TEST

START_TEST(empty_key_and_agent_are_not_sent)
{
    parts.api_key = parts.user_agent = "";
    check_made(0, NULL);
}
END_TEST

START_TEST(the_calls_header_replaces_the_clients_without_case)
{
    static const struct vecwire_header base[] = {{"X-One", "1"},
                                                 {"X-Two", "2"}};
    static const struct vecwire_header extra[] = {{"x-ONE", "new"}};
    static const char *const expected[][2] = {{"X-Two", "2"}, {"x-ONE", "new"}};

    parts.base = base;
    parts.n_base = 2;
    parts.extra = extra;
    parts.n_extra = 1;
    check_made(2, expected);
}
END_TEST

START_TEST(the_later_of_two_in_one_list_is_sent)
{
    static const struct vecwire_header twice[] = {
        {"X-One", "1"}, {"X-Two", "2"}, {"x-one", "3"}};
    static const char *const expected[][2] = {
        {"X-Two", "2"}, {"x-one", "3"}, {"X-Two", "2"}, {"x-one", "3"}};

    parts.base = twice;
    parts.n_base = 3;
    check_made(2, expected);
    vecwire__headers_free(&made, &vecwire__mem_libc);
    parts.extra = twice;
    parts.n_extra = 3;
    check_made(2, expected + 2);
}
END_TEST

START_TEST(a_user_agent_among_the_headers_replaces_the_option)
{
    static const struct vecwire_header own = {"user-agent", "mine"};
    static const char *const expected[][2] = {{"user-agent", "mine"}};

    parts.user_agent = "ua/1";
    set_base(&own);
    check_made(1, expected);
}
END_TEST

START_TEST(what_was_made_needs_nothing_of_the_callers)
{
    char name[] = "X-A", value[] = "1", key[] = "k";
    const struct vecwire_header own = {name, value};

    parts.api_key = key;
    set_base(&own);
    ck_assert_int_eq(make(), VECWIRE_OK);
    memset(name, '-', 3);
    memset(value, '-', 1);
    memset(key, '-', 1);
    ck_assert_str_eq(made.list[0].value, "Bearer k");
    ck_assert_str_eq(made.list[1].name, "X-A");
    ck_assert_str_eq(made.list[1].value, "1");
}
END_TEST

START_TEST(authorization_is_free_without_a_key_and_the_tenant_without_one)
{
    static const struct vecwire_header own[] = {{"Authorization", "Basic x"},
                                                {"X-Tenant-ID", "t"}};
    static const char *const expected[][2] = {{"Authorization", "Basic x"},
                                              {"X-Tenant-ID", "t"}};

    parts.base = own;
    parts.n_base = 2;
    check_made(2, expected);
}
END_TEST

/* --- refused names --- */

static const char *const ours[] = {
    "Host",    "content-length",  "Transfer-Encoding", "CONNECTION",
    "Expect",  "Upgrade",         "Keep-Alive",        "TE",
    "Trailer", "Accept-Encoding", "Content-Type"};
#define N_OURS ((int)(sizeof(ours) / sizeof(ours[0])))

START_TEST(names_that_the_library_sets_are_refused)
{
    const struct vecwire_header own = {ours[_i], SECRET};

    set_base(&own);
    check_refused("is set by the library");
}
END_TEST

START_TEST(names_that_the_library_sets_are_refused_in_a_call)
{
    const struct vecwire_header own = {ours[_i], SECRET};

    parts.extra = &own;
    parts.n_extra = 1;
    check_refused("is set by the library");
}
END_TEST

static const char *const no_tokens[] = {
    NULL,       "",   "X A", "X:",  "X\r\n", "X\x7f",
    "\xc3\xa9", " X", "X ",  "X\t", "(X)",   "X\"Y"};
#define N_NO_TOKENS ((int)(sizeof(no_tokens) / sizeof(no_tokens[0])))

START_TEST(a_name_that_is_no_token_is_refused_by_its_place)
{
    const struct vecwire_header list[] = {{"X-Fine", "v"},
                                          {no_tokens[_i], SECRET}};

    parts.base = list;
    parts.n_base = 2;
    check_refused("header 1: its name is not a token");
}
END_TEST

START_TEST(authorization_beside_a_key_is_refused)
{
    static const struct vecwire_header own = {"authorization", SECRET};

    parts.api_key = "k";
    set_base(&own);
    check_refused("header authorization is set by an option as well");
}
END_TEST

START_TEST(the_tenant_header_beside_a_tenant_is_refused)
{
    static const struct vecwire_header own = {"x-tenant-id", SECRET};

    parts.tenant = "t";
    set_base(&own);
    check_refused("header x-tenant-id is set by an option as well");
}
END_TEST

/* --- refused values --- */

static const struct {
    const char *value, *text;
} bad_values[] = {{SECRET "\r\nX: y", "a line break"},
                  {SECRET "\n", "a line break"},
                  {SECRET "\r", "a line break"},
                  {SECRET "\x80", "a byte beyond ASCII"},
                  {SECRET "\xff", "a byte beyond ASCII"},
                  {SECRET "\xc3\xa9", "a byte beyond ASCII"},
                  {SECRET "\x7f", "a control character"},
                  {SECRET "\x01", "a control character"},
                  {SECRET "\ta", "a control character"},
                  {" " SECRET, "a blank at an end"},
                  {SECRET " ", "a blank at an end"}};
#define N_BAD_VALUES ((int)(sizeof(bad_values) / sizeof(bad_values[0])))

START_TEST(a_bad_key_is_refused_without_being_told)
{
    parts.api_key = bad_values[_i].value;
    check_refused("api_key has ");
    check_refused(bad_values[_i].text);
}
END_TEST

START_TEST(a_bad_user_agent_is_refused)
{
    parts.user_agent = bad_values[_i].value;
    check_refused("user_agent has ");
    check_refused(bad_values[_i].text);
}
END_TEST

START_TEST(a_bad_value_names_its_header)
{
    const struct vecwire_header own = {"X-Own", bad_values[_i].value};

    set_base(&own);
    check_refused("header X-Own: value has ");
    check_refused(bad_values[_i].text);
}
END_TEST

START_TEST(a_bad_value_in_a_call_names_its_header)
{
    const struct vecwire_header own = {"X-Own", bad_values[_i].value};

    parts.extra = &own;
    parts.n_extra = 1;
    check_refused("header X-Own: value has ");
}
END_TEST

START_TEST(a_bad_tenant_is_refused)
{
    parts.tenant = bad_values[_i].value;
    check_refused("tenant: expected 1 to 64 of A-Z a-z 0-9 _ -");
}
END_TEST

START_TEST(a_null_value_is_refused)
{
    static const struct vecwire_header own = {"X-Own", NULL};

    set_base(&own);
    check_refused("header X-Own: value is NULL");
}
END_TEST

START_TEST(blanks_inside_a_value_and_an_empty_value_are_fine)
{
    static const struct vecwire_header own[] = {{"X-A", "a  b"}, {"X-B", ""}};
    static const char *const expected[][2] = {{"X-A", "a  b"}, {"X-B", ""}};

    parts.base = own;
    parts.n_base = 2;
    check_made(2, expected);
}
END_TEST

/* --- tenants --- */

START_TEST(a_tenant_has_1_to_64_letters)
{
    char tenant[66];

    memset(tenant, 'T', 65);
    tenant[65] = '\0';
    parts.tenant = tenant;
    check_refused("tenant: ");
    tenant[64] = '\0';
    ck_assert_int_eq(make(), VECWIRE_OK);
    ck_assert_str_eq(made.list[0].value, tenant);
    vecwire__headers_free(&made, &vecwire__mem_libc);
    parts.tenant = "";
    check_refused("tenant: ");
}
END_TEST

static const char *const bad_tenants[] = {"a b", "a/b", "a.b", "\xc3\xa9", "*"};

START_TEST(a_tenant_has_no_other_bytes)
{
    parts.tenant = bad_tenants[_i];
    check_refused("tenant: ");
}
END_TEST

/* --- memory, finding --- */

static void *
no_alloc(size_t size, void *ctx)
{
    (void)size;
    (void)ctx;
    return NULL;
}

START_TEST(without_memory_there_is_no_list)
{
    const struct vecwire_mem none = {no_alloc, NULL, NULL, NULL};

    parts.api_key = "k";
    ck_assert_int_eq(vecwire__headers_make(&made, &none, &parts, &refusal),
                     VECWIRE_ENOMEM);
    ck_assert_ptr_null(made.list);
}
END_TEST

START_TEST(the_first_header_of_a_name_is_found_without_case)
{
    static const struct vecwire_header list[] = {
        {"X-One", "1"}, {"X-Two", "2"}, {"x-two", "3"}};

    ck_assert_str_eq(vecwire__headers_find(list, 3, "X-TWO"), "2");
    ck_assert_ptr_null(vecwire__headers_find(list, 1, "X-Two"));
    ck_assert_ptr_null(vecwire__headers_find(NULL, 0, "X-Two"));
}
END_TEST

static void
add_made_tests(TCase *tc)
{
    tcase_add_test(tc, nothing_makes_no_headers);
    tcase_add_test(tc, key_tenant_agent_base_and_extra_come_in_this_order);
    tcase_add_test(tc, empty_key_and_agent_are_not_sent);
    tcase_add_test(tc, the_calls_header_replaces_the_clients_without_case);
    tcase_add_test(tc, the_later_of_two_in_one_list_is_sent);
    tcase_add_test(tc, a_user_agent_among_the_headers_replaces_the_option);
    tcase_add_test(tc, what_was_made_needs_nothing_of_the_callers);
    tcase_add_test(
        tc, authorization_is_free_without_a_key_and_the_tenant_without_one);
    tcase_add_test(tc, blanks_inside_a_value_and_an_empty_value_are_fine);
    tcase_add_test(tc, without_memory_there_is_no_list);
    tcase_add_test(tc, the_first_header_of_a_name_is_found_without_case);
}

static void
add_refused_tests(TCase *tc)
{
    tcase_add_loop_test(tc, names_that_the_library_sets_are_refused, 0, N_OURS);
    tcase_add_loop_test(tc, names_that_the_library_sets_are_refused_in_a_call,
                        0, N_OURS);
    tcase_add_loop_test(tc, a_name_that_is_no_token_is_refused_by_its_place, 0,
                        N_NO_TOKENS);
    tcase_add_test(tc, authorization_beside_a_key_is_refused);
    tcase_add_test(tc, the_tenant_header_beside_a_tenant_is_refused);
    tcase_add_loop_test(tc, a_bad_key_is_refused_without_being_told, 0,
                        N_BAD_VALUES);
    tcase_add_loop_test(tc, a_bad_user_agent_is_refused, 0, N_BAD_VALUES);
    tcase_add_loop_test(tc, a_bad_value_names_its_header, 0, N_BAD_VALUES);
    tcase_add_loop_test(tc, a_bad_value_in_a_call_names_its_header, 0,
                        N_BAD_VALUES);
    tcase_add_loop_test(tc, a_bad_tenant_is_refused, 0, N_BAD_VALUES);
    tcase_add_test(tc, a_null_value_is_refused);
    tcase_add_test(tc, a_tenant_has_1_to_64_letters);
    tcase_add_loop_test(tc, a_tenant_has_no_other_bytes, 0, 5);
}

int
main(void)
{
    Suite *suite = suite_create("headers");
    TCase *tc = tcase_create("headers");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_checked_fixture(tc, setup, teardown);
    add_made_tests(tc);
    add_refused_tests(tc);
    suite_add_tcase(suite, tc);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
