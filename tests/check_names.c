/* SPDX-License-Identifier: Apache-2.0 */
/* Name servers that answer late, wrongly or not at all. Each row is a fault;
 * in each, a call completes once with the right code in the right phase,
 * nothing else on the loop waits, and everything is given back. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <event2/event.h>
#include <vecwire/vecwire.h>

#include "tests/client_rig.h"
#include "tests/counting_mem.h"
#include "tests/fault_server.h"
#include "tests/name_server.h"
#include "tests/net_rig.h"

/* For rows that end by a limit. */
#define LIMIT_MS 60
#define PATIENCE_MS 20000

#define HERE "127.0.0.1"
#define THERE "127.0.0.2"
#define DEAD4 "127.0.0.2 127.0.0.3 127.0.0.4 127.0.0.5 "
#define DEAD16 DEAD4 DEAD4 DEAD4 DEAD4

/* In place of the answers for IPv4 and IPv6, both. */
#define BOTH(...) .a = {__VA_ARGS__}, .aaaa = {__VA_ARGS__}
#define EITHER HERE " ::1"

enum conf { ONE_SERVER, TWO_SERVERS, FIRST_GONE, NO_LINE, NO_FILE, BLACK_HOLE };

struct row {
    const char *what;
    struct name_answer a, aaaa;
    enum vecwire_err code;
    enum conf conf;
    const char *text;     /* in the error's line */
    unsigned most;        /* queries; 0: whatever it takes */
    bool waits;           /* long enough for the loop to be seen turning */
    bool on_ipv6;         /* the server listens there */
    const char *host;     /* NULL: db.test */
    const char *search;   /* a line of the file */
    const char *name;     /* the only one with answers; NULL: all of them */
    const char *not_name; /* has addresses, and must not be asked for */
};

/* 253 bytes, as many as a name has at most. */
#define LABEL "x123456789012345678901234567890123456789012345678901234567890."
#define LONG_NAME LABEL LABEL LABEL LABEL "y.tst"

