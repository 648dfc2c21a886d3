/* SPDX-License-Identifier: Apache-2.0 */
/* The float codec: reading against strtof(), bit for bit; writing read back.
 *
 * Input: one byte of modes, four sizes of pieces; then a token, or float32s. */
#include <ctype.h>
#include <float.h>
#include <math.h>

#include <vecwire/vector.h>

#include "codec/float_dec.h"
#include "codec/float_enc.h"
#include "codec/json_reader.h"
#include "codec/mem.h"
#include "tests/fuzz/fuzz.h"

static uint32_t
bits_of(float v)
{
    uint32_t bits;

    memcpy(&bits, &v, sizeof(bits));
    return bits;
}

/* --- reading --- */

static const char *
skip_digits(const char *p)
{
    while (isdigit((unsigned char)*p))
        p++;
    return p;
}

/* RFC 8259, section 6, the text ends with a NUL. */
static bool
is_number(const char *p)
{
    p += *p == '-';
    if (!isdigit((unsigned char)*p) || (*p == '0' && isdigit(p[1])))
        return false;
    p = skip_digits(p);
    if (*p == '.') {
        if (!isdigit((unsigned char)p[1]))
            return false;
        p = skip_digits(p + 1);
    }
    if (*p == 'e' || *p == 'E') {
        p += p[1] == '+' || p[1] == '-' ? 2 : 1;
        if (!isdigit((unsigned char)*p))
            return false;
        p = skip_digits(p);
    }
    return *p == '\0';
}

static enum vecwire_err
wanted(const char *text, size_t len, float *value)
{
    if (strlen(text) != len || !is_number(text))
        return VECWIRE_EINVAL;
    *value = strtof(text, NULL);
    return isinf(*value) ? VECWIRE_ETOOBIG : VECWIRE_OK;
}

struct row {
    float floats[4];
};

static bool
row_sink(struct vecwire__json_reader *reader, enum vecwire__json_event event,
         unsigned tag)
{
    struct row *row = reader->ctx;

    (void)tag;
    if (event == VECWIRE__JSON_EV_ROW) {
        reader->floats = row->floats;
        reader->room = 4;
    }
    return event != VECWIRE__JSON_EV_GROW;
}

/* {"v":[T,T,0.5]}, T the token, in pieces. */
static void
read_in_pieces(const char *token, size_t len, enum vecwire_err rc, float value,
               struct fuzz_cuts *cuts)
{
    static const struct vecwire__json_field fields[] = {
        {"v", VECWIRE__JSON_F32S, 1, 0, false}};
    static const struct vecwire__json_shape shapes[] = {{fields, 1}};
    static const struct vecwire__json_table table = {shapes, 1, false};
    struct vecwire__json_reader reader;
    struct vecwire__buf text, unused;
    enum vecwire__json_rc got;
    struct row row;

    vecwire__buf_init(&text, &vecwire__mem_libc);
    vecwire__buf_init(&unused, &vecwire__mem_libc);
    FUZZ_REQUIRE(vecwire__buf_str(&text, "{\"v\":[") &&
                     vecwire__buf_add(&text, token, len) &&
                     vecwire__buf_byte(&text, ',') &&
                     vecwire__buf_add(&text, token, len) &&
                     vecwire__buf_str(&text, ",0.5]}"),
                 "no memory");
    vecwire__json_init(&reader, &table, row_sink, &row, &unused, 8);
    for (size_t at = 0, n; at < text.len; at += n) {
        char *piece;

        n = fuzz_cut(cuts, text.len - at);
        piece = fuzz_copy(text.bytes + at, n);
        (void)vecwire__json_feed(&reader, piece, n);
        free(piece);
    }
    got = vecwire__json_finish(&reader);
    if (rc == VECWIRE_ETOOBIG ||
        (rc == VECWIRE_OK && len > VECWIRE__JSON_NUMBER_MAX))
        FUZZ_REQUIRE(got == VECWIRE__JSON_ERANGE, "%s",
                     vecwire__json_rc_text(got));
    if (rc == VECWIRE_OK && len <= VECWIRE__JSON_NUMBER_MAX)
        FUZZ_REQUIRE(got == VECWIRE__JSON_DONE && reader.n == 3 &&
                         bits_of(row.floats[0]) == bits_of(value) &&
                         bits_of(row.floats[1]) == bits_of(value) &&
                         row.floats[2] == 0.5f,
                     "%s, %zu numbers, %08x is %08x",
                     vecwire__json_rc_text(got), reader.n,
                     bits_of(row.floats[0]), bits_of(value));
    vecwire__buf_fini(&text);
    vecwire__buf_fini(&unused);
}

static void
check_token(const char *token, size_t len, struct fuzz_cuts *cuts)
{
    char *text = fuzz_text(token, len), *exact = fuzz_copy(token, len);
    float value = 0, got = 0;
    enum vecwire_err want = wanted(text, len, &value);
    enum vecwire_err rc = vecwire_float_parse(exact, len, &got);

    FUZZ_REQUIRE(rc == want, "%s, not %s", vecwire_strerror(rc),
                 vecwire_strerror(want));
    FUZZ_REQUIRE(rc == VECWIRE_EINVAL || bits_of(got) == bits_of(value),
                 "%08x, not %08x", bits_of(got), bits_of(value));
    if (want != VECWIRE_EINVAL)
        read_in_pieces(token, len, want, value, cuts);
    free(text);
    free(exact);
}

