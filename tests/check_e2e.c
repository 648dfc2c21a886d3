/* SPDX-License-Identifier: Apache-2.0 */
/* The library against our own server, both on one base. */
#include <check.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include <event2/event.h>
#include <jansson.h>
#include <vecwire/vecwire.h>

#include "server/server.h"

#define DIM 8
#define ROWS 50
#define WAIT_MS 20000

static struct event_base *base;
static struct vecwire_loop *loop;
static struct vecwire__server *server;
static struct vecwire_client *client;

static void
start(const char *key)
{
    struct vecwire__server_options options = {
        .api_key = key, .seed_rows = ROWS, .dim = DIM};
    char why[256] = "";

    signal(SIGPIPE, SIG_IGN); /* the server wants it so */
    base = vecwire_event_base_new();
    ck_assert_ptr_nonnull(base);
    ck_assert_int_eq(vecwire_loop_new(&loop, base), VECWIRE_OK);
    server = vecwire__server_new(base, &options, why, sizeof(why));
    ck_assert_msg(server != NULL, "%s", why);
}

static void
connect_to(const char *key)
{
    ck_assert_int_eq(
        vecwire_client_new(&client, base,
                           &VECWIRE_OPTIONS(.url = vecwire__server_url(server),
                                            .api_key = key, .loop = loop)),
        VECWIRE_OK);
}

static void
setup(void)
{
    start(NULL);
    connect_to(NULL);
}

static void
stop(void)
{
    vecwire_client_free(client);
    client = NULL;
    vecwire__server_free(server);
    vecwire_loop_free(loop);
    event_base_free(base);
}

static void
keep(const struct vecwire_reply *reply, void *arg)
{
    const struct vecwire_reply **kept = arg;

    ck_assert_ptr_null(*kept);
    *kept = vecwire_reply_keep(reply);
}

static void
drain(void)
{
    ck_assert_int_eq(vecwire_client_drain(client, WAIT_MS), VECWIRE_OK);
}

static const float probe[DIM] = {0.5F, -0.25F, 0.125F, 1, -1, 0.75F, 0, 0.1F};

static const struct vecwire_reply *
ask(const char *filter, uint32_t top_k)
{
    const struct vecwire_reply *reply = NULL;

    ck_assert_int_eq(
        vecwire_query(client,
                      &VECWIRE_QUERY(.vector = probe, .dim = DIM,
                                     .top_k = top_k, .filter = filter),
                      keep, &reply, NULL),
        VECWIRE_OK);
    ck_assert_ptr_null(reply);
    drain();
    ck_assert_ptr_nonnull(reply);
    return reply;
}

START_TEST(a_query_answers_the_best_rows_in_order)
{
    const struct vecwire_reply *reply = ask(NULL, 5);

    ck_assert_ptr_null(vecwire_reply_error(reply));
    ck_assert_uint_eq(vecwire_reply_count(reply), 5);
    for (size_t i = 1; i < 5; i++)
        ck_assert(vecwire_reply_row(reply, i - 1)->score >=
                  vecwire_reply_row(reply, i)->score);
    ck_assert_ptr_null(vecwire_reply_row(reply, 5));
    ck_assert(strncmp(vecwire_reply_row(reply, 0)->id.text, "row-", 4) == 0);
    vecwire_reply_release(reply);
}
END_TEST

START_TEST(a_warm_call_costs_one_wake_up_and_a_cold_one_two)
{
    const struct vecwire_reply *cold = ask(NULL, 3);

    ck_assert_uint_eq(vecwire_reply_wakeups(cold), 2);
    for (int i = 0; i < 20; i++) {
        const struct vecwire_reply *warm = ask(NULL, 3);

        ck_assert_uint_eq(vecwire_reply_wakeups(warm), 1);
        /* The server's own passes are on the same base. */
        ck_assert_uint_ge(vecwire_reply_loop_iterations(warm), 1);
        ck_assert_uint_le(vecwire_reply_loop_iterations(warm), 4);
        vecwire_reply_release(warm);
    }
    ck_assert_uint_eq(vecwire_client_stats(client)->connections_opened, 1);
    vecwire_reply_release(cold);
}
END_TEST

