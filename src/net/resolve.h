/* SPDX-License-Identifier: Apache-2.0 */
/* From a host to its addresses, without ever blocking the loop. */
#ifndef VECWIRE_NET_RESOLVE_H
#define VECWIRE_NET_RESOLVE_H

#include <netinet/in.h>

#include <vecwire/client.h>

struct vecwire__resolver;
struct vecwire__lookup; /* one look-up in flight */

union vecwire__address {
    struct sockaddr sa;
    struct sockaddr_in in;
    struct sockaddr_in6 in6;
};

#define VECWIRE__MAX_ADDRESSES 16

/* All addresses of a host, in the order in which to try them. */
struct vecwire__addresses {
    union vecwire__address at[VECWIRE__MAX_ADDRESSES];
    size_t n;
};

/* One more, of 4 or 16 bytes; there is room. */
void vecwire__address_add(struct vecwire__addresses *out, bool v6,
                          const void *bytes, uint16_t port);

/* Answers what needs no server: IP literals, and localhost, which is ::1 and
 * 127.0.0.1. False: look it up. */
bool vecwire__resolve_here(const char *host, uint16_t port,
                           struct vecwire__addresses *out);

/* "127.0.0.1" or "::1" into text; with_port: "127.0.0.1:80", "[::1]:80". */
void vecwire__address_text(const union vecwire__address *address,
                           bool with_port, char *text, size_t size);

/* The addresses that a file in the form of /etc/hosts has for a name. False:
 * none, or no file. */
bool vecwire__hosts_find(const char *path, const char *host, uint16_t port,
                         struct vecwire__addresses *out);

#define VECWIRE__MAX_SEARCH 16
#define VECWIRE__NAME_SIZE 512

/* Domains in which a name is tried, and how many dots it must have to be
 * tried as it is before. */
struct vecwire__search {
    char domains[VECWIRE__MAX_SEARCH][256];
    size_t n;
    unsigned ndots;
};

/* What a resolv.conf says about that. */
void vecwire__search_read(const char *path, struct vecwire__search *search);

/* The i-th name to ask for, from 0 on. False: there are no more. */
bool vecwire__search_name(const struct vecwire__search *search,
                          const char *host, size_t i,
                          char name[VECWIRE__NAME_SIZE]);

/* Nothing is read or opened before the first look-up. NULL: no memory.
 * Freed while a look-up is in flight, some memory stays with the base for one
 * more pass. */
struct vecwire__resolver *vecwire__resolver_new(struct event_base *base,
                                                const char *resolv_conf);

/* Every look-up has been answered or canceled. NULL is fine. */
void vecwire__resolver_free(struct vecwire__resolver *resolver);

/* Runs once, from the loop, never inside vecwire__lookup_new(). `why` is
 * NULL, or a line that says why there is no address. */
typedef void vecwire__lookup_cb(const struct vecwire__addresses *addresses,
                                const char *why, void *arg);

/* NULL: no memory. */
struct vecwire__lookup *vecwire__lookup_new(struct vecwire__resolver *resolver,
                                            const char *host, uint16_t port,
                                            vecwire__lookup_cb *cb, void *arg);

/* Forget it: the callback does not run. Not after it has run. */
void vecwire__lookup_cancel(struct vecwire__lookup *lookup);

#endif