/* The whole input as an array: the two readers agree. */
static void
check_array(const char *text, size_t len)
{
    char *exact = fuzz_copy(text, len);
    float scalar[16] = {0}, masks[16] = {0};
    const char *at = exact, *other = exact;
    size_t n = 0, m = 0;
    enum vecwire__floats_end end, with_masks;

    end = vecwire__floats_read_scalar(exact, exact + len, scalar, 16, &n, &at);
    with_masks =
        vecwire__floats_read_masks(exact, exact + len, masks, 16, &m, &other);
    FUZZ_REQUIRE(end == with_masks, "%d and %d", (int)end, (int)with_masks);
    if (end == VECWIRE__FLOATS_OK)
        FUZZ_REQUIRE(n == m && memcmp(scalar, masks, n * sizeof(float)) == 0,
                     "%zu and %zu numbers, or others", n, m);
    else
        FUZZ_REQUIRE(at == other, "at %td and %td", at - exact, other - exact);
    free(exact);
}

/* --- writing --- */

static size_t
count_digits(const char *text, size_t len)
{
    size_t n = 0, zeros = 0;

    for (size_t i = 0; i < len && text[i] != 'e'; i++) {
        if (!isdigit((unsigned char)text[i]) || (n == 0 && text[i] == '0'))
            continue;
        n++;
        zeros = text[i] == '0' ? zeros + 1 : 0;
    }
    return n - zeros;
}

/* It reads back to the same bits, and with one digit less it would not. */
static void
check_one(float v)
{
    char text[VECWIRE_FLOAT_TEXT_MAX + 1], fewer[64];
    size_t len = vecwire_float_format(v, text), digits;
    float back;

    if (!isfinite(v)) {
        FUZZ_REQUIRE(len == 0, "a text for no number");
        return;
    }
    FUZZ_REQUIRE(len > 0 && len <= VECWIRE_FLOAT_TEXT_MAX, "%zu bytes", len);
    text[len] = '\0';
    FUZZ_REQUIRE(is_number(text), "%s is no JSON", text);
    FUZZ_REQUIRE(bits_of(strtof(text, NULL)) == bits_of(v), "%s", text);
    FUZZ_REQUIRE(vecwire_float_parse(text, len, &back) == VECWIRE_OK &&
                     bits_of(back) == bits_of(v),
                 "%s is not read back", text);
    digits = count_digits(text, len);
    if (digits > 1) {
        snprintf(fewer, sizeof(fewer), "%.*e", (int)digits - 2, (double)v);
        FUZZ_REQUIRE(bits_of(strtof(fewer, NULL)) != bits_of(v),
                     "%s is longer than %s", text, fewer);
    }
}

/* Every way of writing gives the same text, and that the same floats. */
static void
check_all(const float *v, size_t n)
{
    size_t room = VECWIRE_VECTOR_TEXT_ROOM(n), len, got = 0;
    char *text = malloc(room), *other = malloc(room);
    float *back = malloc(n * sizeof(float));

    FUZZ_REQUIRE(text != NULL && other != NULL && back != NULL, "no memory");
    FUZZ_REQUIRE(vecwire_vector_format(v, n, text, &len) == VECWIRE_OK,
                 "not written");
    FUZZ_REQUIRE((size_t)(vecwire__floats_write_scalar(other, v, n) - other) ==
                         len &&
                     memcmp(text, other, len) == 0,
                 "scalar");
#ifdef VECWIRE__SSE2
    FUZZ_REQUIRE((size_t)(vecwire__floats_write_sse2(other, v, n) - other) ==
                         len &&
                     memcmp(text, other, len) == 0,
                 "SSE2");
#endif
#ifdef VECWIRE__AVX2
    if (__builtin_cpu_supports("avx2"))
        FUZZ_REQUIRE(
            (size_t)(vecwire__floats_write_avx2(other, v, n) - other) == len &&
                memcmp(text, other, len) == 0,
            "AVX2");
#endif
    FUZZ_REQUIRE(vecwire_vector_parse(text, len, back, n, &got) == VECWIRE_OK &&
                     got == n && memcmp(back, v, n * sizeof(float)) == 0,
                 "%zu of %zu floats are not read back", got, n);
    free(text);
    free(other);
    free(back);
}

static void
check_floats(const uint8_t *bytes, size_t len)
{
    size_t n = len / sizeof(float), good = 0;
    float *v = (float *)(void *)fuzz_copy(bytes, n * sizeof(float));

    for (size_t i = 0; i < n; i++) {
        check_one(v[i]);
        if (isfinite(v[i]))
            v[good++] = v[i];
    }
    if (good > 0)
        check_all(v, good);
    free(v);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct fuzz_input input = {bytes, len};
    unsigned mode = fuzz_byte(&input);
    struct fuzz_cuts cuts;

    fuzz_take_cuts(&input, &cuts);
    if ((mode & 1) != 0) {
        check_floats(input.at, input.left);
    } else {
        check_token((const char *)input.at, input.left, &cuts);
        check_array((const char *)input.at, input.left);
    }
    return 0;
}
