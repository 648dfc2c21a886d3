/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/command.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tool/tally.h"
#include "tool/rows.h"
#include "tool/session.h"

static const char help[] =
    "Usage: vecwire import FILE.npy [--payload F.jsonl]\n"
    "       vecwire import FILE.jsonl\n"
    "\n"
    "Writes rows. A .npy has float16, float32 or float64 numbers, rows x\n"
    "coordinates, C order; a line of a .jsonl is\n"
    "{\"id\"?,\"vector\"?,\"text\"?,\"payload\"?}; rows without a vector need "
    "a\n"
    "text and a server with an embedder, and go in requests of their own. "
    "Rows\n"
    "before a bad one are kept.\n"
    "\n"
    "  --payload F.jsonl    a line {\"id\"?,\"text\"?,\"payload\"?} for each "
    "row\n"
    "  --id-offset N        ids of rows without one: row number + N (0)\n"
    "  --batch N            rows a request, 1 to 1000 (256); fewer where\n"
    "                       one request cannot hold them\n"
    "\n" TOOL_COMMON_HELP "\n"
    "Example, vectors masked with the passphrase in $HMS_MASK:\n"
    "  vecwire import rows.npy --mask-env HMS_MASK\n";

struct import {
    struct tool_common common;
    struct rows rows;
    struct tally tally;
    struct tool_session session;
    uint64_t batch;
    size_t fitting; /* rows that one body could hold so far */
    bool progress;  /* someone watches stderr */
    bool stopped;
};

/* Room for a reason with the file's name before it. */
#define REASON_MAX 1400

static bool
has_suffix(const char *path, const char *suffix)
{
    size_t len = strlen(path), tail = strlen(suffix);

    return len > tail && strcmp(path + len - tail, suffix) == 0;
}

static bool
check_files(const struct import *import)
{
    const char *path = import->rows.path;

    if (has_suffix(path, ".fvecs")) {
        vecwire__args_complain("import", ".fvecs: not built yet");
        return false;
    }
    if (!has_suffix(path, ".npy") && !has_suffix(path, ".jsonl")) {
        vecwire__args_complain("import",
                               "%s: the name must end in .npy or .jsonl", path);
        return false;
    }
    if (import->rows.payload_path != NULL && !has_suffix(path, ".npy")) {
        vecwire__args_complain("import", "--payload goes with a .npy file");
        return false;
    }
    if (access(path, R_OK) != 0 || (import->rows.payload_path != NULL &&
                                    access(import->rows.payload_path, R_OK))) {
        if (access(path, R_OK) == 0)
            path = import->rows.payload_path;
        vecwire__args_complain("import", "%s cannot be read", path);
        return false;
    }
    return true;
}

static bool
parse_options(struct import *import, int argc, char **argv, int *status)
{
    const struct tool_option own[] = {
        {"payload", OPTION_TEXT, &import->rows.payload_path, 0, 0},
        {"id-offset", OPTION_U64, &import->rows.id_offset, 0, INT64_MAX},
        {"batch", OPTION_U64, &import->batch, 1, 1000},
        {"in-flight", OPTION_LATER, NULL, 0, 0},
    };
    struct tool_args args = {.command = "import",
                             .help = help,
                             .options = own,
                             .n_options = sizeof(own) / sizeof(own[0]),
                             .argc = argc,
                             .argv = argv};

    memset(import, 0, sizeof(*import));
    import->batch = 256;
    if (!vecwire__args_parse(&args, &import->common, status))
        return false;
    *status = TOOL_USAGE;
    if (args.n_words != 1) {
        vecwire__args_complain("import", "one FILE is needed; see vecwire "
                                         "import --help");
        return false;
    }
    import->rows.path = args.words[0];
    import->rows.batch = import->fitting = (size_t)import->batch;
    import->progress = isatty(STDERR_FILENO) == 1;
    return check_files(import);
}

