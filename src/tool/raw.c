/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/body.h"
#include "tool/output.h"
#include "tool/session.h"

static const char help[] =
    "Usage: vecwire raw METHOD PATH [--body JSON | --body-file F]\n"
    "\n"
    "Sends any request and prints the body of the answer, whatever its\n"
    "status; 400 or more exits 1.\n"
    "\n"
    "  --body JSON          send this body\n"
    "  --body-file F        send this file as the body\n"
    "  --repeat N           send it N times, one after another (1)\n"
    "  --output FILE        write the body there, not to stdout\n"
    "\n" TOOL_COMMON_HELP;

struct raw_options {
    struct tool_common common;
    const char *method;
    const char *path;
    const char *body;
    const char *body_file;
    const char *output;
    uint64_t repeat; /* 0: not given */
};

/* Sums over all requests, and the last reply. */
struct raw_result {
    const struct vecwire_reply *last;
    uint64_t requests;
    uint64_t bad; /* answered with 400 or more */
    uint64_t wakeups;
    uint64_t loop_iterations;
};

static bool
parse_options(struct raw_options *options, int argc, char **argv, int *status)
{
    const struct tool_option own[] = {
        {"body", OPTION_TEXT, &options->body, 0, 0},
        {"body-file", OPTION_TEXT, &options->body_file, 0, 0},
        {"repeat", OPTION_U64, &options->repeat, 1, UINT64_MAX},
        {"output", OPTION_TEXT, &options->output, 0, 0},
    };
    struct tool_args args = {.command = "raw",
                             .help = help,
                             .options = own,
                             .n_options = sizeof(own) / sizeof(own[0]),
                             .argc = argc,
                             .argv = argv};

    memset(options, 0, sizeof(*options));
    if (!vecwire__args_parse(&args, &options->common, status))
        return false;
    *status = TOOL_USAGE;
    if (args.n_words != 2) {
        vecwire__args_complain("raw", "METHOD and PATH are needed; see "
                                      "vecwire raw --help");
        return false;
    }
    if (options->body != NULL && options->body_file != NULL) {
        vecwire__args_complain("raw", "--body or --body-file, not both");
        return false;
    }
    options->method = args.words[0];
    options->path = args.words[1];
    return true;
}

static bool
write_file(const char *path, const char *body, size_t len)
{
    FILE *file = fopen(path, "wb");
    bool fine = file != NULL && fwrite(body, 1, len, file) == len;

    if (file != NULL && fclose(file) != 0)
        fine = false;
    if (!fine)
        vecwire__args_complain("raw", "%s: %s", path, strerror(errno));
    return fine;
}

static int
print_result(const struct raw_options *options, const struct raw_result *result)
{
    size_t len;
    const char *body = vecwire_reply_body(result->last, &len);

    if (options->output != NULL && !write_file(options->output, body, len))
        return TOOL_FAILED;
    if (!options->common.json) {
        if (options->output == NULL)
            fwrite(body, 1, len, stdout);
        return TOOL_DONE;
    }
    printf("{\"status\":%u,\"body\":", vecwire_reply_status(result->last));
    if (options->output != NULL || !vecwire__output_is_text(body, len))
        body = NULL;
    vecwire__output_string(stdout, body, len);
    printf(",\"body_bytes\":%zu,\"wakeups\":%llu,\"loop_iterations\":%llu", len,
           (unsigned long long)result->wakeups,
           (unsigned long long)result->loop_iterations);
    if (options->repeat > 0)
        printf(",\"requests\":%llu", (unsigned long long)result->requests);
    puts("}");
    return TOOL_DONE;
}

/* Send one request and wait. True: an answer with a status came. */
static bool
send_one(struct tool_session *session,
         const struct vecwire_raw_request *request, struct raw_result *result,
         int *status)
{
    const struct vecwire_error *error;
    enum vecwire_err rc;

    vecwire_reply_release(result->last);
    result->last = NULL;
    rc = vecwire_raw(session->client, request, vecwire__session_keep,
                     &result->last, NULL);
    if (rc != VECWIRE_OK) {
        *status = vecwire__session_refused(session, "", rc, request->refusal);
        return false;
    }
    if (!vecwire__session_wait(session, &result->last)) {
        *status = TOOL_FAILED;
        return false;
    }
    error = vecwire_reply_error(result->last);
    result->requests++;
    result->wakeups += vecwire_reply_wakeups(result->last);
    result->loop_iterations += vecwire_reply_loop_iterations(result->last);
    if (error != NULL && error->code == VECWIRE_EHTTP) {
        if (error->http_status >= 400) {
            result->bad++;
            *status = TOOL_FAILED;
        }
    } else if (error != NULL) {
        vecwire__session_failed(session, request->path, error);
        *status = TOOL_FAILED;
        return false;
    }
    return true;
}

static int
run(struct tool_session *session, const struct raw_options *options,
    const char *body, size_t len)
{
    struct raw_result result = {NULL, 0, 0, 0, 0};
    struct vecwire_refusal refusal = {.text = ""};
    struct vecwire_raw_request request =
        VECWIRE_RAW(.method = options->method, .path = options->path,
                    .body = body, .body_len = len, .refusal = &refusal);
    uint64_t wanted = options->repeat == 0 ? 1 : options->repeat;
    int status = TOOL_DONE;
    bool answered = true;

    for (uint64_t i = 0; i < wanted && answered; i++)
        answered = send_one(session, &request, &result, &status);
    if (answered) {
        const struct vecwire_error *error = vecwire_reply_error(result.last);

        if (print_result(options, &result) != TOOL_DONE)
            status = TOOL_FAILED;
        fflush(stdout);
        if (error != NULL && error->http_status >= 400)
            vecwire__session_failed(session, options->path, error);
        else if (result.bad > 0)
            vecwire__args_complain(
                "raw",
                "%s at %s: %llu of %llu answers had a status of 400 "
                "or more",
                options->path, session->url, (unsigned long long)result.bad,
                (unsigned long long)result.requests);
    }
    vecwire_reply_release(result.last);
    return status;
}

int
vecwire__command_raw(int argc, char **argv)
{
    struct raw_options options;
    struct tool_session session;
    char *file = NULL;
    const char *body;
    size_t len = 0;
    int status;

    if (!parse_options(&options, argc, argv, &status))
        return status;
    body = options.body;
    if (body != NULL)
        len = strlen(body);
    if (options.body_file != NULL) {
        body = file = vecwire__body_read("raw", options.body_file, &len);
        if (file == NULL)
            return TOOL_USAGE;
    }
    status = vecwire__session_open(&session, "raw", &options.common, NULL);
    if (status == TOOL_DONE) {
        status = run(&session, &options, body, len);
        vecwire__session_close(&session);
    }
    free(file);
    return status;
}
