/* SPDX-License-Identifier: Apache-2.0 */
/* Qdrant: the order of ids. */
#include "dialect/qdrant.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool
take(const char *text, struct vecwire__id_copy *out)
{
    memset(out, 0, sizeof(*out));
    if (!vecwire__qdrant_id(text, out->text, &out->is_number))
        return false;
    if (out->is_number)
        out->number = strtoull(out->text, NULL, 10);
    return true;
}

static int
compare(const struct vecwire_id *a, const struct vecwire_id *b)
{
    if (a->is_number && b->is_number)
        return (a->number > b->number) - (a->number < b->number);
    if (a->is_number || b->is_number)
        return a->is_number ? -1 : 1;
    /* Of digits in the same places the texts have the order of the bytes. */
    return strcasecmp(a->text, b->text);
}

/* Add one to the hex digits. False: all of them were f. */
static bool
count_up(char *uuid)
{
    for (size_t i = strlen(uuid); i-- > 0;) {
        if (uuid[i] == '-')
            continue;
        if (uuid[i] != 'f') {
            uuid[i] = uuid[i] == '9' ? 'a' : (char)(uuid[i] + 1);
            return true;
        }
        uuid[i] = '0';
    }
    return false;
}

static bool
after(const struct vecwire__id_copy *id, struct vecwire__id_copy *out)
{
    static const char least[] = "00000000-0000-0000-0000-000000000000";

    *out = *id;
    if (!id->is_number)
        return count_up(out->text);
    out->is_number = id->number != UINT64_MAX;
    out->number = out->is_number ? id->number + 1 : 0;
    if (out->is_number)
        snprintf(out->text, sizeof(out->text), "%llu",
                 (unsigned long long)out->number);
    else
        memcpy(out->text, least, sizeof(least));
    return true;
}

const struct vecwire__id_order vecwire__qdrant_id_order = {take, compare,
                                                           after};
