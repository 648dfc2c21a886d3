/* SPDX-License-Identifier: Apache-2.0 */
/* Closing, freeing, sending and opening in every state and every upcall. */
#include <stdlib.h>
#include <string.h>

#include "tests/net_rig.h"

#define OK "HTTP/1.1 200 OK\r\n"
#define HELLO OK "Content-Length: 5\r\n\r\nhello"
#define MIB ((size_t)1 << 20)

static const struct fault_step keep_alive[] = {
    {FAULT_READ, NULL, 0}, {FAULT_SEND, HELLO, 0}, {FAULT_AGAIN, NULL, 0}};

static const struct fault_step hundred_kb[] = {
    {FAULT_READ, NULL, 0},
    {FAULT_SEND, OK "Content-Length: 100000\r\n\r\n", 0},
    {FAULT_FILL, NULL, 100000},
    {FAULT_AGAIN, NULL, 0}};

static const char chunked[] =
    OK "Transfer-Encoding: Chunked\r\nX-Test: yes\r\n\r\n"
       "3\r\nhel\r\n2\r\nlo\r\n0\r\nTrailer: 1\r\n\r\n";

static const struct fault_step gated[] = {
    {FAULT_READ, NULL, 0}, {FAULT_SEND, OK "Content-Length: 5\r\n", 0},
    {FAULT_GATE, NULL, 0}, {FAULT_SEND, "\r\nhe", 0},
    {FAULT_GATE, NULL, 0}, {FAULT_SEND, "llo", 0},
    {FAULT_GATE, NULL, 0}, {FAULT_END, NULL, 0}};

static void
done(struct net_rig *rig, struct rig_call *call)
{
    rig_call_fini(call);
    rig_fini(rig);
}

/* How far a request has come when it is closed. */
static void
go_to(struct rig_call *call, int state)
{
    struct net_rig *rig = call->rig;

    if (state == 0)
        call->conn = vecwire__net_transport.open(rig->net);
    else
        rig_send(call);
    while (state >= 2 && fault_server_requests(rig->server) == 0)
        event_base_loop(rig->base, EVLOOP_ONCE);
    while (state >= 3 && call->conn->first_byte_ns == 0)
        event_base_loop(rig->base, EVLOOP_ONCE);
    fault_server_open_gate(rig->server);
    while (state >= 4 && call->body_len == 0)
        event_base_loop(rig->base, EVLOOP_ONCE);
    fault_server_open_gate(rig->server);
    if (state >= 5)
        rig_run(rig);
    fault_server_open_gate(rig->server);
    if (state >= 6)
        rig_run_until(rig, &call->n_idle_lost);
}

/* Closed by itself or with its net: no upcall follows, nothing is left. */
START_TEST(a_connection_may_be_closed_in_every_state)
{
    struct net_rig rig;
    struct rig_call call;
    char log[sizeof(call.log)];
    size_t before;

    rig_init(&rig, "127.0.0.1", gated);
    rig_turn(&rig);
    before = rig_descriptors();
    rig_call_init(&call, &rig);
    go_to(&call, _i / 2);
    strcpy(log, call.log);
    if (_i % 2 == 0)
        rig_close(&call);
    else
        rig_free_net(&rig);
    rig_turn(&rig);
    ck_assert_str_eq(call.log, log);
    fault_server_open_gate(rig.server);
    rig_turn(&rig);
    fault_server_open_gate(rig.server);
    rig_turn(&rig);
    ck_assert_str_eq(call.log, log);
    ck_assert_uint_le(rig_descriptors(), before + 1);
    done(&rig, &call);
}
END_TEST

/* In an upcall that ends nothing, the request ends by this. */
static void
close_it(struct rig_call *call)
{
    if (call->n_ended + call->n_lost == 0)
        call->rig->pending--;
    rig_close(call);
}

static void
free_net(struct rig_call *call)
{
    if (call->n_ended + call->n_lost == 0)
        call->rig->pending--;
    rig_free_net(call->rig);
}

