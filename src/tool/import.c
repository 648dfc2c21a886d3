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
    "{\"id\"?,\"vector\",\"text\"?,\"payload\"?}. Rows before a bad one are "
    "kept.\n"
    "\n"
    "  --payload F.jsonl    a line {\"id\"?,\"text\"?,\"payload\"?} for each "
    "row\n"
    "  --id-offset N        ids of rows without one: row number + N (0)\n"
    "  --batch N            rows a request, 1 to 1000 (256)\n"
    "\n" TOOL_COMMON_HELP;

struct import {
    struct tool_common common;
    struct rows rows;
    struct tally tally;
    struct tool_session session;
    uint64_t batch;
    bool progress; /* someone watches stderr */
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
    import->rows.batch = (size_t)import->batch;
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

    if (rows->bad && rows->why_in_payloads)
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
batch_failed(struct import *import, size_t count,
             const struct vecwire_error *error)
{
    struct rows *rows = &import->rows;
    char reason[1024], what[REASON_MAX];

    snprintf(what, sizeof(what), "%s: rows %llu to %llu", rows->path,
             (unsigned long long)rows->first,
             (unsigned long long)(rows->first + count - 1));
    show_progress(import, true);
    import->progress = false;
    vecwire__session_failed(&import->session, what, error);
    vecwire__session_reason(error, reason, sizeof(reason));
    for (size_t i = 0; i < count; i++)
        vecwire__tally_fail(&import->tally, rows->first + i, rows->ids[i],
                            error->code, reason);
    import->stopped = true;
}

static enum vecwire_err
submit(struct import *import, size_t count, struct vecwire_refusal *refusal,
       const struct vecwire_reply **reply)
{
    const struct rows *rows = &import->rows;

    return vecwire_upsert(
        import->session.client,
        &VECWIRE_UPSERT(.matrix = rows->matrix, .rows = count, .dim = rows->dim,
                        .ids = (const char *const *)rows->ids,
                        .texts = (const char *const *)rows->texts,
                        .payloads = (const char *const *)rows->payloads,
                        .refusal = refusal),
        vecwire__session_keep, reply, NULL);
}

static void
await_batch(struct import *import, size_t count,
            const struct vecwire_reply **reply)
{
    static const struct vecwire_error broken = {
        .detail = "the event loop ended", .code = VECWIRE_EIO};
    const struct vecwire_error *error;
    uint64_t stored;

    if (!vecwire__session_wait(&import->session, reply)) {
        batch_failed(import, count, &broken);
        return;
    }
    error = vecwire_reply_error(*reply);
    stored = vecwire_reply_affected(*reply);
    if (error != NULL) {
        batch_failed(import, count, error);
    } else if (stored < count) {
        const struct vecwire_error partial = {
            .detail = "the server says it stored fewer rows than were sent",
            .code = VECWIRE_EDECODE,
            .http_status = vecwire_reply_status(*reply)};

        batch_failed(import, count, &partial);
    } else {
        import->tally.done += count;
    }
    vecwire_reply_release(*reply);
}

/* Why a row was refused. The library counts rows from the first of the batch,
 * the reader from the first of the file. */
static void
row_refused(uint64_t first, const struct vecwire_refusal *refusal,
            enum vecwire_err rc, char *why, size_t room)
{
    const char *text = refusal->text;
    char name[32];
    size_t len = 0;

    if (text[0] == '\0')
        text = vecwire_strerror(rc);
    if (refusal->row != SIZE_MAX) {
        snprintf(name, sizeof(name), "row %zu", refusal->row);
        if (strncmp(text, name, strlen(name)) == 0)
            len = strlen(name);
    }
    if (len > 0)
        snprintf(why, room, "row %llu%s (%s)",
                 (unsigned long long)(first + refusal->row), text + len,
                 vecwire_err_name(rc));
    else
        snprintf(why, room, "rows from %llu on: %s (%s)",
                 (unsigned long long)first, text, vecwire_err_name(rc));
}

/* Write the first `count` rows of the batch. When one of them is refused
 * before sending, those before it are written and it ends the import. */
static void
write_batch(struct import *import, size_t count)
{
    struct rows *rows = &import->rows;
    struct vecwire_refusal refusal = {.row = SIZE_MAX, .text = ""};
    const struct vecwire_reply *reply = NULL;
    enum vecwire_err rc = submit(import, count, &refusal, &reply), again;
    char why[600];
    size_t bad = refusal.row < count ? refusal.row : 0;

    if (rc == VECWIRE_OK) {
        await_batch(import, count, &reply);
        return;
    }
    if (bad > 0) {
        struct vecwire_refusal unused = {.text = ""};

        again = submit(import, bad, &unused, &reply);
        if (again == VECWIRE_OK)
            await_batch(import, bad, &reply);
        if (import->stopped)
            return;
    }
    row_refused(rows->first, &refusal, rc, why, sizeof(why));
    rows->why_line = rows->is_npy ? 0 : rows->first + bad + 1;
    rows->bad = false; /* what lies behind the batch is of no concern now */
    say_bad_row(import, rows->first + bad, rows->ids[bad], rc, why);
}

static int
run(struct import *import)
{
    struct rows *rows = &import->rows;

    do {
        vecwire__rows_next(rows);
        if (rows->count > 0)
            write_batch(import, rows->count);
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
