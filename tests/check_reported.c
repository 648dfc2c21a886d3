/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds of faults that users of other clients have reported, and that no
 * single room answers for; docs/known-faults.md has them by number. */
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "codec/buf.h"
#include "codec/mem.h"
#include "server/id_index.h"
#include "tests/client_rig.h"
#include "tests/net_rig.h"

#define MIB ((size_t)1 << 20)
#define OUTSTANDING 100

static const struct fault_step answers[] = {
    {FAULT_READ, NULL, 0}, FAULT_OK("hello", "5"), {FAULT_AGAIN, NULL, 0}};

/* Answers once; the rest when the gate opens. */
static const struct fault_step closes_at_the_gate[] = {
    {FAULT_READ, NULL, 0},
    FAULT_OK("{\"added\":1}", "11"),
    {FAULT_GATE, NULL, 0},
    {FAULT_END, NULL, 0}};
static const struct fault_step answers_at_the_gate[] = {{FAULT_READ, NULL, 0},
                                                        {FAULT_GATE, NULL, 0},
                                                        FAULT_OK("hello", "5"),
                                                        {FAULT_AGAIN, NULL, 0}};

static void
turn(struct client_rig *rig)
{
    for (int i = 0; i < 20; i++)
        event_base_loop(rig->base, EVLOOP_NONBLOCK);
}

/* --- the limit of one phase is not that of the next (21) --- */

static void
open_gate(evutil_socket_t fd, short what, void *server)
{
    (void)fd;
    (void)what;
    fault_server_open_gate(server);
}

START_TEST(an_answer_may_take_longer_than_the_connect_limit)
{
    static const struct fault_step *const scripts[] = {answers_at_the_gate};
    static const struct timeval later = {0, 120000};
    struct client_rig rig;
    struct rig_outcome outcome;

    client_rig_init(&rig, scripts, 1, VECWIRE_OPTIONS(.connect_ms = 60));
    event_base_once(rig.base, -1, EV_TIMEOUT, open_gate, rig.server, &later);
    client_rig_get(&rig, &outcome);
    client_rig_run(&rig);
    ck_assert_int_eq(rig_outcome_code(&outcome), VECWIRE_OK);
    ck_assert_uint_eq(vecwire_reply_attempts(outcome.reply), 1);
    rig_outcome_fini(&outcome);
    client_rig_fini(&rig);
}
END_TEST

/* --- an early answer to an upload (8) --- */

#define REASON "{\"error\":{\"code\":\"too_wide\",\"message\":\"17, not 16\"}}"
#define REFUSED "HTTP/1.1 400 Bad Request\r\nContent-Length: 52\r\n\r\n" REASON

static const struct fault_step early[][5] = {{{FAULT_READ_HEAD, NULL, 0},
                                              {FAULT_SEND, REFUSED, 0},
                                              {FAULT_END, NULL, 0}},
                                             {{FAULT_READ_HEAD, NULL, 0},
                                              {FAULT_SEND, REFUSED, 0},
                                              {FAULT_HALF_CLOSE, NULL, 0},
                                              {FAULT_DISCARD, NULL, 0}},
                                             {{FAULT_READ_HEAD, NULL, 0},
                                              {FAULT_SEND, REFUSED, 0},
                                              {FAULT_STALL, NULL, 0}}};

START_TEST(the_reason_of_an_early_refusal_reaches_the_caller)
{
    const struct fault_step *scripts[] = {early[_i], answers};
    char *body = calloc(40, MIB);
    struct client_rig rig;
    struct rig_outcome outcome;
    const char *text;
    size_t len;

    ck_assert_ptr_nonnull(body);
    client_rig_init(&rig, scripts, 2, VECWIRE_OPTIONS(.url = NULL));
    client_rig_post(&rig, &outcome, body, 40 * MIB);
    client_rig_run(&rig);
    ck_assert_int_eq(rig_outcome_code(&outcome), VECWIRE_EHTTP);
    ck_assert_uint_eq(vecwire_reply_status(outcome.reply), 400);
    text = vecwire_reply_body(outcome.reply, &len);
    ck_assert_uint_eq(len, sizeof(REASON) - 1);
    ck_assert_mem_eq(text, REASON, len);
    rig_outcome_fini(&outcome);
    /* the half-written connection serves nobody else */
    client_rig_get(&rig, &outcome);
    client_rig_run(&rig);
    ck_assert_int_eq(rig_outcome_code(&outcome), VECWIRE_OK);
    ck_assert_uint_eq(fault_server_connections(rig.server), 2);
    rig_outcome_fini(&outcome);
    client_rig_fini(&rig);
    free(body);
}
END_TEST

