/* SPDX-License-Identifier: Apache-2.0 */
/* The server's JSON trees, ids of points, and times. */
#include <stdint.h>
#include <stdlib.h>

#include "codec/datetime.h"
#include "server/point_id.h"
#include "tests/json_rig.h"

static void
check_same(const char *text)
{
    json_t *tree = json_of(text);

    json_is(tree, text);
    json_decref(tree);
}

static void
check_becomes(const char *text, const char *written)
{
    json_t *tree = json_of(text);

    json_is(tree, written);
    json_decref(tree);
}

static void
check_refused(const char *text, const char *words)
{
    struct vecwire__fault fault = {0, ""};

    ck_assert_ptr_null(vecwire__json_load(text, strlen(text), &fault));
    ck_assert_int_eq(fault.status, 400);
    ck_assert_msg(strstr(fault.text, words) != NULL, "%s", fault.text);
}

START_TEST(every_type_comes_back_as_it_was)
{
    check_same("{\"s\":\"a\\\"\\\\\\n\xc3\xa9\",\"i\":-7,\"r\":0.5,\"t\":true,"
               "\"f\":false,\"n\":null,\"a\":[1,[],{}],\"o\":{}}");
}
END_TEST

START_TEST(keys_keep_their_order)
{
    check_same("{\"z\":1,\"a\":2,\"m\":3}");
}
END_TEST

START_TEST(reals_have_no_more_digits_than_they_need)
{
    check_same("[0.1,1.5,3.141592653589793,1e-07,1e+300,-0.25]");
}
END_TEST

START_TEST(a_real_without_a_fraction_stays_a_real)
{
    check_same("[10.0,9]");
}
END_TEST

START_TEST(integers_are_exact_up_to_18446744073709551615)
{
    check_same("[9223372036854775807,9223372036854775808,"
               "18446744073709551615,-9223372036854775808]");
}
END_TEST

START_TEST(larger_integers_become_reals)
{
    check_becomes("[18446744073709551616,-9223372036854775809,1]",
                  "[1.8446744073709552e+19,-9.223372036854776e+18,1]");
}
END_TEST

START_TEST(digits_in_strings_are_no_numbers)
{
    check_same("{\"18446744073709551615\":\"\\\"18446744073709551615\","
               "\"n\":18446744073709551615}");
}
END_TEST

START_TEST(a_large_integer_is_no_string)
{
    json_t *tree = json_of("[18446744073709551615,\"18446744073709551615\"]");

    ck_assert(!vecwire__json_is_text(json_array_get(tree, 0)));
    ck_assert(vecwire__json_is_text(json_array_get(tree, 1)));
    json_decref(tree);
}
END_TEST

START_TEST(numbers_of_all_sizes_can_be_had_as_doubles)
{
    json_t *tree = json_of("[18446744073709551615,-3,0.5]");
    double number;

    ck_assert(vecwire__json_get_double(json_array_get(tree, 0), &number));
    ck_assert_double_eq(number, 18446744073709551616.0);
    ck_assert(vecwire__json_get_double(json_array_get(tree, 1), &number));
    ck_assert_double_eq(number, -3);
    ck_assert(vecwire__json_get_double(json_array_get(tree, 2), &number));
    ck_assert_double_eq(number, 0.5);
    json_decref(tree);
}
END_TEST

START_TEST(numbers_beyond_double_are_refused)
{
    check_refused("[1e400]", "overflow");
}
END_TEST

START_TEST(what_is_no_json_is_refused)
{
    check_refused("{\"a\":}", "at byte 5");
}
END_TEST

START_TEST(too_deep_nesting_is_refused)
{
    char text[257];

    memset(text, '[', 128);
    memset(text + 128, ']', 128);
    text[256] = '\0';
    check_refused(text, "nested too deep");
    check_same("[[[[]]]]");
}
END_TEST

START_TEST(a_long_fault_is_cut_between_characters)
{
    struct vecwire__fault fault;
    char text[400];

    for (size_t i = 0; i < sizeof(text) - 1; i += 3)
        memcpy(text + i, "\xe2\x82\xac", 3);
    text[sizeof(text) - 1] = '\0';
    vecwire__fault_set(&fault, 400, "x%s", text);
    ck_assert_uint_eq(strlen(fault.text) % 3, 1);
    vecwire__fault_set(&fault, 400, "xy%s", text);
    ck_assert_uint_eq(strlen(fault.text) % 3, 2);
}
END_TEST

/* --- ids --- */

