/* SPDX-License-Identifier: Apache-2.0 */
/* The address of a server, as the caller writes it. */
#ifndef VECWIRE_NET_URL_H
#define VECWIRE_NET_URL_H

#include <vecwire/error.h>

struct vecwire__url {
    char host[256];        /* without brackets */
    char host_header[272]; /* with them, and with a port that is not usual */
    char prefix[1025];     /* "" or "/a/b", no slash at its end */
    uint16_t port;
    bool tls;     /* https */
    bool literal; /* host is an IPv6 literal */
};

/* "http[s]://host[:port][/prefix]"; without a port http takes default_port.
 * VECWIRE_EINVAL: *why says, in one line, what is wrong. */
enum vecwire_err vecwire__url_parse(struct vecwire__url *url, const char *text,
                                    uint16_t default_port, const char **why);

#endif