static void
break_and_free(struct rig_call *call)
{
    event_base_loopbreak(call->rig->base);
    free_net(call);
}

static const struct fault_step lost[] = {
    {FAULT_READ, NULL, 0},
    {FAULT_SEND, OK "Content-Length: 50\r\n\r\nhello", 0},
    {FAULT_END, NULL, 0}};
static const struct fault_step idle_lost[] = {
    {FAULT_READ, NULL, 0}, {FAULT_SEND, HELLO, 0}, {FAULT_END, NULL, 0}};

static void
act_in_upcall(enum rig_at at, const struct fault_step *script,
              void (*act)(struct rig_call *call))
{
    struct net_rig rig;
    struct rig_call call;
    char log[sizeof(call.log)];

    /* There the end comes with the reply: the connection is never idle. */
    if (rig_over_tls() && at == RIG_IDLE_LOST)
        return;
    rig_init(&rig, "127.0.0.1", script);
    rig_call_init(&call, &rig);
    call.act_at = at;
    call.act = act;
    rig_do(&call);
    if (at == RIG_IDLE_LOST)
        rig_run_until(&rig, &call.n_idle_lost);
    strcpy(log, call.log);
    if (act != break_and_free)
        rig_turn(&rig);
    ck_assert_int_eq(call.act_at, RIG_NOWHERE); /* it has come to it */
    ck_assert_str_eq(call.log, log);
    done(&rig, &call);
}

START_TEST(any_upcall_may_close_the_connection_or_free_the_net)
{
    static void (*const acts[])(struct rig_call *) = {close_it, free_net,
                                                      break_and_free};
    void (*act)(struct rig_call *) = acts[_i % 3];
    static const struct fault_step chunks[] = {{FAULT_READ, NULL, 0},
                                               {FAULT_SEND, chunked, 0},
                                               {FAULT_STALL, NULL, 0}};

    switch (_i / 3) {
    case RIG_LOST:
        act_in_upcall(RIG_LOST, lost, act);
        break;
    case RIG_IDLE_LOST:
        act_in_upcall(RIG_IDLE_LOST, idle_lost, act);
        break;
    case RIG_NOWHERE:
        act_in_upcall(RIG_BODY, chunks, act);
        break;
    default:
        act_in_upcall((enum rig_at)(_i / 3), keep_alive, act);
        break;
    }
}
END_TEST

START_TEST(a_refused_connection_may_free_the_net)
{
    struct net_rig rig;
    struct rig_call call;

    rig_init(&rig, "127.0.0.1", keep_alive);
    fault_server_stop_listening(rig.server);
    rig_call_init(&call, &rig);
    call.act_at = RIG_LOST;
    call.act = free_net;
    rig_do(&call);
    rig_turn(&rig);
    ck_assert_int_eq(call.code, VECWIRE_EREFUSED);
    done(&rig, &call);
}
END_TEST

static struct rig_call other;

static void
close_the_other(struct rig_call *call)
{
    call->rig->pending--;
    rig_close(&other);
}

START_TEST(an_upcall_may_close_another_connection)
{
    struct net_rig rig;
    struct rig_call call;

    rig_init(&rig, "127.0.0.1", keep_alive);
    rig_call_init(&call, &rig);
    rig_call_init(&other, &rig);
    call.act_at = (enum rig_at)_i;
    call.act = close_the_other;
    rig_send(&call);
    rig_send(&other);
    rig_run(&rig);
    ck_assert_uint_eq(call.n_ended, 1);
    rig_call_fini(&other);
    done(&rig, &call);
}
END_TEST

static void
open_the_other(struct rig_call *call)
{
    (void)call;
    rig_send(&other);
}

START_TEST(an_upcall_may_open_another_connection)
{
    struct net_rig rig;
    struct rig_call call;

    rig_init(&rig, "127.0.0.1", keep_alive);
    rig_call_init(&call, &rig);
    rig_call_init(&other, &rig);
    call.act_at = (enum rig_at)_i;
    call.act = open_the_other;
    rig_do(&call);
    ck_assert_uint_eq(call.n_ended + other.n_ended, 2);
    ck_assert_uint_eq(fault_server_connections(rig.server), 2);
    rig_call_fini(&other);
    done(&rig, &call);
}
END_TEST

