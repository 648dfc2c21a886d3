/* SPDX-License-Identifier: Apache-2.0 */
/* Calls between a fake transport and a fake clock. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/engine_fixture.h"

static struct engine_fixture f;
static struct seen a, b, c;

static void
setup(void)
{
    memset(&a, 0, sizeof(a));
    memset(&b, 0, sizeof(b));
    memset(&c, 0, sizeof(c));
    engine_fixture_init(&f, NULL);
}

static void
teardown(void)
{
    engine_fixture_fini(&f);
}

static void
with_one_connection(void)
{
    struct vecwire__engine_config config = {.connections = 1, .max_waiting = 2};

    memset(&a, 0, sizeof(a));
    memset(&b, 0, sizeof(b));
    memset(&c, 0, sizeof(c));
    engine_fixture_init(&f, &config);
}

static void
query(struct seen *seen)
{
    ck_assert_int_eq(engine_call(&f, VECWIRE__READ, 0, seen, NULL), VECWIRE_OK);
}

/* A first call warms connection 1 up. */
static void
warm_up(void)
{
    struct seen first = {0};

    query(&first);
    fake_reply(fake_conn(&f.net, 1), 200, MATCHES_1);
    ck_assert_uint_eq(first.runs, 1);
    ck_assert_int_eq(first.code, VECWIRE_OK);
}

START_TEST(a_reply_completes_its_call_with_rows)
{
    query(&a);
    ck_assert_uint_eq(a.runs, 0);
    fake_reply(fake_conn(&f.net, 1), 200, MATCHES_1);
    ck_assert_uint_eq(a.runs, 1);
    ck_assert_int_eq(a.code, VECWIRE_OK);
    ck_assert_uint_eq(a.count, 1);
    ck_assert_uint_eq(a.attempts, 1);
    ck_assert_uint_eq(a.wakeups, 1);
}
END_TEST

START_TEST(the_second_call_takes_the_warm_connection)
{
    warm_up();
    query(&a);
    ck_assert_uint_eq(f.net.opened, 1);
    fake_reply(fake_conn(&f.net, 1), 200, MATCHES_1);
    ck_assert_int_eq(a.code, VECWIRE_OK);
}
END_TEST

START_TEST(a_long_request_on_a_warm_connection_may_tell_its_phases)
{
    warm_up();
    query(&a);
    fake_phase(fake_conn(&f.net, 1), VECWIRE_PHASE_SENDING);
    fake_phase(fake_conn(&f.net, 1), VECWIRE_PHASE_WAITING);
    fake_reply(fake_conn(&f.net, 1), 200, MATCHES_1);
    ck_assert_int_eq(a.code, VECWIRE_OK);
    ck_assert_uint_eq(vecwire__engine_stats(&f.engine)->connections_opened, 1);
}
END_TEST

START_TEST(a_call_over_the_waiting_limit_is_refused_at_once)
{
    query(&a);
    query(&b);
    query(&c);
    struct seen d = {0};
    ck_assert_int_eq(engine_call(&f, VECWIRE__READ, 0, &d, NULL),
                     VECWIRE_EFULL);
    ck_assert_uint_eq(d.runs, 0);
}
END_TEST

START_TEST(a_deadline_names_the_queue)
{
    query(&a);
    ck_assert_int_eq(engine_call(&f, VECWIRE__READ, 50, &b, NULL), VECWIRE_OK);
    fake_clock_pass(&f.clock, 60 * FAKE_MS);
    ck_assert_uint_eq(b.runs, 1);
    ck_assert_int_eq(b.code, VECWIRE_ETIMEDOUT);
    ck_assert_int_eq(b.phase, VECWIRE_PHASE_QUEUED);
    ck_assert(b.retryable);
    ck_assert_uint_eq(a.runs, 0);
}
END_TEST