/* --- connections that the server ends (43, 46, 52) --- */

/* Sockets of this process that wait to be closed. */
static unsigned
close_waits(uint16_t port)
{
    FILE *tcp = fopen("/proc/net/tcp", "r");
    char line[256];
    unsigned remote, state, n = 0;

    ck_assert_ptr_nonnull(tcp);
    while (fgets(line, sizeof(line), tcp) != NULL) {
        if (sscanf(line, " %*u: %*x:%*x %*x:%x %x", &remote, &state) == 2)
            n += remote == port && state == 8;
    }
    fclose(tcp);
    return n;
}

START_TEST(idle_connections_that_the_server_closes_are_closed_at_once)
{
    enum { CROWD = 64 };
    static const struct fault_step together[] = {{FAULT_READ, NULL, 0},
                                                 {FAULT_GATE, NULL, 0},
                                                 FAULT_OK("hello", "5"),
                                                 {FAULT_GATE, NULL, 0},
                                                 {FAULT_END, NULL, 0}};
    static const struct fault_step *const scripts[] = {together};
    static struct rig_outcome outcomes[CROWD];
    const struct vecwire_stats *stats;
    struct client_rig rig;

    client_rig_init(
        &rig, scripts, 1,
        VECWIRE_OPTIONS(.connections = CROWD, .idle_ms = VECWIRE_NEVER));
    for (int i = 0; i < CROWD; i++)
        client_rig_get(&rig, &outcomes[i]);
    while (fault_server_requests(rig.server) < CROWD)
        event_base_loop(rig.base, EVLOOP_ONCE);
    fault_server_open_gate(rig.server);
    client_rig_run(&rig);
    stats = vecwire_client_stats(rig.client);
    ck_assert_uint_eq(stats->connections_idle, CROWD);
    turn(&rig);
    fault_server_open_gate(rig.server);
    turn(&rig);
    ck_assert_uint_eq(vecwire_client_stats(rig.client)->connections_open, 0);
    ck_assert_uint_eq(close_waits(fault_server_port(rig.server)), 0);
    for (int i = 0; i < CROWD; i++)
        rig_outcome_fini(&outcomes[i]);
    client_rig_fini(&rig);
}
END_TEST

START_TEST(a_server_that_dies_ends_every_call_once_and_is_found_again)
{
    static const struct fault_step dies[] = {
        {FAULT_READ, NULL, 0}, {FAULT_GATE, NULL, 0}, {FAULT_RESET, NULL, 0}};
    static const struct fault_step *const scripts[] = {dies, dies, dies, dies,
                                                       answers};
    static struct rig_outcome outcomes[OUTSTANDING];
    struct client_rig rig;
    unsigned lost = 0;

    client_rig_init(&rig, scripts, 5, VECWIRE_OPTIONS(.connections = 4));
    for (int i = 0; i < OUTSTANDING; i++)
        client_rig_get(&rig, &outcomes[i]);
    while (fault_server_requests(rig.server) < 4)
        event_base_loop(rig.base, EVLOOP_ONCE);
    fault_server_open_gate(rig.server);
    client_rig_run(&rig);
    for (int i = 0; i < OUTSTANDING; i++) {
        enum vecwire_err code = rig_outcome_code(&outcomes[i]);

        /* those that were on the connections, and no others */
        ck_assert(code == (i < 4 ? VECWIRE_EIO : VECWIRE_OK));
        lost += code != VECWIRE_OK;
        rig_outcome_fini(&outcomes[i]);
    }
    ck_assert_uint_eq(lost, 4);
    ck_assert_uint_eq(vecwire_client_stats(rig.client)->connections_lost, 4);
    client_rig_fini(&rig);
}
END_TEST

/* The server closes while a request is on its way to it, or has closed and
 * the client's loop has not seen it, or has. Only in the first case can it
 * have had the request: a read is sent again, a write would not be. */
