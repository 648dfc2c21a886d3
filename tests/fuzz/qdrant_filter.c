/* SPDX-License-Identifier: Apache-2.0 */
/* Qdrant's filters, put together by any calls: the text is JSON that the
 * server's own reader takes, or there is a reason why there is none.
 *
 * Input: a byte that names a function, then its arguments: numbers of 8 bytes,
 * texts that end with 0xff; again and again. */
#include <vecwire/qdrant_filter.h>

#include "server/json_text.h"
#include "server/qdrant_filter.h"
#include "tests/fuzz/same.h"

#define MAX_CALLS 256
#define MAX_VALUES 3
#define MAX_POINTS 5

static struct vecwire_qdrant_filter *filter;

static uint64_t
take_u64(struct fuzz_input *input)
{
    uint64_t bits = 0;

    for (int i = 0; i < 8; i++)
        bits = bits << 8 | fuzz_byte(input);
    return bits;
}

static int64_t
take_i64(struct fuzz_input *input)
{
    return (int64_t)take_u64(input);
}

static double
take_double(struct fuzz_input *input)
{
    uint64_t bits = take_u64(input);
    double number;

    memcpy(&number, &bits, sizeof(number));
    return number;
}

/* Degrees, mostly. */
static struct vecwire_qdrant_geo
take_geo(struct fuzz_input *input)
{
    const int lat = fuzz_byte(input), lon = fuzz_byte(input);

    return (struct vecwire_qdrant_geo){(lat - 127) * 0.75, (lon - 127) * 1.5};
}

static enum vecwire_qdrant_bound
take_bound(struct fuzz_input *input)
{
    return (enum vecwire_qdrant_bound)(fuzz_byte(input) % 6);
}

/* --- conditions --- */

static void
match_many(struct fuzz_input *input, const char *key)
{
    const unsigned how = fuzz_byte(input);
    const size_t n = how % (MAX_VALUES + 1);
    char *texts[MAX_VALUES] = {NULL};
    int64_t numbers[MAX_VALUES] = {0};

    for (size_t i = 0; i < n; i++) {
        if ((how & 0x80) != 0)
            texts[i] = fuzz_take_text(input, 0xff);
        else
            numbers[i] = take_i64(input);
    }
    if ((how & 0x80) != 0)
        vecwire_qdrant_filter_match_texts(
            filter, key, (const char *const *)texts, n, (how & 0x40) != 0);
    else
        vecwire_qdrant_filter_match_i64s(filter, key, numbers, n,
                                         (how & 0x40) != 0);
    for (size_t i = 0; i < n; i++)
        free(texts[i]);
}

static void
has_id(struct fuzz_input *input)
{
    const unsigned how = fuzz_byte(input);
    const size_t n = how % (MAX_VALUES + 1);
    char *ids[MAX_VALUES] = {NULL};
    uint64_t numbers[MAX_VALUES] = {0};
    const bool texts = (how & 0x80) != 0;

    for (size_t i = 0; i < n; i++) {
        if (texts)
            ids[i] = fuzz_take_text(input, 0xff);
        else
            numbers[i] = take_u64(input);
    }
    vecwire_qdrant_filter_has_id(filter,
                                 texts ? (const char *const *)ids : NULL,
                                 texts ? NULL : numbers, n);
    for (size_t i = 0; i < n; i++)
        free(ids[i]);
}

static void
polygon(struct fuzz_input *input, const char *key)
{
    const unsigned how = fuzz_byte(input);
    struct vecwire_qdrant_geo points[2][MAX_POINTS];
    struct vecwire_qdrant_ring rings[2];

    for (size_t i = 0; i < 2; i++) {
        rings[i] = (struct vecwire_qdrant_ring){
            points[i], (how >> (3 * i) & 7) % (MAX_POINTS + 1)};
        for (size_t k = 0; k < rings[i].n; k++)
            points[i][k] = take_geo(input);
        if (rings[i].n > 0 && (how & 0x40) != 0)
            points[i][rings[i].n - 1] = points[i][0];
    }
    vecwire_qdrant_filter_geo_polygon(filter, key, rings, 1 + (how >> 7));
}

static void
dates(struct fuzz_input *input, const char *key)
{
    const enum vecwire_qdrant_bound low = take_bound(input),
                                    high = take_bound(input);
    char *first = fuzz_take_text(input, 0xff),
         *second = fuzz_take_text(input, 0xff);

    vecwire_qdrant_filter_range_datetime(filter, key, low,
                                         first[0] == '\0' ? NULL : first, high,
                                         second[0] == '\0' ? NULL : second);
    free(first);
    free(second);
}

/* Conditions with a text. */
static void
with_text(struct fuzz_input *input, unsigned which, const char *key)
{
    const enum vecwire_qdrant_words how =
        (enum vecwire_qdrant_words)(which == 1 ? fuzz_byte(input) % 6 : 0);
    char *text = fuzz_take_text(input, 0xff);

    if (which == 0)
        vecwire_qdrant_filter_match_text(filter, key, text);
    else
        vecwire_qdrant_filter_words(filter, key, how, text);
    free(text);
}

