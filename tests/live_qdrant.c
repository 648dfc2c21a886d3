/* SPDX-License-Identifier: Apache-2.0 */
/* One suite for every Qdrant server: our own and the real one must both pass
 * it. Public functions only; see tests/live_rig.h for its environment, of
 * which the dimension is not used. Each test has a collection of its own. */
#include "tests/live_qdrant.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

const struct vecwire_qdrant_params live_wait_params = {
    .size = sizeof(struct vecwire_qdrant_params), .wait = true};
const struct vecwire_call_options live_wait = {
    .size = sizeof(struct vecwire_call_options), .qdrant = &live_wait_params};

static const struct vecwire_reply *last;
static char collection[64];

const struct vecwire_reply **
live_slot(void)
{
    vecwire_reply_release(last);
    last = NULL;
    return &last;
}

const struct vecwire_reply *
live_fine_reply(enum vecwire_err taken)
{
    ck_assert_int_eq(taken, VECWIRE_OK);
    live_drain();
    ck_assert_ptr_nonnull(last);
    live_fine(last);
    return last;
}

const struct vecwire_error *
live_error(enum vecwire_err taken, uint32_t status)
{
    const struct vecwire_error *error;

    ck_assert_int_eq(taken, VECWIRE_OK);
    live_drain();
    error = vecwire_reply_error(last);
    ck_assert_msg(error != NULL, "status %u was expected", (unsigned)status);
    ck_assert_msg(error->code == VECWIRE_EHTTP && error->http_status == status,
                  "%s", error->detail);
    ck_assert_ptr_nonnull(error->server_text);
    ck_assert_uint_gt(strlen(error->server_text), 0);
    return error;
}

void
live_ids(const struct vecwire_reply *reply, const char *ids)
{
    char found[512] = "";

    for (size_t i = 0; i < vecwire_reply_count(reply); i++) {
        size_t len = strlen(found);

        snprintf(found + len, sizeof(found) - len, "%s%s", i == 0 ? "" : " ",
                 vecwire_reply_row(reply, i)->id.text);
    }
    ck_assert_str_eq(found, ids);
}

const char *
live_collection(void)
{
    return collection;
}

void
live_index(const char *key, uint32_t type)
{
    live_fine_reply(vecwire_qdrant_create_index(
        live.client,
        &VECWIRE_QDRANT_INDEX(.key = key, .type = type, .call = &live_wait),
        live_keep, live_slot(), NULL));
}

/* The collection: four floats by dot product, and sparse vectors "s". */
static void
begin(void)
{
    static const struct vecwire_qdrant_vector_config dense = {
        .size = 4, .distance = VECWIRE_QDRANT_DOT};
    static const struct vecwire_qdrant_sparse_config sparse = {.name = "s"};

    live_begin();
    snprintf(collection, sizeof(collection), "vecwire-live-%ld-%ld",
             (long)time(NULL), (long)getpid());
    live_connect(VECWIRE_OPTIONS(.dialect = VECWIRE_QDRANT, .connections = 1,
                                 .collection = collection,
                                 .deadline_ms = LIVE_PATIENCE_MS));
    live_fine_reply(vecwire_qdrant_create_collection(
        live.client,
        &VECWIRE_QDRANT_CREATE(.vectors = &dense, .n_vectors = 1,
                               .sparse_vectors = &sparse,
                               .n_sparse_vectors = 1),
        live_keep, live_slot(), NULL));
}

static void
end(void)
{
    live_fine_reply(vecwire_qdrant_delete_collection(
        live.client, &VECWIRE_QDRANT_ADMIN(0), live_keep, live_slot(), NULL));
    ck_assert_uint_eq(vecwire_reply_total(last), 1);
    live_slot();
    live_end();
}

