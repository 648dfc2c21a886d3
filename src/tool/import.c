/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/command.h"

#include <event2/event.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool/progress.h"
#include "tool/tally.h"
#include "tool/rows.h"
#include "tool/session.h"

static const char help[] =
    "Usage: vecwire import FILE.npy|FILE.fvecs [--payload F.jsonl]\n"
    "       vecwire import FILE.jsonl\n"
    "\n"
    "Writes rows. A .npy has float16, float32 or float64 numbers, rows x\n"
    "coordinates, C order; a .fvecs has for each row its dimension (int32) "
    "and\n"
    "as many float32, all little-endian; a line of a .jsonl is\n"
    "{\"id\"?,\"vector\"?,\"text\"?,\"payload\"?}. HMS: rows without a "
    "vector need a\n"
    "text and a server with an embedder. Qdrant: a vector may also be\n"
    "{\"indices\":[..],\"values\":[..]}, an array of arrays, or "
    "{\"name\":vector,..};\n"
    "ids are whole numbers or UUIDs, and a text is left out. Rows before a "
    "bad\n"
    "one are kept; the first request that fails ends the import.\n"
    "\n"
    "  --payload F.jsonl    a line {\"id\"?,\"text\"?,\"payload\"?} for each "
    "row;\n"
    "                       FILE.ids.jsonl where that lies beside FILE.npy\n"
    "  --id-offset N        ids of rows without one: row number + N (0)\n"
    "  --vector-name NAME   Qdrant: name of the vectors that have none\n"
    "  --batch N            rows a request, 1 to 1000, Qdrant to 100000 "
    "(256);\n"
    "                       fewer where one request cannot hold them\n"
    "  --in-flight N        requests under way at once, 1 to 256 (4)\n"
    "\n" TOOL_COMMON_HELP "\n"
    "Example, vectors masked with the passphrase in $HMS_MASK:\n"
    "  vecwire import rows.npy --mask-env HMS_MASK\n";

struct import {
    struct tool_common common;
    struct rows rows;
    struct tally tally;
    struct tool_session session;
    struct vecwire_uploader *uploader;
    struct progress progress;
    const char *vector_name; /* of vectors that have none; NULL: unnamed */
    char *ids_path;          /* FILE.ids.jsonl; NULL: not used */
    uint64_t batch;
    uint64_t in_flight;
    bool room;    /* there is some for more rows */
    bool over;    /* the upload is complete */
    bool stopped; /* no more rows are read */
    bool told;    /* of a request that failed */
};

/* Room for a reason with the file's name before it. */
#define REASON_MAX 1400

/* What an export wrote beside FILE.npy is read along with it. */
static void
look_for_ids(struct import *import)
{
    struct rows *rows = &import->rows;

    if (rows->kind != ROWS_NPY || rows->payload_path != NULL)
        return;
    import->ids_path = vecwire__rows_ids_path(rows->path);
    if (access(import->ids_path, F_OK) == 0)
        rows->payload_path = import->ids_path;
}

static bool
check_files(struct import *import)
{
    const char *path = import->rows.path;

    if (!vecwire__rows_kind(path, &import->rows.kind)) {
        vecwire__args_complain("import",
                               "%s: the name must end in .npy, .fvecs or "
                               ".jsonl",
                               path);
        return false;
    }
    if (import->rows.payload_path != NULL && import->rows.kind == ROWS_JSONL) {
        vecwire__args_complain("import",
                               "--payload goes with a .npy or .fvecs file");
        return false;
    }
    look_for_ids(import);
    if (access(path, R_OK) == 0 && import->rows.payload_path != NULL)
        path = import->rows.payload_path;
    if (access(path, R_OK) != 0) {
        vecwire__args_complain("import", "%s cannot be read: %s", path,
                               strerror(errno));
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
        {"batch", OPTION_U64, &import->batch, 1, 100000},
        {"vector-name", OPTION_TEXT, &import->vector_name, 0, 0},
        {"in-flight", OPTION_U64, &import->in_flight, 1, 256},
    };
    struct tool_args args = {.command = "import",
                             .help = help,
                             .options = own,
                             .n_options = sizeof(own) / sizeof(own[0]),
                             .argc = argc,
                             .argv = argv};

    memset(import, 0, sizeof(*import));
    import->batch = 256;
    import->in_flight = 4;
    if (!vecwire__args_parse(&args, &import->common, status))
        return false;
    *status = TOOL_USAGE;
    if (args.n_words != 1) {
        vecwire__args_complain("import", "one FILE is needed; see vecwire "
                                         "import --help");
        return false;
    }
    if (import->common.dialect == VECWIRE_HMS && import->batch > 1000) {
        vecwire__args_complain("import", "--batch must be at most 1000 for "
                                         "HMS");
        return false;
    }
    import->rows.path = args.words[0];
    import->rows.batch = (size_t)import->batch;
    import->rows.any_vectors = import->common.dialect != VECWIRE_HMS;
    import->rows.no_texts = import->common.dialect != VECWIRE_HMS;
    return vecwire__args_has_collection(&args, &import->common) &&
           check_files(import);
}

