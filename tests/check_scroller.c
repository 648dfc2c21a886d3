/* SPDX-License-Identifier: Apache-2.0 */
/* The scroll over all pages of a collection, between a fake transport and a
 * fake clock. */
#include "tests/scroll_fixture.h"

#include <check.h>

#include "tests/client_rig.h"

static struct scroll_fixture f;

START_TEST(pages_are_asked_for_one_behind_the_other)
{
    scroll_start(&f);
    scroll_asks(&f, NULL, 3);
    scroll_answer(&f, "1,2,3", "7");
    scroll_asks(&f, "7", 3);
    scroll_answer(&f, "7,8,9", "12");
    scroll_asks(&f, "12", 3);
    scroll_answer(&f, "12", "null");
    ck_assert_str_eq(f.log, "[1 2 3][7 8 9][12]done");
    ck_assert_int_eq(f.code, VECWIRE_OK);
    ck_assert_uint_eq(f.result.rows, 7);
    ck_assert_uint_eq(f.result.pages, 3);
    ck_assert_uint_eq(f.result.requests, 3);
    ck_assert_str_eq(f.offset, "none");
    scroll_fini(&f);
}
END_TEST

START_TEST(an_empty_collection_is_over_at_once)
{
    scroll_start(&f);
    scroll_answer(&f, "", "null");
    ck_assert_str_eq(f.log, "done");
    ck_assert_int_eq(f.code, VECWIRE_OK);
    ck_assert_str_eq(f.offset, "none");
    scroll_fini(&f);
}
END_TEST

START_TEST(rows_go_out_before_the_end_of_their_page)
{
    scroll_start(&f);
    scroll_part(&f, "1,2");
    ck_assert_str_eq(f.log, "[1 2]");
    scroll_more(&f, "3");
    ck_assert_str_eq(f.log, "[1 2][3]");
    scroll_finish(&f, "null");
    ck_assert_str_eq(f.log, "[1 2][3]done");
    scroll_fini(&f);
}
END_TEST

#define U(digit) "0000000" digit "-0000-0000-0000-000000000000"

START_TEST(a_page_may_come_in_one_segment)
{
    scroll_start(&f);
    scroll_reply(&f, "[{\"id\":1,\"payload\":{\"a\":\"text\"}},{\"id\":2}]",
                 "333");
    scroll_asks(&f, "333", 3);
    scroll_reply(&f, "[{\"id\":333}]", "\"" U("1") "\"");
    scroll_asks(&f, "\"" U("1") "\"", 3);
    scroll_reply(&f, "[{\"id\":\"" U("1") "\"}]", "null");
    ck_assert_str_eq(f.log, "[1 2][333][" U("1") "]done");
    scroll_fini(&f);
}
END_TEST

START_TEST(the_next_offset_may_stand_before_the_rows)
{
    scroll_start(&f);
    fake_reply(scroll_conn(&f), 200,
               "{\"status\":\"ok\",\"result\":{\"next_page_offset\":44,"
               "\"points\":[{\"id\":1},{\"id\":2}]}}");
    scroll_asks(&f, "44", 3);
    scroll_reply(&f, "[]", "null");
    ck_assert_str_eq(f.log, "[1 2]done");
    scroll_fini(&f);
}
END_TEST

START_TEST(it_begins_at_an_offset)
{
    scroll_init(&f, NULL);
    f.config.offset = "18446744073709551615";
    scroll_begin(&f);
    scroll_asks(&f, "18446744073709551615", 3);
    ck_assert_str_eq(vecwire_scroller_offset(f.s), "18446744073709551615");
    scroll_answer(&f, "18446744073709551615", "null");
    ck_assert_str_eq(f.log, "[18446744073709551615]done");
    scroll_fini(&f);
}
END_TEST

