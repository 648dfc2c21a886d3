/* SPDX-License-Identifier: Apache-2.0 */
/* From a host to a connection: names, several addresses, the connect limit. */
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/name_server.h"
#include "tests/net_rig.h"

static const struct fault_step hello[] = {
    {FAULT_READ, NULL, 0}, FAULT_OK("hello", "5"), {FAULT_AGAIN, NULL, 0}};
static const struct fault_step *const scripts[] = {hello};

/* A resolv.conf of the test's own. */
static void
write_conf(char *path, const char *text)
{
    int fd;

    strcpy(path, "/tmp/vecwire-resolv-XXXXXX");
    fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, text, strlen(text)), (int)strlen(text));
    close(fd);
}

START_TEST(localhost_is_found_on_ipv4)
{
    struct net_rig rig;
    struct rig_call call;

    rig_init_scripts(&rig, "localhost", "127.0.0.1", scripts, 1);
    rig_call_init(&call, &rig);
    rig_do(&call);
    ck_assert_str_eq(call.body, "hello");
    ck_assert_int_eq(strncmp(call.conn->peer, "127.0.0.1:", 10), 0);
    ck_assert_ptr_nonnull(
        strstr(fault_server_request(rig.server), "\r\nHost: localhost:"));
    rig_call_fini(&call);
    rig_fini(&rig);
}
END_TEST

/* Nothing to test where the machine has no IPv6. */
static bool
has_ipv6(const char *test)
{
    struct event_base *base = event_base_new();
    struct fault_server *server = fault_server_new(base, "::1", scripts, 1);
    bool has = server != NULL;

    if (!has)
        printf("SKIP %s: no IPv6 here\n", test);
    fault_server_free(server);
    event_base_free(base);
    return has;
}

START_TEST(localhost_is_found_on_ipv6)
{
    struct net_rig rig;
    struct rig_call call;

    if (!has_ipv6("localhost_is_found_on_ipv6"))
        return;
    rig_init_scripts(&rig, "localhost", "::1", scripts, 1);
    rig_call_init(&call, &rig);
    rig_do(&call);
    ck_assert_str_eq(call.body, "hello");
    ck_assert_int_eq(strncmp(call.conn->peer, "[::1]:", 6), 0);
    rig_call_fini(&call);
    rig_fini(&rig);
}
END_TEST

START_TEST(an_ipv6_literal_keeps_its_brackets_in_the_host_header)
{
    struct net_rig rig;
    struct rig_call call;

    if (!has_ipv6("an_ipv6_literal_keeps_its_brackets_in_the_host_header"))
        return;
    rig_init_scripts(&rig, "[::1]", "::1", scripts, 1);
    rig_call_init(&call, &rig);
    rig_do(&call);
    ck_assert_str_eq(call.body, "hello");
    ck_assert_ptr_nonnull(
        strstr(fault_server_request(rig.server), "\r\nHost: [::1]:"));
    rig_call_fini(&call);
    rig_fini(&rig);
}
END_TEST

START_TEST(when_every_address_refuses_the_loss_names_host_and_last_address)
{
    struct net_rig rig;
    struct rig_call call;

    rig_init_scripts(&rig, "localhost", "127.0.0.1", scripts, 1);
    fault_server_stop_listening(rig.server);
    rig_call_init(&call, &rig);
    rig_do(&call);
    ck_assert_int_eq(call.code, VECWIRE_EREFUSED);
    ck_assert_ptr_nonnull(strstr(call.detail, "localhost"));
    ck_assert_ptr_nonnull(strstr(call.detail, "127.0.0.1:"));
    ck_assert_ptr_nonnull(strstr(call.detail, "refused"));
    rig_fini(&rig);
}
END_TEST

/* A listener whose queue is full: what connects to it gets no answer. Its
 * port is `port`, or any when that is 0. The clients that fill it are in
 * fds[1] and up. */
#define N_FILLERS 4

