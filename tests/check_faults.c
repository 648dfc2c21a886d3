/* SPDX-License-Identifier: Apache-2.0 */
/* Every fault of the catalogue, plain and over TLS, through the public
 * functions: one completion with the right facts, no reply of another's, all
 * given back.
 *
 *   check_faults             all of them
 *   check_faults LIST N      one of them, plain and over TLS
 *   check_faults --table     the table of docs/faults.md */
#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fault_rig.h"

/* clang-format off */
static const struct fault_list *const lists[] = {
    &fault_list_connections,
    &fault_list_reuse,
    &fault_list_framing,
    &fault_list_heads,
    &fault_list_status,
    &fault_list_tls,
    &fault_list_hms,         &fault_list_qdrant,
};
/* clang-format on */
#define N_LISTS (sizeof(lists) / sizeof(lists[0]))

static volatile sig_atomic_t n_sigpipe;

static void
on_sigpipe(int signal_number)
{
    (void)signal_number;
    n_sigpipe++;
}

static size_t
n_faults(void)
{
    size_t n = 0;

    for (size_t i = 0; i < N_LISTS; i++)
        n += lists[i]->n;
    return n;
}

static const struct fault *
find(size_t i, const struct fault_list **list)
{
    for (size_t k = 0;; k++) {
        *list = lists[k];
        if (i < lists[k]->n)
            return &lists[k]->faults[i];
        i -= lists[k]->n;
    }
}

static void
meet(size_t i, bool tls)
{
    const struct fault_list *list;
    const struct fault *fault = find(i, &list);

    if (tls ? !list->tls || fault->plain_only : !list->plain)
        return;
    fault_run(list, fault, tls);
    ck_assert_msg(n_sigpipe == 0, "%s: SIGPIPE", fault->name);
}

START_TEST(every_fault_is_seen_for_what_it_is)
{
    meet((size_t)_i, false);
}
END_TEST

START_TEST(every_fault_is_seen_for_what_it_is_over_tls)
{
    meet((size_t)_i, true);
}
END_TEST

/* --- the table --- */

static const char *const fates[] = {"kept", "dropped", "never up"};
static const char *const calls[FAULT_N_CALLS] = {
    [FAULT_GET] = "GET",
    [FAULT_HEAD] = "HEAD",
    [FAULT_POST] = "POST",
    [FAULT_BIG_POST] = "large POST",
    [FAULT_QUERY] = "query",
    [FAULT_ROWS] = "query, rows",
    [FAULT_UPSERT] = "upsert",
    [FAULT_DELETE] = "delete",
    [FAULT_UPLOAD] = "upload",
    [FAULT_SCROLL] = "scroll",
    [FAULT_SCROLLER] = "scroller",
    [FAULT_COUNT] = "count",
    [FAULT_OPERATIONS] = "operations",
};

static void
print_seen(const struct fault_seen *sees)
{
    if (sees->code == VECWIRE_OK) {
        printf("its reply");
        if (sees->status != 200)
            printf(", %u", sees->status);
        return;
    }
    printf("`%s`, %s", vecwire_err_name(sees->code) + strlen("VECWIRE_"),
           vecwire_phase_name(sees->phase));
    if (sees->status != 0)
        printf(", %u", sees->status);
    if (sees->unknown)
        printf(", unknown");
}

/* Passes of one fault. */
static unsigned
passes(const struct fault_list *list, const struct fault *fault, bool tls)
{
    unsigned n = fault->passes == 0 ? 1 : fault->passes;
    unsigned stride = fault_stride(list, tls);

    if (tls ? !list->tls || fault->plain_only : !list->plain)
        return 0;
    return (n + stride - 1) / stride;
}

static void
print_fault(const struct fault_list *list, size_t i)
{
    const struct fault *fault = &list->faults[i];

    printf("| %s | %s | ", fault->name, calls[fault->call]);
    print_seen(&fault->sees);
    printf(" | %s | %u + %u | %s %zu |\n", fates[fault->fate],
           passes(list, fault, false), passes(list, fault, true), list->name,
           i + 1);
}

static void
print_sum(void)
{
    unsigned plain = 0, over_tls = 0;

    for (size_t i = 0; i < N_LISTS; i++) {
        for (size_t k = 0; k < lists[i]->n; k++) {
            plain += passes(lists[i], &lists[i]->faults[k], false);
            over_tls += passes(lists[i], &lists[i]->faults[k], true);
        }
    }
    printf("%zu faults, in %u passes plain and %u over TLS.\n", n_faults(),
           plain, over_tls);
}

static int
print_table(void)
{
    print_sum();
    for (size_t i = 0; i < N_LISTS; i++) {
        printf("\n### %s\n\n| fault | call | what the caller sees | its "
               "connection | passes | test |\n|---|---|---|---|---|---|\n",
               lists[i]->title);
        for (size_t k = 0; k < lists[i]->n; k++)
            print_fault(lists[i], k);
    }
    return EXIT_SUCCESS;
}

/* --- the program --- */

/* Of the named fault, or of all of them. */
static bool
choose(int argc, char **argv, int *from, int *to)
{
    size_t before = 0;

    *from = 0;
    *to = (int)n_faults();
    if (argc < 3)
        return argc == 1;
    for (size_t i = 0; i < N_LISTS; i++) {
        size_t n = strtoul(argv[2], NULL, 10);

        if (strcmp(lists[i]->name, argv[1]) == 0 && n >= 1 &&
            n <= lists[i]->n) {
            *from = (int)(before + n - 1);
            *to = *from + 1;
            return true;
        }
        before += lists[i]->n;
    }
    return false;
}

int
main(int argc, char **argv)
{
    Suite *suite = suite_create("faults");
    TCase *tcase = tcase_create("faults");
    SRunner *runner;
    int failed, from, to;

    if (argc == 2 && strcmp(argv[1], "--table") == 0)
        return print_table();
    if (!choose(argc, argv, &from, &to)) {
        fprintf(stderr, "check_faults: no such fault\n");
        return 2;
    }
    fault_rig_count_libevent();
    signal(SIGPIPE, on_sigpipe);
    tcase_set_timeout(tcase, 60);
    suite_add_tcase(suite, tcase);
    tcase_add_loop_test(tcase, every_fault_is_seen_for_what_it_is, from, to);
    if (fault_rig_has_tls())
        tcase_add_loop_test(tcase, every_fault_is_seen_for_what_it_is_over_tls,
                            from, to);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
