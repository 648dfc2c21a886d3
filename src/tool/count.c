/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/command.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tool/session.h"

static const char help[] = "Usage: vecwire count\n"
                           "\n"
                           "Prints how many rows there are.\n"
                           "\n"
                           "  --filter JSON        only rows that match\n"
                           "  --approximate        an estimate will do\n"
                           "\n" TOOL_COMMON_HELP;

struct count_options {
    struct tool_common common;
    const char *filter;
    bool approximate;
};

static int
run(struct tool_session *session, const struct count_options *options)
{
    const struct vecwire_reply *reply = NULL;
    struct vecwire_refusal refusal = {.text = ""};
    int status = TOOL_DONE;
    enum vecwire_err rc =
        vecwire_count(session->client,
                      &VECWIRE_COUNT(.filter = options->filter,
                                     .approximate = options->approximate,
                                     .refusal = &refusal),
                      vecwire__session_keep, &reply, NULL);

    if (rc != VECWIRE_OK)
        return vecwire__session_refused(session, "", rc, &refusal);
    if (!vecwire__session_wait(session, &reply))
        return TOOL_FAILED;
    if (vecwire_reply_error(reply) != NULL) {
        vecwire__session_failed(session, "", vecwire_reply_error(reply));
        status = TOOL_FAILED;
    } else if (options->common.json) {
        printf("{\"count\":%" PRIu64 "}\n", vecwire_reply_total(reply));
    } else {
        printf("%" PRIu64 "\n", vecwire_reply_total(reply));
    }
    vecwire_reply_release(reply);
    return status;
}

int
vecwire__command_count(int argc, char **argv)
{
    struct count_options options;
    const struct tool_option own[] = {
        {"filter", OPTION_TEXT, &options.filter, 0, 0},
        {"approximate", OPTION_FLAG, &options.approximate, 0, 0},
    };
    struct tool_args args = {.command = "count",
                             .help = help,
                             .options = own,
                             .n_options = sizeof(own) / sizeof(own[0]),
                             .argc = argc,
                             .argv = argv};
    struct tool_session session;
    int status;

    memset(&options, 0, sizeof(options));
    if (!vecwire__args_parse(&args, &options.common, &status))
        return status;
    if (!vecwire__args_has_collections(&args, &options.common) ||
        !vecwire__args_has_collection(&args, &options.common))
        return TOOL_USAGE;
    if (args.n_words > 0) {
        vecwire__args_complain("count", "what is \"%s\"?", args.words[0]);
        return TOOL_USAGE;
    }
    status = vecwire__session_open(&session, "count", &options.common, NULL);
    if (status == TOOL_DONE) {
        status = run(&session, &options);
        vecwire__session_close(&session);
    }
    return status;
}
