/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/command.h"

#include <inttypes.h>
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
    const char *distance; /* as Qdrant writes it */
    uint32_t dim;         /* 0: not given */
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
    static const char *const names[][2] = {{"cosine", "Cosine"},
                                           {"dot", "Dot"},
                                           {"euclid", "Euclid"},
                                           {"manhattan", "Manhattan"}};

    if (options->action != CREATE)
        return (options->dim == 0 && options->distance_name == NULL) ||
               complain("--dim and --distance go with create");
    if (options->dim == 0)
        return complain("create needs --dim");
    if (options->distance_name == NULL)
        options->distance_name = names[0][0];
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(options->distance_name, names[i][0]) == 0)
            options->distance = names[i][1];
    }
    return options->distance != NULL ||
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

/* "/collections" and, behind it, the name with what a path may not have
 * written as %XX. To be freed. */
static char *
make_path(const char *name)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "abcdefghijklmnopqrstuvwxyz0123456789-._~";
    size_t room =
        sizeof("/collections/") + (name == NULL ? 0 : strlen(name) * 3);
    char *path = vecwire__args_alloc(room, 1), *at = path;

    at += sprintf(at, "/collections");
    if (name == NULL)
        return path;
    *at++ = '/';
    for (; *name != '\0'; name++) {
        if (strchr(plain, *name) != NULL)
            *at++ = *name;
        else
            at += sprintf(at, "%%%02X", (unsigned)(unsigned char)*name);
    }
    return path;
}

/* Send it; the kept reply, or NULL and *status. */
static const struct vecwire_reply *
ask(struct tool_session *session, const struct collections_options *options,
    int *status)
{
    static const char *const methods[] = {
        [LIST] = "GET", [CREATE] = "PUT", [DROP] = "DELETE", [INFO] = "GET"};
    const struct vecwire_reply *reply = NULL;
    struct vecwire_refusal refusal = {.text = ""};
    char *path =
        make_path(options->action == LIST ? NULL : options->common.collection);
    char body[96] = "";
    enum vecwire_err rc;

    if (options->action == CREATE)
        snprintf(body, sizeof(body),
                 "{\"vectors\":{\"size\":%" PRIu32 ",\"distance\":\"%s\"}}",
                 options->dim, options->distance);
    rc = vecwire_raw(
        session->client,
        &VECWIRE_RAW(.method = methods[options->action], .path = path,
                     .body = body[0] == '\0' ? NULL : body,
                     .body_len = strlen(body), .refusal = &refusal),
        vecwire__session_keep, &reply, NULL);
    free(path);
    *status = TOOL_FAILED;
    if (rc != VECWIRE_OK) {
        *status = vecwire__session_refused(session, "", rc, &refusal);
        return NULL;
    }
    if (!vecwire__session_wait(session, &reply))
        return NULL;
    if (vecwire_reply_error(reply) != NULL) {
        vecwire__session_failed(session, "", vecwire_reply_error(reply));
        vecwire_reply_release(reply);
        return NULL;
    }
    return reply;
}

/* Member `name` of an object; text NULL: it has none, or is no object. */
static struct span
member(struct span object, const char *name)
{
    struct scan scan = {object.text, object.len, 0, NULL};
    struct span value, found = {NULL, 0};
    char *key;

    if (object.text == NULL || !vecwire__scan_expect(&scan, '{', ""))
        return found;
    while (vecwire__scan_member(&scan, &key, &value)) {
        if (strcmp(key, name) == 0)
            found = value;
        free(key);
    }
    return found;
}

static void
print_plain(struct span text)
{
    vecwire__output_plain(stdout, text.text, text.len);
}

/* A name a line. */
static bool
print_list(struct span result)
{
    struct span list = member(result, "collections"), entry;
    struct scan scan = {list.text, list.len, 1, NULL};

    if (list.text == NULL || list.text[0] != '[')
        return false;
    while (vecwire__scan_peek(&scan) == '{' &&
           vecwire__scan_value(&scan, &entry)) {
        const char *unused;
        struct span quoted = member(entry, "name");
        char *name =
            quoted.text == NULL ? NULL : vecwire__scan_string(quoted, &unused);

        if (name == NULL)
            return false;
        print_plain((struct span){name, strlen(name)});
        putchar('\n');
        free(name);
        if (vecwire__scan_peek(&scan) == ',')
            scan.at++;
    }
    return true;
}

/* Key and value a line, in the server's own words. */
static bool
print_info(struct span result)
{
    struct scan scan = {result.text, result.len, 0, NULL};
    struct span value;
    char *key;

    if (!vecwire__scan_expect(&scan, '{', ""))
        return false;
    while (vecwire__scan_member(&scan, &key, &value)) {
        print_plain((struct span){key, strlen(key)});
        putchar('\t');
        print_plain(value);
        putchar('\n');
        free(key);
    }
    return true;
}

static bool
print_text(const struct collections_options *options, struct span result)
{
    const char *name = options->common.collection;
    bool was_there = result.text[0] == 't';

    if (options->action == LIST)
        return print_list(result);
    if (options->action == INFO)
        return print_info(result);
    if (options->action == CREATE)
        printf("created %s\n", name);
    else
        printf(was_there ? "dropped %s\n" : "%s was not there\n", name);
    return true;
}

/* The objects that the server lists, or one: the name and what is known. */
static bool
print_json(const struct collections_options *options, struct span result)
{
    const char *name = options->common.collection;
    struct span list = member(result, "collections");

    if ((options->action == LIST && list.text == NULL) ||
        (options->action == INFO && result.text[0] != '{'))
        return false;
    fputs("{\"collections\":", stdout);
    if (options->action == LIST) {
        vecwire__row_text_payload(stdout, list.text, list.len);
    } else {
        fputs("[{\"name\":", stdout);
        vecwire__output_string(stdout, name, strlen(name));
        /* The members of the server's object behind the name. */
        if (options->action == INFO) {
            putchar(',');
            vecwire__row_text_payload(stdout, result.text + 1, result.len - 2);
        }
        fputs("}]", stdout);
    }
    puts("}");
    return true;
}

static int
run(struct tool_session *session, const struct collections_options *options)
{
    int status;
    const struct vecwire_reply *reply = ask(session, options, &status);
    struct span body, result;
    bool fine;

    if (reply == NULL)
        return status;
    body.text = vecwire_reply_body(reply, &body.len);
    result = member(body, "result");
    fine = result.text != NULL &&
           (options->common.json ? print_json(options, result)
                                 : print_text(options, result));
    if (!fine)
        vecwire__args_complain("collections",
                               "%s: the answer was not "
                               "understood",
                               session->url);
    vecwire_reply_release(reply);
    return fine ? TOOL_DONE : TOOL_FAILED;
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
