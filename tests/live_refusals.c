/* SPDX-License-Identifier: Apache-2.0 */
/* What the server refuses, and with which status and code. The library
 * refuses most of it before it is sent, so that these are raw requests. */
#include "tests/live_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QUERY "/api/v1/query"
#define ADD "/api/v1/documents"
#define BATCH "/api/v1/documents/batch"

struct refused {
    const char *path;
    const char *body; /* for live_body() */
    uint32_t status;
};

static const struct refused bodies[] = {
    {QUERY, "", 400},
    {QUERY, "nope", 400},
    {QUERY, "{\"query_vector\":@V", 400},
    {QUERY, "{\"query_vector\":@V}x", 400},
    {QUERY, "{\"query_vector\":@N}", 400},
    {QUERY, "{\"query_vector\":@T}", 400},
    {QUERY, "{\"query_vector\":\"x\"}", 400},
    {QUERY, "{\"query_vector\":@V,\"query_vector\":@V}", 400},
    {QUERY, "{\"query_vector\":@V,\"top_k\":\"3\"}", 400},
    {QUERY, "{\"query_vector\":@V,\"top_k\":1.5}", 400},
    {QUERY, "{\"query_vector\":@V,\"top_k\":99999999999999999999}", 400},
    {QUERY, "{\"query_vector\":@V,\"query\":5}", 400},
    {QUERY, "{}", 422},
    {QUERY, "{\"query_vector\":null}", 422},
    {QUERY, "{\"query_vector\":[]}", 422},
    {QUERY, "{\"query_vector\":@S}", 422},
    {QUERY, "{\"query_vector\":@Z}", 422},
    {QUERY, "{\"query_vector\":@V,\"top_k\":0}", 422},
    {QUERY, "{\"query_vector\":@V,\"top_k\":-1}", 422},
    {QUERY, "{\"query_vector\":@V,\"top_k\":101}", 422},
    {QUERY, "{\"query_vector\":@V,\"filter\":[1]}", 422},
    {QUERY, "{\"query_vector\":@V,\"filter\":\"x\"}", 422},
    {QUERY, "{\"query\":\"text\"}", 422},
    {QUERY, "{\"query\":\"text\",\"query_vector\":@V}", 422},
    {ADD, "{\"vector\":@V}", 400},
    {ADD, "{\"id\":null,\"vector\":@V}", 400},
    {ADD, "{\"id\":5,\"vector\":@V}", 400},
    {ADD, "{\"id\":\"a\",\"id\":\"b\",\"vector\":@V}", 400},
    {ADD, "{\"id\":\"\xff\",\"vector\":@V}", 400},
    {ADD, "{\"id\":\"\\ud800\",\"vector\":@V}", 400},
    {ADD, "{\"id\":\"a\",\"vector\":@V,\"text\":5}", 400},
    {ADD, "{\"id\":\"\",\"vector\":@V}", 422},
    {ADD, "{\"id\":\"hms:a\",\"vector\":@V}", 422},
    {ADD, "{\"id\":\"a\\n\",\"vector\":@V}", 422},
    {ADD, "{\"id\":\"\\u0000\",\"vector\":@V}", 422},
    {ADD, "{\"id\":\"\\u007f\",\"vector\":@V}", 422},
    {ADD, "{\"id\":\"\\u0085\",\"vector\":@V}", 422},
    {ADD, "{\"id\":\"a\"}", 422},
    {ADD, "{\"id\":\"a\",\"text\":\"t\",\"vector\":null}", 422},
    {ADD, "{\"id\":\"a\",\"vector\":@S}", 422},
    {ADD, "{\"id\":\"a\",\"vector\":@Z}", 422},
    {ADD, "{\"id\":\"a\",\"vector\":@V,\"metadata\":[]}", 422},
    {ADD, "{\"id\":\"a\",\"vector\":@V,\"metadata\":\"x\"}", 422},
    {BATCH, "{}", 400},
    {BATCH, "[5]", 400},
    {BATCH, "[{\"id\":\"a\",\"vector\":@V},{\"vector\":@V}]", 400},
    {BATCH, "[]", 422},
    {BATCH, "[{\"id\":\"a\",\"vector\":@V},{\"id\":\"b\"}]", 422},
};

START_TEST(a_bad_body_is_refused_with_status_code_and_text)
{
    const struct refused *row = &bodies[_i];
    char *body = live_body(row->body);

    live_tenant("refused");
    live_refused(live_post(row->path, body, strlen(body)), row->status,
                 row->status == 400 ? "invalid_json" : "invalid_request");
    free(body);
}
END_TEST

