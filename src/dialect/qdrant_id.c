/* SPDX-License-Identifier: Apache-2.0 */
/* Qdrant: ids and names. */
#include "dialect/qdrant.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "codec/hex.h"
#include "codec/json_string.h"
#include "codec/json_writer.h"

#define UUID_DIGITS 32

/* 32 digits, or with the hyphens of 8-4-4-4-12. */
static bool
copy_uuid(const char *text, size_t len, char *out)
{
    static const char digits[] = "0123456789abcdef";
    bool hyphens = len == UUID_DIGITS + 4;

    if (len != UUID_DIGITS && !hyphens)
        return false;
    for (size_t i = 0; i < UUID_DIGITS + 4; i++) {
        bool hyphen = i == 8 || i == 13 || i == 18 || i == 23;
        int digit;

        if (hyphen) {
            if (hyphens && *text++ != '-')
                return false;
            *out++ = '-';
            continue;
        }
        digit = vecwire__hex_value(*text++);
        if (digit < 0)
            return false;
        *out++ = digits[digit];
    }
    *out = '\0';
    return true;
}

static bool
copy_number(const char *text, size_t len, char *out)
{
    static const char most[] = "18446744073709551615";

    if (len == 0 || strspn(text, "0123456789") != len)
        return false;
    while (len > 1 && *text == '0') {
        text++;
        len--;
    }
    if (len > sizeof(most) - 1 ||
        (len == sizeof(most) - 1 && strcmp(text, most) > 0))
        return false;
    memcpy(out, text, len + 1);
    return true;
}

void
vecwire__qdrant_number(uint64_t number, char out[VECWIRE__QDRANT_ID_ROOM])
{
    snprintf(out, VECWIRE__QDRANT_ID_ROOM, "%" PRIu64, number);
}

bool
vecwire__qdrant_id(const char *text, char out[VECWIRE__QDRANT_ID_ROOM],
                   bool *is_number)
{
    size_t len = strlen(text);

    *is_number = len < UUID_DIGITS && copy_number(text, len, out);
    if (*is_number)
        return true;
    if (strncmp(text, "urn:uuid:", 9) == 0) {
        text += 9;
        len -= 9;
        return len == UUID_DIGITS + 4 && copy_uuid(text, len, out);
    }
    if (len >= 2 && text[0] == '{' && text[len - 1] == '}') {
        text++;
        len -= 2;
        return len == UUID_DIGITS + 4 && copy_uuid(text, len, out);
    }
    return copy_uuid(text, len, out);
}

void
vecwire__qdrant_put_id(struct vecwire__qdrant_writer *w, const char *text,
                       const uint64_t *number)
{
    char id[VECWIRE__QDRANT_ID_ROOM];
    bool is_number;

    if (w->err != VECWIRE_OK)
        return;
    if (number != NULL) {
        vecwire__qdrant_put_u64(w, *number);
    } else if (text == NULL) {
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL, "id is NULL");
    } else if (!vecwire__qdrant_id(text, id, &is_number)) {
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                               "id \"%.48s\": expected a number 0 to 2^64-1 or "
                               "a UUID",
                               text);
    } else {
        vecwire__qdrant_put(w, is_number ? "" : "\"");
        vecwire__qdrant_put(w, id);
        vecwire__qdrant_put(w, is_number ? "" : "\"");
    }
}

void
vecwire__qdrant_put_ids(struct vecwire__qdrant_writer *w,
                        const char *const *ids, const uint64_t *numbers,
                        size_t rows)
{
    size_t row = w->row;

    if (w->err != VECWIRE_OK)
        return;
    if ((ids == NULL) == (numbers == NULL) || rows == 0) {
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                               rows == 0 ? "no ids, expected at least 1"
                                         : "expected either ids or numbers");
        return;
    }
    vecwire__qdrant_put(w, "[");
    for (size_t i = 0; i < rows && w->err == VECWIRE_OK; i++) {
        w->row = i;
        vecwire__qdrant_comma(w);
        vecwire__qdrant_put_id(w, ids == NULL ? NULL : ids[i],
                               numbers == NULL ? NULL : &numbers[i]);
    }
    w->row = row;
    vecwire__qdrant_put(w, "]");
}

/* Characters that no name may have. */
static bool
has_forbidden(const char *name)
{
    return strpbrk(name, "<>:\"/\\|?*\x1f") != NULL;
}

static size_t
count_characters(const char *text)
{
    size_t n = 0;

    for (; *text != '\0'; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

void
vecwire__qdrant_check_name(struct vecwire__qdrant_writer *w, const char *name,
                           const char *what)
{
    size_t n;

    if (w->err != VECWIRE_OK)
        return;
    if (name == NULL || !vecwire__utf8_valid(name, strlen(name))) {
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                               name == NULL ? "%s is NULL, expected a name"
                                            : "%s is not UTF-8",
                               what);
        return;
    }
    n = count_characters(name);
    if (n == 0 || has_forbidden(name))
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                               n == 0 ? "%s is empty, expected a name"
                                      : "%s has one of < > : \" / \\ | ? * or "
                                        "U+001F",
                               what);
    else if (n > VECWIRE__QDRANT_MAX_NAME)
        vecwire__qdrant_refuse(w, VECWIRE_ETOOBIG,
                               "%s of %zu characters, Qdrant takes at most %d",
                               what, n, VECWIRE__QDRANT_MAX_NAME);
}

void
vecwire__qdrant_check_vector_name(struct vecwire__qdrant_writer *w,
                                  const char *name, const char *what)
{
    size_t len;

    /* "" is a name: that of the unnamed vector. */
    if (w->err != VECWIRE_OK || name == NULL)
        return;
    len = strlen(name);
    if (len > VECWIRE__QDRANT_MAX_VECTOR_NAME)
        vecwire__qdrant_refuse(w, VECWIRE_ETOOBIG,
                               "%s of %zu bytes, Qdrant takes at most %d", what,
                               len, VECWIRE__QDRANT_MAX_VECTOR_NAME);
    else if (has_forbidden(name))
        vecwire__qdrant_refuse(w, VECWIRE_EINVAL,
                               "%s has one of < > : \" / \\ | ? * or U+001F",
                               what);
}
