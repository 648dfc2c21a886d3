/* SPDX-License-Identifier: Apache-2.0 */
/* Uploads by a real client: to a server that misbehaves, and to our own. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "tests/serve_client.h"
#include "tests/upload_rig.h"

#define ADDED_MANY FAULT_OK("{\"added\":1000000}", "17")

static const struct fault_step answers[] = {
    {FAULT_READ, NULL, 0}, ADDED_MANY, {FAULT_AGAIN, NULL, 0}};
static const struct fault_step *const willing[] = {answers};

static void
check_done(const struct upload_seen *seen, uint64_t rows)
{
    ck_assert_uint_eq(seen->runs, 1);
    ck_assert_int_eq(seen->code, VECWIRE_OK);
    ck_assert_uint_eq(seen->done, rows);
    ck_assert_uint_eq(seen->failed, 0);
}

START_TEST(drain_waits_for_an_upload_that_was_ended)
{
    struct client_rig rig;
    struct upload_seen seen = {.rig = NULL};
    size_t taken;

    client_rig_init(&rig, willing, 1, VECWIRE_OPTIONS(.url = NULL));
    ck_assert_int_eq(
        upload_rig_begin(&rig, &seen,
                         VECWIRE_UPLOADER_OPTIONS(.batch_rows = 10)),
        VECWIRE_OK);
    ck_assert_int_eq(upload_rig_add(&seen, 45, &taken), VECWIRE_OK);
    vecwire_uploader_end(seen.up);
    client_rig_run(&rig);
    check_done(&seen, 45);
    vecwire_uploader_free(seen.up);
    client_rig_fini(&rig);
}
END_TEST

START_TEST(drain_does_not_wait_for_rows_that_nobody_has_ended)
{
    struct client_rig rig;
    struct upload_seen seen = {.rig = NULL};
    size_t taken;

    client_rig_init(&rig, willing, 1, VECWIRE_OPTIONS(.url = NULL));
    ck_assert_int_eq(
        upload_rig_begin(&rig, &seen,
                         VECWIRE_UPLOADER_OPTIONS(.batch_rows = 10)),
        VECWIRE_OK);
    ck_assert_int_eq(upload_rig_add(&seen, 3, &taken), VECWIRE_OK);
    client_rig_run(&rig);
    ck_assert_uint_eq(seen.runs, 0);
    vecwire_uploader_free(seen.up);
    ck_assert_int_eq(seen.code, VECWIRE_ECLOSED);
    client_rig_fini(&rig);
}
END_TEST

static enum vecwire_err late_code;
static size_t late_taken;

/* Add to another upload of the same client, which `arg` is. */
static void
add_late(const struct vecwire_failed_rows *failed, void *arg)
{
    (void)failed;
    late_code = upload_rig_add(arg, 3, &late_taken);
}

START_TEST(no_upload_takes_rows_while_its_client_is_freed)
{
    struct client_rig rig;
    struct upload_seen first = {.rig = NULL}, second = {.rig = NULL};
    struct vecwire_uploader *up;
    size_t taken;

    client_rig_init(&rig, willing, 1, VECWIRE_OPTIONS(.url = NULL));
    ck_assert_int_eq(
        vecwire_uploader_new(
            &up, rig.client,
            &VECWIRE_UPLOADER_OPTIONS(.on_failed = add_late, .arg = &second)),
        VECWIRE_OK);
    ck_assert_int_eq(
        upload_rig_begin(&rig, &second,
                         VECWIRE_UPLOADER_OPTIONS(.batch_rows = 2)),
        VECWIRE_OK);
    first.up = up;
    ck_assert_int_eq(upload_rig_add(&first, 3, &taken), VECWIRE_OK);
    late_code = VECWIRE_OK;
    vecwire_client_free(rig.client);
    rig.client = NULL;
    ck_assert_int_eq(late_code, VECWIRE_ECLOSED);
    ck_assert_uint_eq(late_taken, 0);
    ck_assert_uint_eq(second.taken, 0);
    vecwire_uploader_free(up);
    vecwire_uploader_free(second.up);
    client_rig_fini(&rig);
}
END_TEST

