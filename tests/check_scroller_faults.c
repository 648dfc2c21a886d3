/* SPDX-License-Identifier: Apache-2.0 */
/* Scrolls whose server or connection fails them. */
#include "tests/scroll_fixture.h"

#include <check.h>

#include "tests/client_rig.h"

static struct scroll_fixture f;

/* It has ended with an error of the server's making. */
static void
check_fault(const char *log, const char *what, const char *offset)
{
    ck_assert_str_eq(f.log, log);
    ck_assert_int_eq(f.code, VECWIRE_EDECODE);
    ck_assert_msg(strstr(f.detail, what) != NULL, "\"%s\" is not in \"%s\"",
                  what, f.detail);
    ck_assert_str_eq(f.offset, offset);
    ck_assert_ptr_null(scroll_conn(&f));
    scroll_fini(&f);
}

/* --- no progress --- */

START_TEST(a_next_page_that_begins_as_this_one_did_is_an_error)
{
    scroll_start(&f);
    scroll_answer(&f, "1,2,3", "4");
    scroll_answer(&f, "4,5,6", "4");
    check_fault("[1 2 3][4 5 6]done", "no progress", "7");
}
END_TEST

START_TEST(a_next_page_that_begins_with_the_last_row_is_an_error)
{
    scroll_start(&f);
    scroll_answer(&f, "1,2,3", "3");
    check_fault("[1 2 3]done", "no progress", "4");
}
END_TEST

START_TEST(an_empty_page_with_a_next_one_is_an_error)
{
    scroll_start(&f);
    scroll_answer(&f, "1,2,3", "4");
    scroll_answer(&f, "", "7");
    check_fault("[1 2 3]done", "no progress", "4");
}
END_TEST

START_TEST(a_page_in_front_of_what_was_asked_for_is_an_error)
{
    scroll_start(&f);
    scroll_answer(&f, "1,2,3", "4");
    scroll_part(&f, "3,4");
    ck_assert_ptr_null(scroll_conn(&f));
    engine_pass(&f.base);
    check_fault("[1 2 3]done", "order", "4");
}
END_TEST

START_TEST(rows_that_are_not_in_order_are_an_error)
{
    scroll_start(&f);
    scroll_part(&f, "1,3");
    scroll_more(&f, "2");
    engine_pass(&f.base);
    check_fault("[1 3]done", "order", "4");
}
END_TEST

START_TEST(no_progress_in_a_pause_is_told_behind_the_rows_held)
{
    scroll_init(&f, NULL);
    f.pauses = 1;
    scroll_begin(&f);
    scroll_part(&f, "1");
    scroll_more(&f, "2,3");
    scroll_finish(&f, "2");
    ck_assert_ptr_null(scroll_conn(&f));
    ck_assert_ptr_nonnull(vecwire_scroller_progress(f.s)->error);
    engine_pass(&f.base);
    ck_assert_uint_eq(f.completions, 0);
    vecwire_scroller_resume(f.s);
    engine_pass(&f.base);
    check_fault("[1][2 3]done", "no progress", "4");
}
END_TEST

START_TEST(rows_held_that_are_not_in_order_do_not_go_out)
{
    scroll_init(&f, NULL);
    f.pauses = 1;
    scroll_begin(&f);
    scroll_part(&f, "2");
    scroll_more(&f, "1,3");
    scroll_finish(&f, "4");
    engine_pass(&f.base);
    check_fault("[2]done", "order", "3");
}
END_TEST

START_TEST(a_reply_without_points_is_an_error)
{
    scroll_start(&f);
    fake_reply(scroll_conn(&f), 200, "{\"status\":\"ok\"}");
    check_fault("done", "reply has no", "");
}
END_TEST

START_TEST(more_rows_than_were_asked_for_are_an_error)
{
    scroll_start(&f);
    scroll_part(&f, "1,2,3");
    scroll_more(&f, "4");
    check_fault("[1 2 3]done", "more rows", "4");
}
END_TEST

/* --- lost connections --- */

