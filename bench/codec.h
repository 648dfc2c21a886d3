/* SPDX-License-Identifier: Apache-2.0 */
/* The codec bench: what is read and written, and by whom. C and C++. */
#ifndef BENCH_CODEC_H
#define BENCH_CODEC_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CODEC_DIM 384
#define CODEC_VECTORS 256
#define CODEC_KINDS 4

/* Readable zero bytes before and behind each text. */
#define CODEC_BEFORE 64
#define CODEC_BEHIND 128

struct codec_text {
    const char *bytes;
    size_t len;
};

/* Different vectors of one kind, and how they are sent. */
struct codec_kind {
    const char *name;
    float *values; /* CODEC_VECTORS rows of CODEC_DIM */
    struct codec_text texts[CODEC_VECTORS];
};

/* Different replies of one kind. */
struct codec_replies {
    const char *name;
    size_t n;
    struct codec_text *texts;
    size_t rows; /* of each reply, */
    size_t dim;  /* and floats of each row */
};

/* What was found in a reply, so that all can be seen to do the same work. */
struct codec_found {
    size_t rows;
    size_t floats;
    size_t id_bytes; /* decoded; of numbers their sum */
    double scores;
};

/* Write a vector as a JSON array; the length. */
typedef size_t (*codec_write)(const float *vector, char *text);

/* Read such an array; the number of floats. */
typedef size_t (*codec_read)(const char *text, size_t len, float *vector);

/* Read a reply: keep ids, texts, scores, vectors; payloads as their text where
 * the peer has a way to. */
typedef void (*codec_reply)(const char *text, size_t len,
                            struct codec_found *found);

/* NULL: it does not do that. `share` is for slow ones: they do every share-th
 * text of each round. */
struct codec_peer {
    const char *name;
    unsigned share;
    codec_write write;
    codec_read read;
    codec_reply hms;
    codec_reply scroll;
};

extern const struct codec_peer codec_vecwire, codec_vecwire_base,
    codec_vecwire_segments, codec_libc, codec_jansson;
#ifdef CODEC_SIMDJSON
extern const struct codec_peer codec_simdjson;
#endif
#ifdef CODEC_PROTOTYPES
extern const struct codec_peer codec_prototype;
void codec_prototype_hms(const char *text, size_t len,
                         struct codec_found *found);
void codec_prototype_scroll(const char *text, size_t len,
                            struct codec_found *found);
#endif

/* Fill in; all are seeded and the same in each run. */
void codec_kinds_make(struct codec_kind *kinds);
void codec_hms_make(struct codec_replies *replies);
void codec_scroll_make(struct codec_replies *replies, const char *name,
                       size_t n, size_t rows, size_t dim);

#ifdef __cplusplus
}
#endif
#endif
