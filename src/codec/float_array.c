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

#ifdef VECWIRE__SSE2

/* Whole numbers as most languages print them: "-?D{1,6}.0" or "-?D{1,6}", all
 * of a run in one of the two forms, and all with a blank before them or none.
 * Four are read at a time without a branch on how long they are or what sign
 * they have, as that is anybody's guess. Digits end at the sixth of 8 bytes. */
struct whole_run {
    size_t blank;    /* bytes before a number */
    size_t decimals; /* bytes of ".0" */
    char lead;       /* what stands before a number */
    __m128i most;    /* of each byte, '0' and '.' taken off */
};

#define WHOLE_DIGITS 6
#define WHOLE_BYTES 65 /* a block, and the byte behind it, which is loaded */

/* One of the four: [begin, comma). */
struct whole {
    const char *comma;
    uint32_t negative;
    ptrdiff_t digits;
    ptrdiff_t wrong; /* below 0: not in this run's form */
};

VECWIRE__INLINE struct whole
whole_find(const struct whole_run *run, const char *begin, const char *comma)
{
    const char *s = begin + run->blank;
    uint32_t negative = vecwire__char_is(*s, '-');
    ptrdiff_t digits =
        comma - s - (ptrdiff_t)negative - (ptrdiff_t)run->decimals;
    struct whole w = {comma, negative, digits, 0};

    w.wrong = (digits - 1) | (WHOLE_DIGITS - digits) |
              -(ptrdiff_t)(s[-1] != run->lead);
    return w;
}

/* Two numbers in 16-bit pairs of digits. What is not as it should be is set in
 * *over. */
VECWIRE__INLINE __m128i
whole_pairs(const struct whole_run *run, const struct whole *a,
            const struct whole *b, __m128i *over)
{
    const __m128i zeros = _mm_set1_epi64x(0x302e303030303030);
    const __m128i ones = _mm_set1_epi64x(0x0000000101010101);
    const char *from_a = a->comma - run->decimals - WHOLE_DIGITS;
    const char *from_b = b->comma - run->decimals - WHOLE_DIGITS;
    const uint8_t *masks = vecwire__lane_mask + 16 - WHOLE_DIGITS;
    __m128i v = _mm_castps_si128(
        _mm_loadh_pi(_mm_castsi128_ps(_mm_loadl_epi64(
                         (const __m128i *)(const void *)from_a)),
                     (const __m64 *)(const void *)from_b));
    __m128i mask = _mm_castps_si128(
        _mm_loadh_pi(_mm_castsi128_ps(_mm_loadl_epi64(
                         (const __m128i *)(const void *)(masks + a->digits))),
                     (const __m64 *)(const void *)(masks + b->digits)));
    /* the first of several digits is 1 at least */
    __m128i least =
        _mm_and_si128(_mm_andnot_si128(_mm_slli_epi64(mask, 8), mask), ones);

    v = _mm_and_si128(_mm_sub_epi8(v, zeros), mask);
    *over = _mm_or_si128(*over, _mm_or_si128(_mm_subs_epu8(v, run->most),
                                             _mm_subs_epu8(least, v)));
    return _mm_add_epi16(_mm_mullo_epi16(_mm_and_si128(v, _mm_set1_epi16(0xff)),
                                         _mm_set1_epi16(10)),
                         _mm_srli_epi16(v, 8));
}

/* The four numbers to `out`; false when one is none. */
VECWIRE__INLINE bool
whole_store(const struct whole_run *run, const struct whole *w, float *out)
{
    const __m128i weights = _mm_set1_epi64x(0x0000000100642710);
    __m128i over = _mm_setzero_si128();
    __m128i signs = _mm_set_epi32((int)w[3].negative, (int)w[2].negative,
                                  (int)w[1].negative, (int)w[0].negative);
    __m128 low = _mm_castsi128_ps(
        _mm_madd_epi16(whole_pairs(run, w, w + 1, &over), weights));
    __m128 high = _mm_castsi128_ps(
        _mm_madd_epi16(whole_pairs(run, w + 2, w + 3, &over), weights));
    __m128i value = _mm_add_epi32(
        _mm_castps_si128(_mm_shuffle_ps(low, high, _MM_SHUFFLE(2, 0, 2, 0))),
        _mm_castps_si128(_mm_shuffle_ps(low, high, _MM_SHUFFLE(3, 1, 3, 1))));

    _mm_storeu_ps(out, _mm_or_ps(_mm_cvtepi32_ps(value),
                                 _mm_castsi128_ps(_mm_slli_epi32(signs, 31))));
    return _mm_movemask_epi8(_mm_cmpeq_epi8(over, _mm_setzero_si128())) ==
           0xffff;
}

/* Whole numbers up to four of which one is none in the form of the first, or
 * to the last bytes. `p` and the result are where a number begins. */
static const char *
whole_run(struct array *a, const char *p)
{
    struct whole_run run = {0, 0, ',',
                            _mm_set1_epi64x((long long)0xffff090909090909)};
    size_t n = a->n;
    bool begun = false;

    while (a->end - p >= WHOLE_BYTES && a->room - n >= 4) {
        uint64_t first = vecwire__comma_mask64(p);
        uint64_t second = first & (first - 1);
        uint64_t third = second & (second - 1);
        uint64_t fourth = third & (third - 1);
        const char *comma = p + __builtin_ctzll(first | (uint64_t)1 << 63);
        struct whole w[4];

        if (fourth == 0)
            break;
        if (!begun && *p == ' ') {
            run.blank = 1;
            run.lead = ' ';
        }
        if (!begun && memcmp(comma - 2, ".0", 2) == 0) {
            run.decimals = 2;
            run.most = _mm_set1_epi64x(0x0000090909090909);
        }
        begun = true;
        w[0] = whole_find(&run, p, comma);
        w[1] = whole_find(&run, w[0].comma + 1, p + __builtin_ctzll(second));
        w[2] = whole_find(&run, w[1].comma + 1, p + __builtin_ctzll(third));
        w[3] = whole_find(&run, w[2].comma + 1, p + __builtin_ctzll(fourth));
        if ((w[0].wrong | w[1].wrong | w[2].wrong | w[3].wrong) < 0 ||
            !whole_store(&run, w, a->out + n))
            break;
        n += 4;
        p = w[3].comma + 1;
    }
    a->n = n;
    return p;
}

#endif

/* A token that token_fast() refuses, and all whole numbers behind it when it is
 * a short one itself. Returns `p` if it is refused here, too. */
static VECWIRE__NOINLINE const char *
odd_run(struct array *a, const char *p, const char *comma)
{
    float value;

    if (!vecwire__token_any(p, comma, &value))
        return p;
    a->out[a->n++] = value;
#ifdef VECWIRE__SSE2
    /* what is that short fits 32 bits */
    if (comma - p <= 9 && (float)(int32_t)value == value)
        return whole_run(a, comma + 1);
#endif
    return comma + 1;
}

/* Numbers up to the first that the fast paths refuse, or behind a run of whole
 * ones, or to the last 64 bytes. `p` and the result are where a number
 * begins. */
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
            if (VECWIRE__UNLIKELY(!vecwire__token_fast(p, comma, a->out + n))) {
                a->n = n;
                p = odd_run(a, p, comma);
                if (p != comma + 1)
                    return p;
                n = a->n;
                continue;
            }
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
        (vecwire__token_fast(p, end, &value) ||
         vecwire__token_any(p, end, &value)))
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
