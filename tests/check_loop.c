/* SPDX-License-Identifier: Apache-2.0 */
/* The base and the counting runner. */
#include <check.h>
#include <event2/event.h>
#include <stdlib.h>

#include <vecwire/vecwire.h>

static const struct timeval at_once = {0, 0}, a_moment = {0, 2000};
static struct event_base *base;
static struct vecwire_loop *loop;
static struct event *ticker, *other;
static unsigned ticks, last_tick;
static enum vecwire_err got[2];
static void (*in_tick)(void);

static void
on_tick(evutil_socket_t fd, short what, void *arg)
{
    (void)fd;
    (void)what;
    (void)arg;
    if (++ticks < last_tick)
        event_add(ticker, &at_once);
    if (in_tick != NULL)
        in_tick();
}

static void
setup(void)
{
    ticks = 0;
    last_tick = 1;
    in_tick = NULL;
    got[0] = got[1] = VECWIRE_OK;
    base = vecwire_event_base_new();
    ck_assert_ptr_nonnull(base);
    ck_assert_int_eq(vecwire_loop_new(&loop, base), VECWIRE_OK);
    ticker = event_new(base, -1, EV_TIMEOUT, on_tick, NULL);
    other = event_new(base, -1, EV_TIMEOUT, on_tick, NULL);
}

static void
teardown(void)
{
    event_free(ticker);
    event_free(other);
    vecwire_loop_free(loop);
    event_base_free(base);
}

/* --- base and runner --- */

START_TEST(the_base_gathers_changes_of_epoll)
{
    ck_assert_str_eq(event_base_get_method(base), "epoll (with changelist)");
}
END_TEST

START_TEST(a_runner_needs_a_base_and_a_place)
{
    struct vecwire_loop *none = loop;

    ck_assert_int_eq(vecwire_loop_new(&none, NULL), VECWIRE_EINVAL);
    ck_assert_ptr_null(none);
    ck_assert_int_eq(vecwire_loop_new(NULL, base), VECWIRE_EINVAL);
}
END_TEST

START_TEST(without_a_runner_the_functions_do_nothing)
{
    bool more = true;

    ck_assert_int_eq(vecwire_loop_run(NULL), VECWIRE_EINVAL);
    ck_assert_int_eq(vecwire_loop_step(NULL, &more), VECWIRE_EINVAL);
    ck_assert(!more);
    ck_assert_uint_eq(vecwire_loop_iterations(NULL), 0);
    vecwire_loop_stop(NULL);
    vecwire_loop_free(NULL);
}
END_TEST

START_TEST(a_run_without_events_returns_and_counts_nothing)
{
    ck_assert_int_eq(vecwire_loop_run(loop), VECWIRE_OK);
    ck_assert_uint_eq(vecwire_loop_iterations(loop), 0);
}
END_TEST

START_TEST(a_step_without_events_says_that_nothing_is_left)
{
    bool more = true;

    ck_assert_int_eq(vecwire_loop_step(loop, &more), VECWIRE_OK);
    ck_assert(!more);
    ck_assert_uint_eq(vecwire_loop_iterations(loop), 0);
}
END_TEST

START_TEST(a_step_waits_for_a_timer_and_counts_one)
{
    bool more = false;

    event_add(ticker, &a_moment);
    ck_assert_int_eq(vecwire_loop_step(loop, &more), VECWIRE_OK);
    ck_assert_uint_eq(ticks, 1);
    ck_assert(more);
    ck_assert_uint_eq(vecwire_loop_iterations(loop), 1);
    ck_assert_int_eq(vecwire_loop_step(loop, NULL), VECWIRE_OK);
    ck_assert_uint_eq(vecwire_loop_iterations(loop), 1);
}
END_TEST

START_TEST(events_of_one_pass_count_once)
{
    event_active(ticker, EV_TIMEOUT, 0);
    event_active(other, EV_TIMEOUT, 0);
    ck_assert_int_eq(vecwire_loop_step(loop, NULL), VECWIRE_OK);
    ck_assert_uint_eq(ticks, 2);
    ck_assert_uint_eq(vecwire_loop_iterations(loop), 1);
}
END_TEST

START_TEST(each_pass_of_a_run_counts)
{
    last_tick = 5;
    event_add(ticker, &at_once);
    ck_assert_int_eq(vecwire_loop_run(loop), VECWIRE_OK);
    ck_assert_uint_eq(ticks, 5);
    ck_assert_uint_eq(vecwire_loop_iterations(loop), 5);
}
END_TEST

static void
stop_at_three(void)
{
    if (ticks == 3)
        vecwire_loop_stop(loop);
}

