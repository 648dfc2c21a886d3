/* SPDX-License-Identifier: Apache-2.0 */
/* Leases, the queue, its bounds, idle connections. */
#include "tests/pool_fixture.h"

START_TEST(the_first_caller_gets_a_new_connection_at_once)
{
    ask(&a);
    ck_assert_ptr_nonnull(a.conn);
    ck_assert_uint_eq(net.opened, 1);
    ck_assert_uint_eq(pool.n_open, 1);
    ck_assert_uint_eq(pool.n_idle, 0);
    ck_assert_uint_eq(pool.n_waiting, 0);
}
END_TEST

START_TEST(a_connection_given_back_becomes_idle)
{
    ask(&a);
    give(&a);
    ck_assert_uint_eq(pool.n_idle, 1);
    ck_assert_uint_eq(pool.n_open, 1);
    ck_assert(fake_conn(&net, 1)->idle);
}
END_TEST

START_TEST(an_idle_connection_is_used_before_a_new_one_is_opened)
{
    ask(&a);
    give(&a);
    ask(&b);
    ck_assert_ptr_eq(b.conn, fake_conn(&net, 1));
    ck_assert_uint_eq(net.opened, 1);
}
END_TEST

START_TEST(the_latest_idle_connection_goes_first)
{
    ask(&a);
    ask(&b);
    give(&b);
    give(&a);
    ask(&c);
    ck_assert_ptr_eq(c.conn, fake_conn(&net, 1));
}
END_TEST

START_TEST(an_idle_connection_is_looked_at_before_a_lease)
{
    ask(&a);
    give(&a);
    ck_assert_uint_eq(net.looks, 0);
    ask(&b);
    ck_assert_uint_eq(net.looks, 1);
    ck_assert_ptr_eq(b.conn, fake_conn(&net, 1));
}
END_TEST

START_TEST(one_that_is_not_quiet_is_closed_and_the_next_one_tried)
{
    ask(&a);
    ask(&b);
    give(&a);
    give(&b);
    fake_conn_of(fake_conn(&net, 2))->loud = true;
    ask(&c);
    ck_assert_ptr_eq(c.conn, fake_conn(&net, 1));
    ck_assert_uint_eq(net.closed, 1);
    ck_assert_uint_eq(pool.n_open, 1);
}
END_TEST

START_TEST(when_none_is_quiet_a_new_one_is_opened)
{
    ask(&a);
    ask(&b);
    give(&a);
    give(&b);
    fake_conn_of(fake_conn(&net, 1))->loud = true;
    fake_conn_of(fake_conn(&net, 2))->loud = true;
    ask(&c);
    ck_assert_ptr_eq(c.conn, fake_conn(&net, 3));
    ck_assert_uint_eq(pool.n_open, 1);
}
END_TEST

START_TEST(at_the_cap_a_caller_waits)
{
    a.waiter.bytes = b.waiter.bytes = c.waiter.bytes = 100;
    ask(&a);
    ask(&b);
    ask(&c);
    ck_assert(c.waiter.waiting);
    ck_assert_uint_eq(pool.n_waiting, 1);
    ck_assert_uint_eq(pool.waiting_bytes, 100);
    ck_assert_uint_eq(net.opened, 2);
}
END_TEST

START_TEST(a_waiter_gets_what_is_given_back)
{
    ask(&a);
    ask(&b);
    ask(&c);
    give(&a);
    ck_assert_ptr_eq(c.conn, fake_conn(&net, 1));
    ck_assert_uint_eq(pool.n_idle, 0);
    ck_assert_uint_eq(pool.waiting_bytes, 0);
}
END_TEST

START_TEST(waiters_are_served_in_the_order_they_came)
{
    pool.max_open = 1;
    ask(&a);
    ask(&b);
    ask(&c);
    give(&a);
    ck_assert_uint_eq(b.grants, 1);
    ck_assert_uint_eq(c.grants, 0);
    give(&b);
    ck_assert_uint_eq(c.grants, 1);
}
END_TEST

START_TEST(a_retry_goes_first)
{
    pool.max_open = 1;
    ask(&a);
    ask(&b);
    vecwire__pool_ask(&pool, &c.waiter, true);
    give(&a);
    ck_assert_uint_eq(c.grants, 1);
    ck_assert_uint_eq(b.grants, 0);
}
END_TEST

START_TEST(a_dropped_connection_makes_room_for_a_new_one)
{
    pool.max_open = 1;
    ask(&a);
    ask(&b);
    drop(&a);
    ck_assert_ptr_eq(b.conn, fake_conn(&net, 2));
    ck_assert_uint_eq(net.closed, 1);
    ck_assert_uint_eq(pool.n_open, 1);
}
END_TEST

START_TEST(one_that_never_came_up_is_not_kept)
{
    ask(&a);
    a.conn->up = false;
    give(&a);
    ck_assert_uint_eq(pool.n_open, 0);
    ck_assert_uint_eq(net.closed, 1);
}
END_TEST