START_TEST(a_kept_reply_outlives_the_client)
{
    const struct vecwire_reply *reply = ask(NULL, 4);

    vecwire_client_free(client);
    client = NULL;
    ck_assert_uint_eq(vecwire_reply_count(reply), 4);
    ck_assert_uint_gt(strlen(vecwire_reply_row(reply, 3)->id.text), 0);
    ck_assert_str_eq(vecwire_reply_header(reply, "content-type"),
                     "application/json");
    vecwire_reply_release(reply);
}
END_TEST

START_TEST(a_filter_keeps_equal_metadata_only)
{
    const struct vecwire_reply *all = ask(NULL, 1), *one;
    const struct vecwire_row *row = vecwire_reply_row(all, 0);
    json_t *payload = vecwire_reply_payload_tree(all, 0);

    ck_assert_ptr_nonnull(payload);
    ck_assert(json_is_object(payload));
    one = ask(row->payload, 10);
    ck_assert_uint_ge(vecwire_reply_count(one), 1);
    ck_assert_str_eq(vecwire_reply_row(one, 0)->id.text, row->id.text);
    vecwire_reply_release(one);
    one = ask("{\"no such key\":1}", 10);
    ck_assert_ptr_null(vecwire_reply_error(one));
    ck_assert_uint_eq(vecwire_reply_count(one), 0);
    vecwire_reply_release(one);
    json_decref(payload);
    vecwire_reply_release(all);
}
END_TEST

static const struct vecwire_reply *
put(const float *matrix, size_t rows, const char *const *ids, size_t dim)
{
    static const char *const texts[] = {"first", NULL, "third"};
    static const char *const payloads[] = {"{\"n\":1}", "{\"n\":2}", NULL};
    const struct vecwire_reply *reply = NULL;

    ck_assert_int_eq(
        vecwire_upsert(client,
                       &VECWIRE_UPSERT(.matrix = matrix, .rows = rows,
                                       .dim = dim, .ids = ids, .texts = texts,
                                       .payloads = payloads),
                       keep, &reply, NULL),
        VECWIRE_OK);
    drain();
    return reply;
}

static const struct vecwire_reply *
take_away(const char *id)
{
    const struct vecwire_reply *reply = NULL;

    ck_assert_int_eq(vecwire_delete(client,
                                    &VECWIRE_DELETE(.ids = &id, .rows = 1),
                                    keep, &reply, NULL),
                     VECWIRE_OK);
    drain();
    return reply;
}

START_TEST(rows_that_were_put_are_found_and_can_be_deleted)
{
    static const char *const ids[] = {"a/b c", "\xc3\xa9%2F", ".."};
    float matrix[3 * DIM];
    const struct vecwire_reply *reply;

    for (size_t i = 0; i < 3 * DIM; i++)
        matrix[i] = i < DIM ? probe[i] : (float)(i % 5) - 2.5F;
    reply = put(matrix, 3, ids, DIM);
    ck_assert_ptr_null(vecwire_reply_error(reply));
    ck_assert_uint_eq(vecwire_reply_affected(reply), 3);
    vecwire_reply_release(reply);
    reply = ask("{\"n\":1}", 1);
    ck_assert_str_eq(vecwire_reply_row(reply, 0)->id.text, "a/b c");
    ck_assert_str_eq(vecwire_reply_row(reply, 0)->text, "first");
    ck_assert(fabsf(vecwire_reply_row(reply, 0)->score - 1) < 1e-5F);
    vecwire_reply_release(reply);
    for (size_t i = 0; i < 3; i++) {
        reply = take_away(ids[i]);
        ck_assert_ptr_null(vecwire_reply_error(reply));
        ck_assert_uint_eq(vecwire_reply_affected(reply), 1);
        vecwire_reply_release(reply);
        reply = take_away(ids[i]);
        ck_assert_ptr_null(vecwire_reply_error(reply));
        ck_assert_uint_eq(vecwire_reply_affected(reply), 0);
        vecwire_reply_release(reply);
    }
}
END_TEST

START_TEST(a_wrong_dimension_brings_the_servers_own_text)
{
    static const char *const ids[] = {"x"};
    const struct vecwire_reply *reply = put(probe, 1, ids, DIM - 1);
    const struct vecwire_error *error = vecwire_reply_error(reply);

    ck_assert_ptr_nonnull(error);
    ck_assert_int_eq(error->code, VECWIRE_EHTTP);
    ck_assert_uint_eq(error->http_status, 422);
    ck_assert_str_eq(error->server_code, "invalid_request");
    ck_assert_ptr_nonnull(strstr(error->server_text, "8"));
    ck_assert_str_eq(error->detail, error->server_text);
    ck_assert(!error->retryable);
    vecwire_reply_release(reply);
}
END_TEST

