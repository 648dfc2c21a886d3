/* SPDX-License-Identifier: Apache-2.0 */
/* Ids, texts and metadata: what was stored comes back byte by byte. */
#include "tests/live_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#define KIB64 65536

static const char *const odd_ids[] = {
    "a/b",
    "/",
    "a%2Fb",
    "100%",
    "%",
    " ",
    " a  b ",
    "a+b",
    "?a=b&c#d",
    ".",
    "..",
    "../x",
    "batch",
    "stream",
    "\"\\'<>{}|^`",
    "\xc3\xa9t\xc3\xa9",
    "e\xcc\x81",
    "\xe2\x82\xac\xe6\xbc\xa2\xe5\xad\x97",
    "\xf0\x9f\x98\x80",
    "\xe2\x80\xa8\xef\xbb\xbf",
    "HMS:a",
    "hm:s",
    "-",
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ!$*(),;:@"};

START_TEST(an_odd_id_is_stored_found_and_deleted_like_any_other)
{
    const char *id = odd_ids[_i];
    float *vector = live_axis(0);
    const struct vecwire_reply *reply;

    live_tenant("ids");
    live_put(id, vector, NULL, NULL);
    reply = live_query(vector, 1, NULL);
    live_fine(reply);
    ck_assert_uint_eq(vecwire_reply_count(reply), 1);
    ck_assert_str_eq(vecwire_reply_row(reply, 0)->id.text, id);
    vecwire_reply_release(reply);
    live_remove(id, 1);
    live_remove(id, 0);
    free(vector);
}
END_TEST

START_TEST(the_longest_id_is_stored_found_and_deleted)
{
    float *vector = live_axis(0);
    char *id = live_repeat('x', 256);
    const struct vecwire_reply *reply;

    live_tenant("longest");
    /* The last two bytes are one character, three bytes each in the path. */
    memcpy(id + 254, "\xc3\xa9", 2);
    live_put(id, vector, NULL, NULL);
    reply = live_query(vector, 1, NULL);
    live_fine(reply);
    ck_assert_str_eq(vecwire_reply_row(reply, 0)->id.text, id);
    vecwire_reply_release(reply);
    live_remove(id, 1);
    free(id);
    free(vector);
}
END_TEST

/* Store a row and give back what the server has of it. */
static const struct vecwire_reply *
there_and_back(const char *tenant, const char *text, const char *payload)
{
    float *vector = live_axis(0);
    const struct vecwire_reply *reply;

    live_tenant(tenant);
    live_put("a", vector, text, payload);
    reply = live_query(vector, 1, NULL);
    live_fine(reply);
    ck_assert_uint_eq(vecwire_reply_count(reply), 1);
    free(vector);
    return reply;
}

static void
check_text(const char *sent, const char *kept)
{
    const struct vecwire_reply *reply = there_and_back("texts", sent, NULL);
    const struct vecwire_row *row = vecwire_reply_row(reply, 0);

    ck_assert_uint_eq(row->text_len, strlen(kept));
    ck_assert(memcmp(row->text, kept, row->text_len) == 0);
    vecwire_reply_release(reply);
}

static const char *const texts[] = {
    "a",
    "one two  three\n\tfour",
    "\"quoted\" \\ / \b\f\n\r\t and \x01\x1f\x7f end",
    "\xc3\xa4\xe2\x82\xac\xe6\xbc\xa2\xf0\x9f\x98\x80\xef\xbf\xbf",
    "two\xe2\x80\xa8separators \xe2\x80\xa9inside",
    "{\"json\":[1,2]} \\u0041 &amp; %41 </script>",
    "...",
};

START_TEST(a_text_comes_back_byte_by_byte)
{
    check_text(texts[_i], texts[_i]);
}
END_TEST

START_TEST(a_text_comes_back_without_the_white_space_at_its_ends)
{
    check_text(" \n\ta  b\xe3\x80\x80 \r\n", "a  b");
    check_text("\xc2\xa0 \xe2\x80\x83", "");
}
END_TEST

START_TEST(a_text_of_64_kib_comes_back_whole)
{
    char *text = live_repeat('t', KIB64);

    check_text(text, text);
    for (size_t i = 0; i < KIB64; i += 4)
        memcpy(text + i, "\xf0\x9f\x98\x80", 4);
    check_text(text, text);
    /* The most that escapes can make of it. */
    memset(text, '\x01', KIB64);
    check_text(text, text);
    free(text);
}
END_TEST

START_TEST(a_text_of_4096_words_is_taken)
{
    char *text = live_repeat('w', 2 * 4096 - 1);

    for (size_t i = 1; i < 2 * 4096 - 1; i += 2)
        text[i] = ' ';
    check_text(text, text);
    free(text);
}
END_TEST

/* Compact, keys sorted, numbers in the server's own form. */
static const char *const canonical[] = {
    "{}",
    "{\"a\":[1,2.5,-0.5,null,true,false,\"x\"],\"b\":{\"c\":{}},\"d\":[]}",
    "{\"max\":9223372036854775807,\"min\":-9223372036854775808}",
    "{\"a\":0.1,\"b\":3.141592653589793,\"c\":123456.789}",
    "{\"k\":\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80 \\\" \\\\ / \\n\"}",
    "{\"\":\"\",\" \":1,\"a.b\":{\"/\":2},\"\xc3\xa4\":3}",
};

START_TEST(plain_metadata_comes_back_byte_by_byte)
{
    const struct vecwire_reply *reply =
        there_and_back("plain", NULL, canonical[_i]);

    ck_assert_str_eq(vecwire_reply_row(reply, 0)->payload, canonical[_i]);
    vecwire_reply_release(reply);
}
END_TEST

/* The same value, if not the same text. */
static const char *const equal[] = {
    " { \"b\" : 1 , \"a\" : [ 2 , { } ] } ",
    "{\"e\":1e300,\"f\":1E-7,\"g\":-2.5e+10,\"h\":1.50}",
    "{\"\\u00e4\":\"\\u20ac\\ud83d\\ude00\\/\",\"c\":\"\\u0001\\u007f\"}",
    "{\"text\":\"with \\u0000 in it\"}",
};

START_TEST(metadata_keep_their_value)
{
    const struct vecwire_reply *reply =
        there_and_back("equal", NULL, equal[_i]);
    json_t *sent = json_loads(equal[_i], JSON_ALLOW_NUL, NULL);
    json_t *kept =
        json_loads(vecwire_reply_row(reply, 0)->payload, JSON_ALLOW_NUL, NULL);

    ck_assert(sent != NULL && kept != NULL);
    ck_assert_msg(json_equal(sent, kept) == 1, "%s",
                  vecwire_reply_row(reply, 0)->payload);
    json_decref(sent);
    json_decref(kept);
    vecwire_reply_release(reply);
}
END_TEST

/* {"k":"yyy"} of `n` bytes. */
static char *
metadata_of(size_t n)
{
    char *text = live_repeat('y', n);

    memcpy(text, "{\"k\":\"", 6);
    memcpy(text + n - 2, "\"}", 2);
    return text;
}

START_TEST(metadata_of_64_kib_come_back_whole)
{
    char *payload = metadata_of(KIB64);
    const struct vecwire_reply *reply = there_and_back("whole", NULL, payload);

    ck_assert_str_eq(vecwire_reply_row(reply, 0)->payload, payload);
    vecwire_reply_release(reply);
    free(payload);
}
END_TEST

START_TEST(metadata_may_be_nested_a_hundred_deep)
{
    char payload[1024] = "{\"k\":";
    size_t n = 99, len = strlen(payload);
    const struct vecwire_reply *reply;

    memset(payload + len, '[', n);
    memset(payload + len + n, ']', n);
    memcpy(payload + len + 2 * n, "}", 2);
    reply = there_and_back("nested", NULL, payload);
    ck_assert_str_eq(vecwire_reply_row(reply, 0)->payload, payload);
    vecwire_reply_release(reply);
}
END_TEST

/* A hundred rows with as much as they may have. */
START_TEST(a_reply_of_many_megabytes_comes_whole)
{
    float *vector = live_axis(0);
    char *text = live_repeat('t', KIB64), *payload = metadata_of(KIB64);
    const struct vecwire_reply *reply;
    char id[16];

    live_tenant("megabytes");
    for (int i = 0; i < 100; i++) {
        snprintf(id, sizeof(id), "%02d", i);
        live_put(id, vector, text, payload);
    }
    reply = live_query(vector, 100, NULL);
    live_fine(reply);
    ck_assert_uint_eq(vecwire_reply_count(reply), 100);
    for (size_t i = 0; i < 100; i++) {
        const struct vecwire_row *row = vecwire_reply_row(reply, i);

        ck_assert_uint_eq(strtoul(row->id.text, NULL, 10), i);
        ck_assert_str_eq(row->text, text);
        ck_assert_str_eq(row->payload, payload);
    }
    vecwire_reply_release(reply);
    free(text);
    free(payload);
    free(vector);
}
END_TEST

#define N_OF(array) ((int)(sizeof(array) / sizeof((array)[0])))

TCase *
live_texts_case(void)
{
    TCase *tcase = tcase_create("texts");

    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, live_begin, live_end);
    tcase_add_loop_test(tcase,
                        an_odd_id_is_stored_found_and_deleted_like_any_other, 0,
                        N_OF(odd_ids));
    tcase_add_test(tcase, the_longest_id_is_stored_found_and_deleted);
    tcase_add_loop_test(tcase, a_text_comes_back_byte_by_byte, 0, N_OF(texts));
    tcase_add_test(tcase,
                   a_text_comes_back_without_the_white_space_at_its_ends);
    tcase_add_test(tcase, a_text_of_64_kib_comes_back_whole);
    tcase_add_test(tcase, a_text_of_4096_words_is_taken);
    tcase_add_loop_test(tcase, plain_metadata_comes_back_byte_by_byte, 0,
                        N_OF(canonical));
    tcase_add_loop_test(tcase, metadata_keep_their_value, 0, N_OF(equal));
    tcase_add_test(tcase, metadata_of_64_kib_come_back_whole);
    tcase_add_test(tcase, metadata_may_be_nested_a_hundred_deep);
    tcase_add_test(tcase, a_reply_of_many_megabytes_comes_whole);
    return tcase;
}