START_TEST(a_forgotten_waiter_gets_nothing)
{
    pool.max_open = 1;
    ask(&a);
    b.waiter.bytes = 7;
    ask(&b);
    ask(&c);
    vecwire__pool_forget(&pool, &b.waiter);
    vecwire__pool_forget(&pool, &b.waiter);
    ck_assert_uint_eq(pool.waiting_bytes, 0);
    give(&a);
    ck_assert_uint_eq(b.grants, 0);
    ck_assert_uint_eq(c.grants, 1);
}
END_TEST

START_TEST(an_idle_connection_that_is_lost_is_closed)
{
    ask(&a);
    give(&a);
    vecwire__pool_idle_lost(&pool, fake_conn(&net, 1));
    ck_assert_uint_eq(pool.n_open, 0);
    ck_assert_uint_eq(pool.n_idle, 0);
    ck_assert_uint_eq(pool_clock.armed_ns, 0);
}
END_TEST

START_TEST(a_fresh_waiter_is_not_given_an_idle_connection)
{
    ask(&a);
    give(&a);
    b.waiter.fresh = true;
    ask(&b);
    ck_assert_ptr_eq(b.conn, fake_conn(&net, 2));
    ck_assert_uint_eq(pool.n_idle, 1);
}
END_TEST

START_TEST(at_the_cap_a_fresh_waiter_closes_the_longest_idle_one)
{
    ask(&a);
    ask(&b);
    give(&a);
    give(&b);
    c.waiter.fresh = true;
    ask(&c);
    ck_assert_ptr_eq(c.conn, fake_conn(&net, 3));
    ck_assert_ptr_null(fake_conn(&net, 1));
    ck_assert_uint_eq(pool.n_open, 2);
}
END_TEST

START_TEST(when_all_are_leased_a_fresh_waiter_gets_the_room_of_the_next)
{
    ask(&a);
    ask(&b);
    c.waiter.fresh = true;
    ask(&c);
    ck_assert(c.waiter.waiting);
    give(&a);
    ck_assert_ptr_eq(c.conn, fake_conn(&net, 3));
    ck_assert_ptr_null(fake_conn(&net, 1));
    ck_assert_uint_eq(pool.n_open, 2);
    ck_assert_uint_eq(pool.n_idle, 0);
}
END_TEST

START_TEST(idle_connections_are_closed_after_their_time)
{
    ask(&a);
    ask(&b);
    give(&a);
    fake_clock_pass(&pool_clock, FAKE_S);
    give(&b);
    fake_clock_pass(&pool_clock, IDLE_NS - FAKE_S - 1);
    ck_assert_uint_eq(net.closed, 0);
    fake_clock_pass(&pool_clock, 1);
    ck_assert_ptr_null(fake_conn(&net, 1));
    ck_assert_uint_eq(net.closed, 1);
    fake_clock_pass(&pool_clock, FAKE_S);
    ck_assert_uint_eq(net.closed, 2);
    ck_assert_uint_eq(pool.n_open, 0);
}
END_TEST

START_TEST(a_lease_longer_than_the_idle_time_is_left_alone)
{
    ask(&a);
    give(&a);
    ask(&a);
    fake_clock_pass(&pool_clock, 3 * IDLE_NS);
    ck_assert_uint_eq(net.closed, 0);
    give(&a);
    fake_clock_pass(&pool_clock, IDLE_NS);
    ck_assert_uint_eq(net.closed, 1);
}
END_TEST

START_TEST(a_connection_in_use_now_and_then_stays)
{
    for (int i = 0; i < 100; i++) {
        ask(&a);
        give(&a);
        fake_clock_pass(&pool_clock, IDLE_NS - 1);
    }
    ck_assert_uint_eq(net.opened, 1);
    ck_assert_uint_eq(net.closed, 0);
}
END_TEST

START_TEST(without_an_idle_time_connections_stay)
{
    pool.idle_ns = UINT64_MAX;
    ask(&a);
    give(&a);
    ck_assert_uint_eq(pool_clock.timers.n, 0);
    fake_clock_pass(&pool_clock, 1000000 * FAKE_S);
    ck_assert_uint_eq(pool.n_idle, 1);
}
END_TEST

START_TEST(leases_in_steady_state_tell_the_clock_nothing)
{
    ask(&a);
    give(&a);
    for (int i = 0; i < 1000; i++) {
        ask(&a);
        fake_clock_pass(&pool_clock, 1000);
        give(&a);
    }
    ck_assert_uint_eq(pool_clock.times_told, 1);
}
END_TEST

START_TEST(who_need_not_wait_is_admitted_whatever_the_limits)
{
    pool.max_waiting = 0;
    pool.max_bytes = 0;
    ck_assert_int_eq(vecwire__pool_admit(&pool, SIZE_MAX), VECWIRE_OK);
    ask(&a);
    ask(&b);
    ck_assert_int_eq(vecwire__pool_admit(&pool, 0), VECWIRE_EFULL);
    give(&a);
    ck_assert_int_eq(vecwire__pool_admit(&pool, SIZE_MAX), VECWIRE_OK);
}
END_TEST