void
live_fill(void)
{
    static const float matrix[6 * 4] = {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0,
                                        0, 4, 0, 0, 0, 5, 0, 0, 0, 6, 0, 0};
    static const uint64_t numbers[] = {1, 2, 3, 4, 5, 6};
    static const char *const payloads[] = {
        "{\"city\":\"Rome\",\"n\":1}", "{\"city\":\"Oslo\",\"n\":2}",
        "{\"city\":\"Rome\",\"n\":3}", "{\"city\":\"Oslo\",\"n\":4}",
        "{\"city\":\"Rome\",\"n\":5}", NULL};

    live_fine_reply(
        vecwire_upsert(live.client,
                       &VECWIRE_UPSERT(.matrix = matrix, .rows = 6, .dim = 4,
                                       .numbers = numbers, .payloads = payloads,
                                       .call = &live_wait),
                       live_keep, live_slot(), NULL));
}

START_TEST(a_collection_is_told_as_it_was_made)
{
    struct vecwire_qdrant_collection_info info;
    const struct vecwire_reply *reply;
    bool listed = false;

    reply = live_fine_reply(vecwire_qdrant_collection_exists(
        live.client, &VECWIRE_QDRANT_ADMIN(0), live_keep, live_slot(), NULL));
    ck_assert_uint_eq(vecwire_reply_total(reply), 1);
    reply = live_fine_reply(vecwire_qdrant_collection_info(
        live.client, &VECWIRE_QDRANT_ADMIN(0), live_keep, live_slot(), NULL));
    ck_assert(vecwire_qdrant_info(reply, &info));
    ck_assert_uint_eq(info.vector_size, 4);
    ck_assert_uint_eq(info.distance, VECWIRE_QDRANT_DOT);
    ck_assert(info.optimizer_ok);
    reply = live_fine_reply(vecwire_qdrant_list_collections(
        live.client, &VECWIRE_QDRANT_ADMIN(0), live_keep, live_slot(), NULL));
    for (size_t i = 0; i < vecwire_reply_count(reply); i++) {
        const struct vecwire_row *row = vecwire_reply_row(reply, i);

        listed = listed || strcmp(row->id.text, collection) == 0;
    }
    ck_assert(listed);
}
END_TEST

START_TEST(a_collection_is_changed)
{
    const struct vecwire_reply *reply;

    reply = live_fine_reply(vecwire_qdrant_update_collection(
        live.client,
        &VECWIRE_QDRANT_UPDATE_COLLECTION(.metadata = "{\"owner\":\"me\"}"),
        live_keep, live_slot(), NULL));
    ck_assert_uint_eq(vecwire_reply_total(reply), 1);
    reply = live_fine_reply(vecwire_qdrant_collection_info(
        live.client, &VECWIRE_QDRANT_ADMIN(0), live_keep, live_slot(), NULL));
    ck_assert_ptr_nonnull(
        strstr(vecwire_reply_row(reply, 0)->payload, "\"owner\":\"me\""));
}
END_TEST

START_TEST(a_name_that_is_taken_is_409)
{
    live_error(vecwire_qdrant_create_collection(live.client,
                                                &VECWIRE_QDRANT_CREATE(0),
                                                live_keep, live_slot(), NULL),
               409);
}
END_TEST

START_TEST(a_collection_that_is_not_there_is_404)
{
    static const struct vecwire_call_options other = {
        .size = sizeof(other), .collection = "vecwire-live-none"};

    live_error(vecwire_count(live.client, &VECWIRE_COUNT(.call = &other),
                             live_keep, live_slot(), NULL),
               404);
}
END_TEST

/* One change of the aliases, which must be taken. */
static void
change_alias(uint32_t action, const char *alias, const char *new_alias)
{
    const struct vecwire_qdrant_alias_change change = {
        .action = action, .alias = alias, .new_alias = new_alias};

    live_fine_reply(vecwire_qdrant_update_aliases(
        live.client, &VECWIRE_QDRANT_ALIASES(.changes = &change, .n = 1),
        live_keep, live_slot(), NULL));
    ck_assert_uint_eq(vecwire_reply_total(last), 1);
}

