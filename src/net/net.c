/* SPDX-License-Identifier: Apache-2.0 */
#include "net/net.h"

#include <limits.h>
#include <string.h>

#include "codec/guard.h"
#include "codec/mem.h"
#include "net/http_conn.h"

/* Ticks of the bucket that never fills again; any long time would do. */
#define TICK_S 1000000

static void
on_pass_end(evutil_socket_t fd, short what, void *arg)
{
    struct vecwire__net *net = arg;

    (void)fd;
    (void)what;
    net->pass++;
    net->pass_begun = false;
}

static char *
copy_text(const struct vecwire_mem *mem, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = vecwire__mem_alloc(mem, size);

    return copy == NULL ? NULL : memcpy(copy, text, size);
}

/* Free what vecwire__net_new() made; no connection is left. */
static void
net_destroy(struct vecwire__net *net)
{
    /* The net itself holds the allocator that it is freed with. */
    const struct vecwire_mem own = net->mem, *mem = &own;

    /* Records were put together there, keys of the API in them. */
    if (net->tls != NULL)
        explicit_bzero(net->scratch, sizeof(net->scratch));
    vecwire__tls_free(net->tls);
    if (net->no_write != NULL)
        ev_token_bucket_cfg_free(net->no_write);
    vecwire__mem_free(mem, net->headers,
                      net->cap_headers * sizeof(*net->headers));
    if (net->resolv_conf != NULL)
        vecwire__mem_free(mem, net->resolv_conf, strlen(net->resolv_conf) + 1);
    vecwire__mem_free(mem, net, sizeof(*net));
}

/* What must not stay with the base. */
static void
net_leave_base(struct vecwire__net *net)
{
    vecwire__resolver_free(net->resolver);
    net->resolver = NULL;
    if (net->pass_end != NULL)
        event_free(net->pass_end);
    net->pass_end = NULL;
}

enum vecwire_err
vecwire__net_new(struct vecwire__net **out,
                 const struct vecwire__net_config *config)
{
    const struct timeval tick = {TICK_S, 0};
    struct vecwire__net *net =
        vecwire__mem_zalloc(config->mem, sizeof(struct vecwire__net));

    *out = NULL;
    if (net == NULL)
        return VECWIRE_ENOMEM;
    net->config = *config;
    net->mem = *config->mem;
    net->config.mem = &net->mem;
    net->pass = 1;
    TAILQ_INIT(&net->open);
    TAILQ_INIT(&net->closed);
    net->resolv_conf = copy_text(config->mem, config->resolv_conf == NULL
                                                  ? "/etc/resolv.conf"
                                                  : config->resolv_conf);
    net->pass_end = event_new(config->base, -1, 0, on_pass_end, net);
    /* INT_MAX: libevent casts what is left for reading to int. */
    net->no_write = ev_token_bucket_cfg_new(INT_MAX, INT_MAX, 1, 1, &tick);
    if (net->resolv_conf != NULL)
        net->resolver = vecwire__resolver_new(config->base, net->resolv_conf);
    if (net->resolver == NULL || net->pass_end == NULL ||
        net->no_write == NULL) {
        net_leave_base(net);
        net_destroy(net);
        return VECWIRE_ENOMEM;
    }
    net->config.resolv_conf = net->resolv_conf;
    net->tls = config->tls;
    *out = net;
    return VECWIRE_OK;
}

/* Free the connections that evhttp has let go; the rest comes later. */
static void
free_closed(struct vecwire__net *net)
{
    struct vecwire__http *http = TAILQ_FIRST(&net->closed);

    while (http != NULL) {
        struct vecwire__http *next = TAILQ_NEXT(http, link);

        if (http->evcon == NULL) {
            TAILQ_REMOVE(&net->closed, http, link);
            evbuffer_free(http->out);
            evbuffer_free(http->held);
            if (http->raw != NULL)
                evbuffer_free(http->raw);
            vecwire__mem_free(net->config.mem, http, sizeof(*http));
        }
        http = next;
    }
}

void
vecwire__net_enter(struct vecwire__net *net)
{
    net->depth++;
}

void
vecwire__net_leave(struct vecwire__net *net)
{
    if (--net->depth != 0)
        return;
    if (!TAILQ_EMPTY(&net->closed))
        free_closed(net);
    if (net->freed && TAILQ_EMPTY(&net->closed))
        net_destroy(net);
}

void
vecwire__net_part(struct vecwire__net *net)
{
    net->parted = true;
}

void
vecwire__net_free(struct vecwire__net *net)
{
    struct vecwire__http *http;

    if (net == NULL)
        return;
    vecwire__net_enter(net);
    while ((http = TAILQ_FIRST(&net->open)) != NULL)
        vecwire__net_transport.close(&http->conn);
    net_leave_base(net);
    vecwire__guard_leave(&net->mem);
    net->freed = true;
    vecwire__net_leave(net);
}
