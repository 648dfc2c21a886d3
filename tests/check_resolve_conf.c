/* SPDX-License-Identifier: Apache-2.0 */
/* What /etc/hosts and the search list of resolv.conf say about a name. */
#include "net/resolve.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[64];

static void
write_bytes(const char *bytes, size_t n)
{
    int fd;

    strcpy(path, "/tmp/vecwire-conf-XXXXXX");
    fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, bytes, n), (int)n);
    close(fd);
}

static void
write_file(const char *text)
{
    write_bytes(text, strlen(text));
}

static const char hosts[] = "127.0.0.1 localhost\n"
                            "# 10.0.0.9 commented\n"
                            "10.0.0.1\tdb.test  db # 10.0.0.2 remark\n"
                            "   2001:db8::1 DB\r\n"
                            "no-address lost\n"
                            "10.0.0.4 glued#remark\n"
                            "\n"
                            "10.0.0.3";

static const struct {
    const char *host, *first;
    size_t n;
} found[] = {
    {"db.test", "10.0.0.1:7", 1},
    {"db", "10.0.0.1:7", 2},
    {"Db", "10.0.0.1:7", 2},
    {"d", "", 0},
    {"db.test.", "", 0},
    {"commented", "", 0},
    {"remark", "", 0},
    {"lost", "", 0},
    {"glued", "10.0.0.4:7", 1},
    {"10.0.0.3", "", 0},
};

START_TEST(a_hosts_file_gives_all_addresses_of_a_name)
{
    struct vecwire__addresses out;
    char text[64] = "";

    write_file(hosts);
    ck_assert_int_eq(vecwire__hosts_find(path, found[_i].host, 7, &out),
                     found[_i].n > 0);
    ck_assert_uint_eq(out.n, found[_i].n);
    if (out.n > 0)
        vecwire__address_text(&out.at[0], true, text, sizeof(text));
    ck_assert_str_eq(text, found[_i].first);
    unlink(path);
    ck_assert(!vecwire__hosts_find(path, "db", 7, &out));
}
END_TEST

START_TEST(of_a_hosts_file_no_more_is_taken_than_there_is_room_for)
{
    struct vecwire__addresses out;
    char text[40 * 16] = "";

    for (int i = 0; i < 40; i++)
        strcat(text, "10.0.0.1 db\n");
    write_file(text);
    ck_assert(vecwire__hosts_find(path, "db", 7, &out));
    ck_assert_uint_eq(out.n, VECWIRE__MAX_ADDRESSES);
    unlink(path);
}
END_TEST

/* `n` letters between the two. */
static const char *
long_line(const char *before, size_t n, const char *behind)
{
    static char text[8192];
    size_t at = strlen(before);

    memcpy(text, before, at);
    memset(text + at, 'x', n);
    strcpy(text + at + n, behind);
    return text;
}

START_TEST(a_line_of_a_hosts_file_has_any_length)
{
    struct vecwire__addresses out;
    char blanks[4000];

    /* As long as a line of a program's own could be, and around it. */
    for (size_t n = 990; n < 1060; n++) {
        write_file(long_line("# ", n, " 10.0.0.1 db\n10.0.0.2 other"));
        ck_assert(!vecwire__hosts_find(path, "db", 7, &out));
        ck_assert(vecwire__hosts_find(path, "other", 7, &out));
        unlink(path);
        write_file(long_line("10.0.0.1 ", n, " 10.0.0.2 db\n"));
        ck_assert(vecwire__hosts_find(path, "db", 7, &out));
        ck_assert_uint_eq(out.n, 1);
        ck_assert_uint_eq(out.at[0].in.sin_addr.s_addr, htonl(0x0a000001));
        unlink(path);
    }
    memset(blanks, ' ', sizeof(blanks));
    memcpy(blanks, "10.0.0.1", 8);
    memcpy(blanks + sizeof(blanks) - 3, " db", 3);
    write_bytes(blanks, sizeof(blanks));
    ck_assert(vecwire__hosts_find(path, "db", 7, &out));
    unlink(path);
}
END_TEST

