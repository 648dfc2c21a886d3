/* SPDX-License-Identifier: Apache-2.0 */
/* What keeps a request from being sent again, or puts it off: switches,
 * attempts, Retry-After, the deadline, the budget; counted on the server. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/client_rig.h"
#include "tests/fault_steps.h"
#include "tests/retry_rig.h"

#define BUSY(header)                                                           \
    SEND("HTTP/1.1 503 Busy\r\n" header "Content-Length: 0\r\n\r\n")

static const struct fault_step busy[] = {READ, BUSY(""), AGAIN};
static const struct fault_step closing[] = {
    READ, SEND(RETRY_GOOD), READ, {FAULT_END, NULL, 0}};
static const struct fault_step good[] = {READ, SEND(RETRY_GOOD), AGAIN};

static struct time_rig rig;

static void
open_rig(const struct fault_step *first, const struct fault_step *next,
         struct vecwire_options options)
{
    static const struct fault_step *scripts[2];

    scripts[0] = first;
    scripts[1] = next;
    ck_assert(time_rig_init(&rig, TIME_RIG_SERVER, scripts, 2, options));
}

/* --- switches --- */

#define OPTIONS(...)                                                           \
    {                                                                          \
        .size = sizeof(struct vecwire_options), __VA_ARGS__                    \
    }
#define CALL(...)                                                              \
    {                                                                          \
        .size = sizeof(struct vecwire_call_options), __VA_ARGS__               \
    }

static const struct {
    struct vecwire_options options;
    struct vecwire_call_options call;
    size_t requests;
} switches[] = {
    {OPTIONS(.tenant = NULL), CALL(.tenant = NULL), 3},
    {OPTIONS(.attempts = 1), CALL(.tenant = NULL), 1},
    {OPTIONS(.attempts = 2), CALL(.tenant = NULL), 2},
    {OPTIONS(.attempts = 7), CALL(.tenant = NULL), 7},
    {OPTIONS(.no_retry = true), CALL(.tenant = NULL), 1},
    {OPTIONS(.tenant = NULL), CALL(.no_retry = true), 1},
};

#define N_SWITCHES ((int)(sizeof(switches) / sizeof(switches[0])))

START_TEST(a_read_arrives_as_often_as_client_and_call_allow)
{
    struct retry_call call;

    open_rig(busy, busy, switches[_i].options);
    retry_begin(&call, &rig, RETRY_QUERY, false, &switches[_i].call);
    retry_pass(&call, 100 + 200 + 400 + 800 + 1600 + 3200 + 6);
    ck_assert_uint_eq(call.runs, 1);
    ck_assert_int_eq(call.error.code, VECWIRE_EHTTP);
    ck_assert_uint_eq(call.requests, switches[_i].requests);
    ck_assert_uint_eq(call.attempts, switches[_i].requests);
    ck_assert(call.error.retryable);
    retry_end(&call);
    time_rig_fini(&rig);
}
END_TEST

/* Of those that are sent again at once, too: two, with the one that warms up.
 */
START_TEST(switched_off_a_lost_read_arrives_once)
{
    const struct vecwire_call_options off =
        VECWIRE_CALL_OPTIONS(.no_retry = true);
    struct retry_call call;

    open_rig(closing, good, VECWIRE_OPTIONS(.no_retry = _i == 0));
    retry_begin(&call, &rig, RETRY_QUERY, false, NULL);
    retry_pass(&call, 0);
    ck_assert_int_eq(call.error.code, VECWIRE_OK);
    retry_end(&call);
    retry_begin(&call, &rig, RETRY_QUERY, false, _i == 0 ? NULL : &off);
    retry_pass(&call, 1000);
    ck_assert_int_eq(call.error.code, VECWIRE_EIO);
    ck_assert_uint_eq(call.requests, 1);
    ck_assert(call.error.retryable);
    retry_end(&call);
    time_rig_fini(&rig);
}
END_TEST

START_TEST(what_waits_between_two_attempts_is_named_when_there_is_no_room)
{
    struct vecwire_refusal refusal;
    struct retry_call call;

    open_rig(busy, busy, VECWIRE_OPTIONS(.max_waiting = 1));
    retry_begin(&call, &rig, RETRY_QUERY, false, NULL);
    retry_pass(&call, 0);
    ck_assert_uint_eq(call.runs, 0);
    ck_assert_int_eq(vecwire_raw(rig.client,
                                 &VECWIRE_RAW(.path = "/", .refusal = &refusal),
                                 NULL, NULL, NULL),
                     VECWIRE_EFULL);
    ck_assert_int_eq(strncmp(refusal.text, "1 calls of ", 11), 0);
    ck_assert_int_gt(atoi(refusal.text + 11), 0);
    retry_pass(&call, 10000);
    retry_end(&call);
    time_rig_fini(&rig);
}
END_TEST

