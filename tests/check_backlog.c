/* SPDX-License-Identifier: Apache-2.0 */
/* A server that hangs, and a caller who does not stop asking: what is held is
 * bounded, each call ends once, in the order of their coming. */
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/client_rig.h"
#include "tests/counting_mem.h"

#define MANY 1000000U
#define CONNECTIONS 2U
#define WAITING 1000U
#define MOST (CONNECTIONS + WAITING)

static const struct fault_step mute[] = {{FAULT_STALL, NULL, 0}};
static const struct fault_step deaf[] = {{FAULT_READ, NULL, 0},
                                         {FAULT_STALL, NULL, 0}};
static const struct fault_step gated[] = {{FAULT_READ, NULL, 0},
                                          {FAULT_GATE, NULL, 0},
                                          FAULT_OK("hello", "5"),
                                          {FAULT_AGAIN, NULL, 0}};
static const struct fault_step answers[] = {
    {FAULT_READ, NULL, 0}, FAULT_OK("hello", "5"), {FAULT_AGAIN, NULL, 0}};

/* Pages of this process in memory. */
static long
resident_kib(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    long total, resident;

    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fscanf(file, "%ld %ld", &total, &resident), 2);
    fclose(file);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

/* --- calls, numbered --- */

struct crowd {
    struct client_rig rig;
    struct counting_mem held;
    size_t taken, refused; /* verbs */
    size_t ended;          /* callbacks */
    size_t n_code[64];
    uint32_t deadline_ms;
    const void *body;
    size_t body_len;
    size_t out_of_order; /* the k-th that was taken is not the k-th to end */
    vecwire_call_id id;  /* of the last one */
};

struct one {
    struct crowd *crowd;
    size_t number;
};

static struct one ones[2 * MANY];

static void
on_reply(const struct vecwire_reply *reply, void *arg)
{
    const struct vecwire_error *error = vecwire_reply_error(reply);
    struct one *one = arg;
    struct crowd *crowd = one->crowd;

    if (crowd == NULL)
        ck_abort_msg("call %zu has ended twice", one->number);
    one->crowd = NULL;
    crowd->out_of_order += one->number != crowd->ended;
    crowd->ended++;
    crowd->n_code[error == NULL ? VECWIRE_OK : error->code]++;
}

static enum vecwire_err
submit(struct crowd *crowd)
{
    struct one *one = &ones[crowd->taken];
    enum vecwire_err err;

    *one = (struct one){crowd, crowd->taken};
    err = vecwire_raw(
        crowd->rig.client,
        &VECWIRE_RAW(.method = "POST", .path = "/", .body = crowd->body,
                     .body_len = crowd->body_len,
                     .call = &VECWIRE_CALL_OPTIONS(.deadline_ms =
                                                       crowd->deadline_ms)),
        on_reply, one, &crowd->id);
    if (err == VECWIRE_OK) {
        crowd->taken++;
        return err;
    }
    /* Each assertion costs a system call, even one that holds. */
    if (err != VECWIRE_EFULL)
        ck_abort_msg("%s", vecwire_err_name(err));
    crowd->refused++;
    return err;
}

static void
crowd_init(struct crowd *crowd, const struct fault_step *const *script,
           struct vecwire_options options)
{
    memset(crowd, 0, sizeof(*crowd));
    counting_mem_init(&crowd->held);
    crowd->deadline_ms = VECWIRE_NEVER;
    options.mem = &crowd->held.mem;
    if (options.connections == 0)
        options.connections = CONNECTIONS;
    if (options.max_waiting == 0)
        options.max_waiting = WAITING;
    client_rig_init(&crowd->rig, script, 1, options);
}

static void
crowd_fini(struct crowd *crowd)
{
    client_rig_fini(&crowd->rig);
    ck_assert_uint_eq(crowd->held.bytes, 0);
}

static void
free_client(struct crowd *crowd)
{
    vecwire_client_free(crowd->rig.client);
    crowd->rig.client = NULL;
}

static void
turn(struct crowd *crowd, int passes)
{
    for (int i = 0; i < passes; i++)
        event_base_loop(crowd->rig.base, EVLOOP_NONBLOCK);
}

/* A million, with passes of the loop in between. */
static void
submit_many(struct crowd *crowd, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        (void)submit(crowd);
        if (i % 1000 == 0)
            turn(crowd, 1);
    }
}

/* --- the server takes connections and does no more, or reads and does no
 * more, or does not even take them --- */

enum hang { MUTE, DEAF, UNACCEPTED, N_HANGS };

