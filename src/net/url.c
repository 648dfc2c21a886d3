/* SPDX-License-Identifier: Apache-2.0 */
#include "net/url.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Copy n bytes and end them. False: they do not fit. */
static bool
copy(char *dst, size_t cap, const char *src, size_t n)
{
    if (n >= cap)
        return false;
    memcpy(dst, src, n);
    dst[n] = '\0';
    return true;
}

/* Bytes of a name or of a dotted IPv4 address. */
static bool
is_name(const char *host)
{
    if (*host == '\0' || *host == '.')
        return false;
    for (; *host != '\0'; host++) {
        bool letter = (*host >= 'a' && *host <= 'z') ||
                      (*host >= 'A' && *host <= 'Z') ||
                      (*host >= '0' && *host <= '9');

        if (!letter && strchr(".-_", *host) == NULL)
            return false;
    }
    return true;
}

static const char *
take_scheme(struct vecwire__url *url, const char *text)
{
    if (strncasecmp(text, "http://", 7) == 0)
        return text + 7;
    if (strncasecmp(text, "https://", 8) != 0)
        return NULL;
    url->tls = true;
    return text + 8;
}

/* The host, up to ':' or '/' or the end. NULL: *why. */
static const char *
take_host(struct vecwire__url *url, const char *text, const char **why)
{
    const char *end = text + strcspn(text, ":/");
    struct in6_addr addr;

    *why = "the URL's host is no name and no address";
    if (*text == '[') {
        url->literal = true;
        text++;
        end = strchr(text, ']');
        if (end == NULL ||
            !copy(url->host, sizeof(url->host), text, (size_t)(end - text)) ||
            inet_pton(AF_INET6, url->host, &addr) != 1)
            return NULL;
        end++;
        return *end == ':' || *end == '/' || *end == '\0' ? end : NULL;
    }
    if (!copy(url->host, sizeof(url->host), text, (size_t)(end - text)) ||
        !is_name(url->host))
        return NULL;
    return end;
}

/* ":port" or nothing. NULL: no port. */
static const char *
take_port(struct vecwire__url *url, const char *text, uint16_t default_port)
{
    uint32_t port = 0;
    const char *digit = text + 1;

    url->port = url->tls ? 443 : default_port;
    if (*text != ':')
        return text;
    for (; *digit >= '0' && *digit <= '9' && port <= UINT16_MAX; digit++)
        port = port * 10 + (uint32_t)(*digit - '0');
    if (port == 0 || port > UINT16_MAX || (*digit != '/' && *digit != '\0'))
        return NULL;
    url->port = (uint16_t)port;
    return digit;
}

static bool
take_prefix(struct vecwire__url *url, const char *text)
{
    size_t n = strlen(text);

    while (n > 0 && text[n - 1] == '/')
        n--;
    for (size_t i = 0; i < n; i++) {
        if (text[i] < 0x21 || text[i] > 0x7e)
            return false;
    }
    return copy(url->prefix, sizeof(url->prefix), text, n);
}

enum vecwire_err
vecwire__url_parse(struct vecwire__url *url, const char *text,
                   uint16_t default_port, const char **why)
{
    memset(url, 0, sizeof(*url));
    *why = "the URL does not begin with http:// or https://";
    text = take_scheme(url, text);
    if (text == NULL)
        return VECWIRE_EINVAL;
    *why = "a user name in the URL is not allowed";
    if (memchr(text, '@', strcspn(text, "/?#")) != NULL)
        return VECWIRE_EINVAL;
    *why = "a query or fragment in the URL is not allowed";
    if (text[strcspn(text, "?#")] != '\0')
        return VECWIRE_EINVAL;
    text = take_host(url, text, why);
    if (text == NULL)
        return VECWIRE_EINVAL;
    *why = "the URL's port is not between 1 and 65535";
    text = take_port(url, text, default_port);
    if (text == NULL)
        return VECWIRE_EINVAL;
    *why = "the URL's path is over 1024 bytes or has bytes outside 0x21..0x7e";
    if (!take_prefix(url, text))
        return VECWIRE_EINVAL;
    *why = NULL;
    snprintf(url->host_header, sizeof(url->host_header),
             url->port == (url->tls ? 443 : 80) ? "%s%s%s" : "%s%s%s:%u",
             url->literal ? "[" : "", url->host, url->literal ? "]" : "",
             (unsigned)url->port);
    return VECWIRE_OK;
}
