/* SPDX-License-Identifier: Apache-2.0 */
/* The server of src/server on a thread of its own, and a blocking client that
 * sends what it is told to, byte by byte. Every failure fails the test. */
#ifndef VECWIRE_TESTS_SERVE_CLIENT_H
#define VECWIRE_TESTS_SERVE_CLIENT_H

#include <stdbool.h>
#include <stddef.h>

#include "server/server.h"

/* Run a server; one at a time. */
void serve_start(const struct vecwire__server_options *options);

/* Stop it, and free everything. */
void serve_stop(void);

const char *serve_url(void);

/* Milliseconds that the server has computed so far. */
unsigned serve_cpu_ms(void);

/* One connection. */
struct serve_conn {
    int fd;
    char *bytes; /* read, not yet consumed */
    size_t len;
    size_t cap;
};

/* A reply; valid until the next one of the same connection, or its end. */
struct serve_reply {
    int status;
    char headers[2048]; /* status line and all */
    const char *body;   /* a NUL stands behind it */
    size_t body_len;
};

void serve_open(struct serve_conn *conn);
void serve_close(struct serve_conn *conn);
void serve_write(struct serve_conn *conn, const void *bytes, size_t len);

/* Send a request. `headers` are whole lines, or NULL. Content-Length is added
 * when there is a body (NULL: none). */
void serve_send(struct serve_conn *conn, const char *method, const char *path,
                const char *headers, const char *body);

/* Read the next reply. `head`: it has no body, whatever its headers say. */
void serve_read(struct serve_conn *conn, struct serve_reply *reply, bool head);

/* Has the server closed it, with nothing more to read? Waits for that. */
bool serve_is_closed(struct serve_conn *conn);

/* Send a request on a connection of its own and fail unless the status is
 * `status`. Returns the body, valid until the next call. */
const char *serve_ask(int status, const char *method, const char *path,
                      const char *headers, const char *body);

/* Fail unless the request gets this status and an error body with this code
 * and a message that contains `words`. */
void serve_ask_wrong(int status, const char *code, const char *words,
                     const char *method, const char *path, const char *headers,
                     const char *body);

/* Fail unless the next answer has this status, code and text, and the
 * connection is closed behind it. */
void serve_expect_refused(struct serve_conn *conn, int status, const char *code,
                          const char *words);

/* As printf(), into one static buffer of 2 MiB. */
__attribute__((format(printf, 1, 2))) const char *
serve_format(const char *format, ...);

/* A text of `n` letters, n < 70000; static. */
const char *serve_letters(size_t n);

/* What serve_ask() got. */
const struct serve_reply *serve_last(void);

#endif
