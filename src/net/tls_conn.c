/* SPDX-License-Identifier: Apache-2.0 */
#include "net/tls.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <openssl/x509v3.h>

#include "codec/mem.h"
#include "net/tls_errors.h"
#include "net/tls_ssl.h"

/* Alerts that say what the server thinks of our certificate: RFC 8446, 6.2,
 * bad_certificate to certificate_unknown, unknown_ca, access_denied and
 * certificate_required. */
static bool
is_about_certificate(int reason)
{
    int alert = reason - SSL_AD_REASON_OFFSET;

    return (alert >= SSL_AD_BAD_CERTIFICATE &&
            alert <= SSL_AD_CERTIFICATE_UNKNOWN) ||
           alert == SSL_AD_UNKNOWN_CA || alert == SSL_AD_ACCESS_DENIED ||
           alert == SSL_AD_CERTIFICATE_REQUIRED;
}

/* Whom to expect. An address has no SNI (RFC 6066, 3). */
static bool
expect(const struct vecwire__tls *tls, SSL *ssl)
{
    if (!tls->address && SSL_set_tlsext_host_name(ssl, tls->host) != 1)
        return false;
    if (tls->insecure)
        return true;
    if (tls->address)
        return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), tls->host) ==
               1;
    SSL_set_hostflags(ssl, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT |
                               X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    return SSL_set1_host(ssl, tls->host) == 1;
}

static bool
make_ssl(struct vecwire__tls_conn *conn)
{
    struct vecwire__tls *tls = conn->tls;
    BIO *bio;

    conn->ssl = SSL_new(tls->ctx);
    if (conn->ssl == NULL || !expect(tls, conn->ssl))
        return false;
    bio = BIO_new(tls->method);
    if (bio == NULL)
        return false;
    BIO_set_data(bio, conn);
    BIO_set_init(bio, 1);
    SSL_set_bio(conn->ssl, bio, bio);
    SSL_set_connect_state(conn->ssl);
    vecwire__tls_session_use(tls, conn->ssl);
    return true;
}

struct vecwire__tls_conn *
vecwire__tls_conn_new(struct vecwire__tls *tls, int fd)
{
    struct vecwire__tls_conn *conn =
        vecwire__mem_zalloc(&tls->mem, sizeof(*conn));
    struct vecwire__tls_errors errors;
    bool made;

    if (conn == NULL)
        return NULL;
    conn->tls = tls;
    conn->fd = fd;
    conn->owner = getpid();
    vecwire__tls_errors_begin(&errors);
    made = make_ssl(conn);
    vecwire__tls_errors_end(&errors);
    if (made)
        return conn;
    vecwire__tls_conn_free(conn);
    return NULL;
}

static bool
can_say_goodbye(const struct vecwire__tls_conn *conn)
{
    return conn->ssl != NULL && SSL_is_init_finished(conn->ssl) &&
           conn->socket_errno == 0 &&
           (conn->end == VECWIRE__TLS_OPEN ||
            conn->end == VECWIRE__TLS_CLOSED) &&
           conn->owner == getpid();
}

void
vecwire__tls_conn_detach(struct vecwire__tls_conn *conn)
{
    conn->fd = -1;
}

void
vecwire__tls_conn_free(struct vecwire__tls_conn *conn)
{
    struct vecwire__tls_errors errors;

    if (conn == NULL)
        return;
    vecwire__tls_errors_begin(&errors);
    if (can_say_goodbye(conn))
        (void)SSL_shutdown(conn->ssl);
    SSL_free(conn->ssl);
    vecwire__tls_errors_end(&errors);
    vecwire__mem_free(&conn->tls->mem, conn, sizeof(*conn));
}

/* The newest error says so: what the cryptography found is before it. */
static bool
is_refused_certificate(const struct vecwire__tls_conn *conn)
{
    unsigned long code = ERR_peek_last_error();

    return !conn->tls->insecure && ERR_GET_LIB(code) == ERR_LIB_SSL &&
           ERR_GET_REASON(code) == SSL_R_CERTIFICATE_VERIFY_FAILED;
}

/* The error queue has the reason, or nothing and the socket has it. */
static void
tell_reason(const struct vecwire__tls_conn *conn, char *why, size_t size)
{
    if (ERR_peek_error() == 0)
        snprintf(why, size, "%s",
                 conn->socket_errno != 0 ? strerror(conn->socket_errno)
                                         : "connection closed");
    else if (is_refused_certificate(conn))
        snprintf(
            why, size, "certificate verify failed: %s",
            X509_verify_cert_error_string(SSL_get_verify_result(conn->ssl)));
    else
        vecwire__tls_errors_text(why, size);
}

static bool
is_eof(unsigned long code)
{
    return ERR_GET_LIB(code) == ERR_LIB_SSL &&
           ERR_GET_REASON(code) == SSL_R_UNEXPECTED_EOF_WHILE_READING;
}

/* The handshake is done: is it what was asked for? OpenSSL has verified the
 * peer by then; asked once more, as all depends on it. Before 3.0.15 it takes
 * a protocol that was not offered. */
