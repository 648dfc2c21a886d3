/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/body.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/args.h"

char *
vecwire__body_read(const char *command, const char *path, size_t *len)
{
    FILE *file = fopen(path, "rb");
    size_t room = 65536, got;
    char *body = NULL, *larger;
    bool fine;

    *len = 0;
    if (file == NULL) {
        vecwire__args_complain(command, "%s: %s", path, strerror(errno));
        return NULL;
    }
    body = vecwire__args_alloc(room, 1);
    while ((got = fread(body + *len, 1, room - *len, file)) > 0) {
        *len += got;
        if (*len < room)
            continue;
        larger = vecwire__args_alloc(room, 2);
        memcpy(larger, body, *len);
        free(body);
        body = larger;
        room *= 2;
    }
    fine = ferror(file) == 0;
    if (!fine) {
        vecwire__args_complain(command, "%s: %s", path, strerror(errno));
        free(body);
        body = NULL;
    }
    fclose(file);
    return body;
}
