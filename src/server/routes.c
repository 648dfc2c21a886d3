/* SPDX-License-Identifier: Apache-2.0 */
#include "server/routes.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/queue.h>

#include <event2/buffer.h>
#include <event2/http.h>
#include <event2/keyvalq_struct.h>

#include "server/request_guard.h"
#include "server/serve_reply.h"
#include "server/state.h"

struct route {
    const char *path;
    bool prefix; /* one more segment follows */
    unsigned methods;
    const char *allow;
    vecwire__route_handler handler;
};

#define READ (EVHTTP_REQ_GET | EVHTTP_REQ_HEAD)

/* The first whose path fits; ".../documents/batch" is no document "batch". */
static const struct route routes[] = {
    {"/api/v1/query", false, EVHTTP_REQ_POST, "POST", vecwire__hms_query},
    {"/api/v1/documents", false, EVHTTP_REQ_POST, "POST", vecwire__hms_add},
    {"/api/v1/documents/batch", false, EVHTTP_REQ_POST, "POST",
     vecwire__hms_add_batch},
    {"/api/v1/documents/", true, EVHTTP_REQ_DELETE, "DELETE",
     vecwire__hms_delete},
    {"/ping", false, READ, "GET, HEAD", vecwire__sample_ping},
    {"/bigger", false, READ, "GET, HEAD", vecwire__sample_bigger},
    {"/length/", true, READ, "GET, HEAD", vecwire__sample_length},
};

/* What of `path` lies behind the route's own, or NULL. */
static const char *
route_rest(const struct route *route, const char *path)
{
    size_t len = strlen(route->path);

    if (strncmp(path, route->path, len) != 0)
        return NULL;
    path += len;
    if (!route->prefix)
        return *path == '\0' ? path : NULL;
    return *path != '\0' && strchr(path, '/') == NULL ? path : NULL;
}

/* The time it takes tells nothing about where the texts differ. */
static bool
same_secret(const char *secret, const char *given)
{
    size_t secret_len = strlen(secret), given_len = strlen(given);
    volatile unsigned char differ = secret_len != given_len;

    for (size_t i = 0; i < given_len; i++)
        differ |= (unsigned char)(given[i] ^ secret[i % secret_len]);
    return differ == 0;
}

/* Qdrant looks for a bearer's token only where there is no api-key. */
static const char *
qdrant_key(struct evhttp_request *req)
{
    const struct evkeyvalq *headers = evhttp_request_get_input_headers(req);
    const char *key = evhttp_find_header(headers, "api-key");
    const char *value = evhttp_find_header(headers, "Authorization");

    if (key != NULL || value == NULL)
        return key;
    return strncmp(value, "Bearer ", 7) == 0 ? value + 7 : NULL;
}

/* False: it has been answered. */
static bool
qdrant_admits(const struct vecwire__server *server, struct evhttp_request *req,
              const char *path)
{
    const char *key = qdrant_key(req);
    char text[] = "Must provide an API key or an Authorization bearer token";
    struct vecwire__buf reply = {.bytes = text, .len = sizeof(text) - 1};

    if (server->api_key == NULL || vecwire__qdrant_is_open(path) ||
        (key != NULL && same_secret(server->api_key, key)))
        return true;
    if (key != NULL)
        reply.len =
            (size_t)snprintf(text, sizeof(text), "Invalid API key or JWT");
    vecwire__serve_text(req, 401, "text/plain", &reply);
    return false;
}

static bool
is_authorized(const struct vecwire__server *server, struct evhttp_request *req)
{
    const char *value;

    if (server->api_key == NULL)
        return true;
    value = evhttp_find_header(evhttp_request_get_input_headers(req),
                               "Authorization");
    return value != NULL && strncasecmp(value, "Bearer ", 7) == 0 &&
           same_secret(server->api_key, value + 7);
}

