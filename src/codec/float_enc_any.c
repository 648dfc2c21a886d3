/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/float_enc.h"

#include <stdbool.h>

/* Any finite float, by one scaled value.
 *
 * A float is c * 2^q. With k = floor(log10(2^q)) the number T = 2^q * 10^-k is
 * in [1, 10), and c * T is the float in units of 10^k: below 2^24 * 10, so 9
 * digits at most. T is held in 4.60 fixed point, cut, which puts c * T off by
 * less than 2^-35. All decimals between the midpoints to the neighbours read
 * back, that is those within h = T / 2 of c * T. Since T < 10 at most one
 * multiple of ten is among them, and if there is one it is the shortest;
 * else the nearest whole number is, as T >= 1.
 *
 * The ends of the interval belong to it for an even c only. They can be whole
 * numbers when they are exact, so h is stretched for an even c and shrunk for
 * an odd one by more than the error: SLACK. That no other case comes so near
 * is not argued but tried: tests/exhaustive_float.c reads every pattern back.
 */
#define SLACK ((uint64_t)1 << 25)
#define TEN ((uint64_t)10 << 60)

#define POWER_FIRST (-31)

/* 10^-31 .. 10^45: the highest 64 bits of each, cut. */
static const uint64_t powers[77] = {
    0x81ceb32c4b43fcf4u, 0xa2425ff75e14fc31u, 0xcad2f7f5359a3b3eu,
    0xfd87b5f28300ca0du, 0x9e74d1b791e07e48u, 0xc612062576589ddau,
    0xf79687aed3eec551u, 0x9abe14cd44753b52u, 0xc16d9a0095928a27u,
    0xf1c90080baf72cb1u, 0x971da05074da7beeu, 0xbce5086492111aeau,
    0xec1e4a7db69561a5u, 0x9392ee8e921d5d07u, 0xb877aa3236a4b449u,
    0xe69594bec44de15bu, 0x901d7cf73ab0acd9u, 0xb424dc35095cd80fu,
    0xe12e13424bb40e13u, 0x8cbccc096f5088cbu, 0xafebff0bcb24aafeu,
    0xdbe6fecebdedd5beu, 0x89705f4136b4a597u, 0xabcc77118461cefcu,
    0xd6bf94d5e57a42bcu, 0x8637bd05af6c69b5u, 0xa7c5ac471b478423u,
    0xd1b71758e219652bu, 0x83126e978d4fdf3bu, 0xa3d70a3d70a3d70au,
    0xccccccccccccccccu, 0x8000000000000000u, 0xa000000000000000u,
    0xc800000000000000u, 0xfa00000000000000u, 0x9c40000000000000u,
    0xc350000000000000u, 0xf424000000000000u, 0x9896800000000000u,
    0xbebc200000000000u, 0xee6b280000000000u, 0x9502f90000000000u,
    0xba43b74000000000u, 0xe8d4a51000000000u, 0x9184e72a00000000u,
    0xb5e620f480000000u, 0xe35fa931a0000000u, 0x8e1bc9bf04000000u,
    0xb1a2bc2ec5000000u, 0xde0b6b3a76400000u, 0x8ac7230489e80000u,
    0xad78ebc5ac620000u, 0xd8d726b7177a8000u, 0x878678326eac9000u,
    0xa968163f0a57b400u, 0xd3c21bcecceda100u, 0x84595161401484a0u,
    0xa56fa5b99019a5c8u, 0xcecb8f27f4200f3au, 0x813f3978f8940984u,
    0xa18f07d736b90be5u, 0xc9f2c9cd04674edeu, 0xfc6f7c4045812296u,
    0x9dc5ada82b70b59du, 0xc5371912364ce305u, 0xf684df56c3e01bc6u,
    0x9a130b963a6c115cu, 0xc097ce7bc90715b3u, 0xf0bdc21abb48db20u,
    0x96769950b50d88f4u, 0xbc143fa4e250eb31u, 0xeb194f8e1ae525fdu,
    0x92efd1b8d0cf37beu, 0xb7abc627050305adu, 0xe596b7b0c643c719u,
    0x8f7e32ce7bea5c6fu, 0xb35dbf821ae4f38bu};

/* c * T: the whole part, its last digit apart, and the fraction. */
struct scaled {
    uint32_t whole;
    uint32_t tens;     /* whole / 10 */
    uint64_t fraction; /* * 2^64 */
    uint64_t rest;     /* c * T mod 10, in 4.60 */
};

/* A decimal: digits * 10^exponent. */
struct decimal {
    uint32_t digits;
    int exponent;
};

/* 2^q / 10^k in 4.60 fixed point. */
static uint64_t
unit_scaled(int q, int k)
{
    /* floor(log2(10^-k)); with q added, how far T's highest bit is up */
    int log2_power = (-k * 217706) >> 16;

    return powers[-k - POWER_FIRST] >> (3 - (log2_power + q));
}