static void
show_progress(const struct import *import, bool last)
{
    char total[32] = "";

    if (!import->progress)
        return;
    if (import->rows.is_npy)
        snprintf(total, sizeof(total), " of %llu",
                 (unsigned long long)import->rows.npy.rows);
    fprintf(stderr, "\rvecwire import: %llu%s rows%s",
            (unsigned long long)import->tally.done, total, last ? "\n" : "");
}

/* "FILE: line N: why" for the row of the file that is to blame. */
static void
say_bad_row(struct import *import, uint64_t row, const char *id,
            enum vecwire_err code, const char *why)
{
    const struct rows *rows = &import->rows;
    char text[REASON_MAX], line[48] = "";
    const char *path = rows->path;

    if (rows->why_in_payloads)
        path = rows->payload_path;
    if (rows->why_line > 0)
        snprintf(line, sizeof(line),
                 "line %llu: ", (unsigned long long)rows->why_line);
    snprintf(text, sizeof(text), "%s: %s%s", path, line, why);
    show_progress(import, true);
    import->progress = false;
    vecwire__args_complain("import", "%s", text);
    vecwire__tally_fail(&import->tally, row, id, code, text);
    import->stopped = true;
}

static void
batch_failed(struct import *import, size_t at, size_t count,
             const struct vecwire_error *error)
{
    struct rows *rows = &import->rows;
    char reason[1024], what[REASON_MAX];
    uint64_t first = rows->first + at;

    snprintf(what, sizeof(what), "%s: rows %llu to %llu", rows->path,
             (unsigned long long)first,
             (unsigned long long)(first + count - 1));
    show_progress(import, true);
    import->progress = false;
    vecwire__session_failed(&import->session, what, error);
    vecwire__session_reason(error, reason, sizeof(reason));
    for (size_t i = 0; i < count; i++)
        vecwire__tally_fail(&import->tally, first + i, rows->ids[at + i],
                            error->code, reason);
    import->stopped = true;
}

static enum vecwire_err
submit(struct import *import, size_t at, size_t count,
       struct vecwire_refusal *refusal, const struct vecwire_reply **reply)
{
    const struct rows *rows = &import->rows;
    const float *matrix =
        rows->have_vectors ? rows->matrix + at * rows->dim : NULL;

    return vecwire_upsert(
        import->session.client,
        &VECWIRE_UPSERT(.matrix = matrix, .rows = count,
                        .dim = rows->have_vectors ? rows->dim : 0,
                        .ids = (const char *const *)rows->ids + at,
                        .texts = (const char *const *)rows->texts + at,
                        .payloads = (const char *const *)rows->payloads + at,
                        .refusal = refusal),
        vecwire__session_keep, reply, NULL);
}

/* Submit as many of *count rows as one body can hold; *count is how many. */
static enum vecwire_err
submit_part(struct import *import, size_t at, size_t *count,
            struct vecwire_refusal *refusal, const struct vecwire_reply **reply)
{
    enum vecwire_err rc;

    if (*count > import->fitting)
        *count = import->fitting;
    for (;;) {
        *refusal = (struct vecwire_refusal){.row = SIZE_MAX, .text = ""};
        rc = submit(import, at, *count, refusal, reply);
        if (rc != VECWIRE_ETOOBIG || refusal->row != SIZE_MAX || *count == 1)
            return rc;
        *count = import->fitting = (*count + 1) / 2;
    }
}

static void
await_batch(struct import *import, size_t at, size_t count,
            const struct vecwire_reply **reply)
{
    static const struct vecwire_error broken = {
        .detail = "the event loop ended", .code = VECWIRE_EIO};
    const struct vecwire_error *error;
    uint64_t stored;

    if (!vecwire__session_wait(&import->session, reply)) {
        batch_failed(import, at, count, &broken);
        return;
    }
    error = vecwire_reply_error(*reply);
    stored = vecwire_reply_affected(*reply);
    if (error != NULL) {
        batch_failed(import, at, count, error);
    } else if (stored < count) {
        const struct vecwire_error partial = {
            .detail = "the server says it stored fewer rows than were sent",
            .code = VECWIRE_EDECODE,
            .http_status = vecwire_reply_status(*reply)};

        batch_failed(import, at, count, &partial);
    } else {
        import->tally.done += count;
    }
    vecwire_reply_release(*reply);
}

