/* SPDX-License-Identifier: Apache-2.0 */
/* The socket below TLS. OpenSSL's own writes without MSG_NOSIGNAL, alerts in
 * the middle of a read included, and asks an empty socket once more. */
#include <errno.h>
#include <sys/socket.h>

#include "net/tls_ssl.h"

static bool
would_block(int error)
{
    return error == EAGAIN || error == EWOULDBLOCK;
}

static int
socket_read(BIO *bio, char *to, int n)
{
    struct vecwire__tls_conn *conn = BIO_get_data(bio);
    ssize_t got;

    BIO_clear_retry_flags(bio);
    if (conn->dry) {
        BIO_set_retry_read(bio);
        return -1;
    }
    do
        got = recv(conn->fd, to, (size_t)n, MSG_DONTWAIT);
    while (got < 0 && errno == EINTR);
    conn->dry = got > 0 && got < n;
    conn->eof = got == 0;
    if (got >= 0)
        return (int)got;
    if (would_block(errno))
        BIO_set_retry_read(bio);
    else
        conn->socket_errno = errno;
    return -1;
}

static int
socket_write(BIO *bio, const char *bytes, int n)
{
    struct vecwire__tls_conn *conn = BIO_get_data(bio);
    ssize_t put;

    BIO_clear_retry_flags(bio);
    do
        put = send(conn->fd, bytes, (size_t)n, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (put < 0 && errno == EINTR);
    if (put >= 0)
        return (int)put;
    if (would_block(errno))
        BIO_set_retry_write(bio);
    else
        conn->socket_errno = errno;
    return -1;
}

static long
socket_ctrl(BIO *bio, int command, long number, void *arg)
{
    const struct vecwire__tls_conn *conn = BIO_get_data(bio);

    (void)number;
    (void)arg;
    if (command == BIO_CTRL_EOF)
        return conn->eof;
    return command == BIO_CTRL_FLUSH;
}

BIO_METHOD *
vecwire__tls_socket_method(void)
{
    /* Without a number of its own: the process has few of them. */
    BIO_METHOD *method = BIO_meth_new(BIO_TYPE_SOURCE_SINK, "vecwire");

    if (method != NULL && BIO_meth_set_read(method, socket_read) == 1 &&
        BIO_meth_set_write(method, socket_write) == 1 &&
        BIO_meth_set_ctrl(method, socket_ctrl) == 1)
        return method;
    BIO_meth_free(method);
    return NULL;
}
