/* SPDX-License-Identifier: Apache-2.0 */
/* HMS's limits, for bodies that are valid JSON of the right types. */
#ifndef VECWIRE_SERVER_HMS_CHECK_H
#define VECWIRE_SERVER_HMS_CHECK_H

#include "server/hms_body.h"

/* Set body->fault, as printf(). */
__attribute__((format(printf, 2, 3))) void
vecwire__hms_fault(struct vecwire__hms_body *body, const char *format, ...);

/* Check a query that was read; parses its filter. */
enum vecwire__hms_verdict
vecwire__hms_check_query(struct vecwire__hms_body *body);

/* Check all documents that were read; parses their metadata. */
enum vecwire__hms_verdict
vecwire__hms_check_documents(struct vecwire__hms_body *body, bool batch);

#endif
