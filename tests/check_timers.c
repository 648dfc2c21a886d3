/* SPDX-License-Identifier: Apache-2.0 */
#include "net/timers.h"

#include <check.h>
#include <stdlib.h>

#include "codec/mem.h"
#include "tests/fake_clock.h"

#define MANY 500

struct alarm {
    struct vecwire__timer timer;
    struct vecwire__timers *timers;
    unsigned fired;
    uint64_t again_at; /* set itself to this when it fires */
    struct alarm *clears, *frees;
};

static struct fake_clock clock_;
static uint64_t order[MANY];
static size_t n_order;

static void
fire(struct vecwire__timer *timer)
{
    struct alarm *alarm = (struct alarm *)(void *)timer;

    alarm->fired++;
    if (n_order < MANY)
        order[n_order++] = timer->at_ns;
    if (alarm->clears != NULL)
        vecwire__timer_clear(alarm->timers, &alarm->clears->timer);
    if (alarm->again_at != 0)
        vecwire__timer_set(alarm->timers, timer, alarm->again_at);
    if (alarm->frees != NULL) {
        vecwire__timer_clear(alarm->timers, &alarm->frees->timer);
        free(alarm->frees);
    }
}

static struct alarm
alarm_new(void)
{
    return (struct alarm){.timer.fire = fire, .timers = &clock_.timers};
}

static void
set(struct alarm *alarm, uint64_t at_ns)
{
    vecwire__timer_set(&clock_.timers, &alarm->timer, at_ns);
}

static void
clear(struct alarm *alarm)
{
    vecwire__timer_clear(&clock_.timers, &alarm->timer);
}

static void
setup(void)
{
    fake_clock_init(&clock_, NULL);
    ck_assert(vecwire__timers_reserve(&clock_.timers, MANY));
    n_order = 0;
}

static void
teardown(void)
{
    fake_clock_fini(&clock_);
}

START_TEST(a_timer_fires_once_at_its_time_and_not_before)
{
    struct alarm a = alarm_new();

    set(&a, FAKE_S + 10);
    fake_clock_pass(&clock_, 9);
    ck_assert_uint_eq(a.fired, 0);
    fake_clock_pass(&clock_, 1);
    ck_assert_uint_eq(a.fired, 1);
    fake_clock_pass(&clock_, FAKE_S);
    ck_assert_uint_eq(a.fired, 1);
}
END_TEST

START_TEST(a_cleared_timer_does_not_fire)
{
    struct alarm a = alarm_new();

    set(&a, FAKE_S + 10);
    clear(&a);
    clear(&a);
    fake_clock_pass(&clock_, FAKE_S);
    ck_assert_uint_eq(a.fired, 0);
}
END_TEST

START_TEST(setting_to_zero_or_to_never_clears)
{
    struct alarm a = alarm_new();

    set(&a, FAKE_S + 10);
    set(&a, _i == 0 ? 0 : UINT64_MAX);
    ck_assert_uint_eq(clock_.timers.n, 0);
    ck_assert_uint_eq(a.timer.place, 0);
}
END_TEST

START_TEST(a_timer_that_is_moved_fires_at_the_last_time_only)
{
    struct alarm a = alarm_new(), b = alarm_new();

    set(&a, FAKE_S + 10);
    set(&b, FAKE_S + 20);
    set(&a, FAKE_S + 30);
    fake_clock_pass(&clock_, 29);
    ck_assert_uint_eq(a.fired, 0);
    ck_assert_uint_eq(b.fired, 1);
    set(&a, FAKE_S + 30);
    fake_clock_pass(&clock_, 1);
    ck_assert_uint_eq(a.fired, 1);
}
END_TEST

