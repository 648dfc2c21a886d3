/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests against a running Qdrant server share, beside live_rig.h: a
 * collection for each test, and one reply at a time. */
#ifndef VECWIRE_TESTS_LIVE_QDRANT_H
#define VECWIRE_TESTS_LIVE_QDRANT_H

#include "tests/live_rig.h"

/* Updates that are answered when they are done. */
extern const struct vecwire_qdrant_params live_wait_params;
extern const struct vecwire_call_options live_wait;

/* Name of the test's collection: four floats by dot product, unnamed, and
 * sparse vectors "s". It has no rows yet. */
const char *live_collection(void);

/* Rows 1 to 6. Vectors: i on axis 0 for the first three, on axis 1 for the
 * others. Payloads: "city" Rome where i is odd, else Oslo, and "n" i; row 6 has
 * none. */
void live_fill(void);

/* Make an index and wait for it; `type`: enum vecwire_qdrant_index_type. */
void live_index(const char *key, uint32_t type);

/* Where live_keep() shall put the next reply; the one before is released. */
const struct vecwire_reply **live_slot(void);

/* Wait for that reply, which must be a success; valid until live_slot(). */
const struct vecwire_reply *live_fine_reply(enum vecwire_err taken);

/* The same for one that must have this status, and the server's text. */
const struct vecwire_error *live_error(enum vecwire_err taken, uint32_t status);

/* Fails unless the rows have these ids, in this order, a space between. */
void live_ids(const struct vecwire_reply *reply, const char *ids);

/* A case with the collection as its fixture. */
TCase *live_qdrant_case(const char *name);

/* The cases of the other files. */
TCase *live_qdrant_points_case(void);
TCase *live_qdrant_queries_case(void);

#endif
