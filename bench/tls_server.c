/* SPDX-License-Identifier: Apache-2.0 */
/* A server over TLS that closes each connection behind its one reply, so that
 * every request costs a handshake.
 * usage: tls_server DIRECTORY full|resumed 1.2|1.3
 * DIRECTORY gets the certificates; `full` gives out no sessions. Prints its
 * port. */
#include "bench.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include <event2/buffer.h>
#include <event2/event.h>
#include <event2/http.h>
#include <openssl/ssl.h>

#include "server/serve_tls.h"

static void
answer(struct evhttp_request *req, void *arg)
{
    struct evbuffer *body = evbuffer_new();

    (void)arg;
    if (body == NULL)
        bench_die("no memory");
    evbuffer_add(body, "{\"matches\":[]}", 14);
    evhttp_add_header(evhttp_request_get_output_headers(req), "Connection",
                      "close");
    evhttp_send_reply(req, 200, "OK", body);
    evbuffer_free(body);
}

static struct bufferevent *
accepted(struct event_base *base, void *ctx)
{
    return vecwire__serve_tls_accept(base, ctx);
}

static SSL_CTX *
make_ctx(const char *directory, bool full, bool newest)
{
    char cert[512], key[512], why[600];
    SSL_CTX *ctx;

    if (!vecwire__self_signed(directory, why, sizeof(why)))
        bench_die("%s", why);
    snprintf(cert, sizeof(cert), "%s/cert.pem", directory);
    snprintf(key, sizeof(key), "%s/key.pem", directory);
    ctx = vecwire__serve_tls_new(cert, key, why, sizeof(why));
    if (ctx == NULL)
        bench_die("%s", why);
    if (full) {
        SSL_CTX_set_options(ctx, SSL_OP_NO_TICKET);
        SSL_CTX_set_num_tickets(ctx, 0);
        SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
    }
    SSL_CTX_set_max_proto_version(ctx,
                                  newest ? TLS1_3_VERSION : TLS1_2_VERSION);
    return ctx;
}

int
main(int argc, char **argv)
{
    struct event_base *base = event_base_new();
    struct evhttp *http = evhttp_new(base);
    struct sockaddr_in address;
    socklen_t len = sizeof(address);
    struct evhttp_bound_socket *bound;
    int one = 1, fd;

    if (argc != 4)
        bench_die("usage: tls_server DIRECTORY full|resumed 1.2|1.3");
    signal(SIGPIPE, SIG_IGN);
    if (base == NULL || http == NULL)
        bench_die("no memory");
    evhttp_set_gencb(http, answer, NULL);
    evhttp_set_bevcb(http, accepted,
                     make_ctx(argv[1], strcmp(argv[2], "full") == 0,
                              strcmp(argv[3], "1.3") == 0));
    bound = evhttp_bind_socket_with_handle(http, "127.0.0.1", 0);
    if (bound == NULL)
        bench_die("cannot listen");
    fd = (int)evhttp_bound_socket_get_fd(bound);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    if (getsockname(fd, (struct sockaddr *)&address, &len) != 0)
        bench_die("no address");
    printf("%u\n", (unsigned)ntohs(address.sin_port));
    fflush(stdout);
    event_base_dispatch(base);
    return 0;
}
