/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this machine say about a name: /etc/hosts, and the search
 * list of resolv.conf. evdns would read the latter too, and go through it for
 * IPv4 and IPv6 apart: a name with an address of one kind would be waited for
 * under every other name, and might end up at another host. */
#include "net/resolve.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* A file word by word. Lines have any length. */
struct words {
    FILE *file;
    int next; /* the byte behind the word */
    char word[256];
};

/* The next line; false: there is none. */
static bool
next_line(struct words *words)
{
    while (words->next != '\n' && words->next != EOF)
        words->next = getc_unlocked(words->file);
    if (words->next == '\n')
        words->next = getc_unlocked(words->file);
    return words->next != EOF;
}

static bool
open_words(struct words *words, const char *path)
{
    words->file = fopen(path, "re");
    words->next = '\n';
    return words->file != NULL;
}

static bool
is_blank(int c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* The next word of the line; NULL: no more, or a comment. One that is longer
 * than a name can be, or has a NUL, is "". */
static const char *
next_word(struct words *words)
{
    size_t n = 0;
    bool sound = true;

    while (is_blank(words->next))
        words->next = getc_unlocked(words->file);
    if (words->next == '\n' || words->next == EOF || words->next == '#' ||
        words->next == ';')
        return NULL;
    while (words->next != '\n' && words->next != EOF && words->next != '#' &&
           !is_blank(words->next)) {
        sound = sound && words->next != '\0' && n + 1 < sizeof(words->word);
        if (sound)
            words->word[n++] = (char)words->next;
        words->next = getc_unlocked(words->file);
    }
    words->word[sound ? n : 0] = '\0';
    return words->word;
}

static bool
names_host(struct words *words, const char *host)
{
    const char *word;

    while ((word = next_word(words)) != NULL) {
        if (strcasecmp(word, host) == 0)
            return true;
    }
    return false;
}

bool
vecwire__hosts_find(const char *path, const char *host, uint16_t port,
                    struct vecwire__addresses *out)
{
    struct words words;

    out->n = 0;
    if (!open_words(&words, path))
        return false;
    while (out->n < VECWIRE__MAX_ADDRESSES && next_line(&words)) {
        struct vecwire__addresses one;
        const char *ip = next_word(&words);

        if (ip != NULL && vecwire__resolve_here(ip, port, &one) &&
            names_host(&words, host))
            out->at[out->n++] = one.at[0];
    }
    fclose(words.file);
    return out->n > 0;
}

static void
add_domain(struct vecwire__search *search, const char *domain)
{
    size_t len;

    domain += strspn(domain, ".");
    len = strlen(domain);
    if (search->n == VECWIRE__MAX_SEARCH || len == 0 ||
        len >= sizeof(search->domains[0]))
        return;
    memcpy(search->domains[search->n++], domain, len + 1);
}

/* Without a word about it in the file, it is the machine's own domain. */
static void
own_domain(struct vecwire__search *search)
{
    char name[256];
    const char *dot;

    if (gethostname(name, sizeof(name)) != 0)
        return;
    name[sizeof(name) - 1] = '\0';
    dot = strchr(name, '.');
    if (dot != NULL)
        add_domain(search, dot);
}

/* The last search or domain line counts. */
static void
take_line(struct vecwire__search *search, struct words *words, bool *told)
{
    const char *word = next_word(words);
    bool options = word != NULL && strcmp(word, "options") == 0;

    if (word == NULL || (!options && strcmp(word, "search") != 0 &&
                         strcmp(word, "domain") != 0))
        return;
    if (!options) {
        *told = true;
        search->n = 0;
    }
    while ((word = next_word(words)) != NULL) {
        if (!options)
            add_domain(search, word);
        else if (strncmp(word, "ndots:", 6) == 0)
            search->ndots = (unsigned)strtoul(word + 6, NULL, 10);
    }
}

void
vecwire__search_read(const char *path, struct vecwire__search *search)
{
    struct words words;
    bool told = false;

    search->n = 0;
    search->ndots = 1;
    if (open_words(&words, path)) {
        while (next_line(&words))
            take_line(search, &words, &told);
        fclose(words.file);
    }
    if (!told)
        own_domain(search);
}

static unsigned
count_dots(const char *text)
{
    unsigned n = 0;

    for (; *text != '\0'; text++)
        n += *text == '.';
    return n;
}

bool
vecwire__search_name(const struct vecwire__search *search, const char *host,
                     size_t i, char name[VECWIRE__NAME_SIZE])
{
    size_t len = strlen(host);
    size_t raw = count_dots(host) >= search->ndots ? 0 : search->n;
    int n;

    /* With a dot at the end it is whole. */
    if (len > 0 && host[len - 1] == '.')
        raw = 0;
    if (i > search->n || (i > 0 && len > 0 && host[len - 1] == '.'))
        return false;
    if (i == raw)
        n = snprintf(name, VECWIRE__NAME_SIZE, "%s", host);
    else
        n = snprintf(name, VECWIRE__NAME_SIZE, "%s.%s", host,
                     search->domains[i - (raw == 0)]);
    /* Too long a name is nobody's: evdns says so. */
    return n > 0;
}
