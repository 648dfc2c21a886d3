/* SPDX-License-Identifier: Apache-2.0 */
#include "server/hms_text.h"

#include <stdbool.h>

/* Length of the white space character (Unicode's White_Space) that begins
 * here, 0 when it is none. */
static size_t
blank_len(const unsigned char *p, size_t n)
{
    if (*p == ' ' || (*p >= '\t' && *p <= '\r'))
        return 1;
    if (n >= 2 && p[0] == 0xc2 && (p[1] == 0x85 || p[1] == 0xa0))
        return 2; /* U+0085, U+00A0 */
    if (n < 3)
        return 0;
    switch ((unsigned)p[0] << 16 | (unsigned)p[1] << 8 | p[2]) {
    case 0xe19a80: /* U+1680 */
    case 0xe280a8: /* U+2028 */
    case 0xe280a9: /* U+2029 */
    case 0xe280af: /* U+202F */
    case 0xe2819f: /* U+205F */
    case 0xe38080: /* U+3000 */
        return 3;
    default: /* U+2000 to U+200A */
        return p[0] == 0xe2 && p[1] == 0x80 && p[2] >= 0x80 && p[2] <= 0x8a ? 3
                                                                            : 0;
    }
}

size_t
vecwire__hms_words(const char *text, size_t text_len, size_t *at, size_t *len)
{
    const unsigned char *p = (const unsigned char *)text;
    size_t n_words = 0, i = 0;
    bool inside = false;

    *at = *len = 0;
    while (i < text_len) {
        size_t blank = blank_len(p + i, text_len - i);

        if (blank > 0) {
            inside = false;
            i += blank;
            continue;
        }
        if (!inside && n_words++ == 0)
            *at = i;
        inside = true;
        *len = ++i - *at;
    }
    return n_words;
}
