/* SPDX-License-Identifier: Apache-2.0 */
/* Qdrant's administration against our own server, both on one base. */
#include <check.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include <event2/event.h>
#include <vecwire/vecwire.h>

#include "server/server.h"

#define WAIT_MS 20000

static struct event_base *base;
static struct vecwire__server *server;
static struct vecwire_client *client;
static const struct vecwire_reply *reply;
static const struct vecwire_qdrant_admin_request nothing =
    VECWIRE_QDRANT_ADMIN(0);

static void
setup(void)
{
    struct vecwire__server_options options = {.dim = 3};
    char why[256] = "";

    signal(SIGPIPE, SIG_IGN); /* the server wants it so */
    base = vecwire_event_base_new();
    ck_assert_ptr_nonnull(base);
    server = vecwire__server_new(base, &options, why, sizeof(why));
    ck_assert_msg(server != NULL, "%s", why);
    ck_assert_int_eq(
        vecwire_client_new(&client, base,
                           &VECWIRE_OPTIONS(.url = vecwire__server_url(server),
                                            .dialect = VECWIRE_QDRANT,
                                            .collection = "c")),
        VECWIRE_OK);
}

static void
teardown(void)
{
    vecwire_reply_release(reply);
    reply = NULL;
    vecwire_client_free(client);
    vecwire__server_free(server);
    event_base_free(base);
}

static void
keep(const struct vecwire_reply *got, void *arg)
{
    (void)arg;
    vecwire_reply_release(reply);
    reply = vecwire_reply_keep(got);
}

/* The verb was taken: what it comes to. */
static enum vecwire_err
finish(enum vecwire_err taken)
{
    ck_assert_int_eq(taken, VECWIRE_OK);
    ck_assert_int_eq(vecwire_client_drain(client, WAIT_MS), VECWIRE_OK);
    ck_assert_ptr_nonnull(reply);
    return vecwire_reply_error(reply) == NULL
               ? VECWIRE_OK
               : vecwire_reply_error(reply)->code;
}

/* It went well, and told this total. */
static void
expect_total(enum vecwire_err taken, uint64_t total)
{
    ck_assert_int_eq(finish(taken), VECWIRE_OK);
    ck_assert_uint_eq(vecwire_reply_total(reply), total);
}

static enum vecwire_err
create(void)
{
    const struct vecwire_qdrant_vector_config vector = {
        .size = 2, .distance = VECWIRE_QDRANT_EUCLID};

    return vecwire_qdrant_create_collection(
        client, &VECWIRE_QDRANT_CREATE(.vectors = &vector, .n_vectors = 1),
        keep, NULL, NULL);
}

static enum vecwire_err
exists(void)
{
    return vecwire_qdrant_collection_exists(client, &nothing, keep, NULL, NULL);
}

static enum vecwire_err
drop(void)
{
    return vecwire_qdrant_delete_collection(client, &nothing, keep, NULL, NULL);
}

START_TEST(a_collection_comes_and_goes)
{
    expect_total(exists(), 0);
    expect_total(create(), 1);
    expect_total(exists(), 1);
    expect_total(drop(), 1);
    expect_total(exists(), 0);
    expect_total(drop(), 0);
}
END_TEST

START_TEST(a_collection_is_created_once)
{
    expect_total(create(), 1);
    ck_assert_int_eq(finish(create()), VECWIRE_EHTTP);
    ck_assert_uint_eq(vecwire_reply_status(reply), 409);
    ck_assert_uint_eq(vecwire_reply_total(reply), 0);
}
END_TEST

START_TEST(a_collection_is_listed)
{
    expect_total(create(), 1);
    ck_assert_int_eq(finish(vecwire_qdrant_list_collections(client, &nothing,
                                                            keep, NULL, NULL)),
                     VECWIRE_OK);
    ck_assert_uint_ge(vecwire_reply_count(reply), 1);
    for (size_t i = 0; i < vecwire_reply_count(reply); i++) {
        if (strcmp(vecwire_reply_row(reply, i)->id.text, "c") == 0)
            return;
    }
    ck_abort_msg("it is not there");
}
END_TEST

