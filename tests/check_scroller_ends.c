/* SPDX-License-Identifier: Apache-2.0 */
/* Scrolls that are ended early: cancel, close, free, from anywhere; and what
 * is in a scroll's way. */
#include "tests/scroll_fixture.h"

#include <check.h>

#include "tests/client_rig.h"

static struct scroll_fixture f;

START_TEST(cancel_ends_it_from_the_loop)
{
    scroll_start(&f);
    scroll_part(&f, "1");
    ck_assert(vecwire_scroller_cancel(f.s));
    ck_assert(!vecwire_scroller_cancel(f.s));
    ck_assert_ptr_null(scroll_conn(&f));
    ck_assert_uint_eq(f.completions, 0);
    engine_pass(&f.base);
    ck_assert_str_eq(f.log, "[1]done");
    ck_assert_int_eq(f.code, VECWIRE_ECANCELED);
    ck_assert_str_eq(f.offset, "2");
    ck_assert(!vecwire_scroller_cancel(f.s));
    ck_assert(!vecwire_scroller_cancel(NULL));
    scroll_fini(&f);
}
END_TEST

START_TEST(cancel_drops_the_rows_that_are_held)
{
    scroll_init(&f, NULL);
    f.pauses = 1;
    scroll_begin(&f);
    scroll_answer(&f, "1,2,3", "4");
    scroll_answer(&f, "4,5,6", "7");
    vecwire_scroller_cancel(f.s);
    ck_assert(!vecwire_scroller_resume(f.s));
    engine_pass(&f.base);
    ck_assert_str_eq(f.log, "[1 2 3]done");
    ck_assert_int_eq(f.code, VECWIRE_ECANCELED);
    ck_assert_str_eq(f.offset, "4");
    scroll_fini(&f);
}
END_TEST

START_TEST(free_ends_it_inside_itself)
{
    scroll_start(&f);
    scroll_part(&f, "1");
    vecwire_scroller_free(f.s);
    f.s = NULL;
    ck_assert_str_eq(f.log, "[1]done");
    ck_assert_int_eq(f.code, VECWIRE_ECLOSED);
    engine_pass(&f.base);
    scroll_fini(&f);
}
END_TEST

START_TEST(free_after_cancel_keeps_the_reason)
{
    scroll_start(&f);
    vecwire_scroller_cancel(f.s);
    vecwire_scroller_free(f.s);
    f.s = NULL;
    ck_assert_int_eq(f.code, VECWIRE_ECANCELED);
    engine_pass(&f.base);
    scroll_fini(&f);
}
END_TEST

START_TEST(the_end_of_the_client_ends_the_scroll)
{
    scroll_start(&f);
    scroll_part(&f, "1");
    vecwire__engine_shutdown(&f.base.engine);
    ck_assert_str_eq(f.log, "[1]done");
    ck_assert_int_eq(f.code, VECWIRE_ECLOSED);
    ck_assert(!vecwire_scroller_cancel(f.s));
    ck_assert(!vecwire_scroller_resume(f.s));
    ck_assert_str_eq(vecwire_scroller_offset(f.s), "2");
    ck_assert_uint_eq(vecwire_scroller_progress(f.s)->rows, 1);
    scroll_fini(&f);
}
END_TEST

START_TEST(the_cancel_of_a_page_s_call_is_the_end)
{
    struct vecwire__call *call;

    scroll_start(&f);
    scroll_part(&f, "1");
    call = TAILQ_FIRST(&f.base.engine.calls);
    ck_assert(vecwire__engine_cancel(&f.base.engine, call->id));
    engine_pass(&f.base);
    ck_assert_str_eq(f.log, "[1]done");
    ck_assert_int_eq(f.code, VECWIRE_ECANCELED);
    scroll_fini(&f);
}
END_TEST

START_TEST(a_scroll_is_canceled_while_its_page_s_end_is_due)
{
    struct vecwire__call *call;

    scroll_start(&f);
    call = TAILQ_FIRST(&f.base.engine.calls);
    vecwire__engine_cancel(&f.base.engine, call->id);
    vecwire_scroller_cancel(f.s);
    engine_pass(&f.base);
    ck_assert_str_eq(f.log, "done");
    engine_pass(&f.base);
    scroll_fini(&f);
}
END_TEST

/* --- close --- */

static unsigned closed;
static enum vecwire_err closed_code;

static void
on_close(struct vecwire_client *client, enum vecwire_err code, void *arg)
{
    (void)client;
    (void)arg;
    ck_assert_uint_eq(f.completions, 1);
    closed++;
    closed_code = code;
}

