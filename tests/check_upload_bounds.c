/* SPDX-License-Identifier: Apache-2.0 */
/* Uploads at their bounds: bytes to the byte, memory, and what a server takes.
 */
#include "tests/upload_fixture.h"

#include <check.h>
#include <stdio.h>

#include "codec/mem.h"
#include "tests/client_rig.h"

#define R(n) "{\"id\":\"r" #n "\",\"vector\":[1," #n ",0]}"

/* R(0) with its brackets, and two of them with a comma between. */
#define ONE_ROW 30
#define TWO_ROWS 59

static struct upload_fixture f;
static struct vecwire__upsert_parts parts;

/* Past the question what the server can do; with parts that a test may
 * change. */
static void
begin(size_t rows, size_t in_flight, size_t bytes)
{
    upload_begin_with(&f, rows, in_flight, bytes, UINT64_MAX);
    f.base.engine.uploads.many = VECWIRE__MANY_TAKEN;
    parts = *f.up->parts;
    f.up->parts = &parts;
}

/* Add a row with a text of `len` bytes. */
static enum vecwire_err
add_text(size_t len)
{
    static const float vector[] = {1, 0, 0};
    static char text[65537];
    const char *id = "r", *texts[] = {text};
    size_t taken;

    ck_assert_uint_lt(len, sizeof(text));
    memset(text, 'x', len);
    text[len] = '\0';
    return vecwire_uploader_add(
        f.up,
        &VECWIRE_UPSERT(.matrix = vector, .rows = 1, .dim = 3, .ids = &id,
                        .texts = texts, .refusal = &f.refusal),
        &taken);
}

static void
serve_all(void)
{
    vecwire_uploader_end(f.up);
    upload_serve(&f);
    ck_assert_uint_eq(f.result.rows_done, f.result.rows_taken);
    upload_fini(&f);
}

START_TEST(rows_that_reach_the_bound_in_bytes_are_sent_at_once)
{
    begin(50, 4, TWO_ROWS);
    upload_all(&f, 2);
    ck_assert_uint_eq(upload_under_way(&f), 1);
    ck_assert_str_eq(upload_body(&f, 0), "[" R(0) "," R(1) "]");
    serve_all();
}
END_TEST

START_TEST(a_row_that_crosses_the_bound_by_a_byte_begins_the_next_request)
{
    begin(50, 4, TWO_ROWS - 1);
    upload_all(&f, 2);
    ck_assert_uint_eq(upload_under_way(&f), 1);
    ck_assert_str_eq(upload_body(&f, 0), R(0));
    serve_all();
}
END_TEST

START_TEST(a_row_may_have_as_many_bytes_as_the_dialect_takes)
{
    begin(50, 4, ONE_ROW);
    parts.max_bytes = ONE_ROW;
    upload_all(&f, 1);
    ck_assert_str_eq(upload_body(&f, 0), R(0));
    serve_all();
}
END_TEST

START_TEST(a_row_over_the_dialect_s_bytes_is_refused_and_leaves_nothing_behind)
{
    begin(50, 4, TWO_ROWS);
    parts.max_bytes = TWO_ROWS;
    upload_all(&f, 1);
    ck_assert_int_eq(add_text(100), VECWIRE_ETOOBIG);
    ck_assert_uint_eq(f.refusal.row, 0);
    upload_all(&f, 1);
    vecwire_uploader_end(f.up);
    ck_assert_str_eq(upload_body(&f, 0), R(0));
    ck_assert_str_eq(upload_body(&f, 1), R(1));
    serve_all();
}
END_TEST

static void *
no_alloc(size_t size, void *ctx)
{
    (void)size;
    (void)ctx;
    return NULL;
}

START_TEST(a_row_without_memory_for_its_new_request_may_be_tried_again)
{
    struct vecwire_mem mem;
    enum vecwire_err err;

    begin(50, 4, TWO_ROWS - 1);
    upload_all(&f, 1);
    mem = f.up->mem;
    f.up->mem.alloc = no_alloc;
    upload_rows(&f, 1, &err);
    ck_assert_int_eq(err, VECWIRE_ENOMEM);
    ck_assert_str_eq(f.refusal.text, "out of memory");
    f.up->mem = mem;
    upload_all(&f, 1);
    vecwire_uploader_end(f.up);
    ck_assert_str_eq(upload_body(&f, 1), R(1));
    serve_all();
}
END_TEST

