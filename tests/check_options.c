/* SPDX-License-Identifier: Apache-2.0 */
/* What vecwire_client_new() takes and refuses. */
#include <event2/event.h>
#include <stdio.h>

#include "api/client.h"
#include "tests/counting_mem.h"

#define URL "http://127.0.0.1:8080"

static struct event_base *base;
static struct vecwire_client *client;
static struct vecwire_refusal refusal;
static struct counting_mem mem;

static void
setup(void)
{
    memset(&refusal, 0, sizeof(refusal));
    counting_mem_init(&mem);
    client = NULL;
    base = vecwire_event_base_new();
    ck_assert_ptr_nonnull(base);
}

static void
teardown(void)
{
    vecwire_client_free(client);
    event_base_free(base);
}

/* It begins as something else than NULL, to see it set. */
static enum vecwire_err
make(struct vecwire_options options)
{
    options.refusal = &refusal;
    client = (struct vecwire_client *)(void *)&refusal;
    return vecwire_client_new(&client, base, &options);
}

static void
check_made(struct vecwire_options options)
{
    ck_assert_int_eq(make(options), VECWIRE_OK);
    ck_assert_ptr_nonnull(client);
}

static void
check_refused(struct vecwire_options options, enum vecwire_err code,
              const char *text)
{
    ck_assert_int_eq(make(options), code);
    ck_assert_ptr_null(client);
    ck_assert_uint_eq(refusal.row, SIZE_MAX);
    ck_assert_uint_eq(refusal.coordinate, SIZE_MAX);
    ck_assert_ptr_nonnull(strstr(refusal.text, text));
}

/* --- sizes --- */

START_TEST(a_url_is_enough)
{
    check_made(VECWIRE_OPTIONS(.url = URL));
}
END_TEST

START_TEST(the_init_function_does_as_well_as_the_macro)
{
    struct vecwire_options options;

    memset(&options, 0xff, sizeof(options));
    vecwire_options_init(&options);
    options.url = URL;
    check_made(options);
}
END_TEST

static const size_t bad_sizes[] = {0,
                                   1,
                                   8,
                                   offsetof(struct vecwire_options, no_retry),
                                   offsetof(struct vecwire_options, reserved),
                                   ((size_t)1 << 20) + 1,
                                   SIZE_MAX};
#define N_BAD_SIZES ((int)(sizeof(bad_sizes) / sizeof(bad_sizes[0])))

START_TEST(options_without_macro_and_init_are_refused)
{
    struct vecwire_options options = {.size = bad_sizes[_i], .url = URL};

    ck_assert_int_eq(make(options), VECWIRE_EINVAL);
    ck_assert_ptr_null(client);
}
END_TEST

START_TEST(where_options_cannot_be_trusted_nothing_is_written)
{
    struct vecwire_options options = {.url = URL, .refusal = &refusal};

    ck_assert_int_eq(vecwire_client_new(&client, base, &options),
                     VECWIRE_EINVAL);
    ck_assert_str_eq(refusal.text, "");
}
END_TEST

/* Options as a later version may have them. */
struct later_options {
    struct vecwire_options now;
    uint64_t more[4];
};

START_TEST(later_options_are_taken_when_the_new_fields_are_zero)
{
    struct later_options later = {VECWIRE_OPTIONS(.url = URL), {0}};

    later.now.size = sizeof(later);
    ck_assert_int_eq(vecwire_client_new(&client, base, &later.now), VECWIRE_OK);
}
END_TEST

START_TEST(later_options_are_refused_when_a_new_field_is_set)
{
    struct later_options later = {VECWIRE_OPTIONS(.url = URL), {0}};
    unsigned char *bytes = (unsigned char *)&later;

    later.now.size = sizeof(later);
    bytes[sizeof(later.now) + (size_t)_i * 31] = 1;
    ck_assert_int_eq(vecwire_client_new(&client, base, &later.now),
                     VECWIRE_EINVAL);
    ck_assert_ptr_null(client);
}
END_TEST

/* --- what is missing --- */

