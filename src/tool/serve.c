/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/command.h"

#include <event2/event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/serve_tls.h"
#include "server/server.h"
#include "tool/args.h"

static const char help[] =
    "Usage: vecwire serve [OPTION]...\n"
    "\n"
    "A small server that answers HMS's requests by exact search. All is in\n"
    "memory and gone when it stops (SIGINT or SIGTERM). When HMS_API_KEY is\n"
    "in the environment, every request needs that key.\n"
    "\n"
    "  --listen HOST:PORT   where (127.0.0.1:8080); port 0: any free one\n"
    "  --dim N              coordinates of a vector (384)\n"
    "  --seed-rows N        begin with N rows, row-0 and so on (0)\n"
    "  --seed-text-bytes N  bytes of text in each of them\n"
    "  --tls-cert FILE      https with this certificate (PEM, its chain "
    "behind\n"
    "                       it)\n"
    "  --tls-key FILE       and its key\n"
    "  --tls-self-signed DIR  https with a certificate for localhost, "
    "127.0.0.1\n"
    "                       and ::1 that is made in DIR: clients take it with\n"
    "                       --cacert DIR/ca.pem\n"
    "  --help               this text\n";

struct serve_options {
    const char *listen;
    uint64_t seed_rows;
    uint64_t seed_text_bytes;
    uint32_t dim;
    const char *tls_cert, *tls_key, *tls_dir;
    char *host; /* cut out of `listen` */
    uint16_t port;
};

/* "127.0.0.1:8080", "[::1]:0" or "localhost:80". */
static bool
split_listen(struct serve_options *options)
{
    const char *text = options->listen, *colon = strrchr(text, ':');
    uint64_t port;
    size_t len;

    if (colon == NULL || !vecwire__args_u64(colon + 1, &port) ||
        port > UINT16_MAX)
        return false;
    len = (size_t)(colon - text);
    if (len > 2 && text[0] == '[' && text[len - 1] == ']') {
        text++;
        len -= 2;
    } else if (len == 0 || text[0] == '[' || memchr(text, ':', len) != NULL) {
        return false;
    }
    options->host = vecwire__args_alloc(len + 1, 1);
    memcpy(options->host, text, len);
    options->port = (uint16_t)port;
    return true;
}

static bool
parse_options(struct serve_options *options, int argc, char **argv, int *status)
{
    const struct tool_option own[] = {
        {"listen", OPTION_TEXT, &options->listen, 0, 0},
        {"dim", OPTION_U32, &options->dim, 1, VECWIRE__SERVER_DIM_MAX},
        {"seed-rows", OPTION_U64, &options->seed_rows, 0, 100000000},
        {"seed-text-bytes", OPTION_U64, &options->seed_text_bytes, 0, 65536},
        {"tls-cert", OPTION_TEXT, &options->tls_cert, 0, 0},
        {"tls-key", OPTION_TEXT, &options->tls_key, 0, 0},
        {"tls-self-signed", OPTION_TEXT, &options->tls_dir, 0, 0},
    };
    struct tool_args args = {.command = "serve",
                             .help = help,
                             .options = own,
                             .n_options = sizeof(own) / sizeof(own[0]),
                             .argc = argc,
                             .argv = argv};

    memset(options, 0, sizeof(*options));
    options->listen = "127.0.0.1:8080";
    if (!vecwire__args_parse(&args, NULL, status))
        return false;
    *status = TOOL_USAGE;
    if (args.n_words > 0) {
        vecwire__args_complain("serve", "what is \"%s\"?", args.words[0]);
        return false;
    }
    if ((options->tls_cert == NULL) != (options->tls_key == NULL) ||
        (options->tls_cert != NULL && options->tls_dir != NULL)) {
        vecwire__args_complain("serve",
                               "TLS needs --tls-cert and --tls-key, or "
                               "--tls-self-signed");
        return false;
    }
    if (!split_listen(options)) {
        vecwire__args_complain(
            "serve", "--listen must be HOST:PORT, not \"%s\"", options->listen);
        return false;
    }
    return true;
}

static void
on_signal(evutil_socket_t number, short what, void *base)
{
    (void)number;
    (void)what;
    event_base_loopbreak(base);
}

/* Answer requests until a signal comes. */
static int
serve(struct event_base *base, struct vecwire__server *server)
{
    struct event *stops[2] = {
        evsignal_new(base, SIGINT, on_signal, base),
        evsignal_new(base, SIGTERM, on_signal, base),
    };
    int status = TOOL_FAILED;

    if (stops[0] == NULL || stops[1] == NULL ||
        event_add(stops[0], NULL) != 0 || event_add(stops[1], NULL) != 0) {
        vecwire__args_complain("serve", "signals cannot be watched");
    } else {
        printf("vecwire serve listening on %s\n", vecwire__server_url(server));
        /* Who waits for this line would wait for ever; main() says why. */
        if (fflush(stdout) == 0 && event_base_dispatch(base) >= 0)
            status = TOOL_DONE;
    }
    for (size_t i = 0; i < 2; i++) {
        if (stops[i] != NULL)
            event_free(stops[i]);
    }
    return status;
}

/* The certificate's files, those of the directory made if need be. */
static bool
take_tls(const struct serve_options *options,
         struct vecwire__server_options *taken, char *cert, char *key,
         size_t size, char *why, size_t why_size)
{
    taken->tls_cert = options->tls_cert;
    taken->tls_key = options->tls_key;
    if (options->tls_dir == NULL)
        return true;
    if (!vecwire__self_signed(options->tls_dir, why, why_size))
        return false;
    snprintf(cert, size, "%s/cert.pem", options->tls_dir);
    snprintf(key, size, "%s/key.pem", options->tls_dir);
    taken->tls_cert = cert;
    taken->tls_key = key;
    return true;
}

static int
run(struct event_base *base, const struct serve_options *options)
{
    char why[1200] = "", cert[1024], key[1024];
    struct vecwire__server_options taken = {
        .host = options->host,
        .port = options->port,
        .api_key = getenv("HMS_API_KEY"),
        .dim = options->dim,
        .seed_rows = options->seed_rows,
        .seed_text_bytes = (size_t)options->seed_text_bytes};
    struct vecwire__server *server = NULL;
    int status = TOOL_FAILED;

    if (take_tls(options, &taken, cert, key, sizeof(cert), why, sizeof(why)))
        server = vecwire__server_new(base, &taken, why, sizeof(why));
    if (server == NULL)
        vecwire__args_complain("serve", "%s: %s", options->listen, why);
    else
        status = serve(base, server);
    vecwire__server_free(server);
    return status;
}

int
vecwire__command_serve(int argc, char **argv)
{
    struct serve_options options;
    struct event_base *base;
    int status;

    if (!parse_options(&options, argc, argv, &status))
        return status;
    base = event_base_new();
    if (base == NULL) {
        vecwire__args_complain("serve", "no event loop could be made");
        status = TOOL_FAILED;
    } else {
        status = run(base, &options);
        event_base_free(base);
    }
    free(options.host);
    return status;
}
