/* SPDX-License-Identifier: Apache-2.0 */
/* A child that fork() made shares its parent's sockets and epoll set. Whatever
 * it does with the client, the parent does not feel it. */
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/stand_rig.h"

/* In the child, which reports by its exit status. */
static void
sure(bool is_so, const char *what)
{
    if (is_so)
        return;
    fprintf(stderr, "child: %s\n", what);
    _exit(1);
}

/* All is well. Memcheck would count what is the parent's as lost here, so it
 * does not see the end. */
static void
leave(void)
{
    if (getenv("VECWIRE_VALGRIND") != NULL)
        execlp("true", "true", NULL);
    _exit(0);
}

/* Connections to the server that this process has open. */
static unsigned
connections_here(const struct stand_rig *stand)
{
    unsigned n = 0;

    for (int fd = 0; fd < 1024; fd++) {
        struct sockaddr_in peer = {.sin_family = AF_UNSPEC};
        socklen_t len = sizeof(peer);

        if (getpeername(fd, (struct sockaddr *)&peer, &len) == 0 &&
            peer.sin_family == AF_INET &&
            ntohs(peer.sin_port) == fault_server_port(stand->rig.server))
            n++;
    }
    return n;
}

/* --- what a child may do --- */

static void
free_client(struct stand_rig *stand)
{
    unsigned ended = stand->runs;

    vecwire_client_free(stand->rig.client);
    sure(stand->runs == stand->calls, "a call did not end once");
    sure(stand->n_code[VECWIRE_ECLOSED] + stand->n_code[VECWIRE_ECANCELED] ==
             stand->runs - ended,
         "a call did not end with ECLOSED");
    sure(stand->upload_runs == stand->uploads, "an upload did not end once");
    sure(connections_here(stand) == 0, "a descriptor is left");
}

static void
free_all(struct stand_rig *stand)
{
    free_client(stand);
    vecwire_uploader_free(stand->up);
    sure(stand->counting.blocks == 0, "memory is left");
}

static void
do_nothing(struct stand_rig *stand)
{
    (void)stand;
}

static void
reinit_and_free(struct stand_rig *stand)
{
    sure(event_reinit(stand->rig.base) == 0, "event_reinit failed");
    free_all(stand);
}

static void
free_and_reinit(struct stand_rig *stand)
{
    free_all(stand);
    sure(event_reinit(stand->rig.base) == 0, "event_reinit failed");
}

static void
free_uploader_and_client(struct stand_rig *stand)
{
    vecwire_uploader_free(stand->up);
    sure(stand->upload_runs == stand->uploads, "the upload did not end");
    stand->up = NULL;
    free_all(stand);
}

static void
free_client_and_base(struct stand_rig *stand)
{
    free_all(stand);
    event_base_free(stand->rig.base);
}

/* Nothing is sent for it, and nothing breaks. */
static void
use_it(struct stand_rig *stand)
{
    static const float row[3] = {1, 2, 3};
    static const char *const ids[] = {"a"};
    struct vecwire_client *client = stand->rig.client;
    struct vecwire_uploader *up;

    sure(stand_call(stand) == VECWIRE_ECLOSED, "a call was taken");
    sure(vecwire_uploader_new(&up, client, NULL) == VECWIRE_ECLOSED,
         "an upload was begun");
    if (stand->up != NULL) {
        sure(vecwire_uploader_add(stand->up,
                                  &VECWIRE_UPSERT(.matrix = row, .dim = 3,
                                                  .rows = 1, .ids = ids),
                                  NULL) == VECWIRE_ECLOSED,
             "a row was taken");
        sure(!vecwire_uploader_cancel(stand->up), "an upload was canceled");
        vecwire_uploader_end(stand->up);
    }
    sure(vecwire_client_drain(client, 1000) == VECWIRE_ECLOSED, "drained");
    sure(vecwire_client_close(client, 0, NULL, NULL) == VECWIRE_ECLOSED,
         "closed");
    sure(!vecwire_cancel(client, stand->id), "a call was canceled");
    sure(!vecwire_resume(client, stand->id), "a call was resumed");
    sure(vecwire_client_stats(client) != NULL, "no statistics");
    free_all(stand);
}

