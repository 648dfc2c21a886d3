/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/args.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/output.h"

#define MAX_OPTIONS 48
#define LONGEST_DURATION_S (30.0 * 24 * 3600)

/* Values of common options that need a look before they are used. */
struct raw_common {
    const char *dialect;
    const char *key_env;
    const char *mask_env;
    const char *salt_hex;
};

void
vecwire__args_complain(const char *command, const char *format, ...)
{
    char line[2048];
    va_list list;

    va_start(list, format);
    vsnprintf(line, sizeof(line), format, list);
    va_end(list);
    /* Servers' texts end up here: they may not steer the terminal, nor make
     * two lines of one. */
    for (char *at = line; *at != '\0'; at++)
        memset(at, ' ', vecwire__output_control(at, strlen(at)));
    if (command != NULL)
        fprintf(stderr, "vecwire %s: %s\n", command, line);
    else
        fprintf(stderr, "vecwire: %s\n", line);
}

void *
vecwire__args_alloc(size_t count, size_t size)
{
    void *block = calloc(count == 0 ? 1 : count, size);

    if (block == NULL) {
        vecwire__args_complain(NULL, "out of memory");
        exit(TOOL_FAILED);
    }
    return block;
}

bool
vecwire__args_u64(const char *text, uint64_t *value)
{
    uint64_t sum = 0;

    if (*text == '\0')
        return false;
    for (; *text != '\0'; text++) {
        uint64_t digit = (uint64_t)(unsigned char)*text - '0';

        if (digit > 9 || sum > (UINT64_MAX - digit) / 10)
            return false;
        sum = sum * 10 + digit;
    }
    *value = sum;
    return true;
}

/* Digits with at most one point among them; *rest is what follows. */
static bool
decimal(const char *text, double *value, const char **rest)
{
    size_t len = strspn(text, "0123456789.");
    char copy[48], *stop;

    if (len == 0 || len >= sizeof(copy) || text[0] == '.')
        return false;
    memcpy(copy, text, len);
    copy[len] = '\0';
    *value = strtod(copy, &stop);
    *rest = text + len;
    return *stop == '\0';
}

bool
vecwire__args_real(const char *text, double *value)
{
    const char *rest;

    return decimal(text, value, &rest) && *rest == '\0' && *value > 0;
}

bool
vecwire__args_duration(const char *text, uint64_t *ns)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"", 1}, {"ms", 0.001}, {"s", 1}, {"m", 60}, {"h", 3600}};
    const char *rest;
    double number, seconds = 0;

    if (!decimal(text, &number, &rest))
        return false;
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (strcmp(rest, units[i].name) == 0)
            seconds = units[i].seconds;
    }
    if (!(seconds > 0) || number * seconds > LONGEST_DURATION_S)
        return false;
    *ns = (uint64_t)(number * seconds * 1e9 + 0.5);
    return true;
}

static bool
take_number(const struct tool_args *args, const struct tool_option *option,
            const char *text)
{
    uint64_t value;

    if (!vecwire__args_u64(text, &value) || value < option->min ||
        value > option->max) {
        vecwire__args_complain(args->command,
                               "--%s must be a whole number from %llu to "
                               "%llu, not \"%s\"",
                               option->name, (unsigned long long)option->min,
                               (unsigned long long)option->max, text);
        return false;
    }
    if (option->kind == OPTION_U32)
        *(uint32_t *)option->to = (uint32_t)value;
    else
        *(uint64_t *)option->to = value;
    return true;
}

static bool
take_real(const struct tool_args *args, const struct tool_option *option,
          const char *text)
{
    double value;

    if (!vecwire__args_real(text, &value) || value > (double)option->max) {
        vecwire__args_complain(args->command,
                               "--%s must be a number over 0 and at most "
                               "%llu, not \"%s\"",
                               option->name, (unsigned long long)option->max,
                               text);
        return false;
    }
    *(double *)option->to = value;
    return true;
}

static bool
take_value(const struct tool_args *args, const struct tool_option *option,
           const char *text)
{
    switch (option->kind) {
    case OPTION_TEXT:
        *(const char **)option->to = text;
        return true;
    case OPTION_U32:
    case OPTION_U64:
        return take_number(args, option, text);
    case OPTION_REAL:
        return take_real(args, option, text);
    case OPTION_DURATION:
        if (vecwire__args_duration(text, option->to))
            return true;
        vecwire__args_complain(args->command,
                               "--%s must be a time such as 10s, 250ms or "
                               "2m, at most 30 days, not \"%s\"",
                               option->name, text);
        return false;
    case OPTION_FLAG:
        *(bool *)option->to = true;
        return true;
    case OPTION_LATER:
        break;
    }
    vecwire__args_complain(args->command, "--%s: not built yet", option->name);
    return false;
}

