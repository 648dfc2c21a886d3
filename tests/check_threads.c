/* SPDX-License-Identifier: Apache-2.0 */
/* Several threads, each with a base and a client of its own, and the few things
 * that they may share. Worth most under the thread sanitizer: make tsan. */
#include <check.h>
#include <locale.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <event2/event.h>
#include <vecwire/vecwire.h>

#include "tests/fault_server.h"
#include "tests/float_sample.h"

#define OK "HTTP/1.1 200 OK\r\n"
#define WAIT_MS 20000
#define THREADS 4
#define ROUNDS 40

static const struct fault_step one_match[] = {
    {FAULT_READ, NULL, 0},
    {FAULT_SEND,
     OK "Content-Length: 47\r\n\r\n"
        "{\"matches\":[{\"id\":\"a\",\"score\":0.100000001490}]}",
     0},
    {FAULT_AGAIN, NULL, 0}};
static const struct fault_step *const script[] = {one_match};

static const float vector[] = {0.5f, -1.25f, 1e-30f, 16777216.0f};
#define TEXT "[0.5,-1.25,1e-30,16777216]"

/* A thread, its loop, and what came of its calls. */
struct host {
    pthread_t thread;
    const struct vecwire_hms_mask *mask;
    int kept_fd;          /* where kept replies go; -1: none are kept */
    unsigned right, runs; /* replies */
    const struct vecwire_reply *kept;
    char request[512]; /* the last one */
};

static void
on_reply(const struct vecwire_reply *reply, void *arg)
{
    struct host *host = arg;

    host->runs++;
    if (vecwire_reply_count(reply) == 1 &&
        vecwire_reply_row(reply, 0)->score == 0.1f)
        host->right++;
    if (host->kept_fd >= 0)
        host->kept = vecwire_reply_keep(reply);
}

static void *
query_alone(void *arg)
{
    struct host *host = arg;
    struct event_base *base = vecwire_event_base_new();
    struct fault_server *server =
        fault_server_new(base, "127.0.0.1", script, 1);
    struct vecwire_client *client;
    char url[40];

    snprintf(url, sizeof(url), "http://127.0.0.1:%u",
             (unsigned)fault_server_port(server));
    ck_assert_int_eq(
        vecwire_client_new(&client, base,
                           &VECWIRE_OPTIONS(.url = url, .connections = 2,
                                            .hms_mask = host->mask)),
        VECWIRE_OK);
    for (unsigned i = 0; i < ROUNDS; i++) {
        ck_assert_int_eq(
            vecwire_query(client, &VECWIRE_QUERY(.vector = vector, .dim = 4),
                          on_reply, host, NULL),
            VECWIRE_OK);
        ck_assert_int_eq(vecwire_client_drain(client, WAIT_MS), VECWIRE_OK);
        /* Not before the callback returned. */
        if (host->kept_fd >= 0)
            ck_assert_int_eq(
                write(host->kept_fd, &host->kept, sizeof(host->kept)),
                sizeof(host->kept));
    }
    snprintf(host->request, sizeof(host->request), "%s",
             strstr(fault_server_request(server), "\r\n\r\n"));
    vecwire_client_free(client);
    fault_server_free(server);
    event_base_free(base);
    return NULL;
}

static void
begin(struct host *host)
{
    ck_assert_int_eq(pthread_create(&host->thread, NULL, query_alone, host), 0);
}

static void
end(struct host *host)
{
    ck_assert_int_eq(pthread_join(host->thread, NULL), 0);
    ck_assert_uint_eq(host->runs, ROUNDS);
    ck_assert_uint_eq(host->right, ROUNDS);
}

START_TEST(clients_of_several_threads_share_a_mask)
{
    struct vecwire_hms_mask *mask;
    enum vecwire_err err = vecwire_hms_mask_new(
        &mask, &VECWIRE_HMS_MASK_OPTIONS(.passphrase = "secret"));
    struct host hosts[THREADS];

    if (err == VECWIRE_EUNSUPPORTED)
        return; /* without OpenSSL there is nothing to share */
    ck_assert_int_eq(err, VECWIRE_OK);
    for (size_t i = 0; i < THREADS; i++) {
        hosts[i] = (struct host){.mask = mask, .kept_fd = -1};
        begin(&hosts[i]);
    }
    for (size_t i = 0; i < THREADS; i++) {
        end(&hosts[i]);
        ck_assert_str_eq(hosts[i].request, hosts[0].request);
    }
    ck_assert_ptr_null(strstr(hosts[0].request, TEXT));
    vecwire_hms_mask_free(mask);
}
END_TEST

START_TEST(a_mask_may_be_freed_while_clients_of_other_threads_work)
{
    struct vecwire_hms_mask *mask;
    enum vecwire_err err = vecwire_hms_mask_new(
        &mask, &VECWIRE_HMS_MASK_OPTIONS(.passphrase = "secret"));
    int pipes[2];
    struct host host = {.mask = mask};
    const struct vecwire_reply *reply;

    if (err == VECWIRE_EUNSUPPORTED)
        return; /* without OpenSSL there is nothing to free */
    ck_assert_int_eq(err, VECWIRE_OK);
    ck_assert_int_eq(pipe(pipes), 0);
    host.kept_fd = pipes[1];
    begin(&host);
    for (unsigned i = 0; i < ROUNDS; i++) {
        ck_assert_int_eq(read(pipes[0], &reply, sizeof(reply)), sizeof(reply));
        vecwire_reply_release(reply);
        if (i == 0) /* the client was made, and goes on */
            vecwire_hms_mask_free(mask);
    }
    end(&host);
    close(pipes[0]);
    close(pipes[1]);
}
END_TEST

