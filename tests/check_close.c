/* SPDX-License-Identifier: Apache-2.0 */
/* vecwire_client_close(): when its callback runs, what it is told, and what
 * may be done from inside. */
#include <stdlib.h>

#include "tests/client_rig.h"

static const struct fault_step hung[] = {{FAULT_READ, NULL, 0},
                                         {FAULT_STALL, NULL, 0}};
static const struct fault_step answers[] = {
    {FAULT_READ, NULL, 0}, FAULT_OK("hello", "5"), {FAULT_AGAIN, NULL, 0}};
static const struct fault_step *const hung_scripts[] = {hung};
static const struct fault_step *const good_scripts[] = {answers};

/* What a close callback saw, and does. */
struct closing {
    struct client_rig *rig;
    const struct rig_outcome *call; /* NULL: there was none */
    vecwire_call_id id;
    void (*deed)(struct closing *closing);
    enum vecwire_err code;
    unsigned runs;
};

static void
on_closed(struct vecwire_client *client, enum vecwire_err code, void *arg)
{
    struct closing *closing = arg;

    ck_assert_ptr_eq(client, closing->rig->client);
    closing->runs++;
    closing->code = code;
    if (closing->call != NULL)
        ck_assert_uint_eq(closing->call->runs, 1);
    if (closing->deed != NULL)
        closing->deed(closing);
}

static void
run_until_closed(struct client_rig *rig, const struct closing *closing)
{
    for (int i = 0; i < 1000 && closing->runs == 0; i++)
        ck_assert_int_eq(vecwire_loop_step(rig->loop, NULL), VECWIRE_OK);
    ck_assert_uint_eq(closing->runs, 1);
}

/* --- what it is told --- */

static const struct ending {
    bool call; /* there is one */
    bool hangs;
    uint32_t timeout_ms;
    enum vecwire_err closed; /* what the close callback is told */
    enum vecwire_err call_code;
} endings[] = {
    {false, false, VECWIRE_NEVER, VECWIRE_OK, VECWIRE_OK},
    {false, false, 0, VECWIRE_OK, VECWIRE_OK},
    {true, false, VECWIRE_NEVER, VECWIRE_OK, VECWIRE_OK},
    {true, false, 20000, VECWIRE_OK, VECWIRE_OK},
    {true, true, 30, VECWIRE_ETIMEDOUT, VECWIRE_ECLOSED},
    {true, true, 0, VECWIRE_ETIMEDOUT, VECWIRE_ECLOSED},
};
#define N_ENDINGS ((int)(sizeof(endings) / sizeof(endings[0])))

START_TEST(a_close_tells_once_how_the_last_calls_ended)
{
    const struct ending *ending = &endings[_i];
    struct client_rig rig;
    struct rig_outcome outcome = {.reply = NULL};
    struct closing closing = {.rig = &rig};

    client_rig_init(&rig, ending->hangs ? hung_scripts : good_scripts, 1,
                    VECWIRE_OPTIONS(.url = NULL));
    if (ending->call) {
        client_rig_get(&rig, &outcome);
        closing.call = &outcome;
    }
    ck_assert_int_eq(vecwire_client_close(rig.client, ending->timeout_ms,
                                          on_closed, &closing),
                     VECWIRE_OK);
    ck_assert_uint_eq(closing.runs, 0);
    run_until_closed(&rig, &closing);
    ck_assert_int_eq(closing.code, ending->closed);
    if (ending->call)
        ck_assert_int_eq(rig_outcome_code(&outcome), ending->call_code);
    rig_outcome_fini(&outcome);
    client_rig_fini(&rig);
    ck_assert_uint_eq(closing.runs, 1);
}
END_TEST

START_TEST(a_client_freed_while_it_closes_tells_inside_the_free)
{
    struct client_rig rig;
    struct rig_outcome outcome;
    struct closing closing = {.rig = &rig, .call = &outcome};

    client_rig_init(&rig, hung_scripts, 1, VECWIRE_OPTIONS(.url = NULL));
    client_rig_get(&rig, &outcome);
    ck_assert_int_eq(
        vecwire_client_close(rig.client, VECWIRE_NEVER, on_closed, &closing),
        VECWIRE_OK);
    vecwire_client_free(rig.client);
    rig.client = NULL;
    ck_assert_uint_eq(closing.runs, 1);
    ck_assert_int_eq(closing.code, VECWIRE_ECLOSED);
    ck_assert_int_eq(rig_outcome_code(&outcome), VECWIRE_ECLOSED);
    rig_outcome_fini(&outcome);
    client_rig_fini(&rig);
}
END_TEST

/* --- from inside --- */

static void
cancel(struct closing *closing)
{
    ck_assert(!vecwire_cancel(closing->rig->client, closing->id));
}

static void
close_again(struct closing *closing)
{
    ck_assert_int_eq(
        vecwire_client_close(closing->rig->client, 0, on_closed, closing),
        VECWIRE_ECLOSED);
}

static void
query(struct closing *closing)
{
    static const float vector[] = {1};
    vecwire_call_id id = 1;

    ck_assert_int_eq(vecwire_query(closing->rig->client,
                                   &VECWIRE_QUERY(.vector = vector, .dim = 1),
                                   NULL, NULL, &id),
                     VECWIRE_ECLOSED);
    ck_assert_uint_eq(id, 0);
}

static void
look(struct closing *closing)
{
    const struct vecwire_stats *stats =
        vecwire_client_stats(closing->rig->client);

    ck_assert_uint_eq(stats->calls_completed, 1);
    ck_assert_uint_eq(stats->connections_open, 0);
}

static void
free_client(struct closing *closing)
{
    vecwire_client_free(closing->rig->client);
    closing->rig->client = NULL;
}

static void (*const deeds[])(struct closing *) = {cancel, close_again, query,
                                                  look, free_client};
#define N_DEEDS ((int)(sizeof(deeds) / sizeof(deeds[0])))

static void
count(const struct vecwire_reply *reply, void *arg)
{
    (void)reply;
    ++*(unsigned *)arg;
}

/* Once after an answer, once after a call that had to be ended. */
START_TEST(a_close_callback_may_call_every_function)
{
    bool hangs = _i >= N_DEEDS;
    struct client_rig rig;
    struct closing closing = {.rig = &rig, .deed = deeds[_i % N_DEEDS]};
    unsigned replies = 0;

    client_rig_init(&rig, hangs ? hung_scripts : good_scripts, 1,
                    VECWIRE_OPTIONS(.url = NULL));
    ck_assert_int_eq(vecwire_raw(rig.client, &VECWIRE_RAW(.path = "/"), count,
                                 &replies, &closing.id),
                     VECWIRE_OK);
    ck_assert_int_eq(vecwire_client_close(rig.client, hangs ? 30 : 20000,
                                          on_closed, &closing),
                     VECWIRE_OK);
    run_until_closed(&rig, &closing);
    ck_assert_uint_eq(replies, 1);
    ck_assert_int_eq(closing.code, hangs ? VECWIRE_ETIMEDOUT : VECWIRE_OK);
    client_rig_fini(&rig);
    ck_assert_uint_eq(closing.runs, 1);
    ck_assert_uint_eq(replies, 1);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("close");
    TCase *tc = tcase_create("close");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, a_close_tells_once_how_the_last_calls_ended, 0,
                        N_ENDINGS);
    tcase_add_test(tc, a_client_freed_while_it_closes_tells_inside_the_free);
    tcase_add_loop_test(tc, a_close_callback_may_call_every_function, 0,
                        2 * N_DEEDS);
    suite_add_tcase(suite, tc);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
