/* SPDX-License-Identifier: Apache-2.0 */
/* However large a reply is and however it is framed, one pass of the loop
 * takes no more of it than one turn: what else the host has to do comes
 * in between. */
#include <stdlib.h>
#include <string.h>

#include "tests/client_rig.h"
#include "tests/net_rig.h"

#define OK "HTTP/1.1 200 OK\r\n"
#define CHUNKED OK "Transfer-Encoding: chunked\r\n\r\n"
#define MIB ((size_t)1 << 20)
#define BODY (8 * MIB)
#define TURN ((size_t)64 * 1024)

/* The same 8 MiB; the server fills all the buffers there are. */
static const struct fault_step replies[][7] = {
    {{FAULT_READ, NULL, 0},
     {FAULT_SEND, OK "Content-Length: 8388608\r\n\r\n", 0},
     {FAULT_FILL, NULL, BODY},
     {FAULT_STALL, NULL, 0}},
    {{FAULT_READ, NULL, 0},
     {FAULT_SEND, CHUNKED "800000\r\n", 0},
     {FAULT_FILL, NULL, BODY},
     {FAULT_SEND, "\r\n0\r\n\r\n", 0},
     {FAULT_STALL, NULL, 0}},
    {{FAULT_READ, NULL, 0},
     {FAULT_SEND, CHUNKED "700000\r\n", 0},
     {FAULT_FILL, NULL, 7 * MIB},
     {FAULT_SEND, "\r\n100000\r\n", 0},
     {FAULT_FILL, NULL, MIB},
     {FAULT_SEND, "\r\n0\r\n\r\n", 0},
     {FAULT_STALL, NULL, 0}},
    {{FAULT_READ, NULL, 0},
     {FAULT_SEND, OK "Connection: close\r\n\r\n", 0},
     {FAULT_FILL, NULL, BODY},
     {FAULT_END, NULL, 0}},
    {{FAULT_READ, NULL, 0},
     {FAULT_SEND, CHUNKED "800000\r\n", 0},
     {FAULT_FILL, NULL, BODY},
     {FAULT_SEND, "\r\n0\r\n\r\n", 0},
     {FAULT_END, NULL, 0}},
};
#define N_REPLIES ((int)(sizeof(replies) / sizeof(replies[0])))

static void
begin(struct net_rig *rig, struct rig_call *call, const struct fault_step *step)
{
    rig_init(rig, "127.0.0.1", step);
    rig->config.read_per_turn = TURN;
    rig_reconfigure(rig);
    rig_call_init(call, rig);
    rig_send(call);
}

START_TEST(a_pass_takes_no_more_than_one_turn_of_a_reply)
{
    struct net_rig rig;
    struct rig_call call;

    begin(&rig, &call, replies[_i]);
    while (rig.pending > 0) {
        size_t before = call.body_len;

        event_base_loop(rig.base, EVLOOP_ONCE);
        ck_assert_uint_le(call.body_len - before, TURN);
    }
    ck_assert_str_eq(call.log, "sending waiting receiving 200 body end ");
    ck_assert_uint_eq(call.body_len, BODY);
    ck_assert_uint_eq(strspn(call.body, "x"), BODY);
    /* Of the last one's connection the end may have been seen or not. */
    if (_i < 4)
        ck_assert(call.reusable == (_i < 3));
    rig_call_fini(&call);
    rig_fini(&rig);
}
END_TEST

/* Half a chunk has been told: whatever ends the call, the rest is dropped. */
START_TEST(a_call_may_be_closed_between_two_turns)
{
    struct net_rig rig;
    struct rig_call call;

    begin(&rig, &call, replies[1]);
    while (call.body_len == 0)
        event_base_loop(rig.base, EVLOOP_ONCE);
    ck_assert_uint_lt(call.body_len, BODY);
    rig_close(&call);
    rig_turn(&rig);
    ck_assert_uint_lt(call.body_len, BODY);
    ck_assert_uint_eq(call.n_ended + call.n_lost, 0);
    rig_call_fini(&call);
    rig_fini(&rig);
}
END_TEST

static void
add_tests(TCase *tcase)
{
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, a_pass_takes_no_more_than_one_turn_of_a_reply, 0,
                        N_REPLIES);
    tcase_add_test(tcase, a_call_may_be_closed_between_two_turns);
}

int
main(void)
{
    return client_rig_main("turns", add_tests);
}
