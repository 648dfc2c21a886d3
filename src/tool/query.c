/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/command.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/npy.h"
#include "tool/output.h"
#include "tool/row_text.h"
#include "tool/session.h"

#define MAX_DIM 65536

static const char help[] =
    "Usage: vecwire query --vector JSON | --vector-file F.npy [--row I]\n"
    "       vecwire query --text T [--today D]\n"
    "\n"
    "Searches by vector or, where the server has a model, by text, or by "
    "both,\n"
    "and prints a row a hit: id, score, text or payload.\n"
    "\n"
    "  --vector JSON        the vector, [0.1,0.2,...]\n"
    "  --vector-file F.npy  take it from this file\n"
    "  --row I              row of that file, counted from 0 (0)\n"
    "  --text T             the text\n"
    "  --today D            HMS: the date to take for today, with --text\n"
    "  --top-k N            hits at most (10)\n"
    "  --filter JSON        only rows that match: HMS's or Qdrant's object\n"
    "  --vector-name NAME   Qdrant: the named vector that is searched\n"
    "  --with-payload       the payload too\n"
    "  --with-vector        the vector too, where the server sends it\n"
    "\n" TOOL_COMMON_HELP "\n"
    "Example, vectors masked with the passphrase in $HMS_MASK:\n"
    "  vecwire query --mask-env HMS_MASK --vector-file questions.npy --row 3\n";

struct query_options {
    struct tool_common common;
    const char *vector;
    const char *vector_file;
    const char *text;
    const char *today;
    const char *filter;
    const char *vector_name;
    const char *row_text; /* NULL: not given */
    uint64_t row;
    uint32_t top_k;
    bool with_payload;
    bool with_vector;
};

/* What to search by must be clear. */
static bool
check_sought(struct query_options *options)
{
    if (options->vector != NULL && options->vector_file != NULL) {
        vecwire__args_complain("query", "--vector or --vector-file, not both");
        return false;
    }
    if (options->vector == NULL && options->vector_file == NULL &&
        options->text == NULL) {
        vecwire__args_complain(
            "query", "one of --vector, --vector-file and --text is needed");
        return false;
    }
    if (options->today != NULL && options->text == NULL) {
        vecwire__args_complain("query", "--today goes with --text");
        return false;
    }
    if (options->row_text == NULL)
        return true;
    if (options->vector_file == NULL) {
        vecwire__args_complain("query", "--row goes with --vector-file");
        return false;
    }
    if (!vecwire__args_u64(options->row_text, &options->row)) {
        vecwire__args_complain("query",
                               "--row must be a whole number, not \"%s\"",
                               options->row_text);
        return false;
    }
    return true;
}

static bool
parse_options(struct query_options *options, int argc, char **argv, int *status)
{
    const struct tool_option own[] = {
        {"vector", OPTION_TEXT, &options->vector, 0, 0},
        {"vector-file", OPTION_TEXT, &options->vector_file, 0, 0},
        {"row", OPTION_TEXT, &options->row_text, 0, 0},
        {"text", OPTION_TEXT, &options->text, 0, 0},
        {"today", OPTION_TEXT, &options->today, 0, 0},
        {"top-k", OPTION_U32, &options->top_k, 1, UINT32_MAX},
        {"filter", OPTION_TEXT, &options->filter, 0, 0},
        {"vector-name", OPTION_TEXT, &options->vector_name, 0, 0},
        {"with-payload", OPTION_FLAG, &options->with_payload, 0, 0},
        {"with-vector", OPTION_FLAG, &options->with_vector, 0, 0},
    };
    struct tool_args args = {.command = "query",
                             .help = help,
                             .options = own,
                             .n_options = sizeof(own) / sizeof(own[0]),
                             .argc = argc,
                             .argv = argv};

    memset(options, 0, sizeof(*options));
    options->top_k = 10;
    if (!vecwire__args_parse(&args, &options->common, status))
        return false;
    *status = TOOL_USAGE;
    if (args.n_words > 0) {
        vecwire__args_complain("query", "what is \"%s\"?", args.words[0]);
        return false;
    }
    return vecwire__args_has_collection(&args, &options->common) &&
           check_sought(options);
}

/* Say what is wrong with the text at byte `at`. */
static void
complain_vector(const char *text, size_t at, enum vecwire_err rc)
{
    size_t coordinate = 0;

    for (size_t i = 0; i < at; i++)
        coordinate += text[i] == ',';
    if (rc == VECWIRE_OK)
        vecwire__args_complain("query", "--vector is empty");
    else if (rc == VECWIRE_ETOOBIG && coordinate >= MAX_DIM)
        vecwire__args_complain("query", "--vector has over %d coordinates",
                               MAX_DIM);
    else
        vecwire__args_complain(
            "query", "--vector, coordinate %zu (byte %zu): %s", coordinate, at,
            rc == VECWIRE_ETOOBIG ? "a number beyond float32"
                                  : "no JSON array of numbers");
}

static float *
vector_of_text(const char *text, size_t *dim)
{
    float *vector = vecwire__args_alloc(MAX_DIM, sizeof(*vector));
    enum vecwire_err rc =
        vecwire_vector_parse(text, strlen(text), vector, MAX_DIM, dim);

    if (rc == VECWIRE_OK && *dim > 0)
        return vector;
    complain_vector(text, *dim, rc);
    free(vector);
    return NULL;
}