START_TEST(a_deadline_names_the_phase_of_the_connection)
{
    static const enum vecwire_phase phases[] = {
        VECWIRE_PHASE_RESOLVING, VECWIRE_PHASE_CONNECTING, VECWIRE_PHASE_TLS};

    ck_assert_int_eq(engine_call(&f, VECWIRE__IDEMPOTENT, 50, &a, NULL),
                     VECWIRE_OK);
    fake_phase(fake_conn(&f.net, 1), phases[_i]);
    fake_clock_pass(&f.clock, 60 * FAKE_MS);
    ck_assert_int_eq(a.code, VECWIRE_ETIMEDOUT);
    ck_assert_int_eq(a.phase, phases[_i]);
    ck_assert(!a.outcome_unknown);
    ck_assert_uint_eq(f.net.n_open, 0);
}
END_TEST

START_TEST(a_write_that_times_out_after_it_left_has_an_unknown_outcome)
{
    ck_assert_int_eq(engine_call(&f, VECWIRE__IDEMPOTENT, 50, &a, NULL),
                     VECWIRE_OK);
    fake_up(fake_conn(&f.net, 1));
    fake_clock_pass(&f.clock, 60 * FAKE_MS);
    ck_assert_int_eq(a.code, VECWIRE_ETIMEDOUT);
    ck_assert_int_eq(a.phase, VECWIRE_PHASE_WAITING);
    ck_assert(a.outcome_unknown);
    ck_assert(!a.retryable);
}
END_TEST

START_TEST(a_deadline_while_receiving_drops_only_that_connection)
{
    query(&a);
    ck_assert_int_eq(engine_call(&f, VECWIRE__READ, 50, &b, NULL), VECWIRE_OK);
    fake_head(fake_conn(&f.net, 2), 200, NULL, 0);
    fake_clock_pass(&f.clock, 60 * FAKE_MS);
    ck_assert_int_eq(b.phase, VECWIRE_PHASE_RECEIVING);
    ck_assert_uint_eq(f.net.n_open, 1);
    fake_reply(fake_conn(&f.net, 1), 200, MATCHES_1);
    ck_assert_int_eq(a.code, VECWIRE_OK);
}
END_TEST

START_TEST(a_reply_that_drips_does_not_put_its_deadline_off)
{
    ck_assert_int_eq(engine_call(&f, VECWIRE__READ, 50, &a, NULL), VECWIRE_OK);
    fake_head(fake_conn(&f.net, 1), 200, NULL, 0);
    fake_body(fake_conn(&f.net, 1), "{\"matches\":[");
    for (int i = 0; i < 4; i++) {
        fake_clock_pass(&f.clock, 12 * FAKE_MS);
        fake_body(fake_conn(&f.net, 1), " ");
    }
    ck_assert_uint_eq(a.runs, 0);
    fake_clock_pass(&f.clock, 3 * FAKE_MS);
    ck_assert_uint_eq(a.runs, 1);
    ck_assert_int_eq(a.code, VECWIRE_ETIMEDOUT);
}
END_TEST

START_TEST(a_deadline_waits_for_bytes_that_have_come_but_only_once)
{
    struct fake_conn *fake;

    ck_assert_int_eq(engine_call(&f, VECWIRE__READ, 50, &a, NULL), VECWIRE_OK);
    fake = fake_conn_of(fake_conn(&f.net, 1));
    fake_up(&fake->conn);
    fake->unread = 10;
    fake_clock_pass(&f.clock, 60 * FAKE_MS);
    fake_clock_pass(&f.clock, FAKE_MS);
    ck_assert_uint_eq(a.runs, 0);
    fake->conn.bytes_received = 10;
    fake_clock_pass(&f.clock, FAKE_MS);
    ck_assert_uint_eq(a.runs, 1);
    ck_assert_int_eq(a.code, VECWIRE_ETIMEDOUT);
}
END_TEST

