/* SPDX-License-Identifier: Apache-2.0 */
/* What the JSON reader tells of a text. */
#include "tests/json_record.h"

static struct record record;

static void
setup(void)
{
    record_init(&record);
}

static void
teardown(void)
{
    record_fini(&record);
}

static void
require_log(const struct vecwire__json_table *table, const char *text,
            const char *log)
{
    record_whole(&record, table, text, strlen(text));
    ck_assert_msg(record.rc == VECWIRE__JSON_DONE, "%s: %s at %llu", text,
                  vecwire__json_rc_text(record.rc),
                  (unsigned long long)record.offset);
    REQUIRE(vecwire__buf_byte(&record.log, '\0'), "no memory");
    ck_assert_str_eq(record.log.bytes, log);
}

static void
require_fault(const struct vecwire__json_table *table, const char *text,
              enum vecwire__json_rc rc, size_t offset, const char *key)
{
    record_whole(&record, table, text, strlen(text));
    ck_assert_msg(record.rc == rc, "%s: %s", text,
                  vecwire__json_rc_text(record.rc));
    ck_assert_uint_eq(record.offset, offset);
    ck_assert_str_eq(record.key, key);
}

START_TEST(every_kind_of_value_reaches_the_sink)
{
    require_log(&record_table,
                "{\"status\":\"ok\",\"time\":0.25,\"ok\":true,\"usage\":{},"
                "\"result\":{\"count\":18446744073709551615,\"next\":0,"
                "\"points\":[{\"id\":\"a\",\"vector\":[0.5,-1,2e2],\"score\":1,"
                "\"name\":\"n\",\"meta\":{\"k\":1},\"payload\":[1]}]}}",
                "begin 1\nraw 1 \"ok\"\nf32 2 0.25\nbool 3 1\nbegin 2\n"
                "u64 5 18446744073709551615\nu64 4 0\narray 13\nbegin 3\n"
                "str 6 a\nrow 8 0.5 -1 200\nf32 9 1\nstr 10 n\n"
                "raw 11 {\"k\":1}\nraw 7 [1]\nend 3\nend 2\nend 1\n");
}
END_TEST

START_TEST(keys_may_stand_in_any_order)
{
    require_log(&record_table,
                "{\"ok\":false,\"result\":{\"points\":[{\"score\":1,\"id\":1},"
                "{\"id\":2,\"score\":2},{\"score\":3,\"id\":3}]},\"time\":1}",
                "begin 1\nbool 3 0\nbegin 2\narray 13\nbegin 3\nf32 9 1\n"
                "u64 6 1\nend 3\nbegin 3\nu64 6 2\nf32 9 2\nend 3\nbegin 3\n"
                "f32 9 3\nu64 6 3\nend 3\nend 2\nf32 2 1\nend 1\n");
}
END_TEST

START_TEST(keys_written_with_escapes_are_known)
{
    require_log(&record_table,
                "{\"\\u0074i\\u006De\":1,\"o\\u006b\":true,\"time\\u0000\":{}}",
                "begin 1\nf32 2 1\nbool 3 1\nend 1\n");
}
END_TEST

START_TEST(keys_that_only_begin_alike_are_unknown)
{
    require_log(&record_table,
                "{\"tim\":1,\"times\":2,\"\":3,\"Time\":4,"
                "\"time\\\"\":5,\"o\":6,\"a_much_longer_key_than_any\":7,"
                "\"time that goes on for long, longer than any key\":8}",
                "begin 1\nend 1\n");
}
END_TEST

START_TEST(unknown_keys_of_every_type_are_skipped)
{
    require_log(&record_table,
                "{\"a\":1,\"b\":\"time\",\"c\":null,\"d\":true,\"e\":false,"
                "\"f\":[],\"g\":{},\"h\":{\"time\":[{\"time\":1},[-0.5E+7]]},"
                "\"time\":2,\"i\":[{\"id\":0}]}",
                "begin 1\nf32 2 2\nend 1\n");
}
END_TEST

START_TEST(an_array_of_anything_tells_only_that_it_began)
{
    require_log(&record_table, "{\"any\":[1,{\"time\":[]},\"x\",[null]]}",
                "begin 1\narray 14\nend 1\n");
}
END_TEST

START_TEST(null_is_nan_among_numbers_and_absent_where_it_may_be)
{
    require_log(&record_table,
                "{\"time\":null,\"status\":null,\"usage\":null,\"result\":null,"
                "\"x\":null}",
                "begin 1\nf32 2 nan null\nraw 1 null\nnull 0\nend 1\n");
    require_log(&record_rows,
                "[{\"vector\":[1,null,2]},{\"vector\":[3]},{\"vector\":null},"
                "{\"payload\":null},{\"name\":null,\"meta\":null}]",
                "array 0\nbegin 1\nrow 8 1 nan 2 null\nend 1\nbegin 1\n"
                "row 8 3\nend 1\nbegin 1\nnull 8\nend 1\nbegin 1\nnull 7\n"
                "end 1\nbegin 1\nnull 10\nnull 11\nend 1\n");
}
END_TEST