static void
on_answer(const struct vecwire_reply *reply, void *arg)
{
    *(bool *)arg = vecwire_reply_error(reply) == NULL;
}

static bool
answers(enum stand which)
{
    return which == STAND_NEW || which == STAND_IDLE || which == STAND_QUEUED ||
           which == STAND_SENT || which == STAND_CONNECTING ||
           which == STAND_CANCELED;
}

/* A client of its own, on a base of its own. */
static void
live_alone(struct stand_rig *stand)
{
    static const float vector[] = {1, 2, 3};
    bool is_https = strncmp(stand->rig.url, "https", 5) == 0;
    struct event_base *base = vecwire_event_base_new();
    struct vecwire_client *client;
    bool good = false;

    free_all(stand);
    sure(vecwire_client_new(
             &client, base,
             &VECWIRE_OPTIONS(.url = stand->rig.url, .insecure = is_https)) ==
             VECWIRE_OK,
         "no new client");
    if (answers(stand->stand)) {
        sure(vecwire_query(client, &VECWIRE_QUERY(.vector = vector, .dim = 3),
                           on_answer, &good, NULL) == VECWIRE_OK,
             "no query");
        sure(vecwire_client_drain(client, RIG_PATIENCE_MS) == VECWIRE_OK,
             "no answer");
        sure(good, "no good answer");
    }
    vecwire_client_free(client);
    event_base_free(base);
}

static const struct way {
    const char *name;
    void (*run)(struct stand_rig *stand);
    bool exits; /* by exit(), and not by _exit() */
} ways[] = {
    {"exit", do_nothing, true},
    {"free", free_all, false},
    {"free and exit", free_all, true},
    {"reinit and free", reinit_and_free, false},
    {"free and reinit", free_and_reinit, false},
    {"free uploader and client", free_uploader_and_client, false},
    {"free client and base", free_client_and_base, false},
    {"use", use_it, false},
    {"live alone", live_alone, false},
};
#define N_WAYS ((int)(sizeof(ways) / sizeof(ways[0])))

/* --- the parent --- */

static void
run_child(struct stand_rig *stand, const struct way *way)
{
    way->run(stand);
    if (way->exits && getenv("VECWIRE_VALGRIND") == NULL)
        exit(0);
    leave();
}

/* The server lives in the parent. */
static void
wait_for(pid_t pid, struct stand_rig *stand, const struct way *way)
{
    int status;
    pid_t ended;

    do {
        fault_server_open_gate(stand->rig.server);
        event_base_loop(stand->rig.base, EVLOOP_NONBLOCK);
        ended = waitpid(pid, &status, WNOHANG);
    } while (ended == 0 || (ended < 0 && errno == EINTR));
    ck_assert_int_eq(ended, pid);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0,
                  "%s, %s: status %d", stand_names[stand->stand], way->name,
                  status);
}

static void
fork_and_wait(struct stand_rig *stand, const struct way *way, bool server_runs)
{
    pid_t pid = fork();
    int status;

    ck_assert_int_ge(pid, 0);
    if (pid == 0)
        run_child(stand, way);
    if (server_runs) {
        wait_for(pid, stand, way);
        return;
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0,
                  "%s, %s: status %d", stand_names[stand->stand], way->name,
                  status);
}

/* Every call has its answer, on the connections that there were. */
static void
check_parent(struct stand_rig *stand, const struct way *way)
{
    const struct vecwire_stats *stats;
    bool lives_alone = way->run == live_alone && answers(stand->stand);
    unsigned canceled =
        stand->stand == STAND_RESOLVING || stand->stand == STAND_SHAKING ||
        stand->stand == STAND_GAP || stand->stand == STAND_CANCELED;

    stats = vecwire_client_stats(stand->rig.client);
    ck_assert_msg(
        stand->n_code[VECWIRE_OK] == stand->calls - canceled &&
            stand->n_code[VECWIRE_ECANCELED] == canceled &&
            stand->upload_code == VECWIRE_OK && stats->connections_lost == 0 &&
            stats->connections_failed == 0,
        "%s, %s: %u of %u good, %u canceled, %llu lost",
        stand_names[stand->stand], way->name, stand->n_code[VECWIRE_OK],
        stand->calls, stand->n_code[VECWIRE_ECANCELED],
        (unsigned long long)stats->connections_lost);
    if (stand->stand != STAND_SHAKING && stand->stand != STAND_CANCELED)
        ck_assert_msg(fault_server_connections(stand->rig.server) ==
                          stats->connections_opened + lives_alone,
                      "%s, %s: connections", stand_names[stand->stand],
                      way->name);
}