static struct progress_state
state_of(const struct import *import)
{
    uint64_t done = vecwire_uploader_progress(import->uploader)->rows_done;

    return (struct progress_state){
        .done = done,
        .total = import->rows.total,
        .part = vecwire__rows_part(&import->rows, done),
    };
}

static void
show_progress(struct import *import)
{
    struct progress_state state = state_of(import);

    vecwire__progress_show(&import->progress, &state);
}

static void
end_progress(struct import *import)
{
    struct progress_state state;

    if (import->uploader == NULL)
        return;
    state = state_of(import);
    vecwire__progress_end(&import->progress, &state);
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
    end_progress(import);
    vecwire__args_complain("import", "%s", text);
    vecwire__tally_fail(&import->tally, row, id, code, text);
    import->stopped = true;
}

/* The first failure is told, and no more rows are read. Requests that are
 * under way or full go on where the server answers; where it does not, they
 * would have to be waited for one after the other. */
static void
first_failure(struct import *import, const struct vecwire_failed_rows *failed)
{
    const struct rows *rows = &import->rows;
    char what[REASON_MAX];

    snprintf(what, sizeof(what), "%s: rows %llu to %llu", rows->path,
             (unsigned long long)failed->first,
             (unsigned long long)(failed->first + failed->count - 1));
    end_progress(import);
    vecwire__session_failed(&import->session, what, failed->error);
    import->stopped = import->told = true;
    if (failed->error->http_status != 0)
        vecwire_uploader_end(import->uploader);
    else
        vecwire_uploader_cancel(import->uploader);
}

static void
on_failed(const struct vecwire_failed_rows *failed, void *arg)
{
    struct import *import = arg;
    char reason[1024];

    vecwire__session_reason(failed->error, reason, sizeof(reason));
    for (size_t i = 0; i < failed->count; i++)
        vecwire__tally_fail(&import->tally, failed->first + i, failed->ids[i],
                            failed->error->code, reason);
    if (!import->told)
        first_failure(import, failed);
}

static void
on_room(struct vecwire_uploader *uploader, void *arg)
{
    struct import *import = arg;

    (void)uploader;
    import->room = true;
}

static void
on_done(struct vecwire_uploader *uploader,
        const struct vecwire_upload_result *result, void *arg)
{
    struct import *import = arg;

    (void)uploader;
    import->tally.done = result->rows_done;
    import->over = true;
}

static int
begin_upload(struct import *import)
{
    struct vecwire_refusal refusal = {.text = ""};
    /* "imported" means stored, not noted. */
    const struct vecwire_qdrant_params params =
        VECWIRE_QDRANT_PARAMS(.wait = true);
    const struct vecwire_call_options call =
        VECWIRE_CALL_OPTIONS(.qdrant = &params);
    bool is_qdrant = import->common.dialect == VECWIRE_QDRANT;
    enum vecwire_err rc = vecwire_uploader_new(
        &import->uploader, import->session.client,
        &VECWIRE_UPLOADER_OPTIONS(.call = is_qdrant ? &call : NULL,
                                  .on_failed = on_failed, .on_room = on_room,
                                  .on_done = on_done, .arg = import,
                                  .batch_rows = (uint32_t)import->batch,
                                  .in_flight = (uint32_t)import->in_flight,
                                  .refusal = &refusal));

    if (rc == VECWIRE_OK)
        return TOOL_DONE;
    return vecwire__session_refused(&import->session, "", rc, &refusal);
}

static bool
begins_with(const char *text, const char *word)
{
    return strncmp(text, word, strlen(word)) == 0;
}

/* Say why row `at` of those at hand was refused. The library counts rows from
 * the first that was handed over, the reader from the first of the file. */
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
    rows->why_line =
        rows->kind != ROWS_JSONL && !rows->why_in_payloads ? 0 : row + 1;
    say_bad_row(import, row, rows->ids[at], rc, why);
}