START_TEST(raw_text_is_kept_without_the_blanks_around_it)
{
    require_log(&record_rows,
                "[ {\"payload\" : \t { \"a\" : [ 1 , \"\\u0061\" ] } \n } , "
                "{\"payload\": 1.50 },{\"payload\":\"\\n\" },{\"payload\":-0}]",
                "array 0\nbegin 1\nraw 7 { \"a\" : [ 1 , \"\\u0061\" ] }\n"
                "end 1\nbegin 1\nraw 7 1.50\nend 1\nbegin 1\nraw 7 \"\\n\"\n"
                "end 1\nbegin 1\nraw 7 -0\nend 1\n");
}
END_TEST

START_TEST(text_is_decoded_to_utf8)
{
    static const char text[] =
        "[{\"name\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\u2028\\ud83d\\uDE80"
        "\xc3\xa9\\u0000\\ud800\\udc00\\udbff\\udfff\\ud7ff\\ue000\"}]";
    static const char decoded[] = "\"\\/\b\f\n\r\t\xc3\xa9\xe2\x80\xa8"
                                  "\xf0\x9f\x9a\x80\xc3\xa9\0\xf0\x90\x80\x80"
                                  "\xf4\x8f\xbf\xbf\xed\x9f\xbf\xee\x80\x80";

    record_whole(&record, &record_rows, text, sizeof(text) - 1);
    ck_assert_int_eq(record.rc, VECWIRE__JSON_DONE);
    /* the sink has put a NUL behind it */
    ck_assert_uint_eq(record.texts.len, sizeof(decoded));
    ck_assert_mem_eq(record.texts.bytes, decoded, sizeof(decoded));
}
END_TEST

START_TEST(objects_of_one_shape_may_nest)
{
    require_log(&record_rows,
                "[{\"id\":1,\"inner\":{\"inner\":{},\"id\":2},\"score\":3}]",
                "array 0\nbegin 1\nu64 6 1\nbegin 3\nbegin 3\nend 3\nu64 6 2\n"
                "end 3\nf32 9 3\nend 1\n");
}
END_TEST

START_TEST(the_root_may_be_an_array_of_objects)
{
    require_log(&record_rows, " [ ] ", "array 0\n");
    require_log(&record_rows, "[{\"id\":1},{}]",
                "array 0\nbegin 1\nu64 6 1\nend 1\nbegin 1\nend 1\n");
    require_fault(&record_rows, "{}", VECWIRE__JSON_ETYPE, 0, "");
    require_fault(&record_rows, "[{}, 7]", VECWIRE__JSON_ETYPE, 5, "");
    require_fault(&record_rows, "[{\"id\":1},{\"id\":[]}]", VECWIRE__JSON_ETYPE,
                  16, "id");
}
END_TEST

START_TEST(known_values_count_for_depth)
{
    record.depth = 2;
    require_fault(&record_rows, "[{\"vector\":[1]}]", VECWIRE__JSON_EDEPTH, 11,
                  "vector");
    require_fault(&record_rows, "[{\"payload\":{}}]", VECWIRE__JSON_EDEPTH, 12,
                  "payload");
    require_fault(&record_rows, "[{\"inner\":{}}]", VECWIRE__JSON_EDEPTH, 10,
                  "inner");
    record.depth = 3;
    require_log(&record_rows, "[{\"vector\":[1]}]",
                "array 0\nbegin 1\nrow 8 1\nend 1\n");
}
END_TEST

START_TEST(an_error_is_final)
{
    struct vecwire__json_reader reader;

    record_begin(&record, &reader, &record_table);
    ck_assert_int_eq(vecwire__json_feed(&reader, "{\"time\":[", 9),
                     VECWIRE__JSON_ETYPE);
    ck_assert_int_eq(vecwire__json_feed(&reader, "{}", 2), VECWIRE__JSON_ETYPE);
    ck_assert_int_eq(vecwire__json_feed(&reader, NULL, 0), VECWIRE__JSON_ETYPE);
    ck_assert_int_eq(vecwire__json_finish(&reader), VECWIRE__JSON_ETYPE);
    ck_assert_uint_eq(reader.offset, 8);
    ck_assert_str_eq(reader.key, "time");
}
END_TEST

