/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/serve_client.h"

#include <arpa/inet.h>
#include <check.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <event2/event.h>
#include <jansson.h>

#define PATIENCE_S 10 /* a reply that does not come fails the test */

static struct vecwire__server *server;
static struct event_base *base;
static struct event *stop;
static pthread_t thread;
static int stop_pipe[2];
static struct serve_conn last_conn = {.fd = -1};
static struct serve_reply last_reply;

static void
on_stop(evutil_socket_t fd, short what, void *arg)
{
    (void)fd;
    (void)what;
    event_base_loopbreak(arg);
}

static void *
run(void *arg)
{
    event_base_dispatch(arg);
    return NULL;
}

void
serve_start(const struct vecwire__server_options *options)
{
    char err[256] = "";

    signal(SIGPIPE, SIG_IGN);
    base = event_base_new();
    ck_assert_ptr_nonnull(base);
    ck_assert_int_eq(pipe(stop_pipe), 0);
    stop = event_new(base, stop_pipe[0], EV_READ, on_stop, base);
    ck_assert_ptr_nonnull(stop);
    ck_assert_int_eq(event_add(stop, NULL), 0);
    server = vecwire__server_new(base, options, err, sizeof(err));
    ck_assert_msg(server != NULL, "%s", err);
    ck_assert_int_eq(pthread_create(&thread, NULL, run, base), 0);
}

void
serve_stop(void)
{
    if (last_conn.fd >= 0)
        serve_close(&last_conn);
    ck_assert_int_eq(write(stop_pipe[1], "", 1), 1);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    vecwire__server_free(server);
    event_free(stop);
    event_base_free(base);
    close(stop_pipe[0]);
    close(stop_pipe[1]);
}

unsigned
serve_cpu_ms(void)
{
    struct timespec used;
    clockid_t clock;

    ck_assert_int_eq(pthread_getcpuclockid(thread, &clock), 0);
    ck_assert_int_eq(clock_gettime(clock, &used), 0);
    return (unsigned)used.tv_sec * 1000 + (unsigned)(used.tv_nsec / 1000000);
}

const char *
serve_url(void)
{
    return vecwire__server_url(server);
}

void
serve_open(struct serve_conn *conn)
{
    const struct timeval patience = {PATIENCE_S, 0};
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const char *port = strrchr(serve_url(), ':') + 1;

    memset(conn, 0, sizeof(*conn));
    address.sin_port = htons((uint16_t)strtoul(port, NULL, 10));
    conn->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ck_assert_int_ge(conn->fd, 0);
    ck_assert_int_eq(setsockopt(conn->fd, SOL_SOCKET, SO_RCVTIMEO, &patience,
                                sizeof(patience)),
                     0);
    ck_assert_int_eq(
        connect(conn->fd, (const struct sockaddr *)&address, sizeof(address)),
        0);
}

void
serve_close(struct serve_conn *conn)
{
    close(conn->fd);
    free(conn->bytes);
    memset(conn, 0, sizeof(*conn));
    conn->fd = -1;
}

void
serve_write(struct serve_conn *conn, const void *bytes, size_t len)
{
    const char *from = bytes;

    while (len > 0) {
        ssize_t n = write(conn->fd, from, len);

        ck_assert_int_gt(n, 0);
        from += n;
        len -= (size_t)n;
    }
}

void
serve_send(struct serve_conn *conn, const char *method, const char *path,
           const char *headers, const char *body)
{
    size_t body_len = body == NULL ? 0 : strlen(body);
    size_t size =
        body_len + strlen(path) + 512 + (headers == NULL ? 0 : strlen(headers));
    char *text = malloc(size), length[64] = "";
    int n;

    ck_assert_ptr_nonnull(text);
    if (body != NULL)
        snprintf(length, sizeof(length), "Content-Length: %zu\r\n", body_len);
    n = snprintf(text, size, "%s %s HTTP/1.1\r\nHost: test\r\n%s%s\r\n%s",
                 method, path, headers == NULL ? "" : headers, length,
                 body == NULL ? "" : body);
    serve_write(conn, text, (size_t)n);
    free(text);
}

/* Read once more. False: the other side has closed. */
static bool
read_more(struct serve_conn *conn)
{
    ssize_t n;

    if (conn->cap - conn->len < 4096) {
        conn->cap = conn->cap == 0 ? 65536 : 2 * conn->cap;
        conn->bytes = realloc(conn->bytes, conn->cap);
        ck_assert_ptr_nonnull(conn->bytes);
    }
    /* One byte is left for a NUL. */
    n = read(conn->fd, conn->bytes + conn->len, conn->cap - conn->len - 1);
    if (n > 0)
        conn->len += (size_t)n;
    if (n >= 0)
        conn->bytes[conn->len] = '\0';
    return n > 0;
}

