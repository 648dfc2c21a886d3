/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <event2/buffer.h>
#include <event2/http.h>

#include "codec/json_reader.h"
#include "codec/json_writer.h"
#include "server/json_text.h"
#include "server/qdrant_handlers.h"
#include "server/qdrant_params.h"
#include "server/serve_reply.h"
#include "server/state.h"

enum {
    NEEDS_COLLECTION = 1,
    HAS_BODY = 2,
    PLAIN = 4 /* no envelope */
};

#define C "collections/*"
#define GET EVHTTP_REQ_GET
#define PUT EVHTTP_REQ_PUT
#define POST EVHTTP_REQ_POST
#define PATCH EVHTTP_REQ_PATCH
#define DELETE EVHTTP_REQ_DELETE
#define WRITES NEEDS_COLLECTION | HAS_BODY, VECWIRE__PARAMS_UPDATE
#define READS NEEDS_COLLECTION | HAS_BODY, VECWIRE__PARAMS_READ

static const struct route {
    const char *pattern; /* * is any one segment */
    enum evhttp_cmd_type method;
    unsigned flags;
    enum vecwire__qdrant_params params;
    vecwire__qdrant_handler handler;
} routes[] = {
    {C "/points", PUT, WRITES, vecwire__qdrant_upsert},
    {C "/points/query", POST, READS, vecwire__qdrant_query},
    {C "/points/scroll", POST, READS, vecwire__qdrant_scroll},
    {C "/points", POST, READS, vecwire__qdrant_get_many},
    {C "/points/*", GET, NEEDS_COLLECTION, VECWIRE__PARAMS_READ,
     vecwire__qdrant_get_one},
    {C "/points/count", POST, READS, vecwire__qdrant_count},
    {C "/points/delete", POST, WRITES, vecwire__qdrant_delete_points},
    {C "/points/query/batch", POST, READS, vecwire__qdrant_query_batch},
    {C "/points/query/groups", POST, READS, vecwire__qdrant_query_groups},
    {C "/snapshots", GET, NEEDS_COLLECTION, VECWIRE__PARAMS_NONE,
     vecwire__qdrant_nothing},
    {"snapshots", GET, 0, VECWIRE__PARAMS_NONE, vecwire__qdrant_nothing},
    {"", GET, PLAIN, VECWIRE__PARAMS_NONE, vecwire__qdrant_root},
    {"healthz", GET, PLAIN, VECWIRE__PARAMS_NONE, vecwire__qdrant_health},
    {"livez", GET, PLAIN, VECWIRE__PARAMS_NONE, vecwire__qdrant_health},
    {"readyz", GET, PLAIN, VECWIRE__PARAMS_NONE, vecwire__qdrant_ready},
    {"metrics", GET, PLAIN, VECWIRE__PARAMS_NONE, vecwire__qdrant_metrics},
    {"collections", GET, 0, VECWIRE__PARAMS_NONE, vecwire__qdrant_list},
    {C, GET, NEEDS_COLLECTION, VECWIRE__PARAMS_NONE, vecwire__qdrant_info},
    {C, PUT, HAS_BODY, VECWIRE__PARAMS_ADMIN, vecwire__qdrant_create},
    {C, PATCH, NEEDS_COLLECTION | HAS_BODY, VECWIRE__PARAMS_ADMIN,
     vecwire__qdrant_change},
    {C, DELETE, 0, VECWIRE__PARAMS_ADMIN, vecwire__qdrant_delete},
    {C "/points/payload", POST, WRITES, vecwire__qdrant_set_payload},
    {C "/points/payload", PUT, WRITES, vecwire__qdrant_overwrite_payload},
    {C "/points/payload/delete", POST, WRITES, vecwire__qdrant_delete_payload},
    {C "/points/payload/clear", POST, WRITES, vecwire__qdrant_clear_payload},
    {C "/facet", POST, READS, vecwire__qdrant_facet},
    {C "/index", PUT, WRITES, vecwire__qdrant_index_add},
    {C "/index/*", DELETE, NEEDS_COLLECTION, VECWIRE__PARAMS_UPDATE,
     vecwire__qdrant_index_delete},
    {"collections/aliases", POST, HAS_BODY, VECWIRE__PARAMS_ADMIN,
     vecwire__qdrant_aliases_change},
    {"aliases", GET, 0, VECWIRE__PARAMS_NONE, vecwire__qdrant_aliases_list},
    {C "/aliases", GET, NEEDS_COLLECTION, VECWIRE__PARAMS_NONE,
     vecwire__qdrant_aliases_list},
    {C "/points/batch", POST, WRITES, vecwire__qdrant_batch},
    {C "/points/vectors", PUT, WRITES, vecwire__qdrant_update_vectors},
    {C "/points/vectors/delete", POST, WRITES, vecwire__qdrant_delete_vectors},
    {C "/exists", GET, 0, VECWIRE__PARAMS_NONE, vecwire__qdrant_exists},
};