static const struct row rows[] = {
    {"an address", .a = {.addresses = HERE}},
    {"an answer that comes late", .waits = true,
     .a = {.addresses = HERE, .late_ms = 40}, .aaaa = {.late_ms = 40}},
    {"IPv4 late, IPv6 at once", .waits = true,
     .a = {.addresses = HERE, .late_ms = 40}, .aaaa = {.addresses = "::1"}},
    {"IPv6 late, IPv4 at once", .waits = true, .a = {.addresses = HERE},
     .aaaa = {.addresses = "::1", .late_ms = 40}},
    {"IPv6 alone", .on_ipv6 = true, .aaaa = {.addresses = "::1"}},
    {"IPv6 alone, nobody there", .code = VECWIRE_EREFUSED,
     .aaaa = {.addresses = "::1"}},
    {"no answer for IPv6", .most = 4, .waits = true, .a = {.addresses = HERE},
     .aaaa = {.fault = NAME_SILENT}},
    {"no answer for IPv4", .most = 4, .waits = true, .on_ipv6 = true,
     .a = {.fault = NAME_SILENT}, .aaaa = {.addresses = "::1"}},
    {"IPv6 fails", .a = {.addresses = HERE}, .aaaa = {.rcode = 2}},
    {"IPv6 does not exist", .a = {.addresses = HERE}, .aaaa = {.rcode = 3}},
    {"no answer", .code = VECWIRE_ETIMEDOUT, .waits = true,
     .text = "no name server answered in time", BOTH(.fault = NAME_SILENT)},
    {"SERVFAIL", .code = VECWIRE_ERESOLVE, BOTH(.rcode = 2)},
    {"REFUSED", .code = VECWIRE_ERESOLVE, BOTH(.rcode = 5)},
    {"NOTIMP", .code = VECWIRE_ERESOLVE, BOTH(.rcode = 4)},
    {"FORMERR", .code = VECWIRE_ERESOLVE, BOTH(.rcode = 1)},
    {"NXDOMAIN", .code = VECWIRE_ERESOLVE, BOTH(.rcode = 3)},
    {"NXDOMAIN, late", .code = VECWIRE_ERESOLVE, .waits = true,
     BOTH(.rcode = 3, .late_ms = 40)},
    {"no record", .code = VECWIRE_ERESOLVE, BOTH(.rcode = 0)},
    {"an answer of another query", .code = VECWIRE_ETIMEDOUT, .waits = true,
     BOTH(.fault = NAME_WRONG_ID, .addresses = EITHER)},
    {"an answer to another name", .code = VECWIRE_ERESOLVE,
     BOTH(.fault = NAME_WRONG_QUESTION, .addresses = EITHER)},
    {"an answer in small letters",
     .a = {.fault = NAME_LOWER_CASE, .addresses = HERE},
     .aaaa = {.fault = NAME_LOWER_CASE}},
    {"bytes that are no message", .code = VECWIRE_ERESOLVE,
     BOTH(.fault = NAME_GARBAGE)},
    {"a datagram without a byte", .code = VECWIRE_ETIMEDOUT, .waits = true,
     BOTH(.fault = NAME_EMPTY)},
    {"a query in place of an answer", .code = VECWIRE_ETIMEDOUT, .waits = true,
     BOTH(.fault = NAME_NO_RESPONSE_BIT, .addresses = EITHER)},
    {"a record that is cut", .code = VECWIRE_ERESOLVE,
     BOTH(.fault = NAME_CUT, .addresses = EITHER)},
    {"a record whose name points at itself", .code = VECWIRE_ERESOLVE,
     BOTH(.fault = NAME_POINTER_LOOP, .addresses = EITHER)},
    {"truncated", .code = VECWIRE_ERESOLVE,
     BOTH(.fault = NAME_TRUNCATED, .addresses = EITHER)},
    {"a chain of aliases",
     .a = {.addresses = HERE, .aliases = "b.test c.test d.test"}},
    {"aliases in a loop", .code = VECWIRE_ERESOLVE,
     BOTH(.aliases = "b.test db.test b.test")},
    {"an alias of nothing", .code = VECWIRE_ERESOLVE,
     BOTH(.aliases = "b.test")},
    {"a life of 136 years", .a = {.addresses = HERE, .ttl = UINT32_MAX}},
    {"the first addresses dead", .a = {.addresses = DEAD4 HERE}},
    {"sixteen addresses dead, a seventeenth not", .code = VECWIRE_EREFUSED,
     .a = {.addresses = DEAD16 HERE}},
    {"every answer three times", .a = {.addresses = HERE, .times = 3},
     .aaaa = {.times = 3}},
    {"the first server gone, the second there", .conf = FIRST_GONE,
     .a = {.addresses = HERE}},
    {"the first server refuses, the second answers", .conf = TWO_SERVERS,
     BOTH(.rcode = 5)},
    {"the first server fails, the second answers", .conf = TWO_SERVERS,
     BOTH(.rcode = 2)},
    {"the first server silent, the second answers", .conf = TWO_SERVERS,
     .waits = true, BOTH(.fault = NAME_SILENT)},
    {"a name that is whole, and a search list", .search = "search corp.test",
     .name = "db.test", .not_name = "db.test.corp.test",
     .a = {.addresses = HERE}},
    {"a whole name that is asked for in vain, and a search list",
     .search = "search corp.test", .name = "db.test.corp.test",
     .a = {.addresses = HERE}},
    {"a search list, and no answer for IPv6", .search = "search corp.test",
     .waits = true, .name = "db.test", .not_name = "db.test.corp.test",
     .a = {.addresses = HERE}, .aaaa = {.fault = NAME_SILENT}},
    {"a short name", .search = "search one.test two.test three.test",
     .host = "db", .name = "db.two.test", .not_name = "db.three.test",
     .a = {.addresses = HERE}},
    {"a short name, in no domain", .search = "search one.test two.test",
     .host = "db", .name = "db", .a = {.addresses = HERE}},
    {"a short name that does not exist", .search = "domain one.test",
     .host = "db", .name = "other", .code = VECWIRE_ERESOLVE,
     .text = "db: there is no such name"},
    {"a name with fewer dots than asked for",
     .search = "search one.test\noptions ndots:5", .name = "db.test.one.test",
     .not_name = "db.test", .a = {.addresses = HERE}},
    {"a domain that makes the name too long",
     .search = "search " LONG_NAME "\noptions ndots:5", .name = "db.test",
     .a = {.addresses = HERE}},
    {"a domain that makes the name too long, then one that does not",
     .search = "search " LONG_NAME " one.test", .host = "db",
     .name = "db.one.test", .a = {.addresses = HERE}},
    {"a name that does not exist, and a domain that makes it too long",
     .search = "search " LONG_NAME, .name = "other", .code = VECWIRE_ERESOLVE,
     .text = "there is no such name"},
    {"a name with a dot at its end",
     .search = "search one.test\noptions ndots:5", .host = "db.test.",
     .name = "db.test", .not_name = "one.test", .a = {.addresses = HERE}},
    {"no server in the file", .conf = NO_LINE, .code = VECWIRE_ERESOLVE,
     .text = "there is no name server to ask"},
    {"no file", .conf = NO_FILE, .code = VECWIRE_ERESOLVE,
     .text = "there is no name server to ask"},
    {"a server in a black hole", .conf = BLACK_HOLE, .waits = true,
     .code = VECWIRE_ETIMEDOUT},
};

