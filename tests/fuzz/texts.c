/* SPDX-License-Identifier: Apache-2.0 */
/* The small texts: URLs, Retry-After, headers.
 *
 * Input: one byte, which of them; the text. */
#include <ctype.h>
#include <strings.h>
#include <time.h>

#include "call/headers.h"
#include "call/verdict.h"
#include "codec/mem.h"
#include "dialect/dialect.h"
#include "net/url.h"
#include "tests/fuzz/fuzz.h"

/* --- URLs --- */

static bool
is_path(const char *prefix)
{
    size_t len = strlen(prefix);

    if (len == 0)
        return true;
    for (size_t i = 0; i < len; i++) {
        if (prefix[i] < 0x21 || prefix[i] > 0x7e || prefix[i] == '?' ||
            prefix[i] == '#')
            return false;
    }
    return prefix[0] == '/' && prefix[len - 1] != '/';
}

/* Put together again it means the same. */
static void
check_url(struct fuzz_input *input)
{
    struct vecwire__url url, again;
    const char *why = NULL;
    char text[2048];
    char *given = fuzz_text(input->at, input->left);

    if (vecwire__url_parse(&url, given, 8080, &why) == VECWIRE_OK) {
        FUZZ_REQUIRE(url.host[0] != '\0' && url.port != 0 &&
                         strpbrk(url.host, " /@\r\n\t[]") == NULL &&
                         is_path(url.prefix),
                     "%s, %u, %s", url.host, (unsigned)url.port, url.prefix);
        FUZZ_REQUIRE(url.literal == (strchr(url.host, ':') != NULL), "literal");
        snprintf(text, sizeof(text), "http%s://%s%s", url.tls ? "s" : "",
                 url.host_header, url.prefix);
        /* A port that is usual for the scheme is left out in the header. */
        FUZZ_REQUIRE(vecwire__url_parse(&again, text, url.tls ? 443 : 80,
                                        &why) == VECWIRE_OK,
                     "%s: %s", text, why);
        FUZZ_REQUIRE(strcmp(again.host, url.host) == 0 &&
                         strcmp(again.host_header, url.host_header) == 0 &&
                         strcmp(again.prefix, url.prefix) == 0 &&
                         again.port == url.port && again.tls == url.tls &&
                         again.literal == url.literal,
                     "%s means something else", text);
    } else {
        FUZZ_REQUIRE(why != NULL && why[0] != '\0', "no reason");
    }
    free(given);
}

/* --- Retry-After --- */

static int64_t
seconds_wanted(const char *text)
{
    unsigned __int128 value = 0;

    for (; *text != '\0'; text++) {
        if (value < (unsigned __int128)INT64_MAX)
            value = value * 10 + (unsigned)(*text - '0');
    }
    value *= 1000;
    return value > (unsigned __int128)INT64_MAX ? INT64_MAX : (int64_t)value;
}

static void
check_delay(struct fuzz_input *input)
{
    char *text = fuzz_text(input->at, input->left);
    int64_t now = 1700000000, ms = vecwire__retry_after_ms(text, now);

    FUZZ_REQUIRE(ms >= -1, "%lld", (long long)ms);
    if (text[0] != '\0' && strspn(text, "0123456789") == strlen(text))
        FUZZ_REQUIRE(ms == seconds_wanted(text), "%s is %lld ms", text,
                     (long long)ms);
    else if (strspn(text, "0123456789 \t-+.eE") == strlen(text) &&
             strpbrk(text, "-+.eE") != NULL)
        FUZZ_REQUIRE(ms == -1, "%s is %lld ms", text, (long long)ms);
    free(text);
}

static void
expect_delay(const char *text, int64_t now, int64_t want)
{
    int64_t ms = vecwire__retry_after_ms(text, now);

    FUZZ_REQUIRE(ms == want, "%s is %lld ms, not %lld", text, (long long)ms,
                 (long long)want);
}

/* Any second from 1970 to 9999, in two of the three forms; the third knows two
 * digits of the year only. */
static void
check_date(struct fuzz_input *input)
{
    uint64_t when = 0;
    int64_t now = 1700000000, want;
    struct tm parts;
    char text[64];
    time_t at;

    for (int i = 0; i < 5; i++)
        when = when << 8 | fuzz_byte(input);
    at = (time_t)(when % 253402300800u);
    gmtime_r(&at, &parts);
    want = at <= now ? 0 : (at - now) * 1000;
    strftime(text, sizeof(text), "%a, %d %b %Y %H:%M:%S GMT", &parts);
    expect_delay(text, now, want);
    strftime(text, sizeof(text), "%a %b %e %H:%M:%S %Y", &parts);
    expect_delay(text, now, want);
}

