/* SPDX-License-Identifier: Apache-2.0 */
/* What a reply gives out, and how long it lives; codes and their texts. */
#include <check.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include <vecwire/vecwire.h>

#include "dialect/reply.h"
#include "tests/counting_mem.h"

static struct counting_mem mem;
static struct vecwire_reply *reply;

static void
setup(void)
{
    counting_mem_init(&mem);
    reply = vecwire__reply_new(&mem.mem);
    ck_assert_ptr_nonnull(reply);
}

static void
teardown(void)
{
    vecwire__reply_release(reply);
    ck_assert_uint_eq(mem.blocks, 0);
}

static void
take_headers(void)
{
    static const struct vecwire_header headers[] = {
        {"Content-Type", "text/plain"}, {"X-A", ""}, {"x-a", "2"}};

    ck_assert(vecwire__reply_take_headers(reply, headers, 3));
    /* later texts are no headers */
    ck_assert(vecwire__buf_add(&reply->texts, "X-B\0 3\0", 7));
}

static void
add_row(const char *payload)
{
    struct vecwire__row_place *place = vecwire__reply_add_row(reply);

    ck_assert_ptr_nonnull(place);
    if (payload == NULL)
        return;
    place->has_payload = true;
    place->payload_at = reply->texts.len;
    reply->rows[reply->n_rows - 1].payload_len = strlen(payload);
    ck_assert(vecwire__buf_add(&reply->texts, payload, strlen(payload) + 1));
}

START_TEST(a_new_reply_is_empty)
{
    size_t len = 7;

    ck_assert_ptr_null(vecwire_reply_error(reply));
    ck_assert_uint_eq(vecwire_reply_status(reply), 0);
    ck_assert_uint_eq(vecwire_reply_count(reply), 0);
    ck_assert_ptr_null(vecwire_reply_row(reply, 0));
    ck_assert_uint_eq(vecwire_reply_affected(reply), 0);
    ck_assert_str_eq(vecwire_reply_body(reply, &len), "");
    ck_assert_uint_eq(len, 0);
    ck_assert_str_eq(vecwire_reply_body(reply, NULL), "");
    ck_assert_str_eq(vecwire_reply_peer(reply), "");
    ck_assert_ptr_null(vecwire_reply_header(reply, "X-A"));
    ck_assert_uint_eq(vecwire_reply_timing(reply)->queued_ns, 0);
    ck_assert(vecwire_reply_id(reply) == 0);
}
END_TEST

START_TEST(a_header_is_found_without_case_the_first_of_several)
{
    take_headers();
    ck_assert_str_eq(vecwire_reply_header(reply, "content-TYPE"), "text/plain");
    ck_assert_str_eq(vecwire_reply_header(reply, "X-a"), "");
    ck_assert_ptr_null(vecwire_reply_header(reply, "X-B"));
    ck_assert_ptr_null(vecwire_reply_header(reply, ""));
}
END_TEST

START_TEST(headers_are_listed_in_their_order)
{
    struct vecwire_header header;

    take_headers();
    ck_assert(vecwire_reply_header_at(reply, 0, &header));
    ck_assert_str_eq(header.name, "Content-Type");
    ck_assert_str_eq(header.value, "text/plain");
    ck_assert(vecwire_reply_header_at(reply, 1, &header));
    ck_assert_str_eq(header.name, "X-A");
    ck_assert_str_eq(header.value, "");
    ck_assert(vecwire_reply_header_at(reply, 2, &header));
    ck_assert_str_eq(header.value, "2");
    ck_assert(!vecwire_reply_header_at(reply, 3, &header));
    ck_assert(!vecwire_reply_header_at(reply, SIZE_MAX, &header));
}
END_TEST

START_TEST(a_payload_becomes_a_tree_of_the_callers)
{
    json_t *tree;

    add_row("{\"a\":[1,null]}");
    vecwire__reply_settle(reply);
    tree = vecwire_reply_payload_tree(reply, 0);
    ck_assert_ptr_nonnull(tree);
    ck_assert_uint_eq(tree->refcount, 1);
    ck_assert_uint_eq(json_array_size(json_object_get(tree, "a")), 2);
    json_decref(tree);
}
END_TEST

START_TEST(what_jansson_refuses_is_no_tree_but_a_text)
{
    static const char *const refused[] = {
        "{\"n\":18446744073709551615}", "{\"n\":1e999}", "{\"s\":\"\\u0000\"}"};

    add_row(refused[_i]);
    vecwire__reply_settle(reply);
    ck_assert_ptr_null(vecwire_reply_payload_tree(reply, 0));
    ck_assert_str_eq(vecwire_reply_row(reply, 0)->payload, refused[_i]);
}
END_TEST

