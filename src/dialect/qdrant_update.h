/* SPDX-License-Identifier: Apache-2.0 */
/* Qdrant: updates. */
#ifndef VECWIRE_DIALECT_QDRANT_UPDATE_H
#define VECWIRE_DIALECT_QDRANT_UPDATE_H

#include "dialect/qdrant.h"

/* How the reply to an update is read, and that to several in one. */
extern const struct vecwire__decoding vecwire__qdrant_update_decoding;
extern const struct vecwire__decoding vecwire__qdrant_updates_decoding;

/* --- qdrant_points.c --- */

/* What concerns no single row. */
enum vecwire_err
vecwire__qdrant_check_rows(const struct vecwire_upsert_request *upsert,
                           struct vecwire_refusal *refusal);

/* Members of a body: "points" by row, "batch" by column. */
void vecwire__qdrant_put_points(struct vecwire__qdrant_writer *w,
                                const struct vecwire_upsert_request *upsert);
void vecwire__qdrant_put_batch(struct vecwire__qdrant_writer *w,
                               const struct vecwire_upsert_request *upsert);

/* Members "update_mode" and "update_filter" of the params. */
void vecwire__qdrant_put_conditions(struct vecwire__qdrant_writer *w);

extern const struct vecwire__upsert_parts vecwire__qdrant_upsert_parts;
enum vecwire_err vecwire__qdrant_encode_upsert(
    const struct vecwire__settings *settings, const void *request,
    struct vecwire__encoding *enc, struct vecwire_refusal *refusal);

/* --- qdrant_selection.c --- */

/* "points" or "filter". */
void vecwire__qdrant_put_selection(struct vecwire__qdrant_writer *w,
                                   const struct vecwire_qdrant_points *points);

/* --- qdrant_update.c --- */

enum vecwire_err vecwire__qdrant_encode_delete(
    const struct vecwire__settings *settings, const void *request,
    struct vecwire__encoding *enc, struct vecwire_refusal *refusal);
enum vecwire_err vecwire__qdrant_encode_payload(
    const struct vecwire__settings *settings, const void *request,
    struct vecwire__encoding *enc, struct vecwire_refusal *refusal);
enum vecwire_err vecwire__qdrant_encode_update_vectors(
    const struct vecwire__settings *settings, const void *request,
    struct vecwire__encoding *enc, struct vecwire_refusal *refusal);
enum vecwire_err vecwire__qdrant_encode_delete_vectors(
    const struct vecwire__settings *settings, const void *request,
    struct vecwire__encoding *enc, struct vecwire_refusal *refusal);
enum vecwire_err vecwire__qdrant_encode_operations(
    const struct vecwire__settings *settings, const void *request,
    struct vecwire__encoding *enc, struct vecwire_refusal *refusal);

#endif
