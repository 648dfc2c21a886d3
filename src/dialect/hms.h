/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VECWIRE_DIALECT_HMS_H
#define VECWIRE_DIALECT_HMS_H

#include "dialect/dialect.h"

/* How 2xx replies are read. */
extern const struct vecwire__decoding vecwire__hms_query_decoding;
extern const struct vecwire__decoding vecwire__hms_upsert_decoding;
extern const struct vecwire__decoding vecwire__hms_delete_decoding;

#define VECWIRE__HMS_MAX_ID 256 /* bytes */

/* The path with the URL's prefix, and room for a body behind it. False: no
 * memory. */
VECWIRE_NODISCARD bool
vecwire__hms_begin(const struct vecwire__settings *settings,
                   struct vecwire__encoding *enc, const char *path,
                   size_t body_room);

/* Is it an id that HMS takes? Else refused. */
enum vecwire_err vecwire__hms_check_id(const char *id, size_t row,
                                       struct vecwire_refusal *refusal);

/* Refuse what only other databases have. */
enum vecwire_err vecwire__hms_lacks(struct vecwire_refusal *refusal,
                                    const char *what);

/* The encoder of a delete. */
enum vecwire_err
vecwire__hms_encode_delete(const struct vecwire__settings *settings,
                           const void *request, struct vecwire__encoding *enc,
                           struct vecwire_refusal *refusal);

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