/* getopt_long() returned ':' or '?'. It steps over a word of short options only
 * behind the last of them, so the word is not always the one before. */
static void
complain_option(const struct tool_args *args, int chosen)
{
    char letter[3] = {'-', (char)optopt, '\0'};
    const char *word = args->argv[optind - 1];

    if (optopt > 0 && optopt < 256 && strncmp(word, "--", 2) != 0)
        word = letter;
    vecwire__args_complain(args->command, "%s \"%s\"; see vecwire %s --help",
                           chosen == ':' ? "no value behind" : "what is", word,
                           args->command);
}

/* getopt_long() over `all`; *help is set by --help. */
static bool
walk(struct tool_args *args, const struct tool_option *all, size_t n,
     bool *help)
{
    struct option table[MAX_OPTIONS + 2];
    int chosen;

    memset(table, 0, sizeof(table));
    for (size_t i = 0; i < n; i++) {
        table[i].name = all[i].name;
        table[i].has_arg =
            all[i].kind == OPTION_FLAG ? no_argument : required_argument;
        table[i].val = (int)i + 256;
    }
    table[n] = (struct option){"help", no_argument, NULL, 'h'};

    opterr = 0;
    optind = 0; /* makes glibc forget an earlier command line */
    while ((chosen = getopt_long(args->argc, args->argv, ":h", table, NULL)) !=
           -1) {
        if (chosen == 'h') {
            *help = true;
            return true;
        }
        if (chosen == ':' || chosen == '?') {
            complain_option(args, chosen);
            return false;
        }
        if (!take_value(args, &all[chosen - 256], optarg))
            return false;
    }
    args->words = args->argv + optind;
    args->n_words = (size_t)(args->argc - optind);
    return true;
}

/* The value of a variable that an option names; NULL: said so. What does not
 * look like a name may be the secret itself, given by mistake. */
static const char *
variable(const struct tool_args *args, const char *option, const char *name)
{
    const char *value = getenv(name);

    if (value != NULL && *value != '\0')
        return value;
    if (strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != strlen(name))
        name = "of that name";
    vecwire__args_complain(args->command,
                           "--%s: the variable %s is not set, or empty", option,
                           name);
    return NULL;
}

static int
hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* How many bytes are too few is the library's to say. */
static bool
take_salt(const struct tool_args *args, const char *hex,
          struct tool_common *common)
{
    size_t len = strlen(hex);
    bool fine = len > 0 && len % 2 == 0 && len / 2 <= TOOL_SALT_MAX;

    for (size_t i = 0; fine && i < len; i += 2) {
        int high = hex_digit(hex[i]), low = hex_digit(hex[i + 1]);

        fine = high >= 0 && low >= 0;
        common->salt[i / 2] = (unsigned char)(high * 16 + low);
    }
    common->salt_len = len / 2;
    if (!fine)
        vecwire__args_complain(args->command,
                               "--mask-salt-hex must be 16 to %d bytes, each "
                               "as two hex digits",
                               TOOL_SALT_MAX);
    return fine;
}

static bool
check_mask(const struct tool_args *args, const struct raw_common *raw,
           struct tool_common *common)
{
    if (raw->mask_env == NULL && raw->salt_hex == NULL)
        return true;
    if (raw->mask_env == NULL) {
        vecwire__args_complain(args->command,
                               "--mask-salt-hex goes with --mask-env");
        return false;
    }
    common->passphrase = variable(args, "mask-env", raw->mask_env);
    return common->passphrase != NULL &&
           (raw->salt_hex == NULL || take_salt(args, raw->salt_hex, common));
}

/* How the dialects are named, and where their servers listen. */
static const struct {
    const char *name;
    enum vecwire_dialect dialect;
    const char *url; /* NULL: not built yet */
} dialects[] = {
    {"hms", VECWIRE_HMS, "http://127.0.0.1:8080"},
    {"qdrant", VECWIRE_QDRANT, "http://127.0.0.1:6333"},
    {"chroma", VECWIRE_HMS, NULL},
};

static bool
take_dialect(const struct tool_args *args, const char *name,
             struct tool_common *common)
{
    size_t i = 0, n = sizeof(dialects) / sizeof(dialects[0]);

