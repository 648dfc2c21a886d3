/* SPDX-License-Identifier: Apache-2.0 */
/* Each option of a client does what it says: the same answer once with the
 * option set and once without it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/client_rig.h"
#include "tests/name_server.h"

/* --- limits on a reply --- */

#define DEEP_9                                                                 \
    "{\"matches\":[{\"id\":\"a\",\"score\":1,\"metadata\":"                    \
    "{\"a\":{\"b\":{\"c\":{\"d\":{\"e\":{}}}}}}}]}"

static const struct fault_step deep[] = {
    {FAULT_READ, NULL, 0},
    {FAULT_SEND,
     "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
     "Connection: close\r\n\r\n" DEEP_9,
     0},
    {FAULT_END, NULL, 0}};

static const struct fault_step six_headers[] = {
    {FAULT_READ, NULL, 0},
    {FAULT_SEND,
     "HTTP/1.1 200 OK\r\nA: 1\r\nB: 2\r\nC: 3\r\nD: 4\r\nE: 5\r\n"
     "Content-Length: 0\r\n\r\n",
     0},
    {FAULT_AGAIN, NULL, 0}};

static const struct fault_step long_header[] = {
    {FAULT_READ, NULL, 0},
    {FAULT_SEND, "HTTP/1.1 200 OK\r\nA: ", 0},
    {FAULT_FILL, NULL, 6000},
    {FAULT_SEND, "\r\nContent-Length: 0\r\n\r\n", 0},
    {FAULT_AGAIN, NULL, 0}};

static const struct fault_step hello[] = {
    {FAULT_READ, NULL, 0}, FAULT_OK("hello", "5"), {FAULT_AGAIN, NULL, 0}};

struct limit {
    const char *name;
    const struct fault_step *script;
    struct vecwire_options options;
    enum vecwire_err code;
    bool query; /* else raw */
};

static const struct limit limits[] = {
    {"json_depth",
     deep,
     {.size = sizeof(struct vecwire_options), .json_depth = 5},
     VECWIRE_EDECODE,
     true},
    {"max_header_bytes",
     long_header,
     {.size = sizeof(struct vecwire_options), .max_header_bytes = 1000},
     VECWIRE_EPROTO,
     false},
    {"max_header_lines",
     six_headers,
     {.size = sizeof(struct vecwire_options), .max_header_lines = 5},
     VECWIRE_EPROTO,
     false},
    {"max_reply_bytes",
     hello,
     {.size = sizeof(struct vecwire_options), .max_reply_bytes = 4},
     VECWIRE_EREPLYSIZE,
     false},
};
#define N_LIMITS ((int)(sizeof(limits) / sizeof(limits[0])))

static void
check_limit(const struct limit *limit, struct vecwire_options options,
            enum vecwire_err code)
{
    struct client_rig rig;
    struct rig_outcome outcome;

    client_rig_init(&rig, &limit->script, 1, options);
    if (limit->query)
        client_rig_query(&rig, &outcome, NULL);
    else
        client_rig_get(&rig, &outcome);
    client_rig_run(&rig);
    ck_assert_msg(rig_outcome_code(&outcome) == code, "%s: %s, expected %s",
                  limit->name, vecwire_strerror(rig_outcome_code(&outcome)),
                  vecwire_strerror(code));
    rig_outcome_fini(&outcome);
    client_rig_fini(&rig);
}

START_TEST(a_limit_of_the_client_refuses_a_reply_that_the_default_takes)
{
    check_limit(&limits[_i], limits[_i].options, limits[_i].code);
    check_limit(&limits[_i], VECWIRE_OPTIONS(.url = NULL), VECWIRE_OK);
}
END_TEST

START_TEST(the_json_depth_holds_for_filters_too)
{
    static const struct fault_step *const scripts[] = {hello};
    static const float vector[] = {1};
    static const uint32_t depths[] = {6, 7};
    struct client_rig rig;

    client_rig_init(&rig, scripts, 1,
                    VECWIRE_OPTIONS(.json_depth = depths[_i]));
    ck_assert_int_eq(
        vecwire_query(rig.client,
                      &VECWIRE_QUERY(.vector = vector, .dim = 1,
                                     .filter = "{\"a\":[[[[[[]]]]]]}"),
                      NULL, NULL, NULL),
        _i == 0 ? VECWIRE_EINVAL : VECWIRE_OK);
    client_rig_fini(&rig);
}
END_TEST

/* --- turns and times --- */

static const struct fault_step long_reply[] = {
    {FAULT_READ, NULL, 0},
    {FAULT_SEND, "HTTP/1.1 200 OK\r\nContent-Length: 262144\r\n\r\n", 0},
    {FAULT_FILL, NULL, 262144},
    {FAULT_AGAIN, NULL, 0}};

/* 262144 bytes are 64 turns of 4096; by default they are one turn, and a few
 * more where the server's socket was full. */
START_TEST(a_small_turn_takes_many_passes_for_a_long_reply)
{
    static const struct fault_step *const scripts[] = {long_reply};
    static const uint32_t turns[] = {4096, 0};
    struct client_rig rig;
    struct rig_outcome outcome;
    uint32_t wakeups;

    client_rig_init(&rig, scripts, 1,
                    VECWIRE_OPTIONS(.read_per_turn = turns[_i]));
    client_rig_get(&rig, &outcome);
    client_rig_run(&rig);
    ck_assert_int_eq(rig_outcome_code(&outcome), VECWIRE_OK);
    wakeups = vecwire_reply_wakeups(outcome.reply);
    if (_i == 0)
        ck_assert_uint_ge(wakeups, 64);
    else
        ck_assert_uint_lt(wakeups, 64);
    rig_outcome_fini(&outcome);
    client_rig_fini(&rig);
}
END_TEST