/* Add a row of 65536 coordinates, with the longest text there is. */
static void
add_wide(float coordinate, char letter)
{
    static float wide[65536];
    static char text[65537];
    const char *id = "r", *texts[] = {text};
    size_t taken;

    for (size_t i = 0; i < 65536; i++)
        wide[i] = coordinate;
    memset(text, letter, sizeof(text) - 1);
    ck_assert_int_eq(
        vecwire_uploader_add(f.up,
                             &VECWIRE_UPSERT(.matrix = wide, .rows = 1,
                                             .dim = 65536, .ids = &id,
                                             .texts = texts),
                             &taken),
        VECWIRE_OK);
}

START_TEST(memory_that_a_row_too_many_took_is_given_back)
{
    const size_t bytes = 1000000;

    begin(50, 1, bytes);
    /* Nearly full, and a row of 1.3 MB behind that is the next one's. */
    for (size_t i = 0; i < 5; i++)
        add_wide(1, 'x');
    add_wide(1.2345678e-20F, '\x01');
    upload_added(&f, 0, 5);
    upload_added(&f, 0, 1);
    for (size_t i = 0; i < 2; i++)
        ck_assert_uint_le(f.up->batches[i].text.cap, (size_t)3 << 20);
    serve_all();
}
END_TEST

START_TEST(ids_take_no_more_memory_from_round_to_round)
{
    begin(10, 1, 0);
    for (size_t i = 0; i < 200; i++) {
        upload_all(&f, 10);
        upload_added(&f, 0, 10);
    }
    for (size_t i = 0; i < 2; i++)
        ck_assert_uint_le(f.up->batches[i].ids.cap, 256);
    serve_all();
}
END_TEST

/* The dialect takes 2^20 coordinates at once. */
START_TEST(a_batch_that_is_used_again_takes_as_much_as_a_new_one)
{
    begin(16, 1, (size_t)8 << 20);
    for (size_t i = 0; i < 4 * 16; i++) {
        add_wide(1, 'x');
        if (upload_conn(&f, 0) != NULL)
            upload_added(&f, 0, 16);
    }
    ck_assert_uint_eq(vecwire_uploader_progress(f.up)->requests, 4);
    serve_all();
}
END_TEST

/* Where the buffer is full to the last byte there must be room all the same:
 * for the sanitizer to see. */
START_TEST(what_closes_a_body_has_room_behind_rows_of_any_length)
{
    begin(2, 1, 0);
    parts.close = "]}, but long ..";
    parts.bare_row = false;
    for (size_t len = 0; len < 300; len++) {
        ck_assert_int_eq(add_text(len), VECWIRE_OK);
        ck_assert_int_eq(add_text(len), VECWIRE_OK);
        upload_added(&f, 0, 2);
    }
    serve_all();
}
END_TEST

START_TEST(so_it_has_behind_a_row_that_begins_a_request)
{
    for (size_t len = 150; len < 300; len++) {
        begin(50, 2, 230);
        parts.close = "]}, but long ..";
        parts.bare_row = false;
        ck_assert_int_eq(add_text(120), VECWIRE_OK);
        ck_assert_int_eq(add_text(len), VECWIRE_OK);
        serve_all();
    }
}
END_TEST

START_TEST(a_bound_that_a_413_brought_is_not_raised_by_another)
{
    begin(4, 2, 0);
    upload_all(&f, 8);
    upload_answer(&f, 0, 413, "");
    upload_answer(&f, 0, 413, "");
    ck_assert_str_eq(upload_body(&f, 0), R(0));
    upload_answer(&f, 1, 413, "");
    ck_assert_str_eq(upload_body(&f, 1), R(4));
    serve_all();
}
END_TEST

START_TEST(a_request_that_found_no_place_goes_out_whole_later)
{
    uint64_t max = 0;

    begin(4, 1, 0);
    parts.close = "]}  ";
    parts.bare_row = false;
    upload_all(&f, 4);
    /* From now on nothing goes out but on a connection that is free. */
    max = f.base.engine.pool.max_bytes;
    f.base.engine.pool.max_bytes = 1;
    f.base.engine.pool.n_waiting++;
    upload_answer(&f, 0, 413, "");
    ck_assert_uint_eq(upload_under_way(&f), 0);
    f.base.engine.pool.n_waiting--;
    f.base.engine.pool.max_bytes = max;
    vecwire__upload_step(f.up);
    upload_added(&f, 0, 2);
    ck_assert_str_eq(upload_body(&f, 0), "[" R(2) "," R(3) "]}  ");
    serve_all();
}
END_TEST

START_TEST(a_single_row_asks_nothing_of_the_server)
{
    begin(50, 4, TWO_ROWS);
    f.base.engine.uploads.many = VECWIRE__MANY_UNKNOWN;
    ck_assert_int_eq(add_text(100), VECWIRE_OK);
    ck_assert_uint_eq(upload_under_way(&f), 1);
    upload_all(&f, 2);
    ck_assert_uint_eq(upload_under_way(&f), 2);
    serve_all();
}
END_TEST

