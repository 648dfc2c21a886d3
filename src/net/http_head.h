/* SPDX-License-Identifier: Apache-2.0 */
/* What a reply's head says about where the reply ends. Stricter than evhttp:
 * what could be read in two ways is refused. Pure. */
#ifndef VECWIRE_NET_HTTP_HEAD_H
#define VECWIRE_NET_HTTP_HEAD_H

#include <vecwire/client.h>

struct vecwire__framing {
    uint32_t status;
    bool version_1_1;
    bool bodiless; /* in: the request was HEAD; out: also 204, 304 */
    bool chunked;
    bool until_close; /* the body ends when the server closes */
    bool close;       /* no further request on this connection */
    uint64_t length;  /* Content-Length; 0 without */
};

/* `framing` comes with status, version_1_1 and bodiless filled in. Not OK:
 * *why is one line, the code EPROTO or (length over max_body) EREPLYSIZE. */
enum vecwire_err vecwire__framing_read(struct vecwire__framing *framing,
                                       const struct vecwire_header *headers,
                                       size_t n, uint64_t max_body,
                                       const char **why);

#endif
