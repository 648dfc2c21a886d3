/* SPDX-License-Identifier: Apache-2.0 */
#include "call/log.h"

#include <stdarg.h>
#include <stdio.h>

void
vecwire__log(struct vecwire__engine *engine, enum vecwire_log_level level,
             const char *format, ...)
{
    char line[320];
    va_list args;

    if (engine->config.log == NULL)
        return;
    va_start(args, format);
    vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    for (char *c = line; *c != '\0'; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            *c = '?';
    }
    engine->in_hook = true;
    engine->config.log(level, line, engine->config.log_arg);
    engine->in_hook = false;
}