START_TEST(a_page_that_breaks_is_asked_for_again_behind_its_last_row)
{
    scroll_start(&f);
    scroll_part(&f, "1,2");
    scroll_break(&f);
    ck_assert_uint_eq(f.completions, 0);
    scroll_asks(&f, "3", 3);
    scroll_answer(&f, "4,5,6", "null");
    ck_assert_str_eq(f.log, "[1 2][4 5 6]done");
    ck_assert_int_eq(f.code, VECWIRE_OK);
    ck_assert_uint_eq(f.result.pages, 1);
    ck_assert_uint_eq(f.result.requests, 2);
    scroll_fini(&f);
}
END_TEST

START_TEST(rows_held_of_a_page_that_breaks_go_out)
{
    scroll_init(&f, NULL);
    f.pauses = 1;
    scroll_begin(&f);
    scroll_part(&f, "1");
    scroll_more(&f, "2");
    scroll_break(&f);
    scroll_asks(&f, "3", 3);
    scroll_answer(&f, "3,4", "null");
    ck_assert_str_eq(vecwire_scroller_offset(f.s), "2");
    vecwire_scroller_resume(f.s);
    engine_pass(&f.base);
    ck_assert_str_eq(f.log, "[1][2][3 4]done");
    ck_assert_int_eq(f.code, VECWIRE_OK);
    scroll_fini(&f);
}
END_TEST

START_TEST(the_rows_of_a_broken_page_count_for_the_bound)
{
    scroll_init(&f, NULL);
    f.config.max_rows = 2;
    scroll_begin(&f);
    scroll_part(&f, "1");
    scroll_break(&f);
    scroll_asks(&f, "2", 1);
    scroll_part(&f, "2");
    scroll_break(&f);
    ck_assert_str_eq(f.log, "[1][2]done");
    ck_assert_int_eq(f.code, VECWIRE_OK);
    ck_assert_str_eq(f.offset, "3");
    scroll_fini(&f);
}
END_TEST

/* A reply that breaks before a row of it came. */
static void
break_at_once(void)
{
    fake_head(scroll_conn(&f), 200, NULL, 0);
    scroll_break(&f);
}

START_TEST(pages_that_break_without_a_row_count_as_attempts)
{
    scroll_start(&f);
    scroll_answer(&f, "1,2,3", "4");
    break_at_once();
    scroll_asks(&f, "4", 3);
    break_at_once();
    scroll_asks(&f, "4", 3);
    break_at_once();
    ck_assert_str_eq(f.log, "[1 2 3]done");
    ck_assert_int_eq(f.code, VECWIRE_EIO);
    ck_assert_str_eq(f.offset, "4");
    ck_assert_uint_eq(f.result.requests, 4);
    scroll_fini(&f);
}
END_TEST

START_TEST(a_row_makes_the_attempts_begin_anew)
{
    scroll_start(&f);
    break_at_once();
    break_at_once();
    scroll_part(&f, "1");
    scroll_break(&f);
    break_at_once();
    scroll_asks(&f, "2", 3);
    scroll_answer(&f, "2", "null");
    ck_assert_int_eq(f.code, VECWIRE_OK);
    ck_assert_str_eq(f.log, "[1][2]done");
    scroll_fini(&f);
}
END_TEST

START_TEST(with_no_retry_a_page_that_breaks_is_the_end)
{
    scroll_init(&f, NULL);
    f.config.no_retry = true;
    scroll_begin(&f);
    scroll_part(&f, "1");
    scroll_break(&f);
    ck_assert_str_eq(f.log, "[1]done");
    ck_assert_int_eq(f.code, VECWIRE_EIO);
    ck_assert_str_eq(f.offset, "2");
    scroll_fini(&f);
}
END_TEST

START_TEST(a_connection_lost_before_a_reply_follows_the_rules_of_reads)
{
    scroll_start(&f);
    scroll_answer(&f, "1", "2");
    engine_lose(scroll_conn(&f), true, false);
    scroll_asks(&f, "2", 3);
    fake_up(scroll_conn(&f));
    engine_lose(scroll_conn(&f), true, false);
    ck_assert_int_eq(f.code, VECWIRE_EIO);
    ck_assert_str_eq(f.log, "[1]done");
    scroll_fini(&f);
}
END_TEST

