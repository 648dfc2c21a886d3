/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/body.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/args.h"

/* Far beyond what any server takes; /dev/zero must not fill the memory. */
#define MAX_BODY ((size_t)256 << 20)

char *
vecwire__body_read(const char *command, const char *path, size_t *len)
{
    FILE *file = fopen(path, "rb");
    size_t room = 65536, got;
    char *body = NULL, *larger;
    const char *why = NULL;

    *len = 0;
    if (file == NULL) {
        vecwire__args_complain(command, "%s: %s", path, strerror(errno));
        return NULL;
    }
    body = vecwire__args_alloc(room, 1);
    while (*len < MAX_BODY &&
           (got = fread(body + *len, 1, room - *len, file)) > 0) {
        *len += got;
        if (*len < room || *len >= MAX_BODY)
            continue;
        larger = vecwire__args_alloc(room, 2);
        memcpy(larger, body, *len);
        free(body);
        body = larger;
        room *= 2;
    }
    if (ferror(file) != 0)
        why = strerror(errno);
    else if (*len >= MAX_BODY)
        why = "it is 256 MiB or longer";
    if (why != NULL) {
        vecwire__args_complain(command, "%s: %s", path, why);
        free(body);
        body = NULL;
    }
    fclose(file);
    return body;
}
