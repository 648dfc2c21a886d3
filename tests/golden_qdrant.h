/* SPDX-License-Identifier: Apache-2.0 */
/* Requests as Vecwire sends them to Qdrant, one of each kind and one with all
 * that it may have, for comparison with what others say that they should be. */
#ifndef VECWIRE_TESTS_GOLDEN_QDRANT_H
#define VECWIRE_TESTS_GOLDEN_QDRANT_H

#include <vecwire/vecwire.h>

#define GOLDEN_SIZE(array) (sizeof(array) / sizeof((array)[0]))

struct golden {
    struct vecwire_client *client; /* its collection is "goods" */
    struct vecwire_loop *loop;
    struct vecwire_refusal refusal; /* for every request */
    const char *name;               /* of the request at hand */
    unsigned sent, answered;        /* requests that came; callbacks that ran */
};

struct golden_request {
    const char *name;
    enum vecwire_err (*ask)(struct golden *golden);
};

/* The callback of every request; `arg` is the struct golden. */
void golden_done(const struct vecwire_reply *reply, void *arg);

extern const struct golden_request golden_admin[];
extern const size_t n_golden_admin;
extern const struct golden_request golden_filters[];
extern const size_t n_golden_filters;
extern const struct golden_request golden_reads[];
extern const size_t n_golden_reads;
extern const struct golden_request golden_queries[];
extern const size_t n_golden_queries;
extern const struct golden_request golden_server[];
extern const size_t n_golden_server;
extern const struct golden_request golden_updates[];
extern const size_t n_golden_updates;

#endif
