/* SPDX-License-Identifier: Apache-2.0 */
/* Limits of the JSON reader: numbers, rows, depth, memory. */
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

/* `before` brackets, a number of `n` digits, and what follows. */
static void
run_digits(const char *before, size_t n, const char *after, size_t step)
{
    char text[1024];

    memset(text, '0', sizeof(text));
    memcpy(text, before, strlen(before));
    text[strlen(before)] = '1';
    memcpy(text + strlen(before) + n, after, strlen(after));
    record_steps(&record, &record_rows, text,
                 strlen(before) + n + strlen(after), step);
}

START_TEST(a_number_somebody_reads_has_at_most_255_bytes)
{
    static const char *const before[] = {
        "[{\"score\":0.", "[{\"vector\":[0.5,0.", "[{\"vector\":[0.",
        "[{\"vector\":[0.5,0.5,0.5,0.5,0.5,0.5,0.5,0.5,0.5,0.5,0.5,0.5,0.5,0."};
    static const char *const after[] = {"}]", ",0.5]}]", "]}]", ",0.5]}]"};
    size_t start = strlen(before[_i]) - 2;

    for (size_t step = 1; step < 600; step += step < 20 ? 1 : 61) {
        run_digits(before[_i], 253, after[_i], step);
        REQUIRE(record.rc == VECWIRE__JSON_DONE, "step %zu", step);
        run_digits(before[_i], 254, after[_i], step);
        REQUIRE(record.rc == VECWIRE__JSON_ERANGE, "step %zu", step);
        REQUIRE(record.offset == start, "step %zu", step);
        /* a fault in the number goes first, if it is within the limit */
        run_digits(before[_i], 252, "..,1}]", step);
        REQUIRE(record.rc == VECWIRE__JSON_EGRAMMAR, "step %zu", step);
        REQUIRE(record.offset == start + 254, "step %zu", step);
    }
}
END_TEST

/* A row with room for as many floats as the block at ctx has. */
static size_t row_room;

static bool
exact_row(struct vecwire__json_reader *reader, enum vecwire__json_event event,
          unsigned tag)
{
    (void)tag;
    if (event == VECWIRE__JSON_EV_ROW) {
        reader->floats = reader->ctx;
        reader->room = row_room;
    }
    return event != VECWIRE__JSON_EV_GROW;
}

START_TEST(a_row_is_not_filled_beyond_its_room)
{
    static const char number[] = "0.125,";
    char text[400] = "[{\"vector\":[";
    size_t len = strlen(text);

    for (int i = 0; i < 50; i++, len += 6)
        memcpy(text + len, number, 6);
    memcpy(text + len, "1]}]", 4);
    for (row_room = 0; row_room <= 51; row_room++) {
        struct vecwire__json_reader reader;
        float *block = malloc(row_room * sizeof(float) + 1);

        ck_assert_ptr_nonnull(block);
        vecwire__json_init(&reader, &record_rows, exact_row, block, NULL, 9);
        (void)vecwire__json_feed(&reader, text, len + 4);
        ck_assert_uint_eq(reader.n, row_room);
        if (row_room == 51) {
            ck_assert_int_eq(vecwire__json_finish(&reader), VECWIRE__JSON_DONE);
        } else {
            ck_assert_int_eq(vecwire__json_finish(&reader),
                             VECWIRE__JSON_ESINK);
            ck_assert_uint_eq(reader.offset,
                              12 + 6 * row_room + (row_room == 50 ? 1 : 5));
        }
        free(block);
    }
}
END_TEST

START_TEST(a_number_nobody_reads_has_any_length)
{
    for (size_t step = 1; step < 900; step += 89) {
        run_digits("[{\"x\":0.", 800, "}]", step);
        ck_assert_int_eq(record.rc, VECWIRE__JSON_DONE);
        run_digits("[{\"x\":0.", 800, ".}]", step);
        ck_assert_int_eq(record.rc, VECWIRE__JSON_EGRAMMAR);
        ck_assert_uint_eq(record.offset, 808);
    }
}
END_TEST

/* `depth` brackets of the kinds in `open`, which repeat. */
static enum vecwire__json_rc
check_nested(const char *open, const char *close, size_t depth, unsigned limit,
             size_t *offset)
{
    struct vecwire__buf text;
    enum vecwire__json_rc rc;

    vecwire__buf_init(&text, &vecwire__mem_libc);
    for (size_t i = 0; i < depth; i++)
        REQUIRE(vecwire__buf_str(&text, open), "no memory");
    for (size_t i = 0; i < depth; i++)
        REQUIRE(vecwire__buf_str(&text, close), "no memory");
    rc = vecwire__json_check(text.bytes, text.len, limit, false, offset);
    vecwire__buf_fini(&text);
    return rc;
}

START_TEST(depth_is_limited_exactly)
{
    static const unsigned limits[] = {1, 2, 3, 128, 254, 255};
    unsigned limit = limits[_i];
    size_t offset = 0;

    ck_assert_int_eq(check_nested("[", "]", limit - 1, limit, &offset),
                     limit == 1 ? VECWIRE__JSON_EEND : VECWIRE__JSON_DONE);
    ck_assert_int_eq(check_nested("[", "]", limit, limit, &offset),
                     VECWIRE__JSON_DONE);
    ck_assert_int_eq(check_nested("[", "]", limit + 1, limit, &offset),
                     VECWIRE__JSON_EDEPTH);
    ck_assert_uint_eq(offset, limit);
    ck_assert_int_eq(check_nested("{\"\":[", "]}", 200, limit, &offset),
                     VECWIRE__JSON_EDEPTH);
    ck_assert_uint_eq(offset, limit / 2 * 5 + (limit % 2 == 0 ? 0 : 4));
}
END_TEST