START_TEST(cancel_completes_from_the_loop_in_every_state)
{
    vecwire_call_id id;

    if (_i == 1)
        warm_up();
    ck_assert_int_eq(engine_call(&f, VECWIRE__IDEMPOTENT, 0, &a, &id),
                     VECWIRE_OK);
    if (_i == 2)
        fake_up(fake_conn(&f.net, 1));
    if (_i == 3)
        fake_head(fake_conn(&f.net, 1), 200, NULL, 0);
    ck_assert(vecwire__engine_cancel(&f.engine, id));
    ck_assert_uint_eq(a.runs, 0);
    ck_assert(!vecwire__engine_cancel(&f.engine, id));
    engine_pass(&f);
    ck_assert_uint_eq(a.runs, 1);
    ck_assert_int_eq(a.code, VECWIRE_ECANCELED);
    ck_assert(a.outcome_unknown == (_i != 0));
    ck_assert_uint_eq(f.net.n_open, 0);
}
END_TEST

START_TEST(a_canceled_waiter_leaves_its_place_to_the_next)
{
    vecwire_call_id id;

    query(&a);
    ck_assert_int_eq(engine_call(&f, VECWIRE__READ, 0, &b, &id), VECWIRE_OK);
    query(&c);
    ck_assert(vecwire__engine_cancel(&f.engine, id));
    fake_reply(fake_conn(&f.net, 1), 200, MATCHES_1);
    fake_reply(fake_conn(&f.net, 1), 200, MATCHES_1);
    ck_assert_uint_eq(a.runs, 1);
    ck_assert_uint_eq(c.runs, 1);
    engine_pass(&f);
    ck_assert_int_eq(b.code, VECWIRE_ECANCELED);
    ck_assert_int_eq(b.phase, VECWIRE_PHASE_QUEUED);
}
END_TEST

START_TEST(unknown_names_cancel_nothing)
{
    ck_assert(!vecwire__engine_cancel(&f.engine, 0));
    ck_assert(!vecwire__engine_cancel(&f.engine, UINT64_MAX));
    query(&a);
    ck_assert(!vecwire__engine_cancel(&f.engine, 1));
}
END_TEST

static void
cancel_all(struct seen *seen)
{
    struct vecwire__engine *engine = &seen->fixture->engine;

    while (!TAILQ_EMPTY(&engine->calls))
        vecwire__engine_cancel(engine, TAILQ_FIRST(&engine->calls)->id);
}

START_TEST(what_a_due_callback_makes_due_waits_for_the_next_pass)
{
    vecwire_call_id id;

    query(&b);
    ck_assert_int_eq(engine_call(&f, VECWIRE__READ, 0, &a, &id), VECWIRE_OK);
    a.then = cancel_all;
    vecwire__engine_cancel(&f.engine, id);
    engine_pass(&f);
    ck_assert_uint_eq(a.runs, 1);
    ck_assert_uint_eq(b.runs, 0);
    ck_assert(f.due_asked);
    engine_pass(&f);
    ck_assert_uint_eq(b.runs, 1);
}
END_TEST

static void
shut_down(struct seen *seen)
{
    vecwire__engine_shutdown(&seen->fixture->engine);
}

START_TEST(shutdown_in_a_callback_completes_the_others_inside_it)
{
    query(&a);
    query(&b);
    query(&c);
    a.then = shut_down;
    fake_reply(fake_conn(&f.net, 1), 200, MATCHES_1);
    ck_assert_uint_eq(a.runs, 1);
    ck_assert_uint_eq(b.runs, 1);
    ck_assert_int_eq(b.code, VECWIRE_ECLOSED);
    ck_assert_uint_eq(c.runs, 1);
    ck_assert(f.gone);
    ck_assert_uint_eq(f.net.n_open, 0);
}
END_TEST

START_TEST(shutdown_completes_canceled_calls_as_canceled)
{
    vecwire_call_id id;

    ck_assert_int_eq(engine_call(&f, VECWIRE__READ, 0, &a, &id), VECWIRE_OK);
    vecwire__engine_cancel(&f.engine, id);
    vecwire__engine_shutdown(&f.engine);
    ck_assert_uint_eq(a.runs, 1);
    ck_assert_int_eq(a.code, VECWIRE_ECANCELED);
}
END_TEST

