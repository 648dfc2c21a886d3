/* SPDX-License-Identifier: Apache-2.0 */
/* A setting of a call stands in place of the client's, and counts from there
 * when the call has none. */
#include <stdlib.h>

#include "tests/client_rig.h"

#define OPTIONS(...)                                                           \
    {                                                                          \
        .size = sizeof(struct vecwire_options), __VA_ARGS__                    \
    }
#define CALL(...)                                                              \
    {                                                                          \
        .size = sizeof(struct vecwire_call_options), __VA_ARGS__               \
    }

struct setting {
    struct vecwire_options options;
    struct vecwire_call_options call;
    enum vecwire_err code;
    uint32_t attempts;
};

static void
check_ended(const struct rig_outcome *outcome, const struct setting *setting)
{
    ck_assert_int_eq(rig_outcome_code(outcome), setting->code);
    ck_assert_uint_eq(vecwire_reply_attempts(outcome->reply),
                      setting->attempts);
}

/* --- deadline_ms --- */

static const struct fault_step hung[] = {{FAULT_READ, NULL, 0},
                                         {FAULT_STALL, NULL, 0}};

static const struct setting short_deadlines[] = {
    {OPTIONS(.deadline_ms = 30), CALL(.tenant = NULL), VECWIRE_ETIMEDOUT, 1},
    {OPTIONS(.tenant = NULL), CALL(.deadline_ms = 30), VECWIRE_ETIMEDOUT, 1},
    {OPTIONS(.deadline_ms = VECWIRE_NEVER), CALL(.deadline_ms = 30),
     VECWIRE_ETIMEDOUT, 1},
};

static void
query_and_check(const struct fault_step *script, const struct setting *setting)
{
    const struct fault_step *const scripts[] = {script};
    struct client_rig rig;
    struct rig_outcome outcome;

    client_rig_init(&rig, scripts, 1, setting->options);
    client_rig_query(&rig, &outcome, &setting->call);
    client_rig_run(&rig);
    check_ended(&outcome, setting);
    rig_outcome_fini(&outcome);
    client_rig_fini(&rig);
}

START_TEST(a_hung_call_ends_at_the_deadline_of_its_own_or_the_clients)
{
    query_and_check(hung, &short_deadlines[_i]);
}
END_TEST

static const struct fault_step gated[] = {{FAULT_READ, NULL, 0},
                                          {FAULT_GATE, NULL, 0},
                                          FAULT_OK("{\"matches\":[]}", "14"),
                                          {FAULT_AGAIN, NULL, 0}};

static void
open_gate(evutil_socket_t fd, short what, void *arg)
{
    (void)fd;
    (void)what;
    fault_server_open_gate(arg);
}

static const struct setting long_deadlines[] = {
    {OPTIONS(.deadline_ms = 30), CALL(.deadline_ms = VECWIRE_NEVER), VECWIRE_OK,
     1},
    {OPTIONS(.deadline_ms = 30), CALL(.deadline_ms = 20000), VECWIRE_OK, 1},
};

START_TEST(a_call_may_have_more_time_than_its_client_gives)
{
    static const struct fault_step *const scripts[] = {gated};
    const struct timeval later = {0, 150000};
    const struct setting *setting = &long_deadlines[_i];
    struct client_rig rig;
    struct rig_outcome outcome;
    struct event *timer;

    client_rig_init(&rig, scripts, 1, setting->options);
    timer = event_new(rig.base, -1, 0, open_gate, rig.server);
    event_add(timer, &later);
    client_rig_query(&rig, &outcome, &setting->call);
    client_rig_run(&rig);
    check_ended(&outcome, setting);
    rig_outcome_fini(&outcome);
    event_free(timer);
    client_rig_fini(&rig);
}
END_TEST

/* --- repeat_writes, no_retry --- */

#define ACCEPTED                                                               \
    {                                                                          \
        FAULT_SEND,                                                            \
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"            \
            "Content-Length: 11\r\n\r\n{\"added\":1}",                         \
            0                                                                  \
    }

/* The second request of a connection is read and not answered. */
static const struct fault_step answers_once[] = {{FAULT_READ, NULL, 0},
                                                 ACCEPTED,
                                                 {FAULT_READ, NULL, 0},
                                                 {FAULT_END, NULL, 0}};
static const struct fault_step answers[] = {
    {FAULT_READ, NULL, 0}, ACCEPTED, {FAULT_AGAIN, NULL, 0}};

static const struct setting lost_writes[] = {
    {OPTIONS(.tenant = NULL), CALL(.tenant = NULL), VECWIRE_EUNKNOWN, 1},
    {OPTIONS(.repeat_writes = true), CALL(.tenant = NULL), VECWIRE_OK, 2},
    {OPTIONS(.tenant = NULL), CALL(.repeat_writes = true), VECWIRE_OK, 2},
    {OPTIONS(.repeat_writes = true), CALL(.no_retry = true), VECWIRE_EUNKNOWN,
     1},
    {OPTIONS(.no_retry = true), CALL(.repeat_writes = true), VECWIRE_EUNKNOWN,
     1},
};

START_TEST(a_lost_write_is_sent_again_where_call_or_client_allow_it)
{
    static const struct fault_step *const scripts[] = {answers_once, answers};
    const struct setting *setting = &lost_writes[_i];
    struct client_rig rig;
    struct rig_outcome warm_up, outcome;

    client_rig_init(&rig, scripts, 2, setting->options);
    client_rig_upsert(&rig, &warm_up, NULL);
    client_rig_run(&rig);
    ck_assert_int_eq(rig_outcome_code(&warm_up), VECWIRE_OK);
    client_rig_upsert(&rig, &outcome, &setting->call);
    client_rig_run(&rig);
    check_ended(&outcome, setting);
    rig_outcome_fini(&warm_up);
    rig_outcome_fini(&outcome);
    client_rig_fini(&rig);
}
END_TEST

static const struct fault_step busy[] = {
    {FAULT_READ, NULL, 0},
    {FAULT_SEND,
     "HTTP/1.1 503 Busy\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n", 0},
    {FAULT_AGAIN, NULL, 0}};

static const struct setting refused_reads[] = {
    {OPTIONS(.tenant = NULL), CALL(.tenant = NULL), VECWIRE_EHTTP, 3},
    {OPTIONS(.no_retry = true), CALL(.tenant = NULL), VECWIRE_EHTTP, 1},
    {OPTIONS(.tenant = NULL), CALL(.no_retry = true), VECWIRE_EHTTP, 1},
};

START_TEST(a_read_is_not_sent_again_where_call_or_client_forbid_it)
{
    query_and_check(busy, &refused_reads[_i]);
}
END_TEST

static void
add_tests(TCase *tc)
{
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(
        tc, a_hung_call_ends_at_the_deadline_of_its_own_or_the_clients, 0, 3);
    tcase_add_loop_test(tc, a_call_may_have_more_time_than_its_client_gives, 0,
                        2);
    tcase_add_loop_test(
        tc, a_lost_write_is_sent_again_where_call_or_client_allow_it, 0, 5);
    tcase_add_loop_test(
        tc, a_read_is_not_sent_again_where_call_or_client_forbid_it, 0, 3);
}

int
main(void)
{
    return client_rig_main("call settings", add_tests);
}
