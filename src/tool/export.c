/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool/npy_out.h"
#include "tool/progress.h"
#include "tool/row_text.h"
#include "tool/rows.h"
#include "tool/session.h"
#include "tool/tally.h"

static const char help[] =
    "Usage: vecwire export FILE.npy|FILE.jsonl\n"
    "\n"
    "Writes all rows of a collection to files that import reads back bit for "
    "bit,\n"
    "in the order of their ids. A .npy has the vectors, one dense one a row, "
    "and\n"
    "FILE.ids.jsonl beside it a line {\"id\",\"payload\"} for each; a .jsonl "
    "has a line\n"
    "{\"id\",\"vector\",\"payload\"} a row, with vectors of every kind. The "
    "files are\n"
    "there when all of it went well, and are not touched before.\n"
    "\n"
    "  --filter JSON        only rows that match\n"
    "  --vector-name NAME   only this of their vectors\n"
    "  --page N             rows a request (256)\n"
    "\n" TOOL_COMMON_HELP;

/* A file that gets its name when it is complete. */
struct output {
    const char *path;
    char *part; /* its name until then */
    FILE *file; /* text; NULL: not open */
};

struct export
{
    struct tool_common common;
    struct tool_session session;
    struct progress progress;
    struct tally tally;
    struct output lines; /* the .jsonl, or the ids */
    struct output numbers;
    struct npy_out npy;
    char *ids_path; /* NULL: a .jsonl */
    const char *filter;
    const char *vector_name;
    struct vecwire_scroller *scroller;
    uint32_t page;
    bool is_open;
    bool over;
    bool failed;
};

static void
fail(struct export *export, enum vecwire_err code, const char *text)
{
    if (export->failed)
        return;
    export->failed = true;
    vecwire__tally_fail(&export->tally, export->tally.done, NULL, code, text);
}

static void
fail_to_write(struct export *export, const char *path)
{
    char text[600];

    if (export->failed)
        return;
    snprintf(text, sizeof(text), "%s cannot be written: %s", path,
             strerror(errno));
    vecwire__args_complain("export", "%s", text);
    fail(export, VECWIRE_EIO, text);
}

static void
name_output(struct output *output, const char *path)
{
    static const char tail[] = ".part";
    size_t len = strlen(path);

    output->path = path;
    output->part = vecwire__args_alloc(len + sizeof(tail), 1);
    memcpy(output->part, path, len);
    memcpy(output->part + len, tail, sizeof(tail));
}

static bool
open_outputs(struct export *export)
{
    if (export->is_open)
        return !export->failed;
    export->is_open = true;
    export->lines.file = fopen(export->lines.part, "we");
    if (export->lines.file == NULL)
        fail_to_write(export, export->lines.part);
    else if (export->ids_path != NULL &&
             !vecwire__npy_out_open(&export->npy, export->numbers.part))
        fail_to_write(export, export->numbers.part);
    return !export->failed;
}

static void
settle_output(struct export *export, struct output *output)
{
    if (output->part == NULL)
        return;
    if (export->failed)
        unlink(output->part);
    else if (rename(output->part, output->path) != 0)
        fail_to_write(export, output->path);
    free(output->part);
}

/* The numbers last: who sees them finds the ids beside them. */
static void
close_outputs(struct export *export)
{
    if (!export->failed)
        open_outputs(export);
    if (export->npy.file != NULL && !vecwire__npy_out_close(&export->npy))
        fail_to_write(export, export->numbers.part);
    if (export->lines.file != NULL && fclose(export->lines.file) != 0)
        fail_to_write(export, export->lines.part);
    settle_output(export, &export->lines);
    settle_output(export, &export->numbers);
}

/* All vectors of these rows, which must have one each and of one size. */
static bool
write_matrix(struct export *export, const struct vecwire_reply *rows)
{
    size_t n, dim;
    const float *matrix = vecwire_reply_matrix(rows, &n, &dim);
    char text[200];

    if (matrix == NULL || (export->npy.dim != 0 && dim != export->npy.dim)) {
        snprintf(text, sizeof(text),
                 "rows %llu to %llu have not one dense vector each, all of "
                 "one size: a .jsonl takes them",
                 (unsigned long long)export->tally.done,
                 (unsigned long long)(export->tally.done +
                                      vecwire_reply_count(rows) - 1));
        vecwire__args_complain("export", "%s", text);
        fail(export, VECWIRE_EINVAL, text);
        return false;
    }
    if (vecwire__npy_out_add(&export->npy, matrix, n, dim))
        return true;
    fail_to_write(export, export->numbers.part);
    return false;
}

static void
write_lines(struct export *export, const struct vecwire_reply *rows)
{
    size_t n = vecwire_reply_count(rows);

    for (size_t i = 0; i < n; i++) {
        vecwire__row_text(export->lines.file, vecwire_reply_row(rows, i),
                          export->ids_path == NULL, true);
        putc('\n', export->lines.file);
    }
    if (ferror(export->lines.file) != 0)
        fail_to_write(export, export->lines.part);
    else
        export->tally.done += n;
}

