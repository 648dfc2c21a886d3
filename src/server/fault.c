/* SPDX-License-Identifier: Apache-2.0 */
#include "server/fault.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A text that was cut may end within a character, which is no UTF-8. */
static void
cut_to_characters(char *text, size_t len)
{
    size_t at = len;

    while (at > 0 && ((unsigned char)text[at - 1] & 0xC0) == 0x80)
        at--;
    if (at > 0 && ((unsigned char)text[at - 1] & 0xC0) == 0xC0)
        text[at - 1] = '\0';
}

void
vecwire__fault_set(struct vecwire__fault *fault, int status, const char *format,
                   ...)
{
    va_list args;
    int n;

    fault->status = status;
    va_start(args, format);
    n = vsnprintf(fault->text, sizeof(fault->text), format, args);
    va_end(args);
    if (n >= (int)sizeof(fault->text))
        cut_to_characters(fault->text, sizeof(fault->text) - 1);
}

void
vecwire__fault_memory(struct vecwire__fault *fault)
{
    vecwire__fault_set(fault, 500, "Service internal error: no memory");
}