/* The client's thread gives its replies away and goes on. */
START_TEST(kept_replies_are_read_and_released_by_another_thread)
{
    int pipes[2];
    struct host host = {.kept_fd = -1};
    const struct vecwire_reply *reply;

    ck_assert_int_eq(pipe(pipes), 0);
    host.kept_fd = pipes[1];
    begin(&host);
    for (unsigned i = 0; i < ROUNDS; i++) {
        ck_assert_int_eq(read(pipes[0], &reply, sizeof(reply)), sizeof(reply));
        ck_assert_str_eq(vecwire_reply_row(reply, 0)->id.text, "a");
        ck_assert_str_eq(vecwire_reply_header(reply, "content-length"), "47");
        vecwire_reply_release(reply);
    }
    end(&host);
    close(pipes[0]);
    close(pipes[1]);
}
END_TEST

START_TEST(a_kept_reply_is_released_by_another_thread_after_its_client_is_gone)
{
    int pipes[2];
    struct host host = {.kept_fd = -1};
    const struct vecwire_reply *reply;

    ck_assert_int_eq(pipe(pipes), 0);
    host.kept_fd = pipes[1];
    begin(&host);
    end(&host);
    for (unsigned i = 0; i < ROUNDS; i++) {
        ck_assert_int_eq(read(pipes[0], &reply, sizeof(reply)), sizeof(reply));
        ck_assert(vecwire_reply_row(reply, 0)->score == 0.1f);
        vecwire_reply_release(reply);
    }
    close(pipes[0]);
    close(pipes[1]);
}
END_TEST

static void *
convert(void *arg)
{
    char text[VECWIRE_VECTOR_TEXT_ROOM(4)];
    float back[4];
    size_t len, n;

    ck_assert_int_eq(vecwire_vector_format(vector, 4, text, &len), VECWIRE_OK);
    ck_assert_int_eq(vecwire_vector_parse(text, len, back, 4, &n), VECWIRE_OK);
    *(bool *)arg = n == 4 && memcmp(vector, back, sizeof(back)) == 0 &&
                   vecwire_strerror(VECWIRE_ENOMEM) != NULL;
    return NULL;
}

static atomic_bool stop;

static void *
switch_locales(void *arg)
{
    const char *name = arg;
    unsigned switches = 0;

    for (; !atomic_load(&stop) || switches < 2; switches++)
        ck_assert_ptr_nonnull(
            setlocale(LC_NUMERIC, switches % 2 == 0 ? name : "C"));
    return NULL;
}

START_TEST(a_thread_that_switches_the_locale_changes_no_text_of_another)
{
    struct host host = {.kept_fd = -1};
    pthread_t switcher;
    locale_t held;
    char name[64];
    unsigned n_good = 0;
    bool good;

    if (!locale_with_comma()) {
        printf("SKIP a_thread_that_switches_the_locale_changes_no_text_of_"
               "another: no comma locale here\n");
        return;
    }
    snprintf(name, sizeof(name), "%s", setlocale(LC_NUMERIC, NULL));
    /* One made for the occasion has no file any more. */
    held = duplocale(LC_GLOBAL_LOCALE);
    ck_assert(held != (locale_t)0);
    atomic_store(&stop, false);
    ck_assert_int_eq(pthread_create(&switcher, NULL, switch_locales, name), 0);
    begin(&host);
    for (int i = 0; i < 5000; i++) {
        (void)convert(&good);
        n_good += good;
    }
    end(&host);
    atomic_store(&stop, true);
    ck_assert_int_eq(pthread_join(switcher, NULL), 0);
    ck_assert_ptr_nonnull(strstr(host.request, TEXT));
    ck_assert_uint_eq(n_good, 5000);
    freelocale(held);
}
END_TEST

/* Nothing is worked out on first use: each does the first in this process. */
START_TEST(pure_functions_may_be_called_first_in_several_threads_at_once)
{
    pthread_t threads[THREADS];
    bool good[THREADS];

    for (size_t i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, convert, &good[i]),
                         0);
    for (size_t i = 0; i < THREADS; i++) {
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
        ck_assert(good[i]);
    }
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("threads");
    TCase *tcase = tcase_create("threads");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_set_timeout(tcase, 60);
    tcase_add_test(
        tcase, pure_functions_may_be_called_first_in_several_threads_at_once);
    tcase_add_test(tcase, clients_of_several_threads_share_a_mask);
    tcase_add_test(tcase,
                   a_mask_may_be_freed_while_clients_of_other_threads_work);
    tcase_add_test(tcase, kept_replies_are_read_and_released_by_another_thread);
    tcase_add_test(
        tcase,
        a_kept_reply_is_released_by_another_thread_after_its_client_is_gone);
    tcase_add_test(
        tcase, a_thread_that_switches_the_locale_changes_no_text_of_another);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
