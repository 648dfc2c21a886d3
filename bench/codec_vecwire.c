/* SPDX-License-Identifier: Apache-2.0 */
/* Vecwire's own codec. HMS replies are read by the library's dialect, pages of
 * points by a table of the same make. */
#include "codec.h"

#include <string.h>

#include "bench.h"
#include "codec/float_dec.h"
#include "codec/float_enc.h"
#include "codec/mem.h"
#include "dialect/hms.h"

#define DEPTH 128
#define SEGMENT ((size_t)16 << 10)

static size_t
vecwire_write(const float *vector, char *text)
{
    if (vecwire__floats_first_bad(vector, CODEC_DIM) != CODEC_DIM)
        bench_die("not finite");
    return (size_t)(vecwire__floats_write(text, vector, CODEC_DIM) - text);
}

static size_t
vecwire_read(const char *text, size_t len, float *vector)
{
    const char *at;
    size_t n;

    if (vecwire__floats_read(text, text + len, vector, CODEC_DIM, &n, &at) !=
        VECWIRE__FLOATS_OK)
        bench_die("vecwire: not read: %.40s", at);
    return n;
}

static void
read_whole(struct vecwire__json_reader *reader, const char *text, size_t len,
           size_t segment)
{
    for (size_t at = 0; at < len; at += segment)
        (void)vecwire__json_feed(reader, text + at,
                                 len - at < segment ? len - at : segment);
    if (vecwire__json_finish(reader) != VECWIRE__JSON_DONE)
        bench_die("vecwire: reply not read at %llu",
                  (unsigned long long)reader->offset);
}

static void
read_hms(const char *text, size_t len, size_t segment,
         struct codec_found *found)
{
    const struct vecwire__decoding *decoding = &vecwire__hms_query_decoding;
    static struct vecwire__json_reader reader;
    static struct vecwire_reply *reply;

    if (reply == NULL) {
        reply = vecwire__reply_new(&vecwire__mem_libc);
        if (reply == NULL)
            bench_die("out of memory");
    } else {
        vecwire__reply_reuse(reply);
    }
    vecwire__json_init(&reader, decoding->table, decoding->sink, reply,
                       &reply->texts, DEPTH);
    read_whole(&reader, text, len, segment);
    vecwire__reply_settle(reply);
    found->rows += reply->n_rows;
    for (size_t i = 0; i < reply->n_rows; i++) {
        found->id_bytes += reply->rows[i].id.len;
        found->scores += (double)reply->rows[i].score;
    }
}

/* {"result":{"points":[{"id","payload","vector"}],"next_page_offset"},
 * "status","time"} */
enum { ROOT = 1, RESULT, POINT };
enum { TAG_ID = 1, TAG_NEXT, TAG_PAYLOAD, TAG_VECTOR, TAG_OTHER };

static const struct vecwire__json_field root[] = {
    {"result", VECWIRE__JSON_OBJ, TAG_OTHER, RESULT, false},
    {"status", VECWIRE__JSON_RAW, TAG_OTHER, 0, false},
    {"time", VECWIRE__JSON_F32, TAG_OTHER, 0, false},
    {"usage", VECWIRE__JSON_SKIP, 0, 0, false},
};
static const struct vecwire__json_field result[] = {
    {"points", VECWIRE__JSON_ARR, TAG_OTHER, POINT, false},
    {"next_page_offset", VECWIRE__JSON_ID, TAG_NEXT, 0, true},
};
static const struct vecwire__json_field point[] = {
    {"id", VECWIRE__JSON_ID, TAG_ID, 0, false},
    {"payload", VECWIRE__JSON_RAW, TAG_PAYLOAD, 0, true},
    {"vector", VECWIRE__JSON_F32S, TAG_VECTOR, 0, true},
    {"version", VECWIRE__JSON_SKIP, 0, 0, false},
    {"score", VECWIRE__JSON_SKIP, 0, 0, false},
};
static const struct vecwire__json_shape shapes[] = {
    {root, 4}, {result, 2}, {point, 5}};
static const struct vecwire__json_table table = {shapes, POINT, false};

