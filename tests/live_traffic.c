/* SPDX-License-Identifier: Apache-2.0 */
/* Many calls: what each costs, connections kept, calls side by side. */
#include "tests/live_rig.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IN_FLIGHT 64

/* One call of the library, by number. */
static const struct vecwire_reply *
any_call(unsigned number, const float *vector)
{
    static const char *const id = "b";

    switch (number % 3) {
    case 0:
        return live_query(vector, 3, NULL);
    case 1:
        return live_upsert(
            VECWIRE_UPSERT(.matrix = vector, .rows = 1, .ids = &id));
    default:
        return live_delete(id);
    }
}

START_TEST(a_call_on_a_warm_connection_costs_one_loop_iteration)
{
    float *vector = live_axis(0);

    live_tenant("warm");
    live_put("a", vector, "text", "{\"n\":1}");
    for (unsigned i = 0; i < 300; i++) {
        uint64_t before = vecwire_loop_iterations(live.loop);
        const struct vecwire_reply *reply = any_call(i, vector);

        live_fine(reply);
        ck_assert_uint_eq(vecwire_reply_wakeups(reply), 1);
        ck_assert_uint_eq(vecwire_loop_iterations(live.loop) - before, 1);
        vecwire_reply_release(reply);
    }
    free(vector);
}
END_TEST

START_TEST(a_thousand_calls_need_one_connection)
{
    float *vector = live_axis(0);

    live_tenant("kept");
    for (unsigned i = 0; i < 1000; i++) {
        const struct vecwire_reply *reply = any_call(i, vector);

        live_fine(reply);
        vecwire_reply_release(reply);
    }
    ck_assert_uint_eq(vecwire_client_stats(live.client)->connections_opened, 1);
    ck_assert_uint_eq(vecwire_client_stats(live.client)->retries, 0);
    free(vector);
}
END_TEST

/* Refusals do not cost the connection either. */
START_TEST(a_refusal_keeps_the_connection)
{
    live_tenant("refusal");
    for (unsigned i = 0; i < 20; i++)
        live_refused(live_post("/api/v1/query", "{", 1), 400, "invalid_json");
    ck_assert_uint_eq(vecwire_client_stats(live.client)->connections_opened, 1);
}
END_TEST

static void
name_of(unsigned number, char id[8])
{
    snprintf(id, 8, "%02u", number);
}

/* Start all at once; each row has a vector of its own. */
static void
upsert_together(float **vectors)
{
    const struct vecwire_reply *replies[IN_FLIGHT] = {NULL};

    for (unsigned i = 0; i < IN_FLIGHT; i++) {
        char id[8];
        const char *const ids[] = {id};

        name_of(i, id);
        vectors[i] = live_random(500 + i);
        ck_assert_int_eq(
            vecwire_upsert(live.client,
                           &VECWIRE_UPSERT(.matrix = vectors[i], .rows = 1,
                                           .dim = live.dim, .ids = ids),
                           live_keep, &replies[i], NULL),
            VECWIRE_OK);
    }
    live_drain();
    for (unsigned i = 0; i < IN_FLIGHT; i++) {
        live_fine(replies[i]);
        ck_assert_uint_eq(vecwire_reply_affected(replies[i]), 1);
        vecwire_reply_release(replies[i]);
    }
}

static void
query_together(float **vectors)
{
    const struct vecwire_reply *replies[IN_FLIGHT] = {NULL};

    for (unsigned i = 0; i < IN_FLIGHT; i++)
        ck_assert_int_eq(
            vecwire_query(live.client,
                          &VECWIRE_QUERY(.vector = vectors[i], .dim = live.dim,
                                         .top_k = 1),
                          live_keep, &replies[i], NULL),
            VECWIRE_OK);
    live_drain();
    for (unsigned i = 0; i < IN_FLIGHT; i++) {
        const struct vecwire_row *row;
        char id[8];

        name_of(i, id);
        live_fine(replies[i]);
        ck_assert_uint_eq(vecwire_reply_count(replies[i]), 1);
        row = vecwire_reply_row(replies[i], 0);
        ck_assert_str_eq(row->id.text, id);
        ck_assert(fabsf(row->score - 1) < 1e-5F);
        vecwire_reply_release(replies[i]);
    }
}

START_TEST(each_of_64_calls_in_flight_gets_its_own_answer)
{
    static const uint32_t connections[] = {1, LIVE_CONNECTIONS};
    float *vectors[IN_FLIGHT];

    live_connect(
        VECWIRE_OPTIONS(.tenant = "flight", .connections = connections[_i]));
    upsert_together(vectors);
    query_together(vectors);
    ck_assert_uint_le(vecwire_client_stats(live.client)->connections_opened,
                      connections[_i]);
    for (unsigned i = 0; i < IN_FLIGHT; i++)
        free(vectors[i]);
}
END_TEST

/* More than hms-server works on at a time: it says 503 to the rest, and to a
 * call that may be repeated "later". */
START_TEST(queries_on_64_connections_are_answered_or_put_off)
{
    float *vector = live_axis(0);
    const struct vecwire_reply *replies[IN_FLIGHT] = {NULL};

    live_connect(VECWIRE_OPTIONS(.tenant = "busy", .connections = IN_FLIGHT,
                                 .no_retry = true));
    live_put("a", vector, NULL, NULL);
    for (unsigned i = 0; i < IN_FLIGHT; i++)
        ck_assert_int_eq(
            vecwire_query(live.client,
                          &VECWIRE_QUERY(.vector = vector, .dim = live.dim),
                          live_keep, &replies[i], NULL),
            VECWIRE_OK);
    live_drain();
    for (unsigned i = 0; i < IN_FLIGHT; i++) {
        const struct vecwire_error *error = vecwire_reply_error(replies[i]);

        if (error == NULL) {
            ck_assert_uint_eq(vecwire_reply_count(replies[i]), 1);
            vecwire_reply_release(replies[i]);
        } else {
            ck_assert(error->retryable);
            ck_assert_ptr_nonnull(
                vecwire_reply_header(replies[i], "Retry-After"));
            live_refused(replies[i], 503, "server_busy");
        }
    }
    free(vector);
}
END_TEST

TCase *
live_traffic_case(void)
{
    TCase *tcase = tcase_create("traffic");

    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, live_begin, live_end);
    tcase_add_test(tcase, a_call_on_a_warm_connection_costs_one_loop_iteration);
    tcase_add_test(tcase, a_thousand_calls_need_one_connection);
    tcase_add_test(tcase, a_refusal_keeps_the_connection);
    tcase_add_loop_test(tcase, each_of_64_calls_in_flight_gets_its_own_answer,
                        0, 2);
    tcase_add_test(tcase, queries_on_64_connections_are_answered_or_put_off);
    return tcase;
}