static const struct vecwire_reply *
raw(const char *method, const char *path)
{
    const struct vecwire_reply *reply = NULL;

    ck_assert_int_eq(vecwire_raw(client,
                                 &VECWIRE_RAW(.method = method, .path = path),
                                 keep, &reply, NULL),
                     VECWIRE_OK);
    drain();
    return reply;
}

START_TEST(raw_brings_any_body)
{
    const struct vecwire_reply *reply = raw("GET", "/ping");
    size_t len;

    ck_assert_str_eq(vecwire_reply_body(reply, &len), "pong");
    ck_assert_uint_eq(len, 4);
    vecwire_reply_release(reply);
    reply = raw("GET", "/length/300000");
    ck_assert_ptr_null(vecwire_reply_error(reply));
    vecwire_reply_body(reply, &len);
    ck_assert_uint_eq(len, 300000);
    vecwire_reply_release(reply);
    reply = raw("GET", "/nowhere");
    ck_assert_int_eq(vecwire_reply_error(reply)->code, VECWIRE_EHTTP);
    ck_assert_uint_eq(vecwire_reply_status(reply), 404);
    ck_assert_uint_gt(strlen(vecwire_reply_body(reply, NULL)), 0);
    vecwire_reply_release(reply);
    reply = raw("GET", "/length/0");
    ck_assert_uint_eq(vecwire_reply_status(reply), 200);
    ck_assert_str_eq(vecwire_reply_body(reply, &len), "");
    vecwire_reply_release(reply);
}
END_TEST

START_TEST(tenants_do_not_see_each_other)
{
    const struct vecwire_reply *reply = NULL;

    ck_assert_int_eq(
        vecwire_query(
            client,
            &VECWIRE_QUERY(.vector = probe, .dim = DIM,
                           .call = &VECWIRE_CALL_OPTIONS(.tenant = "other")),
            keep, &reply, NULL),
        VECWIRE_OK);
    drain();
    ck_assert_ptr_null(vecwire_reply_error(reply));
    ck_assert_uint_eq(vecwire_reply_count(reply), 0);
    vecwire_reply_release(reply);
}
END_TEST

START_TEST(a_key_is_asked_for_and_never_told)
{
    const struct vecwire_reply *reply;

    connect_to("wr0ng-key");
    reply = ask(NULL, 1);
    ck_assert_uint_eq(vecwire_reply_status(reply), 401);
    ck_assert_str_eq(vecwire_reply_header(reply, "www-authenticate"), "Bearer");
    ck_assert_ptr_null(strstr(vecwire_reply_error(reply)->detail, "wr0ng"));
    vecwire_reply_release(reply);
    vecwire_client_free(client);
    connect_to("s3cret");
    reply = ask(NULL, 1);
    ck_assert_ptr_null(vecwire_reply_error(reply));
    vecwire_reply_release(reply);
}
END_TEST

struct many {
    unsigned left, done, failed, closed;
};

static void submit_one(struct many *many);

static void
count(const struct vecwire_reply *reply, void *arg)
{
    const struct vecwire_error *error = vecwire_reply_error(reply);
    struct many *many = arg;

    many->done++;
    many->failed += error != NULL && error->code != VECWIRE_ECLOSED;
    many->closed += error != NULL && error->code == VECWIRE_ECLOSED;
    if (many->left > 0 && error == NULL)
        submit_one(many);
}

static void
submit_one(struct many *many)
{
    many->left--;
    ck_assert_int_eq(vecwire_query(client,
                                   &VECWIRE_QUERY(.vector = probe, .dim = DIM),
                                   count, many, NULL),
                     VECWIRE_OK);
}

START_TEST(many_in_flight_all_complete_once)
{
    struct many many = {.left = 1000};

    for (int i = 0; i < 64; i++)
        submit_one(&many);
    drain();
    ck_assert_uint_eq(many.done, 1000);
    ck_assert_uint_eq(many.failed, 0);
    ck_assert_uint_le(vecwire_client_stats(client)->connections_opened, 8);
}
END_TEST

static void
free_client(const struct vecwire_reply *reply, void *arg)
{
    (void)reply;
    (*(unsigned *)arg)++;
    vecwire_client_free(client);
    client = NULL;
}

