/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/output.h"
#include "tool/row_text.h"
#include "tool/scan.h"
#include "tool/session.h"

static const char help[] =
    "Usage: vecwire collections list\n"
    "       vecwire collections create --collection NAME --dim N\n"
    "                                  [--distance D]\n"
    "       vecwire collections drop --collection NAME\n"
    "       vecwire collections info --collection NAME\n"
    "\n"
    "Lists, makes, removes and describes collections.\n"
    "\n"
    "  --dim N              coordinates of the vectors, 1 to 65536\n"
    "  --distance D         cosine, dot, euclid or manhattan (cosine)\n"
    "\n" TOOL_COMMON_HELP;

enum action { LIST, CREATE, DROP, INFO };

static const char *const actions[] = {
    [LIST] = "list", [CREATE] = "create", [DROP] = "drop", [INFO] = "info"};

struct collections_options {
    struct tool_common common;
    const char *distance_name;
    uint32_t distance; /* enum vecwire_qdrant_distance */
    uint32_t dim;      /* 0: not given */
    enum action action;
};

static bool
complain(const char *text)
{
    vecwire__args_complain("collections", "%s", text);
    return false;
}

static bool
take_action(struct collections_options *options, const struct tool_args *args)
{
    size_t n = sizeof(actions) / sizeof(actions[0]), i = 0;

    if (args->n_words != 1)
        return complain("one of list, create, drop and info is needed; the "
                        "name goes with --collection");
    while (i < n && strcmp(args->words[0], actions[i]) != 0)
        i++;
    if (i == n) {
        vecwire__args_complain("collections",
                               "what is \"%s\"? list, create, drop or info",
                               args->words[0]);
        return false;
    }
    options->action = (enum action)i;
    return options->action == LIST ||
           vecwire__args_has_collection(args, &options->common);
}

static bool
take_distance(struct collections_options *options)
{
    static const struct {
        const char *name;
        enum vecwire_qdrant_distance distance;
    } names[] = {{"cosine", VECWIRE_QDRANT_COSINE},
                 {"dot", VECWIRE_QDRANT_DOT},
                 {"euclid", VECWIRE_QDRANT_EUCLID},
                 {"manhattan", VECWIRE_QDRANT_MANHATTAN}};

    if (options->action != CREATE)
        return (options->dim == 0 && options->distance_name == NULL) ||
               complain("--dim and --distance go with create");
    if (options->dim == 0)
        return complain("create needs --dim");
    if (options->distance_name == NULL)
        options->distance_name = names[0].name;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(options->distance_name, names[i].name) == 0)
            options->distance = names[i].distance;
    }
    return options->distance != 0 ||
           complain("--distance must be cosine, dot, euclid or manhattan");
}

static bool
parse_options(struct collections_options *options, int argc, char **argv,
              int *status)
{
    const struct tool_option own[] = {
        {"dim", OPTION_U32, &options->dim, 1, 65536},
        {"distance", OPTION_TEXT, &options->distance_name, 0, 0},
    };
    struct tool_args args = {.command = "collections",
                             .help = help,
                             .options = own,
                             .n_options = sizeof(own) / sizeof(own[0]),
                             .argc = argc,
                             .argv = argv};

    memset(options, 0, sizeof(*options));
    if (!vecwire__args_parse(&args, &options->common, status))
        return false;
    *status = TOOL_USAGE;
    return vecwire__args_has_collections(&args, &options->common) &&
           take_action(options, &args) && take_distance(options);
}

static enum vecwire_err
start(struct vecwire_client *client, const struct collections_options *options,
      struct vecwire_refusal *refusal, const struct vecwire_reply **reply)
{
    const struct vecwire_qdrant_vector_config vector = {
        .size = options->dim, .distance = options->distance};
    const struct vecwire_qdrant_admin_request request =
        VECWIRE_QDRANT_ADMIN(.refusal = refusal);