struct place {
    uint64_t id;
    size_t payload_at, payload_len;
};

/* Grows with the pages and is kept from one to the next. */
struct page {
    struct vecwire__buf texts;
    struct place *places;
    float *matrix;
    size_t places_cap, matrix_cap;
    size_t n, dim;
};

static bool
page_add(struct page *page)
{
    void *places = page->places;

    if (!vecwire__mem_grow(&vecwire__mem_libc, &places, &page->places_cap,
                           page->n + 1, sizeof(*page->places)))
        return false;
    page->places = places;
    memset(&page->places[page->n++], 0, sizeof(*page->places));
    return true;
}

static bool
page_row(struct page *page, struct vecwire__json_reader *reader, size_t more)
{
    size_t at = (page->n - 1) * page->dim;
    void *matrix = page->matrix;
    bool room =
        vecwire__mem_grow(&vecwire__mem_libc, &matrix, &page->matrix_cap,
                          at + more, sizeof(*page->matrix));

    page->matrix = matrix;
    reader->floats = page->matrix + at;
    reader->room = page->matrix_cap - at;
    return room;
}

static bool
scroll_sink(struct vecwire__json_reader *reader, enum vecwire__json_event event,
            unsigned tag)
{
    struct page *page = reader->ctx;

    switch (event) {
    case VECWIRE__JSON_EV_BEGIN:
        return tag != POINT || page_add(page);
    case VECWIRE__JSON_EV_U64:
        if (tag == TAG_ID)
            page->places[page->n - 1].id = reader->u64;
        return true;
    case VECWIRE__JSON_EV_RAW:
        if (tag == TAG_PAYLOAD) {
            page->places[page->n - 1].payload_at = reader->text_at;
            page->places[page->n - 1].payload_len =
                page->texts.len - reader->text_at;
        }
        return vecwire__buf_byte(&page->texts, '\0');
    case VECWIRE__JSON_EV_ROW:
        return page_row(page, reader, page->dim != 0 ? page->dim : 1024);
    case VECWIRE__JSON_EV_GROW:
        return page_row(page, reader, 2 * reader->room);
    case VECWIRE__JSON_EV_F32S:
        page->dim = reader->n;
        return true;
    default:
        return true;
    }
}

static void
read_scroll(const char *text, size_t len, size_t segment,
            struct codec_found *found)
{
    static struct page page;
    static struct vecwire__json_reader reader;

    page.texts.mem = &vecwire__mem_libc;
    page.texts.len = page.n = page.dim = 0;
    vecwire__json_init(&reader, &table, scroll_sink, &page, &page.texts, DEPTH);
    read_whole(&reader, text, len, segment);
    found->rows += page.n;
    found->floats += page.n * page.dim;
    for (size_t i = 0; i < page.n; i++)
        found->id_bytes += page.places[i].id;
}

static void
hms(const char *text, size_t len, struct codec_found *found)
{
    read_hms(text, len, len, found);
}

static void
scroll(const char *text, size_t len, struct codec_found *found)
{
    read_scroll(text, len, len, found);
}

static void
scroll_segments(const char *text, size_t len, struct codec_found *found)
{
    read_scroll(text, len, SEGMENT, found);
}

const struct codec_peer codec_vecwire = {
    .name = "vecwire",
    .share = 1,
    .write = vecwire_write,
    .read = vecwire_read,
    .hms = hms,
    .scroll = scroll,
};

const struct codec_peer codec_vecwire_segments = {
    .name = "vecwire, 16 KiB segments",
    .share = 1,
    .scroll = scroll_segments,
};

/* What every processor of this kind can run. */
static size_t
base_write(const float *vector, char *text)
{
#ifdef VECWIRE__SSE2
    return (size_t)(vecwire__floats_write_sse2(text, vector, CODEC_DIM) - text);
#else
    return (size_t)(vecwire__floats_write_scalar(text, vector, CODEC_DIM) -
                    text);
#endif
}

const struct codec_peer codec_vecwire_base = {
    .name = "vecwire, no AVX2",
    .share = 1,
    .write = base_write,
};
