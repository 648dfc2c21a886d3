/* SPDX-License-Identifier: Apache-2.0 */
#include "server/qdrant_params.h"

#include <stdint.h>
#include <string.h>

#include "codec/float_dec.h"
#include "codec/json_string.h"

static int
hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool
vecwire__percent_decode(char *text)
{
    char *to = text;

    for (const char *p = text; *p != '\0'; p++) {
        int high = *p == '%' ? hex_digit(p[1]) : -1;
        int low = high >= 0 ? hex_digit(p[2]) : -1;

        if (low < 0) {
            *to++ = *p;
            continue;
        }
        if ((high | low) == 0)
            return false;
        *to++ = (char)(high * 16 + low);
        p += 2;
    }
    *to = '\0';
    return vecwire__utf8_valid(text, (size_t)(to - text));
}

static bool
is_one_of(const char *value, const char *const *words)
{
    for (; *words != NULL; words++) {
        if (strcmp(value, *words) == 0)
            return true;
    }
    return false;
}

static bool
wrong(struct vecwire__fault *fault, int status, const char *name,
      const char *value)
{
    if (status == 422)
        vecwire__fault_set(fault, status,
                           "Validation error in query parameters: [%s: value "
                           "%s invalid, must be 1 or larger]",
                           name, value);
    else
        vecwire__fault_set(fault, status,
                           "Deserialize error in query parameters: invalid "
                           "value of %s: %s",
                           name, value);
    return false;
}

/* A timeout of 0 is beyond the range of administration, and no timeout at all
 * for reading. */
static bool
timeout_check(enum vecwire__qdrant_params kind, const char *value,
              struct vecwire__fault *fault)
{
    uint64_t seconds;

    if (!vecwire__u64_read(value, value + strlen(value), &seconds))
        return wrong(fault, 400, "timeout", value);
    if (seconds == 0 && kind == VECWIRE__PARAMS_READ)
        return wrong(fault, 400, "timeout", value);
    if (seconds == 0 && kind == VECWIRE__PARAMS_ADMIN)
        return wrong(fault, 422, "timeout", value);
    return true;
}

static bool
one_check(enum vecwire__qdrant_params kind, const char *name, const char *value,
          bool *wait, struct vecwire__fault *fault)
{
    static const char *const flags[] = {"true", "false", NULL};
    static const char *const orderings[] = {"weak", "medium", "strong", NULL};
    static const char *const consistencies[] = {"majority", "quorum", "all",
                                                NULL};
    uint64_t number;

    if (strcmp(name, "timeout") == 0)
        return timeout_check(kind, value, fault);
    if (kind == VECWIRE__PARAMS_READ && strcmp(name, "consistency") == 0)
        return is_one_of(value, consistencies) ||
               (vecwire__u64_read(value, value + strlen(value), &number) &&
                number >= 1) ||
               wrong(fault, 400, name, value);
    if (kind != VECWIRE__PARAMS_UPDATE)
        return true;
    if (strcmp(name, "ordering") == 0)
        return is_one_of(value, orderings) || wrong(fault, 400, name, value);
    if (strcmp(name, "wait") != 0)
        return true;
    *wait = strcmp(value, "true") == 0;
    return is_one_of(value, flags) || wrong(fault, 400, name, value);
}

bool
vecwire__qdrant_params_read(enum vecwire__qdrant_params kind, const char *query,
                            bool *wait, struct vecwire__fault *fault)
{
    char part[128];

    *wait = false;
    while (kind != VECWIRE__PARAMS_NONE && query != NULL && *query != '\0') {
        size_t len = strcspn(query, "&");
        char *value;

        /* No longer one is known. */
        if (len < sizeof(part)) {
            memcpy(part, query, len);
            part[len] = '\0';
            value = strchr(part, '=');
            if (value != NULL) {
                *value++ = '\0';
                if (!vecwire__percent_decode(value))
                    return wrong(fault, 400, part, "no UTF-8");
                if (!one_check(kind, part, value, wait, fault))
                    return false;
            }
        }
        query += len;
        query += *query == '&';
    }
    return true;
}