START_TEST(stop_ends_the_run_behind_its_iteration_and_not_the_next_run)
{
    last_tick = 7;
    in_tick = stop_at_three;
    event_add(ticker, &at_once);
    ck_assert_int_eq(vecwire_loop_run(loop), VECWIRE_OK);
    ck_assert_uint_eq(ticks, 3);
    ck_assert_uint_eq(vecwire_loop_iterations(loop), 3);
    ck_assert_int_eq(vecwire_loop_run(loop), VECWIRE_OK);
    ck_assert_uint_eq(ticks, 7);
    ck_assert_uint_eq(vecwire_loop_iterations(loop), 7);
}
END_TEST

static void
break_at_two(void)
{
    if (ticks == 2)
        event_base_loopbreak(base);
}

static void
exit_at_two(void)
{
    if (ticks == 2)
        event_base_loopexit(base, NULL);
}

START_TEST(loopbreak_and_loopexit_end_the_run)
{
    last_tick = 50;
    in_tick = _i == 0 ? break_at_two : exit_at_two;
    event_add(ticker, &at_once);
    ck_assert_int_eq(vecwire_loop_run(loop), VECWIRE_OK);
    ck_assert_uint_ge(ticks, 2);
    ck_assert_uint_le(ticks, 4);
}
END_TEST

static void
see_iterations(void)
{
    ck_assert_uint_eq(vecwire_loop_iterations(loop), ticks);
}

START_TEST(a_callback_sees_its_own_iteration_counted)
{
    last_tick = 3;
    in_tick = see_iterations;
    event_add(ticker, &at_once);
    ck_assert_int_eq(vecwire_loop_run(loop), VECWIRE_OK);
    ck_assert_uint_eq(ticks, 3);
}
END_TEST

START_TEST(passes_that_the_runner_did_not_run_are_not_counted)
{
    last_tick = 3;
    event_add(ticker, &at_once);
    ck_assert_int_ge(event_base_dispatch(base), 0);
    ck_assert_uint_eq(ticks, 3);
    ck_assert_uint_eq(vecwire_loop_iterations(loop), 0);
}
END_TEST

/* --- inside callbacks --- */

static void
try_all(void)
{
    bool more = true;

    got[0] = vecwire_loop_run(loop);
    got[1] = vecwire_loop_step(loop, &more);
    ck_assert(!more);
}

static void
run_how(int how)
{
    event_add(ticker, &at_once);
    if (how == 0)
        ck_assert_int_eq(vecwire_loop_run(loop), VECWIRE_OK);
    else if (how == 1)
        ck_assert_int_eq(vecwire_loop_step(loop, NULL), VECWIRE_OK);
    else
        ck_assert_int_ge(event_base_loop(base, 0), 0);
    ck_assert_uint_eq(ticks, 1);
}

START_TEST(inside_a_callback_the_runner_is_busy)
{
    in_tick = try_all;
    run_how(_i);
    ck_assert_int_eq(got[0], VECWIRE_EBUSY);
    ck_assert_int_eq(got[1], VECWIRE_EBUSY);
    /* and not a moment longer */
    ck_assert_int_eq(vecwire_loop_run(loop), VECWIRE_OK);
}
END_TEST

static void
add_runner_tests(TCase *tc)
{
    tcase_add_test(tc, the_base_gathers_changes_of_epoll);
    tcase_add_test(tc, a_runner_needs_a_base_and_a_place);
    tcase_add_test(tc, without_a_runner_the_functions_do_nothing);
    tcase_add_test(tc, a_run_without_events_returns_and_counts_nothing);
    tcase_add_test(tc, a_step_without_events_says_that_nothing_is_left);
    tcase_add_test(tc, a_step_waits_for_a_timer_and_counts_one);
    tcase_add_test(tc, events_of_one_pass_count_once);
    tcase_add_test(tc, each_pass_of_a_run_counts);
    tcase_add_test(tc,
                   stop_ends_the_run_behind_its_iteration_and_not_the_next_run);
    tcase_add_loop_test(tc, loopbreak_and_loopexit_end_the_run, 0, 2);
    tcase_add_test(tc, a_callback_sees_its_own_iteration_counted);
    tcase_add_test(tc, passes_that_the_runner_did_not_run_are_not_counted);
    tcase_add_loop_test(tc, inside_a_callback_the_runner_is_busy, 0, 3);
}

int
main(void)
{
    Suite *suite = suite_create("loop");
    TCase *tc = tcase_create("loop");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_checked_fixture(tc, setup, teardown);
    add_runner_tests(tc);
    suite_add_tcase(suite, tc);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