static uint16_t
deaf_listener(int family, uint16_t port, int fds[N_FILLERS + 1])
{
    struct sockaddr_in v4 = {.sin_family = AF_INET,
                             .sin_port = htons(port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6,
                              .sin6_port = htons(port),
                              .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    struct sockaddr *sa =
        family == AF_INET ? (struct sockaddr *)&v4 : (struct sockaddr *)&v6;
    socklen_t len = family == AF_INET ? sizeof(v4) : sizeof(v6);
    int on = 1;

    fds[0] = socket(family, SOCK_STREAM, 0);
    ck_assert_int_ge(fds[0], 0);
    if (family == AF_INET6)
        setsockopt(fds[0], IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
    ck_assert_int_eq(bind(fds[0], sa, len), 0);
    ck_assert_int_eq(listen(fds[0], 0), 0);
    ck_assert_int_eq(getsockname(fds[0], sa, &len), 0);
    for (int i = 1; i <= N_FILLERS; i++) {
        fds[i] = socket(family, SOCK_STREAM | SOCK_NONBLOCK, 0);
        (void)connect(fds[i], sa, len);
    }
    return ntohs(family == AF_INET ? v4.sin_port : v6.sin6_port);
}

static void
close_deaf(int fds[N_FILLERS + 1])
{
    for (int i = 0; i <= N_FILLERS; i++)
        close(fds[i]);
}

START_TEST(the_connect_limit_covers_a_server_that_does_not_accept)
{
    int fds[N_FILLERS + 1];
    struct net_rig rig;
    struct rig_call call;

    rig_init_scripts(&rig, "127.0.0.1", "127.0.0.1", scripts, 1);
    rig.config.url.port = deaf_listener(AF_INET, 0, fds);
    rig.config.connect_ms = 50;
    rig_reconfigure(&rig);
    rig_call_init(&call, &rig);
    rig_do(&call);
    ck_assert_str_eq(call.log, "lost ");
    ck_assert_int_eq(call.code, VECWIRE_ETIMEDOUT);
    ck_assert(!call.sent_any);
    ck_assert_ptr_nonnull(strstr(call.detail, "no answer in time"));
    close_deaf(fds);
    rig_fini(&rig);
}
END_TEST

START_TEST(an_address_that_does_not_answer_leaves_time_for_the_next)
{
    int fds[N_FILLERS + 1];
    struct net_rig rig;
    struct rig_call call;

    if (!has_ipv6("an_address_that_does_not_answer_leaves_time_for_the_next"))
        return;
    rig_init_scripts(&rig, "localhost", "127.0.0.1", scripts, 1);
    deaf_listener(AF_INET6, fault_server_port(rig.server), fds);
    rig.config.connect_ms = 400;
    rig_reconfigure(&rig);
    rig_call_init(&call, &rig);
    rig_do(&call);
    ck_assert_str_eq(call.body, "hello");
    ck_assert_int_eq(strncmp(call.conn->peer, "127.0.0.1:", 10), 0);
    close_deaf(fds);
    rig_call_fini(&call);
    rig_fini(&rig);
}
END_TEST

#define SILENT                                                                 \
    {                                                                          \
        .fault = NAME_SILENT                                                   \
    }
static const struct name_rule good = {.a = {.addresses = "127.0.0.1"}};
static const struct name_rule v4_alone = {.a = {.addresses = "127.0.0.1"},
                                          .aaaa = SILENT};
static const struct name_rule unknown = {.a = {.rcode = 3},
                                         .aaaa = {.rcode = 3}};
static const struct name_rule fails = {.a = {.rcode = 2}, .aaaa = {.rcode = 2}};
static const struct name_rule silent = {.a = SILENT, .aaaa = SILENT};

/* A rig whose host is looked up at a server with that rule. */
static struct name_server *
names_init(struct net_rig *rig, const struct name_rule *rule, const char *host)
{
    struct name_server *server;

    rig_init_scripts(rig, host, "127.0.0.1", scripts, 1);
    server = name_server_new(rig->base, "127.0.0.1", rule, 1);
    rig->config.resolv_conf = name_server_conf(server);
    rig_reconfigure(rig);
    return server;
}

static void
names_fini(struct net_rig *rig, struct name_server *server)
{
    rig_turn(rig);
    name_server_free(server);
    rig_fini(rig);
}

START_TEST(a_name_is_looked_up_and_connected_to)
{
    struct name_server *server;
    struct net_rig rig;
    struct rig_call call;

    server = names_init(&rig, &good, "db.example");
    rig_call_init(&call, &rig);
    rig_do(&call);
    ck_assert_str_eq(
        call.log,
        "resolving connecting sending waiting receiving 200 body end ");
    ck_assert_uint_ge(name_server_queries(server), 1);
    ck_assert_ptr_nonnull(
        strstr(fault_server_request(rig.server), "\r\nHost: db.example:"));
    rig_call_fini(&call);
    names_fini(&rig, server);
}
END_TEST

START_TEST(each_new_connection_looks_the_name_up_anew)
{
    struct name_server *server;
    struct net_rig rig;
    struct rig_call first, second;
    size_t queries;

    server = names_init(&rig, &good, "db.example");
    rig_call_init(&first, &rig);
    rig_do(&first);
    queries = name_server_queries(server);
    rig_do(&first); /* warm: no question */
    ck_assert_uint_eq(name_server_queries(server), queries);
    rig_call_init(&second, &rig);
    rig_do(&second);
    ck_assert_uint_gt(name_server_queries(server), queries);
    rig_call_fini(&first);
    rig_call_fini(&second);
    names_fini(&rig, server);
}
END_TEST

START_TEST(an_answer_for_ipv4_alone_is_enough)
{
    struct name_server *server;
    struct net_rig rig;
    struct rig_call call;

    server = names_init(&rig, &v4_alone, "db.example");
    rig_call_init(&call, &rig);
    rig_do(&call);
    ck_assert_str_eq(call.body, "hello");
    rig_call_fini(&call);
    names_fini(&rig, server);
}
END_TEST

START_TEST(a_name_that_does_not_exist_is_no_refused_connection)
{
    struct name_server *server;
    struct net_rig rig;
    struct rig_call call;

    server = names_init(&rig, &unknown, "nowhere.example");
    rig_call_init(&call, &rig);
    rig_do(&call);
    ck_assert_str_eq(call.log, "resolving lost ");
    ck_assert_int_eq(call.code, VECWIRE_ERESOLVE);
    ck_assert_ptr_nonnull(strstr(call.detail, "nowhere.example"));
    names_fini(&rig, server);
}
END_TEST

START_TEST(a_name_server_that_fails_is_told_as_such)
{
    struct name_server *server;
    struct net_rig rig;
    struct rig_call call;

    server = names_init(&rig, &fails, "db.example");
    rig.config.connect_ms = 300;
    rig_reconfigure(&rig);
    rig_call_init(&call, &rig);
    rig_do(&call);
    ck_assert(call.code == VECWIRE_ERESOLVE || call.code == VECWIRE_ETIMEDOUT);
    names_fini(&rig, server);
}
END_TEST

START_TEST(the_connect_limit_covers_a_name_server_that_never_answers)
{
    struct name_server *server;
    struct net_rig rig;
    struct rig_call call;

    server = names_init(&rig, &silent, "db.example");
    rig.config.connect_ms = 100;
    rig_reconfigure(&rig);
    rig_call_init(&call, &rig);
    rig_do(&call);
    ck_assert_str_eq(call.log, "resolving lost ");
    ck_assert_int_eq(call.code, VECWIRE_ETIMEDOUT);
    ck_assert_ptr_nonnull(strstr(call.detail, "db.example"));
    names_fini(&rig, server);
}
END_TEST

START_TEST(without_a_name_server_a_name_is_refused)
{
    struct net_rig rig;
    struct rig_call call;
    char path[64];

    write_conf(path, "");
    rig_init_scripts(&rig, "db.example", "127.0.0.1", scripts, 1);
    rig.config.resolv_conf = path;
    rig_reconfigure(&rig);
    rig_call_init(&call, &rig);
    rig_do(&call);
    ck_assert_str_eq(call.log, "resolving lost ");
    ck_assert_int_eq(call.code, VECWIRE_ERESOLVE);
    unlink(path);
    rig_turn(&rig);
    rig_fini(&rig);
}
END_TEST

START_TEST(a_look_up_may_be_closed_and_its_late_answer_hits_nothing)
{
    struct name_server *server;
    struct net_rig rig;
    struct rig_call call;

    server = names_init(&rig, &good, "db.example");
    rig_call_init(&call, &rig);
    rig_send(&call);
    rig_close(&call);
    rig.pending = 0;
    rig_turn(&rig);
    ck_assert_str_eq(call.log, "");
    names_fini(&rig, server);
}
END_TEST

START_TEST(the_net_may_be_freed_in_a_look_up)
{
    struct name_server *server;
    struct net_rig rig;
    struct rig_call call;

    server = names_init(&rig, _i == 1 ? &silent : &good, "db.example");
    rig_call_init(&call, &rig);
    rig_send(&call);
    while (name_server_queries(server) == 0)
        event_base_loop(rig.base, EVLOOP_ONCE);
    rig_free_net(&rig);
    rig.pending = 0;
    rig_turn(&rig);
    ck_assert_str_eq(call.log, "resolving ");
    names_fini(&rig, server);
}
END_TEST

/* Trap 20. */
START_TEST(after_a_look_up_the_loop_returns)
{
    struct name_server *server;
    struct net_rig rig;
    struct rig_call call;

    server = names_init(&rig, &unknown, "nowhere.example");
    rig_call_init(&call, &rig);
    rig_do(&call);
    rig_close(&call);
    name_server_stop(server);
    fault_server_stop_listening(rig.server);
    ck_assert_int_eq(event_base_dispatch(rig.base), 1);
    names_fini(&rig, server);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("resolve");
    TCase *tcase = tcase_create("resolve");
    SRunner *runner;
    int failed;

    tcase_set_timeout(tcase, 60);
    RIG_TEST(localhost_is_found_on_ipv4);
    RIG_TEST(localhost_is_found_on_ipv6);
    RIG_TEST(an_ipv6_literal_keeps_its_brackets_in_the_host_header);
    RIG_TEST(when_every_address_refuses_the_loss_names_host_and_last_address);
    RIG_TEST(the_connect_limit_covers_a_server_that_does_not_accept);
    RIG_TEST(an_address_that_does_not_answer_leaves_time_for_the_next);
    RIG_TEST(a_name_is_looked_up_and_connected_to);
    RIG_TEST(each_new_connection_looks_the_name_up_anew);
    RIG_TEST(an_answer_for_ipv4_alone_is_enough);
    RIG_TEST(a_name_that_does_not_exist_is_no_refused_connection);
    RIG_TEST(a_name_server_that_fails_is_told_as_such);
    RIG_TEST(the_connect_limit_covers_a_name_server_that_never_answers);
    RIG_TEST(without_a_name_server_a_name_is_refused);
    RIG_TEST(a_look_up_may_be_closed_and_its_late_answer_hits_nothing);
    tcase_add_loop_test(tcase, the_net_may_be_freed_in_a_look_up, 0, 2);
    RIG_TEST(after_a_look_up_the_loop_returns);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