START_TEST(nulls_and_unknown_keys_do_no_harm)
{
    static const char *const taken[][2] = {
        {QUERY, "{\"x\":{\"y\":[1]},\"query_vector\":@V,\"top_k\":null,"
                "\"filter\":null,\"query\":null,\"today\":null}"},
        {ADD, "{\"text\":null,\"x\":1,\"metadata\":null,\"vector\":@V,"
              "\"id\":\"a\"}"},
    };

    live_tenant("nulls");
    for (size_t i = 0; i < 2; i++) {
        char *body = live_body(taken[i][1]);
        const struct vecwire_reply *reply =
            live_post(taken[i][0], body, strlen(body));

        live_fine(reply);
        vecwire_reply_release(reply);
        free(body);
    }
}
END_TEST

START_TEST(nothing_of_a_batch_with_a_bad_document_is_stored)
{
    char *body = live_body("[{\"id\":\"a\",\"vector\":@V},"
                           "{\"id\":\"b\",\"vector\":@Z}]");
    float *vector = live_axis(0);
    const struct vecwire_reply *reply;

    live_tenant("nothing");
    live_refused(live_post(BATCH, body, strlen(body)), 422, "invalid_request");
    reply = live_query(vector, 1, NULL);
    live_fine(reply);
    ck_assert_uint_eq(vecwire_reply_count(reply), 0);
    vecwire_reply_release(reply);
    free(vector);
    free(body);
}
END_TEST

START_TEST(a_batch_of_1001_documents_is_refused)
{
    char *one = live_body("{\"id\":\"a\",\"vector\":@V},"), *body;
    size_t len = strlen(one);

    body = malloc(1001 * len + 2);
    ck_assert_ptr_nonnull(body);
    for (size_t i = 0; i < 1001; i++)
        memcpy(body + 1 + i * len, one, len);
    body[0] = '[';
    body[1001 * len] = ']';
    live_tenant("many");
    live_refused(live_post(BATCH, body, 1001 * len + 1), 422,
                 "invalid_request");
    free(body);
    free(one);
}
END_TEST

/* POST `pattern` with `value` in place of its "$". */
static void
refuse_long(const char *pattern, const char *value)
{
    char *around = live_body(pattern), *body, *place = strchr(around, '$');
    size_t len;

    ck_assert_ptr_nonnull(place);
    *place = '\0';
    body = malloc(strlen(around) + strlen(value) + strlen(place + 1) + 1);
    ck_assert_ptr_nonnull(body);
    len = (size_t)sprintf(body, "%s%s%s", around, value, place + 1);
    live_refused(live_post(ADD, body, len), 422, "invalid_request");
    free(body);
    free(around);
}

START_TEST(what_is_a_little_too_long_is_refused)
{
    char *id = live_repeat('x', 257), *text = live_repeat('t', 65537);
    char *words = live_repeat('w', 2 * 4097 - 1);

    live_tenant("long");
    refuse_long("{\"id\":\"$\",\"vector\":@V}", id);
    refuse_long("{\"id\":\"a\",\"vector\":@V,\"text\":\"$\"}", text);
    text[65537 - 8] = '\0';
    refuse_long("{\"id\":\"a\",\"vector\":@V,\"metadata\":{\"k\":\"$\"}}",
                text);
    for (size_t i = 1; i < 2 * 4097 - 1; i += 2)
        words[i] = ' ';
    refuse_long("{\"id\":\"a\",\"vector\":@V,\"text\":\"$\"}", words);
    free(id);
    free(text);
    free(words);
}
END_TEST

START_TEST(a_batch_with_more_than_8_mib_of_texts_is_refused)
{
    char *one = live_body("{\"id\":\"a\",\"vector\":@V,\"text\":\""), *body;
    size_t head = strlen(one), each = head + 65536 + 3;

    body = malloc(128 * each + 2);
    ck_assert_ptr_nonnull(body);
    memset(body, 't', 128 * each + 1);
    for (size_t i = 0; i < 128; i++) {
        memcpy(body + 1 + i * each, one, head);
        memcpy(body + 1 + (i + 1) * each - 3, "\"},", 3);
    }
    body[0] = '[';
    body[128 * each] = ']';
    live_tenant("sums");
    live_refused(live_post(BATCH, body, 128 * each + 1), 422,
                 "invalid_request");
    free(body);
    free(one);
}
END_TEST

/* A query that unread bytes make `len` long. */
static char *
query_of(size_t len)
{
    char *query = live_body("{\"query_vector\":@V,\"unread\":\"");
    char *body = live_repeat('u', len);

    memcpy(body, query, strlen(query));
    memcpy(body + len - 2, "\"}", 2);
    free(query);
    return body;
}

