/* SPDX-License-Identifier: Apache-2.0 */
#include "net/resolve.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

void
vecwire__address_add(struct vecwire__addresses *out, bool v6, const void *bytes,
                     uint16_t port)
{
    union vecwire__address *at = &out->at[out->n++];

    memset(at, 0, sizeof(*at));
    if (v6) {
        at->in6.sin6_family = AF_INET6;
        at->in6.sin6_port = htons(port);
        memcpy(&at->in6.sin6_addr, bytes, sizeof(at->in6.sin6_addr));
    } else {
        at->in.sin_family = AF_INET;
        at->in.sin_port = htons(port);
        memcpy(&at->in.sin_addr, bytes, sizeof(at->in.sin_addr));
    }
}

bool
vecwire__resolve_here(const char *host, uint16_t port,
                      struct vecwire__addresses *out)
{
    struct in_addr v4;
    struct in6_addr v6;

    out->n = 0;
    if (inet_pton(AF_INET, host, &v4) == 1) {
        vecwire__address_add(out, false, &v4, port);
    } else if (inet_pton(AF_INET6, host, &v6) == 1) {
        vecwire__address_add(out, true, &v6, port);
    } else if (strcasecmp(host, "localhost") == 0 ||
               strcasecmp(host, "localhost.") == 0) {
        /* RFC 6761, 6.3: never asked of a server. */
        v4.s_addr = htonl(INADDR_LOOPBACK);
        vecwire__address_add(out, true, &in6addr_loopback, port);
        vecwire__address_add(out, false, &v4, port);
    }
    return out->n != 0;
}

void
vecwire__address_text(const union vecwire__address *address, bool with_port,
                      char *text, size_t size)
{
    char ip[INET6_ADDRSTRLEN] = "";
    bool v6 = address->sa.sa_family == AF_INET6;
    const void *bytes = v6 ? (const void *)&address->in6.sin6_addr
                           : (const void *)&address->in.sin_addr;
    unsigned port = ntohs(v6 ? address->in6.sin6_port : address->in.sin_port);

    (void)inet_ntop(address->sa.sa_family, bytes, ip, sizeof(ip));
    if (!with_port)
        snprintf(text, size, "%s", ip);
    else
        snprintf(text, size, v6 ? "[%s]:%u" : "%s:%u", ip, port);
}
