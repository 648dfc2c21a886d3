/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that are canceled wherever they are: queued, at a name server, in a
 * handshake, in a request or a reply. Nothing is left of them, whatever comes
 * late, and the pool is as good as new. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/client_rig.h"
#include "tests/counting_mem.h"
#include "tests/name_server.h"
#include "tests/net_rig.h"

#define CANCELS 200
#define MAX_CONNS 600
#define MAX_OPEN 6 /* calls at a time */
#define LONG_BODY ((size_t)8 << 20)
#define HEAD "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n"

enum kind { PLAIN, BY_NAME, OVER_TLS, N_KINDS };

/* What a server does to a connection. One that has answered goes on. */
static const struct fault_step answers[] = {
    {FAULT_READ, NULL, 0}, FAULT_OK("hello", "5"), {FAULT_AGAIN, NULL, 0}};
static const struct fault_step deaf[] = {{FAULT_STALL, NULL, 0}};
static const struct fault_step mute[] = {{FAULT_READ, NULL, 0},
                                         {FAULT_STALL, NULL, 0}};
static const struct fault_step drips[] = {
    {FAULT_READ_HEAD, NULL, 0},
    {FAULT_DRIP, HEAD "01234567890123456789", 1},
    {FAULT_DISCARD, NULL, 0}};
static const struct fault_step half[] = {{FAULT_READ_HEAD, NULL, 0},
                                         {FAULT_SEND, HEAD "0123456789", 0},
                                         {FAULT_STALL, NULL, 0}};
static const struct fault_step goes[] = {{FAULT_READ_HEAD, NULL, 0},
                                         {FAULT_RESET, NULL, 0}};
static const struct fault_step *const all_scripts[] = {answers, deaf, mute,
                                                       drips,   half, goes};

struct storm {
    struct client_rig rig;
    struct counting_mem counting;
    struct event_base *names_base; /* NULL: no names */
    struct name_server *names;
    const struct fault_step *scripts[MAX_CONNS];
    unsigned seed, canceled, completed, submitted;
    unsigned phases[16]; /* canceled ones, by where they were */
    char *body;
};

/* What a call is given for `arg`: dead once its callback has run. */
struct one {
    struct storm *storm;
    vecwire_call_id id;
    bool canceled;
    struct one *next;
};

static struct one *unfinished;

static unsigned
dice(struct storm *storm, unsigned sides)
{
    return (unsigned)rand_r(&storm->seed) % sides;
}

/* --- calls --- */

static void
on_reply(const struct vecwire_reply *reply, void *arg)
{
    const struct vecwire_error *error = vecwire_reply_error(reply);
    struct one *one = arg, **at = &unfinished;
    struct storm *storm = one->storm;

    ck_assert_uint_eq(vecwire_reply_id(reply), one->id);
    if (one->canceled) {
        ck_assert_ptr_nonnull(error);
        ck_assert_int_eq(error->code, VECWIRE_ECANCELED);
        storm->phases[error->phase]++;
    }
    while (*at != one)
        at = &(*at)->next;
    *at = one->next;
    memset(one, 0xa5, sizeof(*one));
    free(one);
    storm->completed++;
}

static void
submit(struct storm *storm, bool with_body)
{
    struct one *one = calloc(1, sizeof(*one));
    struct vecwire_raw_request raw = VECWIRE_RAW(.path = "/");

    ck_assert_ptr_nonnull(one);
    one->storm = storm;
    if (with_body) {
        raw.method = "POST";
        raw.body = storm->body;
        raw.body_len = LONG_BODY;
    }
    ck_assert_int_eq(
        vecwire_raw(storm->rig.client, &raw, on_reply, one, &one->id),
        VECWIRE_OK);
    one->next = unfinished;
    unfinished = one;
    storm->submitted++;
}

/* Most often one of the two that have connections, which they leave to the
 * next: there is as much to be met at a connection's begin as later. */
static void
cancel_one(struct storm *storm)
{
    struct one *open[MAX_OPEN], *one;
    unsigned n = 0;

    for (one = unfinished; one != NULL; one = one->next) {
        if (!one->canceled)
            open[n++] = one;
    }
    if (n == 0)
        return;
    one = open[n - 1 - dice(storm, dice(storm, 4) == 0 || n < 2 ? n : 2)];
    ck_assert(vecwire_cancel(storm->rig.client, one->id));
    one->canceled = true;
    storm->canceled++;
}

/* The name server takes its time. */
static void
pass(struct storm *storm)
{
    event_base_loop(storm->rig.base, EVLOOP_NONBLOCK | EVLOOP_ONCE);
    if (storm->names_base != NULL && dice(storm, 3) == 0)
        event_base_loop(storm->names_base, EVLOOP_NONBLOCK);
}

/* --- the storm --- */

static void
connect_by_name(struct storm *storm)
{
    static const struct name_rule here = {.a = {.addresses = "127.0.0.1"}};
    struct client_rig *rig = &storm->rig;
    char url[64];

    storm->names_base = event_base_new();
    storm->names = name_server_new(storm->names_base, "127.0.0.1", &here, 1);
    vecwire_client_free(rig->client);
    snprintf(url, sizeof(url), "http://db.test:%u",
             (unsigned)fault_server_port(rig->server));
    ck_assert_int_eq(
        vecwire_client_new(
            &rig->client, rig->base,
            &VECWIRE_OPTIONS(.url = url, .connections = 2,
                             .resolv_conf = name_server_conf(storm->names),
                             .mem = &storm->counting.mem)),
        VECWIRE_OK);
}

