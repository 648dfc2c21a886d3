/* SPDX-License-Identifier: Apache-2.0 */
#include "replies.h"

#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROW_ROOM ((size_t)256)
#define HEAD_ROOM ((size_t)160)

static const char *const words[] = {
    "vector", "search",  "index", "recall", "latency", "memory",   "segment",
    "shard",  "replica", "query", "point",  "graph",   "distance", "cosine",
};

/* What a decoder must unescape or check: one text in twelve has one. */
static const char *const odd_words[] = {
    "caf\xc3\xa9",     "\xe6\xa4\x9c\xe7\xb4\xa2", "\xf0\x9f\x94\x8e",
    "line\\nbreak",    "say \\\"hi\\\"",           "tab\\there",
    "\\u00e9t\\u00e9", "\\ud83d\\ude80",           "a\\/b",
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *
pick_word(uint64_t *state, unsigned odd_one_in)
{
    if (bench_random(state) % odd_one_in == 0)
        return odd_words[bench_random(state) % COUNT(odd_words)];
    return words[bench_random(state) % COUNT(words)];
}

/* One match; scores fall with the rank. */
static size_t
put_match(char *text, size_t rank, uint64_t *state)
{
    char score[32];
    double fraction = (double)(bench_random(state) >> 11) * 0x1p-53;
    double value = (0.9 + 0.01 * fraction) / (1.0 + 0.02 * (double)rank);
    const char *kind = words[bench_random(state) % COUNT(words)];
    const char *first = pick_word(state, 12);
    const char *second = pick_word(state, 12);

    bench_float_text(score, (float)value);
    return (size_t)snprintf(
        text, ROW_ROOM,
        "%s{\"id\":\"doc-%u\",\"metadata\":{\"n\":%u,\"kind\":\"%s\"},"
        "\"score\":%s,\"text\":\"%s %s\"}",
        rank > 0 ? "," : "", (unsigned)(bench_random(state) % 10000),
        (unsigned)(bench_random(state) % 100), kind, score, first, second);
}

static void
put_response(struct bench_reply *reply, const char *type, const char *body,
             size_t len)
{
    int head;

    reply->bytes = bench_alloc(1, HEAD_ROOM + len);
    head = snprintf(reply->bytes, HEAD_ROOM,
                    "HTTP/1.1 200 OK\r\nContent-Type: %s\r\n"
                    "Content-Length: %zu\r\n\r\n",
                    type, len);
    memcpy(reply->bytes + head, body, len);
    reply->len = (size_t)head + len;
}

void
bench_replies_hms(struct bench_reply *replies, size_t matches)
{
    char *body = bench_alloc(matches + 1, ROW_ROOM);
    uint64_t state = 1;

    for (size_t i = 0; i < BENCH_REPLIES; i++) {
        char *end = stpcpy(body, "{\"matches\":[");

        for (size_t rank = 0; rank < matches; rank++)
            end += put_match(end, rank, &state);
        end = stpcpy(end, "]}");
        put_response(&replies[i], "application/json", body,
                     (size_t)(end - body));
    }
    free(body);
}

void
bench_replies_bytes(struct bench_reply *replies, size_t bytes)
{
    char *body = bench_alloc(1, bytes + 1);

    memset(body, 'x', bytes);
    put_response(&replies[0], "application/octet-stream", body, bytes);
    for (size_t i = 1; i < BENCH_REPLIES; i++)
        replies[i] = replies[0];
    free(body);
}

void
bench_replies_fini(struct bench_reply *replies)
{
    for (size_t i = 1; i < BENCH_REPLIES; i++) {
        if (replies[i].bytes != replies[0].bytes)
            free(replies[i].bytes);
    }
    free(replies[0].bytes);
}
