/* SPDX-License-Identifier: Apache-2.0 */
/* Which request goes where. */
#ifndef VECWIRE_SERVER_ROUTES_H
#define VECWIRE_SERVER_ROUTES_H

struct evhttp_request;
struct vecwire__server;

/* Answer a request whose path and method fit. `rest` is the part of the path
 * behind the route's own, "" for exact ones. */
typedef void (*vecwire__route_handler)(struct vecwire__server *server,
                                       struct evhttp_request *req,
                                       const char *rest);

/* evhttp's callback for every request; `arg` is the server. */
void vecwire__routes_answer(struct evhttp_request *req, void *arg);

/* HMS */
void vecwire__hms_query(struct vecwire__server *server,
                        struct evhttp_request *req, const char *rest);
void vecwire__hms_add(struct vecwire__server *server,
                      struct evhttp_request *req, const char *rest);
void vecwire__hms_add_batch(struct vecwire__server *server,
                            struct evhttp_request *req, const char *rest);
void vecwire__hms_delete(struct vecwire__server *server,
                         struct evhttp_request *req, const char *rest);

/* For measuring */
void vecwire__sample_ping(struct vecwire__server *server,
                          struct evhttp_request *req, const char *rest);
void vecwire__sample_bigger(struct vecwire__server *server,
                            struct evhttp_request *req, const char *rest);
void vecwire__sample_length(struct vecwire__server *server,
                            struct evhttp_request *req, const char *rest);

/* Free the bytes of /length/N, when no connection needs them any more. */
void vecwire__sample_free(struct vecwire__server *server);

#endif
