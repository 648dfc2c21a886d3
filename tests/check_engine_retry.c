/* SPDX-License-Identifier: Apache-2.0 */
/* Attempts that fail, between a fake transport and a fake clock. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/engine_fixture.h"

static struct engine_fixture f;
static struct seen a, b;

static void
setup(void)
{
    memset(&a, 0, sizeof(a));
    memset(&b, 0, sizeof(b));
    engine_fixture_init(&f, NULL);
}

static void
teardown(void)
{
    engine_fixture_fini(&f);
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
    ck_assert_int_eq(first.code, VECWIRE_OK);
}

START_TEST(a_reused_connection_lost_is_repeated_once_on_a_fresh_one)
{
    warm_up();
    query(&a);
    engine_lose(fake_conn(&f.net, 1), true, false);
    ck_assert_uint_eq(a.runs, 0);
    ck_assert_uint_eq(f.net.opened, 2);
    fake_up(fake_conn(&f.net, 2));
    engine_lose(fake_conn(&f.net, 2), true, false);
    ck_assert_int_eq(a.code, VECWIRE_EIO);
    ck_assert_uint_eq(a.attempts, 2);
    ck_assert(a.retryable);
}
END_TEST

/* Rows of the table that no real socket shows: of every class, on a fresh
 * connection and on a reused one. */
START_TEST(what_is_lost_before_a_byte_left_is_sent_again_at_once)
{
    bool reused = _i >= 3;
    uint64_t now;

    if (reused)
        warm_up();
    ck_assert_int_eq(
        engine_call(&f, (enum vecwire__retry_class)(_i % 3), 0, &a, NULL),
        VECWIRE_OK);
    now = f.clock.now_ns;
    if (!reused)
        fake_up(fake_conn(&f.net, 1));
    engine_lose(fake_conn(&f.net, 1), false, false);
    ck_assert_uint_eq(a.runs, 0);
    ck_assert_uint_eq(f.net.opened, 2);
    ck_assert_uint_eq(f.net.sends, reused ? 3 : 2);
    ck_assert_uint_eq(f.clock.now_ns, now);
    fake_reply(fake_conn(&f.net, 2), 200,
               _i % 3 == VECWIRE__READ ? MATCHES_1 : "{\"added\":1}");
    ck_assert_int_eq(a.code, VECWIRE_OK);
    ck_assert_uint_eq(a.attempts, 2);
}
END_TEST

START_TEST(a_write_lost_on_a_reused_connection_is_never_repeated)
{
    warm_up();
    ck_assert_int_eq(engine_call(&f, VECWIRE__IDEMPOTENT, 0, &a, NULL),
                     VECWIRE_OK);
    engine_lose(fake_conn(&f.net, 1), true, false);
    ck_assert_int_eq(a.code, VECWIRE_EUNKNOWN);
    ck_assert(a.outcome_unknown);
    ck_assert_uint_eq(a.attempts, 1);
    ck_assert_uint_eq(f.net.sends, 2);
}
END_TEST

START_TEST(a_write_lost_on_a_reused_connection_is_repeated_on_demand)
{
    warm_up();
    ck_assert_int_eq(engine_call_with(&f, VECWIRE__IDEMPOTENT, true, false, &a),
                     VECWIRE_OK);
    engine_lose(fake_conn(&f.net, 1), true, false);
    fake_reply(fake_conn(&f.net, 2), 200, "{\"added\":1}");
    ck_assert_int_eq(a.code, VECWIRE_OK);
    ck_assert_uint_eq(a.affected, 1);
    ck_assert_uint_eq(a.attempts, 2);
}
END_TEST

