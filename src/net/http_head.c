/* SPDX-License-Identifier: Apache-2.0 */
#include "net/http_head.h"

#include <string.h>
#include <strings.h>

/* What matters of the headers, found in one walk. */
struct found {
    const char *length, *transfer, *connection;
    bool many_lengths, many_transfers, close, encoded;
};

/* RFC 9110, 5.6.2. A name that is none ("Content-Length :") hides a header
 * from us that another reader sees. */
static bool
is_token(const char *name)
{
    static const char others[] = "!#$%&'*+-.^_`|~";

    if (*name == '\0')
        return false;
    for (; *name != '\0'; name++) {
        char c = *name;

        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
              (c >= '0' && c <= '9') || strchr(others, c) != NULL))
            return false;
    }
    return true;
}

/* Is `token` an element of the comma-separated list? */
static bool
has_token(const char *list, const char *token)
{
    size_t n = strlen(token);

    while (*list != '\0') {
        size_t len;

        list += strspn(list, ", \t");
        len = strcspn(list, ", \t");
        if (len == n && strncasecmp(list, token, n) == 0)
            return true;
        list += len;
    }
    return false;
}

static bool
find(struct found *found, const struct vecwire_header *headers, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *name = headers[i].name, *value = headers[i].value;

        if (!is_token(name))
            return false;
        /* All names that matter begin with one of two letters. */
        if ((*name | 0x20) != 'c' && (*name | 0x20) != 't')
            continue;
        if (strcasecmp(name, "Content-Length") == 0) {
            found->many_lengths = found->length != NULL;
            found->length = value;
        } else if (strcasecmp(name, "Transfer-Encoding") == 0) {
            found->many_transfers = found->transfer != NULL;
            found->transfer = value;
        } else if (strcasecmp(name, "Connection") == 0) {
            if (found->connection == NULL)
                found->connection = value;
            found->close = found->close || has_token(value, "close");
        } else if (strcasecmp(name, "Content-Encoding") == 0) {
            found->encoded =
                found->encoded || strcasecmp(value, "identity") != 0;
        }
    }
    return true;
}

/* Digits and nothing else. */
static bool
read_length(const char *text, uint64_t *length)
{
    *length = 0;
    if (*text == '\0')
        return false;
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9' ||
            __builtin_mul_overflow(*length, (uint64_t)10, length) ||
            __builtin_add_overflow(*length, (uint64_t)(*text - '0'), length))
            return false;
    }
    /* evhttp keeps it in a signed variable. */
    return *length <= INT64_MAX;
}

/* Where does the body end? NULL: it is clear. */
static const char *
read_body_end(struct vecwire__framing *framing, const struct found *found)
{
    if (found->transfer != NULL) {
        if (found->many_transfers || !framing->version_1_1 ||
            strcasecmp(found->transfer, "chunked") != 0)
            return "Transfer-Encoding is not just chunked";
        framing->chunked = true;
        return NULL;
    }
    if (found->length != NULL || framing->bodiless)
        return NULL;
    /* With any other Connection header evhttp takes the body for empty; a
     * server that means to go on has to say where the body ends. */
    if (found->connection != NULL &&
        strcasecmp(found->connection, "close") != 0)
        return "neither Content-Length nor chunked, and no close";
    framing->until_close = true;
    framing->close = true;
    return NULL;
}

enum vecwire_err
vecwire__framing_read(struct vecwire__framing *framing,
                      const struct vecwire_header *headers, size_t n,
                      uint64_t max_body, const char **why)
{
    struct found found = {0};
    uint32_t status = framing->status;

    *why = "bad header name";
    if (!find(&found, headers, n))
        return VECWIRE_EPROTO;
    *why = "bad status";
    if (status > 999 || status < 100)
        return VECWIRE_EPROTO;
    *why = "interim status that is not 100 Continue";
    if (status < 200)
        return VECWIRE_EPROTO;
    *why = "two Content-Length headers";
    if (found.many_lengths)
        return VECWIRE_EPROTO;
    *why = "both Content-Length and Transfer-Encoding";
    if (found.length != NULL && found.transfer != NULL)
        return VECWIRE_EPROTO;
    *why = "Content-Length is no number";
    if (found.length != NULL && !read_length(found.length, &framing->length))
        return VECWIRE_EPROTO;
    *why = "Content-Encoding that was not asked for";
    if (found.encoded)
        return VECWIRE_EPROTO;
    framing->close = found.close || !framing->version_1_1;
    framing->bodiless = framing->bodiless || status == 204 || status == 304;
    *why = read_body_end(framing, &found);
    if (*why != NULL)
        return VECWIRE_EPROTO;
    *why = "Content-Length is over the limit";
    if (!framing->bodiless && framing->length > max_body)
        return VECWIRE_EREPLYSIZE;
    *why = NULL;
    return VECWIRE_OK;
}