/* --- headers --- */

#define SECRET "kEy-0123456789"

static bool
is_fine(const struct vecwire_header *header)
{
    const char *value = header->value;
    size_t len = strlen(value);

    for (const char *p = header->name; *p != '\0'; p++) {
        if (!isalnum((unsigned char)*p) &&
            strchr("!#$%&'*+-.^_`|~", *p) == NULL)
            return false;
    }
    for (size_t i = 0; i < len; i++) {
        if (value[i] < 0x20 || value[i] > 0x7e)
            return false;
    }
    return header->name[0] != '\0' &&
           (len == 0 || (value[0] != ' ' && value[len - 1] != ' '));
}

static bool
is_twice(const struct vecwire__headers *made, size_t index)
{
    for (size_t i = 0; i < index; i++) {
        if (strcasecmp(made->list[i].name, made->list[index].name) == 0)
            return true;
    }
    return false;
}

static void
check_made(const struct vecwire__headers *made, const char *last_name,
           const char *last_value)
{
    const char *value;

    for (size_t i = 0; i < made->n; i++) {
        FUZZ_REQUIRE(is_fine(&made->list[i]), "%s", made->list[i].name);
        FUZZ_REQUIRE(strcasecmp(made->list[i].name, "Content-Length") != 0 &&
                         strcasecmp(made->list[i].name, "Host") != 0 &&
                         strcasecmp(made->list[i].name, "Transfer-Encoding") !=
                             0,
                     "the framing is ours");
        FUZZ_REQUIRE(!is_twice(made, i), "%s twice", made->list[i].name);
    }
    value = vecwire__headers_find(made->list, made->n, "Authorization");
    FUZZ_REQUIRE(value != NULL && strcmp(value, "Bearer " SECRET) == 0, "key");
    if (last_name != NULL) {
        value = vecwire__headers_find(made->list, made->n, last_name);
        FUZZ_REQUIRE(value != NULL && strcmp(value, last_value) == 0,
                     "%s is not the last one given", last_name);
    }
}

/* "name:value\n" a header, alternately for the client and for the call. */
static void
check_headers(struct fuzz_input *input)
{
    struct vecwire_header lists[2][8];
    struct vecwire__header_parts parts = {.dialect = &vecwire__dialect_hms,
                                          .api_key = SECRET,
                                          .base = lists[0],
                                          .extra = lists[1]};
    /* The fuzzer may come upon it and name a header so. */
    bool known = memmem(input->at, input->left, SECRET, strlen(SECRET)) != NULL;
    struct vecwire_refusal refusal = {.text = ""};
    struct vecwire__headers made;
    struct fuzz_mem counting;
    char *texts[2 + 2 * 16];
    size_t n = 0;

    parts.tenant = texts[n++] = fuzz_take_text(input, '\n');
    parts.user_agent = texts[n++] = fuzz_take_text(input, '\n');
    while (input->left > 0 && parts.n_extra < 8) {
        size_t list = parts.n_base > parts.n_extra;
        size_t *at = list == 0 ? &parts.n_base : &parts.n_extra;

        texts[n] = fuzz_take_text(input, ':');
        texts[n + 1] = fuzz_take_text(input, '\n');
        lists[list][*at] = (struct vecwire_header){texts[n], texts[n + 1]};
        (*at)++;
        n += 2;
    }
    fuzz_mem_init(&counting);
    memset(&made, 0xa5, sizeof(made));
    if (vecwire__headers_make(&made, &counting.mem, &parts, &refusal) ==
        VECWIRE_OK)
        check_made(
            &made, parts.n_extra == 0 ? NULL : lists[1][parts.n_extra - 1].name,
            parts.n_extra == 0 ? NULL : lists[1][parts.n_extra - 1].value);
    else
        FUZZ_REQUIRE(refusal.text[0] != '\0' && made.n == 0, "no reason");
    FUZZ_REQUIRE(known || strstr(refusal.text, SECRET) == NULL,
                 "the key is told");
    vecwire__headers_free(&made, &counting.mem);
    FUZZ_REQUIRE(counting.blocks == 0, "%zu blocks are left", counting.blocks);
    while (n > 0)
        free(texts[--n]);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    static void (*const checks[])(struct fuzz_input *) = {
        check_url, check_delay, check_date, check_headers};
    struct fuzz_input input = {bytes, len};

    checks[fuzz_byte(&input) % 4](&input);
    return 0;
}