static size_t
read_head(struct serve_conn *conn, struct serve_reply *reply)
{
    const char *end;
    size_t len;

    while (conn->len == 0 ||
           (end = memmem(conn->bytes, conn->len, "\r\n\r\n", 4)) == NULL)
        ck_assert_msg(read_more(conn), "closed before the reply's headers");
    len = (size_t)(end + 4 - conn->bytes);
    ck_assert_uint_lt(len, sizeof(reply->headers));
    memcpy(reply->headers, conn->bytes, len);
    reply->headers[len] = '\0';
    ck_assert_int_eq(sscanf(reply->headers, "HTTP/1.%*d %d", &reply->status),
                     1);
    return len;
}

/* What has been consumed leaves at the next read, so that the reply's body
 * can stay where it is. */
static void
consume(struct serve_conn *conn, const struct serve_reply *reply)
{
    size_t used;

    if (reply->body == NULL || conn->len == 0)
        return;
    used = (size_t)(reply->body - conn->bytes) + reply->body_len;
    conn->len -= used;
    memmove(conn->bytes, conn->bytes + used, conn->len);
}

void
serve_read(struct serve_conn *conn, struct serve_reply *reply, bool head)
{
    const char *length;
    size_t begin, len = 0;

    consume(conn, reply);
    begin = read_head(conn, reply);
    length = strcasestr(reply->headers, "\r\nContent-Length:");
    if (length != NULL && !head)
        len = strtoul(strchr(length, ':') + 1, NULL, 10);
    while (conn->len < begin + len)
        ck_assert_msg(read_more(conn), "closed before the reply's end");
    reply->body = conn->bytes + begin;
    reply->body_len = len;
}

bool
serve_is_closed(struct serve_conn *conn)
{
    char byte;

    return recv(conn->fd, &byte, 1, 0) == 0;
}

const char *
serve_ask(int status, const char *method, const char *path, const char *headers,
          const char *body)
{
    if (last_conn.fd >= 0)
        serve_close(&last_conn);
    memset(&last_reply, 0, sizeof(last_reply));
    serve_open(&last_conn);
    serve_send(&last_conn, method, path, headers, body);
    serve_read(&last_conn, &last_reply, strcmp(method, "HEAD") == 0);
    last_conn.bytes[last_conn.len] = '\0';
    ck_assert_msg(last_reply.status == status, "%d instead of %d: %s",
                  last_reply.status, status, last_reply.body);
    return last_reply.body;
}

const struct serve_reply *
serve_last(void)
{
    return &last_reply;
}

void
serve_ask_wrong(int status, const char *code, const char *words,
                const char *method, const char *path, const char *headers,
                const char *body)
{
    const char *answer = serve_ask(status, method, path, headers, body);
    json_t *tree = json_loads(answer, 0, NULL);
    const char *got_code, *got_words, *top_code, *detail;
    int got_status;

    ck_assert_msg(tree != NULL, "no JSON: %s", answer);
    ck_assert_ptr_nonnull(strstr(
        last_reply.headers, "\r\nContent-Type: application/problem+json\r\n"));
    ck_assert_int_eq(json_unpack(tree, "{s:i,s:s,s:s,s:{s:s,s:s !} !}",
                                 "status", &got_status, "code", &top_code,
                                 "detail", &detail, "error", "code", &got_code,
                                 "message", &got_words),
                     0);
    ck_assert_int_eq(got_status, status);
    ck_assert_str_eq(got_code, code);
    ck_assert_str_eq(top_code, code);
    ck_assert_str_eq(detail, got_words);
    ck_assert_msg(strstr(got_words, words) != NULL, "%s", got_words);
    json_decref(tree);
}

const char *
serve_format(const char *format, ...)
{
    static char text[2 << 20];
    va_list args;
    int len;

    va_start(args, format);
    len = vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    ck_assert(len >= 0 && (size_t)len < sizeof(text));
    return text;
}

const char *
serve_letters(size_t n)
{
    static char letters[70000];

    ck_assert_uint_lt(n, sizeof(letters));
    memset(letters, 'x', n);
    letters[n] = '\0';
    return letters;
}

void
serve_expect_refused(struct serve_conn *conn, int status, const char *code,
                     const char *words)
{
    struct serve_reply reply = {0};
    const char *got_code, *got_words;
    int got_status;
    json_t *tree;

    serve_read(conn, &reply, false);
    ck_assert_int_eq(reply.status, status);
    ck_assert_ptr_nonnull(strstr(reply.headers, "\r\nConnection: close\r\n"));
    tree = json_loadb(reply.body, reply.body_len, 0, NULL);
    ck_assert_msg(tree != NULL, "%s", reply.body);
    ck_assert_int_eq(json_unpack(tree, "{s:i,s:{s:s,s:s !}}", "status",
                                 &got_status, "error", "code", &got_code,
                                 "message", &got_words),
                     0);
    ck_assert_int_eq(got_status, status);
    ck_assert_str_eq(got_code, code);
    ck_assert_str_eq(got_words, words);
    json_decref(tree);
    ck_assert(serve_is_closed(conn));
}
