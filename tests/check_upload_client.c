/* SPDX-License-Identifier: Apache-2.0 */
/* Uploads by a real client: to a server that misbehaves, to our own, and
 * without memory. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "tests/client_rig.h"
#include "tests/counting_mem.h"
#include "tests/serve_client.h"

#define ADDED_MANY FAULT_OK("{\"added\":1000000}", "17")

static const struct fault_step answers[] = {
    {FAULT_READ, NULL, 0}, ADDED_MANY, {FAULT_AGAIN, NULL, 0}};
static const struct fault_step *const willing[] = {answers};

/* What an upload came to. */
struct seen {
    struct client_rig *rig;
    struct vecwire_uploader *up;
    unsigned runs;
    enum vecwire_err code;
    uint64_t taken, done, failed, reported;
    enum { NOTHING, FREE_CLIENT, FREE_BOTH } then;
};

static void
do_it(struct seen *seen)
{
    if (seen->then == NOTHING || seen->rig->client == NULL)
        return;
    if (seen->then == FREE_BOTH) {
        vecwire_uploader_free(seen->up);
        seen->up = NULL;
    }
    vecwire_client_free(seen->rig->client);
    seen->rig->client = NULL;
}

static void
on_failed(const struct vecwire_failed_rows *failed, void *arg)
{
    struct seen *seen = arg;

    seen->reported += failed->count;
    do_it(seen);
}

static void
on_done(struct vecwire_uploader *up, const struct vecwire_upload_result *result,
        void *arg)
{
    struct seen *seen = arg;

    (void)up;
    seen->runs++;
    seen->taken = result->rows_taken;
    seen->done = result->rows_done;
    seen->failed = result->rows_failed;
    seen->code = result->error == NULL ? VECWIRE_OK : result->error->code;
    do_it(seen);
}

static enum vecwire_err
begin(struct client_rig *rig, struct seen *seen,
      struct vecwire_uploader_options options)
{
    seen->rig = rig;
    options.on_failed = on_failed;
    options.on_done = on_done;
    options.arg = seen;
    return vecwire_uploader_new(&seen->up, rig->client, &options);
}

/* Add up to `n` rows of 8 coordinates. */
static enum vecwire_err
add(struct seen *seen, size_t n, size_t *taken)
{
    static float matrix[512][8];
    static char ids[512][16];
    static const char *list[512];

    ck_assert_uint_le(n, 512);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < 8; k++)
            matrix[i][k] = (float)(i + 1) / (float)(k + 3);
        snprintf(ids[i], sizeof(ids[i]), "r%zu", i);
        list[i] = ids[i];
    }
    return vecwire_uploader_add(
        seen->up,
        &VECWIRE_UPSERT(.matrix = matrix[0], .rows = n, .dim = 8, .ids = list),
        taken);
}

static void
check_done(const struct seen *seen, uint64_t rows)
{
    ck_assert_uint_eq(seen->runs, 1);
    ck_assert_int_eq(seen->code, VECWIRE_OK);
    ck_assert_uint_eq(seen->done, rows);
    ck_assert_uint_eq(seen->failed, 0);
}

START_TEST(drain_waits_for_an_upload_that_was_ended)
{
    struct client_rig rig;
    struct seen seen = {.rig = NULL};
    size_t taken;

    client_rig_init(&rig, willing, 1, VECWIRE_OPTIONS(.url = NULL));
    ck_assert_int_eq(
        begin(&rig, &seen, VECWIRE_UPLOADER_OPTIONS(.batch_rows = 10)),
        VECWIRE_OK);
    ck_assert_int_eq(add(&seen, 45, &taken), VECWIRE_OK);
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
    struct seen seen = {.rig = NULL};
    size_t taken;

    client_rig_init(&rig, willing, 1, VECWIRE_OPTIONS(.url = NULL));
    ck_assert_int_eq(
        begin(&rig, &seen, VECWIRE_UPLOADER_OPTIONS(.batch_rows = 10)),
        VECWIRE_OK);
    ck_assert_int_eq(add(&seen, 3, &taken), VECWIRE_OK);
    client_rig_run(&rig);
    ck_assert_uint_eq(seen.runs, 0);
    vecwire_uploader_free(seen.up);
    ck_assert_int_eq(seen.code, VECWIRE_ECLOSED);
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
    struct seen seen = {.rig = NULL};
    size_t taken;

    client_rig_init(&rig, scripts, 2, VECWIRE_OPTIONS(.connections = 1));
    ck_assert_int_eq(
        begin(&rig, &seen, VECWIRE_UPLOADER_OPTIONS(.batch_rows = 10)),
        VECWIRE_OK);
    ck_assert_int_eq(add(&seen, 30, &taken), VECWIRE_OK);
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
    struct seen seen = {.rig = NULL};
    size_t taken;

    client_rig_init(&rig, scripts, 2, VECWIRE_OPTIONS(.url = NULL));
    ck_assert_int_eq(
        begin(&rig, &seen, VECWIRE_UPLOADER_OPTIONS(.batch_rows = 500)),
        VECWIRE_OK);
    ck_assert_int_eq(add(&seen, 500, &taken), VECWIRE_OK);
    vecwire_uploader_end(seen.up);
    client_rig_run(&rig);
    check_done(&seen, 500);
    ck_assert_uint_eq(vecwire_uploader_progress(seen.up)->requests, 3);
    vecwire_uploader_free(seen.up);
    client_rig_fini(&rig);
}
END_TEST