START_TEST(the_client_may_be_freed_in_its_callback_with_others_in_flight)
{
    struct many many = {.left = 30};
    unsigned freed = 0;

    ck_assert_int_eq(vecwire_raw(client, &VECWIRE_RAW(.path = "/ping"),
                                 free_client, &freed, NULL),
                     VECWIRE_OK);
    while (many.left > 0)
        submit_one(&many);
    ck_assert_int_eq(vecwire_client_drain(client, WAIT_MS), VECWIRE_ECLOSED);
    ck_assert_uint_eq(freed, 1);
    ck_assert_uint_eq(many.done, 30);
    ck_assert_uint_eq(many.failed, 0);
    ck_assert_uint_gt(many.closed, 0);
}
END_TEST

START_TEST(freed_with_the_loop_stopped_everything_completes_before_it_returns)
{
    struct many many = {.left = 40};

    while (many.left > 0)
        submit_one(&many);
    vecwire_client_free(client);
    client = NULL;
    ck_assert_uint_eq(many.done, 40);
    ck_assert_uint_eq(many.closed, 40);
}
END_TEST

START_TEST(an_idle_client_lets_its_base_return)
{
    const struct vecwire_reply *reply;

    vecwire_client_free(client);
    ck_assert_int_eq(
        vecwire_client_new(&client, base,
                           &VECWIRE_OPTIONS(.url = vecwire__server_url(server),
                                            .idle_ms = 50)),
        VECWIRE_OK);
    reply = ask(NULL, 1);
    vecwire_reply_release(reply);
    vecwire__server_free(server);
    server = NULL;
    ck_assert_int_eq(event_base_dispatch(base), 1);
    ck_assert_uint_eq(vecwire_client_stats(client)->connections_open, 0);
}
END_TEST

START_TEST(timing_is_in_order)
{
    /* Cold, warm, and an error. */
    const struct vecwire_reply *reply =
        _i == 2 ? raw("GET", "/nowhere") : ask(NULL, 1);
    const struct vecwire_timing *t;

    if (_i == 1) {
        vecwire_reply_release(reply);
        reply = ask(NULL, 1);
    }
    t = vecwire_reply_timing(reply);

    ck_assert_uint_gt(t->queued_ns, 0);
    ck_assert_uint_ge(t->connected_ns, t->queued_ns);
    ck_assert_uint_ge(t->sent_ns, t->connected_ns);
    ck_assert_uint_ge(t->first_byte_ns, t->sent_ns);
    ck_assert_uint_ge(t->decoded_ns, t->first_byte_ns);
    ck_assert_ptr_nonnull(strstr(vecwire_reply_peer(reply), "127.0.0.1:"));
    vecwire_reply_release(reply);
}
END_TEST

static void
start_with_key(void)
{
    start("s3cret");
}

int
main(void)
{
    Suite *suite = suite_create("end to end");
    TCase *open = tcase_create("open"), *keyed = tcase_create("keyed");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_set_timeout(open, 60);
    tcase_add_checked_fixture(open, setup, stop);
    tcase_add_test(open, a_query_answers_the_best_rows_in_order);
    tcase_add_test(open, a_warm_call_costs_one_wake_up_and_a_cold_one_two);
    tcase_add_test(open, a_kept_reply_outlives_the_client);
    tcase_add_test(open, a_filter_keeps_equal_metadata_only);
    tcase_add_test(open, rows_that_were_put_are_found_and_can_be_deleted);
    tcase_add_test(open, a_wrong_dimension_brings_the_servers_own_text);
    tcase_add_test(open, raw_brings_any_body);
    tcase_add_test(open, tenants_do_not_see_each_other);
    tcase_add_test(open, many_in_flight_all_complete_once);
    tcase_add_test(
        open, the_client_may_be_freed_in_its_callback_with_others_in_flight);
    tcase_add_test(
        open,
        freed_with_the_loop_stopped_everything_completes_before_it_returns);
    tcase_add_test(open, an_idle_client_lets_its_base_return);
    tcase_add_loop_test(open, timing_is_in_order, 0, 3);
    suite_add_tcase(suite, open);
    tcase_add_checked_fixture(keyed, start_with_key, stop);
    tcase_add_test(keyed, a_key_is_asked_for_and_never_told);
    suite_add_tcase(suite, keyed);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
