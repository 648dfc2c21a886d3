/* SPDX-License-Identifier: Apache-2.0 */
/* Points in the order of a payload's key. */
#ifndef VECWIRE_SERVER_QDRANT_ORDERED_H
#define VECWIRE_SERVER_QDRANT_ORDERED_H

#include "server/qdrant_record.h"

/* Append {"points":[..],"next_page_offset":null}: at most `limit` records with
 * their order_value, once for each value of the key, by value and then by id.
 * `order` is a body's order_by. As the answer to a query each has a score, 1,
 * and no offset follows. False: fault. */
bool vecwire__qdrant_put_ordered(struct vecwire__qdrant_call *call,
                                 struct vecwire__view order,
                                 const struct vecwire__filter *filter,
                                 const struct vecwire__record_parts *parts,
                                 size_t limit, bool is_query);

#endif