START_TEST(close_lets_a_scroll_go_on_to_its_end)
{
    closed = 0;
    scroll_start(&f);
    scroll_part(&f, "1");
    vecwire__engine_close(&f.base.engine, NULL, UINT64_MAX, on_close, NULL);
    scroll_finish(&f, "2");
    scroll_answer(&f, "2", "null");
    ck_assert_str_eq(f.log, "[1][2]done");
    ck_assert_int_eq(f.code, VECWIRE_OK);
    engine_pass(&f.base);
    ck_assert_uint_eq(closed, 1);
    ck_assert_int_eq(closed_code, VECWIRE_OK);
    scroll_fini(&f);
}
END_TEST

START_TEST(at_the_end_of_close_s_time_a_paused_scroll_ends)
{
    closed = 0;
    scroll_init(&f, NULL);
    f.pauses = 1;
    scroll_begin(&f);
    scroll_answer(&f, "1,2,3", "4");
    scroll_answer(&f, "4,5,6", "7");
    scroll_answer(&f, "7,8,9", "10");
    vecwire__engine_close(&f.base.engine, NULL, FAKE_S, on_close, NULL);
    engine_pass(&f.base);
    ck_assert_uint_eq(closed, 0);
    fake_clock_pass(&f.base.clock, FAKE_S);
    ck_assert_str_eq(f.log, "[1 2 3]done");
    ck_assert_int_eq(f.code, VECWIRE_ECLOSED);
    engine_pass(&f.base);
    ck_assert_uint_eq(closed, 1);
    ck_assert_int_eq(closed_code, VECWIRE_ETIMEDOUT);
    scroll_fini(&f);
}
END_TEST

START_TEST(a_drain_waits_for_a_scroll)
{
    scroll_start(&f);
    scroll_answer(&f, "1", "2");
    ck_assert(vecwire__engine_unfinished(&f.base.engine));
    scroll_answer(&f, "2", "null");
    ck_assert(!vecwire__engine_unfinished(&f.base.engine));
    scroll_fini(&f);
}
END_TEST

/* --- from callbacks --- */

enum deed { DO_FREE, DO_CANCEL, DO_SHUTDOWN, DO_RESUME, DO_CLOSE, N_DEEDS };

static enum deed deed;
static enum scroll_event when;
static unsigned nth; /* such callback */

static void
do_it(struct scroll_fixture *fixture, enum scroll_event event)
{
    struct vecwire_scroller *s = fixture->s;

    if (event != when || (event == SCROLL_ROWS && fixture->row_runs != nth))
        return;
    switch (deed) {
    case DO_FREE:
        fixture->s = NULL;
        vecwire_scroller_free(s);
        break;
    case DO_CANCEL:
        ck_assert(vecwire_scroller_cancel(s) == (event == SCROLL_ROWS));
        break;
    case DO_SHUTDOWN:
        vecwire__engine_shutdown(&fixture->base.engine);
        break;
    case DO_RESUME:
        ck_assert(vecwire_scroller_resume(s) == (event == SCROLL_ROWS));
        break;
    default:
        vecwire__engine_close(&fixture->base.engine, NULL, 0, NULL, NULL);
        break;
    }
}

/* Pages for as long as it asks, two of them held. */
static void
serve(void)
{
    static const char *const ids[] = {"1,2,3", "4,5,6", "7,8,9", "10"};
    static const char *const next[] = {"4", "7", "10", "null"};

    for (size_t i = 0; i < 4 && !f.base.gone; i++) {
        if (scroll_conn(&f) != NULL) {
            scroll_part(&f, ids[i]);
            if (scroll_conn(&f) != NULL)
                scroll_finish(&f, next[i]);
        }
        if (i >= 2 && f.s != NULL)
            vecwire_scroller_resume(f.s);
        engine_pass(&f.base);
        fake_clock_pass(&f.base.clock, 1);
    }
}

/* Every deed in every callback: one completion, no row twice. */
START_TEST(anything_may_be_done_in_any_callback)
{
    deed = (enum deed)(_i % N_DEEDS);
    when = _i / N_DEEDS == 4 ? SCROLL_DONE : SCROLL_ROWS;
    nth = 1 + (unsigned)(_i / N_DEEDS);
    scroll_init(&f, NULL);
    f.pauses = 1;
    f.then = do_it;
    scroll_begin(&f);
    serve();
    if (when == SCROLL_DONE || deed == DO_RESUME)
        ck_assert_str_eq(f.log, "[1 2 3][4 5 6][7 8 9][10]done");
    ck_assert_ptr_nonnull(strstr(f.log, "done"));
    scroll_fini(&f);
}
END_TEST

