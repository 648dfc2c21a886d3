/* SPDX-License-Identifier: Apache-2.0 */
/* An engine between a fake transport and a fake clock: no sockets, no loop. */
#ifndef VECWIRE_TESTS_ENGINE_FIXTURE_H
#define VECWIRE_TESTS_ENGINE_FIXTURE_H

#include "call/engine.h"
#include "tests/fake_clock.h"
#include "tests/fake_transport.h"

#define MATCHES_1                                                              \
    "{\"matches\":[{\"id\":\"a\",\"text\":\"t\",\"metadata\":{},"              \
    "\"score\":0.5}]}"

struct engine_fixture {
    struct fake_clock clock;
    struct fake_transport net;
    struct vecwire__engine engine;
    bool due_asked, gone;
    int64_t wall_s;
};

/* What a completion saw. */
struct seen {
    unsigned runs;
    enum vecwire_err code;
    enum vecwire_phase phase;
    uint32_t status, attempts, wakeups;
    size_t count;
    uint64_t affected;
    int64_t retry_after_ms;
    bool retryable, outcome_unknown;
    char detail[256];
    char server_code[64];
    /* What the test wants done in the callback; may be NULL. */
    void (*then)(struct seen *seen);
    struct engine_fixture *fixture;
};

void engine_fixture_init(struct engine_fixture *f,
                         const struct vecwire__engine_config *overrides);

/* Shuts the engine down where that was not done, and checks that nothing is
 * left. */
void engine_fixture_fini(struct engine_fixture *f);

/* Submit a query (READ), an upsert (IDEMPOTENT) or a raw POST (NEVER). The
 * deadline is 30 s unless deadline_ms is given; 0 gives that. */
enum vecwire_err engine_call(struct engine_fixture *f,
                             enum vecwire__retry_class class,
                             uint32_t deadline_ms, struct seen *seen,
                             vecwire_call_id *id);

/* As engine_call, with repeat_writes or no_retry. */
enum vecwire_err engine_call_with(struct engine_fixture *f,
                                  enum vecwire__retry_class class,
                                  bool repeat_writes, bool no_retry,
                                  struct seen *seen);

/* Let the loop do what was asked of it, one pass. */
void engine_pass(struct engine_fixture *f);

/* The connection is lost: after `sent` or before a byte left. */
void engine_lose(struct vecwire__conn *conn, bool sent, bool reply_seen);

#endif