static const char *const open_paths[] = {"/", "/healthz", "/livez", "/readyz"};

bool
vecwire__qdrant_is_open(const char *path)
{
    for (size_t i = 0; i < sizeof(open_paths) / sizeof(open_paths[0]); i++) {
        if (strcmp(path, open_paths[i]) == 0)
            return true;
    }
    return false;
}

bool
vecwire__qdrant_owns(const char *path)
{
    static const char *const roots[] = {"collections", "aliases", "snapshots",
                                        "metrics",     "cluster", "telemetry"};
    size_t len;

    if (vecwire__qdrant_is_open(path))
        return true;
    path += strspn(path, "/");
    len = strcspn(path, "/?");
    for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
        if (strlen(roots[i]) == len && memcmp(roots[i], path, len) == 0)
            return true;
    }
    return false;
}

/* Cut a path at its slashes; empty parts do not count. Returns the number, or
 * one more than fit. */
static size_t
path_split(char *path, char *segments[VECWIRE__QDRANT_SEGMENTS])
{
    size_t n = 0;
    char *rest = NULL;

    for (char *part = strtok_r(path, "/", &rest); part != NULL;
         part = strtok_r(NULL, "/", &rest)) {
        if (n < VECWIRE__QDRANT_SEGMENTS)
            segments[n] = part;
        n++;
    }
    return n;
}

/* Does the path fit? Then the call gets what its wildcards stand for. */
static bool
route_fits(const struct route *route, char *const *segments, size_t n,
           struct vecwire__qdrant_call *call)
{
    const char *pattern = route->pattern;
    const char *found[2] = {NULL, NULL};
    size_t n_found = 0;

    for (size_t i = 0; i < n; i++) {
        size_t len = strcspn(pattern, "/");

        if (len == 0)
            return false;
        if (*pattern == '*')
            found[n_found++] = segments[i];
        else if (strlen(segments[i]) != len ||
                 memcmp(segments[i], pattern, len) != 0)
            return false;
        pattern += len;
        pattern += *pattern == '/';
    }
    call->name = found[0];
    call->item = found[1];
    return *pattern == '\0';
}

static const struct route *
route_find(enum evhttp_cmd_type method, char *const *segments, size_t n,
           struct vecwire__qdrant_call *call)
{
    for (size_t i = 0; i < sizeof(routes) / sizeof(routes[0]); i++) {
        if (routes[i].method == method &&
            route_fits(&routes[i], segments, n, call))
            return &routes[i];
    }
    return NULL;
}

static bool
is_json(struct evhttp_request *req)
{
    static const char json[] = "application/json";
    const char *type = evhttp_find_header(evhttp_request_get_input_headers(req),
                                          "Content-Type");

    return type != NULL &&
           evutil_ascii_strncasecmp(type, json, sizeof(json) - 1) == 0;
}

static bool
body_read(struct vecwire__qdrant_call *call)
{
    struct evbuffer *input = evhttp_request_get_input_buffer(call->req);
    size_t len = evbuffer_get_length(input), offset = 0;
    enum vecwire__json_rc rc;
    const char *text;

    if (len > VECWIRE__QDRANT_BODY_MAX)
        return vecwire__qdrant_fail(call, 400,
                                    "JSON payload (%zu bytes) is larger than "
                                    "allowed (limit: %zu bytes).",
                                    len, VECWIRE__QDRANT_BODY_MAX);
    if (!is_json(call->req))
        return vecwire__qdrant_fail(call, 400, "Content type error");
    text = (const char *)evbuffer_pullup(input, -1);
    if (text == NULL)
        return len > 0 ? vecwire__qdrant_wrote(call, false)
                       : vecwire__qdrant_fail(
                             call, 400,
                             "Format error in JSON body: EOF while parsing a "
                             "value at line 1 column 0");
    rc =
        vecwire__json_check(text, len, VECWIRE__JSON_TEXT_DEPTH, true, &offset);
    if (rc != VECWIRE__JSON_DONE)
        return vecwire__qdrant_fail(call, 400,
                                    "Format error in JSON body: %s at byte "
                                    "%zu",
                                    vecwire__json_rc_text(rc), offset);
    call->body = vecwire__view_root(text, len);
    return true;
}

