/* SPDX-License-Identifier: Apache-2.0 */
/* Names by libevent's evdns. Its base lives only while look-ups are in
 * flight: it would probe a name server that failed for ever, and so keep the
 * loop from returning; and what it knows of /etc/resolv.conf ages. */
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
    size_t in_flight; /* canceled ones included */
    bool freed;
};

struct vecwire__lookup {
    struct vecwire__resolver *resolver;
    struct evdns_getaddrinfo_request *request; /* NULL: answered */
    struct event *tell;
    vecwire__lookup_cb *cb;
    void *arg;
    struct vecwire__addresses addresses;
    const char *why;
    bool starting; /* inside evdns_getaddrinfo() */
    bool canceled;
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
    int what = DNS_OPTIONS_ALL | DNS_OPTION_NAMESERVERS_NO_DEFAULT;

    if (resolver->dns != NULL)
        return true;
    resolver->dns =
        evdns_base_new(resolver->base, EVDNS_BASE_DISABLE_WHEN_INACTIVE);
    if (resolver->dns == NULL)
        return false;
    /* One lost packet must not take the whole connect limit; the file may
     * say otherwise. Whole seconds: evdns reads fractions by the locale. */
    evdns_base_set_option(resolver->dns, "timeout:", "2");
    evdns_base_set_option(resolver->dns, "getaddrinfo-allow-skew:", "1");
    /* A file that is missing or empty leaves no name server: the look-up
     * then fails by itself. */
    (void)evdns_base_resolv_conf_parse(resolver->dns, what,
                                       resolver->resolv_conf);
    /* The connect limit says when to give up. evdns prints a line on
     * standard error when it gives a name server up. */
    evdns_base_set_option(resolver->dns, "max-timeouts:", "255");
    return true;
}

static void
lookup_free(struct vecwire__lookup *lookup)
{
    event_free(lookup->tell);
    vecwire__mem_free(MEM, lookup, sizeof(*lookup));
}

static void
on_tell(evutil_socket_t fd, short what, void *arg)
{
    struct vecwire__lookup lookup = *(struct vecwire__lookup *)arg;

    (void)fd;
    (void)what;
    lookup_free(arg);
    lookup.cb(&lookup.addresses, lookup.why, lookup.arg);
}

static void
take_addresses(struct vecwire__addresses *out, const struct evutil_addrinfo *ai)
{
    out->n = 0;
    for (; ai != NULL && out->n < VECWIRE__MAX_ADDRESSES; ai = ai->ai_next) {
        if ((ai->ai_family == AF_INET || ai->ai_family == AF_INET6) &&
            (size_t)ai->ai_addrlen <= sizeof(out->at[0]))
            memcpy(&out->at[out->n++], ai->ai_addr, (size_t)ai->ai_addrlen);
    }
}

static void
on_answer(int result, struct evutil_addrinfo *list, void *arg)
{
    static const struct timeval at_once;
    struct vecwire__lookup *lookup = arg;
    struct vecwire__resolver *resolver = lookup->resolver;

    lookup->request = NULL;
    if (result == 0)
        take_addresses(&lookup->addresses, list);
    if (list != NULL)
        evutil_freeaddrinfo(list);
    if (--resolver->in_flight == 0)
        event_add(resolver->settle, &at_once);
    if (lookup->canceled) {
        lookup_free(lookup);
        return;
    }
    if (result == EVUTIL_EAI_CANCEL)
        lookup->why = "there is no name server to ask";
    else if (result != 0)
        lookup->why = evutil_gai_strerror(result);
    else if (lookup->addresses.n == 0)
        lookup->why = "the name has no address";
    /* An answer at once is told in the next pass: who asks again for a name
     * that fails at once must not keep this one from ending. */
    if (lookup->starting)
        event_add(lookup->tell, &at_once);
    else
        event_active(lookup->tell, EV_TIMEOUT, 0);
}

struct vecwire__lookup *
vecwire__lookup_new(struct vecwire__resolver *resolver, const char *host,
                    uint16_t port, vecwire__lookup_cb *cb, void *arg)
{
    struct evutil_addrinfo hints = {.ai_family = AF_UNSPEC,
                                    .ai_socktype = SOCK_STREAM,
                                    .ai_protocol = IPPROTO_TCP};
    struct vecwire__lookup *lookup = vecwire__mem_zalloc(MEM, sizeof(*lookup));
    char service[8];

    if (lookup == NULL)
        return NULL;
    lookup->resolver = resolver;
    lookup->cb = cb;
    lookup->arg = arg;
    lookup->tell = event_new(resolver->base, -1, 0, on_tell, lookup);
    if (lookup->tell == NULL || !start_dns(resolver)) {
        if (lookup->tell != NULL)
            event_free(lookup->tell);
        vecwire__mem_free(MEM, lookup, sizeof(*lookup));
        return NULL;
    }
    snprintf(service, sizeof(service), "%u", (unsigned)port);
    resolver->in_flight++;
    lookup->starting = true;
    /* NULL: on_answer() has run. */
    lookup->request = evdns_getaddrinfo(resolver->dns, host, service, &hints,
                                        on_answer, lookup);
    lookup->starting = false;
    /* It would wait for one for ever. */
    if (lookup->request != NULL &&
        evdns_base_count_nameservers(resolver->dns) == 0)
        evdns_getaddrinfo_cancel(lookup->request);
    return lookup;
}

void
vecwire__lookup_cancel(struct vecwire__lookup *lookup)
{
    if (lookup->request == NULL) {
        lookup_free(lookup);
        return;
    }
    /* on_answer() runs once more and frees it. */
    lookup->canceled = true;
    evdns_getaddrinfo_cancel(lookup->request);
}