START_TEST(the_rows_of_a_vector_count_for_depth)
{
    static const char text[] = "{\"either\":[{\"vector\":[[1]]}]}";

    record.depth = 5;
    record_whole(&record, &record_table, text, strlen(text));
    ck_assert_int_eq(record.rc, VECWIRE__JSON_DONE);
    for (unsigned limit = 3; limit < 5; limit++) {
        record.depth = limit;
        record_whole(&record, &record_table, text, strlen(text));
        ck_assert_int_eq(record.rc, VECWIRE__JSON_EDEPTH);
        ck_assert_uint_eq(record.offset, limit == 3 ? 21 : 22);
        ck_assert_str_eq(record.key, "vector");
    }
}
END_TEST

static size_t allocations_left;

static void *
failing_alloc(size_t size, void *ctx)
{
    (void)ctx;
    return allocations_left-- == 0 ? NULL : malloc(size);
}

static void *
failing_realloc(void *block, size_t old_size, size_t size, void *ctx)
{
    (void)old_size;
    (void)ctx;
    return allocations_left-- == 0 ? NULL : realloc(block, size);
}

static void
plain_free(void *block, size_t size, void *ctx)
{
    (void)size;
    (void)ctx;
    free(block);
}

START_TEST(no_memory_for_texts_is_an_error_of_its_own)
{
    static const struct vecwire_mem failing = {failing_alloc, failing_realloc,
                                               plain_free, NULL};
    char text[3000] = "[{\"payload\":\"";
    size_t n = 0;

    memset(text + 13, 'x', 2900);
    memcpy(text + 2913, "\"},{\"name\":\"y\"}]", 17);
    for (size_t step = 1; step < 4000; step = step * 3 + 1) {
        n = 0;
        do {
            struct vecwire__json_reader reader;

            vecwire__buf_fini(&record.texts);
            record.texts.mem = &failing;
            allocations_left = n++;
            record_begin(&record, &reader, &record_rows);
            for (size_t at = 0; at < 2929; at += step)
                (void)record_feed(&reader, text + at,
                                  2929 - at < step ? 2929 - at : step);
            record_end(&record, &reader);
            /* the first allocation is that of the payload's text */
            REQUIRE(n > 1 || (record.rc == VECWIRE__JSON_EMEM &&
                              record.offset == 12 &&
                              strcmp(record.key, "payload") == 0),
                    "%s", vecwire__json_rc_text(record.rc));
            REQUIRE(record.rc == VECWIRE__JSON_DONE ||
                        record.rc == VECWIRE__JSON_EMEM ||
                        record.rc == VECWIRE__JSON_ESINK,
                    "%s", vecwire__json_rc_text(record.rc));
        } while (record.rc != VECWIRE__JSON_DONE);
        ck_assert_uint_gt(n, 1);
    }
}
END_TEST

START_TEST(a_refused_value_that_just_fits_is_not_kept_twice)
{
    record.texts.max = 5;
    record.refused = VECWIRE__JSON_EV_RAW;
    record_whole(&record, &record_rows, "[{\"payload\":12345}]", 20);
    ck_assert_int_eq(record.rc, VECWIRE__JSON_ESINK);
    ck_assert_str_eq(record.key, "payload");
}
END_TEST

START_TEST(an_object_of_100000_keys_is_read)
{
    struct vecwire__buf text;
    char key[32];

    vecwire__buf_init(&text, &vecwire__mem_libc);
    REQUIRE(vecwire__buf_str(&text, "[{\"id\":1,\"payload\":{"), "no memory");
    for (int i = 0; i < 100000; i++) {
        snprintf(key, sizeof(key), "%s\"key%d\":%d", i > 0 ? "," : "", i, i);
        REQUIRE(vecwire__buf_str(&text, key), "no memory");
    }
    for (int i = 0; i < 100000; i++) {
        snprintf(key, sizeof(key), "%s\"key%d\":%d", i > 0 ? "," : "},", i, i);
        REQUIRE(vecwire__buf_str(&text, key), "no memory");
    }
    REQUIRE(vecwire__buf_str(&text, "}]"), "no memory");
    record_steps(&record, &record_rows, text.bytes, text.len, 4096);
    ck_assert_int_eq(record.rc, VECWIRE__JSON_DONE);
    ck_assert_mem_eq(record.texts.bytes, "{\"key0\":0,", 10);
    vecwire__buf_fini(&text);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("json_limits");
    TCase *tcase = tcase_create("limits");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, a_number_somebody_reads_has_at_most_255_bytes, 0,
                        4);
    tcase_add_test(tcase, a_row_is_not_filled_beyond_its_room);
    tcase_add_test(tcase, a_number_nobody_reads_has_any_length);
    tcase_add_loop_test(tcase, depth_is_limited_exactly, 0, 6);
    tcase_add_test(tcase, the_rows_of_a_vector_count_for_depth);
    tcase_add_test(tcase, no_memory_for_texts_is_an_error_of_its_own);
    tcase_add_test(tcase, a_refused_value_that_just_fits_is_not_kept_twice);
    tcase_add_test(tcase, an_object_of_100000_keys_is_read);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
