/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/command.h"

#include <stdio.h>
#include <string.h>

#include "tool/output.h"
#include "tool/row_text.h"
#include "tool/session.h"

static const char help[] =
    "Usage: vecwire get ID...\n"
    "\n"
    "Prints rows by id, one a line: id and payload. Ids that do not exist "
    "are\n"
    "named on stderr, and the exit status is 1.\n"
    "\n"
    "  --with-payload       the payload too; it comes anyhow\n"
    "  --with-vector        the vectors too\n"
    "\n" TOOL_COMMON_HELP;

struct get_options {
    struct tool_common common;
    bool with_payload;
    bool with_vector;
};

/* The 32 digits of a UUID in any of its forms, in lower case. */
static void
uuid_digits(const char *text, char digits[33])
{
    size_t n = 0;

    if (strncmp(text, "urn:uuid:", 9) == 0)
        text += 9;
    for (; *text != '\0' && n < 32; text++) {
        if (*text >= 'A' && *text <= 'F')
            digits[n++] = (char)(*text | 0x20);
        else if (strchr("-{}", *text) == NULL)
            digits[n++] = *text;
    }
    digits[n] = '\0';
}

static bool
is_same(const char *typed, const struct vecwire_id *id)
{
    char one[33], other[33];
    uint64_t number;

    if (id->is_number)
        return vecwire__args_u64(typed, &number) && number == id->number;
    uuid_digits(typed, one);
    uuid_digits(id->text, other);
    return strcmp(one, other) == 0;
}

static bool
is_there(const struct vecwire_reply *reply, const char *id)
{
    size_t n = vecwire_reply_count(reply);

    for (size_t i = 0; i < n; i++) {
        if (is_same(id, &vecwire_reply_row(reply, i)->id))
            return true;
    }
    return false;
}

static int
name_missing(const struct vecwire_reply *reply, char **ids, size_t n)
{
    int status = TOOL_DONE;

    for (size_t i = 0; i < n; i++) {
        if (is_there(reply, ids[i]))
            continue;
        vecwire__args_complain("get", "id \"%s\" does not exist", ids[i]);
        status = TOOL_FAILED;
    }
    return status;
}

static void
print_row(const struct get_options *options, const struct vecwire_row *row)
{
    vecwire__output_plain(stdout, row->id.text, row->id.len);
    putchar('\t');
    if (row->payload != NULL)
        vecwire__output_plain(stdout, row->payload, row->payload_len);
    if (options->with_vector) {
        putchar('\t');
        vecwire__row_text_vectors(stdout, row);
    }
    putchar('\n');
}

static void
print_rows(const struct get_options *options, const struct vecwire_reply *reply)
{
    size_t n = vecwire_reply_count(reply);

    if (!options->common.json) {
        for (size_t i = 0; i < n; i++)
            print_row(options, vecwire_reply_row(reply, i));
        return;
    }
    fputs("{\"rows\":[", stdout);
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            putchar(',');
        vecwire__row_text(stdout, vecwire_reply_row(reply, i),
                          options->with_vector, true);
    }
    puts("]}");
}

static int
run(struct tool_session *session, const struct get_options *options, char **ids,
    size_t n)
{
    const struct vecwire_reply *reply = NULL;
    struct vecwire_refusal refusal = {.text = ""};
    int status = TOOL_FAILED;
    enum vecwire_err rc = vecwire_get(
        session->client,
        &VECWIRE_GET(.ids = (const char *const *)ids, .rows = n,
                     .with_payload = true, .with_vector = options->with_vector,
                     .refusal = &refusal),
        vecwire__session_keep, &reply, NULL);

    if (rc != VECWIRE_OK)
        return vecwire__session_refused(session, "", rc, &refusal);
    if (!vecwire__session_wait(session, &reply))
        return TOOL_FAILED;
    if (vecwire_reply_error(reply) != NULL) {
        vecwire__session_failed(session, "", vecwire_reply_error(reply));
    } else {
        print_rows(options, reply);
        status = name_missing(reply, ids, n);
    }
    vecwire_reply_release(reply);
    return status;
}

int
vecwire__command_get(int argc, char **argv)
{
    struct get_options options;
    const struct tool_option own[] = {
        {"with-payload", OPTION_FLAG, &options.with_payload, 0, 0},
        {"with-vector", OPTION_FLAG, &options.with_vector, 0, 0},
    };
    struct tool_args args = {.command = "get",
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
    if (args.n_words == 0) {
        vecwire__args_complain("get", "which ids? See vecwire get --help");
        return TOOL_USAGE;
    }
    status = vecwire__session_open(&session, "get", &options.common, NULL);
    if (status == TOOL_DONE) {
        status = run(&session, &options, args.words, args.n_words);
        vecwire__session_close(&session);
    }
    return status;
}