START_TEST(the_last_page_of_a_bounded_scroll_is_smaller)
{
    scroll_init(&f, NULL);
    f.config.max_rows = 5;
    scroll_begin(&f);
    scroll_answer(&f, "1,2,3", "4");
    scroll_asks(&f, "4", 2);
    scroll_answer(&f, "4,5", "6");
    ck_assert_str_eq(f.log, "[1 2 3][4 5]done");
    ck_assert_int_eq(f.code, VECWIRE_OK);
    ck_assert_str_eq(f.offset, "6");
    scroll_fini(&f);
}
END_TEST

START_TEST(each_page_has_the_deadline_of_a_call)
{
    scroll_start(&f);
    fake_clock_pass(&f.base.clock, 29 * FAKE_S);
    scroll_answer(&f, "1", "2");
    fake_clock_pass(&f.base.clock, 29 * FAKE_S);
    ck_assert_uint_eq(f.completions, 0);
    fake_clock_pass(&f.base.clock, 2 * FAKE_S);
    ck_assert_str_eq(f.log, "[1]done");
    ck_assert_int_eq(f.code, VECWIRE_ETIMEDOUT);
    ck_assert_str_eq(f.offset, "2");
    scroll_fini(&f);
}
END_TEST

/* --- pauses --- */

START_TEST(a_paused_scroll_reads_its_page_to_the_end_and_one_more)
{
    scroll_init(&f, NULL);
    f.pauses = 1;
    scroll_begin(&f);
    scroll_part(&f, "1");
    ck_assert_str_eq(f.log, "[1]");
    scroll_more(&f, "2,3");
    scroll_finish(&f, "4");
    scroll_asks(&f, "4", 3);
    scroll_answer(&f, "4,5,6", "7");
    ck_assert_ptr_null(scroll_conn(&f));
    ck_assert_str_eq(f.log, "[1]");
    ck_assert_uint_eq(f.base.net.pauses, 0);
    scroll_fini(&f);
}
END_TEST

START_TEST(a_resumed_scroll_hands_out_what_it_holds_and_goes_on)
{
    scroll_init(&f, NULL);
    f.pauses = 1;
    scroll_begin(&f);
    scroll_part(&f, "1");
    scroll_more(&f, "2,3");
    scroll_finish(&f, "4");
    scroll_answer(&f, "4,5,6", "7");
    ck_assert(vecwire_scroller_resume(f.s));
    ck_assert_str_eq(f.log, "[1]");
    ck_assert(!vecwire_scroller_resume(f.s));
    engine_pass(&f.base);
    ck_assert_str_eq(f.log, "[1][2 3][4 5 6]");
    scroll_asks(&f, "7", 3);
    scroll_answer(&f, "7", "null");
    ck_assert_str_eq(f.log, "[1][2 3][4 5 6][7]done");
    ck_assert_uint_eq(f.result.rows, 7);
    scroll_fini(&f);
}
END_TEST

START_TEST(a_scroll_that_pauses_at_every_turn_loses_nothing)
{
    scroll_init(&f, NULL);
    f.pauses = 3;
    scroll_begin(&f);
    scroll_answer(&f, "1,2,3", "4");
    scroll_answer(&f, "4,5,6", "7");
    scroll_answer(&f, "7,8,9", "10");
    ck_assert_ptr_null(scroll_conn(&f));
    ck_assert_str_eq(f.log, "[1 2 3]");
    vecwire_scroller_resume(f.s);
    engine_pass(&f.base);
    ck_assert_str_eq(f.log, "[1 2 3][4 5 6]");
    scroll_asks(&f, "10", 3);
    scroll_answer(&f, "10", "null");
    vecwire_scroller_resume(f.s);
    engine_pass(&f.base);
    ck_assert_str_eq(f.log, "[1 2 3][4 5 6][7 8 9]");
    ck_assert_uint_eq(f.completions, 0);
    ck_assert_str_eq(f.offset, "10");
    vecwire_scroller_resume(f.s);
    engine_pass(&f.base);
    ck_assert_str_eq(f.log, "[1 2 3][4 5 6][7 8 9][10]done");
    ck_assert_str_eq(f.offset, "none");
    scroll_fini(&f);
}
END_TEST

