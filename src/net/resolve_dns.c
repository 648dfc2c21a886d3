/* SPDX-License-Identifier: Apache-2.0 */
/* Names by libevent's evdns. Its base lives only while look-ups are in
 * flight: it would probe a name server that failed for ever, and so keep the
 * loop from returning; and what it knows of /etc/resolv.conf ages.
 *
 * Addresses of both kinds are asked for here and not by evdns_getaddrinfo():
 * that gives up a query of one kind soon after the other kind was answered,
 * even when the answer was that there is none. */
#include "net/resolve.h"

#include <stdio.h>
#include <string.h>

#include <event2/dns.h>
#include <event2/event.h>
#include <event2/util.h>

#include "codec/mem.h"

/* Everything here is from the C library, not from the caller's allocator:
 * evdns answers a canceled look-up later, maybe after the client is gone. */
#define MEM (&vecwire__mem_libc)

struct vecwire__resolver {
    struct event_base *base;
    struct evdns_base *dns; /* NULL: none at the moment */
    struct event *settle;   /* frees it, in a pass after its last callback */
    char *resolv_conf;
    struct vecwire__search search;
    size_t in_flight; /* canceled queries included */
    bool freed;
};

/* One of the two kinds of addresses. */
struct query {
    struct vecwire__lookup *lookup;
    struct evdns_request *request; /* NULL: answered */
    struct vecwire__addresses addresses;
    int result; /* DNS_ERR_ */
};

enum { IPV4, IPV6 };

struct vecwire__lookup {
    struct vecwire__resolver *resolver;
    struct query queries[2];
    struct event *tell;
    vecwire__lookup_cb *cb;
    void *arg;
    struct vecwire__addresses addresses;
    const char *why;
    size_t n_asked; /* names of the search list */
    uint16_t port;
    bool starting;  /* inside vecwire__lookup_new() */
    bool told;      /* addresses or why are there, on_tell() is to come */
    bool forgotten; /* its last query frees it */
    char host[256];
};

static void
resolver_destroy(struct vecwire__resolver *resolver)
{
    if (resolver->dns != NULL)
        evdns_base_free(resolver->dns, 0);
    if (resolver->settle != NULL)
        event_free(resolver->settle);
    if (resolver->resolv_conf != NULL)
        vecwire__mem_free(MEM, resolver->resolv_conf,
                          strlen(resolver->resolv_conf) + 1);
    vecwire__mem_free(MEM, resolver, sizeof(*resolver));
}

static void
on_settle(evutil_socket_t fd, short what, void *arg)
{
    struct vecwire__resolver *resolver = arg;

    (void)fd;
    (void)what;
    if (resolver->in_flight > 0)
        return;
    if (resolver->freed) {
        resolver_destroy(resolver);
        return;
    }
    if (resolver->dns != NULL)
        evdns_base_free(resolver->dns, 0);
    resolver->dns = NULL;
}

struct vecwire__resolver *
vecwire__resolver_new(struct event_base *base, const char *resolv_conf)
{
    size_t size = strlen(resolv_conf) + 1;
    struct vecwire__resolver *resolver =
        vecwire__mem_zalloc(MEM, sizeof(*resolver));

    if (resolver == NULL)
        return NULL;
    resolver->base = base;
    resolver->settle = event_new(base, -1, 0, on_settle, resolver);
    resolver->resolv_conf = vecwire__mem_alloc(MEM, size);
    if (resolver->resolv_conf != NULL)
        memcpy(resolver->resolv_conf, resolv_conf, size);
    if (resolver->settle != NULL && resolver->resolv_conf != NULL)
        return resolver;
    resolver_destroy(resolver);
    return NULL;
}

void
vecwire__resolver_free(struct vecwire__resolver *resolver)
{
    if (resolver == NULL)
        return;
    resolver->freed = true;
    /* With a base of evdns there is a callback to come, or one that has just
     * run and left more of evdns in this pass: on_settle() does it. */
    if (resolver->dns == NULL)
        resolver_destroy(resolver);
}

