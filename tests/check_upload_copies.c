/* SPDX-License-Identifier: Apache-2.0 */
/* An upload's own settings: the caller's may be gone before its rows are
 * sent, and memory may be short for the copies. */
#include <check.h>
#include <event2/event.h>
#include <stdlib.h>
#include <string.h>
#include <vecwire/vecwire.h>

#include "tests/counting_mem.h"
#include "tests/serve_client.h"

#define JSON "Content-Type: application/json\r\n"

static struct counting_mem counting;
static struct event_base *base;
static struct vecwire_client *client;

static void
setup(void)
{
    counting_mem_init(&counting);
    serve_start(&(struct vecwire__server_options){.dim = 3});
    base = vecwire_event_base_new();
    ck_assert_ptr_nonnull(base);
    ck_assert_int_eq(
        vecwire_client_new(
            &client, base,
            &VECWIRE_OPTIONS(.url = serve_url(), .dialect = VECWIRE_QDRANT,
                             .collection = "one", .mem = &counting.mem)),
        VECWIRE_OK);
}

static void
teardown(void)
{
    vecwire_client_free(client);
    event_base_loop(base, EVLOOP_NONBLOCK);
    event_base_free(base);
    serve_stop();
    ck_assert_uint_eq(counting.blocks, 0);
}

static void
on_done(struct vecwire_uploader *up, const struct vecwire_upload_result *result,
        void *arg)
{
    (void)up;
    *(struct vecwire_upload_result *)arg = *result;
    event_base_loopbreak(base);
}

static enum vecwire_err
begin(struct vecwire_uploader **up, struct vecwire_upload_result *result)
{
    char collection[] = "a b", filter[] = "{\"must\":[]}", value[] = "v";
    const struct vecwire_header header = {"X-Own", value};
    struct vecwire_qdrant_params params =
        VECWIRE_QDRANT_PARAMS(.wait = true, .update_filter = filter);
    struct vecwire_call_options call =
        VECWIRE_CALL_OPTIONS(.collection = collection, .qdrant = &params,
                             .headers = &header, .n_headers = 1);
    enum vecwire_err err = vecwire_uploader_new(
        up, client,
        &VECWIRE_UPLOADER_OPTIONS(.call = &call, .on_done = on_done,
                                  .arg = result, .batch_rows = 2));

    memset(collection, 'x', sizeof(collection) - 1);
    memset(filter, 'x', sizeof(filter) - 1);
    memset(&params, 0xff, sizeof(params));
    memset(&call, 0xff, sizeof(call));
    value[0] = '\n';
    return err;
}

START_TEST(rows_go_to_the_collection_of_the_upload_s_own_options)
{
    static const float matrix[] = {1, 2, 3};
    static const uint64_t numbers[] = {1, 2, 3};
    struct vecwire_upload_result result = {0};
    struct vecwire_uploader *up;

    serve_ask(200, "PUT", "/collections/a%20b", JSON,
              "{\"vectors\":{\"size\":1,\"distance\":\"Dot\"}}");
    ck_assert_int_eq(begin(&up, &result), VECWIRE_OK);
    ck_assert_int_eq(
        vecwire_uploader_add(up,
                             &VECWIRE_UPSERT(.matrix = matrix, .rows = 3,
                                             .dim = 1, .numbers = numbers),
                             NULL),
        VECWIRE_OK);
    vecwire_uploader_end(up);
    event_base_dispatch(base);
    vecwire_uploader_free(up);
    ck_assert_uint_eq(result.rows_done, 3);
    ck_assert_ptr_nonnull(strstr(
        serve_ask(200, "POST", "/collections/a%20b/points/count", JSON, "{}"),
        "\"count\":3"));
}
END_TEST

START_TEST(without_memory_no_upload_begins_and_nothing_is_left)
{
    enum vecwire_err err = VECWIRE_ENOMEM;
    struct vecwire_upload_result result;
    struct vecwire_uploader *up;
    size_t at = 0, blocks = counting.blocks;

    while (err != VECWIRE_OK) {
        ck_assert_uint_eq(counting.blocks, blocks);
        counting_mem_arm(&counting, ++at, false);
        err = begin(&up, &result);
        counting_mem_arm(&counting, 0, false);
        ck_assert(err == VECWIRE_OK || err == VECWIRE_ENOMEM);
        ck_assert((up != NULL) == (err == VECWIRE_OK));
    }
    ck_assert_uint_gt(at, 5);
    vecwire_uploader_free(up);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("upload copies");
    TCase *tests = tcase_create("upload copies");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests,
                   rows_go_to_the_collection_of_the_upload_s_own_options);
    tcase_add_test(tests, without_memory_no_upload_begins_and_nothing_is_left);
    suite_add_tcase(suite, tests);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
