/* SPDX-License-Identifier: Apache-2.0 */
/* Qdrant's filters, paths and payloads as the server takes them.
 *
 * Input: a filter, a path and a payload, each on a line of its own; the
 * payload reaches to the end. */
#include "codec/mem.h"
#include "server/json_text.h"
#include "server/payload_selector.h"
#include "server/qdrant_filter.h"
#include "server/qdrant_payload.h"
#include "tests/fuzz/fuzz.h"

struct line {
    char *bytes;
    size_t len;
};

static struct line
take_line(struct fuzz_input *input, bool last)
{
    const uint8_t *end =
        last || input->left == 0 ? NULL : memchr(input->at, '\n', input->left);
    const size_t n = end == NULL ? input->left : (size_t)(end - input->at);
    const struct line line = {fuzz_copy(input->at, n), n};

    input->at += n + (end != NULL);
    input->left -= n + (end != NULL);
    return line;
}

static json_t *
load(const struct line *line)
{
    struct vecwire__fault fault = {0, ""};
    json_t *tree = vecwire__json_load(line->bytes, line->len, &fault);

    FUZZ_REQUIRE((tree == NULL) == (fault.status == 400), "%d %s", fault.status,
                 fault.text);
    return tree;
}

/* What is written reads as the same. */
static void
check_text(const json_t *tree)
{
    struct vecwire__buf buf;
    struct line text;
    json_t *again;

    vecwire__buf_init(&buf, &vecwire__mem_libc);
    FUZZ_REQUIRE(vecwire__json_dump(&buf, tree), "no memory");
    text = (struct line){buf.bytes, buf.len};
    again = load(&text);
    FUZZ_REQUIRE(again != NULL && json_equal(again, tree), "%.*s", (int)buf.len,
                 buf.bytes);
    json_decref(again);
    vecwire__buf_fini(&buf);
}

static bool
has_vector(const void *point, const char *name, size_t len)
{
    (void)point;
    (void)name;
    return len == 0;
}

/* A filter and its contrary never both match, and never both do not. */
static void
check_filter(json_t *tree, const json_t *payload)
{
    const struct vecwire__point_id id = {.is_number = true, .number = 7};
    const struct vecwire__filter_point point = {&id, payload, has_vector, NULL};
    struct vecwire__fault fault = {0, ""};
    struct vecwire__filter *filter = vecwire__filter_new(tree, &fault);
    json_t *contrary_tree = json_pack("{sO}", "must_not", tree);
    struct vecwire__filter *contrary;

    FUZZ_REQUIRE(filter != NULL || fault.status == 400 || fault.status == 422,
                 "%d %s", fault.status, fault.text);
    contrary = vecwire__filter_new(contrary_tree, &fault);
    if (filter != NULL && contrary != NULL && json_is_object(tree) &&
        json_object_get(tree, "key") == NULL &&
        !vecwire__filter_is_empty(contrary))
        FUZZ_REQUIRE(vecwire__filter_matches(filter, &point) !=
                         vecwire__filter_matches(contrary, &point),
                     "a filter and its contrary agree");
    vecwire__filter_free(filter);
    vecwire__filter_free(contrary);
    json_decref(contrary_tree);
}

static bool
count(const json_t *value, void *arg)
{
    FUZZ_REQUIRE(value != NULL, "no value");
    (*(size_t *)arg)++;
    return true;
}

/* What was set at a path is found there; what was deleted is not. */
static void
check_path(const struct line *text, const json_t *payload)
{
    struct vecwire__fault fault = {0, ""};
    struct vecwire__json_path path;
    json_t *copy = json_deep_copy(payload), *source = json_object();
    size_t n = 0;

    if (!vecwire__json_path_parse(&path, text->bytes, text->len, &fault)) {
        FUZZ_REQUIRE(fault.status == 400, "%d", fault.status);
    } else {
        FUZZ_REQUIRE(vecwire__json_path_set(&path, copy, source), "memory");
        vecwire__json_path_delete(&path, copy);
        if (vecwire__json_path_step(&path, path.n_steps - 1, NULL) ||
            text->bytes[text->len - 1] != ']')
            FUZZ_REQUIRE(vecwire__json_path_each_flat(&path, copy, count, &n) &&
                             n == 0,
                         "%zu values were left", n);
        vecwire__json_path_fini(&path);
    }
    json_decref(source);
    json_decref(copy);
}

/* A part that is included and the rest make the whole, by what they hold. */
static void
check_selector(const struct line *text, const json_t *payload)
{
    static const char *const keys[] = {"include", "exclude"};

    for (size_t i = 0; i < 2; i++) {
        json_t *value = json_pack("{s[s#]}", keys[i], text->bytes, text->len);
        struct vecwire__payload_selector selector;
        struct vecwire__fault fault = {0, ""};
        json_t *part;

        if (value == NULL)
            return;
        if (vecwire__payload_selector_read(&selector, value,
                                           VECWIRE__SELECT_ALL, &fault)) {
            part = vecwire__payload_select(&selector, payload);
            FUZZ_REQUIRE(json_is_object(part) && json_object_size(part) <=
                                                     json_object_size(payload),
                         "a part is larger than the whole");
            json_decref(part);
            vecwire__payload_selector_fini(&selector);
        }
        json_decref(value);
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct fuzz_input input = {bytes, len};
    const struct line filter = take_line(&input, false);
    const struct line path = take_line(&input, false);
    const struct line payload = take_line(&input, true);
    json_t *filter_tree = load(&filter), *payload_tree = load(&payload);

    if (payload_tree != NULL)
        check_text(payload_tree);
    if (json_is_object(payload_tree)) {
        if (filter_tree != NULL)
            check_filter(filter_tree, payload_tree);
        check_path(&path, payload_tree);
        check_selector(&path, payload_tree);
    }
    json_decref(filter_tree);
    json_decref(payload_tree);
    free(filter.bytes);
    free(path.bytes);
    free(payload.bytes);
    return 0;
}