START_TEST(the_queue_is_bounded_by_number)
{
    ask(&a);
    ask(&b);
    ask(&c);
    ck_assert_int_eq(vecwire__pool_admit(&pool, 0), VECWIRE_OK);
    ask(&d);
    ck_assert_int_eq(vecwire__pool_admit(&pool, 0), VECWIRE_EFULL);
}
END_TEST

START_TEST(the_queue_is_bounded_by_bytes)
{
    ask(&a);
    ask(&b);
    ck_assert_int_eq(vecwire__pool_admit(&pool, 1001), VECWIRE_EFULL);
    ck_assert_int_eq(vecwire__pool_admit(&pool, 1000), VECWIRE_OK);
    c.waiter.bytes = 600;
    ask(&c);
    ck_assert_int_eq(vecwire__pool_admit(&pool, 400), VECWIRE_OK);
    ck_assert_int_eq(vecwire__pool_admit(&pool, 401), VECWIRE_EFULL);
    ck_assert_int_eq(vecwire__pool_admit(&pool, SIZE_MAX), VECWIRE_EFULL);
}
END_TEST

START_TEST(a_retry_over_the_byte_limit_keeps_others_out)
{
    ask(&a);
    ask(&b);
    c.waiter.bytes = 1001;
    vecwire__pool_ask(&pool, &c.waiter, true);
    ck_assert_int_eq(vecwire__pool_admit(&pool, 0), VECWIRE_EFULL);
}
END_TEST

START_TEST(without_memory_the_only_caller_is_granted_nothing)
{
    net.fail_opens = 1;
    ask(&a);
    ck_assert_uint_eq(a.grants, 1);
    ck_assert_ptr_null(a.conn);
    ck_assert_uint_eq(pool.n_open, 0);
    ck_assert_uint_eq(pool_clock.timers.reserved, 0);
}
END_TEST

START_TEST(without_memory_others_wait_for_the_connections_there_are)
{
    ask(&a);
    net.fail_opens = 1;
    ask(&b);
    ck_assert_uint_eq(b.grants, 0);
    give(&a);
    ck_assert_ptr_eq(b.conn, fake_conn(&net, 1));
}
END_TEST

START_TEST(a_closed_pool_keeps_nothing_idle)
{
    ask(&a);
    ask(&b);
    give(&a);
    vecwire__pool_close(&pool);
    ck_assert_uint_eq(pool.n_idle, 0);
    ck_assert_uint_eq(pool.n_open, 1);
    give(&b);
    ck_assert_uint_eq(pool.n_open, 0);
}
END_TEST

START_TEST(a_closed_pool_opens_nothing)
{
    pool.max_open = 1;
    ask(&a);
    ask(&b);
    vecwire__pool_close(&pool);
    drop(&a);
    ck_assert_uint_eq(b.grants, 0);
    ck_assert_uint_eq(net.opened, 1);
}
END_TEST

int
main(void)
{
    const TTest *const tests[] = {
        the_first_caller_gets_a_new_connection_at_once,
        a_connection_given_back_becomes_idle,
        an_idle_connection_is_used_before_a_new_one_is_opened,
        the_latest_idle_connection_goes_first,
        an_idle_connection_is_looked_at_before_a_lease,
        one_that_is_not_quiet_is_closed_and_the_next_one_tried,
        when_none_is_quiet_a_new_one_is_opened,
        at_the_cap_a_caller_waits,
        a_waiter_gets_what_is_given_back,
        waiters_are_served_in_the_order_they_came,
        a_retry_goes_first,
        a_dropped_connection_makes_room_for_a_new_one,
        one_that_never_came_up_is_not_kept,
        a_forgotten_waiter_gets_nothing,
        an_idle_connection_that_is_lost_is_closed,
        a_fresh_waiter_is_not_given_an_idle_connection,
        at_the_cap_a_fresh_waiter_closes_the_longest_idle_one,
        when_all_are_leased_a_fresh_waiter_gets_the_room_of_the_next,
        idle_connections_are_closed_after_their_time,
        a_lease_longer_than_the_idle_time_is_left_alone,
        a_connection_in_use_now_and_then_stays,
        without_an_idle_time_connections_stay,
        leases_in_steady_state_tell_the_clock_nothing,
        who_need_not_wait_is_admitted_whatever_the_limits,
        the_queue_is_bounded_by_number,
        the_queue_is_bounded_by_bytes,
        a_retry_over_the_byte_limit_keeps_others_out,
        without_memory_the_only_caller_is_granted_nothing,
        without_memory_others_wait_for_the_connections_there_are,
        a_closed_pool_keeps_nothing_idle,
        a_closed_pool_opens_nothing,
    };

    return pool_run("pool", tests, sizeof(tests) / sizeof(tests[0]));
}