#define N_ROWS ((int)(sizeof(rows) / sizeof(rows[0])))

/* What ends the call: the fault itself, or one of these before. */
enum end { ITSELF, DEADLINE, CANCEL, CANCEL_AT_ONCE, FREE, N_ENDS };

struct names {
    struct event_base *base;
    struct counting_mem counting;
    struct fault_server *server;
    struct name_server *first, *second;
    struct vecwire_client *client;
    struct event *ticker;
    struct name_rule rules[2];
    char path[64];
    unsigned ticks, runs, ticks_at_end;
    enum vecwire_err code;
    enum vecwire_phase phase;
    bool outcome_unknown;
    char detail[200];
};

static struct names names;

static void
on_tick(evutil_socket_t fd, short what, void *arg)
{
    (void)fd;
    (void)what;
    (void)arg;
    names.ticks++;
}

static void
on_reply(const struct vecwire_reply *reply, void *arg)
{
    const struct vecwire_error *error = vecwire_reply_error(reply);

    (void)arg;
    names.runs++;
    names.ticks_at_end = names.ticks;
    names.code = VECWIRE_OK;
    if (error == NULL)
        return;
    names.code = error->code;
    names.phase = error->phase;
    names.outcome_unknown = error->outcome_unknown;
    snprintf(names.detail, sizeof(names.detail), "%s", error->detail);
}

static void
write_conf(const struct row *row)
{
    char text[500] = "";
    int fd;

    if (row->conf != NO_LINE)
        snprintf(text, sizeof(text),
                 "nameserver " HERE ":%u\n"
                 "%s" THERE ":%u\noptions timeout:2e-1\n%s\n",
                 (unsigned)name_server_port(names.first),
                 row->conf == TWO_SERVERS || row->conf == FIRST_GONE
                     ? "nameserver "
                     : "# ",
                 (unsigned)name_server_port(names.second),
                 row->search == NULL ? "" : row->search);
    /* Of these networks nothing ever comes back (RFC 5737). */
    if (row->conf == BLACK_HOLE)
        snprintf(text, sizeof(text), "nameserver 192.0.2.1\n");
    strcpy(names.path, "/tmp/vecwire-names-XXXXXX");
    fd = mkstemp(names.path);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, text, strlen(text)), (int)strlen(text));
    close(fd);
    if (row->conf == NO_FILE)
        unlink(names.path);
}

