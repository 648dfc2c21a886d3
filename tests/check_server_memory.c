/* SPDX-License-Identifier: Apache-2.0 */
/* Each allocation of the server fails once, alone or with all that follow: no
 * crash, no leak, every request gets an answer or loses its connection, and
 * the server answers again as soon as there is memory. The linker leads the
 * calls of malloc() in the server's objects here; jansson has hooks. */
#include <check.h>
#include <event2/event.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vecwire/vecwire.h>

#include "server/server.h"

#define WAIT_MS 20000

/* The linker's names.
 * NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *block, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *block, size_t size);
/* NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */

/* Allocations so far, and which of them fail. */
static size_t asked, fail_at;
static bool and_after, armed;

static bool
fails(void)
{
    if (!armed)
        return false;
    asked++;
    return asked == fail_at || (and_after && fail_at != 0 && asked > fail_at);
}

void *
__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *
__wrap_calloc(size_t n, size_t size)
{
    return fails() ? NULL : __real_calloc(n, size);
}

void *
__wrap_realloc(void *block, size_t size)
{
    return fails() ? NULL : __real_realloc(block, size);
}

/* The client's memory never fails. */
static void *
client_alloc(size_t size, void *ctx)
{
    (void)ctx;
    return __real_malloc(size);
}

static void *
client_realloc(void *block, size_t old_size, size_t size, void *ctx)
{
    (void)old_size;
    (void)ctx;
    return __real_realloc(block, size);
}

static void
client_free(void *block, size_t size, void *ctx)
{
    (void)size;
    (void)ctx;
    free(block);
}

static const struct vecwire_mem client_mem = {client_alloc, client_realloc,
                                              client_free, NULL};
static const float rows[] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
static const char *const ids[] = {"a", "b", "c"};
static struct event_base *base;
static struct vecwire__server *server;
static struct vecwire_client *client;
static unsigned submitted, completed, succeeded;
static enum vecwire_err strange; /* what no call should end with */
static unsigned blamed;          /* answers that find fault with the request */

static void
on_reply(const struct vecwire_reply *reply, void *arg)
{
    const struct vecwire_error *error = vecwire_reply_error(reply);

    (void)arg;
    completed++;
    /* Answered with an error, or the connection is lost. No assertion here:
     * Check allocates, too. */
    if (error == NULL)
        succeeded++;
    else if (error->code != VECWIRE_EHTTP && error->code != VECWIRE_EIO &&
             error->code != VECWIRE_EUNKNOWN && error->code != VECWIRE_EREFUSED)
        strange = error->code;
    if (vecwire_reply_status(reply) / 100 == 4)
        blamed++;
}

static void
ask(enum vecwire_err err)
{
    ck_assert_int_eq(err, VECWIRE_OK);
    submitted++;
    armed = true;
    err = vecwire_client_drain(client, WAIT_MS);
    armed = false;
    ck_assert_int_eq(err, VECWIRE_OK);
    ck_assert_uint_eq(completed, submitted);
    ck_assert_int_eq(strange, VECWIRE_OK);
}

static void
query(const char *filter)
{
    ask(vecwire_query(
        client,
        &VECWIRE_QUERY(.vector = rows, .dim = 3, .top_k = 3, .filter = filter),
        on_reply, NULL, NULL));
}

#define C "/collections/c"

static const struct {
    const char *method, *path, *body;
} qdrant_calls[] = {
    {"PUT", C,
     "{\"vectors\":{\"\":{\"size\":2,\"distance\":\"Cosine\"},\"m\":{\"size\":"
     "2,"
     "\"distance\":\"Dot\",\"multivector_config\":{\"comparator\":\"max_sim\"}}"
     "}"
     ",\"sparse_vectors\":{\"s\":{}},\"metadata\":{\"a\":1}}"},
    {"PATCH", C, "{\"vectors\":{\"m\":{\"on_disk\":true}}}"},
    {"PUT", C "/index", "{\"field_name\":\"a\",\"field_schema\":\"integer\"}"},
    {"PUT", C "/points",
     "{\"points\":[{\"id\":2,\"vector\":{\"\":[1,2],\"m\":[[1,2],[3,4]],\"s\":"
     "{\"indices\":[2,1],\"values\":[1,2]}},\"payload\":{\"a\":1}},"
     "{\"id\":1,\"vector\":[3,4],\"payload\":{\"a\":2}}]}"},
    {"PUT", C "/points/vectors",
     "{\"points\":[{\"id\":1,\"vector\":{\"m\":[[1,1]]}}]}"},
    {"POST", C "/points/payload", "{\"payload\":{\"b\":3},\"points\":[1]}"},
    {"POST", C "/points/scroll",
     "{\"offset\":1,\"with_vector\":true,\"with_payload\":[\"a\"],\"filter\":"
     "{\"must\":{\"key\":\"a\",\"range\":{\"gt\":0}}}}"},
    {"POST", C "/points/scroll",
     "{\"order_by\":\"a\",\"filter\":{\"should\":[{\"has_id\":[1,2]},{\"key\":"
     "\"b\",\"match\":{\"any\":[1]}},{\"nested\":{\"key\":\"n\",\"filter\":{}}}"
     ",{"
     "\"key\":\"p\",\"geo_polygon\":{\"exterior\":{\"points\":[{\"lat\":0,"
     "\"lon\":0},{\"lat\":0,\"lon\":1},{\"lat\":1,\"lon\":1},{\"lat\":0,"
     "\"lon\":"
     "0}]}}}]}}"},
    {"POST", C "/points/payload/delete",
     "{\"keys\":[\"b\",\"c[].d\"],\"points\":[1]}"},
    {"POST", C "/points/query",
     "{\"prefetch\":[{\"query\":[1,2]},{\"query\":2}],\"query\":"
     "{\"fusion\":\"rrf\"}}"},
    {"POST", C "/points/query",
     "{\"using\":\"m\",\"query\":{\"recommend\":{\"positive\":[2],\"strategy\":"
     "\"best_score\"}},\"lookup_from\":{\"collection\":\"c\",\"vector\":\"m\"}"
     "}"},
    {"POST", C "/points/query/groups", "{\"query\":[1,2],\"group_by\":\"a\"}"},
    {"POST", C "/facet", "{\"key\":\"a\"}"},
    {"POST", "/collections/aliases",
     "{\"actions\":[{\"create_alias\":{\"collection_name\":\"c\","
     "\"alias_name\":\"d\"}}]}"},
    {"POST", C "/points/batch",
     "{\"operations\":[{\"delete\":{\"points\":[1]}},{\"delete_vectors\":"
     "{\"vector\":[\"m\"],\"filter\":{}}}]}"},
    {"GET", "/collections/d", NULL},
    {"DELETE", C, NULL},
};

