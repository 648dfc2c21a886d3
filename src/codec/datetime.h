/* SPDX-License-Identifier: Apache-2.0 */
/* Times in payloads: RFC 3339, and what Qdrant takes besides. */
#ifndef VECWIRE_CODEC_DATETIME_H
#define VECWIRE_CODEC_DATETIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 2024-02-29, or with a time behind T or a blank: 12:30, 12:30:15, 12:30:15.5,
 * and a zone: Z, +02:00, +0200, +02; without one it is UTC. Microseconds since
 * 1970. False: it is no time. */
bool vecwire__datetime_parse(const char *text, size_t len,
                             int64_t *microseconds);

#endif
