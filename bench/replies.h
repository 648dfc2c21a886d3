/* SPDX-License-Identifier: Apache-2.0 */
/* The replies that the fixed server hands out, made before it listens. */
#ifndef BENCH_REPLIES_H
#define BENCH_REPLIES_H

#include <stddef.h>

#define BENCH_REPLIES 256

/* A whole response, head and body. */
struct bench_reply {
    char *bytes;
    size_t len;
};

/* BENCH_REPLIES different HMS replies with `matches` rows each (about 100
 * bytes a row). */
void bench_replies_hms(struct bench_reply *replies, size_t matches);

/* The same body of `bytes` bytes for each. */
void bench_replies_bytes(struct bench_reply *replies, size_t bytes);

void bench_replies_fini(struct bench_reply *replies);

#endif
