/* SPDX-License-Identifier: Apache-2.0 */
/* Running a base until a client has nothing left. */
#include <arpa/inet.h>
#include <check.h>
#include <event2/event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <vecwire/vecwire.h>

static const struct timeval at_once = {0, 0};
static struct event_base *base;
static struct vecwire_loop *loop;
static struct vecwire_client *client;
static struct event *ticker;
static int server = -1;
static unsigned ticks, replies;
static enum vecwire_err got[3];
static void (*in_tick)(void);

static void
on_tick(evutil_socket_t fd, short what, void *arg)
{
    (void)fd;
    (void)what;
    (void)arg;
    ticks++;
    if (in_tick != NULL)
        in_tick();
}

static void
setup(void)
{
    ticks = replies = 0;
    in_tick = NULL;
    client = NULL;
    memset(got, 0, sizeof(got));
    base = vecwire_event_base_new();
    ck_assert_ptr_nonnull(base);
    ck_assert_int_eq(vecwire_loop_new(&loop, base), VECWIRE_OK);
    ticker = event_new(base, -1, EV_TIMEOUT, on_tick, NULL);
}

static void
teardown(void)
{
    vecwire_client_free(client);
    event_free(ticker);
    vecwire_loop_free(loop);
    event_base_free(base);
    if (server >= 0)
        close(server);
    server = -1;
}

static void
try_all(void)
{
    bool more = true;

    got[0] = vecwire_loop_run(loop);
    got[1] = vecwire_loop_step(loop, &more);
    ck_assert(!more);
    got[2] = vecwire_client_drain(client, 0);
}

static void
on_reply(const struct vecwire_reply *reply, void *arg)
{
    enum vecwire_err *code = arg;
    const struct vecwire_error *error = vecwire_reply_error(reply);

    replies++;
    if (code != NULL)
        *code = error == NULL ? VECWIRE_OK : error->code;
    if (in_tick != NULL)
        in_tick();
}

/* A client whose server listens and never answers. */
static void
make_client(struct vecwire_loop *counted)
{
    struct sockaddr_in addr = {.sin_family = AF_INET};
    socklen_t len = sizeof(addr);
    char url[64];

    addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    server = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    ck_assert_int_eq(bind(server, (struct sockaddr *)&addr, len), 0);
    ck_assert_int_eq(listen(server, 16), 0);
    ck_assert_int_eq(getsockname(server, (struct sockaddr *)&addr, &len), 0);
    snprintf(url, sizeof(url), "http://127.0.0.1:%u",
             (unsigned)ntohs(addr.sin_port));
    ck_assert_int_eq(
        vecwire_client_new(&client, base,
                           &VECWIRE_OPTIONS(.url = url, .loop = counted)),
        VECWIRE_OK);
}

static vecwire_call_id
call(enum vecwire_err *code)
{
    vecwire_call_id id = 0;

    ck_assert_int_eq(
        vecwire_raw(client, &VECWIRE_RAW(.path = "/"), on_reply, code, &id),
        VECWIRE_OK);
    return id;
}

START_TEST(drain_of_an_idle_client_returns_without_a_pass)
{
    make_client(NULL);
    event_active(ticker, EV_TIMEOUT, 0);
    ck_assert_int_eq(vecwire_client_drain(client, 0), VECWIRE_OK);
    ck_assert_int_eq(vecwire_client_drain(client, VECWIRE_NEVER), VECWIRE_OK);
    ck_assert_uint_eq(ticks, 0);
}
END_TEST

START_TEST(drain_inside_a_hosts_callback_is_busy)
{
    make_client(NULL);
    call(NULL);
    in_tick = try_all;
    event_add(ticker, &at_once);
    if (_i == 0)
        event_base_loop(base, EVLOOP_ONCE);
    else
        ck_assert_int_eq(vecwire_loop_step(loop, NULL), VECWIRE_OK);
    while (ticks == 0)
        event_base_loop(base, EVLOOP_ONCE);
    ck_assert_int_eq(got[2], VECWIRE_EBUSY);
    in_tick = NULL;
}
END_TEST

START_TEST(drain_inside_a_completion_is_busy)
{
    make_client(NULL);
    ck_assert(vecwire_cancel(client, call(NULL)));
    in_tick = try_all;
    ck_assert_int_eq(vecwire_client_drain(client, VECWIRE_NEVER), VECWIRE_OK);
    ck_assert_uint_eq(replies, 1);
    ck_assert_int_eq(got[2], VECWIRE_EBUSY);
}
END_TEST

START_TEST(drain_inside_a_completion_of_free_is_busy)
{
    make_client(NULL);
    call(NULL);
    in_tick = try_all;
    vecwire_client_free(client);
    client = NULL;
    ck_assert_uint_eq(replies, 1);
    ck_assert_int_eq(got[2], VECWIRE_EBUSY);
}
END_TEST

static void
pass_once(void)
{
    static bool passing;

    if (passing)
        return;
    passing = true;
    event_base_loop(base, EVLOOP_NONBLOCK);
    passing = false;
}

START_TEST(a_completion_of_free_may_run_the_base)
{
    vecwire_call_id ids[4];

    make_client(NULL);
    for (size_t i = 0; i < 4; i++)
        ids[i] = call(NULL);
    pass_once();
    ck_assert(vecwire_cancel(client, ids[1]));
    ck_assert(vecwire_cancel(client, ids[3]));
    in_tick = pass_once;
    vecwire_client_free(client);
    client = NULL;
    ck_assert_uint_eq(replies, 4);
}
END_TEST

