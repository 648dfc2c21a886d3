/* SPDX-License-Identifier: Apache-2.0 */
/* HMS's encoders with any texts: jansson reads the body back to the same ones,
 * or the request was refused for a reason.
 *
 * Input: one byte (what, how many rows, how many coordinates), the coordinates,
 * then texts that end with 0xff: ids, texts, payloads in turn. */
#include "codec/mem.h"
#include "dialect/dialect.h"
#include "tests/fuzz/same.h"

#define MAX_ROWS 3
#define MAX_DIM 4

struct request {
    size_t rows, dim;
    float matrix[MAX_ROWS * MAX_DIM];
    char *ids[MAX_ROWS], *texts[MAX_ROWS], *payloads[MAX_ROWS];
    struct vecwire__settings settings;
    struct vecwire__encoding enc;
    struct vecwire_refusal refusal;
};

/* An empty text is none. */
static char *
take_text(struct fuzz_input *input)
{
    char *text = fuzz_take_text(input, 0xff);

    if (text[0] != '\0')
        return text;
    free(text);
    return NULL;
}

static void
take_request(struct fuzz_input *input, unsigned mode, struct request *request)
{
    memset(request, 0, sizeof(*request));
    request->rows = 1 + (mode >> 2 & 3) % MAX_ROWS;
    request->dim = (mode >> 4) % (MAX_DIM + 1);
    for (size_t i = 0; i < request->rows * request->dim; i++) {
        uint32_t bits = 0;

        for (int k = 0; k < 4; k++)
            bits = bits << 8 | fuzz_byte(input);
        memcpy(&request->matrix[i], &bits, sizeof(bits));
    }
    for (size_t row = 0; row < request->rows; row++) {
        request->ids[row] = fuzz_take_text(input, 0xff);
        request->texts[row] = take_text(input);
        request->payloads[row] = take_text(input);
    }
    request->settings.prefix = "";
    request->settings.json_depth = 128;
    vecwire__buf_init(&request->enc.text, &vecwire__mem_libc);
}

static void
drop_request(struct request *request)
{
    for (size_t row = 0; row < request->rows; row++) {
        free(request->ids[row]);
        free(request->texts[row]);
        free(request->payloads[row]);
    }
    vecwire__buf_fini(&request->enc.text);
}

/* --- what must be taken --- */

static bool
is_utf8(const char *text)
{
    json_t *string = json_string(text);

    json_decref(string);
    return string != NULL;
}

static bool
is_id(const char *id)
{
    size_t len = strlen(id);

    if (len < 1 || len > 256 || strncmp(id, "hms:", 4) == 0 || !is_utf8(id))
        return false;
    for (size_t i = 0; i < len; i++) {
        if ((unsigned char)id[i] < 0x20 || id[i] == 0x7f ||
            ((unsigned char)id[i] == 0xc2 && (unsigned char)id[i + 1] < 0xa0))
            return false;
    }
    return true;
}

/* `sure` is false where jansson does not know: numbers beyond its types, keys
 * with NUL, or more depth than we take. */
static bool
is_object(const char *text, bool *sure)
{
    json_error_t error;
    json_t *tree = json_loads(text, JSON_ALLOW_NUL, &error);
    enum json_error_code code = json_error_code(&error);
    bool object = json_is_object(tree);
    size_t brackets = 0;

    for (const char *p = text; *p != '\0'; p++)
        brackets += *p == '{' || *p == '[';
    *sure = *sure && brackets <= 128 &&
            (tree != NULL || (code != json_error_numeric_overflow &&
                              code != json_error_null_byte_in_key));
    json_decref(tree);
    return object;
}

static bool
is_vector(const float *vector, size_t dim, bool any_direction)
{
    bool zero = true;

    for (size_t i = 0; i < dim; i++) {
        if (!isfinite(vector[i]))
            return false;
        zero = zero && !(vector[i] < 0 || vector[i] > 0);
    }
    return any_direction || !zero;
}

static bool
is_row(const struct request *request, size_t row, bool *sure)
{
    const float *vector = request->matrix + row * request->dim;
    bool fine = is_id(request->ids[row]);

    if (request->payloads[row] != NULL &&
        !is_object(request->payloads[row], sure))
        fine = false;
    if (request->dim > 0 && !is_vector(vector, request->dim, false))
        fine = false;
    if (request->texts[row] == NULL)
        return fine && request->dim > 0;
    return fine && is_utf8(request->texts[row]);
}

/* --- what was written --- */

static size_t
length(const char *text)
{
    return text == NULL ? 0 : strlen(text);
}

static void
check_text(const json_t *object, const char *key, const char *want)
{
    FUZZ_REQUIRE(same_text(want, length(want), json_object_get(object, key)),
                 "\"%s\" is another", key);
}

static void
check_object(const json_t *object, const char *key, const char *want)
{
    FUZZ_REQUIRE(same_json(want, length(want), json_object_get(object, key)),
                 "\"%s\" is another", key);
}

static void
check_vector(const json_t *object, const char *key, const float *want,
             size_t dim)
{
    const json_t *got = json_object_get(object, key);

    FUZZ_REQUIRE((got == NULL) == (dim == 0), "\"%s\"", key);
    FUZZ_REQUIRE(json_array_size(got) == dim, "%zu coordinates",
                 json_array_size(got));
    for (size_t i = 0; i < dim; i++)
        FUZZ_REQUIRE(same_float(want[i], json_array_get(got, i)),
                     "coordinate %zu", i);
}