START_TEST(null_options_are_refused)
{
    ck_assert_int_eq(vecwire_client_new(&client, base, NULL), VECWIRE_EINVAL);
    ck_assert_ptr_null(client);
}
END_TEST

START_TEST(a_null_base_is_refused)
{
    ck_assert_int_eq(
        vecwire_client_new(&client, NULL,
                           &VECWIRE_OPTIONS(.url = URL, .refusal = &refusal)),
        VECWIRE_EINVAL);
    ck_assert_ptr_null(client);
    ck_assert_str_eq(refusal.text, "base is NULL");
}
END_TEST

START_TEST(a_null_place_for_the_client_is_refused)
{
    ck_assert_int_eq(
        vecwire_client_new(NULL, base, &VECWIRE_OPTIONS(.url = URL)),
        VECWIRE_EINVAL);
}
END_TEST

/* --- URLs --- */

static const char *const bad_urls[] = {NULL,
                                       "",
                                       "127.0.0.1:8080",
                                       "http:/h",
                                       "ftp://h",
                                       "http+unix://h",
                                       "http://",
                                       "http:///x",
                                       "http://:8080",
                                       "http://user@h",
                                       "http://user:password@h",
                                       "http://h?x=1",
                                       "http://h/p?x=1",
                                       "http://h#f",
                                       "http://h:0",
                                       "http://h:65536",
                                       "http://h:99999999999",
                                       "http://h:80x",
                                       "http://h:",
                                       "http://h:-1",
                                       "http://[::1",
                                       "http://[::g]:80",
                                       "http://[]",
                                       "http://[::1]x",
                                       "http://[127.0.0.1]",
                                       "http://h h",
                                       "http://h\r\nX: y",
                                       "http://h/a b",
                                       "http://h/\r\n",
                                       "http://h/\x80",
                                       "http://h/\x7f",
                                       "http://\xc3\xa9"};
#define N_BAD_URLS ((int)(sizeof(bad_urls) / sizeof(bad_urls[0])))

START_TEST(a_bad_url_is_refused)
{
    check_refused(VECWIRE_OPTIONS(.url = bad_urls[_i]), VECWIRE_EINVAL, "url");
}
END_TEST

START_TEST(a_password_in_a_url_is_not_told)
{
    check_refused(VECWIRE_OPTIONS(.url = "http://u:s3cr3t@h"), VECWIRE_EINVAL,
                  "user name");
    ck_assert_ptr_null(strstr(refusal.text, "s3cr3t"));
}
END_TEST

static const char *const good_urls[] = {
    "http://h",        "HTTP://H:1/",         "http://a-b.c_d:65535/p/q/",
    "http://[::1]",    "http://[::1]:8080/p", "http://127.0.0.1/%41",
    "http://localhost"};

START_TEST(a_good_url_is_taken)
{
    check_made(VECWIRE_OPTIONS(.url = good_urls[_i]));
}
END_TEST

/* --- fields --- */

START_TEST(other_dialects_are_not_built)
{
    static const uint32_t others[] = {VECWIRE_CHROMA, 4, UINT32_MAX};

    check_refused(VECWIRE_OPTIONS(.url = URL, .dialect = others[_i]),
                  VECWIRE_EUNSUPPORTED, "dialect");
}
END_TEST

START_TEST(hms_has_no_collections)
{
    check_refused(VECWIRE_OPTIONS(.url = URL, .collection = "c"),
                  VECWIRE_EINVAL, "collection: hms has no collections");
}
END_TEST

START_TEST(json_may_be_255_deep_and_no_deeper)
{
    check_refused(VECWIRE_OPTIONS(.url = URL, .json_depth = 256),
                  VECWIRE_EINVAL, "json_depth is 256, expected at most 255");
    check_made(VECWIRE_OPTIONS(.url = URL, .json_depth = 255));
}
END_TEST

START_TEST(numbers_that_cannot_be_meant_are_refused)
{
    check_refused(VECWIRE_OPTIONS(.url = URL, .connections = UINT32_MAX),
                  VECWIRE_EINVAL, "connections is ");
    check_refused(VECWIRE_OPTIONS(.url = URL, .max_waiting = UINT32_MAX),
                  VECWIRE_EINVAL, "max_waiting is ");
}
END_TEST