START_TEST(requests_carry_the_upload_s_own_settings)
{
    struct client_rig rig;
    struct seen seen = {.rig = NULL};
    size_t taken;

    client_rig_init(&rig, willing, 1, VECWIRE_OPTIONS(.tenant = "theirs"));
    ck_assert_int_eq(
        begin(&rig, &seen,
              VECWIRE_UPLOADER_OPTIONS(.call =
                                           &VECWIRE_CALL_OPTIONS(.tenant =
                                                                     "ours"))),
        VECWIRE_OK);
    ck_assert_int_eq(add(&seen, 2, &taken), VECWIRE_OK);
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
    struct seen seen = {.rig = NULL};

    options.refusal = &refusal;
    ck_assert_int_eq(begin(rig, &seen, options), code);
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
    struct seen seen = {.then = _i % 2 == 0 ? FREE_CLIENT : FREE_BOTH};
    size_t taken;

    client_rig_init(&rig, scripts[_i / 2], 1, VECWIRE_OPTIONS(.url = NULL));
    ck_assert_int_eq(
        begin(&rig, &seen, VECWIRE_UPLOADER_OPTIONS(.batch_rows = 10)),
        VECWIRE_OK);
    ck_assert_int_eq(add(&seen, 45, &taken), VECWIRE_OK);
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
    struct seen seen = {.rig = NULL};
    size_t taken;

    client_rig_init(&rig, willing, 1, VECWIRE_OPTIONS(.url = NULL));
    ck_assert_int_eq(
        begin(&rig, &seen, VECWIRE_UPLOADER_OPTIONS(.in_flight = 1)),
        VECWIRE_OK);
    ck_assert_int_eq(add(&seen, 300, &taken), VECWIRE_OK);
    client_rig_fini(&rig);
    ck_assert_int_eq(seen.code, VECWIRE_ECLOSED);
    ck_assert_uint_eq(seen.reported, 300);
    ck_assert_int_eq(add(&seen, 1, &taken), VECWIRE_ECLOSED);
    vecwire_uploader_free(seen.up);
}
END_TEST

/* --- without memory --- */

/* One upload where the fail_at-th allocation fails, and all behind it when
 * `on`. True: that many were not asked for. */
static bool
upload_without(size_t fail_at, bool on)
{
    struct counting_mem counting;
    struct client_rig rig;
    struct seen seen = {.rig = NULL};
    size_t taken;
    bool enough;

    counting_mem_init(&counting);
    client_rig_init(&rig, willing, 1, VECWIRE_OPTIONS(.mem = &counting.mem));
    counting_mem_arm(&counting, fail_at, on);
    if (begin(&rig, &seen,
              VECWIRE_UPLOADER_OPTIONS(.batch_rows = 4, .in_flight = 2)) ==
        VECWIRE_OK) {
        for (size_t i = 0; i < 4; i++) {
            enum vecwire_err err = add(&seen, 4, &taken);

            ck_assert(err == VECWIRE_OK || err == VECWIRE_ENOMEM ||
                      err == VECWIRE_EFULL);
        }
        vecwire_uploader_end(seen.up);
        client_rig_run(&rig);
        ck_assert_uint_eq(seen.runs, 1);
        ck_assert_uint_eq(seen.done + seen.failed, seen.taken);
        ck_assert_uint_eq(seen.reported, seen.failed);
    } else {
        ck_assert_ptr_null(seen.up);
    }
    enough = counting.asked < fail_at;
    counting_mem_arm(&counting, 0, false);
    vecwire_uploader_free(seen.up);
    client_rig_fini(&rig);
    ck_assert_uint_eq(counting.blocks, 0);
    return enough;
}

START_TEST(any_allocation_may_fail)
{
    size_t n = 1;

    while (!upload_without(n, false))
        n++;
    ck_assert_uint_gt(n, 10);
}
END_TEST

START_TEST(memory_may_run_out_anywhere)
{
    size_t n = 1;

    while (!upload_without(n, true))
        n++;
    ck_assert_uint_gt(n, 10);
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
    struct seen seen = {.rig = NULL};
    static const float probe[] = {0, 0, 1, 0, 0, 0, 0, 0};
    char id[16] = "";
    size_t taken;

    serve_start(&options);
    ck_assert_int_eq(
        vecwire_client_new(&client, base, &VECWIRE_OPTIONS(.url = serve_url())),
        VECWIRE_OK);
    rig.client = client;
    ck_assert_int_eq(
        begin(&rig, &seen,
              VECWIRE_UPLOADER_OPTIONS(.batch_rows = 70, .in_flight = 8)),
        VECWIRE_OK);
    ck_assert_int_eq(add(&seen, 500, &taken), VECWIRE_OK);
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
    tcase_add_test(tcase, a_lost_reused_connection_is_repeated);
    tcase_add_test(tcase, an_early_413_is_understood_and_the_rows_go_in_parts);
    tcase_add_test(tcase, requests_carry_the_upload_s_own_settings);
    tcase_add_test(tcase, options_that_cannot_be_are_refused);
    tcase_add_test(tcase, a_closed_client_begins_no_upload);
    tcase_add_test(tcase, null_is_taken_everywhere);
    tcase_add_loop_test(tcase, the_client_may_be_freed_in_a_callback, 0, 4);
    tcase_add_test(tcase, an_uploader_may_outlive_its_client);
    tcase_add_test(tcase, any_allocation_may_fail);
    tcase_add_test(tcase, memory_may_run_out_anywhere);
    tcase_add_test(tcase, our_server_has_every_row_afterwards);
}

int
main(void)
{
    return client_rig_main("upload_client", add_tests);
}