static void
say_no_goodbye(const struct stand_rig *stand, const struct way *way)
{
#ifndef VECWIRE_NO_OPENSSL
    bool lives_alone = way->run == live_alone && answers(stand->stand);

    if (stand->rig.tls != NULL && !lives_alone &&
        stand->stand != STAND_CANCELED)
        ck_assert_uint_eq(fault_server_goodbyes(stand->rig.server), 0);
#else
    (void)stand;
    (void)way;
#endif
}

static void
try(enum stand which, const struct way *way, struct event_base *base)
{
    struct stand_rig stand;

    if (!stand_begin(&stand, which, base))
        return;
    fork_and_wait(&stand, way, way->run == live_alone);
    stand_let_go(&stand);
    stand_finish(&stand);
    /* And once more on the same connection. */
    if (which == STAND_IDLE || which == STAND_SENT || which == STAND_RECEIVING)
        ck_assert_int_eq(stand_call(&stand), VECWIRE_OK);
    stand_finish(&stand);
    say_no_goodbye(&stand, way);
    check_parent(&stand, way);
    stand_end(&stand);
}

START_TEST(a_child_does_not_disturb_its_parent)
{
    const struct way *way = &ways[_i];

    for (int which = 0; which < STAND_N; which++) {
        /* This one tells the kernel of each change at once, */
        try((enum stand)which, way, event_base_new());
        /* and this one in its next pass. */
        try((enum stand)which, way, vecwire_event_base_new());
    }
}
END_TEST

/* --- from inside a callback --- */

static void
fork_here(struct stand_rig *stand)
{
    static const struct way way = {"in a callback", free_client, false};

    fork_and_wait(stand, &way, false);
}

START_TEST(a_child_of_a_callback_may_free_the_client_there)
{
    static const enum stand stands[] = {STAND_QUEUED, STAND_SENT,
                                        STAND_RECEIVING};
    static const struct way way = {"in a callback", free_client, false};

    for (size_t i = 0; i < 3; i++) {
        struct stand_rig stand;

        ck_assert(stand_begin(&stand, stands[i], event_base_new()));
        ck_assert_int_eq(stand_call(&stand), VECWIRE_OK);
        stand.then = fork_here;
        stand_finish(&stand);
        ck_assert_int_eq(stand_call(&stand), VECWIRE_OK);
        stand_finish(&stand);
        check_parent(&stand, &way);
        stand_end(&stand);
    }
}
END_TEST

START_TEST(a_client_that_a_child_made_is_its_own)
{
    static const struct way way = {"live alone", live_alone, false};
    struct stand_rig stand;
    pid_t pid;
    int status;

    ck_assert(stand_begin(&stand, STAND_IDLE, event_base_new()));
    pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        struct stand_rig own;

        sure(stand_begin(&own, STAND_IDLE, event_base_new()), "no client");
        fork_and_wait(&own, &way, true);
        sure(stand_call(&own) == VECWIRE_OK, "no call");
        stand_finish(&own);
        sure(own.n_code[VECWIRE_OK] == 2, "no answer");
        stand_end(&own);
        leave();
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
    stand_end(&stand);
}
END_TEST

static void
add(TCase *tcase)
{
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, a_child_does_not_disturb_its_parent, 0, N_WAYS);
    tcase_add_test(tcase, a_child_of_a_callback_may_free_the_client_there);
    tcase_add_test(tcase, a_client_that_a_child_made_is_its_own);
}

int
main(void)
{
    return client_rig_main("fork", add);
}