static bool
route_run(struct vecwire__qdrant_call *call, const struct route *route,
          const char *query)
{
    if (!vecwire__qdrant_params_read(route->params, query, &call->wait,
                                     &call->fault) ||
        ((route->flags & HAS_BODY) != 0 && !body_read(call)))
        return false;
    if ((route->flags & NEEDS_COLLECTION) != 0) {
        call->collection =
            vecwire__qdrant_get(call->qdrant, call->name, &call->fault);
        if (call->collection == NULL)
            return false;
    }
    if ((route->flags & PLAIN) == 0 &&
        !vecwire__qdrant_wrote(call,
                               vecwire__buf_str(call->reply, "{\"result\":")))
        return false;
    return route->handler(call);
}

static uint64_t
now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* The end of every envelope. */
static bool
put_time(struct vecwire__buf *reply, uint64_t since_ns)
{
    uint64_t ns = now_ns() - since_ns;
    char text[64];

    snprintf(text, sizeof(text), ",\"time\":%llu.%09u}",
             (unsigned long long)(ns / 1000000000),
             (unsigned)(ns % 1000000000));
    return vecwire__buf_str(reply, text);
}

static void
answer_fault(struct vecwire__qdrant_call *call, uint64_t since_ns)
{
    struct vecwire__buf *reply = call->reply;
    const char *text = call->fault.text;

    reply->len = 0;
    if (vecwire__buf_str(reply, "{\"status\":{\"error\":") &&
        vecwire__json_put_str(reply, text, strlen(text), NULL) == VECWIRE_OK &&
        vecwire__buf_byte(reply, '}') && put_time(reply, since_ns))
        vecwire__serve_json(call->req, call->fault.status, reply);
    else
        evhttp_send_error(call->req, 500, NULL);
}

static void
answer_done(struct vecwire__qdrant_call *call, uint64_t since_ns)
{
    if (call->type != NULL) {
        vecwire__serve_text(call->req, 200, call->type, call->reply);
    } else if (vecwire__buf_str(call->reply, ",\"status\":\"ok\"") &&
               put_time(call->reply, since_ns)) {
        vecwire__serve_json(call->req, 200, call->reply);
    } else {
        vecwire__fault_memory(&call->fault);
        answer_fault(call, since_ns);
    }
}

static void
answer_unknown(struct vecwire__qdrant_call *call)
{
    call->reply->len = 0;
    vecwire__serve_text(call->req, 404, NULL, call->reply);
}

static void
answer_path(struct vecwire__qdrant_call *call, char *path, const char *query)
{
    char *segments[VECWIRE__QDRANT_SEGMENTS];
    size_t n = path_split(path, segments);
    uint64_t since = now_ns();
    const struct route *route = NULL;

    for (size_t i = 0; n <= VECWIRE__QDRANT_SEGMENTS && i < n; i++) {
        if (!vecwire__percent_decode(segments[i])) {
            vecwire__qdrant_fail(call, 400,
                                 "Bad request: the path is no UTF-8");
            answer_fault(call, since);
            return;
        }
    }
    if (n <= VECWIRE__QDRANT_SEGMENTS)
        route = route_find(evhttp_request_get_command(call->req), segments, n,
                           call);
    if (route == NULL)
        answer_unknown(call);
    else if (route_run(call, route, query))
        answer_done(call, since);
    else
        answer_fault(call, since);
}

void
vecwire__qdrant_answer(struct vecwire__server *server,
                       struct evhttp_request *req, const char *path)
{
    const struct evhttp_uri *uri = evhttp_request_get_evhttp_uri(req);
    struct vecwire__qdrant_call call = {
        .qdrant = &server->qdrant, .req = req, .reply = &server->reply};
    char *copy = strdup(path), *query = NULL;

    server->reply.len = 0;
    if (copy != NULL)
        query = strchr(copy, '?');
    if (query != NULL)
        *query++ = '\0';
    if (copy == NULL)
        vecwire__serve_no_memory(req);
    else
        answer_path(&call, copy,
                    query != NULL ? query : evhttp_uri_get_query(uri));
    free(copy);
    /* What one large reply made grow is not kept for all the small ones. */
    if (server->reply.cap > ((size_t)4 << 20))
        vecwire__buf_fini(&server->reply);
}
