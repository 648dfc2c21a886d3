/* SPDX-License-Identifier: Apache-2.0 */
/* The floor: a blocking socket, one write and as many reads as the reply
 * needs. The body was encoded beforehand and the reply is not decoded. */
#include "bench.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define REPLY_ROOM ((size_t)1 << 20)

static int
connect_to(const struct bench_args *args)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons(args->port)};
    int one = 1;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (inet_pton(AF_INET, args->host, &address.sin_addr) != 1)
        bench_die("%s is not an IPv4 address", args->host);
    if (fd < 0 ||
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)) != 0 ||
        connect(fd, (struct sockaddr *)&address, sizeof(address)) != 0)
        bench_die("cannot connect to %s: %m", args->authority);
    return fd;
}

static char *
build_request(const struct bench_args *args, size_t *len)
{
    size_t body_len;
    char *body = bench_query_body(1, &body_len);
    size_t room = strlen(args->path) + body_len + 256;
    char *request = bench_alloc(1, room);
    int n = snprintf(request, room,
                     "POST %s HTTP/1.1\r\nHost: %s\r\n"
                     "Content-Type: application/json\r\n"
                     "Content-Length: %zu\r\n\r\n%s",
                     args->path, args->authority, body_len, body);

    *len = (size_t)n;
    free(body);
    return request;
}

/* Read one reply; its bytes are overwritten as they come. */
static void
read_reply(int fd, char *reply)
{
    size_t got = 0, need = 0;

    do {
        ssize_t n = read(fd, reply, REPLY_ROOM);
        const char *end;

        if (n <= 0)
            bench_die("connection lost: %m");
        if (got == 0) {
            end = memmem(reply, (size_t)n, "\r\n\r\n", 4);
            if (end == NULL || strncmp(reply, "HTTP/1.1 200", 12) != 0)
                bench_die("not a reply with status 200");
            need = (size_t)(end + 4 - reply);
            need += bench_content_length(reply, need);
        }
        got += (size_t)n;
    } while (got < need);
    if (got != need)
        bench_die("bytes behind the reply");
}

int
main(int argc, char **argv)
{
    struct bench_args args = {.client = "raw", .about = "blocking socket"};
    struct bench_run run;
    static char reply[REPLY_ROOM];
    char *request;
    size_t len;
    uint64_t started;
    int fd;

    bench_args_parse(&args, argc, argv);
    if (args.in_flight != 1 || args.connections != 1)
        bench_die("a blocking socket has one request in flight");
    fd = connect_to(&args);
    request = build_request(&args, &len);
    bench_run_init(&run, &args);
    do {
        started = run.now_ns;
        if (send(fd, request, len, MSG_NOSIGNAL) != (ssize_t)len)
            bench_die("cannot send: %m");
        read_reply(fd, reply);
    } while (!bench_run_done(&run, started));
    bench_run_print(&run, NULL);
    bench_run_fini(&run);
    close(fd);
    free(request);
    return EXIT_SUCCESS;
}