START_TEST(a_repeated_write_that_times_out_keeps_its_unknown_outcome)
{
    warm_up();
    ck_assert_int_eq(engine_call_with(&f, VECWIRE__IDEMPOTENT, true, false, &a),
                     VECWIRE_OK);
    engine_lose(fake_conn(&f.net, 1), true, false);
    fake_clock_pass(&f.clock, 31 * FAKE_S);
    ck_assert_int_eq(a.code, VECWIRE_ETIMEDOUT);
    ck_assert(a.outcome_unknown);
}
END_TEST

START_TEST(no_retry_switches_the_repeat_off)
{
    warm_up();
    ck_assert_int_eq(engine_call_with(&f, VECWIRE__READ, false, true, &a),
                     VECWIRE_OK);
    engine_lose(fake_conn(&f.net, 1), true, false);
    ck_assert_int_eq(a.code, VECWIRE_EIO);
    ck_assert_uint_eq(a.attempts, 1);
}
END_TEST

START_TEST(nothing_is_repeated_after_a_reply_byte)
{
    warm_up();
    query(&a);
    fake_head(fake_conn(&f.net, 1), 200, NULL, 0);
    engine_lose(fake_conn(&f.net, 1), true, true);
    ck_assert_int_eq(a.code, VECWIRE_EIO);
    ck_assert_uint_eq(a.attempts, 1);
}
END_TEST

START_TEST(a_503_is_repeated_after_a_gap)
{
    query(&a);
    fake_reply(fake_conn(&f.net, 1), 503, "");
    ck_assert_uint_eq(a.runs, 0);
    fake_clock_pass(&f.clock, 101 * FAKE_MS);
    ck_assert_uint_eq(f.net.sends, 2);
    fake_reply(f.net.last_conn, 503, "");
    fake_clock_pass(&f.clock, 201 * FAKE_MS);
    ck_assert_uint_eq(f.net.sends, 3);
    fake_reply(f.net.last_conn, 200, MATCHES_1);
    ck_assert_int_eq(a.code, VECWIRE_OK);
    ck_assert_uint_eq(a.attempts, 3);
}
END_TEST

START_TEST(a_503_three_times_is_the_answer)
{
    query(&a);
    for (int i = 0; i < 3; i++) {
        fake_reply(f.net.last_conn, 503,
                   "{\"error\":{\"code\":\"tenant_limit\",\"message\":\"m\"}}");
        fake_clock_pass(&f.clock, 5 * FAKE_S);
    }
    ck_assert_int_eq(a.code, VECWIRE_EHTTP);
    ck_assert_uint_eq(a.status, 503);
    ck_assert_uint_eq(a.attempts, 3);
    ck_assert_str_eq(a.server_code, "tenant_limit");
    ck_assert_str_eq(a.detail, "m");
}
END_TEST

START_TEST(a_retry_after_past_the_deadline_fails_at_once)
{
    static const struct vecwire_header later = {"Retry-After", "40"};

    query(&a);
    fake_head(fake_conn(&f.net, 1), 429, &later, 1);
    fake_end(fake_conn(&f.net, 1), true);
    ck_assert_uint_eq(a.runs, 1);
    ck_assert_int_eq(a.code, VECWIRE_EHTTP);
    ck_assert_uint_eq(a.status, 429);
    ck_assert_int_eq(a.retry_after_ms, 40000);
    ck_assert(a.retryable);
}
END_TEST

START_TEST(a_deadline_while_it_waits_for_the_next_attempt_names_that)
{
    static const struct vecwire_header later = {"Retry-After", "2"};

    query(&a);
    fake_head(fake_conn(&f.net, 1), 429, &later, 1);
    fake_end(fake_conn(&f.net, 1), true);
    ck_assert_uint_eq(a.runs, 0);
    vecwire_call_id id = TAILQ_FIRST(&f.engine.calls)->id;
    ck_assert(vecwire__engine_cancel(&f.engine, id));
    engine_pass(&f);
    ck_assert_int_eq(a.code, VECWIRE_ECANCELED);
    ck_assert_int_eq(a.phase, VECWIRE_PHASE_RETRY_WAIT);
}
END_TEST

