/* SPDX-License-Identifier: Apache-2.0 */
#include "server/serve_refuse.h"

#include <stdio.h>
#include <sys/socket.h>

#include <event2/bufferevent.h>

#include "server/serve_tls.h"

void
vecwire__refusal_make(struct vecwire__refusal_reply *reply, int status,
                      const char *reason, const char *code, const char *message)
{
    char body[512];
    int body_len, len;

    if (code == NULL)
        body_len =
            snprintf(body, sizeof(body),
                     "{\"status\":{\"error\":\"%s\"},\"time\":0.0}", message);
    else
        body_len = snprintf(body, sizeof(body),
                            "{\"status\":%d,\"code\":\"%s\",\"detail\":\"%s\","
                            "\"error\":{\"code\":\"%s\",\"message\":\"%s\"}}",
                            status, code, message, code, message);
    len = snprintf(reply->text, sizeof(reply->text),
                   "HTTP/1.1 %d %s\r\n"
                   "Content-Type: application/%sjson\r\n"
                   "Content-Length: %d\r\nConnection: close\r\n\r\n%s",
                   status, reason, code == NULL ? "" : "problem+", body_len,
                   body);
    reply->len = len < 0 ? 0 : (size_t)len;
    if (reply->len >= sizeof(reply->text))
        reply->len = sizeof(reply->text) - 1;
}

void
vecwire__refusal_send(const struct vecwire__refusal_reply *reply,
                      struct bufferevent *bev)
{
    int fd = bufferevent_getfd(bev);

    if (!vecwire__serve_tls_say(bev, reply->text, reply->len))
        (void)send(fd, reply->text, reply->len, MSG_NOSIGNAL | MSG_DONTWAIT);
    (void)shutdown(fd, SHUT_WR);
}