START_TEST(rows_that_came_in_a_pause_go_out_before_the_page_has_ended)
{
    scroll_init(&f, NULL);
    f.pauses = 1;
    scroll_begin(&f);
    scroll_part(&f, "1");
    scroll_more(&f, "2");
    vecwire_scroller_resume(f.s);
    engine_pass(&f.base);
    ck_assert_str_eq(f.log, "[1][2]");
    scroll_more(&f, "3");
    ck_assert_str_eq(f.log, "[1][2][3]");
    scroll_finish(&f, "null");
    scroll_fini(&f);
}
END_TEST

START_TEST(what_comes_between_resume_and_the_loop_keeps_its_order)
{
    scroll_init(&f, NULL);
    f.pauses = 1;
    scroll_begin(&f);
    scroll_answer(&f, "1,2,3", "4");
    scroll_answer(&f, "4,5,6", "7");
    scroll_part(&f, "7");
    vecwire_scroller_resume(f.s);
    scroll_more(&f, "8");
    ck_assert_str_eq(f.log, "[1 2 3]");
    scroll_finish(&f, "9");
    ck_assert_str_eq(f.log, "[1 2 3][4 5 6][7 8]");
    engine_pass(&f.base);
    scroll_asks(&f, "9", 3);
    scroll_answer(&f, "9", "null");
    ck_assert_str_eq(f.log, "[1 2 3][4 5 6][7 8][9]done");
    scroll_fini(&f);
}
END_TEST

START_TEST(the_end_waits_for_rows_that_are_held)
{
    scroll_init(&f, NULL);
    f.pauses = 1;
    scroll_begin(&f);
    scroll_answer(&f, "1,2,3", "4");
    scroll_answer(&f, "4", "null");
    engine_pass(&f.base);
    ck_assert_uint_eq(f.completions, 0);
    vecwire_scroller_resume(f.s);
    engine_pass(&f.base);
    ck_assert_str_eq(f.log, "[1 2 3][4]done");
    scroll_fini(&f);
}
END_TEST

static void
resume_at_once(struct scroll_fixture *fixture, enum scroll_event event)
{
    if (event == SCROLL_ROWS)
        ck_assert(vecwire_scroller_resume(fixture->s));
}

START_TEST(resumed_in_its_own_rows_callback_it_does_not_pause)
{
    scroll_init(&f, NULL);
    f.pauses = 9;
    f.then = resume_at_once;
    scroll_begin(&f);
    scroll_answer(&f, "1,2,3", "4");
    scroll_answer(&f, "4", "null");
    ck_assert_str_eq(f.log, "[1 2 3][4]done");
    scroll_fini(&f);
}
END_TEST

START_TEST(only_a_paused_scroll_can_be_resumed)
{
    scroll_start(&f);
    ck_assert(!vecwire_scroller_resume(f.s));
    scroll_answer(&f, "1", "null");
    ck_assert(!vecwire_scroller_resume(f.s));
    ck_assert(!vecwire_scroller_resume(NULL));
    scroll_fini(&f);
}
END_TEST

/* --- where to go on --- */

START_TEST(the_offset_lies_behind_the_rows_handed_out)
{
    scroll_start(&f);
    ck_assert_str_eq(vecwire_scroller_offset(f.s), "");
    scroll_part(&f, "1,5");
    ck_assert_str_eq(f.offset, "6");
    scroll_finish(&f, "9");
    ck_assert_str_eq(vecwire_scroller_offset(f.s), "9");
    scroll_fini(&f);
}
END_TEST