static const char uuid[] = "0123abcd-0000-4000-8000-0000000000ff";

static void
check_id(const char *text, const char *written)
{
    json_t *tree = json_of(text);
    struct vecwire__point_id id;
    struct vecwire__buf buf;

    vecwire__buf_init(&buf, &vecwire__mem_libc);
    ck_assert_msg(vecwire__point_id_json(&id, tree), "%s", text);
    ck_assert(vecwire__point_id_put(&buf, &id));
    ck_assert(vecwire__buf_byte(&buf, '\0'));
    ck_assert_str_eq(buf.bytes, written);
    vecwire__buf_fini(&buf);
    json_decref(tree);
}

static void
check_no_id(const char *text)
{
    json_t *tree = json_of(text);
    struct vecwire__point_id id;

    ck_assert_msg(!vecwire__point_id_json(&id, tree), "%s", text);
    json_decref(tree);
}

START_TEST(an_id_is_a_number_up_to_18446744073709551615)
{
    check_id("0", "0");
    check_id("18446744073709551615", "18446744073709551615");
}
END_TEST

START_TEST(an_id_is_a_uuid_in_each_of_its_four_texts)
{
    const char *written = "\"0123abcd-0000-4000-8000-0000000000ff\"";

    check_id(written, written);
    check_id("\"0123ABCD-0000-4000-8000-0000000000FF\"", written);
    check_id("\"0123abcd0000400080000000000000ff\"", written);
    check_id("\"urn:uuid:0123abcd-0000-4000-8000-0000000000ff\"", written);
    check_id("\"{0123abcd-0000-4000-8000-0000000000ff}\"", written);
}
END_TEST

START_TEST(nothing_else_is_an_id)
{
    check_no_id("1.0");
    check_no_id("-1");
    check_no_id("\"1\"");
    check_no_id("true");
    check_no_id("18446744073709551616");
    check_no_id("\"0123abcd-0000-4000-8000-0000000000fg\"");
    check_no_id("\"0123abcd00-00-4000-8000-0000000000ff\"");
}
END_TEST

START_TEST(a_path_names_a_number_or_a_uuid)
{
    struct vecwire__point_id id;

    ck_assert(vecwire__point_id_text(&id, "18446744073709551615", 20));
    ck_assert(id.is_number && id.number == UINT64_MAX);
    ck_assert(vecwire__point_id_text(&id, uuid, strlen(uuid)));
    ck_assert(!id.is_number);
    ck_assert(!vecwire__point_id_text(&id, "18446744073709551616", 20));
    ck_assert(!vecwire__point_id_text(&id, "", 0));
    ck_assert(!vecwire__point_id_text(&id, "1a", 2));
}
END_TEST

START_TEST(digits_that_are_no_number_may_be_a_uuid)
{
    struct vecwire__point_id id;

    ck_assert(
        vecwire__point_id_text(&id, "00000000000000000000000000000012", 32));
    ck_assert(
        vecwire__point_id_text(&id, "99999999999999999999999999999912", 32));
    ck_assert(!id.is_number);
}
END_TEST

START_TEST(numbers_come_before_uuids)
{
    struct vecwire__point_id one, two, zero_uuid, other_uuid;

    ck_assert(vecwire__point_id_text(&one, "1", 1));
    ck_assert(vecwire__point_id_text(&two, "18446744073709551615", 20));
    ck_assert(vecwire__point_id_uuid(
        &zero_uuid, "00000000-0000-0000-0000-000000000000", 36));
    ck_assert(vecwire__point_id_uuid(&other_uuid, uuid, strlen(uuid)));
    ck_assert_int_lt(vecwire__point_id_compare(&one, &two), 0);
    ck_assert_int_lt(vecwire__point_id_compare(&two, &zero_uuid), 0);
    ck_assert_int_lt(vecwire__point_id_compare(&zero_uuid, &other_uuid), 0);
    ck_assert_int_gt(vecwire__point_id_compare(&other_uuid, &one), 0);
    ck_assert_int_eq(vecwire__point_id_compare(&one, &one), 0);
}
END_TEST

/* The published test vector of SipHash-2-4 needs a key; with the zero key
 * these are OpenSSL's (openssl mac -macopt size:8 SIPHASH). */
START_TEST(the_hash_is_siphash_2_4)
{
    struct vecwire__point_id id;

    ck_assert(vecwire__point_id_text(&id, "1", 1));
    ck_assert_uint_eq(vecwire__point_id_hash(&id),
                      UINT64_C(0x8004c5a694105f5e));
    ck_assert(vecwire__point_id_uuid(&id, uuid, strlen(uuid)));
    ck_assert_uint_eq(vecwire__point_id_hash(&id),
                      UINT64_C(0x7e527269f0bc9875));
}
END_TEST

