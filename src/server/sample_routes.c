/* SPDX-License-Identifier: Apache-2.0 */
#include "server/routes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <event2/buffer.h>
#include <event2/http.h>

#include "server/seed.h"
#include "server/serve_reply.h"
#include "server/state.h"

/* Random bytes. Replies on their way point into it, so it lives until the
 * last of them has gone. */
struct vecwire__blob {
    size_t refs;
    size_t size;
    char bytes[];
};

static void
blob_release(struct vecwire__blob *blob)
{
    if (blob != NULL && --blob->refs == 0)
        free(blob);
}

static void
blob_sent(const void *bytes, size_t len, void *arg)
{
    (void)bytes;
    (void)len;
    blob_release(arg);
}

static struct vecwire__blob *
blob_new(size_t size)
{
    struct vecwire__blob *blob = malloc(sizeof(*blob) + size);
    uint64_t state = 2, word;

    if (blob == NULL)
        return NULL;
    blob->refs = 1;
    blob->size = size;
    for (size_t at = 0; at < size; at += sizeof(word)) {
        word = vecwire__seed_next(&state);
        memcpy(blob->bytes + at, &word, sizeof(word));
    }
    return blob;
}

/* Every length is the beginning of one run of bytes, so that the cache is
 * never larger than the longest. */
static bool
blob_reserve(struct vecwire__server *server, size_t len)
{
    struct vecwire__blob *blob;
    size_t size = 4096;

    if (server->blob != NULL && server->blob->size >= len)
        return true;
    while (size < len)
        size *= 2;
    blob = blob_new(size);
    if (blob == NULL)
        return false;
    blob_release(server->blob);
    server->blob = blob;
    return true;
}

void
vecwire__sample_free(struct vecwire__server *server)
{
    blob_release(server->blob);
    server->blob = NULL;
}

static void
serve_text(struct evhttp_request *req, const char *type, const char *text,
           size_t len)
{
    struct evbuffer *body = evbuffer_new();

    if (body == NULL || evbuffer_add_reference(body, text, len, NULL, NULL))
        vecwire__serve_no_memory(req);
    else
        vecwire__serve_body(req, 200, type, body);
    if (body != NULL)
        evbuffer_free(body);
}

void
vecwire__sample_ping(struct vecwire__server *server, struct evhttp_request *req,
                     const char *rest)
{
    (void)server;
    (void)rest;
    serve_text(req, "text/plain", "pong", 4);
}

#define TEN(item) item item item item item item item item item item
#define ITEM "{\"id\":7,\"x\":0.125,\"tags\":[\"a\",\"b\",\"c\"],\"ok\":true}, "

/* 585 bytes: what an answer with a few hits has. */
static const char bigger[] = "{\"items\":[" TEN(
    ITEM) "{\"last\":null}],"
          "\"note\":\"fixed text, so that the body is 585 byte\"}";

_Static_assert(sizeof(bigger) - 1 == 585, "its length is a contract");

void
vecwire__sample_bigger(struct vecwire__server *server,
                       struct evhttp_request *req, const char *rest)
{
    (void)server;
    (void)rest;
    serve_text(req, "application/json", bigger, sizeof(bigger) - 1);
}

/* Digits only. False: something else, or over the limit. */
static bool
read_length(const char *text, size_t *len)
{
    *len = 0;
    if (strspn(text, "0123456789") != strlen(text))
        return false;
    for (; *text != '\0'; text++) {
        *len = *len * 10 + (size_t)(*text - '0');
        if (*len > VECWIRE__SERVER_LENGTH_MAX)
            return false;
    }
    return true;
}

void
vecwire__sample_length(struct vecwire__server *server,
                       struct evhttp_request *req, const char *rest)
{
    struct evbuffer *body;
    char message[64];
    size_t len;

    if (!read_length(rest, &len)) {
        snprintf(message, sizeof(message), "length must be 0 to %zu",
                 VECWIRE__SERVER_LENGTH_MAX);
        vecwire__serve_error(req, 400, "invalid_request", message);
        return;
    }
    body = evbuffer_new();
    if (body == NULL || !blob_reserve(server, len)) {
        vecwire__serve_no_memory(req);
    } else {
        server->blob->refs++;
        if (evbuffer_add_reference(body, server->blob->bytes, len, blob_sent,
                                   server->blob) == 0) {
            vecwire__serve_body(req, 200, "application/octet-stream", body);
        } else {
            blob_release(server->blob);
            vecwire__serve_no_memory(req);
        }
    }
    if (body != NULL)
        evbuffer_free(body);
}