static void
query_again(struct seen *seen)
{
    seen->then = NULL;
    query(seen);
}

START_TEST(a_completion_may_submit_and_gets_the_warm_connection)
{
    query(&a);
    a.then = query_again;
    fake_reply(fake_conn(&f.net, 1), 200, MATCHES_1);
    ck_assert_uint_eq(a.runs, 1);
    ck_assert_uint_eq(f.net.opened, 1);
    fake_reply(fake_conn(&f.net, 1), 200, MATCHES_1);
    ck_assert_uint_eq(a.runs, 2);
}
END_TEST

START_TEST(no_memory_for_a_connection_is_reported_from_the_loop)
{
    f.net.fail_opens = 1;
    query(&a);
    ck_assert_uint_eq(a.runs, 0);
    engine_pass(&f);
    ck_assert_int_eq(a.code, VECWIRE_ENOMEM);
}
END_TEST

START_TEST(no_memory_to_send_is_reported_from_the_loop)
{
    f.net.fail_sends = 1;
    query(&a);
    ck_assert_uint_eq(a.runs, 0);
    engine_pass(&f);
    ck_assert_int_eq(a.code, VECWIRE_ENOMEM);
    ck_assert_uint_eq(f.net.n_open, 0);
}
END_TEST

static unsigned closes;
static enum vecwire_err close_code;

static void
on_close(struct vecwire_client *client, enum vecwire_err code, void *arg)
{
    (void)client;
    (void)arg;
    closes++;
    close_code = code;
}

START_TEST(close_lets_queued_calls_finish)
{
    closes = 0;
    query(&a);
    query(&b);
    vecwire__engine_close(&f.engine, NULL, FAKE_S, on_close, NULL);
    fake_reply(fake_conn(&f.net, 1), 200, MATCHES_1);
    ck_assert_int_eq(a.code, VECWIRE_OK);
    fake_reply(fake_conn(&f.net, 1), 200, MATCHES_1);
    ck_assert_int_eq(b.code, VECWIRE_OK);
    ck_assert_uint_eq(closes, 0);
    engine_pass(&f);
    ck_assert_uint_eq(closes, 1);
    ck_assert_int_eq(close_code, VECWIRE_OK);
    ck_assert_uint_eq(f.net.n_open, 0);
}
END_TEST

START_TEST(close_ends_the_rest_when_its_time_is_up)
{
    closes = 0;
    query(&a);
    query(&b);
    vecwire__engine_close(&f.engine, NULL, FAKE_S, on_close, NULL);
    fake_clock_pass(&f.clock, 2 * FAKE_S);
    ck_assert_int_eq(a.code, VECWIRE_ECLOSED);
    ck_assert_int_eq(b.code, VECWIRE_ECLOSED);
    engine_pass(&f);
    ck_assert_uint_eq(closes, 1);
    ck_assert_int_eq(close_code, VECWIRE_ETIMEDOUT);
}
END_TEST

START_TEST(close_of_an_idle_engine_runs_from_the_loop)
{
    closes = 0;
    warm_up();
    vecwire__engine_close(&f.engine, NULL, UINT64_MAX, on_close, NULL);
    ck_assert_uint_eq(closes, 0);
    engine_pass(&f);
    ck_assert_uint_eq(closes, 1);
}
END_TEST

START_TEST(shutdown_before_the_close_runs_its_callback_as_closed)
{
    closes = 0;
    query(&a);
    vecwire__engine_close(&f.engine, NULL, UINT64_MAX, on_close, NULL);
    vecwire__engine_shutdown(&f.engine);
    ck_assert_uint_eq(closes, 1);
    ck_assert_int_eq(close_code, VECWIRE_ECLOSED);
}
END_TEST