START_TEST(nothing_but_blanks_may_follow)
{
    struct vecwire__json_reader reader;

    record_begin(&record, &reader, &record_table);
    ck_assert_int_eq(vecwire__json_feed(&reader, "{", 1), VECWIRE__JSON_MORE);
    ck_assert_int_eq(vecwire__json_feed(&reader, "", 0), VECWIRE__JSON_MORE);
    ck_assert_int_eq(vecwire__json_feed(&reader, "}", 1), VECWIRE__JSON_DONE);
    ck_assert_int_eq(vecwire__json_feed(&reader, "", 0), VECWIRE__JSON_DONE);
    ck_assert_int_eq(vecwire__json_feed(&reader, " \n", 2), VECWIRE__JSON_DONE);
    ck_assert_int_eq(vecwire__json_feed(&reader, " {", 2),
                     VECWIRE__JSON_EGRAMMAR);
    ck_assert_uint_eq(reader.offset, 5);
    ck_assert_int_eq(vecwire__json_finish(&reader), VECWIRE__JSON_EGRAMMAR);
}
END_TEST

START_TEST(a_user_text_is_any_json_or_an_object)
{
    static const char *const good[] = {"1",    "-0.5e3", "\"x\"", "null",
                                       "true", " [1] ",  "{}"};
    size_t offset = 77;

    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        size_t len = strlen(good[i]);

        ck_assert_int_eq(vecwire__json_check(good[i], len, 9, false, NULL),
                         VECWIRE__JSON_DONE);
        ck_assert_int_eq(vecwire__json_check(good[i], len, 9, true, &offset),
                         good[i][0] == '{' ? VECWIRE__JSON_DONE
                                           : VECWIRE__JSON_ETYPE);
    }
    ck_assert_int_eq(vecwire__json_check(NULL, 0, 9, false, &offset),
                     VECWIRE__JSON_EEND);
    ck_assert_uint_eq(offset, 0);
    ck_assert_int_eq(vecwire__json_check("1.", 2, 9, false, &offset),
                     VECWIRE__JSON_EEND);
    ck_assert_uint_eq(offset, 2);
    ck_assert_int_eq(vecwire__json_check("{\"a\":1}}", 8, 9, true, &offset),
                     VECWIRE__JSON_EGRAMMAR);
    ck_assert_uint_eq(offset, 7);
}
END_TEST

START_TEST(a_nul_byte_is_no_json)
{
    size_t offset = 0;

    ck_assert_int_eq(vecwire__json_check("{}\0", 3, 9, true, &offset),
                     VECWIRE__JSON_EGRAMMAR);
    ck_assert_uint_eq(offset, 2);
    ck_assert_int_eq(vecwire__json_check("[\"\0\"]", 5, 9, false, &offset),
                     VECWIRE__JSON_EGRAMMAR);
    ck_assert_uint_eq(offset, 2);
}
END_TEST

START_TEST(every_way_to_end_has_a_text_of_its_own)
{
    for (int i = 0; i <= VECWIRE__JSON_ESINK; i++) {
        for (int j = 0; j < i; j++)
            ck_assert_str_ne(vecwire__json_rc_text((enum vecwire__json_rc)i),
                             vecwire__json_rc_text((enum vecwire__json_rc)j));
    }
}
END_TEST

START_TEST(a_vector_of_one_row_reads_like_an_array_of_floats)
{
    require_log(&record_table,
                "{\"either\":[{\"vector\":[0.5,null]},{\"flat\":[ ]}]}",
                "begin 1\narray 15\nbegin 5\nrow 8 0.5 nan null\nend 5\n"
                "begin 5\nrow 8\nend 5\nend 1\n");
}
END_TEST

START_TEST(a_vector_of_rows_tells_that_they_begin_and_end)
{
    require_log(&record_table,
                "{\"either\":[{\"vector\":[[1,2],[],[null]],\"id\":1}]}",
                "begin 1\narray 15\nbegin 5\nmulti 8\nrow 8 1 2\nrow 8\n"
                "row 8 nan null\nmulti end 8\nu64 6 1\nend 5\nend 1\n");
}
END_TEST

START_TEST(a_map_tells_every_key_and_reads_every_value)
{
    require_log(
        &record_table,
        "{\"either\":[{\"vector\":{\"\":[1],\"id\":null,\"a name that is "
        "longer than any known key\":[[2]],\"\\u00e9\":{\"values\":[3],"
        "\"indices\":[4,5]},\"id\":[]}}]}",
        "begin 1\narray 15\nbegin 5\nbegin 6\nkey 18 \nrow 18 1\n"
        "key 18 id\nnull 18\nkey 18 a name that is longer than any "
        "known key\nmulti 18\nrow 18 2\nmulti end 18\nkey 18 \xc3\xa9\n"
        "begin 7\nrow 20 3\narray 19\nu64 19 4\nu64 19 5\nend 7\n"
        "key 18 id\nrow 18\nend 6\nend 5\nend 1\n");
}
END_TEST