START_TEST(a_collection_is_described)
{
    struct vecwire_qdrant_collection_info info;

    expect_total(create(), 1);
    ck_assert_int_eq(finish(vecwire_qdrant_collection_info(client, &nothing,
                                                           keep, NULL, NULL)),
                     VECWIRE_OK);
    ck_assert(vecwire_qdrant_info(reply, &info));
    ck_assert_uint_eq(info.status, VECWIRE_QDRANT_GREEN);
    ck_assert_uint_eq(info.vector_size, 2);
    ck_assert_uint_eq(info.distance, VECWIRE_QDRANT_EUCLID);
    ck_assert_uint_eq(info.points_count, 0);
}
END_TEST

START_TEST(what_is_not_there_has_no_description)
{
    ck_assert_int_eq(finish(vecwire_qdrant_collection_info(client, &nothing,
                                                           keep, NULL, NULL)),
                     VECWIRE_EHTTP);
    ck_assert_uint_eq(vecwire_reply_status(reply), 404);
}
END_TEST

START_TEST(a_collection_is_changed)
{
    expect_total(create(), 1);
    expect_total(
        vecwire_qdrant_update_collection(
            client,
            &VECWIRE_QDRANT_UPDATE_COLLECTION(.metadata = "{\"a\":\"b\"}"),
            keep, NULL, NULL),
        1);
    ck_assert_int_eq(finish(vecwire_qdrant_collection_info(client, &nothing,
                                                           keep, NULL, NULL)),
                     VECWIRE_OK);
    ck_assert_ptr_nonnull(
        strstr(vecwire_reply_row(reply, 0)->payload, "\"metadata\""));
}
END_TEST

START_TEST(an_index_comes_and_goes)
{
    struct vecwire_qdrant_params wait = VECWIRE_QDRANT_PARAMS(.wait = true);
    struct vecwire_call_options call = VECWIRE_CALL_OPTIONS(.qdrant = &wait);
    struct vecwire_qdrant_index_request index =
        VECWIRE_QDRANT_INDEX(.key = "a[].b",
                             .type = VECWIRE_QDRANT_INDEX_KEYWORD,
                             .call = &call);

    expect_total(create(), 1);
    ck_assert_int_eq(
        finish(vecwire_qdrant_create_index(client, &index, keep, NULL, NULL)),
        VECWIRE_OK);
    ck_assert_int_eq(vecwire_qdrant_update_outcome(reply, 0),
                     VECWIRE_QDRANT_COMPLETED);
    index.call = NULL;
    ck_assert_int_eq(
        finish(vecwire_qdrant_delete_index(client, &index, keep, NULL, NULL)),
        VECWIRE_OK);
    ck_assert_int_eq(vecwire_qdrant_update_outcome(reply, 0),
                     VECWIRE_QDRANT_ACKNOWLEDGED);
}
END_TEST

static enum vecwire_err
change_alias(struct vecwire_qdrant_alias_change change)
{
    return vecwire_qdrant_update_aliases(
        client, &VECWIRE_QDRANT_ALIASES(.changes = &change, .n = 1), keep, NULL,
        NULL);
}

START_TEST(an_alias_comes_moves_and_goes)
{
    expect_total(create(), 1);
    expect_total(change_alias((struct vecwire_qdrant_alias_change){
                     .action = VECWIRE_QDRANT_CREATE_ALIAS, .alias = "x"}),
                 1);
    expect_total(change_alias((struct vecwire_qdrant_alias_change){
                     .action = VECWIRE_QDRANT_RENAME_ALIAS,
                     .alias = "x",
                     .new_alias = "y"}),
                 1);
    ck_assert_int_eq(finish(vecwire_qdrant_collection_aliases(
                         client, &nothing, keep, NULL, NULL)),
                     VECWIRE_OK);
    ck_assert_uint_eq(vecwire_reply_count(reply), 1);
    ck_assert_str_eq(vecwire_reply_row(reply, 0)->id.text, "y");
    ck_assert_str_eq(vecwire_reply_row(reply, 0)->text, "c");
    expect_total(change_alias((struct vecwire_qdrant_alias_change){
                     .action = VECWIRE_QDRANT_DELETE_ALIAS, .alias = "y"}),
                 1);
    ck_assert_int_eq(
        finish(vecwire_qdrant_list_aliases(client, &nothing, keep, NULL, NULL)),
        VECWIRE_OK);
    ck_assert_uint_eq(vecwire_reply_count(reply), 0);
}
END_TEST

