/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VECWIRE_TOOL_ARGS_H
#define VECWIRE_TOOL_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vecwire/client.h>

/* What the program exits with. */
enum tool_exit {
    TOOL_DONE = 0,
    TOOL_FAILED = 1, /* a request failed */
    TOOL_USAGE = 2   /* wrong usage, or a verb that the dialect lacks */
};

/* What an option's value is, and what `to` points at. */
enum option_kind {
    OPTION_TEXT,     /* const char * */
    OPTION_U32,      /* uint32_t, from min to max */
    OPTION_U64,      /* uint64_t, from min to max */
    OPTION_REAL,     /* double, over 0 and at most max */
    OPTION_DURATION, /* uint64_t, nanoseconds; "10s", "250ms", "2m", "1h" */
    OPTION_FLAG,     /* bool, takes no value */
    OPTION_LATER     /* a value is taken, then refused: not built yet */
};

struct tool_option {
    const char *name; /* without the dashes */
    enum option_kind kind;
    void *to;
    uint64_t min;
    uint64_t max;
};

/* Bytes of a salt on the command line, at most. */
#define TOOL_SALT_MAX 128

/* What every command that talks to a database takes. */
struct tool_common {
    const char *url;
    enum vecwire_dialect dialect;
    const char *collection; /* NULL: none */
    const char *tenant;     /* NULL: none */
    const char *api_key;    /* the value, never shown; NULL: none */
    /* HMS: what the mask is made from, never shown; NULL: no mask. */
    const char *passphrase;
    size_t salt_len; /* 0: the library's default salt */
    unsigned char salt[TOOL_SALT_MAX];
    const char *cacert, *cert, *key; /* files for https; NULL: none */
    uint32_t timeout_ms;             /* 0: the library's default */
    bool insecure;
    bool verbose;
    bool json;
};

/* One command line after the name of the command. */
struct tool_args {
    const char *command; /* "query" */
    const char *help;    /* printed by --help */
    const struct tool_option *options;
    size_t n_options;
    int argc; /* argv[0] is the command */
    char **argv;
    /* Filled in: what is no option, in order. */
    char **words;
    size_t n_words;
};

/* Text of the common options, for the help of a command. */
#define TOOL_COMMON_HELP                                                       \
    "Common options:\n"                                                        \
    "  --url URL            the server (http://127.0.0.1:8080; Qdrant:\n"      \
    "                       http://127.0.0.1:6333)\n"                          \
    "  --dialect NAME       hms or qdrant (hms)\n"                             \
    "  --collection NAME    Qdrant: the collection; HMS has none\n"            \
    "  --tenant NAME        HMS: X-Tenant-ID\n"                                \
    "  --api-key-env NAME   read the API key from this variable\n"             \
    "  --mask-env NAME      HMS: mask vectors with the passphrase in this\n"   \
    "                       variable (obfuscation, not encryption)\n"          \
    "  --mask-salt-hex HEX  its salt, 16 bytes or more, instead of the "       \
    "SDK's\n"                                                                  \
    "  --cacert FILE        https: trust these instead of the system's\n"      \
    "  --cert FILE          https: our certificate, with --key FILE\n"         \
    "  --insecure           https: anybody may be the server\n"                \
    "  --timeout-ms N       limit of one call, retries included (30000)\n"     \
    "  --verbose            the library's log on stderr\n"                     \
    "  --json               one JSON document on stdout\n"                     \
    "  --help               this text\n"

/* Parse options and words. `common` NULL: the command takes none of them.
 * False: *status is what to exit with, all has been said. */
bool vecwire__args_parse(struct tool_args *args, struct tool_common *common,
                         int *status);

/* The command is about collections. False: the dialect has none, said so. */
bool vecwire__args_has_collections(const struct tool_args *args,
                                   const struct tool_common *common);

/* False: the dialect has collections and none was named, said so. */
bool vecwire__args_has_collection(const struct tool_args *args,
                                  const struct tool_common *common);

/* An unsigned decimal number and nothing else. */
bool vecwire__args_u64(const char *text, uint64_t *value);

/* A decimal number over 0, such as "12.5", and nothing else. */
bool vecwire__args_real(const char *text, double *value);

/* "10s", "250ms", "2m", "1h", or a number of seconds; up to 30 days. */
bool vecwire__args_duration(const char *text, uint64_t *ns);

/* One line on stderr, "vecwire COMMAND: ...", without control characters.
 * `command` may be NULL. */
void vecwire__args_complain(const char *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* malloc() of count * size; ends the program when there is none. */
void *vecwire__args_alloc(size_t count, size_t size);

#endif
