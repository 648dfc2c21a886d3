/* SPDX-License-Identifier: Apache-2.0 */
/* One large page of a scroll through the public API: how long its turns of the
 * loop are, beside the time that decoding one turn's bytes takes, and how much
 * memory it holds at most beside what it brings.
 *
 * scroll_page URL COLLECTION ROWS ROUNDS */
#include "bench.h"

#include <event2/event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <vecwire/vecwire.h>

#include "codec/mem.h"
#include "dialect/qdrant.h"

#define TURN ((size_t)256 << 10) /* read_per_turn by default */
#define MAX_ROUNDS 101

struct page {
    bool ended;
    size_t rows, dim;
    uint32_t turns; /* of its connection */
    size_t payload_bytes, id_bytes;
    char *body; /* of a raw call */
    size_t len;
};

struct weighed {
    size_t held, most;
};

static void *
weigh(struct weighed *weighed, size_t old, size_t new, void *block)
{
    if (block != NULL || new == 0)
        weighed->held += new - old;
    if (weighed->held > weighed->most)
        weighed->most = weighed->held;
    return block;
}

static void *
weighed_alloc(size_t size, void *ctx)
{
    return weigh(ctx, 0, size, malloc(size));
}

static void *
weighed_realloc(void *block, size_t old, size_t size, void *ctx)
{
    return weigh(ctx, old, size, realloc(block, size));
}

static void
weighed_free(void *block, size_t size, void *ctx)
{
    free(block);
    (void)weigh(ctx, size, 0, NULL);
}

static void
on_page(const struct vecwire_reply *reply, void *arg)
{
    const struct vecwire_error *error = vecwire_reply_error(reply);
    struct page *page = arg;

    if (error != NULL)
        bench_die("%s", error->detail);
    page->ended = true;
    page->turns = vecwire_reply_wakeups(reply);
    if (vecwire_reply_matrix(reply, &page->rows, &page->dim) == NULL)
        bench_die("the page's vectors are no matrix");
    page->payload_bytes = page->id_bytes = 0;
    for (size_t i = 0; i < page->rows; i++) {
        page->payload_bytes += vecwire_reply_row(reply, i)->payload_len;
        page->id_bytes += vecwire_reply_row(reply, i)->id.len;
    }
}

static void
on_body(const struct vecwire_reply *reply, void *arg)
{
    struct page *page = arg;
    const char *body = vecwire_reply_body(reply, &page->len);

    if (vecwire_reply_error(reply) != NULL)
        bench_die("%s", vecwire_reply_error(reply)->detail);
    page->body = bench_alloc(page->len, 1);
    memcpy(page->body, body, page->len);
    page->ended = true;
}

/* Passes until it has ended, without waiting in them; the longest in ns. */
static uint64_t
run(struct event_base *base, const bool *ended)
{
    uint64_t longest = 0;

    while (!*ended) {
        uint64_t begin = bench_now_ns();

        if (event_base_loop(base, EVLOOP_NONBLOCK | EVLOOP_ONCE) != 0)
            bench_die("nothing is left to wait for");
        begin = bench_now_ns() - begin;
        longest = begin > longest ? begin : longest;
    }
    return longest;
}

static uint64_t
decode_a_turn(const struct page *page, size_t rows)
{
    static struct vecwire__json_reader reader;
    const struct vecwire__decoding *decoding = &vecwire__qdrant_page_decoding;
    struct vecwire_reply *reply = vecwire__reply_new(&vecwire__mem_libc);
    uint64_t begin, longest = 0;

    if (reply == NULL)
        bench_die("out of memory");
    reply->max_rows = rows;
    vecwire__json_init(&reader, decoding->table, decoding->sink, reply,
                       &reply->texts, 131);
    for (size_t at = 0; at < page->len; at += TURN) {
        size_t n = page->len - at < TURN ? page->len - at : TURN;

        begin = bench_now_ns();
        (void)vecwire__json_feed(&reader, page->body + at, n);
        begin = bench_now_ns() - begin;
        longest = begin > longest ? begin : longest;
    }
    if (vecwire__json_finish(&reader) != VECWIRE__JSON_DONE)
        bench_die("the page is not read");
    vecwire__reply_release(reply);
    return longest;
}

static int
compare(const void *a, const void *b)
{
    double x, y;

    memcpy(&x, a, sizeof(x));
    memcpy(&y, b, sizeof(y));
    return x < y ? -1 : x > y;
}

static double
median(double *values, size_t n)
{
    qsort(values, n, sizeof(*values), compare);
    return values[n / 2];
}

static void
fetch_body(struct vecwire_client *client, struct event_base *base,
           const char *collection, uint64_t rows, struct page *page)
{
    char path[300], body[100];

    snprintf(path, sizeof(path), "/collections/%s/points/scroll", collection);
    snprintf(body, sizeof(body),
             "{\"limit\":%llu,\"with_payload\":true,\"with_vector\":true}",
             (unsigned long long)rows);
    if (vecwire_raw(client,
                    &VECWIRE_RAW(.method = "POST", .path = path, .body = body,
                                 .body_len = strlen(body)),
                    on_body, page, NULL) != VECWIRE_OK)
        bench_die("the call was refused");
    (void)run(base, &page->ended);
}

int
main(int argc, char **argv)
{
    double turn_us[MAX_ROUNDS], decode_us[MAX_ROUNDS];
    struct weighed weighed = {0, 0};
    const struct vecwire_mem mem = {weighed_alloc, weighed_realloc,
                                    weighed_free, &weighed};
    struct event_base *base = vecwire_event_base_new();
    struct vecwire_client *client;
    struct page raw = {0}, page = {0};
    uint64_t rows = 0, rounds = 0;
    size_t before = 0, data;

    if (argc != 5 || !bench_number(argv[3], 1000000, &rows) ||
        !bench_number(argv[4], MAX_ROUNDS, &rounds) || rounds == 0)
        bench_die("usage: scroll_page URL COLLECTION ROWS ROUNDS");
    if (vecwire_client_new(
            &client, base,
            &VECWIRE_OPTIONS(.url = argv[1], .dialect = VECWIRE_QDRANT,
                             .collection = argv[2], .mem = &mem)) != VECWIRE_OK)
        bench_die("no client");
    fetch_body(client, base, argv[2], rows, &raw);
    for (uint64_t i = 0; i < rounds; i++) {
        decode_us[i] = (double)decode_a_turn(&raw, rows) / 1000;
        weighed.most = before = weighed.held;
        page.ended = false;
        if (vecwire_scroll(client,
                           &VECWIRE_SCROLL(.limit = (uint32_t)rows,
                                           .with_payload = true,
                                           .with_vector = true),
                           on_page, &page, NULL) != VECWIRE_OK)
            bench_die("the call was refused");
        turn_us[i] = (double)run(base, &page.ended) / 1000;
    }
    data = page.rows * page.dim * sizeof(float) + page.payload_bytes +
           page.id_bytes;
    printf("{\"body_bytes\":%zu,\"rows\":%zu,\"dim\":%zu,\"turns\":%u,"
           "\"longest_turn_us\":%.0f,\"decode_256k_us\":%.0f,"
           "\"data_bytes\":%zu,\"peak_bytes\":%zu,\"peak_over_data\":%.3f}\n",
           raw.len, page.rows, page.dim, (unsigned)page.turns,
           median(turn_us, rounds), median(decode_us, rounds), data,
           weighed.most - before,
           (double)(weighed.most - before) / (double)data);
    vecwire_client_free(client);
    event_base_free(base);
    free(raw.body);
    return 0;
}