static struct storm *
storm_new(enum kind kind, unsigned seed)
{
    struct storm *storm = calloc(1, sizeof(*storm));

    ck_assert_ptr_nonnull(storm);
    storm->body = calloc(1, LONG_BODY);
    ck_assert_ptr_nonnull(storm->body);
    storm->seed = seed;
    for (size_t i = 0; i < MAX_CONNS; i++)
        storm->scripts[i] = all_scripts[dice(storm, 6)];
    storm->scripts[MAX_CONNS - 1] = answers;
    counting_mem_init(&storm->counting);
    if (kind == OVER_TLS)
        setenv("VECWIRE_OVER_TLS", "yes", 1);
    client_rig_init(
        &storm->rig, storm->scripts, MAX_CONNS,
        VECWIRE_OPTIONS(.connections = 2, .mem = &storm->counting.mem));
    unsetenv("VECWIRE_OVER_TLS");
    if (kind == BY_NAME)
        connect_by_name(storm);
    return storm;
}

static void
storm_free(struct storm *storm)
{
    client_rig_fini(&storm->rig);
    name_server_free(storm->names);
    if (storm->names_base != NULL)
        event_base_free(storm->names_base);
    ck_assert_uint_eq(storm->counting.blocks, 0);
    free(storm->body);
    free(storm);
}

static void
cancel_many(struct storm *storm)
{
    while (storm->canceled < CANCELS) {
        while (storm->submitted - storm->completed < MAX_OPEN)
            submit(storm, dice(storm, 6) == 0);
        for (unsigned n = dice(storm, dice(storm, 2) == 0 ? 3 : 9); n > 0; n--)
            pass(storm);
        cancel_one(storm);
    }
    while (unfinished != NULL) {
        cancel_one(storm);
        pass(storm);
    }
    for (int i = 0; i < 200; i++)
        pass(storm);
    ck_assert_uint_eq(storm->completed, storm->submitted);
}

/* Each place that there is was met. */
static void
check_phases(const struct storm *storm, enum kind kind)
{
    static const enum vecwire_phase places[N_KINDS][6] = {
        {VECWIRE_PHASE_QUEUED, VECWIRE_PHASE_CONNECTING, VECWIRE_PHASE_SENDING,
         VECWIRE_PHASE_WAITING, VECWIRE_PHASE_RECEIVING, VECWIRE_PHASE_QUEUED},
        {VECWIRE_PHASE_QUEUED, VECWIRE_PHASE_RESOLVING,
         VECWIRE_PHASE_CONNECTING, VECWIRE_PHASE_QUEUED, VECWIRE_PHASE_QUEUED,
         VECWIRE_PHASE_QUEUED},
        {VECWIRE_PHASE_QUEUED, VECWIRE_PHASE_CONNECTING, VECWIRE_PHASE_TLS,
         VECWIRE_PHASE_SENDING, VECWIRE_PHASE_WAITING,
         VECWIRE_PHASE_RECEIVING}};

    for (size_t i = 0; i < 6; i++)
        ck_assert_msg(storm->phases[places[kind][i]] > 0, "never %s",
                      vecwire_phase_name(places[kind][i]));
}

/* From now on each connection is answered. */
static void
calm_down(struct storm *storm)
{
    for (size_t i = 0; i < MAX_CONNS; i++)
        storm->scripts[i] = answers;
    for (int i = 0; i < 4; i++) {
        struct one *one;

        submit(storm, false);
        one = unfinished;
        while (unfinished == one)
            pass(storm);
    }
}

START_TEST(after_200_cancels_anywhere_the_pool_is_whole)
{
    enum kind kind = (enum kind)(_i % N_KINDS);
    const struct vecwire_stats *stats;
    struct storm *storm;
    size_t before;

    storm_free(storm_new(kind, 1)); /* certificates stay open */
    before = rig_descriptors();
    storm = storm_new(kind, (unsigned)_i + 1);
    cancel_many(storm);
    check_phases(storm, kind);
    stats = vecwire_client_stats(storm->rig.client);
    ck_assert_uint_eq(stats->calls_waiting, 0);
    ck_assert_uint_eq(stats->calls_active, 0);
    ck_assert_uint_eq(stats->connections_open, stats->connections_idle);
    ck_assert_uint_eq(stats->late_events, 0);
    calm_down(storm);
    ck_assert_uint_eq(storm->completed, storm->submitted);
    storm_free(storm);
    ck_assert_uint_eq(rig_descriptors(), before);
}
END_TEST

static void
add_tests(TCase *tcase)
{
    int kinds = N_KINDS;

#ifdef VECWIRE_NO_OPENSSL
    kinds = OVER_TLS;
#endif
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, after_200_cancels_anywhere_the_pool_is_whole, 0,
                        kinds);
}

int
main(void)
{
    return client_rig_main("cancels", add_tests);
}
