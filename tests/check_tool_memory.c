/* SPDX-License-Identifier: Apache-2.0 */
/* Each allocation of a command that reads or writes rows fails once, alone or
 * with all that follow: exit status 1 and a line that says why, or it was
 * not needed. The linker leads the calls of malloc() in our objects here;
 * jansson has hooks. */
#include <check.h>
#include <event2/event.h>
#include <jansson.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "server/server.h"
#include "tool/args.h"
#include "tool/command.h"

/* The linker's names.
 * NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *block, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *block, size_t size);
_Noreturn void __wrap_exit(int status);
/* NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */

static size_t *asked; /* so far; the commands' processes share it */
static size_t fail_at;
static bool and_after, armed;

static bool
fails(void)
{
    if (!armed)
        return false;
    ++*asked;
    return *asked == fail_at || (and_after && fail_at != 0 && *asked > fail_at);
}

void *
__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *
__wrap_calloc(size_t n, size_t size)
{
    return fails() ? NULL : __real_calloc(n, size);
}

void *
__wrap_realloc(void *block, size_t size)
{
    return fails() ? NULL : __real_realloc(block, size);
}

static void *
jansson_malloc(size_t size)
{
    return __wrap_malloc(size);
}

/* What the tool does not give back is nobody's matter. */
void
__wrap_exit(int status)
{
    armed = false;
    fflush(NULL);
    _exit(status);
}

/* --- a server --- */

static char url[320];
static pid_t server_pid;

static void
serve(int to)
{
    struct event_base *base = event_base_new();
    struct vecwire__server *server;
    char err[256];

    server = vecwire__server_new(
        base, &(struct vecwire__server_options){.dim = 3, .seed_rows = 5}, err,
        sizeof(err));
    if (server == NULL ||
        write(to, vecwire__server_url(server), sizeof(url)) != sizeof(url))
        _exit(1);
    event_base_dispatch(base);
    _exit(0);
}

static void
start_server(void)
{
    int ends[2];

    ck_assert_int_eq(pipe(ends), 0);
    server_pid = fork();
    ck_assert_int_ge(server_pid, 0);
    if (server_pid == 0)
        serve(ends[1]);
    close(ends[1]);
    ck_assert_int_eq(read(ends[0], url, sizeof(url)), sizeof(url));
    close(ends[0]);
}

/* --- files --- */

static char rows[] = "check_tool_memory.XXXXXX.jsonl";
static char points[] = "check_tool_memory.XXXXXX.jsonl";
static char copy[sizeof(points) + 4], copied_ids[sizeof(copy) + 6];

/* What Qdrant has: numbers, and vectors in more than one form. */
static void
write_points(void)
{
    int fd = mkstemps(points, 6);

    ck_assert_int_ge(fd, 0);
    ck_assert_int_gt(dprintf(fd, "{\"id\":7,\"vector\":[1,2,0]}\n"
                                 "{\"id\":8,\"vector\":{\"\":[1,2,1]},"
                                 "\"payload\":{\"a\":1}}\n"),
                     0);
    close(fd);
    snprintf(copy, sizeof(copy), "%.*s.npy", (int)sizeof(points) - 7, points);
    snprintf(copied_ids, sizeof(copied_ids), "%.*s.ids.jsonl",
             (int)sizeof(points) - 7, points);
}

static void
write_rows(void)
{
    int fd = mkstemps(rows, 6);

    ck_assert_int_ge(fd, 0);
    for (int i = 0; i < 5; i++)
        ck_assert_int_gt(dprintf(fd,
                                 "{\"id\":\"r%d\",\"vector\":[1,%d,0],"
                                 "\"payload\":{\"n\":%d}}\n",
                                 i, i, i),
                         0);
    close(fd);
}

