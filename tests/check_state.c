/* SPDX-License-Identifier: Apache-2.0 */
#include "call/state.h"

#include <check.h>
#include <stdlib.h>

/* The whole table again, written the other way round: a line an arrow. */
static const struct {
    enum vecwire__call_state from;
    enum vecwire__call_event event;
    enum vecwire__call_state to;
} arrows[] = {
    {VECWIRE__CALL_QUEUED, VECWIRE__CALL_EV_LEASE_COLD,
     VECWIRE__CALL_CONNECTING},
    {VECWIRE__CALL_QUEUED, VECWIRE__CALL_EV_LEASE_WARM, VECWIRE__CALL_SENDING},
    {VECWIRE__CALL_CONNECTING, VECWIRE__CALL_EV_UP, VECWIRE__CALL_SENDING},
    {VECWIRE__CALL_CONNECTING, VECWIRE__CALL_EV_FIRST_BYTE,
     VECWIRE__CALL_RECEIVING},
    {VECWIRE__CALL_SENDING, VECWIRE__CALL_EV_FIRST_BYTE,
     VECWIRE__CALL_RECEIVING},
    {VECWIRE__CALL_CONNECTING, VECWIRE__CALL_EV_RETRY,
     VECWIRE__CALL_RETRY_WAIT},
    {VECWIRE__CALL_SENDING, VECWIRE__CALL_EV_RETRY, VECWIRE__CALL_RETRY_WAIT},
    {VECWIRE__CALL_RECEIVING, VECWIRE__CALL_EV_RETRY, VECWIRE__CALL_RETRY_WAIT},
    {VECWIRE__CALL_RECEIVING, VECWIRE__CALL_EV_PAUSE, VECWIRE__CALL_PAUSED},
    {VECWIRE__CALL_PAUSED, VECWIRE__CALL_EV_RESUME, VECWIRE__CALL_RECEIVING},
    {VECWIRE__CALL_PAUSED, VECWIRE__CALL_EV_GIVE_UP, VECWIRE__CALL_DONE},
    {VECWIRE__CALL_RETRY_WAIT, VECWIRE__CALL_EV_TIMER, VECWIRE__CALL_QUEUED},
    {VECWIRE__CALL_RECEIVING, VECWIRE__CALL_EV_END, VECWIRE__CALL_DONE},
    {VECWIRE__CALL_QUEUED, VECWIRE__CALL_EV_GIVE_UP, VECWIRE__CALL_DONE},
    {VECWIRE__CALL_CONNECTING, VECWIRE__CALL_EV_GIVE_UP, VECWIRE__CALL_DONE},
    {VECWIRE__CALL_SENDING, VECWIRE__CALL_EV_GIVE_UP, VECWIRE__CALL_DONE},
    {VECWIRE__CALL_RECEIVING, VECWIRE__CALL_EV_GIVE_UP, VECWIRE__CALL_DONE},
    {VECWIRE__CALL_RETRY_WAIT, VECWIRE__CALL_EV_GIVE_UP, VECWIRE__CALL_DONE},
};

static int
expected(int from, int event)
{
    for (size_t i = 0; i < sizeof(arrows) / sizeof(arrows[0]); i++) {
        if ((int)arrows[i].from == from && (int)arrows[i].event == event)
            return (int)arrows[i].to;
    }
    return -1;
}

START_TEST(every_event_in_every_state_leads_where_the_drawing_says)
{
    int from = _i / VECWIRE__CALL_N_EVENTS;
    int event = _i % VECWIRE__CALL_N_EVENTS;

    ck_assert_int_eq(vecwire__call_next((enum vecwire__call_state)from,
                                        (enum vecwire__call_event)event),
                     expected(from, event));
}
END_TEST

START_TEST(done_is_final)
{
    ck_assert_int_eq(
        vecwire__call_next(VECWIRE__CALL_DONE, (enum vecwire__call_event)_i),
        -1);
}
END_TEST

START_TEST(giving_up_ends_a_call_in_every_other_state)
{
    ck_assert_int_eq(vecwire__call_next((enum vecwire__call_state)_i,
                                        VECWIRE__CALL_EV_GIVE_UP),
                     VECWIRE__CALL_DONE);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("state");
    TCase *tc = tcase_create("state");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_loop_test(
        tc, every_event_in_every_state_leads_where_the_drawing_says, 0,
        (int)VECWIRE__CALL_N_STATES * (int)VECWIRE__CALL_N_EVENTS);
    tcase_add_loop_test(tc, done_is_final, 0, VECWIRE__CALL_N_EVENTS);
    tcase_add_loop_test(tc, giving_up_ends_a_call_in_every_other_state, 0,
                        VECWIRE__CALL_DONE);
    suite_add_tcase(suite, tc);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
