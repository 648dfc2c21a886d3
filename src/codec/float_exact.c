/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/float_dec.h"

#include <string.h>

/* Rounding with whole numbers only, for the few decimals that a double leaves
 * in doubt.
 *
 * How many digits matter. A midpoint of two adjacent floats is M * 2^q with an
 * odd M < 2^25 and q >= -150. For q < 0 that is M * 5^-q / 10^-q, and
 * M * 5^150 < 2^25 * 5^150 < 10^113 (7.53 + 104.85 = 112.38 places), so it has
 * at most 113 significant digits; for q >= 0 it is a whole number below 2^128
 * and has at most 39. Cut a number x to its first 120 digits, t <= x < t + u,
 * u a unit of the last place. A midpoint in [t, t + u) has its first digit
 * where t has it, so it is a multiple of u, so it is t itself. Hence x lies
 * above, on or below a midpoint just as t does, but that a tail other than
 * zeros puts x above a midpoint that equals t.
 *
 * How big it gets. t = W * 10^e with W < 10^120 < 2^399 and lead <= 38,
 * lead >= -46, so -165 <= e. For e >= 0, W * 10^e < 10^39. For e < 0 the
 * divisor is 5^-e <= 5^165 < 2^384 (the powers of two go to the exponent).
 * Numerator and divisor are brought to the same length, then each is at most
 * one bit longer: 400 bits. */
#define DIGITS_USED 120
#define LIMBS 13 /* 416 bits */

struct big {
    uint32_t limb[LIMBS]; /* lowest first; those from n on are 0 */
    unsigned n;           /* limbs in use, the last of them not 0 */
};

static void
big_multiply_add(struct big *b, uint32_t factor, uint32_t more)
{
    uint64_t carry = more;

    for (unsigned i = 0; i < b->n; i++) {
        carry += (uint64_t)b->limb[i] * factor;
        b->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry != 0)
        b->limb[b->n++] = (uint32_t)carry;
}

static void
big_multiply_power(struct big *b, uint32_t base, int exponent)
{
    uint32_t factor = 1;

    for (; exponent > 0; exponent--) {
        factor *= base;
        if (factor > UINT32_MAX / base || exponent == 1) {
            big_multiply_add(b, factor, 0);
            factor = 1;
        }
    }
}

static int
big_bits(const struct big *b)
{
    return (int)(b->n * 32) - __builtin_clz(b->limb[b->n - 1]);
}

static void
big_shift(struct big *b, int bits)
{
    unsigned limbs = (unsigned)bits / 32;

    big_multiply_add(b, (uint32_t)1 << bits % 32, 0);
    if (limbs == 0)
        return;
    memmove(b->limb + limbs, b->limb, b->n * sizeof(b->limb[0]));
    memset(b->limb, 0, limbs * sizeof(b->limb[0]));
    b->n += limbs;
}

static bool
big_less(const struct big *a, const struct big *b)
{
    for (unsigned i = LIMBS; i-- > 0;) {
        if (a->limb[i] != b->limb[i])
            return a->limb[i] < b->limb[i];
    }
    return false;
}

/* a -= b, where b <= a. */
static void
big_subtract(struct big *a, const struct big *b)
{
    int64_t borrow = 0;

    for (unsigned i = 0; i < a->n; i++) {
        borrow += (int64_t)a->limb[i] - (int64_t)b->limb[i];
        a->limb[i] = (uint32_t)borrow;
        borrow >>= 32;
    }
    while (a->n > 0 && a->limb[a->n - 1] == 0)
        a->n--;
}

/* The first 120 digits of [p, end) into `w`. Returns how many there were;
 * *tail says whether a later one is not 0. */
static int
digits_collect(const char *p, const char *end, struct big *w, bool *tail)
{
    int used = 0;

    *tail = false;
    for (; p < end && *p != 'e' && *p != 'E'; p++) {
        if (*p == '.')
            continue;
        if (used < DIGITS_USED) {
            big_multiply_add(w, 10, (uint32_t)(*p - '0'));
            used++;
        } else if (*p != '0') {
            *tail = true;
            break;
        }
    }
    return used;
}

/* `count` bits of numerator / divisor, which is in [1, 2); the remainder
 * stays in the numerator. */
static uint32_t
quotient_bits(struct big *numerator, const struct big *divisor, int count)
{
    uint32_t quotient = 0;

    while (count-- > 0) {
        quotient <<= 1;
        if (!big_less(numerator, divisor)) {
            big_subtract(numerator, divisor);
            quotient |= 1;
        }
        big_multiply_add(numerator, 2, 0);
    }
    return quotient;
}

uint32_t
vecwire__float_exact(const char *p, const char *end, int lead)
{
    struct big numerator = {{0}, 0}, divisor = {{1}, 1};
    uint32_t quotient;
    bool tail;
    int decimal, exponent, count, lift;

    decimal = lead + 1 - digits_collect(p, end, &numerator, &tail);
    if (decimal > 0)
        big_multiply_power(&numerator, 5, decimal);
    else
        big_multiply_power(&divisor, 5, -decimal);

    /* the value is numerator / divisor * 2^exponent, the quotient in [1, 2) */
    exponent = decimal;
    lift = big_bits(&divisor) - big_bits(&numerator);
    exponent -= lift;
    if (lift > 0)
        big_shift(&numerator, lift);
    else
        big_shift(&divisor, -lift);
    if (big_less(&numerator, &divisor)) {
        big_multiply_add(&numerator, 2, 0);
        exponent--;
    }
    if (exponent < -150)
        return 0;
    if (exponent > 127)
        return 0x7f800000u;

    /* 24 bits, fewer for a subnormal, and one more to round by */
    count = exponent < -126 ? 150 + exponent : 24;
    quotient = quotient_bits(&numerator, &divisor, count + 1);
    if ((quotient & 1) != 0 &&
        (numerator.n != 0 || tail || (quotient & 2) != 0))
        quotient += 2; /* the carry may go on into the exponent */
    quotient >>= 1;
    if (exponent < -126)
        return quotient;
    return ((uint32_t)(exponent + 126) << 23) + quotient;
}
