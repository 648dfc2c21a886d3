/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VECWIRE_DIALECT_HMS_H
#define VECWIRE_DIALECT_HMS_H

#include "dialect/dialect.h"

/* How 2xx replies are read, by verb. */
extern const struct vecwire__decoding vecwire__hms_decoding[VECWIRE__N_VERBS];

/* See struct vecwire__dialect. */
void vecwire__hms_server_error(struct vecwire_reply *reply,
                               struct vecwire__server_error *found);
bool vecwire__hms_forgives(enum vecwire__verb verb,
                           struct vecwire_reply *reply);

#define VECWIRE__HMS_MAX_ROWS 1000 /* of a batch */

/* More than HMS takes in one batch? Names the limit. */
enum vecwire_err
vecwire__hms_check_batch(const struct vecwire_upsert_request *upsert,
                         struct vecwire_refusal *refusal);

/* See struct vecwire__upsert_parts. */
bool vecwire__hms_batch_fits(const struct vecwire_upsert_request *upsert,
                             size_t row, struct vecwire__upsert_load *load);

#endif
