/* SPDX-License-Identifier: Apache-2.0 */
#include "server/point_id.h"

#include <string.h>

#include "codec/hex.h"
#include "codec/json_writer.h"
#include "server/json_text.h"

#define UUID_DIGITS 32
#define UUID_TEXT 36 /* with hyphens */
#define URN "urn:uuid:"

/* Is there a hyphen before this byte of the text 8-4-4-4-12? */
static bool
is_hyphen_place(size_t i)
{
    return i == 8 || i == 13 || i == 18 || i == 23;
}

/* Without what is only around it. */
static void
strip(const char **text, size_t *len)
{
    const size_t n = sizeof(URN) - 1;

    if (*len == UUID_TEXT + 2 && (*text)[0] == '{' &&
        (*text)[*len - 1] == '}') {
        *text += 1;
        *len -= 2;
    } else if (*len == UUID_TEXT + n && memcmp(*text, URN, n) == 0) {
        *text += n;
        *len -= n;
    }
}

bool
vecwire__point_id_uuid(struct vecwire__point_id *id, const char *text,
                       size_t len)
{
    size_t n = 0;

    strip(&text, &len);
    if (len != UUID_TEXT && len != UUID_DIGITS)
        return false;
    memset(id, 0, sizeof(*id));
    for (size_t i = 0; i < len; i++) {
        const int value = vecwire__hex_value(text[i]);

        if (len == UUID_TEXT && is_hyphen_place(i)) {
            if (text[i] != '-')
                return false;
            continue;
        }
        if (value < 0)
            return false;
        id->uuid[n / 2] =
            (unsigned char)(id->uuid[n / 2] << 4 | (unsigned char)value);
        n++;
    }
    return true;
}

bool
vecwire__point_id_text(struct vecwire__point_id *id, const char *text,
                       size_t len)
{
    uint64_t number = 0;
    size_t i = 0;

    for (; i < len && text[i] >= '0' && text[i] <= '9'; i++) {
        const uint64_t digit = (uint64_t)(text[i] - '0');

        if (number > (UINT64_MAX - digit) / 10)
            break;
        number = number * 10 + digit;
    }
    if (i == 0 || i < len)
        return vecwire__point_id_uuid(id, text, len);
    memset(id, 0, sizeof(*id));
    id->is_number = true;
    id->number = number;
    return true;
}

bool
vecwire__point_id_json(struct vecwire__point_id *id, const json_t *value)
{
    uint64_t number;

    if (vecwire__json_is_text(value))
        return vecwire__point_id_uuid(id, json_string_value(value),
                                      json_string_length(value));
    if (!vecwire__json_get_u64(value, &number))
        return false;
    memset(id, 0, sizeof(*id));
    id->is_number = true;
    id->number = number;
    return true;
}

int
vecwire__point_id_compare(const struct vecwire__point_id *a,
                          const struct vecwire__point_id *b)
{
    if (a->is_number != b->is_number)
        return a->is_number ? -1 : 1;
    if (a->is_number)
        return (a->number > b->number) - (a->number < b->number);
    return memcmp(a->uuid, b->uuid, sizeof(a->uuid));
}

static uint64_t
rotate(uint64_t word, unsigned by)
{
    return word << by | word >> (64 - by);
}

static void
sip_rounds(uint64_t v[4], unsigned n)
{
    while (n-- > 0) {
        v[0] += v[1];
        v[2] += v[3];
        v[1] = rotate(v[1], 13) ^ v[0];
        v[3] = rotate(v[3], 16) ^ v[2];
        v[0] = rotate(v[0], 32) + v[3];
        v[2] += v[1];
        v[3] = rotate(v[3], 21) ^ v[0];
        v[1] = rotate(v[1], 17) ^ v[2];
        v[2] = rotate(v[2], 32);
    }
}

static void
sip_word(uint64_t v[4], uint64_t word)
{
    v[3] ^= word;
    sip_rounds(v, 2);
    v[0] ^= word;
}

uint64_t
vecwire__point_id_hash(const struct vecwire__point_id *id)
{
    uint64_t v[4] = {0x736f6d6570736575, 0x646f72616e646f6d, 0x6c7967656e657261,
                     0x7465646279746573};
    const uint64_t length = id->is_number ? 8 : sizeof(id->uuid);

    if (id->is_number) {
        sip_word(v, id->number);
    } else {
        for (size_t i = 0; i < sizeof(id->uuid); i += 8) {
            uint64_t word = 0;

            for (unsigned j = 0; j < 8; j++)
                word |= (uint64_t)id->uuid[i + j] << (8 * j);
            sip_word(v, word);
        }
    }
    sip_word(v, length << 56);
    v[2] ^= 0xff;
    sip_rounds(v, 4);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* The 36 bytes of a UUID. */
static void
write_uuid(const struct vecwire__point_id *id, char *text)
{
    static const char digits[] = "0123456789abcdef";
    size_t at = 0;

    for (size_t i = 0; i < sizeof(id->uuid); i++) {
        if (is_hyphen_place(at))
            text[at++] = '-';
        text[at++] = digits[id->uuid[i] >> 4];
        text[at++] = digits[id->uuid[i] & 15];
    }
}

bool
vecwire__point_id_put(struct vecwire__buf *buf,
                      const struct vecwire__point_id *id)
{
    char text[UUID_TEXT + 2];

    if (id->is_number)
        return vecwire__json_put_u64(buf, id->number);
    text[0] = text[UUID_TEXT + 1] = '"';
    write_uuid(id, text + 1);
    return vecwire__buf_add(buf, text, sizeof(text));
}
