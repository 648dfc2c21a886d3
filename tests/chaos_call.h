/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of every kind to a chaos server, each with a mark that its answer has
 * to bring back. */
#ifndef VECWIRE_TESTS_CHAOS_CALL_H
#define VECWIRE_TESTS_CHAOS_CALL_H

#include <vecwire/vecwire.h>

#include "tests/chaos_server.h"

enum chaos_kind {
    CHAOS_QUERY,
    CHAOS_UPSERT,
    CHAOS_DELETE,
    CHAOS_GET,
    CHAOS_POST,
    CHAOS_KINDS
};

#define CHAOS_MAX_BODY 20000

struct chaos_call {
    vecwire_call_id id;
    uint64_t marker; /* from 1 */
    enum chaos_kind kind;
    bool repeat; /* it may be sent again */
    bool started, done, canceled;
};

/* Start it; its headers are put into `options`. `body_len` is a POST's. */
enum vecwire_err chaos_call_start(struct vecwire_client *client,
                                  struct chaos_call *call,
                                  struct vecwire_call_options options,
                                  size_t body_len, vecwire_reply_cb cb,
                                  void *arg);

/* What is wrong with this reply to it; NULL: nothing. */
const char *chaos_call_wrong(const struct chaos_call *call,
                             const struct vecwire_reply *reply);

/* What is wrong with how often the server saw it; NULL: nothing. A write that
 * nobody allowed to repeat has arrived once, but for 429. */
const char *chaos_call_seen_wrong(const struct chaos_call *call,
                                  const struct chaos_seen *seen);

#endif
