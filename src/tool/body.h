/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VECWIRE_TOOL_BODY_H
#define VECWIRE_TOOL_BODY_H

#include <stddef.h>

/* A whole file in memory, to be freed by free(). NULL: it could not be read,
 * said so in the name of `command`. */
char *vecwire__body_read(const char *command, const char *path, size_t *len);

#endif