static bool
begins_with(const char *text, const char *word)
{
    return strncmp(text, word, strlen(word)) == 0;
}

/* Say why row `at` of the batch was refused. The library counts rows from the
 * first that was submitted, the reader from the first of the file. */
static void
say_refused(struct import *import, size_t at,
            const struct vecwire_refusal *refusal, enum vecwire_err rc)
{
    struct rows *rows = &import->rows;
    const char *text = refusal->text;
    uint64_t row = rows->first + at;
    char name[32], why[600];
    size_t len = 0;

    if (text[0] == '\0')
        text = vecwire_strerror(rc);
    snprintf(name, sizeof(name), "row %zu", refusal->row);
    if (refusal->row != SIZE_MAX && begins_with(text, name))
        len = strlen(name);
    text += len;
    snprintf(why, sizeof(why), "%s %llu%s%s (%s)",
             len > 0 ? "row" : "rows from", (unsigned long long)row,
             len > 0 ? "" : " on: ", text, vecwire_err_name(rc));
    /* What lies behind the batch is of no concern now. */
    rows->why_in_payloads =
        rows->payload_path != NULL &&
        (begins_with(text, ": id") || begins_with(text, ": text") ||
         begins_with(text, ": payload"));
    rows->why_line = rows->is_npy && !rows->why_in_payloads ? 0 : row + 1;
    say_bad_row(import, row, rows->ids[at], rc, why);
}

/* Write the batch. When one of its rows is refused before sending, those
 * before it are written and it ends the import. */
static void
write_batch(struct import *import)
{
    struct vecwire_refusal refusal = {.text = ""};
    enum vecwire_err rc, refused = VECWIRE_OK;
    size_t at = 0, end = import->rows.count;

    while (at < end && !import->stopped) {
        const struct vecwire_reply *reply = NULL;
        struct vecwire_refusal now;
        size_t part = end - at;

        rc = submit_part(import, at, &part, &now, &reply);
        if (rc == VECWIRE_OK) {
            await_batch(import, at, part, &reply);
            at += part;
            continue;
        }
        refused = rc;
        refusal = now;
        end = at + (now.row < part ? now.row : 0);
    }
    if (refused != VECWIRE_OK && !import->stopped)
        say_refused(import, end, &refusal, refused);
}

static int
run(struct import *import)
{
    struct rows *rows = &import->rows;

    do {
        vecwire__rows_next(rows);
        if (rows->count > 0)
            write_batch(import);
        show_progress(import, false);
    } while (!import->stopped && !rows->bad && !rows->ended);
    if (!import->stopped && rows->bad)
        say_bad_row(import, rows->first + rows->count, NULL, VECWIRE_EINVAL,
                    rows->why);
    else if (!import->stopped && rows->first + rows->count == 0)
        say_bad_row(import, 0, NULL, VECWIRE_EINVAL, "it has no rows");
    show_progress(import, true);
    return import->tally.failed > 0 ? TOOL_FAILED : TOOL_DONE;
}

static void
print_tally(const struct import *import)
{
    if (import->common.json)
        vecwire__tally_print(&import->tally);
    else
        printf("imported %llu rows\n", (unsigned long long)import->tally.done);
}

int
vecwire__command_import(int argc, char **argv)
{
    struct import import;
    int status;

    if (!parse_options(&import, argc, argv, &status))
        return status;
    status =
        vecwire__session_open(&import.session, "import", &import.common, NULL);
    if (status != TOOL_DONE)
        return status;
    if (vecwire__rows_open(&import.rows)) {
        status = run(&import);
        vecwire__rows_close(&import.rows);
    } else {
        import.rows.bad = true;
        say_bad_row(&import, 0, NULL, VECWIRE_EINVAL, import.rows.why);
        status = TOOL_FAILED;
    }
    print_tally(&import);
    vecwire__tally_fini(&import.tally);
    vecwire__session_close(&import.session);
    return status;
}