#define QDRANT_CALLS (sizeof(qdrant_calls) / sizeof(qdrant_calls[0]))
#define CALLS (6 + QDRANT_CALLS)

static void
some_calls(void)
{
    const struct vecwire_raw_request wrong =
        VECWIRE_RAW(.method = "POST", .path = "/api/v1/query", .body = "{",
                    .body_len = 1);

    ask(vecwire_upsert(
        client,
        &VECWIRE_UPSERT(.matrix = rows, .rows = 1, .dim = 3, .ids = ids),
        on_reply, NULL, NULL));
    ask(vecwire_upsert(
        client,
        &VECWIRE_UPSERT(.matrix = rows, .rows = 3, .dim = 3, .ids = ids),
        on_reply, NULL, NULL));
    query(NULL);
    query("{\"kind\":\"x\"}");
    ck_assert_uint_eq(blamed, 0);
    ask(vecwire_delete(client, &VECWIRE_DELETE(.ids = ids, .rows = 1), on_reply,
                       NULL, NULL));
    ask(vecwire_raw(client, &wrong, on_reply, NULL, NULL));
    for (size_t i = 0; i < QDRANT_CALLS; i++) {
        const char *body = qdrant_calls[i].body;
        const struct vecwire_raw_request raw =
            VECWIRE_RAW(.method = qdrant_calls[i].method,
                        .path = qdrant_calls[i].path, .body = body,
                        .body_len = body == NULL ? 0 : strlen(body));

        ask(vecwire_raw(client, &raw, on_reply, NULL, NULL));
    }
}

/* The server's start and some calls, with the n-th allocation failing. */
static void
run(size_t n, bool on)
{
    struct vecwire__server_options options = {
        .dim = 3, .seed_rows = 5, .api_key = "key"};
    char why[200] = "";

    base = vecwire_event_base_new();
    ck_assert_ptr_nonnull(base);
    submitted = completed = succeeded = blamed = 0;
    asked = 0;
    fail_at = n;
    and_after = on;
    armed = true;
    server = vecwire__server_new(base, &options, why, sizeof(why));
    armed = false;
    if (server == NULL) {
        ck_assert_uint_gt(strlen(why), 0);
        event_base_free(base);
        return;
    }
    ck_assert_int_eq(
        vecwire_client_new(&client, base,
                           &VECWIRE_OPTIONS(.url = vecwire__server_url(server),
                                            .api_key = "key", .no_retry = true,
                                            .mem = &client_mem)),
        VECWIRE_OK);
    some_calls();
    fail_at = 0;
    succeeded = 0;
    query(NULL);
    ck_assert_uint_eq(succeeded, 1);
    vecwire_client_free(client);
    vecwire__server_free(server);
    event_base_free(base);
}

static void
sweep(bool on)
{
    size_t all;

    run(0, false);
    all = asked;
    ck_assert_uint_gt(all, 10);
    for (size_t n = 1; n <= all; n++)
        run(n, on);
}

START_TEST(with_memory_all_but_the_wrong_call_succeed)
{
    run(0, false);
    ck_assert_uint_eq(submitted, CALLS + 1);
    ck_assert_uint_eq(completed, CALLS + 1);
    ck_assert_uint_eq(blamed, 1);
}
END_TEST

START_TEST(each_allocation_of_the_server_may_fail)
{
    sweep(_i == 1);
}
END_TEST

static void *
jansson_malloc(size_t size)
{
    return __wrap_malloc(size);
}

/* jansson reads the bodies that the server gets. */
START_TEST(each_allocation_of_jansson_and_the_server_may_fail)
{
    json_set_alloc_funcs(jansson_malloc, free);
    sweep(_i == 1);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("server memory");
    TCase *tcase = tcase_create("server memory");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, with_memory_all_but_the_wrong_call_succeed);
    tcase_add_loop_test(tcase, each_allocation_of_the_server_may_fail, 0, 2);
    tcase_add_loop_test(
        tcase, each_allocation_of_jansson_and_the_server_may_fail, 0, 2);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
