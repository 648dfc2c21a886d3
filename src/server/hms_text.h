/* SPDX-License-Identifier: Apache-2.0 */
/* Texts as HMS keeps them: without white space at the ends. */
#ifndef VECWIRE_SERVER_HMS_TEXT_H
#define VECWIRE_SERVER_HMS_TEXT_H

#include <stddef.h>

/* Number of words of valid UTF-8; *at and *len become where the first begins
 * and what reaches from there to the end of the last, 0 and 0 without any. */
size_t vecwire__hms_words(const char *text, size_t text_len, size_t *at,
                          size_t *len);

#endif