START_TEST(many_timers_set_moved_and_cleared_fire_in_order)
{
    static struct alarm alarms[MANY];
    uint32_t random = (uint32_t)_i + 1;
    size_t left = 0;

    for (size_t i = 0; i < MANY; i++)
        alarms[i] = alarm_new();
    for (size_t step = 0; step < 20000; step++) {
        random = random * 1664525u + 1013904223u;
        if (random >> 30 == 0)
            clear(&alarms[(random >> 8) % MANY]);
        else
            set(&alarms[(random >> 8) % MANY], FAKE_S + 1 + random % 1000);
    }
    for (size_t i = 0; i < MANY; i++)
        left += alarms[i].timer.place != 0;
    ck_assert_uint_gt(left, MANY / 4);
    ck_assert_uint_eq(clock_.timers.n, left);
    fake_clock_pass(&clock_, 1000);
    ck_assert_uint_eq(n_order, left);
    for (size_t i = 1; i < n_order; i++)
        ck_assert_uint_le(order[i - 1], order[i]);
}
END_TEST

START_TEST(the_clock_is_armed_for_the_earliest)
{
    struct alarm a = alarm_new(), b = alarm_new();

    set(&a, FAKE_S + 20);
    ck_assert_uint_eq(clock_.armed_ns, FAKE_S + 20);
    set(&b, FAKE_S + 10);
    ck_assert_uint_eq(clock_.armed_ns, FAKE_S + 10);
}
END_TEST

START_TEST(the_clock_is_disarmed_when_nothing_is_left)
{
    struct alarm a = alarm_new();

    set(&a, FAKE_S + 20);
    clear(&a);
    ck_assert_uint_eq(clock_.armed_ns, 0);
    ck_assert_uint_eq(clock_.times_told, 2);
}
END_TEST

START_TEST(the_clock_hears_nothing_of_calls_that_come_and_go)
{
    struct alarm idle = alarm_new(), call = alarm_new();

    set(&idle, FAKE_S + 4 * FAKE_S);
    for (int i = 0; i < 1000; i++) {
        set(&call, clock_.now_ns + 30 * FAKE_S);
        fake_clock_pass(&clock_, 1000);
        set(&idle, clock_.now_ns + 4 * FAKE_S);
        clear(&call);
    }
    ck_assert_uint_eq(clock_.times_told, 1);
}
END_TEST

START_TEST(woken_too_early_it_arms_again)
{
    struct alarm a = alarm_new();

    set(&a, FAKE_S + 10);
    set(&a, FAKE_S + 20);
    ck_assert_uint_eq(clock_.armed_ns, FAKE_S + 10);
    fake_clock_pass(&clock_, 15);
    ck_assert_uint_eq(a.fired, 0);
    ck_assert_uint_eq(clock_.armed_ns, FAKE_S + 20);
}
END_TEST

START_TEST(a_timer_that_sets_itself_to_now_waits_for_the_next_run)
{
    struct alarm a = alarm_new();

    a.again_at = FAKE_S + 10;
    set(&a, FAKE_S + 10);
    clock_.now_ns = FAKE_S + 10;
    vecwire__timers_run(&clock_.timers);
    ck_assert_uint_eq(a.fired, 1);
    ck_assert_uint_gt(clock_.armed_ns, 0);
    clock_.now_ns++;
    vecwire__timers_run(&clock_.timers);
    ck_assert_uint_eq(a.fired, 2);
}
END_TEST

START_TEST(a_firing_timer_may_clear_one_that_is_due_too)
{
    struct alarm a = alarm_new(), b = alarm_new();

    a.clears = &b;
    set(&a, FAKE_S + 10);
    set(&b, FAKE_S + 11);
    clock_.now_ns = FAKE_S + 20;
    vecwire__timers_run(&clock_.timers);
    ck_assert_uint_eq(a.fired, 1);
    ck_assert_uint_eq(b.fired, 0);
}
END_TEST

START_TEST(a_firing_timer_may_free_itself)
{
    struct alarm *a = malloc(sizeof(*a));

    ck_assert_ptr_nonnull(a);
    *a = alarm_new();
    a->frees = a;
    set(a, FAKE_S + 10);
    fake_clock_pass(&clock_, 20);
    ck_assert_uint_eq(clock_.timers.n, 0);
}
END_TEST