/* A fresh base of evdns. */
static bool
start_dns(struct vecwire__resolver *resolver)
{
    /* DNS_OPTION_NAMESERVERS_NO_DEFAULT: without a name server in the file
     * evdns would ask 127.0.0.1, which nobody told it to. */
    int what = DNS_OPTION_NAMESERVERS | DNS_OPTION_MISC |
               DNS_OPTION_NAMESERVERS_NO_DEFAULT;

    if (resolver->dns != NULL)
        return true;
    resolver->dns =
        evdns_base_new(resolver->base, EVDNS_BASE_DISABLE_WHEN_INACTIVE);
    if (resolver->dns == NULL)
        return false;
    /* One lost packet must not take the whole connect limit; the file may
     * say otherwise. Whole seconds: evdns reads fractions by the locale. */
    evdns_base_set_option(resolver->dns, "timeout:", "1");
    evdns_base_set_option(resolver->dns, "attempts:", "5");
    /* A file that is missing or empty leaves no name server: the look-up
     * then fails by itself. */
    (void)evdns_base_resolv_conf_parse(resolver->dns, what,
                                       resolver->resolv_conf);
    /* The connect limit says when to give up. evdns prints a line on
     * standard error when it gives a name server up. */
    evdns_base_set_option(resolver->dns, "max-timeouts:", "255");
    vecwire__search_read(resolver->resolv_conf, &resolver->search);
    return true;
}

static void
lookup_free(struct vecwire__lookup *lookup)
{
    if (lookup->tell != NULL)
        event_free(lookup->tell);
    vecwire__mem_free(MEM, lookup, sizeof(*lookup));
}

static bool
is_asking(const struct vecwire__lookup *lookup)
{
    return lookup->queries[IPV4].request != NULL ||
           lookup->queries[IPV6].request != NULL;
}

/* Each is still answered once. */
static void
cancel_queries(struct vecwire__lookup *lookup)
{
    for (size_t i = 0; i < 2; i++) {
        if (lookup->queries[i].request != NULL)
            evdns_cancel_request(lookup->resolver->dns,
                                 lookup->queries[i].request);
    }
}

/* It lives until evdns has answered what was asked. */
static void
forget(struct vecwire__lookup *lookup)
{
    if (!is_asking(lookup)) {
        lookup_free(lookup);
        return;
    }
    lookup->forgotten = true;
    event_del(lookup->tell);
    cancel_queries(lookup);
}

static void
collect(struct vecwire__lookup *lookup)
{
    struct vecwire__addresses *out = &lookup->addresses;

    for (size_t i = 0; i < 2; i++) {
        const struct vecwire__addresses *in = &lookup->queries[i].addresses;

        for (size_t k = 0; k < in->n && out->n < VECWIRE__MAX_ADDRESSES; k++)
            out->at[out->n++] = in->at[k];
    }
}

/* Of the two the one that is not just about the kind of address. */
static const char *
why_not(const struct vecwire__lookup *lookup)
{
    int v4 = lookup->queries[IPV4].result, v6 = lookup->queries[IPV6].result;
    int result = v4 == DNS_ERR_NODATA ? v6 : v4;

    switch (result) {
    case DNS_ERR_NODATA:
        return "the name has no address";
    case DNS_ERR_NOTEXIST:
        return "there is no such name";
    case DNS_ERR_SERVERFAILED:
    case DNS_ERR_TIMEOUT:
        return "the name servers fail, or do not answer";
    case DNS_ERR_REFUSED:
        return "the name server refuses to answer";
    case DNS_ERR_TRUNCATED:
        return "the name server's answer is too long for a datagram";
    case DNS_ERR_CANCEL:
        return "there is no name server to ask";
    default:
        return "the name server's answer cannot be used";
    }
}

static void
on_tell(evutil_socket_t fd, short what, void *arg)
{
    struct vecwire__lookup *lookup = arg;
    struct vecwire__addresses addresses;
    vecwire__lookup_cb *cb = lookup->cb;
    const char *why = lookup->why;

    (void)fd;
    (void)what;
    arg = lookup->arg;
    /* There may be none when the time for the other kind is up. */
    if (!lookup->told)
        collect(lookup);
    addresses = lookup->addresses;
    forget(lookup);
    cb(&addresses, why, arg);
}

static void
tell(struct vecwire__lookup *lookup)
{
    static const struct timeval at_once;

    lookup->told = true;
    /* An answer at once is told in the next pass: who asks again for a name
     * that fails at once must not keep this one from ending. */
    if (lookup->starting)
        event_add(lookup->tell, &at_once);
    else
        event_active(lookup->tell, EV_TIMEOUT, 0);
}

static void on_answer(int result, char type, int count, int ttl,
                      void *addresses, void *arg);

static void
ask_for(struct vecwire__lookup *lookup, const char *name)
{
    struct evdns_base *dns = lookup->resolver->dns;

    for (size_t i = 0; i < 2; i++) {
        struct query *query = &lookup->queries[i];

        query->request =
            i == IPV4 ? evdns_base_resolve_ipv4(dns, name, DNS_QUERY_NO_SEARCH,
                                                on_answer, query)
                      : evdns_base_resolve_ipv6(dns, name, DNS_QUERY_NO_SEARCH,
                                                on_answer, query);
        lookup->resolver->in_flight += query->request != NULL;
    }
}

