/* SPDX-License-Identifier: Apache-2.0 */
/* Every public function from every callback, with another call in every
 * state: each call completes once, and nothing is left behind. */
#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/client.h"
#include "tests/every_function.h"
#include "tests/fault_server.h"
#include "tests/net_rig.h"

#define OK "HTTP/1.1 200 OK\r\n"
#define ROW(id)                                                                \
    "{\"id\":\"" id "\",\"text\":\"t\",\"metadata\":{\"a\":[1]},\"score\":1}"
#define MATCHES "{\"matches\":[" ROW("a") "," ROW("b") "]}"
#define REPLY OK "Content-Length: 119\r\n\r\n" MATCHES

static const struct fault_step keep_alive[] = {
    {FAULT_READ, NULL, 0}, {FAULT_SEND, REPLY, 0}, {FAULT_AGAIN, NULL, 0}};
static const struct fault_step hung[] = {{FAULT_READ, NULL, 0},
                                         {FAULT_STALL, NULL, 0}};
static const struct fault_step half[] = {
    {FAULT_READ, NULL, 0},
    {FAULT_SEND, OK "Content-Length: 119\r\n\r\n{\"mat", 0},
    {FAULT_STALL, NULL, 0}};
static const struct fault_step busy[] = {
    {FAULT_READ, NULL, 0},
    {FAULT_SEND,
     "HTTP/1.1 503 Busy\r\nRetry-After: 5\r\nConnection: close\r\n"
     "Content-Length: 0\r\n\r\n",
     0},
    {FAULT_END, NULL, 0}};

/* Where the other call, the target, stands. */
enum state {
    QUEUED,
    CONNECTING,
    SENT,
    RECEIVING,
    PAUSED,
    RETRY_WAIT,
    CANCELED,
    FINISHED,
    N_STATES
};

/* Whose callback the deed is done in. */
enum place {
    COMPLETION,
    ROWS,
    ROOM,
    FAILED_ROWS,
    UPLOADED,
    CLOSE,
    CLOSE_IN_FREE,
    N_PLACES
};

static struct world world;
static struct counting_mem counting;
static struct fault_server *server;
static const struct deed *deed; /* NULL: done */
static enum place place;
static enum state target_state;
static unsigned asker_runs, asker_closes;

static void ask(vecwire_rows_cb on_rows, vecwire_reply_cb cb,
                vecwire_call_id *id);
static void on_target(const struct vecwire_reply *reply, void *arg);

/* These two do not last: the target comes to them in the callback itself.
 * After a close nothing comes to anything. */
static bool
is_late(void)
{
    return (target_state == QUEUED || target_state == CONNECTING) &&
           place < CLOSE;
}

static void
check_target(void)
{
    static const enum vecwire__call_state states[N_STATES] = {
        [QUEUED] = VECWIRE__CALL_QUEUED,
        [CONNECTING] = VECWIRE__CALL_CONNECTING,
        [SENT] = VECWIRE__CALL_SENDING,
        [RECEIVING] = VECWIRE__CALL_RECEIVING,
        [PAUSED] = VECWIRE__CALL_PAUSED,
        [RETRY_WAIT] = VECWIRE__CALL_RETRY_WAIT};
    const struct vecwire__call *call =
        vecwire__slots_find(&world.client->engine.slots, world.target);

    if (target_state == CANCELED || target_state == FINISHED)
        ck_assert_ptr_null(call);
    else
        ck_assert_int_eq(call->state, states[target_state]);
}

static void
do_deed(const struct vecwire_reply *reply, bool is_batch)
{
    const struct deed *now = deed;

    if (now == NULL || world.client == NULL)
        return;
    deed = NULL;
    if (is_late()) {
        while (vecwire_client_stats(world.client)->connections_idle > 0)
            ask(NULL, NULL, NULL);
        ask(NULL, on_target, &world.target);
    }
    if (place < CLOSE)
        check_target();
    world.reply = reply;
    world.is_batch = is_batch;
    now->run(&world);
    world.reply = NULL;
}

static enum vecwire_rows_action
pause_rows(const struct vecwire_reply *rows, void *arg)
{
    (void)rows;
    (void)arg;
    return VECWIRE_PAUSE;
}

static void
on_target(const struct vecwire_reply *reply, void *arg)
{
    (void)arg;
    world.target_runs++;
    ck_assert_uint_eq(vecwire_reply_id(reply), world.target);
}

static enum vecwire_rows_action
on_asker_rows(const struct vecwire_reply *rows, void *arg)
{
    (void)arg;
    if (place == ROWS)
        do_deed(rows, true);
    /* Rows live to the end of their callback, whatever was done. */
    for (size_t i = 0; i < vecwire_reply_count(rows); i++)
        ck_assert_str_eq(vecwire_reply_row(rows, i)->text, "t");
    return VECWIRE_CONTINUE;
}

