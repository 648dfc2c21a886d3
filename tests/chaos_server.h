/* SPDX-License-Identifier: Apache-2.0 */
/* A server on raw sockets that does to each request what a seed says: answer
 * well, late, in pieces, with a status, with too much; or hang up, reset,
 * talk nonsense. Every answer carries the request's own X-Marker. It lives on
 * the test's own event_base. */
#ifndef VECWIRE_TESTS_CHAOS_SERVER_H
#define VECWIRE_TESTS_CHAOS_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event_base;
struct chaos_server;

/* What became of the requests with one marker. */
struct chaos_seen {
    unsigned received; /* whole ones */
    unsigned told_429;
};

/* Markers are 1 to n_markers. */
struct chaos_server *chaos_server_new(struct event_base *base, unsigned seed,
                                      size_t n_markers);
void chaos_server_free(struct chaos_server *server);
uint16_t chaos_server_port(const struct chaos_server *server);
const struct chaos_seen *chaos_server_seen(const struct chaos_server *server,
                                           size_t marker);

/* From now on all is answered well and at once. */
void chaos_server_calm_down(struct chaos_server *server);

#endif
