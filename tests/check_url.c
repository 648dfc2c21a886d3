/* SPDX-License-Identifier: Apache-2.0 */
/* The server's address as text. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "net/url.h"

static const struct good {
    const char *text, *host, *header, *prefix;
    unsigned port;
    bool tls, literal;
} good[] = {
    {"http://h", "h", "h:6333", "", 6333, false, false},
    {"https://h", "h", "h", "", 443, true, false},
    {"http://h:80", "h", "h", "", 80, false, false},
    {"https://h:80", "h", "h:80", "", 80, true, false},
    {"http://h:443", "h", "h:443", "", 443, false, false},
    {"HTTP://h:1/", "h", "h:1", "", 1, false, false},
    {"http://h:65535/a/b//", "h", "h:65535", "/a/b", 65535, false, false},
    {"http://127.0.0.1:80/x", "127.0.0.1", "127.0.0.1", "/x", 80, false, false},
    {"http://[::1]:80", "::1", "[::1]", "", 80, false, true},
    {"http://[::1]:81/p", "::1", "[::1]:81", "/p", 81, false, true},
    {"https://[2001:db8::1]", "2001:db8::1", "[2001:db8::1]", "", 443, true,
     true},
    {"http://a-b_c.example.:2", "a-b_c.example.", "a-b_c.example.:2", "", 2,
     false, false},
};

START_TEST(a_good_url_is_taken_apart)
{
    const struct good *want = &good[_i];
    struct vecwire__url url;
    const char *why = "";

    ck_assert_int_eq(vecwire__url_parse(&url, want->text, 6333, &why),
                     VECWIRE_OK);
    ck_assert_ptr_null(why);
    ck_assert_str_eq(url.host, want->host);
    ck_assert_str_eq(url.host_header, want->header);
    ck_assert_str_eq(url.prefix, want->prefix);
    ck_assert_uint_eq(url.port, want->port);
    ck_assert(url.tls == want->tls && url.literal == want->literal);
}
END_TEST

static const char *const bad[] = {"",
                                  "h",
                                  "h:6333",
                                  "//h",
                                  "ftp://h",
                                  "http:/h",
                                  "http://",
                                  "http:///x",
                                  "http://:80",
                                  "http://h:",
                                  "http://h:0",
                                  "http://h:65536",
                                  "http://h:99999999999999999999",
                                  "http://h:8x",
                                  "http://h:-1",
                                  "http://u@h",
                                  "http://u:p@h",
                                  "http://h?q",
                                  "http://h/x?q",
                                  "http://h#f",
                                  "http://[::1",
                                  "http://[::1]x",
                                  "http://[127.0.0.1]",
                                  "http://[]",
                                  "http://::1",
                                  "http://h h",
                                  "http://h/a b",
                                  "http://h/\r\nX: y",
                                  "http://h\n",
                                  "http://h/\xc3\xa4",
                                  "http://\xc3\xa4",
                                  "http://.h",
                                  "http://h%41"};

START_TEST(a_bad_url_is_refused_with_a_reason)
{
    struct vecwire__url url;
    const char *why = NULL;

    ck_assert_msg(vecwire__url_parse(&url, bad[_i], 6333, &why) ==
                      VECWIRE_EINVAL,
                  "taken: %s", bad[_i]);
    ck_assert_ptr_nonnull(why);
}
END_TEST

START_TEST(what_does_not_fit_is_refused)
{
    struct vecwire__url url;
    const char *why;
    char text[2000] = "http://";

    memset(text + 7, 'a', 256);
    ck_assert_int_eq(vecwire__url_parse(&url, text, 80, &why), VECWIRE_EINVAL);
    text[7 + 255] = '\0';
    ck_assert_int_eq(vecwire__url_parse(&url, text, 80, &why), VECWIRE_OK);
    memset(text + 8, '/', 1);
    memset(text + 9, 'b', 1024);
    ck_assert_int_eq(vecwire__url_parse(&url, text, 80, &why), VECWIRE_EINVAL);
    text[8 + 1024] = '\0';
    ck_assert_int_eq(vecwire__url_parse(&url, text, 80, &why), VECWIRE_OK);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("url");
    TCase *tcase = tcase_create("url");
    SRunner *runner;
    int failed;

    tcase_add_loop_test(tcase, a_good_url_is_taken_apart, 0,
                        (int)(sizeof(good) / sizeof(good[0])));
    tcase_add_loop_test(tcase, a_bad_url_is_refused_with_a_reason, 0,
                        (int)(sizeof(bad) / sizeof(bad[0])));
    tcase_add_test(tcase, what_does_not_fit_is_refused);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
