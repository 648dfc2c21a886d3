/* SPDX-License-Identifier: Apache-2.0 */
/* The thread's queue of OpenSSL errors belongs to the host as well: what it
 * left there must neither be lost nor be taken for an error of ours. */
#ifndef VECWIRE_NET_TLS_ERRORS_H
#define VECWIRE_NET_TLS_ERRORS_H

#include <stddef.h>

#include <openssl/err.h>

#define VECWIRE__TLS_ERRORS 16 /* as many as OpenSSL keeps */

struct vecwire__tls_error {
    unsigned long code;
    int line;
    char file[128];
    char function[64];
    char data[160];
};

struct vecwire__tls_errors {
    size_t n;
    struct vecwire__tls_error at[VECWIRE__TLS_ERRORS];
};

/* Out of the queue, and back. */
void vecwire__tls_errors_save(struct vecwire__tls_errors *errors);
void vecwire__tls_errors_restore(const struct vecwire__tls_errors *errors);

/* The reason of the oldest error, for a reader. */
void vecwire__tls_errors_text(char *text, size_t size);

/* Around every use of OpenSSL: the queue is empty in between. */
static inline void
vecwire__tls_errors_begin(struct vecwire__tls_errors *errors)
{
    errors->n = 0;
    if (ERR_peek_error() != 0)
        vecwire__tls_errors_save(errors);
}

static inline void
vecwire__tls_errors_end(const struct vecwire__tls_errors *errors)
{
    if (ERR_peek_error() != 0)
        ERR_clear_error();
    if (errors->n > 0)
        vecwire__tls_errors_restore(errors);
}

#endif