/* --- times --- */

static void
check_time(const char *text, int64_t microseconds)
{
    int64_t read = 0;

    ck_assert_msg(vecwire__datetime_parse(text, strlen(text), &read), "%s",
                  text);
    ck_assert_msg(read == microseconds, "%s is %lld", text, (long long)read);
}

static void
check_no_time(const char *text)
{
    int64_t read;

    ck_assert_msg(!vecwire__datetime_parse(text, strlen(text), &read), "%s",
                  text);
}

START_TEST(times_are_microseconds_since_1970)
{
    check_time("1970-01-01T00:00:00Z", 0);
    check_time("2000-02-29T12:30:15Z", INT64_C(951827415000000));
    check_time("2100-03-01T00:00:00Z", INT64_C(4107542400000000));
    check_time("1969-12-31T23:59:59.5Z", -500000);
    check_time("0000-03-01T00:00:00Z", INT64_C(-62162035200000000));
}
END_TEST

START_TEST(a_time_may_be_a_date_only_or_lack_seconds_or_zone)
{
    check_time("1970-01-02", INT64_C(86400000000));
    check_time("1970-01-01 00:01", INT64_C(60000000));
    check_time("1970-01-01T00:00:01.25", 1250000);
}
END_TEST

START_TEST(zones_are_taken_off)
{
    check_time("1970-01-01T02:00:00+02:00", 0);
    check_time("1970-01-01T02:30:00+0230", 0);
    check_time("1969-12-31T23:00:00-01", 0);
}
END_TEST

START_TEST(nothing_finer_than_microseconds_counts)
{
    check_time("1970-01-01T00:00:00.1234567Z", 123456);
}
END_TEST

START_TEST(what_is_no_time_is_refused)
{
    check_no_time("");
    check_no_time("2023-02-29");
    check_no_time("1900-02-29");
    check_no_time("2023-13-01");
    check_no_time("2023-01-01T");
    check_no_time("2023-01-01T24:00:00Z");
    check_no_time("2023-01-01T00:00:00.Z");
    check_no_time("2023-01-01T00:00:00Zx");
    check_no_time("2023-01-01x");
    check_no_time("yesterday");
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("json_text");
    TCase *tree = tcase_create("tree");
    TCase *ids = tcase_create("ids");
    TCase *times = tcase_create("times");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_test(tree, every_type_comes_back_as_it_was);
    tcase_add_test(tree, keys_keep_their_order);
    tcase_add_test(tree, reals_have_no_more_digits_than_they_need);
    tcase_add_test(tree, a_real_without_a_fraction_stays_a_real);
    tcase_add_test(tree, integers_are_exact_up_to_18446744073709551615);
    tcase_add_test(tree, larger_integers_become_reals);
    tcase_add_test(tree, digits_in_strings_are_no_numbers);
    tcase_add_test(tree, a_large_integer_is_no_string);
    tcase_add_test(tree, numbers_of_all_sizes_can_be_had_as_doubles);
    tcase_add_test(tree, numbers_beyond_double_are_refused);
    tcase_add_test(tree, what_is_no_json_is_refused);
    tcase_add_test(tree, too_deep_nesting_is_refused);
    tcase_add_test(tree, a_long_fault_is_cut_between_characters);
    suite_add_tcase(suite, tree);
    tcase_add_test(ids, an_id_is_a_number_up_to_18446744073709551615);
    tcase_add_test(ids, an_id_is_a_uuid_in_each_of_its_four_texts);
    tcase_add_test(ids, nothing_else_is_an_id);
    tcase_add_test(ids, a_path_names_a_number_or_a_uuid);
    tcase_add_test(ids, digits_that_are_no_number_may_be_a_uuid);
    tcase_add_test(ids, numbers_come_before_uuids);
    tcase_add_test(ids, the_hash_is_siphash_2_4);
    suite_add_tcase(suite, ids);
    tcase_add_test(times, times_are_microseconds_since_1970);
    tcase_add_test(times, a_time_may_be_a_date_only_or_lack_seconds_or_zone);
    tcase_add_test(times, zones_are_taken_off);
    tcase_add_test(times, nothing_finer_than_microseconds_counts);
    tcase_add_test(times, what_is_no_time_is_refused);
    suite_add_tcase(suite, times);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