START_TEST(keys_of_31_bytes_are_known_whole)
{
    static const struct vecwire__json_field fields[] = {
        {"a_key_of_the_greatest_length_31", VECWIRE__JSON_U64, 3, 0, false}};
    static const struct vecwire__json_shape shapes[] = {{fields, 1}};
    static const struct vecwire__json_table table = {shapes, 1, false};

    require_log(&table,
                "{\"a_key_of_the_greatest_length_3\":1,"
                "\"a_key_of_the_greatest_length_312\":2,"
                "\"a_key_of_the_greatest_length_31\":3}",
                "begin 1\nu64 3 3\nend 1\n");
    require_log(&table, "{\"\\u0061_key_of_the_greatest_length_31\":3}",
                "begin 1\nu64 3 3\nend 1\n");
}
END_TEST

START_TEST(a_map_may_have_values_of_any_kind)
{
    static const struct vecwire__json_field fields[] = {
        {"", VECWIRE__JSON_RAW, 3, 0, true}};
    static const struct vecwire__json_shape shapes[] = {{fields, 1}};
    static const struct vecwire__json_table table = {shapes, 1, false};

    require_log(&table, "{\"a\":{\"b\":[1, 2]},\"c\":-1.5e3 ,\"\":null}",
                "begin 1\nkey 3 a\nraw 3 {\"b\":[1, 2]}\nkey 3 c\n"
                "raw 3 -1.5e3\nkey 3 \nnull 3\nend 1\n");
}
END_TEST

START_TEST(an_array_of_whole_numbers_tells_each_of_them)
{
    require_log(&record_table,
                "{\"either\":[{\"many\":[0,4294967295],\"short\":7},"
                "{\"many\":[]},{\"many\":null}]}",
                "begin 1\narray 15\nbegin 5\narray 17\nu64 17 0\n"
                "u64 17 4294967295\nu64 16 7\nend 5\nbegin 5\narray 17\n"
                "end 5\nbegin 5\nnull 17\nend 5\nend 1\n");
}
END_TEST

START_TEST(either_an_object_or_an_array_of_the_next_shape_will_do)
{
    require_log(&record_table, "{\"either\":{\"points\":[{\"id\":1}]}}",
                "begin 1\nbegin 4\narray 13\nbegin 5\nu64 6 1\nend 5\nend 4\n"
                "end 1\n");
    require_log(&record_table, "{\"either\":[{\"id\":1},{}]}",
                "begin 1\narray 15\nbegin 5\nu64 6 1\nend 5\nbegin 5\nend 5\n"
                "end 1\n");
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("json_reader");
    TCase *tcase = tcase_create("reader");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, every_kind_of_value_reaches_the_sink);
    tcase_add_test(tcase, keys_may_stand_in_any_order);
    tcase_add_test(tcase, keys_written_with_escapes_are_known);
    tcase_add_test(tcase, keys_that_only_begin_alike_are_unknown);
    tcase_add_test(tcase, unknown_keys_of_every_type_are_skipped);
    tcase_add_test(tcase, an_array_of_anything_tells_only_that_it_began);
    tcase_add_test(tcase, null_is_nan_among_numbers_and_absent_where_it_may_be);
    tcase_add_test(tcase, raw_text_is_kept_without_the_blanks_around_it);
    tcase_add_test(tcase, text_is_decoded_to_utf8);
    tcase_add_test(tcase, objects_of_one_shape_may_nest);
    tcase_add_test(tcase, the_root_may_be_an_array_of_objects);
    tcase_add_test(tcase, known_values_count_for_depth);
    tcase_add_test(tcase, an_error_is_final);
    tcase_add_test(tcase, nothing_but_blanks_may_follow);
    tcase_add_test(tcase, a_user_text_is_any_json_or_an_object);
    tcase_add_test(tcase, a_nul_byte_is_no_json);
    tcase_add_test(tcase, every_way_to_end_has_a_text_of_its_own);
    tcase_add_test(tcase, a_vector_of_one_row_reads_like_an_array_of_floats);
    tcase_add_test(tcase, a_vector_of_rows_tells_that_they_begin_and_end);
    tcase_add_test(tcase, a_map_tells_every_key_and_reads_every_value);
    tcase_add_test(tcase, keys_of_31_bytes_are_known_whole);
    tcase_add_test(tcase, a_map_may_have_values_of_any_kind);
    tcase_add_test(tcase, an_array_of_whole_numbers_tells_each_of_them);
    tcase_add_test(tcase,
                   either_an_object_or_an_array_of_the_next_shape_will_do);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
