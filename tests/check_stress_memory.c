/* SPDX-License-Identifier: Apache-2.0 */
/* Each allocation of a whole session fails once, alone or with all that
 * follow: no crash, no leak, and every call that was accepted completes once.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <event2/event.h>
#include <vecwire/vecwire.h>

#include "tests/counting_mem.h"
#include "tests/net_rig.h"

#define OK "HTTP/1.1 200 OK\r\n"
#define MATCH                                                                  \
    "{\"matches\":[{\"id\":\"a\",\"score\":1,\"text\":\"t\",\"metadata\":{}}]" \
    "}"
#define CALLS 11

/* A session's replies, in its order. After a failure the order may differ;
 * what then does not parse is an error like any other. */
static const struct fault_step script[] = {
    {FAULT_READ, NULL, 0},
    {FAULT_SEND,
     "HTTP/1.1 503 Busy\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n", 0},
    {FAULT_READ, NULL, 0},
    {FAULT_SEND, OK "Content-Length: 59\r\n\r\n" MATCH, 0},
    {FAULT_READ, NULL, 0},
    {FAULT_SEND, OK "Content-Length: 59\r\n\r\n" MATCH, 0},
    {FAULT_READ, NULL, 0},
    {FAULT_SEND, OK "Transfer-Encoding: chunked\r\n\r\n", 0},
    {FAULT_SEND, "1f\r\n{\"matches\":[{\"id\":\"a\",\"score\":1\r\n", 0},
    {FAULT_SEND, "1e\r\n},{\"id\":\"b\",\"score\":1,\"text\":\"\r\n", 0},
    {FAULT_SEND, "11\r\n0123456789abc\"}]}\r\n0\r\n\r\n", 0},
    {FAULT_READ, NULL, 0},
    {FAULT_SEND, OK "Content-Length: 11\r\n\r\n{\"added\":3}", 0},
    {FAULT_READ, NULL, 0},
    {FAULT_SEND, OK "Content-Length: 16\r\n\r\n{\"deleted\":true}", 0},
    {FAULT_READ, NULL, 0},
    {FAULT_SEND,
     "HTTP/1.1 422 No\r\nContent-Length: 42\r\n\r\n"
     "{\"error\":{\"code\":\"c\",\"message\":\"a\\nb c\"}}  ",
     0},
    {FAULT_READ, NULL, 0},
    {FAULT_SEND, OK "Content-Length: 300000\r\n\r\n", 0},
    {FAULT_FILL, NULL, 300000},
    {FAULT_READ, NULL, 0},
    {FAULT_STALL, NULL, 0}};
static const struct fault_step *const scripts[] = {script};

static struct event_base *base;
static struct fault_server *server;
static struct vecwire_client *client;
static struct counting_mem counting;
static unsigned accepted, completed, runs[CALLS], rows_runs, closes;
static vecwire_call_id paused;
static const struct vecwire_reply *kept;
static const char *host; /* in the URL */

static void
on_reply(const struct vecwire_reply *reply, void *arg)
{
    const struct vecwire_error *error = vecwire_reply_error(reply);

    ++*(unsigned *)arg;
    completed++;
    if (error != NULL)
        ck_assert_uint_gt(strlen(error->detail), 0);
    if (kept == NULL && error == NULL)
        kept = vecwire_reply_keep(reply);
}

static void
on_closed(struct vecwire_client *which, enum vecwire_err code, void *arg)
{
    (void)which;
    (void)code;
    (void)arg;
    closes++;
}

static void
count(enum vecwire_err err)
{
    ck_assert_msg(err == VECWIRE_OK || err == VECWIRE_ENOMEM, "%s",
                  vecwire_err_name(err));
    accepted += err == VECWIRE_OK;
}

static void
drain(void)
{
    ck_assert_int_eq(vecwire_client_drain(client, 20000), VECWIRE_OK);
    ck_assert_uint_eq(completed, accepted);
}

static void
query(unsigned *runs_of)
{
    static const float vector[4] = {1, 2, 3, 4};

    count(vecwire_query(
        client,
        &VECWIRE_QUERY(.vector = vector, .dim = 4, .filter = "{\"a\":1}"),
        on_reply, runs_of, NULL));
}

/* Every other time it pauses: a resume follows from the loop. */
static enum vecwire_rows_action
on_rows(const struct vecwire_reply *rows, void *arg)
{
    (void)arg;
    ck_assert_uint_gt(vecwire_reply_count(rows), 0);
    rows_runs++;
    paused = vecwire_reply_id(rows);
    return rows_runs % 2 == 0 ? VECWIRE_CONTINUE : VECWIRE_PAUSE;
}

