/* SPDX-License-Identifier: Apache-2.0 */
/* A pool of at most two connections over the fake transport and clock, and
 * four callers that want one. */
#ifndef VECWIRE_TESTS_POOL_FIXTURE_H
#define VECWIRE_TESTS_POOL_FIXTURE_H

#include <check.h>

#include "pool/pool.h"
#include "tests/fake_clock.h"
#include "tests/fake_transport.h"

#define IDLE_NS (4 * FAKE_S)

/* A call as the pool sees it. */
struct caller {
    struct vecwire__waiter waiter;
    struct vecwire__conn *conn;
    unsigned grants;
    unsigned turn; /* the how manieth grant of all this was */
    void (*on_grant)(struct caller *caller);
};

extern struct fake_clock pool_clock;
extern struct fake_transport net;
extern struct vecwire__pool pool;
extern struct caller a, b, c, d;

/* As checked fixture: the teardown fails the test when something leaks. */
void pool_setup(void);
void pool_teardown(void);

void ask(struct caller *caller);
void give(struct caller *caller);
void drop(struct caller *caller);

/* Run tests with this fixture: the exit status of a program. */
int pool_run(const char *name, const TTest *const *tests, size_t n);

#endif
