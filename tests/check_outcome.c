/* SPDX-License-Identifier: Apache-2.0 */
/* What a call that failed says of itself, and what it leaves. */
#include <stdlib.h>
#include <string.h>

#include "tests/client_rig.h"

static void
ask(const struct fault_step *script, struct rig_outcome *outcome, bool query)
{
    struct client_rig rig;

    client_rig_init(&rig, &script, 1, VECWIRE_OPTIONS(.attempts = 1));
    if (query)
        client_rig_query(&rig, outcome, NULL);
    else
        client_rig_get(&rig, outcome);
    client_rig_run(&rig);
    client_rig_fini(&rig);
}

#define ELSEWHERE "Location: http://else.example/x\r\nContent-Length: 0\r\n\r\n"

static const struct fault_step found[] = {
    {FAULT_READ, NULL, 0},
    {FAULT_SEND, "HTTP/1.1 302 Found\r\n" ELSEWHERE, 0},
    {FAULT_END, NULL, 0}};
static const struct fault_step nowhere[] = {
    {FAULT_READ, NULL, 0},
    {FAULT_SEND, "HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n", 0},
    {FAULT_END, NULL, 0}};
static const struct fault_step no_redirection[] = {
    {FAULT_READ, NULL, 0},
    {FAULT_SEND, "HTTP/1.1 400 Bad\r\n" ELSEWHERE, 0},
    {FAULT_END, NULL, 0}};

START_TEST(a_redirection_is_an_error_that_tells_its_location)
{
    struct rig_outcome outcome;
    const struct vecwire_error *error;

    ask(found, &outcome, _i == 0);
    ck_assert_int_eq(rig_outcome_code(&outcome), VECWIRE_EHTTP);
    error = vecwire_reply_error(outcome.reply);
    ck_assert_uint_eq(error->http_status, 302);
    ck_assert_str_eq(error->location, "http://else.example/x");
    ck_assert_str_eq(error->detail,
                     "HTTP 302, Location: http://else.example/x");
    rig_outcome_fini(&outcome);
}
END_TEST

START_TEST(without_a_redirection_or_its_header_there_is_no_location)
{
    struct rig_outcome outcome;

    ask(_i == 0 ? nowhere : no_redirection, &outcome, false);
    ck_assert_int_eq(rig_outcome_code(&outcome), VECWIRE_EHTTP);
    ck_assert_ptr_null(vecwire_reply_error(outcome.reply)->location);
    rig_outcome_fini(&outcome);
}
END_TEST

/* --- a server that quotes the request --- */

#define KEY "k-0123456789"
#define STARS "************"

static const struct fault_step quotes_text[] = {
    {FAULT_READ, NULL, 0},
    {FAULT_SEND,
     "HTTP/1.1 401 No\r\nContent-Length: 74\r\n\r\n{\"error\":{\"code\":\"c\","
     "\"message\":\"Bearer " KEY " is no " KEY "x\"}}",
     0},
    {FAULT_END, NULL, 0}};
static const struct fault_step quotes_location[] = {
    {FAULT_READ, NULL, 0},
    {FAULT_SEND,
     "HTTP/1.1 302 Found\r\nLocation: /?key=" KEY "\r\n"
     "Content-Length: 0\r\n\r\n",
     0},
    {FAULT_END, NULL, 0}};

static const struct {
    const struct fault_step *script;
    const char *key, *detail;
} quotes[] = {
    {quotes_text, KEY, "Bearer " STARS " is no " STARS "x"},
    {quotes_text, "k-01234", "Bearer " KEY " is no " KEY "x"},
    {quotes_text, NULL, "Bearer " KEY " is no " KEY "x"},
    {quotes_location, KEY, "HTTP 302, Location: /?key=" STARS},
};

START_TEST(a_key_that_the_server_quotes_is_hidden_in_the_detail)
{
    struct client_rig rig;
    struct rig_outcome outcome;

    client_rig_init(&rig, &quotes[_i].script, 1,
                    VECWIRE_OPTIONS(.attempts = 1, .api_key = quotes[_i].key));
    client_rig_query(&rig, &outcome, NULL);
    client_rig_run(&rig);
    ck_assert_int_eq(rig_outcome_code(&outcome), VECWIRE_EHTTP);
    ck_assert_str_eq(vecwire_reply_error(outcome.reply)->detail,
                     quotes[_i].detail);
    rig_outcome_fini(&outcome);
    client_rig_fini(&rig);
}
END_TEST

/* --- a head that is refused --- */

START_TEST(a_refused_head_has_told_the_outcome_all_the_same)
{
    static const struct fault_step script[] = {
        {FAULT_READ, NULL, 0},
        {FAULT_SEND, "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n", 0},
        {FAULT_STALL, NULL, 0}};
    static const struct fault_step *const scripts[] = {script};
    const struct vecwire_error *error;
    struct client_rig rig;
    struct rig_outcome outcome;

    client_rig_init(&rig, scripts, 1, VECWIRE_OPTIONS(.max_reply_bytes = 1000));
    client_rig_upsert(&rig, &outcome, NULL);
    client_rig_run(&rig);
    ck_assert_int_eq(rig_outcome_code(&outcome), VECWIRE_EREPLYSIZE);
    error = vecwire_reply_error(outcome.reply);
    ck_assert_uint_eq(error->http_status, 200);
    ck_assert(!error->outcome_unknown);
    rig_outcome_fini(&outcome);
    client_rig_fini(&rig);
}
END_TEST