static json_t *
body_of(const struct request *request)
{
    json_error_t error;
    json_t *body = json_loadb(request->enc.text.bytes + request->enc.body_at,
                              request->enc.text.len - request->enc.body_at,
                              JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);

    /* Payloads may hold what jansson does not: see is_object(). */
    FUZZ_REQUIRE(body != NULL ||
                     json_error_code(&error) == json_error_numeric_overflow ||
                     json_error_code(&error) == json_error_null_byte_in_key ||
                     json_error_code(&error) == json_error_duplicate_key,
                 "no JSON: %s", error.text);
    return body;
}

static void
compare_upsert(const struct request *request)
{
    json_t *body = body_of(request);

    if (body == NULL)
        return;
    FUZZ_REQUIRE(request->rows == 1 || json_array_size(body) == request->rows,
                 "%zu rows", json_array_size(body));
    for (size_t row = 0; row < request->rows; row++) {
        const json_t *object =
            request->rows == 1 ? body : json_array_get(body, row);

        check_text(object, "id", request->ids[row]);
        check_text(object, "text", request->texts[row]);
        check_object(object, "metadata", request->payloads[row]);
        check_vector(object, "vector", request->matrix + row * request->dim,
                     request->dim);
    }
    json_decref(body);
}

static void
compare_query(const struct request *request)
{
    json_t *body = body_of(request);

    if (body == NULL)
        return;
    check_text(body, "query", request->texts[0]);
    check_object(body, "filter", request->payloads[0]);
    check_vector(body, "query_vector", request->matrix, request->dim);
    FUZZ_REQUIRE(json_integer_value(json_object_get(body, "top_k")) == 10,
                 "top_k");
    json_decref(body);
}

/* --- the verbs --- */

static void
refused_or_not(const struct request *request, enum vecwire_err err, bool fine,
               bool sure)
{
    FUZZ_REQUIRE(err == VECWIRE_OK || request->refusal.text[0] != '\0',
                 "no reason");
    FUZZ_REQUIRE(
        memchr(request->refusal.text, 0, sizeof(request->refusal.text)) != NULL,
        "no end");
    FUZZ_REQUIRE(!sure || fine == (err == VECWIRE_OK), "%s, %s",
                 vecwire_strerror(err), request->refusal.text);
}

static void
upsert(struct request *request)
{
    const struct vecwire_upsert_request upsert =
        VECWIRE_UPSERT(.matrix = request->dim == 0 ? NULL : request->matrix,
                       .dim = request->dim, .rows = request->rows,
                       .ids = (const char *const *)request->ids,
                       .texts = (const char *const *)request->texts,
                       .payloads = (const char *const *)request->payloads);
    bool fine = true, sure = true;
    enum vecwire_err err;

    for (size_t row = 0; row < request->rows; row++)
        fine = is_row(request, row, &sure) && fine;
    err = vecwire__dialect_hms.encode[VECWIRE__VERB_UPSERT](
        &request->settings, &upsert, &request->enc, &request->refusal);
    refused_or_not(request, err, fine, sure);
    if (err == VECWIRE_OK)
        compare_upsert(request);
}

static void
query(struct request *request)
{
    const struct vecwire_query_request query =
        VECWIRE_QUERY(.vector = request->dim == 0 ? NULL : request->matrix,
                      .dim = request->dim, .text = request->texts[0],
                      .filter = request->payloads[0]);
    bool sure = true, fine = request->dim > 0 || request->texts[0] != NULL;
    enum vecwire_err err;

    fine = fine && is_vector(request->matrix, request->dim, true) &&
           (request->texts[0] == NULL || is_utf8(request->texts[0])) &&
           (request->payloads[0] == NULL ||
            is_object(request->payloads[0], &sure));
    err = vecwire__dialect_hms.encode[VECWIRE__VERB_QUERY](
        &request->settings, &query, &request->enc, &request->refusal);
    refused_or_not(request, err, fine, sure);
    if (err == VECWIRE_OK)
        compare_query(request);
}

/* The id comes back out of the path. */
static void
compare_path(const struct request *request)
{
    const char *path = request->enc.text.bytes, *id = request->ids[0];
    unsigned code;

    FUZZ_REQUIRE(strncmp(path, "/api/v1/documents/", 18) == 0, "%s", path);
    for (path += 18; *path != '\0'; id++) {
        code = (unsigned char)*path;
        if (*path == '%')
            FUZZ_REQUIRE(sscanf(path, "%%%2x", &code) == 1, "%s", path);
        FUZZ_REQUIRE((unsigned char)*id == code && *path != '/', "%s", path);
        path += *path == '%' ? 3 : 1;
    }
    FUZZ_REQUIRE(*id == '\0', "cut off before %s", id);
}

static void
del(struct request *request)
{
    const struct vecwire_delete_request del =
        VECWIRE_DELETE(.ids = (const char *const *)request->ids, .rows = 1);
    enum vecwire_err err = vecwire__dialect_hms.encode[VECWIRE__VERB_DELETE](
        &request->settings, &del, &request->enc, &request->refusal);

    refused_or_not(request, err, is_id(request->ids[0]), true);
    if (err == VECWIRE_OK)
        compare_path(request);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    static void (*const verbs[])(struct request *) = {upsert, query, del,
                                                      upsert};
    struct fuzz_input input = {bytes, len};
    unsigned mode = fuzz_byte(&input);
    struct request request;

    take_request(&input, mode, &request);
    verbs[mode % 4](&request);
    drop_request(&request);
    return 0;
}
