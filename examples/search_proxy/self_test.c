/* SPDX-License-Identifier: Apache-2.0 */
/* What a proxied request costs, and a client to find out with. */
#include "proxy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

/* So that both connections, the client's and the database's, are open. */
enum { WARM_UP = 10 };

/* From the handler of one request to the handler of the next lies exactly one
 * proxied request. First evhttp's way, then ours. */
void
self_test_count(struct proxy *proxy)
{
    uint64_t now = vecwire_loop_iterations(proxy->loop);

    if (proxy->n_measured == 0)
        return;
    proxy->n_seen++;
    if (proxy->n_seen == WARM_UP)
        proxy->begun_at = now;
    if (proxy->n_seen < WARM_UP + proxy->n_measured)
        return;
    printf("%s: %.2f loop iterations a proxied request\n",
           proxy->direct ? "written in the callback" : "evhttp's reply path",
           (double)(now - proxy->begun_at) / (double)proxy->n_measured);
    proxy->direct = true;
    proxy->n_seen = 0;
}

static bool
read_reply(FILE *in)
{
    char line[1024];
    size_t len = 0;

    if (fgets(line, sizeof(line), in) == NULL ||
        strncmp(line, "HTTP/1.1 200 ", 13) != 0)
        return false;
    do {
        if (fgets(line, sizeof(line), in) == NULL)
            return false;
        if (strncasecmp(line, "Content-Length:", 15) == 0)
            len = (size_t)strtoul(line + 15, NULL, 10);
    } while (strcmp(line, "\r\n") != 0);
    while (len > 0 && getc(in) != EOF)
        len--;
    return len == 0;
}

int
self_test_ask(const struct sockaddr *address, socklen_t len,
              const struct proxy *proxy)
{
    size_t n_requests = 2 * (WARM_UP + proxy->n_measured);
    int fd = socket(address->sa_family, SOCK_STREAM, 0);
    FILE *in = fd < 0 ? NULL : fdopen(fd, "r");

    if (in == NULL || connect(fd, address, len) != 0) {
        perror("self-test");
        return 1;
    }
    for (size_t i = 0; i < n_requests; i++) {
        char text[128];
        int text_len = snprintf(text, sizeof(text),
                                "GET /search?row=%zu HTTP/1.1\r\n"
                                "Host: localhost\r\n\r\n",
                                i % proxy->n_rows);

        if (send(fd, text, (size_t)text_len, MSG_NOSIGNAL) != text_len ||
            !read_reply(in)) {
            fprintf(stderr, "self-test: request %zu failed\n", i);
            return 1;
        }
    }
    fclose(in);
    return 0;
}
