/* SPDX-License-Identifier: Apache-2.0 */
/* The small exact-search server behind `vecwire serve`: HMS's routes and a
 * few for measuring, on the caller's event_base, in memory only. */
#ifndef VECWIRE_SERVER_SERVER_H
#define VECWIRE_SERVER_SERVER_H

#include <stddef.h>
#include <stdint.h>

#include "server/serve_conn.h"

struct event_base;
struct vecwire__server;

#define VECWIRE__SERVER_DIM 384
#define VECWIRE__SERVER_DIM_MAX 65536

/* Zero means the default in every field. */
struct vecwire__server_options {
    const char *host;     /* name or address, "::1" too: 127.0.0.1 */
    const char *api_key;  /* asked of every request; NULL or "": none */
    const char *tls_cert; /* PEM, with tls_key: https; NULL: http */
    const char *tls_key;
    uint64_t seed_rows;     /* made at the start in tenant "default" */
    size_t seed_text_bytes; /* text of each, at most 65536; 0: "row 17" */
    uint32_t dim;           /* 384, at most 65536 */
    uint16_t port;          /* 0: any free one */
    struct vecwire__serve_limits limits;
};

/* Listen and answer from the loop of `base`. NULL: `err` says why. Everything
 * in the options is copied. The program must ignore SIGPIPE. */
struct vecwire__server *
vecwire__server_new(struct event_base *base,
                    const struct vecwire__server_options *options, char *err,
                    size_t err_size);

/* "http://127.0.0.1:40123", or "https"; valid as long as the server. */
const char *vecwire__server_url(const struct vecwire__server *server);

/* Close all connections and free everything; not from inside its own
 * callbacks. NULL is fine. */
void vecwire__server_free(struct vecwire__server *server);

#endif