static void
on_time_up(evutil_socket_t fd, short what, void *arg)
{
    bool *up = arg;

    (void)fd;
    (void)what;
    *up = true;
}

/* For `ms`, or until no connection is idle. True: none is. */
static bool
wait_while_idle(struct client_rig *rig, long ms)
{
    const struct timeval wait = {ms / 1000, ms % 1000 * 1000};
    bool up = false;
    struct event *timer = event_new(rig->base, -1, 0, on_time_up, &up);

    event_add(timer, &wait);
    while (!up && vecwire_client_stats(rig->client)->connections_idle > 0)
        event_base_loop(rig->base, EVLOOP_ONCE);
    event_free(timer);
    return vecwire_client_stats(rig->client)->connections_idle == 0;
}

START_TEST(an_unused_connection_is_kept_for_idle_ms)
{
    static const struct fault_step *const scripts[] = {hello};
    static const uint32_t idle_ms[] = {20, VECWIRE_NEVER, 0};
    struct client_rig rig;
    struct rig_outcome outcome;

    client_rig_init(&rig, scripts, 1, VECWIRE_OPTIONS(.idle_ms = idle_ms[_i]));
    client_rig_get(&rig, &outcome);
    client_rig_run(&rig);
    ck_assert_uint_eq(vecwire_client_stats(rig.client)->connections_idle, 1);
    ck_assert(wait_while_idle(&rig, _i == 0 ? 2000 : 100) == (_i == 0));
    rig_outcome_fini(&outcome);
    client_rig_fini(&rig);
}
END_TEST

/* --- attempts --- */

static const struct fault_step busy[] = {
    {FAULT_READ, NULL, 0},
    {FAULT_SEND,
     "HTTP/1.1 503 Busy\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n", 0},
    {FAULT_AGAIN, NULL, 0}};

START_TEST(a_call_is_sent_as_often_as_attempts_says_and_the_error_tells)
{
    static const struct fault_step *const scripts[] = {busy};
    static const uint32_t attempts[] = {1, 2, 5, 0};
    uint32_t expected = _i == 3 ? 3 : attempts[_i];
    struct client_rig rig;
    struct rig_outcome outcome;

    client_rig_init(&rig, scripts, 1,
                    VECWIRE_OPTIONS(.attempts = attempts[_i]));
    client_rig_get(&rig, &outcome);
    client_rig_run(&rig);
    ck_assert_int_eq(rig_outcome_code(&outcome), VECWIRE_EHTTP);
    ck_assert_uint_eq(fault_server_requests(rig.server), expected);
    ck_assert_uint_eq(vecwire_reply_attempts(outcome.reply), expected);
    ck_assert_uint_eq(vecwire_reply_error(outcome.reply)->attempts, expected);
    rig_outcome_fini(&outcome);
    client_rig_fini(&rig);
}
END_TEST

/* --- names --- */

/* The option itself names the file, and the look-up takes connect_ms. Either
 * by its default would end in the deadline, or never ask here. */
START_TEST(names_are_asked_of_resolv_conf_and_for_connect_ms_at_most)
{
    static const struct fault_step *const scripts[] = {hello};
    static const struct name_rule silent = {.a = {.fault = NAME_SILENT},
                                            .aaaa = {.fault = NAME_SILENT}};
    struct event_base *base = vecwire_event_base_new();
    struct name_server *names = name_server_new(base, "127.0.0.1", &silent, 1);
    struct client_rig rig;
    struct rig_outcome outcome;
    const struct vecwire_error *error;

    client_rig_init_on(&rig, base, scripts, 1,
                       VECWIRE_OPTIONS(.url = "http://db.example:1",
                                       .resolv_conf = name_server_conf(names),
                                       .connect_ms = 50, .attempts = 1,
                                       .deadline_ms = 2000));
    client_rig_get(&rig, &outcome);
    client_rig_run(&rig);
    error = vecwire_reply_error(outcome.reply);
    ck_assert_ptr_nonnull(error);
    ck_assert_uint_gt(name_server_queries(names), 0);
    ck_assert_int_eq(error->code, VECWIRE_ETIMEDOUT);
    ck_assert_str_eq(error->detail,
                     "db.example: no name server answered in time");
    rig_outcome_fini(&outcome);
    name_server_free(names);
    client_rig_fini(&rig);
}
END_TEST

static void
add_tests(TCase *tc)
{
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(
        tc, a_limit_of_the_client_refuses_a_reply_that_the_default_takes, 0,
        N_LIMITS);
    tcase_add_loop_test(tc, the_json_depth_holds_for_filters_too, 0, 2);
    tcase_add_loop_test(tc, a_small_turn_takes_many_passes_for_a_long_reply, 0,
                        2);
    tcase_add_loop_test(tc, an_unused_connection_is_kept_for_idle_ms, 0, 3);
    tcase_add_loop_test(
        tc, a_call_is_sent_as_often_as_attempts_says_and_the_error_tells, 0, 4);
    tcase_add_test(tc,
                   names_are_asked_of_resolv_conf_and_for_connect_ms_at_most);
}

int
main(void)
{
    return client_rig_main("settings", add_tests);
}