static const struct fault_step chunked_forever[] = {
    {FAULT_READ, NULL, 0}, {FAULT_SEND, chunked, 0}, {FAULT_AGAIN, NULL, 0}};
static const struct fault_step dripping[] = {
    {FAULT_READ, NULL, 0}, {FAULT_DRIP, chunked, 40}, {FAULT_AGAIN, NULL, 0}};
static const struct fault_step resetting[] = {{FAULT_READ, NULL, 0},
                                              {FAULT_SEND, HELLO, 0},
                                              {FAULT_READ_HEAD, NULL, 0},
                                              {FAULT_RESET, NULL, 0}};
static const struct fault_step mute[] = {{FAULT_END, NULL, 0}};
static const struct fault_step *const mixture[] = {
    keep_alive, lost,      idle_lost, chunked_forever,
    dripping,   resetting, mute,      hundred_kb};

/* The next request of one of the connections; on what is left of it, or anew.
 */
static void
random_send(struct rig_call *call, const char *body, unsigned *seed)
{
    if (call->conn != NULL && (!call->reusable || call->n_idle_lost != 0 ||
                               !vecwire__net_transport.quiet(call->conn)))
        rig_close(call);
    call->n_idle_lost = 0;
    call->reusable = false;
    call->req.method = VECWIRE__POST;
    call->req.body = body;
    call->req.body_len =
        (size_t)rand_r(seed) % (rand_r(seed) % 4 == 0 ? 3 * MIB : 4000);
    call->act_at = rand_r(seed) % 3 == 0
                       ? (enum rig_at)(rand_r(seed) % (RIG_LOST + 1))
                       : RIG_NOWHERE;
    call->act = close_it;
    rig_send(call);
}

START_TEST(every_request_of_a_random_mixture_ends_once)
{
    struct net_rig rig;
    struct rig_call calls[8];
    unsigned seed = (unsigned)_i + 1;
    size_t before;
    char *body = calloc(3, MIB);

    ck_assert_ptr_nonnull(body);
    before = rig_descriptors();
    rig_init_scripts(&rig, "127.0.0.1", "127.0.0.1", mixture, 8);
    for (int i = 0; i < 8; i++)
        rig_call_init(&calls[i], &rig);
    for (int round = 0; round < 60; round++) {
        for (int i = 0; i < 8; i++)
            random_send(&calls[i], body, &seed);
        rig_run(&rig);
        for (int i = 0; i < 8; i++)
            ck_assert_uint_le(calls[i].n_ended + calls[i].n_lost, 1);
    }
    for (int i = 0; i < 8; i++)
        rig_call_fini(&calls[i]);
    rig_fini(&rig);
    ck_assert_uint_eq(rig_descriptors(), before);
    free(body);
}
END_TEST

static void
add_tests(TCase *tcase)
{
    tcase_add_loop_test(tcase, a_connection_may_be_closed_in_every_state, 0,
                        14);
    tcase_add_loop_test(tcase,
                        any_upcall_may_close_the_connection_or_free_the_net, 0,
                        (RIG_IDLE_LOST + 1) * 3);
    RIG_TEST(a_refused_connection_may_free_the_net);
    tcase_add_loop_test(tcase, an_upcall_may_close_another_connection,
                        RIG_SENDING, RIG_END);
    tcase_add_loop_test(tcase, an_upcall_may_open_another_connection,
                        RIG_SENDING, RIG_END + 1);
    tcase_add_loop_test(tcase, every_request_of_a_random_mixture_ends_once, 0,
                        5);
}

int
main(void)
{
    Suite *suite = suite_create("reentry");
    TCase *tcase = tcase_create("reentry");
    SRunner *runner;
    int failed;

    tcase_set_timeout(tcase, 60);
    add_tests(tcase);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