/* --- the body of an error --- */

static const struct fault_step long_error[] = {
    {FAULT_READ, NULL, 0},
    {FAULT_SEND, "HTTP/1.1 500 Oh\r\nContent-Length: 100000\r\n\r\n", 0},
    {FAULT_FILL, NULL, 100000},
    {FAULT_END, NULL, 0}};

START_TEST(of_an_errors_body_64_kib_are_kept_and_of_a_raw_one_all)
{
    static const size_t lengths[] = {65536, 100000};
    struct rig_outcome outcome;
    const char *body;
    size_t len;

    ask(long_error, &outcome, _i == 0);
    ck_assert_int_eq(rig_outcome_code(&outcome), VECWIRE_EHTTP);
    body = vecwire_reply_body(outcome.reply, &len);
    ck_assert_uint_eq(len, lengths[_i]);
    ck_assert_uint_eq(strlen(body), lengths[_i]);
    ck_assert_uint_eq(strspn(body, "x"), lengths[_i]);
    rig_outcome_fini(&outcome);
}
END_TEST

/* --- counters --- */

static const struct fault_step hangs_up[] = {{FAULT_READ, NULL, 0},
                                             {FAULT_END, NULL, 0}};

START_TEST(rounds_that_fail_and_connections_that_are_lost_are_counted_apart)
{
    static const struct fault_step *const scripts[] = {hangs_up};
    const struct vecwire_stats *stats;
    struct client_rig rig;
    struct rig_outcome outcome;

    client_rig_init(&rig, scripts, 1, VECWIRE_OPTIONS(.attempts = 1));
    if (_i == 0)
        fault_server_stop_listening(rig.server);
    client_rig_get(&rig, &outcome);
    client_rig_run(&rig);
    stats = vecwire_client_stats(rig.client);
    ck_assert_uint_eq(stats->connections_failed, _i == 0 ? 1 : 0);
    ck_assert_uint_eq(stats->connections_opened, _i == 0 ? 0 : 1);
    ck_assert_uint_eq(stats->connections_lost, _i == 0 ? 0 : 1);
    ck_assert_int_eq(rig_outcome_code(&outcome),
                     _i == 0 ? VECWIRE_EREFUSED : VECWIRE_EIO);
    rig_outcome_fini(&outcome);
    client_rig_fini(&rig);
}
END_TEST

/* --- the way back into the queue --- */

static const struct fault_step answers_once[] = {{FAULT_READ, NULL, 0},
                                                 FAULT_OK("", "0"),
                                                 {FAULT_READ, NULL, 0},
                                                 {FAULT_END, NULL, 0}};
static const struct fault_step answers[] = {
    {FAULT_READ, NULL, 0}, FAULT_OK("", "0"), {FAULT_AGAIN, NULL, 0}};

static char order[8];
static size_t n_done;

static void
on_named(const struct vecwire_reply *reply, void *arg)
{
    ck_assert_ptr_null(vecwire_reply_error(reply));
    ck_assert_uint_lt(n_done, sizeof(order) - 1);
    order[n_done++] = *(const char *)arg;
}

/* On the one connection the answer to "a" is lost. */
START_TEST(a_call_sent_again_at_once_goes_before_those_that_wait)
{
    static const struct fault_step *const scripts[] = {answers_once, answers};
    static char names[] = "abcd";
    struct client_rig rig;
    struct rig_outcome warm_up;

    memset(order, 0, sizeof(order));
    n_done = 0;
    client_rig_init(&rig, scripts, 2, VECWIRE_OPTIONS(.connections = 1));
    client_rig_get(&rig, &warm_up);
    client_rig_run(&rig);
    for (size_t i = 0; i < 4; i++)
        ck_assert_int_eq(vecwire_raw(rig.client, &VECWIRE_RAW(.path = "/"),
                                     on_named, &names[i], NULL),
                         VECWIRE_OK);
    client_rig_run(&rig);
    ck_assert_uint_eq(n_done, 4);
    ck_assert_uint_eq(vecwire_client_stats(rig.client)->retries, 1);
    ck_assert_str_eq(order, "abcd");
    rig_outcome_fini(&warm_up);
    client_rig_fini(&rig);
}
END_TEST

static void
add_tests(TCase *tc)
{
    tcase_add_test(tc, a_refused_head_has_told_the_outcome_all_the_same);
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(
        tc, a_key_that_the_server_quotes_is_hidden_in_the_detail, 0, 4);
    tcase_add_loop_test(tc, a_redirection_is_an_error_that_tells_its_location,
                        0, 2);
    tcase_add_loop_test(
        tc, without_a_redirection_or_its_header_there_is_no_location, 0, 2);
    tcase_add_loop_test(
        tc, of_an_errors_body_64_kib_are_kept_and_of_a_raw_one_all, 0, 2);
    tcase_add_loop_test(
        tc, rounds_that_fail_and_connections_that_are_lost_are_counted_apart, 0,
        2);
    tcase_add_test(tc, a_call_sent_again_at_once_goes_before_those_that_wait);
}

int
main(void)
{
    return client_rig_main("outcome", add_tests);
}
