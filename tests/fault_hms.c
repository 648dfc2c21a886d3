/* SPDX-License-Identifier: Apache-2.0 */
/* HMS's good answers. */
#include "tests/fault_list.h"

#include <string.h>

static const char matches[] =
    LINE MARKED "Content-Length: 41\r\n\r\n"
                "{\"matches\":[{\"id\":\"" FAULT_MARK "\",\"score\":1.5}]}";
static const char one_added[] = HEAD("11") "{\"added\":1}";
static const char two_added[] = HEAD("11") "{\"added\":2}";
static const char deleted[] = HEAD("16") "{\"deleted\":true}";

static const char *
answer(const char *request)
{
    if (strstr(request, " /api/v1/query ") != NULL)
        return matches;
    if (strstr(request, " /api/v1/documents/batch ") != NULL)
        return two_added;
    if (strncmp(request, "POST /api/v1/documents ", 23) == 0)
        return one_added;
    return strncmp(request, "DELETE /api/v1/documents/", 25) == 0 ? deleted
                                                                  : NULL;
}

const struct fault_dialect fault_hms = {.dialect = VECWIRE_HMS,
                                        .answer = answer};