static struct scaled
value_scaled(uint32_t c, uint64_t unit)
{
    /* 28 bits by 64, in two halves so as to need no 128-bit type */
    uint64_t factor = (uint64_t)c << 4;
    uint64_t low = factor * (uint32_t)unit;
    uint64_t high = factor * (unit >> 32) + (low >> 32);
    struct scaled s;

    s.whole = (uint32_t)(high >> 32);
    s.tens = s.whole / 10;
    s.fraction = high << 32 | (uint32_t)low;
    s.rest = (uint64_t)(s.whole - s.tens * 10) << 60 | s.fraction >> 4;
    return s;
}

/* Both neighbours at the same distance. */
static uint32_t
shortest_even(uint32_t c, uint64_t unit)
{
    struct scaled s = value_scaled(c, unit);
    uint64_t half = (unit >> 1) + ((c & 1) != 0 ? -SLACK : SLACK);

    if (s.rest <= half)
        return s.tens * 10;
    if (s.rest >= TEN - half)
        return (s.tens + 1) * 10;
    /* to nearest, ties to even */
    return s.whole + (s.fraction > ((uint64_t)1 << 63) - (s.whole & 1));
}

/* A power of two: the neighbour below is at half the distance. */
static struct decimal
shortest_uneven(uint64_t unit, int k)
{
    const uint64_t one = (uint64_t)1 << 60;
    struct scaled s = value_scaled((uint32_t)1 << 23, unit);
    uint64_t below = (unit >> 2) + SLACK, above = (unit >> 1) + SLACK;
    uint64_t part = s.fraction >> 4;
    bool down = part <= below, up = one - part <= above;

    if (s.rest >= TEN - above)
        return (struct decimal){(s.tens + 1) * 10, k};
    if (s.rest <= below)
        return (struct decimal){s.tens * 10, k};
    if (down && up)
        up = s.fraction > ((uint64_t)1 << 63) - (s.whole & 1);
    if (down || up)
        return (struct decimal){s.whole + up, k};
    /* no whole number fits: one digit more */
    part *= 10;
    return (struct decimal){s.whole * 10 + (uint32_t)(part >> 60) +
                                (uint32_t)(part >> 59 & 1),
                            k - 1};
}

/* Digits of a float > 0 without zeros at their end. */
static struct decimal
shortest(uint32_t bits)
{
    uint32_t biased = bits >> 23, c = bits & 0x7fffff;
    int q = (int)(biased > 1 ? biased : 1) - 150;
    int k = (q * 1262611) >> 22; /* floor(log10(2^q)) */
    uint64_t unit = unit_scaled(q, k);
    struct decimal d;

    if (c == 0 && biased > 1)
        d = shortest_uneven(unit, k);
    else
        d = (struct decimal){
            shortest_even(biased == 0 ? c : c | 0x800000, unit), k};
    while (d.digits % 10 == 0) {
        d.digits /= 10;
        d.exponent++;
    }
    return d;
}

/* The last n of `digits` to `text`; returns the end. */
static char *
digits_write(char *text, uint32_t digits, int n)
{
    for (char *p = text + n; p > text; digits /= 10)
        *--p = (char)('0' + digits % 10);
    return text + n;
}

static char *
zeros_write(char *text, int n)
{
    memset(text, '0', (size_t)n);
    return text + n;
}

/* Split `digits` behind the first n - decimals of them by a point. */
static char *
point_write(char *text, uint32_t digits, int n, int decimals)
{
    uint32_t divisor = 1;

    if (decimals == 0)
        return digits_write(text, digits, n);
    for (int i = 0; i < decimals; i++)
        divisor *= 10;
    text = digits_write(text, digits / divisor, n - decimals);
    *text++ = '.';
    return digits_write(text, digits % divisor, decimals);
}

static char *
scientific_write(char *text, uint32_t digits, int n, int exponent)
{
    text = point_write(text, digits, n, n - 1);
    *text++ = 'e';
    if (exponent < 0) {
        *text++ = '-';
        exponent = -exponent;
    }
    return digits_write(text, (uint32_t)exponent, exponent < 10 ? 1 : 2);
}

static int
digits_count(uint32_t digits)
{
    int n = 1;

    for (; digits >= 10; digits /= 10)
        n++;
    return n;
}

char *
vecwire__float_write_any(char *text, uint32_t bits)
{
    struct decimal d;
    int n, before, lead, scientific;

    if (bits == 0) {
        *text = '0';
        return text + 1;
    }
    d = shortest(bits);
    n = digits_count(d.digits);
    before = n + d.exponent; /* places before the point */
    lead = before - 1;
    scientific = n + (n > 1) + 2 + (lead < 0) + (lead < -9 || lead > 9);
    if (before > n && before <= scientific)
        return zeros_write(digits_write(text, d.digits, n), before - n);
    if (before > 0 && before <= n)
        return point_write(text, d.digits, n, n - before);
    if (before <= 0 && (bits >= 0x37800000u || 2 - d.exponent <= scientific)) {
        *text++ = '0';
        *text++ = '.';
        return digits_write(zeros_write(text, -before), d.digits, n);
    }
    return scientific_write(text, d.digits, n, lead);
}