static void
on_asker(const struct vecwire_reply *reply, void *arg)
{
    (void)arg;
    asker_runs++;
    if (place == COMPLETION)
        do_deed(reply, false);
    ck_assert_uint_ne(vecwire_reply_id(reply), 0);
}

static void
on_asker_close(struct vecwire_client *client, enum vecwire_err code, void *arg)
{
    (void)arg;
    ck_assert_ptr_eq(client, world.client);
    ck_assert(code == VECWIRE_OK || code == VECWIRE_ETIMEDOUT ||
              code == VECWIRE_ECLOSED);
    asker_closes++;
    do_deed(NULL, false);
}

/* --- an upload, whose rows all fail: no reply says that it stored them --- */

static void
on_room(struct vecwire_uploader *up, void *arg)
{
    (void)arg;
    ck_assert_ptr_eq(up, world.uploader);
    if (place == ROOM)
        do_deed(NULL, false);
}

static void
on_failed_rows(const struct vecwire_failed_rows *failed, void *arg)
{
    (void)arg;
    if (place == FAILED_ROWS)
        do_deed(NULL, false);
    /* As rows of a reply, they live to the end of their callback. */
    for (size_t i = 0; i < failed->count; i++)
        ck_assert_uint_ne(strlen(failed->ids[i]), 0);
    ck_assert_uint_ne(strlen(failed->error->detail), 0);
}

static void
on_uploaded(struct vecwire_uploader *up,
            const struct vecwire_upload_result *result, void *arg)
{
    (void)up;
    (void)arg;
    world.upload_over = true;
    world.upload_runs++;
    if (place == UPLOADED)
        do_deed(NULL, false);
    ck_assert_uint_eq(result->rows_taken,
                      result->rows_done + result->rows_failed);
}

