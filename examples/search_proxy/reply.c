/* SPDX-License-Identifier: Apache-2.0 */
/* Replies to the proxy's clients. */
#include "proxy.h"

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/http.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

enum { PIECES = 8 };

/* evhttp_send_reply() puts the reply into the connection's output buffer and
 * waits for the loop to say that the socket is writable. It is, nearly always:
 * writing at once saves that iteration. What the socket does not take, and
 * every error, is left to the loop. */
static void
write_now(struct evhttp_connection *conn)
{
    struct bufferevent *bev = evhttp_connection_get_bufferevent(conn);
    struct evbuffer *output = bufferevent_get_output(bev);
    struct evbuffer_iovec pieces[PIECES];
    int n = evbuffer_peek(output, -1, NULL, pieces, PIECES);
    struct msghdr message = {.msg_iov = pieces,
                             .msg_iovlen = (size_t)(n < PIECES ? n : PIECES)};
    ssize_t sent;

    if (n <= 0)
        return;
    sent =
        sendmsg(bufferevent_getfd(bev), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent <= 0)
        return;
    /* A bufferevent keeps the front of its output frozen for others. */
    evbuffer_unfreeze(output, 1);
    evbuffer_drain(output, (size_t)sent);
    evbuffer_freeze(output, 1);
    /* Tell evhttp: it ends the request, and may free the connection. */
    if (evbuffer_get_length(output) == 0)
        bufferevent_trigger(bev, EV_WRITE, 0);
}

void
reply_json(struct proxy *proxy, struct evhttp_request *req, int status,
           json_t *json)
{
    struct evhttp_connection *conn = evhttp_request_get_connection(req);
    struct evbuffer *body = evbuffer_new();
    /* Nine digits name a float32. */
    char *text = json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(9));

    if (status == 200)
        proxy->n_answered++;
    else
        proxy->n_failed++;
    if (text == NULL || body == NULL ||
        evbuffer_add(body, text, strlen(text)) != 0) {
        evhttp_send_error(req, 500, NULL);
    } else {
        evhttp_add_header(evhttp_request_get_output_headers(req),
                          "Content-Type", "application/json");
        evhttp_send_reply(req, status, NULL, body);
    }
    if (proxy->direct && conn != NULL)
        write_now(conn);
    if (body != NULL)
        evbuffer_free(body);
    free(text);
    json_decref(json);
}

void
reply_error(struct proxy *proxy, struct evhttp_request *req, int status,
            const char *code, const char *message)
{
    reply_json(
        proxy, req, status,
        json_pack("{s:{s:s,s:s}}", "error", "code", code, "message", message));
}
