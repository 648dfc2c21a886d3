/* SPDX-License-Identifier: Apache-2.0 */
/* An answer that does not go through evhttp, which waits for a request that
 * will not come. */
#ifndef VECWIRE_SERVER_SERVE_REFUSE_H
#define VECWIRE_SERVER_SERVE_REFUSE_H

#include <stddef.h>

struct bufferevent;

struct vecwire__refusal_reply {
    char text[768];
    size_t len;
};

/* `message` goes into JSON as it is; without a code (NULL) in Qdrant's form. */
void vecwire__refusal_make(struct vecwire__refusal_reply *reply, int status,
                           const char *reason, const char *code,
                           const char *message);

/* Send it, as far as the socket takes it, and end our side of the
 * connection. */
void vecwire__refusal_send(const struct vecwire__refusal_reply *reply,
                           struct bufferevent *bev);

#endif
