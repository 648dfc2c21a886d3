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

/* The next word at *at, cut off there; NULL: no more, or a comment. */
static char *
next_word(char **at)
{
    char *word = *at + strspn(*at, " \t\r\n");
    size_t n = strcspn(word, " \t\r\n");

    if (n == 0 || *word == '#' || *word == ';')
        return NULL;
    *at = word + n + (word[n] != '\0');
    word[n] = '\0';
    return word;
}

static bool
names_host(char *words, const char *host)
{
    const char *word;

    while ((word = next_word(&words)) != NULL) {
        if (strcasecmp(word, host) == 0)
            return true;
    }
    return false;
}

bool
vecwire__hosts_find(const char *path, const char *host, uint16_t port,
                    struct vecwire__addresses *out)
{
    FILE *file = fopen(path, "re");
    char line[1024];

    out->n = 0;
    if (file == NULL)
        return false;
    while (out->n < VECWIRE__MAX_ADDRESSES &&
           fgets(line, sizeof(line), file) != NULL) {
        struct vecwire__addresses one;
        char *at = line;
        const char *ip = next_word(&at);

        if (ip != NULL && names_host(at, host) &&
            vecwire__resolve_here(ip, port, &one))
            out->at[out->n++] = one.at[0];
    }
    fclose(file);
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
take_line(struct vecwire__search *search, char *line, bool *told)
{
    const char *word = next_word(&line);
    bool options = word != NULL && strcmp(word, "options") == 0;

    if (word == NULL || (!options && strcmp(word, "search") != 0 &&
                         strcmp(word, "domain") != 0))
        return;
    if (!options) {
        *told = true;
        search->n = 0;
    }
    while ((word = next_word(&line)) != NULL) {
        if (!options)
            add_domain(search, word);
        else if (strncmp(word, "ndots:", 6) == 0)
            search->ndots = (unsigned)strtoul(word + 6, NULL, 10);
    }
}

void
vecwire__search_read(const char *path, struct vecwire__search *search)
{
    FILE *file = fopen(path, "re");
    char line[1024];
    bool told = false;

    search->n = 0;
    search->ndots = 1;
    while (file != NULL && fgets(line, sizeof(line), file) != NULL)
        take_line(search, line, &told);
    if (file != NULL)
        fclose(file);
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
