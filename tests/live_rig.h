/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests against a running HMS or Qdrant server share: a client made
 * from the environment, and one call at a time. Only public functions are used.
 *   VECWIRE_LIVE_URL  the server; it should have no rows yet
 *   VECWIRE_LIVE_KEY  its key, or nothing
 *   VECWIRE_DIM       its dimension, at least 4 */
#ifndef VECWIRE_TESTS_LIVE_RIG_H
#define VECWIRE_TESTS_LIVE_RIG_H

#include <check.h>
#include <event2/event.h>
#include <stdbool.h>
#include <vecwire/vecwire.h>

/* Longest wait for one call; only a test that fails waits so long. */
#define LIVE_PATIENCE_MS 60000
/* hms-server turns a fifth request at a time away unless told otherwise. */
#define LIVE_CONNECTIONS 4

struct live {
    struct event_base *base;
    struct vecwire_loop *loop;
    struct vecwire_client *client;
    const char *url;
    const char *key;
    size_t dim;
};

/* Of the test that runs. */
extern struct live live;

/* Connect with these settings; url, key and loop are filled in where they are
 * not set. The fixture live_begin() has been called. */
void live_connect(struct vecwire_options options);
/* The same with a tenant of its own and all else as usual. */
void live_tenant(const char *tenant);

/* Fixture: the environment, base and loop; no client yet. */
void live_begin(void);
void live_end(void);

/* A callback that keeps the one reply it gets in the pointer at `arg`. */
void live_keep(const struct vecwire_reply *reply, void *arg);
/* Run until nothing is unfinished. */
void live_drain(void);

/* Calls that must be taken; wait for the reply, which the caller releases. */
const struct vecwire_reply *live_query(const float *vector, uint32_t top_k,
                                       const char *filter);
const struct vecwire_reply *live_upsert(struct vecwire_upsert_request upsert);
const struct vecwire_reply *live_delete(const char *id);
const struct vecwire_reply *live_raw(struct vecwire_raw_request raw);
/* POST a JSON text. */
const struct vecwire_reply *live_post(const char *path, const char *body,
                                      size_t len);

/* Store one row; text and payload may be NULL. Fails unless it is stored. */
void live_put(const char *id, const float *vector, const char *text,
              const char *payload);
/* Delete; fails unless `affected` rows are told. */
void live_remove(const char *id, uint64_t affected);

/* Fails unless the reply is a success. */
void live_fine(const struct vecwire_reply *reply);
/* Fails unless it has this status and HMS's code, with a text; releases. */
void live_refused(const struct vecwire_reply *reply, uint32_t status,
                  const char *code);

/* Vectors of `dim` floats, to be freed: coordinate `at` is 1, the others 0;
 * and one of a stream, the same on every machine. */
float *live_axis(size_t at);
float *live_random(uint64_t seed);
double live_cosine(const float *a, const float *b);

/* A text of `n` bytes, all `c`; to be freed. */
char *live_repeat(char c, size_t n);

/* `pattern` with "@V" replaced by the JSON text of a vector, "@S" by one that
 * is a coordinate too short, "@Z" by zeros, "@N" by one with a null and "@T"
 * by one with a text in it; to be freed. */
char *live_body(const char *pattern);

/* The cases of the other files. */
TCase *live_rows_case(void);
TCase *live_texts_case(void);
TCase *live_refusals_case(void);
TCase *live_traffic_case(void);

#endif