static const struct {
    const char *id, *offset;
} behind[] = {
    {"0", "1"},
    {"18446744073709551614", "18446744073709551615"},
    {"18446744073709551615", U("0")},
    {"\"" U("0") "\"", "00000000-0000-0000-0000-000000000001"},
    {"\"0000000a-ffff-ffff-ffff-ffffffffffff\"",
     "0000000b-0000-0000-0000-000000000000"},
    {"\"99999999-9999-9999-9999-99999999999F\"",
     "99999999-9999-9999-9999-9999999999a0"},
    {"\"ffffffff-ffff-ffff-ffff-ffffffffffff\"", "none"},
};
#define N_BEHIND (int)(sizeof(behind) / sizeof(behind[0]))

START_TEST(behind_a_row_lies_the_least_id_that_is_larger)
{
    scroll_start(&f);
    scroll_part(&f, behind[_i].id);
    ck_assert_str_eq(f.offset, behind[_i].offset);
    scroll_fini(&f);
}
END_TEST

START_TEST(the_offset_leaves_rows_that_are_held_to_come)
{
    scroll_init(&f, NULL);
    f.pauses = 1;
    scroll_begin(&f);
    scroll_part(&f, "1");
    scroll_more(&f, "2,3");
    scroll_finish(&f, "4");
    scroll_answer(&f, "4,5,6", "7");
    ck_assert_str_eq(vecwire_scroller_offset(f.s), "2");
    vecwire_scroller_cancel(f.s);
    ck_assert_str_eq(vecwire_scroller_offset(f.s), "2");
    scroll_fini(&f);
}
END_TEST

START_TEST(behind_an_empty_last_page_nothing_is_left)
{
    scroll_init(&f, NULL);
    f.pauses = 1;
    scroll_begin(&f);
    scroll_part(&f, "1");
    scroll_more(&f, "2,3");
    scroll_finish(&f, "4");
    scroll_answer(&f, "", "null");
    vecwire_scroller_resume(f.s);
    engine_pass(&f.base);
    ck_assert_str_eq(f.log, "[1][2 3]done");
    ck_assert_str_eq(f.offset, "none");
    scroll_fini(&f);
}
END_TEST

static void
add_tests(TCase *tcase)
{
    tcase_add_test(tcase, pages_are_asked_for_one_behind_the_other);
    tcase_add_test(tcase, an_empty_collection_is_over_at_once);
    tcase_add_test(tcase, rows_go_out_before_the_end_of_their_page);
    tcase_add_test(tcase, a_page_may_come_in_one_segment);
    tcase_add_test(tcase, the_next_offset_may_stand_before_the_rows);
    tcase_add_test(tcase, it_begins_at_an_offset);
    tcase_add_test(tcase, the_last_page_of_a_bounded_scroll_is_smaller);
    tcase_add_test(tcase, each_page_has_the_deadline_of_a_call);
    tcase_add_test(tcase,
                   a_paused_scroll_reads_its_page_to_the_end_and_one_more);
    tcase_add_test(tcase, a_resumed_scroll_hands_out_what_it_holds_and_goes_on);
    tcase_add_test(tcase, a_scroll_that_pauses_at_every_turn_loses_nothing);
    tcase_add_test(tcase,
                   rows_that_came_in_a_pause_go_out_before_the_page_has_ended);
    tcase_add_test(tcase,
                   what_comes_between_resume_and_the_loop_keeps_its_order);
    tcase_add_test(tcase, the_end_waits_for_rows_that_are_held);
    tcase_add_test(tcase, resumed_in_its_own_rows_callback_it_does_not_pause);
    tcase_add_test(tcase, only_a_paused_scroll_can_be_resumed);
    tcase_add_test(tcase, the_offset_lies_behind_the_rows_handed_out);
    tcase_add_loop_test(tcase, behind_a_row_lies_the_least_id_that_is_larger, 0,
                        N_BEHIND);
    tcase_add_test(tcase, the_offset_leaves_rows_that_are_held_to_come);
    tcase_add_test(tcase, behind_an_empty_last_page_nothing_is_left);
}

int
main(void)
{
    return client_rig_main("scroller", add_tests);
}
