/* SPDX-License-Identifier: Apache-2.0 */
/* All connections of one client: the transport behind net/transport.h. */
#ifndef VECWIRE_NET_NET_H
#define VECWIRE_NET_NET_H

#include "net/tls.h"
#include "net/transport.h"
#include "net/url.h"

struct vecwire__net;

/* Settings. `base` and `mem`'s context outlive the net, `timers` until
 * vecwire__net_free() returns (its memory may wait longer); the rest
 * is copied. */
struct vecwire__net_config {
    struct event_base *base;
    const struct vecwire_mem *mem;
    struct vecwire__timers *timers;
    struct vecwire__conn_events events;
    struct vecwire__url url;
    struct vecwire__tls *tls; /* of an https url: the net's, once it is made */
    const char *resolv_conf;  /* NULL: "/etc/resolv.conf" */
    /* One round of all addresses, name lookup included; VECWIRE_NEVER. */
    uint32_t connect_ms;
    uint32_t max_header_bytes;
    uint32_t max_header_lines;
    uint32_t read_per_turn;
    uint64_t max_reply_bytes;
};

/* VECWIRE_ENOMEM: *out is NULL. */
enum vecwire_err vecwire__net_new(struct vecwire__net **out,
                                  const struct vecwire__net_config *config);

/* This is a child of the process that opened the connections: closing them is
 * for this process alone, from here on. */
void vecwire__net_part(struct vecwire__net *net);

/* Close every connection, without upcalls, and free. NULL is fine. Allowed
 * in any upcall: none runs after it, and memory waits for the way out. */
void vecwire__net_free(struct vecwire__net *net);

/* open() takes a struct vecwire__net. */
extern const struct vecwire__transport vecwire__net_transport;

#endif