START_TEST(the_deadline_counts_on_behind_a_gap)
{
    ck_assert_int_eq(engine_call(&f, VECWIRE__READ, 500, &a, NULL), VECWIRE_OK);
    fake_reply(fake_conn(&f.net, 1), 503, "");
    fake_clock_pass(&f.clock, 101 * FAKE_MS);
    ck_assert_uint_eq(f.net.sends, 2);
    fake_clock_pass(&f.clock, 398 * FAKE_MS);
    ck_assert_uint_eq(a.runs, 0);
    fake_clock_pass(&f.clock, 2 * FAKE_MS);
    ck_assert_uint_eq(a.runs, 1);
    ck_assert_int_eq(a.code, VECWIRE_ETIMEDOUT);
    ck_assert_uint_eq(a.attempts, 2);
}
END_TEST

START_TEST(refused_rounds_are_repeated_after_gaps_and_then_fail)
{
    struct vecwire__loss refused = {
        .code = VECWIRE_EREFUSED, .detail = "127.0.0.1:1: Connection refused"};

    query(&a);
    for (int i = 0; i < 3; i++) {
        ck_assert_uint_eq(a.runs, 0);
        fake_lost(f.net.last_conn, &refused);
        fake_clock_pass(&f.clock, 5 * FAKE_S);
    }
    ck_assert_int_eq(a.code, VECWIRE_EREFUSED);
    ck_assert_uint_eq(a.attempts, 3);
    ck_assert_str_eq(a.detail, "127.0.0.1:1: Connection refused");
}
END_TEST

START_TEST(calls_between_two_attempts_count_as_waiting)
{
    struct vecwire__loss refused = {.code = VECWIRE_EREFUSED};
    struct seen many[16] = {0}, more = {0};

    for (size_t i = 0; i < 16; i++) {
        query(&many[i]);
        fake_lost(f.net.last_conn, &refused);
    }
    ck_assert_uint_eq(vecwire__engine_stats(&f.engine)->calls_retrying, 16);
    ck_assert_int_eq(engine_call(&f, VECWIRE__READ, 0, &more, NULL),
                     VECWIRE_EFULL);
    vecwire__engine_shutdown(&f.engine);
    for (size_t i = 0; i < 16; i++)
        ck_assert_uint_eq(many[i].runs, 1);
}
END_TEST

START_TEST(the_budget_keeps_a_sick_server_from_being_hammered)
{
    unsigned calls = 200;

    for (unsigned i = 0; i < calls; i++) {
        struct seen one = {0};

        query(&one);
        while (one.runs == 0) {
            if (f.net.last_conn != NULL && fake_conn_of(f.net.last_conn)->busy)
                fake_reply(f.net.last_conn, 503, "");
            else
                fake_clock_pass(&f.clock, 300 * FAKE_MS);
        }
    }
    /* A bucket of 10, and a tenth of a token for each call. */
    ck_assert_uint_le(f.net.sends, calls + 10 + calls / 10);
    ck_assert_uint_ge(f.net.sends, calls + 10);
}
END_TEST

static const struct {
    const char *body, *detail;
} bad_replies[] = {
    {"{\"matches\":[", "reply at byte 12, key \"matches\": ended"},
    {"<html>", "reply at byte 0"},
    {"{\"matches\":7}", "reply at byte 11, key \"matches\": "},
    {"{}", "reply has no \"matches\""},
    {"{\"matches\":[{\"score\":1}]}", "a match lacks its \"id\""},
    {"{\"matches\":[{\"id\":\"a\"}]}", "a match lacks its \"score\""},
    {"{\"matches\":[{\"id\":\"a\",\"id\":\"b\",\"score\":1}]}", "key \"id\": "},
    {"{\"matches\":[{\"id\":\"a\",\"score\":\"1\"}]}", "key \"score\": "},
};