START_TEST(nothing_fails_around_the_time_when_a_server_closes_idle_connections)
{
    static const struct fault_step added[] = {{FAULT_READ, NULL, 0},
                                              FAULT_OK("{\"added\":1}", "11"),
                                              {FAULT_AGAIN, NULL, 0}};
    static const struct fault_step *const scripts[] = {closes_at_the_gate,
                                                       added};
    struct client_rig rig;
    struct rig_outcome first, second;

    client_rig_init(&rig, scripts, 2, VECWIRE_OPTIONS(.connections = 1));
    client_rig_upsert(&rig, &first, NULL);
    client_rig_run(&rig);
    ck_assert_int_eq(rig_outcome_code(&first), VECWIRE_OK);
    if (_i == 0)
        client_rig_get(&rig, &second);
    fault_server_open_gate(rig.server);
    if (_i == 1)
        event_base_loop(rig.base, EVLOOP_ONCE | EVLOOP_NONBLOCK);
    if (_i == 2)
        turn(&rig);
    if (_i > 0)
        client_rig_upsert(&rig, &second, NULL);
    client_rig_run(&rig);
    ck_assert_int_eq(rig_outcome_code(&second), VECWIRE_OK);
    ck_assert_uint_eq(vecwire_reply_attempts(second.reply), _i == 0 ? 2 : 1);
    ck_assert_uint_eq(fault_server_connections(rig.server), 2);
    rig_outcome_fini(&first);
    rig_outcome_fini(&second);
    client_rig_fini(&rig);
}
END_TEST

/* --- nobody listens (27) --- */

START_TEST(a_hundred_calls_to_a_closed_port_are_refused_once_each)
{
    static const struct fault_step *const scripts[] = {answers};
    static struct rig_outcome outcomes[OUTSTANDING];
    struct client_rig rig;

    client_rig_init(&rig, scripts, 1,
                    VECWIRE_OPTIONS(.connections = 4, .attempts = 2));
    fault_server_stop_listening(rig.server);
    for (int i = 0; i < OUTSTANDING; i++)
        client_rig_get(&rig, &outcomes[i]);
    client_rig_run(&rig);
    for (int i = 0; i < OUTSTANDING; i++) {
        ck_assert_int_eq(rig_outcome_code(&outcomes[i]), VECWIRE_EREFUSED);
        ck_assert_uint_eq(vecwire_reply_attempts(outcomes[i].reply), 2);
        rig_outcome_fini(&outcomes[i]);
    }
    ck_assert_uint_eq(vecwire_client_stats(rig.client)->connections_failed,
                      2 * OUTSTANDING);
    client_rig_fini(&rig);
}
END_TEST

/* --- a look-up that fails inside the submit (7) --- */

static struct {
    struct vecwire_client *client;
    unsigned runs, ticks;
    bool in_verb;
} asking;

static void
ask_for_ever(const struct vecwire_reply *reply, void *arg)
{
    (void)arg;
    ck_assert(!asking.in_verb);
    if (reply != NULL && asking.ticks < 3)
        ck_assert_int_eq(vecwire_reply_error(reply)->code, VECWIRE_ERESOLVE);
    if (asking.ticks >= 3 || asking.runs++ > 100000)
        return;
    asking.in_verb = true;
    ck_assert_int_eq(
        vecwire_raw(
            asking.client,
            &VECWIRE_RAW(.path = "/",
                         .call = &VECWIRE_CALL_OPTIONS(.no_retry = true)),
            ask_for_ever, NULL, NULL),
        VECWIRE_OK);
    asking.in_verb = false;
}

static void
on_tick(evutil_socket_t fd, short what, void *arg)
{
    (void)fd;
    (void)what;
    (void)arg;
    asking.ticks++;
}

/* Nobody to ask, and a name that cannot be asked for. */
#define LABEL_64                                                               \
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

START_TEST(a_name_that_fails_at_once_is_told_from_the_loop_which_goes_on)
{
    static const char *const urls[] = {"http://db.test:1",
                                       "http://" LABEL_64 ".test:1"};
    static const struct timeval soon = {0, 1000};
    struct event_base *base = vecwire_event_base_new();
    struct event *tick = event_new(base, -1, EV_PERSIST, on_tick, NULL);

    event_add(tick, &soon);
    ck_assert_int_eq(
        vecwire_client_new(
            &asking.client, base,
            &VECWIRE_OPTIONS(.url = urls[_i], .resolv_conf = "/dev/null")),
        VECWIRE_OK);
    ask_for_ever(NULL, NULL);
    while (asking.ticks < 3 && asking.runs <= 100000)
        event_base_loop(base, EVLOOP_ONCE);
    ck_assert_uint_ge(asking.ticks, 3);
    vecwire_client_free(asking.client);
    event_free(tick);
    event_base_loop(base, EVLOOP_NONBLOCK);
    event_base_free(base);
}
END_TEST

