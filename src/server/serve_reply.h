/* SPDX-License-Identifier: Apache-2.0 */
/* How a route answers. Each of these ends the request: it must be the last
 * thing that a route does with it. */
#ifndef VECWIRE_SERVER_SERVE_REPLY_H
#define VECWIRE_SERVER_SERVE_REPLY_H

#include <stddef.h>

#include "codec/buf.h"

struct evbuffer;
struct evhttp_request;

/* A body of JSON; copied. */
void vecwire__serve_json(struct evhttp_request *req, int status,
                         const struct vecwire__buf *json);

/* A body of any type (NULL: none is named); copied. */
void vecwire__serve_text(struct evhttp_request *req, int status,
                         const char *type, const struct vecwire__buf *text);

/* Problem details with {"error":{"code":..,"message":..}} among them. */
void vecwire__serve_error(struct evhttp_request *req, int status,
                          const char *code, const char *message);

/* 500 internal */
void vecwire__serve_no_memory(struct evhttp_request *req);

/* Any body; taken out of `body`. */
void vecwire__serve_body(struct evhttp_request *req, int status,
                         const char *type, struct evbuffer *body);

#endif