/* --- gaps --- */

static uint64_t
ms_until_request(struct retry_call *call, size_t n)
{
    uint64_t from = rig.clock.now_ns;

    for (retry_turn(call); call->requests < n; retry_pass(call, 1))
        ck_assert_uint_lt(rig.clock.now_ns - from, UINT64_C(10000000000));
    return (rig.clock.now_ns - from) / 1000000;
}

START_TEST(a_gap_is_drawn_anew_from_a_range_that_doubles)
{
    static const uint64_t most[] = {100, 200, 400, 800, 1600, 3200, 5000, 5000};
    uint64_t sum = 0;

    for (int i = 0; i < 3; i++) {
        struct retry_call call;

        open_rig(busy, busy, VECWIRE_OPTIONS(.attempts = 9));
        retry_begin(&call, &rig, RETRY_QUERY, false, NULL);
        (void)ms_until_request(&call, 1);
        for (size_t k = 0; k < 8; k++) {
            uint64_t ms = ms_until_request(&call, k + 2);

            ck_assert_uint_le(ms, most[k] + 2);
            sum += ms;
        }
        retry_end(&call);
        time_rig_fini(&rig);
    }
    /* Half of 3 times 16.3 s is 24 s; one in a million is under 8 s. */
    ck_assert_uint_ge(sum, 5000);
}
END_TEST

static const struct {
    const char *header;
    const struct fault_step script[5];
    uint64_t least, most; /* ms until it arrives again */
    int64_t told;         /* where it does not: retry_after_ms */
} waits[] = {
#define WAIT(header, ...)                                                      \
    {                                                                          \
        header, {READ, BUSY(header), READ, SEND(RETRY_GOOD), AGAIN},           \
            __VA_ARGS__                                                        \
    }
    WAIT("Retry-After: 0\r\n", 0, 0, 0),
    WAIT("Retry-After: 2\r\n", 2000, 2002, 0),
    WAIT("retry-after: 007\r\n", 7000, 7002, 0),
    WAIT("Retry-After: 59\r\n", 59000, 59002, 0),
    WAIT("Retry-After: 60\r\n", 60000, 60002, 0),
    WAIT("Retry-After: 61\r\n", 0, 0, 61000),
    WAIT("Retry-After: 99999999999999999999\r\n", 0, 0, INT64_MAX),
    /* no such thing, as if it were not there */
    WAIT("Retry-After: soon\r\n", 0, 102, 0),
    WAIT("Retry-After: -1\r\n", 0, 102, 0),
    WAIT("Retry-After: 1.5\r\n", 0, 102, 0),
    WAIT("Retry-After: \r\n", 0, 102, 0),
    WAIT("X-Retry-After: 2\r\n", 0, 102, 0),
    /* dates */
    WAIT("Retry-After: Sun, 06 Nov 1994 08:49:37 GMT\r\n", 0, 0, 0),
};

#define N_WAITS ((int)(sizeof(waits) / sizeof(waits[0])))

START_TEST(retry_after_says_when_it_arrives_again)
{
    struct retry_call call;
    uint64_t ms;

    open_rig(waits[_i].script, good, VECWIRE_OPTIONS(.deadline_ms = 100000));
    retry_begin(&call, &rig, RETRY_QUERY, false, NULL);
    if (waits[_i].told != 0) {
        retry_pass(&call, 0);
        ck_assert_int_eq(call.error.code, VECWIRE_EHTTP);
        ck_assert_int_eq(call.error.retry_after_ms, waits[_i].told);
        ck_assert_uint_eq(call.requests, 1);
    } else {
        retry_turn(&call);
        if (waits[_i].least > 0)
            time_rig_oversleep(&rig, waits[_i].least - 1);
        retry_turn(&call);
        ck_assert(call.requests == 1 || waits[_i].least == 0);
        ms = ms_until_request(&call, 2);
        ck_assert_msg(ms + waits[_i].least <= waits[_i].most, "%s: %llu ms",
                      waits[_i].header, (unsigned long long)ms);
        retry_pass(&call, 1);
        ck_assert_int_eq(call.error.code, VECWIRE_OK);
    }
    retry_end(&call);
    time_rig_fini(&rig);
}
END_TEST

