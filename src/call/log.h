/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VECWIRE_CALL_LOG_H
#define VECWIRE_CALL_LOG_H

#include "call/engine.h"

/* One line to the caller's log, if there is one. Texts that came from the
 * other side are cut of control characters; no header value, key, path or
 * body is ever an argument. */
void vecwire__log(struct vecwire__engine *engine, enum vecwire_log_level level,
                  const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
