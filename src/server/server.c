/* SPDX-License-Identifier: Apache-2.0 */
#include "server/server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <event2/event.h>
#include <event2/http.h>

#include "codec/mem.h"
#include "server/routes.h"
#include "server/seed.h"
#include "server/serve_tls.h"
#include "server/state.h"

#define ALL_METHODS                                                            \
    (EVHTTP_REQ_GET | EVHTTP_REQ_POST | EVHTTP_REQ_HEAD | EVHTTP_REQ_PUT |     \
     EVHTTP_REQ_DELETE | EVHTTP_REQ_OPTIONS | EVHTTP_REQ_TRACE |               \
     EVHTTP_REQ_CONNECT | EVHTTP_REQ_PATCH)

static bool
options_check(const struct vecwire__server_options *options, char *err,
              size_t err_size)
{
    if (options->dim > VECWIRE__SERVER_DIM_MAX) {
        snprintf(err, err_size, "dimension %u, allowed are 1 to %d",
                 (unsigned)options->dim, VECWIRE__SERVER_DIM_MAX);
        return false;
    }
    if (options->seed_text_bytes > VECWIRE__HMS_TEXT_MAX) {
        snprintf(err, err_size, "text of %zu bytes, at most %d are allowed",
                 options->seed_text_bytes, VECWIRE__HMS_TEXT_MAX);
        return false;
    }
    return true;
}

/* Limits are beyond ours, so that what is over them is answered by our routes,
 * in JSON, and not by evhttp. */
static bool
http_open(struct vecwire__server *server)
{
    server->http = evhttp_new(server->base);
    if (server->http == NULL)
        return false;
    evhttp_set_max_body_size(server->http,
                             (ev_ssize_t)(2 * VECWIRE__QDRANT_BODY_MAX));
    evhttp_set_max_headers_size(server->http,
                                (ev_ssize_t)VECWIRE__SERVER_HEADERS_MAX);
    evhttp_set_timeout(server->http, VECWIRE__SERVER_TIMEOUT_S);
    evhttp_set_allowed_methods(server->http, ALL_METHODS);
    evhttp_set_gencb(server->http, vecwire__routes_answer, server);
    return true;
}

static bool
seed(struct vecwire__server *server,
     const struct vecwire__server_options *options)
{
    struct vecwire__tenant *tenant;
    size_t n = (size_t)options->seed_rows;
    bool full;

    if (n == 0)
        return true;
    tenant = vecwire__store_open(&server->store, "default", &full);
    return tenant != NULL &&
           vecwire__seed_rows(tenant, n, options->seed_text_bytes) &&
           vecwire__qdrant_seed(&server->qdrant, tenant->dim, n,
                                options->seed_text_bytes);
}

static struct vecwire__server *
server_alloc(struct event_base *base,
             const struct vecwire__server_options *options)
{
    struct vecwire__server *server = calloc(1, sizeof(*server));
    size_t dim = options->dim == 0 ? VECWIRE__SERVER_DIM : options->dim;
    size_t n_kernels;

    if (server == NULL)
        return NULL;
    server->base = base;
    server->dot = vecwire__dot_kernels(&n_kernels)[0].dot;
    vecwire__store_init(&server->store, dim);
    vecwire__hms_body_init(&server->body, dim);
    vecwire__buf_init(&server->reply, &vecwire__mem_libc);
    vecwire__qdrant_init(&server->qdrant, server->dot);
    return server;
}

struct vecwire__server *
vecwire__server_new(struct event_base *base,
                    const struct vecwire__server_options *options, char *err,
                    size_t err_size)
{
    struct vecwire__server *server;

    if (!options_check(options, err, err_size))
        return NULL;
    snprintf(err, err_size, "no memory");
    server = server_alloc(base, options);
    if (server == NULL)
        return NULL;
    if (options->api_key != NULL && options->api_key[0] != '\0') {
        server->api_key = strdup(options->api_key);
        if (server->api_key == NULL)
            goto fail;
    }
    if (!http_open(server) ||
        !vecwire__serve_conns_init(&server->conns, base, &options->limits))
        goto fail;
    server->listen.conns = &server->conns;
    if (!seed(server, options)) {
        snprintf(err, err_size, "no memory for %llu rows",
                 (unsigned long long)options->seed_rows);
        goto fail;
    }
    if (options->tls_cert != NULL) {
        server->listen.tls = vecwire__serve_tls_new(
            options->tls_cert, options->tls_key, err, err_size);
        if (server->listen.tls == NULL)
            goto fail;
    }
    if (!vecwire__listen_open(&server->listen, base, server->http,
                              options->host == NULL ? "127.0.0.1"
                                                    : options->host,
                              options->port, err, err_size))
        goto fail;
    return server;

fail:
    vecwire__server_free(server);
    return NULL;
}

const char *
vecwire__server_url(const struct vecwire__server *server)
{
    return server->listen.url;
}

void
vecwire__server_free(struct vecwire__server *server)
{
    if (server == NULL)
        return;
    vecwire__listen_close(&server->listen);
    vecwire__serve_conns_close(&server->conns);
    if (server->http != NULL)
        evhttp_free(server->http);
    vecwire__serve_conns_fini(&server->conns);
    vecwire__serve_tls_free(server->listen.tls);
    vecwire__sample_free(server);
    vecwire__store_fini(&server->store);
    vecwire__qdrant_fini(&server->qdrant);
    vecwire__hms_body_fini(&server->body);
    vecwire__buf_fini(&server->reply);
    free(server->api_key);
    free(server);
}