/* --- the deadline --- */

START_TEST(a_gap_that_would_reach_the_deadline_is_not_waited_for)
{
    static const struct fault_step later[] = {READ, BUSY("Retry-After: 12\r\n"),
                                              AGAIN};
    struct retry_call call;

    open_rig(later, later,
             VECWIRE_OPTIONS(.attempts = 9, .deadline_ms = 30000));
    retry_begin(&call, &rig, RETRY_QUERY, false, NULL);
    retry_pass(&call, 24001);
    /* At 0, 12 and 24 s; the next one would be at 36 s. */
    ck_assert_uint_eq(call.runs, 1);
    ck_assert_uint_eq(call.requests, 3);
    ck_assert_int_eq(call.error.code, VECWIRE_EHTTP);
    ck_assert_uint_eq(call.error.http_status, 503);
    ck_assert_int_eq(call.error.retry_after_ms, 12000);
    ck_assert(call.error.retryable);
    retry_end(&call);
    time_rig_fini(&rig);
}
END_TEST

/* --- an unknown outcome --- */

/* What the first attempt may have done stays unknown, whatever the second
 * one comes to. */
START_TEST(a_repeated_write_that_fails_keeps_its_unknown_outcome)
{
    struct retry_call call;

    open_rig(closing, busy,
             VECWIRE_OPTIONS(.attempts = 2, .repeat_writes = true));
    retry_begin(&call, &rig, RETRY_UPSERT, false, NULL);
    retry_pass(&call, 0);
    retry_end(&call);
    retry_begin(&call, &rig, RETRY_UPSERT, false, NULL);
    retry_pass(&call, 1000);
    ck_assert_uint_eq(call.requests, 2);
    ck_assert_int_eq(call.error.code, VECWIRE_EHTTP);
    ck_assert(call.error.outcome_unknown);
    retry_end(&call);
    time_rig_fini(&rig);
}
END_TEST

/* --- the budget --- */

static unsigned done, begun;

static void
on_reply(const struct vecwire_reply *reply, void *arg)
{
    (void)arg;
    ck_assert_ptr_nonnull(vecwire_reply_error(reply));
    done++;
}

static void
ask(void)
{
    static const float vector[3] = {1, 2, 3};

    ck_assert_int_eq(vecwire_query(rig.client,
                                   &VECWIRE_QUERY(.vector = vector, .dim = 3),
                                   on_reply, NULL, NULL),
                     VECWIRE_OK);
    begun++;
}

START_TEST(a_sick_server_sees_ten_requests_and_a_tenth_more)
{
    static const struct fault_step sick[] = {READ, BUSY("Retry-After: 0\r\n"),
                                             AGAIN};

    done = begun = 0;
    open_rig(_i == 0 ? busy : sick, _i == 0 ? busy : sick,
             VECWIRE_OPTIONS(.connections = 8));
    while (done < 1000) {
        while (begun < 1000 && begun - done < 16)
            ask();
        time_rig_turn(&rig);
        time_rig_oversleep(&rig, 10);
    }
    ck_assert_uint_le(fault_server_requests(rig.server), 1000 + 100 + 10);
    /* Nor does it see much less than it is good for. */
    ck_assert_uint_ge(fault_server_requests(rig.server), 1000 + 100);
    time_rig_fini(&rig);
}
END_TEST

static void
add_tests(TCase *tc)
{
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, a_read_arrives_as_often_as_client_and_call_allow, 0,
                        N_SWITCHES);
    tcase_add_loop_test(tc, switched_off_a_lost_read_arrives_once, 0, 2);
    tcase_add_test(
        tc, what_waits_between_two_attempts_is_named_when_there_is_no_room);
    tcase_add_test(tc, a_gap_is_drawn_anew_from_a_range_that_doubles);
    tcase_add_loop_test(tc, retry_after_says_when_it_arrives_again, 0, N_WAITS);
    tcase_add_test(tc, a_gap_that_would_reach_the_deadline_is_not_waited_for);
    tcase_add_test(tc, a_repeated_write_that_fails_keeps_its_unknown_outcome);
    tcase_add_loop_test(tc, a_sick_server_sees_ten_requests_and_a_tenth_more, 0,
                        2);
}

int
main(void)
{
    return client_rig_main("retry limits", add_tests);
}
