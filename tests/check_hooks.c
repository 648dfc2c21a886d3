/* SPDX-License-Identifier: Apache-2.0 */
/* An allocator hook must not call the library: whichever of its calls does so
 * while the client lives, an assertion catches it. */
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/counting_mem.h"
#include "tests/rows_rig.h"

#ifndef NDEBUG

#define NOT_REACHED 42
#define SURVIVED 43

static const struct fault_step script[] = {
    {FAULT_READ, NULL, 0},
    {FAULT_SEND, OK "Content-Length: 113\r\n\r\n" TWO_ROWS, 0},
    {FAULT_READ, NULL, 0},
    {FAULT_SEND, OK "Content-Length: 113\r\n\r\n" TWO_ROWS, 0},
    {FAULT_READ, NULL, 0},
    {FAULT_SEND, OK "Content-Length: 11\r\n\r\n{\"added\":2}", 0},
    {FAULT_AGAIN, NULL, 0}};
static const struct fault_step *const scripts[] = {script};

static struct counting_mem counting;
static struct client_rig rig;
static long calls_left; /* of hooks, until one calls the library */

static void
count_call(void)
{
    if (rig.client == NULL || calls_left == 0 || --calls_left > 0)
        return;
    (void)vecwire_cancel(rig.client, 1);
    _exit(SURVIVED);
}

static void *
hook_alloc(size_t size, void *ctx)
{
    count_call();
    return counting_mem_alloc(size, ctx);
}

static void *
hook_realloc(void *block, size_t old_size, size_t size, void *ctx)
{
    count_call();
    return counting_mem_realloc(block, old_size, size, ctx);
}

static void
hook_free(void *block, size_t size, void *ctx)
{
    count_call();
    counting_mem_free(block, size, ctx);
}

/* Queries cold and warm, with rows before the end, and an upload. No reply is
 * kept and no upload ends: these go on without their client. */
static void
journey(void)
{
    static const float matrix[] = {1, 2, 3, 4, 5, 6};
    static const char *const ids[] = {"a", "b"};
    struct taking taking;
    struct vecwire_uploader *up;

    take(&rig, &taking, 0);
    client_rig_run(&rig);
    take(&rig, &taking, 0);
    client_rig_run(&rig);
    ck_assert_int_eq(
        vecwire_uploader_new(&up, rig.client,
                             &VECWIRE_UPLOADER_OPTIONS(.batch_rows = 2)),
        VECWIRE_OK);
    ck_assert_int_eq(
        vecwire_uploader_add(
            up,
            &VECWIRE_UPSERT(.matrix = matrix, .dim = 3, .rows = 2, .ids = ids),
            NULL),
        VECWIRE_OK);
    while (vecwire_uploader_progress(up)->rows_done < 2)
        ck_assert_int_eq(vecwire_loop_step(rig.loop, NULL), VECWIRE_OK);
    calls_left = 0;
    vecwire_uploader_free(up);
}

static void
run_child(long call)
{
    static const struct rlimit no_core;
    struct vecwire_mem mem = {hook_alloc, hook_realloc, hook_free, &counting};

    (void)setrlimit(RLIMIT_CORE, &no_core);
    (void)freopen("/dev/null", "w", stderr);
    counting_mem_init(&counting);
    client_rig_init(&rig, scripts, 1, VECWIRE_OPTIONS(.mem = &mem));
    calls_left = call;
    journey();
    client_rig_fini(&rig);
    _exit(NOT_REACHED);
}

START_TEST(whichever_call_of_a_hook_comes_back_is_caught)
{
    long call = 0;
    int status;

    do {
        pid_t child = fork();

        call++;
        ck_assert_int_ge(child, 0);
        if (child == 0)
            run_child(call);
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_REACHED)
            break;
        ck_assert_msg(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT,
                      "hook call %ld was not caught: status %d", call, status);
    } while (call < 1000);
    /* A journey is more than a few allocations. */
    ck_assert_int_gt(call, 20);
    ck_assert_int_lt(call, 1000);
}
END_TEST

#endif

static void
add(TCase *tcase)
{
    tcase_set_timeout(tcase, 120);
#ifndef NDEBUG
    tcase_add_test(tcase, whichever_call_of_a_hook_comes_back_is_caught);
#else
    (void)tcase;
#endif
}

int
main(void)
{
    return client_rig_main("hooks", add);
}