/* --- keys that are made to collide (75) --- */

static uint64_t
hash_of_another_process(void)
{
    uint64_t hash = 0;
    int pipes[2];
    pid_t pid;

    ck_assert_int_eq(pipe(pipes), 0);
    pid = fork();
    if (pid == 0) {
        hash = vecwire__id_hash("row-1", 5);
        _exit(write(pipes[1], &hash, sizeof(hash)) == sizeof(hash) ? 0 : 1);
    }
    ck_assert_int_eq(read(pipes[0], &hash, sizeof(hash)), sizeof(hash));
    waitpid(pid, NULL, 0);
    close(pipes[0]);
    close(pipes[1]);
    return hash;
}

START_TEST(no_two_servers_hash_ids_alike)
{
    uint64_t one = hash_of_another_process();

    ck_assert_uint_ne(one, hash_of_another_process());
    ck_assert_uint_ne(one, vecwire__id_hash("row-1", 5));
}
END_TEST

/* --- sizes that are too large to be one (70) --- */

START_TEST(a_size_that_overflows_is_out_of_memory)
{
    static const struct vecwire__clock no_clock;
    const struct vecwire_mem *mem = &vecwire__mem_libc;
    struct vecwire__timers timers;
    struct vecwire__buf buf;
    void *array = NULL;
    size_t cap = 0;

    ck_assert(vecwire__mem_array(SIZE_MAX / 4 + 2, 4) == SIZE_MAX);
    ck_assert(vecwire__mem_array(SIZE_MAX / 2 + 2, 2) == SIZE_MAX);
    ck_assert_uint_eq(vecwire__mem_array(3, 4), 12);
    ck_assert_ptr_null(vecwire__mem_alloc(mem, SIZE_MAX));
    ck_assert(!vecwire__mem_grow(mem, &array, &cap, SIZE_MAX / 8 + 2, 8));
    ck_assert(!vecwire__mem_grow(mem, &array, &cap, SIZE_MAX, 1));
    ck_assert(array == NULL && cap == 0);
    vecwire__buf_init(&buf, mem);
    ck_assert(vecwire__buf_str(&buf, "a"));
    ck_assert(!vecwire__buf_reserve(&buf, SIZE_MAX));
    ck_assert(!vecwire__buf_reserve(&buf, SIZE_MAX - 1));
    ck_assert_uint_eq(buf.len, 1);
    vecwire__buf_fini(&buf);
    vecwire__timers_init(&timers, mem, &no_clock);
    ck_assert(vecwire__timers_reserve(&timers, 1));
    ck_assert(!vecwire__timers_reserve(&timers, SIZE_MAX));
    vecwire__timers_fini(&timers);
}
END_TEST

static void
add_tests(TCase *tcase)
{
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, an_answer_may_take_longer_than_the_connect_limit);
    tcase_add_loop_test(
        tcase, the_reason_of_an_early_refusal_reaches_the_caller, 0, 3);
    tcase_add_test(tcase,
                   idle_connections_that_the_server_closes_are_closed_at_once);
    tcase_add_test(tcase,
                   a_server_that_dies_ends_every_call_once_and_is_found_again);
    tcase_add_loop_test(
        tcase,
        nothing_fails_around_the_time_when_a_server_closes_idle_connections, 0,
        3);
    tcase_add_test(tcase,
                   a_hundred_calls_to_a_closed_port_are_refused_once_each);
    tcase_add_loop_test(
        tcase, a_name_that_fails_at_once_is_told_from_the_loop_which_goes_on, 0,
        2);
    tcase_add_test(tcase, no_two_servers_hash_ids_alike);
    tcase_add_test(tcase, a_size_that_overflows_is_out_of_memory);
}

int
main(void)
{
    return client_rig_main("reported", add_tests);
}
