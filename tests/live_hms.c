/* SPDX-License-Identifier: Apache-2.0 */
/* One suite for every HMS server: our own and the real one must both pass it.
 * See tests/live_rig.h for its environment.
 *   live_hms        all that a server with no rows and no restart can show
 *   live_hms CASE   one case: rows, texts, refusals, traffic; or one of those
 *                   that need a server of their own: tenants (fresh), key (has
 *                   a key), stored and then (after a restart) restarted */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/live_rig.h"

START_TEST(the_65th_tenant_is_503_until_others_are_closed)
{
    float *vector = live_axis(0);

    for (int i = 0; i < 64; i++) {
        const struct vecwire_reply *reply;
        char tenant[16];

        snprintf(tenant, sizeof(tenant), "t%d", i);
        live_tenant(tenant);
        reply = live_query(vector, 1, NULL);
        live_fine(reply);
        vecwire_reply_release(reply);
    }
    live_connect(VECWIRE_OPTIONS(.tenant = "t64", .no_retry = true));
    live_refused(live_query(vector, 1, NULL), 503, "tenant_limit");
    live_refused(live_delete("a"), 503, "tenant_limit");
    live_tenant("t63");
    live_put("a", vector, NULL, NULL);
    free(vector);
}
END_TEST

/* Every verb, and a path that does not exist. */
static void
check_unauthorized(void)
{
    static const char *const id = "a";
    float *vector = live_axis(0);
    const struct vecwire_reply *reply = live_query(vector, 1, NULL);

    ck_assert_str_eq(vecwire_reply_header(reply, "WWW-Authenticate"), "Bearer");
    live_refused(reply, 401, "unauthorized");
    live_refused(
        live_upsert(VECWIRE_UPSERT(.matrix = vector, .rows = 1, .ids = &id)),
        401, "unauthorized");
    live_refused(live_delete(id), 401, "unauthorized");
    live_refused(live_raw(VECWIRE_RAW(.path = "/no/such/route")), 401,
                 "unauthorized");
    free(vector);
}

START_TEST(without_the_key_every_request_is_401)
{
    live_connect(VECWIRE_OPTIONS(.api_key = "", .tenant = "keyed"));
    check_unauthorized();
}
END_TEST

START_TEST(with_a_wrong_key_every_request_is_401)
{
    static const char *const wrong[] = {"wrong", "x", "Bearer"};

    for (size_t i = 0; i < 3; i++) {
        live_connect(VECWIRE_OPTIONS(.api_key = wrong[i], .tenant = "keyed"));
        check_unauthorized();
    }
}
END_TEST

START_TEST(with_the_key_all_is_well)
{
    float *vector = live_axis(0);
    const struct vecwire_reply *reply;

    ck_assert_ptr_nonnull(live.key);
    live_tenant("keyed");
    live_put("a", vector, NULL, NULL);
    reply = live_query(vector, 1, NULL);
    live_fine(reply);
    ck_assert_uint_eq(vecwire_reply_count(reply), 1);
    vecwire_reply_release(reply);
    live_remove("a", 1);
    live_refused(live_raw(VECWIRE_RAW(.path = "/no/such/route")), 404,
                 "not_found");
    free(vector);
}
END_TEST

#define N_STORED 20

START_TEST(rows_are_stored_for_later)
{
    live_tenant("later");
    for (unsigned i = 0; i < N_STORED; i++) {
        float *vector = live_random(i);
        char id[24];

        snprintf(id, sizeof(id), "r\xc3\xa9/%u", i);
        live_put(id, vector, "first", NULL);
        live_put(id, vector, id, "{\"n\":1}");
        if (i % 2 == 1)
            live_remove(id, 1);
        free(vector);
    }
}
END_TEST

START_TEST(what_was_stored_has_outlived_the_server)
{
    live_tenant("later");
    for (unsigned i = 0; i < N_STORED; i++) {
        float *vector = live_random(i);
        const struct vecwire_reply *reply = live_query(vector, 100, NULL);
        const struct vecwire_row *row = vecwire_reply_row(reply, 0);
        char id[24];

        snprintf(id, sizeof(id), "r\xc3\xa9/%u", i);
        live_fine(reply);
        ck_assert_uint_eq(vecwire_reply_count(reply), N_STORED / 2);
        ck_assert((strcmp(row->id.text, id) == 0) == (i % 2 == 0));
        if (i % 2 == 0) {
            ck_assert(fabsf(row->score - 1) < 1e-5F);
            ck_assert_str_eq(row->text, id);
            ck_assert_str_eq(row->payload, "{\"n\":1}");
        }
        vecwire_reply_release(reply);
        free(vector);
    }
}
END_TEST

static TCase *
fixed(const char *name)
{
    TCase *tcase = tcase_create(name);

    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, live_begin, live_end);
    return tcase;
}

/* Those that need a server of their own. */
static void
add_special(Suite *suite)
{
    TCase *tenants = fixed("tenants"), *key = fixed("key");
    TCase *stored = fixed("stored"), *restarted = fixed("restarted");

    tcase_add_test(tenants, the_65th_tenant_is_503_until_others_are_closed);
    tcase_add_test(key, without_the_key_every_request_is_401);
    tcase_add_test(key, with_a_wrong_key_every_request_is_401);
    tcase_add_test(key, with_the_key_all_is_well);
    tcase_add_test(stored, rows_are_stored_for_later);
    tcase_add_test(restarted, what_was_stored_has_outlived_the_server);
    suite_add_tcase(suite, tenants);
    suite_add_tcase(suite, key);
    suite_add_tcase(suite, stored);
    suite_add_tcase(suite, restarted);
}

int
main(int argc, char **argv)
{
    Suite *suite = suite_create("a running HMS server");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, live_rows_case());
    suite_add_tcase(suite, live_texts_case());
    suite_add_tcase(suite, live_refusals_case());
    suite_add_tcase(suite, live_traffic_case());
    if (argc > 1)
        add_special(suite);
    srunner_run(runner, NULL, argc > 1 ? argv[1] : NULL, CK_ENV);
    failed = srunner_ntests_failed(runner) + (srunner_ntests_run(runner) == 0);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
