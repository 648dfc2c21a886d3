/* SPDX-License-Identifier: Apache-2.0 */
/* What grant() may do to the pool that calls it. */
#include "tests/pool_fixture.h"

static void
give_at_once(struct caller *caller)
{
    give(caller);
}

static void
drop_at_once(struct caller *caller)
{
    drop(caller);
}

static void
ask_for_d(struct caller *caller)
{
    (void)caller;
    vecwire__pool_ask(&pool, &d.waiter, false);
    ck_assert_uint_eq(d.grants, 0);
}

static void
forget_c(struct caller *caller)
{
    (void)caller;
    vecwire__pool_forget(&pool, &c.waiter);
}

static void
close_pool(struct caller *caller)
{
    (void)caller;
    vecwire__pool_close(&pool);
}

static void
queue_three_behind_a(void (*on_grant)(struct caller *caller))
{
    pool.max_open = 1;
    ask(&a);
    b.on_grant = on_grant;
    ask(&b);
    ask(&c);
}

START_TEST(given_back_inside_a_grant_it_goes_to_the_next)
{
    queue_three_behind_a(give_at_once);
    give(&a);
    ck_assert_ptr_eq(c.conn, fake_conn(&net, 1));
}
END_TEST

static void
give_and_ask_for_c_and_d(struct caller *caller)
{
    give(caller);
    ask(&c);
    ask(&d);
}

START_TEST(given_back_inside_a_grant_it_vouches_for_no_other)
{
    ask(&a);
    ask(&b);
    give(&a);
    give(&b);
    fake_conn_of(fake_conn(&net, 1))->loud = true;
    a.on_grant = give_and_ask_for_c_and_d;
    ask(&a);
    ck_assert_ptr_eq(c.conn, fake_conn(&net, 2));
    ck_assert_ptr_eq(d.conn, fake_conn(&net, 3));
    ck_assert_ptr_null(fake_conn(&net, 1));
}
END_TEST

START_TEST(given_back_inside_the_last_grant_it_becomes_idle)
{
    queue_three_behind_a(give_at_once);
    c.on_grant = give_at_once;
    give(&a);
    ck_assert_uint_eq(pool.n_idle, 1);
    fake_clock_pass(&pool_clock, IDLE_NS);
    ck_assert_uint_eq(pool.n_open, 0);
}
END_TEST

START_TEST(dropped_inside_a_grant_a_new_one_is_opened_for_the_next)
{
    queue_three_behind_a(drop_at_once);
    give(&a);
    ck_assert_ptr_eq(c.conn, fake_conn(&net, 2));
}
END_TEST

START_TEST(who_asks_inside_a_grant_comes_after_those_who_wait)
{
    queue_three_behind_a(ask_for_d);
    pool.max_open = 3;
    give(&a);
    ck_assert_uint_eq(b.turn, 2);
    ck_assert_uint_eq(c.turn, 3);
    ck_assert_uint_eq(d.turn, 4);
}
END_TEST

START_TEST(who_is_forgotten_inside_a_grant_is_not_served)
{
    queue_three_behind_a(forget_c);
    pool.max_open = 3;
    give(&a);
    ck_assert_uint_eq(c.grants, 0);
    ck_assert_uint_eq(pool.n_waiting, 0);
}
END_TEST

START_TEST(closed_inside_a_grant_nobody_else_is_served)
{
    queue_three_behind_a(close_pool);
    pool.max_open = 3;
    give(&a);
    ck_assert_uint_eq(c.grants, 0);
}
END_TEST

int
main(void)
{
    const TTest *const tests[] = {
        given_back_inside_a_grant_it_goes_to_the_next,
        given_back_inside_a_grant_it_vouches_for_no_other,
        given_back_inside_the_last_grant_it_becomes_idle,
        dropped_inside_a_grant_a_new_one_is_opened_for_the_next,
        who_asks_inside_a_grant_comes_after_those_who_wait,
        who_is_forgotten_inside_a_grant_is_not_served,
        closed_inside_a_grant_nobody_else_is_served,
    };

    return pool_run("pool_reentry", tests, sizeof(tests) / sizeof(tests[0]));
}