static void
set_up(void)
{
    asked = mmap(NULL, sizeof(*asked), PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert(asked != MAP_FAILED);
    write_rows();
    write_points();
    start_server();
}

static void
tear_down(void)
{
    unlink(rows);
    unlink(points);
    unlink(copy);
    unlink(copied_ids);
    if (server_pid <= 0)
        return;
    kill(server_pid, SIGKILL);
    waitpid(server_pid, NULL, 0);
}

/* --- commands --- */

#define DEMO "--dialect=qdrant", "--collection=demo", "--url", url

static const struct command {
    int (*run)(int argc, char **argv);
    const char *argv[10];
} commands[] = {
    {vecwire__command_query,
     {"query", "--vector", "[1,0.5,0]", "--with-payload", "--url", url}},
    {vecwire__command_import, {"import", rows, "--batch", "2", "--url", url}},
    {vecwire__command_query,
     {"query", "--vector", "[1,0.5,0]", "--with-vector", DEMO}},
    {vecwire__command_import, {"import", points, DEMO}},
    {vecwire__command_export, {"export", copy, DEMO}},
    {vecwire__command_get, {"get", "1", "2", DEMO}},
    {vecwire__command_count, {"count", DEMO}},
    {vecwire__command_collections, {"collections", "info", DEMO}},
    {vecwire__command_delete, {"delete", "7", DEMO}},
};

#define N_COMMANDS ((int)(sizeof(commands) / sizeof(commands[0])))

_Noreturn static void
be_command(const struct command *command)
{
    char *argv[10];
    int argc = 0;

    /* Words are put in front of the options in place. */
    memcpy(argv, command->argv, sizeof(argv));
    while (argv[argc] != NULL)
        argc++;
    json_set_alloc_funcs(jansson_malloc, free);
    armed = true;
    __wrap_exit(command->run(argc, argv));
}

/* Its exit status, and in `said` what it wrote to stderr. */
static int
run(const struct command *command, char *said, size_t size)
{
    FILE *err = tmpfile(), *out = tmpfile();
    int status;
    size_t n;
    pid_t pid;

    ck_assert(err != NULL && out != NULL);
    *asked = 0;
    fflush(NULL);
    pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        dup2(fileno(out), STDOUT_FILENO);
        dup2(fileno(err), STDERR_FILENO);
        be_command(command);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    rewind(err);
    n = fread(said, 1, size - 1, err);
    said[n] = '\0';
    fclose(err);
    fclose(out);
    ck_assert_msg(WIFEXITED(status), "%s, allocation %zu: signal %d, %s",
                  command->argv[0], fail_at, WTERMSIG(status), said);
    return WEXITSTATUS(status);
}

/* One line, or where nothing works any more one for each thing that is given
 * up, and none that blames something else. */
static bool
blames_memory(const char *said)
{
    unsigned lines = 0;

    for (; *said != '\0'; said = strchr(said, '\n') + 1) {
        const char *word = strstr(said, " memory"), *end = strchr(said, '\n');

        if (end == NULL || word == NULL || word > end)
            return false;
        lines++;
    }
    return lines == 1 || (and_after && lines > 0);
}

START_TEST(each_allocation_of_a_command_may_fail)
{
    const struct command *command = &commands[_i / 2];
    char said[4096];
    size_t all;

    fail_at = 0;
    ck_assert_int_eq(run(command, said, sizeof(said)), TOOL_DONE);
    ck_assert_str_eq(said, "");
    all = *asked;
    ck_assert_uint_gt(all, 10);
    and_after = _i % 2 == 1;
    for (fail_at = 1; fail_at <= all; fail_at++) {
        int status = run(command, said, sizeof(said));

        if (status == TOOL_DONE && said[0] == '\0')
            continue;
        ck_assert_msg(status == TOOL_FAILED && blames_memory(said),
                      "%s, allocation %zu of %zu: status %d, %s",
                      command->argv[0], fail_at, all, status, said);
    }
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("tool memory");
    TCase *tcase = tcase_create("tool memory");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_set_timeout(tcase, 60);
    tcase_add_unchecked_fixture(tcase, set_up, tear_down);
    tcase_add_loop_test(tcase, each_allocation_of_a_command_may_fail, 0,
                        2 * N_COMMANDS);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
