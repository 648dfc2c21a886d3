/* SPDX-License-Identifier: Apache-2.0 */
/* Qdrant: paths of payload keys: a, a.b, a[].b, a[0].b, "any key".b */
#include "dialect/qdrant.h"

#include <string.h>

#include "codec/json_string.h"

/* Letters and digits of all scripts may stand without quotes; which ones are
 * beyond ASCII is left to the server. */
static bool
is_bare(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           (unsigned char)c >= 0x80;
}

/* What follows a key; NULL: there is none. */
static const char *
skip_key(const char *p)
{
    const char *from = p;

    if (*p == '"') {
        p += 1 + strcspn(p + 1, "\"\\");
        return *p == '"' ? p + 1 : NULL;
    }
    while (is_bare(*p))
        p++;
    return p == from ? NULL : p;
}

/* What follows "[]" or "[n]". */
static const char *
skip_index(const char *p)
{
    const size_t max_digits = 19; /* below 2^64 */
    size_t n = strspn(p + 1, "0123456789");

    p += 1 + n;
    return *p == ']' && n <= max_digits ? p + 1 : NULL;
}

bool
vecwire__qdrant_is_path(const char *path)
{
    const char *p = skip_key(path);

    while (p != NULL && *p != '\0') {
        if (*p == '.')
            p = skip_key(p + 1);
        else
            p = *p == '[' ? skip_index(p) : NULL;
    }
    return p != NULL && vecwire__utf8_valid(path, strlen(path));
}

void
vecwire__qdrant_put_path(struct vecwire__qdrant_writer *w, const char *path,
                         const char *what)
{
    if (path == NULL)
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                               "%s is NULL, expected a payload key", what);
    else if (!vecwire__qdrant_is_path(path))
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                               "%s \"%.64s\": expected a payload key such as "
                               "a.b, a[].b, a[0] or \"any key\".b",
                               what, path);
    else
        vecwire__qdrant_put_str(w, path, what);
}