START_TEST(a_server_that_is_busy_is_asked_again_after_a_while)
{
    scroll_start(&f);
    scroll_answer(&f, "1", "2");
    fake_reply(scroll_conn(&f), 503, "busy");
    ck_assert_uint_eq(f.completions, 0);
    fake_clock_pass(&f.base.clock, 6 * FAKE_S);
    scroll_answer(&f, "2", "null");
    ck_assert_str_eq(f.log, "[1][2]done");
    ck_assert_uint_eq(f.result.requests, 2);
    scroll_fini(&f);
}
END_TEST

START_TEST(what_the_server_says_against_it_is_told)
{
    scroll_start(&f);
    fake_reply(scroll_conn(&f), 404,
               "{\"status\":{\"error\":\"Not found: c\"},\"time\":0}");
    ck_assert_int_eq(f.code, VECWIRE_EHTTP);
    ck_assert_str_eq(f.detail, "Not found: c");
    ck_assert_str_eq(vecwire_scroller_progress(f.s)->error->server_text,
                     "Not found: c");
    ck_assert_uint_eq(f.result.error->http_status, 404);
    scroll_fini(&f);
}
END_TEST

START_TEST(an_error_in_a_pause_waits_for_the_rows_before_it)
{
    scroll_init(&f, NULL);
    f.pauses = 1;
    scroll_begin(&f);
    scroll_part(&f, "1");
    scroll_more(&f, "2,3");
    scroll_finish(&f, "4");
    fake_reply(scroll_conn(&f), 404, "gone");
    engine_pass(&f.base);
    ck_assert_uint_eq(f.completions, 0);
    vecwire_scroller_resume(f.s);
    engine_pass(&f.base);
    ck_assert_str_eq(f.log, "[1][2 3]done");
    ck_assert_int_eq(f.code, VECWIRE_EHTTP);
    ck_assert_str_eq(f.offset, "4");
    scroll_fini(&f);
}
END_TEST

static void
add_tests(TCase *tcase)
{
    tcase_add_test(tcase, a_next_page_that_begins_as_this_one_did_is_an_error);
    tcase_add_test(tcase,
                   a_next_page_that_begins_with_the_last_row_is_an_error);
    tcase_add_test(tcase, an_empty_page_with_a_next_one_is_an_error);
    tcase_add_test(tcase, a_page_in_front_of_what_was_asked_for_is_an_error);
    tcase_add_test(tcase, rows_that_are_not_in_order_are_an_error);
    tcase_add_test(tcase, no_progress_in_a_pause_is_told_behind_the_rows_held);
    tcase_add_test(tcase, rows_held_that_are_not_in_order_do_not_go_out);
    tcase_add_test(tcase, a_reply_without_points_is_an_error);
    tcase_add_test(tcase, more_rows_than_were_asked_for_are_an_error);
    tcase_add_test(tcase,
                   a_page_that_breaks_is_asked_for_again_behind_its_last_row);
    tcase_add_test(tcase, rows_held_of_a_page_that_breaks_go_out);
    tcase_add_test(tcase, the_rows_of_a_broken_page_count_for_the_bound);
    tcase_add_test(tcase, pages_that_break_without_a_row_count_as_attempts);
    tcase_add_test(tcase, a_row_makes_the_attempts_begin_anew);
    tcase_add_test(tcase, with_no_retry_a_page_that_breaks_is_the_end);
    tcase_add_test(tcase,
                   a_connection_lost_before_a_reply_follows_the_rules_of_reads);
    tcase_add_test(tcase, a_server_that_is_busy_is_asked_again_after_a_while);
    tcase_add_test(tcase, what_the_server_says_against_it_is_told);
    tcase_add_test(tcase, an_error_in_a_pause_waits_for_the_rows_before_it);
}

int
main(void)
{
    return client_rig_main("scroller_faults", add_tests);
}