START_TEST(a_row_without_payload_has_no_tree)
{
    add_row(NULL);
    vecwire__reply_settle(reply);
    ck_assert_ptr_null(vecwire_reply_payload_tree(reply, 0));
    ck_assert_ptr_null(vecwire_reply_payload_tree(reply, 1));
    ck_assert_str_eq(vecwire_reply_row(reply, 0)->id.text, "");
}
END_TEST

START_TEST(a_kept_reply_lives_until_it_is_released)
{
    const struct vecwire_reply *kept = vecwire_reply_keep(reply);

    ck_assert_ptr_eq(kept, reply);
    ck_assert_ptr_eq(vecwire_reply_keep(kept), kept);
    take_headers();
    vecwire__reply_release(reply);
    reply = NULL;
    ck_assert_str_eq(vecwire_reply_header(kept, "x-a"), "");
    vecwire_reply_release(kept);
    ck_assert_uint_gt(mem.blocks, 0);
    vecwire_reply_release(kept);
    ck_assert_uint_eq(mem.blocks, 0);
}
END_TEST

START_TEST(releasing_nothing_is_fine)
{
    vecwire_reply_release(NULL);
}
END_TEST

START_TEST(a_reset_reply_has_nothing_of_the_last_attempt)
{
    take_headers();
    add_row("{}");
    reply->status = 503;
    reply->affected = 3;
    reply->answered = true;
    reply->fault = "x";
    vecwire__reply_reset(reply);
    ck_assert_uint_eq(vecwire_reply_status(reply), 0);
    ck_assert_uint_eq(vecwire_reply_count(reply), 0);
    ck_assert_uint_eq(vecwire_reply_affected(reply), 0);
    ck_assert_ptr_null(vecwire_reply_header(reply, "X-A"));
    ck_assert(!reply->answered);
    ck_assert_ptr_null(reply->fault);
}
END_TEST

START_TEST(without_memory_a_row_is_not_added)
{
    counting_mem_arm(&mem, (size_t)_i, false);
    ck_assert_ptr_null(vecwire__reply_add_row(reply));
    ck_assert_uint_eq(vecwire_reply_count(reply), 0);
    ck_assert_ptr_nonnull(vecwire__reply_add_row(reply));
}
END_TEST

/* --- codes --- */

START_TEST(every_code_has_its_number_name_and_text)
{
#define X(name, number, text)                                                  \
    ck_assert_int_eq(VECWIRE_##name, number);                                  \
    ck_assert_str_eq(vecwire_strerror(VECWIRE_##name), text);                  \
    ck_assert_str_eq(vecwire_err_name(VECWIRE_##name), "VECWIRE_" #name);
    VECWIRE_ERROR_MAP(X)
#undef X
    ck_assert_int_eq(VECWIRE_EDECODE, 18);
}
END_TEST

START_TEST(every_phase_has_its_name)
{
#define X(name, number, text)                                                  \
    ck_assert_str_eq(vecwire_phase_name(VECWIRE_PHASE_##name), text);
    VECWIRE_PHASE_MAP(X)
#undef X
}
END_TEST

START_TEST(other_numbers_have_a_text_too)
{
    ck_assert_str_eq(vecwire_strerror((enum vecwire_err)999), "unknown error");
    ck_assert_str_eq(vecwire_err_name((enum vecwire_err)999), "VECWIRE_?");
    ck_assert_str_eq(vecwire_phase_name((enum vecwire_phase)999), "?");
}
END_TEST

START_TEST(the_library_has_the_headers_version)
{
    ck_assert_str_eq(vecwire_version(), VECWIRE_VERSION);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("reply");
    TCase *tc = tcase_create("reply");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, a_new_reply_is_empty);
    tcase_add_test(tc, a_header_is_found_without_case_the_first_of_several);
    tcase_add_test(tc, headers_are_listed_in_their_order);
    tcase_add_test(tc, a_payload_becomes_a_tree_of_the_callers);
    tcase_add_loop_test(tc, what_jansson_refuses_is_no_tree_but_a_text, 0, 3);
    tcase_add_test(tc, a_row_without_payload_has_no_tree);
    tcase_add_test(tc, a_kept_reply_lives_until_it_is_released);
    tcase_add_test(tc, releasing_nothing_is_fine);
    tcase_add_test(tc, a_reset_reply_has_nothing_of_the_last_attempt);
    tcase_add_loop_test(tc, without_memory_a_row_is_not_added, 1, 3);
    tcase_add_test(tc, every_code_has_its_number_name_and_text);
    tcase_add_test(tc, every_phase_has_its_name);
    tcase_add_test(tc, other_numbers_have_a_text_too);
    tcase_add_test(tc, the_library_has_the_headers_version);
    suite_add_tcase(suite, tc);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