START_TEST(an_allocator_needs_all_its_functions)
{
    if (_i == 0)
        mem.mem.alloc = NULL;
    else if (_i == 1)
        mem.mem.realloc = NULL;
    else
        mem.mem.free = NULL;
    check_refused(VECWIRE_OPTIONS(.url = URL, .mem = &mem.mem), VECWIRE_EINVAL,
                  "mem lacks a function");
}
END_TEST

START_TEST(a_number_of_headers_needs_headers)
{
    check_refused(VECWIRE_OPTIONS(.url = URL, .n_headers = 1), VECWIRE_EINVAL,
                  "headers is NULL, n_headers is 1");
}
END_TEST

START_TEST(a_bad_key_tenant_header_or_agent_is_refused_here)
{
    const struct vecwire_header header = {"X-A", "a\r\nb"};
    const struct vecwire_options bad[] = {
        VECWIRE_OPTIONS(.url = URL, .api_key = "s3cr3t\n"),
        VECWIRE_OPTIONS(.url = URL, .tenant = "a b"),
        VECWIRE_OPTIONS(.url = URL, .headers = &header, .n_headers = 1),
        VECWIRE_OPTIONS(.url = URL, .user_agent = "a\x80"),
    };
    static const char *const names[] = {"api_key", "tenant", "X-A",
                                        "user_agent"};

    check_refused(bad[_i], VECWIRE_EINVAL, names[_i]);
    ck_assert_ptr_null(strstr(refusal.text, "s3cr3t"));
}
END_TEST

/* --- defaults --- */

START_TEST(zero_is_the_default_in_every_field)
{
    struct vecwire_options o;

    ck_assert_int_eq(
        vecwire__options_take(&o, &VECWIRE_OPTIONS(.url = URL), &refusal),
        VECWIRE_OK);
    ck_assert_uint_eq(o.dialect, VECWIRE_HMS);
    ck_assert_uint_eq(o.connections, 4);
    ck_assert_uint_eq(o.max_waiting, 1024);
    ck_assert_uint_eq(o.max_waiting_bytes, 64 << 20);
    ck_assert_uint_eq(o.deadline_ms, 30000);
    ck_assert_uint_eq(o.connect_ms, 5000);
    ck_assert_uint_eq(o.idle_ms, 4000);
    ck_assert_uint_eq(o.max_reply_bytes, 256 << 20);
    ck_assert_uint_eq(o.max_header_bytes, 64 << 10);
    ck_assert_uint_eq(o.max_header_lines, 128);
    ck_assert_uint_eq(o.max_row_bytes, 32 << 20);
    ck_assert_uint_eq(o.json_depth, 128);
    ck_assert_uint_eq(o.read_per_turn, 256 << 10);
    ck_assert_uint_eq(o.attempts, 3);
    ck_assert_ptr_null(o.user_agent);
    ck_assert_ptr_nonnull(o.mem);
    ck_assert(!o.no_retry && !o.repeat_writes);
}
END_TEST

START_TEST(what_is_given_is_kept)
{
    struct vecwire_options o;

    ck_assert_int_eq(
        vecwire__options_take(&o,
                              &VECWIRE_OPTIONS(.url = URL, .connections = 1,
                                               .deadline_ms = VECWIRE_NEVER,
                                               .user_agent = "", .attempts = 1,
                                               .repeat_writes = true),
                              &refusal),
        VECWIRE_OK);
    ck_assert_uint_eq(o.connections, 1);
    ck_assert_uint_eq(o.deadline_ms, VECWIRE_NEVER);
    ck_assert_str_eq(o.user_agent, "");
    ck_assert_uint_eq(o.attempts, 1);
    ck_assert(o.repeat_writes);
}
END_TEST

/* --- no memory --- */