/* Conditions on a number or two. */
static void
with_range(struct fuzz_input *input, unsigned which, const char *key)
{
    const enum vecwire_qdrant_bound low = take_bound(input),
                                    high = take_bound(input);
    const uint64_t a = take_u64(input), b = take_u64(input);

    if (which == 0) {
        double low_is, high_is;

        memcpy(&low_is, &a, sizeof(low_is));
        memcpy(&high_is, &b, sizeof(high_is));
        vecwire_qdrant_filter_range(filter, key, low, low_is, high, high_is);
    } else if (which == 1) {
        vecwire_qdrant_filter_range_i64(filter, key, low, (int64_t)a, high,
                                        (int64_t)b);
    } else {
        vecwire_qdrant_filter_values_count(filter, key, low, a, high, b);
    }
}

static void
with_geo(struct fuzz_input *input, unsigned which, const char *key)
{
    const struct vecwire_qdrant_geo a = take_geo(input);

    if (which == 0)
        vecwire_qdrant_filter_geo_box(filter, key, a, take_geo(input));
    else if (which == 1)
        vecwire_qdrant_filter_geo_radius(filter, key, a, take_double(input));
    else
        polygon(input, key);
}

static void
with_key(struct fuzz_input *input, unsigned what)
{
    char *key = fuzz_take_text(input, 0xff);

    if (what < 2)
        with_text(input, what, key);
    else if (what < 5)
        with_range(input, what - 2, key);
    else if (what < 8)
        with_geo(input, what - 5, key);
    else if (what == 8)
        match_many(input, key);
    else if (what == 9)
        dates(input, key);
    else if (what == 10)
        vecwire_qdrant_filter_match_i64(filter, key, take_i64(input));
    else if (what == 11)
        vecwire_qdrant_filter_match_bool(filter, key, fuzz_byte(input) & 1);
    else if (what == 12)
        vecwire_qdrant_filter_is_empty(filter, key);
    else if (what == 13)
        vecwire_qdrant_filter_is_null(filter, key);
    else if (what == 14)
        vecwire_qdrant_filter_has_vector(filter, key);
    else
        vecwire_qdrant_filter_begin_nested(filter, key);
    free(key);
}

/* --- the whole --- */

static void
check_text(void)
{
    const char *text = vecwire_qdrant_filter_text(filter);
    const char *reason = vecwire_qdrant_filter_error(filter);
    struct vecwire__fault fault = {0, ""};
    struct vecwire__filter *read;
    json_t *tree;

    FUZZ_REQUIRE((text[0] == '\0') == (reason[0] != '\0'), "\"%s\" with \"%s\"",
                 text, reason);
    if (text[0] == '\0')
        return;
    tree = vecwire__json_load(text, strlen(text), &fault);
    FUZZ_REQUIRE(tree != NULL, "%s: %s", fault.text, text);
    read = vecwire__filter_new(tree, &fault);
    FUZZ_REQUIRE(read != NULL, "%s: %s", fault.text, text);
    vecwire__filter_free(read);
    json_decref(tree);
}

/* One call that the input says. */
static void
do_one(struct fuzz_input *input)
{
    const unsigned what = fuzz_byte(input) % 24;

    if (what < 16)
        with_key(input, what);
    else if (what < 18)
        vecwire_qdrant_filter_clause(
            filter, (enum vecwire_qdrant_clause)(fuzz_byte(input) % 5));
    else if (what == 18)
        vecwire_qdrant_filter_min_should(filter, fuzz_byte(input));
    else if (what == 19)
        vecwire_qdrant_filter_begin(filter);
    else if (what == 20)
        vecwire_qdrant_filter_end(filter);
    else if (what == 21)
        has_id(input);
    else if (what == 22) {
        const uint64_t total = take_u64(input);

        vecwire_qdrant_filter_slice(filter, total, take_u64(input));
    } else {
        check_text();
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct fuzz_input input = {bytes, len};
    struct fuzz_mem counting;

    fuzz_mem_init(&counting);
    FUZZ_REQUIRE(vecwire_qdrant_filter_new(&filter, &counting.mem) ==
                     VECWIRE_OK,
                 "no memory");
    for (int i = 0; i < MAX_CALLS && input.left > 0; i++)
        do_one(&input);
    check_text();
    vecwire_qdrant_filter_reset(filter);
    FUZZ_REQUIRE(strcmp(vecwire_qdrant_filter_text(filter), "{}") == 0,
                 "it is not empty again");
    vecwire_qdrant_filter_free(filter);
    FUZZ_REQUIRE(counting.blocks == 0, "%zu blocks are left", counting.blocks);
    return 0;
}
