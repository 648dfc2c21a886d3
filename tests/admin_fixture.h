/* SPDX-License-Identifier: Apache-2.0 */
/* An encoder of Qdrant's administration with nothing around it. */
#ifndef VECWIRE_TESTS_ADMIN_FIXTURE_H
#define VECWIRE_TESTS_ADMIN_FIXTURE_H

#include <check.h>
#include <string.h>

#include "codec/mem.h"
#include "dialect/qdrant_server.h"

static struct vecwire__settings settings;
static struct vecwire__encoding enc;
static struct vecwire_refusal refusal;
static struct vecwire_qdrant_params params;

static void
setup(void)
{
    memset(&settings, 0, sizeof(settings));
    memset(&enc, 0, sizeof(enc));
    memset(&refusal, 0, sizeof(refusal));
    settings.prefix = "/p";
    settings.collection = "c d";
    settings.json_depth = 128;
    vecwire_qdrant_params_init(&params);
    vecwire__buf_init(&enc.text, &vecwire__mem_libc);
}

static void
teardown(void)
{
    vecwire__buf_fini(&enc.text);
}

/* What came of it; `body` NULL: none. */
static void
expect(enum vecwire_err err, enum vecwire__method method, const char *path,
       const char *body)
{
    ck_assert_msg(err == VECWIRE_OK, "%s", refusal.text);
    ck_assert_int_eq(enc.method, method);
    ck_assert_str_eq(enc.text.bytes, path);
    ck_assert_int_eq(enc.has_body, body != NULL);
    if (body == NULL)
        return;
    ck_assert_str_eq(enc.content_type, "application/json");
    ck_assert(vecwire__buf_byte(&enc.text, '\0'));
    ck_assert_str_eq(enc.text.bytes + enc.body_at, body);
}

static void
expect_refused(enum vecwire_err err, enum vecwire_err code, const char *words)
{
    ck_assert_int_eq(err, code);
    ck_assert_msg(strstr(refusal.text, words) != NULL, "%s", refusal.text);
}

/* The main() of a program with one case; `add` fills it. */
static int
admin_main(const char *name, void (*add)(TCase *tc))
{
    Suite *suite = suite_create(name);
    TCase *tc = tcase_create(name);
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_checked_fixture(tc, setup, teardown);
    add(tc);
    suite_add_tcase(suite, tc);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}

#endif