static bool
begin(const struct row *row, enum end end)
{
    static const struct fault_step script[] = {
        {FAULT_READ, NULL, 0}, FAULT_OK("hello", "5"), {FAULT_STALL, NULL, 0}};
    static const struct fault_step *const scripts[] = {script};
    static const struct name_rule good = {.a = {.addresses = HERE}};
    static const struct name_answer either = {.addresses = EITHER};
    const struct timeval tick = {0, 1000};
    bool limited = row->code == VECWIRE_ETIMEDOUT;
    uint32_t connect_ms = limited && end == ITSELF ? LIMIT_MS : VECWIRE_NEVER;
    uint32_t deadline_ms = limited && end == DEADLINE ? LIMIT_MS : PATIENCE_MS;
    char url[64];

    memset(&names, 0, sizeof(names));
    counting_mem_init(&names.counting);
    names.base = vecwire_event_base_new();
    names.server =
        fault_server_new(names.base, row->on_ipv6 ? "::1" : HERE, scripts, 1);
    names.rules[0] = (struct name_rule){row->not_name, either, either};
    names.rules[1] = (struct name_rule){row->name, row->a, row->aaaa};
    if (row->not_name == NULL)
        names.rules[0] = names.rules[1];
    names.first = name_server_new(names.base, HERE, names.rules, 2);
    names.second = name_server_new(names.base, THERE, &good, 1);
    names.ticker = event_new(names.base, -1, EV_PERSIST, on_tick, NULL);
    event_add(names.ticker, &tick);
    write_conf(row);
    if (row->conf == FIRST_GONE)
        name_server_stop(names.first);
    if (names.server == NULL)
        return false;
    snprintf(url, sizeof(url), "http://%s:%u",
             row->host == NULL ? "db.test" : row->host,
             (unsigned)fault_server_port(names.server));
    ck_assert_int_eq(
        vecwire_client_new(&names.client, names.base,
                           &VECWIRE_OPTIONS(.url = url, .attempts = 1,
                                            .connect_ms = connect_ms,
                                            .deadline_ms = deadline_ms,
                                            .resolv_conf = names.path,
                                            .mem = &names.counting.mem)),
        VECWIRE_OK);
    return true;
}

/* The answer, and what else is on its way, has come. */
static void
settle(void)
{
    for (int i = 0; i < 3 || name_server_waiting(names.first) > 0 ||
                    name_server_waiting(names.second) > 0;
         i++)
        event_base_loop(names.base, EVLOOP_ONCE);
    ck_assert_uint_eq(names.runs, 1);
}

/* Nothing of ours keeps the loop from returning, and nothing is left. */
static void
end_all(void)
{
    vecwire_client_free(names.client);
    event_free(names.ticker);
    name_server_free(names.first);
    name_server_free(names.second);
    fault_server_free(names.server);
    ck_assert_int_eq(event_base_dispatch(names.base), 1);
    event_base_free(names.base);
    ck_assert_uint_eq(names.counting.blocks, 0);
    unlink(names.path);
}

static bool
asked(void)
{
    return name_server_queries(names.first) > 0 ||
           name_server_queries(names.second) > 0;
}

static void
run(const struct row *row, enum end end)
{
    vecwire_call_id id;

    ck_assert_int_eq(vecwire_raw(names.client,
                                 &VECWIRE_RAW(.method = "POST", .path = "/"),
                                 on_reply, NULL, &id),
                     VECWIRE_OK);
    ck_assert_uint_eq(names.runs, 0);
    while ((end == CANCEL || end == FREE) && !asked() && names.runs == 0 &&
           row->conf != BLACK_HOLE)
        event_base_loop(names.base, EVLOOP_ONCE);
    if (end != CANCEL_AT_ONCE && row->conf == BLACK_HOLE)
        event_base_loop(names.base, EVLOOP_ONCE);
    if (names.runs == 0 && (end == CANCEL || end == CANCEL_AT_ONCE))
        ck_assert(vecwire_cancel(names.client, id));
    if (names.runs == 0 && end == FREE) {
        vecwire_client_free(names.client);
        names.client = NULL;
        ck_assert_uint_eq(names.runs, 1);
    }
    while (names.runs == 0)
        event_base_loop(names.base, EVLOOP_ONCE);
    settle();
}