START_TEST(drain_runs_until_the_last_completion)
{
    enum vecwire_err code = VECWIRE_OK;

    make_client(NULL);
    ck_assert(vecwire_cancel(client, call(&code)));
    ck_assert_uint_eq(replies, 0);
    ck_assert_int_eq(vecwire_client_drain(client, VECWIRE_NEVER), VECWIRE_OK);
    ck_assert_uint_eq(replies, 1);
    ck_assert_int_eq(code, VECWIRE_ECANCELED);
}
END_TEST

START_TEST(drain_gives_up_when_its_time_is_up_and_the_calls_stay)
{
    make_client(_i == 0 ? NULL : loop);
    call(NULL);
    ck_assert_int_eq(vecwire_client_drain(client, 0), VECWIRE_ETIMEDOUT);
    ck_assert_int_eq(vecwire_client_drain(client, 5), VECWIRE_ETIMEDOUT);
    ck_assert_uint_eq(replies, 0);
    ck_assert_uint_eq(vecwire_client_stats(client)->calls_active, 1);
}
END_TEST

START_TEST(drain_counts_its_passes_for_the_clients_runner)
{
    make_client(loop);
    ck_assert(vecwire_cancel(client, call(NULL)));
    ck_assert_int_eq(vecwire_client_drain(client, VECWIRE_NEVER), VECWIRE_OK);
    ck_assert_uint_ge(vecwire_loop_iterations(loop), 1);
}
END_TEST

static void
break_now(void)
{
    event_base_loopbreak(base);
}

START_TEST(drain_tells_when_the_base_was_broken_off)
{
    make_client(_i == 0 ? NULL : loop);
    call(NULL);
    in_tick = break_now;
    event_add(ticker, &at_once);
    ck_assert_int_eq(vecwire_client_drain(client, VECWIRE_NEVER), VECWIRE_EIO);
    in_tick = NULL;
}
END_TEST

static void
free_client(void)
{
    struct vecwire_client *mine = client;

    client = NULL;
    vecwire_client_free(mine);
}

START_TEST(drain_tells_when_a_completion_freed_the_client)
{
    make_client(NULL);
    ck_assert(vecwire_cancel(client, call(NULL)));
    in_tick = free_client;
    ck_assert_int_eq(vecwire_client_drain(client, VECWIRE_NEVER),
                     VECWIRE_ECLOSED);
    ck_assert_uint_eq(replies, 1);
}
END_TEST

START_TEST(drain_tells_when_a_hosts_callback_freed_the_client)
{
    make_client(NULL);
    call(NULL);
    in_tick = free_client;
    event_add(ticker, &at_once);
    ck_assert_int_eq(vecwire_client_drain(client, VECWIRE_NEVER),
                     VECWIRE_ECLOSED);
    ck_assert_uint_eq(replies, 1);
}
END_TEST

/* --- silence --- */

START_TEST(misuse_prints_nothing)
{
    int file = memfd_create("stderr", 0), kept = dup(2);
    off_t size;

    ck_assert_int_ge(file, 0);
    fflush(stderr);
    dup2(file, 2);
    make_client(loop);
    call(NULL);
    in_tick = try_all;
    event_add(ticker, &at_once);
    while (ticks == 0)
        event_base_loop(base, EVLOOP_ONCE);
    in_tick = NULL;
    got[2] = vecwire_client_drain(client, 1);
    free_client();
    fflush(stderr);
    dup2(kept, 2);
    size = lseek(file, 0, SEEK_END);
    close(kept);
    close(file);
    ck_assert_int_eq(got[0], VECWIRE_EBUSY);
    ck_assert_int_eq(got[2], VECWIRE_ETIMEDOUT);
    ck_assert_int_eq(size, 0);
}
END_TEST

static void
add_drain_tests(TCase *tc)
{
    tcase_add_test(tc, drain_of_an_idle_client_returns_without_a_pass);
    tcase_add_loop_test(tc, drain_inside_a_hosts_callback_is_busy, 0, 2);
    tcase_add_test(tc, drain_inside_a_completion_is_busy);
    tcase_add_test(tc, drain_inside_a_completion_of_free_is_busy);
    tcase_add_test(tc, a_completion_of_free_may_run_the_base);
    tcase_add_test(tc, drain_runs_until_the_last_completion);
    tcase_add_loop_test(
        tc, drain_gives_up_when_its_time_is_up_and_the_calls_stay, 0, 2);
    tcase_add_test(tc, drain_counts_its_passes_for_the_clients_runner);
    tcase_add_loop_test(tc, drain_tells_when_the_base_was_broken_off, 0, 2);
    tcase_add_test(tc, drain_tells_when_a_completion_freed_the_client);
    tcase_add_test(tc, drain_tells_when_a_hosts_callback_freed_the_client);
    tcase_add_test(tc, misuse_prints_nothing);
}

int
main(void)
{
    Suite *suite = suite_create("drain");
    TCase *tc = tcase_create("drain");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_checked_fixture(tc, setup, teardown);
    add_drain_tests(tc);
    suite_add_tcase(suite, tc);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