/* --- others in the way --- */

/* Two pages are held, and other calls have all the places there are. */
static void
begin_crowded(struct seen *first, struct seen *second)
{
    struct vecwire__engine_config tight = {.connections = 1, .max_waiting = 1};

    scroll_init(&f, &tight);
    f.pauses = 1;
    scroll_begin(&f);
    scroll_answer(&f, "1,2,3", "4");
    scroll_answer(&f, "4,5,6", "7");
    scroll_answer(&f, "7,8,9", "10");
    ck_assert_int_eq(engine_call(&f.base, VECWIRE__READ, 0, first, NULL),
                     VECWIRE_OK);
    ck_assert_int_eq(engine_call(&f.base, VECWIRE__READ, 0, second, NULL),
                     VECWIRE_OK);
    ck_assert(vecwire_scroller_resume(f.s));
    engine_pass(&f.base);
    ck_assert_str_eq(f.log, "[1 2 3][4 5 6][7 8 9]");
    ck_assert_uint_eq(f.result.requests, 0);
    ck_assert_uint_eq(vecwire_scroller_progress(f.s)->requests, 3);
}

START_TEST(a_page_that_finds_no_place_waits_for_one)
{
    struct seen first = {0}, second = {0};

    begin_crowded(&first, &second);
    fake_reply(scroll_conn(&f), 200, MATCHES_1);
    engine_pass(&f.base);
    ck_assert_uint_eq(vecwire_scroller_progress(f.s)->requests, 4);
    fake_reply(scroll_conn(&f), 200, MATCHES_1);
    ck_assert_uint_eq(second.runs, 1);
    scroll_answer(&f, "10", "null");
    ck_assert_str_eq(f.log, "[1 2 3][4 5 6][7 8 9][10]done");
    scroll_fini(&f);
}
END_TEST

START_TEST(a_scroll_that_waits_for_a_place_can_be_canceled)
{
    struct seen first = {0}, second = {0};

    begin_crowded(&first, &second);
    vecwire_scroller_cancel(f.s);
    engine_pass(&f.base);
    ck_assert_int_eq(f.code, VECWIRE_ECANCELED);
    fake_reply(scroll_conn(&f), 200, MATCHES_1);
    fake_reply(scroll_conn(&f), 200, MATCHES_1);
    scroll_fini(&f);
}
END_TEST

START_TEST(a_scroll_that_finds_no_place_at_first_is_not_begun)
{
    struct vecwire__engine_config tight = {.connections = 1, .max_waiting = 1};
    struct seen first = {0}, second = {0};

    scroll_init(&f, &tight);
    engine_call(&f.base, VECWIRE__READ, 0, &first, NULL);
    engine_call(&f.base, VECWIRE__READ, 0, &second, NULL);
    ck_assert_int_eq(
        vecwire__scroll_new(&f.s, &f.base.engine, &f.config, &f.refusal),
        VECWIRE_EFULL);
    ck_assert_ptr_null(f.s);
    ck_assert_uint_eq(f.base.engine.scrolls.n, 0);
    engine_fixture_fini(&f.base);
    ck_assert_uint_eq(f.completions, 0);
}
END_TEST

static void
add_tests(TCase *tcase)
{
    tcase_add_test(tcase, cancel_ends_it_from_the_loop);
    tcase_add_test(tcase, cancel_drops_the_rows_that_are_held);
    tcase_add_test(tcase, free_ends_it_inside_itself);
    tcase_add_test(tcase, free_after_cancel_keeps_the_reason);
    tcase_add_test(tcase, the_end_of_the_client_ends_the_scroll);
    tcase_add_test(tcase, the_cancel_of_a_page_s_call_is_the_end);
    tcase_add_test(tcase, a_scroll_is_canceled_while_its_page_s_end_is_due);
    tcase_add_test(tcase, close_lets_a_scroll_go_on_to_its_end);
    tcase_add_test(tcase, at_the_end_of_close_s_time_a_paused_scroll_ends);
    tcase_add_test(tcase, a_drain_waits_for_a_scroll);
    tcase_add_loop_test(tcase, anything_may_be_done_in_any_callback, 0,
                        5 * N_DEEDS);
    tcase_add_test(tcase, a_page_that_finds_no_place_waits_for_one);
    tcase_add_test(tcase, a_scroll_that_waits_for_a_place_can_be_canceled);
    tcase_add_test(tcase, a_scroll_that_finds_no_place_at_first_is_not_begun);
}

int
main(void)
{
    return client_rig_main("scroller_ends", add_tests);
}