static void
answer_unauthorized(struct evhttp_request *req)
{
    evhttp_add_header(evhttp_request_get_output_headers(req),
                      "WWW-Authenticate", "Bearer");
    vecwire__serve_error(req, 401, "unauthorized",
                         "a bearer token is required, and this is not it");
}

static void
answer_wrong_method(struct evhttp_request *req, const char *allow)
{
    evhttp_add_header(evhttp_request_get_output_headers(req), "Allow", allow);
    vecwire__serve_error(req, 405, "method_not_allowed",
                         "this route does not take this method");
}

static void
answer_too_large(struct evhttp_request *req, size_t len)
{
    char message[96];

    snprintf(message, sizeof(message),
             "body has %zu bytes, at most %zu are allowed", len,
             VECWIRE__SERVER_BODY_MAX);
    vecwire__serve_error(req, 413, "payload_too_large", message);
}

static bool
is_digits(const char *text)
{
    return *text != '\0' && text[strspn(text, "0123456789")] == '\0';
}

/* Where a body ends must be said in one way. evhttp takes the first of two
 * lengths, signs in front of them, and reads over codings that it does not
 * know and names with a blank before the colon; what follows would then be
 * taken for the next request. */
static bool
is_framed(struct evhttp_request *req)
{
    const struct evkeyval *header;
    unsigned lengths = 0, codings = 0;

    TAILQ_FOREACH (header, evhttp_request_get_input_headers(req), next) {
        if (strpbrk(header->key, " \t") != NULL)
            return false;
        if (strcasecmp(header->key, "Content-Length") == 0) {
            lengths++;
            if (!is_digits(header->value))
                return false;
        } else if (strcasecmp(header->key, "Transfer-Encoding") == 0) {
            codings++;
            if (strcasecmp(header->value, "chunked") != 0)
                return false;
        }
    }
    return lengths + codings <= 1;
}

static void
answer_unframed(struct evhttp_request *req)
{
    evhttp_add_header(evhttp_request_get_output_headers(req), "Connection",
                      "close");
    vecwire__serve_error(req, 400, "invalid_request", VECWIRE__UNFRAMED);
}

static void
dispatch(struct vecwire__server *server, struct evhttp_request *req,
         const char *path)
{
    unsigned method = (unsigned)evhttp_request_get_command(req);

    for (size_t i = 0; i < sizeof(routes) / sizeof(routes[0]); i++) {
        const char *rest = route_rest(&routes[i], path);

        if (rest == NULL)
            continue;
        if ((routes[i].methods & method) != 0)
            routes[i].handler(server, req, rest);
        else
            answer_wrong_method(req, routes[i].allow);
        return;
    }
    vecwire__serve_error(req, 404, "not_found", "no such route");
}

void
vecwire__routes_answer(struct evhttp_request *req, void *arg)
{
    struct vecwire__server *server = arg;
    const struct evhttp_uri *uri = evhttp_request_get_evhttp_uri(req);
    const char *path = uri == NULL ? NULL : evhttp_uri_get_path(uri);
    const char *raw = evhttp_request_get_uri(req);
    size_t len = evbuffer_get_length(evhttp_request_get_input_buffer(req));
    bool is_qdrant;

    /* Here two slashes are one, and no host follows. */
    if (raw != NULL && strncmp(raw, "//", 2) == 0)
        path = raw;
    is_qdrant = path != NULL && vecwire__qdrant_owns(path);

    vecwire__serve_conn_asked(&server->conns, req);
    if (!is_framed(req))
        answer_unframed(req);
    else if (is_qdrant && qdrant_admits(server, req, path))
        vecwire__qdrant_answer(server, req, path);
    else if (is_qdrant)
        return;
    else if (!is_authorized(server, req))
        answer_unauthorized(req);
    else if (len > VECWIRE__SERVER_BODY_MAX)
        answer_too_large(req, len);
    else
        dispatch(server, req, path == NULL ? "" : path);
}