static void
check(const struct row *row, enum end end)
{
    static const enum vecwire_err codes[N_ENDS] = {[CANCEL] = VECWIRE_ECANCELED,
                                                   [CANCEL_AT_ONCE] =
                                                       VECWIRE_ECANCELED,
                                                   [FREE] = VECWIRE_ECLOSED};
    enum vecwire_err code = codes[end];

    if (end == ITSELF || end == DEADLINE ||
        ((end == CANCEL || end == FREE) && !asked() && row->conf != BLACK_HOLE))
        code = row->code;
    ck_assert_msg(names.code == code, "%s (%d): %s: %s", row->what, (int)end,
                  vecwire_err_name(names.code), names.detail);
    ck_assert(!names.outcome_unknown);
    if (code == VECWIRE_OK || code == VECWIRE_EREFUSED)
        return;
    if (end != CANCEL_AT_ONCE)
        ck_assert_msg(names.phase == VECWIRE_PHASE_RESOLVING, "%s (%d): in %s",
                      row->what, (int)end, vecwire_phase_name(names.phase));
    if (end == ITSELF && row->text != NULL)
        ck_assert_msg(strstr(names.detail, row->text) != NULL, "%s: %s",
                      row->what, names.detail);
}
static void
on_later(evutil_socket_t fd, short what, void *arg)
{
    (void)fd;
    (void)what;
    *(bool *)arg = true;
}

START_TEST(nobody_is_asked_any_more_behind_the_limit)
{
    static const struct row row = {.what = "no answer",
                                   .code = VECWIRE_ETIMEDOUT,
                                   BOTH(.fault = NAME_SILENT)};
    const struct timeval later = {0, 500000};
    bool is_later = false;
    size_t queries;

    ck_assert(begin(&row, ITSELF));
    run(&row, ITSELF);
    queries = name_server_queries(names.first);
    ck_assert_uint_ge(queries, 2);
    event_base_once(names.base, -1, EV_TIMEOUT, on_later, &is_later, &later);
    while (!is_later)
        event_base_loop(names.base, EVLOOP_ONCE);
    ck_assert_uint_eq(name_server_queries(names.first), queries);
    end_all();
}
END_TEST

/* Row and end of each: a deadline has nothing to do with what ends before. */
static struct one {
    const struct row *row;
    enum end end;
} cases[N_ROWS * N_ENDS];
static int n_cases;

static void
choose_cases(void)
{
    for (int i = 0; i < N_ROWS * N_ENDS; i++) {
        struct one one = {&rows[i / N_ENDS], (enum end)(i % N_ENDS)};

        if (one.end != DEADLINE || one.row->code == VECWIRE_ETIMEDOUT)
            cases[n_cases++] = one;
    }
}

START_TEST(each_fault_of_a_name_server_ends_the_call_once_and_gives_all_back)
{
    const struct row *row = cases[_i].row;
    enum end end = cases[_i].end;
    size_t before = rig_descriptors();

    if (begin(row, end)) {
        run(row, end);
        check(row, end);
        if (row->waits && end <= DEADLINE)
            ck_assert_uint_ge(names.ticks_at_end, 1);
        if (row->most > 0)
            ck_assert_uint_le(name_server_queries(names.first), row->most);
        if (row->not_name != NULL)
            ck_assert_uint_eq(name_server_asked(names.first, row->not_name), 0);
    } else {
        printf("SKIP %s: no IPv6 here\n", row->what);
    }
    end_all();
    ck_assert_uint_eq(rig_descriptors(), before);
}
END_TEST

static void
add_tests(TCase *tcase)
{
    choose_cases();
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(
        tcase,
        each_fault_of_a_name_server_ends_the_call_once_and_gives_all_back, 0,
        n_cases);
    tcase_add_test(tcase, nobody_is_asked_any_more_behind_the_limit);
}

int
main(void)
{
    return client_rig_main("names", add_tests);
}