START_TEST(a_lost_reused_connection_is_repeated)
{
    static const struct fault_step breaks[] = {{FAULT_READ, NULL, 0},
                                               ADDED_MANY,
                                               {FAULT_READ, NULL, 0},
                                               {FAULT_RESET, NULL, 0}};
    static const struct fault_step *const scripts[] = {breaks, answers};
    struct client_rig rig;
    struct upload_seen seen = {.rig = NULL};
    size_t taken;

    client_rig_init(&rig, scripts, 2, VECWIRE_OPTIONS(.connections = 1));
    ck_assert_int_eq(
        upload_rig_begin(&rig, &seen,
                         VECWIRE_UPLOADER_OPTIONS(.batch_rows = 10)),
        VECWIRE_OK);
    ck_assert_int_eq(upload_rig_add(&seen, 30, &taken), VECWIRE_OK);
    vecwire_uploader_end(seen.up);
    client_rig_run(&rig);
    check_done(&seen, 30);
    vecwire_uploader_free(seen.up);
    client_rig_fini(&rig);
}
END_TEST

START_TEST(an_early_413_is_understood_and_the_rows_go_in_parts)
{
    static const struct fault_step refuses[] = {
        {FAULT_READ_HEAD, NULL, 0},
        {FAULT_SEND,
         "HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n"
         "Connection: close\r\n\r\n",
         0},
        {FAULT_DISCARD, NULL, 0}};
    static const struct fault_step *const scripts[] = {refuses, answers};
    struct client_rig rig;
    struct upload_seen seen = {.rig = NULL};
    size_t taken;

    client_rig_init(&rig, scripts, 2, VECWIRE_OPTIONS(.url = NULL));
    ck_assert_int_eq(
        upload_rig_begin(&rig, &seen,
                         VECWIRE_UPLOADER_OPTIONS(.batch_rows = 500)),
        VECWIRE_OK);
    ck_assert_int_eq(upload_rig_add(&seen, 500, &taken), VECWIRE_OK);
    vecwire_uploader_end(seen.up);
    client_rig_run(&rig);
    check_done(&seen, 500);
    ck_assert_uint_eq(vecwire_uploader_progress(seen.up)->requests, 3);
    vecwire_uploader_free(seen.up);
    client_rig_fini(&rig);
}
END_TEST

