/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/fault_tls.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

#include <openssl/err.h>
#include <openssl/ssl.h>

#include "net/tls_errors.h"

struct fault_tls {
    SSL *ssl;
    BIO *in, *out; /* ssl's */
    size_t left;   /* bytes that may still go over the socket */
    int fd;
};

struct fault_tls *
fault_tls_new(SSL_CTX *ctx, int fd, size_t limit)
{
    struct fault_tls *tls = calloc(1, sizeof(*tls));

    assert(tls != NULL);
    tls->ssl = SSL_new(ctx);
    tls->in = BIO_new(BIO_s_mem());
    tls->out = BIO_new(BIO_s_mem());
    assert(tls->ssl != NULL && tls->in != NULL && tls->out != NULL);
    BIO_set_mem_eof_return(tls->in, -1);
    SSL_set_bio(tls->ssl, tls->in, tls->out);
    SSL_set_accept_state(tls->ssl);
    tls->fd = fd;
    tls->left = limit;
    return tls;
}

void
fault_tls_free(struct fault_tls *tls)
{
    if (tls != NULL)
        SSL_free(tls->ssl);
    free(tls);
}

bool
fault_tls_flush(struct fault_tls *tls)
{
    char *bytes;
    long n;

    while ((n = BIO_get_mem_data(tls->out, &bytes)) > 0 && tls->left > 0) {
        size_t want = (size_t)n < tls->left ? (size_t)n : tls->left;
        ssize_t put = send(tls->fd, bytes, want, MSG_NOSIGNAL);
        char skipped[4096];

        if (put < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return false;
        if (put < 0) {
            tls->left = 0; /* the client is gone */
            return true;
        }
        tls->left -= (size_t)put;
        for (ssize_t at = 0; at < put;) {
            size_t part = (size_t)(put - at) < sizeof(skipped)
                              ? (size_t)(put - at)
                              : sizeof(skipped);

            at += BIO_read(tls->out, skipped, (int)part);
        }
    }
    return true;
}

/* From the socket into memory. False: the client is gone. */
static bool
feed(struct fault_tls *tls)
{
    char bytes[16384];
    ssize_t n = recv(tls->fd, bytes, sizeof(bytes), MSG_DONTWAIT);

    if (n > 0)
        BIO_write(tls->in, bytes, (int)n);
    return n > 0 || (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK));
}

static bool
wants_more(const struct fault_tls *tls, int rc)
{
    return SSL_get_error(tls->ssl, rc) == SSL_ERROR_WANT_READ;
}

static enum fault_shake
shake(struct fault_tls *tls)
{
    bool here = feed(tls);
    int rc = SSL_do_handshake(tls->ssl);
    bool more = rc != 1 && wants_more(tls, rc);

    fault_tls_flush(tls);
    if (rc == 1)
        return FAULT_SHAKE_DONE;
    return here && more ? FAULT_SHAKE_MORE : FAULT_SHAKE_FAILED;
}

static ssize_t
read_some(struct fault_tls *tls, void *to, size_t n)
{
    bool here = feed(tls);
    size_t got = 0;
    int rc = 1;

    while (got < n) {
        rc = SSL_read(tls->ssl, (char *)to + got, (int)(n - got));
        if (rc <= 0)
            break;
        got += (size_t)rc;
    }
    fault_tls_flush(tls);
    if (got > 0)
        return (ssize_t)got;
    if (!wants_more(tls, rc) || !here)
        return 0;
    errno = EAGAIN;
    return -1;
}

static ssize_t
send_some(struct fault_tls *tls, const void *bytes, size_t n)
{
    int rc;

    if (!fault_tls_flush(tls)) {
        errno = EAGAIN;
        return -1;
    }
    if (tls->left == 0)
        return (ssize_t)n;
    rc = SSL_write(tls->ssl, bytes, (int)(n < 65536 ? n : 65536));
    fault_tls_flush(tls);
    errno = EPIPE;
    return rc > 0 ? rc : -1;
}

/* A test may look at what the library leaves in the queue of errors. */

enum fault_shake
fault_tls_shake(struct fault_tls *tls)
{
    struct vecwire__tls_errors errors;
    enum fault_shake result;

    vecwire__tls_errors_begin(&errors);
    result = shake(tls);
    vecwire__tls_errors_end(&errors);
    return result;
}

ssize_t
fault_tls_read(struct fault_tls *tls, void *to, size_t n)
{
    struct vecwire__tls_errors errors;
    ssize_t result;
    int error;

    vecwire__tls_errors_begin(&errors);
    result = read_some(tls, to, n);
    error = errno;
    vecwire__tls_errors_end(&errors);
    errno = error;
    return result;
}

ssize_t
fault_tls_send(struct fault_tls *tls, const void *bytes, size_t n)
{
    struct vecwire__tls_errors errors;
    ssize_t result;
    int error;

    vecwire__tls_errors_begin(&errors);
    result = send_some(tls, bytes, n);
    error = errno;
    vecwire__tls_errors_end(&errors);
    errno = error;
    return result;
}

bool
fault_tls_spent(const struct fault_tls *tls)
{
    return tls->left == 0;
}

void
fault_tls_new_keys(struct fault_tls *tls)
{
    struct vecwire__tls_errors errors;

    vecwire__tls_errors_begin(&errors);
    if (SSL_version(tls->ssl) >= TLS1_3_VERSION)
        SSL_key_update(tls->ssl, SSL_KEY_UPDATE_REQUESTED);
    else
        SSL_renegotiate(tls->ssl);
    SSL_do_handshake(tls->ssl);
    fault_tls_flush(tls);
    vecwire__tls_errors_end(&errors);
}

void
fault_tls_bye(struct fault_tls *tls)
{
    struct vecwire__tls_errors errors;

    vecwire__tls_errors_begin(&errors);
    SSL_shutdown(tls->ssl);
    fault_tls_flush(tls);
    vecwire__tls_errors_end(&errors);
}

bool
fault_tls_resumed(const struct fault_tls *tls)
{
    return SSL_session_reused(tls->ssl) != 0;
}

const char *
fault_tls_sni(const struct fault_tls *tls)
{
    const char *name = SSL_get_servername(tls->ssl, TLSEXT_NAMETYPE_host_name);

    return name == NULL ? "" : name;
}

bool
fault_tls_said_bye(const struct fault_tls *tls)
{
    return (SSL_get_shutdown(tls->ssl) & SSL_RECEIVED_SHUTDOWN) != 0;
}
