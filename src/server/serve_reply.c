/* SPDX-License-Identifier: Apache-2.0 */
#include "server/serve_reply.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/keyvalq_struct.h>

#include "codec/json_writer.h"
#include "codec/mem.h"
#include "server/serve_tls.h"

#define PIECES 16

/* Write what evhttp has put into the output buffer without waiting for the
 * loop to say that the socket is writable: it is, nearly always. Whatever is
 * left, and every error, is the loop's. */
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

    if (n <= 0 || vecwire__serve_tls_write(bev))
        return;
    sent =
        sendmsg(bufferevent_getfd(bev), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent <= 0)
        return;
    evbuffer_unfreeze(output, 1);
    evbuffer_drain(output, (size_t)sent);
    evbuffer_freeze(output, 1);
    /* evhttp ends the request now, and may free the connection. */
    if (evbuffer_get_length(output) == 0)
        bufferevent_trigger(bev, EV_WRITE, 0);
}

static const char *
reason_of(int status)
{
    switch (status) {
    case 200:
        return "OK";
    case 400:
        return "Bad Request";
    case 401:
        return "Unauthorized";
    case 404:
        return "Not Found";
    case 405:
        return "Method Not Allowed";
    case 409:
        return "Conflict";
    case 413:
        return "Payload Too Large";
    case 422:
        return "Unprocessable Entity";
    case 503:
        return "Service Unavailable";
    case 507:
        return "Insufficient Storage";
    default:
        return "Internal Server Error";
    }
}

void
vecwire__serve_body(struct evhttp_request *req, int status, const char *type,
                    struct evbuffer *body)
{
    struct evhttp_connection *conn = evhttp_request_get_connection(req);
    struct evkeyvalq *headers = evhttp_request_get_output_headers(req);
    enum evhttp_cmd_type method = evhttp_request_get_command(req);

    if (type != NULL)
        evhttp_add_header(headers, "Content-Type", type);
    /* evhttp leaves the length of these two out. */
    if (method == EVHTTP_REQ_HEAD || method == EVHTTP_REQ_CONNECT) {
        char length[32];

        snprintf(length, sizeof(length), "%zu", evbuffer_get_length(body));
        evhttp_add_header(headers, "Content-Length", length);
    }
    if (method == EVHTTP_REQ_HEAD)
        body = NULL;
    evhttp_send_reply(req, status, reason_of(status), body);
    write_now(conn);
}

void
vecwire__serve_text(struct evhttp_request *req, int status, const char *type,
                    const struct vecwire__buf *text)
{
    struct evbuffer *body = evbuffer_new();

    if (body == NULL || evbuffer_add(body, text->bytes, text->len) != 0)
        evhttp_send_error(req, 500, NULL);
    else
        vecwire__serve_body(req, status, type, body);
    if (body != NULL)
        evbuffer_free(body);
}

void
vecwire__serve_json(struct evhttp_request *req, int status,
                    const struct vecwire__buf *json)
{
    vecwire__serve_text(req, status, "application/json", json);
}

/* "name":value, the value as text. */
static bool
put_member(struct vecwire__buf *json, const char *name, const char *value)
{
    size_t bad;

    return vecwire__buf_str(json, name) &&
           vecwire__json_put_str(json, value, strlen(value), &bad) ==
               VECWIRE_OK;
}

/* Problem details (RFC 9457), and in them the "error" that clients read. */
void
vecwire__serve_error(struct evhttp_request *req, int status, const char *code,
                     const char *message)
{
    struct vecwire__buf json;

    vecwire__buf_init(&json, &vecwire__mem_libc);
    if (vecwire__buf_str(&json, "{\"status\":") &&
        vecwire__json_put_u64(&json, (uint64_t)status) &&
        put_member(&json, ",\"code\":", code) &&
        put_member(&json, ",\"detail\":", message) &&
        put_member(&json, ",\"error\":{\"code\":", code) &&
        put_member(&json, ",\"message\":", message) &&
        vecwire__buf_str(&json, "}}"))
        vecwire__serve_text(req, status, "application/problem+json", &json);
    else
        evhttp_send_error(req, 500, NULL);
    vecwire__buf_fini(&json);
}

void
vecwire__serve_no_memory(struct evhttp_request *req)
{
    vecwire__serve_error(req, 500, "internal", "no memory");
}