/* Ask for the next name of the list that evdns takes: one with its domain may
 * be too long. False: there is no more. */
static bool
ask_next(struct vecwire__lookup *lookup)
{
    char name[VECWIRE__NAME_SIZE];

    while (vecwire__search_name(&lookup->resolver->search, lookup->host,
                                lookup->n_asked++, name)) {
        ask_for(lookup, name);
        if (is_asking(lookup)) {
            lookup->queries[IPV4].result = lookup->queries[IPV6].result =
                DNS_ERR_UNKNOWN;
            return true;
        }
    }
    return false;
}

static bool
is_absent(const struct query *query)
{
    return query->result == DNS_ERR_NOTEXIST || query->result == DNS_ERR_NODATA;
}

/* Something was answered. */
static void
decide(struct vecwire__lookup *lookup)
{
    /* RFC 8305 has 50 ms for this; here nothing follows later. */
    static const struct timeval for_the_other = {0, 250000};
    const struct query *queries = lookup->queries;
    bool found = queries[IPV4].addresses.n + queries[IPV6].addresses.n > 0;

    if (is_asking(lookup)) {
        if (found)
            event_add(lookup->tell, &for_the_other);
        return;
    }
    if (is_absent(&queries[IPV4]) && is_absent(&queries[IPV6]) &&
        ask_next(lookup))
        return;
    if (found)
        collect(lookup);
    else
        lookup->why = why_not(lookup);
    tell(lookup);
}

static void
take_addresses(struct query *query, bool v6, size_t n, const char *bytes)
{
    struct vecwire__addresses *out = &query->addresses;
    uint16_t port = query->lookup->port;

    for (size_t i = 0; i < n && i < VECWIRE__MAX_ADDRESSES; i++)
        vecwire__address_add(out, v6, bytes + i * (v6 ? 16 : 4), port);
}

static void
on_answer(int result, char type, int count, int ttl, void *addresses, void *arg)
{
    static const struct timeval at_once;
    struct query *query = arg;
    struct vecwire__lookup *lookup = query->lookup;
    struct vecwire__resolver *resolver = lookup->resolver;

    (void)ttl;
    query->request = NULL;
    query->result = result;
    if (--resolver->in_flight == 0)
        event_add(resolver->settle, &at_once);
    if (lookup->forgotten) {
        if (!is_asking(lookup))
            lookup_free(lookup);
        return;
    }
    if (result == DNS_ERR_NONE && count > 0)
        take_addresses(query, type == DNS_IPv6_AAAA, (size_t)count, addresses);
    else if (result == DNS_ERR_NONE)
        query->result = DNS_ERR_NODATA;
    decide(lookup);
}

static void
ask(struct vecwire__lookup *lookup)
{
    static const struct timeval at_once;
    struct vecwire__resolver *resolver = lookup->resolver;

    if (!ask_next(lookup)) {
        lookup->why = "the name is none that can be asked for";
        tell(lookup);
        if (resolver->in_flight == 0)
            event_add(resolver->settle, &at_once);
    } else if (evdns_base_count_nameservers(resolver->dns) == 0) {
        /* It would wait for one for ever. */
        cancel_queries(lookup);
    }
}

/* False: no memory. */
static bool
start(struct vecwire__lookup *lookup)
{
    lookup->tell = event_new(lookup->resolver->base, -1, 0, on_tell, lookup);
    if (lookup->tell == NULL)
        return false;
    lookup->starting = true;
    if (vecwire__hosts_find("/etc/hosts", lookup->host, lookup->port,
                            &lookup->addresses))
        tell(lookup);
    else if (start_dns(lookup->resolver))
        ask(lookup);
    else
        return false;
    lookup->starting = false;
    return true;
}

struct vecwire__lookup *
vecwire__lookup_new(struct vecwire__resolver *resolver, const char *host,
                    uint16_t port, vecwire__lookup_cb *cb, void *arg)
{
    struct vecwire__lookup *lookup = vecwire__mem_zalloc(MEM, sizeof(*lookup));

    if (lookup == NULL)
        return NULL;
    lookup->resolver = resolver;
    lookup->queries[IPV4].lookup = lookup->queries[IPV6].lookup = lookup;
    lookup->cb = cb;
    lookup->arg = arg;
    lookup->port = port;
    snprintf(lookup->host, sizeof(lookup->host), "%s", host);
    if (start(lookup))
        return lookup;
    lookup_free(lookup);
    return NULL;
}

void
vecwire__lookup_cancel(struct vecwire__lookup *lookup)
{
    forget(lookup);
}