/* One pass of the loop. False: the loop ended. */
static bool
step(struct import *import)
{
    bool more = false;
    enum vecwire_err rc = vecwire_loop_step(import->session.loop, &more);

    show_progress(import);
    if (rc == VECWIRE_OK && (more || import->over))
        return true;
    import->stopped = true;
    return import->over;
}

static enum vecwire_err
add_from(const struct import *import, size_t at, size_t *taken,
         struct vecwire_refusal *refusal)
{
    const struct rows *rows = &import->rows;
    const char *const *texts = (const char *const *)rows->texts + at;
    const float *matrix =
        rows->have_vectors ? rows->matrix + at * rows->dim : NULL;

    return vecwire_uploader_add(
        import->uploader,
        &VECWIRE_UPSERT(.matrix = matrix, .rows = rows->count - at,
                        .dim = rows->have_vectors ? rows->dim : 0,
                        .ids = (const char *const *)rows->ids + at,
                        .texts = rows->no_texts ? NULL : texts,
                        .vectors = rows->have_lists ? rows->lists + at : NULL,
                        .vector_name =
                            matrix != NULL ? import->vector_name : NULL,
                        .payloads = (const char *const *)rows->payloads + at,
                        .refusal = refusal),
        taken);
}

/* Hand over the rows at hand, waiting for room. One that is refused ends the
 * import; those before it are written. */
static void
write_rows(struct import *import)
{
    size_t at = 0;

    while (at < import->rows.count && !import->stopped) {
        struct vecwire_refusal refusal = {.row = SIZE_MAX, .text = ""};
        size_t taken;
        enum vecwire_err rc;

        import->room = false;
        rc = add_from(import, at, &taken, &refusal);
        at += taken;
        if (rc != VECWIRE_OK && rc != VECWIRE_EFULL) {
            say_refused(import, at, &refusal, rc);
            return;
        }
        while (rc == VECWIRE_EFULL && !import->room && !import->stopped &&
               step(import))
            ;
    }
}

static int
run(struct import *import)
{
    struct rows *rows = &import->rows;

    do {
        vecwire__rows_next(rows);
        if (rows->count > 0)
            write_rows(import);
        /* What was sent goes out while the next rows are read. */
        event_base_loop(import->session.base, EVLOOP_NONBLOCK);
        show_progress(import);
    } while (!import->stopped && !rows->bad && !rows->ended);
    if (!import->stopped && rows->bad)
        say_bad_row(import, rows->first + rows->count, NULL, VECWIRE_EINVAL,
                    rows->why);
    else if (!import->stopped && rows->first + rows->count == 0)
        say_bad_row(import, 0, NULL, VECWIRE_EINVAL, "it has no rows");
    vecwire_uploader_end(import->uploader);
    while (!import->over && step(import))
        ;
    end_progress(import);
    vecwire_uploader_free(import->uploader);
    import->uploader = NULL;
    return import->tally.failed > 0 ? TOOL_FAILED : TOOL_DONE;
}

/* What was left out of the lines is not lost in silence. */
static void
say_skipped(const struct import *import)
{
    const struct rows *rows = &import->rows;
    const struct jsonl *lines = &rows->lines;

    if (lines->unknown_line == 0)
        return;
    vecwire__args_complain(
        "import",
        "%s: line %llu: key %s was left out, as on other lines; known are "
        "\"id\", \"vector\", %s\"payload\"",
        rows->payload_path != NULL ? rows->payload_path : rows->path,
        (unsigned long long)lines->unknown_line, lines->unknown_key,
        rows->no_texts ? "" : "\"text\", ");
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
    struct session_limits limits = {0};
    struct import import;
    int status;

    if (!parse_options(&import, argc, argv, &status)) {
        free(import.ids_path);
        return status;
    }
    /* One for each request; 0 is the library's default. */
    if (import.in_flight > 4)
        limits.connections = (uint32_t)import.in_flight;
    status = vecwire__session_open(&import.session, "import", &import.common,
                                   &limits);
    if (status != TOOL_DONE) {
        free(import.ids_path);
        return status;
    }
    if (vecwire__rows_open(&import.rows)) {
        status = begin_upload(&import);
        if (status == TOOL_DONE) {
            vecwire__progress_begin(&import.progress, "import");
            status = run(&import);
        }
        say_skipped(&import);
        vecwire__rows_close(&import.rows);
    } else {
        import.rows.bad = true;
        say_bad_row(&import, 0, NULL, VECWIRE_EINVAL, import.rows.why);
        status = TOOL_FAILED;
    }
    print_tally(&import);
    vecwire__tally_fini(&import.tally);
    vecwire__session_close(&import.session);
    free(import.ids_path);
    return status;
}