static float *
vector_of_file(const char *path, uint64_t row, size_t *dim)
{
    char why[NPY_WHY_MAX];
    float *vector = NULL;
    struct npy npy;

    if (!vecwire__npy_open(&npy, path, why)) {
        vecwire__args_complain("query", "%s: %s", path, why);
        return NULL;
    }
    if (row >= npy.rows) {
        vecwire__args_complain("query", "--row %llu: %s has %llu rows",
                               (unsigned long long)row, path,
                               (unsigned long long)npy.rows);
    } else {
        vector = vecwire__args_alloc(npy.dim, sizeof(*vector));
        npy.next = row;
        *dim = npy.dim;
        if (vecwire__npy_read(&npy, 1, vector, why) != 1) {
            vecwire__args_complain("query", "%s: %s", path, why);
            free(vector);
            vector = NULL;
        }
    }
    vecwire__npy_close(&npy);
    return vector;
}

static void
print_vectors(const struct query_options *options,
              const struct vecwire_row *row)
{
    if (options->with_vector && (row->vector != NULL || row->n_vectors > 0))
        vecwire__row_text_vectors(stdout, row);
    else
        fputs("null", stdout);
}

static void
print_hit(const struct query_options *options, const struct vecwire_row *row)
{
    bool scored = (row->flags & VECWIRE_ROW_HAS_SCORE) != 0;

    vecwire__output_plain(stdout, row->id.text, row->id.len);
    putchar('\t');
    vecwire__output_float(stdout, scored ? row->score : NAN);
    putchar('\t');
    if (options->with_payload && row->payload != NULL)
        vecwire__output_plain(stdout, row->payload, row->payload_len);
    else if (row->text != NULL)
        vecwire__output_plain(stdout, row->text, row->text_len);
    if (options->with_vector) {
        putchar('\t');
        print_vectors(options, row);
    }
    putchar('\n');
}

static void
print_hit_json(const struct query_options *options,
               const struct vecwire_row *row)
{
    bool scored = (row->flags & VECWIRE_ROW_HAS_SCORE) != 0;

    fputs("{\"id\":", stdout);
    vecwire__row_text_id(stdout, &row->id);
    fputs(",\"score\":", stdout);
    vecwire__output_float(stdout, scored ? row->score : NAN);
    fputs(",\"text\":", stdout);
    vecwire__output_string(stdout, row->text, row->text_len);
    fputs(",\"payload\":", stdout);
    /* The server's own text, so that no number in it changes. */
    vecwire__row_text_payload(
        stdout, options->with_payload ? row->payload : NULL, row->payload_len);
    fputs(",\"vector\":", stdout);
    print_vectors(options, row);
    putchar('}');
}

static void
print_reply(const struct query_options *options,
            const struct vecwire_reply *reply)
{
    size_t n = vecwire_reply_count(reply);

    if (!options->common.json) {
        for (size_t i = 0; i < n; i++)
            print_hit(options, vecwire_reply_row(reply, i));
        return;
    }
    fputs("{\"hits\":[", stdout);
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            putchar(',');
        print_hit_json(options, vecwire_reply_row(reply, i));
    }
    printf("],\"wakeups\":%u,\"loop_iterations\":%llu}\n",
           vecwire_reply_wakeups(reply),
           (unsigned long long)vecwire_reply_loop_iterations(reply));
}

static int
run(struct tool_session *session, const struct query_options *options,
    const float *vector, size_t dim)
{
    const struct vecwire_reply *reply = NULL;
    struct vecwire_refusal refusal = {.text = ""};
    int status = TOOL_DONE;
    /* HMS sends what it has, and refuses to be asked for it. */
    bool asked = options->common.dialect != VECWIRE_HMS;
    bool with_payload = asked && options->with_payload;
    bool with_vector = asked && options->with_vector;
    enum vecwire_err rc = vecwire_query(
        session->client,
        &VECWIRE_QUERY(.vector = vector, .dim = dim, .text = options->text,
                       .today = options->today, .filter = options->filter,
                       .top_k = options->top_k,
                       .vector_name = options->vector_name,
                       .with_payload = with_payload, .with_vector = with_vector,
                       .refusal = &refusal),
        vecwire__session_keep, &reply, NULL);

    if (rc != VECWIRE_OK)
        return vecwire__session_refused(session, "", rc, &refusal);
    if (!vecwire__session_wait(session, &reply))
        return TOOL_FAILED;
    if (vecwire_reply_error(reply) != NULL) {
        vecwire__session_failed(session, "", vecwire_reply_error(reply));
        status = TOOL_FAILED;
    } else {
        print_reply(options, reply);
    }
    vecwire_reply_release(reply);
    return status;
}

int
vecwire__command_query(int argc, char **argv)
{
    struct query_options options;
    struct tool_session session;
    float *vector = NULL;
    size_t dim = 0;
    int status;

    if (!parse_options(&options, argc, argv, &status))
        return status;
    if (options.vector != NULL)
        vector = vector_of_text(options.vector, &dim);
    else if (options.vector_file != NULL)
        vector = vector_of_file(options.vector_file, options.row, &dim);
    if (vector == NULL &&
        (options.vector != NULL || options.vector_file != NULL))
        return TOOL_USAGE;
    status = vecwire__session_open(&session, "query", &options.common, NULL);
    if (status == TOOL_DONE) {
        status = run(&session, &options, vector, dim);
        vecwire__session_close(&session);
    }
    free(vector);
    return status;
}
