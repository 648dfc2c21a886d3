/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VECWIRE_CODEC_HEX_H
#define VECWIRE_CODEC_HEX_H

/* Value of a hexadecimal digit of either case; -1: it is none. */
static inline int
vecwire__hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

#endif
