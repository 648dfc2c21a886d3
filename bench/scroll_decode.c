/* SPDX-License-Identifier: Apache-2.0 */
/* Decoding of pages of a scroll, by one peer a process: bench/run-scroll runs
 * all of them in turn. A file has a page a line, all different, so that no
 * predictor learns one by heart.
 *
 * scroll_decode make ROWS DIM PAGES FILE
 * scroll_decode vecwire|vecwire-kept|prototype FILE ROWS MS */
#include "codec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "bench.h"
#include "codec/mem.h"
#include "dialect/qdrant.h"

/* As the network hands it over. */
#define SEGMENT ((size_t)64 << 10)
#define DEPTH 131

static char *
read_file(const char *path, size_t *len)
{
    FILE *in = fopen(path, "rb");
    char *bytes;
    long size;

    if (in == NULL || fseek(in, 0, SEEK_END) != 0 || (size = ftell(in)) < 0)
        bench_die("%s cannot be read", path);
    rewind(in);
    *len = (size_t)size;
    bytes = bench_alloc(*len + CODEC_BEFORE + CODEC_BEHIND, 1);
    if (fread(bytes + CODEC_BEFORE, 1, *len, in) != *len)
        bench_die("%s cannot be read", path);
    fclose(in);
    return bytes + CODEC_BEFORE;
}

static void
make(size_t rows, size_t dim, size_t pages, const char *path)
{
    struct codec_replies replies;
    FILE *out = fopen(path, "wb");

    if (out == NULL)
        bench_die("%s cannot be written", path);
    codec_scroll_make(&replies, "page", pages, rows, dim);
    for (size_t i = 0; i < pages; i++) {
        fwrite(replies.texts[i].bytes, 1, replies.texts[i].len, out);
        fputc('\n', out);
    }
    if (fclose(out) != 0)
        bench_die("%s cannot be written", path);
}

/* `kept`: as calls that follow each other use one reply again. */
static void
decode(const char *text, size_t len, size_t rows, bool kept,
       struct codec_found *found)
{
    static struct vecwire__json_reader reader;
    static struct vecwire_reply *reply;
    const struct vecwire__decoding *decoding = &vecwire__qdrant_page_decoding;
    size_t n = 0, dim = 0;

    if (reply == NULL)
        reply = vecwire__reply_new(&vecwire__mem_libc);
    else
        vecwire__reply_reset(reply);
    if (reply == NULL)
        bench_die("out of memory");
    reply->max_rows = rows;
    vecwire__json_init(&reader, decoding->table, decoding->sink, reply,
                       &reply->texts, DEPTH);
    for (size_t at = 0; at < len; at += SEGMENT)
        (void)vecwire__json_feed(&reader, text + at,
                                 len - at < SEGMENT ? len - at : SEGMENT);
    if (vecwire__json_finish(&reader) != VECWIRE__JSON_DONE)
        bench_die("page not read at %llu", (unsigned long long)reader.offset);
    vecwire__reply_settle(reply);
    if (vecwire_reply_matrix(reply, &n, &dim) == NULL)
        bench_die("the page's vectors are no matrix");
    found->rows += n;
    found->floats += n * dim;
    for (size_t i = 0; i < n; i++)
        found->id_bytes += (size_t)vecwire_reply_row(reply, i)->id.number;
    if (!kept) {
        vecwire__reply_release(reply);
        reply = NULL;
    }
}

static void
decode_once(const char *peer, const char *text, size_t len, size_t rows,
            struct codec_found *found)
{
    if (strcmp(peer, "vecwire") == 0)
        decode(text, len, rows, false, found);
    else if (strcmp(peer, "vecwire-kept") == 0)
        decode(text, len, rows, true, found);
#ifdef CODEC_PROTOTYPES
    else if (strcmp(peer, "prototype") == 0)
        codec_prototype_scroll(text, len, found);
#endif
    else
        bench_die("no such peer: %s", peer);
}

static long
peak_kb(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

static void
measure(const char *peer, const char *path, size_t rows, uint64_t least_ms)
{
    struct codec_found found = {0};
    size_t len, at = 0;
    const char *text = read_file(path, &len);
    size_t first = (size_t)((const char *)memchr(text, '\n', len) - text);
    long before = peak_kb(), peak;
    uint64_t begin, loops = 0;

    decode_once(peer, text, first, rows, &found);
    peak = peak_kb() - before;
    begin = bench_now_ns();
    do {
        const char *end = memchr(text + at, '\n', len - at);
        size_t n = (size_t)(end - text) - at;

        decode_once(peer, text + at, n, rows, &found);
        at = at + n + 1 == len ? 0 : at + n + 1;
        loops++;
    } while (bench_now_ns() - begin < least_ms * 1000000);
    printf("%.0f %ld %zu %zu\n",
           (double)(bench_now_ns() - begin) / (double)loops, peak,
           found.rows / (loops + 1), found.floats / (loops + 1));
}

int
main(int argc, char **argv)
{
    uint64_t a = 0, b = 0, c = 0;

    if (argc == 6 && strcmp(argv[1], "make") == 0 &&
        bench_number(argv[2], 1000000, &a) &&
        bench_number(argv[3], 65536, &b) && bench_number(argv[4], 4096, &c))
        make((size_t)a, (size_t)b, (size_t)c, argv[5]);
    else if (argc == 5 && bench_number(argv[3], 1000000, &a) &&
             bench_number(argv[4], 60000, &b))
        measure(argv[1], argv[2], (size_t)a, b);
    else
        bench_die(
            "usage: scroll_decode make ROWS DIM PAGES FILE | PEER FILE ROWS "
            "MS");
    return 0;
}