static struct vecwire_options
full_options(void)
{
    static const struct vecwire_header headers[] = {{"X-A", "1"}, {"X-B", "2"}};

    return VECWIRE_OPTIONS(.url = URL, .api_key = "key", .tenant = "acme",
                           .user_agent = "ua", .headers = headers,
                           .n_headers = 2, .resolv_conf = "resolv.conf",
                           .mem = &mem.mem);
}

START_TEST(without_memory_at_any_point_there_is_no_client)
{
    size_t n = 1;

    for (;; n++) {
        counting_mem_arm(&mem, n, _i == 1);
        if (make(full_options()) == VECWIRE_OK)
            break;
        ck_assert_ptr_null(client);
        ck_assert_str_eq(refusal.text, "out of memory");
        ck_assert_uint_eq(mem.blocks, 0);
    }
    ck_assert_uint_gt(n, 5);
    vecwire_client_free(client);
    client = NULL;
    ck_assert_uint_eq(mem.blocks, 0);
}
END_TEST

static size_t libevent_fails_in; /* 0: never */

static void *
libevent_malloc(size_t size)
{
    return libevent_fails_in != 0 && --libevent_fails_in == 0 ? NULL
                                                              : malloc(size);
}

static void *
libevent_realloc(void *block, size_t size)
{
    return libevent_fails_in != 0 && --libevent_fails_in == 0
               ? NULL
               : realloc(block, size);
}

START_TEST(without_memory_for_libevent_there_is_no_client)
{
    size_t n = 1;

    event_set_mem_functions(libevent_malloc, libevent_realloc, free);
    for (;; n++) {
        enum vecwire_err err;

        libevent_fails_in = n;
        err = make(full_options());
        libevent_fails_in = 0;
        if (err == VECWIRE_OK)
            break;
        ck_assert_int_eq(err, VECWIRE_ENOMEM);
        ck_assert_ptr_null(client);
        ck_assert_uint_eq(mem.blocks, 0);
    }
    ck_assert_uint_gt(n, 1);
    vecwire_client_free(client);
    client = NULL;
    ck_assert_uint_eq(mem.blocks, 0);
}
END_TEST

static void
add_tests(TCase *tc)
{
    tcase_add_test(tc, a_url_is_enough);
    tcase_add_test(tc, the_init_function_does_as_well_as_the_macro);
    tcase_add_loop_test(tc, options_without_macro_and_init_are_refused, 0,
                        N_BAD_SIZES);
    tcase_add_test(tc, where_options_cannot_be_trusted_nothing_is_written);
    tcase_add_test(tc, later_options_are_taken_when_the_new_fields_are_zero);
    tcase_add_loop_test(tc, later_options_are_refused_when_a_new_field_is_set,
                        0, 2);
    tcase_add_test(tc, null_options_are_refused);
    tcase_add_test(tc, a_null_base_is_refused);
    tcase_add_test(tc, a_null_place_for_the_client_is_refused);
    tcase_add_loop_test(tc, a_bad_url_is_refused, 0, N_BAD_URLS);
    tcase_add_test(tc, a_password_in_a_url_is_not_told);
    tcase_add_loop_test(tc, a_good_url_is_taken, 0, 7);
    tcase_add_loop_test(tc, other_dialects_are_not_built, 0, 3);
    tcase_add_test(tc, hms_has_no_collections);
    tcase_add_test(tc, json_may_be_255_deep_and_no_deeper);
    tcase_add_test(tc, numbers_that_cannot_be_meant_are_refused);
    tcase_add_loop_test(tc, an_allocator_needs_all_its_functions, 0, 3);
    tcase_add_test(tc, a_number_of_headers_needs_headers);
    tcase_add_loop_test(tc, a_bad_key_tenant_header_or_agent_is_refused_here, 0,
                        4);
    tcase_add_test(tc, zero_is_the_default_in_every_field);
    tcase_add_test(tc, what_is_given_is_kept);
    tcase_add_loop_test(tc, without_memory_at_any_point_there_is_no_client, 0,
                        2);
    tcase_add_test(tc, without_memory_for_libevent_there_is_no_client);
}

int
main(void)
{
    Suite *suite = suite_create("options");
    TCase *tc = tcase_create("options");
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
