/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <vecwire/vecwire.h>

#include "tool/args.h"
#include "tool/command.h"

static const char help[] =
    "Usage: vecwire COMMAND [OPTION]...\n"
    "\n"
    "Commands:\n"
    "  serve        a small server that answers exact searches from memory\n"
    "  query        search by vector or text\n"
    "  import       write the rows of a .npy, .fvecs or .jsonl file\n"
    "  export       write the rows of a collection to a .npy or .jsonl file\n"
    "  get          rows by id\n"
    "  delete       delete rows by id\n"
    "  count        how many rows there are\n"
    "  collections  list, create, drop or describe collections\n"
    "  load         measure many requests: latency, throughput, CPU\n"
    "  raw          send any request and print the body of the answer\n"
    "\n"
    "vecwire COMMAND --help tells more; vecwire --version the version.\n"
    "Exit status: 0 done, 1 a request failed, 2 wrong usage.\n";

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"serve", vecwire__command_serve},
    {"query", vecwire__command_query},
    {"import", vecwire__command_import},
    {"export", vecwire__command_export},
    {"get", vecwire__command_get},
    {"delete", vecwire__command_delete},
    {"count", vecwire__command_count},
    {"collections", vecwire__command_collections},
    {"load", vecwire__command_load},
    {"raw", vecwire__command_raw},
};

static int
run_command(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
        if (strcmp(argv[0], commands[i].name) == 0)
            return commands[i].run(argc, argv);
    }
    vecwire__args_complain(NULL, "what is \"%s\"? See vecwire --help", argv[0]);
    return TOOL_USAGE;
}

/* A socket must not get the number of a standard stream that the caller
 * closed: what is printed would go to the server. What takes the stream's
 * place cannot be written to, so that output which is lost is noticed. */
static bool
fill_standard_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        /* The lowest number that is free is this one. */
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDONLY) != fd)
            return false;
    }
    return true;
}

/* All that was printed has arrived, or stderr says that it has not. */
static bool
flush_output(void)
{
    bool failed_before = ferror(stdout) != 0;

    if (fflush(stdout) == 0 && !failed_before)
        return true;
    if (failed_before)
        vecwire__args_complain(NULL, "cannot write the output");
    else
        vecwire__args_complain(NULL, "cannot write the output: %s",
                               strerror(errno));
    return false;
}

int
main(int argc, char **argv)
{
    int status = TOOL_DONE;

    if (!fill_standard_streams())
        return TOOL_FAILED;

    /* A connection or a pipe that the other side closed is an error to
     * report, not a reason to die. */
    signal(SIGPIPE, SIG_IGN);
    if (argc < 2) {
        fputs(help, stderr);
        return TOOL_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0)
        fputs(help, stdout);
    else if (strcmp(argv[1], "--version") == 0)
        printf("vecwire %s\n", vecwire_version());
    else
        status = run_command(argc - 1, argv + 1);

    if (!flush_output() && status == TOOL_DONE)
        status = TOOL_FAILED;
    return status;
}