    while (name != NULL && i < n && strcmp(name, dialects[i].name) != 0)
        i++;
    if (i == n || dialects[i].url == NULL) {
        vecwire__args_complain(args->command, "--dialect %s: %s", name,
                               i == n ? "it must be hms or qdrant"
                                      : "not built yet");
        return false;
    }
    common->dialect = dialects[i].dialect;
    if (common->url == NULL)
        common->url = dialects[i].url;
    return true;
}

static bool
check_dialect(const struct tool_args *args, const struct raw_common *raw,
              struct tool_common *common)
{
    const char *wrong = NULL;

    if (!take_dialect(args, raw->dialect, common))
        return false;
    if (common->dialect == VECWIRE_HMS && common->collection != NULL)
        wrong = "--collection: HMS has no collections";
    else if (common->dialect != VECWIRE_HMS && common->tenant != NULL)
        wrong = "--tenant: only HMS has tenants";
    else if (common->dialect != VECWIRE_HMS &&
             (raw->mask_env != NULL || raw->salt_hex != NULL))
        wrong = "--mask-env: only HMS has masks";
    if (wrong != NULL)
        vecwire__args_complain(args->command, "%s", wrong);
    return wrong == NULL;
}

static bool
check_common(const struct tool_args *args, const struct raw_common *raw,
             struct tool_common *common)
{
    if (!check_dialect(args, raw, common))
        return false;
    if (raw->key_env != NULL) {
        common->api_key = variable(args, "api-key-env", raw->key_env);
        if (common->api_key == NULL)
            return false;
    }
    return check_mask(args, raw, common);
}

bool
vecwire__args_has_collections(const struct tool_args *args,
                              const struct tool_common *common)
{
    if (common->dialect != VECWIRE_HMS)
        return true;
    vecwire__args_complain(args->command,
                           "HMS has nothing of the kind; see --dialect");
    return false;
}

bool
vecwire__args_has_collection(const struct tool_args *args,
                             const struct tool_common *common)
{
    if (common->dialect == VECWIRE_HMS || common->collection != NULL)
        return true;
    vecwire__args_complain(args->command, "--collection is needed");
    return false;
}

/* The command's own options with the common ones behind them. */
static size_t
join_options(const struct tool_args *args, struct tool_common *common,
             struct raw_common *raw, struct tool_option *all)
{
    const struct tool_option shared[] = {
        {"url", OPTION_TEXT, &common->url, 0, 0},
        {"dialect", OPTION_TEXT, &raw->dialect, 0, 0},
        {"collection", OPTION_TEXT, &common->collection, 0, 0},
        {"tenant", OPTION_TEXT, &common->tenant, 0, 0},
        {"api-key-env", OPTION_TEXT, &raw->key_env, 0, 0},
        {"timeout-ms", OPTION_U32, &common->timeout_ms, 1, UINT32_MAX - 1},
        {"verbose", OPTION_FLAG, &common->verbose, 0, 0},
        {"json", OPTION_FLAG, &common->json, 0, 0},
        {"cacert", OPTION_TEXT, &common->cacert, 0, 0},
        {"cert", OPTION_TEXT, &common->cert, 0, 0},
        {"key", OPTION_TEXT, &common->key, 0, 0},
        {"insecure", OPTION_FLAG, &common->insecure, 0, 0},
        {"mask-env", OPTION_TEXT, &raw->mask_env, 0, 0},
        {"mask-salt-hex", OPTION_TEXT, &raw->salt_hex, 0, 0},
    };
    size_t n = args->n_options;

    memcpy(all, args->options, n * sizeof(*all));
    if (common != NULL) {
        memcpy(all + n, shared, sizeof(shared));
        n += sizeof(shared) / sizeof(shared[0]);
    }
    return n;
}

bool
vecwire__args_parse(struct tool_args *args, struct tool_common *common,
                    int *status)
{
    struct tool_option all[MAX_OPTIONS];
    struct raw_common raw = {NULL, NULL, NULL, NULL};
    struct tool_common unused;
    bool help = false;
    size_t n;

    if (common == NULL) {
        memcpy(all, args->options, args->n_options * sizeof(*all));
        n = args->n_options;
        memset(&unused, 0, sizeof(unused));
        common = &unused;
    } else {
        memset(common, 0, sizeof(*common));
        n = join_options(args, common, &raw, all);
    }
    *status = TOOL_USAGE;
    if (!walk(args, all, n, &help))
        return false;
    if (help) {
        fputs(args->help, stdout);
        *status = TOOL_DONE;
        return false;
    }
    return check_common(args, &raw, common);
}