/* One row waits to be sent; in an asker's place, as much as it can hold. */
static void
begin_upload(void)
{
    static const float matrix[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    static const char *const ids[] = {"a", "b", "c", "d"};
    bool asks = place == ROOM || place == FAILED_ROWS || place == UPLOADED;
    enum vecwire_err err;

    ck_assert_int_eq(
        vecwire_uploader_new(
            &world.uploader, world.client,
            &VECWIRE_UPLOADER_OPTIONS(.on_room = on_room,
                                      .on_failed = on_failed_rows,
                                      .on_done = on_uploaded, .in_flight = 1,
                                      .batch_rows = asks ? 1 : 10)),
        VECWIRE_OK);
    err =
        vecwire_uploader_add(world.uploader,
                             &VECWIRE_UPSERT(.matrix = matrix, .dim = 3,
                                             .rows = asks ? 4 : 1, .ids = ids),
                             NULL);
    ck_assert_int_eq(err, asks ? VECWIRE_EFULL : VECWIRE_OK);
    if (place == UPLOADED)
        vecwire_uploader_end(world.uploader);
}

static void
ask(vecwire_rows_cb on_rows, vecwire_reply_cb cb, vecwire_call_id *id)
{
    static const float vector[] = {1, 2, 3};

    ck_assert_int_eq(vecwire_query(world.client,
                                   &VECWIRE_QUERY(.vector = vector, .dim = 3,
                                                  .on_rows = on_rows),
                                   cb, NULL, id),
                     VECWIRE_OK);
}

static void
step(void)
{
    ck_assert_int_eq(vecwire_loop_step(world.loop, NULL), VECWIRE_OK);
}

static void
begin(enum state state)
{
    static const struct fault_step *const scripts[N_STATES][2] = {
        [QUEUED] = {keep_alive, keep_alive},
        [CONNECTING] = {keep_alive, keep_alive},
        [SENT] = {hung, keep_alive},
        [RECEIVING] = {half, keep_alive},
        [PAUSED] = {keep_alive, keep_alive},
        [RETRY_WAIT] = {busy, keep_alive},
        [CANCELED] = {hung, keep_alive},
        [FINISHED] = {keep_alive, keep_alive}};

    memset(&world, 0, sizeof(world));
    counting_mem_init(&counting);
    asker_runs = asker_closes = 0;
    world.mem = &counting.mem;
    world.base = vecwire_event_base_new();
    ck_assert_ptr_nonnull(world.base);
    ck_assert_int_eq(vecwire_loop_new(&world.loop, world.base), VECWIRE_OK);
    server = fault_server_new(world.base, "127.0.0.1", scripts[state], 2);
    ck_assert_ptr_nonnull(server);
    snprintf(world.url, sizeof(world.url), "http://127.0.0.1:%u",
             (unsigned)fault_server_port(server));
    ck_assert_int_eq(
        vecwire_client_new(
            &world.client, world.base,
            &VECWIRE_OPTIONS(.url = world.url, .mem = &counting.mem,
                             .connections = state == QUEUED ? 1 : 3,
                             .loop = world.loop)),
        VECWIRE_OK);
}

/* Bring the target into its state; the script of its connection is the
 * first. */
static void
bring_to(enum state state)
{
    if (!is_late())
        ask(state == PAUSED ? pause_rows : NULL, on_target, &world.target);
    if (state == CANCELED)
        ck_assert(vecwire_cancel(world.client, world.target));
    if (state == FINISHED)
        ck_assert_int_eq(vecwire_client_drain(world.client, 20000), VECWIRE_OK);
    while (((state == SENT || state == RECEIVING || state == PAUSED) &&
            fault_server_requests(server) == 0) ||
           (state == RETRY_WAIT &&
            vecwire_client_stats(world.client)->calls_retrying == 0))
        step();
    for (int i = 0; (state == RECEIVING || state == PAUSED) && i < 4; i++)
        event_base_loop(world.base, EVLOOP_NONBLOCK);
    ask(on_asker_rows, on_asker, NULL);
    begin_upload();
}

/* Until the deed is done and everything that can end has ended. */
static void
run_out(void)
{
    while (deed != NULL)
        step();
    for (int i = 0; i < 6; i++)
        event_base_loop(world.base, EVLOOP_NONBLOCK);
    while (world.client != NULL && world.close_calls > world.closes)
        step();
    world.in_loop = false;
    vecwire_client_free(world.client);
    world.client = NULL;
    vecwire_uploader_free(world.uploader);
}

static void
end(void)
{
    ck_assert_ptr_null(deed);
    ck_assert_uint_eq(world.target_runs, 1);
    ck_assert_uint_eq(asker_runs, 1);
    ck_assert_uint_eq(world.upload_runs, 1);
    ck_assert_uint_eq(world.extra_runs, world.extra_calls);
    ck_assert_uint_eq(world.closes, world.close_calls);
    fault_server_free(server);
    event_base_loop(world.base, EVLOOP_NONBLOCK);
    vecwire_loop_free(world.loop);
    event_base_free(world.base);
    ck_assert_uint_eq(counting.blocks, 0);
}

static void
close_or_free(void)
{
    if (place != CLOSE && place != CLOSE_IN_FREE)
        return;
    world.closed = true;
    ck_assert_int_eq(vecwire_client_close(world.client,
                                          place == CLOSE ? 0 : VECWIRE_NEVER,
                                          on_asker_close, NULL),
                     VECWIRE_OK);
    if (place == CLOSE)
        return;
    world.in_loop = false;
    vecwire_client_free(world.client);
    world.client = NULL;
    ck_assert_uint_eq(asker_closes, 1);
}

START_TEST(every_function_may_be_called_from_every_callback)
{
    enum state state = target_state = (enum state)(_i % N_STATES);
    size_t before = rig_descriptors();

    place = (enum place)(_i / N_STATES);
    for (size_t i = 0; i < n_deeds; i++) {
        begin(state);
        world.in_loop = true;
        /* The target's way into its state runs callbacks of its own. */
        deed = place < CLOSE ? &deeds[i] : NULL;
        bring_to(state);
        if (place >= CLOSE)
            deed = &deeds[i];
        close_or_free();
        run_out();
        end();
        ck_assert_msg(rig_descriptors() == before, "%s: a descriptor is left",
                      deeds[i].function);
    }
}
END_TEST

START_TEST(no_public_function_is_left_out)
{
    const char *source = getenv("VECWIRE_SOURCE");
    char path[1024];
    struct dirent *entry;
    size_t seen = 0, missing = 0;
    DIR *directory;

    snprintf(path, sizeof(path), "%s/include/vecwire",
             source == NULL ? "." : source);
    directory = opendir(path);
    ck_assert_msg(directory != NULL, "%s cannot be read", path);
    while ((entry = readdir(directory)) != NULL) {
        size_t len = strlen(entry->d_name);

        if (len < 2 || strcmp(entry->d_name + len - 2, ".h") != 0)
            continue;
        snprintf(path, sizeof(path), "%s/include/vecwire/%s",
                 source == NULL ? "." : source, entry->d_name);
        missing += deeds_missing(path, &seen);
    }
    closedir(directory);
    ck_assert_uint_gt(seen, 40);
    ck_assert_uint_eq(missing, 0);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("every function");
    TCase *tcase = tcase_create("every function");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, every_function_may_be_called_from_every_callback,
                        0, (int)N_PLACES * (int)N_STATES);
    tcase_add_test(tcase, no_public_function_is_left_out);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
