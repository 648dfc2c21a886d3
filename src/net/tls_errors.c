/* SPDX-License-Identifier: Apache-2.0 */
/* A mark in the queue would not do: the handshake clears the queue, mark and
 * all, and SSL_get_error() looks at the oldest error, the host's. */
#include "net/tls_errors.h"

#include <stdio.h>
#include <string.h>

void
vecwire__tls_errors_save(struct vecwire__tls_errors *errors)
{
    const char *file, *function, *data;
    unsigned long code;
    int line, flags;

    while ((code = ERR_get_error_all(&file, &line, &function, &data, &flags)) !=
           0) {
        struct vecwire__tls_error *at = &errors->at[errors->n];

        if (errors->n == VECWIRE__TLS_ERRORS)
            continue;
        at->code = code;
        at->line = line;
        snprintf(at->file, sizeof(at->file), "%s", file);
        snprintf(at->function, sizeof(at->function), "%s", function);
        snprintf(at->data, sizeof(at->data), "%s",
                 (flags & ERR_TXT_STRING) != 0 ? data : "");
        errors->n++;
    }
}

void
vecwire__tls_errors_restore(const struct vecwire__tls_errors *errors)
{
    for (size_t i = 0; i < errors->n; i++) {
        const struct vecwire__tls_error *at = &errors->at[i];

        ERR_new();
        ERR_set_debug(at->file, at->line, at->function);
        if (at->data[0] == '\0')
            ERR_set_error(ERR_GET_LIB(at->code), ERR_GET_REASON(at->code),
                          NULL);
        else
            ERR_set_error(ERR_GET_LIB(at->code), ERR_GET_REASON(at->code), "%s",
                          at->data);
    }
}

void
vecwire__tls_errors_text(char *text, size_t size)
{
    unsigned long code = ERR_peek_error();
    const char *reason = ERR_reason_error_string(code);

    if (ERR_SYSTEM_ERROR(code))
        reason = strerror(ERR_GET_REASON(code));
    snprintf(text, size, "%s", reason != NULL ? reason : "unknown error");
}