    switch (options->action) {
    case LIST:
        return vecwire_qdrant_list_collections(
            client, &request, vecwire__session_keep, reply, NULL);
    case CREATE:
        return vecwire_qdrant_create_collection(
            client,
            &VECWIRE_QDRANT_CREATE(.vectors = &vector, .n_vectors = 1,
                                   .refusal = refusal),
            vecwire__session_keep, reply, NULL);
    case DROP:
        return vecwire_qdrant_delete_collection(
            client, &request, vecwire__session_keep, reply, NULL);
    case INFO:
        break;
    }
    return vecwire_qdrant_collection_info(client, &request,
                                          vecwire__session_keep, reply, NULL);
}

/* Key and value a line, in the server's own words. */
static void
print_info(const struct vecwire_row *row)
{
    struct scan scan = {row->payload, row->payload_len, 0, NULL};
    struct span value;
    char *key;

    if (!vecwire__scan_expect(&scan, '{', ""))
        return;
    while (vecwire__scan_member(&scan, &key, &value)) {
        vecwire__output_plain(stdout, key, strlen(key));
        putchar('\t');
        vecwire__output_plain(stdout, value.text, value.len);
        putchar('\n');
        free(key);
    }
}

static void
print_text(const struct collections_options *options,
           const struct vecwire_reply *reply)
{
    const char *name = options->common.collection;
    size_t n = vecwire_reply_count(reply);

    if (options->action == CREATE)
        printf("created %s\n", name);
    else if (options->action == DROP)
        printf(vecwire_reply_total(reply) == 1 ? "dropped %s\n"
                                               : "%s was not there\n",
               name);
    else if (options->action == INFO && n > 0)
        print_info(vecwire_reply_row(reply, 0));
    for (size_t i = 0; options->action == LIST && i < n; i++) {
        const struct vecwire_id *id = &vecwire_reply_row(reply, i)->id;

        vecwire__output_plain(stdout, id->text, id->len);
        putchar('\n');
    }
}

/* A name and, behind it, the members of the server's description. */
static void
print_object(const char *name, size_t len, const struct vecwire_row *row)
{
    fputs("{\"name\":", stdout);
    vecwire__output_string(stdout, name, len);
    if (row != NULL && row->payload != NULL && row->payload_len > 2) {
        putchar(',');
        vecwire__row_text_payload(stdout, row->payload + 1,
                                  row->payload_len - 2);
    }
    putchar('}');
}

static void
print_json(const struct collections_options *options,
           const struct vecwire_reply *reply)
{
    const char *name = options->common.collection;
    size_t n = vecwire_reply_count(reply);

    fputs("{\"collections\":[", stdout);
    if (options->action != LIST)
        print_object(name, strlen(name), vecwire_reply_row(reply, 0));
    for (size_t i = 0; options->action == LIST && i < n; i++) {
        const struct vecwire_id *id = &vecwire_reply_row(reply, i)->id;

        if (i > 0)
            putchar(',');
        print_object(id->text, id->len, NULL);
    }
    puts("]}");
}

static int
run(struct tool_session *session, const struct collections_options *options)
{
    const struct vecwire_reply *reply = NULL;
    struct vecwire_refusal refusal = {.text = ""};
    int status = TOOL_DONE;
    enum vecwire_err rc = start(session->client, options, &refusal, &reply);

    if (rc != VECWIRE_OK)
        return vecwire__session_refused(session, "", rc, &refusal);
    if (!vecwire__session_wait(session, &reply))
        return TOOL_FAILED;
    if (vecwire_reply_error(reply) != NULL) {
        vecwire__session_failed(session, "", vecwire_reply_error(reply));
        status = TOOL_FAILED;
    } else if (options->common.json) {
        print_json(options, reply);
    } else {
        print_text(options, reply);
    }
    vecwire_reply_release(reply);
    return status;
}

int
vecwire__command_collections(int argc, char **argv)
{
    struct collections_options options;
    struct tool_session session;
    int status;

    if (!parse_options(&options, argc, argv, &status))
        return status;
    status =
        vecwire__session_open(&session, "collections", &options.common, NULL);
    if (status == TOOL_DONE) {
        status = run(&session, &options);
        vecwire__session_close(&session);
    }
    return status;
}
