/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/float_dec.h"

#include "codec/float_token.h"

/* A JSON array of numbers that lies in memory as a whole. */
struct array {
    const char *text; /* no byte before it is read */
    const char *end;  /* nor from here on */
    float *out;
    size_t room;
    size_t n;
};

static const char *
blanks_skip(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r'))
        p++;
    return p;
}

/* Numbers up to the first that the fast paths refuse, or to the last 64
 * bytes. `p` and the result are where a number begins. */
static const char *
masks_run(struct array *a, const char *p)
{
    const char *base = p;
    size_t n = a->n;

    for (; a->end - base >= 64; base += 64) {
        uint64_t mask = vecwire__comma_mask64(base);

        for (; mask != 0; mask &= mask - 1) {
            const char *comma = base + __builtin_ctzll(mask);

            if (n == a->room)
                goto out;
            if (VECWIRE__UNLIKELY(!vecwire__token_fast(p, comma, a->out + n) &&
                                  !vecwire__token_any(p, comma, a->out + n)))
                goto out;
            n++;
            p = comma + 1;
        }
    }
out:
    a->n = n;
    return p;
}

/* Digits at `p` (20 readable bytes) into *w, at most 18 of them. Returns their
 * number, 0 also when there are more. */
static inline unsigned
cursor_digits(const char *p, uint64_t *w)
{
    uint64_t word = vecwire__word_load(p) ^ VECWIRE__ASCII_ZEROS;
    uint64_t stop = vecwire__word_nondigits(word);
    unsigned n = 0, last;

    *w = 0;
    if (stop == 0) {
        *w = vecwire__word_value(word);
        n = 8;
        word = vecwire__word_load(p + 8) ^ VECWIRE__ASCII_ZEROS;
        stop = vecwire__word_nondigits(word);
    }
    if (stop != 0) {
        static const uint32_t pow10[8] = {1,     10,     100,     1000,
                                          10000, 100000, 1000000, 10000000};

        /* the digits before the stop move to the high bytes */
        last = (unsigned)__builtin_ctzll(stop) / 8;
        word = last == 0 ? 0 : word << (64 - 8 * last);
        *w = *w * pow10[last] + vecwire__word_value(word);
        return n + last;
    }
    *w = *w * 100000000u + vecwire__word_value(word);
    for (n = 16; (unsigned)(p[n] - '0') < 10; n++) {
        if (n == 18)
            return 0;
        *w = *w * 10 + (unsigned)(p[n] - '0');
    }
    return n;
}

/* A number "-?0.d{1,18}" at `p`, 24 readable bytes, end not known. Returns its
 * end, NULL for any other form. */
static inline const char *
cursor_fast(const char *p, float *out)
{
    uint32_t negative = vecwire__char_is(*p, '-');
    uint64_t w;
    unsigned n;
    float value;

    p += negative;
    if (memcmp(p, "0.", 2) != 0)
        return NULL;
    n = cursor_digits(p + 2, &w);
    if (n == 0 || vecwire__number_char[(uint8_t)p[2 + n]] != 0 ||
        !vecwire__float_conv(w, -(int)n, &value))
        return NULL;
    *out = vecwire__float_sign(value, negative);
    return p + 2 + n;
}

/* Numbers up to the first that is not in the usual form, or to the last 32
 * bytes, as masks_run() does. */
static const char *
cursor_run(struct array *a, const char *p)
{
    while (a->end - p >= 32 && a->n < a->room) {
        const char *next = cursor_fast(*p == ' ' ? p + 1 : p, a->out + a->n);

        if (next == NULL || *next != ',')
            break;
        a->n++;
        p = next + 1;
    }
    return p;
}

/* The one number at `p`, any form; *at is its end, or the fault. */
static enum vecwire__floats_end
number_one(struct array *a, const char *p, const char **at)
{
    const char *end = p;
    float value;
    int kind;

    *at = p;
    while (end < a->end && vecwire__number_char[(uint8_t)*end] != 0)
        end++;
    if (end < a->end && end - a->text >= VECWIRE__TOKEN_BEHIND && end > p &&
        vecwire__token_fast(p, end, &value))
        kind = 1;
    else
        kind = vecwire__float_read(p, end, &value);
    if (kind == 0)
        return VECWIRE__FLOATS_BAD;
    if (a->n == a->room)
        return VECWIRE__FLOATS_FULL;
    if (kind == 2)
        return VECWIRE__FLOATS_RANGE;
    a->out[a->n++] = value;
    *at = end;
    return VECWIRE__FLOATS_OK;
}

/* What stands before the first number. *at is that number or the fault; true
 * when the array is empty or at fault. */
static bool
array_open(const struct array *a, const char **at,
           enum vecwire__floats_end *result)
{
    const char *p = blanks_skip(a->text, a->end);

    *result = VECWIRE__FLOATS_BAD;
    *at = p;
    if (p == a->end || *p != '[')
        return true;
    *at = p = blanks_skip(p + 1, a->end);
    if (p < a->end && *p == ']') {
        *at = blanks_skip(p + 1, a->end);
        if (*at == a->end)
            *result = VECWIRE__FLOATS_OK;
        return true;
    }
    return false;
}

static inline enum vecwire__floats_end
array_read(struct array *a, bool masks, const char **at)
{
    enum vecwire__floats_end result;

    if (array_open(a, at, &result))
        return result;
    for (;;) {
        const char *p;

        result = number_one(a, *at, at);
        if (result != VECWIRE__FLOATS_OK)
            return result;
        *at = p = blanks_skip(*at, a->end);
        if (p == a->end || (*p != ',' && *p != ']'))
            return VECWIRE__FLOATS_BAD;
        p++;
        if (p[-1] == ']') {
            *at = blanks_skip(p, a->end);
            return *at == a->end ? VECWIRE__FLOATS_OK : VECWIRE__FLOATS_BAD;
        }
        if (!masks)
            p = cursor_run(a, p);
        else if (p - a->text >= VECWIRE__TOKEN_BEHIND)
            p = masks_run(a, p);
        *at = blanks_skip(p, a->end);
    }
}

enum vecwire__floats_end
vecwire__floats_read_masks(const char *p, const char *end, float *out,
                           size_t room, size_t *n, const char **at)
{
    struct array a = {p, end, out, room, 0};
    enum vecwire__floats_end result = array_read(&a, true, at);

    *n = a.n;
    return result;
}

enum vecwire__floats_end
vecwire__floats_read_scalar(const char *p, const char *end, float *out,
                            size_t room, size_t *n, const char **at)
{
    struct array a = {p, end, out, room, 0};
    enum vecwire__floats_end result = array_read(&a, false, at);

    *n = a.n;
    return result;
}

enum vecwire__floats_end
vecwire__floats_read(const char *p, const char *end, float *out, size_t room,
                     size_t *n, const char **at)
{
#ifdef VECWIRE__SSE2
    return vecwire__floats_read_masks(p, end, out, room, n, at);
#else
    return vecwire__floats_read_scalar(p, end, out, room, n, at);
#endif
}