START_TEST(a_reply_that_cannot_be_read_says_where)
{
    query(&a);
    fake_reply(fake_conn(&f.net, 1), 200, bad_replies[_i].body);
    ck_assert_uint_eq(a.runs, 1);
    ck_assert_int_eq(a.code, VECWIRE_EDECODE);
    ck_assert_msg(strstr(a.detail, bad_replies[_i].detail) != NULL,
                  "\"%s\" lacks \"%s\"", a.detail, bad_replies[_i].detail);
    ck_assert_uint_eq(a.count, 0);
    query(&b);
    fake_reply(f.net.last_conn, 200, MATCHES_1);
    ck_assert_int_eq(b.code, VECWIRE_OK);
}
END_TEST

START_TEST(the_detail_of_a_text_of_many_lines_is_one)
{
    query(&a);
    fake_reply(fake_conn(&f.net, 1), 422,
               "{\"error\":{\"code\":\"c\",\"message\":\"one\\ntwo\\u007f\"}}");
    ck_assert_int_eq(a.code, VECWIRE_EHTTP);
    ck_assert_str_eq(a.detail, "one two ");
}
END_TEST

START_TEST(a_redirect_is_an_error_that_says_where_to)
{
    static const struct vecwire_header to = {"Location", "/other"};

    query(&a);
    fake_head(fake_conn(&f.net, 1), 302, &to, 1);
    fake_end(fake_conn(&f.net, 1), true);
    ck_assert_int_eq(a.code, VECWIRE_EHTTP);
    ck_assert_str_eq(a.detail, "HTTP 302, Location: /other");
}
END_TEST

START_TEST(an_html_error_page_is_an_http_error_without_server_text)
{
    query(&a);
    fake_reply(fake_conn(&f.net, 1), 404, "<html>not here</html>");
    ck_assert_int_eq(a.code, VECWIRE_EHTTP);
    ck_assert_str_eq(a.server_code, "");
    ck_assert_str_eq(a.detail, "HTTP 404");
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("engine, attempts");
    TCase *tc = tcase_create("attempts");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc,
                   a_reused_connection_lost_is_repeated_once_on_a_fresh_one);
    tcase_add_loop_test(
        tc, what_is_lost_before_a_byte_left_is_sent_again_at_once, 0, 6);
    tcase_add_test(tc, a_write_lost_on_a_reused_connection_is_never_repeated);
    tcase_add_test(tc,
                   a_write_lost_on_a_reused_connection_is_repeated_on_demand);
    tcase_add_test(tc,
                   a_repeated_write_that_times_out_keeps_its_unknown_outcome);
    tcase_add_test(tc, no_retry_switches_the_repeat_off);
    tcase_add_test(tc, nothing_is_repeated_after_a_reply_byte);
    tcase_add_test(tc, a_503_is_repeated_after_a_gap);
    tcase_add_test(tc, a_503_three_times_is_the_answer);
    tcase_add_test(tc, a_retry_after_past_the_deadline_fails_at_once);
    tcase_add_test(tc,
                   a_deadline_while_it_waits_for_the_next_attempt_names_that);
    tcase_add_test(tc, the_deadline_counts_on_behind_a_gap);
    tcase_add_test(tc, refused_rounds_are_repeated_after_gaps_and_then_fail);
    tcase_add_test(tc, calls_between_two_attempts_count_as_waiting);
    tcase_add_test(tc, the_budget_keeps_a_sick_server_from_being_hammered);
    tcase_add_loop_test(tc, a_reply_that_cannot_be_read_says_where, 0,
                        (int)(sizeof(bad_replies) / sizeof(bad_replies[0])));
    tcase_add_test(tc, the_detail_of_a_text_of_many_lines_is_one);
    tcase_add_test(tc, a_redirect_is_an_error_that_says_where_to);
    tcase_add_test(tc, an_html_error_page_is_an_http_error_without_server_text);
    suite_add_tcase(suite, tc);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