START_TEST(a_single_row_need_not_wait_for_the_answer)
{
    begin(50, 4, TWO_ROWS);
    f.base.engine.uploads.many = VECWIRE__MANY_UNKNOWN;
    upload_all(&f, 2);
    ck_assert_int_eq(add_text(100), VECWIRE_OK);
    ck_assert_uint_eq(upload_under_way(&f), 2);
    serve_all();
}
END_TEST

/* Calls of others: 8 on the connections, 16 that wait. */
START_TEST(a_single_row_that_finds_a_place_need_not_wait_either)
{
    static struct seen seen[24];

    memset(seen, 0, sizeof(seen));
    begin(1, 1, 0);
    for (size_t i = 0; i < 24; i++)
        ck_assert_int_eq(engine_call(&f.base, VECWIRE__READ, 0, &seen[i], NULL),
                         VECWIRE_OK);
    upload_all(&f, 1);
    f.base.engine.uploads.many = VECWIRE__MANY_ASKED;
    upload_answer(&f, 0, 200, MATCHES_1);
    engine_pass(&f.base);
    ck_assert_uint_eq(vecwire_uploader_progress(f.up)->requests, 1);
    upload_fini(&f);
}
END_TEST

START_TEST(a_document_s_404_says_nothing_of_several_rows)
{
    begin(50, 4, TWO_ROWS);
    f.base.engine.uploads.many = VECWIRE__MANY_UNKNOWN;
    ck_assert_int_eq(add_text(100), VECWIRE_OK);
    upload_answer(&f, 0, 404, "");
    upload_all(&f, 2);
    ck_assert_str_eq(upload_path(&f, 0), "/api/v1/documents/batch");
    upload_fini(&f);
}
END_TEST

START_TEST(a_404_holds_whatever_another_request_is_told)
{
    begin(2, 4, 0);
    upload_all(&f, 4);
    /* As if both had been there before the question was settled. */
    f.base.engine.uploads.many = VECWIRE__MANY_ASKED;
    upload_answer(&f, 0, 404, "");
    upload_added(&f, 1, 2);
    ck_assert_int_eq(f.base.engine.uploads.many, VECWIRE__MANY_LACKED);
    serve_all();
}
END_TEST

START_TEST(where_no_route_may_be_missing_a_404_is_a_failure)
{
    begin(2, 1, 0);
    parts.may_lack_many = false;
    upload_all(&f, 2);
    upload_answer(&f, 0, 404, "");
    ck_assert_uint_eq(f.n_failures, 1);
    ck_assert_uint_eq(f.failures[0].http_status, 404);
    ck_assert_uint_eq(upload_under_way(&f), 0);
    upload_fini(&f);
}
END_TEST

static void
add_tests(TCase *tcase)
{
    tcase_add_test(tcase, rows_that_reach_the_bound_in_bytes_are_sent_at_once);
    tcase_add_test(
        tcase, a_row_that_crosses_the_bound_by_a_byte_begins_the_next_request);
    tcase_add_test(tcase, a_row_may_have_as_many_bytes_as_the_dialect_takes);
    tcase_add_test(
        tcase,
        a_row_over_the_dialect_s_bytes_is_refused_and_leaves_nothing_behind);
    tcase_add_test(tcase,
                   a_row_without_memory_for_its_new_request_may_be_tried_again);
    tcase_add_test(tcase, memory_that_a_row_too_many_took_is_given_back);
    tcase_add_test(tcase, ids_take_no_more_memory_from_round_to_round);
    tcase_add_test(tcase,
                   a_batch_that_is_used_again_takes_as_much_as_a_new_one);
    tcase_add_test(tcase,
                   what_closes_a_body_has_room_behind_rows_of_any_length);
    tcase_add_test(tcase, so_it_has_behind_a_row_that_begins_a_request);
    tcase_add_test(tcase, a_bound_that_a_413_brought_is_not_raised_by_another);
    tcase_add_test(tcase, a_request_that_found_no_place_goes_out_whole_later);
    tcase_add_test(tcase, a_single_row_asks_nothing_of_the_server);
    tcase_add_test(tcase, a_single_row_need_not_wait_for_the_answer);
    tcase_add_test(tcase, a_single_row_that_finds_a_place_need_not_wait_either);
    tcase_add_test(tcase, a_document_s_404_says_nothing_of_several_rows);
    tcase_add_test(tcase, a_404_holds_whatever_another_request_is_told);
    tcase_add_test(tcase, where_no_route_may_be_missing_a_404_is_a_failure);
}

int
main(void)
{
    return client_rig_main("upload_bounds", add_tests);
}