START_TEST(a_nul_in_a_hosts_file_ends_no_name)
{
    static const char text[] = "10.0.0.1 db\0x\n10.0.0.\0009 other\n"
                               "10.0.0.2\0 more\n10.0.0.3 a\0 last";
    struct vecwire__addresses out;

    write_bytes(text, sizeof(text) - 1);
    ck_assert(!vecwire__hosts_find(path, "db", 7, &out));
    ck_assert(!vecwire__hosts_find(path, "other", 7, &out));
    ck_assert(!vecwire__hosts_find(path, "more", 7, &out));
    ck_assert(!vecwire__hosts_find(path, "a", 7, &out));
    ck_assert(vecwire__hosts_find(path, "last", 7, &out));
    unlink(path);
}
END_TEST

/* The names that are asked for, in their order. */
static const struct {
    const char *conf, *host, *names;
} searches[] = {
    {"search a.test b.test\n", "db", "db.a.test db.b.test db "},
    {"search a.test b.test\n", "db.x", "db.x db.x.a.test db.x.b.test "},
    {"search a.test\n", "db.", "db. "},
    {"search a.test\noptions rotate ndots:2\n", "db.x", "db.x.a.test db.x "},
    {"search a.test\noptions ndots:2\n", "db.x.y", "db.x.y db.x.y.a.test "},
    {"search a.test\noptions ndots:0\n", "db", "db db.a.test "},
    {"search a.test\ndomain b.test\n", "db", "db.b.test db "},
    {"domain b.test\nsearch a.test\n", "db", "db.a.test db "},
    {"# search a.test\nsearch\n", "db", "db "},
    {"search . a.test .b.test\n", "db", "db.a.test db.b.test db "},
    {"search a.test # b.test\n", "db", "db.a.test db "},
    {"nameserver 127.0.0.1\nsearch a.test", "db", "db.a.test db "},
};

START_TEST(a_search_list_gives_names_in_their_order)
{
    struct vecwire__search search;
    char name[VECWIRE__NAME_SIZE], all[512] = "";

    write_file(searches[_i].conf);
    vecwire__search_read(path, &search);
    for (size_t i = 0;
         vecwire__search_name(&search, searches[_i].host, i, name); i++) {
        strcat(all, name);
        strcat(all, " ");
    }
    ck_assert_str_eq(all, searches[_i].names);
    unlink(path);
}
END_TEST

/* A domain that is longer than a name can be is none. */
START_TEST(a_line_of_a_resolv_conf_has_any_length)
{
    struct vecwire__search search;

    for (size_t n = 990; n < 1060; n++) {
        write_file(long_line("# ", n, " search b.test\nsearch a.test\n"));
        vecwire__search_read(path, &search);
        ck_assert_uint_eq(search.n, 1);
        ck_assert_str_eq(search.domains[0], "a.test");
        unlink(path);
        write_file(long_line("search ", n, " a.test\n"));
        vecwire__search_read(path, &search);
        ck_assert_uint_eq(search.n, 1);
        ck_assert_str_eq(search.domains[0], "a.test");
        unlink(path);
    }
}
END_TEST

START_TEST(a_search_list_has_an_end)
{
    struct vecwire__search search;
    char text[1000] = "search";

    for (int i = 0; i < 40; i++)
        strcat(text, " a.test");
    write_file(text);
    vecwire__search_read(path, &search);
    ck_assert_uint_eq(search.n, VECWIRE__MAX_SEARCH);
    unlink(path);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("resolve_conf");
    TCase *tc = tcase_create("resolve_conf");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_loop_test(tc, a_hosts_file_gives_all_addresses_of_a_name, 0,
                        (int)(sizeof(found) / sizeof(found[0])));
    tcase_add_test(tc, of_a_hosts_file_no_more_is_taken_than_there_is_room_for);
    tcase_add_test(tc, a_line_of_a_hosts_file_has_any_length);
    tcase_add_test(tc, a_nul_in_a_hosts_file_ends_no_name);
    tcase_add_test(tc, a_line_of_a_resolv_conf_has_any_length);
    tcase_add_loop_test(tc, a_search_list_gives_names_in_their_order, 0,
                        (int)(sizeof(searches) / sizeof(searches[0])));
    tcase_add_test(tc, a_search_list_has_an_end);
    suite_add_tcase(suite, tc);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