/* A port where the kernel takes connections and nobody else does. */
static int
listen_only(char *url, size_t size)
{
    struct sockaddr_in sin = {.sin_family = AF_INET,
                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(sin);
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(bind(fd, (struct sockaddr *)&sin, len), 0);
    ck_assert_int_eq(listen(fd, 16), 0);
    ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&sin, &len), 0);
    snprintf(url, size, "http://127.0.0.1:%u", (unsigned)ntohs(sin.sin_port));
    return fd;
}

START_TEST(a_million_calls_to_a_server_that_hangs_are_bounded_and_end_once)
{
    static const struct fault_step *const scripts[] = {mute, deaf, mute};
    const struct vecwire_stats *stats;
    struct crowd crowd;
    char url[40];
    int listener = listen_only(url, sizeof(url));
    size_t held;
    long resident;

    crowd_init(&crowd, &scripts[_i],
               VECWIRE_OPTIONS(.url = _i == UNACCEPTED ? url : NULL));
    submit_many(&crowd, 2 * MOST);
    ck_assert_uint_eq(crowd.taken, MOST);
    held = crowd.held.bytes;
    resident = resident_kib();
    submit_many(&crowd, MANY - 2 * MOST);
    ck_assert_uint_eq(crowd.taken, MOST);
    ck_assert_uint_eq(crowd.refused, MANY - MOST);
    ck_assert_uint_eq(crowd.held.bytes, held);
    ck_assert_uint_le(crowd.held.most, held + 4096);
    /* A page a few; a call a page would be 4,000,000. */
    ck_assert_int_lt(resident_kib() - resident, 1024);
    ck_assert_uint_eq(crowd.ended, 0);
    stats = vecwire_client_stats(crowd.rig.client);
    ck_assert_uint_eq(stats->calls_refused, crowd.refused);
    ck_assert_uint_eq(stats->calls_waiting, WAITING);
    free_client(&crowd);
    ck_assert_uint_eq(crowd.ended, MOST);
    ck_assert_uint_eq(crowd.n_code[VECWIRE_ECLOSED], MOST);
    ck_assert_uint_eq(crowd.out_of_order, 0);
    close(listener);
    crowd_fini(&crowd);
}
END_TEST

START_TEST(calls_that_wait_are_bounded_in_bytes_as_well)
{
    static const struct fault_step *const script[] = {mute};
    static const char body[2000];
    const size_t most = 1 << 20;
    struct crowd crowd;
    const struct vecwire_stats *stats;

    crowd_init(&crowd, script,
               VECWIRE_OPTIONS(.max_waiting = MANY, .max_waiting_bytes = most));
    crowd.body = body;
    crowd.body_len = sizeof(body);
    submit_many(&crowd, 20000);
    stats = vecwire_client_stats(crowd.rig.client);
    ck_assert_uint_le(stats->waiting_bytes, most);
    ck_assert_uint_gt(stats->waiting_bytes, most - 2 * sizeof(body));
    ck_assert_uint_lt(crowd.taken, most / sizeof(body) + 1 + CONNECTIONS);
    ck_assert_uint_eq(crowd.taken + crowd.refused, 20000);
    /* Beside the bytes, a call of less than 1.5 KiB each. */
    ck_assert_uint_lt(crowd.held.most, most + crowd.taken * 1536 + 65536);
    free_client(&crowd);
    ck_assert_uint_eq(crowd.ended, crowd.taken);
    ck_assert_uint_eq(crowd.out_of_order, 0);
    crowd_fini(&crowd);
}
END_TEST

static void
cancel(struct crowd *crowd)
{
    if (!vecwire_cancel(crowd->rig.client, crowd->id))
        ck_abort_msg("no call to cancel");
}