static enum vecwire__tls_step
check_up(const struct vecwire__tls_conn *conn, char *why, size_t size)
{
    const unsigned char *protocol;
    unsigned n;

    SSL_get0_alpn_selected(conn->ssl, &protocol, &n);
    if (n != 0 && (n != 8 || memcmp(protocol, "http/1.1", 8) != 0)) {
        snprintf(why, size, "the server chose a protocol that is not HTTP/1.1");
        return VECWIRE__TLS_FAILED;
    }
    if (!conn->tls->insecure &&
        (SSL_get0_peer_certificate(conn->ssl) == NULL ||
         SSL_get_verify_result(conn->ssl) != X509_V_OK)) {
        snprintf(why, size, "the server's certificate was not verified");
        return VECWIRE__TLS_FAILED;
    }
    return VECWIRE__TLS_UP;
}

static enum vecwire__tls_step
shake(struct vecwire__tls_conn *conn, char *why, size_t size)
{
    int rc = SSL_do_handshake(conn->ssl);

    if (rc == 1)
        return check_up(conn, why, size);
    switch (SSL_get_error(conn->ssl, rc)) {
    case SSL_ERROR_WANT_READ:
        return VECWIRE__TLS_WANT_READ;
    case SSL_ERROR_WANT_WRITE:
        return VECWIRE__TLS_WANT_WRITE;
    case SSL_ERROR_SSL:
        tell_reason(conn, why, size);
        return is_eof(ERR_peek_error()) ? VECWIRE__TLS_LOST
                                        : VECWIRE__TLS_FAILED;
    default:
        tell_reason(conn, why, size);
        return VECWIRE__TLS_LOST;
    }
}

enum vecwire__tls_step
vecwire__tls_shake(struct vecwire__tls_conn *conn, char *why, size_t size)
{
    struct vecwire__tls_errors errors;
    enum vecwire__tls_step step;

    vecwire__tls_errors_begin(&errors);
    conn->dry = false;
    step = shake(conn, why, size);
    vecwire__tls_errors_end(&errors);
    if (step == VECWIRE__TLS_LOST || step == VECWIRE__TLS_FAILED)
        conn->end = VECWIRE__TLS_BROKEN;
    return step;
}

/* A read gave nothing: is it the end? */
static void
note_end(struct vecwire__tls_conn *conn, int rc)
{
    unsigned long code;

    switch (SSL_get_error(conn->ssl, rc)) {
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE:
        return;
    case SSL_ERROR_ZERO_RETURN:
        conn->end = VECWIRE__TLS_CLOSED;
        return;
    default:
        break;
    }
    code = ERR_peek_error();
    if (is_eof(code))
        conn->end = VECWIRE__TLS_CUT;
    else if (ERR_GET_LIB(code) == ERR_LIB_SSL &&
             is_about_certificate(ERR_GET_REASON(code)))
        conn->end = VECWIRE__TLS_REFUSED;
    else
        conn->end = VECWIRE__TLS_BROKEN;
    tell_reason(conn, conn->why, sizeof(conn->why));
}

ssize_t
vecwire__tls_read(struct vecwire__tls_conn *conn, void *to, size_t n)
{
    struct vecwire__tls_errors errors;
    char *at = to;
    size_t got = 0;

    if (conn->end != VECWIRE__TLS_OPEN)
        return 0;
    vecwire__tls_errors_begin(&errors);
    conn->dry = false;
    while (got < n && !(conn->dry && SSL_has_pending(conn->ssl) == 0)) {
        size_t want = n - got < INT_MAX ? n - got : INT_MAX;
        int rc = SSL_read(conn->ssl, at + got, (int)want);

        if (rc <= 0) {
            note_end(conn, rc);
            break;
        }
        got += (size_t)rc;
    }
    vecwire__tls_errors_end(&errors);
    if (got > 0)
        return (ssize_t)got;
    errno = EAGAIN;
    return conn->end == VECWIRE__TLS_OPEN ? -1 : 0;
}

ssize_t
vecwire__tls_write(struct vecwire__tls_conn *conn, const void *bytes, size_t n)
{
    struct vecwire__tls_errors errors;
    int error = EAGAIN, rc;

    vecwire__tls_errors_begin(&errors);
    rc = SSL_write(conn->ssl, bytes, (int)(n < INT_MAX ? n : INT_MAX));
    if (rc <= 0) {
        int what = SSL_get_error(conn->ssl, rc);

        if (what != SSL_ERROR_WANT_READ && what != SSL_ERROR_WANT_WRITE)
            error = conn->socket_errno != 0 ? conn->socket_errno : EPIPE;
    }
    vecwire__tls_errors_end(&errors);
    if (rc > 0)
        return rc;
    errno = error;
    return -1;
}

enum vecwire__sight
vecwire__tls_look(struct vecwire__tls_conn *conn)
{
    struct vecwire__tls_errors errors;
    char byte;
    int rc;

    if (conn->end != VECWIRE__TLS_OPEN)
        return VECWIRE__SIGHT_END;
    vecwire__tls_errors_begin(&errors);
    conn->dry = false;
    rc = SSL_peek(conn->ssl, &byte, 1);
    if (rc <= 0)
        note_end(conn, rc);
    vecwire__tls_errors_end(&errors);
    if (rc > 0)
        return VECWIRE__SIGHT_BYTES;
    return conn->end == VECWIRE__TLS_OPEN ? VECWIRE__SIGHT_NOTHING
                                          : VECWIRE__SIGHT_END;
}

bool
vecwire__tls_holds(const struct vecwire__tls_conn *conn)
{
    return SSL_has_pending(conn->ssl) != 0;
}

enum vecwire__tls_end
vecwire__tls_end(const struct vecwire__tls_conn *conn, const char **why)
{
    *why = conn->why;
    return conn->end;
}