START_TEST(the_clock_is_told_once_after_a_run)
{
    struct alarm a = alarm_new(), b = alarm_new(), c = alarm_new();
    unsigned told;

    set(&a, FAKE_S + 10);
    set(&b, FAKE_S + 10);
    set(&c, FAKE_S + 30);
    a.again_at = FAKE_S + 25;
    b.again_at = FAKE_S + 24;
    told = clock_.times_told;
    fake_clock_pass(&clock_, 10);
    ck_assert_uint_eq(clock_.times_told, told + 1);
    ck_assert_uint_eq(clock_.armed_ns, FAKE_S + 24);
}
END_TEST

START_TEST(a_run_that_empties_and_refills_the_heap_tells_the_clock_once)
{
    struct alarm a = alarm_new(), b = alarm_new();
    unsigned told;

    a.clears = &b;
    a.again_at = FAKE_S + 20;
    set(&a, FAKE_S + 10);
    set(&b, FAKE_S + 30);
    told = clock_.times_told;
    fake_clock_pass(&clock_, 10);
    ck_assert_uint_eq(clock_.times_told, told + 1);
}
END_TEST

START_TEST(a_run_of_the_last_timer_leaves_the_clock_disarmed)
{
    struct alarm a = alarm_new();

    set(&a, FAKE_S + 10);
    clock_.now_ns = FAKE_S + 10;
    vecwire__timers_run(&clock_.timers);
    ck_assert_uint_eq(clock_.armed_ns, 0);
    ck_assert_uint_eq(clock_.timers.armed_ns, 0);
}
END_TEST

static void *
no_alloc(size_t size, void *ctx)
{
    (void)size;
    (void)ctx;
    return NULL;
}

static void *
no_realloc(void *block, size_t old_size, size_t size, void *ctx)
{
    (void)block;
    (void)old_size;
    return no_alloc(size, ctx);
}

START_TEST(without_memory_nothing_is_reserved)
{
    static struct vecwire_mem mem;

    mem = vecwire__mem_libc;
    mem.alloc = no_alloc;
    mem.realloc = no_realloc;
    clock_.timers.mem = &mem;
    ck_assert(vecwire__timers_reserve(&clock_.timers, 1));
    ck_assert(!vecwire__timers_reserve(&clock_.timers, 100 * MANY));
    ck_assert(!vecwire__timers_reserve(&clock_.timers, SIZE_MAX));
    ck_assert_uint_eq(clock_.timers.reserved, MANY + 1);
    vecwire__timers_unreserve(&clock_.timers, 1);
    ck_assert_uint_eq(clock_.timers.reserved, MANY);
}
END_TEST

START_TEST(fini_disarms_the_clock)
{
    struct alarm a = alarm_new();

    set(&a, FAKE_S + 10);
    vecwire__timers_fini(&clock_.timers);
    ck_assert_uint_eq(clock_.armed_ns, 0);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("timers");
    TCase *tc = tcase_create("timers");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, a_timer_fires_once_at_its_time_and_not_before);
    tcase_add_test(tc, a_cleared_timer_does_not_fire);
    tcase_add_loop_test(tc, setting_to_zero_or_to_never_clears, 0, 2);
    tcase_add_test(tc, a_timer_that_is_moved_fires_at_the_last_time_only);
    tcase_add_loop_test(tc, many_timers_set_moved_and_cleared_fire_in_order, 0,
                        4);
    tcase_add_test(tc, the_clock_is_armed_for_the_earliest);
    tcase_add_test(tc, the_clock_is_disarmed_when_nothing_is_left);
    tcase_add_test(tc, the_clock_hears_nothing_of_calls_that_come_and_go);
    tcase_add_test(tc, woken_too_early_it_arms_again);
    tcase_add_test(tc, a_timer_that_sets_itself_to_now_waits_for_the_next_run);
    tcase_add_test(tc, a_firing_timer_may_clear_one_that_is_due_too);
    tcase_add_test(tc, a_firing_timer_may_free_itself);
    tcase_add_test(tc, the_clock_is_told_once_after_a_run);
    tcase_add_test(
        tc, a_run_that_empties_and_refills_the_heap_tells_the_clock_once);
    tcase_add_test(tc, a_run_of_the_last_timer_leaves_the_clock_disarmed);
    tcase_add_test(tc, without_memory_nothing_is_reserved);
    tcase_add_test(tc, fini_disarms_the_clock);
    suite_add_tcase(suite, tc);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