/* Each cancel makes room for the next, and holds memory until its callback. */
START_TEST(a_million_calls_that_are_canceled_at_once_are_bounded)
{
    static const struct fault_step *const script[] = {mute};
    static const char body[2000];
    struct crowd crowd;
    size_t held;

    crowd_init(&crowd, script, VECWIRE_OPTIONS(.url = NULL));
    crowd.body = body;
    crowd.body_len = sizeof(body);
    /* As many as can be there may be replaced, even within one pass. */
    for (size_t i = 0; i < MOST; i++)
        ck_assert_int_eq(submit(&crowd), VECWIRE_OK);
    for (size_t i = 0; i < WAITING; i++) {
        cancel(&crowd);
        ck_assert_int_eq(submit(&crowd), VECWIRE_OK);
    }
    cancel(&crowd);
    for (size_t i = 0; i < 2 * MOST; i++)
        if (submit(&crowd) == VECWIRE_OK)
            cancel(&crowd);
    held = crowd.held.bytes;
    /* Their bodies are gone. */
    ck_assert_uint_lt(held, MOST * (sizeof(body) + 1536) + MOST * 1792);
    for (size_t i = 0; i < MANY; i++)
        if (submit(&crowd) == VECWIRE_OK)
            cancel(&crowd);
    ck_assert_uint_le(crowd.taken, 3 * MOST);
    ck_assert_uint_eq(crowd.held.bytes, held);
    turn(&crowd, 3);
    ck_assert_int_eq(submit(&crowd), VECWIRE_OK);
    free_client(&crowd);
    ck_assert_uint_eq(crowd.ended, crowd.taken);
    crowd_fini(&crowd);
}
END_TEST

/* --- the order in which they end --- */

enum end { BY_DEADLINE, BY_CLOSE, BY_FREE, BY_ANSWER, N_ENDS };

static void
end_all(struct crowd *crowd, enum end end)
{
    if (end == BY_CLOSE)
        ck_assert_int_eq(vecwire_client_close(crowd->rig.client, 0, NULL, NULL),
                         VECWIRE_OK);
    if (end == BY_FREE)
        free_client(crowd);
    for (int i = 0; i < 1000000 && crowd->ended < crowd->taken; i++) {
        if (end == BY_ANSWER)
            fault_server_open_gate(crowd->rig.server);
        event_base_loop(crowd->rig.base, EVLOOP_ONCE);
    }
}

START_TEST(calls_that_wait_end_in_the_order_in_which_they_came)
{
    static const struct fault_step *const script[] = {gated};
    static const enum vecwire_err codes[N_ENDS] = {
        VECWIRE_ETIMEDOUT, VECWIRE_ECLOSED, VECWIRE_ECLOSED, VECWIRE_OK};
    struct crowd crowd;

    crowd_init(&crowd, script, VECWIRE_OPTIONS(.connections = 1));
    crowd.deadline_ms = _i == BY_DEADLINE ? 50 : VECWIRE_NEVER;
    while (submit(&crowd) == VECWIRE_OK)
        continue;
    ck_assert_uint_eq(crowd.taken, 1 + WAITING);
    end_all(&crowd, (enum end)_i);
    ck_assert_uint_eq(crowd.n_code[codes[_i]], 1 + WAITING);
    ck_assert_uint_eq(crowd.out_of_order, 0);
    crowd_fini(&crowd);
}
END_TEST

/* --- room again --- */

static void
submit_again(const struct vecwire_reply *reply, void *arg)
{
    struct crowd *crowd = arg;

    ck_assert_ptr_null(vecwire_reply_error(reply));
    ck_assert_int_eq(submit(crowd), VECWIRE_OK);
    ck_assert_int_eq(submit(crowd), VECWIRE_EFULL);
}

START_TEST(the_completion_of_a_call_is_where_there_is_room_for_the_next)
{
    static const struct fault_step *const script[] = {answers};
    struct crowd crowd;

    crowd_init(&crowd, script, VECWIRE_OPTIONS(.connections = 1));
    ck_assert_int_eq(vecwire_raw(crowd.rig.client, &VECWIRE_RAW(.path = "/"),
                                 submit_again, &crowd, NULL),
                     VECWIRE_OK);
    while (submit(&crowd) == VECWIRE_OK)
        continue;
    ck_assert_uint_eq(crowd.taken, WAITING);
    end_all(&crowd, BY_ANSWER);
    ck_assert_uint_eq(crowd.taken, WAITING + 1);
    ck_assert_uint_eq(crowd.n_code[VECWIRE_OK], WAITING + 1);
    crowd_fini(&crowd);
}
END_TEST

static void
add_tests(TCase *tcase)
{
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(
        tcase, a_million_calls_to_a_server_that_hangs_are_bounded_and_end_once,
        0, N_HANGS);
    tcase_add_test(tcase, calls_that_wait_are_bounded_in_bytes_as_well);
    tcase_add_test(tcase,
                   a_million_calls_that_are_canceled_at_once_are_bounded);
    tcase_add_loop_test(
        tcase, calls_that_wait_end_in_the_order_in_which_they_came, 0, N_ENDS);
    tcase_add_test(
        tcase, the_completion_of_a_call_is_where_there_is_room_for_the_next);
}

int
main(void)
{
    return client_rig_main("backlog", add_tests);
}
