/* SPDX-License-Identifier: Apache-2.0 */
/* A resumed session is not verified again: it is as good as the handshake that
 * made it. So sessions never leave their client, which has one host, one port
 * and one trust. */
#include "net/tls_ssl.h"

#include <string.h>

static void
drop_oldest(struct vecwire__tls *tls)
{
    SSL_SESSION_free(tls->sessions[0]);
    tls->n_sessions--;
    memmove(tls->sessions, tls->sessions + 1,
            tls->n_sessions * sizeof(*tls->sessions));
}

void
vecwire__tls_sessions_free(struct vecwire__tls *tls)
{
    while (tls->n_sessions > 0)
        SSL_SESSION_free(tls->sessions[--tls->n_sessions]);
}

/* Before TLS 1.3 a session may be used again and again. */
static bool
is_for_once(const SSL_SESSION *session)
{
    return SSL_SESSION_get_protocol_version(session) >= TLS1_3_VERSION;
}

/* OpenSSL's, when the server has given one. A copy is kept: what the
 * connection uses itself is spoiled when that ends badly. */
static int
on_session(SSL *ssl, SSL_SESSION *session)
{
    struct vecwire__tls *tls = SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl));
    SSL_SESSION *copy;

    if (!SSL_SESSION_is_resumable(session))
        return 0;
    copy = SSL_SESSION_dup(session);
    if (copy == NULL)
        return 0;
    if (!is_for_once(session))
        vecwire__tls_sessions_free(tls);
    else if (tls->n_sessions == VECWIRE__TLS_SESSIONS)
        drop_oldest(tls);
    tls->sessions[tls->n_sessions++] = copy;
    return 0;
}

void
vecwire__tls_sessions_keep(struct vecwire__tls *tls)
{
    SSL_CTX_set_session_cache_mode(tls->ctx, SSL_SESS_CACHE_CLIENT |
                                                 SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(tls->ctx, on_session);
}

void
vecwire__tls_session_use(struct vecwire__tls *tls, SSL *ssl)
{
    SSL_SESSION *session;

    if (tls->n_sessions == 0)
        return;
    session = tls->sessions[tls->n_sessions - 1];
    if (is_for_once(session))
        tls->n_sessions--;
    else
        session = SSL_SESSION_dup(session);
    /* Without it the handshake is a whole one. */
    if (session != NULL)
        (void)SSL_set_session(ssl, session);
    SSL_SESSION_free(session);
}
