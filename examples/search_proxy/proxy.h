/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the proxy share. */
#ifndef PROXY_H
#define PROXY_H

#include <jansson.h>
#include <sys/socket.h>
#include <vecwire/vecwire.h>

struct evhttp_request;

enum { DIM = 384 };

struct proxy {
    struct vecwire_client *db;
    struct vecwire_loop *loop;
    float *rows; /* n_rows x DIM */
    size_t n_rows;
    bool direct; /* write replies in the callback that makes them */
    unsigned long n_answered, n_failed, n_canceled;
    /* Requests to measure, 0: none; and where the self-test is. */
    size_t n_measured;
    size_t n_seen;
    uint64_t begun_at;
};

/* Both end the request: `req` is evhttp's afterwards. `json` is taken; NULL
 * means that there was no memory for it. */
void reply_json(struct proxy *proxy, struct evhttp_request *req, int status,
                json_t *json);
void reply_error(struct proxy *proxy, struct evhttp_request *req, int status,
                 const char *code, const char *message);

/* evhttp's callback for /search. `arg` is the proxy. */
void search_handle(struct evhttp_request *req, void *arg);

/* A number of digits only, at most `max`. `text` may be NULL. */
bool read_number(const char *text, size_t max, size_t *number);

/* A request has come. Prints the figures when all have. */
void self_test_count(struct proxy *proxy);

/* The client, in a process of its own so that its events are not among those
 * that are counted. Returns an exit status. */
int self_test_ask(const struct sockaddr *address, socklen_t len,
                  const struct proxy *proxy);

#endif
