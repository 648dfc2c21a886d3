/* SPDX-License-Identifier: Apache-2.0 */
/* Many queries through 64 connections to a server that misbehaves at random,
 * in a process of its own. Without arguments a short run, plain and over TLS.
 * usage: check_soak [-n QUERIES] [-s SEED] [-r FAULTS-IN-1000] [-t] */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <check.h>
#include <event2/event.h>
#include <vecwire/vecwire.h>

#include "tests/chaos_tls.h"
#include "tests/soak.h"

struct program {
    struct soak_options options;
    bool tls;
};

struct far {
    pid_t pid;
    int until; /* closed: the server ends */
    uint16_t port;
};

static void
on_end(evutil_socket_t fd, short what, void *arg)
{
    (void)fd;
    (void)what;
    event_base_loopbreak(arg);
}

/* Until the other end of `until` is closed. */
static void
serve(const struct chaos_options *options, int ready, int until)
{
    struct event_base *base = event_base_new();
    struct chaos_server *server = chaos_server_new(base, options);
    struct event *end = event_new(base, until, EV_READ, on_end, base);
    uint16_t port = chaos_server_port(server);

    event_add(end, NULL);
    if (write(ready, &port, sizeof(port)) != sizeof(port))
        abort();
    close(ready);
    event_base_dispatch(base);
    event_free(end);
    chaos_server_free(server);
    event_base_free(base);
    close(until);
    libevent_global_shutdown();
}

static bool
far_begin(struct far *far, const struct chaos_options *options)
{
    int ready[2], until[2];
    bool begun;

    if (pipe(ready) != 0 || pipe(until) != 0)
        return false;
    fflush(stdout);
    far->pid = fork();
    if (far->pid == 0) {
        close(ready[0]);
        close(until[1]);
        serve(options, ready[1], until[0]);
        chaos_tls_free(options->tls);
        munmap(options->notes, chaos_notes_size(SOAK_CALLS - 1));
        exit(0);
    }
    close(ready[1]);
    close(until[0]);
    far->until = until[1];
    begun = far->pid > 0 &&
            read(ready[0], &far->port, sizeof(far->port)) == sizeof(far->port);
    close(ready[0]);
    return begun;
}

static bool
far_end(const struct far *far)
{
    int status = 0;

    close(far->until);
    return waitpid(far->pid, &status, 0) == far->pid && status == 0;
}

static bool
run(const struct program *program)
{
    struct soak_options options = program->options;
    size_t size = chaos_notes_size(SOAK_CALLS - 1);
    struct chaos_notes *notes = mmap(NULL, size, PROT_READ | PROT_WRITE,
                                     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct chaos_options server = {.seed = options.seed * 31 + 7,
                                   .per_mille = options.per_mille,
                                   .apart = true,
                                   .notes = notes};
    struct far far;
    char url[64];
    bool right;

    if (notes == MAP_FAILED)
        return false;
    notes->n_markers = SOAK_CALLS - 1;
    if (program->tls)
        server.tls = chaos_tls_new(&options.ca_file);
    if (!far_begin(&far, &server))
        return false;
    snprintf(url, sizeof(url), "http%s://127.0.0.1:%u", program->tls ? "s" : "",
             (unsigned)far.port);
    options.url = url;
    options.notes = notes;
    printf("%s, seed %u\n", program->tls ? "TLS" : "plain", options.seed);
    right = soak_run(&options);
    if (!far_end(&far)) {
        fprintf(stderr, "WRONG: the server did not end well\n");
        right = false;
    }
    chaos_tls_free(server.tls);
    munmap(notes, size);
    return right;
}

static unsigned long
number(const char *text)
{
    char *end;
    unsigned long n = strtoul(text, &end, 10);

    if (*text == '\0' || *end != '\0') {
        fprintf(stderr, "%s is no number\n", text);
        exit(2);
    }
    return n;
}

/* --- The short run, as tests --- */

static const struct soak_options usual = {.queries = 20000,
                                          .seed = 1,
                                          .per_mille = 30,
                                          .samples = 8,
                                          .deadline_ms = 150};

static void
check_run(struct program program)
{
    if (getenv("VECWIRE_VALGRIND") != NULL) {
        program.options.queries = 800;
        program.options.deadline_ms = 2000;
    }
    ck_assert(run(&program));
}

START_TEST(each_answer_is_its_own_and_each_failure_is_explained)
{
    check_run((struct program){.options = usual});
}
END_TEST

#ifndef VECWIRE_NO_OPENSSL

START_TEST(so_it_is_over_tls)
{
    struct program program = {.options = usual, .tls = true};

    program.options.queries /= 2;
    program.options.seed++;
    check_run(program);
}
END_TEST

#endif

static int
short_runs(void)
{
    Suite *suite = suite_create("soak");
    TCase *tcase = tcase_create("soak");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_set_timeout(tcase, 0);
    tcase_add_test(tcase, each_answer_is_its_own_and_each_failure_is_explained);
#ifndef VECWIRE_NO_OPENSSL
    tcase_add_test(tcase, so_it_is_over_tls);
#endif
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int
main(int argc, char **argv)
{
    struct program program = {.options = usual};
    int option;

    if (argc == 1)
        return short_runs();
    program.options.progress = 1000000;
    program.options.samples = SOAK_SAMPLES;
    while ((option = getopt(argc, argv, "n:s:r:t")) != -1) {
        if (option == 'n')
            program.options.queries = number(optarg);
        else if (option == 's')
            program.options.seed = (unsigned)number(optarg);
        else if (option == 'r')
            program.options.per_mille = (unsigned)number(optarg);
        else if (option == 't')
            program.tls = true;
        else
            return 2;
    }
    return run(&program) ? EXIT_SUCCESS : EXIT_FAILURE;
}