START_TEST(an_alias_is_made_renamed_used_and_deleted)
{
    char first[80], second[80];
    const struct vecwire_call_options call = {.size = sizeof(call),
                                              .collection = second};
    const struct vecwire_reply *reply;

    snprintf(first, sizeof(first), "%s-a", collection);
    snprintf(second, sizeof(second), "%s-b", collection);
    live_fill();
    change_alias(VECWIRE_QDRANT_CREATE_ALIAS, first, NULL);
    change_alias(VECWIRE_QDRANT_RENAME_ALIAS, first, second);
    reply = live_fine_reply(vecwire_qdrant_collection_aliases(
        live.client, &VECWIRE_QDRANT_ADMIN(0), live_keep, live_slot(), NULL));
    live_ids(reply, second);
    ck_assert_str_eq(vecwire_reply_row(reply, 0)->text, collection);
    reply = live_fine_reply(vecwire_count(live.client,
                                          &VECWIRE_COUNT(.call = &call),
                                          live_keep, live_slot(), NULL));
    ck_assert_uint_eq(vecwire_reply_total(reply), 6);
    change_alias(VECWIRE_QDRANT_DELETE_ALIAS, second, NULL);
    live_error(vecwire_count(live.client, &VECWIRE_COUNT(.call = &call),
                             live_keep, live_slot(), NULL),
               404);
}
END_TEST

START_TEST(pages_about_the_server_are_as_it_sends_them)
{
    static const struct {
        uint32_t page;
        const char *has;
    } pages[] = {
        {VECWIRE_QDRANT_ROOT, "\"title\":\"qdrant - vector search engine\""},
        {VECWIRE_QDRANT_HEALTHZ, "healthz check passed"},
        {VECWIRE_QDRANT_LIVEZ, "healthz check passed"},
        {VECWIRE_QDRANT_READYZ, "all shards are ready"},
        {VECWIRE_QDRANT_METRICS, "# TYPE "},
    };

    for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
        const struct vecwire_reply *reply = live_fine_reply(vecwire_qdrant_page(
            live.client, &VECWIRE_QDRANT_PAGE(.page = pages[i].page), live_keep,
            live_slot(), NULL));

        ck_assert_ptr_nonnull(
            strstr(vecwire_reply_body(reply, NULL), pages[i].has));
    }
}
END_TEST

START_TEST(a_collection_begins_without_snapshots)
{
    const struct vecwire_reply *reply = live_fine_reply(
        vecwire_qdrant_list_snapshots(live.client, &VECWIRE_QDRANT_ADMIN(0),
                                      live_keep, live_slot(), NULL));

    ck_assert_uint_eq(vecwire_reply_count(reply), 0);
}
END_TEST

static TCase *
collections_case(void)
{
    TCase *tcase = live_qdrant_case("collections");

    tcase_add_test(tcase, a_collection_is_told_as_it_was_made);
    tcase_add_test(tcase, a_collection_is_changed);
    tcase_add_test(tcase, a_name_that_is_taken_is_409);
    tcase_add_test(tcase, a_collection_that_is_not_there_is_404);
    tcase_add_test(tcase, an_alias_is_made_renamed_used_and_deleted);
    tcase_add_test(tcase, pages_about_the_server_are_as_it_sends_them);
    tcase_add_test(tcase, a_collection_begins_without_snapshots);
    return tcase;
}

TCase *
live_qdrant_case(const char *name)
{
    TCase *tcase = tcase_create(name);

    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, begin, end);
    return tcase;
}

int
main(int argc, char **argv)
{
    Suite *suite = suite_create("a running Qdrant server");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, collections_case());
    suite_add_tcase(suite, live_qdrant_points_case());
    suite_add_tcase(suite, live_qdrant_queries_case());
    srunner_run(runner, NULL, argc > 1 ? argv[1] : NULL, CK_ENV);
    failed = srunner_ntests_failed(runner) + (srunner_ntests_run(runner) == 0);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
