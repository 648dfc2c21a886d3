/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/command.h"

#include <stdio.h>
#include <string.h>

#include "tool/tally.h"
#include "tool/session.h"

static const char help[] =
    "Usage: vecwire delete ID...\n"
    "\n"
    "Deletes rows by id; an unknown id is no error. Put -- before ids that\n"
    "begin with a dash.\n"
    "\n" TOOL_COMMON_HELP;

/* What to exit with for this id. *go_on is false when the server cannot be
 * reached, so that the ids left need not be tried. */
static int
delete_one(struct tool_session *session, struct tally *tally, uint64_t row,
           const char *id, bool *go_on)
{
    const struct vecwire_reply *reply = NULL;
    const struct vecwire_error *error;
    struct vecwire_refusal refusal = {.text = ""};
    char reason[1024], what[300];
    enum vecwire_err rc = vecwire_delete(
        session->client,
        &VECWIRE_DELETE(.ids = &id, .rows = 1, .refusal = &refusal),
        vecwire__session_keep, &reply, NULL);

    snprintf(what, sizeof(what), "id \"%s\"", id);
    if (rc != VECWIRE_OK) {
        vecwire__tally_fail(tally, row, id, rc, refusal.text);
        return vecwire__session_refused(session, what, rc, &refusal);
    }
    if (!vecwire__session_wait(session, &reply)) {
        *go_on = false;
        vecwire__tally_fail(tally, row, id, VECWIRE_EIO, "no reply");
        return TOOL_FAILED;
    }
    error = vecwire_reply_error(reply);
    if (error == NULL) {
        tally->done++;
        tally->unknown += vecwire_reply_affected(reply) == 0;
    } else {
        *go_on = error->code == VECWIRE_EHTTP;
        vecwire__session_reason(error, reason, sizeof(reason));
        vecwire__tally_fail(tally, row, id, error->code, reason);
        vecwire__session_failed(session, what, error);
    }
    vecwire_reply_release(reply);
    return error == NULL ? TOOL_DONE : TOOL_FAILED;
}

/* One id was refused, the others were not sent for it. */
static void
fail_refused(struct tally *tally, size_t at, const char *id,
             enum vecwire_err rc, const struct vecwire_refusal *refusal)
{
    if (refusal->row == SIZE_MAX || refusal->row == at)
        vecwire__tally_fail(tally, at, id, rc, refusal->text);
    else
        vecwire__tally_fail(tally, at, id, VECWIRE_ECANCELED,
                            "not tried, as another id was refused");
}

/* All of them are gone, or none may be. */
static int
take_outcome(const struct tool_session *session, struct tally *tally,
             char **ids, size_t n, const struct vecwire_reply *reply)
{
    const struct vecwire_error *error = vecwire_reply_error(reply);
    enum vecwire_err code = VECWIRE_ETIMEDOUT;
    char reason[1024] = "the server is still at it, and has not confirmed it";

    if (error != NULL) {
        code = error->code;
        vecwire__session_reason(error, reason, sizeof(reason));
        vecwire__session_failed(session, "", error);
    } else if (vecwire_qdrant_update_outcome(reply, 0) !=
               VECWIRE_QDRANT_WAIT_TIMEOUT) {
        tally->done = n;
        return TOOL_DONE;
    } else {
        vecwire__args_complain("delete", "%s: %s", session->url, reason);
    }
    for (size_t i = 0; i < n; i++)
        vecwire__tally_fail(tally, i, ids[i], code, reason);
    return TOOL_FAILED;
}

/* Servers that take several ids: one request with all of them. */
static int
delete_all(struct tool_session *session, struct tally *tally, char **ids,
           size_t n)
{
    const struct vecwire_reply *reply = NULL;
    struct vecwire_refusal refusal = {.row = SIZE_MAX, .text = ""};
    const struct vecwire_qdrant_params params =
        VECWIRE_QDRANT_PARAMS(.wait = true);
    const struct vecwire_call_options call =
        VECWIRE_CALL_OPTIONS(.qdrant = &params);
    int status;
    enum vecwire_err rc = vecwire_delete(
        session->client,
        &VECWIRE_DELETE(.ids = (const char *const *)ids, .rows = n,
                        .call = &call, .refusal = &refusal),
        vecwire__session_keep, &reply, NULL);

    if (rc != VECWIRE_OK) {
        for (size_t i = 0; i < n; i++)
            fail_refused(tally, i, ids[i], rc, &refusal);
        return vecwire__session_refused(session, "", rc, &refusal);
    }
    if (!vecwire__session_wait(session, &reply))
        return TOOL_FAILED;
    status = take_outcome(session, tally, ids, n, reply);
    vecwire_reply_release(reply);
    return status;
}

static int
delete_each(struct tool_session *session, struct tally *tally, char **ids,
            size_t n)
{
    bool go_on = true;
    int status = TOOL_DONE;

    for (size_t i = 0; i < n; i++) {
        int one = TOOL_FAILED;

        if (go_on)
            one = delete_one(session, tally, i, ids[i], &go_on);
        else
            vecwire__tally_fail(tally, i, ids[i], VECWIRE_ECANCELED,
                                "not tried after the failure before it");
        if (one > status)
            status = one;
    }
    return status;
}

static int
run(struct tool_session *session, const struct tool_common *common, char **ids,
    size_t n)
{
    struct tally tally = {0};
    bool is_hms = common->dialect == VECWIRE_HMS;
    int status = is_hms ? delete_each(session, &tally, ids, n)
                        : delete_all(session, &tally, ids, n);

    if (common->json)
        vecwire__tally_print(&tally);
    else if (is_hms)
        printf("deleted %llu of %zu, %llu not there\n",
               (unsigned long long)(tally.done - tally.unknown), n,
               (unsigned long long)tally.unknown);
    else if (status == TOOL_DONE)
        printf("%zu ids deleted, those that were not there included\n", n);
    vecwire__tally_fini(&tally);
    return status;
}

int
vecwire__command_delete(int argc, char **argv)
{
    static const struct tool_option none[1];
    struct tool_args args = {.command = "delete",
                             .help = help,
                             .options = none,
                             .n_options = 0,
                             .argc = argc,
                             .argv = argv};
    struct tool_common common;
    struct tool_session session;
    int status;

    if (!vecwire__args_parse(&args, &common, &status))
        return status;
    if (!vecwire__args_has_collection(&args, &common))
        return TOOL_USAGE;
    if (args.n_words == 0) {
        vecwire__args_complain("delete", "which ids? See vecwire delete "
                                         "--help");
        return TOOL_USAGE;
    }
    status = vecwire__session_open(&session, "delete", &common, NULL);
    if (status == TOOL_DONE) {
        status = run(&session, &common, args.words, args.n_words);
        vecwire__session_close(&session);
    }
    return status;
}