START_TEST(a_body_of_16_mib_is_taken_and_a_byte_more_is_413)
{
    size_t most = (size_t)16 << 20;
    char *body = query_of(most);
    const struct vecwire_reply *reply;

    live_tenant("large");
    reply = live_post(QUERY, body, most);
    live_fine(reply);
    vecwire_reply_release(reply);
    free(body);
    body = query_of(most + 1);
    live_refused(live_post(QUERY, body, most + 1), 413, "payload_too_large");
    free(body);
}
END_TEST

static const char *const routes[][3] = {
    {"GET", "/no/such/route", "404"},
    {"POST", "/api/v1/query/", "404"},
    {"POST", "/api/v1", "404"},
    {"DELETE", ADD "/", "404"},
    {"DELETE", ADD "/a/b", "404"},
    {"DELETE", ADD "/unknown", "404"},
    {"GET", QUERY, "405"},
    {"PUT", QUERY, "405"},
    {"DELETE", ADD, "405"},
    {"DELETE", BATCH, "405"},
    {"PATCH", ADD "/a", "405"},
    {"POST", ADD "/a", "405"},
};

START_TEST(an_unknown_route_is_404_and_a_wrong_method_405)
{
    uint32_t status = (uint32_t)strtoul(routes[_i][2], NULL, 10);

    live_tenant("routes");
    live_refused(
        live_raw(VECWIRE_RAW(.method = routes[_i][0], .path = routes[_i][1])),
        status, status == 404 ? "not_found" : "method_not_allowed");
}
END_TEST

START_TEST(an_id_to_delete_that_no_document_can_have_is_refused)
{
    char *path = live_repeat('x', strlen(ADD "/") + 257);

    live_tenant("delete");
    memcpy(path, ADD "/", strlen(ADD "/"));
    live_refused(live_raw(VECWIRE_RAW(.method = "DELETE", .path = path)), 422,
                 "invalid_request");
    live_refused(
        live_raw(VECWIRE_RAW(.method = "DELETE", .path = ADD "/hms%3Aa")), 422,
        "invalid_request");
    free(path);
}
END_TEST

/* A document whose metadata are `n` arrays deep in an object. */
static const struct vecwire_reply *
post_nested(size_t n)
{
    char deep[256], pattern[512], *body;
    const struct vecwire_reply *reply;

    memset(deep, '[', n);
    memset(deep + n, ']', n);
    deep[2 * n] = '\0';
    snprintf(pattern, sizeof(pattern),
             "{\"id\":\"a\",\"vector\":@V,\"metadata\":{\"k\":%s}}", deep);
    body = live_body(pattern);
    reply = live_post(ADD, body, strlen(body));
    free(body);
    return reply;
}

/* The body's object and the metadata's are two of them. */
START_TEST(a_body_may_be_nested_127_deep_and_its_metadata_can_be_read)
{
    float *vector = live_axis(0);
    const struct vecwire_reply *reply;

    live_tenant("deep");
    live_refused(post_nested(126), 400, "invalid_json");
    reply = post_nested(125);
    live_fine(reply);
    vecwire_reply_release(reply);
    reply = live_query(vector, 1, NULL);
    live_fine(reply);
    ck_assert_uint_eq(vecwire_reply_count(reply), 1);
    ck_assert_uint_eq(vecwire_reply_row(reply, 0)->payload_len, 2 * 125 + 6);
    vecwire_reply_release(reply);
    free(vector);
}
END_TEST

#define N_OF(array) ((int)(sizeof(array) / sizeof((array)[0])))

TCase *
live_refusals_case(void)
{
    TCase *tcase = tcase_create("refusals");

    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, live_begin, live_end);
    tcase_add_loop_test(tcase, a_bad_body_is_refused_with_status_code_and_text,
                        0, N_OF(bodies));
    tcase_add_test(tcase, nulls_and_unknown_keys_do_no_harm);
    tcase_add_test(tcase, nothing_of_a_batch_with_a_bad_document_is_stored);
    tcase_add_test(tcase, a_batch_of_1001_documents_is_refused);
    tcase_add_test(tcase, what_is_a_little_too_long_is_refused);
    tcase_add_test(tcase, a_batch_with_more_than_8_mib_of_texts_is_refused);
    tcase_add_test(tcase, a_body_of_16_mib_is_taken_and_a_byte_more_is_413);
    tcase_add_loop_test(tcase, an_unknown_route_is_404_and_a_wrong_method_405,
                        0, N_OF(routes));
    tcase_add_test(tcase, an_id_to_delete_that_no_document_can_have_is_refused);
    tcase_add_test(tcase,
                   a_body_may_be_nested_127_deep_and_its_metadata_can_be_read);
    return tcase;
}