START_TEST(counters_tell_what_was_done)
{
    const struct vecwire_stats *stats;

    query(&a);
    query(&b);
    stats = vecwire__engine_stats(&f.engine);
    ck_assert_uint_eq(stats->calls_started, 2);
    ck_assert_uint_eq(stats->calls_active, 1);
    ck_assert_uint_eq(stats->calls_waiting, 1);
    ck_assert_uint_gt(stats->waiting_held, stats->waiting_bytes);
    fake_reply(fake_conn(&f.net, 1), 200, MATCHES_1);
    fake_reply(fake_conn(&f.net, 1), 500, "");
    stats = vecwire__engine_stats(&f.engine);
    ck_assert_uint_eq(stats->calls_completed, 2);
    ck_assert_uint_eq(stats->calls_failed, 1);
    ck_assert_uint_eq(stats->connections_opened, 1);
    ck_assert_uint_eq(stats->connections_idle, 1);
    ck_assert_uint_eq(stats->calls_active, 0);
}
END_TEST

START_TEST(spare_replies_hold_no_more_than_2_mib)
{
    struct vecwire_reply *replies[8];

    for (int i = 0; i < 8; i++) {
        replies[i] = vecwire__call_take_reply(&f.engine);
        ck_assert(vecwire__buf_reserve(&replies[i]->texts, 600000));
    }
    for (int i = 0; i < 8; i++)
        vecwire__call_drop_reply(&f.engine, replies[i]);
    ck_assert_uint_gt(f.engine.spares.n_replies, 1);
    ck_assert_uint_le(f.engine.spares.reply_bytes, 2 << 20);
}
END_TEST

static void
add_two_connection_tests(TCase *tc)
{
    tcase_add_test(tc, a_reply_completes_its_call_with_rows);
    tcase_add_test(tc, the_second_call_takes_the_warm_connection);
    tcase_add_test(tc, a_long_request_on_a_warm_connection_may_tell_its_phases);
    tcase_add_loop_test(tc, a_deadline_names_the_phase_of_the_connection, 0, 3);
    tcase_add_test(tc,
                   a_write_that_times_out_after_it_left_has_an_unknown_outcome);
    tcase_add_test(tc, a_deadline_while_receiving_drops_only_that_connection);
    tcase_add_test(tc, a_reply_that_drips_does_not_put_its_deadline_off);
    tcase_add_test(tc, a_deadline_waits_for_bytes_that_have_come_but_only_once);
    tcase_add_loop_test(tc, cancel_completes_from_the_loop_in_every_state, 0,
                        4);
    tcase_add_test(tc, unknown_names_cancel_nothing);
    tcase_add_test(tc, spare_replies_hold_no_more_than_2_mib);
    tcase_add_test(tc, a_completion_may_submit_and_gets_the_warm_connection);
    tcase_add_test(tc, no_memory_for_a_connection_is_reported_from_the_loop);
    tcase_add_test(tc, no_memory_to_send_is_reported_from_the_loop);
    tcase_add_test(tc, close_of_an_idle_engine_runs_from_the_loop);
    tcase_add_test(tc, shutdown_before_the_close_runs_its_callback_as_closed);
}

int
main(void)
{
    Suite *suite = suite_create("engine");
    TCase *two = tcase_create("two connections");
    TCase *one = tcase_create("one connection");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_checked_fixture(two, setup, teardown);
    add_two_connection_tests(two);
    suite_add_tcase(suite, two);
    tcase_add_checked_fixture(one, with_one_connection, teardown);
    tcase_add_test(one, a_call_over_the_waiting_limit_is_refused_at_once);
    tcase_add_test(one, a_deadline_names_the_queue);
    tcase_add_test(one, a_canceled_waiter_leaves_its_place_to_the_next);
    tcase_add_test(one, what_a_due_callback_makes_due_waits_for_the_next_pass);
    tcase_add_test(one, shutdown_in_a_callback_completes_the_others_inside_it);
    tcase_add_test(one, shutdown_completes_canceled_calls_as_canceled);
    tcase_add_test(one, close_lets_queued_calls_finish);
    tcase_add_test(one, close_ends_the_rest_when_its_time_is_up);
    tcase_add_test(one, counters_tell_what_was_done);
    suite_add_tcase(suite, one);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