START_TEST(an_alias_cannot_be_a_collection)
{
    expect_total(create(), 1);
    ck_assert_int_eq(finish(change_alias((struct vecwire_qdrant_alias_change){
                         .action = VECWIRE_QDRANT_CREATE_ALIAS, .alias = "c"})),
                     VECWIRE_EHTTP);
    ck_assert_uint_eq(vecwire_reply_status(reply), 409);
}
END_TEST

START_TEST(a_collection_without_snapshots_lists_none)
{
    expect_total(create(), 1);
    ck_assert_int_eq(finish(vecwire_qdrant_list_snapshots(client, &nothing,
                                                          keep, NULL, NULL)),
                     VECWIRE_OK);
    ck_assert_uint_eq(vecwire_reply_count(reply), 0);
}
END_TEST

START_TEST(pages_come_as_they_are)
{
    static const char *const texts[] = {"\"version\"", "healthz check passed",
                                        "healthz check passed",
                                        "all shards are ready"};
    const char *body;
    size_t len;

    ck_assert_int_eq(finish(vecwire_qdrant_page(
                         client, &VECWIRE_QDRANT_PAGE(.page = (uint32_t)_i + 1),
                         keep, NULL, NULL)),
                     VECWIRE_OK);
    body = vecwire_reply_body(reply, &len);
    ck_assert_uint_eq(len, strlen(body));
    ck_assert_msg(strstr(body, texts[_i]) != NULL, "%s", body);
}
END_TEST

START_TEST(another_dialect_has_none_of_this)
{
    struct vecwire_client *other;

    ck_assert_int_eq(
        vecwire_client_new(&other, base,
                           &VECWIRE_OPTIONS(.url = vecwire__server_url(server),
                                            .dialect = VECWIRE_HMS)),
        VECWIRE_OK);
    ck_assert_int_eq(
        vecwire_qdrant_list_collections(other, &nothing, keep, NULL, NULL),
        VECWIRE_EUNSUPPORTED);
    vecwire_client_free(other);
}
END_TEST

START_TEST(a_request_needs_its_macro)
{
    const struct vecwire_qdrant_admin_request made = {0};
    vecwire_call_id id = 7;

    ck_assert_int_eq(
        vecwire_qdrant_list_collections(client, &made, keep, NULL, &id),
        VECWIRE_EINVAL);
    ck_assert_uint_eq(id, 0);
    ck_assert_int_eq(
        vecwire_qdrant_list_collections(client, NULL, keep, NULL, &id),
        VECWIRE_EINVAL);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("qdrant admin e2e");
    TCase *tc = tcase_create("server");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, a_collection_comes_and_goes);
    tcase_add_test(tc, a_collection_is_created_once);
    tcase_add_test(tc, a_collection_is_listed);
    tcase_add_test(tc, a_collection_is_described);
    tcase_add_test(tc, what_is_not_there_has_no_description);
    tcase_add_test(tc, a_collection_is_changed);
    tcase_add_test(tc, an_index_comes_and_goes);
    tcase_add_test(tc, an_alias_comes_moves_and_goes);
    tcase_add_test(tc, an_alias_cannot_be_a_collection);
    tcase_add_test(tc, a_collection_without_snapshots_lists_none);
    tcase_add_loop_test(tc, pages_come_as_they_are, 0, 4);
    tcase_add_test(tc, another_dialect_has_none_of_this);
    tcase_add_test(tc, a_request_needs_its_macro);
    suite_add_tcase(suite, tc);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