static void
show_progress(struct export *export)
{
    struct progress_state state = {.done = export->tally.done, .part = -1};

    vecwire__progress_show(&export->progress, &state);
}

static enum vecwire_rows_action
on_rows(const struct vecwire_reply *rows, void *arg)
{
    struct export *export = arg;

    if (vecwire_reply_count(rows) > 0 && open_outputs(export) &&
        (export->ids_path == NULL || write_matrix(export, rows)))
        write_lines(export, rows);
    if (export->failed)
        vecwire_scroller_cancel(export->scroller);
    show_progress(export);
    return VECWIRE_CONTINUE;
}

static void
on_done(struct vecwire_scroller *scroller,
        const struct vecwire_scroll_result *result, void *arg)
{
    struct export *export = arg;
    char reason[1024];

    (void)scroller;
    export->over = true;
    if (result->error == NULL || export->failed)
        return;
    vecwire__session_reason(result->error, reason, sizeof(reason));
    vecwire__session_failed(&export->session, "", result->error);
    fail(export, result->error->code, reason);
}

static int
begin(struct export *export)
{
    struct vecwire_refusal refusal = {.text = ""};
    const struct vecwire_qdrant_params params =
        VECWIRE_QDRANT_PARAMS(.vector_names = &export->vector_name,
                              .n_vector_names = 1);
    const struct vecwire_call_options call =
        VECWIRE_CALL_OPTIONS(.qdrant = &params);
    bool named = export->vector_name != NULL;
    enum vecwire_err rc = vecwire_scroller_new(
        &export->scroller, export->session.client,
        &VECWIRE_SCROLLER_OPTIONS(.call = named ? &call : NULL,
                                  .refusal = &refusal, .on_rows = on_rows,
                                  .on_done = on_done, .arg = export,
                                  .filter = export->filter,
                                  .page_rows = export->page,
                                  .with_payload = true, .with_vector = !named));

    if (rc == VECWIRE_OK)
        return TOOL_DONE;
    fail(export, rc, refusal.text);
    return vecwire__session_refused(&export->session, "", rc, &refusal);
}

static void
run(struct export *export)
{
    struct progress_state state = {.part = -1};
    bool more = true;

    vecwire__progress_begin(&export->progress, "export");
    while (!export->over && more) {
        if (vecwire_loop_step(export->session.loop, &more) != VECWIRE_OK)
            break;
    }
    if (!export->over) {
        vecwire__args_complain("export", "the event loop ended early");
        fail(export, VECWIRE_EIO, "the event loop ended early");
    }
    state.done = export->tally.done;
    vecwire__progress_end(&export->progress, &state);
}

static bool
parse_options(struct export *export, int argc, char **argv, int *status)
{
    const struct tool_option own[] = {
        {"filter", OPTION_TEXT, &export->filter, 0, 0},
        {"vector-name", OPTION_TEXT, &export->vector_name, 0, 0},
        {"page", OPTION_U32, &export->page, 1, 100000},
    };
    struct tool_args args = {.command = "export",
                             .help = help,
                             .options = own,
                             .n_options = sizeof(own) / sizeof(own[0]),
                             .argc = argc,
                             .argv = argv};
    enum rows_kind kind = ROWS_FVECS;

    memset(export, 0, sizeof(*export));
    if (!vecwire__args_parse(&args, &export->common, status))
        return false;
    *status = TOOL_USAGE;
    if (!vecwire__args_has_collections(&args, &export->common) ||
        !vecwire__args_has_collection(&args, &export->common))
        return false;
    if (args.n_words != 1 || !vecwire__rows_kind(args.words[0], &kind) ||
        kind == ROWS_FVECS) {
        vecwire__args_complain("export", "one FILE.npy or FILE.jsonl is "
                                         "needed; see vecwire export --help");
        return false;
    }
    if (kind == ROWS_NPY) {
        export->ids_path = vecwire__rows_ids_path(args.words[0]);
        name_output(&export->numbers, args.words[0]);
    }
    name_output(&export->lines,
                kind == ROWS_NPY ? export->ids_path : args.words[0]);
    return true;
}

int
vecwire__command_export(int argc, char **argv)
{
    struct export export;
    int status;

    if (!parse_options(&export, argc, argv, &status))
        return status;
    status =
        vecwire__session_open(&export.session, "export", &export.common, NULL);
    if (status != TOOL_DONE) {
        export.failed = true;
        close_outputs(&export);
        free(export.ids_path);
        return status;
    }
    status = begin(&export);
    if (status == TOOL_DONE) {
        run(&export);
        vecwire_scroller_free(export.scroller);
    }
    close_outputs(&export);
    if (status == TOOL_DONE && export.failed)
        status = TOOL_FAILED;
    if (export.common.json)
        vecwire__tally_print(&export.tally);
    else if (!export.failed)
        printf("exported %llu rows\n", (unsigned long long)export.tally.done);
    vecwire__tally_fini(&export.tally);
    vecwire__session_close(&export.session);
    free(export.ids_path);
    return status;
}