START_TEST(a_server_without_a_route_for_several_rows_gets_them_one_by_one)
{
    static const struct fault_step old[] = {
        {FAULT_READ, NULL, 0},
        {FAULT_SEND, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", 0},
        {FAULT_READ, NULL, 0},
        FAULT_OK("{\"added\":1}", "11"),
        {FAULT_READ, NULL, 0},
        FAULT_OK("{\"added\":1}", "11"),
        {FAULT_READ, NULL, 0},
        FAULT_OK("{\"added\":1}", "11"),
        {FAULT_STALL, NULL, 0}};
    static const struct fault_step *const scripts[] = {old};
    struct client_rig rig;
    struct upload_seen seen = {.rig = NULL};
    size_t taken;

    client_rig_init(&rig, scripts, 1, VECWIRE_OPTIONS(.connections = 1));
    ck_assert_int_eq(
        upload_rig_begin(&rig, &seen, VECWIRE_UPLOADER_OPTIONS(.in_flight = 1)),
        VECWIRE_OK);
    ck_assert_int_eq(upload_rig_add(&seen, 3, &taken), VECWIRE_OK);
    vecwire_uploader_end(seen.up);
    client_rig_run(&rig);
    check_done(&seen, 3);
    ck_assert_uint_eq(fault_server_requests(rig.server), 4);
    vecwire_uploader_free(seen.up);
    client_rig_fini(&rig);
}
END_TEST

START_TEST(requests_carry_the_upload_s_own_settings)
{
    struct client_rig rig;
    struct upload_seen seen = {.rig = NULL};
    size_t taken;

    client_rig_init(&rig, willing, 1, VECWIRE_OPTIONS(.tenant = "theirs"));
    ck_assert_int_eq(
        upload_rig_begin(&rig, &seen,
                         VECWIRE_UPLOADER_OPTIONS(.call = &VECWIRE_CALL_OPTIONS(
                                                          .tenant = "ours"))),
        VECWIRE_OK);
    ck_assert_int_eq(upload_rig_add(&seen, 2, &taken), VECWIRE_OK);
    vecwire_uploader_end(seen.up);
    client_rig_run(&rig);
    ck_assert_ptr_nonnull(
        strstr(fault_server_request(rig.server), "X-Tenant-ID: ours\r\n"));
    vecwire_uploader_free(seen.up);
    client_rig_fini(&rig);
}
END_TEST

static void
refuse(struct client_rig *rig, struct vecwire_uploader_options options,
       enum vecwire_err code, const char *words)
{
    struct vecwire_refusal refusal = {.text = ""};
    struct upload_seen seen = {.rig = NULL};

    options.refusal = &refusal;
    ck_assert_int_eq(upload_rig_begin(rig, &seen, options), code);
    ck_assert_ptr_null(seen.up);
    ck_assert_msg(strstr(refusal.text, words) != NULL, "%s", refusal.text);
}

START_TEST(options_that_cannot_be_are_refused)
{
    struct vecwire_uploader_options raw = {.batch_rows = 3};
    struct vecwire_uploader *up = (struct vecwire_uploader *)&raw;
    struct client_rig rig;

    client_rig_init(&rig, willing, 1, VECWIRE_OPTIONS(.url = NULL));
    refuse(&rig, VECWIRE_UPLOADER_OPTIONS(.batch_rows = 1001), VECWIRE_ETOOBIG,
           "batch_rows is 1001, hms takes at most 1000");
    refuse(&rig, VECWIRE_UPLOADER_OPTIONS(.batch_bytes = 1 << 25),
           VECWIRE_ETOOBIG, "batch_bytes");
    refuse(&rig, VECWIRE_UPLOADER_OPTIONS(.in_flight = 257), VECWIRE_EINVAL,
           "in_flight");
    refuse(&rig,
           VECWIRE_UPLOADER_OPTIONS(.call =
                                        &VECWIRE_CALL_OPTIONS(.tenant = "a b")),
           VECWIRE_EINVAL, "enant");
    refuse(&rig,
           VECWIRE_UPLOADER_OPTIONS(.call = &VECWIRE_CALL_OPTIONS(.collection =
                                                                      "c")),
           VECWIRE_EINVAL, "collection");
    ck_assert_int_eq(vecwire_uploader_new(&up, rig.client, &raw),
                     VECWIRE_EINVAL);
    ck_assert_ptr_null(up);
    ck_assert_int_eq(vecwire_uploader_new(&up, NULL, NULL), VECWIRE_EINVAL);
    ck_assert_int_eq(vecwire_uploader_new(NULL, rig.client, NULL),
                     VECWIRE_EINVAL);
    client_rig_fini(&rig);
}
END_TEST

START_TEST(a_closed_client_begins_no_upload)
{
    struct client_rig rig;

    client_rig_init(&rig, willing, 1, VECWIRE_OPTIONS(.url = NULL));
    ck_assert_int_eq(vecwire_client_close(rig.client, 0, NULL, NULL),
                     VECWIRE_OK);
    refuse(&rig, VECWIRE_UPLOADER_OPTIONS(.batch_rows = 1), VECWIRE_ECLOSED,
           "closed");
    client_rig_fini(&rig);
}
END_TEST

START_TEST(null_is_taken_everywhere)
{
    struct client_rig rig;
    struct vecwire_uploader *up;

    vecwire_uploader_end(NULL);
    vecwire_uploader_free(NULL);
    ck_assert(!vecwire_uploader_cancel(NULL));
    ck_assert_ptr_null(vecwire_uploader_progress(NULL));
    ck_assert_int_eq(
        vecwire_uploader_add(NULL, &VECWIRE_UPSERT(.rows = 1), NULL),
        VECWIRE_EINVAL);
    client_rig_init(&rig, willing, 1, VECWIRE_OPTIONS(.url = NULL));
    ck_assert_int_eq(vecwire_uploader_new(&up, rig.client, NULL), VECWIRE_OK);
    ck_assert_int_eq(vecwire_uploader_add(up, NULL, NULL), VECWIRE_EINVAL);
    vecwire_uploader_end(up);
    client_rig_run(&rig);
    vecwire_uploader_free(up);
    client_rig_fini(&rig);
}
END_TEST

/* In the first callback that there is, client and uploader go, or the client
 * alone. */
START_TEST(the_client_may_be_freed_in_a_callback)
{
    static const struct fault_step unwilling[] = {
        {FAULT_READ, NULL, 0},
        {FAULT_SEND, "HTTP/1.1 422 No\r\nContent-Length: 0\r\n\r\n", 0},
        {FAULT_AGAIN, NULL, 0}};
    static const struct fault_step *const scripts[2][1] = {{answers},
                                                           {unwilling}};
    struct client_rig rig;
    struct upload_seen seen = {.then = _i % 2 == 0 ? FREE_CLIENT : FREE_BOTH};
    size_t taken;

    client_rig_init(&rig, scripts[_i / 2], 1, VECWIRE_OPTIONS(.url = NULL));
    ck_assert_int_eq(
        upload_rig_begin(&rig, &seen,
                         VECWIRE_UPLOADER_OPTIONS(.batch_rows = 10)),
        VECWIRE_OK);
    ck_assert_int_eq(upload_rig_add(&seen, 45, &taken), VECWIRE_OK);
    vecwire_uploader_end(seen.up);
    ck_assert_int_eq(vecwire_client_drain(rig.client, RIG_PATIENCE_MS),
                     VECWIRE_ECLOSED);
    ck_assert_uint_eq(seen.runs, 1);
    ck_assert_uint_eq(seen.done + seen.failed, 45);
    ck_assert_uint_eq(seen.reported, seen.failed);
    ck_assert_ptr_null(rig.client);
    vecwire_uploader_free(seen.up);
    client_rig_fini(&rig);
}
END_TEST

START_TEST(an_uploader_may_outlive_its_client)
{
    struct client_rig rig;
    struct upload_seen seen = {.rig = NULL};
    size_t taken;

    client_rig_init(&rig, willing, 1, VECWIRE_OPTIONS(.url = NULL));
    ck_assert_int_eq(
        upload_rig_begin(&rig, &seen, VECWIRE_UPLOADER_OPTIONS(.in_flight = 1)),
        VECWIRE_OK);
    ck_assert_int_eq(upload_rig_add(&seen, 300, &taken), VECWIRE_OK);
    client_rig_fini(&rig);
    ck_assert_int_eq(seen.code, VECWIRE_ECLOSED);
    ck_assert_uint_eq(seen.reported, 300);
    ck_assert_int_eq(upload_rig_add(&seen, 1, &taken), VECWIRE_ECLOSED);
    vecwire_uploader_free(seen.up);
}
END_TEST

/* --- our own server --- */

static void
on_hits(const struct vecwire_reply *reply, void *arg)
{
    ck_assert_ptr_null(vecwire_reply_error(reply));
    ck_assert_uint_eq(vecwire_reply_count(reply), 1);
    snprintf(arg, 16, "%s", vecwire_reply_row(reply, 0)->id.text);
}

START_TEST(our_server_has_every_row_afterwards)
{
    struct vecwire__server_options options = {.dim = 8};
    struct event_base *base = vecwire_event_base_new();
    struct vecwire_client *client;
    struct client_rig rig = {.base = base};
    struct upload_seen seen = {.rig = NULL};
    static const float probe[] = {0, 0, 1, 0, 0, 0, 0, 0};
    char id[16] = "";
    size_t taken;

    serve_start(&options);
    ck_assert_int_eq(
        vecwire_client_new(&client, base, &VECWIRE_OPTIONS(.url = serve_url())),
        VECWIRE_OK);
    rig.client = client;
    ck_assert_int_eq(upload_rig_begin(&rig, &seen,
                                      VECWIRE_UPLOADER_OPTIONS(.batch_rows = 70,
                                                               .in_flight = 8)),
                     VECWIRE_OK);
    ck_assert_int_eq(upload_rig_add(&seen, 500, &taken), VECWIRE_OK);
    vecwire_uploader_end(seen.up);
    ck_assert_int_eq(vecwire_client_drain(client, 10000), VECWIRE_OK);
    check_done(&seen, 500);
    ck_assert_int_eq(
        vecwire_query(client,
                      &VECWIRE_QUERY(.vector = probe, .dim = 8, .top_k = 1),
                      on_hits, id, NULL),
        VECWIRE_OK);
    ck_assert_int_eq(vecwire_client_drain(client, 10000), VECWIRE_OK);
    ck_assert_int_eq(id[0], 'r');
    vecwire_uploader_free(seen.up);
    vecwire_client_free(client);
    event_base_free(base);
    serve_stop();
}
END_TEST

static void
add_tests(TCase *tcase)
{
    tcase_set_timeout(tcase, 20);
    tcase_add_test(tcase, drain_waits_for_an_upload_that_was_ended);
    tcase_add_test(tcase, drain_does_not_wait_for_rows_that_nobody_has_ended);
    tcase_add_test(tcase, no_upload_takes_rows_while_its_client_is_freed);
    tcase_add_test(tcase, a_lost_reused_connection_is_repeated);
    tcase_add_test(tcase, an_early_413_is_understood_and_the_rows_go_in_parts);
    tcase_add_test(
        tcase, a_server_without_a_route_for_several_rows_gets_them_one_by_one);
    tcase_add_test(tcase, requests_carry_the_upload_s_own_settings);
    tcase_add_test(tcase, options_that_cannot_be_are_refused);
    tcase_add_test(tcase, a_closed_client_begins_no_upload);
    tcase_add_test(tcase, null_is_taken_everywhere);
    tcase_add_loop_test(tcase, the_client_may_be_freed_in_a_callback, 0, 4);
    tcase_add_test(tcase, an_uploader_may_outlive_its_client);
    tcase_add_test(tcase, our_server_has_every_row_afterwards);
}

int
main(void)
{
    return client_rig_main("upload_client", add_tests);
}