static void
query_in_rows(unsigned *runs_of)
{
    static const float vector[4] = {1, 2, 3, 4};

    paused = 0;
    count(vecwire_query(
        client, &VECWIRE_QUERY(.vector = vector, .dim = 4, .on_rows = on_rows),
        on_reply, runs_of, NULL));
    while (completed < accepted) {
        ck_assert_int_eq(event_base_loop(base, EVLOOP_ONCE), 0);
        (void)vecwire_resume(client, paused);
    }
}

static void
some_calls(void)
{
    static const float matrix[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    static const char *const ids[] = {"a", "b", "c"};
    static const struct vecwire_header header = {"X-A", "b"};

    query(&runs[0]); /* cold, and 503 first */
    drain();
    query(&runs[1]); /* warm */
    drain();
    query_in_rows(&runs[10]);
    drain();
    count(vecwire_upsert(
        client,
        &VECWIRE_UPSERT(.matrix = matrix, .rows = 3, .dim = 4, .ids = ids),
        on_reply, &runs[2], NULL));
    drain();
    count(vecwire_delete(
        client,
        &VECWIRE_DELETE(.ids = ids, .rows = 1,
                        .call = &VECWIRE_CALL_OPTIONS(.headers = &header,
                                                      .n_headers = 1,
                                                      .tenant = "t")),
        on_reply, &runs[3], NULL));
    drain();
    query(&runs[4]); /* 422 */
    drain();
    count(vecwire_raw(client, &VECWIRE_RAW(.path = "/big"), on_reply, &runs[5],
                      NULL));
    drain();
}

static void
session(void)
{
    struct vecwire_refusal refusal;
    vecwire_call_id id = 0;
    char url[40];
    enum vecwire_err err;

    snprintf(url, sizeof(url), "http://%s:%u/p", host,
             (unsigned)fault_server_port(server));
    err = vecwire_client_new(
        &client, base,
        &VECWIRE_OPTIONS(.url = url, .mem = &counting.mem, .connections = 2,
                         .api_key = "k", .tenant = "me", .user_agent = "u",
                         .headers = &(struct vecwire_header){"X-B", "c"},
                         .n_headers = 1, .refusal = &refusal));
    if (err != VECWIRE_OK) {
        ck_assert_int_eq(err, VECWIRE_ENOMEM);
        ck_assert_ptr_null(client);
        ck_assert_str_eq(refusal.text, "out of memory");
        return;
    }
    some_calls();
    err = vecwire_raw(client, &VECWIRE_RAW(.path = "/hung"), on_reply, &runs[6],
                      &id);
    count(err);
    /* One that was accepted may have failed already, for lack of memory. */
    ck_assert(!vecwire_cancel(client, id) || err == VECWIRE_OK);
    for (size_t i = 7; i < 10; i++)
        query(&runs[i]);
    ck_assert_int_eq(vecwire_client_close(client, 0, on_closed, NULL),
                     VECWIRE_OK);
    drain();
    vecwire_client_free(client);
    ck_assert_uint_eq(closes, 1);
    ck_assert_uint_eq(completed, accepted);
}

/* Number of allocations it asked for. */
static size_t
run_session(size_t fail_at, bool and_after)
{
    accepted = completed = closes = rows_runs = 0;
    memset(runs, 0, sizeof(runs));
    kept = NULL;
    base = event_base_new();
    server = fault_server_new(base, "127.0.0.1", scripts, 1);
    ck_assert_ptr_nonnull(server);
    counting_mem_init(&counting);
    counting_mem_arm(&counting, fail_at, and_after);
    session();
    for (size_t i = 0; i < CALLS; i++)
        ck_assert_uint_le(runs[i], 1);
    vecwire_reply_release(kept);
    fault_server_free(server);
    event_base_free(base);
    ck_assert_uint_eq(counting.blocks, 0);
    return counting.asked;
}

/* To an address, and to a name that is looked up. */
START_TEST(each_allocation_of_a_session_may_fail)
{
    size_t before = rig_descriptors(), asked;

    host = _i / 2 == 0 ? "127.0.0.1" : "localhost";
    asked = run_session(0, false);
    ck_assert_uint_eq(accepted, CALLS);
    ck_assert_uint_eq(rows_runs, 2);
    ck_assert_uint_gt(asked, 20);
    for (size_t n = 1; n <= asked; n++) {
        run_session(n, _i % 2 == 1);
        ck_assert_uint_eq(rig_descriptors(), before);
    }
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("stress memory");
    TCase *tcase = tcase_create("stress memory");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, each_allocation_of_a_session_may_fail, 0, 4);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
